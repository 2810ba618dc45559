//! How uneven it gets when a few things of given weights are dealt to bins by chance, as a hash deals values to servers. Must not know
//! what they are, nor where chance comes from.

use super::{quantile, weighted_median};

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

/// What things weigh in one interval of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalWeights {
    /// Of all things; > 0.
    pub total: f64,
    /// The things that are dealt, with their weights, each once. What they lack of the total lies on these bins alike.
    pub things: Vec<(u32, f64)>,
    /// They are dealt to so many bins.
    pub bins: usize,
    /// The mean is that over so many.
    pub all_bins: usize,
}

/// The fullest bin's load over the mean load under ways to deal the same things to bins, each way being kept for all intervals with the same
/// number of bins: of one way the median over the intervals counts, weighed by what these hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DealtPeaks {
    /// Mean over the deals, >= 1.
    pub mean: f64,
    /// One deal in twenty is at most as uneven.
    pub low: f64,
    /// One deal in twenty is at least as uneven.
    pub high: f64,
    /// Of the best way that was found, which may give bins any number of things; at most the least of the deals.
    pub best: f64,
    /// What no way beats: the heaviest thing of each interval has a bin of its own.
    pub floor: f64,
}

impl DealtPeaks {
    /// Deals the things of these intervals `deals` times; `deal` gives the bin of a thing, below the number of bins, in a deal. `None` without
    /// intervals, bins or deals. O(deals x (weights + bins x intervals) + bins x weights).
    ///
    /// The best way is sought by longest processing time first (Graham 1969: at most 4/3 - 1/(3 bins) of the optimum where there is one interval):
    /// things in order of their greatest share of an interval, each to the bin where it adds least to the sum of squared shares over the
    /// intervals. With one interval that is the bin with the least load.
    pub fn of(
        intervals: &[IntervalWeights],
        deals: usize,
        mut deal: impl FnMut(usize, u32, usize) -> usize,
    ) -> Option<Self> {
        if deals == 0 || intervals.iter().any(|it| it.bins == 0) {
            return None;
        }
        let groups = intervals.chunk_by(|a, b| (a.bins, a.all_bins) == (b.bins, b.all_bins));
        let groups: Vec<Shares> = groups.map(Shares::of).collect();
        let peak = |bin_of: &mut dyn FnMut(&Shares) -> Vec<usize>| {
            let peaks = groups.iter().map(|group| group.peaks(&bin_of(group)));
            weighted_median(&peaks.collect::<Vec<_>>().concat())
        };
        let mut peaks = Vec::with_capacity(deals);
        for number in 0..deals {
            peaks.push(peak(&mut |group| {
                let things = group.things.iter();
                things.map(|&it| deal(number, it, group.bins)).collect()
            })?);
        }
        let best = peak(&mut Shares::longest_first)?;
        Some(Self {
            mean: peaks.iter().sum::<f64>() / deals as f64,
            low: quantile(&peaks, 0.05)?,
            high: quantile(&peaks, 0.95)?,
            best: peaks.into_iter().fold(best, f64::min),
            floor: weighted_median(&groups.iter().flat_map(Shares::floors).collect::<Vec<_>>())?,
        })
    }
}

/// Shares of intervals with the same numbers of bins by thing.
struct Shares {
    bins: usize,
    /// The peak of an even load.
    least: f64,
    /// Distinct, ascending.
    things: Vec<u32>,
    intervals: Vec<IntervalShares>,
}

/// Shares of one interval.
struct IntervalShares {
    /// What all of it weighs.
    total: f64,
    /// What lies on all bins alike.
    even: f64,
    /// The place of each thing among the `things` with its share.
    held: Vec<(usize, f64)>,
}

