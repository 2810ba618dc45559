//! What is odd about a scenario that can be run, as far as no layout is needed to see it.

use super::model::{Bound, Expectation, Expected, ExpectedValue};
use super::prelude::*;
use crate::key::KeyPlan;
use crate::record::{FieldId, FieldKind};
use crate::text::{all, trimmed};
use crate::time::SimDuration;
use crate::workload::{ImportRows, PickDistribution, RangeExtent, Read};
use std::sync::Arc;

/// Warns of strategies that are another one.
pub(super) fn lint_strategies(sink: &Diagnostics, strategies: &[Strategy]) {
    let keys = |strategy: &Strategy| -> Vec<Arc<KeyPlan>> {
        let keys = strategy.keys().chain(&strategy.qualifier);
        keys.cloned().collect()
    };
    for (at, strategy) in strategies.iter().enumerate() {
        let own = keys(strategy);
        let same = |other: &&Strategy| {
            let others = keys(other);
            own.len() == others.len()
                && other.qualifier.is_some() == strategy.qualifier.is_some()
                && other.presplits().eq(strategy.presplits())
                && other.setup == strategy.setup
                && own
                    .iter()
                    .zip(&others)
                    .all(|(own, other)| own.has_bytes_of(other))
        };
        if let Some(other) = strategies[..at].iter().find(same) {
            let (name, same) = (&strategy.name, &other.name);
            let message = format!("strategy `{name}` is the same as `{same}`");
            let key = match own == keys(other) {
                true => "same key",
                false => "a key of the same bytes",
            };
            let diagnostic = Diagnostic::warning(message)
                .label(format!("{key}, same pre-split, same settings"))
                .help("leave one of them out, or change what was to tell them apart");
            sink.push(diagnostic.at(strategy.key_span.clone()));
        }
    }
}

/// Warns of bounds that always break, and of those that never can; `document` tells where each of the expectations stands.
pub(super) fn lint_expectations(
    sink: &Diagnostics,
    document: &TomlTable,
    strategies: &[Strategy],
    expectations: &[(usize, Expectation)],
) {
    for (at, expectation) in expectations {
        let Expected::Metric {
            metric,
            bound,
            ratio_to: None,
        } = &expectation.expected
        else {
            continue;
        };
        let Some(strategy) = strategies.get(expectation.strategy) else {
            continue;
        };
        let Some((least, greatest)) = super::metric_names::range(metric, &strategy.setup) else {
            continue;
        };
        // Whether it can be broken, and whether it can hold.
        let (key, bounds, breaks, holds) = match *bound {
            Bound::Above(low) => ("above", [low; 2], low >= least, low < greatest),
            Bound::Below(high) => ("below", [high; 2], high <= greatest, high > least),
            Bound::Between(low, high) => {
                let is_all = low <= least && high >= greatest;
                let meets = high >= least && low <= greatest;
                ("between", [low, high], !is_all, meets)
            }
            Bound::Is(ExpectedValue::Number(value)) => {
                let may_be = (least..=greatest).contains(&value);
                ("is", [value; 2], true, may_be)
            }
            Bound::Is(ExpectedValue::Text(_)) => continue,
        };
        let always = match (holds, breaks) {
            (true, true) => continue,
            (false, _) => "always breaks",
            (true, false) => "can't break",
        };
        let range = match greatest.is_finite() {
            true => format!("lies in {least} ..= {greatest}"),
            false => format!("is never below {least}"),
        };
        let is_percent = |bound: &f64| *bound > greatest && bound / 100.0 <= greatest;
        let help = match bounds.iter().find(|bound| is_percent(bound)) {
            Some(percent) => format!("a share of {percent} % is {}", trimmed(percent / 100.0, 6)),
            None => "take a bound within that".to_owned(),
        };
        let Some(place) = place_of_bound(document, *at, key) else {
            continue;
        };
        let diagnostic = Diagnostic::warning(format!("this expectation {always}"));
        let label = format!("`{metric}` {range}");
        sink.add(place, diagnostic.label(label).help(help));
    }
}

