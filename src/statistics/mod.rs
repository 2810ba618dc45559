//! Pure statistics: means and fractions with intervals, paired ratios, quantiles, evenness, what
//! an even spread looks like by chance, and whether a series has settled.
//!
//! Must not know what is counted, nor how a number is printed.

mod balls_in_bins;
mod estimate;
mod evenness;
mod greatest_rate;
mod interval;
mod least_number;
mod placement_peaks;
mod predicted_peak;
mod quantile;
mod quantile_sketch;
mod rank_correlation;
#[cfg(test)]
mod sample_median_fixture;
mod warm_up;

pub use balls_in_bins::{ExpectedPeak, expected_peak, values_met};
pub use estimate::{Estimate, paired_ratio, unpaired_difference, unpaired_ratio};
pub use evenness::{effective_number, gini, gini_of_runs};
pub use greatest_rate::greatest_rate;
pub use interval::Interval;
pub use least_number::mean_of_least;
pub use placement_peaks::{DealtPeaks, IntervalWeights, PlacementPeaks};
pub use predicted_peak::{PredictedPeak, predicted_peak, sample_size_for};
pub use quantile::{median, quantile, weighted_median, weighted_quantile};
pub use quantile_sketch::QuantileSketch;
pub use rank_correlation::{EvenSample, rank_correlation};
#[cfg(test)]
pub(crate) use sample_median_fixture::sample_median_error;
pub use warm_up::{Settling, settling};
