//! Dates and times of timestamps in UTC, by patterns of Java's letters.

use crate::record::{ByteSet, TimeUnit};
use crate::text::{digit_pair, digits};

/// A pattern of fixed width.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    parts: Vec<Part>,
    /// Bytes of all of them.
    width: usize,
    /// Each of these that is a literal, and, with [`DIGIT`], the places of the others in [`DIGITS`]; none where any is neither.
    sources: Option<Vec<u8>>,
}

/// Steps of dates in which a text stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateSteps {
    /// Days at most, all of which are as long: what is counted by them.
    Days,
    /// Months and years as well: what is asked for by them.
    Longest,
}

/// What most patterns are made of.
const DIGITS: &str = "yyyyMMddHHmmss";

/// No literal has this bit.
const DIGIT: u8 = 0x80;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Literal(u8),
    Field(&'static Field),
    /// Digits of the fraction of a second, as many as these letters.
    Fraction(&'static str),
}

/// What letters stand for.
#[derive(Debug)]
struct Field {
    letters: &'static str,
    /// Its place in the order of time: it follows what ended at the first number and ends at the second. Without a place, greater texts
    /// are not later.
    place: Place,
    /// Names of one length one after another, which the number chooses from; without any, its last digits are written, one a letter.
    names: &'static str,
    /// Bytes that it writes.
    width: usize,
    /// From the least number to the greatest, written or chosen by; none of years.
    numbers: Option<(i64, i64)>,
    number: fn(&Civil) -> i64,
}

type Place = Option<(u8, u8)>;

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.letters == other.letters
    }
}

impl Field {
    /// Writes a number to a place of its width.
    fn write(&self, number: i64, place: &mut [u8]) {
        match self.names {
            "" => digits(number.unsigned_abs(), b'0', place),
            names => {
                let width = self.width;
                let name = &names.as_bytes()[width * number as usize..][..width];
                place.copy_from_slice(name);
            }
        }
    }
}

impl Part {
    /// Bytes that it writes.
    fn width(&self) -> usize {
        match self {
            Self::Literal(_) => 1,
            Self::Field(field) => field.width,
            Self::Fraction(letters) => letters.len(),
        }
    }

    /// Where its bytes come from.
    fn sources(&self) -> Option<Vec<u8>> {
        match self {
            Self::Literal(byte) => Some(vec![*byte]),
            // The last two digits of a year are `yy`.
            Self::Field(Field { letters, .. }) => DIGITS.rfind(letters).map(|start| {
                let places = start..start + letters.len();
                places.map(|at| DIGIT | at as u8).collect()
            }),
            Self::Fraction(_) => None,
        }
    }

    /// Its place; of a literal, which has nothing to do with time, `None`.
    fn place(&self) -> Option<Place> {
        match self {
            Self::Literal(_) => None,
            Self::Field(field) => Some(field.place),
            Self::Fraction(_) => Some(Some((6, 7))),
        }
    }
}

const fn number(
    letters: &'static str,
    place: Place,
    numbers: Option<(i64, i64)>,
    number: fn(&Civil) -> i64,
) -> Field {
    Field {
        letters,
        place,
        names: "",
        width: letters.len(),
        numbers,
        number,
    }
}

const fn name(names: &'static str, width: usize, of: Field) -> Field {
    Field { names, width, ..of }
}

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
const WEEKDAYS: &str = "SunMonTueWedThuFriSat";

/// All that letters stand for, but for fractions.
static FIELDS: [Field; 12] = [
    number("yyyy", Some((0, 1)), None, |c| c.year),
    number("yy", None, Some((0, 99)), |c| c.year),
    number("MM", Some((1, 2)), Some((1, 12)), |c| c.month),
    name(
        MONTHS,
        3,
        number("MMM", None, Some((0, 11)), |c| c.month - 1),
    ),
    number("dd", Some((2, 3)), Some((1, 31)), |c| c.day),
    number("DDD", Some((1, 3)), Some((1, 366)), Civil::day_of_year),
    name(
        WEEKDAYS,
        3,
        number("EEE", None, Some((0, 6)), Civil::weekday),
    ),
    number("HH", Some((3, 4)), Some((0, 23)), |c| {
        c.second_of_day / 3600
    }),
    number("hh", None, Some((1, 12)), |c| {
        (c.second_of_day / 3600 + 11) % 12 + 1
    }),
    name(
        "AMPM",
        2,
        number("a", None, Some((0, 1)), |c| c.second_of_day / 43_200),
    ),
    number("mm", Some((4, 5)), Some((0, 59)), |c| {
        c.second_of_day / 60 % 60
    }),
    number("ss", Some((5, 6)), Some((0, 59)), |c| c.second_of_day % 60),
];

