//! `range`, `newest` and `page` of a read: what is ordered by a field.

use super::derived_uses::{DerivedUse, Order};
use super::diagnostic::Diagnostic;
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
    let range = read.table("range");
    range.table?;
    let field = read_field(&range, fields);
    let extent = match (range.has("last"), range.has("span")) {
        (true, false) => {
            let last = range.positive_duration("last");
            let ago = range.value("ago");
            last.map(|last| RangeExtent::Last { last, ago })
        }
        (false, true) => {
            if range.entry("ago").is_some() {
                let label = "needs `last`";
                range.refuse_key("ago", "`ago` has no meaning here", label);
            }
            range.given("span").map(RangeExtent::Span)
        }
        (both, _) => {
            for key in ["last", "ago", "span"] {
                range.entry(key);
            }
            let (place, message) = if both {
                (
                    range.place_of("span"),
                    format!("{} has two lengths: `last` and `span`", range.name()),
                )
            } else {
                (
                    range.place.clone(),
                    format!("{} does not say how far it goes", range.name()),
                )
            };
            let diagnostic = Diagnostic::error(message).label(
                "expected `last = \"5m\"` of a timestamp, or `span = 100` values of a number",
            );
            range.sink.add(&place, diagnostic);
            None
        }
    };
    let ranges = extent.zip(field).map(|(extent, (field, name, place))| {
        check_range(&range, fields, field, name, &place, extent, uses)
            .then_some(ReadRange { field, extent })
    });
    range.finish();
    ranges.flatten()
}

fn check_range(
    range: &Reader<'_>,
    fields: &Fields,
    field: KnownField,
    name: &str,
    place: &SourcePlace,
    extent: RangeExtent,
    uses: &mut Vec<DerivedUse>,
) -> bool {
    let (message, label) = match (field, extent) {
        (KnownField::Derived(id), RangeExtent::Last { .. }) => {
            uses.push(DerivedUse::new(id, place.clone(), Order::Time));
            return true;
        }
        (KnownField::Derived(_), RangeExtent::Span(_)) => (
            format!("`{name}` is derived: it has no `span`"),
            "expected a number with a `type`, or `last` of a derived time".to_owned(),
        ),
        (KnownField::Stored(id), RangeExtent::Last { .. }) => {
            let field = fields.schema.field(id);
            if matches!(field.kind, FieldKind::Timestamp { .. }) {
                return true;
            }
            let label = format!(
                "`last` needs a timestamp; this is {}",
                field.kind.describe()
            );
            (format!("`{name}` is no time"), label)
        }
        (KnownField::Stored(id), RangeExtent::Span(_)) => {
            let field = fields.schema.field(id);
            if is_ordered(field) {
                return true;
            }
            (
                format!("no range of `{name}`"),
                format!(
                    "`span` needs a whole number; this is {}",
                    field.kind.describe()
                ),
            )
        }
    };
    range.sink.error(place, message, label);
    false
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
    let newest = read.table("newest");
    newest.table?;
    let field = read_field(&newest, fields);
    let rows = newest.value("rows");
    newest.finish();
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
                let label = format!(
                    "expected a timestamp or a sequence; this is {}",
                    kind.describe()
                );
                read.sink.error(&place, message, label);
                return None;
            }
        }
    }
    Some(Newest { field, rows })
}

/// Reads `page = { field = "cost", size = 20, number = 50, via = "cursor" }`.
pub(super) fn read_page(read: &Reader<'_>, fields: &Fields) -> Option<Page> {
    let page = read.table("page");
    page.table?;
    let field = read_field(&page, fields);
    let (size, number): (u32, u32) = (page.value("size"), page.value("number"));
    let via = page.value("via");
    if f64::from(size) * f64::from(number) > MOST_ROWS as f64 {
        page.refuse(
            "number",
            "the page lies behind a billion rows",
            "`size` times `number` must be at most 1,000,000,000",
        );
    }
    page.finish();
    let (field, name, place) = field?;
    if let KnownField::Stored(id) = field
        && !is_ordered(fields.schema.field(id))
    {
        let message = format!("pages can't be sorted by `{name}`");
        let label = format!(
            "expected a whole number; this is {}",
            fields.schema.field(id).kind.describe()
        );
        read.sink.error(&place, message, label);
        return None;
    }
    Some(Page {
        field,
        size,
        number,
        via,
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
