//! `[cluster]`, `[table]` and `[client]`: the specifications that the engine runs on. Must not know how they are simulated.

use super::Diagnostic;
use super::clock::value_place;
use super::document::{Place, Value};
use super::placements::read_placement;
use super::reader::Reader;
use super::sink::Sink;
use crate::client::ClientSpec;
use crate::cluster::{
    ClusterSpec, CompactionBandwidth, LogSyncs, ServiceLaw, ServiceSpec, TableSpec, WalSpec,
};
use crate::storage::BlockEncoding;
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize, Nanos, grouped};

/// Memory that the servers may take.
const MEMORY: f64 = (4u64 << 30) as f64;

/// Bytes of a server, and of each of its handlers with its share of the queues (estimates).
const SERVER_BYTES: f64 = 4096.0;
const HANDLER_BYTES: f64 = 64.0;

/// Reads `[cluster]`.
pub(super) fn read_cluster(cluster: Reader<'_>) -> ClusterSpec {
    let servers = cluster.integer_or("servers", 1, i64::MAX, 8);
    let handlers = cluster.integer_or("handlers", 1, 100_000, 30);
    let most = u32::try_from(servers).unwrap_or(u32::MAX);
    let place = value_place(&cluster, "servers");
    check_server_memory(cluster.sink, &place, most, handlers as u32);
    // HBase: 0.1 queues a handler (`hbase.ipc.server.callqueue.handler.factor`), 10 calls a handler in each.
    let call_queues = cluster.integer_or("call_queues", 1, handlers, (handlers / 10).max(1));
    let call_queue_length = read_queue_length(&cluster, handlers);
    let network = cluster.duration_or("network", "0.25ms");
    if network > SimDuration::from_secs(60) {
        cluster.sink.error(
            &value_place(&cluster, "network"),
            "a network of more than a minute",
            "at most 60s, one way",
        );
    }
    let heap = cluster.unit_or("heap", "16GB");
    let disk_bandwidth = cluster.unit_or("disk_bandwidth", "200MB/s");
    let split_offline = read_outage(&cluster, "split_offline", "1s");
    let move_offline = read_outage(&cluster, "move_offline", "0.5s");
    let failure_detection = read_outage(&cluster, "failure_detection", "40s");
    let service = read_service(cluster.table("service"));
    let wal = read_wal(cluster.table("wal"));
    cluster.finish();
    ClusterSpec {
        servers: most,
        handlers: handlers as u32,
        call_queues: call_queues as u32,
        call_queue_length,
        network,
        heap,
        disk_bandwidth,
        split_offline,
        move_offline,
        failure_detection,
        service,
        wal,
    }
}

/// Complains at `place` when so many servers take more memory than there is.
pub(super) fn check_server_memory(sink: &Sink, place: &Place, servers: u32, handlers: u32) {
    let bytes = f64::from(servers) * (SERVER_BYTES + f64::from(handlers) * HANDLER_BYTES);
    if bytes > MEMORY {
        let message = format!(
            "{} servers of {handlers} handlers need about {} of memory",
            grouped(servers.into()),
            ByteSize::approximate(bytes)
        );
        let label = format!("keyheat takes up to {}", ByteSize::approximate(MEMORY));
        sink.error(place, message, label);
    }
}

fn read_queue_length(cluster: &Reader<'_>, handlers: i64) -> u32 {
    let entry = cluster
        .table
        .and_then(|table| table.get("call_queue_length"));
    if let Some(Value::Text(text)) = entry.map(|entry| &entry.node.value) {
        cluster.entry("call_queue_length");
        if text != "unlimited" {
            let place = value_place(cluster, "call_queue_length");
            cluster.sink.error(
                &place,
                format!("`{text}` is no length of a queue"),
                "expected a number of calls, or `unlimited`",
            );
        }
        return u32::MAX;
    }
    cluster.integer_or(
        "call_queue_length",
        1,
        i64::from(u32::MAX) - 1,
        handlers * 10,
    ) as u32
}

