//! Rows of a large table that stand side by side in it: what a codec makes of neighbours is measured on such rows. Must not know cells.
//!
//! Rows drawn from all over a table share less than its neighbours do. Two ways to neighbours are tried. Rows that were written one after another are neighbours
//! where time leads the key, alone or behind few values. Where things lead it, each with its rows in the order of time, the rows of a table of a few
//! consecutive things are. No rows share more with the row before than neighbours do: so the way is taken whose rows share most. Where neither shares
//! more than rows from all over, there is no knowing which rows are neighbours. Behind a hash of the whole record it does not matter: its bytes are chance, and
//! rows that have the leading ones alike lie as near to each other as the table's. Of things with unlike numbers of rows, as by Zipf's law,
//! a few don't stand for all: rows of many are taken, and each gets others of its thing beside it.

use super::Replicate;
use super::key_sample::{KeyedTable, Parts, is_skewed, unit, written_at};
use super::table_cells::SampledWrite;
use crate::key::{Randomness, Row, Segment};
use crate::random::mix;
use crate::record::{FieldId, FieldKind, TextValues};
use crate::scenario::{Setup, Strategy};
use crate::storage::common_prefix;
use crate::time::SimTime;
use crate::workload::{Choice, Condition, RowCounts};
use std::sync::Arc;

/// Sampled writes under keys of other rows.
type Moved<'a> = Vec<(Vec<u8>, SampledWrite<'a>)>;

/// Rows that stand side by side in a table, as far as it is known.
pub(super) struct Neighbours {
    pub parts: Parts,
    /// The table's rows share no more than these but within so many leading bytes: what stands behind is all there.
    pub thinned: usize,
    /// They are from all over it.
    are_spread: bool,
    /// All rows of stretches of time that leads the key: they share what the table's do, and no model of their number tells it better.
    pub are_all: bool,
}

/// About so many writes of rows before the run and of the run: of rows that are neighbours in the table, or from all over it where no such rows are known. Once
/// for all strategies with the same key.
pub(super) fn neighbours(table: &KeyedTable<'_>, writes: [usize; 2]) -> Arc<Neighbours> {
    let asked = (table.written(), writes);
    table.replicate.once(asked, || found(table, writes))
}

