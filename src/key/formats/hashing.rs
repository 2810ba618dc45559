//! Hash functions with integers as values, exactly as the systems that use them compute them. All are O(bytes)
//! and allocate nothing.

use crate::record::Interval;

/// A hash with an integer as its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntHash {
    /// With this seed.
    Murmur3(u32),
    Murmur3Wide,
    Crc32,
    Fnv1,
    Fnv1a,
    Fnv1aWide,
    /// `String.hashCode`
    JavaText,
    /// `Arrays.hashCode(byte[])`
    JavaBytes,
}

impl IntHash {
    /// The hash of `bytes`.
    pub fn of(self, bytes: &[u8]) -> i64 {
        match self {
            Self::Murmur3(seed) => murmur3_32(bytes, seed).into(),
            Self::Murmur3Wide => murmur3_128(bytes),
            // ISO 3309, as zlib, Java and MySQL compute it.
            Self::Crc32 => crc32fast::hash(bytes).into(),
            Self::Fnv1 => fnv1_32(bytes).into(),
            Self::Fnv1a => fnv1a_32(bytes).into(),
            Self::Fnv1aWide => fnv1a_64(bytes) as i64,
            Self::JavaText => java_text(bytes).into(),
            Self::JavaBytes => java_bytes(bytes).into(),
        }
    }

    /// The values that it can take.
    pub fn range(self) -> Interval {
        match self {
            Self::Murmur3Wide | Self::Fnv1aWide => Interval::ALL,
            Self::JavaText | Self::JavaBytes => Interval::new(i32::MIN.into(), i32::MAX.into()),
            _ => Interval::new(0, u32::MAX.into()),
        }
    }
}

/// Up to eight bytes as a little-endian number.
fn little(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// MurmurHash3_x86_32 (Austin Appleby), as Guava's `murmur3_32` and mmh3.
fn murmur3_32(bytes: &[u8], seed: u32) -> u32 {
    let scramble = |word: u32| {
        let turned = word.wrapping_mul(0xcc9e_2d51).rotate_left(15);
        turned.wrapping_mul(0x1b87_3593)
    };
    let mut hash = seed;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        let word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        hash = (hash ^ scramble(word)).rotate_left(13);
        hash = hash.wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    // No rest scrambles to 0.
    hash ^= scramble(little(chunks.remainder()) as u32) ^ bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// The first 64 bits of MurmurHash3_x64_128 with seed 0 as a little-endian `long`: Guava's
/// `murmur3_128().hashBytes(..).asLong()`.
fn murmur3_128(bytes: &[u8]) -> i64 {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let scramble = |word: &[u8], first: u64, turns: u32, second: u64| {
        let turned = little(word).wrapping_mul(first).rotate_left(turns);
        turned.wrapping_mul(second)
    };
    let mix1 = |word: &[u8]| scramble(word, C1, 31, C2);
    let mix2 = |word: &[u8]| scramble(word, C2, 33, C1);
    let step = |hash: u64, turns: u32, other: u64, more: u64| {
        let sum = hash.rotate_left(turns).wrapping_add(other);
        sum.wrapping_mul(5).wrapping_add(more)
    };
    let finish = |mut k: u64| {
        k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        k ^ k >> 33
    };
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        h1 = step(h1 ^ mix1(&block[..8]), 27, h2, 0x52dc_e729);
        h2 = step(h2 ^ mix2(&block[8..]), 31, h1, 0x3849_5ab5);
    }
    let rest = blocks.remainder();
    // A missing half mixes to 0.
    h1 ^= mix1(&rest[..rest.len().min(8)]) ^ bytes.len() as u64;
    h2 ^= mix2(rest.get(8..).unwrap_or_default()) ^ bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    finish(h1).wrapping_add(finish(h2)) as i64
}

/// FNV-1, 32 bits (Fowler, Noll, Vo).
fn fnv1_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash: u32, &byte| {
        hash.wrapping_mul(0x0100_0193) ^ u32::from(byte)
    })
}

/// FNV-1a, 32 bits.
fn fnv1a_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash: u32, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// FNV-1a, 64 bits.
fn fnv1a_64(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Java's `Arrays.hashCode(byte[])`: signed bytes, from 1.
pub fn java_bytes(bytes: &[u8]) -> i32 {
    bytes.iter().fold(1i32, |hash, &byte| {
        hash.wrapping_mul(31).wrapping_add(i32::from(byte as i8))
    })
}

/// Java's `String.hashCode()`: UTF-16 units, from 0. Bytes that are no UTF-8 count as U+FFFD, as Java decodes them.
fn java_text(bytes: &[u8]) -> i32 {
    let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    let mut hash = 0;
    for chunk in bytes.utf8_chunks() {
        hash = chunk.valid().encode_utf16().fold(hash, step);
        if !chunk.invalid().is_empty() {
            hash = step(hash, 0xfffd);
        }
    }
    hash
}
