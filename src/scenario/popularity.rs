//! `in` and `pick` of a read: lists of values, and laws of its targets.

use super::distributions::{ZIPF, read_law_entry};
use super::document::{Entry, Value};
use super::fields::{Fields, find};
use super::reader::Reader;
use crate::record::{FieldId, FieldKind};
use crate::settings::time;
use crate::text::grouped;
use crate::workload::{PickLaw, Within, WithinValues};

/// Most values of one list (estimate: a client that asks for more does something else).
const MOST_VALUES: i64 = 100_000;

/// What is said of each field that a table names.
fn of_fields<'a, T>(
    table: &Reader<'a>,
    fields: &Fields,
    read: impl Fn(&'a Entry, &FieldKind) -> Option<T>,
) -> Vec<(FieldId, T)> {
    let read = |entry: &'a Entry| {
        let field = find(table.sink, fields, &entry.key, &entry.place)?;
        Some((field, read(entry, &fields.schema.field(field).kind)?))
    };
    table.entries().iter().filter_map(read).collect()
}

/// Reads `in = { item = 30, campaign = "all" }`.
pub(super) fn read_in(read: &Reader<'_>, fields: &Fields) -> Vec<Within> {
    let table = read.table("in");
    let found = of_fields(&table, fields, |entry, kind| {
        read_values(&table, entry, kind)
    });
    let found = found.into_iter();
    found
        .map(|(field, values)| Within { field, values })
        .collect()
}

fn read_values(table: &Reader<'_>, entry: &Entry, kind: &FieldKind) -> Option<WithinValues> {
    let name = &entry.key;
    let endless = |values: &str| {
        let message = format!("there is no list of {values} of `{name}`");
        table.refuse(name, message, format!("it is {}", kind.describe()));
        None
    };
    match &entry.node.value {
        Value::Text(text) if text == "all" => match kind.count() {
            Some(_) => Some(WithinValues::All),
            None => endless("all values"),
        },
        Value::Integer(_) => {
            let count = table.integer_node(name, &entry.node, 1, MOST_VALUES)?;
            // Fresh values stand in one row each; instants and measured numbers are asked for by ranges.
            if kind.count().is_none() && !matches!(kind, FieldKind::Sequence { .. }) {
                return endless("values");
            }
            if let Some(most) = kind.count().filter(|&most| most < count as u64) {
                let message = format!("{} different values of `{name}`", grouped(count.into()));
                table.refuse(
                    name,
                    message,
                    format!("it has only {}", grouped(most.into())),
                );
                return None;
            }
            Some(WithinValues::Count(count as u32))
        }
        _ => {
            let expected = "a number of values, or `\"all\"` that go with the `equal` fields";
            table.wrong_type(name, &entry.node, expected);
            None
        }
    }
}

crate::settings! {
    pub(super) static PICK_BY_TIME("pick-by-time", r#""minProperties": 1, "maxProperties": 1"#) {
        /// Of a sequence or timestamp: the newest most often, by a Zipf law of this exponent.
        latest = ZIPF,
        /// Of a timestamp: within so long a time.
        last = time(),
    }
}

/// Reads `pick = { item = { zipf = 0.99 }, id = { latest = 1.1 }, ts = { last = "1d" } }`.
pub(super) fn read_pick(read: &Reader<'_>, fields: &Fields) -> Vec<(FieldId, PickLaw)> {
    let table = read.table("pick");
    of_fields(&table, fields, |entry, kind| read_law(&table, entry, kind))
}

fn read_law<'a>(table: &Reader<'a>, entry: &'a Entry, kind: &FieldKind) -> Option<PickLaw> {
    let key = &entry.key;
    if let Value::Table(inner) = &entry.node.value
        && PICK_BY_TIME.all().any(|law| inner.get(law.key).is_some())
    {
        let law = table.table_of(key, &entry.node, &entry.node.place, &PICK_BY_TIME);
        return read_law_of_time(&law, key, kind);
    }
    let own = match kind {
        FieldKind::Timestamp { .. } => {
            "`{ last = \"1d\" }` or `{ latest = 1.1 }`, as it follows time"
        }
        FieldKind::Sequence { .. } => "`{ latest = 1.1 }`, as it follows time",
        FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. } => {
            "another field: its values are fresh"
        }
        _ => return Some(PickLaw::Law(read_law_entry(table, entry, kind))),
    };
    let message = format!("`{key}` can't be picked so");
    table.refuse(key, message, format!("expected {own}"));
    None
}

fn read_law_of_time(law: &Reader<'_>, field: &str, kind: &FieldKind) -> Option<PickLaw> {
    let is_time = matches!(kind, FieldKind::Timestamp { .. });
    let latest = law.has("latest");
    let refused = match latest {
        _ if is_time => None,
        true if matches!(kind, FieldKind::Sequence { .. }) => None,
        true => Some(("latest", "needs a sequence or a timestamp")),
        false => Some((
            "last",
            "needs a timestamp; of a sequence, pick the `latest`",
        )),
    };
    if let Some((key, label)) = refused {
        law.refuse_key(key, format!("`{field}` has no `{key}` values"), label);
        return None;
    }
    let exponent = law.given("latest");
    let last = law.positive_duration("last");
    if latest && law.has("last") {
        let message = format!("{} has two laws", law.name());
        law.refuse_key("last", message, "expected one of `latest` and `last`");
    }
    law.finish();
    match latest {
        true => exponent.map(|exponent| PickLaw::Latest { exponent }),
        false => last.map(PickLaw::Last),
    }
}
