//! The runs of an experiment, strategies x replicates: which there are and what they share; made here, or elsewhere before, in any order, in one
//! place or in shards; when all are there, the results. Must not know files, nor show anything: progress is told to whoever asks.

use super::busiest_server::busiest_server;
use super::recommendation::Recommendations;
use super::runs::StrategyRuns;
use super::strategy_summary::StrategySummary;
use super::suggestions::strategies;
use super::{
    KneeReplicate, Results, ScenarioInfo, StrategyResult, comparisons, expectations, knee,
    strategy_summary,
};
use crate::engine::{self, ClosedLoops, ClusterChanges, SimConfig, TableCopy};
use crate::layout::{Layout, Replicate, RunLayout, StrategySample, stored_cells};
use crate::metrics::{MetricId, RunResult};
use crate::scenario::{Copy, Expected, Scenario, Strategy};
use crate::text::counted;
use crate::time::SimTime;
use crate::workload::Workload;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Name of the strategy that it belongs to.
    pub strategy: &'a str,
    /// Runs that have ended so far, this one included.
    pub done: u64,
    /// All runs that were asked for: `Experiment::runs`, or those of a shard.
    pub total: u64,
}

/// The runs of an experiment, those that are there and those that are missing.
///
/// What runs leave is merged at once: their histograms needn't be kept. Every sum is one of integers, so order does not matter.
pub struct ExperimentRuns<'a> {
    scenario: &'a Scenario,
    pool: ThreadPool,
    batch: usize,
    /// Of all points, point by point.
    strategies: Vec<Strategy>,
    /// Of each strategy: index of the first strategy that shares its replicates.
    twins: Vec<usize>,
    /// By twin and number.
    replicates: Vec<Shared<Replicate>>,
    /// Of replicate 0, by strategy.
    layouts: Vec<(Layout, StrategySample)>,
    /// By strategy.
    found: Vec<Mutex<StrategyRuns>>,
    jobs: Vec<Job>,
    /// By job.
    there: Mutex<Vec<bool>>,
}

/// The system gives no threads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "can't start {}: {reason}\ntake fewer with `--threads`, or end other programs",
    counted(threads, "thread")
)]
pub struct NoThreads {
    threads: usize,
    reason: String,
}

