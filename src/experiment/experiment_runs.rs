//! The runs of an experiment: made here, or elsewhere before, in any order; when all are there, the results. Must not know files.

use super::finished_run::{AddError, FinishedRun, Outcome};
use super::knee_run::{self, TYPICAL_RUNS};
use super::matrix::{Job, JobKind, Matrix};
use super::runs::StrategyRuns;
use super::strategy_summary::StrategySummary;
use super::{
    KneeReplicate, Results, ScenarioInfo, Shard, StrategyResult, SweptList, comparisons,
    expectations, warnings,
};
use crate::engine::{self, SimConfig};
use crate::metrics::MetricId;
use crate::scenario::{Scenario, Setup, Strategy};
use rayon::ThreadPool;
use rayon::prelude::*;
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
    /// Of all points, point by point, each with its point.
    strategies: Vec<(usize, &'a Strategy)>,
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
        let points = 0..scenario.point_count();
        let strategies: Vec<(usize, &Strategy)> = points
            .flat_map(|point| {
                let strategies = scenario.strategies_at(point).iter();
                strategies.map(move |strategy| (point, strategy))
            })
            .collect();
        let nothing = |(_, strategy): &(usize, &Strategy)| {
            let setup = &strategy.setup;
            Mutex::new(Found {
                runs: StrategyRuns::new(
                    scenario.replicates as usize,
                    &setup.operation_names(),
                    setup.cluster.servers,
                ),
                capacity: None,
            })
        };
        let jobs = matrix.jobs();
        Ok(Self {
            scenario,
            pool,
            found: strategies.iter().map(nothing).collect(),
            matrix,
            strategies,
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
        let mut own: Vec<usize> = order.into_iter().skip(shard.first()).collect();
        own = own.into_iter().step_by(shard.step()).collect();
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
        let strategy = self.strategies[self.place(job)].1;
        let point = match self.scenario.sweep.is_empty() {
            true => String::new(),
            false => format!(" at point {}", job.point + 1),
        };
        let (name, replicate) = (&strategy.name, job.replicate + 1);
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
        let mut found = lock(&self.found[self.place(job)]);
        match outcome {
            Outcome::Run(run) => found.runs.add(job.replicate as usize, *run),
            Outcome::Capacity(capacity) => found.capacity = capacity,
            Outcome::Knee(knee) => found.runs.knees[job.replicate as usize] = knee,
        }
    }

    fn place(&self, job: Job) -> usize {
        self.matrix.place(job.point, job.strategy)
    }

    /// About how many runs these are worth: a bisection for a knee makes several.
    pub fn effort(&self, runs: &[usize]) -> u64 {
        let of = |&run: &usize| match self.jobs[run].kind {
            JobKind::Knee => TYPICAL_RUNS,
            JobKind::Replicate | JobKind::Capacity => 1,
        };
        runs.iter().map(of).sum()
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
                strategy: &self.strategies[self.place(job)].1.name,
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
        let outcome = match job.kind {
            JobKind::Knee => {
                let setup = &self.strategies[self.place(job)].1.setup;
                return bisect(&config, setup, stop, tell).map(Outcome::Knee);
            }
            JobKind::Capacity => {
                let run = engine::run_unless(&config, stop)?;
                let throughput = run.metrics.get(MetricId::WriteThroughput);
                Outcome::Capacity(throughput)
            }
            JobKind::Replicate => Outcome::Run(Box::new(engine::run_unless(&config, stop)?)),
        };
        tell(1);
        Some(outcome)
    }

    /// The results; `None` while any run is missing.
    pub fn results(self) -> Option<Results> {
        if !self.missing(Shard::ALL).is_empty() {
            return None;
        }
        let mut summaries: Vec<StrategySummary<'_>> = Vec::new();
        for ((at, &(point, strategy)), found) in self.strategies.iter().enumerate().zip(self.found)
        {
            let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
            summaries.push(StrategySummary::new(
                strategy,
                self.scenario.values_at(point),
                &self.scenario.time,
                self.matrix.layout(at),
                found.capacity,
                found.runs,
            ));
        }
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
    let found = knee_run::run(config, knee, &setup.operation_names(), stop, || {
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
