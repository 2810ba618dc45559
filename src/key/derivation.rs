//! A derived field by itself, outside of any key.

use super::check::{Bytes, Checker, Environment, Part, Typed};
use super::code::{BytesCode, Facts};
use super::field_steps::{FieldSteps, as_bytes};
use super::lang::parse;
use super::segment::Segment;
use crate::record::FieldId;

/// What is known of a derived field.
#[derive(Debug, Clone)]
pub struct Derivation {
    name: String,
    /// It is one segment, not several joined.
    whole: bool,
    fields: Vec<FieldId>,
    cardinality: Option<u64>,
    /// Set when it follows its only field.
    steps: Option<(FieldSteps, bool)>,
}

impl Derivation {
    /// `None` for an expression that can't be compiled.
    pub(super) fn compile(name: &str, text: &str, environment: &Environment<'_>) -> Option<Self> {
        let (tree, errors) = parse(text);
        let tree = tree.filter(|_| errors.is_empty())?;
        let mut checker = Checker::new(text, *environment, &[]);
        let parts = checker.parts(&tree)?;
        if !checker.complaints.errors.is_empty() {
            return None;
        }
        let facts = Facts::of_all(parts.iter().map(|part| part.typed.facts()));
        let whole = parts.len() == 1;
        let code = code(parts)?;
        let steps = match facts.fields[..] {
            [field] => code
                .facts
                .trend(field)
                .map(|trend| (FieldSteps::new(field, vec![code]), trend.rising)),
            _ => None,
        };
        Some(Self {
            name: name.to_owned(),
            whole,
            fields: facts.fields,
            cardinality: facts.cardinality,
            steps,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Is the segment this field, and nothing else?
    pub fn is(&self, segment: &Segment) -> bool {
        self.whole && segment.derived() == Some(&self.name) && segment.fields() == self.fields
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
    pub fn follows(&self) -> Option<(&FieldSteps, bool)> {
        self.steps.as_ref().map(|(steps, rising)| (steps, *rising))
    }
}

/// The code of all parts, which are either one integer or texts and bytes.
fn code(mut parts: Vec<Part>) -> Option<BytesCode> {
    if let [
        Part {
            typed: Typed::Int(code),
            ..
        },
    ] = &parts[..]
    {
        return Some(as_bytes(code.clone()));
    }
    let bytes = parts.drain(..).map(|part| match part.typed {
        Typed::Bytes(bytes) => Some(bytes),
        _ => None,
    });
    Bytes::joined(bytes.collect::<Option<_>>()?).map(|bytes| bytes.code)
}
