//! From a dotted path to the metric that it names (`read.newest.response_ms.p99`). Must not know any value.

use super::Hotspot;
use super::catalogue::{
    Definition, NEIGHBOUR_RESPONSE, PER_NEIGHBOUR, PER_READ, PER_WRITE, READ_RESPONSE, RESPONSE,
    RESPONSE_PARTS, Unit, definitions,
};
use super::definitions::OF_ONE_READ;

/// The words of `read.<name>.path`: the names of [`crate::query::AccessPath`], cheapest kind first.
pub const PATH_WORDS: [&str; 6] = [
    "get",
    "multi-get",
    "scan",
    "fan-out-scan",
    "bucket-scan",
    "table-scan",
];

/// The member of a read that is a word.
const PATH: &str = "path";

/// The names that paths may use: those of a scenario's operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationNames<'a> {
    /// Of the writes, in file order.
    pub writes: Vec<&'a str>,
    /// Of the reads, in file order.
    pub reads: Vec<&'a str>,
    /// Of the neighbours, in file order.
    pub neighbours: Vec<&'a str>,
}

/// Whose metric it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The run's: of all operations, or of none in particular.
    All,
    /// One write's, by its index.
    Write(usize),
    /// One read's, by its index.
    Read(usize),
    /// One neighbour's, by its index.
    Neighbour(usize),
}

/// A metric that a path names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricPath {
    /// Which metric; of one write, read or neighbour, the metric of all of them that it is a part of.
    pub definition: &'static Definition,
    /// Whose.
    pub subject: Subject,
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
    /// A family without a member.
    #[error(
        "`{path}` is a family of numbers, expected one of `{path}.mean`, `.p50`, `.p90`, `.p99`, `.p999`, `.max`"
    )]
    NeedsPart {
        /// As given.
        path: String,
    },
    /// A write, read or neighbour that does not exist.
    #[error("unknown {kind} `{name}` in metric `{path}`")]
    UnknownOperation {
        /// As given.
        path: String,
        /// `write`, `read` or `neighbour`.
        kind: &'static str,
        /// The name in it.
        name: String,
        /// The same path with the nearest name.
        nearest: Option<String>,
    },
}

impl UnknownMetric {
    /// A path that might have been meant.
    pub fn nearest(&self) -> Option<&str> {
        match self {
            Self::Unknown { nearest, .. } | Self::UnknownOperation { nearest, .. } => {
                nearest.as_deref()
            }
            Self::NeedsPart { .. } => None,
        }
    }
}

impl MetricPath {
    /// The words that it may be, when it is a word.
    pub fn words(&self) -> Option<&'static [&'static str]> {
        match self.definition.unit {
            Unit::Word if self.definition.name == PATH => Some(&PATH_WORDS),
            Unit::Word => Some(&Hotspot::WORDS),
            _ => None,
        }
    }
}

/// A kind of operation that has metrics of its own.
struct Kind<'a> {
    name: &'static str,
    operations: &'a [&'a str],
    /// Metrics of all operations of the kind that each has as well, with the prefix `<name>_`.
    shared: &'static [&'static str],
    /// Metrics that only a single operation has.
    own: &'static [Definition],
    subject: fn(usize) -> Subject,
}

fn kinds<'a>(names: &'a OperationNames<'a>) -> [Kind<'a>; 3] {
    [
        Kind {
            name: "write",
            operations: &names.writes,
            shared: &PER_WRITE,
            own: &[],
            subject: Subject::Write,
        },
        Kind {
            name: "read",
            operations: &names.reads,
            shared: &PER_READ,
            own: OF_ONE_READ,
            subject: Subject::Read,
        },
        Kind {
            name: "neighbour",
            operations: &names.neighbours,
            shared: &PER_NEIGHBOUR,
            own: &[],
            subject: Subject::Neighbour,
        },
    ]
}

/// The metric that a dotted path names in a scenario with these operations: `server_max_share`, `write_response_ms.p99`,
/// `write.ingest.response_ms.p99`, `read.newest.calls`.
///
/// # Errors
/// When there is none, with the nearest path that exists.
pub fn lookup(path: &str, names: &OperationNames<'_>) -> Result<MetricPath, UnknownMetric> {
    for kind in kinds(names) {
        let of_kind = path
            .strip_prefix(kind.name)
            .and_then(|rest| rest.strip_prefix('.')?.split_once('.'));
        let Some((name, rest)) = of_kind else {
            continue;
        };
        let Some(index) = kind.operations.iter().position(|known| *known == name) else {
            let nearest = nearest(name, kind.operations.iter().map(|name| (*name).to_owned()));
            return Err(UnknownMetric::UnknownOperation {
                path: path.into(),
                kind: kind.name,
                name: name.into(),
                nearest: nearest.map(|nearest| format!("{}.{nearest}.{rest}", kind.name)),
            });
        };
        let subject = (kind.subject)(index);
        let whole = format!("{}_{rest}", kind.name);
        let head = whole.split('.').next().unwrap_or(&whole);
        if kind.shared.contains(&head) {
            return plain(&whole, path, names).map(|found| MetricPath { subject, ..found });
        }
        if let Some(definition) = kind.own.iter().find(|own| own.name == rest) {
            return Ok(MetricPath {
                definition,
                subject,
                part: None,
            });
        }
    }
    plain(path, path, names)
}

