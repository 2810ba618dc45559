//! Finds the region of a key. Must not know which server serves it.

use super::bit_squeeze::{BitSqueeze, LANES};
use super::{KeyBatch, RowKey};
use std::hint::black_box;

/// Entries of the squeezed table that a look-up compares without branching; a slot that holds more is searched.
const SCAN: usize = 4;

/// Fewer keys are looked up one by one: all lanes together cost as much as about so many.
const FEW: usize = 8;

/// Slots of the bucket table for each split point: half of them are empty on average. Where more than an eighth of the points
/// lie in slots that hold more than [`SCAN`], there are twice as many.
const SLOTS_PER_POINT: usize = 2;

/// Maps a key to its region: the one with the greatest start key <= the key. Exact for every key.
///
/// A look-up squeezes the bits in which split points differ into an order-preserving 64-bit value, finds its slot in
/// a table of two to four slots a split point, and compares the few values of that slot. Only a tie of values
/// compares keys. So its cost hardly grows with the number of regions. Besides the split points themselves it holds
/// 4 + 8 + 8 bytes a region, or 8 more (at least 256 bytes).
///
/// ```
/// use keyheat_core::keyspace::{Router, RowKey};
///
/// let router = Router::new(&[RowKey::from(&b"g"[..]), RowKey::from(&b"q"[..])]);
/// assert_eq!(router.regions(), 3);
/// assert_eq!([&b""[..], b"fz", b"g", b"q\x00"].map(|key| router.locate(key)), [0, 0, 1, 2]);
/// ```
#[derive(Debug, Clone)]
pub struct Router {
    points: KeyBatch,
    squeeze: BitSqueeze,
    /// The split points' values, and `SCAN` times the greatest number.
    values: Vec<u64>,
    /// For each slot the number of split points in slots before it; one more entry for the end.
    slots: Vec<u32>,
    /// Value of the first split point, where slot 0 begins.
    base: u64,
    /// Value of the last one.
    last: u64,
    /// A slot covers 2^shift values.
    shift: u32,
}

impl Router {
    /// A router of `split_points.len() + 1` regions; region 0 starts at the empty key. The points are sorted, distinct and not
    /// empty, fewer than 2^32, and hold less than 4 GiB together. O(number of points).
    pub fn new(split_points: &[RowKey]) -> Self {
        let points: Vec<&[u8]> = split_points.iter().map(RowKey::as_bytes).collect();
        Self::of(&points)
    }

    /// [`Router::new`] of keys that lie elsewhere.
    pub fn of(split_points: &[&[u8]]) -> Self {
        debug_assert!(
            split_points.windows(2).all(|pair| pair[0] < pair[1])
                && split_points.iter().all(|point| !point.is_empty())
        );
        let points = KeyBatch::of(split_points);
        let keys = split_points.iter().copied();
        let squeeze = BitSqueeze::new(keys.clone());
        let mut values: Vec<u64> = Vec::with_capacity(points.len() + SCAN);
        values.extend(keys.map(|key| squeeze.squeeze(key)));
        let base = values.first().copied().unwrap_or(0);
        let last = values.last().copied().unwrap_or(0);
        let range_bits = u64::BITS - (last - base).leading_zeros();
        let slots_for = |per_point: usize| {
            let slot_bits = (per_point * points.len()).max(2).ilog2();
            let shift = range_bits.saturating_sub(slot_bits);
            let mut slots = vec![0u32; ((last - base) >> shift) as usize + 2];
            for (index, value) in values.iter().enumerate() {
                slots[((value - base) >> shift) as usize + 1] = index as u32 + 1;
            }
            for slot in 1..slots.len() {
                slots[slot] = slots[slot].max(slots[slot - 1]);
            }
            (shift, slots)
        };
        let (mut shift, mut slots) = slots_for(SLOTS_PER_POINT);
        let sizes = slots.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
        if sizes.filter(|&size| size > SCAN).sum::<usize>() > points.len() / 8 {
            (shift, slots) = slots_for(2 * SLOTS_PER_POINT);
        }
        values.extend([u64::MAX; SCAN]);
        Self {
            points,
            squeeze,
            values,
            slots,
            base,
            last,
            shift,
        }
    }

    /// Number of regions, >= 1.
    pub fn regions(&self) -> usize {
        self.points.len() + 1
    }

    /// First key of a region; empty for region 0.
    pub fn start(&self, region: u32) -> &[u8] {
        match region {
            0 => &[],
            _ => self.points.get(region as usize - 1),
        }
    }

