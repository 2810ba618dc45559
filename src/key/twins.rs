//! Whether two keys are the same in other words.

use super::field_steps::no_draws;
use super::plan::KeyPlan;
use super::run::Row;
use crate::random::mix;
use crate::record::FieldId;

/// Records of which both keys are written. Keys that differ do so in nearly all of them, or never.
const RECORDS: u64 = 256;

impl KeyPlan {
    /// Whether both, of one schema, write the same bytes for each of a sample of records.
    pub fn has_bytes_of(&self, other: &Self) -> bool {
        self.is_twin(other, |own, other| own == other)
    }

    /// Whether both, of one schema, bring a sample of records into the same order, with as many bytes each: they differ in nothing but bits that all records
    /// have alike.
    pub fn has_order_of(&self, other: &Self) -> bool {
        let mut first: Option<Vec<(u8, u8)>> = None;
        self.is_twin(other, |own, other| {
            let pairs = own.iter().zip(other);
            // The bits that differ, and what the one key has there.
            let bits = pairs.map(|(own, other)| (own ^ other, own & (own ^ other)));
            let bits: Vec<(u8, u8)> = bits.collect();
            let first = first.get_or_insert_with(|| bits.clone());
            let of_first = first.iter().copied().chain(std::iter::repeat((0, 0)));
            own.len() == other.len() && bits.iter().copied().zip(of_first).all(|(a, b)| a == b)
        })
    }

    /// Whether all pairs of keys are alike: those of records with the least and the greatest values of the fields, and of others.
    fn is_twin(&self, other: &Self, mut is_alike: impl FnMut(&[u8], &[u8]) -> bool) -> bool {
        let (fields, schema) = (self.fields(), self.schema());
        let slot = |field: FieldId, at: u64| {
            let draw = mix(mix(at) ^ u64::from(field.0));
            if let Some(column) = &schema.field(field).column {
                return column.slots[(draw % column.slots.len() as u64) as usize];
            }
            let slots = schema.slots(field);
            let count = slots.end.abs_diff(slots.start).max(1);
            let place = match at {
                0 => 0,
                1 => count - 1,
                _ => draw % count,
            };
            slots.start.wrapping_add_unsigned(place)
        };
        let mut record = vec![0; schema.fields.len()];
        let [mut own, mut others] = [Vec::new(), Vec::new()];
        let mut is_alike_at = |at| {
            for &field in &fields {
                record[usize::from(field.0)] = slot(field, at);
            }
            let row = Row::new(&record, at, no_draws().salted(at));
            for (key, bytes) in [(self, &mut own), (other, &mut others)] {
                bytes.clear();
                key.write(&row, bytes);
            }
            is_alike(&own, &others)
        };
        fields == other.fields() && (0..RECORDS).all(&mut is_alike_at)
    }
}
