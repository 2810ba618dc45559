//! Squeezes a key into 64 bits that keep its order among given sorted keys. Must not know what the keys bound.
//!
//! Sorted keys often share long runs of bits: a tenant's name, the high half of every ASCII digit. Only the bits in which they
//! *differ* tell them apart. [`BitSqueeze`] collects those bits, most significant first, from up to four 8-byte words of a key
//! into one `u64`: sixteen hex digits fit, where a plain 8-byte prefix holds eight.
//!
//! For any two keys a <= b (given or not), `squeeze(a) <= squeeze(b)`. A key that differs from the given ones in a bit which
//! they all share lies above or below all of them that agree with it so far; it is rounded to the nearest of those, which
//! keeps the order: no key needs another path. Keys with equal values have to be compared in full.

/// Keys that are squeezed side by side: each step of the work runs over all of them, which compilers turn into vector
/// instructions.
pub(super) const LANES: usize = 64;

/// 8-byte words of a key that may be looked at, behind those in which all given keys agree.
const WORDS: usize = 4;

/// Bits that are kept beyond those that tell the given keys apart: so that few other keys tie with one (1 in 2^8 where bits
/// are random).
const SPARE_BITS: u32 = 8;

/// The order-preserving map.
#[derive(Debug, Clone)]
pub(super) struct BitSqueeze {
    /// The words of a key from the first to the last that matters.
    words: Vec<WordSqueeze>,
}

/// One word's share of the map.
#[derive(Debug, Clone)]
struct WordSqueeze {
    /// Bits that are kept.
    kept: u64,
    /// Bits, down to the last kept one of the key, in which all given keys agree.
    shared: u64,
    /// What they agree on.
    value: u64,
    /// Unkept bits below the last kept one.
    low: u32,
    /// Moves of the parallel-suffix compress (Hacker's Delight, 2nd ed., 7-4), made for `kept` without those: the bits, and by how many
    /// places they go right. Those that move nothing are left out.
    moves: [(u64, u32); 6],
    /// Number of moves.
    move_count: usize,
    /// Number of kept bits.
    count: u32,
}

