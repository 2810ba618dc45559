//! Views of results: tables, Markdown, CSV, charts (alone knows plotters), the page. Must not know how results were made.

mod calibration_report;
pub mod chart;
mod comparison;
mod csv_files;
mod decision;
mod document;
mod events;
mod json_text;
mod key_survey_report;
mod literals;
mod load_report;
mod markdown;
mod metric;
pub mod number;
mod page;
mod recommendation_report;
mod results_report;
mod summary;
mod sweep_views;
mod tables;
mod terminal;

#[cfg(test)]
mod report_tests;
#[cfg(test)]
mod sample_fixture;
#[cfg(test)]
mod sample_reads_fixture;

pub use calibration_report::calibration_document;
pub use chart::{HeatColours, Theme};
pub use comparison::comparison_text;
pub use document::{Block, Column, Document, Table, aligned};
pub use json_text::json_text;
pub use key_survey_report::KeySurveyReport;
pub use load_report::LoadReport;
pub use recommendation_report::{create_commands, recommendation_document};
pub use results_report::{Format, ImageKind, Report};
pub use terminal::Style;
