//! What the scenario says will happen to the cluster: crashes with all that follows, slow servers, new servers, splits.

use super::knowledge::DeadServer;
use crate::cluster::{ClusterEvent, CrashTarget};
use crate::engine::clock::ClusterStep;
use crate::engine::simulation::Simulation;
use crate::metrics::SeriesEvent;
use crate::random::Stream;
use crate::time::SimDuration;

/// Lane of `Stream::Balancer` for the server that regions of a dead one are dealt from.
const ROUND_ROBIN_LANE: u32 = 1;

impl Simulation<'_> {
    /// All events of the scenario are awaited.
    pub fn await_timeline(&mut self) {
        for (number, event) in (0..).zip(self.config.changes.events.iter()) {
            self.clock
                .await_step(event.at, ClusterStep::ScenarioEvent(number));
        }
    }

    /// The scenario's event of this number happens.
    pub fn scenario_event(&mut self, number: u32) {
        match &self.config.changes.events[number as usize].event {
            &ClusterEvent::Crash(target) => self.crash(target),
            &ClusterEvent::Slow {
                server,
                times,
                length,
            } => self.slow_down(server, times, length),
            &ClusterEvent::AddServers(count) => {
                let first = self.servers.join(count, &self.config.cluster);
                self.stores
                    .servers_start(first..first + count, self.clock.now);
                self.recorder.servers_added(self.clock.now, first, count);
            }
            ClusterEvent::Split(rows) => self.ask_for_splits(rows),
        }
    }

    /// What the scenario wants can't happen.
    pub fn event_is_impossible(&mut self, reason: String) {
        self.happens(SeriesEvent::impossible(reason));
    }

    /// A server gets slow for a while; where one time of slowness meets another, the last one counts, until it ends.
    fn slow_down(&mut self, server: u32, times: f64, length: SimDuration) {
        if !self.servers.is_alive(server) {
            let reason = format!("server {server} can't get slow: it is not alive");
            return self.event_is_impossible(reason);
        }
        let until = self.clock.now + length;
        self.master.slow_until.insert(server, until);
        self.servers.set_slowness(server, times, &mut self.clock);
        self.happens(SeriesEvent::slowed(server, times));
        self.clock
            .await_step(until, ClusterStep::SlownessEnds(server));
    }

    /// A server is as fast as ever again, unless it has got slow anew meanwhile.
    pub fn slowness_ends(&mut self, server: u32) {
        if self.master.slow_until.get(&server) != Some(&self.clock.now)
            || !self.servers.is_alive(server)
        {
            return;
        }
        self.servers.set_slowness(server, 1.0, &mut self.clock);
        self.happens(SeriesEvent::slowed(server, 1.0));
    }

    /// A server dies, unless there is none such or it is the last one. Its regions are offline until the master knows and has their edits
    /// replayed.
    pub fn crash(&mut self, target: CrashTarget) {
        let server = match target {
            CrashTarget::Server(server) => Some(server),
            CrashTarget::Hottest => self.recorder.hottest_server(self.clock.now),
        };
        let reason = match server {
            None => "no server is the hottest: none had demand".to_owned(),
            Some(server) if !self.servers.is_alive(server) => {
                format!("server {server} can't die: it is not alive")
            }
            Some(server) if self.servers.live().len() < 2 => {
                format!("server {server} can't die: it is the last one")
            }
            Some(server) => return self.server_dies(server),
        };
        self.event_is_impossible(reason);
    }

    fn server_dies(&mut self, server: u32) {
        let regions = self.kill_server(server);
        let log_bytes = self.lose_memstores(server, &regions);
        self.master
            .dead
            .insert(server, DeadServer { regions, log_bytes });
        self.happens(SeriesEvent::crashed(server));
        let detection = self.config.cluster.failure_detection;
        self.clock
            .await_after(detection, ClusterStep::CrashDetected(server));
    }

    /// The master learns that a server has died. Its log is split and replayed at the speed of one server's disk (estimate: HBase shares the
    /// log files out, but the regions wait for the last one, and flush what they replay); then its regions open as after a move.
    /// Regions in order of their numbers are dealt round robin to the live servers, from a random one on
    /// (`BaseLoadBalancer.roundRobinAssignment`).
    pub fn crash_is_detected(&mut self, server: u32) {
        let Some(dead) = self.master.dead.remove(&server) else {
            return;
        };
        let (mut regions, log_bytes) = (dead.regions, dead.log_bytes);
        regions.sort_unstable();
        let detected = SeriesEvent::crash_detected(server, regions.len(), log_bytes);
        self.happens(detected);
        let config = self.config;
        let live = self.servers.live();
        let draws = config.generator.draws(Stream::Balancer, ROUND_ROBIN_LANE);
        let first = draws.at(u64::from(server)).below(live.len() as u64) as usize;
        let seconds = log_bytes as f64 / config.cluster.disk_bandwidth.0;
        let pause = SimDuration::from_secs(1).mul_f64(seconds) + config.cluster.move_offline;
        for (at, region) in regions.into_iter().enumerate() {
            let server = live[(first + at) % live.len()];
            self.await_opening(region, pause, server, false);
        }
        self.master
            .system
            .leave(server, &live, self.clock.now + pause, config);
    }
}
