//! Clients with a write buffer: filling it, flushing it, and waiting for all servers. Must not know how servers work.

use super::calls::Call;
use super::closed_loop::LEAST_CYCLE;
use super::events::{Event, Travel};
use super::placing::{Place, Unplaced};
use super::row_weights::RowWeights;
use super::simulation::Simulation;
use crate::client::{BufferedRow, WriteBuffer};
use crate::time::SimTime;
use crate::units::ByteSize;
use std::ops::Range;

/// An operation with a row in each copy of the table.
#[derive(Debug)]
struct CopiedOperation {
    /// Its row in the table itself.
    row: BufferedRow,
    /// Rows that have neither a reply nor failed; none once one has failed.
    left: u32,
}

/// One client's buffer and the calls that it waits for.
#[derive(Debug)]
struct Flush {
    buffer: WriteBuffer,
    /// With copies: the operations whose rows are in the buffer, which are some client's next ones.
    copied: Vec<CopiedOperation>,
    /// Clients of the same write: the operations of one are so far apart.
    clients: u64,
    /// Calls under way; none: the buffer is being filled.
    calls: u32,
    /// For each row of a flush: it has a reply or has failed.
    over: Vec<bool>,
}

/// The buffers of all clients that have one.
#[derive(Debug, Default)]
pub(super) struct Flushing {
    flushes: Vec<Flush>,
    /// Operations that are put into a buffer together; kept for its memory.
    batch: Unplaced,
    /// Calls of a flush that is being sent; kept for its memory.
    sent: Vec<u32>,
}

impl Flushing {
    /// Adds an empty buffer of one of `clients` clients and returns its place.
    pub fn add(&mut self, capacity: ByteSize, clients: u32) -> u32 {
        self.flushes.push(Flush {
            buffer: WriteBuffer::new(capacity.0),
            copied: Vec::new(),
            clients: u64::from(clients),
            calls: 0,
            over: Vec::new(),
        });
        (self.flushes.len() - 1) as u32
    }

    /// A further call of a flush is under way.
    pub fn call_begins(&mut self, buffer: u32) {
        self.flushes[buffer as usize].calls += 1;
    }

    /// The rows of a client's buffer.
    pub fn rows(&mut self, buffer: u32) -> &mut [BufferedRow] {
        self.flushes[buffer as usize].buffer.rows_mut()
    }

    /// One call of a flush is over; true when it was the last.
    pub fn call_ends(&mut self, buffer: u32) -> bool {
        let flush = &mut self.flushes[buffer as usize];
        flush.calls -= 1;
        if flush.calls > 0 {
            return false;
        }
        flush.buffer.clear();
        flush.copied.clear();
        flush.over.clear();
        true
    }

    /// Operations that have neither been completed nor failed, by their rows in the table itself.
    pub fn unfinished_rows(&self) -> impl Iterator<Item = &BufferedRow> {
        self.flushes.iter().flat_map(|flush| {
            let copied = flush.copied.iter().filter(|operation| operation.left > 0);
            let single = flush.copied.is_empty();
            let over = |at| flush.over.get(at).copied().unwrap_or(false);
            flush
                .buffer
                .rows()
                .iter()
                .enumerate()
                .filter(move |&(at, _)| single && !over(at))
                .map(|(_, row)| row)
                .chain(copied.map(|operation| &operation.row))
        })
    }

    fn flush(&mut self, buffer: u32) -> &mut Flush {
        &mut self.flushes[buffer as usize]
    }
}

