//! How a strategy serves its reads: the cheapest access path among its table and copies, and the regions that it asks. Must not
//! simulate.

use super::key_sample::KeySample;
use super::keyed_table::KeyedTable;
use super::starting_regions::LaidCopy;
use super::{Layout, ReadForecast, RegionForecast, Replicate};
use crate::cluster::ClusterSpec;
use crate::engine::{PlannedRead, TableCopy, scan_calls, scanner_rows};
use crate::key::KeyPlan;
use crate::keyspace::{KeyBatch, Router, RowKey};
use crate::query::{AccessPath, AccessPlan, Costs, Expected, PlanContext, Requests, plan};
use crate::scenario::{Setup, Strategy};
use crate::statistics::Estimate;
use crate::time::SimDuration;
use crate::workload::{Choice, Read, ReadBatch, ReadId, ReadSource, ReadTarget, Workload};
use std::sync::Arc;

/// Targets that ways to serve a read are compared with.
const TARGETS: usize = 32;

/// Targets that a read's costs are averaged over, where they are not many requests.
const COSTED: usize = 1_024;

/// Requests that are worked out for a read's costs: some hundredths of a second.
const REQUESTS: f64 = 16_384.0;

/// To find where a page begins takes as long as so many requests: a search in the counts of a table of any size (estimate).
const REQUESTS_OF_A_PAGE: f64 = 128.0;

/// Targets of which these are every k-th one: where they alone are left to chance, a cost with a standard deviation of 1.8 times its mean is known
/// to 1.4 % (1.96 x 1.8 / sqrt(65,536)).
const DRAWN: usize = 1 << 16;

/// Gets that show which rows are hot: a share of a tenth is then known to 2 % of it (one standard error, sqrt(0.1 x 0.9 / 20,000)).
const GETS: usize = 20_000;

/// Rows that show how a table's rows lie over its regions.
const ROWS: usize = 1 << 16;

/// Regions of so many times their part of the writes are called write-hot.
const HOT: f64 = 2.0;

/// A table or copy, laid out.
struct LaidOut<'a> {
    key: &'a Arc<KeyPlan>,
    router: Router,
    regions: Vec<RegionForecast>,
    rows: Arc<KeyBatch>,
}

/// The strategy's reads; `run` is a sample of the run under its own key.
pub(super) fn of(
    strategy: &Strategy,
    replicate: &Replicate,
    run: &KeySample,
    points: &Arc<Vec<RowKey>>,
    regions: &[RegionForecast],
    copies: &[LaidCopy],
) -> Vec<ReadForecast> {
    let workload = &strategy.setup.workload;
    if workload.reads.is_empty() {
        return Vec::new();
    }
    let own = KeyedTable::of(strategy, replicate);
    let mut tables = vec![LaidOut {
        key: &strategy.key,
        router: Router::new(points),
        regions: regions.to_vec(),
        rows: rows(&own, run),
    }];
    let copies = copies.iter().map(|copy| {
        let TableCopy { key, split_points } = &copy.table;
        LaidOut {
            key,
            router: Router::new(split_points),
            regions: copy.start.forecast(key, &copy.sample),
            rows: rows(&own.under(key), &copy.sample),
        }
    });
    tables.extend(copies);
    let mut targets = ReadTargets::new(workload, replicate);
    let reads = workload.reads.iter().enumerate().map(|(at, read)| {
        let (table, plan) = targets.with(at, &strategy.setup, |read, context| {
            let keys = tables.iter().map(|table| table.key);
            cheapest(keys, read, context)
        });
        let laid_out = &tables[table];
        let asked = targets.with_many(at, &plan, &strategy.setup, |context| {
            Asked::of(&plan, laid_out, context, &strategy.setup)
        });
        let plan = plan.expecting(asked.expected);
        let expected = plan.expected();
        let is_get = matches!(plan.path(), AccessPath::Get | AccessPath::MultiGet);
        let hot_rows = match read.drive.is_some() && is_get {
            true => hot_rows(&plan, &mut targets.source, ReadId(at as u8), replicate),
            false => Vec::new(),
        };
        let parts = match plan.path() {
            AccessPath::Get | AccessPath::MultiGet => expected.requests,
            // A scan opens a region after the other.
            _ => expected.requests.max(asked.regions),
        };
        let part_nanos = expected.seconds / parts.max(1.0) * 1e9;
        ReadForecast {
            name: read.name.clone(),
            words: words(&plan, &asked, laid_out, table),
            requests: expected.requests,
            rows_read: expected.rows_read,
            rows_returned: expected.rows_returned,
            regions: asked.regions,
            parts,
            hot_rows,
            table_regions: laid_out.regions.len(),
            write_share: asked.write_share,
            calls_planned: asked.calls,
            rows_planned: asked.rows,
            planned: PlannedRead {
                table,
                part_work: SimDuration::from_nanos(part_nanos as u64),
                plan: Arc::new(plan),
                row_sample: laid_out.rows.clone(),
            },
        }
    });
    reads.collect()
}

