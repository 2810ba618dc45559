//! The tree of an expression as written. Must not know types or what names mean.

use std::ops::Range;

/// How deep expressions may nest, derived fields expanded.
pub(super) const MAX_DEPTH: usize = 64;

/// A sub-expression and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Range<usize>,
}

/// What a sub-expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExprKind {
    /// A segment with a syntax error, which has been reported.
    Unreadable,
    /// An integer.
    Int(i64),
    /// An integer above `i64::MAX`: fields and arithmetic have a sign, so only `be8` takes it.
    Unsigned(u64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A bare name.
    Name(String),
    /// `-x`
    Negative(Box<Expr>),
    /// `x + y`, ...
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `a || b || c`, at least two operands.
    Concat(Vec<Expr>),
    /// `name(...)`; `name_span` is the place of the name alone.
    Call {
        name: String,
        name_span: Range<usize>,
        arguments: Vec<Expr>,
    },
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// As written.
    pub(super) fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
            Self::Remainder => '%',
        }
    }
}
