//! The reads of a run: where they come from, who waits for them, and what is known of each kind. Must not know what becomes of them.

use super::SimConfig;
use super::calls::NONE;
use super::events::Event;
use super::fan_out::{FanOut, Part, Purpose, Task};
use super::part_regions::Address;
use super::placing::Placing;
use super::region_order::RegionOrder;
use super::row_spread::RowSpread;
use super::row_weights::row_size;
use super::scan_cursor::{ScanCursor, ScanKeys};
use super::simulation::Simulation;
use crate::cluster::TableSpec;
use crate::keyspace::RowKey;
use crate::metrics::{PlannedWork, ReadWork};
use crate::query::Requests;
use crate::random::{DrawKey, Stream};
use crate::units::ByteSize;
use crate::workload::{OperationId, ReadBatch, ReadId, ReadSource};

/// Most that a server returns to one call of a scanner (`hbase.client.scanner.max.result.size`, 2 MB).
const SCANNER_BYTES: ByteSize = ByteSize(2 << 20);

/// What is known beforehand of one kind of reads.
#[derive(Debug)]
pub(super) struct Access {
    /// The table that serves it: 0, or copy c - 1.
    pub table: usize,
    /// How the table's rows lie over its regions.
    pub spread: RowSpread,
    /// Rows that fit into one call of a scanner, >= 1.
    pub batch_rows: u64,
}

/// Rows that a scanner's call returns at most, when keys have so many bytes.
pub fn scanner_rows(table: &TableSpec, key_bytes: u64) -> u64 {
    (SCANNER_BYTES.0 / row_size(table).cells(key_bytes).max(1)).max(1)
}

/// Calls of a scan that reads so many rows in so many regions (>= 1), `batch_rows` a call at most: each region is opened by a call, and asked again as
/// often as its part of the rows takes, as if they lay evenly.
pub fn scan_calls(regions: f64, rows: f64, batch_rows: u64) -> f64 {
    let of_one = rows / regions / batch_rows as f64;
    regions * of_one.ceil().max(1.0)
}

/// The reads of a run.
#[derive(Debug)]
pub(super) struct Reads {
    /// `None` when nothing is read.
    pub source: Option<ReadSource>,
    /// Open-loop reads that come next.
    pub batch: ReadBatch,
    pub next: usize,
    /// Open-loop reads in flight.
    pub in_flight: u64,
    accesses: Vec<Access>,
    /// The regions of the table and of each copy, as long as something reads them.
    orders: Vec<RegionOrder>,
    /// What one read asks for; kept for its memory.
    pub requests: Requests,
    /// Regions of the Gets of one read.
    get_regions: Vec<u32>,
    /// Regions that one read asks, from and to.
    asked: Vec<(u32, u32)>,
    /// Where the Gets of one part go; kept for its memory.
    pub addresses: Vec<Address>,
    /// Parts that have been made of another one and are to be sent with it.
    pub siblings: Vec<u32>,
    /// The part of a read's Gets on each server; [`NONE`] but while a read is divided.
    part_of_server: Vec<u32>,
    rows_draws: DrawKey,
}

