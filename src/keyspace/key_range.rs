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
    /// The regions that split points cut the key space into: one more than there are points, which must be sorted.
    pub fn between(split_points: &[RowKey]) -> impl Iterator<Item = KeyRange> + '_ {
        (0..=split_points.len()).map(|region| KeyRange {
            start: match region {
                0 => RowKey::default(),
                _ => split_points[region - 1].clone(),
            },
            end: split_points.get(region).cloned().unwrap_or_default(),
        })
    }

    /// Whether `key` lies in it.
    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_bytes() && (self.end.0.is_empty() || key < self.end.as_bytes())
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
}
