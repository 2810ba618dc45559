//! What failed or never finished counts: in percentiles, guards, knees, reads' costs and every view. Each scenario in `faults/` was once told as if
//! the operations that completed were all there were.

use crate::binary::{command, folder_with};
use keyheat::experiment::{Experiment, Measure, Recommendations, Results, StrategyResult};
use keyheat::report::{Format, Report, Style};
use keyheat::scenario::Scenario;

fn scenario(text: &str) -> Scenario {
    Scenario::parse(text, "fault").unwrap_or_else(|error| panic!("{error}"))
}

fn results(text: &str) -> Results {
    Experiment::new(&scenario(text)).run(|_| {})
}

#[track_caller]
fn measure(strategy: &StrategyResult, path: &str) -> Measure {
    *strategy
        .measure(path)
        .unwrap_or_else(|| panic!("{path} is missing"))
}

fn mean(strategy: &StrategyResult, path: &str) -> f64 {
    measure(strategy, path)
        .mean
        .unwrap_or_else(|| panic!("{path} is undefined"))
}

fn table(results: &Results) -> String {
    let style = Style {
        width: 160,
        ..Style::default()
    };
    Report::new(results).render(Format::Table, style)
}

#[track_caller]
fn assert_tells(text: &str, parts: &[&str]) {
    let missing = parts.iter().find(|part| !text.contains(**part));
    assert!(missing.is_none(), "{missing:?} is missing in:\n{text}");
}

/// Which expectations hold.
fn held(results: &Results) -> Vec<bool> {
    results.expectations.iter().map(|it| it.holds).collect()
}

#[test]
fn a_backlog_longer_than_the_window_leaves_its_percentiles_open() {
    let found = results(include_str!("../faults/p99-of-a-backlog.toml"));
    let one = &found.strategies[0];
    // Of the window nothing is answered: 2 s of 80k/s leave a backlog of 120k, 6 s for a server of 20k/s.
    assert_eq!(mean(one, "write_unfinished_fraction"), 1.0);
    let p99 = measure(one, "write_response_ms.p99");
    // Ages are even over the window's second: 99 % are younger than 990 ms.
    assert!(
        p99.censored && (p99.mean.unwrap() - 990.0).abs() < 10.0,
        "{p99:?}"
    );
    assert_eq!(held(&found), [false]);
    assert_tells(
        &table(&found),
        &[
            "unfinished at the end",
            "unfinished",
            "100\u{a0}%",
            ">\u{a0}99",
        ],
    );
}

#[test]
fn a_backlog_that_grows_leaves_open_what_its_oldest_operations_took() {
    // A lock lets 667 increments a second through, of 800: those of the sixth second wait for a sixth of 6 s, and would for longer in a longer run.
    let text = |seconds| {
        format!(
            "replicates = 2\n[time]\nduration = \"{seconds}s\"\nwarmup = \"1s\"\n[field]\nid = {{ type = \"int\", count = 1 }}\n\
             [write.w]\nrate = \"800/s\"\nkind = \"increment\"\n[strategy.one]\nkey = \"be4(id)\"\n"
        )
    };
    for seconds in [6, 12] {
        let found = results(&text(seconds));
        for part in ["p99", "max", "mean"] {
            let measured = measure(&found.strategies[0], &format!("write_response_ms.{part}"));
            assert!(measured.censored, "{seconds} s, {part}: {measured:?}");
        }
    }
}

#[test]
fn where_nothing_completes_no_percentile_is_known() {
    let found = results(include_str!("../faults/p99-of-nothing.toml"));
    let p99 = measure(&found.strategies[0], "write_response_ms.p99");
    assert!(p99.censored, "{p99:?}");
    assert_eq!(held(&found), [false]);
}

#[test]
fn what_fails_breaks_a_percentile_and_saturates() {
    let found = results(include_str!("../faults/slo-while-failing.toml"));
    let one = &found.strategies[0];
    let failed = mean(one, "write_failed_fraction");
    assert!(failed > 0.8, "{failed}");
    for part in ["p50", "p99", "mean", "max"] {
        assert!(
            measure(one, &format!("write_response_ms.{part}")).censored,
            "{part}"
        );
    }
    assert_eq!(held(&found), [false, false]);
    let table = table(&found);
    assert_tells(&table, &["failed"]);
    assert!(table.contains(">\u{a0}"), "{table}");
}

