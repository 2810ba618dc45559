//! Whether buckets in front of the keys spread the rows: dealt out over a sample of the run. Must not know what they are for.

use crate::key::{Environment, KeyPlan};
use crate::keyspace::KeyBatch;
use crate::layout::{HottestRow, Layout};
use crate::metrics::Peak;
use crate::random::{DrawKey, Seed, Stream};
use crate::scenario::Strategy;
use crate::statistics::expected_peak;
use crate::workload::{Choice, ExistingSample, OperationBatch, RunSample};

/// A key of a table (0: the strategy's own) that leads with `front` (`salt(16, user)`), a region for each of its values, makes none of so many servers hot, neither over the run nor in
/// a part of it: of its rows, or of those that exist where it writes none. Each server gets every so many-th bucket.
pub(super) fn spread(
    strategy: &Strategy,
    table: usize,
    (seed, servers): (Seed, u32),
    front: &str,
) -> bool {
    let (setup, key) = (&strategy.setup, strategy.key_of(table));
    let environment = Environment {
        schema: &setup.schema,
        derived: &setup.derived,
        parameters: &key.parameters,
    };
    let plan = KeyPlan::compile(front, &environment).ok();
    let buckets = plan.as_ref().and_then(KeyPlan::leading_buckets);
    let (Some(plan), Some(buckets)) = (plan, buckets) else {
        return false;
    };
    let servers = servers.min(buckets.len() as u32);
    let points = buckets.iter().skip(1).map(Vec::as_slice);
    if strategy.gathers_a_moment_under(&plan, points) {
        return false;
    }
    let generator = setup.generator(seed, 0);
    let take = match setup.workload.writes.is_empty() {
        true => ExistingSample::take,
        false => RunSample::take,
    };
    let (mut rows, mut keys) = (OperationBatch::default(), KeyBatch::default());
    let sample = (Layout::SAMPLE, Choice::Spread);
    take(&setup.workload, &generator, sample, &mut rows);
    let draws = DrawKey::new(seed, 0, Stream::Keys, 0);
    let (records, operations) = (&rows.records, &rows.operations);
    plan.write_batch(records, operations, &rows.indices, draws, &mut keys);
    // A value may be hot in one part of the run alone.
    const PARTS: usize = HottestRow::PARTS;
    let mut dealt = vec![vec![0u32; servers as usize]; PARTS + 1];
    for (key, at) in keys.iter().zip(&rows.intended) {
        let bucket = buckets.partition_point(|bucket| &bucket[..] < key);
        let passed = at.as_nanos() as f64 / setup.workload.duration.as_nanos() as f64;
        let part = ((passed * PARTS as f64) as usize).min(PARTS - 1);
        for part in [part, PARTS] {
            dealt[part][bucket % servers as usize] += 1;
        }
    }
    !dealt.into_iter().any(|loads| {
        let (all, most) = (loads.iter().sum::<u32>(), loads.iter().max());
        let value = f64::from(servers) * f64::from(*most.unwrap_or(&0)) / f64::from(all.max(1));
        let even = expected_peak(f64::from(all), servers, servers);
        Peak { value, even }.is_hot()
    })
}
