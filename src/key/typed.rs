//! A checked sub-expression: its code and all that is known of its values. Must not know how it was written.

use super::code::{BytesCode, DoubleCode, IntCode, IntOp};
use super::interval::Interval;
use super::knowledge::Needs;
use super::shape::Shape;
use crate::record::{FieldId, TimeUnit, ValueType};

/// Code and facts.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub code: Code,
    pub facts: Facts,
}

/// Code of one of the types.
#[derive(Debug, Clone)]
pub(super) enum Code {
    Int(IntCode),
    Double(DoubleCode),
    Text(BytesCode, Shape),
    Bytes(BytesCode, Shape),
}

/// What else is known of the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    /// Ascending.
    pub fields: Vec<FieldId>,
    /// Whether values follow the operations' time. Which way they do matters to integers only, which are added up: `desc(x)` leaves it.
    pub order: Order,
    /// At most so many different values.
    pub cardinality: Option<u64>,
    /// Set while an integer counts time. Of texts and bytes it means nothing: only the integer that they were made of had one.
    pub unit: Option<TimeUnit>,
    /// How values spread.
    pub spread: Spread,
    /// What a reader must know to know the value, unless it is drawn.
    pub needs: Needs,
}

/// Whether values grow with the operations' time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// No relation.
    None,
    /// They grow.
    Rising,
    /// They shrink.
    Falling,
}

/// How values spread over their range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// As their fields do.
    Plain,
    /// A hash of fields: the same record, the same value.
    Hashed,
    /// Drawn or counted for each write: readers can't know it.
    Random,
}

impl Facts {
    /// Of a constant.
    pub fn constant() -> Self {
        Self {
            fields: Vec::new(),
            order: Order::None,
            cardinality: Some(1),
            unit: None,
            spread: Spread::Plain,
            needs: Needs::NOTHING,
        }
    }

    /// Of something made from both; order and unit are lost.
    pub fn merge(&self, other: &Self) -> Self {
        let mut fields = self.fields.clone();
        fields.extend(&other.fields);
        fields.sort_unstable();
        fields.dedup();
        let cardinality = self
            .cardinality
            .zip(other.cardinality)
            .and_then(|(a, b)| a.checked_mul(b));
        Self {
            fields,
            order: Order::None,
            cardinality,
            unit: None,
            spread: self.spread.max(other.spread),
            needs: self.needs.and(&other.needs),
        }
    }

    /// With at most `count` values.
    pub fn at_most(mut self, count: u128) -> Self {
        let count = u64::try_from(count).ok();
        self.cardinality = match (self.cardinality, count) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self
    }

    /// Without relation to time.
    pub fn unordered(mut self) -> Self {
        self.order = Order::None;
        self.unit = None;
        self
    }

    /// Spread by a hash.
    pub fn hashed(mut self) -> Self {
        self.spread = self.spread.max(Spread::Hashed);
        self.unordered()
    }
}

impl Spread {
    fn max(self, other: Self) -> Self {
        match (self, other) {
            (Self::Random, _) | (_, Self::Random) => Self::Random,
            (Self::Hashed, _) | (_, Self::Hashed) => Self::Hashed,
            _ => Self::Plain,
        }
    }
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
}

impl Typed {
    /// An integer constant.
    pub fn int(value: i64) -> Self {
        let code = IntCode {
            op: IntOp::Const(value),
            range: Interval::one(value),
        };
        Self {
            code: Code::Int(code),
            facts: Facts::constant(),
        }
    }

    /// An integer with the values of `range`.
    pub fn of_int(op: IntOp, range: Interval, facts: Facts) -> Self {
        Self {
            code: Code::Int(IntCode { op, range }),
            facts: facts.at_most(range.count()),
        }
    }

    /// A text or, when `is_text` is false, bytes.
    pub fn of_bytes(is_text: bool, code: BytesCode, shape: Shape, facts: Facts) -> Self {
        let facts = match shape.count() {
            Some(count) => facts.at_most(count.into()),
            None => facts,
        };
        let code = if is_text {
            Code::Text(code, shape)
        } else {
            Code::Bytes(code, shape)
        };
        Self { code, facts }
    }

    /// The type.
    pub fn value_type(&self) -> ValueType {
        match self.code {
            Code::Int(_) => ValueType::Int,
            Code::Double(_) => ValueType::Double,
            Code::Text(..) => ValueType::Text,
            Code::Bytes(..) => ValueType::Bytes,
        }
    }
}

/// What messages call a type.
pub(super) fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Int => "int",
        ValueType::Text => "text",
        ValueType::Bytes => "bytes",
        ValueType::Double => "double",
    }
}
