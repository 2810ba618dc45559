//! What happens at a server: calls arrive, are worked on, are synced, leave. Must not know who sent them.

use super::calls::{Call, NONE};
use super::events::{Event, Travel};
use super::fan_out::PART;
use super::simulation::Simulation;
use crate::cluster::{Admission, ClusterSpec, Edits, GroupCommit, Handlers, LogPace};
use crate::metrics::RefusalReason;
use crate::time::{SimDuration, SimTime};
use crate::workload::WriteKind;

/// One region server: what every call needs of it, in two cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Server {
    pub handlers: Handlers,
    pub wal: Option<GroupCommit>,
}

impl Server {
    /// A server without calls.
    pub fn new(cluster: &ClusterSpec) -> Self {
        Self {
            handlers: Handlers::new(cluster),
            wal: cluster.wal.as_ref().map(|_| GroupCommit::new()),
        }
    }

    /// Reads what the next call will need.
    #[inline]
    pub fn touch(&self) -> u32 {
        let announced = self.wal.as_ref().map_or(0, GroupCommit::first_announced);
        self.handlers.next_idle() ^ announced
    }
}

/// Replies that leave one server at one time: what is counted of them together.
#[derive(Debug)]
pub(super) struct Replies {
    /// When they reach their clients; `None` when the run ends before.
    pub arrival: Option<SimTime>,
    /// Start of the sample interval in which they leave.
    since: SimTime,
    /// For how long handlers had held their calls, in all.
    busy: SimDuration,
    /// Those to open-loop calls of one row.
    pub open: u32,
    /// Sum of the response times of these.
    pub responses: SimDuration,
}

