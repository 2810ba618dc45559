//! The commands that take scenarios, as their users meet them: streams, exit codes, and what is never overwritten.

mod binary;
mod folder_files;

use binary::{command, stderr_of, stdout_of};
use folder_files::files_below;
use snapbox::cmd::OutputAssert;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// An empty folder to work in.
struct Workplace {
    folder: TempDir,
}

impl Workplace {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn with(self, file: &str, text: &str) -> Self {
        fs::write(self.path().join(file), text).unwrap();
        self
    }

    fn keyheat(&self, arguments: &str) -> OutputAssert {
        command(self.path())
            .args(arguments.split_whitespace())
            .assert()
    }
}

/// Two keys, 2,000 writes a second, one simulated second: milliseconds to run.
const TINY: &str = r#"
question = "Does a salt help?"
replicates = 2

[time]
duration = "1s"
warmup = "200ms"
sample = "100ms"

[cluster]
servers = 2

[field]
user = { type = "int", count = 1_000 }
ts = { type = "timestamp", unit = "ms" }

[write.events]
rate = "2k/s"

[table]
presplit = ['\x01']

[strategy.plain]
key = "be8(ts) || be4(user)"
[strategy.salted]
key = "be1(random(2)) || be8(ts) || be4(user)"

[[expect]]
strategy = "plain"
metric = "server_max_share"
above = 0.95
because = "the time leads"
"#;

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
fn the_folder_of_a_run_stands_for_its_results() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("run tiny.toml --no-charts").success();
    let by_file = place.keyheat("compare output/tiny/results.json output/tiny/results.json");
    let by_folder = place.keyheat("compare output/tiny output/tiny/").success();
    assert_eq!(stdout_of(&by_folder), stdout_of(&by_file.success()));
    place.keyheat("report output/tiny --images svg").success();
    let files = names_below(&place.path().join("output/tiny"));
    assert!(files.contains(&"report.html".to_owned()), "{files:?}");
    let nothing = stderr_of(&place.keyheat("compare output output/tiny").code(2));
    assert!(nothing.contains("`output/results.json`"), "{nothing}");
}

#[test]
fn a_broken_expectation_exits_with_1_and_says_value_and_bound() {
    let place = Workplace::new().with("tiny.toml", &(TINY.to_owned() + BROKEN));
    let run = place.keyheat("run tiny.toml --no-charts").code(1);
    let talk = stderr_of(&run);
    for part in [
        "plain",
        "server_max_share",
        "below 0.75",
        "is 1 [1, 1]",
        "a reader must see",
    ] {
        assert!(talk.contains(part), "`{part}` is missing in:\n{talk}");
    }
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
    for part in ["tiny.toml:", "cuont", "`count`"] {
        assert!(talk.contains(part), "`{part}` is missing in:\n{talk}");
    }
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
    for part in [
        "| servers | strategy |",
        "| 3 | plain |",
        "| 2 | salted |",
        "## Verdicts at cluster.servers = 3",
        "## Charts at cluster.servers = 3",
        "- plain: beyond cluster.servers = 2 writes gain nothing",
        "2 points of cluster.servers",
    ] {
        assert!(summary.contains(part), "`{part}` is missing in:\n{summary}");
    }
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("<h2>The first point: cluster.servers = 3</h2>"));

    let compared = place
        .keyheat("compare output/tiny/results.json output/tiny/results.json --format markdown")
        .success();
    let compared = stdout_of(&compared);
    for part in [
        "## plain at cluster.servers = 3",
        "## salted at cluster.servers = 2",
    ] {
        assert!(
            compared.contains(part),
            "`{part}` is missing in:\n{compared}"
        );
    }
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
fn a_foreign_folder_is_never_replaced_without_force() {
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
    assert!(!mine.join("thesis.md").exists());
    place.keyheat("run tiny.toml --no-charts").success();
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
fn check_simulates_nothing_and_shows_every_default() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("check tiny.toml").success().stdout_eq("");
    assert!(!place.path().join("output").exists());
    let shown = stdout_of(&place.keyheat("check --show tiny.toml").success());
    assert!(shown.contains("handlers = 30"), "{shown}");
    let place = place.with("shown.toml", &shown);
    assert_eq!(
        stdout_of(&place.keyheat("check --show shown.toml").success()),
        shown,
        "what is shown is the same scenario"
    );
}

