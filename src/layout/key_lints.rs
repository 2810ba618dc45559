//! Traps of a row key together with its split points, seen before any simulation. Must not know loads or times.
//!
//! What an expression alone shows, the scenario has said where it was read.

use super::RegionForecast;
use super::starting_regions::{PointSource, StartingRegions};
use crate::key::KeyPlan;
use crate::keyspace::RowKey;
use crate::policy::SplitPolicy;
use crate::policy::balance::Balancer;
use crate::scenario::{Copy, Diagnostic, Presplit, PresplitAlgorithm, Severity, Strategy};
use crate::units::ByteSize;
use std::ops::Range;

/// Most buckets that a salt has: one byte, as `salt(n, x)` gives.
const MOST_SALTS: usize = 256;

/// A key that lints are about: of a strategy's table, or of one of its copies.
#[derive(Clone, Copy)]
pub(super) struct LintedKey<'a> {
    pub strategy: &'a Strategy,
    /// The copy, from 0; `None` is the table itself.
    copy: Option<usize>,
    pub key: &'a KeyPlan,
    presplit: &'a Presplit,
    span: &'a Range<usize>,
}

impl<'a> LintedKey<'a> {
    /// That of the strategy's table.
    pub fn of(strategy: &'a Strategy) -> Self {
        Self {
            strategy,
            copy: None,
            key: &strategy.key,
            presplit: &strategy.presplit,
            span: &strategy.key_span,
        }
    }

    /// That of one of its copies.
    pub fn of_copy(strategy: &'a Strategy, copy: usize) -> Self {
        let Copy {
            key,
            presplit,
            key_span,
        } = &strategy.copies[copy];
        Self {
            strategy,
            copy: Some(copy),
            key,
            presplit,
            span: key_span,
        }
    }

    /// 0: the table itself; c: copy c - 1.
    pub fn table(&self) -> u32 {
        self.copy.map_or(0, |copy| copy as u32 + 1)
    }

    /// A lint that points at the key.
    pub fn lint(&self, severity: Severity, message: String, label: &str, help: &str) -> Diagnostic {
        let copy = match self.copy {
            Some(copy) => format!(", copy {}", copy + 1),
            None => String::new(),
        };
        Diagnostic {
            severity,
            message: format!("strategy `{}`{copy}: {message}", self.strategy.name),
            span: Some(self.span.clone()),
            label: label.to_owned(),
            help: (!help.is_empty()).then(|| help.to_owned()),
        }
    }
}

/// All lints of a key and its split points.
pub(super) fn of(
    linted: LintedKey<'_>,
    start: &StartingRegions,
    regions: &[RegionForecast],
) -> Vec<Diagnostic> {
    let context = Context {
        linted,
        strategy: linted.strategy,
        points: &start.points,
        regions,
    };
    let mut lints = Vec::new();
    lints.extend(context.leads_with_time());
    lints.extend(context.unreachable_regions());
    lints.extend(context.fewer_regions_than_servers());
    lints.extend(context.buckets_share_regions());
    lints.extend(context.source_of_points(start));
    lints.extend(context.splits_before_the_run(start));
    lints
}

struct Context<'a> {
    linted: LintedKey<'a>,
    strategy: &'a Strategy,
    points: &'a [RowKey],
    regions: &'a [RegionForecast],
}

