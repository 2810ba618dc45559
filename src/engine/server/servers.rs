//! The region servers of a run: handlers and call queues, write-ahead logs, row locks, and how fast each is.

use crate::cluster::{
    Admission, ClusterSpec, Edits, GroupCommit, Handlers, LogPace, RowLocks, ServiceTimes,
};
use crate::engine::clock::{Clock, Event};
use crate::engine::config::SimConfig;
use crate::engine::rpc::{AttemptDraws, Rpc};
use crate::engine::table::rows::RoutedRow;
use crate::prefetch::prefetch;
use crate::random::Stream;
use crate::time::SimDuration;

/// One region server: what every call needs of it, in two cache lines.
#[derive(Debug)]
#[repr(align(64))]
struct Server {
    handlers: Handlers,
    wal: Option<GroupCommit>,
}

impl Server {
    /// A server without calls.
    fn new(cluster: &ClusterSpec) -> Self {
        Self {
            handlers: Handlers::new(cluster),
            wal: cluster.wal.as_ref().map(|_| GroupCommit::default()),
        }
    }
}

/// All servers that have joined.
#[derive(Debug)]
pub struct Servers {
    servers: Vec<Server>,
    /// Of each server, those that join later included: rows that increments hold.
    locks: Vec<RowLocks>,
    /// Of each server, likewise: how long its log has written bytes since the warm-up.
    logs_busy: Vec<SimDuration>,
    /// Servers that died.
    dead: Vec<u32>,
    /// Of each server: its services and syncs take so many times as long; empty while no server was ever slow.
    slowness: Vec<f64>,
    /// Of the log of a server that is not slow; `None` without logs.
    log_pace: Option<LogPace>,
    /// How long handlers work.
    pub times: ServiceTimes,
    /// What these times are drawn with.
    pub service_draws: AttemptDraws,
    /// What call queues are drawn with.
    pub queue_draws: AttemptDraws,
}

impl Servers {
    /// The servers of the start, without calls.
    pub fn new(config: &SimConfig) -> Self {
        let cluster = &config.cluster;
        let draws = |purpose| AttemptDraws::new(&config.generator, purpose);
        let servers = 0..cluster.servers.max(1);
        Self {
            servers: servers.map(|_| Server::new(cluster)).collect(),
            locks: vec![RowLocks::default(); config.servers_in_all() as usize],
            logs_busy: vec![SimDuration::ZERO; config.servers_in_all() as usize],
            dead: Vec::new(),
            slowness: Vec::new(),
            log_pace: cluster
                .wal
                .as_ref()
                .map(|wal| LogPace::new(wal, config.warmup)),
            times: ServiceTimes::new(&config.table.service(cluster)),
            service_draws: draws(Stream::Service),
            queue_draws: draws(Stream::CallQueue),
        }
    }

    /// How many have joined, the dead ones included.
    pub fn count(&self) -> u32 {
        self.servers.len() as u32
    }

    /// Whether a server lives: it has joined, and has not died.
    pub fn is_alive(&self, server: u32) -> bool {
        server < self.count() && !self.dead.contains(&server)
    }

    /// The live servers by number. There is one at least: the last one never dies.
    pub fn live(&self) -> Vec<u32> {
        (0..self.count())
            .filter(|&server| self.is_alive(server))
            .collect()
    }

    /// Asks for what each call needs of a server.
    pub fn prefetch(&self, server: u32) {
        let Server { handlers, wal } = &self.servers[server as usize];
        prefetch(handlers);
        prefetch(wal);
    }

    /// Asks for what the next call will need of a server that has been asked for ([`Servers::prefetch`]).
    pub fn prefetch_calls(&self, server: u32) {
        let Server { handlers, wal } = &self.servers[server as usize];
        handlers.prefetch();
        wal.iter().for_each(GroupCommit::prefetch);
    }

    /// The RPC that the log of a server holds up and lets go first.
    pub fn next_logged(&self, server: u32) -> Option<u32> {
        self.servers[server as usize].wal.as_ref()?.next_call()
    }

    /// An RPC reaches a server; `draw` names a call queue, given their number.
    #[inline(always)]
    pub fn arrive(&mut self, server: u32, id: u32, draw: impl FnOnce(u64) -> u64) -> Admission {
        self.servers[server as usize].handlers.arrive(id, draw)
    }

    /// A handler gets free; the RPC that it takes from its queue.
    #[inline(always)]
    pub fn free(&mut self, server: u32, handler: u32) -> Option<u32> {
        self.servers[server as usize].handlers.free(handler)
    }

