//! Whether numbers follow the law that `rand_distr` draws from. Must not know what they are used for.

use super::{DrawKey, Draws, Seed, Stream, stream};
use rand::rngs::Xoshiro256PlusPlus;

/// Numbers that are drawn of each.
const NUMBERS: u64 = 100_000;

/// Kolmogorov and Smirnov: two samples of n numbers of one law are farther apart than sqrt(-ln(p / 2) / n) with the probability p; here
/// one in ten thousand. Of laws of whole numbers with a lower one.
const FARTHEST: f64 = 0.00995;

/// Fails when two ways to draw numbers are not of one law.
#[track_caller]
pub fn assert_same_law(
    mut ours: impl FnMut(&mut Draws) -> f64,
    mut theirs: impl FnMut(&mut Xoshiro256PlusPlus) -> f64,
) {
    let key = DrawKey::new(Seed(1), 0, Stream::Sample, 0);
    let mut generator = stream(Seed(2), 0, Stream::Sample, 0);
    let mut one: Vec<f64> = (0..NUMBERS).map(|at| ours(&mut key.at(at))).collect();
    let mut other: Vec<f64> = (0..NUMBERS).map(|_| theirs(&mut generator)).collect();
    one.sort_by(f64::total_cmp);
    other.sort_by(f64::total_cmp);
    let below = |sorted: &[f64], x: f64| sorted.partition_point(|y| *y <= x) as f64;
    let apart = one
        .iter()
        .chain(&other)
        .map(|x| (below(&one, *x) - below(&other, *x)).abs() / NUMBERS as f64);
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < FARTHEST, "the laws are {apart} apart");
}

#[cfg(test)]
mod tests {
    use super::assert_same_law;
    use rand_distr::{Distribution, Exp1, StandardNormal};

    #[test]
    fn exponential_numbers_are_those_of_rand_distr() {
        assert_same_law(|draws| draws.exponential(), |other| Exp1.sample(other));
    }

    #[test]
    #[should_panic(expected = "apart")]
    fn another_law_is_found_out() {
        let normal = |other: &mut _| {
            let z: f64 = StandardNormal.sample(other);
            z.abs() * 1.25
        };
        assert_same_law(|draws| draws.exponential(), normal);
    }
}