impl Shares {
    fn of(intervals: &[IntervalWeights]) -> Self {
        let all = intervals.iter().flat_map(|interval| &interval.things);
        let mut things: Vec<u32> = all.map(|&(thing, _)| thing).collect();
        things.sort_unstable();
        things.dedup();
        let share = |interval: &IntervalWeights| {
            let mut even = 1.0;
            let held = interval.things.iter().map(|&(thing, weight)| {
                let share = weight / interval.total;
                even -= share;
                (things.partition_point(|&it| it < thing), share)
            });
            let held = held.collect();
            IntervalShares {
                total: interval.total,
                even: f64::max(even, 0.0),
                held,
            }
        };
        let (bins, all_bins) = (intervals[0].bins, intervals[0].all_bins);
        let intervals = intervals.iter().map(share).collect();
        Self {
            bins,
            least: all_bins as f64 / bins as f64,
            things,
            intervals,
        }
    }

    /// The heaviest thing alone in a bin, over the mean, by interval, with what that weighs.
    fn floors(&self) -> impl Iterator<Item = (f64, f64)> {
        self.intervals.iter().map(|it| {
            let heaviest = it.held.iter().map(|it| it.1).fold(0.0, f64::max);
            let floor = (heaviest * self.bins as f64).max(1.0) * self.least;
            (floor, it.total)
        })
    }

    /// The fullest bin's load over the mean, by interval, with what that weighs.
    fn peaks(&self, bin_of: &[usize]) -> Vec<(f64, f64)> {
        let mut loads = vec![0.0; self.bins];
        let peaks = self.intervals.iter().map(|it| {
            loads.fill(0.0);
            for &(thing, share) in &it.held {
                loads[bin_of[thing]] += share;
            }
            let most = loads.iter().copied().fold(0.0, f64::max);
            let peak = (most * self.bins as f64 + it.even).max(1.0) * self.least;
            (peak, it.total)
        });
        peaks.collect()
    }

    /// The bin of each thing.
    fn longest_first(&self) -> Vec<usize> {
        let bins = self.bins;
        let mut of_thing: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.things.len()];
        for (interval, it) in self.intervals.iter().enumerate() {
            for &(thing, share) in &it.held {
                of_thing[thing].push((interval, share));
            }
        }
        let greatest = |thing: &usize| {
            let shares = of_thing[*thing].iter().map(|&(_, share)| share);
            shares.fold(0.0, f64::max)
        };
        let mut order: Vec<usize> = (0..of_thing.len()).collect();
        // Stable: equal things stay in their order.
        order.sort_by(|a, b| greatest(b).total_cmp(&greatest(a)));
        let mut loads = vec![0.0_f64; bins * self.intervals.len()];
        let mut held = vec![0.0_f64; bins];
        let mut bin_of = vec![0; of_thing.len()];
        for thing in order {
            let row = |bin: usize| bin * self.intervals.len();
            let added = |bin: usize| -> f64 {
                let load = |at: usize| loads[row(bin) + at];
                let shares = of_thing[thing].iter();
                shares.map(|&(at, share)| load(at) * share).sum()
            };
            let costs = (0..bins).map(|bin| (added(bin), held[bin], bin));
            let least = costs.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let bin = least.map_or(0, |(.., bin)| bin);
            for &(interval, share) in &of_thing[thing] {
                loads[row(bin) + interval] += share;
                held[bin] += share;
            }
            bin_of[thing] = bin;
        }
        bin_of
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

    fn interval(bins: usize, total: f64, things: &[(u32, f64)]) -> IntervalWeights {
        IntervalWeights {
            total,
            things: things.to_vec(),
            bins,
            all_bins: bins,
        }
    }

