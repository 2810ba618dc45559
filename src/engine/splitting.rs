//! Splits: when they are due, and what happens step by step. Must not know what a region's files are made of.
//!
//! A region is split when its policy says so after a flush, a compaction or a held flush; when an operator asked for it; or by the normalizer.
//! In one step the parent closes (its memstore becomes a file), ends, and leaves two daughters whose files are references; after
//! `cluster.split_offline` both open on the parent's server. A daughter can't split before its references are compacted and archived.

use super::SimConfig;
use super::calls::NONE;
use super::master::Opening;
use super::simulation::Simulation;
use crate::keyspace::RowKey;
use crate::metrics::Happening;
use crate::policy::{NoSplitRow, SplitCandidate, SplitPolicy, SplitSizes, check_split_row};
use crate::random::{DrawKey, Stream};
use std::collections::{BTreeMap, VecDeque};
use std::mem::{Discriminant, discriminant};

/// Splits under way and to come.
#[derive(Debug)]
pub(super) struct Splitting {
    sizes: SplitSizes,
    jitter: DrawKey,
    /// Of each server where a region is being split: the regions that wait. A server splits one at a time
    /// (HBase default, `hbase.regionserver.thread.split`).
    queues: BTreeMap<u32, VecDeque<u32>>,
    /// Where an operator wants splits that are still to come.
    asked: Vec<RowKey>,
    /// Regions without split row that were reported, with the kind of reason; `None`: the policy.
    reported: BTreeMap<u32, Vec<Option<Discriminant<NoSplitRow>>>>,
}

impl Splitting {
    pub fn new(config: &SimConfig) -> Self {
        Self {
            sizes: SplitSizes {
                max_file_bytes: config.table.max_file_size.0,
                flush_bytes: config.table.memstore_flush_size.0,
            },
            jitter: DrawKey::new(config.seed, config.replicate, Stream::SplitJitter, 0),
            queues: BTreeMap::new(),
            asked: Vec::new(),
            reported: BTreeMap::new(),
        }
    }
}

