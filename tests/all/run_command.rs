//! `run`, as its users meet it: streams, exit codes, and what is never overwritten.

use crate::binary::{stderr_of, stdout_of};
use crate::folder_files::files_below;
use crate::workplace::{TINY, Workplace, assert_tells};
use std::fs;
use std::path::Path;

/// An expectation that can't hold.
const BROKEN: &str = r#"
[[expect]]
strategy = "plain"
metric = "server_max_share"
below = 0.75
because = "a reader must see how a broken expectation is told"
"#;

/// The names of all files below a folder.
fn names_below(folder: &Path) -> Vec<String> {
    files_below(folder).into_keys().collect()
}

#[test]
fn a_run_prints_the_scorecard_and_leaves_its_folder() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let run = place.keyheat("run tiny.toml --no-charts").success();
    let table = stdout_of(&run);
    assert!(
        table.contains("plain") && table.contains("salted"),
        "{table}"
    );
    let talk = stderr_of(&run);
    assert_eq!(
        talk.lines().last(),
        Some("2 strategies, 1 hot; output/tiny/report.html"),
        "{talk}"
    );
    let files = names_below(&place.path().join("output"));
    for file in ["tiny/results.json", "tiny/summary.md", "tiny/summary.csv"] {
        assert!(
            files.contains(&file.to_owned()),
            "{file} is missing in {files:?}"
        );
    }
    assert!(
        files
            .iter()
            .all(|file| file.starts_with("tiny/") && !file.ends_with(".svg")),
        "{files:?}"
    );
}

#[test]
fn a_broken_expectation_exits_with_1_and_says_value_and_bound() {
    let place = Workplace::new().with("tiny.toml", &(TINY.to_owned() + BROKEN));
    let run = place.keyheat("run tiny.toml --no-charts").code(1);
    let talk = stderr_of(&run);
    assert_tells(
        &talk,
        &[
            "plain",
            "server_max_share",
            "below 0.75",
            "is 1 [1, 1]",
            "a reader must see",
        ],
    );
    assert!(
        place.path().join("output/tiny/results.json").exists(),
        "the results are kept"
    );
}

#[test]
fn a_mistaken_scenario_exits_with_2_before_anything_is_written() {
    let place = Workplace::new().with(
        "tiny.toml",
        &TINY
            .replace("count", "cuont")
            .replace("be4(user)", "be4(usr)"),
    );
    let run = place.keyheat("run tiny.toml").code(2).stdout_eq("");
    let talk = stderr_of(&run);
    assert_tells(&talk, &["tiny.toml:", "cuont", "`count`"]);
    assert!(!place.path().join("output").exists());
}

#[test]
fn a_sweep_has_a_row_for_each_point_and_files_of_its_first() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let run = place
        .keyheat("run tiny.toml --sweep cluster.servers=3,2 --format csv")
        .success();
    let table = stdout_of(&run);
    for row in [
        "cluster.servers,strategy,metric,mean,low,high,n",
        "3,plain,server_max_share,1,1,1,2",
        "2,salted,",
    ] {
        assert!(table.contains(row), "`{row}` is missing in:\n{table}");
    }
    assert!(
        stderr_of(&run).contains("2 strategies, each at 2 points, 3 of 4 hot"),
        "{}",
        stderr_of(&run)
    );
    let folder = place.path().join("output/tiny");
    let servers = fs::read_to_string(folder.join("series/servers.csv")).unwrap();
    // Three servers, as at the first point; `plain` has one block of rows, not one a point.
    assert!(
        servers.contains(",2,") && !servers.contains(",3,0,0"),
        "{servers}"
    );
    let rows = |from: &str| {
        servers
            .lines()
            .filter(|line| line.starts_with(from))
            .count()
    };
    assert_eq!(rows("plain,0.3,"), 3, "{servers}");
    let summary = fs::read_to_string(folder.join("summary.md")).unwrap();
    assert_tells(
        &summary,
        &[
            "| servers | strategy |",
            "| 3 | plain |",
            "| 2 | salted |",
            "## Each key at cluster.servers = 3",
            "## Charts at cluster.servers = 3",
            "- plain: from cluster.servers = 2 on all offered writes are completed",
            "2 points of cluster.servers",
        ],
    );
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<h2>The point that follows: cluster.servers = 3</h2>"));

    let compared = place
        .keyheat("compare output/tiny/results.json output/tiny/results.json --format markdown")
        .success();
    let compared = stdout_of(&compared);
    assert_tells(
        &compared,
        &[
            "## plain at cluster.servers = 3",
            "## salted at cluster.servers = 2",
        ],
    );
    assert!(!compared.contains("only in the"), "{compared}");
    for arguments in ["explain", "size"] {
        let shown = place
            .keyheat(&format!(
                "{arguments} tiny.toml --sweep cluster.servers=3,2"
            ))
            .success();
        assert!(
            stderr_of(&shown).contains("the first of 2 points of the sweep: cluster.servers = 3"),
            "{}",
            stderr_of(&shown)
        );
    }
}

