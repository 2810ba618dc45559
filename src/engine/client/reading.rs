//! Reads start and are divided into RPCs, and neighbours put or get rows: each of their operations is a single RPC that competes, is refused and is
//! sent again like all others.

use super::clients::LEAST_CYCLE;
use super::neighbours::Source;
use super::reads::distinct_regions;
use crate::engine::clock::Event;
use crate::engine::numbers::NONE;
use crate::engine::rpc::{Get, OperationKind, RpcBody};
use crate::engine::simulation::Simulation;
use crate::engine::table::scans::ScanCursor;
use crate::metrics::{PlannedWork, ReadWork, Recorded};
use crate::query::Requests;
use crate::workload::{OperationId, ReadId};

impl Simulation<'_> {
    /// The next open-loop read, if there is one before the end, will start at its intended time.
    pub fn await_next_read(&mut self) {
        let (reads, config) = (&mut self.clients.reads, self.config);
        if reads.next == reads.batch.operations.len() {
            reads.refill(config);
        }
        if let Some(&intended) = reads.batch.intended.get(reads.next)
            && intended < self.config.duration
        {
            self.clock.await_read(intended);
        }
    }

    /// The intended time of an open-loop read has come.
    pub fn read_is_due(&mut self) {
        let (now, reads) = (self.clock.now, &mut self.clients.reads);
        let at = reads.next;
        reads.next += 1;
        if reads.in_flight >= self.config.client.max_in_flight {
            let read = reads.batch.reads[at];
            self.recorder.intended(now, read);
            self.recorder.failed(read, now, now);
            self.clients.outcome(now);
        } else {
            reads.in_flight += 1;
            self.start_read_of(at, NONE);
        }
        self.await_next_read();
    }

    /// A closed-loop client's next read is due now.
    pub fn reader_is_ready(&mut self, at: u32, read: ReadId) {
        let (now, reads) = (self.clock.now, &mut self.clients.reads);
        let Some(source) = &mut reads.source else {
            return;
        };
        reads.issued.clear();
        let reader = &mut self.clients.closed[at as usize];
        source.issue(read, reader.number, reader.next, now, &mut reads.issued);
        reader.next += 1;
        reader.earliest = now + LEAST_CYCLE;
        self.start_read_of(0, at);
    }

    /// The `at`-th read of an open loop's batch starts now, or the one that a reader issues.
    fn start_read_of(&mut self, at: usize, reader: u32) {
        let (config, reads) = (self.config, &mut self.clients.reads);
        let mut requests = reads.requests.take().unwrap_or_default();
        let (batch, beginning, rows) = match reader {
            NONE => (&reads.batch, reads.beginning(at), reads.rows[at]),
            _ => (&reads.issued, None, None),
        };
        let (read, operation) = (batch.reads[at], batch.operations[at]);
        let plan = &config.reads[usize::from(read.0)].plan;
        match beginning {
            Some(key) if plan.own_row => {
                plan.find(&mut requests, |out| out.extend_from_slice(key));
            }
            _ => {
                let target = batch.target(at, config.generator.width());
                match rows {
                    Some(rows) => plan.scan(beginning, &target, rows, &mut requests),
                    None => plan.requests_from(beginning, &target, &reads.counter, &mut requests),
                }
            }
        }
        self.start_read(read, operation, reader, &requests);
        self.clients.reads.requests = Some(requests);
    }

    /// A read starts now and asks for `requests`; without any it is over at once.
    pub fn start_read(&mut self, read: ReadId, id: OperationId, reader: u32, requests: &Requests) {
        let now = self.clock.now;
        self.recorder.intended(now, read);
        let cell_bytes = self.config.reads[usize::from(read.0)].cell_bytes;
        let work = ReadWork {
            rows_read: requests.gets_found,
            row_cells: requests.row_cells,
            row_cells_passed: requests.row_cells_passed,
            row_bytes: requests.row_cells * cell_bytes,
            calls: 0,
        };
        let kind = OperationKind::Read { read, work };
        let operation = self.rpcs.begin(id, now, reader, kind);
        self.clients.reads.asked.clear();
        let mut calls = 0.0;
        if !requests.gets.is_empty() {
            calls += self.divide_gets(read, operation, requests);
        }
        if !requests.scans.is_empty() {
            calls += self.divide_scans(read, operation, requests);
        }
        let asked = self.clients.reads.asked.iter();
        let plan = PlannedWork {
            calls,
            pieces: asked.map(|(first, last)| last - first + 1).sum(),
            regions: distinct_regions(&mut self.clients.reads.asked),
            rows_read: requests.rows_read(),
            rows_returned: requests.rows_returned,
            cells_read: requests.cells_read(),
            cells_returned: requests.cells_returned,
        };
        self.recorder.read_sent(read, now, plan);
        match self.rpcs.operation(operation).waiting {
            NONE => self.operation_ends(operation),
            _ => self.start_rpcs(operation),
        }
    }

    /// The client process that sends the RPCs of an operation.
    fn process_of(&self, operation: u32) -> u32 {
        let owner = self.rpcs.operation(operation);
        self.tables.process_of(owner.id, owner.client)
    }

    /// One RPC for each server that holds rows which Gets ask for, in the order in which they are first asked for. Returns the number of their calls.
    fn divide_gets(&mut self, read: ReadId, operation: u32, requests: &Requests) -> f64 {
        let (gets, process) = (&requests.gets, self.process_of(operation));
        let found = (requests.gets_found / gets.len() as f64).clamp(0.0, 1.0);
        if gets.len() == 1 {
            let table = self.clients.reads.access(read).table;
            let region = self.tables.routers[table].map.locate(gets.get(0));
            let get = self.get(read, region, gets.get(0));
            let body = self.rpcs.new_get(found, get);
            let server = self.tables.server_for(region, process);
            self.rpcs.append(operation, server, body);
            return 1.0;
        }
        let mut regions = std::mem::take(&mut self.clients.reads.get_regions);
        regions.clear();
        let table = self.clients.reads.access(read).table;
        let map = &self.tables.routers[table].map;
        map.locate_batch(gets, &mut regions);
        let mut calls = 0.0;
        for (&region, key) in regions.iter().zip(gets.iter()) {
            let server = self.tables.server_for(region, process);
            let mut rpc = self.clients.reads.rpc_of_server[server as usize];
            if rpc == NONE {
                let body = self.rpcs.new_gets(found);
                rpc = self.rpcs.append(operation, server, body);
                calls += 1.0;
                self.clients.reads.rpc_of_server[server as usize] = rpc;
            }
            let get = self.get(read, region, key);
            self.rpcs.push_get(rpc, get);
        }
        for &region in &regions {
            let server = self.tables.server_for(region, process);
            self.clients.reads.rpc_of_server[server as usize] = NONE;
        }
        self.clients.reads.get_regions = regions;
        calls
    }

    /// A Get of a read, for an RPC that carries it.
    fn get(&mut self, read: ReadId, region: u32, key: &[u8]) -> Get {
        let key = self.tables.keys.insert(key);
        let reads = &mut self.clients.reads;
        let place = reads.access(read).spread.place(region);
        reads.asked.push((place, place));
        Get { region, key }
    }

    /// One RPC for each scan. Returns the expected number of their calls.
    fn divide_scans(&mut self, read: ReadId, operation: u32, requests: &Requests) -> f64 {
        let process = self.process_of(operation);
        let reads = &mut self.clients.reads;
        let id = self.rpcs.operation(operation).id;
        let mut draws = reads.rows_draws.at(id.0);
        let mut calls = 0.0;
        for (at, scan) in requests.scans.iter().enumerate() {
            let access = reads.access(read);
            let (spread, most) = (&access.spread, access.batch_rows(requests.row_cells));
            let (start, stop) = (requests.starts.get(at), requests.stops.get(at));
            let range = spread.range(start, stop, &self.tables.routers[access.table]);
            let keys = [start, stop].map(|key| self.tables.keys.insert(key));
            let cursor = ScanCursor::new(spread, range, scan, most, draws.unit(), keys);
            let (first, last) = cursor.visited_places(spread);
            calls += cursor.calls(spread, last - first + 1) as f64;
            reads.asked.push((first, last));
            let server = self.tables.server_for(cursor.region(), process);
            let body = self.rpcs.new_scan(cursor);
            self.rpcs.append(operation, server, body);
        }
        calls
    }

    /// The first operation of each source of the neighbours is awaited.
    pub fn start_neighbours(&mut self) {
        for source in 0..self.clients.neighbours.sources.len() as u32 {
            self.await_neighbour(source);
        }
    }

    /// The next operation of a source will start at its intended time.
    fn await_neighbour(&mut self, source: u32) {
        let gap = self.clients.neighbours.sources[source as usize].next_gap();
        if let Some(gap) = gap {
            let due = self.clock.now + gap;
            self.clock.schedule(due, Event::NeighbourDue(source));
        }
    }

    /// The intended time of a neighbour's next operation.
    pub fn neighbour_is_due(&mut self, source: u32) {
        let (now, neighbours) = (self.clock.now, &mut self.clients.neighbours);
        if neighbours.are_done(self.recorder.writes_ended()) {
            return;
        }
        let region = neighbours.next_region(source);
        let (id, begins) = neighbours.begin(source, self.config.client.max_in_flight);
        let Source {
            neighbour,
            gets,
            work,
            ..
        } = neighbours.sources[source as usize];
        let what = Recorded::neighbour(neighbour);
        self.recorder.intended(now, what);
        let process = self.tables.process_of(id, NONE);
        let server = self.tables.server_for(region, process);
        self.recorder.neighbour_demand(now, server, work);
        if begins {
            let key = NONE;
            let body = match gets {
                false => RpcBody::Row,
                true => self.rpcs.new_get(1.0, Get { region, key }),
            };
            let kind = OperationKind::Neighbour { neighbour, source };
            let operation = self.rpcs.begin(id, now, NONE, kind);
            let rpc = self.rpcs.add(operation, server, body, true);
            let row = self.rpcs.get_mut(rpc);
            (row.region, row.key_length) = (region, self.tables.weights.neighbours_length);
            self.send(rpc, true);
        } else {
            self.recorder.failed(what, now, now);
        }
        self.await_neighbour(source);
    }
}
