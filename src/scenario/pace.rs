//! How fast the closed loops of a strategy can write under its key: clients wait for the one server, log or row that has most to do. Must not know
//! reads.

use super::model::{Presplit, Setup, Strategy};
use crate::cluster::{put_hold, server_buffered_capacity_per_second, server_capacity_per_second};
use crate::key::KeyPlan;
use crate::keyspace::KeyBatch;
use crate::policy::{GrownTable, SplitSizes, quantile_points};
use crate::random::{DrawKey, Seed, Stream, stream};
use crate::record::RecordGenerator;
use crate::storage::RowSize;
use crate::workload::{
    Choice, EXISTING_LANE, ExistingSample, LoadModel, OperationBatch, RunSample, Write, WriteKind,
};
use std::sync::Arc;

/// Operations that show where the rows of a moment go.
const SAMPLE: usize = 1 << 13;

/// Rows of an even spread that a server gets are within so many standard deviations of their mean.
const SPREAD: f64 = 4.0;

/// Limits the closed loops of a strategy. They are as fast as on servers that share their rows evenly where nothing holds them up.
pub(super) fn set_pace(strategy: &mut Strategy, seed: Seed) {
    let setup = &strategy.setup;
    let waits = |write: &Write| matches!(write.load, LoadModel::Closed { .. });
    if !setup.workload.writes.iter().any(waits) {
        return;
    }
    let moment = Moment::of(strategy, seed);
    let writes = setup.workload.writes.iter().enumerate();
    let shares: Vec<Vec<f64>> = writes.clone().map(|(at, _)| moment.shares(at)).collect();
    let limits = writes.map(|(at, write)| match waits(write) {
        true => moment.most_per_sec(at, busiest(&shares[at])),
        false => f64::INFINITY,
    });
    let limits: Vec<f64> = limits.collect();
    let mut workload = setup.workload.clone();
    workload.slow_down(&limits, &shares, &setup.schema);
    if workload != setup.workload {
        Arc::make_mut(&mut strategy.setup).workload = workload;
    }
}

fn busiest(shares: &[f64]) -> f64 {
    shares.iter().copied().fold(0.0, f64::max)
}

/// Operations that follow one another, under a strategy's key.
struct Moment<'a> {
    strategy: &'a Strategy,
    seed: Seed,
    generator: Arc<RecordGenerator>,
    batch: OperationBatch,
    keys: KeyBatch,
    /// Of each table, the server that each operation goes to.
    servers: Vec<Vec<u32>>,
}

impl<'a> Moment<'a> {
    fn of(strategy: &'a Strategy, seed: Seed) -> Self {
        let setup = &*strategy.setup;
        let generator = setup.generator(seed, 0);
        let mut found = Self {
            strategy,
            seed,
            batch: run(setup, &generator, Choice::Together),
            generator,
            keys: KeyBatch::default(),
            servers: Vec::new(),
        };
        found.keys = found.keyed(&strategy.key, &found.batch, 0);
        let tables = strategy.keys().enumerate();
        found.servers = tables
            .map(|(table, key)| found.servers(table, key))
            .collect();
        found
    }

    fn keyed(&self, key: &KeyPlan, batch: &OperationBatch, lane: u32) -> KeyBatch {
        let mut keys = KeyBatch::default();
        let draws = DrawKey::new(self.seed, 0, Stream::Keys, lane);
        let (operations, indices) = (&batch.operations, &batch.indices);
        key.write_batch(&batch.records, operations, indices, draws, &mut keys);
        keys
    }

    /// The server of each operation in a table: split as it was made, and as often as its existing rows have split it since, roughly.
    fn servers(&self, table: usize, key: &KeyPlan) -> Vec<u32> {
        let setup = &*self.strategy.setup;
        let workload = &setup.workload;
        let mut existing = OperationBatch::default();
        let sample = (SAMPLE, Choice::Spread);
        ExistingSample::take(workload, &self.generator, sample, &mut existing);
        let existing = self.keyed(key, &existing, EXISTING_LANE);
        let rows = match existing.is_empty() {
            true => &self.keyed(key, &run(setup, &self.generator, Choice::Spread), 0),
            false => &existing,
        };
        let mut sorted: Vec<&[u8]> = rows.iter().collect();
        sorted.sort_unstable();
        let points = match self.strategy.presplit_of(table) {
            Presplit::Fixed { points, .. } => Arc::clone(points),
            Presplit::Sampled { regions } => Arc::new(quantile_points(&sorted, *regions)),
        };
        let bytes = setup.table.row_size().cells(existing.mean_bytes() as u64);
        let grown = GrownTable {
            sample: &sorted,
            bytes: workload.existing_rows(&setup.schema).saturating_mul(bytes),
            policy: &setup.changes.policies.split_policy,
            sizes: SplitSizes {
                max_file_bytes: setup.table.max_file_size.0,
                flush_bytes: setup.table.memstore_flush_size.0,
            },
            servers: setup.cluster.servers,
            expiry: None,
        };
        let points = grown.starting_points(&points);
        let number = table as u32;
        let servers = setup.table.placement.of_table(number).opening_servers(
            points.len() as u32 + 1,
            &[],
            setup.cluster.servers,
            &mut stream(self.seed, 0, Stream::Placement, number),
        );
        let keys = match table {
            0 => self.keys.clone(),
            _ => self.keyed(key, &self.batch, 0),
        };
        let region = |key: &[u8]| points.partition_point(|point| point.as_bytes() <= key);
        keys.iter().map(|key| servers[region(key)]).collect()
    }

