//! What is known of the values of a sub-expression, in whatever record.

use super::knowledge::Needs;
use crate::record::{FieldId, TimeUnit};

/// How bytes follow a field while all else stays, compared as row keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trend {
    /// They grow with the field; otherwise they shrink.
    pub rising: bool,
    /// Different values of the field give different bytes.
    pub exact: bool,
}

impl Trend {
    /// That of the field itself.
    pub(crate) const SAME: Self = Self {
        rising: true,
        exact: true,
    };

    pub(super) fn flip(self) -> Self {
        let rising = !self.rising;
        Self { rising, ..self }
    }

    pub(super) fn coarse(self) -> Self {
        let exact = false;
        Self { exact, ..self }
    }

    /// The trend of two things that both follow the field and stand one after another: the first decides.
    pub(super) fn then(self, next: Self) -> Option<Self> {
        let exact = self.exact || next.exact;
        (self.rising == next.rising).then_some(Self { exact, ..self })
    }
}

/// Whether values grow with the operations' time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    None,
    Rising,
    Falling,
}

impl Order {
    /// The other way round.
    pub fn flip(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Rising => Self::Falling,
            Self::Falling => Self::Rising,
        }
    }

    /// The order that is left after a change which keeps it or not.
    pub fn kept(self, keeps: bool) -> Self {
        if keeps { self } else { Self::None }
    }
}

/// How values spread over their range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Randomness {
    /// They spread as their fields' values do.
    Plain,
    /// A hash of fields: the same record, the same value.
    Hashed,
    /// Drawn or counted for each write: readers can't know it.
    Random,
}

/// What is drawn or counted for each write on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    Nothing,
    /// One number below this.
    Once(u64),
    /// More than one number, or an identifier.
    More,
}

impl Drawn {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, drawn) | (drawn, Self::Nothing) => drawn,
            _ => Self::More,
        }
    }
}

/// What is known of values besides their type and range.
#[derive(Debug, Clone)]
pub struct Facts {
    /// What they are made of, ascending.
    pub fields: Vec<FieldId>,
    /// How they follow each of these; `None`: in no order, or not known.
    pub trends: Vec<Option<Trend>>,
    /// Fields of which different values give different ones, whatever the others are; ascending.
    pub injective: Vec<FieldId>,
    /// Whether they follow the operations' time. Which way they do matters to integers only, which are added up: `desc(x)` leaves it.
    pub order: Order,
    /// At most so many different values.
    pub cardinality: Option<u64>,
    /// Set while an integer counts time. Of texts and bytes it means nothing: only the integer that they were made of had one.
    pub unit: Option<TimeUnit>,
    pub randomness: Randomness,
    pub drawn: Drawn,
    /// What a reader must know to know them, unless they are drawn.
    pub needs: Needs,
}

impl Facts {
    /// What is known of a constant.
    pub fn constant() -> Self {
        Self {
            fields: Vec::new(),
            trends: Vec::new(),
            injective: Vec::new(),
            order: Order::None,
            cardinality: Some(1),
            unit: None,
            randomness: Randomness::Plain,
            drawn: Drawn::Nothing,
            needs: Needs::NOTHING,
        }
    }

    /// What is known of a field's own values, before their range.
    pub fn field(field: FieldId, trend: Option<Trend>) -> Self {
        Self {
            fields: vec![field],
            trends: vec![trend],
            injective: vec![field],
            cardinality: None,
            needs: Needs::field(field),
            ..Self::constant()
        }
    }

    /// What is known of something made of all these, whatever it is: order, unit, trends and what tells fields apart are not.
    pub fn of_all<'a>(operands: impl Iterator<Item = &'a Self>) -> Self {
        let mut all = Self::constant();
        for other in operands {
            all.fields = union(&all.fields, &other.fields);
            let values = all.cardinality.zip(other.cardinality);
            all.cardinality = values.and_then(|(a, b)| a.checked_mul(b));
            all.randomness = all.randomness.max(other.randomness);
            all.drawn = all.drawn.and(other.drawn);
            all.needs = all.needs.and(&other.needs);
        }
        all.trends = vec![None; all.fields.len()];
        all
    }

    /// Notes that there are at most `count` values.
    pub fn limit(&mut self, count: u128) {
        let count = u64::try_from(count).ok();
        let least = self.cardinality.zip(count).map(|(a, b)| a.min(b));
        self.cardinality = least.or(self.cardinality).or(count);
    }

    /// How values follow the field.
    pub fn trend(&self, field: FieldId) -> Option<Trend> {
        let at = self.fields.binary_search(&field).ok()?;
        self.trends[at]
    }

    /// Are they made of the field?
    pub fn mention(&self, field: FieldId) -> bool {
        self.fields.binary_search(&field).is_ok()
    }

    /// Are they made of this field and nothing else?
    pub fn are_of(&self, field: FieldId) -> bool {
        self.fields == [field] && self.drawn == Drawn::Nothing
    }
}

/// All fields of both, ascending.
pub(super) fn union(a: &[FieldId], b: &[FieldId]) -> Vec<FieldId> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}
