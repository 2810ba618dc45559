//! The calls of operations that take several: sent, worked on, answered, refused, sent again. Must not know how an operation
//! came to its parts.

use super::AttemptDraws;
use super::calls::NONE;
use super::events::{Event, Travel};
use super::fan_out::{FanOut, PART, Purpose, Task};
use super::scan_cursor::ScanStep;
use super::simulation::Simulation;
use crate::cluster::Admission;
use crate::metrics::RefusalReason;
use crate::random::Draws;
use crate::time::{SimDuration, SimTime};

/// A scan sends at most one call in this time, so that one on a cluster without any delay doesn't hold up the run.
const LEAST_CALL: SimDuration = SimDuration::from_nanos(1_000);

impl Simulation<'_> {
    /// Starts parts of a read, up to the limit of its client.
    pub(super) fn start_parts(&mut self, fan_out: u32) {
        loop {
            let operation = &mut self.fans.operations[fan_out as usize];
            if operation.waiting == NONE || operation.active >= self.config.client.fan_out.max(1) {
                return;
            }
            let id = operation.waiting;
            operation.active += 1;
            operation.waiting = self.fans.parts[id as usize].next;
            self.send_part(id);
        }
    }

    /// The client sends a part's next call to where it believes its regions to be; Gets that it looks for on different servers as a call
    /// each. Gets, and a region that a scan opens, are read demand now.
    pub(super) fn send_part(&mut self, id: u32) {
        self.fans.parts[id as usize].sent = self.now;
        self.address_part(id);
        self.count_call(id);
        self.travel(Travel::PartCall(id));
        while let Some(sibling) = self.reads.siblings.pop() {
            self.count_call(sibling);
            self.travel(Travel::PartCall(sibling));
        }
    }

    fn count_call(&mut self, id: u32) {
        let now = self.now;
        let part = &self.fans.parts[id as usize];
        let (server, task) = (part.server, part.task);
        if let Purpose::Read { read, work } =
            &mut self.fans.operations[part.fan_out as usize].purpose
        {
            work.calls += 1;
            let part_work = self.config.reads[usize::from(read.0)].part_work;
            match task {
                Task::Gets { .. } => self.fans.gets(id).for_each(|get| {
                    self.recorder
                        .read_demand(now, get.region, server, part_work);
                }),
                Task::Scan(cursor) if cursor.opens_region() => {
                    self.recorder
                        .read_demand(now, cursor.region(), server, part_work);
                }
                Task::Scan(_) | Task::Put { .. } => {}
            }
        }
    }

    /// A part's call reaches its server.
    pub(super) fn part_arrives(&mut self, id: u32) {
        let mut draws = self.part_draws(self.queue_draws, id);
        let server = self.fans.parts[id as usize].server;
        let admission = self.servers[server as usize]
            .handlers
            .arrive(id | PART, |queues| draws.below(queues));
        if admission == Admission::Refused && !self.is_alive(server) {
            return self.part_refused(id, RefusalReason::NotServingRegion);
        }
        self.recorder
            .call_arrived(server, self.now, admission == Admission::Refused);
        match admission {
            Admission::Taken { handler } => self.take(server, id | PART, handler),
            Admission::Queued => {}
            Admission::Refused => self.part_refused(id, RefusalReason::CallQueueTooBig),
        }
    }

    /// A handler takes a part's call; false when it is refused. A write that has to wait, for room in the memstores or for its row, keeps
    /// the handler.
    pub(super) fn take_part(&mut self, id: u32, handler: u32) -> bool {
        if self.regions.changed() && !self.accepts_part(id) {
            return false;
        }
        let part = &mut self.fans.parts[id as usize];
        part.handler = handler;
        part.taken = self.now;
        let server = part.server;
        if matches!(part.task, Task::Put { .. }) && self.memstores_block(server) {
            self.await_memstores(server, id | PART);
        } else {
            self.begin_part(id);
        }
        true
    }

    /// A put whose handler waited for room in the memstores goes on, unless its region doesn't take it any more.
    pub(super) fn resume_part(&mut self, id: u32) {
        let part = &mut self.fans.parts[id as usize];
        let (server, handler) = (part.server, part.handler);
        let taken = std::mem::replace(&mut part.taken, SimTime::MAX);
        if self.regions.changed() && !self.accepts_part(id) {
            self.recorder.busy(server, taken, self.now);
            self.free_handler(server, handler);
        } else {
            self.fans.parts[id as usize].taken = taken;
            self.begin_part(id);
        }
    }

    /// A handler works on a part's call; an increment waits for its row.
    fn begin_part(&mut self, id: u32) {
        let part = &self.fans.parts[id as usize];
        let server = part.server as usize;
        match part.task.exclusive_row() {
            Some(row) if !self.locks[server].acquire(row, id | PART) => {}
            _ => self.start_part_service(id),
        }
    }

    /// The handler starts to work on it.
    pub(super) fn start_part_service(&mut self, id: u32) {
        let draws = self.part_draws(self.service_draws, id);
        let part = &self.fans.parts[id as usize];
        let operation = &self.fans.operations[part.fan_out as usize];
        let service = &self.service;
        match (&part.task, operation.purpose) {
            (&Task::Put { bytes, .. }, _) => {
                let (server, time) = (part.server, service.write(1, draws));
                self.serve_write(id | PART, server, bytes, time);
            }
            (&Task::Gets { count, found, .. }, _) => {
                let time = self.paced(part.server, service.gets(count, found, draws));
                self.schedule(self.now + time, Event::Served(id | PART));
            }
            (Task::Scan(cursor), purpose) => {
                let most = self.reads.batch_rows(purpose);
                let time = self.paced(part.server, service.scan(cursor.call_rows(most), draws));
                self.schedule(self.now + time, Event::Served(id | PART));
            }
        }
    }

    /// The reply to a part's call leaves its server: a written row is in its memstore, row and handler are free again.
    pub(super) fn part_reply_leaves(&mut self, id: u32) {
        let part = &mut self.fans.parts[id as usize];
        let taken = std::mem::replace(&mut part.taken, SimTime::MAX);
        let (server, handler, row) = (part.server, part.handler, part.task.exclusive_row());
        self.recorder.busy(server, taken, self.now);
        self.part_is_served(id);
        self.travel(Travel::PartReply(id));
        if let Some(row) = row {
            self.release_row(server, row);
        }
        self.free_handler(server, handler);
    }

    /// The reply to a part's call reaches its client: a scan goes on, everything else is over.
    pub(super) fn part_reply_arrives(&mut self, id: u32) {
        let part = &mut self.fans.parts[id as usize];
        part.replies += 1;
        part.failures = 0;
        let sent = part.sent;
        let operation = &mut self.fans.operations[part.fan_out as usize];
        let (Task::Scan(cursor), Purpose::Read { read, work }) =
            (&mut part.task, &mut operation.purpose)
        else {
            return self.part_ends(id);
        };
        let (read, failed) = (*read, operation.failed);
        work.rows_read += cursor.receive(self.reads.access(read).batch_rows) as f64;
        if failed {
            return self.part_ends(id);
        }
        self.scan_follows(id, read);
        let access = self.reads.access(read);
        let order = self.reads.order(access.table);
        if let Task::Scan(cursor) = &mut self.fans.parts[id as usize].task
            && cursor.step(&access.spread, order) == ScanStep::Ends
        {
            self.part_ends(id);
        } else if sent + LEAST_CALL <= self.now {
            self.send_part(id);
        } else {
            self.schedule(sent + LEAST_CALL, Event::PartContinues(id));
        }
    }

    /// A client learns that a part's call was refused. It sends it again after a pause, unless its retries or its time are used up,
    /// or its operation has been given up meanwhile.
    pub(super) fn part_refusal_arrives(&mut self, id: u32) {
        let draws = self.part_draws(self.back_off_draws, id);
        let client = &self.config.client;
        let part = &mut self.fans.parts[id as usize];
        let fan_out = part.fan_out;
        let operation = &self.fans.operations[fan_out as usize];
        if operation.failed {
            return self.part_ends(id);
        }
        part.failures += 1;
        let part = *part;
        if part.failures <= client.retries {
            let pause = self.back_off.pause(part.failures, draws);
            let look_up = match part.reason {
                RefusalReason::NotServingRegion => self.look_up_time(),
                _ => SimDuration::ZERO,
            };
            let again = self.now + pause + look_up;
            if again <= operation.intended + client.deadline {
                return self.schedule(again, Event::PartAgain(id));
            }
        }
        self.fan_out_fails(fan_out);
        self.part_ends(id);
    }

    /// The pause of a part ends: it goes on, unless its operation has been given up.
    pub(super) fn part_goes_on(&mut self, id: u32, again: bool) {
        if self.fans.operation_of(id).failed {
            self.part_ends(id);
        } else if again {
            self.address_part(id);
            self.travel(Travel::PartCall(id));
            while let Some(sibling) = self.reads.siblings.pop() {
                self.travel(Travel::PartCall(sibling));
            }
        } else {
            self.send_part(id);
        }
    }

    /// A part is over, one way or the other: the next one starts, and the last one ends its operation.
    fn part_ends(&mut self, id: u32) {
        let fan_out = self.fans.remove_part(id, &mut self.keys).fan_out;
        let operation = &mut self.fans.operations[fan_out as usize];
        operation.active -= 1;
        if operation.waiting != NONE {
            self.start_parts(fan_out);
        } else if operation.active == 0 {
            self.fan_out_ends(fan_out);
        }
    }

    /// An operation is given up. What is under way goes on at the servers; nothing more is sent.
    fn fan_out_fails(&mut self, fan_out: u32) {
        let now = self.now;
        self.fans.drop_waiting(fan_out, &mut self.keys);
        let operation = &mut self.fans.operations[fan_out as usize];
        operation.failed = true;
        let operation = *operation;
        match operation.purpose {
            Purpose::Read { read, .. } => self.recorder.read_failed(read, operation.intended, now),
            Purpose::Neighbour { which } => {
                self.recorder
                    .neighbour_failed(which / 2, operation.intended, now);
            }
            Purpose::Write { .. } => {
                let write = operation.operation.write();
                self.recorder.failed(write, operation.intended, now);
            }
        }
        self.outcome_reaches(&operation);
    }

    /// All parts of an operation are over.
    pub(super) fn fan_out_ends(&mut self, fan_out: u32) {
        let operation = self.fans.operations.remove(fan_out as usize);
        if operation.failed {
            return;
        }
        let (intended, now) = (operation.intended, self.now);
        let in_time = now <= intended + self.config.client.deadline;
        let recorder = &mut self.recorder;
        match operation.purpose {
            Purpose::Read { read, work } => {
                recorder.read_completed(read, intended, now, in_time, work);
            }
            Purpose::Neighbour { which } => {
                recorder.neighbour_completed(which / 2, intended, now, in_time);
            }
            Purpose::Write { server } => {
                let write = operation.operation.write();
                recorder.completed(write, server, intended, now, in_time);
            }
        }
        self.outcome_reaches(&operation);
    }

    /// Whoever waits for an operation learns its outcome.
    fn outcome_reaches(&mut self, operation: &FanOut) {
        if operation.failed && operation.client != NONE {
            match operation.purpose {
                Purpose::Read { .. } => self.reader_fails(operation.client),
                Purpose::Write { .. } => self.client_fails(operation.client),
                Purpose::Neighbour { .. } => {}
            }
        }
        match operation.purpose {
            Purpose::Neighbour { which } => return self.neighbours.operation_ends(which),
            Purpose::Read { .. } => self.read_ends(operation.client),
            Purpose::Write { .. } if operation.client == NONE => {
                self.open.end_at(self.now, 1);
            }
            Purpose::Write { .. } => self.client_call_ends(operation.client),
        }
        self.last_outcome = self.last_outcome.max(self.now);
    }

    /// The draws of the next attempt of a part's call.
    fn part_draws(&self, draws: AttemptDraws, id: u32) -> Draws {
        let part = &self.fans.parts[id as usize];
        let operation = self.fans.operations[part.fan_out as usize].operation;
        draws.at(operation, part.failures).salted(part.salt())
    }
}
