//! The knee in one sentence: how much a strategy sustains, and what breaks beyond it. Must not compute it.

use super::Measure;
use super::knee_result::{KneeLimit, KneeOutcome, KneeResult};
use crate::metrics::{MetricId, MetricPath, Part, Unit};
use crate::scenario::VariedLoad;
use crate::text::{compact, exact, length, percent};

/// How many servers do as much as a knee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Worth {
    /// Not known, or of reads.
    Unknown,
    /// So many.
    Servers(f64),
    /// All of them, or more than there are.
    All(u32),
}

/// `sustains 41.2k writes/s [40.2k, 41.9k] within the limits, 2.1 servers' worth; beyond it p99 exceeds 50 ms`.
pub(super) fn sentence(
    knee: &KneeResult,
    load: VariedLoad,
    per_sec: &Measure,
    in_servers: Worth,
) -> String {
    let what = what(knee, load);
    match (knee.outcome, per_sec.mean) {
        (KneeOutcome::Below, _) | (_, None) => below(knee, &what),
        (KneeOutcome::AtLeast, Some(mean)) => {
            let at_least = match replicates(knee, |held, broken| held && !broken) {
                Some(some) => format!(" ({some})"),
                None => String::new(),
            };
            format!(
                "sustains at least {} {what} within the limits{}: the highest load tried broke none{at_least}",
                compact(mean),
                worth(in_servers)
            )
        }
        (KneeOutcome::Found, Some(mean)) => {
            let interval = match (per_sec.low, per_sec.high) {
                (Some(low), Some(high)) => format!(" [{}, {}]", compact(low), compact(high)),
                _ => format!(" (to {})", percent(knee.precision)),
            };
            format!(
                "sustains {} {what}{interval} within the limits{}; beyond it {}",
                compact(mean),
                worth(in_servers),
                broken(knee)
            )
        }
    }
}

/// `writes/s`, or `writes/s of orders` when only these were varied.
fn what(knee: &KneeResult, load: VariedLoad) -> String {
    let name = knee.vary.split('.').nth(1).unwrap_or_default();
    match load {
        VariedLoad::Write(_) => "writes/s".to_owned(),
        VariedLoad::Read(_) => format!("reads/s of `{name}`"),
    }
}

impl KneeResult {
    /// What a table of knees shows: `highest write.ingest.rate with p99 below 50 ms and goodput above 99.9 %`.
    pub fn caption(&self) -> String {
        let limits: Vec<String> = self.limits.iter().map(KneeLimit::kept).collect();
        format!("highest {} with {}", self.vary, limits.join(" and "))
    }
}

impl KneeLimit {
    /// What it asks for: `p99 below 50 ms`.
    pub fn kept(&self) -> String {
        told(self, ["below", "above"])
    }
}

fn worth(in_servers: Worth) -> String {
    match in_servers {
        Worth::Servers(servers) if servers < 9.95 => format!(", {servers:.1} servers' worth"),
        Worth::Servers(servers) => format!(", {servers:.0} servers' worth"),
        Worth::All(servers) => format!(
            ", all that {servers} servers do or more: the limits let operations pile up or fail"
        ),
        Worth::Unknown => String::new(),
    }
}

fn below(knee: &KneeResult, what: &str) -> String {
    let some = replicates(knee, |held, _| !held).map_or(String::new(), |some| format!(" {some}"));
    format!(
        "sustains no load within the limits: at {} {what}, the lowest tried, {}{some}",
        compact(knee.from_per_sec),
        broken(knee)
    )
}

/// `in 2 of 5 replicates`, when it is not all of them.
fn replicates(knee: &KneeResult, test: fn(bool, bool) -> bool) -> Option<String> {
    let all = knee.replicates.len();
    let some = knee.replicates.iter();
    let some = some
        .filter(|one| test(one.held_per_sec.is_some(), one.broken_per_sec.is_some()))
        .count();
    (some < all).then(|| format!("in {some} of {all} replicates"))
}

/// `p99 exceeds 50 ms and goodput falls below 99.9 %`.
fn broken(knee: &KneeResult) -> String {
    let limits = knee.binding.iter().flat_map(|metric| {
        let limits = knee.limits.iter();
        limits.filter(move |limit| limit.metric == *metric)
    });
    let words: Vec<String> = limits
        .map(|it| told(it, ["exceeds", "falls below"]))
        .collect();
    words.join(" or ")
}

/// A limit in words, whose value is the most that may be, or the least.
fn told(limit: &KneeLimit, [most, least]: [&str; 2]) -> String {
    let (name, unit) = (short(&limit.metric), unit(&limit.metric));
    match (limit.below, limit.above) {
        (Some(bound), _) => format!("{name} {most} {}", value(bound, unit)),
        (None, Some(bound)) => format!("{name} {least} {}", value(bound, unit)),
        (None, None) => name,
    }
}

/// `p99 72.4 ms`, `p99 over 9.87 s` of a lower bound, `p99 undefined`.
pub(super) fn found(metric: &str, found: Option<f64>, lower_bound: bool) -> String {
    let name = short(metric);
    let over = if lower_bound { "over " } else { "" };
    match found {
        Some(found) => format!("{name} {over}{}", value(found, unit(metric))),
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
    let mut known = KNOWN.iter();
    let known = known.find(|(path, _)| path.tail() == metric);
    known.map_or_else(|| format!("`{metric}`"), |(_, name)| (*name).to_owned())
}

/// The unit of a metric by its path, whosever it is.
fn unit(metric: &str) -> Option<Unit> {
    MetricId::of_path(metric).map(|id| id.definition().unit)
}

fn value(value: f64, unit: Option<Unit>) -> String {
    match unit {
        Some(Unit::Millis) => length(value / 1e3),
        Some(Unit::Fraction) => format!("{} %", exact(value * 100.0)),
        _ => compact(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::knee_result::KneeReplicate;
    use super::*;

    fn knee(
        outcome: KneeOutcome,
        ends: &[(Option<f64>, Option<f64>)],
        binding: &[&str],
    ) -> KneeResult {
        let limit = |metric: &str, above, below| KneeLimit {
            metric: metric.to_owned(),
            above,
            below,
        };
        KneeResult {
            vary: "write.ingest.rate".to_owned(),
            limits: vec![
                limit("write_response_ms.p99", None, Some(50.0)),
                limit("write_goodput_fraction", Some(0.999), None),
                limit("read.newest.failed_fraction", None, Some(0.02)),
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
                Worth::Servers(2.06)
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
                Worth::Unknown
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
                Worth::Servers(23.6)
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
            sentence(&none, write, &Measure::UNDEFINED, Worth::Unknown),
            "sustains no load within the limits: at 62.5 writes/s, the lowest tried, p99 exceeds 50 ms in 2 of 3 replicates"
        );
    }
}
