//! Finite sets of rows: combinations, records, their order.

use super::document::Value;
use super::fields::{Fields, find};
use super::reader::Reader;
use crate::record::{FieldId, FieldKind};
use crate::settings::json;
use crate::text::grouped;
use crate::time::SimDuration;
use crate::units::Nanos;
use crate::workload::{Import, ImportOrder, ImportRows};

/// Bytes of a combination of a beat: its values and its phase (estimate).
const COMBINATION_BYTES: f64 = 16.0;

/// Operations are numbered with 56 bits.
pub(super) const MOST_RECORDS: i64 = (1 << 56) - 1;

crate::settings! {
    pub(super) static SORTED("sorted", "") {
        /// Sorted by this field.
        by = json("@identifier").needs("\"domain\""),
    }
}

/// Reads `each`: known, counted, distinct fields, none of which follows from the others.
pub(super) fn read_each(reader: &Reader<'_>, fields: &Fields) -> Option<Vec<FieldId>> {
    let names = reader.texts("each", true)?;
    if names.is_empty() {
        reader.refuse("each", "`each` is empty", "expected at least one field");
        return None;
    }
    let mut each = Vec::new();
    let mut combinations = 1.0;
    for (name, place) in &names {
        // All unknown names at once.
        let Some(id) = find(reader.sink, fields, name, place) else {
            continue;
        };
        let kind = &fields.schema.field(id).kind;
        let (message, label) = match kind.count() {
            None => {
                let label = format!("it is {}", kind.describe());
                (format!("`{name}` has no finite number of values"), label)
            }
            Some(_) if each.contains(&id) => {
                (format!("`{name}` stands twice in `each`"), String::new())
            }
            Some(count) => {
                combinations *= count as f64;
                each.push(id);
                continue;
            }
        };
        reader.sink.error(place, message, label);
        return None;
    }
    if each.len() < names.len() {
        return None;
    }
    for (id, (name, place)) in each.iter().zip(&names) {
        let of = &fields.schema.field(*id).of;
        if !of.is_empty() && of.iter().all(|parent| each.contains(parent)) {
            let label = "drawn once for each of the others: leave it out";
            let message = format!("`{name}` follows from the other fields of `each`");
            reader.sink.error(place, message, label);
        }
    }
    let what = format!("{} combinations", grouped(combinations as i128));
    let bytes = combinations * COMBINATION_BYTES;
    (!reader.refuse_memory("each", &what, bytes)).then_some(each)
}

pub(super) fn read_import(reader: &Reader<'_>, fields: &Fields) -> Option<Import> {
    let rows = read_rows(reader, fields, None)?;
    Some(Import {
        rows,
        order: read_order(reader, fields)?,
    })
}

/// The combinations of a beat or an import, and how often each comes.
pub(super) type Combinations = (Vec<FieldId>, Option<SimDuration>);

/// The finite rows of an import or of `[existing.x]`; `inherited` stands in for `each` and `every`.
pub(super) fn read_rows(
    reader: &Reader<'_>,
    fields: &Fields,
    inherited: Option<Combinations>,
) -> Option<ImportRows> {
    let each = match reader.has("each") {
        true => Some(read_each(reader, fields)?),
        false => None,
    };
    let records = reader.given::<u64>("records");
    let last = reader.positive_duration("last");
    let every = reader.positive_duration("every");
    if (reader.has("last") && last.is_none()) || (reader.has("every") && every.is_none()) {
        return None;
    }
    if reader.has("records") {
        if each.is_some() {
            let label = "each combination is one row: leave out one of them";
            reader.refuse_key("records", "`records` and `each` exclude each other", label);
            return None;
        }
        if every.is_some() {
            reader.meaningless("every", "needs `each` instead of `records`");
            return None;
        }
        return Some(ImportRows::Drawn {
            records: records?,
            last: last.unwrap_or(SimDuration::ZERO),
        });
    }
    let Some((each, usual)) = each.map(|each| (each, None)).or(inherited) else {
        let message = format!("{} does not say how many rows there are", reader.name());
        reader.refuse_table(message, "expected `records = N`, or `each` with `every`");
        return None;
    };
    let every = every.or(usual.filter(|_| last.is_some()));
    match (every, last) {
        (Some(_), None) => {
            reader.missing("last", "\"30d\"");
            return None;
        }
        (Some(every), Some(last)) if every > last => {
            let [every, last] = [every, last].map(|time| Nanos(time.as_nanos()));
            let message = format!("`every` {every} is longer than `last` {last}");
            let key = if reader.has("every") { "every" } else { "last" };
            reader.refuse(key, message, "no row would exist");
            return None;
        }
        _ => {}
    }
    let last = last.unwrap_or(SimDuration::ZERO);
    Some(ImportRows::Each { each, every, last })
}

fn read_order(reader: &Reader<'_>, fields: &Fields) -> Option<ImportOrder> {
    let Some(entry) = reader.entry("order") else {
        reader.note_default("order", "\"time\"");
        return Some(ImportOrder::Time);
    };
    if !matches!(entry.node.value, Value::Table(_)) {
        let word = reader.word_node("order", &entry.node, &["time", "shuffled"])?;
        return Some([ImportOrder::Time, ImportOrder::Shuffled][word]);
    }
    let order = reader.table_at(entry, &SORTED);
    let by = order.required_text("by");
    order.finish();
    let id = find(reader.sink, fields, by?, &order.place_of_value("by"))?;
    let kind = &fields.schema.field(id).kind;
    if matches!(
        kind,
        FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. }
    ) {
        let label = "expected a field with a `count`";
        order.refuse("by", "fresh values have no order", label);
        return None;
    }
    Some(ImportOrder::By(id))
}
