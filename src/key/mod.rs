//! The key language: an SQL-like expression becomes a typed, then a compiled [`KeyPlan`] that writes row
//! keys into a reused buffer. A compiled plan cannot fail.
//!
//! Must not know regions, clusters or workloads' timing; it sees records, schemas and operation numbers only.
//!
//! # From text to bytes
//! `lexer` and `parser` make a tree of the text (`syntax`). `checker`, with `operators` and `functions`, gives every
//! sub-expression a type, code, and facts: the range of an integer (`interval`), the possible bytes of a text (`shape`),
//! fields, order, number of values (`typed`). Whatever could fail while writing is an error there. `execute` and
//! `transform` run the code, `batch` many rows at once with MD5s in lanes. `segment`, `reach`, `describe` and `lints`
//! answer questions about a plan.

mod batch;
mod byte_set;
mod bytes;
mod calendar;
mod checker;
mod code;
mod columns;
mod complaints;
mod derivation;
mod describe;
mod digits;
mod evaluate;
mod execute;
mod expansion;
mod functions;
mod grain;
mod hashing;
mod interval;
mod knowledge;
mod lexer;
mod lints;
mod md5_lanes;
mod md5_sites;
mod names;
mod node;
mod operators;
mod parser;
mod plan;
mod presets;
mod reach;
mod reading;
mod segment;
mod shape;
mod syntax;
mod transform;
mod trend;
mod typed;
#[cfg(test)]
mod week_schema;

pub use byte_set::ByteSet;
pub use derivation::Derivation;
pub use evaluate::{Evaluated, Given, evaluate, parse_given};
pub use expansion::expanded_sizes;
pub use functions::{FUNCTIONS, Function};
pub use grain::{Grain, GrainBuffers};
pub use knowledge::Knowledge;
pub use plan::{Environment, KeyError, KeyNote, KeyPlan, Row, SegmentText};
pub use presets::{Preset, presets};
pub use reading::DrawnSegment;
pub use segment::Segment;
pub use trend::Trend;
pub use typed::Spread;
