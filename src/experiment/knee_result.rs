//! The knee of a strategy, as `results.json` holds it: the bisection of each replicate, what it says, and which limit breaks first.
//! Must not run anything.
//!
//! A replicate's knee is the geometric middle of the highest load that held all limits and the next load of its grid, which broke one. The
//! knee of a strategy is the mean of these, with the t-interval over replicates.

use crate::scenario::LimitBound;
use serde::{Deserialize, Serialize};

/// The highest load that keeps within limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KneeResult {
    /// The setting that was varied: `write.ingest.rate`.
    pub vary: String,
    /// What had to hold.
    pub limits: Vec<KneeLimit>,
    /// Lowest load of the search.
    pub from_per_sec: f64,
    /// Highest load of the search.
    pub to_per_sec: f64,
    /// Relative distance of two neighbouring loads.
    pub precision: f64,
    /// What the search found.
    pub outcome: KneeOutcome,
    /// Metrics of the limits that broke at the next load, the most frequent first; each broke in half of the replicates or more, or oftener than any other.
    pub binding: Vec<String>,
    /// The finding in words, without the strategy's name: `sustains 41.2k writes/s ...`.
    pub sentence: String,
    /// In order.
    pub replicates: Vec<KneeReplicate>,
}

/// A limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KneeLimit {
    /// Path of its metric.
    pub metric: String,
    /// It holds above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// It holds below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KneeOutcome {
    /// Every replicate has a load that holds and one that breaks.
    Found,
    /// In some replicate the highest load holds: the knee is a lower bound.
    AtLeast,
    /// In some replicate even the lowest load breaks a limit: there is no knee.
    Below,
}

/// The bisection of one replicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KneeReplicate {
    /// Highest load that held; null when none did.
    pub held_per_sec: Option<f64>,
    /// The next load, which broke a limit; null when none did.
    pub broken_per_sec: Option<f64>,
    /// Every run, in the order in which they were made.
    pub probes: Vec<KneeProbe>,
}

/// One run of a bisection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KneeProbe {
    /// Offered load.
    pub per_sec: f64,
    /// What became of each limit, in their order.
    pub findings: Vec<KneeFinding>,
}

/// What became of one limit in one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KneeFinding {
    /// The metric; null when it was undefined.
    pub value: Option<f64>,
    /// It is a lower bound, which keeps no limit from above, whatever it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub censored: bool,
    /// The limit held.
    pub holds: bool,
}

impl KneeProbe {
    /// Every limit held.
    pub fn holds(&self) -> bool {
        self.findings.iter().all(|finding| finding.holds)
    }
}

impl KneeReplicate {
    /// Its knee; where no load broke a limit the highest one, where none held nothing.
    pub fn per_sec(&self) -> Option<f64> {
        let held = self.held_per_sec?;
        Some((held * self.broken_per_sec.unwrap_or(held)).sqrt())
    }

    /// Places of the limits that broke at the first load that broke any.
    pub(super) fn binding(&self) -> impl Iterator<Item = usize> + '_ {
        let probes = self.probes.iter();
        let first = probes
            .filter(|probe| Some(probe.per_sec) == self.broken_per_sec)
            .flat_map(|probe| probe.findings.iter().enumerate());
        first
            .filter(|(_, finding)| !finding.holds)
            .map(|(at, _)| at)
    }
}

impl KneeOutcome {
    pub(super) fn of(replicates: &[KneeReplicate]) -> Self {
        let any = |test: fn(&KneeReplicate) -> bool| replicates.iter().any(test);
        if any(|replicate| replicate.held_per_sec.is_none()) {
            Self::Below
        } else if any(|replicate| replicate.broken_per_sec.is_none()) {
            Self::AtLeast
        } else {
            Self::Found
        }
    }
}

impl From<&crate::scenario::Limit> for KneeLimit {
    fn from(limit: &crate::scenario::Limit) -> Self {
        let (above, below) = match limit.bound {
            LimitBound::Above(least) => (Some(least), None),
            LimitBound::Below(most) => (None, Some(most)),
        };
        Self {
            metric: limit.metric.clone(),
            above,
            below,
        }
    }
}
