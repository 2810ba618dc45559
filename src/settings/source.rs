//! Where the values of settings come from, and what becomes of them.

use crate::text::Words;
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize, PerSecond};
use std::any::type_name;

/// A table of values: a file's, or the defaults. A value is the text that a user could write, without quotes; a list is one of JSON.
pub trait Source {
    /// The value of a setting with a default; the default where nothing sound is said.
    fn value(&self, key: &'static str) -> String;

    /// The value of a setting, if something sound is said.
    fn given(&self, key: &'static str) -> Option<String>;

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
pub trait FromValue: Sized {
    /// `None` where the text says nothing of the kind.
    fn from_value(text: &str) -> Option<Self>;
}

/// What a value says. Panics where it is of another type: a setting is declared with the type that it is read as.
pub fn read<T: FromValue>(text: &str) -> T {
    T::from_value(text).unwrap_or_else(|| panic!("`{text}` is no {}", type_name::<T>()))
}

/// The value of a setting, if something sound is said; complains about one that must be said and is not.
pub fn given<T: FromValue>(source: &dyn Source, key: &'static str) -> Option<T> {
    source.given(key).map(|text| read(&text))
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
        read(&source.value(key))
    }
}

macro_rules! from_value {
    ($($type:ty),*) => {
        $(impl FromValue for $type {
            fn from_value(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        })*
    };
}

from_value!(u16, u32, u64, usize, i64, f64, bool, String);
from_value!(SimDuration, ByteSize, Bandwidth, PerSecond);

impl FromValue for f32 {
    fn from_value(text: &str) -> Option<Self> {
        f64::from_value(text).map(|number| number as f32)
    }
}

impl FromValue for Vec<String> {
    fn from_value(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl<T: Words> FromValue for T {
    fn from_value(text: &str) -> Option<Self> {
        T::named(text)
    }
}
