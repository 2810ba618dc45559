//! Golden keys: what a strategy's key must be for a record that the file gives.
//!
//! A record may lie outside of what the run will write (an article's example from another year): its key is made by a plan of its
//! own, compiled for a schema that is just wide enough.

use super::diagnostic::Diagnostic;
use super::document::{Entry, Node, SourcePlace};
use super::draft::Draft;
use super::fields::{find, given};
use super::model::ExpectedKey;
use super::presplits::row_key;
use super::reader::Reader;
use super::strategies::{Named, ReadStrategy};
use crate::key::{Environment, KeyPlan, Row};
use crate::keyspace::RowKey;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldId, FieldKind, Schema};
use crate::time::EpochNanos;

/// Reads `record` and `key` of an expectation, once for each of the `chosen` strategies. What a strategy that could not be read would
/// make of the record is not known; its fields are those of `base`.
pub(super) fn read_golden(
    reader: &Reader<'_>,
    chosen: &[usize],
    strategies: &[Named],
    base: &Draft,
    text: &str,
) -> Vec<ExpectedKey> {
    for (key, example) in [("record", "{ ... }"), ("key", "'...'")] {
        if !reader.has(key) {
            reader.missing(key, example);
        }
    }
    let key_entry = reader.entry("key");
    let expected = key_entry.and_then(|entry| row_key(reader.sink, &entry.node, text));
    let record = reader.table("record");
    let entries = record.entries();
    let (Some(key_entry), Some(expected), true) = (key_entry, expected, record.table.is_some())
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for &strategy in chosen {
        let Some(read) = &strategies[strategy].1 else {
            read_record(&record, entries, base);
            continue;
        };
        let Some((shown, key)) = golden_key(&record, entries, read, key_entry) else {
            continue;
        };
        let span = match &key_entry.node.place {
            SourcePlace::File(span) => span.clone(),
            SourcePlace::Setting(_) => 0..0,
        };
        found.push(ExpectedKey {
            point: 0,
            strategy,
            record: shown,
            expected: expected.clone(),
            found: key,
            because: None,
            issue: None,
            span,
        });
    }
    found
}

/// The given fields' slots, and a schema that holds them.
fn read_record(
    record: &Reader<'_>,
    entries: &[Entry],
    draft: &Draft,
) -> Option<(Schema, Vec<Option<i64>>)> {
    let mut schema = draft.setup.schema.clone();
    let mut slots: Vec<Option<i64>> = vec![None; schema.fields.len()];
    let mut sound = true;
    for entry in entries {
        let slot = find(record.sink, &draft.fields, &entry.key, &entry.place)
            .and_then(|id| Some((id, slot_of(record, &mut schema, id, &entry.node)?)));
        match slot {
            Some((id, slot)) => slots[usize::from(id.0)] = Some(slot),
            None => sound = false,
        }
    }
    sound.then_some((schema, slots))
}

/// The record as text, and its key.
fn golden_key(
    record: &Reader<'_>,
    entries: &[Entry],
    read: &ReadStrategy,
    key_entry: &Entry,
) -> Option<(String, RowKey)> {
    let (schema, slots) = read_record(record, entries, &read.draft)?;
    let key = &read.strategy.key;
    let needed = |id: &FieldId| slots[usize::from(id.0)].is_none();
    let missing: Vec<String> = key
        .fields()
        .iter()
        .filter(|id| needed(id))
        .map(|id| schema.field(*id).name.clone())
        .collect();
    if !missing.is_empty() {
        let diagnostic = Diagnostic::error(format!(
            "the key of `{}` also needs `{}`",
            read.strategy.name,
            missing.join("` and `")
        ))
        .label("not all fields of the key");
        record.complain_of_table(diagnostic);
        return None;
    }
    let environment = Environment {
        schema: &schema,
        derived: &read.draft.fields.derived,
        parameters: &read.draft.fields.parameters,
    };
    let plan = match KeyPlan::compile(key.text(), &environment) {
        Ok(plan) => plan,
        Err(errors) => {
            let reason = errors
                .first()
                .map_or_else(String::new, |error| error.message.clone());
            let message = format!(
                "the key of `{}` can't hold this record: {reason}",
                read.strategy.name
            );
            record
                .complain_of_table(Diagnostic::error(message).label("outside of the run's values"));
            return None;
        }
    };
    let record_slots: Vec<i64> = slots.iter().map(|slot| slot.unwrap_or(0)).collect();
    let write = |index: u64| {
        let draws = DrawKey::new(Seed(read.draft.seed), 0, Stream::Keys, 0).at(index);
        let mut bytes = Vec::new();
        plan.write(
            &Row {
                record: &record_slots,
                index,
                draws,
            },
            &mut bytes,
        );
        RowKey(bytes)
    };
    let found = write(0);
    // Sixteen equal keys of a random one: at most 2^-16 for two values.
    if (1..=16).any(|index| write(index) != found) {
        let diagnostic = Diagnostic::error(format!(
            "the key of `{}` is not the same for each write of a record",
            read.strategy.name
        ))
        .label("a random key can't be expected");
        record.sink.add(&key_entry.place, diagnostic);
        return None;
    }
    Some((show(&schema, &slots), found))
}

/// The slot of a given value; the schema grows where the value lies outside of the run.
fn slot_of(record: &Reader<'_>, schema: &mut Schema, id: FieldId, node: &Node) -> Option<i64> {
    let slot = given(record.sink, schema, id, node)?;
    match schema.field(id).kind {
        FieldKind::Timestamp { unit, .. } => {
            let Some(at) = slot.checked_mul(unit.nanos()) else {
                record.sink.error(
                    &node.place,
                    "this time is out of range",
                    "expected a date from 1678 to 2261",
                );
                return None;
            };
            let (earliest, latest) = schema.time_range;
            schema.time_range = (earliest.min(EpochNanos(at)), latest.max(EpochNanos(at)));
        }
        FieldKind::Sequence { first } => {
            schema.sequence_span = schema.sequence_span.max(slot.abs_diff(first))
        }
        _ => {}
    }
    Some(slot)
}

fn show(schema: &Schema, slots: &[Option<i64>]) -> String {
    let given = slots.iter().enumerate().filter_map(|(at, slot)| {
        let id = FieldId(at as u16);
        slot.map(|slot| format!("{} = {}", schema.field(id).name, schema.display(id, slot)))
    });
    given.collect::<Vec<_>>().join(", ")
}