/// Where a bound of one of the expectations stands.
fn place_of_bound<'a>(document: &'a TomlTable, at: usize, key: &str) -> Option<&'a SourcePlace> {
    let Value::Array(items) = &document.get("expect")?.node.value else {
        return None;
    };
    Some(&items.get(at)?.table()?.get(key)?.node.place)
}

/// Adds warnings and notes; `document` tells where the reads stand.
pub(super) fn lint_reads(sink: &Diagnostics, document: &TomlTable, strategies: &[Strategy]) {
    let Some(first) = strategies.first() else {
        return;
    };
    let setups = || strategies.iter().map(|strategy| strategy.setup.as_ref());
    let reads = &first.setup.workload.reads;
    let place = |read: &Read| {
        let entry = document.named("read", &read.name);
        entry.map_or(SourcePlace::File(0..0), |entry| entry.place.clone())
    };
    let issued = |setup: &Setup| {
        let mut reads = setup.workload.reads.iter();
        reads.any(|read| read.load.is_some())
    };
    if let Some(read) = reads.first() {
        if !setups().any(issued) {
            let help =
                "give it a `rate` to see its response times, and what it does to the servers";
            let diagnostic = Diagnostic::note("no read is issued: each is planned and costed")
                .label("has neither `rate` nor `clients`");
            sink.add(&place(read), diagnostic.help(help));
        } else if setups().any(|setup| issued(setup) && setup.workload.existing.is_empty()) {
            let diagnostic = Diagnostic::note("the table is empty when the run starts")
                .label("reads meet only the rows that the run has written so far")
                .help("add `[existing.x]` for the rows that were there before");
            sink.add(&place(read), diagnostic);
        }
    }
    for (at, read) in reads.iter().enumerate() {
        let hot = strategies.iter().filter(|strategy| {
            let read = strategy.setup.workload.reads.get(at);
            let looks_back = |read: &Read| read.load.is_some() && looks_back(read);
            strategy.follows_time()
                && strategy.step_of_the_run(&strategy.key).is_none()
                && read.is_some_and(looks_back)
        });
        let hot: Vec<&str> = hot.map(|strategy| strategy.name.as_str()).collect();
        if !hot.is_empty() {
            let (name, hot) = (&read.name, all(&hot));
            let message = format!("`[read.{name}]` reads where the writes go under {hot}");
            let diagnostic = Diagnostic::warning(message)
                .label("asks for the newest rows: those of the region that takes all writes")
                .help("a key that does not lead with time spreads both");
            sink.add(&place(read), diagnostic);
        }
    }
}

/// Warns of existing rows that all carry one instant where a key tells time.
pub(super) fn lint_existing(sink: &Diagnostics, document: &TomlTable, strategies: &[Strategy]) {
    let mut told: Vec<&str> = Vec::new();
    for strategy in strategies {
        let schema = &strategy.setup.schema;
        let is_time = |id: &FieldId| {
            let field = schema.field(*id);
            field.column.is_none() && matches!(field.kind, FieldKind::Timestamp { .. })
        };
        let mut keys = strategy.keys().chain(&strategy.qualifier);
        if !keys.any(|key| key.fields().iter().any(is_time)) {
            continue;
        }
        for existing in &strategy.setup.workload.existing {
            let help = match &existing.rows {
                ImportRows::Drawn { last, .. } if *last == SimDuration::ZERO => {
                    "say `last`, as in `last = \"30d\"`: they are spread over so long before the run"
                }
                ImportRows::Each { every: None, .. } => {
                    "say `every` and `last`, as in `every = \"1h\"` and `last = \"30d\"`"
                }
                _ => continue,
            };
            if let Some(entry) = document.named("existing", &existing.name)
                && !told.contains(&existing.name.as_str())
            {
                told.push(&existing.name);
                let message = format!(
                    "all rows of `[existing.{}]` carry the time at which the run starts",
                    existing.name
                );
                let diagnostic = Diagnostic::warning(message)
                    .label("does not say over how long a time they were written")
                    .help(help);
                sink.add(&entry.place, diagnostic);
            }
        }
    }
}

