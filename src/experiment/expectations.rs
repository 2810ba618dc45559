//! Whether what was expected holds, and whether the runs were long enough to tell: what rests on too little is broken, whatever its number says. Must
//! not exit, nor excuse.

use super::runs::StrategyRuns;
use super::verdict::{A_FEW, NEARLY_ALL};
use super::{ExpectationResult, FoundValue, Measure, StrategyResult};
use crate::metrics::{MetricId, MetricPath, Part, Side, Unit, lookup};
use crate::scenario::{Bound, Expectation, Expected, ExpectedValue, Scenario};
use crate::text::counted;
use std::collections::BTreeMap;

/// A number equals an expected one within this relative difference: they come by different roads of rounding.
const EQUAL: f64 = 1e-9;

/// A strategy at a point of the sweep.
type Ran<'a> = (&'a StrategyResult, &'a StrategyRuns);

/// Every expectation with what was found, in file order.
pub(super) fn of(scenario: &Scenario, ran: &[Ran<'_>]) -> Vec<ExpectationResult> {
    let expectations = scenario.expectations.iter();
    expectations.map(|it| outcome(scenario, ran, it)).collect()
}

fn outcome(scenario: &Scenario, ran: &[Ran<'_>], expectation: &Expectation) -> ExpectationResult {
    let at = |point, strategy| ran[point * scenario.strategies.len() + strategy];
    let own = at(expectation.point, expectation.strategy);
    let result = own.0;
    let outcome = |metric: &str, value, bound, holds| ExpectationResult {
        strategy: result.name.clone(),
        metric: metric.to_owned(),
        sweep: result.sweep.clone(),
        ratio_to: None,
        ratio_to_sweep: BTreeMap::new(),
        record: None,
        value,
        bound,
        holds,
        because: expectation.because.clone(),
        issue: expectation.issue.clone(),
        reason: None,
    };
    match &expectation.expected {
        Expected::Key(key) => {
            let [found, expected] = [&key.found, &key.expected].map(ToString::to_string);
            let (value, bound) = (FoundValue::Text(found), ExpectedValue::Text(expected));
            let holds = key.found == key.expected;
            ExpectationResult {
                record: Some(key.record.clone()),
                ..outcome("key", value, Bound::Is(bound), holds)
            }
        }
        Expected::Metric {
            metric,
            bound,
            ratio_to,
        } => {
            let base = ratio_to.as_ref().map(|to| at(to.point, to.strategy));
            let base_result = base.map(|base| base.0);
            let path = lookup(metric, &result.names()).ok();
            let value = path.map_or(FoundValue::UNDEFINED, |it| find(result, base_result, it));
            let mut both = std::iter::once(own).chain(base);
            let reason = both
                .find_map(|(result, runs)| too_short(runs, &lookup(metric, &result.names()).ok()?));
            let elsewhere = base_result.filter(|base| base.sweep != result.sweep);
            let holds = reason.is_none() && holds(&value, bound);
            ExpectationResult {
                ratio_to_sweep: elsewhere.map_or_else(BTreeMap::new, |it| it.sweep.clone()),
                ratio_to: base_result.map(|base| base.name.clone()),
                reason,
                ..outcome(metric, value, bound.clone(), holds)
            }
        }
    }
}

/// The metric of a strategy, or over that of another.
fn find(result: &StrategyResult, base: Option<&StrategyResult>, path: MetricPath) -> FoundValue {
    if path.definition().unit == Unit::Word {
        let word = result.word(path).map(str::to_owned);
        return word.map_or(FoundValue::UNDEFINED, FoundValue::Text);
    }
    FoundValue::Number(match base {
        Some(base) => result.ratio(base, path),
        None => Measure {
            merged: None,
            ..result.number(path).copied().unwrap_or(Measure::UNDEFINED)
        },
    })
}

/// The whole interval satisfies the bound; of one replicate, its value does. A lower bound proves `above`, an upper one `below`, and neither
/// anything else. Words are equal or not.
fn holds(found: &FoundValue, bound: &Bound) -> bool {
    let measure = match (found, bound) {
        (FoundValue::Number(measure), _) => measure,
        (FoundValue::Text(word), bound) => {
            return *bound == Bound::Is(ExpectedValue::Text(word.clone()));
        }
    };
    let is_bound = measure.censored || measure.upper_bound;
    let within = |within: &dyn Fn(f64) -> bool| {
        let ends = measure.mean.filter(|_| !is_bound);
        ends.is_some_and(|mean| {
            let ends = [measure.low.unwrap_or(mean), measure.high.unwrap_or(mean)];
            ends.into_iter().all(within)
        })
    };
    match bound {
        Bound::Above(least) => measure.is_above(*least),
        Bound::Below(most) => measure.is_below(*most),
        Bound::Between(least, most) => within(&|value| (*least..=*most).contains(&value)),
        Bound::Is(ExpectedValue::Number(number)) => {
            within(&|value| (value - number).abs() <= EQUAL * number.abs().max(1.0))
        }
        Bound::Is(ExpectedValue::Text(_)) => false,
    }
}

/// Fewer intervals a replicate have no median to speak of (estimate).
const FEWEST_INTERVALS: f64 = 5.0;
/// Fewer intervals a replicate have no 95th percentile: one of them must lie beyond it.
const FEWEST_INTERVALS_OF_P95: f64 = 20.0;
/// Fewer operations beyond a percentile, over all replicates, leave it to chance: the order statistic then has a relative standard error
/// in rank of more than 1 / sqrt(10).
const FEWEST_BEYOND: f64 = 10.0;
/// Fewer operations over all replicates have no mean and no fraction: 100 Poisson events are known to 10 %.
pub(super) const FEWEST_OPERATIONS: u64 = 100;

/// Metrics over intervals, of writes: the median of each.
const MEDIANS: [MetricId; 6] = [
    MetricId::ServerPeakToMean,
    MetricId::ServerMaxShare,
    MetricId::EffectiveServers,
    MetricId::RegionMaxShare,
    MetricId::KeyRangeMaxShare,
    MetricId::RegionGini,
];
/// The same: the 95th percentile.
const P95S: [MetricId; 3] = [
    MetricId::ServerPeakToMeanP95,
    MetricId::ServerMaxShareP95,
    MetricId::EffectiveServersP95,
];

/// Why a metric rests on too little for any bound to hold; `None` when it rests on enough.
pub(super) fn too_short(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    survivors(runs, path)
        .or_else(|| intervals(runs, path))
        .or_else(|| operations(runs, path))
        .or_else(|| replicates(runs, path))
}

/// What was measured of the reads that completed says nothing of those that did not, which are the dear ones.
fn survivors(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    let planned = match path.metric {
        MetricId::Calls => MetricId::CallsPlanned,
        MetricId::RowsRead => MetricId::RowsPlanned,
        MetricId::CellsRead | MetricId::BytesRead => MetricId::CellsPlanned,
        _ => return None,
    };
    let (name, planned) = (path.metric.name(), planned.name());
    let runs = runs.of(path);
    let (cohort, completed) = (runs.cohort(), runs.completed_of_cohort());
    let left = cohort - completed;
    let few = A_FEW * u64::from(runs.replicates());
    (left >= few && (completed as f64) < NEARLY_ALL * cohort as f64).then(|| {
        format!(
            "`{name}` is measured of completed reads, {completed} of {cohort} in the window; `{planned}` is that of all"
        )
    })
}

fn intervals(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    let least = |side: Side| {
        let count = MetricId::IntervalsMeasured.of(side);
        let values = runs.all().values(count).into_iter().flatten();
        values.reduce(f64::min)
    };
    let of_writes = path.metric.of(Side::Write);
    let is_p95 = P95S.contains(&of_writes);
    let is_median = of_writes == MetricId::Hotspot || MEDIANS.contains(&of_writes);
    let found = match path.metric {
        // That of the writes or of the reads.
        MetricId::DemandHotspot => {
            let both = [least(Side::Write), least(Side::Read)];
            both.into_iter().flatten().reduce(f64::max)
        }
        _ if is_p95 || is_median => least(path.metric.side()?),
        _ => None,
    }?;
    let needed = match is_p95 {
        true => FEWEST_INTERVALS_OF_P95,
        false => FEWEST_INTERVALS,
    };
    (found < needed).then(|| {
        format!(
            "a replicate has {} with enough operations, fewer than {needed}",
            counted(found, "interval")
        )
    })
}

fn operations(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    // Of the window: of all that were intended in it, whatever became of them.
    let cohort = runs.of_operations(path).cohort();
    if let Some(quantile) = path.part.and_then(Part::quantile) {
        // Rounded, so that p90 of 100 has ten beyond.
        let beyond = (cohort as f64 * (1.0 - quantile) * 1e6).round() / 1e6;
        return (beyond < FEWEST_BEYOND).then(|| {
            format!(
                "{} of the window: {beyond:.0} beyond the percentile, fewer than {FEWEST_BEYOND}",
                counted(cohort, "operation")
            )
        });
    }
    let of_operations = path.metric.is_of_each() || path.metric == MetricId::Knee;
    (of_operations && cohort < FEWEST_OPERATIONS).then(|| {
        format!(
            "{} of the window, fewer than {FEWEST_OPERATIONS}",
            counted(cohort, "operation")
        )
    })
}

/// One value out of many replicates has no interval, so that its bound would hold untried.
fn replicates(runs: &StrategyRuns, path: &MetricPath) -> Option<String> {
    let values = runs.values(path);
    let defined = values.iter().flatten().count();
    let is_found_once = runs.of(path).is_of_first(path.metric);
    let untried = defined == 1 && values.len() > 1 && !is_found_once;
    untried.then(|| format!("it is defined in 1 of {} replicates", values.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(values: &[f64]) -> FoundValue {
        let values: Vec<_> = values.iter().map(|&value| Some(value)).collect();
        FoundValue::Number(Measure::of(&values, (0.0, f64::INFINITY)))
    }

    #[test]
    fn the_whole_interval_must_satisfy_the_bound() {
        // 4 -+ t(0.975, 2) * 1 / sqrt(3) = 4 -+ 2.484.
        let found = number(&[3.0, 4.0, 5.0]);
        assert!(holds(&found, &Bound::Above(1.5)) && !holds(&found, &Bound::Above(1.52)));
        assert!(holds(&found, &Bound::Below(6.49)) && !holds(&found, &Bound::Below(6.48)));
        assert!(
            holds(&found, &Bound::Between(1.5, 6.5)) && !holds(&found, &Bound::Between(2.0, 6.5))
        );
        assert!(!holds(&found, &Bound::Is(ExpectedValue::Number(4.0))));
    }

    #[test]
    fn one_replicate_counts_as_its_value() {
        let found = number(&[0.3]);
        assert!(
            holds(&found, &Bound::Above(0.29))
                && holds(&found, &Bound::Is(ExpectedValue::Number(0.1 + 0.2)))
        );
        assert!(holds(&found, &Bound::Between(0.3, 0.4)) && !holds(&found, &Bound::Above(0.3)));
    }

    #[test]
    fn what_is_unknown_holds_nothing() {
        for measure in [Measure::UNDEFINED, Measure::UNDEFINED.lower_bound()] {
            let found = FoundValue::Number(measure);
            assert!(!holds(&found, &Bound::Above(1.0)) && !holds(&found, &Bound::Below(10.0)));
        }
    }

    #[test]
    fn a_bound_proves_one_side_only() {
        let FoundValue::Number(nine) = number(&[8.9, 9.0, 9.1]) else {
            unreachable!()
        };
        let other_bounds = [
            Bound::Between(0.0, 100.0),
            Bound::Is(ExpectedValue::Number(9.0)),
            Bound::Is(ExpectedValue::Text("9".into())),
        ];
        // 9 -+ t(0.975, 2) * 0.1 / sqrt(3) = 9 -+ 0.248.
        let least = FoundValue::Number(nine.lower_bound());
        assert!(holds(&least, &Bound::Above(8.75)) && !holds(&least, &Bound::Above(8.76)));
        assert!(!holds(&least, &Bound::Below(1e9)));
        let most = FoundValue::Number(nine.bounded(false, true));
        assert!(holds(&most, &Bound::Below(9.25)) && !holds(&most, &Bound::Below(9.24)));
        assert!(!holds(&most, &Bound::Above(0.0)));
        for bound in &other_bounds {
            assert!(!holds(&least, bound) && !holds(&most, bound), "{bound:?}");
        }
    }

    #[test]
    fn words_are_compared_as_words() {
        let found = FoundValue::Text("moving".to_owned());
        assert!(holds(
            &found,
            &Bound::Is(ExpectedValue::Text("moving".into()))
        ));
        assert!(
            !holds(&found, &Bound::Is(ExpectedValue::Text("static".into())))
                && !holds(&found, &Bound::Is(ExpectedValue::Number(1.0)))
        );
    }
}
