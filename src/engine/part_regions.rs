//! Where the calls of parts go while regions divide, merge, move and lose their server: what clients believe, what servers refuse. Must not
//! know how long a call takes.

use super::calls::NONE;
use super::events::Travel;
use super::fan_out::{Part, Purpose, Task};
use super::simulation::Simulation;
use crate::metrics::RefusalReason;
use crate::time::SimTime;
use crate::workload::ReadId;

/// Where a Get goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address {
    pub region: u32,
    pub server: u32,
}

impl Simulation<'_> {
    /// The client process of a part.
    fn process_of_part(&self, part: &Part) -> u32 {
        let operation = &self.fans.operations[part.fan_out as usize];
        self.process_of(operation.operation, operation.client)
    }

    /// Whether the regions of a part's call take it; else it is refused. Of a multi-Get, those Gets are refused whose regions are not there,
    /// and the others served.
    pub(super) fn accepts_part(&mut self, id: u32) -> bool {
        let part = self.fans.parts[id as usize];
        let (server, process) = (part.server, self.process_of_part(&part));
        let reason = match part.task {
            Task::Put { region, .. } => self.refusal_of_write(server, region, process),
            Task::Scan(cursor) => {
                let served = self.is_served(server, cursor.region(), process);
                (!served).then_some(RefusalReason::NotServingRegion)
            }
            Task::Gets { count, .. } => {
                let served = |region| self.is_served(server, region, process);
                match self.fans.gets(id).filter(|get| served(get.region)).count() {
                    0 => Some(RefusalReason::NotServingRegion),
                    all if all == count as usize => None,
                    _ => {
                        self.refuse_some_gets(id, server, process);
                        None
                    }
                }
            }
        };
        if let Some(reason) = reason {
            if let Task::Put { region, .. } = part.task {
                self.batch_refused(region, reason);
            }
            self.part_refused(id, reason);
        }
        reason.is_none()
    }

    fn refuse_some_gets(&mut self, id: u32, server: u32, process: u32) {
        let mut addresses = std::mem::take(&mut self.reads.addresses);
        addresses.clear();
        addresses.extend(self.fans.gets(id).map(|get| {
            let served = self.is_served(server, get.region, process);
            Address {
                region: get.region,
                server: if served { server } else { NONE },
            }
        }));
        let refused = self.fans.insert_sibling(id);
        let mut each = addresses.iter();
        self.fans.move_gets(id, refused, |_| {
            each.next().is_some_and(|address| address.server == NONE)
        });
        self.reads.addresses = addresses;
        self.part_refused(refused, RefusalReason::NotServingRegion);
    }

    /// A server refuses a part's call: its client will know a network delay later.
    pub(super) fn part_refused(&mut self, id: u32, reason: RefusalReason) {
        let part = &mut self.fans.parts[id as usize];
        part.reason = reason;
        let part = *part;
        if reason != RefusalReason::CallQueueTooBig {
            let rows = match part.task {
                Task::Gets { count, .. } => count,
                Task::Scan(_) | Task::Put { .. } => 1,
            };
            self.recorder
                .rows_refused(part.server, self.now, reason, rows);
        }
        self.travel(Travel::PartRefusal(id));
    }

    /// The server that holds a part's call dies. Its service will end without effect.
    pub(super) fn part_loses_server(&mut self, id: u32) {
        let part = &mut self.fans.parts[id as usize];
        let taken = std::mem::replace(&mut part.taken, SimTime::MAX);
        let mut again = *part;
        self.recorder.busy(part.server, taken, self.now);
        let waits_for_wal =
            matches!(part.task, Task::Put { .. }) && self.config.cluster.wal.is_some();
        let id = if waits_for_wal {
            id
        } else {
            part.fan_out = NONE;
            again.next = NONE;
            self.fans.insert_part(again)
        };
        self.part_refused(id, RefusalReason::NotServingRegion);
    }

    /// A client addresses a part's next call: to the server where it believes its region to be, after a look-up when that was wrong. Gets
    /// that go to other servers than the first are left to new parts, in [`super::reads::Reads::siblings`].
    pub(super) fn address_part(&mut self, id: u32) {
        let part = &self.fans.parts[id as usize];
        if !self.regions.changed() {
            if let Task::Scan(cursor) = part.task {
                let server = self.regions.get(cursor.region()).server;
                self.fans.parts[id as usize].server = server;
            }
            return;
        }
        let part = *part;
        let process = self.process_of_part(&part);
        let was_wrong = part.failures > 0 && part.reason == RefusalReason::NotServingRegion;
        match part.task {
            Task::Put { region, key, .. } => {
                let now = self.region_now(region, key);
                if let Task::Put { region, .. } = &mut self.fans.parts[id as usize].task {
                    *region = now;
                }
                let server = self.addressed(now, process, was_wrong);
                self.fans.parts[id as usize].server = server;
            }
            Task::Scan(_) => {
                let operation = &self.fans.operations[part.fan_out as usize];
                if let Purpose::Read { read, .. } = operation.purpose {
                    self.scan_follows(id, read);
                }
                if let Task::Scan(cursor) = self.fans.parts[id as usize].task {
                    let server = self.addressed(cursor.region(), process, was_wrong);
                    self.fans.parts[id as usize].server = server;
                }
            }
            Task::Gets { .. } => self.address_gets(id, process, was_wrong),
        }
    }

    /// The server that a process sends a call for a region to.
    fn addressed(&mut self, region: u32, process: u32, looks_up: bool) -> u32 {
        if looks_up {
            self.looks_up(region, process);
        }
        self.server_for(region, process)
    }

    fn address_gets(&mut self, id: u32, process: u32, looks_up: bool) {
        let mut addresses = std::mem::take(&mut self.reads.addresses);
        addresses.clear();
        addresses.extend(self.fans.gets(id).map(|get| Address {
            region: self.region_now(get.region, get.key),
            server: NONE,
        }));
        for address in &mut addresses {
            address.server = self.addressed(address.region, process, looks_up);
        }
        let mut each = addresses.iter();
        self.fans.move_gets(id, id, |get| {
            get.region = each.next().map_or(get.region, |address| address.region);
            false
        });
        let first = addresses.first().map_or(NONE, |address| address.server);
        self.fans.parts[id as usize].server = first;
        let elsewhere = |address: &&Address| address.server != first;
        while let Some(&Address { server, .. }) = addresses.iter().find(elsewhere) {
            let sibling = self.fans.insert_sibling(id);
            self.fans.parts[sibling as usize].server = server;
            let mut each = addresses.iter();
            self.fans.move_gets(id, sibling, |_| {
                each.next().is_some_and(|address| address.server == server)
            });
            addresses.retain(|address| address.server != server);
            self.reads.siblings.push(sibling);
        }
        self.reads.addresses = addresses;
    }

    /// A scan finds its place among the regions of today.
    pub(super) fn scan_follows(&mut self, id: u32, read: ReadId) {
        let access = self.reads.access(read);
        let order = self.reads.order(access.table);
        if let Task::Scan(mut cursor) = self.fans.parts[id as usize].task
            && cursor.is_behind(order)
        {
            cursor.follow(&access.spread, order, self.table(access.table), &self.keys);
            self.fans.parts[id as usize].task = Task::Scan(cursor);
        }
    }

    /// A server has done what a part's call asks for: the row of a put is in its memstore, rows that were read count for the balancer (a
    /// request a row, as in HBase's `readRequestCount`).
    pub(super) fn part_is_served(&mut self, id: u32) {
        let part = &self.fans.parts[id as usize];
        let loads = &mut self.master.loads;
        match part.task {
            Task::Put { .. } => self.part_is_written(id),
            Task::Gets { .. } => self.fans.gets(id).for_each(|get| loads.read(get.region, 1)),
            Task::Scan(cursor) => {
                let operation = &self.fans.operations[part.fan_out as usize];
                let rows = cursor.call_rows(self.reads.batch_rows(operation.purpose));
                loads.read(cursor.region(), u32::try_from(rows).unwrap_or(u32::MAX));
            }
        }
    }

    /// The row of a put is in its memstore.
    fn part_is_written(&mut self, id: u32) {
        let part = &mut self.fans.parts[id as usize];
        let Task::Put {
            region,
            key,
            bytes,
            key_length,
            ..
        } = &mut part.task
        else {
            return;
        };
        let (region, bytes, key_length) = (*region, *bytes, *key_length);
        let key = std::mem::replace(key, NONE);
        match self.fans.operations[part.fan_out as usize].purpose {
            Purpose::Neighbour { .. } => {
                let heap = self.neighbours.row_heap();
                self.memstore_takes(region, heap, bytes, NONE);
            }
            Purpose::Read { .. } | Purpose::Write { .. } => {
                self.row_is_written(region, key_length, key);
            }
        }
    }
}
