//! How a key serves a read. Must not know regions or servers.

use super::Requests;
use crate::key::KeyPlan;
use crate::record::Schema;
use crate::workload::{Population, Read, ReadTarget};
use std::sync::Arc;

/// Ways to serve a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessPath {
    /// One row by its key.
    Get,
    /// Several rows by their keys.
    MultiGet,
    /// One range of keys.
    Scan,
    /// Several ranges of keys.
    FanOutScan,
    /// One whole bucket.
    BucketScan,
    /// Everything.
    TableScan,
}

impl AccessPath {
    /// Its name in results and expectations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::MultiGet => "multi-get",
            Self::Scan => "scan",
            Self::FanOutScan => "fan-out-scan",
            Self::BucketScan => "bucket-scan",
            Self::TableScan => "table-scan",
        }
    }
}

/// What a plan is made for.
#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'a> {
    /// Stored fields.
    pub schema: &'a Schema,
    /// Derived fields by name, in file order.
    pub derived: &'a [(String, String)],
    /// The table's rows.
    pub population: &'a Population,
    /// Targets that costs are averaged over.
    pub sample: &'a [ReadTarget<'a>],
}

/// The cheapest way in which one key serves one read.
#[derive(Debug, Clone)]
pub struct AccessPlan {
    path: AccessPath,
}

/// Plans a read.
pub fn plan(key: &Arc<KeyPlan>, read: &Read, context: &PlanContext<'_>) -> AccessPlan {
    let _ = (key, read, context);
    AccessPlan {
        path: AccessPath::TableScan,
    }
}

impl AccessPlan {
    /// Its kind.
    pub fn path(&self) -> AccessPath {
        self.path
    }

    /// In words: "16 scans, one a bucket; 10 rows wanted, 160 read".
    pub fn words(&self) -> String {
        String::new()
    }

    /// Writes what one read asks for to `requests`, which is cleared first.
    pub fn requests(
        &self,
        target: &ReadTarget<'_>,
        population: &Population,
        requests: &mut Requests,
    ) {
        let _ = (target, population);
        requests.clear();
    }
}
