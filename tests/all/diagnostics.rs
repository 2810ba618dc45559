//! Every mistake that a scenario file can hold has its message as a golden file: `tests/invalid/NN-name.toml` with the `.stderr`
//! beside it. `SNAPSHOTS=overwrite cargo test --test all diagnostics` writes them anew: read what changed.

use crate::toml_files::toml_files;
use keyheat::scenario::{Expected, LoadError, Options, Scenario};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// The complaints about a file, under its bare name.
fn complaints(path: &Path) -> String {
    let error = Scenario::load(path)
        .map(|_| ())
        .expect_err(&path.display().to_string());
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    LoadError {
        path: name,
        ..error
    }
    .render(false)
}

#[test]
fn every_bad_file_gets_the_message_beside_it() {
    let files = toml_files("tests/invalid");
    assert!(files.len() >= 75, "only {} bad files", files.len());
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite");
    let mut wrong = Vec::new();
    for file in files {
        let found = complaints(&file);
        let golden = file.with_extension("stderr");
        if overwrite {
            fs::write(&golden, &found).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("--- {}\n{found}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn sound() -> &'static str {
    "question = \"which?\"\n\
     [time]\nduration = \"10s\"\nwarmup = \"2s\"\n\
     [parameter]\nbuckets = 16\n\
     [field]\n\
     sensor = { type = \"int\", count = 10_000, distribution = { zipf = 0.9, top = [0.2] } }\n\
     site = { type = \"text\", values = [\"eu\", \"us\", \"ap\"], of = \"sensor\" }\n\
     campaign = { type = \"digits\", width = 8, count = 300 }\n\
     ts = { type = \"timestamp\", unit = \"ms\", late = { fraction = 0.02, up_to = \"2h\" } }\n\
     day = { expr = \"to_char(ts, 'yyyyMMdd')\" }\n\
     [write.ingest]\nrate = \"5k/s\"\nprofile = [{ at = \"0s\", times = 1.0 }, { at = \"5s\", times = 3 }]\n\
     [write.totals]\neach = [\"sensor\"]\nevery = \"10s\"\njitter = \"200ms\"\nwith = { campaign = \"\" }\n\
     [write.load]\nrecords = 5_000\nlast = \"1d\"\nclients = 7\nthink = { exponential = \"1ms\" }\nbuffer = \"2MiB\"\norder = \"shuffled\"\n\
     [existing.ingest]\nlast = \"7d\"\n\
     [existing.totals]\nevery = \"1d\"\nlast = \"30d\"\n\
     [read.newest]\nequal = [\"sensor\", \"site\"]\nnewest = { field = \"ts\", rows = 10 }\nrate = \"50/s\"\n\
     [read.window]\nin = { sensor = 30 }\nrange = { field = \"day\", last = \"5d\" }\npick = { sensor = { zipf = 0.99 } }\nclients = 3\n\
     [read.page]\nequal = \"sensor\"\npage = { field = \"campaign\", number = 5, via = \"offset\" }\nwith = { site = \"eu\" }\n\
     [table]\npresplit = { algorithm = \"sampled\", regions = 32 }\nsplit_policy = \"key-prefix\"\nprefix_length = 4\n\
     compaction_bandwidth = { low = \"1MB/s\" }\nnormalization = true\nnormalizer_target_count = 40\n\
     [balancer]\nperiod = \"3s\"\nwrite_request_cost = 10.5\n\
     [[event]]\nat = \"4s\"\ncrash = \"hottest\"\n\
     [[event]]\nat = \"2s\"\nslow = { server = 3, times = 5.0, for = \"30s\" }\n\
     [[event]]\nat = \"3s\"\nadd_servers = 1\n\
     [[event]]\nat = \"1s\"\nsplit = ['m\\x00', 'c']\n\
     [neighbour.orders]\nregions = 20\nwrite_rate = \"2k/s\"\nhottest = 0.06\n\
     [strategy.monotonic]\ncopies = [\"be4(sensor) || be8(rev_ts(ts))\"]\nkey = \"be8(ts) || be4(sensor)\"\n\
     [strategy.salted]\ntitle = 'With \"salt\"'\nkey = \"be1(random(buckets)) || be8(ts) || be4(sensor)\"\npresplit = { algorithm = \"buckets\" }\n\
     override.cluster.servers = 12\noverride.balancer.policy = \"load\"\nsplit_policy = \"delimited-key-prefix\"\ndelimiter = \"|\"\n\
     override.neighbour.orders.hottest = 0.6\n\
     [strategy.listed]\nkey = \"day || be4(sensor) || site || campaign\"\npresplit = ['2026\\x00', '2027']\nvalue = \"1KB\"\n\
     [[expect]]\nstrategy = \"*\"\nmetric = \"server_max_share\"\nabove = 0.05\n\
     [[expect]]\nstrategy = \"monotonic\"\nrecord = { sensor = 7, ts = 2026-01-01T00:00:00Z }\n\
     key = '\\x00\\x00\\x01\\x9B\\x76\\xDA\\xA8\\x00\\x00\\x00\\x00\\x07'\n\
     [quick]\ntime.duration = \"5s\"\n"
}

fn parsed(text: &str) -> Scenario {
    Scenario::parse(text, "sound").unwrap_or_else(|error| panic!("{error}"))
}

/// All of a scenario but its text and the places in it.
fn meaning(scenario: &Scenario) -> String {
    let mut shown = format!(
        "{:?} {:?} {} {:?}\n",
        scenario.question, scenario.seed, scenario.replicates, scenario.time
    );
    for strategy in &scenario.strategies {
        shown += &format!(
            "{} {} {} {:?} {:?}\n",
            strategy.name,
            strategy.title,
            strategy.key.text(),
            strategy.presplit,
            strategy.setup
        );
    }
    for expectation in &scenario.expectations {
        shown += &format!("{expectation:?}\n");
    }
    shown
}

#[test]
fn the_shown_scenario_reads_as_the_same_scenario() {
    let mut texts: Vec<String> = toml_files("scenarios")
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    texts.push(sound().to_owned());
    let parsed = |text: &str| {
        let options = Options::default();
        let scenario = Scenario::parse_in(text, "sound", "", Path::new("scenarios"), &options);
        scenario.unwrap_or_else(|error| panic!("{error}"))
    };
    for text in texts {
        let scenario = parsed(&text);
        let again = parsed(scenario.show());
        assert_eq!(meaning(&again), meaning(&scenario));
        assert_eq!(again.show(), scenario.show());
    }
}

#[test]
fn a_golden_key_is_computed_at_load() {
    let scenario = parsed(sound());
    let keys: Vec<_> = scenario
        .expectations
        .iter()
        .filter_map(|expectation| match &expectation.expected {
            Expected::Key(key) => Some(key),
            Expected::Metric { .. } => None,
        })
        .collect();
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0].found, keys[0].expected);
    assert_eq!(keys[0].record, "sensor = 7, ts = 2026-01-01T00:00:00Z");
}

#[test]
fn settings_change_the_scenario_before_it_is_read() {
    let options = Options {
        sweeps: Vec::new(),
        sets: vec![
            "write.ingest.rate=9k/s".into(),
            "parameter.buckets=3".into(),
        ],
        quick: true,
        only: vec!["salted".into()],
        replicates: None,
        seed: Some(77),
    };
    let scenario = Scenario::parse_with(sound(), "sound", &options).unwrap();
    assert_eq!(scenario.seed.0, 77);
    assert_eq!(scenario.replicates, 2);
    assert_eq!(
        scenario.overrides,
        [
            "time.duration=\"5s\"",
            "write.ingest.rate=9k/s",
            "parameter.buckets=3",
            "seed=77",
            "only salted"
        ]
    );
    assert_eq!(scenario.time.duration.as_secs_f64(), 5.0);
    assert_eq!(scenario.strategies.len(), 1);
    assert_eq!(scenario.strategies[0].setup.cluster.servers, 12);
    assert_eq!(scenario.expectations.len(), 1);
    assert_eq!(meaning(&parsed(scenario.show())), meaning(&scenario));
    let more = scenario.with("cluster.handlers", "7").unwrap();
    assert_eq!(more.strategies[0].setup.cluster.handlers, 7);
    assert_eq!(more.seed.0, 77);
}

#[test]
fn a_wrong_setting_is_named() {
    let message = |set: &str, quick| {
        let options = Options {
            sets: vec![set.into()],
            quick,
            ..Options::default()
        };
        Scenario::parse_with(sound(), "sound", &options)
            .map(|_| ())
            .unwrap_err()
            .render(false)
    };
    assert_eq!(
        message("cluster.servers=0", false),
        "error: `--set cluster.servers=0`: `cluster.servers` is 0\n--> sound.toml\n = note: must be at least 1\n\nsound.toml: 1 error\n"
    );
    assert!(message("cluster.serverss=9", false).contains("did you mean `servers`?"));
    assert!(message("write.ingst.rate=9/s", true).contains("did you mean `ingest`?"));
    let only = Options {
        only: vec!["salt".into()],
        ..Options::default()
    };
    let error = Scenario::parse_with(sound(), "sound", &only)
        .map(|_| ())
        .unwrap_err();
    assert!(
        error
            .render(false)
            .contains("`--only salt`: no such strategy")
    );
}

#[test]
fn files_that_are_no_scenarios_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str, content: Option<&[u8]>| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            fs::write(&path, content).unwrap();
        }
        let error = Scenario::load(&path).map(|_| ()).unwrap_err();
        assert_eq!(error.diagnostics.len(), 1, "{error}");
        error.diagnostics[0]
            .message
            .replace(&path.display().to_string(), name)
    };
    assert_eq!(
        message("none.toml", None),
        "can't read `none.toml`: no such file"
    );
    assert_eq!(
        message("empty.toml", Some(b" \n\t\n")),
        "`empty.toml` is empty"
    );
    assert_eq!(
        message("log.csv", Some(b"user,site\n1,2\n")),
        "`log.csv` has rows, and is no scenario"
    );
    assert_eq!(
        message("binary.toml", Some(b"\x7fELF\x00\x01")),
        "`binary.toml` is a binary file: byte 4 is zero"
    );
    assert_eq!(
        message("latin.toml", Some(b"seed = 1\nquestion = \"caf\xe9\"\n")),
        "`latin.toml` is not UTF-8: byte 24 is 0xe9 (line 2, column 16)"
    );
    assert_eq!(message("", None), "can't read ``: it is a folder");
    let large = folder.path().join("large.toml");
    // A hole: the file has 100 MB and takes no room.
    fs::File::create(&large)
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    assert_eq!(
        message("large.toml", None),
        "can't read `large.toml`: it has 100 MB, at most 16 MB are read"
    );
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.toml");
    fs::write(&path, "seed = 1").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser reads everything: nothing to see then.
    if fs::read(&path).is_err() {
        let error = Scenario::load(&path).map(|_| ()).unwrap_err();
        assert!(
            error.diagnostics[0].message.ends_with("permission denied"),
            "{error}"
        );
    }
    assert!(Scenario::load(Path::new("/dev/null")).is_err());
}

