//! The binary as its users meet it: what goes to which stream, and how it ends. What it does with scenarios stands in
//! `scenario_commands.rs`.

use crate::binary::{command, stderr_of, stdout_of};
use snapbox::cmd::OutputAssert;
use snapbox::{IntoData, str};
use std::path::Path;
use std::process::Stdio;

fn keyheat(arguments: &[&str]) -> OutputAssert {
    command(Path::new(".")).args(arguments).assert()
}

#[test]
fn usage_errors_exit_with_2_and_suggest_the_nearest_command() {
    keyheat(&["splitz"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: unrecognized subcommand 'splitz'

  tip: a similar subcommand exists: 'splits'

Usage: keyheat [OPTIONS] <COMMAND>

For more information, try '--help'.

"#]]);
    keyheat(&["scenarios/five-keys.toml"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: unrecognized subcommand 'scenarios/five-keys.toml'

  tip: to simulate a scenario: 'keyheat run scenarios/five-keys.toml'

Usage: keyheat [OPTIONS] <COMMAND>

For more information, try '--help'.

"#]]);
    keyheat(&["wisdom"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: unrecognized subcommand 'wisdom'

  tip: the commands are new, run, watch, merge, check, explain, export, learn, calibrate, size, advise, report, compare, key, splits, inspect, presets, schema, completions, man, help

Usage: keyheat [OPTIONS] <COMMAND>

For more information, try '--help'.

"#]]);
    keyheat(&["run"]).code(2).stdout_eq("");
    keyheat(&["run", "x.toml", "--replicates", "0"])
        .code(2)
        .stdout_eq("");
}

#[test]
fn help_and_version_are_data() {
    keyheat(&["--version"])
        .success()
        .stderr_eq("")
        .stdout_eq(str!["keyheat [..]\n"]);
    keyheat(&["--help"]).success().stderr_eq("");
}

#[test]
fn help_explains_commands_and_topics_and_names_the_nearest_of_what_it_does_not_know() {
    let help = |asked: &[&str]| {
        let arguments: Vec<&str> = [&["help"], asked].concat();
        stdout_of(&keyheat(&arguments).success().stderr_eq(""))
    };
    let all = help(&[]);
    for (topic, told) in [
        ("keys", "be8(i)"),
        ("settings", "handlers = 30"),
        ("metrics", "`server_max_share`"),
        ("json", "`is_usable`"),
        ("measured", "`schema_version`"),
        ("model", "# What is left out"),
        ("exit-codes", "130 Ctrl-C"),
    ] {
        assert!(all.contains(&format!("  {topic} ")), "{all}");
        let text = help(&[topic]);
        assert!(text.contains(told), "{topic}: {text}");
    }
    assert!(all.contains("  explain  "), "{all}");
    assert!(help(&["explain"]).contains("Usage: keyheat explain"));
    for (asked, told) in [
        (
            "cluster.handlers",
            "handlers = 30  integer from 1 to 100000 · HBase's default · Handlers of each server: so many calls it works on at a time (`hbase.regionserver.handler.count`).",
        ),
        (
            "write.ingest.rate",
            "rate, as 40k/s · Open loop: so many a second",
        ),
        ("handlers", "[cluster]"),
        ("write", "rate  rate, as 40k/s"),
        ("field.x.late", "up_to  duration, as 20s"),
        (
            "server_max_share_p95",
            "Share of the demand on the hottest server",
        ),
        (
            "write.ingest.response_ms.p50",
            "ms · less · measured in each run · From the intended start",
        ),
    ] {
        let text = help(&[asked]);
        assert!(text.contains(told), "{asked}: {text}");
    }
    for (asked, meant) in [
        ("cluster.handler", "cluster.handlers"),
        ("server_max_shar", "server_max_share"),
    ] {
        let said = stderr_of(&keyheat(&["help", asked]).code(2).stdout_eq(""));
        assert!(said.contains(&format!("did you mean `{meant}`?")), "{said}");
    }
    keyheat(&["help", "metricks"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: no topic and no command is called `metricks`
help: did you mean `metrics`? the topics are keys, settings, scenario, metrics, json, measured, model, exit-codes; the commands are new, run, watch, merge, check, explain, export, learn, calibrate, size, advise, report, compare, key, splits, inspect, presets, schema, completions, man, help

"#]]);
}

#[test]
fn rows_in_a_notation_that_hbase_reads_as_text_are_refused() {
    keyheat(&[
        "splits", "bytes", "--regions", "4", "--first", r"\x00", "--last", r"\x0c",
    ])
    .code(2)
    .stderr_eq(
        str![[r#"
error: `--last`: `\x0c` is no byte: HBase takes upper-case digits only and would read it as the text `x0c`
help: write bytes as `\x0C`

"#]]
        .raw(),
    );
}

#[test]
fn splits_are_those_of_hbase_in_each_format() {
    let splits = |format: &str| {
        keyheat(&["splits", "uniform", "--regions", "3", "--format", format])
            .success()
            .stderr_eq("")
    };
    splits("escaped").stdout_eq(
        str![[r#"
UUUUUUUU
\xAA\xAA\xAA\xAA\xAA\xAA\xAA\xAA

"#]]
        .raw(),
    );
    splits("hex").stdout_eq(
        str![[r#"
5555555555555555
aaaaaaaaaaaaaaaa

"#]]
        .raw(),
    );
    splits("json").stdout_eq(
        str![[r#"
{
  "schema_version": 1,
  "algorithm": "uniform",
  "regions": 3,
  "splits_hex": [
    "5555555555555555",
    "aaaaaaaaaaaaaaaa"
  ]
}

"#]]
        .raw(),
    );
    splits("hbase-shell").stdout_eq(
        str![[r#"
create 't', 'd', SPLITS => ['UUUUUUUU', '\xAA\xAA\xAA\xAA\xAA\xAA\xAA\xAA']

"#]]
        .raw(),
    );
}

#[test]
fn splits_take_a_range_in_the_notation_of_their_algorithm() {
    keyheat(&[
        "splits",
        "decimal-string",
        "--regions",
        "4",
        "--first",
        "000",
        "--last",
        "999",
    ])
    .success()
    .stdout_eq("250\n500\n750\n");
    keyheat(&[
        "splits",
        "bytes",
        "--regions",
        "4",
        "--first",
        r"\x10",
        "--last",
        r"\x30",
        "--format",
        "hex",
    ])
    .success()
    .stdout_eq("10\n20\n30\n");
}

#[test]
fn splits_that_hbase_refuses_exit_with_2_and_its_reason() {
    keyheat(&[
        "splits",
        "decimal-string",
        "--regions",
        "11",
        "--first",
        "0",
        "--last",
        "9",
    ])
    .code(2)
    .stdout_eq("")
    .stderr_eq(str![[r#"
error: HBase refuses: IllegalStateException: split granularity (11) is greater than the range (10)

"#]]);
    keyheat(&["splits", "hex-string", "--regions", "-1"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: HBase refuses: NegativeArraySizeException: -2
help: one region has no split points: ask for 2 regions or more

"#]]);
    keyheat(&["splits", "bytes", "--regions", "5"])
        .code(2)
        .stdout_eq("");
}

#[test]
fn a_closed_stdout_is_no_error() {
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("keyheat"))
        .args(["splits", "uniform", "--regions", "200000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = keyheat(&["completions", shell]).success().stderr_eq("");
        let script = String::from_utf8_lossy(&script.get_output().stdout).into_owned();
        for word in ["new", "watch", "schema", "advise"] {
            assert!(script.contains(word), "{shell} does not know `{word}`");
        }
        // clap writes no values of options for the others: the day it does, this says so.
        let completes_values = matches!(shell, "bash" | "fish" | "zsh");
        assert_eq!(script.contains("clickstream"), completes_values, "{shell}");
        let option = ["--template", "-l template"];
        assert!(
            option.iter().any(|it| script.contains(it)),
            "{shell} does not know `--template`"
        );
    }
}

#[test]
fn every_setting_and_metric_has_a_sentence_and_says_what_it_may_be() {
    let of = |topic: &str| stdout_of(&keyheat(&["help", topic]).success());
    for line in of("settings").lines().skip(2).filter(|it| !it.is_empty()) {
        let is_whole = match line.strip_prefix("  ") {
            None => line.ends_with('.'),
            // What it may be, whose default it has if it has one, and a sentence, which is no mere name.
            Some(setting) => {
                let sentence = setting.rsplit(" · ").next().unwrap_or_default();
                let words = sentence.split(' ').count();
                setting.contains("  ") && sentence.ends_with('.') && words >= 3
            }
        };
        assert!(is_whole, "{line}");
    }
    for row in of("metrics").lines().filter(|it| it.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let [_, unit, _, source, meaning] = cells[..] else {
            panic!("{row}")
        };
        assert!(
            !unit.is_empty() && !source.is_empty() && meaning.ends_with('.'),
            "{row}"
        );
    }
}

#[test]
fn each_command_has_a_man_page() {
    let whole = stdout_of(&keyheat(&["man"]).success().stderr_eq(""));
    assert!(
        whole.starts_with(".ie") && whole.contains("keyheat\\-run(1)"),
        "{whole}"
    );
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    keyheat(&["man", pages.to_str().unwrap()])
        .success()
        .stdout_eq("");
    let run = std::fs::read_to_string(pages.join("keyheat-run.1")).unwrap();
    assert!(run.contains("\\-\\-max\\-memory"), "{run}");
    let file = pages.join("keyheat-run.1/x");
    keyheat(&["man", file.to_str().unwrap()]).code(2);
}

#[test]
fn a_key_is_written_in_each_format() {
    let key = |format: &str| {
        keyheat(&[
            "key",
            "be2(a) || ':' || t",
            "a=258",
            "t=x",
            "--format",
            format,
        ])
        .success()
        .stderr_eq("")
    };
    key("escaped").stdout_eq("\\x01\\x02:x\n".raw());
    key("hex").stdout_eq("01023a78\n");
    key("json").stdout_eq(
        str![[r#"
{"hex":"01023a78","escaped":"\\x01\\x02:x","bytes":4}

"#]]
        .raw(),
    );
}

#[test]
fn a_mistaken_expression_shows_where() {
    let mistaken = keyheat(&["key", "be2(a) || mdfive(t)", "a=258", "t=x"])
        .code(2)
        .stdout_eq("");
    let talk = stderr_of(&mistaken);
    assert!(talk.contains("mdfive") && talk.contains("^"), "{talk}");
}

#[test]
fn presets_mark_the_traps() {
    let presets = stdout_of(&keyheat(&["presets"]).success());
    assert!(presets.contains("trap"), "{presets}");
}

/// The groups that `advise` finds in a shipped scenario, each with its strategies from the best on.
fn advised(scenario: &str) -> serde_json::Value {
    let scenario = format!("scenarios/{scenario}.toml");
    let arguments = "--replicates 2 --set time.duration=2s --set time.warmup=500ms --format json";
    let mut all = vec!["advise", &scenario];
    all.extend(arguments.split(' '));
    serde_json::from_str(&stdout_of(&keyheat(&all).success())).unwrap()
}

#[test]
fn the_ad_report_is_advised_to_hash_company_and_day() {
    let found = advised("ad-report");
    let best = &found["groups"][0]["strategies"][0];
    assert_eq!(best["name"], "company-day");
    assert_eq!(best["on_front"], true);
    // Whoever can't know the hash reads the whole table: of the file's keys that is the last.
    let strategies = found["groups"][0]["strategies"].as_array().unwrap();
    let mut own = strategies.iter().filter(|it| it["suggested"] == false);
    assert_eq!(own.next_back().unwrap()["name"], "all-three");
    // A hash of company and day is in the file: only other keys are suggested.
    let suggested = found["suggestions"]["simulated"].as_array().unwrap();
    assert!((1..=4).contains(&suggested.len()), "{suggested:?}");
    assert!(!found.to_string().contains("hashed-company-day"), "{found}");
    // Only today's rows are another load.
    assert_eq!(found["groups"][1]["strategies"][0]["name"], "today");
    let create = found["groups"][0]["create"].as_str().unwrap();
    assert!(
        create.starts_with("create 'ad-report', 'd', SPLITS => ['10000000', '20000000', "),
        "{create}"
    );
}

#[test]
fn open_tsdb_is_advised_split_points_that_separate_its_metrics() {
    let found = advised("opentsdb-metrics");
    let names: Vec<&str> = found["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["strategies"][0]["name"].as_str().unwrap())
        .collect();
    // Five metrics can't spread over eight servers: with the host before the hour they do.
    assert_eq!(names[1], "few-host-first");
    assert_eq!(found["groups"][1]["strategies"][0]["suggested"], true);
    let create = found["groups"][0]["create"].as_str().unwrap();
    // 32 regions: 31 split points, each three bytes of a metric and more.
    assert_eq!(create.matches(r"'\x00\x0").count(), 31, "{create}");
}

#[test]
fn keys_are_suggested_unless_only_those_of_the_file_are_wanted() {
    let advised = |more: &str| {
        let arguments = "advise scenarios/opentsdb-metrics.toml --only few --replicates 2 \
            --set time.duration=500ms --set time.warmup=200ms --format json";
        let all: Vec<&str> = arguments
            .split_whitespace()
            .chain(more.split_whitespace())
            .collect();
        let found = stdout_of(&keyheat(&all).success());
        serde_json::from_str::<serde_json::Value>(&found).unwrap()
    };
    let found = advised("");
    assert_eq!(found["groups"][0]["strategies"][0]["suggested"], true);
    let own = advised("--own");
    assert_eq!(own["groups"][0]["strategies"].as_array().unwrap().len(), 1);
    assert_eq!(own["suggestions"], serde_json::Value::Null);
}
