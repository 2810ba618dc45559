//! The scorecard: one row a strategy and point of a sweep (of reads only, their numbers stand in the place of the writes'), in the order of the file, so that rows match the panels and colours of the charts.
//!
//! Must not know whether it becomes a terminal's table or Markdown.

use super::number::{self, NumberFormat, UNDEFINED};
use super::{metric, outcomes, sweep_views};
use crate::experiment::{Results, Standing, StrategyResult};
use crate::metrics::{MetricId, MetricPath, Part};

/// What stands above paired verdicts.
pub const PAIRED: &str = "Replicate by replicate, which meet the same operations: mean changes with their 95 % intervals";

/// The sign before an expectation.
pub fn mark(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "✓",
        Standing::KnownToFail => "~",
        Standing::Broken | Standing::Mended => "✗",
    }
}

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading<'a> {
    /// Two lines; the first may be empty.
    pub lines: [&'a str; 2],
    /// Whether cells are numbers.
    pub right: bool,
    /// Columns with the greatest number go first when there is no room; 0 always stays.
    pub expendable: u8,
}

impl<'a> Heading<'a> {
    /// Above words.
    pub const fn text(lines: [&'a str; 2], expendable: u8) -> Self {
        Self {
            lines,
            right: false,
            expendable,
        }
    }

    /// Above numbers.
    pub const fn number(lines: [&'a str; 2], expendable: u8) -> Self {
        Self {
            lines,
            right: true,
            expendable,
        }
    }
}

/// Column of the throughput.
const THROUGHPUT: usize = 4;

/// Columns before those of operations that failed or never finished.
const WITH_PERCENTILES: usize = 10;

/// The headings, in order.
const HEADINGS: [Heading<'static>; 15] = [
    Heading::text(["", "strategy"], 0),
    Heading::number(["hottest", "÷ mean"], 0),
    Heading::number(["effective", "servers"], 5),
    Heading::number(["hot", "time"], 2),
    Heading::number(["", "writes/s"], 0),
    Heading::number(["of", "offered"], 3),
    Heading::number(["", "goodput/s"], 9),
    Heading::number(["", "p50"], 6),
    Heading::number(["", "p99"], 0),
    Heading::number(["", "p99.9"], 4),
    Heading::number(["calls", "refused"], 7),
    Heading::number(["empty", "regions"], 8),
    Heading::number(["bytes", "a row"], 10),
    Heading::number(["", "table"], 11),
    Heading::text(["", "hotspot"], 0),
];

/// Headings and cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scorecard<'a> {
    /// Columns.
    pub headings: Vec<Heading<'a>>,
    /// Cells of each strategy at each point, as many as headings.
    pub rows: Vec<Vec<String>>,
}

impl<'a> Scorecard<'a> {
    /// The scorecard of `results` with all its columns.
    pub fn of(results: &'a Results) -> Self {
        let shown = outcomes::shown(|id| {
            let all = results.strategies.iter();
            all.filter_map(|strategy| metric::measure(strategy, id)?.mean)
                .reduce(f64::max)
        });
        let rows = results
            .strategies
            .iter()
            .map(|strategy| {
                let mut own = row(results, strategy);
                let ends = outcomes::cells(&shown, |id| metric::measure(strategy, id));
                own.splice(WITH_PERCENTILES..WITH_PERCENTILES, ends);
                let mut cells = sweep_views::cells(results, &strategy.sweep);
                cells.extend(own);
                cells
            })
            .collect();
        let mut own = HEADINGS.to_vec();
        let ends = outcomes::headings(&shown);
        own.splice(WITH_PERCENTILES..WITH_PERCENTILES, ends);
        if metric::load_name(&results.strategies) == "reads" {
            own[THROUGHPUT].lines[1] = "reads/s";
        }
        let mut headings = sweep_views::headings(results);
        headings.extend(own);
        Self { headings, rows }
    }

