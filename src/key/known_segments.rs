//! What a reader can make of each segment of a key: is it known, does it follow a field, which values can it take.

use super::code::{Code, Drawn, Op, Randomness, Trend};
use super::field_steps::{FieldSteps, coarse_uses};
use super::finite_values::{bytes_values, distinct};
use super::knowledge::Knowledge;
use super::operator::Operator;
use super::plan::{Derivation, KeyPlan};
use super::run::{Row, Rows};
use crate::record::{DerivedId, FieldId};
use std::ops::Range;
use std::sync::Arc;

/// One value of a segment.
#[derive(Debug, Clone)]
pub enum SegmentValue {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What the segment's code makes of a row where its draw has this value.
    Drawn(Arc<Code>, i64),
}

impl SegmentValue {
    /// Appends its bytes.
    pub fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Drawn(code, drawn) => code.write(&Rows::one(row).with_drawn(*drawn), out),
        }
    }
}

impl KeyPlan {
    /// Is the segment known to a reader who knows these fields?
    pub fn is_known(&self, segment: usize, known: &Knowledge) -> bool {
        let facts = &self.code(segment).facts;
        facts.randomness != Randomness::Random && facts.needs.met(known)
    }

    /// Appends the segment's bytes of a row.
    #[inline]
    pub fn write_segment(&self, segment: usize, row: &Row<'_>, out: &mut Vec<u8>) {
        self.code(segment).write(&Rows::one(row), out);
    }

    /// How the segment follows a field while its other fields stay. It has one length then.
    pub fn trend(&self, segment: usize, field: FieldId) -> Option<Trend> {
        self.code(segment).facts.trend(field)
    }

    /// For an identifier that leads with time (`uuid7`): so many leading bytes are known to a reader who knows its fields.
    pub fn known_lead(&self, segment: usize, known: &Knowledge) -> Option<usize> {
        let code = self.code(segment);
        let lead = match code.op {
            Op::Identifier { kind, .. } => kind.lead(),
            _ => 0,
        };
        (lead > 0 && code.facts.needs.met(known)).then_some(lead)
    }

    /// Fields of which different values give different bytes in the segment, whatever the others are.
    pub fn injective_fields(&self, segment: usize) -> &[FieldId] {
        &self.code(segment).facts.injective
    }

    /// Fields of which different values give different bytes in these segments: those of each, and numbers whose quotient and remainder two
    /// of them are (`n / 2` and `n % 2`).
    pub fn jointly_injective_fields(&self, segments: impl Iterator<Item = usize>) -> Vec<FieldId> {
        let mut fields = Vec::new();
        let (mut quotients, mut remainders) = (Vec::new(), Vec::new());
        for segment in segments {
            fields.extend_from_slice(self.injective_fields(segment));
            find_digits(self.code(segment), &mut quotients, &mut remainders);
        }
        for (field, step) in quotients {
            // So many values in a row leave different remainders.
            let mut remainders = remainders.iter();
            if remainders.any(|(other, modulus)| *other == field && *modulus >= step) {
                fields.push(field);
            }
        }
        distinct(fields)
    }

    /// All bytes that the segment can be (and perhaps more), ascending, when it is made of hashes, remainders, draws and constants and they
    /// are not too many.
    pub fn segment_values(&self, segment: usize) -> Option<Vec<Vec<u8>>> {
        bytes_values(self.code(segment)).map(distinct)
    }

    /// The segment for each value of its draw, when all else in it is known, it has one draw, and that at most `most` values.
    pub fn drawn(&self, segment: usize, known: &Knowledge, most: u64) -> Option<Vec<SegmentValue>> {
        let facts = &self.code(segment).facts;
        let values = match facts.drawn {
            Drawn::Once(values) if values <= most && facts.needs.met(known) => values,
            _ => return None,
        };
        let code = Arc::new(self.code(segment).clone());
        let given = |drawn| SegmentValue::Drawn(code.clone(), drawn);
        Some((0..values as i64).map(given).collect())
    }

    /// Where the coarse uses of a number field in these segments change; `None` when there are none.
    pub fn field_steps(&self, segments: Range<usize>, field: FieldId) -> Option<FieldSteps> {
        let mut uses = Vec::new();
        for segment in segments {
            coarse_uses(self.code(segment), field, &mut uses);
        }
        (!uses.is_empty()).then(|| FieldSteps::new(field, uses))
    }

    /// Does the segment use the field in coarse steps only?
    pub fn is_coarse(&self, segment: usize, field: FieldId) -> bool {
        coarse_uses(self.code(segment), field, &mut Vec::new())
    }

    /// The steps of one segment that follows the field; of an identifier, those of its time.
    pub fn segment_steps(&self, segment: usize, field: FieldId) -> Option<FieldSteps> {
        let code = match (&self.code(segment).op, &self.code(segment).operands[..]) {
            (Op::Identifier { .. }, [time]) => time,
            _ => self.code(segment),
        };
        let is_of = code.facts.are_of(field);
        is_of.then(|| FieldSteps::new(field, vec![code.clone().in_order()]))
    }

    /// A derived field of the scenario; `None` if its expression can't be compiled.
    pub fn derivation(&self, field: DerivedId) -> Option<&Derivation> {
        self.derivations.get(usize::from(field.0))?.as_ref()
    }

    fn code(&self, segment: usize) -> &Code {
        &self.segments()[segment].code
    }
}

/// A field and what it is divided by.
type Digit = (FieldId, i64);

/// Quotients and remainders of not negative fields by constants, where the bytes tell them.
fn find_digits(code: &Code, quotients: &mut Vec<Digit>, remainders: &mut Vec<Digit>) {
    let value = match (&code.op, &code.operands[..]) {
        (Op::Concat, parts) => {
            return parts
                .iter()
                .for_each(|part| find_digits(part, quotients, remainders));
        }
        (Op::Encode(encoding), [value]) if encoding.is_exact() => value,
        _ => return,
    };
    if let (Op::Binary(operator), [number, by]) = (&value.op, &value.operands[..])
        && let (&Op::Slot(slot), Some(by @ 1..)) = (&number.op, by.range.single())
        && number.range.low >= 0
    {
        let digit = (FieldId(slot as u16), by);
        match operator {
            Operator::Divide => quotients.push(digit),
            Operator::Remainder | Operator::Pmod => remainders.push(digit),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "known_segments_tests.rs"]
mod tests;
