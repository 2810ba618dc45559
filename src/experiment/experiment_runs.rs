//! The runs of an experiment: made here, or elsewhere before, in any order, in one place or in shards; when all are there, the results. Must not know
//! files, nor show anything: progress is told to whoever asks.

use super::matrix::{self, Job, JobKind, Matrix, TYPICAL_RUNS};
use super::runs::StrategyRuns;
use super::strategy_summary::StrategySummary;
use super::{
    KneeReplicate, Results, ScenarioInfo, Shard, StrategyResult, SweptList, comparisons,
    expectations, knee, warnings,
};
use crate::engine::{self, SimConfig};
use crate::metrics::{MetricId, RunResult};
use crate::scenario::{Scenario, Setup, Strategy};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    matrix: Matrix<'a>,
    /// By strategy.
    found: Vec<Mutex<Found>>,
    jobs: Vec<Job>,
    /// By job.
    there: Mutex<Vec<bool>>,
}

/// The system gives no threads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "can't start {threads} threads: {reason}\ntake fewer with `--threads`, or end other programs"
)]
pub struct NoThreads {
    threads: usize,
    reason: String,
}

/// What is known of one strategy.
struct Found {
    runs: StrategyRuns,
    capacity: Option<f64>,
}

impl<'a> ExperimentRuns<'a> {
    pub(super) fn new(
        scenario: &'a Scenario,
        threads: usize,
        batch: usize,
    ) -> Result<Self, NoThreads> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| NoThreads {
            threads,
            reason: error.to_string(),
        })?;
        let matrix = pool.install(|| Matrix::new(scenario, batch));
        let nothing = |strategy: &Strategy| {
            let (names, servers) = (
                strategy.setup.operation_names(),
                strategy.setup.cluster.servers,
            );
            let runs = StrategyRuns::new(scenario.replicates as usize, &names, servers);
            Mutex::new(Found {
                runs,
                capacity: None,
            })
        };
        let jobs = matrix::jobs(scenario);
        Ok(Self {
            scenario,
            pool,
            found: matrix.strategies.iter().map(nothing).collect(),
            matrix,
            there: Mutex::new(vec![false; jobs.len()]),
            jobs,
        })
    }

    /// Threads that make the runs.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
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
        order.sort_by_key(|&job| self.jobs[job].dealing_order());
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
        self.matrix.skip(job);
        self.keep(job, run.outcome);
        Ok(())
    }

    fn keep(&self, job: Job, outcome: Outcome) {
        let mut found = lock(&self.found[self.matrix.place(job)]);
        match outcome {
            Outcome::Run(run) => found.runs.add(job.replicate as usize, *run),
            Outcome::Capacity(capacity) => found.capacity = capacity,
            Outcome::Knee(knee) => found.runs.knees[job.replicate as usize] = knee,
        }
    }

    fn strategy(&self, job: Job) -> &Strategy {
        &self.matrix.strategies[self.matrix.place(job)]
    }

    /// About how many runs these are worth: a bisection for a knee makes several.
    pub fn effort(&self, runs: &[usize]) -> u64 {
        runs.iter().map(|&run| self.jobs[run].effort()).sum()
    }

    /// Makes all that are missing; `progress` as in [`ExperimentRuns::run`].
    pub fn run_all(&self, progress: impl Fn(Progress<'_>) + Sync) {
        self.run(Shard::ALL, &AtomicBool::new(false), progress, |_| ());
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
                self.matrix.skip(self.jobs[job]);
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

    /// `None` when it was stopped before its end.
    fn outcome(&self, job: Job, stop: &AtomicBool, tell: impl Fn(u64)) -> Option<Outcome> {
        let config = self.matrix.run_config(job);
        let run = || engine::run_unless(&config, stop);
        let outcome = match job.kind {
            JobKind::Knee => {
                let setup = &self.strategy(job).setup;
                return bisect(&config, setup, stop, tell).map(Outcome::Knee);
            }
            JobKind::Capacity => Outcome::Capacity(run()?.metrics.get(MetricId::WriteThroughput)),
            JobKind::Replicate => Outcome::Run(Box::new(run()?)),
        };
        tell(1);
        Some(outcome)
    }

    /// The results; `None` while any run is missing.
    pub fn results(self) -> Option<Results> {
        if !self.missing(Shard::ALL).is_empty() {
            return None;
        }
        let (scenario, matrix) = (self.scenario, &self.matrix);
        let summarised = |(at, found): (usize, Mutex<Found>)| {
            let Found { runs, capacity } =
                found.into_inner().unwrap_or_else(PoisonError::into_inner);
            let point = scenario.values_at(at / scenario.strategies.len());
            let layout = matrix.layout(at);
            let strategy = &matrix.strategies[at];
            StrategySummary::new(strategy, point, &scenario.time, layout, capacity, runs)
        };
        let summaries: Vec<_> = self.found.into_iter().enumerate().map(summarised).collect();
        Some(results(self.scenario, &summaries))
    }
}

fn results(scenario: &Scenario, summaries: &[StrategySummary<'_>]) -> Results {
    let mut warnings: Vec<String> = Vec::new();
    for warning in summaries.iter().flat_map(warnings::of) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let strategies: Vec<StrategyResult> = summaries.iter().map(StrategySummary::result).collect();
    let runs = summaries.iter().map(|summary| &summary.runs);
    let ran: Vec<_> = strategies.iter().zip(runs).collect();
    let points = strategies.chunks(scenario.strategies.len().max(1));
    Results {
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
        sweep: scenario.sweep.iter().map(SweptList::from).collect(),
        comparisons: points.flat_map(comparisons::of).collect(),
        expectations: expectations::of(scenario, &ran),
        strategies,
        warnings,
    }
}

/// Looks for the knee, and tells of as many runs as such a search counts for: of each as it ends, of the remaining ones at the end. `None` when it
/// was stopped before its end.
fn bisect(
    config: &SimConfig,
    setup: &Setup,
    stop: &AtomicBool,
    tell: impl Fn(u64),
) -> Option<Option<KneeReplicate>> {
    let Some(knee) = &setup.knee else {
        return Some(None);
    };
    let mut told = 0;
    let found = knee::run(config, knee, &setup.operation_names(), stop, || {
        if told + 1 < TYPICAL_RUNS {
            told += 1;
            tell(1);
        }
    })?;
    tell(TYPICAL_RUNS - told);
    Some(Some(found))
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
        matrix::jobs(self.scenario).iter().map(Job::effort).sum()
    }

    /// Runs that are made at a time: as many as there are threads, and jobs for them. A bisection for a knee is one job.
    pub fn threads_at_work(&self) -> usize {
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        threads.min(matrix::jobs(self.scenario).len()).max(1)
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
        runs.run_all(progress);
        Ok(runs
            .results()
            .expect("every run was made: nothing asked to stop"))
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
    pub(super) job: usize,
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
    pub(super) fn is_of(&self, kind: JobKind) -> bool {
        matches!(
            (self, kind),
            (Self::Run(_), JobKind::Replicate)
                | (Self::Capacity(_), JobKind::Capacity)
                | (Self::Knee(_), JobKind::Knee)
        )
    }
}

impl FinishedRun {
    /// Its number in the experiment: [`ExperimentRuns::name`](super::ExperimentRuns::name) says what it is.
    pub fn number(&self) -> usize {
        self.job
    }

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
