//! How far timestamps and sequences can go in a run: what interval analysis of key expressions relies on.

use super::model::{Setup, VariedLoad};
use crate::cluster::TableSpec;
use crate::record::{FieldId, FieldKind};
use crate::time::{EpochNanos, SimDuration, SimTime};
use crate::workload::{ImportRows, LoadModel, PickDistribution, Workload, Write};

/// Operations are numbered with 56 bits.
const MOST: f64 = ((1u64 << 56) - 1) as f64;

/// Sets the schema's `time_range` and `sequence_span` to bounds that no record of the setup exceeds; a row has at least so many bytes.
pub(super) fn set_bounds(setup: &mut Setup, least_row: f64) {
    setup.schema.time_range = time_range(setup);
    setup.schema.sequence_span = sequence_span(setup, least_row);
}

fn time_range(setup: &Setup) -> (EpochNanos, EpochNanos) {
    let workload = &setup.workload;
    let (writes, existing) = (&workload.writes, &workload.existing);
    let imports = writes.iter().filter_map(|write| write.load.import());
    let imported = imports.map(|import| import.rows.last());
    let existing = existing.iter().map(|it| it.rows.last());
    let oldest = imported.chain(existing).chain(picked(workload)).max();
    let fields = setup.schema.fields.iter();
    let late = fields.filter_map(|field| match &field.kind {
        FieldKind::Timestamp { late, .. } => Some(late.as_ref()?.up_to),
        _ => None,
    });
    let jitter = writes.iter().filter_map(|write| match &write.load {
        LoadModel::Periodic(periodic) => Some(periodic.jitter),
        _ => None,
    });
    let before = oldest.unwrap_or_default() + late.max().unwrap_or_default();
    let end = SimTime::ZERO + workload.duration + jitter.max().unwrap_or_default();
    (workload.start.before(before), workload.start.at(end))
}

/// How far before the run targets of reads are picked.
fn picked(workload: &Workload) -> impl Iterator<Item = SimDuration> {
    let picks = workload.reads.iter().flat_map(|read| &read.pick);
    picks.filter_map(|(_, law)| match law {
        PickDistribution::Last(last) => Some(*last),
        PickDistribution::Distribution(_) | PickDistribution::Latest { .. } => None,
    })
}

fn sequence_span(setup: &Setup, least_row: f64) -> u64 {
    let existing = setup.workload.existing.iter();
    let existing: f64 = existing.map(|it| rows_of(setup, &it.rows)).sum();
    let written = setup.workload.writes.iter().enumerate();
    let written = written.map(|(at, write)| most_operations(setup, least_row, at, write));
    (existing + written.fold(0.0, f64::max)).min(MOST) as u64
}

fn combinations(setup: &Setup, each: &[FieldId]) -> f64 {
    let counts = each.iter().map(|id| setup.schema.field(*id).kind.count());
    counts.map(|count| count.unwrap_or(1) as f64).product()
}

fn rows_of(setup: &Setup, rows: &ImportRows) -> f64 {
    match rows {
        ImportRows::Drawn { records, .. } => *records as f64,
        ImportRows::Each { each, every, last } => {
            let times = every.map_or(1.0, |every| {
                (last.as_secs_f64() / every.as_secs_f64()).ceil() + 1.0
            });
            combinations(setup, each) * times
        }
    }
}

fn most_operations(setup: &Setup, row: f64, at: usize, write: &Write) -> f64 {
    if let Some(import) = write.load.import() {
        return rows_of(setup, &import.rows);
    }
    let seconds = setup.workload.duration.as_secs_f64();
    match &write.load {
        LoadModel::Open { rate, profile, .. } => {
            let times = profile.iter().map(|point| point.times).reduce(f64::max);
            let knee = setup.knee.as_ref();
            let varied = knee.filter(|knee| knee.load == VariedLoad::Write(at));
            let rate = rate.0.max(varied.map_or(0.0, |knee| knee.to.0));
            let mean = rate * seconds * times.unwrap_or(1.0);
            // A Poisson count exceeds twice its mean plus a thousand with a probability below 1e-100.
            2.0 * mean + 1_000.0
        }
        LoadModel::Periodic(periodic) => {
            combinations(setup, &periodic.each)
                * ((seconds / periodic.every.as_secs_f64()).ceil() + 1.0)
        }
        LoadModel::Closed {
            clients, buffer, ..
        } => {
            let clients = f64::from(*clients);
            let buffered = buffer.map_or(1.0, |buffer| buffer.0 as f64 / row + 1.0);
            // A client can't go faster than its round trip (a microsecond at least), ...
            let trip = (2.0 * setup.cluster.network.as_secs_f64()).max(1e-6);
            let by_clients = clients * buffered * (seconds / trip + 1.0);
            // ... nor all of them together faster than the servers' logs.
            let by_logs = setup.cluster.wal.as_ref().map_or(f64::INFINITY, |wal| {
                let bytes = f64::from(setup.cluster.servers) * wal.bandwidth.0 * seconds;
                bytes / row + clients * buffered
            });
            by_clients.min(by_logs)
        }
    }
}

/// A row has a cell for each qualifier; a KeyValue takes 20 bytes besides row, family, qualifier and value (HBase's layout).
pub(super) fn least_row_bytes(table: &TableSpec) -> f64 {
    let fixed = 20 + table.family.len() as u64 + table.value.0;
    let cells = table.qualifiers.iter();
    let cells = cells.map(|name| fixed + name.len() as u64);
    cells.sum::<u64>().max(1) as f64
}
