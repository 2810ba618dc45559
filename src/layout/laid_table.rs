//! A strategy's table, or one of its copies, laid out: its pre-split, what the rows that exist have made of it since, and what each region
//! will get. Must not know reads.

use super::family_size::{Encodings, FamilySize, kept_for};
use super::key_sample::{KeySample, KeyedTable, written_at};
use super::row_growth::RowGrowth;
use super::table_size::{SIZED_ROWS, TableSample, TableSize};
use super::{Layout, RegionForecast, Replicate};
use crate::cluster::{Family, Placement};
use crate::engine::{ExistingRows, split_sizes};
use crate::keyspace::{KeyBatch, KeyRange, RowKey};
use crate::policy::{Expiry, GrownTable, Growth, LONGEST_MAJOR_PERIOD, quantile_points};
use crate::random::{Stream, stream};
use crate::scenario::{Presplit, Strategy};
use crate::time::SimDuration;
use crate::workload::Choice;
use rayon::prelude::*;
use std::cell::OnceCell;
use std::sync::Arc;

/// Sampled rows for each region that is cut from them: its share is then exact to 5 % (one standard error, 1 / sqrt(400)).
const ROWS_PER_REGION: usize = 400;

/// Most rows that are sampled for split points.
const MOST_ROWS: usize = 4_000_000;

/// Regions that are looked at by one processor at a time: a millisecond.
const REGIONS_AT_A_TIME: usize = 1 << 14;

/// Rows that show how a table's rows lie over its regions.
const SPREAD_ROWS: usize = 1 << 16;

const NANOS_PER_MS: i64 = 1_000_000;

/// A table with its regions at the start of a run.
pub(super) struct LaidTable<'a> {
    pub table: KeyedTable<'a>,
    /// The run's operations under its key.
    pub run: Arc<KeySample>,
    /// Where its regions meet: split points of the pre-split, and those at which existing rows have split it since.
    pub points: Arc<Vec<RowKey>>,
    /// Regions of the pre-split.
    pub presplit: usize,
    /// The rows that exist; `None` without any.
    pub existing: Option<ExistingRows>,
    /// Regions all of whose rows have expired.
    pub expired: usize,
    regions: OnceCell<Arc<Vec<RegionForecast>>>,
    written: OnceCell<Vec<f64>>,
    rows: OnceCell<Arc<KeyBatch>>,
    borders: OnceCell<Vec<usize>>,
}

impl<'a> LaidTable<'a> {
    /// All tables of a strategy over a sample of about `operations` operations of the run: its own first.
    pub fn all(strategy: &'a Strategy, replicate: &'a Replicate, operations: usize) -> Vec<Self> {
        KeyedTable::all(strategy, replicate)
            .map(|table| {
                Self::of(
                    table,
                    table.run(operations, Choice::Spread),
                    existing(&table),
                )
            })
            .collect()
    }

    /// Existing rows, of which there is a sample, split every region over its threshold, as the split policy says.
    pub fn of(
        table: KeyedTable<'a>,
        run: Arc<KeySample>,
        existing: Option<Arc<KeySample>>,
    ) -> Self {
        let points = presplit(table.presplit, existing.as_ref().unwrap_or(&run));
        let laid = Self {
            table,
            run,
            presplit: points.len() + 1,
            points,
            existing: None,
            expired: 0,
            regions: OnceCell::new(),
            written: OnceCell::new(),
            rows: OnceCell::new(),
            borders: OnceCell::new(),
        };
        match existing {
            Some(sample) => laid.with_rows(&sample),
            None => laid,
        }
    }

