//! What the balancer remembers of the loads of regions. Must not know what it makes of them.

use super::SimConfig;
use super::calls::NONE;
use super::regions::Regions;
use crate::policy::balance::{Balancer, LoadSample, LoadSamples, REMEMBERED_SAMPLES, RegionLoad};
use crate::time::{SimDuration, SimTime};
use std::collections::BTreeMap;

/// How often loads are sampled (HBase default, `hbase.balancer.statusPeriod`).
const STATUS_PERIOD: SimDuration = SimDuration::from_secs(60);

/// Bytes of a megabyte, as sizes are reported to the master.
const MB: u64 = 1 << 20;

/// What a server has counted of a region since its opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counters {
    reads: u32,
    writes: u32,
}

/// Counters of all regions, and samples of those that ever had load. They are kept only for a balancer that asks for them and runs within the
/// run: else nothing is counted.
#[derive(Debug, Default)]
pub(super) struct LoadSampling {
    counting: bool,
    /// Whether counters are sampled, not only read when the balancer runs.
    sampling: bool,
    /// By region, up to the last one that had load.
    counters: Vec<Counters>,
    samples: BTreeMap<u32, LoadSamples>,
    /// When the next samples are due.
    due: SimTime,
    /// What was read when the balancer ran last, of regions with load.
    read_before: BTreeMap<u32, Counters>,
}

impl LoadSampling {
    pub fn new(config: &SimConfig) -> Self {
        let (asks, sampling) = match config.changes.balancer {
            Balancer::Stochastic(_) => (true, true),
            Balancer::Load(_) => (true, false),
            Balancer::None | Balancer::Simple(_) => (false, false),
        };
        let runs = SimTime::ZERO + config.changes.balancer_period < config.duration;
        Self {
            counting: asks && runs,
            sampling: sampling && runs,
            counters: Vec::new(),
            samples: BTreeMap::new(),
            due: SimTime::ZERO + STATUS_PERIOD,
            read_before: BTreeMap::new(),
        }
    }

    /// When the next samples are due; `None` when none are taken.
    pub fn due(&self) -> Option<SimTime> {
        self.sampling.then_some(self.due)
    }

    /// A server has read so many rows of a region.
    #[inline]
    pub fn read(&mut self, region: u32, rows: u32) {
        if self.counting {
            self.counters_of(region).reads += rows;
        }
    }

    /// A server has written a row of a region.
    #[inline]
    pub fn wrote(&mut self, region: u32) {
        if self.counting {
            self.counters_of(region).writes += 1;
        }
    }

    fn counters_of(&mut self, region: u32) -> &mut Counters {
        let at = region as usize;
        if at >= self.counters.len() {
            self.counters.resize(at + 1, Counters::default());
        }
        &mut self.counters[at]
    }

    /// A region was opened: its counters start again.
    pub fn opened(&mut self, region: u32) {
        if let Some(counters) = self.counters.get_mut(region as usize) {
            *counters = Counters::default();
        }
    }

    /// A region is no more.
    pub fn forget(&mut self, region: u32) {
        self.opened(region);
        self.samples.remove(&region);
        self.read_before.remove(&region);
    }

    /// Samples are taken of all open regions; those of regions that are offline now are forgotten, as HBase does
    /// (`StochasticLoadBalancer.updateRegionLoad`). `bytes` are those of a region's store files and of its memstore, `created` tells when it
    /// came to be: a region whose first load this is gets the empty samples that it would have had by now, the one at the start included.
    pub fn sample(
        &mut self,
        regions: &Regions,
        bytes: impl Fn(u32) -> (u64, u64),
        created: impl Fn(u32) -> SimTime,
    ) {
        let now = self.due;
        self.due = self.due + STATUS_PERIOD;
        let is_open = |region: u32| regions.get(region).serving != NONE;
        self.samples.retain(|&region, _| is_open(region));
        for (region, counters) in (0u32..).zip(&self.counters) {
            if *counters != Counters::default() && is_open(region) {
                let files = bytes(region).0;
                self.samples
                    .entry(region)
                    .or_insert_with(|| idle_samples(created(region), now, files));
            }
        }
        for (&region, samples) in &mut self.samples {
            let (files, memstore) = bytes(region);
            let counters = self.counters.get(region as usize).copied();
            let counters = counters.unwrap_or_default();
            samples.push(LoadSample {
                reads: u64::from(counters.reads),
                writes: u64::from(counters.writes),
                memstore_mb: megabytes(memstore),
                store_file_mb: megabytes(files),
            });
        }
    }

    /// The load of a region with so many bytes in store files.
    pub fn load(&self, region: u32, file_bytes: u64) -> RegionLoad {
        let idle = || RegionLoad {
            store_file_mb: f64::from(megabytes(file_bytes)),
            ..RegionLoad::default()
        };
        self.samples
            .get(&region)
            .map_or_else(idle, LoadSamples::load)
    }

