//! What is made of bytes in place, at the end of a buffer.

use crate::record::ByteSet;

/// A change of bytes. Characters are UTF-8 sequences for texts, single bytes otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum Transform {
    /// From a position (from 1; negative: from the end), at most so many: the start and the end of a text as well.
    Substr {
        position: i64,
        count: usize,
        by_char: bool,
    },
    /// ASCII letters only.
    Upper,
    Lower,
    ReverseBytes,
    ReverseChars,
    ReverseDomain,
    /// Every byte ^ 0xFF.
    Invert,
    Hex,
    /// Of pairs of digits; what is none counts as 0, and a last one alone is dropped.
    Unhex,
    PadLeft {
        width: usize,
        pad: u8,
    },
    PadRight {
        width: usize,
        pad: u8,
    },
}

/// Lower-case hexadecimal digit of a value below 16.
pub fn hex_digit(value: u8) -> u8 {
    value + if value < 10 { b'0' } else { b'a' - 10 }
}

/// Does a UTF-8 character start with this byte?
fn starts_char(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// Length in bytes of the first `count` characters.
fn chars_prefix(bytes: &[u8], count: usize) -> usize {
    let starts = bytes.iter().enumerate();
    let starts = starts.filter(|(_, byte)| starts_char(**byte));
    starts.map(|(at, _)| at).nth(count).unwrap_or(bytes.len())
}

fn char_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| starts_char(**byte)).count()
}

/// The range of SQL's `substr(s, position, count)` of a value of `length` characters: positions from 1, 0 means 1
/// (Hive, Phoenix), negative ones count from the end.
fn substr_range(length: usize, position: i64, count: usize) -> (usize, usize) {
    let distance = |from: u64| usize::try_from(from).unwrap_or(usize::MAX);
    let start = match position {
        ..0 => length.saturating_sub(distance(position.unsigned_abs())),
        _ => distance(position.unsigned_abs().saturating_sub(1)).min(length),
    };
    (start, start.saturating_add(count).min(length))
}

impl Transform {
    /// Replaces `out[start..]` by what the transform makes of it.
    pub fn apply(&self, out: &mut Vec<u8>, start: usize) {
        match *self {
            Self::Substr {
                position,
                count,
                by_char,
            } => {
                let tail = &out[start..];
                let (from, to) = if by_char {
                    let (from, to) = substr_range(char_count(tail), position, count);
                    (chars_prefix(tail, from), chars_prefix(tail, to))
                } else {
                    substr_range(tail.len(), position, count)
                };
                out.truncate(start + to);
                out.drain(start..start + from);
            }
            Self::Hex => {
                let length = out.len() - start;
                out.resize(start + 2 * length, 0);
                for at in (0..length).rev() {
                    let byte = out[start + at];
                    out[start + 2 * at] = hex_digit(byte >> 4);
                    out[start + 2 * at + 1] = hex_digit(byte & 15);
                }
            }
            Self::Unhex => {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
                let length = (out.len() - start) / 2;
                for at in 0..length {
                    let pair = start + 2 * at;
                    out[start + at] = digit(out[pair]) << 4 | digit(out[pair + 1]);
                }
                out.truncate(start + length);
            }
            Self::PadLeft { width, pad } => {
                let missing = width.saturating_sub(char_count(&out[start..]));
                out.resize(out.len() + missing, pad);
                out[start..].rotate_right(missing);
                out[start..start + missing].fill(pad);
            }
            Self::PadRight { width, pad } => {
                let missing = width.saturating_sub(char_count(&out[start..]));
                out.resize(out.len() + missing, pad);
            }
            _ => self.change(&mut out[start..]),
        }
    }

    /// Does it move bytes to other places, all of them?
    pub fn turns(&self) -> bool {
        matches!(
            self,
            Self::ReverseBytes | Self::ReverseChars | Self::ReverseDomain
        )
    }

    /// Does it leave the length as it is, so that [`Transform::change`] does all?
    pub fn keeps_length(&self) -> bool {
        self.turns() || matches!(self, Self::Upper | Self::Lower | Self::Invert)
    }

    /// Does changing the case of letters leave bytes of these values different, and in their order?
    pub fn keeps_order(&self, values: ByteSet) -> bool {
        let mut all: Vec<u8> = (0..=u8::MAX)
            .filter(|byte| values.contains(*byte))
            .collect();
        self.change(&mut all);
        all.is_sorted_by(|a, b| a < b)
    }

    /// Changes bytes whose length stays.
    pub fn change(&self, bytes: &mut [u8]) {
        match self {
            Self::Upper => bytes.make_ascii_uppercase(),
            Self::Lower => bytes.make_ascii_lowercase(),
            Self::ReverseBytes => bytes.reverse(),
            Self::ReverseChars => reverse_chars(bytes),
            Self::ReverseDomain => reverse_labels(bytes),
            Self::Invert => bytes.iter_mut().for_each(|byte| *byte = !*byte),
            _ => {}
        }
    }
}

/// Reverses everything, then each character again. After the first reversal a character *ends* with the byte that started it.
fn reverse_chars(bytes: &mut [u8]) {
    bytes.reverse();
    for char in bytes.split_inclusive_mut(|&byte| starts_char(byte)) {
        char.reverse();
    }
}

/// Labels between dots, last first.
fn reverse_labels(bytes: &mut [u8]) {
    bytes.reverse();
    for label in bytes.split_mut(|&byte| byte == b'.') {
        label.reverse();
    }
}

#[cfg(test)]
#[path = "transform_tests.rs"]
mod tests;
