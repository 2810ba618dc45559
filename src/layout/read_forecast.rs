//! How a strategy serves its reads: the cheapest access path among its table and copies, and the regions that it asks. Must not
//! simulate.

use super::key_sample::{KeyedTable, sorted_order};
use super::laid_table::LaidTable;
use super::row_columns::row_columns;
use super::row_growth::RowGrowth;
use super::{Layout, ReadForecast, Replicate};
use crate::cluster::{ROW_SEEK, WrittenCells};
use crate::engine::{PlannedRead, scanner_rows};
use crate::keyspace::{KeyBatch, RowKey};
use crate::query::{
    AccessPath, AccessPlan, Costs, Expected, PlanContext, Requests, ScanRequest, TableKeys, plan,
};
use crate::record::{FieldId, FieldKind, KnownField, Schema};
use crate::scenario::Setup;
use crate::statistics::Estimate;
use crate::storage::CELL_STRUCTURE;
use crate::text::percent_to;
use crate::time::SimDuration;
use crate::workload::{
    Read, ReadBatch, ReadId, ReadTarget, RowCounter, Workload, WriteId, WriteKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Targets that ways to serve a read are compared with: fewer where each of them asks for many combinations of lists, of which it is a mean itself.
const TARGETS: usize = 32;
const FEWEST_TARGETS: usize = 8;
const COMBINATIONS: f64 = 2_048.0;

/// Targets that a read's costs are averaged over, where they are not many requests.
const COSTED: usize = 1_024;

/// Requests that are worked out for a read's costs: some hundredths of a second.
const REQUESTS: f64 = 16_384.0;

/// To find where a page begins takes as long as so many requests: a search in the counts of a table of any size (estimate).
const REQUESTS_OF_A_PAGE: f64 = 128.0;

/// Targets of which these are every k-th one: where they alone are left to chance, a cost with a standard deviation of 1.8 times its mean is known
/// to 1.4 % (1.96 x 1.8 / sqrt(65,536)).
const DRAWN: usize = 1 << 16;

/// Regions of so many times their part of the writes are called write-hot, unless they have less than this share of all (estimate).
const HOT: f64 = 2.0;
const LEAST_HOT_SHARE: f64 = 0.01;

/// A row of a scan costs at least this, in seconds, where ways to serve a read are compared (estimate: ten million rows a second):
/// at a price of nothing the one scan of the whole table would always be the cheapest way.
const LEAST_ROW: f64 = 0.1e-6;

/// Finds the targets of a replicate's reads.
pub(super) fn prepare(workload: &Workload, replicate: &Replicate) {
    if !workload.reads.is_empty() {
        ReadTargets::new(workload, replicate);
    }
}

/// The strategy's reads; its tables are laid out. Their hot rows are those of so many Gets, if anybody looks at them.
pub(super) fn of(tables: &[LaidTable<'_>], gets: usize) -> Vec<ReadForecast> {
    let (setup, replicate) = (tables[0].table.setup(), tables[0].table.replicate);
    let workload = &setup.workload;
    if workload.reads.is_empty() {
        return Vec::new();
    }
    let targets = ReadTargets::new(workload, replicate);
    let costs = costs(setup);
    // Half of what the run writes is there, on average.
    let written = workload.estimated_writes(&setup.schema) / 2.0;
    // Behind the end of each region a scan is opened anew.
    let row = |laid: &LaidTable<'_>| {
        let rows = RowGrowth::roughly(laid.table.key, setup, replicate).rows(written);
        costs.row + costs.scan * laid.points.len() as f64 / rows.max(1.0)
    };
    let rows: Vec<f64> = tables.iter().map(row).collect();
    let reads = workload.reads.iter().enumerate().map(|(at, read)| {
        let keys = tables.iter().map(|laid| keys(&laid.table, read));
        let keys = keys.zip(rows.iter().copied());
        let combinations = targets.combinations(at, setup);
        let compared = ReadTargets::compared(combinations);
        let (table, plan) = targets.with(at, compared, setup, |context| {
            cheapest(keys, (read, &setup.workload), context)
        });
        // Every combination of lists is counted for each target, whatever it takes to read them.
        let combinations = match read.page {
            Some(_) => combinations * REQUESTS_OF_A_PAGE,
            None => combinations,
        };
        let each = plan.expected.requests.max(combinations).max(1.0);
        let costed = ((REQUESTS / each) as usize).clamp(TARGETS, COSTED);
        let mut forecast = targets.with(at, costed, setup, |context| {
            forecast(read, (plan, each), &tables[table], context)
        });
        let plan = &forecast.planned.plan;
        if gets > 0 && read.load.is_some() && is_get(plan) {
            forecast.hot_rows = hot_rows((plan, gets), workload, ReadId(at as u8), replicate);
        }
        forecast
    });
    reads.collect()
}

fn is_get(plan: &AccessPlan) -> bool {
    matches!(plan.path, AccessPath::Get | AccessPath::MultiGet)
}

/// The most frequent rows of so many of a read's Gets, with their shares of them. O(n log n) in Gets.
fn hot_rows(
    (plan, gets): (&AccessPlan, usize),
    workload: &Workload,
    read: ReadId,
    replicate: &Replicate,
) -> Vec<(RowKey, f64)> {
    let width = replicate.generator.width();
    let targets = (gets as f64 / plan.expected.requests.max(1.0)).max(TARGETS as f64) as usize;
    let mut batch = ReadBatch::default();
    replicate.with_reads(workload, |source| source.sample(read, targets, &mut batch));
    let mut requests = Requests::default();
    let mut keys = KeyBatch::default();
    for at in 0..batch.operations.len() {
        let target = batch.target(at, width);
        plan.keys(&target, replicate.population.as_ref(), &mut requests);
        requests.gets.iter().for_each(|key| keys.push(key));
    }
    let (order, _) = sorted_order(&keys);
    let key = |at: u32| keys.get(at as usize);
    let runs = order.chunk_by(|a, b| key(*a) == key(*b));
    let mut counts: Vec<(usize, &[u8])> = runs.map(|run| (run.len(), key(run[0]))).collect();
    let by_count = |a: &(usize, &[u8]), b: &(usize, &[u8])| b.0.cmp(&a.0).then(a.1.cmp(b.1));
    if counts.len() > Layout::HOT_ROWS {
        counts.select_nth_unstable_by(Layout::HOT_ROWS, by_count);
        counts.truncate(Layout::HOT_ROWS);
    }
    counts.sort_unstable_by(by_count);
    let share = |(count, key)| (RowKey::from(key), count as f64 / keys.len() as f64);
    counts.into_iter().map(share).collect()
}

/// What a read is planned for.
type ReadContext<'a> = PlanContext<'a, RowCounter>;

/// Targets of a workload's reads in one replicate.
pub(super) struct ReadTargets<'a> {
    workload: &'a Workload,
    replicate: &'a Replicate,
    pub(super) counter: RowCounter,
}

