//! Rows of what is laid out as a table: the shell's `list_regions`, hbtop, a SQL client's boxes, CSV. Must not know what columns mean.

use super::file::{ObservedError, ObservedFile};
use super::format::{Format, Row};
use crate::data::{DataError, Record, Rows};
use crate::text::counted;
use std::io::Cursor;
use std::ops::Range;

/// Whether a line draws columns: dashes between bars or blanks.
fn is_rule(line: &str) -> bool {
    line.contains("---") && line.bytes().all(|byte| b"-| +".contains(&byte))
}

/// Whether a table with a rule under its heading, between bars, begins here.
pub(super) fn has_ruled_heading(head: &str) -> bool {
    let mut lines = head.lines().zip(head.lines().skip(1));
    lines.any(|(heading, rule)| {
        heading.trim_end().ends_with('|') && is_rule(rule) && !rule.starts_with('+')
    })
}

/// A table whose columns stand where the dashes do, as a line below its heading or as a box around all: cells may hold `|`. `N rows` ends it, or
/// the box.
pub(super) fn ruled(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let mut heading = (1, "");
    let mut columns: Vec<(&str, Range<usize>)> = Vec::new();
    let (mut rows, mut rules, mut last) = (Vec::new(), 0, 1);
    for (at, line) in file.lines() {
        last = at;
        if is_rule(line) {
            rules += 1;
            match (line.starts_with('+'), rules) {
                (true, 3) => return Ok(rows),
                (true, 1) => continue,
                _ => {}
            }
            columns = runs(line).map(|run| (cell(heading.1, &run), run)).collect();
            let names: Vec<&str> = columns.iter().map(|it| it.0).collect();
            format.check(file, heading.0, &names)?;
        } else if columns.is_empty() {
            heading = (at, line);
        } else if let Some(said) = line.trim().strip_suffix(" rows") {
            if said.parse() == Ok(rows.len()) {
                return Ok(rows);
            }
            let found = format!("it says {}, and has {}", counted(said, "row"), rows.len());
            return Err(file.error(at, found, format.help));
        } else if columns.last().is_some_and(|it| line.len() < it.1.end) || !line.ends_with('|') {
            break;
        } else {
            let cells = columns.iter().map(|(name, run)| (*name, cell(line, run)));
            rows.push(format.row(at, cells));
        }
    }
    Err(format.is_cut(file, last))
}

fn cell<'a>(line: &'a str, column: &Range<usize>) -> &'a str {
    line.get(column.clone()).unwrap_or_default().trim()
}

/// Where the runs of dashes stand.
fn runs(rule: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let pieces = rule.split_inclusive(['|', '+']).map(move |piece| {
        let start = at + piece.find('-').unwrap_or(0);
        let end = at + piece.rfind('-').map_or(0, |last| last + 1);
        at += piece.len();
        start..end
    });
    pieces.filter(|run| !run.is_empty())
}

/// Comma-separated values behind a heading, or a table in a box.
pub(super) fn separated(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    if file.text.starts_with('+') {
        return ruled(file, format);
    }
    let broken = |error: DataError| ObservedError(error.to_string());
    let bytes = Cursor::new(file.text.clone().into_bytes());
    let mut reader = Rows::read(bytes, &file.name).map_err(broken)?;
    let names = reader.columns().to_vec();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format.check(file, 1, &names)?;
    let (mut rows, mut record) = (Vec::new(), Record::default());
    while reader.next(&mut record).map_err(broken)? {
        let cells = (0..names.len()).map(|at| (names[at], record.get(at).unwrap_or_default()));
        rows.push(format.row(record.line as usize, cells));
    }
    Ok(rows)
}

/// What every iteration of hbtop begins with.
pub(super) const ITERATION: &str = "HBase hbtop - ";

/// The last iteration of hbtop in batch mode; the first one has no rates yet. No cell but `SKEY`, a key, can be empty or hold blanks.
pub(super) fn iterations(file: &ObservedFile, format: &Format) -> Result<Vec<Row>, ObservedError> {
    let starts = file.lines().filter(|(_, line)| line.starts_with(ITERATION));
    let starts: Vec<usize> = starts.map(|it| it.0).collect();
    let [.., _, last] = starts[..] else {
        let found = "one iteration of hbtop, and its first one shows 0 for every rate";
        return Err(file.error(None, found, format.help));
    };
    // A summary, an empty line, and the table.
    let lines = file.lines().skip(last).skip_while(|it| !it.1.is_empty());
    let mut lines = lines.skip(1);
    let (at, heading) = lines.next().ok_or_else(|| format.is_cut(file, last))?;
    let names: Vec<&str> = heading.split_whitespace().collect();
    format.check(file, at, &names)?;
    let key = names.iter().position(|name| *name == "SKEY");
    let behind = key.map_or(0, |key| names.len() - key - 1);
    let lines = lines.take_while(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(at, line)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let behind = &words[words.len().saturating_sub(behind)..];
        let end = behind
            .first()
            .and_then(|word| line.rfind(&format!(" {word} ")));
        let start = heading.find("SKEY").unwrap_or(0);
        let cells = (0..names.len()).map(|column| match key {
            Some(key) if column == key => line
                .get(start..end.unwrap_or(0))
                .unwrap_or_default()
                .trim_end(),
            Some(key) if column > key => behind.get(column - key - 1).copied().unwrap_or_default(),
            _ => words.get(column).copied().unwrap_or_default(),
        });
        format.row(at, names.iter().copied().zip(cells))
    });
    Ok(rows.collect())
}