fn found(table: &KeyedTable<'_>, [existing, run]: [usize; 2]) -> Neighbours {
    let few = few_things(table, existing as f64).map(|few| {
        let (strategy, replicate) = (&few.strategy, &few.replicate);
        let of_few = KeyedTable {
            strategy,
            replicate,
            ..*table
        };
        let parts = [
            of_few.existing(few.rows, Choice::Spread),
            of_few.run(0, Choice::Spread),
        ];
        (parts, few.thinned)
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
        let mut keys = parts.each_ref().map(|part| part.sorted()).concat();
        if are_both(parts) {
            // Two sorted stretches are merged.
            keys.sort();
        }
        shared_bytes(&keys)
    };
    let mut best = (shared(&together), together, usize::MAX);
    if let Some((few, thinned)) = few {
        let shared = shared(&few);
        if is_surely_more(shared, best.0) {
            best = (shared, few, thinned);
        }
    }
    let (near, parts, thinned) = best;
    match is_surely_more(near, shared(&spread)) {
        true => Neighbours {
            are_all: thinned == usize::MAX && are_of_many_steps(&parts, table),
            parts,
            thinned,
            are_spread: false,
        },
        false => Neighbours {
            parts: spread,
            thinned: usize::MAX,
            are_spread: true,
            are_all: false,
        },
    }
}

/// Steps of time, as the key tells it first, of which all rows are there but for the two at the ends: of so many, these are 3 %.
const MANY_STEPS: usize = 64;

/// Rows that were written one after another, under a key that leads with their time, are of many steps of it.
fn are_of_many_steps(parts: &Parts, table: &KeyedTable<'_>) -> bool {
    let Some(first) = table.key.segments().first().filter(|it| it.follows_time()) else {
        return false;
    };
    let lead = |key: &&[u8]| key.len().min(first.len_range().1);
    parts.iter().filter(|part| part.len() > 0).all(|part| {
        let keys = part.sorted();
        let steps = keys.chunk_by(|a, b| a[..lead(a)] == b[..lead(b)]);
        steps.count() >= MANY_STEPS
    })
}

/// A mean with its variance is greater than another: by chance it is so by four standard errors once in 30,000 tables.
fn is_surely_more((mean, variance): (f64, f64), (other, other_variance): (f64, f64)) -> bool {
    mean - other > 4.0 * (variance + other_variance).sqrt()
}

/// Most rows of one thing that are made: what its first one weighs more is next to nothing among them.
const OF_ONE_THING: f64 = 256.0;

/// For so many rows that are made one is taken: fewer than all but the rarest things have.
const FOR_ONE: usize = 4;

/// Fewest rows that are moved together: where they end, one in so many shares less than it should.
const FOLDED: f64 = 32.0;

impl Neighbours {
    /// These rows, sorted, of a table of so many, as near to each other as its own are, `most` at most of them together: groups of them from all over, all of a group with
    /// the leading bytes of one of its rows. `None` unless they were taken from all over, and chance tells each by the first segment of its key.
    pub fn folded<'a>(
        &self,
        rows: &[SampledWrite<'a>],
        table: &KeyedTable<'_>,
        (in_table, most): (f64, usize),
    ) -> Option<Moved<'a>> {
        let first = table.key.segments().first()?;
        let length = first.len_range().0;
        let is_drawn = |field: &FieldId| {
            let kind = &table.setup().schema.field(*field).kind;
            matches!(
                kind,
                FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. }
            )
        };
        let is_chance =
            first.randomness() != Randomness::Plain || first.fields().iter().all(is_drawn);
        let tells = |pair: &[SampledWrite<'_>]| pair[0].0[..length] != pair[1].0[..length];
        if !self.are_spread || !is_chance || !rows.windows(2).all(tells) {
            return None;
        }
        // So many leading bytes are left to each group.
        let (mut together, mut alike) = (in_table, 0);
        while together > most as f64 && alike < length {
            let mut seen = [false; 256];
            rows.iter()
                .for_each(|row| seen[usize::from(row.0[alike])] = true);
            together /= seen.iter().filter(|it| **it).count().max(1) as f64;
            alike += 1;
        }
        let groups = (rows.len() as f64 / together) as usize;
        if groups == 0 || together < FOLDED {
            return None;
        }
        let mut folded = Vec::new();
        for group in 0..groups {
            let lead = &rows[group * rows.len() / groups].0[..alike];
            let members = rows.iter().skip(group).step_by(groups);
            folded.extend(members.take(together as usize).map(|row| {
                let key = [lead, &row.0[alike..]].concat();
                (key, *row)
            }));
        }
        folded.sort_unstable();
        Some(folded)
    }

    /// About so many rows of a table whose things have unlike numbers of them, each thing's in the order of time; with the leading bytes that tell the things. More rows
    /// were taken of things that have more: each gets others of its thing before and behind, as near in time as all that it has. `None` for other tables.
    pub fn crowded<'a>(
        &self,
        rows: &[SampledWrite<'a>],
        table: &KeyedTable<'_>,
        wanted: usize,
    ) -> Option<(Moved<'a>, usize)> {
        let (key, setup, sample) = (table.key, table.setup(), &self.parts[0]);
        let (schema, workload) = (&setup.schema, &setup.workload);
        let is_time = |it: &FieldId| schema.field(*it).time_unit().is_some();
        let (things, behind) = split_at_time(table);
        let time = *behind.first()?.fields().iter().find(|it| is_time(it))?;
        let nanos = schema.field(time).time_unit()?.nanos() as f64;
        let mut fields: Vec<FieldId> = things.iter().flat_map(|it| it.fields().to_vec()).collect();
        fields.sort_unstable();
        fields.dedup();
        let is_unlike = |it: &FieldId| is_skewed(schema, workload, *it);
        let is_drawn = |it: &Segment| it.randomness() == Randomness::Random;
        if table.strategy.qualifier.is_some()
            || !fields.iter().any(is_unlike)
            || fields.iter().any(|it| schema.field(*it).law.ranked)
            || key.segments().iter().any(is_drawn)
        {
            return None;
        }
        let existing = workload.existing.iter().map(|it| it.rows.last());
        let span_ms = existing.max()?.as_nanos() as f64 / 1e6;
        let first_ms = workload.start.0 as f64 / 1e6 - span_ms;
        let step = (rows.len() * FOR_ONE).div_ceil(wanted.max(1)).max(1);
        let counted = rows.iter().filter(|row| row.2 == 0).step_by(step);
        let counted = counted.map(|row| {
            let record = sample.record(row.3);
            let slots = fields.iter().map(|it| (*it, record[usize::from(it.0)]));
            let slots: Vec<_> = slots.collect();
            let condition = Condition::of(&slots, &[]);
            let population = &table.replicate.stored;
            (population.writes(condition, record, SimTime::ZERO), *row)
        });
        let mut counted: Vec<(f64, SampledWrite<'a>)> = counted.collect();
        counted.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Of the smallest things first; each row that was taken stands for as many.
        let (each, mut due) = (wanted as f64 / counted.len() as f64, 0.0);
        let mut crowded = Vec::with_capacity(wanted);
        for (of_thing, row) in counted {
            let together = of_thing.min(OF_ONE_THING).round();
            due += each;
            if due < together {
                continue;
            }
            due -= together;
            let mut record = sample.record(row.3).to_vec();
            let mut after_ms = 0.0;
            for number in 0..together as u64 {
                // Round from the first instant of the table to its last.
                let at_ms = first_ms + (row.1 as f64 - first_ms - after_ms).rem_euclid(span_ms);
                record[usize::from(time.0)] = (at_ms * 1e6 / nanos) as i64;
                let mut bytes = Vec::new();
                let made = Row {
                    record: &record,
                    ..sample.row(row.3)
                };
                key.write(&made, &mut bytes);
                crowded.push((bytes, (row.0, at_ms as u64, row.2, row.3)));
                let chance = unit(mix(mix(row.3 as u64 + 1) ^ number));
                after_ms -= span_ms / of_thing * libm::log1p(-chance);
            }
        }
        crowded.sort_unstable();
        crowded.dedup_by(|a, b| a.0 == b.0);
        let prefix = things.iter().map(|it| it.len_range().1).sum();
        Some((crowded, prefix))
    }
}

/// The segments of a key that stand in front of time, and the others.
fn split_at_time<'a>(table: &KeyedTable<'a>) -> (&'a [Segment], &'a [Segment]) {
    let is_time = |it: &FieldId| table.setup().schema.field(*it).time_unit().is_some();
    let of_time = |it: &Segment| it.follows_time() || it.fields().iter().any(is_time);
    let segments = table.key.segments();
    segments.split_at(segments.iter().position(of_time).unwrap_or(segments.len()))
}

