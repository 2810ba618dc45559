//! What is known of a strategy before any simulation. Must not know how it was found.

use crate::engine::{ExistingRows, PlannedRead, TableCopy};
use crate::keyspace::RowKey;
use crate::scenario::Diagnostic;
use crate::statistics::Estimate;
use serde::Serialize;
use std::sync::Arc;

/// A strategy, laid out for one replicate.
///
/// ```
/// use keyheat_core::layout::{Layout, Replicate};
/// use keyheat_core::scenario::Scenario;
///
/// let scenario = Scenario::parse(
///     r#"
///     [field]
///     item = { type = "int", count = 100_000_000 }
///     [write.items]
///     rate = "40k/s"
///     [read.item]
///     equal = ["item"]
///     [table]
///     presplit = { algorithm = "hex-string", regions = 16 }
///     [strategy.lower]
///     key = "md5(item)"
///     [strategy.capitals]
///     key = "upper(md5(item))"
///     "#,
///     "digits",
/// )?;
/// let laid_out = |at: usize| {
///     let strategy = &scenario.strategies[at];
///     Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0))
/// };
/// let unreachable = |layout: &Layout| layout.regions.iter().filter(|region| region.unreachable).count();
/// // HexStringSplit cuts at lower-case digits: no key in capitals starts with a to f. Proved, not sampled; nothing is simulated.
/// let (lower, capitals) = (laid_out(0), laid_out(1));
/// assert_eq!((unreachable(&lower), unreachable(&capitals)), (0, 6));
/// assert_eq!(lower.reads[0].regions, 1.0);
/// # Ok::<(), keyheat_core::scenario::LoadError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Layout {
    /// What a run takes of it.
    pub run: RunLayout,
    /// One for each region in key order.
    pub regions: Arc<Vec<RegionForecast>>,
    /// Regions all of whose rows have expired before the run.
    pub expired_regions: usize,
    /// Buckets of the key map, at most 512, in key order; the first starts at the empty key.
    pub key_buckets: Vec<KeyBucket>,
    /// The same of each copy.
    pub copies: Vec<CopyForecast>,
    /// The table with the region that most operations write to: 0 the strategy's own, c its copy c - 1.
    pub hottest_table: usize,
    /// The row of that table that most operations write.
    pub hottest_row: HottestRow,
    /// The row that is locked most, of the operations that increment it, or append to it; all zero where none does.
    pub locked_row: HottestRow,
    /// Of the table and of each copy, rows that an import sorted by a field writes one after another into one region, on average; zero where they are too few to tell,
    /// and of other writes.
    pub rows_in_turn: Vec<f64>,
    /// The hottest value of each field that the key uses and whose values are not drawn evenly, hottest first.
    pub entities: Vec<EntityShare>,
    /// The value that makes the hottest table's region with most of the writes hot; `None` when no value has half of them, or one has as much
    /// everywhere. Where those of several fields do together, the others stand behind the first.
    pub hot_value: Option<EntityShare>,
    /// Mean length of a key in bytes, over the sample.
    pub key_bytes: f64,
    /// Rows that exist before the run: writes, of which several may have made one row.
    pub existing_rows: u64,
    /// Operations that the shares were counted on.
    pub sampled_operations: u64,
    /// How each read of the workload is served, in its order.
    pub reads: Vec<ReadForecast>,
    /// Warnings and notes.
    pub lints: Vec<Diagnostic>,
}

/// What each region of a copy will get.
#[derive(Debug, Clone)]
pub struct CopyForecast {
    /// One for each region in key order.
    pub regions: Arc<Vec<RegionForecast>>,
    /// As in [`Layout::key_buckets`].
    pub key_buckets: Vec<KeyBucket>,
}

impl CopyForecast {
    /// The share of the copy's rows that its busiest region gets.
    pub fn hottest_share(&self) -> f64 {
        let shares = self.regions.iter().map(|region| region.write_share);
        shares.fold(0.0, f64::max)
    }
}

/// Split points, copies and planned reads of one replicate: what its run takes.
#[derive(Debug, Clone, Default)]
pub struct RunLayout {
    /// Sorted, distinct, not empty: those of the pre-split, and those at which the existing rows have split the table since.
    pub split_points: Arc<Vec<RowKey>>,
    /// The table's further copies.
    pub copies: Arc<Vec<TableCopy>>,
    /// How each read of the workload is served, in its order.
    pub reads: Arc<Vec<PlannedRead>>,
    /// The rows that exist, of the table itself, then of each copy; empty without any.
    pub existing: Arc<Vec<ExistingRows>>,
}

