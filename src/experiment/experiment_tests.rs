//! Small experiments from their text to their results. Must not test what a single room can.

use super::{Experiment, Metric, Results};
use crate::metrics::Side;
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

/// Of 11 writes one is a preview of 30,720 B, all of these of one tenant, hence on one server of four; a row has 44 B besides, and the others have values of 100 B. Of W
/// writes a second that server's log has W x (30,764 / 11 + 144 x 10 / 11 / 4) = 2,829 W bytes at least, and is full with 2 MiB/s at 741 W. Some 800 previews in
/// two replicates vary by 3.5 %, and which of the others' tenants lie there by less.
#[test]
fn rows_of_unlike_size_fill_the_log_of_the_server_that_has_the_large_ones() {
    let text = "replicates = 2\n[time]\nduration = \"12s\"\nwarmup = \"2s\"\nsample = \"1s\"\n\
        [cluster]\nservers = 4\nwal = { bandwidth = \"2MB/s\" }\n\
        [field]\ntenant = { type = \"int\", count = 400 }\nitem = { type = \"uuid\" }\n\
        [write.meta]\nrate = \"400/s\"\ncells = { m = \"100B\" }\n\
        [write.preview]\nrate = \"40/s\"\nwith = { tenant = 7 }\ncells = { p = \"30KB\" }\n\
        [table]\npresplit = { algorithm = \"uniform\", regions = 16 }\n\
        [strategy.tenant]\nkey = \"left(md5_bytes(be2(tenant)), 4) || be2(tenant) || item\"\n\
        [strategy.item]\nkey = \"item || be2(tenant)\"\n";
    let found = results(text);
    let usable = |strategy| mean(&found, strategy, "usable_capacity_per_sec").unwrap();
    assert!((usable(0) / 741.0 - 1.0).abs() < 0.11, "{}", usable(0));
    // Spread over all four, they leave room for almost four times as many.
    assert!(usable(1) > 3.0 * usable(0), "{}", usable(1));
}

/// Each of ten documents is appended to W times in ten seconds, so that a value has 100 x (W + 1) / 2 bytes on average, and a cell 26 B besides: the log takes W x (76 + 50 W) of
/// its 1,048,576 bytes a second with W = 144, whatever the file's own rate is. Where each has 100 x 100 B from before the run, W x (76 + 10,000 + 50 W) fill it with W = 75.7. It varies by
/// the number of writes, by 3 % at the lower rate.
#[test]
fn values_that_grow_with_the_rate_fill_the_log_at_the_same_rate_whatever_is_offered() {
    for (rate, existing, right) in [
        (50, "", 144.0),
        (100, "", 144.0),
        (50, "[existing.log]\nrecords = 1_000\n", 75.7),
    ] {
        let found = results(&format!(
            "replicates = 2\n[time]\nduration = \"10s\"\nwarmup = \"1s\"\nsample = \"1s\"\n\
             [cluster]\nservers = 1\nwal = {{ bandwidth = \"1MB/s\" }}\n[field]\ndoc = {{ type = \"int\", count = 10 }}\n\
             [write.log]\nrate = \"{rate}/s\"\nkind = \"append\"\n{existing}[table]\nvalue = \"100B\"\n[strategy.doc]\nkey = \"be4(doc)\"\n"
        ));
        let usable = mean(&found, 0, "usable_capacity_per_sec").unwrap();
        assert!((usable / right - 1.0).abs() < 0.09, "{rate}: {usable}");
    }
}

/// Statements of one account, two fifths of the table, are scans of 20 ms, and Gets of all accounts take 1.2 ms: servers have as many Gets and scans as each other, but one has the
/// account's rows. What servers are asked for is what they are busy with: the two differ by how the times of some 600 scans vary, less than 5 %.
#[test]
fn servers_are_asked_for_the_time_of_the_rows_that_scans_read() {
    let found = results(
        "replicates = 2\n[time]\nduration = \"6s\"\nwarmup = \"1s\"\nsample = \"500ms\"\n\
         [cluster]\nservers = 4\nhandlers = 6\n\
         [field]\nacct = { type = \"int\", count = 500, distribution = { top = [0.1] } }\ntx = { type = \"uuid\" }\n\
         [write.tx]\nrate = \"500/s\"\n[existing.tx]\nrecords = 200_000\n\
         [read.one]\nequal = [\"acct\", \"tx\"]\nrate = \"2k/s\"\n\
         [read.all]\nequal = [\"acct\"]\npick = { acct = { hotspot = { keys = 0.002, load = 0.95 } } }\nrate = \"120/s\"\n\
         [table]\npresplit = { algorithm = \"sampled\", regions = 16 }\n[strategy.at]\nkey = \"be2(acct) || tx\"\n",
    );
    let [asked, busiest, busy] = ["demand_peak_to_mean", "utilisation_max", "utilisation_mean"]
        .map(|metric| mean(&found, 0, metric).unwrap());
    assert!(busiest / busy > 1.4, "{busiest} {busy}");
    assert!(
        (asked / (busiest / busy) - 1.0).abs() < 0.05,
        "{asked} {busiest} {busy}"
    );
    let verdict = &found.strategies[0].verdict;
    let told = "Static hotspot: reads that take long lie in one range of keys, so one of 4 servers is asked for ";
    assert!(verdict.starts_with(told), "{verdict}");
}

/// Writes go evenly to all accounts, and two fifths of the Gets ask for one account, which is one range of keys: the hotspot is of the reads alone.
#[test]
fn a_hotspot_of_reads_alone_is_the_strategys() {
    let found = results(
        "replicates = 2\n[time]\nduration = \"4s\"\nwarmup = \"1s\"\nsample = \"500ms\"\n[cluster]\nservers = 8\n\
         [field]\nacct = { type = \"int\", count = 500 }\ntx = { type = \"int\", count = 400 }\n\
         [write.tx]\nrate = \"2k/s\"\n[existing.tx]\nrecords = 200_000\n\
         [read.one]\nequal = [\"acct\", \"tx\"]\npick = { acct = { top = [0.4] } }\nrate = \"4k/s\"\n\
         [table]\npresplit = { algorithm = \"sampled\", regions = 16 }\n[strategy.at]\nkey = \"be2(acct) || be2(tx)\"\n",
    );
    let one = &found.strategies[0];
    assert_eq!(one.load_hotspot(), Some("none"));
    assert_eq!(one.hotspot(), Some(("static", Side::Read)));
    assert_eq!(one.hotspot_text().as_deref(), Some("static (reads)"));
    assert!(
        one.is_hot() && one.verdict.starts_with("Static hotspot"),
        "{}",
        one.verdict
    );
    let ranked = found.recommended.iter().flat_map(|it| &it.strategies);
    let shown: Vec<_> = ranked.map(|it| it.hotspot.as_deref()).collect();
    assert_eq!(shown, [Some("static (reads)")]);
}
