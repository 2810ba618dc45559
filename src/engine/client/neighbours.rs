//! Other tables on the same servers: their regions, and when their clients put or get single rows.
//!
//! A neighbour's clients are an open loop: Poisson arrivals at its rates, whatever happens to them. Its times and regions are the same under
//! every strategy.

use crate::cluster::{Placement, get_hold, put_hold};
use crate::engine::config::SimConfig;
use crate::engine::table::tables::Tables;
use crate::random::{Stream, exponential, lane_of};
use crate::time::SimDuration;
use crate::workload::{LoadModel, OperationId, WriteId};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

/// The operations of one kind, puts or Gets, of a neighbour.
#[derive(Debug)]
pub struct Source {
    /// Its number among the neighbours.
    pub neighbour: u32,
    /// Number of its first region, counted over all tables.
    first_region: u32,
    regions: u32,
    /// Its hottest region, from 0, and the share of the load that it takes besides its part of the rest.
    hottest: Option<(u32, f64)>,
    /// They are Gets.
    pub gets: bool,
    /// How long each is expected to hold a handler.
    pub work: SimDuration,
    /// Times and regions.
    draws: Xoshiro256PlusPlus,
    /// A second.
    rate: f64,
    /// Number of the next operation.
    next: u64,
    in_flight: u64,
}

impl Source {
    /// The time until the next operation; `None` when there is none.
    pub fn next_gap(&mut self) -> Option<SimDuration> {
        (self.rate > 0.0).then(|| {
            let gap = exponential(&mut self.draws) / self.rate * 1e9;
            SimDuration::from_nanos((gap as u64).max(1))
        })
    }
}

/// The neighbours of the table.
#[derive(Debug)]
pub struct Neighbours {
    /// Of each neighbour its puts, then its Gets.
    pub sources: Vec<Source>,
    /// Rows of the workload's imports, when nothing else is written or read: the run is over with the last of them.
    imported: Option<u64>,
}

impl Neighbours {
    /// Adds their regions, in key order, behind those of the table and its copies: dealt to the servers, each table by itself.
    pub fn new(config: &SimConfig, tables: &mut Tables<'_>) -> Self {
        let (generator, regions) = (&config.generator, &mut tables.regions);
        let mut sources = Vec::new();
        let first_table = config.copies.len() as u32 + 1;
        for (number, neighbour) in (0..).zip(config.changes.neighbours.iter()) {
            let lane = lane_of(&neighbour.name);
            let mut placement = generator.sequence(Stream::Placement, lane);
            let count = neighbour.regions.max(1);
            let first_region = regions.len();
            let hottest = neighbour.hottest;
            let hottest = hottest.map(|share| (placement.random_range(0..count), share));
            let servers = config.cluster.servers;
            for server in Placement::Dealt.opening_servers(count, &[], servers, &mut placement) {
                regions.add_open(first_table + number, server);
            }
            let kinds = [neighbour.write_rate, neighbour.read_rate];
            sources.extend((0..).zip(kinds).map(|(kind, rate)| Source {
                neighbour: number,
                first_region,
                regions: count,
                hottest,
                gets: kind > 0,
                work: match kind {
                    0 => put_hold(&config.cluster),
                    _ => get_hold(&config.cluster),
                },
                draws: generator.sequence(Stream::Neighbours, lane ^ kind),
                rate,
                next: 0,
                in_flight: 0,
            }));
        }
        Self {
            sources,
            imported: imported_rows(config),
        }
    }

    /// Whether the imports that the run is about are over, `written` rows of them.
    pub fn are_done(&self, written: u64) -> bool {
        self.imported.is_some_and(|rows| written >= rows)
    }

    /// The next operation of a source; false when as many as are allowed are in flight.
    pub fn begin(&mut self, source: u32, most: u64) -> (OperationId, bool) {
        let number = u8::MAX - source as u8;
        let source = &mut self.sources[source as usize];
        // Numbered from the last write downwards: neither writes, reads nor further neighbours move their draws.
        let operation = OperationId::new(WriteId(number), source.next);
        source.next += 1;
        let begins = source.in_flight < most;
        source.in_flight += u64::from(begins);
        (operation, begins)
    }

    /// An operation of a source has an outcome.
    pub fn operation_ends(&mut self, source: u32) {
        self.sources[source as usize].in_flight -= 1;
    }

    /// The region of the next operation of a source.
    pub fn next_region(&mut self, source: u32) -> u32 {
        let source = &mut self.sources[source as usize];
        let others = u64::from(source.regions - u32::from(source.hottest.is_some()));
        let draws = &mut source.draws;
        let region = match source.hottest {
            Some((hottest, share)) if others == 0 || draws.random::<f64>() < share => hottest,
            Some((hottest, _)) => {
                let other = draws.random_range(0..others) as u32;
                other + u32::from(other >= hottest)
            }
            None => draws.random_range(0..others) as u32,
        };
        source.first_region + region
    }
}

/// The rows that the workload writes, when it writes finite imports alone and reads nothing.
fn imported_rows(config: &SimConfig) -> Option<u64> {
    let workload = &config.workload;
    if workload.writes.is_empty() || workload.reads.iter().any(|read| read.load.is_some()) {
        return None;
    }
    let schema = config.generator.schema();
    let writes = workload.writes.iter();
    let rows = writes.map(|write| match &write.load {
        LoadModel::Open { import, .. } | LoadModel::Closed { import, .. } => {
            import.as_ref().map(|import| import.rows.len(schema))
        }
        LoadModel::Periodic(_) => None,
    });
    rows.sum()
}
