//! Whether what was expected holds. Must not exit, nor excuse.

use super::strategy_summary::{StrategySummary, sweep_of};
use super::{
    ExpectationResult, ExpectedBound, ExpectedValue, FoundValue, Measure, comparisons, history,
};
use crate::metrics::{MetricPath, Unit, lookup};
use crate::scenario::{Bound, Expectation, Scenario};
use std::collections::BTreeMap;

/// A number equals an expected one within this relative difference: they come by different roads of rounding.
const EQUAL: f64 = 1e-9;

/// Every expectation with what was found, in file order.
pub(super) fn of(scenario: &Scenario, summaries: &[StrategySummary<'_>]) -> Vec<ExpectationResult> {
    scenario
        .expectations
        .iter()
        .map(|expectation| outcome(scenario, summaries, expectation))
        .collect()
}

fn outcome(
    scenario: &Scenario,
    summaries: &[StrategySummary<'_>],
    expectation: &Expectation,
) -> ExpectationResult {
    match expectation {
        Expectation::Key(key) => ExpectationResult {
            strategy: scenario.strategies[key.strategy].name.clone(),
            metric: "key".to_owned(),
            sweep: sweep_of(scenario.values_at(key.point)),
            ratio_to: None,
            ratio_to_sweep: BTreeMap::new(),
            record: Some(key.record.clone()),
            value: FoundValue::Text(key.found.to_string()),
            bound: ExpectedBound::Is(ExpectedValue::Text(key.expected.to_string())),
            holds: key.found == key.expected,
            because: key.because.clone(),
            issue: key.issue.clone(),
            reason: None,
        },
        Expectation::Metric {
            point,
            strategy,
            metric,
            bound,
            ratio_to,
            because,
            issue,
        } => {
            let at = |point: usize, strategy: usize| {
                &summaries[point * scenario.strategies.len() + strategy]
            };
            let summary = at(*point, *strategy);
            let base = ratio_to
                .as_ref()
                .map(|ratio| at(ratio.point, ratio.strategy));
            let found = find(summary, base, metric);
            let reason = too_short(summary, base, metric);
            ExpectationResult {
                strategy: summary.strategy.name.clone(),
                metric: metric.clone(),
                sweep: sweep_of(summary.point),
                ratio_to_sweep: base
                    .filter(|base| base.point != summary.point)
                    .map_or_else(BTreeMap::new, |base| sweep_of(base.point)),
                ratio_to: base.map(|base| base.strategy.name.clone()),
                record: None,
                holds: reason.is_none() && holds(&found, bound),
                value: found,
                bound: bound.into(),
                because: because.clone(),
                issue: issue.clone(),
                reason,
            }
        }
    }
}

fn find(
    summary: &StrategySummary<'_>,
    base: Option<&StrategySummary<'_>>,
    metric: &str,
) -> FoundValue {
    const UNDEFINED: FoundValue = FoundValue::Number(Measure::UNDEFINED);
    let names = summary.strategy.setup.operation_names();
    let Ok(path) = lookup(metric, &names) else {
        return UNDEFINED;
    };
    if path.definition().unit == Unit::Word {
        return summary.word(&path).map_or(UNDEFINED, FoundValue::Text);
    }
    let found = of_one(summary, &path);
    let Some(base) = base else {
        return FoundValue::Number(found);
    };
    FoundValue::Number(comparisons::ratio(summary, base, &path))
}

/// Why the runs of one or both strategies were too short to tell.
fn too_short(
    summary: &StrategySummary<'_>,
    base: Option<&StrategySummary<'_>>,
    metric: &str,
) -> Option<String> {
    std::iter::once(summary).chain(base).find_map(|summary| {
        let names = summary.strategy.setup.operation_names();
        history::too_short(summary, &lookup(metric, &names).ok()?)
    })
}

fn of_one(summary: &StrategySummary<'_>, path: &MetricPath) -> Measure {
    if path.part.is_none() {
        return summary.runs.of(path).measure(path.metric);
    }
    let (values, censored) = summary.runs.values(path);
    let servers = summary.strategy.setup.cluster.servers;
    let measure = Measure::of(&values, path.definition().range_with(servers));
    if censored {
        measure.lower_bound()
    } else {
        measure
    }
}

/// The whole interval satisfies the bound; of one replicate, its value does. A lower bound proves `above`, an upper one `below`, and neither
/// anything else. Words are equal or not.
fn holds(found: &FoundValue, bound: &Bound) -> bool {
    match (found, bound) {
        (FoundValue::Text(word), Bound::IsText(expected)) => word == expected,
        (FoundValue::Number(measure), Bound::Above(least)) => measure.is_above(*least),
        (FoundValue::Number(measure), Bound::Below(most)) => measure.is_below(*most),
        (FoundValue::Number(measure), bound) if !measure.censored && !measure.upper_bound => {
            let Some(mean) = measure.mean else {
                return false;
            };
            let (low, high) = (measure.low.unwrap_or(mean), measure.high.unwrap_or(mean));
            match *bound {
                Bound::Between(least, most) => low >= least && high <= most,
                Bound::IsNumber(number) => {
                    let equal =
                        |value: f64| (value - number).abs() <= EQUAL * number.abs().max(1.0);
                    equal(low) && equal(high)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

impl From<&Bound> for ExpectedBound {
    fn from(bound: &Bound) -> Self {
        match bound {
            Bound::Above(least) => Self::Above(*least),
            Bound::Below(most) => Self::Below(*most),
            Bound::Between(least, most) => Self::Between(*least, *most),
            Bound::IsNumber(number) => Self::Is(ExpectedValue::Number(*number)),
            Bound::IsText(word) => Self::Is(ExpectedValue::Text(word.clone())),
        }
    }
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
        assert!(!holds(&found, &Bound::IsNumber(4.0)));
    }

    #[test]
    fn one_replicate_counts_as_its_value() {
        let found = number(&[0.3]);
        assert!(holds(&found, &Bound::Above(0.29)) && holds(&found, &Bound::IsNumber(0.1 + 0.2)));
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
            Bound::IsNumber(9.0),
            Bound::IsText("9".into()),
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
        assert!(holds(&found, &Bound::IsText("moving".into())));
        assert!(
            !holds(&found, &Bound::IsText("static".into()))
                && !holds(&found, &Bound::IsNumber(1.0))
        );
    }
}
