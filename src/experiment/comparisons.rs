//! Paired comparisons of strategies that met the same draws, and what they say in words: `p99 -38 % [-41, -35]; throughput: no significant
//! difference`. Must not judge which is better.
//!
//! Changes are geometric means of the replicates' ratios with t-intervals on the logarithms, told as per cent, and from twice on as
//! so many times. Logarithms, because noise in rates and response times is proportional to their level, and because the verdict must
//! not depend on which of the two is called the first: twice and half are equally far from one.

use super::ranking::is_noticed;
use super::{Comparison, Measure, Results, StrategyResult, measures};
use crate::metrics::{Better, MetricId, MetricPath, Part, Side, Unit};
use crate::statistics::{Estimate, unpaired_difference, unpaired_ratio};
use crate::text::{article, grouped, listed, words};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// From this ratio on, `4.00 times` reads better than `+300 %`.
const TIMES: f64 = 2.0;
/// Most decimals that are told.
const MOST_DECIMALS: i32 = 3;
/// An interval narrower than this part of its mean is that of one value in all replicates, but for rounding.
const EXACT: f64 = 1e-9;

/// Metrics that are compared (skew, damage, and the time of an import), what sentences call them, and their place in a verdict.
const HEADLINES: [(MetricPath, &str, usize); 5] = [
    (
        MetricId::ServerPeakToMean.whole(),
        "hottest server ÷ mean",
        4,
    ),
    (MetricId::WriteThroughput.whole(), "throughput", 0),
    (
        MetricId::WriteResponse.at(Part::Mean),
        "mean response time",
        3,
    ),
    (MetricId::WriteResponse.at(Part::P99), "p99", 2),
    (MetricId::Makespan.whole(), "makespan", 1),
];
/// So many of them make the short verdict.
const IN_SHORT: usize = 3;

/// Metrics of each read that are compared: what it takes, and how long; what sentences call them in front of its name.
pub const COMPARED_OF_READS: [(MetricPath, &str); 4] = [
    (MetricId::CallsPlanned.whole(), "calls of"),
    (MetricId::RowsPlanned.whole(), "rows read by"),
    (MetricId::CellsPlanned.whole(), "cells read by"),
    (MetricId::ReadResponse.at(Part::P99), "p99 of"),
];

/// Metric of each read of a closed loop that is compared besides, like those.
const OF_CLOSED_LOOP: (MetricPath, &str) = (MetricId::ReadThroughput.whole(), "throughput of");

/// What sentences call what decides besides.
const DECIDING: [(MetricPath, &str); 4] = [
    (MetricId::UsableCapacity.whole(), "usable capacity"),
    (MetricId::Knee.whole(), "knee"),
    (MetricId::WriteBytes.whole(), "bytes a write"),
    (
        MetricId::ReadResponse.at(Part::Mean),
        "mean response time of",
    ),
];

/// The headline metrics of all strategies but the first, over the first's.
pub(super) fn of(strategies: &[StrategyResult]) -> Vec<Comparison> {
    let Some((baseline, others)) = strategies.split_first() else {
        return Vec::new();
    };
    let headlines = HEADLINES.map(|(path, ..)| path);
    let of_reads = COMPARED_OF_READS.map(|(path, _)| path);
    let mut metrics = with_reads(&headlines, &of_reads, baseline);
    let reads = baseline.reads.iter().enumerate();
    let closed = reads.filter(|(_, read)| read.closed_loop);
    let rate_of = |read| OF_CLOSED_LOOP.0.of_one(Side::Read, read);
    let rates = closed.map(|(read, _)| rate_of(read));
    metrics.splice(headlines.len()..headlines.len(), rates);
    let compared = others.iter().flat_map(|own| {
        let is_defined = |it: &StrategyResult, path| it.replicates(path).is_some();
        // One key's import may be over before the window, in which another's goes on.
        let ends = |it: &StrategyResult| it.mean(MetricId::Makespan).is_some();
        let is_beside_import = own.writes.len() > 1 && (ends(own) || ends(baseline));
        let is_compared = move |path: &MetricPath| {
            !(is_beside_import && *path == MetricId::WriteThroughput.whole())
        };
        let metrics = metrics.iter().copied().filter(is_compared);
        let defined =
            metrics.filter(move |&path| is_defined(own, path) || is_defined(baseline, path));
        defined.map(|path| Comparison::of(own, baseline, path))
    });
    compared.collect()
}

