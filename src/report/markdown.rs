//! A document as Markdown, for a pull request or a wiki. Must not know files.

use super::document::{Block, Column, Document, Item, Look, Table, Term, mark};
use crate::text::{joined, visible};

impl Document {
    /// As Markdown, ending in a newline.
    pub fn markdown(&self) -> String {
        let blocks = self.0.iter().flatten();
        let blocks = blocks.filter(|block| !block.is_empty()).map(block);
        joined(blocks, "\n\n") + "\n"
    }
}

fn block(found: &Block) -> String {
    match found {
        Block::Title(text) => format!("# {}", escaped(text)),
        Block::Heading(text) => format!("## {}", escaped(text)),
        Block::Table(found) => table(found),
        Block::Text(sentences) => escaped(&sentences.join(" ")),
        Block::List(items) => joined(items.iter().map(item), "\n"),
        Block::Terms(terms) => joined(terms.iter().map(term), "\n"),
        Block::Command(command) => format!("```ruby\n{command}\n```"),
        Block::Hint(text) => text.clone(),
        Block::Lines(lines) => format!("```\n{}\n```", lines.join("\n")),
        Block::Pictures(pictures) => {
            let link = |(title, file): &(String, String)| format!("![{}]({file})", escaped(title));
            joined(pictures.iter().map(link), "\n\n") + "\n"
        }
        Block::Note(text) => format!("<sub>{}</sub>", escaped(text)),
        Block::Folded(_, blocks) => joined(blocks.iter().map(block), "\n\n"),
    }
}

fn item(item: &Item) -> String {
    let mark = item.standing.map(mark);
    let mark = mark.map_or(String::new(), |mark| format!("{mark} "));
    let name = (!item.name.is_empty()).then(|| format!("**{}**", escaped(&item.name)));
    let name = name.unwrap_or_default();
    let because = item.because.as_deref();
    let because = because.map_or(String::new(), |it| format!(" ({})", escaped(it)));
    format!("- {mark}{name}{}{because}", escaped(&item.text))
}

fn term(term: &Term) -> String {
    let key = (!term.key.is_empty()).then(|| format!(" `{}`", code(&term.key)));
    let key = key.unwrap_or_default();
    let said = term.said.iter().chain([&term.aside]);
    let said = said.filter(|it| !it.is_empty()).map(|it| escaped(it));
    let (name, of) = (escaped(&term.name), escaped(&term.of));
    format!("- **{name}**{of}{key}: {}", joined(said, "\n  "))
}

/// A table.
fn table(table: &Table) -> String {
    let columns = table.columns.iter();
    let mark = |column: &Column| if column.right { "---:|" } else { ":---|" };
    let marks = columns.clone().map(mark);
    let mut lines = vec![
        row(columns.map(|column| escaped(&column.heading()))),
        format!("|{}", marks.collect::<String>()),
    ];
    let rows = table.rows.iter();
    let cell = |cell: &String| match table.look {
        Look::Bare => cell.clone(),
        _ => escaped(cell.trim()),
    };
    lines.extend(rows.map(|cells| row(cells.iter().map(cell))));
    lines.join("\n")
}

fn row(cells: impl Iterator<Item = String>) -> String {
    cells.fold("|".to_owned(), |row, cell| format!("{row} {cell} |"))
}

/// `text` without what Markdown would read as markup; the underscores inside metric names are none.
fn escaped(text: &str) -> String {
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
    let text = visible(text).replace('`', "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
