//! `[cluster]`, `[table]`, `[[event]]` and `[neighbour.x]`: the servers, what lies on them, and what happens to them.

use super::prelude::*;
use super::presplits::row_key;
use crate::cluster::{
    ClusterEvent, ClusterSpec, CrashTarget, Neighbour, Placement, TableSpec, TimedEvent,
};
use crate::keyspace::RowKey;
use crate::settings::{FromSource, integer, json, number, rate, table, time};
use crate::text::{counted, grouped};
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes of a server, and of each of its handlers with its share of the queues (estimates).
const SERVER_BYTES: f64 = 4096.0;
const HANDLER_BYTES: f64 = 64.0;

/// Reads `[cluster]`.
pub(super) fn read_cluster(cluster: Reader<'_>) -> ClusterSpec {
    let spec = ClusterSpec::read_all(&cluster);
    let place = cluster.place_of_value("servers");
    check_server_memory(cluster.sink, &place, spec.servers, spec.handlers);
    cluster.finish();
    spec
}

/// Complains at `place` when so many servers take more memory than there is.
pub(super) fn check_server_memory(
    sink: &Diagnostics,
    place: &SourcePlace,
    servers: u32,
    handlers: u32,
) {
    let bytes = f64::from(servers) * (SERVER_BYTES + f64::from(handlers) * HANDLER_BYTES);
    let what = format!("{} servers of {handlers} handlers", grouped(servers.into()));
    sink.refuse_memory(place, &what, bytes);
}

/// Reads `[table]`, its `presplit` apart; `servers` are there when the run starts.
pub(super) fn read_table(table: &Reader<'_>, servers: u32) -> TableSpec {
    let mut spec = TableSpec::read_all(table);
    spec.placement = read_placement(table, servers);
    check_family(table, &spec.family);
    check_qualifiers(table);
    let bandwidth = spec.compaction_bandwidth;
    if bandwidth.low.0 > bandwidth.high.0 {
        let (low, high) = (bandwidth.low, bandwidth.high);
        let within = table.table("compaction_bandwidth");
        let key = if within.has("high") { "high" } else { "low" };
        let diagnostic =
            Diagnostic::error(format!("compactions write at least {low}, at most {high}"))
                .label("`low` must be at most `high`")
                .help("give both: `compaction_bandwidth = { low = \"1MB/s\", high = \"2MB/s\" }`");
        within.complain(key, diagnostic);
    }
    if table.entry("copies").is_some() {
        let diagnostic = Diagnostic::error("`copies` are keys: they belong to a strategy")
            .label("not a setting of the table")
            .help("write `copies = [\"...\"]` beside the `key` of `[strategy.x]`");
        table.complain_of_key("copies", diagnostic);
    }
    spec
}

/// HBase: `HColumnDescriptor.isLegalFamilyName`, and a family's length is one byte.
fn check_family(table: &Reader<'_>, family: &str) {
    let legal = |c: char| !c.is_control() && !matches!(c, ':' | '/' | '\\');
    let length = (1..=127).contains(&family.len());
    if !length || !family.chars().all(legal) || family.starts_with('.') {
        let label =
            "expected 1 to 127 bytes, without `:`, `/`, `\\` or control characters, not led by `.`";
        let message = format!("`{family}` is no name of a column family");
        table.refuse("family", message, label);
    }
}

fn check_qualifiers(table: &Reader<'_>) {
    let Some(found) = table.texts("qualifiers", false) else {
        return;
    };
    let mut names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    if names.is_empty() {
        let label = "expected at least one qualifier";
        table.refuse("qualifiers", "a row without cells", label);
    } else if names.windows(2).any(|pair| pair[0] == pair[1]) {
        table.refuse("qualifiers", "a qualifier stands twice", "names are unique");
    } else if let Some((name, place)) = found.iter().find(|it| it.0.len() > RowKey::MAX_LEN) {
        table.sink.add(place, too_long_a_qualifier(name));
    }
}

