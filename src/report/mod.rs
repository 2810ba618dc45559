//! Views of results: tables, Markdown, CSV, charts (alone knows plotters). Must not know how results were made.

pub mod chart;
mod csv_files;
mod markdown;
mod metric;
mod neighbour_prices;
pub mod number;
mod read_prices;
#[allow(clippy::module_inception)]
mod report;
mod scorecard;
mod terminal;

#[cfg(test)]
mod report_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod sample_reads;

pub use report::{Format, Report, ReportError, UnknownFormat};
pub use terminal::Style;
