//! Quantiles of a few numbers. Must not be used for response times: those have histograms.

/// The `q`-quantile of `values` (0 <= q <= 1) by linear interpolation between order statistics at position `q (n - 1)`:
/// type 7 of Hyndman and Fan (1996), the default of R and NumPy. `None` when there are no values. Sorts a copy: O(n log n).
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = position as usize;
    let above = (below + 1).min(last);
    let fraction = position - below as f64;
    Some(sorted[below] + fraction * (sorted[above] - sorted[below]))
}

/// The middle value, or the mean of the middle two. `None` when there are no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_order_statistics() {
        let values = [9.0, 1.0, 4.0, 2.0];
        assert_eq!(median(&values), Some(3.0));
        // Position 0.95 * 3 = 2.85 between 4 and 9.
        assert!((quantile(&values, 0.95).unwrap() - 8.25).abs() < 1e-12);
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 1.0), Some(9.0));
        assert_eq!(median(&[7.0, 5.0, 6.5]), Some(6.5));
        assert_eq!(median(&[]), None);
    }
}
