//! Regions split, merge and move: when, and what happens step by step.
//!
//! A region is split when its policy says so after a flush, a compaction or a held flush; when an operator asked for it; or by the normalizer.
//! In one step the parent closes (its memstore becomes a file), ends, and leaves two daughters whose files are references; after
//! `cluster.split_offline` both open on the parent's server. A daughter can't split before its references are compacted and archived.
//!
//! Everything that takes a region offline or opens one after the start goes through here, so that each region is open on a live server, or has
//! one opening before it, or is listed with a dead server whose regions will open when its death is noticed.

use super::knowledge::{MB, Opening};
use crate::engine::clock::ClusterStep;
use crate::engine::numbers::NONE;
use crate::engine::simulation::Simulation;
use crate::keyspace::RowKey;
use crate::metrics::SeriesEvent;
use crate::policy::{
    NoSplitRow, NormalizedRegion, NormalizerPlan, SplitCandidate, SplitPolicy, check_split_row,
};
use crate::time::SimDuration;
use std::collections::VecDeque;
use std::mem::discriminant;

impl Simulation<'_> {
    /// A flush or a compaction of a region has ended, or a flush is held: it is split if it is due, at once or after others of its server.
    /// True when it is; false as well when it is due and has no split row, so that compaction goes on.
    pub fn consider_split(&mut self, region: u32) -> bool {
        if !self.tables.regions.is_open(region) {
            return false;
        }
        if self.split_as_asked(region) {
            return true;
        }
        let Some(row) = self.due_split(region) else {
            return false;
        };
        let server = self.tables.regions.get(region).server;
        if let Some(queue) = self.master.splitting.queues.get_mut(&server) {
            if !queue.contains(&region) {
                queue.push_back(region);
            }
            return true;
        }
        self.master.splitting.queues.insert(server, VecDeque::new());
        self.split_region(region, &row, true);
        true
    }

    /// A split on a server ends: the next region that waits there and is still due is split.
    pub fn split_ends(&mut self, server: u32) {
        loop {
            let queues = &mut self.master.splitting.queues;
            let next = queues.get_mut(&server).and_then(VecDeque::pop_front);
            let Some(region) = next else {
                queues.remove(&server);
                return;
            };
            if self.tables.regions.get(region).serving != server {
                continue;
            }
            if let Some(row) = self.due_split(region) {
                return self.split_region(region, &row, true);
            }
        }
    }

    /// The row at which an open region is to be split now by its policy. Reports a region that has none, once for each reason.
    fn due_split(&mut self, region: u32) -> Option<RowKey> {
        let candidate = self.candidate(region)?;
        match self.is_due(&candidate) {
            true => self.split_row_or_report(region),
            false => None,
        }
    }

    fn is_due(&self, candidate: &SplitCandidate) -> bool {
        let files = self.config.table.blocking_store_files;
        let policy = &self.config.changes.policies.split_policy;
        let verdict = policy.verdict(self.master.splitting.sizes, candidate, files);
        verdict.splits()
    }

    /// A region of the start that has come to its size without a split opened with a jitter that let it.
    pub fn has_grown_whole(&mut self, region: u32) {
        let Some(shown) = self.candidate(region) else {
            return;
        };
        let with = |jitter: f64| SplitCandidate { jitter, ..shown };
        // One that is due without jitter has no split row, or too many neighbours.
        if !self.is_due(&shown) || self.is_due(&with(0.0)) {
            return;
        }
        let opening = self.opening(region);
        let mut draws = self.master.splitting.jitter.at(opening);
        let mut jitter = shown.jitter;
        while self.is_due(&with(jitter)) {
            jitter = draws.unit() - 0.5;
        }
        self.master.splitting.had_jitter.insert(opening, jitter);
    }

    /// A number for this opening of a region.
    fn opening(&self, region: u32) -> u64 {
        u64::from(region) << 32 | u64::from(self.tables.regions.get(region).openings)
    }

    /// The row at which a region would be split. Reports one that has none.
    fn split_row_or_report(&mut self, region: u32) -> Option<RowKey> {
        let row = self.split_row(region);
        if let Err(reason) = &row {
            self.report_unsplit(region, Some(reason));
        }
        row.ok()
    }

    /// What the split policy is shown of an open region.
    fn candidate(&self, region: u32) -> Option<SplitCandidate> {
        let candidate = self.stores.split_candidate(region, self.clock.now)?;
        let state = self.tables.regions.get(region);
        let opening = self.opening(region);
        let splitting = &self.master.splitting;
        let drawn = || splitting.jitter.at(opening).unit() - 0.5;
        let had = splitting.had_jitter.get(&opening);
        Some(SplitCandidate {
            table_regions: self
                .tables
                .regions
                .open_of_table(state.serving, state.table),
            server_regions: self.tables.regions.open_on(state.serving),
            jitter: had.copied().unwrap_or_else(drawn),
            ..candidate
        })
    }

    /// An operator wants splits at these rows. Each is done as soon as its region is open and refers to no files of another region.
    pub fn ask_for_splits(&mut self, rows: &[RowKey]) {
        for row in rows {
            let region = self.tables.routers[0].map.locate(row.as_bytes());
            if self.config.changes.policies.split_policy == SplitPolicy::Disabled {
                self.report_unsplit(region, None);
                continue;
            }
            self.master.splitting.asked.push(row.clone());
            self.split_as_asked(region);
        }
    }

    /// Splits a region that is open where an operator wants it, if so: after it was asked for, as the region opens, after its flushes and compactions,
    /// and when what it referred to is archived. True when it does.
    pub fn split_as_asked(&mut self, region: u32) -> bool {
        let (regions, asked) = (&self.tables.regions, &self.master.splitting.asked);
        if asked.is_empty() || regions.get(region).table != 0 || !regions.is_open(region) {
            return false;
        }
        let (start, end) = self.tables.range(region);
        loop {
            let inside = |row: &RowKey| *row >= start && (end.0.is_empty() || *row < end);
            let asked = &mut self.master.splitting.asked;
            let Some(at) = asked.iter().position(inside) else {
                return false;
            };
            if self.stores.has_references(region, self.clock.now) {
                return false;
            }
            let row = self.master.splitting.asked.remove(at);
            match check_split_row(start.as_bytes(), end.as_bytes(), row.as_bytes()) {
                Ok(_) => {
                    self.split_region(region, &row, false);
                    return true;
                }
                Err(reason) => self.report_unsplit(region, Some(&reason)),
            }
        }
    }

    /// Splits a region of the table or a copy at its data's middle, whatever its policy's size, as the normalizer asks, if it is open and can be.
    fn split_at_middle(&mut self, region: u32) {
        if self.is_whole(region)
            && let Some(row) = self.split_row_or_report(region)
        {
            self.split_region(region, &row, false);
        }
    }

    /// A region is open and free of references.
    fn is_whole(&self, region: u32) -> bool {
        self.tables.regions.is_open(region) && !self.stores.has_references(region, self.clock.now)
    }

    /// Reports a region that is to be split and has no split row, once for each kind of reason; `None`: its policy forbids it.
    fn report_unsplit(&mut self, region: u32, reason: Option<&NoSplitRow>) {
        let kind = reason.map(discriminant);
        let reported = self.master.splitting.reported.entry(region).or_default();
        if !reported.contains(&kind) {
            reported.push(kind);
            let disabled = || "the split policy is `disabled`".to_owned();
            let reason = reason.map_or_else(disabled, ToString::to_string);
            self.happens(SeriesEvent::no_split_row(region, reason));
        }
    }

    /// An open region is split. `queued`: by a thread of its server, which has no other one.
    fn split_region(&mut self, parent: u32, row: &RowKey, queued: bool) {
        let server = self.tables.regions.get(parent).server;
        debug_assert!(server != NONE && self.tables.regions.is_open(parent));
        self.take_offline(parent);
        let (lower, upper) = self.tables.divide(parent, row);
        self.split_store(parent, lower, upper, row);
        self.heirs_come(&[parent], &[lower, upper], Some(row));
        let bytes = self.stores.bytes(lower).0 + self.stores.bytes(upper).0;
        self.happens(SeriesEvent::split(parent, [lower, upper], row, bytes));
        for (daughter, ends_split) in [(lower, false), (upper, queued)] {
            let pause = self.config.cluster.split_offline;
            self.await_opening(daughter, pause, server, ends_split);
        }
    }

    /// Clients that look ahead and the master learn of new regions, and forget those that they come from, of which one may have been divided at `row`.
    fn heirs_come(&mut self, gone: &[u32], heirs: &[u32], row: Option<&RowKey>) {
        self.clients.regions_change(gone, heirs, row, &self.tables);
        let regions = self.tables.regions.len() as usize;
        self.master.created.resize(regions, self.clock.now);
        for &region in gone {
            self.master.loads.forget(region);
        }
    }

    /// The next run of the normalizer is awaited, if there is one.
    pub fn await_normalizer(&mut self) {
        if let Some(normalizer) = &self.config.changes.policies.normalizer {
            let period = normalizer.period.max(SimDuration::from_millis(1));
            self.clock.await_after(period, ClusterStep::NormalizerRuns);
        }
    }

    /// The normalizer looks at the table and its copies, one after another. Its plans are all carried out at once, splits first
    /// (`RegionNormalizerWorker` hands them over without waiting); one that has become impossible is left out without a word, as in HBase.
    pub fn normalizer_runs(&mut self) {
        let Some(normalizer) = self.config.changes.policies.normalizer.clone() else {
            return;
        };
        for table in 0..=self.config.copies.len() as u32 {
            let regions = self.tables.in_key_order(table);
            let seen = regions.iter().map(|&region| self.normalized(region));
            let seen: Vec<_> = seen.collect();
            for plan in normalizer.rules.plans(&seen) {
                match plan {
                    NormalizerPlan::Split(at) => {
                        if self.config.changes.policies.split_policy != SplitPolicy::Disabled {
                            self.split_at_middle(regions[at]);
                        }
                    }
                    NormalizerPlan::Merge(range) => self.merge_regions(&regions[range]),
                }
            }
        }
        self.await_normalizer();
    }

    fn normalized(&self, region: u32) -> NormalizedRegion {
        NormalizedRegion {
            store_mb: self.stores.bytes(region).0 / MB,
            open: self.tables.regions.is_open(region),
            age: self.clock.now.since(self.master.created[region as usize]),
        }
    }

    /// Neighbours in key order become one region on the first one's server, offline for as long as a split takes: both are the same steps.
    /// Three or more merge two by two. Nothing happens unless all are open and free of references (`HRegion.isMergeable`).
    pub fn merge_regions(&mut self, regions: &[u32]) {
        let mergeable = regions.iter().all(|&region| self.is_whole(region));
        let (Some((&first, others)), true) = (regions.split_first(), mergeable) else {
            return;
        };
        let server = self.tables.regions.get(first).server;
        debug_assert!(server != NONE);
        regions.iter().for_each(|&region| self.take_offline(region));
        let mut lower = first;
        for &upper in others {
            let merged = self.tables.unite(lower, upper);
            self.merge_stores(lower, upper, merged);
            self.heirs_come(&[lower, upper], &[merged], None);
            self.happens(SeriesEvent::merged([lower, upper], merged));
            lower = merged;
        }
        let pause = self.config.cluster.split_offline;
        self.await_opening(lower, pause, server, false);
    }

    /// An open region goes offline in good order.
    pub fn take_offline(&mut self, region: u32) {
        let state = *self.tables.regions.get(region);
        debug_assert!(state.serving != NONE, "only open regions go offline");
        self.tables.regions.close(region);
        self.close_store(region);
    }

    /// An offline region will open on `server` after `pause`.
    pub fn await_opening(
        &mut self,
        region: u32,
        pause: SimDuration,
        server: u32,
        ends_split: bool,
    ) {
        let opening = Opening { server, ends_split };
        let before = self.master.opening.insert(region, opening);
        debug_assert!(before.is_none(), "a region opens once at a time");
        self.clock
            .await_after(pause, ClusterStep::RegionOpens(region));
    }

    /// An open region moves to another server: offline for `cluster.move_offline`.
    pub fn move_region(&mut self, region: u32, to: u32) {
        let from = self.tables.regions.get(region).server;
        self.take_offline(region);
        self.happens(SeriesEvent::moved(region, from, to));
        let pause = self.config.cluster.move_offline;
        self.await_opening(region, pause, to, false);
    }

    /// A region that was offline opens where it is to open; when that server has died meanwhile, on the idlest one, and if nobody has noticed
    /// yet, with the dead server's regions.
    pub fn region_opens(&mut self, region: u32) {
        let Some(opening) = self.master.opening.remove(&region) else {
            return;
        };
        let mut server = opening.server;
        if let Some(dead) = self.master.dead.get_mut(&server) {
            dead.regions.push(region);
            return;
        }
        if !self.servers.is_alive(server) {
            server = self.idlest_server();
        }
        self.tables.open(region, server);
        self.master.loads.opened(region);
        self.happens(SeriesEvent::opened(region, server));
        self.open_store(region);
        if opening.ends_split {
            self.split_ends(opening.server);
        }
        self.split_as_asked(region);
    }

    /// The live server with fewest open regions, the first of equal ones.
    pub fn idlest_server(&self) -> u32 {
        let open = |&server: &u32| self.tables.regions.open_on(server);
        let idlest = self.servers.live().into_iter().min_by_key(open);
        idlest.expect("the last server never dies")
    }
}
