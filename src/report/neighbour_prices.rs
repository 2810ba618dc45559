//! The third table: what neighbours feel, a row a neighbour and strategy. Must not know whether it becomes a terminal's table or Markdown.

use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::{Heading, Scorecard};
use super::{metric, sweep_views};
use crate::experiment::{NeighbourResult, Results, StrategyResult};

/// The headings, in order.
const HEADINGS: [Heading<'static>; 8] = [
    Heading::text(["", "neighbour"], 0),
    Heading::text(["", "strategy"], 0),
    Heading::number(["", "calls/s"], 2),
    Heading::number(["of", "offered"], 1),
    Heading::number(["", "p50"], 3),
    Heading::number(["", "p99"], 0),
    Heading::number(["", "p99.9"], 4),
    Heading::number(["", "failed"], 0),
];

/// The table of `results`, neighbour by neighbour in the order of the file; `None` without any.
pub fn of(results: &Results) -> Option<Scorecard<'_>> {
    // Every strategy has the same neighbours.
    let first = results.strategies.first()?;
    let rows: Vec<Vec<String>> = first
        .neighbours
        .iter()
        .flat_map(|named| {
            results.strategies.iter().filter_map(|strategy| {
                let all = &strategy.neighbours;
                let found = all.iter().find(|found| found.name == named.name)?;
                let mut cells = row(strategy, found);
                cells.splice(1..1, sweep_views::cells(results, &strategy.sweep));
                Some(cells)
            })
        })
        .collect();
    let mut headings = HEADINGS.to_vec();
    headings.splice(1..1, sweep_views::headings(results));
    (!rows.is_empty()).then_some(Scorecard { headings, rows })
}

fn row(strategy: &StrategyResult, neighbour: &NeighbourResult) -> Vec<String> {
    let measure = |path: &str| metric::at(&neighbour.metrics, path);
    let text = |path: &str, kind: NumberFormat| {
        measure(path).map_or(UNDEFINED.to_owned(), |measure| kind.measure(measure))
    };
    let rate = |path: &str| measure(path).and_then(|measure| measure.mean);
    let served = rate("throughput_per_sec")
        .zip(rate("offered_per_sec").filter(|offered| *offered > 0.0))
        .map(|(done, offered)| done / offered);
    vec![
        neighbour.name.clone(),
        strategy.name.clone(),
        text("throughput_per_sec", NumberFormat::Compact),
        served.map_or(UNDEFINED.to_owned(), Scorecard::served),
        text("response_ms.p50", NumberFormat::Millis),
        text("response_ms.p99", NumberFormat::Millis),
        text("response_ms.p999", NumberFormat::Millis),
        text("failed_fraction", NumberFormat::Percent),
    ]
}
