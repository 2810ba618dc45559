//! The same scenario and seed give the same bytes on any number of threads and for any batch size.

use keyheat::experiment::{Experiment, Metric, Results};
use keyheat::scenario::Scenario;

/// An open loop that swamps one server (refusals, retries, unfinished operations), a closed loop with a write buffer, an import, a
/// sampled pre-split that differs by replicate, random keys and draws: whatever could depend on an order.
const SCENARIO: &str = r#"
question = "Do threads or batches show?"
seed = 11
replicates = 3

[time]
duration = "1200ms"
warmup = "200ms"
sample = "100ms"

[field]
sensor = { type = "int", count = 1_000, distribution = { zipf = 0.9 } }
site   = { type = "text", values = ["eu", "us", "ap"], of = "sensor" }
ts     = { type = "timestamp", unit = "ms", late = { fraction = 0.1, up_to = "1s" } }

[write.ingest]
rate = "30k/s"
[write.batch]
clients = 6
think = "1ms"
buffer = "20KB"
[write.counters]
clients = 3
kind = "increment"

[read.newest]
equal = ["sensor"]
newest = { field = "ts", rows = 30 }
rate = "300/s"
[read.row]
equal = ["sensor", "ts"]
clients = 4

[cluster]
servers = 4
handlers = 5
call_queue_length = 20
[client]
deadline = "500ms"
pause = "10ms"

[table]
presplit = { algorithm = "sampled", regions = 9 }

[strategy.monotonic]
key = "be8(ts) || be4(sensor)"
[strategy.salted]
key = "be1(random(8)) || be8(ts) || be4(sensor)"
presplit = { algorithm = "buckets" }
[strategy.hashed]
copies = ["be4(sensor) || be8(ts)"]
key = "md5_bytes(be4(sensor) || be8(ts)) || site"

[[expect]]
strategy = "monotonic"
metric = "hotspot"
is = "moving"
[[expect]]
strategy = "salted"
metric = "write_throughput_per_sec"
ratio_to = "monotonic"
above = 1.2
"#;

fn results(threads: usize, batch: usize) -> Results {
    let scenario =
        Scenario::parse(SCENARIO, "determinism").unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario)
        .threads(threads)
        .batch(batch)
        .run(|_| ())
}

#[test]
fn results_do_not_depend_on_threads_or_batches() {
    let first = results(1, 256);
    let json = first.to_json();
    // Either is another one than in the first.
    for (threads, batch) in [(2, 37), (8, 1)] {
        let other = results(threads, batch).to_json();
        let differs = json.lines().zip(other.lines()).find(|(a, b)| a != b);
        assert!(
            json == other,
            "{threads} threads, batches of {batch}: {differs:?}"
        );
    }
    // The scenario does reach what it is meant to reach.
    let mean = |strategy: usize, name: &str| match &first.strategies[strategy].metrics[name] {
        Metric::Number(measure) => measure.mean.unwrap(),
        other => panic!("{name} is {other:?}"),
    };
    assert!(mean(0, "refused_calls_fraction") > 0.0);
    assert!(mean(0, "write_failed_fraction") > 0.0);
    assert!(mean(1, "server_peak_to_mean_overall") < 1.2);
    for strategy in &first.strategies {
        let counts = strategy.counts;
        assert_eq!(
            counts.offered,
            counts.completed + counts.failed + counts.in_flight
        );
    }
}

#[test]
fn every_run_reports_its_end_once() {
    let short = SCENARIO.replace("1200ms", "300ms");
    let scenario = Scenario::parse(&short, "determinism").unwrap_or_else(|error| panic!("{error}"));
    let experiment = Experiment::new(&scenario).threads(2);
    let told = std::sync::Mutex::new(Vec::new());
    experiment.run(|progress| told.lock().unwrap().push((progress.done, progress.total)));
    let expected: Vec<(u64, u64)> = (1..=experiment.runs()).map(|done| (done, 12)).collect();
    assert_eq!(told.into_inner().unwrap(), expected);
}
