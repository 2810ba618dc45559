//! What logs let through where writes are of unlike size, or grow: there a server may be full that has few of the rows. What servers hold of beats that come all
//! at once. Must not know hotspots.

use crate::client::attempts;
use crate::cluster::{Neighbour, handler_capacity_per_second, server_capacity_per_second};
use crate::layout::{Replicate, stored_cells};
use crate::random::Seed;
use crate::scenario::{Setup, Strategy};
use crate::storage::RowSize;
use crate::workload::{LoadModel, Phase, Write, WriteKind};

/// Sizes of writes that differ by more are unlike.
const ALIKE: f64 = 1.05;

/// From so much of the log's bandwidth on the saturating run was held up by the log: groups of calls leave it idle for a moment (estimate).
pub(super) const HELD_UP: f64 = 0.85;

/// Neighbours leave at least this part of a log (estimate).
const LEAST_ROOM: f64 = 0.01;

/// What the writes of neighbours take of each log, which they share evenly.
pub(super) fn neighbours_part(strategy: &Strategy) -> f64 {
    let (setup, cluster) = (&strategy.setup, &strategy.setup.cluster);
    let rows: f64 = setup
        .changes
        .neighbours
        .iter()
        .map(|it| it.write_rate)
        .sum();
    let row_bytes = Neighbour::row_size().cells(Neighbour::KEY_BYTES) as f64;
    let of_server = rows * row_bytes / f64::from(cluster.servers);
    let wal = cluster.wal.as_ref();
    wal.map_or(0.0, |wal| of_server / wal.bandwidth.0)
}

/// Rows a second that a server gets done of beats which come all at once; endless without any. It holds a call for each handler and each place in its queues, and refuses the others. What is refused comes again in
/// step, after the same pauses, and finds it empty: so many are done in each attempt that they have until their deadline, and beside the first those that come within the jitter. (Of beats every 10 s, of which
/// calls have 12 attempts, those of 0.98 of that were done; of 1.16 of it 0.4 % failed, of 1.34 of it 4 %: measured.)
pub(super) fn rows_of_beats(strategy: &Strategy) -> f64 {
    let setup = &strategy.setup;
    let (cluster, workload, client) = (&setup.cluster, &setup.workload, &setup.client);
    let rows_of = |write: &Write| workload.estimated_operations(write, &setup.schema);
    let all: f64 = workload.writes.iter().map(rows_of).sum();
    let queued = f64::from(cluster.call_queues) * f64::from(cluster.call_queue_length);
    let held = f64::from(cluster.handlers) + queued;
    let attempts = attempts(client, cluster.network, client.deadline.as_secs_f64());
    let attempts = attempts.min(f64::from(client.retries) + 1.0);
    let of_server = server_capacity_per_second(cluster, &setup.table);
    let of_beats = workload
        .writes
        .iter()
        .filter_map(|write| match &write.load {
            LoadModel::Periodic(beat) if beat.phase == Phase::Aligned => {
                let calls = attempts * held + of_server * beat.jitter.as_secs_f64();
                Some(calls / beat.every.as_secs_f64() * all / rows_of(write))
            }
            _ => None,
        });
    of_beats.fold(f64::INFINITY, f64::min)
}

/// What the writes of a strategy take of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoggedWrites {
    /// Mean bytes of a row.
    bytes: f64,
    /// The part of them that grows as the rate does: what the run appends to values.
    growing: f64,
    /// The write with most of them, by its place.
    pub(super) heaviest: usize,
}

/// What a row of a write puts into the log, but for its key.
fn size_of(setup: &Setup, write: usize) -> RowSize {
    let written = &setup.written[write];
    let family = setup.table.families[written.family].name.len() as u64;
    let is_delete = setup.workload.writes[write].kind == WriteKind::Delete;
    let value = |bytes| if is_delete { 0 } else { bytes };
    let cells = written.cells.iter();
    let cells = cells.map(|it| (it.qualifier.len() as u64, value(it.value.bytes())));
    RowSize::of_cells(family, cells)
}

/// Rows a second, all as large as the first write's, that a log takes beside what `others` take of it; endless where they take nothing.
pub(super) fn rows_beside(strategy: &Strategy, key_bytes: f64, others: f64) -> f64 {
    let setup = &strategy.setup;
    match &setup.cluster.wal {
        Some(wal) if others > 0.0 && !setup.written.is_empty() => {
            let bytes = size_of(setup, 0).cells(key_bytes.round() as u64) as f64;
            (1.0 - others).max(LEAST_ROOM) * wal.bandwidth.0 / bytes
        }
        _ => f64::INFINITY,
    }
}