/// Complains about a qualifier that is longer than a row key may be.
pub(super) fn too_long_a_qualifier(name: &str) -> Diagnostic {
    let message = format!("a qualifier of {} bytes", grouped(name.len() as i128));
    let label = format!("at most {}", grouped(RowKey::MAX_LEN as i128));
    let help = "give it a short name: it stands in every cell";
    Diagnostic::error(message).label(label).help(help)
}

/// Reads `placement`; `servers` are there when the run starts.
pub(super) fn read_placement(table: &Reader<'_>, servers: u32) -> Placement {
    let node = table.entry("placement").map(|entry| &entry.node.value);
    let Some(Value::Array(items)) = node else {
        let word = table.word_or("placement", &["dealt", "in-order", "grown"]);
        return [Placement::Dealt, Placement::InOrder, Placement::Grown][word].clone();
    };
    if items.is_empty() {
        let label = "expected the server of each region, in key order";
        table.refuse("placement", "a `placement` without any server", label);
        return Placement::Dealt;
    }
    // All of them are looked at before any is given up.
    let found = items.iter().map(|item| read_server(table, item, servers));
    let found: Vec<Option<u32>> = found.collect();
    match found.into_iter().collect::<Option<Vec<u32>>>() {
        Some(list) => Placement::Listed(Arc::new(list)),
        None => Placement::Dealt,
    }
}

fn read_server(table: &Reader<'_>, item: &Node, servers: u32) -> Option<u32> {
    let Value::Integer(number) = item.value else {
        return table.wrong_type("placement", item, "a server's number");
    };
    let found = u32::try_from(number).ok();
    let found = found.filter(|&server| server < servers);
    if found.is_none() {
        let label = match servers {
            1 => "the only server is 0".to_owned(),
            _ => format!("servers are 0 to {}", grouped((servers - 1).into())),
        };
        let message = format!("there is no server {number}");
        table.sink.error(&item.place, message, label);
    }
    found
}

/// Complains about a list of another length than the pre-split, where that alone decides how many regions there are.
pub(super) fn check_length(
    sink: &Diagnostics,
    place: &SourcePlace,
    setup: &Setup,
    presplit: &Presplit,
) {
    let Presplit::Fixed { points, .. } = presplit else {
        return;
    };
    if setup.workload.existing_rows(&setup.schema) == 0
        && let Some(fault) = misfit(&setup.table.placement, points.len() + 1)
    {
        sink.add(place, fault);
    }
}

/// A list for another number of regions than a table starts with.
pub fn misfit(placement: &Placement, regions: usize) -> Option<Diagnostic> {
    let servers = match placement {
        Placement::Listed(list) if list.len() != regions => list.len(),
        _ => return None,
    };
    let regions = counted(grouped((regions as u64).into()), "region");
    let servers = counted(servers, "server");
    let message = format!("`placement` lists {servers}, the table starts with {regions}");
    let diagnostic = Diagnostic::error(message).label("expected one server a region, in key order");
    let help = "`keyheat explain` shows the regions; `placement = \"dealt\"` deals them evenly";
    Some(diagnostic.help(help))
}

/// Most events of a run (estimate).
const MOST_EVENTS: usize = 10_000;

