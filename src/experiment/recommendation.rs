//! Which of a scenario's strategies its own results recommend, and what that rests on: strategies that store the same rows are ranked by
//! limits, growth of their reads, cost of their reads, usable capacity and bytes; one is recommended only where it is shown to be better than the
//! others, and else they are tied. Must not simulate, nor invent keys.

use super::comparable::{groups, growing_reads};
use super::comparisons::with_reads;
use super::ranking::{self, Candidate, Cost, Ranking};
use super::recommendation_words::{Rated, reasons};
use super::{
    Comparison, Loss, Measure, RankedStrategy, Results, StrategyResult, SuggestedKeys, Suggestions,
    point_label, recommendation_limits, recommendation_reads,
};
use crate::layout::{Layout, Replicate};
use crate::metrics::{MetricId, MetricPath, Part};
use crate::policy::create_command;
use crate::random::Seed;
use crate::scenario::{Scenario, Strategy};
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
    /// So many of the first are tied: 1 where the first is recommended, more where none of them is shown to be better than the others.
    pub tied: usize,
    /// Why they stand in this order, a sentence each.
    pub reasons: Vec<String>,
    /// The first against the second: ratios paired by replicate; empty when there is no second.
    pub comparisons: Vec<Comparison>,
    /// The HBase shell's command that creates the table of the first with its split points.
    pub create: String,
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
                .map(|group| {
                    group_of(
                        (&scenario.name, scenario.seed),
                        &strategies,
                        results,
                        &known,
                        group,
                    )
                })
                .collect(),
        }
    }
}

fn group_of(
    scenario: (&str, Seed),
    strategies: &[Strategy],
    results: &Results,
    suggestions: &SuggestedKeys,
    group: &[usize],
) -> ComparableStrategies {
    let found: Vec<(&Strategy, &StrategyResult)> = group
        .iter()
        .map(|&at| (&strategies[at], &results.strategies[at]))
        .collect();
    let suggested = |strategy: &Strategy| {
        let mut keys = suggestions.simulated.iter();
        keys.find(|key| key.name == strategy.name)
    };
    let mut rated = rated(&found, scenario.1, results.replicates);
    for ((strategy, _), (of, _)) in rated.iter_mut().zip(&found) {
        strategy.suggested = suggested(of).is_some();
    }
    let candidates: Vec<Candidate> = rated.iter().map(|(_, it)| it.clone()).collect();
    for ((strategy, _), on_front) in rated.iter_mut().zip(ranking::front(&candidates)) {
        strategy.on_front = on_front;
    }
    let Ranking { order, tied } = Ranking::of(&candidates);
    for &at in &order[tied..] {
        let own = &candidates[at];
        let mut all = order.iter();
        let beaten = all.find_map(|&best| Some((best, candidates[best].beats(own)?)));
        rated[at].0.loses_in = beaten.map(|(best, respect)| Loss {
            to: rated[best].0.name.clone(),
            respect: respect.name().to_owned(),
            times: own
                .cost(respect)
                .zip(candidates[best].cost(respect))
                .and_then(|(own, best)| own.over(best))
                .unwrap_or(Measure::UNDEFINED),
        });
    }
    let rated: Vec<Rated> = order.iter().map(|&at| rated[at].clone()).collect();
    let (best, of_best) = found[order[0]];
    let comparisons = order
        .get(1)
        .map_or(Vec::new(), |&second| compared(of_best, found[second].1));
    let mut reasons = reasons(&rated, tied, results.replicates);
    let is_of_file = |(strategy, _): &Rated| !strategy.suggested;
    if let Some(key) = suggested(best).filter(|_| !rated[..tied].iter().any(is_of_file)) {
        reasons.push(format!(
            "`{}` is not in the file: add it as `[strategy.{}]` with `{}`.",
            key.name,
            key.name,
            key.settings().join("`, `")
        ));
    }
    if tied > 1 {
        reasons.push(format!(
            "The command creates the table of `{}`, the first of those that are tied.",
            rated[0].0.name
        ));
    }
    if !best.copies.is_empty() {
        reasons.push(
            "Each further copy is a table of its own, which the command does not create."
                .to_owned(),
        );
    }
    let schema = &best.setup.schema;
    let fields = best.key.fields();
    ComparableStrategies {
        fields: fields
            .iter()
            .map(|&id| schema.field(id).name.clone())
            .collect(),
        strategies: rated.into_iter().map(|(strategy, _)| strategy).collect(),
        tied,
        reasons,
        comparisons,
        create: create(scenario.0, best, scenario.1),
    }
}

