//! Dates and times of timestamps in UTC, by patterns of Java's letters.

use crate::key::values::ByteSet;
use crate::record::TimeUnit;

/// A pattern of fixed width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Literal(u8),
    Year4,
    Year2,
    Month,
    MonthName,
    Day,
    DayOfYear,
    WeekdayName,
    Hour,
    Hour12,
    HalfDay,
    Minute,
    Second,
    /// Digits of the fraction of a second.
    Fraction(u8),
}

/// What messages call a unit.
pub fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Seconds => "s",
        TimeUnit::Millis => "ms",
        TimeUnit::Micros => "us",
        TimeUnit::Nanos => "ns",
    }
}

struct Civil {
    year: i64,
    month: i64,
    day: i64,
    day_of_year: i64,
    /// 0 is Sunday.
    weekday: i64,
    second_of_day: i64,
    nanos: i64,
}

/// Days to civil date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn civil(value: i64, unit: TimeUnit) -> Civil {
    let per = 1_000_000_000 / unit.nanos();
    let seconds = value.div_euclid(per);
    let days = seconds.div_euclid(86_400);
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * from_march + 2) / 153;
    let day = from_march - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let before_month =
        [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][(month - 1) as usize];
    Civil {
        year,
        month,
        day,
        day_of_year: before_month + i64::from(leap && month > 2) + day,
        weekday: (days + 4).rem_euclid(7),
        second_of_day: seconds.rem_euclid(86_400),
        nanos: value.rem_euclid(per) * unit.nanos(),
    }
}

/// The year of a timestamp.
pub fn year(value: i64, unit: TimeUnit) -> i64 {
    civil(value, unit).year
}

/// A timestamp as people write it: `2026-01-01T00:00:12Z`, with as many decimals as are not zero.
pub fn iso(value: i64, unit: TimeUnit) -> String {
    let c = civil(value, unit);
    let (hour, minute, second) = (
        c.second_of_day / 3600,
        c.second_of_day / 60 % 60,
        c.second_of_day % 60,
    );
    let mut text = format!(
        "{:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}",
        c.year, c.month, c.day
    );
    if c.nanos != 0 {
        let nanos = format!("{:09}", c.nanos);
        text.push('.');
        text.push_str(nanos.trim_end_matches('0'));
    }
    text.push('Z');
    text
}

