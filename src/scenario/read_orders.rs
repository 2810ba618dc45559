//! `range`, `newest` and `page` of a read: what is ordered by a field.

use super::derived_uses::{DerivedUse, Order};
use super::document::SourcePlace;
use super::fields::{Fields, find_known};
use super::reader::Reader;
use crate::record::{Field, FieldKind, KnownField};
use crate::settings::{integer, json, time, word};
use crate::workload::{Newest, Page, PageVia, RangeExtent, ReadRange};

crate::settings! {
    /// A range of a field: `last` (and `ago`) of a timestamp, or `span` values of a number.
    pub(super) static RANGE("", r#""anyOf": [{ "required": ["last"] }, { "required": ["span"] }]"#) {
        field = json("@identifier").needs("\"ts\""),
        /// So long a time.
        last = time(),
        /// That ended so long ago.
        ago = time().or("0s"),
        /// So many consecutive values.
        span = integer(1, i64::MAX),
    }
}

crate::settings! {
    /// The newest rows of what the reader knows.
    pub(super) static NEWEST("", "") {
        /// A timestamp, a sequence, or what is derived from one.
        field = json("@identifier").needs("\"ts\""),
        rows = integer(1, MOST_ROWS).or("1"),
    }
}

crate::settings! {
    /// A page of what the reader knows, in the order of a field.
    pub(super) static PAGE("", "") {
        field = json("@identifier").needs("\"cost\""),
        /// Rows of a page.
        size = integer(1, MOST_ROWS).or("20"),
        /// Which page, from 1.
        number = integer(1, MOST_ROWS).or("1"),
        /// A cursor begins behind the last row of the page before, an offset reads all pages before, an index names the keys.
        via = word(PageVia::WORDS).or("cursor"),
    }
}

/// Most rows that a reader asks for in order (estimate).
const MOST_ROWS: i64 = 1_000_000_000;

/// Reads `range = { field = "ts", last = "5m", ago = "1h" }` or `{ field = "id", span = 100 }`.
pub(super) fn read_range(
    read: &Reader<'_>,
    fields: &Fields,
    uses: &mut Vec<DerivedUse>,
) -> Option<ReadRange> {
    read.inside("range", |range| {
        let field = read_field(range, fields);
        let extent = read_extent(range);
        let ((field, name, place), extent) = field.zip(extent)?;
        check_range(range, fields, field, name, &place, extent, uses)?;
        Some(ReadRange { field, extent })
    })
}

fn read_extent(range: &Reader<'_>) -> Option<RangeExtent> {
    const EXPECTED: &str =
        "expected `last = \"5m\"` of a timestamp, or `span = 100` values of a number";
    match (range.has("last"), range.has("span")) {
        (true, false) => {
            let last = range.positive_duration("last");
            let ago = range.value("ago");
            last.map(|last| RangeExtent::Last { last, ago })
        }
        (false, true) => {
            range.meaningless("ago", "needs `last`");
            range.given("span").map(RangeExtent::Span)
        }
        (true, true) => {
            let message = format!("{} has two lengths: `last` and `span`", range.name());
            range.refuse_key("span", message, EXPECTED);
            None
        }
        (false, false) => {
            let message = format!("{} does not say how far it goes", range.name());
            range.refuse_table(message, EXPECTED);
            None
        }
    }
}

/// Complains about a field that has no such range; `None` then.
fn check_range(
    range: &Reader<'_>,
    fields: &Fields,
    field: KnownField,
    name: &str,
    place: &SourcePlace,
    extent: RangeExtent,
    uses: &mut Vec<DerivedUse>,
) -> Option<()> {
    let by_time = matches!(extent, RangeExtent::Last { .. });
    let (message, label) = match field {
        KnownField::Derived(id) if by_time => {
            uses.push(DerivedUse::new(id, place.clone(), Order::Time));
            return Some(());
        }
        KnownField::Derived(_) => {
            let label = "expected a number with a `type`, or `last` of a derived time";
            let message = format!("`{name}` is derived: it has no `span`");
            (message, label.to_owned())
        }
        KnownField::Stored(id) => {
            let field = fields.schema.field(id);
            let is_time = matches!(field.kind, FieldKind::Timestamp { .. });
            let kind = field.kind.describe();
            match by_time {
                true if is_time => return Some(()),
                false if is_ordered(field) => return Some(()),
                true => {
                    let label = format!("`last` needs a timestamp; this is {kind}");
                    (format!("`{name}` is no time"), label)
                }
                false => {
                    let label = format!("`span` needs a whole number; this is {kind}");
                    (format!("no range of `{name}`"), label)
                }
            }
        }
    };
    range.sink.error(place, message, label);
    None
}

/// Whole numbers, padded or not: their order is that of their slots.
fn is_ordered(field: &Field) -> bool {
    field.kind.is_number() || matches!(field.kind, FieldKind::Digits { .. })
}

/// Reads `newest = { field = "ts", rows = 10 }`.
pub(super) fn read_newest(
    read: &Reader<'_>,
    fields: &Fields,
    uses: &mut Vec<DerivedUse>,
) -> Option<Newest> {
    let (field, rows) = read.inside("newest", |newest| {
        Some((read_field(newest, fields), newest.value("rows")))
    })?;
    let (field, name, place) = field?;
    match field {
        KnownField::Derived(id) => uses.push(DerivedUse::new(id, place, Order::FollowsTime)),
        KnownField::Stored(id) => {
            let kind = &fields.schema.field(id).kind;
            if !matches!(
                kind,
                FieldKind::Timestamp { .. } | FieldKind::Sequence { .. }
            ) {
                let message = format!("`{name}` does not follow time: nothing is its newest");
                let kind = kind.describe();
                let label = format!("expected a timestamp or a sequence; this is {kind}");
                read.sink.error(&place, message, label);
                return None;
            }
        }
    }
    Some(Newest { field, rows })
}

/// Reads `page = { field = "cost", size = 20, number = 50, via = "cursor" }`.
pub(super) fn read_page(read: &Reader<'_>, fields: &Fields) -> Option<Page> {
    read.inside("page", |page| {
        let field = read_field(page, fields);
        let (size, number): (u32, u32) = (page.value("size"), page.value("number"));
        let via = page.value("via");
        if f64::from(size) * f64::from(number) > MOST_ROWS as f64 {
            let label = "`size` times `number` must be at most 1,000,000,000";
            page.refuse("number", "the page lies behind a billion rows", label);
        }
        let (field, name, place) = field?;
        if let KnownField::Stored(id) = field
            && !is_ordered(fields.schema.field(id))
        {
            let message = format!("pages can't be sorted by `{name}`");
            let kind = fields.schema.field(id).kind.describe();
            let label = format!("expected a whole number; this is {kind}");
            read.sink.error(&place, message, label);
            return None;
        }
        Some(Page {
            field,
            size,
            number,
            via,
        })
    })
}

/// The `field` of one of these tables, with its name and place.
fn read_field<'a>(
    reader: &Reader<'a>,
    fields: &Fields,
) -> Option<(KnownField, &'a str, SourcePlace)> {
    let name = reader.required_text("field")?;
    let place = reader.place_of_value("field");
    let field = find_known(reader.sink, fields, name, &place)?;
    Some((field, name, place))
}