impl<'a> ExperimentRuns<'a> {
    /// Lays all strategies out for their first replicate, in parallel.
    fn new(scenario: &'a Scenario, threads: usize, batch: usize) -> Result<Self, NoThreads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| NoThreads {
            threads,
            reason: error.to_string(),
        })?;
        let strategies = strategies(scenario);
        let twin = |at| Replicate::twin(&strategies, at);
        let twins: Vec<usize> = (0..strategies.len()).map(twin).collect();
        let (firsts, layouts) = pool.install(|| {
            let firsts = Replicate::first_of_each(&strategies, scenario.seed);
            let pairs = strategies.par_iter().zip(&firsts).with_max_len(1);
            let layouts = pairs.map(|(strategy, first)| {
                let layout = Layout::of(strategy, first);
                let sample = StrategySample::of(strategy, || layout.regions.clone(), first);
                (layout, sample)
            });
            let layouts = layouts.collect();
            firsts.iter().for_each(|first| first.forget());
            (firsts, layouts)
        });
        let mut replicates = Vec::new();
        for (owner, first) in firsts.into_iter().enumerate() {
            let shared = (0..strategies.len()).filter(|&at| twins[at] == owner);
            let knees = shared.clone().filter(|&at| has_knee(&strategies[at]));
            let users = shared.clone().count() + knees.count();
            // Replicate 0 serves the capacity runs too.
            let saturated = shared.filter(|&at| has_capacity(&strategies[at])).count();
            replicates.push(Shared::new(Some(first), users + saturated));
            replicates.extend((1..scenario.replicates).map(|_| Shared::new(None, users)));
        }
        let nothing = |strategy: &Strategy| {
            let names = strategy.setup.operation_names();
            let servers = strategy.setup.servers_by(SimTime::MAX);
            let replicates = scenario.replicates as usize;
            Mutex::new(StrategyRuns::new(replicates, &names, servers))
        };
        let jobs = jobs(scenario);
        Ok(Self {
            scenario,
            pool,
            batch,
            found: strategies.iter().map(nothing).collect(),
            strategies,
            twins,
            replicates,
            layouts,
            there: Mutex::new(vec![false; jobs.len()]),
            jobs,
        })
    }

    /// The scenario whose runs they are.
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// Number of runs, those that are missing included. A run's number is below it.
    pub fn count(&self) -> usize {
        self.jobs.len()
    }

    /// Numbers of the runs of a shard, ascending. Runs that cost about the same are dealt in turn: the replicates of one strategy go to different
    /// shards.
    pub fn of(&self, shard: Shard) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.jobs.len()).collect();
        order.sort_by_key(|&number| {
            let job = self.jobs[number];
            (job.kind as u8, job.point, job.strategy, job.replicate)
        });
        let own = order.into_iter().skip(shard.number() as usize - 1);
        let mut own: Vec<usize> = own.step_by(shard.of() as usize).collect();
        own.sort_unstable();
        own
    }

    /// Numbers of those runs of a shard that are not there yet, ascending.
    pub fn missing(&self, shard: Shard) -> Vec<usize> {
        let there = lock(&self.there);
        let mut jobs = self.of(shard);
        jobs.retain(|&job| !there[job]);
        jobs
    }

    /// What a run is, by its number: ``replicate 2 of `salted` ``.
    pub fn name(&self, run: usize) -> String {
        let job = self.jobs[run];
        let name = &self.strategy(job).name;
        let point = match self.scenario.sweep.is_empty() {
            true => String::new(),
            false => format!(" at point {}", job.point + 1),
        };
        let replicate = job.replicate + 1;
        match job.kind {
            JobKind::Replicate => format!("replicate {replicate} of `{name}`{point}"),
            JobKind::Knee => format!("replicate {replicate} of the knee of `{name}`{point}"),
            JobKind::Capacity => format!("the saturating run of `{name}`{point}"),
        }
    }

    /// Takes in a run that was made before.
    ///
    /// # Errors
    /// When it is none of this experiment's, or is there already.
    pub fn add(&self, run: FinishedRun) -> Result<(), AddError> {
        let Some(&job) = self.jobs.get(run.job) else {
            return Err(AddError::Unknown(run.job));
        };
        if !run.outcome.is_of(job.kind) {
            return Err(AddError::Unlike(self.name(run.job)));
        }
        if std::mem::replace(&mut lock(&self.there)[run.job], true) {
            return Err(AddError::Twice(self.name(run.job)));
        }
        self.skip(job);
        self.keep(job, run.outcome);
        Ok(())
    }

    fn keep(&self, job: Job, outcome: Outcome) {
        let mut found = lock(&self.found[self.place(job)]);
        match outcome {
            Outcome::Run(run) => found.add(job.replicate as usize, *run),
            Outcome::Capacity(capacity) => found.capacity = capacity,
            Outcome::Knee(knee) => found.knees[job.replicate as usize] = knee,
        }
    }

    /// The place of a job's strategy among those of all points.
    fn place(&self, job: Job) -> usize {
        job.point * self.scenario.strategies.len() + job.strategy
    }

    fn strategy(&self, job: Job) -> &Strategy {
        &self.strategies[self.place(job)]
    }

    /// About how many runs these are worth: a bisection for a knee makes several.
    pub fn effort(&self, runs: &[usize]) -> u64 {
        runs.iter().map(|&run| self.jobs[run].effort()).sum()
    }

    /// Makes those runs of a shard that are missing. `ended` is called once for each before it is taken in, `progress` also within a bisection;
    /// both from any thread, in any order. When `stop` becomes true, no more runs are begun; those that are under way are
    /// dropped within a moment, and stay missing.
    pub fn run(
        &self,
        shard: Shard,
        stop: &AtomicBool,
        progress: impl Fn(Progress<'_>) + Sync,
        ended: impl Fn(&FinishedRun) + Sync,
    ) {
        let missing = self.missing(shard);
        for job in self.missing(Shard::ALL) {
            if missing.binary_search(&job).is_err() {
                self.skip(self.jobs[job]);
            }
        }
        let total = self.effort(&self.of(shard));
        let done = Mutex::new(total - self.effort(&missing));
        let tell = |job: Job, more: u64| {
            let mut done = lock(&done);
            *done += more;
            progress(Progress {
                strategy: &self.strategy(job).name,
                done: *done,
                total,
            });
        };
        let make = |number: usize| {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let job = self.jobs[number];
            let Some(outcome) = self.outcome(job, stop, |runs| tell(job, runs)) else {
                return;
            };
            let run = FinishedRun {
                job: number,
                outcome,
            };
            ended(&run);
            self.keep(job, run.outcome);
            lock(&self.there)[number] = true;
        };
        let all = || missing.into_par_iter().with_max_len(1).for_each(make);
        self.pool.install(all);
    }

    /// `None` when it was stopped before its end; tells of as many runs as it counts for.
    fn outcome(&self, job: Job, stop: &AtomicBool, tell: impl Fn(u64)) -> Option<Outcome> {
        let config = self.run_config(job);
        let run = || engine::run_unless(&config, stop);
        let outcome = match job.kind {
            JobKind::Knee => return self.bisection(job, &config, stop, tell).map(Outcome::Knee),
            JobKind::Capacity => Outcome::Capacity(run()?.metrics.get(MetricId::WriteThroughput)),
            JobKind::Replicate => Outcome::Run(Box::new(run()?)),
        };
        tell(1);
        Some(outcome)
    }

    /// Looks for the knee, and tells of each run as it ends, of those that it counts for and did not take at the end.
    fn bisection(
        &self,
        job: Job,
        config: &SimConfig,
        stop: &AtomicBool,
        tell: impl Fn(u64),
    ) -> Option<Option<KneeReplicate>> {
        let strategy = self.strategy(job);
        let setup = &strategy.setup;
        let Some(knee) = &setup.knee else {
            return Some(None);
        };
        let stored = |workload: &Workload| {
            let mut strategy = strategy.clone();
            Arc::make_mut(&mut strategy.setup).workload = workload.clone();
            let replicate = Replicate::new(&strategy.setup, self.scenario.seed, job.replicate);
            knee::Stored {
                cells: Arc::new(stored_cells(&strategy, &replicate)),
                population: replicate.population,
            }
        };
        let mut told = 0;
        let found = knee::run(config, knee, &setup.operation_names(), stop, stored, || {
            if told + 1 < TYPICAL_RUNS {
                told += 1;
                tell(1);
            }
        })?;
        tell(TYPICAL_RUNS - told);
        Some(Some(found))
    }

    fn replicate(&self, strategy: usize, number: u32) -> Arc<Replicate> {
        let setup = &self.strategies[self.twins[strategy]].setup;
        self.shared(strategy, number)
            .take(|| Replicate::new(setup, self.scenario.seed, number))
    }

    fn shared(&self, strategy: usize, number: u32) -> &Shared<Replicate> {
        let owner = self.twins[strategy];
        &self.replicates[owner * self.scenario.replicates as usize + number as usize]
    }

    /// A run that is not made here: what it would share need not be kept for it.
    fn skip(&self, job: Job) {
        self.shared(self.place(job), job.replicate).skip();
    }

    /// What the engine needs for one run; key buckets, hence series, only for replicate 0.
    fn run_config(&self, job: Job) -> SimConfig {
        let at = self.place(job);
        let number = job.replicate;
        let strategy = &self.strategies[at];
        let replicate = self.replicate(at, number);
        let (first, _) = &self.layouts[at];
        let is_first = job.kind == JobKind::Replicate && number == 0;
        let buckets = first.key_buckets(first.hottest_table).iter().skip(1);
        let buckets = buckets.filter(|_| is_first);
        let laid_out = match job.kind {
            JobKind::Capacity => RunLayout {
                split_points: Arc::clone(&first.run.split_points),
                copies: Arc::new(strategy.copies.iter().map(unsplit).collect()),
                ..RunLayout::default()
            },
            _ if number == 0 => first.run.clone(),
            JobKind::Replicate | JobKind::Knee => RunLayout::of(strategy, &replicate, first),
        };
        let setup = &strategy.setup;
        let time = &self.scenario.time;
        let config = SimConfig {
            copies: laid_out.copies,
            reads: laid_out.reads,
            population: Arc::clone(&replicate.population),
            warmup: SimTime::ZERO + time.warmup,
            duration: SimTime::ZERO + time.duration,
            sample: time.sample,
            workload: Arc::new(setup.workload.clone()),
            generator: Arc::clone(&replicate.generator),
            key: strategy.key.clone(),
            split_points: laid_out.split_points,
            key_buckets: Arc::new(buckets.map(|bucket| bucket.start.clone()).collect()),
            mapped_table: first.hottest_table as u32,
            cluster: setup.cluster.clone(),
            table: setup.table.clone(),
            written: Arc::new(setup.written.clone()),
            cells: Arc::new(stored_cells(strategy, &replicate)),
            client: setup.client.clone(),
            closed: ClosedLoops::default(),
            changes: ClusterChanges {
                policies: setup.changes.policies.clone(),
                events: setup.changes.events.clone(),
                neighbours: setup.changes.neighbours.clone(),
                existing: laid_out.existing,
            },
            batch: self.batch,
        };
        match job.kind {
            JobKind::Capacity => {
                let busiest = busiest_server(strategy, first, self.scenario.seed);
                engine::saturating(&config, busiest.as_ref())
            }
            JobKind::Replicate | JobKind::Knee => config,
        }
    }

    /// The replicates of the first strategy at the first point.
    pub(super) fn replicate_configs(&self) -> Vec<SimConfig> {
        let config = |replicate| {
            self.run_config(Job {
                point: 0,
                strategy: 0,
                replicate,
                kind: JobKind::Replicate,
            })
        };
        (0..self.scenario.replicates).map(config).collect()
    }

    /// Runs that are none of the experiment's, in their order.
    pub(super) fn make(&self, configs: &[SimConfig]) -> Vec<RunResult> {
        let runs = configs.par_iter().with_max_len(1).map(engine::run);
        self.pool.install(|| runs.collect())
    }

    /// The results; `None` while any run is missing.
    pub fn results(self) -> Option<Results> {
        if !self.missing(Shard::ALL).is_empty() {
            return None;
        }
        let scenario = self.scenario;
        let found = self.found.into_iter().zip(&self.strategies);
        let found = found.zip(&self.layouts);
        let summarised = |(at, ((runs, strategy), layout))| {
            let runs = Mutex::into_inner(runs).unwrap_or_else(PoisonError::into_inner);
            let point = scenario.values_at(at / scenario.strategies.len());
            let time = (&scenario.time, scenario.seed);
            StrategySummary::new(strategy, point, time, layout, runs)
        };
        let summaries: Vec<_> = found.enumerate().map(summarised).collect();
        Some(results(scenario, &summaries))
    }
}

