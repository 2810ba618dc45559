//! Lays a strategy out: split points, then what each region will get. Must not simulate.

use super::key_lints::LintedKey;
use super::key_sample::{KeySample, is_entity, is_skewed};
use super::starting_regions::{StartingRegions, presplit};
use super::{
    EntityShare, KeyBucket, Layout, RegionForecast, Replicate, few_values, key_lints,
    read_forecast, stale_copies,
};
use crate::engine::{ExistingRows, TableCopy};
use crate::key::KeyPlan;
use crate::keyspace::{KeyRange, Router, RowKey};
use crate::policy::quantile_ranks;
use crate::scenario::{Diagnostic, Presplit, Setup, Strategy};
use crate::workload::{Choice, EXISTING_LANE, ExistingSample, OperationBatch, RunSample, Workload};
use std::sync::Arc;

/// Buckets of the key map: enough for one a pixel row or two of its picture.
const KEY_BUCKETS: u32 = 240;

/// Segments that a bucket's label shows, outermost first.
const LABEL_SEGMENTS: usize = 3;

impl Layout {
    /// Operations that shares are counted on where nothing else is asked: a region's share of 1 % is then exact to 3 % of it (one
    /// standard error: sqrt(0.99 / 1,000)).
    pub const SAMPLE: usize = 100_000;

    /// Hot rows that are kept of each read.
    pub const HOT_ROWS: usize = 8;

    /// The layout of one strategy in one replicate, from [`Layout::SAMPLE`] operations.
    pub fn of(strategy: &Strategy, replicate: &Replicate) -> Self {
        Self::with_sample(strategy, replicate, Self::SAMPLE)
    }

    /// The same from a sample of about `operations` operations, spread over the whole run. O(n log n) in the sample.
    pub fn with_sample(strategy: &Strategy, replicate: &Replicate, operations: usize) -> Self {
        let sample = run_sample(strategy, replicate, operations);
        Self::from_sample(strategy, replicate, &sample)
    }

    /// The split points that the strategy's table is created with, whatever existing rows have made of its regions since.
    pub fn presplit_points(strategy: &Strategy, replicate: &Replicate) -> Arc<Vec<RowKey>> {
        if let Presplit::Fixed { points, .. } = &strategy.presplit {
            return Arc::clone(points);
        }
        let sample = run_sample(strategy, replicate, Self::SAMPLE);
        presplit(&Table::of(strategy, replicate), &sample).0
    }

    /// Only what each region will get.
    pub fn regions_of(
        strategy: &Strategy,
        replicate: &Replicate,
        operations: usize,
    ) -> Vec<RegionForecast> {
        let sample = run_sample(strategy, replicate, operations);
        let start = StartingRegions::of(&Table::of(strategy, replicate), &sample);
        forecast(&strategy.key, &start.points, &sample)
    }

    /// The layout from a sample that has been drawn.
    pub(super) fn from_sample(
        strategy: &Strategy,
        replicate: &Replicate,
        sample: &KeySample,
    ) -> Self {
        let existing_rows = strategy
            .setup
            .workload
            .existing_rows(&strategy.setup.schema);
        let table = Table::of(strategy, replicate);
        let start = StartingRegions::of(&table, sample);
        let regions = forecast(&strategy.key, &start.points, sample);
        let linted = LintedKey::of(strategy);
        let mut lints = lints(linted, replicate, &start, &regions, sample);
        let copies = LaidCopy::all(strategy, replicate, sample);
        for (at, copy) in copies.iter().enumerate() {
            let LaidCopy { table, start, .. } = copy;
            let regions = forecast(&table.key, &table.split_points, &copy.sample);
            let linted = LintedKey::of_copy(strategy, at);
            lints.extend(self::lints(
                linted,
                replicate,
                start,
                &regions,
                &copy.sample,
            ));
        }
        let opening_servers = start.opening_servers(&strategy.setup, replicate, 0);
        let points = &start.points;
        let reads = read_forecast::of(strategy, replicate, sample, points, &regions, &copies);
        // A run that writes nothing is looked at by the rows that it reads.
        let existing = (sample.len() == 0).then(|| table.existing(Layout::SAMPLE));
        Self {
            existing: existing_of(start.existing, &copies),
            copies: Arc::new(copies.into_iter().map(|copy| copy.table).collect()),
            reads,
            key_buckets: key_buckets(&strategy.key, existing.as_ref().unwrap_or(sample)),
            hottest_row_share: sample.hottest_row_share(),
            entities: entities(strategy, sample),
            hot_value: hot_value(strategy, sample, &start.points, &regions),
            key_bytes: sample.mean_key_bytes(),
            existing_rows,
            sampled_operations: sample.len() as u64,
            split_points: start.points,
            regions,
            opening_servers,
            lints,
        }
    }
}