/// The letters of the longest fraction of a second, whose place is behind that of all fields.
const FRACTION: &str = "SSSSSSSSS";

/// An instant as the calendar and the clock tell it.
pub struct Civil {
    /// Since 1970-01-01.
    days: i64,
    year: i64,
    month: i64,
    day: i64,
    second_of_day: i64,
    nanos: i64,
}

impl Default for Civil {
    fn default() -> Self {
        Self {
            days: 0,
            year: 1970,
            month: 1,
            day: 1,
            second_of_day: 0,
            nanos: 0,
        }
    }
}

impl Civil {
    /// Becomes that of another instant. Of one of the same day only the clock is read: most follow one that is near.
    fn set(&mut self, value: i64, unit: TimeUnit) {
        let per = 1_000_000_000 / unit.nanos();
        let seconds = match per {
            1 => value,
            1_000 => value.div_euclid(1_000),
            _ => value.div_euclid(per),
        };
        let days = seconds.div_euclid(86_400);
        if days != self.days {
            self.set_days(days);
        }
        self.second_of_day = seconds - days * 86_400;
        self.nanos = (value - seconds * per) * unit.nanos();
    }

    /// Days to civil date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    fn set_days(&mut self, days: i64) {
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        // Below 146,097: the processor divides short numbers by constants in a step or two.
        let day_of_era = (shifted - era * 146_097) as u32;
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let from_march = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * from_march + 2) / 153;
        let month = (month_from_march + 2) % 12 + 1;
        self.days = days;
        self.year = i64::from(year_of_era) + era * 400 + i64::from(month <= 2);
        self.month = i64::from(month);
        self.day = i64::from(from_march - (153 * month_from_march + 2) / 5 + 1);
    }

    fn day_of_year(&self) -> i64 {
        let (year, month) = (self.year, self.month);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let before_month =
            [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][(month - 1) as usize];
        before_month + i64::from(leap && month > 2) + self.day
    }

    /// 0 is Sunday.
    fn weekday(&self) -> i64 {
        (self.days + 4).rem_euclid(7)
    }

    /// As [`DIGITS`] has them.
    fn digits(&self) -> [u8; DIGITS.len()] {
        let (year, second) = (self.year.unsigned_abs() as u32, self.second_of_day as u32);
        let of_day = [second / 3600, second / 60 % 60, second % 60];
        let of_year = [
            year / 100 % 100,
            year % 100,
            self.month as u32,
            self.day as u32,
        ];
        let mut out = [0; DIGITS.len()];
        let pairs = out.as_chunks_mut::<2>().0.iter_mut();
        let numbers = of_year.into_iter().chain(of_day);
        pairs
            .zip(numbers)
            .for_each(|(pair, number)| *pair = digit_pair(number as u8));
        out
    }
}

