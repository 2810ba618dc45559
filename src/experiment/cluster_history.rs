//! What happened to the servers and regions of a run. Must not judge it.

use crate::metrics::{
    EventKind, NO_HOTSPOT_BELOW, OPERATIONS_PER_SERVER, Series, SeriesEvent, Side,
};
use crate::statistics::median;

/// A server's share of the demand is out of the ordinary for a while when it comes to so many times that of the usual hottest one (estimate).
const UNUSUAL: f64 = 2.0;
/// With so many times the operations that tell of an interval, an even share is known to a tenth (one standard error, 1 / sqrt(100)): chance does not end heat.
const SURE: u64 = 10;
/// In the words of a balancer that looks for moves, as a decision is told.
const STARTS: &str = ": starts for ";

/// What happened to the servers and regions of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ClusterHistory {
    /// Peak-to-mean in the first and in the last fifth of the run; `None` where there is too little demand.
    pub(super) peaks: Option<(f64, f64)>,
    /// Peak-to-mean of writes, and of reads, that half of the window's time is above ([`peak_of_half_the_time`]).
    pub(super) usual: [Option<f64>; 2],
    /// The share of each server's handlers that is busy, mean over the window.
    pub(super) utilisation: Vec<f64>,
    /// Servers that died.
    pub(super) lost: u32,
    /// What the balancer judged by when it started last, or ran last if it never started, in words.
    pub(super) finding: Option<String>,
    /// Why a region that is due to be split has no split row.
    pub(super) no_split_row: Option<String>,
}

impl ClusterHistory {
    /// That of a run.
    pub(super) fn of(series: &Series) -> Self {
        let of = |kind| {
            let events = series.events.iter().rev();
            events.filter(move |event| event.event == kind)
        };
        // The last run has seen most of the load.
        let mut findings = of(EventKind::Balancer).filter_map(|event| event.detail.as_deref());
        let last = findings.next();
        let starts = |finding: &&str| finding.contains(STARTS);
        let started = last.filter(starts).or_else(|| findings.find(starts));
        let judged = |finding: &str| finding.split(": ").next().unwrap_or_default().to_owned();
        let no_split_row = of(EventKind::NoSplitRow).next();
        let busy = &series.server_utilisation;
        let intervals = busy.len().saturating_sub(series.window_start) as f64;
        let busy = sums(series, busy, |busy| busy).into_iter();
        Self {
            peaks: first_and_last(&series.server_demand),
            usual: [Side::Write, Side::Read].map(|side| peak_of_half_the_time(series, side)),
            utilisation: busy.map(|sum| sum / intervals).collect(),
            lost: of(EventKind::Crash).count() as u32,
            finding: started.or(last).map(judged),
            no_split_row: no_split_row.and_then(|event| event.detail.clone()),
        }
    }
}

/// What each server has in the window, of what is told by interval and server.
fn sums<T: Copy>(series: &Series, all: &[Vec<T>], number: fn(T) -> f64) -> Vec<f64> {
    let window = all.get(series.window_start..).unwrap_or_default();
    let of = |server: usize| window.iter().map(|of| number(of[server])).sum();
    (0..window.first().map_or(0, Vec::len)).map(of).collect()
}

/// Of the writes in the window, the share of each server; empty without any.
pub(super) fn shares(series: &Series) -> Vec<f64> {
    let loads = sums(series, &series.server_demand, |rows| rows as f64);
    let all: f64 = loads.iter().sum();
    let loads = loads.into_iter().filter(|_| all > 0.0);
    loads.map(|load| load / all).collect()
}

/// Of the handler time that reads ask for in the window, that of the server with most over the mean; zero without any.
pub(super) fn read_time_peak(series: &Series) -> f64 {
    peak_to_mean(&sums(series, &series.server_read_work, |time| time)).unwrap_or(0.0)
}

/// `None` without any load.
fn peak_to_mean(loads: &[f64]) -> Option<f64> {
    let all: f64 = loads.iter().sum();
    let most = loads.iter().copied().fold(0.0, f64::max);
    (all > 0.0).then(|| most * loads.len() as f64 / all)
}

/// The same of an interval: the median over those of the window in which reads ask for any.
pub(super) fn usual_read_time_peak(series: &Series) -> Option<f64> {
    let window = series.server_read_work.get(series.window_start..)?;
    let peaks = window.iter().filter_map(|loads| peak_to_mean(loads));
    median(&peaks.collect::<Vec<_>>())
}

/// By how much the server that is full first takes fewer writes than the one with most of them would if servers did nothing else: the median over the
/// intervals of the window. `room` is the part of its capacity that a server has left for writes, by the part of its handlers' time that others ask for.
pub(super) fn beside_others(series: &Series, room: impl Fn(f64) -> f64) -> f64 {
    let demand = series.server_demand.iter().enumerate();
    let others = [&series.server_read_work, &series.server_neighbour_work];
    let asked = |at: usize, server: usize| -> f64 {
        let of_interval = others.iter().filter_map(|it| it.get(at)?.get(server));
        of_interval.sum()
    };
    let of_interval = |(at, loads): (usize, &Vec<u64>)| {
        let most = *loads.iter().max()? as f64;
        let fullest = (0..loads.len()).map(|server| loads[server] as f64 / room(asked(at, server)));
        (most > 0.0).then(|| fullest.fold(0.0, f64::max) / most)
    };
    let window = demand.skip(series.window_start);
    let times: Vec<f64> = window.filter_map(of_interval).collect();
    median(&times).unwrap_or(1.0)
}

