//! What the library says of every quantity that the harness can measure. Must not know what was measured.

use super::tolerances::{Tolerance, rounded, tolerance};
use keyheat::cluster::WrittenCells;
use keyheat::experiment::{Experiment, Measure, StrategyResult};
use keyheat::keyspace::{Router, RowKey};
use keyheat::layout::{Asks, Layout, Replay, Replicate, StrategySample};
use keyheat::metrics::{EventKind, Series, SeriesEvent};
use keyheat::policy::SplitAlgorithm;
use keyheat::policy::balance::Balancer;
use keyheat::scenario::{Presplit, Scenario, Setup, Strategy};
use keyheat::storage::Mutation;
use keyheat::time::SimDuration;
use keyheat::workload::{LoadModel, Write, WriteId, WriteKind};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A quantity's prediction.
pub struct Prediction {
    pub tolerance: &'static Tolerance,
    /// Null where a run says no more than a lower bound: nothing is compared then.
    pub value: Value,
    /// Of a single run, by chance alone: within three of it lies what is measured. 0 where chance has no part, or replicates are no measure of it.
    pub deviation: f64,
    /// Of the scenario's text that it was predicted from.
    pub scenario_sha256: Option<String>,
}

/// By id.
pub static PREDICTIONS: LazyLock<BTreeMap<String, Prediction>> = LazyLock::new(|| {
    let file = super::folder().join("experiments");
    let text = std::fs::read_to_string(file).expect("the list of experiments is committed");
    let mut predictions = Predictions::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [program, scenario, operations, existing, _] = words[..] else {
            panic!("an experiment has five words: {line}");
        };
        let count = |text: &str| text.parse().expect("a number of operations");
        predictions.of(program, scenario, count(operations), count(existing));
    }
    predictions.all
});

/// Replicates that runs are predicted from.
const REPLICATES: u32 = 16;

/// Half the width of the 95 % interval of so many replicates, in standard errors: Student's t with 15 degrees of freedom.
const HALF_WIDTH: f64 = 2.131_450;

/// What keeps a seventeenth run as surely within as three standard deviations do that are known exactly: 3.586 of those of sixteen runs (Student's
/// t), times the root of 1 + 1/16.
const WIDER: f64 = 3.697 / 3.0;

/// An operation that is measured less often says nothing about its metrics.
const LEAST_OPERATIONS: f64 = 500.0;

/// Tables that are dealt, of each number of regions.
const DEALT: u32 = 4;

#[derive(Default)]
struct Predictions {
    all: BTreeMap<String, Prediction>,
    /// Of the scenario that is looked at.
    scenario_sha256: Option<String>,
}

impl Predictions {
    fn say(&mut self, id: String, kind: &str, value: impl Into<Value>) {
        self.say_with(id, kind, value.into(), 0.0);
    }

    fn say_with(&mut self, id: String, kind: &str, value: Value, deviation: f64) {
        let prediction = Prediction {
            tolerance: tolerance(kind),
            value,
            deviation,
            scenario_sha256: self.scenario_sha256.clone(),
        };
        assert!(
            self.all.insert(id.clone(), prediction).is_none(),
            "{id} twice"
        );
    }

    fn number(&mut self, id: String, kind: &str, value: f64) {
        self.say(id, kind, rounded(value));
    }

    fn of(&mut self, program: &str, scenario: &str, operations: usize, existing: usize) {
        self.scenario_sha256 = None;
        if program == "splits" {
            return self.splits();
        }
        let file = super::folder().join(format!("scenarios/{scenario}.toml"));
        let scenario = Scenario::load(&file).unwrap_or_else(|error| panic!("{error}"));
        if program == "dealing" {
            return self.dealing(&scenario);
        }
        self.scenario_sha256 = Some(scenario.sha256.clone());
        if matches!(program, "load" | "growth" | "families" | "starts") {
            return self.runs(&scenario, program);
        }
        for strategy in &scenario.strategies {
            let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
            let id = format!("{}/{}/", scenario.name, strategy.name);
            match program {
                "routing" => self.routing(&id, strategy, &replicate, operations),
                "reads" => self.reads(&id, strategy, &replicate, operations),
                "files" => self.files(&id, strategy, &replicate, existing),
                "cells" => self.cells(&id, strategy, &replicate, existing),
                _ => panic!("nothing predicts the program `{program}`"),
            }
        }
    }

