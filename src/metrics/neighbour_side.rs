//! What the recorder keeps of neighbours: operations and their times, no demand. Must not know their regions.

use super::tally::{NEIGHBOUR_RATES, Tally};
use super::{NeighbourRun, RecorderConfig, Response, Scalars};

/// Counters of all neighbours.
#[derive(Debug, Default)]
pub(super) struct NeighbourSide {
    names: Vec<String>,
    tallies: Vec<Tally>,
    warmup: u64,
}

impl NeighbourSide {
    pub(super) fn new(config: &RecorderConfig) -> Self {
        Self {
            names: config.neighbours.clone(),
            tallies: vec![Tally::new(config.duration.as_nanos()); config.neighbours.len()],
            warmup: config.warmup.as_nanos(),
        }
    }

    #[inline]
    pub(super) fn offered(&mut self, neighbour: u32, at: u64) {
        let in_cohort = at >= self.warmup;
        self.tallies[neighbour as usize].offered(in_cohort);
    }

    #[inline]
    pub(super) fn completed(&mut self, neighbour: u32, intended: u64, finished: u64, good: bool) {
        let tally = &mut self.tallies[neighbour as usize];
        tally.completed(intended, finished, self.warmup, good);
    }

    pub(super) fn failed(&mut self, neighbour: u32, intended: u64, at: u64) {
        self.tallies[neighbour as usize].failed(intended, at, self.warmup);
    }

    pub(super) fn unfinished(&mut self, neighbour: u32, intended: u64, end: u64) {
        self.tallies[neighbour as usize].unfinished(intended, end, self.warmup);
    }

    /// The run has ended: see [`Tally::settle`].
    pub(super) fn settle(&mut self) {
        self.tallies.iter_mut().for_each(Tally::settle);
    }

    /// Rates and response times of each and of all together; `seconds` is the length of the window. Nothing of all without any.
    pub(super) fn close(self, seconds: Option<f64>) -> (Vec<NeighbourRun>, Scalars, Response) {
        let rates = |tally: &Tally| -> Scalars {
            NEIGHBOUR_RATES
                .into_iter()
                .zip(tally.rates(seconds))
                .collect()
        };
        let all = Tally::total(&self.tallies);
        let of_all = if self.tallies.is_empty() {
            Scalars::new()
        } else {
            rates(&all)
        };
        let runs = self.names.into_iter().zip(self.tallies);
        let runs = runs.map(|(name, tally)| NeighbourRun {
            name,
            counts: tally.counts(),
            metrics: rates(&tally),
            response: tally.response,
        });
        (runs.collect(), of_all, all.response)
    }
}
