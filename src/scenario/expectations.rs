//! `[[expect]]`: bounds of metrics, and golden keys.
//!
//! The record of a golden key may lie outside of what the run will write (an article's example from another year): its key is made by a
//! plan of its own, compiled for a schema that is just wide enough.

use super::draft::Draft;
use super::fields::{find, given};
use super::metric_names;
use super::model::{Bound, Expectation, Expected, ExpectedKey, ExpectedValue, RatioTo};
use super::prelude::*;
use super::presplits::row_key;
use super::strategies::{Named, ReadStrategy};
use super::sweeps::{At, Sweep};
use crate::key::{KeyPlan, Row};
use crate::keyspace::RowKey;
use crate::metrics::MetricPath;
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldId, FieldKind, Schema};
use crate::settings::{any_number, json, text};
use crate::text::either;
use crate::time::EpochNanos;

crate::settings! {
    /// A bound of a metric, or a golden key: `record` and `key`.
    pub(super) static EXPECT("expect", r#""anyOf": [{ "required": ["metric"] }, { "required": ["record", "key"] }]"#) {
        /// A strategy's name, or `"*"` for all.
        strategy = text(r#""pattern": "^(\\*|[a-z0-9][a-z0-9-]{0,63})$""#).needs("\"*\""),
        metric = json("@metric"),
        /// The whole interval lies above.
        above = any_number(),
        /// The whole interval lies below.
        below = any_number(),
        /// What the value must lie between: `[low, high]`.
        between = json(r#""type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" }"#),
        /// Exactly this number, or this word.
        is = json(r#""type": ["number", "string"]"#),
        /// The bound is of the ratio to another strategy, or to another point of the sweep.
        ratio_to = json(r#""anyOf": ["@name", "@ratio"]"#).with(&[&RATIO]),
        at = json("@point"),
        /// The fields of one record.
        record = json("@values"),
        /// Its row key, byte for byte.
        key = json("@row"),
        /// Known to fail, and why; from the moment it holds, it fails.
        issue = text(r#""pattern": "\\S""#),
        /// Why this must hold.
        because = text(""),
    }

    /// What a bound is relative to.
    pub(super) static RATIO("ratio", r#""minProperties": 1"#) {
        /// The strategy to compare with.
        strategy = json("@name"),
        /// The other point of the sweep.
        at = json("@point"),
    }
}

/// What expectations are read beside.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) strategies: &'a [Named],
    /// The index that each strategy has in the scenario; `None` for one that was not selected.
    pub(super) selected: &'a [Option<usize>],
    /// The file without any strategy's overrides.
    pub(super) base: &'a Draft,
    pub(super) sweep: &'a Sweep,
    /// The sweep as the file alone has it.
    pub(super) file: &'a Sweep,
    /// The point that they are read for; without a sweep the only one.
    pub(super) point: usize,
}

/// Reads all `[[expect]]`; returns those that hold at this point, with their places among all.
pub(super) fn read_expectations(
    scenario: &Reader<'_>,
    context: Context<'_>,
) -> Vec<(usize, Expectation)> {
    let tables = scenario.tables("expect", usize::MAX, &EXPECT);
    let mut expectations = Vec::new();
    for (at, reader) in tables.iter().enumerate() {
        let found = read_one(reader, context);
        if !scenario.has("knee") {
            refuse_knees(reader);
        }
        reader.finish();
        expectations.extend(found.into_iter().map(|found| (at, found)));
    }
    expectations
}

fn read_one(reader: &Reader<'_>, context: Context<'_>) -> Vec<Expectation> {
    let (strategies, selected) = (context.strategies, context.selected);
    let (base, sweep, point) = (context.base, context.sweep, context.point);
    let chosen = read_strategy(reader, "strategy", strategies, true);
    let because = reader.text("because").map(str::to_owned);
    let issue = read_issue(reader);
    let at = read_at(reader, context);
    let here = match reader.has("at") {
        true => at.is_some_and(|at| sweep.matches(point, &at)),
        false => true,
    };
    let expectation = |strategy: usize, expected| {
        Some(Expectation {
            point,
            strategy: selected[strategy]?,
            expected,
            because: because.clone(),
            issue: issue.clone(),
        })
    };
    if reader.has("record") || reader.has("key") {
        for key in ["metric", "above", "below", "between", "is", "ratio_to"] {
            if reader.has(key) {
                let label = "an expected key has `record` and `key` only";
                reader.refuse_key(key, format!("`{key}` has no meaning beside a key"), label);
            }
        }
        let found = read_golden(reader, &chosen.unwrap_or_default(), strategies, base);
        let found = found.into_iter().filter(|_| here);
        let key = |(strategy, key)| expectation(strategy, Expected::Key(key));
        return found.filter_map(key).collect();
    }
    let names = base.setup.operation_names();
    reader.missing("metric", "\"server_max_share\"");
    let metric = metric_names::read(reader, &names);
    let bound = read_bound(reader, metric.as_ref());
    let ratio_to = read_ratio(reader, &bound, context);
    let (Some(chosen), Some((metric, _)), Some(bound), Some(ratio_to), true) =
        (chosen, metric, bound, ratio_to, here)
    else {
        return Vec::new();
    };
    let every = chosen.len() > 1 || sweep.len() > 1 && !reader.has("at");
    let bounded = |strategy: usize| {
        let ratio_to = match &ratio_to {
            None => None,
            Some(ratio) => {
                let other = ratio.strategy.unwrap_or(strategy);
                let other_point = match &ratio.at {
                    None => Some(point),
                    Some(at) => sweep.moved(point, at),
                };
                if (other, other_point) == (strategy, Some(point)) {
                    if !every {
                        let label = "its ratio to itself is 1";
                        reader.refuse("ratio_to", "a strategy compared with itself", label);
                    }
                    return None;
                }
                // When the other strategy or point does not run, there is nothing to compare with.
                let (strategy, point) = selected[other].zip(other_point)?;
                Some(RatioTo { point, strategy })
            }
        };
        let expected = Expected::Metric {
            metric: metric.to_owned(),
            bound: bound.clone(),
            ratio_to,
        };
        expectation(strategy, expected)
    };
    chosen.into_iter().filter_map(bounded).collect()
}

/// Reads `at`, if there is one.
fn read_at(reader: &Reader<'_>, context: Context<'_>) -> Option<At> {
    let node = reader.node("at")?;
    context.sweep.read_at(reader.sink, node, context.file)
}

/// What it is known to fail for: a text that says something.
fn read_issue(reader: &Reader<'_>) -> Option<String> {
    let issue = reader.text("issue")?;
    if issue.trim().is_empty() {
        let label = "expected what is known to fail, or where that is written";
        reader.refuse("issue", "`issue` says nothing", label)?;
    }
    Some(issue.to_owned())
}

/// The strategies that a name stands for: one, or all for `"*"`.
fn read_strategy<'a>(
    reader: &Reader<'a>,
    key: &'a str,
    strategies: &[Named],
    all: bool,
) -> Option<Vec<usize>> {
    reader.missing(key, "\"*\"");
    let name = reader.text(key)?;
    if all && name == "*" {
        return Some((0..strategies.len()).collect());
    }
    let names = || strategies.iter().map(|(known, _)| known.as_str());
    let found = names().position(|known| known == name);
    if found.is_none() {
        let diagnostic = Diagnostic::error(format!("unknown strategy `{name}`"));
        let diagnostic = diagnostic.label("no such `[strategy.x]`");
        reader.complain(key, diagnostic.hint(suggest(name, names())));
    }
    found.map(|at| vec![at])
}

/// A knee is measured only when it is asked for.
fn refuse_knees(reader: &Reader<'_>) {
    let metric = reader.text("metric");
    if let Some(metric @ ("knee_per_sec" | "knee_in_servers")) = metric {
        let diagnostic = Diagnostic::error(format!("`{metric}` is not measured"))
            .label("the scenario has no `[knee]`")
            .help("add `[knee]` with `vary = \"write.ingest.rate\"` and `limit = [{ metric = \"write_response_ms.p99\", below = 50 }]`");
        reader.complain("metric", diagnostic);
    }
}

const BOUNDS: [&str; 4] = ["above", "below", "between", "is"];

fn read_bound(reader: &Reader<'_>, metric: Option<&(&str, MetricPath)>) -> Option<Bound> {
    let none = "an expectation without a bound";
    let key = reader.one_of(BOUNDS, none, "an expectation with two bounds")?;
    let node = reader.node(key)?;
    // An unknown metric may be a word or a number.
    if metric.is_none() && matches!(node.value, Value::Text(_)) && key == "is" {
        return None;
    }
    if let Some((path, metric)) = metric
        && let Some(words) = metric.words()
    {
        return read_word(reader, key, node, path, words);
    }
    let number = |node: &Node| reader.number_node(key, node, "a finite number", |_| true);
    match key {
        "above" => return number(node).map(Bound::Above),
        "below" => return number(node).map(Bound::Below),
        "is" => return number(node).map(|it| Bound::Is(ExpectedValue::Number(it))),
        _ => {}
    }
    let pair = match &node.value {
        Value::Array(items) if items.len() == 2 => (&items[0], &items[1]),
        _ => {
            let label = "expected `[low, high]`";
            reader.refuse(key, "`between` is no pair of numbers", label);
            return None;
        }
    };
    let (low, high) = number(pair.0).zip(number(pair.1))?;
    if low > high {
        let label = format!("{low} is more than {high}");
        reader.refuse(key, "nothing lies between these", label)?;
    }
    Some(Bound::Between(low, high))
}

/// The bound of a metric that is one of some words.
fn read_word(
    reader: &Reader<'_>,
    key: &str,
    node: &Node,
    metric: &str,
    words: &[&str],
) -> Option<Bound> {
    let Some(word) = node.text().filter(|_| key == "is") else {
        let label = format!("expected `is = ...` with {}", either(words));
        reader.refuse(key, format!("`{metric}` is a word"), label);
        return None;
    };
    if !words.contains(&word) {
        let diagnostic = Diagnostic::error(format!("`{metric}` is never `{word}`"))
            .label(format!("expected {}", either(words)));
        reader.complain(key, diagnostic.hint(slip(word, words.iter().copied())))?;
    }
    Some(Bound::Is(ExpectedValue::Text(word.to_owned())))
}

/// What a metric is divided by: another strategy, another point, or both.
struct Ratio {
    strategy: Option<usize>,
    at: Option<At>,
}

/// `Some(None)`: no ratio; `None`: a mistake.
fn read_ratio(
    reader: &Reader<'_>,
    bound: &Option<Bound>,
    context: Context<'_>,
) -> Option<Option<Ratio>> {
    let Some(entry) = reader.entry("ratio_to") else {
        return Some(None);
    };
    let one =
        |reader: &Reader<'_>, key| Some(read_strategy(reader, key, context.strategies, false)?[0]);
    let ratio = match &entry.node.value {
        Value::Table(_) => reader.table_at(entry, &RATIO).read_with(|table| {
            let strategy = table.has("strategy").then(|| one(table, "strategy"));
            let at = table.has("at").then(|| read_at(table, context));
            if strategy.is_none() && at.is_none() {
                let label = "expected `at`, `strategy`, or both";
                reader.refuse("ratio_to", "a ratio to nothing", label)?;
            }
            // What could not be read has been complained about.
            let sound = !matches!(strategy, Some(None)) && !matches!(at, Some(None));
            let (strategy, at) = (strategy.flatten(), at.flatten());
            sound.then_some(Ratio { strategy, at })
        })?,
        _ => Ratio {
            strategy: Some(one(reader, "ratio_to")?),
            at: None,
        },
    };
    match bound {
        Some(Bound::Is(ExpectedValue::Text(_))) => {
            reader.refuse_key("ratio_to", "words have no ratio", "only numbers do")?;
        }
        Some(Bound::Below(high)) if *high <= 0.0 => {
            let diagnostic = Diagnostic::warning("a ratio is never below 0");
            reader.complain("below", diagnostic.label("can't hold"));
        }
        _ => {}
    }
    Some(Some(ratio))
}

/// Reads `record` and `key` of an expectation, once for each of the `chosen` strategies. What a strategy that could not be read would
/// make of the record is not known; its fields are those of `base`.
pub(super) fn read_golden(
    reader: &Reader<'_>,
    chosen: &[usize],
    strategies: &[Named],
    base: &Draft,
) -> Vec<(usize, ExpectedKey)> {
    reader.missing("record", "{ ... }");
    reader.missing("key", "'...'");
    let node = reader.node("key");
    let expected = node.and_then(|node| row_key(reader.sink, node));
    let record = reader.table("record");
    let (Some(expected), true) = (expected, record.table.is_some()) else {
        return Vec::new();
    };
    let read = |&strategy: &usize| {
        let Some(read) = &strategies[strategy].1 else {
            read_record(&record, base);
            return None;
        };
        Some((strategy, golden_key(reader, &record, read, &expected)?))
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
    expected: &RowKey,
) -> Option<ExpectedKey> {
    let (schema, slots) = read_record(record, &read.draft)?;
    let ReadStrategy { strategy, draft } = read;
    let name = &strategy.name;
    let fields = strategy.key.fields().into_iter();
    let missing = fields.filter(|id| slots[usize::from(id.0)].is_none());
    let missing: Vec<&str> = missing.map(|id| schema.field(id).name.as_str()).collect();
    if !missing.is_empty() {
        let missing = missing.join("` and `");
        let message = format!("the key of `{name}` also needs `{missing}`");
        record.refuse_table(message, "not all fields of the key")?;
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
        expectation.refuse_key("key", message, "a random key can't be expected")?;
    }
    Some(ExpectedKey {
        record: show(&schema, &slots),
        expected: expected.clone(),
        found,
    })
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
