//! One fully resolved run. Must not hold anything that could be wrong.

use crate::client::ClientSpec;
use crate::cluster::{ClusterSpec, TableSpec};
use crate::key::KeyPlan;
use crate::keyspace::RowKey;
use crate::query::AccessPlan;
use crate::random::Seed;
use crate::record::RecordGenerator;
use crate::time::{SimDuration, SimTime};
use crate::workload::{Population, Workload};
use std::sync::Arc;

/// Everything that one run needs.
#[derive(Debug, Clone)]
pub struct SimConfig {
    /// The user's seed.
    pub seed: Seed,
    /// Which replicate this is; strategies of one replicate share all random streams.
    pub replicate: u32,
    /// End of the warm-up.
    pub warmup: SimTime,
    /// Length of the run, warm-up included.
    pub duration: SimTime,
    /// Interval of series and skew.
    pub sample: SimDuration,
    /// What is written, when.
    pub workload: Arc<Workload>,
    /// The replicate's records.
    pub generator: Arc<RecordGenerator>,
    /// The strategy's row key.
    pub key: Arc<KeyPlan>,
    /// Sorted, distinct, not empty keys: n points make n + 1 regions. Region i opens on server (offset + i) mod servers.
    pub split_points: Arc<Vec<RowKey>>,
    /// Sorted start keys of the key map's buckets but the first; empty keeps no series.
    pub key_buckets: Arc<Vec<RowKey>>,
    /// Further copies of the table; a write writes its row to all of them.
    pub copies: Arc<Vec<TableCopy>>,
    /// How each read of the workload is served, in its order.
    pub reads: Arc<Vec<PlannedRead>>,
    /// The table's rows, for the numbers of rows that reads meet.
    pub population: Arc<Population>,
    /// Servers.
    pub cluster: ClusterSpec,
    /// Rows.
    pub table: TableSpec,
    /// Clients.
    pub client: ClientSpec,
    /// Operations that are generated, keyed and routed together; never changes a result. >= 1.
    pub batch: usize,
}

/// A further copy of the table.
#[derive(Debug, Clone)]
pub struct TableCopy {
    /// Its row key.
    pub key: Arc<KeyPlan>,
    /// As [`SimConfig::split_points`]; each copy's regions are dealt to the servers from an offset of its own.
    pub split_points: Arc<Vec<RowKey>>,
}

/// How one read is served.
#[derive(Debug, Clone)]
pub struct PlannedRead {
    /// 0: the table itself; c: copy c - 1.
    pub table: usize,
    /// Its access path.
    pub plan: Arc<AccessPlan>,
    /// Sorted keys of rows of that table, each standing for as many: how a scan's rows lie over the regions that it crosses.
    pub row_sample: Arc<crate::keyspace::KeyBatch>,
}
