//! Operations as one file that the HBase shell runs: a program in Ruby, then a line each, then the settings. Must not know where operations come
//! from.

use crate::cluster::{Family, ValueSpec};
use crate::keyspace::RowKey;
use crate::layout::{Asks, ExistingRow, Replayed};
use crate::scenario::Strategy;
use crate::text::{hex, joined};
use crate::time::SimDuration;
use crate::workload::{LoadModel, PageVia, Read, ReadLoadModel, Think, WriteKind};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What replays them; ends in the line behind which they stand.
pub const PROGRAM: &str = include_str!("replay.rb");

/// The name of the table that is made for the replay, unless the user says one.
///
/// # Errors
/// When HBase takes no such name.
pub fn table_name(said: Option<&str>, scenario: &str, strategy: &str) -> Result<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let Some(name) = said else {
        let name = format!("keyheat_{scenario}_{strategy}");
        return Ok(name.replace(|c| !fits(c), "_"));
    };
    let own = name.split_once(':').map_or(name, |(_, own)| own);
    if own.is_empty() || own.starts_with(['-', '.']) || !own.chars().all(fits) {
        bail!(
            "`{name}` is no name of a table\ntake letters, digits, `_`, `-` and `.`, with `NAMESPACE:` in front if need be"
        );
    }
    Ok(name.to_owned())
}

/// The line of a row that exists.
pub fn existing(row: &ExistingRow) -> String {
    format!("e {} {}\n", row.write.0, written(&row.keys, &row.parts))
}

/// A word for each table's key, then one for each part of a cell that is the operation's own.
fn written(keys: &[RowKey], parts: &[Vec<u8>]) -> String {
    let parts = parts.iter().map(|part| format!("={}", hex(part)));
    joined(keys.iter().map(word).chain(parts), " ")
}

/// The line of an operation.
pub fn operation(operation: &Replayed) -> String {
    let at = operation.at.as_secs_f64();
    match &operation.asks {
        Asks::Write { write, keys, parts } => {
            format!("w {} {at} {}\n", write.0, written(keys, parts))
        }
        Asks::Read {
            read,
            table,
            gets,
            scans,
        } => {
            let scans = scans.iter().map(|scan| {
                let direction = if scan.reversed { '-' } else { '+' };
                format!("{}:{}:{direction}", word(&scan.start), word(&scan.stop))
            });
            let parts = joined(gets.iter().map(word).chain(scans), " ");
            format!("r {} {at} {table} {parts}\n", read.0)
        }
    }
}

fn word(key: &RowKey) -> String {
    match key.as_bytes() {
        [] => "-".to_owned(),
        bytes => hex(bytes),
    }
}

/// The last line: `head`, and what the program has to know besides; the run ends at `end`, and is measured from `warm_up` on.
pub fn settings(
    mut head: Value,
    strategy: &Strategy,
    name: &str,
    (warm_up, end): (SimDuration, SimDuration),
) -> Value {
    let setup = &strategy.setup;
    head["settings"].take();
    let tables = head["tables"].as_array_mut().into_iter().flatten();
    for (at, table) in tables.enumerate() {
        table["name"] = Strategy::table_name(name, at).into();
    }
    let mut attributes = json!({
        "MAX_FILESIZE": setup.table.max_file_size.0,
        "MEMSTORE_FLUSHSIZE": setup.table.memstore_flush_size.0,
    });
    for (name, value) in setup.changes.policies.split_policy.attributes() {
        attributes[name] = value.into();
    }
    let millis = |time: SimDuration| time.as_secs_f64() * 1e3;
    let loops = |clients: u32, think: Think| {
        json!({
            "clients": clients,
            "think_ms": millis(think.mean()),
            "think_exponential": matches!(think, Think::Exponential(_)),
        })
    };
    let writes = setup.workload.writes.iter().enumerate().map(|(at, write)| {
        let mut settings = match &write.load {
            LoadModel::Closed { clients, think, .. } => loops(*clients, *think),
            LoadModel::Open { .. } | LoadModel::Periodic(_) => json!({}),
        };
        if let LoadModel::Closed { buffer, .. } = &write.load {
            settings["buffer"] = buffer.map(|bytes| bytes.0).into();
        }
        settings["kind"] = WriteKind::name(write.kind).into();
        let written = setup.written.get(at).cloned();
        let written = written.unwrap_or_else(|| setup.table.cells_of(0));
        settings["family"] = setup.table.families[written.family].name.as_str().into();
        // What is null each operation says for itself.
        let cells = written.cells.iter().map(|cell| {
            let is_fixed = strategy.qualifier.is_none();
            let name = is_fixed.then(|| hex(cell.qualifier.as_bytes()));
            let bytes = match cell.value {
                ValueSpec::Size { bytes, .. } => Some(bytes),
                ValueSpec::Expr(_) => None,
            };
            json!({ "qualifier_hex": name, "bytes": bytes })
        });
        settings["cells"] = cells.collect();
        settings
    });
    let reads = setup.workload.reads.iter().map(|read| {
        let mut settings = match read.load {
            Some(ReadLoadModel::Closed { clients, think }) => loops(clients, think),
            Some(ReadLoadModel::Open { .. }) | None => json!({}),
        };
        settings["limit"] = limit_of(read).into();
        settings
    });
    head["writes"] = writes.collect();
    head["reads"] = reads.collect();
    head["attributes"] = attributes;
    head["families"] = setup.table.families.iter().map(family).collect();
    head["client"] = json!({
        "hbase.client.retries.number": setup.client.retries,
        "hbase.client.pause": millis(setup.client.pause).round() as u64,
        "hbase.client.operation.timeout": millis(setup.client.deadline).round() as u64,
    });
    head["warmup_s"] = warm_up.as_secs_f64().into();
    head["duration_s"] = end.as_secs_f64().into();
    head
}

/// A column family with what is set for it.
fn family(family: &Family) -> Value {
    let attributes: BTreeMap<&str, String> = family.attributes().into_iter().collect();
    json!({ "name": family.name, "attributes": attributes })
}

/// Rows that each scan of a read is to give at most.
fn limit_of(read: &Read) -> Option<u32> {
    let page = read.page.as_ref();
    read.newest.as_ref().map(|newest| newest.rows).or_else(|| {
        let page = page?;
        match page.via {
            PageVia::Cursor => Some(page.size),
            PageVia::Offset => Some(page.size.saturating_mul(page.number)),
            PageVia::Index => None,
        }
    })
}
