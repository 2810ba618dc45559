//! What tells the points of a sweep apart in tables, and what it shows in sentences. Must not know terminals, Markdown or pages.

use super::document::Column;
use super::number::NumberFormat;
use crate::experiment::{Results, SweepFinding, SweptList, at_point, point_label, value_text};
use crate::metrics::MetricId;
use crate::text::{counted, verb};
use NumberFormat::Ratio;
use serde_json::Value;
use std::collections::BTreeMap;

/// Columns for the swept settings, by the last name of their paths where that is clear; none without a sweep.
pub fn columns(results: &Results) -> Vec<Column> {
    let last = |path: &'_ str| path.rfind('.').map_or(0, |dot| dot + 1);
    let lists = results.sweep.iter();
    let columns = lists.map(|list| {
        let name = &list.path[last(&list.path)..];
        let same = |other: &&SweptList| other.path[last(&other.path)..] == *name;
        let clear = results.sweep.iter().filter(same).count() == 1;
        let name = if clear { name } else { &list.path };
        Column::named(name.to_owned(), list.values.iter().all(Value::is_number))
    });
    columns.collect()
}

/// The cells of a point under [`columns`].
pub fn cells(results: &Results, point: &BTreeMap<String, Value>) -> Vec<String> {
    let value = |path| point.get(path).map_or_else(String::new, value_text);
    results.sweep.iter().map(|list| value(&list.path)).collect()
}

/// The point that all is shown of that is shown of one: `parameter.buckets = 1`; `None` without a sweep.
pub fn first_point(results: &Results) -> Option<String> {
    let first = results.strategies.first()?;
    (!first.sweep.is_empty()).then(|| point_label(&first.sweep))
}

/// What the sweep shows, a sentence each; none when nothing can be said.
pub fn sentences(results: &Results) -> Vec<String> {
    results.sweep_findings().iter().map(sentence).collect()
}

/// `salted: beyond parameter.buckets = 8 writes gain nothing (there 8.00× [7.98×, 8.02×] of 1); 12 is worse than 8 (0.750× ...)`.
fn sentence(finding: &SweepFinding) -> String {
    let (path, first, knee) = (&finding.path, &finding.first, &finding.knee);
    let others = at_point(&finding.others);
    let load = if finding.reads { "reads" } else { "writes" };
    let gain = Ratio.interval(&finding.gain);
    let mut parts = vec![match (*knee == finding.last, knee == first) {
        (_, true) if finding.load_reached => format!(
            "from {path} = {first} on all offered {load} are completed; what greater values could take, this load does not show"
        ),
        _ if finding.load_reached => format!(
            "from {path} = {knee} on all offered {load} are completed, {gain} those at {first}; what greater values could take, this load \
             does not show"
        ),
        (true, _) => format!("{load} still gain at {path} = {knee}: {gain} those at {first}"),
        (_, is_first) => {
            let beyond = match &finding.unclear {
                Some(it) => format!(
                    "no gain of {load} is shown; {} gives {} those at {knee}",
                    it.value,
                    Ratio.interval(&it.ratio)
                ),
                None => format!("{load} gain nothing"),
            };
            let at_knee = format!("; {knee} gives {gain} those at {first}");
            let at_knee = if is_first { "" } else { &at_knee };
            format!("beyond {path} = {knee} {beyond}{at_knee}")
        }
    }];
    if let Some((idle, servers)) = finding.idle_servers {
        parts.push(format!(
            "at {knee}, {idle} of {} {} no region",
            counted(servers, "server"),
            verb(idle as usize, ["has", "have"])
        ));
    }
    parts.extend(finding.dips.iter().map(|dip| {
        let ratio = Ratio.interval(&dip.ratio);
        format!("{} is worse than {}: {ratio}", dip.value, dip.than)
    }));
    parts.extend(finding.prices.iter().map(|price| {
        let what = match price.metric.metric {
            MetricId::CallsPlanned => "calls",
            _ => "mean response time",
        };
        let ratio = Ratio.interval(&price.ratio);
        format!("{} then has {ratio} the {what}", price.read)
    }));
    format!("{}{others}: {}", finding.strategy, parts.join("; "))
}
