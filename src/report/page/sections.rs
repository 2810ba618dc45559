//! The parts of the page that are text and tables. Must not know charts' contents.

use super::html::{Html, lines, prose, text};
use crate::experiment::{ExpectationResult, Results, Standing, StrategyResult};
use crate::metrics::MetricId;
use crate::report::chart::{Chart, ChartKind, strategy_colour};
use crate::report::metric;
use crate::report::number::{self, UNDEFINED};
use crate::report::scorecard::{self, Scorecard};
use crate::report::{knees, neighbour_prices, paired_ratio, read_prices, sweep_views};
use std::collections::BTreeMap;

/// The findings, and what was asked.
pub fn head(html: &mut Html, results: &Results, charts: &[Chart], headline: &str) {
    html.line(format_args!("<h1>{}</h1>", text(headline)));
    let whole = results.sweep.is_empty();
    let price = charts
        .iter()
        .find(|chart| chart.kind == ChartKind::TradeOff && whole);
    if let Some(price) = price.filter(|price| price.title != headline) {
        html.line(format_args!(
            "<p class=\"finding\">{}</p>",
            prose(&price.title)
        ));
    }
    if !results.scenario.question.is_empty() {
        html.line(format_args!(
            "<p class=\"question\">{}</p>",
            text(&results.scenario.question)
        ));
    }
}

/// One row a strategy, in the colours of the charts.
pub fn scorecard(html: &mut Html, results: &Results) {
    let mut card = Scorecard::of(results);
    for (index, (row, strategy)) in card.rows.iter_mut().zip(&results.strategies).enumerate() {
        for cell in row.iter_mut() {
            *cell = text(cell.as_str());
        }
        if let Some(name) = row.first_mut() {
            *name = format!("{} {name}", dot(index));
        }
        if let Some(skew) = row.get_mut(1) {
            *skew = format!("{} {skew}", bar(strategy));
        }
    }
    table(html, &card);
}

fn table(html: &mut Html, card: &Scorecard<'_>) {
    let headings: Vec<String> = card
        .headings
        .iter()
        .map(|heading| text(&heading.line()))
        .collect();
    let right: Vec<bool> = card.headings.iter().map(|heading| heading.right).collect();
    html.table(&headings, &right, &card.rows);
}

/// What a sweep shows, every point of it, and which of them the rest of the page is about.
pub fn sweep(html: &mut Html, results: &Results) {
    let Some(first) = sweep_views::first_point(results) else {
        return;
    };
    html.line(format_args!("<h2>The sweep</h2>"));
    for sentence in sweep_views::sentences(results) {
        html.line(format_args!("<p>{}</p>", prose(&sentence)));
    }
    let mut card = Scorecard::of(results);
    for cell in card.rows.iter_mut().flatten() {
        *cell = text(cell.as_str());
    }
    table(html, &card);
    if let Some(mut prices) = read_prices::of(results) {
        for cell in prices.rows.iter_mut().flatten() {
            *cell = text(cell.as_str());
        }
        table(html, &prices);
    }
    html.line(format_args!(
        "<h2>The first point: {}</h2>\n<p>Verdicts, charts and numbers that follow are of this point, but for the expectations, which are of all.</p>",
        text(&first)
    ));
}

/// The colour of a strategy.
fn dot(index: usize) -> String {
    format!(
        "<svg class=\"dot\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><circle cx=\"5\" cy=\"5\" r=\"5\" fill=\"{}\"/></svg>",
        strategy_colour(index)
    )
}

/// Hottest server over the mean, as a length: all of it is one server doing everything.
fn bar(strategy: &StrategyResult) -> String {
    let Some(skew) = metric::value(strategy, MetricId::ServerPeakToMean) else {
        return String::new();
    };
    let length = 100.0 * skew / f64::from(strategy.servers.max(1));
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect width=\"100\" height=\"10\" fill=\"#e3e7eb\"/><rect width=\"{}\" height=\"10\" fill=\"#5b6570\"/></svg>",
        number::trimmed(length.clamp(0.0, 100.0), 1)
    )
}

