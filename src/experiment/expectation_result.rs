//! One expectation's outcome, as `results.json` holds it and as one sentence tells it. Must not judge.

use super::{Measure, at_point};
use crate::scenario::Bound;
use crate::text::exact;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// One expectation's outcome. Displayed as what was found and what was expected, without the strategy:
/// `server_max_share is 0.998 [0.997, 0.999], expected above 0.95`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectationResult {
    /// Strategy.
    pub strategy: String,
    /// The point of the sweep; empty without a sweep.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// Metric path, or `key` for golden keys.
    pub metric: String,
    /// Other strategy, when a ratio.
    pub ratio_to: Option<String>,
    /// The point of the sweep that it is a ratio to, when another.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ratio_to_sweep: BTreeMap<String, serde_json::Value>,
    /// The record whose key it is, as `field=value` pairs; only of golden keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// What was found.
    pub value: FoundValue,
    /// What was expected.
    pub bound: Bound,
    /// Whether the whole interval satisfies the bound.
    pub holds: bool,
    /// Why it was expected.
    pub because: Option<String>,
    /// What it is known to fail for; it is then no fault while it fails, and one when it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Why the runs were too short to tell, in which case it does not hold, whatever its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What an expectation's outcome means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectationStatus {
    /// It holds.
    Holds,
    /// It does not hold, or could not be told: the run fails.
    Broken,
    /// It does not hold, as its issue says.
    KnownToFail,
    /// It holds though its issue says that it does not: the run fails, so that the issue is taken out.
    Mended,
}

impl ExpectationStatus {
    /// Whether the run fails for it.
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Broken | Self::Mended)
    }
}

/// What was found: a number, or a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FoundValue {
    /// The mean over the replicates with its interval; all null when undefined.
    Number(Measure),
    /// A word (`moving`), or an escaped key.
    Text(String),
}

impl FoundValue {
    pub(super) const UNDEFINED: Self = Self::Number(Measure::UNDEFINED);

    /// In words, with why it is a bound where it is one.
    fn told(&self, open: &str) -> String {
        let measure = match self {
            Self::Text(text) => return text.clone(),
            Self::Number(measure) => measure,
        };
        match (measure.mean, measure.low, measure.high) {
            (None, ..) if measure.censored => format!("unknown ({open})"),
            (None, ..) => "undefined".to_owned(),
            (Some(least), ..) if measure.censored => format!("> {} ({open})", exact(least)),
            (Some(most), ..) if measure.upper_bound => format!("< {} ({open})", exact(most)),
            (Some(mean), Some(low), Some(high)) => {
                format!("{} [{}, {}]", exact(mean), exact(low), exact(high))
            }
            (Some(mean), ..) => exact(mean),
        }
    }
}

/// Why a value is a bound.
const OPEN: &str = "operations that failed or never finished leave it open";

impl fmt::Display for ExpectationResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (metric, bound) = (&self.metric, &self.bound);
        let open = match metric.starts_with("knee_") {
            true => "the search ended at its highest load",
            false => OPEN,
        };
        let value = self.value.told(open);
        match (&self.record, &self.ratio_to) {
            (Some(record), _) => {
                write!(f, "{metric} of {record} is `{value}`, ")?;
                match self.holds {
                    true => write!(f, "as expected"),
                    false => write!(f, "expected `{bound}`"),
                }
            }
            (None, Some(other)) => {
                let at = at_point(&self.ratio_to_sweep);
                write!(
                    f,
                    "{metric} ÷ that of {other}{at} is {value}, expected {bound}"
                )
            }
            (None, None) => write!(f, "{metric} is {value}, expected {bound}"),
        }?;
        f.write_str(&at_point(&self.sweep))?;
        if self.is_unproven() {
            f.write_str(" (the mean is, its interval is not: more replicates narrow it)")?;
        }
        match (self.standing(), &self.reason, &self.issue) {
            (_, Some(reason), _) => write!(f, "; too short a history: {reason}"),
            (ExpectationStatus::KnownToFail, _, Some(issue)) => {
                write!(f, "; known to fail: {issue}")
            }
            (ExpectationStatus::Mended, _, Some(issue)) => {
                write!(
                    f,
                    "; holds, though known to fail: take out `issue = \"{issue}\"`"
                )
            }
            _ => Ok(()),
        }
    }
}

impl ExpectationResult {
    /// What it means for the run. A history that is too short is no known failure.
    pub fn standing(&self) -> ExpectationStatus {
        match (self.holds, &self.issue) {
            (true, None) => ExpectationStatus::Holds,
            (true, Some(_)) => ExpectationStatus::Mended,
            (false, Some(_)) if self.reason.is_none() => ExpectationStatus::KnownToFail,
            (false, _) => ExpectationStatus::Broken,
        }
    }

    /// Of `expectations` so many hold, are broken (or mended), and are known to fail.
    pub fn tally(expectations: &[Self]) -> (usize, usize, usize) {
        let count = |wanted: fn(ExpectationStatus) -> bool| {
            let found = expectations.iter().filter(|it| wanted(it.standing()));
            found.count()
        };
        let holding = count(|it| it == ExpectationStatus::Holds);
        let known = count(|it| it == ExpectationStatus::KnownToFail);
        (holding, count(ExpectationStatus::is_fault), known)
    }

