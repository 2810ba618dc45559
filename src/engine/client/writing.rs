//! Closed-loop clients go on, and writes are issued: at their times in open loops, in closed ones when a client's write before, or its flush, is
//! over. Each becomes one row that is written by itself, a row for each copy, or a row of a write buffer.

use super::clients::{LEAST_CYCLE, Task};
use super::write_buffers::BufferedRow;
use crate::engine::clock::{Event, NetworkMessage};
use crate::engine::numbers::NONE;
use crate::engine::rpc::{OperationKind, Rpc, RpcBody};
use crate::engine::server::serving::Replies;
use crate::engine::simulation::Simulation;
use crate::time::SimTime;
use crate::workload::OperationId;

impl Simulation<'_> {
    /// Generates, keys and routes the next batch.
    pub fn refill(&mut self) {
        let clients = &mut self.clients;
        let (count, increments) = (self.config.batch.max(1), &clients.increments);
        clients
            .open
            .refill(count, &mut self.tables, &self.servers, increments);
    }

    /// The next operation reaches its server, or was given up when it should have been sent.
    pub fn operation_arrives(&mut self) {
        if let Some(next) = self.clients.open.to_read_ahead() {
            self.read_ahead(next);
        }
        if let Some(id) = self.send_operation() {
            return self.admit(id);
        }
        for at in 0..self.clients.sent.len() {
            self.call_arrives(self.clients.sent[at]);
        }
    }

    /// Brings what the next operations need into the caches, all at a time: the servers of their regions, and the regions of those behind them.
    #[inline(never)]
    fn read_ahead(&self, [next, behind]: [&[Rpc]; 2]) {
        for operation in behind {
            self.recorder.prefetch(operation.region);
            self.stores.prefetch(operation.region);
        }
        // Where they were when the batch was routed: most still are.
        let servers = next.iter().map(|operation| operation.server);
        servers
            .clone()
            .for_each(|server| self.servers.prefetch(server));
        servers.for_each(|server| self.servers.prefetch_calls(server));
    }

    /// The operations that don't reach their servers before the end are sent; false when the run was stopped before all were.
    pub fn send_the_rest(&mut self) -> bool {
        while self.clients.next_open() < self.config.duration {
            if self.clients.open.is_at_start() && self.is_stopped() {
                return false;
            }
            self.clock.now = self.clients.next_open();
            if self.send_operation().is_some() || !self.clients.sent.is_empty() {
                self.clock.arrival();
            }
        }
        true
    }

    /// The next operation is sent at its intended time: the RPC of its row in the table itself, or `None` where several are sent, which are
    /// [`super::clients::Clients::sent`], or none, as too many were in flight.
    #[inline(always)]
    fn send_operation(&mut self) -> Option<u32> {
        self.clients.sent.clear();
        let alone = self.begin_operation();
        if self.clients.open.is_used_up() {
            self.refill();
        }
        alone
    }

    #[inline(always)]
    fn begin_operation(&mut self) -> Option<u32> {
        let (clients, regions) = (&mut self.clients, &self.tables.regions);
        let (at, key, key_bucket) = clients.open.take_next(&mut self.tables.keys);
        let open = &mut clients.open;
        let rpc = open.routed(at);
        let (operation, intended, region) = (rpc.operation, rpc.intended, rpc.region);
        // The regions themselves are looked at only once some have changed: with many of them that waits for memory.
        let home = match regions.changed() {
            false => rpc.server,
            true => regions.get(region).server,
        };
        let write = operation.write();
        self.recorder.offered(intended, write, region, home);
        self.recorder.mapped(intended, key_bucket);
        for copy in &open.copied {
            let server = regions.get(copy.region).server;
            self.recorder.copied(intended, copy.region, server);
        }
        if !open.begin(intended, self.config.client.max_in_flight) {
            self.recorder.failed(write, intended, intended);
            let copied = open.copied.iter().map(|row| row.key);
            for key in std::iter::once(key).chain(copied) {
                self.tables.keys.remove(key);
            }
            clients.outcome(intended);
            return None;
        }
        let server = match regions.changed() {
            false => home,
            true => {
                let process = self.tables.process_of(operation, NONE);
                self.tables.server_for(region, process)
            }
        };
        if self.tables.routers.len() > 1 {
            let own = *open.routed(at);
            self.begin_copies(Rpc { server, key, ..own });
            return None;
        }
        // What sending found out is written after the rest was copied whole: a copy right after would wait for these stores.
        let id = self.rpcs.insert(open.routed(at));
        let rpc = self.rpcs.get_mut(id);
        (rpc.server, rpc.key) = (server, key);
        Some(id)
    }

    /// The row of an open-loop write in the table itself becomes an operation together with those in its copies: its RPCs are those that are sent.
    fn begin_copies(&mut self, own: Rpc) {
        let kind = OperationKind::Write { server: own.server };
        let operation = self.rpcs.begin(own.operation, own.intended, NONE, kind);
        let process = self.tables.process_of(own.operation, NONE);
        let clients = &mut self.clients;
        for row in std::iter::once(&own).chain(&clients.open.copied) {
            let server = self.tables.server_for(row.region, process);
            let id = self.rpcs.add(operation, server, RpcBody::Row, true);
            let rpc = self.rpcs.get_mut(id);
            let piece = rpc.piece;
            *rpc = Rpc {
                server,
                piece,
                ..*row
            };
            clients.sent.push(id);
        }
    }

    /// The reply to an operation leaves its server: all that is left is known now.
    #[inline(always)]
    pub fn open_reply_leaves(&mut self, id: u32, replies: &mut Replies) {
        let Some(finished) = replies.arrival else {
            self.clock.cut_off = true;
            return;
        };
        let rpc = self.rpcs.get(id);
        let in_time = finished <= rpc.intended + self.config.client.deadline;
        replies.open += 1;
        replies.responses = replies.responses + finished.since(rpc.intended);
        self.recorder
            .answered(rpc.operation.write(), rpc.intended, finished, in_time);
        self.rpcs.remove(id);
    }

    /// So many operations have left their servers for the last time: their clients will know at `end`.
    pub fn open_operations_end(&mut self, end: SimTime, operations: u32) {
        self.clients.outcome(end);
        self.clients.open.end_at(end, operations);
    }

    /// All closed-loop clients start.
    pub fn start_clients(&mut self) {
        for (at, client) in (0..).zip(&self.clients.closed) {
            let within = self.config.closed.start_within;
            let start = client.start(self.clients.think(client), within);
            self.clock.schedule(start, Event::ThinkEnded(at));
        }
    }

    /// A client's next operation is due now.
    pub fn client_is_ready(&mut self, at: u32) {
        let client = self.clients.closed[at as usize];
        match client.task {
            Task::Read(read) => self.reader_is_ready(at, read),
            Task::Write(_) if client.buffer == NONE => self.writer_is_ready(at),
            Task::Write(_) => self.fill_buffer(at),
        }
    }

    /// A client whose operation, or flush, is over goes on after its think time.
    pub fn client_goes_on(&mut self, at: u32) {
        let client = &self.clients.closed[at as usize];
        if self.clients.has_ended(client) {
            return;
        }
        let ready = (self.clock.now + self.clients.think(client)).max(client.earliest);
        if ready == self.clock.now {
            self.client_is_ready(at);
        } else {
            self.clock.schedule(ready, Event::ThinkEnded(at));
        }
    }

    /// A writer sends its next operation: a row that is written by itself, or one to each copy.
    fn writer_is_ready(&mut self, at: u32) {
        let (now, clients) = (self.clock.now, &mut self.clients);
        let Some(operation) = clients.issue(at, now, &mut self.tables) else {
            return;
        };
        clients.closed[at as usize].earliest = now + LEAST_CYCLE;
        let tables = self.tables.routers.len();
        let owner = (tables > 1).then(|| {
            let kind = OperationKind::Write { server: NONE };
            self.rpcs.begin(operation, now, at, kind)
        });
        for _ in 0..tables {
            let id = match owner {
                None => self.rpcs.insert(&Rpc::new(operation, now, at)),
                Some(owner) => self.rpcs.add(owner, NONE, RpcBody::Row, true),
            };
            clients.issued_rpcs.push(id);
            self.clock.travel(NetworkMessage::Call(id));
        }
    }

    /// Writes and routes the keys of all operations that were issued meanwhile.
    pub fn route_issued(&mut self) {
        let clients = &mut self.clients;
        let (tables, rpcs) = (&mut self.tables, &mut self.rpcs);
        let (ids, copies) = (&clients.issued_rpcs, tables.routers.len());
        for (table, router) in tables.routers.iter_mut().enumerate() {
            router.route(&clients.issued, |at, operation, row, key| {
                let (id, write) = (ids[at * copies + table], operation.write());
                let server = tables.regions.get(row.region).server;
                let exclusive = clients.increments[usize::from(write.0)];
                let rpc = rpcs.get_mut(id);
                *rpc = Rpc {
                    server,
                    key: tables.keys.insert(key),
                    ..self.servers.placed(*rpc, &row, exclusive, copies == 1)
                };
                let intended = rpc.intended;
                if let Some(bucket) = row.key_bucket {
                    self.recorder.mapped(intended, bucket);
                }
                if table > 0 {
                    return self.recorder.copied(intended, row.region, server);
                }
                self.recorder.offered(intended, write, row.region, server);
                if let Some(owner) = rpcs.owner_mut(id) {
                    owner.kind = OperationKind::Write { server };
                }
            });
        }
        if tables.regions.changed() {
            for &id in ids {
                let rpc = self.rpcs.get_mut(id);
                let process = tables.process_of(rpc.operation, rpc.client);
                rpc.server = tables.server_for(rpc.region, process);
            }
        }
        clients.issued.clear();
        clients.issued_rpcs.clear();
    }

    /// A client puts rows into its buffer until it has to think, flush, or has none left. Without think time, as many rows as
    /// certainly fit are drawn, keyed and routed together.
    fn fill_buffer(&mut self, at: u32) {
        let (now, tables) = (self.clock.now, &mut self.tables);
        let clients = &mut self.clients;
        let client = &mut clients.closed[at as usize];
        let buffer = &mut clients.buffers[client.buffer as usize];
        let copies = tables.routers.len() - 1;
        let Task::Write(write) = client.task else {
            return;
        };
        let write = OperationId::new(write, 0);
        let longest = tables.routers.iter().map(|table| table.longest_key());
        let heap = longest.map(|key| u64::from(tables.weights.of(write, key).buffered));
        let heap: u64 = heap.sum();
        loop {
            let rows = match client.thinks {
                true => 1,
                false => buffer.room(heap).min(self.config.batch.max(1) as u64),
            };
            let issued = &mut clients.buffered;
            issued.clear();
            let mut issue = || clients.writes.issue(client, now, issued).is_some();
            let ended = !(0..rows).all(|_| issue());
            let mut full = false;
            for (number, table) in tables.routers.iter_mut().enumerate() {
                table.route(issued, |_, operation, row, key| {
                    let server = tables.regions.get(row.region).server;
                    if let Some(bucket) = row.key_bucket {
                        self.recorder.mapped(now, bucket);
                    }
                    if number == 0 {
                        let write = operation.write();
                        self.recorder.offered(now, write, row.region, server);
                    } else {
                        self.recorder.copied(now, row.region, server);
                    }
                    let heap = u64::from(tables.weights.of(operation, row.key_length).buffered);
                    let buffered = BufferedRow {
                        operation,
                        put: now,
                        region: row.region,
                        server,
                        key: tables.keys.insert(key),
                        key_length: row.key_length,
                        over: false,
                    };
                    full |= buffer.put(buffered, heap, if number == 0 { copies } else { 0 });
                });
            }
            if full || ended && !buffer.rows.is_empty() {
                return self.flush(at);
            }
            if ended {
                return;
            }
            if client.thinks {
                let client = *client;
                let thought = now + clients.think(&client);
                return self.clock.schedule(thought, Event::ThinkEnded(at));
            }
        }
    }

    /// Sends an RPC to each server that has rows in the client's buffer.
    fn flush(&mut self, at: u32) {
        let now = self.clock.now;
        self.clients.closed[at as usize].earliest = now + LEAST_CYCLE;
        let rows = &self.clients.buffer(at).rows;
        let (first, count) = (rows[0].operation, rows.len() as u32);
        let operation = self.rpcs.begin(first, now, at, OperationKind::Flush);
        let all = RpcBody::Rows {
            first: 0,
            count,
            bytes: 0,
        };
        let id = self.rpcs.add(operation, NONE, all, true);
        self.send(id, true);
    }

    /// An RPC carries these rows of its client's buffer, not none, which one server takes.
    fn carry_rows(&mut self, id: u32, first: u32, count: u32) {
        let rpc = self.rpcs.get_mut(id);
        let rows = &self.clients.buffer(rpc.client).rows;
        let rows = &rows[first as usize..][..count as usize];
        let weights = &self.tables.weights;
        let logged = |row: &BufferedRow| weights.of(row.operation, row.key_length).logged;
        let bytes = rows.iter().map(logged);
        let bytes = bytes.fold(0, u32::saturating_add);
        (rpc.operation, rpc.server) = (rows[0].operation, rows[0].server);
        let body = RpcBody::Rows {
            first,
            count,
            bytes,
        };
        self.rpcs.set_body(id, body);
    }

    /// An RPC keeps the first `kept` of its rows, and leaves the others, not none, to a sibling.
    pub fn leave_rows(&mut self, id: u32, (first, count): (u32, u32), kept: u32) -> u32 {
        let sibling = self.rpcs.add_sibling(id);
        self.carry_rows(sibling, first + kept, count - kept);
        self.carry_rows(id, first, kept);
        sibling
    }

    /// A client finds the servers of an RPC's rows, anew when regions have changed or after a look-up. Rows that go to other servers than the first
    /// are left to siblings, which are [`super::clients::Clients::sent`].
    pub fn address_rows(&mut self, id: u32, (mut first, count): (u32, u32), looks_up: bool) {
        let rpc = *self.rpcs.get(id);
        let (changed, end) = (self.tables.regions.changed(), first + count);
        let rows = &mut self.clients.buffer(rpc.client).rows[first as usize..end as usize];
        if changed {
            for row in rows.iter_mut() {
                let process = self.tables.process_of(row.operation, rpc.client);
                row.region = self.tables.region_now(row.region, row.key);
                row.server = self.tables.address(row.region, process, looks_up);
            }
        }
        if changed || rpc.failures == 0 {
            BufferedRow::group_by_server(rows);
        }
        let mut carrier = id;
        loop {
            let rows = &self.clients.buffer(rpc.client).rows[first as usize..end as usize];
            let of_one = rows.iter().take_while(|row| row.server == rows[0].server);
            let count = of_one.count() as u32;
            self.carry_rows(carrier, first, count);
            first += count;
            if first == end {
                return;
            }
            carrier = self.rpcs.add_sibling(id);
            self.clients.sent.push(carrier);
        }
    }

    /// The reply to an RPC of a flush: all its rows are done.
    pub fn rows_complete(&mut self, client: u32, first: u32, count: u32) {
        let (now, deadline) = (self.clock.now, self.config.client.deadline);
        let buffer = self.clients.buffer(client);
        buffer.end_rows(first, count, true, |row| {
            let (write, in_time) = (row.operation.write(), now <= row.put + deadline);
            self.recorder
                .completed(write, row.server, row.put, now, in_time);
        });
    }

    /// Gives up the rows of a refused RPC that can't start again by their deadline (all of them when there is no next attempt);
    /// true when rows are left to try again.
    pub fn drop_late_rows(
        &mut self,
        id: u32,
        (first, count): (u32, u32),
        again: Option<SimTime>,
    ) -> bool {
        let (now, deadline) = (self.clock.now, self.config.client.deadline);
        let buffer = self.clients.buffer(self.rpcs.get(id).client);
        let rows = &buffer.rows[first as usize..][..count as usize];
        // Rows stand in the order in which they were put in: the late ones come first.
        let is_late = |row: &&BufferedRow| again.is_none_or(|again| again > row.put + deadline);
        let late = rows.iter().take_while(is_late);
        let late = late.inspect(|row| self.tables.keys.remove(row.key));
        let late = late.count() as u32;
        buffer.end_rows(first, late, false, |row| {
            self.recorder.failed(row.operation.write(), row.put, now);
        });
        if late < count {
            self.carry_rows(id, first + late, count - late);
        }
        late < count
    }
}
