//! Which fields of a record somebody asks for. Must not know who, nor what for.

use super::{FieldId, Schema};

/// Some fields of a schema, with all that their values depend on. As every field draws from numbers of its own, the others need not be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldMask {
    /// The first 64 fields, a bit each. Further ones are always asked for.
    bits: u64,
}

impl FieldMask {
    /// Every field.
    pub const ALL: Self = Self { bits: u64::MAX };

    /// These fields, those that they depend on, and so on.
    pub fn new(schema: &Schema, fields: impl IntoIterator<Item = FieldId>) -> Self {
        let mut asked = Self { bits: 0 };
        let beyond = (u64::BITS as usize..schema.fields.len()).map(|slot| FieldId(slot as u16));
        let mut next: Vec<FieldId> = beyond
            .flat_map(|field| schema.field(field).of.iter().copied())
            .chain(fields)
            .collect();
        while let Some(field) = next.pop() {
            if !asked.has(usize::from(field.0)) {
                asked.bits |= 1 << field.0;
                next.extend(&schema.field(field).of);
            }
        }
        asked
    }

    /// Whether the field of that slot is among them.
    pub fn has(self, slot: usize) -> bool {
        slot >= u64::BITS as usize || self.bits >> slot & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Field, FieldKind};
    use crate::time::EpochNanos;

    #[test]
    fn a_field_is_asked_for_with_those_that_it_depends_on() {
        let field = |at: u16| {
            let kind = FieldKind::Int { first: 0, count: 9 };
            let mut field = Field::new(format!("f{at}"), kind);
            field.of = match at {
                3 => vec![FieldId(5), FieldId(1)],
                5 => vec![FieldId(7)],
                66 => vec![FieldId(65), FieldId(9)],
                _ => Vec::new(),
            };
            field
        };
        let schema = Schema {
            fields: (0..68).map(field).collect(),
            time_range: (EpochNanos(0), EpochNanos(0)),
            sequence_span: 0,
        };
        let asked = FieldMask::new(&schema, [FieldId(3), FieldId(67)]);
        let found: Vec<usize> = (0..68).filter(|&slot| asked.has(slot)).collect();
        // What lies behind the first 64 always is, and so is what it depends on.
        assert_eq!(found, [1, 3, 5, 7, 9, 64, 65, 66, 67]);
        assert!((0..99).all(|slot| FieldMask::ALL.has(slot)));
    }
}
