//! Whether one thing rises with another over all of a long sequence, whatever chance does to neighbours. Must not know what is compared.

/// Values that are kept at least once there are so many; twice as many at most.
const KEPT: usize = 256;

/// Some of a sequence, evenly spread, and at no step that it may have itself: those whose multiple of the golden ratio (Weyl's sequence) begins with so many zero bits.
#[derive(Debug, Clone)]
pub struct EvenSample<T> {
    zeros: u32,
    seen: u64,
    kept: Vec<(u64, T)>,
}

impl<T> Default for EvenSample<T> {
    fn default() -> Self {
        Self {
            zeros: 0,
            seen: 0,
            kept: Vec::new(),
        }
    }
}

impl<T> EvenSample<T> {
    /// The next one, which is made if it is kept. O(1) amortised.
    pub fn see(&mut self, value: impl FnOnce() -> T) {
        if is_kept(self.seen, self.zeros) {
            self.kept.push((self.seen, value()));
        }
        self.seen += 1;
        while self.kept.len() >= 2 * KEPT {
            self.zeros += 1;
            let zeros = self.zeros;
            self.kept.retain(|(at, _)| is_kept(*at, zeros));
        }
    }

    /// Those that are kept, in their order.
    pub fn kept(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|it| &it.1)
    }
}

fn is_kept(at: u64, zeros: u32) -> bool {
    at.wrapping_mul(0x9E37_79B9_7F4A_7C15).leading_zeros() >= zeros
}

/// The correlation of the ranks of pairs (Spearman 1904): 1 where both rise together, -1 where one falls, 0 where either is always the same.
///
/// ```
/// use keyheat_core::statistics::rank_correlation;
///
/// assert_eq!(rank_correlation(&[(1, "a"), (2, "b"), (9, "c")]), 1.0);
/// assert_eq!(rank_correlation(&[(1, "b"), (2, "b"), (9, "b")]), 0.0);
/// ```
pub fn rank_correlation<A: Ord, B: Ord>(pairs: &[(A, B)]) -> f64 {
    let a = ranks(pairs.iter().map(|it| &it.0).collect());
    let b = ranks(pairs.iter().map(|it| &it.1).collect());
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let variances = product(&a, &a) * product(&b, &b);
    match variances > 0.0 {
        true => product(&a, &b) / variances.sqrt(),
        false => 0.0,
    }
}

/// The place of each value in sorted order, from the middle of all; equal ones share the middle of theirs.
fn ranks<T: Ord>(values: Vec<&T>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].cmp(values[*b]));
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = below as f64 + (equal.len() - 1) as f64 / 2.0 - middle;
        equal.iter().for_each(|at| ranks[*at] = rank);
        below += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(vec![&30, &10, &20, &10]), [1.5, -1.0, 0.5, -1.0]);
    }

    #[test]
    fn samples_lie_evenly() {
        let mut sample = EvenSample::default();
        (0..10_000).for_each(|at| sample.see(|| at));
        let kept: Vec<i32> = sample.kept().copied().collect();
        assert!((KEPT..2 * KEPT).contains(&kept.len()), "{}", kept.len());
        // 10,000 / 313 are 32; the gaps of such a sequence have three lengths, of which the greatest is the sum of the others.
        let gaps = kept.windows(2).map(|pair| pair[1] - pair[0]);
        let gaps: std::collections::BTreeSet<i32> = gaps.collect();
        assert!(
            gaps.len() <= 3 && gaps.iter().all(|gap| *gap < 100),
            "{gaps:?}"
        );
        // Every fourth is met as often as others.
        let fourth = kept.iter().filter(|at| **at % 4 == 0).count();
        assert!(fourth * 3 < kept.len(), "{fourth}");
    }
}
