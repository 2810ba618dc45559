//! `keyheat learn` of regions, and `[regions]`: a table that exists, its load, and a scenario that starts from it.

use crate::binary::{stderr_of, stdout_of};
use crate::workplace::{Workplace, assert_tells};
use keyheat::experiment::LoadToday;
use keyheat::layout::{Layout, Replicate};
use keyheat::observed::{ObservedFile, TableLoads};
use keyheat::random::Seed;
use keyheat::scenario::{Options, Scenario};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/regions")
        .join(name)
}

/// What the clients of the real cluster asked each region of a table for.
fn asked(table: &str) -> Vec<f64> {
    let truth: Value =
        serde_json::from_str(&fs::read_to_string(data("truth.json")).unwrap()).unwrap();
    let counts = |what: &str| truth["real"][table][what].as_array().unwrap().clone();
    let both = counts("reads").into_iter().zip(counts("writes"));
    both.map(|(reads, writes)| reads.as_f64().unwrap() + writes.as_f64().unwrap())
        .collect()
}

/// Two snapshots of a real table, and its page after a run of `learn` with these arguments.
fn learnt(table: &str, more: &str) -> (Workplace, String) {
    let place = Workplace::new();
    for at in 0..2 {
        let name = format!("list_regions.{table}.{at}.txt.gz");
        fs::copy(
            data("real").join(&name),
            place.path().join(format!("{at}.txt")),
        )
        .unwrap();
    }
    let said = place.keyheat(&format!("learn 0.txt 1.txt --over 60s {more}"));
    let said = stdout_of(&said.success());
    // Numbers are not torn from their units.
    (place, said.replace('\u{a0}', " "))
}

#[test]
fn a_table_that_is_hot_today_is_told_with_its_servers_and_what_its_keys_share() {
    let (_, said) = learnt("tsdb", "--key be3(metric)||be4(ts)");
    let all = asked("tsdb");
    let total: f64 = all.iter().sum();
    // Region 7 of 18 took 10,478 of 37,622 requests in a minute: 28 %, 5.01 times an eighteenth. Its bounds are metrics 42 and 56.
    assert_eq!((all[6], total), (10_478.0, 37_622.0));
    assert_tells(
        &said,
        &[
            "`tsdb`: 18 regions on 4 servers with 627 requests a second",
            "28 %           5.0×  metric from 42 to 56",
            "Region 7 of 18 takes 28 % of the load",
            // That server's regions took 16,546 of them: 44 %, of a mean of a quarter.
            "44 %       1.76×",
            "Moving regions cures it (placement)",
        ],
    );
}

#[test]
fn a_learnt_scenario_starts_from_these_regions_and_servers_and_asks_them_for_the_same() {
    for table in ["tsdb", "text"] {
        let (place, _) = learnt(table, "--out today.toml");
        let path = place.path().join("today.toml");
        let scenario = Scenario::load(&path).unwrap();
        let today = &scenario.strategies[0];
        let layout = Layout::of(today, &Replicate::new(&today.setup, Seed(1), 0));
        let asked = asked(table);
        let total: f64 = asked.iter().sum();
        let predicted: Vec<f64> = layout.regions.iter().map(|it| it.write_share).collect();
        assert_eq!(predicted.len(), asked.len());
        for (predicted, asked) in predicted.iter().zip(&asked) {
            // Shares are counted over a sample of writes: five standard errors.
            let share = asked / total;
            let error = (share / layout.sampled_operations as f64).sqrt();
            assert!(
                (predicted - share).abs() < 5.0 * error,
                "{predicted} {share}"
            );
        }
        // The lists, once more: where each region begins, and on which of the servers by their names.
        let bytes = fs::read(place.path().join("1.txt")).unwrap();
        let files = [ObservedFile::new("1.txt", &bytes).unwrap()];
        let regions = TableLoads::read(&files, None, None).unwrap();
        let load = LoadToday::of(&regions);
        let mut names: Vec<&str> = load.servers.iter().map(|it| it.0.as_str()).collect();
        names.sort_unstable();
        let place_of = |name: &str| names.iter().position(|it| *it == name).unwrap();
        let servers = regions
            .regions
            .iter()
            .map(|it| place_of(it.server.as_ref().unwrap()).to_string());
        let shown = scenario.show().replace([' ', '\n'], "");
        let list = servers.collect::<Vec<String>>().join(",");
        assert!(shown.contains(&format!("placement=[{list}")), "{shown}");
        assert_eq!(today.setup.cluster.servers, 4);
        // What is shown reads as the same scenario, without the list beside it.
        let again = Scenario::parse(scenario.show(), "today").unwrap();
        assert_eq!(again.fingerprint(), scenario.fingerprint());
        // A candidate with split points of its own has other regions, which are dealt.
        let settings = scenario.settings_of("spread");
        assert_eq!(settings["table"]["placement"], "dealt");
    }
}

