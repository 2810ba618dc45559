//! Two results compared, strategy by strategy: ratios with their intervals, what got better or worse, and what a changed key
//! costs to rewrite. Must not know files, nor how it is shown.

use super::{Measure, Results, StrategyResult, measures};
use crate::metrics::{Better, MetricId, Unit};
use crate::statistics::{Estimate, unpaired_difference, unpaired_ratio};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What changed from one result to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultsComparison {
    /// The first.
    pub before: ComparedResults,
    /// The second.
    pub after: ComparedResults,
    /// Both have the same seed: replicate i met the same draws in both, and is compared with replicate i.
    pub paired: bool,
    /// In the order of the first.
    pub strategies: Vec<StrategyChange>,
    /// Strategies without a partner in the second.
    pub only_before: Vec<String>,
    /// Strategies without a partner in the first.
    pub only_after: Vec<String>,
}

/// Where one of the results comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedResults {
    /// Name of its scenario.
    pub name: String,
    /// Of the scenario's text.
    pub sha256: String,
    /// What was changed beside the file.
    pub overrides: Vec<String>,
    /// Its version of keyheat.
    pub tool: String,
    /// Its seed.
    pub seed: u64,
    /// Its replicates.
    pub replicates: u32,
}

/// What changed for one strategy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrategyChange {
    /// Its name in the first.
    pub before: String,
    /// Its name in the second.
    pub after: String,
    /// The point of the sweep in both; empty without a sweep.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// What it takes to get from one key to the other; `None` when the key is the same.
    pub rewrite: Option<Rewrite>,
    /// Every metric that either has, in the order of the first.
    pub metrics: Vec<MetricChange>,
}

/// A row key can't be changed in place: every row is read under the old key and written again under the new one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rewrite {
    /// The old key.
    pub key_before: String,
    /// The new key.
    pub key_after: String,
    /// The parameters of either whose values differ.
    pub parameters: Vec<ParameterChange>,
    /// Rows of the old table at the end of the run: existing ones and those that the run added.
    pub rows: Option<f64>,
    /// Bytes that they take on disk, which are read.
    pub bytes_read: Option<f64>,
    /// Bytes that they take on disk under the new key, which are written.
    pub bytes_written: Option<f64>,
}

/// A `[parameter]` of the key that has another value; `None` where the key does not use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParameterChange {
    /// Its name.
    pub name: String,
    /// In the first.
    pub before: Option<i64>,
    /// In the second.
    pub after: Option<i64>,
}

impl ParameterChange {
    fn all(before: &StrategyResult, after: &StrategyResult) -> Vec<Self> {
        let (old, new) = (&before.parameters, &after.parameters);
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let differing = names
            .into_iter()
            .filter(|name| old.get(*name) != new.get(*name));
        let change = |name: &String| Self {
            name: name.clone(),
            before: old.get(name).copied(),
            after: new.get(name).copied(),
        };
        differing.map(change).collect()
    }
}

/// What changed in one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricChange {
    /// Its path.
    pub metric: String,
    /// What its numbers count; `None` when the catalogue has no such metric.
    #[serde(skip)]
    pub unit: Option<Unit>,
    /// In the first.
    pub before: Measure,
    /// In the second.
    pub after: Measure,
    /// The second over the first (geometric mean); undefined where a value is not positive.
    pub ratio: Measure,
    /// The second less the first.
    pub difference: Measure,
    /// What follows.
    pub verdict: ChangeVerdict,
}

/// What a comparison says of a metric, at 95 % for each on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeVerdict {
    /// The same in every replicate.
    Identical,
    /// The interval holds "no change".
    NoSignificantDifference,
    /// Significantly different, the way that the catalogue calls better.
    Better,
    /// The other way.
    Worse,
    /// Significantly different, where no way is better.
    Different,
    /// Fewer than two replicates to compare: no interval.
    OneValue,
    /// One of them is a lower bound (operations failed or never finished), and does not tell which is more.
    LowerBound,
    /// Undefined in one of them.
    Undefined,
}

impl ChangeVerdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::NoSignificantDifference => "no significant difference",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Different => "different",
            Self::OneValue => "one value, no interval",
            Self::LowerBound => "a lower bound",
            Self::Undefined => "undefined",
        }
    }
}

/// A strategy that is to be compared and does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no strategy `{name}` in the {place} results; it has {}", names.join(", "))]
pub struct UnknownStrategy {
    name: String,
    place: &'static str,
    names: Vec<String>,
}

