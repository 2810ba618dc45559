//! Columns for operations that failed or never finished, which stand beside the percentiles where they are many. Must not know whose they are.

use super::metric;
use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::Heading;
use crate::experiment::Metric;
use std::collections::BTreeMap;

/// A share of the operations of the window that did not come to a good end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Its metric behind the kind of operation.
    metric: &'static str,
    heading: Heading<'static>,
    /// A lesser share is not worth a column.
    notable: f64,
}

/// Every run leaves a few operations unfinished.
const OUTCOMES: [Outcome; 2] = [
    Outcome {
        metric: "failed_fraction",
        heading: Heading::number(["", "failed"], 0),
        notable: 0.001,
    },
    Outcome {
        metric: "unfinished_fraction",
        heading: Heading::number(["", "unfinished"], 0),
        notable: 0.01,
    },
];

/// Whether the metric at `path` is such a share, and `share` worth a word.
pub fn is_notable(path: &str, share: f64) -> bool {
    let mut outcomes = OUTCOMES.iter();
    outcomes.any(|outcome| path.ends_with(outcome.metric) && share >= outcome.notable)
}

/// Those that are notable among any of these metrics, whose names begin as given.
pub fn shown<'a>(
    all: impl Iterator<Item = (&'a BTreeMap<String, Metric>, &'a str)> + Clone,
) -> Vec<Outcome> {
    let mut outcomes = OUTCOMES.to_vec();
    outcomes.retain(|outcome| {
        all.clone().any(|(metrics, prefix)| {
            let share = metric::at(metrics, &format!("{prefix}{}", outcome.metric));
            let mean = share.and_then(|share| share.mean);
            mean.is_some_and(|mean| mean >= outcome.notable)
        })
    });
    outcomes
}

/// The headings of their columns.
pub fn headings<'a>(shown: &[Outcome]) -> Vec<Heading<'a>> {
    shown.iter().map(|outcome| outcome.heading).collect()
}

/// The cells of one row.
pub fn cells(
    shown: &[Outcome],
    metrics: &BTreeMap<String, Metric>,
    prefix: &str,
) -> impl Iterator<Item = String> {
    shown.iter().map(move |outcome| {
        let share = metric::at(metrics, &format!("{prefix}{}", outcome.metric));
        share.map_or(UNDEFINED.to_owned(), |share| {
            NumberFormat::Percent.measure(share)
        })
    })
}
