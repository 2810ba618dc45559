//! The row of a table that most operations write at a moment, and for how long it is that one. Must not know what a row bears.

use super::HottestRow;
use super::key_sample::{KeySample, KeyedTable};
use crate::record::{FieldId, FieldKind};
use crate::statistics::greatest_rate;
use crate::workload::{Workload, Write};
use std::sync::Arc;

impl KeyedTable<'_> {
    /// The run's operations as if all came at its start: with the times and numbers that they had then, however late each is. Rows that a key
    /// tells apart by these alone are one, so that those of a moment are counted on all operations, and chance adds no more to the
    /// busiest than it does over the run. An import's rows keep theirs, which don't follow its operations.
    pub fn at_one_moment(&self, run: &Arc<KeySample>) -> Arc<KeySample> {
        let setup = self.setup();
        let start = setup.workload.start;
        let moves = |field: &FieldId| match setup.schema.field(*field).kind {
            FieldKind::Timestamp { unit, .. } => Some((usize::from(field.0), Some(unit))),
            FieldKind::Sequence { .. } => Some((usize::from(field.0), None)),
            _ => None,
        };
        let moving: Vec<_> = self.key.fields().iter().filter_map(moves).collect();
        if moving.is_empty() {
            return Arc::clone(run);
        }
        let mut batch = (*run.batch).clone();
        let records = batch.records.chunks_exact_mut(run.width);
        for (at, record) in records.enumerate() {
            let write = &setup.workload.writes[usize::from(batch.writes[at].0)];
            if write.load.import().is_some() {
                continue;
            }
            for (slot, unit) in &moving {
                let passed = unit.map_or(batch.indices[at] as i64, |unit| {
                    unit.floor(start.at(batch.intended[at])) - unit.floor(start)
                });
                record[*slot] = record[*slot].saturating_sub(passed);
            }
        }
        Arc::new(self.keyed(Arc::new(batch), 0))
    }
}

/// The row with most of the operations of the writes that count, of all operations of a run and of the same at one moment. Of equal rows chance gives one
/// most of a sample: its shares are those that they have. O(n log n).
pub(super) fn hottest_row(
    [run, moment]: [&Arc<KeySample>; 2],
    workload: &Workload,
    counts: impl Fn(&Write) -> bool,
) -> HottestRow {
    let writes = &workload.writes;
    let counted: Vec<bool> = writes.iter().map(counts).collect();
    if !counted.contains(&true) {
        return HottestRow::default();
    }
    let counts = |at: &&u32| counted[usize::from(run.batch.writes[**at as usize].0)];
    let hottest = (moment.alike()).max_by_key(|row| row.iter().filter(counts).count());
    let hottest: Vec<u32> = hottest
        .into_iter()
        .flatten()
        .filter(counts)
        .copied()
        .collect();
    let all = run.len().max(1) as f64;
    let (stays, part) = match Arc::ptr_eq(run, moment) {
        true => (f64::INFINITY, 1.0),
        false => stays(run, &hottest, workload.duration.as_secs_f64()),
    };
    let of_row = |row: &[u32]| row.iter().filter(counts).count() as u64;
    let mut each: Vec<u64> = moment.alike().map(of_row).filter(|it| *it > 0).collect();
    each.sort_unstable_by(|a, b| b.cmp(a));
    let part = part * greatest_rate(each) / hottest.len().max(1) as f64;
    let share = hottest.len() as f64 / all * part;
    let row = HottestRow {
        share,
        peak_share: share,
        peak_rate: share,
        stays,
    };
    if !writes.iter().any(|write| write.load.changes_rate()) {
        return row;
    }
    const PARTS: usize = HottestRow::PARTS;
    let twentieth = |at: u32| {
        let passed = run.batch.intended[at as usize].as_nanos() as f64;
        let share = passed / workload.duration.as_nanos() as f64;
        ((share * PARTS as f64) as usize).min(PARTS - 1)
    };
    let [mut own, mut of_all] = [[0u32; PARTS]; 2];
    hottest.into_iter().for_each(|at| own[twentieth(at)] += 1);
    (0..run.len()).for_each(|at| of_all[twentieth(at as u32)] += 1);
    let most = own.into_iter().zip(of_all).max().unwrap_or_default();
    HottestRow {
        peak_share: part * f64::from(most.0) / f64::from(most.1.max(1)),
        peak_rate: part * f64::from(most.0) * PARTS as f64 / all,
        ..row
    }
}

/// Rows that come again and again within a moment so long, in seconds, are written side by side (as for turns of servers), and so are they within as many operations.
const MOMENT: f64 = 0.02;
const OF_A_MOMENT: f64 = 30.0;

/// For how many seconds of the run a row of these operations is the one that they write, and its part of those of a moment: how probable it is that two of them write the same, in the run
/// and in a moment. Pairs tell it without the error of a count of rows, of which a sample misses some, and those that come late make too many; infinite where all
/// write one. Rows that don't come again have a moment of their own, however short. O(n log n) in the operations.
fn stays(run: &KeySample, operations: &[u32], duration: f64) -> (f64, f64) {
    let mut is_own = vec![false; run.len()];
    operations.iter().for_each(|at| is_own[*at as usize] = true);
    let all = operations.len() as f64;
    let moment = MOMENT.max(OF_A_MOMENT / all * duration);
    let seconds = |at: &u32| run.batch.intended[*at as usize].as_secs_f64();
    let pairs = |operations: usize| operations as f64 * operations.saturating_sub(1) as f64;
    let pairs_of_moments = |operations: &[u32]| -> f64 {
        let mut moments: Vec<u64> = operations
            .iter()
            .map(|at| (seconds(at) / moment) as u64)
            .collect();
        moments.sort_unstable();
        moments
            .chunk_by(|a, b| a == b)
            .map(|it| pairs(it.len()))
            .sum()
    };
    let (mut same, mut same_of_moments, mut spans, mut own) = (0.0, 0.0, 0.0, Vec::new());
    for row in run.alike() {
        own.clear();
        own.extend(row.iter().copied().filter(|at| is_own[*at as usize]));
        same += pairs(own.len());
        same_of_moments += pairs_of_moments(&own);
        let ends = own
            .iter()
            .map(seconds)
            .fold((f64::INFINITY, 0.0), |(first, last): (f64, f64), at| {
                (first.min(at), last.max(at))
            });
        spans += own.len() as f64 * (ends.1 - ends.0).max(0.0);
    }
    if same >= pairs(operations.len()) {
        return (f64::INFINITY, 1.0);
    }
    let stays = same / pairs(operations.len()) * duration;
    // One after another they lie about as far apart as they stay.
    let come_again = spans > 2.0 * stays * all;
    let of_moments = pairs_of_moments(operations);
    if !come_again || of_moments <= 0.0 || same_of_moments <= 0.0 {
        return (stays, 1.0);
    }
    let part = same_of_moments / of_moments;
    (stays / part, part)
}
