//! The key language: an SQL-like expression becomes a typed, then a compiled [`KeyPlan`] that writes row
//! keys into a reused buffer. A compiled plan cannot fail.
//!
//! Must not know regions, clusters or workloads' timing; it sees records, schemas and operation numbers only.
//!
//! # From text to bytes
//! `lang` makes a tree of the text. `check` gives every sub-expression a type, code, and facts: the range of an integer and the possible
//! bytes of a text, and what follows from its operands (`code`): fields, order, number of values. Whatever could fail while
//! writing is an error there. `run` runs the code, one row or many at a time, by the meanings that `formats` gives to bytes. Around the
//! [`KeyPlan`] stand the questions that others ask about it.

mod batch;
mod check;
mod code;
mod coincidence;
mod describe;
mod digit;
mod evaluate;
mod field_steps;
mod finite_values;
mod fixed_widths;
mod formats;
mod knowledge;
mod known_beginnings;
mod known_segments;
mod lang;
mod operator;
mod plan;
mod presets;
mod run;
mod segment;
mod text_code;
mod time_parts;
mod twins;
mod value_groups;
#[cfg(test)]
mod week_fixture;

pub use check::{Environment, FUNCTIONS};
pub use code::Randomness;
pub use coincidence::Coincidences;

pub use describe::SegmentText;
pub use digit::{Digit, combinations};
pub use evaluate::{evaluate, parse_given};
pub use field_steps::{FieldSteps, StepCache};
pub use fixed_widths::{FixedSegment, fixed_segments};
pub use knowledge::Knowledge;
pub use known_segments::{FieldClasses, Following, JointSteps, SegmentValue};
pub use lang::{KeyError, expanded_sizes};
pub use plan::{KeyPlan, Pace, Role, is_turn};
pub use presets::{Preset, presets};
pub use run::Row;
pub use segment::Segment;
pub use time_parts::TimeParts;
