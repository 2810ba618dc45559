//! What the key language may rely on about a field's values. Must not draw any.

use super::domain_names::DomainNames;
use super::{Field, FieldId, FieldKind, Schema, TextValues, TimeUnit};

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
    /// Least and greatest value of an int (inclusive); of others (0, 0).
    pub int_range: (i64, i64),
    /// Least and greatest length in bytes of a text or bytes value (literals included).
    pub len_range: (usize, usize),
    /// For texts and bytes: which byte values can stand at each position, up to `len_range.1` (or the first 64
    /// positions); bit b of the array's word b / 64 is byte value b.
    pub bytes_at: Vec<[u64; 4]>,
    /// Number of different values, where finite and known.
    pub cardinality: Option<u64>,
    /// Set for timestamps.
    pub time_unit: Option<TimeUnit>,
    /// Grows with the operations' time: timestamps and sequences.
    pub follows_time: bool,
}

/// Positions beyond these have no byte sets.
const BYTE_POSITIONS: usize = 64;

impl Schema {
    /// What is known about a field's values: always true of every value that can come, literals included.
    pub fn domain(&self, id: FieldId) -> FieldDomain {
        let field = self.field(id);
        let number = |int_range, follows_time, time_unit| FieldDomain {
            value_type: ValueType::Int,
            int_range,
            len_range: (0, 0),
            bytes_at: Vec::new(),
            cardinality: field.kind.count(),
            time_unit,
            follows_time,
        };
        match &field.kind {
            FieldKind::Int { first, count } => number(
                (*first, first.saturating_add_unsigned(count - 1)),
                false,
                None,
            ),
            FieldKind::Sequence { first } => number(
                (*first, first.saturating_add_unsigned(self.sequence_span)),
                true,
                None,
            ),
            FieldKind::Timestamp { unit, .. } => {
                let (earliest, latest) = self.time_range;
                number(
                    (unit.floor(earliest), unit.floor(latest)),
                    true,
                    Some(*unit),
                )
            }
            FieldKind::Double { .. } => FieldDomain {
                value_type: ValueType::Double,
                ..number((0, 0), false, None)
            },
            _ => text_domain(field),
        }
    }
}

fn text_domain(field: &Field) -> FieldDomain {
    let mut bytes = ByteSets::default();
    match &field.kind {
        FieldKind::Digits {
            width,
            first,
            count,
        } => digits(usize::from(*width), *first, first + (count - 1), &mut bytes),
        FieldKind::Text(TextValues::Listed(values)) => {
            values.iter().for_each(|value| bytes.add(value.as_bytes()))
        }
        FieldKind::Text(TextValues::Generated {
            length, alphabet, ..
        }) => {
            bytes.add_any(usize::from(*length), usize::from(*length), |_| {
                byte_set(alphabet.bytes())
            });
        }
        FieldKind::Domain { count } => {
            let (least, greatest) = DomainNames::len_range(*count);
            bytes.add_any(least, greatest, DomainNames::bytes_at);
        }
        FieldKind::Uuid { .. } => bytes.add_any(16, 16, |position| match position {
            6 => byte_set(0x40..=0x4F),
            8 => byte_set(0x80..=0xBF),
            _ => [u64::MAX; 4],
        }),
        FieldKind::Bytes { length, .. } => {
            bytes.add_any(usize::from(*length), usize::from(*length), |_| {
                [u64::MAX; 4]
            })
        }
        FieldKind::Int { .. }
        | FieldKind::Sequence { .. }
        | FieldKind::Double { .. }
        | FieldKind::Timestamp { .. } => {}
    }
    for literal in &field.literals {
        bytes.add(literal);
    }
    let is_text = matches!(
        field.kind,
        FieldKind::Digits { .. } | FieldKind::Text(_) | FieldKind::Domain { .. }
    );
    FieldDomain {
        value_type: if is_text {
            ValueType::Text
        } else {
            ValueType::Bytes
        },
        int_range: (0, 0),
        len_range: bytes.len_range.unwrap_or((0, 0)),
        bytes_at: bytes.sets,
        cardinality: field
            .kind
            .count()
            .map(|count| count + field.literals.len() as u64),
        time_unit: None,
        follows_time: false,
    }
}

/// Byte sets and lengths of a growing set of values.
#[derive(Debug, Default)]
struct ByteSets {
    sets: Vec<[u64; 4]>,
    len_range: Option<(usize, usize)>,
}

impl ByteSets {
    fn add(&mut self, value: &[u8]) {
        let length = value.len();
        let (low, high) = self.len_range.unwrap_or((length, length));
        self.len_range = Some((low.min(length), high.max(length)));
        let positions = length.min(BYTE_POSITIONS);
        if self.sets.len() < positions {
            self.sets.resize(positions, [0; 4]);
        }
        for (set, byte) in self.sets.iter_mut().zip(value) {
            set[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
    }

    /// Values of `least..=greatest` bytes, each position free within its set.
    fn add_any(&mut self, least: usize, greatest: usize, set_at: impl Fn(usize) -> [u64; 4]) {
        let (low, high) = self.len_range.unwrap_or((least, greatest));
        self.len_range = Some((low.min(least), high.max(greatest)));
        let positions = greatest.min(BYTE_POSITIONS);
        if self.sets.len() < positions {
            self.sets.resize(positions, [0; 4]);
        }
        for (position, set) in self.sets.iter_mut().enumerate().take(positions) {
            for (word, more) in set.iter_mut().zip(set_at(position)) {
                *word |= more;
            }
        }
    }
}

fn byte_set(bytes: impl IntoIterator<Item = u8>) -> [u64; 4] {
    let mut set = [0u64; 4];
    for byte in bytes {
        set[usize::from(byte / 64)] |= 1 << (byte % 64);
    }
    set
}

/// The digits of `low..=high`, zero-padded: fixed up to the first position where the ends differ, between them there, any after it.
fn digits(width: usize, low: u64, high: u64, bytes: &mut ByteSets) {
    let (low, high) = (format!("{low:0width$}"), format!("{high:0width$}"));
    let differs = low
        .bytes()
        .zip(high.bytes())
        .position(|(a, b)| a != b)
        .unwrap_or(low.len());
    bytes.add_any(low.len(), high.len(), |position| {
        if low.len() == high.len() && position <= differs {
            byte_set(low.as_bytes()[position]..=high.as_bytes()[position])
        } else {
            byte_set(b'0'..=b'9')
        }
    });
}