#[test]
fn a_read_that_never_completes_has_a_planned_cost_and_no_percentile() {
    let found = results(include_str!("../faults/unfinished-reads.toml"));
    let read = &found.strategies[0].reads[0];
    assert_eq!(read.counts.completed, 0);
    // A row an hour of each of a million objects over ten days.
    let rows = read.rows_planned.mean.unwrap();
    assert!((rows / 240e6 - 1.0).abs() < 0.02, "{rows}");
    assert_eq!((read.calls.mean, read.rows_read.mean), (None, None));
    assert!(read.response_ms.as_ref().unwrap()["p50"].censored);
    assert_eq!(held(&found), [false, true]);
}

#[test]
fn the_cost_of_a_read_is_that_of_all_its_reads_not_of_those_that_completed() {
    let found = results(include_str!("../faults/newest-of-a-conversation.toml"));
    let [conv, time] = &found.strategies[..] else {
        panic!("two strategies")
    };
    // Where all complete, both are the same: 50 rows at most.
    let (planned, read) = (&conv.reads[0].rows_planned, &conv.reads[0].rows_read);
    let close = (planned.mean.unwrap() / read.mean.unwrap() - 1.0).abs();
    assert!(close < 0.02, "{planned:?} {read:?}");
    let (planned, read) = (&time.reads[0].rows_planned, &time.reads[0].rows_read);
    let offered = time.reads[0].counts.offered;
    assert!(
        time.reads[0].counts.completed < offered * 4 / 5,
        "{:?}",
        time.reads[0].counts
    );
    // Those that complete are some share of the window's reads. They read at least what the hottest conversations with this share (less four standard
    // errors of it, by chance) take, and at most what all handlers can read in the run.
    let setup =
        &scenario(include_str!("../faults/newest-of-a-conversation.toml")).strategies[1].setup;
    let share = 1.0 - mean(time, "read.newest50.unfinished_fraction");
    let of_window = 5.0 / 6.0 * offered as f64;
    let least = rows_of_the_hottest(share - 4.0 * (share * (1.0 - share) / of_window).sqrt());
    let cluster = &setup.cluster;
    let handlers = f64::from(cluster.servers * cluster.handlers);
    let rows_of_a_run = handlers * 6.0 / cluster.service.scan_row.as_secs_f64();
    let most = 2.0 * rows_of_a_run / (share * of_window);
    let read = read.mean.unwrap();
    assert!(least < read && read < most, "{read}: {least} to {most}");
    // By its law a read takes 50 rows for each of 20,000 conversations: more than twice as many as those that complete can.
    assert!(planned.mean.unwrap() > most, "{planned:?}, {most}");
    assert!(
        planned.low.is_some() && planned.high.is_some(),
        "{planned:?}"
    );
    let (expected, spread) = expected_rows();
    // Four standard errors of a mean over the reads of both windows, which are five sixths of all.
    let most = 4.0 * spread / (5.0 / 6.0 * offered as f64).sqrt();
    let off = (planned.mean.unwrap() - expected).abs();
    assert!(off < most, "{planned:?}, expected {expected} within {most}");
    assert_eq!(held(&found), [false]);
    assert!(
        found.expectations[0]
            .to_string()
            .contains("`rows_planned` is that of all"),
        "{}",
        found.expectations[0]
    );
    // Every sentence, title and table tells the planned number.
    let told = keyheat_rows(planned.mean.unwrap());
    assert!(
        table(&found).matches(&told).count() >= 2,
        "{told} in {}",
        table(&found)
    );
}

/// Three digits, as tables have them.
fn keyheat_rows(rows: f64) -> String {
    keyheat::report::number::NumberFormat::Compact.text(rows)
}

