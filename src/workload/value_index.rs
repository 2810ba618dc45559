//! Which values of a field go with each value of a field that depends on it: a company's campaigns. Must not know what asks.

use crate::random::Draws;
use crate::record::{FieldId, RecordGenerator, Schema};

/// Indexes are built over at most so many values of the parent, and as many of the dependent field: 8 bytes a value, 128 MB and a second at most. Beyond,
/// an `"all"` list holds the first [`super::LIST_MAX`] values of its field, whatever they go with, and picks of a dependent field leave its parent as it
/// is.
pub const INDEXED_MAX: u64 = 1 << 23;

/// The parents of every value of a dependent field that has one parent.
#[derive(Debug, Clone)]
pub(super) struct ValueIndex {
    pub(super) parent: FieldId,
    pub(super) dependent: FieldId,
    parent_first: i64,
    dependent_first: i64,
    /// End of each dependent value's parents.
    ends: Vec<u32>,
    /// Parents' ordinals, value after value, ascending.
    parents: Vec<u32>,
}

impl ValueIndex {
    /// The fields can be indexed: `dependent` is `of` the `parent` alone, and neither has too many values.
    pub(super) fn possible(schema: &Schema, parent: FieldId, dependent: FieldId) -> bool {
        let small = |field| {
            let count = schema.field(field).kind.count();
            count.is_some_and(|count| count <= INDEXED_MAX)
        };
        schema.field(dependent).of == [parent] && small(parent) && small(dependent)
    }

    /// The index of two fields; `None` where it is not [`ValueIndex::possible`]. O(values).
    pub(super) fn new(
        generator: &RecordGenerator,
        parent: FieldId,
        dependent: FieldId,
    ) -> Option<Self> {
        if !Self::possible(generator.schema(), parent, dependent) {
            return None;
        }
        let schema = generator.schema();
        let (of, by) = (&schema.field(parent).kind, &schema.field(dependent).kind);
        let (parent_first, dependent_first) = (of.first_slot(), by.first_slot());
        let values = by.count().unwrap_or(0) as usize;
        let value_of: Vec<u32> = (0..of.count().unwrap_or(0))
            .map(|at| {
                let slot = parent_first.wrapping_add(at as i64);
                let value = generator.dependent_value(dependent, |_| slot).unwrap_or(0);
                value.wrapping_sub(dependent_first) as u32
            })
            .collect();
        // A counting sort: stable, so that parents ascend.
        let mut ends = vec![0u32; values];
        for value in &value_of {
            ends[*value as usize] += 1;
        }
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        let mut parents = vec![0; value_of.len()];
        for (at, value) in value_of.iter().enumerate() {
            let end = &mut ends[*value as usize];
            parents[*end as usize] = at as u32;
            *end += 1;
        }
        Some(Self {
            parent,
            dependent,
            parent_first,
            dependent_first,
            ends,
            parents,
        })
    }

    /// The slots of the parents of a dependent value, ascending.
    pub(super) fn parents(&self, slot: i64) -> impl ExactSizeIterator<Item = i64> + '_ {
        let value = usize::try_from(slot.wrapping_sub(self.dependent_first));
        let value = value.ok().filter(|value| *value < self.ends.len());
        let range = value.map_or(0..0, |value| {
            let start = value.checked_sub(1).map_or(0, |before| self.ends[before]);
            start as usize..self.ends[value] as usize
        });
        let parents = self.parents[range].iter();
        parents.map(|at| self.parent_first.wrapping_add(i64::from(*at)))
    }

    /// The parent field and one of the values with which a dependent value goes, each as likely.
    pub(super) fn any_parent(&self, slot: i64, draws: &mut Draws) -> Option<(FieldId, i64)> {
        let mut parents = self.parents(slot);
        let count = parents.len() as u64;
        let nth = (count > 0).then(|| draws.below(count))?;
        Some((self.parent, parents.nth(nth as usize)?))
    }
}
