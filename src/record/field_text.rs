//! The bytes that a slot stands for. Must not know how often a value comes.

use super::domain_names::DomainNames;
use super::{Field, FieldId, FieldKind, Schema, TextValues};
use crate::random::{DrawKey, Permutation, Seed, Stream, hash_name, mix};
use crate::text::push_decimal;
use std::sync::Arc;

/// Renders one field's values: prepared once, then no allocation a value but to grow the buffer.
///
/// Generated texts, domains, uuids and bytes belong to the field's name and the ordinal alone: they are the same for every seed and in
/// every replicate, so that a key can be looked up in a file of yesterday.
#[derive(Debug, Clone)]
pub struct FieldText {
    field: Field,
    form: Form,
}

/// A field has one text.
impl PartialEq for FieldText {
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field
    }
}

#[derive(Debug, Clone)]
enum Form {
    Number,
    Double,
    Digits { width: usize },
    Listed(Arc<[String]>),
    Generated(GeneratedText),
    Domain(DomainNames),
    Uuid(DrawKey),
    ListedUuid(Arc<[[u8; 16]]>),
    Bytes(FixedBytes),
}

impl Schema {
    /// The renderer of a field's values.
    pub fn text(&self, id: FieldId) -> FieldText {
        FieldText::new(self.field(id))
    }

    /// Appends the bytes that a slot stands for: the text of `text`, `digits`, `domain` (and the decimal text of numbers), the raw bytes of `uuid`
    /// and `bytes`, literals as they are. In a loop, prepare [`Schema::text`] instead.
    pub fn write_text(&self, id: FieldId, slot: i64, out: &mut Vec<u8>) {
        self.text(id).write(slot, out);
    }
}

impl FieldText {
    fn new(field: &Field) -> Self {
        let name = hash_name(&field.name);
        // The seed is fixed: see above.
        let key = DrawKey::new(Seed(name), 0, Stream::Texts, 0);
        let form = match &field.kind {
            FieldKind::Int { .. } | FieldKind::Sequence { .. } | FieldKind::Timestamp { .. } => {
                Form::Number
            }
            FieldKind::Double { .. } => Form::Double,
            FieldKind::Digits { width, .. } => Form::Digits {
                width: usize::from(*width),
            },
            FieldKind::Text(TextValues::Listed(values)) => Form::Listed(Arc::clone(values)),
            FieldKind::Text(TextValues::Generated {
                length, alphabet, ..
            }) => Form::Generated(GeneratedText::new(alphabet, usize::from(*length), key)),
            FieldKind::Domain { count } => Form::Domain(DomainNames::new(*count, key)),
            FieldKind::Uuid { .. } => Form::Uuid(key),
            FieldKind::ListedUuid(values) => Form::ListedUuid(Arc::clone(values)),
            FieldKind::Bytes { length, .. } => {
                Form::Bytes(FixedBytes::new(usize::from(*length), key, name))
            }
        };
        Self {
            field: field.clone(),
            form,
        }
    }

    /// Its values are listed and none of them begins with another one: each tells where it ends. More than 65,536 are not looked at.
    pub fn is_prefix_free(&self) -> bool {
        let Form::Listed(values) = &self.form else {
            return false;
        };
        let literals = self.field.literals.iter().map(|it| &it[..]);
        let listed = values.iter().map(|it| it.as_bytes());
        let mut all: Vec<&[u8]> = listed.chain(literals).take((1 << 16) + 1).collect();
        // What begins with a value stands behind it, with nothing between that doesn't.
        all.sort_unstable();
        all.len() <= 1 << 16 && all.windows(2).all(|two| !two[1].starts_with(two[0]))
    }

    /// Appends the bytes that a slot stands for.
    pub fn write(&self, slot: i64, out: &mut Vec<u8>) {
        if let Some(literal) = self.field.literal(slot) {
            out.extend_from_slice(literal);
            return;
        }
        let ordinal = slot as u64;
        match &self.form {
            Form::Number => push_decimal(slot, 0, b'0', out),
            Form::Double => out.extend_from_slice(f64::from_bits(ordinal).to_string().as_bytes()),
            Form::Digits { width } => push_decimal(slot, *width, b'0', out),
            Form::Listed(values) => {
                let value = values.get(ordinal as usize);
                out.extend_from_slice(value.map_or(&[], |value| value.as_bytes()));
            }
            Form::Generated(text) => text.write(ordinal, out),
            Form::Domain(names) => names.write(ordinal, out),
            Form::Uuid(key) => {
                let mut draws = key.at(ordinal);
                let version = draws.bits() & !0xF000 | 0x4000;
                let variant = draws.bits() >> 2 | 1 << 63;
                out.extend_from_slice(&version.to_be_bytes());
                out.extend_from_slice(&variant.to_be_bytes());
            }
            Form::ListedUuid(values) => {
                let value = values.get(ordinal as usize);
                out.extend_from_slice(value.map_or(&[], |value| value));
            }
            Form::Bytes(bytes) => bytes.write(ordinal, out),
        }
    }