impl LoggedWrites {
    /// `None` where all rows are as large as each other, and stay so; of imports, whose time is not that of the run; where clients buffer their writes.
    pub(super) fn of(strategy: &Strategy, key_bytes: f64, seed: Seed) -> Option<Self> {
        let (setup, writes) = (&strategy.setup, &strategy.setup.workload.writes);
        let is_simple = |load: &LoadModel| {
            let is_buffered = matches!(
                load,
                LoadModel::Closed {
                    buffer: Some(_),
                    ..
                }
            );
            load.import().is_none() && !is_buffered
        };
        let has_log = setup.cluster.wal.is_some();
        if !has_log || !writes.iter().all(|write| is_simple(&write.load)) {
            return None;
        }
        let appends = writes.iter().any(|it| it.kind == WriteKind::Append);
        let values = appends.then(|| stored_cells(strategy, &Replicate::new(setup, seed, 0)));
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        let (mut all, mut rows, mut grown) = (0.0, 0.0, 0.0);
        let mut heaviest = (0.0, 0);
        for (at, write) in writes.iter().enumerate() {
            let of_kind = setup.workload.estimated_operations(write, &setup.schema);
            let size = size_of(setup, at);
            // An append writes all that its cell holds, of which what rows had before does not grow with the rate of the run.
            let values = values.as_ref().map(|it| it.values[at]);
            let values = values.filter(|_| write.kind == WriteKind::Append);
            let [more, growing] =
                values.map_or([0.0; 2], |it| [it.written() - 1.0, (it.of_run - 1.0) / 2.0]);
            let of_value = size.value_bytes() as f64;
            let bytes = size.cells(key_bytes.round() as u64) as f64 + of_value * more;
            (least, most) = (least.min(bytes), most.max(bytes));
            all += of_kind * bytes;
            if of_kind * bytes > heaviest.0 {
                heaviest = (of_kind * bytes, at);
            }
            rows += of_kind;
            grown += of_kind * of_value * growing;
        }
        let is_unlike = most > ALIKE * least || grown > 0.0;
        (is_unlike && all > 0.0).then_some(Self {
            bytes: all / rows,
            growing: grown / all,
            heaviest: heaviest.1,
        })
    }

    /// Bytes a second of so many rows.
    pub(super) fn bytes_of_all(&self, rows: f64) -> f64 {
        rows * self.bytes
    }

    /// Rows a second of the mean size that a log takes beside what `others` take of it; endless where values grow, which are those of a busy server first.
    pub(super) fn of_even_mix(&self, strategy: &Strategy, others: f64) -> f64 {
        if self.growing > 0.0 {
            return f64::INFINITY;
        }
        let wal = strategy.setup.cluster.wal.as_ref();
        let bandwidth = wal.map_or(f64::INFINITY, |it| it.bandwidth.0);
        (1.0 - others).max(LEAST_ROOM) * bandwidth / self.bytes
    }

    /// Rows a second that a server could write if its log were endless, where the log held up the run that says `capacity`.
    pub(super) fn capacity(&self, strategy: &Strategy, capacity: f64) -> f64 {
        let cluster = &strategy.setup.cluster;
        let log = cluster
            .wal
            .as_ref()
            .map_or(f64::INFINITY, |it| it.bandwidth.0);
        match capacity * self.bytes >= HELD_UP * log {
            true => handler_capacity_per_second(cluster).max(capacity),
            false => capacity,
        }
    }

    /// Writes a second at which the log of the busiest server is full, from so much of its bandwidth as `written` a second took beside `others`, whose writes stay as they are, while it was
    /// asked for most. As values grow with the rate, x times as many writes take x ((1 - g) + g x) as many bytes, g being the part that grows.
    pub(super) fn filling_log(&self, written: f64, utilisation: f64, others: f64) -> f64 {
        if utilisation <= 0.0 {
            return f64::INFINITY;
        }
        let utilisation = utilisation / (1.0 - others).max(LEAST_ROOM);
        let (g, fixed) = (self.growing, 1.0 - self.growing);
        // The root of g x^2 + (1 - g) x = 1 / utilisation that is not below zero, in the form that has no 0 / 0.
        let part = 2.0 / utilisation / (fixed + (fixed * fixed + 4.0 * g / utilisation).sqrt());
        written * part
    }
}
