//! Writes are issued: at their times in open loops, in closed ones when a client's write before, or its flush, is over. Each becomes one row that is
//! written by itself, a row for each copy, or a row of a write buffer.

use super::closed_loop::LEAST_CYCLE;
use super::open_loop::Upcoming;
use crate::client::BufferedRow;
use crate::engine::clock::{Event, NetworkMessage};
use crate::engine::numbers::NONE;
use crate::engine::rpc::{OperationKind, Rpc, RpcBody};
use crate::engine::server::serving::Replies;
use crate::engine::simulation::Simulation;
use crate::engine::table::routing::RoutedRow;
use crate::time::SimTime;
use std::hint::black_box;

/// No rows yet.
const NO_ROWS: RpcBody = RpcBody::Rows {
    first: 0,
    count: 0,
    bytes: 0,
};

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
    #[inline]
    pub fn operation_arrives(&mut self) {
        if self.tables.routers.len() > 1 {
            return self.copied_operation_arrives();
        }
        if let Some(next) = self.clients.open.to_read_ahead() {
            self.read_ahead(next);
        }
        if let Some(rpc) = self.send_operation() {
            let id = self.rpcs.insert(rpc);
            self.admit(id);
        }
    }

    /// Brings what the next operations need into the caches, all at a time.
    #[inline(never)]
    fn read_ahead(&self, next: &[Upcoming]) {
        // Regions by themselves: a processor guesses wrong how servers stand, and throws away what it has begun to fetch by then.
        black_box(next.iter().fold(0, |bits, operation| {
            let state = self.tables.regions.get(operation.region);
            bits ^ (state.server ^ state.openings)
                ^ self.recorder.demand_so_far(operation.region)
                ^ self.stores.rows_held(operation.region)
        }));
        black_box(next.iter().fold(0, |bits, operation| {
            let server = self.tables.regions.get(operation.region).server;
            bits ^ self.servers.touch(server)
        }));
    }

    /// The operations that don't reach their servers before the end are sent; false when the run was stopped before all were.
    pub fn send_the_rest(&mut self) -> bool {
        while self.clients.next_open() < self.config.duration {
            if self.clients.open.is_at_start() && self.is_stopped() {
                return false;
            }
            self.clock.now = self.clients.next_open();
            if self.tables.routers.len() > 1 {
                if self.send_copied_operation() {
                    self.clock.arrival();
                }
            } else if let Some(rpc) = self.send_operation() {
                self.clock.arrival();
                self.rpcs.insert(rpc);
            }
        }
        true
    }

    /// The row of the next operation in the table itself, as it was sent at its intended time; `None` when too many were in flight then.
    #[inline(always)]
    pub fn send_operation(&mut self) -> Option<Rpc> {
        let upcoming = self.clients.open.take_next();
        let Upcoming {
            operation,
            intended,
            region,
            ..
        } = upcoming;
        let key = match self.tables.keys.kept() {
            true => self.tables.keys.insert(self.clients.open.last_key()),
            false => NONE,
        };
        if self.clients.open.is_used_up() {
            self.clients.open.pass_ends(intended);
            self.refill();
        }
        let write = operation.write();
        let state = self.tables.regions.get(region);
        self.recorder
            .offered(intended, write, region, state.server, upcoming.key_bucket);
        let most = self.config.client.max_in_flight;
        if !self.clients.open.begin(intended, most) {
            self.recorder.failed(write, intended, intended);
            self.tables.keys.remove(key);
            self.clients.outcome(intended);
            return None;
        }
        let server = if state.openings == 0 {
            state.server
        } else {
            let process = self.tables.process_of(operation, NONE);
            self.tables.server_for(region, process)
        };
        Some(Rpc {
            detail: upcoming.detail,
            server,
            region,
            key,
            key_length: upcoming.key_length,
            exclusive: upcoming.exclusive,
            ..Rpc::new(operation, intended, NONE)
        })
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

    /// Such replies have left a server, all at a time.
    pub fn open_replies_have_left(&mut self, server: u32, replies: &Replies) {
        if let Some(finished) = replies.arrival {
            self.recorder
                .answers_arrived(server, finished, replies.open, replies.responses);
            self.open_operations_end(finished, replies.open);
        }
    }

    /// So many operations have left their servers for the last time: their clients will know at `end`.
    pub fn open_operations_end(&mut self, end: SimTime, operations: u32) {
        self.clients.outcome(end);
        self.clients.open.end_at(end, operations);
    }

    /// All writers start.
    pub fn start_writers(&mut self) {
        let closed = &self.clients.closed;
        for (at, client) in (0..).zip(&closed.writers) {
            let start = client.start(closed.think(client));
            self.clock.schedule(start, Event::ThinkEnded(at));
        }
    }

    /// A writer's next operation is due now.
    pub fn writer_is_ready(&mut self, at: u32) {
        let (now, clients) = (self.clock.now, &mut self.clients);
        if clients.closed.writers[at as usize].buffer != NONE {
            return self.fill_buffer(at);
        }
        if self.tables.routers.len() > 1 {
            return self.client_writes_copies(at);
        }
        let mut issued = std::mem::take(&mut clients.closed.issued);
        let operation = clients.closed.issue(at, now, &mut issued);
        clients.closed.issued = issued;
        if let Some(operation) = operation {
            clients.closed.writers[at as usize].earliest = now + LEAST_CYCLE;
            let id = self.rpcs.insert(Rpc::new(operation, now, at));
            clients.closed.issued_rpcs.push(id);
            self.clock.travel(NetworkMessage::Call(id));
        }
    }

    /// Writes and routes the keys of all operations that were issued meanwhile.
    pub fn route_issued(&mut self) {
        let clients = &mut self.clients;
        let (tables, increments) = (&mut self.tables, &clients.increments);
        let ids = &clients.closed.issued_rpcs;
        tables.routers[0].route(&clients.closed.issued, |at, operation, row, key| {
            let rpc = self.rpcs.get_mut(ids[at]);
            let write = operation.write();
            rpc.region = row.region;
            rpc.server = tables.regions.get(row.region).server;
            rpc.exclusive = increments[usize::from(write.0)];
            rpc.detail = match rpc.exclusive {
                true => row.row,
                false => self.servers.first_service(operation),
            };
            rpc.key = tables.keys.insert(key);
            rpc.key_length = row.key_length;
            self.recorder
                .offered(rpc.intended, write, row.region, rpc.server, row.key_bucket);
        });
        if tables.regions.changed() {
            for &id in ids {
                let rpc = self.rpcs.get_mut(id);
                let process = tables.process_of(rpc.operation, rpc.client);
                rpc.server = tables.server_for(rpc.region, process);
            }
        }
        clients.closed.issued.clear();
        clients.closed.issued_rpcs.clear();
    }

    /// A writer learns now that it has to give up an operation.
    pub fn writer_fails(&mut self, at: u32) {
        let next_attempt = self.clock.now + self.clients.back_off.least();
        self.clients.closed.writers[at as usize].fails(next_attempt);
    }

    /// A writer whose operation, or flush, is over goes on after its think time.
    pub fn writer_thinks(&mut self, at: u32) {
        let closed = &self.clients.closed;
        let client = closed.writers[at as usize];
        if closed.has_ended(&client) {
            return;
        }
        let ready = (self.clock.now + closed.think(&client)).max(client.earliest);
        if ready == self.clock.now {
            self.writer_is_ready(at);
        } else {
            self.clock.schedule(ready, Event::ThinkEnded(at));
        }
    }

    /// [`Simulation::operation_arrives`] for a table with copies.
    pub fn copied_operation_arrives(&mut self) {
        if self.send_copied_operation() {
            for at in 0..self.clients.sent.len() {
                self.call_arrives(self.clients.sent[at]);
            }
        }
    }

    /// The next open-loop write is sent, as it was at its intended time; false when too many were in flight then.
    pub fn send_copied_operation(&mut self) -> bool {
        let (clients, keys) = (&mut self.clients, &mut self.tables.keys);
        let rows = clients.open.next_copies();
        clients.copied_rows.clear();
        clients
            .copied_rows
            .extend(rows.map(|(row, key)| (row, keys.insert(key))));
        let intended = clients.next_open();
        let rpc = self.send_operation();
        for &(row, key) in &self.clients.copied_rows {
            let server = self.tables.regions.get(row.region).server;
            self.recorder.copied(intended, row.region, server);
            if rpc.is_none() {
                self.tables.keys.remove(key);
            }
        }
        if let Some(rpc) = &rpc {
            self.begin_copied_write(rpc);
        }
        rpc.is_some()
    }

    /// A closed-loop client's next write to a table with copies is due now.
    pub fn client_writes_copies(&mut self, at: u32) {
        let now = self.clock.now;
        let clients = &mut self.clients;
        clients.issued.clear();
        let Some(operation) = clients.closed.issue(at, now, &mut clients.issued) else {
            return;
        };
        clients.closed.writers[at as usize].earliest = now + LEAST_CYCLE;
        let mut rpc = Rpc::new(operation, now, at);
        clients.copied_rows.clear();
        for (number, table) in self.tables.routers.iter_mut().enumerate() {
            let (regions, keys) = (&self.tables.regions, &mut self.tables.keys);
            table.route(&clients.issued, |_, _, row, key| {
                let server = regions.get(row.region).server;
                let key = keys.insert(key);
                if number > 0 {
                    self.recorder.copied(now, row.region, server);
                    clients.copied_rows.push((row, key));
                    return;
                }
                let write = operation.write();
                self.recorder
                    .offered(now, write, row.region, server, row.key_bucket);
                rpc = Rpc {
                    detail: row.row,
                    server,
                    region: row.region,
                    key,
                    key_length: row.key_length,
                    ..rpc
                };
            });
        }
        self.begin_copied_write(&rpc);
        for at in 0..self.clients.sent.len() {
            let call = NetworkMessage::Call(self.clients.sent[at]);
            self.clock.travel(call);
        }
    }

    /// A write whose row in the table itself is that of `own`, which is not sent by itself, and whose others are [`super::clients::Clients::copied_rows`],
    /// becomes an operation: its RPCs are [`super::clients::Clients::sent`].
    fn begin_copied_write(&mut self, own: &Rpc) {
        let kind = OperationKind::Write { server: own.server };
        let operation = self
            .rpcs
            .begin(own.operation, own.intended, own.client, kind);
        let process = self.tables.process_of(own.operation, own.client);
        let exclusive = self.clients.increments(own.operation);
        let row = RoutedRow {
            region: own.region,
            key_bucket: 0,
            key_length: own.key_length,
            row: own.detail,
        };
        self.clients.sent.clear();
        let rows = std::iter::once((row, own.key)).chain(self.clients.copied_rows.drain(..));
        for (row, key) in rows {
            let server = self.tables.server_for(row.region, process);
            let weight = *self.tables.weights.of(row.key_length);
            let body = RpcBody::Row(weight);
            let id = self.rpcs.add(operation, server, body, true);
            let rpc = self.rpcs.get_mut(id);
            *rpc = Rpc {
                detail: row.row,
                region: row.region,
                key,
                key_length: row.key_length,
                exclusive,
                ..*rpc
            };
            self.clients.sent.push(id);
        }
    }

    /// A client puts rows into its buffer until it has to think, flush, or has none left. Without think time, as many rows as
    /// certainly fit are drawn, keyed and routed together.
    pub fn fill_buffer(&mut self, at: u32) {
        let (now, tables) = (self.clock.now, &mut self.tables);
        let clients = &mut self.clients;
        let client = clients.closed.writers[at as usize];
        let flush = clients.buffers.get_mut(client.buffer);
        let copies = tables.routers.len() - 1;
        loop {
            let rows = if client.thinks {
                1
            } else {
                let longest = tables.routers.iter().map(|table| table.longest_key());
                let heap = longest.map(|key| u64::from(tables.weights.of(key).buffered));
                flush.room(heap.sum()).min(self.config.batch.max(1) as u64)
            };
            clients.issued.clear();
            let mut issue = || clients.closed.issue(at, now, &mut clients.issued).is_some();
            let ended = !(0..rows).all(|_| issue());
            let mut full = false;
            for (number, table) in tables.routers.iter_mut().enumerate() {
                table.route(&clients.issued, |_, operation, row, key| {
                    let server = tables.regions.get(row.region).server;
                    if number == 0 {
                        let write = operation.write();
                        self.recorder
                            .offered(now, write, row.region, server, row.key_bucket);
                    } else {
                        self.recorder.copied(now, row.region, server);
                    }
                    let heap = u64::from(tables.weights.of(row.key_length).buffered);
                    let buffered = BufferedRow {
                        operation,
                        put: now,
                        region: row.region,
                        server,
                        key: tables.keys.insert(key),
                        key_length: row.key_length,
                    };
                    full |= flush.put(buffered, heap, (number == 0).then_some(copies));
                });
            }
            if full || ended && !flush.rows().is_empty() {
                return self.flush(at);
            }
            if ended {
                return;
            }
            if client.thinks {
                let closed = &clients.closed;
                let think = closed.think(&closed.writers[at as usize]);
                return self.clock.schedule(now + think, Event::ThinkEnded(at));
            }
        }
    }

    /// Sends an RPC to each server that has rows in the client's buffer.
    fn flush(&mut self, at: u32) {
        let now = self.clock.now;
        let client = &mut self.clients.closed.writers[at as usize];
        client.earliest = now + LEAST_CYCLE;
        let flush = self.clients.buffers.get_mut(client.buffer);
        flush.begin();
        let (first, count) = (flush.rows()[0].operation, flush.rows().len() as u32);
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
        let buffer = self.clients.buffer_of(self.rpcs.get(id).client);
        let rows = self.clients.rows(buffer);
        let rows = &rows[first as usize..][..count as usize];
        let bytes = rows.iter().map(|row| {
            let weight = self.tables.weights.of(row.key_length);
            u64::from(weight.bytes)
        });
        let bytes = u32::try_from(bytes.sum::<u64>()).unwrap_or(u32::MAX);
        let rpc = self.rpcs.get_mut(id);
        (rpc.operation, rpc.server) = (rows[0].operation, rows[0].server);
        let body = RpcBody::Rows {
            first,
            count,
            bytes,
        };
        self.rpcs.set_body(id, body);
    }

    /// An RPC keeps the first `kept` of its rows, and leaves the others, not none, to a sibling.
    pub fn leave_rows(&mut self, id: u32, kept: u32) -> u32 {
        let sibling = self.rpcs.add_sibling(id, NO_ROWS);
        if let Some(RpcBody::Rows { first, count, .. }) = self.rpcs.body(id) {
            self.carry_rows(sibling, first + kept, count - kept);
            self.carry_rows(id, first, kept);
        }
        sibling
    }

    /// A client finds the servers of an RPC's rows, anew when regions have changed or after a look-up. Rows that go to other servers than the first
    /// are left to siblings, which are [`super::clients::Clients::sent`].
    pub fn address_rows(&mut self, id: u32, (mut first, count): (u32, u32), looks_up: bool) {
        let rpc = *self.rpcs.get(id);
        let (changed, end) = (self.tables.regions.changed(), first + count);
        let buffer = self.clients.buffer_of(rpc.client);
        let rows = &mut self.clients.rows(buffer)[first as usize..end as usize];
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
            let rows = &self.clients.rows(buffer)[first as usize..end as usize];
            let of_one = rows.iter().take_while(|row| row.server == rows[0].server);
            let count = of_one.count() as u32;
            self.carry_rows(carrier, first, count);
            first += count;
            if first == end {
                return;
            }
            carrier = self.rpcs.add_sibling(id, NO_ROWS);
            self.clients.sent.push(carrier);
        }
    }

    /// The reply to an RPC of a flush: all its rows are done.
    pub fn rows_complete(&mut self, client: u32, first: u32, count: u32) {
        let (now, deadline) = (self.clock.now, self.config.client.deadline);
        let buffer = self.clients.buffer_of(client);
        let flush = self.clients.buffers.get_mut(buffer);
        flush.end_rows(first, count, true, |row| {
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
        let client = self.rpcs.get(id).client;
        let buffer = self.clients.buffer_of(client);
        let flush = self.clients.buffers.get_mut(buffer);
        let rows = &flush.rows()[first as usize..][..count as usize];
        // Rows stand in the order in which they were put in: the late ones come first.
        let is_late = |row: &BufferedRow| again.is_none_or(|again| again > row.put + deadline);
        let late = rows.iter().take_while(|row| is_late(row));
        let late = late.inspect(|row| self.tables.keys.remove(row.key));
        let late = late.count() as u32;
        flush.end_rows(first, late, false, |row| {
            self.recorder.failed(row.operation.write(), row.put, now);
        });
        if late < count {
            self.carry_rows(id, first + late, count - late);
        }
        late < count
    }
}
