//! `keyheat presets`: known designs as a table. Must not know what is known.

use super::args::DataFormat;
use super::console::Console;
use crate::key::{Preset, presets};
use crate::report::json_text;
use anyhow::Result;
use std::collections::BTreeMap;

pub fn run(format: DataFormat, console: &Console) -> Result<()> {
    if format == DataFormat::Json {
        let all: Vec<&Preset> = presets().iter().collect();
        return console.data(&json_text(&BTreeMap::from([("presets", all)])));
    }
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
