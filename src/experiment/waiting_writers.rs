//! The limits that clients break who wait for their writes: they are never behind, as they ask for as much as they get, and so what they get done under a key
//! counts beside what they get done under the others. Must not know what else decides.

use super::StrategyResult;
use crate::metrics::{MetricId, Side};
use crate::scenario::Strategy;
use crate::text::{compact, millis, percent};
use crate::workload::{LoadModel, Write};

/// They break a limit where they write a smaller part of what they write under the key that lets them write most, or take longer for their imports by as much
/// (estimate).
const LEAST_WRITTEN: f64 = 0.9;

/// What they get done under the keys of a group.
#[derive(Debug, Default)]
pub(super) struct WaitingWriters {
    /// Writes with such clients, by their place, and the most rows a second that come of each: all but imports that end under any key.
    most_written: Vec<(usize, f64)>,
    /// The shortest time that all imports take, in milliseconds; none where they end under no key.
    shortest_import: Option<f64>,
}

fn waits(write: &Write) -> bool {
    matches!(write.load, LoadModel::Closed { .. })
}

fn is_import(write: &Write) -> bool {
    write.load.import().is_some()
}

impl WaitingWriters {
    /// Of strategies as they ran. Where a knee is searched, its limits are all that counts.
    pub(super) fn of(found: &[(&Strategy, &StrategyResult)]) -> Self {
        let Some((first, _)) = found.first().filter(|it| it.0.setup.knee.is_none()) else {
            return Self::default();
        };
        let writes = &first.setup.workload.writes;
        let makespans = found.iter().filter_map(|it| it.1.mean(MetricId::Makespan));
        let imports_wait = writes.iter().any(|it| waits(it) && is_import(it));
        let shortest_import = makespans.reduce(f64::min).filter(|_| imports_wait);
        let counts = |it: &Write| waits(it) && !(is_import(it) && shortest_import.is_some());
        let places = (0..writes.len()).filter(|at| counts(&writes[*at]));
        let most_written = places.map(|at| {
            let rate = MetricId::WriteThroughput.whole().of_one(Side::Write, at);
            let written = found.iter().filter_map(|(_, it)| it.mean(rate));
            (at, written.fold(0.0, f64::max))
        });
        Self {
            most_written: most_written.collect(),
            shortest_import,
        }
    }

    /// The limits that a strategy breaks on average, each with what was found, and whether the replicates show it.
    pub(super) fn broken(&self, result: &StrategyResult) -> Vec<(String, bool)> {
        let written = self.most_written.iter().filter_map(|&(at, most)| {
            let measure = result.number(MetricId::WriteThroughput.whole().of_one(Side::Write, at));
            let written = measure.and_then(|it| it.mean).unwrap_or(0.0);
            let is_shown = measure.is_none_or(|it| it.is_below(LEAST_WRITTEN * most));
            let name = match &result.writes[..] {
                [_] => "writes".to_owned(),
                writes => format!("`{}`", writes.get(at)?.name),
            };
            let [own, other] = [written, most].map(compact);
            let words = format!("{name}: {own} a second, and {other} under another key");
            (written < LEAST_WRITTEN * most).then_some((words, is_shown))
        });
        let import = self.shortest_import.and_then(|shortest| {
            let other = millis(shortest);
            let most = shortest / LEAST_WRITTEN;
            let measure = result.number(MetricId::Makespan);
            let Some(own) = measure.and_then(|it| it.mean) else {
                let words =
                    format!("import: not done in the run, and after {other} under another key");
                return Some((words, true));
            };
            let is_shown = measure.is_some_and(|it| it.is_above(most));
            let own_words = millis(own);
            let words =
                format!("import: done after {own_words}, and after {other} under another key");
            (own > most).then_some((words, is_shown))
        });
        written.chain(import).collect()
    }
}

/// The limits in words, of those strategies that have any.
pub(super) fn words<'a>(strategies: impl Iterator<Item = &'a Strategy>) -> Vec<String> {
    let writes = strategies
        .filter(|it| it.setup.knee.is_none())
        .flat_map(|it| &it.setup.workload.writes);
    let waiting: Vec<&Write> = writes.filter(|it| waits(it)).collect();
    let least = percent(LEAST_WRITTEN);
    let others = waiting.iter().any(|it| !is_import(it));
    let limit = others.then(|| {
        format!("clients that wait for their writes write at least {least} of what they write under the key with the most")
    });
    let imports = waiting.iter().any(|it| is_import(it));
    let import = imports
        .then(|| format!("imports are at least {least} as fast as under the key with the fastest"));
    limit.into_iter().chain(import).collect()
}
