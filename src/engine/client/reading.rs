//! Reads start, are divided into RPCs, and end.

use super::closed_loop::LEAST_CYCLE;
use super::reads::{distinct_regions, scan_calls};
use crate::engine::clock::Event;
use crate::engine::numbers::NONE;
use crate::engine::rpc::{OperationKind, RpcBody};
use crate::engine::simulation::Simulation;
use crate::engine::table::scan_cursor::{ScanCursor, ScanKeys};
use crate::metrics::{PlannedWork, ReadWork};
use crate::query::Requests;
use crate::workload::{OperationId, ReadBatch, ReadId};

/// A read that is being divided.
#[derive(Debug)]
struct Dividing {
    read: ReadId,
    operation: u32,
    /// The client process that sends its RPCs.
    process: u32,
    /// The last one so far.
    last: u32,
    /// Calls that they will take, expected number.
    calls: f64,
}

impl Simulation<'_> {
    /// The next open-loop read, if there is one before the end, will start at its intended time.
    pub fn await_next_read(&mut self) {
        let reads = &mut self.clients.reads;
        let Some(source) = &mut reads.source else {
            return;
        };
        if reads.next == reads.batch.len() {
            reads.next = 0;
            reads.batch.clear();
            source.fill(&mut reads.batch, self.config.batch.max(1));
        }
        if let Some(&intended) = reads.batch.intended.get(reads.next)
            && intended < self.config.duration
        {
            self.clock.schedule(intended, Event::ReadDue);
        }
    }

    /// The intended time of an open-loop read has come.
    pub fn read_is_due(&mut self) {
        let (now, reads) = (self.clock.now, &mut self.clients.reads);
        let at = reads.next;
        reads.next += 1;
        let batch = std::mem::take(&mut reads.batch);
        if reads.in_flight >= self.config.client.max_in_flight {
            self.recorder.read_offered(now, batch.reads[at]);
            self.recorder.read_failed(batch.reads[at], now, now);
            self.clients.outcome(now);
        } else {
            reads.in_flight += 1;
            self.start_read_of(&batch, at, NONE);
        }
        self.clients.reads.batch = batch;
        self.await_next_read();
    }

    /// All readers start.
    pub fn start_readers(&mut self) {
        let Some(source) = &self.clients.reads.source else {
            return;
        };
        for (at, reader) in (0..).zip(&self.clients.closed.readers) {
            let start = reader.start(source.think(reader.of, reader.number, 0));
            self.clock.schedule(start, Event::ReaderThinkEnded(at));
        }
    }

    /// A reader's next read is due now.
    pub fn reader_is_ready(&mut self, at: u32) {
        let (now, reads) = (self.clock.now, &mut self.clients.reads);
        let Some(source) = &mut reads.source else {
            return;
        };
        let mut issued = std::mem::take(&mut reads.issued);
        issued.clear();
        let reader = &mut self.clients.closed.readers[at as usize];
        source.issue(reader.of, reader.number, reader.next, now, &mut issued);
        reader.next += 1;
        reader.earliest = now + LEAST_CYCLE;
        self.start_read_of(&issued, 0, at);
        self.clients.reads.issued = issued;
    }

    /// A read has an outcome: a reader that waits for it goes on after its think time.
    pub fn read_ends(&mut self, reader: u32, failed: bool) {
        let clients = &mut self.clients;
        if reader == NONE {
            clients.reads.in_flight -= 1;
            return;
        }
        let client = &mut clients.closed.readers[reader as usize];
        if failed {
            client.fails(self.clock.now + clients.back_off.least());
        }
        if let Some(source) = &clients.reads.source {
            let think = source.think(client.of, client.number, client.next);
            let ready = (self.clock.now + think).max(client.earliest);
            self.clock.schedule(ready, Event::ReaderThinkEnded(reader));
        }
    }

    /// The `at`-th read of a batch starts now.
    fn start_read_of(&mut self, batch: &ReadBatch, at: usize, reader: u32) {
        let (config, read) = (self.config, batch.reads[at]);
        let target = batch.target(at, config.generator.width());
        let mut requests = std::mem::take(&mut self.clients.reads.requests);
        let plan = &config.reads[usize::from(read.0)].plan;
        plan.requests(&target, config.population.as_ref(), &mut requests);
        self.start_read(read, target.operation, reader, &requests);
        self.clients.reads.requests = requests;
    }

    /// A read starts now and asks for `requests`; without any it is over at once.
    pub fn start_read(&mut self, read: ReadId, id: OperationId, reader: u32, requests: &Requests) {
        let now = self.clock.now;
        self.recorder.read_offered(now, read);
        let work = ReadWork {
            rows_read: requests.gets_found,
            calls: 0,
        };
        let kind = OperationKind::Read { read, work };
        let operation = self.rpcs.begin(id, now, reader, kind);
        let mut dividing = Dividing {
            read,
            operation,
            process: self.tables.process_of(id, reader),
            last: NONE,
            calls: 0.0,
        };
        self.clients.reads.asked.clear();
        self.divide_gets(&mut dividing, requests);
        self.divide_scans(&mut dividing, id, requests);
        let plan = PlannedWork {
            calls: dividing.calls,
            regions: distinct_regions(&mut self.clients.reads.asked),
            rows_read: requests.rows_read(),
            rows_returned: requests.rows_returned,
        };
        self.recorder.read_sent(read, now, plan);
        if dividing.last == NONE {
            self.operation_ends(operation);
        } else {
            self.start_rpcs(operation);
        }
    }

    /// One RPC for each server that holds rows which Gets ask for, in the order in which they are first asked for.
    fn divide_gets(&mut self, dividing: &mut Dividing, requests: &Requests) {
        let gets = &requests.gets;
        if gets.is_empty() {
            return;
        }
        let found = (requests.gets_found / gets.len() as f64).clamp(0.0, 1.0);
        let mut regions = std::mem::take(&mut self.clients.reads.get_regions);
        regions.clear();
        let table = self.clients.reads.access(dividing.read).table;
        self.tables.routers[table].locate_batch(gets, &mut regions);
        for (&region, key) in regions.iter().zip(gets.iter()) {
            let server = self.tables.server_for(region, dividing.process);
            let mut rpc = self.clients.reads.rpc_of_server[server as usize];
            if rpc == NONE {
                let body = self.rpcs.new_gets(found);
                rpc = self.append_rpc(dividing, server, body);
                dividing.calls += 1.0;
                self.clients.reads.rpc_of_server[server as usize] = rpc;
            }
            let key = self.tables.keys.insert(key);
            self.rpcs.push_get(rpc, region, key);
            let place = self.clients.reads.order(table).place(region);
            self.clients.reads.asked.push((place, place));
        }
        for &region in &regions {
            let server = self.tables.server_for(region, dividing.process);
            self.clients.reads.rpc_of_server[server as usize] = NONE;
        }
        self.clients.reads.get_regions = regions;
    }

    /// One RPC for each scan.
    fn divide_scans(&mut self, dividing: &mut Dividing, id: OperationId, requests: &Requests) {
        let mut draws = self.clients.reads.rows_draws.at(id.0);
        for (at, scan) in requests.scans.iter().enumerate() {
            let reads = &mut self.clients.reads;
            let access = reads.access(dividing.read);
            let (spread, most) = (&access.spread, access.batch_rows);
            let order = reads.order(access.table);
            let (start, stop) = (requests.starts.get(at), requests.stops.get(at));
            let range = spread.range(start, stop, &self.tables.routers[access.table], order);
            let keys = ScanKeys {
                start: self.tables.keys.insert(start),
                stop: self.tables.keys.insert(stop),
            };
            let draw = draws.unit();
            let cursor = ScanCursor::new(spread, order, range, scan, most, draw, keys);
            let places = cursor.visited_places(spread);
            let regions = f64::from(places.1 - places.0 + 1);
            dividing.calls += scan_calls(regions, scan.rows_read, most);
            reads.asked.push(places);
            let server = self.tables.server_for(cursor.region(), dividing.process);
            self.append_rpc(dividing, server, RpcBody::Scan(cursor));
        }
    }

    /// Adds an RPC behind those of the same operation, which all wait.
    fn append_rpc(&mut self, dividing: &mut Dividing, server: u32, body: RpcBody) -> u32 {
        let id = self.rpcs.add(dividing.operation, server, body, false);
        match std::mem::replace(&mut dividing.last, id) {
            NONE => self.rpcs.operation_mut(dividing.operation).waiting = id,
            last => self.rpcs.set_next(last, id),
        }
        id
    }
}
