//! The law of Zipf that explains how often values came. Must not know which values they are.
//!
//! Of an unknown law nobody knows which rank a value has, and the order of the counts is not that of the ranks: a likelihood that takes it for them finds an
//! exponent that is too large. The likelihood's own equation is `sum c_i ln r_i = n E[ln r]`, and `ln r` is linear in `ln p_r`, which `ln c_i` estimates whatever
//! rank the value has. So the equation solved here has `sum c_i ln c_i` instead, set equal to its exact expectation when rank r comes
//! Poisson(n p_r) times; a second one says that as many values are expected to be seen as were. Neither needs a rank, so neither is biased, and to first order the
//! exponent's variance is that of the maximum of the likelihood with known ranks, `1 / (n Var(ln r))`, and what not knowing the number of values adds. The intervals
//! come from the covariance of the two sums, given n, through the derivatives of their expectations.

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
const MOST_TOP: usize = 5;
const CHECKED: usize = 3;
/// A count disagrees when it is so many standard deviations off, and by this part: less does no harm.
const OFF: (f64, f64) = (5.0, 0.15);

impl ZipfFit {
    /// The law of these counts, greatest first, of all values that were seen. `None` where too few rows come again, or fewer than three values.
    /// O(tallies + 1,000 x 50) a step of some hundred.
    pub fn of(tallies: &[Tally]) -> Option<Self> {
        let greatest: Vec<u64> = tallies
            .iter()
            .flat_map(|it| (0..it.values.min(64)).map(|_| it.times))
            .take(MOST_TOP + CHECKED)
            .collect();
        let rows = Counted::of(tallies, 0).rows;
        let mut first = None;
        for top in 0..=MOST_TOP.min(greatest.len()) {
            let counted = Counted::of(tallies, top);
            if counted.rows - counted.distinct < LEAST_REPEATS || counted.distinct < 3.0 {
                break;
            }
            let (fit, law) = counted.fit(top as f64 + 1.0);
            let shares = greatest[..top].iter().map(|&it| it as f64 / rows);
            let fit = Self {
                top: shares.collect(),
                ..fit
            };
            let agrees = |(at, &times): (usize, &u64)| {
                let (expected, times) = (law.expected(at), times as f64);
                let off = (times - expected).abs();
                off <= OFF.0 * expected.sqrt() || off <= OFF.1 * expected
            };
            if greatest[top..].iter().take(CHECKED).enumerate().all(agrees) {
                return Some(fit);
            }
            first.get_or_insert(fit);
        }
        first
    }
}

/// What is counted of the values behind the first ones.
struct Counted {
    rows: f64,
    distinct: f64,
    /// The sum of `c ln c`.
    weighed: f64,
    /// What counting a sample of the values adds to the variances of `weighed` and `distinct`, and their covariance.
    sampled: [f64; 3],
}

/// Ranks, each with how many like it there are, and how often each is expected.
struct Expected {
    ranks: Vec<(f64, f64)>,
    exponent: f64,
    scale: f64,
}

/// Expectations of `c ln c` and of `c > 0`, their variances and covariance, and their covariances with `c`.
type Moments = [f64; 7];

impl Counted {
    /// Of all but the `skipped` greatest counts.
    fn of(tallies: &[Tally], skipped: usize) -> Self {
        let mut found = Self {
            rows: 0.0,
            distinct: 0.0,
            weighed: 0.0,
            sampled: [0.0; 3],
        };
        let mut skipped = skipped as u64;
        for Tally {
            times,
            values,
            weight,
        } in tallies
        {
            let left = values - skipped.min(*values);
            skipped -= values - left;
            let (times, values) = (*times as f64, left as f64);
            let weighed = times * libm::log(times);
            found.rows += values * weight * times;
            found.distinct += values * weight;
            found.weighed += values * weight * weighed;
            // Each value was sampled with probability 1 / weight (Horvitz and Thompson 1952).
            let spread = values * weight * (weight - 1.0);
            for (sum, by) in found
                .sampled
                .iter_mut()
                .zip([weighed * weighed, 1.0, weighed])
            {
                *sum += spread * by;
            }
        }
        found
    }

    fn fit(&self, first: f64) -> (ZipfFit, Expected) {
        let even = self.law(0.0, first);
        let moments = even.moments();
        let covariance = self.covariance(&moments);
        let is_even = self.weighed - moments[0] <= EVEN * covariance[0].sqrt();
        let (exponent, law) = if is_even {
            (None, even)
        } else {
            let short = |exponent: f64| self.law(exponent, first).moments()[0] - self.weighed;
            let law = self.law(root((0.0, GREATEST_EXPONENT), short), first);
            (Some(law.exponent), law)
        };
        let (by_exponent, by_values) = self.deviations(&law, first, is_even);
        let values = law.values();
        let spread = Interval::log_normal(values, by_values);
        let values = match spread.high {
            // All were seen: that is their number.
            high if high - spread.low < 0.01 => Interval::exact(self.distinct),
            // No fewer than were seen, and no end where nothing tells.
            high => Interval {
                low: spread.low.max(self.distinct.min(values)),
                high: if high < MOST_VALUES {
                    high
                } else {
                    f64::INFINITY
                },
                ..spread
            },
        };
        let exponent = exponent.map(|it| Interval::normal(it, by_exponent));
        (
            ZipfFit {
                exponent,
                values,
                top: Vec::new(),
            },
            law,
        )
    }

