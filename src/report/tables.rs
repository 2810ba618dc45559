//! The tables of results: a row a strategy, a read or a neighbour, at each point of a sweep. Rows are in the order of the file, so that they
//! match the panels and colours of the charts; where nothing is written, the reads' numbers stand in the place of the writes'.

use super::document::{Column, Look, Table};
use super::number::{self, NumberFormat, UNDEFINED};
use super::{metric, sweep_views};
use crate::experiment::{
    Comparison, KneeResult, Measure, OperationResult, ReadResult, Results, StrategyResult,
};
use crate::metrics::{MetricId, MetricPath, Part};
use NumberFormat::{Bytes, Compact, Millis, Percent, Plain, Ratio};

/// What a row tells of.
#[derive(Clone, Copy)]
struct Row<'a> {
    results: &'a Results,
    strategy: &'a StrategyResult,
    of: Operations<'a>,
}

/// Whose numbers a row shows.
#[derive(Clone, Copy)]
enum Operations<'a> {
    /// The strategy's own.
    All,
    Read(&'a ReadResult),
    Neighbour(&'a OperationResult),
}

impl<'a> Row<'a> {
    /// A measure by the name that writes give it.
    fn measure(&self, path: impl Into<MetricPath>) -> Option<&'a Measure> {
        match self.of {
            Operations::All => metric::measure(self.strategy, path),
            Operations::Read(read) => read.number(path),
            Operations::Neighbour(neighbour) => neighbour.number(path),
        }
    }

    fn text(&self, path: impl Into<MetricPath>, format: NumberFormat) -> String {
        format.measure(self.measure(path).unwrap_or(&Measure::UNDEFINED))
    }

    fn interval(&self, path: impl Into<MetricPath>, format: NumberFormat) -> String {
        format.interval(self.measure(path).unwrap_or(&Measure::UNDEFINED))
    }

    fn response(&self, part: Part) -> String {
        self.text(MetricId::WriteResponse.at(part), Millis)
    }

    /// How much of what was offered is done. Completions of the window include operations from before it: a little more than all is all.
    fn served(&self) -> String {
        let rate = |id: MetricId| self.measure(id)?.mean;
        let (results, strategy) = (self.results, self.strategy);
        let offered = match self.of {
            Operations::All => {
                metric::offered_per_sec(strategy, results.replicates, results.duration_s)
            }
            _ => rate(MetricId::WriteOffered).filter(|offered| *offered > 0.0),
        };
        let part = rate(MetricId::WriteThroughput).zip(offered);
        let part = part.map(|(done, offered)| done / offered);
        Percent.optional(part.map(|part| if part > 0.995 { part.round() } else { part }))
    }

    /// The name of its read or neighbour.
    fn name(&self) -> String {
        match self.of {
            Operations::All => self.strategy.name.clone(),
            Operations::Read(read) => read.name.clone(),
            Operations::Neighbour(neighbour) => neighbour.name.clone(),
        }
    }
}

