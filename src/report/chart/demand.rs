//! The demand on servers over time, as charts need it: rates, shares, peaks, the mean Lorenz curve. Idle servers count.
//!
//! Must not know how it is drawn.

use super::axis::TimeUnit;
use crate::experiment::StrategyResult;
use crate::metrics::Series;
use crate::report::{metric, number};

/// Operations a server that an interval needs before its skew says anything.
const LEAST_PER_SERVER: u64 = 10;

/// One strategy's series of demand.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    series: &'a Series,
    /// By interval and server: of writes, or of reads when nothing is written.
    server_demand: &'a [Vec<u64>],
    servers: usize,
    /// Planned length of the run in seconds; an import may end before it.
    planned_s: f64,
}

impl<'a> Demand<'a> {
    /// The series of `strategy` in a run planned for `planned_s` seconds; `None` when it has none or it is empty.
    pub fn of(strategy: &'a StrategyResult, planned_s: f64) -> Option<Self> {
        let series = strategy.series.as_ref()?;
        let server_demand = if metric::is_of_reads(strategy) {
            &series.server_read_demand
        } else {
            &series.server_demand
        };
        let seen = server_demand.iter().map(Vec::len).max().unwrap_or(0);
        let servers = seen.max(strategy.servers as usize).max(1);
        let usable = !server_demand.is_empty() && series.interval_ms > 0.0;
        usable.then_some(Self {
            series,
            server_demand,
            servers,
            planned_s,
        })
    }

    /// Number of servers.
    pub fn servers(&self) -> usize {
        self.servers
    }

    /// Number of intervals, warm-up included.
    pub fn intervals(&self) -> usize {
        self.server_demand.len()
    }

    /// Number of those that are drawn over time: an import that ends before the plan ends inside its last interval, nobody knows where;
    /// over the whole of it, its rate would look like a drop.
    pub fn drawn(&self) -> usize {
        let all = self.intervals();
        let ends_early = self.planned_s - self.end_s(all - 1) > 1e-9 * self.planned_s;
        if ends_early && all > 1 { all - 1 } else { all }
    }

    /// Length of an interval in seconds.
    pub fn interval_s(&self) -> f64 {
        self.series.interval_ms / 1e3
    }

    /// When `interval` starts, in seconds; the first may be cut by the start of the run.
    pub fn start_s(&self, interval: usize) -> f64 {
        (self.origin_s() + interval as f64 * self.interval_s()).max(0.0)
    }

    /// When `interval` ends, in seconds; the last may be cut by the end of the run.
    pub fn end_s(&self, interval: usize) -> f64 {
        let whole = self.origin_s() + (interval + 1) as f64 * self.interval_s();
        if self.planned_s > self.start_s(interval) {
            whole.min(self.planned_s)
        } else {
            whole
        }
    }

    /// From when to when `interval` lasts, in words.
    pub fn span(&self, interval: usize) -> String {
        let unit = TimeUnit::of(self.length_s());
        let at = |seconds: f64| number::trimmed(seconds / unit.seconds, 3);
        let (start, end) = (at(self.start_s(interval)), at(self.end_s(interval)));
        format!("{start} to {end}\u{a0}{}", unit.name)
    }

    /// When interval 0 would start if nothing cut it, in seconds, <= 0.
    pub fn origin_s(&self) -> f64 {
        self.series.origin_ms / 1e3
    }

    /// When the last interval ends, in seconds.
    pub fn length_s(&self) -> f64 {
        self.end_s(self.intervals() - 1)
    }

    /// Seconds before the window.
    pub fn warmup_s(&self) -> f64 {
        match self.series.window_start {
            0 => 0.0,
            start => self.end_s(start.min(self.intervals()) - 1),
        }
    }

    /// Rows demanded of `server` in `interval`.
    pub fn rows(&self, interval: usize, server: usize) -> u64 {
        self.server_demand[interval]
            .get(server)
            .copied()
            .unwrap_or(0)
    }

