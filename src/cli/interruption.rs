//! Ctrl-C, and a machine that asks for the end: what they do to the work. Must not know what the work is.

use super::console::Console;
use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell calls the end by Ctrl-C: 128 and the signal's number.
pub const EXIT_CODE: u8 = 130;

static WANTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C (elsewhere than on Windows SIGTERM and SIGHUP, too) sets the flag that is returned, and the second ends the
/// process at once.
pub fn ends_in_order(console: Console) -> Result<&'static AtomicBool> {
    ctrlc::set_handler(move || {
        if WANTED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
        console.say("stopping; finished runs are saved, Ctrl-C again ends at once");
    })
    .context("can't wait for Ctrl-C")?;
    Ok(&WANTED)
}
