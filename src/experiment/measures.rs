//! A number with its interval, from one value a replicate. Must not know which metric a number is, only its range.

use crate::metrics::{CombinedResponse, Nanos, Part, Response};
use crate::statistics::{Estimate, paired_ratio};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) const NANOS_PER_MS: f64 = 1e6;

/// A number from replicates: mean with its 95 % t-interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Mean over the replicates in which it is defined; null when none.
    pub mean: Option<f64>,
    /// The value over the merged histograms of all replicates: only for percentiles, and what tables show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<f64>,
    /// Lower end; null when n < 2, and of an upper bound.
    pub low: Option<f64>,
    /// Upper end; null when n < 2, and of a lower bound.
    pub high: Option<f64>,
    /// Replicates in which it is defined.
    pub n: u32,
    /// A lower bound, compared as such only: a quantile, mean or maximum that failed or unfinished operations reach, or a ratio of one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub censored: bool,
    /// An upper bound, compared as such only: a ratio to a lower bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
}

/// A metric: one number, a family (`write_response_ms.p99`), or a word (`hotspot`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Metric {
    /// A number.
    Number(Measure),
    /// A word.
    Word(String),
    /// A family.
    Family(BTreeMap<String, Measure>),
}

/// A paired difference between two strategies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Strategy compared.
    pub strategy: String,
    /// The point of the sweep at which both ran; empty without a sweep.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sweep: BTreeMap<String, serde_json::Value>,
    /// With this one.
    pub baseline: String,
    /// Of this metric.
    pub metric: String,
    /// Mean of the paired ratios (geometric), with its interval; null where undefined, or where both values are lower bounds. A bound where one of
    /// them is.
    pub ratio: Measure,
    /// The interval excludes 1; of a bound, its one end does.
    pub significant: bool,
}

impl Measure {
    /// Of no replicate.
    pub const UNDEFINED: Self = Self {
        mean: None,
        merged: None,
        low: None,
        high: None,
        n: 0,
        censored: false,
        upper_bound: false,
    };

    /// Mean and interval over the replicates in which it is defined, cut to `range`.
    pub fn of(values: &[Option<f64>], range: (f64, f64)) -> Self {
        let defined = values.iter().flatten().copied();
        let defined: Vec<f64> = defined.filter(|value| value.is_finite()).collect();
        let estimate = Estimate::of(&defined);
        estimate.map(|it| it.clamped(range.0, range.1)).into()
    }

    /// Failed or unfinished operations leave it open: a lower bound. The lower end of its interval still is one.
    pub(super) fn lower_bound(self) -> Self {
        Self {
            high: None,
            censored: true,
            ..self
        }
    }

    /// A ratio, or a difference, of two values of which some are lower bounds: a lower bound where the first is, an upper one where the
    /// other is, and unknown where both are.
    pub(super) fn bounded(self, first: bool, other: bool) -> Self {
        match (first, other) {
            (false, false) => self,
            (true, false) => self.lower_bound(),
            (false, true) => Self {
                low: None,
                upper_bound: true,
                ..self
            },
            (true, true) => Self::UNDEFINED.lower_bound(),
        }
    }

    /// Whether all that it may be lies above `value`: the lower end of its interval does.
    pub(super) fn is_above(&self, value: f64) -> bool {
        !self.upper_bound && self.low.or(self.mean).is_some_and(|low| low > value)
    }

    /// Whether all that it may be lies below `value`.
    pub(super) fn is_below(&self, value: f64) -> bool {
        !self.censored && self.high.or(self.mean).is_some_and(|high| high < value)
    }

    /// Whether the ratio differs from one: its interval excludes it.
    pub(super) fn differs_from_one(&self) -> bool {
        self.low.is_some_and(|low| low > 1.0) || self.high.is_some_and(|high| high < 1.0)
    }
}

/// Undefined where there is none.
impl From<Option<Estimate>> for Measure {
    fn from(estimate: Option<Estimate>) -> Self {
        estimate.map_or(Self::UNDEFINED, Self::from)
    }
}

impl From<Estimate> for Measure {
    fn from(estimate: Estimate) -> Self {
        Self {
            mean: Some(estimate.mean),
            low: estimate.interval.map(|(low, _)| low),
            high: estimate.interval.map(|(_, high)| high),
            n: estimate.n,
            ..Self::UNDEFINED
        }
    }
}

/// One metric over another, paired by replicate. `None` when a pair has no ratio (one of them is zero): leaving that pair out would judge by the
/// others alone.
pub(super) fn ratio(values: &[Option<f64>], bases: &[Option<f64>]) -> Option<Estimate> {
    let pairs = values.iter().zip(bases);
    let pairs = pairs.filter_map(|(value, base)| (*value).zip(*base));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let ratio = paired_ratio(pairs.iter().copied());
    ratio.filter(|ratio| ratio.n as usize == pairs.len())
}

