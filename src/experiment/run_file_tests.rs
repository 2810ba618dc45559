//! Runs that were saved, read and shared out give the results of an experiment that was never interrupted, whatever happened to the file.

use super::{Experiment, ExperimentRuns, RunFile, RunFileHeader, SavedRuns, Shard};
use crate::scenario::{Options, Scenario};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads, an import that ends, a sampled pre-split, and two points: 2 points x (2 strategies x 3 replicates + 2 saturating runs).
const SCENARIO: &str = r#"
replicates = 3
[time]
duration = "300ms"
warmup = "50ms"
sample = "50ms"
[sweep]
cluster.servers = [2, 3]
[field]
sensor = { type = "int", count = 90, distribution = { zipf = 0.9 } }
ts = { type = "timestamp", unit = "ms" }
[write.ingest]
rate = "3k/s"
[write.import]
clients = 2
records = 50
[existing.ingest]
records = 500
[read.newest]
equal = ["sensor"]
newest = { field = "ts", rows = 3 }
rate = "50/s"
[table]
presplit = { algorithm = "sampled", regions = 5 }
[strategy.monotonic]
key = "be8(ts) || be4(sensor)"
[strategy.hashed]
key = "md5_bytes(be4(sensor)) || be8(ts)"
[[expect]]
strategy = "hashed"
metric = "write_throughput_per_sec"
above = 100
"#;
const RUNS: usize = 16;

fn scenario(options: &Options) -> Scenario {
    Scenario::parse_with(SCENARIO, "saved", options).unwrap_or_else(|error| panic!("{error}"))
}

fn experiment(scenario: &Scenario) -> ExperimentRuns<'_> {
    Experiment::new(scenario).threads(2).start().unwrap()
}

/// Makes the missing runs of a shard, at most so many, and appends them.
fn make(runs: &ExperimentRuns<'_>, shard: Shard, most: usize, file: RunFile) {
    let stop = AtomicBool::new(most == 0);
    let state = Mutex::new((file, 0));
    runs.run(
        shard,
        &stop,
        |_| (),
        |run| {
            let mut state = state.lock().unwrap();
            state.0.append(run).unwrap();
            state.1 += 1;
            stop.store(state.1 >= most, Ordering::Relaxed);
        },
    );
}

fn new_file(path: &Path, runs: &ExperimentRuns<'_>, shard: Shard) -> RunFile {
    RunFile::create(path, &RunFileHeader::new(runs, shard)).unwrap()
}

/// The whole experiment's `results.json`.
fn whole(scenario: &Scenario) -> String {
    Experiment::new(scenario).run(|_| {}).to_json()
}

#[test]
fn an_experiment_that_was_interrupted_at_any_run_goes_on_to_the_same_bytes() {
    let scenario = scenario(&Options::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let whole = whole(&scenario);
    for most in [0, 1, 7, RUNS] {
        let runs = experiment(&scenario);
        assert_eq!(runs.count(), RUNS);
        make(&runs, Shard::ALL, most, new_file(&path, &runs, Shard::ALL));
        let unfinished = runs.missing(Shard::ALL).len();
        // On two threads one more may be under way.
        assert!((RUNS - unfinished).abs_diff(most) <= 1, "{unfinished}");
        assert_eq!(runs.results().is_some(), unfinished == 0);

        let runs = experiment(&scenario);
        let (file, saved) = RunFile::go_on(&path).unwrap().unwrap();
        assert_eq!((saved.runs.len(), saved.cut_off), (RUNS - unfinished, 0));
        saved
            .runs
            .into_iter()
            .for_each(|run| runs.add(run).unwrap());
        make(&runs, Shard::ALL, usize::MAX, file);
        assert!(runs.results().unwrap().to_json() == whole, "{most}");
        let runs = experiment(&scenario);
        let saved = SavedRuns::read(&path).unwrap();
        saved
            .runs
            .into_iter()
            .for_each(|run| runs.add(run).unwrap());
        assert!(
            runs.results().unwrap().to_json() == whole,
            "{most}, all read"
        );
    }
}

#[test]
fn bisections_for_a_knee_are_saved_as_well() {
    let knee = "[knee]\nvary = \"write.ingest.rate\"\nfrom = \"1k/s\"\nto = \"9k/s\"\n\
        limit = [{ metric = \"utilisation_max\", below = 0.2 }]\n";
    let text = format!("{}{knee}", SCENARIO.replace("[2, 3]", "[3]"));
    let scenario = Scenario::parse(&text, "saved").unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    let merged = experiment(&scenario);
    assert_eq!(merged.count(), 2 * (3 + 3 + 1));
    for (number, name) in [
        (2, "replicate 1 of the knee of `monotonic` at point 1"),
        (4, "replicate 2 of `monotonic` at point 1"),
    ] {
        assert_eq!(merged.name(number), name);
    }
    for number in [2, 1] {
        let shard = Shard::new(number, 2).unwrap();
        // A strategy's bisections, the dearest of its runs, go to both.
        let dealt: Vec<String> = merged
            .of(shard)
            .iter()
            .map(|&run| merged.name(run))
            .collect();
        assert_eq!(
            dealt.iter().filter(|name| name.contains("knee")).count(),
            3,
            "{dealt:?}"
        );
        let path = folder.path().join(number.to_string());
        let runs = experiment(&scenario);
        make(&runs, shard, usize::MAX, new_file(&path, &runs, shard));
        let saved = SavedRuns::read(&path).unwrap();
        saved
            .runs
            .into_iter()
            .for_each(|run| merged.add(run).unwrap());
    }
    let results = merged.results().unwrap();
    assert!(results.strategies[1].knee.is_some());
    assert!(results.to_json() == whole(&scenario));
}

#[test]
fn a_run_that_was_cut_off_is_dropped_and_made_again() {
    let scenario = scenario(&Options::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let runs = experiment(&scenario);
    make(
        &runs,
        Shard::ALL,
        usize::MAX,
        new_file(&path, &runs, Shard::ALL),
    );
    let bytes = fs::read(&path).unwrap();
    let tail = |file: &[u8]| fs::write(&path, file).unwrap();
    // Cut in the last run, cut and filled with zeros, and with something else behind.
    let cut = &bytes[..bytes.len() - 9];
    for damaged in [
        cut.to_vec(),
        [cut, &[0; 40]].concat(),
        [&bytes, &b"junk"[..]].concat(),
    ] {
        tail(&damaged);
        let (mut file, saved) = RunFile::go_on(&path).unwrap().unwrap();
        assert!(saved.cut_off > 0);
        let kept = saved.runs.len();
        assert!(kept == RUNS || kept == RUNS - 1);
        file.append(&saved.runs[0]).unwrap();
        drop(file);
        let again = SavedRuns::read(&path).unwrap();
        assert_eq!((again.runs.len(), again.cut_off), (kept + 1, 0));
        let runs = experiment(&scenario);
        let mut errors = again.runs.into_iter().filter_map(|run| runs.add(run).err());
        let error = errors.next().unwrap().to_string();
        assert!(error.ends_with("is there twice"), "{error}");
    }
    // A damaged header, nothing, and a foreign file.
    for foreign in [&bytes[..30], b"", b"# keyheat", &[0x1f, 0x8b, 8, 0]] {
        tail(foreign);
        let error = SavedRuns::read(&path).unwrap_err().to_string();
        assert!(error.ends_with("is no file of saved runs"), "{error}");
        let kept = fs::read(&path).unwrap();
        RunFile::go_on(&path).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), kept);
    }
}

