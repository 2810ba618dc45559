//! The write buffer of one client: rows that wait to be sent together. Must not know when they are sent.

use crate::time::SimTime;
use crate::workload::OperationId;

/// One mutation in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferedRow {
    /// Its operation.
    pub operation: OperationId,
    /// When it was put into the buffer.
    pub put: SimTime,
    /// Its region.
    pub region: u32,
    /// The server that the client looks for its region on.
    pub server: u32,
    /// Where its key is kept.
    pub key: u32,
    /// Bytes of its key.
    pub key_length: u16,
}

impl BufferedRow {
    /// Sorts rows of one client by server, and those of a server in the order in which they were put into its buffer.
    pub fn group_by_server(rows: &mut [Self]) {
        // Operations of one client count up, so that this is the stable order.
        rows.sort_unstable_by_key(|row| (row.server, row.operation.index()));
    }
}

/// HBase's `BufferedMutatorImpl`: mutations collect until their heap size passes the buffer; then the rows of each server
/// are sent as one call, and the writer waits until all of them are done.
#[derive(Debug, Clone, Default)]
pub struct WriteBuffer {
    capacity: u64,
    heap: u64,
    rows: Vec<BufferedRow>,
}

impl WriteBuffer {
    /// An empty buffer of `capacity` bytes (`hbase.client.write.buffer`).
    pub fn new(capacity: u64) -> Self {
        Self {
            capacity,
            heap: 0,
            rows: Vec::new(),
        }
    }

    /// Puts one row of `heap` bytes of heap in; true when the buffer has to be flushed: its heap size passes its capacity.
    #[inline]
    pub fn put(&mut self, row: BufferedRow, heap: u64) -> bool {
        self.rows.push(row);
        self.heap += heap;
        self.heap > self.capacity
    }

    /// How many rows of at most `heap` bytes can be put in before a flush is due; at least 1.
    pub fn room(&self, heap: u64) -> u64 {
        self.capacity.saturating_sub(self.heap) / heap.max(1) + 1
    }

    /// The rows, in the order in which they were put in ([`WriteBuffer::group_by_server`]: by server first).
    pub fn rows(&self) -> &[BufferedRow] {
        &self.rows
    }

    /// The rows, to be changed or reordered.
    pub fn rows_mut(&mut self) -> &mut [BufferedRow] {
        &mut self.rows
    }

    /// Sorts the rows by server, and those of a server in the order in which they were put in: each run of one server is
    /// one call. O(n log n), no allocation.
    pub fn group_by_server(&mut self) {
        BufferedRow::group_by_server(&mut self.rows);
    }

    /// Empties the buffer and keeps its memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.heap = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::WriteId;

    fn row(index: u64, server: u32) -> BufferedRow {
        BufferedRow {
            operation: OperationId::new(WriteId(0), index),
            put: SimTime::ZERO,
            region: 0,
            server,
            key: 0,
            key_length: 1,
        }
    }

    #[test]
    fn a_flush_is_due_when_the_heap_size_passes_the_buffer() {
        let mut buffer = WriteBuffer::new(300);
        assert_eq!(buffer.room(100), 4);
        assert!(!buffer.put(row(0, 0), 100));
        assert!(!buffer.put(row(1, 0), 200), "equal is not past");
        assert_eq!(buffer.room(100), 1);
        assert!(buffer.put(row(2, 0), 1));
        buffer.clear();
        assert!(buffer.rows().is_empty());
        assert!(!buffer.put(row(3, 0), 300));
    }

    #[test]
    fn rows_are_grouped_by_server_in_the_order_in_which_they_were_put_in() {
        let mut buffer = WriteBuffer::new(1000);
        for (index, server) in [(0, 2), (1, 0), (2, 2), (3, 7), (4, 0), (5, 2)] {
            buffer.put(row(index, server), 1);
        }
        buffer.group_by_server();
        let order: Vec<_> = buffer
            .rows()
            .iter()
            .map(|row| (row.server, row.operation.index()))
            .collect();
        assert_eq!(order, [(0, 1), (0, 4), (2, 0), (2, 2), (2, 5), (7, 3)]);
    }
}
