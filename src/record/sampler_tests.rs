//! Every law against its closed form, by chi-square.

use super::sampler::Sampler;
use super::{Distribution, DistributionShape};
use crate::random::{DrawKey, Permutation, Seed, Stream};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

/// A right sampler fails one test in a million; seeds are fixed, so a pass is a pass for good.
const SIGNIFICANCE: f64 = 1e-6;

const DRAWS: u64 = 400_000;

fn law(shape: DistributionShape, top: &[f64]) -> Distribution {
    Distribution {
        shape,
        top: top.to_vec(),
        ranked: true,
    }
}

fn key(lane: u32) -> DrawKey {
    DrawKey::new(Seed(20_260_101), 3, Stream::Records, lane)
}

/// Draws values and compares their counts with `probability` of each of `cells` (start, end) ranges.
fn assert_fits(sampler: &Sampler, cells: &[(u64, u64)], probability: impl Fn(u64) -> f64) {
    let values: Vec<u64> = (0..DRAWS)
        .map(|i| sampler.sample(&mut key(1).at(i)))
        .collect();
    assert_values_fit(&values, cells, probability);
}

pub(super) fn assert_values_fit(
    values: &[u64],
    cells: &[(u64, u64)],
    probability: impl Fn(u64) -> f64,
) {
    let mut statistic = 0.0;
    let mut sum = 0.0;
    for (from, to) in cells {
        let seen = values
            .iter()
            .filter(|value| (from..to).contains(value))
            .count() as f64;
        let share: f64 = (*from..*to).map(&probability).sum();
        let expected = share * values.len() as f64;
        assert!(
            expected >= 10.0,
            "cell {from}..{to} expects only {expected}"
        );
        sum += share;
        statistic += (seen - expected) * (seen - expected) / expected;
    }
    assert!((sum - 1.0).abs() < 1e-6, "the cells hold {sum}");
    let freedom = (cells.len() - 1) as f64;
    let critical = ChiSquared::new(freedom)
        .expect("positive")
        .inverse_cdf(1.0 - SIGNIFICANCE);
    assert!(
        statistic < critical,
        "chi-square {statistic} with {freedom} degrees, critical {critical}"
    );
}

fn each(count: u64) -> Vec<(u64, u64)> {
    (0..count).map(|value| (value, value + 1)).collect()
}

/// The first ranks one by one, then ranges that double.
fn doubling(count: u64) -> Vec<(u64, u64)> {
    let mut cells = each(20);
    let mut from = 20;
    while from < count {
        let to = if from * 4 > count { count } else { from * 2 };
        cells.push((from, to));
        from = to;
    }
    cells
}

fn zipf(count: u64, exponent: f64) -> impl Fn(u64) -> f64 {
    let sum: f64 = (1..=count).map(|rank| (rank as f64).powf(-exponent)).sum();
    move |rank| ((rank + 1) as f64).powf(-exponent) / sum
}

#[test]
fn uniform_values_are_all_alike() {
    let sampler = Sampler::new(&law(DistributionShape::Uniform, &[]), 137, 0.0, key(0));
    assert_fits(&sampler, &each(137), |_| 1.0 / 137.0);
}

#[test]
fn tabulated_zipf_ranks_fall_by_their_power() {
    for exponent in [0.5, 0.99, 1.0, 1.8] {
        let sampler = Sampler::new(
            &law(DistributionShape::Zipf { exponent }, &[]),
            1_000,
            0.0,
            key(0),
        );
        assert!(matches!(sampler, Sampler::Table { .. }));
        assert_fits(&sampler, &doubling(1_000), zipf(1_000, exponent));
    }
}

#[test]
fn zipf_over_millions_of_ranks_falls_by_its_power() {
    let count = 3_000_000;
    for exponent in [0.7, 1.0, 1.3] {
        let sampler = Sampler::new(
            &law(DistributionShape::Zipf { exponent }, &[]),
            count,
            0.0,
            key(0),
        );
        assert!(matches!(sampler, Sampler::Ranks { .. }));
        assert_fits(&sampler, &doubling(count), zipf(count, exponent));
    }
}

#[test]
fn given_top_shares_leave_the_rest_to_the_shape() {
    let top = [0.3, 0.1, 0.02];
    for count in [500, 2_000_000] {
        let sampler = Sampler::new(
            &law(DistributionShape::Zipf { exponent: 0.8 }, &top),
            count,
            0.0,
            key(0),
        );
        let shape = zipf(count, 0.8);
        let rest = 1.0 - (0..3).map(&shape).sum::<f64>();
        assert_fits(&sampler, &doubling(count), |rank| {
            match top.get(rank as usize) {
                Some(share) => *share,
                None => 0.58 * shape(rank) / rest,
            }
        });
    }
}