impl Results {
    /// What changed from `self` to `after`. Strategies of the same name are partners, or only those that `pairs` gives as (name
    /// before, name after); of sweeps at the same point.
    ///
    /// # Errors
    /// When a pair names a strategy that does not exist.
    ///
    /// ```
    /// use keyheat::experiment::Experiment;
    /// use keyheat::scenario::Scenario;
    ///
    /// let scenario = Scenario::parse(
    ///     r#"
    ///     time = { duration = "200ms", warmup = "100ms", sample = "50ms" }
    ///     [field]
    ///     id = { type = "sequence" }
    ///     [write.orders]
    ///     rate = "10k/s"
    ///     [existing.orders]
    ///     records = 100_000
    ///     [strategy.rising]
    ///     key = "be8(id)"
    ///     [strategy.hashed]
    ///     key = "md5_bytes(id)"
    ///     presplit = { algorithm = "uniform", regions = 8 }
    ///     "#,
    ///     "old-and-new",
    /// )?;
    /// let results = Experiment::new(&scenario).run(|_| {});
    /// let pair = ("rising".to_owned(), "hashed".to_owned());
    /// let compared = results.compare(&results, &[pair])?;
    /// // A row key can't be changed in place.
    /// let rewrite = compared.strategies[0].rewrite.as_ref().expect("another key");
    /// assert!(rewrite.rows > Some(100_000.0));
    /// assert!(rewrite.bytes_written > rewrite.bytes_read);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compare(
        &self,
        after: &Self,
        pairs: &[(String, String)],
    ) -> Result<ResultsComparison, UnknownStrategy> {
        for (old, new) in pairs {
            self.named(old, "first")?;
            after.named(new, "second")?;
        }
        let paired = self.seed == after.seed;
        let mut strategies = Vec::new();
        let mut only_before = Vec::new();
        let mut met: Vec<&StrategyResult> = Vec::new();
        for old in &self.strategies {
            let wanted = pairs.iter().filter(|(before, _)| *before == old.name);
            let mut names: Vec<&String> = wanted.map(|(_, after)| after).collect();
            if pairs.is_empty() {
                names.push(&old.name);
            }
            for name in names {
                let mut partners = after.strategies.iter();
                match partners.find(|it| it.name == *name && it.sweep == old.sweep) {
                    Some(new) => {
                        strategies.push(StrategyChange::of(old, new, paired));
                        met.push(new);
                    }
                    None => only_before.push(old.label()),
                }
            }
        }
        let is_alone = |new: &&StrategyResult| {
            let is_wanted = pairs.is_empty() || pairs.iter().any(|(_, name)| *name == new.name);
            is_wanted && !met.iter().any(|partner| std::ptr::eq(*partner, *new))
        };
        let only_after = after.strategies.iter().filter(is_alone);
        Ok(ResultsComparison {
            before: self.compared(),
            after: after.compared(),
            paired,
            strategies,
            only_before,
            only_after: only_after.map(StrategyResult::label).collect(),
        })
    }

    fn named(&self, name: &str, place: &'static str) -> Result<&StrategyResult, UnknownStrategy> {
        let found = self.strategies.iter().find(|it| it.name == name);
        found.ok_or_else(|| UnknownStrategy {
            name: name.to_owned(),
            place,
            // Those of the first point: all points have the same.
            names: {
                let first = self.strategies.first().map(|first| &first.sweep);
                let names = self.strategies.iter().filter(|it| Some(&it.sweep) == first);
                names.map(|it| it.name.clone()).collect()
            },
        })
    }

    fn compared(&self) -> ComparedResults {
        ComparedResults {
            name: self.scenario.name.clone(),
            sha256: self.scenario.sha256.clone(),
            overrides: self.scenario.overrides.clone(),
            tool: self.tool.clone(),
            seed: self.seed,
            replicates: self.replicates,
        }
    }
}

impl StrategyChange {
    fn of(before: &StrategyResult, after: &StrategyResult, paired: bool) -> Self {
        let (old, new) = (before.measures(), after.measures());
        let of = |all: &[(String, &Measure)], path: &String| {
            let found = all.iter().find(|(other, _)| other == path);
            found.map_or(Measure::UNDEFINED, |(_, measure)| **measure)
        };
        let only_new = new
            .iter()
            .filter(|(path, _)| old.iter().all(|(it, _)| it != path));
        let paths = old.iter().chain(only_new).map(|(path, _)| path);
        let change = |path| {
            let sides = [(before, of(&old, path)), (after, of(&new, path))];
            MetricChange::of(path, sides, paired)
        };
        let mut metrics: Vec<MetricChange> = paths.map(change).collect();
        // Of metrics that neither has nothing can be said.
        metrics.retain(|change| change.before.mean.or(change.after.mean).is_some());
        Self {
            before: before.name.clone(),
            after: after.name.clone(),
            sweep: before.sweep.clone(),
            rewrite: Rewrite::of(before, after),
            metrics,
        }
    }
}