/// How long something is offline, or unnoticed.
fn read_outage<'a>(cluster: &Reader<'a>, key: &'a str, default: &str) -> SimDuration {
    let time = cluster.duration_or(key, default);
    if time > SimDuration::from_secs(86_400) {
        let message = format!("`cluster.{key}` is {}", Nanos(time.as_nanos()));
        let place = value_place(cluster, key);
        cluster.sink.error(&place, message, "must be at most 1d");
    }
    time
}

fn read_service(service: Reader<'_>) -> ServiceSpec {
    #[derive(Clone, Copy)]
    enum Shape {
        Constant,
        Exponential,
        Lognormal,
    }
    let shapes = [
        ("constant", Shape::Constant),
        ("exponential", Shape::Exponential),
        ("lognormal", Shape::Lognormal),
    ];
    let law = match service.word_or("distribution", &shapes, "exponential") {
        Shape::Constant => ServiceLaw::Constant,
        Shape::Exponential => ServiceLaw::Exponential,
        Shape::Lognormal => {
            let cv = service.number_or(
                "cv",
                "greater than 0, and at most 100",
                |cv| cv > 0.0 && cv <= 100.0,
                "1.0",
            );
            ServiceLaw::Lognormal { cv }
        }
    };
    if !matches!(law, ServiceLaw::Lognormal { .. }) {
        service.meaningless("cv", "needs `distribution = \"lognormal\"`");
    }
    let put = service.duration_or("put", "0.3ms");
    if put == SimDuration::ZERO || put > SimDuration::from_secs(3_600) {
        let label = "must be longer than zero, and at most 1h";
        service.sink.error(
            &value_place(&service, "put"),
            "no service time of a put",
            label,
        );
    }
    let write_row = service.duration_or("write_row", "5us");
    if write_row > SimDuration::from_secs(3_600) {
        service.sink.error(
            &value_place(&service, "write_row"),
            "no service time of a row",
            "must be at most 1h",
        );
    }
    let get = read_time(&service, "get", "1.2ms", "a Get");
    let scan = read_time(&service, "scan", "1.2ms", "a scanner's call");
    let scan_row = read_time(&service, "scan_row", "1us", "a row");
    let share = |value: f64| (0.0..=1.0).contains(&value);
    let cache_hit = service.number_or("cache_hit", "in [0, 1]", share, "1.0");
    let disk_read = read_time(&service, "disk_read", "4ms", "a read from disk");
    service.finish();
    ServiceSpec {
        law,
        put,
        write_row,
        get,
        scan,
        scan_row,
        cache_hit,
        disk_read,
    }
}

fn read_time<'a>(service: &Reader<'a>, key: &'a str, default: &str, what: &str) -> SimDuration {
    let time = service.duration_or(key, default);
    let base = matches!(key, "get" | "scan");
    if time > SimDuration::from_secs(3_600) || (base && time == SimDuration::ZERO) {
        let label = if base {
            "must be longer than zero, and at most 1h"
        } else {
            "must be at most 1h"
        };
        let message = format!("no service time of {what}");
        service
            .sink
            .error(&value_place(service, key), message, label);
    }
    time
}

fn read_wal(wal: Reader<'_>) -> Option<WalSpec> {
    let on = wal.word_or("mode", &[("on", true), ("off", false)], "on");
    let sync = wal.duration_or("sync", "1.2ms");
    if sync > SimDuration::from_secs(3_600) {
        wal.sink.error(
            &value_place(&wal, "sync"),
            "no time of a sync",
            "must be at most 1h",
        );
    }
    let bandwidth = wal.unit_or("bandwidth", "10MB/s");
    let ways = [
        ("pipelined", LogSyncs::Pipelined),
        ("single", LogSyncs::Single),
    ];
    let syncs = wal.word_or("syncs", &ways, "pipelined");
    wal.finish();
    on.then_some(WalSpec {
        sync,
        bandwidth,
        syncs,
    })
}

