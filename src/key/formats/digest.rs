//! Cryptographic digests, raw or as text.

use super::transform::hex_digit;

/// A digest of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digest {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

/// Raw or as hexadecimal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestForm {
    Raw,
    Hex,
}

/// Bytes of the longest digest, SHA-512's.
const LONGEST: usize = 64;

impl Digest {
    /// Its length in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => LONGEST,
        }
    }

    /// Appends the first `keep` bytes of the digest of `out[start..]` in its place.
    pub fn replace(self, out: &mut Vec<u8>, start: usize, form: DigestForm, keep: usize) {
        match self {
            Self::Md5 => put::<md5::Md5>(out, start, form, keep),
            Self::Sha1 => put::<sha1::Sha1>(out, start, form, keep),
            Self::Sha256 => put::<sha2::Sha256>(out, start, form, keep),
            Self::Sha512 => put::<sha2::Sha512>(out, start, form, keep),
        }
    }
}

fn put<D: md5::Digest>(out: &mut Vec<u8>, start: usize, form: DigestForm, keep: usize) {
    let digest = D::digest(&out[start..]);
    out.truncate(start);
    form.write(&digest, keep, out);
}

impl DigestForm {
    /// Bytes that a digest of `raw` bytes takes in this form.
    pub fn length(self, raw: usize) -> usize {
        match self {
            Self::Raw => raw,
            Self::Hex => 2 * raw,
        }
    }

    /// Appends the first `keep` bytes of a digest in this form.
    pub fn write(self, digest: &[u8], keep: usize, out: &mut Vec<u8>) {
        match self {
            Self::Raw => out.extend_from_slice(&digest[..keep]),
            Self::Hex => {
                let mut text = [0u8; 2 * LONGEST];
                for (pair, &byte) in text.chunks_exact_mut(2).zip(digest) {
                    pair[0] = hex_digit(byte >> 4);
                    pair[1] = hex_digit(byte & 15);
                }
                out.extend_from_slice(&text[..keep]);
            }
        }
    }
}
