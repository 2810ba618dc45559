//! Which of a scenario's strategies its own results recommend, and what that rests on: strategies that store the same rows are ranked by
//! limits, reads, usable capacity and bytes; a suggested key comes first only where it is shown to be better. Must not simulate, nor invent keys.

use super::ranking::{self, Candidate, Respect};
use super::{
    Comparison, Measure, Results, StrategyResult, SuggestedKeys, Suggestions, point_label,
    recommendation_limits,
};
use crate::layout::{Layout, Replicate};
use crate::metrics::Hotspot;
use crate::policy::create_command;
use crate::random::Seed;
use crate::scenario::{Scenario, Strategy};
use crate::statistics::paired_ratio;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a scenario's results recommend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendations {
    /// `keyheat x.y.z`.
    pub tool: String,
    /// The scenario's name.
    pub scenario: String,
    /// What it asks.
    pub question: String,
    /// All randomness came from it.
    pub seed: u64,
    /// Runs of each strategy.
    pub replicates: u32,
    /// Simulated length in seconds, warm-up included.
    pub duration_s: f64,
    /// What a strategy must keep, in words.
    pub limits: Vec<String>,
    /// Keys that were tried besides the file's; null when none were to be.
    pub suggestions: Option<SuggestedKeys>,
    /// In the order of their first strategies in the file.
    pub groups: Vec<ComparableStrategies>,
}

/// Strategies that store the same rows under the same load on the same cluster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparableStrategies {
    /// The stored fields that their keys are made of.
    pub fields: Vec<String>,
    /// Best first.
    pub strategies: Vec<RankedStrategy>,
    /// Why the first is recommended, a sentence each.
    pub reasons: Vec<String>,
    /// The first against the second: ratios paired by replicate; empty when there is no second.
    pub comparisons: Vec<Comparison>,
    /// The HBase shell's command that creates the table of the first with its split points.
    pub create: String,
}

/// One strategy in the order of preference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedStrategy {
    /// Its name in the file; of a sweep with the point's values.
    pub name: String,
    /// The key expression.
    pub key: String,
    /// The key is not in the file: keyheat suggests it.
    pub suggested: bool,
    /// The class of hotspot; null when it was not determined.
    pub hotspot: Option<String>,
    /// Limits that it breaks, each with what was found.
    pub broken_limits: Vec<String>,
    /// Cost of its reads, over that of the group's cheapest: geometric mean over the reads of response times (of calls and rows read,
    /// for reads that are only planned); null when undefined, or nothing is read.
    pub read_cost: Option<f64>,
    /// Operations a second that the servers could do before the hottest is full; null when undefined.
    pub usable_capacity_per_sec: Option<f64>,
    /// The highest load that keeps within the limits of `[knee]`, which then counts instead of the usable capacity; null without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee_per_sec: Option<f64>,
    /// Bytes of a row on disk, uncompressed; null when undefined.
    pub row_bytes: Option<f64>,
    /// No other one is at least as good in every respect and better in one.
    pub on_front: bool,
}

impl Recommendations {
    /// From the results of `scenario`, whose strategies they hold; of a sweep a strategy is a candidate at every point.
    ///
    /// ```
    /// use keyheat::experiment::{Experiment, Recommendations};
    /// use keyheat::scenario::Scenario;
    ///
    /// let scenario = Scenario::parse(
    ///     r#"
    ///     replicates = 3
    ///     time = { duration = "400ms", warmup = "100ms", sample = "100ms" }
    ///     [field]
    ///     sensor = { type = "int", count = 1_000 }
    ///     ts = { type = "timestamp", unit = "ms" }
    ///     [write.readings]
    ///     rate = "40k/s"
    ///     [existing.readings]
    ///     records = 100_000
    ///     [table]
    ///     presplit = { algorithm = "sampled", regions = 16 }
    ///     [strategy.time-first]
    ///     key = "be8(ts) || be4(sensor)"
    ///     [strategy.sensor-first]
    ///     key = "be4(sensor) || be8(ts)"
    ///     "#,
    ///     "readings",
    /// )?;
    /// let results = Experiment::new(&scenario).run(|_| {});
    /// let advice = Recommendations::of(&scenario, &results);
    /// // Both store the same rows: one group, the best first.
    /// let best = &advice.groups[0].strategies[0];
    /// assert_eq!(best.name, "sensor-first");
    /// assert!(advice.groups[0].create.starts_with("create 'readings'"));
    /// # Ok::<(), keyheat::scenario::LoadError>(())
    /// ```
    pub fn of(scenario: &Scenario, results: &Results) -> Self {
        Self::found(scenario, results, None)
    }

