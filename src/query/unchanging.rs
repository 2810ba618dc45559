//! What a condition asks for of fields that all writes of a row agree in. Must not know rows.

use crate::record::{FieldId, ValueGroups};
use crate::workload::Condition;
use smallvec::SmallVec;
use std::sync::Arc;

/// The parts of a condition on such fields.
pub(super) struct Unchanging {
    equal: SmallVec<[(FieldId, i64); 4]>,
    between: SmallVec<[(FieldId, i64, i64); 2]>,
    alike: SmallVec<[(Arc<ValueGroups>, u32); 1]>,
}

impl Unchanging {
    /// Those on other fields than the `changing` ones.
    pub fn of(condition: Condition<'_>, changing: &[FieldId]) -> Self {
        let stays = |field: &FieldId| !changing.contains(field);
        let equal = condition.equal.iter().filter(|it| stays(&it.0));
        let between = condition.between.iter().filter(|it| stays(&it.0));
        let alike = condition.alike.iter().filter(|it| stays(&it.0.field));
        Self {
            equal: equal.copied().collect(),
            between: between.copied().collect(),
            alike: alike.cloned().collect(),
        }
    }

    pub fn condition(&self) -> Condition<'_> {
        Condition {
            equal: &self.equal,
            between: &self.between,
            alike: &self.alike,
        }
    }
}
