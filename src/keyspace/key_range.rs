//! A half-open range of row keys. Must not know which region it is.

use super::RowKey;

/// `[start, end)`; an empty `end` is the end of the key space.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct KeyRange {
    /// Included; empty is the start of the key space.
    pub start: RowKey,
    /// Excluded; empty is the end of the key space.
    pub end: RowKey,
}

impl KeyRange {
    /// All keys that start with `prefix`.
    pub fn of_prefix(prefix: &[u8]) -> Self {
        Self {
            start: RowKey::from(prefix),
            end: RowKey::after_prefix(prefix),
        }
    }

    /// The regions that split points cut the key space into: one more than there are points, which must be sorted.
    pub fn between(split_points: &[RowKey]) -> impl Iterator<Item = KeyRange> + '_ {
        (0..=split_points.len()).map(|region| KeyRange {
            start: if region == 0 {
                RowKey::default()
            } else {
                split_points[region - 1].clone()
            },
            end: split_points.get(region).cloned().unwrap_or_default(),
        })
    }

    /// Whether `key` lies in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_bytes() && (self.end.0.is_empty() || key < self.end.as_bytes())
    }

    /// Whether no key lies in it.
    pub fn is_empty(&self) -> bool {
        !self.end.0.is_empty() && self.start >= self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_between_split_points_tile_the_key_space() {
        let points: Vec<RowKey> = [b"b".as_slice(), b"ba", b"c"]
            .into_iter()
            .map(RowKey::from)
            .collect();
        let regions: Vec<KeyRange> = KeyRange::between(&points).collect();
        assert_eq!(regions.len(), 4);
        for key in [
            b"".as_slice(),
            b"a",
            b"b",
            b"b\x00",
            b"ba",
            b"bz",
            b"c",
            b"\xFF\xFF",
        ] {
            assert_eq!(
                regions.iter().filter(|region| region.contains(key)).count(),
                1,
                "{key:?}"
            );
        }
    }

    #[test]
    fn a_range_is_empty_only_when_its_end_is_not_above_its_start() {
        assert!(!KeyRange::default().is_empty());
        assert!(!KeyRange::of_prefix(b"\xFF").is_empty());
        assert!(
            KeyRange {
                start: RowKey::from(b"b".as_slice()),
                end: RowKey::from(b"b".as_slice())
            }
            .is_empty()
        );
    }
}
