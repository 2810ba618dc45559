//! The regions that a run starts with, and what a scenario is told about splits, balancers and events that can't happen.

use keyheat::layout::{Layout, Replicate, change_lints};
use keyheat::scenario::{Scenario, Severity};

/// A hashed table that a million rows of about 220 bytes each were written to: some 210 MB.
fn scenario(settings: &str) -> Scenario {
    let text = format!(
        "[time]\nduration = \"20s\"\n[field]\nid = {{ type = \"int\", count = 100_000_000 }}\n\
         [write.load]\nrate = \"1k/s\"\n[existing.load]\nrecords = 1_000_000\n\
         [strategy.hashed]\nkey = \"md5_bytes(id)\"\n{settings}"
    );
    Scenario::parse(&text, "growth").unwrap_or_else(|error| panic!("{error}"))
}

fn layout(scenario: &Scenario) -> Layout {
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    Layout::of(strategy, &replicate)
}

fn regions(settings: &str) -> usize {
    layout(&scenario(settings)).regions.len()
}

fn told(settings: &str) -> Vec<(Severity, String)> {
    let scenario = scenario(settings);
    let (layout, strategy) = (layout(&scenario), &scenario.strategies[0]);
    let lints = change_lints(strategy, &layout, &scenario.time);
    let lints = lints.into_iter();
    lints.map(|lint| (lint.severity, lint.message)).collect()
}

#[test]
fn existing_rows_split_the_table_before_the_run() {
    let layout = layout(&scenario("value = \"184B\"\n"));
    let existing = &layout.existing[0];
    // A KeyValue of 20 + 16 + 1 + 1 + 184 bytes and its version, a few bytes for the block, and 1.2 for the Bloom filter.
    let row = existing.bytes as f64 / existing.rows as f64;
    assert!((222.0..228.0).contains(&row), "{row}");
    // A hundred million ids: one in 200 of the million is drawn twice.
    assert!(
        (990_000..1_000_000).contains(&existing.rows),
        "{}",
        existing.rows
    );
    let sample: Vec<&[u8]> = existing.sample.iter().collect();
    assert!(sample.is_sorted() && sample.len() >= 50_000);
    // 212 MB are less than twice the flush size ...
    assert_eq!(layout.regions.len(), 1);
    // ... but more than twice 64 MB; then every server has one region, of 106 MB.
    assert_eq!(
        regions("value = \"184B\"\nmemstore_flush_size = \"64MB\"\n"),
        2
    );
    assert_eq!(
        regions("value = \"184B\"\nmemstore_flush_size = \"32MB\"\n"),
        4
    );
    assert_eq!(
        regions("value = \"184B\"\nmemstore_flush_size = \"32MB\"\nsplit_policy = \"disabled\"\n"),
        1
    );
    assert_eq!(
        regions("value = \"184B\"\nmax_file_size = \"60MB\"\nsplit_policy = \"constant-size\"\n"),
        4
    );
}

#[test]
fn every_copy_brings_its_own_rows() {
    let scenario =
        scenario("copies = [\"be4(id)\"]\nvalue = \"184B\"\nmemstore_flush_size = \"32MB\"\n");
    let layout = layout(&scenario);
    assert_eq!(layout.existing.len(), 2);
    // The copy's keys are 12 bytes shorter.
    let [bytes, fewer] = [0, 1].map(|at| layout.existing[at].bytes as f64 / 1e6);
    assert!((10.0..14.0).contains(&(bytes - fewer)), "{bytes} {fewer}");
    assert_eq!(
        layout.copies[0].split_points.len() + 1,
        layout.regions.len()
    );
}

#[test]
fn a_balancer_that_never_runs_is_a_note_unless_the_file_names_one() {
    let balancer = |settings: &str| {
        let told = told(settings).into_iter();
        told.filter(|(_, message)| message.contains("balancer"))
            .collect::<Vec<_>>()
    };
    let default = balancer("");
    assert_eq!(
        default,
        [(
            Severity::Note,
            "the balancer never runs: first after 5m, in a run of 20s".to_owned()
        )]
    );
    let named = balancer("[balancer]\npolicy = \"load\"\nperiod = \"20s\"\n");
    assert_eq!((named.len(), named[0].0), (1, Severity::Warning));
    for runs in ["policy = \"load\"\nperiod = \"5s\"", "policy = \"none\""] {
        assert_eq!(balancer(&format!("[balancer]\n{runs}\n")), []);
    }
}