impl Context<'_> {
    fn lint(&self, severity: Severity, message: String, label: &str, help: &str) -> Diagnostic {
        self.linted.lint(severity, message, label, help)
    }

    fn leads_with_time(&self) -> Option<Diagnostic> {
        self.strategy.follows_time_under(self.linted.key).then(|| {
            self.lint(
                Severity::Warning,
                "the key leads with a time or a sequence: at any moment all writes go to one region".into(),
                "grows from row to row",
                "lead with a field of many values, or with `be1(bucket(16, ...))`, and put this behind it",
            )
        })
    }

    fn unreachable_regions(&self) -> Option<Diagnostic> {
        let unreachable = self
            .regions
            .iter()
            .filter(|region| region.unreachable)
            .count();
        if unreachable == 0 {
            return None;
        }
        let reachable = self.regions.len() - unreachable;
        let servers = self.strategy.setup.cluster.servers;
        let algorithm = match self.linted.presplit {
            Presplit::Fixed { algorithm, .. } => Some(*algorithm),
            Presplit::Sampled { .. } => None,
        };
        let help = match algorithm {
            Some(PresplitAlgorithm::HexString) => {
                "hex-string cuts at lower-case hex digits (`A` sorts below `a`): write the key in them, for raw bytes use `uniform`, else `sampled`"
            }
            Some(PresplitAlgorithm::DecimalString) => {
                "decimal-string cuts at decimal digits: use it for keys that lead with them, else `sampled`"
            }
            Some(PresplitAlgorithm::Uniform) => {
                "uniform cuts at raw bytes: for keys that lead with hex digits use `hex-string`, with decimal digits `decimal-string`, else `sampled`"
            }
            Some(PresplitAlgorithm::Bytes) => {
                "the range between first and last is cut as if all byte values occurred in it: for hex digits use `hex-string`, else `sampled`"
            }
            _ => "move the split points to where the keys are, or use `sampled`",
        };
        let idle = match (servers as usize).checked_sub(reachable) {
            None | Some(0) => String::new(),
            Some(idle) => format!(", so at least {idle} of {servers} servers stay idle"),
        };
        Some(self.lint(
            Severity::Warning,
            format!(
                "{unreachable} of {} regions can never receive a key{idle}",
                self.regions.len()
            ),
            "no key of this form lies in them",
            help,
        ))
    }

    /// Unless some regions are unreachable: then that is said instead.
    fn fewer_regions_than_servers(&self) -> Option<Diagnostic> {
        let regions = self.regions.len();
        let servers = self.strategy.setup.cluster.servers;
        if self.regions.iter().any(|region| region.unreachable) || regions >= servers as usize {
            return None;
        }
        let table = match regions {
            1 => "the table has a single region".to_owned(),
            _ => format!("the table has only {regions} regions"),
        };
        let idle = servers as usize - regions;
        let stay = if self.spreads_by_itself() {
            "are idle at first"
        } else {
            "stay idle"
        };
        Some(self.lint(
            Severity::Warning,
            format!("{table}: {idle} of {servers} servers {stay}"),
            "these keys",
            "pre-split the table into at least as many regions as there are servers",
        ))
    }

    /// The table may split, and a balancer may move the parts: daughters alone stay where their parent was.
    fn spreads_by_itself(&self) -> bool {
        let setup = &self.strategy.setup;
        let policies = &setup.changes.policies;
        policies.split_policy != SplitPolicy::Disabled
            && policies.balancer != Balancer::None
            && policies.balancer_period < setup.workload.duration
    }

    fn buckets_share_regions(&self) -> Option<Diagnostic> {
        let mut buckets = self.linted.key.leading_buckets()?;
        buckets.sort();
        buckets.dedup();
        // Digits of a hash, which spread wherever they are cut.
        if buckets.len() > MOST_SALTS {
            return None;
        }
        let region_of = |bucket: &Vec<u8>| self.points.partition_point(|point| point.0 <= *bucket);
        let starts: Vec<usize> = buckets.iter().map(region_of).collect();
        let fullest = starts
            .chunk_by(|a, b| a == b)
            .map(<[usize]>::len)
            .max()
            .unwrap_or(0);
        // The digits of a hash, cut evenly, are no salts in want of a region each.
        if self.regions.len() > 1 && 16 * fullest * self.regions.len() <= 17 * buckets.len() {
            return None;
        }
        let sampled = matches!(self.linted.presplit, Presplit::Sampled { .. });
        if sampled && self.regions.len() > 1 {
            // Quantiles of rows share the load evenly wherever they cut.
            return None;
        }
        if buckets.len() > self.regions.len() {
            return Some(self.lint(
                Severity::Warning,
                match self.regions.len() {
                    1 => format!("{} buckets share a single region", buckets.len()),
                    regions => format!("{} buckets share {regions} regions", buckets.len()),
                },
                "leads with the bucket",
                "`presplit = { algorithm = \"buckets\" }` gives each bucket its region",
            ));
        }
        let shared = starts.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
        let crowded: usize = shared.map(<[usize]>::len).sum();
        (crowded > 0).then(|| {
            self.lint(
                Severity::Warning,
                format!("the regions are not cut at the bucket bytes: {crowded} of {} buckets begin in a region with another", buckets.len()),
                "leads with the bucket",
                "`presplit = { algorithm = \"buckets\" }` cuts at them",
            )
        })
    }

    /// Rows that existed before have made more regions of the pre-split.
    fn splits_before_the_run(&self, start: &StartingRegions) -> Option<Diagnostic> {
        let existing = start.existing.as_ref()?;
        (self.regions.len() > start.presplit).then(|| {
            let regions = |count: usize| match count {
                1 => "1 region".to_owned(),
                count => format!("{count} regions"),
            };
            // A table that was created with one region was meant to grow.
            let severity = match start.presplit {
                1 => Severity::Note,
                _ => Severity::Warning,
            };
            self.lint(
                severity,
                format!(
                    "{} of existing rows have split the table from {} into {} before the run",
                    ByteSize::approximate(existing.bytes as f64),
                    regions(start.presplit),
                    self.regions.len()
                ),
                "these keys",
                "`split_policy = \"disabled\"` keeps the pre-split, and so do larger regions: `max_file_size`",
            )
        })
    }

    fn source_of_points(&self, start: &StartingRegions) -> Vec<Diagnostic> {
        let source = start.source;
        let (regions, rows) = match source {
            PointSource::Fixed => return Vec::new(),
            PointSource::ExistingRows { regions } => (regions, "existing rows"),
            PointSource::RunKeys { regions } => (regions, "keys of the run"),
        };
        let mut lints = Vec::new();
        // The rows of an import exist before it starts: whoever brings them can sample them.
        let writes = &self.strategy.setup.workload.writes;
        let known = writes.iter().all(|write| write.drive.import().is_some());
        if matches!(source, PointSource::RunKeys { .. }) && !known {
            lints.push(self.lint(
                Severity::Warning,
                "the split points are sampled from the run's own keys, which nobody knows beforehand".into(),
                "these keys",
                "describe rows that exist before the run with `[existing.x]`, or use an algorithm that needs none",
            ));
        }
        if start.presplit < regions as usize {
            lints.push(self.lint(
                Severity::Warning,
                format!(
                    "the {rows} give {} regions, not {regions}: too few distinct keys",
                    start.presplit
                ),
                "these keys",
                "ask for fewer regions, or make the key longer",
            ));
        }
        lints
    }
}
