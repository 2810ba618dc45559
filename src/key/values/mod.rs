//! What values can be: sets of bytes, shapes of byte strings, intervals of integers and what operators make of them. Must not know
//! expressions or fields.

mod byte_set;
mod byte_shape;
mod interval;
mod operator;

pub use byte_set::ByteSet;
pub(super) use byte_shape::{ByteShape, POSITIONS};
pub(super) use interval::Interval;
pub(super) use operator::Operator;
