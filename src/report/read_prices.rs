//! The second table: what reads pay, a row a read and strategy. Must not know whether it becomes a terminal's table or Markdown.

use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::{Heading, Scorecard};
use super::{outcomes, sweep_views};
use crate::experiment::{ReadResult, Results, StrategyResult};
use crate::metrics::{MetricId, Part};

/// The headings, in order.
const HEADINGS: [Heading<'static>; 9] = [
    Heading::text(["", "read"], 0),
    Heading::text(["", "strategy"], 0),
    Heading::text(["", "path"], 0),
    Heading::number(["", "calls"], 0),
    Heading::number(["", "regions"], 3),
    Heading::number(["rows", "read"], 2),
    Heading::number(["read ÷", "returned"], 0),
    Heading::number(["of", "offered"], 1),
    Heading::number(["", "p99"], 0),
];

/// The table of `results`, read by read in the order of the file; `None` without reads.
pub fn of(results: &Results) -> Option<Scorecard<'_>> {
    let shown = outcomes::shown(|id| {
        let all = results.strategies.iter();
        let reads = all.flat_map(|strategy| &strategy.reads);
        reads
            .filter_map(|read| read.number(id)?.mean)
            .reduce(f64::max)
    });
    let mut rows = Vec::new();
    for name in names(results) {
        for (strategy, read) in priced(results, name) {
            let mut cells = row(strategy, read);
            cells.extend(outcomes::cells(&shown, |id| read.number(id)));
            cells.splice(1..1, sweep_views::cells(results, &strategy.sweep));
            rows.push(cells);
        }
    }
    let mut headings = HEADINGS.to_vec();
    headings.extend(outcomes::headings(&shown));
    headings.splice(1..1, sweep_views::headings(results));
    (!rows.is_empty()).then_some(Scorecard { headings, rows })
}

/// The names of all reads, in file order.
pub fn names(results: &Results) -> impl Iterator<Item = &str> {
    // Every strategy has the same reads.
    let first = results.strategies.first();
    let reads = first.map_or(&[][..], |strategy| &strategy.reads);
    reads.iter().map(|read| read.name.as_str())
}

/// The strategies that say what `name` pays, in file order.
pub fn priced<'a>(
    results: &'a Results,
    name: &'a str,
) -> impl Iterator<Item = (&'a StrategyResult, &'a ReadResult)> {
    results.strategies.iter().filter_map(move |strategy| {
        let read = strategy.reads.iter().find(|read| read.name == name)?;
        Some((strategy, read))
    })
}

fn row(strategy: &StrategyResult, read: &ReadResult) -> Vec<String> {
    let rate = |id: MetricId| read.number(id)?.mean;
    let served = rate(MetricId::ReadThroughput)
        .zip(rate(MetricId::ReadOffered).filter(|offered| *offered > 0.0))
        .map(|(done, offered)| done / offered);
    vec![
        read.name.clone(),
        strategy.name.clone(),
        path(read),
        NumberFormat::Compact.measure(&read.calls_planned),
        NumberFormat::Compact.measure(&read.regions),
        NumberFormat::Compact.measure(&read.rows_planned),
        rows_per_row(read).map_or(UNDEFINED.to_owned(), |ratio| {
            NumberFormat::Ratio.text(ratio)
        }),
        served.map_or(UNDEFINED.to_owned(), Scorecard::served),
        p99(read),
    ]
}

/// The access path, with the copy of the table that serves it when it is not the table itself.
fn path(read: &ReadResult) -> String {
    let path = read.path.as_deref().unwrap_or(UNDEFINED);
    match read.copy {
        Some(copy) => format!("{path}, copy {copy}"),
        None => path.to_owned(),
    }
}

/// Rows that servers have to read for each row that the reader gets; one that gets nothing is taken to get one.
pub fn rows_per_row(read: &ReadResult) -> Option<f64> {
    Some(read.rows_planned.mean? / read.rows_returned.mean?.max(1.0))
}

fn p99(read: &ReadResult) -> String {
    let response = read.number(MetricId::ReadResponse.at(Part::P99));
    response.map_or(UNDEFINED.to_owned(), |p99| {
        NumberFormat::Millis.measure(p99)
    })
}
