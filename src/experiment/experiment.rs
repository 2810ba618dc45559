//! Runs a scenario's matrix in parallel and summarises it. Must not show anything: progress is told to whoever asks.

use super::knee_run::{self, TYPICAL_RUNS};
use super::matrix::{JobKind, Matrix, has_capacity, has_knee};
use super::runs::StrategyRuns;
use super::strategy_summary::StrategySummary;
use super::{KneeReplicate, Results, ScenarioInfo, SweptList, comparisons, expectations};
use crate::engine::{self, SimConfig};
use crate::scenario::{Scenario, Setup, Strategy};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Operations that are generated, keyed and routed together: the keys of a batch fit the level-1 cache (measured: no gain beyond).
const BATCH: usize = 256;

/// An experiment to be run.
#[derive(Debug, Clone)]
pub struct Experiment<'a> {
    scenario: &'a Scenario,
    threads: usize,
    batch: usize,
}

/// One run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Name of the strategy that it belongs to.
    pub strategy: &'a str,
    /// Runs that have ended so far, this one included.
    pub done: u64,
    /// All runs: [`Experiment::runs`].
    pub total: u64,
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

    /// Runs on so many threads; 0 is one a processor. Never changes a result.
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
        let of_point = |point| {
            let strategies = self.scenario.strategies_at(point);
            let saturating = strategies.iter().filter(|strategy| has_capacity(strategy));
            let knees = strategies.iter().filter(|strategy| has_knee(strategy));
            let a_replicate = strategies.len() as u64 + knees.count() as u64 * TYPICAL_RUNS;
            a_replicate * u64::from(self.scenario.replicates) + saturating.count() as u64
        };
        (0..self.scenario.point_count()).map(of_point).sum()
    }

    /// Runs everything. `progress` is called once for each run that has ended, from any thread, in any order.
    pub fn run(&self, progress: impl Fn(Progress<'_>) + Sync) -> Results {
        match rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
        {
            Ok(pool) => pool.install(|| self.run_here(&progress)),
            // No threads to be had: the calling one does it all.
            Err(_) => self.run_here(&progress),
        }
    }

    fn run_here(&self, progress: &(impl Fn(Progress<'_>) + Sync)) -> Results {
        let points = 0..self.scenario.point_count();
        let strategies: Vec<(usize, &Strategy)> = points
            .flat_map(|point| {
                let strategies = self.scenario.strategies_at(point).iter();
                strategies.map(move |strategy| (point, strategy))
            })
            .collect();
        let matrix = Matrix::new(self.scenario, self.batch);
        // What runs leave is merged at once: their histograms needn't be kept. Every sum is one of integers, so order does not matter.
        let runs: Vec<Mutex<StrategyRuns>> = strategies
            .iter()
            .map(|(_, strategy)| {
                let setup = &strategy.setup;
                Mutex::new(StrategyRuns::new(
                    self.scenario.replicates as usize,
                    &setup.operation_names(),
                    setup.cluster.servers,
                ))
            })
            .collect();
        let done = Mutex::new(0);
        let total = self.runs();
        let tell = |at: usize, more: u64| {
            let mut done = lock(&done);
            *done += more;
            progress(Progress {
                strategy: &strategies[at].1.name,
                done: *done,
                total,
            });
        };
        let capacities: Vec<(usize, Option<f64>)> = matrix
            .jobs()
            .into_par_iter()
            .with_max_len(1)
            .filter_map(|job| {
                let config = matrix.run_config(job);
                let at = matrix.place(job.point, job.strategy());
                if let JobKind::Knee { replicate, .. } = job.kind {
                    let setup = &strategies[at].1.setup;
                    let found = bisect(&config, setup, |runs| tell(at, runs));
                    lock(&runs[at]).knees[replicate as usize] = found;
                    return None;
                }
                let run = engine::run(&config);
                let capacity = match job.kind {
                    JobKind::Capacity { .. } => {
                        let throughput = run.metrics.get("write_throughput_per_sec");
                        Some((at, throughput.copied().flatten()))
                    }
                    JobKind::Replicate { replicate, .. } => {
                        lock(&runs[at]).add(replicate as usize, run);
                        None
                    }
                    JobKind::Knee { .. } => None,
                };
                tell(at, 1);
                capacity
            })
            .collect();

        let mut summaries: Vec<StrategySummary<'_>> = Vec::new();
        for ((at, &(point, strategy)), runs) in strategies.iter().enumerate().zip(runs) {
            let runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
            let capacity = capacities
                .iter()
                .find(|(of, _)| *of == at)
                .and_then(|(_, capacity)| *capacity);
            let layout = matrix.layout(at);
            summaries.push(StrategySummary::new(
                strategy,
                self.scenario.values_at(point),
                &self.scenario.time,
                layout,
                capacity,
                runs,
            ));
        }
        self.results(&summaries)
    }

    fn results(&self, summaries: &[StrategySummary<'_>]) -> Results {
        let scenario = self.scenario;
        let mut warnings: Vec<String> = Vec::new();
        for warning in summaries.iter().flat_map(StrategySummary::warnings) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
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
            strategies: summaries.iter().map(StrategySummary::result).collect(),
            comparisons: summaries
                .chunks(scenario.strategies.len().max(1))
                .flat_map(comparisons::of)
                .collect(),
            expectations: expectations::of(scenario, summaries),
            warnings,
        }
    }
}

/// Looks for the knee, and tells of as many runs as such a search counts for: of each as it ends, of the remaining ones at the end.
fn bisect(config: &SimConfig, setup: &Setup, tell: impl Fn(u64)) -> Option<KneeReplicate> {
    let knee = setup.knee.as_ref()?;
    let mut told = 0;
    let found = knee_run::run(config, knee, &setup.operation_names(), || {
        if told + 1 < TYPICAL_RUNS {
            told += 1;
            tell(1);
        }
    });
    tell(TYPICAL_RUNS - told);
    Some(found)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A thread that panicked has taken the experiment with it; what it left is not looked at.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
