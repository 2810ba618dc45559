//! One column of a file, value by value: kind, frequencies, extremes, and whether it follows the order of the rows. Must not know the other columns.

use super::bursts::SECOND;
use super::frequencies::Frequencies;
use super::from_time::DAY;
use super::time_order::TimeOrder;
use super::trend::{LEAST_ROWS, Trend};
use crate::data::{Value, ValueKind, ValueParser};
use crate::random::hash_name;
use crate::statistics::{EvenSample, rank_correlation};
use jiff::Timestamp;
use jiff::civil::DateTime;
use serde_json::Map;
use std::ops::RangeInclusive;

/// What is known of a column. Memory is bounded, whatever its length.
#[derive(Debug, Default)]
pub struct Column {
    /// As the file has it.
    pub name: String,
    parser: Option<(ValueKind, ValueParser)>,
    /// While all numbers may be times.
    may_be_times: Option<ValueParser>,
    /// Rows without a value.
    pub missing: u64,
    /// How often each value came.
    pub frequencies: Frequencies,
    /// The same of a column that follows from another, as far as it tells the law by which values of that one draw theirs.
    drawn: Option<Frequencies>,
    /// Bytes of all values as text.
    pub bytes: u64,
    /// The order of its values, of whole numbers and of texts.
    pub integers: Trend<i64>,
    pub texts: Trend<String>,
    /// The order of its values, of times.
    pub times: TimeOrder,
    /// How well its values rise with the rows, or with their times where the rows have another order: from -1 to 1.
    order: f64,
    /// The rows have another order.
    is_by_time: bool,
}

/// A value of a row: the number that it is, of times in nanoseconds, and the beginning of its text, empty where it is missing.
pub type Cell = (i64, Box<str>);

/// What a value was found to be that is not what the column was.
#[derive(Debug)]
pub enum Misfit {
    /// It can't be read, and what was expected.
    Unreadable(String),
    /// The column is text from here on.
    IsText(String),
    /// The time has no zone.
    NoZone,
    /// The time lies far off, as one that stands for none does.
    FarOff,
}

/// Years that scenarios have.
pub const YEARS: RangeInclusive<u16> = 1_879..=2_060;

/// Ranks of values that rise or fall with the rows, whatever chance does to the order of those that are near each other, correlate so much at least (estimate): blocks
/// of rows then lie one behind the other.
const ORDERED: f64 = 0.9;

/// So many different numbers at most, which come so often each on average, are names (estimate).
const MOST_CODES: f64 = 16.0;
const ROWS_OF_A_CODE: f64 = 10.0;

/// Words in the names of columns that measure something: many values, of which no reader asks for one.
const MEASURES: [&str; 25] = [
    "amount", "balance", "bytes", "cents", "cost", "count", "duration", "elapsed", "fare", "fee",
    "latency", "length", "millis", "minutes", "ms", "price", "quantity", "qty", "sec", "seconds",
    "secs", "size", "total", "weight", "width",
];

/// Counts of seconds, or finer, since 1970 that a column of times may hold, from 2001 to 2065, and what is in the names of such columns.
const TIMES: std::ops::Range<i64> = 1_000_000_000..3_000_000_000;
/// The same in nanoseconds, from 2008 to 2039, where the name doesn't say so.
const LIKELY_TIMES: std::ops::Range<i64> = 1_200_000_000 * SECOND..2_200_000_000 * SECOND;
const TIME_NAMES: [&str; 9] = [
    "time", "date", "ts", "stamp", "_at", "when", "epoch", "created", "logged",
];

impl Column {
    /// Of that name, one of so many, without any value.
    pub fn new(name: &str, columns: usize) -> Self {
        Self {
            name: name.to_owned(),
            frequencies: Frequencies::of_columns(columns),
            ..Self::default()
        }
    }

    /// What its values are; text without any.
    pub fn kind(&self) -> ValueKind {
        self.parser.as_ref().map_or(ValueKind::Text, |it| it.0)
    }