    /// How much of what was offered is done. Completions of the window include operations from before it: a little more than all is all.
    pub fn served(part: f64) -> String {
        NumberFormat::Percent.text(if part > 0.995 { part.round() } else { part })
    }

    /// Without the column that is missed least; `false` when all that are left are needed.
    pub fn drop_column(&mut self) -> bool {
        let most = self
            .headings
            .iter()
            .enumerate()
            .max_by_key(|(_, heading)| heading.expendable);
        let Some((index, _)) = most.filter(|(_, heading)| heading.expendable > 0) else {
            return false;
        };
        self.headings.remove(index);
        for row in &mut self.rows {
            row.remove(index);
        }
        true
    }
}

impl Heading<'_> {
    /// Both lines in one.
    pub fn line(&self) -> String {
        self.lines.join(" ").trim().to_owned()
    }
}

fn row(results: &Results, strategy: &StrategyResult) -> Vec<String> {
    let text = |path: MetricPath, kind: NumberFormat| metric::text(strategy, path, kind);
    let value = |id: MetricId| metric::value(strategy, id);
    let effective = value(MetricId::EffectiveServers);
    let offered = metric::offered_per_sec(strategy, results.replicates, results.duration_s);
    let served = value(MetricId::WriteThroughput)
        .zip(offered)
        .map(|(done, offered)| done / offered);
    vec![
        strategy.name.clone(),
        text(MetricId::ServerPeakToMean.whole(), NumberFormat::Ratio),
        effective.map_or(UNDEFINED.to_owned(), |value| {
            number::of(value, strategy.servers)
        }),
        text(MetricId::HotTimeFraction.whole(), NumberFormat::Percent),
        text(MetricId::WriteThroughput.whole(), NumberFormat::Compact),
        served.map_or(UNDEFINED.to_owned(), Scorecard::served),
        text(MetricId::WriteGoodput.whole(), NumberFormat::Compact),
        text(MetricId::WriteResponse.at(Part::P50), NumberFormat::Millis),
        text(MetricId::WriteResponse.at(Part::P99), NumberFormat::Millis),
        text(MetricId::WriteResponse.at(Part::P999), NumberFormat::Millis),
        text(
            MetricId::RefusedCallsFraction.whole(),
            NumberFormat::Percent,
        ),
        text(MetricId::EmptyRegionFraction.whole(), NumberFormat::Percent),
        text(MetricId::RowBytes.whole(), NumberFormat::Bytes),
        text(MetricId::TableBytes.whole(), NumberFormat::Bytes),
        metric::hotspot(strategy).unwrap_or(UNDEFINED).to_owned(),
    ]
}

/// The verdict of `strategy` without its name in front.
pub fn verdict(strategy: &StrategyResult) -> &str {
    let verdict = strategy.verdict.trim();
    verdict
        .strip_prefix(&strategy.name)
        .and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(verdict)
}

/// Where the numbers come from: enough to make them again.
pub fn provenance(results: &Results) -> Vec<String> {
    let sha = &results.scenario.sha256;
    let mut parts = vec![
        results.tool.clone(),
        format!(
            "{}, sha256 {}",
            results.scenario.name,
            sha.get(..12).unwrap_or(sha)
        ),
        format!("seed {}", results.seed),
        match results.replicates {
            1 => format!("1 replicate of {}", number::length(results.duration_s)),
            n => format!("{n} replicates of {}", number::length(results.duration_s)),
        },
    ];
    if results.warmup_s > 0.0 {
        parts.push(format!("warm-up {}", number::length(results.warmup_s)));
    }
    if !results.sweep.is_empty() {
        let paths: Vec<&str> = results.sweep.iter().map(|it| it.path.as_str()).collect();
        parts.push(format!(
            "{} points of {}",
            results.point_count(),
            paths.join(" × ")
        ));
    }
    if !results.scenario.overrides.is_empty() {
        parts.push(format!("set {}", results.scenario.overrides.join(", ")));
    }
    parts
}
