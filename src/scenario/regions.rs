//! `[regions]`: the table starts with the regions that a file lists, on their servers. Must not know formats.

use super::prelude::*;
use super::reader::NAMES;
use super::source::read_bytes;
use crate::observed::{ObservedFile, TableLoads};
use crate::settings::text;
use std::collections::BTreeSet;
use std::path::Path;

crate::settings! {
    /// The regions that the table has today.
    pub(super) static REGIONS("regions", "") {
        /// What a cluster says of them, beside the scenario: the table starts with these split points on these servers. A strategy with a
        /// `presplit` of its own has that instead, and its regions are dealt.
        file = text("").needs("\"list_regions.txt\""),
        /// Which table's, where the file has several.
        table = text(""),
    }
}

/// Split points in HBase's notation, and the server of each region by its number in the order of their names.
struct Start {
    points: Vec<String>,
    servers: Option<Vec<usize>>,
}

/// Replaces `[regions]` by the `presplit`, `placement` and `servers` that it stands for.
pub(super) fn resolve_regions(sink: &Diagnostics, document: &mut TomlTable) {
    let scenario = Reader::whole(sink, document, &NAMES);
    let Some(entry) = scenario.entry("regions") else {
        return;
    };
    let regions = scenario.table_at(entry, &REGIONS);
    let (file, table) = (regions.required_text("file"), regions.text("table"));
    let place = regions.place_of_value("file");
    regions.finish();
    let settings = document.table("table");
    if let Some(points) = settings.and_then(|it| it.get("presplit")) {
        let label = "`[regions]` says already where the table's regions begin";
        let message = "`table.presplit` beside `[regions]`";
        sink.error(&points.node.place, message, label);
    }
    let start = file.map(|file| read(&sink.origin.folder, file, table));
    document.entries.retain(|entry| entry.key != "regions");
    let start = match start {
        Some(Ok(start)) => start,
        Some(Err(why)) => {
            let (why, help) = why.split_once('\n').unwrap_or((&why, ""));
            let help = Some(help.to_owned()).filter(|help| !help.is_empty());
            let label = "expected a list of all regions of a table";
            sink.add(&place, Diagnostic::error(why).label(label).hint(help));
            return;
        }
        None => return,
    };
    let node = |value| Node {
        value,
        place: place.clone(),
    };
    let set = |table: &mut TomlTable, key: &str, value| {
        if table.get(key).is_none() {
            table.set(key, place.clone(), node(value));
        }
    };
    let mut set_in = |name: &str, key: &str, value| {
        set(document, name, Value::Table(TomlTable::default()));
        if let Some(Value::Table(table)) = document.value_mut(name) {
            set(table, key, value);
        }
    };
    let points = start.points.into_iter().map(Value::Text).map(node);
    set_in("table", "presplit", Value::Array(points.collect()));
    let Some(servers) = start.servers else { return };
    let count = servers.iter().max().map_or(1, |most| most + 1);
    set_in("cluster", "servers", Value::Integer(count as i128));
    let servers = servers
        .iter()
        .map(|server| node(Value::Integer(*server as i128)));
    set_in("table", "placement", Value::Array(servers.collect()));
    let Some(Value::Table(strategies)) = document.value_mut("strategy") else {
        return;
    };
    for strategy in &mut strategies.entries {
        if let Value::Table(own) = &mut strategy.node.value
            && own.get("presplit").is_some()
        {
            set(own, "placement", Value::Text("dealt".to_owned()));
        }
    }
}

fn read(folder: &Path, name: &str, table: Option<&str>) -> Result<Start, String> {
    let bytes = read_bytes(&folder.join(name));
    let bytes = bytes.map_err(|(why, _)| {
        format!("can't read `{name}`: {why}\nit is looked for beside the scenario")
    })?;
    let file = ObservedFile::new(name, &bytes).map_err(|error| error.to_string())?;
    let found = TableLoads::read(&[file], table, None).map_err(|error| error.to_string())?;
    let starts = found.starts()?;
    let servers = found.regions.iter().map(|it| it.server.as_deref());
    let servers: Option<Vec<&str>> = servers.collect();
    let names: BTreeSet<&str> = servers.iter().flatten().copied().collect();
    let number = |name: &str| names.range(..name).count();
    Ok(Start {
        points: starts.iter().skip(1).map(ToString::to_string).collect(),
        servers: servers.map(|all| all.into_iter().map(number).collect()),
    })
}
