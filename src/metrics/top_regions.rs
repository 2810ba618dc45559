//! How much of the demand the hottest regions take, mean over intervals. Must not know servers or time.

/// Ratio of neighbouring numbers of regions, where they are far enough apart.
const STEP: f64 = 1.1;

/// The share of the k hottest regions of an interval, for k up to all of them, log-spaced.
#[derive(Debug, Clone)]
pub(super) struct TopRegions {
    /// Numbers of regions, ascending, ending in all of them, with the sum of their shares.
    tops: Vec<(u64, f64)>,
    intervals: u64,
    least: u64,
}

impl TopRegions {
    /// Of so many regions, over intervals with a demand of at least `least`.
    pub(super) fn new(regions: usize, least: u64) -> Self {
        let regions = regions as u64;
        let mut tops = Vec::new();
        let mut top = 1;
        while top < regions {
            tops.push((top, 0.0));
            top = (top + 1).max((top as f64 * STEP) as u64);
        }
        if regions > 0 {
            tops.push((regions, 0.0));
        }
        Self {
            tops,
            intervals: 0,
            least,
        }
    }

    /// Adds an interval of this total by its loads above zero with the number of regions that have each, greatest load first.
    /// O(loads + log regions).
    pub(super) fn add(&mut self, total: u64, loads: impl Iterator<Item = (u64, u64)>) {
        if total < self.least.max(1) {
            return;
        }
        self.intervals += 1;
        let mut tops = self.tops.iter_mut().peekable();
        let (mut counted, mut held) = (0, 0);
        for (load, regions) in loads {
            while let Some((top, sum)) = tops.next_if(|(top, _)| *top <= counted + regions) {
                *sum += (held + load * (*top - counted)) as f64 / total as f64;
            }
            counted += regions;
            held += load * regions;
        }
        // The others are idle.
        tops.for_each(|(_, sum)| *sum += 1.0);
    }

    /// Mean shares; empty when no interval had enough demand.
    pub(super) fn shares(&self) -> Vec<(u64, f64)> {
        if self.intervals == 0 {
            return Vec::new();
        }
        let mean = |&(top, sum): &(u64, f64)| (top, sum / self.intervals as f64);
        self.tops.iter().map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_means_over_intervals_of_the_hottest_of_each() {
        let mut tops = TopRegions::new(5, 10);
        // 7, 4, 4, 1 of 16; then 10 of 10, whichever region that is; then too few.
        tops.add(16, [(7, 1), (4, 2), (1, 1)].into_iter());
        tops.add(10, [(10, 1)].into_iter());
        tops.add(9, [(9, 1)].into_iter());
        let expected = [7.0, 11.0, 15.0, 16.0, 16.0].map(|held| (held / 16.0 + 1.0) / 2.0);
        let shares = tops.shares();
        assert_eq!(shares.len(), 5);
        for ((top, share), (index, expected)) in
            shares.into_iter().zip(expected.into_iter().enumerate())
        {
            assert_eq!(top, index as u64 + 1);
            assert!((share - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn many_regions_have_few_log_spaced_points_that_end_in_all_of_them() {
        let tops = TopRegions::new(1_000_000, 0).tops;
        assert!(tops.len() < 150 && tops.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(
            (tops[0].0, tops[9].0, tops.last().unwrap().0),
            (1, 10, 1_000_000)
        );
        assert_eq!(TopRegions::new(0, 0).shares(), []);
    }
}
