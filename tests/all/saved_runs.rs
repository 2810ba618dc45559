//! Runs that are saved and gone on from, shared out and merged, by the binary: always to the bytes of one uninterrupted run.

use crate::binary::{command, folder_with, stderr_of, stdout_of};
use crate::folder_files::files_below;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Two points of two strategies: `runs` are 4 x (replicates + 1).
const SCENARIO: &str = r#"
question = "Is it all there?"
[time]
duration = "400ms"
warmup = "100ms"
sample = "50ms"
[sweep]
cluster.servers = [3, 5]
[field]
sensor = { type = "int", count = 90, distribution = { zipf = 0.9 } }
ts = { type = "timestamp", unit = "ms" }
[write.ingest]
rate = "4k/s"
[read.newest]
equal = ["sensor"]
newest = { field = "ts", rows = 3 }
rate = "50/s"
[strategy.monotonic]
key = "be8(ts) || be4(sensor)"
[strategy.hashed]
key = "md5_bytes(be4(sensor)) || be8(ts)"
presplit = { algorithm = "uniform", regions = 6 }
[[expect]]
strategy = "hashed"
metric = "write_throughput_per_sec"
above = 100
"#;

fn folder() -> tempfile::TempDir {
    folder_with("small.toml", SCENARIO)
}