fn results(scenario: &Scenario, summaries: &[StrategySummary<'_>]) -> Results {
    let mut warnings: Vec<String> = Vec::new();
    for warning in summaries.iter().flat_map(strategy_summary::warnings) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    // Where each row has one cell, rows say it all, unless bytes are asked for.
    let cells = summaries.iter().any(StrategySummary::reads_cells)
        || scenario.expectations.iter().any(|it| {
            matches!(&it.expected, Expected::Metric { metric, .. } if metric.ends_with(".bytes_read"))
        });
    let strategies = summaries.iter().map(|summary| summary.result(cells));
    let strategies: Vec<StrategyResult> = strategies.collect();
    let runs = summaries.iter().map(|summary| &summary.runs);
    let ran: Vec<_> = strategies.iter().zip(runs).collect();
    let points = strategies.chunks(scenario.strategies.len().max(1));
    let mut results = Results {
        schema_version: Results::SCHEMA_VERSION,
        tool: concat!("keyheat ", env!("CARGO_PKG_VERSION")).to_owned(),
        scenario: ScenarioInfo {
            name: scenario.name.clone(),
            sha256: scenario.sha256.clone(),
            question: scenario.question.clone(),
            text: scenario.text.clone(),
            overrides: scenario.overrides.clone(),
        },
        seed: scenario.seed.0,
        replicates: scenario.replicates,
        duration_s: scenario.time.duration.as_secs_f64(),
        warmup_s: scenario.time.warmup.as_secs_f64(),
        sample_s: scenario.time.sample.as_secs_f64(),
        sweep: scenario.sweep.clone(),
        comparisons: points.flat_map(comparisons::of).collect(),
        expectations: expectations::of(scenario, &ran),
        strategies,
        warnings,
        limits: Vec::new(),
        recommended: Vec::new(),
    };
    let advice = Recommendations::of(scenario, &results);
    (results.limits, results.recommended) = (advice.limits, advice.groups);
    results
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked has taken the experiment with it; what it left is not looked at.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Operations that are generated, keyed and routed together: the keys of a batch fit the level-1 cache (measured: no gain beyond).
const BATCH: usize = 256;

/// An experiment to be run.
#[derive(Debug, Clone)]
pub struct Experiment<'a> {
    scenario: &'a Scenario,
    threads: usize,
    batch: usize,
}

impl<'a> Experiment<'a> {
    /// The experiment that a scenario describes, on all processors.
    pub fn new(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            threads: 0,
            batch: BATCH,
        }
    }

    /// Runs on so many threads, and never on more than there are runs; 0 is one a processor. Never changes a result.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Operations that are generated, keyed and routed together, at least 1. Never changes a result.
    pub fn batch(self, batch: usize) -> Self {
        Self {
            batch: batch.max(1),
            ..self
        }
    }

    /// Number of runs: each strategy's replicates, the saturating run of one that writes, and of each bisection for a knee about as many as it
    /// takes.
    pub fn runs(&self) -> u64 {
        jobs(self.scenario).iter().map(Job::effort).sum()
    }

    /// Runs that are made at a time: as many as there are threads, and jobs for them. A bisection for a knee is one job.
    pub fn threads_at_work(&self) -> usize {
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        threads.min(jobs(self.scenario).len()).max(1)
    }

    /// Lays all tables out, and makes no run yet.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn start(&self) -> Result<ExperimentRuns<'a>, NoThreads> {
        ExperimentRuns::new(self.scenario, self.threads_at_work(), self.batch)
    }

    /// Runs everything. `progress` is called once for each run that has ended, from any thread, in any order.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn try_run(&self, progress: impl Fn(Progress<'_>) + Sync) -> Result<Results, NoThreads> {
        let runs = self.start()?;
        runs.run(Shard::ALL, &AtomicBool::new(false), progress, |_| ());
        let results = runs.results();
        Ok(results.expect("every run was made: nothing asked to stop"))
    }

    /// As [`Experiment::try_run`]; panics when the system gives no threads.
    pub fn run(&self, progress: impl Fn(Progress<'_>) + Sync) -> Results {
        self.try_run(progress).expect("the system gives threads")
    }
}

