//! Every metric that results may hold and expectations may name: its path, unit, range and meaning. Must not compute any.

use super::definitions::{DEFINITIONS, OF_ONE_READ};

/// What a metric's numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A plain ratio or number.
    Number,
    /// A share of a whole, in [0, 1].
    Fraction,
    /// Rows or reads a second.
    PerSecond,
    /// Milliseconds.
    Millis,
    /// Bytes.
    Bytes,
    /// A count of things.
    Count,
    /// No number: a word.
    Word,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It depends.
    Neither,
}

/// One metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Definition {
    /// Name in `results.json`; the first word of its path.
    pub name: &'static str,
    /// What its numbers count.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// The range that the quantity can have; see [`Definition::range_with`].
    pub range: (f64, f64),
    /// One line.
    pub meaning: &'static str,
}

impl Definition {
    /// The range in a cluster of so many servers: what starts at one (peaks over the mean, effective servers, floors) ends at their number.
    pub fn range_with(&self, servers: u32) -> (f64, f64) {
        let (low, high) = self.range;
        if low == 1.0 {
            (low, f64::from(servers.max(1)))
        } else {
            (low, high)
        }
    }
}

/// The members of a family of response times (`write_response_ms.p99`), and the quantile of each.
pub const RESPONSE_PARTS: [(&str, Option<f64>); 6] = [
    ("mean", None),
    ("p50", Some(0.5)),
    ("p90", Some(0.9)),
    ("p99", Some(0.99)),
    ("p999", Some(0.999)),
    ("max", None),
];

/// Metrics that each write has as well, as `write.<name>.` and what follows the prefix `write_`.
pub const PER_WRITE: [&str; 7] = [
    "write_offered_per_sec",
    "write_throughput_per_sec",
    "write_goodput_per_sec",
    "write_goodput_fraction",
    "write_failed_fraction",
    "write_unfinished_fraction",
    RESPONSE,
];

/// Metrics that each read has as well, as `read.<name>.` and what follows the prefix `read_`.
pub const PER_READ: [&str; 7] = [
    "read_offered_per_sec",
    "read_throughput_per_sec",
    "read_goodput_per_sec",
    "read_goodput_fraction",
    "read_failed_fraction",
    "read_unfinished_fraction",
    READ_RESPONSE,
];

/// Metrics that each neighbour has as well, as `neighbour.<name>.` and what follows the prefix `neighbour_`.
pub const PER_NEIGHBOUR: [&str; 7] = [
    "neighbour_offered_per_sec",
    "neighbour_throughput_per_sec",
    "neighbour_goodput_per_sec",
    "neighbour_goodput_fraction",
    "neighbour_failed_fraction",
    "neighbour_unfinished_fraction",
    NEIGHBOUR_RESPONSE,
];

/// The family of response times of writes.
pub const RESPONSE: &str = "write_response_ms";
/// The family of response times of reads.
pub const READ_RESPONSE: &str = "read_response_ms";
/// The family of response times of neighbours.
pub const NEIGHBOUR_RESPONSE: &str = "neighbour_response_ms";

/// What each read costs, as `read.<name>.`: means a read. The first four by its plan, over all that were sent; the last two as measured, over those
/// that were completed.
pub const READ_COSTS: [&str; 6] = [
    "calls_planned",
    "regions",
    "rows_planned",
    "rows_returned",
    "calls",
    "rows_read",
];

/// Metrics that no single run measures: of the layout, or made from several runs.
pub const NOT_OF_A_RUN: [&str; 16] = [
    "hotspot",
    "read_hotspot",
    "demand_hotspot",
    "key_floor",
    "read_key_floor",
    "makespan_ms",
    "server_capacity_per_sec",
    "usable_capacity_per_sec",
    "knee_per_sec",
    "knee_in_servers",
    "key_bytes",
    "cell_bytes",
    "row_bytes",
    "table_rows",
    "table_bytes",
    "block_index_bytes",
];

/// All metrics, in the order in which a table would show them.
pub fn definitions() -> &'static [Definition] {
    DEFINITIONS
}

/// The metric of that name; also the members of one read alone (`path`, `calls`, ...).
pub fn definition(name: &str) -> Option<&'static Definition> {
    DEFINITIONS
        .iter()
        .chain(OF_ONE_READ)
        .find(|definition| definition.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_at_one_ends_at_the_number_of_servers() {
        let range = |name, servers| definition(name).unwrap().range_with(servers);
        assert_eq!(range("server_peak_to_mean", 8), (1.0, 8.0));
        assert_eq!(range("server_peak_to_mean", 0), (1.0, 1.0));
        assert_eq!(range("server_max_share", 8), (0.0, 1.0));
        assert_eq!(range("splits", 8), (0.0, f64::INFINITY));
    }

    #[test]
    fn definitions_are_distinct_and_consistent() {
        for (index, definition) in definitions().iter().enumerate() {
            assert!(
                definitions()[..index]
                    .iter()
                    .all(|other| other.name != definition.name),
                "{}",
                definition.name
            );
            let (low, high) = definition.range;
            assert!(
                low < high || definition.unit == Unit::Word,
                "{}",
                definition.name
            );
            assert_eq!(
                definition.unit == Unit::Fraction,
                (low, high) == (0.0, 1.0),
                "{}",
                definition.name
            );
        }
        let named = PER_WRITE.iter().chain(&PER_READ).chain(&PER_NEIGHBOUR);
        let named = named.chain(&READ_COSTS).chain(&NOT_OF_A_RUN);
        assert!(named.copied().all(|name| definition(name).is_some()));
    }
}
