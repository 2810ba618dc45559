//! Write buffers: rows that wait to be sent together, and which of them are over.

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
    /// It has a reply or has failed.
    pub over: bool,
}

impl BufferedRow {
    /// Sorts rows of one client by server, and those of a server in the order in which they were put into its buffer.
    pub fn group_by_server(rows: &mut [Self]) {
        // Operations of one client count up, so that this is the stable order.
        rows.sort_unstable_by_key(|row| (row.server, row.operation.index()));
    }
}

/// An operation with a row in each copy of the table.
#[derive(Debug)]
struct CopiedOperation {
    /// Its row in the table itself.
    row: BufferedRow,
    /// Rows that have neither a reply nor failed; none once one has failed.
    left: u32,
}

/// HBase's `BufferedMutatorImpl`: mutations collect until their heap size passes the buffer; then the rows of each server
/// are sent as one call, and the writer waits until all of them are done.
#[derive(Debug)]
pub struct WriteBuffer {
    capacity: u64,
    heap: u64,
    /// In the order in which they were put in, and by server once they are sent.
    pub rows: Vec<BufferedRow>,
    /// With copies: the operations whose rows are in the buffer, which count up.
    copied: Vec<CopiedOperation>,
}

impl WriteBuffer {
    /// An empty buffer of `capacity` bytes (`hbase.client.write.buffer`).
    pub fn new(capacity: u64) -> Self {
        Self {
            capacity,
            heap: 0,
            rows: Vec::new(),
            copied: Vec::new(),
        }
    }

    /// How many operations that take at most so much heap can be put in before a flush is due; at least 1.
    pub fn room(&self, heap: u64) -> u64 {
        self.capacity.saturating_sub(self.heap) / heap.max(1) + 1
    }

    /// Puts a row of `heap` bytes of heap in; true when the buffer has to be flushed: its heap size passes its capacity. Of an operation that goes
    /// to `copies` > 0 this is the row in the table itself.
    pub fn put(&mut self, row: BufferedRow, heap: u64, copies: usize) -> bool {
        if copies > 0 {
            let left = copies as u32 + 1;
            self.copied.push(CopiedOperation { row, left });
        }
        self.rows.push(row);
        self.heap += heap;
        self.heap > self.capacity
    }

    /// All its rows are over: it is filled again.
    pub fn end(&mut self) {
        self.rows.clear();
        self.heap = 0;
        self.copied.clear();
    }

    /// Operations that have neither been completed nor failed, by their rows in the table itself.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        let single = self.copied.is_empty();
        let rows = self.rows.iter().filter(move |row| single && !row.over);
        let copied = self.copied.iter().filter(|operation| operation.left > 0);
        rows.chain(copied.map(|operation| &operation.row))
    }

    /// So many rows from `first` on are over; tells `each` operation that is over with them: with copies, when all its rows have been written, or one
    /// has failed.
    pub fn end_rows(
        &mut self,
        first: u32,
        count: u32,
        written: bool,
        mut each: impl FnMut(&BufferedRow),
    ) {
        let rows = &mut self.rows[first as usize..][..count as usize];
        rows.iter_mut().for_each(|row| row.over = true);
        if self.copied.is_empty() {
            return rows.iter().for_each(each);
        }
        for row in rows {
            let index = row.operation.index();
            let is_before = |it: &CopiedOperation| it.row.operation.index() < index;
            let place = self.copied.partition_point(is_before);
            let operation = &mut self.copied[place];
            if operation.left == 0 {
                continue;
            }
            operation.left = if written { operation.left - 1 } else { 0 };
            if operation.left == 0 {
                each(&operation.row);
            }
        }
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
            over: false,
        }
    }

    #[test]
    fn a_flush_is_due_when_the_heap_size_passes_the_buffer() {
        let mut buffer = WriteBuffer::new(300);
        assert_eq!(buffer.room(100), 4);
        assert!(!buffer.put(row(0, 0), 100, 0));
        assert!(!buffer.put(row(1, 0), 200, 0), "equal is not past");
        assert_eq!(buffer.room(100), 1);
        assert!(buffer.put(row(2, 0), 1, 0));
        buffer.end();
        assert!(buffer.rows.is_empty());
        assert!(!buffer.put(row(3, 0), 300, 0));
    }

    #[test]
    fn rows_are_grouped_by_server_in_the_order_in_which_they_were_put_in() {
        let put = [(0, 2), (1, 0), (2, 2), (3, 7), (4, 0), (5, 2)];
        let mut rows = put.map(|(index, server)| row(index, server));
        BufferedRow::group_by_server(&mut rows);
        let order = rows.map(|row| (row.server, row.operation.index()));
        assert_eq!(order, [(0, 1), (0, 4), (2, 0), (2, 2), (2, 5), (7, 3)]);
    }
}