/// Reads `[table]`, its `presplit` apart; `servers` are there when the run starts.
pub(super) fn read_table(table: &Reader<'_>, servers: u32) -> TableSpec {
    let family = table.text_or("family", "d");
    // HBase: `HColumnDescriptor.isLegalFamilyName`, and a family's length is one byte.
    let legal = |c: char| !c.is_control() && !matches!(c, ':' | '/' | '\\');
    if family.is_empty()
        || family.len() > 127
        || !family.chars().all(legal)
        || family.starts_with('.')
    {
        let label =
            "expected 1 to 127 bytes, without `:`, `/`, `\\` or control characters, not led by `.`";
        table.sink.error(
            &value_place(table, "family"),
            format!("`{family}` is no name of a column family"),
            label,
        );
    }
    let qualifiers = if table.has("qualifiers") {
        let list = table.texts("qualifiers", false);
        let is_list = list.is_some();
        let found = list.unwrap_or_default();
        let mut names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        if names.is_empty() && is_list {
            table.sink.error(
                &value_place(table, "qualifiers"),
                "a row without cells",
                "expected at least one qualifier",
            );
        } else if names.windows(2).any(|pair| pair[0] == pair[1]) {
            table.sink.error(
                &value_place(table, "qualifiers"),
                "a qualifier stands twice",
                "names are unique",
            );
        } else if let Some((_, place)) = found.iter().find(|(name, _)| name.len() > 32_767) {
            table.sink.error(
                place,
                "a qualifier of more than 32,767 bytes",
                "too long for HBase",
            );
        }
        found.into_iter().map(|(name, _)| name.to_owned()).collect()
    } else {
        table.entry("qualifiers");
        table.note_default("qualifiers", "[\"v\"]");
        vec!["v".to_owned()]
    };
    let value = table.unit_or::<ByteSize>("value", "100B");
    // HBase default, `hbase.client.keyvalue.maxsize`.
    if value.0 > 10 << 20 {
        let diagnostic = Diagnostic::error(format!("a value of {value}"))
            .label("at most 10MB (`hbase.client.keyvalue.maxsize`)");
        table.sink.add(&value_place(table, "value"), diagnostic);
    }
    if table.entry("copies").is_some() {
        let diagnostic = Diagnostic::error("`copies` are keys: they belong to a strategy")
            .label("not a setting of the table")
            .help("write `copies = [\"...\"]` beside the `key` of `[strategy.x]`");
        table.sink.add(&table.place_of("copies"), diagnostic);
    }
    TableSpec {
        family,
        qualifiers,
        value,
        max_file_size: positive_size(table, "max_file_size", "10GB"),
        memstore_flush_size: positive_size(table, "memstore_flush_size", "128MB"),
        memstore_flush_interval: read_flush_interval(table),
        block_encoding: table.word_or(
            "block_encoding",
            &BlockEncoding::ALL.map(|encoding| (encoding.name(), encoding)),
            BlockEncoding::None.name(),
        ),
        memstore_block_multiplier: table.integer_or("memstore_block_multiplier", 1, 1_000, 4)
            as u32,
        blocking_store_files: table.integer_or("blocking_store_files", 1, 1_000_000, 16) as u32,
        min_compaction_size: positive_size(table, "min_compaction_size", "128MB"),
        discharger_period: read_discharger_period(table),
        compaction_bandwidth: read_compaction(table.table("compaction_bandwidth")),
        placement: read_placement(table, servers),
    }
}