/// About `operations` operations of the run with their keys.
pub(super) fn run_sample(
    strategy: &Strategy,
    replicate: &Replicate,
    operations: usize,
) -> KeySample {
    run_sample_of(
        &strategy.key,
        &strategy.setup.workload,
        replicate,
        operations,
    )
}

/// The same under any key.
pub(super) fn run_sample_of(
    key: &KeyPlan,
    workload: &Workload,
    replicate: &Replicate,
    operations: usize,
) -> KeySample {
    let generator = &replicate.generator;
    let mut batch = OperationBatch::new();
    RunSample::take(workload, generator, operations, &mut batch);
    KeySample::new(key, batch, generator.width(), replicate.key_draws(0))
}

/// `rows` existing rows, or all of them, with their keys.
pub(super) fn existing_sample(
    key: &KeyPlan,
    workload: &Workload,
    replicate: &Replicate,
    (rows, choice): (usize, Choice),
) -> KeySample {
    let generator = &replicate.generator;
    let mut batch = OperationBatch::new();
    ExistingSample::take(workload, generator, (rows, choice), &mut batch);
    let draws = replicate.key_draws(EXISTING_LANE);
    KeySample::new(key, batch, generator.width(), draws)
}

/// A strategy's table, or one of its copies, in one replicate.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub key: &'a KeyPlan,
    pub presplit: &'a Presplit,
    pub setup: &'a Setup,
    pub replicate: &'a Replicate,
}

impl<'a> Table<'a> {
    /// The strategy's table.
    pub(super) fn of(strategy: &'a Strategy, replicate: &'a Replicate) -> Self {
        Self {
            key: &strategy.key,
            presplit: &strategy.presplit,
            setup: &strategy.setup,
            replicate,
        }
    }

    /// One of its copies.
    pub(super) fn of_copy(strategy: &'a Strategy, copy: usize, replicate: &'a Replicate) -> Self {
        let copy = &strategy.copies[copy];
        Self {
            key: &copy.key,
            presplit: &copy.presplit,
            ..Self::of(strategy, replicate)
        }
    }

    /// Operations of the run with their keys; `run` is a sample of them under any key.
    pub(super) fn rekeyed(&self, run: &KeySample) -> KeySample {
        let Replicate { generator, .. } = self.replicate;
        let draws = self.replicate.key_draws(0);
        KeySample::new(self.key, run.batch().clone(), generator.width(), draws)
    }

    /// About `rows` of the rows that exist before the run.
    pub(super) fn existing(&self, rows: usize) -> KeySample {
        let wanted = (rows, Choice::Spread);
        existing_sample(self.key, &self.setup.workload, self.replicate, wanted)
    }
}

/// A copy of the table, laid out.
pub(super) struct LaidCopy {
    pub table: TableCopy,
    pub start: StartingRegions,
    /// The run's operations under its key.
    pub sample: KeySample,
}

impl LaidCopy {
    /// All copies of a strategy; `run` is a sample of the run under any key.
    pub(super) fn all(strategy: &Strategy, replicate: &Replicate, run: &KeySample) -> Vec<Self> {
        let copies = strategy.copies.iter().enumerate().map(|(at, copy)| {
            let table = Table::of_copy(strategy, at, replicate);
            let sample = table.rekeyed(run);
            let start = StartingRegions::of(&table, &sample);
            Self {
                table: TableCopy {
                    key: copy.key.clone(),
                    split_points: Arc::clone(&start.points),
                },
                start,
                sample,
            }
        });
        copies.collect()
    }
}

/// The rows that exist, of the table itself, then of each copy.
pub(super) fn existing_of(
    table: Option<ExistingRows>,
    copies: &[LaidCopy],
) -> Arc<Vec<ExistingRows>> {
    let copies = copies.iter().filter_map(|copy| copy.start.existing.clone());
    Arc::new(table.into_iter().chain(copies).collect())
}