/// Each strategy of a group with what it is judged by.
fn rated(found: &[(&Strategy, &StrategyResult)], seed: Seed, replicates: u32) -> Vec<Rated> {
    let read_costs = recommendation_reads::read_costs(found);
    let least = read_costs
        .iter()
        .map(Cost::mean)
        .fold(f64::INFINITY, f64::min);
    let strategies: Vec<&Strategy> = found.iter().map(|(strategy, _)| *strategy).collect();
    let growing = growing_reads(&strategies, seed);
    let all = found.iter().zip(read_costs).zip(growing);
    all.map(|((&(strategy, result), reads), growing_reads)| {
        let knee = strategy.setup.knee.as_ref();
        let broken_limits = recommendation_limits::broken(knee, result, replicates);
        let bytes = result.mean(MetricId::RowBytes);
        let capacity = match knee {
            Some(_) => MetricId::Knee,
            None => MetricId::UsableCapacity,
        };
        let candidate = Candidate {
            broken: broken_limits.len(),
            growing: growing_reads.len(),
            capacity: Cost::of(
                result
                    .replicates(capacity)
                    .into_iter()
                    .flatten()
                    .map(|value| Some(1.0 / (*value)?)),
            ),
            bytes: Cost::known(bytes),
            reads,
        };
        let read_cost = candidate.reads.mean() / least;
        let strategy = RankedStrategy {
            name: label(result),
            key: result.key.clone(),
            suggested: false,
            hotspot: result.hotspot().map(str::to_owned),
            broken_limits,
            growing_reads,
            read_cost: Some(read_cost).filter(|cost| cost.is_finite()),
            usable_capacity_per_sec: result.mean(MetricId::UsableCapacity),
            knee_per_sec: result.mean(MetricId::Knee),
            row_bytes: bytes,
            on_front: false,
            loses_in: None,
        };
        (strategy, candidate)
    })
    .collect()
}

/// What decides between two strategies.
const DECIDING: [MetricId; 4] = [
    MetricId::Knee,
    MetricId::UsableCapacity,
    MetricId::ServerPeakToMean,
    MetricId::RowBytes,
];
/// The same of each read.
const OF_READS: [MetricPath; 3] = [
    MetricId::CallsPlanned.whole(),
    MetricId::RowsPlanned.whole(),
    MetricId::ReadResponse.at(Part::Mean),
];

/// The first over the second, paired by replicate, in what decides.
fn compared(first: &StrategyResult, second: &StrategyResult) -> Vec<Comparison> {
    let metrics = with_reads(&DECIDING.map(MetricPath::from), &OF_READS, first);
    let compared = metrics.into_iter().filter_map(|path| {
        first.paired(second, path)?;
        Some(Comparison {
            strategy: label(first),
            sweep: BTreeMap::new(),
            baseline: label(second),
            ..Comparison::of(first, second, path)
        })
    });
    compared.collect()
}

fn label(result: &StrategyResult) -> String {
    match result.sweep.is_empty() {
        true => result.name.clone(),
        false => format!("{} ({})", result.name, point_label(&result.sweep)),
    }
}

/// The command that makes the strategy's table as the scenario asks for it, not as existing rows have split it since.
fn create(scenario: &str, strategy: &Strategy, seed: Seed) -> String {
    // What HBase takes as a table's name (`TableName`).
    let takes = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_name = scenario.chars().all(takes) && !scenario.is_empty() && !scenario.starts_with('-');
    let table = if is_name { scenario } else { "t" };
    // Sampled points are those of the first replicate.
    let first = Replicate::new(&strategy.setup, seed, 0);
    let points = Layout::presplit_points(strategy, &first);
    create_command(table, &strategy.setup.table.family, &points)
}
