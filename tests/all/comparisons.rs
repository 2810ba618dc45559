//! What a comparison of two results may claim: nothing where nothing changed, seldom more by chance, and a small change when it is there.

use keyheat::experiment::{ChangeVerdict, Experiment, MetricChange, Results};
use keyheat::scenario::{Options, Scenario};
use std::path::Path;

/// A small cluster with one server of one handler, lightly loaded. All numbers of its load are drawn anew in each replicate.
fn scenario(seed: u64, replicates: u32, put: &str) -> String {
    format!(
        "seed = {seed}\nreplicates = {replicates}\n[time]\nduration = \"1500ms\"\nwarmup = \"300ms\"\nsample = \"100ms\"\n\
         [cluster]\nservers = 1\nhandlers = 4\ncall_queues = 1\nservice = {{ put = \"{put}\" }}\nwal = {{ mode = \"off\" }}\n\
         [field]\nid = {{ type = \"int\", count = 900 }}\n[write.w]\nrate = \"400/s\"\n\
         [strategy.a]\nkey = \"be4(id)\"\n"
    )
}

fn run(text: &str) -> Results {
    let scenario = Scenario::parse(text, "small").unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario).run(|_| {})
}

/// All changes of the only strategy.
fn changes(before: &Results, after: &Results) -> Vec<MetricChange> {
    let compared = before.compare(after, &[]).expect("no pairs are named");
    compared
        .strategies
        .into_iter()
        .next()
        .expect("one strategy")
        .metrics
}

fn change(before: &Results, after: &Results, metric: &str) -> MetricChange {
    let mut all = changes(before, after).into_iter();
    all.find(|change| change.metric == metric)
        .expect("the metric is kept")
}

#[test]
fn the_same_scenario_under_the_same_seed_is_identical() {
    let (before, after) = (run(&scenario(5, 3, "2ms")), run(&scenario(5, 3, "2ms")));
    let all = changes(&before, &after);
    assert!(all.iter().any(|it| it.verdict == ChangeVerdict::Identical));
    for change in all {
        let same = [
            ChangeVerdict::Identical,
            ChangeVerdict::Undefined,
            ChangeVerdict::LowerBound,
        ];
        assert!(same.contains(&change.verdict), "{change:?}");
        assert_eq!(change.before, change.after);
    }
}

#[test]
fn chance_alone_is_called_a_change_in_about_five_of_a_hundred_comparisons() {
    const COMPARISONS: usize = 200;
    const REPLICATES: usize = 5;
    // Replicates differ by nothing but their draws, as runs under different seeds do: groups of five are so many results.
    let metric = "write_response_ms.mean";
    let mut all = run(&scenario(7, (2 * COMPARISONS * REPLICATES) as u32, "2ms"));
    let values = std::mem::take(&mut all.strategies[0].values)
        .remove(metric)
        .expect("it is kept");
    let group = |at: usize| {
        let mut results = all.clone();
        results.seed = at as u64;
        let some = values[at * REPLICATES..][..REPLICATES].to_vec();
        results.strategies[0].values.insert(metric.to_owned(), some);
        results
    };
    let mut flagged = 0;
    for pair in 0..COMPARISONS {
        let change = change(&group(2 * pair), &group(2 * pair + 1), metric);
        flagged += match change.verdict {
            ChangeVerdict::Better | ChangeVerdict::Worse => 1,
            ChangeVerdict::NoSignificantDifference => 0,
            other => panic!("{other:?}"),
        };
    }
    // 5 % of 200 are 10 with a standard deviation of sqrt(200 x 0.05 x 0.95) = 3.1; 2 % and 9 % are 2 and 2.6 of them away.
    assert!((4..=18).contains(&flagged), "{flagged}");
}

#[test]
fn one_per_cent_more_service_time_is_found_with_twenty_replicates_and_four_are_worse() {
    let before = run(&scenario(9, 20, "2ms"));
    let than = |put| {
        let after = run(&scenario(9, 20, put));
        change(&before, &after, "write_response_ms.mean")
    };
    let change = than("2.02ms");
    assert_eq!(change.verdict, ChangeVerdict::AboutTheSame, "{change:?}");
    // Service is 2 ms of about 2.6 ms: two network ways of 0.25 ms are the same, queueing grows by a little more than 1 %.
    let (low, high) = (change.ratio.low.unwrap(), change.ratio.high.unwrap());
    assert!(
        low > 1.005 && high < 1.02 && high - low < 0.005,
        "{change:?}"
    );
    // 0.08 of 2.6 ms are 3 %.
    assert_eq!(than("2.08ms").verdict, ChangeVerdict::Worse);
}

#[test]
fn another_key_rewrites_every_row_and_other_split_points_none() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/key-change.toml");
    let options = Options {
        sets: vec![
            "time.duration=1s".to_owned(),
            "time.warmup=500ms".to_owned(),
        ],
        replicates: Some(1),
        ..Options::default()
    };
    let scenario = Scenario::load_with(&file, &options).unwrap_or_else(|error| panic!("{error}"));
    let results = Experiment::new(&scenario).run(|_| {});
    let pairs =
        ["sensor-first", "more-regions"].map(|new| ("time-first".to_owned(), new.to_owned()));
    let compared = results
        .compare(&results, &pairs)
        .expect("named as in the file");
    let [sensor_first, more_regions] = &compared.strategies[..] else {
        panic!("{:?}", compared.strategies.len());
    };
    assert_eq!(more_regions.rewrite, None);
    let rewrite = sensor_first.rewrite.as_ref().expect("the key changed");
    let rows = rewrite.rows.expect("they are counted");
    // 100 million drawn before the run, of 7.8e13 pairs of sensor and millisecond: 64 are drawn twice. 16,000 come in the second of the run.
    assert!((1e8..1e8 + 20_000.0).contains(&rows), "{rows}");
    // A cell is 134 bytes, with 2.2 bytes of mvcc number and Bloom filter.
    for bytes in [rewrite.bytes_read, rewrite.bytes_written] {
        let a_row = bytes.expect("they are counted") / rows;
        assert!((136.0..137.0).contains(&a_row), "{a_row}");
    }
}
