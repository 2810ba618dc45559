//! `[write.x]`: what is written. Must not know keys.

use super::Diagnostic;
use super::clock::value_place;
use super::drives::read_drive;
use super::fields::{Fields, find, given};
use super::model::TimeSpec;
use super::reader::Reader;
use crate::record::FieldId;
use crate::units::{ByteSize, PerSecond, grouped};
use crate::workload::{Arrivals, Drive, Import, ImportRows, Write, WriteKind};

/// Memory that the order of one import may take.
const ORDER_MEMORY: u64 = 4 << 30;

/// Reads all `[write.x]`; each with its place.
pub(super) fn read_writes(
    scenario: &Reader<'_>,
    fields: &mut Fields,
    time: &TimeSpec,
) -> Vec<Write> {
    let table = scenario.table("write");
    let entries = table.entries();
    if entries.is_empty()
        && !scenario.has("read")
        && !scenario.misspelt("write")
        && !scenario.misspelt("read")
    {
        let diagnostic = Diagnostic::error("the scenario has neither `[write.x]` nor `[read.x]`")
            .label("nothing would happen")
            .help("add, for example, `[write.ingest]` with `rate = \"10k/s\"`");
        table.sink.add(&table.place, diagnostic);
    }
    if entries.len() > 256 {
        table.sink.error(
            &entries[256].place,
            format!("{} writes", entries.len()),
            "at most 256",
        );
    }
    let mut writes = Vec::new();
    for entry in entries.iter().take(256) {
        super::names::check(table.sink, "write", &entry.key, &entry.place);
        let reader = table.table_of(
            &entry.key,
            &entry.node,
            &entry.place,
            format!("write.{}", entry.key),
        );
        if reader.table.is_none() {
            continue;
        }
        let kinds = [("put", WriteKind::Put), ("increment", WriteKind::Increment)];
        let kind = reader.word_or("kind", &kinds, "put");
        let with = read_with(&reader, fields);
        let drive = read_drive(&reader, fields, time, kind);
        if let Some(each) = drive.as_ref().and_then(each_of) {
            check_fixed(&reader, fields, each, &with);
        }
        if let Some(import) = drive.as_ref().and_then(Drive::import) {
            check_order(&reader, fields, import, &with);
        }
        reader.finish();
        let drive = drive.unwrap_or(Drive::Open {
            rate: PerSecond(0.0),
            arrivals: Arrivals::Poisson,
            profile: Vec::new(),
            import: None,
        });
        writes.push(Write {
            name: entry.key.clone(),
            kind,
            drive,
            with,
        });
    }
    writes
}

/// The fields that a write or its import combines.
pub(super) fn each_of(drive: &Drive) -> Option<&[FieldId]> {
    match drive {
        Drive::Beat(beat) => Some(&beat.each),
        Drive::Open {
            import: Some(import),
            ..
        }
        | Drive::Closed {
            import: Some(import),
            ..
        } => match &import.rows {
            ImportRows::Each { each, .. } => Some(each),
            ImportRows::Drawn { .. } => None,
        },
        _ => None,
    }
}

/// Reads `with`.
pub(super) fn read_with(reader: &Reader<'_>, fields: &mut Fields) -> Vec<(FieldId, i64)> {
    let with = reader.table("with");
    let mut fixed = Vec::new();
    for entry in with.entries() {
        let Some(id) = find(with.sink, fields, &entry.key, &entry.place) else {
            continue;
        };
        if let Some(slot) = given(with.sink, &mut fields.schema, id, &entry.node) {
            fixed.push((id, slot));
        }
    }
    fixed
}

fn check_order(reader: &Reader<'_>, fields: &Fields, import: &Import, with: &[(FieldId, i64)]) {
    let bytes = import.order_bytes(&fields.schema, with);
    if bytes > ORDER_MEMORY {
        let message = format!(
            "sorting {} rows by a field needs about {} of memory",
            grouped(import.rows.len(&fields.schema).into()),
            ByteSize::approximate(bytes as f64)
        );
        let most = ByteSize::approximate(ORDER_MEMORY as f64);
        let diagnostic = Diagnostic::error(message)
            .label(format!("keyheat takes up to {most}"))
            .help("`order = \"time\"` and `order = \"shuffled\"` need none");
        reader.sink.add(&value_place(reader, "order"), diagnostic);
    }
}

fn check_fixed(reader: &Reader<'_>, fields: &Fields, each: &[FieldId], with: &[(FieldId, i64)]) {
    for (id, _) in with.iter().filter(|(id, _)| each.contains(id)) {
        let name = &fields.schema.field(*id).name;
        let message = format!("`{name}` is both fixed by `with` and combined by `each`");
        reader
            .sink
            .error(&reader.place_of("with"), message, "keep one of them");
    }
}
