//! The summary for a terminal: scorecard, verdicts, expectations, provenance. Must not know files.

use super::scorecard::{self, Scorecard, provenance, verdict};
use super::{knees, neighbour_prices, number, read_prices, sweep_views};
use crate::experiment::{ExpectationResult, Results, Standing};
use crate::text::visible;
use comfy_table::{
    CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle,
};

/// How the terminal wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns; columns of the scorecard that do not fit are left out.
    pub width: usize,
    /// Nothing but ASCII.
    pub ascii: bool,
    /// With ANSI colours; everything can be understood without them.
    pub colour: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: 100,
            ascii: false,
            colour: false,
        }
    }
}

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const RESET: &str = "\u{1b}[0m";

/// The summary of `results`, ending in a newline.
pub fn summary(results: &Results, style: Style) -> String {
    let mut lines: Vec<String> = Vec::new();
    if !results.scenario.question.is_empty() {
        lines.extend(
            wrapped(&results.scenario.question, style.width, "", "")
                .into_iter()
                .map(|line| paint(line, BOLD, style)),
        );
        lines.push(String::new());
    }
    let scorecard = fitted(Scorecard::of(results), style);
    lines.extend(painted_table(scorecard, true, style));
    lines.push(String::new());
    let further = [
        (knees::of(results), knees::caption(results)),
        (read_prices::of(results), None),
        (neighbour_prices::of(results), None),
    ];
    for (prices, caption) in further {
        let Some(prices) = prices else { continue };
        let prices = fitted(without_repeats(prices), style);
        lines.extend(painted_table(prices, false, style));
        if let Some(caption) = caption {
            lines.extend(wrapped(&caption, style.width, "", "  "));
        }
        lines.push(String::new());
    }
    let sentences = sweep_views::sentences(results);
    if !sentences.is_empty() {
        for sentence in sentences {
            lines.extend(wrapped(&sentence, style.width, "", "  "));
        }
        lines.push(String::new());
    }
    let first = results.first_point();
    let verdicts = || first.strategies.iter().filter(|it| !it.verdict.is_empty());
    if let Some(point) = sweep_views::first_point(results).filter(|_| verdicts().count() > 0) {
        lines.extend(wrapped(&format!("At {point}:"), style.width, "", "  "));
    }
    let longest = first
        .strategies
        .iter()
        .map(|strategy| strategy.name.len())
        .max()
        .unwrap_or(0)
        .min(24);
    let indent = " ".repeat(longest + 2);
    for strategy in verdicts() {
        let name = format!("{:<longest$}  ", strategy.name);
        lines.extend(wrapped(verdict(strategy), style.width, &name, &indent));
    }
    let paired = first.paired_verdicts();
    for (at, verdict) in paired.iter().enumerate() {
        if at == 0 {
            lines.push(String::new());
            lines.push(format!("against {}", verdict.baseline));
        }
        let name = format!("{:<longest$}  ", verdict.strategy);
        lines.extend(wrapped(&verdict.in_short, style.width, &name, &indent));
    }
    if !results.expectations.is_empty() {
        lines.push(String::new());
        for expectation in &results.expectations {
            lines.extend(expectation_lines(expectation, style));
        }
    }
    lines.push(String::new());
    let origin = wrapped(&provenance(results).join(" · "), style.width, "", "");
    lines.extend(origin.into_iter().map(|line| paint(line, DIM, style)));
    joined(&lines, style)
}

/// Lines as a text, without blanks at their ends.
pub fn joined(lines: &[String], style: Style) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    match style.ascii {
        true => number::ascii(&text),
        false => text,
    }
}

fn expectation_lines(expectation: &ExpectationResult, style: Style) -> Vec<String> {
    let standing = expectation.standing();
    let mark = scorecard::mark(standing);
    let colour = match standing {
        Standing::Holds => GREEN,
        Standing::KnownToFail => DIM,
        Standing::Broken | Standing::Mended => RED,
    };
    let text = format!("{}: {expectation}", expectation.strategy);
    // In ASCII the marks are words, `ok` and `FAIL`.
    let width = style.width.saturating_sub(if style.ascii { 3 } else { 0 });
    let mut lines = wrapped(&text, width, &format!("{mark} "), "  ");
    if let Some(because) = expectation
        .because
        .as_deref()
        .filter(|_| !expectation.holds)
    {
        lines.extend(wrapped(because, width, "  because ", "  "));
    }
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(mark, &paint(mark.to_owned(), colour, style), 1);
    }
    lines
}

