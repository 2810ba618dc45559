//! A strategy's table, or one of its copies, laid out: its pre-split, what the rows that exist have made of it since, and what each region
//! will get. Must not know reads.

use super::family_size::kept_for;
use super::key_sample::{KeySample, KeyedTable, sorted_order, written_at};
use super::table_size::TableSample;
use super::{Layout, RegionForecast, Replicate};
use crate::cluster::{Placement, WrittenCells};
use crate::engine::{ExistingRows, split_sizes};
use crate::keyspace::{KeyBatch, KeyRange, Router, RowKey};
use crate::policy::{GrownTable, Growth, quantile_points};
use crate::random::{Stream, stream};
use crate::scenario::{Presplit, Strategy};
use crate::storage::CELL_STRUCTURE;
use crate::time::SimDuration;
use crate::workload::Choice;
use rayon::prelude::*;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Sampled rows for each region that is cut from them: its share is then exact to 5 % (one standard error, 1 / sqrt(400)).
const ROWS_PER_REGION: usize = 400;

/// Most rows that are sampled for split points.
const MOST_ROWS: usize = 4_000_000;

/// Rows that are encoded to tell how many bytes the existing ones take: shared key bytes are then exact to about a third of a byte.
const SIZED_ROWS: usize = 1 << 13;

/// Regions that are looked at by one processor at a time: a millisecond.
const REGIONS_AT_A_TIME: usize = 1 << 14;

/// Rows that show how a table's rows lie over its regions.
const SPREAD_ROWS: usize = 1 << 16;

/// A table with its regions at the start of a run.
pub(super) struct LaidTable<'a> {
    pub table: KeyedTable<'a>,
    /// The run's operations under its key.
    pub run: KeySample,
    /// Where its regions meet: split points of the pre-split, and those at which existing rows have split it since.
    pub points: Arc<Vec<RowKey>>,
    /// Regions of the pre-split.
    pub presplit: usize,
    /// The rows that exist; `None` without any.
    pub existing: Option<ExistingRows>,
    /// Regions all of whose rows have expired.
    pub expired: usize,
    router: OnceCell<Router>,
    regions: OnceCell<Vec<RegionForecast>>,
    rows: OnceCell<Arc<KeyBatch>>,
}

impl<'a> LaidTable<'a> {
    /// All tables of a strategy over a sample of about `operations` operations of the run: its own first.
    pub fn all(strategy: &'a Strategy, replicate: &'a Replicate, operations: usize) -> Vec<Self> {
        let mut tables: Vec<Self> = Vec::with_capacity(1 + strategy.copies.len());
        for table in KeyedTable::all(strategy, replicate) {
            let run = match tables.first() {
                None => table.run(operations),
                Some(own) => table.keyed(own.run.batch.clone(), 0),
            };
            tables.push(Self::of(table, run));
        }
        tables
    }

    /// Existing rows split every region over its threshold, as the split policy says.
    pub fn of(table: KeyedTable<'a>, run: KeySample) -> Self {
        let (points, existing) = presplit(&table, &run);
        let laid = Self {
            table,
            run,
            presplit: points.len() + 1,
            points,
            existing: None,
            expired: 0,
            router: OnceCell::new(),
            regions: OnceCell::new(),
            rows: OnceCell::new(),
        };
        match existing {
            Some(sample) => laid.with_rows(&sample),
            None => laid,
        }
    }