/// These metrics, and those of each read of a strategy.
pub(super) fn with_reads(
    metrics: &[MetricPath],
    of_reads: &[MetricPath],
    strategy: &StrategyResult,
) -> Vec<MetricPath> {
    let of_read = |read| of_reads.iter().map(move |it| it.of_one(Side::Read, read));
    let reads = (0..strategy.reads.len()).flat_map(of_read);
    metrics.iter().copied().chain(reads).collect()
}

impl Comparison {
    /// One metric of a strategy over that of another, which ran at the same point.
    pub(super) fn of(own: &StrategyResult, baseline: &StrategyResult, path: MetricPath) -> Self {
        let ratio = own.ratio(baseline, path);
        Self {
            strategy: own.name.clone(),
            sweep: own.sweep.clone(),
            baseline: baseline.name.clone(),
            metric: path.text(&own.names()),
            significant: ratio.differs_from_one(),
            ratio,
        }
    }
}

impl StrategyResult {
    /// A metric over another strategy's, paired by replicate; a bound where either is censored.
    pub fn ratio(&self, base: &Self, path: MetricPath) -> Measure {
        let is_open = |it: &Self| it.number(path).is_some_and(|measure| measure.censored);
        Measure::from(self.paired(base, path)).bounded(is_open(self), is_open(base))
    }

    /// The same as it is, whatever is censored.
    pub(super) fn paired(&self, base: &Self, path: MetricPath) -> Option<Estimate> {
        measures::ratio(&self.comparable(path)?, &base.comparable(path)?)
    }
}

/// One strategy against another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedVerdict<'a> {
    /// The strategy.
    pub strategy: &'a str,
    /// What it is compared with.
    pub baseline: &'a str,
    /// Throughput, makespan and p99, and the throughput of readers that wait for their replies; of a run that writes nothing, what its reads take.
    pub in_short: String,
    /// Every headline metric, and what each read takes.
    pub in_full: String,
}

