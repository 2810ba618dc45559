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

/// The same of values with weights (> 0), `(value, weight)`: an order statistic lies at the weight of those below it and half of its own, from the first
/// (0) to the last (1). Of equal weights it is [`quantile`].
pub fn weighted_quantile(values: &[(f64, f64)], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let all: f64 = sorted.iter().map(|it| it.1).sum();
    let mut left = q.clamp(0.0, 1.0) * (all - (first.1 + last.1) / 2.0);
    for pair in sorted.windows(2) {
        let (below, above) = (pair[0], pair[1]);
        let step = (below.1 + above.1) / 2.0;
        if left < step {
            return Some(below.0 + left / step * (above.0 - below.0));
        }
        left -= step;
    }
    Some(last.0)
}

/// The value that half of the weight has or falls below. `None` when there are no values.
pub fn weighted_median(values: &[(f64, f64)]) -> Option<f64> {
    weighted_quantile(values, 0.5)
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

    #[test]
    fn weights_count_as_often_as_the_value_is_there() {
        let values = [9.0, 1.0, 4.0, 2.0];
        for q in [0.0, 0.3, 0.5, 0.95, 1.0] {
            let found = weighted_quantile(&values.map(|value| (value, 3.0)), q).unwrap();
            assert!((found - quantile(&values, q).unwrap()).abs() < 1e-12, "{q}");
        }
        // Ten quiet seconds do not outvote six in which nearly everything is written.
        let quiet = [(4.0, 300.0); 10];
        let busy = [(1.04, 20_300.0); 6];
        assert_eq!(weighted_median(&[&quiet[..], &busy].concat()), Some(1.04));
        // From 0 to 2.5 = 1 / 2 + 4 / 2 the first pair, the second to 6.5: half of it, 3.25, lies 0.75 / 4 into that.
        let found = weighted_median(&[(5.0, 1.0), (6.0, 4.0), (8.0, 4.0)]).unwrap();
        assert!((found - (6.0 + 2.0 * 0.75 / 4.0)).abs() < 1e-12, "{found}");
        assert_eq!(weighted_median(&[(7.0, 2.0)]), Some(7.0));
        assert_eq!(weighted_median(&[]), None);
    }
}
