//! RPCs that servers refuse: regions that are elsewhere or too busy, full call queues, dead servers.

use crate::engine::rpc::RpcBody;
use crate::engine::simulation::Simulation;
use crate::metrics::RefusalReason::{self, NotServingRegion, RegionTooBusy};
use crate::time::SimTime;

impl Simulation<'_> {
    /// Whether the regions of an RPC take it, or some of what it carries: the others are refused.
    pub fn accepts(&mut self, id: u32) -> bool {
        let rpc = *self.rpcs.get(id);
        let process = self.tables.process_of(rpc.operation, rpc.client);
        let reason = match self.rpcs.body(id) {
            None | Some(RpcBody::Row(_)) => self
                .tables
                .refusal_of_write(rpc.server, rpc.region, process),
            Some(RpcBody::Scan(cursor)) => {
                let served = self.tables.is_served(rpc.server, cursor.region(), process);
                (!served).then_some(NotServingRegion)
            }
            Some(RpcBody::Gets { .. }) => return self.accepts_gets(id, process),
            Some(RpcBody::Rows { first, count, .. }) => {
                return self.accepts_rows(id, first, count, process);
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
    fn accepts_rows(&mut self, id: u32, first: u32, count: u32, process: u32) -> bool {
        let rpc = *self.rpcs.get(id);
        let tables = &self.tables;
        let reason_of = |region| tables.refusal_of_write(rpc.server, region, process);
        let buffer = self.clients.buffer_of(rpc.client);
        let rows = self.clients.rows(buffer);
        let rows = &mut rows[first as usize..][..count as usize];
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
        let back = self.leave_rows(id, accepted);
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
