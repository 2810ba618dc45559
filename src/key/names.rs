//! What names mean: fields and parameters, or the name that somebody may have meant. Must not know functions' meanings.

use super::byte_set::ByteSet;
use super::checker::Checker;
use super::code::{BytesCode, DoubleCode, IntOp};
use super::functions;
use super::interval::Interval;
use super::knowledge::Needs;
use super::plan::Environment;
use super::shape::Shape;
use super::syntax::Expr;
use super::typed::{Code, Facts, Order, Spread, Typed};
use crate::record::{FieldId, ValueType};
use std::sync::Arc;

/// The known name nearest to `name`, if near enough to be meant: by Damerau and Levenshtein's distance, at most a third
/// of the letters.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_ascii_lowercase();
    known
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&lower, &candidate.to_ascii_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len().max(name.len()) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

impl Checker<'_> {
    pub fn name(&mut self, name: &str, expr: &Expr) -> Option<Typed> {
        if self.unreadable.iter().any(|unreadable| unreadable == name) {
            return None;
        }
        if let Some(field) = self.environment.schema.find(name) {
            return Some(self.field(field));
        }
        if let Some(&value) = self.environment.parameters.get(name) {
            self.parameters.insert(name.to_owned(), value);
            return Some(Typed::int(value));
        }
        if name == "LONG_MAX" {
            return Some(Typed::int(i64::MAX));
        }
        let known = self.known_names();
        let help = if functions::find(name).is_some() {
            format!("`{name}` is a function: write `{name}(...)`")
        } else {
            match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => {
                    "there are no fields; texts are quoted: 'text'".to_owned()
                }
                None => format!("known: {}", known.join(", ")),
            }
        };
        self.error(
            &expr.span,
            format!("unknown name `{name}`"),
            "no field, derived field or parameter",
            Some(&help),
        )
    }

    fn known_names(&self) -> Vec<String> {
        let Environment {
            schema,
            derived,
            parameters,
        } = self.environment;
        let fields = schema.fields.iter().map(|field| &field.name);
        let readable = fields
            .chain(derived.iter().map(|(name, _)| name))
            .chain(parameters.keys());
        let mut known: Vec<String> = readable.cloned().collect();
        for name in self.unreadable {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
        known
    }

    fn field(&mut self, id: FieldId) -> Typed {
        let domain = self.environment.schema.domain(id);
        let facts = Facts {
            fields: vec![id],
            order: if domain.follows_time {
                Order::Rising
            } else {
                Order::None
            },
            cardinality: domain.cardinality,
            unit: domain.time_unit,
            spread: Spread::Plain,
            needs: Needs::field(id),
        };
        let slot = usize::from(id.0);
        match domain.value_type {
            ValueType::Int => {
                let (low, high) = domain.int_range;
                Typed::of_int(IntOp::Slot(slot), Interval::new(low, high), facts)
            }
            ValueType::Double => Typed {
                code: Code::Double(DoubleCode::Slot(slot)),
                facts,
            },
            ValueType::Text | ValueType::Bytes => {
                let schema = self.environment.schema;
                let text = self
                    .renderers
                    .entry(id)
                    .or_insert_with(|| Arc::new(schema.text(id)))
                    .clone();
                let sets = domain
                    .bytes_at
                    .iter()
                    .map(|&set| ByteSet(set))
                    .collect::<Vec<_>>();
                // The domain tells the first positions; any byte may stand behind them.
                let (least, most) = domain.len_range;
                let shape = Shape::from_sets(least, most, sets, ByteSet::ALL);
                Typed::of_bytes(
                    domain.value_type == ValueType::Text,
                    BytesCode::Field(slot, text),
                    shape,
                    facts,
                )
            }
        }
    }
}
