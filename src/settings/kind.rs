//! A table of settings, and what each may be: its type, range and default, and the choice that it belongs to.

use crate::units::UnitKind;

/// A table of settings.
#[derive(Debug)]
pub struct Table {
    /// The definition of the JSON Schema that it becomes; empty for a table that is described where it stands.
    pub name: &'static str,
    /// Where the file has it, if that is one place.
    pub path: &'static str,
    /// What it is for, as in the source.
    pub documentation: &'static str,
    /// Further members of its JSON Schema, without braces: what its settings need of each other.
    pub rules: &'static str,
    /// Its settings; other tables' that stand among them come with [`Table::others`].
    pub settings: &'static [Setting],
    /// Tables whose settings stand here, too.
    pub others: &'static [&'static Table],
}

/// A setting.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    /// What it means, as in the source: what users read ends with the first paragraph.
    pub documentation: &'static str,
    /// What it may be.
    pub kind: Kind,
}

impl Table {
    /// All settings that may stand in it.
    pub fn all(&self) -> impl Iterator<Item = &'static Setting> {
        let others = self.others.iter().flat_map(|other| other.settings);
        self.settings.iter().chain(others)
    }

    /// The setting of that name.
    pub fn get(&self, key: &str) -> Option<&'static Setting> {
        self.all().find(|setting| setting.key == key)
    }

    /// What it is for, in one line.
    pub fn about(&self) -> String {
        first_paragraph(self.documentation)
    }
}

impl Setting {
    /// What it means, in one line.
    pub fn about(&self) -> String {
        first_paragraph(self.documentation)
    }
}

