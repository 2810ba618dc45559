//! The law of Zipf, or the hot set, that explains how often values came. Must not know which values they are.
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
//!
//! Where a hot set is likelier than the law of Zipf, it is taken: each law pays half of the logarithm of the number of values for a parameter (Schwarz 1978).

use super::frequencies::Tally;
use super::hot_set::levels;
use super::rank_law::{Law, Moments, add, root};
use crate::statistics::Interval;

/// A law of Zipf, an even one, or a hot set.
#[derive(Debug, Clone, PartialEq)]
pub struct ZipfFit {
    /// `None` when the values come as evenly as chance allows, or a hot set does.
    pub exponent: Option<Interval>,
    /// Of a hot set: how many values are hot, those included that have shares of their own, and the part of the rows that they would have without these.
    pub hot: Option<(f64, f64)>,
    /// How many different values there are, those included that were not seen; the upper end is infinite where nothing tells.
    pub values: Interval,
    /// The first ranks that the law does not explain: the shares of all rows that they have.
    pub top: Vec<f64>,
    /// Whether the ranks behind them come as often as the law says.
    pub explains: bool,
    /// Too few rows come again to tell uneven values from even ones.
    pub is_guess: bool,
}

/// Rows that have to come again before values are more than even (estimate: an exponent then has an interval of about 0.3).
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
    /// The law of these counts, greatest first, of all values that were seen. `None` where no row comes again, or there are fewer than three values.
    /// O(tallies + 1,000 x 50) a step of some hundred.
    pub fn of(tallies: &[Tally]) -> Option<Self> {
        let all = Counted::of(tallies);
        let is_guess = all.rows - all.distinct < LEAST_REPEATS;
        let zipf = |left: &[Tally], top| Some(Counted::of(left).fit(top as f64 + 1.0, is_guess));
        let (zipf, law) = fitted(tallies, MOST_TOP, zipf)?;
        let most = match zipf.explains {
            true if zipf.exponent.is_none() => return Some(zipf),
            true => zipf.top.len(),
            false => MOST_TOP,
        };
        let rank = |fit: &Self, law: &Law| {
            let first: Vec<f64> = fit.top.iter().map(|it| it * all.rows).collect();
            let parameters = first.len() + 2 + usize::from(fit.hot.is_some());
            let paid = 0.5 * parameters as f64 * libm::log(all.distinct);
            // Of what explains nothing the shares of the first values are true at least; the likelihood of counts in no order hardly sees one heavy value.
            let known = if fit.explains { 0 } else { first.len() };
            (fit.explains, known, law.likelihood(tallies, &first) - paid)
        };
        let is_better = |(hot, of): &(Self, Law)| rank(hot, of) > rank(&zipf, &law);
        let hot = fitted(tallies, most, hot_set).filter(is_better);
        Some(hot.map_or(zipf.clone(), |it| it.0))
    }
}

/// The law behind the fewest first ranks, at most so many, that is not heavier there than the last of them and explains what comes most often; or the last one.
fn fitted(
    tallies: &[Tally],
    most: usize,
    fit: impl Fn(&[Tally], usize) -> Option<(ZipfFit, Law)>,
) -> Option<(ZipfFit, Law)> {
    let single = |it: &Tally| std::iter::repeat_n(it.times as f64, it.values.min(64) as usize);
    let greatest = tallies.iter().flat_map(single);
    let greatest: Vec<f64> = greatest.take(MOST_TOP + CHECKED).collect();
    let rows = Counted::of(tallies).rows;
    let mut last = None;
    for top in 0..=most.min(greatest.len()) {
        let left = behind(tallies, top as u64);
        let counted = Counted::of(&left);
        if top == 0 && counted.rows <= counted.distinct || counted.distinct < 3.0 {
            break;
        }
        let Some((mut fit, law)) = fit(&left, top) else {
            continue;
        };
        let (first, left) = greatest.split_at(top);
        let is_heavier = |last: &f64| law.expected().next().is_some_and(|it| it > *last);
        if first.last().is_some_and(is_heavier) {
            continue;
        }
        fit.top = first.iter().map(|it| it / rows).collect();
        let agrees = |(times, expected): (&f64, f64)| {
            let off = (times - expected).abs();
            off <= OFF * expected.sqrt() || off <= OFF_PART * expected
        };
        fit.explains = left.iter().take(CHECKED).zip(law.greatest()).all(agrees);
        let explains = fit.explains;
        last = Some((fit, law));
        if explains {
            break;
        }
    }
    last
}

/// All but the greatest counts.
fn behind(tallies: &[Tally], mut skipped: u64) -> Vec<Tally> {
    let left = |tally: &Tally| {
        let values = tally.values - skipped.min(tally.values);
        skipped -= tally.values - values;
        Tally { values, ..*tally }
    };
    let left = tallies.iter().map(left);
    left.filter(|it| it.values > 0).collect()
}

/// The likeliest hot set behind so many first ranks. The interval of the number of values is that of the cold ones, as if all of them were told from the hot.
fn hot_set(left: &[Tally], top: usize) -> Option<(ZipfFit, Law)> {
    let [hot, cold] = levels(left)?;
    let law = Law::of_levels([hot, cold].map(|it| (it.mean, it.values())));
    let others = Counted {
        rows: cold.rows,
        distinct: cold.distinct,
        ..Counted::of(left)
    };
    let of_others = others.law(0.0, 1.0);
    let (_, by_values) = others.deviations(&of_others, 1.0, true);
    let first = top as f64 + hot.values();
    let fit = ZipfFit {
        exponent: None,
        hot: Some((first, first * hot.mean / (first * hot.mean + cold.rows))),
        values: others.values(&of_others, first, by_values),
        top: Vec::new(),
        explains: true,
        is_guess: false,
    };
    Some((fit, law))
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

impl Counted {
    fn of(tallies: &[Tally]) -> Self {
        let mut found = Self::default();
        for tally in tallies {
            let (times, weight) = (tally.times as f64, tally.weight);
            let (values, weighed) = (tally.values as f64 * weight, times * libm::log(times));
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

    /// The law over ranks from `first` on, an even one if that is a guess.
    fn fit(&self, first: f64, is_guess: bool) -> (ZipfFit, Law) {
        let even = self.law(0.0, first);
        let is_even = is_guess || self.is_even(&even, first);
        let short = |exponent| self.law(exponent, first).moments()[0] - self.weighed;
        let law = match is_even {
            true => even,
            false => self.law(root((0.0, GREATEST_EXPONENT), short), first),
        };
        let (by_exponent, by_values) = self.deviations(&law, first, is_even);
        let exponent = (!is_even).then(|| Interval::normal(law.exponent, by_exponent));
        let fit = ZipfFit {
            exponent,
            hot: None,
            values: self.values(&law, first - 1.0, by_values),
            top: Vec::new(),
            explains: true,
            is_guess,
        };
        (fit, law)
    }

    /// How many values there are, `before` included, where the logarithm of the others' number has that standard deviation.
    fn values(&self, law: &Law, before: f64, deviation: f64) -> Interval {
        let spread = Interval::log_normal(law.values(), deviation);
        let seen = self.distinct.min(spread.value);
        match spread.high {
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
        }
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

#[cfg(test)]
#[path = "zipf_fit_tests.rs"]
mod tests;
