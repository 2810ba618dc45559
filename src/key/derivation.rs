//! A derived field by itself, outside of any key. Must not know keys.

use super::bytes::Bytes;
use super::checker::{Checker, Part};
use super::code::BytesCode;
use super::grain::{Grain, View};
use super::parser::parse;
use super::plan::Environment;
use super::typed::{Code, Facts};
use crate::record::FieldId;

/// What is known of a derived field.
#[derive(Debug, Clone)]
pub struct Derivation {
    fields: Vec<FieldId>,
    cardinality: Option<u64>,
    /// Set when it follows its only field.
    grain: Option<(Grain, bool)>,
}

impl Derivation {
    /// `None` for an expression that can't be compiled.
    pub(super) fn compile(text: &str, environment: &Environment<'_>) -> Option<Self> {
        let (tree, errors) = parse(text);
        let tree = tree.filter(|_| errors.is_empty())?;
        let mut checker = Checker::new(text, *environment);
        let parts = checker.parts(&tree)?;
        if !checker.errors.is_empty() {
            return None;
        }
        let facts = parts
            .iter()
            .fold(Facts::constant(), |all, part| all.merge(&part.typed.facts));
        let view = view(parts)?;
        let grain = match facts.fields[..] {
            [field] => view
                .trend(field, environment.schema)
                .map(|trend| (Grain::new(field, vec![view]), trend.rising)),
            _ => None,
        };
        Some(Self {
            fields: facts.fields,
            cardinality: facts.cardinality,
            grain,
        })
    }

    /// Stored fields that it is made of, ascending.
    pub fn fields(&self) -> &[FieldId] {
        &self.fields
    }

    /// At most so many different values.
    pub fn cardinality(&self) -> Option<u64> {
        self.cardinality
    }

    /// Where its value changes, and whether it grows with the field, when it follows its only field.
    pub fn follows(&self) -> Option<(&Grain, bool)> {
        self.grain.as_ref().map(|(grain, rising)| (grain, *rising))
    }
}

fn view(mut parts: Vec<Part>) -> Option<View> {
    if let [Part { typed, .. }] = &parts[..]
        && let Code::Int(code) = &typed.code
    {
        return Some(View::Int(code.clone()));
    }
    let codes = parts
        .drain(..)
        .map(|part| Bytes::from_typed(part.typed).map(|bytes| bytes.code));
    Some(View::Bytes(BytesCode::Concat(
        codes.collect::<Option<Vec<_>>>()?,
    )))
}