/// What came of one run, or of one bisection for a knee; written and read without loss.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FinishedRun {
    /// Its place in the experiment's order.
    pub job: usize,
    pub(super) outcome: Outcome,
}

/// What came of it, by its kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// A replicate's.
    Run(Box<RunResult>),
    /// Rows a second of a saturating run.
    Capacity(Option<f64>),
    /// A bisection for the knee.
    Knee(Option<KneeReplicate>),
}

impl Outcome {
    fn is_of(&self, kind: JobKind) -> bool {
        matches!(
            (self, kind),
            (Self::Run(_), JobKind::Replicate)
                | (Self::Capacity(_), JobKind::Capacity)
                | (Self::Knee(_), JobKind::Knee)
        )
    }
}

impl FinishedRun {
    /// What it found, if it is a replicate's.
    pub fn result(&self) -> Option<&RunResult> {
        match &self.outcome {
            Outcome::Run(result) => Some(result),
            Outcome::Capacity(_) | Outcome::Knee(_) => None,
        }
    }
}

/// Why a run can't be taken into an experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// Its number is too high.
    #[error("the experiment has no run {0}")]
    Unknown(usize),
    /// The experiment's run of that number is of another kind.
    #[error("{0} can't be what was saved for it")]
    Unlike(String),
    /// It is there already.
    #[error("{0} is there twice")]
    Twice(String),
}