impl BitSqueeze {
    /// The map for these keys (sorted). It keeps as many bits as tell nearly all of them apart, and a few more.
    pub fn new<'a>(
        keys: impl ExactSizeIterator<Item = &'a [u8]> + DoubleEndedIterator + Clone,
    ) -> Self {
        let (least, greatest) = (keys.clone().next(), keys.clone().next_back());
        let (least, greatest) = (least.unwrap_or(&[]), greatest.unwrap_or(&[]));
        let alike = least.iter().zip(greatest).take_while(|(a, b)| a == b);
        // Words of the prefix that all keys share.
        let skipped = alike.count() / 8;
        let words = skipped..skipped + WORDS;
        let given: Vec<u64> = (0..words.end).map(|i| word(least, i)).collect();
        let mut varying = vec![0u64; words.end];
        for key in keys.clone() {
            for i in words.clone() {
                varying[i] |= word(key, i) ^ given[i];
            }
        }
        let all = Self::with_bits(&given, &varying, u64::BITS);
        let total: u32 = all.words.iter().map(|word| word.count).sum();
        // How many leading bits each key needs to differ from the one before; equal values need more than there are.
        let values = keys.clone().map(|key| all.squeeze(key));
        let mut needed: Vec<u32> = values
            .clone()
            .zip(values.skip(1))
            .map(|(a, b)| total - (a ^ b).checked_ilog2().unwrap_or(0))
            .collect();
        // One tie in 64 costs less than more bits for every key.
        let most = needed.len() - needed.len() / 64;
        needed.sort_unstable();
        let needed = needed[..most].last().copied().unwrap_or(0);
        Self::with_bits(&given, &varying, (needed + SPARE_BITS).min(u64::BITS))
    }

    /// Keeps the first `room` of the bits that vary.
    fn with_bits(given: &[u64], varying: &[u64], mut room: u32) -> Self {
        let mut words = Vec::with_capacity(given.len());
        for i in 0..given.len() {
            let mut kept = varying[i];
            while kept.count_ones() > room {
                kept &= kept - 1;
            }
            room -= kept.count_ones();
            let last = room == 0 || varying[i + 1..].iter().all(|&bits| bits == 0);
            // Below the last kept bit nothing is looked at, so nothing has to agree there.
            let looked_at = match (last, kept) {
                (false, _) => u64::MAX,
                (true, 0) => 0,
                (true, _) => u64::MAX << kept.trailing_zeros(),
            };
            let shared = !varying[i] & looked_at;
            let low = if kept == 0 { 0 } else { kept.trailing_zeros() };
            let (moves, move_count) = compress_moves(kept >> low);
            words.push(WordSqueeze {
                kept,
                shared,
                value: given[i] & shared,
                low,
                moves,
                move_count,
                count: kept.count_ones(),
            });
            if last {
                break;
            }
        }
        Self { words }
    }

    /// The key's value.
    #[inline]
    pub fn squeeze(&self, key: &[u8]) -> u64 {
        let mut values = [0];
        self.squeeze_all(std::iter::once(key), &mut values);
        values[0]
    }

    /// The values of at most N keys, which `keys` gives as often as it is cloned.
    pub fn squeeze_all<'a, const N: usize>(
        &self,
        keys: impl Iterator<Item = &'a [u8]> + Clone,
        values: &mut [u64; N],
    ) {
        let mut bits = [0u64; N];
        let mut rounded = Rounded::default();
        values.fill(0);
        for (i, part) in self.words.iter().enumerate() {
            for (bits, key) in bits.iter_mut().zip(keys.clone()) {
                *bits = word(key, i);
            }
            rounded.apply(part, &mut bits);
            part.append(values, &mut bits);
        }
    }
}

/// Which of many keys have been rounded so far, and where to: all bits where the rest of the key counts as ones (`up`) or
/// zeros (`down`).
struct Rounded<const N: usize> {
    any: bool,
    up: [u64; N],
    down: [u64; N],
}

impl<const N: usize> Default for Rounded<N> {
    fn default() -> Self {
        Self {
            any: false,
            up: [0; N],
            down: [0; N],
        }
    }
}

impl<const N: usize> Rounded<N> {
    /// Rounds the next word of each key that has strange bits, where the given keys agree: to the greatest, or the least, that
    /// agrees with it above the first of them.
    fn apply(&mut self, part: &WordSqueeze, bits: &mut [u64; N]) {
        let strange = bits.iter().fold(0, |all, bits| all | part.strange(*bits));
        if strange == 0 && !self.any {
            return;
        }
        self.any = true;
        for ((bits, up), down) in bits.iter_mut().zip(&mut self.up).zip(&mut self.down) {
            let forced = *bits & !*down | *up;
            // The highest strange bit and all below it; what was rounded before is rounded the same way again.
            let mut below = part.strange(forced);
            for shift in [1, 2, 4, 8, 16, 32] {
                below |= below >> shift;
            }
            let highest = below ^ below >> 1;
            let above = u64::from(forced & highest != 0).wrapping_neg();
            let is_strange = u64::from(below != 0).wrapping_neg();
            *up |= above & is_strange;
            *down |= !above & is_strange;
            *bits = forced & !(below & !above) | below & above;
        }
    }
}

impl WordSqueeze {
    /// Bits in which a key's word differs from what all given keys agree on.
    fn strange(&self, bits: u64) -> u64 {
        (bits ^ self.value) & self.shared
    }

