//! The values of declared settings: read by their type, kept within their range, defaults noted.

use super::document;
use super::prelude::*;
use super::show;
use crate::settings::{self, FromValue, Limit, Setting, Shape, Source};
use crate::text::{either, grouped};
use crate::time::SimDuration;
use crate::units::{Bandwidth, ByteSize, PerSecond, UnitError, UnitKind};
use serde_json::json;
use std::fmt::Display;
use std::str::FromStr;

/// A type that is written as a number with a unit.
pub(super) trait Unit: FromStr<Err = UnitError> {
    const KIND: UnitKind;
}

impl Unit for SimDuration {
    const KIND: UnitKind = UnitKind::Duration;
}
impl Unit for ByteSize {
    const KIND: UnitKind = UnitKind::ByteSize;
}
impl Unit for Bandwidth {
    const KIND: UnitKind = UnitKind::Bandwidth;
}
impl Unit for PerSecond {
    const KIND: UnitKind = UnitKind::Rate;
}

/// A default as TOML writes it.
fn toml(shape: &Shape, default: &str) -> String {
    match shape {
        Shape::Unit(_) | Shape::Word(_) | Shape::Text(_) => format!("{default:?}"),
        _ => default.to_owned(),
    }
}

impl<'a> Reader<'a> {
    /// The value of a setting with a default.
    pub(super) fn value<T: FromValue>(&self, key: &'static str) -> T {
        settings::read(&Source::value(self, key))
    }

    /// The value of a setting, if something sound is said; complains about one that must be said and is not.
    pub(super) fn given<T: FromValue>(&self, key: &'static str) -> Option<T> {
        settings::given(self, key)
    }

    /// The value of a setting whose default follows from others.
    pub(super) fn value_or<T: FromValue>(&self, key: &'static str, default: &str) -> T {
        settings::read(&self.found_or(self.setting(key), default))
    }

