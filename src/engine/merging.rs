//! The normalizer: when it runs, and how its plans are done. Must not know how it decides.

use super::calls::NONE;
use super::events::Event;
use super::master::Opening;
use super::simulation::Simulation;
use crate::metrics::Happening;
use crate::policy::{NormalizedRegion, NormalizerPlan, SplitPolicy};
use crate::time::SimDuration;

/// Bytes of a megabyte, as sizes are reported to the master.
const MB: u64 = 1 << 20;

impl Simulation<'_> {
    /// The next run of the normalizer is awaited, if there is one.
    pub(super) fn await_normalizer(&mut self) {
        if let Some(normalizer) = &self.config.changes.policies.normalizer {
            let period = normalizer.period.max(SimDuration::from_millis(1));
            self.await_change(self.now + period, Event::NormalizerRuns);
        }
    }

    /// The normalizer looks at the table and its copies, one after another. Its plans are all carried out at once, splits first
    /// (`RegionNormalizerWorker` hands them over without waiting); one that has become impossible is left out without a word, as in HBase.
    pub(super) fn normalizer_runs(&mut self) {
        let Some(normalizer) = self.config.changes.policies.normalizer.clone() else {
            return;
        };
        for table in 0..=self.config.copies.len() as u32 {
            let regions = self.table_regions(table);
            let seen: Vec<_> = regions
                .iter()
                .map(|&region| self.normalized(region))
                .collect();
            for plan in normalizer.rules.plans(&seen) {
                match plan {
                    NormalizerPlan::Split(at) => {
                        if self.config.changes.policies.split_policy != SplitPolicy::Disabled {
                            self.split_at_middle(regions[at]);
                        }
                    }
                    NormalizerPlan::Merge(range) => self.merge_regions(&regions[range]),
                }
            }
        }
        self.await_normalizer();
    }

    fn normalized(&self, region: u32) -> NormalizedRegion {
        NormalizedRegion {
            store_mb: self.store_bytes(region).0 / MB,
            open: self.is_open(region),
            age: self.master.age(region, self.now),
        }
    }

    /// Neighbours in key order become one region on the first one's server, offline for as long as a split takes: both are the same steps.
    /// Three or more merge two by two. Nothing happens unless all are open and free of references (`HRegion.isMergeable`).
    pub(super) fn merge_regions(&mut self, regions: &[u32]) {
        let mergeable = |&region: &u32| self.is_open(region) && !self.has_references(region);
        let (Some((&first, others)), true) = (regions.split_first(), regions.iter().all(mergeable))
        else {
            return;
        };
        let server = self.regions.get(first).server;
        debug_assert!(server != NONE);
        regions.iter().for_each(|&region| self.take_offline(region));
        let mut lower = first;
        for &upper in others {
            let merged = self.unite_regions(lower, upper);
            self.merge_stores(lower, upper, merged);
            self.heirs_come(&[lower, upper], &[merged]);
            let what = Happening::Merge {
                lower,
                upper,
                merged,
            };
            self.recorder.happened(self.now, what);
            lower = merged;
        }
        let opening = Opening {
            server,
            ends_split: false,
        };
        self.await_opening(lower, self.config.cluster.split_offline, opening);
    }
}