    fn with_rows(self, sample: &KeySample) -> Self {
        let setup = self.table.setup();
        let size = TableSample::of(&self.table, SIZED_ROWS).size(0.0);
        let bytes = size.chosen.table_bytes as u64;
        let sorted = sample.sorted();
        let ranks = self.live(sample);
        let live: Vec<&[u8]> = ranks.iter().map(|&at| sample.keys.get(at)).collect();
        // Where keys follow time regions were full before their rows expired.
        let follows = self.table.strategy.follows_time_under(self.table.key);
        let (grown_from, times) = match follows {
            true => (&sorted, sorted.len() as f64 / live.len().max(1) as f64),
            false => (&live, 1.0),
        };
        let grown = GrownTable {
            sample: grown_from,
            bytes: (bytes as f64 * times) as u64,
            policy: &setup.changes.policies.split_policy,
            sizes: split_sizes(&setup.table),
            servers: setup.cluster.servers,
        };
        let growth = match setup.table.placement {
            Placement::Grown if live.len() == sorted.len() => {
                grown.growth(&self.points, &sample.order_written())
            }
            _ => Growth {
                points: grown.starting_points(&self.points),
                split_off: Vec::new(),
            },
        };
        let regions = |keys: &[&[u8]]| {
            let region = |key: &&[u8]| growth.points.partition_point(|it| it.as_bytes() <= *key);
            let regions: BTreeSet<usize> = keys.iter().map(region).collect();
            regions.len()
        };
        Self {
            expired: regions(&sorted) - regions(&live),
            points: Arc::new(growth.points.clone()),
            existing: Some(ExistingRows {
                rows: size.existing_rows.round() as u64,
                bytes,
                family_shares: self.family_shares(sample),
                sample: packed(&live),
                written_ns: Arc::new(self.written_ns(sample, &ranks)),
                split_off: Arc::new(growth.split_off),
            }),
            ..self
        }
    }

    /// Share of each family in the bytes of sampled rows; none for one family.
    fn family_shares(&self, sample: &KeySample) -> Vec<f64> {
        let setup = self.table.setup();
        let families = &setup.table.families;
        let (mut bytes, key) = (vec![0.0; families.len()], sample.mean_key_bytes());
        for write in &sample.batch.writes {
            let Some(WrittenCells { family, cells }) = setup.written.get(usize::from(write.0))
            else {
                continue;
            };
            let names = CELL_STRUCTURE + families[*family].name.len() as u64;
            let cells = cells.iter().map(|cell| {
                let own = cell.qualifier.len() as u64 + cell.value.bytes();
                (names + own) as f64 + key
            });
            bytes[*family] += cells.sum::<f64>();
        }
        let all: f64 = bytes.iter().sum();
        match bytes.len() {
            1 => Vec::new(),
            _ => bytes.iter().map(|bytes| bytes / all.max(1.0)).collect(),
        }
    }

    /// When sampled rows were written, in key order; none where no family forgets them.
    fn written_ns(&self, sample: &KeySample, live: &[usize]) -> Vec<i64> {
        let setup = self.table.setup();
        let start = setup.workload.start.0;
        let mut families = setup.table.families.iter();
        if families.all(|family| family.spec.ttl.is_none()) {
            return Vec::new();
        }
        let millis = |at| written_at(sample, at, setup, false);
        let nanos = |at: &usize| millis(*at) as i64 * 1_000_000 - start;
        live.iter().map(|at| nanos(at).min(0)).collect()
    }

    /// The keys, in their order, whose cells have not all expired by the last major compaction, by position in the sample.
    fn live(&self, sample: &KeySample) -> Vec<usize> {
        let setup = self.table.setup();
        let families = setup.table.families.iter();
        let longest: Option<Option<SimDuration>> = families
            .map(|it| it.spec.ttl)
            .max_by_key(|ttl| ttl.map_or(u64::MAX, SimDuration::as_nanos));
        let oldest = longest
            .flatten()
            .map(|ttl| setup.workload.start.before(kept_for(ttl)));
        let oldest = oldest.map_or(0, |time| (time.0 / 1_000_000).max(0) as u64);
        let all = (0..sample.len()).map(|rank| sample.at_rank(rank));
        let live = all.filter(|&at| oldest == 0 || written_at(sample, at, setup, false) >= oldest);
        live.collect()
    }

    /// The server of each region in key order, as the engine opens them.
    pub fn opening_servers(&self) -> Vec<u32> {
        let KeyedTable {
            number, replicate, ..
        } = self.table;
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
        let positions = (0..self.run.len()).map(|rank| self.run.at_rank(rank));
        positions
            .filter(|&at| range.contains(self.run.keys.get(at)))
            .collect()
    }

