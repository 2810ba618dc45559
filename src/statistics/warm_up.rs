//! Whether a series had settled when its measurement began: MSER-5, with a test that keeps noise from crying wolf. Must not know what
//! was observed.

use super::estimate::t_quantile;

/// Observations that make one batch: the 5 of MSER-5.
const BATCH: usize = 5;
/// Fewer batches tell nothing.
const FEWEST_BATCHES: usize = 20;
/// A transient is one only when it lies so far from what follows, relative to it: less would hardly move a result.
const RELEVANT: f64 = 0.1;
/// Probability of a false alarm on a settled series, over all places where it could be cut.
const FALSE_ALARMS: f64 = 0.01;
/// The correlation of neighbouring batches counts up to here.
const MOST_CORRELATION: f64 = 0.9;
/// The correlation of neighbouring batches that is granted where a trend hides it: that of batches of five from a first-order
/// autoregressive series with 0.8 from one observation to the next.
const GRANTED_CORRELATION: f64 = 0.5;

/// What became of a series after its warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settling {
    /// It had settled before.
    Before,
    /// It settles at this observation, behind the warm-up.
    At(usize),
    /// It has not by the middle of the series, which is as far as MSER looks.
    Never,
}

/// When `observations`, equally spaced in time, had settled, given that the first `warm_up` of them are not looked at. `None` for
/// fewer than 100 observations.
///
/// The end of the transient is that of MSER-5: of the batches of five, those are cut whose absence makes the squared standard error of
/// the rest least (White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69(6), 1997), at most
/// half of them. MSER cuts a little of pure noise too, so what it would cut behind the warm-up must also differ from what follows: by
/// 10 % of it, and significantly. With K places to cut at, each is tested at 1 % / K (Bonferroni), so that of independent
/// batches at most 1 % of settled series are called unsettled, whichever place MSER picks; correlated batches are taken for a
/// first-order autoregressive series, whose correlation is estimated: where that of neighbours is 0.7, 2 % are, and at 0.85 4 %.
///
/// Where MSER cuts all that it may, the transient may reach beyond the cut, and would pass for noise and correlation of the rest: there
/// the noise is also estimated from the differences of successive batches (von Neumann 1941), which a trend hardly touches.
pub fn settling(observations: &[f64], warm_up: usize) -> Option<Settling> {
    let batches: Vec<f64> = observations.chunks_exact(BATCH).map(mean).collect();
    if batches.len() < FEWEST_BATCHES {
        return None;
    }
    let cut = mser(&batches);
    let measured = warm_up.div_ceil(BATCH);
    let limit = batches.len() / 2;
    if cut <= measured {
        return Some(Settling::Before);
    }
    let (first, rest) = (&batches[measured..cut], &batches[cut..]);
    let mut noises = vec![Noise::of_level(rest)];
    noises.extend((cut == limit).then(|| Noise::of_trend(rest)));
    // So many tests: one a place, and the second one at the last.
    let tests = (limit + 1) as f64;
    let differs = |noise: &Noise| differs(first, rest, noise, tests);
    if !noises.iter().any(differs) {
        return Some(Settling::Before);
    }
    Some(match cut < limit {
        true => Settling::At(cut * BATCH),
        false => Settling::Never,
    })
}

/// The number of batches to cut: the least d in `0 ..= n / 2` that makes the sum of squared deviations of the others, over (n - d)^2,
/// least. O(n).
fn mser(batches: &[f64]) -> usize {
    // From the end, so that each d adds one batch (Welford's update).
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (cut, batch) in batches.iter().enumerate().rev() {
        count += 1.0;
        let before = batch - mean;
        mean += before / count;
        squares += before * (batch - mean);
        let error = squares / (count * count);
        if cut <= batches.len() / 2 && error <= best.0 {
            best = (error, cut);
        }
    }
    best.1
}

/// How much chance there is in batches, as in a first-order autoregressive series.
struct Noise {
    /// Of one batch.
    variance: f64,
    /// Of neighbouring batches.
    correlation: f64,
    /// How many independent batches would tell the variance as well, less one.
    freedom: f64,
}

impl Noise {
    /// Around one level.
    fn of_level(batches: &[f64]) -> Self {
        let (n, level) = (batches.len() as f64, mean(batches));
        let deviations: Vec<f64> = batches.iter().map(|batch| batch - level).collect();
        let squares: f64 = deviations.iter().map(|it| it * it).sum();
        let lagged: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let correlation = match squares > 0.0 {
            true => (lagged / squares).clamp(0.0, MOST_CORRELATION),
            false => 0.0,
        };
        Self::new(squares / (n - 1.0), correlation, n)
    }

    /// Around a slow trend. Successive differences have twice the variance, less what is correlated.
    fn of_trend(batches: &[f64]) -> Self {
        let steps = batches.windows(2).map(|pair| pair[1] - pair[0]);
        let squares: f64 = steps.map(|step| step * step).sum();
        let (n, correlation) = (batches.len() as f64, GRANTED_CORRELATION);
        let variance = squares / 2.0 / (n - 1.0) / (1.0 - correlation);
        Self::new(variance, correlation, n)
    }