/// What is odd about a key with its split points.
fn lints(
    linted: LintedKey<'_>,
    replicate: &Replicate,
    start: &StartingRegions,
    regions: &[RegionForecast],
    sample: &KeySample,
) -> Vec<Diagnostic> {
    let mut lints = key_lints::of(linted, start, regions);
    let opening_servers = start.opening_servers(&linted.strategy.setup, replicate, linted.table());
    lints.extend(few_values::lint(linted, sample, regions, &opening_servers));
    lints.extend(stale_copies::lint(linted, replicate));
    lints
}

/// What each region will get.
pub(super) fn forecast(
    plan: &KeyPlan,
    points: &[RowKey],
    sample: &KeySample,
) -> Vec<RegionForecast> {
    let mut regions = Vec::with_capacity(sample.len());
    Router::new(points).locate_batch(sample.keys(), &mut regions);
    let mut counts = vec![0u32; points.len() + 1];
    for region in regions {
        counts[region as usize] += 1;
    }
    KeyRange::between(points)
        .zip(counts)
        .map(|(range, count)| RegionForecast {
            write_share: f64::from(count) / sample.len().max(1) as f64,
            unreachable: count == 0
                && !plan.may_reach(range.start.as_bytes(), range.end.as_bytes()),
            start: range.start,
        })
        .collect()
}

fn key_buckets(plan: &KeyPlan, sample: &KeySample) -> Vec<KeyBucket> {
    let sorted = sample.sorted();
    let mut buckets = vec![KeyBucket {
        start: RowKey::default(),
        labels: Vec::new(),
    }];
    for rank in quantile_ranks(&sorted, KEY_BUCKETS) {
        let (_, segments) = plan.describe(&sample.row(sample.at_rank(rank)));
        // Constants label nothing: they are the same everywhere.
        let labels = plan
            .segments()
            .iter()
            .zip(segments)
            .filter(|(segment, _)| segment.constant().is_none())
            .map(|(_, text)| text.meaning)
            .take(LABEL_SEGMENTS)
            .collect();
        buckets.push(KeyBucket {
            start: RowKey::from(sorted[rank]),
            labels,
        });
    }
    buckets
}

/// The hottest value of each uneven field of the key, hottest first.
fn entities(strategy: &Strategy, sample: &KeySample) -> Vec<EntityShare> {
    let (schema, workload) = (&strategy.setup.schema, &strategy.setup.workload);
    let all: Vec<usize> = (0..sample.len()).collect();
    let mut entities: Vec<EntityShare> = strategy
        .key
        .fields()
        .into_iter()
        .filter(|&field| is_entity(schema, field) && is_skewed(schema, workload, field))
        .flat_map(|field| sample.hottest_values(schema, field, &all, 1))
        .collect();
    entities.sort_by(|a, b| b.share.total_cmp(&a.share));
    entities
}

/// A value explains a hot region when it has at least this part of its writes.
const EXPLAINS: f64 = 0.5;

/// ... and this many times the share there that it has everywhere: a value that is as frequent in all regions heats none.
const GATHERS: f64 = 1.5;

/// The value that most of the writes of the hottest region have, and few others; its share is that of all writes.
fn hot_value(
    strategy: &Strategy,
    sample: &KeySample,
    points: &[RowKey],
    regions: &[RegionForecast],
) -> Option<EntityShare> {
    let schema = &strategy.setup.schema;
    let share = |&at: &usize| regions[at].write_share;
    let hottest = (0..regions.len()).max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let mut of_keys = Vec::with_capacity(sample.len());
    Router::new(points).locate_batch(sample.keys(), &mut of_keys);
    let inside: Vec<usize> = (0..sample.len())
        .filter(|&at| of_keys[at] as usize == hottest)
        .collect();
    let fields = strategy.key.fields().into_iter();
    let values = fields
        .filter(|&field| is_entity(schema, field))
        .filter_map(|field| {
            let (slot, count) = sample.hottest_slot(field, &inside)?;
            let everywhere = (0..sample.len())
                .filter(|&at| sample.slot(field, at) == slot)
                .count() as f64
                / sample.len() as f64;
            let here = count as f64 / inside.len() as f64;
            (here >= EXPLAINS && here >= GATHERS * everywhere).then(|| EntityShare {
                field: schema.field(field).name.clone(),
                value: schema.display(field, slot),
                share: everywhere,
            })
        });
    values.max_by(|a, b| a.share.total_cmp(&b.share))
}
