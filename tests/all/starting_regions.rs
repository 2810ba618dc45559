//! The regions that a run starts with, and what a scenario is told about splits, balancers and events that can't happen.

use keyheat::layout::{Layout, Replicate, change_lints, misplaced_regions};
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
    let existing = &layout.run.existing[0];
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
    assert_eq!(layout.run.existing.len(), 2);
    // The copy's keys are 12 bytes shorter.
    let [bytes, fewer] = [0, 1].map(|at| layout.run.existing[at].bytes as f64 / 1e6);
    assert!((10.0..14.0).contains(&(bytes - fewer)), "{bytes} {fewer}");
    assert_eq!(
        layout.run.copies[0].split_points.len() + 1,
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
        // That a crash is noticed after the run is another warning.
        let told = told(settings).into_iter().filter(|(_, message)| {
            let is_of_event = message.contains(" at 3s") || message.contains("at 4s");
            is_of_event && !message.contains("is noticed")
        });
        told.map(|(_, message)| message).collect::<Vec<_>>()
    };
    let crash = "[[event]]\nat = \"3s\"\ncrash = 2\n";
    assert_eq!(
        events(crash),
        [
            "strategy `hashed`: server 2 may hold nothing at 3s: 1 region on 8 servers, and which of them has one is drawn for each replicate"
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
fn a_run_whose_rows_ask_for_more_splits_than_ticks_of_the_discharger_let_is_warned_of() {
    let warnings = |settings: &str| {
        let text = format!(
            "[time]\nduration = \"75s\"\n[cluster]\nservers = 1\n[field]\nid = {{ type = \"int\", count = 100_000_000 }}\n\
             [write.load]\nrate = \"1k/s\"\n[table]\nvalue = \"993B\"\nmax_file_size = \"8MB\"\nmemstore_flush_size = \"1MB\"\n\
             {settings}[strategy.hashed]\nkey = \"md5_bytes(id)\"\n"
        );
        let scenario = Scenario::parse(&text, "ticks").unwrap_or_else(|error| panic!("{error}"));
        let lints = change_lints(&scenario.strategies[0], &layout(&scenario), &scenario.time);
        let messages = lints.into_iter().map(|lint| lint.message);
        messages
            .filter(|message| message.contains("discharger"))
            .collect::<Vec<_>>()
    };
    // 75,000 rows of 20 + 16 + 1 + 1 + 993 bytes are 9.2 times 8 MiB.
    assert_eq!(
        warnings(""),
        [
            "a daughter can't split before the discharger's next tick, every 2m: of 1 region there are at most 2 at the end of this run, and what is written asks for 9"
        ]
    );
    // Ticks at 25 and 50 s: 8 regions; one more at 20, 40 and 60 s. That at the end of the run lets none split.
    assert!(warnings("discharger_period = \"25s\"\n")[0].contains("at most 8 "));
    assert_eq!(warnings("discharger_period = \"20s\"\n"), [""; 0]);
    // Of 8 regions 16; and of 4 only 8.
    let presplit = |regions| {
        warnings(&format!(
            "presplit = {{ algorithm = \"uniform\", regions = {regions} }}\n"
        ))
    };
    assert_eq!((presplit(8).len(), presplit(4).len()), (0, 1));
    assert_eq!(warnings("split_policy = \"disabled\"\n"), [""; 0]);
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
        messages.find(|message| message.contains("to split"))
    };
    // 20 s of 10,000 rows of 138 bytes.
    assert_eq!(
        fresh("").as_deref(),
        Some(
            "no region grows enough to split in this run: the fullest gets at most 26 MiB, a split needs 256 MiB"
        )
    );
    assert_eq!(fresh("memstore_flush_size = \"8MB\"\n"), None);
    assert_eq!(fresh("split_policy = \"disabled\"\n"), None);
    // What the log can take of rows of 10 KB.
    assert_eq!(
        fresh("value = \"10KB\"\nsplit_policy = \"constant-size\"\n").as_deref(),
        Some(
            "no region grows enough to split in this run: the fullest gets at most 200 MiB, a split needs 10 GiB, 12.5 % either way"
        )
    );
}

#[test]
fn a_crash_that_is_noticed_after_the_end_is_warned_of() {
    let told = |detection: &str| {
        let text = format!(
            "[time]\nduration = \"20s\"\n[cluster]\nfailure_detection = \"{detection}\"\n[field]\nid = {{ type = \"int\", count = 1_000 }}\n\
             [write.load]\nrate = \"1k/s\"\n[[event]]\nat = \"7s\"\ncrash = \"hottest\"\n[strategy.hashed]\nkey = \"md5_bytes(id)\"\n"
        );
        let scenario = Scenario::parse(&text, "crash").unwrap_or_else(|error| panic!("{error}"));
        let lints = change_lints(&scenario.strategies[0], &layout(&scenario), &scenario.time);
        let mut messages = lints.into_iter().map(|lint| lint.message);
        messages.find(|message| message.contains("noticed"))
    };
    let late = "the crash at 7s is noticed after 13s, when the run of 20s is over: until then calls to its regions fail or wait";
    assert_eq!(told("13s").as_deref(), Some(late));
    assert_eq!(told("12s"), None);
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
            "strategy `tried`: splits won't cool it: each leaves all new rows to one daughter, on the same server"
        )
    );
    assert_eq!(told("be4(id) || be8(ts)", small), None);
    // Within a day, which outlasts the run, a split divides the ids.
    assert_eq!(told("to_char(ts, 'yyyyMMdd') || be4(id)", small), None);
    // No region gets so large, or none is ever split.
    assert_eq!(told("be8(ts) || be4(id)", ""), None);
    let off = format!("{small}split_policy = \"disabled\"\n");
    assert_eq!(told("be8(ts) || be4(id)", &off), None);
}