/// One run, at a point of the sweep (0 without one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Job {
    point: usize,
    /// Among the strategies of its point.
    strategy: usize,
    /// Which replicate it is, or is on.
    replicate: u32,
    kind: JobKind,
}

/// What a run is for, the dearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JobKind {
    /// The bisection for the knee, on a replicate of a strategy: several runs, one after the other.
    Knee,
    /// A replicate of a strategy.
    Replicate,
    /// The strategy's own saturating run, on replicate 0.
    Capacity,
}

impl Job {
    /// About how many runs it is worth: a bisection for a knee makes several.
    fn effort(&self) -> u64 {
        match self.kind {
            JobKind::Knee => TYPICAL_RUNS,
            JobKind::Replicate | JobKind::Capacity => 1,
        }
    }
}

/// Runs of one bisection, about: what progress counts it as.
pub(super) const TYPICAL_RUNS: u64 = 8;

/// A value that several runs use: made by the first, dropped with the last.
struct Shared<T> {
    state: Mutex<(Option<Arc<T>>, usize)>,
}

impl<T> Shared<T> {
    /// Made already, or not.
    fn new(value: Option<Arc<T>>, users: usize) -> Self {
        let state = Mutex::new((value.filter(|_| users > 0), users));
        Self { state }
    }

    /// One user less: it takes nothing.
    fn skip(&self) {
        let mut state = lock(&self.state);
        state.1 = state.1.saturating_sub(1);
        if state.1 == 0 {
            state.0 = None;
        }
    }