    /// The key's region.
    pub fn locate(&self, key: &[u8]) -> u32 {
        let value = self.squeeze.squeeze(key);
        let slot = self.candidates(value);
        let (low, high) = slot;
        let below = if high - low <= SCAN as u32 {
            self.scan(slot, value)
        } else {
            let values = &self.values[low as usize..high as usize];
            low + values.partition_point(|&point| point <= value) as u32
        };
        match self.is_tie(below, value) {
            true => self.settle(low, below, value, key),
            false => below,
        }
    }

    /// Appends the region of each key to `regions`.
    pub fn locate_batch(&self, keys: &KeyBatch, regions: &mut Vec<u32>) {
        if keys.len() < FEW {
            return regions.extend(keys.iter().map(|key| self.locate(key)));
        }
        let mut values = [0u64; LANES];
        let mut slots = [(0u32, 0u32); LANES];
        let mut found = [0u32; LANES];
        // In steps without branches, so that the cache misses of many keys wait for memory together.
        for first in (0..keys.len()).step_by(LANES) {
            let count = LANES.min(keys.len() - first);
            self.squeeze
                .squeeze_all(keys.range(first..first + count), &mut values);
            for (slot, &value) in slots.iter_mut().zip(&values[..count]) {
                *slot = self.candidates(value);
            }
            let (mut crowded, mut ties) = (0u64, 0u64);
            for lane in 0..count {
                let (low, high) = slots[lane];
                found[lane] = self.scan(slots[lane], values[lane]);
                crowded |= u64::from(high - low > SCAN as u32) << lane;
            }
            if crowded != 0 {
                self.search_all(lanes_of(crowded), &slots, &values, &mut found);
            }
            for lane in 0..count {
                ties |= u64::from(self.is_tie(found[lane], values[lane])) << lane;
            }
            // Brings what ties are settled by into the caches, all at a time.
            black_box(lanes_of(ties).fold(0, |bytes, lane| {
                bytes ^ self.points.get(found[lane] as usize - 1)[0]
            }));
            for lane in lanes_of(ties) {
                let key = keys.get(first + lane);
                found[lane] = self.settle(slots[lane].0, found[lane], values[lane], key);
            }
            regions.extend_from_slice(&found[..count]);
        }
    }

    /// The split points that share the value's slot: from, to.
    #[inline]
    fn candidates(&self, value: u64) -> (u32, u32) {
        let slot = ((value.clamp(self.base, self.last) - self.base) >> self.shift) as usize;
        (self.slots[slot], self.slots[slot + 1])
    }

    /// Number of split points with a value <= `value`, given those of its slot, at most [`SCAN`].
    fn scan(&self, (low, high): (u32, u32), value: u64) -> u32 {
        let from = low as usize;
        // Values behind the slot's own are greater than `value`, or padding, or count for a value beyond the last:
        // `min` mends that.
        let window = &self.values[from..from + SCAN];
        let below: u32 = window.iter().map(|&point| u32::from(point <= value)).sum();
        (low + below).min(high)
    }

    /// [`Router::scan`] for slots that hold more, some of the `lanes`: binary searches that take their steps together.
    #[inline(never)]
    fn search_all(
        &self,
        lanes: impl Iterator<Item = usize> + Clone,
        slots: &[(u32, u32); LANES],
        values: &[u64; LANES],
        found: &mut [u32; LANES],
    ) {
        let mut sizes = [0u32; LANES];
        let mut most = 0;
        for lane in lanes.clone() {
            let (low, high) = slots[lane];
            (found[lane], sizes[lane]) = (low, high - low);
            most = most.max(high - low);
        }
        while most > 1 {
            for lane in lanes.clone() {
                let half = sizes[lane] / 2;
                let middle = found[lane] + half;
                let lower = self.values[middle as usize] <= values[lane];
                found[lane] = if lower { middle } else { found[lane] };
                sizes[lane] -= half;
            }
            most -= most / 2;
        }
        for lane in lanes {
            found[lane] += u32::from(self.values[found[lane] as usize] <= values[lane]);
        }
    }

    /// Does the last of the first `below` split points have this very value?
    fn is_tie(&self, below: u32, value: u64) -> bool {
        (below > 0) & (self.values[below.max(1) as usize - 1] == value)
    }

    /// Number of split points <= key, when the last of the `below` points with a value <= the key's ties with it.
    fn settle(&self, low: u32, below: u32, value: u64, key: &[u8]) -> u32 {
        let (low, below) = (low as usize, below as usize);
        if self.points.get(below - 1) <= key {
            return below as u32;
        }
        let first_tie = low + self.values[low..below].partition_point(|&point| point < value);
        let (mut from, mut to) = (first_tie, below - 1);
        while from < to {
            let middle = from + (to - from) / 2;
            if self.points.get(middle) <= key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from as u32
    }
}

/// Places of the ones, ascending.
fn lanes_of(mut bits: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(lane)
    })
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