/// What became of each strategy, with its key.
pub fn verdicts(html: &mut Html, results: &Results) {
    html.line(format_args!("<h2>Verdicts</h2>\n<dl>"));
    for (index, strategy) in results.strategies.iter().enumerate() {
        html.line(format_args!(
            "<dt>{} {} <code>{}</code></dt>\n<dd>{}</dd>",
            dot(index),
            text(&strategy.name),
            text(strategy.key.trim()),
            prose(scorecard::verdict(strategy))
        ));
        if !strategy.advice.is_empty() {
            html.line(format_args!("<dd>{}</dd>", prose(&strategy.advice)));
        }
        if !strategy.entities.is_empty() {
            let entities = strategy.entities.join(", ");
            html.line(format_args!(
                "<dd class=\"aside\">Hottest values: {}.</dd>",
                text(&entities)
            ));
        }
    }
    html.line(format_args!("</dl>"));
}

/// Each strategy against the first.
pub fn paired(html: &mut Html, results: &Results) {
    let paired = results.paired_verdicts();
    let Some(first) = paired.first() else {
        return;
    };
    html.line(format_args!(
        "<h2>Against {}</h2>\n<p class=\"aside\">{}.</p>\n<dl>",
        text(first.baseline),
        scorecard::PAIRED
    ));
    for verdict in &paired {
        html.line(format_args!(
            "<dt>{}</dt>\n<dd>{}</dd>",
            text(verdict.strategy),
            prose(&verdict.in_full)
        ));
    }
    html.line(format_args!("</dl>"));
}

/// The highest load that each strategy keeps within the limits.
pub fn knees(html: &mut Html, results: &Results) {
    let found = knees::of(results).zip(knees::caption(results));
    let Some((mut table_of_knees, caption)) = found else {
        return;
    };
    html.line(format_args!("<h2>What each strategy sustains</h2>"));
    for cell in table_of_knees.rows.iter_mut().flatten() {
        *cell = text(cell.as_str());
    }
    table(html, &table_of_knees);
    html.line(format_args!("<p>{}</p>", text(&caption)));
    html.line(format_args!("<ul>"));
    for (strategy, knee) in knees::found(results) {
        let (name, sentence) = (text(&knees::name(strategy)), prose(&knee.sentence));
        html.line(format_args!("<li><b>{name}</b> {sentence}.</li>"));
    }
    html.line(format_args!("</ul>"));
}

/// The access path of each read under each strategy, and its price.
pub fn reads(html: &mut Html, results: &Results) {
    let Some(mut prices) = read_prices::of(results) else {
        return;
    };
    html.line(format_args!("<h2>What reads pay</h2>"));
    for cell in prices.rows.iter_mut().flatten() {
        *cell = text(cell.as_str());
    }
    table(html, &prices);
    html.details("Access paths in words", |html| {
        html.line(format_args!("<dl>"));
        for name in read_prices::names(results) {
            for (strategy, read) in read_prices::priced(results, name) {
                if !read.words.is_empty() {
                    html.line(format_args!(
                        "<dt>{} of {}</dt>\n<dd>{}</dd>",
                        text(name),
                        text(&strategy.name),
                        prose(&read.words)
                    ));
                }
            }
        }
        html.line(format_args!("</dl>"));
    });
}

/// What other tables on the same servers feel.
pub fn neighbours(html: &mut Html, results: &Results) {
    let Some(mut prices) = neighbour_prices::of(results) else {
        return;
    };
    html.line(format_args!("<h2>What the neighbours feel</h2>"));
    for cell in prices.rows.iter_mut().flatten() {
        *cell = text(cell.as_str());
    }
    table(html, &prices);
}

/// What was argued, and whether it holds.
pub fn expectations(html: &mut Html, results: &Results) {
    if results.expectations.is_empty() {
        return;
    }
    let all = results.expectations.len();
    let (holding, broken, known) = ExpectationResult::tally(&results.expectations);
    let summary = match (broken, known) {
        (0, 0) => format!("all {all} hold"),
        (0, known) => format!("{holding} hold, {known} known to fail"),
        (broken, 0) => format!("{broken} of {all} broken"),
        (broken, known) => format!("{broken} of {all} broken, {known} known to fail"),
    };
    html.line(format_args!(
        "<h2>Expectations: {summary}</h2>\n<ul class=\"expectations\">"
    ));
    for expectation in &results.expectations {
        let standing = expectation.standing();
        let mark = scorecard::mark(standing);
        let class = match standing {
            Standing::Holds => "holds",
            Standing::KnownToFail => "known",
            Standing::Broken | Standing::Mended => "broken",
        };
        let because = expectation
            .because
            .as_ref()
            .map_or(String::new(), |because| {
                format!(" <span class=\"aside\">{}</span>", text(because))
            });
        html.line(format_args!(
            "<li class=\"{class}\"><b>{mark} {}</b>: {}{because}</li>",
            text(&expectation.strategy),
            text(expectation)
        ));
    }
    html.line(format_args!("</ul>"));
}