#[test]
fn check_reports_every_error_of_every_file() {
    let place = Workplace::new()
        .with("a.toml", &TINY.replace("duration", "duratoin"))
        .with("b.toml", &TINY.replace("2k/s", "2k"));
    let check = place.keyheat("check a.toml b.toml").code(2).stdout_eq("");
    let talk = stderr_of(&check);
    assert!(
        talk.contains("a.toml:") && talk.contains("b.toml:"),
        "{talk}"
    );
    let missing = place.keyheat("check missing.toml").code(2).stdout_eq("");
    assert!(
        stderr_of(&missing).contains("missing.toml"),
        "{}",
        stderr_of(&missing)
    );
}

#[test]
fn size_weighs_tables_of_any_number_of_rows_without_simulating() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let table = stdout_of(&place.keyheat("size tiny.toml").success());
    for part in [
        "plain",
        "salted",
        "fast-diff",
        "block index",
        "rows a flush",
        "be8(ts) 8",
    ] {
        assert!(table.contains(part), "`{part}` is missing in:\n{table}");
    }
    let csv = stdout_of(&place.keyheat("size tiny.toml --format csv").success());
    assert!(
        csv.starts_with("strategy,measure,value\nplain,key_bytes,"),
        "{csv}"
    );
    let markdown = stdout_of(&place.keyheat("size tiny.toml --format markdown").success());
    assert!(markdown.contains("| block index | "), "{markdown}");
    let json = stdout_of(
        &place
            .keyheat("size tiny.toml --only plain --format json")
            .success(),
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let table = &json["strategies"][0]["tables"][0];
    assert_eq!(json["strategies"][0]["strategy"], "plain");
    assert_eq!(table["encoded"][3]["encoding"], "fast-diff");
    assert!(table["key_bytes"]["mean"].as_f64().unwrap() >= 8.0);
}

#[test]
fn explain_shows_keys_by_segment_and_the_predicted_regions() {
    let place = Workplace::new().with("tiny.toml", TINY);
    let explained = stdout_of(&place.keyheat("explain tiny.toml").success());
    for part in ["plain", "salted", "be8(ts)", "\\x01"] {
        assert!(
            explained.contains(part),
            "`{part}` is missing in:\n{explained}"
        );
    }
    place.keyheat("explain tiny.toml --region 1").success();
    place
        .keyheat("explain tiny.toml --region 2")
        .code(2)
        .stdout_eq("");
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
fn results_that_were_cut_off_or_are_none_stop_a_comparison() {
    let place = Workplace::new().with("tiny.toml", TINY);
    place.keyheat("run tiny.toml --no-charts").success();
    let whole = fs::read_to_string(place.path().join("output/tiny/results.json")).unwrap();
    let place = place
        .with("cut.json", &whole[..whole.len() / 2])
        .with("none.json", "{}")
        .with(
            "new.json",
            &whole.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1),
        );
    for (file, told) in [
        (
            "cut.json",
            "`cut.json` is not a results file of keyheat: EOF while parsing",
        ),
        (
            "none.json",
            "`none.json` is not a results file of keyheat: missing field `schema_version`",
        ),
        ("new.json", "`new.json` has schema version 2, expected 1"),
        ("gone.json", "can't read `gone.json`"),
    ] {
        let compare = format!("compare output/tiny/results.json {file}");
        let talk = stderr_of(&place.keyheat(&compare).code(2));
        assert!(talk.contains(told), "{file}: {talk}");
    }
}

#[test]
fn a_key_with_another_parameter_is_to_be_rewritten() {
    let text = TINY.replace("random(2)", "random(buckets)") + "\n[parameter]\nbuckets = 2\n";
    let place = Workplace::new().with("tiny.toml", &text);
    place.keyheat("run tiny.toml --no-charts").success();
    place
        .keyheat("run tiny.toml --no-charts --out wider --set parameter.buckets=4")
        .success();
    let compare = "compare output/tiny/results.json wider/tiny/results.json --format markdown";
    let told = stdout_of(&place.keyheat(compare).success());
    assert!(
        told.contains(
            "The key changed (\\`buckets\\` 2 → 4), and a row key can't be changed in place"
        ),
        "{told}"
    );
    assert_eq!(told.matches("The key changed").count(), 1, "{told}");
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
