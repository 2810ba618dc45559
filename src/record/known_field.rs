//! Names for what a reader can know of a record: stored fields and derived ones. Must not know how derived fields are computed.

use super::FieldId;

/// A derived (`expr`) field by its position among the scenario's derived fields, in file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DerivedId(pub u16);

/// A field of either kind. Knowing a stored field makes the derived fields that are made of it known, not the reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KnownField {
    /// A slot of the record.
    Stored(FieldId),
    /// An expression over other fields.
    Derived(DerivedId),
}
