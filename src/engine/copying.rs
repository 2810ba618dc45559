//! Writes to a table with copies: a row for each copy, sent together. Must not know what becomes of their calls.

use super::calls::{Call, NONE};
use super::fan_out::{FanOut, Part, Purpose, Task};
use super::placing::{Place, Placing, Unplaced};
use super::simulation::{Simulation, Travel};
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
    /// Where the rows of one write go; kept for its memory.
    places: Vec<Place>,
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
            places: Vec::new(),
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
        copying.places.clear();
        let columns = copying.open_places.iter();
        copying.places.extend(columns.map(|places| places[at]));
        let intended = self.open.next_time();
        let call = self.send_operation();
        for place in &self.copying.places {
            let server = self.regions.get(place.region).server;
            self.recorder.copied(intended, place.region, server);
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
        client.started = now;
        let mut call = Call::of_client(operation, now, at);
        let (recorder, regions) = (&mut self.recorder, &self.regions);
        self.placing.place_all(&copying.issued, |_, _, place, _| {
            call.server = regions.get(place.region).server;
            call.bytes = self.weights.of(place.key_length).bytes;
            call.row = place.row;
            recorder.offered(
                now,
                operation.write(),
                place.region,
                call.server,
                place.key_bucket,
            );
        });
        copying.places.clear();
        let places = &mut copying.places;
        for table in &mut copying.tables {
            table.place_all(&copying.issued, |_, _, place, _| {
                recorder.copied(now, place.region, regions.get(place.region).server);
                places.push(place);
            });
        }
        self.begin_copied_write(&call);
        for at in 0..self.copying.sent.len() {
            self.travel(Travel::PartCall(self.copying.sent[at]));
        }
    }

    /// A write that is `call` in the table itself, and goes to `places` in the copies.
    fn begin_copied_write(&mut self, call: &Call) {
        self.copying.sent.clear();
        let fan_out = self.fans.insert(FanOut {
            operation: call.operation,
            intended: call.intended,
            client: call.client,
            active: self.copying.places.len() as u32 + 1,
            waiting: NONE,
            failed: false,
            purpose: Purpose::Write {
                server: call.server,
            },
        });
        let of_copies = self.copying.places.iter().map(|place| {
            let server = self.regions.get(place.region).server;
            let bytes = self.weights.of(place.key_length).bytes;
            (server, place.row, bytes)
        });
        let exclusive = self.kinds[usize::from(call.operation.write().0)] == WriteKind::Increment;
        let rows = std::iter::once((call.server, call.row, call.bytes)).chain(of_copies);
        for (number, (server, row, bytes)) in (0..).zip(rows) {
            let task = Task::Put {
                row,
                bytes,
                exclusive,
            };
            let part = Part::new(fan_out, number, server, task);
            self.copying.sent.push(self.fans.insert_part(part));
        }
    }
}
