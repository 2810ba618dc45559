//! What the recorder keeps of reads: as of writes, and the work that each asked for. Must not know keys or plans.

use super::demand::Demand;
use super::intervals::{Cursor, Intervals};
use super::table::Table;
use super::tally::Tally;
use super::{MetricId, READ_COSTS, RecorderConfig};

/// What was done for one read, as far as it came.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadWork {
    /// Calls sent, attempts again apart.
    pub calls: u32,
    /// Rows that servers read.
    pub rows_read: f64,
}

/// What one read asks for by its plan, whatever becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlannedWork {
    /// Calls, attempts again apart.
    pub calls: f64,
    /// Regions, each once.
    pub regions: u32,
    /// Rows that servers have to read.
    pub rows_read: f64,
    /// Rows that the reader is to get.
    pub rows_returned: f64,
}

/// What the operations of one read cost.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadCosts {
    /// Sums of calls and rows read over the completed reads of the cohort.
    work: [f64; 2],
    /// Reads of the cohort that were sent.
    sent: u64,
    /// Sums over those: calls, regions, rows read and rows returned.
    planned: [f64; 4],
}

/// Counters of all reads.
#[derive(Debug)]
pub(super) struct ReadSide {
    pub(super) tallies: Vec<Tally>,
    pub(super) costs: Vec<ReadCosts>,
    pub(super) demand: Demand,
    /// Handler time that reads are expected to take, in nanoseconds, by interval and server.
    pub(super) work: Table<u64>,
    /// By interval and read.
    pub(super) offered: Table<u32>,
    /// Completed or given up, by interval.
    pub(super) ended: Table<u32>,
    offered_at: Cursor,
    asked_at: Cursor,
    ended_at: Cursor,
}

impl ReadSide {
    pub(super) fn new(config: &RecorderConfig, intervals: &Intervals) -> Self {
        let reads = config.reads;
        // Without reads nothing is kept by region: a million of them would take their 64 MB.
        let (regions, own) = if reads == 0 {
            (0, &[][..])
        } else {
            (config.region_server.len(), &config.own_regions[..])
        };
        Self {
            tallies: vec![Tally::new(config.duration.as_nanos()); reads],
            costs: vec![ReadCosts::default(); reads],
            demand: Demand::new(
                config.servers,
                regions,
                own,
                intervals,
                config.lag,
                config.key_buckets > 0,
            ),
            work: Table::new(if reads == 0 {
                0
            } else {
                config.servers as usize
            }),
            offered: Table::new(reads),
            ended: Table::new(1),
            offered_at: Cursor::default(),
            asked_at: Cursor::default(),
            ended_at: Cursor::default(),
        }
    }

    #[inline]
    pub(super) fn offered(&mut self, intervals: &Intervals, at: u64, read: usize) {
        let interval = self.offered_at.here(at).unwrap_or_else(|| {
            let interval = self.offered_at.go(intervals, at);
            self.offered.reach(interval);
            interval
        });
        self.offered.add(interval, read, 1);
    }

    #[inline]
    pub(super) fn demand(
        &mut self,
        intervals: &Intervals,
        at: u64,
        (region, server): (u32, u32),
        work: u64,
    ) {
        let interval = self.asked_at.here(at).unwrap_or_else(|| {
            let interval = self.asked_at.go(intervals, at);
            self.demand.turn_to(interval);
            self.work.reach(interval);
            interval
        });
        self.demand.add(interval, region, server);
        self.work.add(interval, server as usize, work);
    }

    /// A read ended at `at`, well or not.
    #[inline]
    pub(super) fn ended(&mut self, intervals: &Intervals, at: u64) {
        let interval = self.ended_at.here(at).unwrap_or_else(|| {
            let interval = self.ended_at.go(intervals, at);
            self.ended.reach(interval);
            interval
        });
        self.ended.add(interval, 0, 1);
    }
}

impl ReadCosts {
    /// Adds the work of a completed read of the cohort.
    #[inline]
    pub(super) fn worked(&mut self, work: ReadWork) {
        self.work[0] += f64::from(work.calls);
        self.work[1] += work.rows_read;
    }

    /// Adds the plan of a read of the cohort that is sent.
    #[inline]
    pub(super) fn planned(&mut self, plan: PlannedWork) {
        let PlannedWork {
            calls,
            regions,
            rows_read,
            rows_returned,
        } = plan;
        let parts = [calls, f64::from(regions), rows_read, rows_returned];
        self.sent += 1;
        self.planned
            .iter_mut()
            .zip(parts)
            .for_each(|(sum, part)| *sum += part);
    }

    /// Means of the work over the `completed` reads of the cohort, and of the plans over all that were sent.
    pub(super) fn means(
        &self,
        completed: u64,
    ) -> impl Iterator<Item = (MetricId, Option<f64>)> + use<> {
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        let [calls, rows_read] = self.work.map(|sum| mean(sum, completed));
        let planned = self.planned.map(|sum| mean(sum, self.sent));
        let [calls_planned, regions, rows_planned, rows_returned] = planned;
        let costs = [
            calls_planned,
            regions,
            rows_planned,
            rows_returned,
            calls,
            rows_read,
        ];
        READ_COSTS.into_iter().zip(costs)
    }
}
