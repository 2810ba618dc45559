//! Lays a strategy out: split points, then what each region will get. Must not simulate.

use super::key_lints::LintedKey;
use super::key_sample::{KeySample, is_entity, is_skewed};
use super::keyed_table::KeyedTable;
use super::starting_regions::{LaidCopy, StartingRegions, existing_of, presplit};
use super::{
    EntityShare, KeyBucket, Layout, RegionForecast, Replicate, few_values, key_lints,
    read_forecast, stale_copies,
};
use crate::key::KeyPlan;
use crate::keyspace::{Router, RowKey};
use crate::policy::quantile_ranks;
use crate::record::FieldId;
use crate::scenario::{Diagnostic, Presplit, Strategy};
use crate::workload::Choice;
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
        let sample = KeyedTable::of(strategy, replicate).run(operations);
        Self::from_sample(strategy, replicate, &sample)
    }

    /// The split points that the strategy's table is created with, whatever existing rows have made of its regions since.
    pub fn presplit_points(strategy: &Strategy, replicate: &Replicate) -> Arc<Vec<RowKey>> {
        if let Presplit::Fixed { points, .. } = &strategy.presplit {
            return Arc::clone(points);
        }
        let table = KeyedTable::of(strategy, replicate);
        presplit(&table, &strategy.presplit, &table.run(Self::SAMPLE)).0
    }

    /// Only what each region will get.
    pub fn regions_of(
        strategy: &Strategy,
        replicate: &Replicate,
        operations: usize,
    ) -> Vec<RegionForecast> {
        let table = KeyedTable::of(strategy, replicate);
        let sample = table.run(operations);
        let start = StartingRegions::of(&table, &strategy.presplit, &sample);
        start.forecast(&strategy.key, &sample)
    }

    /// The layout from a sample that has been drawn.
    pub(super) fn from_sample(
        strategy: &Strategy,
        replicate: &Replicate,
        sample: &KeySample,
    ) -> Self {
        let setup = &strategy.setup;
        let table = KeyedTable::of(strategy, replicate);
        let start = StartingRegions::of(&table, &strategy.presplit, sample);
        let regions = start.forecast(&strategy.key, sample);
        let mut lints = lints(LintedKey::of(strategy), replicate, &start, &regions, sample);
        let copies = LaidCopy::all(strategy, replicate, sample);
        for (
            at,
            LaidCopy {
                table,
                start,
                sample,
            },
        ) in copies.iter().enumerate()
        {
            let regions = start.forecast(&table.key, sample);
            let linted = LintedKey::of_copy(strategy, at);
            lints.extend(self::lints(linted, replicate, start, &regions, sample));
        }
        let opening_servers = start.opening_servers(setup, replicate, 0);
        let points = &start.points;
        let reads = read_forecast::of(strategy, replicate, sample, points, &regions, &copies);
        // A run that writes nothing is looked at by the rows that it reads.
        let existing = || table.existing(Layout::SAMPLE, Choice::Spread);
        let existing = (sample.len() == 0).then(existing);
        Self {
            existing: existing_of(start.existing, &copies),
            copies: Arc::new(copies.into_iter().map(|copy| copy.table).collect()),
            reads,
            key_buckets: key_buckets(&strategy.key, existing.as_ref().unwrap_or(sample)),
            hottest_row_share: sample.hottest_row_share(),
            entities: entities(strategy, sample),
            hot_value: hot_value(strategy, sample, &start.points, &regions),
            key_bytes: sample.mean_key_bytes(),
            existing_rows: setup.workload.existing_rows(&setup.schema),
            sampled_operations: sample.len() as u64,
            split_points: start.points,
            regions,
            opening_servers,
            lints,
        }
    }
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

fn key_buckets(plan: &KeyPlan, sample: &KeySample) -> Vec<KeyBucket> {
    let sorted = sample.sorted();
    let mut buckets = vec![KeyBucket {
        start: RowKey::default(),
        labels: Vec::new(),
    }];
    for rank in quantile_ranks(&sorted, KEY_BUCKETS) {
        let (_, segments) = plan.describe(&sample.row(sample.at_rank(rank)));
        // Constants label nothing: they are the same everywhere.
        let labels = plan.segments().iter().zip(segments);
        let labels = labels.filter(|(segment, _)| segment.constant().is_none());
        let labels = labels.map(|(_, text)| text.meaning);
        buckets.push(KeyBucket {
            start: RowKey::from(sorted[rank]),
            labels: labels.take(LABEL_SEGMENTS).collect(),
        });
    }
    buckets
}

/// The hottest value of each uneven field of the key, hottest first.
fn entities(strategy: &Strategy, sample: &KeySample) -> Vec<EntityShare> {
    let (schema, workload) = (&strategy.setup.schema, &strategy.setup.workload);
    let all: Vec<usize> = (0..sample.len()).collect();
    let uneven = |field: &FieldId| is_entity(schema, *field) && is_skewed(schema, workload, *field);
    let fields = strategy.key.fields().into_iter().filter(uneven);
    let hottest = fields.flat_map(|field| sample.hottest_values(schema, field, &all, 1));
    let mut entities: Vec<EntityShare> = hottest.collect();
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
    let mut inside: Vec<usize> = (0..sample.len()).collect();
    inside.retain(|&at| of_keys[at] as usize == hottest);
    let fields = strategy.key.fields().into_iter();
    let values = fields
        .filter(|&field| is_entity(schema, field))
        .filter_map(|field| {
            let (slot, count) = sample.hottest_slot(field, &inside)?;
            let all = (0..sample.len()).filter(|&at| sample.slot(field, at) == slot);
            let everywhere = all.count() as f64 / sample.len() as f64;
            let here = count as f64 / inside.len() as f64;
            (here >= EXPLAINS && here >= GATHERS * everywhere).then(|| EntityShare {
                field: schema.field(field).name.clone(),
                value: schema.display(field, slot),
                share: everywhere,
            })
        });
    values.max_by(|a, b| a.share.total_cmp(&b.share))
}
