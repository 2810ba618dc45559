//! What is broken, endless or too large, and disks that take nothing: told at once, without a panic or half of a file.

use crate::binary::{command, folder_with, stderr_of};
use keyheat::experiment::SavedRuns;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

const SCENARIO: &str = r#"
[time]
duration = "300ms"
warmup = "50ms"
sample = "50ms"
[field]
id = { type = "int", count = 1_000 }
ts = { type = "timestamp", unit = "ms" }
[write.w]
rate = "5k/s"
[strategy.a]
key = "md5_bytes(be4(id)) || be8(ts)"
"#;

/// A folder with the scenario and its results.
fn folder() -> tempfile::TempDir {
    let folder = folder_with("small.toml", SCENARIO);
    let run = ["run", "small.toml", "--replicates", "2"];
    command(folder.path()).args(run).assert().success();
    folder
}

/// The tool with arguments behind words of the shell.
fn shell(folder: &Path, before: &str, arguments: &str) -> Output {
    let keyheat = snapbox::cmd::cargo_bin!("keyheat");
    let line = format!("{before} exec {} {arguments}", keyheat.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder);
    shell.env("NO_COLOR", "1").output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn results_that_are_cut_off_or_absurd_are_refused() {
    let folder = folder();
    let folder = folder.path();
    let good = "output/small/results.json";
    let text = fs::read_to_string(folder.join(good)).unwrap();
    let servers = text.replacen("\"servers\": 8", "\"servers\": 4000000000", 1);
    assert_ne!(servers, text);
    for (bad, reason) in [
        (
            &text[..text.len() / 2],
            "is not a results file of keyheat: EOF",
        ),
        ("", "is not a results file of keyheat: EOF"),
        (&*"[".repeat(100_000), "is not a results file of keyheat: "),
        (
            &*servers,
            "`a` has 4000000000 servers, expected up to 1000000",
        ),
    ] {
        fs::write(folder.join("bad.json"), bad).unwrap();
        for arguments in [
            ["report", "bad.json", "--out=drawn"],
            ["compare", "bad.json", good],
            ["compare", good, "bad.json"],
        ] {
            let refused = command(folder).args(arguments).assert().code(2);
            let said = stderr_of(&refused);
            assert!(said.contains(reason), "{arguments:?}: {said}");
            assert!(!folder.join("drawn").exists());
        }
    }
    let endless = command(folder).args(["report", "/dev/zero"]).assert();
    let said = stderr_of(&endless.code(2));
    assert!(said.contains("`/dev/zero` is not a results file"), "{said}");
}

#[test]
fn a_disk_that_is_full_keeps_what_was_there() {
    let folder = folder();
    let folder = folder.path();
    let before = fs::read(folder.join("output/small/results.json")).unwrap();
    let unfinished = folder.join("output/small.unfinished.runs.jsonl.gz");
    // Files of at most 64 blocks of 512 bytes: first the saved runs don't fit, then the pictures.
    for (replicates, what) in [
        (200, "can't write `output/small.unf"),
        (1, "could not be written"),
    ] {
        let run = format!("run small.toml --replicates {replicates} --seed 9");
        let ended = shell(folder, "trap '' XFSZ; ulimit -f 64;", &run);
        let said = said(&ended);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(
            said.contains(what) && said.contains("File too large"),
            "{said}"
        );
        let after = fs::read(folder.join("output/small/results.json")).unwrap();
        assert!(after == before, "{what}");
        assert_eq!(SavedRuns::read(&unfinished).unwrap().cut_off, 0);
        assert_eq!(fs::read_dir(folder.join("output")).unwrap().count(), 2);
    }
}

#[test]
fn a_stream_or_a_folder_that_takes_nothing_is_told() {
    let folder = folder();
    let folder = folder.path();
    let run = "run small.toml --replicates 1 --no-charts --format json";
    let full = shell(folder, "", &format!("{run} > /dev/full"));
    assert_eq!(full.status.code(), Some(2));
    assert!(
        said(&full).contains("can't write to standard output"),
        "{}",
        said(&full)
    );
    assert!(File::open(folder.join("output/small/results.json")).is_ok());
    for out in ["/proc/keyheat", "/dev/full", "small.toml"] {
        let refused = shell(folder, "", &format!("{run} --out {out}"));
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            said(&refused).contains("can't create the folder"),
            "{}",
            said(&refused)
        );
    }
}

#[test]
fn endless_lists_are_refused_at_once() {
    const MANY: u32 = 100_000;
    let each = |count: u32, what: &dyn Fn(u32) -> String| (0..count).map(what).collect::<String>();
    let more = |text: String| format!("{SCENARIO}{text}");
    let before = |place: &str, text: String| SCENARIO.replacen(place, &format!("{text}{place}"), 1);
    let folder = tempfile::tempdir().unwrap();
    for (name, text, reason) in [
        (
            "sweep",
            more(format!(
                "[sweep]\ncluster.servers = [{}]\n",
                each(MANY, &|at| format!("{},", at + 1))
            )),
            "at most 1024: shorten a list",
        ),
        (
            "backwards",
            more(format!(
                "[strategy.b]\nkey = \"be4(id)\"\npresplit = [{}]\n",
                each(MANY, &|at| format!("'{}',", 999_999 - at))
            )),
            "and 99899 more",
        ),
        (
            "strategies",
            more(each(10_000, &|at| {
                format!("[strategy.s{at}]\nkey = \"be4(id)\"\n")
            })),
            "10001 strategies",
        ),
        (
            "fields",
            before(
                "[write.w]",
                each(MANY, &|at| format!("f{at} = {{ expr = \"be4(id)\" }}\n")),
            ),
            "100002 fields",
        ),
        (
            "tables",
            more(each(5_000, &|at| format!("[tabel{at}]\n"))),
            "unknown key `tabel0`",
        ),
        (
            "seeds",
            before("\n[time]", each(MANY, &|_| "seed = 1\n".to_owned())),
            "`seed` is set twice",
        ),
        ("equals", more("= = =\n".repeat(MANY as usize)), "more"),
    ] {
        let file = format!("{name}.toml");
        fs::write(folder.path().join(&file), text).unwrap();
        let refused = command(folder.path())
            .args(["check", &file])
            .assert()
            .code(2);
        let said = stderr_of(&refused);
        let shown: String = said.chars().take(500).collect();
        assert!(said.contains(reason), "{name}: {shown}");
        assert!(said.len() < 100_000, "{name}: {} bytes", said.len());
    }
}
