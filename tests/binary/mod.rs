//! The binary, without the surroundings of whoever runs the tests.

use snapbox::cmd::{Command, OutputAssert};
use std::path::Path;

/// The tool, to be run in a folder.
pub fn command(folder: &Path) -> Command {
    Command::new(snapbox::cmd::cargo_bin!("keyheat"))
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
}

/// What a run said.
pub fn stderr_of(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

/// What a run gave.
#[allow(dead_code)] // each test crate compiles this file, and one of them looks at messages only
pub fn stdout_of(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}
