//! Two results compared, as a table for a terminal or a pull request, as CSV or JSON. Must not judge.

use super::number::{NumberFormat, UNDEFINED};
use super::report::Format;
use super::scorecard::{Heading, Scorecard};
use super::terminal::{self, Style};
use super::{csv_files, markdown};
use super::{metric, outcomes};
use crate::experiment::{
    ChangeVerdict, ComparedResults, MetricChange, ParameterChange, ResultsComparison, Rewrite,
    StrategyChange, point_label,
};
use crate::metrics::{MetricId, MetricPath, Part, Side};
use std::fmt::Write;

/// Metrics that have a row of the table in any case; the others only when they changed, by name.
const HEADLINES: [MetricPath; 9] = [
    MetricId::ServerPeakToMean.whole(),
    MetricId::ServerPeakToMeanOverall.whole(),
    MetricId::WriteThroughput.whole(),
    MetricId::WriteResponse.at(Part::P50),
    MetricId::WriteResponse.at(Part::P99),
    MetricId::HotTimeFraction.whole(),
    MetricId::UsableCapacity.whole(),
    MetricId::Makespan.whole(),
    MetricId::TableBytes.whole(),
];

/// Of each read, likewise.
const OF_READS: [MetricPath; 3] = [
    MetricId::CallsPlanned.whole().of_one(Side::Read, 0),
    MetricId::RowsPlanned.whole().of_one(Side::Read, 0),
    MetricId::ReadResponse.at(Part::P99).of_one(Side::Read, 0),
];

const HEADINGS: [Heading<'static>; 5] = [
    Heading::text(["", "metric"], 0),
    Heading::number(["", "before"], 1),
    Heading::number(["", "after"], 1),
    Heading::number(["after ÷ before", "[95\u{a0}% interval]"], 0),
    Heading::text(["", "verdict"], 0),
];

/// The views of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonReport<'a> {
    comparison: &'a ResultsComparison,
}

impl<'a> ComparisonReport<'a> {
    /// Of `comparison`.
    pub fn new(comparison: &'a ResultsComparison) -> Self {
        Self { comparison }
    }

    /// What is printed on standard output, ending in a newline. `style` matters to [`Format::Table`] alone.
    pub fn render(&self, format: Format, style: Style) -> String {
        match format {
            Format::Table => self.table(style),
            Format::Markdown => self.markdown(),
            Format::Csv => {
                let mut bytes = Vec::new();
                csv_files::comparison(self.comparison, &mut bytes).expect("memory takes any CSV");
                String::from_utf8(bytes).expect("numbers and names are text")
            }
            Format::Json => {
                let text = serde_json::to_string_pretty(self.comparison);
                text.expect("comparisons hold only what JSON can hold") + "\n"
            }
        }
    }

    fn table(&self, style: Style) -> String {
        let mut lines = vec![self.heading(), String::new()];
        for change in &self.comparison.strategies {
            lines.push(name(change));
            lines.extend(terminal::plain_table(card(change), style));
            for note in notes(change) {
                lines.extend(terminal::wrapped(&note, style.width, "", "  "));
            }
            lines.push(String::new());
        }
        lines.extend(self.unpaired_strategies());
        lines.extend(terminal::wrapped(&self.footnote(), style.width, "", ""));
        terminal::joined(&lines, style)
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n", markdown::escaped(&self.heading()));
        let mut line = |line: &str| {
            writeln!(text, "\n{line}").expect("writing to a string can't fail");
        };
        for change in &self.comparison.strategies {
            line(&format!("## {}", markdown::escaped(&name(change))));
            line(&markdown::table(&card(change)));
            for note in notes(change) {
                line(&markdown::escaped(&note));
            }
        }
        for note in self.unpaired_strategies() {
            line(&markdown::escaped(&note));
        }
        line(&format!(
            "<sub>{}</sub>",
            markdown::escaped(&self.footnote())
        ));
        text
    }

    /// `five-keys (seed 7, 5 replicates) → five-keys (seed 8, 5 replicates)`.
    fn heading(&self) -> String {
        let side = |side: &ComparedResults| {
            let replicates = match side.replicates {
                1 => "1 replicate".to_owned(),
                n => format!("{n} replicates"),
            };
            let set = match side.overrides.is_empty() {
                true => String::new(),
                false => format!(", set {}", side.overrides.join(", ")),
            };
            format!("{} (seed {}, {replicates}{set})", side.name, side.seed)
        };
        let comparison = self.comparison;
        format!("{} → {}", side(&comparison.before), side(&comparison.after))
    }

    fn unpaired_strategies(&self) -> Vec<String> {
        let comparison = self.comparison;
        [
            ("first", &comparison.only_before),
            ("second", &comparison.only_after),
        ]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(place, names)| format!("only in the {place}: {}", names.join(", ")))
        .collect()
    }

    fn footnote(&self) -> String {
        let how = match self.comparison.paired {
            true => "Paired: the same seed gives both the same draws, replicate by replicate.",
            false => "Not paired: the seeds differ (Welch's intervals).",
        };
        format!(
            "{how} Each interval stands alone: where nothing changed, one metric in twenty is flagged by chance."
        )
    }
}