    /// Rows read and written in a region since the balancer ran last, as its servers counted them: since its opening, if that was later.
    pub fn rows_since_last_run(&self, region: u32) -> u64 {
        let counters = self
            .counters
            .get(region as usize)
            .copied()
            .unwrap_or_default();
        let before = self.read_before.get(&region).copied().unwrap_or_default();
        let rise = |now: u32, before: u32| u64::from(now.checked_sub(before).unwrap_or(now));
        rise(counters.reads, before.reads) + rise(counters.writes, before.writes)
    }

    /// The balancer has run.
    pub fn read_by_balancer(&mut self) {
        let with_load = (0..)
            .zip(&self.counters)
            .filter(|(_, counters)| **counters != Counters::default());
        self.read_before = with_load
            .map(|(region, counters)| (region, *counters))
            .collect();
    }
}

/// The samples of a region that has been idle since `created`, but for those of this moment.
fn idle_samples(created: SimTime, now: SimTime, file_bytes: u64) -> LoadSamples {
    let mut samples = LoadSamples::default();
    let period = STATUS_PERIOD.as_nanos();
    let times = now.as_nanos().div_ceil(period) - created.as_nanos().div_ceil(period);
    for _ in 0..times.min(REMEMBERED_SAMPLES as u64) {
        samples.push(LoadSample {
            store_file_mb: megabytes(file_bytes),
            ..LoadSample::default()
        });
    }
    samples
}

fn megabytes(bytes: u64) -> u32 {
    u32::try_from(bytes / MB).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampling() -> LoadSampling {
        LoadSampling {
            counting: true,
            sampling: true,
            counters: Vec::new(),
            samples: BTreeMap::new(),
            due: SimTime::ZERO + STATUS_PERIOD,
            read_before: BTreeMap::new(),
        }
    }

    fn open(count: u32) -> Regions {
        let mut regions = Regions::default();
        (0..count).for_each(|_| {
            regions.add_open(0, 0);
        });
        regions
    }

    #[test]
    fn a_load_that_comes_late_counts_against_the_idle_minutes_before() {
        let (mut loads, mut regions) = (sampling(), open(3));
        let sample = |loads: &mut LoadSampling, regions: &Regions| {
            loads.sample(
                regions,
                |region| (u64::from(region) * 5 * MB, 0),
                |_| SimTime::ZERO,
            );
        };
        sample(&mut loads, &regions);
        sample(&mut loads, &regions);
        (0..90).for_each(|_| loads.wrote(1));
        loads.read(2, 12);
        sample(&mut loads, &regions);
        // Samples at 0, 60 and 120 s saw nothing.
        let load = loads.load(1, 5 * MB);
        assert_eq!(
            (load.writes, load.reads, load.store_file_mb),
            (30.0, 0.0, 5.0)
        );
        assert_eq!(loads.load(2, 10 * MB).reads, 4.0);
        assert_eq!(loads.load(0, 7 * MB).store_file_mb, 7.0);
        // Opened again: the counter restarts at 0, so that 6 more are a rise of 6.
        loads.opened(1);
        (0..6).for_each(|_| loads.wrote(1));
        sample(&mut loads, &regions);
        assert_eq!(loads.load(1, 0).writes, 24.0);
        // Offline at a sampling: forgotten.
        regions.close(1);
        sample(&mut loads, &regions);
        assert_eq!(loads.load(1, 0), RegionLoad::default());
        assert!(loads.load(2, 0).reads > 0.0);
    }

    #[test]
    fn a_daughter_has_no_rate_until_its_second_sample() {
        let (mut loads, regions) = (sampling(), open(2));
        let created = |region| SimTime::from_nanos(u64::from(region) * 61_000_000_000);
        loads.sample(&regions, |_| (0, 0), created);
        (0..7).for_each(|_| loads.wrote(1));
        loads.sample(&regions, |_| (0, 0), created);
        assert_eq!(loads.load(1, 0).writes, 0.0);
        loads.wrote(1);
        loads.sample(&regions, |_| (0, 0), created);
        assert_eq!(loads.load(1, 0).writes, 1.0);
    }

    #[test]
    fn rows_since_the_last_run_restart_with_an_opening() {
        let mut loads = sampling();
        (0..5).for_each(|_| loads.wrote(3));
        loads.read(3, 4);
        assert_eq!(loads.rows_since_last_run(3), 9);
        loads.read_by_balancer();
        assert_eq!(loads.rows_since_last_run(3), 0);
        loads.wrote(3);
        assert_eq!(loads.rows_since_last_run(3), 1);
        loads.opened(3);
        loads.wrote(3);
        loads.wrote(3);
        // Writes fell from 6 to 2; reads from 4 to 0.
        assert_eq!(loads.rows_since_last_run(3), 2);
        assert_eq!(loads.rows_since_last_run(99), 0);
    }
}
