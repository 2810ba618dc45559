//! The demand on servers over time, as charts need it: rates, shares, peaks. Idle servers count.

use super::prelude::*;

/// Operations a server that an interval needs before its skew says anything.
const LEAST_PER_SERVER: u64 = 10;

/// What servers are asked for in one interval.
#[derive(Debug, Clone)]
pub struct Interval {
    /// When it starts, in seconds; the first may be cut by the start of the run.
    pub start_s: f64,
    /// When it ends; the last may be cut by the end of the run.
    pub end_s: f64,
    /// Rows of each server.
    pub rows: Vec<u64>,
    /// All servers' rows.
    total: u64,
}

impl Interval {
    /// So many rows as a rate a second.
    pub fn rate(&self, rows: u64) -> f64 {
        rows as f64 / (self.end_s - self.start_s)
    }

    /// The hottest server's rate.
    pub fn peak_rate(&self) -> f64 {
        self.rate(self.rows.iter().copied().max().unwrap_or(0))
    }

    /// Its middle, in seconds.
    pub fn middle_s(&self) -> f64 {
        (self.start_s + self.end_s) / 2.0
    }

    /// The mean load of `servers` relative to the fair share; `None` without demand.
    pub fn ratio(&self, servers: &[usize]) -> Option<f64> {
        let rows: u64 = servers.iter().map(|server| self.rows[*server]).sum();
        let rows = rows as f64 / servers.len() as f64;
        (self.total > 0).then(|| rows * self.rows.len() as f64 / self.total as f64)
    }

    /// Whether it has enough operations for a statement about skew.
    fn counts(&self) -> bool {
        self.total >= LEAST_PER_SERVER * self.rows.len() as u64
    }
}

/// One strategy's series of demand: of writes, or of reads when nothing is written.
#[derive(Debug, Clone)]
pub struct Demand {
    /// In order of time, warm-up included; at least one.
    pub intervals: Vec<Interval>,
    /// Number of servers.
    pub servers: usize,
    /// Length of a whole interval in seconds.
    pub interval_s: f64,
    /// When the first interval would start if nothing cut it, in seconds, <= 0.
    pub origin_s: f64,
    /// Number of the first interval after the warm-up.
    window_start: usize,
    /// Planned length of the run in seconds; an import may end before it.
    planned_s: f64,
}

impl Demand {
    /// The series of `strategy` in a run planned for `planned_s` seconds; `None` when it has none or it is empty.
    pub fn of(strategy: &StrategyResult, planned_s: f64) -> Option<Self> {
        let series = strategy.series.as_ref()?;
        let server_demand = match metric::is_of_reads(strategy) {
            true => &series.server_read_demand,
            false => &series.server_demand,
        };
        if server_demand.is_empty() || series.interval_ms <= 0.0 {
            return None;
        }
        let seen = server_demand.iter().map(Vec::len).max().unwrap_or(0);
        let servers = seen.max(strategy.servers as usize).max(1);
        let (interval_s, origin_s) = (series.interval_ms / 1e3, series.origin_ms / 1e3);
        let edge = |number: usize| origin_s + number as f64 * interval_s;
        let intervals = server_demand.iter().enumerate().map(|(number, rows)| {
            let (start_s, end_s) = (edge(number).max(0.0), edge(number + 1));
            // The plan's end cuts only what starts before it.
            let planned = Some(planned_s).filter(|planned_s| *planned_s > start_s);
            let mut rows = rows.clone();
            rows.resize(servers, 0);
            Interval {
                start_s,
                end_s: planned.map_or(end_s, |planned_s| end_s.min(planned_s)),
                total: rows.iter().sum(),
                rows,
            }
        });
        Some(Self {
            intervals: intervals.collect(),
            servers,
            interval_s,
            origin_s,
            window_start: series.window_start.min(server_demand.len()),
            planned_s,
        })
    }

