//! The tree of an expression as written.

use crate::key::values::Operator;
use std::ops::Range;

/// How deep expressions may nest, derived fields expanded.
pub const MAX_DEPTH: usize = 64;

/// A sub-expression and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Range<usize>,
}

/// What a sub-expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// A segment with a syntax error, which has been reported.
    Unreadable,
    Int(i64),
    /// An integer above `i64::MAX`: fields and arithmetic have a sign, so only `be8` takes it.
    Unsigned(u64),
    Text(String),
    Bytes(Vec<u8>),
    /// A bare name.
    Name(String),
    /// `-x`
    Negative(Box<Expr>),
    /// `x + y`, ...
    Binary(Operator, Box<[Expr; 2]>),
    /// `a || b || c`, at least two operands.
    Concat(Vec<Expr>),
    /// `name(...)`; `name_span` is the place of the name alone.
    Call {
        name: String,
        name_span: Range<usize>,
        arguments: Vec<Expr>,
    },
}

impl Expr {
    /// The expressions that it is made of.
    pub fn operands(&self) -> &[Self] {
        match &self.kind {
            ExprKind::Negative(operand) => std::slice::from_ref(operand),
            ExprKind::Binary(_, sides) => &sides[..],
            ExprKind::Concat(operands) => operands,
            ExprKind::Call { arguments, .. } => arguments,
            _ => &[],
        }
    }
}