/// Warns of fields `of` others that have more values than there are combinations of the others, where a key has them all: who writes
/// that means so many values within each of the others, or the other way round.
pub(super) fn lint_fields(sink: &Diagnostics, document: &TomlTable, strategies: &[Strategy]) {
    let Some(first) = strategies.first() else {
        return;
    };
    let schema = &first.setup.schema;
    for field in &schema.fields {
        let parents = || field.of.iter().map(|id| schema.field(*id));
        let Some(own) = field.count().filter(|_| !field.of.is_empty()) else {
            continue;
        };
        let combinations = parents().try_fold(1u64, |all, parent| {
            parent.count().map(|count| all.saturating_mul(count))
        });
        let Some(most) = combinations.filter(|most| *most < own) else {
            continue;
        };
        let has_all = |key: &Arc<KeyPlan>| {
            let fields = key.fields();
            let mut named = fields.iter().map(|id| &schema.field(*id).name);
            named.any(|name| *name == field.name) && field.of.iter().all(|id| fields.contains(id))
        };
        if let Some(entry) = document.named("field", &field.name)
            && strategies.iter().any(|it| it.keys().any(has_all))
        {
            let name = &field.name;
            let of: Vec<&str> = parents().map(|parent| parent.name.as_str()).collect();
            let of = all(&of);
            let message =
                format!("`{name}` takes {most} of its {own} values at most: each {of} has one");
            let diagnostic = Diagnostic::warning(message)
                .label("`of` draws one value for each")
                .help(format!(
                    "leave `of` out where all {own} come with each {of}; where each `{name}` has one {of}, let that be `of` this"
                ));
            sink.add(&entry.place, diagnostic);
        }
    }
}

