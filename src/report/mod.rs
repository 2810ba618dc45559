//! Views of results: tables, Markdown, CSV, charts (alone knows plotters), the page. Must not know how results were made.

pub mod chart;
mod comparison;
mod csv_files;
mod images;
mod knees;
mod literals;
mod markdown;
mod metric;
mod neighbour_prices;
pub mod number;
mod outcomes;
mod page;
mod paired_ratio;
mod read_prices;
mod recommendation_report;
#[allow(clippy::module_inception)]
mod report;
mod scorecard;
mod sweep_views;
mod terminal;

#[cfg(test)]
mod report_tests;
#[cfg(test)]
mod sample_fixture;
#[cfg(test)]
mod sample_reads_fixture;

pub use chart::{HeatColours, Theme, UnknownHeatColours, UnknownTheme};
pub use comparison::ComparisonReport;
pub use images::Images;
pub use recommendation_report::RecommendationReport;
pub use report::{Format, Report, ReportError, UnknownFormat};
pub use terminal::Style;