    /// The ordinal of a text that is a value of the field (not a literal); for texts, digits and domains.
    pub(super) fn ordinal(&self, text: &str) -> Option<u64> {
        let ordinal = match &self.form {
            Form::Digits { .. } => text.parse().ok()?,
            Form::Listed(values) => values.iter().position(|value| value == text)? as u64,
            Form::Generated(texts) => texts.ordinal(text.as_bytes())?,
            Form::Domain(names) => names.ordinal(text)?,
            _ => return None,
        };
        let kind = &self.field.kind;
        if ordinal.checked_sub(kind.first_slot() as u64)? >= kind.count()? {
            return None;
        }
        // What is only like a value (`+7` is like `007`) would be written otherwise.
        let mut again = Vec::with_capacity(text.len());
        self.write(ordinal as i64, &mut again);
        (again == text.as_bytes()).then_some(ordinal)
    }
}

/// Distinct texts of one length: the ordinal, permuted, in the base of the alphabet; characters beyond 63 bits' worth are hashed.
#[derive(Debug, Clone)]
struct GeneratedText {
    alphabet: Vec<u8>,
    /// Leading characters that tell the texts apart.
    distinct: usize,
    length: usize,
    order: Permutation,
    key: DrawKey,
}

impl GeneratedText {
    fn new(alphabet: &str, length: usize, key: DrawKey) -> Self {
        let base = alphabet.len() as u64;
        let (mut texts, mut distinct) = (1u64, 0);
        while distinct < length && texts.checked_mul(base).is_some_and(|more| more < 1 << 63) {
            texts *= base;
            distinct += 1;
        }
        Self {
            alphabet: alphabet.as_bytes().to_vec(),
            distinct,
            length,
            order: Permutation::new(texts, key),
            key,
        }
    }

    fn write(&self, ordinal: u64, out: &mut Vec<u8>) {
        let start = out.len();
        let base = self.alphabet.len() as u64;
        let mut code = self.order.at(ordinal % self.order.size());
        out.resize(start + self.distinct, 0);
        for place in out[start..].iter_mut().rev() {
            *place = self.alphabet[(code % base) as usize];
            code /= base;
        }
        let mut draws = self.key.at(ordinal);
        for _ in self.distinct..self.length {
            out.push(self.alphabet[draws.below(base) as usize]);
        }
    }

    /// The ordinal of the text that starts as this one does.
    fn ordinal(&self, text: &[u8]) -> Option<u64> {
        let mut digits = text.get(..self.distinct)?.iter();
        let code = digits.try_fold(0, |code, byte| {
            let digit = self.alphabet.iter().position(|known| known == byte)?;
            Some(code * self.alphabet.len() as u64 + digit as u64)
        })?;
        Some(self.order.position(code))
    }
}

/// Distinct byte strings of one length.
#[derive(Debug, Clone)]
struct FixedBytes {
    length: usize,
    /// For lengths under eight bytes, where a bijection of 64 bits is too wide.
    order: Option<Permutation>,
    key: DrawKey,
    salt: u64,
}

impl FixedBytes {
    fn new(length: usize, key: DrawKey, salt: u64) -> Self {
        let order = (length < 8).then(|| Permutation::new(1 << (8 * length), key));
        Self {
            length,
            order,
            key,
            salt,
        }
    }

    fn write(&self, ordinal: u64, out: &mut Vec<u8>) {
        let word = match &self.order {
            Some(order) => order.at(ordinal % order.size()) << (64 - 8 * self.length.max(1) as u32),
            None => mix(ordinal ^ self.salt),
        };
        out.extend_from_slice(&word.to_be_bytes()[..self.length.min(8)]);
        let mut draws = self.key.at(ordinal);
        let end = out.len() + self.length.saturating_sub(8);
        while out.len() < end {
            let word = draws.bits().to_be_bytes();
            out.extend_from_slice(&word[..(end - out.len()).min(8)]);
        }
    }
}
