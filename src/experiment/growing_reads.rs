//! Reads that grow with retention under one key and not under another, and what they weigh. Must not lay anything out.

use crate::layout::ReadGrowth;
use crate::workload::Workload;

/// What the reads of one strategy come to ask for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct GrowingReads {
    /// Numbers of the reads of which servers read more and more that nobody wants, though under another key they do not.
    pub(super) reads: Vec<usize>,
    /// What all reads ask for when rows are kept ten times as long, over the least of any strategy. Those with a rate count by their handler time a second, together by their number; each of
    /// the others, of which no rate is known, by its handler time over the least.
    pub(super) later_cost: f64,
    /// The part of it that is growth of what nobody wants.
    pub(super) growth: f64,
}

impl GrowingReads {
    /// Of strategies over one workload: how their reads grow, and whether the rows that they keep are all that any of them keeps.
    pub(super) fn of(
        growths: &[Vec<ReadGrowth>],
        keeps_all: impl Fn(usize) -> bool,
        workload: &Workload,
    ) -> Vec<Self> {
        let is_avoidable = |read: usize| {
            let others = growths.iter().enumerate().filter(|(at, _)| keeps_all(*at));
            let mut others = others.map(|(_, of)| of[read]);
            others.any(|it| !it.grows_needlessly())
        };
        let rates = workload.reads_per_sec();
        let weights = read_weights(&rates, growths.len(), |read, strategy| {
            growths[strategy][read].later_seconds
        });
        let sum = |growth: &[ReadGrowth], of: fn(&ReadGrowth) -> f64| -> f64 {
            let parts = weights
                .iter()
                .map(|(read, weight)| weight * of(&growth[*read]));
            parts.sum()
        };
        let all = growths.iter().map(|it| sum(it, |it| it.later_seconds));
        let least = all.clone().fold(f64::INFINITY, f64::min);
        let of_strategy = |(growth, later): (&Vec<ReadGrowth>, f64)| {
            let growing = growth.iter().enumerate();
            let growing = growing.filter(|(_, it)| it.grows_needlessly());
            let reads = growing.map(|(at, _)| at);
            let more = sum(growth, |it| {
                if it.grows_needlessly() {
                    it.more_seconds
                } else {
                    0.0
                }
            });
            Self {
                reads: reads.filter(|at| is_avoidable(*at)).collect(),
                later_cost: later / least,
                growth: more / later,
            }
        };
        growths.iter().zip(all.clone()).map(of_strategy).collect()
    }
}

/// What a unit of each read's cost weighs, with the read's number: those with a rate together as much as they are, by how often they come, and each other one as much; relative to the least that
/// a strategy has of so many. Reads that no strategy has a finite cost of are left out.
pub(super) fn read_weights(
    rates: &[Option<f64>],
    strategies: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, f64)> {
    let least = |of: &dyn Fn(usize) -> f64| (0..strategies).map(of).fold(f64::INFINITY, f64::min);
    let of_read = |read: usize| least(&|strategy| cost(read, strategy));
    let known = (0..rates.len()).filter(|read| of_read(*read).is_finite());
    let known: Vec<usize> = known.collect();
    let rated = || known.iter().filter_map(|&read| Some((read, rates[read]?)));
    let all_rated = |strategy| {
        rated()
            .map(|(read, rate)| rate * cost(read, strategy))
            .sum()
    };
    let (least_rated, number) = (least(&all_rated), rated().count() as f64);
    let weight = |read: usize| match rates[read] {
        Some(rate) => number * rate / least_rated,
        None => 1.0 / of_read(read),
    };
    known.iter().map(|&read| (read, weight(read))).collect()
}