impl Simulation<'_> {
    /// A flush or a compaction of a region has ended, or a flush is held: it is split if it is due, at once or after others of its server.
    /// True when it is; false as well when it is due and has no split row, so that compaction goes on.
    pub(super) fn consider_split(&mut self, region: u32) -> bool {
        if !self.is_open(region) {
            return false;
        }
        if self.split_as_asked(region) {
            return true;
        }
        let Some(row) = self.due_split(region) else {
            return false;
        };
        let server = self.regions.get(region).server;
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
    pub(super) fn split_ends(&mut self, server: u32) {
        loop {
            let queues = &mut self.master.splitting.queues;
            let next = queues.get_mut(&server).and_then(VecDeque::pop_front);
            let Some(region) = next else {
                queues.remove(&server);
                return;
            };
            if self.regions.get(region).serving != server {
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
        let files = self.config.table.blocking_store_files;
        let policy = &self.config.changes.policies.split_policy;
        let verdict = policy.verdict(self.master.splitting.sizes, &candidate, files);
        if !verdict.splits() {
            return None;
        }
        match self.split_row(region) {
            Ok(row) => Some(row),
            Err(reason) => {
                self.report_unsplit(region, Some(&reason));
                None
            }
        }
    }

    /// What the split policy is shown of an open region.
    fn candidate(&self, region: u32) -> Option<SplitCandidate> {
        let candidate = self.split_candidate(region)?;
        let state = self.regions.get(region);
        let opening = u64::from(region) << 32 | u64::from(state.openings);
        Some(SplitCandidate {
            table_regions: self.master.counts.of_table(state.serving, state.table),
            server_regions: self.master.counts.of_all(state.serving),
            jitter: self.master.splitting.jitter.at(opening).unit() - 0.5,
            ..candidate
        })
    }

    /// An operator wants splits at these rows. Each is done as soon as its region is open and refers to no files of another region.
    pub(super) fn ask_for_splits(&mut self, rows: &[RowKey]) {
        for row in rows {
            let region = self.region_of_row(row);
            if self.config.changes.policies.split_policy == SplitPolicy::Disabled {
                self.report_unsplit(region, None);
                continue;
            }
            self.master.splitting.asked.push(row.clone());
            if self.is_open(region) {
                self.split_as_asked(region);
            }
        }
    }

    /// The discharger has archived what a region referred to: it splits where an operator wants it. Its policy is asked at the next flush.
    pub(super) fn references_are_archived(&mut self, region: u32) {
        if self.is_open(region) {
            self.split_as_asked(region);
        }
    }

    /// Splits an open region where an operator wants it, if so. True when it does.
    pub(super) fn split_as_asked(&mut self, region: u32) -> bool {
        if self.master.splitting.asked.is_empty() || self.regions.get(region).table != 0 {
            return false;
        }
        let (start, end) = self.region_range(region);
        loop {
            let inside = |row: &RowKey| *row >= start && (end.0.is_empty() || *row < end);
            let asked = &mut self.master.splitting.asked;
            let Some(at) = asked.iter().position(inside) else {
                return false;
            };
            if self.has_references(region) {
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

    /// Splits an open region of the table or a copy at its data's middle, whatever its policy's size, as the normalizer asks; false when it
    /// can't be.
    pub(super) fn split_at_middle(&mut self, region: u32) -> bool {
        if !self.is_open(region) || self.has_references(region) {
            return false;
        }
        match self.split_row(region) {
            Ok(row) => self.split_region(region, &row, false),
            Err(reason) => {
                self.report_unsplit(region, Some(&reason));
                return false;
            }
        }
        true
    }

    /// Whether a region still refers to files of those that it comes from.
    pub(super) fn has_references(&self, region: u32) -> bool {
        self.split_candidate(region)
            .is_some_and(|candidate| candidate.has_references)
    }

    /// The region of the table that holds a row, offline or not. O(log regions) looks at ranges.
    fn region_of_row(&self, row: &RowKey) -> u32 {
        let regions = self.table_regions(0);
        let after = regions.partition_point(|&region| self.region_range(region).0 <= *row);
        regions[after.saturating_sub(1)]
    }

    /// Reports a region that is to be split and has no split row, once for each kind of reason; `None`: its policy forbids it.
    fn report_unsplit(&mut self, region: u32, reason: Option<&NoSplitRow>) {
        let kind = reason.map(discriminant);
        let reported = self.master.splitting.reported.entry(region).or_default();
        if !reported.contains(&kind) {
            reported.push(kind);
            let reason = reason.map_or_else(
                || "the split policy is `disabled`".to_owned(),
                ToString::to_string,
            );
            let what = Happening::NoSplitRow { region, reason };
            self.recorder.happened(self.now, what);
        }
    }

    /// An open region is split. `queued`: by a thread of its server, which has no other one.
    fn split_region(&mut self, parent: u32, row: &RowKey, queued: bool) {
        let server = self.regions.get(parent).server;
        debug_assert!(server != NONE && self.is_open(parent));
        self.take_offline(parent);
        let (lower, upper) = self.divide_region(parent, row);
        self.split_store(parent, lower, upper, row);
        self.heirs_come(&[parent], &[lower, upper]);
        let what = Happening::Split {
            parent,
            lower,
            upper,
            row: row.clone(),
            bytes: self.store_bytes(lower).0 + self.store_bytes(upper).0,
        };
        self.recorder.happened(self.now, what);
        for (daughter, ends_split) in [(lower, false), (upper, queued)] {
            let opening = Opening { server, ends_split };
            self.await_opening(daughter, self.config.cluster.split_offline, opening);
        }
    }

    /// The master learns of new regions and forgets those that they come from.
    pub(super) fn heirs_come(&mut self, parents: &[u32], heirs: &[u32]) {
        heirs
            .iter()
            .for_each(|_| self.master.region_created(self.now));
        parents
            .iter()
            .for_each(|&parent| self.master.loads.forget(parent));
    }
}
