//! One row key. Must not know what its bytes mean.

use super::notation::{self, NotationError};
use crate::text::hex;
use serde::{Serialize, Serializer};
use std::fmt;

/// A row key: any bytes, compared unsigned, a prefix before its extensions. Empty is the start of the
/// first region (and, as an end key, the end of the last).
///
/// It is shown in HBase's `\xHH` notation:
/// ```
/// use keyheat_core::keyspace::RowKey;
/// assert_eq!(RowKey(vec![0x00, b'a', 0xFF]).to_string(), r"\x00a\xFF");
/// ```
/// In JSON it is lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct RowKey(#[serde(serialize_with = "in_hex")] pub Vec<u8>);

fn in_hex<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(bytes))
}

impl RowKey {
    /// The longest row that HBase takes (`HConstants.MAX_ROW_LENGTH`).
    pub const MAX_LEN: usize = 32_767;

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key that `text` writes in `\xHH` notation, refusing what HBase would silently read as something else: see
    /// `NotationError`. [`super::unescape`] is HBase's own reading.
    pub fn parse(text: &str) -> Result<Self, NotationError> {
        notation::parse_strictly(text).map(Self)
    }

    /// Appends the least key above every key that starts with `prefix` to `out`: nothing (the end of the key space) when there is none, which
    /// is when the prefix is empty or all 0xFF.
    /// ```
    /// use keyheat_core::keyspace::RowKey;
    /// let mut end = Vec::new();
    /// RowKey::write_after_prefix(b"ab\xFF", &mut end);
    /// assert_eq!(end, b"ac");
    /// RowKey::write_after_prefix(b"\xFF\xFF", &mut end);
    /// assert_eq!(end, b"ac");
    /// ```
    pub fn write_after_prefix(prefix: &[u8], out: &mut Vec<u8>) {
        if let Some(last) = prefix.iter().rposition(|&byte| byte != 0xFF) {
            out.extend_from_slice(&prefix[..last]);
            out.push(prefix[last] + 1);
        }
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&notation::escape(&self.0))
    }
}

impl From<&[u8]> for RowKey {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

/// The first eight bytes of a key as a number, zeros where it has fewer: keys with different ones come in their order.
pub fn leading_bits(key: &[u8]) -> u64 {
    if let Some(bytes) = key.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes[..key.len()].copy_from_slice(key);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn leading_bits_that_differ_come_in_the_order_of_their_keys(
            a in proptest::collection::vec(0u8..3, 0..11),
            b in proptest::collection::vec(0u8..3, 0..11),
        ) {
            let (first, second) = (leading_bits(&a), leading_bits(&b));
            prop_assert!(first == second || (first < second) == (a < b));
        }

        #[test]
        fn the_end_of_a_prefix_is_above_all_that_start_with_it_and_nothing_else_lies_between(
            prefix in proptest::collection::vec(prop_oneof![Just(0xFFu8), Just(0xFEu8), any::<u8>()], 0..5),
            key in proptest::collection::vec(prop_oneof![Just(0xFFu8), Just(0u8), any::<u8>()], 0..6),
        ) {
            let mut end = RowKey::default();
            RowKey::write_after_prefix(&prefix, &mut end.0);
            let inside = key.as_slice() >= prefix.as_slice() && (end.0.is_empty() || key < end.0);
            prop_assert_eq!(inside, key.starts_with(&prefix));
        }
    }
}
