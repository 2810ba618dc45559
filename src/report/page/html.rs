//! Pieces of HTML text: escaped characters, tables. Must not know results.

use crate::report::chart::escaped;
use crate::report::literals::literals;
use std::fmt::{Arguments, Display, Write};

/// A page under construction.
#[derive(Debug, Default)]
pub struct Html(String);

impl Html {
    /// Adds markup and a line break.
    pub fn line(&mut self, markup: Arguments<'_>) {
        writeln!(self.0, "{markup}").expect("writing to a string can't fail");
    }

    /// Adds a table. Cells are markup; columns that `right` says hold numbers. The first cell of a row is its heading.
    pub fn table(&mut self, headings: &[String], right: &[bool], rows: &[Vec<String>]) {
        // Most cells are numbers: they go without a class.
        let class = |column: usize| match right.get(column) {
            Some(true) => "",
            _ => " class=\"text\"",
        };
        self.line(format_args!("<div class=\"wide\"><table>\n<thead><tr>"));
        for (column, heading) in headings.iter().enumerate() {
            self.line(format_args!("<th{}>{heading}</th>", class(column)));
        }
        self.line(format_args!("</tr></thead>\n<tbody>"));
        for row in rows {
            let mut cells = String::new();
            for (column, cell) in row.iter().enumerate() {
                let class = class(column);
                let piece = match column {
                    0 => format!("<th>{cell}</th>"),
                    _ => format!("<td{class}>{cell}</td>"),
                };
                cells.push_str(&piece);
            }
            self.line(format_args!("<tr>{cells}</tr>"));
        }
        self.line(format_args!("</tbody>\n</table></div>"));
    }

    /// Adds what is shown only when asked for.
    pub fn details(&mut self, summary: &str, fill: impl FnOnce(&mut Self)) {
        self.line(format_args!(
            "<details><summary>{}</summary>",
            text(summary)
        ));
        fill(self);
        self.line(format_args!("</details>"));
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.0
    }
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
    let lines: Vec<String> = text
        .lines()
        .map(|line| escaped(&line.replace('\t', "    ")))
        .collect();
    lines.join("\n")
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
