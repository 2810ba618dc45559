//! Changes of a scenario that must not change its answers, or must change them in a way that is known beforehand.

use keyheat::experiment::{
    ComparableStrategies, Experiment, Metric, Recommendations, Results, StrategyResult, Suggestions,
};
use keyheat::scenario::Scenario;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Writes, a read, existing rows and two keys: what every change starts from.
const BASE: &str = r#"
question = "Which key?"
seed = 3
replicates = 2
[parameter]
buckets = 16
[time]
duration = "1s"
warmup = "200ms"
sample = "100ms"
[cluster]
servers = 8
[field]
sensor = { type = "int", count = 1_000, distribution = { zipf = 0.9 } }
ts = { type = "timestamp", unit = "ms" }
[write.ingest]
rate = "10k/s"
[existing.ingest]
last = "1h"
[read.newest]
equal = ["sensor"]
newest = { field = "ts", rows = 5 }
rate = "200/s"
[table]
value = "100B"
presplit = { algorithm = "sampled", regions = 16 }
[strategy.time-first]
key = "be8(ts) || be4(sensor)"
[strategy.sensor-first]
key = "be4(sensor) || be8(ts)"
[strategy.salted]
key = "be1(bucket(buckets, be8(ts) || be4(sensor))) || be8(ts) || be4(sensor)"
presplit = { algorithm = "buckets" }
"#;

/// The run of [`BASE`].
static AS_IT_IS: LazyLock<Results> = LazyLock::new(|| run(BASE));

fn run_as(text: &str, name: &str) -> Results {
    let scenario = Scenario::parse(text, name).unwrap_or_else(|error| panic!("{error}"));
    Experiment::new(&scenario).run(|_| {})
}

fn run(text: &str) -> Results {
    run_as(text, "base")
}

/// `BASE` with each text replaced; each must be there.
fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(BASE.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "`{old}` is not in the base");
        text.replace(old, new)
    })
}

fn strategy<'a>(results: &'a Results, name: &str) -> &'a StrategyResult {
    let mut strategies = results.strategies.iter();
    strategies
        .find(|strategy| strategy.name == name)
        .unwrap_or_else(|| panic!("no strategy {name}"))
}

/// Everything that is measured of a strategy, by path and replicate, and its words.
fn answers(strategy: &StrategyResult) -> (BTreeMap<String, Vec<Option<f64>>>, Vec<String>) {
    let words = strategy.metrics.iter().filter_map(|(name, metric)| {
        let Metric::Word(word) = metric else {
            return None;
        };
        Some(format!("{name} {word}"))
    });
    let paths = strategy.reads.iter().map(|read| format!("{:?}", read.path));
    (strategy.values.clone(), words.chain(paths).collect())
}

/// The strategies of both, by the names in `pairs`, have the same answers.
fn assert_same(one: &Results, other: &Results, pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert_eq!(
            answers(strategy(one, a)),
            answers(strategy(other, b)),
            "{a} against {b}"
        );
    }
}

const SAME: [(&str, &str); 3] = [
    ("time-first", "time-first"),
    ("sensor-first", "sensor-first"),
    ("salted", "salted"),
];