/// What is wrong with a scenario that has these lines.
fn complaints(lines: &str, list: Option<&str>) -> String {
    let place = Workplace::new();
    if let Some(list) = list {
        let bytes = fs::read(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/data")
                .join(list),
        )
        .unwrap();
        fs::write(place.path().join("list.txt"), bytes).unwrap();
    }
    let text = format!(
        "{lines}\n[field]\nid = {{ type = \"int\", count = 9 }}\n[write.w]\nrate = \"1/s\"\n[strategy.s]\nkey = \"be8(id)\"\n"
    );
    let path = place.path().join("s.toml");
    let found = Scenario::parse_in(
        &text,
        "s",
        "s.toml",
        path.parent().unwrap(),
        &Options::default(),
    );
    found.map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn regions_that_cannot_be_started_from_are_refused_where_they_are_named() {
    let file = "[regions]\nfile = \"list.txt\"";
    assert_eq!(
        complaints(file, Some("regions/real/list_regions.tsdb.1.txt.gz")),
        ""
    );
    assert_tells(
        &complaints(file, None),
        &["can't read", "`list.txt`: no such file", "--> s.toml:2:8"],
    );
    let gap = complaints(file, Some("malformed/43-list-regions-gap.1.txt.gz"));
    assert_tells(
        &gap,
        &["no region has the keys from `h` to `j`", "--> s.toml:2:8"],
    );
    let cut = complaints(file, Some("malformed/41-list-regions-cut.1.txt.gz"));
    assert_tells(
        &cut,
        &[
            "line 9: `list_regions` of the HBase shell was cut off",
            "help: write it with",
        ],
    );
    let keyless = complaints(file, Some("regions/text/jmx_rs1.1.json.gz"));
    assert_tells(&keyless, &["JMX page does not say where all regions begin"]);
    let hot = complaints(file, Some("regions/text/bigtable_hot_tablets.1.json.gz"));
    assert_tells(&hot, &["does not say where all regions begin"]);
    let several = complaints(file, Some("regions/real/status_detailed.1.txt.gz"));
    assert_tells(&several, &["there are `text` and `tsdb`"]);
    let list = Some("regions/real/list_regions.tsdb.1.txt.gz");
    let both = complaints(&format!("{file}\n[table]\npresplit = ['b']"), list);
    assert_tells(&both, &["`table.presplit` beside `[regions]`"]);
    let few = complaints(&format!("{file}\n[cluster]\nservers = 3"), list);
    assert_tells(&few, &["there is no server 3"]);
    let misspelt = complaints("[regions]\nfiel = \"list.txt\"", list);
    assert_tells(&misspelt, &["did you mean `file`?"]);
}

#[test]
fn what_learn_cannot_do_with_lists_is_said_and_nothing_is_half_written() {
    let (place, _) = learnt("text", "");
    let fails = |arguments: &str| stderr_of(&place.keyheat(&format!("learn {arguments}")).code(2));
    assert_tells(
        &fails("0.txt 1.txt --out t.toml"),
        &["how far apart", "--over 60s"],
    );
    assert_tells(
        &fails("0.txt 1.txt --key text(a)||be4(b)"),
        &["`text(a)` has no fixed width"],
    );
    assert_tells(&fails("1.txt 0.txt"), &["wrong order"]);
    assert_tells(&fails("0.txt missing.txt"), &["can't read `missing.txt`"]);
    assert!(!place.path().join("t.toml").exists());
    let one = stdout_of(&place.keyheat("learn 0.txt").success());
    assert_tells(
        &one,
        &[
            "14 regions on 4 servers\n",
            "tells no load: give a second one",
        ],
    );
}
