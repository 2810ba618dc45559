//! What a sweep shows: up to which value of a setting more throughput is gained, and where there is less again. Must not know how
//! it is told.

use super::ranking::{NOTICED, is_noticed};
use super::verdict::NEARLY_ALL;
use super::{Measure, Results, StrategyResult, value_text};
use crate::metrics::{MetricId, MetricPath, Part, Side};
use crate::statistics::Estimate;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What a read costs.
pub const READ_PRICES: [MetricPath; 2] = [
    MetricId::CallsPlanned.whole(),
    MetricId::ReadResponse.at(Part::Mean),
];

/// What a strategy gains along the ascending values of a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepFinding {
    /// Its name.
    pub strategy: String,
    /// The setting: the first swept one.
    pub path: String,
    /// What holds of the other swept settings.
    pub others: BTreeMap<String, Value>,
    /// Whether reads are counted, of a strategy that nothing writes; otherwise writes.
    pub reads: bool,
    /// The least value.
    pub first: String,
    /// The knee: the last value that gains something over all lesser ones.
    pub knee: String,
    /// The greatest value; the knee when throughput still grows there.
    pub last: String,
    /// From the knee on all of the offered load is completed: that greater values gain nothing says nothing of what they could take.
    pub load_reached: bool,
    /// A greater value than the knee that may gain something for all that the replicates show: the one that gains most on average.
    pub unclear: Option<SweepDip>,
    /// At the knee there are fewer regions than servers: so many servers have none, of so many.
    pub idle_servers: Option<(u32, u32)>,
    /// Throughput at the knee over that at the least value.
    pub gain: Measure,
    /// Values that do worse than a lesser one, ascending.
    pub dips: Vec<SweepDip>,
    /// Reads whose price at the knee is another than at the least value.
    pub prices: Vec<SweepPrice>,
}

/// A value beside a lesser one, than which it does worse, or may do better.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepDip {
    /// It.
    pub value: String,
    /// The best of the lesser ones.
    pub than: String,
    /// Throughput at the value over that at the lesser one.
    pub ratio: Measure,
}

/// What a read costs at the knee.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPrice {
    /// Its name.
    pub read: String,
    /// Its calls as planned, or its mean response time.
    pub metric: MetricPath,
    /// The price at the knee over that at the least value.
    pub ratio: Measure,
}

impl SweepFinding {
    /// Whether this value does worse than a lesser one.
    pub fn is_dip(&self, value: &str) -> bool {
        self.dips.iter().any(|dip| dip.value == value)
    }
}

/// Where a quantity stops growing.
#[derive(Debug, PartialEq, Eq)]
struct Growth {
    knee: usize,
    /// Places that are worse than the best one before, with that one.
    dips: Vec<(usize, usize)>,
}

/// The growth over `count` places, of which `ratio(a, b)` is that of `a` to `b`. `None` when some ratio or its interval is unknown, or there is
/// nothing to compare. A place gains (loses) when it is better (worse) than the best one before by at least [`NOTICED`] and the interval of
/// their ratio excludes 1. O(`count`).
fn growth(count: usize, ratio: impl Fn(usize, usize) -> Option<Estimate>) -> Option<Growth> {
    let mut found = Growth {
        knee: 0,
        dips: Vec::new(),
    };
    for place in 1..count {
        match change(ratio(place, found.knee)?)? {
            Ordering::Greater => found.knee = place,
            Ordering::Less => found.dips.push((place, found.knee)),
            Ordering::Equal => {}
        }
    }
    (count > 1).then_some(found)
}

/// What a ratio shows: a gain, a loss or neither; `None` without an interval.
fn change(ratio: Estimate) -> Option<Ordering> {
    let (low, high) = ratio.interval?;
    Some(match is_noticed(ratio.mean) {
        true if low > 1.0 => Ordering::Greater,
        true if high < 1.0 => Ordering::Less,
        _ => Ordering::Equal,
    })
}

