//! Which strategies can be compared, and which of their reads grow though they needn't. Must not rank.

use crate::layout::{Replicate, Retention};
use crate::random::Seed;
use crate::scenario::Strategy;
use crate::text::compact;

/// Strategies that can be compared, by their indices: each group in the order of the file, and the groups in that of their first.
pub(super) fn groups(strategies: &[Strategy]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..strategies.len() {
        match groups
            .iter_mut()
            .find(|group| is_comparable(strategies, group[0], at))
        {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Both store the same rows under the same load on the same cluster: they may differ in key, pre-split, table settings, and in what
/// the cluster does by itself.
fn is_comparable(strategies: &[Strategy], a: usize, b: usize) -> bool {
    let (one, other) = (&strategies[a], &strategies[b]);
    let (setup, others) = (&one.setup, &other.setup);
    Replicate::twin(strategies, a) == Replicate::twin(strategies, b)
        && one.key.fields() == other.key.fields()
        && setup.cluster == others.cluster
        && setup.client == others.client
        && setup.changes.events == others.changes.events
        && setup.changes.neighbours == others.changes.neighbours
}

/// Of each strategy, the reads that grow with retention though they don't under another one, with how much.
pub(super) fn growing_reads(strategies: &[&Strategy], seed: Seed) -> Vec<Vec<String>> {
    let reads = strategies.first().map(|it| &it.setup.workload.reads);
    let reads: Vec<&str> = reads
        .into_iter()
        .flatten()
        .map(|it| it.name.as_str())
        .collect();
    if reads.is_empty() || strategies.len() < 2 {
        return vec![Vec::new(); strategies.len()];
    }
    let retention = Retention::of(&strategies[0].setup, seed);
    let growths: Vec<Vec<f64>> = strategies.iter().map(|it| retention.growth(it)).collect();
    let needless = |at: usize| growths.iter().any(|of| !Retention::grows(of[at]));
    let of_strategy = |growth: &Vec<f64>| {
        let growing = reads.iter().enumerate().zip(growth);
        let growing =
            growing.filter(|((at, _), growth)| Retention::grows(**growth) && needless(*at));
        let words = growing.map(|((_, read), growth)| {
            format!("`{read}` reads {} times the rows", compact(*growth))
        });
        words.collect()
    };
    growths.iter().map(of_strategy).collect()
}