/// Mean, percentiles and maximum of one replicate, in the order of [`Part::ALL`].
pub(super) type ResponseParts = Vec<Option<Nanos>>;

/// The parts of one cohort.
pub(super) fn response_parts(response: &CombinedResponse) -> ResponseParts {
    let part = |part: &Part| match part.quantile() {
        Some(q) => response.quantile(q),
        None if *part == Part::Max => response.max(),
        None => response.mean(),
    };
    Part::ALL.iter().map(part).collect()
}

/// A family of response times in milliseconds: each part's mean over the replicates, and of a percentile (or the maximum) the value over
/// all their operations together. What failed or unfinished operations leave open, in any
/// replicate or together, is a lower bound.
pub(super) fn response_family(
    replicates: &[&ResponseParts],
    merged: &Response,
) -> BTreeMap<String, Measure> {
    let merged = response_parts(&merged.combined());
    let measure = |part: Part| {
        let millis = |nanos: Nanos| nanos.value / NANOS_PER_MS;
        let together = merged[part as usize];
        let each = replicates.iter().map(|parts| parts[part as usize]);
        let values: Vec<Option<f64>> = each.clone().map(|nanos| nanos.map(millis)).collect();
        let measure = Measure {
            merged: together.filter(|_| part != Part::Mean).map(millis),
            ..Measure::of(&values, (0.0, f64::INFINITY))
        };
        let is_open = each.chain([together]).flatten().any(|nanos| nanos.censored);
        match is_open {
            true => measure.lower_bound(),
            false => measure,
        }
    };
    let named = |&part: &Part| (part.name().to_owned(), measure(part));
    Part::ALL.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_replicates_are_left_out_and_intervals_are_cut() {
        let measure = Measure::of(&[Some(0.98), None, Some(1.0), Some(f64::NAN)], (0.0, 1.0));
        assert_eq!(
            (measure.mean, measure.high, measure.n),
            (Some(0.99), Some(1.0), 2)
        );
        assert!(measure.low.unwrap() < 0.9);
        assert_eq!(Measure::of(&[None, None], (0.0, 1.0)), Measure::UNDEFINED);
        let one = Measure::of(&[Some(0.3)], (0.0, 1.0));
        assert_eq!(
            (one.mean, one.low, one.high, one.n),
            (Some(0.3), None, None, 1)
        );
    }

    #[test]
    fn a_percentile_shows_its_value_over_all_replicates() {
        const MS: u64 = 1_000_000;
        let (mut first, mut second) = (Response::new(MS), Response::new(MS));
        (0..97).for_each(|_| first.record(2 * MS));
        (0..3).for_each(|_| first.record(8 * MS));
        (0..100).for_each(|_| second.record(6 * MS));
        let parts = [&first, &second].map(|response| response_parts(&response.combined()));
        let mut merged = first.clone();
        merged.add(&second);
        let family = response_family(&parts.each_ref(), &merged);
        let near =
            |found: Option<f64>, expected: f64| (found.unwrap() / expected - 1.0).abs() < 1e-3;
        // The mean of 2 and 6; of all 200 operations 97 took 2 ms, and the hundredth 6.
        assert!(near(family["p50"].mean, 4.0) && near(family["p50"].merged, 6.0));
        assert!(near(family["p90"].merged, 6.0) && near(family["p90"].mean, 4.0));
        assert!(near(family["max"].merged, 8.0) && near(family["max"].mean, 7.0));
        assert!(near(family["mean"].mean, 4.09) && family["mean"].merged.is_none());
        assert!(!family["p99"].censored);
        merged.record_unfinished(9 * MS);
        assert!(response_family(&parts.each_ref(), &merged)["max"].censored);
    }

    #[test]
    fn one_replicate_that_unfinished_operations_leave_open_makes_the_mean_a_lower_bound() {
        const MS: u64 = 1_000_000;
        let (mut first, mut second) = (Response::new(MS), Response::new(MS));
        (0..1_000).for_each(|_| first.record(2 * MS));
        (0..20).for_each(|_| second.record(6 * MS));
        second.record_unfinished(MS);
        second.record_unfinished(7 * MS);
        let parts = [&first, &second].map(|response| response_parts(&response.combined()));
        let mut merged = first.clone();
        merged.add(&second);
        assert!(!response_parts(&merged.combined())[3].unwrap().censored);
        let p99 = response_family(&parts.each_ref(), &merged)["p99"];
        assert!(p99.censored && p99.high.is_none() && p99.n == 2, "{p99:?}");
    }
}