fn name(change: &StrategyChange) -> String {
    let name = match change.before == change.after {
        true => change.before.clone(),
        false => format!("{} → {}", change.before, change.after),
    };
    match change.sweep.is_empty() {
        true => name,
        false => format!("{name} at {}", point_label(&change.sweep)),
    }
}

/// The headline metrics of one strategy.
fn card(change: &StrategyChange) -> Scorecard<'static> {
    let shown = change.metrics.iter().filter(|it| is_headline(it));
    let mut shown: Vec<&MetricChange> = shown.collect();
    // Stable: reads, which are none of the headlines by name, follow in their order.
    let place = |path: &str| HEADLINES.iter().position(|known| known.tail() == path);
    shown.sort_by_key(|it| place(&it.metric).unwrap_or(HEADLINES.len()));
    Scorecard {
        headings: HEADINGS.to_vec(),
        rows: shown.into_iter().map(row).collect(),
    }
}

fn is_headline(change: &MetricChange) -> bool {
    let path = change.metric.as_str();
    let of_one = path
        .strip_prefix("read.")
        .and_then(|one| one.split_once('.'));
    let of_read = of_one.is_some_and(|(_, tail)| OF_READS.iter().any(|it| it.tail() == tail));
    let means = [change.before.mean, change.after.mean];
    let mut notable = means.into_iter().flatten();
    let of_one = path.starts_with("write_") || path.starts_with("read.");
    let lost = of_one && notable.any(|share| outcomes::is_notable(path, share));
    HEADLINES.iter().any(|known| known.tail() == path) || of_read || lost
}

fn row(change: &MetricChange) -> Vec<String> {
    let kind = metric::kind_of(change.unit);
    let ratio = match change.verdict {
        ChangeVerdict::LowerBound | ChangeVerdict::Undefined => UNDEFINED.to_owned(),
        _ if change.ratio.mean.is_some() => NumberFormat::Ratio.interval(&change.ratio),
        // A change from or to nothing has no ratio.
        _ => match change.difference.mean {
            Some(difference) if difference > 0.0 => {
                format!("+{}", kind.interval(&change.difference))
            }
            _ => kind.interval(&change.difference),
        },
    };
    vec![
        change.metric.clone(),
        kind.measure(&change.before),
        kind.measure(&change.after),
        ratio,
        change.verdict.words().to_owned(),
    ]
}

/// What the table leaves out, in sentences.
fn notes(change: &StrategyChange) -> Vec<String> {
    let mut notes = Vec::new();
    for verdict in [
        ChangeVerdict::Better,
        ChangeVerdict::Worse,
        ChangeVerdict::Different,
    ] {
        let others = change.metrics.iter().filter(|it| it.verdict == verdict);
        let others: Vec<&str> = others
            .filter(|it| !is_headline(it))
            .map(|it| it.metric.as_str())
            .collect();
        if !others.is_empty() {
            notes.push(format!("also {}: {}", verdict.words(), others.join(", ")));
        }
    }
    let count = |verdict| {
        let found = change.metrics.iter().filter(|it| it.verdict == verdict);
        found.count()
    };
    let same = count(ChangeVerdict::Identical);
    let near = count(ChangeVerdict::NoSignificantDifference);
    let unknown = [
        ChangeVerdict::OneValue,
        ChangeVerdict::LowerBound,
        ChangeVerdict::Undefined,
    ];
    let unknown = match unknown.map(count).iter().sum::<usize>() {
        0 => String::new(),
        some => format!(", {some} unknown (a lower bound, undefined, or of one replicate)"),
    };
    notes.push(match same == change.metrics.len() {
        true => format!("all {same} metrics are identical"),
        false => format!(
            "of {} metrics {same} are identical, {near} without a significant difference{unknown}",
            change.metrics.len()
        ),
    });
    notes.extend(change.rewrite.as_ref().map(rewrite));
    notes
}

/// The price of another key.
fn rewrite(rewrite: &Rewrite) -> String {
    let number = |kind: NumberFormat, value: Option<f64>| {
        value.map_or(UNDEFINED.to_owned(), |value| kind.text(value))
    };
    let parameters: Vec<String> = rewrite.parameters.iter().map(parameter).collect();
    let through = match parameters.is_empty() {
        true => String::new(),
        false => format!(" ({})", parameters.join(", ")),
    };
    format!(
        "The key changed{through}, and a row key can't be changed in place: {} rows are to be read ({}) and written again ({}), in each replica.",
        number(NumberFormat::Compact, rewrite.rows),
        number(NumberFormat::Bytes, rewrite.bytes_read),
        number(NumberFormat::Bytes, rewrite.bytes_written),
    )
}

/// `buckets 8 → 16`.
fn parameter(change: &ParameterChange) -> String {
    let value = |value: Option<i64>| value.map_or("unused".to_owned(), |value| value.to_string());
    format!(
        "`{}` {} → {}",
        change.name,
        value(change.before),
        value(change.after)
    )
}