/// The most frequent rows of a read's Gets, with their shares of them. O(n log n) in [`GETS`].
fn hot_rows(
    plan: &AccessPlan,
    source: &mut ReadSource,
    read: ReadId,
    replicate: &Replicate,
) -> Vec<(RowKey, f64)> {
    let width = replicate.generator.width();
    let targets = (GETS as f64 / plan.expected().requests.max(1.0)).max(TARGETS as f64) as usize;
    let mut batch = ReadBatch::default();
    source.sample(read, targets, &mut batch);
    let mut requests = Requests::default();
    let mut keys: Vec<RowKey> = Vec::with_capacity(GETS);
    for at in 0..batch.len() {
        let target = batch.target(at, width);
        plan.requests(&target, replicate.population.as_ref(), &mut requests);
        keys.extend(requests.gets.iter().map(RowKey::from));
    }
    keys.sort_unstable();
    let runs = keys.chunk_by(|a, b| a == b);
    let mut counts: Vec<(usize, &RowKey)> = runs.map(|run| (run.len(), &run[0])).collect();
    counts.sort_unstable_by_key(|&(count, key)| (std::cmp::Reverse(count), key));
    let share = |&(count, key): &(usize, &RowKey)| (key.clone(), count as f64 / keys.len() as f64);
    counts.iter().take(Layout::HOT_ROWS).map(share).collect()
}

/// A row of a scan costs at least this, in seconds, where ways to serve a read are compared (estimate: ten million rows a second):
/// at a price of nothing the one scan of the whole table would always be the cheapest way.
const LEAST_ROW: f64 = 0.1e-6;

/// Targets of a workload's reads in one replicate.
pub(super) struct ReadTargets<'a> {
    workload: &'a Workload,
    replicate: &'a Replicate,
    source: ReadSource,
}

impl<'a> ReadTargets<'a> {
    pub(super) fn new(workload: &'a Workload, replicate: &'a Replicate) -> Self {
        let mut source = ReadSource::new(workload, replicate.generator.clone());
        replicate.targets.get_or_init(|| {
            let reads = (0..workload.reads.len()).map(|read| ReadId(read as u8));
            reads.map(|read| source.arranged(read, DRAWN)).collect()
        });
        Self {
            workload,
            replicate,
            source,
        }
    }