#[test]
fn a_file_is_written_by_one_at_a_time() {
    let scenario = scenario(&Options::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let runs = experiment(&scenario);
    let file = new_file(&path, &runs, Shard::ALL);
    let error = RunFile::go_on(&path).unwrap_err().to_string();
    assert!(error.starts_with("another keyheat is writing"), "{error}");
    drop(file);
    RunFile::go_on(&path).unwrap();
}

#[test]
fn what_differs_is_said() {
    let first = scenario(&Options::default());
    let header = |scenario: &Scenario| RunFileHeader::new(&experiment(scenario), Shard::ALL);
    let saved = header(&first);
    let differences = |options: Options| saved.differences(&header(&scenario(&options)));
    assert_eq!(differences(Options::default()), [""; 0]);
    assert_eq!(
        differences(Options {
            sets: vec!["write.ingest.rate=2k/s".into()],
            seed: Some(7),
            replicates: Some(2),
            ..Options::default()
        }),
        [
            "settings: saved none, now write.ingest.rate=2k/s",
            "seed: saved 1, now 7",
            "replicates: saved 3, now 2"
        ]
    );
    assert_eq!(
        differences(Options {
            only: vec!["hashed".into()],
            sweeps: vec!["cluster.servers=4".into()],
            ..Options::default()
        }),
        [
            "settings: saved none, now sweep cluster.servers=4, only hashed",
            "sweep: saved cluster.servers=2,3, now cluster.servers=4",
            "strategies: saved monotonic, hashed, now hashed"
        ]
    );
    let text = SCENARIO.replace("above = 100", "above = 101");
    let other = Scenario::parse(&text, "saved").unwrap();
    let differences = saved.differences(&header(&other));
    assert!(
        differences[0].starts_with("text: saved sha256 "),
        "{differences:?}"
    );
    // It is read again as it was.
    assert_eq!(
        saved.differences(&header(&saved.scenario().unwrap())),
        [""; 0]
    );
}

#[test]
fn any_number_of_shards_gives_the_bytes_of_one_machine() {
    let scenario = scenario(&Options {
        sets: vec!["time.duration=100ms".into(), "time.sample=25ms".into()],
        ..Options::default()
    });
    let whole = whole(&scenario);
    // Equal shards, unequal ones, and more shards than runs; read in either order.
    for (of, swap) in [(1, false), (2, true), (7, false), (19, true)] {
        let folder = tempfile::tempdir().unwrap();
        let merged = experiment(&scenario);
        let mut shards: Vec<Shard> = (1..=of).map(|k| Shard::new(k, of).unwrap()).collect();
        let sizes: Vec<usize> = shards.iter().map(|&shard| merged.of(shard).len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), RUNS);
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        if swap {
            shards.reverse();
        }
        for (at, &shard) in shards.iter().enumerate() {
            let path = folder.path().join(format!("{at}"));
            let runs = experiment(&scenario);
            make(&runs, shard, usize::MAX, new_file(&path, &runs, shard));
            let saved = SavedRuns::read(&path).unwrap();
            assert_eq!(saved.header.shard, shard);
            for run in saved.runs {
                merged.add(run).unwrap();
            }
        }
        assert!(merged.results().unwrap().to_json() == whole, "{of} shards");
    }
}
