//! What a server can write at most, and how long a client waits for one that is idle.

use super::{ClusterSpec, TableSpec};
use crate::time::SimDuration;

/// Length of a row key in these estimates: the key itself hardly matters to them.
const ROUGH_KEY_BYTES: u64 = 24;

/// Rows a second that one server can write, roughly: its handlers, each busy for the service time and its wait for the WAL, or the WAL's
/// bandwidth.
pub fn server_capacity_per_second(cluster: &ClusterSpec, table: &TableSpec) -> f64 {
    handler_capacity_per_second(cluster).min(of_log(cluster, table))
}

/// The same of handlers alone: with a log of any bandwidth.
pub fn handler_capacity_per_second(cluster: &ClusterSpec) -> f64 {
    of_handlers(cluster, put_hold(cluster).as_secs_f64())
}

/// As [`server_capacity_per_second`], of rows that come in calls of so many that only the time of a row counts.
pub fn server_buffered_capacity_per_second(cluster: &ClusterSpec, table: &TableSpec) -> f64 {
    of_handlers(cluster, cluster.service.write_row.as_secs_f64()).min(of_log(cluster, table))
}

/// Increments or appends a second of one row: each holds it for its service time and its wait for the WAL.
pub fn row_capacity_per_second(cluster: &ClusterSpec) -> f64 {
    1.0 / put_hold(cluster).as_secs_f64().max(1e-9)
}

/// How long a put holds its handler: for its service, and its wait for the WAL.
pub fn put_hold(cluster: &ClusterSpec) -> SimDuration {
    cluster.service.put + log_wait(cluster)
}

/// How long a Get of a row that is there holds its handler, on average.
pub fn get_hold(cluster: &ClusterSpec) -> SimDuration {
    let service = &cluster.service;
    service.get + service.disk_read.mul_f64(1.0 - service.cache_hit)
}

/// How long a put on an idle server takes, seen by its client: the way there and back, its service, and its wait for the WAL.
pub fn idle_put(cluster: &ClusterSpec) -> SimDuration {
    cluster.network + cluster.network + put_hold(cluster)
}

fn log_wait(cluster: &ClusterSpec) -> SimDuration {
    let wal = cluster.wal.as_ref();
    wal.map_or(SimDuration::ZERO, super::WalSpec::wait)
}

fn of_handlers(cluster: &ClusterSpec, secs: f64) -> f64 {
    f64::from(cluster.handlers) / secs.max(1e-9)
}

fn of_log(cluster: &ClusterSpec, table: &TableSpec) -> f64 {
    let row = table.row_size();
    cluster.wal.as_ref().map_or(f64::INFINITY, |wal| {
        wal.bandwidth.0 / row.cells(ROUGH_KEY_BYTES) as f64
    })
}
