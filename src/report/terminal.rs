//! A document for a terminal, in as many columns as it has. Must not know files.

use super::document::{Block, Document, Item, Look, Table, Term, in_columns, mark};
use super::number;
use crate::experiment::ExpectationStatus;
use crate::text::visible;

/// How the terminal wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns; columns of tables that do not fit are left out.
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

/// Longer names are not waited for by what is said of the others.
const LONGEST_NAME: usize = 24;

impl Document {
    /// As text, ending in a newline.
    pub fn terminal(&self, style: Style) -> String {
        let blocks = self.0.iter().flatten();
        let names = blocks.filter_map(|block| match block {
            Block::Terms(terms) => terms.iter().map(|term| term.name.len()).max(),
            _ => None,
        });
        let writer = Writer {
            style,
            names: names.max().unwrap_or(0).min(LONGEST_NAME),
        };
        let mut text = String::new();
        for part in &self.0 {
            let lines: Vec<String> = part.iter().flat_map(|it| writer.block(it)).collect();
            if !text.is_empty() && !lines.is_empty() {
                text.push('\n');
            }
            for line in lines {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        match style.ascii {
            true => number::ascii(&text),
            false => text,
        }
    }
}

struct Writer {
    style: Style,
    /// Room for names of terms.
    names: usize,
}

impl Writer {
    fn block(&self, block: &Block) -> Vec<String> {
        let wrapped =
            |text: &str, first: &str, rest: &str| wrapped(text, self.style.width, first, rest);
        let painted = |lines: Vec<String>, colour| {
            let lines = lines.into_iter();
            lines.map(|line| self.paint(&line, colour)).collect()
        };
        match block {
            Block::Title(text) => painted(wrapped(text, "", ""), BOLD),
            Block::Heading(text) => wrapped(text, "", ""),
            Block::Table(table) => self.table(table.clone()),
            Block::Text(sentences) => {
                let sentences = sentences.iter().enumerate();
                let indent = |at| if at == 0 { "" } else { "  " };
                let lines = sentences.map(|(at, it)| wrapped(it, indent(at), "  "));
                lines.flatten().collect()
            }
            Block::List(items) => items.iter().flat_map(|item| self.item(item)).collect(),
            Block::Terms(terms) => {
                let said = |term: &Term| {
                    let name = format!("{:<1$}  ", term.name, self.names);
                    let first = term.said.first().filter(|said| !said.is_empty())?;
                    Some(wrapped(first, &name, &" ".repeat(self.names + 2)))
                };
                terms.iter().filter_map(said).flatten().collect()
            }
            // In one line, so that it can be copied.
            Block::Command(command) => vec![format!("  {command}")],
            Block::Hint(text) => wrapped(text, "  ", "  "),
            Block::Lines(lines) => lines.iter().map(|it| visible(it).into_owned()).collect(),
            Block::Note(text) => painted(wrapped(text, "", ""), DIM),
            Block::Pictures(_) | Block::Folded(..) => Vec::new(),
        }
    }

    fn item(&self, item: &Item) -> Vec<String> {
        let text = format!("{}{}", item.name, item.text);
        let Some(standing) = item.standing else {
            return wrapped(&text, self.style.width, "", "  ");
        };
        let (mark, colour) = match standing {
            ExpectationStatus::Holds => (mark(standing), GREEN),
            ExpectationStatus::KnownToFail => (mark(standing), DIM),
            ExpectationStatus::Broken | ExpectationStatus::Mended => (mark(standing), RED),
        };
        // In ASCII the marks are words, `ok` and `FAIL`.
        let words = if self.style.ascii { 3 } else { 0 };
        let width = self.style.width.saturating_sub(words);
        let mut lines = wrapped(&text, width, &format!("{mark} "), "  ");
        let fails = matches!(
            standing,
            ExpectationStatus::Broken | ExpectationStatus::KnownToFail
        );
        if let Some(because) = item.because.as_deref().filter(|_| fails) {
            lines.extend(wrapped(because, width, "  because ", "  "));
        }
        lines[0] = lines[0].replacen(mark, &self.paint(mark, colour), 1);
        lines
    }

    /// A table with as many columns as fit: headings bold; the class of hotspot, when it ends the rows, green when there is none and red
    /// otherwise.
    fn table(&self, mut table: Table) -> Vec<String> {
        if table.look == Look::Grouped {
            let mut above = String::new();
            for cell in table.rows.iter_mut().filter_map(|row| row.first_mut()) {
                match *cell == above {
                    true => cell.clear(),
                    false => above.clone_from(cell),
                }
            }
        }
        let lines = loop {
            let lines = self.grid(&table);
            let width = lines.iter().map(|line| line.chars().count()).max();
            if width.unwrap_or(0) <= self.style.width || !table.drop_column() {
                break lines;
            }
        };
        let is_rule = |line: &String| line.starts_with(['─', '-']);
        let rule = lines.iter().position(is_rule).unwrap_or(0);
        let judged = matches!(table.look, Look::Scorecard(_));
        let paint = |(index, line): (usize, String)| match (index, line.rsplit_once(' ')) {
            _ if index < rule => self.paint(&line, BOLD),
            _ if index == rule => self.paint(&line, DIM),
            (_, Some((row, "none"))) if judged => format!("{row} {}", self.paint("none", GREEN)),
            (_, Some((row, class))) if judged && class.len() > 3 => {
                format!("{row} {}", self.paint(class, RED))
            }
            _ => line,
        };
        lines.into_iter().enumerate().map(paint).collect()
    }

    /// Headings in one line or two, a rule as wide as the widest line, and the rows.
    fn grid(&self, table: &Table) -> Vec<String> {
        let plain = |text: &str| match self.style.ascii {
            true => number::ascii(&visible(text)),
            false => visible(text).into_owned(),
        };
        let two = table.columns.iter().any(|it| !it.lines[0].is_empty());
        let headings = usize::from(!two)..2;
        let heads = headings.len();
        let columns = table.columns.iter();
        let heading = |line: usize| columns.clone().map(|it| plain(&it.lines[line])).collect();
        let cells = |row: &Vec<String>| row.iter().map(|it| plain(it)).collect();
        let cells = table.rows.iter().map(cells);
        let rows: Vec<Vec<String>> = headings.map(heading).chain(cells).collect();
        let mut lines = in_columns(&rows, |column| table.columns[column].right);
        let width = lines.iter().map(|line| line.chars().count()).max();
        let rule = if self.style.ascii { "-" } else { "─" };
        lines.insert(heads, rule.repeat(width.unwrap_or(0)));
        lines
    }

    fn paint(&self, text: &str, colour: &str) -> String {
        match self.style.colour && !text.is_empty() {
            true => format!("{colour}{text}{RESET}"),
            false => text.to_owned(),
        }
    }
}

/// `text` in lines of at most `width` characters, the first after `first`, the others after `rest`.
fn wrapped(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
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
