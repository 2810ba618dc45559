//! The law of Zipf that explains how often values came. Must not know which values they are.
//!
//! Of an unknown law nobody knows which rank a value has, and the order of the counts is not that of the ranks: a likelihood that takes it for them finds an
//! exponent that is too large. The likelihood's own equation is `sum c_i ln r_i = n E[ln r]`, and `ln r` is linear in `ln p_r`, which `ln c_i` estimates whatever
//! rank the value has. So the equation solved here has `sum c_i ln c_i` instead, set equal to its exact expectation when rank r comes
//! Poisson(n p_r) times; a second one says that as many values are expected to be seen as were. Neither needs a rank, so neither is biased, and to first order the
//! exponent's variance is that of the maximum of the likelihood with known ranks, `1 / (n Var(ln r))`, and what not knowing the number of values adds. The intervals
//! come from the covariance of the two sums, given n, through the derivatives of their expectations.
//!
//! Of a sample of the values the covariance is estimated from the sample, which has to be large for that: of 50,000 values under an exponent of 0.7, of which some
//! 750 are sampled, 90 % of the intervals hold the exponent, of twice as many 95 %. Columns sample tens of thousands.

use super::frequencies::Tally;
use crate::statistics::Interval;

/// A law of Zipf, or an even one.
#[derive(Debug, Clone, PartialEq)]
pub struct ZipfFit {
    /// `None` when the values come as evenly as chance allows.
    pub exponent: Option<Interval>,
    /// How many different values there are, those included that were not seen; the upper end is infinite where nothing tells.
    pub values: Interval,
    /// The first ranks that the law does not explain: the shares of all rows that they have.
    pub top: Vec<f64>,
    /// Whether the ranks behind them come as often as the law says.
    pub explains: bool,
}

/// Rows that have to come again before a law is looked for (estimate: an exponent then has an interval of about 0.3).
const LEAST_REPEATS: f64 = 100.0;

/// Exponents beyond this are no Zipf law, but a single value.
const GREATEST_EXPONENT: f64 = 6.0;

/// More values than this are as good as endless.
const MOST_VALUES: f64 = 1e12;

/// Standard deviations from an even law within which the counts are even.
const EVEN: f64 = 3.0;

/// Ranks that may have shares of their own, and how many behind them must agree with the law.
const MOST_TOP: usize = 16;
const CHECKED: usize = 3;

/// A count disagrees when it is so many standard deviations off, and by this part: less does no harm.
const OFF: f64 = 5.0;
const OFF_PART: f64 = 0.15;

impl ZipfFit {
    /// The law of these counts, greatest first, of all values that were seen. `None` where too few rows come again, or there are fewer than three values.
    /// O(tallies + 1,000 x 50) a step of some hundred.
    pub fn of(tallies: &[Tally]) -> Option<Self> {
        let single = |it: &Tally| std::iter::repeat_n(it.times as f64, it.values.min(64) as usize);
        let greatest = tallies.iter().flat_map(single);
        let greatest: Vec<f64> = greatest.take(MOST_TOP + CHECKED).collect();
        let rows = Counted::of(tallies, 0).rows;
        let mut last = None;
        for top in 0..=MOST_TOP.min(greatest.len()) {
            let counted = Counted::of(tallies, top as u64);
            let is_few = top == 0 && counted.rows - counted.distinct < LEAST_REPEATS;
            if is_few || counted.distinct < 3.0 {
                break;
            }
            let (mut fit, law) = counted.fit(top as f64 + 1.0);
            fit.top = greatest[..top].iter().map(|it| it / rows).collect();
            let agrees = |(times, expected): (&f64, f64)| {
                let off = (times - expected).abs();
                off <= OFF * expected.sqrt() || off <= OFF_PART * expected
            };
            let checked = greatest[top..].iter().take(CHECKED);
            if checked.zip(law.greatest()).all(agrees) {
                return Some(fit);
            }
            fit.explains = false;
            last = Some(fit);
        }
        last
    }
}