/// HBase default, `hbase.regionserver.optionalcacheflushinterval`.
fn read_flush_interval(table: &Reader<'_>) -> SimDuration {
    let key = "memstore_flush_interval";
    let interval = table.duration_or(key, "1h");
    let useful = SimDuration::from_secs(1)..=SimDuration::from_secs(365 * 86_400);
    if interval != SimDuration::ZERO && !useful.contains(&interval) {
        table.sink.error(
            &value_place(table, key),
            format!("a `{key}` of {}", Nanos(interval.as_nanos())),
            "must be in 1s ..= 365d, or `0s` for never",
        );
    }
    interval
}

/// HBase default, `hbase.hfile.compaction.discharger.interval`.
fn read_discharger_period(table: &Reader<'_>) -> SimDuration {
    let key = "discharger_period";
    let period = table.duration_or(key, "120s");
    if !(SimDuration::from_millis(1)..=SimDuration::from_secs(86_400)).contains(&period) {
        table.sink.error(
            &value_place(table, key),
            format!("a `{key}` of {}", Nanos(period.as_nanos())),
            "must be in 1ms ..= 1d",
        );
    }
    period
}

fn read_compaction(bandwidth: Reader<'_>) -> CompactionBandwidth {
    let low = bandwidth.unit_or::<Bandwidth>("low", "50MB/s");
    let high = bandwidth.unit_or::<Bandwidth>("high", "100MB/s");
    if low.0 > high.0 {
        let key = if bandwidth.has("high") { "high" } else { "low" };
        let diagnostic =
            Diagnostic::error(format!("compactions write at least {low}, at most {high}"))
                .label("`low` must be at most `high`")
                .help("give both: `compaction_bandwidth = { low = \"1MB/s\", high = \"2MB/s\" }`");
        bandwidth
            .sink
            .add(&value_place(&bandwidth, key), diagnostic);
    }
    bandwidth.finish();
    CompactionBandwidth { low, high }
}

/// A size of at least 1 MB: smaller ones are a slip of the unit, and would cut a table into millions of pieces.
fn positive_size<'a>(table: &Reader<'a>, key: &'a str, default: &str) -> ByteSize {
    let size = table.unit_or::<ByteSize>(key, default);
    if size.0 < 1 << 20 {
        table.sink.error(
            &value_place(table, key),
            format!("a `{key}` of {size}"),
            "expected at least 1MB",
        );
    }
    size
}

/// Reads `[client]`.
pub(super) fn read_client(client: Reader<'_>) -> ClientSpec {
    let processes = client.integer_or("processes", 1, 1_000_000, 10);
    let pause = client.duration_or("pause", "100ms");
    let retries = client.integer_or("retries", 0, 1_000, 15);
    let deadline = client.duration_or("deadline", "60s");
    for (key, value, least) in [("pause", pause, 0), ("deadline", deadline, 1)] {
        if value.as_nanos() < least || value > SimDuration::from_secs(86_400) {
            let label = if least > 0 {
                "must be longer than zero, and at most 1d"
            } else {
                "must be at most 1d"
            };
            client.sink.error(
                &value_place(&client, key),
                format!("no useful `client.{key}`"),
                label,
            );
        }
    }
    let max_in_flight = client.integer_or("max_in_flight", 1, 100_000_000, 1_000_000);
    let fan_out = client.integer_or("fan_out", 1, 1_000_000, 64);
    client.finish();
    ClientSpec {
        processes: processes as u32,
        pause,
        retries: retries as u32,
        deadline,
        max_in_flight: max_in_flight as u64,
        fan_out: fan_out as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::{Place, Table};
    use super::super::sink::Sink;
    use super::*;

    #[test]
    fn what_the_file_does_not_say_is_what_the_specifications_default_to() {
        let sink = Sink::default();
        let empty = Table::default();
        let reader = |path| Reader::new(&sink, Some(&empty), Place::File(0..0), path);
        assert_eq!(read_cluster(reader("cluster")), ClusterSpec::default());
        assert_eq!(read_table(&reader("table"), 8), TableSpec::default());
        assert_eq!(read_client(reader("client")), ClientSpec::default());
        assert_eq!(sink.errors(), 0);
    }
}
