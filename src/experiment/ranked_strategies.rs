//! Strategies in order of preference, as results hold them: which is recommended, and what the others lose in. Must not judge.

use super::measures::{Comparison, Measure};
use serde::{Deserialize, Serialize};

/// Strategies that store the same records under the same load on the same cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparableStrategies {
    /// The stored fields that all of their keys are made of.
    pub fields: Vec<String>,
    /// Best first.
    pub strategies: Vec<RankedStrategy>,
    /// So many of the first are tied: 1 where the first is recommended, more where none of them is shown to be better than the others.
    pub tied: usize,
    /// Why they stand in this order, a sentence each.
    pub reasons: Vec<String>,
    /// The first against the second: ratios paired by replicate; empty when there is no second.
    pub comparisons: Vec<Comparison>,
    /// The HBase shell's command that creates the table of the first with its split points; of tied ones the first that the file has.
    pub create: String,
    /// What to know of these split points first, where they lie between made-up values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create_warning: Option<String>,
}

impl ComparableStrategies {
    /// Those that are tied with the first, itself among them; and the others.
    pub fn tied_and_others(&self) -> (&[RankedStrategy], &[RankedStrategy]) {
        self.strategies
            .split_at(self.tied.min(self.strategies.len()))
    }
}

/// One strategy in the order of preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedStrategy {
    /// Its name in the file; of a sweep with the point's values.
    pub name: String,
    /// The key expression.
    pub key: String,
    /// The key is not in the file: keyheat suggests it.
    pub suggested: bool,
    /// The class of hotspot that its verdict begins with, as tables show it: `static`, or `static (reads)` where it is not the load's. Null when it was not determined.
    pub hotspot: Option<String>,
    /// Rows that its table keeps of all writes when the run ends, or cells where a qualifier tells them apart; where some writes add to rows and others replace them, of
    /// the latter. Null in results of older versions.
    #[serde(default)]
    pub rows_kept: Option<f64>,
    /// After how many seconds new rows overwrite old ones, as what its key tells of time comes again then, and later or never under another key of the group, which
    /// keeps as many in the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrites_after_s: Option<f64>,
    /// Copies of each under random salts, of which one is current.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies_of_a_row: Option<f64>,
    /// Limits that it breaks, each with what was found.
    pub broken_limits: Vec<String>,
    /// The same of those that it breaks on average, though the replicates don't show it: they decide nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_limits: Vec<String>,
    /// Reads that read more rows the longer rows are kept, though another key of the group that keeps as many keeps them from it; each with how many.
    pub growing_reads: Vec<String>,
    /// Cost of its reads, over that of the cheapest that keeps all rows: the geometric mean of handler time as planned, by how often each read comes, and of
    /// response times, each read counting alike; null when nothing is read, or the reads did not end.
    pub read_cost: Option<f64>,
    /// Operations a second that the servers could do before the hottest is full, with all writes on one server where a step of time outlasts the run
    /// ([`StrategyResult::outlasting_step`](super::StrategyResult::outlasting_step)); null when undefined.
    pub usable_capacity_per_sec: Option<f64>,
    /// The highest load that keeps within the limits of `[knee]`, which then counts instead of the usable capacity; null without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee_per_sec: Option<f64>,
    /// Bytes that a write stores, neither encoded nor compressed; null when undefined.
    pub write_bytes: Option<f64>,
    /// No other one is at least as good in every respect and better in one.
    pub on_front: bool,
    /// In what a better one is shown to be better; null for the first, and for those that are tied with it.
    pub loses_in: Option<Loss>,
}

/// What a strategy loses in to the first that is better: of those that nothing beats, if there is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The one that is better.
    pub to: String,
    /// `rows`, `limits`, `growth`, `reads`, `copies`, `capacity` or `bytes`: the first of these in which the two are shown to differ.
    pub respect: String,
    /// How many times as much it costs, or as little it can take, paired by replicate; null for rows and limits, and where it is not known.
    pub times: Measure,
}
