//! Shares of values against the draws that follow them, and against sums that are added up.

use super::sampler_tests::assert_values_fit;
use super::{
    Distribution, DistributionShape, Field, FieldId, FieldKind, Schema, ValueSampler, ValueShares,
    zipf,
};
use crate::random::{DrawKey, Seed, Stream};
use crate::time::EpochNanos;

const FIELD: FieldId = FieldId(0);

fn share(shares: &ValueShares, slot: i64) -> f64 {
    shares.share_between(slot, slot + 1)
}

fn schema(first: i64, count: u64) -> Schema {
    let mut item = Field::new("item", FieldKind::Int { first, count });
    item.law.ranked = true;
    Schema {
        fields: vec![item],
        time_range: (EpochNanos(0), EpochNanos(1)),
        sequence_span: 1,
    }
}

fn laws(count: u64) -> Vec<Distribution> {
    let shapes = [
        (DistributionShape::Uniform, vec![]),
        (DistributionShape::Uniform, vec![0.2, 0.1]),
        (DistributionShape::Zipf { exponent: 0.7 }, vec![]),
        (DistributionShape::Zipf { exponent: 1.0 }, vec![0.3]),
        (DistributionShape::Zipf { exponent: 1.4 }, vec![]),
        (
            DistributionShape::Hotspot {
                keys: 0.1,
                load: 0.8,
            },
            vec![0.05],
        ),
        (DistributionShape::Weights(vec![4.0, 1.0, 3.0]), vec![]),
        (
            DistributionShape::Normal {
                mean: 20.0 + 0.4 * count as f64,
                sd: 0.2 * count as f64,
            },
            vec![],
        ),
    ];
    let law = |ranked| {
        shapes
            .clone()
            .into_iter()
            .map(move |(shape, top)| Distribution { shape, top, ranked })
    };
    law(true).chain(law(false)).collect()
}

#[test]
fn shares_of_all_values_add_up_to_one_and_ranges_to_their_values() {
    for count in [1, 2, 40, 5_000] {
        let schema = schema(20, count);
        for law in laws(count) {
            if law.top.len() as u64 >= count {
                continue;
            }
            let shares = ValueShares::new(&schema, FIELD, &law, Seed(5), 1).expect("counted");
            let sum: f64 = (20..20 + count as i64)
                .map(|slot| share(&shares, slot))
                .sum();
            assert!((sum - 1.0).abs() < 1e-9, "{law:?} over {count}: {sum}");
            assert!((shares.share_between(i64::MIN, i64::MAX) - 1.0).abs() < 1e-9);
            assert_eq!(
                (share(&shares, 19), share(&shares, 20 + count as i64)),
                (0.0, 0.0)
            );
            let (low, high) = (25, 20 + count as i64 / 2);
            let range: f64 = (low..high).map(|slot| share(&shares, slot)).sum();
            assert!((shares.share_between(low, high) - range).abs() < 1e-12);
        }
    }
}

#[test]
fn shares_over_too_many_values_for_a_table_add_up_too() {
    let count = 3_000_000;
    let schema = schema(20, count);
    for law in laws(count).iter().filter(|law| law.ranked) {
        let shares = ValueShares::new(&schema, FIELD, law, Seed(5), 1).expect("counted");
        let halves = [(20, 700_020), (700_020, 3_000_020)];
        let sum: f64 = halves
            .iter()
            .map(|(low, high)| shares.share_between(*low, *high))
            .sum();
        assert!((sum - 1.0).abs() < 1e-9, "{law:?}: {sum}");
        let range: f64 = (20..1_020).map(|slot| share(&shares, slot)).sum();
        assert!(
            (shares.share_between(20, 1_020) - range).abs() < 1e-9,
            "{law:?}"
        );
    }
    // Ranks are dealt to values one to one.
    let law = Distribution {
        shape: DistributionShape::Zipf { exponent: 0.9 },
        top: vec![0.2],
        ranked: false,
    };
    let shares = ValueShares::new(&schema, FIELD, &law, Seed(5), 1).expect("counted");
    let sum: f64 = (20..3_000_020).map(|slot| share(&shares, slot)).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    let greatest = (20..3_000_020)
        .map(|slot| share(&shares, slot))
        .fold(0.0, f64::max);
    assert!((greatest - 0.2).abs() < 1e-12);
}

#[test]
fn draws_follow_the_shares() {
    for (count, seed) in [(30, 1u64), (2_000_000, 2)] {
        let schema = schema(20, count);
        for (lane, law) in laws(count).into_iter().enumerate() {
            let shares = ValueShares::new(&schema, FIELD, &law, Seed(seed), 1).expect("counted");
            let sampler = ValueSampler::new(&schema, FIELD, &law, Seed(seed), 1).expect("counted");
            let key = DrawKey::new(Seed(seed), 0, Stream::Records, lane as u32);
            let values: Vec<u64> = (0..100_000)
                .map(|draw| (sampler.draw(&mut key.at(draw)) - 20) as u64)
                .collect();
            // Cells: the likeliest values each by itself, all others together.
            let mut likely: Vec<u64> = values.clone();
            likely.sort_unstable();
            likely.dedup();
            likely.retain(|value| share(&shares, 20 + *value as i64) > 0.01);
            let mut cells: Vec<(u64, u64)> =
                likely.iter().map(|value| (*value, value + 1)).collect();
            let rest: f64 = 1.0
                - likely
                    .iter()
                    .map(|value| share(&shares, 20 + *value as i64))
                    .sum::<f64>();
            let relabelled: Vec<u64> = values
                .iter()
                .map(|value| {
                    if likely.contains(value) {
                        *value
                    } else {
                        count
                    }
                })
                .collect();
            if rest > 1e-3 {
                cells.push((count, count + 1));
            }
            if cells.len() > 1 {
                assert_values_fit(&relabelled, &cells, |value| {
                    if value == count {
                        rest
                    } else {
                        share(&shares, 20 + value as i64)
                    }
                });
            }
        }
    }
}

#[test]
fn sums_of_zipfs_weights_are_those_of_their_terms() {
    for exponent in [0.3, 1.0, 1.0 + 1e-10, 2.5] {
        for (first, last) in [
            (1, 1),
            (1, 50),
            (1, 64),
            (3, 100_000),
            (900, 70_000),
            (5, 4),
        ] {
            let terms: f64 = (first..=last)
                .map(|rank: u64| (rank as f64).powf(-exponent))
                .sum();
            let sum = zipf::sum(first, last, exponent);
            assert!(
                (sum - terms).abs() <= 1e-8 * terms,
                "{first}..={last}^-{exponent}: {sum} {terms}"
            );
        }
    }
}
