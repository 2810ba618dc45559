//! Split points from weighted keys that were sampled, and what any split points make of such keys. Must not know where keys come from.

use super::split_algorithm::{SplitAlgorithm, bucket_points};
use crate::keyspace::RowKey;
use crate::storage::separator;

/// What weighted keys are cut into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledSplit {
    /// Sorted, distinct; fewer than asked for where rows are too heavy.
    pub points: Vec<RowKey>,
    /// The weight of each region, one more than points.
    pub weights: Vec<u64>,
    /// The rows that alone weigh more than a region should, the heaviest first: no split divides a row.
    pub indivisible: Vec<(RowKey, u64)>,
}

/// Cuts sorted, distinct `keys` with their weights into `regions` of equal weight, as far as that goes: each cut lies between two keys, where the weight
/// below it comes nearest to its share, and two cuts at the same place are one. The split point there is the shortest row that
/// separates both, as in HBase's block index: fewer bytes, and no row needs to have it. O(keys + regions).
pub fn sampled_points(keys: &[(&[u8], u64)], regions: u32) -> SampledSplit {
    let total: u128 = keys.iter().map(|(_, weight)| u128::from(*weight)).sum();
    let share = |cut: u32| total * u128::from(cut) / u128::from(regions.max(1));
    let (mut points, mut at, mut below) = (Vec::new(), 0, 0);
    let mut last = 0;
    for cut in 1..regions {
        let target = share(cut);
        while at < keys.len() && below + u128::from(keys[at].1) <= target {
            below += u128::from(keys[at].1);
            at += 1;
        }
        // Between them, the key at `at` holds the target.
        let Some((_, weight)) = keys.get(at) else {
            break;
        };
        let behind = below + u128::from(*weight) - target < target - below;
        let place = at + usize::from(behind);
        if place > last && place < keys.len() {
            let point = separator(keys[place - 1].0, keys[place].0);
            points.extend(point.ok().flatten().map(RowKey));
            last = place;
        }
    }
    let heavy = |(_, weight): &&(&[u8], u64)| u128::from(*weight) * u128::from(regions) > total;
    let mut indivisible: Vec<_> = keys.iter().filter(heavy).collect();
    indivisible.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    let owned = |(key, weight): &(&[u8], u64)| (RowKey::from(*key), *weight);
    SampledSplit {
        weights: region_weights(keys, &points),
        indivisible: indivisible.into_iter().map(owned).collect(),
        points,
    }
}

/// The weight of each region that sorted `points` make, of sorted `keys`. O(keys + points).
pub fn region_weights(keys: &[(&[u8], u64)], points: &[RowKey]) -> Vec<u64> {
    let mut weights = vec![0; points.len() + 1];
    let mut region = 0;
    for (key, weight) in keys {
        let is_reached = |point: &RowKey| point.as_bytes() <= *key;
        while points.get(region).is_some_and(is_reached) {
            region += 1;
        }
        weights[region] += weight;
    }
    weights
}

/// How evenly a split algorithm deals weighted keys.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct SplitFit {
    /// Its name.
    pub algorithm: &'static str,
    /// Regions that it makes.
    pub regions: usize,
    /// Regions without any key.
    pub empty: usize,
    /// The greatest weight of a region over their mean.
    pub peak: f64,
}