    /// Takes the next value, and gives the number that it is, of times in nanoseconds, or else its hash. O(length).
    ///
    /// # Errors
    /// It is not what the column's other values are; all but the unreadable are counted.
    pub fn add(&mut self, text: Option<&str>) -> (i64, Result<(), Misfit>) {
        let Some(text) = text else {
            self.missing += 1;
            return (i64::MIN, Ok(()));
        };
        let may_be_time = self
            .parser
            .as_ref()
            .is_none_or(|it| it.0 == ValueKind::Time);
        if may_be_time && is_far_off(text, self.parser.is_some()) {
            self.missing += 1;
            return (i64::MIN, Err(Misfit::FarOff));
        }
        self.bytes += text.len() as u64;
        let mut number = self.frequencies.add(text).cast_signed();
        if self.parser.is_none() {
            self.become_kind(kind_of(&self.name, text));
            let is_number = matches!(self.kind(), ValueKind::Int | ValueKind::Decimal);
            let may_be = is_number && !self.name.to_lowercase().ends_with("id");
            self.may_be_times = may_be.then(|| ValueParser::new(ValueKind::Time));
            if self.kind() == ValueKind::Text && is_local_date(text) {
                let found = format!(
                    "`{text}` is no time that is known: times are written as 2026-01-31T12:00:00Z"
                );
                return (number, Err(Misfit::IsText(found)));
            }
            let is_of_number = |c: char| c.is_ascii_digit() || ",.-".contains(c);
            if text.contains(',') && text.chars().all(is_of_number) {
                let found = format!("`{text}` has a comma: numbers are written as 1234.56");
                return (number, Err(Misfit::IsText(found)));
            }
        }
        let read = self.read(text, &mut number);
        if let Some(times) = &mut self.may_be_times {
            match times.parse(text) {
                Ok(Value::Time(at, _)) if LIKELY_TIMES.contains(&at.0) => {
                    self.times.add(at.0);
                    number = at.0;
                }
                _ => (self.may_be_times, self.times) = (None, TimeOrder::default()),
            }
        }
        (number, read)
    }

    fn become_kind(&mut self, kind: ValueKind) {
        self.parser = Some((kind, ValueParser::new(kind)));
    }

    fn read(&mut self, text: &str, number: &mut i64) -> Result<(), Misfit> {
        let Some((kind, parser)) = &mut self.parser else {
            return Ok(());
        };
        match parser.parse(text) {
            Ok(Value::Int(it)) => {
                self.integers.add(&it);
                *number = it;
            }
            Ok(Value::Time(at, zoned)) => {
                self.times.add(at.0);
                *number = at.0;
                return if zoned { Ok(()) } else { Err(Misfit::NoZone) };
            }
            Ok(Value::Text(it)) => self.texts.add(it),
            Ok(_) => {}
            Err(found) => match (kind, ValueKind::of(text)) {
                (ValueKind::Time, _) => return Err(Misfit::Unreadable(found)),
                (ValueKind::Int, ValueKind::Decimal) => self.become_kind(ValueKind::Decimal),
                _ => {
                    self.become_kind(ValueKind::Text);
                    return Err(Misfit::IsText(found));
                }
            },
        }
        Ok(())
    }

    /// Numbers are times where all may be, most rise or fall, and they don't simply count; so are those within a day of the `known` times, if there are any.
    pub fn settle(&mut self, known: Option<(i64, i64)>) {
        let (first, last) = (self.times.first, self.times.last);
        let (from, to) = known.unwrap_or((first, last));
        let is_near = from.saturating_sub(first) < DAY && last.saturating_sub(to) < DAY;
        let ends = self.integers.ends();
        let counts =
            ends.is_some_and(|(least, greatest)| greatest.abs_diff(*least) < self.frequencies.rows);
        let is_sorted = first < last && self.times.is_sorted();
        let counts = counts && self.is_unique();
        if self.may_be_times.is_some() && is_sorted && is_near && !counts {
            self.become_kind(ValueKind::Time);
        }
    }