fn plain(name: &str, path: &str, names: &OperationNames<'_>) -> Result<MetricPath, UnknownMetric> {
    let (head, part) = name
        .split_once('.')
        .map_or((name, None), |(head, part)| (head, Some(part)));
    let known = definitions()
        .iter()
        .find(|definition| definition.name == head);
    if let Some(definition) = known {
        if [RESPONSE, READ_RESPONSE, NEIGHBOUR_RESPONSE].contains(&head) {
            let Some(part) = part else {
                return Err(UnknownMetric::NeedsPart { path: path.into() });
            };
            if let Some((part, _)) = RESPONSE_PARTS.iter().find(|(known, _)| *known == part) {
                return Ok(MetricPath {
                    definition,
                    subject: Subject::All,
                    part: Some(part),
                });
            }
        } else if part.is_none() {
            return Ok(MetricPath {
                definition,
                subject: Subject::All,
                part: None,
            });
        }
    }
    Err(UnknownMetric::Unknown {
        path: path.into(),
        nearest: nearest(path, all_paths(names)),
    })
}

/// Every path that [`lookup`] knows.
pub fn all_paths(names: &OperationNames<'_>) -> impl Iterator<Item = String> {
    let mut paths: Vec<String> = definitions()
        .iter()
        .map(|definition| definition.name.to_owned())
        .collect();
    for kind in kinds(names) {
        for operation in kind.operations {
            let prefix = kind.name.len() + 1;
            let shared = kind.shared.iter().map(|name| &name[prefix..]);
            let members = kind.own.iter().map(|own| own.name).chain(shared);
            paths.extend(members.map(|member| format!("{}.{operation}.{member}", kind.name)));
        }
    }
    paths.into_iter().flat_map(|name| {
        if name.ends_with("response_ms") {
            RESPONSE_PARTS
                .iter()
                .map(|(part, _)| format!("{name}.{part}"))
                .collect()
        } else {
            vec![name]
        }
    })
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
    use crate::query::AccessPath;

    fn names() -> OperationNames<'static> {
        OperationNames {
            writes: vec!["ingest", "import-2"],
            reads: vec!["newest", "by-id", "window"],
            neighbours: vec!["orders", "users"],
        }
    }

    #[test]
    fn every_path_is_found_by_itself() {
        let names = names();
        let paths: Vec<String> = all_paths(&names).collect();
        for expected in [
            "server_max_share",
            "write_response_ms.p999",
            "read_server_max_share",
            "read_response_ms.p50",
            "write.import-2.response_ms.p99",
            "write.ingest.goodput_fraction",
            "read.by-id.path",
            "read.by-id.rows_read",
            "read.window.response_ms.p99",
            "read.newest.failed_fraction",
            "neighbour_response_ms.max",
            "neighbour.users.response_ms.p99",
            "neighbour.orders.throughput_per_sec",
        ] {
            assert!(paths.iter().any(|path| path == expected), "{expected}");
        }
        for path in paths {
            let found = lookup(&path, &names).unwrap();
            assert_eq!(found.part.is_some(), path.contains("response_ms"), "{path}");
            let of_one = ["write.", "read.", "neighbour."]
                .iter()
                .any(|kind| path.starts_with(kind));
            assert_eq!(found.subject != Subject::All, of_one, "{path}");
        }
        let found = lookup("read.window.rows_returned", &names).unwrap();
        assert_eq!(
            (found.subject, found.definition.name),
            (Subject::Read(2), "rows_returned")
        );
        let found = lookup("neighbour.users.response_ms.p50", &names).unwrap();
        assert_eq!(
            (found.subject, found.definition.name, found.part),
            (Subject::Neighbour(1), NEIGHBOUR_RESPONSE, Some("p50"))
        );
    }

    #[test]
    fn unknown_paths_come_with_the_nearest_one() {
        let nearest = |path: &str| {
            lookup(path, &names())
                .unwrap_err()
                .nearest()
                .map(str::to_owned)
        };
        for (given, expected) in [
            ("server_max_shar", "server_max_share"),
            ("write_response_ms.p9", "write_response_ms.p90"),
            (
                "write.ingst.response_ms.p99",
                "write.ingest.response_ms.p99",
            ),
            (
                "write.ingest.troughput_per_sec",
                "write.ingest.throughput_per_sec",
            ),
            ("read.newst.calls", "read.newest.calls"),
            ("read.newest.row_read", "read.newest.rows_read"),
            ("read_server_max_shares", "read_server_max_share"),
            (
                "neighbour.order.failed_fraction",
                "neighbour.orders.failed_fraction",
            ),
        ] {
            assert_eq!(nearest(given).as_deref(), Some(expected), "{given}");
        }
        assert_eq!(nearest("banana"), None);
        // What only one read has is no metric of the run, and of no write.
        for path in ["calls", "path", "write.ingest.calls", "read.newest.path.x"] {
            assert!(
                matches!(lookup(path, &names()), Err(UnknownMetric::Unknown { .. })),
                "{path}"
            );
        }
        let error = lookup("read.oldest.calls", &OperationNames::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown read `oldest` in metric `read.oldest.calls`"
        );
    }

    #[test]
    fn words_are_those_of_their_metric() {
        let words = |path: &str| lookup(path, &names()).unwrap().words();
        assert_eq!(words("hotspot"), Some(&Hotspot::WORDS[..]));
        assert_eq!(words("read.newest.path"), Some(&PATH_WORDS[..]));
        assert_eq!(words("read.newest.calls"), None);
        let paths = [
            AccessPath::Get,
            AccessPath::MultiGet,
            AccessPath::Scan,
            AccessPath::FanOutScan,
            AccessPath::BucketScan,
            AccessPath::TableScan,
        ];
        assert_eq!(paths.map(AccessPath::name), PATH_WORDS);
    }

    #[test]
    fn a_family_is_no_metric_without_a_member() {
        for path in [
            "write_response_ms",
            "read.newest.response_ms",
            "neighbour.users.response_ms",
        ] {
            assert!(matches!(
                lookup(path, &names()),
                Err(UnknownMetric::NeedsPart { .. })
            ));
        }
    }
}
