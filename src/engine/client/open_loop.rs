//! Writes of open loops: known beforehand, so they are generated, keyed and routed in batches.

use crate::engine::config::SimConfig;
use crate::engine::server::servers::Servers;
use crate::engine::table::routing::RoutedRow;
use crate::engine::table::tables::Tables;
use crate::keyspace::KeyBatch;
use crate::time::SimTime;
use crate::workload::{OpenArrivals, OperationBatch, OperationId};
use std::collections::VecDeque;

/// Operations whose servers and regions are brought into the caches all at a time.
const AHEAD: usize = 16;

/// Of so many servers and so many regions all fits the caches without (a few KB a server, some dozen bytes a region).
const FEW_SERVERS: u32 = 32;
const FEW_REGIONS: usize = 1 << 12;

/// What is known of an operation before it is sent.
#[derive(Debug, Clone, Copy)]
pub struct Upcoming {
    pub operation: OperationId,
    pub intended: SimTime,
    /// As [`crate::engine::rpc::Rpc::detail`].
    pub detail: u64,
    pub region: u32,
    pub key_bucket: u32,
    pub key_length: u16,
    /// As [`crate::engine::rpc::Rpc::exclusive`].
    pub exclusive: bool,
}

/// Rows of the next operations in one copy of the table.
#[derive(Debug, Default)]
struct UpcomingCopies {
    rows: Vec<RoutedRow>,
    keys: KeyBatch,
}

/// The next open-loop operations.
#[derive(Debug)]
pub struct OpenLoop {
    arrivals: OpenArrivals,
    batch: OperationBatch,
    upcoming: Vec<Upcoming>,
    keys: KeyBatch,
    copies: Vec<UpcomingCopies>,
    next: usize,
    /// Servers and regions are too many to stay in the caches.
    reads_ahead: bool,
    /// Operations that were sent and whose ends were not passed yet.
    in_flight: u64,
    /// When some of them end, and how many then: by replies and refusals that are on the network. Nobody waits for them, so that they need no
    /// event: they are passed when too many operations seem to be in flight, and after each batch, all at a time.
    ends: VecDeque<(SimTime, u32)>,
}

impl OpenLoop {
    pub fn new(config: &SimConfig) -> Self {
        let copies = config.copies.iter().map(|copy| &copy.key);
        let keys = std::iter::once(&config.key).chain(copies);
        let generator = config.generator.clone();
        let arrivals = OpenArrivals::new(&config.workload, generator);
        Self {
            arrivals: arrivals.asking_for(keys.flat_map(|key| key.fields())),
            batch: OperationBatch::new(),
            upcoming: Vec::new(),
            keys: KeyBatch::default(),
            copies: config
                .copies
                .iter()
                .map(|_| UpcomingCopies::default())
                .collect(),
            next: 0,
            reads_ahead: config.servers_in_all() > FEW_SERVERS
                || config.split_points.len() > FEW_REGIONS,
            in_flight: 0,
            ends: VecDeque::new(),
        }
    }

    /// Intended time of the next operation; [`SimTime::MAX`] when there is none.
    #[inline]
    pub fn next_time(&self) -> SimTime {
        self.upcoming
            .get(self.next)
            .map_or(SimTime::MAX, |operation| operation.intended)
    }

    /// The next operation is the first of its batch.
    pub fn is_at_start(&self) -> bool {
        self.next == 0
    }

    /// The next operations, when it is time to bring what they need into the caches.
    #[inline]
    pub fn to_read_ahead(&self) -> Option<&[Upcoming]> {
        if !self.reads_ahead || !self.next.is_multiple_of(AHEAD) {
            return None;
        }
        let end = self.upcoming.len().min(self.next + AHEAD);
        Some(&self.upcoming[self.next..end])
    }

    /// The next operation.
    #[inline(always)]
    pub fn take_next(&mut self) -> Upcoming {
        self.next += 1;
        self.upcoming[self.next - 1]
    }

    /// The key of the operation that was taken last.
    #[inline(always)]
    pub fn last_key(&self) -> &[u8] {
        self.keys.get(self.next - 1)
    }

    /// The next operation was the last of its batch: the next one is generated, keyed and routed.
    #[inline(always)]
    pub fn is_used_up(&self) -> bool {
        self.next == self.upcoming.len()
    }

    /// The rows of the next operation in the copies, with their keys.
    pub fn next_copies(&self) -> impl Iterator<Item = (RoutedRow, &[u8])> {
        let copies = self.copies.iter();
        copies.map(|copy| (copy.rows[self.next], copy.keys.get(self.next)))
    }

    /// Generates, keys and routes the next `count` operations; `increments` tells of each write whether it does.
    pub fn refill(
        &mut self,
        count: usize,
        tables: &mut Tables<'_>,
        servers: &Servers,
        increments: &[bool],
    ) {
        self.next = 0;
        self.batch.clear();
        self.upcoming.clear();
        self.arrivals.fill(&mut self.batch, count);
        let (batch, upcoming) = (&self.batch, &mut self.upcoming);
        let (own, copies) = tables.routers.split_at_mut(1);
        own[0].route(batch, |at, operation, row, _| {
            let exclusive = increments[usize::from(operation.write().0)];
            upcoming.push(Upcoming {
                operation,
                intended: batch.intended[at],
                detail: match exclusive {
                    true => row.row,
                    false => servers.first_service(operation),
                },
                region: row.region,
                key_bucket: row.key_bucket,
                key_length: row.key_length,
                exclusive,
            });
        });
        own[0].swap_keys(&mut self.keys);
        for (table, copy) in copies.iter_mut().zip(&mut self.copies) {
            copy.rows.clear();
            let rows = &mut copy.rows;
            table.route(batch, |_, _, row, _| rows.push(row));
            table.swap_keys(&mut copy.keys);
        }
    }

    /// The regions in a table of the next operations, where `changed` chooses them, are found again.
    pub fn route_again(&mut self, table: u32, tables: &Tables<'_>, changed: impl Fn(u32) -> bool) {
        let router = &tables.routers[table as usize];
        let again = |region: &mut u32, keys: &KeyBatch, at| {
            if changed(*region) {
                *region = router.locate(keys.get(at));
            }
        };
        if let Some(copy) = table.checked_sub(1) {
            let UpcomingCopies { rows, keys } = &mut self.copies[copy as usize];
            let rows = rows.iter_mut().enumerate().skip(self.next);
            rows.for_each(|(at, row)| again(&mut row.region, keys, at));
        } else {
            let upcoming = self.upcoming.iter_mut().enumerate().skip(self.next);
            upcoming.for_each(|(at, one)| again(&mut one.region, &self.keys, at));
        }
    }

    /// Passes what has ended before `now`.
    pub fn pass_ends(&mut self, now: SimTime) {
        while let Some(&(end, operations)) = self.ends.front()
            && end < now
        {
            self.ends.pop_front();
            self.in_flight -= u64::from(operations);
        }
    }

    /// One more operation is in flight; false when as many as are allowed were.
    #[inline]
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
