//! What is odd about a scenario that can be run, as far as no layout is needed to see it.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::model::{Bound, Expectation, Strategy};

/// Adds warnings.
pub(super) fn lint<'a>(
    sink: &Diagnostics,
    strategies: &[Strategy],
    expectations: impl Iterator<Item = &'a Expectation>,
) {
    let keys = |strategy: &Strategy| -> Vec<String> {
        let copies = strategy.copies.iter().map(|copy| &copy.key);
        let keys = std::iter::once(&strategy.key).chain(copies);
        keys.map(|key| key.text().to_owned()).collect()
    };
    for (at, strategy) in strategies.iter().enumerate() {
        let same = |other: &&Strategy| {
            keys(other) == keys(strategy)
                && other.presplit == strategy.presplit
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
        let Expectation::Metric {
            metric,
            bound,
            ratio_to: None,
            strategy,
            ..
        } = expectation
        else {
            continue;
        };
        let Some(strategy) = strategies.get(*strategy) else {
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
            Bound::IsNumber(value) => value < least || value > greatest,
            Bound::IsText(_) => false,
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
