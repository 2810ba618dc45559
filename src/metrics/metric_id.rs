//! The identities of metrics, with what is known of each, and their dotted paths: `read.newest.response_ms.p99`. Must not compute any.

use super::Hotspot;
use crate::query::AccessPath;
use crate::text::{joined, nearest, words};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

words! {
    /// What a metric's numbers count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Unit {
        /// A plain ratio or number.
        Number = "number",
        /// Servers, or so many times a server's mean: from one up to their number.
        Servers = "1 to the servers",
        /// A share of a whole, in [0, 1].
        Fraction = "0 to 1",
        /// Rows or reads a second.
        PerSecond = "a second",
        /// Milliseconds.
        Millis = "ms",
        /// Bytes.
        Bytes = "bytes",
        /// A count of things.
        Count = "count",
        /// No number: a word.
        Word = "word",
    }
}

words! {
    /// Which way is better.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Better {
        /// More is better.
        Higher = "more",
        /// Less is better.
        Lower = "less",
        /// It depends.
        Neither = "",
    }
}

words! {
    /// Where a metric comes from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Source {
        /// Every run measures it.
        Run = "measured in each run",
        /// No single run measures it: it belongs to the layout, or is made from several runs.
        Experiment = "from the layout or several runs",
        /// Only a single read has it, as `read.<name>.` and the metric's name.
        OneRead = "of each read",
    }
}

words! {
    /// The operations that a metric of a family counts, in the order of the family's members: most that are known of writes are known of reads as
    /// well, and some of neighbours. Paths of a single operation and the names of most metrics begin with the word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Side {
        /// Writes.
        Write = "write",
        /// Reads.
        Read = "read",
        /// Puts and Gets of neighbours.
        Neighbour = "neighbour",
    }
}

impl Side {
    /// The word for several of them.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Write => "writes",
            Self::Read => "reads",
            Self::Neighbour => "neighbours",
        }
    }
}

/// What holds of a metric, whichever operations it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Definition {
    /// The same of writes, of reads and of neighbours, as far as there are such; a metric of nothing in particular alone.
    pub family: &'static [MetricId],
    /// Their names.
    names: &'static [&'static str],
    /// What its numbers count.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Where it comes from.
    pub source: Source,
    /// In one sentence.
    pub meaning: &'static str,
}

impl Definition {
    /// The range that the quantity can have.
    pub fn range(&self) -> (f64, f64) {
        match self.unit {
            Unit::Fraction => (0.0, 1.0),
            Unit::Servers => (1.0, f64::INFINITY),
            _ => (0.0, f64::INFINITY),
        }
    }

    /// The range in a cluster of so many servers.
    pub fn range_with(&self, servers: u32) -> (f64, f64) {
        match self.unit {
            Unit::Servers => (1.0, f64::from(servers.max(1))),
            _ => self.range(),
        }
    }
}

/// The names of a family: that of reads begins with `read_`; where neighbours have it as well, all begin with their side.
macro_rules! names {
    ([$all:ident] $name:literal) => {
        &[$name]
    };
    ([$write:ident, $read:ident] $name:literal) => {
        &[$name, concat!("read_", $name)]
    };
    ([$write:ident, $read:ident, $neighbour:ident] $name:literal) => {
        &[
            concat!("write_", $name),
            concat!("read_", $name),
            concat!("neighbour_", $name),
        ]
    };
}

/// What a section of the catalogue is called that has its own kind of rule: every run measures these.
macro_rules! source {
    (Skew) => {
        Source::Run
    };
    (Rate) => {
        Source::Run
    };
    ($source:ident) => {
        Source::$source
    };
}

/// Makes the identities and their definitions of rows `[Of, ReadOf, ...] "name" Unit Better, |run| value;`, each under the lines that say what
/// it means.
macro_rules! identities {
    ($($source:ident { $($(#[doc = $meaning:literal])+ [$($id:ident),+] $name:literal $unit:ident $better:ident $(, $value:expr)?;)+ })+) => {
        /// A metric. Its name stands in results, expectations and tables only; what it means, its definition says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum MetricId { $($($(#[doc = concat!("Of `", $name, "`.")] $id,)+)+)+ }

        impl MetricId {
            /// All of them, families together, in the order in which a table would show them.
            pub const ALL: &'static [Self] = &[$($($(Self::$id,)+)+)+];

            /// What is known of it.
            pub fn definition(self) -> &'static Definition {
                match self { $($(
                    $(Self::$id)|+ => &Definition {
                        family: &[$(Self::$id),+],
                        names: names!([$($id),+] $name),
                        unit: Unit::$unit,
                        better: Better::$better,
                        source: source!($source),
                        meaning: concat!($($meaning),+),
                    },
                )+)+ }
            }
        }
    };
}

super::catalogue::catalogue!(identities);

impl MetricId {
    /// Its name in `results.json`; the first word of its path.
    pub fn name(self) -> &'static str {
        let Definition { family, names, .. } = self.definition();
        let at = family.iter().position(|member| *member == self);
        at.map_or("", |at| names[at])
    }

    /// The metric of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == name)
    }

    /// The same of other operations. Of a family without such there is none: this metric.
    pub fn of(self, side: Side) -> Self {
        let family = self.definition().family;
        family.get(side as usize).copied().unwrap_or(self)
    }

    /// Whether single writes, reads and neighbours have it as well.
    pub fn is_of_each(self) -> bool {
        self.definition().family.len() == Side::ALL.len()
    }

    /// Whether it is a family of numbers: mean, percentiles and maximum.
    pub fn is_response(self) -> bool {
        self.of(Side::Write) == Self::WriteResponse
    }

    /// Which operations it counts; `None` of a metric without a family.
    pub fn side(self) -> Option<Side> {
        let family = self.definition().family;
        let mut members = Side::ALL.into_iter().zip(family);
        let own = members.find(|(_, member)| **member == self);
        own.map(|(side, _)| side).filter(|_| family.len() > 1)
    }

    /// Its name behind that of a single operation: `response_ms` of `write.ingest.response_ms`.
    pub fn own_name(self) -> &'static str {
        match self.is_of_each() {
            true => self.name().split_once('_').map_or("", |(_, own)| own),
            false => self.name(),
        }
    }
}

