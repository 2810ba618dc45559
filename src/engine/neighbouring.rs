//! Other tables on the same servers: their puts and Gets of single rows. Must not know the table's keys, nor what becomes of calls.
//!
//! A neighbour's clients are an open loop: Poisson arrivals at its rates, whatever happens to them. Its times and regions are the same under
//! every strategy. Each operation is a fan-out of one part, so that it competes, is refused and is sent again like all others.

use super::SimConfig;
use super::calls::NONE;
use super::events::Event;
use super::fan_out::{FanOut, Part, Purpose, Task};
use super::regions::Regions;
use super::simulation::Simulation;
use crate::cluster::Placement;
use crate::random::{Stream, exponential, lane_of, stream};
use crate::storage::RowSize;
use crate::time::SimDuration;
use crate::workload::{Drive, OperationId, WriteId};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

/// Bytes of a neighbour's row key (estimate).
const KEY_BYTES: u64 = 16;
/// Bytes of the value of its only cell (estimate; the default of `table.value`).
const VALUE_BYTES: u64 = 100;

/// The regions of one neighbour.
#[derive(Debug, Clone, Copy)]
struct Table {
    /// Number of its first region, counted over all tables.
    first_region: u32,
    regions: u32,
    /// Its hottest region, from 0, and the share of the load that it takes besides its part of the rest.
    hottest: Option<(u32, f64)>,
}

/// The operations of one kind, puts or Gets, of a neighbour.
#[derive(Debug)]
struct Source {
    /// Times and regions.
    draws: Xoshiro256PlusPlus,
    /// A second.
    rate: f64,
    /// Number of the next operation.
    next: u64,
    in_flight: u64,
}

/// The neighbours of the table.
#[derive(Debug)]
pub(super) struct Neighbours {
    tables: Vec<Table>,
    /// Of each neighbour its puts, then its Gets.
    sources: Vec<Source>,
    row_bytes: u32,
    row_heap: u32,
    /// Rows of the workload's imports, when nothing else is written or read: the run is over with the last of them.
    imported: Option<u64>,
}

impl Neighbours {
    /// Adds their regions, in key order, behind those of the table and its copies: dealt to the servers, each table by itself.
    pub fn new(config: &SimConfig, regions: &mut Regions) -> Self {
        let (seed, replicate) = (config.seed, config.replicate);
        let row = RowSize::new(1, ["v"], VALUE_BYTES);
        let mut tables = Vec::new();
        let mut sources = Vec::new();
        let first_table = config.copies.len() as u32 + 1;
        for (table, neighbour) in (first_table..).zip(config.changes.neighbours.iter()) {
            let lane = lane_of(&neighbour.name);
            let mut placement = stream(seed, replicate, Stream::Placement, lane);
            let count = neighbour.regions.max(1);
            tables.push(Table {
                first_region: regions.len(),
                regions: count,
                hottest: neighbour
                    .hottest
                    .map(|share| (placement.random_range(0..count), share)),
            });
            let servers = config.cluster.servers;
            for server in Placement::Dealt.opening_servers(count, &[], servers, &mut placement) {
                regions.add_open(table, server);
            }
            let kinds = [neighbour.write_rate, neighbour.read_rate];
            sources.extend((0..).zip(kinds).map(|(kind, rate)| Source {
                draws: stream(seed, replicate, Stream::Neighbours, lane ^ kind),
                rate,
                next: 0,
                in_flight: 0,
            }));
        }
        Self {
            tables,
            sources,
            row_bytes: row.cells(KEY_BYTES) as u32,
            row_heap: row.memstore(KEY_BYTES) as u32,
            imported: imported_rows(config),
        }
    }

    /// Heap of a row in a memstore.
    pub fn row_heap(&self) -> u32 {
        self.row_heap
    }

    /// An operation of a source has an outcome.
    pub fn operation_ends(&mut self, which: u32) {
        self.sources[which as usize].in_flight -= 1;
    }