#[test]
fn regions_open_where_the_placement_says() {
    let opened = |settings: &str| {
        let sized = "memstore_flush_size = \"1MB\"\nmax_file_size = \"4MB\"\n";
        let scenario = scenario(&format!("value = \"184B\"\n{sized}{settings}"));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        Layout::opening_servers(strategy, &replicate, Layout::SAMPLE)
    };
    let equal = |opened: &[u32]| opened.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let in_order = opened("placement = \"in-order\"\n");
    let regions = in_order.len();
    // 212 MB in halves of at most 4 MB: 64 regions of 3.3 MB.
    assert_eq!(regions, 64);
    assert!(in_order.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 8));
    let dealt = opened("");
    let of = |opened: &[u32], server| opened.iter().filter(|&&at| at == server).count();
    assert!((0..8).all(|server| of(&dealt, server) == 8));
    // 7 of 63 others share a region's server: of 63 neighbours 7 are equal, with a standard deviation of 2.5.
    assert!((1..=15).contains(&equal(&dealt)), "{dealt:?}");
    // Daughters stay with their parents: 58 % of 63 are 37, and half of that is far from chance.
    let grown = opened("placement = \"grown\"\n");
    assert!((0..8).all(|server| of(&grown, server) == 8));
    assert!(equal(&grown) > 19, "{grown:?}");
}

#[test]
fn a_list_of_servers_must_fit_the_regions_that_existing_rows_make() {
    let listed = |count: usize| {
        let list = vec!["3"; count].join(", ");
        scenario(&format!(
            "value = \"184B\"\nmemstore_flush_size = \"32MB\"\nplacement = [{list}]\n"
        ))
    };
    assert_eq!(misplaced_regions(&listed(4)), []);
    let faults = misplaced_regions(&listed(3));
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].message,
        "strategy `hashed`: `placement` lists 3 servers, the table starts with 4 regions"
    );
}

#[test]
fn a_pre_split_that_existing_rows_have_split_further_is_said() {
    let warned = |settings: &str| -> Vec<String> {
        let lints = layout(&scenario(settings)).lints.into_iter();
        lints
            .filter(|lint| lint.severity == Severity::Warning)
            .map(|lint| lint.message)
            .filter(|message| message.contains("have split the table"))
            .collect()
    };
    let presplit = "presplit = { algorithm = \"uniform\", regions = 3 }\nmax_file_size = \"40MB\"\n\
                    split_policy = \"constant-size\"\nvalue = \"184B\"\n";
    let told = warned(presplit);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("from 3 regions into 6"), "{told:?}");
    // One region was meant to grow.
    assert_eq!(
        warned("value = \"184B\"\nmemstore_flush_size = \"32MB\"\n"),
        Vec::<String>::new()
    );
}

/// 320 regions of 10.4 GB each, all a little smaller than what splits a region without jitter, 10.7 GB: a third of all jitters would have split one long ago, so that no region has one of these. 900
/// kB a second split none within ten seconds.
#[test]
fn regions_that_have_grown_whole_are_not_split_when_the_run_starts() {
    let text = "replicates = 2\n[time]\nduration = \"10s\"\nwarmup = \"1s\"\n[cluster]\nservers = 5\n[field]\n\
                tenant = { type = \"int\", count = 100_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n[family.d]\nversions = 1\nvalue = \"300B\"\n\
                [write.log]\nrate = \"3k/s\"\n[existing.log]\nlast = \"38d\"\n[table]\npresplit = { algorithm = \"sampled\", regions = 40 }\n\
                [strategy.tenant]\nkey = \"be4(tenant) || be8(ts)\"\n";
    let results = crate::verdicts::run("grown", text);
    let tenant = crate::verdicts::strategy(&results, "tenant");
    assert_eq!(crate::verdicts::mean(tenant, "splits"), 0.0);
}
