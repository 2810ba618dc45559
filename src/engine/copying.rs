//! Writes to a table with copies: a row for each copy, sent together. Must not know what becomes of their calls.

use super::calls::{Call, NONE};
use super::closed_loop::LEAST_CYCLE;
use super::events::Travel;
use super::fan_out::{FanOut, Part, Purpose, Task};
use super::placing::{Place, Placing, Unplaced};
use super::simulation::Simulation;
use crate::keyspace::KeyBatch;
use crate::workload::{OperationBatch, WriteKind};

/// The copies of the table; without any, writes never come here.
#[derive(Debug)]
pub(super) struct Copying<'a> {
    pub tables: Vec<Placing<'a>>,
    /// Where the rows of the next open-loop writes go: of each copy one column.
    open_places: Vec<Vec<Place>>,
    /// And their keys.
    open_keys: Vec<KeyBatch>,
    /// Where the rows of one write go, with their keys in [`super::keys::Keys`]; kept for its memory.
    rows: Vec<(Place, u32)>,
    /// The parts of the write that was begun last.
    sent: Vec<u32>,
    /// One write that is being placed; kept for its memory.
    issued: Unplaced,
}

impl<'a> Copying<'a> {
    pub fn new(tables: Vec<Placing<'a>>) -> Self {
        Self {
            open_places: vec![Vec::new(); tables.len()],
            open_keys: vec![KeyBatch::default(); tables.len()],
            tables,
            rows: Vec::new(),
            sent: Vec::new(),
            issued: Unplaced::default(),
        }
    }

    /// There are no copies.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The regions of the next rows of a copy, from `next` on, whose region `changed` chooses are found again.
    pub fn place_again(&mut self, copy: usize, next: usize, changed: impl Fn(u32) -> bool) {
        let keys = &self.open_keys[copy];
        for (at, place) in self.open_places[copy].iter_mut().enumerate().skip(next) {
            if changed(place.region) {
                place.region = self.tables[copy].locate(keys.get(at));
            }
        }
    }

    /// Places the rows of the next open-loop writes.
    pub fn place_open(&mut self, batch: &OperationBatch) {
        let columns = self.open_places.iter_mut().zip(&mut self.open_keys);
        for (table, (places, keys)) in self.tables.iter_mut().zip(columns) {
            places.clear();
            table.place(
                &batch.records,
                &batch.operations,
                &batch.indices,
                |_, _, place, _| places.push(place),
            );
            table.swap_keys(keys);
        }
    }
}

impl Simulation<'_> {
    /// [`Simulation::operation_arrives`] for a table with copies.
    pub(super) fn copied_operation_arrives(&mut self) {
        if self.send_copied_operation() {
            for at in 0..self.copying.sent.len() {
                self.part_arrives(self.copying.sent[at]);
            }
        }
    }

    /// The next open-loop write is sent, as it was at its intended time; false when too many were in flight then.
    pub(super) fn send_copied_operation(&mut self) -> bool {
        let at = self.open.next;
        let copying = &mut self.copying;
        copying.rows.clear();
        for (places, keys) in copying.open_places.iter().zip(&copying.open_keys) {
            let key = self.keys.insert(keys.get(at));
            copying.rows.push((places[at], key));
        }
        let intended = self.open.next_time();
        let call = self.send_operation();
        for &(place, key) in &self.copying.rows {
            let server = self.regions.get(place.region).server;
            self.recorder.copied(intended, place.region, server);
            if call.is_none() {
                self.keys.remove(key);
            }
        }
        if let Some(call) = &call {
            self.begin_copied_write(call);
        }
        call.is_some()
    }

    /// A closed-loop client's next write to a table with copies is due now.
    pub(super) fn client_writes_copies(&mut self, at: u32) {
        let now = self.now;
        let client = &mut self.closed.clients[at as usize];
        let Some(source) = &mut self.closed.sources[usize::from(client.write.0)] else {
            return;
        };
        let (number, next) = (client.number, client.next);
        let copying = &mut self.copying;
        copying.issued.clear();
        let issue = |record: &mut [i64]| source.issue(number, next, now, record);
        let width = self.config.generator.width();
        let Some(operation) = copying.issued.push(width, issue) else {
            return;
        };
        client.next += 1;
        client.earliest = now + LEAST_CYCLE;
        let mut call = Call::of_client(operation, now, at);
        let (recorder, regions, keys) = (&mut self.recorder, &self.regions, &mut self.keys);
        self.placing.place_all(&copying.issued, |_, _, place, key| {
            call.server = regions.get(place.region).server;
            call.bytes = self.weights.of(place.key_length).bytes;
            call.detail = place.row;
            call.region = place.region;
            call.key = keys.insert(key);
            call.key_length = place.key_length;
            recorder.offered(
                now,
                operation.write(),
                place.region,
                call.server,
                place.key_bucket,
            );
        });
        copying.rows.clear();
        let rows = &mut copying.rows;
        for table in &mut copying.tables {
            table.place_all(&copying.issued, |_, _, place, key| {
                recorder.copied(now, place.region, regions.get(place.region).server);
                rows.push((place, keys.insert(key)));
            });
        }
        self.begin_copied_write(&call);
        for at in 0..self.copying.sent.len() {
            self.travel(Travel::PartCall(self.copying.sent[at]));
        }
    }

    /// A write that is `call` in the table itself, and goes to [`Copying::rows`] in the copies.
    fn begin_copied_write(&mut self, call: &Call) {
        self.copying.sent.clear();
        let rows = self.copying.rows.len() as u32 + 1;
        let fan_out = self.fans.insert(FanOut {
            operation: call.operation,
            intended: call.intended,
            client: call.client,
            active: rows,
            waiting: NONE,
            parts: rows,
            failed: false,
            purpose: Purpose::Write {
                server: call.server,
            },
        });
        let process = self.process_of(call.operation, call.client);
        let exclusive = self.kinds[usize::from(call.operation.write().0)] == WriteKind::Increment;
        let of_table = Place {
            region: call.region,
            key_bucket: 0,
            key_length: call.key_length,
            row: call.detail,
        };
        for number in 0..rows {
            let (place, key) = match number.checked_sub(1) {
                None => (of_table, call.key),
                Some(copy) => self.copying.rows[copy as usize],
            };
            let task = Task::Put {
                row: place.row,
                region: place.region,
                key,
                bytes: self.weights.of(place.key_length).bytes,
                key_length: place.key_length,
                exclusive,
            };
            let server = self.server_for(place.region, process);
            let part = Part::new(fan_out, number, server, task);
            self.copying.sent.push(self.fans.insert_part(part));
        }
    }
}
