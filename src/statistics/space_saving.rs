//! The most frequent items of a long stream in fixed memory. Must not know what the items are.

/// The Space-Saving counter (Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k elements in data streams",
/// ICDT 2005): k counters; an item that has none takes over the smallest one, count and all.
///
/// With N the weight of all items added: a count is at least the item's weight and above it by no more than its `error`, which is at most
/// N / k; every item heavier than N / k is held. Which of several smallest counters is taken over is fixed, so equal streams give equal
/// counters.
///
/// Items are 64 well-mixed bits ([`crate::random::mix`], a hash of a row key): two rows of n collide with probability n^2 / 2^65.
#[derive(Debug, Clone)]
pub struct SpaceSaving {
    /// A binary heap, smallest count first.
    heap: Vec<Counter>,
    /// Open addressing by an item's low bits, linear probing: heap position + 1, or 0 for none. A power of two, at most half full.
    table: Vec<u32>,
    capacity: usize,
    total: u64,
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    item: u64,
    count: u64,
    error: u64,
    /// Where `table` names it.
    place: u32,
}

/// An item that may be frequent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeavyItem {
    /// The item.
    pub item: u64,
    /// Upper bound of its weight.
    pub at_most: u64,
    /// Lower bound of its weight.
    pub at_least: u64,
}

impl SpaceSaving {
    /// With `counters` of them, 1 to 2^30; 40 bytes each.
    pub fn new(counters: u32) -> Self {
        let capacity = (counters as usize).clamp(1, 1 << 30);
        Self {
            heap: Vec::with_capacity(capacity),
            table: vec![0; (capacity * 2).next_power_of_two()],
            capacity,
            total: 0,
        }
    }

    /// Counts an item `weight` times more. O(log counters), no allocation.
    #[inline]
    pub fn add(&mut self, item: u64, weight: u64) {
        if weight == 0 {
            return;
        }
        self.total += weight;
        let mut place = self.home(item);
        loop {
            match self.table[place] {
                0 => break,
                at if self.heap[at as usize - 1].item == item => {
                    self.heap[at as usize - 1].count += weight;
                    self.sink(at as usize - 1);
                    return;
                }
                _ => place = (place + 1) & (self.table.len() - 1),
            }
        }
        if self.heap.len() < self.capacity {
            self.heap.push(Counter {
                item,
                count: weight,
                error: 0,
                place: place as u32,
            });
            self.table[place] = self.heap.len() as u32;
            self.rise(self.heap.len() - 1);
        } else {
            let least = self.heap[0];
            self.forget(least.place as usize);
            let place = self.free_place(item);
            self.heap[0] = Counter {
                item,
                count: least.count + weight,
                error: least.count,
                place: place as u32,
            };
            self.table[place] = 1;
            self.sink(0);
        }
    }

    /// Weight of all items added.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// No item that is not held is heavier than this, and no bound of a held one is wider: at most total / counters.
    pub fn error_bound(&self) -> u64 {
        match self.heap.first() {
            Some(least) if self.heap.len() == self.capacity => least.count,
            _ => 0,
        }
    }

    /// The items held, heaviest upper bound first, then by item.
    pub fn heaviest(&self) -> Vec<HeavyItem> {
        let mut items: Vec<HeavyItem> = self
            .heap
            .iter()
            .map(|counter| HeavyItem {
                item: counter.item,
                at_most: counter.count,
                at_least: counter.count - counter.error,
            })
            .collect();
        items.sort_unstable_by_key(|item| (std::cmp::Reverse(item.at_most), item.item));
        items
    }

    /// Least and greatest possible weight of the heaviest item, held or not; zeros before the first. O(counters).
    pub fn heaviest_weight(&self) -> (u64, u64) {
        let least = self
            .heap
            .iter()
            .map(|counter| counter.count - counter.error);
        let most = self.heap.iter().map(|counter| counter.count);
        (least.max().unwrap_or(0), most.max().unwrap_or(0))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.heap.clear();
        self.table.fill(0);
        self.total = 0;
    }

    fn home(&self, item: u64) -> usize {
        item as usize & (self.table.len() - 1)
    }

    fn free_place(&self, item: u64) -> usize {
        let mut place = self.home(item);
        while self.table[place] != 0 {
            place = (place + 1) & (self.table.len() - 1);
        }
        place
    }

