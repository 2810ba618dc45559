//! A random order of `0..n` that needs no list of it. Must not know what is ordered.

use super::{DrawKey, Draws, mix};

/// Up to this length an order is dealt as a list: a Feistel network over so few values reaches only some of the
/// orders, and the list is small and faster.
const DEALT_MAX: u64 = 4096;

/// Rounds of the network; four make a pseudo-random permutation (Luby and Rackoff 1988), two more are for safety, as the
/// halves are short.
const ROUNDS: usize = 6;

/// A seeded bijection of `0..n`, `n` in `1..2^63`.
///
/// Short orders are shuffled lists (Fisher-Yates). Long ones are Feistel networks over an `a x b` rectangle of at least `n`
/// places (Black and Rogaway 2002, "generalized Feistel cipher"), walking on while a value falls outside `0..n`:
/// the rectangle is at most one row larger than `n`, so that walking is rare. O(1) time; O(1) memory for long orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    n: u64,
    form: Form,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Dealt(Box<[u16]>),
    Network { a: u64, b: u64, keys: [u64; ROUNDS] },
}

impl Permutation {
    /// The order of `0..n` that belongs to `key`. O(n) up to n = 4,096, else O(1).
    pub fn new(n: u64, key: DrawKey) -> Self {
        debug_assert!((1..1 << 63).contains(&n));
        let mut draws = key.at(n);
        let form = match n <= DEALT_MAX {
            true => Form::Dealt(shuffled((0..n as u16).collect(), &mut draws)),
            false => network(n, &mut draws),
        };
        Self { n, form }
    }

    /// Number of values.
    pub fn size(&self) -> u64 {
        self.n
    }

    /// The value at position `i` < n.
    pub fn at(&self, i: u64) -> u64 {
        debug_assert!(i < self.n);
        match &self.form {
            Form::Dealt(values) => u64::from(values[i as usize]),
            Form::Network { a, b, keys } => {
                let mut x = i;
                loop {
                    x = forward(x, *a, *b, keys);
                    if x < self.n {
                        return x;
                    }
                }
            }
        }
    }

    /// The position of `value` < n: the inverse of [`Permutation::at`].
    pub fn position(&self, value: u64) -> u64 {
        debug_assert!(value < self.n);
        match &self.form {
            Form::Dealt(values) => values
                .iter()
                .position(|v| u64::from(*v) == value)
                .expect("every value below n is dealt once")
                as u64,
            Form::Network { a, b, keys } => {
                let mut x = value;
                loop {
                    x = backward(x, *a, *b, keys);
                    if x < self.n {
                        return x;
                    }
                }
            }
        }
    }
}

/// These in a random order, each equally likely (Fisher and Yates). O(n).
pub fn shuffled<T>(mut values: Box<[T]>, draws: &mut Draws) -> Box<[T]> {
    for last in (1..values.len()).rev() {
        values.swap(last, draws.below(last as u64 + 1) as usize);
    }
    values
}

fn network(n: u64, draws: &mut Draws) -> Form {
    let root = n.isqrt();
    let a = if root * root < n { root + 1 } else { root };
    let b = n.div_ceil(a);
    Form::Network {
        a,
        b,
        keys: std::array::from_fn(|_| draws.bits()),
    }
}

/// A pseudo-random number in 0..m from one half and the round's key.
fn round(half: u64, key: u64, m: u64) -> u64 {
    ((u128::from(mix(half ^ key)) * u128::from(m)) >> 64) as u64
}

fn forward(x: u64, a: u64, b: u64, keys: &[u64; ROUNDS]) -> u64 {
    let (mut left, mut right) = (x % a, x / a);
    for pair in keys.chunks_exact(2) {
        left += round(right, pair[0], a);
        left -= if left >= a { a } else { 0 };
        right += round(left, pair[1], b);
        right -= if right >= b { b } else { 0 };
    }
    right * a + left
}

fn backward(x: u64, a: u64, b: u64, keys: &[u64; ROUNDS]) -> u64 {
    let (mut left, mut right) = (x % a, x / a);
    for pair in keys.chunks_exact(2).rev() {
        right += b - round(left, pair[1], b);
        right -= if right >= b { b } else { 0 };
        left += a - round(right, pair[0], a);
        left -= if left >= a { a } else { 0 };
    }
    right * a + left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Seed, Stream};
    use proptest::prelude::*;

    fn key(seed: u64) -> DrawKey {
        DrawKey::new(Seed(seed), 0, Stream::Shuffle, 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_value_stands_at_exactly_one_position(n in 1u64..20_000, seed: u64) {
            let order = Permutation::new(n, key(seed));
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let value = order.at(i);
                prop_assert!(!std::mem::replace(&mut seen[value as usize], true));
                prop_assert_eq!(order.position(value), i);
            }
        }

        #[test]
        fn the_longest_orders_are_inverted_exactly(n in (1u64 << 40)..(1u64 << 63), seed: u64, at: u64) {
            let order = Permutation::new(n, key(seed));
            let value = order.at(at % n);
            prop_assert!(value < n);
            prop_assert_eq!(order.position(value), at % n);
        }
    }

    #[test]
    fn each_of_the_six_orders_of_three_values_comes_equally_often() {
        let mut counts = [0u32; 6];
        for seed in 0..6_000 {
            let order = Permutation::new(3, key(seed));
            counts[(order.at(0) * 2 + u64::from(order.at(1) > order.at(2))) as usize] += 1;
        }
        // Binomial with mean 1,000 and standard deviation sqrt(6000 * 1/6 * 5/6) = 29: five of them.
        assert!(
            counts.iter().all(|count| (855..=1145).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn a_network_moves_neighbours_far_apart() {
        let n = 1_000_003;
        let order = Permutation::new(n, key(11));
        let gaps: u64 = (0..20_000)
            .map(|i| order.at(i).abs_diff(order.at(i + 1)))
            .sum();
        // Two uniform values lie n/3 apart on average, standard deviation n * sqrt(1/18) = 0.236 n; 20,000 gaps: 0.0017 n.
        let mean = gaps as f64 / 20_000.0 / n as f64;
        assert!((mean - 1.0 / 3.0).abs() < 5.0 * 0.0024, "{mean}");
    }
}
