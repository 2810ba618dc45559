//! A column that is made of the time of the rows: a date, an hour, a coarser time. Must not know other columns.

use super::bursts::SECOND;
use super::time_order::TimeOrder;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Nanoseconds of the steps that times are rounded down to, greatest first.
const STEPS: [(i64, &str); 4] = [(DAY, "d"), (HOUR, "h"), (60 * SECOND, "m"), (SECOND, "s")];
pub const DAY: i64 = 24 * HOUR;
const HOUR: i64 = 3_600 * SECOND;

/// Dates that are written as one number: the pattern of `to_char`, and how many of its pairs of digits there are behind the year.
const DATES: [(&str, usize); 5] = [
    ("yyyyMMdd", 2),
    ("yyyyMM", 1),
    ("yyyyMMddHH", 3),
    ("yyyyMMddHHmm", 4),
    ("yyyy", 0),
];

/// An expression, and whether it is a number (else a text or a time).
pub type Made = (String, bool);

/// Which whole number of the time `name`, in this unit, each row has, if one rule makes them all: rows are times in nanoseconds, and numbers.
pub fn number(name: &str, unit: i64, rows: &[(i64, i64)]) -> Option<Made> {
    let is = |value: &dyn Fn(i64) -> Option<i64>| {
        let fits = |&(at, found): &(i64, i64)| value(at) == Some(found);
        rows.iter().all(fits)
    };
    for (pattern, pairs) in DATES {
        if is(&|at| date(at, pairs)) {
            return Some((format!("to_char({name}, '{pattern}')"), false));
        }
    }
    let quotients = rows.iter().filter(|(_, found)| *found > 0);
    let most = quotients.map(|(at, found)| at / unit / found).min();
    // Of the steps that do, the usual ones first.
    let usual = STEPS.iter().map(|(length, _)| length / unit);
    let mut steps = usual.chain(most).filter(|it| *it > 0);
    if let Some(step) = steps.find(|step| is(&|at| Some(at.div_euclid(unit) / step))) {
        return Some((format!("{name} / {step}"), true));
    }
    let hour = is(&|at| Some(at.div_euclid(HOUR).rem_euclid(24)));
    hour.then(|| (format!("{name} / {} % 24", HOUR / unit), true))
}

/// The same of times: the greatest step that all of them are multiples of.
pub fn coarser(name: &str, coarse: &TimeOrder, rows: &[(i64, i64)]) -> Option<Made> {
    let step = coarse.step(DAY);
    let (length, letter) = STEPS.iter().find(|(length, _)| step % length == 0)?;
    let fits = |(at, found): &(i64, i64)| at - at.rem_euclid(step) == *found;
    let expression = format!("trunc({name}, '{}{letter}')", step / length);
    rows.iter().all(fits).then_some((expression, true))
}

/// The year, and so many more pairs of digits, of a time in UTC.
fn date(at: i64, pairs: usize) -> Option<i64> {
    let at = Timestamp::from_nanosecond(at.into()).ok()?;
    let at: DateTime = at.to_zoned(TimeZone::UTC).datetime();
    let parts = [at.month(), at.day(), at.hour(), at.minute()];
    let behind = parts[..pairs].iter();
    Some(behind.fold(at.year().into(), |number, part| {
        number * 100 + i64::from(*part)
    }))
}
