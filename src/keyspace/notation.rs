//! HBase's text form of binary keys: `Bytes.toStringBinary` and `Bytes.toBytesBinary`, byte for byte, and a stricter reading for
//! people. Must not know where a text stands.

use thiserror::Error;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// `Bytes.toStringBinary`: bytes 0x20 to 0x7E but the backslash are themselves, all others `\x` and two upper-case digits.
/// ```
/// assert_eq!(keyheat_core::keyspace::escape(b"a\\\x00\xFF~"), r"a\x5C\x00\xFF~");
/// ```
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for &byte in bytes {
        if (0x20..=0x7E).contains(&byte) && byte != b'\\' {
            text.push(char::from(byte));
        } else {
            push_escape(&mut text, byte);
        }
    }
    text
}

/// Appends `\x` and the byte's two upper-case digits.
pub(super) fn push_escape(text: &mut String, byte: u8) {
    text.push_str("\\x");
    text.push(char::from(HEX[usize::from(byte >> 4)]));
    text.push(char::from(HEX[usize::from(byte & 0xF)]));
}

/// Where HBase's reader throws `StringIndexOutOfBoundsException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("`\\x` at byte {position} is not followed by two characters")]
pub struct UnescapeError {
    /// Byte offset of the backslash in the text.
    pub position: usize,
}

/// `Bytes.toBytesBinary`, quirks included: `\x` and two of `0-9A-F` is a byte; when the two are anything else (lower-case
/// digits!) the backslash is dropped and the rest is literal; every other backslash is literal; a character above 0xFF keeps
/// the low byte of each UTF-16 unit.
///
/// # Errors
/// A `\x` with fewer than two characters after it.
/// ```
/// use keyheat_core::keyspace::{UnescapeError, unescape};
/// assert_eq!(unescape(r"\x00\xFF"), Ok(vec![0x00, 0xFF]));
/// assert_eq!(unescape(r"\xff"), Ok(b"xff".to_vec()));
/// assert_eq!(unescape(r"a\x4"), Err(UnescapeError { position: 1 }));
/// ```
pub fn unescape(text: &str) -> Result<Vec<u8>, UnescapeError> {
    let mut units = Vec::with_capacity(text.len());
    let mut buffer = [0u16; 2];
    for (position, character) in text.char_indices() {
        let encoded = character.encode_utf16(&mut buffer).iter();
        units.extend(encoded.map(|&unit| (position, unit)));
    }
    let (backslash, x) = (u16::from(b'\\'), u16::from(b'x'));
    let mut bytes = Vec::with_capacity(units.len());
    let mut rest = &units[..];
    while let [(position, unit), behind @ ..] = rest {
        rest = behind;
        match behind {
            [(_, next), digits @ ..] if (*unit, *next) == (backslash, x) => {
                let [(_, high), (_, low), behind @ ..] = digits else {
                    let position = *position;
                    return Err(UnescapeError { position });
                };
                if let (Some(high), Some(low)) = (digit(*high), digit(*low)) {
                    bytes.push(high << 4 | low);
                    rest = behind;
                }
            }
            _ => bytes.push(*unit as u8),
        }
    }
    Ok(bytes)
}

fn digit(unit: u16) -> Option<u8> {
    let mut digits = HEX.iter();
    let value = digits.position(|&hex| u16::from(hex) == unit);
    value.map(|value| value as u8)
}

/// What a text in `\xHH` notation should not contain; positions are byte offsets in it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotationError {
    /// HBase would keep the low byte of each UTF-16 unit only.
    #[error(
        "`{character}` is not ASCII: HBase keeps only the low byte of each character, so it would be another key"
    )]
    NotAscii {
        /// Where it stands.
        position: usize,
        /// What stands there.
        character: char,
    },
    /// HBase would drop the backslash and keep the rest as text.
    #[error("`{found}` is no byte: HBase takes upper-case digits only and would read it as the text `{}`", &found[1..])]
    NotUpperCase {
        /// Where the backslash stands.
        position: usize,
        /// The four characters.
        found: String,
    },
    /// HBase would throw.
    #[error(transparent)]
    Truncated(#[from] UnescapeError),
}

impl NotationError {
    /// Byte offset of the guilty character.
    pub fn position(&self) -> usize {
        match self {
            Self::NotAscii { position, .. } | Self::NotUpperCase { position, .. } => *position,
            Self::Truncated(error) => error.position,
        }
    }
}

/// [`unescape`] that refuses what would silently become another key.
pub(super) fn parse_strictly(text: &str) -> Result<Vec<u8>, NotationError> {
    let mut characters = text.char_indices();
    if let Some((position, character)) = characters.find(|(_, it)| !it.is_ascii()) {
        return Err(NotationError::NotAscii {
            position,
            character,
        });
    }
    let bytes = unescape(text)?;
    let mut position = 0;
    while let Some(found) = text[position..].find("\\x") {
        position += found;
        let escape = &text[position..position + 4];
        if !escape.bytes().skip(2).all(|byte| HEX.contains(&byte)) {
            return Err(NotationError::NotUpperCase {
                position,
                found: escape.to_owned(),
            });
        }
        position += 4;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_escaped_reads_back_under_both_readings(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let text = escape(&bytes);
            prop_assert_eq!(unescape(&text).unwrap(), bytes.clone());
            prop_assert_eq!(parse_strictly(&text).unwrap(), bytes);
        }

        #[test]
        fn what_the_strict_reading_takes_is_read_alike_by_hbase(text in r"(\\|\\x|[0-9A-Fa-fx]|é|z){0,12}") {
            if let Ok(bytes) = parse_strictly(&text) {
                prop_assert_eq!(unescape(&text).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn the_strict_reading_says_what_hbase_would_make_of_a_mistake() {
        let error = parse_strictly(r"a\xfF").unwrap_err();
        assert_eq!(error.position(), 1);
        assert_eq!(
            error.to_string(),
            r"`\xfF` is no byte: HBase takes upper-case digits only and would read it as the text `xfF`"
        );
        assert_eq!(parse_strictly("ab中").unwrap_err().position(), 2);
        assert_eq!(parse_strictly(r"ab\x").unwrap_err().position(), 2);
        assert_eq!(parse_strictly(r"\n\").unwrap(), br"\n\");
    }
}