/// By name, as results list them.
impl Ord for MetricId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for MetricId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for MetricId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for MetricId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let unknown = || format!("no metric is called `{name}`");
        Self::named(&name).ok_or_else(|| serde::de::Error::custom(unknown()))
    }
}

words! {
    /// A member of a family of response times.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Part: "part" {
        /// The mean.
        Mean = "mean",
        /// The median.
        P50 = "p50",
        /// The 90th percentile.
        P90 = "p90",
        /// The 99th percentile.
        P99 = "p99",
        /// The 99.9th percentile.
        P999 = "p999",
        /// The greatest.
        Max = "max",
    }
}

impl Part {
    /// The quantile that it is.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Self::Mean | Self::Max => None,
            Self::P50 => Some(0.5),
            Self::P90 => Some(0.9),
            Self::P99 => Some(0.99),
            Self::P999 => Some(0.999),
        }
    }
}

/// The reference of all metrics, in Markdown.
pub fn reference() -> String {
    let mut text = "Demand is counted in rows that are written. Of reads (`read_`) it is a Get, or a region that a scan opens.\n\n".to_owned();
    text += "| metric | unit | better | source | meaning |\n|---|---|---|---|---|\n";
    for id in MetricId::ALL {
        let Definition {
            family,
            unit,
            better,
            source,
            meaning,
            ..
        } = id.definition();
        let meaning = meaning.trim_start();
        if family[0] != *id {
            continue;
        }
        let names = family.iter().map(|id| match source {
            Source::OneRead => format!("`read.x.{}`", id.name()),
            _ if id.is_response() => format!("`{}.p99`", id.name()),
            _ => format!("`{}`", id.name()),
        });
        let (unit, better, source) = (unit.name(), better.name(), source.name());
        let names = joined(names, ", ");
        text += &format!("| {names} | {unit} | {better} | {source} | {meaning} |\n");
    }
    let [write, read, neighbour] = Side::ALL.map(Side::name);
    let parts = Part::WORDS.join("`, `");
    text += &format!(
        "\nWhat begins with `{write}_`, `{read}_` or `{neighbour}_` and has three names is known of each operation too: `{write}.ingest.response_ms.p99`. Response times are a family: `{parts}`.\n"
    );
    text
}

/// The names that paths may use: those of a scenario's operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationNames<'a>(
    /// Of the writes, the reads and the neighbours, in file order.
    pub [Vec<&'a str>; 3],
);

impl<'a> OperationNames<'a> {
    /// Those of one side.
    pub fn of(&self, side: Side) -> &[&'a str] {
        &self.0[side as usize]
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
        metric.whole()
    }
}

impl MetricId {
    /// The metric of a path, whosever it is.
    pub fn of_path(path: &str) -> Option<Self> {
        let (operation, rest) = operation_of(path);
        let name = rest.split('.').next()?;
        Self::find(operation.map(|(side, _)| side), name)
    }

    /// Whether the run has it, or a single operation of a side.
    fn is_of(self, side: Option<Side>) -> bool {
        match (self.definition().source, side) {
            (Source::OneRead, side) => side == Some(Side::Read),
            (_, None) => true,
            (_, side) => self.is_of_each() && self.side() == side,
        }
    }

    /// The metric that is called so, of the run or of a single operation of a side.
    fn find(side: Option<Side>, name: &str) -> Option<Self> {
        let own = |id: Self| side.map_or(id.name(), |_| id.own_name());
        let mut all = Self::ALL.iter().copied();
        all.find(|id| id.is_of(side) && own(*id) == name)
    }

    /// A member of a family of response times.
    pub const fn at(self, part: Part) -> MetricPath {
        MetricPath {
            part: Some(part),
            ..self.whole()
        }
    }

