//! A scenario from what was learnt of a file: fields with their laws, a write at its rate, the rows that exist, candidate keys, and what nobody could tell, as
//! questions. Must not read files.

use super::draft::Draft;
use super::fields::{LearntField, Role, between, fields_of, seconds};
use super::keys::KeyParts;
use super::survey::Survey;
use super::time_order::TimeOrder;
use crate::data::ValueKind;
use crate::text::{exact, grouped, significant, visible};
use crate::units::PerSecond;
use serde_json::json;

/// Operations of a run: shares are then known to a few percent, and a run takes a second.
const OPERATIONS: f64 = 50_000.0;

/// Longest run that a scenario may have, in seconds.
const LONGEST: f64 = 31.0 * 86_400.0;

/// Regions of each candidate: four a server of the default cluster.
const REGIONS: u32 = 32;

/// Writes a second where the file has no times.
const ASSUMED_RATE: f64 = 1_000.0;

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
        let mut draft = Draft::default();
        let rows = grouped(self.survey.rows.into());
        let file = visible(file);
        draft.note(&format!(
            "Learnt from {file}: {rows} rows. Numbers in brackets are 95 % intervals."
        ));
        draft.note("What the file could not tell stands at the end, as questions: take the # off what fits.");
        draft.set(
            "question",
            &json!(format!(
                "Which row key spreads the rows of {file}, and what do reads pay for it?"
            ))
            .to_string(),
        );
        draft.set("seed", "1");
        draft.set("replicates", "3");
        self.write_clock(&mut draft);
        draft.table("field");
        for field in &self.fields {
            draft.note(&match field.lines.is_empty() {
                true => format!("{}. No part of keys.", field.note),
                false => field.note.clone(),
            });
            for (name, value) in &field.lines {
                draft.set(name, value);
            }
        }
        self.write_workload(&mut draft);
        let candidates = KeyParts::of(&self.fields).candidates();
        for candidate in &candidates {
            draft.table(&format!("strategy.{}", candidate.name));
            draft.note(candidate.why);
            draft.set("key", &json!(candidate.key).to_string());
        }
        self.ask(&mut draft);
        draft.text()
    }

    fn rate(&self) -> f64 {
        let rate = self.times().and_then(TimeOrder::rate);
        rate.map_or(ASSUMED_RATE, |it| it.value)
    }

    fn write_clock(&self, draft: &mut Draft) {
        let length = (OPERATIONS / self.rate()).clamp(1.0, LONGEST);
        draft.table("time");
        if let Some(times) = self.times() {
            let start = jiff::Timestamp::from_second(times.last.div_euclid(1_000_000_000));
            if let Ok(start) = start {
                draft.note("The run begins where the file ends.");
                draft.set("start", &start.to_string());
            }
        }
        draft.set("duration", &seconds(length));
        draft.set("warmup", &seconds(0.1 * length));
        draft.set("sample", &seconds(0.045 * length));
    }

    fn write_workload(&self, draft: &mut Draft) {
        draft.table("write.rows");
        let times = self.times();
        match times.and_then(TimeOrder::rate) {
            Some(rate) => draft.note(&format!(
                "{} rows a second, the mean over the file.",
                between(&rate, exact)
            )),
            None => draft.note("The file has no times: this rate is a guess."),
        }
        if let Some(hours) = times.and_then(TimeOrder::by_hour) {
            let shown: Vec<String> = hours.iter().map(|it| significant(it.value)).collect();
            draft.note(&format!(
                "By hour of the day, from 00:00 UTC on: {}.",
                shown.join(" ")
            ));
            let busiest = hours
                .iter()
                .enumerate()
                .max_by(|a, b| a.1.value.total_cmp(&b.1.value));
            if let Some((hour, rate)) = busiest {
                let rate = between(rate, exact);
                draft.note(&format!(
                    "The busiest begins at {hour:02}:00: {rate} a second."
                ));
            }
        }
        draft.set("rate", &format!("\"{}\"", rounded(self.rate())));
        draft.table("existing.rows");
        draft.set("records", &self.survey.rows.to_string());
        if let Some(span) = times.map(TimeOrder::span).filter(|it| *it >= 1.0) {
            draft.set("last", &seconds(span));
        }
        draft.table("table");
        let bytes: u64 = self.survey.columns.iter().map(|it| it.bytes).sum();
        let value = (bytes as f64 / self.survey.rows.max(1) as f64)
            .ceil()
            .max(1.0);
        draft.note("All columns as text, which are stored beside the key.");
        draft.set("value", &format!("\"{value}B\""));
        draft.set(
            "presplit",
            &format!("{{ algorithm = \"sampled\", regions = {REGIONS} }}"),
        );
    }

    fn ask(&self, draft: &mut Draft) {
        let of_role = |role: Role| {
            let fields = self.fields.iter().filter(|it| it.role == role);
            let finest = fields.max_by(|a, b| a.distinct.total_cmp(&b.distinct));
            finest.and_then(|it| Some(it.lines.last()?.0.clone()))
        };
        let read = |name: &str, lines: Vec<String>| {
            let head = format!("[read.{name}]");
            let rate = "rate = \"100/s\"".to_owned();
            std::iter::once(head)
                .chain(lines)
                .chain([rate])
                .collect::<Vec<String>>()
        };
        let (time, entity) = (of_role(Role::Time), of_role(Role::Entity));
        if let Some(id) = of_role(Role::Identity) {
            let lines = vec![format!("equal = [\"{id}\"]")];
            draft.ask(
                &format!("Is a row asked for by its `{id}`? How often?"),
                &read("row", lines),
            );
        }
        if let (Some(entity), Some(time)) = (&entity, &time) {
            let lines = vec![
                format!("equal = [\"{entity}\"]"),
                format!("newest = {{ field = \"{time}\", rows = 10 }}"),
            ];
            draft.ask(
                &format!("Are the newest rows of one `{entity}` asked for? How many, how often?"),
                &read("newest", lines),
            );
        }
        if let Some(time) = &time {
            let lines = vec![format!("range = {{ field = \"{time}\", last = \"1h\" }}")];
            draft.ask(
                &format!("Are all rows of a range of `{time}` asked for? How long a range?"),
                &read("range", lines),
            );
        }
        for question in self.fields.iter().filter_map(|it| it.question.as_ref()) {
            draft.ask(question, &[]);
        }
        let peak = rounded(10.0 * self.rate());
        draft.ask("How much will it grow? A hotspot shows once a server is asked for more than it can do.", &[format!("keyheat run THIS --set write.rows.rate={peak}")]);
        let servers = ["[cluster]".to_owned(), "servers = 8".to_owned()];
        draft.ask("How many servers will there be?", &servers);
        if self
            .fields
            .iter()
            .filter(|it| it.role == Role::Entity)
            .count()
            > 1
        {
            draft.ask("Do columns depend on each other? But for those with `of`, they are drawn one by one.", &[]);
        }
        if self
            .survey
            .columns
            .iter()
            .any(|it| it.kind() == ValueKind::Decimal)
        {
            draft.ask(
                "Is a number with a fraction a part of keys? Those columns are left out.",
                &[],
            );
        }
    }
}

/// With three digits, as a rate is written.
fn rounded(rate: f64) -> PerSecond {
    let digits = 2 - libm::floor(libm::log10(rate.max(1e-9))) as i32;
    let scale = libm::pow(10.0, f64::from(digits));
    PerSecond((rate * scale).round() / scale)
}