/// A column and its cell of a row.
#[derive(Clone, Copy)]
struct Cells {
    lines: [&'static str; 2],
    right: bool,
    expendable: u8,
    cell: fn(&Row<'_>) -> String,
    /// A share of the operations without a good end, and from which share anywhere on it is worth a column: every run leaves a few unfinished.
    outcome: Option<(MetricId, f64)>,
}

const fn words(lines: [&'static str; 2], expendable: u8, cell: fn(&Row<'_>) -> String) -> Cells {
    Cells {
        lines,
        right: false,
        expendable,
        cell,
        outcome: None,
    }
}

const fn numbers(lines: [&'static str; 2], expendable: u8, cell: fn(&Row<'_>) -> String) -> Cells {
    let right = true;
    Cells {
        right,
        ..words(lines, expendable, cell)
    }
}

const STRATEGY: Cells = words(["", "strategy"], 0, |it| it.strategy.name.clone());

const FAILED: Cells = Cells {
    outcome: Some((MetricId::WriteFailedFraction, 0.001)),
    ..numbers(["", "failed"], 0, |it| {
        it.text(MetricId::WriteFailedFraction, Percent)
    })
};

const REFUSED: Cells = Cells {
    outcome: Some((MetricId::RefusedCallsFraction, 0.001)),
    ..numbers(["calls", "refused"], 7, |it| {
        it.text(MetricId::RefusedCallsFraction, Percent)
    })
};

const UNFINISHED: Cells = Cells {
    outcome: Some((MetricId::WriteUnfinishedFraction, 0.01)),
    ..numbers(["", "unfinished"], 0, |it| {
        it.text(MetricId::WriteUnfinishedFraction, Percent)
    })
};

#[rustfmt::skip]
const SCORECARD: &[Cells] = &[
    STRATEGY,
    numbers(["hottest", "÷ mean"], 0, |it| it.text(MetricId::ServerPeakToMean, Ratio)),
    numbers(["effective", "servers"], 5, effective_servers),
    numbers(["hot", "time"], 2, |it| it.text(MetricId::HotTimeFraction, Percent)),
    numbers(["", "writes/s"], 0, |it| it.text(MetricId::WriteThroughput, Compact)),
    numbers(["of", "offered"], 3, |it| it.served()),
    numbers(["", "goodput/s"], 9, |it| it.text(MetricId::WriteGoodput, Compact)),
    numbers(["", "p50"], 6, |it| it.response(Part::P50)),
    numbers(["", "p99"], 0, |it| it.response(Part::P99)),
    numbers(["", "p99.9"], 4, |it| it.response(Part::P999)),
    FAILED,
    UNFINISHED,
    REFUSED,
    numbers(["empty", "regions"], 8, |it| it.text(MetricId::EmptyRegionFraction, Percent)),
    numbers(["bytes", "a write"], 10, |it| it.text(MetricId::WriteBytes, Bytes)),
    numbers(["", "table"], 11, |it| it.text(MetricId::TableBytes, Bytes)),
    words(["", "hotspot"], 0, |it| it.strategy.hotspot_text().unwrap_or_else(|| UNDEFINED.to_owned())),
];

#[rustfmt::skip]
const READS: &[Cells] = &[
    words(["", "read"], 0, |it| it.name()),
    STRATEGY,
    words(["", "path"], 0, read_path),
    numbers(["", "calls"], 0, |it| it.text(MetricId::CallsPlanned, Compact)),
    numbers(["", "regions"], 3, |it| it.text(MetricId::Regions, Compact)),
    numbers(["rows", "read"], 2, |it| it.text(MetricId::RowsPlanned, Compact)),
    numbers(["cells", "read"], 1, cells_read),
    numbers(["read ÷", "returned"], 0, read_per_returned),
    numbers(["", "reads/s"], 1, rate_of_closed_loop),
    numbers(["of", "offered"], 1, |it| it.served()),
    numbers(["", "p99"], 0, |it| it.response(Part::P99)),
    FAILED,
    UNFINISHED,
];

#[rustfmt::skip]
const NEIGHBOURS: &[Cells] = &[
    words(["", "neighbour"], 0, |it| it.name()),
    STRATEGY,
    numbers(["", "calls/s"], 2, |it| it.text(MetricId::WriteThroughput, Compact)),
    numbers(["of", "offered"], 1, |it| it.served()),
    numbers(["", "p50"], 3, |it| it.response(Part::P50)),
    numbers(["", "p99"], 0, |it| it.response(Part::P99)),
    numbers(["", "p99.9"], 4, |it| it.response(Part::P999)),
    Cells { outcome: None, ..FAILED },
];

#[rustfmt::skip]
const KNEES: &[Cells] = &[
    STRATEGY,
    numbers(["knee", "writes/s"], 0, |it| it.text(MetricId::Knee, Compact)),
    words(["", "[95 % interval]"], 2, knee_interval),
    numbers(["servers'", "worth"], 1, |it| it.text(MetricId::KneeInServers, Plain)),
    numbers(["÷", "first"], 3, knee_ratio),
    words(["", "breaks first"], 4, knee_binding),
];

#[rustfmt::skip]
const INTERVALS: &[Cells] = &[
    STRATEGY,
    numbers(["", "hottest ÷ mean"], 0, |it| it.interval(MetricId::ServerPeakToMean, Ratio)),
    numbers(["", "writes/s"], 0, |it| it.interval(MetricId::WriteThroughput, Compact)),
    numbers(["", "p99"], 0, |it| it.interval(MetricId::WriteResponse.at(Part::P99), Millis)),
    numbers(["", "hot time"], 0, |it| it.interval(MetricId::HotTimeFraction, Percent)),
];

/// Rows under `cells`, the swept settings' columns before the one at `swept`; `None` without rows.
fn table<'a>(
    cells: &[Cells],
    swept: usize,
    rows: impl IntoIterator<Item = Row<'a>>,
) -> Option<Table> {
    let rows: Vec<Row<'_>> = rows.into_iter().collect();
    let results = rows.first()?.results;
    let is_worth = |it: &&Cells| {
        let is_notable = it.outcome.is_none_or(|(share, least)| {
            let shares = rows.iter().filter_map(|row| row.measure(share)?.mean);
            shares.reduce(f64::max).is_some_and(|most| most >= least)
        });
        is_notable && rows.iter().any(|row| !(it.cell)(row).is_empty())
    };
    let cells: Vec<&Cells> = cells.iter().filter(is_worth).collect();
    let column = |it: &&Cells| Column::new(it.lines, it.right, it.expendable);
    let mut columns: Vec<Column> = cells.iter().map(column).collect();
    columns.splice(swept..swept, sweep_views::columns(results));
    let row = |row: &Row<'_>| {
        let mut texts: Vec<String> = cells.iter().map(|it| (it.cell)(row)).collect();
        let point = sweep_views::cells(results, &row.strategy.sweep);
        texts.splice(swept..swept, point);
        texts
    };
    Some(Table {
        columns,
        rows: rows.iter().map(row).collect(),
        look: Look::Grouped,
    })
}

