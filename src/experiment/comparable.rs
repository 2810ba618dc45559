//! Which strategies can be compared, which of their reads grow though they needn't, and what their reads cost each of them. Must not rank.

use super::StrategyResult;
use super::ranking::Cost;
use crate::cluster::ServiceSpec;
use crate::layout::{Replicate, Retention};
use crate::metrics::{MetricId, Part, Side};
use crate::random::Seed;
use crate::scenario::Strategy;
use crate::text::compact;

/// Strategies that can be compared, by their indices: each group in the order of the file, and the groups in that of their first.
pub(super) fn groups(strategies: &[Strategy]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..strategies.len() {
        let is_own = |group: &&mut Vec<usize>| is_comparable(strategies, group[0], at);
        match groups.iter_mut().find(is_own) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Both store the same rows under the same load on the same cluster: they may differ in key, pre-split, table settings, and in what
/// the cluster does by itself.
fn is_comparable(strategies: &[Strategy], a: usize, b: usize) -> bool {
    let (one, other) = (&strategies[a], &strategies[b]);
    let (setup, others) = (&one.setup, &other.setup);
    Replicate::twin(strategies, a) == Replicate::twin(strategies, b)
        && one.key.fields() == other.key.fields()
        && setup.cluster == others.cluster
        && setup.client == others.client
        && setup.changes.events == others.changes.events
        && setup.changes.neighbours == others.changes.neighbours
}

/// Of each strategy, the reads that grow with retention though they don't under another one, with how much.
pub(super) fn growing_reads(strategies: &[&Strategy], seed: Seed) -> Vec<Vec<String>> {
    let reads = strategies
        .first()
        .map_or(&[][..], |it| &it.setup.workload.reads);
    if reads.is_empty() || strategies.len() < 2 {
        return vec![Vec::new(); strategies.len()];
    }
    let retention = Retention::of(&strategies[0].setup, seed);
    let growths: Vec<Vec<f64>> = strategies.iter().map(|it| retention.growth(it)).collect();
    let needless = |at: usize| growths.iter().any(|of| !Retention::grows(of[at]));
    let of_strategy = |growth: &Vec<f64>| {
        let growing = reads.iter().enumerate().zip(growth);
        let growing =
            growing.filter(|((at, _), growth)| Retention::grows(**growth) && needless(*at));
        let words = growing.map(|((_, read), growth)| {
            format!("`{}` reads {} times the rows", read.name, compact(*growth))
        });
        words.collect()
    };
    growths.iter().map(of_strategy).collect()
}

/// Response times that reads are compared by: the mean, and where failed and unfinished reads leave some strategy none, the median.
const STATISTICS: [Part; 2] = [Part::Mean, Part::P50];

/// The cost of each strategy's reads: the geometric mean over the reads, each of them counting alike. A read costs the handler time that it is
/// planned to take (calls x base + rows x time of a row); of one that is issued, the geometric mean of that and of its response time, so
/// that calls made at a time cost less than one after another. Unknown where nothing is read, a plan is unknown, or the reads did not end though those of
/// another strategy did.
pub(super) fn read_costs(found: &[(&Strategy, &StrategyResult)]) -> Vec<Cost> {
    // Every strategy has the same reads: that is what makes them comparable.
    let reads = found.first().map_or(0, |(_, result)| result.reads.len());
    let of_reads: Vec<Vec<Vec<Option<f64>>>> = (0..reads).map(|at| of_read(found, at)).collect();
    let of_strategy = |strategy: usize| {
        let replicates = of_reads.iter().map(|costs| costs[strategy].len()).min();
        let mean = |replicate: usize| {
            let costs = of_reads.iter().map(|costs| costs[strategy][replicate]);
            let logs = costs.map(|cost| Some(libm::log(cost?)));
            let logs: Vec<f64> = logs.collect::<Option<_>>()?;
            Some(libm::exp(logs.iter().sum::<f64>() / reads as f64))
        };
        Cost::of((0..replicates.unwrap_or(0)).map(mean))
    };
    (0..found.len()).map(of_strategy).collect()
}

/// Of one read, each strategy's cost in each replicate.
fn of_read(found: &[(&Strategy, &StrategyResult)], at: usize) -> Vec<Vec<Option<f64>>> {
    let measured = STATISTICS.into_iter().find_map(|statistic| {
        let responses = found
            .iter()
            .map(|(_, result)| response(result, at, statistic));
        let responses: Vec<Option<Vec<Option<f64>>>> = responses.collect();
        let enough = match statistic {
            Part::Mean => responses.iter().all(Option::is_some),
            _ => responses.iter().any(Option::is_some),
        };
        enough.then_some(responses)
    });
    let of_strategy = |(place, (strategy, result)): (usize, &(&Strategy, &StrategyResult))| {
        let planned = planned_seconds(strategy, result, at);
        let Some(measured) = &measured else {
            return planned;
        };
        let measured = measured[place].iter().flatten();
        let pairs = planned.iter().zip(measured);
        pairs
            .map(|(planned, measured)| Some(((*planned)? * (*measured)?).sqrt()))
            .collect()
    };
    found.iter().enumerate().map(of_strategy).collect()
}

/// Milliseconds of one read in each replicate; `None` when it is not issued, or failed and unfinished reads reach the statistic.
fn response(result: &StrategyResult, at: usize, statistic: Part) -> Option<Vec<Option<f64>>> {
    let path = MetricId::ReadResponse.at(statistic).of_one(Side::Read, at);
    let measure = result.number(path)?;
    measure.mean.filter(|_| !measure.censored)?;
    result.replicates(path).cloned()
}

/// Seconds of handlers that one read is planned to take, in each replicate.
fn planned_seconds(strategy: &Strategy, result: &StrategyResult, at: usize) -> Vec<Option<f64>> {
    let read = &result.reads[at];
    let calls = planned(result, at, [MetricId::CallsPlanned, MetricId::Calls]);
    let rows = planned(result, at, [MetricId::RowsPlanned, MetricId::RowsRead]);
    let service = &strategy.setup.cluster.service;
    let pairs = calls.into_iter().zip(rows);
    pairs
        .map(|(calls, rows)| Some(seconds(service, read.path.as_deref()?, calls?, rows?)))
        .collect()
}

/// Seconds of handlers for so many calls that read so many rows, as the planner has it: a Get takes its base, and so does each of a multi-Get; a
/// scanner's call its base, and each row on top.
pub(super) fn seconds(service: &ServiceSpec, path: &str, calls: f64, rows: f64) -> f64 {
    let miss = (1.0 - service.cache_hit) * service.disk_read.as_secs_f64();
    match path {
        "get" | "multi-get" => calls.max(rows) * (service.get.as_secs_f64() + miss),
        _ => calls * (service.scan.as_secs_f64() + miss) + rows * service.scan_row.as_secs_f64(),
    }
}

/// The first of these that is known over all issued reads in each replicate. What is found once holds for all.
fn planned(result: &StrategyResult, at: usize, ids: [MetricId; 2]) -> Vec<Option<f64>> {
    let mut paths = ids.into_iter().map(|id| id.whole().of_one(Side::Read, at));
    let values = paths.find_map(|path| result.replicates(path));
    let values = values.cloned().unwrap_or_default();
    match values.split_first() {
        Some((first, others)) if others.iter().all(Option::is_none) => vec![*first; values.len()],
        _ => values,
    }
}