/// A table of its own, in as many columns as fit.
pub fn plain_table(card: Scorecard<'_>, style: Style) -> Vec<String> {
    painted_table(fitted(card, style), false, style)
}

/// A table with as many columns as fit.
fn fitted(mut card: Scorecard<'_>, style: Style) -> Vec<String> {
    loop {
        let lines = table_lines(&card, style);
        let width = lines
            .iter()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0);
        if width <= style.width || !card.drop_column() {
            return lines;
        }
    }
}

/// The first cell of each row only where it differs from the one above.
fn without_repeats(mut card: Scorecard<'_>) -> Scorecard<'_> {
    let mut above = String::new();
    for row in &mut card.rows {
        let Some(cell) = row.first_mut() else {
            continue;
        };
        if *cell == above {
            cell.clear();
        } else {
            above.clone_from(cell);
        }
    }
    card
}

fn table_lines(card: &Scorecard<'_>, style: Style) -> Vec<String> {
    let plain = |text: &str| {
        let text = visible(text);
        if style.ascii {
            number::ascii(&text)
        } else {
            text.into_owned()
        }
    };
    let rule = if style.ascii { '-' } else { '─' };
    let mut table = Table::new();
    table
        .load_style(
            TableStyle::new()
                .header_lines(ContentLineStyle::none())
                .header_separator(LineStyle::none().fill(rule).junction(rule))
                .content_lines(ContentLineStyle::none()),
        )
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(
        card.headings
            .iter()
            .map(|heading| plain(&heading.lines.join("\n")))
            .collect::<Vec<_>>(),
    );
    for row in &card.rows {
        table.add_row(row.iter().map(|cell| plain(cell)).collect::<Vec<_>>());
    }
    for (column, heading) in table.column_iter_mut().zip(&card.headings) {
        column.set_padding((0, 1));
        column.set_cell_alignment(if heading.right {
            CellAlignment::Right
        } else {
            CellAlignment::Left
        });
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    // The padding after the last column makes the rule longer than anything.
    let width = lines
        .iter()
        .filter(|line| !line.starts_with(rule))
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    lines
        .into_iter()
        .map(|line| {
            if line.starts_with(rule) {
                rule.to_string().repeat(width)
            } else {
                line
            }
        })
        .collect()
}

/// Headings bold; the class of hotspot, when it `ends_rows`, green when there is none and red otherwise.
fn painted_table(lines: Vec<String>, ends_rows: bool, style: Style) -> Vec<String> {
    let rule = lines
        .iter()
        .position(|line| line.starts_with(['─', '-']))
        .unwrap_or(0);
    let paint_line = |(index, line): (usize, String)| match index {
        _ if !style.colour => line,
        index if index < rule => paint(line, BOLD, style),
        index if index == rule => paint(line, DIM, style),
        _ if !ends_rows => line,
        _ => match line.rsplit_once(' ') {
            Some((row, "none")) => format!("{row} {}", paint("none".to_owned(), GREEN, style)),
            Some((row, class)) if class.len() > 3 => {
                format!("{row} {}", paint(class.to_owned(), RED, style))
            }
            _ => line,
        },
    };
    lines.into_iter().enumerate().map(paint_line).collect()
}

fn paint(text: String, colour: &str, style: Style) -> String {
    if style.colour && !text.is_empty() {
        format!("{colour}{text}{RESET}")
    } else {
        text
    }
}

/// `text` in lines of at most `width` characters, the first after `first`, the others after `rest`.
pub fn wrapped(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words(&visible(text)) {
        let gap = usize::from(!empty);
        if !empty && line.chars().count() + gap + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    lines.push(line);
    lines
}

/// What stands between spaces; a number keeps its unit.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split([' ', '\n']).filter(|word| !word.is_empty()) {
        let unit = word.trim_end_matches([',', ';', '.', ')']);
        match words.last_mut() {
            Some(number)
                if matches!(unit, "%" | "ms" | "s" | "min" | "h")
                    && number.ends_with(|letter: char| letter.is_ascii_digit()) =>
            {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}
