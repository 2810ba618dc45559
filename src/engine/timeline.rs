//! What the scenario says will happen to the cluster. Must not know how it is done.

use super::events::Event;
use super::simulation::Simulation;
use crate::cluster::ClusterEvent;
use crate::metrics::Happening;
use crate::time::SimDuration;

impl Simulation<'_> {
    /// All events of the scenario are awaited.
    pub(super) fn await_timeline(&mut self) {
        for (number, event) in (0..).zip(self.config.changes.events.iter()) {
            self.await_change(event.at, Event::Happens(number));
        }
    }

    /// The scenario's event of this number happens.
    pub(super) fn event_happens(&mut self, number: u32) {
        match &self.config.changes.events[number as usize].event {
            &ClusterEvent::Crash(target) => self.crash(target),
            &ClusterEvent::Slow {
                server,
                times,
                length,
            } => self.slow_down(server, times, length),
            &ClusterEvent::AddServers(count) => {
                let first = self.join_servers(count);
                self.master.counts.joined(count);
                let what = Happening::ServersAdded { first, count };
                self.recorder.happened(self.now, what);
            }
            ClusterEvent::Split(rows) => self.ask_for_splits(rows),
        }
    }

    /// What the scenario wants can't happen.
    pub(super) fn event_is_impossible(&mut self, reason: String) {
        let what = Happening::Impossible { reason };
        self.recorder.happened(self.now, what);
    }

    /// A server gets slow for a while; where one time of slowness meets another, the last one counts, until it ends.
    fn slow_down(&mut self, server: u32, times: f64, length: SimDuration) {
        if !self.is_alive(server) {
            let reason = format!("server {server} can't get slow: it is not alive");
            return self.event_is_impossible(reason);
        }
        let until = self.now + length;
        self.master.slow_until.insert(server, until);
        self.set_slowness(server, times);
        let what = Happening::Slow { server, times };
        self.recorder.happened(self.now, what);
        self.await_change(until, Event::SlownessEnds(server));
    }

    /// A server is as fast as ever again, unless it has got slow anew meanwhile.
    pub(super) fn slowness_ends(&mut self, server: u32) {
        if self.master.slow_until.get(&server) != Some(&self.now) || !self.is_alive(server) {
            return;
        }
        self.set_slowness(server, 1.0);
        let what = Happening::Slow { server, times: 1.0 };
        self.recorder.happened(self.now, what);
    }
}