    fn with_rows(self, sample: &KeySample) -> Self {
        let setup = self.table.setup();
        let size = size_of_existing(&self.table);
        let bytes = size.chosen.table_bytes as u64;
        let written = match self.table.strategy.qualifier {
            Some(_) => size.cells(),
            None => size.existing_rows,
        };
        let sorted = sample.sorted();
        let ttl = setup.table.row_ttl();
        let (kept, written_ms) = (ttl.map(kept_for), self.written_ms(sample));
        let oldest = kept.map_or(0, |kept| setup.workload.start.before(kept).0 / NANOS_PER_MS);
        // In key order, those whose cells have not all expired by the last major compaction.
        let is_live = |rank: &usize| written_ms.get(*rank).is_none_or(|ms| *ms as i64 >= oldest);
        let live: Vec<usize> = (0..sorted.len()).filter(is_live).collect();
        let ever = sorted.len() as f64 / live.len().max(1) as f64;
        let grown = GrownTable {
            sample: &sorted,
            bytes: (bytes as f64 * ever) as u64,
            policy: &setup.changes.policies.split_policy,
            sizes: split_sizes(&setup.table),
            servers: setup.cluster.servers,
            expiry: kept.map(|kept| Expiry {
                written_ms: &written_ms,
                kept_ms: kept.as_nanos() / NANOS_PER_MS as u64,
            }),
        };
        let growth = match setup.table.placement {
            Placement::Grown => grown.growth(&self.points, &sample.order_written()),
            _ => Growth {
                points: grown.starting_points(&self.points),
                split_off: Vec::new(),
            },
        };
        // Sizes are those of stores of a middling age. The run cuts each store by its own: it gets all that any of them may still hold.
        let since = |kept: SimDuration| setup.workload.start.before(kept).0 / NANOS_PER_MS;
        let in_store = |kept: Option<SimDuration>| {
            let oldest = kept.map_or(0, since);
            let rows = written_ms.iter().filter(|ms| **ms as i64 >= oldest);
            (rows.count() as f64).max(1.0)
        };
        let most_ms = ttl.map_or(0, |ttl| since(ttl + LONGEST_MAJOR_PERIOD));
        let is_held = |rank: &usize| written_ms.get(*rank).is_none_or(|ms| *ms as i64 >= most_ms);
        let held: Vec<usize> = (0..sorted.len()).filter(is_held).collect();
        let more = held.len() as f64 / live.len().max(1) as f64;
        let nanos = |rank: &usize| written_ms.get(*rank).map(|ms| *ms as i64 * NANOS_PER_MS);
        let written_ns = held.iter().filter_map(nanos);
        let written_ns = written_ns.map(|ns| (ns - setup.workload.start.0).min(0));
        let keys: Vec<&[u8]> = held.iter().map(|&rank| sorted[rank]).collect();
        Self {
            expired: expired_regions(&growth.points, &sorted, &live),
            existing: Some(ExistingRows {
                rows: (written * more).round() as u64,
                bytes: (bytes as f64 * more).round() as u64,
                family_shares: match &size.families[..] {
                    [_] => Vec::new(),
                    all => {
                        let families = all.iter().zip(&setup.table.families);
                        let share = |(it, family): (&FamilySize, &Family)| {
                            let share = it.chosen().table_bytes / size.chosen.table_bytes.max(1.0);
                            // Of rows as old as any family keeps them this one has as many more than its size says.
                            share * in_store(kept) / in_store(family.spec.ttl.map(kept_for))
                        };
                        families.map(share).collect()
                    }
                },
                sample: Arc::new(KeyBatch::of(&keys)),
                written_ns: Arc::new(written_ns.collect()),
                split_off: Arc::new(growth.split_off),
            }),
            points: Arc::new(growth.points),
            ..self
        }
    }

    /// When sampled rows were written, in key order; none where no family forgets them.
    fn written_ms(&self, sample: &KeySample) -> Vec<u64> {
        let setup = self.table.setup();
        let mut families = setup.table.families.iter();
        let forgets = families.any(|family| family.spec.ttl.is_some());
        let ranks = (0..sample.len()).filter(|_| forgets);
        let millis = |rank| written_at(sample, sample.at_rank(rank), setup, false);
        ranks.map(millis).collect()
    }

    /// The server of each region in key order, as the engine opens them.
    pub fn opening_servers(&self) -> Vec<u32> {
        let (number, replicate) = (self.table.number, self.table.replicate);
        let (setup, existing) = (self.table.setup(), self.existing.as_ref());
        setup.table.placement.of_table(number).opening_servers(
            self.points.len() as u32 + 1,
            existing.map_or(&[][..], |rows| &rows.split_off),
            setup.cluster.servers,
            &mut stream(replicate.seed, replicate.number, Stream::Placement, number),
        )
    }

