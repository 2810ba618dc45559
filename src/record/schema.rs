//! The fields of a record: their kinds, laws and domains. Must not know how a value is drawn.

use super::{FieldColumn, TimeUnit};
use crate::time::{EpochNanos, SimDuration};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A field by its position in [`Schema::fields`], which is also its slot in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub u16);

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

/// All stored fields of a scenario, in file order. Derived (`expr`) fields are not stored: the key
/// language expands them in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// In file order; at most 65,535.
    pub fields: Vec<Field>,
    /// Earliest and latest instant that any timestamp of the scenario can hold: from the oldest existing
    /// row or import (and the latest a late record may be) to the end of the run.
    pub time_range: (EpochNanos, EpochNanos),
    /// Greatest value that any `sequence` field can reach above its `first`: existing rows plus the most the
    /// run can write (an upper bound, for interval analysis).
    pub sequence_span: u64,
}

/// One field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// An identifier.
    pub name: String,
    /// What its values are.
    pub kind: FieldKind,
    /// How often each value comes.
    pub law: Distribution,
    /// When not empty: one value for each combination of these fields, drawn once. Earlier or later fields,
    /// never in a cycle.
    pub of: Vec<FieldId>,
    /// Values outside the domain that some write's `with` fixes; see the module's "slots".
    pub literals: Vec<Vec<u8>>,
    /// Its values in rows that exist, by the number of the row: the only field that it is `of`.
    pub column: Option<Arc<FieldColumn>>,
}

/// What a field's values are; counts are >= 1.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// `first .. first + count`.
    Int { first: i64, count: u64 },
    /// `first`, `first + 1`, ...: counts per write, continues after existing rows.
    Sequence { first: i64 },
    /// Decimal text of `first .. first + count`, zero-padded to `width`.
    Digits { width: u8, first: u64, count: u64 },
    /// Text.
    Text(TextValues),
    /// `count` domain names, distinct.
    Domain { count: u64 },
    /// 16 bytes of a version-4 UUID; `count` different ones, or a fresh one a record.
    Uuid { count: Option<u64> },
    /// These 16 bytes each, distinct.
    ListedUuid(Arc<[[u8; 16]]>),
    /// `length` bytes; `count` different ones, or fresh ones a record.
    Bytes { length: u16, count: Option<u64> },
    /// `min <= x < max`.
    Double { min: f64, max: f64 },
    /// The operation's instant, less its lateness.
    Timestamp { unit: TimeUnit, late: Option<Late> },
}

/// Where a text field's values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TextValues {
    /// Listed, or read from a file; distinct, not empty.
    Listed(Arc<[String]>),
    /// `count` distinct texts of `length` characters of `alphabet` (ASCII, distinct).
    Generated {
        count: u64,
        length: u16,
        alphabet: String,
    },
}

/// Records that arrive after their time: a `fraction` is late by a uniform time in `[0, up_to]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Late {
    /// In [0, 1].
    pub fraction: f64,
    /// Greatest lateness.
    pub up_to: SimDuration,
}

/// How often each value comes; by default all alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Distribution {
    /// Shape over ranks 0, 1, 2, ... (or over values, for `Normal`).
    pub shape: DistributionShape,
    /// Shares of the first ranks, each in (0, 1), sum < 1; the shape shares the rest among the other ranks.
    pub top: Vec<f64>,
    /// Rank order is value order, instead of a permutation drawn once a replicate.
    pub ranked: bool,
}

/// The shape of a law.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum DistributionShape {
    /// All alike.
    #[default]
    Uniform,
    /// Rank r (from 1) has weight r^-exponent; exponent > 0.
    Zipf { exponent: f64 },
    /// A fraction `keys` of the ranks gets a fraction `load` of the draws, evenly on both sides; both in (0, 1).
    Hotspot { keys: f64, load: f64 },
    /// Weight of each rank; ranks beyond the list have none.
    Weights(Vec<f64>),
    /// A normal law over the values (not the ranks), rounded, redrawn outside the domain.
    Normal { mean: f64, sd: f64 },
}

impl Schema {
    /// The field of that name.
    pub fn find(&self, name: &str) -> Option<FieldId> {
        let at = self.fields.iter().position(|field| field.name == name);
        at.map(|at| FieldId(at as u16))
    }