impl Rewrite {
    fn of(before: &StrategyResult, after: &StrategyResult) -> Option<Self> {
        let (old, new) = (before.key.trim(), after.key.trim());
        let parameters = ParameterChange::all(before, after);
        if old == new && parameters.is_empty() {
            return None;
        }
        let rows = before.mean(MetricId::TableRows);
        // The second run may have written more or fewer rows than the first: it tells what a row takes.
        let of_after = |id: MetricId| after.mean(id);
        let all = of_after(MetricId::TableBytes).zip(of_after(MetricId::TableRows));
        Some(Self {
            key_before: old.to_owned(),
            key_after: new.to_owned(),
            parameters,
            rows,
            bytes_read: before.mean(MetricId::TableBytes),
            bytes_written: rows.zip(all).map(|(rows, (bytes, of))| rows * (bytes / of)),
        })
    }
}

impl MetricChange {
    /// Of a metric of two results: whose, and its summary.
    fn of(path: &str, sides: [(&StrategyResult, Measure); 2], paired: bool) -> Self {
        let [old, new] = sides.map(|(it, _)| it.values.get(path).cloned().unwrap_or_default());
        let (ratio, difference) = match paired {
            true => paired_changes(&old, &new),
            false => unpaired_changes(&old, &new),
        };
        let [(_, before), (_, after)] = sides;
        let measure = |estimate: Option<Estimate>| {
            let measure = estimate.map_or(Measure::UNDEFINED, Measure::from);
            measure.bounded(after.censored, before.censored)
        };
        let mut definitions = sides.iter().rev();
        let definition = definitions.find_map(|(it, _)| it.definition(path));
        let better = definition.map_or(Better::Neither, |definition| definition.better);
        let mut change = Self {
            metric: path.to_owned(),
            unit: definition.map(|definition| definition.unit),
            before,
            after,
            ratio: measure(ratio),
            difference: measure(difference),
            verdict: ChangeVerdict::Undefined,
        };
        change.verdict = change.judged(old == new, better);
        change
    }

    fn judged(&self, same: bool, better: Better) -> ChangeVerdict {
        let open = self.before.censored || self.after.censored;
        if self.before.mean.is_none() || self.after.mean.is_none() {
            return match open {
                true => ChangeVerdict::LowerBound,
                false => ChangeVerdict::Undefined,
            };
        }
        if same && !open {
            return ChangeVerdict::Identical;
        }
        // A ratio where there is one: a change of so many per cent, whatever the level.
        let (estimate, none) = match self.ratio.mean {
            Some(_) => (&self.ratio, 1.0),
            None => (&self.difference, 0.0),
        };
        let above = estimate.low.is_some_and(|low| low > none);
        let below = estimate.high.is_some_and(|high| high < none);
        if !above && !below {
            return match (estimate.low, estimate.high) {
                _ if open => ChangeVerdict::LowerBound,
                (Some(_), Some(_)) => ChangeVerdict::NoSignificantDifference,
                _ => ChangeVerdict::OneValue,
            };
        }
        match (better, above) {
            (Better::Neither, _) => ChangeVerdict::Different,
            (Better::Higher, true) | (Better::Lower, false) => ChangeVerdict::Better,
            (Better::Higher, false) | (Better::Lower, true) => ChangeVerdict::Worse,
        }
    }
}

type Changes = (Option<Estimate>, Option<Estimate>);

/// Ratio and difference, replicate by replicate.
fn paired_changes(old: &[Option<f64>], new: &[Option<f64>]) -> Changes {
    let differences = old
        .iter()
        .zip(new)
        .filter_map(|(old, new)| Some((*new)? - (*old)?));
    let difference = Estimate::of(&differences.collect::<Vec<f64>>());
    (measures::ratio(new, old), difference)
}

/// Ratio and difference of independent runs.
fn unpaired_changes(old: &[Option<f64>], new: &[Option<f64>]) -> Changes {
    let defined = |values: &[Option<f64>]| values.iter().flatten().copied().collect::<Vec<f64>>();
    let (old, new) = (defined(old), defined(new));
    (unpaired_ratio(&new, &old), unpaired_difference(&new, &old))
}