impl Results {
    /// What the sweep shows of each strategy, and of each combination of the other swept settings; nothing of a setting whose values are
    /// no numbers, nor of a single replicate, which has no intervals.
    pub fn sweep_findings(&self) -> Vec<SweepFinding> {
        let Some(swept) = self.sweep.first() else {
            return Vec::new();
        };
        type Line<'a> = (&'a str, BTreeMap<String, Value>, Vec<&'a StrategyResult>);
        let mut lines: Vec<Line<'_>> = Vec::new();
        for strategy in &self.strategies {
            let mut others = strategy.sweep.clone();
            others.remove(&swept.path);
            let is_same = |line: &&mut Line<'_>| line.0 == strategy.name && line.1 == others;
            match lines.iter_mut().find(is_same) {
                Some((.., points)) => points.push(strategy),
                None => lines.push((&strategy.name, others, vec![strategy])),
            }
        }
        let lines = lines.into_iter();
        let found = lines.map(|(_, others, points)| finding(&swept.path, others, points));
        found.flatten().collect()
    }
}

fn finding(
    path: &str,
    others: BTreeMap<String, Value>,
    points: Vec<&StrategyResult>,
) -> Option<SweepFinding> {
    let values = points.into_iter();
    let values = values.map(|point| Some((point.sweep.get(path)?.as_f64()?, point)));
    let mut ascending = values.collect::<Option<Vec<_>>>()?;
    ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
    let points: Vec<&StrategyResult> = ascending.into_iter().map(|(_, point)| point).collect();
    let load = points[0].load();
    let throughput = MetricId::WriteThroughput.of(load);
    let of = |a: usize, b: usize| ratio(points[a], points[b], throughput.whole());
    let growth = growth(points.len(), of)?;
    let text = |at: usize| value_text(&points[at].sweep[path]);
    let knee = growth.knee;
    let reads = points[knee].reads.iter().enumerate();
    let prices = reads.flat_map(|(at, read)| READ_PRICES.map(|metric| (at, &read.name, metric)));
    let prices = prices.filter_map(|(at, read, metric)| {
        let ratio = price(points[knee], points[0], metric.of_one(Side::Read, at))?;
        let read = read.clone();
        Some(SweepPrice {
            read,
            metric,
            ratio,
        })
    });
    let dip = |(at, than)| SweepDip {
        value: text(at),
        than: text(than),
        ratio: of(at, than).into(),
    };
    let mean = |(at, _): &(usize, usize)| of(*at, knee).map_or(0.0, |ratio| ratio.mean);
    let may_gain = |(at, _): &(usize, usize)| {
        let interval = of(*at, knee).and_then(|ratio| ratio.interval);
        interval.is_some_and(|(_, high)| high >= NOTICED)
    };
    let greater = (knee + 1..points.len()).map(|at| (at, knee));
    let unclear = greater
        .filter(may_gain)
        .max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let mut beyond = points[knee..].iter();
    Some(SweepFinding {
        strategy: points[0].name.clone(),
        path: path.to_owned(),
        others,
        reads: load == Side::Read,
        first: text(0),
        knee: text(knee),
        last: text(points.len() - 1),
        idle_servers: idle_servers(points[knee]),
        load_reached: beyond.all(|point| completes_all(point, load)),
        gain: of(knee, 0).into(),
        unclear: unclear.map(dip),
        dips: growth.dips.into_iter().map(dip).collect(),
        prices: prices.collect(),
    })
}

/// Servers that have no region at the start, of all; `None` when each may have one.
fn idle_servers(point: &StrategyResult) -> Option<(u32, u32)> {
    let regions = point.mean(MetricId::RegionsStart)? as u32;
    let idle = point.servers.saturating_sub(regions);
    (idle > 0).then_some((idle, point.servers))
}

