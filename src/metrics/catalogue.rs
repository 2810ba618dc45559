//! Every metric that results may hold and expectations may name: its path, unit, range and meaning. Must not compute any.

use super::Hotspot;
use super::definitions::DEFINITIONS;

/// What a metric's numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A plain ratio or number.
    Number,
    /// A share of a whole, in [0, 1].
    Fraction,
    /// Rows a second.
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

/// The family of response times.
pub const RESPONSE: &str = "write_response_ms";

/// Metrics of the design that need what is not simulated yet: reads, splits, the balancer, store files, neighbours.
const NOT_SIMULATED: [(&str, &str); 7] = [
    ("splits", "region splits"),
    ("moves", "the balancer"),
    ("bytes_rewritten", "compactions"),
    ("time_to_relief_ms", "splits and the balancer"),
    ("read_", "reads"),
    ("read.", "reads"),
    ("neighbour.", "neighbours"),
];

/// A metric that a path names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricPath {
    /// Which metric; of one write, the metric of all writes that it is a part of.
    pub definition: &'static Definition,
    /// Index of the write, when it is of one write.
    pub write: Option<usize>,
    /// Member of a family.
    pub part: Option<&'static str>,
}

/// Why a path names no metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownMetric {
    /// No such name.
    #[error("unknown metric `{path}`")]
    Unknown {
        /// As given.
        path: String,
        /// The nearest path that exists.
        nearest: Option<String>,
    },
    /// Part of the design, not of this version.
    #[error("metric `{path}` is not measured yet: {what} are not simulated")]
    NotSimulated {
        /// As given.
        path: String,
        /// What is missing.
        what: &'static str,
    },
    /// A family without a member.
    #[error(
        "`{path}` is a family of numbers, expected one of `{path}.mean`, `.p50`, `.p90`, `.p99`, `.p999`, `.max`"
    )]
    NeedsPart {
        /// As given.
        path: String,
    },
    /// A write that does not exist.
    #[error("unknown write `{name}` in metric `{path}`")]
    UnknownWrite {
        /// As given.
        path: String,
        /// The name in it.
        name: String,
        /// The same path with the nearest write.
        nearest: Option<String>,
    },
}

impl UnknownMetric {
    /// A path that might have been meant.
    pub fn nearest(&self) -> Option<&str> {
        match self {
            Self::Unknown { nearest, .. } | Self::UnknownWrite { nearest, .. } => {
                nearest.as_deref()
            }
            Self::NotSimulated { .. } | Self::NeedsPart { .. } => None,
        }
    }
}

impl MetricPath {
    /// The words that it may be, when it is a word.
    pub fn words(&self) -> Option<&'static [&'static str]> {
        (self.definition.unit == Unit::Word).then_some(&Hotspot::WORDS)
    }
}

/// All metrics, in the order in which a table would show them.
pub fn definitions() -> &'static [Definition] {
    DEFINITIONS
}

/// The metric of that name.
pub fn definition(name: &str) -> Option<&'static Definition> {
    DEFINITIONS
        .iter()
        .find(|definition| definition.name == name)
}

/// The metric that a dotted path names in a scenario with these writes: `server_max_share`, `write_response_ms.p99`,
/// `write.ingest.response_ms.p99`.
///
/// # Errors
/// When there is none, with the nearest path that exists.
pub fn lookup(path: &str, writes: &[&str]) -> Result<MetricPath, UnknownMetric> {
    if let Some((write, rest)) = path
        .strip_prefix("write.")
        .and_then(|rest| rest.split_once('.'))
    {
        let Some(index) = writes.iter().position(|name| *name == write) else {
            let nearest = nearest(write, writes.iter().map(|name| (*name).to_owned()));
            let nearest = nearest.map(|name| format!("write.{name}.{rest}"));
            return Err(UnknownMetric::UnknownWrite {
                path: path.into(),
                name: write.into(),
                nearest,
            });
        };
        let whole = format!("write_{rest}");
        let name = whole.split('.').next().unwrap_or(&whole);
        if PER_WRITE.contains(&name) {
            return plain(&whole, path, writes).map(|found| MetricPath {
                write: Some(index),
                ..found
            });
        }
    }
    plain(path, path, writes)
}

