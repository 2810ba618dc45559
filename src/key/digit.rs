//! What values tell of a field when they don't tell all of it: its hour, or its second within the hour. Must not know code or segments.

use crate::record::FieldId;
use std::collections::BTreeSet;
use std::ops::Range;

/// A digit of a number field, `floor(((field - shift) mod period) / step)`, or without a period `floor((field - shift) / step)`. The
/// whole of a field, of whatever type, is the digit of step 1 without a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digit {
    pub field: FieldId,
    step: i64,
    period: Option<i64>,
    shift: i64,
}

impl Digit {
    /// All of a field.
    pub fn whole(field: FieldId) -> Self {
        Self::new(field, 1, None, 0)
    }

    fn new(field: FieldId, step: i64, period: Option<i64>, shift: i64) -> Self {
        Self {
            field,
            step,
            period,
            shift,
        }
    }

    /// It tells every value from every other.
    pub fn is_whole(&self) -> bool {
        self.step == 1 && self.period.is_none()
    }

    /// The same values come again.
    pub fn is_periodic(&self) -> bool {
        self.period.is_some()
    }

    /// After how many values it begins anew, if it does.
    pub fn period(&self) -> Option<i64> {
        self.period
    }

    /// Steps of it that are the same digit lie in different steps of `grain`, which has no period: n steps in a row have different digits
    /// where n of them make a period, and a step of `grain` that is no longer meets no more of them, unless it begins within one.
    fn is_told_within(&self, grain: &Self) -> bool {
        let Some(period) = self.period else {
            return false;
        };
        let length = grain.step;
        let begins_with = |step| grain.shift.wrapping_sub(self.shift) % step == 0;
        match period % self.step {
            0 => {
                length <= period - self.step + 1
                    || length <= period && length % self.step == 0 && begins_with(self.step)
            }
            // The last step of a period is shorter, so that no period may end within a step of `grain`.
            _ => period % length == 0 && begins_with(length),
        }
    }

    /// How many values it has within a range of the field, which is not empty.
    pub fn values_in(&self, range: &Range<i64>) -> f64 {
        let [shift, step] = [self.shift, self.step].map(i128::from);
        let [first, last] = [i128::from(range.start), i128::from(range.end) - 1]
            .map(|value| (value - shift).div_euclid(step));
        let steps = (last - first + 1) as f64;
        let all = self.period.map(|it| it as f64 / self.step as f64);
        all.map_or(steps, |all| steps.min(all.ceil()))
    }

    /// The digit of a value.
    fn of(&self, value: i64) -> i64 {
        let value = value.wrapping_sub(self.shift);
        let value = self.period.map_or(value, |period| value.rem_euclid(period));
        value.div_euclid(self.step)
    }

    /// How many values in a row are the same digit.
    pub fn run(&self) -> i64 {
        self.step
    }

    /// Where its steps begin and how long they are; `None` with a period.
    pub fn steps(&self) -> Option<(i64, i64)> {
        (!self.is_periodic()).then_some((self.shift, self.step))
    }

    /// Where one of its steps begins and how long all are; `None` where the last step of a period is shorter.
    pub fn even_steps(&self) -> Option<(i64, i64)> {
        let is_even = self.period.is_none_or(|period| period % self.step == 0);
        is_even.then(|| (self.shift.rem_euclid(self.step), self.step))
    }

    /// Within a step of a digit without a period it never begins anew.
    pub fn runs_once_within(&self, grain: &Self) -> bool {
        let whole = |length: i64| length % grain.step == 0;
        whole(grain.shift.wrapping_sub(self.shift)) && self.period.is_some_and(whole)
    }

    /// It is the same in each step of a digit without a period.
    pub fn is_told_by(&self, grain: &Self) -> bool {
        let whole = |length: i64| length % grain.step == 0;
        let begins_with = whole(self.shift.wrapping_sub(grain.shift));
        begins_with && whole(self.step) && self.period.is_none_or(whole)
    }
}

/// Places that are looked at one by one: a millisecond or two.
const LOOKED_AT: i64 = 1 << 16;

/// How many combinations digits of one field have within a range of it, which is not empty, and how many values in a row share one until all have come; the latter
/// is `None`, and the former a bound, where these are too many to go through.
pub fn combinations(digits: &[Digit], range: &Range<i64>) -> (f64, Option<f64>) {
    let Some(first) = digits.first() else {
        return (1.0, None);
    };
    // Between two multiples of this no digit changes, and after so many values all begin anew.
    let apart = |it: &Digit| it.shift.wrapping_sub(first.shift);
    let lengths = |it: &Digit| [it.step, it.period.unwrap_or(0), apart(it)];
    let step = digits.iter().flat_map(lengths).fold(0, common_divisor);
    let multiple = |a: i64, b: i64| (a / common_divisor(a, b)).checked_mul(b);
    let mut periods = digits.iter().map(|it| it.period);
    let period = periods.try_fold(1, |all, own| multiple(all, own?));
    let into = range.start.wrapping_sub(first.shift).rem_euclid(step);
    let start = range.start.saturating_sub(into);
    let places = (range.end.saturating_sub(start) - 1) / step + 1;
    let places = period.map_or(places, |it| places.min(it / step));
    if places > LOOKED_AT {
        return (places as f64, None);
    }
    let made = |place: i64| {
        let value = start + place * step;
        let of_value = digits.iter().map(|it| it.of(value)).collect::<Vec<_>>();
        (of_value, place)
    };
    let mut made: Vec<(Vec<i64>, i64)> = (0..places).map(made).collect();
    made.sort_unstable();
    made.dedup_by(|b, a| a.0 == b.0);
    let last = made.iter().map(|it| it.1).max().unwrap_or(0);
    let all = made.len() as f64;
    (all, Some((last * step) as f64 / (all - 1.0).max(1.0)))
}

