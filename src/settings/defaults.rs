//! The defaults of a table as a source of values.

use super::{Profile, Setting, Shape, Source, Table};

/// A table of which nothing is said: every setting is its default in the first profile.
#[derive(Debug, Clone, Copy)]
pub struct Defaults(&'static Table);

impl Defaults {
    /// Of a table that stands at one place.
    pub fn of(table: &'static Table) -> Self {
        Self(table)
    }

    fn default_of(&self, key: &str) -> Option<&'static str> {
        <&Profile>::default().default_of(self.0.path, self.setting(key))
    }

    fn setting(&self, key: &str) -> &'static Setting {
        self.0.get(key).expect("a declared setting is read")
    }
}

impl Source for Defaults {
    fn value(&self, key: &'static str) -> String {
        let default = self.given(key);
        default.unwrap_or_else(|| panic!("`{key}` has no default"))
    }

    fn given(&self, key: &'static str) -> Option<String> {
        self.default_of(key).map(str::to_owned)
    }

    fn text_of(&self, _: &'static str) -> Option<String> {
        None
    }

    fn whole_number(&self, _: &'static str, _: i64, default: i64) -> i64 {
        default
    }

    fn says(&self, _: &str) -> bool {
        false
    }

    fn choose(&self, key: &'static str) -> Option<&'static str> {
        self.default_of(key)
    }

    fn complain_of(&self, _: &str, _: String, _: &str) {}

    fn complain_of_key(&self, _: &str, _: String, _: &str) {}

    fn inner(&self, key: &'static str) -> Box<dyn Source + '_> {
        match self.setting(key).kind.shape {
            Shape::Table(table) => Box::new(Self(table)),
            _ => panic!("`{key}` is no table"),
        }
    }

    fn close(&self) {}
}
