//! How much of the demand the hottest regions take, mean over intervals. Must not know servers or time.

/// Ratio of neighbouring numbers of regions, where they are far enough apart.
const STEP: f64 = 1.1;

/// The share of the k hottest regions of an interval, for k up to all of them, log-spaced.
#[derive(Debug, Clone)]
pub(super) struct TopRegions {
    /// Numbers of regions, ascending, with the sum of their shares.
    tops: Vec<(u64, f64)>,
    /// As many as there were at any time.
    regions: u64,
    intervals: u64,
    least: u64,
}

impl TopRegions {
    /// Of so many regions, over intervals with a demand of at least `least`.
    pub(super) fn new(regions: usize, least: u64) -> Self {
        let mut tops = Self {
            tops: Vec::new(),
            regions: 0,
            intervals: 0,
            least,
        };
        tops.grow(regions as u64);
        tops
    }

    /// From some interval on there are so many regions: in all before, fewer took everything.
    pub(super) fn grow(&mut self, regions: u64) {
        self.regions = self.regions.max(regions);
        self.extend(regions);
    }

    /// Shares of fewer regions than these are summed.
    fn extend(&mut self, regions: u64) {
        loop {
            let next = match self.tops.last() {
                Some(&(top, _)) => (top + 1).max((top as f64 * STEP) as u64),
                None => 1,
            };
            if next >= regions {
                return;
            }
            self.tops.push((next, self.intervals as f64));
        }
    }

    /// Adds an interval of this total by its loads above zero with the number of regions that have each, greatest load first.
    /// O(loads + log regions).
    pub(super) fn add(&mut self, total: u64, loads: impl Iterator<Item = (u64, u64)> + Clone) {
        if total < self.least.max(1) {
            return;
        }
        // In an interval in which regions end they and their heirs are busy: more than there are at any time.
        self.extend(loads.clone().map(|(_, regions)| regions).sum());
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

    /// Mean shares, ending in that of all regions; empty when no interval had enough demand.
    pub(super) fn shares(&self) -> Vec<(u64, f64)> {
        if self.intervals == 0 {
            return Vec::new();
        }
        let mean = |&(top, sum): &(u64, f64)| (top, sum / self.intervals as f64);
        let tops = self.tops.iter().filter(|(top, _)| *top < self.regions);
        tops.map(mean).chain([(self.regions, 1.0)]).collect()
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
    fn regions_that_come_later_share_what_fewer_had_before() {
        let mut tops = TopRegions::new(1, 10);
        tops.add(20, [(20, 1)].into_iter());
        for regions in 2..=4 {
            tops.grow(regions);
        }
        tops.add(20, [(8, 1), (5, 2), (2, 1)].into_iter());
        let expected = [
            (1, 14.0 / 20.0),
            (2, 16.5 / 20.0),
            (3, 19.0 / 20.0),
            (4, 1.0),
        ];
        let shares = tops.shares();
        assert_eq!(shares.len(), expected.len());
        for ((top, share), (expected_top, expected)) in shares.into_iter().zip(expected) {
            assert_eq!(top, expected_top);
            assert!((share - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn parents_and_heirs_that_were_busy_in_one_interval_are_told_apart_whenever_more_regions_come()
    {
        let shares = |early: bool| {
            let mut tops = TopRegions::new(1, 10);
            tops.grow(if early { 4 } else { 2 });
            // The only region, then its daughters.
            tops.add(20, [(10, 1), (6, 1), (4, 1)].into_iter());
            let before = tops.shares();
            tops.grow(4);
            (before, tops.shares())
        };
        let (before, after) = shares(false);
        assert_eq!(before, [(1, 0.5), (2, 1.0)]);
        assert_eq!(after, [(1, 0.5), (2, 0.8), (3, 1.0), (4, 1.0)]);
        assert_eq!(shares(true).1, after);
    }

    #[test]
    fn many_regions_have_few_log_spaced_points_that_end_in_all_of_them() {
        let mut tops = TopRegions::new(1_000_000, 0);
        tops.add(1, [(1, 1)].into_iter());
        let shares = tops.shares();
        assert!(shares.len() < 150 && shares.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(
            (shares[0].0, shares[9].0, shares.last().unwrap().0),
            (1, 10, 1_000_000)
        );
        assert_eq!(TopRegions::new(0, 0).shares(), []);
    }
}
