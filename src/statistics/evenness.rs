//! How evenly a total is spread over its holders; idle holders count. Must not know what is held.

/// Number of equal holders that would be as concentrated: `1 / sum p^2` (the inverse of Simpson's index), in `1 ..= n`.
/// `None` when nothing is held.
pub fn effective_number(loads: impl Iterator<Item = u64>) -> Option<f64> {
    let (mut total, mut squares) = (0.0, 0.0);
    for load in loads {
        let load = load as f64;
        total += load;
        squares += load * load;
    }
    (total > 0.0).then(|| total * total / squares)
}

/// Gini coefficient with the small-sample factor n / (n - 1): 0 when all hold the same, 1 when one holds everything, for any n.
/// `loads` are the holders of something, in any order (they are sorted in place); `idle` more hold nothing.
/// `None` with fewer than two holders or when nothing is held. O(k log k) in the non-idle holders.
pub fn gini(loads: &mut [u64], idle: u64) -> Option<f64> {
    loads.sort_unstable();
    gini_of_runs(loads.iter().map(|&load| (load, 1)), idle)
}

/// [`gini`] of `(load, holders with that load)` in ascending order of load.
pub fn gini_of_runs(runs: impl Iterator<Item = (u64, u64)>, idle: u64) -> Option<f64> {
    // sum (2 i - n - 1) x_i / (n S) over ranks i = 1..n, times n / (n - 1). The ranks of a run of equal loads average to
    // its middle; the sum of ranks is kept apart so that n need not be known beforehand.
    let (mut held, mut total, mut ranked) = (idle as f64, 0.0, 0.0);
    for (load, holders) in runs {
        let (load, holders) = (load as f64, holders as f64);
        ranked += load * holders * (held + (holders + 1.0) / 2.0);
        total += load * holders;
        held += holders;
    }
    let n = held;
    (n >= 2.0 && total > 0.0)
        .then(|| ((2.0 * ranked - (n + 1.0) * total) / ((n - 1.0) * total)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_number_counts_equal_holders() {
        // 100 / (49 + 4 + 1) of p = 0.7, 0.2, 0.1.
        let found = effective_number([7, 0, 2, 1].into_iter()).unwrap();
        assert!((found - 100.0 / 54.0).abs() < 1e-12);
        assert_eq!(effective_number([3, 3, 3].into_iter()), Some(3.0));
        assert_eq!(effective_number([0, 0].into_iter()), None);
    }

    #[test]
    fn gini_equals_the_mean_absolute_difference() {
        let loads = [5u64, 1, 0, 14, 0, 3];
        let n = loads.len() as f64;
        let mut differences = 0.0;
        for a in loads {
            for b in loads {
                differences += a.abs_diff(b) as f64;
            }
        }
        let total: u64 = loads.iter().sum();
        let plain = differences / (2.0 * n * total as f64);
        let mut held = [5u64, 1, 14, 3];
        assert!((gini(&mut held, 2).unwrap() - plain * n / (n - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn gini_reaches_one_when_one_of_any_number_holds_everything() {
        assert_eq!(gini(&mut [8], 7), Some(1.0));
        assert_eq!(gini(&mut [8], 1), Some(1.0));
        assert_eq!(gini(&mut [8, 8, 8], 0), Some(0.0));
        assert_eq!(gini(&mut [8], 0), None);
        assert_eq!(gini(&mut [], 5), None);
    }

    #[test]
    fn runs_of_equal_loads_give_the_gini_of_their_members() {
        let found = gini_of_runs([(1, 3), (4, 2)].into_iter(), 2).unwrap();
        assert!((found - gini(&mut [4, 1, 1, 4, 1], 2).unwrap()).abs() < 1e-12);
    }
}
