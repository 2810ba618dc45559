//! What happens at a server: calls arrive, are worked on, are synced, leave. Must not know who sent them.

use super::calls::NONE;
use super::fan_out::PART;
use super::simulation::{Event, Simulation, Travel};
use crate::cluster::{Admission, Edits, GroupCommit, Handlers, NextSync};
use crate::event_queue::Moment;
use crate::time::{SimDuration, SimTime};

/// One region server: what every call needs of it, in two cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Server {
    pub handlers: Handlers,
    pub wal: Option<GroupCommit>,
}

impl Server {
    /// Reads what the next call will need.
    #[inline]
    pub fn touch(&self) -> u32 {
        let announced = self.wal.as_ref().map_or(0, GroupCommit::last_announced);
        self.handlers.next_idle() ^ announced
    }
}

impl Simulation<'_> {
    /// A call reaches its server.
    #[inline]
    pub(super) fn call_arrives(&mut self, id: u32) {
        if self.calls.get(id).server == NONE {
            self.place_issued();
        }
        let call = self.calls.get(id);
        let (server, operation, failures) = (call.server, call.operation, call.failures);
        let draws = self.queue_draws;
        let admission = self.servers[server as usize]
            .handlers
            .arrive(id, |queues| draws.at(operation, failures).below(queues));
        self.recorder
            .call_arrived(server, self.now, admission == Admission::Refused);
        match admission {
            Admission::Taken { handler } => self.take(id, handler),
            Admission::Queued => {}
            Admission::Refused => self.refused(id),
        }
    }

    /// A handler takes a call. An increment that has to wait for its row keeps the handler.
    #[inline]
    pub(super) fn take(&mut self, id: u32, handler: u32) {
        if id & PART != 0 {
            return self.take_part(id & !PART, handler);
        }
        let now = self.now;
        let call = self.calls.get_mut(id);
        call.handler = handler;
        call.taken = now;
        let (server, row) = (call.server, call.row);
        if call.exclusive && !self.locks[server as usize].acquire(row, id) {
            return;
        }
        self.start_service(id);
    }

    #[inline]
    fn start_service(&mut self, id: u32) {
        if id & PART != 0 {
            return self.start_part_service(id & !PART);
        }
        let call = self.calls.get(id);
        let (server, bytes) = (call.server, call.bytes);
        let time = self.service.write(
            call.rows,
            self.service_draws.at(call.operation, call.failures),
        );
        self.serve_write(id, server, bytes, time);
    }

    /// A handler works for `time` on a call whose edits go to the write-ahead log then.
    #[inline]
    pub(super) fn serve_write(&mut self, id: u32, server: u32, bytes: u64, time: SimDuration) {
        let Some(served) = self.moment(self.now + time) else {
            return;
        };
        let Some(wal) = &mut self.servers[server as usize].wal else {
            return self.schedule_at(served, Event::Served(id));
        };
        let edits = Edits {
            served,
            bytes,
            call: id,
        };
        if let Some(first) = wal.announce(edits) {
            self.schedule_at(first, Event::Appended(server));
        }
    }

    /// The service of a call ends that no write-ahead log holds up.
    #[inline]
    pub(super) fn served(&mut self, id: u32) {
        self.reply_leaves(id);
    }

    /// Edits are appended to a log that was idle when this was scheduled.
    #[inline]
    pub(super) fn appended(&mut self, server: u32, now: Moment) {
        if let Some(wal) = &mut self.servers[server as usize].wal
            && let Some(length) = wal.start(now)
        {
            self.schedule(self.now + length, Event::Synced(server));
        }
    }

    /// A sync ends: the calls that it covered leave, the next sync starts.
    #[inline]
    pub(super) fn synced(&mut self, server: u32, now: Moment) {
        let Some(wal) = &mut self.servers[server as usize].wal else {
            return;
        };
        let mut released = std::mem::take(&mut self.released);
        let next = wal.synced(now, &mut released);
        // Writes to copies and to neighbours are no calls of that slab.
        if self.copying.is_empty() && self.neighbours.is_empty() {
            self.calls.touch(&released);
        }
        for &id in &released {
            self.reply_leaves(id);
        }
        released.clear();
        self.released = released;
        match next {
            NextSync::Starts(length) => self.schedule(self.now + length, Event::Synced(server)),
            NextSync::Waits(first) => self.schedule_at(first, Event::Appended(server)),
            NextSync::Idles => {}
        }
    }

    /// The reply leaves: row and handler are free again.
    #[inline]
    fn reply_leaves(&mut self, id: u32) {
        if id & PART != 0 {
            return self.part_reply_leaves(id & !PART);
        }
        let now = self.now;
        let call = self.calls.get_mut(id);
        let taken = std::mem::replace(&mut call.taken, SimTime::MAX);
        let (server, handler, row, exclusive) =
            (call.server, call.handler, call.row, call.exclusive);
        let client = call.client;
        self.recorder.busy(server, taken, now);
        if client == NONE {
            self.open_reply_leaves(id);
        } else {
            self.travel(Travel::Reply(id));
        }
        if exclusive {
            self.release_row(server, row);
        }
        self.free_handler(server, handler);
    }

    /// A row is free again: the next call that waits for it is worked on.
    pub(super) fn release_row(&mut self, server: u32, row: u64) {
        if let Some(next) = self.locks[server as usize].release(row) {
            self.start_service(next);
        }
    }

    /// A handler is free again: it takes the next call of its queue.
    #[inline]
    pub(super) fn free_handler(&mut self, server: u32, handler: u32) {
        if let Some(next) = self.servers[server as usize].handlers.free(handler) {
            self.take(next, handler);
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
