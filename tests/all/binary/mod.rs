//! The binary, without the surroundings of whoever runs the tests.

use snapbox::cmd::{Command, OutputAssert};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The tool, to be run in a folder.
pub fn command(folder: &Path) -> Command {
    Command::new(snapbox::cmd::cargo_bin!("keyheat"))
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
}

/// A folder with a file in it.
#[allow(dead_code)] // each test crate compiles this file, and one of them needs no files
pub fn folder_with(file: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(file), text).unwrap();
    folder
}

/// What a run said.
#[allow(dead_code)] // as above
pub fn stderr_of(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

/// What a run gave.
#[allow(dead_code)] // as above
pub fn stdout_of(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}
