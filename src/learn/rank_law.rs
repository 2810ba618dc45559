//! How often the values of a law are expected to come, rank by rank. Must not know how laws are fitted.

use super::frequencies::Tally;

/// Expectations of `c ln c` and of `c > 0`, their variances and covariance, and their covariances with `c`.
pub(super) type Moments = [f64; 7];

/// Ranks, and how often all of them together are expected.
pub(super) struct Law {
    /// Of blocks of ranks: the power of one of them, and how many there are.
    ranks: Vec<(f64, f64)>,
    pub(super) exponent: f64,
    scale: f64,
}

/// Where a rising function passes zero between two ends, or the end that is nearer to it: false position, where an end that stays counts half the next time
/// (the Illinois rule, Dowell and Jarratt 1971).
pub(super) fn root((mut low, mut high): (f64, f64), of: impl Fn(f64) -> f64) -> f64 {
    let (mut below, mut above) = (of(low), of(high));
    if below >= 0.0 || above <= 0.0 {
        return if below >= 0.0 { low } else { high };
    }
    let enough = 1e-12 * (above - below);
    let mut stayed = 0.0;
    for _ in 0..100 {
        let at = low - below * (high - low) / (above - below);
        let value = of(at);
        if value.abs() <= enough || high - low < 1e-10 {
            return at;
        }
        let half = if value * stayed > 0.0 { 0.5 } else { 1.0 };
        match value < 0.0 {
            true => (low, below, above) = (at, value, half * above),
            false => (high, above, below) = (at, value, half * below),
        }
        stayed = value;
    }
    low
}

pub(super) fn add<const N: usize>(sums: &mut [f64; N], by: &[f64; N], times: f64) {
    for (sum, by) in sums.iter_mut().zip(by) {
        *sum += times * by;
    }
}

impl Law {
    /// Ranks up to so far are taken one by one; behind it blocks of one in fifty, whose middle stands for all: of a power of the rank that errs by less than 1e-4.
    const SINGLE: f64 = 200.0;

    /// `rows` over `values` ranks from `first` on; a part of a rank counts as such.
    pub(super) fn new(rows: f64, exponent: f64, first: f64, values: f64) -> Self {
        let (mut at, end) = (first, first + values);
        let (mut ranks, mut sum) = (Vec::new(), 0.0);
        while at < end {
            let wide = match at < Self::SINGLE {
                true => 1.0,
                false => (at / 50.0).floor(),
            };
            let width = wide.min(end - at);
            let middle = at + 0.5 * (width - 1.0).max(0.0);
            let power = libm::pow(middle, -exponent);
            sum += width * power;
            ranks.push((power, width));
            at += width;
        }
        let scale = rows / sum;
        Self {
            ranks,
            exponent,
            scale,
        }
    }

    /// Ranks of two levels: how often each of them is expected, and how many there are. The first ones stand alone, as those of other laws do.
    pub(super) fn of_levels(levels: [(f64, f64); 2]) -> Self {
        const ALONE: f64 = 3.0;
        let ranks = levels.into_iter().flat_map(|(mean, values)| {
            let alone = values.floor().min(ALONE);
            let single = std::iter::repeat_n((mean, 1.0), alone as usize);
            single.chain([(mean, values - alone)])
        });
        Self {
            ranks: ranks.filter(|(_, width)| *width > 0.0).collect(),
            exponent: 0.0,
            scale: 1.0,
        }
    }

    pub(super) fn values(&self) -> f64 {
        self.ranks.iter().map(|(_, width)| width).sum()
    }

    /// How often a rank of each block is expected.
    pub(super) fn expected(&self) -> impl Iterator<Item = f64> {
        let ranks = self.ranks.iter();
        ranks.map(|(power, _)| self.scale * power)
    }

    /// The greatest counts to expect, in turn, which are those of many even ranks by chance: the k-th is where so many times or more are expected of k values, by
    /// Chernoff's bound of the tail of Poisson, which is 1 up to the mean.
    pub(super) fn greatest(&self) -> impl Iterator<Item = f64> {
        let beyond = |times: f64| -> f64 {
            let ranks = self.expected().zip(&self.ranks);
            let part = |mean: f64| match times > mean {
                true => libm::exp(times - mean - times * libm::log(times / mean)),
                false => 1.0,
            };
            ranks.map(|(mean, (_, width))| width * part(mean)).sum()
        };
        // By Bernstein's bound so many are expected of fewer than k.
        let log = libm::log(self.values()) + 1.0;
        let most = move |mean: f64| mean + log + (2.0 * mean * log).sqrt();
        (1..).zip(self.expected()).map(move |(rank, mean)| {
            let short = |times| libm::log(f64::from(rank)) - libm::log(beyond(times));
            root((mean, most(mean)), short)
        })
    }

    /// How many values are expected to be seen.
    pub(super) fn seen(&self) -> f64 {
        let seen = |(expected, (_, width)): (f64, &(f64, f64))| -width * libm::expm1(-expected);
        self.expected().zip(&self.ranks).map(seen).sum()
    }

    /// The logarithm of the likelihood of the counts when the `first` ranks come as often as they did, but for what is the same of all laws under which as many
    /// values are expected to be seen: counts in no order are a Poisson process over how often a value comes.
    pub(super) fn likelihood(&self, tallies: &[Tally], first: &[f64]) -> f64 {
        let first = first.iter().map(|mean| (*mean, 1.0));
        let others = self.expected().zip(&self.ranks);
        let ranks = first.chain(others.map(|(mean, (_, width))| (mean, *width)));
        let ranks = ranks.map(|(mean, width)| (mean, libm::log(mean), width));
        let ranks: Vec<(f64, f64, f64)> = ranks.collect();
        let of = |tally: &Tally| {
            let (times, log) = (tally.times as f64, libm::log(tally.times as f64));
            let values = ranks
                .iter()
                .map(|(mean, of, width)| width * libm::exp(times * (of - log) - (mean - times)));
            tally.values as f64 * libm::log(values.sum::<f64>().max(f64::MIN_POSITIVE))
        };
        tallies.iter().map(of).sum()
    }

    pub(super) fn moments(&self) -> Moments {
        let mut sums = [0.0; 7];
        for (expected, (_, width)) in self.expected().zip(&self.ranks) {
            add(&mut sums, &moments(expected), *width);
        }
        sums
    }
}

/// Of a count that is Poisson: added up, or, from `LARGE` on, by the expansion of `c ln c` around the mean, whose error is then below 1e-4.
fn moments(mean: f64) -> Moments {
    const LARGE: f64 = 60.0;
    if mean >= LARGE {
        let slope = libm::log(mean) + 1.0;
        let first = mean * (slope - 1.0) + 0.5 + 1.0 / (12.0 * mean);
        let second = mean * slope * slope + 0.5;
        return [first, 1.0, second, 0.0, 0.0, mean * slope, 0.0];
    }
    let (none, seen) = (libm::exp(-mean), -libm::expm1(-mean));
    let (mut probability, mut sums) = (none, [0.0; 3]);
    let last = (mean + 10.0 * mean.sqrt() + 10.0) as u32;
    for count in (1..=last).map(f64::from) {
        probability *= mean / count;
        let weighed = count * libm::log(count);
        add(&mut sums, &[1.0, weighed, count], probability * weighed);
    }
    let [first, second, crossed] = sums;
    let variance = second - first * first;
    [
        first,
        seen,
        variance,
        none * seen,
        first * none,
        crossed - first * mean,
        mean * none,
    ]
}
