//! From a finished run's counters to its metrics: one function a group, each metric by its JSON name.
//!
//! Must not know other runs; what needs several (intervals, merged percentiles) is `experiment`'s.

use super::recorder::{Recorder, WriteTally};
use super::region_demand::RegionSkew;
use super::series;
use super::{Counts, Response, RunResult, Scalars};
use crate::statistics::{effective_number, expected_peak, median, quantile};
use std::ops::Range;

/// Skew of an interval is measured from this many operations a server on: with fewer, chance alone makes a peak of 1.5.
pub const OPERATIONS_PER_SERVER: u64 = 10;
/// A server with a greater share of its handlers busy is saturated.
pub const BUSY: f64 = 0.95;
/// A hot interval is one with a saturated server while the cluster's mean utilisation stays below this.
pub const CLUSTER_BUSY: f64 = 0.85;
/// Open loop: saturated when the operations in flight grow by more than this share of the offered ones.
pub const GROWTH: f64 = 0.01;

/// The counters of a finished run, cut to its intervals.
struct Summary {
    run: Recorder,
    end: u64,
    /// All of the window's intervals.
    window: Range<usize>,
    /// The window's intervals of full length; a window shorter than one keeps its only one.
    full: Range<usize>,
}

pub(super) fn summarise(mut run: Recorder, end: u64) -> RunResult {
    let rows = run.intervals.count(end);
    run.offered.settle(rows);
    run.given_up.settle(rows);
    for table in [
        &mut run.server_demand,
        &mut run.server_completed,
        &mut run.server_calls,
        &mut run.server_refused,
    ] {
        table.settle(rows);
    }
    run.server_busy.settle(rows);
    let regions = std::mem::replace(
        &mut run.regions,
        super::region_demand::RegionDemand::new(0, &run.intervals),
    );
    let (region_skews, region_demand, reached) = regions.finish(rows);

    let window = run.intervals.window_start().min(rows)..rows;
    let whole = |index: usize| run.intervals.length(index, end) == run.config.sample.as_nanos();
    let full = match window.clone().next_back() {
        Some(last) if !whole(last) && window.len() > 1 => window.start..last,
        _ => window.clone(),
    };
    for (write, tally) in run.writes.iter_mut().enumerate() {
        let sum = |range: Range<usize>| {
            range
                .map(|row| u64::from(run.offered.row(row)[write]))
                .sum::<u64>()
        };
        tally.counts.offered = sum(0..rows);
        tally.cohort.offered = sum(window.clone());
    }

    let summary = Summary {
        run,
        end,
        window,
        full,
    };
    let mut metrics = Scalars::new();
    let even_peak = summary.server_skew(&mut metrics);
    summary.region_skew(&region_skews, &region_demand, &reached, &mut metrics);
    summary.damage(&mut metrics);
    summary.utilisation(&mut metrics);
    let all = total(&summary.run.writes);
    let seconds = summary.window_seconds();
    metrics.extend(rates(&all, seconds));
    let series = (summary.run.config.key_buckets > 0).then(|| {
        series::of(
            &summary.run,
            summary.end,
            summary.window.start,
            region_demand,
        )
    });
    let write_metrics = summary
        .run
        .writes
        .iter()
        .map(|tally| rates(tally, seconds))
        .collect();
    RunResult {
        reads: Vec::new(),
        counts: all.counts,
        write_counts: summary
            .run
            .writes
            .iter()
            .map(|tally| tally.counts)
            .collect(),
        metrics,
        write_metrics,
        response: all.response,
        even_peak,
        series,
        write_response: summary
            .run
            .writes
            .into_iter()
            .map(|tally| tally.response)
            .collect(),
    }
}

impl Summary {
    fn servers(&self) -> usize {
        self.run.config.servers as usize
    }

    /// Length of the window in seconds; `None` when the run ended before it.
    fn window_seconds(&self) -> Option<f64> {
        let length = self.end.saturating_sub(self.run.config.warmup.as_nanos());
        (length > 0).then_some(length as f64 / 1e9)
    }

