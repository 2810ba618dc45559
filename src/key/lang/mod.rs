//! From the text of an expression to its tree. Must not know types, nor what a name means.

mod error;
mod expansion;
mod lexer;
mod parser;
mod syntax;

pub(super) use error::{Help, NO_HELP};
pub use error::{KeyError, KeyNote};
pub use expansion::expanded_sizes;
pub(super) use parser::parse;
pub(super) use syntax::{Expr, ExprKind, MAX_DEPTH};
