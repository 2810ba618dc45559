//! The write buffers of clients that have one, and which of their rows are over.

use crate::client::{BufferedRow, WriteBuffer};
use crate::units::ByteSize;

/// An operation with a row in each copy of the table.
#[derive(Debug)]
struct CopiedOperation {
    /// Its row in the table itself.
    row: BufferedRow,
    /// Rows that have neither a reply nor failed; none once one has failed.
    left: u32,
}

/// The buffer of one client, which is being filled or flushed.
#[derive(Debug)]
pub struct Flush {
    buffer: WriteBuffer,
    /// With copies: the operations whose rows are in the buffer, which are some client's next ones.
    copied: Vec<CopiedOperation>,
    /// Clients of the same write: the operations of one are so far apart.
    clients: u64,
    /// For each row of a flush: it has a reply or has failed.
    over: Vec<bool>,
}

/// The buffers of all clients that have one.
#[derive(Debug, Default)]
pub struct WriteBuffers(Vec<Flush>);

impl WriteBuffers {
    /// Adds an empty buffer of one of `clients` clients and returns its place.
    pub fn add(&mut self, capacity: ByteSize, clients: u32) -> u32 {
        self.0.push(Flush {
            buffer: WriteBuffer::new(capacity.0),
            copied: Vec::new(),
            clients: u64::from(clients),
            over: Vec::new(),
        });
        (self.0.len() - 1) as u32
    }

    #[inline]
    pub fn get_mut(&mut self, buffer: u32) -> &mut Flush {
        &mut self.0[buffer as usize]
    }

    /// Operations that have neither been completed nor failed, by their rows in the table itself.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        self.0.iter().flat_map(|flush| {
            let copied = flush.copied.iter().filter(|operation| operation.left > 0);
            let single = flush.copied.is_empty();
            let over = |at| flush.over.get(at).copied().unwrap_or(false);
            let rows = flush.buffer.rows().iter().enumerate();
            rows.filter(move |&(at, _)| single && !over(at))
                .map(|(_, row)| row)
                .chain(copied.map(|operation| &operation.row))
        })
    }
}

impl Flush {
    /// How many operations that take at most so much heap can be put in before a flush is due; at least 1.
    pub fn room(&self, heap: u64) -> u64 {
        self.buffer.room(heap)
    }

    #[inline]
    pub fn rows(&self) -> &[BufferedRow] {
        self.buffer.rows()
    }

    #[inline]
    pub fn rows_mut(&mut self) -> &mut [BufferedRow] {
        self.buffer.rows_mut()
    }

    /// Puts a row in; true when the buffer has to be flushed. Of an operation that goes to so many `copies` this is the row in the table itself,
    /// or (`None`) a further one.
    #[inline]
    pub fn put(&mut self, row: BufferedRow, heap: u64, copies: Option<usize>) -> bool {
        if let Some(copies @ 1..) = copies {
            let left = copies as u32 + 1;
            self.copied.push(CopiedOperation { row, left });
        }
        self.buffer.put(row, heap)
    }

    /// Its rows are sent now.
    pub fn begin(&mut self) {
        self.over.resize(self.buffer.rows().len(), false);
    }

    /// All its rows are over: it is filled again.
    pub fn end(&mut self) {
        self.buffer.clear();
        self.copied.clear();
        self.over.clear();
    }

    /// Marks rows as over and tells `each` operation that is over with them: with copies, when all its rows have been written, or one
    /// has failed.
    pub fn end_rows(
        &mut self,
        first: u32,
        count: u32,
        written: bool,
        mut each: impl FnMut(&BufferedRow),
    ) {
        let rows = first as usize..(first + count) as usize;
        self.over[rows.clone()].fill(true);
        let rows = &self.buffer.rows()[rows];
        let Some(oldest) = self.copied.first() else {
            return rows.iter().for_each(&mut each);
        };
        let oldest = oldest.row.operation.index();
        for row in rows {
            let place = (row.operation.index() - oldest) / self.clients;
            let operation = &mut self.copied[place as usize];
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
