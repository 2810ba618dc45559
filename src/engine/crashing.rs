//! A server dies: detection, replay of its log, its regions open elsewhere. Must not know what its calls were.

use super::events::Event;
use super::master::{DeadServer, Opening};
use super::simulation::Simulation;
use crate::cluster::CrashTarget;
use crate::metrics::Happening;
use crate::random::{DrawKey, Stream};
use crate::time::SimDuration;

/// Lane of `Stream::Balancer` for the server that regions of a dead one are dealt from.
const ROUND_ROBIN_LANE: u32 = 1;

impl Simulation<'_> {
    /// A server dies, unless there is none such or it is the last one. Its regions are offline until the master knows and has their edits
    /// replayed.
    pub(super) fn crash(&mut self, target: CrashTarget) {
        let server = match target {
            CrashTarget::Server(server) => Some(server),
            CrashTarget::Hottest => self.recorder.hottest_server(self.now),
        };
        let impossible = match server {
            None => Some("no server is the hottest: none had demand".to_owned()),
            Some(server) if !self.is_alive(server) => {
                Some(format!("server {server} can't die: it is not alive"))
            }
            Some(server) if self.live_servers().len() < 2 => {
                Some(format!("server {server} can't die: it is the last one"))
            }
            Some(_) => None,
        };
        match (server, impossible) {
            (Some(server), None) => self.server_dies(server),
            (_, reason) => self.event_is_impossible(reason.unwrap_or_default()),
        }
    }

    fn server_dies(&mut self, server: u32) {
        let regions = self.kill_server(server);
        for &region in &regions {
            let table = self.regions.get(region).table;
            self.master.counts.closed(server, table);
        }
        let log_bytes = self.lose_memstores(server, &regions);
        self.master
            .dead
            .insert(server, DeadServer { regions, log_bytes });
        self.recorder
            .happened(self.now, Happening::Crash { server });
        let noticed = self.now + self.config.cluster.failure_detection;
        self.await_change(noticed, Event::CrashDetected(server));
    }

    /// The master learns that a server has died. Its log is split and replayed at the speed of one server's disk (estimate: HBase shares the
    /// log files out, but the regions wait for the last one, and flush what they replay); then its regions open as after a move.
    /// Regions in order of their numbers are dealt round robin to the live servers, from a random one on
    /// (`BaseLoadBalancer.roundRobinAssignment`).
    pub(super) fn crash_is_detected(&mut self, server: u32) {
        let Some(dead) = self.master.dead.remove(&server) else {
            return;
        };
        let DeadServer {
            mut regions,
            log_bytes,
        } = dead;
        regions.sort_unstable();
        let what = Happening::CrashDetected {
            server,
            regions: regions.len() as u32,
            replayed_bytes: log_bytes,
        };
        self.recorder.happened(self.now, what);
        let config = self.config;
        let live = self.live_servers();
        let draws = DrawKey::new(
            config.seed,
            config.replicate,
            Stream::Balancer,
            ROUND_ROBIN_LANE,
        );
        let first = draws.at(u64::from(server)).below(live.len() as u64) as usize;
        let seconds = log_bytes as f64 / config.cluster.disk_bandwidth.0;
        let pause = SimDuration::from_secs(1).mul_f64(seconds) + config.cluster.move_offline;
        for (at, region) in regions.into_iter().enumerate() {
            let opening = Opening {
                server: live[(first + at) % live.len()],
                ends_split: false,
            };
            self.await_opening(region, pause, opening);
        }
        self.master
            .system
            .leave(server, &live, self.now + pause, config);
    }
}
