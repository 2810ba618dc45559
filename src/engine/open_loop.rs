//! Operations of open loops: known beforehand, so they are generated, keyed and routed in batches. Must not know what becomes
//! of them.

use super::SimConfig;
use super::calls::{Call, NONE};
use super::placing::Placing;
use super::server_side::Replies;
use super::simulation::Simulation;
use crate::keyspace::KeyBatch;
use crate::time::SimTime;
use crate::workload::{OpenArrivals, OperationBatch, OperationId, WriteKind};
use std::collections::VecDeque;
use std::hint::black_box;

/// Operations whose servers and regions are brought into the caches all at a time.
const AHEAD: usize = 16;

/// Of so many servers and so many regions all fits the caches without (a few KB a server, some dozen bytes a region).
const FEW_SERVERS: u32 = 32;
const FEW_REGIONS: usize = 1 << 12;

/// What is known of the call of an operation before it is sent.
#[derive(Debug, Clone, Copy)]
struct Upcoming {
    operation: OperationId,
    intended: SimTime,
    /// As [`Call::detail`].
    detail: u64,
    /// Bytes of its row in the write-ahead log.
    bytes: u32,
    region: u32,
    key_bucket: u32,
    key_length: u16,
}

/// The next open-loop operations.
#[derive(Debug)]
pub(super) struct OpenLoop {
    arrivals: OpenArrivals,
    batch: OperationBatch,
    upcoming: Vec<Upcoming>,
    keys: KeyBatch,
    pub next: usize,
    /// Servers and regions are too many to stay in the caches.
    reads_ahead: bool,
    /// Operations that were sent and whose ends were not passed yet.
    in_flight: u64,
    /// When some of them end, and how many then: by replies and refusals that are on the network. Nobody waits for them, so that they need no
    /// event: they are passed when too many operations seem to be in flight, and after each batch, all at a time.
    ends: VecDeque<(SimTime, u32)>,
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
            upcoming: Vec::new(),
            keys: KeyBatch::default(),
            next: 0,
            reads_ahead: config.servers_in_all() > FEW_SERVERS
                || config.split_points.len() > FEW_REGIONS,
            in_flight: 0,
            ends: VecDeque::new(),
        }
    }

    /// Intended time of the next operation; [`SimTime::MAX`] when there is none.
    #[inline]
    pub fn next_time(&self) -> SimTime {
        self.upcoming
            .get(self.next)
            .map_or(SimTime::MAX, |operation| operation.intended)
    }

    /// The regions of the next operations whose region `changed` chooses are found again.
    pub fn place_again(&mut self, table: &Placing<'_>, changed: impl Fn(u32) -> bool) {
        for (at, operation) in self.upcoming.iter_mut().enumerate().skip(self.next) {
            if changed(operation.region) {
                operation.region = table.locate(self.keys.get(at));
            }
        }
    }

    /// Passes what has ended before `now`.
    fn pass_ends(&mut self, now: SimTime) {
        while let Some(&(end, operations)) = self.ends.front()
            && end < now
        {
            self.ends.pop_front();
            self.in_flight -= u64::from(operations);
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

    /// So many operations end at `end`, not before those of which this was told before.
    pub fn end_at(&mut self, end: SimTime, operations: u32) {
        self.ends.push_back((end, operations));
    }
}

impl Simulation<'_> {
    /// Generates, keys and routes the next batch.
    pub(super) fn refill(&mut self) {
        let open = &mut self.open;
        open.next = 0;
        open.batch.clear();
        open.upcoming.clear();
        open.arrivals
            .fill(&mut open.batch, self.config.batch.max(1));
        let batch = &open.batch;
        let (service, draws) = (&self.service, self.service_draws);
        let (weights, kinds) = (&self.weights, &self.kinds);
        let some_increment = self.some_increment;
        self.placing.place(
            &batch.records,
            &batch.operations,
            &batch.indices,
            |at, operation, place, _| {
                let is_increment = some_increment
                    && kinds[usize::from(operation.write().0)] == WriteKind::Increment;
                open.upcoming.push(Upcoming {
                    operation,
                    intended: batch.intended[at],
                    detail: if is_increment {
                        place.row
                    } else {
                        service.write(1, draws.at(operation, 0)).as_nanos()
                    },
                    bytes: weights.of(place.key_length).bytes,
                    region: place.region,
                    key_bucket: place.key_bucket,
                    key_length: place.key_length,
                });
            },
        );
        self.placing.swap_keys(&mut open.keys);
        self.copying.place_open(batch);
    }

    /// The next operation reaches its server, or was given up when it should have been sent.
    #[inline]
    pub(super) fn operation_arrives(&mut self) {
        if !self.copying.is_empty() {
            return self.copied_operation_arrives();
        }
        if self.open.reads_ahead && self.open.next.is_multiple_of(AHEAD) {
            self.read_ahead();
        }
        if let Some(call) = self.send_operation() {
            let id = self.calls.insert(call);
            self.admit(id);
        }
    }

    /// Brings what the next operations need into the caches, all at a time.
    #[inline(never)]
    fn read_ahead(&self) {
        let next = self.open.upcoming[self.open.next..].iter().take(AHEAD);
        // Regions by themselves: a processor guesses wrong how servers stand, and throws away what it has begun to fetch by then.
        black_box(next.clone().fold(0, |bits, operation| {
            let state = self.regions.get(operation.region);
            bits ^ (state.server ^ state.openings)
                ^ self.recorder.demand_so_far(operation.region)
                ^ self.stores.rows_held(operation.region)
        }));
        black_box(next.fold(0, |bits, operation| {
            let server = self.regions.get(operation.region).server;
            bits ^ self.servers[server as usize].touch()
        }));
    }

    /// The operations that don't reach their servers before the end are sent; false when the run was stopped before all were.
    pub(super) fn send_the_rest(&mut self) -> bool {
        while self.open.next_time() < self.config.duration {
            if self.open.next == 0 && self.is_stopped() {
                return false;
            }
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
        true
    }

    /// The call of the next operation, as it was sent at its intended time; `None` when too many were in flight then.
    #[inline(always)]
    pub(super) fn send_operation(&mut self) -> Option<Call> {
        let open = &mut self.open;
        let Upcoming {
            operation,
            intended,
            detail,
            bytes,
            region,
            key_bucket,
            key_length,
        } = open.upcoming[open.next];
        let key = if self.keys.kept() {
            self.keys.insert(open.keys.get(open.next))
        } else {
            0
        };
        open.next += 1;
        if open.next == open.upcoming.len() {
            open.pass_ends(intended);
            self.refill();
        }
        let write = operation.write();
        let state = self.regions.get(region);
        self.recorder
            .offered(intended, write, region, state.server, key_bucket);
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
            self.server_for(region, self.process_of(operation, NONE))
        };
        Some(Call {
            operation,
            intended,
            taken: SimTime::MAX,
            detail,
            bytes,
            rows: 1,
            server,
            region,
            key,
            client: NONE,
            handler: 0,
            failures: 0,
            key_length,
        })
    }

    /// The reply to an operation leaves its server: all that is left is known now.
    #[inline(always)]
    pub(super) fn open_reply_leaves(&mut self, id: u32, replies: &mut Replies) {
        let Some(finished) = replies.arrival else {
            self.cut_off = true;
            return;
        };
        let call = self.calls.get(id);
        let within_deadline = finished <= call.intended + self.config.client.deadline;
        replies.open += 1;
        replies.responses = replies.responses + finished.since(call.intended);
        self.recorder.answered(
            call.operation.write(),
            call.intended,
            finished,
            within_deadline,
        );
        self.calls.remove(id);
    }

    /// Such replies have left a server, all at a time.
    pub(super) fn open_replies_have_left(&mut self, server: u32, replies: &Replies) {
        let Replies {
            open, responses, ..
        } = *replies;
        if let Some(finished) = replies.arrival {
            self.recorder
                .answers_arrived(server, finished, open, responses);
            self.last_outcome = self.last_outcome.max(finished);
            self.open.end_at(finished, open);
        }
    }

    /// The call leaves its server for the last time: its client will know at `end`.
    #[inline]
    pub(super) fn open_call_ends(&mut self, id: u32, end: SimTime) {
        self.last_outcome = self.last_outcome.max(end);
        self.open.end_at(end, 1);
        self.calls.remove(id);
    }
}