/// What digits of one field tell together.
#[derive(Debug, Default)]
pub struct Joined {
    /// All of it.
    pub whole: bool,
    /// Those with a period whose steps the others tell apart: where they change, a step ends.
    pub parts: Vec<Digit>,
    /// Those without a period, and what the former make of them.
    pub grains: Vec<Digit>,
}

/// Fields that these digits tell as a whole, ascending.
pub fn told_fields(digits: impl Iterator<Item = Digit>) -> Vec<FieldId> {
    let digits: Vec<Digit> = digits.collect();
    let of = |field: FieldId| digits.iter().copied().filter(move |it| it.field == field);
    let fields: BTreeSet<FieldId> = digits.iter().map(|digit| digit.field).collect();
    let is_whole = |field: &FieldId| joined(of(*field)).whole;
    fields.into_iter().filter(is_whole).collect()
}

/// Puts digits of one field together: steps of a day and hours within a day are steps of an hour. O(n^3) for n digits.
pub fn joined(digits: impl Iterator<Item = Digit>) -> Joined {
    let (mut periodic, mut grains): (Vec<_>, Vec<_>) = digits.partition(Digit::is_periodic);
    let mut parts = Vec::new();
    let told = |grains: &[Digit], digit: &Digit| grains.iter().any(|it| digit.is_told_within(it));
    while let Some(at) = periodic.iter().position(|digit| told(&grains, digit)) {
        let digit = periodic.swap_remove(at);
        if digit.period.is_some_and(|period| period % digit.step == 0) {
            grains.push(Digit::new(digit.field, digit.step, None, digit.shift));
        }
        parts.push(digit);
    }
    let whole = grains.iter().any(Digit::is_whole);
    Joined {
        whole,
        parts,
        grains,
    }
}

/// The greatest one, by Euclid.
pub(super) fn common_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.saturating_abs()
}

/// An integer that is `scale` times a digit, and `offset`; nothing wraps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub digit: Digit,
    scale: i64,
    offset: i64,
}

impl Line {
    fn new(digit: Digit, scale: i64, offset: i64) -> Self {
        Self {
            digit,
            scale,
            offset,
        }
    }

    /// A field itself.
    pub fn of(field: FieldId) -> Self {
        Self::new(Digit::whole(field), 1, 0)
    }

    /// It grows with its digit.
    pub fn is_rising(&self) -> bool {
        self.scale > 0
    }

    /// So many times as much.
    pub fn times(self, factor: i64) -> Option<Self> {
        let scale = self.scale.checked_mul(factor).filter(|scale| *scale != 0);
        let offset = self.offset.checked_mul(factor)?;
        Some(Self::new(self.digit, scale?, offset))
    }

    /// So much more.
    pub fn plus(self, more: i64) -> Option<Self> {
        let offset = self.offset.checked_add(more)?;
        Some(Self::new(self.digit, self.scale, offset))
    }

    /// Less another one that is its remainder by something: a multiple of that.
    pub fn minus(self, remainder: Self) -> Option<Self> {
        let (own, other) = (self.digit, remainder.digit);
        let period = other.period.filter(|_| own.period.is_none())?;
        let apart = other.shift.checked_sub(own.shift)?;
        let is_its =
            (own.field, own.step, self.scale) == (other.field, other.step, remainder.scale);
        let fits = is_its && apart % own.step == 0 && period % own.step == 0;
        let scale = self.scale.checked_mul(period / own.step).filter(|_| fits)?;
        let offset = self.scale.checked_mul(apart / own.step)?;
        let offset = offset.checked_add(self.offset)?;
        let digit = Digit::new(own.field, period, None, other.shift);
        let offset = offset.checked_sub(remainder.offset)?;
        Some(Self::new(digit, scale, offset))
    }

    /// How many steps of its digit make up `by` > 0, and where the digit would begin without its offset in whole steps.
    fn in_digits(self, by: i64) -> Option<(i64, i64)> {
        let (digit, scale, offset) = (self.digit, self.scale, self.offset);
        if scale <= 0 || by % scale != 0 {
            return None;
        }
        let skipped = offset.div_euclid(scale).checked_mul(digit.step)?;
        let steps = digit.step.checked_mul(by / scale)?;
        Some((steps, digit.shift.checked_sub(skipped)?))
    }

    /// Its quotient by a number > 0, rounded down.
    pub fn quotient(self, by: i64) -> Option<Self> {
        let (digit, scale, offset) = (self.digit, self.scale, self.offset);
        if scale % by == 0 {
            return Some(Self::new(digit, scale / by, offset.div_euclid(by)));
        }
        let (step, shift) = self.in_digits(by)?;
        // A period begins with a whole step.
        let fits = digit.period.is_none() || shift == digit.shift;
        fits.then(|| Self::new(Digit::new(digit.field, step, digit.period, shift), 1, 0))
    }

    /// Its remainder from 0 on by a number > 0.
    pub fn remainder(self, by: i64) -> Option<Self> {
        let (digit, scale, offset) = (self.digit, self.scale, self.offset);
        let (period, shift) = self.in_digits(by)?;
        match digit.period {
            Some(own) if shift == digit.shift && own <= period => return Some(self),
            Some(own) if shift != digit.shift || own % period != 0 => return None,
            _ => {}
        }
        let digit = Digit::new(digit.field, digit.step, Some(period), shift);
        Some(Self::new(digit, scale, offset.rem_euclid(scale)))
    }
}