crate::settings! {
    /// Exactly one of `crash`, `slow`, `add_servers`, `split`.
    pub(super) static EVENT("event", r#""minProperties": 2, "maxProperties": 2"#) {
        /// From the start of the run.
        at = time().needs("\"10s\""),
        /// A server dies: its number, from 0, or the one that is asked for most.
        crash = json(r#""anyOf": [{ "enum": ["hottest"] }, { "type": "integer", "minimum": 0, "maximum": 4294967295 }]"#),
        /// A server is slower for a time.
        slow = table(&SLOW),
        /// So many empty servers join.
        add_servers = integer(1, MOST_SERVERS),
        /// An operator splits regions at these rows.
        split = json(r#""type": "array", "minItems": 1, "uniqueItems": true, "items": "@row""#),
    }

    /// A server is slower for a time.
    static SLOW("", "") {
        /// Its number, from 0.
        server = integer(0, MOST_SERVERS).needs("0"),
        /// So many times slower.
        times = number("greater than 0, and at most 1000000", 0.0, 1e6, (false, true)).needs("5.0"),
        /// How long it is slower.
        for = time().needs("\"10s\""),
    }
}

/// Servers are numbered with 32 bits.
const MOST_SERVERS: i64 = u32::MAX as i64;

const EVENT_KINDS: [&str; 4] = ["crash", "slow", "add_servers", "split"];

/// Reads all `[[event]]`, in order of time.
pub(super) fn read_events(
    scenario: &Reader<'_>,
    time: &TimeSpec,
    cluster: &ClusterSpec,
) -> Vec<TimedEvent> {
    let tables = scenario.tables("event", MOST_EVENTS, &EVENT);
    let read = |table: &Reader<'_>| table.read_with(|event| read_event(event, time));
    let mut events: Vec<_> = tables.iter().filter_map(read).collect();
    // Stable: events of one time keep the order of the file.
    events.sort_by_key(|(event, _)| event.at);
    check_servers(scenario.sink, &events, cluster);
    events.into_iter().map(|(event, _)| event).collect()
}

/// An event, and where what it needs of the cluster stands.
fn read_event(reader: &Reader<'_>, time: &TimeSpec) -> Option<(TimedEvent, SourcePlace)> {
    let at: Option<SimDuration> = reader.given("at");
    if let Some(at) = at.filter(|at| *at >= time.duration) {
        let label = format!("must be before the end of the run, {}", time.duration);
        reader.refuse("at", format!("an event at {at}"), label);
    }
    let (none, two) = ("an event of no kind", "an event with two kinds");
    let kind = reader.one_of(EVENT_KINDS, none, two)?;
    let mut place = reader.place_of_value(kind);
    let event = match kind {
        "crash" => ClusterEvent::Crash(read_crash(reader)?),
        "slow" => reader.inside("slow", |slow| {
            place = slow.place_of_value("server");
            let (server, times) = (slow.given("server"), slow.given("times"));
            let length = slow.positive_duration("for");
            Some(ClusterEvent::Slow {
                server: server?,
                times: times?,
                length: length?,
            })
        })?,
        "add_servers" => ClusterEvent::AddServers(reader.given("add_servers")?),
        _ => ClusterEvent::Split(read_split(reader)?.into()),
    };
    let at = SimTime::ZERO + at?;
    Some((TimedEvent { at, event }, place))
}

fn read_crash(reader: &Reader<'_>) -> Option<CrashTarget> {
    let node = reader.node("crash")?;
    match &node.value {
        Value::Text(text) if text == "hottest" => Some(CrashTarget::Hottest),
        Value::Text(text) => {
            let diagnostic = Diagnostic::error(format!("no server is called `{text}`"))
                .label("expected `hottest`, or a server's number, from 0");
            reader.complain("crash", diagnostic.hint(slip(text, ["hottest"])));
            None
        }
        Value::Integer(_) => {
            let number = reader.integer_node("crash", node, 0, MOST_SERVERS)?;
            Some(CrashTarget::Server(number as u32))
        }
        _ => reader.wrong_type("crash", node, "`hottest`, or a server's number"),
    }
}

fn read_split(reader: &Reader<'_>) -> Option<Vec<RowKey>> {
    let (items, sink) = (reader.list("split")?, reader.sink);
    let not_empty = |item: &Node, row: RowKey| {
        let sound = !row.as_bytes().is_empty();
        if !sound {
            let label = "the first region starts there already";
            sink.error(&item.place, "a split at the empty row", label);
        }
        sound.then_some(row)
    };
    let rows = items
        .iter()
        .map(|item| not_empty(item, row_key(sink, item)?));
    let rows: Vec<Option<RowKey>> = rows.collect();
    let rows = rows.into_iter().collect::<Option<Vec<RowKey>>>()?;
    if rows.is_empty() {
        let label = "expected at least one row, as in `split = ['m']`";
        reader.refuse("split", "a split at no row", label)?;
    }
    for (at, row) in rows.iter().enumerate() {
        if rows[..at].contains(row) {
            let message = format!("the row `{row}` stands twice");
            sink.error(&items[at].place, message, "a region is split once at a row");
        }
    }
    Some(rows)
}

/// Walks through the events in order of time: each asks for servers that are there and alive.
fn check_servers(sink: &Diagnostics, events: &[(TimedEvent, SourcePlace)], cluster: &ClusterSpec) {
    let mut servers = cluster.servers;
    let mut dead: BTreeSet<u32> = BTreeSet::new();
    let mut crashes = 0;
    for (event, place) in events {
        if let ClusterEvent::Crash(CrashTarget::Server(server))
        | ClusterEvent::Slow { server, .. } = event.event
        {
            if server >= servers {
                let label = format!(
                    "{} at that time, numbered from 0",
                    counted(servers, "server")
                );
                sink.error(place, format!("there is no server {server}"), label);
                continue;
            }
            if dead.contains(&server) {
                let message = format!("server {server} is dead already");
                sink.error(place, message, "an earlier event lets it crash");
                continue;
            }
        }
        match &event.event {
            ClusterEvent::Crash(target) => {
                if let CrashTarget::Server(server) = target {
                    dead.insert(*server);
                }
                crashes += 1;
                if crashes >= servers {
                    sink.error(place, "no server is left", "the last one dies");
                    return;
                }
            }
            ClusterEvent::AddServers(count) => {
                servers = servers.saturating_add(*count);
                check_server_memory(sink, place, servers, cluster.handlers);
            }
            ClusterEvent::Slow { .. } | ClusterEvent::Split(_) => {}
        }
    }
}

/// Most neighbours of a table (estimate).
const MOST_NEIGHBOURS: usize = 64;

crate::settings! {
    /// Another table on the same servers, by its load alone.
    pub(super) static NEIGHBOUR("neighbour", r#""anyOf": [{ "required": ["write_rate"] }, { "required": ["read_rate"] }]"#) {
        /// At most as many as a table's (estimate).
        regions = integer(1, 1_000_000).or("32"),
        /// Puts on this table.
        write_rate = rate(),
        /// Gets on this table.
        read_rate = rate(),
        /// Share of its load on its hottest region. Default: an even share.
        hottest = number("a share, greater than 0 and at most 1", 0.0, 1.0, (false, true)),
    }
}

/// Reads all `[neighbour.x]`.
pub(super) fn read_neighbours(scenario: &Reader<'_>) -> Vec<Neighbour> {
    let readers = scenario.named("neighbour", "neighbour", MOST_NEIGHBOURS, &NEIGHBOUR);
    let read = |(name, reader): (&str, Reader<'_>)| {
        let neighbour = read_neighbour(&reader, name);
        reader.finish();
        neighbour
    };
    readers.into_iter().map(read).collect()
}

fn read_neighbour(reader: &Reader<'_>, name: &str) -> Neighbour {
    let regions: u32 = reader.value("regions");
    let [write_rate, read_rate] = ["write_rate", "read_rate"].map(|key| {
        let rate: Option<PerSecond> = reader.given(key);
        rate.map_or(0.0, |rate| rate.0)
    });
    let has_rate = reader.has("write_rate") || reader.has("read_rate");
    if !has_rate && !reader.misspelt("read_rate") && !reader.misspelt("write_rate") {
        let diagnostic = Diagnostic::error(format!("`[neighbour.{name}]` has no load"))
            .label("expected a `write_rate`, a `read_rate`, or both")
            .help("add `write_rate = \"2k/s\"`");
        reader.complain_of_table(diagnostic);
    }
    let hottest: Option<f64> = reader.given("hottest");
    if let Some(share) = hottest
        && share < 1.0 / f64::from(regions)
    {
        let message = format!("the hottest of {regions} regions takes {share} of the load");
        let label = format!("must be at least 1/{regions}: an even share");
        reader.refuse("hottest", message, label);
    }
    Neighbour {
        name: name.to_owned(),
        regions,
        write_rate,
        read_rate,
        hottest,
    }
}
