//! Candidates in order of preference: which of them is shown to be better than which, those that are tied, and those that nothing beats in every
//! respect. Must not know what a strategy is.

use super::Measure;
use crate::statistics::paired_ratio;
use crate::text::words;

/// A candidate whose cost is at most so many times the best one's counts as good: replicates of a few seconds tell no finer.
pub(super) const AS_GOOD: f64 = 1.05;

/// A change by less than this factor is none that anybody would act on, however certain (estimate). Of tied candidates one that costs so many times
/// less in one criterion, and as much more in none, comes first.
pub(super) const NOTICED: f64 = 1.02;

/// Reads that have grown decide where they cost so many times as much, half of it or more by growth (estimate: forecasts of tables that nobody has yet).
const GROWN: f64 = 2.0;
const MOST_GROWN: f64 = 0.5;

/// Whether a ratio is a change of at least [`NOTICED`], up or down.
pub(super) fn is_noticed(ratio: f64) -> bool {
    ratio >= NOTICED || ratio * NOTICED <= 1.0
}

words! {
    /// What candidates are judged by, in order of weight.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Criterion: "criterion" {
        Rows = "rows",
        Limits = "limits",
        Growth = "growth",
        Reads = "reads",
        Copies = "copies",
        Capacity = "capacity",
        Bytes = "bytes",
    }
}

fn is_cost(value: &f64) -> bool {
    *value > 0.0 && value.is_finite()
}

/// A cost; less is better.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Cost {
    /// The same in every run.
    Known(f64),
    /// Of each replicate, all positive.
    Measured(Vec<f64>),
    /// It can't be told: the worst.
    #[default]
    Unknown,
}

impl Cost {
    /// Of what each replicate has: unknown unless it is known in all of them, and positive.
    pub(super) fn of(values: impl Iterator<Item = Option<f64>>) -> Self {
        let values: Option<Vec<f64>> = values.map(|value| value.filter(is_cost)).collect();
        let values = values.filter(|values| !values.is_empty());
        values.map_or(Self::Unknown, Self::Measured)
    }

    /// Of what is known, or unknown where that is no positive number.
    pub(super) fn known(value: Option<f64>) -> Self {
        value.filter(is_cost).map_or(Self::Unknown, Self::Known)
    }

    /// The geometric mean over the replicates; infinite where it is unknown.
    pub(super) fn mean(&self) -> f64 {
        match self {
            Self::Known(value) => *value,
            Self::Measured(values) => {
                let logs: f64 = values.iter().map(|value| libm::log(*value)).sum();
                libm::exp(logs / values.len() as f64)
            }
            Self::Unknown => f64::INFINITY,
        }
    }

    /// This cost over another; `None` where either is unknown. Without an interval where one replicate can't tell.
    pub(super) fn over(&self, other: &Self) -> Option<Measure> {
        let known = |ratio: f64| Measure {
            mean: Some(ratio),
            low: Some(ratio),
            high: Some(ratio),
            n: 1,
            ..Measure::UNDEFINED
        };
        let (own, others) = match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => return None,
            (Self::Known(own), Self::Known(other)) => return Some(known(own / other)),
            (Self::Known(own), Self::Measured(others)) => (&vec![*own; others.len()], others),
            (Self::Measured(own), Self::Known(other)) => (own, &vec![*other; own.len()]),
            (Self::Measured(own), Self::Measured(others)) => (own, others),
        };
        let pairs = own.iter().copied().zip(others.iter().copied());
        paired_ratio(pairs).map(Measure::from)
    }
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Candidate {
    /// 1 where another keeps more rows.
    pub(super) rows: Cost,
    /// How many limits it breaks on average, and how many of them for certain.
    pub(super) limits: Cost,
    pub(super) surely_broken: Cost,
    /// What its reads come to cost when rows are kept ten times as long.
    pub(super) later_reads: Cost,
    /// The part of that which has grown and which nobody wants.
    pub(super) growth: f64,
    /// What its reads cost.
    pub(super) reads: Cost,
    /// How many copies of each row lie under its random salts; readers want one of them.
    pub(super) copies: Cost,
    /// What it can take, as a cost: its reciprocal.
    pub(super) capacity: Cost,
    /// What a write stores.
    pub(super) bytes: Cost,
    /// Bytes of its tables as they are encoded and compressed. No criterion: what decoding costs servers is not measured.
    pub(super) on_disk: Cost,
}

