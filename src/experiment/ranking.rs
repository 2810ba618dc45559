//! Candidates in order of preference, and those that nothing beats in every respect. Must not know what a strategy is.

/// A candidate whose cost is at most so many times the best one's counts as good: replicates of a few seconds tell no finer.
pub(super) const AS_GOOD: f64 = 1.05;

/// What candidates are judged by, in order of weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Respect {
    Limits,
    Reads,
    Capacity,
    Bytes,
}

impl Respect {
    const ALL: [Self; 4] = [Self::Limits, Self::Reads, Self::Capacity, Self::Bytes];
}

/// One candidate; what is unknown counts as the worst.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Limits that it breaks.
    pub(super) broken: usize,
    /// What its reads cost; less is better.
    pub(super) reads: Option<f64>,
    /// What it can take; more is better.
    pub(super) capacity: Option<f64>,
    /// What it stores; less is better.
    pub(super) bytes: Option<f64>,
}

impl Candidate {
    /// Less is better.
    fn cost(&self, respect: Respect) -> f64 {
        let known = match respect {
            Respect::Limits => Some(self.broken as f64),
            Respect::Reads => self.reads,
            Respect::Capacity => self.capacity.map(|capacity| 1.0 / capacity),
            Respect::Bytes => self.bytes,
        };
        known.filter(|cost| !cost.is_nan()).unwrap_or(f64::INFINITY)
    }

    /// At least as good in every respect, and better in one.
    fn dominates(&self, other: &Self) -> bool {
        let costs = Respect::ALL.map(|respect| (self.cost(respect), other.cost(respect)));
        costs.iter().all(|(own, other)| own <= other)
            && costs.iter().any(|(own, other)| own < other)
    }

    /// The first respect in which it is better by more than [`AS_GOOD`]; `None` when the other is as good, or better before that.
    pub(super) fn better_in(&self, other: &Self) -> Option<Respect> {
        for respect in Respect::ALL {
            let (own, other) = (self.cost(respect), other.cost(respect));
            if other > AS_GOOD * own {
                return Some(respect);
            }
            if own > AS_GOOD * other {
                return None;
            }
        }
        None
    }
}

/// Positions from the best on: in each respect in turn, only those as good as the best are kept; of equals the first. O(n^2).
pub(super) fn ranked(candidates: &[Candidate]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let mut pool = left.clone();
        for respect in Respect::ALL {
            let cost = |at: usize| candidates[at].cost(respect);
            let best = pool
                .iter()
                .map(|&at| cost(at))
                .fold(f64::INFINITY, f64::min);
            pool.retain(|&at| cost(at) <= AS_GOOD * best);
        }
        let chosen = pool[0];
        left.retain(|&at| at != chosen);
        order.push(chosen);
    }
    order
}

/// Which candidates none of the others dominates: the Pareto front. O(n^2).
pub(super) fn front(candidates: &[Candidate]) -> Vec<bool> {
    let beaten = |own: &Candidate| candidates.iter().any(|other| other.dominates(own));
    candidates.iter().map(|own| !beaten(own)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidate(broken: usize, reads: f64, capacity: f64, bytes: f64) -> Candidate {
        Candidate {
            broken,
            reads: Some(reads),
            capacity: Some(capacity),
            bytes: Some(bytes),
        }
    }

    #[test]
    fn limits_come_before_reads_reads_before_capacity_capacity_before_bytes() {
        let all = [
            candidate(1, 1.0, 900.0, 10.0),
            candidate(0, 1.3, 800.0, 10.0),
            candidate(0, 1.0, 300.0, 10.0),
            candidate(0, 1.04, 500.0, 30.0),
            candidate(0, 1.0, 490.0, 29.0),
            candidate(0, 1.0, 490.0, 20.0),
        ];
        assert_eq!(ranked(&all), [5, 3, 4, 2, 1, 0]);
        assert_eq!(front(&all), [true, true, true, true, false, true]);
        assert_eq!(all[5].better_in(&all[3]), Some(Respect::Bytes));
        assert_eq!(all[3].better_in(&all[2]), Some(Respect::Capacity));
        assert_eq!(all[2].better_in(&all[1]), Some(Respect::Reads));
        assert_eq!(all[1].better_in(&all[0]), Some(Respect::Limits));
        assert_eq!(all[0].better_in(&all[1]), None);
        assert_eq!(all[3].better_in(&all[4]), None);
    }

    #[test]
    fn what_is_unknown_of_all_decides_nothing_and_of_one_is_the_worst() {
        let mut all = [candidate(0, 1.0, 7.0, 9.0); 3];
        all.iter_mut().for_each(|one| one.reads = None);
        all[0].capacity = None;
        assert_eq!(ranked(&all), [1, 2, 0]);
        assert_eq!(front(&all), [false, true, true]);
    }

    fn any_candidate() -> impl Strategy<Value = Candidate> {
        (0usize..2, 1u8..4, 1u8..4, proptest::option::of(1u8..4)).prop_map(
            |(broken, reads, capacity, bytes)| Candidate {
                bytes: bytes.map(f64::from),
                ..candidate(broken, f64::from(reads), f64::from(capacity), 0.0)
            },
        )
    }

    proptest! {
        #[test]
        fn the_front_is_what_remains_when_all_that_is_beaten_is_struck_out(all in proptest::collection::vec(any_candidate(), 1..9)) {
            let found = front(&all);
            for (at, own) in all.iter().enumerate() {
                let key = |it: &Candidate| (it.broken as f64, it.reads.unwrap(), -it.capacity.unwrap(), it.bytes.unwrap_or(99.0));
                let own = key(own);
                let beaten = all.iter().map(key).any(|other| {
                    other != own && other.0 <= own.0 && other.1 <= own.1 && other.2 <= own.2 && other.3 <= own.3
                });
                prop_assert_eq!(found[at], !beaten);
            }
            // Costs are whole numbers here: nothing is as good that is not equal, and the best is on the front.
            let order = ranked(&all);
            prop_assert!(found[order[0]]);
            let mut places = order.clone();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..all.len()));
        }
    }
}