/// Asks for the rows that were written last.
fn looks_back(read: &Read) -> bool {
    let ends_now =
        |extent| matches!(extent, RangeExtent::Last { ago, .. } if ago == SimDuration::ZERO);
    let range = read.range.as_ref();
    let mut laws = read.pick.iter().map(|(_, law)| law);
    read.newest.is_some()
        || range.is_some_and(|range| ends_now(range.extent))
        || laws.any(|law| matches!(law, PickDistribution::Latest { .. }))
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;

    #[test]
    fn strategies_whose_copies_are_cut_elsewhere_are_not_the_same() {
        let same = |regions: u32| {
            let strategy = |name: &str, regions: u32| {
                format!(
                    "[strategy.{name}]\nkey = \"be4(id)\"\n\
                     copies = [{{ key = \"be8(n)\", presplit = {{ algorithm = \"uniform\", regions = {regions} }} }}]\n"
                )
            };
            let text = format!(
                "[field]\nid = {{ type = \"int\", count = 9 }}\nn = {{ type = \"sequence\" }}\n[write.w]\nrate = \"1k/s\"\n{}{}",
                strategy("a", 4),
                strategy("b", regions)
            );
            let scenario = Scenario::parse(&text, "same").unwrap_or_else(|error| panic!("{error}"));
            let mut found = scenario.warnings.iter();
            found.any(|it| it.message.contains("strategy `b` is the same as `a`"))
        };
        assert!(same(4));
        assert!(!same(8));
    }

    /// Seven lines.
    const TEXT: &str = r#"[field]
id = { type = "int", count = 9 }
ts = { type = "timestamp", unit = "ms" }
[write.w]
rate = "1k/s"
[strategy.a]
key = "be4(id) || be8(rev_ts(ts))"
"#;

    /// The warnings about a small scenario and these further lines, as they are printed.
    fn warnings_of(rest: &str) -> String {
        let scenario = Scenario::parse(&format!("{TEXT}{rest}"), "odd")
            .unwrap_or_else(|error| panic!("{error}"));
        scenario.render_warnings(false)
    }

    #[test]
    fn more_values_than_their_fields_take_are_warned_of_where_a_key_has_both() {
        let warns = |count: u32, key: &str| {
            let text = format!(
                "[field]\ncity = {{ type = \"int\", count = 40 }}\n\
                 driver = {{ type = \"int\", count = {count}, of = \"city\" }}\n\
                 [write.w]\nrate = \"1k/s\"\n[strategy.a]\nkey = \"{key}\"\n"
            );
            let scenario = Scenario::parse(&text, "of").unwrap_or_else(|error| panic!("{error}"));
            let told = "`driver` takes 40 of its 500 values at most: each `city` has one";
            scenario.warnings.iter().any(|it| it.message == told)
        };
        assert!(warns(500, "be4(city) || be4(driver)"));
        // A name of each city, and a few groups of cities.
        assert!(!warns(500, "be4(driver)"));
        assert!(!warns(40, "be4(city) || be4(driver)"));
    }

    #[track_caller]
    fn assert_warns(rest: &str, expected: &[&str]) {
        let found = warnings_of(rest);
        for part in expected {
            assert!(found.contains(part), "`{part}` is missing in:\n{found}");
        }
    }

    #[test]
    fn keys_that_are_the_same_in_other_words_are_warned_of() {
        let key = "key = \"be4( id ) || (be8(9223372036854775807 - ts))\"";
        let said = "strategy `b` is the same as `a`";
        assert_warns(
            &format!("[strategy.b]\n{key}\n"),
            &[
                said,
                "odd.toml:9:7",
                "a key of the same bytes",
                "= help: leave one",
            ],
        );
        let other = warnings_of("[strategy.b]\nkey = \"be4(id) || be8(ts)\"\n");
        assert!(!other.contains(said), "{other}");
    }

    #[test]
    fn bounds_that_can_not_break_or_never_hold_are_warned_of() {
        let expect = |metric: &str, bound: &str| {
            format!("[[expect]]\nstrategy = \"*\"\nmetric = \"{metric}\"\n{bound}\n")
        };
        assert_warns(
            &expect("server_max_share", "below = 90"),
            &[
                "this expectation can't break",
                "odd.toml:11:9",
                "`server_max_share` lies in 0 ..= 1",
                "a share of 90 % is 0.9",
            ],
        );
        let never = "this expectation always breaks";
        assert_warns(
            &expect("server_max_share", "above = 99.9"),
            &[never, "is 0.999"],
        );
        let beyond = "between = [1, 9]";
        assert_warns(&expect("server_peak_to_mean", beyond), &["lies in 1 ..= 8"]);
        let below_zero = &expect("write_response_ms.p99", "above = -1");
        assert_warns(below_zero, &["is never below 0"]);
        let sound = warnings_of(&expect("server_max_share", "below = 0.9"));
        assert!(!sound.contains("this expectation"), "{sound}");
    }

    #[test]
    fn parameters_that_no_expression_uses_are_warned_of() {
        let said = "no expression uses the parameter `buckets`";
        let parameter = "[parameter]\nbuckets = 4\n";
        assert_warns(parameter, &[said, "odd.toml:9:1", "leave it out"]);
        let swept = format!("{parameter}[sweep]\nparameter.buckets = [4, 8]\n");
        assert_warns(&swept, &[said, "odd.toml:11:11", "sweep something else"]);
        // What a derived field uses is used, whoever uses that.
        let derived = "[strategy.b]\nkey = \"be4(id)\"\n";
        let of_field = |expression: &str| {
            let text = TEXT.replace(
                "[write.w]",
                &format!("b = {{ expr = \"{expression}\" }}\n[write.w]"),
            );
            let scenario = Scenario::parse(&format!("{text}{derived}{parameter}"), "odd");
            let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
            scenario.render_warnings(false).contains(said)
        };
        assert!(of_field("id % 4") && !of_field("id % buckets"));
    }
}
