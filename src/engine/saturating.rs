//! The same writes on one saturated server: what a server can do at most.

use super::config::{ClosedLoops, ClusterChanges, SimConfig};
use crate::client::ClientSpec;
use crate::cluster::{ClusterSpec, Placement, TableSpec};
use crate::keyspace::RowKey;
use crate::policy::MemstoreRules;
use crate::storage::Mutation;
use crate::time::{SimDuration, SimTime};
use crate::workload::{LoadModel, Think, Workload, Write, WriteKind};
use std::sync::Arc;

/// Clients for each handler: enough to keep every handler busy.
const CLIENTS_PER_HANDLER: u32 = 10;
/// Calls that the measurement window lasts for, about: the standard error of a throughput over so many exponential service
/// times is 0.7 %, and less where the write-ahead log binds.
const WINDOW_CALLS: f64 = 20_000.0;
/// Rows that the window lasts for at most, unless every handler would work on fewer than [`LEAST_TURNS`] calls: calls of many
/// rows hardly vary.
const WINDOW_ROWS: f64 = 3_000_000.0;
/// Calls that each handler works on in the window, at least.
const LEAST_TURNS: f64 = 20.0;
/// In so many turns the clients start, one after another: about as many as come meanwhile are done. Where all started at once, constant service times
/// would keep all handlers in step for ever, waiting together for a log that is idle while they serve, and calls of users, who come at random, don't find
/// them so.
const START_TURNS: f64 = 10.0;
/// Turns before the window.
const WARMUP_TURNS: f64 = START_TURNS + 5.0;
/// Retries, at least (`hbase.client.retries.number`): a client that gave up at once would ask as often as its round trip lets it, and a server that
/// refuses for seconds would be asked millions of times.
const LEAST_RETRIES: u32 = 15;
/// The unit of their pauses, at least, for the same reason (estimate: 1/100 of `hbase.client.pause`).
const LEAST_PAUSE: SimDuration = SimDuration::from_millis(1);
/// Operations that are drawn for such a run, those that go to other servers included, at most, so that drawing them takes some seconds.
pub const MOST_DRAWN: f64 = 100_000_000.0;
/// Rows of a run that is as long as that of `config`, at most: some minutes of a server, in which a memstore is filled and flushed many times.
const MOST_ROWS: f64 = 20_000_000.0;

/// What the server with most rows of a table has of it.
#[derive(Debug, Clone)]
pub struct BusiestServer {
    /// Of each region, in key order: it is there.
    pub regions: Arc<Vec<bool>>,
    /// Points of the table that cut all of its rows into as many parts as the server has regions with rows, of about the sizes of these.
    pub cuts: Arc<Vec<RowKey>>,
    /// The part of its rows that the greatest of these regions has.
    pub greatest: f64,
}