/// A row a strategy.
fn strategies(results: &Results) -> impl Iterator<Item = Row<'_>> {
    let of = Operations::All;
    let strategies = results.strategies.iter();
    strategies.map(move |strategy| Row {
        results,
        strategy,
        of,
    })
}

fn of_reads(columns: &mut [Column]) {
    let writes = columns.iter_mut().filter(|it| it.lines[1] == "writes/s");
    writes.for_each(|it| it.lines[1] = "reads/s".into());
}

/// The scorecard with all its columns.
pub fn scorecard(results: &Results) -> Table {
    let mut card = table(SCORECARD, 0, strategies(results)).unwrap_or_default();
    if metric::load_name(&results.strategies) == "reads" {
        of_reads(&mut card.columns);
    }
    let length = |strategy: &StrategyResult| {
        let skew = metric::value(strategy, MetricId::ServerPeakToMean)?;
        // All of it is one server doing everything.
        Some((100.0 * skew / f64::from(strategy.servers.max(1))).clamp(0.0, 100.0))
    };
    card.look = Look::Scorecard(results.strategies.iter().map(length).collect());
    card
}

fn effective_servers(row: &Row<'_>) -> String {
    let effective = metric::value(row.strategy, MetricId::EffectiveServers);
    effective.map_or(UNDEFINED.to_owned(), |it| {
        number::of(it, row.strategy.servers)
    })
}

/// What reads pay, read by read in the order of the file; `None` without reads.
pub fn reads(results: &Results) -> Option<Table> {
    let rows = read_names(results).flat_map(|name| priced(results, name));
    let rows = rows.map(|(strategy, read)| Row {
        results,
        strategy,
        of: Operations::Read(read),
    });
    table(READS, 1, rows)
}

/// The names of all reads, in file order.
pub fn read_names(results: &Results) -> impl Iterator<Item = &str> {
    // Every strategy has the same reads.
    let first = results.strategies.first();
    let reads = first.map_or(&[][..], |strategy| &strategy.reads);
    reads.iter().map(|read| read.name.as_str())
}

/// The strategies that say what the read called `name` pays, in file order.
pub fn priced<'a>(
    results: &'a Results,
    name: &'a str,
) -> impl Iterator<Item = (&'a StrategyResult, &'a ReadResult)> {
    results.strategies.iter().filter_map(move |strategy| {
        let read = strategy.reads.iter().find(|read| read.name == name)?;
        Some((strategy, read))
    })
}

/// The access path, with the copy of the table that serves it when it is not the table itself.
fn read_path(row: &Row<'_>) -> String {
    let Operations::Read(read) = row.of else {
        return UNDEFINED.to_owned();
    };
    let path = read.path.as_deref().unwrap_or(UNDEFINED);
    let copy = read.copy.map(|copy| format!(", copy {copy}"));
    format!("{path}{}", copy.unwrap_or_default())
}

/// What readers get who ask again after a reply: of others it is what they were offered, or a part of it.
fn rate_of_closed_loop(row: &Row<'_>) -> String {
    match row.of {
        Operations::Read(read) if read.closed_loop => row.text(MetricId::WriteThroughput, Compact),
        _ => String::new(),
    }
}

/// Nothing where each row has one.
fn cells_read(row: &Row<'_>) -> String {
    match row.of {
        Operations::Read(ReadResult { cells: Some(_), .. }) => {
            row.text(MetricId::CellsPlanned, Compact)
        }
        _ => String::new(),
    }
}

