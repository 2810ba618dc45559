//! `summary.md`: the summary for a pull request or a wiki, with the charts beside it. Must not know files' contents.

use super::chart::Chart;
use super::number::{NumberFormat, UNDEFINED};
use super::scorecard::{self, Scorecard, provenance, verdict};
use super::{knees, metric, neighbour_prices, paired_ratio, read_prices, sweep_views};
use crate::experiment::{ReadResult, Results, StrategyResult};
use crate::metrics::{MetricId, MetricPath, Part};
use crate::text::visible;
use std::fmt::Write;

/// Metrics that are shown with their 95 % intervals.
const WITH_INTERVALS: [(&str, MetricPath, NumberFormat); 4] = [
    (
        "hottest ÷ mean",
        MetricId::ServerPeakToMean.whole(),
        NumberFormat::Ratio,
    ),
    (
        "writes/s",
        MetricId::WriteThroughput.whole(),
        NumberFormat::Compact,
    ),
    (
        "p99",
        MetricId::WriteResponse.at(Part::P99),
        NumberFormat::Millis,
    ),
    (
        "hot time",
        MetricId::HotTimeFraction.whole(),
        NumberFormat::Percent,
    ),
];

/// The summary of `results`; `charts` are linked.
pub fn summary(results: &Results, charts: &[Chart]) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        writeln!(text, "{line}").expect("writing to a string can't fail");
    };
    let scenario = &results.scenario;
    line(format_args!(
        "# {}\n",
        escaped(if scenario.question.is_empty() {
            &scenario.name
        } else {
            &scenario.question
        })
    ));

    line(format_args!("{}", table(&Scorecard::of(results))));
    let sentences = sweep_views::sentences(results);
    if !sentences.is_empty() {
        line(format_args!("\n## What the sweep shows\n"));
        for sentence in sentences {
            line(format_args!("- {}", escaped(&sentence)));
        }
    }
    let first = results.first_point();
    let of_first = sweep_views::first_point(results);
    let of_first = of_first.map_or_else(String::new, |point| format!(" at {}", escaped(&point)));
    if let Some((table_of_knees, caption)) = knees::of(results).zip(knees::caption(results)) {
        let (table_of_knees, caption) = (table(&table_of_knees), escaped(&caption));
        line(format_args!(
            "\n## What each strategy sustains\n\n{table_of_knees}\n{caption}\n"
        ));
        for (strategy, knee) in knees::found(results) {
            let (name, sentence) = (knees::name(strategy), escaped(&knee.sentence));
            line(format_args!("- **{}** {sentence}.", escaped(&name)));
        }
    }
    if let Some(prices) = read_prices::of(results) {
        line(format_args!("\n## What reads pay\n\n{}", table(&prices)));
        for (at, (strategy, read)) in planned(&first).enumerate() {
            let gap = if at == 0 { "\n" } else { "" };
            line(format_args!(
                "{gap}- **{}** of {}: {}",
                escaped(&read.name),
                strategy.name,
                escaped(&read.words)
            ));
        }
    }

    if let Some(prices) = neighbour_prices::of(results) {
        let prices = table(&prices);
        line(format_args!("\n## What the neighbours feel\n\n{prices}"));
    }

    line(format_args!("\n## Verdicts{of_first}\n"));
    for strategy in &first.strategies {
        line(format_args!(
            "- **{}** `{}`: {}",
            strategy.name,
            code(&strategy.key),
            escaped(verdict(strategy))
        ));
        if !strategy.advice.is_empty() {
            line(format_args!("  {}", escaped(&strategy.advice)));
        }
        if !strategy.entities.is_empty() {
            line(format_args!(
                "  Hottest values: {}.",
                escaped(&strategy.entities.join(", "))
            ));
        }
    }

    let paired = first.paired_verdicts();
    for (at, verdict) in paired.iter().enumerate() {
        if at == 0 {
            line(format_args!(
                "\n## Against {}\n\n{}:\n",
                escaped(verdict.baseline),
                scorecard::PAIRED
            ));
        }
        line(format_args!(
            "- **{}**: {}",
            verdict.strategy,
            escaped(&verdict.in_full)
        ));
    }

    if !results.expectations.is_empty() {
        line(format_args!("\n## Expectations\n"));
        for expectation in &results.expectations {
            let mark = scorecard::mark(expectation.standing());
            let because = expectation
                .because
                .as_ref()
                .map_or(String::new(), |because| format!(" ({})", escaped(because)));
            line(format_args!(
                "- {mark} **{}**: {}{because}",
                expectation.strategy,
                escaped(&expectation.to_string())
            ));
        }
    }

    if results.replicates > 1 {
        line(format_args!(
            "\n## 95 % intervals over {} replicates\n",
            results.replicates
        ));
        let names = WITH_INTERVALS.map(|(name, ..)| name.to_owned());
        let swept = names_of_swept(results);
        let left = swept.len() + 1;
        let names = swept
            .into_iter()
            .chain(["strategy".to_owned()])
            .chain(names);
        line(format_args!("{}", row(names)));
        line(format_args!(
            "|{}{}",
            ":---|".repeat(left),
            "---:|".repeat(WITH_INTERVALS.len())
        ));
        for strategy in &results.strategies {
            let cells = WITH_INTERVALS.map(|(_, path, kind)| {
                metric::measure(strategy, path)
                    .map_or(UNDEFINED.to_owned(), |measure| kind.interval(measure))
            });
            line(format_args!(
                "{}",
                row(sweep_views::cells(results, &strategy.sweep)
                    .into_iter()
                    .chain([strategy.name.clone()])
                    .chain(cells))
            ));
        }
    }

    if !results.comparisons.is_empty() {
        line(format_args!("\n## Paired comparisons\n"));
        let names = [
            "strategy",
            "against",
            "metric",
            "ratio [95 % interval]",
            "differs",
        ];
        let swept = names_of_swept(results);
        let left = ":---|".repeat(swept.len());
        let names = swept.into_iter().chain(names.map(str::to_owned));
        line(format_args!("{}", row(names)));
        line(format_args!("|{left}:---|:---|:---|---:|:---|"));
        for comparison in &results.comparisons {
            let swept = sweep_views::cells(results, &comparison.sweep);
            line(format_args!(
                "{}",
                row(swept.into_iter().chain(paired_ratio::cells(comparison)))
            ));
        }
    }

    if !results.warnings.is_empty() {
        line(format_args!("\n## Warnings\n"));
        for warning in &results.warnings {
            line(format_args!(
                "- {}",
                escaped(&warning.split_whitespace().collect::<Vec<_>>().join(" "))
            ));
        }
    }

    if !charts.is_empty() {
        line(format_args!("\n## Charts{of_first}\n"));
        for chart in charts {
            line(format_args!(
                "![{}](charts/{}.svg)\n",
                escaped(&chart.title),
                chart.name
            ));
        }
    }
    line(format_args!(
        "\n<sub>{}</sub>",
        escaped(&provenance(results).join(" · "))
    ));
    text
}

