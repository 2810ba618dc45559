//! Traps of a row key together with its split points, seen before any simulation. Must not know loads or times.
//!
//! What an expression alone shows, the scenario has said where it was read.

use super::RegionForecast;
use super::starting_regions::{PointSource, StartingRegions};
use crate::key::KeyPlan;
use crate::keyspace::RowKey;
use crate::policy::balance::Balancer;
use crate::policy::{SplitAlgorithm, SplitPolicy};
use crate::scenario::{Copy, Diagnostic, Presplit, Severity, Strategy};
use crate::units::ByteSize;
use std::ops::Range;

/// Most buckets that a salt has: one byte, as `salt(n, x)` gives.
const MOST_SALTS: usize = 256;

const GIVES: &str = "`presplit = { algorithm = \"buckets\" }` gives each bucket its region";

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

    /// A warning that points at the key.
    pub fn warning(&self, message: String, label: &str, help: &str) -> Diagnostic {
        let copy = self.copy.map(|copy| format!(", copy {}", copy + 1));
        let (name, copy) = (&self.strategy.name, copy.unwrap_or_default());
        Diagnostic::warning(format!("strategy `{name}`{copy}: {message}"))
            .at(self.span.clone())
            .label(label)
            .help(help)
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
    fn leads_with_time(&self) -> Option<Diagnostic> {
        let follows = self.strategy.follows_time_under(self.linted.key);
        let message =
            "the key leads with a time or a sequence: at any moment all writes go to one region";
        let help = "lead with a field of many values, or with `be1(bucket(16, ...))`, and put this behind it";
        follows.then(|| {
            self.linted
                .warning(message.into(), "grows from row to row", help)
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
        let all = self.regions.len();
        let servers = self.strategy.setup.cluster.servers;
        let algorithm = match self.linted.presplit {
            Presplit::Fixed { algorithm, .. } => *algorithm,
            Presplit::Sampled { .. } => None,
        };
        let help = match algorithm {
            Some(SplitAlgorithm::HexString) => {
                "hex-string cuts at lower-case hex digits (`A` sorts below `a`): write the key in them, for raw bytes use `uniform`, else `sampled`"
            }
            Some(SplitAlgorithm::DecimalString) => {
                "decimal-string cuts at decimal digits: use it for keys that lead with them, else `sampled`"
            }
            Some(SplitAlgorithm::Uniform) => {
                "uniform cuts at raw bytes: for keys that lead with hex digits use `hex-string`, with decimal digits `decimal-string`, else `sampled`"
            }
            Some(SplitAlgorithm::Bytes) => {
                "the range between first and last is cut as if all byte values occurred in it: for hex digits use `hex-string`, else `sampled`"
            }
            _ => "move the split points to where the keys are, or use `sampled`",
        };
        let idle = match (servers as usize).saturating_sub(all - unreachable) {
            0 => String::new(),
            idle => format!(", so at least {idle} of {servers} servers stay idle"),
        };
        let message = format!("{unreachable} of {all} regions can never receive a key{idle}");
        let label = "no key of this form lies in them";
        Some(self.linted.warning(message, label, help))
    }

    /// Unless some regions are unreachable: then that is said instead.
    fn fewer_regions_than_servers(&self) -> Option<Diagnostic> {
        let regions = self.regions.len();
        let servers = self.strategy.setup.cluster.servers;
        if self.regions.iter().any(|region| region.unreachable) || regions >= servers as usize {
            return None;
        }
        let has = match regions {
            1 => "a single region".to_owned(),
            _ => format!("only {regions} regions"),
        };
        let idle = servers as usize - regions;
        let stay = match self.spreads_by_itself() {
            true => "are idle at first",
            false => "stay idle",
        };
        let message = format!("the table has {has}: {idle} of {servers} servers {stay}");
        let help = "pre-split the table into at least as many regions as there are servers";
        Some(self.linted.warning(message, "these keys", help))
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
        let in_one = || starts.chunk_by(|a, b| a == b).map(<[usize]>::len);
        let fullest = in_one().max().unwrap_or(0);
        let (regions, buckets) = (self.regions.len(), buckets.len());
        // The digits of a hash, cut evenly, are no salts in want of a region each.
        if regions > 1 && 16 * fullest * regions <= 17 * buckets {
            return None;
        }
        // Quantiles of rows share the load evenly wherever they cut.
        if regions > 1 && matches!(self.linted.presplit, Presplit::Sampled { .. }) {
            return None;
        }
        let crowded: usize = in_one().filter(|buckets| *buckets > 1).sum();
        let (message, help) = match regions {
            1 if buckets > 1 => (format!("{buckets} buckets share a single region"), GIVES),
            _ if buckets > regions => (format!("{buckets} buckets share {regions} regions"), GIVES),
            _ if crowded == 0 => return None,
            _ => {
                let message = format!(
                    "the regions are not cut at the bucket bytes: {crowded} of {buckets} buckets begin in a region with another"
                );
                (
                    message,
                    "`presplit = { algorithm = \"buckets\" }` cuts at them",
                )
            }
        };
        Some(self.linted.warning(message, "leads with the bucket", help))
    }

    /// Rows that existed before have made more regions of the pre-split.
    fn splits_before_the_run(&self, start: &StartingRegions) -> Option<Diagnostic> {
        let existing = start.existing.as_ref()?;
        let (before, now) = (start.presplit, self.regions.len());
        if now <= before {
            return None;
        }
        let size = ByteSize::approximate(existing.bytes as f64);
        let regions = if before == 1 { "region" } else { "regions" };
        let message = format!(
            "{size} of existing rows have split the table from {before} {regions} into {now} before the run"
        );
        let help = "`split_policy = \"disabled\"` keeps the pre-split, and so do larger regions: `max_file_size`";
        let warning = self.linted.warning(message, "these keys", help);
        // A table that was created with one region was meant to grow.
        let severity = match before {
            1 => Severity::Note,
            _ => Severity::Warning,
        };
        Some(Diagnostic {
            severity,
            ..warning
        })
    }

    fn source_of_points(&self, start: &StartingRegions) -> Vec<Diagnostic> {
        let (regions, rows) = match start.source {
            PointSource::Fixed => return Vec::new(),
            PointSource::ExistingRows { regions } => (regions, "existing rows"),
            PointSource::RunKeys { regions } => (regions, "keys of the run"),
        };
        let mut lints = Vec::new();
        let mut lint = |message: String, help: &str| {
            lints.push(self.linted.warning(message, "these keys", help));
        };
        // The rows of an import exist before it starts: whoever brings them can sample them.
        let mut writes = self.strategy.setup.workload.writes.iter();
        let known = writes.all(|write| write.drive.import().is_some());
        if matches!(start.source, PointSource::RunKeys { .. }) && !known {
            let message = "the split points are sampled from the run's own keys, which nobody knows beforehand";
            let help = "describe rows that exist before the run with `[existing.x]`, or use an algorithm that needs none";
            lint(message.into(), help);
        }
        let found = start.presplit;
        if found < regions as usize {
            let message =
                format!("the {rows} give {found} regions, not {regions}: too few distinct keys");
            lint(message, "ask for fewer regions, or make the key longer");
        }
        lints
    }
}
