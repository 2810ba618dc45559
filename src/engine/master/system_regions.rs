//! The regions of HBase's own tables, `hbase:meta` and `hbase:namespace`, as the master and its balancer know them.
//! measures them, and look-ups in META take constant time wherever it lies.
//!
//! They move without events: a place says from when on it holds.

use crate::engine::config::SimConfig;
use crate::policy::balance::{BalancedRegion, LoadSample, LoadSamples, RegionLoad};
use crate::random::{Draws, Stream};
use crate::time::SimTime;
use crate::units::PerSecond;

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

/// Both of them, and what the balancer remembers of the reads of `hbase:meta`. `hbase:namespace` has no load.
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