impl<'a> ReadTargets<'a> {
    pub(super) fn new(workload: &'a Workload, replicate: &'a Replicate) -> Self {
        replicate.targets.get_or_init(|| {
            replicate.with_reads(workload, |source| source.arranged(&workload.reads, DRAWN))
        });
        Self {
            workload,
            replicate,
            counter: RowCounter::new(&replicate.population),
        }
    }

    /// Combinations of its lists that one read asks for.
    pub(super) fn combinations(&self, read: usize, setup: &Setup) -> f64 {
        self.with(read, 1, setup, |context| {
            let lens = context.sample.iter().flat_map(|it| it.within_lens);
            lens.map(|len| f64::from(*len)).product()
        })
    }

    /// Targets that ways to serve a read are compared with, of which each asks for so many combinations.
    pub(super) fn compared(combinations: f64) -> usize {
        ((COMBINATIONS / combinations) as usize).clamp(FEWEST_TARGETS, TARGETS)
    }

    /// Hands over what a read is planned for: so many of its targets.
    pub(super) fn with<T>(
        &self,
        read: usize,
        targets: usize,
        setup: &Setup,
        ask: impl FnOnce(&ReadContext<'_>) -> T,
    ) -> T {
        let arranged = self.replicate.targets.get().map(|reads| &reads[read]);
        let numbers = (0..targets).map(|at| {
            let place = (2 * at + 1) * DRAWN / (2 * targets);
            arranged.map_or(place as u64, |arranged| u64::from(arranged[place]))
        });
        let mut batch = ReadBatch::default();
        let id = ReadId(read as u8);
        self.replicate.with_reads(self.workload, |source| {
            source.sample_of(id, numbers, DRAWN, &mut batch);
        });
        let width = self.replicate.generator.width();
        let targets = (0..batch.operations.len()).map(|at| batch.target(at, width));
        let targets: Vec<ReadTarget<'_>> = targets.collect();
        ask(&PlanContext {
            schema: &setup.schema,
            start: self.workload.start,
            population: &self.counter,
            sample: &targets,
            costs: costs(setup),
        })
    }
}

/// The keys of a table, and how many cells it keeps under them of the rows that a read asks for.
pub(super) fn keys(table: &KeyedTable<'_>, read: &Read) -> TableKeys {
    let families = table.setup().table.families.iter();
    let cells_of = |with: &[(FieldId, i64)]| match &row_columns(table, with)[..] {
        [] => cells(table.setup(), |_| true).0,
        columns => columns.iter().map(|it| it.share).sum(),
    };
    TableKeys {
        key: table.key.clone(),
        cell_key: table.cell_key.clone(),
        cells_of_a_write: cells_of(&read.with),
        cells_of_any: cells_of(&[]),
        versions: families.map(|it| it.spec.versions).max().unwrap_or(1),
    }
}

/// Cells of a write, and mean bytes of one besides key and the strategy's qualifier; means over what is there in the middle of the run: what was put before it, and half of
/// what it is estimated to put. Of all writes and existing rows whose fixed fields fit.
fn cells(setup: &Setup, fits: impl Fn(&[(FieldId, i64)]) -> bool) -> (f64, f64) {
    let (workload, table) = (&setup.workload, &setup.table);
    let mut sums = [0.0; 3];
    let mut add = |operations: f64, WrittenCells { family, cells }: &WrittenCells| {
        let name = CELL_STRUCTURE + table.families[*family].name.len() as u64;
        let bytes = cells
            .iter()
            .map(|it| name + it.qualifier.len() as u64 + it.value.bytes());
        let of_one = [1.0, cells.len() as f64, bytes.sum::<u64>() as f64];
        let sums = sums.iter_mut().zip(of_one);
        sums.for_each(|(sum, value)| *sum += operations * value);
    };
    for (write, cells) in workload.writes.iter().zip(&setup.written) {
        if write.kind != WriteKind::Delete && fits(&write.with) {
            add(
                0.5 * workload.estimated_operations(write, &setup.schema),
                cells,
            );
        }
    }
    let of_table = table.cells_of(0);
    for existing in workload.existing.iter().filter(|it| fits(&it.with)) {
        let rows = existing.rows.newest(workload.kept_for).len(&setup.schema);
        let written = existing
            .write
            .map(|write| &setup.written[usize::from(write.0)]);
        add(rows as f64, written.unwrap_or(&of_table));
    }
    // A table without any rows is read as it says.
    add(f64::MIN_POSITIVE, &of_table);
    let [operations, cells, bytes] = sums;
    (cells / operations, bytes / cells)
}

/// The table, of those with these keys, that serves a read of a workload most cheaply, and how. Beside each, the seconds that a row takes a scan.
pub(super) fn cheapest(
    tables: impl Iterator<Item = (TableKeys, f64)>,
    (read, workload): (&Read, &Workload),
    context: &ReadContext<'_>,
) -> (usize, AccessPlan) {
    let same = in_same_order(read, workload, context.schema);
    let plans = tables.enumerate().flat_map(|(at, (table, row))| {
        let costs = Costs {
            row,
            ..context.costs
        };
        let context = PlanContext { costs, ..*context };
        let reads = std::iter::once(read).chain(&same);
        let plans = reads.map(|read| (at, plan(&table, read, &context)));
        plans.collect::<Vec<_>>()
    });
    let seconds = |(_, plan): &(usize, AccessPlan)| plan.expected.seconds;
    let cheapest = plans.min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    cheapest.expect("there is a table")
}

/// Reads of the same newest rows, or of the same page, by another field: all rows are of one write, and its numbers and its times grow together.
fn in_same_order(read: &Read, workload: &Workload, schema: &Schema) -> Vec<Read> {
    let own = workload
        .existing
        .iter()
        .all(|it| it.write == Some(WriteId(0)));
    let grows = |field: FieldId| {
        let kind = &schema.field(field).kind;
        matches!(
            kind,
            FieldKind::Sequence { .. } | FieldKind::Timestamp { late: None, .. }
        )
    };
    let by = match (&read.newest, &read.page) {
        (Some(newest), _) => newest.field,
        (None, Some(page)) => page.field,
        (None, None) => return Vec::new(),
    };
    let (KnownField::Stored(by), [_], true) = (by, &workload.writes[..], own) else {
        return Vec::new();
    };
    // Where more is known of time, rows of another order are passed until it comes.
    let is_apart = |known: &KnownField| matches!(known, KnownField::Stored(id) if !grows(*id));
    if read.range.is_some() || !read.equal.iter().all(is_apart) {
        return Vec::new();
    }
    let fields = (0..schema.fields.len() as u16).map(FieldId);
    let others = fields.filter(|field| grows(by) && *field != by && grows(*field));
    let by_field = |field| {
        let (mut read, field) = (read.clone(), KnownField::Stored(field));
        let newest = read.newest.iter_mut().map(|it| &mut it.field);
        let fields = newest.chain(read.page.iter_mut().map(|it| &mut it.field));
        fields.for_each(|it| *it = field);
        read
    };
    others.map(by_field).collect()
}

/// What requests cost an idle server.
pub(super) fn costs(setup: &Setup) -> Costs {
    let service = setup.table.service(&setup.cluster);
    let miss = (1.0 - service.cache_hit) * service.disk_read.as_secs_f64();
    Costs {
        get: service.get.as_secs_f64() + miss,
        absent: miss * (1.0 - setup.table.passed_gets(0.0, None)),
        scan: service.scan.as_secs_f64() + miss,
        row: service.scan_row.as_secs_f64().max(LEAST_ROW),
        cell: service.scan_cell.as_secs_f64(),
        seek: ROW_SEEK.as_secs_f64() + miss,
    }
}

/// What a read asks for where this table serves it as planned; means over its targets. Its hot rows are not known yet.
fn forecast(
    read: &Read,
    (plan, counts): (AccessPlan, f64),
    laid: &LaidTable<'_>,
    context: &ReadContext<'_>,
) -> ReadForecast {
    let (setup, rows) = (laid.table.setup(), laid.rows());
    let key_bytes: usize = rows.iter().map(<[u8]>::len).sum();
    let key_bytes = key_bytes as f64 / rows.len().max(1) as f64;
    let qualifier = laid.table.strategy.qualifier.as_ref();
    let qualifier = qualifier.map(|it| it.len_range());
    let qualifier = qualifier.map_or(0.0, |(least, most)| (least + most) as f64 / 2.0);
    let mean_bytes = cells(setup, |_| true).1;
    // Of the writes that the rows which are read for a target may come from, found once for targets with the same values.
    let (writes, existing) = (&setup.workload.writes, &setup.workload.existing);
    let fixed = writes.iter().flat_map(|it| &it.with);
    let fixed = fixed.chain(existing.iter().flat_map(|it| &it.with));
    let kept: BTreeSet<FieldId> = fixed
        .map(|it| it.0)
        .filter(|it| plan.keeps_to(*it))
        .collect();
    let mut of_values: BTreeMap<Vec<i64>, f64> = BTreeMap::new();
    let mut cell_bytes_of = |target: &ReadTarget<'_>| {
        let slot = |field: &FieldId| target.record[usize::from(field.0)];
        let fits = |with: &[(FieldId, i64)]| {
            let mut with = with.iter();
            with.all(|(field, own)| !kept.contains(field) || *own == slot(field))
        };
        let bytes = of_values.entry(kept.iter().map(slot).collect());
        *bytes.or_insert_with(|| cells(setup, fits).1)
    };
    let (mut all_cells, mut more_bytes) = (f64::MIN_POSITIVE, 0.0);
    let mut expected = Expected::default();
    let (mut of_requests, mut of_reads, mut write_share) = (0.0, 0.0, 0.0);
    let (mut calls, mut rows_read) = (Vec::new(), Vec::new());
    let mut requests = Requests::default();
    let mut spans = Vec::new();
    let written = laid.written();
    for target in context.sample {
        plan.requests(target, context.population, &mut requests);
        expected.add(&requests, context.costs);
        spans.clear();
        let gets = requests.gets.iter().map(|key| laid.region_of(key));
        spans.extend(gets.map(|region| (region, region)));
        let mut of_scans = 0.0;
        let value_bytes = cell_bytes_of(target);
        all_cells += requests.cells_read();
        more_bytes += requests.cells_read() * (value_bytes - mean_bytes);
        let cell_bytes = value_bytes + key_bytes + qualifier;
        let batch_rows = scanner_rows(requests.row_cells * cell_bytes);
        for (at, scan) in requests.scans.iter().enumerate() {
            let range = (requests.starts.get(at), requests.stops.get(at));
            let share = match scan.rows > 0.0 {
                true => scan.rows_read / scan.rows,
                false => 1.0,
            };
            let (first, last) = span(laid, range, share, scan.reversed);
            of_scans += scan_calls((laid, range), (first, last), scan, batch_rows as f64);
            spans.push((first, last));
        }
        let asked: u32 = spans.iter().map(|(first, last)| last - first + 1).sum();
        of_requests += f64::from(asked) / spans.len().max(1) as f64;
        spans.sort_unstable();
        let (mut regions, mut next) = (0.0f64, 0);
        for &(first, last) in &spans {
            let first = first.max(next);
            if first <= last {
                regions += f64::from(last - first + 1);
                write_share += written[last as usize + 1] - written[first as usize];
                next = last + 1;
            }
        }
        of_reads += regions;
        // Gets are one call a server; where regions lie is not known yet.
        let of_gets = match requests.gets.is_empty() {
            true => 0.0,
            false => regions.min(f64::from(setup.cluster.servers)),
        };
        calls.push(of_gets + of_scans);
        rows_read.push(requests.rows_read());
    }
    let targets = context.sample.len() as f64;
    let [regions, of_a_request, write_share] =
        [of_reads, of_requests, write_share].map(|sum| sum / targets);
    let plan = plan.expecting(expected.of_one(context.sample.len()));
    let expected = plan.expected;
    let parts = match is_get(&plan) {
        true => expected.requests,
        // A scan opens a region after the other.
        false => expected.requests.max(regions),
    };
    let estimate = |values: &[f64]| {
        Estimate::of_every_kth(values, DRAWN).expect("there are targets, as `clamp` says")
    };
    ReadForecast {
        name: read.name.clone(),
        words: words(&plan, laid, regions, of_a_request, write_share),
        requests: expected.requests,
        counts,
        rows_read: expected.rows_read,
        rows_returned: expected.rows_returned,
        cells_read: expected.cells_read,
        cells_returned: expected.cells_returned,
        regions,
        parts,
        hot_rows: Vec::new(),
        table_regions: laid.regions().len(),
        write_share,
        calls_planned: estimate(&calls),
        rows_planned: estimate(&rows_read),
        planned: PlannedRead {
            table: laid.table.number as usize,
            get_work: SimDuration::from_nanos((expected.seconds / parts.max(1.0) * 1e9) as u64),
            plan: Arc::new(plan),
            cell_bytes: mean_bytes + key_bytes + qualifier + more_bytes / all_cells,
            row_sample: Arc::clone(rows),
        },
    }
}

