//! How much a workload writes, without drawing anything. Must not know how it is served.

use super::combinations::Combinations;
use super::{LoadModel, Think, Workload, Write, WriteId};
use crate::record::Schema;
use crate::time::SimDuration;
use crate::units::PerSecond;

impl Workload {
    /// Rows that the table holds before the run.
    pub fn existing_rows(&self, schema: &Schema) -> u64 {
        let rows = self.existing.iter().map(|of| of.rows.len(schema));
        rows.fold(0, u64::saturating_add)
    }

    /// Existing rows that a write continues: what its sequence fields have counted.
    pub fn existing_rows_of(&self, write: WriteId, schema: &Schema) -> u64 {
        let continued = self.existing.iter().filter(|of| of.write == Some(write));
        let rows = continued.map(|of| of.rows.len(schema));
        rows.fold(0, u64::saturating_add)
    }

    /// When the last row is due where all writes are imports at a given rate; else the end of the run.
    pub fn imported_by(&self, schema: &Schema) -> SimDuration {
        let due = |write: &Write| {
            let rows = write.load.import()?.rows.len(schema) as f64;
            Some(write.load.rate_profile(self.duration)?.instant_of(rows))
        };
        let dues: Option<Vec<f64>> = self.writes.iter().map(due).collect();
        let last = dues.and_then(|dues| dues.into_iter().reduce(f64::max));
        last.map_or(self.duration, |last| SimDuration::from_nanos(last as u64))
    }

    /// Mean intended rate over the run; `None` when a closed loop is among the writes.
    pub fn offered_per_sec(&self, schema: &Schema) -> Option<f64> {
        let writes = self.writes.iter();
        let operations: Option<f64> = writes.map(|of| self.intended_operations(of, schema)).sum();
        Some(operations? / self.duration.as_secs_f64())
    }

    /// Of each read, how many a second readers start whatever they wait for, mean over the run; `None` for closed loops, and where nobody reads.
    pub fn reads_per_sec(&self) -> Vec<Option<f64>> {
        let loads = self.reads.iter().map(|read| read.load.as_ref());
        let rates = loads.map(|load| load?.rate_in(0, 1, self.duration));
        rates.collect()
    }

    /// Operations that an open-loop write intends (their mean, for Poisson arrivals); `None` for closed loops.
    pub(super) fn intended_operations(&self, write: &Write, schema: &Schema) -> Option<f64> {
        match &write.load {
            LoadModel::Open { import, .. } => {
                let total = write.load.rate_profile(self.duration)?.total;
                let rows = import.as_ref().map(|import| import.rows.len(schema) as f64);
                Some(rows.map_or(total, |rows| total.min(rows)))
            }
            LoadModel::Periodic(periodic) => {
                let count = Combinations::new(&periodic.each, schema).count as f64;
                Some(
                    count * self.duration.as_nanos() as f64
                        / periodic.every.as_nanos().max(1) as f64,
                )
            }
            LoadModel::Closed { .. } => None,
        }
    }

    /// Operations that a write intends (their mean, for Poisson arrivals); of a closed loop what its import holds, or an estimate.
    ///
    /// N clients that think Z and wait R for an idle server put N / (Z + R) rows a second, unless the servers take fewer (the asymptotic bounds of a
    /// closed system: Lazowska and others, Quantitative System Performance, 1984, §5.2). What all writes together ask beyond that is taken from the
    /// closed loops in proportion. How a key spreads the rows is not known here: the servers are taken to share them evenly.
    pub fn estimated_operations(&self, write: &Write, schema: &Schema) -> f64 {
        if let Some(operations) = self.intended_operations(write, schema) {
            return operations;
        }
        if let Some(import) = write.load.import() {
            return import.rows.len(schema) as f64;
        }
        self.asked_per_sec(write) * self.duration.as_secs_f64() / self.overload(schema)
    }

    /// The same a second, for as long as the write lasts: of an import by a closed loop what its clients put, but no less than it takes to be done with the run.
    pub fn estimated_rate(&self, write: &Write, schema: &Schema) -> PerSecond {
        let even = self.estimated_operations(write, schema) / self.duration.as_secs_f64().max(1e-9);
        PerSecond(match write.load.import() {
            Some(_) => even.max(self.asked_per_sec(write) / self.overload(schema)),
            None => even,
        })
    }