    /// The value; every user takes it exactly once, or skips it.
    fn take(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut state = lock(&self.state);
        let value = state.0.take().unwrap_or_else(|| Arc::new(make()));
        state.1 = state.1.saturating_sub(1);
        if state.1 > 0 {
            state.0 = Some(value.clone());
        }
        value
    }
}

/// Every run, point by point and replicate by replicate, so that what the runs of one replicate share can be dropped early.
fn jobs(scenario: &Scenario) -> Vec<Job> {
    let mut jobs = Vec::new();
    for point in 0..scenario.point_count() {
        let strategies = scenario.strategies_at(point);
        let mut add = |kind, replicate, has: fn(&Strategy) -> bool| {
            let own = (0..strategies.len()).filter(|&strategy| has(&strategies[strategy]));
            jobs.extend(own.map(|strategy| Job {
                point,
                strategy,
                replicate,
                kind,
            }));
        };
        for replicate in 0..scenario.replicates {
            add(JobKind::Replicate, replicate, |_| true);
            add(JobKind::Knee, replicate, has_knee);
        }
        add(JobKind::Capacity, 0, has_capacity);
    }
    jobs
}

/// Whether a strategy has a saturating run: one of writes.
pub(super) fn has_capacity(strategy: &Strategy) -> bool {
    !strategy.setup.workload.writes.is_empty()
}

/// Whether a strategy's knee is looked for.
pub(super) fn has_knee(strategy: &Strategy) -> bool {
    strategy.setup.knee.is_some()
}

/// A copy in one region.
fn unsplit(copy: &Copy) -> TableCopy {
    TableCopy {
        key: copy.key.clone(),
        split_points: Arc::default(),
    }
}

/// Shards of an experiment, at most.
const MOST: u32 = 100_000;

/// A part of an experiment's runs: one of `of` about equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

/// A text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `K/N`, shard K of N, 1 <= K <= N <= {MOST}")]
pub struct ShardError;

impl Shard {
    /// All runs.
    pub const ALL: Self = Self { number: 1, of: 1 };

