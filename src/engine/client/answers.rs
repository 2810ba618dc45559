//! Replies and refusals reach their clients, and operations end.

use crate::engine::clock::Event;
use crate::engine::numbers::NONE;
use crate::engine::rpc::{Operation, OperationKind, RpcBody};
use crate::engine::simulation::Simulation;

impl Simulation<'_> {
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
        let body = piece.body;
        self.rpcs.get_mut(id).failures = 0;
        match body {
            RpcBody::Scan(cursor) => return self.scan_goes_on(id, cursor),
            RpcBody::Rows { first, count, .. } => self.rows_complete(rpc.client, first, count),
            RpcBody::Row(_) | RpcBody::Gets { .. } => {}
        }
        self.rpc_ends(id);
    }

    /// A client learns that an RPC was refused. What it carries is sent again after a pause (and a look-up, when a region was not there), unless
    /// retries or time are used up, or its operation has been given up meanwhile. A row that is written by itself would pause already if it could.
    pub fn refusal_arrives(&mut self, id: u32) {
        let (now, rpc) = (self.clock.now, *self.rpcs.get(id));
        let Some(piece) = self.rpcs.piece(id).copied() else {
            let write = rpc.operation.write();
            self.writer_fails(rpc.client);
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
        match piece.body {
            RpcBody::Rows { .. } => self.writer_fails(rpc.client),
            _ => self.operation_fails(piece.operation),
        }
        self.rpc_ends(id);
    }

    /// A closed-loop client's row that is written by itself is over, one way or the other.
    fn write_ends(&mut self, id: u32) {
        let client = self.rpcs.get(id).client;
        self.clients.outcome(self.clock.now);
        self.rpcs.remove(id);
        self.writer_thinks(client);
    }

    /// An RPC is over, one way or the other: the next one of its operation starts, and the last one ends it.
    pub fn rpc_ends(&mut self, id: u32) {
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
        let (owner, now, recorder) = (*owner, self.clock.now, &mut self.recorder);
        match owner.kind {
            OperationKind::Read { read, .. } => recorder.read_failed(read, owner.intended, now),
            OperationKind::Neighbour { neighbour, .. } => {
                recorder.neighbour_failed(neighbour, owner.intended, now);
            }
            OperationKind::Write { .. } => {
                recorder.failed(owner.id.write(), owner.intended, now);
            }
            OperationKind::Flush => {}
        }
        self.outcome_reaches(&owner);
    }

    /// All RPCs of an operation are over.
    pub fn operation_ends(&mut self, operation: u32) {
        let owner = self.rpcs.end(operation);
        if owner.failed {
            return;
        }
        let (intended, now, recorder) = (owner.intended, self.clock.now, &mut self.recorder);
        let in_time = now <= intended + self.config.client.deadline;
        match owner.kind {
            OperationKind::Read { read, work } => {
                recorder.read_completed(read, intended, now, in_time, work);
            }
            OperationKind::Neighbour { neighbour, .. } => {
                recorder.neighbour_completed(neighbour, intended, now, in_time);
            }
            OperationKind::Write { server } => {
                recorder.completed(owner.id.write(), server, intended, now, in_time);
            }
            OperationKind::Flush => {}
        }
        self.outcome_reaches(&owner);
    }

    /// Whoever waits for an operation learns its outcome.
    fn outcome_reaches(&mut self, owner: &Operation) {
        let client = owner.client;
        if let OperationKind::Neighbour { source, .. } = owner.kind {
            return self.clients.neighbours.operation_ends(source);
        }
        self.clients.outcome(self.clock.now);
        match owner.kind {
            OperationKind::Read { .. } => self.read_ends(client, owner.failed),
            _ if client == NONE => self.clients.open.end_at(self.clock.now, 1),
            _ => {
                if owner.failed {
                    self.writer_fails(client);
                }
                if let OperationKind::Flush = owner.kind {
                    let buffer = self.clients.buffer_of(client);
                    self.clients.buffers.get_mut(buffer).end();
                }
                self.writer_thinks(client);
            }
        }
    }
}
