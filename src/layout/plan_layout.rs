//! Lays a strategy out: its split points, then what each region will get. Must not simulate.

use super::hottest_row::hottest_row;
use super::key_sample::{KeySample, KeyedTable, is_entity, is_skewed};
use super::laid_table::{LaidTable, deciding, existing, presplit};
use super::{
    CopyForecast, EntityShare, HottestRow, KeyBucket, Layout, RegionForecast, Replicate, RunLayout,
    read_forecast,
};
use crate::engine::{PlannedRead, TableCopy};
use crate::keyspace::RowKey;
use crate::policy::quantile_ranks;
use crate::record::FieldId;
use crate::scenario::{Presplit, Strategy};
use crate::workload::{Choice, Import, ImportOrder, Write};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows of the key map that can be told apart: a region each, or, of more regions, as many regions each.
pub const KEY_MAP_ROWS: usize = 64;

/// Buckets of the key map, besides one for each row that has less than its part of them: enough for one a pixel row or two of its picture.
const KEY_BUCKETS: u32 = 240;

/// Part of the keys from which on a region has a row of its own, however many regions there are.
const HOT_SHARE: f64 = 1.0 / 120.0;

/// Rows of a sample that a turn has on average, at least, to be known: keys in any order change their region at almost every row.
const SAMPLED_ROWS_OF_TURN: usize = 4;

/// Segments that a bucket's label shows, outermost first.
const LABEL_SEGMENTS: usize = 3;

impl Layout {
    /// The layout of one strategy in one replicate, from [`Layout::SAMPLE`] operations.
    pub fn of(strategy: &Strategy, replicate: &Replicate) -> Self {
        Self::with_sample(strategy, replicate, (Self::SAMPLE, Self::GETS))
    }

    /// The same from a sample of about `operations` operations, spread over the whole run; hot rows are those of so many Gets. O(n log n) in the sample.
    pub fn with_sample(
        strategy: &Strategy,
        replicate: &Replicate,
        (operations, gets): (usize, usize),
    ) -> Self {
        Self::from_tables(&Self::tables(strategy, replicate, operations), gets)
    }

    /// The tables of a strategy, and beside them the targets of its reads, which the layout asks for next.
    pub(super) fn tables<'a>(
        strategy: &'a Strategy,
        replicate: &'a Replicate,
        operations: usize,
    ) -> Vec<LaidTable<'a>> {
        let tables = KeyedTable::all(strategy, replicate);
        let tables = || tables.map(|table| laid(table, operations)).collect();
        let targets = || read_forecast::prepare(&strategy.setup.workload, replicate);
        rayon::join(tables, targets).0
    }

    /// The split points that the strategy's table and each of its copies are created with, whatever existing rows have made of their regions since.
    pub fn presplit_points(strategy: &Strategy, replicate: &Replicate) -> Vec<Arc<Vec<RowKey>>> {
        let points = KeyedTable::all(strategy, replicate).map(|table| match table.presplit {
            Presplit::Fixed { points, .. } => Arc::clone(points),
            Presplit::Sampled { .. } => {
                let run = || table.run(Self::SAMPLE, Choice::Spread);
                presplit(table.presplit, &existing(&table).unwrap_or_else(run))
            }
        });
        points.collect()
    }

    /// Only what each region will get.
    pub fn regions_of(
        strategy: &Strategy,
        replicate: &Replicate,
        operations: usize,
    ) -> Arc<Vec<RegionForecast>> {
        let table = KeyedTable::of(strategy, replicate);
        let run = || table.run(operations, Choice::Spread);
        let (run, existing) = rayon::join(run, || deciding(&table));
        Arc::clone(LaidTable::of(table, run, existing).regions())
    }

    /// The server on which each region opens, in key order: as [`crate::cluster::Placement`] says for this replicate.
    pub fn opening_servers(
        strategy: &Strategy,
        replicate: &Replicate,
        operations: usize,
    ) -> Vec<u32> {
        let table = KeyedTable::of(strategy, replicate);
        laid(table, operations).opening_servers()
    }

    /// The layout of a strategy whose tables are laid out.
    pub(super) fn from_tables(tables: &[LaidTable<'_>], gets: usize) -> Self {
        let own = &tables[0];
        let LaidTable { table, run, .. } = own;
        let most = |laid: &LaidTable<'_>| {
            let shares = laid.regions().iter().map(|region| region.write_share);
            shares.fold(0.0, f64::max)
        };
        // Of tables with equal ones, the first.
        let hottest = (1..tables.len()).fold(0, |best, at| {
            match most(&tables[at]) > most(&tables[best]) {
                true => at,
                false => best,
            }
        });
        let all: Vec<usize> = (0..run.len()).collect();
        let setup = table.setup();
        let moments = tables
            .iter()
            .map(|laid| laid.table.at_one_moment(&laid.run));
        let moments: Vec<Arc<KeySample>> = moments.collect();
        let row = |table: usize, locks: bool| {
            let counts = |write: &Write| !locks || write.kind.reads_first();
            let samples = [&tables[table].run, &moments[table]];
            hottest_row(samples, &setup.workload, counts)
        };
        let locked = (0..tables.len()).map(|table| row(table, true));
        // A row that soon leaves its place to another is hardly waited for.
        let waited_for = |row: &HottestRow| row.peak_rate * row.stays.min(1.0);
        let most_locked = locked.max_by(|a, b| waited_for(a).total_cmp(&waited_for(b)));
        let reads = read_forecast::of(tables, gets);
        Self {
            run: RunLayout::of_tables(tables, reads.iter().map(|read| read.planned.clone())),
            regions: Arc::clone(own.regions()),
            expired_regions: own.expired,
            key_buckets: key_buckets(own),
            copies: tables[1..].iter().map(copy_forecast).collect(),
            hottest_table: hottest,
            hottest_row: row(hottest, false),
            locked_row: most_locked.unwrap_or_default(),
            rows_in_turn: tables.iter().map(rows_in_turn).collect(),
            entities: entities(table.strategy, run, &all, (1, usize::MAX), |field| {
                is_skewed(&setup.schema, &setup.workload, field)
            }),
            hot_value: hot_value(&tables[hottest]),
            key_bytes: match &own.existing {
                Some(rows) if run.len() == 0 => rows.sample.mean_bytes(),
                _ => run.mean_key_bytes(),
            },
            existing_rows: setup.workload.existing_rows(&setup.schema),
            sampled_operations: run.len() as u64,
            reads,
            lints: tables.iter().flat_map(LaidTable::lints).collect(),
        }
    }
}

