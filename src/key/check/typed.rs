//! A checked sub-expression: code of one of the types.

use crate::key::code::{BytesCode, BytesOp, Facts, IntCode, Order};
use crate::key::formats::{Encoding, Transform};
use crate::key::values::ByteShape;
use crate::record::ValueType;

/// Code of one of the types.
#[derive(Debug, Clone)]
pub enum Typed {
    Int(IntCode),
    /// The bits of a double.
    Double(IntCode),
    Bytes(Bytes),
}

/// Text or bytes, and what they can be.
#[derive(Debug, Clone)]
pub struct Bytes {
    pub is_text: bool,
    pub code: BytesCode,
    pub shape: ByteShape,
}

impl Typed {
    /// An integer constant.
    pub fn constant(value: i64) -> Self {
        Self::Int(IntCode::constant(value))
    }

    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Int(_) => ValueType::Int,
            Self::Double(_) => ValueType::Double,
            Self::Bytes(bytes) => bytes.value_type(),
        }
    }

    pub fn facts(&self) -> &Facts {
        match self {
            Self::Int(code) | Self::Double(code) => &code.facts,
            Self::Bytes(bytes) => &bytes.code.facts,
        }
    }

    pub fn facts_mut(&mut self) -> &mut Facts {
        match self {
            Self::Int(code) | Self::Double(code) => &mut code.facts,
            Self::Bytes(bytes) => &mut bytes.code.facts,
        }
    }

    /// Text or bytes, as they are or as the decimal text of an integer; a double has no bytes of its own.
    pub fn into_bytes(self) -> Option<Bytes> {
        match self {
            Self::Int(code) => Some(Bytes::decimal(code)),
            Self::Double(_) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }
}

impl Bytes {
    /// Constant text or bytes.
    pub fn literal(is_text: bool, bytes: &[u8]) -> Self {
        Self {
            is_text,
            code: BytesCode::literal(bytes),
            shape: ByteShape::literal(bytes),
        }
    }

    /// The decimal text of an integer.
    pub fn decimal(code: IntCode) -> Self {
        if let Some(value) = constant(&code) {
            return Self::literal(true, value.to_string().as_bytes());
        }
        let shape = ByteShape::decimal(code.range);
        Self::encoded(Encoding::Decimal, code, true, shape)
    }

    /// The bytes of an integer; they keep its order where the encoding does.
    pub fn encoded(encoding: Encoding, value: IntCode, is_text: bool, shape: ByteShape) -> Self {
        let order = value.facts.order.kept(encoding.keeps_order(value.range));
        Self::made(BytesOp::Encode(encoding), vec![value], is_text, shape).ordered(order)
    }

    /// Bytes made of integers, or of nothing.
    pub fn made(op: BytesOp, ints: Vec<IntCode>, is_text: bool, shape: ByteShape) -> Self {
        Self {
            is_text,
            code: BytesCode::new(op, ints, &shape),
            shape,
        }
    }

    /// Other bytes made of these; their order is lost.
    pub fn changed(self, op: BytesOp, is_text: bool, shape: ByteShape) -> Self {
        Self {
            is_text,
            code: BytesCode::of_bytes(op, vec![self.code], &shape),
            shape,
        }
    }

    /// Transformed in a way that keeps their order.
    pub fn mapped(self, transform: Transform, is_text: bool, shape: ByteShape) -> Self {
        let order = self.code.facts.order;
        self.changed(BytesOp::Map(transform), is_text, shape)
            .ordered(order)
    }

    /// With this order.
    pub fn ordered(mut self, order: Order) -> Self {
        self.code.facts.order = order;
        self
    }

    /// One after another.
    pub fn joined(mut parts: Vec<Self>) -> Option<Self> {
        if parts.len() == 1 {
            return parts.pop();
        }
        let leads = parts.iter().find(|part| part.shape.single().is_none());
        let order = leads.or(parts.last())?.code.facts.order;
        let is_text = parts.iter().all(|part| part.is_text);
        let shapes = parts.iter().map(|part| &part.shape);
        let shape = shapes.fold(ByteShape::literal(b""), |all, next| all.then(next));
        let codes = parts.into_iter().map(|part| part.code).collect();
        let code = BytesCode::of_bytes(BytesOp::Concat, codes, &shape);
        let joined = Self {
            is_text,
            code,
            shape,
        };
        Some(joined.ordered(order))
    }

    pub fn value_type(&self) -> ValueType {
        match self.is_text {
            true => ValueType::Text,
            false => ValueType::Bytes,
        }
    }
}

/// The value of an integer that was written as a constant.
pub fn constant(code: &IntCode) -> Option<i64> {
    match code.op {
        crate::key::code::IntOp::Const(value) => Some(value),
        _ => None,
    }
}

/// What messages call a type.
pub fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Int => "int",
        ValueType::Text => "text",
        ValueType::Bytes => "bytes",
        ValueType::Double => "double",
    }
}
