//! Compiled sub-expressions and what is known of their values. Must not hold anything that could fail, nor know how it was written.

mod facts;
mod knowledge;
mod rules;
mod tree;

pub(super) use facts::{Drawn, Facts, Order};
pub use facts::{Randomness, Trend};
pub use knowledge::Knowledge;
pub(super) use tree::{BytesCode, BytesOp, Identifier, IntCode, IntOp, Node};
