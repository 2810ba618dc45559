//! The regions that one file lists, whatever its format. Must not know other files.

use super::file::{ObservedError, ObservedFile};
use super::format::{Format, KB, MB, Numbers, Part, Row};
use super::formats::{FORMATS, recognise};
use crate::keyspace::RowKey;

/// A region, as files have it.
#[derive(Debug, Clone, Default)]
pub struct Region {
    /// Where it stands.
    pub(super) place: String,
    /// Of HBase with its namespace, unless that is the default one; empty where the format does not say.
    pub table: String,
    /// What tells it from all others: the store's own name of it, or its bounds.
    pub id: String,
    /// Its first key, if any file says it.
    pub start: Option<RowKey>,
    /// The next region's first key; empty: none.
    pub end: Option<RowKey>,
    /// Its server, by the name that the file gives it.
    pub server: Option<String>,
    /// What it was asked for; `None` where that is not known.
    pub load: Option<Load>,
    /// It was opened anew meanwhile: it was asked for at least this.
    pub at_least: bool,
    /// Bytes of its store files.
    pub bytes: Option<f64>,
}

/// What a region was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Reads and writes, where they are told apart.
    pub apart: Option<(f64, f64)>,
    /// Both.
    pub all: f64,
}

impl Load {
    /// What it is more than an earlier one.
    pub(super) fn since(self, before: Self) -> Self {
        let more = |new: f64, old: f64| f64::max(new - old, 0.0);
        let apart = self.apart.zip(before.apart);
        Self {
            apart: apart.map(|(new, old)| (more(new.0, old.0), more(new.1, old.1))),
            all: more(self.all, before.all),
        }
    }
}

impl Region {
    /// As messages call it.
    pub(super) fn named(&self) -> String {
        match &self.start {
            // Bounds that stand for a name.
            Some(start) if self.id.starts_with('(') => format!("the region from `{start}`"),
            Some(start) => format!("the region from `{start}` ({})", self.id),
            None => format!("region {}", self.id),
        }
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let begins_within = |a: &Self, b: &Self| match (&a.start, &b.end) {
            (Some(start), Some(end)) => end.0.is_empty() || start < end,
            _ => false,
        };
        begins_within(self, other) && begins_within(other, self)
    }
}

/// The regions of a file, with its format.
///
/// # Errors
/// When it is of no format, or damaged.
pub(super) fn read(file: &ObservedFile) -> Result<(&'static Format, Vec<Region>), ObservedError> {
    let Some(format) = recognise(&file.text) else {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let help = format!("what is read: {}", names.join(", "));
        return Err(file.error(None, "no list of regions that is known", &help));
    };
    let rows = (format.cut)(file, format)?;
    if rows.is_empty() {
        let found = format!("{} without any region", format.name);
        return Err(file.error(None, found, format.help));
    }
    let regions = rows.iter().map(|row| region(file, format, row));
    Ok((format, regions.collect::<Result<_, _>>()?))
}

fn region(file: &ObservedFile, format: &Format, row: &Row) -> Result<Region, ObservedError> {
    let cell = |part| row.get(part).unwrap_or_default();
    let named = row.get(Part::Name).and_then(parts_of_name);
    let (table, start, id) =
        named.unwrap_or_else(|| (cell(Part::Table), cell(Part::Start), cell(Part::Id)));
    let wrong = |part, text: &str, why: &str| {
        let mut headings = format.columns.iter().filter(|it| it.1 == part);
        let heading = headings.next().map_or("key", |it| it.0);
        let heading = heading.trim_start_matches('/');
        let found = format!("region {id}: `{text}` as {heading}: {why}");
        file.error(row.line, found, format.help)
    };
    let key = |part, text: &str| (format.key)(text).map_err(|why| wrong(part, text, &why));
    let number = |part| match cell(part) {
        "" => Ok(None),
        text => amount(text, format.numbers)
            .map(Some)
            .ok_or_else(|| wrong(part, text, "not a count")),
    };
    let (reads, writes) = (number(Part::Reads)?, number(Part::Writes)?);
    let apart = reads.zip(writes);
    let sum = apart.map(|(reads, writes)| reads + writes);
    let all = number(Part::Requests)?.or(sum).or(reads).or(writes);
    // Of JSON a member that is empty may be left out.
    let has_bounds = [Part::Start, Part::End].map(|part| row.get(part).is_some());
    let has_start = named.is_some() || has_bounds != [false; 2];
    let has_end = has_bounds[1] || has_bounds[0] && file.text.starts_with(['{', '[']);
    let start = match has_start {
        true => Some(key(Part::Start, start)?),
        false => None,
    };
    let end = match has_end {
        true => Some(key(Part::End, cell(Part::End))?),
        false => None,
    };
    Ok(Region {
        place: file.place(row.line),
        table: match cell(Part::Namespace) {
            "" | "default" => table.to_owned(),
            space => format!("{space}:{table}"),
        },
        id: match id {
            "" => format!("{:?}", (&start, &end)),
            id => id.to_owned(),
        },
        start,
        end,
        server: row
            .get(Part::Server)
            .filter(|it| !it.is_empty())
            .map(str::to_owned),
        load: all.map(|all| Load { apart, all }),
        at_least: false,
        bytes: bytes(cell(Part::Size), format.size),
    })
}

/// Table, start key and encoded name of `TABLE,START,TIMESTAMP.ENCODED.`; that of `hbase:meta` has no encoded one.
fn parts_of_name(name: &str) -> Option<(&str, &str, &str)> {
    let (rest, id) = match name.strip_suffix('.') {
        Some(name) => name.rsplit_once('.')?,
        None => (name, name),
    };
    let (table, rest) = rest.split_once(',')?;
    Some((table, rest.rsplit_once(',')?.0, id))
}

/// A counter is a whole number, a gauge any that is not negative.
fn amount(text: &str, numbers: Numbers) -> Option<f64> {
    match numbers {
        Numbers::Counters => text.parse::<u64>().ok().map(|count| count as f64),
        _ => text
            .parse()
            .ok()
            .filter(|it: &f64| it.is_finite() && *it >= 0.0),
    }
}

/// Of `743`, `743.0MB`, `4.2GB`.
fn bytes(text: &str, unit: f64) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let units = [
        ("B", 1.0),
        ("KB", KB),
        ("MB", MB),
        ("GB", 1024.0 * MB),
        ("TB", MB * MB),
    ];
    let mut known = units.iter().filter(|it| it.0 == &text[digits.len()..]);
    let unit = known.next().map_or(unit, |it| it.1);
    digits.parse().ok().map(|count: f64| count * unit)
}