    /// An increment wants its row: false when it waits for it.
    pub fn acquire(&mut self, server: u32, row: u64, id: u32) -> bool {
        self.locks[server as usize].acquire(row, id)
    }

    /// A row is free again; the RPC that has waited for it longest.
    pub fn release(&mut self, server: u32, row: u64) -> Option<u32> {
        self.locks[server as usize].release(row)
    }

    /// An RPC of a row that goes there; it is written `alone`, or together with others.
    #[inline(always)]
    pub fn placed(&self, rpc: Rpc, row: &RoutedRow, exclusive: bool, alone: bool) -> Rpc {
        let detail = match exclusive || !alone {
            true => row.row,
            false => {
                let draws = self.service_draws.at(rpc.operation, 0);
                self.times.write(1, draws).as_nanos()
            }
        };
        Rpc {
            detail,
            region: row.region,
            key_length: row.key_length,
            exclusive,
            ..rpc
        }
    }

    /// A handler works for `time`, on a server as fast as ever, on an RPC. Bytes that it `appends` go to the write-ahead log then.
    #[inline(always)]
    pub fn serve(
        &mut self,
        server: u32,
        id: u32,
        time: SimDuration,
        appends: Option<u32>,
        clock: &mut Clock,
    ) {
        let time = match self.slowness.get(server as usize) {
            None => time,
            Some(&times) => time.mul_f64(times),
        };
        let Some(served) = clock.moment(clock.now + time) else {
            return;
        };
        let pace = self.log_pace(server);
        let wal = self.servers[server as usize].wal.as_mut();
        let (Some(wal), Some(pace), Some(bytes)) = (wal, pace, appends) else {
            return clock.schedule_at(served, Event::Served(id));
        };
        let edits = Edits {
            served,
            bytes,
            call: id,
        };
        if let Some(at) = wal.announce(edits, &pace) {
            clock.schedule(at, Event::Synced(server));
        }
    }

    /// A sync of a server may be acknowledged: the RPCs that it covers are added to `released`.
    pub fn sync(&mut self, server: u32, released: &mut Vec<u32>, clock: &mut Clock) {
        let (pace, busy) = (self.log_pace(server), &mut self.logs_busy[server as usize]);
        if let (Some(wal), Some(pace)) = (&mut self.servers[server as usize].wal, pace)
            && let Some(at) = wal.acknowledge(clock.now, &pace, released, busy)
        {
            clock.schedule(at, Event::Synced(server));
        }
    }

    /// How long the log of the busiest server has written bytes since the warm-up; `None` without logs.
    pub fn busiest_log(&self) -> Option<SimDuration> {
        let busiest = self.logs_busy.iter().max().copied();
        busiest.filter(|_| self.have_logs())
    }

    /// Servers have write-ahead logs.
    pub fn have_logs(&self) -> bool {
        self.log_pace.is_some()
    }

    /// How fast the log of a server is; `None` without logs.
    fn log_pace(&self, server: u32) -> Option<LogPace> {
        match self.slowness.get(server as usize) {
            None => self.log_pace,
            Some(&times) => self.log_pace.map(|pace| pace.slowed(times)),
        }
    }

    /// A server dies, and takes no call any more. Returns those that wait in its queues.
    pub fn kill(&mut self, server: u32) -> Vec<u32> {
        self.dead.push(server);
        self.locks[server as usize] = RowLocks::default();
        let dying = &mut self.servers[server as usize];
        dying.wal = None;
        dying.handlers.shut()
    }

    /// Servers join, without calls. Returns the number of the first.
    pub fn join(&mut self, count: u32, cluster: &ClusterSpec) -> u32 {
        let first = self.count();
        let joining = (0..count).map(|_| Server::new(cluster));
        self.servers.extend(joining);
        first
    }

    /// Services and syncs of a server that start from now on take so many times as long.
    pub fn set_slowness(&mut self, server: u32, times: f64, clock: &mut Clock) {
        let old = self.log_pace(server);
        self.slowness.resize(self.locks.len(), 1.0);
        self.slowness[server as usize] = times;
        let (new, busy) = (self.log_pace(server), &mut self.logs_busy[server as usize]);
        if let (Some(wal), Some(old), Some(new)) =
            (&mut self.servers[server as usize].wal, old, new)
            && let Some(at) = wal.change_pace(clock.now, (&old, &new), busy)
        {
            clock.schedule(at, Event::Synced(server));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_takes_two_cache_lines() {
        assert_eq!(size_of::<Server>(), 128);
    }
}
