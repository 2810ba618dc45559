//! How charts name strategies and compare them in words.

use super::picture;
use crate::experiment::{Results, StrategyResult};
use crate::metrics::{MetricId, MetricPath};
use crate::report::metric;
use crate::report::number::{self, NumberFormat};
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

    /// What charts call it.
    pub fn name(self) -> String {
        name(self.strategy)
    }
}

/// What charts call `strategy`: its name, as everywhere, shortened.
pub fn name(strategy: &StrategyResult) -> String {
    let name = &strategy.name;
    if name.chars().count() <= LONGEST_NAME {
        return name.clone();
    }
    let short: String = name.chars().take(LONGEST_NAME - 1).collect();
    format!("{}…", short.trim_end())
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
    let (best, worst) = (name(best), name(worst));
    Some(format!(
        "With {worst} the hottest server takes {most} its fair share, with {best} {least}"
    ))
}

/// Whether the metric at `path` is much the same in both, or their replicates don't show that it differs; a lower bound is like nothing that it is
/// shown to be above.
pub fn alike(least: &StrategyResult, most: &StrategyResult, path: MetricPath) -> bool {
    let value = |strategy| {
        let measure = metric::measure(strategy, path)?;
        metric::value(strategy, path).filter(|_| !measure.censored)
    };
    let values = value(least).zip(value(most));
    values.is_some_and(|(least, most)| most <= least * ALIKE_WITHIN)
        || !is_shown_above(most, least, path)
}

/// Whether the replicates show that the metric at `path` is greater in `most`. A single one shows what it has: charts say that it is alone.
pub fn is_shown_above(most: &StrategyResult, least: &StrategyResult, path: MetricPath) -> bool {
    let ratio = most.ratio(least, metric::of_load(most, path));
    let measure = |strategy| metric::measure(strategy, path);
    match (ratio.mean, measure(least), measure(most)) {
        (_, Some(low), Some(high)) if low.n == 1 && high.n == 1 => {
            let values = metric::value(least, path).zip(metric::value(most, path));
            !low.censored && values.is_some_and(|(low, high)| low < high)
        }
        (Some(_), ..) => ratio.low.is_some_and(|low| low > 1.0),
        (None, Some(least), Some(most)) => least.high.zip(most.low).is_some_and(|(a, b)| a < b),
        _ => false,
    }
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

const EFFECTIVE: MetricPath = MetricId::EffectiveServers.whole();

/// `4.0 of 8`.
fn effective(strategy: &StrategyResult) -> Option<String> {
    let servers = metric::value(strategy, EFFECTIVE)?;
    Some(number::of(servers, strategy.servers))
}

/// Who spreads best and who worst.
pub fn spread_of_load(results: &Results) -> String {
    let Some((worst, best)) = extremes(&results.strategies, EFFECTIVE) else {
        return "How evenly do the servers share the load?".to_owned();
    };
    let uses = |strategy| effective(strategy).unwrap_or_default();
    let (most, least) = (uses(best), uses(worst));
    if results.strategies.len() == 1 {
        return format!("{} uses {most} servers", name(best));
    }
    if results.strategies.iter().all(|it| it.servers == 1) {
        return "The only server takes all the load".to_owned();
    }
    if most == least {
        return format!("Every strategy uses {most} servers");
    }
    if best.servers == worst.servers && alike(worst, best, EFFECTIVE) {
        let least = metric::value(worst, EFFECTIVE).unwrap_or_default();
        return format!("Every strategy uses {least:.1} to {most} servers");
    }
    let (best, worst) = (name(best), name(worst));
    format!("{best} uses {most} servers, {worst} {least}")
}