    fn setting(&self, key: &str) -> &'static Setting {
        let setting = self.spec.get(key);
        setting.unwrap_or_else(|| panic!("{} declares no `{key}`", self.name()))
    }

    fn found_or(&self, setting: &'static Setting, default: &str) -> String {
        let default = toml(&setting.kind.shape, default);
        self.read_or(setting.key, &default, |node| self.found(setting, node))
    }

    fn help_of(&self, key: &str) -> Option<String> {
        self.spec.get(key)?.kind.help.map(str::to_owned)
    }

    fn read_or<T>(&self, key: &'static str, default: &str, read: impl Fn(&Node) -> Option<T>) -> T {
        let own = self.sink.profile().own_default(&self.path_of(key));
        let own = own.map(|default| toml(&self.setting(key).kind.shape, default));
        let default = own.as_deref().unwrap_or(default);
        let found = match self.entry(key) {
            Some(entry) => read(&entry.node),
            None => return read(&self.note_default(key, default)).expect("defaults are valid"),
        };
        found.unwrap_or_else(|| {
            let node = document::parse_value(default, &self.place);
            read(&node.expect("defaults are valid TOML")).expect("defaults are valid")
        })
    }

    /// What a node says of a setting; complains about what it does not take.
    fn found(&self, setting: &Setting, node: &Node) -> Option<String> {
        let (key, limit) = (setting.key, setting.kind.limit);
        Some(match setting.kind.shape {
            Shape::Integer(least, greatest) => {
                self.integer_node(key, node, least, greatest)?.to_string()
            }
            Shape::Number(domain) => {
                let contains = |value| domain.contains(value);
                let number = self.number_node(key, node, domain.name, contains)?;
                number.to_string()
            }
            Shape::Unit(UnitKind::Duration) => self.quantity::<SimDuration>(key, node, limit)?,
            Shape::Unit(UnitKind::ByteSize) => self.quantity::<ByteSize>(key, node, limit)?,
            Shape::Unit(UnitKind::Bandwidth) => self.quantity::<Bandwidth>(key, node, limit)?,
            Shape::Unit(UnitKind::Rate) => self.quantity::<PerSecond>(key, node, limit)?,
            Shape::Word(words) => words[self.word_node(key, node, words)?].to_owned(),
            Shape::Boolean => self.boolean_node(key, node)?.to_string(),
            Shape::Text(_) => self.text_node(key, node)?.to_owned(),
            Shape::Texts => {
                let texts = self.texts_of(key, node, false)?.into_iter();
                json!(texts.map(|(text, _)| text).collect::<Vec<_>>()).to_string()
            }
            Shape::Table(_) | Shape::Names(..) | Shape::Json(_) => {
                unreachable!("`{key}` has a reader of its own")
            }
        })
    }

    /// A number with a unit, as it stands there.
    fn quantity<T>(&self, key: &str, node: &Node, limit: Option<Limit>) -> Option<String>
    where
        T: Unit + PartialOrd + Display,
    {
        let value: T = self.unit_node(key, node)?;
        let parsed = |text: &str| text.parse::<T>().ok();
        let fits = |limit: &Limit| {
            let zero = parsed(&format!("0{}", T::KIND.usual_unit()));
            match limit.zero.filter(|_| zero.as_ref() == Some(&value)) {
                Some(allowed) => allowed,
                None => {
                    parsed(limit.least).is_none_or(|least| value >= least)
                        && parsed(limit.greatest).is_none_or(|greatest| value <= greatest)
                }
            }
        };
        if let Some(limit) = limit.filter(|limit| !fits(limit)) {
            let message = limit.message.replace("{}", &value.to_string());
            let diagnostic = Diagnostic::error(message).label(limit.label);
            self.complain(key, diagnostic.hint(self.help_of(key)));
        }
        node.text().map(str::to_owned)
    }

    /// A text.
    pub(super) fn text(&self, key: &'a str) -> Option<&'a str> {
        self.text_node(key, &self.entry(key)?.node)
    }

    /// Complains when a key is missing that its declaration gives an example of.
    pub(super) fn require(&self, key: &str) {
        if let Some(example) = self.setting(key).kind.example {
            self.missing(key, example);
        }
    }

    /// A text that must be said.
    pub(super) fn required_text(&self, key: &'a str) -> Option<&'a str> {
        self.require(key);
        self.text(key)
    }

    fn text_node<'n>(&self, key: &str, node: &'n Node) -> Option<&'n str> {
        #[cfg(test)]
        super::asked_fixture::text(&self.path_of(key));
        match &node.value {
            Value::Text(text) => Some(text),
            _ => self.wrong_type(key, node, "a text in quotes"),
        }
    }

    fn boolean_node(&self, key: &str, node: &Node) -> Option<bool> {
        #[cfg(test)]
        super::asked_fixture::boolean(&self.path_of(key));
        if let Value::Boolean(value) = node.value {
            return Some(value);
        }
        self.wrong_type(key, node, "`true` or `false`")
    }

    /// One of some words, by its place among them.
    pub(super) fn word_node(&self, key: &str, node: &Node, words: &[&str]) -> Option<usize> {
        #[cfg(test)]
        super::asked_fixture::words(&self.path_of(key), words);
        let Value::Text(text) = &node.value else {
            return self.wrong_type(key, node, &either(words));
        };
        let found = words.iter().position(|word| word == text);
        if found.is_none() {
            let message = format!("unknown `{}` `{text}`", self.path_of(key));
            let help = slip(text, words.iter().copied()).or_else(|| self.help_of(key));
            let mut diagnostic = Diagnostic::error(message).hint(help);
            if words.len() <= 12 {
                diagnostic.label = format!("expected {}", either(words));
            }
            self.sink.add(&node.place, diagnostic);
        }
        found
    }

    /// A node as an integer in `least ..= most`.
    pub(super) fn integer_node(
        &self,
        key: &str,
        node: &Node,
        least: i64,
        most: i64,
    ) -> Option<i64> {
        #[cfg(test)]
        super::asked_fixture::integer(&self.path_of(key), least, most);
        let Value::Integer(value) = node.value else {
            return self.wrong_type(key, node, "an integer");
        };
        let found = i64::try_from(value).ok();
        let found = found.filter(|value| (least..=most).contains(value));
        if found.is_none() {
            // Limits beyond any use are not worth naming to somebody who is below the other end.
            let label = match value < i128::from(least) {
                true if most > 1 << 40 => format!("must be at least {least}"),
                false if least < -(1 << 40) => format!("must be at most {}", grouped(most.into())),
                _ => {
                    let (least, most) = (grouped(least.into()), grouped(most.into()));
                    format!("must be in {least} ..= {most}")
                }
            };
            let message = format!("`{}` is {}", self.path_of(key), grouped(value));
            let diagnostic = Diagnostic::error(message).label(label);
            self.sink
                .add(&node.place, diagnostic.hint(self.help_of(key)));
        }
        found
    }

    /// One of some words, by its place among them, of a setting that may be something else, too; the first by default.
    pub(super) fn word_or(&self, key: &'static str, words: &[&str]) -> usize {
        let default = format!("{:?}", words[0]);
        self.read_or(key, &default, |node| self.word_node(key, node, words))
    }

    /// A whole number in `least ..= most`, which follow from other settings.
    pub(super) fn integer(&self, key: &'a str, least: i64, most: i64) -> Option<i64> {
        self.integer_node(key, &self.entry(key)?.node, least, most)
    }

    /// The same with a default.
    pub(super) fn integer_or(&self, key: &'static str, least: i64, most: i64, default: i64) -> i64 {
        let read = |node: &Node| self.integer_node(key, node, least, most);
        self.read_or(key, &default.to_string(), read)
    }

    /// A finite number that `accepts`; `domain` says which.
    pub(super) fn number_node(
        &self,
        key: &str,
        node: &Node,
        domain: &str,
        accepts: impl Fn(f64) -> bool,
    ) -> Option<f64> {
        #[cfg(test)]
        super::asked_fixture::number(&self.path_of(key), &accepts);
        let value = match node.value {
            Value::Integer(value) => value as f64,
            Value::Float(value) => value,
            _ => {
                return self.wrong_type(key, node, "a number");
            }
        };
        if value.is_finite() && accepts(value) {
            return Some(value);
        }
        let message = format!("`{}` is {}", self.path_of(key), shown(value));
        let diagnostic = Diagnostic::error(message).label(format!("must be {domain}"));
        self.sink
            .add(&node.place, diagnostic.hint(self.help_of(key)));
        None
    }

    /// A node as a number with a unit.
    pub(super) fn unit_node<T: Unit>(&self, key: &str, node: &Node) -> Option<T> {
        let expected = T::KIND.expected();
        let setting = self.spec.get(key);
        let default = setting.and_then(|it| self.sink.profile().default_of(&self.path, it));
        // Without a buffer there is none: one is about as large as HBase's own, `hbase.client.write.buffer`.
        let default = default.or((key == "buffer").then_some("2MB"));
        #[cfg(test)]
        super::asked_fixture::unit(&self.path_of(key), |text| text.parse::<T>().is_ok());
        let (message, help) = match &node.value {
            Value::Text(text) => match text.parse() {
                Ok(value) => return Some(value),
                Err(error) => (error.to_string(), error.help(default)),
            },
            Value::Integer(_) | Value::Float(_) => {
                let number = match node.value {
                    Value::Float(value) => value.to_string(),
                    _ => show::value(&node.value),
                };
                let text = format!("{number}{}", T::KIND.unit_near(&number, default));
                let sound = text.parse::<T>().is_ok();
                let help = sound.then(|| format!("write the unit: `{key} = \"{text}\"`"));
                (format!("`{}` has no unit", self.path_of(key)), help)
            }
            _ => {
                let expected = expected.strip_prefix("expected ").unwrap_or(expected);
                return self.wrong_type(key, node, expected);
            }
        };
        let diagnostic = Diagnostic::error(message).label(expected);
        self.sink.add(&node.place, diagnostic.hint(help));
        None
    }

    /// A length of time > 0.
    pub(super) fn positive_duration(&self, key: &'static str) -> Option<SimDuration> {
        let value = self.given::<SimDuration>(key)?;
        if value == SimDuration::ZERO {
            let message = format!("`{}` is zero", self.path_of(key));
            self.refuse(key, message, "must be longer than zero");
            return None;
        }
        Some(value)
    }

    /// What the words of a choice are called in advice: ``needs `policy = "simple"` or `"stochastic"` ``.
    fn needed(&self, key: &str, words: &[&str]) -> String {
        let boolean = matches!(self.setting(key).kind.shape, Shape::Boolean);
        let words = words.iter().map(|word| match boolean {
            true => (*word).to_owned(),
            false => format!("{word:?}"),
        });
        let words: Vec<String> = words.collect();
        format!("needs `{key} = {}`", words.join("` or `"))
    }
}

