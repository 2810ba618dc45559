//! A scenario from what was learnt of a file: the values of a template. Must not read files.

use super::fields::{LearntField, Role, between, fields_of, seconds};
use super::keys::key_parts;
use super::survey::Survey;
use super::template::{Values, filled};
use super::time_order::TimeOrder;
use crate::text::{all, exact, grouped, percent, significant, times, visible};
use crate::units::PerSecond;
use serde_json::json;

/// The scenario with places for what was learnt.
const TEMPLATE: &str = include_str!("scenario.toml");

/// Operations of a run, and the least rate of them, a second: shares are then told from chance, and a run takes a second or so.
const OPERATIONS: f64 = 50_000.0;
const LEAST_RATE: f64 = 1_000.0;

/// Shortest and longest run, in seconds.
const LENGTHS: (f64, f64) = (2.0, 20.0);

/// What was learnt of a file.
#[derive(Debug)]
pub struct Learnt {
    /// Its columns.
    pub fields: Vec<LearntField>,
    survey: Survey,
}

impl Learnt {
    /// From all of a file's columns.
    pub fn of(survey: Survey) -> Self {
        let fields = fields_of(&survey);
        Self { fields, survey }
    }

    /// The times of the rows, if it has any.
    pub fn times(&self) -> Option<&TimeOrder> {
        let mut all = self.fields.iter().zip(&self.survey.columns);
        let time = all.find(|(field, _)| field.role == Role::Time);
        time.map(|(_, column)| &column.times)
    }

    /// The scenario, as TOML; `file` is what it calls the source.
    pub fn scenario(&self, file: &str) -> String {
        let (rows, file) = (self.survey.rows, visible(file));
        let rate = self.times().and_then(TimeOrder::rate);
        let found = rate.map_or(LEAST_RATE, |it| it.value);
        let of_run = found.max(LEAST_RATE);
        let length = (OPERATIONS / of_run).clamp(LENGTHS.0, LENGTHS.1);
        let bytes: u64 = self.survey.columns.iter().map(|it| it.bytes).sum();
        let row = bytes.div_ceil(rows.max(1)).max(1);
        let question =
            format!("Which row key spreads the rows of {file}, and what do reads pay for it?");
        let fields: Vec<String> = self.fields.iter().map(LearntField::toml).collect();
        let mut values = key_parts(&self.fields, &self.survey);
        values.extend([
            ("file", file.to_string()),
            ("rows", grouped(rows.into())),
            ("question", json!(question).to_string()),
            ("duration", seconds(length)),
            ("warmup", seconds(0.1 * length)),
            ("sample", seconds(0.045 * length)),
            ("fields", fields.join("\n")),
            ("rate", format!("\"{}\"", rounded(of_run))),
            ("records", rows.to_string()),
            ("value", format!("\"{row}B\"")),
        ]);
        let invented = self.fields.iter().filter(|it| it.is_invented);
        let invented = all(invented.map(|it| &it.name));
        if !invented.is_empty() {
            values.insert("invented", invented);
        }
        match (self.times(), rate) {
            (Some(order), Some(rate)) => {
                values.insert("rate_found", between(&rate, exact));
                if of_run > found {
                    values.insert("faster", times(of_run / found));
                    values.insert("own_rate", rounded(found).to_string());
                }
                values.extend(of_times(order));
            }
            (Some(_), None) => {
                values.insert("no_rate", String::new());
            }
            (None, _) => {
                values.insert("no_time", String::new());
            }
        }
        filled(TEMPLATE, &values)
    }
}

fn of_times(order: &TimeOrder) -> Values {
    let mut values = Values::from([("span", seconds(order.span()))]);
    let start = jiff::Timestamp::from_second(order.last.div_euclid(1_000_000_000));
    values.extend(start.ok().map(|it| ("start", it.to_string())));
    if !order.is_in_order() {
        values.insert("unordered", String::new());
    } else if order.lateness().is_none() {
        values.insert("never_late", String::new());
    }
    if let Some(hours) = order.by_hour() {
        let shown = hours.map(|it| significant(it.value)).join(" ");
        let widest = hours.iter().map(|it| it.high / it.value - 1.0);
        let widest = percent(widest.fold(0.0, f64::max));
        values.insert("hours", format!("{shown}, each within {widest}"));
    }
    values
}

/// With three digits, as a rate is written.
fn rounded(rate: f64) -> PerSecond {
    let digits = 2 - libm::floor(libm::log10(rate.max(1e-9))) as i32;
    let scale = libm::pow(10.0, f64::from(digits));
    PerSecond((rate * scale).round() / scale)
}