/// `config` on one server that holds one region, in a closed loop of ten clients for each handler without think time, so that
/// the rows completed per second are `server_capacity_per_sec`.
///
/// Of increments it matters how few rows they lock: calls of the same row wait for each other, and hold their handlers meanwhile. Then the server has the
/// regions of the `busiest` one, and gets its rows alone, each by one of the writes by chance, as many come of each (of a table without copies; of appends it is
/// the bytes of the rows that count, which are means over all of the table).
///
/// Records, keys, rows, write buffers and service times stay; reads and copies don't: a row costs a server the same in each copy. Several
/// writes share the clients in proportion to their operations (each has at least one client). Finite imports go on without end, call queues are unlimited, and who is refused retries and pauses in between.
///
/// The length of the run follows from the length of a call, which is enough where nothing but handlers and the log hold rows up. Where the rows of
/// a run as long as `config`'s would fill a region's memstore until it refuses them, flushes and compactions hold them up as well: then all rows are in
/// as many regions as the `busiest` server has, each of which buffers its own, and warm-up
/// and window are those of `config`, or as long as `MOST_ROWS` take, so that the capacity is what the stores keep up; of imports at a given rate, of which
/// `config` says how long they may take at most, both are shortened to the time by which they are due.
pub fn saturating(config: &SimConfig, busiest: Option<&BusiestServer>) -> SimConfig {
    let workload = &config.workload;
    let schema = config.generator.schema();
    let buffer_of = |write: &Write| match write.load {
        LoadModel::Closed { buffer, .. } => buffer,
        LoadModel::Open { .. } | LoadModel::Periodic(_) => None,
    };
    let key_length = config.key.len_range().0 as u64;
    let row = config.table.row_size();
    let row = row.mutation_heap(Mutation::Put, key_length) as f64;
    let buffers = workload.writes.iter().filter_map(buffer_of);
    let calls = Calls {
        cluster: &config.cluster,
        table: &config.table,
        key_length,
        rows: buffers
            .map(|buffer| buffer.0 as f64 / row)
            .fold(1.0, f64::max),
    };
    let weight = |write: &Write| workload.estimated_operations(write, schema);
    let total: f64 = workload.writes.iter().map(weight).sum();
    let clients = calls.handlers() * f64::from(CLIENTS_PER_HANDLER);
    let writes = workload.writes.iter().map(|write| {
        let share = match total > 0.0 {
            true => weight(write) / total,
            false => 1.0 / workload.writes.len() as f64,
        };
        Write {
            load: LoadModel::Closed {
                clients: ((clients * share).round() as u32).max(1),
                think: Think::Constant(SimDuration::ZERO),
                buffer: buffer_of(write),
                import: None,
            },
            ..write.clone()
        }
    });
    let nanos = |nanos: f64| SimDuration::from_nanos(nanos as u64);
    let run = config.duration.since(SimTime::ZERO);
    let length = workload.imported_by(schema).min(run);
    let greatest = busiest.map_or(1.0, |it| it.greatest);
    let sustained = calls.sustained(length, greatest);
    let drawn = calls.written(length, sustained) * f64::from(config.cluster.servers);
    let is_locked = config.copies.is_empty() && locks_rows(&workload.writes) && drawn <= MOST_DRAWN;
    let (split_points, regions) = match busiest {
        Some(it) if is_locked => (Arc::clone(&config.split_points), Arc::clone(&it.regions)),
        Some(it) if sustained.is_some() => (Arc::clone(&it.cuts), Arc::default()),
        _ => Default::default(),
    };
    let (warmup, window) = match sustained {
        Some(part) => {
            let part = part * (length.as_secs_f64() / run.as_secs_f64());
            let window = config.duration.since(config.warmup);
            let cut = |length: SimDuration| nanos(part * length.as_nanos() as f64);
            (cut(config.warmup.since(SimTime::ZERO)), cut(window))
        }
        None => {
            let turns = |turns: f64| nanos(turns * calls.turn_secs() * 1e9);
            let warmup = turns(WARMUP_TURNS) + SimDuration::from_nanos(1);
            let window = turns(calls.turns()) + SimDuration::from_nanos(1_000);
            (warmup, window)
        }
    };
    SimConfig {
        warmup: SimTime::ZERO + warmup,
        duration: SimTime::ZERO + warmup + window,
        sample: window,
        workload: Arc::new(Workload {
            duration: warmup + window,
            writes: writes.collect(),
            reads: Vec::new(),
            ..(**workload).clone()
        }),
        split_points,
        table: TableSpec {
            placement: Placement::default(),
            ..config.table.clone()
        },
        key_buckets: Arc::default(),
        mapped_table: 0,
        copies: Arc::default(),
        reads: Arc::default(),
        changes: ClusterChanges::default(),
        cluster: ClusterSpec {
            servers: 1,
            call_queue_length: u32::MAX,
            ..config.cluster.clone()
        },
        client: ClientSpec {
            deadline: SimDuration::from_nanos(u64::MAX),
            retries: config.client.retries.max(LEAST_RETRIES),
            pause: config.client.pause.max(LEAST_PAUSE),
            ..config.client.clone()
        },
        closed: ClosedLoops {
            start_within: nanos(START_TURNS * calls.turn_secs() * 1e9),
            regions,
        },
        ..config.clone()
    }
}