    fn splits(&mut self) {
        const REGIONS: [i64; 26] = [
            2, 3, 4, 5, 7, 8, 10, 12, 15, 16, 20, 24, 32, 33, 50, 60, 64, 100, 128, 200, 256, 300,
            500, 512, 1000, 1024,
        ];
        for algorithm in [
            SplitAlgorithm::HexString,
            SplitAlgorithm::DecimalString,
            SplitAlgorithm::Uniform,
        ] {
            for regions in REGIONS {
                self.points(algorithm, regions, None);
            }
        }
        for regions in [3, 4, 5, 8, 10, 16, 37] {
            let range = Some(("0000000000000000", "ffffffffffffffff"));
            self.points(SplitAlgorithm::Bytes, regions, range);
        }
    }

    /// The number of split points, and a digest of their bytes.
    fn points(&mut self, algorithm: SplitAlgorithm, regions: i64, range: Option<(&str, &str)>) {
        let (first, last) = range.unzip();
        let points = algorithm
            .split_points(regions, first, last)
            .expect("HBase accepts it");
        let value = digest(points.iter().map(|point| hex(point.as_bytes())), "points");
        self.say(
            format!("splits/{}/{regions}", algorithm.name()),
            "exact",
            value,
        );
    }

    /// How evenly new tables of the file's first strategy are dealt, and whether in the order of their keys.
    fn dealing(&mut self, scenario: &Scenario) {
        for regions in [4_u32, 8, 12, 16, 32] {
            let text = scenario
                .text
                .replace("placement = \"in-order\"", "placement = \"dealt\"")
                .replace(
                    "presplit = { algorithm = \"none\" }",
                    &format!("presplit = {{ algorithm = \"uniform\", regions = {regions} }}"),
                );
            let dealt = Scenario::parse(&text, "dealing").unwrap_or_else(|error| panic!("{error}"));
            let strategy = &dealt.strategies[0];
            let servers = strategy.setup.cluster.servers;
            let (mut widest, mut in_order) = (0, 0);
            for number in 0..DEALT {
                let replicate = Replicate::new(&strategy.setup, dealt.seed, number);
                let opening = Layout::opening_servers(strategy, &replicate, 1_000);
                let count = |server| opening.iter().filter(|it| **it == server).count();
                let counts: Vec<usize> = (0..servers).map(count).collect();
                let most = counts.iter().max().expect("there are servers");
                let fewest = counts.iter().min().expect("there are servers");
                widest = widest.max(most - fewest);
                let n = servers as usize;
                in_order += u32::from((n..opening.len()).all(|at| opening[at] == opening[at - n]));
            }
            self.say(
                format!("dealing/{regions}/counts_differ_by"),
                "exact",
                widest,
            );
            if regions > servers {
                let id = format!("dealing/{regions}/tables_in_key_order");
                self.say(id, "exact", in_order);
            }
        }
    }

