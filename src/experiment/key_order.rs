//! A key taken to pieces that can be put together in another order, and what only spreads it left out. Must not know why.

use crate::key::{Knowledge, Randomness, Segment};
use crate::record::{FieldId, KnownField};
use crate::scenario::{Setup, Strategy};

/// Letters of the part of a name that tells fields.
const LONGEST_NAME: usize = 40;

/// A segment of a key with the constants behind it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    /// Index of its segment in the key.
    pub(super) segment: usize,
    /// Follows time, or holds a part of a field that does.
    pub(super) is_time: bool,
    /// Text, and so are the constants.
    pub(super) is_text: bool,
    fields: Vec<FieldId>,
    /// As an operand of `||`.
    expression: String,
    /// Of the constants behind it.
    delimiters: Vec<String>,
    has_one_length: bool,
    /// What it is called: its fields.
    name: String,
}

impl Unit {
    /// It holds one of these fields, of a strategy's key.
    pub(super) fn tells(&self, fields: &[KnownField], strategy: &Strategy) -> bool {
        let key = &strategy.key;
        fields.iter().any(|field| {
            let mut known = Knowledge::default();
            known.learn(*field);
            key.is_known(self.segment, &known)
        })
    }

    /// With the greatest value first; `None` when it is text, or in that order already.
    pub(super) fn reversed(&self) -> Option<Self> {
        let is_done = ["rev_ts", "desc", "LONG_MAX"];
        let is_done = is_done.iter().any(|it| self.expression.contains(it));
        if self.is_text || is_done || !self.has_one_length {
            return None;
        }
        let field = self.expression.strip_prefix("be8(");
        let field = field.and_then(|rest| rest.strip_suffix(')'));
        let expression = match field.filter(|field| is_name(field)) {
            // As HBase's book has it.
            Some(field) => format!("be8(rev_ts({field}))"),
            None => format!("desc({})", self.expression),
        };
        Some(Self {
            expression,
            ..self.clone()
        })
    }
}

/// The units of a strategy's key, in its order: leading buckets and hashes of what comes later are left out, and constants before all.
pub(super) fn units(strategy: &Strategy) -> Vec<Unit> {
    let segments = strategy.key.segments();
    let only_spreads = |at: usize| {
        let own = &segments[at];
        let is_told = |field: &FieldId| {
            let mut later = segments[at + 1..].iter();
            later.any(|it| it.randomness() == Randomness::Plain && it.fields().contains(field))
        };
        own.randomness() != Randomness::Plain && own.fields().iter().all(is_told)
    };
    let is_front = |at: &usize| is_delimiter(&segments[*at]) || only_spreads(*at);
    let rest = (0..segments.len()).skip_while(is_front);
    let times: Vec<FieldId> = segments
        .iter()
        .filter(|segment| segment.follows_time())
        .flat_map(|segment| segment.fields().iter().copied())
        .collect();
    let mut units: Vec<Unit> = Vec::new();
    for at in rest {
        let segment = &segments[at];
        let expression = operand(segment, &strategy.setup);
        match units.last_mut() {
            Some(before) if is_delimiter(segment) => {
                before.is_text &= segment.is_text();
                before.delimiters.push(expression);
            }
            _ => units.push(Unit {
                segment: at,
                is_time: segment.fields().iter().any(|field| times.contains(field)),
                is_text: segment.is_text(),
                fields: segment.fields().to_vec(),
                name: name(segment, &expression, &strategy.setup),
                expression,
                delimiters: Vec::new(),
                has_one_length: segment.len_range().0 == segment.len_range().1,
            }),
        }
    }
    units
}

/// The same in every row of every run, not only because a field has one value in this one.
fn is_delimiter(segment: &Segment) -> bool {
    segment.fields().is_empty() && segment.randomness() == Randomness::Plain
}

/// Fields of all units, ascending.
pub(super) fn fields_of<'a>(units: impl IntoIterator<Item = &'a Unit>) -> Vec<FieldId> {
    let fields = units.into_iter().flat_map(|unit| &unit.fields).copied();
    let mut fields: Vec<FieldId> = fields.collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// The units one after another, each with its end known.
pub(super) fn concatenated<'a>(units: impl IntoIterator<Item = &'a Unit>) -> String {
    let units: Vec<&Unit> = units.into_iter().collect();
    let mut operands: Vec<&str> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        operands.push(&unit.expression);
        if at + 1 == units.len() {
            break;
        }
        operands.extend(unit.delimiters.iter().map(String::as_str));
        if unit.delimiters.is_empty() && !unit.has_one_length {
            operands.push("x'00'");
        }
    }
    operands.join(" || ")
}

/// `company-day`, for the name of a strategy.
pub(super) fn in_words(units: &[&Unit]) -> String {
    let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let name: String = names.join("-").chars().map(plain).collect();
    let name: String = name.trim_matches('-').chars().take(LONGEST_NAME).collect();
    match name.is_empty() {
        true => "key".to_owned(),
        false => name,
    }
}

/// As an operand of `||`: a derived field by its name, which readers may know, sums in parentheses.
fn operand(segment: &Segment, setup: &Setup) -> String {
    let expression = segment.expression();
    let is_whole = |(name, text): &&(String, String)| {
        segment.derived() == Some(name) && text.trim() == expression.trim()
    };
    if let Some((name, _)) = setup.derived.iter().find(is_whole) {
        return name.clone();
    }
    match has_operator(expression) {
        true => format!("({expression})"),
        false => expression.to_owned(),
    }
}

fn name(segment: &Segment, expression: &str, setup: &Setup) -> String {
    if is_name(expression) {
        return expression.to_owned();
    }
    let fields = segment.fields().iter();
    let names: Vec<&str> = fields
        .map(|&field| setup.schema.field(field).name.as_str())
        .collect();
    names.join("-")
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_part)
}

/// An operator outside of parentheses and quotes.
fn has_operator(expression: &str) -> bool {
    let (mut depth, mut quoted) = (0usize, false);
    for c in expression.chars() {
        match c {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '+' | '-' | '*' | '/' | '%' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}