    /// Of the rows of these values, by their numbers, only a part tells the law.
    pub(super) fn without_lumps(&mut self, parts: Vec<(i64, f64)>) {
        let is_int = self.kind() == ValueKind::Int;
        for (number, part) in parts {
            let hash = match is_int {
                true => hash_name(&number.to_string()),
                false => number.cast_unsigned(),
            };
            let drawn = self.drawn.get_or_insert_with(|| self.frequencies.clone());
            drawn.lessen(hash, part);
        }
    }

    /// The law is told by a part of the rows.
    pub fn has_lumps(&self) -> bool {
        self.drawn.is_some()
    }

    /// How often each value was drawn.
    pub fn law(&self) -> &Frequencies {
        self.drawn.as_ref().unwrap_or(&self.frequencies)
    }

    /// Values that were read.
    pub fn rows(&self) -> u64 {
        self.frequencies.rows
    }

    /// Finds how well its values, at that place of these rows, rise with the rows, or with the times of column `by`.
    pub(super) fn find_order(
        &mut self,
        rows: &EvenSample<Vec<Cell>>,
        at: usize,
        by: Option<usize>,
    ) {
        self.is_by_time = by.is_some();
        let known = rows.kept().enumerate().filter(|(_, row)| {
            let mut both = [Some(at), by].into_iter().flatten();
            both.all(|column| !row[column].1.is_empty())
        });
        let is_time = self.kind() == ValueKind::Time;
        let is_integer = self.kind() == ValueKind::Int;
        let pairs = known.map(|(place, row)| {
            let (number, text) = &row[at];
            let value = match is_time {
                true => (*number, ""),
                false if is_integer => (text.trim().parse().unwrap_or(i64::MIN), ""),
                false => (0, &text[..]),
            };
            (by.map_or(place as i64, |by| row[by].0), value)
        });
        let pairs: Vec<(i64, (i64, &str))> = pairs.collect();
        self.order = match pairs.len() as u64 >= LEAST_ROWS {
            true => rank_correlation(&pairs),
            false => 0.0,
        };
    }

    /// Whether its values rise or fall with the rows, at least from one block of these to the next.
    pub fn is_ordered(&self) -> bool {
        self.order.abs() >= ORDERED
    }

    /// Whether whole numbers or texts, none of which comes twice, rise or fall so, or most are greater than all before them, or lesser.
    pub fn rises(&self) -> bool {
        let is_strict = match self.kind() {
            ValueKind::Int => self.integers.is_strict(),
            ValueKind::Text => self.texts.is_strict() && self.rows() >= LEAST_ROWS,
            _ => return false,
        };
        (is_strict && !self.is_by_time || self.is_ordered()) && self.is_unique()
    }

    /// Whether they fall.
    pub fn falls(&self) -> bool {
        self.order < 0.0
    }

    /// Whether there are many whole numbers or texts that rise or fall so, and come again.
    pub fn drifts(&self) -> bool {
        let is_many = self.frequencies.distinct().value > MOST_CODES;
        let is_known = matches!(self.kind(), ValueKind::Int | ValueKind::Text);
        is_known && is_many && self.is_ordered() && !self.is_unique()
    }

    /// Of numbers that rise: how far one lies from the next on average, 1 of counters.
    pub fn step(&self) -> Option<i64> {
        let (least, greatest) = self.integers.ends()?;
        let is_number = self.kind() == ValueKind::Int && self.rises();
        is_number.then(|| step(*least, *greatest, self.rows()))
    }

    /// Whether its values, numbers or texts, come one after another and not again, each of them for some rows.
    pub fn is_successive(&self) -> bool {
        let distinct = self.frequencies.distinct().value;
        match self.kind() {
            _ if self.is_unique() => false,
            ValueKind::Int => self.integers.is_successive(distinct),
            ValueKind::Text => self.texts.is_successive(distinct),
            _ => false,
        }
    }

