//! Functions from integers to integers.

use super::call::Call;
use crate::key::check::operators::combined;
use crate::key::check::typed::{Typed, constant};
use crate::key::code::{IntCode, IntOp};
use crate::key::values::{Interval, Operator};

pub fn pmod(call: &mut Call<'_, '_>) -> Option<Typed> {
    let (value, modulus) = (call.int(0), call.int(1));
    let (value, modulus) = (value?, modulus?);
    if modulus.range.low < 1 {
        let (written, range) = (call.written(1), modulus.range);
        return call.refuse(
            1,
            format!("`{written}` takes {range}, but `pmod` needs at least 1"),
            "expected 1 or more",
            "the result lies from 0 to n - 1",
        );
    }
    if let Some((value, modulus)) = constant(&value).zip(constant(&modulus)) {
        return Some(Typed::constant(value.rem_euclid(modulus)));
    }
    let range = value.range.pmod(modulus.range);
    Some(combined(Operator::Pmod, value, modulus, range))
}

fn unary(op: IntOp, value: IntCode, range: Interval) -> Option<Typed> {
    Some(Typed::Int(IntCode::new(op, vec![value], range)))
}

pub fn abs(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0)?;
    let range = value.range;
    if range.low == i64::MIN {
        call.warn(
            "`abs` of the least integer stays negative, as in Java",
            "may be -9223372036854775808",
            "for a bucket write `pmod(x, n)`",
        );
    }
    match range.low {
        0.. => Some(Typed::Int(value)),
        _ => unary(IntOp::Abs, value, range.abs()),
    }
}

pub fn abs32(call: &mut Call<'_, '_>) -> Option<Typed> {
    const LEAST: i64 = i32::MIN as i64;
    let value = call.int(0)?;
    let range = value.range;
    call.require(0, range, (LEAST, i32::MAX.into()), "`abs` takes 64 bits")?;
    let absolute = match (range.low, range.high) {
        (LEAST, LEAST) => range,
        (LEAST, high) => Interval::new(LEAST, high.max(i32::MAX.into())),
        _ => range.abs(),
    };
    if range.low == LEAST {
        call.warn(
            "`abs32` of the least 32-bit integer stays negative, as in Java",
            "may be -2147483648",
            "HBaseWD has this bug: such rows get a prefix that no scan asks for; `pmod(x, n)` has not",
        );
    }
    unary(IntOp::Abs32, value, absolute)
}

pub fn bit_reverse(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0)?;
    let help = "`bit_reverse64` takes negative numbers as well";
    call.require(0, value.range, (0, i64::MAX), help)?;
    unary(IntOp::BitReverse63, value, Interval::new(0, i64::MAX))
}

pub fn bit_reverse64(call: &mut Call<'_, '_>) -> Option<Typed> {
    let value = call.int(0)?;
    unary(IntOp::BitReverse64, value, Interval::ALL)
}

/// A number from 0 on that is drawn or counted for each write.
fn drawn(call: &mut Call<'_, '_>, op: fn(&mut Call<'_, '_>, u64) -> IntOp) -> Option<Typed> {
    let values = call.constant_within(0, 1, i64::MAX, "the number of values")?;
    let op = op(call, values as u64);
    let range = Interval::new(0, values - 1);
    Some(Typed::Int(IntCode::new(op, Vec::new(), range)))
}

pub fn random(call: &mut Call<'_, '_>) -> Option<Typed> {
    drawn(call, |call, values| IntOp::Random {
        values,
        skip: call.take_draws(1),
    })
}

pub fn round_robin(call: &mut Call<'_, '_>) -> Option<Typed> {
    drawn(call, |_, values| IntOp::RoundRobin { values })
}