/// What each algorithm makes of sorted, distinct `keys`: HBase's own at their default ranges, one region for each value of the leading `bucket` bytes
/// if these are given, and equal quantiles of the keys themselves, which come last.
pub fn split_fits(keys: &[(&[u8], u64)], regions: u32, bucket: Option<usize>) -> Vec<SplitFit> {
    let lead = |bytes: usize| {
        let leads = keys
            .iter()
            .map(|(key, _)| key[..bytes.min(key.len())].to_vec());
        let mut leads: Vec<Vec<u8>> = leads.collect();
        leads.dedup();
        (SplitAlgorithm::Buckets, bucket_points(&leads))
    };
    let sampled = sampled_points(keys, regions).points;
    let mut all: Vec<(SplitAlgorithm, Vec<RowKey>)> = bucket.map(lead).into_iter().collect();
    for own in [
        SplitAlgorithm::HexString,
        SplitAlgorithm::DecimalString,
        SplitAlgorithm::Uniform,
    ] {
        let points = own.split_points(regions.into(), None, None);
        all.extend(points.ok().map(|points| (own, points)));
    }
    all.push((SplitAlgorithm::Sampled, sampled));
    let fit = |(algorithm, points): &(SplitAlgorithm, Vec<RowKey>)| {
        let weights = region_weights(keys, points);
        let total: f64 = weights.iter().map(|weight| *weight as f64).sum();
        let greatest = weights.iter().max().map_or(0.0, |weight| *weight as f64);
        SplitFit {
            algorithm: algorithm.name(),
            regions: weights.len(),
            empty: weights.iter().filter(|weight| **weight == 0).count(),
            peak: greatest * weights.len() as f64 / total.max(1.0),
        }
    };
    all.iter().map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};
    use crate::statistics::{QuantileSketch, predicted_peak};
    use proptest::prelude::*;

    fn weighted(keys: &[(&'static str, u64)]) -> Vec<(&'static [u8], u64)> {
        keys.iter()
            .map(|(key, weight)| (key.as_bytes(), *weight))
            .collect()
    }

    fn shown(points: &[RowKey]) -> Vec<String> {
        points.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn weights_are_cut_where_their_shares_end() {
        // 40 in all: 10 below a cut each, and none nearer than those.
        let keys = weighted(&[
            ("alpha", 10),
            ("beta", 4),
            ("beth", 6),
            ("gamma", 9),
            ("gandalf", 11),
        ]);
        let split = sampled_points(&keys, 4);
        assert_eq!(shown(&split.points), ["b", "c", "gan"]);
        assert_eq!(split.weights, [10, 10, 9, 11]);
        // More than a quarter: 11 of 40.
        assert_eq!(split.indivisible, [(RowKey::from(&b"gandalf"[..]), 11)]);
    }

    #[test]
    fn a_row_that_is_too_heavy_makes_two_split_points_one() {
        let keys = weighted(&[("a", 10), ("b", 70), ("c", 10), ("d", 10)]);
        let split = sampled_points(&keys, 5);
        // Shares end at 20, 40, 60 and 80: the first three within `b`, two of them nearer to its start, one to its end.
        assert_eq!(shown(&split.points), ["b", "c"]);
        assert_eq!(split.weights, [10, 70, 20]);
        assert_eq!(split.indivisible, [(RowKey::from(&b"b"[..]), 70)]);
    }

    #[test]
    fn one_row_is_one_region() {
        let split = sampled_points(&weighted(&[("a", 10)]), 5);
        assert_eq!((split.points.len(), split.weights), (0, vec![10]));
        assert_eq!(sampled_points(&[], 5).weights, [0]);
    }

    #[test]
    fn an_algorithm_fits_the_keys_that_it_is_made_for() {
        let all: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let hex: Vec<Vec<u8>> = all
            .iter()
            .map(|key| crate::text::hex(key).into_bytes())
            .collect();
        let peaks = |keys: &[Vec<u8>]| -> Vec<(&'static str, usize, f64)> {
            let keys: Vec<(&[u8], u64)> = keys.iter().map(|key| (&key[..], 3)).collect();
            let fits = split_fits(&keys, 16, None).into_iter();
            fits.map(|it| (it.algorithm, it.empty, it.peak)).collect()
        };
        // A key of one byte sorts before the split point that goes on with zeros: 17 of 256 lie in the first region.
        let found = peaks(&all);
        assert_eq!(
            found[2..],
            [("uniform", 0, 17.0 / 16.0), ("sampled", 0, 1.0)]
        );
        let found = peaks(&hex);
        assert_eq!(found[0], ("hex-string", 0, 17.0 / 16.0));
        // `0` to `9` is byte 0x30 to 0x39, `a` to `f` 0x61 to 0x66: three of sixteen regions, and ten sixteenths of the keys in one.
        assert_eq!(found[2], ("uniform", 14, 10.0));
    }

    /// Of 200 samples of `size` keys, cut into `regions` behind a sketch of `memory` bytes: how often the greatest region of the law lies in the interval
    /// that was told. `draw` makes a key of a uniform number, and `below` is the share of the law below a row.
    fn covered(
        size: u64,
        regions: u32,
        memory: usize,
        draw: impl Fn(f64) -> Vec<u8>,
        below: impl Fn(&[u8]) -> f64,
    ) -> usize {
        let is_inside = |seed: &u64| {
            let draws = DrawKey::new(Seed(*seed), 0, Stream::Records, 3);
            let mut sketch = QuantileSketch::new(memory);
            (0..size).for_each(|at| sketch.add(&draw(draws.at(at).unit()), 1));
            let split = sampled_points(&sketch.weights(), regions);
            let counts: Vec<f64> = split.weights.iter().map(|it| *it as f64).collect();
            let told = predicted_peak(&counts, sketch.rank_sd()).unwrap();
            let ends = split.points.iter().map(|point| below(point.as_bytes()));
            let ends: Vec<f64> = [0.0].into_iter().chain(ends).chain([1.0]).collect();
            let shares = ends.windows(2).map(|pair| pair[1] - pair[0]);
            let greatest = shares.fold(0.0, f64::max) * counts.len() as f64;
            (told.low..=told.high).contains(&greatest)
        };
        (1..=200).filter(is_inside).count()
    }

    #[test]
    fn the_greatest_region_lies_in_its_interval_in_95_of_100_samples() {
        // A number below 2^64 whose root is uniform: the share below it is its root.
        let wide = 2f64.powi(64);
        let skewed = |unit: f64| ((unit * unit * wide) as u64).to_be_bytes().to_vec();
        let below = |row: &[u8]| {
            let number = row
                .iter()
                .rev()
                .fold(0.0, |sum, byte| (sum + f64::from(*byte)) / 256.0);
            number.sqrt()
        };
        // An interval of 95 % holds 181 to 199 of 200 in 99.8 % of cases. Ten keys a region; and a sketch that keeps a tenth of them.
        for (size, regions, memory) in [(500, 50, 1 << 20), (6_000, 4, 40_000)] {
            let inside = covered(size, regions, memory, skewed, below);
            assert!((181..=199).contains(&inside), "{size} {regions}: {inside}");
        }
        // Rows that come again and again: 300 of them by a law of Zipf of exponent 1, dealt over the key space.
        let weights = (0..300).map(|at| 1.0 / f64::from(at * 7 % 300 + 1));
        let ends = weights.scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        let ends: Vec<f64> = [0.0].into_iter().chain(ends).collect();
        let row = |at: usize| format!("{at:04}").into_bytes();
        let draw = |unit: f64| row(ends.partition_point(|end| *end <= unit * ends[300]) - 1);
        let below = |key: &[u8]| ends[(0..300).filter(|at| *row(*at) < *key).count()] / ends[300];
        let inside = covered(2_000, 16, 1 << 20, draw, below);
        assert!((181..=199).contains(&inside), "{inside}");
    }

    proptest! {
        #[test]
        fn no_region_is_heavier_than_its_share_and_its_heaviest_row(
            keys in proptest::collection::btree_map(proptest::collection::vec(0u8..4, 1..4), 1u64..100, 1..60),
            regions in 1u32..20,
        ) {
            let keys: Vec<(&[u8], u64)> = keys.iter().map(|(key, weight)| (&key[..], *weight)).collect();
            let split = sampled_points(&keys, regions);
            let total: u64 = split.weights.iter().sum();
            let heaviest = keys.iter().map(|(_, weight)| *weight).max().unwrap();
            prop_assert!(split.points.is_sorted_by(|a, b| a < b));
            prop_assert!(split.points.len() < regions as usize);
            for weight in &split.weights {
                // Both ends lie within half a row of where they should, but for a cut that another one took the place of.
                prop_assert!(*weight as f64 <= total as f64 / f64::from(regions) + heaviest as f64, "{split:?}");
            }
            prop_assert_eq!(region_weights(&keys, &split.points), split.weights);
        }
    }
}