    /// Those that are drawn over time: an import that ends before the plan ends inside its last interval, nobody knows where; over the
    /// whole of it, its rate would look like a drop.
    pub fn drawn(&self) -> &[Interval] {
        let ends_early = self.planned_s - self.length_s() > 1e-9 * self.planned_s;
        match self.intervals.as_slice() {
            [others @ .., _] if ends_early && !others.is_empty() => others,
            all => all,
        }
    }

    /// From when to when an interval lasts, in words.
    pub fn span(&self, interval: &Interval) -> String {
        let unit = TimeUnit::of(self.length_s());
        let at = |seconds: f64| number::trimmed(seconds / unit.seconds, 3);
        let (start, end) = (at(interval.start_s), at(interval.end_s));
        format!("{start} to {end}\u{a0}{}", unit.name)
    }

    /// When the last interval ends, in seconds.
    pub fn length_s(&self) -> f64 {
        self.intervals.last().map_or(0.0, |last| last.end_s)
    }

    /// Seconds before the window.
    pub fn warmup_s(&self) -> f64 {
        let warmup = self.intervals[..self.window_start].last();
        warmup.map_or(0.0, |last| last.end_s)
    }

    fn window(&self) -> &[Interval] {
        &self.intervals[self.window_start..]
    }

    /// Intervals of the window with enough operations for a statement about skew.
    pub fn counted(&self) -> impl Iterator<Item = &Interval> {
        self.window().iter().filter(|interval| interval.counts())
    }

    /// The least share that the hottest server has in any counted interval; `None` when there is none.
    pub fn least_peak_share(&self) -> Option<f64> {
        let share = |it: &Interval| it.peak_rate() * self.interval_s / it.total as f64;
        self.counted().map(share).reduce(f64::min)
    }

    /// The greatest load of `servers` over the fair share, in counted intervals; `None` when there is none.
    pub fn peak_ratio(&self, servers: &[usize]) -> Option<f64> {
        self.counted()
            .filter_map(|it| it.ratio(servers))
            .reduce(f64::max)
    }

    /// Servers that got any row in the window.
    pub fn servers_reached(&self) -> usize {
        let is_reached = |server: &usize| self.window().iter().any(|it| it.rows[*server] > 0);
        (0..self.servers).filter(is_reached).count()
    }

    /// Rows of the whole run for each server.
    pub fn totals(&self) -> Vec<u64> {
        let total = |server: usize| self.intervals.iter().map(|it| it.rows[server]).sum();
        (0..self.servers).map(total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

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
        assert_eq!(demand.peak_ratio(&[2]), Some(4.0));
        assert_eq!(demand.least_peak_share(), Some(1.0));
    }

    #[test]
    fn an_import_is_drawn_up_to_the_interval_in_which_it_ends() {
        let import = sample::strategy("import", 1, &[&[90u64], &[90], &[15]]);
        let drawn = |planned_s| Demand::of(&import, planned_s).map(|demand| demand.drawn().len());
        assert_eq!(
            (drawn(600.0), drawn(3.0), drawn(2.5)),
            (Some(2), Some(3), Some(3))
        );
        let short = sample::strategy("short", 1, &[&[90u64]]);
        let short = Demand::of(&short, 600.0).expect("a series");
        assert_eq!(short.drawn().len(), 1);
    }

    #[test]
    fn few_operations_say_nothing_about_skew_and_nothing_divides_by_zero() {
        let strategy = sample::strategy("idle", 4, &[&[39, 0, 0, 0], &[0, 0, 0, 0]]);
        let demand = Demand::of(&strategy, 0.0).expect("a series");
        assert_eq!(demand.peak_ratio(&[0]), None);
        assert_eq!(demand.intervals[1].ratio(&[0]), None);
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
            demand
                .intervals
                .iter()
                .map(Interval::peak_rate)
                .collect::<Vec<_>>(),
            [100.0; 4]
        );
        assert_eq!((demand.warmup_s(), demand.length_s()), (0.5, 2.75));
    }
}
