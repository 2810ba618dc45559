//! A scenario from what was learnt of a file: the values of a template. Must not read files.

use super::fields::{LearntField, Role, between, fields_of, in_comment, quoted, seconds};
use super::keys::key_parts;
use super::run_length::RunLength;
use super::survey::Survey;
use super::template::{Values, filled};
use super::time_order::TimeOrder;
use crate::text::{all, exact, grouped, percent, significant, times};
use crate::units::PerSecond;
use serde_json::json;

/// The scenario with places for what was learnt.
const TEMPLATE: &str = include_str!("scenario.toml");

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
        let (rows, file) = (self.survey.rows, in_comment(file));
        let rate = self.times().and_then(TimeOrder::rate);
        let run = RunLength::of(rate);
        let bytes: u64 = self.survey.columns.iter().map(|it| it.bytes).sum();
        let row = bytes.div_ceil(rows.max(1)).max(1);
        let question =
            format!("Which row key spreads the rows of {file}, and what do reads pay for it?");
        let fields: Vec<String> = self.fields.iter().map(LearntField::toml).collect();
        let mut values = key_parts(&self.fields, &self.survey);
        values.extend([
            ("file", file),
            ("rows", grouped(rows.into())),
            ("question", quoted(&json!(question))),
            ("duration", seconds(run.seconds())),
            ("warmup", seconds(2.0 * run.sample)),
            ("sample", seconds(run.sample)),
            ("fields", fields.join("\n")),
            ("rate", format!("\"{}\"", rounded(run.rate))),
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
                if run.rate > run.found {
                    values.insert("faster", times(run.rate / run.found));
                    values.insert("own_rate", rounded(run.found).to_string());
                }
                values.extend(of_times(order, &run));
            }
            (Some(_), None) => {
                values.insert("no_rate", String::new());
                values.insert("range", "\"1h\"".to_owned());
            }
            (None, _) => {
                values.insert("no_time", String::new());
            }
        }
        filled(TEMPLATE, &values)
    }
}

fn of_times(order: &TimeOrder, run: &RunLength) -> Values {
    // A range that a run can be asked for lies well within what there is.
    let range = (order.span() / 10.0).min(3_600.0);
    let mut values = Values::from([("span", seconds(order.span())), ("range", seconds(range))]);
    let start = jiff::Timestamp::from_second(order.last.div_euclid(1_000_000_000));
    values.extend(start.ok().map(|it| ("start", it.to_string())));
    if !order.is_in_order() {
        values.insert("unordered", String::new());
    } else if order.lateness().is_none() {
        values.insert("never_late", String::new());
    }
    if let Some(burst) = order.bursts.found() {
        values.extend([
            ("burst", burst.length.to_owned()),
            ("burst_rate", significant(burst.rate)),
            ("burst_times", times(burst.times)),
            ("burst_factor", significant(burst.times)),
            ("half", seconds(run.seconds() / 2.0)),
        ]);
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
