//! Strategies x replicates: which runs there are, and what they share. Must not know results.

use crate::engine::{ClusterChanges, SimConfig, TableCopy};
use crate::layout::{Layout, Replicate, RunLayout, StrategySample};
use crate::scenario::{Copy, Scenario, Strategy};
use crate::time::SimTime;
use rayon::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One run, at a point of the sweep (0 without one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) point: usize,
    /// Among the strategies of its point.
    pub(super) strategy: usize,
    /// Which replicate it is, or is on.
    pub(super) replicate: u32,
    pub(super) kind: JobKind,
}

/// What a run is for, the dearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobKind {
    /// The bisection for the knee, on a replicate of a strategy: several runs, one after the other.
    Knee,
    /// A replicate of a strategy.
    Replicate,
    /// The strategy's own saturating run, on replicate 0.
    Capacity,
}

impl Job {
    /// About how many runs it is worth: a bisection for a knee makes several.
    pub(super) fn effort(&self) -> u64 {
        match self.kind {
            JobKind::Knee => TYPICAL_RUNS,
            JobKind::Replicate | JobKind::Capacity => 1,
        }
    }

    /// The order in which jobs are dealt to shards: those that cost about the same are neighbours.
    pub(super) fn dealing_order(&self) -> (u8, usize, usize, u32) {
        (self.kind as u8, self.point, self.strategy, self.replicate)
    }
}

/// Runs of one bisection, about: what progress counts it as.
pub(super) const TYPICAL_RUNS: u64 = 8;

/// All runs of a scenario.
pub(super) struct Matrix<'a> {
    scenario: &'a Scenario,
    batch: usize,
    /// Of all points, point by point.
    pub(super) strategies: Vec<Strategy>,
    /// Of each strategy: index of the first strategy that shares its replicates.
    twins: Vec<usize>,
    /// By twin and number.
    replicates: Vec<Shared<Replicate>>,
    /// Of replicate 0, by strategy.
    layouts: Vec<(Layout, StrategySample)>,
}

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

    fn lock(&self) -> MutexGuard<'_, (Option<Arc<T>>, usize)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One user less: it takes nothing.
    fn skip(&self) {
        let mut state = self.lock();
        state.1 = state.1.saturating_sub(1);
        if state.1 == 0 {
            state.0 = None;
        }
    }

    /// The value; every user takes it exactly once, or skips it.
    fn take(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut state = self.lock();
        let value = state.0.take().unwrap_or_else(|| Arc::new(make()));
        state.1 = state.1.saturating_sub(1);
        if state.1 > 0 {
            state.0 = Some(value.clone());
        }
        value
    }
}

impl<'a> Matrix<'a> {
    /// Lays all strategies out for their first replicate, in parallel.
    pub(super) fn new(scenario: &'a Scenario, batch: usize) -> Self {
        let strategies = strategies(scenario);
        let twins: Vec<usize> = (0..strategies.len())
            .map(|at| Replicate::twin(&strategies, at))
            .collect();
        let firsts = Replicate::first_of_each(&strategies, scenario.seed);
        let pairs = strategies.par_iter().zip(&firsts).with_max_len(1);
        let layouts = pairs.map(|(strategy, first)| {
            let layout = Layout::of(strategy, first);
            let sample = StrategySample::of(strategy, &layout.regions, first);
            (layout, sample)
        });
        let layouts = layouts.collect();
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
        Self {
            scenario,
            batch,
            strategies,
            twins,
            replicates,
            layouts,
        }
    }

    /// The place of a job's strategy among those of all points.
    pub(super) fn place(&self, job: Job) -> usize {
        job.point * self.scenario.strategies.len() + job.strategy
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
    pub(super) fn skip(&self, job: Job) {
        self.shared(self.place(job), job.replicate).skip();
    }

    /// The layout of replicate 0, and what its tables weigh, by [`Matrix::place`].
    pub(super) fn layout(&self, strategy: usize) -> (&Layout, &StrategySample) {
        let (layout, sample) = &self.layouts[strategy];
        (layout, sample)
    }

    /// What the engine needs for one run; key buckets, hence series, only for replicate 0.
    pub(super) fn run_config(&self, job: Job) -> SimConfig {
        let at = self.place(job);
        let number = job.replicate;
        let strategy: &Strategy = &self.strategies[at];
        let replicate = self.replicate(at, number);
        let (first, _) = &self.layouts[at];
        let is_first = job.kind == JobKind::Replicate && number == 0;
        let buckets = first.key_buckets.iter().skip(1).filter(|_| is_first);
        let laid_out = match job.kind {
            JobKind::Capacity => RunLayout {
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
            cluster: setup.cluster.clone(),
            table: setup.table.clone(),
            client: setup.client.clone(),
            changes: ClusterChanges {
                policies: setup.changes.policies.clone(),
                events: setup.changes.events.clone(),
                neighbours: setup.changes.neighbours.clone(),
                existing: laid_out.existing,
            },
            batch: self.batch,
        };
        match job.kind {
            JobKind::Capacity => crate::engine::saturating(&config),
            JobKind::Replicate | JobKind::Knee => config,
        }
    }
}

/// The strategies of all points, point by point.
pub(super) fn strategies(scenario: &Scenario) -> Vec<Strategy> {
    let points = 0..scenario.point_count();
    let strategies = points.flat_map(|point| scenario.strategies_at(point));
    strategies.cloned().collect()
}

/// Every run, point by point and replicate by replicate, so that what the runs of one replicate share can be dropped early.
pub(super) fn jobs(scenario: &Scenario) -> Vec<Job> {
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
        let matrix = Matrix::new(&scenario, 64);
        let run = |strategy, replicate| {
            matrix.run_config(Job {
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
        assert!(Arc::ptr_eq(
            &a.population,
            &matrix.replicate(0, 0).population
        ));
        assert!(!Arc::ptr_eq(&a.population, &c.population));
        assert!(!Arc::ptr_eq(&a.population, &again.population));
    }
}
