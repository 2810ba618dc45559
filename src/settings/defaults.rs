//! The defaults of a table as a source of values.

use super::{Profile, Setting, Shape, Source, Table, Value};
use crate::units::UnitKind;

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

/// What a default says. Panics for one that does not fit its setting.
fn parsed(setting: &Setting, text: &str) -> Value {
    let found = match setting.kind.shape {
        Shape::Integer(..) => text.parse().ok().map(Value::Integer),
        Shape::Number(_) => text.parse().ok().map(Value::Number),
        Shape::Unit(UnitKind::Duration) => text.parse().ok().map(Value::Time),
        Shape::Unit(UnitKind::ByteSize) => text.parse().ok().map(Value::Size),
        Shape::Unit(UnitKind::Bandwidth) => text.parse().ok().map(Value::Bandwidth),
        Shape::Unit(UnitKind::Rate) => text.parse().ok().map(Value::Rate),
        Shape::Word(words) => words.iter().position(|word| *word == text).map(Value::Word),
        Shape::Boolean => text.parse().ok().map(Value::Boolean),
        Shape::Texts => {
            let items = text.trim_matches(['[', ']']).split(", ");
            let texts = items.map(|item| item.trim_matches('"').to_owned());
            Some(Value::Texts(texts.collect()))
        }
        Shape::Text(_) | Shape::Table(_) | Shape::Names(..) | Shape::Json(_) => {
            Some(Value::Text(text.to_owned()))
        }
    };
    found.unwrap_or_else(|| panic!("`{text}` is no `{}`", setting.key))
}

impl Source for Defaults {
    fn value(&self, key: &'static str) -> Value {
        let default = self.given(key);
        default.unwrap_or_else(|| panic!("`{key}` has no default"))
    }

    fn given(&self, key: &'static str) -> Option<Value> {
        let setting = self.setting(key);
        self.default_of(key).map(|text| parsed(setting, text))
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
