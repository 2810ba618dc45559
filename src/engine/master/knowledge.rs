//! What the master knows besides where the open regions are: regions in transition, dead servers, ages, plans; what the balancer remembers of the
//! loads of regions; and the regions of HBase's own tables.

use crate::engine::config::{SimConfig, split_sizes};
use crate::engine::numbers::NONE;
use crate::engine::table::tables::Regions;
use crate::keyspace::RowKey;
use crate::policy::balance::{
    BalancedRegion, Balancer, LoadSample, LoadSamples, REMEMBERED_SAMPLES, RegionLoad,
};
use crate::policy::{NoSplitRow, SplitSizes};
use crate::random::{DrawKey, Draws, Stream};
use crate::time::{SimDuration, SimTime};
use crate::units::PerSecond;
use std::collections::{BTreeMap, VecDeque};
use std::mem::Discriminant;

/// The memory of whoever changes the cluster.
#[derive(Debug)]
pub struct Master {
    /// Regions in transition: offline, with the opening that awaits each.
    pub opening: BTreeMap<u32, Opening>,
    /// Servers of whose death it doesn't know yet.
    pub dead: BTreeMap<u32, DeadServer>,
    /// Until when servers are slow.
    pub slow_until: BTreeMap<u32, SimTime>,
    pub splitting: Splitting,
    pub balancing: Balancing,
    pub loads: LoadSampling,
    /// Those of HBase's own tables.
    pub system: SystemRegions,
    /// When each region came to be, by number; those of the start, at time 0.
    pub created: Vec<SimTime>,
}

/// How a region in transition goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Where it opens, if that server still lives then.
    pub server: u32,
    /// Its opening ends a split on that server: the next one may start there.
    pub ends_split: bool,
}

/// A server that died unnoticed.
#[derive(Debug, Default)]
pub struct DeadServer {
    /// Its regions, and those that should have opened on it.
    pub regions: Vec<u32>,
    /// Bytes of its log that are in no store file.
    pub log_bytes: u64,
}

/// Splits under way and to come.
#[derive(Debug)]
pub struct Splitting {
    pub sizes: SplitSizes,
    pub jitter: DrawKey,
    /// The jitter of regions that had it when they opened before the start, by opening, where it is not the first that is drawn.
    pub had_jitter: BTreeMap<u64, f64>,
    /// Of each server where a region is being split: the regions that wait. A server splits one at a time
    /// (HBase default, `hbase.regionserver.thread.split`).
    pub queues: BTreeMap<u32, VecDeque<u32>>,
    /// Where an operator wants splits that are still to come.
    pub asked: Vec<RowKey>,
    /// Regions without split row that were reported, with the kind of reason; `None`: the policy.
    pub reported: BTreeMap<u32, Vec<Option<Discriminant<NoSplitRow>>>>,
}

/// A region that the balancer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownRegion {
    /// One of the table, its copies or its neighbours, by number.
    User(u32),
    /// One of HBase's own tables, by its place in [`SYSTEM_TABLES`].
    System(usize),
}

/// A move of the last run that is still to start, between servers by their numbers.
#[derive(Debug, Clone, Copy)]
pub struct PendingMove {
    pub region: ShownRegion,
    pub from: u32,
    pub to: u32,
}

/// What the balancer remembers.
#[derive(Debug, Default)]
pub struct Balancing {
    pub runs: u64,
    /// In the order in which they will start.
    pub pending: VecDeque<PendingMove>,
    /// When the next one starts at the latest.
    pub turn: SimTime,
    /// From turn to turn.
    pub interval: SimDuration,
}

impl Master {
    /// Knows the regions of the start.
    pub fn new(config: &SimConfig, regions: &Regions) -> Self {
        Self {
            opening: BTreeMap::new(),
            dead: BTreeMap::new(),
            slow_until: BTreeMap::new(),
            splitting: Splitting {
                sizes: split_sizes(&config.table),
                jitter: config.generator.draws(Stream::SplitJitter, 0),
                had_jitter: BTreeMap::new(),
                queues: BTreeMap::new(),
                asked: Vec::new(),
                reported: BTreeMap::new(),
            },
            balancing: Balancing::default(),
            loads: LoadSampling::new(config),
            system: SystemRegions::new(config),
            created: vec![SimTime::ZERO; regions.len() as usize],
        }
    }

