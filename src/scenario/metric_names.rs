//! Whether a metric's path is one that results will have, and what it can be.

use super::prelude::*;
use crate::cluster::servers_by;
use crate::metrics::{
    MetricId, MetricPath, OperationNames, Source, UnknownMetric, all_paths, lookup,
};
use crate::time::SimTime;

/// Reads `metric`: a path that results of a scenario with these operations have, and what it names.
pub(super) fn read<'a>(
    reader: &Reader<'a>,
    names: &OperationNames<'_>,
) -> Option<(&'a str, MetricPath)> {
    let path = reader.text("metric")?;
    let error = match lookup(path, names) {
        Ok(metric) => return Some((path, metric)),
        Err(error) => error,
    };
    let part = format!(".{path}");
    let whole = all_paths(names)
        .into_iter()
        .find(|whole| whole.ends_with(&part));
    let nearest = error.nearest().map(str::to_owned).or(whole);
    let mut help = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
    if help.is_none() && matches!(error, UnknownMetric::Unknown { .. }) {
        // A path without a near one: some of the names, the nearest first.
        let all = MetricId::ALL.iter();
        let all = all.filter(|id| id.definition().source != Source::OneRead);
        help = suggest(path, all.map(|id| id.name()));
    }
    let diagnostic = Diagnostic::error(error.to_string()).label("not in the catalogue of metrics");
    reader.complain("metric", diagnostic.hint(help));
    None
}

/// The least and greatest value that a metric can have, with all servers that join.
pub(super) fn range(path: &str, setup: &Setup) -> Option<(f64, f64)> {
    let metric = lookup(path, &setup.operation_names()).ok()?;
    let servers = servers_by(SimTime::MAX, setup.cluster.servers, &setup.changes.events);
    Some(metric.definition().range_with(servers))
}