    pub fn router(&self) -> &Router {
        self.router.get_or_init(|| Router::new(&self.points))
    }

    /// What each region will get.
    pub fn regions(&self) -> &[RegionForecast] {
        self.regions.get_or_init(|| {
            let (points, key, sorted) = (&self.points[..], self.table.key, &self.run.sorted());
            let end = |region: usize| points.get(region).map_or(&[][..], RowKey::as_bytes);
            let start = |region: usize| region.checked_sub(1).map_or(&[][..], end);
            let forecasts = |part: usize| {
                let first = part * REGIONS_AT_A_TIME;
                let from = sorted.partition_point(|key| *key < start(first));
                let mut rest = &sorted[from..];
                let regions = first..(first + REGIONS_AT_A_TIME).min(points.len() + 1);
                regions.map(move |region| {
                    let (start, end) = (start(region), end(region));
                    let inside = |key: &&&[u8]| end.is_empty() || **key < end;
                    let own = rest.iter().take_while(inside).count();
                    rest = &rest[own..];
                    RegionForecast {
                        write_share: own as f64 / sorted.len().max(1) as f64,
                        unreachable: own == 0 && !key.may_reach(start, end),
                    }
                })
            };
            let parts = (0..=points.len() / REGIONS_AT_A_TIME).into_par_iter();
            parts.flat_map_iter(forecasts).collect()
        })
    }

    /// Sorted keys of rows of the table as it is in the middle of the run, each standing for as many.
    pub fn rows(&self) -> &Arc<KeyBatch> {
        self.rows.get_or_init(|| {
            let (workload, schema) = (&self.table.setup().workload, &self.table.setup().schema);
            let existing = workload.existing_rows(schema) as f64;
            let planned = workload.estimated_writes(schema);
            // Half of what the run writes is there, on average.
            let total = (existing + planned / 2.0).max(1.0);
            let from_existing = (SPREAD_ROWS as f64 * existing / total).ceil() as usize;
            let from_run = (SPREAD_ROWS as f64 * planned / 2.0 / total) as usize;
            let existing = || self.table.existing(from_existing, Choice::Spread);
            let existing = (from_existing > 0).then(existing);
            let mut keys = existing.map_or_else(KeyBatch::default, |sample| sample.keys);
            let taken = from_run.min(self.run.len());
            let of_run = (0..taken).map(|at| self.run.keys.get(at * self.run.len() / taken));
            of_run.for_each(|key| keys.push(key));
            let order = sorted_order(&keys).into_iter();
            let sorted: Vec<&[u8]> = order.map(|at| keys.get(at as usize)).collect();
            packed(&sorted)
        })
    }
}

fn packed(keys: &[&[u8]]) -> Arc<KeyBatch> {
    let mut batch = KeyBatch::default();
    for key in keys {
        batch.push_with(|out| out.extend_from_slice(key));
    }
    Arc::new(batch)
}

/// The split points that a table is created with, and a sample of the rows that exist; `run` are operations of the run under its key.
pub(super) fn presplit(
    table: &KeyedTable<'_>,
    run: &KeySample,
) -> (Arc<Vec<RowKey>>, Option<KeySample>) {
    let rows = match table.presplit {
        Presplit::Sampled { regions } => {
            let wanted = (*regions as usize).saturating_mul(ROWS_PER_REGION);
            wanted.clamp(Layout::SAMPLE, MOST_ROWS)
        }
        Presplit::Fixed { .. } => Layout::SAMPLE,
    };
    let exist = table.setup().workload.existing_rows(&table.setup().schema) > 0;
    let existing = exist.then(|| table.existing(rows, Choice::Spread));
    let points = match table.presplit {
        Presplit::Fixed { points, .. } => Arc::clone(points),
        Presplit::Sampled { regions } => {
            let sorted = existing.as_ref().unwrap_or(run).sorted();
            Arc::new(quantile_points(&sorted, *regions))
        }
    };
    (points, existing)
}
