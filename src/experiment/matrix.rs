//! Strategies x replicates: which runs there are, and what they share. Must not know results.

use crate::engine::{ClusterChanges, ExistingRows, PlannedRead, SimConfig, TableCopy};
use crate::keyspace::RowKey;
use crate::layout::{Layout, StrategySample};
use crate::record::{RecordGenerator, Schema};
use crate::scenario::{Changes, Copy, Presplit, Scenario, Strategy};
use crate::time::SimTime;
use crate::workload::Population;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// One run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// A replicate of a strategy.
    Replicate { strategy: usize, replicate: u32 },
    /// The strategy's own saturating run, on replicate 0.
    Capacity { strategy: usize },
}

/// All runs of a scenario.
pub(super) struct Matrix<'a> {
    scenario: &'a Scenario,
    batch: usize,
    /// Of each strategy: index of the first strategy with the same schema.
    schema_of: Vec<usize>,
    /// By schema and replicate.
    generators: Vec<Shared<RecordGenerator>>,
    /// Of replicate 0, by strategy.
    layouts: Vec<OnceLock<(Arc<Layout>, StrategySample)>>,
}

/// A value that several runs use: made by the first, dropped with the last.
struct Shared<T> {
    state: Mutex<(Option<Arc<T>>, usize)>,
}

impl<T> Shared<T> {
    fn new(users: usize) -> Self {
        Self {
            state: Mutex::new((None, users)),
        }
    }

    /// The value; every user takes it exactly once.
    fn take(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let value = state.0.take().unwrap_or_else(|| Arc::new(make()));
        state.1 = state.1.saturating_sub(1);
        if state.1 > 0 {
            state.0 = Some(value.clone());
        }
        value
    }
}

