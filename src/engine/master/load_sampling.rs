//! What the balancer remembers of the loads of regions.

use crate::engine::config::SimConfig;
use crate::engine::numbers::NONE;
use crate::engine::table::tables::Regions;
use crate::policy::balance::{Balancer, LoadSample, LoadSamples, REMEMBERED_SAMPLES, RegionLoad};
use crate::time::{SimDuration, SimTime};
use std::collections::BTreeMap;

/// Bytes of a megabyte, as sizes are reported to the master.
const MB: u64 = 1 << 20;

/// What its server knows of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    /// Rows written since it was opened.
    pub writes: u64,
    /// Bytes of its store files.
    pub file_bytes: u64,
    /// Heap of its memstore.
    pub memstore_bytes: u64,
}

/// What a balancer asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Samples of the last minutes: the stochastic one.
    Samples,
    /// Rows since it ran last: the one by load.
    Rows,
}

/// Counters of reads, and samples of the regions that ever had load. They are kept only for a balancer that asks for them and runs within the
/// run: else nothing is counted.
#[derive(Debug, Default)]
pub struct LoadSampling {
    asked: Option<Asked>,
    /// Rows read since its opening, by region, up to the last one that was read.
    reads: Vec<u32>,
    samples: BTreeMap<u32, LoadSamples>,
    /// From samples to samples.
    period: SimDuration,
    /// When the next samples are due.
    due: SimTime,
    /// Rows read and written of each region since its opening, when the balancer ran last.
    before: BTreeMap<u32, (u64, u64)>,
}

impl LoadSampling {
    pub fn new(config: &SimConfig) -> Self {
        let asked = match config.changes.policies.balancer {
            Balancer::Stochastic(_) => Some(Asked::Samples),
            Balancer::Load(_) => Some(Asked::Rows),
            Balancer::None | Balancer::Simple(_) => None,
        };
        let policies = &config.changes.policies;
        let runs = SimTime::ZERO + policies.balancer_period < config.duration;
        let period = policies.balancer_samples;
        Self {
            asked: asked.filter(|_| runs),
            period,
            due: SimTime::ZERO + period,
            ..Self::default()
        }
    }

    /// When the next samples are due; `None` when none are taken.
    pub fn due(&self) -> Option<SimTime> {
        (self.asked == Some(Asked::Samples)).then_some(self.due)
    }

    /// A server has read so many rows of a region.
    #[inline]
    pub fn read(&mut self, region: u32, rows: u32) {
        if self.asked.is_none() {
            return;
        }
        let at = region as usize;
        if at >= self.reads.len() {
            self.reads.resize(at + 1, 0);
        }
        self.reads[at] = self.reads[at].saturating_add(rows);
    }

    /// A region was opened: its counters start again.
    pub fn opened(&mut self, region: u32) {
        if let Some(reads) = self.reads.get_mut(region as usize) {
            *reads = 0;
        }
        self.before.remove(&region);
    }

    /// A region is no more.
    pub fn forget(&mut self, region: u32) {
        self.opened(region);
        self.samples.remove(&region);
    }

    /// Rows read in a region since its opening.
    pub fn reads(&self, region: u32) -> u64 {
        u64::from(self.reads.get(region as usize).copied().unwrap_or(0))
    }

    /// Samples are taken of all open regions; those of regions that are offline now are forgotten, as HBase does
    /// (`StochasticLoadBalancer.updateRegionLoad`). A region whose first load this is (`created` tells when it came to be) gets the empty samples
    /// that it would have had by now, the one at the start of the run included: regions that never have load cost no more than a look.
    pub fn sample(
        &mut self,
        regions: &Regions,
        activity: impl Fn(u32) -> Activity,
        created: impl Fn(u32) -> SimTime,
    ) {
        let now = self.due;
        self.due = self.due + self.period;
        let is_open = |region: u32| regions.get(region).serving != NONE;
        self.samples.retain(|&region, _| is_open(region));
        for region in (0..regions.len()).filter(|&region| is_open(region)) {
            let seen = activity(region);
            let reads = self.reads(region);
            if seen.writes + reads > 0 {
                let samples = self.samples.entry(region);
                samples.or_insert_with(|| {
                    idle_samples(created(region), now, self.period, seen.file_bytes)
                });
            } else if !self.samples.contains_key(&region) {
                continue;
            }
            if let Some(samples) = self.samples.get_mut(&region) {
                samples.push(LoadSample {
                    reads,
                    writes: seen.writes,
                    memstore_mb: megabytes(seen.memstore_bytes),
                    store_file_mb: megabytes(seen.file_bytes),
                });
            }
        }
    }

