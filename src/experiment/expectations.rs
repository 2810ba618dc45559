//! Whether what was expected holds. Must not exit, nor excuse.

use super::strategy_summary::StrategySummary;
use super::wording::exact;
use super::{ExpectationResult, Measure, Metric, comparisons};
use crate::metrics::{MetricPath, Unit, lookup};
use crate::scenario::{Bound, Expectation, Scenario};

/// A number equals an expected one within this relative difference: they come by different roads of rounding.
const EQUAL: f64 = 1e-9;

/// What was found of a metric.
enum Found {
    Word(String),
    Number(Measure),
    /// Unfinished operations leave it open; its lower bound.
    Censored(Option<f64>),
    Undefined,
}

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
            ratio_to: None,
            value: format!("`{}` for {}", key.found, key.record),
            bound: format!("`{}`", key.expected),
            holds: key.found == key.expected,
            because: key.because.clone(),
        },
        Expectation::Metric {
            strategy,
            metric,
            bound,
            ratio_to,
            because,
        } => {
            let summary = &summaries[*strategy];
            let base = ratio_to.as_ref().map(|ratio| &summaries[ratio.strategy]);
            let found = find(summary, base, metric);
            ExpectationResult {
                strategy: summary.strategy.name.clone(),
                metric: metric.clone(),
                ratio_to: base.map(|base| base.strategy.name.clone()),
                value: told(&found),
                bound: expected(bound),
                holds: holds(&found, bound),
                because: because.clone(),
            }
        }
    }
}

fn find(summary: &StrategySummary<'_>, base: Option<&StrategySummary<'_>>, metric: &str) -> Found {
    let writes = summary.strategy.setup.write_names();
    let Ok(path) = lookup(metric, &writes) else {
        return Found::Undefined;
    };
    if path.definition.unit == Unit::Word {
        return match summary.hotspot_metric() {
            Metric::Word(word) => Found::Word(word),
            _ => Found::Undefined,
        };
    }
    let Some(base) = base else {
        return of_one(summary, &path);
    };
    if let censored @ Found::Censored(_) = of_one(base, &path) {
        return censored;
    }
    match of_one(summary, &path) {
        Found::Number(_) => {
            comparisons::ratio(summary, base, &path).map_or(Found::Undefined, Found::Number)
        }
        other => other,
    }
}

fn of_one(summary: &StrategySummary<'_>, path: &MetricPath) -> Found {
    let (values, censored) = summary.runs.values(path);
    let measure = Measure::of(
        &values,
        path.definition
            .range_with(summary.strategy.setup.cluster.servers),
    );
    match measure.mean {
        _ if censored => Found::Censored(measure.mean),
        Some(_) => Found::Number(measure),
        None => Found::Undefined,
    }
}

/// The whole interval satisfies the bound; of one replicate, its value does. Words are equal or not.
fn holds(found: &Found, bound: &Bound) -> bool {
    match (found, bound) {
        (Found::Word(word), Bound::IsText(expected)) => word == expected,
        (Found::Number(measure), bound) => {
            let Some(mean) = measure.mean else {
                return false;
            };
            let (low, high) = (measure.low.unwrap_or(mean), measure.high.unwrap_or(mean));
            match *bound {
                Bound::Above(least) => low > least,
                Bound::Below(most) => high < most,
                Bound::Between(least, most) => low >= least && high <= most,
                Bound::IsNumber(number) => {
                    let equal =
                        |value: f64| (value - number).abs() <= EQUAL * number.abs().max(1.0);
                    equal(low) && equal(high)
                }
                Bound::IsText(_) => false,
            }
        }
        _ => false,
    }
}

fn told(found: &Found) -> String {
    match found {
        Found::Word(word) => word.clone(),
        Found::Undefined => "undefined".to_owned(),
        Found::Censored(None) => "unknown: operations were unfinished at the end".to_owned(),
        Found::Censored(Some(least)) => format!(
            "> {}, unknown: operations were unfinished at the end",
            exact(*least)
        ),
        Found::Number(measure) => {
            let mean = measure.mean.map_or_else(String::new, exact);
            match (measure.low, measure.high) {
                (Some(low), Some(high)) => format!("{mean} [{}, {}]", exact(low), exact(high)),
                _ => mean,
            }
        }
    }
}

fn expected(bound: &Bound) -> String {
    match bound {
        Bound::Above(least) => format!("above {least}"),
        Bound::Below(most) => format!("below {most}"),
        Bound::Between(least, most) => format!("between {least} and {most}"),
        Bound::IsNumber(number) => number.to_string(),
        Bound::IsText(word) => word.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(values: &[f64]) -> Found {
        let values: Vec<_> = values.iter().map(|&value| Some(value)).collect();
        Found::Number(Measure::of(&values, (0.0, f64::INFINITY)))
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
        assert_eq!(told(&found), "4 [1.5159, 6.4841]");
    }

    #[test]
    fn one_replicate_counts_as_its_value() {
        let found = number(&[0.3]);
        assert!(holds(&found, &Bound::Above(0.29)) && holds(&found, &Bound::IsNumber(0.1 + 0.2)));
        assert!(holds(&found, &Bound::Between(0.3, 0.4)) && !holds(&found, &Bound::Above(0.3)));
        assert_eq!(told(&found), "0.3");
    }

    #[test]
    fn what_is_unknown_holds_nothing_and_says_so() {
        for found in [
            Found::Undefined,
            Found::Censored(Some(7.0)),
            Found::Censored(None),
        ] {
            assert!(!holds(&found, &Bound::Above(1.0)) && !holds(&found, &Bound::Below(9.0)));
        }
        assert_eq!(
            told(&Found::Censored(Some(12_345.67))),
            "> 12346, unknown: operations were unfinished at the end"
        );
    }

    #[test]
    fn words_are_compared_as_words() {
        let found = Found::Word("moving".to_owned());
        assert!(holds(&found, &Bound::IsText("moving".into())));
        assert!(
            !holds(&found, &Bound::IsText("static".into()))
                && !holds(&found, &Bound::IsNumber(1.0))
        );
        assert_eq!(
            expected(&Bound::Between(0.95, 1.05)),
            "between 0.95 and 1.05"
        );
    }
}
