//! Loads that can't be what the author means, seen before any simulation. Must not know keys.

use crate::cluster::{ClusterSpec, TableSpec};
use crate::metrics::OPERATIONS_PER_SERVER;
use crate::scenario::{Diagnostic, Severity, Strategy, TimeSpec};
use crate::storage::RowSize;

/// Length of a row key in the rough estimates of this file: the key itself hardly matters to them.
const ROUGH_KEY_BYTES: u64 = 24;

/// Below so many operations in the measurement window nothing can be said.
const FEWEST_OPERATIONS: f64 = 100.0;

/// Offered load beyond this multiple of the rough capacity is hardly meant.
const MOST_LOAD: f64 = 100.0;

/// Offered load below this fraction of it shows nothing.
const LEAST_LOAD: f64 = 0.001;

/// Lints of the load that a strategy's writes are for its cluster. A closed loop offers what the cluster takes, so only open loops and
/// beats are judged.
pub fn load_lints(strategy: &Strategy, time: &TimeSpec) -> Vec<Diagnostic> {
    let setup = &strategy.setup;
    if setup.workload.writes.is_empty() {
        return Vec::new();
    }
    let Some(rate) = setup.workload.offered_per_sec(&setup.schema) else {
        return Vec::new();
    };
    let servers = f64::from(setup.cluster.servers);
    let capacity = servers * server_capacity_per_second(&setup.cluster, &setup.table);
    let window = time.duration.as_secs_f64() - time.warmup.as_secs_f64();
    let in_interval = rate * time.sample.as_secs_f64();
    let needed = OPERATIONS_PER_SERVER as f64 * servers;
    let lint = |message: String, help: &str| Diagnostic {
        severity: Severity::Warning,
        message,
        span: None,
        label: String::new(),
        help: Some(help.to_owned()),
    };
    let mut lints = Vec::new();
    if rate * window < FEWEST_OPERATIONS {
        lints.push(lint(
            format!(
                "about {:.0} operations in the measurement window: too few to say anything",
                rate * window
            ),
            "raise the rate or `time.duration`",
        ));
    } else if in_interval < needed {
        lints.push(lint(
            format!(
                "about {in_interval:.0} operations an interval on {servers} servers: the skew metrics skip intervals with fewer than {needed:.0}"
            ),
            "lengthen `time.sample` or raise the rate",
        ));
    }
    if rate > MOST_LOAD * capacity {
        lints.push(lint(
            format!(
                "{rate:.0} operations a second are over 100 times what {servers} servers can do (about {capacity:.0})"
            ),
            "check the unit of the rate, and `cluster.servers`",
        ));
    } else if rate < LEAST_LOAD * capacity {
        lints.push(lint(
            format!("{rate:.0} operations a second are under 0.1 % of what {servers} servers can do (about {capacity:.0}): nothing will be hot"),
            "check the unit of the rate",
        ));
    }
    lints
}

/// Rows a second that one server can write, roughly: its handlers, each busy for the service time and its wait for the WAL, or the WAL's
/// bandwidth.
pub(super) fn server_capacity_per_second(cluster: &ClusterSpec, table: &TableSpec) -> f64 {
    let row = RowSize::new(
        table.family.len() as u64,
        table.qualifiers.iter().map(String::as_str),
        table.value.0,
    );
    let sync = cluster
        .wal
        .as_ref()
        .map_or(0.0, |wal| wal.wait().as_secs_f64());
    let handlers =
        f64::from(cluster.handlers) / (cluster.service.put.as_secs_f64() + sync).max(1e-9);
    let bandwidth = cluster.wal.as_ref().map_or(f64::INFINITY, |wal| {
        wal.bandwidth.0 / row.cells(ROUGH_KEY_BYTES) as f64
    });
    handlers.min(bandwidth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_server_writes_about_twenty_thousand_rows_a_second() {
        let capacity = server_capacity_per_second(&ClusterSpec::default(), &TableSpec::default());
        // 30 handlers, each held for 0.3 ms and 1.2 ms.
        assert!((capacity - 20_000.0).abs() < 1.0, "{capacity}");
    }
}
