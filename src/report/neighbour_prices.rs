//! The third table: what neighbours feel, a row a neighbour and strategy. Must not know whether it becomes a terminal's table or Markdown.

use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::{Heading, Scorecard};
use super::sweep_views;
use crate::experiment::{OperationResult, Results, StrategyResult};
use crate::metrics::{MetricId, MetricPath, Part};

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

fn row(strategy: &StrategyResult, neighbour: &OperationResult) -> Vec<String> {
    let text = |path: MetricPath, kind: NumberFormat| {
        let measure = neighbour.number(path);
        measure.map_or(UNDEFINED.to_owned(), |measure| kind.measure(measure))
    };
    let rate = |id: MetricId| neighbour.number(id)?.mean;
    let served = rate(MetricId::NeighbourThroughput)
        .zip(rate(MetricId::NeighbourOffered).filter(|offered| *offered > 0.0))
        .map(|(done, offered)| done / offered);
    vec![
        neighbour.name.clone(),
        strategy.name.clone(),
        text(MetricId::NeighbourThroughput.whole(), NumberFormat::Compact),
        served.map_or(UNDEFINED.to_owned(), Scorecard::served),
        text(
            MetricId::NeighbourResponse.at(Part::P50),
            NumberFormat::Millis,
        ),
        text(
            MetricId::NeighbourResponse.at(Part::P99),
            NumberFormat::Millis,
        ),
        text(
            MetricId::NeighbourResponse.at(Part::P999),
            NumberFormat::Millis,
        ),
        text(
            MetricId::NeighbourFailedFraction.whole(),
            NumberFormat::Percent,
        ),
    ]
}
