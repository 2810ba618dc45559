//! What the balancer remembers of a region's load: HBase's rolling samples. Must not know when they are taken.

use super::RegionLoad;
use std::collections::VecDeque;

/// Samples that are remembered (HBase default, `hbase.master.balancer.stochastic.numRegionLoadsToRemember`), one taken every minute
/// (`hbase.balancer.statusPeriod`).
pub const REMEMBERED_SAMPLES: usize = 15;

/// A region's counters at one moment, as its server reports them (`BalancerRegionLoad`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadSample {
    /// Reads since the region was opened.
    pub reads: u64,
    /// Rows written since it was opened.
    pub writes: u64,
    /// Its memstore, in whole MB.
    pub memstore_mb: u32,
    /// Its store files, in whole MB.
    pub store_file_mb: u32,
}

/// The last samples of one region. A region without a sample, a new daughter for one, has no load yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadSamples {
    samples: VecDeque<LoadSample>,
}

impl LoadSamples {
    /// Takes a sample; forgets the oldest of too many.
    pub fn push(&mut self, sample: LoadSample) {
        if self.samples.len() == REMEMBERED_SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The load they stand for: the mean size of the store files (`CostFromRegionLoadFunction`), and the mean rise of the others from
    /// sample to sample, a fall counting as a restart from 0 (`CostFromRegionLoadAsRateFunction`, which HBase uses for memstores too: a
    /// flush counts as a restart). One sample has no rise.
    pub fn load(&self) -> RegionLoad {
        if self.samples.is_empty() {
            return RegionLoad::default();
        }
        let samples = self.samples.iter();
        let files = samples.map(|sample| f64::from(sample.store_file_mb));
        RegionLoad {
            reads: self.mean_rise(|sample| sample.reads),
            writes: self.mean_rise(|sample| sample.writes),
            memstore_mb: self.mean_rise(|sample| u64::from(sample.memstore_mb)),
            store_file_mb: files.sum::<f64>() / self.samples.len() as f64,
        }
    }

    fn mean_rise(&self, value: impl Fn(&LoadSample) -> u64) -> f64 {
        let pairs = self.samples.iter().zip(self.samples.iter().skip(1));
        let rises = pairs.map(|(before, after)| {
            let (before, after) = (value(before), value(after));
            after.checked_sub(before).unwrap_or(after)
        });
        let sum: u64 = rises.sum();
        match self.samples.len() {
            0 | 1 => 0.0,
            samples => sum as f64 / (samples - 1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(reads: u64, writes: u64, memstore_mb: u32, store_file_mb: u32) -> LoadSample {
        LoadSample {
            reads,
            writes,
            memstore_mb,
            store_file_mb,
        }
    }

    #[test]
    fn loads_are_mean_rises_and_a_fall_starts_from_zero() {
        let mut samples = LoadSamples::default();
        assert_eq!(samples.load(), RegionLoad::default());
        samples.push(sample(1_000, 50, 7, 30));
        assert_eq!(
            samples.load(),
            RegionLoad {
                store_file_mb: 30.0,
                ..RegionLoad::default()
            }
        );
        samples.push(sample(1_600, 53, 90, 30));
        // Moved: counters start again; flushed: the memstore too.
        samples.push(sample(200, 60, 3, 120));
        assert_eq!(
            samples.load(),
            RegionLoad {
                reads: (600.0 + 200.0) / 2.0,
                writes: 5.0,
                memstore_mb: (83.0 + 3.0) / 2.0,
                store_file_mb: 60.0,
            }
        );
    }

    #[test]
    fn fifteen_samples_are_remembered() {
        let mut samples = LoadSamples::default();
        samples.push(sample(0, 0, 0, 0));
        for minute in 1..=15 {
            samples.push(sample(0, 1_000 + minute, 0, 1));
        }
        // The jump from 0 to 1,001 is forgotten.
        assert_eq!(
            (samples.load().writes, samples.load().store_file_mb),
            (1.0, 1.0)
        );
    }
}