impl Candidate {
    pub(super) fn cost(&self, criterion: Criterion) -> &Cost {
        match criterion {
            Criterion::Rows => &self.rows,
            Criterion::Limits => &self.limits,
            Criterion::Growth => &self.later_reads,
            Criterion::Reads => &self.reads,
            Criterion::Copies => &self.copies,
            Criterion::Capacity => &self.capacity,
            Criterion::Bytes => &self.bytes,
        }
    }

    /// Whether this one costs less by more than `factor`, and the replicates show it.
    fn is_less(&self, other: &Self, criterion: Criterion, factor: f64) -> bool {
        let (own, other_cost) = match criterion {
            Criterion::Limits => (&self.limits, &other.surely_broken),
            _ => (self.cost(criterion), other.cost(criterion)),
        };
        let (is_cause, factor) = match criterion {
            // What is dear from the beginning on is judged as it is measured.
            Criterion::Growth => (other.growth >= MOST_GROWN, factor.max(GROWN)),
            _ => (true, factor),
        };
        let is_shown = |ratio: Measure| ratio.high.is_some_and(|high| high < 1.0);
        is_cause
            && own.over(other_cost).is_none_or(is_shown)
            && other_cost.mean() > factor * own.mean()
    }

    /// The first criterion in which the two differ by more than [`AS_GOOD`], if this one is the better in it. What the replicates measure of more weight, and do
    /// not show, leaves it open where it speaks against it by a greater factor.
    pub(super) fn beats(&self, other: &Self) -> Option<Criterion> {
        let differ =
            |it: &Criterion| self.is_less(other, *it, AS_GOOD) || other.is_less(self, *it, AS_GOOD);
        let differing = Criterion::ALL.iter().copied().find(differ)?;
        let times = |it: Criterion| self.cost(it).mean() / other.cost(it).mean();
        let before = Criterion::ALL.iter().take_while(|it| **it != differing);
        let mut measured = before.filter(|it| matches!(self.cost(**it), Cost::Measured(_)));
        let is_open = measured.any(|it| times(*it) > AS_GOOD.max(1.0 / times(differing)));
        (self.is_less(other, differing, AS_GOOD) && !is_open).then_some(differing)
    }

    /// At least as good in every criterion, and better in one: by means, whether shown or not.
    fn dominates(&self, other: &Self) -> bool {
        let mean = |of: &Self, it: &Criterion| of.cost(*it).mean();
        let (mut all, mut any) = (Criterion::ALL.iter(), Criterion::ALL.iter());
        all.all(|it| mean(self, it) <= mean(other, it))
            && any.any(|it| mean(self, it) < mean(other, it))
    }

    /// As good by means in every criterion, and by more than [`NOTICED`] shown to be worse in none and better in one.
    fn surpasses(&self, other: &Self) -> bool {
        let is_as_good = |it: &Criterion| {
            self.cost(*it).mean() <= AS_GOOD * other.cost(*it).mean()
                && !other.is_less(self, *it, NOTICED)
        };
        Criterion::ALL.iter().all(is_as_good)
            && Criterion::ALL
                .iter()
                .any(|it| self.is_less(other, *it, NOTICED))
    }
}

/// Candidates in order of preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ranking {
    /// Positions from the best on.
    pub(super) order: Vec<usize>,
    /// So many of the first are tied: nothing is shown to be better than they are.
    pub(super) tied: usize,
}