/// Medians of the peak-to-mean over the intervals of the first and of the last fifth of the run that have enough demand.
pub(super) fn first_and_last(demand: &[Vec<u64>]) -> Option<(f64, f64)> {
    let fifth = demand.len().div_ceil(5);
    let last = &demand[demand.len() - fifth..];
    Some((usual_peak(&demand[..fifth])?, usual_peak(last)?))
}

/// The median of the peak-to-mean over these intervals, however much of the demand is theirs: of those that have enough.
fn usual_peak(demand: &[Vec<u64>]) -> Option<f64> {
    let peaks = demand.iter().filter_map(|loads| {
        let (all, most) = (loads.iter().sum::<u64>(), *loads.iter().max()?);
        let servers = loads.len() as u64;
        (all >= OPERATIONS_PER_SERVER * servers).then(|| (most * servers) as f64 / all as f64)
    });
    median(&peaks.collect::<Vec<_>>())
}

/// The demand of a side on each server, by interval.
fn demand_of(series: &Series, side: Side) -> &[Vec<u64>] {
    match side {
        Side::Read => &series.server_read_demand,
        _ => &series.server_demand,
    }
}

/// The peak-to-mean that a side exceeds for half of the window's time, whatever is asked for meanwhile.
pub(super) fn peak_of_half_the_time(series: &Series, side: Side) -> Option<f64> {
    usual_peak(demand_of(series, side).get(series.window_start..)?)
}

/// The part of the run in which some server has an unusual share of a side's demand, and then has not although none of its regions opens elsewhere.
pub(super) fn passes_by_itself(series: &Series, side: Side) -> f64 {
    let demand = demand_of(series, side);
    // Heat goes on through intervals with too few operations to tell.
    let hottest = demand.iter().enumerate().filter_map(|(at, loads)| {
        let all: u64 = loads.iter().sum();
        let (server, most) = (0..).zip(loads).max_by_key(|(_, load)| **load)?;
        let enough = all >= SURE * OPERATIONS_PER_SERVER * loads.len() as u64;
        enough.then(|| (server, *most as f64 / all as f64, at))
    });
    let hottest: Vec<(u32, f64, usize)> = hottest.collect();
    let shares: Vec<f64> = hottest.iter().map(|it| it.1).collect();
    let usual = median(&shares).unwrap_or(0.0);
    let is_hot = |share: f64| share >= NO_HOTSPOT_BELOW * usual;
    let of = |kind| series.events.iter().filter(move |it| it.event == kind);
    let (mut end, mut intervals) = (0, 0);
    for alike in hottest.chunk_by(|a, b| is_hot(a.1) == is_hot(b.1)) {
        end += alike.len();
        let next = hottest.get(end).map_or(demand.len(), |it| it.2);
        let (server, _, last) = hottest[end - 1];
        let [last, next] = [last, next + 1]
            .map(|interval| series.origin_ms + interval as f64 * series.interval_ms);
        let (then, server) = (last..next, Some(server));
        let is_left = of(EventKind::Open).any(|open| {
            let moved = |it: &SeriesEvent| it.region == open.region && it.server == server;
            then.contains(&open.at_ms) && of(EventKind::Move).any(moved)
        });
        let is_unusual = alike.iter().any(|it| it.1 >= UNUSUAL * usual);
        intervals += if is_unusual && !is_left {
            alike.len()
        } else {
            0
        };
    }
    intervals as f64 / demand.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_goes_on_through_quiet_intervals_until_its_region_leaves() {
        let (even, hot, quiet) = (
            vec![1_000; 4],
            vec![7_000, 1_000, 1_000, 1_000],
            vec![1, 0, 0, 0],
        );
        let heat = [vec![hot.clone(); 3], vec![quiet], vec![hot; 3]].concat();
        let mut series = Series {
            interval_ms: 1_000.0,
            server_demand: [vec![even.clone(); 20], heat, vec![even; 13]].concat(),
            ..Series::default()
        };
        // Six of forty intervals are hot, 0.7 for a share of 0.25 as usual, and nothing happens where that ends.
        assert_eq!(passes_by_itself(&series, Side::Write), 6.0 / 40.0);
        // A region leaves the hot server as it ends. In the quiet interval nothing did.
        let of = |kind| SeriesEvent {
            region: Some(1),
            server: Some(0),
            ..SeriesEvent::new(26_500.0, kind)
        };
        series.events = vec![of(EventKind::Move), of(EventKind::Open)];
        assert_eq!(passes_by_itself(&series, Side::Write), 0.0);
    }
}