impl Simulation<'_> {
    /// A call reaches its server.
    pub(super) fn call_arrives(&mut self, id: u32) {
        if self.calls.get(id).server == NONE {
            self.place_issued();
        }
        self.admit(id);
    }

    /// A call that has been placed reaches its server. With all that follows where nothing is out of the ordinary it is one piece of
    /// code: a call costs few instructions, those of entering and leaving functions would be a fifth of them.
    #[inline(always)]
    pub(super) fn admit(&mut self, id: u32) {
        let call = self.calls.get(id);
        let (server, operation, failures) = (call.server, call.operation, call.failures);
        let draws = self.queue_draws;
        let admission = self.servers[server as usize]
            .handlers
            .arrive(id, move |queues| {
                draws.at(operation, u32::from(failures)).below(queues)
            });
        let refused = admission == Admission::Refused;
        if refused && !self.is_alive(server) {
            return self.dead_server_refuses(id);
        }
        self.recorder.call_arrived(server, self.now, refused);
        match admission {
            Admission::Taken { handler } => self.take(server, id, handler),
            Admission::Queued => {}
            Admission::Refused => self.refused(id, RefusalReason::CallQueueTooBig),
        }
    }

    /// A handler of `server` takes a call, or refuses it at once and takes the next ones of its queue until it holds one.
    #[inline(always)]
    pub(super) fn take(&mut self, server: u32, id: u32, handler: u32) {
        if !self.is_taken(id, handler) {
            self.free_handler(server, handler);
        }
    }

    /// A handler is free again: it takes the next call of its queue.
    #[inline(always)]
    pub(super) fn free_handler(&mut self, server: u32, handler: u32) {
        if let Some(next) = self.servers[server as usize].handlers.free(handler) {
            self.take_queued(server, next, handler);
        }
    }

    /// A handler takes the call that it has fetched from its queue, or refuses it and fetches the next one until it holds one.
    #[inline(never)]
    fn take_queued(&mut self, server: u32, mut id: u32, handler: u32) {
        while !self.is_taken(id, handler) {
            match self.servers[server as usize].handlers.free(handler) {
                Some(next) => id = next,
                None => return,
            }
        }
    }

    /// A handler takes a call; false when it refuses it. A write that has to wait, for room in the memstores or for its row, keeps the
    /// handler.
    #[inline(always)]
    fn is_taken(&mut self, id: u32, handler: u32) -> bool {
        if id & PART != 0 {
            return self.take_part(id & !PART, handler);
        }
        if self.regions.changed() && !self.accepts(id) {
            return false;
        }
        let now = self.now;
        let call = self.calls.get_mut(id);
        call.handler = handler;
        call.taken = now;
        let server = call.server;
        if self.memstores_block(server) {
            self.await_memstores(server, id);
        } else {
            self.begin_write(id);
        }
        true
    }

    /// Whether the region of a call takes its row, or the regions of its rows some of them: the others are refused.
    fn accepts(&mut self, id: u32) -> bool {
        let call = self.calls.get(id);
        let (server, region) = (call.server, call.region);
        if self.closed.buffers_of(call.client) {
            return self.accepts_rows(id);
        }
        let process = self.process_of(call.operation, call.client);
        let Some(reason) = self.refusal_of_write(server, region, process) else {
            return true;
        };
        self.batch_refused(region, reason);
        self.recorder.rows_refused(server, self.now, reason, 1);
        self.refused(id, reason);
        false
    }

    /// A handler works on a write that its region takes; an increment waits for its row.
    #[inline(always)]
    fn begin_write(&mut self, id: u32) {
        let call = self.calls.get(id);
        if self.is_exclusive(call) {
            let (server, row) = (call.server as usize, call.detail);
            if !self.locks[server].acquire(row, id) {
                return;
            }
        }
        self.start_service(id);
    }

    /// A write whose handler waited for room in the memstores goes on, unless its region doesn't take it any more.
    pub(super) fn resume_write(&mut self, id: u32) {
        if id & PART != 0 {
            return self.resume_part(id & !PART);
        }
        let call = self.calls.get_mut(id);
        let (server, handler) = (call.server, call.handler);
        let taken = std::mem::replace(&mut call.taken, SimTime::MAX);
        if self.accepts(id) {
            self.calls.get_mut(id).taken = taken;
            self.begin_write(id);
        } else {
            self.recorder.busy(server, taken, self.now);
            self.free_handler(server, handler);
        }
    }

    /// An increment holds its row.
    #[inline]
    fn is_exclusive(&self, call: &Call) -> bool {
        self.some_increment
            && self.kinds[usize::from(call.operation.write().0)] == WriteKind::Increment
    }

    #[inline(always)]
    fn start_service(&mut self, id: u32) {
        let call = self.calls.get(id);
        let (server, bytes) = (call.server, call.bytes);
        let is_drawn =
            call.failures == 0 && !self.is_exclusive(call) && !self.closed.buffers_of(call.client);
        let time = if is_drawn {
            SimDuration::from_nanos(call.detail)
        } else {
            self.draw_service(call)
        };
        self.serve_write(id, server, bytes, time);
    }

    /// How long a handler works on an attempt whose service time was not drawn with its batch.
    #[inline(never)]
    fn draw_service(&self, call: &Call) -> SimDuration {
        let draws = self
            .service_draws
            .at(call.operation, u32::from(call.failures));
        self.service.write(call.rows, draws)
    }

    /// A handler works for `time`, on a server as fast as ever, on a call whose edits go to the write-ahead log then.
    #[inline(always)]
    pub(super) fn serve_write(&mut self, id: u32, server: u32, bytes: u32, time: SimDuration) {
        let time = self.paced(server, time);
        let Some(served) = self.moment(self.now + time) else {
            return;
        };
        let pace = self.log_pace(server);
        let log = self.servers[server as usize].wal.as_mut();
        let (Some(wal), Some(pace)) = (log, pace) else {
            return self.schedule_at(served, Event::Served(id));
        };
        let edits = Edits {
            served,
            bytes,
            call: id,
        };
        if let Some(at) = wal.announce(edits, &pace) {
            self.schedule(at, Event::Synced(server));
        }
    }

    /// How fast the log of a server is; `None` without logs.
    #[inline]
    pub(super) fn log_pace(&self, server: u32) -> Option<LogPace> {
        match self.slowness.get(server as usize) {
            None => self.log_pace,
            Some(&times) => self.log_pace.map(|pace| pace.slowed(times)),
        }
    }

    /// What a service of that time takes on a server that may be slow.
    #[inline]
    pub(super) fn paced(&self, server: u32, time: SimDuration) -> SimDuration {
        match self.slowness.get(server as usize) {
            None => time,
            Some(&times) => time.mul_f64(times),
        }
    }

    /// The service of a call ends that no write-ahead log holds up. What a server worked on when it died has no end.
    #[inline]
    pub(super) fn served(&mut self, id: u32) {
        let of_dead = if id & PART == 0 {
            self.calls.let_go(id)
        } else {
            self.fans.let_go(id & !PART)
        };
        if of_dead {
            return;
        }
        if id & PART != 0 {
            return self.part_reply_leaves(id & !PART);
        }
        let server = self.calls.get(id).server;
        let mut replies = self.replies();
        self.reply_leaves(id, &mut replies);
        self.replies_have_left(server, &replies);
    }

    /// A sync may be acknowledged: the calls that it covers leave.
    #[inline]
    pub(super) fn synced(&mut self, server: u32) {
        let pace = self.log_pace(server);
        let log = self.servers[server as usize].wal.as_mut();
        let (Some(wal), Some(pace)) = (log, pace) else {
            return;
        };
        let mut released = std::mem::take(&mut self.released);
        let next = wal.acknowledge(self.now, &pace, &mut released);
        if let Some(at) = next {
            self.schedule(at, Event::Synced(server));
        }
        let mut replies = self.replies();
        for &id in &released {
            if id & PART != 0 {
                self.part_reply_leaves(id & !PART);
            } else {
                self.reply_leaves(id, &mut replies);
            }
        }
        self.replies_have_left(server, &replies);
        released.clear();
        self.released = released;
    }

    /// No replies yet; they leave now.
    fn replies(&mut self) -> Replies {
        let arrival = self.now + self.network;
        Replies {
            arrival: (arrival < self.config.duration).then_some(arrival),
            since: self.recorder.interval_start(self.now),
            busy: SimDuration::ZERO,
            open: 0,
            responses: SimDuration::ZERO,
        }
    }

    /// The reply leaves: the rows are in their memstores, row and handler are free again.
    #[inline(always)]
    fn reply_leaves(&mut self, id: u32, replies: &mut Replies) {
        let now = self.now;
        let call = self.calls.get_mut(id);
        let taken = std::mem::replace(&mut call.taken, SimTime::MAX);
        let (server, handler, client) = (call.server, call.handler, call.client);
        if taken >= replies.since {
            replies.busy = replies.busy + now.since(taken);
        } else {
            self.recorder.busy(server, taken, now);
        }
        let held = self.calls.get(id);
        let exclusive = self.is_exclusive(held).then_some(held.detail);
        if client == NONE {
            let (region, key_length, key) = (held.region, held.key_length, held.key);
            self.row_is_written(region, key_length, key);
            self.open_reply_leaves(id, replies);
        } else {
            self.client_reply_leaves(id);
        }
        if let Some(row) = exclusive {
            self.release_row(server, row);
        }
        self.free_handler(server, handler);
    }

    /// All of them have left: counts what they have in common.
    fn replies_have_left(&mut self, server: u32, replies: &Replies) {
        self.recorder.busy_in_all(server, self.now, replies.busy);
        if replies.open > 0 {
            self.open_replies_have_left(server, replies);
        }
    }

    /// The reply to a closed-loop client leaves: the rows are in their memstores.
    #[inline(never)]
    fn client_reply_leaves(&mut self, id: u32) {
        let call = *self.calls.get(id);
        if self.closed.buffers_of(call.client) {
            self.rows_are_written(&call);
        } else {
            self.row_is_written(call.region, call.key_length, call.key);
        }
        self.travel(Travel::Reply(id));
    }

    /// A row is in its memstore now. Its key is not needed any more.
    #[inline(always)]
    pub(super) fn row_is_written(&mut self, region: u32, key_length: u16, key: u32) {
        let weight = *self.weights.of(key_length);
        self.memstore_takes(region, weight.memstore, weight.bytes, key);
        self.keys.remove(key);
    }

    /// A row is free again: the next call that waits for it is worked on.
    #[inline(never)]
    pub(super) fn release_row(&mut self, server: u32, row: u64) {
        match self.locks[server as usize].release(row) {
            Some(part) if part & PART != 0 => self.start_part_service(part & !PART),
            Some(next) => self.start_service(next),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_takes_two_cache_lines() {
        assert_eq!(size_of::<Server>(), 128);
    }
}