    /// Whether it holds few whole numbers, with others between them that never come: names, such as status codes, that count nothing.
    pub fn is_code(&self) -> bool {
        let distinct = self.frequencies.distinct().value;
        let ends = self.integers.ends();
        let has_gaps =
            ends.is_some_and(|(least, greatest)| greatest.abs_diff(*least) as f64 >= distinct);
        has_gaps && distinct <= MOST_CODES && self.rows() as f64 >= distinct * ROWS_OF_A_CODE
    }

    /// Whether its texts are JSON objects, as those of an object within an object are: all begin as the least and the greatest do.
    pub fn is_object(&self) -> bool {
        let is_object =
            |text: &String| serde_json::from_str::<Map<String, serde_json::Value>>(text).is_ok();
        let ends = self.texts.ends();
        ends.is_some_and(|(least, greatest)| is_object(least) && is_object(greatest))
    }

    /// Whether its name says that its whole numbers measure something.
    pub fn is_measure(&self) -> bool {
        // `call_duration`, and `callDuration` as well.
        let mut words = String::new();
        for letter in self.name.chars() {
            if letter.is_ascii_uppercase() && words.ends_with(|c: char| c.is_ascii_lowercase()) {
                words.push(' ');
            }
            words.push(letter);
        }
        let words = words.to_ascii_lowercase();
        let mut words = words.split(|c: char| !c.is_ascii_alphabetic());
        self.kind() == ValueKind::Int && words.any(|word| MEASURES.contains(&word))
    }

    /// Whether hardly a value comes twice: an identity of the row.
    pub fn is_unique(&self) -> bool {
        self.rows() > 2 && self.frequencies.distinct().high >= 0.999 * self.rows() as f64
    }
}

/// From a number to the next of so many on average.
pub fn step(least: i64, greatest: i64, rows: u64) -> i64 {
    let gaps = rows.saturating_sub(1).max(1);
    ((greatest.abs_diff(least) as f64 / gaps as f64).round() as i64).max(1)
}

/// Whether a text is a time that no scenario has: in ISO 8601, or a count since 1970.
fn is_far_off(text: &str, may_be_count: bool) -> bool {
    let written = text
        .get(..4)
        .filter(|_| text.as_bytes().get(4) == Some(&b'-'));
    let written = written.and_then(|it| it.parse::<u16>().ok());
    let bare = || text.trim_end_matches('Z').parse::<DateTime>().is_ok();
    let is_time = || text.parse::<Timestamp>().is_ok() || bare();
    let year = match written {
        Some(_) => written,
        None if may_be_count => match ValueParser::new(ValueKind::Time).parse(text) {
            Ok(Value::Time(at, _)) => u16::try_from(1_970 + at.0.div_euclid(366 * DAY)).ok(),
            _ => None,
        },
        None => None,
    };
    year.is_some_and(|year| !YEARS.contains(&year)) && (written.is_none() || is_time())
}

/// Whether a text begins with a date as no standard has it: `1/31/2026`, `31.1.2026`.
fn is_local_date(text: &str) -> bool {
    let date = text.split([' ', ',', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['/', '.']).collect();
    let is_number = |it: &&str| (1..=4).contains(&it.len()) && it.parse::<u16>().is_ok();
    parts.len() == 3 && parts.iter().all(is_number) && parts.iter().any(|it| it.len() == 4)
}

/// Of a column's first value: numbers are times where both the name and the number say so.
fn kind_of(name: &str, text: &str) -> ValueKind {
    let (kind, name) = (ValueKind::of(text), name.to_lowercase());
    let units = [1, 1_000, 1_000_000, 1_000_000_000];
    let may_be_time = |count: i64| units.iter().any(|unit| TIMES.contains(&(count / unit)));
    let is_number = matches!(kind, ValueKind::Int | ValueKind::Decimal);
    let is_named = name == "at" || TIME_NAMES.iter().any(|it| name.contains(it));
    let whole = text.split('.').next().unwrap_or_default();
    match is_number && is_named && whole.parse().is_ok_and(may_be_time) {
        true => ValueKind::Time,
        false => kind,
    }
}