#[test]
fn a_sweep_over_a_mistake_is_refused_before_anything_is_written() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let run = place
        .keyheat("run tiny.toml --sweep cluster.severs=2,4")
        .code(2)
        .stdout_eq("");
    assert!(
        stderr_of(&run).contains("cluster.severs"),
        "{}",
        stderr_of(&run)
    );
    assert!(!place.path().join("output").exists());
}

#[test]
fn a_foreign_folder_is_never_written_into_without_force_and_keeps_its_files() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let mine = place.path().join("output/tiny");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("thesis.md"), "years of work").unwrap();
    let refused = place
        .keyheat("run tiny.toml --no-charts")
        .code(2)
        .stdout_eq("");
    assert!(
        stderr_of(&refused).contains("--force"),
        "{}",
        stderr_of(&refused)
    );
    assert_eq!(names_below(&mine), ["thesis.md"]);
    place.keyheat("run tiny.toml --no-charts --force").success();
    assert!(mine.join("thesis.md").exists());
    fs::write(mine.join("series/key-map-dropped.csv"), "").unwrap();
    place.keyheat("run tiny.toml --no-charts").success();
    assert!(mine.join("thesis.md").exists());
    assert!(!mine.join("series/key-map-dropped.csv").exists());
}

#[test]
fn an_output_folder_that_cannot_be_made_stops_the_run_at_once() {
    let place = Workplace::new().with("tiny.toml", TINY).with("file", "");
    let run = place
        .keyheat("run tiny.toml --out file")
        .code(2)
        .stdout_eq("");
    assert!(stderr_of(&run).contains("file"), "{}", stderr_of(&run));
}

#[test]
fn the_files_of_a_run_are_the_same_on_any_number_of_threads() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let one = place
        .keyheat("run tiny.toml --threads 1 --out one")
        .success();
    let two = place
        .keyheat("run tiny.toml --threads 2 --out two")
        .success();
    assert_eq!(stdout_of(&one), stdout_of(&two));
    let (one, two) = (place.path().join("one"), place.path().join("two"));
    let (one, two) = (files_below(&one), files_below(&two));
    assert!(one.keys().eq(two.keys()));
    for (file, bytes) in &one {
        assert!(*bytes == two[file], "{file} differs");
    }
}

#[test]
fn a_folder_stands_for_its_scenarios_and_equal_names_are_refused() {
    let place = Workplace::new();
    for folder in ["a", "b"] {
        fs::create_dir(place.path().join(folder)).unwrap();
        fs::write(place.path().join(folder).join("tiny.toml"), TINY).unwrap();
    }
    fs::write(place.path().join("a/other.toml"), TINY).unwrap();
    place.keyheat("run a --no-charts").success();
    assert!(place.path().join("output/other/results.json").exists());
    assert!(place.path().join("output/tiny/results.json").exists());
    let refused = place.keyheat("run a b --no-charts").code(2).stdout_eq("");
    assert!(
        stderr_of(&refused).contains("same output folder"),
        "{}",
        stderr_of(&refused)
    );
}

#[test]
fn options_change_the_scenario() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let run = place.keyheat(
        "run tiny.toml --no-charts --format json --only salted --replicates 3 --seed 9 --set write.events.rate=1k/s",
    );
    let results: serde_json::Value = serde_json::from_str(&stdout_of(&run.success())).unwrap();
    assert_eq!(results["seed"], 9);
    assert_eq!(results["replicates"], 3);
    assert_eq!(results["strategies"].as_array().unwrap().len(), 1);
    assert_eq!(results["strategies"][0]["name"], "salted");
    let offered = results["strategies"][0]["counts"]["offered"]
        .as_u64()
        .unwrap();
    // 1,000/s for 1 s in 3 replicates: Poisson, 4 standard errors are 4 * sqrt(3000) = 219.
    assert!(offered.abs_diff(3_000) < 219, "{offered}");

    let unknown = place
        .keyheat("run tiny.toml --only slated")
        .code(2)
        .stdout_eq("");
    assert!(
        stderr_of(&unknown).contains("`salted`"),
        "{}",
        stderr_of(&unknown)
    );
}