    /// The region of the next operation.
    fn next_region(&mut self, which: u32) -> u32 {
        let table = self.tables[which as usize / 2];
        let draws = &mut self.sources[which as usize].draws;
        let others = u64::from(table.regions - u32::from(table.hottest.is_some()));
        let region = match table.hottest {
            Some((hottest, share)) if others == 0 || draws.random::<f64>() < share => hottest,
            Some((hottest, _)) => {
                let other = draws.random_range(0..others) as u32;
                other + u32::from(other >= hottest)
            }
            None => draws.random_range(0..others) as u32,
        };
        table.first_region + region
    }
}

/// The rows that the workload writes, when it writes finite imports alone and reads nothing.
fn imported_rows(config: &SimConfig) -> Option<u64> {
    let workload = &config.workload;
    if workload.writes.is_empty() || workload.reads.iter().any(|read| read.drive.is_some()) {
        return None;
    }
    let schema = config.generator.schema();
    let writes = workload.writes.iter();
    let rows = writes.map(|write| match &write.drive {
        Drive::Open { import, .. } | Drive::Closed { import, .. } => {
            import.as_ref().map(|import| import.rows.len(schema))
        }
        Drive::Beat(_) => None,
    });
    rows.sum()
}

impl Simulation<'_> {
    /// The first operation of each neighbour is awaited.
    pub(super) fn start_neighbours(&mut self) {
        for which in 0..self.neighbours.sources.len() as u32 {
            self.await_neighbour(which);
        }
    }

    /// The next operation of a source will start at its intended time.
    fn await_neighbour(&mut self, which: u32) {
        let source = &mut self.neighbours.sources[which as usize];
        if source.rate <= 0.0 {
            return;
        }
        let gap = exponential(&mut source.draws) / source.rate * 1e9;
        let at = self.now + SimDuration::from_nanos((gap as u64).max(1));
        self.schedule(at, Event::NeighbourIntended(which));
    }

    /// The intended time of a neighbour's next operation: neighbour number x 2, plus 1 for a Get.
    pub(super) fn neighbour_is_intended(&mut self, which: u32) {
        let imported = self.neighbours.imported;
        if imported.is_some_and(|rows| self.recorder.writes_ended() >= rows) {
            return;
        }
        let neighbour = which / 2;
        let region = self.neighbours.next_region(which);
        self.recorder.neighbour_offered(self.now, neighbour);
        let source = &mut self.neighbours.sources[which as usize];
        // Numbered from the last write downwards: neither writes, reads nor further neighbours move their draws.
        let operation = OperationId::new(WriteId(u8::MAX - which as u8), source.next);
        source.next += 1;
        if source.in_flight >= self.config.client.max_in_flight {
            self.recorder
                .neighbour_failed(neighbour, self.now, self.now);
        } else {
            source.in_flight += 1;
            self.send_neighbour(which, operation, region);
        }
        self.await_neighbour(which);
    }

    fn send_neighbour(&mut self, which: u32, operation: OperationId, region: u32) {
        let fan_out = self.fans.insert(FanOut {
            operation,
            intended: self.now,
            client: NONE,
            active: 1,
            waiting: NONE,
            parts: 1,
            failed: false,
            purpose: Purpose::Neighbour { which },
        });
        let task = if which.is_multiple_of(2) {
            Task::Put {
                row: 0,
                region,
                key: NONE,
                bytes: self.neighbours.row_bytes,
                key_length: KEY_BYTES as u16,
                exclusive: false,
            }
        } else {
            Task::Gets {
                count: 0,
                found: 1.0,
                first: NONE,
            }
        };
        let server = self.server_for(region, self.process_of(operation, NONE));
        let part = self.fans.insert_part(Part::new(fan_out, 0, server, task));
        self.fans.push_get(part, region, NONE);
        self.send_part(part);
    }
}
