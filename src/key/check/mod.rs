//! Gives every sub-expression a type, resolves names, proves that nothing can fail, and makes code; collects all errors and notes. Must
//! not know what a region or a workload is.

mod checker;
mod complaints;
mod functions;

pub(super) use checker::Checker;
pub use checker::Environment;
pub use functions::FUNCTIONS;
pub(super) use functions::joined_dates;
