//! `report.html`: the whole report in one file that a browser opens without a network: finding, scorecard, charts with the
//! numbers behind them, what reads pay, expectations, provenance.
//!
//! Light or dark as the reader's system is, printed light on A4 landscape. Values are read off the charts by pointer and by
//! keyboard; without scripts they are in tables. Must not draw, nor compute any metric.

mod events;
mod figures;
mod html;
mod sections;

#[cfg(test)]
mod page_tests;

use super::chart::{self, Chart, ChartKind, Theme};
use crate::experiment::Results;
use html::{Html, text};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");

/// The page of `results` with `charts`, which are drawn on white; `theme` is for readers whose system is not asked.
pub fn page(results: &Results, charts: &[Chart], theme: Option<Theme>) -> String {
    let style = style(theme);
    let first = results.first_point();
    let headline = headline(results, charts);
    let mut html = Html::default();
    html.line(format_args!("<!doctype html>\n<html lang=\"en\">\n<head>"));
    html.line(format_args!("<meta charset=\"utf-8\">"));
    html.line(format_args!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; font-src data:; \
         style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'\">",
        source(&style),
        source(SCRIPT),
    ));
    html.line(format_args!(
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · {}</title>",
        text(&results.scenario.name),
        text(&headline),
    ));
    html.line(format_args!(
        "<style>{style}</style>\n</head>\n<body>\n<main>"
    ));
    sections::head(&mut html, results, charts, &headline);
    sections::sweep(&mut html, results);
    sections::scorecard(&mut html, &first);
    sections::verdicts(&mut html, &first);
    sections::paired(&mut html, &first);
    sections::knees(&mut html, results);
    sections::reads(&mut html, &first);
    sections::neighbours(&mut html, &first);
    sections::expectations(&mut html, results);
    figures::figures(&mut html, charts);
    events::events(&mut html, &first);
    sections::statistics(&mut html, &first);
    sections::warnings(&mut html, results);
    sections::provenance(&mut html, results);
    html.line(format_args!("</main>"));
    figures::data(&mut html, charts);
    html.line(format_args!("<script>{SCRIPT}</script>\n</body>\n</html>"));
    html.finish()
}

/// What it all shows, in one sentence: of a sweep what it gives, not what holds of its first point; else the knees that were looked for.
fn headline(results: &Results, charts: &[Chart]) -> String {
    let answers: &[ChartKind] = match results.sweep.is_empty() {
        true => &[ChartKind::Knee],
        false => &[ChartKind::Sweep, ChartKind::Scaling],
    };
    let answer = charts.iter().find(|chart| answers.contains(&chart.kind));
    answer.map_or_else(
        || chart::headline(&results.first_point()),
        |chart| chart.title.clone(),
    )
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