#[test]
fn a_quick_run_has_a_folder_of_its_own() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let results = |name: &str| fs::read(place.path().join(name).join("results.json"));
    place.keyheat("run tiny.toml --no-charts").success();
    let full = results("output/tiny").unwrap();
    let quick = place.keyheat("run tiny.toml --no-charts --quick --replicates 1");
    let talk = stderr_of(&quick.success());
    assert_tells(&talk, &["output/tiny.quick/report.html"]);
    assert_eq!(results("output/tiny").unwrap(), full);
    assert!(results("output/tiny.quick").unwrap() != full);
    // The shards of a quick run are merged to its folder as well.
    place
        .keyheat("run tiny.toml --no-charts --quick --replicates 3 --shard 1/1 --out shards")
        .success();
    place.keyheat("merge shards --no-charts").success();
    assert_eq!(results("output/tiny").unwrap(), full);
}

#[test]
fn a_changed_run_replaces_no_results_of_the_file_as_it_is_unless_told_to() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("run tiny.toml --no-charts").success();
    let results = || fs::read(place.path().join("output/tiny/results.json")).unwrap();
    let full = results();
    for change in [
        "--set write.events.rate=1k/s",
        "--seed 9",
        "--replicates 3",
        "--only plain",
        "--sweep cluster.servers=2,3",
    ] {
        let run = place.keyheat(&format!("run tiny.toml --no-charts {change}"));
        let talk = stderr_of(&run.code(2).stdout_eq(""));
        assert_tells(&talk, &["output/tiny", "--out DIR", "--force"]);
    }
    assert_eq!(results(), full);
    let changed = "run tiny.toml --no-charts --seed 9";
    place.keyheat(&format!("{changed} --out other")).success();
    place.keyheat(&format!("{changed} --out output")).success();
    assert!(results() != full);
    // Those of another change are in nobody's way.
    place
        .keyheat("run tiny.toml --no-charts --seed 10")
        .success();
    place.keyheat("run tiny.toml --no-charts").success();
    assert_eq!(results(), full);
    place.keyheat(&format!("{changed} --force")).success();
    assert!(results() != full);
}

/// An expectation that can't hold, and is known not to.
fn known(bound: &str) -> String {
    format!(
        "{TINY}\n[[expect]]\nstrategy = \"plain\"\nmetric = \"server_max_share\"\n{bound}\nissue = \"#12, salt it\"\n"
    )
}

#[test]
fn an_expectation_with_an_issue_fails_the_run_only_when_it_holds() {
    let place = Workplace::new().with("tiny.toml", &known("below = 0.75"));
    let run = place.keyheat("run tiny.toml --no-charts").success();
    assert_eq!(
        stderr_of(&run).lines().last(),
        Some("2 strategies, 1 hot, 1 hold, 1 known to fail; output/tiny/report.html")
    );
    let table = stdout_of(&run);
    assert!(
        table.contains("~ plain: server_max_share")
            && table.contains("known to fail: #12, salt it"),
        "{table}"
    );
    let results = fs::read_to_string(place.path().join("output/tiny/results.json")).unwrap();
    assert!(results.contains("\"issue\": \"#12, salt it\""));

    let place = Workplace::new().with("tiny.toml", &known("above = 0.75"));
    let run = place.keyheat("run tiny.toml --no-charts").code(1);
    let talk = stderr_of(&run);
    assert!(
        talk.contains("take out `issue = \"#12, salt it\"`")
            && talk.contains("1 expectation broken"),
        "{talk}"
    );
}

#[test]
fn an_expectation_over_too_short_a_history_is_broken_with_the_reason() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let short = "run tiny.toml --no-charts --set time.duration=600ms --set time.warmup=300ms";
    let run = place.keyheat(short).code(1);
    let talk = stderr_of(&run);
    assert!(
        talk.contains(
            "too short a history: a replicate has 3 intervals with enough operations, fewer than 5"
        ),
        "{talk}"
    );
}

#[test]
fn a_run_that_is_measured_before_it_has_settled_is_told_of() {
    // 900 clients that all start at once, at a server of one handler and 1 ms a call: its queue fills until 0.9 s.
    let text = r#"
replicates = 5
[time]
duration = "6s"
warmup = "100ms"
sample = "500ms"
[cluster]
servers = 1
handlers = 1
call_queues = 1
call_queue_length = 1_000
service = { put = "1ms", distribution = "constant" }
wal = { mode = "off" }
[field]
user = { type = "int", count = 1_000 }
[write.events]
clients = 900
[strategy.plain]
key = "be4(user)"
"#;
    let place = Workplace::new().with("fills.toml", text);
    let settle = "replicates settle only";
    let talk = stderr_of(&place.keyheat("run fills.toml --no-charts").success());
    assert!(talk.contains(settle), "{talk}");
    let summary = fs::read_to_string(place.path().join("output/fills/summary.md")).unwrap();
    assert!(summary.contains(settle), "{summary}");
    let longer = "run fills.toml --no-charts --out longer --set time.warmup=1s";
    let talk = stderr_of(&place.keyheat(longer).success());
    assert!(!talk.contains(settle), "{talk}");
}
