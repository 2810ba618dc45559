//! What is asked of an experiment: which scenario, on how many threads. Must not show anything: progress is told to whoever asks.

use super::knee_run::TYPICAL_RUNS;
use super::matrix::{has_capacity, has_knee};
use super::{ExperimentRuns, NoThreads, Progress, Results};
use crate::scenario::Scenario;

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
        let of_point = |point| {
            let strategies = self.scenario.strategies_at(point);
            let saturating = strategies.iter().filter(|strategy| has_capacity(strategy));
            let knees = strategies.iter().filter(|strategy| has_knee(strategy));
            let a_replicate = strategies.len() as u64 + knees.count() as u64 * TYPICAL_RUNS;
            a_replicate * u64::from(self.scenario.replicates) + saturating.count() as u64
        };
        (0..self.scenario.point_count()).map(of_point).sum()
    }

    /// Runs that are made at a time: as many as there are threads, and jobs for them. A bisection for a knee is one job.
    pub fn threads_at_work(&self) -> usize {
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let of_point = |point| {
            let strategies = self.scenario.strategies_at(point);
            let saturating = strategies.iter().filter(|strategy| has_capacity(strategy));
            let knees = strategies.iter().filter(|strategy| has_knee(strategy));
            (strategies.len() + knees.count()) * self.scenario.replicates as usize
                + saturating.count()
        };
        let jobs: usize = (0..self.scenario.point_count()).map(of_point).sum();
        threads.min(jobs).max(1)
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
