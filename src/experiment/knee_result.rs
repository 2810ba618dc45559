//! The knee of a strategy, as `results.json` holds it: the bisection of each replicate, what it says, and which limit breaks first.
//! Must not run anything.
//!
//! A replicate's knee is the geometric middle of the highest load that held all limits and the next load of its grid, which broke one. The
//! knee of a strategy is the mean of these, with the t-interval over replicates.

use super::Measure;
use crate::metrics::{MetricId, MetricPath, Part, Unit};
use crate::scenario::{Limit, LimitBound, VariedLoad};
use crate::text::{compact, exact, length, percent};
use serde::{Deserialize, Serialize};

/// The highest load that keeps within limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KneeResult {
    /// The setting that was varied: `write.ingest.rate`.
    pub vary: String,
    /// What had to hold.
    pub limits: Vec<Limit>,
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
        let first = probes.filter(|probe| Some(probe.per_sec) == self.broken_per_sec);
        let findings = first.flat_map(|probe| probe.findings.iter().enumerate());
        findings.filter_map(|(at, finding)| (!finding.holds).then_some(at))
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

/// `sustains 41.2k writes/s [40.2k, 41.9k] within the limits, 2.1 servers' worth; beyond it p99 exceeds 50 ms`. `in_servers` do as much, of all
/// those that there are; `None` when that is not known, or of reads.
pub(super) fn sentence(
    knee: &KneeResult,
    load: VariedLoad,
    per_sec: &Measure,
    in_servers: Option<(f64, u32)>,
) -> String {
    // When only the writes or the reads of one name were varied, it is theirs.
    let name = knee.vary.split('.').nth(1).unwrap_or_default();
    let what = match load {
        VariedLoad::Write(_) => "writes/s".to_owned(),
        VariedLoad::Read(_) => format!("reads/s of `{name}`"),
    };
    let found = per_sec.mean.filter(|_| knee.outcome != KneeOutcome::Below);
    let Some(mean) = found else {
        let some = replicates(knee, |it| it.held_per_sec.is_none());
        let some = some.map_or(String::new(), |some| format!(" {some}"));
        let (lowest, broken) = (compact(knee.from_per_sec), broken(knee));
        return format!(
            "sustains no load within the limits: at {lowest} {what}, the lowest tried, {broken}{some}"
        );
    };
    let (mean, worth) = (compact(mean), worth(in_servers));
    if knee.outcome == KneeOutcome::AtLeast {
        let ended = |it: &KneeReplicate| it.held_per_sec.is_some() && it.broken_per_sec.is_none();
        let some = replicates(knee, ended).map_or(String::new(), |some| format!(" ({some})"));
        return format!(
            "sustains at least {mean} {what} within the limits{worth}: the highest load tried broke none{some}"
        );
    }
    let interval = match (per_sec.low, per_sec.high) {
        (Some(low), Some(high)) => format!(" [{}, {}]", compact(low), compact(high)),
        _ => format!(" (to {})", percent(knee.precision)),
    };
    let broken = broken(knee);
    format!("sustains {mean} {what}{interval} within the limits{worth}; beyond it {broken}")
}

impl KneeResult {
    /// What a table of knees shows: `highest write.ingest.rate with p99 below 50 ms and goodput above 99.9 %`.
    pub fn caption(&self) -> String {
        let limits: Vec<String> = self.limits.iter().map(kept).collect();
        format!("highest {} with {}", self.vary, limits.join(" and "))
    }
}

/// What a limit asks for: `p99 below 50 ms`.
pub fn kept(limit: &Limit) -> String {
    told(limit, ["below", "above"])
}

fn worth(in_servers: Option<(f64, u32)>) -> String {
    match in_servers {
        None => String::new(),
        Some((servers, all)) if servers >= f64::from(all) => {
            format!(
                ", all that {all} servers do or more: the limits let operations pile up or fail"
            )
        }
        Some((servers, _)) => {
            let places = if servers < 9.95 { 1 } else { 0 };
            format!(", {servers:.places$} servers' worth")
        }
    }
}

/// `in 2 of 5 replicates`, when it is not all of them.
fn replicates(knee: &KneeResult, test: impl Fn(&KneeReplicate) -> bool) -> Option<String> {
    let all = knee.replicates.len();
    let some = knee.replicates.iter().filter(|it| test(it)).count();
    (some < all).then(|| format!("in {some} of {all} replicates"))
}

/// `p99 exceeds 50 ms and goodput falls below 99.9 %`.
fn broken(knee: &KneeResult) -> String {
    let limits = knee.binding.iter().flat_map(|metric| {
        let limits = knee.limits.iter();
        limits.filter(move |limit| limit.metric == *metric)
    });
    let words = limits.map(|it| told(it, ["exceeds", "falls below"]));
    words.collect::<Vec<String>>().join(" or ")
}

/// A limit in words, whose value is the most that may be, or the least.
fn told(limit: &Limit, [most, least]: [&str; 2]) -> String {
    let (words, bound) = match limit.bound {
        LimitBound::Below(bound) => (most, bound),
        LimitBound::Above(bound) => (least, bound),
    };
    let (name, bound) = (short(&limit.metric), value(bound, &limit.metric));
    format!("{name} {words} {bound}")
}

