//! One replicate of what strategies share: the records and the laws of their numbers. Must not know keys.

use crate::random::Seed;
use crate::record::RecordGenerator;
use crate::scenario::{Setup, Strategy};
use crate::workload::{Population, ReadSource, Workload};
use rayon::prelude::*;
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A question and its answer, which whoever first asks finds for all.
type Found = (Box<dyn Any + Send>, Arc<dyn Any + Send + Sync>);

/// A replicate of all strategies over the same fields and workload.
#[derive(Debug, Clone)]
pub struct Replicate {
    /// The user's seed.
    pub seed: Seed,
    /// Which replicate, from 0.
    pub number: u32,
    /// Its records.
    pub generator: Arc<RecordGenerator>,
    /// How many of them are alike, of those that reads find.
    pub population: Arc<Population>,
    /// The same of all that are stored, expired or not.
    pub stored: Arc<Population>,
    /// Targets of each read of its workload, in an order of which every k-th one stands for all; found when they are first asked for.
    pub(super) targets: Arc<OnceLock<Vec<Arc<Vec<u32>>>>>,
    /// What strategies ask in common, as far as it has been asked.
    found: Arc<Mutex<Vec<Found>>>,
    reads: Arc<OnceLock<Mutex<ReadSource>>>,
}

impl Replicate {
    /// A replicate of a setup.
    pub fn new(setup: &Setup, seed: Seed, number: u32) -> Self {
        let generator = setup.generator(seed, number);
        let population = Arc::new(Population::new(&setup.workload, &generator));
        let stored = match setup.workload.kept_for {
            None => Arc::clone(&population),
            Some(_) => {
                let kept_for = None;
                let workload = setup.workload.clone();
                let all = Workload {
                    kept_for,
                    ..workload
                };
                Arc::new(Population::new(&all, &generator))
            }
        };
        Self {
            seed,
            number,
            generator,
            population,
            stored,
            targets: Arc::default(),
            found: Arc::default(),
            reads: Arc::default(),
        }
    }

    /// What `ask` makes of the reads of its workload, which are prepared when they are first asked for. One asks at a time.
    pub fn with_reads<T>(&self, workload: &Workload, ask: impl FnOnce(&mut ReadSource) -> T) -> T {
        let prepare = || Mutex::new(ReadSource::new(workload, Arc::clone(&self.generator)));
        let source = self.reads.get_or_init(prepare).lock();
        // What reads are made of holds nothing but buffers that changes.
        ask(&mut source.unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets go of what the layouts of its strategies were made of, once they are there: who asks again finds it again.
    pub fn forget(&self) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Vec::new();
    }

    /// What `find` tells of what is `asked`: once for all who ask for the same. It must not wait for work of other threads, which may ask for it as well.
    pub(super) fn once<K: PartialEq + Any + Send, V: Any + Send + Sync>(
        &self,
        asked: K,
        find: impl FnOnce() -> V,
    ) -> Arc<V> {
        let found = {
            let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            let is_same = |other: &Found| other.0.downcast_ref() == Some(&asked);
            match all.iter().find(|other| is_same(other)) {
                Some((_, found)) => Arc::clone(found),
                None => {
                    let found = Arc::new(OnceLock::<Arc<V>>::new());
                    all.push((Box::new(asked), found.clone()));
                    found
                }
            }
        };
        let found = found.downcast::<OnceLock<Arc<V>>>();
        let found = found.expect("answers to questions of one type have one");
        Arc::clone(found.get_or_init(|| Arc::new(find())))
    }

    /// The first replicate of each strategy, made once for all that share it.
    pub fn first_of_each(strategies: &[Strategy], seed: Seed) -> Vec<Arc<Self>> {
        let mut firsts: Vec<Arc<Self>> = Vec::with_capacity(strategies.len());
        for (at, strategy) in strategies.iter().enumerate() {
            let twin = Self::twin(strategies, at);
            firsts.push(match firsts.get(twin) {
                Some(first) => Arc::clone(first),
                None => Arc::new(Self::new(&strategy.setup, seed, 0)),
            });
        }
        firsts
    }

    /// What `find` makes of each strategy and its first replicate, of several strategies at a time.
    pub fn firsts<T: Send>(
        strategies: &[Strategy],
        seed: Seed,
        find: impl Fn(&Strategy, &Arc<Self>) -> T + Sync,
    ) -> Vec<T> {
        let firsts = Self::first_of_each(strategies, seed);
        let pairs = strategies.par_iter().zip(&firsts).with_max_len(1);
        let found = pairs.map(|(strategy, first)| find(strategy, first));
        found.collect()
    }

    /// The first of the strategies that shares its replicates with the `at`-th.
    pub fn twin(strategies: &[Strategy], at: usize) -> usize {
        let setup = &strategies[at].setup;
        let shares = |other: &Strategy| {
            let other = &other.setup;
            Arc::ptr_eq(other, setup)
                || (other.schema == setup.schema && other.workload == setup.workload)
        };
        strategies[..at].iter().position(shares).unwrap_or(at)
    }
}
