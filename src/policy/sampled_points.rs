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
    let indivisible = indivisible.into_iter();
    SampledSplit {
        weights: region_weights(keys, &points),
        indivisible: indivisible
            .map(|(key, weight)| (RowKey::from(*key), *weight))
            .collect(),
        points,
    }
}

/// The weight of each region that sorted `points` make, of sorted `keys`. O(keys + points).
pub fn region_weights(keys: &[(&[u8], u64)], points: &[RowKey]) -> Vec<u64> {
    let mut weights = vec![0; points.len() + 1];
    let mut region = 0;
    for (key, weight) in keys {
        while points
            .get(region)
            .is_some_and(|point| point.as_bytes() <= *key)
        {
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
    let lead = |bytes: usize| -> Vec<Vec<u8>> {
        let leads = keys
            .iter()
            .map(|(key, _)| key[..bytes.min(key.len())].to_vec());
        let mut leads: Vec<Vec<u8>> = leads.collect();
        leads.dedup();
        leads
    };
    let buckets = bucket.map(|bytes| (SplitAlgorithm::Buckets, bucket_points(&lead(bytes))));
    let own = [
        SplitAlgorithm::HexString,
        SplitAlgorithm::DecimalString,
        SplitAlgorithm::Uniform,
    ];
    let own = own.into_iter().filter_map(|algorithm| {
        let points = algorithm.split_points(regions.into(), None, None).ok()?;
        Some((algorithm, points))
    });
    let sampled = (
        SplitAlgorithm::Sampled,
        sampled_points(keys, regions).points,
    );
    let all = buckets.into_iter().chain(own).chain([sampled]);
    all.map(|(algorithm, points)| {
        let weights = region_weights(keys, &points);
        let total: f64 = weights.iter().map(|weight| *weight as f64).sum();
        let greatest = weights.iter().max().map_or(0.0, |weight| *weight as f64);
        SplitFit {
            algorithm: algorithm.name(),
            regions: weights.len(),
            empty: weights.iter().filter(|weight| **weight == 0).count(),
            peak: greatest * weights.len() as f64 / total.max(1.0),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
