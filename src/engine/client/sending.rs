//! RPCs are sent: where their clients believe the regions to be, and once more after a pause when they were refused. Replies and refusals reach
//! their clients, and operations end.

use super::clients::LEAST_CYCLE;
use crate::engine::clock::{BackedOffRpc, Event, NetworkMessage, NextAttempt};
use crate::engine::numbers::NONE;
use crate::engine::rpc::{Operation, OperationKind, Piece, Rpc, RpcBody};
use crate::engine::simulation::Simulation;
use crate::metrics::RefusalReason;
use crate::time::{SimDuration, SimTime};

/// Most retries that are told apart.
const MOST_RETRIES: u32 = 30_000;

impl Simulation<'_> {
    /// Starts RPCs of an operation, up to the limit of its client.
    pub fn start_rpcs(&mut self, operation: u32) {
        let most = self.config.client.fan_out.max(1);
        while let Some(id) = self.rpcs.start_next(operation, most) {
            self.send(id, true);
        }
    }

    /// The client sends an RPC to where it believes its regions to be, and what it looks for on different servers as an RPC each: the next call of
    /// it, or once more one that was refused. Gets, and a region that a scan opens, are read demand when their call is sent first.
    pub fn send(&mut self, id: u32, first: bool) {
        if let (true, Some(piece)) = (first, self.rpcs.piece_mut(id)) {
            piece.sent = self.clock.now;
        }
        self.clients.sent.clear();
        self.address(id);
        self.call_travels(id, first);
        for at in 0..self.clients.sent.len() {
            self.call_travels(self.clients.sent[at], first);
        }
    }

    #[inline(always)]
    fn call_travels(&mut self, id: u32, first: bool) {
        if first {
            self.count_call(id);
        }
        self.clock.travel(NetworkMessage::Call(id));
    }

    /// The next call of an RPC is sent, or one that was refused, unless its operation has been given up.
    pub fn send_next(&mut self, id: u32, first: bool) {
        if self.rpcs.operation_of(id).failed {
            self.rpc_ends(id);
        } else {
            self.send(id, first);
        }
    }

    fn count_call(&mut self, id: u32) {
        let Some(piece) = self.rpcs.piece(id).copied() else {
            return;
        };
        let (now, server) = (self.clock.now, self.rpcs.get(id).server);
        let kind = &mut self.rpcs.operation_mut(piece.operation).kind;
        let OperationKind::Read { read, work } = kind else {
            return;
        };
        work.calls += 1;
        let row_cells = [work.row_cells, work.row_cells_passed];
        let get_work = self.config.reads[usize::from(read.0)].get_work;
        let recorder = &mut self.recorder;
        let mut asks = |region, work| recorder.read_demand(now, region, server, work);
        match piece.body {
            RpcBody::Gets { list, .. } => {
                let gets = self.rpcs.list(list).iter();
                gets.for_each(|get| asks(get.region, get_work));
            }
            RpcBody::Scan(scan) => {
                let cursor = self.rpcs.scan(scan);
                if cursor.opens_region() {
                    let (calls, rows) = cursor.of_region();
                    let times = &self.servers.times;
                    asks(cursor.region(), times.expected_scan(calls, rows, row_cells));
                }
            }
            _ => {}
        }
    }

    /// A client addresses the next call of an RPC: to the server where it believes its region to be, after a look-up when that was wrong. What goes to
    /// other servers than the first is left to siblings, which are sent with it.
    fn address(&mut self, id: u32) {
        let (rpc, changed) = (*self.rpcs.get(id), self.tables.regions.changed());
        // What was refused goes where it went before.
        if !changed && rpc.failures > 0 {
            return;
        }
        let piece = match self.rpcs.piece(id) {
            None => return,
            Some(piece)
                if !changed && matches!(piece.body, RpcBody::Row | RpcBody::Gets { .. }) =>
            {
                return;
            }
            Some(piece) => *piece,
        };
        let process = self.tables.process_of(rpc.operation, rpc.client);
        let looks_up = rpc.failures > 0 && piece.reason == RefusalReason::NotServingRegion;
        let server = match piece.body {
            RpcBody::Rows { first, count, .. } => {
                return self.address_rows(id, (first, count), looks_up);
            }
            RpcBody::Scan(scan) if !changed => {
                let region = self.rpcs.scan(scan).region();
                self.tables.regions.get(region).server
            }
            RpcBody::Gets { .. } => return self.address_gets(id, process, looks_up),
            RpcBody::Scan(scan) => {
                self.scan_follows(id, scan);
                let region = self.rpcs.scan(scan).region();
                self.tables.address(region, process, looks_up)
            }
            RpcBody::Row => {
                let region = self.tables.region_now(rpc.region, rpc.key);
                self.rpcs.get_mut(id).region = region;
                self.tables.address(region, process, looks_up)
            }
        };
        self.rpcs.get_mut(id).server = server;
    }

    fn address_gets(&mut self, id: u32, process: u32, looks_up: bool) {
        let (servers, tables) = (&mut self.clients.reads.servers, &mut self.tables);
        servers.clear();
        for get in self.rpcs.gets_mut(id) {
            get.region = tables.region_now(get.region, get.key);
            servers.push(tables.address(get.region, process, looks_up));
        }
        let last = servers.last().copied().unwrap_or(NONE);
        self.rpcs.get_mut(id).server = last;
        while let Some(&server) = servers.iter().rfind(|&&server| server != last) {
            let mut each = servers.iter();
            let moved = self.rpcs.move_gets(id, |_| each.next() == Some(&server));
            servers.retain(|&other| other != server);
            if let Some(sibling) = moved {
                self.rpcs.get_mut(sibling).server = server;
                self.clients.sent.push(sibling);
            }
        }
        self.clients.sent.reverse();
    }

    /// A scan finds its place among the regions of today.
    fn scan_follows(&mut self, id: u32, scan: u32) {
        if let OperationKind::Read { read, .. } = self.rpcs.operation_of(id).kind {
            let access = self.clients.reads.access(read);
            let router = &self.tables.routers[access.table];
            let cursor = self.rpcs.scan_mut(scan);
            cursor.follow(&access.spread, router, &self.tables.keys);
        }
    }

    /// A reply to a scan has come: it sends its next call, at most one in a microsecond, so that one on a cluster without any delay doesn't hold up
    /// the run; or it is over.
    fn scan_goes_on(&mut self, id: u32, scan: u32, piece: Piece) {
        let (now, rows) = (self.clock.now, self.rpcs.scan_mut(scan).receive());
        let owner = self.rpcs.operation_mut(piece.operation);
        let OperationKind::Read { read, work } = &mut owner.kind else {
            return;
        };
        work.rows_read += rows as f64;
        let access = self.clients.reads.access(*read);
        if owner.failed {
            return self.rpc_ends(id);
        }
        let (router, cursor) = (&self.tables.routers[access.table], self.rpcs.scan_mut(scan));
        cursor.follow(&access.spread, router, &self.tables.keys);
        let goes_on = cursor.goes_on(&access.spread);
        let next = piece.sent + LEAST_CYCLE;
        if !goes_on {
            self.rpc_ends(id);
        } else if next <= now {
            self.send(id, true);
        } else {
            self.clock.schedule(next, Event::ScanGoesOn(id));
        }
    }

    /// The refusal of an RPC leaves its server. A row that is written by itself will be there again after its pause (and a look-up, when the region is
    /// not there), unless retries or time are used up.
    pub fn refusal_leaves(&mut self, id: u32, reason: RefusalReason) {
        if let Some(piece) = self.rpcs.piece_mut(id) {
            piece.reason = reason;
            return self.clock.travel(NetworkMessage::Refusal(id));
        }
        let rpc = *self.rpcs.get(id);
        let looks_up = reason == RefusalReason::NotServingRegion;
        if looks_up {
            let process = self.tables.process_of(rpc.operation, rpc.client);
            self.tables.look_up(rpc.region, process);
        }
        let Some(learnt) = self.clock.arrival() else {
            return;
        };
        let deadline = rpc.intended + self.config.client.deadline;
        let again = self.goes_again(id, learnt, reason);
        if let Some(again) = again.filter(|&again| again <= deadline) {
            let backed_off = BackedOffRpc {
                operation: rpc.operation,
                intended: rpc.intended,
                detail: rpc.detail,
                region: rpc.region,
                key: rpc.key,
                client: rpc.client,
                key_length: rpc.key_length,
                attempt: NextAttempt::new(rpc.failures + 1, looks_up),
            };
            if self.clock.back_off(again, backed_off) {
                self.rpcs.remove(id);
            }
        } else if rpc.client == NONE {
            let write = rpc.operation.write();
            self.recorder.failed(write, rpc.intended, learnt);
            self.tables.keys.remove(rpc.key);
            self.open_operations_end(learnt, 1);
            self.rpcs.remove(id);
        } else {
            self.clock.travel(NetworkMessage::Refusal(id));
        }
    }

    /// When a client that learns of one more failure at `learnt` sends the RPC again, after a pause and perhaps a look-up; `None` without
    /// retries left.
    pub fn goes_again(&self, id: u32, learnt: SimTime, reason: RefusalReason) -> Option<SimTime> {
        let failures = u32::from(self.rpcs.get(id).failures);
        // The draws of the attempt that failed.
        let draws = self.rpcs.draws(self.clients.back_off_draws, id);
        let look_up = match reason {
            RefusalReason::NotServingRegion => self.look_up_time(),
            _ => SimDuration::ZERO,
        };
        (failures < self.config.client.retries.min(MOST_RETRIES))
            .then(|| learnt + self.clients.back_off.pause(failures + 1, draws) + look_up)
    }

    /// How long a look-up in META takes: a round trip and a Get without a queue, since META's server is not modelled.
    fn look_up_time(&self) -> SimDuration {
        let network = self.config.cluster.network;
        network + network + self.config.cluster.service.get
    }

    /// The next attempt of a row that is written by itself reaches its server.
    pub fn arrives_again(&mut self) {
        let Some(backed_off) = self.clock.next_backed_off() else {
            return;
        };
        let (operation, client) = (backed_off.operation, backed_off.client);
        let region = self.tables.region_now(backed_off.region, backed_off.key);
        let process = self.tables.process_of(operation, client);
        let looks_up = backed_off.attempt.looks_up();
        let id = self.rpcs.insert(&Rpc {
            detail: backed_off.detail,
            server: self.tables.address(region, process, looks_up),
            region,
            key: backed_off.key,
            failures: backed_off.attempt.failures(),
            key_length: backed_off.key_length,
            exclusive: self.clients.increments(operation),
            ..Rpc::new(operation, backed_off.intended, client)
        });
        self.call_arrives(id);
    }

    /// The reply to an RPC reaches its client: a scan goes on, everything else is over.
    pub fn reply_arrives(&mut self, id: u32) {
        let rpc = *self.rpcs.get(id);
        let Some(piece) = self.rpcs.piece_mut(id) else {
            let (now, write) = (self.clock.now, rpc.operation.write());
            let in_time = now <= rpc.intended + self.config.client.deadline;
            self.recorder
                .completed(write, rpc.server, rpc.intended, now, in_time);
            return self.write_ends(id);
        };
        piece.replies += 1;
        let piece = *piece;
        self.rpcs.get_mut(id).failures = 0;
        match piece.body {
            RpcBody::Scan(scan) => return self.scan_goes_on(id, scan, piece),
            RpcBody::Rows { first, count, .. } => self.rows_complete(rpc.client, first, count),
            RpcBody::Row | RpcBody::Gets { .. } => {}
        }
        self.rpc_ends(id);
    }

    /// A client learns that an RPC was refused. What it carries is sent again after a pause (and a look-up, when a region was not there), unless
    /// retries or time are used up, or its operation has been given up meanwhile. A row that is written by itself would pause already if it could.
    pub fn refusal_arrives(&mut self, id: u32) {
        let (now, rpc) = (self.clock.now, *self.rpcs.get(id));
        let Some(&piece) = self.rpcs.piece(id) else {
            let write = rpc.operation.write();
            self.clients.fails(rpc.client, now);
            self.recorder.failed(write, rpc.intended, now);
            self.tables.keys.remove(rpc.key);
            return self.write_ends(id);
        };
        if self.rpcs.operation(piece.operation).failed {
            return self.rpc_ends(id);
        }
        let again = self.goes_again(id, now, piece.reason);
        let again = match piece.body {
            RpcBody::Rows { first, count, .. } => {
                let left = self.drop_late_rows(id, (first, count), again);
                again.filter(|_| left)
            }
            _ => again.filter(|&again| again <= rpc.intended + self.config.client.deadline),
        };
        if let Some(again) = again {
            self.rpcs.get_mut(id).failures += 1;
            return self.clock.schedule(again, Event::SentAgain(id));
        }
        if piece.reason == RefusalReason::NotServingRegion {
            self.forget_locations(id, piece.body);
        }
        match piece.body {
            RpcBody::Rows { .. } => self.clients.fails(rpc.client, now),
            _ => self.operation_fails(piece.operation),
        }
        self.rpc_ends(id);
    }

    /// Where an RPC looked for its regions, of which one was not there, is forgotten though it is given up: the next operations look for them anew.
    fn forget_locations(&mut self, id: u32, body: RpcBody) {
        let (rpc, tables) = (*self.rpcs.get(id), &mut self.tables);
        let process = tables.process_of(rpc.operation, rpc.client);
        match body {
            RpcBody::Row => tables.look_up(rpc.region, process),
            RpcBody::Scan(scan) => tables.look_up(self.rpcs.scan(scan).region(), process),
            RpcBody::Gets { .. } => {
                let gets = self.rpcs.gets(id).iter();
                gets.for_each(|get| tables.look_up(get.region, process));
            }
            RpcBody::Rows { first, count, .. } => {
                let rows = &self.clients.buffer(rpc.client).rows;
                for row in &rows[first as usize..(first + count) as usize] {
                    tables.look_up(row.region, tables.process_of(row.operation, rpc.client));
                }
            }
        }
    }

    /// A closed-loop client's row that is written by itself is over, one way or the other.
    fn write_ends(&mut self, id: u32) {
        let client = self.rpcs.get(id).client;
        self.clients.outcome(self.clock.now);
        self.rpcs.remove(id);
        self.client_goes_on(client);
    }

    /// An RPC is over, one way or the other: the next one of its operation starts, and the last one ends it.
    fn rpc_ends(&mut self, id: u32) {
        let operation = self.rpcs.take(id, &mut self.tables.keys).operation;
        let owner = self.rpcs.operation_mut(operation);
        owner.active -= 1;
        if owner.waiting != NONE {
            self.start_rpcs(operation);
        } else if owner.active == 0 {
            self.operation_ends(operation);
        }
    }

    /// An operation is given up. What is under way goes on at the servers; nothing more is sent.
    fn operation_fails(&mut self, operation: u32) {
        self.rpcs.drop_waiting(operation, &mut self.tables.keys);
        let owner = self.rpcs.operation_mut(operation);
        owner.failed = true;
        let owner = *owner;
        self.outcome_reaches(&owner);
    }

    /// All RPCs of an operation are over.
    pub fn operation_ends(&mut self, operation: u32) {
        let owner = self.rpcs.end(operation);
        if !owner.failed {
            self.outcome_reaches(&owner);
        }
    }

    /// Whoever waits for an operation learns that it is done, or given up.
    fn outcome_reaches(&mut self, owner: &Operation) {
        let (client, failed, intended) = (owner.client, owner.failed, owner.intended);
        let (now, recorder) = (self.clock.now, &mut self.recorder);
        let in_time = now <= intended + self.config.client.deadline;
        match owner.kind {
            OperationKind::Flush => self.clients.buffer(client).end(),
            _ if failed => recorder.failed(owner.recorded(), intended, now),
            OperationKind::Neighbour { .. } => {
                recorder.all_answered(owner.recorded(), intended, now, in_time);
            }
            OperationKind::Read { read, work } => {
                recorder.read_completed(read, intended, now, in_time, work);
            }
            OperationKind::Write { server } => {
                recorder.completed(owner.id.write(), server, intended, now, in_time);
            }
        }
        if let OperationKind::Neighbour { source, .. } = owner.kind {
            return self.clients.neighbours.operation_ends(source);
        }
        self.clients.outcome(now);
        match owner.kind {
            OperationKind::Read { .. } if client == NONE => self.clients.reads.in_flight -= 1,
            _ if client == NONE => self.clients.open.end_at(now, 1),
            _ => {
                if failed {
                    self.clients.fails(client, now);
                }
                self.client_goes_on(client);
            }
        }
    }
}
