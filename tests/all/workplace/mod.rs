//! A folder in which commands meet a scenario that takes milliseconds.

use crate::binary::command;
use snapbox::cmd::OutputAssert;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// An empty folder to work in.
pub struct Workplace {
    folder: TempDir,
}

impl Workplace {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn with(self, file: &str, text: &str) -> Self {
        fs::write(self.path().join(file), text).unwrap();
        self
    }

    pub fn keyheat(&self, arguments: &str) -> OutputAssert {
        command(self.path())
            .args(arguments.split_whitespace())
            .assert()
    }
}

/// Two keys, 2,000 writes a second, one simulated second: milliseconds to run.
pub const TINY: &str = r#"
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

/// Fails with what a text lacks of `parts`.
#[track_caller]
pub fn assert_tells(text: &str, parts: &[&str]) {
    let missing = parts.iter().filter(|part| !text.contains(*part));
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "{missing:?} are missing in:\n{text}");
}
