//! Checked texts and bytes: constants, decimal texts, and joining them. Must not know how they were written.

use super::code::{BytesCode, IntEncoding, IntOp};
use super::functions::decimal_shape;
use super::shape::Shape;
use super::typed::{Code, Facts, Order, Typed};

/// Text or bytes.
#[derive(Debug, Clone)]
pub(super) struct Bytes {
    pub is_text: bool,
    pub code: BytesCode,
    pub shape: Shape,
    pub facts: Facts,
}

/// A constant text or bytes.
pub(super) fn literal(is_text: bool, bytes: &[u8]) -> Typed {
    Typed::of_bytes(
        is_text,
        BytesCode::Literal(bytes.into()),
        Shape::literal(bytes),
        Facts::constant(),
    )
}

/// Decimal text of an integer.
pub(super) fn decimal(typed: Typed) -> Option<Bytes> {
    let Code::Int(code) = typed.code else {
        return Bytes::from_typed(typed);
    };
    let shape = decimal_shape(code.range);
    let order = if shape.fixed().is_some() && code.range.low >= 0 {
        typed.facts.order
    } else {
        Order::None
    };
    let facts = Facts {
        order,
        ..typed.facts
    };
    if let IntOp::Const(value) = code.op {
        let text = value.to_string();
        return Bytes::from_typed(literal(true, text.as_bytes()));
    }
    let code = BytesCode::Int(IntEncoding::Decimal, Box::new(code));
    Some(Bytes {
        is_text: true,
        code,
        shape,
        facts,
    })
}

impl Bytes {
    /// A text or bytes value; `None` for numbers.
    pub fn from_typed(typed: Typed) -> Option<Self> {
        let (is_text, code, shape) = match typed.code {
            Code::Text(code, shape) => (true, code, shape),
            Code::Bytes(code, shape) => (false, code, shape),
            Code::Int(_) | Code::Double(_) => return None,
        };
        Some(Self {
            is_text,
            code,
            shape,
            facts: typed.facts,
        })
    }

    /// As a typed value.
    pub fn typed(self) -> Typed {
        Typed::of_bytes(self.is_text, self.code, self.shape, self.facts)
    }

    pub fn then(self, next: Self) -> Self {
        let order = if self.shape.single().is_some() {
            next.facts.order
        } else {
            self.facts.order
        };
        let facts = Facts {
            order,
            ..self.facts.merge(&next.facts)
        };
        let shape = self.shape.then(&next.shape);
        let mut parts = match self.code {
            BytesCode::Concat(parts) => parts,
            one => vec![one],
        };
        match next.code {
            BytesCode::Concat(more) => parts.extend(more),
            one => parts.push(one),
        }
        Self {
            is_text: self.is_text && next.is_text,
            code: BytesCode::Concat(parts),
            shape,
            facts,
        }
    }
}