    /// The full intervals with enough operations for a statement about skew.
    fn measured(&self) -> impl Iterator<Item = usize> + '_ {
        let least = OPERATIONS_PER_SERVER * self.servers() as u64;
        self.full
            .clone()
            .filter(move |&row| sum(self.run.server_demand.row(row)) >= least)
    }

    /// Spread of demand over the servers, idle ones counted; returns what chance alone would show.
    fn server_skew(&self, metrics: &mut Scalars) -> Option<crate::statistics::ExpectedPeak> {
        let n = self.servers() as f64;
        let (mut peaks, mut shares, mut effective, mut totals) = (vec![], vec![], vec![], vec![]);
        for row in self.measured() {
            let loads = self.run.server_demand.row(row);
            let total = sum(loads) as f64;
            let most = loads.iter().max().map_or(0.0, |&most| f64::from(most));
            peaks.push(most * n / total);
            shares.push(most / total);
            effective.extend(effective_number(loads.iter().map(|&load| u64::from(load))));
            totals.push(total);
        }
        spread(
            metrics,
            ["server_peak_to_mean", "server_peak_to_mean_p95"],
            &peaks,
            0.95,
        );
        spread(
            metrics,
            ["server_max_share", "server_max_share_p95"],
            &shares,
            0.95,
        );
        spread(
            metrics,
            ["effective_servers", "effective_servers_p95"],
            &effective,
            0.95,
        );
        metrics.insert("intervals_measured", Some(peaks.len() as f64));
        metrics.insert(
            "intervals_skipped",
            Some((self.full.len() - peaks.len()) as f64),
        );

        let mut overall = vec![0u64; self.servers()];
        for row in self.window.clone() {
            overall
                .iter_mut()
                .zip(self.run.server_demand.row(row))
                .for_each(|(sum, &load)| *sum += u64::from(load));
        }
        let total = overall.iter().sum::<u64>();
        let share = overall
            .iter()
            .max()
            .filter(|_| total > 0)
            .map(|&most| most as f64 / total as f64);
        metrics.insert("server_max_share_overall", share);
        metrics.insert("server_peak_to_mean_overall", share.map(|share| share * n));
        metrics.insert(
            "effective_servers_overall",
            effective_number(overall.into_iter()),
        );

        let even = median(&totals).and_then(|rows| expected_peak(rows, self.run.config.servers));
        metrics.insert("server_peak_to_mean_even", even.map(|even| even.mean));
        even
    }

    fn region_skew(
        &self,
        skews: &[RegionSkew],
        demand: &[u64],
        reached: &[bool],
        metrics: &mut Scalars,
    ) {
        let regions = demand.len() as f64;
        let (mut shares, mut ginis) = (vec![], vec![]);
        for row in self.measured() {
            // An operation far out of order counts its region in a later interval: this one may be left without any.
            if let Some(skew) = skews
                .get(row - self.window.start)
                .filter(|skew| skew.total > 0)
            {
                shares.push(skew.most as f64 / skew.total as f64);
                ginis.extend(skew.gini);
            }
        }
        let share = median(&shares);
        metrics.insert("region_max_share", share);
        metrics.insert("region_gini", median(&ginis));
        metrics.insert(
            "placement_floor",
            share.map(|share| (share * self.servers() as f64).max(1.0)),
        );

        let total = demand.iter().sum::<u64>();
        let most = demand.iter().max().copied().unwrap_or(0);
        metrics.insert(
            "region_max_share_overall",
            (total > 0).then(|| most as f64 / total as f64),
        );
        let mut held: Vec<u64> = demand.iter().copied().filter(|&rows| rows > 0).collect();
        let idle = (demand.len() - held.len()) as u64;
        metrics.insert(
            "region_gini_overall",
            crate::statistics::gini(&mut held, idle),
        );
        metrics.insert("regions_start", Some(regions));
        metrics.insert("regions_end", Some(regions));
        let empty = reached.iter().filter(|&&reached| !reached).count() as f64;
        metrics.insert(
            "empty_region_fraction",
            (regions > 0.0).then_some(empty / regions),
        );
    }

    /// What hot servers do: hot and saturated time, and refusals.
    fn damage(&self, metrics: &mut Scalars) {
        let (mut hot, mut saturated) = (0u32, 0u32);
        for row in self.full.clone() {
            let refusing = self
                .run
                .server_refused
                .row(row)
                .iter()
                .any(|&refused| refused > 0);
            let busy: Vec<f64> = self.utilisations(row..row + 1).collect();
            let mean = busy.iter().sum::<f64>() / busy.len() as f64;
            if refusing || busy.iter().any(|&busy| busy > BUSY) {
                saturated += 1;
                hot += u32::from(mean < CLUSTER_BUSY);
            }
        }
        let intervals = self.full.len() as f64;
        let fraction = |count: u32| (intervals > 0.0).then(|| f64::from(count) / intervals);
        metrics.insert("hot_time_fraction", fraction(hot));
        metrics.insert("saturated_time_fraction", fraction(saturated));

        let calls = self
            .window
            .clone()
            .map(|row| sum(self.run.server_calls.row(row)))
            .sum::<u64>();
        let refused = self
            .window
            .clone()
            .map(|row| sum(self.run.server_refused.row(row)))
            .sum::<u64>();
        metrics.insert(
            "refused_calls_fraction",
            (calls > 0).then(|| refused as f64 / calls as f64),
        );
    }

    /// Share of each server's handlers that is busy over some intervals.
    fn utilisations(&self, rows: Range<usize>) -> impl Iterator<Item = f64> + '_ {
        let length: u64 = rows
            .clone()
            .map(|row| self.run.intervals.length(row, self.end))
            .sum();
        let capacity = length as f64 * f64::from(self.run.config.handlers);
        (0..self.servers()).map(move |server| {
            let busy: u64 = rows
                .clone()
                .map(|row| self.run.server_busy.row(row)[server])
                .sum();
            (busy as f64 / capacity).min(1.0)
        })
    }

    fn utilisation(&self, metrics: &mut Scalars) {
        let defined = !self.window.is_empty();
        let busy: Vec<f64> = self.utilisations(self.window.clone()).collect();
        let most = defined.then(|| busy.iter().copied().fold(0.0, f64::max));
        metrics.insert("utilisation_max", most);
        metrics.insert(
            "utilisation_mean",
            defined.then(|| busy.iter().sum::<f64>() / busy.len() as f64),
        );
        let saturated = match self.run.config.open_loop {
            true => self.in_flight_grew(),
            false => most.map(|most| most > BUSY),
        };
        metrics.insert("saturated", saturated.map(|yes| f64::from(u8::from(yes))));
    }

    /// Whether the operations in flight grew by more than 1 % of the offered ones over the second half of the window (from the
    /// interval boundary nearest below its middle), and by more than four standard deviations of a Poisson number in flight, so that a
    /// handful of operations is not taken for a trend.
    fn in_flight_grew(&self) -> Option<bool> {
        if self.window.is_empty() {
            return None;
        }
        let middle = self.window.start + self.window.len() / 2;
        let offered =
            |rows: Range<usize>| rows.map(|row| sum(self.run.offered.row(row))).sum::<u64>();
        let in_flight = |rows: Range<usize>| {
            let done: u64 = rows
                .clone()
                .map(|row| {
                    sum(self.run.server_completed.row(row)) + sum(self.run.given_up.row(row))
                })
                .sum();
            offered(rows) as f64 - done as f64
        };
        let (before, after) = (in_flight(0..middle), in_flight(0..self.window.end));
        let grown = after - before;
        let offered = offered(middle..self.window.end) as f64;
        Some(grown > GROWTH * offered && grown > 4.0 * before.max(1.0).sqrt())
    }
}