fn plain(name: &str, path: &str, writes: &[&str]) -> Result<MetricPath, UnknownMetric> {
    let (head, part) = name
        .split_once('.')
        .map_or((name, None), |(head, part)| (head, Some(part)));
    if let Some(definition) = definition(head) {
        if head == RESPONSE {
            let Some(part) = part else {
                return Err(UnknownMetric::NeedsPart { path: path.into() });
            };
            if let Some((part, _)) = RESPONSE_PARTS.iter().find(|(known, _)| *known == part) {
                return Ok(MetricPath {
                    definition,
                    write: None,
                    part: Some(part),
                });
            }
        } else if part.is_none() {
            return Ok(MetricPath {
                definition,
                write: None,
                part: None,
            });
        }
    }
    let missing =
        |known: &str| path == known || (known.ends_with(['_', '.']) && path.starts_with(known));
    if let Some((_, what)) = NOT_SIMULATED.iter().find(|(known, _)| missing(known)) {
        return Err(UnknownMetric::NotSimulated {
            path: path.into(),
            what,
        });
    }
    Err(UnknownMetric::Unknown {
        path: path.into(),
        nearest: nearest(path, all_paths(writes)),
    })
}

/// Every path that [`lookup`] knows.
pub fn all_paths(writes: &[&str]) -> impl Iterator<Item = String> {
    let parts = |name: String| {
        let family = name.ends_with("response_ms");
        let parts: Vec<String> = match family {
            true => RESPONSE_PARTS
                .iter()
                .map(|(part, _)| format!("{name}.{part}"))
                .collect(),
            false => vec![name],
        };
        parts
    };
    let plain = DEFINITIONS
        .iter()
        .map(|definition| definition.name.to_owned());
    let of_writes = writes.iter().flat_map(|write| {
        PER_WRITE
            .iter()
            .map(move |name| format!("write.{write}.{}", &name["write_".len()..]))
    });
    plain
        .chain(of_writes)
        .flat_map(parts)
        .collect::<Vec<_>>()
        .into_iter()
}

/// The candidate with the least edit distance, when it is near enough to be meant: a third of its length.
fn nearest(given: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(given, &candidate), candidate))
        .filter(|(distance, candidate)| *distance * 3 <= candidate.len().max(given.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITES: [&str; 2] = ["ingest", "import-2"];

    #[test]
    fn every_path_is_found_by_itself() {
        let paths: Vec<String> = all_paths(&WRITES).collect();
        assert!(paths.contains(&"server_max_share".to_owned()));
        assert!(paths.contains(&"write_response_ms.p999".to_owned()));
        assert!(paths.contains(&"write.import-2.response_ms.p99".to_owned()));
        assert!(paths.contains(&"write.ingest.goodput_fraction".to_owned()));
        for path in paths {
            let found = lookup(&path, &WRITES).unwrap();
            assert_eq!(found.part.is_some(), path.contains("response_ms"), "{path}");
            assert_eq!(found.write.is_some(), path.starts_with("write."), "{path}");
        }
    }

    #[test]
    fn unknown_paths_come_with_the_nearest_one() {
        let nearest = |path: &str| {
            lookup(path, &WRITES)
                .unwrap_err()
                .nearest()
                .map(str::to_owned)
        };
        assert_eq!(
            nearest("server_max_shar").as_deref(),
            Some("server_max_share")
        );
        assert_eq!(
            nearest("write_response_ms.p9").as_deref(),
            Some("write_response_ms.p90")
        );
        assert_eq!(
            nearest("write.ingst.response_ms.p99").as_deref(),
            Some("write.ingest.response_ms.p99")
        );
        assert_eq!(
            nearest("write.ingest.troughput_per_sec").as_deref(),
            Some("write.ingest.throughput_per_sec")
        );
        assert_eq!(nearest("banana"), None);
    }

    #[test]
    fn what_is_not_simulated_is_refused_by_name() {
        for path in [
            "read.newest.calls",
            "read_server_max_share",
            "splits",
            "neighbour.orders.response_ms.p99",
        ] {
            let error = lookup(path, &WRITES).unwrap_err();
            assert!(
                matches!(error, UnknownMetric::NotSimulated { .. }),
                "{path}: {error}"
            );
        }
        assert!(matches!(
            lookup("write_response_ms", &WRITES),
            Err(UnknownMetric::NeedsPart { .. })
        ));
        assert!(matches!(
            lookup("splits_x", &WRITES),
            Err(UnknownMetric::Unknown { .. })
        ));
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
        assert!(PER_WRITE.iter().all(|name| definition(name).is_some()));
    }
}
