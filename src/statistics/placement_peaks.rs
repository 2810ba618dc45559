//! How uneven it gets when a few things of given weights are dealt to bins by chance, as a hash deals values to servers. Must not know
//! what they are, nor where chance comes from.

/// The fullest bin's load over the mean load, over many deals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementPeaks {
    /// Mean, >= 1.
    pub mean: f64,
    /// Median: every other deal is at least as uneven.
    pub median: f64,
    /// 90 % quantile: one deal in ten is at least as uneven.
    pub p90: f64,
    /// What no deal beats: the heaviest thing alone, or as many bins in use as there are things.
    pub floor: f64,
}

impl PlacementPeaks {
    /// Deals things of these weights `deals` times; each call of `bin` gives the bin of the next thing, below `bins`. `None` without
    /// weight, bins or deals. O(weights x deals); the mean's standard error is that of `deals` independent deals.
    pub fn of(
        weights: &[f64],
        bins: usize,
        deals: usize,
        mut bin: impl FnMut() -> usize,
    ) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        if bins == 0 || deals == 0 || total.is_nan() || total <= 0.0 {
            return None;
        }
        let even = total / bins as f64;
        let mut loads = vec![0.0; bins];
        let mut peaks: Vec<f64> = Vec::with_capacity(deals);
        for _ in 0..deals {
            loads.fill(0.0);
            for weight in weights {
                loads[bin()] += weight;
            }
            peaks.push(loads.iter().copied().fold(0.0, f64::max) / even);
        }
        peaks.sort_unstable_by(f64::total_cmp);
        let heaviest = weights.iter().copied().fold(0.0, f64::max);
        Some(Self {
            mean: peaks.iter().sum::<f64>() / deals as f64,
            median: peaks[deals / 2],
            p90: peaks[deals * 9 / 10],
            floor: (heaviest / even).max(1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{DrawKey, Seed, Stream};

    /// The peaks of all bins^weights deals, each as likely.
    fn brute_force(weights: &[f64], bins: usize) -> Vec<f64> {
        let even = weights.iter().sum::<f64>() / bins as f64;
        let deals = bins.pow(weights.len() as u32);
        let mut peaks: Vec<f64> = (0..deals)
            .map(|deal| {
                let mut loads = vec![0.0; bins];
                let mut rest = deal;
                for weight in weights {
                    loads[rest % bins] += weight;
                    rest /= bins;
                }
                loads.into_iter().fold(0.0, f64::max) / even
            })
            .collect();
        peaks.sort_unstable_by(f64::total_cmp);
        peaks
    }

    #[test]
    fn dealt_peaks_agree_with_all_deals() {
        let cases: [(&[f64], usize); 3] = [
            (&[1.0; 5], 4),
            (&[0.5, 0.2, 0.2, 0.1], 3),
            (&[3.0, 2.0, 1.0, 1.0, 1.0, 1.0], 6),
        ];
        for (weights, bins) in cases {
            let mut draws = DrawKey::new(Seed(11), 0, Stream::Sample, 1).at(0);
            let deals = 4_000;
            let deal = || draws.below(bins as u64) as usize;
            let found = PlacementPeaks::of(weights, bins, deals, deal).unwrap();
            let all = brute_force(weights, bins);
            let n = all.len() as f64;
            let mean = all.iter().sum::<f64>() / n;
            let variance = all.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>() / n;
            // Four standard errors of the deals.
            let tolerance = 4.0 * (variance / deals as f64).sqrt();
            assert!(
                (found.mean - mean).abs() < tolerance,
                "{found:?} and {mean}"
            );
            // Of all deals, the share that is at least as uneven: 1/2 and 1/10, or more where many deals are alike. Four standard
            // errors of a share of 4,000 deals are 3 %.
            let share = |least: f64| {
                let reached = all.iter().filter(|peak| **peak >= least - 1e-9).count();
                reached as f64 / n
            };
            assert!(share(found.median) > 0.47, "{found:?}");
            assert!(share(found.median + 1e-6) < 0.53, "{found:?}");
            assert!(share(found.p90) > 0.08, "{found:?}");
            assert!(share(found.p90 + 1e-6) < 0.12, "{found:?}");
            assert!(found.floor <= all[0] + 1e-9, "{found:?}");
        }
    }

    #[test]
    fn five_equal_things_in_four_bins_share_one() {
        // Two of five in one bin at most: 4 x 5! / (2! 1! 1! 1!) = 240 deals where each bin has one, 6 x 2 x 5! / (2! 2! 1!) = 360 where one
        // is empty; of all 1,024 that is 59 %, and 35 % have three together.
        let all = brute_force(&[1.0; 5], 4);
        let holding = |count: f64| {
            let peak = count / 1.25;
            all.iter().filter(|it| (**it - peak).abs() < 1e-9).count()
        };
        assert_eq!(
            (holding(2.0), holding(3.0), holding(4.0), holding(5.0)),
            (600, 360, 60, 4)
        );
    }

    #[test]
    fn nothing_to_deal_has_no_peak() {
        assert_eq!(PlacementPeaks::of(&[], 4, 9, || 0), None);
        assert_eq!(PlacementPeaks::of(&[1.0], 0, 9, || 0), None);
        assert_eq!(PlacementPeaks::of(&[1.0], 4, 0, || 0), None);
        let one = PlacementPeaks::of(&[2.0], 4, 9, || 3).unwrap();
        assert_eq!((one.mean, one.p90, one.floor), (4.0, 4.0, 4.0));
    }
}
