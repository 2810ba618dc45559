//! Identities that lead with the time at which each was made, in one of the forms that are usual. Must not know what stands behind it.

use super::bursts::SECOND;
use super::from_time::DAY;
use super::time_order::TimeOrder;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::ops::Range;

/// A text that says a time: what makes it of `TIME`, the unit of that, its characters, whether it is a whole identity, behind which nothing stands, and
/// the time that it says.
type Form = (
    &'static str,
    &'static str,
    usize,
    bool,
    fn(&str) -> Option<i64>,
);

/// Of those that begin alike the longest first.
#[rustfmt::skip]
const FORMS: [Form; 13] = [
    ("ksuid(TIME)", "s", 27, true, ksuid),
    ("ulid(TIME)", "ms", 26, true, ulid),
    ("text(TIME)", "ns", 19, false, decimal::<1>),
    ("text(TIME)", "us", 16, false, decimal::<1_000>),
    ("text(TIME)", "ms", 13, false, decimal::<1_000_000>),
    ("text(TIME)", "s", 10, false, decimal::<SECOND>),
    ("to_char(TIME, 'yyyyMMddHHmmssSSS')", "ms", 17, false, date),
    ("to_char(TIME, 'yyyyMMddHHmmss')", "s", 14, false, date),
    ("to_char(TIME, 'yyyyMMddHHmm')", "s", 12, false, date),
    ("to_char(TIME, 'yyyyMMddHH')", "s", 10, false, date),
    ("to_char(TIME, 'yyyyMMdd')", "s", 8, false, date),
    ("hex(be6(TIME))", "ms", 12, false, hex::<1_000_000>),
    ("hex(be4(TIME))", "s", 8, false, hex::<SECOND>),
];

/// Years that identities may be of where no column says their time: 2004 to 2039.
const LIKELY: Range<i64> = 34 * 365 * DAY..70 * 365 * DAY;

/// Where the time stands in the texts, and what makes it.
#[derive(Debug, Clone)]
pub struct Lead {
    pub place: Range<usize>,
    pub unit: &'static str,
    key: &'static str,
}

impl Lead {
    /// Of ASCII texts that begin with so many characters in common, if all have one form: within a day of the `times` of the rows, or else of likely years.
    pub fn of(texts: &[&str], common: usize, times: Option<&TimeOrder>) -> Option<Self> {
        let near = times.map_or(LIKELY, |it| it.first - DAY..it.last + DAY);
        let found = |from: usize, &(key, unit, length, is_whole, nanos): &Form| {
            let place = from..from + length;
            let nanos = |text: &&str| {
                let is_all = !is_whole || text.len() == place.end;
                let found = text.get(place.clone()).filter(|_| is_all)?;
                nanos(found).filter(|it| near.contains(it))
            };
            let first = nanos(texts.first()?)?;
            let mut varies = false;
            for text in texts {
                varies |= nanos(text)? != first;
            }
            varies.then_some(Self { place, unit, key })
        };
        (0..=common).find_map(|from| FORMS.iter().find_map(|form| found(from, form)))
    }

    /// The expression that makes it of the timestamp of that name.
    pub fn made_of(&self, time: &str) -> String {
        self.key.replace("TIME", time)
    }
}

fn decimal<const NANOS: i64>(text: &str) -> Option<i64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let count: i64 = text.parse().ok().filter(|_| is_plain)?;
    count.checked_mul(NANOS)
}

fn hex<const NANOS: i64>(text: &str) -> Option<i64> {
    let is_lower = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let count = i64::from_str_radix(text, 16).ok();
    let count = count.filter(|_| text.bytes().all(is_lower))?;
    count.checked_mul(NANOS)
}

/// Year, month, day and so on, in UTC.
fn date(text: &str) -> Option<i64> {
    let number = |at: Range<usize>, absent: i64| match text.get(at) {
        Some(digits) => decimal::<1>(digits),
        None => Some(absent),
    };
    let small = |at: Range<usize>, absent: i64| i8::try_from(number(at, absent)?).ok();
    let date = DateTime::new(
        number(0..4, 0)?.try_into().ok()?,
        small(4..6, 1)?,
        small(6..8, 1)?,
        small(8..10, 0)?,
        small(10..12, 0)?,
        small(12..14, 0)?,
        1_000_000 * i32::try_from(number(14..17, 0)?).ok()?,
    );
    let at = date.ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
    at.as_nanosecond().try_into().ok()
}

/// 20 bytes in 62 letters: seconds since 2014 and 128 random bits.
fn ksuid(text: &str) -> Option<i64> {
    let all = number(
        text,
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    )?;
    let seconds = libm::floor(libm::ldexp(all, -128)) as i64;
    (seconds < 1 << 32).then_some((1_400_000_000 + seconds) * SECOND)
}

/// 26 letters, of which the first ten are milliseconds.
fn ulid(text: &str) -> Option<i64> {
    let letters = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    number(text, letters)?;
    (number(&text[..10], letters)? as i64).checked_mul(1_000_000)
}

/// The number that a text is in these digits, the first of them zero.
fn number(text: &str, digits: &[u8]) -> Option<f64> {
    let digit = |byte: u8| digits.iter().position(|it| *it == byte);
    text.bytes().try_fold(0.0, |number, byte| {
        Some(number * digits.len() as f64 + digit(byte)? as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_each_form() {
        // 2026-03-03T10:00:00Z, and a second later.
        let at = 1_772_532_000;
        let found = |texts: [&str; 2], common: usize| {
            let lead = Lead::of(&texts, common, None)?;
            Some((lead.place.clone(), lead.made_of("t")))
        };
        assert_eq!(
            found(["69a6b120ffff", "69a6b121ffff"], 7),
            Some((0..8, "hex(be4(t))".to_owned()))
        );
        assert_eq!(
            found(["o-1772532000-7", "o-1772532001-1"], 11),
            Some((2..12, "text(t)".to_owned()))
        );
        assert_eq!(
            found(["20260303100000#1", "20260303100001#1"], 13),
            Some((0..14, "to_char(t, 'yyyyMMddHHmmss')".to_owned()))
        );
        assert_eq!(ksuid("3AQk5otcR2DD2mvHr9pwXhE5tTY"), Some(at * SECOND));
        assert_eq!(date("20260303100000"), Some(at * SECOND));
        // One time in all, and digits that say none.
        assert_eq!(found(["69a6b120ffff", "69a6b120fffe"], 11), None);
        assert_eq!(found(["0000000001-a", "0000000002-b"], 9), None);
    }
}
