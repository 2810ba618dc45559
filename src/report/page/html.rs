//! Pieces of HTML text: escaped characters, tables. Must not know results.

use crate::experiment::ExpectationStatus;
use crate::report::chart::{escaped, strategy_colour};
use crate::report::document::{Block, Column, Document, Item, Look, Table, Term, mark};
use crate::report::literals::literals;
use crate::report::number;
use crate::text::joined;
use std::fmt::{Arguments, Display, Write};

/// A page under construction.
#[derive(Debug, Default)]
pub struct Html(String);

impl Html {
    /// Adds markup; `write!` and `writeln!` call it.
    pub fn write_fmt(&mut self, markup: Arguments<'_>) {
        self.0
            .write_fmt(markup)
            .expect("writing to a string can't fail");
    }

    /// Adds a document.
    pub fn document(&mut self, document: &Document) {
        let blocks = document.0.iter().flatten();
        let blocks = blocks.filter(|block| !block.is_empty());
        blocks.for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Title(title) => writeln!(self, "<h1>{}</h1>", text(title)),
            Block::Heading(heading) => writeln!(self, "<h2>{}</h2>", prose(heading)),
            Block::Table(found) => self.table(found),
            Block::Text(sentences) => {
                writeln!(self, "<p>{}</p>", prose(&sentences.join(" ")));
            }
            Block::List(items) => self.list(items),
            Block::Terms(terms) => self.terms(terms),
            Block::Command(command) => writeln!(self, "<pre>{}</pre>", lines(command)),
            Block::Hint(hint) => writeln!(self, "<p>{}</p>", prose(hint)),
            Block::Lines(all) => writeln!(self, "<pre>{}</pre>", lines(&all.join("\n"))),
            Block::Pictures(pictures) => pictures.iter().for_each(|(title, file)| {
                let (title, file) = (text(title), text(file));
                writeln!(self, "<img src=\"{file}\" alt=\"{title}\">");
            }),
            Block::Note(note) => writeln!(self, "<p class=\"aside\">{}</p>", prose(note)),
            Block::Folded(summary, blocks) => self.details(summary, |html| {
                blocks.iter().for_each(|it| html.block(it));
            }),
        }
    }

    fn list(&mut self, items: &[Item]) {
        let judged = items.iter().any(|item| item.standing.is_some());
        let class = judged.then_some(" class=\"expectations\"");
        let class = class.unwrap_or_default();
        writeln!(self, "<ul{class}>");
        for item in items {
            let class = match item.standing {
                None => "",
                Some(ExpectationStatus::Holds) => " class=\"holds\"",
                Some(ExpectationStatus::KnownToFail) => " class=\"known\"",
                Some(ExpectationStatus::Broken | ExpectationStatus::Mended) => " class=\"broken\"",
            };
            let mark = item.standing.map(mark);
            let mark = mark.map_or(String::new(), |mark| format!("{mark} "));
            let name = match item.name.is_empty() {
                true => String::new(),
                false => format!("<b>{mark}{}</b>", text(&item.name)),
            };
            let aside = |it| format!(" <span class=\"aside\">{}</span>", text(it));
            let because = item.because.as_ref().map_or(String::new(), aside);
            let said = match item.standing {
                Some(_) => text(&item.text),
                None => prose(&item.text),
            };
            writeln!(self, "<li{class}>{name}{said}{because}</li>");
        }
        writeln!(self, "</ul>");
    }

    fn terms(&mut self, terms: &[Term]) {
        writeln!(self, "<dl>");
        for term in terms {
            let dot = term.strategy.map_or(String::new(), |it| dot(it) + " ");
            let name = text(&format!("{}{}", term.name, term.of));
            let key = match term.key.trim() {
                "" => String::new(),
                key => format!(" <code>{}</code>", text(key)),
            };
            writeln!(self, "<dt>{dot}{name}{key}</dt>");
            let said = term.said.iter().enumerate();
            for (_, said) in said.filter(|(at, said)| *at == 0 || !said.is_empty()) {
                writeln!(self, "<dd>{}</dd>", prose(said));
            }
            if !term.aside.is_empty() {
                writeln!(self, "<dd class=\"aside\">{}</dd>", text(&term.aside));
            }
        }
        writeln!(self, "</dl>");
    }

    /// Adds a table. The first cell of a row is its heading.
    pub fn table(&mut self, table: &Table) {
        // Most cells are numbers: they go without a class.
        let class = |column: &Column| if column.right { "" } else { " class=\"text\"" };
        writeln!(self, "<div class=\"wide\"><table>\n<thead><tr>");
        for column in &table.columns {
            let heading = text(&column.heading());
            writeln!(self, "<th{}>{heading}</th>", class(column));
        }
        writeln!(self, "</tr></thead>\n<tbody>");
        for (at, row) in table.rows.iter().enumerate() {
            write!(self, "<tr>");
            for (place, (words, column)) in row.iter().zip(&table.columns).enumerate() {
                let cell = cell(&table.look, at, place, words);
                match place {
                    0 => write!(self, "<th>{cell}</th>"),
                    _ => write!(self, "<td{}>{cell}</td>", class(column)),
                }
            }
            writeln!(self, "</tr>");
        }
        writeln!(self, "</tbody>\n</table></div>");
    }

    /// Adds what is shown only when asked for.
    pub fn details(&mut self, summary: &str, fill: impl FnOnce(&mut Self)) {
        writeln!(self, "<details><summary>{}</summary>", text(summary));
        fill(self);
        writeln!(self, "</details>");
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.0
    }
}

/// What a cell of a row shows.
fn cell(look: &Look, row: usize, column: usize, words: &str) -> String {
    match (look, column) {
        (Look::Sentences, _) => prose(words),
        (Look::Literal, 0) => format!("<code>{}</code>", text(words)),
        (Look::Scorecard(_), 0) => format!("{} {}", dot(row), text(words)),
        (Look::Scorecard(bars), 1) => {
            format!("{} {}", bars[row].map_or(String::new(), bar), text(words))
        }
        _ => text(words),
    }
}

/// The colour of a strategy.
fn dot(index: usize) -> String {
    format!(
        "<svg class=\"dot\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><circle cx=\"5\" cy=\"5\" r=\"5\" fill=\"{}\"/></svg>",
        strategy_colour(index)
    )
}

/// A length in percent.
fn bar(length: f64) -> String {
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect width=\"100\" height=\"10\" fill=\"#e3e7eb\"/><rect width=\"{}\" height=\"10\" fill=\"#5b6570\"/></svg>",
        number::trimmed(length, 1)
    )
}

/// Any text as one line of character data or the value of an attribute.
pub fn text(text: &(impl Display + ?Sized)) -> String {
    escaped(&text.to_string())
}

/// The same of a sentence in which backticks stand round what is literal.
pub fn prose(sentence: &(impl Display + ?Sized)) -> String {
    literals(&text(sentence), |literal| format!("<code>{literal}</code>"))
}

/// The same of a text whose lines and tabulators are kept.
pub fn lines(text: &str) -> String {
    let lines = text.lines();
    joined(lines.map(|line| escaped(&line.replace('\t', "    "))), "\n")
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn what_is_literal_in_a_sentence_is_set_as_code() {
        assert_eq!(
            prose("`a<b` costs 3, a `scan` 1"),
            "<code>a&lt;b</code> costs 3, a <code>scan</code> 1"
        );
    }
}