impl Ranking {
    /// First those that nothing beats, then the others. Of tied ones those that none of them surpasses come first, of these
    /// those that none dominates. O(n^3).
    pub(super) fn of(candidates: &[Candidate]) -> Self {
        let by_means = by_means(candidates);
        let all = 0..candidates.len();
        let closures: Vec<Vec<usize>> = all.map(|at| betters(candidates, at)).collect();
        let fewest = closures.iter().map(Vec::len).min().unwrap_or(0);
        let mut smallest = by_means.iter().filter(|at| closures[**at].len() == fewest);
        // Of noisy measurements a may beat b, b beat c and c beat a, so that nothing is beaten by none: these are tied.
        let cycle: &[usize] = match fewest {
            0 | 1 => &[],
            _ => smallest.next().map_or(&[], |&at| &closures[at]),
        };
        let is_tied = |at: &usize| closures[*at].len() == 1 || cycle.contains(at);
        let (mut tied, others): (Vec<usize>, Vec<usize>) = by_means.into_iter().partition(is_tied);
        let rivals = tied.clone();
        let is = |better: fn(&Candidate, &Candidate) -> bool, at: usize| {
            let mut rivals = rivals.iter();
            rivals.any(|&rival| better(&candidates[rival], &candidates[at]))
        };
        // Else in the order in which they were given.
        tied.sort_by_cached_key(|&at| {
            (
                is(Candidate::surpasses, at),
                is(Candidate::dominates, at),
                at,
            )
        });
        Self {
            tied: tied.len(),
            order: tied.into_iter().chain(others).collect(),
        }
    }
}

/// A candidate with all that beat it, that beat one of these, and so on.
fn betters(candidates: &[Candidate], at: usize) -> Vec<usize> {
    let mut found = vec![at];
    let mut next = 0;
    while let Some(&beaten) = found.get(next) {
        for (other, candidate) in candidates.iter().enumerate() {
            if !found.contains(&other) && candidate.beats(&candidates[beaten]).is_some() {
                found.push(other);
            }
        }
        next += 1;
    }
    found
}