impl Reads {
    pub fn new(config: &SimConfig, table: &Placing<'_>, copies: &[Placing<'_>]) -> Self {
        let table_of = |number: usize| number.checked_sub(1).map_or(table, |copy| &copies[copy]);
        let accesses = config.reads.iter().map(|read| {
            let table = table_of(read.table);
            let sample = &read.row_sample;
            let key = match sample.len() {
                0 => u64::from(table.longest_key()),
                keys => sample.iter().map(|key| key.len() as u64).sum::<u64>() / keys as u64,
            };
            Access {
                table: read.table,
                spread: RowSpread::new(sample, table),
                batch_rows: scanner_rows(&config.table, key),
            }
        });
        Self {
            accesses: accesses.collect(),
            orders: std::iter::once(table).chain(copies).map(order_of).collect(),
            source: (!config.reads.is_empty()).then(|| {
                let generator = config.generator.clone();
                ReadSource::new(&config.workload, generator, config.seed, config.replicate)
            }),
            batch: ReadBatch::default(),
            next: 0,
            in_flight: 0,
            requests: Requests::default(),
            get_regions: Vec::new(),
            asked: Vec::new(),
            addresses: Vec::new(),
            siblings: Vec::new(),
            part_of_server: vec![NONE; config.servers_in_all() as usize],
            rows_draws: DrawKey::new(config.seed, config.replicate, Stream::ScannedRows, 0),
        }
    }

    /// What is known of a read.
    pub fn access(&self, read: ReadId) -> &Access {
        &self.accesses[usize::from(read.0)]
    }

    /// The regions of a table that is read: 0, or copy c - 1.
    pub fn order(&self, table: usize) -> &RegionOrder {
        &self.orders[table]
    }

    /// The spreads of a table, and its order, when it is read.
    fn changing(&mut self, table: u32) -> Option<(&mut RegionOrder, Vec<&mut RowSpread>)> {
        let accesses = self.accesses.iter_mut();
        let of_table = accesses.filter(|access| access.table == table as usize);
        let spreads: Vec<_> = of_table.map(|access| &mut access.spread).collect();
        (!spreads.is_empty()).then(|| (&mut self.orders[table as usize], spreads))
    }

    /// A region of a table has been divided at `row`.
    pub fn region_divides(
        &mut self,
        table: u32,
        parent: u32,
        (lower, upper): (u32, u32),
        row: &RowKey,
    ) {
        if let Some((order, spreads)) = self.changing(table) {
            let place = order.divide(parent, lower, upper);
            spreads
                .into_iter()
                .for_each(|spread| spread.divide(place, row));
        }
    }

    /// Two neighbours of a table have become one region.
    pub fn regions_unite(&mut self, table: u32, (lower, upper): (u32, u32), merged: u32) {
        if let Some((order, spreads)) = self.changing(table) {
            let place = order.unite(lower, upper, merged);
            spreads.into_iter().for_each(|spread| spread.unite(place));
        }
    }

    /// Rows that a scanner's call of that operation returns at most.
    pub fn batch_rows(&self, purpose: Purpose) -> u64 {
        match purpose {
            Purpose::Read { read, .. } => self.access(read).batch_rows,
            Purpose::Write { .. } | Purpose::Neighbour { .. } => 1,
        }
    }
}

