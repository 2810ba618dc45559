//! `keyheat presets`: known designs as a table. Must not know what is known.

use super::console::Console;
use super::outcome::Outcome;
use crate::key::{Preset, presets};
use anyhow::Result;
use std::fmt::Write;

pub fn run(console: &Console) -> Result<Outcome> {
    let (traps, designs): (Vec<&Preset>, Vec<&Preset>) =
        presets().iter().partition(|preset| preset.trap);
    let mut text = String::new();
    for preset in designs {
        describe(&mut text, preset, "");
    }
    for preset in traps {
        describe(&mut text, preset, "trap: ");
    }
    console.data(&text)?;
    console.say("paste a key into a scenario, and give its fields their laws");
    Ok(Outcome::Fine)
}

fn describe(text: &mut String, preset: &Preset, mark: &str) {
    let cures = if preset.cures.is_empty() {
        "nothing"
    } else {
        preset.cures
    };
    let _ = writeln!(
        text,
        "{mark}{}: {} ({})",
        preset.name, preset.summary, preset.source
    );
    let _ = writeln!(text, "    {}", preset.key);
    let _ = writeln!(text, "    cures {cures}; reads: {}", preset.reads);
}