#[test]
fn a_hotspot_gives_its_keys_their_load() {
    // Above 2^20 values it is computed, below tabulated; with and without the first two ranks' own shares.
    for (count, hot) in [(50u64, 10u64), (2_000_000, 400_000)] {
        let sampler = Sampler::new(
            &law(
                DistributionShape::Hotspot {
                    keys: 0.2,
                    load: 0.75,
                },
                &[],
            ),
            count,
            0.0,
            key(0),
        );
        let tenth = count / 10;
        let cells: Vec<(u64, u64)> = (0..10).map(|i| (i * tenth, (i + 1) * tenth)).collect();
        assert_fits(&sampler, &cells, |rank| {
            if rank < hot {
                0.75 / hot as f64
            } else {
                0.25 / (count - hot) as f64
            }
        });

        let topped = law(
            DistributionShape::Hotspot {
                keys: 0.2,
                load: 0.75,
            },
            &[0.2, 0.1],
        );
        let sampler = Sampler::new(&topped, count, 0.0, key(0));
        let left = 0.75 * (hot - 2) as f64 / hot as f64 + 0.25;
        let mut cells = vec![(0, 1), (1, 2), (2, tenth)];
        cells.extend((1..10).map(|i| (i * tenth, (i + 1) * tenth)));
        assert_fits(&sampler, &cells, |rank| match rank {
            0 => 0.2,
            1 => 0.1,
            _ if rank < hot => 0.7 * 0.75 / hot as f64 / left,
            _ => 0.7 * 0.25 / (count - hot) as f64 / left,
        });
    }
}

#[test]
fn weights_count_and_ranks_beyond_the_list_never_come() {
    for count in [7, 5_000_000] {
        let weights = vec![5.0, 0.0, 3.0, 2.0];
        let sampler = Sampler::new(
            &law(DistributionShape::Weights(weights), &[]),
            count,
            0.0,
            key(0),
        );
        let values: Vec<u64> = (0..DRAWS)
            .map(|i| sampler.sample(&mut key(1).at(i)))
            .collect();
        assert!(values.iter().all(|value| [0, 2, 3].contains(value)));
        assert_values_fit(&values, &[(0, 1), (1, 3), (3, 4)], |rank| {
            [0.5, 0.0, 0.3, 0.2][rank as usize]
        });
    }
}

#[test]
fn a_normal_law_is_rounded_and_redrawn_outside_its_domain() {
    // A fifth of the law lies below the first value, 100.
    let (mean, sd, count) = (110.0, 12.0, 60);
    let sampler = Sampler::new(
        &law(DistributionShape::Normal { mean, sd }, &[]),
        count,
        100.0,
        key(0),
    );
    let normal = Normal::new(mean - 100.0, sd).expect("a law");
    let inside = normal.cdf(59.5) - normal.cdf(-0.5);
    let mut cells = each(40);
    cells.push((40, 60));
    assert_fits(&sampler, &cells, |value| {
        (normal.cdf(value as f64 + 0.5) - normal.cdf(value as f64 - 0.5)) / inside
    });
}

#[test]
fn a_normal_law_over_more_values_than_a_table_holds_keeps_its_shape() {
    let count = 8_000_000u64;
    // A narrow domain is drawn by accepting uniform numbers, a wide one by redrawing normal ones.
    for sd in [900_000.0, 6_000_000.0] {
        let mean = 3_000_000.0;
        let sampler = Sampler::new(
            &law(DistributionShape::Normal { mean, sd }, &[]),
            count,
            0.0,
            key(0),
        );
        assert!(matches!(sampler, Sampler::Normal { .. }));
        let normal = Normal::new(mean, sd).expect("a law");
        let inside = normal.cdf(count as f64 - 0.5) - normal.cdf(-0.5);
        let cells: Vec<(u64, u64)> = (0..16).map(|i| (i * 500_000, (i + 1) * 500_000)).collect();
        let values: Vec<u64> = (0..DRAWS)
            .map(|i| sampler.sample(&mut key(1).at(i)))
            .collect();
        let seen: Vec<u64> = values.iter().map(|value| value / 500_000).collect();
        let share = |cell: u64| {
            let (from, to) = cells[cell as usize];
            (normal.cdf(to as f64 - 0.5) - normal.cdf(from as f64 - 0.5)) / inside
        };
        // Cells of the far tail are joined.
        let last = if sd < 1e6 { 12 } else { 15 };
        let mut joined = each(last);
        joined.push((last, 16));
        assert_values_fit(&seen, &joined, share);
    }
}

#[test]
fn a_mean_far_outside_the_domain_settles_at_its_nearest_end() {
    for count in [10, 9_000_000] {
        let shape = DistributionShape::Normal {
            mean: -1e12,
            sd: 1e3,
        };
        let sampler = Sampler::new(&law(shape, &[]), count, 0.0, key(0));
        assert_eq!(sampler.sample(&mut key(1).at(0)), 0);
    }
}

#[test]
fn ranks_are_dealt_to_values_by_the_permutation_of_the_key() {
    for count in [64, 3_000_000] {
        let ranked = law(DistributionShape::Zipf { exponent: 1.1 }, &[]);
        let dealt = Distribution {
            ranked: false,
            ..ranked.clone()
        };
        let order = Permutation::new(count, key(9));
        let sampler = Sampler::new(&dealt, count, 0.0, key(9));
        let rank_of: Vec<u64> = (0..DRAWS)
            .map(|i| order.position(sampler.sample(&mut key(1).at(i))))
            .collect();
        assert_values_fit(&rank_of, &doubling(count), zipf(count, 1.1));
    }
}