    /// From the results of the scenario with suggested keys.
    pub fn with_suggestions(suggestions: &Suggestions, results: &Results) -> Self {
        Self::found(suggestions.scenario(), results, Some(suggestions.found()))
    }

    fn found(scenario: &Scenario, results: &Results, suggestions: Option<&SuggestedKeys>) -> Self {
        let points = 0..scenario.point_count();
        let strategies: Vec<Strategy> = points
            .flat_map(|point| scenario.strategies_at(point).iter().cloned())
            .collect();
        let known = suggestions.cloned().unwrap_or_default();
        Self {
            tool: results.tool.clone(),
            scenario: results.scenario.name.clone(),
            question: results.scenario.question.clone(),
            seed: results.seed,
            replicates: results.replicates,
            duration_s: results.duration_s,
            // Every strategy has the same `[knee]`.
            limits: recommendation_limits::words(
                strategies
                    .first()
                    .and_then(|strategy| strategy.setup.knee.as_ref()),
            ),
            suggestions: suggestions.cloned(),
            groups: groups(&strategies)
                .iter()
                .map(|group| group_of(&scenario.name, &strategies, results, &known, group))
                .collect(),
        }
    }
}

/// Strategies that can be compared, by their indices: each group in the order of the file, and the groups in that of their first.
pub(super) fn groups(strategies: &[Strategy]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..strategies.len() {
        match groups
            .iter_mut()
            .find(|group| is_comparable(strategies, group[0], at))
        {
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

fn group_of(
    scenario: &str,
    strategies: &[Strategy],
    results: &Results,
    suggestions: &SuggestedKeys,
    group: &[usize],
) -> ComparableStrategies {
    let found: Vec<&StrategyResult> = group.iter().map(|&at| &results.strategies[at]).collect();
    let suggested = |strategy: &Strategy| {
        let mut keys = suggestions.simulated.iter();
        keys.find(|key| key.name == strategy.name)
    };
    let is_suggested = |strategy: &Strategy| suggested(strategy).is_some();
    let read_costs = read_costs(&found);
    let mut ranked: Vec<(RankedStrategy, Candidate)> = found
        .iter()
        .zip(read_costs)
        .zip(group)
        .map(|((result, read_cost), &at)| {
            rated(&strategies[at], result, read_cost, results.replicates)
        })
        .collect();
    let candidates: Vec<Candidate> = ranked.iter().map(|(_, candidate)| *candidate).collect();
    for ((strategy, _), on_front) in ranked.iter_mut().zip(ranking::front(&candidates)) {
        strategy.on_front = on_front;
    }
    for (strategy, &at) in ranked.iter_mut().zip(group) {
        strategy.0.suggested = is_suggested(&strategies[at]);
    }
    let mut order = ranking::ranked(&candidates);
    let own = order.iter().position(|&at| !ranked[at].0.suggested);
    if let Some(own) = own.filter(|&own| own > 0)
        && !is_shown_better(
            (found[order[0]], &candidates[order[0]]),
            (found[order[own]], &candidates[order[own]]),
        )
    {
        let own = order.remove(own);
        order.insert(0, own);
    }
    let best = &strategies[group[order[0]]];
    let second = order.get(1).copied();
    let comparisons = second.map_or(Vec::new(), |second| {
        compared(found[order[0]], found[second])
    });
    let mut reasons = Vec::new();
    match second {
        None => reasons
            .push("No other strategy stores the same rows: nothing to compare it with.".to_owned()),
        Some(second) => {
            let better = candidates[order[0]].better_in(&candidates[second]);
            reasons.push(reason(&ranked[second].0, better));
        }
    }
    if let Some(key) = suggested(best) {
        reasons.push(format!(
            "It is not in the file: add it as `[strategy.{}]` with `presplit = {}`.",
            key.name, key.presplit
        ));
    }
    if candidates[order[0]].broken > 0 {
        reasons.push(
            "It breaks limits itself: a better key, or more servers, are still to be found."
                .to_owned(),
        );
    }
    if !best.copies.is_empty() {
        reasons.push(
            "Each further copy is a table of its own, which the command does not create."
                .to_owned(),
        );
    }
    let schema = &best.setup.schema;
    let fields = best.key.fields();
    let create = create(scenario, best, results.seed);
    let strategies = order.iter().map(|&at| ranked[at].0.clone()).collect();
    ComparableStrategies {
        fields: fields
            .iter()
            .map(|&id| schema.field(id).name.clone())
            .collect(),
        strategies,
        reasons,
        comparisons,
        create,
    }
}

/// The suggested key breaks fewer limits than the file's best, or has reads that cost significantly less, or takes significantly more where
/// the file's has a hotspot: an even key needs no other.
fn is_shown_better(
    (key, rating): (&StrategyResult, &Candidate),
    (own, own_rating): (&StrategyResult, &Candidate),
) -> bool {
    let significant = |prefix: &str, more: bool| {
        compared(key, own).iter().any(|found| {
            let above = found.ratio.low.is_some_and(|low| low > 1.0);
            found.metric.starts_with(prefix) && found.significant && above == more
        })
    };
    match rating.better_in(own_rating) {
        Some(Respect::Limits) => true,
        Some(Respect::Reads) => significant("read.", false),
        Some(Respect::Capacity) => {
            let is_even = matches!(own.metrics.get("hotspot"), Some(super::Metric::Word(word)) if word == Hotspot::None.name());
            let measured = ["knee_per_sec", "usable_capacity_per_sec"];
            !is_even && measured.iter().any(|metric| significant(metric, true))
        }
        Some(Respect::Bytes) | None => false,
    }
}

fn reason(second: &RankedStrategy, better: Option<Respect>) -> String {
    let is_suggested = second.suggested;
    let second = &second.name;
    match better {
        Some(Respect::Limits) => format!("It breaks fewer limits than the next, `{second}`."),
        Some(Respect::Reads) => format!(
            "Both break as many limits as each other, and its reads cost less than those of the next, `{second}`."
        ),
        Some(Respect::Capacity) => format!(
            "Its limits and reads are as good as those of the next, `{second}`, and it can take more."
        ),
        Some(Respect::Bytes) => {
            format!("It is as good as the next, `{second}`, and its rows are shorter.")
        }
        None if is_suggested => {
            format!("`{second}`, a suggestion, is not shown to be better: the file's key is kept.")
        }
        None => format!("`{second}` is as good: the one that stands first in the file is taken."),
    }
}

fn rated(
    strategy: &Strategy,
    result: &StrategyResult,
    read_cost: Option<f64>,
    replicates: u32,
) -> (RankedStrategy, Candidate) {
    let knee = strategy.setup.knee.as_ref();
    let broken_limits = recommendation_limits::broken(knee, result, replicates);
    let capacity = mean(result, "usable_capacity_per_sec");
    let knee_per_sec = mean(result, "knee_per_sec");
    let bytes = mean(result, "row_bytes");
    let candidate = Candidate {
        broken: broken_limits.len(),
        reads: read_cost,
        capacity: match knee {
            Some(_) => knee_per_sec,
            None => capacity,
        },
        bytes,
    };
    let strategy = RankedStrategy {
        name: label(result),
        key: result.key.clone(),
        suggested: false,
        hotspot: result.hotspot().map(str::to_owned),
        broken_limits,
        read_cost,
        usable_capacity_per_sec: capacity,
        knee_per_sec,
        row_bytes: bytes,
        on_front: false,
    };
    (strategy, candidate)
}

/// Of each strategy, over the cheapest of them; `None` where some read has no cost, or there is none.
fn read_costs(found: &[&StrategyResult]) -> Vec<Option<f64>> {
    // Every strategy has the same reads: that is what makes them comparable.
    let reads = found.first().map_or(0, |first| first.reads.len());
    if reads == 0 {
        return vec![None; found.len()];
    }
    let logs: Vec<Option<f64>> = found
        .iter()
        .map(|strategy| {
            let costs: Option<Vec<f64>> = (0..reads).map(|at| log_cost(strategy, at)).collect();
            Some(costs?.iter().sum::<f64>() / reads as f64)
        })
        .collect();
    let least = logs.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    logs.into_iter()
        .map(|log| log.map(|log| libm::exp(log - least)))
        .collect()
}

/// The logarithm of a read's response time; of a planned one's calls times rows, whose ratios are as free of units.
fn log_cost(strategy: &StrategyResult, at: usize) -> Option<f64> {
    let read = strategy.reads.get(at)?;
    let cost = match &read.response_ms {
        Some(response) => response.get("mean").filter(|mean| !mean.censored)?.mean?,
        None => libm::sqrt(read.calls.mean?.max(1.0) * read.rows_read.mean?.max(1.0)),
    };
    (cost > 0.0).then(|| libm::log(cost))
}

/// The first over the second, paired by replicate, in what decides.
fn compared(first: &StrategyResult, second: &StrategyResult) -> Vec<Comparison> {
    let of_reads = first.reads.iter().flat_map(|read| {
        ["calls", "response_ms.mean"].map(|metric| format!("read.{}.{metric}", read.name))
    });
    let metrics = [
        "knee_per_sec",
        "usable_capacity_per_sec",
        "server_peak_to_mean",
        "row_bytes",
    ]
    .map(str::to_owned);
    metrics
        .into_iter()
        .chain(of_reads)
        .filter_map(|metric| {
            let values = first.values.get(&metric)?.iter();
            let others = second.values.get(&metric)?.iter();
            let pairs = values
                .zip(others)
                .filter_map(|(own, other)| Some(((*own)?, (*other)?)));
            let ratio: Measure = paired_ratio(pairs)?.into();
            let interval = ratio.low.zip(ratio.high);
            Some(Comparison {
                strategy: label(first),
                sweep: BTreeMap::new(),
                baseline: label(second),
                metric,
                ratio,
                significant: interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0),
            })
        })
        .collect()
}

fn label(result: &StrategyResult) -> String {
    match result.sweep.is_empty() {
        true => result.name.clone(),
        false => format!("{} ({})", result.name, point_label(&result.sweep)),
    }
}

fn mean(result: &StrategyResult, path: &str) -> Option<f64> {
    result.measure(path)?.mean
}

/// The command that makes the strategy's table as the scenario asks for it, not as existing rows have split it since.
fn create(scenario: &str, strategy: &Strategy, seed: u64) -> String {
    // What HBase takes as a table's name (`TableName`).
    let takes = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_name = scenario.chars().all(takes) && !scenario.is_empty() && !scenario.starts_with('-');
    let table = if is_name { scenario } else { "t" };
    // Sampled points are those of the first replicate.
    let first = Replicate::new(&strategy.setup, Seed(seed), 0);
    let points = Layout::presplit_points(strategy, &first);
    create_command(table, &strategy.setup.table.family, &points)
}
