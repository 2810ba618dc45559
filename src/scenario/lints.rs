//! What is odd about a scenario that can be run, as far as no layout is needed to see it.

use super::model::{Bound, Expectation, Expected, ExpectedValue};
use super::prelude::*;
use crate::record::{FieldId, FieldKind};
use crate::text::all;
use crate::time::SimDuration;
use crate::workload::{ImportRows, PickDistribution, RangeExtent, Read};

/// Adds warnings.
pub(super) fn lint<'a>(
    sink: &Diagnostics,
    strategies: &[Strategy],
    expectations: impl Iterator<Item = &'a Expectation>,
) {
    let keys = |strategy: &Strategy| -> Vec<String> {
        let keys = strategy.keys().chain(&strategy.qualifier);
        keys.map(|key| key.text().to_owned()).collect()
    };
    for (at, strategy) in strategies.iter().enumerate() {
        let same = |other: &&Strategy| {
            keys(other) == keys(strategy)
                && other.presplits().eq(strategy.presplits())
                && other.setup == strategy.setup
        };
        if let Some(other) = strategies[..at].iter().find(same) {
            let [name, other] = [&strategy.name, &other.name];
            let message = format!("strategy `{name}` is the same as `{other}`");
            let label = "same key, same pre-split, same settings";
            let diagnostic = Diagnostic::warning(message).label(label);
            sink.push(diagnostic.at(strategy.key_span.clone()));
        }
    }
    for expectation in expectations {
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
        let names = strategy.setup.operation_names();
        let Some((least, greatest)) = super::metric_names::range(metric, &names) else {
            continue;
        };
        let impossible = match *bound {
            Bound::Above(low) => low >= greatest,
            Bound::Below(high) => high <= least,
            Bound::Between(low, high) => high < least || low > greatest,
            Bound::Is(ExpectedValue::Number(value)) => value < least || value > greatest,
            Bound::Is(ExpectedValue::Text(_)) => false,
        };
        if impossible {
            let name = &strategy.name;
            let message = format!(
                "`{metric}` of `{name}` can never be so: it lies in {least} ..= {greatest}"
            );
            sink.push(Diagnostic::warning(message).help("this expectation always fails"));
        }
    }
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
}
