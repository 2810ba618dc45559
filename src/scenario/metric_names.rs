//! Whether a metric's path is one that results will have, and what it can be.

use super::diagnostic::Diagnostic;
use super::names::suggest;
use super::reader::Reader;
use crate::metrics::{MetricId, OperationNames, Source, all_paths, lookup};

/// Reads `metric`: a path that results of a scenario with these operations have.
pub(super) fn read<'a>(reader: &Reader<'a>, names: &OperationNames<'_>) -> Option<&'a str> {
    let path = reader.text("metric")?;
    let Err(error) = lookup(path, names) else {
        return Some(path);
    };
    let part = format!(".{path}");
    let whole = all_paths(names).find(|whole| whole.ends_with(&part));
    let nearest = error.nearest().map(str::to_owned).or(whole);
    let mut help = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
    let message = error.to_string();
    if help.is_none() && message.starts_with("unknown metric") {
        // A path without a near one: some of the names, the nearest first.
        let all = MetricId::ALL.iter();
        let all = all.filter(|id| id.definition().source != Source::OneRead);
        help = suggest(path, all.map(|id| id.name()));
    }
    let diagnostic = Diagnostic::error(message).label("not in the catalogue of metrics");
    reader.complain("metric", diagnostic.hint(help));
    None
}

/// The words that a metric can be; `None` when it is a number.
pub(super) fn words(path: &str, names: &OperationNames<'_>) -> Option<&'static [&'static str]> {
    lookup(path, names).ok()?.words()
}

/// The least and greatest value that a metric can have.
pub(super) fn range(path: &str, names: &OperationNames<'_>) -> Option<(f64, f64)> {
    Some(lookup(path, names).ok()?.definition().range())
}