    /// The field itself.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[usize::from(id.0)]
    }

    /// All fields whose values follow from those of `fields`: what is `of` known fields, what a field that no two rows of its file share belongs to, and
    /// everything where one of them has a value of its own for each record. Two sets of which the same is known tell the same records apart.
    pub fn known_from(&self, fields: &[FieldId]) -> BTreeSet<FieldId> {
        let all = || (0..self.fields.len() as u16).map(FieldId);
        let mut known: BTreeSet<FieldId> = fields.iter().copied().collect();
        loop {
            let before = known.len();
            for id in all() {
                let field = self.field(id);
                let is_fresh = match &field.column {
                    Some(column) => column.distinct == column.slots.len() as u64,
                    None => field.count().is_none() && field.time_unit().is_none(),
                };
                if !field.of.is_empty() && field.of.iter().all(|it| known.contains(it)) {
                    known.insert(id);
                } else if is_fresh && known.contains(&id) {
                    match field.of.is_empty() {
                        true => return all().collect(),
                        false => known.extend(&field.of),
                    }
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    /// The field has one of finitely many values for each value of `root`, and depends on nothing else.
    pub fn follows(&self, field: FieldId, root: FieldId) -> bool {
        let Field { kind, of, .. } = self.field(field);
        !kind.moves()
            && self.field(field).count().is_some()
            && matches!(of[..], [parent] if parent == root || self.follows(parent, root))
    }

    /// All fields, each after those that it depends on; file order otherwise. Fields in a cycle of `of`, which no valid schema
    /// has, come last.
    pub fn dependency_order(&self) -> Vec<FieldId> {
        let mut order: Vec<FieldId> = Vec::with_capacity(self.fields.len());
        let mut waiting: Vec<FieldId> = (0..self.fields.len() as u16).map(FieldId).collect();
        loop {
            let is_ready = |id: &&FieldId| self.field(**id).of.iter().all(|it| order.contains(it));
            let (ready, rest): (Vec<FieldId>, Vec<_>) = waiting.iter().partition(is_ready);
            order.extend(&ready);
            if ready.is_empty() || rest.is_empty() {
                order.extend(rest);
                return order;
            }
            waiting = rest;
        }
    }
}

/// Slot of the first literal; see the module's "slots".
const LITERALS_FROM: i64 = i64::MIN;

/// Most literals of one field.
const LITERALS_MAX: i64 = 65_536;

impl Field {
    /// A field with equally likely values that depend on no other field.
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Self {
        Self {
            name: name.into(),
            kind,
            law: Distribution::default(),
            of: Vec::new(),
            literals: Vec::new(),
            column: None,
        }
    }

    /// Whether expressions can name it: not the number of a file's row.
    pub fn has_name(&self) -> bool {
        !self.name.contains(' ')
    }

    /// Number of different values, where it is finite and known.
    pub fn count(&self) -> Option<u64> {
        let column = self.column.as_ref();
        column.map_or_else(|| self.kind.count(), |it| Some(it.distinct))
    }

    /// Its values in words, for messages.
    pub fn describe(&self) -> String {
        match self.column.as_ref().map(|column| column.time_unit) {
            None => self.kind.describe(),
            Some(None) => format!("a column of a file: {}", self.kind.describe()),
            Some(Some(_)) => {
                "a column of a file; a `timestamp` without `from` follows the run".to_owned()
            }
        }
    }

    /// What its slots count since 1970, if they are times.
    pub fn time_unit(&self) -> Option<TimeUnit> {
        match (&self.kind, &self.column) {
            (FieldKind::Timestamp { unit, .. }, _) => Some(*unit),
            (_, Some(column)) => column.time_unit,
            _ => None,
        }
    }

    /// All slots that it can have, literals included, where there are at most so many besides these.
    pub fn few_slots(&self, most: u64) -> Option<Vec<i64>> {
        let count = self.kind.count().filter(|count| *count <= most)?;
        let literals = (0..self.literals.len() as u16).map(Self::literal_slot);
        let literals = literals.filter(|_| !self.kind.is_number());
        let slots = (self.kind.first_slot()..).take(count as usize);
        Some(slots.chain(literals).collect())
    }

    /// The slot of `literals[at]`.
    pub fn literal_slot(at: u16) -> i64 {
        LITERALS_FROM + i64::from(at)
    }

    /// The literal that a slot stands for, if it stands for one. Always `None` for numbers.
    pub fn literal(&self, slot: i64) -> Option<&[u8]> {
        if slot >= LITERALS_FROM + LITERALS_MAX || self.kind.is_number() {
            return None;
        }
        self.literals
            .get((slot - LITERALS_FROM) as usize)
            .map(Vec::as_slice)
    }
}

impl FieldKind {
    /// Values follow the rows as they come, one after another.
    pub fn moves(&self) -> bool {
        matches!(self, Self::Timestamp { .. } | Self::Sequence { .. })
    }

    /// Ints, sequences and timestamps.
    pub fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Int { .. } | Self::Sequence { .. } | Self::Timestamp { .. }
        )
    }

    /// Number of different values, where it is finite and given: not for sequences, timestamps, doubles, and fresh `uuid`s or `bytes`.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Int { count, .. } | Self::Digits { count, .. } | Self::Domain { count } => {
                Some(*count)
            }
            Self::Text(TextValues::Listed(values)) => Some(values.len() as u64),
            Self::Text(TextValues::Generated { count, .. }) => Some(*count),
            Self::ListedUuid(values) => Some(values.len() as u64),
            Self::Uuid { count } | Self::Bytes { count, .. } => *count,
            Self::Sequence { .. } | Self::Double { .. } | Self::Timestamp { .. } => None,
        }
    }

    /// The slot of the first value of a counted kind; the others follow it.
    pub fn first_slot(&self) -> i64 {
        match self {
            Self::Int { first, .. } | Self::Sequence { first } => *first,
            Self::Digits { first, .. } => *first as i64,
            _ => 0,
        }
    }
}
