//! `placement` of `[table]`: a word, or the server of each region.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::{Node, SourcePlace, Value};
use super::model::{Presplit, Setup};
use super::reader::Reader;
use crate::cluster::Placement;
use crate::text::grouped;
use std::sync::Arc;

/// Reads `placement`; `servers` are there when the run starts.
pub(super) fn read_placement(table: &Reader<'_>, servers: u32) -> Placement {
    let node = table.entry("placement").map(|entry| &entry.node.value);
    let Some(Value::Array(items)) = node else {
        let word = table.word_or("placement", &["dealt", "in-order", "grown"]);
        return [Placement::Dealt, Placement::InOrder, Placement::Grown][word].clone();
    };
    if items.is_empty() {
        let label = "expected the server of each region, in key order";
        table.refuse("placement", "a `placement` without any server", label);
        return Placement::Dealt;
    }
    // All of them are looked at before any is given up.
    let found = items.iter().map(|item| server(table, item, servers));
    let found: Vec<Option<u32>> = found.collect();
    match found.into_iter().collect::<Option<Vec<u32>>>() {
        Some(list) => Placement::Listed(Arc::new(list)),
        None => Placement::Dealt,
    }
}

fn server(table: &Reader<'_>, item: &Node, servers: u32) -> Option<u32> {
    let Value::Integer(number) = item.value else {
        table.wrong_type("placement", item, "a server's number");
        return None;
    };
    let found = u32::try_from(number).ok();
    let found = found.filter(|&server| server < servers);
    if found.is_none() {
        let label = match servers {
            1 => "the only server is 0".to_owned(),
            _ => format!("servers are 0 to {}", grouped((servers - 1).into())),
        };
        let message = format!("there is no server {number}");
        table.sink.error(&item.place, message, label);
    }
    found
}

/// Complains about a list of another length than the pre-split, where that alone decides how many regions there are.
pub(super) fn check_length(
    sink: &Diagnostics,
    place: &SourcePlace,
    setup: &Setup,
    presplit: &Presplit,
) {
    let Presplit::Fixed { points, .. } = presplit else {
        return;
    };
    if setup.workload.existing_rows(&setup.schema) == 0
        && let Some(fault) = misfit(&setup.table.placement, points.len() + 1)
    {
        sink.add(place, fault);
    }
}

/// A list for another number of regions than a table starts with.
pub fn misfit(placement: &Placement, regions: usize) -> Option<Diagnostic> {
    let servers = match placement {
        Placement::Listed(list) if list.len() != regions => list.len(),
        _ => return None,
    };
    let regions = match regions {
        1 => "1 region".to_owned(),
        regions => format!("{} regions", grouped((regions as u64).into())),
    };
    let message = format!("`placement` lists {servers} servers, the table starts with {regions}");
    let diagnostic = Diagnostic::error(message).label("expected one server a region, in key order");
    let help = "`keyheat explain` shows the regions; `placement = \"dealt\"` deals them evenly";
    Some(diagnostic.help(help))
}
