//! A view before anybody has written it down: headings, tables, lists and sentences. A terminal's text, Markdown and the page are three ways to
//! write one. Must not know what it is about.

use crate::experiment::ExpectationStatus;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// Parts, which a terminal sets apart by empty lines, each of blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document(pub Vec<Vec<Block>>);

/// A piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// What the whole document is about.
    Title(String),
    /// What the blocks below it are about.
    Heading(String),
    /// A table.
    Table(Table),
    /// The sentences of a paragraph; a terminal gives each a line of its own.
    Text(Vec<String>),
    /// Sentences, each on its own.
    List(Vec<Item>),
    /// Names, and what is said of each.
    Terms(Vec<Term>),
    /// A command that people copy.
    Command(String),
    /// How to go on from a command; backticks stand round what is literal.
    Hint(String),
    /// Lines that stay as they are laid out.
    Lines(Vec<String>),
    /// Pictures: what each shows, and its file.
    Pictures(Vec<(String, String)>),
    /// Small print.
    Note(String),
    /// What a terminal leaves out, and the page shows to those who ask for it by this name.
    Folded(String, Vec<Block>),
}

impl Block {
    /// A paragraph of one sentence.
    pub fn text(sentence: impl Into<String>) -> Self {
        Self::Text(vec![sentence.into()])
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Table(table) => table.rows.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Terms(terms) => terms.is_empty(),
            Self::Pictures(pictures) => pictures.is_empty(),
            Self::Folded(_, blocks) => blocks.iter().all(Self::is_empty),
            _ => false,
        }
    }

    /// A list of sentences without names.
    pub fn list(sentences: impl IntoIterator<Item = String>) -> Self {
        let item = |text| Item {
            text,
            ..Item::default()
        };
        Self::List(sentences.into_iter().map(item).collect())
    }
}

/// A sentence of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    /// Of an expectation, how it stands.
    pub standing: Option<ExpectationStatus>,
    /// Whom it is about; may be empty.
    pub name: String,
    /// The sentence as it follows the name.
    pub text: String,
    /// Why that was expected.
    pub because: Option<String>,
}

/// A name and what is said of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Term {
    /// Its place among the strategies, which decides its colour.
    pub strategy: Option<usize>,
    /// The name.
    pub name: String,
    /// What follows the name: ` of salted`.
    pub of: String,
    /// The row key that it stands for; may be empty.
    pub key: String,
    /// What is said; a terminal shows the first sentence alone.
    pub said: Vec<String>,
    /// What is said beside it; may be empty.
    pub aside: String,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Two lines of its heading; the first may be empty.
    pub lines: [Cow<'static, str>; 2],
    /// Whether cells are numbers.
    pub right: bool,
    /// Columns with the greatest number go first when there is no room; 0 always stays.
    pub expendable: u8,
}

impl Column {
    /// Of words, or of numbers, which stand at the right.
    pub const fn new([first, last]: [&'static str; 2], right: bool, expendable: u8) -> Self {
        Self {
            lines: [Cow::Borrowed(first), Cow::Borrowed(last)],
            right,
            expendable,
        }
    }

    /// Of words.
    pub const fn words(lines: [&'static str; 2], expendable: u8) -> Self {
        Self::new(lines, false, expendable)
    }

    /// Of numbers.
    pub const fn numbers(lines: [&'static str; 2], expendable: u8) -> Self {
        Self::new(lines, true, expendable)
    }

    /// One that stays, with a heading in one line.
    pub fn named(name: impl Into<Cow<'static, str>>, right: bool) -> Self {
        let mut column = Self::new(["", ""], right, 0);
        column.lines[1] = name.into();
        column
    }

    /// Both lines of the heading in one.
    pub fn heading(&self) -> String {
        self.lines.join(" ").trim().to_owned()
    }
}

/// What is particular about a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Look {
    /// Nothing.
    #[default]
    Plain,
    /// Rows with the same first cell belong together: a terminal shows it once.
    Grouped,
    /// A row a strategy, which ends in its class of hotspot; with the lengths of bars in the second column on the page, in percent.
    Scorecard(Vec<Option<f64>>),
    /// The first cell is literal.
    Literal,
    /// Cells are sentences, in which backticks stand round what is literal.
    Sentences,
    /// No cell holds what could be taken for markup.
    Bare,
}

/// Columns and the cells of rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Cells of each row, as many as columns.
    pub rows: Vec<Vec<String>>,
    /// How it differs from others.
    pub look: Look,
}

impl Table {
    /// A table that looks like others.
    pub fn new(
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: rows.into_iter().collect(),
            look: Look::Plain,
        }
    }

    /// The same with another look.
    pub fn with_look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// Without the column that is missed least; `false` when all that are left are needed.
    pub fn drop_column(&mut self) -> bool {
        let columns = self.columns.iter().enumerate();
        let most = columns.max_by_key(|(_, column)| column.expendable);
        let Some((index, _)) = most.filter(|(_, column)| column.expendable > 0) else {
            return false;
        };
        self.columns.remove(index);
        self.rows.iter_mut().for_each(|row| _ = row.remove(index));
        true
    }
}

/// The sign before an expectation.
pub fn mark(standing: ExpectationStatus) -> &'static str {
    match standing {
        ExpectationStatus::Holds => "✓",
        ExpectationStatus::KnownToFail => "~",
        ExpectationStatus::Broken | ExpectationStatus::Mended => "✗",
    }
}

/// Rows of cells in columns, without a heading, behind an indent.
pub fn aligned(rows: impl IntoIterator<Item = Vec<String>>, indent: usize) -> Block {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let lines = in_columns(&rows, |_| false).into_iter();
    Block::Lines(lines.map(|line| " ".repeat(indent) + &line).collect())
}

/// A line for each row, with cells below each other; `is_right` says which columns end below each other.
pub fn in_columns(rows: &[Vec<String>], is_right: impl Fn(usize) -> bool) -> Vec<String> {
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(width_of).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| {
            let room = " ".repeat(width - cell.width());
            match is_right(column) {
                true => room + cell,
                false => format!("{cell}{room}"),
            }
        });
        let cells: Vec<String> = cells.collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
