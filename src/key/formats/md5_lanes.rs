//! MD5 of many short messages side by side (RFC 1321). One MD5 is a chain of 64 dependent steps; independent messages
//! fill the rest of the processor.

use md5::{Digest, Md5};

/// Messages side by side.
pub const LANES: usize = 16;

/// The longest message that fits one block with its padding.
pub const ONE_BLOCK: usize = 55;

type Words<const N: usize> = [[u32; N]; 16];
type State<const N: usize> = [[u32; N]; 4];

/// The digest of each message; message i ends at `ends[i]` of `messages` and starts where the one before ended. At most
/// [`LANES`] messages. Longer ones than a block are made one by one.
pub fn digests(messages: &[u8], ends: &[usize], mut set: impl FnMut(usize, [u8; 16])) {
    debug_assert!(ends.len() <= LANES);
    let mut words = [[0u32; LANES]; 16];
    let mut start = 0;
    let mut fits = [false; LANES];
    for (lane, &end) in ends.iter().enumerate() {
        let message = &messages[start..end];
        start = end;
        if message.len() > ONE_BLOCK {
            set(lane, Md5::digest(message).into());
            continue;
        }
        fits[lane] = true;
        let mut block = [0u8; 64];
        block[..message.len()].copy_from_slice(message);
        block[message.len()] = 0x80;
        block[56..].copy_from_slice(&(8 * message.len() as u64).to_le_bytes());
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            word[lane] = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }
    let state = blocks(&words);
    for lane in (0..ends.len()).filter(|&lane| fits[lane]) {
        let mut digest = [0u8; 16];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(&state) {
            bytes.copy_from_slice(&word[lane].to_le_bytes());
        }
        set(lane, digest);
    }
}

