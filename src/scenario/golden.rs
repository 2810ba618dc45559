//! Golden keys: what a strategy's key must be for a record that the file gives.
//!
//! A record may lie outside of what the run will write (an article's example from another year): its key is made by a plan of its
//! own, compiled for a schema that is just wide enough.

use super::document::Node;
use super::draft::Draft;
use super::fields::{find, given};
use super::model::ExpectedKey;
use super::presplits::row_key;
use super::reader::Reader;
use super::strategies::{Named, ReadStrategy};
use crate::key::{KeyPlan, Row};
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
) -> Vec<ExpectedKey> {
    for (key, example) in [("record", "{ ... }"), ("key", "'...'")] {
        if !reader.has(key) {
            reader.missing(key, example);
        }
    }
    let node = reader.node("key");
    let expected = node.and_then(|node| row_key(reader.sink, node));
    let record = reader.table("record");
    let (Some(node), Some(expected), true) = (node, expected, record.table.is_some()) else {
        return Vec::new();
    };
    let read = |&strategy: &usize| {
        let Some(read) = &strategies[strategy].1 else {
            read_record(&record, base);
            return None;
        };
        let (shown, key) = golden_key(reader, &record, read)?;
        Some(ExpectedKey {
            point: 0,
            strategy,
            record: shown,
            expected: expected.clone(),
            found: key,
            because: None,
            issue: None,
            span: node.place.span(),
        })
    };
    chosen.iter().filter_map(read).collect()
}

/// The given fields' slots, and a schema that holds them.
fn read_record(record: &Reader<'_>, draft: &Draft) -> Option<(Schema, Vec<Option<i64>>)> {
    let mut schema = draft.setup.schema.clone();
    let mut slots: Vec<Option<i64>> = vec![None; schema.fields.len()];
    let mut sound = true;
    for entry in record.entries() {
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
    expectation: &Reader<'_>,
    record: &Reader<'_>,
    read: &ReadStrategy,
) -> Option<(String, RowKey)> {
    let (schema, slots) = read_record(record, &read.draft)?;
    let ReadStrategy { strategy, draft } = read;
    let name = &strategy.name;
    let fields = strategy.key.fields().into_iter();
    let missing = fields.filter(|id| slots[usize::from(id.0)].is_none());
    let missing: Vec<&str> = missing.map(|id| schema.field(id).name.as_str()).collect();
    if !missing.is_empty() {
        let missing = missing.join("` and `");
        let message = format!("the key of `{name}` also needs `{missing}`");
        record.refuse_table(message, "not all fields of the key");
        return None;
    }
    let plan = match KeyPlan::compile(strategy.key.text(), &draft.fields.environment(&schema)) {
        Ok(plan) => plan,
        Err(errors) => {
            let reason = errors.first().map_or("", |error| error.message.as_str());
            let message = format!("the key of `{name}` can't hold this record: {reason}");
            record.refuse_table(message, "outside of the run's values");
            return None;
        }
    };
    let slots_or_zero: Vec<i64> = slots.iter().map(|slot| slot.unwrap_or(0)).collect();
    let write = |index: u64| {
        let row = Row {
            record: &slots_or_zero,
            index,
            draws: DrawKey::new(Seed(draft.seed), 0, Stream::Keys, 0).at(index),
        };
        let mut bytes = Vec::new();
        plan.write(&row, &mut bytes);
        RowKey(bytes)
    };
    let found = write(0);
    // Sixteen equal keys of a random one: at most 2^-16 for two values.
    if (1..=16).any(|index| write(index) != found) {
        let message = format!("the key of `{name}` is not the same for each write of a record");
        expectation.refuse_key("key", message, "a random key can't be expected");
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
                let label = "expected a date from 1678 to 2261";
                let message = "this time is out of range";
                record.sink.error(&node.place, message, label);
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