    /// Hands over a read with what it is planned for.
    pub(super) fn with<T>(
        &mut self,
        read: usize,
        setup: &Setup,
        plan: impl FnOnce(&Read, &PlanContext<'_>) -> T,
    ) -> T {
        self.with_some(read, TARGETS, setup, plan)
    }

    /// Hands over what a read's costs are averaged over: as many targets as can be worked out soon.
    fn with_many<T>(
        &mut self,
        read: usize,
        plan: &AccessPlan,
        setup: &Setup,
        cost: impl FnOnce(&PlanContext<'_>) -> T,
    ) -> T {
        // Every combination of lists is counted for each target, whatever it takes to read them.
        let combinations = self.with_some(read, 1, setup, |read, context| {
            let lens = context.sample.iter().flat_map(|it| it.within_lens);
            let page = match read.page {
                Some(_) => REQUESTS_OF_A_PAGE,
                None => 1.0,
            };
            lens.fold(page, |all, len| all * f64::from(*len))
        });
        let each = plan.expected().requests.max(combinations).max(1.0);
        let targets = ((REQUESTS / each) as usize).clamp(TARGETS, COSTED);
        self.with_some(read, targets, setup, |_, context| cost(context))
    }

    fn with_some<T>(
        &mut self,
        read: usize,
        targets: usize,
        setup: &Setup,
        ask: impl FnOnce(&Read, &PlanContext<'_>) -> T,
    ) -> T {
        let generator = &self.replicate.generator;
        let arranged = self.replicate.targets.get().map(|reads| &reads[read]);
        let numbers = (0..targets).map(|at| {
            let place = (2 * at + 1) * DRAWN / (2 * targets);
            arranged.map_or(place as u64, |arranged| u64::from(arranged[place]))
        });
        let mut batch = ReadBatch::default();
        let id = ReadId(read as u8);
        self.source.sample_of(id, numbers, DRAWN, &mut batch);
        let width = generator.width();
        let targets = (0..batch.len()).map(|at| batch.target(at, width));
        let targets: Vec<ReadTarget<'_>> = targets.collect();
        let context = PlanContext {
            schema: &setup.schema,
            start: self.workload.start,
            population: self.replicate.population.as_ref(),
            sample: &targets,
            costs: costs(&setup.cluster),
        };
        ask(&self.workload.reads[read], &context)
    }
}

/// The table, of those with these keys, that serves a read most cheaply, and how.
pub(super) fn cheapest<'a>(
    keys: impl Iterator<Item = &'a Arc<KeyPlan>>,
    read: &Read,
    context: &PlanContext<'_>,
) -> (usize, AccessPlan) {
    let plans = keys.map(|key| plan(key, read, context));
    let seconds = |(_, plan): &(usize, AccessPlan)| plan.expected().seconds;
    let cheapest = plans
        .enumerate()
        .min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    cheapest.expect("there is a table")
}

fn costs(cluster: &ClusterSpec) -> Costs {
    let service = &cluster.service;
    let miss = (1.0 - service.cache_hit) * service.disk_read.as_secs_f64();
    Costs {
        get: service.get.as_secs_f64() + miss,
        scan: service.scan.as_secs_f64() + miss,
        row: service.scan_row.as_secs_f64().max(LEAST_ROW),
    }
}

/// Sorted keys of rows of the table as it is in the middle of the run, each standing for as many.
pub(super) fn rows(table: &KeyedTable<'_>, run: &KeySample) -> Arc<KeyBatch> {
    let schema = table.replicate.generator.schema();
    let workload = &table.setup.workload;
    let existing = workload.existing_rows(schema) as f64;
    let writes = workload.writes.iter();
    let planned: f64 = writes
        .map(|write| workload.estimated_operations(write, schema))
        .sum();
    // Half of what the run writes is there, on average.
    let total = (existing + planned / 2.0).max(1.0);
    let from_existing = (ROWS as f64 * existing / total).ceil() as usize;
    let from_run = (ROWS as f64 * planned / 2.0 / total) as usize;
    let existing = || table.existing(from_existing, Choice::Spread);
    let existing = (from_existing > 0).then(existing);
    let mut keys: Vec<&[u8]> = existing.as_ref().map(KeySample::sorted).unwrap_or_default();
    let taken = from_run.min(run.len());
    keys.extend((0..taken).map(|at| run.keys().get(at * run.len() / taken)));
    keys.sort_unstable();
    let mut sorted = KeyBatch::default();
    for key in keys {
        sorted.push_with(|out| out.extend_from_slice(key));
    }
    Arc::new(sorted)
}

/// What reads ask for; means over their targets.
#[derive(Debug)]
struct Asked {
    expected: Expected,
    /// Different ones of a read.
    regions: f64,
    /// Of one request.
    regions_of_a_request: f64,
    /// Share of the run's writes that go to a read's regions.
    write_share: f64,
    calls: Estimate,
    rows: Estimate,
}

impl Asked {
    fn of(
        plan: &AccessPlan,
        table: &LaidOut<'_>,
        context: &PlanContext<'_>,
        setup: &Setup,
    ) -> Self {
        let batch_rows = scanner_rows(&setup.table, table.key_bytes());
        let servers = f64::from(setup.cluster.servers);
        let mut expected = Expected::default();
        let (mut of_requests, mut of_reads, mut write_share) = (0.0, 0.0, 0.0);
        let (mut calls, mut rows) = (Vec::new(), Vec::new());
        let mut requests = Requests::default();
        let mut spans = Vec::new();
        // Share of the writes that go to the first i regions.
        let mut written = vec![0.0; 1];
        written.extend(table.regions.iter().scan(0.0, |sum, region| {
            *sum += region.write_share;
            Some(*sum)
        }));
        for target in context.sample {
            plan.requests(target, context.population, &mut requests);
            expected.add(&requests, context.costs);
            spans.clear();
            let gets = requests.gets.iter().map(|key| table.router.locate(key));
            spans.extend(gets.map(|region| (region, region)));
            let mut of_scans = 0.0;
            for (at, scan) in requests.scans.iter().enumerate() {
                let range = (requests.starts.get(at), requests.stops.get(at));
                let share = match scan.rows > 0.0 {
                    true => scan.rows_read / scan.rows,
                    false => 1.0,
                };
                let (first, last) = table.span(range, share, scan.reversed);
                of_scans += scan_calls(f64::from(last - first + 1), scan.rows_read, batch_rows);
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
                false => regions.min(servers),
            };
            calls.push(of_gets + of_scans);
            rows.push(requests.rows_read());
        }
        let targets = context.sample.len();
        let reads = targets as f64;
        let estimate = |values: &[f64]| {
            Estimate::of_every_kth(values, DRAWN).expect("there are targets, as `clamp` says")
        };
        Self {
            expected: expected.of_one(targets),
            regions: of_reads / reads,
            regions_of_a_request: of_requests / reads,
            write_share: write_share / reads,
            calls: estimate(&calls),
            rows: estimate(&rows),
        }
    }
}

impl LaidOut<'_> {
    /// Mean length of its keys.
    fn key_bytes(&self) -> u64 {
        let bytes: usize = self.rows.iter().map(<[u8]>::len).sum();
        (bytes / self.rows.len().max(1)) as u64
    }

    /// First and last region of which a scan reads its share of the rows in `[start, stop)`.
    fn span(&self, (start, stop): (&[u8], &[u8]), share: f64, reversed: bool) -> (u32, u32) {
        let first = self.router.locate(start);
        let last = match stop.is_empty() {
            true => self.regions.len() as u32 - 1,
            false => {
                let last = self.router.locate(stop);
                last - u32::from(last > first && self.router.start(last) == stop)
            }
        };
        if share >= 1.0 || first == last {
            return (first, last);
        }
        let below = |key: &[u8]| {
            let mut keys = 0..self.rows.len();
            while !keys.is_empty() {
                let middle = keys.start.midpoint(keys.end);
                if self.rows.get(middle) < key {
                    keys.start = middle + 1;
                } else {
                    keys.end = middle;
                }
            }
            keys.start
        };
        let from = below(start);
        let to = match stop.is_empty() {
            true => self.rows.len(),
            false => below(stop).max(from),
        };
        if from == to {
            let begin = if reversed { last } else { first };
            return (begin, begin);
        }
        let read = (((to - from) as f64 * share).ceil() as usize).clamp(1, to - from);
        if reversed {
            let least = self.router.locate(self.rows.get(to - read));
            (least.clamp(first, last), last)
        } else {
            let greatest = self.router.locate(self.rows.get(from + read - 1));
            (first, greatest.clamp(first, last))
        }
    }
}

/// "16 scans, one a bucket, each of one region; 10 rows wanted, 160 read".
fn words(plan: &AccessPlan, asked: &Asked, laid_out: &LaidOut<'_>, table: usize) -> String {
    let all = laid_out.regions.len();
    let counted = |number: f64| match format!("{number:.1}").as_str() {
        "1.0" => "one region".to_owned(),
        text => format!("{} regions", text.trim_end_matches(".0")),
    };
    let one_request = plan.expected().requests < 1.5;
    let mut of_regions = match plan.path() {
        AccessPath::Get | AccessPath::Scan | AccessPath::BucketScan => {
            format!(" of {}", counted(asked.regions))
        }
        AccessPath::FanOutScan if one_request => format!(" of {}", counted(asked.regions)),
        AccessPath::FanOutScan => format!(", each of {}", counted(asked.regions_of_a_request)),
        AccessPath::MultiGet => format!(", in {} of {all}", counted(asked.regions)),
        AccessPath::TableScan if all == 1 => " of one region".to_owned(),
        AccessPath::TableScan => format!(" of {all} regions"),
    };
    if table > 0 {
        of_regions.push_str(&format!(" of copy {table}"));
    }
    let mut words = plan.words_with(&of_regions);
    let even = asked.regions / all.max(1) as f64;
    if asked.regions < all as f64 && asked.write_share >= HOT * even {
        let percent = 100.0 * asked.write_share;
        words.push_str(&format!("; where {percent:.0} % of the writes go"));
    }
    words
}
