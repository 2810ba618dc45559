//! How charts name strategies and compare them in words.

use super::picture;
use crate::experiment::{Results, StrategyResult};
use crate::metrics::{MetricId, MetricPath};
use crate::report::metric;
use crate::report::number::NumberFormat;
use NumberFormat::Ratio;
use plotters::style::RGBColor;

/// Longest name on a chart, in characters.
const LONGEST_NAME: usize = 48;

/// Numbers within this factor of each other are alike.
pub const ALIKE_WITHIN: f64 = 1.1;

/// Peak to mean from which a server is worth a word.
const HOT: f64 = 1.5;

/// A strategy and its place in the file, which decides its colour.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// Its place.
    pub index: usize,
    /// What was measured of it.
    pub strategy: &'a StrategyResult,
}

impl<'a> Entry<'a> {
    /// All strategies in file order.
    pub fn all(results: &'a Results) -> impl Iterator<Item = Self> {
        let numbered = results.strategies.iter().enumerate();
        numbered.map(|(index, strategy)| Self { index, strategy })
    }

    /// The same colour in every chart.
    pub fn colour(self) -> RGBColor {
        picture::strategy(self.index)
    }

    /// The colour of text about it.
    pub fn text_colour(self) -> RGBColor {
        picture::text(self.colour())
    }

    /// What charts call it.
    pub fn name(self) -> String {
        name(self.strategy)
    }
}

/// What charts call `strategy`, shortened.
pub fn name(strategy: &StrategyResult) -> String {
    let name = match strategy.title.trim().is_empty() {
        true => &strategy.name,
        false => &strategy.title,
    };
    if name.chars().count() <= LONGEST_NAME {
        return name.clone();
    }
    let short: String = name.chars().take(LONGEST_NAME - 1).collect();
    format!("{}…", short.trim_end())
}

/// The same inside a sentence: a name of several words in quotes, so that one sees where it ends.
pub fn quoted_name(strategy: &StrategyResult) -> String {
    let name = name(strategy);
    match name.contains(' ') {
        true => format!("“{name}”"),
        false => name,
    }
}

/// The metric at `path` in a sentence: a lower bound is `more than 18.2 s`.
pub fn in_words(strategy: &StrategyResult, path: MetricPath, format: NumberFormat) -> String {
    let text = metric::text(strategy, path, format);
    match text.strip_prefix(">\u{a0}") {
        Some(bound) => format!("more than {bound}"),
        None => text,
    }
}

/// Who has the hottest server for its fair share; `None` when no strategy has a hot one.
pub fn hottest_servers<'a>(
    strategies: impl IntoIterator<Item = &'a StrategyResult>,
) -> Option<String> {
    let path = MetricId::ServerPeakToMean.whole();
    let (best, worst) = extremes(strategies, path)?;
    let times = |strategy| metric::text(strategy, path, Ratio);
    metric::value(worst, path).filter(|peak| *peak >= HOT)?;
    let (least, most) = (times(best), times(worst));
    if alike(best, worst, path) {
        let range = range(least, most);
        return Some(format!(
            "With every strategy the hottest server takes {range} its fair share"
        ));
    }
    let (best, worst) = (quoted_name(best), quoted_name(worst));
    Some(format!(
        "With {worst} the hottest server takes {most} its fair share, with {best} {least}"
    ))
}

/// Whether the metric at `path` is much the same in both; a lower bound is like nothing.
pub fn alike(least: &StrategyResult, most: &StrategyResult, path: MetricPath) -> bool {
    let value = |strategy| {
        let measure = metric::measure(strategy, path)?;
        metric::value(strategy, path).filter(|_| !measure.censored)
    };
    let values = value(least).zip(value(most));
    values.is_some_and(|(least, most)| most <= least * ALIKE_WITHIN)
}

/// `least to most`, or the one that both are.
pub fn range(least: String, most: String) -> String {
    match least == most {
        true => least,
        false => format!("{least} to {most}"),
    }
}

/// The strategies in which the metric at `path` is defined: the one with the least value, and the one with the greatest, where a lower
/// bound is greater than all that is known; of equals, the first in the file.
pub fn extremes<'a>(
    strategies: impl IntoIterator<Item = &'a StrategyResult>,
    path: MetricPath,
) -> Option<(&'a StrategyResult, &'a StrategyResult)> {
    let known = strategies.into_iter().filter_map(|strategy| {
        let open = metric::measure(strategy, path)?.censored;
        Some(((open, metric::value(strategy, path)?), strategy))
    });
    let known: Vec<((bool, f64), &StrategyResult)> = known.collect();
    let least = known
        .iter()
        .reduce(|best, it| if it.0 < best.0 { it } else { best })?;
    let most = known
        .iter()
        .reduce(|best, it| if it.0 > best.0 { it } else { best })?;
    Some((least.1, most.1))
}