/// A table with few of its things.
struct FewThings {
    strategy: Strategy,
    replicate: Replicate,
    /// Rows of theirs.
    rows: usize,
    /// Leading bytes in which its rows share less than the table's.
    thinned: usize,
}

/// The table with so few of the things that stand in front of time in its key that about so many of its rows before the run are theirs: consecutive
/// values from the middle. Rows that are drawn stay as many, and each is of one of them: what is to be taken are as many as they have. `None` where no thing can be
/// left out.
fn few_things(table: &KeyedTable<'_>, rows: f64) -> Option<FewThings> {
    let mut setup = table.setup().clone();
    let workload = &table.setup().workload;
    let existing = workload.existing_rows(&setup.schema) as f64;
    let wanted = (rows / existing).min(1.0);
    // What is left to leave out.
    let mut share = wanted;
    let (leading, _) = split_at_time(table);
    let prefix: usize = leading.iter().map(|it| it.len_range().1).sum();
    // How many things their values could tell apart; hashes agree by chance.
    let told: f64 = leading
        .iter()
        .map(|it| match it.randomness() {
            Randomness::Plain => it.space(),
            _ => it.space() / 16.0,
        })
        .product();
    let mut things = 1.0;
    let leading = leading.iter().flat_map(|it| it.fields().to_vec());
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
        things *= count as f64;
    }
    if share <= wanted {
        return None;
    }
    let replicate = Replicate::new(&setup, table.replicate.seed, table.replicate.number);
    let strategy = Strategy {
        setup: Arc::new(setup),
        ..table.strategy.clone()
    };
    Some(FewThings {
        strategy,
        replicate,
        rows: (existing * wanted / share).ceil() as usize,
        thinned: if told >= things { prefix } else { usize::MAX },
    })
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
    shared_within(keys, usize::MAX)
}

/// Of so many bytes at most.
pub(super) fn shared_within(keys: &[&[u8]], most: usize) -> (f64, f64) {
    let (mut n, mut sum, mut squares) = (keys.len().min(1) as f64, 0.0, 0.0);
    for pair in keys.windows(2) {
        let shared = common_prefix(pair[0], pair[1]);
        // Of a row that was written again, one counts.
        if shared < pair[0].len().max(pair[1].len()) {
            let shared = shared.min(most) as f64;
            (n, sum, squares) = (n + 1.0, sum + shared, squares + shared * shared);
        }
    }
    let mean = sum / n.max(1.0);
    let variance = (squares / n.max(1.0) - mean * mean).max(0.0);
    (mean, variance / n.max(1.0))
}
