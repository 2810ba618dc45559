//! `report.html`: the whole report in one file that a browser opens without a network: the key to take and why, how the keys compare, each key,
//! charts with the numbers behind them, and at the end what it all rests on.
//!
//! Light or dark as the reader's system is, printed light on A4 landscape, the decision on a page of its own. Values are read off the charts by pointer and by
//! keyboard; without scripts they are in tables. Must not draw, nor compute any metric.

mod figures;
mod html;

#[cfg(test)]
mod page_tests;

use super::chart::{self, Chart, ChartKind, Theme};
use super::document::{Block, Document};
use super::{decision, number, summary};
use crate::experiment::Results;
use html::{Html, lines, prose, text};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");

/// A narrow picture that is higher, in pixels, could not be read on the 170 mm that a printed sheet has beside the decision: its least letters of 11
/// pixels would be under 2.1 mm (6 points).
const TALL: u32 = 890;

/// The page of `results` with `charts`, which are drawn on white, and the same for phones; `theme` is for readers whose system is not asked.
pub fn page(results: &Results, charts: &[Chart], narrow: &[Chart], theme: Option<Theme>) -> String {
    let style = style(theme);
    let first = results.first_point();
    let headline = headline(results, charts);
    let mut html = Html::default();
    writeln!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; font-src data:; \
         style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · {}</title>\n\
         <style>{style}</style>\n</head>\n<body>\n<main>",
        source(&style),
        source(SCRIPT),
        text(&results.scenario.name),
        text(&headline.replace('`', "")),
    );
    let lead = lead(results, charts);
    let is_lead = |chart: &&Chart| lead.is_some_and(|lead| lead.name == chart.name);
    let leading = narrow.iter().find(is_lead);
    let is_tall = leading.is_some_and(|it| it.picture.height > TALL);
    let mut words = decision::blocks(results);
    words.extend(decision::nothing_to_decide(results));
    let is_long = words
        .iter()
        .filter(|it| matches!(it, Block::Terms(_)))
        .count()
        > 1;
    let stacked = if is_tall || is_long { " stacked" } else { "" };
    writeln!(
        html,
        "<section class=\"decision{stacked}\">\n<h1>{}</h1>",
        prose(&headline)
    );
    let question = &results.scenario.question;
    if !question.is_empty() {
        writeln!(html, "<p class=\"question\">{}</p>", text(question));
    }
    writeln!(html, "<div class=\"words\">");
    html.document(&Document(vec![words]));
    writeln!(html, "</div>");
    figures::figures(&mut html, lead, narrow);
    writeln!(html, "</section>");
    html.document(&summary::comparison(results, &first));
    let (of_one, of_all): (Vec<&Chart>, Vec<&Chart>) = charts
        .iter()
        .filter(|chart| !is_lead(chart))
        .partition(|chart| chart.kind == ChartKind::KeyMap);
    figures::figures(&mut html, of_all, narrow);
    writeln!(html, "<h2>Each key</h2>");
    for (index, strategy) in first.strategies.iter().enumerate() {
        writeln!(html, "<section class=\"key\">");
        html.document(&summary::one_key(index, strategy));
        let own = format!("{}-{}", ChartKind::KeyMap.name(), strategy.name);
        let own = of_one.iter().copied().filter(|it| it.name == own);
        figures::figures(&mut html, own, narrow);
        writeln!(html, "</section>");
    }
    html.document(&summary::basis(results, &first));
    provenance(&mut html, results);
    writeln!(html, "</main>");
    figures::data(&mut html, charts, narrow);
    writeln!(html, "<script>{SCRIPT}</script>\n</body>\n</html>");
    html.finish()
}

/// What to take; where nothing is to be decided, what it all shows: of a sweep what it gives, not what holds of its first point; else the knees that
/// were looked for.
fn headline(results: &Results, charts: &[Chart]) -> String {
    let answers: &[ChartKind] = match results.sweep.is_empty() {
        true => &[ChartKind::Knee],
        false => &[ChartKind::Sweep, ChartKind::Scaling],
    };
    let answer = charts.iter().find(|chart| answers.contains(&chart.kind));
    decision::headline(results).unwrap_or_else(|| match answer {
        Some(chart) => chart.title.clone(),
        None => chart::headline(&results.first_point()),
    })
}

/// The picture beside the decision: the first of these that there is, else the map of the key that is recommended.
fn lead<'a>(results: &Results, charts: &'a [Chart]) -> Option<&'a Chart> {
    const TELLING: [ChartKind; 5] = [
        ChartKind::Knee,
        ChartKind::Sweep,
        ChartKind::Scaling,
        ChartKind::TradeOff,
        ChartKind::ServerLoad,
    ];
    let of_kind = |kind: &ChartKind| charts.iter().find(|chart| chart.kind == *kind);
    let map = || {
        let own = format!(
            "{}-{}",
            ChartKind::KeyMap.name(),
            decision::first_name(results)?
        );
        charts.iter().find(|chart| chart.name == own)
    };
    TELLING.iter().find_map(of_kind).or_else(map)
}

/// Everything that it takes to make these numbers again.
fn provenance(html: &mut Html, results: &Results) {
    let scenario = &results.scenario;
    writeln!(
        html,
        "<footer>\n<h2>Where the numbers come from</h2>\n<dl class=\"pairs\">"
    );
    let mut pairs = vec![
        ("Made by", results.tool.clone()),
        ("Scenario", scenario.name.clone()),
        ("SHA-256", scenario.sha256.clone()),
        ("Seed", results.seed.to_string()),
        ("Replicates", results.replicates.to_string()),
        ("Simulated", number::length(results.duration_s)),
        ("Warm-up", number::length(results.warmup_s)),
        ("Interval", number::length(results.sample_s)),
    ];
    if !scenario.overrides.is_empty() {
        pairs.push(("Set", scenario.overrides.join(", ")));
    }
    pairs.extend(summary::longest_runs(results).map(|longest| ("Longest runs", longest)));
    for (name, value) in pairs {
        writeln!(html, "<dt>{name}</dt><dd>{}</dd>", text(&value));
    }
    writeln!(html, "</dl>");
    html.details("The scenario's text", |html| {
        writeln!(html, "<pre>{}</pre>", lines(&scenario.text));
    });
    writeln!(html, "</footer>");
}

/// The style sheet with its fonts, and the colours of charts on dark paper where they are wanted.
fn style(theme: Option<Theme>) -> String {
    // Paper is white whatever the screen is.
    let dark = match theme {
        None => "@media screen and (prefers-color-scheme: dark)",
        Some(Theme::Dark) => "@media screen",
        Some(Theme::Light) => "@media not all",
    };
    let sheet = STYLE.replace("@media (dark)", dark);
    let rules = Theme::dark_rules();
    format!("{}\n{sheet}{dark} {{\n{rules}}}\n", chart::font_faces())
}

/// How a content security policy names an inline style or script.
fn source(text: &str) -> String {
    format!("sha256-{}", chart::base64(&Sha256::digest(text.as_bytes())))
}
