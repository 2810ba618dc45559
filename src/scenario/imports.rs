//! Finite sets of rows: combinations, records, their order.

use super::diagnostic::Diagnostic;
use super::document::{SourcePlace, Value};
use super::fields::{Fields, find};
use super::reader::Reader;
use crate::record::{FieldId, FieldKind};
use crate::settings::json;
use crate::text::grouped;
use crate::time::SimDuration;
use crate::units::{ByteSize, Nanos};
use crate::workload::{Import, ImportOrder, ImportRows};

/// Memory that the combinations of one write may take.
const MEMORY: f64 = (4u64 << 30) as f64;

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
    let mut sound = true;
    for (name, place) in &names {
        // All unknown names at once.
        let Some(id) = find(reader.sink, fields, name, place) else {
            sound = false;
            continue;
        };
        let field = fields.schema.field(id);
        let Some(count) = field.kind.count() else {
            let message = format!("`{name}` has no finite number of values");
            reader
                .sink
                .error(place, message, format!("it is {}", field.kind.describe()));
            return None;
        };
        if each.contains(&id) {
            reader
                .sink
                .error(place, format!("`{name}` stands twice in `each`"), "");
            return None;
        }
        combinations *= count as f64;
        each.push(id);
    }
    if !sound {
        return None;
    }
    for (id, (name, place)) in each.iter().zip(&names) {
        let of = &fields.schema.field(*id).of;
        if !of.is_empty() && of.iter().all(|parent| each.contains(parent)) {
            let label = "drawn once for each of the others: leave it out";
            reader.sink.error(
                place,
                format!("`{name}` follows from the other fields of `each`"),
                label,
            );
        }
    }
    if combinations * COMBINATION_BYTES > MEMORY {
        let need = ByteSize::approximate(combinations * COMBINATION_BYTES);
        let message = format!(
            "{} combinations need about {need} of memory",
            grouped(combinations as i128)
        );
        let label = format!("keyheat takes up to {}", ByteSize::approximate(MEMORY));
        reader.refuse("each", message, label);
        return None;
    }
    Some(each)
}

pub(super) fn read_import(reader: &Reader<'_>, fields: &Fields) -> Option<Import> {
    let rows = read_rows(reader, fields, None)?;
    Some(Import {
        rows,
        order: read_order(reader, fields)?,
    })
}

/// The finite rows of an import or of `[existing.x]`; `inherited` stands in for `each` and `every`.
pub(super) fn read_rows(
    reader: &Reader<'_>,
    fields: &Fields,
    inherited: Option<(Vec<FieldId>, Option<SimDuration>)>,
) -> Option<ImportRows> {
    let own = reader.has("each");
    let each = if own {
        Some(read_each(reader, fields)?)
    } else {
        None
    };
    let has_records = reader.has("records");
    let records = reader.given::<i64>("records");
    let last = reader.positive_duration("last");
    let every = reader.positive_duration("every");
    if (reader.has("last") && last.is_none()) || (reader.has("every") && every.is_none()) {
        return None;
    }
    if has_records {
        if own {
            let label = "each combination is one row: leave out one of them";
            reader.refuse_key("records", "`records` and `each` exclude each other", label);
            return None;
        }
        if every.is_some() {
            let label = "needs `each` instead of `records`";
            reader.refuse_key("every", "`every` has no meaning here", label);
            return None;
        }
        return Some(ImportRows::Drawn {
            records: records? as u64,
            last: last.unwrap_or(SimDuration::ZERO),
        });
    }
    let (each, inherited_every) = match (each, inherited) {
        (Some(each), _) => (each, None),
        (None, Some((each, inherited_every))) => (each, inherited_every),
        (None, None) => {
            let diagnostic = Diagnostic::error(format!(
                "{} does not say how many rows there are",
                reader.name()
            ))
            .label("expected `records = N`, or `each` with `every`");
            reader.complain_of_table(diagnostic);
            return None;
        }
    };
    let every = every.or(inherited_every.filter(|_| last.is_some()));
    let last = match (every, last) {
        (Some(_), None) => {
            reader.missing("last", "\"30d\"");
            return None;
        }
        (Some(every), Some(last)) if every > last => {
            let message = format!(
                "`every` {} is longer than `last` {}",
                Nanos(every.as_nanos()),
                Nanos(last.as_nanos())
            );
            let place = if reader.has("every") {
                reader.place_of_value("every")
            } else {
                reader.place_of_value("last")
            };
            reader.sink.error(&place, message, "no row would exist");
            return None;
        }
        (_, last) => last.unwrap_or(SimDuration::ZERO),
    };
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
    let path = reader.path_of("order");
    let order = reader.table_of("order", &entry.node, &entry.place, path, &SORTED);
    let by = order.required_text("by");
    let place: SourcePlace = order.place_of_value("by");
    order.finish();
    let id = find(reader.sink, fields, by?, &place)?;
    if matches!(
        fields.schema.field(id).kind,
        FieldKind::Uuid { count: None } | FieldKind::Bytes { count: None, .. }
    ) {
        reader.sink.error(
            &place,
            "fresh values have no order",
            "expected a field with a `count`",
        );
        return None;
    }
    Some(ImportOrder::By(id))
}