/// What is counted of the values behind the first ones.
#[derive(Default)]
struct Counted {
    rows: f64,
    distinct: f64,
    /// The sum of `c ln c`.
    weighed: f64,
    /// What counting a sample of the values adds to the covariances of `weighed`, `distinct` and `rows`: of the first two, both, those with `rows`, and of `rows`.
    sampled: [f64; 6],
}

/// Two variances, and the covariance.
type Covariance = [f64; 3];

/// Expectations of `c ln c` and of `c > 0`, their variances and covariance, and their covariances with `c`.
type Moments = [f64; 7];

/// Ranks, and how often all of them together are expected.
struct Law {
    /// Of blocks of ranks: the power of one of them, and how many there are.
    ranks: Vec<(f64, f64)>,
    exponent: f64,
    scale: f64,
}

impl Counted {
    /// Of all but the `skipped` greatest counts.
    fn of(tallies: &[Tally], mut skipped: u64) -> Self {
        let mut found = Self::default();
        for tally in tallies {
            let left = tally.values - skipped.min(tally.values);
            skipped -= tally.values - left;
            let (times, weight) = (tally.times as f64, tally.weight);
            let (values, weighed) = (left as f64 * weight, times * libm::log(times));
            found.rows += values * times;
            found.distinct += values;
            found.weighed += values * weighed;
            // Each value was sampled with probability 1 / weight (Horvitz and Thompson 1952).
            let squares = [
                weighed * weighed,
                1.0,
                weighed,
                weighed * times,
                times,
                times * times,
            ];
            add(&mut found.sampled, &squares, values * (weight - 1.0));
        }
        found
    }

    /// The law over ranks from `first` on.
    fn fit(&self, first: f64) -> (ZipfFit, Law) {
        let even = self.law(0.0, first);
        let is_even = self.is_even(&even, first);
        let short = |exponent| self.law(exponent, first).moments()[0] - self.weighed;
        let law = match is_even {
            true => even,
            false => self.law(root((0.0, GREATEST_EXPONENT), short), first),
        };
        let (by_exponent, by_values) = self.deviations(&law, first, is_even);
        let spread = Interval::log_normal(law.values(), by_values);
        let (before, seen) = (first - 1.0, self.distinct.min(spread.value));
        let values = match spread.high {
            // All were seen: that is their number.
            high if high - spread.low < 0.01 => Interval::exact(before + self.distinct),
            high => Interval {
                value: before + spread.value,
                low: before + spread.low.max(seen),
                // No end where nothing tells.
                high: before
                    + match high < MOST_VALUES {
                        true => high,
                        false => f64::INFINITY,
                    },
            },
        };
        let exponent = (!is_even).then(|| Interval::normal(law.exponent, by_exponent));
        let top = Vec::new();
        let fit = ZipfFit {
            exponent,
            values,
            top,
            explains: true,
        };
        (fit, law)
    }

    /// The law of that exponent under which as many values are expected to be seen as were.
    fn law(&self, exponent: f64, first: f64) -> Law {
        let of = |log| Law::new(self.rows, exponent, first, libm::exp(log));
        let ends = (libm::log(self.distinct), libm::log(MOST_VALUES));
        of(root(ends, |log| of(log).seen() - self.distinct))
    }

    /// Of `weighed` and `distinct`, given the rows.
    fn covariance(&self, moments: &Moments) -> Covariance {
        let [_, _, weighed, seen, both, by_weighed, by_seen] = *moments;
        let [a, b] = [by_weighed / self.rows, by_seen / self.rows];
        let given = [a * a, b * b, a * b];
        let mut found = [weighed, seen, both];
        add(&mut found, &given, -self.rows);
        // Of a sample the rows are an estimate as well: the law is scaled to it, so that only what the sums have beyond their slopes over the rows counts.
        let [weighed, distinct, both, by_weighed, by_distinct, rows] = self.sampled;
        let beyond = [
            weighed - 2.0 * a * by_weighed,
            distinct - 2.0 * b * by_distinct,
            both - b * by_weighed - a * by_distinct,
        ];
        add(&mut found, &beyond, 1.0);
        add(&mut found, &given, rows);
        found
    }

