//! Which of a scenario's strategies its own results recommend, why, and what that rests on: strategies that store the same rows are ranked by
//! limits, growth of their reads, cost of their reads, usable capacity and bytes; one is recommended only where it is shown to be better than the
//! others, and else they are tied. Must not simulate, nor invent keys.

use super::comparable::{groups, growing_reads, read_costs};
use super::comparisons::with_reads;
use super::matrix::strategies;
use super::ranking::{AS_GOOD, Candidate, Cost, Ranking, Respect};
use super::read_price::{NEARLY_ALL, is_piling_up};
use super::{
    Comparison, Measure, Results, StrategyResult, SuggestedKey, SuggestedKeys, Suggestions,
    knee_result, point_label, ranking,
};
use crate::layout::{Layout, Replicate, Retention};
use crate::metrics::{MetricId, MetricPath, Part, Side};
use crate::policy::create_command;
use crate::random::Seed;
use crate::record::FieldId;
use crate::scenario::{Knee, Limit, Scenario, Strategy};
use crate::text;
use crate::text::{compact, listed};
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
        let strategies = strategies(scenario);
        let suggested = suggestions.map_or(&[][..], |found| &found.simulated);
        let group_of = |group: &Vec<usize>| {
            let members = group
                .iter()
                .map(|&at| (&strategies[at], &results.strategies[at]));
            group_of(
                scenario,
                results.replicates,
                suggested,
                &members.collect::<Vec<_>>(),
            )
        };
        // Every strategy has the same `[knee]`.
        let knee = strategies.first().and_then(|it| it.setup.knee.as_ref());
        Self {
            tool: results.tool.clone(),
            scenario: results.scenario.name.clone(),
            question: results.scenario.question.clone(),
            seed: results.seed,
            replicates: results.replicates,
            duration_s: results.duration_s,
            limits: words(knee),
            suggestions: suggestions.cloned(),
            groups: groups(&strategies).iter().map(group_of).collect(),
        }
    }
}

fn group_of(
    scenario: &Scenario,
    replicates: u32,
    suggested: &[SuggestedKey],
    found: &[(&Strategy, &StrategyResult)],
) -> ComparableStrategies {
    let suggested = |name: &str| suggested.iter().find(|key| key.name == name);
    let mut rated = rated(found, scenario.seed, replicates);
    let candidates: Vec<Candidate> = rated.iter().map(|(_, it)| it.clone()).collect();
    let on_front = ranking::front(&candidates);
    for (((strategy, _), (of, _)), on_front) in rated.iter_mut().zip(found).zip(on_front) {
        strategy.suggested = suggested(&of.name).is_some();
        strategy.on_front = on_front;
    }
    let Ranking { order, tied } = Ranking::of(&candidates);
    for &at in &order[tied..] {
        let own = &candidates[at];
        let mut all = order.iter();
        let beaten = all.find_map(|&best| Some((best, candidates[best].beats(own)?)));
        rated[at].0.loses_in = beaten.map(|(best, respect)| {
            let costs = own.cost(respect).zip(candidates[best].cost(respect));
            let times = costs.and_then(|(own, best)| own.over(best));
            Loss {
                to: rated[best].0.name.clone(),
                respect: respect.name().to_owned(),
                times: times.unwrap_or(Measure::UNDEFINED),
            }
        });
    }
    let rated: Vec<Rated> = order.iter().map(|&at| rated[at].clone()).collect();
    let (best, of_best) = found[order[0]];
    let second = order.get(1).map(|&second| found[second].1);
    let mut reasons = reasons(&rated, tied, replicates);
    let is_of_file = |(strategy, _): &Rated| !strategy.suggested;
    if let Some(key) = suggested(&best.name).filter(|_| !rated[..tied].iter().any(is_of_file)) {
        let (name, settings) = (&key.name, key.settings().join("`, `"));
        reasons.push(format!(
            "`{name}` is not in the file: add it as `[strategy.{name}]` with `{settings}`."
        ));
    }
    if tied > 1 {
        reasons.push(format!(
            "The command creates the table of `{}`, the first of those that are tied.",
            rated[0].0.name
        ));
    }
    if !best.copies.is_empty() {
        let further = "Each further copy is a table of its own, which the command does not create.";
        reasons.push(further.to_owned());
    }
    let field = |&id: &FieldId| best.setup.schema.field(id).name.clone();
    ComparableStrategies {
        fields: best.key.fields().iter().map(field).collect(),
        strategies: rated.into_iter().map(|(strategy, _)| strategy).collect(),
        tied,
        reasons,
        comparisons: second.map_or(Vec::new(), |second| compared(of_best, second)),
        create: create(&scenario.name, best, scenario.seed),
    }
}

