//! The cells of a paired comparison with the first strategy. Must not know whether they become a page's table or Markdown.

use super::number::NumberFormat;
use crate::experiment::Comparison;

/// Strategy, what it is compared with, metric, ratio with its interval, whether they differ.
pub fn cells(comparison: &Comparison) -> [String; 5] {
    let differs = match comparison.significant {
        true => "yes",
        false => "not significantly",
    };
    [
        comparison.strategy.clone(),
        comparison.baseline.clone(),
        comparison.metric.clone(),
        NumberFormat::Ratio.interval(&comparison.ratio),
        differs.to_owned(),
    ]
}
