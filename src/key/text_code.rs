//! Texts and bytes that are made of other code. Must not know what is known of their values.

use super::code::{Code, Op};
use super::formats::{Encoding, Pattern, Transform};
use crate::record::{ByteSet, ByteShape, TimeUnit, ValueType};

/// More texts than a day has seconds are as good as all.
const MOST_TEXTS: u64 = 86_400;

impl Code {
    /// The characters of this from the last one on, or its bytes where it is none as text.
    pub fn reversed(self, value_type: ValueType) -> Self {
        let transform = match value_type == ValueType::Text && !self.shape.is_ascii() {
            true => Transform::ReverseChars,
            false => Transform::ReverseBytes,
        };
        if let Some(bytes) = self.as_literal() {
            let mut bytes = bytes.to_vec();
            transform.change(&mut bytes);
            return Self::literal(value_type, &bytes);
        }
        if let Transform::ReverseChars = transform {
            return self.shuffled(transform);
        }
        let shape = self.shape.reversed();
        self.apply_bytes(Op::Map(transform), value_type, shape)
    }

    /// So many characters from a position on, as SQL's `substr` counts them. What is no ASCII is cut by characters of up to 4 bytes.
    pub fn cut(self, position: i64, count: usize) -> Self {
        let (shape, far) = (&self.shape, position.unsigned_abs() as usize);
        let by_char = self.is_text() && !shape.is_ascii();
        if let (0 | 1, Op::Concat, false) = (position, &self.op, by_char)
            && let Some(parts) = self.first_parts(count)
        {
            return parts;
        }
        let (skipped, most) = match position {
            0.. => (far.saturating_sub(1), count),
            _ => (0, far.min(count)),
        };
        let part = match position {
            _ if by_char => shape.by_chars(skipped, most),
            0.. => shape.from(skipped).left(count),
            _ if shape.fixed().is_some() => shape.right(far).left(count),
            _ => ByteShape::uniform(shape.min.min(most), shape.max.min(most), shape.all()),
        };
        // What is cut of a date between its parts is a date of those.
        if let (Op::Encode(Encoding::Calendar(pattern, unit)), [time]) =
            (&self.op, &self.operands[..])
        {
            let before = match position {
                0.. => skipped,
                _ => shape.min.saturating_sub(far),
            };
            if let Some(cut) = pattern.cut(before, count) {
                return time.clone().dated(cut, *unit);
            }
        }
        let transform = Transform::Substr {
            position,
            count,
            by_char,
        };
        let value_type = self.value_type;
        self.apply_bytes(Op::Map(transform), value_type, part)
    }

    /// The text of an instant in years 0 to 9999.
    pub fn dated(self, pattern: Pattern, unit: TimeUnit) -> Self {
        let range = self.range;
        let (ordered, mut sets) = (pattern.keeps_order(), pattern.sets());
        let count = pattern.count().filter(|count| *count <= MOST_TEXTS);
        let encoding = Encoding::Calendar(pattern, unit);
        if ordered {
            let between = encoding.between(range, ByteSet::ALL);
            for (at, set) in sets.iter_mut().enumerate() {
                if set.includes(between.at(at)) {
                    *set = between.at(at);
                }
            }
        }
        let shape = ByteShape::from_sets(sets.len(), sets.len(), sets, ByteSet::ALL);
        let mut code = self.apply_bytes(Op::Encode(encoding), ValueType::Text, shape);
        let known = code.facts.cardinality.into_iter().chain(count);
        code.facts.cardinality = known.min();
        code
    }

    /// So many bytes of what is joined of texts, or of bytes: the first parts, and the beginning of one. `None` where it is not known in which one it ends.
    fn first_parts(&self, count: usize) -> Option<Self> {
        let (mut left, mut parts) = (count, Vec::new());
        for part in &self.operands {
            match part.shape.fixed() {
                _ if left == 0 || part.value_type != self.value_type => break,
                Some(length) if length <= left => parts.push(part.clone()),
                _ if part.shape.min >= left => parts.push(part.clone().cut(1, left)),
                _ => return None,
            }
            left -= part.shape.min.min(left);
        }
        let is_all = left == 0 || parts.len() == self.operands.len();
        (is_all && !parts.is_empty()).then(|| Self::joined(parts))
    }

    /// Any text of the same bytes.
    pub fn shuffled(self, transform: Transform) -> Self {
        let any = ByteShape::uniform(self.shape.min, self.shape.max, self.shape.all());
        let any = any.of_chars(self.shape.chars);
        self.apply_bytes(Op::Map(transform), ValueType::Text, any)
    }

    /// Constant text or bytes.
    pub fn literal(value_type: ValueType, bytes: &[u8]) -> Self {
        let (op, shape) = (Op::Literal(bytes.into()), ByteShape::literal(bytes));
        Self::bytes(op, Vec::new(), value_type, shape)
    }

    /// The decimal text of an integer.
    pub fn decimal(self) -> Self {
        if let Op::Const(value) = self.op {
            return Self::literal(ValueType::Text, value.to_string().as_bytes());
        }
        let shape = ByteShape::decimal(self.range);
        self.apply_bytes(Op::Encode(Encoding::Decimal), ValueType::Text, shape)
    }

    /// Text or bytes, as they are or as the decimal text of an integer; a double has no bytes of its own.
    pub fn into_bytes(self) -> Option<Self> {
        match self.value_type {
            ValueType::Int => Some(self.decimal()),
            ValueType::Double => None,
            ValueType::Text | ValueType::Bytes => Some(self),
        }
    }

    /// The integer whose decimal text this is; everything else as it is.
    pub fn written_number(mut self) -> Self {
        match self.op {
            Op::Encode(Encoding::Decimal) => self.operands.remove(0),
            _ => self,
        }
    }

    /// An integer as bytes in its own order; bytes are their own.
    pub fn in_order(self) -> Self {
        if !self.is_number() {
            return self;
        }
        let shape = ByteShape::uniform(8, 8, ByteSet::ALL);
        self.apply_bytes(Op::Encode(Encoding::Ordered(8)), ValueType::Bytes, shape)
    }

    /// Texts and bytes one after another.
    pub fn joined(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let value_type = match parts.iter().all(Self::is_text) {
            true => ValueType::Text,
            false => ValueType::Bytes,
        };
        let shapes = parts.iter().map(|part| &part.shape);
        let shape = ByteShape::joined(shapes);
        Self::bytes(Op::Concat, parts, value_type, shape)
    }
}
