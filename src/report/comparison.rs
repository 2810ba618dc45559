//! Two results compared, as a table for a terminal or a pull request, as CSV or JSON. Must not judge.

use super::document::{Block, Column, Document, Table};
use super::json_text::json_text;
use super::number::{self, NumberFormat, UNDEFINED};
use super::results_report::Format;
use super::terminal::Style;
use super::{csv_files, metric, tables};
use crate::experiment::{
    COMPARED_OF_READS, ChangeVerdict, ComparedResults, MetricChange, ParameterChange,
    ResultsComparison, Rewrite, StrategyChange, at_point,
};
use crate::metrics::{MetricId, MetricPath, Part, Side};
use ChangeVerdict::{Better, Different, LowerBound, OneValue, Undefined, Worse};
use NumberFormat::{Bytes, Compact, Ratio};

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

const COLUMNS: [Column; 5] = [
    Column::words(["", "metric"], 0),
    Column::numbers(["", "before"], 1),
    Column::numbers(["", "after"], 1),
    Column::numbers(["after ÷ before", "[95\u{a0}% interval]"], 0),
    Column::words(["", "verdict"], 0),
];

/// What is printed of a comparison on standard output, ending in a newline. `style` matters to [`Format::Table`] alone.
pub fn comparison_text(found: &ResultsComparison, format: Format, style: Style) -> String {
    match format {
        Format::Table => document(found).terminal(style),
        Format::Markdown => document(found).markdown(),
        Format::Csv => csv_files::to_text(|to| csv_files::comparison(found, to)),
        Format::Json => json_text(found),
    }
}

fn document(found: &ResultsComparison) -> Document {
    let title = vec![Block::Title(heading(found))];
    let strategies = found.strategies.iter();
    let strategies = strategies.map(|change| {
        let mut part = vec![Block::Heading(name(change)), Block::Table(table(change))];
        part.extend(notes(change).into_iter().map(Block::text));
        part
    });
    let mut end = unpaired_strategies(found);
    end.push(Block::Note(footnote(found)));
    Document([title].into_iter().chain(strategies).chain([end]).collect())
}

/// `five-keys (seed 7, 5 replicates) → five-keys (seed 8, 5 replicates)`.
fn heading(found: &ResultsComparison) -> String {
    let side = |side: &ComparedResults| {
        let replicates = number::counted(side.replicates, "replicate");
        let set = match side.overrides.is_empty() {
            true => String::new(),
            false => format!(", set {}", side.overrides.join(", ")),
        };
        format!("{} (seed {}, {replicates}{set})", side.name, side.seed)
    };
    format!("{} → {}", side(&found.before), side(&found.after))
}

fn unpaired_strategies(found: &ResultsComparison) -> Vec<Block> {
    let sides = [("first", &found.only_before), ("second", &found.only_after)];
    let unpaired = sides.into_iter().filter(|(_, names)| !names.is_empty());
    let text = |(place, names): (_, &Vec<String>)| {
        Block::text(format!("only in the {place}: {}", names.join(", ")))
    };
    unpaired.map(text).collect()
}

fn footnote(found: &ResultsComparison) -> String {
    let how = match found.paired {
        true => "Paired: the same seed gives both the same draws, replicate by replicate.",
        false => "Not paired: the seeds differ (Welch's intervals).",
    };
    format!(
        "{how} Each interval stands alone: where nothing changed, one metric in twenty is flagged by chance."
    )
}

fn name(change: &StrategyChange) -> String {
    let name = match change.before == change.after {
        true => change.before.clone(),
        false => format!("{} → {}", change.before, change.after),
    };
    name + &at_point(&change.sweep)
}

/// The headline metrics of one strategy.
fn table(change: &StrategyChange) -> Table {
    let shown = change.metrics.iter().filter(|it| is_headline(it));
    let mut shown: Vec<&MetricChange> = shown.collect();
    // Stable: reads, which are none of the headlines by name, follow in their order.
    let place = |path: &str| HEADLINES.iter().position(|known| known.tail() == path);
    shown.sort_by_key(|it| place(&it.metric).unwrap_or(HEADLINES.len()));
    Table::new(COLUMNS, shown.into_iter().map(row))
}