impl Source for Reader<'_> {
    fn value(&self, key: &'static str) -> String {
        let setting = self.setting(key);
        let default = self.sink.profile().default_of(&self.path, setting);
        let default = default.expect("it is declared with a default");
        self.found_or(setting, default)
    }

    fn given(&self, key: &'static str) -> Option<String> {
        self.require(key);
        self.found(self.setting(key), &self.entry(key)?.node)
    }

    fn text_of(&self, key: &'static str) -> Option<String> {
        self.entry(key)?.node.text().map(str::to_owned)
    }

    fn whole_number(&self, key: &'static str, greatest: i64, default: i64) -> i64 {
        self.integer_or(key, 1, greatest, default)
    }

    fn says(&self, key: &str) -> bool {
        self.has(key)
    }

    fn choose(&self, key: &'static str) -> Option<&'static str> {
        let errors = self.sink.errors();
        let found = Source::value(self, key);
        let words = match self.setting(key).kind.shape {
            Shape::Word(words) => words,
            _ => &["true", "false"],
        };
        let word = words.iter().find(|word| **word == found)?;
        // What is neither yes nor no is the default.
        let boolean = matches!(self.setting(key).kind.shape, Shape::Boolean);
        let known = boolean || self.sink.errors() == errors;
        let beside = self.spec.all();
        for (setting, words) in beside.filter_map(|it| it.kind.of.map(|of| (it, of))) {
            match words {
                (choice, _) if choice != key => {}
                // Of a word that nobody knows, nor are the settings.
                _ if !known => {
                    self.entry(setting.key);
                }
                (_, words) if words.contains(word) => {}
                (_, words) => {
                    self.meaningless(setting.key, &self.needed(key, words));
                }
            }
        }
        known.then_some(*word)
    }

    fn complain_of(&self, key: &str, message: String, label: &str) {
        self.refuse(key, message, label);
    }

    fn complain_of_key(&self, key: &str, message: String, label: &str) {
        self.refuse_key(key, message, label);
    }

    fn inner(&self, key: &'static str) -> Box<dyn Source + '_> {
        Box::new(self.table(key))
    }

    fn close(&self) {
        self.finish();
    }
}

/// As it was probably written: a number of hundreds of digits by its exponent.
fn shown(value: f64) -> String {
    if value.is_finite() && value.abs() >= 1e15 {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}
