//! Second orders: where no one key serves all reads, the key that serves most of them, with copies of the table for the others. Must not judge
//! what copies cost: the runs do.

use super::ranking::{self, Candidate};
use super::suggested_keys::{SuggestedKey, sampled};

/// A key serves a read that costs it at most so many times what it costs the best key for it (estimate: a copy takes as many writes and bytes as
/// the table itself, so that little is gained below).
const SERVED: f64 = 4.0;

/// Further copies that are suggested.
const MOST_COPIES: usize = 2;

/// Letters of a name that tells the copies' keys.
const LONGEST_NAME: usize = 60;

/// A key that was laid out.
#[derive(Debug, Clone)]
pub(super) struct Forecast {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) judged: Candidate,
    /// Seconds of handlers of each read.
    pub(super) reads: Vec<f64>,
    /// Whether the rows of each read grow with retention.
    pub(super) grows: Vec<bool>,
}

/// The best of these keys with copies under others of them; `None` where one key serves all reads, or no copy serves what is left. Keys with a hotspot
/// are looked at only where all have one: a copy takes every write, like the table.
pub(super) fn with_copies(all: &[Forecast], regions: u32) -> Option<SuggestedKey> {
    let fewest = all.iter().map(|it| it.judged.broken).min()?;
    let keys: Vec<&Forecast> = all.iter().filter(|it| it.judged.broken == fewest).collect();
    let reads = keys.first()?.reads.len();
    let serves: Vec<Vec<bool>> = keys
        .iter()
        .map(|key| (0..reads).map(|read| serves(&keys, key, read)).collect())
        .collect();
    let candidates: Vec<Candidate> = keys.iter().map(|it| it.judged.clone()).collect();
    let order = ranking::by_means(&candidates);
    // Of keys that serve as many of the reads that are left, the first in the order of preference.
    let best = |left: &[usize]| {
        let served = |at: usize| left.iter().filter(|read| serves[at][**read]).count();
        let most = order.iter().map(|&at| served(at)).max()?;
        let mut best = order.iter().copied().filter(|&at| served(at) == most);
        best.next().filter(|_| most > 0)
    };
    let mut left: Vec<usize> = (0..reads).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while !left.is_empty() && chosen.len() <= MOST_COPIES {
        let next = best(&left)?;
        left.retain(|read| !serves[next][*read]);
        chosen.push(next);
    }
    let (first, copies) = chosen.split_first()?;
    if copies.is_empty() {
        return None;
    }
    let names = chosen.iter().map(|&at| keys[at].name.as_str());
    let name: String = names.collect::<Vec<_>>().join("-and-");
    let name: String = name.chars().take(LONGEST_NAME).collect();
    Some(SuggestedKey {
        name: name.trim_end_matches('-').to_owned(),
        key: keys[*first].key.clone(),
        presplit: sampled(regions),
        copies: copies.iter().map(|&at| keys[at].key.clone()).collect(),
    })
}

/// At most [`SERVED`] times the cost of the best, and no rows that grow where another key keeps them.
fn serves(keys: &[&Forecast], key: &Forecast, read: usize) -> bool {
    let needless = keys.iter().any(|other| !other.grows[read]);
    let kept: Vec<&&Forecast> = keys
        .iter()
        .filter(|other| !(needless && other.grows[read]))
        .collect();
    let costs = kept.iter().map(|other| other.reads[read]);
    let least = costs.fold(f64::INFINITY, f64::min);
    !(needless && key.grows[read]) && key.reads[read] <= SERVED * least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ranking::Cost;

    fn forecast(name: &str, broken: usize, reads: [f64; 3], grows: [bool; 3]) -> Forecast {
        Forecast {
            name: name.to_owned(),
            key: format!("{name}-key"),
            judged: Candidate {
                broken,
                reads: Cost::Known(reads.iter().product()),
                ..Candidate::default()
            },
            reads: reads.to_vec(),
            grows: grows.to_vec(),
        }
    }

    #[test]
    fn a_copy_serves_what_the_best_key_serves_badly() {
        let no = [false; 3];
        let by_id = forecast("by-id", 0, [1.0, 1.0, 900.0], no);
        let by_time = forecast("by-time", 0, [800.0, 700.0, 1.0], no);
        let found = with_copies(&[by_time.clone(), by_id.clone()], 32).unwrap();
        assert_eq!(found.name, "by-id-and-by-time");
        assert_eq!(
            (&found.key[..], &found.copies[..]),
            ("by-id-key", &["by-time-key".to_owned()][..])
        );
        assert_eq!(found.presplit, "{ algorithm = \"sampled\", regions = 32 }");
        // A hot key is no copy, and there is no other.
        let hot = Forecast {
            judged: Candidate {
                broken: 1,
                ..by_time.judged.clone()
            },
            ..by_time
        };
        assert_eq!(with_copies(&[by_id.clone(), hot], 32), None);
        // One key that serves all well enough needs no copy.
        let both = forecast("both", 0, [3.0, 3.0, 3.0], no);
        let times = forecast("times", 0, [800.0, 700.0, 1.0], no);
        assert_eq!(with_copies(&[by_id.clone(), times.clone(), both], 32), None);
        // As cheap, but growing.
        let grows = forecast("grows", 0, [1.0, 1.0, 1.0], [false, true, false]);
        let found = with_copies(&[grows, by_id, times], 32).unwrap();
        assert_eq!(found.copies.len(), 1, "{found:?}");
    }
}
