//! Classes of values that were met: as many as there are.

use super::*;
use crate::random::{DrawKey, Seed, Stream};

const DRAWN: u64 = 131_072;

/// Rows that so many writes make of values in classes.
fn rows(classes: &[MadeClass], writes: f64) -> f64 {
    let of = |it: &MadeClass| it.part * it.draws * (1.0 - (-writes / it.draws).exp());
    classes.iter().map(of).sum()
}

fn met(value: impl Fn(f64) -> u64) -> Arc<[MadeClass]> {
    let key = DrawKey::new(Seed(5), 0, Stream::Sample, 0);
    let hashes = (0..DRAWN).map(|at| value(key.at(at).unit()));
    let mut met = Met {
        of_each: DRAWN as f64,
        ..Met::default()
    };
    met.add(hashes.collect());
    met.classes().expect("values")
}

#[test]
fn equally_likely_values_are_as_many_as_there_are_however_often_they_are_met() {
    for values in [10.0, 3_000.0, 60_000.0, 1e6] {
        let found = met(|unit| (unit * values) as u64);
        for writes in [0.1 * values, values, 3.0 * values] {
            let right = values * (1.0 - (-writes / values).exp());
            let own = rows(&found, writes);
            assert!((own / right - 1.0).abs() < 0.02, "{values}: {own} {right}");
        }
    }
}

#[test]
fn values_that_come_unevenly_make_their_rows() {
    // The density of a value x of 100,000 falls as 1 / sqrt(x): x is the square of an even one.
    let values = 1e5;
    let found = met(|unit| (unit * unit * values) as u64);
    let share = |x: f64| (((x + 1.0) / values).sqrt()) - (x / values).sqrt();
    for writes in [1e3, 1e4, 1e5] {
        let each = (0..100_000).map(|x| 1.0 - (-writes * share(f64::from(x))).exp());
        let (own, right) = (rows(&found, writes), each.sum::<f64>());
        assert!((own / right - 1.0).abs() < 0.02, "{writes}: {own} {right}");
    }
}

#[test]
fn values_that_never_come_twice_are_without_end() {
    let found = met(|unit| unit.to_bits());
    assert_eq!(found.len(), 1);
    assert!(found[0].draws.is_infinite());
}
