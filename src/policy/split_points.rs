//! Split points that somebody listed, that cut given rows, and as the HBase shell takes them. Must not know where they come from.

use crate::keyspace::{RowKey, escape};
use thiserror::Error;

/// One fault; `index` counts from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SplitPointError {
    /// HBase refuses an empty split key: the first region starts there already.
    #[error("split point {} is empty", index + 1)]
    Empty {
        /// Which.
        index: usize,
    },
    /// It does not lie above the one before.
    #[error("split point {} is less than the one before it", index + 1)]
    Unsorted {
        /// Which.
        index: usize,
    },
    /// It stands there twice.
    #[error("split point {} repeats number {}", index + 1, of + 1)]
    Duplicate {
        /// Which.
        index: usize,
        /// Its first occurrence.
        of: usize,
    },
    /// No row key can be so long.
    #[error("split point {} has {length} bytes, a row key at most {}", index + 1, RowKey::MAX_LEN)]
    TooLong {
        /// Which.
        index: usize,
        /// Its length in bytes.
        length: usize,
    },
}

impl SplitPointError {
    /// Which point is wrong, from 0.
    pub fn index(&self) -> usize {
        match *self {
            Self::Empty { index }
            | Self::Unsorted { index }
            | Self::Duplicate { index, .. }
            | Self::TooLong { index, .. } => index,
        }
    }
}

/// All faults of listed split points, by index, at most one a point. O(n log n).
pub fn check_split_points(points: &[RowKey]) -> Vec<SplitPointError> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&index| (&points[index], index));
    let mut first_of: Vec<usize> = (0..points.len()).collect();
    for pair in order.windows(2) {
        if points[pair[0]] == points[pair[1]] {
            first_of[pair[1]] = first_of[pair[0]];
        }
    }
    let fault = |(index, point): (usize, &RowKey)| {
        let length = point.0.len();
        if length == 0 {
            Some(SplitPointError::Empty { index })
        } else if length > RowKey::MAX_LEN {
            Some(SplitPointError::TooLong { index, length })
        } else if first_of[index] != index {
            Some(SplitPointError::Duplicate {
                index,
                of: first_of[index],
            })
        } else if index > 0 && *point < points[index - 1] {
            Some(SplitPointError::Unsorted { index })
        } else {
            None
        }
    };
    points.iter().enumerate().filter_map(fault).collect()
}

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

/// `create 'table', 'family', SPLITS => ['\x10\x00', ...]`. In Ruby's single quotes every backslash of the `\xHH` notation stands
/// for itself, and the shell turns it into bytes; a single quote is written `\x27`.
/// ```
/// use keyheat::{keyspace::RowKey, policy::create_command};
/// let points = [vec![0x10, 0x00], b"it's\\".to_vec()].map(RowKey);
/// assert_eq!(create_command("t", "d", &points), r"create 't', 'd', SPLITS => ['\x10\x00', 'it\x27s\x5C']");
/// assert_eq!(create_command("t", "d", &[]), "create 't', 'd'");
/// ```
pub fn create_command(table: &str, family: &str, split_points: &[RowKey]) -> String {
    let mut text = format!("create {}, {}", ruby(table), ruby(family));
    for (i, point) in split_points.iter().enumerate() {
        text.push_str(if i == 0 { ", SPLITS => ['" } else { ", '" });
        text.push_str(&escape(point.as_bytes()).replace('\'', "\\x27"));
        text.push('\'');
    }
    if !split_points.is_empty() {
        text.push(']');
    }
    text
}

/// A single-quoted Ruby string.
fn ruby(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod check_tests {
    use super::*;

    #[test]
    fn every_fault_is_named_once_with_its_place() {
        let points: Vec<RowKey> = ["m", "", "c", "m", "z", "c"]
            .iter()
            .map(|text| RowKey::from(text.as_bytes()))
            .collect();
        let found = check_split_points(&points);
        assert_eq!(
            found,
            [
                SplitPointError::Empty { index: 1 },
                SplitPointError::Duplicate { index: 3, of: 0 },
                SplitPointError::Duplicate { index: 5, of: 2 },
            ]
        );
        let places = |found: &[SplitPointError]| -> Vec<usize> {
            found.iter().map(SplitPointError::index).collect()
        };
        assert_eq!(places(&found), [1, 3, 5]);
        let points: Vec<RowKey> = [vec![b'b'], vec![b'a'], vec![b'x'; 40_000]]
            .into_iter()
            .map(RowKey)
            .collect();
        let found = check_split_points(&points);
        assert_eq!(
            found,
            [
                SplitPointError::Unsorted { index: 1 },
                SplitPointError::TooLong {
                    index: 2,
                    length: 40_000
                }
            ]
        );
        assert_eq!(places(&found), [1, 2]);
        assert_eq!(
            found[0].to_string(),
            "split point 2 is less than the one before it"
        );
        assert_eq!(check_split_points(&[]), []);
        // `HConstants.MAX_ROW_LENGTH` is Short.MAX_VALUE.
        let of_length = |length| check_split_points(&[RowKey(vec![b'x'; length])]);
        assert_eq!(of_length(32_767), []);
        assert_eq!(
            of_length(32_768),
            [SplitPointError::TooLong {
                index: 0,
                length: 32_768
            }]
        );
    }
}

#[cfg(test)]
mod quantile_tests {
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
