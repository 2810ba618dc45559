//! What is wrong with split points that somebody listed. Must not mend them.

use crate::keyspace::RowKey;
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

#[cfg(test)]
mod tests {
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
