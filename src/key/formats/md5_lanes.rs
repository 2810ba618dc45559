//! MD5 of many short messages side by side (RFC 1321). One MD5 is a chain of 64 dependent steps; independent messages
//! fill the rest of the processor.

/// Messages side by side.
const LANES: usize = 16;

/// The longest message that fits one block with its padding.
pub const ONE_BLOCK: usize = 55;

type Words<const N: usize> = [[u32; N]; 16];
type State<const N: usize> = [[u32; N]; 4];

/// The digests of messages, each at the start of 64 bytes with zeros behind it, of `length(i)` bytes. Those of messages longer than
/// [`ONE_BLOCK`] are left as they are. There are blocks for a multiple of [`LANES`] messages.
pub fn md5_in_lanes(
    blocks: &[[u8; 64]],
    length: impl Fn(usize) -> usize,
    digests: &mut [[u8; 16]],
) {
    let groups = digests.chunks_mut(LANES).zip(blocks.chunks_exact(LANES));
    for (first, (digests, group)) in (0..).step_by(LANES).zip(groups) {
        let lanes = first..first + digests.len();
        let in_block = |lane: usize| length(lane).min(ONE_BLOCK);
        // Words 0 to this one hold the messages and the marks behind them; only the last but one says something else.
        let marked = lanes.clone().map(in_block).max().unwrap_or(0) / 4;
        let mut words = [[0u32; LANES]; 16];
        for (at, word) in words[..=marked].iter_mut().enumerate() {
            for (lane, block) in word.iter_mut().zip(group) {
                let bytes = &block[4 * at..4 * at + 4];
                *lane = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        for (lane, length) in lanes.clone().map(in_block).enumerate() {
            words[length / 4][lane] |= 0x80 << (8 * (length % 4));
            words[14][lane] = 8 * length as u32;
        }
        let state = compressed(&words);
        for ((lane, digest), at) in digests.iter_mut().enumerate().zip(lanes) {
            if length(at) > ONE_BLOCK {
                continue;
            }
            for (bytes, word) in digest.chunks_exact_mut(4).zip(&state) {
                bytes.copy_from_slice(&word[lane].to_le_bytes());
            }
        }
    }
}

/// The state after one block, in the widest way that the processor has.
#[allow(unsafe_code)]
fn compressed(words: &Words<LANES>) -> State<LANES> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the function is safe but for needing AVX2, which has just been detected.
        return unsafe { compressed_by_avx2(words) };
    }
    compressed_portably(words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn compressed_by_avx2(words: &Words<LANES>) -> State<LANES> {
    compress(words)
}

/// Four lanes at a time: what 128-bit registers hold without spilling.
fn compressed_portably(words: &Words<LANES>) -> State<LANES> {
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
        ($first:expr, $mix:expr, $factor:expr, $offset:expr; $($at:literal)*) => {
            $(step!($first + $at, $mix, $at * $factor + $offset);)*
        };
    }
    round!(0, |b, c, d| d ^ (b & (c ^ d)), 1, 0; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    round!(16, |b, c, d| (d & b).wrapping_add(!d & c), 5, 1; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    round!(32, |b, c, d| b ^ c ^ d, 3, 5; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    round!(48, |b, c, d| c ^ (b | !d), 7, 0; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
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
    use md5::{Digest, Md5};

    /// Messages of these lengths and their digests by the crate.
    fn check(lengths: &[usize]) {
        let mut blocks = vec![[0u8; 64]; lengths.len().next_multiple_of(LANES)];
        let mut expected = Vec::new();
        for (at, length) in lengths.iter().enumerate() {
            let message: Vec<u8> = (0..*length)
                .map(|byte| (byte * 37 + at * 11) as u8)
                .collect();
            let fits = *length <= ONE_BLOCK;
            blocks[at][..message.len() * usize::from(fits)]
                .copy_from_slice(&message[..message.len() * usize::from(fits)]);
            expected.push(match fits {
                true => Md5::digest(message).into(),
                false => [7; 16],
            });
        }
        let mut found = vec![[7; 16]; lengths.len()];
        md5_in_lanes(&blocks, |at| lengths[at], &mut found);
        assert_eq!(found, expected, "{lengths:?}");
    }

    #[test]
    fn lanes_give_the_digests_of_the_md5_crate_for_every_length_of_a_block() {
        for shift in 0..5 {
            check(&(0..LANES).map(|lane| lane * 5 + shift).collect::<Vec<_>>());
        }
    }

    #[test]
    fn messages_of_one_length_give_the_digests_of_the_md5_crate() {
        for length in 0..=ONE_BLOCK {
            check(&[length; LANES + 3]);
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
        assert_eq!(compressed_portably(&words), compressed(&words));
    }
}
