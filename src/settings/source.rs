//! Where the values of settings come from, and what becomes of them.

use crate::text::Words;
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize, PerSecond};

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// Any number.
    Number(f64),
    /// A length of time.
    Time(SimDuration),
    /// A number of bytes.
    Size(ByteSize),
    /// Bytes a second.
    Bandwidth(Bandwidth),
    /// So many a second.
    Rate(PerSecond),
    /// One of some words, by its place among them.
    Word(usize),
    /// Yes or no.
    Boolean(bool),
    /// Any text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

/// A table of values: a file's, or the defaults.
pub trait Source {
    /// The value of a setting with a default; the default where nothing sound is said.
    fn value(&self, key: &'static str) -> Value;

    /// The value of a setting, if something sound is said.
    fn given(&self, key: &'static str) -> Option<Value>;

    /// The text that stands there, if it is one.
    fn text_of(&self, key: &'static str) -> Option<String>;

    /// A whole number up to `greatest`, whose default follows from other settings.
    fn whole_number(&self, key: &'static str, greatest: i64, default: i64) -> i64;

    /// Whether something is said.
    fn says(&self, key: &str) -> bool;

    /// The word, by its place among those that are known, of a setting with others beside it; those of other words have no meaning here.
    /// `None` when it is none of them.
    fn choose(&self, key: &'static str) -> Option<&'static str>;

    /// Complains about a value.
    fn complain_of(&self, key: &str, message: String, label: &str);

    /// Complains about a key, whatever its value.
    fn complain_of_key(&self, key: &str, message: String, label: &str);

    /// A table inside this one.
    fn inner(&self, key: &'static str) -> Box<dyn Source + '_>;

    /// Complains about what no setting is called.
    fn close(&self);
}

/// What can be made of one value.
pub trait FromValue {
    /// Panics for a value of another type: a setting is declared with the type that it is read as.
    fn from_value(value: Value) -> Self;
}

/// The value of a setting, if something sound is said; complains about one that must be said and is not.
pub fn given<T: FromValue>(source: &dyn Source, key: &'static str) -> Option<T> {
    source.given(key).map(T::from_value)
}

/// What can be read from a table of values.
pub trait FromSource: Sized {
    /// Reads all of a table's settings.
    fn read_all(source: &dyn Source) -> Self;

    /// Reads what stands under a key: a value, or a table.
    fn read(source: &dyn Source, key: &'static str) -> Self {
        let table = source.inner(key);
        let found = Self::read_all(&*table);
        table.close();
        found
    }
}

impl<T: FromValue> FromSource for T {
    fn read_all(_: &dyn Source) -> Self {
        unreachable!("a single value is no table")
    }

    fn read(source: &dyn Source, key: &'static str) -> Self {
        T::from_value(source.value(key))
    }
}

macro_rules! from_value {
    ($($type:ty: $variant:ident($value:ident) => $made:expr;)*) => {
        $(impl FromValue for $type {
            fn from_value(value: Value) -> Self {
                match value {
                    Value::$variant($value) => $made,
                    other => panic!("{other:?} is no {}", stringify!($type)),
                }
            }
        })*
    };
}

from_value! {
    u16: Integer(value) => value as u16;
    u32: Integer(value) => value as u32;
    u64: Integer(value) => value as u64;
    usize: Integer(value) => value as usize;
    i64: Integer(value) => value;
    f32: Number(value) => value as f32;
    f64: Number(value) => value;
    SimDuration: Time(value) => value;
    ByteSize: Size(value) => value;
    Bandwidth: Bandwidth(value) => value;
    PerSecond: Rate(value) => value;
    bool: Boolean(value) => value;
    String: Text(value) => value;
    Vec<String>: Texts(value) => value;
}

impl<T: Words + Copy> FromValue for T {
    fn from_value(value: Value) -> Self {
        match value {
            Value::Word(at) => Self::VARIANTS[at],
            other => panic!("{other:?} is no word"),
        }
    }
}
