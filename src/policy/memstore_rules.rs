//! When memstores are flushed, held back, or too full for another write. Must not know how heap sizes come about, nor flush anything.

use crate::time::{SimDuration, SimTime};

/// Settings of memstores and flushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemstoreRules {
    /// Heap of a region's memstore above which a flush is asked for (`hbase.hregion.memstore.flush.size`).
    pub flush_bytes: u64,
    /// Times the flush size above which the region refuses writes (`hbase.hregion.memstore.block.multiplier`).
    pub block_multiplier: u64,
    /// Heap of all memstores of a server at which it takes no write (`hbase.regionserver.global.memstore.size`: 0.4 of the heap).
    pub server_bytes: u64,
    /// Share of `server_bytes` at which flushes are forced (`hbase.regionserver.global.memstore.size.lower.limit`).
    pub lower_limit: f64,
    /// Files of a store above which a flush is held (`hbase.hstore.blockingStoreFiles`).
    pub blocking_files: u32,
    /// Longest hold of one flush (`hbase.hstore.blockingWaitTime`).
    pub blocking_wait: SimDuration,
}

impl MemstoreRules {
    /// HBase's defaults for a server with so much heap.
    pub fn for_heap(heap_bytes: u64) -> Self {
        Self {
            flush_bytes: 128 << 20,
            block_multiplier: 4,
            server_bytes: (heap_bytes as f64 * 0.4) as u64,
            lower_limit: 0.95,
            blocking_files: 16,
            blocking_wait: SimDuration::from_millis(90_000),
        }
    }

    /// What a region's memstore of so much heap says to the next write (`HRegion.checkResources`, `isFlushSize`).
    pub fn region(&self, heap_bytes: u64) -> RegionMemstore {
        if heap_bytes > self.flush_bytes.saturating_mul(self.block_multiplier) {
            RegionMemstore::TooBusy
        } else if heap_bytes > self.flush_bytes {
            RegionMemstore::FlushWanted
        } else {
            RegionMemstore::Open
        }
    }

    /// What a server's memstores of so much heap together say (`RegionServerAccounting.isAboveHighWaterMark` and `isAboveLowWaterMark`).
    pub fn server(&self, heap_bytes: u64) -> ServerMemstore {
        if heap_bytes >= self.server_bytes {
            ServerMemstore::Blocked
        } else if heap_bytes as f64 >= self.server_bytes as f64 * self.lower_limit {
            ServerMemstore::Pressed
        } else {
            ServerMemstore::Open
        }
    }

    /// Which of a region's families a flush writes (`FlushAllLargeStoresPolicy.selectStoresToFlush`): those that hold more than their part of the flush
    /// size, and more than 16 MB, and those with an old row; where there are none all that hold any, and an only one anyway.
    pub fn families_to_flush(&self, families: &[FamilyMemstore]) -> Vec<bool> {
        let count = families.len();
        let part = (self.flush_bytes / count.max(1) as u64).max(LEAST_PART);
        let chosen = |family: &FamilyMemstore| family.heap_bytes > part || family.is_old;
        let all = !families.iter().any(chosen);
        let taken = |family: &FamilyMemstore| match all {
            true => family.heap_bytes > 0 || count == 1,
            false => chosen(family),
        };
        families.iter().map(taken).collect()
    }

    /// Whether a flush asked for at `wanted` may begin at `now`, while the region's store has so many files
    /// (`MemStoreFlusher.flushRegion`). A held one is looked at again after a hundredth of the longest hold; at its first hold the region
    /// asks for a split or, if none is due, for a compaction. Forced flushes are not held.
    pub fn flush(&self, store_files: u32, wanted: SimTime, now: SimTime) -> FlushVerdict {
        if store_files <= self.blocking_files || now.since(wanted) > self.blocking_wait {
            return FlushVerdict::Begin;
        }
        FlushVerdict::Hold {
            look_again_in: SimDuration::from_nanos((self.blocking_wait.as_nanos() / 100).max(1)),
        }
    }

    /// Which region of a server is flushed first when [`ServerMemstore`] is not open, as an index into `regions`: the largest whose
    /// stores have not too many files, unless one of the others is more than twice as large (`MemStoreFlusher.flushOneForGlobalPressure`).
    /// `None` when nothing can be flushed. Of equal ones the first. O(regions).
    pub fn region_to_flush(
        &self,
        regions: impl IntoIterator<Item = FlushCandidate>,
    ) -> Option<usize> {
        let regions = regions.into_iter().enumerate();
        let some = regions.filter(|(_, region)| !region.flushing && region.heap_bytes > 0);
        let (mut any, mut flushable) = (None, None);
        for (index, region) in some {
            let this = Some((index, region.heap_bytes));
            let larger = |best: Option<(usize, u64)>| {
                best.is_none_or(|(_, bytes)| region.heap_bytes > bytes)
            };
            if larger(any) {
                any = this;
            }
            if region.store_files <= self.blocking_files && larger(flushable) {
                flushable = this;
            }
        }
        match (any, flushable) {
            (Some((index, bytes)), Some((_, least))) if bytes > 2 * least => Some(index),
            (any, flushable) => flushable.or(any).map(|(index, _)| index),
        }
    }
}