fn first_paragraph(documentation: &str) -> String {
    let lines = documentation.lines().map(str::trim);
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// What a setting may be.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its type.
    pub shape: Shape,
    /// What it is where nothing is said, as a user would write it, without quotes, unless the store's profile says it.
    pub default: Option<&'static str>,
    /// A value, as TOML writes it, for the advice to somebody who left out a setting that has no default.
    pub example: Option<&'static str>,
    /// What a number with a unit keeps within.
    pub limit: Option<Limit>,
    /// The next step of somebody who wrote what it may not be.
    pub help: Option<&'static str>,
    /// The setting that it stands beside, and the words there that it belongs to.
    pub of: Option<(&'static str, &'static [&'static str])>,
    /// The tables that its JSON Schema refers to.
    pub inner: &'static [&'static Table],
}

/// The type of a setting.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A whole number of a range, both ends included.
    Integer(i64, i64),
    /// A number, whole or not.
    Number(Domain),
    /// A number with a unit.
    Unit(UnitKind),
    /// One of some words.
    Word(&'static [&'static str]),
    /// Yes or no.
    Boolean,
    /// Any text that the members of a JSON Schema, without braces, allow.
    Text(&'static str),
    /// A list of texts.
    Texts,
    /// A table of its own.
    Table(&'static Table),
    /// A table of what the file names itself: its names, what stands under each, and further members of its JSON Schema.
    Names(&'static str, &'static str, &'static str),
    /// Whatever a JSON Schema allows; `"@x"` stands for a reference to the definition `x`.
    Json(&'static str),
}

/// The numbers that a setting may be.
#[derive(Debug, Clone, Copy)]
pub struct Domain {
    /// What messages call it.
    pub name: &'static str,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
    /// Whether the ends belong to it.
    pub closed: (bool, bool),
}

impl Domain {
    /// Whether it contains a number.
    pub fn contains(&self, value: f64) -> bool {
        let above = value > self.least || (self.closed.0 && value == self.least);
        let below = value < self.greatest || (self.closed.1 && value == self.greatest);
        value.is_finite() && above && below
    }
}

/// What a number with a unit keeps within, and what is said of one that does not.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// The least, as a user would write it.
    pub least: &'static str,
    /// The greatest; none when it is empty.
    pub greatest: &'static str,
    /// Whether zero is allowed: `None` when the least tells.
    pub zero: Option<bool>,
    /// What is wrong; `{}` stands for the value.
    pub message: &'static str,
    /// What is expected.
    pub label: &'static str,
}

impl Kind {
    const fn new(shape: Shape) -> Self {
        Self {
            shape,
            default: None,
            example: None,
            limit: None,
            help: None,
            of: None,
            inner: &[],
        }
    }

    /// With a default.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// The next step of somebody who wrote what it may not be.
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }

    /// It must be said; as an example shows.
    pub const fn needs(mut self, example: &'static str) -> Self {
        self.example = Some(example);
        self
    }

    /// Its JSON Schema refers to these tables.
    pub const fn with(self, inner: &'static [&'static Table]) -> Self {
        Self { inner, ..self }
    }

    /// It belongs to these words of the setting `key` beside it.
    pub const fn of(mut self, key: &'static str, words: &'static [&'static str]) -> Self {
        self.of = Some((key, words));
        self
    }

    /// It is in `least ..= greatest`; an empty text is no end.
    pub const fn within(
        mut self,
        least: &'static str,
        greatest: &'static str,
        message: &'static str,
        label: &'static str,
    ) -> Self {
        self.limit = Some(Limit {
            least,
            greatest,
            zero: None,
            message,
            label,
        });
        self
    }

    /// Whether zero is allowed, whatever the least is.
    pub const fn zero(mut self, allowed: bool) -> Self {
        if let Some(limit) = &mut self.limit {
            limit.zero = Some(allowed);
        }
        self
    }
}

/// A whole number in `least ..= greatest`.
pub const fn integer(least: i64, greatest: i64) -> Kind {
    Kind::new(Shape::Integer(least, greatest))
}

/// A number between two ends, which belong to it as `closed` says; messages call the range `name`.
pub const fn number(name: &'static str, least: f64, greatest: f64, closed: (bool, bool)) -> Kind {
    Kind::new(Shape::Number(Domain {
        name,
        least,
        greatest,
        closed,
    }))
}

/// Any finite number.
pub const fn any_number() -> Kind {
    let ends = (f64::NEG_INFINITY, f64::INFINITY);
    number("a finite number", ends.0, ends.1, (false, false))
}

/// A length of time.
pub const fn time() -> Kind {
    Kind::new(Shape::Unit(UnitKind::Duration))
}

/// A number of bytes.
pub const fn size() -> Kind {
    Kind::new(Shape::Unit(UnitKind::ByteSize))
}

/// Bytes a second.
pub const fn bandwidth() -> Kind {
    Kind::new(Shape::Unit(UnitKind::Bandwidth))
}

/// So many a second, or a minute.
pub const fn rate() -> Kind {
    Kind::new(Shape::Unit(UnitKind::Rate))
}

/// One of these words.
pub const fn word(words: &'static [&'static str]) -> Kind {
    Kind::new(Shape::Word(words))
}

/// `true` or `false`.
pub const fn boolean() -> Kind {
    Kind::new(Shape::Boolean)
}

/// A text; `rules` are members of its JSON Schema.
pub const fn text(rules: &'static str) -> Kind {
    Kind::new(Shape::Text(rules))
}

/// A list of distinct texts, not empty.
pub const fn list_of_texts() -> Kind {
    Kind::new(Shape::Texts)
}

/// A table of its own.
pub const fn table(table: &'static Table) -> Kind {
    Kind::new(Shape::Table(table))
}

/// A table of what the file names itself: `keys` define its names, `of` what stands under each, `rules` are further members of its JSON Schema.
pub const fn names(keys: &'static str, of: &'static str, rules: &'static str) -> Kind {
    Kind::new(Shape::Names(keys, of, rules))
}

/// Whatever this JSON Schema allows; `"@x"` stands for a reference to the definition `x`.
pub const fn json(schema: &'static str) -> Kind {
    Kind::new(Shape::Json(schema))
}