    /// The metric itself, which is no family.
    pub const fn whole(self) -> MetricPath {
        MetricPath {
            metric: self,
            subject: Subject::All,
            part: None,
        }
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
        let of_part = |part: Part| format!("{name}.{}", part.name());
        self.part.map_or_else(|| name.to_owned(), of_part)
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
            Unit::Word if self.metric == MetricId::Path => Some(AccessPath::WORDS),
            Unit::Word => Some(Hotspot::WORDS),
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
            let all = all_paths(names);
            nearest(path, all.iter().map(String::as_str)).map(str::to_owned)
        },
    };
    let (operation, rest) = operation_of(path);
    let subject = match operation {
        None => Subject::All,
        Some((side, name)) => {
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
            Subject::One(side, index)
        }
    };
    let mut pieces = rest.splitn(2, '.');
    let (head, part) = (pieces.next().unwrap_or_default(), pieces.next());
    let metric = MetricId::find(operation.map(|(side, _)| side), head).ok_or_else(unknown)?;
    let part = match part {
        None if metric.is_response() => {
            return Err(UnknownMetric::NeedsPart { path: path.into() });
        }
        None => None,
        Some(part) => {
            let known = part.parse().ok().filter(|_| metric.is_response());
            Some(known.ok_or_else(unknown)?)
        }
    };
    Ok(MetricPath {
        metric,
        subject,
        part,
    })
}

/// The operation that a path names, if it does, and what follows.
fn operation_of(path: &str) -> (Option<(Side, &str)>, &str) {
    let split = || {
        let (word, rest) = path.split_once('.')?;
        let (name, rest) = rest.split_once('.')?;
        let mut sides = Side::ALL.into_iter();
        let side = sides.find(|side| side.name() == word)?;
        Some((Some((side, name)), rest))
    };
    split().unwrap_or((None, path))
}

/// Every path that [`lookup`] knows.
pub fn all_paths(names: &OperationNames<'_>) -> Vec<String> {
    let each =
        |side: Side| (0..names.of(side).len()).map(move |at| (Some(side), Subject::One(side, at)));
    let each = Side::ALL.into_iter().flat_map(each);
    let all = std::iter::once((None, Subject::All)).chain(each);
    let of_metric = |metric: MetricId| match metric.is_response() {
        true => Part::ALL.map(|part| metric.at(part)).to_vec(),
        false => vec![metric.whole()],
    };
    let paths = all.flat_map(|(side, subject)| {
        let own = MetricId::ALL.iter().filter(move |id| id.is_of(side));
        let paths = own.flat_map(move |id| of_metric(*id));
        paths.map(move |path| MetricPath { subject, ..path }.text(names))
    });
    paths.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_at_one_ends_at_the_number_of_servers() {
        let range = |id: MetricId, servers| id.definition().range_with(servers);
        assert_eq!(range(MetricId::ServerPeakToMean, 8), (1.0, 8.0));
        assert_eq!(range(MetricId::ServerPeakToMean, 0), (1.0, 1.0));
        assert_eq!(range(MetricId::ServerMaxShare, 8), (0.0, 1.0));
        assert_eq!(range(MetricId::Splits, 8), (0.0, f64::INFINITY));
    }

    #[test]
    fn names_are_distinct_and_follow_from_those_of_writes() {
        for (index, id) in MetricId::ALL.iter().copied().enumerate() {
            let others = &MetricId::ALL[..index];
            assert!(others.iter().all(|other| other.name() != id.name()));
            assert_eq!(MetricId::named(id.name()), Some(id));
            let Some(side) = id.side() else {
                assert_eq!((id.of(Side::Read), id.own_name()), (id, id.name()));
                continue;
            };
            let of_writes = id.of(Side::Write).name();
            let plain = of_writes.strip_prefix("write_").unwrap_or(of_writes);
            let expected = match (side, id.is_of_each()) {
                (Side::Write, false) => plain.to_owned(),
                _ => format!("{}_{plain}", side.name()),
            };
            assert_eq!(id.name(), expected);
            assert_eq!(id.of(side), id);
            assert!(!id.is_of_each() || id.own_name() == plain);
        }
    }

    #[test]
    fn the_reference_names_every_metric_once() {
        let reference = reference();
        for id in MetricId::ALL {
            let begin = match id.definition().source {
                Source::OneRead => "`read.x.",
                _ => "`",
            };
            let rows = reference.lines().filter(|line| line.starts_with("| `"));
            let end = if id.is_response() { ".p99`" } else { "`" };
            let name = format!("{begin}{}{end}", id.name());
            assert_eq!(rows.filter(|row| row.contains(&name)).count(), 1, "{name}");
        }
    }
}

#[cfg(test)]
mod path_tests {
    use super::*;

    fn names() -> OperationNames<'static> {
        OperationNames([
            vec!["ingest", "import-2"],
            vec!["newest", "by-id", "window"],
            vec!["orders", "users"],
        ])
    }

    #[test]
    fn every_path_is_found_by_itself() {
        let names = names();
        let paths: Vec<String> = all_paths(&names);
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
        assert_eq!(words("hotspot"), Some(Hotspot::WORDS));
        assert_eq!(words("read.newest.path"), Some(AccessPath::WORDS));
        assert_eq!(words("read.newest.calls"), None);
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
