//! Which of a scenario's strategies its own results recommend, why, and what that rests on: strategies over the same fields are ranked by
//! the rows that they keep, limits, growth of their reads, cost of their reads, copies under random salts, usable capacity and bytes; one is recommended only where it is shown to be better than the
//! others, and else they are tied. Must not simulate, nor invent keys.

use super::comparisons::with_reads;
use super::expectations::FEWEST_OPERATIONS;
use super::growing_reads::{GrowingReads, read_weights};
use super::kept_rows::{FEWER, KeptRows, adds};
use super::knee_result::{found, kept};
use super::made_up_points;
use super::ranking::{self, AS_GOOD, Candidate, Cost, Criterion, Ranking};
use super::suggestions::{groups, seconds, share_load, strategies};
use super::verdict::{NEARLY_ALL, is_piling_up, known_length, nothing_piles_up};
use super::waiting_writers::{self, WaitingWriters};
use super::{
    ComparableStrategies, Comparison, Loss, Measure, RankedStrategy, Results, StrategyResult,
    SuggestedKey, SuggestedKeys, Suggestions,
};
use crate::cluster::TableSpec;
use crate::layout::{Layout, ReadGrowth, Replicate, Retention};
use crate::metrics::{MetricId, MetricPath, Part, Side, Subject};
use crate::policy::create_command;
use crate::random::Seed;
use crate::record::FieldId;
use crate::scenario::{Knee, Limit, LimitBound, Scenario, Strategy};
use crate::text::{compact, listed, percent};
use crate::time::SimDuration;
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
        Self::found(&suggestions.scenario, results, Some(&suggestions.found))
    }

    fn found(scenario: &Scenario, results: &Results, suggestions: Option<&SuggestedKeys>) -> Self {
        let strategies = strategies(scenario);
        let suggested = suggestions.map_or(&[][..], |found| &found.simulated);
        let group_of = |group: &Vec<usize>| {
            let member = |&at: &usize| (&strategies[at], &results.strategies[at]);
            let members: Vec<Ran<'_>> = group.iter().map(member).collect();
            ComparableStrategies::of(scenario, results.replicates, suggested, &members)
        };
        let apart = groups(&strategies);
        let mut groups: Vec<ComparableStrategies> = apart.iter().map(group_of).collect();
        let lost: Vec<Option<String>> = (0..groups.len())
            .map(|at| rows_lost(&strategies, &apart, &groups, at))
            .collect();
        for (group, lost) in groups.iter_mut().zip(lost) {
            group.reasons.extend(lost);
        }
        // Every strategy has the same `[knee]`.
        let knee = strategies.first().and_then(|it| it.setup.knee.as_ref());
        Self {
            tool: results.tool.clone(),
            scenario: results.scenario.name.clone(),
            question: results.scenario.question.clone(),
            seed: results.seed,
            replicates: results.replicates,
            duration_s: results.duration_s,
            limits: words(knee, &strategies),
            suggestions: suggestions.cloned(),
            groups,
        }
    }
}

/// A strategy with its results.
type Ran<'a> = (&'a Strategy, &'a StrategyResult);