    /// Shard `number` of `of`, counted from 1.
    ///
    /// # Errors
    /// When there is no such shard, or there are more than 100,000.
    pub fn new(number: u32, of: u32) -> Result<Self, ShardError> {
        let is_one = (1..=of).contains(&number) && of <= MOST;
        is_one.then_some(Self { number, of }).ok_or(ShardError)
    }

    /// From 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    pub fn of(self) -> u32 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError)?;
        let parse = |text: &str| text.parse().map_err(|_| ShardError);
        Self::new(parse(number)?, parse(of)?)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_value_is_made_once_and_dropped_with_its_last_user() {
        let shared = Shared::new(None, 3);
        let first = shared.take(|| 7);
        let second = shared.take(|| 8);
        assert_eq!((*first, *second), (7, 7));
        let weak = Arc::downgrade(&first);
        let third = shared.take(|| 9);
        drop((first, second, third));
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn a_shared_value_does_not_wait_for_users_that_skip_it() {
        let shared = Shared::new(None, 3);
        shared.skip();
        let weak = Arc::downgrade(&shared.take(|| 7));
        assert!(weak.upgrade().is_some());
        shared.skip();
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn replicates_share_paths_and_strategies_share_laws() {
        let text = "replicates = 2\n[time]\nduration = \"1s\"\nwarmup = \"100ms\"\nsample = \"100ms\"\n\
            [field]\nid = { type = \"int\", count = 900 }\nof = { type = \"int\", count = 9, of = \"id\" }\n\
            [write.w]\nrate = \"100/s\"\n[existing.w]\nrecords = 5000\n\
            [read.r]\nequal = [\"of\"]\nrate = \"10/s\"\n\
            [table]\npresplit = { algorithm = \"sampled\", regions = 4 }\n\
            [strategy.a]\nkey = \"be4(id)\"\ncopies = [\"be4(of) || be4(id)\"]\n\
            [strategy.b]\nkey = \"be4(of) || be4(id)\"\n\
            [strategy.c]\nkey = \"be4(id)\"\noverride.field.of.count = 3\n";
        let scenario = Scenario::parse(text, "small").unwrap_or_else(|error| panic!("{error}"));
        let runs = ExperimentRuns::new(&scenario, 1, 64).unwrap_or_else(|error| panic!("{error}"));
        let run = |strategy, replicate| {
            runs.run_config(Job {
                point: 0,
                strategy,
                replicate,
                kind: JobKind::Replicate,
            })
        };
        let (a, again) = (run(0, 0), run(0, 1));
        assert!(Arc::ptr_eq(&a.reads[0].plan, &again.reads[0].plan));
        // The copy serves the read; its rows and its split points are the replicate's own.
        assert_eq!((a.reads[0].table, again.reads[0].table), (1, 1));
        assert!(!Arc::ptr_eq(
            &a.reads[0].row_sample,
            &again.reads[0].row_sample
        ));
        assert_ne!(a.copies[0].split_points, again.copies[0].split_points);
        assert_ne!(a.split_points, again.split_points);
        assert_eq!(again.copies[0].split_points.len(), 3);
        let (b, c) = (run(1, 0), run(2, 0));
        assert!(Arc::ptr_eq(&a.population, &b.population));
        assert!(Arc::ptr_eq(&a.population, &runs.replicate(0, 0).population));
        assert!(!Arc::ptr_eq(&a.population, &c.population));
        assert!(!Arc::ptr_eq(&a.population, &again.population));
    }
}

#[cfg(test)]
mod shard_tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_those_there_are() {
        let shard: Shard = "2/5".parse().unwrap();
        assert_eq!((shard.number(), shard.of()), (2, 5));
        assert_eq!(shard.to_string(), "2/5");
        for bad in [
            "",
            "2",
            "0/5",
            "6/5",
            "-1/5",
            "2/",
            "/5",
            "2/5/1",
            "a/b",
            "1/100001",
            "1/99999999999",
        ] {
            assert_eq!(bad.parse::<Shard>(), Err(ShardError), "{bad}");
        }
    }
}