    /// Empties a place and moves up what probing would no longer find behind the gap.
    fn forget(&mut self, mut gap: usize) {
        let mask = self.table.len() - 1;
        let mut next = gap;
        loop {
            next = (next + 1) & mask;
            let at = self.table[next];
            if at == 0 {
                break;
            }
            let home = self.home(self.heap[at as usize - 1].item);
            // It may move unless its home lies behind the gap.
            if next.wrapping_sub(home) & mask >= next.wrapping_sub(gap) & mask {
                self.table[gap] = at;
                self.heap[at as usize - 1].place = gap as u32;
                gap = next;
            }
        }
        self.table[gap] = 0;
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        for at in [a, b] {
            self.table[self.heap[at].place as usize] = at as u32 + 1;
        }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.heap[at].count < self.heap[(at - 1) / 2].count {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.heap[child].count < self.heap[least].count {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.swap(at, least);
            at = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream, mix};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_hot_item_in_a_long_tail_is_found_with_its_share() {
        // 2 % of 200,000 on one item, the rest on 150,000 others, 64 counters.
        let mut counter = SpaceSaving::new(64);
        let mut draw = DrawKey::new(Seed(5), 0, Stream::Sample, 0).at(0);
        let (total, mut hot) = (200_000u64, 0);
        for _ in 0..total {
            let item = match draw.below(50) {
                0 => 0,
                _ => 1 + draw.below(150_000),
            };
            hot += u64::from(item == 0);
            counter.add(mix(item), 1);
        }
        assert_eq!(counter.total(), total);
        assert!(counter.error_bound() <= total / 64);
        let first = counter.heaviest()[0];
        assert_eq!(first.item, mix(0));
        assert!(first.at_least <= hot && hot <= first.at_most);
        assert!(first.at_most - first.at_least <= total / 64);
        let (least, most) = counter.heaviest_weight();
        assert!(least <= hot && hot <= most);
        counter.clear();
        assert_eq!((counter.total(), counter.heaviest_weight()), (0, (0, 0)));
    }

    proptest! {
        #[test]
        fn the_smallest_counter_is_taken_over_in_whatever_order_weights_came(
            weights in Just((1u64..=12).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let mut counter = SpaceSaving::new(12);
            for &weight in &weights {
                counter.add(mix(weight), weight);
            }
            for smallest in 1..=12 {
                prop_assert_eq!(counter.error_bound(), smallest);
                // Heavier than all that were there: the next smallest is left.
                counter.add(mix(100 + smallest), 1_000);
            }
        }

        #[test]
        fn bounds_hold_for_every_item_held_or_not(
            stream in proptest::collection::vec((0u64..40, 0u64..9), 0..400),
            counters in 1u32..24,
            // Well mixed, or all in one place of the table.
            mixed in any::<bool>(),
        ) {
            let mut counter = SpaceSaving::new(counters);
            let mut exact = BTreeMap::new();
            for &(item, weight) in &stream {
                let item = if mixed { mix(item) } else { item << 32 };
                counter.add(item, weight);
                if weight > 0 {
                    *exact.entry(item).or_insert(0) += weight;
                }
            }
            let total: u64 = exact.values().sum();
            prop_assert_eq!(counter.total(), total);
            prop_assert!(counter.error_bound() <= total / u64::from(counters));
            let held = counter.heaviest();
            prop_assert_eq!(held.len(), exact.len().min(counters as usize));
            // The counter at the top of the heap is the smallest: any other would be too wide a bound.
            let smallest = held.last().filter(|_| held.len() == counters as usize);
            prop_assert_eq!(counter.error_bound(), smallest.map_or(0, |item| item.at_most));
            for found in &held {
                let weight = exact[&found.item];
                prop_assert!(found.at_least <= weight && weight <= found.at_most);
                prop_assert!(found.at_most - found.at_least <= counter.error_bound());
            }
            for (item, &weight) in &exact {
                if held.iter().all(|found| found.item != *item) {
                    prop_assert!(weight <= counter.error_bound());
                }
            }
            let heaviest = exact.values().copied().max().unwrap_or(0);
            let (least, most) = counter.heaviest_weight();
            prop_assert!(least <= heaviest && heaviest <= most);
        }
    }
}