impl ComparableStrategies {
    fn of(
        scenario: &Scenario,
        replicates: u32,
        suggested: &[SuggestedKey],
        found: &[Ran<'_>],
    ) -> Self {
        let suggested = |of: &Strategy| suggested.iter().find(|key| key.name == of.name);
        let ranked = RankedStrategy::all(found, scenario.seed, replicates);
        let (mut ranked, candidates): (Vec<RankedStrategy>, Vec<Candidate>) = ranked.unzip();
        let on_front = ranking::front(&candidates);
        for (at, own) in ranked.iter_mut().enumerate() {
            own.suggested = suggested(found[at].0).is_some();
            own.on_front = on_front[at];
        }
        let Ranking { order, tied } = Ranking::of(&candidates);
        for &at in &order[tied..] {
            let beats = |&best: &usize| Some((best, candidates[best].beats(&candidates[at])?));
            let beaten = order.iter().find_map(beats);
            ranked[at].loses_in = beaten.map(|(place, criterion)| Loss {
                to: ranked[place].name.clone(),
                respect: criterion.name().to_owned(),
                times: match criterion {
                    Criterion::Rows | Criterion::Limits => Measure::UNDEFINED,
                    _ => {
                        let [own, least] = [at, place].map(|it| candidates[it].cost(criterion));
                        own.over(least).unwrap_or(Measure::UNDEFINED)
                    }
                },
            });
        }
        let ranked: Vec<RankedStrategy> = order.iter().map(|&at| ranked[at].clone()).collect();
        let (best, of_best) = found[order[0]];
        // Of equals one that the file has.
        let in_file = order[..tied]
            .iter()
            .find(|&&at| suggested(found[at].0).is_none());
        let (chosen, of_chosen) = found[*in_file.unwrap_or(&order[0])];
        let second = order.get(1).map(|&second| found[second].1);
        let among: Vec<&Candidate> = order[..tied].iter().map(|&at| &candidates[at]).collect();
        let mut reasons = reasons(&ranked, &among, replicates);
        if let Some(key) = suggested(chosen) {
            let (name, settings) = (&key.name, key.settings().join("`, `"));
            reasons.push(format!(
                "`{name}` is not in the file: add it as `[strategy.{name}]` with `{settings}`."
            ));
        }
        let reads = found[0].1.reads.iter().enumerate();
        let reads = reads.filter(|_| second.is_some());
        reasons.extend(reads.filter_map(|(at, read)| {
            let (made, name) = (few(found, at)?, &read.name);
            Some(format!(
                "Only {made} of `{name}` were made, fewer than {FEWEST_OPERATIONS}: too few to tell how long they take, so that what they are planned to read is compared. \
                 A longer `time.duration` tells more."
            ))
        }));
        if tied > 1 {
            let name = &chosen.name;
            let which = match in_file {
                Some(at) if *at != order[0] => "the first of the file's",
                _ => "the first of those",
            };
            reasons.push(format!(
                "The command creates the table of `{name}`, {which} that are tied."
            ));
        }
        let (create, regions, single) = create(&scenario.name, chosen, scenario.seed);
        if !single.is_empty() && of_chosen.mean(MetricId::RegionsStart) > Some(regions as f64) {
            reasons.push(format!(
                "The command creates {} with a single region, as the file asks; in the run existing rows had split it. Until rows do, one server has all its writes: a `presplit` cuts it from the start.",
                listed(&single)
            ));
        }
        let create_warning = made_up_points::warning(chosen);
        reasons.extend(create_warning.clone());
        let field = |id: &FieldId| best.setup.schema.field(*id).name.clone();
        let is_of_all = |id: &&FieldId| found.iter().all(|(it, _)| it.key.fields().contains(id));
        let fields = best.key.fields();
        let fields = fields.iter().filter(is_of_all);
        Self {
            fields: fields.map(field).collect(),
            strategies: ranked,
            tied,
            reasons,
            comparisons: second.map_or(Vec::new(), |second| compared(of_best, second)),
            create,
            create_warning,
        }
    }
}

/// Rows that the best of a group does not keep and a key of another group does, under the same load: they agree in all that its key tells.
fn rows_lost(
    strategies: &[Strategy],
    apart: &[Vec<usize>],
    groups: &[ComparableStrategies],
    at: usize,
) -> Option<String> {
    let first = &strategies[apart[at][0]];
    let writes = &first.setup.workload.writes;
    if writes.iter().all(adds) {
        return None;
    }
    let rows = |of: &RankedStrategy| of.rows_kept.unwrap_or(0.0);
    let others = (0..groups.len())
        .filter(|other| *other != at && share_load(&strategies[apart[*other][0]], first));
    let others = others.flat_map(|other| groups[other].strategies.iter());
    let most = others.max_by(|a, b| rows(a).total_cmp(&rows(b)))?;
    let best = &groups[at].strategies[0];
    if FEWER * rows(best) >= rows(most) {
        return None;
    }
    let [own, all] = [best, most].map(|it| compact(rows(it)));
    let [name, other] = [&best.name, &most.name];
    Some(format!(
        "`{name}` keeps {own} of the {all} rows that `{other}` keeps: of writes that agree in all that its key tells, only the last stays."
    ))
}

/// Of each strategy, the reads that grow with retention though they don't under another one that keeps as many rows, and how much in words.
fn growing_reads(
    found: &[Ran<'_>],
    kept: &[KeptRows],
    seed: Seed,
) -> Vec<(GrowingReads, Vec<String>)> {
    let (first, result) = found[0];
    if result.reads.is_empty() || found.len() < 2 {
        let none = GrowingReads {
            later_cost: 1.0,
            ..GrowingReads::default()
        };
        return vec![(none, Vec::new()); found.len()];
    }
    let retention = Retention::of(&first.setup, seed);
    let growths = found.iter().map(|(strategy, _)| retention.growth(strategy));
    let growths: Vec<Vec<ReadGrowth>> = growths.collect();
    let keeps_all = |at: usize| !kept[at].loses();
    let growing = GrowingReads::of(&growths, keeps_all, &first.setup.workload);
    let with_words = |(growing, growth): (GrowingReads, &Vec<ReadGrowth>)| {
        let words = growing.reads.iter().map(|&at| {
            let (name, times) = (&result.reads[at].name, compact(growth[at].times));
            format!("`{name}` reads {times} times the rows")
        });
        let words = words.collect();
        (growing, words)
    };
    growing.into_iter().zip(&growths).map(with_words).collect()
}

/// The cost of each strategy's reads: the geometric mean of what they cost its servers and of what their readers wait. The former is the handler time that they are planned to take (calls x base +
/// rows x time of a row + further cells x time of a cell), by how often each comes ([`read_weights`]); the latter the geometric mean of their response times, each reader counting alike, so that
/// calls made at a time cost less than one after another. Unknown where nothing is read, or the reads did not end though those of another strategy did. Of too few reads to compare how long
/// they take the plan alone counts; one that no strategy knows counts nothing.
fn read_costs(found: &[Ran<'_>]) -> Vec<Cost> {
    // Every strategy has the same reads: that is what makes them comparable.
    let rates = found[0].0.setup.workload.reads_per_sec();
    let of_reads: Vec<Vec<ReadTimes>> = (0..rates.len()).map(|at| of_read(found, at)).collect();
    let mean = |read: usize, strategy: usize| {
        let planned = of_reads[read][strategy].planned.iter();
        Cost::of(planned.copied()).mean()
    };
    let weights = read_weights(&rates, found.len(), mean);
    let of_strategy = |strategy: usize| {
        let known = || weights.iter().map(|(read, _)| &of_reads[*read][strategy]);
        let replicates = known().map(|it| it.planned.len().min(it.waits.len())).min();
        let of_replicate = |replicate: usize| {
            let handlers = weights.iter().map(|&(read, weight)| {
                let planned = of_reads[read][strategy].planned[replicate];
                weight * Cost::known(planned).mean()
            });
            let waits = Cost::of(known().map(|it| it.waits[replicate])).mean();
            Some((handlers.sum::<f64>() * waits).sqrt())
        };
        Cost::of((0..replicates.unwrap_or(0)).map(of_replicate))
    };
    (0..found.len()).map(of_strategy).collect()
}

/// Seconds that a read takes under one strategy, in each replicate.
struct ReadTimes {
    /// Of handlers, as planned.
    planned: Vec<Option<f64>>,
    /// That its reader waits, or the same where too few were made to tell.
    waits: Vec<Option<f64>>,
}

/// What one read takes under each strategy. Response times are compared by their mean; one that failed and unfinished reads leave without a mean is held by its median,
/// or its longest percent, against the first that has both.
fn of_read(found: &[Ran<'_>], at: usize) -> Vec<ReadTimes> {
    let responses = |statistic| {
        let response = |(_, result): &Ran<'_>| response(result, at, statistic);
        found.iter().map(response).collect::<Vec<_>>()
    };
    let [means, medians, longest] = [Part::Mean, Part::P50, Part::P99].map(responses);
    let held = |parts: &[Option<Vec<Option<f64>>>], of: usize| {
        let mut both = means.iter().zip(parts);
        let both = both.find_map(|(mean, part)| mean.as_ref().zip(part.as_ref()));
        let Some((mean, other)) = both else {
            return medians[of].clone();
        };
        let all = parts[of].as_ref()?.iter().zip(mean).zip(other);
        let all = all.map(|((part, mean), other)| Some((*part)? * (*mean)? / (*other)?));
        Some(all.collect())
    };
    let mean = |of: usize| means[of].clone();
    let measured = (0..found.len())
        .map(|of| mean(of).or_else(|| held(&medians, of).or_else(|| held(&longest, of))));
    let measured: Vec<Option<Vec<Option<f64>>>> = measured.collect();
    let is_compared = few(found, at).is_none() && measured.iter().any(Option::is_some);
    let of_strategy = |((strategy, result), measured): (&Ran<'_>, &Option<Vec<Option<f64>>>)| {
        let planned = planned_seconds(strategy, result, at);
        let waits = match is_compared {
            true => measured.clone().unwrap_or_default(),
            false => planned.clone(),
        };
        ReadTimes { planned, waits }
    };
    found.iter().zip(&measured).map(of_strategy).collect()
}

/// How many reads were made, where they are too few to compare their response times. Clients who wait make fewer under a key that is slow.
fn few(found: &[Ran<'_>], at: usize) -> Option<u64> {
    let reads = found.iter().map(|(_, result)| &result.reads[at]);
    let issued = reads.filter(|read| read.response_ms.is_some());
    let most = issued.map(|read| read.counts.offered).max();
    most.filter(|made| *made < FEWEST_OPERATIONS)
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
    // The first of these that is known over all issued reads in each replicate. What is found once holds for all.
    let planned = |ids: [MetricId; 2]| {
        let mut paths = ids.into_iter().map(|id| id.whole().of_one(Side::Read, at));
        let values = paths.find_map(|path| result.replicates(path));
        match values.map_or(&[][..], |values| values) {
            values @ [first, others @ ..] if others.iter().all(Option::is_none) => {
                vec![*first; values.len()]
            }
            values => values.to_vec(),
        }
    };
    let calls = planned([MetricId::CallsPlanned, MetricId::Calls]).into_iter();
    let rows = planned([MetricId::RowsPlanned, MetricId::RowsRead]);
    // None where each row has one.
    let mut cells = planned([MetricId::CellsPlanned, MetricId::CellsRead]);
    cells.resize(rows.len(), None);
    let setup = &strategy.setup;
    let service = &setup.table.service(&setup.cluster);
    let path = result.reads[at].path.as_deref();
    let seconds = |((calls, rows), cells): ((Option<f64>, Option<f64>), Option<f64>)| {
        Some(seconds(service, path?, calls?, rows?, cells.unwrap_or(0.0)))
    };
    calls.zip(rows).zip(cells).map(seconds).collect()
}

/// What decides between two strategies.
const DECIDING: [MetricId; 4] = [
    MetricId::Knee,
    MetricId::UsableCapacity,
    MetricId::ServerPeakToMean,
    MetricId::WriteBytes,
];
/// The same of each read.
const OF_READS: [MetricPath; 3] = [
    MetricId::CallsPlanned.whole(),
    MetricId::RowsPlanned.whole(),
    MetricId::ReadResponse.at(Part::Mean),
];

/// The first over the second, paired by replicate, in what decides. What servers can take now is none of it where one region gets all writes later.
fn compared(first: &StrategyResult, second: &StrategyResult) -> Vec<Comparison> {
    let lasts = first.outlasting_step.is_none() && second.outlasting_step.is_none();
    let deciding = DECIDING
        .into_iter()
        .filter(|it| lasts || *it != MetricId::UsableCapacity);
    let deciding: Vec<MetricPath> = deciding.map(MetricPath::from).collect();
    let metrics = with_reads(&deciding, &OF_READS, first);
    let compared = metrics.into_iter().filter_map(|path| {
        first.paired(second, path)?;
        Some(Comparison {
            strategy: first.label(),
            sweep: BTreeMap::new(),
            baseline: second.label(),
            ..Comparison::of(first, second, path)
        })
    });
    compared.collect()
}

/// The command that makes the strategy's table as the scenario asks for it, not as existing rows have split it since; a line more for each of its copies. Beside
/// it the number of all regions, and the names of those with a single one.
fn create(scenario: &str, strategy: &Strategy, seed: Seed) -> (String, usize, Vec<String>) {
    // What HBase takes as a table's name (`TableName`).
    let takes = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_name = scenario.chars().all(takes) && !scenario.is_empty() && !scenario.starts_with('-');
    let table = if is_name { scenario } else { "t" };
    // Sampled points are those of the first replicate.
    let first = Replicate::new(&strategy.setup, seed, 0);
    let families = strategy.setup.table.families.iter();
    let families: Vec<_> = families
        .map(|family| (family.name.as_str(), family.attributes()))
        .collect();
    let of_table = |table: &TableSpec| {
        [
            ("MAX_FILESIZE", table.max_file_size.0.to_string()),
            (
                "MEMSTORE_FLUSHSIZE",
                table.memstore_flush_size.0.to_string(),
            ),
        ]
    };
    let own = of_table(&strategy.setup.table).into_iter();
    let own = own.zip(of_table(&TableSpec::default()));
    let own = own.filter_map(|(own, usual)| (own != usual).then_some(own));
    let policy = &strategy.setup.changes.policies.split_policy;
    let attributes: Vec<_> = own.chain(policy.attributes()).collect();
    let points = Layout::presplit_points(strategy, &first).into_iter();
    let (mut commands, mut regions, mut single) = (Vec::new(), 0, Vec::new());
    for (at, points) in points.enumerate() {
        let name = Strategy::table_name(table, at);
        commands.push(create_command(&name, &families, &attributes, &points));
        regions += points.len() + 1;
        single.extend(Some(format!("`{name}`")).filter(|_| points.is_empty()));
    }
    (commands.join("\n"), regions, single)
}

impl RankedStrategy {
    /// Those of a group, in its order.
    fn all(
        found: &[Ran<'_>],
        seed: Seed,
        replicates: u32,
    ) -> impl Iterator<Item = (Self, Candidate)> {
        let read_costs = read_costs(found);
        let strategies: Vec<&Strategy> = found.iter().map(|(it, _)| *it).collect();
        let kept = KeptRows::of(&strategies, seed);
        let of_all_rows = read_costs.iter().zip(&kept).filter(|(_, it)| !it.loses());
        let least = of_all_rows.map(|(cost, _)| cost.mean());
        let least = least.fold(f64::INFINITY, f64::min);
        let waiting = WaitingWriters::of(found);
        let growing_reads = growing_reads(found, &kept, seed);
        let all = found.iter().zip(read_costs).zip(growing_reads).zip(kept);
        all.map(
            move |(((ran, reads), (growing_reads, growing_words)), kept)| {
                let (strategy, result) = *ran;
                let knee = strategy.setup.knee.as_ref();
                let mut broken = broken(knee, result, replicates);
                broken.extend(waiting.broken(result));
                let limits = Cost::Known(broken.len() as f64);
                let (broken, open): (Vec<_>, Vec<_>) = broken.into_iter().partition(|it| it.1);
                let [broken_limits, open_limits] =
                    [broken, open].map(|them| them.into_iter().map(|it| it.0).collect::<Vec<_>>());
                let bytes = result.mean(MetricId::WriteBytes);
                let capacity = match knee {
                    Some(_) => MetricId::Knee,
                    None => MetricId::UsableCapacity,
                };
                // Once one region gets all writes, the table can do what its server can.
                let share = || result.mean(MetricId::ServerMaxShare);
                let later = result.outlasting_step.as_ref().and_then(|_| share());
                let later = later.unwrap_or(1.0);
                let capacities = result.replicates(capacity).into_iter().flatten();
                let read_cost = reads.mean() / least;
                let judged = Candidate {
                    rows: Cost::Known(f64::from(u8::from(kept.loses()))),
                    limits,
                    surely_broken: Cost::Known(broken_limits.len() as f64),
                    later_reads: Cost::Known(growing_reads.later_cost),
                    growth: growing_reads.growth,
                    reads,
                    capacity: Cost::of(capacities.map(|value| Some(1.0 / ((*value)? * later)))),
                    copies: Cost::Known(kept.copies),
                    bytes: Cost::known(bytes),
                    on_disk: Cost::known(result.mean(MetricId::TableBytes)),
                };
                let ranked = Self {
                    name: result.label(),
                    key: result.expanded_key().to_owned(),
                    suggested: false,
                    hotspot: result.hotspot_text(),
                    rows_kept: Some(kept.rows),
                    overwrites_after_s: (kept.recurrence)
                        .filter(|_| !kept.is_fewer)
                        .map(|it| it.as_secs_f64()),
                    copies_of_a_row: Some(kept.copies).filter(|copies| *copies >= AS_GOOD),
                    broken_limits,
                    open_limits,
                    growing_reads: growing_words,
                    read_cost: Some(read_cost).filter(|cost| cost.is_finite()),
                    usable_capacity_per_sec: result
                        .mean(MetricId::UsableCapacity)
                        .map(|it| it * later),
                    knee_per_sec: result.mean(MetricId::Knee).map(|it| it * later),
                    write_bytes: bytes,
                    on_front: false,
                    loses_in: None,
                };
                (ranked, judged)
            },
        )
    }
}

/// A greater part of failed operations breaks the limit (estimate: what an operator notices).
const MOST_FAILED: f64 = 0.001;

/// A limit that is broken on average, with what was found, and whether the replicates show it: all that it may be breaks it.
type Broken = (String, bool);

/// The limits in words.
fn words(knee: Option<&Knee>, strategies: &[Strategy]) -> Vec<String> {
    let (all, few) = (percent(NEARLY_ALL), percent(MOST_FAILED));
    let mut words = match knee {
        Some(knee) => knee.limits.iter().map(kept).collect(),
        None => vec![
            format!("at least {all} of the offered operations completed"),
            "more than half of each kind of operation ended".to_owned(),
            format!("at most {few} failed"),
        ],
    };
    words.extend(waiting_writers::words(strategies.iter()));
    words
}

/// Those that `result` breaks, each with what was found.
fn broken(knee: Option<&Knee>, result: &StrategyResult, replicates: u32) -> Vec<Broken> {
    let Some(knee) = knee else {
        return piling_up_or_failing(result, replicates);
    };
    let broken = knee.limits.iter().filter_map(|it| broken_limit(it, result));
    broken.collect()
}

/// As in the search for the knee, what is undefined keeps no limit.
fn broken_limit(limit: &Limit, result: &StrategyResult) -> Option<Broken> {
    let measure = result.measure(&limit.metric).copied();
    let measure = measure.unwrap_or(Measure::UNDEFINED);
    let value = measure.merged.or(measure.mean);
    if value.is_some_and(|value| limit.bound.is_kept(value, measure.censored)) {
        return None;
    }
    let found = found(&limit.metric, value, measure.censored);
    let is_shown = match limit.bound {
        LimitBound::Below(most) => measure.is_above(most),
        LimitBound::Above(least) => measure.is_below(least),
    };
    let words = format!("{found} instead of {}", kept(limit));
    Some((words, is_shown || value.is_none()))
}

fn piling_up_or_failing(result: &StrategyResult, replicates: u32) -> Vec<Broken> {
    let mut broken = Vec::new();
    let is_steady = nothing_piles_up(|id| result.mean(id));
    let reads = (0..result.reads.len()).map(|at| Subject::One(Side::Read, at));
    for subject in std::iter::once(Subject::All).chain(reads) {
        let (side, name, counts) = match subject {
            Subject::All => (Side::Write, "writes".to_owned(), result.counts),
            Subject::One(side, at) => {
                let read = &result.reads[at];
                (side, format!("read `{}`", read.name), read.counts)
            }
        };
        let path = |id: MetricId| MetricPath {
            metric: id.of(side),
            subject,
            part: None,
        };
        let each = [MetricId::WriteThroughput, MetricId::WriteOffered].map(path);
        let [done, offered] = each.map(|path| result.mean(path));
        let load = done.zip(offered);
        let response = |part| {
            result.number(MetricPath {
                part: Some(part),
                ..path(MetricId::WriteResponse)
            })
        };
        let length = known_length(response, is_steady);
        if let Some((done, offered)) = load
            && is_piling_up([done, offered], &counts, replicates, length)
        {
            let (done, offered) = (compact(done), compact(offered));
            let [all, of_all] = each.map(|path| result.replicates(path).into_iter().flatten());
            let parts = all.zip(of_all).map(|(done, of)| Some((*done)? / (*of)?));
            let parts: Vec<Option<f64>> = parts.collect();
            // The interval of two replicates that are apart tells nothing, though either of them breaks it by far.
            let much_less = |part: &Option<f64>| *part < Some(NEARLY_ALL / AS_GOOD);
            let is_shown =
                Measure::of(&parts, (0.0, 1.0)).is_below(NEARLY_ALL) || parts.iter().all(much_less);
            let words = format!("{name}: {done} of {offered} a second completed");
            broken.push((words, is_shown && !is_steady));
        }
        // A median is open sooner: in a small replicate one unfinished operation moves it. Few may be longer than what is left of the window, and no load keeps them
        // from their end. Nor do those break it that are merely under way: where nothing piles up, how many these are is a matter of `time.duration`.
        let is_under_way = is_steady && length.is_some();
        let lost = [
            MetricId::WriteFailedFraction,
            MetricId::WriteUnfinishedFraction,
        ]
        .map(path);
        let lost: f64 = lost.into_iter().filter_map(|path| result.mean(path)).sum();
        if lost >= 0.5 && !is_under_way {
            let is_shown = counts.offered >= FEWEST_OPERATIONS && !is_steady;
            broken.push((format!("{name}: half of them did not end"), is_shown));
        }
        let failed = result.number(path(MetricId::WriteFailedFraction));
        let failed = failed.filter(|failed| failed.mean > Some(MOST_FAILED));
        broken.extend(failed.map(|failed| {
            let words = format!("{name}: {} failed", percent(failed.mean.unwrap_or(0.0)));
            (words, failed.is_above(MOST_FAILED))
        }));
    }
    broken
}

/// Of strategies in order of preference, the first of which, as many as there are `tied` candidates, are tied.
fn reasons(ranked: &[RankedStrategy], candidates: &[&Candidate], replicates: u32) -> Vec<String> {
    let tied = candidates.len();
    if ranked.len() < 2 {
        let alone = "No other strategy stores the same rows under the same load: nothing to compare it with.";
        return vec![alone.to_owned()];
    }
    let (first, others) = ranked.split_at(tied);
    let mut sentences = Vec::new();
    if tied > 1 {
        sentences.push(what_would_decide(candidates, replicates));
    }
    let times = Retention::TIMES;
    for criterion in Criterion::ALL {
        let words = match criterion {
            Criterion::Rows => "keeps more rows".to_owned(),
            Criterion::Limits => "breaks fewer limits".to_owned(),
            Criterion::Growth => {
                format!("serves reads at less cost when rows are kept {times} times as long")
            }
            Criterion::Reads => "serves reads at less cost".to_owned(),
            Criterion::Copies => "leaves fewer old versions of rows behind".to_owned(),
            Criterion::Capacity => "can take more".to_owned(),
            Criterion::Bytes => "stores fewer bytes".to_owned(),
        };
        for best in first {
            let subject = match tied > 1 {
                true => format!("`{}`", best.name),
                false => "It".to_owned(),
            };
            let lost = others.iter().filter_map(|other| {
                let loss = other.loses_in.as_ref()?;
                let is_this = loss.respect == criterion.name() && loss.to == best.name;
                is_this.then(|| {
                    format!(
                        "`{}`{}",
                        other.name,
                        details(criterion, (best, other), loss)
                    )
                })
            });
            let names = listed(lost);
            if !names.is_empty() {
                sentences.push(format!("{subject} {words} than {names}."));
            }
        }
    }
    let stale = first.iter().filter_map(|best| {
        let (copies, name) = (compact(best.copies_of_a_row?), &best.name);
        Some(format!("`{name}` keeps {copies} copies of each row under other salts, of which one is current: readers ask for all of them."))
    });
    sentences.extend(stale);
    // Rows that are overwritten would have put it behind: these add up.
    let rows = |of: &RankedStrategy| of.rows_kept.unwrap_or(0.0);
    let finest = ranked.iter().rev();
    let finest = finest.max_by(|a, b| rows(a).total_cmp(&rows(b)));
    let finest = finest.filter(|finest| rows(finest) > AS_GOOD * rows(&first[0]));
    sentences.extend(finest.map(|finest| {
        let [own, all] = [&first[0], finest].map(|it| compact(rows(it)));
        let [name, other] = [&first[0].name, &finest.name];
        format!("`{name}` adds up in {own} rows what `{other}` tells apart in {all}.")
    }));
    sentences
}

/// How much worse the other one is, in brackets: ` (2.80 times [2.71, 2.89])`.
fn details(
    criterion: Criterion,
    (best, other): (&RankedStrategy, &RankedStrategy),
    loss: &Loss,
) -> String {
    let times = &loss.times;
    match (criterion, times.mean.map(compact)) {
        (Criterion::Rows, _) if let Some(seconds) = other.overwrites_after_s => {
            let length = SimDuration::from_nanos((seconds * 1e9) as u64);
            format!(
                " (what its key tells of time comes again every {length}, and overwrites the rows of before)"
            )
        }
        (Criterion::Rows, _) => {
            let [all, kept] = [best, other].map(|it| it.rows_kept.unwrap_or(0.0));
            let [on_one, all, kept] = [all / kept, all, kept].map(compact);
            format!(" ({kept} of its {all}: {on_one} of them fall on one, which is overwritten)")
        }
        (Criterion::Limits, _) => String::new(),
        (Criterion::Growth, Some(mean)) => {
            let reads = other.growing_reads.iter().map(|it| format!("; {it}"));
            format!(" ({mean} times{})", reads.collect::<String>())
        }
        (Criterion::Reads, None) => " (they did not end)".to_owned(),
        (_, None) => " (what it takes is not known)".to_owned(),
        (Criterion::Copies, _) => {
            let copies = compact(other.copies_of_a_row.unwrap_or(1.0));
            format!(" ({copies} copies of each row under other salts)")
        }
        (_, Some(mean)) => match times.low.zip(times.high).filter(|(low, high)| low < high) {
            Some((low, high)) => format!(" ({mean} times [{}, {}])", compact(low), compact(high)),
            None => format!(" ({mean} times)"),
        },
    }
}

/// What is said of a difference that needs replicates.
pub const ONE_CANT_SHOW: &str = "one replicate can't show";

/// In what tied strategies differ, and what is not shown of it.
fn what_would_decide(tied: &[&Candidate], replicates: u32) -> String {
    let mut clauses = Vec::new();
    let apart = |cost: &dyn Fn(&Candidate) -> f64| {
        let costs = tied.iter().map(|of| cost(of));
        let apart = costs.clone().fold(0.0, f64::max) / costs.fold(f64::INFINITY, f64::min);
        (apart >= 1.0 + 1e-3).then_some(apart)
    };
    for (criterion, words) in [
        (Criterion::Reads, "what reads cost"),
        (Criterion::Capacity, "what they can take"),
        (Criterion::Bytes, "bytes a write"),
    ] {
        let Some(apart) = apart(&|of| of.cost(criterion).mean()) else {
            continue;
        };
        let apart_by = match apart < 2.0 {
            true => format!("{} % apart", compact(100.0 * (apart - 1.0))),
            false => format!("{} times apart", compact(apart)),
        };
        let but = match (criterion, apart > AS_GOOD) {
            (_, false) => ", less than counts here".to_owned(),
            (Criterion::Bytes, true) => String::new(),
            (_, true) if replicates < 2 => format!(", which {ONE_CANT_SHOW}"),
            (_, true) => format!(", which {replicates} replicates don't show"),
        };
        clauses.push(format!("{words} ({apart_by}{but})"));
    }
    if let Some(apart) = apart(&|of| of.on_disk.mean()).filter(|apart| *apart > AS_GOOD) {
        let times = compact(apart);
        clauses.push(format!(
            "what they take on disk ({times} times apart; what decoding costs servers is not told)"
        ));
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
    fn a_key_that_holds_up_clients_who_wait_is_not_recommended_for_its_cheap_reads() {
        // Twenty clients keep one server busy, 100/s, or both, 200/s; the rows of a second are one scan of the first key, and all rows of the second.
        let text = text("[read.second]\nrange = { field = \"ts\", last = \"1s\" }\n")
            .replace("rate = \"130/s\"\narrivals = \"constant\"", "clients = 20");
        let scenario = Scenario::parse(&text, "two").unwrap_or_else(|error| panic!("{error}"));
        let results = Experiment::new(&scenario).run(|_| {});
        let found = Recommendations::of(&scenario, &results);
        let [spread, rising] = &found.groups[0].strategies[..] else {
            panic!("{found:?}")
        };
        assert_eq!((&spread.name[..], &rising.name[..]), ("spread", "rising"));
        assert!(rising.read_cost < spread.read_cost, "{found:?}");
        let [broken] = &rising.broken_limits[..] else {
            panic!("{rising:?}")
        };
        let most = broken.strip_prefix("writes: 100 a second, and ");
        let most = most.and_then(|it| it.strip_suffix(" under another key"));
        // Both servers are busy for 20/21 of the time where service times are exponential (a closed network's product form), and for more
        // where they are constant.
        let most: f64 = most.expect(broken).parse().expect(broken);
        assert!((190.0..=200.0).contains(&most), "{broken}");
        assert!(spread.broken_limits.is_empty(), "{spread:?}");
        assert!(found.limits[3].contains("at least 90 %"), "{found:?}");
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
