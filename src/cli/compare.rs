//! `keyheat compare`: what changed from one result to another. Must not judge: verdicts come from the results.

use super::args::CompareArguments;
use super::console::Console;
use super::report;
use crate::report::comparison_text;
use anyhow::{Context, Result};

pub fn run(arguments: &CompareArguments, console: &Console) -> Result<()> {
    let before = report::load(&arguments.before)?;
    let after = report::load(&arguments.after)?;
    let names = |pair: &String| {
        let names = pair.split_once('=');
        let (old, new) = names.with_context(|| format!("`--pair {pair}` is not `BEFORE=AFTER`"))?;
        Ok((old.to_owned(), new.to_owned()))
    };
    let pairs: Result<Vec<_>> = arguments.pair.iter().map(names).collect();
    let pairs = pairs?;
    let comparison = before.compare(&after, &pairs)?;
    if comparison.strategies.is_empty() {
        console
            .warn("no strategy has the same name in both; `--pair BEFORE=AFTER` compares any two");
    }
    let style = console.table_style();
    console.data(&comparison_text(&comparison, arguments.format, style))
}