/// Rows, or cells where some row has several, that servers have to read for each one that the reader gets; who gets nothing is taken to get
/// one.
fn read_per_returned(row: &Row<'_>) -> String {
    let mean = |id: MetricId| row.measure(id)?.mean;
    let cells = mean(MetricId::CellsPlanned).zip(mean(MetricId::CellsReturned));
    let rows = mean(MetricId::RowsPlanned).zip(mean(MetricId::RowsReturned));
    Ratio.optional(
        cells
            .or(rows)
            .map(|(read, returned)| read / returned.max(1.0)),
    )
}

/// What neighbours feel, neighbour by neighbour in the order of the file; `None` without any.
pub fn neighbours(results: &Results) -> Option<Table> {
    // Every strategy has the same neighbours.
    let named = results.strategies.first()?.neighbours.iter();
    let rows = named.flat_map(|named| {
        strategies(results).filter_map(|row| {
            let mut all = row.strategy.neighbours.iter();
            let of = Operations::Neighbour(all.find(|found| found.name == named.name)?);
            Some(Row { of, ..row })
        })
    });
    table(NEIGHBOURS, 1, rows)
}

/// The highest load that each strategy keeps within the limits; `None` when no knee was looked for.
pub fn knees(results: &Results) -> Option<Table> {
    let sought = strategies(results).filter(|row| row.strategy.knee.is_some());
    let mut table = table(KNEES, 0, sought)?;
    let (_, knee) = knees_found(results).next()?;
    if knee.vary.starts_with("read.") {
        of_reads(&mut table.columns);
    }
    Some(table)
}

/// The strategies whose knee was looked for.
pub fn knees_found(results: &Results) -> impl Iterator<Item = (&StrategyResult, &KneeResult)> {
    let strategies = results.strategies.iter();
    strategies.filter_map(|strategy| Some((strategy, strategy.knee.as_ref()?)))
}

fn knee_interval(row: &Row<'_>) -> String {
    let ends = row.measure(MetricId::Knee).and_then(|it| Compact.ends(it));
    ends.unwrap_or(UNDEFINED.to_owned())
}

/// Over that of the first strategy at the same point; of a lower bound nothing is known.
fn knee_ratio(row: &Row<'_>) -> String {
    let mut found = knees_found(row.results);
    let first = found.find(|(other, _)| other.sweep == row.strategy.sweep);
    let first = first.and_then(|(first, _)| metric::value(first, MetricId::Knee));
    let is_bound = row.measure(MetricId::Knee).is_some_and(|it| it.censored);
    let knee = metric::value(row.strategy, MetricId::Knee).filter(|_| !is_bound);
    let ratio = knee.zip(first.filter(|first| *first > 0.0));
    Ratio.optional(ratio.map(|(knee, first)| knee / first))
}

fn knee_binding(row: &Row<'_>) -> String {
    let binding = row.strategy.knee.as_ref().map(|it| it.binding.join(", "));
    let binding = binding.filter(|binding| !binding.is_empty());
    binding.unwrap_or(UNDEFINED.to_owned())
}

/// Metrics that are shown with their 95 % intervals.
pub fn intervals(results: &Results) -> Table {
    table(INTERVALS, 0, strategies(results)).unwrap_or_default()
}

/// Paired comparisons with the first strategy; `ratio` heads the ratios.
pub fn comparisons(results: &Results, ratio: &'static str) -> Table {
    let row = |comparison: &Comparison| {
        let differs = match comparison.significant {
            true => "yes",
            false => "not significantly",
        };
        let mut cells = sweep_views::cells(results, &comparison.sweep);
        cells.extend([
            comparison.strategy.clone(),
            comparison.baseline.clone(),
            comparison.metric.clone(),
            Ratio.interval(&comparison.ratio),
            differs.to_owned(),
        ]);
        cells
    };
    let own = ["strategy", "against", "metric", ratio, "differs"];
    let own = own.map(|name| Column::named(name, name == ratio));
    let columns = sweep_views::columns(results).into_iter().chain(own);
    Table::new(columns, results.comparisons.iter().map(row)).with_look(Look::Bare)
}

/// Whether the metric at `path` is a share of operations without a good end, and `share` worth a word.
pub fn is_notable_outcome(path: &str, share: f64) -> bool {
    let outcomes = [FAILED.outcome, UNFINISHED.outcome];
    let mut outcomes = outcomes.into_iter().flatten();
    outcomes.any(|(metric, least)| path.ends_with(metric.own_name()) && share >= least)
}