/// Throughput and fractions of one write, or of all.
fn rates(tally: &WriteTally, seconds: Option<f64>) -> Scalars {
    let cohort = tally.cohort;
    let per_second = |count: u64| seconds.map(|seconds| count as f64 / seconds);
    let fraction = |count: u64| (cohort.offered > 0).then(|| count as f64 / cohort.offered as f64);
    Scalars::from([
        ("write_offered_per_sec", per_second(cohort.offered)),
        (
            "write_throughput_per_sec",
            per_second(tally.window_completed),
        ),
        ("write_goodput_per_sec", per_second(tally.window_good)),
        ("write_goodput_fraction", fraction(tally.cohort_good)),
        ("write_failed_fraction", fraction(cohort.failed)),
        ("write_unfinished_fraction", fraction(cohort.in_flight)),
        (
            "makespan_ms",
            (tally.last_completion > 0).then_some(tally.last_completion as f64 / 1e6),
        ),
    ])
}

/// All writes together.
fn total(writes: &[WriteTally]) -> WriteTally {
    let mut all = WriteTally {
        counts: Counts::default(),
        cohort: Counts::default(),
        cohort_good: 0,
        window_completed: 0,
        window_good: 0,
        last_completion: 0,
        response: Response::new(2),
    };
    for tally in writes {
        all.counts.add(&tally.counts);
        all.cohort.add(&tally.cohort);
        all.cohort_good += tally.cohort_good;
        all.window_completed += tally.window_completed;
        all.window_good += tally.window_good;
        all.last_completion = all.last_completion.max(tally.last_completion);
        all.response.add(&tally.response);
    }
    all
}

/// Median and another quantile over intervals.
fn spread(metrics: &mut Scalars, names: [&'static str; 2], values: &[f64], q: f64) {
    metrics.insert(names[0], median(values));
    metrics.insert(names[1], quantile(values, q));
}

fn sum(row: &[u32]) -> u64 {
    row.iter().map(|&count| u64::from(count)).sum()
}