/// The digests of messages of `length` bytes (at most [`ONE_BLOCK`]), one in each 64 bytes, zeros behind it. There is room for
/// a multiple of [`LANES`] messages.
pub fn digests_of_blocks(blocks_of_64: &[u8], length: usize, digests: &mut [[u8; 16]]) {
    let mut words = [[0u32; LANES]; 16];
    // Words 0 to this one hold the message and the mark behind it; only the last but one says something else.
    let marked = length / 4;
    words[14] = [8 * length as u32; LANES];
    let groups = digests
        .chunks_mut(LANES)
        .zip(blocks_of_64.chunks_exact(64 * LANES));
    for (digests, group) in groups {
        for (at, word) in words[..=marked].iter_mut().enumerate() {
            for (lane, block) in word.iter_mut().zip(group.chunks_exact(64)) {
                let bytes = &block[4 * at..4 * at + 4];
                *lane = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        for lane in &mut words[marked] {
            *lane |= 0x80 << (8 * (length % 4));
        }
        let state = blocks(&words);
        for (lane, digest) in digests.iter_mut().enumerate() {
            for (bytes, word) in digest.chunks_exact_mut(4).zip(&state) {
                bytes.copy_from_slice(&word[lane].to_le_bytes());
            }
        }
    }
}

/// The state after one block, in the widest way that the processor has.
#[allow(unsafe_code)]
fn blocks(words: &Words<LANES>) -> State<LANES> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the function is safe but for needing AVX2, which has just been detected.
        return unsafe { blocks_avx2(words) };
    }
    blocks_portable(words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn blocks_avx2(words: &Words<LANES>) -> State<LANES> {
    compress(words)
}

/// Four lanes at a time: what 128-bit registers hold without spilling.
fn blocks_portable(words: &Words<LANES>) -> State<LANES> {
    let mut state = [[0u32; LANES]; 4];
    for first in (0..LANES).step_by(4) {
        let mut four = [[0u32; 4]; 16];
        for (narrow, wide) in four.iter_mut().zip(words) {
            narrow.copy_from_slice(&wide[first..first + 4]);
        }
        for (wide, narrow) in state.iter_mut().zip(compress(&four)) {
            wide[first..first + 4].copy_from_slice(&narrow);
        }
    }
    state
}

/// RFC 1321, 3.3: initial state.
const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// RFC 1321, 3.4: the integer part of 2^32 |sin(i + 1)|.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// Rotations of the four rounds.
const TURNS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

/// The compression function on N blocks; N follows the width of the registers.
#[inline(always)]
fn compress<const N: usize>(words: &Words<N>) -> State<N> {
    let [mut a, mut b, mut c, mut d] = INITIAL.map(|word| [word; N]);
    // Step and round are literals, so that constants, rotations and places are known to the compiler.
    macro_rules! step {
        ($step:expr, $mix:expr, $word:expr) => {{
            let mix: fn(u32, u32, u32) -> u32 = $mix;
            let word = &words[$word & 15];
            let mut next = [0u32; N];
            for lane in 0..N {
                let sum = a[lane].wrapping_add(SINES[$step].wrapping_add(word[lane]));
                next[lane] = sum.wrapping_add(mix(b[lane], c[lane], d[lane]));
            }
            for lane in 0..N {
                next[lane] = next[lane]
                    .rotate_left(TURNS[$step >> 4][$step & 3])
                    .wrapping_add(b[lane]);
            }
            a = d;
            d = c;
            c = b;
            b = next;
        }};
    }
    macro_rules! round {
        ($first:expr, $mix:expr, $factor:expr, $offset:expr) => {{
            step!($first, $mix, $offset);
            step!($first + 1, $mix, $factor + $offset);
            step!($first + 2, $mix, 2 * $factor + $offset);
            step!($first + 3, $mix, 3 * $factor + $offset);
            step!($first + 4, $mix, 4 * $factor + $offset);
            step!($first + 5, $mix, 5 * $factor + $offset);
            step!($first + 6, $mix, 6 * $factor + $offset);
            step!($first + 7, $mix, 7 * $factor + $offset);
            step!($first + 8, $mix, 8 * $factor + $offset);
            step!($first + 9, $mix, 9 * $factor + $offset);
            step!($first + 10, $mix, 10 * $factor + $offset);
            step!($first + 11, $mix, 11 * $factor + $offset);
            step!($first + 12, $mix, 12 * $factor + $offset);
            step!($first + 13, $mix, 13 * $factor + $offset);
            step!($first + 14, $mix, 14 * $factor + $offset);
            step!($first + 15, $mix, 15 * $factor + $offset);
        }};
    }
    round!(0, |b, c, d| d ^ (b & (c ^ d)), 1, 0);
    round!(16, |b, c, d| (d & b).wrapping_add(!d & c), 5, 1);
    round!(32, |b, c, d| b ^ c ^ d, 3, 5);
    round!(48, |b, c, d| c ^ (b | !d), 7, 0);
    let mut state = [a, b, c, d];
    for (word, initial) in state.iter_mut().zip(INITIAL) {
        for lane in word {
            *lane = lane.wrapping_add(initial);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_give_the_digests_of_the_md5_crate_for_every_length() {
        for shift in 0..5 {
            let messages: Vec<Vec<u8>> = (0..LANES)
                .map(|lane| {
                    (0..(lane * 5 + shift) as u8)
                        .map(|byte| byte.wrapping_mul(37))
                        .collect()
                })
                .collect();
            let ends: Vec<usize> = messages
                .iter()
                .scan(0, |end, message| {
                    *end += message.len();
                    Some(*end)
                })
                .collect();
            let mut found = vec![[0; 16]; LANES];
            digests(&messages.concat(), &ends, |lane, digest| {
                found[lane] = digest
            });
            let expected: Vec<[u8; 16]> = messages
                .iter()
                .map(|message| Md5::digest(message).into())
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn messages_of_one_length_give_the_digests_of_the_md5_crate() {
        for length in 0..=ONE_BLOCK {
            let message = |at: usize| -> Vec<u8> {
                let bytes = 0..length;
                bytes.map(|byte| (byte * 37 + at * 11) as u8).collect()
            };
            let mut blocks = vec![0u8; 64 * 2 * LANES];
            for (at, block) in blocks.chunks_exact_mut(64).enumerate() {
                block[..length].copy_from_slice(&message(at));
            }
            let mut found = vec![[0; 16]; LANES + 3];
            digests_of_blocks(&blocks, length, &mut found);
            for (at, found) in found.into_iter().enumerate() {
                let expected = <[u8; 16]>::from(Md5::digest(message(at)));
                assert_eq!(found, expected, "{at} of {length} bytes");
            }
        }
    }

    #[test]
    fn the_portable_way_gives_the_same_states() {
        let mut words = [[0u32; LANES]; 16];
        for (at, word) in words.iter_mut().enumerate() {
            for (lane, value) in word.iter_mut().enumerate() {
                *value =
                    (at as u32).wrapping_mul(0x9e37_79b9) ^ (lane as u32).wrapping_mul(0x85eb_ca6b);
            }
        }
        assert_eq!(blocks_portable(&words), blocks(&words));
    }
}