    /// The operations of a write, by their places.
    fn own(&self, write: usize) -> impl Iterator<Item = usize> {
        let writes = self.batch.writes.iter().enumerate();
        writes.filter_map(move |(at, of)| (usize::from(of.0) == write).then_some(at))
    }

    /// How many rows of one operation of a write go to each server, those of copies included; as many to each that gets any where chance explains the rest.
    fn shares(&self, write: usize) -> Vec<f64> {
        let mut rows = vec![0.0; self.strategy.setup.cluster.servers as usize];
        for at in self.own(write) {
            let tables = self.servers.iter();
            tables.for_each(|of| rows[of[at] as usize] += 1.0);
        }
        let busy = rows.iter().filter(|rows| **rows > 0.0).count().max(1);
        let mean = rows.iter().sum::<f64>() / busy as f64;
        let is_even = busiest(&rows) <= mean + SPREAD * mean.sqrt();
        let operations = self.own(write).count().max(1) as f64;
        let share = |rows: f64| match is_even && rows > 0.0 {
            true => mean / operations,
            false => rows / operations,
        };
        rows.into_iter().map(share).collect()
    }

    /// Operations of a write a second at which its busiest server, of which that is the share, has no room for more, or the row that it locks most often.
    fn most_per_sec(&self, at: usize, share: f64) -> f64 {
        let setup = &*self.strategy.setup;
        let (cluster, write) = (&setup.cluster, &setup.workload.writes[at]);
        let capacity = match write.load {
            LoadModel::Closed {
                buffer: Some(_), ..
            } => server_buffered_capacity_per_second(cluster, &setup.table),
            _ => server_capacity_per_second(cluster, &setup.table),
        };
        let log = self.logged(at);
        let bandwidth = cluster.wal.as_ref().map(|wal| wal.bandwidth.0);
        let full = |share: f64, hold: f64| match bandwidth {
            Some(bandwidth) => log.most_per_sec(share, hold, bandwidth),
            None => 1.0 / (share * hold),
        };
        let of_server = (capacity / share).min(full(share, 0.0));
        match write.kind.reads_first() {
            true => of_server.min(full(self.locked_row(at), put_hold(cluster).as_secs_f64())),
            false => of_server,
        }
    }

    /// The share of a write's operations that fall on the row with most of them.
    fn locked_row(&self, write: usize) -> f64 {
        let mut keys: Vec<&[u8]> = self.own(write).map(|at| self.keys.get(at)).collect();
        keys.sort_unstable();
        let most = keys.chunk_by(|a, b| a == b).map(<[_]>::len).max();
        most.unwrap_or(0) as f64 / keys.len().max(1) as f64
    }

    /// What an operation of a write puts into the log.
    fn logged(&self, at: usize) -> Logged {
        let setup = &*self.strategy.setup;
        let (workload, written) = (&setup.workload, &setup.written[at]);
        let family = setup.table.families[written.family].name.len() as u64;
        let cells = written.cells.iter();
        let cells = cells.map(|it| (it.qualifier.len() as u64, it.value.bytes()));
        let size = RowSize::of_cells(family, cells);
        let bytes = size.cells(self.keys.mean_bytes() as u64) as f64;
        if workload.writes[at].kind != WriteKind::Append {
            return Logged { bytes, growth: 0.0 };
        }
        let batch = run(setup, &self.generator, Choice::Spread);
        let keys = self.keyed(&self.strategy.cell_key, &batch, 0);
        let own = (0..keys.len()).filter(|of| usize::from(batch.writes[*of].0) == at);
        let mut own: Vec<&[u8]> = own.map(|at| keys.get(at)).collect();
        own.sort_unstable();
        let pairs = |rows: usize| rows as f64 * rows.saturating_sub(1) as f64;
        let alike: f64 = own.chunk_by(|a, b| a == b).map(|it| pairs(it.len())).sum();
        // What one more append to any cell adds to the mean value that an append finds.
        let added = size.value_bytes() as f64 * alike / pairs(own.len()).max(1.0);
        Logged {
            bytes: bytes + added * workload.existing_rows(&setup.schema) as f64,
            growth: added * workload.duration.as_secs_f64() / 2.0,
        }
    }
}

/// Operations of the run.
fn run(setup: &Setup, generator: &Arc<RecordGenerator>, choice: Choice) -> OperationBatch {
    let mut batch = OperationBatch::default();
    RunSample::take(&setup.workload, generator, (SAMPLE, choice), &mut batch);
    batch
}

/// Bytes of an operation in the log: appended values grow by how many are written.
struct Logged {
    bytes: f64,
    /// More of them for each operation a second.
    growth: f64,
}

impl Logged {
    /// Operations a second of which such a share keeps a log of that bandwidth full, where each holds what is shared for so many seconds besides: x with
    /// share x (hold + (bytes + growth x) / bandwidth) = 1.
    fn most_per_sec(&self, share: f64, hold: f64, bandwidth: f64) -> f64 {
        let fixed = hold + self.bytes / bandwidth;
        let growing = self.growth / bandwidth;
        // The root that is not below zero, in the form that has no 0 / 0.
        2.0 / (share * (fixed + (fixed * fixed + 4.0 * growing / share).sqrt()))
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
