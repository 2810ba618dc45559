//! The key buckets that a key map shows: as many as have enough writes for a colour to be more than chance, and one for each range that
//! nobody wrote to.

use crate::experiment::{Results, StrategyResult};
use std::ops::Range;

/// Rows that a cell needs on average: its share is then right within 18 % (one standard error, 1 / sqrt(30)).
const LEAST_ROWS: f64 = 30.0;

/// Most buckets that are drawn as one: a coarse map still shows where a hotspot is.
const MOST_TOGETHER: usize = 8;

/// `results`, with the key buckets of their series drawn together: as many for every strategy, so that colours mean the same.
pub fn readable(results: &Results) -> Results {
    let mut readable = results.clone();
    let strategies = &mut readable.strategies;
    let together = strategies.iter().map(together).max().unwrap_or(1);
    for strategy in strategies {
        draw_together(strategy, together);
    }
    readable
}

/// How many buckets a cell of `strategy` needs.
fn together(strategy: &StrategyResult) -> usize {
    let cells = strategy.series.iter().flat_map(|series| &series.key_demand);
    let (mut rows, mut written) = (0u64, 0u64);
    for &cell in cells.flatten().filter(|cell| **cell > 0) {
        rows += cell;
        written += 1;
    }
    if rows == 0 {
        return 1;
    }
    let needed = LEAST_ROWS * written as f64 / rows as f64;
    (needed.ceil() as usize).clamp(1, MOST_TOGETHER)
}

fn draw_together(strategy: &mut StrategyResult, together: usize) {
    let Some(series) = strategy.series.as_mut() else {
        return;
    };
    let buckets = series.key_demand.iter().map(Vec::len).max().unwrap_or(0);
    let of = |interval: &Vec<u64>, bucket: usize| interval.get(bucket).copied().unwrap_or(0);
    let any = |bucket| series.key_demand.iter().any(|it| of(it, bucket) > 0);
    let written: Vec<bool> = (0..buckets).map(any).collect();
    let groups = groups(&written, together);
    for interval in &mut series.key_demand {
        let sum = |group: &Range<usize>| group.clone().map(|bucket| of(interval, bucket)).sum();
        *interval = groups.iter().map(sum).collect();
    }
    let first = |group: &Range<usize>| strategy.key_map.get(group.start);
    let firsts = groups.iter().filter_map(first);
    strategy.key_map = firsts.cloned().collect();
}

/// Buckets that become one: `together` that are written to, or a few more where they don't divide evenly (a group of fewer would look
/// cold), or any number beside each other that are not.
fn groups(written: &[bool], together: usize) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut start = 0;
    for stretch in written.chunk_by(|one, other| one == other) {
        let all = stretch.len();
        let together = if stretch[0] { together } else { all };
        let parts = (all / together).max(1);
        let edge = |part: usize| start + all * part / parts;
        groups.extend((0..parts).map(|part| edge(part)..edge(part + 1)));
        start += all;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn ranges_without_writes_are_one_bucket_and_others_as_many_as_they_need() {
        let written = [true, true, true, false, false, false, true, false];
        assert_eq!(groups(&written, 1), [0..1, 1..2, 2..3, 3..6, 6..7, 7..8]);
        assert_eq!(groups(&written, 2), [0..3, 3..6, 6..7, 7..8]);
        assert_eq!(groups(&[true; 7], 3), [0..3, 3..7]);
        assert!(groups(&[], 3).is_empty());
    }

    #[test]
    fn few_writes_are_drawn_together_in_every_strategy_and_none_is_lost() {
        let rows: &[u64] = &[200, 200];
        let mut results = sample::results(vec![
            sample::strategy("busy", 2, &[rows]),
            sample::strategy("sparse", 2, &[rows]),
        ]);
        let demand: [Vec<u64>; 2] = [vec![70, 0, 90, 110, 50], vec![9, 11, 20, 12, 62]];
        for (strategy, demand) in results.strategies.iter_mut().zip(demand) {
            strategy.key_map = ["", "b", "c", "d", "e"].map(sample::bucket).to_vec();
            strategy.series.as_mut().unwrap().key_demand = vec![demand];
        }
        // 114 rows in 5 cells: 2 together have more than 30.
        let shown = readable(&results);
        let cells = |at: usize| &shown.strategies[at].series.as_ref().unwrap().key_demand[0];
        assert_eq!(cells(0), &[70, 0, 250]);
        assert_eq!(cells(1), &[20, 94]);
        let starts = |at: usize| -> Vec<&str> {
            let buckets = shown.strategies[at].key_map.iter();
            buckets.map(|bucket| &bucket.start[..]).collect()
        };
        assert_eq!(starts(0), ["", "b", "c"]);
        assert_eq!(starts(1), ["", "c"]);
    }
}