    /// The same a second.
    pub fn rate(&self, interval: usize, server: usize) -> f64 {
        self.rows(interval, server) as f64 / self.seconds(interval)
    }

    /// The hottest server's rate.
    pub fn peak_rate(&self, interval: usize) -> f64 {
        self.peak_rows(interval) as f64 / self.seconds(interval)
    }

    /// The coldest server's rate.
    pub fn least_rate(&self, interval: usize) -> f64 {
        let least = (0..self.servers)
            .map(|server| self.rows(interval, server))
            .min()
            .unwrap_or(0);
        least as f64 / self.seconds(interval)
    }

    /// The mean server's rate.
    pub fn mean_rate(&self, interval: usize) -> f64 {
        self.total(interval) as f64 / self.seconds(interval) / self.servers as f64
    }

    fn peak_rows(&self, interval: usize) -> u64 {
        self.server_demand[interval]
            .iter()
            .max()
            .copied()
            .unwrap_or(0)
    }

    fn seconds(&self, interval: usize) -> f64 {
        self.end_s(interval) - self.start_s(interval)
    }

    /// All servers' rows.
    pub fn total(&self, interval: usize) -> u64 {
        self.server_demand[interval].iter().sum()
    }

    /// `rows` relative to the fair share of `interval`; `None` without demand.
    pub fn ratio(&self, interval: usize, rows: f64) -> Option<f64> {
        let total = self.total(interval);
        (total > 0).then(|| rows * self.servers as f64 / total as f64)
    }

    /// Intervals of the window.
    pub fn window(&self) -> impl Iterator<Item = usize> + use<'_, 'a> {
        self.series.window_start.min(self.intervals())..self.intervals()
    }

    /// Intervals of the window with enough operations for a statement about skew.
    pub fn counted(&self) -> impl Iterator<Item = usize> + use<'_, 'a> {
        self.window()
            .filter(|interval| self.total(*interval) >= LEAST_PER_SERVER * self.servers as u64)
    }

    /// The least share that the hottest server has in any counted interval; `None` when there is none.
    pub fn least_peak_share(&self) -> Option<f64> {
        let share =
            |interval| self.peak_rate(interval) * self.interval_s() / self.total(interval) as f64;
        self.counted().map(share).reduce(f64::min)
    }

    /// The greatest load of `server` over the fair share, in counted intervals; `None` when there is none.
    pub fn peak_ratio(&self, server: usize) -> Option<f64> {
        let ratios = self
            .counted()
            .filter_map(|interval| self.ratio(interval, self.rows(interval, server) as f64));
        ratios.reduce(f64::max)
    }

    /// Fraction of the window's intervals in which some server was asked for more than `capacity` rows a second.
    pub fn over_fraction(&self, capacity: f64) -> f64 {
        let over = self
            .window()
            .filter(|interval| self.peak_rate(*interval) > capacity)
            .count();
        over as f64 / self.window().count().max(1) as f64
    }

    /// Servers that got any row in the window.
    pub fn servers_reached(&self) -> usize {
        (0..self.servers)
            .filter(|server| {
                self.window()
                    .any(|interval| self.rows(interval, *server) > 0)
            })
            .count()
    }

    /// Rows of the whole run for each server.
    pub fn totals(&self) -> Vec<u64> {
        (0..self.servers)
            .map(|server| {
                (0..self.intervals())
                    .map(|interval| self.rows(interval, server))
                    .sum()
            })
            .collect()
    }

    /// The Lorenz curve, mean over the counted intervals: share of the load of the `i` coldest servers, `i` from 0 to n.
    /// Of totals it would hide a hotspot that moves. `None` when no interval counts.
    pub fn lorenz(&self) -> Option<Vec<f64>> {
        let mut curve = vec![0.0; self.servers + 1];
        let mut intervals = 0.0;
        for interval in self.counted() {
            let mut rows: Vec<u64> = (0..self.servers)
                .map(|server| self.rows(interval, server))
                .collect();
            rows.sort_unstable();
            let total = self.total(interval) as f64;
            let mut below = 0;
            for (place, rows) in curve[1..].iter_mut().zip(rows) {
                below += rows;
                *place += below as f64 / total;
            }
            intervals += 1.0;
        }
        (intervals > 0.0).then(|| curve.iter().map(|share| share / intervals).collect())
    }
}