fn is_headline(change: &MetricChange) -> bool {
    let path = change.metric.as_str();
    let of_one = path.strip_prefix("read.");
    let of_read = of_one.and_then(|one| one.split_once('.'));
    let of_read = of_read.is_some_and(|(_, tail)| {
        let mut compared = COMPARED_OF_READS.iter();
        compared.any(|(path, _)| path.of_one(Side::Read, 0).tail() == tail)
    });
    let means = [change.before.mean, change.after.mean];
    let mut notable = means.into_iter().flatten();
    let of_one = path.starts_with("write_") || path.starts_with("read.");
    let lost = of_one && notable.any(|share| tables::is_notable_outcome(path, share));
    HEADLINES.iter().any(|known| known.tail() == path) || of_read || lost
}

fn row(change: &MetricChange) -> Vec<String> {
    let kind = metric::kind_of(change.unit);
    let grows = change.difference.mean.is_some_and(|it| it > 0.0);
    let sign = if grows { "+" } else { "" };
    let ratio = match change.verdict {
        LowerBound | Undefined => UNDEFINED.to_owned(),
        _ if change.ratio.mean.is_some() => Ratio.interval(&change.ratio),
        // A change from or to nothing has no ratio.
        _ => format!("{sign}{}", kind.interval(&change.difference)),
    };
    vec![
        change.metric.clone(),
        kind.measure(&change.before),
        kind.measure(&change.after),
        ratio,
        change.verdict.name().to_owned(),
    ]
}

/// What the table leaves out, in sentences.
fn notes(change: &StrategyChange) -> Vec<String> {
    let mut notes = Vec::new();
    let all = change.metrics.iter();
    let of = |verdict| all.clone().filter(move |it| it.verdict == verdict);
    for verdict in [Better, Worse, Different] {
        let others = of(verdict).filter(|it| !is_headline(it));
        let others: Vec<&str> = others.map(|it| it.metric.as_str()).collect();
        if !others.is_empty() {
            notes.push(format!("also {}: {}", verdict.name(), others.join(", ")));
        }
    }
    let count = |verdict| of(verdict).count();
    let same = count(ChangeVerdict::Identical);
    let alike = count(ChangeVerdict::AboutTheSame);
    let near = count(ChangeVerdict::NoSignificantDifference);
    let unknown = [OneValue, LowerBound, Undefined];
    let unknown = match unknown.map(count).iter().sum::<usize>() {
        0 => String::new(),
        some => format!(", {some} unknown (a lower bound, undefined, or of one replicate)"),
    };
    notes.push(match same == change.metrics.len() {
        true => format!("all {same} metrics are identical"),
        false => format!(
            "of {} metrics {same} are identical, {alike} about the same, {near} without a significant difference{unknown}",
            change.metrics.len()
        ),
    });
    notes.extend(change.rewrite.as_ref().map(rewrite));
    notes
}

/// The price of another key.
fn rewrite(rewrite: &Rewrite) -> String {
    let parameters: Vec<String> = rewrite.parameters.iter().map(parameter).collect();
    let through = (!parameters.is_empty()).then(|| format!(" ({})", parameters.join(", ")));
    let through = through.unwrap_or_default();
    let cells = match rewrite.cells {
        cells if cells == rewrite.rows => String::new(),
        cells => format!(" of {} cells", Compact.optional(cells)),
    };
    format!(
        "The key changed{through}, and a row key can't be changed in place: {} rows{cells} are to be read ({}) and written again ({}), in each replica.",
        Compact.optional(rewrite.rows),
        Bytes.optional(rewrite.bytes_read),
        Bytes.optional(rewrite.bytes_written),
    )
}

/// `buckets 8 → 16`.
fn parameter(change: &ParameterChange) -> String {
    let value = |value: Option<i64>| value.map_or("unused".to_owned(), |value| value.to_string());
    let (before, after) = (value(change.before), value(change.after));
    format!("`{}` {before} → {after}", change.name)
}
