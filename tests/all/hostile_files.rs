//! Files that somebody else made, or that came in between: nothing is written elsewhere, lost, or obeyed by a terminal.

use crate::binary::{command, folder_with, stderr_of, stdout_of};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use keyheat::text::is_hidden;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SMALL: &str = r#"
[time]
duration = "200ms"
warmup = "50ms"
sample = "50ms"
[cluster]
servers = 2
[field]
id = { type = "int", count = 90 }
[write.w]
rate = "4k/s"
[strategy.a]
key = "be4(id)"
"#;

/// Commands that are over in seconds; a hang would last until somebody notices.
const WATCHDOG: Duration = Duration::from_secs(120);

fn fault(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/faults")
        .join(name)
}

fn edited_json(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    edit(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// The header of a file of saved runs, changed; its runs are dropped.
fn edited_header(path: &Path, edit: impl FnOnce(&mut Value)) {
    let bytes = fs::read(path).unwrap();
    let mut header = Vec::new();
    GzDecoder::new(&bytes[..]).read_to_end(&mut header).unwrap();
    let mut header: Value = serde_json::from_slice(&header).unwrap();
    edit(&mut header);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    writeln!(encoder, "{header}").unwrap();
    fs::write(path, encoder.finish().unwrap()).unwrap();
}

#[test]
fn a_shard_whose_scenario_is_named_as_a_path_is_refused() {
    let folder = folder_with("small.toml", SMALL);
    let run = ["run", "small.toml", "--shard", "1/1", "--replicates", "1"];
    command(folder.path()).args(run).assert().success();
    let shard = folder
        .path()
        .join("output/small.shard-1-of-1.runs.jsonl.gz");
    for name in ["../escaped", "/tmp/keyheat-escaped", "..", "a/b", ""] {
        edited_header(&shard, |header| header["name"] = json!(name));
        let merged = command(folder.path())
            .args(["merge", "output"])
            .assert()
            .code(2);
        let said = stderr_of(&merged);
        assert!(said.contains("expected a file name"), "{name}: {said}");
    }
    assert!(!folder.path().join("escaped").exists());
}

#[test]
fn results_whose_names_are_paths_are_refused() {
    let folder = folder_with("small.toml", SMALL);
    let run = [
        "run",
        "small.toml",
        "--replicates",
        "1",
        "--no-charts",
        "-q",
    ];
    command(folder.path()).args(run).assert().success();
    let results = folder.path().join("output/small/results.json");
    let sound = fs::read(&results).unwrap();
    let edits: [fn(&mut Value); 3] = [
        |value| value["scenario"]["name"] = json!("../escaped"),
        |value| value["strategies"][0]["name"] = json!("../../escaped"),
        |value| value["strategies"][0]["writes"][0]["name"] = json!("/escaped"),
    ];
    for edit in edits {
        fs::write(&results, &sound).unwrap();
        edited_json(&results, edit);
        let drawn = command(folder.path())
            .args(["report", "output/small", "--out", "drawn"])
            .assert()
            .code(2);
        let said = stderr_of(&drawn);
        assert!(
            said.contains("no file name") || said.contains("is no name"),
            "{said}"
        );
    }
    assert!(!folder.path().join("drawn").exists());
}

#[test]
fn a_shard_of_another_experiment_is_not_overwritten() {
    let folder = folder_with("small.toml", SMALL);
    let run = |more: &[&str]| {
        let all = ["run", "small.toml", "--shard", "1/2", "--replicates", "2"];
        command(folder.path()).args(all).args(more).assert()
    };
    run(&[]).success();
    let shard = folder
        .path()
        .join("output/small.shard-1-of-2.runs.jsonl.gz");
    let made = fs::read(&shard).unwrap();
    let said = stderr_of(&run(&["--seed", "5"]).code(2));
    assert!(
        said.contains("seed: saved 1, now 5") && said.contains("--force"),
        "{said}"
    );
    assert!(fs::read(&shard).unwrap() == made);
    // The same shard again gives the same runs, and that they are dropped is said.
    let said = stderr_of(&run(&[]).success());
    assert!(
        said.contains("are dropped: `--resume` would go on from them"),
        "{said}"
    );
    assert!(fs::read(&shard).unwrap() == made);
    run(&["--seed", "5", "--force"]).success();
    assert!(fs::read(&shard).unwrap() != made);
}

#[test]
fn a_file_that_holds_no_runs_is_not_overwritten() {
    let folder = folder_with("small.toml", SMALL);
    fs::create_dir(folder.path().join("output")).unwrap();
    let saved = folder.path().join("output/small.unfinished.runs.jsonl.gz");
    fs::write(&saved, "my own notes").unwrap();
    let run = || {
        let mut command = command(folder.path());
        command = command.args(["run", "small.toml", "--replicates", "1", "--no-charts"]);
        command
    };
    let said = stderr_of(&run().assert().code(2));
    assert!(said.contains("is no file of saved runs"), "{said}");
    assert_eq!(fs::read_to_string(&saved).unwrap(), "my own notes");
    run().arg("--force").assert().success();
    assert!(!saved.exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_symbolic_link_in_the_place_of_saved_runs() {
    let folder = folder_with("small.toml", SMALL);
    let precious = folder.path().join("thesis.md");
    fs::write(&precious, "years of work").unwrap();
    fs::create_dir(folder.path().join("output")).unwrap();
    let saved = folder.path().join("output/small.unfinished.runs.jsonl.gz");
    for target in [precious.clone(), folder.path().join("not-there")] {
        let _ = fs::remove_file(&saved);
        std::os::unix::fs::symlink(target, &saved).unwrap();
        for more in ["--force", "--resume"] {
            let run = ["run", "small.toml", "--replicates", "1", more];
            let refused = command(folder.path()).args(run).assert().code(2);
            let said = stderr_of(&refused);
            assert!(said.contains("is no regular file"), "{said}");
        }
    }
    assert_eq!(fs::read_to_string(&precious).unwrap(), "years of work");
    assert!(!folder.path().join("not-there").exists());
}

/// Every text of a scenario in which a text may stand tries to be obeyed.
#[test]
fn no_terminal_obeys_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = fault("terminal-escape.toml");
    assert!(
        fs::read_to_string(&scenario)
            .unwrap()
            .contains(r"\u001b]0;TITLE")
    );
    let commands: [&[&str]; 7] = [
        &["run", "--replicates", "2"],
        &["run", "--replicates", "2", "--format", "markdown"],
        &["check", "--show"],
        &["explain"],
        &["size"],
        &["advise", "--own", "--replicates", "2"],
        &[
            "compare",
            "output/terminal-escape",
            "output/terminal-escape",
        ],
    ];
    for arguments in commands {
        let mut keyheat = command(folder.path()).args(arguments).timeout(WATCHDOG);
        if arguments[0] != "compare" {
            keyheat = keyheat.arg(&scenario);
        }
        // Whether expectations hold, or keys can be advised on, is not what is asked.
        let ended = keyheat.assert();
        for said in [stdout_of(&ended), stderr_of(&ended)] {
            let hidden = said.find(is_hidden).map(|at| said[..at].lines().last());
            assert_eq!(hidden, None, "{arguments:?}");
        }
    }
    let output = folder.path().join("output/terminal-escape");
    for name in ["summary.md", "report.html"] {
        let text = fs::read_to_string(output.join(name)).unwrap();
        assert!(!text.contains(is_hidden), "{name}");
    }
    for chart in fs::read_dir(output.join("charts")).unwrap() {
        let path = chart.unwrap().path();
        if path.extension().is_some_and(|end| end == "svg") {
            assert!(
                !fs::read_to_string(&path).unwrap().contains(is_hidden),
                "{path:?}"
            );
        }
    }
    // What is wrong with a scenario is shown with its line.
    let broken = fs::read_to_string(&scenario)
        .unwrap()
        .replace("rate =", "rat\u{9b} =");
    fs::write(folder.path().join("broken.toml"), broken).unwrap();
    let said = stderr_of(
        &command(folder.path())
            .args(["check", "broken.toml"])
            .assert()
            .code(2),
    );
    assert!(!said.contains(is_hidden), "{said:?}");
}

#[test]
fn no_spreadsheet_takes_a_row_key_for_a_formula() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "--replicates", "1", "--no-charts", "-q"];
    let scenario = fault("csv-formula.toml");
    command(folder.path())
        .args(run)
        .arg(scenario)
        .assert()
        .success();
    let series = folder.path().join("output/csv-formula/series");
    let mut neutral = 0;
    for file in ["regions.csv", "key-map-a.csv"] {
        let text = fs::read_to_string(series.join(file)).unwrap();
        for line in text.lines().skip(1) {
            for cell in line.split(',').map(|cell| cell.trim_start_matches('"')) {
                let formula = cell.starts_with(['=', '+', '-', '@']);
                assert!(!formula || cell.parse::<f64>().is_ok(), "{file}: {line}");
                neutral += usize::from(cell.starts_with("'="));
            }
        }
    }
    // One value of five begins with `=`, so that a region or a bucket of the key map does.
    assert!(neutral > 0);
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn watching_ends_when_nobody_reads_any_more() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Instant;
    let folder = folder_with("small.toml", SMALL);
    let mut child = Command::new(snapbox::cmd::cargo_bin!("keyheat"))
        .current_dir(folder.path())
        .args(["watch", "small.toml", "-q"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 1]).unwrap();
    drop(out);
    let began = Instant::now();
    let ended = loop {
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        if began.elapsed() > WATCHDOG {
            child.kill().unwrap();
            panic!("it goes on watching");
        }
        sleep(Duration::from_millis(20));
    };
    assert!(ended.success(), "{ended}");
}

#[test]
fn derived_fields_that_double_at_every_level_are_refused_at_once() {
    let mut fields = "id = { type = \"int\", count = 100 }\nf0 = { expr = \"id\" }\n".to_owned();
    for at in 1..900 {
        fields += &format!("f{at} = {{ expr = \"f{0} + f{0}\" }}\n", at - 1);
    }
    let text = SMALL.replace("id = { type = \"int\", count = 90 }\n", &fields);
    let folder = folder_with("double.toml", &text);
    let checked = command(folder.path())
        .args(["check", "double.toml"])
        .timeout(WATCHDOG)
        .assert()
        .code(2);
    // Each has 3 more than twice the one before: f0 1, f1 5, f11 8,189.
    let said = stderr_of(&checked);
    assert!(said.contains("`f12` has 16,381 parts"), "{said}");
    assert!(said.contains("double.toml: 1 error\n"), "{said}");
}

#[test]
fn a_million_listed_texts_are_read_in_moments() {
    let folder = tempfile::tempdir().unwrap();
    let values: String = (0..1_000_000).map(|at| format!("v{at}\n")).collect();
    fs::write(folder.path().join("values.txt"), values).unwrap();
    let field = "id = { type = \"text\", values = \"values.txt\" }";
    let text = SMALL
        .replace("id = { type = \"int\", count = 90 }", field)
        .replace("be4(id)", "id");
    fs::write(folder.path().join("many.toml"), text).unwrap();
    command(folder.path())
        .args(["check", "many.toml"])
        .timeout(WATCHDOG)
        .assert()
        .success();
}
