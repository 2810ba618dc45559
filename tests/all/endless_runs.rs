//! Runs that would take very long: they end all the same, or when somebody asks them to.

use crate::binary::command;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Far longer than each of these commands takes, and far less than they take when clients ask again every microsecond.
const WATCHDOG: Duration = Duration::from_secs(120);

/// What is foreseen is not what is tested here.
const LIMITS: [&str; 4] = ["--max-memory", "100GB", "--max-time", "3000d"];

const FAULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults");

/// `refused_calls_fraction` and completed rows are of no interest here: that the command ends is.
fn ends(file: &str) {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Path::new(FAULTS).join(file);
    let ended = command(folder.path())
        .arg("run")
        .arg(scenario)
        .args(["--replicates", "1", "--threads", "2", "--no-charts", "-q"])
        .args(LIMITS)
        .timeout(WATCHDOG)
        .assert();
    ended.success();
}

#[test]
fn the_saturating_run_of_clients_without_retries_ends() {
    ends("livelock-retries0.toml");
}

#[test]
fn refusals_without_any_delay_hold_up_no_run() {
    ends("slow-refusals.toml");
}

#[test]
fn clients_that_ask_again_without_a_pause_take_a_round_trip_each_time() {
    ends("retry-forever.toml");
}

#[cfg(unix)]
#[test]
fn a_run_under_way_ends_when_it_is_asked_to() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Instant;
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(snapbox::cmd::cargo_bin!("keyheat"))
        .current_dir(folder.path())
        .arg("run")
        .arg(Path::new(FAULTS).join("forever.toml"))
        .args(["--threads", "1", "--replicates", "1"])
        .args(LIMITS)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    // The file of saved runs is made just before the first run begins.
    let saved = folder
        .path()
        .join("output/forever.unfinished.runs.jsonl.gz");
    while fs::metadata(&saved).map_or(0, |file| file.len()) == 0 && began.elapsed() < WATCHDOG {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(100));
    let asked = Command::new("kill").arg(child.id().to_string()).status();
    assert!(asked.unwrap().success());
    let asked_at = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if asked_at.elapsed() > WATCHDOG {
            child.kill().unwrap();
            panic!("the run goes on");
        }
        sleep(Duration::from_millis(5));
    }
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("0 of 2 runs saved"), "{said}");
}