    /// The load of a region, of which `seen` is known now.
    pub fn load(&self, region: u32, seen: Activity) -> RegionLoad {
        let idle = || RegionLoad {
            store_file_mb: f64::from(megabytes(seen.file_bytes)),
            ..RegionLoad::default()
        };
        self.samples
            .get(&region)
            .map_or_else(idle, LoadSamples::load)
    }

    /// Rows read and written in a region since the balancer ran last, as its servers counted them: since its opening, if that was later.
    pub fn rows_since_last_run(&self, region: u32, seen: Activity) -> u64 {
        let (reads, writes) = self.before.get(&region).copied().unwrap_or_default();
        self.reads(region).saturating_sub(reads) + seen.writes.saturating_sub(writes)
    }

    /// The balancer has run, and saw this of a region.
    pub fn balancer_saw(&mut self, region: u32, seen: Activity) {
        let rows = (self.reads(region), seen.writes);
        if rows == (0, 0) {
            self.before.remove(&region);
        } else if self.asked == Some(Asked::Rows) {
            self.before.insert(region, rows);
        }
    }
}

/// The samples of a region that has been idle since `created`, but for those of this moment.
fn idle_samples(
    created: SimTime,
    now: SimTime,
    period: SimDuration,
    file_bytes: u64,
) -> LoadSamples {
    let mut samples = LoadSamples::default();
    let period = period.as_nanos();
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

    fn asked_for(asked: Asked) -> LoadSampling {
        LoadSampling {
            asked: Some(asked),
            period: SimDuration::from_secs(60),
            due: SimTime::ZERO + SimDuration::from_secs(60),
            ..LoadSampling::default()
        }
    }

    fn open(count: u32) -> Regions {
        let mut regions = Regions::default();
        (0..count).for_each(|_| {
            regions.add_open(0, 0);
        });
        regions
    }

    /// Rows written in region 1, and files of 5 MB times the number of the region.
    fn writes(writes: u64) -> impl Fn(u32) -> Activity {
        move |region| Activity {
            writes: if region == 1 { writes } else { 0 },
            file_bytes: u64::from(region) * 5 * MB,
            memstore_bytes: 0,
        }
    }

    #[test]
    fn a_load_that_comes_late_counts_against_the_idle_minutes_before() {
        let (mut loads, mut regions) = (asked_for(Asked::Samples), open(4));
        let start = |_| SimTime::ZERO;
        loads.sample(&regions, writes(0), start);
        loads.sample(&regions, writes(0), start);
        assert!(loads.samples.is_empty());
        loads.read(2, 12);
        loads.sample(&regions, writes(90), start);
        // Samples at 0, 60 and 120 s saw nothing.
        let load = |loads: &LoadSampling, region| loads.load(region, writes(0)(region));
        let found = load(&loads, 1);
        assert_eq!(
            (found.writes, found.reads, found.store_file_mb),
            (30.0, 0.0, 5.0)
        );
        assert_eq!(load(&loads, 2).reads, 4.0);
        assert_eq!(load(&loads, 3).store_file_mb, 15.0);
        // Opened again: the counter restarts at 0, so that 6 more are a rise of 6.
        loads.sample(&regions, writes(6), start);
        assert_eq!(load(&loads, 1).writes, 24.0);
        // Offline when samples are taken: forgotten.
        regions.close(1);
        loads.sample(&regions, writes(60), start);
        assert_eq!(load(&loads, 1).writes, 0.0);
        assert!(load(&loads, 2).reads > 0.0);
    }

    #[test]
    fn a_daughter_has_no_rate_until_its_second_sample() {
        let (mut loads, regions) = (asked_for(Asked::Samples), open(2));
        let created = |region| SimTime::from_nanos(u64::from(region) * 61_000_000_000);
        loads.sample(&regions, writes(0), created);
        loads.sample(&regions, writes(7), created);
        assert_eq!(loads.load(1, writes(7)(1)).writes, 0.0);
        loads.sample(&regions, writes(8), created);
        assert_eq!(loads.load(1, writes(8)(1)).writes, 1.0);
    }

    #[test]
    fn rows_since_the_last_run_restart_with_an_opening() {
        let mut loads = asked_for(Asked::Rows);
        let seen = |rows: u64| writes(rows)(1);
        loads.read(1, 4);
        assert_eq!(loads.rows_since_last_run(1, seen(5)), 9);
        loads.balancer_saw(1, seen(5));
        assert_eq!(loads.rows_since_last_run(1, seen(5)), 0);
        loads.read(1, 3);
        assert_eq!(loads.rows_since_last_run(1, seen(6)), 4);
        loads.opened(1);
        // As many rows after the opening as before it are not none.
        loads.read(1, 4);
        assert_eq!(loads.rows_since_last_run(1, seen(5)), 9);
        let mut idle = LoadSampling::default();
        idle.read(7, 1);
        assert!(idle.reads.is_empty());
    }
}
