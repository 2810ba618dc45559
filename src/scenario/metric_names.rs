//! Whether a metric's path is one that results will have, and what it can be.

use crate::metrics::{MetricId, OperationNames, Source, all_paths, lookup};

/// Complains about a path that no result of a scenario with these operations has: message and help.
pub(super) fn check(
    path: &str,
    names: &OperationNames<'_>,
) -> Result<(), (String, Option<String>)> {
    let Err(error) = lookup(path, names) else {
        return Ok(());
    };
    let part = format!(".{path}");
    let whole = all_paths(names).find(|whole| whole.ends_with(&part));
    let nearest = error.nearest().map(str::to_owned).or(whole);
    let help = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
    // A path without a near one: some of the names, the nearest first.
    let all = MetricId::ALL.iter();
    let all = all.filter(|id| id.definition().source != Source::OneRead);
    let all = all.map(|id| id.name());
    let known = error.to_string().starts_with("unknown metric");
    let help = help.or_else(|| {
        if known {
            super::nearest::suggest(path, all)
        } else {
            None
        }
    });
    Err((error.to_string(), help))
}

/// The words that a metric can be; `None` when it is a number.
pub(super) fn words(path: &str, names: &OperationNames<'_>) -> Option<&'static [&'static str]> {
    lookup(path, names).ok()?.words()
}

/// The least and greatest value that a metric can have.
pub(super) fn range(path: &str, names: &OperationNames<'_>) -> Option<(f64, f64)> {
    Some(lookup(path, names).ok()?.definition().range())
}