/// Headings of the swept settings.
fn names_of_swept(results: &Results) -> Vec<String> {
    let headings = sweep_views::headings(results);
    headings.iter().map(|heading| heading.line()).collect()
}

/// The reads whose plans have words, strategy by strategy within each read.
fn planned(results: &Results) -> impl Iterator<Item = (&StrategyResult, &ReadResult)> {
    read_prices::names(results)
        .flat_map(|name| read_prices::priced(results, name))
        .filter(|(_, read)| !read.words.is_empty())
}

/// A table.
pub fn table(card: &Scorecard<'_>) -> String {
    let marks = card
        .headings
        .iter()
        .map(|heading| if heading.right { "---:|" } else { ":---|" });
    let mut lines = vec![
        row(card.headings.iter().map(|heading| heading.line())),
        format!("|{}", marks.collect::<String>()),
    ];
    let rows = card.rows.iter();
    lines.extend(rows.map(|cells| row(cells.iter().map(|cell| escaped(cell)))));
    lines.join("\n")
}

fn row(cells: impl IntoIterator<Item = String>) -> String {
    cells
        .into_iter()
        .fold("|".to_owned(), |row, cell| format!("{row} {cell} |"))
}

/// `text` without what Markdown would read as markup; the underscores inside metric names are none.
pub fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut safe = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let inside_word = safe.ends_with(char::is_alphanumeric)
            && letters.peek().is_some_and(|next| next.is_alphanumeric());
        match letter {
            '_' if inside_word => safe.push('_'),
            '|' | '*' | '_' | '`' | '\\' => safe.extend(['\\', letter]),
            '<' => safe.push_str("&lt;"),
            '\n' | '\t' => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

/// `text` for a code span, where a backtick can't stand.
fn code(text: &str) -> String {
    visible(text)
        .replace('`', "'")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