/// Heap of a family's memstore from which on it may be flushed without the others (HBase default,
/// `hbase.hregion.percolumnfamilyflush.size.lower.bound.min`).
const LEAST_PART: u64 = 16 << 20;

/// The memstore of one of a region's families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyMemstore {
    /// Its heap.
    pub heap_bytes: u64,
    /// Its first row is older than memstores may get (`HRegion.shouldFlushStore`).
    pub is_old: bool,
}

/// A region's answer to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionMemstore {
    /// Takes it.
    Open,
    /// Takes it, and asks for a flush.
    FlushWanted,
    /// Refuses it: `RegionTooBusy`; and asks for a flush.
    TooBusy,
}

/// A server's memstores together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerMemstore {
    /// Below both marks.
    Open,
    /// At the lower mark: regions are flushed one after another until below it.
    Pressed,
    /// At the upper mark: the same, and every write of the server waits.
    Blocked,
}

/// Whether a flush may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlushVerdict {
    /// Now.
    Begin,
    /// Not before too many store files have become fewer, or the longest hold is over.
    Hold {
        /// When to ask again.
        look_again_in: SimDuration,
    },
}

/// A region that could be flushed to relieve its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlushCandidate {
    /// Heap of its memstore.
    pub heap_bytes: u64,
    /// Most files in one of its stores.
    pub store_files: u32,
    /// A flush of it runs already.
    pub flushing: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    #[test]
    fn a_flush_takes_the_large_and_the_old_families_and_else_all() {
        let rules = MemstoreRules::for_heap(16 << 30);
        let chosen = |megabytes: &[u64], old: usize| {
            let families = megabytes
                .iter()
                .enumerate()
                .map(|(at, heap)| FamilyMemstore {
                    heap_bytes: heap * MB,
                    is_old: at == old,
                });
            rules.families_to_flush(&families.collect::<Vec<_>>())
        };
        // A third of 128 MB is 42.7 MB.
        assert_eq!(chosen(&[100, 28, 43], 99), [true, false, true]);
        assert_eq!(chosen(&[100, 28, 0], 1), [true, true, false]);
        assert_eq!(chosen(&[42, 42, 42], 99), [true; 3]);
        // A tenth is less than 16 MB.
        assert_eq!(chosen(&[16; 10], 99), [true; 10]);
        assert_eq!(
            chosen(&[17, 16, 9, 1, 1, 1, 1, 1, 1, 1], 99)[..2],
            [true, false]
        );
        assert_eq!(chosen(&[1], 99), [true]);
    }

    #[test]
    fn a_region_asks_above_the_flush_size_and_refuses_above_four_times_it() {
        let rules = MemstoreRules::for_heap(16 << 30);
        assert_eq!(rules.region(128 * MB), RegionMemstore::Open);
        assert_eq!(rules.region(128 * MB + 1), RegionMemstore::FlushWanted);
        assert_eq!(rules.region(512 * MB), RegionMemstore::FlushWanted);
        assert_eq!(rules.region(512 * MB + 1), RegionMemstore::TooBusy);
    }

    #[test]
    fn a_server_is_pressed_at_95_percent_of_two_fifths_of_its_heap_and_blocked_at_all_of_it() {
        let rules = MemstoreRules::for_heap(10_000);
        let at = |bytes| rules.server(bytes);
        assert_eq!(
            (at(3_799), at(3_800)),
            (ServerMemstore::Open, ServerMemstore::Pressed)
        );
        assert_eq!(
            (at(3_999), at(4_000)),
            (ServerMemstore::Pressed, ServerMemstore::Blocked)
        );
    }

    #[test]
    fn a_flush_is_held_above_16_files_for_at_most_90_seconds() {
        let rules = MemstoreRules::for_heap(16 << 30);
        let at = |millis: u64| SimTime::ZERO + SimDuration::from_millis(millis);
        let verdict = |files, now| rules.flush(files, at(5_000), at(now));
        assert_eq!(verdict(16, 5_000), FlushVerdict::Begin);
        let hold = FlushVerdict::Hold {
            look_again_in: SimDuration::from_millis(900),
        };
        assert_eq!(verdict(17, 5_000), hold);
        assert_eq!(verdict(17, 95_000), hold);
        assert_eq!(verdict(17, 95_001), FlushVerdict::Begin);
    }

    #[test]
    fn the_largest_region_is_flushed_first_unless_it_is_held_and_not_twice_as_large() {
        let rules = MemstoreRules::for_heap(16 << 30);
        let first = |regions: &[(u64, u32, bool)]| {
            rules.region_to_flush(regions.iter().map(|&(heap_bytes, store_files, flushing)| {
                FlushCandidate {
                    heap_bytes,
                    store_files,
                    flushing,
                }
            }))
        };
        assert_eq!(
            first(&[(5, 2, false), (9, 2, false), (9, 3, false)]),
            Some(1)
        );
        assert_eq!(first(&[(5, 2, false), (10, 17, false)]), Some(0));
        assert_eq!(first(&[(5, 2, false), (11, 17, false)]), Some(1));
        assert_eq!(first(&[(5, 17, false), (11, 17, true)]), Some(0));
        assert_eq!(first(&[(0, 2, false), (11, 2, true)]), None);
    }
}