    /// The law of that exponent under which as many values are expected to be seen as were.
    fn law(&self, exponent: f64, first: f64) -> Expected {
        let of = |log: f64| Expected::new(self.rows, exponent, first, libm::exp(log));
        let ends = (libm::log(self.distinct), libm::log(MOST_VALUES));
        of(root(ends, |log| of(log).seen() - self.distinct))
    }

    /// Of `weighed` and `distinct`, given the rows: two variances, and the covariance.
    fn covariance(&self, moments: &Moments) -> [f64; 3] {
        let [_, _, weighed, seen, both, by_weighed, by_seen] = *moments;
        let [a, b, c] = self.sampled;
        [
            weighed - by_weighed * by_weighed / self.rows + a,
            seen - by_seen * by_seen / self.rows + b,
            both - by_weighed * by_seen / self.rows + c,
        ]
    }

    /// Standard deviations of the exponent and of the logarithm of the number of values: the covariance through the inverse of the derivatives.
    fn deviations(&self, law: &Expected, first: f64, is_even: bool) -> (f64, f64) {
        const STEP: f64 = 1e-4;
        let [weighed, seen, both] = self.covariance(&law.moments());
        let at = |exponent: f64, values: f64| {
            let moved = Expected::new(
                self.rows,
                law.exponent + exponent,
                first,
                law.values() * libm::exp(values),
            );
            let moments = moved.moments();
            [moments[0], moments[1]]
        };
        let slope =
            |up: [f64; 2], down: [f64; 2]| [0, 1].map(|it| (up[it] - down[it]) / (2.0 * STEP));
        let [f_values, g_values] = slope(at(0.0, STEP), at(0.0, -STEP));
        if is_even {
            return (0.0, seen.max(0.0).sqrt() / g_values);
        }
        let [f_exponent, g_exponent] = slope(at(STEP, 0.0), at(-STEP, 0.0));
        let determinant = f_exponent * g_values - f_values * g_exponent;
        let spread = |a: f64, b: f64| {
            let variance = a * a * weighed + 2.0 * a * b * both + b * b * seen;
            variance.max(0.0).sqrt() / determinant.abs()
        };
        (spread(g_values, -f_values), spread(-g_exponent, f_exponent))
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
    let mut last_was_below = None;
    for _ in 0..100 {
        let at = low - below * (high - low) / (above - below);
        let value = of(at);
        if value.abs() <= enough || high - low < 1e-10 {
            return at;
        }
        let is_below = value < 0.0;
        if is_below {
            (low, below) = (at, value);
        } else {
            (high, above) = (at, value);
        }
        if last_was_below == Some(is_below) {
            let stays = if is_below { &mut above } else { &mut below };
            *stays *= 0.5;
        }
        last_was_below = Some(is_below);
    }
    low
}

impl Expected {
    /// Ranks up to so far are taken one by one; behind it blocks of one in fifty, whose middle stands for all: of a power of the rank that errs by less than 1e-4.
    const SINGLE: f64 = 200.0;

    /// `rows` over `values` ranks from `first` on; a part of a rank counts as such.
    fn new(rows: f64, exponent: f64, first: f64, values: f64) -> Self {
        let (mut at, end) = (first, first + values);
        let (mut ranks, mut sum) = (Vec::new(), 0.0);
        while at < end {
            let width = if at < Self::SINGLE {
                1.0
            } else {
                (at / 50.0).floor()
            };
            let width = width.min(end - at);
            let middle = at + 0.5 * (width - 1.0).max(0.0);
            sum += width * libm::pow(middle, -exponent);
            ranks.push((middle, width));
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

    /// How often the rank at a place is expected.
    fn expected(&self, at: usize) -> f64 {
        let rank = self.ranks.get(at).map_or(f64::INFINITY, |it| it.0);
        self.scale * libm::pow(rank, -self.exponent)
    }

    /// How many values are expected to be seen.
    fn seen(&self) -> f64 {
        let ranks = self.ranks.iter().enumerate();
        ranks
            .map(|(at, (_, width))| -width * libm::expm1(-self.expected(at)))
            .sum()
    }

    fn moments(&self) -> Moments {
        let mut sums = [0.0; 7];
        for (at, (_, width)) in self.ranks.iter().enumerate() {
            for (sum, moment) in sums.iter_mut().zip(moments(self.expected(at))) {
                *sum += width * moment;
            }
        }
        sums
    }
}

/// Of a count that is Poisson: added up, or, from `LARGE` on, by the expansion of `c ln c` around the mean, whose error is then below 1e-4.
fn moments(mean: f64) -> Moments {
    const LARGE: f64 = 60.0;
    if mean >= LARGE {
        let log = libm::log(mean);
        let slope = log + 1.0;
        return [
            mean * log + 0.5 + 1.0 / (12.0 * mean),
            1.0,
            mean * slope * slope + 0.5,
            0.0,
            0.0,
            mean * slope,
            0.0,
        ];
    }
    let nothing = libm::exp(-mean);
    let (mut probability, mut first, mut second, mut crossed) = (nothing, 0.0, 0.0, 0.0);
    let last = (mean + 10.0 * mean.sqrt() + 10.0) as u32;
    for count in 1..=last {
        let count = f64::from(count);
        probability *= mean / count;
        let weighed = count * libm::log(count);
        first += probability * weighed;
        second += probability * weighed * weighed;
        crossed += probability * weighed * count;
    }
    [
        first,
        -libm::expm1(-mean),
        second - first * first,
        nothing * (1.0 - nothing),
        first * nothing,
        crossed - first * mean,
        mean * nothing,
    ]
}