/// A table laid out, both of its samples at a time.
fn laid(table: KeyedTable<'_>, operations: usize) -> LaidTable<'_> {
    let run = || table.run(operations, Choice::Spread);
    let (run, existing) = rayon::join(run, || existing(&table));
    LaidTable::of(table, run, existing)
}

/// Rows between two regions in the order of an import that is sorted by a field: the sample of it has that order. Where regions change at every few of its rows, it is
/// too coarse to tell.
fn rows_in_turn(laid: &LaidTable<'_>) -> f64 {
    let setup = laid.table.setup();
    let import = match &setup.workload.writes[..] {
        [only] => only.load.import(),
        _ => None,
    };
    let is_sorted = |it: &&Import| matches!(it.order, ImportOrder::By(_));
    let Some(import) = import.filter(is_sorted) else {
        return 0.0;
    };
    let points = &laid.points;
    let region = |key: &[u8]| points.partition_point(|point| point.as_bytes() <= key);
    let regions: Vec<usize> = laid.run.keys.iter().map(region).collect();
    let turns = regions.chunk_by(|a, b| a == b).count();
    match turns * SAMPLED_ROWS_OF_TURN <= regions.len() {
        true => import.rows.len(&setup.schema) as f64 / turns.max(1) as f64,
        false => 0.0,
    }
}

fn copy_forecast(laid: &LaidTable<'_>) -> CopyForecast {
    CopyForecast {
        regions: Arc::clone(laid.regions()),
        key_buckets: key_buckets(laid),
    }
}

/// Buckets that begin where the rows of the picture do, each row divided by its own keys in proportion to its part of them. Beyond sorting the
/// sample, O(log regions + log sample) a row.
fn key_buckets(laid: &LaidTable<'_>) -> Vec<KeyBucket> {
    let LaidTable { table, run, .. } = laid;
    // A run that writes nothing is looked at by the rows that it reads.
    let existing = || table.existing_cells(Layout::SAMPLE);
    let existing = (run.len() == 0).then(existing);
    let (plan, sample) = (table.key, existing.as_ref().unwrap_or(run));
    let sorted = sample.sorted();
    let (points, least) = (&laid.points, RowKey::default());
    let start_of = |region: usize| region.checked_sub(1).map_or(&least, |at| &points[at]);
    let count = points.len() + 1;
    let rank_of = |region: usize| match region < count {
        true => sorted.partition_point(|key| *key < start_of(region).as_bytes()),
        false => sorted.len(),
    };
    // A region with much of the load has a row of its own in any case: one of its keys is among these.
    let much = (HOT_SHARE * sorted.len() as f64).ceil().max(1.0) as usize;
    let region_of = |key: &&[u8]| points.partition_point(|point| point.as_bytes() <= *key);
    let hot = sorted.iter().step_by(much).map(region_of);
    let hot = hot.filter(|at| rank_of(at + 1) - rank_of(*at) >= much);
    let rows = (0..count).step_by(count.div_ceil(KEY_MAP_ROWS));
    let rows: BTreeSet<usize> = rows.chain(hot.flat_map(|at| [at, at + 1])).collect();
    let rows: Vec<usize> = rows.into_iter().take_while(|at| *at < count).collect();
    let ranks = rows.iter().map(|at| rank_of(*at)).chain([sorted.len()]);
    let ranks: Vec<usize> = ranks.collect();
    let mut buckets = Vec::new();
    for (row, ends) in rows.into_iter().zip(ranks.windows(2)) {
        let (row, keys) = (start_of(row), &sorted[ends[0]..ends[1]]);
        let part = f64::from(KEY_BUCKETS) * keys.len() as f64 / sorted.len().max(1) as f64;
        let mut inside = quantile_ranks(keys, part.round() as u32);
        // No quantile divides a single key: without a bucket of its own a table of one row would have no picture.
        let single = sorted.first() == sorted.last() && keys.first() > Some(&row.as_bytes());
        if single {
            inside.push(0);
        }
        let first = (row.clone(), keys.first().map(|_| ends[0]));
        let further = inside
            .into_iter()
            .map(|rank| (RowKey::from(keys[rank]), Some(ends[0] + rank)));
        buckets.extend([first].into_iter().chain(further).map(|(start, rank)| {
            let segments = rank.map(|rank| plan.describe(&sample.row(sample.at_rank(rank))).1);
            // Constants label nothing: they are the same everywhere.
            let labels = plan.segments().iter().zip(segments.into_iter().flatten());
            let labels = labels.filter(|(segment, _)| segment.constant().is_none());
            let labels = labels.map(|(_, text)| text.meaning);
            let labels = labels.take(LABEL_SEGMENTS).collect();
            KeyBucket { start, labels }
        }));
    }
    buckets
}

/// The `top` hottest values of each of the key's fields that can be hot and are asked for, among the operations at these positions; of all
/// of them the `most` hottest, hottest first.
pub(super) fn entities(
    strategy: &Strategy,
    sample: &KeySample,
    positions: &[usize],
    (top, most): (usize, usize),
    is_asked: impl Fn(FieldId) -> bool,
) -> Vec<EntityShare> {
    let schema = &strategy.setup.schema;
    let fields = strategy.key.fields().into_iter();
    let fields = fields.filter(|&field| is_entity(schema, field) && is_asked(field));
    let hottest = fields.flat_map(|field| sample.hottest_values(schema, field, positions, top));
    let mut entities: Vec<EntityShare> = hottest.collect();
    entities.sort_by(|a, b| b.share.total_cmp(&a.share));
    entities.truncate(most);
    entities
}

/// A value explains a hot region when it has at least this part of its writes.
const EXPLAINS: f64 = 0.5;

/// ... and this many times the share there that it has elsewhere: a value that is as frequent in all regions heats none.
const GATHERS: f64 = 1.5;

/// The value that most of the writes of the hottest region have, and few others; its share is that of all writes. Together with those of further fields of which
/// the same holds, where they leave fewer of its rows elsewhere: they stand behind it.
fn hot_value(laid: &LaidTable<'_>) -> Option<EntityShare> {
    let (run, regions) = (&laid.run, laid.regions());
    let schema = &laid.table.setup().schema;
    let share = |&at: &usize| regions[at].write_share;
    let hottest = (0..regions.len()).max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let inside = laid.positions_in(&laid.range(hottest)?);
    let segments = laid.table.key.segments().iter();
    let fields = segments.flat_map(|segment| segment.fields()).copied();
    let values = fields.filter(|&field| is_entity(schema, field));
    let values = values.filter_map(|field| {
        let (slot, count) = most_frequent(inside.iter().map(|&at| run.slot(field, at)))?;
        let here = count as f64 / inside.len() as f64;
        if here < EXPLAINS {
            return None;
        }
        let all = (0..run.len()).filter(|&at| run.slot(field, at) == slot);
        let all = all.count();
        // Not a number where all rows are here: nothing tells then what makes the region hot.
        let elsewhere = (all - count) as f64 / (run.len() - inside.len()) as f64;
        (here >= GATHERS * elsewhere).then_some((field, slot))
    });
    let (mut rows, mut here) = ((0..run.len()).collect::<Vec<usize>>(), inside.clone());
    let mut found: Option<EntityShare> = None;
    for (field, slot) in values {
        let [all, left] = [&rows, &here].map(|rows| -> Vec<usize> {
            let rows = rows.iter().copied();
            rows.filter(|&at| run.slot(field, at) == slot).collect()
        });
        // Of the rows here a greater part stays than of all.
        let [part, of_all] =
            [(&left, &here), (&all, &rows)].map(|(a, b)| a.len() as f64 / b.len() as f64);
        let explains = left.len() as f64 >= EXPLAINS * inside.len() as f64;
        if found.is_some() && !(explains && part >= GATHERS * of_all) {
            continue;
        }
        let (name, value) = (&schema.field(field).name, schema.display(field, slot));
        let (field, value) = match found {
            None => (name.clone(), value),
            Some(first) => (first.field, format!("{}, {name} {value}", first.value)),
        };
        let share = all.len() as f64 / run.len() as f64;
        found = Some(EntityShare {
            field,
            value,
            share,
        });
        (rows, here) = (all, left);
    }
    found
}

/// Of numbers of which one comes in a half or more of all, that one and how often it comes, of two such the lesser; of others, any of them. O(n):
/// what three different ones are struck out of, again and again, leaves at most two, and all that are more than a third (Misra and Gries).
fn most_frequent(slots: impl Iterator<Item = i64> + Clone) -> Option<(i64, usize)> {
    let mut left = [(0, 0usize); 2];
    for slot in slots.clone() {
        let own = left.iter().position(|it| *it == (slot, it.1) && it.1 > 0);
        match own.or_else(|| left.iter().position(|it| it.1 == 0)) {
            Some(at) => left[at] = (slot, left[at].1 + 1),
            None => left.iter_mut().for_each(|it| it.1 -= 1),
        }
    }
    let left = left.into_iter().filter(|it| it.1 > 0);
    let counted = left.map(|(slot, _)| (slot, slots.clone().filter(|it| *it == slot).count()));
    counted.max_by_key(|(slot, count)| (*count, std::cmp::Reverse(*slot)))
}

impl RunLayout {
    /// Of a replicate: its own split points and rows, and the access paths of the `first` one. Two paths that cost about the same would
    /// else be taken in different replicates, and their mean would be no path's.
    pub fn of(strategy: &Strategy, replicate: &Replicate, first: &Layout) -> Self {
        let writes_only = strategy.copies.is_empty() && first.reads.is_empty();
        let plain = writes_only && first.existing_rows == 0;
        if plain && let Presplit::Fixed { points, .. } = &strategy.presplit {
            return Self {
                split_points: points.clone(),
                ..Self::default()
            };
        }
        let tables = LaidTable::all(strategy, replicate, Layout::SAMPLE);
        let reads = first.reads.iter().map(|read| PlannedRead {
            row_sample: Arc::clone(tables[read.planned.table].rows()),
            ..read.planned.clone()
        });
        Self::of_tables(&tables, reads)
    }

    fn of_tables(tables: &[LaidTable<'_>], reads: impl Iterator<Item = PlannedRead>) -> Self {
        let copies = tables[1..].iter().map(|laid| TableCopy {
            key: Arc::clone(laid.table.key),
            split_points: Arc::clone(&laid.points),
        });
        let existing = tables.iter().filter_map(|laid| laid.existing.clone());
        Self {
            split_points: Arc::clone(&tables[0].points),
            copies: Arc::new(copies.collect()),
            reads: Arc::new(reads.collect()),
            existing: Arc::new(existing.collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::most_frequent;

    #[test]
    fn a_value_that_half_of_all_have_is_found_and_of_two_such_the_lesser() {
        let found = |slots: &[i64]| most_frequent(slots.iter().copied());
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[7]), Some((7, 1)));
        assert_eq!(found(&[9, 4, 9, 4]), Some((4, 2)));
        // Wherever the half lies among others, all different.
        for start in 0..=20 {
            let slots = (0..40).map(|at| match (start..start + 20).contains(&at) {
                true => -1,
                false => at,
            });
            assert_eq!(most_frequent(slots), Some((-1, 20)), "from {start} on");
        }
    }
}
