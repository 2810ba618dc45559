//! The general event queue: any times, any order of insertion. Must not know what an event means.

use super::Moment;
use crate::time::SimTime;

/// Width of the finest wheel's slots unless another is asked for, as a power of two of nanoseconds: 16 µs.
const SLOT_BITS: u32 = 14;
/// Slots of each wheel, as a power of two.
const WHEEL_BITS: u32 = 10;
const SLOTS: usize = 1 << WHEEL_BITS;
/// So many wheels, each slot of one as long as a whole turn of the one before, cover all times.
const WHEELS: usize = 64u32.div_ceil(WHEEL_BITS) as usize;
/// Events that lie side by side: the few of a usual slot fit into one, and thousands of one slot are read almost without a jump.
const CHUNK: usize = 8;
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry<T> {
    moment: Moment,
    event: T,
}

/// What is known of a chunk beside its events, kept apart so that walking a list doesn't wait for them.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// How many entries of the chunk are events; none: it is free.
    len: u32,
    /// The next chunk of the slot, or the next free one.
    next: u32,
}

/// One turn of slots, each with a list of chunks, of which only the first may have room.
#[derive(Debug, Clone)]
struct Wheel {
    first: [u32; SLOTS],
    occupied: [u64; SLOTS / 64],
}

/// Events by [`Moment`]: those of the next microseconds in a 4-ary heap, all others in the lists of hierarchical timing wheels
/// (Varghese and Lauck 1987), whose slots move to a finer wheel, and at last to the heap, as their time comes. So an event
/// costs O(1) beside the few that happen at about its time, however many pause for seconds. Nothing is allocated
/// once the queue has been as long as it gets.
#[derive(Debug, Clone)]
pub struct EventQueue<T> {
    heap: Vec<Entry<T>>,
    slot_bits: u32,
    /// Events up to the end of this slot (time >> slot_bits) are in the heap. A wheel holds events whose slot numbers agree with
    /// this one in all digits above the wheel's own, which is greater; digits have WHEEL_BITS bits.
    current: u64,
    wheels: Vec<Wheel>,
    chunks: Vec<[Entry<T>; CHUNK]>,
    links: Vec<Link>,
    free: u32,
    far: usize,
}

impl<T: Copy> EventQueue<T> {
    /// An empty queue that is fastest when a few events happen in each 2^`slot_bits` nanoseconds; `slot_bits` < 64. Changes no order.
    pub fn with_slots(slot_bits: u32) -> Self {
        Self {
            slot_bits,
            heap: Vec::new(),
            current: 0,
            wheels: vec![
                Wheel {
                    first: [NONE; SLOTS],
                    occupied: [0; SLOTS / 64]
                };
                WHEELS
            ],
            chunks: Vec::new(),
            links: Vec::new(),
            free: NONE,
            far: 0,
        }
    }

