//! Functions from integers to integers.

use super::super::checker::Checker;
use super::super::code::{IntCode, IntOp};
use super::super::interval::Interval;
use super::super::typed::{Facts, Spread, Typed};
use super::Call;

/// `pmod`.
pub(super) fn pmod(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let value = call.int(checker, 0);
    let modulus = call.int(checker, 1);
    let ((value, facts), (modulus, modulus_facts)) = (value?, modulus?);
    if modulus.range.low < 1 {
        let written = checker.written(&call.arguments[1].span);
        let message = format!(
            "`{written}` takes {}, but `pmod` needs at least 1",
            modulus.range
        );
        return checker.error(
            &call.arguments[1].span,
            message,
            "expected 1 or more",
            Some("the result lies from 0 to n - 1"),
        );
    }
    let range = value.range.pmod(modulus.range);
    if let (IntOp::Const(a), IntOp::Const(n)) = (&value.op, &modulus.op) {
        return Some(Typed::int(a.rem_euclid(*n)));
    }
    let unchanged = range == value.range;
    let merged = facts.merge(&modulus_facts);
    let merged = if unchanged {
        Facts {
            order: facts.order,
            unit: facts.unit,
            ..merged
        }
    } else {
        merged
    };
    Some(Typed::of_int(
        IntOp::Pmod(Box::new(value), Box::new(modulus)),
        range,
        merged,
    ))
}

/// `abs`, `abs32`, `bit_reverse`, `bit_reverse64`.
pub(super) fn unary(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let (value, facts) = call.int(checker, 0)?;
    let range = value.range;
    let (range, op): (Interval, fn(Box<IntCode>) -> IntOp) = match call.function.name {
        "abs" => {
            if range.low == i64::MIN {
                checker.warning(
                    &call.span,
                    "`abs` of the least integer stays negative, as in Java",
                    "may be -9223372036854775808",
                    "for a bucket write `pmod(x, n)`",
                );
            }
            if range.low >= 0 {
                return Some(Typed::of_int(value.op, range, facts));
            }
            (range.abs(), IntOp::Abs)
        }
        "abs32" => {
            call.require(
                checker,
                0,
                range,
                i32::MIN.into(),
                i32::MAX.into(),
                "`abs` takes 64 bits",
            )?;
            let least = i64::from(i32::MIN);
            let result = if range.low == least {
                let high = range.high.max(if range.high > least {
                    i64::from(i32::MAX)
                } else {
                    least
                });
                checker.warning(
                    &call.span,
                    "`abs32` of the least 32-bit integer stays negative, as in Java",
                    "may be -2147483648",
                    "HBaseWD has this bug: such rows get a prefix that no scan asks for; `pmod(x, n)` has not",
                );
                Interval::new(least, high)
            } else {
                range.abs()
            };
            (result, IntOp::Abs32)
        }
        "bit_reverse" => {
            call.require(
                checker,
                0,
                range,
                0,
                i64::MAX,
                "`bit_reverse64` takes negative numbers as well",
            )?;
            (Interval::new(0, i64::MAX), IntOp::BitReverse63)
        }
        _ => (Interval::ALL, IntOp::BitReverse64),
    };
    Some(Typed::of_int(op(Box::new(value)), range, facts.unordered()))
}

/// `random` and `round_robin`.
pub(super) fn unknown_to_readers(checker: &mut Checker<'_>, call: &Call<'_>) -> Option<Typed> {
    let values = call.constant_within(checker, 0, 1, i64::MAX, "the number of values")?;
    let op = if call.function.name == "random" {
        IntOp::Random {
            values: values as u64,
            skip: take_draws(checker, 1),
        }
    } else {
        IntOp::RoundRobin {
            values: values as u64,
        }
    };
    let facts = Facts {
        spread: Spread::Random,
        cardinality: None,
        ..Facts::constant()
    };
    Some(Typed::of_int(op, Interval::new(0, values - 1), facts))
}

/// Reserves draws of each operation; how many belong to others before them.
pub(super) fn take_draws(checker: &mut Checker<'_>, count: u32) -> u32 {
    let skip = checker.draws;
    checker.draws += count;
    skip
}
