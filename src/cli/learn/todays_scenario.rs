//! A scenario that starts from a table's regions and servers as they are, and asks each for what it is asked for. Must not know formats.

use crate::keyspace::RowKey;
use crate::observed::{Load, ObservedFile, TableLoads};
use crate::text::hex;
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::path::{Path, absolute};

/// Rows that each region has, as far as keys go.
const ROWS: u64 = 1_000_000;

/// The scenario's text, to be written to `out`; `files` are those that the table was read from.
pub fn text(table: &TableLoads, files: &[ObservedFile], out: &Path) -> Result<String> {
    let starts = table.starts().map_err(anyhow::Error::msg)?;
    let seconds = table.seconds.context("how many requests a second?\ngive two snapshots of counters, and say how far apart they are: `--over 60s`")?;
    let unit = table.format.unit;
    if !["requests", "keys"].contains(&unit) {
        bail!(
            "{} counts {unit}, and scenarios write rows\nlearn a scenario from what counts requests or keys",
            table.format.name
        );
    }
    let name = Some(table.table.as_str()).filter(|name| !name.is_empty());
    let lists_all = |file: &&ObservedFile| {
        let alone = TableLoads::read(std::slice::from_ref(*file), name, None);
        alone.is_ok_and(|it| it.starts().is_ok())
    };
    let list = files.iter().rev().find(lists_all);
    let list =
        list.context("no file lists all regions with their keys\nadd what `list_regions` writes")?;
    let is_beside = out.parent() == Some(Path::new(""));
    let file = match is_beside {
        true => list.name.clone(),
        false => absolute(&list.name)?.display().to_string(),
    };
    let rest = (ROWS - 1).to_be_bytes();
    let last = |start: &RowKey| RowKey([start.as_bytes(), &rest].concat());
    if let Some(pair) = starts.windows(2).find(|pair| last(&pair[0]) >= pair[1]) {
        bail!(
            "from `{}` to `{}` is no room for {ROWS} keys\nwrite the scenario by hand",
            pair[0],
            pair[1]
        );
    }
    let is_text = |key: &RowKey| key.0.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let (start, value): (&str, fn(&RowKey) -> String) = match starts.iter().all(is_text) {
        true => ("start", |it| String::from_utf8_lossy(&it.0).into_owned()),
        false => ("unhex(start)", |it| hex(&it.0)),
    };
    let values: Vec<String> = starts.iter().map(value).collect();
    let part = |of: fn(Load) -> Option<f64>| {
        let amounts = table.regions.iter();
        let amounts = amounts.map(|it| it.load.and_then(of).unwrap_or(0.0));
        let amounts: Vec<f64> = amounts.collect();
        let sum: f64 = amounts.iter().sum();
        let law = format!("{{ weights = {}, ranked = true }}", json!(amounts));
        (sum > 0.0).then(|| (format!("\"{:.3}/s\"", sum / seconds), law))
    };
    let (reads, writes) = (part(|it| Some(it.apart?.0)), part(|it| Some(it.apart?.1)));
    let all = part(|it| Some(it.all)).context("no region was asked for anything")?;
    let apart = reads.is_some() || writes.is_some();
    let written = writes.as_ref().or((!apart).then_some(&all));
    let existing = format!("\n[existing.today]\nrecords = {ROWS}\n");
    let read = reads.map(|(rate, law)| {
        format!("{existing}\n[read.today]\nequal = [\"start\", \"row\"]\npick = {{ start = {law} }}\nrate = {rate}\n")
    });
    let write = written.map(|(rate, _)| format!("\n[write.today]\nrate = {rate}\n"));
    let (law, regions) = (&written.unwrap_or(&all).1, values.len());
    let what = match apart {
        true => "reads and writes",
        false => "requests, all taken for writes",
    };
    let from = name.map(|name| format!("table = {}\n", json!(name)));
    Ok(format!(
        r#"# {} as it is, by its regions, their servers, and their {what}.
question = "What would another key make of this load?"

[regions]
file = {}
{}
[field]
# A row is known by the first key of its region, and a number for all else: put the fields of your key in their place. Is a region hot by one
# row, by many, or by the newest? Their distributions say so.
start = {{ type = "text", values = {}, distribution = {law} }}
row = {{ type = "int", count = {ROWS} }}
{}{}
[strategy.today]
key = "{start} || be8(row)"

# A candidate: the same rows in another order, in as many regions.
[strategy.spread]
key = "be4(murmur3(row)) || be8(row) || start"
presplit = {{ algorithm = "uniform", regions = {regions} }}
"#,
        name.unwrap_or("The table"),
        json!(file),
        from.unwrap_or_default(),
        json!(values),
        write.unwrap_or_default(),
        read.unwrap_or_default(),
    ))
}