/// Positions from the best on, by means: in each criterion in turn, only those as good as the best are kept; of equals the first. O(n^2).
pub(super) fn by_means(candidates: &[Candidate]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let mut pool = left.clone();
        for criterion in Criterion::ALL {
            let cost = |at: usize| candidates[at].cost(criterion).mean();
            let costs = pool.iter().map(|&at| cost(at));
            let best = costs.fold(f64::INFINITY, f64::min);
            let first = pool.iter().copied().find(|&at| cost(at) <= best);
            let is_worse = |at: usize| match (criterion, first) {
                (Criterion::Growth, Some(first)) => {
                    candidates[first].is_less(&candidates[at], criterion, AS_GOOD)
                }
                _ => cost(at) > AS_GOOD * best,
            };
            pool.retain(|&at| !is_worse(at));
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
            rows: Cost::Known(0.0),
            limits: Cost::Known(broken as f64),
            surely_broken: Cost::Known(broken as f64),
            later_reads: Cost::Known(1.0),
            growth: 0.0,
            reads: Cost::Known(reads),
            copies: Cost::Known(1.0),
            capacity: Cost::Known(1.0 / capacity),
            bytes: Cost::Known(bytes),
            on_disk: Cost::Unknown,
        }
    }

    #[test]
    fn limits_come_before_growth_growth_before_reads_reads_before_capacity_capacity_before_bytes() {
        let all = [
            candidate(1, 1.0, 900.0, 10.0),
            candidate(0, 1.3, 800.0, 10.0),
            candidate(0, 1.0, 300.0, 10.0),
            candidate(0, 1.04, 500.0, 30.0),
            candidate(0, 1.0, 490.0, 29.0),
            candidate(0, 1.0, 490.0, 20.0),
            Candidate {
                later_reads: Cost::Known(9.0),
                growth: 0.9,
                ..candidate(0, 0.1, 900.0, 1.0)
            },
        ];
        assert_eq!(by_means(&all), [5, 3, 4, 2, 1, 6, 0]);
        let ranking = Ranking::of(&all);
        assert_eq!((ranking.order[0], ranking.tied), (5, 1));
        assert_eq!(front(&all[..6]), [true, true, true, true, false, true]);
        assert_eq!(all[5].beats(&all[3]), Some(Criterion::Bytes));
        assert_eq!(all[3].beats(&all[2]), Some(Criterion::Capacity));
        assert_eq!(all[2].beats(&all[1]), Some(Criterion::Reads));
        assert_eq!(all[1].beats(&all[6]), Some(Criterion::Growth));
        assert_eq!(all[1].beats(&all[0]), Some(Criterion::Limits));
        assert_eq!(all[0].beats(&all[1]), None);
        assert_eq!(all[3].beats(&all[4]), None);
    }

    #[test]
    fn what_is_unknown_of_all_decides_nothing_and_of_one_is_the_worst() {
        let mut all = vec![candidate(0, 1.0, 7.0, 9.0); 3];
        all.iter_mut().for_each(|one| one.reads = Cost::Unknown);
        all[0].capacity = Cost::Unknown;
        assert_eq!(by_means(&all), [1, 2, 0]);
        assert_eq!(front(&all), [false, true, true]);
        let ranking = Ranking::of(&all);
        assert_eq!((ranking.order, ranking.tied), (vec![1, 2, 0], 2));
        assert_eq!(all[1].beats(&all[0]), Some(Criterion::Capacity));
        // Undefined in one replicate, or zero, is not known.
        for values in [vec![Some(1.0), None], vec![Some(0.0)], vec![]] {
            assert_eq!(Cost::of(values.into_iter()), Cost::Unknown);
        }
    }

    #[test]
    fn what_is_open_and_of_more_weight_is_outweighed_by_a_greater_difference_alone() {
        // Reads are 1.5 times as dear on average, 1.0 and 2.25 times in two replicates.
        let with = |reads: [f64; 2], bytes| Candidate {
            reads: Cost::Measured(reads.to_vec()),
            ..candidate(0, 1.0, 1.0, bytes)
        };
        let cheap = with([2.0, 2.0], 10.0);
        let dear = |bytes| with([2.0, 4.5], bytes);
        for (bytes, beats) in [(9.0, None), (6.0, Some(Criterion::Bytes))] {
            assert_eq!(dear(bytes).beats(&cheap), beats);
            assert_eq!(cheap.beats(&dear(bytes)), None);
        }
        assert_eq!(cheap.beats(&dear(11.0)), Some(Criterion::Bytes));
    }

    #[test]
    fn a_difference_that_the_replicates_do_not_show_ties() {
        let with = |capacity: [f64; 3]| Candidate {
            capacity: Cost::of(capacity.into_iter().map(|it| Some(1.0 / it))),
            ..candidate(0, 1.0, 1.0, 9.0)
        };
        let (noisy, steady, more) = (
            with([50.0, 200.0, 90.0]),
            with([80.0, 81.0, 80.0]),
            with([100.0, 99.0, 101.0]),
        );
        // 100 over 80 is shown by three pairs; against one whose pairs are 2, 0.5 and 1.1 nothing is.
        assert_eq!(more.beats(&steady), Some(Criterion::Capacity));
        assert_eq!((more.beats(&noisy), noisy.beats(&more)), (None, None));
        let ranking = Ranking::of(&[steady.clone(), noisy.clone(), more.clone()]);
        assert_eq!((ranking.tied, ranking.order[2]), (2, 0), "{ranking:?}");
        // In a circle nobody is the best: a over b in reads, b over c in what it takes, c over a in bytes, where nothing else is shown.
        let [noise, one] = [vec![1.0, 9.0], vec![3.0, 3.0]];
        let circle = |reads: &[f64], capacity: &[f64], bytes: f64| Candidate {
            reads: Cost::of(reads.iter().copied().map(Some)),
            copies: Cost::Known(1.0),
            capacity: Cost::of(capacity.iter().copied().map(Some)),
            bytes: Cost::Known(bytes),
            rows: Cost::Known(0.0),
            limits: Cost::Known(0.0),
            surely_broken: Cost::Known(0.0),
            later_reads: Cost::Known(1.0),
            growth: 0.0,
            on_disk: Cost::Unknown,
        };
        let (a, b, c) = (
            circle(&one, &noise, 3.0),
            circle(&[5.0, 5.0], &one, 2.0),
            circle(&noise, &[5.0, 5.0], 1.0),
        );
        assert_eq!(a.beats(&b), Some(Criterion::Reads));
        assert_eq!(b.beats(&c), Some(Criterion::Capacity));
        assert_eq!(c.beats(&a), Some(Criterion::Bytes));
        let worst = circle(&[9.0, 9.0], &[9.0, 9.0], 9.0);
        assert_eq!(Ranking::of(&[worst, a, b, c]).tied, 3);
        // What is not shown in one criterion leaves it to the next.
        let short = Candidate {
            bytes: Cost::Known(5.0),
            ..noisy
        };
        assert_eq!(short.beats(&more), Some(Criterion::Bytes));
        assert_eq!(Ranking::of(&[more, short]).order, [1, 0]);
        // A tied one that stores 3 % less comes first, whoever happened to take 1 % more in unsteady runs.
        let [large, small] =
            [(139.0, [99.0, 101.5]), (135.0, [101.0, 98.5])].map(|(bytes, capacity)| Candidate {
                capacity: Cost::of(capacity.into_iter().map(|it| Some(1.0 / it))),
                ..candidate(0, 2.5, 1.0, bytes)
            });
        assert!(!small.dominates(&large));
        let ranking = Ranking::of(&[large, small]);
        assert_eq!((ranking.order, ranking.tied), (vec![1, 0], 2));
        // It doesn't where it took a third less, which two runs don't show.
        let [large, small] =
            [(139.0, [90.0, 150.0]), (135.0, [80.0, 80.0])].map(|(bytes, capacity)| Candidate {
                capacity: Cost::of(capacity.into_iter().map(|it| Some(1.0 / it))),
                ..candidate(0, 2.5, 1.0, bytes)
            });
        let ranking = Ranking::of(&[large, small]);
        assert_eq!((ranking.order, ranking.tied), (vec![0, 1], 2));
        // A limit that the other one may keep as well decides nothing, one that it breaks for certain does.
        let open = Candidate {
            surely_broken: Cost::Known(0.0),
            ..candidate(1, 1.0, 1.0, 9.0)
        };
        let (kept, broken) = (candidate(0, 1.0, 1.0, 9.0), candidate(1, 1.0, 1.0, 9.0));
        assert_eq!(kept.beats(&broken), Some(Criterion::Limits));
        for (one, other) in [(&kept, &open), (&open, &kept), (&open, &broken)] {
            assert_eq!(one.beats(other), None);
        }
        assert_eq!(Ranking::of(&[open, kept]).order, [1, 0]);
        // One run alone shows nothing.
        let single = |it: f64| Candidate {
            capacity: Cost::of(std::iter::once(Some(1.0 / it))),
            ..candidate(0, 1.0, 1.0, 9.0)
        };
        assert_eq!(Ranking::of(&[single(2.0), single(1.0)]).tied, 2);
    }

    fn any_candidate() -> impl Strategy<Value = Candidate> {
        (
            0usize..2,
            0usize..2,
            1u8..4,
            1u8..4,
            proptest::option::of(1u8..4),
        )
            .prop_map(|(broken, growing, reads, capacity, bytes)| Candidate {
                later_reads: Cost::Known(f64::from(3_u32.pow(growing as u32))),
                growth: if growing > 0 { 0.9 } else { 0.0 },
                bytes: Cost::known(bytes.map(f64::from)),
                ..candidate(broken, f64::from(reads), f64::from(capacity), 1.0)
            })
    }

    proptest! {
        #[test]
        fn the_front_is_what_remains_when_all_that_is_beaten_is_struck_out(all in proptest::collection::vec(any_candidate(), 1..9)) {
            let found = front(&all);
            let key = |it: &Candidate| {
                let Cost::Known(capacity) = it.capacity else { panic!() };
                let Cost::Known(reads) = it.reads else { panic!() };
                let bytes = match it.bytes { Cost::Known(bytes) => bytes, _ => 99.0 };
                [it.limits.mean(), it.later_reads.mean(), reads, capacity, bytes]
            };
            for (at, own) in all.iter().enumerate() {
                let own = key(own);
                let beaten = all.iter().map(key).any(|other| {
                    other != own && other.iter().zip(own).all(|(other, own)| *other <= own)
                });
                prop_assert_eq!(found[at], !beaten);
            }
            // Costs are known whole numbers here: nothing is as good that is not equal, the best is on the front, and those that are tied
            // are equal.
            let Ranking { order, tied } = Ranking::of(&all);
            prop_assert!(found[order[0]]);
            prop_assert!(order[..tied].iter().all(|at| key(&all[*at]) == key(&all[order[0]])));
            prop_assert!(order[tied..].iter().all(|at| all[order[0]].beats(&all[*at]).is_some()));
            prop_assert!(order[..tied].iter().all(|at| all.iter().all(|other| other.beats(&all[*at]).is_none())));
            let mut places = order.clone();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..all.len()));
        }
    }
}
