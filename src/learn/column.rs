//! One column of a file, value by value: kind, frequencies, extremes, and whether it follows the order of the rows. Must not know the other columns.

use super::frequencies::Frequencies;
use super::time_order::TimeOrder;
use crate::data::{Value, ValueKind, ValueParser};

/// What is known of a column. Memory is bounded, whatever its length.
#[derive(Debug)]
pub struct Column {
    /// As the file has it.
    pub name: String,
    kind: Option<ValueKind>,
    parser: ValueParser,
    /// Rows without a value.
    pub missing: u64,
    /// How often each value came.
    pub frequencies: Frequencies,
    /// Bytes of all values as text.
    pub bytes: u64,
    /// Of its values as texts.
    pub lengths: (usize, usize),
    /// Least and greatest, of whole numbers.
    pub integers: (i64, i64),
    /// Least and greatest, of numbers.
    pub numbers: (f64, f64),
    /// The order of its values, of times.
    pub times: TimeOrder,
    /// Rows whose value is greater than all before them.
    rising: u64,
    greatest: String,
}

/// What a value was found to be that is not what the column was.
#[derive(Debug)]
pub enum Misfit {
    /// It can't be read, and what was expected.
    Unreadable(String),
    /// The column is text from here on.
    IsText(String),
    /// The time has no zone.
    NoZone,
}

/// Counts since 1970 of s, ms, us and ns that a column of times may hold: from 2001 to 2065, and what the names of such columns hold.
const TIMES: (i64, i64) = (1_000_000_000, 3_000_000_000);
const TIME_NAMES: [&str; 7] = ["time", "date", "ts", "stamp", "_at", "when", "epoch"];

impl Column {
    /// Of that name, without any value.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: None,
            parser: ValueParser::new(ValueKind::Text),
            missing: 0,
            frequencies: Frequencies::default(),
            bytes: 0,
            lengths: (usize::MAX, 0),
            integers: (i64::MAX, i64::MIN),
            numbers: (f64::INFINITY, f64::NEG_INFINITY),
            times: TimeOrder::default(),
            rising: 0,
            greatest: String::new(),
        }
    }

    /// What its values are; text without any.
    pub fn kind(&self) -> ValueKind {
        self.kind.unwrap_or(ValueKind::Text)
    }

    /// Takes the next value, and gives its hash; 0 where it is missing. O(length).
    ///
    /// # Errors
    /// It is not what the column's other values are; all but the unreadable are counted.
    pub fn add(&mut self, text: Option<&str>) -> (u64, Result<(), Misfit>) {
        let Some(text) = text else {
            self.missing += 1;
            return (0, Ok(()));
        };
        let hash = self.frequencies.add(text);
        self.bytes += text.len() as u64;
        let (shortest, longest) = self.lengths;
        self.lengths = (shortest.min(text.len()), longest.max(text.len()));
        if self.kind.is_none() {
            self.become_kind(self.kind_of(text));
        }
        (hash, self.read(text))
    }

    fn kind_of(&self, text: &str) -> ValueKind {
        let kind = ValueKind::of(text);
        let name = self.name.to_lowercase();
        let is_time = |count: i64| {
            let mut units = [1, 1_000, 1_000_000, 1_000_000_000].into_iter();
            units.any(|unit| (TIMES.0..TIMES.1).contains(&(count / unit)))
        };
        let may_be_time = kind == ValueKind::Int && TIME_NAMES.iter().any(|it| name.contains(it));
        match may_be_time && text.parse().is_ok_and(is_time) {
            true => ValueKind::Time,
            false => kind,
        }
    }

    fn become_kind(&mut self, kind: ValueKind) {
        (self.kind, self.parser) = (Some(kind), ValueParser::new(kind));
    }

    fn read(&mut self, text: &str) -> Result<(), Misfit> {
        let value = match self.parser.parse(text) {
            Ok(value) => value,
            Err(found) => {
                return match (self.kind(), ValueKind::of(text)) {
                    (ValueKind::Time, _) => Err(Misfit::Unreadable(found)),
                    (ValueKind::Int, ValueKind::Decimal) => {
                        self.become_kind(ValueKind::Decimal);
                        self.read(text)
                    }
                    _ => {
                        self.become_kind(ValueKind::Text);
                        self.rise(text);
                        Err(Misfit::IsText(found))
                    }
                };
            }
        };
        let number = |(least, greatest): (f64, f64), it: f64| (least.min(it), greatest.max(it));
        match value {
            Value::Int(it) => {
                let (least, greatest) = self.integers;
                self.rising += u64::from(it > greatest);
                self.integers = (least.min(it), greatest.max(it));
                self.numbers = number(self.numbers, it as f64);
            }
            Value::Decimal(it) => self.numbers = number(self.numbers, it),
            Value::Time(at, zoned) => {
                self.times.add(at.0);
                return if zoned { Ok(()) } else { Err(Misfit::NoZone) };
            }
            Value::Bool(_) => {}
            Value::Uuid(_) | Value::Text(_) => self.rise(text),
        }
        Ok(())
    }

    fn rise(&mut self, text: &str) {
        if text > self.greatest.as_str() {
            self.rising += 1;
            self.greatest.clear();
            self.greatest.push_str(text);
        }
    }

    /// Values that were read.
    pub fn rows(&self) -> u64 {
        self.frequencies.rows()
    }

    /// Whether most rows have a greater value than all before them, as counters have.
    pub fn is_rising(&self) -> bool {
        self.rising * 2 > self.rows() && self.rows() > 2
    }

    /// Whether hardly a value comes twice: an identity of the row.
    pub fn is_unique(&self) -> bool {
        self.frequencies.distinct().high >= 0.999 * self.rows() as f64 && self.rows() > 2
    }
}
