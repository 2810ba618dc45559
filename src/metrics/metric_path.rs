//! Dotted paths of metrics: `read.newest.response_ms.p99`. Must not know any value.

use super::{Definition, Hotspot, MetricId, Part, Side, Source, Unit};
use crate::text::nearest;

/// The words of `read.<name>.path`: the names of [`crate::query::AccessPath`], cheapest kind first.
const PATH_WORDS: [&str; 6] = [
    "get",
    "multi-get",
    "scan",
    "fan-out-scan",
    "bucket-scan",
    "table-scan",
];

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

impl<'a> OperationNames<'a> {
    /// Those of one side.
    pub fn of(&self, side: Side) -> &[&'a str] {
        match side {
            Side::Write => &self.writes,
            Side::Read => &self.reads,
            Side::Neighbour => &self.neighbours,
        }
    }
}

/// Whose metric it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The run's: of all operations, or of none in particular.
    All,
    /// That of one write, read or neighbour, by its index.
    One(Side, usize),
}

/// A metric that a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricPath {
    /// Which metric; of one write, read or neighbour, the metric of all of them that it is a part of.
    pub metric: MetricId,
    /// Whose.
    pub subject: Subject,
    /// Member of a family of response times.
    pub part: Option<Part>,
}

/// A metric of the run that is no family.
impl From<MetricId> for MetricPath {
    fn from(metric: MetricId) -> Self {
        metric.of_all(None)
    }
}

impl MetricId {
    const fn of_all(self, part: Option<Part>) -> MetricPath {
        MetricPath {
            metric: self,
            subject: Subject::All,
            part,
        }
    }

    /// The metric of a path, whosever it is.
    pub fn of_path(path: &str) -> Option<Self> {
        let head = |name: &str| name.split('.').next().map(str::to_owned);
        let words: Vec<&str> = path.splitn(3, '.').collect();
        let side = side_of(words[0]).zip(words.get(2));
        match side.and_then(|(side, rest)| Some((side, head(rest)?))) {
            Some((side, name)) => of_one(side).find(|id| id.own_name() == name),
            None => of_the_run().find(|id| id.name() == words[0]),
        }
    }

    /// A member of a family of response times.
    pub const fn at(self, part: Part) -> MetricPath {
        self.of_all(Some(part))
    }

    /// The metric itself, which is no family.
    pub const fn whole(self) -> MetricPath {
        self.of_all(None)
    }
}

impl MetricPath {
    /// The same metric of one operation.
    pub const fn of_one(self, side: Side, index: usize) -> Self {
        Self {
            subject: Subject::One(side, index),
            ..self
        }
    }

    /// The path behind what names the operation, or the whole path of a metric of the run.
    pub fn tail(&self) -> String {
        let name = match self.subject {
            Subject::All => self.metric.name(),
            Subject::One(..) => self.metric.own_name(),
        };
        match self.part {
            Some(part) => format!("{name}.{}", part.name()),
            None => name.to_owned(),
        }
    }

    /// The path in a scenario with these operations.
    pub fn text(&self, names: &OperationNames<'_>) -> String {
        match self.subject {
            Subject::All => self.tail(),
            Subject::One(side, index) => {
                format!("{}.{}.{}", side.name(), names.of(side)[index], self.tail())
            }
        }
    }

    /// What is known of the metric.
    pub fn definition(&self) -> &'static Definition {
        self.metric.definition()
    }

    /// The words that it may be, when it is a word.
    pub fn words(&self) -> Option<&'static [&'static str]> {
        match self.definition().unit {
            Unit::Word if self.metric == MetricId::Path => Some(&PATH_WORDS),
            Unit::Word => Some(&Hotspot::WORDS),
            _ => None,
        }
    }
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

