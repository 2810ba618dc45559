//! What a reader knows of a record, and what must be known to know a value.

use crate::record::{DerivedId, FieldId, KnownField};
use std::sync::Arc;

/// Fields whose values a reader knows. Knowing a stored field makes the derived fields known that are made of it, not the reverse.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knowledge {
    stored: Vec<FieldId>,
    derived: Vec<DerivedId>,
}

impl Knowledge {
    /// Adds a field.
    pub fn learn(&mut self, field: KnownField) {
        match field {
            KnownField::Stored(field) if !self.stored.contains(&field) => self.stored.push(field),
            KnownField::Derived(field) if !self.derived.contains(&field) => {
                self.derived.push(field);
            }
            _ => {}
        }
    }

    /// This knowledge and one stored field more.
    #[must_use]
    pub fn with(&self, field: FieldId) -> Self {
        let mut more = self.clone();
        more.learn(KnownField::Stored(field));
        more
    }

    /// Stored fields, in the order in which they became known.
    pub fn stored(&self) -> &[FieldId] {
        &self.stored
    }

    /// Derived fields that are known by themselves.
    pub fn derived(&self) -> &[DerivedId] {
        &self.derived
    }

    /// Is the stored field known?
    pub fn knows(&self, field: FieldId) -> bool {
        self.stored.contains(&field)
    }
}

/// What must be known to know a value, draws apart. Shared, so that joining two is O(1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs(Option<Arc<Need>>);

#[derive(Debug, PartialEq, Eq)]
enum Need {
    Field(FieldId),
    /// The derived field, or else what it is made of.
    Derived(DerivedId, Needs),
    Both(Needs, Needs),
}

impl Needs {
    /// What a constant needs.
    pub const NOTHING: Self = Self(None);

    /// What a stored field needs: itself.
    pub fn field(field: FieldId) -> Self {
        Self(Some(Arc::new(Need::Field(field))))
    }

    /// What a value needs that is (a part of) a derived field.
    #[must_use]
    pub fn or_derived(self, field: DerivedId) -> Self {
        match self.0 {
            None => self,
            Some(_) => Self(Some(Arc::new(Need::Derived(field, self)))),
        }
    }

    /// What is needed for something made from two values.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => self.clone(),
            _ => Self(Some(Arc::new(Need::Both(self.clone(), other.clone())))),
        }
    }

    /// Is it enough to know this?
    pub fn met(&self, known: &Knowledge) -> bool {
        match self.0.as_deref() {
            None => true,
            Some(Need::Field(field)) => known.knows(*field),
            Some(Need::Derived(field, rest)) => known.derived.contains(field) || rest.met(known),
            Some(Need::Both(a, b)) => a.met(known) && b.met(known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_field_is_known_by_itself_or_by_all_that_it_is_made_of() {
        let (host, ts, day) = (FieldId(4), FieldId(9), DerivedId(2));
        let need = Needs::field(host).and(&Needs::field(ts).or_derived(day));
        let knowing = |fields: &[KnownField]| {
            let mut known = Knowledge::default();
            fields.iter().for_each(|field| known.learn(*field));
            need.met(&known)
        };
        let (host, ts, day) = (
            KnownField::Stored(host),
            KnownField::Stored(ts),
            KnownField::Derived(day),
        );
        assert!(knowing(&[host, ts]));
        assert!(knowing(&[host, day]));
        assert!(!knowing(&[day, ts]));
        assert!(!knowing(&[host]));
        assert!(!knowing(&[host, KnownField::Derived(DerivedId(3))]));
    }

    #[test]
    fn what_is_learnt_twice_is_known_once() {
        let mut known = Knowledge::default();
        for at in [4, 9, 4] {
            known.learn(KnownField::Stored(FieldId(at)));
            known.learn(KnownField::Derived(DerivedId(at + 1)));
        }
        assert_eq!(known.stored(), [FieldId(4), FieldId(9)]);
        assert_eq!(known.derived(), [DerivedId(5), DerivedId(10)]);
    }
}