    /// Whether some region is neither open nor gone, so that HBase's balancer doesn't run (`HMaster.balance`).
    pub fn has_regions_in_transition(&self, now: SimTime) -> bool {
        !self.opening.is_empty() || self.system.in_transition(now)
    }
}

/// Bytes of a megabyte, as sizes are reported to the master.
pub const MB: u64 = 1 << 20;

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
                let (created, period) = (created(region), self.period);
                let samples = self.samples.entry(region);
                samples.or_insert_with(|| idle_samples(created, now, period, seen.file_bytes));
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

/// Lane of `Stream::Balancer` for the servers that they lie on at the start, and those that a crash sends them to.
const LANE: u32 = 2;

/// How many there are.
pub const SYSTEM_REGIONS: usize = 2;

/// Which one `hbase:meta` has; the other one is that of `hbase:namespace`.
const META: usize = 0;

/// Their tables.
pub const SYSTEM_TABLES: [&str; SYSTEM_REGIONS] = ["hbase:meta", "hbase:namespace"];

/// Where one of them is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The server that it is on, was on when that died, or opens on.
    server: u32,
    /// When it was opened there, or will be; its counter of reads starts at 0 then.
    opened: SimTime,
}

/// The regions of HBase's own tables, `hbase:meta` and `hbase:namespace`, and what the balancer remembers of the reads of the first; the other has no
/// load. No operation of the workload is routed to them, none of the run's measures counts them, and look-ups in META take constant time wherever
/// it lies.
///
/// They move without events: a place says from when on it holds.
#[derive(Debug)]
pub struct SystemRegions {
    places: [Place; SYSTEM_REGIONS],
    /// Reads of `hbase:meta` a second.
    meta_reads: PerSecond,
    meta_samples: LoadSamples,
}

impl SystemRegions {
    /// Each lies on a random server, of several not on the same one: a balancer that ran before the table was created has parted them, as a
    /// server had two regions and another none.
    pub fn new(config: &SimConfig) -> Self {
        let servers = u64::from(config.cluster.servers.max(1));
        let mut draws = draws(config, 0);
        let meta = draws.below(servers);
        let namespace = match servers {
            1 => 0,
            _ => (meta + 1 + draws.below(servers - 1)) % servers,
        };
        let mut meta_samples = LoadSamples::default();
        meta_samples.push(LoadSample::default());
        Self {
            places: [meta, namespace].map(|server| Place {
                server: server as u32,
                opened: SimTime::ZERO,
            }),
            meta_reads: config.changes.policies.meta_reads,
            meta_samples,
        }
    }

    /// The server of one of them; `None` while it is in transition.
    pub fn serving(&self, which: usize, now: SimTime) -> Option<u32> {
        let place = self.places[which];
        (place.opened <= now).then_some(place.server)
    }

    /// Whether one of them is in transition.
    pub fn in_transition(&self, now: SimTime) -> bool {
        self.places.iter().any(|place| place.opened > now)
    }

    /// One of them closes, and opens on `server` at `opened`.
    pub fn move_to(&mut self, which: usize, server: u32, opened: SimTime) {
        self.places[which] = Place { server, opened };
    }

    /// The master learns that a server has died: those that lay on it open at `opened` on `live` servers.
    pub fn leave(&mut self, dead: u32, live: &[u32], opened: SimTime, config: &SimConfig) {
        let mut draws = draws(config, 1 + u64::from(dead));
        for place in &mut self.places {
            let server = live[draws.below(live.len() as u64) as usize];
            if place.server == dead {
                *place = Place { server, opened };
            }
        }
    }

