//! The balancer: when it runs, what it is shown, and the pace of its moves.

use super::knowledge::{Activity, PendingMove, SYSTEM_REGIONS, SYSTEM_TABLES, ShownRegion};
use crate::engine::clock::ClusterStep;
use crate::engine::simulation::Simulation;
use crate::policy::balance::{BalanceDecision, BalanceFinding, BalancedRegion, Balancer};
use crate::random::Stream;
use crate::time::SimDuration;

/// How often HBase looks whether the next move may start (`HMaster.balanceThrottling`).
const LOOK_AGAIN: SimDuration = SimDuration::from_millis(100);

impl Simulation<'_> {
    /// The first run of the balancer and of the normalizer, and the first load samples, are awaited.
    pub fn start_balancing(&mut self) {
        self.await_balancer();
        self.await_samples();
        self.await_normalizer();
    }

    fn await_balancer(&mut self) {
        let changes = &self.config.changes.policies;
        if changes.balancer != Balancer::None {
            let period = changes.balancer_period.max(SimDuration::from_millis(1));
            self.clock.await_after(period, ClusterStep::BalancerRuns);
        }
    }

    fn await_samples(&mut self) {
        if let Some(due) = self.master.loads.due() {
            self.clock.await_step(due, ClusterStep::LoadsSampled);
        }
    }

    /// Servers report the loads of their regions, unless they have done so just now.
    pub fn loads_are_sampled(&mut self) {
        let due = self.master.loads.due();
        if due.is_none_or(|due| due > self.clock.now) {
            return;
        }
        let mut loads = std::mem::take(&mut self.master.loads);
        loads.sample(
            &self.tables.regions,
            |region| self.activity(region),
            |region| self.master.created[region as usize],
        );
        self.master.loads = loads;
        let servers = &self.servers;
        self.master
            .system
            .sample(self.clock.now, |server| !servers.is_alive(server));
        self.await_samples();
    }

    /// The balancer runs; samples that are due at the same time come first. As in HBase it does not while regions are in transition or wait
    /// with a dead server (`HMaster.balance`); a server that died counts as dead here before the master knows, as its moves would hang.
    pub fn balancer_runs(&mut self) {
        self.loads_are_sampled();
        self.await_balancer();
        let balancing = &mut self.master.balancing;
        balancing.runs += 1;
        balancing.pending.clear();
        let run = balancing.runs;
        let finding = if !self.master.dead.is_empty() {
            "does not run while regions wait with a dead server"
        } else if self.master.has_regions_in_transition(self.clock.now) {
            "does not run while regions are in transition"
        } else {
            return self.balance(run);
        };
        self.recorder
            .balanced(self.clock.now, finding.into(), None, false);
    }

    fn balance(&mut self, run: u64) {
        let config = self.config;
        let live = self.servers.live();
        let (open, seen) = self.balanced_regions(&live);
        let draws = config.generator.draws(Stream::Balancer, 0);
        let servers = live.len() as u32;
        let balancer = &config.changes.policies.balancer;
        let decision = balancer.decide(&seen, servers, &mut draws.at(run));
        let cost = match &decision.finding {
            BalanceFinding::Cost { before, .. } => Some(before.mean()),
            _ => None,
        };
        let finding = told(&decision, &open);
        let (now, starts) = (self.clock.now, decision.reason.starts());
        self.recorder.balanced(now, finding, cost, starts);
        let all = decision.moves.len() as u64;
        let numbered = decision.moves.iter().map(|one| PendingMove {
            region: open[one.region as usize],
            from: live[one.from as usize],
            to: live[one.to as usize],
        });
        let period = config.changes.policies.balancer_period.as_nanos();
        let balancing = &mut self.master.balancing;
        balancing.pending = numbered.collect();
        balancing.interval = SimDuration::from_nanos(period / all.max(1));
        balancing.turn = self.clock.now;
        self.next_move_starts();
    }

    /// What its server knows of a region.
    fn activity(&self, region: u32) -> Activity {
        let (file_bytes, memstore_bytes) = self.stores.bytes(region);
        Activity {
            writes: self.stores.rows_written(region),
            file_bytes,
            memstore_bytes,
        }
    }

    /// The open regions, and what the balancer is shown of each: those of all tables, HBase's own last, on the `live` servers numbered from
    /// 0. O(regions).
    pub fn balanced_regions(&mut self, live: &[u32]) -> (Vec<ShownRegion>, Vec<BalancedRegion>) {
        let mut number = vec![0; self.servers.count() as usize];
        for (at, &server) in (0..).zip(live) {
            number[server as usize] = at;
        }
        let (mut open, mut seen) = (Vec::new(), Vec::new());
        for region in 0..self.tables.regions.len() {
            if !self.tables.regions.is_open(region) {
                continue;
            }
            let state = *self.tables.regions.get(region);
            let activity = self.activity(region);
            let loads = &mut self.master.loads;
            let load = loads.load(region, activity);
            let rows = loads.rows_since_last_run(region, activity);
            loads.balancer_saw(region, activity);
            open.push(ShownRegion::User(region));
            seen.push(BalancedRegion {
                server: number[state.serving as usize],
                table: state.table,
                created: self.master.created[region as usize].as_nanos(),
                load,
                demand: rows as f64,
            });
        }
        let system = &self.master.system;
        let tables = self.config.tables();
        for which in 0..SYSTEM_REGIONS {
            if let Some(server) = system.serving(which, self.clock.now) {
                open.push(ShownRegion::System(which));
                seen.push(system.shown(which, number[server as usize], tables + which as u32));
            }
        }
        (open, seen)
    }

    /// The next move that the balancer wants starts, unless it is not its turn yet and regions are in transition. A region that is no longer
    /// where the balancer saw it stays where it is, but takes its turn (`HMaster.executeRegionPlansWithThrottling`).
    pub fn next_move_starts(&mut self) {
        loop {
            let balancing = &self.master.balancing;
            let Some(&next) = balancing.pending.front() else {
                return;
            };
            if self.clock.now < balancing.turn
                && self.master.has_regions_in_transition(self.clock.now)
            {
                return self.clock.await_after(LOOK_AGAIN, ClusterStep::MoveStarts);
            }
            let balancing = &mut self.master.balancing;
            balancing.pending.pop_front();
            balancing.turn = balancing.turn + balancing.interval;
            let to = match self.servers.is_alive(next.to) {
                true => next.to,
                false => self.idlest_server(),
            };
            if next.from == to {
                continue;
            }
            match next.region {
                ShownRegion::User(region)
                    if self.tables.regions.get(region).serving == next.from =>
                {
                    self.move_region(region, to);
                }
                ShownRegion::System(which)
                    if self.master.system.serving(which, self.clock.now) == Some(next.from) =>
                {
                    let opened = self.clock.now + self.config.cluster.move_offline;
                    self.master.system.move_to(which, to, opened);
                }
                ShownRegion::User(_) | ShownRegion::System(_) => {}
            }
        }
    }
}

/// A decision in words, with the regions of HBase's own tables that it moves.
fn told(decision: &BalanceDecision, open: &[ShownRegion]) -> String {
    let mut words = decision.to_string();
    let mut has_system = false;
    for one in &decision.moves {
        if let ShownRegion::System(which) = open[one.region as usize] {
            words.push_str(", ");
            words.push_str(SYSTEM_TABLES[which]);
            has_system = true;
        }
    }
    if has_system {
        words.push_str(" among them");
    }
    words
}
