//! Intervals against all values in them.

use super::*;

fn small() -> Vec<Interval> {
    let ends = -5..=5i64;
    ends.clone()
        .flat_map(|low| (low..=5).map(move |high| Interval { low, high }))
        .collect()
}

/// The least interval that holds `f` of every pair of values.
fn brute_force(a: Interval, b: Interval, f: impl Fn(i64, i64) -> i64) -> Interval {
    let values = (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| (x, y)));
    let found: Vec<i64> = values.map(|(x, y)| f(x, y)).collect();
    Interval {
        low: *found.iter().min().unwrap(),
        high: *found.iter().max().unwrap(),
    }
}

#[test]
fn sums_products_quotients_and_absolute_values_have_exact_ends() {
    for a in small() {
        assert_eq!(a.abs(), brute_force(a, a, |x, _| x.abs()), "{a}");
        for b in small() {
            assert_eq!(
                Operator::Add.range(a, b),
                brute_force(a, b, |x, y| x + y),
                "{a} {b}"
            );
            assert_eq!(
                Operator::Subtract.range(a, b),
                brute_force(a, b, |x, y| x - y),
                "{a} {b}"
            );
            assert_eq!(
                Operator::Multiply.range(a, b),
                brute_force(a, b, |x, y| x * y),
                "{a} {b}"
            );
            if !b.contains(0) {
                assert_eq!(
                    Operator::Divide.range(a, b),
                    brute_force(a, b, |x, y| x / y),
                    "{a} {b}"
                );
            }
        }
    }
}

#[test]
fn remainders_hold_every_value_and_lie_between_zero_and_operand_and_divisor() {
    let holds = |wide: Interval, narrow: Interval| narrow.within(wide.low, wide.high);
    for a in small() {
        for b in small().into_iter().filter(|b| !b.contains(0)) {
            let found = a.remainder(b);
            assert!(holds(found, brute_force(a, b, |x, y| x % y)), "{a} {b}");
            let most = b.low.abs().max(b.high.abs()) - 1;
            let bounds = Interval {
                low: a.low.clamp(-most, 0),
                high: a.high.clamp(0, most),
            };
            let unchanged = b.low == b.high && a.low >= 0 && a.high <= most;
            assert_eq!(found, if unchanged { a } else { bounds }, "{a} {b}");
            if b.low > 0 {
                let found = a.pmod(b);
                let values = brute_force(a, b, i64::rem_euclid);
                assert!(holds(found, values), "{a} {b}");
                assert!(holds(Interval::new(0, most), found), "{a} {b}");
            }
        }
    }
}

#[test]
fn what_leaves_64_bits_may_be_anything() {
    let (least, most) = (Interval::one(i64::MIN), Interval::one(i64::MAX));
    let one = Interval::one(1);
    assert_eq!(Operator::Add.range(most, one), Interval::ALL);
    assert_eq!(Operator::Subtract.range(least, one), Interval::ALL);
    assert_eq!(
        Operator::Multiply.range(most, Interval::new(1, 2)),
        Interval::ALL
    );
    assert_eq!(
        Operator::Divide.range(least, Interval::one(-1)),
        Interval::ALL
    );
    assert_eq!(Operator::Divide.range(least, one), least);
    // As Java's `Math.abs`, which leaves the least value negative.
    assert_eq!(least.abs(), least);
    assert_eq!(Interval::new(i64::MIN, 0).abs(), Interval::ALL);
    assert_eq!(
        Interval::new(i64::MIN + 1, 0).abs(),
        Interval::new(0, i64::MAX)
    );
}

#[test]
fn values_are_counted_and_found() {
    assert_eq!(Interval::new(-3, 4).count(), 8);
    assert_eq!(Interval::ALL.count(), 1 << 64);
    assert_eq!(Interval::one(7).single(), Some(7));
    assert_eq!(Interval::new(7, 8).single(), None);
    let some = Interval::new(-2, 3);
    assert_eq!(
        [-3, -2, 3, 4].map(|value| some.contains(value)),
        [false, true, true, false]
    );
    assert!(some.within(-2, 3) && !some.within(-1, 3) && !some.within(-2, 2));
    assert_eq!(
        [some, Interval::one(-2)].map(|it| it.to_string()),
        ["-2..=3", "-2"]
    );
}