    /// The balancer's sample of `hbase:meta`; a region that is offline then is forgotten (`StochasticLoadBalancer.updateRegionLoad`).
    pub fn sample(&mut self, now: SimTime, is_dead: impl Fn(u32) -> bool) {
        let place = self.places[META];
        if place.opened > now || is_dead(place.server) {
            self.meta_samples = LoadSamples::default();
            return;
        }
        let open = now.since(place.opened);
        self.meta_samples.push(LoadSample {
            reads: (self.meta_reads.0 * open.as_secs_f64()) as u64,
            ..LoadSample::default()
        });
    }

    /// One of them as the balancer is shown it, of table number `table`. No operation of the workload is routed to it: it has no demand.
    pub fn shown(&self, which: usize, server: u32, table: u32) -> BalancedRegion {
        let load = match which {
            META => self.meta_samples.load(),
            _ => RegionLoad::default(),
        };
        BalancedRegion {
            server,
            table,
            created: 0,
            load,
            demand: 0.0,
        }
    }
}

fn draws(config: &SimConfig, number: u64) -> Draws {
    config.generator.draws(Stream::Balancer, LANE).at(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::client::read_tests::config;
    use crate::engine::master::living_tests::millis;
    use crate::random::Seed;
    use crate::record::RecordGenerator;
    use std::sync::Arc;

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

    fn at_start(servers: u32, seed: u64) -> SystemRegions {
        let mut run = config();
        let schema = run.generator.schema();
        run.generator = Arc::new(RecordGenerator::new(schema, Seed(seed), 0));
        run.cluster.servers = servers;
        SystemRegions::new(&run)
    }

    fn servers(system: &SystemRegions, now: u64) -> [Option<u32>; SYSTEM_REGIONS] {
        [0, 1].map(|which| system.serving(which, millis(now)))
    }

    #[test]
    fn they_begin_on_two_random_servers_where_there_are_two() {
        let mut seen = [[0; 3]; 3];
        for seed in 0..600 {
            let [Some(meta), Some(namespace)] = servers(&at_start(3, seed), 0) else {
                panic!("both are open");
            };
            seen[meta as usize][namespace as usize] += 1;
        }
        for (meta, row) in seen.iter().enumerate() {
            for (namespace, &times) in row.iter().enumerate() {
                // Six pairs, 100 times each: four standard deviations are 4 sqrt(600 x 1/6 x 5/6) = 37.
                let expected = if meta == namespace { 0..=0 } else { 63..=137 };
                assert!(expected.contains(&times), "{seen:?}");
            }
        }
        assert_eq!(servers(&at_start(1, 0), 0), [Some(0); 2]);
    }

    #[test]
    fn a_moved_one_is_in_transition_until_it_opens_and_counts_from_there() {
        let mut system = at_start(3, 5);
        let first = system.places;
        let reads = |system: &SystemRegions| system.shown(META, 0, 1).load.reads;
        system.sample(millis(60_000), |_| false);
        assert_eq!(reads(&system), 60.0);
        system.move_to(META, 7, millis(70_000));
        assert!(system.in_transition(millis(69_999)) && !system.in_transition(millis(70_000)));
        assert_eq!(servers(&system, 69_999), [None, Some(first[1].server)]);
        assert_eq!(system.serving(META, millis(70_000)), Some(7));
        // The counter fell from 60 to 50: those count as 50 more.
        system.sample(millis(120_000), |_| false);
        assert_eq!(reads(&system), 55.0);
        system.sample(millis(180_000), |server| server == 7);
        assert_eq!(reads(&system), 0.0);
        assert_eq!(system.shown(1, 0, 2).load, RegionLoad::default());
    }

    #[test]
    fn those_of_a_dead_server_open_on_live_ones() {
        let run = config();
        let mut system = at_start(3, 5);
        let [Some(meta), Some(namespace)] = servers(&system, 0) else {
            panic!("both are open");
        };
        let live: Vec<u32> = (0..3).filter(|&server| server != meta).collect();
        system.leave(meta, &live, millis(500), &run);
        assert_eq!(servers(&system, 0), [None, Some(namespace)]);
        assert!(live.contains(&system.serving(META, millis(500)).unwrap()));
    }
}
