//! Split points that cut given rows into equal parts. Must not know where the rows come from.

use crate::keyspace::RowKey;

/// At most `regions - 1` points that cut sorted `keys` (repetitions count) into parts of equal size: point i is the key of rank
/// i / regions. A key that would be a point twice is one once, and the least key is none (nothing would lie below it): where few
/// keys hold much of the load, fewer points come back than were asked for.
pub fn quantile_points(keys: &[&[u8]], regions: u32) -> Vec<RowKey> {
    quantile_ranks(keys, regions)
        .into_iter()
        .map(|rank| RowKey::from(keys[rank]))
        .collect()
}

/// The same, as positions in `keys`.
pub fn quantile_ranks(keys: &[&[u8]], regions: u32) -> Vec<usize> {
    debug_assert!(keys.is_sorted());
    let mut ranks: Vec<usize> = Vec::new();
    if keys.is_empty() {
        return ranks;
    }
    for i in 1..u64::from(regions) {
        let rank = (u128::from(i) * keys.len() as u128 / u128::from(regions)) as usize;
        if keys[rank] > keys[ranks.last().copied().unwrap_or(0)] {
            ranks.push(rank);
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
        keys.iter().map(Vec::as_slice).collect()
    }

    #[test]
    fn distinct_keys_are_cut_into_parts_that_differ_by_at_most_one() {
        let keys: Vec<Vec<u8>> = (0..103u8).map(|i| vec![i]).collect();
        let points = quantile_points(&slices(&keys), 7);
        assert_eq!(points.len(), 6);
        let mut counts = [0u32; 7];
        for key in &keys {
            counts[points
                .iter()
                .filter(|point| point.as_bytes() <= key.as_slice())
                .count()] += 1;
        }
        assert!(
            counts.iter().all(|&count| count == 14 || count == 15),
            "{counts:?}"
        );
    }

    #[test]
    fn a_hot_row_takes_up_several_quantiles_and_leaves_fewer_points() {
        let mut keys = vec![b"m".to_vec(); 80];
        keys.extend((0..20u8).map(|i| vec![b'n', i]));
        keys.sort();
        let points = quantile_points(&slices(&keys), 10);
        assert_eq!(
            points.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [r"n\x00", r"n\x0A"]
        );
        assert!(quantile_points(&[], 5).is_empty());
        assert!(quantile_points(&slices(&keys), 1).is_empty());
    }

    proptest! {
        #[test]
        fn points_are_sorted_distinct_not_empty_and_above_the_least_key(
            mut keys in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..3), 0..40),
            regions in 0u32..12,
        ) {
            keys.sort();
            let points = quantile_points(&slices(&keys), regions);
            prop_assert!(points.len() < regions.max(1) as usize);
            prop_assert!(points.is_sorted_by(|a, b| a < b));
            prop_assert!(points.iter().all(|point| !point.0.is_empty() && point.0 > keys[0] && keys.contains(&point.0)));
        }
    }
}