    /// All events, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let chunks = self.chunks.iter().zip(&self.links);
        let far = chunks.flat_map(|(chunk, link)| &chunk[..link.len as usize]);
        self.heap.iter().chain(far).map(|entry| &entry.event)
    }

    /// When the next event happens; [`Moment::NEVER`] when there is none. O(1).
    pub fn next(&self) -> Moment {
        self.heap
            .first()
            .map_or(Moment::NEVER, |first| first.moment)
    }

    /// The next event. O(1).
    pub fn first(&self) -> Option<&T> {
        self.heap.first().map(|first| &first.event)
    }

    /// Inserts an event. Its sequence number must differ from all others' of its time.
    pub fn push(&mut self, moment: Moment, event: T) {
        let slot = moment.at.as_nanos() >> self.slot_bits;
        if slot <= self.current {
            self.push_near(Entry { moment, event });
        } else {
            self.far += 1;
            self.push_far(slot, Entry { moment, event });
            if self.heap.is_empty() {
                self.open_next_slot();
            }
        }
    }

    /// Takes the next event. O(log of the events of its slot).
    pub fn pop(&mut self) -> Option<(SimTime, T)> {
        let last = self.heap.pop()?;
        let first = if let Some(top) = self.heap.first() {
            let first = *top;
            self.sink(last);
            first
        } else {
            last
        };
        if self.heap.is_empty() && self.far > 0 {
            self.open_next_slot();
        }
        Some((first.moment.at, first.event))
    }

    fn push_near(&mut self, entry: Entry<T>) {
        let mut at = self.heap.len();
        self.heap.push(entry);
        while at > 0 {
            let parent = (at - 1) / 4;
            if self.heap[parent].moment < entry.moment {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = entry;
    }

    /// Puts `entry` in the place of the first and restores the heap.
    fn sink(&mut self, entry: Entry<T>) {
        let heap = &mut self.heap[..];
        let mut at = 0;
        loop {
            let children = 4 * at + 1;
            if children >= heap.len() {
                break;
            }
            let mut least = children;
            let mut least_moment = heap[children].moment;
            let end = (children + 4).min(heap.len());
            for (offset, child) in heap[children..end].iter().enumerate().skip(1) {
                if child.moment < least_moment {
                    least = children + offset;
                    least_moment = child.moment;
                }
            }
            if entry.moment < least_moment {
                break;
            }
            heap[at] = heap[least];
            at = least;
        }
        heap[at] = entry;
    }

    /// Puts an event into its slot, which must come after the current one.
    fn push_far(&mut self, slot: u64, entry: Entry<T>) {
        let digit = (63 - (slot ^ self.current).leading_zeros()) / WHEEL_BITS;
        let index = (slot >> (digit * WHEEL_BITS)) as usize % SLOTS;
        let wheel = &mut self.wheels[digit as usize];
        let first = wheel.first[index];
        if let Some(link) = self.links.get_mut(first as usize)
            && (link.len as usize) < CHUNK
        {
            self.chunks[first as usize][link.len as usize] = entry;
            link.len += 1;
            return;
        }
        wheel.occupied[index / 64] |= 1 << (index % 64);
        let link = Link {
            len: 1,
            next: first,
        };
        if let Some(free) = self.links.get_mut(self.free as usize) {
            wheel.first[index] = self.free;
            self.chunks[self.free as usize][0] = entry;
            self.free = std::mem::replace(free, link).next;
        } else {
            wheel.first[index] = self.links.len() as u32;
            self.chunks.push([entry; CHUNK]);
            self.links.push(link);
        }
    }

    /// Moves the events of the next slots to the heap until it holds one; there must be a far event.
    fn open_next_slot(&mut self) {
        let mut digit = 0;
        while self.heap.is_empty() {
            let shift = digit as u32 * WHEEL_BITS;
            let after = (self.current >> shift) as usize % SLOTS + 1;
            let Some(index) = self.wheels[digit].next_occupied(after) else {
                digit += 1;
                continue;
            };
            self.current = ((self.current >> shift) & !(SLOTS as u64 - 1) | index as u64) << shift;
            let mut place = self.wheels[digit].empty(index);
            while place != NONE {
                let Link { len, next } = self.links[place as usize];
                for at in 0..len as usize {
                    let entry = self.chunks[place as usize][at];
                    let slot = entry.moment.at.as_nanos() >> self.slot_bits;
                    if slot == self.current {
                        self.far -= 1;
                        self.push_near(entry);
                    } else {
                        self.push_far(slot, entry);
                    }
                }
                self.links[place as usize] = Link {
                    len: 0,
                    next: std::mem::replace(&mut self.free, place),
                };
                place = next;
            }
            digit = 0;
        }
    }
}

impl Wheel {
    /// The first occupied slot at or after `from`.
    fn next_occupied(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = *self.occupied.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.occupied.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Empties a slot and returns the first of its chunks.
    fn empty(&mut self, index: usize) -> u32 {
        self.occupied[index / 64] &= !(1 << (index % 64));
        std::mem::replace(&mut self.first[index], NONE)
    }
}

impl<T: Copy> Default for EventQueue<T> {
    fn default() -> Self {
        Self::with_slots(SLOT_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn equal_times_come_in_insertion_order_however_far_they_were() {
        let mut queue = EventQueue::default();
        let far = SimTime::from_nanos(90_000_000_000);
        for sequence in 0..9 {
            queue.push(Moment { at: far, sequence }, sequence);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop())
            .map(|event| event.1)
            .collect();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
        assert_eq!(queue.next(), Moment::NEVER);
    }

    proptest! {
        /// The oracle is an ordered map; delays reach from ties to the third wheel.
        #[test]
        fn events_come_out_as_from_an_ordered_map(
            slot_bits in 0u32..20,
            steps in prop::collection::vec((0u8..3, 0u32..46, 0u64..1000), 1..600),
        ) {
            let mut queue = EventQueue::with_slots(slot_bits);
            let mut oracle = BTreeMap::new();
            let mut now = SimTime::ZERO;
            for (sequence, (action, magnitude, fraction)) in steps.into_iter().enumerate() {
                if action < 2 {
                    let delay = ((1u64 << magnitude) - 1) * fraction / 1000;
                    let moment = Moment { at: SimTime::from_nanos(now.as_nanos() + delay), sequence: sequence as u64 };
                    queue.push(moment, sequence as u64);
                    oracle.insert(moment, sequence as u64);
                } else {
                    let expected = oracle.pop_first();
                    prop_assert_eq!(queue.pop(), expected.map(|(moment, event)| (moment.at, event)));
                    now = expected.map_or(now, |(moment, _)| moment.at);
                }
                prop_assert_eq!(queue.heap.len() + queue.far, oracle.len());
                prop_assert_eq!(queue.iter().collect::<BTreeSet<_>>(), oracle.values().collect());
                prop_assert_eq!(queue.next(), oracle.keys().next().copied().unwrap_or(Moment::NEVER));
            }
        }
    }
}