impl<'a> PairedVerdict<'a> {
    fn of(comparisons: &[&'a Comparison]) -> Option<Self> {
        let first = comparisons.first()?;
        let place = |it: &&Comparison| headline(&it.metric).map_or(HEADLINES.len(), |(_, at)| at);
        let mut ordered = comparisons.to_vec();
        // Stable: reads follow in their order.
        ordered.sort_by_key(place);
        let in_short = |it: &&&Comparison| place(it) < IN_SHORT || is_of_closed_loop(&it.metric);
        let headlines = ordered.iter().filter(in_short);
        let short: Vec<&Comparison> = headlines.copied().collect();
        Some(Self {
            strategy: &first.strategy,
            baseline: &first.baseline,
            in_short: in_words(if short.is_empty() { &ordered } else { &short }),
            in_full: in_words(&ordered),
        })
    }
}

/// How many replies readers of a closed loop get a second.
fn is_of_closed_loop(metric: &str) -> bool {
    let tail = OF_CLOSED_LOOP.0.of_one(Side::Read, 0).tail();
    metric.starts_with("read.") && metric.ends_with(&tail)
}

/// What sentences call a headline metric, and its place among them.
fn headline(metric: &str) -> Option<(&'static str, usize)> {
    let mut headlines = HEADLINES.iter();
    let found = headlines.find(|(path, ..)| path.tail() == metric);
    found.map(|(_, label, place)| (*label, *place))
}

/// The changes one by one, then what did not change, then what is not known.
pub fn in_words(comparisons: &[&Comparison]) -> String {
    // Nobody acts on a twentieth of a per cent, however certain.
    let is_no_change = |ratio: f64| (ratio - 1.0).abs() < 5e-4;
    let mut clauses = Vec::new();
    let (mut alike, mut same, mut open, mut undefined) = (vec![], vec![], vec![], vec![]);
    for comparison in comparisons {
        let (ratio, label) = (&comparison.ratio, label(&comparison.metric));
        match (ratio.mean, ratio.low.zip(ratio.high)) {
            _ if ratio.censored || ratio.upper_bound => match bound(&label, ratio) {
                Some(words) => clauses.push(words),
                None => open.push(label),
            },
            (None, _) => undefined.push(label),
            (Some(mean), None) if is_no_change(mean) => same.push(label),
            (Some(_), Some((low, high))) if is_no_change(low) && is_no_change(high) => {
                same.push(label)
            }
            (Some(_), Some(_)) if !comparison.significant => alike.push(label),
            (Some(mean), _) => clauses.push(change(&label, mean, ratio, &comparison.baseline)),
        }
    }
    let kinds = [
        (alike, "no significant difference"),
        (same, "the same"),
        (open, "unknown (operations failed or never finished)"),
        (
            undefined,
            "no ratio, because one of them is undefined or zero",
        ),
    ];
    for (labels, words) in kinds {
        if !labels.is_empty() {
            clauses.push(format!("{}: {words}", listed(&labels)));
        }
    }
    clauses.join("; ")
}

/// `4.00 times [3.99, 4.01] the throughput of plain`, or `p99 -38 % [-41, -35]`.
fn change(label: &str, mean: f64, ratio: &Measure, baseline: &str) -> String {
    let interval = ratio.low.zip(ratio.high);
    if mean >= TIMES {
        let (number, interval, always) = written(mean, interval, 1.0, false);
        let of = match label {
            "throughput" => format!(" of {baseline}"),
            _ => String::new(),
        };
        return format!("{number} times{interval} the {label}{of}{always}");
    }
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let interval = interval.map(|(low, high)| (percent(low), percent(high)));
    let (number, interval, always) = written(percent(mean), interval, 0.0, true);
    format!("{label} {number} %{interval}{always}")
}

/// `at least 3,290 times the p99`, `p99 at least 38 % less`: what a ratio of, or to, a lower bound proves, or would if the replicates showed it; `None`
/// when that is nothing.
fn bound(label: &str, ratio: &Measure) -> Option<String> {
    let mean = ratio.mean?;
    let is_proven = ratio.n < 2 || ratio.differs_from_one();
    let more = if ratio.censored { mean } else { 1.0 / mean };
    if more <= 1.0 {
        return None;
    }
    let but = (!is_proven).then(|| format!(", which {} replicates don't show", ratio.n));
    let but = but.unwrap_or_default();
    let words = match (ratio.censored, more >= TIMES) {
        (true, true) => format!("at least {} times the {label}", at_least(more)),
        (true, false) => format!("{label} at least {} % more", at_least(100.0 * (more - 1.0))),
        (false, true) => format!("{label} at least {} times less", at_least(more)),
        (false, false) => format!("{label} at least {} % less", at_least(100.0 * (1.0 - mean))),
    };
    Some(words + &but)
}

/// Three digits, rounded down, thousands apart: `3,290`.
fn at_least(value: f64) -> String {
    let places = 2 - libm::floor(libm::log10(value.max(1e-3))) as i32;
    let unit = libm::pow(10.0, f64::from(places));
    let (rounded, places) = (libm::floor(value * unit) / unit, places.max(0) as usize);
    let text = format!("{rounded:.places$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let grouped = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    match rest.trim_end_matches('0') {
        "" => grouped,
        rest => format!("{grouped}.{rest}"),
    }
}

/// A number, its interval with a space before it, and what is said where there is no chance in it. Decimals show one digit of the
/// interval's half-width, and that it does not hold `none`, no change.
fn written(
    mean: f64,
    interval: Option<(f64, f64)>,
    none: f64,
    signed: bool,
) -> (String, String, &'static str) {
    let text = |value: f64, places: usize| match signed {
        true => format!("{value:+.places$}"),
        false => format!("{value:.places$}"),
    };
    let Some((low, high)) = interval.filter(|(low, high)| high - low > EXACT * mean.abs()) else {
        let number = text(mean, 2);
        let number = number.trim_end_matches('0').trim_end_matches('.');
        let always = interval.map_or("", |_| " in every replicate");
        return (number.to_owned(), String::new(), always);
    };
    let half = (high - low) / 2.0;
    let mut places = (-(libm::floor(libm::log10(half)) as i32)).clamp(0, MOST_DECIMALS) as usize;
    let unit = |places: usize| libm::pow(10.0, -(places as f64));
    let nearest = (low - none).abs().min((high - none).abs());
    while nearest < unit(places) / 2.0 && places < MOST_DECIMALS as usize {
        places += 1;
    }
    let interval = format!(" [{}, {}]", text(low, places), text(high, places));
    (text(mean, places), interval, "")
}

fn label(metric: &str) -> String {
    let of_read = || {
        let (read, tail) = metric.strip_prefix("read.")?.split_once('.')?;
        let known = COMPARED_OF_READS.iter().chain(&DECIDING);
        let mut known = known.chain([&OF_CLOSED_LOOP]);
        let known = known.find(|(path, _)| path.of_one(Side::Read, 0).tail() == tail);
        Some(format!("{} {}", known?.1, article(read)))
    };
    let mut deciding = DECIDING.iter().filter(|(path, _)| path.tail() == metric);
    let headline = headline(metric).map(|(label, _)| label);
    let of_table = headline.or_else(|| Some(deciding.next()?.1));
    let label = of_table.map(str::to_owned).or_else(of_read);
    label.unwrap_or_else(|| metric.to_owned())
}

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
    /// Rows of the old table at the end of the run: existing ones and those that the run added. Copies are made from them.
    pub rows: Option<f64>,
    /// Cells of these rows.
    pub cells: Option<f64>,
    /// Bytes that they take on disk, which are read.
    pub bytes_read: Option<f64>,
    /// Bytes that they take on disk under the new key and in copies whose keys are others as well, which are written.
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
        let change = |name: &String| Self {
            name: name.clone(),
            before: old.get(name).copied(),
            after: new.get(name).copied(),
        };
        let changes = names.into_iter().map(change);
        changes.filter(|it| it.before != it.after).collect()
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

words! {
    /// What a comparison says of a metric, at 95 % for each on its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ChangeVerdict {
        /// The same in every replicate.
        Identical = "identical",
        /// The interval holds "no change".
        NoSignificantDifference = "no significant difference",
        /// Significantly different, by less than anybody would act on.
        AboutTheSame = "about the same",
        /// Significantly different, the way that the catalogue calls better.
        Better = "better",
        /// The other way.
        Worse = "worse",
        /// Significantly different, where no way is better.
        Different = "different",
        /// Fewer than two replicates to compare: no interval.
        OneValue = "one value, no interval",
        /// One of them is a lower bound (operations failed or never finished), and does not tell which is more.
        LowerBound = "a lower bound",
        /// Undefined in one of them.
        Undefined = "undefined",
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
    /// Each strategy that was compared, in the order of the comparisons.
    pub fn paired_verdicts(&self) -> Vec<PairedVerdict<'_>> {
        let mut groups: Vec<Vec<&Comparison>> = Vec::new();
        for next in &self.comparisons {
            // A metric that comes again belongs to another point of a sweep.
            let is_beside = |it: &&Comparison| {
                let same = it.strategy == next.strategy && it.baseline == next.baseline;
                same && it.metric != next.metric
            };
            match groups.last_mut() {
                Some(group) if group.iter().all(is_beside) => group.push(next),
                _ => groups.push(vec![next]),
            }
        }
        let verdicts = groups.iter().filter_map(|group| PairedVerdict::of(group));
        verdicts.collect()
    }

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
        let is_new = |(path, _): &&(String, &Measure)| old.iter().all(|(it, _)| it != path);
        let only_new = new.iter().filter(is_new);
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
        // Of results that do not say it, one a row.
        let cells = |it: &StrategyResult| {
            let cells = it.mean(MetricId::TableCells);
            cells.or(it.mean(MetricId::TableRows))
        };
        // The second run may have written more or fewer cells than the first: it tells what a cell takes.
        let same = |(key, _): &&(String, f64)| {
            let mut copies = before.copies.iter();
            copies.any(|it| it.0 == *key) && !parameters.iter().any(|it| key.contains(&it.name))
        };
        let bytes =
            |of: &StrategyResult, left_out: f64| Some(of.mean(MetricId::TableBytes)? - left_out);
        let stay = after.copies.iter().filter(same).map(|it| it.1).sum();
        let copied = before.copies.iter().map(|it| it.1).sum();
        let all = bytes(after, stay).zip(cells(after));
        Some(Self {
            key_before: old.to_owned(),
            key_after: new.to_owned(),
            rows: before.mean(MetricId::TableRows),
            cells: cells(before),
            bytes_read: bytes(before, copied),
            bytes_written: cells(before)
                .zip(all)
                .map(|(cells, (bytes, of))| cells * (bytes / of)),
            parameters,
        })
    }
}

