//! The description of reads, validated elsewhere. Must not draw anything, nor know how a key serves a read.

use super::{Arrivals, ProfilePoint, Think};
use crate::record::{FieldId, KnownField, Law};
use crate::time::SimDuration;
use crate::units::PerSecond;

/// A read by its position in [`super::Workload::reads`]; writes and reads together are at most 256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(pub u8);

/// One stream of reads. Each asks for a record of the table, the target: its fields are what the reader knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Its name in the file.
    pub name: String,
    /// Fields of which the reader knows the target's value.
    pub equal: Vec<KnownField>,
    /// Fields of which the reader knows several values.
    pub within: Vec<Within>,
    /// A field of which the reader knows a range.
    pub range: Option<ReadRange>,
    /// Only the newest rows are wanted.
    pub newest: Option<Newest>,
    /// One page of a sorted list is wanted.
    pub page: Option<Page>,
    /// Fields fixed for all its targets, as slots; known to the reader.
    pub with: Vec<(FieldId, i64)>,
    /// Laws that replace those of fields of the target.
    pub pick: Vec<(FieldId, PickLaw)>,
    /// What makes it happen; `None`: planned and costed, not issued.
    pub drive: Option<ReadDrive>,
}

impl Read {
    /// A read by the values of these fields alone, planned and not issued.
    pub fn planned(name: &str, equal: Vec<KnownField>) -> Self {
        Self {
            name: name.to_owned(),
            equal,
            within: Vec::new(),
            range: None,
            newest: None,
            page: None,
            with: Vec::new(),
            pick: Vec::new(),
            drive: None,
        }
    }
}

/// A list of values of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// The field.
    pub field: FieldId,
    /// Which values.
    pub values: WithinValues,
}

/// Values of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithinValues {
    /// So many different ones (the target's and others by the field's law, or its `pick`), >= 1.
    Count(u32),
    /// All that go with the target's `equal` fields.
    All,
}

/// A range of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadRange {
    /// The field.
    pub field: KnownField,
    /// How far.
    pub extent: RangeExtent,
}

/// How far a range goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeExtent {
    /// Of a timestamp (or a field derived from one): from `ago + last` before the read's instant up to `ago` before it.
    Last { last: SimDuration, ago: SimDuration },
    /// From the target's value on, so many values of the field.
    Span(u64),
}

/// The newest rows by a field that follows time.
#[derive(Debug, Clone, PartialEq)]
pub struct Newest {
    /// The field.
    pub field: KnownField,
    /// How many rows, >= 1.
    pub rows: u32,
}

/// A page of rows sorted by a field, greatest value first.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The field.
    pub field: KnownField,
    /// Rows of a page, >= 1.
    pub size: u32,
    /// Which page, from 1.
    pub number: u32,
    /// How it is found.
    pub via: PageVia,
}

/// How a page is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageVia {
    /// The reader continues behind the last row of the page before.
    Cursor,
    /// Everything before the page is read and dropped.
    Offset,
    /// An index outside the table names the rows of the page.
    Index,
}
crate::settings::choice!(PageVia { Cursor = "cursor", Offset = "offset", Index = "index" });

/// How a field of the target is drawn, instead of from the rows of the table.
#[derive(Debug, Clone, PartialEq)]
pub enum PickLaw {
    /// By this law over the field's values.
    Law(Law),
    /// Of a sequence or timestamp: the r-th newest row with a weight of r^-exponent.
    Latest { exponent: f64 },
    /// Of a timestamp: a row of so long before the read's instant.
    Last(SimDuration),
}

/// What makes reads happen.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadDrive {
    /// Open loop.
    Open {
        rate: PerSecond,
        arrivals: Arrivals,
        profile: Vec<ProfilePoint>,
    },
    /// Closed loop: each client waits for its read.
    Closed { clients: u32, think: Think },
}