/// The metric that a dotted path names in a scenario with these operations: `server_max_share`, `write_response_ms.p99`,
/// `write.ingest.response_ms.p99`, `read.newest.calls`.
///
/// # Errors
/// When there is none, with the nearest path that exists.
pub fn lookup(path: &str, names: &OperationNames<'_>) -> Result<MetricPath, UnknownMetric> {
    let unknown = || UnknownMetric::Unknown {
        path: path.into(),
        nearest: {
            let all: Vec<String> = all_paths(names).collect();
            nearest(path, all.iter().map(String::as_str)).map(str::to_owned)
        },
    };
    let mut words = path.splitn(3, '.');
    let side = words.next().and_then(side_of);
    let (subject, name) = match (side, words.next(), words.next()) {
        (Some(side), Some(name), Some(rest)) => {
            let known = names.of(side);
            let Some(index) = known.iter().position(|known| *known == name) else {
                let nearest = nearest(name, known.iter().copied());
                return Err(UnknownMetric::UnknownOperation {
                    path: path.into(),
                    kind: side.name(),
                    name: name.into(),
                    nearest: nearest.map(|nearest| format!("{}.{nearest}.{rest}", side.name())),
                });
            };
            (Subject::One(side, index), rest)
        }
        _ => (Subject::All, path),
    };
    let (head, part) = match name.split_once('.') {
        Some((head, part)) => (head, Some(part)),
        None => (name, None),
    };
    let metric = match subject {
        Subject::All => of_the_run().find(|id| id.name() == head),
        Subject::One(side, _) => of_one(side).find(|id| id.own_name() == head),
    };
    let metric = metric.ok_or_else(unknown)?;
    let part = match part {
        None if metric.is_response() => {
            return Err(UnknownMetric::NeedsPart { path: path.into() });
        }
        None => None,
        Some(part) => {
            let known = Part::ALL.into_iter().find(|known| known.name() == part);
            Some(known.filter(|_| metric.is_response()).ok_or_else(unknown)?)
        }
    };
    Ok(MetricPath {
        metric,
        subject,
        part,
    })
}

fn side_of(word: &str) -> Option<Side> {
    Side::ALL.into_iter().find(|side| side.name() == word)
}

/// Metrics that are of no single operation alone.
fn of_the_run() -> impl Iterator<Item = MetricId> {
    let all = MetricId::ALL.iter().copied();
    all.filter(|id| id.definition().source != Source::OneRead)
}

/// Metrics that a single operation has.
fn of_one(side: Side) -> impl Iterator<Item = MetricId> {
    let all = MetricId::ALL.iter().copied();
    all.filter(move |id| match id.definition().source {
        Source::OneRead => side == Side::Read,
        _ => id.is_of_each() && id.side() == Some(side),
    })
}

/// Every path that [`lookup`] knows.
pub fn all_paths(names: &OperationNames<'_>) -> impl Iterator<Item = String> {
    let mut paths: Vec<MetricPath> = of_the_run().map(MetricPath::from).collect();
    for side in Side::ALL {
        for index in 0..names.of(side).len() {
            paths.extend(of_one(side).map(|id| MetricPath::from(id).of_one(side, index)));
        }
    }
    let members = |path: MetricPath| match path.metric.is_response() {
        true => Part::ALL.map(Some).to_vec(),
        false => vec![None],
    };
    let whole = |path| {
        members(path)
            .into_iter()
            .map(move |part| MetricPath { part, ..path })
    };
    let texts = paths
        .into_iter()
        .flat_map(whole)
        .map(|path| path.text(names));
    texts.collect::<Vec<String>>().into_iter()
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
            assert_eq!(found.text(&names), path);
            assert_eq!(found.part.is_some(), path.contains("response_ms"), "{path}");
            let of_one = ["write.", "read.", "neighbour."]
                .iter()
                .any(|kind| path.starts_with(kind));
            assert_eq!(found.subject != Subject::All, of_one, "{path}");
        }
        let found = lookup("read.window.rows_returned", &names).unwrap();
        assert_eq!(
            (found.subject, found.metric),
            (Subject::One(Side::Read, 2), MetricId::RowsReturned)
        );
        let found = lookup("neighbour.users.response_ms.p50", &names).unwrap();
        assert_eq!(
            (found.subject, found.metric, found.part),
            (
                Subject::One(Side::Neighbour, 1),
                MetricId::NeighbourResponse,
                Some(Part::P50)
            )
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