impl<'a> Matrix<'a> {
    pub(super) fn new(scenario: &'a Scenario, batch: usize) -> Self {
        let strategies = &scenario.strategies;
        let schema = |index: usize| -> &Schema { &strategies[index].setup.schema };
        let schema_of: Vec<usize> = (0..strategies.len())
            .map(|index| {
                (0..index)
                    .find(|&other| schema(other) == schema(index))
                    .unwrap_or(index)
            })
            .collect();
        let mut generators = Vec::new();
        for owner in 0..strategies.len() {
            let users = schema_of.iter().filter(|&&of| of == owner).count();
            let saturated = (0..strategies.len())
                .filter(|&index| schema_of[index] == owner && has_capacity(&strategies[index]));
            // Replicate 0 serves the capacity runs too.
            let more = |replicate| {
                if replicate == 0 {
                    saturated.clone().count()
                } else {
                    0
                }
            };
            generators.extend(
                (0..scenario.replicates).map(|replicate| Shared::new(users + more(replicate))),
            );
        }
        Self {
            scenario,
            batch,
            schema_of,
            generators,
            layouts: strategies.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Every run, replicate by replicate, so that what the runs of one replicate share can be dropped early.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let strategies = self.scenario.strategies.len();
        let capacity = (0..strategies)
            .filter(|&strategy| has_capacity(&self.scenario.strategies[strategy]))
            .map(|strategy| Job::Capacity { strategy });
        let replicates = (0..self.scenario.replicates).flat_map(|replicate| {
            (0..strategies).map(move |strategy| Job::Replicate {
                strategy,
                replicate,
            })
        });
        replicates.chain(capacity).collect()
    }

    fn generator(&self, strategy: usize, replicate: u32) -> Arc<RecordGenerator> {
        let owner = self.schema_of[strategy];
        let at = owner * self.scenario.replicates as usize + replicate as usize;
        let schema = &self.scenario.strategies[owner].setup.schema;
        self.generators[at].take(|| RecordGenerator::new(schema, self.scenario.seed, replicate))
    }

    /// The layout of replicate 0, made once, with the sizes of its tables.
    fn first_layout(&self, strategy: usize, generator: &Arc<RecordGenerator>) -> Arc<Layout> {
        let make = || {
            let strategy = &self.scenario.strategies[strategy];
            let layout = Layout::of(strategy, generator, self.scenario.seed, 0);
            let sample = StrategySample::of(strategy, &layout, generator, self.scenario.seed, 0);
            (Arc::new(layout), sample)
        };
        self.layouts[strategy].get_or_init(make).0.clone()
    }

    /// What [`Matrix::run_config`] has laid out and weighed for replicate 0; `None` before that.
    pub(super) fn layout(&self, strategy: usize) -> Option<(&Layout, &StrategySample)> {
        let (layout, sample) = self.layouts[strategy].get()?;
        Some((layout, sample))
    }

    /// What the engine takes from the layout of one replicate, without series.
    fn laid_out(&self, at: usize, replicate: u32, generator: &Arc<RecordGenerator>) -> LaidOut {
        let strategy = &self.scenario.strategies[at];
        let workload = &strategy.setup.workload;
        let plain = strategy.copies.is_empty()
            && workload.reads.is_empty()
            && workload.existing_rows(generator.schema()) == 0;
        match &strategy.presplit {
            Presplit::Fixed { points, .. } if plain => LaidOut {
                split_points: points.clone(),
                ..LaidOut::default()
            },
            _ => LaidOut::new(&Layout::of(
                strategy,
                generator,
                self.scenario.seed,
                replicate,
            )),
        }
    }

    /// What the engine needs for one run; key buckets, hence series, only for replicate 0.
    pub(super) fn run_config(&self, job: Job) -> SimConfig {
        let (at, replicate) = match job {
            Job::Replicate {
                strategy,
                replicate,
            } => (strategy, replicate),
            Job::Capacity { strategy } => (strategy, 0),
        };
        let strategy: &Strategy = &self.scenario.strategies[at];
        let generator = self.generator(at, replicate);
        let laid_out = match job {
            Job::Capacity { .. } => LaidOut {
                copies: Arc::new(strategy.copies.iter().map(unsplit).collect()),
                ..LaidOut::default()
            },
            Job::Replicate { replicate: 0, .. } => {
                let layout = self.first_layout(at, &generator);
                let buckets = layout.key_buckets.iter().skip(1);
                LaidOut {
                    key_buckets: Arc::new(buckets.map(|bucket| bucket.start.clone()).collect()),
                    ..LaidOut::new(&layout)
                }
            }
            Job::Replicate { .. } => self.laid_out(at, replicate, &generator),
        };
        let setup = &strategy.setup;
        let time = &self.scenario.time;
        let population =
            Population::new(&setup.workload, &generator, self.scenario.seed, replicate);
        let config = SimConfig {
            copies: laid_out.copies,
            reads: laid_out.reads,
            population: Arc::new(population),
            seed: self.scenario.seed,
            replicate,
            warmup: SimTime::ZERO + time.warmup,
            duration: SimTime::ZERO + time.duration,
            sample: time.sample,
            workload: Arc::new(setup.workload.clone()),
            generator,
            key: strategy.key.clone(),
            split_points: laid_out.split_points,
            key_buckets: laid_out.key_buckets,
            cluster: setup.cluster.clone(),
            table: setup.table.clone(),
            client: setup.client.clone(),
            changes: changes(&setup.changes, laid_out.existing),
            batch: self.batch,
        };
        match job {
            Job::Capacity { .. } => crate::engine::saturating(&config),
            Job::Replicate { .. } => config,
        }
    }
}

/// Whether a strategy has a saturating run: one of writes.
pub(super) fn has_capacity(strategy: &Strategy) -> bool {
    !strategy.setup.workload.writes.is_empty()
}

/// A copy in one region.
fn unsplit(copy: &Copy) -> TableCopy {
    TableCopy {
        key: copy.key.clone(),
        split_points: Arc::default(),
    }
}

/// What becomes of the cluster in a run.
fn changes(changes: &Changes, existing: Arc<Vec<ExistingRows>>) -> ClusterChanges {
    ClusterChanges {
        split_policy: changes.split_policy.clone(),
        normalizer: changes.normalizer.clone(),
        balancer: changes.balancer,
        balancer_period: changes.balancer_period,
        events: changes.events.clone(),
        neighbours: changes.neighbours.clone(),
        existing,
    }
}

/// What the engine takes from a layout.
#[derive(Debug, Default)]
struct LaidOut {
    split_points: Arc<Vec<RowKey>>,
    key_buckets: Arc<Vec<RowKey>>,
    copies: Arc<Vec<TableCopy>>,
    reads: Arc<Vec<PlannedRead>>,
    existing: Arc<Vec<ExistingRows>>,
}

impl LaidOut {
    /// All but the key buckets, hence without series.
    fn new(layout: &Layout) -> Self {
        let reads = layout.reads.iter().map(|read| read.planned.clone());
        Self {
            split_points: layout.split_points.clone(),
            key_buckets: Arc::default(),
            copies: layout.copies.clone(),
            reads: Arc::new(reads.collect()),
            existing: layout.existing.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_value_is_made_once_and_dropped_with_its_last_user() {
        let shared = Shared::new(3);
        let first = shared.take(|| 7);
        let second = shared.take(|| 8);
        assert_eq!((*first, *second), (7, 7));
        let weak = Arc::downgrade(&first);
        let third = shared.take(|| 9);
        drop((first, second, third));
        assert!(weak.upgrade().is_none());
    }
}