impl Pattern {
    /// Reads a pattern; says what is wrong with it otherwise.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.is_ascii() {
            return Err("only ASCII characters can stand in a pattern".to_owned());
        }
        let bytes = text.as_bytes();
        let mut parts = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let letter = bytes[at];
            if letter == b'\'' {
                let rest = &bytes[at + 1..];
                let Some(length) = rest.iter().position(|&byte| byte == b'\'') else {
                    return Err("a quoted literal is not closed".to_owned());
                };
                // Two quotes stand for one, as in Java.
                let literal = if length == 0 { b"'" } else { &rest[..length] };
                parts.extend(literal.iter().map(|&byte| Part::Literal(byte)));
                at += length + 2;
                continue;
            }
            let count = bytes[at..]
                .iter()
                .take_while(|&&byte| byte == letter)
                .count();
            at += count;
            if !letter.is_ascii_alphabetic() {
                parts.extend(std::iter::repeat_n(Part::Literal(letter), count));
                continue;
            }
            parts.push(Self::part(letter, count)?);
        }
        if parts.is_empty() {
            return Err("the pattern is empty".to_owned());
        }
        Ok(Self { parts })
    }

    fn part(letter: u8, count: usize) -> Result<Part, String> {
        let letter = char::from(letter);
        let letters = letter.to_string().repeat(count);
        let written = letters.replace('u', "y");
        let fractions = (1..=9).map(Part::Fraction);
        let mut parts = Part::OF_LETTERS.into_iter().chain(fractions);
        match parts.find(|part| part.rule().0 == written) {
            Some(part) => Ok(part),
            None if letter == 'Y' => {
                Err("`Y` is the week year, which differs from `y` around New Year".to_owned())
            }
            None if "yuMdDEHhamsS".contains(letter) => Err(format!(
                "`{}` has no fixed width",
                &letters[..count.min(12)]
            )),
            None => Err(format!("`{letter}` is not a pattern letter")),
        }
    }

    /// Its letters, for help.
    pub const LETTERS: &'static str = "yyyy, yy, MM, MMM, dd, DDD, EEE, HH, hh, a, mm, ss, S to SSSSSSSSS, and literals in quotes";

    /// Do later instants give greater texts (years 0 to 9999)? `yyyyMMdd` does, `ddMM` does not.
    pub fn keeps_order(&self) -> bool {
        let mut next = 0;
        self.parts.iter().all(|part| match (part, part.rule().2) {
            (Part::Literal(_), _) => true,
            (_, Some((rank, after))) => rank == std::mem::replace(&mut next, after),
            (_, None) => false,
        })
    }

    /// Does the pattern keep the order of instants whose years lie in `years`? Two digits of the year are enough within a century.
    pub fn keeps_order_within(&self, years: std::ops::RangeInclusive<i64>) -> bool {
        let one_century = years.start().div_euclid(100) == years.end().div_euclid(100);
        let parts = self.parts.iter().map(|part| match part {
            Part::Year2 if one_century => Part::Year4,
            part => *part,
        });
        Self {
            parts: parts.collect(),
        }
        .keeps_order()
    }

    /// Does the text start with what changes slowest, so that it moves with time?
    pub fn leads_with_year(&self) -> bool {
        let first = self
            .parts
            .iter()
            .find(|part| !matches!(part, Part::Literal(_)));
        matches!(first, Some(Part::Year4 | Part::Year2))
    }

    /// Bytes that can stand at each position.
    pub fn sets(&self) -> Vec<ByteSet> {
        let letters = ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'));
        let sets = self.parts.iter().flat_map(|part| {
            let set = match part {
                Part::Literal(byte) => ByteSet::one(*byte),
                Part::MonthName | Part::WeekdayName | Part::HalfDay => letters,
                _ => ByteSet::range(b'0', b'9'),
            };
            std::iter::repeat_n(set, part.rule().1)
        });
        sets.collect()
    }

    /// Appends the text of an instant in years 0 to 9999.
    pub fn write(&self, value: i64, unit: TimeUnit, out: &mut Vec<u8>) {
        let c = civil(value, unit);
        for part in &self.parts {
            let hour = c.second_of_day / 3600;
            let name = |names: &'static [u8], at: i64| &names[3 * at as usize..][..3];
            let number = match part {
                Part::Literal(byte) => {
                    out.push(*byte);
                    continue;
                }
                Part::MonthName | Part::WeekdayName | Part::HalfDay => {
                    out.extend_from_slice(match part {
                        Part::MonthName => {
                            name(b"JanFebMarAprMayJunJulAugSepOctNovDec", c.month - 1)
                        }
                        Part::WeekdayName => name(b"SunMonTueWedThuFriSat", c.weekday),
                        _ if hour < 12 => b"AM",
                        _ => b"PM",
                    });
                    continue;
                }
                // Its last digits, as many as there is room for.
                Part::Year4 | Part::Year2 => c.year,
                Part::Month => c.month,
                Part::Day => c.day,
                Part::DayOfYear => c.day_of_year,
                Part::Hour => hour,
                Part::Hour12 => (hour + 11) % 12 + 1,
                Part::Minute => c.second_of_day / 60 % 60,
                Part::Second => c.second_of_day % 60,
                Part::Fraction(digits) => c.nanos / 10i64.pow(9 - u32::from(*digits)),
            };
            let start = out.len();
            out.resize(start + part.rule().1, b'0');
            let mut rest = number;
            for digit in out[start..].iter_mut().rev() {
                *digit = b'0' + rest.rem_euclid(10) as u8;
                rest /= 10;
            }
        }
    }
}

impl Part {
    /// Those that letters stand for, but for fractions, of which there are nine.
    const OF_LETTERS: [Self; 12] = [
        Self::Year4,
        Self::Year2,
        Self::Month,
        Self::MonthName,
        Self::Day,
        Self::DayOfYear,
        Self::WeekdayName,
        Self::Hour,
        Self::Hour12,
        Self::HalfDay,
        Self::Minute,
        Self::Second,
    ];

    /// Its letters, the bytes that it writes, and its place in the order of time: it follows what ended at the first number
    /// and ends at the second. Without a place, greater texts are not later.
    fn rule(self) -> (&'static str, usize, Option<(u8, u8)>) {
        match self {
            Self::Literal(_) => ("", 1, None),
            Self::Year4 => ("yyyy", 4, Some((0, 1))),
            Self::Year2 => ("yy", 2, None),
            Self::Month => ("MM", 2, Some((1, 2))),
            Self::MonthName => ("MMM", 3, None),
            Self::Day => ("dd", 2, Some((2, 3))),
            Self::DayOfYear => ("DDD", 3, Some((1, 3))),
            Self::WeekdayName => ("EEE", 3, None),
            Self::Hour => ("HH", 2, Some((3, 4))),
            Self::Hour12 => ("hh", 2, None),
            Self::HalfDay => ("a", 2, None),
            Self::Minute => ("mm", 2, Some((4, 5))),
            Self::Second => ("ss", 2, Some((5, 6))),
            Self::Fraction(digits) => {
                let digits = usize::from(digits);
                (&"SSSSSSSSS"[..digits], digits, Some((6, 7)))
            }
        }
    }
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
mod tests;
