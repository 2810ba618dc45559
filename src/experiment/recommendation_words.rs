//! Why strategies stand in the order in which they stand, a sentence each. Must not rank.

use super::ranking::{AS_GOOD, Candidate, Cost, Respect};
use super::{Loss, Measure, RankedStrategy};
use crate::layout::Retention;
use crate::text::{compact, listed};

/// A ranked strategy, and what it was judged by.
pub(super) type Rated = (RankedStrategy, Candidate);

/// Of strategies in order of preference, the first `tied` of which are tied.
pub(super) fn reasons(rated: &[Rated], tied: usize, replicates: u32) -> Vec<String> {
    if rated.len() < 2 {
        return vec![
            "No other strategy stores the same rows: nothing to compare it with.".to_owned(),
        ];
    }
    let (first, others) = rated.split_at(tied);
    let mut sentences = Vec::new();
    if tied > 1 {
        sentences.push(what_would_decide(first, replicates));
    }
    for respect in Respect::ALL {
        for (best, _) in first {
            let subject = match tied > 1 {
                true => format!("`{}`", best.name),
                false => "It".to_owned(),
            };
            let lost = others.iter().filter_map(|(other, _)| {
                let loss = other.loses_in.as_ref()?;
                let is_this = loss.respect == respect.name() && loss.to == best.name;
                is_this.then(|| format!("`{}`{}", other.name, details(respect, other, loss)))
            });
            let names: Vec<String> = lost.collect();
            if names.is_empty() {
                continue;
            }
            let names = listed(&names);
            sentences.push(match respect {
                Respect::Limits => format!("{subject} breaks fewer limits than {names}."),
                Respect::Growth => format!(
                    "{subject} keeps more reads from growing when rows are kept {} times as long than {names}.",
                    Retention::TIMES
                ),
                Respect::Reads => format!("{subject} serves reads at less cost than {names}."),
                Respect::Capacity => format!("{subject} can take more than {names}."),
                Respect::Bytes => format!("{subject} has shorter rows than {names}."),
            });
        }
    }
    sentences
}

/// How much worse the other one is, in brackets.
fn details(respect: Respect, other: &RankedStrategy, loss: &Loss) -> String {
    match (respect, loss.times.mean) {
        (Respect::Limits, _) => String::new(),
        (Respect::Growth, _) => format!(" ({})", other.growing_reads.join("; ")),
        (Respect::Reads, None) => " (they did not end)".to_owned(),
        (_, None) => " (what it takes is not known)".to_owned(),
        (_, Some(_)) => format!(" ({})", times(&loss.times)),
    }
}

/// `2.80 times [2.71, 2.89]`.
fn times(ratio: &Measure) -> String {
    let mean = ratio.mean.map_or_else(String::new, compact);
    match ratio.low.zip(ratio.high).filter(|(low, high)| low < high) {
        Some((low, high)) => format!("{mean} times [{}, {}]", compact(low), compact(high)),
        None => format!("{mean} times"),
    }
}

/// In what tied strategies differ, and what is not shown of it.
fn what_would_decide(tied: &[Rated], replicates: u32) -> String {
    let mut clauses = Vec::new();
    for (respect, words) in [
        (Respect::Reads, "what reads cost"),
        (Respect::Capacity, "what they can take"),
        (Respect::Bytes, "bytes a row"),
    ] {
        let costs = tied.iter().filter_map(|(_, of)| of.cost(respect));
        let means: Vec<f64> = costs.map(Cost::mean).collect();
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(0.0, f64::max);
        let apart = most / least;
        if apart.is_nan() || apart < 1.0 + 1e-3 {
            continue;
        }
        let apart_by = match apart < 2.0 {
            true => format!("{} % apart", compact(100.0 * (apart - 1.0))),
            false => format!("{} times apart", compact(apart)),
        };
        clauses.push(match (respect, apart > AS_GOOD) {
            (_, false) => format!("{words} ({apart_by}, less than counts here)"),
            (Respect::Bytes, true) => format!("{words} ({apart_by})"),
            (_, true) if replicates < 2 => {
                format!("{words} ({apart_by}, which one replicate can't show)")
            }
            (_, true) => {
                format!("{words} ({apart_by}, which {replicates} replicates don't show)")
            }
        });
    }
    match clauses.is_empty() {
        true => "Nothing that was measured tells them apart: take the one that is the simplest to write and to read.".to_owned(),
        false => format!("What would decide between them: {}.", listed(&clauses)),
    }
}
