//! What `keyheat explain` shows of a strategy: keys cut into segments, regions, and what makes one of them hot. Pure data; must
//! not render.

use super::key_sample::KeySample;
use super::laid_table::LaidTable;
use super::plan_layout::entities;
use super::{EntityShare, Layout, Replicate};
use crate::key::SegmentText;
use crate::keyspace::{KeyRange, RowKey};
use crate::record::FieldId;
use crate::scenario::Strategy;

/// Entities and prefixes that are named for a region.
const TOP: usize = 10;

/// Keys of a region that are cut into segments to find its prefixes.
const MOST_DESCRIBED: usize = 20_000;

/// One strategy, explained.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Keys of a few operations, spread over the run.
    pub samples: Vec<SampleKey>,
    /// Split points, predicted shares, lints; the hot rows of reads are not looked for.
    pub layout: Layout,
    /// The region that was asked for.
    pub region: Option<RegionCauses>,
}

/// One operation's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleKey {
    /// Name of the write.
    pub write: String,
    /// All fields of the record with their values, in file order.
    pub record: Vec<(String, String)>,
    /// The key.
    pub key: RowKey,
    /// The qualifier that the strategy gives the cell; empty without.
    pub qualifier: Vec<u8>,
    /// The key with the qualifier behind it, cut; `bytes` are offsets in it.
    pub segments: Vec<SegmentText>,
}

/// What makes a region hot.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionCauses {
    /// Its number in key order, from 0.
    pub region: usize,
    /// Its keys.
    pub range: KeyRange,
    /// Its share of the run's writes, of the sample.
    pub write_share: f64,
    /// No key can fall into it.
    pub unreachable: bool,
    /// Values of the key's fields by their share of *this region's* writes, at most ten.
    pub entities: Vec<EntityShare>,
    /// Leading segments of its keys by their share of this region's writes, at most ten.
    pub prefixes: Vec<PrefixShare>,
}

/// How much of a region's load starts alike.
#[derive(Debug, Clone, PartialEq)]
pub struct PrefixShare {
    /// The bytes.
    pub prefix: RowKey,
    /// What they say, outermost first, for one of the keys.
    pub meaning: Vec<String>,
    /// Share of this region's writes.
    pub share: f64,
}

impl Explanation {
    /// Explains a strategy with `samples` keys; `region` asks for the causes of one region (`None` comes back when there is no
    /// such region).
    pub fn of(
        strategy: &Strategy,
        replicate: &Replicate,
        samples: usize,
        region: Option<usize>,
    ) -> Self {
        let tables = Layout::tables(strategy, replicate, Layout::SAMPLE);
        let sample = &tables[0].run;
        let shown = samples.min(sample.len());
        let places = (0..shown).map(|i| i * sample.len() / shown);
        Self {
            samples: places.map(|at| sample_key(strategy, sample, at)).collect(),
            region: region.and_then(|region| causes(&tables[0], region)),
            layout: Layout::from_tables(&tables, 0),
        }
    }
}

fn sample_key(strategy: &Strategy, sample: &KeySample, at: usize) -> SampleKey {
    let (schema, writes) = (&strategy.setup.schema, &strategy.setup.workload.writes);
    let (mut key, segments) = strategy.cell_key.describe(&sample.row(at));
    let qualifier = key.0.split_off(sample.keys.get(at).len());
    let value = |(id, slot): (usize, &i64)| {
        let field = FieldId(id as u16);
        let name = schema.field(field).name.clone();
        (name, schema.display(field, *slot))
    };
    let write = usize::from(sample.batch.writes[at].0);
    SampleKey {
        write: writes[write].name.clone(),
        record: sample.record(at).iter().enumerate().map(value).collect(),
        key,
        qualifier,
        segments,
    }
}

fn causes(laid: &LaidTable<'_>, region: usize) -> Option<RegionCauses> {
    let (forecast, range) = (laid.regions().get(region)?, laid.range(region)?);
    // In key order, so that equal prefixes are neighbours.
    let positions = laid.positions_in(&range);
    let (strategy, sample) = (laid.table.strategy, &laid.run);
    Some(RegionCauses {
        region,
        write_share: forecast.write_share,
        unreachable: forecast.unreachable,
        entities: entities(strategy, sample, &positions, (TOP, TOP), |_| true),
        prefixes: prefixes(strategy, sample, &positions),
        range,
    })
}

/// The most frequent prefixes of the keys at these positions (in key order), cut behind the first segment that tells any of
/// them apart.
fn prefixes(strategy: &Strategy, sample: &KeySample, positions: &[usize]) -> Vec<PrefixShare> {
    let (Some(&first), Some(&last)) = (positions.first(), positions.last()) else {
        return Vec::new();
    };
    let (first_key, last_key) = (sample.keys.get(first), sample.keys.get(last));
    let pairs = first_key.iter().zip(last_key);
    let common = pairs.take_while(|(a, b)| a == b).count();
    let stride = positions.len().div_ceil(MOST_DESCRIBED);
    let described = positions.iter().step_by(stride).map(|&at| {
        let (key, segments) = strategy.key.describe(&sample.row(at));
        let mut places = segments.iter();
        let last = places.position(|segment| segment.bytes.end > common);
        let shown = &segments[..last.map_or(segments.len(), |at| at + 1)];
        let end = shown.last().map_or(key.0.len(), |last| last.bytes.end);
        let meaning = shown.iter().map(|segment| segment.meaning.clone());
        (RowKey::from(&key.0[..end]), meaning.collect())
    });
    let described: Vec<(RowKey, Vec<String>)> = described.collect();
    let mut runs: Vec<_> = described.chunk_by(|a, b| a.0 == b.0).collect();
    // Stable: equal counts stay in key order.
    runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
    let share = |run: &[(RowKey, Vec<String>)]| PrefixShare {
        prefix: run[0].0.clone(),
        meaning: run[0].1.clone(),
        share: run.len() as f64 / described.len() as f64,
    };
    runs.into_iter().take(TOP).map(share).collect()
}
