//! `[cluster]` and `[table]`: what their settings need beyond their own range.

use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::SourcePlace;
use super::placements::read_placement;
use super::reader::Reader;
use crate::cluster::{ClusterSpec, TableSpec};
use crate::settings::FromSource;
use crate::text::grouped;

/// Bytes of a server, and of each of its handlers with its share of the queues (estimates).
const SERVER_BYTES: f64 = 4096.0;
const HANDLER_BYTES: f64 = 64.0;

/// Reads `[cluster]`.
pub(super) fn read_cluster(cluster: Reader<'_>) -> ClusterSpec {
    let spec = ClusterSpec::read_all(&cluster);
    let place = cluster.place_of_value("servers");
    check_server_memory(cluster.sink, &place, spec.servers, spec.handlers);
    cluster.finish();
    spec
}

/// Complains at `place` when so many servers take more memory than there is.
pub(super) fn check_server_memory(
    sink: &Diagnostics,
    place: &SourcePlace,
    servers: u32,
    handlers: u32,
) {
    let bytes = f64::from(servers) * (SERVER_BYTES + f64::from(handlers) * HANDLER_BYTES);
    let what = format!("{} servers of {handlers} handlers", grouped(servers.into()));
    sink.refuse_memory(place, &what, bytes);
}

/// Reads `[table]`, its `presplit` apart; `servers` are there when the run starts.
pub(super) fn read_table(table: &Reader<'_>, servers: u32) -> TableSpec {
    let mut spec = TableSpec::read_all(table);
    spec.placement = read_placement(table, servers);
    check_family(table, &spec.family);
    check_qualifiers(table);
    let bandwidth = spec.compaction_bandwidth;
    if bandwidth.low.0 > bandwidth.high.0 {
        let (low, high) = (bandwidth.low, bandwidth.high);
        let within = table.table("compaction_bandwidth");
        let key = if within.has("high") { "high" } else { "low" };
        let diagnostic =
            Diagnostic::error(format!("compactions write at least {low}, at most {high}"))
                .label("`low` must be at most `high`")
                .help("give both: `compaction_bandwidth = { low = \"1MB/s\", high = \"2MB/s\" }`");
        within.complain(key, diagnostic);
    }
    if table.entry("copies").is_some() {
        let diagnostic = Diagnostic::error("`copies` are keys: they belong to a strategy")
            .label("not a setting of the table")
            .help("write `copies = [\"...\"]` beside the `key` of `[strategy.x]`");
        table.complain_of_key("copies", diagnostic);
    }
    spec
}

/// HBase: `HColumnDescriptor.isLegalFamilyName`, and a family's length is one byte.
fn check_family(table: &Reader<'_>, family: &str) {
    let legal = |c: char| !c.is_control() && !matches!(c, ':' | '/' | '\\');
    let length = (1..=127).contains(&family.len());
    if !length || !family.chars().all(legal) || family.starts_with('.') {
        let label =
            "expected 1 to 127 bytes, without `:`, `/`, `\\` or control characters, not led by `.`";
        let message = format!("`{family}` is no name of a column family");
        table.refuse("family", message, label);
    }
}

fn check_qualifiers(table: &Reader<'_>) {
    let Some(found) = table.texts("qualifiers", false) else {
        return;
    };
    let mut names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    if names.is_empty() {
        let label = "expected at least one qualifier";
        table.refuse("qualifiers", "a row without cells", label);
    } else if names.windows(2).any(|pair| pair[0] == pair[1]) {
        table.refuse("qualifiers", "a qualifier stands twice", "names are unique");
    } else if let Some((_, place)) = found.iter().find(|(name, _)| name.len() > 32_767) {
        let message = "a qualifier of more than 32,767 bytes";
        table.sink.error(place, message, "too long for HBase");
    }
}