/// `p99 72.4 ms`, `p99 over 9.87 s` of a lower bound, `p99 undefined`.
pub(super) fn found(metric: &str, found: Option<f64>, lower_bound: bool) -> String {
    let name = short(metric);
    let over = if lower_bound { "over " } else { "" };
    match found {
        Some(found) => format!("{name} {over}{}", value(found, metric)),
        None => format!("{name} undefined"),
    }
}

/// What sentences call a metric.
fn short(metric: &str) -> String {
    const KNOWN: [(MetricPath, &str); 5] = [
        (MetricId::WriteResponse.at(Part::P50), "p50"),
        (MetricId::WriteResponse.at(Part::P90), "p90"),
        (MetricId::WriteResponse.at(Part::P99), "p99"),
        (MetricId::WriteResponse.at(Part::P999), "p99.9"),
        (MetricId::WriteGoodputFraction.whole(), "goodput"),
    ];
    match KNOWN.iter().find(|(path, _)| path.tail() == metric) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("`{metric}`"),
    }
}

/// A value of a metric, whosever it is.
fn value(value: f64, metric: &str) -> String {
    match MetricId::of_path(metric).map(|id| id.definition().unit) {
        Some(Unit::Millis) => length(value / 1e3),
        Some(Unit::Fraction) => format!("{} %", exact(value * 100.0)),
        _ => compact(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knee(
        outcome: KneeOutcome,
        ends: &[(Option<f64>, Option<f64>)],
        binding: &[&str],
    ) -> KneeResult {
        let limit = |metric: &str, bound| Limit {
            metric: metric.to_owned(),
            bound,
        };
        KneeResult {
            vary: "write.ingest.rate".to_owned(),
            limits: vec![
                limit("write_response_ms.p99", LimitBound::Below(50.0)),
                limit("write_goodput_fraction", LimitBound::Above(0.999)),
                limit("read.newest.failed_fraction", LimitBound::Below(0.02)),
            ],
            from_per_sec: 62.5,
            to_per_sec: 480e3,
            precision: 0.01,
            outcome,
            binding: binding.iter().map(|&metric| metric.to_owned()).collect(),
            sentence: String::new(),
            replicates: ends
                .iter()
                .map(|&(held_per_sec, broken_per_sec)| KneeReplicate {
                    held_per_sec,
                    broken_per_sec,
                    probes: Vec::new(),
                })
                .collect(),
        }
    }

    fn measure(mean: Option<f64>, interval: Option<(f64, f64)>) -> Measure {
        Measure {
            mean,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
            ..Measure::UNDEFINED
        }
    }

    #[test]
    fn the_sentence_says_how_much_and_what_breaks() {
        let write = VariedLoad::Write(0);
        let found = knee(
            KneeOutcome::Found,
            &[(Some(41e3), Some(41.4e3))],
            &["write_response_ms.p99", "write_goodput_fraction"],
        );
        assert_eq!(
            sentence(
                &found,
                write,
                &measure(Some(41_200.0), Some((40_210.0, 41_930.0))),
                Some((2.06, 99))
            ),
            "sustains 41.2k writes/s [40.2k, 41.9k] within the limits, 2.1 servers' worth; \
             beyond it p99 exceeds 50 ms or goodput falls below 99.9 %"
        );
        let mut reads = knee(
            KneeOutcome::Found,
            &[(Some(41e3), Some(41.4e3))],
            &["read.newest.failed_fraction"],
        );
        reads.vary = "read.newest.rate".to_owned();
        assert_eq!(
            sentence(
                &reads,
                VariedLoad::Read(0),
                &measure(Some(730.0), None),
                None
            ),
            "sustains 730 reads/s of `newest` (to 1 %) within the limits; beyond it `read.newest.failed_fraction` exceeds 2 %"
        );
    }

    #[test]
    fn limits_and_what_was_found_have_their_units() {
        let knee = knee(KneeOutcome::Found, &[], &[]);
        assert_eq!(
            knee.caption(),
            "highest write.ingest.rate with p99 below 50 ms and goodput above 99.9 % and `read.newest.failed_fraction` below 2 %"
        );
        let p99 = "write_response_ms.p99";
        assert_eq!(super::found(p99, Some(9_870.0), true), "p99 over 9.87 s");
        assert_eq!(
            super::found("write_goodput_fraction", Some(0.98712), false),
            "goodput 98.712 %"
        );
        assert_eq!(super::found(p99, None, false), "p99 undefined");
    }

    #[test]
    fn an_open_end_is_said_to_be_one() {
        let ends = [(Some(470e3), None), (Some(475e3), None)];
        let at_least = knee(KneeOutcome::AtLeast, &ends, &[]);
        let write = VariedLoad::Write(0);
        assert_eq!(
            sentence(
                &at_least,
                write,
                &measure(Some(472_400.0), None),
                Some((23.6, 99))
            ),
            "sustains at least 472k writes/s within the limits, 24 servers' worth: the highest load tried broke none"
        );
        let ends = [
            (Some(64.0), Some(65.0)),
            (None, Some(63.0)),
            (None, Some(62.5)),
        ];
        let none = knee(KneeOutcome::Below, &ends, &["write_response_ms.p99"]);
        assert_eq!(
            sentence(&none, write, &Measure::UNDEFINED, None),
            "sustains no load within the limits: at 62.5 writes/s, the lowest tried, p99 exceeds 50 ms in 2 of 3 replicates"
        );
    }
}