    /// The rows that each region gets, and the rows that there are then.
    fn routing(&mut self, id: &str, strategy: &Strategy, replicate: &Replicate, operations: usize) {
        let layout = Layout::of(strategy, replicate);
        let router = Router::new(&Layout::presplit_points(strategy, replicate)[0]);
        let mut counts = vec![0_u64; router.regions()];
        let mut keys: Vec<RowKey> = Vec::new();
        for operation in Replay::new(strategy, replicate, &layout, 0).take(operations) {
            if let Asks::Write {
                keys: mut written, ..
            } = operation.asks
            {
                let key = written.swap_remove(0);
                counts[router.locate(key.as_bytes()) as usize] += 1;
                keys.push(key);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        self.say(format!("{id}region_rows"), "exact", counts);
        self.say(format!("{id}rows"), "exact", keys.len());
    }

    /// The cells that are seen when all is written, in the order of rows and qualifiers, and how many deletes there were.
    fn cells(&mut self, id: &str, strategy: &Strategy, replicate: &Replicate, existing: usize) {
        let setup = &strategy.setup;
        let layout = Layout::of(strategy, replicate);
        let mut deletes = 0;
        let mut seen = vec![BTreeSet::new(); setup.table.families.len()];
        let mut write = |write: WriteId, row: &RowKey, parts: &[Vec<u8>]| {
            let at = usize::from(write.0);
            let WrittenCells { family, cells } = &setup.written[at];
            let own = strategy.qualifier.is_some().then(|| parts[0].as_slice());
            let names = cells
                .iter()
                .map(|cell| own.unwrap_or(cell.qualifier.as_bytes()));
            let named = names.map(|name| (row.as_bytes().to_vec(), name.to_vec()));
            if setup.workload.writes[at].kind != WriteKind::Delete {
                return seen[*family].extend(named);
            }
            deletes += 1;
            for (row, name) in named {
                // Without a name it is all of the row in its family.
                seen[*family].retain(|(of, it)| *of != row || !name.is_empty() && *it != name);
            }
        };
        for row in Replay::existing(strategy, replicate, existing) {
            write(row.write, &row.keys[0], &row.parts);
        }
        for operation in Replay::new(strategy, replicate, &layout, 0) {
            if let Asks::Write {
                write: of,
                keys,
                parts,
            } = operation.asks
            {
                write(of, &keys[0], &parts);
            }
        }
        for (family, seen) in setup.table.families.iter().zip(seen) {
            let names = seen.iter().map(|(row, name)| hex(row) + &hex(name));
            let value = digest(names, "cells");
            self.say(format!("{id}cells.{}", family.name), "exact", value);
        }
        self.say(format!("{id}deletes"), "exact", deletes);
    }

    /// What a read asks for and gets, the mean of those that the harness is given.
    fn reads(&mut self, id: &str, strategy: &Strategy, replicate: &Replicate, operations: usize) {
        let layout = Layout::of(strategy, replicate);
        for (read, forecast) in strategy.setup.workload.reads.iter().zip(&layout.reads) {
            let id = format!("{id}read.{}.", read.name);
            let replay = Replay::new(strategy, replicate, &layout, 0).take(operations);
            let asked = replay.filter_map(|operation| match operation.asks {
                Asks::Read { scans, .. } => Some(scans.len()),
                Asks::Write { .. } => None,
            });
            let asked: Vec<usize> = asked.collect();
            let scans = asked.iter().sum::<usize>() as f64 / asked.len() as f64;
            assert_eq!(scans, forecast.requests, "{id}: these reads are scans");
            self.number(format!("{id}calls"), "exact", forecast.calls_planned.mean);
            self.number(
                format!("{id}rows_read"),
                "exact",
                forecast.rows_planned.mean,
            );
        }
    }

    /// What the existing rows weigh in one store file.
    fn files(&mut self, id: &str, strategy: &Strategy, replicate: &Replicate, rows: usize) {
        let sample = StrategySample::of(strategy, Default::default, replicate);
        let size = sample.size(0.0).tables.swap_remove(0);
        assert_eq!(
            size.existing_rows, rows as f64,
            "{id}: all rows are in the file"
        );
        let row = strategy.setup.table.row_size();
        let heap = row.mutation_heap(Mutation::Put, size.key_bytes.mean as u64);
        self.number(format!("{id}cell_bytes"), "exact", size.cell_bytes);
        self.say(format!("{id}mutation_heap"), "exact", heap);
        self.number(
            format!("{id}bloom_bytes"),
            "file-size",
            size.encoded[0].bloom_bytes,
        );
        for encoded in &size.encoded {
            let encoding = encoded.encoding.name();
            let index = encoded.block_index_bytes;
            self.number(
                format!("{id}{encoding}.row_bytes"),
                "file-size",
                encoded.row_bytes,
            );
            self.number(
                format!("{id}{encoding}.block_index_bytes"),
                "file-size",
                index,
            );
        }
    }

    /// What runs of a scenario measure: the mean of several replicates. The harness replays the first one: where its rows give the split points,
    /// throughputs and shares are those of this one.
    fn runs(&mut self, scenario: &Scenario, program: &str) {
        let mut scenario = scenario.clone();
        if program == "load" {
            scenario.replicates = REPLICATES;
        }
        let results = Experiment::new(&scenario).run(|_| {});
        let window = results.duration_s - results.warmup_s;
        for (strategy, result) in scenario.strategies.iter().zip(&results.strategies) {
            let id = format!("{}/{}/", scenario.name, strategy.name);
            match program {
                "load" => self.load(&id, strategy, result, window),
                "growth" => self.growth(&id, result),
                "starts" => {
                    let starts = &result.values["balancer_starts"];
                    let starts = starts.iter().all(|count| count.is_some_and(|it| it > 0.0));
                    self.say(format!("{id}balancer_starts"), "exact", starts);
                }
                _ => self.flushes(&id, result),
            }
        }
    }

    fn load(&mut self, id: &str, strategy: &Strategy, result: &StrategyResult, window: f64) {
        const METRICS: [(&str, &str); 9] = [
            ("@throughput_per_sec", "throughput"),
            ("@failed_fraction", "failed"),
            ("@response_ms.mean", "mean"),
            ("@response_ms.p50", "mean"),
            ("@response_ms.p90", "p90"),
            ("@response_ms.p99", "p99"),
            ("@response_ms.p999", "p999"),
            ("server_max_share_overall", "share"),
            ("region_max_share_overall", "share"),
        ];
        let replayed = |name: &str| *result.values.get(name)?.first()?;
        let several: BTreeMap<_, _> = result.measures().into_iter().collect();
        let takes_its_time = takes_its_time(strategy);
        let setup = &strategy.setup;
        let moves = setup.changes.policies.balancer != Balancer::None;
        let refuses = setup.cluster.call_queue_length < u32::MAX;
        let is_sampled = matches!(strategy.presplit, Presplit::Sampled { .. });
        for side in ["write_", "read_"] {
            let offered = replayed(&format!("{side}offered_per_sec"));
            if offered.is_none_or(|rate| rate * window < LEAST_OPERATIONS) {
                continue;
            }
            for (metric, kind) in METRICS {
                let is_response = metric.starts_with("@response");
                if is_response && !takes_its_time {
                    continue;
                }
                let is_of_tail = kind == "p999";
                if is_of_tail && !(moves || refuses) {
                    continue;
                }
                let name = match metric.strip_prefix('@') {
                    Some(own) => format!("{side}{own}"),
                    None if side == "read_" => format!("{side}{metric}"),
                    None => metric.to_owned(),
                };
                let id = format!("{id}{name}");
                if is_sampled && !is_response {
                    if let Some(value) = replayed(&name) {
                        self.number(id, kind, value);
                    }
                    continue;
                }
                let Some(measure) = several.get(&name) else {
                    continue;
                };
                let Some(value) = measure.mean else { continue };
                // In the tail what is not over counts with its age, there as here.
                if measure.censored && !is_of_tail {
                    self.say(id, kind, Value::Null);
                    continue;
                }
                self.say_with(id, kind, rounded(value), deviation_of(measure));
            }
        }
        let told = |metric: &str| {
            let measure = several.get(metric).expect("it is counted");
            (measure.mean.expect("in every run"), deviation_of(measure))
        };
        if refuses {
            let (refused, _) = told("refused_calls_fraction");
            self.number(format!("{id}refused_calls_fraction"), "failed", refused);
        }
        for metric in ["splits", "moves"].into_iter().filter(|_| moves) {
            let (count, deviation) = told(metric);
            self.say_with(format!("{id}{metric}"), "splits", rounded(count), deviation);
        }
        let is_crowd = |write: &Write| matches!(&write.load, LoadModel::Open { profile, .. } if !profile.is_empty());
        if setup.workload.writes.iter().any(is_crowd) {
            let series = result.series.as_ref();
            self.backlog(id, series.expect("a run keeps its series"));
        }
    }

    /// The most operations that wait at the end of a sample, and how long after that a twentieth of it is left for good.
    fn backlog(&mut self, id: &str, series: &Series) {
        let asked = series.key_demand.iter().map(|row| row.iter().sum::<u64>());
        let done = series
            .server_completed
            .iter()
            .map(|row| row.iter().sum::<u64>());
        let (mut offered, mut completed, mut waiting) = (0, 0, Vec::new());
        for (asked, done) in asked.zip(done) {
            offered += asked;
            completed += done;
            waiting.push(offered.saturating_sub(completed));
        }
        let most = *waiting.iter().max().expect("there are samples");
        let at = waiting.iter().position(|it| *it == most);
        let last = waiting.iter().rposition(|it| *it > most / 20);
        let samples = last.zip(at).map_or(0, |(last, at)| last + 1 - at);
        self.number(format!("{id}backlog_max"), "mean", most as f64);
        let seconds = samples as f64 * series.interval_ms / 1e3;
        self.number(format!("{id}recovery_s"), "mean", seconds);
    }

    /// How often a region is flushed, and what each flush writes.
    fn flushes(&mut self, id: &str, result: &StrategyResult) {
        let series = result.series.as_ref().expect("a run keeps its series");
        let flush = |it: &&SeriesEvent| it.event == EventKind::Flush;
        let flushes: Vec<_> = series.events.iter().filter(flush).collect();
        let bytes = flushes.iter().filter_map(|flush| flush.bytes);
        let count = flushes.len() as f64;
        let between = (flushes[flushes.len() - 1].at_ms - flushes[0].at_ms) / (count - 1.0);
        for (metric, value) in [
            ("flushes", count),
            (
                "flush_bytes.mean",
                bytes.clone().sum::<u64>() as f64 / count,
            ),
            ("flush_bytes.min", bytes.clone().min().unwrap_or(0) as f64),
            ("flush_bytes.max", bytes.max().unwrap_or(0) as f64),
            ("ms_between_flushes", between),
        ] {
            self.number(format!("{id}{metric}"), "flush", value);
        }
    }

    fn growth(&mut self, id: &str, result: &StrategyResult) {
        let splits = result
            .measures()
            .into_iter()
            .find(|(name, _)| name == "splits");
        let splits = splits
            .and_then(|(_, measure)| measure.mean)
            .expect("it is counted");
        self.number(format!("{id}splits"), "splits", splits);
        let series = result.series.as_ref().expect("a run keeps its series");
        let split = |it: &&SeriesEvent| it.event == EventKind::Split;
        let events: Vec<_> = series.events.iter().filter(split).collect();
        let row = |event: &&SeriesEvent| {
            let row = RowKey::parse(event.row.as_ref()?).ok()?;
            // A split row may be a cut separator: what is missing counts as zeros.
            let mut number = [0; 8];
            number
                .iter_mut()
                .zip(row.as_bytes())
                .for_each(|(to, from)| *to = *from);
            Some(u64::from_be_bytes(number))
        };
        let mut rows: Vec<u64> = events.iter().filter_map(row).collect();
        rows.sort_unstable();
        if rows.len() > 3 {
            // A thousand rows a second.
            let first = events[0].at_ms;
            let between = (rows[rows.len() - 1] - rows[1]) as f64 / (rows.len() - 2) as f64;
            self.number(format!("{id}first_split_after_rows"), "splits", first);
            self.number(format!("{id}rows_between_splits"), "splits", between);
        }
    }
}

/// Of one run, as replicates scatter.
fn deviation_of(measure: &Measure) -> f64 {
    // A lower bound has no upper end.
    let half = measure.mean.zip(measure.low).map(|(mean, low)| mean - low);
    let error = half.unwrap_or(0.0) / HALF_WIDTH;
    error * f64::from(measure.n).sqrt() * WIDER
}

/// Whether response times are those of held handlers and of the log's syncs: HBase's own work of about half a millisecond is in neither, and a
/// write that waits in a buffer is not timed.
fn takes_its_time(strategy: &Strategy) -> bool {
    let Setup {
        cluster, workload, ..
    } = &*strategy.setup;
    let held = cluster.service.put >= SimDuration::from_millis(5);
    let synced = cluster
        .wal
        .as_ref()
        .is_some_and(|wal| wal.sync >= SimDuration::from_millis(5));
    let buffers = workload.writes.iter().any(|write| {
        matches!(
            write.load,
            LoadModel::Closed {
                buffer: Some(_),
                ..
            }
        )
    });
    (held || synced) && !buffers
}

/// How many there are, and what only the same bytes in the same order give.
fn digest(items: impl ExactSizeIterator<Item = String>, what: &str) -> String {
    let count = items.len();
    let lines: String = items.map(|item| item + "\n").collect();
    let digest = hex(&Sha256::digest(lines.as_bytes()));
    format!("{count} {what}, {}", &digest[..16])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
