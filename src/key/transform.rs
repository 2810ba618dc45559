//! What is made of bytes in place, at the end of a buffer. Must not know where the bytes come from.

use super::code::{DigestForm, Transform};
use super::execute::write_digest;

/// Lower-case hexadecimal digit of a value below 16.
#[inline]
pub(super) fn hex_digit(value: u8) -> u8 {
    value + if value < 10 { b'0' } else { b'a' - 10 }
}

/// The digest of `bytes`, N bytes long.
pub(super) fn digest<D: md5::Digest, const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut result = [0; N];
    result.copy_from_slice(&D::digest(bytes));
    result
}

/// Does a UTF-8 character start with this byte?
fn starts_char(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// Length in bytes of the first `count` characters.
fn chars_prefix(bytes: &[u8], count: usize) -> usize {
    let starts = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| starts_char(**byte));
    starts.map(|(at, _)| at).nth(count).unwrap_or(bytes.len())
}

fn char_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| starts_char(**byte)).count()
}

/// The range of SQL's `substr(s, position, count)` of a value of `length` characters: positions from 1, 0 means 1
/// (Hive, Phoenix), negative ones count from the end.
fn substr_range(length: usize, position: i64, count: usize) -> (usize, usize) {
    let start = if position < 0 {
        length.saturating_sub(usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::try_from(position.max(1) - 1)
            .unwrap_or(usize::MAX)
            .min(length)
    };
    (start, start.saturating_add(count).min(length))
}

impl Transform {
    /// Replaces `out[start..]` by what the transform makes of it.
    pub fn apply(&self, out: &mut Vec<u8>, start: usize) {
        match *self {
            Self::LeftBytes(count) => out.truncate(start.saturating_add(count)),
            Self::LeftChars(count) => {
                let keep = chars_prefix(&out[start..], count);
                out.truncate(start + keep);
            }
            Self::RightBytes(count) => {
                let drop = (out.len() - start).saturating_sub(count);
                cut_front(out, start, drop);
            }
            Self::RightChars(count) => {
                let tail = &out[start..];
                let drop = chars_prefix(tail, char_count(tail).saturating_sub(count));
                cut_front(out, start, drop);
            }
            Self::SubstrBytes(position, count) => {
                let (from, to) = substr_range(out.len() - start, position, count);
                out.truncate(start + to);
                cut_front(out, start, from);
            }
            Self::SubstrChars(position, count) => {
                let tail = &out[start..];
                let (from, to) = substr_range(char_count(tail), position, count);
                let (from, to) = (chars_prefix(tail, from), chars_prefix(tail, to));
                out.truncate(start + to);
                cut_front(out, start, from);
            }
            Self::Upper => out[start..].make_ascii_uppercase(),
            Self::Lower => out[start..].make_ascii_lowercase(),
            Self::ReverseBytes => out[start..].reverse(),
            Self::ReverseChars => reverse_parts(&mut out[start..], |byte, _| starts_char(byte)),
            Self::ReverseDomain => reverse_labels(&mut out[start..]),
            Self::Invert => {
                for byte in &mut out[start..] {
                    *byte = !*byte;
                }
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
            Self::Sha1(form) => {
                let digest = digest::<sha1::Sha1, 20>(&out[start..]);
                out.truncate(start);
                write_digest(&digest, form, form.length(20), out);
            }
            Self::Sha256(form) => {
                let digest = digest::<sha2::Sha256, 32>(&out[start..]);
                out.truncate(start);
                write_digest(&digest, form, form.length(32), out);
            }
            Self::Sha512(form) => {
                let digest = digest::<sha2::Sha512, 64>(&out[start..]);
                out.truncate(start);
                write_digest(&digest, form, form.length(64), out);
            }
        }
    }
}

impl DigestForm {
    /// Bytes that a digest of `raw` bytes takes in this form.
    pub fn length(self, raw: usize) -> usize {
        match self {
            Self::Raw => raw,
            Self::Hex => 2 * raw,
        }
    }
}

fn cut_front(out: &mut Vec<u8>, start: usize, drop: usize) {
    let length = out.len();
    out.copy_within(start + drop.., start);
    out.truncate(length - drop);
}

/// Reverses everything, then each part again: the parts change their order and stay as they are. After the first
/// reversal a part *ends* with the byte that `first` recognises.
fn reverse_parts(bytes: &mut [u8], first: impl Fn(u8, usize) -> bool) {
    bytes.reverse();
    let mut part = 0;
    for at in 0..bytes.len() {
        if first(bytes[at], at) {
            bytes[part..=at].reverse();
            part = at + 1;
        }
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