/// Paired comparisons, and every metric with its interval.
pub fn statistics(html: &mut Html, results: &Results) {
    html.line(format_args!("<h2>Numbers</h2>"));
    if !results.comparisons.is_empty() {
        html.details("Paired comparisons with the first strategy", |html| {
            let rows: Vec<Vec<String>> = results
                .comparisons
                .iter()
                .map(|comparison| {
                    paired_ratio::cells(comparison)
                        .map(|cell| text(&cell))
                        .to_vec()
                })
                .collect();
            let headings = [
                "strategy",
                "against",
                "metric",
                "ratio [95\u{a0}% interval]",
                "differs",
            ];
            let headings = headings.map(str::to_owned);
            html.table(&headings, &[false, false, false, true, false], &rows);
        });
    }
    html.details("All metrics", |html| {
        let names: Vec<String> = results.strategies.iter().map(|it| text(&it.name)).collect();
        let headings: Vec<String> = std::iter::once("metric".to_owned()).chain(names).collect();
        let right: Vec<bool> = (0..headings.len()).map(|column| column > 0).collect();
        html.table(&headings, &right, &all_metrics(results));
    });
}

/// A row a metric, a column a strategy.
fn all_metrics(results: &Results) -> Vec<Vec<String>> {
    // Every strategy has nearly the same metrics: in the order of the first that has one.
    let mut paths: Vec<String> = Vec::new();
    let mut columns: Vec<BTreeMap<String, String>> = Vec::new();
    for strategy in &results.strategies {
        let mut column = BTreeMap::new();
        for (path, measure) in strategy.measures() {
            let kind = metric::kind(strategy, &path);
            column.insert(path.clone(), text(&kind.interval(measure)));
            if !columns.iter().any(|seen| seen.contains_key(&path)) {
                paths.push(path);
            }
        }
        columns.push(column);
    }
    let row = |path: String| {
        let cells = columns.iter().map(|column| {
            let cell = column.get(&path).map(String::as_str);
            cell.unwrap_or(UNDEFINED).to_owned()
        });
        std::iter::once(format!("<code>{}</code>", text(&path)))
            .chain(cells)
            .collect()
    };
    paths.into_iter().map(row).collect()
}

/// Lints and what the runs showed to be odd.
pub fn warnings(html: &mut Html, results: &Results) {
    if results.warnings.is_empty() {
        return;
    }
    html.line(format_args!("<h2>Warnings</h2>\n<ul>"));
    for warning in &results.warnings {
        html.line(format_args!("<li>{}</li>", prose(warning)));
    }
    html.line(format_args!("</ul>"));
}

/// Everything that it takes to make these numbers again.
pub fn provenance(html: &mut Html, results: &Results) {
    let scenario = &results.scenario;
    html.line(format_args!(
        "<footer>\n<h2>Where the numbers come from</h2>\n<dl class=\"pairs\">"
    ));
    let mut pair = |name: &str, value: &str| {
        html.line(format_args!("<dt>{name}</dt><dd>{}</dd>", text(value)));
    };
    pair("Made by", &results.tool);
    pair("Scenario", &scenario.name);
    pair("SHA-256", &scenario.sha256);
    pair("Seed", &results.seed.to_string());
    pair("Replicates", &results.replicates.to_string());
    pair("Simulated", &number::length(results.duration_s));
    pair("Warm-up", &number::length(results.warmup_s));
    pair("Interval", &number::length(results.sample_s));
    if !scenario.overrides.is_empty() {
        pair("Set", &scenario.overrides.join(", "));
    }
    html.line(format_args!("</dl>"));
    html.details("The scenario's text", |html| {
        html.line(format_args!("<pre>{}</pre>", lines(&scenario.text)));
    });
    html.line(format_args!("</footer>"));
}