/// The year of a timestamp.
pub fn year(value: i64, unit: TimeUnit) -> i64 {
    let mut civil = Civil::default();
    civil.set(value, unit);
    civil.year
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
            let same = bytes[at..].iter().take_while(|&&byte| byte == letter);
            let count = same.count();
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
        Ok(Self::of(parts))
    }

    fn of(parts: Vec<Part>) -> Self {
        let width = parts.iter().map(Part::width).sum();
        let sources: Option<Vec<_>> = parts.iter().map(Part::sources).collect();
        Self {
            parts,
            width,
            sources: sources.map(|of_parts| of_parts.concat()),
        }
    }

    /// This, a literal, and another one behind it.
    pub fn then(&self, literal: &[u8], next: &Self) -> Self {
        let literal = literal.iter().map(|byte| Part::Literal(*byte));
        let parts = self.parts.iter().copied().chain(literal);
        Self::of(parts.chain(next.parts.iter().copied()).collect())
    }

    /// The parts of it that so many bytes behind a place are made of; `None` where these are none, or not all of a part.
    pub fn cut(&self, skipped: usize, count: usize) -> Option<Self> {
        let (mut at, mut parts) = (0, Vec::new());
        let end = skipped.saturating_add(count).min(self.width);
        for part in &self.parts {
            let place = at..at + part.width();
            at = place.end;
            let is_in = skipped <= place.start && place.end <= end;
            if is_in {
                parts.push(*part);
            } else if place.start < end && skipped < place.end {
                return None;
            }
        }
        (!parts.is_empty()).then(|| Self::of(parts))
    }

    fn part(letter: u8, count: usize) -> Result<Part, String> {
        let letter = char::from(letter);
        let letters = letter.to_string().repeat(count);
        let written = letters.replace('u', "y");
        if let Some(field) = FIELDS.iter().find(|field| field.letters == written) {
            return Ok(Part::Field(field));
        }
        match FRACTION.get(..count) {
            Some(fraction) if letter == 'S' => Ok(Part::Fraction(fraction)),
            _ if letter == 'Y' => {
                Err("`Y` is the week year, which differs from `y` around New Year".to_owned())
            }
            _ if "yuMdDEHhamsS".contains(letter) => Err(format!(
                "`{}` has no fixed width",
                &letters[..count.min(12)]
            )),
            _ => Err(format!("`{letter}` is not a pattern letter")),
        }
    }

    /// Its letters, for help.
    pub const LETTERS: &'static str = "yyyy, yy, MM, MMM, dd, DDD, EEE, HH, hh, a, mm, ss, S to SSSSSSSSS, and literals in quotes";

    /// Do later instants give greater texts (years 0 to 9999)? `yyyyMMdd` does, `ddMM` does not.
    pub fn keeps_order(&self) -> bool {
        self.keeps_order_within(0..=9999)
    }

    /// Does the pattern keep the order of instants whose years lie in `years`? Two digits of the year are enough within a century.
    pub fn keeps_order_within(&self, years: std::ops::RangeInclusive<i64>) -> bool {
        let one_century = years.start().div_euclid(100) == years.end().div_euclid(100);
        self.keeps_order_from(0, one_century)
    }

    /// Each field follows the one before it, and the first one what ends at `next`.
    fn keeps_order_from(&self, mut next: u8, one_century: bool) -> bool {
        self.parts.iter().all(|part| {
            let place = match part {
                Part::Field(Field { letters: "yy", .. }) if one_century => Some((0, 1)),
                _ => match part.place() {
                    Some(place) => place,
                    None => return true,
                },
            };
            place.is_some_and(|(rank, after)| rank == std::mem::replace(&mut next, after))
        })
    }

    /// Does the text start with what changes slowest, so that it moves with time?
    pub fn leads_with_year(&self) -> bool {
        let mut parts = self.parts.iter();
        let first = parts.find(|part| !matches!(part, Part::Literal(_)));
        matches!(first, Some(Part::Field(field)) if field.letters.starts_with('y'))
    }

    /// The length of its steps in nanoseconds, from 1970-01-01 on, where all are as long, and after which time the same come again: it keeps the order of
    /// instants, down to days at least, all of them or within a day, an hour or a minute.
    pub fn step(&self) -> Option<(i64, Option<i64>)> {
        const LENGTHS: [i64; 7] = [0, 0, 0, 86_400, 3_600, 60, 1];
        let (mut first, mut last) = (None, None);
        for place in self.parts.iter().filter_map(Part::place) {
            let (rank, after) = place?;
            first.get_or_insert(rank);
            last = Some(after);
        }
        let (first, last) = (first?, last?);
        let nanos = |rank: u8| {
            LENGTHS
                .get(usize::from(rank))
                .map(|length| length * 1_000_000_000)
        };
        let step = match self.parts.last() {
            Some(Part::Fraction(letters)) => 10i64.pow(9 - letters.len() as u32),
            _ => nanos(last)?,
        };
        let period = nanos(first).filter(|_| first > 0);
        let known = step > 0 && period != Some(0) && self.keeps_order_from(first, false);
        known.then_some((step, period))
    }

    /// How many texts it writes at most: fewer where parts depend on each other; `None` where it tells years or parts of a second.
    pub fn count(&self) -> Option<u64> {
        let mut counts = self.parts.iter().map(|part| match part {
            Part::Literal(_) => Some(1),
            Part::Fraction(_) => None,
            Part::Field(field) => field.numbers.map(|(a, b)| a.abs_diff(b) + 1),
        });
        counts.try_fold(1, |all: u64, count| Some(all.saturating_mul(count?)))
    }

    /// All texts that it writes, and perhaps more; `None` where [`Pattern::count`] has none, or more than `most`.
    pub fn texts(&self, most: usize) -> Option<Vec<Vec<u8>>> {
        let mut texts = vec![Vec::new()];
        self.count().filter(|count| *count <= most as u64)?;
        for part in &self.parts {
            let mut values = Vec::new();
            match part {
                Part::Literal(byte) => values.push(vec![*byte]),
                Part::Fraction(_) => return None,
                Part::Field(field) => {
                    let (least, greatest) = field.numbers?;
                    for number in least..=greatest {
                        let mut text = vec![0; field.width];
                        field.write(number, &mut text);
                        values.push(text);
                    }
                }
            }
            let with = |text: &Vec<u8>| values.iter().map(|it| [&text[..], it].concat()).collect();
            texts = texts
                .iter()
                .flat_map(|text| -> Vec<Vec<u8>> { with(text) })
                .collect();
        }
        Some(texts)
    }

    /// The pattern from the year on in whose steps its text is the same; `None` where it tells parts of a second.
    pub fn in_order(&self, dates: DateSteps) -> Option<Self> {
        let least = match dates {
            DateSteps::Days => 3,
            DateSteps::Longest => 0,
        };
        Self::down_to(self.end()?.max(least))
    }

    /// The pattern from the year on in each of whose steps later instants have greater texts, which begin with what tells the step, in another order: days of
    /// `dd-MM-yyyy HH:mm`.
    pub fn runs(&self) -> Option<Self> {
        let (start, rank) = (0..self.parts.len()).find_map(|start| {
            let (rank, _) = self.parts[start].place()??;
            let rest = Self::of(self.parts[start..].to_vec());
            rest.keeps_order_from(rank, false).then_some((start, rank))
        })?;
        let before = Self::of(self.parts[..start].to_vec());
        let end = before.end()?.max(rank);
        let tells = |rank: u8| {
            let mut places = before.parts.iter().filter_map(Part::place).flatten();
            places.any(|(from, to)| (from..to).contains(&rank))
        };
        Self::down_to(end).filter(|_| (0..end).all(tells))
    }

    /// The place in the order of time that the last of what it tells ends at, 0 of literals alone; `None` of parts of a second.
    fn end(&self) -> Option<u8> {
        self.parts.iter().try_fold(0, |end, part| {
            let own = match part {
                Part::Literal(_) => 0,
                Part::Fraction(_) => return None,
                Part::Field(field) => match (field.place, field.letters) {
                    (Some((_, after)), _) => after,
                    (None, "yy") => 1,
                    (None, "MMM") => 2,
                    (None, "hh" | "a") => 4,
                    (None, _) => 3,
                },
            };
            Some(own.max(end))
        })
    }

    /// The pattern from the year on to what ends at such a place.
    fn down_to(end: u8) -> Option<Self> {
        let letters = DIGITS.get(..2 + 2 * usize::from(end));
        let letters = letters.filter(|_| end > 0)?;
        Self::parse(letters).ok()
    }

    /// Are the steps of one from the year on longer than the unit? Months and years, which differ in length, are.
    pub fn is_coarser_than(&self, unit: TimeUnit) -> bool {
        self.step().is_none_or(|(step, _)| step > unit.nanos())
    }

    /// Bytes that can stand at each position.
    pub fn sets(&self) -> Vec<ByteSet> {
        let letters = ByteSet::range(b'A', b'Z').union(ByteSet::range(b'a', b'z'));
        let digits = ByteSet::range(b'0', b'9');
        let sets = self.parts.iter().flat_map(|part| {
            let set = match part {
                Part::Literal(byte) => ByteSet::one(*byte),
                Part::Field(field) if !field.names.is_empty() => letters,
                Part::Field(_) | Part::Fraction(_) => digits,
            };
            std::iter::repeat_n(set, part.width())
        });
        sets.collect()
    }

    /// Appends the text of an instant in years 0 to 9999.
    pub fn write(&self, value: i64, unit: TimeUnit, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.width, b'0');
        self.fill(value, unit, &mut out[start..], &mut Civil::default());
    }

    /// Writes it to a place of its width. `c` is that of an instant before, which is near where many are written one after another.
    pub fn fill(&self, value: i64, unit: TimeUnit, mut rest: &mut [u8], c: &mut Civil) {
        c.set(value, unit);
        if let Some(sources) = &self.sources {
            let digits = c.digits();
            for (byte, source) in rest.iter_mut().zip(sources) {
                *byte = match source.checked_sub(DIGIT) {
                    Some(at) => digits[usize::from(at)],
                    None => *source,
                };
            }
            return;
        }
        for part in &self.parts {
            let width = part.width();
            let place;
            (place, rest) = rest.split_at_mut(width);
            match part {
                Part::Literal(byte) => place[0] = *byte,
                Part::Field(field) => field.write((field.number)(c), place),
                Part::Fraction(_) => {
                    let part = c.nanos / 10i64.pow(9 - width as u32);
                    digits(part.unsigned_abs(), b'0', place);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
mod tests;
