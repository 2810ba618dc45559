//! `keyheat watch`: a scorecard now and after every save, mistakes borne, Ctrl-C its only end.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

const SCENARIO: &str = r#"
replicates = 2
[time]
duration = "200ms"
[field]
id = { type = "int", count = 1_000 }
[write.ingest]
rate = "2k/s"
[strategy.hashed]
key = "md5_bytes(id)"
presplit = { algorithm = "uniform", regions = 8 }
"#;

/// A hang would last until somebody notices; no test waits so long.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watch {
    child: Child,
    said: Receiver<String>,
}

impl Watch {
    fn start(file: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyheat"))
            .arg("watch")
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (say, said) = channel();
        let streams: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        for stream in streams {
            let say = say.clone();
            thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    if say.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Self { child, said }
    }

    /// Reads until each of `pieces` has come, in any order: stdout and stderr race.
    fn expect(&mut self, pieces: &[&str]) {
        let mut missing: Vec<&str> = pieces.to_vec();
        let mut lines = Vec::new();
        while !missing.is_empty() {
            let Ok(line) = self.said.recv_timeout(PATIENCE) else {
                panic!("{missing:?} did not come after\n{}", lines.join("\n"));
            };
            missing.retain(|piece| !line.contains(piece));
            lines.push(line);
        }
    }
}

/// What a script starts in the background ignores Ctrl-C, and hands that down to what it starts.
fn ignores_ctrl_c() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    // SIGINT is the second.
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 2 != 0)
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_save_gives_a_scorecard_until_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    fs::write(&file, SCENARIO).unwrap();
    let mut watch = Watch::start(&file);
    watch.expect(&["hashed ", "waiting for a change"]);

    // An editor that saves by renaming.
    let renamed = SCENARIO.replace("hashed", "digest");
    let other = folder.path().join(".keys.swp");
    fs::write(&other, &renamed).unwrap();
    fs::rename(&other, &file).unwrap();
    watch.expect(&["digest ", "waiting for a change"]);

    // Half a file, then all of it, written in place.
    fs::write(&file, renamed.replace("md5_bytes(id)", "md5_byts(id)")).unwrap();
    watch.expect(&["did you mean `md5_bytes(x)`?", "waiting for a change"]);
    fs::write(&file, renamed.replace("digest", "thrice")).unwrap();
    watch.expect(&["thrice ", "waiting for a change"]);

    // Removed for a while.
    fs::remove_file(&file).unwrap();
    thread::sleep(Duration::from_millis(500));
    fs::write(&file, renamed.replace("digest", "fourth")).unwrap();
    watch.expect(&["fourth ", "waiting for a change"]);

    // Killed by SIGINT is what a shell shows as 130.
    let (signal, number) = match ignores_ctrl_c() {
        false => ("-INT", 2),
        true => ("-TERM", 15),
    };
    let pid = watch.child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
    assert!(sent.success());
    assert_eq!(watch.child.wait().unwrap().signal(), Some(number));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no output");
}

#[test]
fn a_file_that_is_not_there_is_told_at_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_keyheat"))
        .args(["watch", "no-such.toml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("error: can't read `no-such.toml`"),
        "{said}"
    );
}
