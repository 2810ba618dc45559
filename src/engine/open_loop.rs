//! Operations of open loops: known beforehand, so they are generated, keyed and routed in batches. Must not know what becomes
//! of them.

use super::SimConfig;
use super::calls::{Call, NONE};
use super::placing::{Place, Placing};
use super::simulation::Simulation;
use crate::keyspace::KeyBatch;
use crate::time::{SimDuration, SimTime};
use crate::workload::{OpenArrivals, OperationBatch, OperationId, WriteKind};
use std::collections::VecDeque;
use std::hint::black_box;

/// Operations whose servers and regions are brought into the caches all at a time.
const AHEAD: usize = 16;

/// The next open-loop operations.
#[derive(Debug)]
pub(super) struct OpenLoop {
    arrivals: OpenArrivals,
    batch: OperationBatch,
    places: Vec<Place>,
    /// Of their first attempts, where they are calls of one row each.
    services: Vec<SimDuration>,
    keys: KeyBatch,
    pub next: usize,
    /// Operations that were sent and whose ends were not passed yet.
    in_flight: u64,
    /// When some of them end: by replies and refusals that are on the network. Nobody waits for them, so that they need no event: they are
    /// passed when too many operations seem to be in flight, and after each batch, all at a time.
    ends: VecDeque<SimTime>,
}

impl OpenLoop {
    pub fn new(config: &SimConfig) -> Self {
        let copies = config.copies.iter().map(|copy| &copy.key);
        let keys = std::iter::once(&config.key).chain(copies);
        Self {
            arrivals: OpenArrivals::new(
                &config.workload,
                config.generator.clone(),
                config.seed,
                config.replicate,
            )
            .asking_for(keys.flat_map(|key| key.fields())),
            batch: OperationBatch::new(),
            places: Vec::new(),
            services: Vec::new(),
            keys: KeyBatch::default(),
            next: 0,
            in_flight: 0,
            ends: VecDeque::new(),
        }
    }

    /// Intended time of the next operation; [`SimTime::MAX`] when there is none.
    #[inline]
    pub fn next_time(&self) -> SimTime {
        self.batch
            .intended
            .get(self.next)
            .copied()
            .unwrap_or(SimTime::MAX)
    }

    /// The regions of the next operations whose region `changed` chooses are found again.
    pub fn place_again(&mut self, table: &Placing<'_>, changed: impl Fn(u32) -> bool) {
        for at in self.next..self.places.len() {
            if changed(self.places[at].region) {
                self.places[at].region = table.locate(self.keys.get(at));
            }
        }
    }

    /// Passes what has ended before `now`.
    fn pass_ends(&mut self, now: SimTime) {
        while self.ends.front().is_some_and(|&end| end < now) {
            self.ends.pop_front();
            self.in_flight -= 1;
        }
    }

    /// As many operations as are allowed are in flight.
    #[inline]
    fn is_full(&mut self, now: SimTime, most: u64) -> bool {
        if self.in_flight >= most {
            self.pass_ends(now);
        }
        self.in_flight >= most
    }

    /// An operation ends at `end`, not before those of which this was told before.
    #[inline]
    pub fn ends_at(&mut self, end: SimTime) {
        self.ends.push_back(end);
    }
}

impl Simulation<'_> {
    /// Generates, keys and routes the next batch.
    pub(super) fn refill(&mut self) {
        let open = &mut self.open;
        open.next = 0;
        open.batch.clear();
        open.places.clear();
        open.arrivals
            .fill(&mut open.batch, self.config.batch.max(1));
        let batch = &open.batch;
        self.placing.place(
            &batch.records,
            &batch.operations,
            &batch.indices,
            |_, _, place, _| open.places.push(place),
        );
        self.placing.swap_keys(&mut open.keys);
        open.services.clear();
        let (service, draws) = (&self.service, self.service_draws);
        let operations = batch.operations.iter().map(|&id| OperationId(id));
        let first = |operation| service.write(1, draws.at(operation, 0));
        open.services.extend(operations.map(first));
        self.copying.place_open(batch);
    }

    /// The next operation reaches its server, or was given up when it should have been sent.
    #[inline]
    pub(super) fn operation_arrives(&mut self) {
        if !self.copying.is_empty() {
            return self.copied_operation_arrives();
        }
        if self.open.next.is_multiple_of(AHEAD) {
            let next = self.open.places[self.open.next..].iter().take(AHEAD);
            black_box(next.fold(0, |bits, place| {
                let server = self.regions.get(place.region).server;
                bits ^ self.servers[server as usize].touch()
                    ^ self.recorder.demand_so_far(place.region)
            }));
        }
        if let Some(call) = self.send_operation() {
            let id = self.calls.insert(call);
            self.call_arrives(id);
        }
    }

    /// The operations that don't reach their servers before the end are sent.
    pub(super) fn send_the_rest(&mut self) {
        while self.open.next_time() < self.config.duration {
            self.now = self.open.next_time();
            if !self.copying.is_empty() {
                if self.send_copied_operation() {
                    self.arrival();
                }
            } else if let Some(call) = self.send_operation() {
                self.arrival();
                self.calls.insert(call);
            }
        }
    }

    /// The call of the next operation, as it was sent at its intended time; `None` when too many were in flight then.
    #[inline(always)]
    pub(super) fn send_operation(&mut self) -> Option<Call> {
        let open = &mut self.open;
        let at = open.next;
        let (place, intended) = (open.places[at], open.batch.intended[at]);
        let service = open.services[at];
        let operation = OperationId(open.batch.operations[at]);
        let key = self.keys.insert(open.keys.get(at));
        open.next += 1;
        if open.next == open.places.len() {
            open.pass_ends(intended);
            self.refill();
        }
        let write = operation.write();
        let detail = if self.kinds[usize::from(write.0)] == WriteKind::Increment {
            place.row
        } else {
            service.as_nanos()
        };
        let state = self.regions.get(place.region);
        self.recorder.offered(
            intended,
            write,
            place.region,
            state.server,
            place.key_bucket,
        );
        let open = &mut self.open;
        if open.is_full(intended, self.config.client.max_in_flight) {
            self.recorder.failed(write, intended, intended);
            self.keys.remove(key);
            self.last_outcome = self.last_outcome.max(intended);
            return None;
        }
        open.in_flight += 1;
        let server = if state.openings == 0 {
            state.server
        } else {
            self.server_for(place.region, self.process_of(operation, NONE))
        };
        Some(Call {
            operation,
            intended,
            taken: SimTime::MAX,
            detail,
            bytes: self.weights.of(place.key_length).bytes,
            rows: 1,
            server,
            region: place.region,
            key,
            client: NONE,
            handler: 0,
            failures: 0,
            key_length: place.key_length,
        })
    }

    /// The reply to an operation leaves its server: all that is left is known now.
    #[inline]
    pub(super) fn open_reply_leaves(&mut self, id: u32) {
        let Some(finished) = self.arrival() else {
            return;
        };
        let call = self.calls.get(id);
        let within_deadline = finished <= call.intended + self.config.client.deadline;
        self.recorder.completed(
            call.operation.write(),
            call.server,
            call.intended,
            finished,
            within_deadline,
        );
        self.open_call_ends(id, finished);
    }

    /// The call leaves its server for the last time: its client will know at `end`.
    #[inline]
    pub(super) fn open_call_ends(&mut self, id: u32, end: SimTime) {
        self.last_outcome = self.last_outcome.max(end);
        self.open.ends_at(end);
        self.calls.remove(id);
    }
}
