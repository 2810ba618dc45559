//! What the key language may rely on about a field's values. Must not draw any.

use super::domain_names::DomainNames;
use super::{ByteSet, ByteShape, FieldId, FieldKind, Interval, Schema, TextValues, TimeUnit};
use std::ops::Range;

/// Type of a value in the key language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// `i64`.
    Int,
    /// UTF-8 text.
    Text,
    /// Raw bytes.
    Bytes,
    /// `f64`; only the double encoders take it.
    Double,
}

/// All that the key language may rely on when it compiles a use of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDomain {
    /// Type in the key language.
    pub value_type: ValueType,
    /// The values of an int; of others it says nothing.
    pub range: Interval,
    /// What texts or bytes can be, literals included; of numbers it says nothing.
    pub shape: ByteShape,
    /// Number of different values, where finite and known.
    pub cardinality: Option<u64>,
    /// Set for timestamps.
    pub time_unit: Option<TimeUnit>,
    /// Grows with the operations' time: timestamps and sequences.
    pub follows_time: bool,
}

impl Schema {
    /// From the least slot that a field can have to the one after the greatest.
    pub fn slots(&self, field: FieldId) -> Range<i64> {
        let kind = &self.field(field).kind;
        if kind.is_number() {
            let Interval { low, high } = self.domain(field).range;
            return low..high.saturating_add(1);
        }
        let first = kind.first_slot();
        first..first.saturating_add_unsigned(kind.count().unwrap_or(u64::MAX))
    }

    /// What is known about a field's values: always true of every value that can come, literals included.
    pub fn domain(&self, id: FieldId) -> FieldDomain {
        let field = self.field(id);
        let mut domain = FieldDomain {
            value_type: ValueType::Int,
            range: Interval::ALL,
            shape: ByteShape::literal(b""),
            cardinality: field.count(),
            time_unit: field.time_unit(),
            follows_time: !matches!(field.kind, FieldKind::Int { .. }) && field.kind.is_number(),
        };
        let counted = |first: i64, more| Interval::new(first, first.saturating_add_unsigned(more));
        match &field.kind {
            FieldKind::Int { first, count } => domain.range = counted(*first, count - 1),
            FieldKind::Sequence { first } => domain.range = counted(*first, self.sequence_span),
            FieldKind::Timestamp { unit, .. } => {
                let (earliest, latest) = self.time_range;
                domain.range = Interval::new(unit.floor(earliest), unit.floor(latest));
            }
            FieldKind::Double { .. } => domain.value_type = ValueType::Double,
            kind => {
                domain.value_type = match kind {
                    FieldKind::Uuid { .. } | FieldKind::ListedUuid(_) | FieldKind::Bytes { .. } => {
                        ValueType::Bytes
                    }
                    _ => ValueType::Text,
                };
                let literals = field.literals.iter();
                let column = field.column.as_ref();
                let shape = column.and_then(|column| column.shape.clone());
                let shapes = shape.or_else(|| kind.shape()).into_iter();
                let shapes = shapes.chain(literals.map(|literal| ByteShape::literal(literal)));
                domain.shape = any_of(shapes).unwrap_or(domain.shape);
                let values = domain.cardinality;
                domain.cardinality = values.map(|count| count + field.literals.len() as u64);
            }
        }
        if let Some(column) = &field.column {
            domain.follows_time = column.follows_time;
        }
        domain
    }
}

fn any_of(shapes: impl Iterator<Item = ByteShape>) -> Option<ByteShape> {
    shapes.reduce(|all, shape| all.or(&shape))
}

impl FieldKind {
    /// What all values of a kind of texts or bytes can be.
    fn shape(&self) -> Option<ByteShape> {
        let any = |length: u16, set| ByteShape::uniform(length.into(), length.into(), set);
        Some(match self {
            Self::Digits {
                width,
                first,
                count,
            } => {
                let (width, digits) = (usize::from(*width), ByteSet::range(b'0', b'9'));
                let ends = [*first, first + (count - 1)].map(|end| format!("{end:0width$}"));
                match ends[0].len() == ends[1].len() {
                    true => ByteShape::between(ends[0].as_bytes(), ends[1].as_bytes(), digits),
                    false => ByteShape::uniform(ends[0].len(), ends[1].len(), digits),
                }
            }
            Self::Text(TextValues::Listed(values)) => {
                return any_of(values.iter().map(|it| ByteShape::literal(it.as_bytes())));
            }
            Self::Text(TextValues::Generated {
                length, alphabet, ..
            }) => any(*length, ByteSet::of(alphabet.as_bytes())),
            Self::Domain { count } => DomainNames::shape(*count),
            Self::ListedUuid(values) => {
                return any_of(values.iter().map(|it| ByteShape::literal(it)));
            }
            Self::Uuid { .. } => ByteShape::uuid(4, &ByteShape::literal(b"")),
            Self::Bytes { length, .. } => any(*length, ByteSet::ALL),
            _ => return None,
        })
    }
}
