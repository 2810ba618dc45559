//! `[[expect]]`: bounds of metrics and golden keys.

use super::diagnostic::Diagnostic;
use super::document::{Node, SourcePlace, Value};
use super::draft::Draft;
use super::golden::read_golden;
use super::metric_names;
use super::model::{Bound, Expectation, RatioTo};
use super::nearest::suggest;
use super::reader::Reader;
use super::strategies::Named;
use super::sweeps::{At, Sweep};
use crate::metrics::OperationNames;
use crate::settings::{any_number, json, text};

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
        /// `[low, high]`
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
        /// The argument.
        because = text(""),
    }
}

crate::settings! {
    pub(super) static RATIO("ratio", r#""minProperties": 1"#) {
        strategy = json("@name"),
        at = json("@point"),
    }
}

/// The point of a sweep that expectations are read for; without a sweep the only one.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub(super) sweep: &'a Sweep,
    /// The sweep as the file alone has it.
    pub(super) file: &'a Sweep,
    pub(super) point: usize,
}

/// Reads all `[[expect]]`; returns those that hold at this point, with their places among all. `selected[i]` is the index that strategy i
/// has in the scenario, `None` when it was not selected; `base` is the file without any strategy's overrides.
pub(super) fn read_expectations(
    scenario: &Reader<'_>,
    strategies: &[Named],
    selected: &[Option<usize>],
    base: &Draft,
    text: &str,
    points: Points<'_>,
) -> Vec<(usize, Expectation)> {
    let Some(entry) = scenario.entry("expect") else {
        return Vec::new();
    };
    let Value::Array(items) = &entry.node.value else {
        scenario.sink.error(
            &entry.place,
            format!("`expect` is {}", entry.node.value.kind()),
            "expected `[[expect]]`",
        );
        return Vec::new();
    };
    let mut expectations = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let reader = scenario.table_of("expect", item, &item.place, "expect".to_owned(), &EXPECT);
        if reader.table.is_some() {
            let mut found = Vec::new();
            read_one(
                &reader, strategies, selected, base, text, points, &mut found,
            );
            if !scenario.has("knee") {
                refuse_knees(&reader);
            }
            reader.finish();
            expectations.extend(found.into_iter().map(|found| (at, found)));
        }
    }
    expectations
}

fn read_one(
    reader: &Reader<'_>,
    strategies: &[Named],
    selected: &[Option<usize>],
    base: &Draft,
    text: &str,
    points: Points<'_>,
    out: &mut Vec<Expectation>,
) {
    let point = points.point;
    let chosen = read_strategy(reader, "strategy", strategies, true);
    let because = reader.text("because").map(str::to_owned);
    let issue = read_issue(reader);
    let here = match reader.entry("at") {
        None => true,
        Some(entry) => match points.sweep.read_at(reader.sink, &entry.node, points.file) {
            Some(at) => points.sweep.matches(point, &at),
            None => false,
        },
    };
    let golden = reader.has("record") || reader.has("key");
    if golden {
        for key in ["metric", "above", "below", "between", "is", "ratio_to"] {
            if reader.entry(key).is_some() {
                let label = "an expected key has `record` and `key` only";
                reader.refuse_key(key, format!("`{key}` has no meaning beside a key"), label);
            }
        }
        let found = read_golden(
            reader,
            chosen.as_deref().unwrap_or_default(),
            strategies,
            base,
            text,
        );
        for mut key in found {
            if let Some(at) = selected[key.strategy].filter(|_| here) {
                key.strategy = at;
                key.point = point;
                key.because.clone_from(&because);
                key.issue.clone_from(&issue);
                out.push(Expectation::Key(key));
            }
        }
        return;
    }
    let names = base.setup.operation_names();
    let metric = read_metric(reader, &names);
    let bound = read_bound(reader, metric.as_deref(), &names);
    let ratio_to = read_ratio(reader, strategies, &bound, points);
    let (Some(chosen), Some(metric), Some(bound), Some(ratio_to), true) =
        (chosen, metric, bound, ratio_to, here)
    else {
        return;
    };
    let every = chosen.len() > 1 || points.sweep.len() > 1 && !reader.has("at");
    for strategy in chosen {
        let ratio = match &ratio_to {
            None => None,
            Some(ratio) => {
                let other = ratio.strategy.unwrap_or(strategy);
                let other_point = match &ratio.at {
                    None => Some(point),
                    Some(at) => points.sweep.moved(point, at),
                };
                if (other, other_point) == (strategy, Some(point)) {
                    if !every {
                        let label = "its ratio to itself is 1";
                        reader.refuse("ratio_to", "a strategy compared with itself", label);
                    }
                    continue;
                }
                match selected[other].zip(other_point) {
                    Some((strategy, point)) => Some(RatioTo { point, strategy }),
                    // The other strategy or point does not run: nothing to compare with.
                    None => continue,
                }
            }
        };
        let Some(strategy) = selected[strategy] else {
            continue;
        };
        let (metric, bound, because) = (metric.clone(), bound.clone(), because.clone());
        out.push(Expectation::Metric {
            point,
            strategy,
            metric,
            bound,
            ratio_to: ratio,
            because,
            issue: issue.clone(),
        });
    }
}