    /// Appends the kept bits of words to values; `bits` are used up.
    fn append<const N: usize>(&self, values: &mut [u64; N], bits: &mut [u64; N]) {
        if self.count == 0 {
            return;
        }
        for bits in bits.iter_mut() {
            *bits = (*bits & self.kept) >> self.low;
        }
        compress(bits, &self.moves[..self.move_count]);
        // A full word leaves no room for others: what it would push out is empty.
        for (value, bits) in values.iter_mut().zip(bits) {
            *value = value.checked_shl(self.count).unwrap_or(0) | *bits;
        }
    }
}

/// The `i`-th 8 bytes as a big-endian number, zeros behind the end of the key.
fn word(key: &[u8], i: usize) -> u64 {
    let start = i * 8;
    if let Some((bytes, _)) = key.get(start..).and_then(<[u8]>::split_first_chunk::<8>) {
        return u64::from_be_bytes(*bytes);
    }
    if start >= key.len() {
        return 0;
    }
    if let Some((_, bytes)) = key.split_last_chunk::<8>() {
        // The last 8 bytes of the key, without those of the word before.
        return u64::from_be_bytes(*bytes) << (8 * (8 - (key.len() - start)));
    }
    key.iter()
        .rev()
        .fold(0, |value, &byte| value >> 8 | u64::from(byte) << 56)
}

/// The moves that gather the bits of `kept` at its low end, and their number.
fn compress_moves(kept: u64) -> ([(u64, u32); 6], usize) {
    let mut mask = kept;
    let mut below = !mask << 1;
    let mut moves = [(0, 0); 6];
    let mut count = 0;
    for step in 0..6 {
        let mut parity = below;
        for shift in 0..6 {
            parity ^= parity << (1 << shift);
        }
        let moved = parity & mask;
        mask = mask ^ moved | moved >> (1 << step);
        below &= !parity;
        if moved != 0 {
            moves[count] = (moved, 1 << step);
            count += 1;
        }
    }
    (moves, count)
}

/// Gathers the kept bits of each of `bits` (the others are zero) at its low end.
fn compress<const N: usize>(bits: &mut [u64; N], moves: &[(u64, u32)]) {
    for &(moved, places) in moves {
        for bits in bits.iter_mut() {
            let moving = *bits & moved;
            *bits = *bits ^ moving | moving >> places;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn compress_gathers_the_kept_bits_in_order(bits: u64, kept: u64) {
            let mut expected = 0;
            for bit in (0..64).rev().filter(|bit| kept >> bit & 1 == 1) {
                expected = expected << 1 | bits >> bit & 1;
            }
            let (moves, count) = compress_moves(kept);
            let mut squeezed = [bits & kept];
            compress(&mut squeezed, &moves[..count]);
            prop_assert_eq!(squeezed, [expected]);
        }

        #[test]
        fn a_word_is_eight_bytes_padded_with_zeros(key in proptest::collection::vec(any::<u8>(), 0..40), i in 0usize..5) {
            let mut bytes = [0u8; 8];
            for (to, from) in bytes.iter_mut().zip(key.iter().skip(8 * i)) {
                *to = *from;
            }
            prop_assert_eq!(word(&key, i), u64::from_be_bytes(bytes));
        }

        #[test]
        fn any_keys_keep_their_order(
            mut given in proptest::collection::vec("[a-c01]{0,5}(tenant-[0-9]{4})?[x-z]{0,30}", 1..9),
            mut keys in proptest::collection::vec("[a-c01]{0,5}(tenant-[0-9]{4})?[x-z]{0,30}", 2..30),
        ) {
            given.sort();
            let squeeze = BitSqueeze::new(given.iter().map(String::as_bytes).collect::<Vec<_>>().into_iter());
            keys.extend(given);
            keys.sort();
            let values: Vec<u64> = keys.iter().map(|key| squeeze.squeeze(key.as_bytes())).collect();
            prop_assert!(values.is_sorted());
            let mut together = [0; LANES];
            squeeze.squeeze_all(keys.iter().map(String::as_bytes), &mut together);
            prop_assert_eq!(&together[..values.len()], values);
        }
    }
}
