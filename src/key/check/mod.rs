//! Gives every sub-expression a type, resolves names, proves that nothing can fail, and makes code; collects all errors and notes. Must
//! not know what a region or a workload is.

mod checker;
mod complaints;
mod functions;
mod names;
mod operators;
mod typed;

pub use checker::Environment;
pub(super) use checker::{Checker, Part, Written};
pub use functions::{FUNCTIONS, Function};
pub(super) use typed::{Bytes, Typed};
