//! Response time by percentile, merged over replicates, for the chart. Must not draw.

use super::Curve;
use crate::metrics::Response;

/// Points for each power of ten of 1 - q.
const POINTS_PER_DECADE: u32 = 12;
/// A quantile is drawn while at least so many operations lie beyond it.
const BEYOND: f64 = 10.0;

/// The curve: quantiles up to the one that ten operations exceed.
pub(super) fn of(response: Option<&Response>) -> Curve {
    let mut curve = Curve {
        points: Vec::new(),
        max_ms: None,
        censored_from: None,
    };
    let Some(response) = response.filter(|response| response.count() > 0) else {
        return curve;
    };
    let combined = response.combined();
    let count = combined.count() as f64;
    let mut quantiles = vec![0.0];
    for step in 1.. {
        let beyond = libm::pow(10.0, -f64::from(step) / f64::from(POINTS_PER_DECADE));
        if beyond * count < BEYOND {
            break;
        }
        quantiles.push(1.0 - beyond);
    }
    for q in quantiles {
        if let Some(nanos) = combined.quantile(q) {
            curve.points.push((q, nanos.value / 1e6));
            if nanos.censored && curve.censored_from.is_none() {
                curve.censored_from = Some(q);
            }
        }
    }
    curve.max_ms = combined.max().map(|nanos| nanos.value / 1e6);
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_ends_where_ten_operations_lie_beyond() {
        let mut response = Response::new(1_000_000_000);
        (1..=10_000u64).for_each(|i| response.record(i * 1_000));
        let curve = of(Some(&response));
        let (last, _) = *curve.points.last().unwrap();
        assert!((last - 0.999).abs() < 1e-9);
        assert!(
            curve
                .points
                .windows(2)
                .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1)
        );
        assert!((curve.max_ms.unwrap() - 10.0).abs() < 0.01);
        assert_eq!(curve.censored_from, None);
        assert_eq!(of(None).points, []);
    }

    #[test]
    fn it_says_from_where_it_is_a_lower_bound() {
        let mut response = Response::new(1_000_000_000);
        (1..=7_000u64).for_each(|i| response.record(i * 1_000));
        (0..3_000).for_each(|_| response.record_unfinished(8_000_000));
        let from = of(Some(&response)).censored_from.unwrap();
        assert!((0.69..0.75).contains(&from), "{from}");
    }
}
