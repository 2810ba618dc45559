//! What every write touches of its region's memstore. Must not know rows, nor when memstores are flushed.

/// The memstore of one region: 32 bytes, two in a cache line and none in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(32))]
pub struct Memstore {
    /// Heap of everything that is not in a store file yet, a running flush's snapshot included.
    pub heap: u64,
    /// Something has to happen as soon as the heap is larger: a first write, a flush, a refusal.
    pub limit: u64,
    /// Bytes of the cells, those of the snapshot excluded.
    pub bytes: u64,
    /// Rows likewise.
    pub rows: u32,
    /// Where its heap counts as well: the place of its server; 0 for a region that is offline.
    pub place: u32,
}

impl Memstore {
    /// Of a region that has never been written: the first write passes its limit.
    pub fn untouched(place: u32) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// The cells of a row come in. True when its limit is passed.
    pub fn take(&mut self, heap: u32, bytes: u32) -> bool {
        self.heap += u64::from(heap);
        self.bytes += u64::from(bytes);
        self.rows += 1;
        self.heap > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_memstores_lie_in_a_cache_line() {
        assert_eq!((size_of::<Memstore>(), align_of::<Memstore>()), (32, 32));
    }

    #[test]
    fn the_first_row_passes_the_limit_of_an_untouched_memstore_and_each_adds() {
        let mut memstore = Memstore::untouched(3);
        assert!(memstore.take(224, 150));
        memstore.limit = 448;
        assert!(!memstore.take(224, 150));
        assert!(memstore.take(8, 5));
        let Memstore {
            heap, bytes, rows, ..
        } = memstore;
        assert_eq!((heap, bytes, rows), (456, 305, 3));
    }
}