/// What it is known to fail for: a text that says something.
fn read_issue(reader: &Reader<'_>) -> Option<String> {
    let issue = reader.text("issue")?;
    if issue.trim().is_empty() {
        reader.refuse(
            "issue",
            "`issue` says nothing",
            "expected what is known to fail, or where that is written",
        );
        return None;
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
    if !reader.has(key) {
        reader.missing(key, "\"*\"");
    }
    let name = reader.text(key)?;
    if all && name == "*" {
        return Some((0..strategies.len()).collect());
    }
    if let Some(at) = strategies.iter().position(|(known, _)| known == name) {
        return Some(vec![at]);
    }
    let mut diagnostic =
        Diagnostic::error(format!("unknown strategy `{name}`")).label("no such `[strategy.x]`");
    diagnostic.help = suggest(name, strategies.iter().map(|(known, _)| known.as_str()));
    reader.complain(key, diagnostic);
    None
}

/// A knee is measured only when it is asked for.
fn refuse_knees(reader: &Reader<'_>) {
    const OF_A_KNEE: [&str; 2] = ["knee_per_sec", "knee_in_servers"];
    if let Some(metric) = reader
        .text("metric")
        .filter(|name| OF_A_KNEE.contains(name))
    {
        let diagnostic = Diagnostic::error(format!("`{metric}` is not measured"))
            .label("the scenario has no `[knee]`")
            .help("add `[knee]` with `vary = \"write.ingest.rate\"` and `limit = [{ metric = \"write_response_ms.p99\", below = 50 }]`");
        reader.complain("metric", diagnostic);
    }
}

fn read_metric(reader: &Reader<'_>, names: &OperationNames<'_>) -> Option<String> {
    if !reader.has("metric") {
        reader.missing("metric", "\"server_max_share\"");
    }
    let metric = reader.text("metric")?;
    let place = reader.place_of_value("metric");
    match metric_names::check(metric, names) {
        Ok(()) => Some(metric.to_owned()),
        Err((message, help)) => {
            let mut diagnostic =
                Diagnostic::error(message).label("not in the catalogue of metrics");
            diagnostic.help = help;
            reader.sink.add(&place, diagnostic);
            None
        }
    }
}

const BOUNDS: [&str; 4] = ["above", "below", "between", "is"];

fn read_bound(
    reader: &Reader<'_>,
    metric: Option<&str>,
    names: &OperationNames<'_>,
) -> Option<Bound> {
    let key = reader.one_of(
        BOUNDS,
        "an expectation without a bound",
        "an expectation with two bounds",
    )?;
    let node = &reader.table?.get(key)?.node;
    let number = |node: &Node| reader.number_node(key, node, "a finite number", |_| true);
    // An unknown metric may be a word or a number.
    if metric.is_none() && matches!(node.value, Value::Text(_)) && key == "is" {
        return None;
    }
    let words = metric.and_then(|metric| metric_names::words(metric, names));
    if let Some(words) = words {
        return match &node.value {
            Value::Text(word) if key == "is" => {
                if !words.contains(&word.as_str()) {
                    let mut diagnostic = Diagnostic::error(format!(
                        "`{}` is never `{word}`",
                        metric.unwrap_or_default()
                    ));
                    diagnostic.label = format!("expected {}", crate::text::either(words));
                    diagnostic.help =
                        suggest(word, words.iter().copied()).filter(|help| help.starts_with("did"));
                    reader.sink.add(&node.place, diagnostic);
                    return None;
                }
                Some(Bound::IsText(word.clone()))
            }
            _ => {
                let label = format!("expected `is = ...` with {}", crate::text::either(words));
                reader.sink.error(
                    &node.place,
                    format!("`{}` is a word", metric.unwrap_or_default()),
                    label,
                );
                None
            }
        };
    }
    match key {
        "above" => number(node).map(Bound::Above),
        "below" => number(node).map(Bound::Below),
        "is" => number(node).map(Bound::IsNumber),
        _ => match &node.value {
            Value::Array(items) if items.len() == 2 => {
                let (low, high) = number(&items[0]).zip(number(&items[1]))?;
                if low > high {
                    reader.sink.error(
                        &node.place,
                        "nothing lies between these",
                        format!("{low} is more than {high}"),
                    );
                    return None;
                }
                Some(Bound::Between(low, high))
            }
            _ => {
                reader.sink.error(
                    &node.place,
                    "`between` is no pair of numbers",
                    "expected `[low, high]`",
                );
                None
            }
        },
    }
}

/// What a metric is divided by: another strategy, another point, or both.
struct Ratio {
    strategy: Option<usize>,
    at: Option<At>,
}

/// `Some(None)`: no ratio; `None`: a mistake.
fn read_ratio(
    reader: &Reader<'_>,
    strategies: &[Named],
    bound: &Option<Bound>,
    points: Points<'_>,
) -> Option<Option<Ratio>> {
    let Some(entry) = reader.entry("ratio_to") else {
        return Some(None);
    };
    let ratio = if matches!(entry.node.value, Value::Table(_)) {
        let path = reader.path_of("ratio_to");
        let table = reader.table_of("ratio_to", &entry.node, &entry.place, path, &RATIO);
        let mut sound = true;
        let strategy = table.has("strategy").then(|| {
            let found = read_strategy(&table, "strategy", strategies, false);
            sound &= found.is_some();
            found?.first().copied()
        });
        let at = table.entry("at").map(|entry| {
            let at = points.sweep.read_at(reader.sink, &entry.node, points.file);
            sound &= at.is_some();
            at
        });
        if strategy.is_none() && at.is_none() {
            let label = "expected `at`, `strategy`, or both";
            let message = "a ratio to nothing";
            reader.sink.error(&entry.node.place, message, label);
            sound = false;
        }
        table.finish();
        if !sound {
            return None;
        }
        Ratio {
            strategy: strategy.flatten(),
            at: at.flatten(),
        }
    } else {
        let other = read_strategy(reader, "ratio_to", strategies, false)?;
        Ratio {
            strategy: other.first().copied(),
            at: None,
        }
    };
    if matches!(bound, Some(Bound::IsText(_))) {
        reader
            .sink
            .error(&entry.place, "words have no ratio", "only numbers do");
        return None;
    }
    let below_zero = matches!(bound, Some(Bound::Below(high)) if *high <= 0.0);
    if below_zero {
        let place: SourcePlace = reader.place_of_value("below");
        reader.sink.add(
            &place,
            Diagnostic::warning("a ratio is never below 0").label("can't hold"),
        );
    }
    Some(Some(ratio))
}