    /// The keys of a region; `None` when there is none of that number.
    pub fn range(&self, region: usize) -> Option<KeyRange> {
        let start = match region {
            0 => RowKey::default(),
            _ => self.points.get(region - 1)?.clone(),
        };
        let end = self.points.get(region).cloned().unwrap_or_default();
        Some(KeyRange { start, end })
    }

    /// The sampled operations whose keys lie in a range, by position in the sample, in key order.
    pub fn positions_in(&self, range: &KeyRange) -> Vec<usize> {
        let ranks = self.run.ranks_in(range);
        ranks.map(|rank| self.run.at_rank(rank)).collect()
    }

    /// The region that a key lies in. O(log regions).
    pub fn region_of(&self, key: &[u8]) -> u32 {
        region_of(&self.points, key)
    }

    /// What each region will get.
    pub fn regions(&self) -> &Arc<Vec<RegionForecast>> {
        self.regions.get_or_init(|| {
            let (points, key, sorted) = (&self.points[..], self.table.key, self.run.sorted());
            let (mut own, mut region, mut keys) = (vec![0u32; points.len() + 1], 0, &sorted[..]);
            while let Some(first) = keys.first() {
                region += leading(&points[region..], |it| it.as_bytes() <= *first);
                let is_here =
                    |it: &&[u8]| points.get(region).is_none_or(|end| *it < end.as_bytes());
                let (here, others) = keys.split_at(leading(keys, is_here));
                own[region] = here.len() as u32;
                keys = others;
            }
            let end = |region: usize| points.get(region).map_or(&[][..], RowKey::as_bytes);
            let start = |region: usize| region.checked_sub(1).map_or(&[][..], end);
            let forecast = |(region, own): (usize, &u32)| RegionForecast {
                write_share: f64::from(*own) / sorted.len().max(1) as f64,
                unreachable: *own == 0 && !key.may_reach(start(region), end(region)),
            };
            let regions = own.par_iter().enumerate().with_min_len(REGIONS_AT_A_TIME);
            Arc::new(regions.map(forecast).collect())
        })
    }

    /// The share of the run's writes that the first i regions get, for each i.
    pub fn written(&self) -> &[f64] {
        self.written.get_or_init(|| {
            let mut written = Vec::with_capacity(self.regions().len() + 1);
            written.push(0.0);
            written.extend(self.regions().iter().scan(0.0, |sum, region| {
                *sum += region.write_share;
                Some(*sum)
            }));
            written
        })
    }

    /// Sorted keys of rows of the table as it is in the middle of the run, each standing for as many.
    pub fn rows(&self) -> &Arc<KeyBatch> {
        self.rows.get_or_init(|| {
            let KeyedTable { cell_key, .. } = self.table;
            let setup = self.table.setup();
            let growth = RowGrowth::roughly(cell_key, setup, self.table.replicate);
            // Half of what the run writes is there, on average.
            let written = setup.workload.estimated_writes(&setup.schema) / 2.0;
            let existing = growth.rows(0.0);
            let parts = [existing, growth.rows(written) - existing];
            let held = self.existing.as_ref().map(|it| &*it.sample);
            let batches = [held, Some(&*self.run.keys)];
            let total = parts.iter().sum::<f64>().max(1.0);
            let wanted = parts.map(|part| SPREAD_ROWS as f64 * part / total);
            // Fewer of either where a small sample has not as many of one.
            let len = |batch: Option<&KeyBatch>| batch.map_or(0, KeyBatch::len);
            let parts = batches.into_iter().zip(wanted);
            let fits = parts.clone().filter(|(_, wanted)| *wanted > 0.0);
            let fits = fits.map(|(batch, wanted)| len(batch) as f64 / wanted);
            let fits = fits.fold(1.0, f64::min);
            let mut keys = Vec::new();
            for (batch, wanted) in parts {
                let (all, taken) = (len(batch), (wanted * fits) as usize);
                let spread = (0..taken).map(|nth| nth * all / taken);
                keys.extend(
                    batch
                        .iter()
                        .flat_map(|it| spread.clone().map(|at| it.get(at))),
                );
            }
            // Those that exist are sorted: the others are, and both are merged.
            keys.sort();
            Arc::new(KeyBatch::of(&keys))
        })
    }