impl Simulation<'_> {
    /// A client puts rows into its buffer until it has to think, flush, or has none left. Without think time, as many rows as
    /// certainly fit are drawn, keyed and routed together.
    pub(super) fn fill_buffer(&mut self, at: u32) {
        let now = self.now;
        let width = self.config.generator.width();
        loop {
            let closed = &mut self.closed;
            let client = &mut closed.clients[at as usize];
            let Some(source) = &mut closed.sources[usize::from(client.write.0)] else {
                return;
            };
            let Flushing { flushes, batch, .. } = &mut closed.flushing;
            let Flush { buffer, copied, .. } = &mut flushes[client.buffer as usize];
            let copies = &mut self.copying.tables;
            let rows = if client.thinks {
                1
            } else {
                let tables = std::iter::once(&self.placing).chain(copies.iter());
                let greatest = tables.map(|table| self.weights.of(table.longest_key()).buffered);
                buffer
                    .room(greatest.map(u64::from).sum())
                    .min(self.config.batch.max(1) as u64)
            };
            batch.clear();
            let mut ended = false;
            for _ in 0..rows {
                let (number, next) = (client.number, client.next);
                let issue = |record: &mut [i64]| source.issue(number, next, now, record);
                if batch.push(width, issue).is_none() {
                    ended = true;
                    break;
                }
                client.next += 1;
            }
            let recorder = &mut self.recorder;
            let mut full = false;
            let (regions, weights, keys) = (&self.regions, &self.weights, &mut self.keys);
            let mut row_at = |operation, place: &Place, key: &[u8]| BufferedRow {
                operation,
                put: now,
                region: place.region,
                server: regions.get(place.region).server,
                key: keys.insert(key),
                key_length: place.key_length,
            };
            let heap = |place: &Place| u64::from(weights.of(place.key_length).buffered);
            self.placing.place_all(batch, |_, operation, place, key| {
                let row = row_at(operation, &place, key);
                recorder.offered(
                    now,
                    operation.write(),
                    place.region,
                    row.server,
                    place.key_bucket,
                );
                full |= buffer.put(row, heap(&place));
                if !copies.is_empty() {
                    let left = copies.len() as u32 + 1;
                    copied.push(CopiedOperation { row, left });
                }
            });
            for table in copies {
                table.place_all(batch, |_, operation, place, key| {
                    let row = row_at(operation, &place, key);
                    recorder.copied(now, place.region, row.server);
                    full |= buffer.put(row, heap(&place));
                });
            }
            if full || ended && !buffer.rows().is_empty() {
                return self.flush(at);
            }
            if ended {
                return;
            }
            if client.thinks {
                let think = source.think(client.number, client.next);
                return self.schedule(now + think, Event::Thought(at));
            }
        }
    }

    /// Sends one call to each server that has rows in the client's buffer.
    fn flush(&mut self, at: u32) {
        let client = &mut self.closed.clients[at as usize];
        client.earliest = self.now + LEAST_CYCLE;
        let place = client.buffer;
        let mut buffer = std::mem::take(&mut self.closed.flushing.flush(place).buffer);
        if self.regions.changed() {
            self.find_rows(buffer.rows_mut(), at);
        }
        buffer.group_by_server();
        let flush = self.closed.flushing.flush(place);
        let rows = buffer.rows().len();
        flush.over.resize(rows, false);
        flush.buffer = buffer;
        self.send_rows(at, 0..rows, 0);
    }

    /// Sends the rows of a client's buffer in that range, which are grouped by server, after so many failed attempts.
    pub(super) fn send_rows(&mut self, at: u32, range: Range<usize>, failures: u16) {
        let mut sent = std::mem::take(&mut self.closed.flushing.sent);
        let place = self.closed.clients[at as usize].buffer;
        let flush = self.closed.flushing.flush(place);
        let mut first = range.start as u64;
        for rows in flush.buffer.rows()[range].chunk_by(|a, b| a.server == b.server) {
            sent.push(self.calls.insert(Call {
                failures,
                ..call_of_rows(rows, first, at, &self.weights)
            }));
            first += rows.len() as u64;
        }
        flush.calls += sent.len() as u32;
        for &id in &sent {
            self.travel(Travel::Call(id));
        }
        sent.clear();
        self.closed.flushing.sent = sent;
    }

    /// The reply to a call of a flush leaves its server: its rows are in their memstores.
    pub(super) fn rows_are_written(&mut self, call: &Call) {
        let place = self.closed.clients[call.client as usize].buffer;
        for at in call.detail as usize..call.detail as usize + call.rows as usize {
            let row = self.closed.flushing.flush(place).buffer.rows()[at];
            self.row_is_written(row.region, row.key_length, row.key);
        }
    }

    /// The reply to a call of a flush: all its rows are done.
    pub(super) fn flushed_rows_complete(&mut self, call: &Call) {
        let (now, deadline) = (self.now, self.config.client.deadline);
        let place = self.closed.clients[call.client as usize].buffer;
        let recorder = &mut self.recorder;
        self.closed
            .flushing
            .flush(place)
            .end_rows(call.detail, call.rows, true, |row| {
                recorder.completed(
                    row.operation.write(),
                    row.server,
                    row.put,
                    now,
                    now <= row.put + deadline,
                );
            });
    }

    /// Gives up the rows of a refused call that can't start again by their deadline (all of them when there is no next attempt);
    /// true when rows are left to try again.
    pub(super) fn drop_late_rows(&mut self, id: u32, again: Option<SimTime>) -> bool {
        let (now, deadline) = (self.now, self.config.client.deadline);
        let call = *self.calls.get(id);
        let place = self.closed.clients[call.client as usize].buffer;
        let flush = self.closed.flushing.flush(place);
        let rows = &flush.buffer.rows()[call.detail as usize..][..call.rows as usize];
        // Rows stand in the order in which they were put in: the late ones come first.
        let late = rows
            .iter()
            .take_while(|row| again.is_none_or(|again| again > row.put + deadline));
        let late = late.inspect(|row| self.keys.remove(row.key));
        let count = late.count() as u32;
        let recorder = &mut self.recorder;
        flush.end_rows(call.detail, count, false, |row| {
            recorder.failed(row.operation.write(), row.put, now)
        });
        if count > 0 {
            self.last_outcome = self.last_outcome.max(now);
        }
        if count < call.rows {
            let rows = count as usize..call.rows as usize;
            self.narrow(id, rows);
        }
        count < call.rows
    }

    /// A call of a flush carries only some of its rows from now on, not none.
    pub(super) fn narrow(&mut self, id: u32, rows: Range<usize>) {
        let call = self.calls.get_mut(id);
        let place = self.closed.clients[call.client as usize].buffer;
        let first = call.detail + rows.start as u64;
        let buffer = &self.closed.flushing.flushes[place as usize].buffer;
        let rows = &buffer.rows()[first as usize..][..rows.len()];
        *call = Call {
            intended: call.intended,
            failures: call.failures,
            server: call.server,
            ..call_of_rows(rows, first, call.client, &self.weights)
        };
    }
}

/// A call for rows that one server takes, which begin at `first` in the buffer of `client`.
pub(super) fn call_of_rows(
    rows: &[BufferedRow],
    first: u64,
    client: u32,
    weights: &RowWeights,
) -> Call {
    let bytes: u64 = rows
        .iter()
        .map(|row| u64::from(weights.of(row.key_length).bytes))
        .sum();
    Call {
        detail: first,
        bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        rows: rows.len() as u32,
        server: rows[0].server,
        region: rows[0].region,
        ..Call::of_client(rows[0].operation, rows[0].put, client)
    }
}

impl Flush {
    /// Marks rows as over and tells `each` operation that is over with them: with copies, when all its rows have been written, or one
    /// has failed.
    fn end_rows(
        &mut self,
        first: u64,
        count: u32,
        written: bool,
        mut each: impl FnMut(&BufferedRow),
    ) {
        let rows = first as usize..first as usize + count as usize;
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
