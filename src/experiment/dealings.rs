//! What chance makes of the places of regions: the peak over many dealings of the same regions. Must not deal.

use super::runs::Runs;
use crate::metrics::{MetricId, Side};
use crate::text::times;
use std::fmt;

/// Dealings differ when the worse ones are this much above the better ones (estimate: what is worth a word).
const DIFFER: f64 = 1.25;

/// The peak-to-mean over dealings of the same regions to the servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dealings {
    pub(super) mean: f64,
    /// 5 % of the dealings are better.
    pub(super) low: f64,
    /// 5 % are worse.
    pub(super) high: f64,
    /// Of the best that was found.
    pub(super) best: f64,
}

impl Dealings {
    /// Those of the writes or of the reads; `None` when they are unknown.
    pub(super) fn of(runs: &Runs, side: Side) -> Option<Self> {
        let mean = |id: MetricId| runs.mean(id.of(side));
        Some(Self {
            mean: mean(MetricId::PlacementPeakMean)?,
            low: mean(MetricId::PlacementPeakLow)?,
            high: mean(MetricId::PlacementPeakHigh)?,
            best: mean(MetricId::PlacementPeakBest)?,
        })
    }

    /// Whether it matters how regions happen to lie.
    pub(super) fn differ(&self) -> bool {
        self.high >= DIFFER * self.low
    }
}

impl fmt::Display for Dealings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} [{}, {}]",
            times(self.mean),
            times(self.low),
            times(self.high)
        )
    }
}

/// The peak-to-mean of `count` equal loads on `servers` servers, as evenly as they go: n x ceil(k / n) / k. `None` without any.
pub(super) fn most_even(count: usize, servers: usize) -> Option<f64> {
    (count > 0 && servers > 0)
        .then(|| servers as f64 * count.div_ceil(servers) as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_loads_are_as_even_as_their_number_lets_them() {
        let of_8 = [1, 4, 8, 12, 16, 20].map(|count| most_even(count, 8).unwrap());
        assert_eq!(of_8, [8.0, 2.0, 1.0, 8.0 * 2.0 / 12.0, 1.0, 1.2]);
        assert_eq!((most_even(0, 8), most_even(8, 0)), (None, None));
    }

    #[test]
    fn a_range_of_dealings_is_told_as_an_interval() {
        let dealings = Dealings {
            mean: 2.08,
            low: 1.5,
            high: 3.0,
            best: 1.0,
        };
        assert_eq!(dealings.to_string(), "2.1× [1.50×, 3.0×]");
        assert!(dealings.differ());
        let alike = Dealings {
            low: 1.2,
            high: 1.4,
            ..dealings
        };
        assert!(!alike.differ());
    }
}
