//! `keyheat presets`: known designs as a table. Must not know what is known.

use super::console::Console;
use crate::key::{Preset, presets};
use anyhow::Result;

pub fn run(console: &Console) -> Result<()> {
    // The traps come last.
    for trap in [false, true] {
        let alike = presets().iter().filter(|preset| preset.trap == trap);
        console.data(&alike.map(described).collect::<String>())?;
    }
    console.say("paste a key into a scenario, and give its fields their laws");
    Ok(())
}

fn described(preset: &Preset) -> String {
    let Preset {
        name,
        summary,
        source,
        key,
        besides,
        cures,
        reads,
        trap,
    } = preset;
    let mark = if *trap { "trap: " } else { "" };
    let cures = if cures.is_empty() { "nothing" } else { cures };
    let besides: String = besides.iter().map(|line| format!("    {line}\n")).collect();
    format!(
        "{mark}{name}: {summary} ({source})\n    {key}\n{besides}    cures {cures}; reads: {reads}\n"
    )
}