    /// Whether chance alone may have made the counts uneven: by what `weighed` varies beside `distinct`, which the law's number of values makes up for.
    fn is_even(&self, even: &Law, first: f64) -> bool {
        let moments = even.moments();
        let [weighed, distinct, both] = self.covariance(&moments);
        let [_, [f_log, g_log]] = self.slopes(even, first);
        let along = if g_log > 0.0 { f_log / g_log } else { 0.0 };
        let variance = weighed - 2.0 * along * both + along * along * distinct;
        self.weighed - moments[0] <= EVEN * variance.max(0.0).sqrt()
    }

    /// Derivatives of the expected `weighed` and `distinct` by the exponent, and by the logarithm of the number of values.
    fn slopes(&self, law: &Law, first: f64) -> [[f64; 2]; 2] {
        const STEP: f64 = 1e-4;
        let at = |exponent: f64, log: f64| {
            let values = law.values() * libm::exp(log);
            Law::new(self.rows, law.exponent + exponent, first, values).moments()
        };
        let slopes = |exponent: f64, log: f64| {
            let (up, down) = (at(exponent, log), at(-exponent, -log));
            [0, 1].map(|it| (up[it] - down[it]) / (2.0 * STEP))
        };
        [slopes(STEP, 0.0), slopes(0.0, STEP)]
    }

    /// Standard deviations of the exponent and of the logarithm of the number of values: the covariance through the inverse of the derivatives.
    fn deviations(&self, law: &Law, first: f64, is_even: bool) -> (f64, f64) {
        let [weighed, seen, both] = self.covariance(&law.moments());
        let [[f_exponent, g_exponent], [f_log, g_log]] = self.slopes(law, first);
        if is_even {
            return (0.0, seen.max(0.0).sqrt() / g_log);
        }
        let determinant = f_exponent * g_log - f_log * g_exponent;
        let deviation = |a: f64, b: f64| {
            let variance = a * a * weighed + 2.0 * a * b * both + b * b * seen;
            variance.max(0.0).sqrt() / determinant.abs()
        };
        let by_values = deviation(-g_exponent, f_exponent);
        (deviation(g_log, -f_log), by_values)
    }
}

/// Where a rising function passes zero between two ends, or the end that is nearer to it: false position, where an end that stays counts half the next time
/// (the Illinois rule, Dowell and Jarratt 1971).
fn root((mut low, mut high): (f64, f64), of: impl Fn(f64) -> f64) -> f64 {
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

fn add<const N: usize>(sums: &mut [f64; N], by: &[f64; N], times: f64) {
    for (sum, by) in sums.iter_mut().zip(by) {
        *sum += times * by;
    }
}

impl Law {
    /// Ranks up to so far are taken one by one; behind it blocks of one in fifty, whose middle stands for all: of a power of the rank that errs by less than 1e-4.
    const SINGLE: f64 = 200.0;

    /// `rows` over `values` ranks from `first` on; a part of a rank counts as such.
    fn new(rows: f64, exponent: f64, first: f64, values: f64) -> Self {
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

    fn values(&self) -> f64 {
        self.ranks.iter().map(|(_, width)| width).sum()
    }

    /// How often a rank of each block is expected.
    fn expected(&self) -> impl Iterator<Item = f64> {
        let ranks = self.ranks.iter();
        ranks.map(|(power, _)| self.scale * power)
    }

    /// The greatest counts to expect, in turn, which are those of many even ranks by chance: the k-th is where so many times or more are expected of k values, by
    /// Chernoff's bound of the tail of Poisson, which is 1 up to the mean.
    fn greatest(&self) -> impl Iterator<Item = f64> {
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
    fn seen(&self) -> f64 {
        let seen = |(expected, (_, width)): (f64, &(f64, f64))| -width * libm::expm1(-expected);
        self.expected().zip(&self.ranks).map(seen).sum()
    }

    fn moments(&self) -> Moments {
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

#[cfg(test)]
#[path = "zipf_fit_tests.rs"]
mod tests;
