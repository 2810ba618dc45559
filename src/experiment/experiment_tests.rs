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
