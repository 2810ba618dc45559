//! `keyheat learn` of regions, and `[regions]`: a table that exists, its load, and a scenario that starts from it.

use crate::binary::{command, stderr_of, stdout_of};
use crate::workplace::{Workplace, assert_tells};
use keyheat::experiment::{Experiment, LoadToday};
use keyheat::key::fixed_segments;
use keyheat::layout::{Layout, Replicate};
use keyheat::observed::{ObservedFile, TableLoads};
use keyheat::random::Seed;
use keyheat::report::{ImageKind, LoadReport, Report};
use keyheat::scenario::{Options, Scenario};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/regions")
        .join(name)
}

#[test]
fn a_list_may_come_by_standard_input_but_no_scenario_starts_from_that() {
    let place = Workplace::new();
    let said = |out: &[&str]| {
        let list = fs::read(data("real/list_regions.tsdb.1.txt.gz")).unwrap();
        let learn = command(place.path()).args(["learn", "-"]).args(out);
        let run = learn.stdin(list).assert();
        (stdout_of(&run), stderr_of(&run))
    };
    let (page, _) = said(&[]);
    assert_tells(&page, &["`tsdb`: 18 regions on 4 servers"]);
    let (_, refused) = said(&["--out", "never-written.toml"]);
    assert_tells(&refused, &["standard input is gone by then"]);
    assert!(!place.path().join("never-written.toml").exists());
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
            // The hottest region alone has 10,478 of 37,622 on one of four servers.
            "down to 1.11× at best (placement)",
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
    assert_tells(
        &fails("0.txt 1.txt --over 0s"),
        &["no time between the snapshots"],
    );
    fs::write(place.path().join("rows.csv"), "a,b\n1,2\n").unwrap();
    assert_tells(
        &fails("rows.csv --over 60s"),
        &["are for lists of regions", "leave them out"],
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

/// What the HBase shell's `list_regions` prints of regions with their first keys, servers and counters.
fn list_regions(regions: &[(String, u32, u64)]) -> String {
    let ends = regions.iter().skip(1).map(|it| &it.0[..]).chain([""]);
    let rows = regions.iter().zip(ends).enumerate();
    let rows = rows.map(|(at, ((start, server, count), end))| {
        let name = format!("t,{start},1700000000000.{at:032x}.");
        let server = format!("rs{server:03}.example.com,16020,1700000000000");
        [
            server,
            name,
            start.trim().to_owned(),
            end.trim().to_owned(),
            "7".to_owned(),
            count.to_string(),
            "1.0".to_owned(),
        ]
    });
    let heading = [
        "SERVER_NAME",
        "REGION_NAME",
        "START_KEY",
        "END_KEY",
        "SIZE",
        "REQ",
        "LOCALITY",
    ];
    let rows: Vec<[String; 7]> = [heading.map(str::to_owned)]
        .into_iter()
        .chain(rows)
        .collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap()
    };
    let line = |row: &[String; 7]| {
        let cells = row
            .iter()
            .enumerate()
            .map(|(at, cell)| format!(" {cell:>0$} |", width(at)));
        cells.collect::<String>() + "\n"
    };
    let rule = line(&[0, 1, 2, 3, 4, 5, 6].map(|at| "-".repeat(width(at))));
    let body: String = rows[1..].iter().map(line).collect();
    format!("{}{rule}{body} {} rows\n", line(&rows[0]), regions.len())
}

#[test]
fn the_counters_of_a_simulated_table_are_learnt_again_to_the_last_request() {
    // First keys with blanks at their ends, bars and commas, and what is no text.
    let points = [" e", "a ", "a|b", "c,d", "k", "\\xFF\\x00"];
    let text = format!(
        "[time]\nduration = '3s'\nwarmup = '1s'\n[cluster]\nservers = 3\n[table]\npresplit = {points:?}\n\
         [field]\nw = {{ type = 'text', values = [' ', ' e', 'a', 'a |', 'a|b', 'b', 'c,d', 'k', 'z'], distribution = {{ zipf = 0.99 }} }}\n\
         [write.w]\nrate = '3k/s'\n[read.r]\nequal = ['w']\nrate = '1k/s'\n[strategy.s]\nkey = 'w'\n"
    );
    for seed in [1, 2, 3] {
        let text = format!("seed = {seed}\nreplicates = 1\n{text}");
        let scenario = Scenario::parse(&text, "s").unwrap_or_else(|error| panic!("{error}"));
        let results = Experiment::new(&scenario).run(|_| {});
        let result = &results.strategies[0];
        let series = result.series.as_ref().unwrap();
        let counted = series.region_demand.iter().zip(&series.read_region_demand);
        let counted: Vec<u64> = counted.map(|(written, read)| written + read).collect();
        assert_eq!((result.region_starts.len(), counted.len()), (7, 7));
        let list = |since: fn(u64) -> u64| {
            let regions = result
                .region_starts
                .iter()
                .zip(&series.region_server)
                .zip(&counted);
            let regions =
                regions.map(|((start, server), count)| (start.clone(), *server, since(*count)));
            list_regions(&regions.collect::<Vec<_>>())
        };
        // Counters have a history.
        let files = [list(|_| 1_000_000_007), list(|count| 1_000_000_007 + count)];
        let files = files.map(|text| ObservedFile::new("list", text.as_bytes()).unwrap());
        let table = TableLoads::read(&files, None, Some(2.0)).unwrap();
        assert_eq!((&table.warnings, &table.faults), (&Vec::new(), &Vec::new()));
        let starts: Vec<String> = table
            .starts()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(starts, result.region_starts);
        let total: u64 = counted.iter().sum();
        let load = LoadToday::of(&table);
        assert_eq!(load.total, total as f64);
        for (at, learnt) in &load.hottest {
            assert_eq!(learnt / load.total, counted[*at] as f64 / total as f64);
        }
        // Servers, too: what each of them was asked for is what the simulation counted there.
        for (name, _, learnt) in &load.servers {
            let server: u32 = name[2..5].parse().unwrap();
            let on_it = series
                .region_server
                .iter()
                .zip(&counted)
                .filter(|it| *it.0 == server);
            assert_eq!(*learnt as u64, on_it.map(|it| it.1).sum::<u64>());
        }
    }
}

#[test]
fn pictures_of_a_table_show_what_was_counted_and_not_what_was_simulated() {
    let (place, said) = learnt("tsdb", "--key be3(metric)||be4(ts) --charts pictures");
    let svg = |name: &str| fs::read_to_string(place.path().join("pictures").join(name)).unwrap();
    let map = svg("key-map-today.svg").replace('\u{a0}', " ");
    // The regions of `rs3` took 16,546 of 37,622 requests.
    let title = "today: the regions happen to lie so that one server takes 44 % of the requests";
    assert_tells(
        &map,
        &[
            title,
            "18 regions of equal height",
            "metric 42",
            "requests in 60 s",
            ">time, s<",
        ],
    );
    assert!(!map.contains("writes") && !map.contains("simulated"));
    assert_tells(&said, &["rs3  localhost,26024"]);
    let curve = svg("concentration.svg");
    // Six regions have 10,478 + 3,223 + 1,610 + 1,546 + 1,522 + 1,521 = 19,900 of them, five 18,379.
    assert_tells(&curve, &["half of the requests go to 6 of 18 regions"]);
    let again = stderr_of(
        &place
            .keyheat("learn 0.txt 1.txt --over 60s --charts pictures")
            .code(2),
    );
    assert_tells(&again, &["`pictures` exists already"]);
    let no_time = stderr_of(
        &place
            .keyheat("learn 0.txt 1.txt --charts others --out t.toml")
            .code(2),
    );
    assert_tells(&no_time, &["a key map needs", "`--over 60s`"]);
    assert!(!place.path().join("others").exists() && !place.path().join("t.toml").exists());
}

#[test]
fn a_damaged_list_leaves_a_whole_scenario_or_none() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/malformed");
    let expected = fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let variants = expected["variants"].as_object().unwrap().iter();
    for (name, variant) in variants.filter(|it| it.0.as_str() > "41") {
        let place = Workplace::new();
        let files: Vec<&str> = variant["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_str().unwrap())
            .collect();
        for file in &files {
            fs::copy(folder.join(format!("{file}.gz")), place.path().join(file)).unwrap();
        }
        let learn =
            |more: &str| place.keyheat(&format!("learn {} --over 60s {more}", files.join(" ")));
        let shown = learn("").get_output().status.code().unwrap();
        assert_eq!(
            shown == 2,
            variant["expect"] == "error" || name.starts_with("42"),
            "{name}"
        );
        let written = learn("--out t.toml --charts pictures");
        let (code, said) = (written.get_output().status.code(), stderr_of(&written));
        let (scenario, pictures) = (place.path().join("t.toml"), place.path().join("pictures"));
        match code {
            Some(0) => {
                Scenario::load(&scenario).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(
                    fs::read_dir(pictures).unwrap().count(),
                    2 * (1 + usize::from(cfg!(feature = "png")))
                );
            }
            // A table with a gap or an overlap is shown, and can't be started from.
            code => {
                assert_eq!(code, Some(2), "{name}: {said}");
                assert!(!scenario.exists() && !pictures.exists(), "{name}");
                assert_tells(&said, &["error: ", "help: "]);
            }
        }
    }
}

#[test]
fn what_learn_cannot_make_a_scenario_of_is_said() {
    let refused = |list: &str| {
        let place = Workplace::new();
        let name = Path::new(list).file_name().unwrap().to_str().unwrap();
        fs::copy(data(list), place.path().join(name)).unwrap();
        let said = stderr_of(&place.keyheat(&format!("learn {name} --out t.toml")).code(2));
        assert!(!place.path().join("t.toml").exists());
        said
    };
    assert_tells(
        &refused("text/tidb_table_regions.1.csv.gz"),
        &["counts bytes, and scenarios write rows"],
    );
    assert_tells(
        &refused("text/crdb_show_ranges.1.csv.gz"),
        &["how many requests a second?", "two snapshots"],
    );
    assert_tells(
        &refused("text/pd_hot_write.1.json.gz"),
        &["does not say where all regions begin"],
    );
}

#[test]
fn counters_stand_beside_what_is_predicted_of_each_server_and_region() {
    let (place, _) = learnt("tsdb", "--out today.toml");
    let calibrate = |more: &str| {
        place.keyheat(&format!(
            "calibrate today.toml --measured 0.txt 1.txt {more}"
        ))
    };
    let said =
        stdout_of(&calibrate("--over 60s --strategy today").success()).replace('\u{a0}', " ");
    // 37,622 requests in a minute are 627 a second, 16,546 of them 276; the region of metric 42 has 10,478, 175 a second.
    assert_tells(
        &said,
        &[
            "requests_per_sec",
            " 627 ",
            "localhost,26024,1795355785801  5            44 %       44 %         276 ",
            "28 %       28 %         175 ",
        ],
    );
    assert_tells(&said, &["Service times: there are no response times"]);
    let json = stdout_of(&calibrate("--over 60s --strategy today --format json").success());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["regions"][6]["measured"], 10_478.0 / 37_622.0);
    assert_eq!(
        json["regions"][6]["measured_per_sec"],
        10_478.0 / 37_622.0 * (37_622.0 / 60.0)
    );
    let no_time = stderr_of(&calibrate("--strategy today").code(2));
    assert_tells(&no_time, &["how many requests a second?", "`--over 60s`"]);
    let refused = |arguments: &str| {
        stderr_of(
            &place
                .keyheat(&format!("calibrate today.toml {arguments}"))
                .code(2),
        )
    };
    assert_tells(
        &refused("--measured 0.txt 1.txt"),
        &["which strategy?", "today, spread"],
    );
    assert_tells(
        &refused("--measured 0.txt 1.txt --strategy tody"),
        &["there is no strategy `tody`", "did you mean `today`?"],
    );
    assert_tells(
        &refused("--measured 0.txt 1.txt --over 60s --strategy spread"),
        &[
            "18 regions, and `spread` 18, or they begin elsewhere",
            "help: start from the table's",
        ],
    );
    assert_tells(
        &refused("--measured 1.txt --strategy today"),
        &["how many requests a second?", "two snapshots"],
    );
    assert_tells(
        &refused("--measured 1.txt 0.txt --strategy today"),
        &["wrong order"],
    );
    assert_tells(
        &refused("--measured 0.txt 1.txt --strategy today --set cluster.servers=3"),
        &["there is no server 3"],
    );
    assert_tells(
        &refused("--measured 0.txt 1.txt --over 60s --strategy today --out t.toml"),
        &["no time could be fitted"],
    );
    let whole = fs::read(place.path().join("1.txt")).unwrap();
    let whole = ObservedFile::new("1.txt", &whole).unwrap().text;
    fs::write(place.path().join("cut.txt"), &whole[..whole.len() / 2]).unwrap();
    assert_tells(
        &refused("--measured 0.txt cut.txt --strategy today"),
        &["was cut off here"],
    );
    fs::write(place.path().join("rows.csv"), "a,b\n1,2\n").unwrap();
    assert_tells(
        &refused("--measured rows.csv"),
        &["no JSON object stands in it"],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_of_a_damaged_list_is_shown(
        which in 0..5usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let names = ["text/hbase_list_regions", "tsdb/generic", "text/pd_region", "text/hbase_status_detailed", "text/crdb_hot_ranges"];
        let ends = [".txt", ".csv", ".json", ".txt", ".json"];
        let read = |at: usize| {
            let name = format!("{}.{at}{}", names[which], ends[which]);
            ObservedFile::new(&name, &fs::read(data(&format!("{name}.gz"))).unwrap()).unwrap()
        };
        let mut lines: Vec<Vec<u8>> = read(1).text.split_inclusive('\n').map(|line| line.as_bytes().to_vec()).collect();
        // Digits and letters change more often into what still reads than bytes of all kinds do.
        for (at, byte, change) in changes {
            let number = at.index(lines.len());
            let line = &mut lines[number];
            let within = usize::from(byte) % line.len().max(1);
            match change {
                0 if line.get(within).is_some_and(u8::is_ascii_digit) => line[within] = b'0' + byte % 10,
                1 => line.clear(),
                _ if line.get(within).is_some_and(u8::is_ascii_lowercase) => line[within] = b'a' + byte % 26,
                _ => {}
            }
        }
        let changed = ObservedFile::new("changed", &lines.concat()).unwrap();
        if let Ok(table) = TableLoads::read(&[read(0), changed], Some("orders"), Some(60.0)) {
            let load = LoadToday::of(&table);
            let segments = fixed_segments("be3(metric) || be4(ts)").unwrap();
            let report = LoadReport { table: &table, load: &load, segments: &segments };
            let shown = report.document().markdown();
            prop_assert!(!shown.contains("NaN") && !shown.contains("inf "), "{shown}");
            let shares: f64 = load.hottest.iter().map(|it| it.1 / load.total).sum();
            prop_assert!(load.total == 0.0 || (shares - 1.0).abs() < 1e-9);
            if let Some(results) = report.results() {
                let folder = tempfile::tempdir().unwrap();
                let mut pictures = Report::new(&results);
                pictures.images = &[ImageKind::Svg];
                pictures.write_load_pictures(folder.path()).unwrap();
            }
        }
    }
}