fn spawned(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(snapbox::cmd::cargo_bin!("keyheat"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs until the file of saved runs has some, then asks it to end; what it said.
fn interrupted(folder: &Path, arguments: &[&str], saved: &Path) -> String {
    let mut child = spawned(folder, arguments);
    // The header is there, and some runs.
    while fs::metadata(saved).map_or(0, |file| file.len()) < 20_000 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    said
}

fn assert_equal_folders(one: &Path, other: &Path) {
    let (one, other) = (files_below(one), files_below(other));
    assert!(one.len() > 5, "{:?}", one.keys());
    assert!(one.keys().eq(other.keys()));
    for (name, bytes) in &one {
        assert!(bytes == &other[name], "{name}");
    }
}

/// Names of what is in `output`.
fn outputs(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("output")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_run_goes_on_after_ctrl_c_to_the_same_bytes() {
    let folder = folder();
    let folder = folder.path();
    let run = ["run", "small.toml", "--threads", "1", "--replicates", "60"];
    let unfinished = folder.join("output/small.unfinished.runs.jsonl.gz");
    let said = interrupted(folder, &run, &unfinished);
    assert!(
        said.contains("of 244 runs saved in output/small.unfinished.runs.jsonl.gz"),
        "{said}"
    );
    assert_eq!(outputs(folder), ["small.unfinished.runs.jsonl.gz"]);

    // Cut off in the middle of a run, as by a machine that dies.
    let bytes = fs::read(&unfinished).unwrap();
    fs::write(&unfinished, &bytes[..bytes.len() - 5]).unwrap();
    let other = command(folder)
        .args(run)
        .args(["--resume", "--seed", "7"])
        .assert();
    let other = other.code(2);
    assert!(
        stderr_of(&other).contains("seed: saved 1, now 7"),
        "{}",
        stderr_of(&other)
    );
    let resumed = command(folder).args(run).arg("--resume").assert().success();
    assert!(stderr_of(&resumed).contains("of 244 runs are there already"));
    assert!(stderr_of(&resumed).contains("was cut off"));
    assert_eq!(outputs(folder), ["small"]);

    let whole = command(folder)
        .args(run)
        .args(["--out", "whole"])
        .assert()
        .success();
    assert_eq!(stdout_of(&whole), stdout_of(&resumed));
    assert_equal_folders(&folder.join("output/small"), &folder.join("whole/small"));
}

#[test]
fn of_several_scenarios_those_that_are_done_are_not_made_again() {
    let folder = folder();
    let folder = folder.path();
    fs::copy(folder.join("small.toml"), folder.join("later.toml")).unwrap();
    let run = [
        "run",
        "small.toml",
        "later.toml",
        "--threads",
        "1",
        "--replicates",
        "60",
    ];
    interrupted(
        folder,
        &run,
        &folder.join("output/later.unfinished.runs.jsonl.gz"),
    );
    assert!(folder.join("output/small/report.html").exists());
    let resumed = command(folder).args(run).arg("--resume").assert().success();
    let said = stderr_of(&resumed);
    assert!(
        said.contains("small: 244 of 244 runs are there already"),
        "{said}"
    );
    assert!(said.contains("of 244 runs are there already\n"), "{said}");
    assert_eq!(outputs(folder), ["later", "small"]);
}

#[test]
fn shards_are_merged_to_what_one_machine_writes() {
    let folder = folder();
    let folder = folder.path();
    let run = |arguments: &[&str]| {
        let all = ["run", "small.toml", "--replicates", "3"];
        command(folder).args(all).args(arguments).assert()
    };
    run(&["--shard", "3/3"]).success().stdout_eq("");
    run(&["--shard", "1/3"]).success();
    let lacking = command(folder).args(["merge", "output"]).assert().code(2);
    let said = stderr_of(&lacking);
    assert!(said.contains("small: 5 of 16 runs are missing: "), "{said}");
    assert!(
        said.contains("make them with `--shard 2/3 --resume`"),
        "{said}"
    );
    run(&["--shard", "2/3", "--resume"]).success();
    // Of another seed.
    run(&["--shard", "2/3", "--seed", "5", "--out", "other"]).success();
    let first = "output/small.shard-1-of-3.runs.jsonl.gz";
    let odd = "other/small.shard-2-of-3.runs.jsonl.gz";
    let mixed = command(folder).args(["merge", first, odd]).assert().code(2);
    assert!(
        stderr_of(&mixed).contains("seed: saved 5, now 1"),
        "{}",
        stderr_of(&mixed)
    );
    let twice = command(folder)
        .args(["merge", first, first])
        .assert()
        .code(2);
    assert!(
        stderr_of(&twice).contains("is there twice"),
        "{}",
        stderr_of(&twice)
    );
    let foreign = command(folder)
        .args(["merge", "small.toml"])
        .assert()
        .code(2);
    assert!(stderr_of(&foreign).contains("`small.toml` is no file of saved runs"));
    run(&["--shard", "0/3"]).code(2);

    let merged = command(folder).args(["merge", "output"]).assert().success();
    let whole = run(&["--out", "whole"]).success();
    assert_eq!(stdout_of(&merged), stdout_of(&whole));
    assert_equal_folders(&folder.join("output/small"), &folder.join("whole/small"));
}

#[test]
fn gnu_parallel_makes_the_shards() {
    let version = Command::new("parallel").arg("--version").output();
    let gnu = version.is_ok_and(|version| version.stdout.starts_with(b"GNU parallel"));
    if !gnu {
        eprintln!("skipped: GNU parallel is not installed");
        return;
    }
    let folder = folder();
    let folder = folder.path();
    let keyheat = snapbox::cmd::cargo_bin!("keyheat");
    let made = Command::new("parallel")
        .current_dir(folder)
        .args(["--will-cite", "-j2"])
        .arg(format!(
            "{} run small.toml --quick --shard {{}}/4",
            keyheat.display()
        ))
        .args([":::", "1", "2", "3", "4"])
        .status();
    assert!(made.unwrap().success());
    command(folder).args(["merge", "output"]).assert().success();
    let whole = ["run", "small.toml", "--quick", "--out", "whole"];
    command(folder).args(whole).assert().success();
    assert_equal_folders(&folder.join("output/small"), &folder.join("whole/small"));
}

#[test]
fn a_kill_leaves_the_old_folder_or_the_new_one() {
    let folder = folder();
    let folder = folder.path();
    let run = |seed: &str| {
        let all = ["run", "small.toml", "--quick", "--seed", seed];
        command(folder).args(all).assert().success();
    };
    let started = Instant::now();
    run("1");
    let took = started.elapsed();
    let whole = files_below(&folder.join("output/small.quick"));
    // From the first moment of a run to about its last one.
    for round in 0..12 {
        let seed = (round + 2).to_string();
        let mut child = spawned(folder, &["run", "small.toml", "--quick", "--seed", &seed]);
        sleep(took * round / 11);
        child.kill().unwrap();
        child.wait().unwrap();
        let now = files_below(&folder.join("output/small.quick"));
        assert!(
            now.keys().eq(whole.keys()),
            "round {round}: {:?}",
            now.keys()
        );
        let results: serde_json::Value = serde_json::from_slice(&now["results.json"]).unwrap();
        let page = String::from_utf8_lossy(&now["summary.md"]);
        assert!(
            page.contains(&format!("seed {}", results["seed"])),
            "round {round}"
        );
    }
    run("1");
    assert_eq!(outputs(folder), ["small.quick"]);
    assert!(files_below(&folder.join("output/small.quick")) == whole);
}