/// Some write increments, and all take their rows one by one, of sizes that stay.
pub fn locks_rows(writes: &[Write]) -> bool {
    let buffers = |write: &Write| {
        matches!(
            write.load,
            LoadModel::Closed {
                buffer: Some(_),
                ..
            }
        )
    };
    let is_simple = |write: &Write| !matches!(write.kind, WriteKind::Append) && !buffers(write);
    writes
        .iter()
        .any(|write| write.kind == WriteKind::Increment)
        && writes.iter().all(is_simple)
}

/// Rows that the saturating run of a run of `duration` writes at most, about, where a call has so many `rows` and a key so many bytes.
pub fn saturating_rows(
    cluster: &ClusterSpec,
    table: &TableSpec,
    key_length: u64,
    duration: SimDuration,
    rows: f64,
) -> f64 {
    let calls = Calls {
        cluster,
        table,
        key_length,
        rows,
    };
    calls.written(duration, calls.sustained(duration, 1.0))
}

/// The calls of a saturated server.
struct Calls<'a> {
    cluster: &'a ClusterSpec,
    table: &'a TableSpec,
    /// Bytes of each row's key.
    key_length: u64,
    /// Rows of each call.
    rows: f64,
}

impl Calls<'_> {
    fn handlers(&self) -> f64 {
        f64::from(self.cluster.handlers.max(1))
    }

    /// Calls that each handler works on in the window.
    fn turns(&self) -> f64 {
        (WINDOW_CALLS.min(WINDOW_ROWS / self.rows) / self.handlers()).max(LEAST_TURNS)
    }

    /// Rows in a run of `duration` at the greatest rate.
    fn at_most(&self, duration: SimDuration) -> f64 {
        self.handlers() * self.rows / self.turn_secs() * duration.as_secs_f64()
    }

    /// The part of a run of `duration` in which [`MOST_ROWS`] are written, at most all of it; `None` when rows at the greatest rate, of which a region gets
    /// the `greatest` part, fill neither its memstore up to where it refuses them before the end, nor all those of the server.
    fn sustained(&self, duration: SimDuration, greatest: f64) -> Option<f64> {
        let (rows, table) = (self.at_most(duration), self.table);
        let heap = rows * table.row_size().memstore(self.key_length) as f64;
        let room = table.memstore_flush_size.0 as f64 * f64::from(table.memstore_block_multiplier);
        let of_server = MemstoreRules::for_heap(self.cluster.heap.0).server_bytes as f64;
        (heap > (room / greatest).min(of_server)).then(|| (MOST_ROWS / rows).min(1.0))
    }

    /// Rows that the saturating run of a run of `duration` writes, about, where it lasts for the `sustained` part of it.
    fn written(&self, duration: SimDuration, sustained: Option<f64>) -> f64 {
        match sustained {
            Some(part) => part * self.at_most(duration),
            None => (WARMUP_TURNS + self.turns()) * self.handlers() * self.rows,
        }
    }

    /// How long a handler of a saturated server is held by a call, about: its service, and its wait for the log, at the least until a call of every
    /// handler is written.
    fn turn_secs(&self) -> f64 {
        let (cluster, rows) = (self.cluster, self.rows);
        let (put, row) = (cluster.service.put, cluster.service.write_row);
        let service = put.as_secs_f64() + (rows - 1.0) * row.as_secs_f64();
        let sync = cluster.wal.as_ref().map_or(0.0, |wal| {
            let cells = self.table.row_size().cells(self.key_length) as f64;
            let bytes = f64::from(cluster.handlers) * rows * cells;
            wal.wait().as_secs_f64().max(bytes / wal.bandwidth.0)
        });
        // At least a microsecond a call: no client is faster.
        (service + sync + 2.0 * cluster.network.as_secs_f64()).max(1e-6)
    }
}
