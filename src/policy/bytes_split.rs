//! HBase's arithmetic on binary rows: `Bytes.split`, `UniformSplit`, and `Admin.createTable` with a range. Must not know
//! what the keys mean.

use super::{SplitError, check_memory};
use crate::keyspace::{RowKey, escape, unescape};
use num_bigint::BigUint;

/// `Bytes.split(a, b, inclusive, num)`: a, `num` points between, b: `a + i * floor(diff / (num + 1))` with diff = b - a (+ 1 when
/// inclusive), at the longer one's width, the shorter padded with zeros on the right. When diff < num + 1, both ends get one more zero
/// byte, as often as needed, and are returned so.
///
/// # Errors
/// HBase's, in its order: a negative array (num < -2), `b <= a`, `num cannot be <= 0`; and too many points for memory.
/// ```
/// use keyheat::policy::split_bytes;
/// let rows = split_bytes(b"a", b"c", false, 1)?;
/// assert_eq!(rows.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a", "b", "c"]);
/// # Ok::<(), keyheat::policy::SplitError>(())
/// ```
pub fn split_bytes(
    a: &[u8],
    b: &[u8],
    inclusive: bool,
    num: i64,
) -> Result<Vec<RowKey>, SplitError> {
    if num < -2 {
        return Err(SplitError::NegativeArraySize(num + 2));
    }
    let mut width = a.len().max(b.len());
    let padded = |row: &[u8], width: usize| {
        let mut row = row.to_vec();
        row.resize(width, 0);
        row
    };
    if padded(a, width) >= padded(b, width) {
        return Err(SplitError::NotAscending);
    }
    if num <= 0 {
        return Err(SplitError::NoPoints);
    }
    check_memory(num as u64 + 1, width as u64)?;
    let parts = BigUint::from(num as u64 + 1);
    let mut start = BigUint::from_bytes_be(&padded(a, width));
    let mut distance = BigUint::from_bytes_be(&padded(b, width)) - &start;
    let (mut first, mut last) = (a.to_vec(), b.to_vec());
    while &distance + u32::from(inclusive) < parts {
        width += 1;
        start <<= 8;
        distance <<= 8;
        (first, last) = (padded(a, width), padded(b, width));
    }
    let step = (&distance + u32::from(inclusive)) / parts;
    let mut rows = Vec::with_capacity(num as usize + 2);
    rows.push(RowKey(first));
    for _ in 0..num {
        start += &step;
        let digits = start.to_bytes_be();
        let mut row = vec![0; width];
        row[width - digits.len()..].copy_from_slice(&digits);
        rows.push(RowKey(row));
    }
    rows.push(RowKey(last));
    Ok(rows)
}

/// HBase's `UniformSplit`: raw bytes, evenly cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniformSplit {
    first: Vec<u8>,
    last: Vec<u8>,
}

impl UniformSplit {
    /// From rows in `\xHH` notation; the empty row to eight bytes 0xFF where not given.
    ///
    /// # Errors
    /// [`SplitError::Notation`].
    pub fn new(first: Option<&str>, last: Option<&str>) -> Result<Self, SplitError> {
        Ok(Self {
            first: first.map_or(Ok(Vec::new()), unescape)?,
            last: last.map_or(Ok(vec![0xFF; 8]), unescape)?,
        })
    }

    /// The `regions - 1` points between the ends.
    ///
    /// # Errors
    /// An empty or upside-down range, and those of [`split_bytes`].
    pub fn split(&self, regions: i64) -> Result<Vec<RowKey>, SplitError> {
        if self.last <= self.first {
            return Err(SplitError::LastNotAboveFirst {
                first: escape(&self.first),
                last: escape(&self.last),
            });
        }
        let mut rows = split_bytes(&self.first, &self.last, true, regions.saturating_sub(1))?;
        rows.pop();
        rows.remove(0);
        Ok(rows)
    }

    /// The two-key form: the middle of two rows.
    ///
    /// # Errors
    /// Those of [`split_bytes`].
    pub fn split_between(&self, start: &[u8], end: &[u8]) -> Result<RowKey, SplitError> {
        let mut rows = split_bytes(start, end, false, 1)?;
        Ok(rows.swap_remove(1))
    }
}

/// `Admin.createTable(descriptor, start, end, regions)`: the first region ends at `start`, the last begins at `end`.
/// ```
/// // The HBase book's example: hex text, cut as if all byte values occurred in it.
/// let points = keyheat::policy::create_table_points(&[b'0'; 16], &[b'f'; 16], 10)?;
/// let leads: Vec<u8> = points.iter().map(|point| point.as_bytes()[0]).collect();
/// assert_eq!(leads, [48, 54, 61, 68, 75, 82, 88, 95, 102]);
/// # Ok::<(), keyheat::policy::SplitError>(())
/// ```
///
/// # Errors
/// HBase's, in its order: fewer than three regions, `start` not below `end`, those of [`split_bytes`], an empty or repeated point.
pub fn create_table_points(
    start: &[u8],
    end: &[u8],
    regions: i64,
) -> Result<Vec<RowKey>, SplitError> {
    if regions < 3 {
        return Err(SplitError::FewerThanThree);
    }
    if start >= end {
        return Err(SplitError::StartNotBelowEnd);
    }
    let points = if regions == 3 {
        vec![RowKey::from(start), RowKey::from(end)]
    } else {
        split_bytes(start, end, false, regions - 3)?
    };
    verified(points)
}

/// What `Admin.createTable` does to any split keys: it sorts them and refuses empty and repeated ones.
pub(super) fn verified(mut points: Vec<RowKey>) -> Result<Vec<RowKey>, SplitError> {
    points.sort();
    if points.first().is_some_and(|point| point.0.is_empty()) {
        return Err(SplitError::EmptyPoint);
    }
    match points.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(SplitError::DuplicatePoint(pair[0].to_string())),
        None => Ok(points),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_come_in_the_order_of_hbases_code() {
        // `new byte[num + 2][]` comes first, and takes an array of length 0.
        for (a, b, num, expected) in [
            (b"c", b"a", -3, SplitError::NegativeArraySize(-1)),
            (b"c", b"a", -2, SplitError::NotAscending),
            (b"a", b"c", -2, SplitError::NoPoints),
        ] {
            assert_eq!(split_bytes(a, b, false, num), Err(expected));
        }
    }

    #[test]
    fn as_many_points_as_memory_does_not_hold_are_refused_by_the_regions_that_they_make() {
        let error = split_bytes(b"a", b"c", false, 999_999_999).unwrap_err();
        assert!(
            error.to_string().starts_with("1,000,000,000 regions"),
            "{error}"
        );
    }
}