impl MetricChange {
    /// Of a metric of two results: whose, and its summary.
    fn of(path: &str, sides: [(&StrategyResult, Measure); 2], paired: bool) -> Self {
        let [old, new] = sides.map(|(it, _)| it.values.get(path).cloned().unwrap_or_default());
        let (ratio, difference) = if paired {
            let pairs = old.iter().zip(&new);
            let differences = pairs.filter_map(|(old, new)| Some((*new)? - (*old)?));
            let differences: Vec<f64> = differences.collect();
            (measures::ratio(&new, &old), Estimate::of(&differences))
        } else {
            let [old, new]: [Vec<f64>; 2] =
                [&old, &new].map(|it| it.iter().flatten().copied().collect());
            (unpaired_ratio(&new, &old), unpaired_difference(&new, &old))
        };
        let [(_, before), (_, after)] = sides;
        let measure = |estimate: Option<Estimate>| {
            Measure::from(estimate).bounded(after.censored, before.censored)
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
            _ if !open && self.ratio.mean.is_some_and(|it| !is_noticed(it)) => {
                ChangeVerdict::AboutTheSame
            }
            (Better::Neither, _) => ChangeVerdict::Different,
            (Better::Higher, true) | (Better::Lower, false) => ChangeVerdict::Better,
            (Better::Higher, false) | (Better::Lower, true) => ChangeVerdict::Worse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(metric: &str, mean: f64, interval: Option<(f64, f64)>) -> Comparison {
        let ratio = Measure {
            mean: Some(mean),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            ..Measure::UNDEFINED
        };
        Comparison {
            strategy: "salted".to_owned(),
            sweep: Default::default(),
            baseline: "plain".to_owned(),
            metric: metric.to_owned(),
            ratio,
            significant: interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0),
        }
    }

    fn words(metric: &str, mean: f64, interval: Option<(f64, f64)>) -> String {
        in_words(&[&compared(metric, mean, interval)])
    }

    #[test]
    fn changes_are_per_cent_and_from_twice_on_times() {
        let p99 = "write_response_ms.p99";
        let throughput = "write_throughput_per_sec";
        assert_eq!(words(p99, 0.62, Some((0.59, 0.65))), "p99 -38 % [-41, -35]");
        assert_eq!(
            words(p99, 1.042, Some((1.0395, 1.0446))),
            "p99 +4.2 % [+4.0, +4.5]"
        );
        assert_eq!(
            words(throughput, 4.0, Some((3.99, 4.012))),
            "4.00 times [3.99, 4.01] the throughput of plain"
        );
        assert_eq!(
            words(p99, 120.0, Some((102.0, 141.0))),
            "120 times [102, 141] the p99"
        );
        assert_eq!(
            words("read.newest.calls_planned", 16.0, None),
            "16 times the calls of a `newest`"
        );
        assert_eq!(words(p99, 0.5, None), "p99 -50 %");
        assert_eq!(
            words("read.newest.calls_planned", 0.0625, Some((0.0625, 0.0625))),
            "calls of a `newest` -93.75 % in every replicate"
        );
        assert_eq!(
            words(p99, 0.992, Some((0.984, 0.9998))),
            "p99 -0.80 % [-1.60, -0.02]"
        );
    }

    #[test]
    fn what_readers_of_a_closed_loop_get_is_told_in_short() {
        let compared = [
            compared("write_throughput_per_sec", 1.0, None),
            compared("read.g.rows_planned", 2.0, None),
            compared("read.g.throughput_per_sec", 0.46, Some((0.45, 0.47))),
        ];
        let told = PairedVerdict::of(&compared.each_ref()).expect("there are some");
        assert_eq!(
            told.in_short,
            "throughput of a `g` -54 % [-55, -53]; throughput: the same"
        );
    }

    #[test]
    fn what_did_not_change_or_is_not_known_gets_no_number() {
        let mut censored = compared("write_response_ms.p99", 3.0, None);
        censored.ratio = Measure {
            censored: true,
            ..Measure::UNDEFINED
        };
        let mut undefined = compared("makespan_ms", 1.0, None);
        undefined.ratio = Measure::UNDEFINED;
        let all = [
            compared("server_peak_to_mean", 1.01, Some((0.98, 1.04))),
            compared("write_throughput_per_sec", 0.99, Some((0.97, 1.01))),
            compared("read.newest.calls_planned", 1.0, None),
            censored,
            undefined,
        ];
        assert_eq!(
            in_words(&all.iter().collect::<Vec<_>>()),
            "server_peak_to_mean and throughput: no significant difference; calls of a `newest`: the same; \
             p99: unknown (operations failed or never finished); \
             makespan: no ratio, because one of them is undefined or zero"
                .replace("server_peak_to_mean", "hottest server ÷ mean")
        );
    }

    #[test]
    fn a_run_that_only_reads_is_compared_by_its_reads() {
        let reads = [
            compared("read.one.calls_planned", 2.0, Some((1.9, 2.1))),
            compared("read.one.response_ms.p99", 1.0, None),
        ];
        let verdict = PairedVerdict::of(&reads.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(verdict.in_short, verdict.in_full);
        assert!(verdict.in_short.contains("calls of a `one`"), "{verdict:?}");
    }

    #[test]
    fn a_bound_tells_how_much_at_least() {
        let p99 = "write_response_ms.p99";
        let told_of =
            |mean: f64, n: u32, low: Option<f64>, high: Option<f64>, upper_bound: bool| {
                let mut comparison = compared(p99, mean, None);
                comparison.ratio = Measure {
                    mean: Some(mean),
                    low,
                    high,
                    n,
                    censored: !upper_bound,
                    upper_bound,
                    ..Measure::UNDEFINED
                };
                in_words(&[&comparison])
            };
        // 9.87 s and more against 3.00 ms, and the other way round.
        assert_eq!(
            told_of(9_870.0 / 3.0, 1, None, None, false),
            "at least 3,290 times the p99"
        );
        assert_eq!(
            told_of(3.0 / 9_870.0, 1, None, None, true),
            "p99 at least 3,290 times less"
        );
        assert_eq!(
            told_of(1.4278, 3, Some(1.2), None, false),
            "p99 at least 42.7 % more"
        );
        assert_eq!(
            told_of(0.6, 3, None, Some(0.7), true),
            "p99 at least 40 % less"
        );
        // The interval holds no change: 8.93 ms against 2.94 s and more in two replicates.
        assert_eq!(
            told_of(8.93 / 2_940.0, 2, None, Some(40.0), true),
            "p99 at least 329 times less, which 2 replicates don't show"
        );
        assert_eq!(
            told_of(1.4278, 3, Some(0.9), None, false),
            "p99 at least 42.7 % more, which 3 replicates don't show"
        );
        // The bound lies on the side that says nothing.
        let unknown = "p99: unknown (operations failed or never finished)";
        assert_eq!(told_of(0.7, 1, None, None, false), unknown);
        assert_eq!(told_of(1.7, 1, None, None, true), unknown);
    }

    #[test]
    fn headlines_come_in_their_order_and_reads_only_in_full() {
        let all = [
            compared("server_peak_to_mean", 0.25, Some((0.24, 0.26))),
            compared("read.newest.calls_planned", 16.0, None),
            compared("write_throughput_per_sec", 3.0, Some((2.9, 3.1))),
        ];
        let verdict = PairedVerdict::of(&all.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!((verdict.strategy, verdict.baseline), ("salted", "plain"));
        assert_eq!(
            verdict.in_short,
            "3.0 times [2.9, 3.1] the throughput of plain"
        );
        assert_eq!(
            verdict.in_full,
            "3.0 times [2.9, 3.1] the throughput of plain; hottest server ÷ mean -75 % [-76, -74]; \
             16 times the calls of a `newest`"
        );
    }
}