    #[test]
    fn peaks_over_time_agree_with_all_deals_and_the_best_is_found() {
        const BINS: usize = 3;
        const THINGS: usize = 5;
        // Of the second interval 4 of 12 lie on all bins alike.
        let intervals = [
            interval(BINS, 10.0, &[(2, 4.0), (3, 3.0), (5, 2.0), (7, 1.0)]),
            interval(BINS, 12.0, &[(7, 6.0), (11, 2.0)]),
            interval(BINS, 9.0, &[(3, 5.0), (11, 4.0)]),
        ];
        let place = |thing: u32| [2, 3, 5, 7, 11].iter().position(|&it| it == thing).unwrap();
        let bin = |deal: usize, thing: u32, _| deal / BINS.pow(place(thing) as u32) % BINS;
        let deals = BINS.pow(THINGS as u32);
        let mut peaks: Vec<f64> = (0..deals)
            .map(|deal| {
                let of_intervals: Vec<(f64, f64)> = intervals
                    .iter()
                    .map(|interval| {
                        let dealt: f64 = interval.things.iter().map(|it| it.1).sum();
                        let mut loads = [(interval.total - dealt) / BINS as f64; BINS];
                        interval
                            .things
                            .iter()
                            .for_each(|&(thing, weight)| loads[bin(deal, thing, BINS)] += weight);
                        let most = loads.into_iter().fold(0.0, f64::max);
                        (most / (interval.total / BINS as f64), interval.total)
                    })
                    .collect();
                weighted_median(&of_intervals).unwrap()
            })
            .collect();
        let found = DealtPeaks::of(&intervals, deals, bin).unwrap();
        let mean = peaks.iter().sum::<f64>() / deals as f64;
        peaks.sort_unstable_by(f64::total_cmp);
        assert!((found.mean - mean).abs() < 1e-9, "{found:?} and {mean}");
        assert!((found.best - peaks[0]).abs() < 1e-9, "{found:?}");
        // Positions 0.05 x 242 and 0.95 x 242, between the 12th and 13th from either end.
        assert!(
            (peaks[12] - 1e-9..=peaks[13] + 1e-9).contains(&found.low),
            "{found:?}"
        );
        assert!(
            (peaks[229] - 1e-9..=peaks[230] + 1e-9).contains(&found.high),
            "{found:?}"
        );
        // From one bad deal alone, longest first comes within a third of the best.
        let alone = DealtPeaks::of(&intervals[..1], 1, |_, _, _| 0).unwrap();
        // 4 | 3 | 2 + 1 of 10.
        assert!(
            (alone.best - 1.2).abs() < 1e-9 && (alone.mean - 3.0).abs() < 1e-9,
            "{alone:?}"
        );
    }

    #[test]
    fn what_is_busy_at_different_times_may_share_a_bin() {
        // Two pairs, each busy together: apart within a pair.
        let intervals = [
            interval(2, 2.0, &[(0, 1.0), (1, 1.0)]),
            interval(2, 2.0, &[(2, 1.0), (3, 1.0)]),
            interval(2, 2.0, &[(0, 1.0), (1, 1.0)]),
        ];
        let together = DealtPeaks::of(&intervals, 1, |_, thing, _| (thing / 2) as usize).unwrap();
        assert_eq!((together.mean, together.best), (2.0, 1.0));
        // One at a time is on one bin whatever happens.
        let moving = [interval(4, 5.0, &[(0, 5.0)]), interval(4, 5.0, &[(1, 5.0)])];
        let moving =
            DealtPeaks::of(&moving, 9, |deal, thing, _| (deal + thing as usize) % 4).unwrap();
        assert_eq!(
            (moving.mean, moving.low, moving.high, moving.best),
            (4.0, 4.0, 4.0, 4.0)
        );
        assert_eq!(DealtPeaks::of(&[], 9, |_, _, _| 0), None);
    }

    #[test]
    fn bins_that_are_gone_take_nothing_and_count_in_the_mean() {
        // Four equal things on three bins, then on the two that are left: 3 x 2 / 4, and never less.
        let things = [0, 1, 2, 3].map(|thing| (thing, 1.0));
        let before = interval(3, 4.0, &things);
        let after = IntervalWeights {
            bins: 2,
            ..before.clone()
        };
        let dealt = |intervals: &[IntervalWeights]| {
            DealtPeaks::of(intervals, 5, |deal, thing, bins| {
                (deal + thing as usize) % bins
            })
        };
        let peaks = dealt(&[before.clone(), after.clone(), after]).unwrap();
        assert_eq!((peaks.low, peaks.high, peaks.best), (1.5, 1.5, 1.5));
        // One thing of four on the two that are left: 3 x 1, and of what lies on them alike 3 / 2.
        let one = IntervalWeights {
            bins: 2,
            ..interval(3, 4.0, &[(0, 2.0)])
        };
        let peaks = dealt(&[one]).unwrap();
        assert_eq!((peaks.mean, peaks.best), (1.5 + 0.75, 1.5 + 0.75));
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
