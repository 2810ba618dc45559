//! Small experiments from their text to their results. Must not test what a single room can.

use super::{Experiment, Metric, Results};
use crate::scenario::Scenario;

fn results(text: &str) -> Results {
    let scenario = Scenario::parse(text, "small").unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario).run(|_| {})
}

fn mean(results: &Results, strategy: usize, metric: &str) -> Option<f64> {
    match &results.strategies[strategy].metrics[metric] {
        Metric::Number(measure) => measure.mean,
        _ => None,
    }
}

/// One handler that takes 10 ms a row, without a network or a write-ahead log.
const SLOW_SERVER: &str = "replicates = 2\n[time]\nduration = \"2s\"\nwarmup = \"10ms\"\n\
    [field]\nid = { type = \"int\", count = 9 }\n\
    [cluster]\nservers = 1\nhandlers = 1\ncall_queues = 1\nnetwork = \"0us\"\n\
    service = { distribution = \"constant\", put = \"10ms\" }\nwal = { mode = \"off\" }\n\
    [strategy.a]\nkey = \"be4(id)\"\n";

#[test]
fn a_makespan_is_that_of_the_imports_and_unknown_when_they_do_not_end() {
    let import = |clients: &str, rows: u64| {
        format!("[write.import]\n{clients}\nrecords = {rows}\n[write.other]\nrate = \"10/s\"\n")
    };
    let ended = results(&format!("{SLOW_SERVER}{}", import("clients = 1", 30)));
    let makespan = mean(&ended, 0, "makespan_ms").unwrap();
    // Thirty rows one after another, each perhaps behind one of at most a handful of others; those go on until 2 s.
    assert!((300.0..600.0).contains(&makespan), "{makespan}");
    let cut_off = results(&format!("{SLOW_SERVER}{}", import("clients = 1", 3_000)));
    assert_eq!(mean(&cut_off, 0, "makespan_ms"), None);
    let warning =
        "strategy `a`: an import does not end within `time.duration`: its makespan is unknown";
    assert!(cut_off.warnings.iter().any(|told| told == warning));
    assert!(!ended.warnings.iter().any(|told| told == warning));
    let none = results(&format!("{SLOW_SERVER}[write.w]\nrate = \"10/s\"\n"));
    assert_eq!(mean(&none, 0, "makespan_ms"), None);
}

#[test]
fn a_ratio_that_some_replicate_leaves_undefined_holds_nothing() {
    let text = format!(
        "{SLOW_SERVER}[strategy.b]\nkey = \"be4(id)\"\n[write.w]\nrate = \"40/s\"\n\
         [[expect]]\nstrategy = \"a\"\nmetric = \"write_failed_fraction\"\nratio_to = \"b\"\nbelow = 2\n\
         [[expect]]\nstrategy = \"a\"\nmetric = \"write_throughput_per_sec\"\nratio_to = \"b\"\nis = 1\n"
    );
    let results = results(&text);
    let outcomes: Vec<_> = results
        .expectations
        .iter()
        .map(|outcome| (outcome.value.to_string(), outcome.holds))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("undefined".to_owned(), false),
            ("1 [1, 1]".to_owned(), true)
        ]
    );
}

#[test]
fn gets_of_rows_that_are_not_there_are_asked_for_no_disk() {
    // Ten Gets of 1 ms, of which the one that finds its row goes to the disk for 10 ms: 20 ms. 100 a second keep
    // 2 handlers busy, 0.2 of the 10 of a server. Of 400 reads chance leaves 5 %; were all ten to go to the disk, it would be 1.1.
    let text = r#"
replicates = 1
[time]
duration = "4s"
sample = "500ms"
[cluster]
servers = 2
handlers = 10
[cluster.service]
distribution = "constant"
get = "1ms"
cache_hit = 0.0
disk_read = "10ms"
[field]
k = { type = "sequence" }
[existing.kv]
records = 10_000
last = "1h"
[write.kv]
rate = "100/s"
[read.kv]
equal = ["k"]
rate = "100/s"
[strategy.buckets]
key = "be1(random(10)) || be8(k)"
presplit = { algorithm = "buckets" }
"#;
    let results = results(text);
    let series = results.strategies[0].series.as_ref().expect("a series");
    let work = &series.server_read_work;
    let asked = work.iter().flatten().sum::<f64>() / work.len() as f64;
    assert!((asked / 0.2 - 1.0).abs() < 0.2, "{asked}");
}