/// Rows that lie between now and the fiftieth newest message of a conversation, mean and standard deviation over the law by which both writes
/// and reads choose it: where it has a share p of the rows, 50 of them are met after 50 / p. The rarest has 1 of 370,000 of 36 million rows.
fn expected_rows() -> (f64, f64) {
    let weights = (1..=20_000).map(|rank| f64::from(rank).powf(-1.1));
    let total: f64 = weights.clone().sum();
    let shares = weights.map(|weight| weight / total);
    let moment = |power: i32| {
        let rows = shares
            .clone()
            .map(|share| share * (50.0 / share).powi(power));
        rows.sum::<f64>()
    };
    let mean = moment(1);
    (mean, (moment(2) - mean * mean).sqrt())
}

/// The mean of the same rows over the most frequent conversations that have `share` of the reads.
fn rows_of_the_hottest(share: f64) -> f64 {
    let weights = (1..=20_000).map(|rank| f64::from(rank).powf(-1.1));
    let total: f64 = weights.clone().sum();
    let (mut sum, mut conversations) = (0.0, 0.0);
    for weight in weights {
        if sum >= share {
            break;
        }
        sum += weight / total;
        conversations += 1.0;
    }
    50.0 * conversations / sum
}

#[test]
fn a_knee_breaks_where_operations_fail_and_the_recommended_key_is_not_the_monotonic_one() {
    let scenario = scenario(include_str!("../faults/knee-of-failing.toml"));
    let found = Experiment::new(&scenario).run(|_| {});
    let [rising, hashed] = &found.strategies[..] else {
        panic!("two strategies")
    };
    let knee = measure(rising, "knee_in_servers");
    // One of four servers at a time. What a percentile of a window of 1 s lets pass beyond is 50 ms of it, and the grid's step 10 %.
    assert!(
        !knee.censored && (0.8..1.2).contains(&knee.mean.unwrap()),
        "{knee:?}"
    );
    assert!(mean(hashed, "knee_in_servers") <= 4.0);
    assert_eq!(held(&found), [false]);
    let advice = Recommendations::of(&scenario, &found);
    assert_eq!(advice.groups[0].strategies[0].name, "hashed");
}

#[test]
fn servers_that_are_all_asked_for_too_much_are_hot_without_skew() {
    let found = results(include_str!("../faults/hot-everywhere.toml"));
    let one = &found.strategies[0];
    assert_eq!(mean(one, "hot_time_fraction"), 1.0);
    assert_eq!(mean(one, "skewed_time_fraction"), 0.0);
}

#[test]
fn what_a_server_can_do_is_what_its_memstores_let_it() {
    let found = results(include_str!("../faults/held-by-memstores.toml"));
    let one = &found.strategies[0];
    let done = mean(one, "write_throughput_per_sec");
    let capacity = mean(one, "server_capacity_per_sec");
    assert!(mean(one, "region_too_busy_fraction") > 0.01);
    // The capacity is that of the first replicate on one server that holds one region, with ten clients for each of 30 handlers: this run, but for when they start.
    // It and the replicates differ by where the window cuts the turns of filling and waiting. A turn takes a held flush, 900 ms (a hundredth of the 90 s that a
    // flush is held at most), in which the region takes 2 MB, and then 1 MB up to a flush that is not held: 3 MiB of rows of at least 1 KB. So a
    // turn takes at most 3,072 rows, of which 6 s have 6.7 turns at most.
    let (turn, turns) = (3.0 * 1_048_576.0 / 1_000.0, 6.0 / 0.9);
    assert!(done <= (turns + 1.0) * turn / 6.0, "{done}");
    let apart = (capacity - done).abs() * 6.0;
    assert!(apart <= turn, "{done} of {capacity}");
}

#[test]
fn a_run_whose_operations_fail_or_never_finish_ends_with_1() {
    for fault in [
        include_str!("../faults/p99-of-a-backlog.toml"),
        include_str!("../faults/p99-of-nothing.toml"),
        include_str!("../faults/slo-while-failing.toml"),
    ] {
        let folder = folder_with("fault.toml", fault);
        let run = ["run", "fault.toml", "--out", "out"];
        command(folder.path()).args(run).assert().code(1);
    }
}