/// All of an open loop's load is completed, but for what is in flight at the end.
fn completes_all(point: &StrategyResult, load: Side) -> bool {
    let [offered, completed] =
        [MetricId::WriteOffered, MetricId::WriteThroughput].map(|id| point.mean(id.of(load)));
    let all = offered.zip(completed);
    !point.closed_loop && all.is_some_and(|(offered, completed)| completed >= NEARLY_ALL * offered)
}

/// What a read pays at one point over what it pays at another; `None` when that is no more and no less, or unknown.
fn price(point: &StrategyResult, base: &StrategyResult, path: MetricPath) -> Option<Measure> {
    if let Some(ratio) = ratio(point, base, path) {
        return (change(ratio)? != Ordering::Equal).then(|| ratio.into());
    }
    // What is planned and not issued is planned once, from what was known before any run: there is no chance in it.
    let mean = point.mean(path)? / base.mean(path).filter(|old| *old > 0.0)?;
    let of_first = |point: &StrategyResult| {
        let values = point.replicates(path)?;
        Some(values.len() > 1 && values.iter().flatten().count() == 1)
    };
    let is_plan = of_first(point)? && of_first(base)?;
    let differs = is_noticed(mean);
    (is_plan && differs).then_some(Measure {
        mean: Some(mean),
        n: 1,
        ..Measure::UNDEFINED
    })
}

/// A metric at one point over that at another, replicate by replicate: they share their draws. `None` unless every replicate has it.
fn ratio(point: &StrategyResult, base: &StrategyResult, path: MetricPath) -> Option<Estimate> {
    let is_whole = |it: &StrategyResult| Some(it.replicates(path)?.iter().all(Option::is_some));
    let all = is_whole(point)? && is_whole(base)?;
    point.paired(base, path).filter(|_| all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The growth along means that are known within `spread`, in per cent.
    fn along(means: &[f64], spread: f64) -> Option<Growth> {
        growth(means.len(), |a, b| {
            let mean = means[a] / means[b];
            let (low, high) = (mean * (1.0 - spread / 100.0), mean * (1.0 + spread / 100.0));
            Some(Estimate {
                mean,
                interval: Some((low, high)),
                n: 3,
            })
        })
    }

    fn found(knee: usize, dips: &[(usize, usize)]) -> Option<Growth> {
        let dips = dips.to_vec();
        Some(Growth { knee, dips })
    }

    #[test]
    fn the_knee_is_the_last_value_that_gains_and_a_dip_is_worse_than_the_best_before() {
        // k / ceil(k / 8) of 1, 2, 4, 6, 8, 12 and 16 buckets.
        let buckets = [1.0, 2.0, 4.0, 6.0, 8.0, 6.0, 8.0];
        assert_eq!(along(&buckets, 0.4), found(4, &[(5, 4)]));
        assert_eq!(along(&[3.0, 5.0, 4.0, 7.0], 1.0), found(3, &[(2, 1)]));
        assert_eq!(along(&[3.0, 3.0, 3.0], 1.0), found(0, &[]));
        assert_eq!(along(&[9.0, 7.0, 5.0], 1.0), found(0, &[(1, 0), (2, 0)]));
    }

    #[test]
    fn a_change_counts_when_it_is_certain_and_worth_something() {
        // 1.3 % is certain and worth nothing; 13 % within 20 % is uncertain.
        assert_eq!(along(&[100.0, 101.3, 98.7], 0.1), found(0, &[]));
        assert_eq!(along(&[100.0, 113.0, 87.0], 20.0), found(0, &[]));
        // Each step is small, all of them together are not: the third is 3.6 % over the first.
        assert_eq!(along(&[100.0, 101.8, 103.6], 0.1), found(2, &[]));
    }

    #[test]
    fn without_an_interval_or_a_second_value_nothing_is_found() {
        let one = |_, _| {
            Some(Estimate {
                mean: 2.0,
                interval: None,
                n: 1,
            })
        };
        assert_eq!(growth(3, one), None);
        assert_eq!(growth(3, |_, _| None), None);
        assert_eq!(along(&[5.0], 1.0), None);
    }
}
