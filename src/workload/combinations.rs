//! All combinations of the values of some fields, by number. Must not know when each is written.

use crate::record::{FieldId, Schema};

/// The combinations of `each`: the last field changes fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Combinations {
    /// Field, slot of its first value, number of values.
    fields: Vec<(FieldId, i64, u64)>,
    count: u64,
}

impl Combinations {
    /// The combinations of the fields' values; a field without a finite count has one value.
    pub(super) fn new(each: &[FieldId], schema: &Schema) -> Self {
        let fields: Vec<(FieldId, i64, u64)> = each
            .iter()
            .map(|id| {
                let kind = &schema.field(*id).kind;
                (*id, kind.first_slot(), kind.count().unwrap_or(1).max(1))
            })
            .collect();
        let count = fields.iter().fold(1u64, |product, (_, _, count)| {
            product.saturating_mul(*count)
        });
        Self { fields, count }
    }

    /// Number of combinations, >= 1.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Number of fields in a combination.
    pub(super) fn width(&self) -> usize {
        self.fields.len()
    }

    /// Writes the slots of combination `number` < count to `out` (`width()` long).
    #[inline]
    pub(super) fn write(&self, number: u64, out: &mut [(FieldId, i64)]) {
        let mut rest = number;
        for (at, (field, first, count)) in self.fields.iter().enumerate().rev() {
            // The first field needs no division: what is left is its value.
            let value = if at == 0 { rest } else { rest % count };
            if at > 0 {
                rest /= count;
            }
            out[at] = (*field, first.wrapping_add(value as i64));
        }
    }

    /// A combination, or what is `fixed` for all records, determines the field's value: it is one of them, or depends on such fields only.
    pub(super) fn determine(
        &self,
        field: FieldId,
        schema: &Schema,
        fixed: &[(FieldId, i64)],
    ) -> bool {
        let known = |id: &FieldId| {
            self.fields.iter().any(|(field, _, _)| field == id)
                || fixed.iter().any(|(field, _)| field == id)
        };
        let of = &schema.field(field).of;
        known(&field)
            || (!of.is_empty()
                && of
                    .iter()
                    .all(|parent| self.determine(*parent, schema, fixed)))
    }
}