/// Each strategy of a group with what it is judged by.
fn rated(found: &[(&Strategy, &StrategyResult)], seed: Seed, replicates: u32) -> Vec<Rated> {
    let read_costs = read_costs(found);
    let means = read_costs.iter().map(Cost::mean);
    let least = means.fold(f64::INFINITY, f64::min);
    let strategies: Vec<&Strategy> = found.iter().map(|(strategy, _)| *strategy).collect();
    let growing = growing_reads(&strategies, seed);
    let all = found.iter().zip(read_costs).zip(growing);
    all.map(|((&(strategy, result), reads), growing_reads)| {
        let knee = strategy.setup.knee.as_ref();
        let broken_limits = broken(knee, result, replicates);
        let bytes = result.mean(MetricId::RowBytes);
        let capacity = match knee {
            Some(_) => MetricId::Knee,
            None => MetricId::UsableCapacity,
        };
        let capacities = result.replicates(capacity).into_iter().flatten();
        let candidate = Candidate {
            broken: broken_limits.len(),
            growing: growing_reads.len(),
            capacity: Cost::of(capacities.map(|value| Some(1.0 / (*value)?))),
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
    /// Reads that read more rows the longer rows are kept, though another key of the group keeps them from it; each with how many.
    pub growing_reads: Vec<String>,
    /// Cost of its reads, over that of the group's cheapest: geometric mean over the reads of handler time as planned for all that are issued and,
    /// of those that are, of response times; null when nothing is read, or the reads did not end.
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
    /// In what a better one is shown to be better; null for the first, and for those that are tied with it.
    pub loses_in: Option<Loss>,
}

/// What a strategy loses in to the first that is better: of those that nothing beats, if there is one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// The one that is better.
    pub to: String,
    /// `limits`, `growth`, `reads`, `capacity` or `bytes`: the first of these in which the two are shown to differ.
    pub respect: String,
    /// How many times as much it costs, or as little it can take, paired by replicate; null for limits and growth, and where it is not known.
    pub times: Measure,
}

/// A greater part of failed operations breaks the limit (estimate: what an operator notices).
const MOST_FAILED: f64 = 0.001;

/// The limits in words.
fn words(knee: Option<&Knee>) -> Vec<String> {
    let (all, few) = (text::percent(NEARLY_ALL), text::percent(MOST_FAILED));
    match knee {
        Some(knee) => knee.limits.iter().map(Limit::kept).collect(),
        None => vec![
            format!("at least {all} of the offered operations completed"),
            "more than half of each kind of operation ended".to_owned(),
            format!("at most {few} failed"),
        ],
    }
}

/// Those that `result` breaks, each with what was found.
fn broken(knee: Option<&Knee>, result: &StrategyResult, replicates: u32) -> Vec<String> {
    let Some(knee) = knee else {
        return piling_up_or_failing(result, replicates);
    };
    let limits = knee.limits.iter();
    limits
        .filter_map(|limit| broken_limit(limit, result))
        .collect()
}

/// As in the search for the knee, what is undefined keeps no limit.
fn broken_limit(limit: &Limit, result: &StrategyResult) -> Option<String> {
    let measure = result.measure(&limit.metric).copied();
    let measure = measure.unwrap_or(Measure::UNDEFINED);
    let value = measure.merged.or(measure.mean);
    if value.is_some_and(|value| limit.bound.is_kept(value, measure.censored)) {
        return None;
    }
    let found = knee_result::found(&limit.metric, value, measure.censored);
    Some(format!("{found} instead of {}", limit.kept()))
}

fn piling_up_or_failing(result: &StrategyResult, replicates: u32) -> Vec<String> {
    let of_writes = ("writes".to_owned(), None, result.counts);
    let reads = result.reads.iter().enumerate();
    let of_reads = reads.map(|(at, read)| (format!("read `{}`", read.name), Some(at), read.counts));
    let mut broken = Vec::new();
    for (name, read, counts) in std::iter::once(of_writes).chain(of_reads) {
        let path = |path: MetricPath| match read {
            None => path,
            Some(at) => MetricPath {
                metric: path.metric.of(Side::Read),
                ..path.of_one(Side::Read, at)
            },
        };
        let value = |id: MetricId| result.mean(path(id.whole()));
        let load = value(MetricId::WriteThroughput).zip(value(MetricId::WriteOffered));
        if let Some((done, offered)) = load
            && is_piling_up(done, offered, &counts, replicates)
        {
            let (done, offered) = (compact(done), compact(offered));
            broken.push(format!("{name}: {done} of {offered} a second completed"));
        }
        let median = result.number(path(MetricId::WriteResponse.at(Part::P50)));
        if median.is_some_and(|median| median.censored) {
            broken.push(format!("{name}: half of them did not end"));
        }
        let failed = value(MetricId::WriteFailedFraction);
        if let Some(failed) = failed.filter(|failed| *failed > MOST_FAILED) {
            broken.push(format!("{name}: {} failed", text::percent(failed)));
        }
    }
    broken
}

/// A ranked strategy, and what it was judged by.
pub(super) type Rated = (RankedStrategy, Candidate);

/// Of strategies in order of preference, the first `tied` of which are tied.
pub(super) fn reasons(rated: &[Rated], tied: usize, replicates: u32) -> Vec<String> {
    if rated.len() < 2 {
        let alone = "No other strategy stores the same rows: nothing to compare it with.";
        return vec![alone.to_owned()];
    }
    let (first, others) = rated.split_at(tied);
    let mut sentences = Vec::new();
    if tied > 1 {
        sentences.push(what_would_decide(first, replicates));
    }
    for respect in Respect::ALL {
        let words = match respect {
            Respect::Limits => "breaks fewer limits".to_owned(),
            Respect::Growth => format!(
                "keeps more reads from growing when rows are kept {} times as long",
                Retention::TIMES
            ),
            Respect::Reads => "serves reads at less cost".to_owned(),
            Respect::Capacity => "can take more".to_owned(),
            Respect::Bytes => "has shorter rows".to_owned(),
        };
        for (best, _) in first {
            let subject = match tied > 1 {
                true => format!("`{}`", best.name),
                false => "It".to_owned(),
            };
            let lost = others.iter().filter_map(|(other, _)| {
                let loss = other.loses_in.as_ref()?;
                let is_this = loss.respect == respect.name() && loss.to == best.name;
                is_this.then(|| format!("`{}`{}", other.name, details(respect, other, loss)))
            });
            let names = listed(&lost.collect::<Vec<String>>());
            if !names.is_empty() {
                sentences.push(format!("{subject} {words} than {names}."));
            }
        }
    }
    sentences
}

/// How much worse the other one is, in brackets.
fn details(respect: Respect, other: &RankedStrategy, loss: &Loss) -> String {
    match (respect, loss.times.mean) {
        (Respect::Limits, _) => String::new(),
        (Respect::Growth, _) => format!(" ({})", other.growing_reads.join("; ")),
        (Respect::Reads, None) => " (they did not end)".to_owned(),
        (_, None) => " (what it takes is not known)".to_owned(),
        (_, Some(_)) => format!(" ({})", times(&loss.times)),
    }
}

/// `2.80 times [2.71, 2.89]`.
fn times(ratio: &Measure) -> String {
    let mean = ratio.mean.map_or_else(String::new, compact);
    match ratio.low.zip(ratio.high).filter(|(low, high)| low < high) {
        Some((low, high)) => format!("{mean} times [{}, {}]", compact(low), compact(high)),
        None => format!("{mean} times"),
    }
}

/// In what tied strategies differ, and what is not shown of it.
fn what_would_decide(tied: &[Rated], replicates: u32) -> String {
    let mut clauses = Vec::new();
    for (respect, words) in [
        (Respect::Reads, "what reads cost"),
        (Respect::Capacity, "what they can take"),
        (Respect::Bytes, "bytes a row"),
    ] {
        let costs = tied.iter().filter_map(|(_, of)| of.cost(respect));
        let means: Vec<f64> = costs.map(Cost::mean).collect();
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(0.0, f64::max);
        let apart = most / least;
        if apart.is_nan() || apart < 1.0 + 1e-3 {
            continue;
        }
        let apart_by = match apart < 2.0 {
            true => format!("{} % apart", compact(100.0 * (apart - 1.0))),
            false => format!("{} times apart", compact(apart)),
        };
        let but = match (respect, apart > AS_GOOD) {
            (_, false) => ", less than counts here".to_owned(),
            (Respect::Bytes, true) => String::new(),
            (_, true) if replicates < 2 => ", which one replicate can't show".to_owned(),
            (_, true) => format!(", which {replicates} replicates don't show"),
        };
        clauses.push(format!("{words} ({apart_by}{but})"));
    }
    match clauses.is_empty() {
        true => "Nothing that was measured tells them apart: take the one that is the simplest to write and to read.".to_owned(),
        false => format!("What would decide between them: {}.", listed(&clauses)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Experiment, Recommendations};
    use crate::scenario::Scenario;

    /// Two servers of one handler that takes exactly 10 ms a row: 130/s are too much for one, and two thirds of what both can do.
    fn text(knee: &str) -> String {
        format!(
            "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\n\
             [field]\nid = {{ type = \"int\", count = 4096 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.w]\nrate = \"130/s\"\narrivals = \"constant\"\n[table]\nsplit_policy = \"disabled\"\n\
             [cluster]\nservers = 2\nhandlers = 1\ncall_queues = 1\nnetwork = \"0us\"\n\
             service = {{ distribution = \"constant\", put = \"10ms\" }}\nwal = {{ mode = \"off\" }}\n\
             [strategy.rising]\nkey = \"be8(ts) || be4(id)\"\n\
             [strategy.spread]\nkey = \"md5_bytes(be4(id)) || be8(ts)\"\npresplit = {{ algorithm = \"uniform\", regions = 2 }}\n{knee}"
        )
    }

    #[test]
    fn the_limits_of_a_knee_are_those_of_the_recommendation_and_its_load_what_a_strategy_takes() {
        let knee = "[knee]\nvary = \"write.w.rate\"\nprecision = 0.05\n\
            limit = [{ metric = \"write_response_ms.p99\", below = 400 }, { metric = \"write_goodput_fraction\", above = 0.5 }]\n";
        let advise = |knee: &str| {
            let scenario =
                Scenario::parse(&text(knee), "two").unwrap_or_else(|error| panic!("{error}"));
            let results = Experiment::new(&scenario).run(|_| {});
            Recommendations::of(&scenario, &results)
        };
        let found = advise(knee);
        assert_eq!(found.limits, ["p99 below 400 ms", "goodput above 50 %"]);
        let [spread, rising] = &found.groups[0].strategies[..] else {
            panic!("{found:?}")
        };
        assert_eq!((&spread.name[..], &rising.name[..]), ("spread", "rising"));
        assert!(spread.broken_limits.is_empty(), "{spread:?}");
        // Of 130/s one server completes 100/s: goodput stays above one half.
        assert_eq!(rising.broken_limits.len(), 1, "{rising:?}");
        let broken = &rising.broken_limits[0];
        assert!(
            broken.starts_with("p99 over ") && broken.ends_with(" instead of p99 below 400 ms"),
            "{broken}"
        );
        // One server is full at 100/s; what p99 then lets pass in five seconds is less than a tenth.
        let knee = rising.knee_per_sec.expect("a knee");
        assert!((95.0..112.0).contains(&knee), "{knee}");
        assert!(spread.knee_per_sec > Some(1.6 * knee), "{spread:?}");

        let found = advise("");
        assert_eq!(
            found.limits,
            [
                "at least 99 % of the offered operations completed",
                "more than half of each kind of operation ended",
                "at most 0.1 % failed"
            ]
        );
        assert!(found.groups[0].strategies[1].broken_limits[0].contains("a second completed"));
        assert_eq!(found.groups[0].strategies[1].knee_per_sec, None);
    }
}
