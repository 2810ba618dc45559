//! `in` and `pick` of a read: lists of values, and laws of its targets.

use super::diagnostic::Diagnostic;
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

/// Reads `in = { item = 30, campaign = "all" }`.
pub(super) fn read_in(read: &Reader<'_>, fields: &Fields) -> Vec<Within> {
    let table = read.table("in");
    let mut found = Vec::new();
    for entry in table.entries() {
        let Some(field) = find(table.sink, fields, &entry.key, &entry.place) else {
            continue;
        };
        if let Some(values) = read_values(&table, entry, &fields.schema.field(field).kind) {
            found.push(Within { field, values });
        }
    }
    found
}

fn read_values(table: &Reader<'_>, entry: &Entry, kind: &FieldKind) -> Option<WithinValues> {
    let place = &entry.node.place;
    let name = &entry.key;
    let endless = |values: &str| {
        let message = format!("there is no list of {values} of `{name}`");
        let label = format!("it is {}", kind.describe());
        table.sink.error(place, message, label);
    };
    match &entry.node.value {
        Value::Text(text) if text == "all" => {
            if kind.count().is_none() {
                endless("all values");
                return None;
            }
            Some(WithinValues::All)
        }
        Value::Integer(_) => {
            let count = table.integer_node(name, &entry.node, 1, MOST_VALUES)?;
            // Fresh values stand in one row each; instants and measured numbers are asked for by ranges.
            if kind.count().is_none() && !matches!(kind, FieldKind::Sequence { .. }) {
                endless("values");
                return None;
            }
            if let Some(most) = kind.count().filter(|&most| most < count as u64) {
                let message = format!("{} different values of `{name}`", grouped(count.into()));
                let label = format!("it has only {}", grouped(most.into()));
                table.sink.error(place, message, label);
                return None;
            }
            Some(WithinValues::Count(count as u32))
        }
        other => {
            let message = format!("`{}` is {}", table.path_of(name), other.kind());
            let label = "expected a number of values, or `\"all\"` that go with the `equal` fields";
            table.sink.error(place, message, label);
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
    let mut found = Vec::new();
    for entry in table.entries() {
        let Some(field) = find(table.sink, fields, &entry.key, &entry.place) else {
            continue;
        };
        if let Some(law) = read_pick_law(&table, entry, &fields.schema.field(field).kind) {
            found.push((field, law));
        }
    }
    found
}

fn read_pick_law<'a>(table: &Reader<'a>, entry: &'a Entry, kind: &FieldKind) -> Option<PickLaw> {
    let path = table.path_of(&entry.key);
    let of_time = match &entry.node.value {
        Value::Table(inner) => ["latest", "last"]
            .into_iter()
            .find(|key| inner.get(key).is_some()),
        _ => None,
    };
    let Some(law) = of_time else {
        return read_value_law(table, entry, path, kind);
    };
    let reader = table.table_of(
        &entry.key,
        &entry.node,
        &entry.node.place,
        path,
        &PICK_BY_TIME,
    );
    let (fits, label) = match law {
        "latest" => (
            matches!(
                kind,
                FieldKind::Sequence { .. } | FieldKind::Timestamp { .. }
            ),
            "needs a sequence or a timestamp",
        ),
        _ => (
            matches!(kind, FieldKind::Timestamp { .. }),
            "needs a timestamp; of a sequence, pick the `latest`",
        ),
    };
    if !fits {
        let message = format!("`{}` has no `{law}` values", entry.key);
        reader.refuse_key(law, message, label);
        return None;
    }
    let exponent = reader.given("latest");
    let last = reader.positive_duration("last");
    if reader.has("latest") && reader.has("last") {
        let label = "expected one of `latest` and `last`";
        let message = format!("{} has two laws", reader.name());
        reader.refuse_key("last", message, label);
    }
    reader.finish();
    match law {
        "latest" => exponent.map(|exponent| PickLaw::Latest { exponent }),
        _ => last.map(PickLaw::Last),
    }
}

fn read_value_law<'a>(
    table: &Reader<'a>,
    entry: &'a Entry,
    path: String,
    kind: &FieldKind,
) -> Option<PickLaw> {
    let own = match kind {
        FieldKind::Timestamp { .. } => {
            Some("`{ last = \"1d\" }` or `{ latest = 1.1 }`, as it follows time")
        }
        FieldKind::Sequence { .. } => Some("`{ latest = 1.1 }`, as it follows time"),
        FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. } => {
            Some("another field: its values are fresh")
        }
        _ => None,
    };
    if let Some(own) = own {
        let message = format!("`{}` can't be picked so", entry.key);
        let diagnostic = Diagnostic::error(message).label(format!("expected {own}"));
        table.sink.add(&entry.node.place, diagnostic);
        return None;
    }
    Some(PickLaw::Law(read_law_entry(table, entry, path, kind)))
}