#[test]
fn a_balancer_that_runs_more_often_than_loads_reach_it_is_warned_of() {
    let balancer = |settings: &str| {
        let told = told(&format!("[balancer]\n{settings}\n")).into_iter();
        told.filter(|(_, message)| message.contains("sees any load"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        balancer("period = \"5s\""),
        [(
            Severity::Warning,
            "the balancer runs before it sees any load: every 5s, when loads reach it every 1m"
                .to_owned()
        )]
    );
    for sees in [
        "period = \"5s\"\nsamples = \"5s\"",
        "policy = \"load\"\nperiod = \"5s\"",
        "policy = \"simple\"\nperiod = \"5s\"",
        "",
    ] {
        assert_eq!(balancer(sees), []);
    }
}

#[test]
fn events_that_can_do_nothing_are_said() {
    let events = |settings: &str| {
        let told = told(settings).into_iter();
        told.filter(|(_, message)| message.contains(" at 3s") || message.contains("at 4s"))
            .map(|(_, message)| message)
            .collect::<Vec<_>>()
    };
    let crash = "[[event]]\nat = \"3s\"\ncrash = 2\n";
    assert_eq!(
        events(crash),
        [
            "strategy `hashed`: server 2 may hold nothing at 3s: 1 region on 8 servers, dealt from one that is drawn for each replicate"
        ]
    );
    let spread = "presplit = { algorithm = \"uniform\", regions = 8 }\n";
    assert_eq!(events(&format!("{spread}{crash}")), Vec::<String>::new());
    let neighbour = "[neighbour.orders]\nregions = 7\nread_rate = \"1k/s\"\n";
    assert_eq!(events(&format!("{neighbour}{crash}")), Vec::<String>::new());
    let joined = "[[event]]\nat = \"3s\"\nadd_servers = 1\n[[event]]\nat = \"4s\"\nslow = { server = 8, times = 2.0, for = \"1s\" }\n";
    assert_eq!(
        events(&format!("{spread}{joined}")),
        ["the event at 4s hits server 8, which has joined without any region"]
    );
    let split = "split_policy = \"disabled\"\n[[event]]\nat = \"3s\"\nsplit = ['m']\n";
    assert_eq!(
        events(split),
        ["strategy `hashed`: the split at 3s won't happen: its split policy is `disabled`"]
    );
}

#[test]
fn a_run_too_short_for_any_split_is_a_note() {
    let fresh = |settings: &str| {
        let text = format!(
            "[time]\nduration = \"20s\"\n[field]\nid = {{ type = \"int\", count = 100_000_000 }}\n\
             [write.load]\nrate = \"10k/s\"\n[strategy.hashed]\nkey = \"md5_bytes(id)\"\n{settings}"
        );
        let scenario = Scenario::parse(&text, "fresh").unwrap_or_else(|error| panic!("{error}"));
        let lints = change_lints(&scenario.strategies[0], &layout(&scenario), &scenario.time);
        let mut messages = lints.into_iter().map(|lint| lint.message);
        messages.find(|message| message.contains("can split"))
    };
    // 20 s of 10,000 rows of 138 bytes.
    assert_eq!(
        fresh("").as_deref(),
        Some(
            "no region can split in this run: the fullest gets at most 26 MiB, a split needs 256 MiB"
        )
    );
    assert_eq!(fresh("memstore_flush_size = \"8MB\"\n"), None);
    assert_eq!(fresh("split_policy = \"disabled\"\n"), None);
    // What the log can take of rows of 10 KB.
    assert_eq!(
        fresh("value = \"10KB\"\nsplit_policy = \"constant-size\"\n").as_deref(),
        Some(
            "no region can split in this run: the fullest gets at most 200 MiB, a split needs 10 GiB, 12.5 % either way"
        )
    );
}

#[test]
fn a_key_that_grows_is_told_that_splits_will_not_cool_it() {
    let told = |key: &str, settings: &str| {
        let text = format!(
            "[time]\nduration = \"20s\"\n[field]\nid = {{ type = \"int\", count = 100_000_000 }}\n\
             ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.load]\nrate = \"10k/s\"\n\
             [strategy.tried]\nkey = \"{key}\"\n{settings}"
        );
        let scenario = Scenario::parse(&text, "grows").unwrap_or_else(|error| panic!("{error}"));
        let lints = change_lints(&scenario.strategies[0], &layout(&scenario), &scenario.time);
        let mut messages = lints.into_iter().map(|lint| lint.message);
        messages.find(|message| message.contains("cool"))
    };
    let small = "memstore_flush_size = \"2MB\"\n";
    assert_eq!(
        told("be8(ts) || be4(id)", small).as_deref(),
        Some(
            "strategy `tried`: splits won't cool it: each leaves all new rows to the upper daughter, on the same server"
        )
    );
    assert_eq!(told("be4(id) || be8(ts)", small), None);
    // No region gets so large, or none is ever split.
    assert_eq!(told("be8(ts) || be4(id)", ""), None);
    let off = format!("{small}split_policy = \"disabled\"\n");
    assert_eq!(told("be8(ts) || be4(id)", &off), None);
}
