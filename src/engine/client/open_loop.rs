//! Writes of open loops: known beforehand, so they are generated, keyed and routed in batches.

use crate::engine::config::SimConfig;
use crate::engine::numbers::NONE;
use crate::engine::rpc::Rpc;
use crate::engine::server::servers::Servers;
use crate::engine::table::rows::Keys;
use crate::engine::table::tables::Tables;
use crate::keyspace::KeyBatch;
use crate::time::SimTime;
use crate::workload::{OpenArrivals, OperationBatch};
use std::collections::VecDeque;

/// Operations whose servers and regions are brought into the caches all at a time.
const AHEAD: usize = 16;

/// Of so many servers and so many regions all fits the caches without (a few KB a server, some dozen bytes a region).
const FEW_SERVERS: u32 = 32;
const FEW_REGIONS: usize = 1 << 12;

/// Rows of the next operations in the table itself or in a copy.
#[derive(Debug, Default)]
struct Upcoming {
    /// Not sent yet: without server, and without a key that is kept.
    rpcs: Vec<Rpc>,
    keys: KeyBatch,
}

/// The next open-loop operations.
#[derive(Debug)]
pub struct OpenLoop {
    arrivals: OpenArrivals,
    batch: OperationBatch,
    own: Upcoming,
    copies: Vec<Upcoming>,
    /// Of the key map; empty without series.
    key_buckets: Vec<u32>,
    next: usize,
    /// Where the operation that was taken last goes besides the table itself.
    pub copied: Vec<Rpc>,
    /// Servers and regions are too many to stay in the caches.
    pub reads_ahead: bool,
    /// Operations that were sent and whose ends were not passed yet.
    in_flight: u64,
    /// When some of them end, and how many then: by replies and refusals that are on the network. Nobody waits for them, so that they need no
    /// event: they are passed when too many operations seem to be in flight, and after each batch, all at a time.
    ends: VecDeque<(SimTime, u32)>,
}

impl OpenLoop {
    pub fn new(config: &SimConfig) -> Self {
        let arrivals = OpenArrivals::new(&config.workload, config.generator.clone());
        let copies = config.copies.iter();
        Self {
            arrivals: arrivals.asking_for(config.keys().flat_map(|(key, _)| key.fields())),
            batch: OperationBatch::default(),
            own: Upcoming::default(),
            copies: copies.map(|_| Upcoming::default()).collect(),
            key_buckets: Vec::new(),
            next: 0,
            copied: Vec::new(),
            reads_ahead: config.servers_in_all() > FEW_SERVERS
                || config.split_points.len() > FEW_REGIONS,
            in_flight: 0,
            ends: VecDeque::new(),
        }
    }

    /// Intended time of the next operation; [`SimTime::MAX`] when there is none.
    pub fn next_time(&self) -> SimTime {
        let next = self.own.rpcs.get(self.next);
        next.map_or(SimTime::MAX, |rpc| rpc.intended)
    }

    /// The next operation is the first of its batch.
    pub fn is_at_start(&self) -> bool {
        self.next == 0
    }

    /// The next operations and those that come behind them, when it is time to bring what they need into the caches.
    pub fn to_read_ahead(&self) -> Option<[&[Rpc]; 2]> {
        if !self.reads_ahead || !self.next.is_multiple_of(AHEAD) {
            return None;
        }
        let rest = &self.own.rpcs[self.next..];
        let (next, behind) = rest.split_at_checked(AHEAD)?;
        // Of the first ones of a batch no regions have been asked for.
        let behind = match self.is_at_start() {
            true => &rest[..rest.len().min(2 * AHEAD)],
            false => &behind[..behind.len().min(AHEAD)],
        };
        Some([next, behind])
    }

    /// The row in the table itself that an operation of the batch was routed to.
    pub fn routed(&self, at: usize) -> &Rpc {
        &self.own.rpcs[at]
    }

    /// Which of the batch the next operation is, its key in `keys` and its bucket of the key map; its rows in copies are [`OpenLoop::copied`].
    #[inline(always)]
    pub fn take_next(&mut self, keys: &mut Keys) -> (usize, u32, u32) {
        let at = self.next;
        self.next += 1;
        let key = match keys.kept() {
            true => keys.insert(self.own.keys.get(at)),
            false => NONE,
        };
        self.copied.clear();
        for copy in &self.copies {
            let key = keys.insert(copy.keys.get(at));
            self.copied.push(Rpc {
                key,
                ..copy.rpcs[at]
            });
        }
        let key_bucket = self.key_buckets.get(at).copied().unwrap_or(0);
        (at, key, key_bucket)
    }

    /// The next operation was the last of its batch: the next one is generated, keyed and routed.
    #[inline(always)]
    pub fn is_used_up(&self) -> bool {
        self.next == self.own.rpcs.len()
    }

    /// Generates, keys and routes the next `count` operations; `increments` tells of each write whether it does.
    pub fn refill(
        &mut self,
        count: usize,
        tables: &mut Tables<'_>,
        servers: &Servers,
        increments: &[bool],
    ) {
        let last = self.own.rpcs.last();
        if let Some(intended) = last.map(|rpc| rpc.intended) {
            self.pass_ends(intended);
        }
        self.next = 0;
        self.batch.clear();
        self.arrivals.fill(&mut self.batch, count);
        let (batch, alone) = (&self.batch, self.copies.is_empty());
        let upcoming = std::iter::once(&mut self.own).chain(&mut self.copies);
        for (table, upcoming) in tables.routers.iter_mut().zip(upcoming) {
            let rpcs = &mut upcoming.rpcs;
            rpcs.clear();
            table.route(batch, |at, operation, row, _| {
                let rpc = Rpc::new(operation, batch.intended[at], NONE);
                let exclusive = increments[usize::from(operation.write().0)];
                rpcs.push(servers.placed(rpc, &row, exclusive, alone));
            });
            // By themselves, so that those of many regions wait for memory together.
            for rpc in rpcs {
                rpc.server = tables.regions.get(rpc.region).server;
            }
            table.swap_keys(&mut upcoming.keys, &mut self.key_buckets);
        }
    }

    /// The next operations find their regions in a table again where those are `gone`.
    pub fn route_again(&mut self, table: usize, tables: &Tables<'_>, gone: &[u32]) {
        let upcoming = match table {
            0 => &mut self.own,
            copy => &mut self.copies[copy - 1],
        };
        for (at, rpc) in upcoming.rpcs.iter_mut().enumerate().skip(self.next) {
            if gone.contains(&rpc.region) {
                rpc.region = tables.routers[table].map.locate(upcoming.keys.get(at));
            }
        }
    }

    /// Passes what has ended before `now`.
    fn pass_ends(&mut self, now: SimTime) {
        while let Some(&(end, operations)) = self.ends.front()
            && end < now
        {
            self.ends.pop_front();
            self.in_flight -= u64::from(operations);
        }
    }

    /// One more operation is in flight; false when as many as are allowed were.
    pub fn begin(&mut self, now: SimTime, most: u64) -> bool {
        if self.in_flight >= most {
            self.pass_ends(now);
        }
        let begins = self.in_flight < most;
        self.in_flight += u64::from(begins);
        begins
    }

    /// So many operations end at `end`, not before those of which this was told before.
    pub fn end_at(&mut self, end: SimTime, operations: u32) {
        self.ends.push_back((end, operations));
    }
}