/// First and last region of which a scan reads its share of the rows in `[start, stop)`.
fn span(
    laid: &LaidTable<'_>,
    (start, stop): (&[u8], &[u8]),
    share: f64,
    reversed: bool,
) -> (u32, u32) {
    let rows = laid.rows();
    let first = laid.region_of(start);
    let last = match stop.is_empty() {
        true => laid.points.len() as u32,
        false => {
            let last = laid.region_of(stop);
            let starts_there = |last: u32| laid.points[last as usize - 1].as_bytes() == stop;
            last - u32::from(last > first && starts_there(last))
        }
    };
    if share >= 1.0 || first == last {
        return (first, last);
    }
    let from = rows.below(start);
    let to = match stop.is_empty() {
        true => rows.len(),
        false => rows.below(stop).max(from),
    };
    if from == to {
        let begin = if reversed { last } else { first };
        return (begin, begin);
    }
    let read = (((to - from) as f64 * share).ceil() as usize).clamp(1, to - from);
    let region = |row: usize| laid.region_of(rows.get(row)).clamp(first, last);
    match reversed {
        true => (region(to - read), last),
        false => (first, region(from + read - 1)),
    }
}

/// Calls of a scan that reads rows in `[start, stop)` of these regions, so many a call at most: each region is opened by a call, and asked again as often as its rows take.
fn scan_calls(
    (laid, (start, stop)): (&LaidTable<'_>, (&[u8], &[u8])),
    (first, last): (u32, u32),
    scan: &ScanRequest,
    batch_rows: f64,
) -> f64 {
    let regions = f64::from(last - first + 1);
    if scan.rows_read <= batch_rows {
        return regions;
    }
    let (rows, borders) = (laid.rows(), laid.borders());
    let (from, stop) = (
        rows.below(start),
        (!stop.is_empty()).then(|| rows.below(stop)),
    );
    let to = stop.unwrap_or(rows.len()).max(from);
    let part = |keys: usize| (keys.clamp(from, to) - from) as f64 / (to - from) as f64;
    // Where the sample has no key of its range, rows lie evenly.
    let end = |region: u32| match (borders.get(region as usize), from < to) {
        (_, false) => f64::from(region - first + 1) / regions,
        (border, true) => border.map_or(1.0, |border| part(*border)),
    };
    // What the scan does not come to lies behind its rows, or before them where it is reversed.
    let behind = 1.0 - scan.rows_read / scan.rows;
    let (least, most) = match scan.reversed {
        true => (behind, 1.0),
        false => (0.0, 1.0 - behind),
    };
    let mut before = least;
    let calls = (first..=last).map(|region| {
        let until = end(region).clamp(least, most);
        let rows = (until - before) * scan.rows;
        before = until;
        // As many rows as are expected, or one more, so often that they are as many on average.
        let (whole, more) = (rows.floor(), rows.fract());
        let calls = |rows: f64| (rows / batch_rows).ceil().max(1.0);
        calls(whole) * (1.0 - more) + calls(whole + 1.0) * more
    });
    calls.sum()
}

/// "16 scans, one a bucket, each of one region; 10 rows wanted, 160 read". Regions are those of a read, and of one of its requests.
fn words(
    plan: &AccessPlan,
    laid: &LaidTable<'_>,
    regions: f64,
    of_a_request: f64,
    write_share: f64,
) -> String {
    let (all, table) = (laid.regions().len(), laid.table.number);
    let counted = |number: f64| match format!("{number:.1}").as_str() {
        "1.0" => "one region".to_owned(),
        text => format!("{} regions", text.trim_end_matches(".0")),
    };
    let one_request = plan.expected.requests < 1.5;
    let mut of_regions = match plan.path {
        AccessPath::FanOutScan if !one_request => format!(", each of {}", counted(of_a_request)),
        AccessPath::MultiGet => format!(", in {} of {all}", counted(regions)),
        AccessPath::TableScan if all == 1 => " of one region".to_owned(),
        AccessPath::TableScan => format!(" of {all} regions"),
        _ => format!(" of {}", counted(regions)),
    };
    if table > 0 {
        of_regions.push_str(&format!(" of copy {table}"));
    }
    let mut words = plan.words(&of_regions);
    let even = regions / all.max(1) as f64;
    if regions < all as f64 && write_share >= (HOT * even).max(LEAST_HOT_SHARE) {
        let share = percent_to(write_share, 0);
        words.push_str(&format!("; where {share} of the writes go"));
    }
    words
}