    /// How many times what all servers can do the writes ask for together, where that is more.
    fn overload(&self, schema: &Schema) -> f64 {
        let asked = self.writes.iter().map(|of| self.utilisation(of, schema));
        (asked.sum::<f64>() / self.closed_loops.part).max(1.0)
    }

    /// The same of all writes together.
    pub fn estimated_writes(&self, schema: &Schema) -> f64 {
        let estimated = |write| self.estimated_operations(write, schema);
        self.writes.iter().map(estimated).sum()
    }

    /// Rows a second that the clients of a closed loop put when one server, which can take so many a second, takes them all, and how many of them are
    /// in flight then; `None` of other writes, and where clients have write buffers, which fill for all servers at once.
    pub fn paced_by_server(&self, write: &Write, server_per_sec: f64) -> Option<(f64, f64)> {
        match &write.load {
            LoadModel::Closed {
                clients,
                think: Think::Constant(think) | Think::Exponential(think),
                buffer: None,
                ..
            } => {
                let per_sec = self.asked_per_sec(write).min(server_per_sec);
                let thinking = per_sec * think.as_secs_f64();
                Some((per_sec, f64::from(*clients) - thinking))
            }
            _ => None,
        }
    }

    /// Rows a second that a write's clients would put if servers were always idle; of buffered ones that don't think, all that servers take.
    fn asked_per_sec(&self, write: &Write) -> f64 {
        let limits = &self.closed_loops;
        let LoadModel::Closed {
            clients,
            think: Think::Constant(think) | Think::Exponential(think),
            buffer,
            ..
        } = &write.load
        else {
            return 0.0;
        };
        let clients = f64::from(*clients);
        if buffer.is_none() || limits.buffered_rows_per_sec.is_infinite() {
            let asked = clients / (*think + limits.idle_response).as_secs_f64();
            return asked.min(write.most_per_sec);
        }
        let asked = (clients / think.as_secs_f64()).min(limits.buffered_rows_per_sec);
        asked.min(write.most_per_sec)
    }

    /// Lets each write do no more a second than its limit, and all together what the busiest server lets them: of a row of each write such shares go to each
    /// server.
    pub fn slow_down(&mut self, limits: &[f64], shares: &[Vec<f64>], schema: &Schema) {
        // What is not held up stays as it is: strategies that are as fast as each other share one workload.
        for (at, limit) in limits.iter().enumerate() {
            if *limit < self.asked_per_sec(&self.writes[at]) {
                self.writes[at].most_per_sec = *limit;
            }
        }
        let asked = self.writes.iter().map(|of| self.utilisation(of, schema));
        let asked: Vec<f64> = asked.collect();
        let servers = shares.first().map_or(0, Vec::len);
        let of_server = |server: usize| -> f64 {
            let shares = asked.iter().zip(shares);
            shares.map(|(asked, shares)| asked * shares[server]).sum()
        };
        let busiest = (0..servers).map(of_server).fold(0.0, f64::max);
        let busiest = busiest * servers as f64;
        let part = asked.iter().sum::<f64>() / busiest;
        // Rounding apart.
        if busiest > 1.0 && part < 1.0 - 1e-9 {
            self.closed_loops.part = part;
        }
    }

    /// The same operations, whatever a key makes of the pace of closed loops.
    pub fn at_any_pace(&self) -> Self {
        let mut same = self.clone();
        same.closed_loops.part = 1.0;
        for write in &mut same.writes {
            write.most_per_sec = f64::INFINITY;
        }
        same
    }

    /// Share of what all servers can do that a write asks for.
    fn utilisation(&self, write: &Write, schema: &Schema) -> f64 {
        let limits = &self.closed_loops;
        match (&write.load, self.intended_operations(write, schema)) {
            (_, Some(operations)) => operations / self.duration.as_secs_f64() / limits.rows_per_sec,
            (LoadModel::Closed { buffer, .. }, None) if buffer.is_some() => {
                self.asked_per_sec(write) / limits.buffered_rows_per_sec
            }
            _ => self.asked_per_sec(write) / limits.rows_per_sec,
        }
    }
}