    /// Does not hold, though the mean satisfies the bound.
    fn is_unproven(&self) -> bool {
        let FoundValue::Number(measure) = &self.value else {
            return false;
        };
        let is_bound = measure.censored || measure.upper_bound;
        let open = is_bound || self.holds || self.reason.is_some();
        let mean = measure.mean.filter(|_| !open);
        mean.is_some_and(|mean| match self.bound {
            Bound::Above(least) => mean > least,
            Bound::Below(most) => mean < most,
            Bound::Between(least, most) => (least..=most).contains(&mean),
            Bound::Is(_) => false,
        })
    }
}

impl fmt::Display for FoundValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(OPEN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::ExpectedValue;

    fn told(mean: Option<f64>, interval: Option<(f64, f64)>, censored: bool) -> String {
        let value = FoundValue::Number(Measure {
            mean,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            censored,
            ..Measure::UNDEFINED
        });
        value.to_string()
    }

    #[test]
    fn a_value_is_told_with_its_interval_or_why_it_is_unknown() {
        let interval = Some((1.515_88, 6.484_12));
        assert_eq!(told(Some(4.0), interval, false), "4 [1.5159, 6.4841]");
        assert_eq!(told(Some(0.3), None, false), "0.3");
        assert_eq!(told(None, None, false), "undefined");
        assert_eq!(
            told(Some(12_345.67), None, true),
            "> 12346 (operations that failed or never finished leave it open)"
        );
    }

    fn outcome(holds: bool, issue: Option<&str>, reason: Option<&str>) -> ExpectationResult {
        ExpectationResult {
            strategy: "plain".to_owned(),
            metric: "hotspot".to_owned(),
            sweep: BTreeMap::new(),
            ratio_to_sweep: BTreeMap::new(),
            ratio_to: None,
            record: None,
            value: FoundValue::Text("row".to_owned()),
            bound: Bound::Is(ExpectedValue::Text("none".to_owned())),
            holds,
            because: None,
            issue: issue.map(str::to_owned),
            reason: reason.map(str::to_owned),
        }
    }

    #[test]
    fn a_knee_that_the_search_does_not_reach_is_told_to_be_that() {
        let found = Measure {
            mean: Some(1.5),
            ..Measure::UNDEFINED
        };
        let told = |metric: &str| {
            let found = ExpectationResult {
                metric: metric.to_owned(),
                value: FoundValue::Number(found.lower_bound()),
                ..outcome(false, None, None)
            };
            found.to_string()
        };
        let knee = told("knee_in_servers");
        assert!(
            knee.contains("is > 1.5 (the search ended at its highest load), expected"),
            "{knee}"
        );
        assert!(told("write_response_ms.p99").contains(OPEN));
    }

    #[test]
    fn an_issue_excuses_what_fails_and_nothing_else() {
        let (issue, short) = (Some("#12"), Some("4 intervals, fewer than 5"));
        for (holds, issue, reason, standing, told) in [
            (true, None, None, ExpectationStatus::Holds, ""),
            (false, None, None, ExpectationStatus::Broken, ""),
            (
                false,
                issue,
                None,
                ExpectationStatus::KnownToFail,
                "; known to fail: #12",
            ),
            (
                true,
                issue,
                None,
                ExpectationStatus::Mended,
                "; holds, though known to fail: take out `issue = \"#12\"`",
            ),
            (
                false,
                issue,
                short,
                ExpectationStatus::Broken,
                "; too short a history: 4 intervals, fewer than 5",
            ),
        ] {
            let outcome = outcome(holds, issue, reason);
            assert_eq!(outcome.standing(), standing);
            assert_eq!(
                outcome.to_string(),
                format!("hotspot is row, expected none{told}")
            );
        }
        let all = [
            outcome(true, None, None),
            outcome(true, issue, None),
            outcome(false, issue, None),
            outcome(false, None, None),
        ];
        assert_eq!(ExpectationResult::tally(&all), (1, 2, 1));
    }

    #[test]
    fn bounds_are_data_in_json_and_words_in_a_sentence() {
        let text = |text: &str| Bound::Is(ExpectedValue::Text(text.to_owned()));
        for (bound, json, told) in [
            (Bound::Above(0.95), r#"{"above":0.95}"#, "above 0.95"),
            (Bound::Below(5.0), r#"{"below":5.0}"#, "below 5"),
            (
                Bound::Between(0.95, 1.05),
                r#"{"between":[0.95,1.05]}"#,
                "between 0.95 and 1.05",
            ),
            (Bound::Is(ExpectedValue::Number(2.0)), r#"{"is":2.0}"#, "2"),
            (text("moving"), r#"{"is":"moving"}"#, "moving"),
        ] {
            assert_eq!(serde_json::to_string(&bound).unwrap(), json);
            assert_eq!(bound.to_string(), told);
            assert_eq!(serde_json::from_str::<Bound>(json).unwrap(), bound);
        }
    }
}
