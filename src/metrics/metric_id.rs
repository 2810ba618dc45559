//! The identities of metrics, with what is known of each. Must not compute any.

use std::cmp::Ordering;
use std::fmt::Write;

/// What a metric's numbers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A plain ratio or number.
    Number,
    /// Servers, or so many times a server's mean: from one up to their number.
    Servers,
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

/// Where a metric comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Every run measures it.
    Run,
    /// No single run measures it: it belongs to the layout, or is made from several runs.
    Experiment,
    /// Only a single read has it, as `read.<name>.` and the metric's name.
    OneRead,
}

/// The operations that a metric of a family counts: most that are known of writes are known of reads as well, and some of neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Writes.
    Write,
    /// Reads.
    Read,
    /// Puts and Gets of neighbours.
    Neighbour,
}

impl Side {
    /// All of them, in the order of a family's members.
    pub const ALL: [Self; 3] = [Self::Write, Self::Read, Self::Neighbour];

    /// What the paths of a single operation begin with, and the names of most metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Neighbour => "neighbour",
        }
    }

    /// The same of several.
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

/// What each read costs: means a read. The first four by its plan, over all that were sent; the last two as measured, over those that were
/// completed.
pub const READ_COSTS: [MetricId; 6] = [
    MetricId::CallsPlanned,
    MetricId::Regions,
    MetricId::RowsPlanned,
    MetricId::RowsReturned,
    MetricId::Calls,
    MetricId::RowsRead,
];

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

/// A member of a family of response times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The mean.
    Mean,
    /// The median.
    P50,
    /// The 90th percentile.
    P90,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    /// The greatest.
    Max,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Mean,
        Self::P50,
        Self::P90,
        Self::P99,
        Self::P999,
        Self::Max,
    ];

    /// Its name in `results.json`; the last word of its path.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Max => "max",
        }
    }

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
    text += "| metric | unit | better | meaning |\n|---|---|---|---|\n";
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
        let names: Vec<String> = names.collect();
        let unit = match unit {
            Unit::Number => "number",
            Unit::Servers => "1 to the servers",
            Unit::Fraction => "0 to 1",
            Unit::PerSecond => "a second",
            Unit::Millis => "ms",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
            Unit::Word => "word",
        };
        let better = match better {
            Better::Higher => "more",
            Better::Lower => "less",
            Better::Neither => "",
        };
        let names = names.join(", ");
        writeln!(text, "| {names} | {unit} | {better} | {meaning} |")
            .expect("writing to a string can't fail");
    }
    let [write, read, neighbour] = Side::ALL.map(Side::name);
    let parts = Part::ALL.map(Part::name).join("`, `");
    write!(text, "\nWhat begins with `{write}_`, `{read}_` or `{neighbour}_` and has three names is known of each operation too: `{write}.ingest.response_ms.p99`. Response times are a family: `{parts}`.\n")
        .expect("writing to a string can't fail");
    text
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