    /// How many of those keys lie before each of the points where regions meet.
    pub fn borders(&self) -> &[usize] {
        self.borders.get_or_init(|| {
            let points = self.points.iter();
            points.map(|it| self.rows().below(it.as_bytes())).collect()
        })
    }
}

fn region_of(points: &[RowKey], key: &[u8]) -> u32 {
    points.partition_point(|point| point.as_bytes() <= key) as u32
}

/// Regions all of whose rows have expired, given sorted rows and the ranks of those that live. Of rows that expire by chance a region has to show so
/// many that in one of a hundred tables one region is named without cause.
fn expired_regions(points: &[RowKey], sorted: &[&[u8]], live: &[usize]) -> usize {
    if live.len() == sorted.len() {
        return 0;
    }
    let mut rows = vec![(0u32, 0u32); points.len() + 1];
    let region = |rank: usize| points.partition_point(|it| it.as_bytes() <= sorted[rank]);
    (0..sorted.len()).for_each(|rank| rows[region(rank)].0 += 1);
    live.iter().for_each(|&rank| rows[region(rank)].1 += 1);
    let expired = 1.0 - live.len() as f64 / sorted.len().max(1) as f64;
    let least = libm::log(rows.len() as f64 * 100.0) / -libm::log(expired);
    let is_empty = |&&(all, live): &&(u32, u32)| live == 0 && f64::from(all) >= least.max(1.0);
    rows.iter().filter(is_empty).count()
}

/// How many of a partitioned list hold what those do not that follow them. O(log of their number).
fn leading<T>(all: &[T], holds: impl Fn(&T) -> bool) -> usize {
    let mut near = 1;
    while all.get(near - 1).is_some_and(&holds) {
        near *= 2;
    }
    let (near, end) = (near / 2, near.min(all.len()));
    near + all[near..end].partition_point(holds)
}

/// A sample of the cells that exist; `None` without any.
pub(super) fn existing(table: &KeyedTable<'_>) -> Option<Arc<KeySample>> {
    let rows = match table.presplit {
        Presplit::Sampled { regions } => {
            let wanted = (*regions as usize).saturating_mul(ROWS_PER_REGION);
            wanted.clamp(Layout::SAMPLE, MOST_ROWS)
        }
        Presplit::Fixed { .. } => Layout::SAMPLE,
    };
    let exist = table.setup().workload.existing_rows(&table.setup().schema) > 0;
    exist.then(|| table.existing_cells(rows))
}

/// The same where they decide which regions there are; `None` where all together are too small to split one of the pre-split's.
pub(super) fn deciding(table: &KeyedTable<'_>) -> Option<Arc<KeySample>> {
    let (setup, servers) = (table.setup(), table.setup().cluster.servers);
    let exist = setup.workload.existing_rows(&setup.schema) > 0;
    if let Presplit::Fixed { points, .. } = table.presplit
        && setup.table.row_ttl().is_none()
    {
        let on_a_server = (points.len() as u32 + 1) / servers.max(1);
        let policy = &setup.changes.policies.split_policy;
        let sizes = split_sizes(&setup.table);
        let least =
            [on_a_server.max(1), on_a_server + 1].map(|it| policy.threshold(sizes, it, 0.0));
        let least = least.into_iter().flatten().min().unwrap_or(u64::MAX);
        if !exist || size_of_existing(table).chosen.table_bytes as u64 <= least {
            return None;
        }
    }
    existing(table)
}

/// What the rows that exist take, as a run is told.
fn size_of_existing(table: &KeyedTable<'_>) -> TableSize {
    TableSample::of(table, SIZED_ROWS, Encodings::Own).size(0.0)
}

/// The split points that a table is created with: of its existing rows, if it has any, or of operations of the run under its key.
pub(super) fn presplit(presplit: &Presplit, sample: &KeySample) -> Arc<Vec<RowKey>> {
    match presplit {
        Presplit::Fixed { points, .. } => Arc::clone(points),
        Presplit::Sampled { regions } => Arc::new(quantile_points(&sample.sorted(), *regions)),
    }
}
