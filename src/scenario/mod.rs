//! Scenario files: TOML in, either *all* diagnostics at once or a [`Scenario`] that cannot be wrong.
//!
//! Must not simulate; the engine must not know this room.
//!
//! 1. `source` reads the file, guarded; `document` parses it into a tree that keeps every place.
//! 2. `settings` lays `[quick]` and `--set` over the tree, and later each strategy's `override`.
//! 3. `sweeps` lays each point's values over it; `points` reads them all and says which point a mistake belongs to.
//! 4. `reader` ticks off what is read: what nobody asked for is an unknown key. One file reads each table.
//! 5. `render` prints the complaints, `show` the document with the defaults that were used.

#[cfg(test)]
mod asked_fixture;
mod bounds;
mod cells;
mod clock;
mod cluster;
mod data;
mod diagnostic;
mod diagnostics;
mod document;
mod draft;
mod expectations;
mod expressions;
mod fields;
mod file_fields;
mod generators;
mod knee;
mod lints;
mod load;
mod metric_names;
mod model;
mod names;
mod pace;
mod points;
mod prelude;
mod presplits;
mod reader;
mod reads;
mod regions;
mod render;
mod schema;
#[cfg(test)]
mod schema_tests;
mod settings;
mod show;
mod source;
mod strategies;
mod string_map;
mod sweeps;
mod values;
mod writes;

pub use cluster::misfit;
pub use diagnostic::{Diagnostic, Severity};
pub use fields::MOST_FIELDS;
pub use load::LoadError;
pub use model::{
    Bound, Changes, Copy, Expectation, Expected, ExpectedKey, ExpectedValue, Knee, Limit,
    LimitBound, Options, Presplit, Scenario, Setup, Strategy, SweepValue, SweptSetting, TimeSpec,
    VariedLoad, value_text,
};
pub use names::{is_file_stem, is_name};
pub use render::{count, place, render};
pub use schema::json_schema;
