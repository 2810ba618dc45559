//! The two levels of a hot set that explain how often values came. Must not know which values they are.

use super::frequencies::Tally;
use super::rank_law::root;

/// Values that come equally often but for chance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Of those that were seen, how often all of them came, and how many there are: parts of values that may be of either level.
    pub(super) rows: f64,
    pub(super) distinct: f64,
    /// How often each is expected.
    pub(super) mean: f64,
}

/// Times that the levels are fitted again: those that are told apart stay after a few.
const ROUNDS: usize = 100;

/// What one more round may add to the likelihood where it is enough.
const ENOUGH: f64 = 1e-6;

impl Level {
    /// By the likelihood of counts that are not zero: the mean of them is `m / (1 - exp(-m))`.
    fn of([rows, distinct]: [f64; 2]) -> Self {
        let seen = rows / distinct;
        let short = |mean: f64| mean / -libm::expm1(-mean) - seen;
        Self {
            rows,
            distinct,
            mean: root((1e-9, seen), short),
        }
    }

    /// Those included that were not seen.
    pub(super) fn values(&self) -> f64 {
        self.rows / self.mean
    }

    /// Of how many values it expects so many rows, but for what is the same of all levels.
    fn log_likelihood(&self, times: f64) -> f64 {
        libm::log(self.values()) + times * libm::log(self.mean) - self.mean
    }
}

/// The likeliest two levels, the hot one first: from several bounds between them by expectation and maximisation (Dempster, Laird and Rubin 1977). `None` where
/// there is but one. O(tallies x 100 x log of the greatest count).
pub(super) fn levels(tallies: &[Tally]) -> Option<[Level; 2]> {
    let counted = tallies.iter();
    let counted = counted.map(|it| (it.times as f64, it.values as f64 * it.weight));
    let counted: Vec<(f64, f64)> = counted.collect();
    let greatest = counted.first()?.0;
    let bounds = std::iter::successors(Some(0.75 * greatest), |bound| Some(bound / 2.0));
    let bounds = bounds.take_while(|bound| *bound >= 1.0);
    let found = bounds.filter_map(|bound| {
        // How much of a count is hot.
        let mut parts: Vec<f64> = counted.iter().map(|it| f64::from(it.0 > bound)).collect();
        let mut last = f64::NEG_INFINITY;
        let mut levels = None;
        for _ in 0..ROUNDS {
            let mut sums = [[0.0; 2]; 2];
            for ((times, values), part) in counted.iter().zip(&parts) {
                for (sum, part) in sums.iter_mut().zip([*part, 1.0 - part]) {
                    sum[0] += part * values * times;
                    sum[1] += part * values;
                }
            }
            if sums.iter().any(|[_, distinct]| *distinct < 1.0) {
                return None;
            }
            let [hot, cold] = sums.map(Level::of);
            levels = Some([hot, cold]);
            let mut likelihood = 0.0;
            for ((times, values), part) in counted.iter().zip(&mut parts) {
                let logs = [hot.log_likelihood(*times), cold.log_likelihood(*times)];
                *part = 1.0 / (1.0 + libm::exp(logs[1] - logs[0]));
                let most = logs[0].max(logs[1]);
                let both = libm::exp(logs[0] - most) + libm::exp(logs[1] - most);
                likelihood += values * (most + libm::log(both));
            }
            if likelihood - last < ENOUGH {
                break;
            }
            last = likelihood;
        }
        Some((last, levels?))
    });
    let best = found.max_by(|a, b| a.0.total_cmp(&b.0))?.1;
    (best[0].mean > best[1].mean).then_some(best)
}
