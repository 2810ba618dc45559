//! Points of a sweep in words. Must not know results.

use crate::scenario::value_text;
use serde_json::Value;
use std::collections::BTreeMap;

/// A point in words, by path: `cluster.servers = 8, parameter.buckets = 16`; empty without a sweep.
pub fn point_label(point: &BTreeMap<String, Value>) -> String {
    let told = |(path, value)| format!("{path} = {}", value_text(value));
    point.iter().map(told).collect::<Vec<String>>().join(", ")
}

/// The same behind a name: ` at cluster.servers = 8`.
pub fn at_point(point: &BTreeMap<String, Value>) -> String {
    let told = (!point.is_empty()).then(|| format!(" at {}", point_label(point)));
    told.unwrap_or_default()
}
