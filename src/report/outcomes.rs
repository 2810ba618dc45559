//! Columns for operations that failed or never finished, which stand beside the percentiles where they are many. Must not know whose they are.

use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::Heading;
use crate::experiment::Measure;
use crate::metrics::MetricId;

/// A share of the operations of the window that did not come to a good end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Its metric, of writes.
    metric: MetricId,
    heading: Heading<'static>,
    /// A lesser share is not worth a column.
    notable: f64,
}

/// Every run leaves a few operations unfinished.
const OUTCOMES: [Outcome; 2] = [
    Outcome {
        metric: MetricId::WriteFailedFraction,
        heading: Heading::number(["", "failed"], 0),
        notable: 0.001,
    },
    Outcome {
        metric: MetricId::WriteUnfinishedFraction,
        heading: Heading::number(["", "unfinished"], 0),
        notable: 0.01,
    },
];

/// Whether the metric at `path` is such a share, and `share` worth a word.
pub fn is_notable(path: &str, share: f64) -> bool {
    let mut outcomes = OUTCOMES.iter();
    outcomes.any(|outcome| path.ends_with(outcome.metric.own_name()) && share >= outcome.notable)
}

/// Those that are notable: `most` tells the greatest share anywhere.
pub fn shown(most: impl Fn(MetricId) -> Option<f64>) -> Vec<Outcome> {
    let mut outcomes = OUTCOMES.to_vec();
    outcomes.retain(|outcome| most(outcome.metric).is_some_and(|share| share >= outcome.notable));
    outcomes
}

/// The headings of their columns.
pub fn headings<'a>(shown: &[Outcome]) -> Vec<Heading<'a>> {
    shown.iter().map(|outcome| outcome.heading).collect()
}

/// The cells of one row.
pub fn cells<'a>(
    shown: &[Outcome],
    measure: impl Fn(MetricId) -> Option<&'a Measure>,
) -> impl Iterator<Item = String> {
    shown.iter().map(move |outcome| {
        let share = measure(outcome.metric);
        share.map_or(UNDEFINED.to_owned(), |share| {
            NumberFormat::Percent.measure(share)
        })
    })
}