#[test]
fn a_hundred_thousand_parentheses_are_one_short_error() {
    let deep = format!("{}ts{}", "(".repeat(100_000), ")".repeat(100_000));
    let text = sound().replace(
        "be8(ts) || be4(sensor)\"\n[strategy.salted]",
        &format!("be8({deep})\"\n[strategy.salted]"),
    );
    let error = Scenario::parse(&text, "deep").map(|_| ()).unwrap_err();
    let shown = error.render(false);
    assert_eq!(error.diagnostics.len(), 1, "{shown}");
    assert!(shown.contains("64"), "{shown}");
    assert!(shown.len() < 2_000, "{}", shown.len());
    let text = format!("seed = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Scenario::parse(&text, "deep").is_err());
}

#[test]
fn derived_fields_that_double_forty_times_are_refused() {
    let mut text =
        String::from("[field]\nts = { type = \"timestamp\" }\nd0 = { expr = \"be8(ts)\" }\n");
    for level in 1..=40 {
        let below = level - 1;
        text += &format!("d{level} = {{ expr = \"d{below} || d{below}\" }}\n");
    }
    text += "[write.x]\nrate = \"1/s\"\n[strategy.x]\nkey = \"d40\"\n";
    assert!(Scenario::parse(&text, "doubling").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_panics(text in "([a-z.\\[\\]{}=\"', \n0-9]|\\PC){0,200}") {
        if let Err(error) = Scenario::parse(&text, "any") {
            prop_assert!(!error.render(true).is_empty());
        }
    }

    #[test]
    fn no_mutation_of_a_sound_scenario_panics(
        cuts in prop::collection::vec((0usize..2_500, 0usize..30, "[ -~\n\u{e9}]{0,6}"), 1..4)
    ) {
        let mut text = sound().to_owned();
        for (at, length, new) in cuts {
            // The sound text is ASCII; a mutation may not be.
            let end = (at + length).min(text.len());
            if text.is_char_boundary(at.min(end)) && text.is_char_boundary(end) {
                text.replace_range(at.min(end)..end, &new);
            }
        }
        match Scenario::parse(&text, "mutated") {
            Err(error) => prop_assert!(error.diagnostics.iter().any(|diagnostic| diagnostic.is_error())),
            Ok(scenario) => prop_assert_eq!(meaning(&parsed(scenario.show())), meaning(&scenario)),
        }
    }
}
