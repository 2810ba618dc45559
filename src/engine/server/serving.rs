//! What becomes of an RPC at its server: it is admitted, worked on, synced, and its reply leaves; or it is refused, as its regions are elsewhere or
//! too busy, the call queue is full, or the server is dead.

use crate::cluster::Admission;
use crate::engine::clock::{Event, NetworkMessage};
use crate::engine::numbers::NONE;
use crate::engine::rpc::{OperationKind, RpcBody};
use crate::engine::simulation::Simulation;
use crate::metrics::RefusalReason::{self, NotServingRegion, RegionTooBusy};
use crate::prefetch::prefetch;
use crate::time::{SimDuration, SimTime};
use crate::workload::OperationId;

/// Replies that leave one server at one time: what is counted of them together.
#[derive(Debug)]
pub struct Replies {
    /// When they reach their clients; `None` when the run ends before.
    pub arrival: Option<SimTime>,
    /// Start of the sample interval in which they leave.
    since: SimTime,
    /// For how long handlers had held their RPCs, in all.
    busy: SimDuration,
    /// Those to rows of open loops that are written by themselves.
    pub open: u32,
    /// Sum of the response times of these.
    pub responses: SimDuration,
}

impl Simulation<'_> {
    /// An RPC reaches its server.
    pub fn call_arrives(&mut self, id: u32) {
        if self.rpcs.get(id).server == NONE {
            self.route_issued();
        }
        self.admit(id);
    }

    /// An RPC whose server is known reaches it. With all that follows where nothing is out of the ordinary it is one piece of
    /// code: a call costs few instructions, those of entering and leaving functions would be a fifth of them.
    #[inline(always)]
    pub fn admit(&mut self, id: u32) {
        let server = self.rpcs.get(id).server;
        let (rpcs, draws) = (&self.rpcs, self.servers.queue_draws);
        let draw = |queues| rpcs.draws(draws, id).below(queues);
        let admission = self.servers.arrive(server, id, draw);
        let refused = admission == Admission::Refused;
        if refused && !self.servers.is_alive(server) {
            return self.refuse(id, NotServingRegion);
        }
        self.recorder.call_arrived(server, self.clock.now, refused);
        match admission {
            Admission::Taken { handler } => {
                if !self.is_taken(id, handler) {
                    self.free_handler(server, handler);
                }
            }
            Admission::Queued => {}
            Admission::Refused => self.refusal_leaves(id, RefusalReason::CallQueueTooBig),
        }
    }

    /// A handler is free again: it takes the next RPC of its queue.
    #[inline(always)]
    fn free_handler(&mut self, server: u32, handler: u32) {
        if let Some(next) = self.servers.free(server, handler) {
            self.take_queued(server, next, handler);
        }
    }

    /// A handler takes the RPC that it has fetched from its queue, or refuses it and fetches the next one until it holds one.
    #[inline(never)]
    fn take_queued(&mut self, server: u32, mut id: u32, handler: u32) {
        while !self.is_taken(id, handler) {
            match self.servers.free(server, handler) {
                Some(next) => id = next,
                None => return,
            }
        }
    }

    /// A handler takes an RPC; false when it refuses it. A write that has to wait, for room in the memstores or for its row, keeps the
    /// handler.
    #[inline(always)]
    fn is_taken(&mut self, id: u32, handler: u32) -> bool {
        if self.tables.regions.changed() && !self.accepts(id) {
            return false;
        }
        let rpc = self.rpcs.get_mut(id);
        rpc.handler = handler;
        rpc.taken = self.clock.now;
        let server = rpc.server;
        if self.stores.block(server) && self.rpcs.writes(id) {
            self.stores.await_room(server, id);
        } else {
            self.begin_service(id);
        }
        true
    }

    /// A write whose handler waited for room in the memstores goes on, unless its region doesn't take it any more.
    pub fn resume_write(&mut self, id: u32) {
        let rpc = self.rpcs.get_mut(id);
        let (server, handler) = (rpc.server, rpc.handler);
        let taken = std::mem::replace(&mut rpc.taken, SimTime::MAX);
        if self.accepts(id) {
            self.rpcs.get_mut(id).taken = taken;
            self.begin_service(id);
        } else {
            self.recorder.busy(server, taken, self.clock.now);
            self.free_handler(server, handler);
        }
    }

    /// A handler works on an RPC that its regions take; an increment waits for its row.
    #[inline(always)]
    fn begin_service(&mut self, id: u32) {
        let rpc = self.rpcs.get(id);
        if rpc.exclusive && !self.servers.acquire(rpc.server, rpc.detail, id) {
            return;
        }
        self.start_service(id);
    }

    #[inline(always)]
    fn start_service(&mut self, id: u32) {
        let rpc = self.rpcs.get(id);
        let server = rpc.server;
        let (time, appends) = if rpc.piece == NONE && rpc.failures == 0 && !rpc.exclusive {
            let weight = self.tables.weights.of(rpc.operation, rpc.key_length);
            (SimDuration::from_nanos(rpc.detail), Some(weight.logged))
        } else {
            self.draw_service(id)
        };
        self.servers
            .serve(server, id, time, appends, &mut self.clock);
    }

    /// How long a handler works on an attempt whose service time was not drawn with its batch, and the bytes that it appends to the log.
    #[inline(never)]
    fn draw_service(&self, id: u32) -> (SimDuration, Option<u32>) {
        let times = &self.servers.times;
        let draws = self.rpcs.draws(self.servers.service_draws, id);
        match self.rpcs.body(id) {
            None | Some(RpcBody::Row) => {
                let rpc = self.rpcs.get(id);
                let weight = self.tables.weights.of(rpc.operation, rpc.key_length);
                (times.write(1, draws), Some(weight.logged))
            }
            Some(RpcBody::Rows { count, bytes, .. }) => (times.write(count, draws), Some(bytes)),
            Some(RpcBody::Gets { list, found }) => {
                let gets = self.rpcs.list(list).len() as u32;
                let ([cells, _], names_them) = self.row_cells(id);
                let named = names_them.then_some(cells);
                let passed = self.config.table.passed_gets(found, named);
                (times.gets(gets, (passed, found), cells, draws), None)
            }
            Some(RpcBody::Scan(scan)) => {
                let (rows, (cells, _)) = (self.rpcs.scan(scan).call_rows(), self.row_cells(id));
                (times.scan(rows, cells, draws), None)
            }
        }
    }

    /// Cells that an RPC of a read reads of each row, 1 of a neighbour, and that scans seek past; and whether Gets name the columns of them.
    #[inline(always)]
    fn row_cells(&self, id: u32) -> ([f64; 2], bool) {
        match self.rpcs.operation_of(id).kind {
            OperationKind::Read { read, work } => {
                let plan = &self.config.reads[usize::from(read.0)].plan;
                ([work.row_cells, work.row_cells_passed], plan.names_cells)
            }
            _ => ([1.0, 0.0], false),
        }
    }

    /// The service of an RPC ends that no write-ahead log holds up. What a server worked on when it died has no end.
    pub fn served(&mut self, id: u32) {
        if !self.rpcs.let_go(id) {
            let server = self.rpcs.get(id).server;
            let mut replies = self.replies();
            self.reply_leaves(id, &mut replies);
            self.replies_have_left(server, &replies);
        }
    }

    /// A sync may be acknowledged: the RPCs that it covers leave.
    pub fn synced(&mut self, server: u32) {
        let mut released = std::mem::take(&mut self.released);
        let next = self.next_synced();
        // Step by step what the next sync needs is brought into the caches: each needs what the one before has asked for.
        if let Some(next) = next {
            let own = self.servers.next_logged(server);
            own.into_iter()
                .for_each(|id| self.stores.prefetch(self.rpcs.get(id).region));
            self.servers.prefetch(next);
        }
        self.servers.sync(server, &mut released, &mut self.clock);
        if let Some(next) = next {
            self.servers.prefetch_calls(next);
        }
        let mut replies = self.replies();
        for &id in &released {
            self.reply_leaves(id, &mut replies);
        }
        self.replies_have_left(server, &replies);
        if let Some(id) = next.and_then(|next| self.servers.next_logged(next)) {
            prefetch(self.rpcs.get(id));
        }
        released.clear();
        self.released = released;
    }

    /// The server whose sync is the next event, where servers or regions are too many to stay in the caches.
    fn next_synced(&self) -> Option<u32> {
        match self.clock.next_event() {
            Some(Event::Synced(server)) if self.clients.read_ahead() => Some(server),
            _ => None,
        }
    }

    /// No replies yet; they leave now.
    fn replies(&mut self) -> Replies {
        let arrival = self.clock.now + self.clock.network;
        Replies {
            arrival: (arrival < self.clock.end).then_some(arrival),
            since: self.recorder.interval_start(self.clock.now),
            busy: SimDuration::ZERO,
            open: 0,
            responses: SimDuration::ZERO,
        }
    }

    /// The reply leaves: written rows are in their memstores, row and handler are free again.
    #[inline(always)]
    fn reply_leaves(&mut self, id: u32, replies: &mut Replies) {
        let now = self.clock.now;
        let rpc = self.rpcs.get_mut(id);
        let taken = std::mem::replace(&mut rpc.taken, SimTime::MAX);
        let (server, handler) = (rpc.server, rpc.handler);
        let exclusive = rpc.exclusive.then_some(rpc.detail);
        let is_open = rpc.client == NONE && rpc.piece == NONE;
        let (operation, region) = (rpc.operation, rpc.region);
        let (key, key_length) = (rpc.key, rpc.key_length);
        if taken >= replies.since {
            replies.busy = replies.busy + now.since(taken);
        } else {
            self.recorder.busy(server, taken, now);
        }
        if is_open {
            self.row_is_written(operation, region, key_length, key);
            self.open_reply_leaves(id, replies);
        } else {
            self.waited_for_reply_leaves(id);
        }
        if let Some(row) = exclusive {
            self.release_row(server, row);
        }
        self.free_handler(server, handler);
    }

    /// All of them have left: counts what they have in common.
    fn replies_have_left(&mut self, server: u32, replies: &Replies) {
        let now = self.clock.now;
        self.recorder.busy_in_all(server, now, replies.busy);
        if let (Some(finished), 1..) = (replies.arrival, replies.open) {
            self.recorder
                .answers_arrived(server, finished, replies.open, replies.responses);
            self.open_operations_end(finished, replies.open);
        }
    }

    /// The reply to an RPC leaves whose operation or client waits for it. Rows that were read count for the balancer (a request a row, as in HBase's
    /// `readRequestCount`).
    #[inline(never)]
    fn waited_for_reply_leaves(&mut self, id: u32) {
        let rpc = *self.rpcs.get(id);
        let loads = &mut self.master.loads;
        match self.rpcs.body(id) {
            None | Some(RpcBody::Row) => {
                self.row_is_written(rpc.operation, rpc.region, rpc.key_length, rpc.key);
                self.rpcs.get_mut(id).key = NONE;
            }
            Some(RpcBody::Rows { first, count, .. }) => {
                let rows = std::mem::take(&mut self.clients.buffer(rpc.client).rows);
                for row in &rows[first as usize..][..count as usize] {
                    self.row_is_written(row.operation, row.region, row.key_length, row.key);
                }
                self.clients.buffer(rpc.client).rows = rows;
            }
            Some(RpcBody::Gets { list, .. }) => {
                let gets = self.rpcs.list(list).iter();
                gets.for_each(|get| loads.read(get.region, 1));
            }
            Some(RpcBody::Scan(scan)) => {
                let cursor = self.rpcs.scan(scan);
                let rows = u32::try_from(cursor.call_rows()).unwrap_or(u32::MAX);
                loads.read(cursor.region(), rows);
            }
        }
        self.clock.travel(NetworkMessage::Reply(id));
    }

    /// A row is in its memstore now. Its key is not needed any more.
    #[inline(always)]
    fn row_is_written(&mut self, operation: OperationId, region: u32, key_length: u16, key: u32) {
        let weight = *self.tables.weights.of(operation, key_length);
        self.memstore_takes(region, &weight, key);
        self.tables.keys.remove(key);
    }

    /// A row is free again: the next RPC that waits for it is worked on.
    #[inline(never)]
    fn release_row(&mut self, server: u32, row: u64) {
        if let Some(next) = self.servers.release(server, row) {
            self.start_service(next);
        }
    }

    /// Whether the regions of an RPC take it, or some of what it carries: the others are refused.
    pub fn accepts(&mut self, id: u32) -> bool {
        let rpc = *self.rpcs.get(id);
        let process = self.tables.process_of(rpc.operation, rpc.client);
        let reason = match self.rpcs.body(id) {
            None | Some(RpcBody::Row) => self
                .tables
                .refusal_of_write(rpc.server, rpc.region, process),
            Some(RpcBody::Scan(scan)) => {
                let region = self.rpcs.scan(scan).region();
                let served = self.tables.is_served(rpc.server, region, process);
                (!served).then_some(NotServingRegion)
            }
            Some(RpcBody::Gets { .. }) => return self.accepts_gets(id, process),
            Some(RpcBody::Rows { first, count, .. }) => {
                return self.accepts_rows(id, (first, count), process);
            }
        };
        if let Some(reason) = reason {
            self.stores.batch_refused(rpc.region, reason);
            self.refuse(id, reason);
        }
        reason.is_none()
    }

    /// Of a multi-Get, those Gets are refused whose regions are not there, in an RPC of their own unless they are all.
    fn accepts_gets(&mut self, id: u32, process: u32) -> bool {
        let (tables, server) = (&self.tables, self.rpcs.get(id).server);
        let is_served = |region| tables.is_served(server, region, process);
        let gets = self.rpcs.gets(id);
        match gets.iter().filter(|get| is_served(get.region)).count() {
            0 => self.refuse(id, NotServingRegion),
            all if all == gets.len() => return true,
            _ => {
                let refused = self.rpcs.move_gets(id, |get| !is_served(get.region));
                self.refuse(refused.unwrap_or(id), NotServingRegion);
                return true;
            }
        }
        false
    }

    /// Of the rows of a flush, those are refused that their regions don't take, in an RPC of their own unless they are all. HBase's client would learn
    /// of them with the reply to the others, some milliseconds later.
    fn accepts_rows(&mut self, id: u32, (first, count): (u32, u32), process: u32) -> bool {
        let rpc = *self.rpcs.get(id);
        let tables = &self.tables;
        let reason_of = |region| tables.refusal_of_write(rpc.server, region, process);
        let rows = &mut self.clients.buffer(rpc.client).rows[first as usize..][..count as usize];
        if rows.iter().all(|row| reason_of(row.region).is_none()) {
            return true;
        }
        rows.sort_by_key(|row| reason_of(row.region).is_some());
        let refused = rows.iter();
        let refused = refused.filter_map(|row| Some((row.region, reason_of(row.region)?)));
        let mut refused: Vec<(u32, RefusalReason)> = refused.collect();
        let accepted = count - refused.len() as u32;
        for reason in [NotServingRegion, RegionTooBusy] {
            let rows = refused.iter().filter(|row| row.1 == reason).count() as u32;
            if rows > 0 {
                let now = self.clock.now;
                self.recorder.rows_refused(rpc.server, now, reason, rows);
            }
        }
        refused.sort_unstable_by_key(|&(region, _)| region);
        refused.dedup();
        let mut why = RegionTooBusy;
        for (region, reason) in refused {
            self.stores.batch_refused(region, reason);
            if reason == NotServingRegion {
                self.tables.look_up(region, process);
                why = reason;
            }
        }
        if accepted == 0 {
            self.refusal_leaves(id, why);
            return false;
        }
        let back = self.leave_rows(id, (first, count), accepted);
        self.refusal_leaves(back, why);
        true
    }

    /// A server refuses all that an RPC carries, for the sake of its regions.
    pub fn refuse(&mut self, id: u32, reason: RefusalReason) {
        let (server, rows) = (self.rpcs.get(id).server, self.rpcs.count(id));
        let now = self.clock.now;
        self.recorder.rows_refused(server, now, reason, rows);
        self.refusal_leaves(id, reason);
    }

    /// A server dies: every RPC that it holds fails, and every one that reaches it from now on is refused. Its regions are offline.
    /// Returns them.
    pub fn kill_server(&mut self, server: u32) -> Vec<u32> {
        let regions: Vec<u32> = self.tables.regions.on_server(server).collect();
        for &region in &regions {
            self.tables.regions.close(region);
        }
        let waiting = self.servers.kill(server);
        for id in self.rpcs.held_by(server) {
            let taken = std::mem::replace(&mut self.rpcs.get_mut(id).taken, SimTime::MAX);
            self.recorder.busy(server, taken, self.clock.now);
            // What no log holds up is named by the end of its service, which is still to come.
            let is_named = !(self.servers.have_logs() && self.rpcs.writes(id));
            let id = if is_named { self.rpcs.replace(id) } else { id };
            self.refuse(id, NotServingRegion);
        }
        for id in waiting {
            self.refuse(id, NotServingRegion);
        }
        regions
    }
}
