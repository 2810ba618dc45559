//! Rows of a large table that stand side by side in it: what a codec makes of neighbours is measured on such rows. Must not know cells.
//!
//! Rows drawn from all over a table share less than its neighbours do. Two ways to neighbours are tried. Rows that were written one after another are neighbours
//! where time leads the key, alone or behind few values. Where things lead it, each with its rows in the order of time, the rows of a table of a few
//! consecutive things are. No rows share more with the row before than neighbours do: so the way is taken whose rows share most. Where neither shares
//! more than rows from all over, as behind a hash of the whole record, there is no knowing which rows are neighbours.

use super::Replicate;
use super::key_sample::{KeySample, KeyedTable, is_skewed, written_at};
use super::table_cells::SampledWrite;
use crate::record::{FieldId, FieldKind, TextValues};
use crate::scenario::{Setup, Strategy};
use crate::storage::common_prefix;
use crate::workload::Choice;
use std::sync::Arc;

/// Samples of the rows before the run and of those that it writes.
pub(super) type Parts = [KeySample; 2];

/// About so many writes of rows before the run and of the run: of rows that are neighbours in the table, or from all over it where no such rows are known.
pub(super) fn neighbours(table: &KeyedTable<'_>, [existing, run]: [usize; 2]) -> Parts {
    let few = few_things(table, existing as f64).map(|(strategy, replicate, rows)| {
        let (strategy, replicate) = (&strategy, &replicate);
        let few = KeyedTable {
            strategy,
            replicate,
            ..*table
        };
        [
            few.existing(rows, Choice::Spread),
            few.run(0, Choice::Spread),
        ]
    });
    let together = [
        table.existing(existing, Choice::Together),
        table.run(run, Choice::Together),
    ];
    // As many rows: those that are drawn at random are fewer, and share less.
    let spread = [
        table.existing(existing, Choice::Spread),
        table.run(run, Choice::Spread),
    ];
    let shared = |parts: &Parts| {
        let mut keys = parts.each_ref().map(KeySample::sorted).concat();
        if are_both(parts) {
            // Two sorted stretches are merged.
            keys.sort();
        }
        shared_bytes(&keys)
    };
    let mut best = (shared(&together), together);
    if let Some(few) = few {
        let shared = shared(&few);
        if shared.0 > best.0.0 {
            best = (shared, few);
        }
    }
    let ((near, variance), parts) = best;
    let (far, far_variance) = shared(&spread);
    // By chance they share more by four standard errors once in 30,000 tables.
    match near - far > 4.0 * (variance + far_variance).sqrt() {
        true => parts,
        false => spread,
    }
}

/// The table with so few of the things that stand in front of time in its key that about so many of its rows before the run are theirs, and how many are: consecutive
/// values from the middle. Rows that are drawn stay as many, and each is of one of them: what is to be taken are as many as they have. `None` where no thing can be
/// left out.
fn few_things(table: &KeyedTable<'_>, rows: f64) -> Option<(Strategy, Replicate, usize)> {
    let mut setup = table.setup().clone();
    let workload = &table.setup().workload;
    let existing = workload.existing_rows(&setup.schema) as f64;
    let wanted = (rows / existing).min(1.0);
    // What is left to leave out.
    let mut share = wanted;
    let is_time = |it: &FieldId| table.setup().schema.field(*it).time_unit().is_some();
    let segments = table.key.segments().iter();
    let leading = segments
        .take_while(|it| !it.follows_time() && !it.fields().iter().any(is_time))
        .flat_map(|it| it.fields().to_vec());
    let given = workload.existing.iter().flat_map(|it| &it.with);
    for field in leading {
        let is_given = given.clone().any(|(given, _)| *given == field);
        if is_given || is_skewed(&table.setup().schema, workload, field) {
            continue;
        }
        let it = &mut setup.schema.fields[usize::from(field.0)];
        let Some(count) = it.kind.count().filter(|_| it.of.is_empty()) else {
            continue;
        };
        let few = ((count as f64 * share).ceil() as u64).clamp(1, count);
        let skipped = (count - few) / 2;
        match &mut it.kind {
            FieldKind::Int { first, count } => (*first, *count) = (*first + skipped as i64, few),
            FieldKind::Digits { first, count, .. } => (*first, *count) = (*first + skipped, few),
            FieldKind::Text(TextValues::Generated { count, .. })
            | FieldKind::Domain { count }
            | FieldKind::Uuid { count: Some(count) }
            | FieldKind::Bytes {
                count: Some(count), ..
            } => *count = few,
            _ => continue,
        }
        share *= count as f64 / few as f64;
    }
    if share <= wanted {
        return None;
    }
    let replicate = Replicate::new(&setup, table.replicate.seed, table.replicate.number);
    let strategy = Strategy {
        setup: Arc::new(setup),
        ..table.strategy.clone()
    };
    Some((
        strategy,
        replicate,
        (existing * wanted / share).ceil() as usize,
    ))
}

/// Sampled writes in the order of their keys.
pub(super) fn sorted<'a>(parts: &'a Parts, setup: &Setup) -> Vec<SampledWrite<'a>> {
    let mut all: Vec<SampledWrite<'_>> = Vec::new();
    for (part, sample) in parts.iter().enumerate() {
        let first = all.len();
        let sorted = sample.sorted().into_iter().enumerate();
        all.extend(sorted.map(|(rank, key)| {
            let at = sample.at_rank(rank);
            (key, written_at(sample, at, setup, part == 1), part, at)
        }));
        let of_rows = all[first..].chunk_by_mut(|a, b| a.0 == b.0);
        of_rows.for_each(<[_]>::sort_unstable);
    }
    if are_both(parts) {
        all.sort();
    }
    all
}

/// Each row by its last write.
pub(super) fn rows_of<'a>(writes: &[SampledWrite<'a>]) -> Vec<SampledWrite<'a>> {
    let rows = writes.chunk_by(|a, b| a.0 == b.0);
    rows.filter_map(|writes| writes.last().copied()).collect()
}

fn are_both(parts: &Parts) -> bool {
    parts.iter().all(|part| part.len() > 0)
}

/// Of sorted keys the leading bytes that a row's key shares with that of the one before, on average, and the square of their standard error.
pub(super) fn shared_bytes(keys: &[&[u8]]) -> (f64, f64) {
    let (mut n, mut sum, mut squares) = (keys.len().min(1) as f64, 0.0, 0.0);
    for pair in keys.windows(2) {
        let shared = common_prefix(pair[0], pair[1]);
        // Of a row that was written again, one counts.
        if shared < pair[0].len().max(pair[1].len()) {
            let shared = shared as f64;
            (n, sum, squares) = (n + 1.0, sum + shared, squares + shared * shared);
        }
    }
    let mean = sum / n.max(1.0);
    (
        mean,
        (squares / n.max(1.0) - mean * mean).max(0.0) / n.max(1.0),
    )
}
