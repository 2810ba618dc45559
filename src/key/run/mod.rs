//! Runs compiled code, one row or many rows at a time: each operation has its meaning once, for as many rows as there are. Must not check
//! anything: the compiler has.

mod bytes;
mod ints;
mod rows;

pub use rows::Row;
pub(super) use rows::{ROWS, Rows};
