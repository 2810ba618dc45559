//! The row that a block index holds for a data block: a short one between two neighbours. Must not know blocks.

/// Why two rows have no separator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeparatorError {
    /// Rows are written in ascending order (HBase: `IllegalArgumentException`).
    #[error("the left row sorts after the right one")]
    OutOfOrder,
}

/// A shortest row that is greater than `left` and not greater than `right`: what HBase puts into the block index when one data
/// block ends with `left` and the next begins with `right` (`HFileWriterImpl.getMidpoint`). Cut behind the first byte that
/// differs: `left`'s byte plus one, or, when `left` is a prefix of `right`, a zero. `None` for equal rows, whose index entry is
/// the whole cell key.
///
/// # Errors
/// When `left` sorts after `right`.
/// ```
/// use keyheat_core::storage::separator;
/// let row = separator(b"user0000123999", b"user0000124000");
/// assert_eq!(row, Ok(Some(b"user0000124".to_vec())));
/// ```
pub fn separator(left: &[u8], right: &[u8]) -> Result<Option<Vec<u8>>, SeparatorError> {
    match left.cmp(right) {
        std::cmp::Ordering::Greater => return Err(SeparatorError::OutOfOrder),
        std::cmp::Ordering::Equal => return Ok(None),
        std::cmp::Ordering::Less => {}
    }
    let common = common_prefix(left, right);
    let mut row = right[..=common].to_vec();
    // A byte that sorts below another is not the last one.
    row[common] = left.get(common).map_or(0, |byte| byte + 1);
    Ok(Some(row))
}

/// Number of leading bytes that both have.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let (words, others) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let mut alike = 0;
    for (word, other) in words.iter().zip(others) {
        let differ = u64::from_be_bytes(*word) ^ u64::from_be_bytes(*other);
        if differ != 0 {
            return alike + differ.leading_zeros() as usize / 8;
        }
        alike += 8;
    }
    let rest = a[alike..].iter().zip(&b[alike..]);
    alike + rest.take_while(|(a, b)| a == b).count()
}
