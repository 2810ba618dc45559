//! Which store files are compacted, and how fast: HBase's exploring, ratio-based choice. Must not know keys, nor when files appear.

use crate::time::SimDuration;
use crate::units::Bandwidth;
use std::ops::Range;

/// Settings of the choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompactionRules {
    /// Fewest files of a compaction (`hbase.hstore.compaction.min`).
    pub min_files: usize,
    /// Most files of one (`hbase.hstore.compaction.max`).
    pub max_files: usize,
    /// Sets smaller than this need not be in ratio (`hbase.hstore.compaction.min.size`).
    pub min_bytes: u64,
    /// No file of a set is larger than so many times the others together (`hbase.hstore.compaction.ratio`).
    pub ratio: f64,
    /// From so many files on a store may be stuck: any set is better than none (`hbase.hstore.blockingStoreFiles`).
    pub blocking_files: usize,
}

impl Default for CompactionRules {
    /// HBase's.
    fn default() -> Self {
        Self {
            min_files: 3,
            max_files: 10,
            min_bytes: 128 << 20,
            ratio: 1.2,
            blocking_files: 16,
        }
    }
}

/// Bytes of a compaction above which the server's thread for large ones runs it, not that for small ones (HBase default,
/// `hbase.regionserver.thread.compaction.throttle`: 2 x 10 x the flush size).
pub const LARGE_COMPACTION_BYTES: u64 = 2_684_354_560;

/// From one major compaction of a store to the next, `u` drawn evenly from 0 to 1 once for its oldest file: `hbase.hregion.majorcompaction`, 7 days, give
/// or take `hbase.hregion.majorcompaction.jitter`, half of it (`SortedCompactionPolicy.getNextMajorCompactTime`).
pub fn major_compaction_period(u: f64) -> SimDuration {
    SimDuration::from_secs(7 * 86_400).mul_f64(1.5 - u)
}

/// The longest of these periods.
pub const LONGEST_MAJOR_PERIOD: SimDuration = SimDuration::from_secs(7 * 86_400 * 3 / 2);

/// The same of the period in which an instant lies that has nothing to do with it: of two periods the one that is twice as long is met twice as often,
/// so that its density is p / 49 days² from 3.5 to 10.5 days, and its distribution (p² - 3.5²) / 98 days².
pub fn met_major_period(u: f64) -> SimDuration {
    SimDuration::from_secs(7 * 86_400).mul_f64(libm::sqrt(0.25 + 2.0 * u))
}

/// From one look for due major compactions to the next: `hbase.regionserver.compaction.check.period`, 10 s, times
/// `hbase.server.compactchecker.interval.multiplier` (`HRegionServer.CompactionChecker`).
pub const MAJOR_CHECKS_EVERY: SimDuration = SimDuration::from_secs(10_000);

/// A store file as the choice sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionFile {
    /// Its size; of a reference, the half that it refers to.
    pub bytes: u64,
    /// It refers to a file of the region that this one was split from.
    pub is_reference: bool,
}

impl CompactionRules {
    /// Which of a store's `files`, oldest first, to compact into one: neighbours by age, or `None`. `compacting` are those of a running
    /// compaction (empty for none); only newer files are eligible beside it (`SortedCompactionPolicy.getCurrentEligibleFiles`).
    ///
    /// References are always rewritten, with as many of the eligible files as one compaction takes. Otherwise, of all runs of
    /// `min_files ..= max_files` neighbours that are smaller than `min_bytes` or in ratio, the one of most files, then of fewest bytes, then
    /// the oldest; in a store that may be stuck the one of most files per byte (a later one must be better by 5 %), or, if none is in
    /// ratio, the smallest (`ExploringCompactionPolicy.applyCompactionPolicy`). O(files x max_files^2).
    pub fn choose(
        &self,
        files: &[CompactionFile],
        compacting: Range<usize>,
    ) -> Option<Range<usize>> {
        let (start, running) = match compacting.is_empty() {
            true => (0, 0),
            false => (compacting.end, compacting.len()),
        };
        let eligible = &files[start..];
        if eligible.iter().any(|file| file.is_reference) {
            return Some(start..files.len().min(start + self.max_files));
        }
        let stuck = files.len() - running + usize::from(running > 0) >= self.blocking_files;
        let found = self.explore(eligible, stuck)?;
        Some(start + found.start..start + found.end)
    }

    /// Whether a store asks for a compaction (`RatioBasedCompactionPolicy.needsCompaction`).
    pub fn needs_compaction(&self, files: usize, compacting: usize) -> bool {
        files - compacting >= self.min_files
    }

    fn explore(&self, files: &[CompactionFile], stuck: bool) -> Option<Range<usize>> {
        let mut best: Option<(Range<usize>, u64)> = None;
        let mut smallest: Option<(Range<usize>, u64)> = None;
        for start in 0..files.len() {
            let last = files.len().min(start + self.max_files);
            for end in start + self.min_files..=last {
                let set = &files[start..end];
                let bytes: u64 = set.iter().map(|file| file.bytes).sum();
                if smallest.as_ref().is_none_or(|(_, least)| bytes < *least) {
                    smallest = Some((start..end, bytes));
                }
                if bytes >= self.min_bytes && !self.in_ratio(set, bytes) {
                    continue;
                }
                let worse = |(range, size): &(Range<usize>, u64)| {
                    is_better(stuck, (range.len(), *size), (set.len(), bytes))
                };
                if best.as_ref().is_none_or(worse) {
                    best = Some((start..end, bytes));
                }
            }
        }
        let found = if stuck { best.or(smallest) } else { best };
        found.map(|(range, _)| range)
    }

    /// `bytes` is the set's sum.
    fn in_ratio(&self, set: &[CompactionFile], bytes: u64) -> bool {
        let mut files = set.iter().map(|file| file.bytes);
        files.all(|file| file as f64 <= (bytes - file) as f64 * self.ratio)
    }
}

/// Whether the second set (files, bytes) is to be preferred (`ExploringCompactionPolicy.isBetterSelection`).
fn is_better(stuck: bool, best: (usize, u64), set: (usize, u64)) -> bool {
    const REPLACE_IF_BETTER_BY: f64 = 1.05;
    match stuck && best.1 > 0 && set.1 > 0 {
        true => best.0 as f64 / best.1 as f64 * REPLACE_IF_BETTER_BY < set.0 as f64 / set.1 as f64,
        false => set.0 > best.0 || (set.0 == best.0 && set.1 < best.1),
    }
}

/// How near a store is to holding its flushes: 0 at `min_files` or fewer, 1 at `blocking_files`, more above (`HStore.getCompactionPressure`);
/// infinite above `min_files` when flushes are held from there on. A server's is the greatest of its stores.
pub fn compaction_pressure(rules: &CompactionRules, files: usize) -> f64 {
    if files <= rules.min_files {
        return 0.0;
    }
    (files - rules.min_files) as f64 / rules.blocking_files.saturating_sub(rules.min_files) as f64
}

/// Bytes a second that a server's compactions may write: from `low` to `high` with the pressure, `None` (no limit) above 1
/// (`PressureAwareCompactionThroughputController`; HBase's bounds are 50 and 100 MB/s,
/// `hbase.hstore.compaction.throughput.lower.bound` and `higher.bound`).
pub fn compaction_limit(pressure: f64, low: Bandwidth, high: Bandwidth) -> Option<Bandwidth> {
    (pressure <= 1.0).then_some(Bandwidth(low.0 + (high.0 - low.0) * pressure))
}

#[cfg(test)]
#[path = "compaction_choice_tests.rs"]
mod tests;