fn word(strategy: &StrategyResult, name: &str) -> String {
    match &strategy.metrics[name] {
        Metric::Word(word) => word.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

fn mean(strategy: &StrategyResult, path: &str) -> f64 {
    let measure = strategy.measure(path);
    measure
        .and_then(|measure| measure.mean)
        .unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn order_and_names_of_strategies_change_no_number() {
    let (head, blocks) = BASE.split_once("[strategy.").expect("it has strategies");
    let mut blocks: Vec<&str> = blocks.split("[strategy.").collect();
    blocks.reverse();
    let blocks: String = blocks
        .iter()
        .map(|block| format!("[strategy.{}\n", block.trim_end()))
        .collect();
    let text = format!("{head}{blocks}").replace("[strategy.salted]", "[strategy.a-third-name]");
    let pairs = [SAME[0], SAME[1], ("salted", "a-third-name")];
    assert_same(&AS_IT_IS, &run(&text), &pairs);
}

#[test]
fn an_unrelated_strategy_changes_no_number() {
    let text = format!("{BASE}[strategy.other]\nkey = \"md5_bytes(be8(ts) || be4(sensor))\"\n");
    assert_same(&AS_IT_IS, &run(&text), &SAME);
}

#[test]
fn the_name_of_the_file_changes_no_number() {
    assert_same(&AS_IT_IS, &run_as(BASE, "another-name"), &SAME);
}

#[test]
fn other_units_of_the_same_amounts_change_no_number() {
    let text = changed(&[
        ("duration = \"1s\"", "duration = \"1000ms\""),
        ("warmup = \"200ms\"", "warmup = \"0.2s\""),
        ("rate = \"10k/s\"", "rate = \"600k/min\""),
        ("rate = \"200/s\"", "rate = \"12k/min\""),
        ("last = \"1h\"", "last = \"60m\""),
    ]);
    assert_same(&AS_IT_IS, &run(&text), &SAME);
}

#[test]
fn equivalent_expressions_change_no_number() {
    let text = changed(&[
        (
            "key = \"be4(sensor) || be8(ts)\"",
            "key = \"(be4((sensor + 0) * 1)) || be8(9223372036854775807 - rev_ts(ts))\"",
        ),
        (
            "bucket(buckets, be8(ts) || be4(sensor))",
            "pmod(murmur3(be8(ts) || be4(sensor)), 2 * 8)",
        ),
    ]);
    let (one, other) = (&*AS_IT_IS, run(&text));
    for name in ["sensor-first", "salted"] {
        let skew = |results: &Results| {
            let values = &strategy(results, name).values;
            [
                "server_max_share",
                "region_max_share_overall",
                "write_response_ms.p99",
                "key_bytes",
            ]
            .map(|path| values[path].clone())
        };
        assert_eq!(skew(one), skew(&other), "{name}");
    }
}

/// Shares of the window's rows differ by chance alone: each of the N rows of a window falls on the server with probability p, so the
/// difference of two shares has a standard deviation of sqrt(p (1 - p) (1 / N + 1 / 2N)). Seven of them are allowed.
#[test]
fn twice_the_load_alone_changes_no_share_below_saturation() {
    let text = changed(&[("rate = \"10k/s\"", "rate = \"20k/s\"")]);
    // The regions stay those of the pre-split, whose existing rows are as many.
    let fixed = "[existing.ingest]\nrecords = 1_000_000\nlast = \"1h\"";
    let [one, other] =
        [BASE, &text].map(|text| run(&text.replace("[existing.ingest]\nlast = \"1h\"", fixed)));
    for (name, _) in SAME {
        let [a, b] =
            [&one, &other].map(|results| mean(strategy(results, name), "server_max_share_overall"));
        let rows = 0.8 * 10_000.0 * 2.0;
        let sd = (a * (1.0 - a) * 1.5 / rows).sqrt();
        // `time-first` writes to one server: no chance is left.
        assert!((a - b).abs() <= 7.0 * sd + 1e-12, "{name}: {a} and {b}");
        let class = |results| word(strategy(results, name), "hotspot");
        assert_eq!(class(&one), class(&other), "{name}");
    }
}

#[test]
fn twice_the_servers_load_buckets_and_regions_leave_an_even_key_even() {
    let one = &*AS_IT_IS;
    let other = run(&changed(&[
        ("servers = 8", "servers = 16"),
        ("rate = \"10k/s\"", "rate = \"20k/s\""),
        ("buckets = 16", "buckets = 32"),
        ("regions = 16", "regions = 32"),
        (
            "distribution = { zipf = 0.9 }",
            "distribution = \"uniform\"",
        ),
    ]));
    let base = run(&changed(&[(
        "distribution = { zipf = 0.9 }",
        "distribution = \"uniform\"",
    )]));
    assert_eq!(word(strategy(one, "time-first"), "hotspot"), "moving");
    for name in ["sensor-first", "salted"] {
        let [a, b] = [&base, &other]
            .map(|results| mean(strategy(results, name), "server_peak_to_mean_overall"));
        // Two regions a server before and after: of 1,000 sensors 125 or 62.5 a server, each within sqrt of that, and the greatest of 8 or
        // 16 lies 1.4 or 1.8 of those above the mean: 1.13 and 1.23. Three more standard deviations are allowed.
        assert!(
            a < 1.13 + 3.0 * 0.09 && b < 1.23 + 3.0 * 0.13,
            "{name}: {a} and {b}"
        );
    }
}

/// Keys of other classes than those of the base, under a law that gives one sensor 40 % of the rows.
const HOT_KEYS: &str = r#"
[strategy.row]
key = "be4(sensor)"
[strategy.newest-first]
key = "be8(rev_ts(ts)) || be4(sensor)"
[strategy.hour-first]
key = "be8(trunc(ts, '1h')) || be4(sensor)"
[strategy.four-salts]
key = "be1(random(4)) || be8(ts) || be4(sensor)"
presplit = { algorithm = "buckets" }
[strategy.hashed]
key = "md5_bytes(be8(ts) || be4(sensor))"
"#;

/// Keys that spread every sensor's rows evenly over sixteen buckets.
const SALTED_KEYS: &str = r#"
[strategy.random-salts]
key = "be1(random(16)) || be8(ts) || be4(sensor)"
presplit = { algorithm = "buckets" }
[strategy.turns]
key = "be1(round_robin(16)) || be8(ts) || be4(sensor)"
presplit = { algorithm = "buckets" }
"#;

#[test]
fn more_existing_rows_of_the_same_law_make_and_unmake_no_hotspot_but_by_placement() {
    let hot = changed(&[("{ zipf = 0.9 }", "{ top = [0.4] }")]) + HOT_KEYS;
    let salted = changed(&[("{ zipf = 0.9 }", "\"uniform\"")]) + SALTED_KEYS;
    // In each base, the class of each key where the rows are few.
    let bases = [
        (
            BASE.to_owned(),
            vec![
                ("time-first", "moving"),
                // The first of 1,000 sensors has 9.5 % of the writes, and its region 12.3 % on average. Dealt to eight servers 16 such regions have a peak of 1.45 times the
                // mean, in 40 % of dealings above 1.5, as here.
                ("sensor-first", "placement"),
                ("salted", "none"),
            ],
        ),
        (
            hot,
            vec![
                ("time-first", "moving"),
                ("sensor-first", "static"),
                ("salted", "none"),
                ("row", "row"),
                ("newest-first", "moving"),
                ("hour-first", "moving"),
                ("four-salts", "static"),
                ("hashed", "none"),
            ],
        ),
        (
            salted,
            vec![
                ("salted", "none"),
                ("random-salts", "none"),
                ("turns", "none"),
            ],
        ),
    ];
    let by_placement = |class: &str| matches!(class, "none" | "placement");
    for (base, classes) in bases {
        let few = run(&base);
        for last in ["1d", "2d"] {
            let many = run(&base.replace("last = \"1h\"", &format!("last = \"{last}\"")));
            for (name, class) in &classes {
                let of = |results| word(strategy(results, name), "hotspot");
                let (few, many) = (of(&few), of(&many));
                assert_eq!(few, *class, "{name}");
                assert!(
                    few == many || by_placement(&few) && by_placement(&many),
                    "{name}: {few} and {many} of {last}"
                );
            }
        }
    }
}

#[test]
fn a_balancer_that_is_off_and_one_that_never_runs_are_equal() {
    let with = |balancer: &str| run(&format!("{BASE}[balancer]\n{balancer}\n"));
    let off = with("policy = \"none\"");
    let never = with("policy = \"stochastic\"\nperiod = \"1h\"");
    assert_same(&off, &never, &SAME);
}

fn parsed(text: &str) -> Scenario {
    Scenario::parse(text, "base").unwrap_or_else(|error| panic!("{error}"))
}

/// What is advised among the keys of a file whose keys all store the same rows.
fn advised(text: &str) -> ComparableStrategies {
    let scenario = parsed(text);
    let results = Experiment::new(&scenario).run(|_| {});
    Recommendations::of(&scenario, &results).groups.remove(0)
}

/// The tied ones by name, then the others in their order.
fn ranked(advice: &ComparableStrategies) -> Vec<&str> {
    let strategies = advice.strategies.iter();
    let mut names: Vec<&str> = strategies.map(|it| it.name.as_str()).collect();
    names[..advice.tied].sort_unstable();
    names
}

#[test]
fn the_order_of_strategies_changes_neither_who_is_tied_nor_who_is_best() {
    let text = format!("{BASE}[strategy.again]\nkey = \"be4(sensor + 0) || be8(ts)\"\n");
    let (head, blocks) = text.split_once("[strategy.").expect("it has strategies");
    let blocks: Vec<&str> = blocks.split("[strategy.").collect();
    let reversed: String = blocks
        .iter()
        .rev()
        .map(|block| format!("[strategy.{}\n", block.trim_end()))
        .collect();
    let [one, other] = [&text, &format!("{head}{reversed}")].map(|text| advised(text));
    // Equivalent keys are tied, whatever stands first.
    assert_eq!(one.tied, 2, "{one:#?}");
    assert_eq!(ranked(&one)[..2], ["again", "sensor-first"]);
    assert_eq!((one.tied, ranked(&one)), (other.tied, ranked(&other)));
}

/// Orders of tenants, one of whom has 35 %; a reader wants a day of them.
const ORDERS: &str = r#"
replicates = 3
[time]
duration = "500ms"
warmup = "100ms"
sample = "100ms"
[cluster]
servers = 4
[field]
tenant = { type = "int", count = 50, distribution = { zipf = 0.9, top = [0.35] } }
order_id = { type = "uuid" }
ts = { type = "timestamp", unit = "ms" }
[write.orders]
rate = "4k/s"
[existing.orders]
records = 60_000
last = "1d"
[read.tenant-day]
equal = ["tenant"]
range = { field = "ts", last = "1d" }
[table]
split_policy = "disabled"
presplit = { algorithm = "sampled", regions = 16 }
[strategy.whole]
key = "be4(tenant) || order_id || to_char(ts, 'yyyyMMdd')"
[strategy.by-day]
key = "be4(tenant) || to_char(ts, 'yyyyMMdd') || order_id"
"#;

#[test]
fn a_longer_history_at_the_same_pace_changes_no_advice() {
    // After a day a scan of all of a tenant's rows reads what a scan of the day does, and `whole` spreads a tenant's writes better; after ten
    // it reads ten times as many.
    let longer = ORDERS
        .replace("60_000", "600_000")
        .replace("last = \"1d\"\n[read", "last = \"10d\"\n[read");
    assert_ne!(longer, ORDERS.replace("60_000", "600_000"));
    for text in [ORDERS, &longer] {
        let advice = advised(text);
        assert_eq!(ranked(&advice), ["by-day", "whole"], "{advice:#?}");
        assert_eq!(advice.tied, 1);
    }
}

#[test]
fn keys_of_keyheats_own_have_as_many_regions_as_those_of_the_file_but_for_buckets() {
    for regions in [16.0, 24.0] {
        let text = changed(&[("regions = 16", &format!("regions = {regions}"))]);
        let (text, _) = text.split_once("[strategy.salted]").expect("it is there");
        let suggestions = Suggestions::of(&parsed(text));
        let results = Experiment::new(&suggestions.scenario).run(|_| {});
        assert!(results.strategies.len() > 2, "none are suggested");
        for found in &results.strategies {
            // Behind a bucket rows come in the order of time: a region each, which the rows that exist have split since.
            let name = found.name.as_str();
            let mut buckets = ["salted-", "random-"]
                .iter()
                .map(|it| name.strip_prefix(it));
            let started = mean(found, "regions_start");
            match buckets.find_map(|it| it?.parse::<f64>().ok()) {
                Some(buckets) => assert_eq!(started % buckets, 0.0, "{name}: {started}"),
                None => assert_eq!(started, regions, "{name}"),
            }
        }
    }
}

#[test]
fn sixteen_scans_at_a_time_cost_their_work_and_not_only_their_time() {
    let blocks = "[strategy.one]\nkey = \"be4(sensor) || be8(ts)\"\n\
        [strategy.sixteen]\nkey = \"be1(random(16)) || be4(sensor) || be8(ts)\"\n";
    let (head, _) = BASE.split_once("[strategy.").expect("it has strategies");
    let advice = advised(&format!("{head}{blocks}"));
    let mut strategies = advice.strategies.iter();
    let sixteen = strategies.find(|it| it.name == "sixteen").expect("ranked");
    // Sixteen times the work, and the slowest of sixteen scans takes no less than one does: sqrt(16 x 1) at the least. By times alone the
    // cost would be that of the slowest, at most 1 + 1/2 + ... + 1/16 = 3.4 times the mean.
    assert!(sixteen.read_cost > Some(4.0), "{advice:#?}");
}

/// Rows a second that a server is told to take of an import that is over within half a minute, of rows of 1,112 bytes of heap: they fill memstores of 1 MB many times.
fn capacity_of_import(limit: &str, rows: &str) -> f64 {
    let results = run(&format!(
        "seed = 7\n[time]\nduration = \"{limit}\"\nwarmup = \"0s\"\nsample = \"1s\"\n[cluster]\nservers = 2\nheap = \"128MB\"\n\
         [field]\nid = {{ type = \"sequence\" }}\n[write.fill]\n{rows}\n\
         [table]\nvalue = \"1000B\"\nmemstore_flush_size = \"1MB\"\nsplit_policy = \"disabled\"\npresplit = {{ algorithm = \"uniform\", regions = 4 }}\n\
         [strategy.hashed]\nkey = \"md5_bytes(id)\"\n"
    ));
    let hashed = strategy(&results, "hashed");
    assert!(mean(hashed, "makespan_ms") < 30_000.0);
    mean(hashed, "server_capacity_per_sec")
}

#[test]
fn how_long_an_import_may_take_changes_no_capacity_of_one_that_ends_before() {
    let rows = "records = 120_000\nrate = \"20k/s\"";
    let [short, long] = ["30s", "5m"].map(|limit| capacity_of_import(limit, rows));
    // The same run but for rounding to a nanosecond, which may leave one of its 120,000 rows out.
    assert!(
        (long / short - 1.0).abs() <= 1.0 / 120_000.0,
        "{short} and {long}"
    );
}

#[test]
fn how_few_calls_an_import_takes_changes_no_capacity() {
    // Three calls of some 7,000 rows, and thirty: a window of the first ones alone would hold a part of a call of each handler.
    let [few, many] = ["20_000", "200_000"].map(|records| {
        let rows = format!("records = {records}\nclients = 1\nbuffer = \"8MiB\"");
        capacity_of_import("1m", &rows)
    });
    assert_eq!(few, many);
}