impl Simulation<'_> {
    /// The next open-loop read, if there is one before the end, will start at its intended time.
    pub(super) fn await_next_read(&mut self) {
        let reads = &mut self.reads;
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
            self.schedule(intended, Event::ReadIntended);
        }
    }

    /// The intended time of an open-loop read has come.
    pub(super) fn read_is_intended(&mut self) {
        let at = self.reads.next;
        self.reads.next += 1;
        let read = self.reads.batch.reads[at];
        let batch = std::mem::take(&mut self.reads.batch);
        if self.reads.in_flight >= self.config.client.max_in_flight {
            self.recorder.read_offered(self.now, read);
            self.recorder.read_failed(read, self.now, self.now);
            self.last_outcome = self.now;
        } else {
            self.reads.in_flight += 1;
            self.start_read_of(&batch, at, NONE);
        }
        self.reads.batch = batch;
        self.await_next_read();
    }

    /// The `at`-th read of a batch starts now.
    pub(super) fn start_read_of(&mut self, batch: &ReadBatch, at: usize, reader: u32) {
        let config = self.config;
        let target = batch.target(at, config.generator.width());
        let read = batch.reads[at];
        let mut requests = std::mem::take(&mut self.reads.requests);
        config.reads[usize::from(read.0)].plan.requests(
            &target,
            config.population.as_ref(),
            &mut requests,
        );
        self.start_read(read, target.operation, reader, &requests);
        self.reads.requests = requests;
    }

    /// A read starts now and asks for `requests`; without any it is over at once.
    pub(super) fn start_read(
        &mut self,
        read: ReadId,
        operation: OperationId,
        reader: u32,
        requests: &Requests,
    ) {
        self.recorder.read_offered(self.now, read);
        let work = ReadWork {
            rows_read: requests.gets_found,
            calls: 0,
        };
        let fan_out = self.fans.insert(FanOut {
            operation,
            intended: self.now,
            client: reader,
            active: 0,
            waiting: NONE,
            parts: 0,
            failed: false,
            purpose: Purpose::Read { read, work },
        });
        let mut parts = Parts {
            fan_out,
            process: self.process_of(operation, reader),
            last: NONE,
            calls: 0.0,
        };
        self.reads.asked.clear();
        self.divide_gets(&mut parts, read, requests);
        self.divide_scans(&mut parts, read, operation, requests);
        let plan = PlannedWork {
            calls: parts.calls,
            regions: distinct_regions(&mut self.reads.asked),
            rows_read: requests.rows_read(),
            rows_returned: requests.rows_returned,
        };
        self.recorder.read_sent(read, self.now, plan);
        if parts.last == NONE {
            self.fan_out_ends(fan_out);
        } else {
            self.start_parts(fan_out);
        }
    }

    /// One part for each server that holds rows which Gets ask for, in the order in which they are first asked for.
    fn divide_gets(&mut self, parts: &mut Parts, read: ReadId, requests: &Requests) {
        let gets = &requests.gets;
        if gets.is_empty() {
            return;
        }
        let found = (requests.gets_found / gets.len() as f64).clamp(0.0, 1.0);
        let mut regions = std::mem::take(&mut self.reads.get_regions);
        regions.clear();
        let table = self.reads.access(read).table;
        self.table(table).locate_batch(gets, &mut regions);
        for (&region, key) in regions.iter().zip(gets.iter()) {
            let server = self.server_for(region, parts.process);
            let mut part = self.reads.part_of_server[server as usize];
            if part == NONE {
                let task = Task::Gets {
                    count: 0,
                    found,
                    first: NONE,
                };
                part = self.append_part(parts, server, task);
                parts.calls += 1.0;
                self.reads.part_of_server[server as usize] = part;
            }
            self.fans.push_get(part, region, self.keys.insert(key));
            let place = self.reads.order(table).place(region);
            self.reads.asked.push((place, place));
        }
        for &region in &regions {
            let server = self.server_for(region, parts.process);
            self.reads.part_of_server[server as usize] = NONE;
        }
        self.reads.get_regions = regions;
    }

    /// One part for each scan.
    fn divide_scans(
        &mut self,
        parts: &mut Parts,
        read: ReadId,
        operation: OperationId,
        requests: &Requests,
    ) {
        let mut draws = self.reads.rows_draws.at(operation.0);
        for (at, scan) in requests.scans.iter().enumerate() {
            let access = self.reads.access(read);
            let (table, order) = (self.table(access.table), self.reads.order(access.table));
            let (start, stop) = (requests.starts.get(at), requests.stops.get(at));
            let range = access.spread.range(start, stop, table, order);
            let keys = ScanKeys {
                start: self.keys.insert(start),
                stop: self.keys.insert(stop),
            };
            let cursor = ScanCursor::new(&access.spread, order, range, scan, draws.unit(), keys);
            let places = cursor.visited_places(&access.spread);
            let regions = f64::from(places.1 - places.0 + 1);
            parts.calls += scan_calls(regions, scan.rows_read, access.batch_rows);
            let server = self.server_for(cursor.region(), parts.process);
            self.reads.asked.push(places);
            self.append_part(parts, server, Task::Scan(cursor));
        }
    }

    /// Adds a part behind those of the same operation, which all wait.
    fn append_part(&mut self, parts: &mut Parts, server: u32, task: Task) -> u32 {
        let number = self.fans.next_number(parts.fan_out);
        let part = Part::new(parts.fan_out, number, server, task);
        let id = self.fans.insert_part(part);
        match parts.last {
            NONE => self.fans.operations[parts.fan_out as usize].waiting = id,
            last => self.fans.parts[last as usize].next = id,
        }
        parts.last = id;
        id
    }

    /// A read has an outcome: who waits for it goes on.
    pub(super) fn read_ends(&mut self, reader: u32) {
        if reader == NONE {
            self.reads.in_flight -= 1;
        } else {
            self.reader_thinks(reader);
        }
    }
}

/// The parts of an operation that is being divided.
#[derive(Debug)]
struct Parts {
    fan_out: u32,
    /// The client process that sends them.
    process: u32,
    last: u32,
    /// Calls that they will take, expected number.
    calls: f64,
}

fn order_of(table: &Placing<'_>) -> RegionOrder {
    RegionOrder::new(table.first_region(), table.map.regions())
}

/// How many regions lie in any of the ranges, given by their first and last ones. Sorts them; no allocation.
fn distinct_regions(ranges: &mut [(u32, u32)]) -> u32 {
    ranges.sort_unstable();
    let mut beyond = 0;
    ranges.iter().fold(0, |count, &(first, last)| {
        let first = first.max(beyond);
        beyond = beyond.max(last + 1);
        count + beyond.saturating_sub(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_that_several_ranges_cross_count_once() {
        let count = |ranges: &[(u32, u32)]| distinct_regions(&mut ranges.to_vec());
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[(7, 7), (3, 3), (7, 7)]), 2);
        assert_eq!(count(&[(4, 9), (0, 2), (5, 6), (9, 11)]), 3 + 8);
        assert_eq!(count(&[(0, 0), (0, 3)]), 4);
    }
}
