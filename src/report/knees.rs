//! The table of knees: the highest load that each strategy keeps within the limits, a row a strategy. Must not know whether it becomes a
//! terminal's table or Markdown.

use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::{Heading, Scorecard};
use super::{metric, sweep_views};
use crate::experiment::{KneeResult, Results, StrategyResult, point_label};
use crate::metrics::MetricId;

/// The headings, in order.
const HEADINGS: [Heading<'static>; 6] = [
    Heading::text(["", "strategy"], 0),
    Heading::number(["knee", "writes/s"], 0),
    Heading::text(["", "[95 % interval]"], 2),
    Heading::number(["servers'", "worth"], 1),
    Heading::number(["÷", "first"], 3),
    Heading::text(["", "breaks first"], 4),
];

/// The table of `results`, a row a strategy and point of a sweep; `None` when no knee was looked for.
pub fn of(results: &Results) -> Option<Scorecard<'_>> {
    let (_, knee) = found(results).next()?;
    let mut headings = HEADINGS.to_vec();
    if knee.vary.starts_with("read.") {
        headings[1].lines[1] = "reads/s";
    }
    headings.splice(0..0, sweep_views::headings(results));
    let rows = found(results).map(|(strategy, knee)| {
        let same_point = |(other, _): &(&StrategyResult, _)| other.sweep == strategy.sweep;
        let first = found(results).find(same_point);
        let first = first.and_then(|(first, _)| metric::value(first, KNEE));
        let mut cells = sweep_views::cells(results, &strategy.sweep);
        cells.extend(row(strategy, knee, first));
        cells
    });
    Some(Scorecard {
        rows: rows.collect(),
        headings,
    })
}

/// What a knee is in `results`; `None` when none was looked for.
pub fn caption(results: &Results) -> Option<String> {
    let (_, knee) = found(results).next()?;
    Some(format!("knee: {}", knee.caption()))
}

/// The strategies whose knee was looked for.
pub fn found(results: &Results) -> impl Iterator<Item = (&StrategyResult, &KneeResult)> {
    let strategies = results.strategies.iter();
    strategies.filter_map(|strategy| Some((strategy, strategy.knee.as_ref()?)))
}

/// Its name, with the swept values: `salted at parameter.buckets = 4`.
pub fn name(strategy: &StrategyResult) -> String {
    match strategy.sweep.is_empty() {
        true => strategy.name.clone(),
        false => format!("{} at {}", strategy.name, point_label(&strategy.sweep)),
    }
}

const KNEE: MetricId = MetricId::Knee;

fn row(strategy: &StrategyResult, knee: &KneeResult, first: Option<f64>) -> Vec<String> {
    let measure = metric::measure(strategy, KNEE);
    let lower_bound = measure.is_some_and(|measure| measure.censored);
    let interval = measure.and_then(|measure| measure.low.zip(measure.high));
    let ratio = metric::value(strategy, KNEE).zip(first.filter(|first| *first > 0.0));
    vec![
        strategy.name.clone(),
        metric::text(strategy, KNEE, NumberFormat::Compact),
        interval.map_or(UNDEFINED.to_owned(), |(low, high)| {
            format!(
                "[{}, {}]",
                NumberFormat::Compact.text(low),
                NumberFormat::Compact.text(high)
            )
        }),
        metric::text(strategy, MetricId::KneeInServers, NumberFormat::Plain),
        ratio
            .filter(|_| !lower_bound)
            .map_or(UNDEFINED.to_owned(), |(knee, first)| {
                NumberFormat::Ratio.text(knee / first)
            }),
        match knee.binding.is_empty() {
            true => UNDEFINED.to_owned(),
            false => knee.binding.join(", "),
        },
    ]
}
