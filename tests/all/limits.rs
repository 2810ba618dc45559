//! What a command will take is told before it begins, and refused where it is too much. Each command says what it may take, so that no
//! outcome depends on the machine.

use crate::binary::{command, folder_with, stderr_of, stdout_of};
use snapbox::cmd::OutputAssert;
use std::path::Path;
use std::time::Duration;

/// Far longer than these commands take, and far less than what they refuse would take.
const WATCHDOG: Duration = Duration::from_secs(120);

fn fault(verb: &str, name: &str, limits: &[&str]) -> OutputAssert {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/faults")
        .join(name);
    let ended = command(folder.path())
        .arg(verb)
        .arg(scenario)
        .args(["--threads", "1"])
        .args(limits)
        .timeout(WATCHDOG)
        .assert();
    assert!(!folder.path().join("output").exists(), "nothing is begun");
    ended
}

#[test]
fn what_takes_too_much_memory_is_refused_with_what_to_change() {
    let cases = [
        // 10^6 intervals x 10^4 servers x 56 B are 560 GB.
        ("oom-intervals.toml", 560.0, "`time.sample`"),
        // 10^8 operations x 155 B.
        ("oom-in-flight.toml", 15.5, "`client.max_in_flight`"),
        // 7 x 16 x 10^6 clients x 260 B.
        ("oom-clients.toml", 29.1, "clients take most"),
    ];
    for (name, memory, change) in cases {
        for verb in ["check", "run"] {
            let limits = ["--max-memory", "8GB", "--max-time", "3000d"];
            let said = stderr_of(&fault(verb, name, &limits).code(2));
            let said = said.replace('\u{a0}', " ");
            let (before, _) = said.split_once(" GB of memory").expect(&said);
            let told = before.rsplit(' ').next().expect("a word stands before");
            let told: f64 = told.parse().expect("a number");
            assert!((0.5..2.0).contains(&(told / memory)), "{said}");
            assert!(
                said.contains("more than the 8.00 GB of `--max-memory`"),
                "{said}"
            );
            assert!(said.contains(change), "{said}");
        }
    }
}

#[test]
fn what_takes_too_long_is_refused_with_what_to_change() {
    for verb in ["check", "run"] {
        let limits = ["--max-memory", "64GB", "--max-time", "1h"];
        let said = stderr_of(&fault(verb, "forever.toml", &limits).code(2));
        assert!(said.contains("of `--max-time`"), "{said}");
        assert!(said.contains("`time.duration` = \""), "{said}");
    }
    // 2.7 x 10^12 operations x 130 ns x (1 replicate and more) are days.
    let limits = ["--max-memory", "64GB", "--max-time", "3000d"];
    fault("check", "forever.toml", &limits).success();
}

const SMALL: &str = r#"
replicates = 1
[time]
duration = "200ms"
warmup = "50ms"
sample = "50ms"
[field]
id = { type = "int", count = 90 }
[write.w]
rate = "4k/s"
[strategy.a]
key = "be4(id)"
"#;

#[test]
fn what_is_advised_fits() {
    let text = SMALL.replace("200ms", "10s").replace("4k/s", "1M/s");
    let folder = folder_with("small.toml", &text);
    let check = |more: &[&str]| {
        let limits = [
            "--max-memory",
            "200MB",
            "--max-time",
            "1h",
            "--threads",
            "1",
        ];
        let check = ["check", "small.toml"];
        command(folder.path())
            .args(check)
            .args(limits)
            .args(more)
            .assert()
    };
    let said = stderr_of(&check(&[]).code(2));
    let (_, advised) = said.split_once("`client.max_in_flight` = ").expect(&said);
    let advised = advised.split(' ').next().unwrap();
    check(&["--set", &format!("client.max_in_flight={advised}")]).success();
}

#[test]
fn memory_and_time_are_told_unless_nothing_is() {
    let folder = folder_with("small.toml", SMALL);
    let limits = ["--max-memory", "1GB", "--max-time", "1h"];
    for command_line in [
        &["check", "small.toml"][..],
        &["run", "small.toml", "--no-charts"],
    ] {
        let keyheat = || command(folder.path()).args(command_line).args(limits);
        let said = stderr_of(&keyheat().assert().success()).replace('\u{a0}', " ");
        assert!(said.contains("about a second and "), "{said}");
        assert!(said.contains(" MB of memory: 2 runs, "), "{said}");
        assert_eq!(stderr_of(&keyheat().arg("-q").assert().success()), "");
    }
}

#[test]
fn there_are_no_more_threads_than_runs() {
    let folder = folder_with("small.toml", SMALL);
    let limits = ["--max-memory", "1GB", "--max-time", "1h"];
    let run = ["run", "small.toml", "--no-charts", "--threads", "65535"];
    let ended = command(folder.path())
        .args(run)
        .args(limits)
        .timeout(WATCHDOG)
        .assert()
        .success();
    assert!(
        stderr_of(&ended).contains("2 runs, 2 at a time"),
        "{}",
        stderr_of(&ended)
    );
}

/// The greatest of 10^10 values has 1 / (1 + 1/2 + ... + 1/10^10) = 1 / (ln 10^10 + 0.5772) = 4.24 % of the rows: of 800, by which it is told, with a
/// standard deviation of sqrt(0.0424 x 0.9576 / 800) = 0.71 %.
#[test]
fn a_law_takes_as_little_memory_over_ten_billion_values_as_over_a_million() {
    let law = "\"digits\", width = 10, distribution = { zipf = 1.0 }";
    let text = SMALL.replace("\"int\", count = 90", law);
    let folder = folder_with("many.toml", &text.replace("be4(id)", "id"));
    let keyheat = |arguments: &str| {
        let arguments = arguments.split(' ');
        command(folder.path()).args(arguments).assert().success()
    };
    keyheat("run many.toml --no-charts --max-memory 200MB --max-time 1h");
    let said = stdout_of(&keyheat("explain many.toml"));
    let (before, _) = said.split_once(" % of the writes").expect(&said);
    let share = before.rsplit(' ').next().expect("a word stands before");
    let share: f64 = share.parse().expect("a number");
    assert!((share - 4.24).abs() < 3.0 * 0.71, "{said}");
}