    /// Squares of such a series are correlated by the square of its correlation (Bartlett 1946).
    fn new(variance: f64, correlation: f64, batches: f64) -> Self {
        let square = correlation * correlation;
        Self {
            variance,
            correlation,
            freedom: ((batches - 1.0) * (1.0 - square) / (1.0 + square)).max(1.0),
        }
    }

    /// The variance of the mean of `count` neighbouring batches: never more than that of one.
    fn of_mean(&self, count: usize) -> f64 {
        let n = count as f64;
        let (mut sum, mut power) = (1.0, 1.0);
        for lag in 1..count {
            power *= self.correlation;
            sum += 2.0 * (1.0 - lag as f64 / n) * power;
        }
        self.variance * sum / n
    }
}

/// Whether the mean of `first` differs from that of `rest`, relevantly and significantly, in one of so many `tests`.
fn differs(first: &[f64], rest: &[f64], noise: &Noise, tests: f64) -> bool {
    let settled = mean(rest);
    let difference = (mean(first) - settled).abs();
    if difference.is_nan() || difference < RELEVANT * settled.abs() {
        return false;
    }
    let variance = noise.of_mean(first.len()) + noise.of_mean(rest.len());
    let quantile = t_quantile(1.0 - FALSE_ALARMS / 2.0 / tests, noise.freedom);
    difference > quantile * variance.sqrt()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// 250 observations of mean 20, whose noise of 2 is correlated from one to the next.
    fn noise(seed: u64, correlation: f64) -> Vec<f64> {
        let mut draws = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
        // Sums of twelve uniform draws less six are nearly normal.
        let mut normal = || (0..12).map(|_| draws.random::<f64>()).sum::<f64>() - 6.0;
        let mut last = normal();
        let mut next = || {
            last = correlation * last + (1.0 - correlation * correlation).sqrt() * normal();
            20.0 + 2.0 * last
        };
        (0..250).map(|_| next()).collect()
    }

    fn alarms(series: impl Fn(u64) -> Vec<f64>, warm_up: usize, rounds: u64) -> usize {
        let alarm = |seed: &u64| settling(&series(*seed), warm_up) != Some(Settling::Before);
        (0..rounds).filter(alarm).count()
    }

    #[test]
    fn settled_series_are_hardly_ever_called_unsettled() {
        // At most 1 % of 2,000 by the union bound: 20, and 4 standard errors of sqrt(2,000 x 0.01 x 0.99) = 4.4.
        for (correlation, warm_up) in [(0.0, 0), (0.0, 30), (0.8, 0), (0.8, 50)] {
            let found = alarms(|seed| noise(seed, correlation), warm_up, 2_000);
            assert!(found <= 38, "{correlation}, {warm_up}: {found}");
        }
        // The bound is one of the test alone; without it, MSER by itself cuts something of most of these.
        let cuts = (0..200).filter(|seed| {
            let batches: Vec<f64> = noise(*seed, 0.0).chunks(BATCH).map(mean).collect();
            mser(&batches) > 0
        });
        assert!(cuts.count() > 50);
    }

    #[test]
    fn an_exponential_transient_is_found_unless_the_warm_up_covers_it() {
        // Starts at 1 + 3 times the level and has fallen to 10 % of it after 25 x ln 30 = 85 observations.
        let decaying = |seed: u64| -> Vec<f64> {
            let transient = |at: usize| 60.0 * libm::exp(-(at as f64) / 25.0);
            let noise = noise(seed, 0.3);
            let values = noise.iter().enumerate();
            values.map(|(at, value)| value + transient(at)).collect()
        };
        for seed in 0..200 {
            // At 2.3 time constants it is still 30 % above the level; at 5 it is 2 % above, which noise hides up to the middle.
            match settling(&decaying(seed), 10) {
                Some(Settling::At(end)) => assert!((55..125).contains(&end), "{seed}: {end}"),
                found => assert_eq!(found, Some(Settling::Never), "{seed}"),
            }
        }
        // 60 x exp(-120 / 25) is 2 % of the level, a third of a batch's noise of 1.3: no more false alarms than 1 % of 200 series, and 4
        // standard errors of 1.4.
        assert!(alarms(decaying, 120, 200) <= 7);
    }

    #[test]
    fn response_times_of_clients_that_all_start_at_once_are_found() {
        // Each of 900 calls in a queue waits for all before it: response times grow until the first 900 are done, and are highly
        // correlated ever after. 24 calls an observation: 37 observations.
        let queue = |seed: u64| -> Vec<f64> {
            let mut draws = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
            let service: Vec<f64> = (0..6_000)
                .map(|_| -libm::log(1.0 - draws.random::<f64>()))
                .collect();
            let mut waiting = 0.0;
            let responses: Vec<f64> = (0..6_000_usize)
                .map(|call| {
                    waiting += service[call];
                    waiting -= call.checked_sub(900).map_or(0.0, |done| service[done]);
                    waiting
                })
                .collect();
            responses.chunks(24).map(mean).collect()
        };
        // Seen in most, not in all, because so correlated a rest tells little of its own level.
        let found = alarms(queue, 4, 200);
        assert!(found > 150, "{found}");
    }

    #[test]
    fn a_transient_too_small_to_matter_is_none() {
        // A step of 8 % of the level, far above the noise.
        let step = |high: f64| -> Vec<f64> {
            let level = |at: usize| if at < 60 { high } else { 20.0 };
            (0..250)
                .map(|at| level(at) + 0.01 * (at % 2) as f64)
                .collect()
        };
        assert_eq!(settling(&step(21.6), 0), Some(Settling::Before));
        assert_eq!(settling(&step(22.4), 0), Some(Settling::At(60)));
        assert_eq!(settling(&step(22.4), 60), Some(Settling::Before));
        assert_eq!(settling(&step(22.4), 59), Some(Settling::Before));
        assert_eq!(settling(&step(22.4), 55), Some(Settling::At(60)));
    }

    #[test]
    fn what_grows_to_the_end_never_settles_and_short_series_say_nothing() {
        let growing: Vec<f64> = (0..250).map(|at| 10.0 + at as f64).collect();
        assert_eq!(settling(&growing, 20), Some(Settling::Never));
        // A change behind the middle is one of the run, not of its start: the longer part before it is what MSER keeps.
        let late: Vec<f64> = (0..250)
            .map(|at| if at < 150 { 100.0 } else { 50.0 })
            .collect();
        assert_eq!(settling(&late, 20), Some(Settling::Before));
        assert_eq!(settling(&growing[..99], 0), None);
        assert_eq!(settling(&[7.0; 100], 0), Some(Settling::Before));
    }

    #[test]
    fn noise_around_a_level_is_measured_from_its_deviations() {
        // Deviations of -2, -2, 1 and 3 from 3: squares of 18, products of neighbours of 5.
        let noise = Noise::of_level(&[1.0, 1.0, 4.0, 6.0]);
        assert_eq!((noise.variance, noise.correlation), (6.0, 5.0 / 18.0));
        assert!((noise.freedom - 3.0 * (324.0 - 25.0) / (324.0 + 25.0)).abs() < 1e-12);
    }

    #[test]
    fn a_difference_must_be_a_tenth_of_the_level_and_more_than_chance_in_any_of_the_tests() {
        let noise = |variance: f64| Noise {
            variance,
            correlation: 0.0,
            freedom: 100.0,
        };
        assert!(differs(&[22.0; 2], &[20.0; 3], &noise(0.0), 26.0));
        assert!(!differs(&[21.9; 2], &[20.0; 3], &noise(0.0), 26.0));
        assert!(!differs(&[0.0; 2], &[0.0; 3], &noise(0.0), 26.0));
        // 3.6 standard errors: the quantile on both sides is 2.63 for one test at 1 %, 3.68 for each of 26 (3.47 on one side).
        assert!(differs(&[13.6], &[10.0; 4], &noise(0.8), 1.0));
        assert!(!differs(&[13.6], &[10.0; 4], &noise(0.8), 26.0));
    }

    #[test]
    fn noise_around_a_trend_is_measured_from_its_steps() {
        // Steps of 1, 2 and -3: their squares are twice the variance of three batches, of which the granted half is correlated.
        let noise = Noise::of_trend(&[1.0, 2.0, 4.0, 1.0]);
        let variance = 14.0 / 2.0 / 3.0 / 0.5;
        assert_eq!((noise.variance, noise.correlation), (variance, 0.5));
        // (1 - 1/4) / (1 + 1/4) of the three.
        assert!((noise.freedom - 1.8).abs() < 1e-12);
        // Of three neighbours, correlated by 1/2 and 1/4: (3 + 2 (2 / 2 + 1 / 4)) / 9.
        assert!((noise.of_mean(3) - variance * 5.5 / 9.0).abs() < 1e-12);
        assert_eq!(noise.of_mean(1), variance);
    }

    #[test]
    fn the_cut_is_where_brute_force_finds_it() {
        for seed in 0..40 {
            let batches: Vec<f64> = noise(seed, 0.5)[..61].to_vec();
            let error = |cut: usize| {
                let rest = &batches[cut..];
                let centre = mean(rest);
                let squares: f64 = rest.iter().map(|it| (it - centre) * (it - centre)).sum();
                squares / (rest.len() * rest.len()) as f64
            };
            let best = (0..=30).min_by(|a, b| error(*a).total_cmp(&error(*b)));
            assert_eq!(Some(mser(&batches)), best);
        }
    }
}
