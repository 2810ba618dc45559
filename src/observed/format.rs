//! What a format of region statistics says of itself, and the rows that its file is cut into: texts by what they are about. Must not know any one
//! format.

use super::file::{ObservedError, ObservedFile};
use crate::keyspace::RowKey;

pub(super) const KB: f64 = 1024.0;
pub(super) const MB: f64 = KB * KB;

/// What the numbers of a format are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers {
    /// Counted since a region was opened on its server: what two snapshots differ by is the load between them.
    Counters,
    /// The load in so many seconds: one file is enough.
    Gauges(f64),
    /// None: boundaries only.
    Nothing,
}

/// What a cell of a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// HBase's name of a region: `TABLE,START,TIMESTAMP.ENCODED.`
    Name,
    Namespace,
    Table,
    /// What tells it from all other regions: HBase's encoded name, or a number.
    Id,
    Start,
    End,
    Server,
    Reads,
    Writes,
    /// Both.
    Requests,
    Size,
}

/// A region, as it is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// From 1; `None` where lines mean nothing.
    pub(super) line: Option<usize>,
    pub(super) parts: Vec<(Part, String)>,
}

impl Row {
    pub(super) fn get(&self, part: Part) -> Option<&str> {
        let mut found = self.parts.iter().filter(|(it, _)| *it == part);
        found.next().map(|(_, text)| text.as_str())
    }
}

/// A format of region statistics.
#[derive(Debug)]
pub struct Format {
    /// As sentences have it, with the command that writes it.
    pub name: &'static str,
    /// What its numbers are.
    pub numbers: Numbers,
    /// What is counted.
    pub unit: &'static str,
    /// It lists hot regions only, so that gaps mean nothing.
    pub is_partial: bool,
    /// What to do when it is not as it should be.
    pub(super) help: &'static str,
    /// Whether a file that begins so is of this format.
    pub(super) is: fn(&str) -> bool,
    pub(super) cut: fn(&ObservedFile, &Format) -> Result<Vec<Row>, ObservedError>,
    /// Its columns, keys or members that tell something; of JSON the first one marks what is a row.
    pub(super) columns: &'static [(&'static str, Part)],
    /// Of those it must have these.
    pub(super) needs: &'static [&'static str],
    /// The key that a text stands for, or what is wrong with it.
    pub(super) key: fn(&str) -> Result<RowKey, String>,
    /// Bytes that sizes without a unit count.
    pub(super) size: f64,
}

impl Format {
    /// What the cells under this heading are about.
    pub(super) fn part(&self, heading: &str) -> Option<Part> {
        let mut columns = self.columns.iter();
        columns.find(|(name, _)| *name == heading).map(|it| it.1)
    }

    /// The parts of a row by their headings; what says nothing is left out.
    pub(super) fn row<'a>(
        &self,
        line: impl Into<Option<usize>>,
        cells: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Row {
        let cells = cells.into_iter();
        let part = |(name, cell): (&str, &str)| Some((self.part(name)?, cell.to_owned()));
        Row {
            line: line.into(),
            parts: cells.filter_map(part).collect(),
        }
    }

    /// Refuses a table, whose headings are these, that lacks what is needed.
    pub(super) fn check(
        &self,
        file: &ObservedFile,
        line: usize,
        headings: &[&str],
    ) -> Result<(), ObservedError> {
        let mut needs = self.needs.iter();
        match needs.find(|name| !headings.contains(name)) {
            Some(missing) => {
                let found = format!("{} without the column `{missing}`", self.name);
                Err(file.error(line, found, self.help))
            }
            None => Ok(()),
        }
    }

    /// It ends before it should, at this line.
    pub(super) fn is_cut(&self, file: &ObservedFile, line: usize) -> ObservedError {
        let found = format!("{} was cut off here", self.name);
        file.error(line, found, self.help)
    }
}
