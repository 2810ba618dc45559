//! What the key language may rely on about a field's values. Must not draw any.

use super::domain_names::DomainNames;
use super::{FieldId, FieldKind, Schema, TextValues, TimeUnit};

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
        let mut domain = FieldDomain {
            value_type: ValueType::Int,
            int_range: (0, 0),
            len_range: (0, 0),
            bytes_at: Vec::new(),
            cardinality: field.kind.count(),
            time_unit: None,
            follows_time: false,
        };
        match &field.kind {
            FieldKind::Int { first, count } => {
                domain.int_range = (*first, first.saturating_add_unsigned(count - 1));
            }
            FieldKind::Sequence { first } => {
                let last = first.saturating_add_unsigned(self.sequence_span);
                (domain.int_range, domain.follows_time) = ((*first, last), true);
            }
            FieldKind::Timestamp { unit, .. } => {
                let (earliest, latest) = self.time_range;
                domain.int_range = (unit.floor(earliest), unit.floor(latest));
                (domain.time_unit, domain.follows_time) = (Some(*unit), true);
            }
            FieldKind::Double { .. } => domain.value_type = ValueType::Double,
            kind => {
                domain.value_type = match kind {
                    FieldKind::Uuid { .. } | FieldKind::Bytes { .. } => ValueType::Bytes,
                    _ => ValueType::Text,
                };
                let mut bytes = ByteSets::default();
                bytes.add_kind(kind);
                field.literals.iter().for_each(|text| bytes.add_value(text));
                let values = domain.cardinality;
                domain.cardinality = values.map(|count| count + field.literals.len() as u64);
                domain.len_range = bytes.len_range.unwrap_or((0, 0));
                domain.bytes_at = bytes.sets;
            }
        }
        domain
    }
}

/// Byte sets and lengths of a growing set of values.
#[derive(Debug, Default)]
struct ByteSets {
    sets: Vec<[u64; 4]>,
    len_range: Option<(usize, usize)>,
}

impl ByteSets {
    /// All values of a kind of texts or bytes.
    fn add_kind(&mut self, kind: &FieldKind) {
        let any = |_| [u64::MAX; 4];
        match kind {
            FieldKind::Digits {
                width,
                first,
                count,
            } => self.add_digits(usize::from(*width), *first, first + (count - 1)),
            FieldKind::Text(TextValues::Listed(values)) => {
                values
                    .iter()
                    .for_each(|value| self.add_value(value.as_bytes()));
            }
            FieldKind::Text(TextValues::Generated {
                length, alphabet, ..
            }) => self.add((*length, *length), |_| byte_set(alphabet.bytes())),
            FieldKind::Domain { count } => {
                self.add(DomainNames::len_range(*count), |position| {
                    byte_set((0..=255).filter(|byte| DomainNames::allow(position, *byte)))
                });
            }
            FieldKind::Uuid { .. } => self.add((16u16, 16), |position| match position {
                6 => byte_set(0x40..=0x4F),
                8 => byte_set(0x80..=0xBF),
                _ => any(position),
            }),
            FieldKind::Bytes { length, .. } => self.add((*length, *length), any),
            _ => {}
        }
    }

    fn add_value(&mut self, value: &[u8]) {
        self.add((value.len(), value.len()), |position| {
            byte_set([value[position]])
        });
    }

    /// Values of so many bytes, least and greatest, each position free within its set.
    fn add<L: Into<usize>>(&mut self, lengths: (L, L), set_at: impl Fn(usize) -> [u64; 4]) {
        let (least, greatest) = (lengths.0.into(), lengths.1.into());
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

    /// The digits of `low..=high`, zero-padded: fixed up to the first position where the ends differ, between them there, any after it.
    fn add_digits(&mut self, width: usize, low: u64, high: u64) {
        let (low, high) = (format!("{low:0width$}"), format!("{high:0width$}"));
        let differs = low.bytes().zip(high.bytes()).position(|(a, b)| a != b);
        let differs = differs.unwrap_or(low.len());
        self.add((low.len(), high.len()), |position| {
            if low.len() == high.len() && position <= differs {
                byte_set(low.as_bytes()[position]..=high.as_bytes()[position])
            } else {
                byte_set(b'0'..=b'9')
            }
        });
    }
}

/// A set of byte values: bit b of word b / 64 is byte value b.
fn byte_set(bytes: impl IntoIterator<Item = u8>) -> [u64; 4] {
    let mut set = [0u64; 4];
    for byte in bytes {
        set[usize::from(byte / 64)] |= 1 << (byte % 64);
    }
    set
}