/// How a read is served, and what it will ask of the cluster; means over a sample of its targets.
#[derive(Debug, Clone)]
pub struct ReadForecast {
    /// Its name in the file.
    pub name: String,
    /// What a run needs to serve it: the table or copy, the access path, and how that table's rows lie.
    pub planned: PlannedRead,
    /// The access path in words.
    pub words: String,
    /// Gets and scans.
    pub requests: f64,
    /// Numbers of rows that are found for one: of each request, and of each combination of lists.
    pub counts: f64,
    /// Different regions that it asks.
    pub regions: f64,
    /// Gets, or regions that its scans open: what read demand counts.
    pub parts: f64,
    /// The most frequent rows of its Gets with their shares of them, most frequent first, at most [`Layout::HOT_ROWS`]; empty for scans and
    /// for reads that are not issued.
    pub hot_rows: Vec<(RowKey, f64)>,
    /// Regions of the table that serves it.
    pub table_regions: usize,
    /// Rows that servers read.
    pub rows_read: f64,
    /// Rows that the reader gets.
    pub rows_returned: f64,
    /// Cells that servers read.
    pub cells_read: f64,
    /// Cells that the reader gets.
    pub cells_returned: f64,
    /// Share of the run's writes that go to the regions which a read asks.
    pub write_share: f64,
    /// Calls, with the uncertainty of the sample.
    pub calls_planned: Estimate,
    /// Rows that servers read, likewise.
    pub rows_planned: Estimate,
}

/// What a region will get.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionForecast {
    /// Share of the run's writes, of the sample.
    pub write_share: f64,
    /// No key of the plan can fall into it: proved from the key's segments.
    pub unreachable: bool,
}

/// A bucket of the key map: those inside of one region have about the same number of the run's keys each.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyBucket {
    /// Empty for the first.
    pub start: RowKey,
    /// What the segments of its first key say (`ts 00:00:12`, `metric 17`), outermost first; empty where the run has no key in it.
    pub labels: Vec<String>,
}

/// The row that most operations of a moment write: shares are exact on the sample. Of a sample of n operations, those below a few n-ths are noise (1 / n
/// when all keys differ).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HottestRow {
    /// Share of the operations that write it, or another one a moment later that time, or a sequence, has put in its place.
    pub share: f64,
    /// The same in the twentieth of the run in which it is written most; as `share` where the rates of writes don't change.
    pub peak_share: f64,
    /// How often it is written then, over the mean rate of all operations.
    pub peak_rate: f64,
    /// Seconds after which another one stands in its place; infinite where it is one to the end.
    pub stays: f64,
}

/// How much of the load one value of a field carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityShare {
    /// The field.
    pub field: String,
    /// Its value, as text.
    pub value: String,
    /// Share of the run's writes, of the sample.
    pub share: f64,
}

impl HottestRow {
    /// Parts of the run, of which one is that in which a row is hottest.
    pub const PARTS: usize = 20;

    /// Share of an interval's operations, and of one when it is written most, that write one row.
    pub fn shares_in(&self, secs: f64) -> [f64; 2] {
        [self.share, self.peak_share].map(|share| share * (self.stays / secs).min(1.0))
    }
}

impl Layout {
    /// Operations that shares are counted on where nothing else is asked: a region's share of 1 % is then exact to 3 % of it (one
    /// standard error: sqrt(0.99 / 1,000)).
    pub const SAMPLE: usize = 100_000;

    /// Gets that show which rows are hot where nothing else is asked: a share of a tenth is then known to 2 % of it (one standard error,
    /// sqrt(0.1 x 0.9 / 20,000)).
    pub const GETS: usize = 20_000;

    /// Hot rows that are kept of each read.
    pub const HOT_ROWS: usize = 8;

    fn split_points(&self, table: usize) -> &[RowKey] {
        match table.checked_sub(1) {
            None => &self.run.split_points,
            Some(copy) => &self.run.copies[copy].split_points,
        }
    }

    /// The points that cut a table into regions, ascending.
    pub fn points(&self, table: usize) -> impl Iterator<Item = &[u8]> {
        self.split_points(table).iter().map(RowKey::as_bytes)
    }

    /// The least key of a region of a table, as in [`Layout::regions_of_table`]; empty for the first.
    pub fn region_start(&self, table: usize, region: usize) -> &[u8] {
        let before = region.checked_sub(1);
        before.map_or(&[], |before| self.split_points(table)[before].as_bytes())
    }

    /// What each region will get of a table: 0 is the strategy's own, c its copy c - 1.
    pub fn regions_of_table(&self, table: usize) -> &[RegionForecast] {
        match table.checked_sub(1) {
            None => &self.regions,
            Some(copy) => &self.copies[copy].regions,
        }
    }

    /// The buckets of a table's keys, as in [`Layout::regions_of_table`].
    pub fn key_buckets(&self, table: usize) -> &[KeyBucket] {
        match table.checked_sub(1) {
            None => &self.key_buckets,
            Some(copy) => &self.copies[copy].key_buckets,
        }
    }

    /// What the first keys of a table's region say, and those of the region behind it, or all of its own; nothing of a region that has no buckets of its own.
    pub fn region_labels(&self, table: usize, region: usize) -> [Option<&str>; 2] {
        let (points, buckets) = (self.split_points(table), self.key_buckets(table));
        let label = |at: usize| Some(buckets.get(at)?.labels.first()?.as_str());
        let bucket_at =
            |start: &[u8]| buckets.binary_search_by(|it| it.start.as_bytes().cmp(start));
        let end = points.get(region).map(|end| bucket_at(end.as_bytes()));
        let (Ok(from), Ok(to)) = (
            bucket_at(self.region_start(table, region)),
            end.unwrap_or(Ok(buckets.len())),
        ) else {
            return [None; 2];
        };
        match label(to - 1) == label(from) {
            true => [label(from); 2],
            false => [label(from).filter(|_| region > 0), label(to)],
        }
    }
}