/// Gini coefficient of a Lorenz curve, times n / (n - 1), so that 1 is "one server does everything" for any n; 0 for one
/// server.
pub fn gini(lorenz: &[f64]) -> f64 {
    let servers = lorenz.len() - 1;
    if servers < 2 {
        return 0.0;
    }
    let below: f64 = lorenz
        .windows(2)
        .map(|pair| (pair[0] + pair[1]) / 2.0)
        .sum::<f64>()
        / servers as f64;
    ((1.0 - 2.0 * below) * servers as f64 / (servers as f64 - 1.0)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_moving_hotspot_is_not_averaged_away() {
        let strategy = sample::strategy(
            "monotonic",
            4,
            &[
                &[900, 0, 0, 0],
                &[0, 900, 0, 0],
                &[0, 0, 900, 0],
                &[0, 0, 0, 900],
            ],
        );
        let demand = Demand::of(&strategy, 0.0).expect("a series");
        let curve = demand.lorenz().expect("enough operations");
        assert_eq!(curve, [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(gini(&curve), 1.0);
        assert_eq!(demand.peak_ratio(2), Some(4.0));
        assert_eq!(demand.least_peak_share(), Some(1.0));
    }

    #[test]
    fn an_even_spread_is_a_diagonal() {
        let strategy =
            sample::strategy("hashed", 4, &[&[250, 250, 250, 250], &[100, 100, 100, 100]]);
        let demand = Demand::of(&strategy, 0.0).expect("a series");
        let curve = demand.lorenz().expect("enough operations");
        assert_eq!(curve, [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(gini(&curve), 0.0);
        // The sample interval is a second: 250 > 200 in one of two intervals.
        assert_eq!(demand.over_fraction(200.0), 0.5);
    }

    #[test]
    fn an_import_is_drawn_up_to_the_interval_in_which_it_ends() {
        let import = sample::strategy("import", 1, &[&[90u64], &[90], &[15]]);
        let drawn = |planned_s| Demand::of(&import, planned_s).map(|demand| demand.drawn());
        assert_eq!(
            (drawn(600.0), drawn(3.0), drawn(2.5)),
            (Some(2), Some(3), Some(3))
        );
        let short = sample::strategy("short", 1, &[&[90u64]]);
        let short = Demand::of(&short, 600.0).expect("a series");
        assert_eq!(short.drawn(), 1);
    }

    #[test]
    fn few_operations_say_nothing_about_skew_and_nothing_divides_by_zero() {
        let strategy = sample::strategy("idle", 4, &[&[39, 0, 0, 0], &[0, 0, 0, 0]]);
        let demand = Demand::of(&strategy, 0.0).expect("a series");
        assert_eq!(demand.lorenz(), None);
        assert_eq!(demand.peak_ratio(0), None);
        assert_eq!(demand.ratio(1, 0.0), None);
        assert_eq!(demand.over_fraction(10.0), 0.5);
    }

    #[test]
    fn intervals_cut_by_the_ends_of_the_run_have_their_own_length() {
        let mut strategy = sample::strategy("cut", 1, &[&[50u64], &[100], &[100], &[25]]);
        if let Some(series) = strategy.series.as_mut() {
            series.origin_ms = -500.0;
            series.window_start = 1;
        }
        let demand = Demand::of(&strategy, 2.75).expect("a series");
        assert_eq!(
            (0..4)
                .map(|interval| demand.rate(interval, 0))
                .collect::<Vec<_>>(),
            [100.0; 4]
        );
        assert_eq!((demand.warmup_s(), demand.length_s()), (0.5, 2.75));
    }
}
