//! Each column as a field of a scenario: its type and law as TOML, what it is to a row key, and what was found in words. Must not know keys.

use super::column::Column;
use super::survey::Survey;
use super::zipf_fit::ZipfFit;
use crate::data::ValueKind;
use crate::statistics::Interval;
use crate::text::{exact, grouped, length, percent, visible};
use crate::time::SimDuration;
use serde_json::json;

/// Values of a column that are listed with their shares; of more, a law is fitted.
const MOST_LISTED: usize = 16;

/// Heaviest values that are named.
const NAMED: usize = 3;

/// What a field is to a row key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// When the row was written, or happened.
    Time,
    /// One value a row.
    Identity,
    /// What many rows have in common.
    Entity,
    /// No part of a key.
    Other,
}

/// A column as a scenario has it.
#[derive(Debug)]
pub struct LearntField {
    /// The column, and what was found of it.
    pub note: String,
    /// Names of fields, and their values as TOML; the last one is that of the column.
    pub lines: Vec<(String, String)>,
    /// What it is to a row key.
    pub role: Role,
    /// In a key: an expression, and whether all its values have one length.
    pub part: (String, bool),
    /// Different values.
    pub distinct: f64,
    /// What can't be told of it, as a question.
    pub question: Option<String>,
    /// The law that was fitted.
    pub fit: Option<ZipfFit>,
}

/// All columns as fields. The time of the rows is the first column of times that follows their order, or else the first one.
pub fn fields_of(survey: &Survey) -> Vec<LearntField> {
    let columns = &survey.columns;
    let is_time = |column: &&Column| column.kind() == ValueKind::Time && column.rows() > 0;
    let ordered = columns
        .iter()
        .find(|it| is_time(it) && it.times.is_in_order());
    let time = ordered.or(columns.iter().find(is_time)).map(|it| &it.name);
    let mut fields: Vec<LearntField> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        let name = identifier(&column.name, &names);
        names.push(name.clone());
        fields.push(field_of(column, name, time == Some(&column.name)));
    }
    for &(of, column) in &survey.dependent {
        let Some((parent, _)) = fields[of].lines.first().cloned() else {
            continue;
        };
        let field = &mut fields[column];
        if let Some((_, line)) = field.lines.first_mut() {
            let settings = line.strip_suffix(" }").unwrap_or(line);
            *line = format!("{settings}, of = \"{parent}\" }}");
            field.note += &format!("; it follows from `{parent}`");
            field.role = Role::Other;
        }
    }
    fields
}

fn field_of(column: &Column, name: String, is_row_time: bool) -> LearntField {
    let distinct = column.frequencies.distinct();
    let mut field = LearntField {
        note: format!("{}: {}", visible(&column.name), seen(column, &distinct)),
        lines: Vec::new(),
        role: Role::Other,
        part: (name.clone(), true),
        distinct: distinct.value,
        question: None,
        fit: None,
    };
    let (least, greatest) = column.integers;
    match column.kind() {
        _ if column.rows() == 0 => {}
        ValueKind::Time if is_row_time => field.become_time(column, &name),
        ValueKind::Time => {
            field.question = Some(format!(
                "Is `{name}` a part of keys? It is a second time, and left out."
            ));
        }
        ValueKind::Decimal => {
            field.note += &format!("; {} to {}", column.numbers.0, column.numbers.1)
        }
        ValueKind::Int if column.is_rising() && column.is_unique() => {
            field.note += &format!("; rises with the rows, {least} to {greatest}");
            field.become_type(
                Role::Identity,
                &name,
                &format!("\"sequence\", first = {least}"),
            );
            field.part.0 = format!("be8({name})");
        }
        ValueKind::Int => {
            field.note += &format!("; {least} to {greatest}");
            let range = greatest.abs_diff(least) as f64 + 1.0;
            let first = if least == 0 {
                String::new()
            } else {
                format!(", first = {least}")
            };
            let law = field.law_of(column, range);
            field.become_type(role(column), &name, &format!("\"int\"{first}{law}"));
            let fits = least >= 0 && greatest < 1 << 32;
            field.part.0 = format!("{}({name})", if fits { "be4" } else { "be8" });
        }
        ValueKind::Uuid => {
            let law = if column.is_unique() {
                String::new()
            } else {
                field.law_of(column, f64::INFINITY)
            };
            field.note += &uuid_note(column);
            field.become_type(role(column), &name, &format!("\"uuid\"{law}"));
        }
        ValueKind::Text | ValueKind::Bool => field.become_text(column, &name),
    }
    field
}

/// What the column holds, whatever its type.
fn seen(column: &Column, distinct: &Interval) -> String {
    let mut parts = Vec::new();
    if column.missing > 0 {
        let part = column.missing as f64 / (column.missing + column.rows()) as f64;
        parts.push(format!("missing in {} of the rows", percent(part)));
    }
    let values = between(distinct, whole);
    parts.push(match column.is_unique() {
        true => "a value of its own in every row".to_owned(),
        false if distinct.value == 1.0 => "one value".to_owned(),
        false => format!("{values} values seen"),
    });
    if !column.is_unique() && !matches!(column.kind(), ValueKind::Decimal | ValueKind::Time) {
        let rows = column.rows() as f64;
        let heaviest = column.frequencies.heaviest(NAMED);
        let share = |(text, times): &(&str, u64)| {
            format!("{} {}", visible(text), percent(*times as f64 / rows))
        };
        let shares: Vec<String> = heaviest.iter().map(share).collect();
        parts.push(format!("most often {}", shares.join(", ")));
    }
    parts.join("; ")
}

impl LearntField {
    /// `declared` is its type, without the quotes' end, and the settings behind it.
    fn become_type(&mut self, role: Role, name: &str, declared: &str) {
        self.role = role;
        self.lines
            .push((name.to_owned(), format!("{{ type = {declared} }}")));
    }

    fn become_time(&mut self, column: &Column, name: &str) {
        let times = &column.times;
        let unit = match times.unit() {
            1_000_000_000 => "s",
            1_000_000 => "ms",
            1_000 => "us",
            _ => "ns",
        };
        let mut late = String::new();
        if let Some(lateness) = times.lateness() {
            let fraction = between(&lateness.fraction, exact);
            let up_to = lateness.up_to.max(0.001);
            self.note += &format!("; late: {fraction} of the rows, by up to {}", length(up_to));
            if !lateness.is_even {
                let greatest = length(times.greatest_lag as f64 / 1e9);
                self.note += &format!(" if evenly (twice the mean; the latest row by {greatest})");
            }
            let fraction = exact(lateness.fraction.value);
            let up_to = seconds(up_to);
            late = format!(", late = {{ fraction = {fraction}, up_to = {up_to} }}");
        } else {
            self.question = Some(match times.is_in_order() {
                true => format!(
                    "Do rows come late? `{name}` never goes back here, as in a file that was sorted: `late = {{ fraction = 0.02, up_to = \"2h\" }}`"
                ),
                false => format!(
                    "Do rows come late? The file is not in the order of `{name}`, which could tell."
                ),
            });
        }
        self.become_type(
            Role::Time,
            name,
            &format!("\"timestamp\", unit = \"{unit}\"{late}"),
        );
        self.part.0 = format!("be8({name})");
    }

    fn become_text(&mut self, column: &Column, name: &str) {
        let texts = column.frequencies.heaviest(usize::MAX);
        let (shortest, longest) = column.lengths;
        self.part.1 = shortest == longest;
        let is_known =
            texts.len() as f64 == self.distinct && texts.iter().all(|it| it.0.len() < 64);
        if texts.len() <= MOST_LISTED && is_known {
            let (values, weights): (Vec<&str>, Vec<u64>) = texts.into_iter().unzip();
            let law = match weights.len() {
                1 => String::new(),
                _ => format!(
                    ", distribution = {{ weights = {}, ranked = true }}",
                    json!(weights)
                ),
            };
            self.become_type(
                role(column),
                name,
                &format!("\"text\", values = {}{law}", json!(values)),
            );
            return;
        }
        let texts: Vec<&str> = texts.into_iter().map(|it| it.0).collect();
        if let Some((prefix, width)) = numbered(&texts).filter(|_| self.part.1) {
            let law = self.law_of(column, libm::pow(10.0, width as f64));
            let digits = if prefix.is_empty() {
                name.to_owned()
            } else {
                format!("{name}_number")
            };
            self.become_type(
                role(column),
                &digits,
                &format!("\"digits\", width = {width}{law}"),
            );
            if !prefix.is_empty() {
                let expression = json!(format!("'{prefix}' || {digits}"));
                self.lines
                    .push((name.to_owned(), format!("{{ expr = {expression} }}")));
            }
            return;
        }
        let mut letters: Vec<char> = texts
            .iter()
            .flat_map(|it| it.chars())
            .filter(char::is_ascii_graphic)
            .collect();
        letters.sort_unstable();
        letters.dedup();
        let mean = (column.bytes as f64 / column.rows() as f64)
            .round()
            .clamp(1.0, 1_024.0);
        let law = self.law_of(column, libm::pow(letters.len() as f64, mean));
        let alphabet: String = letters.into_iter().collect();
        self.part.1 = true;
        if shortest != longest {
            self.note += &format!("; {shortest} to {longest} bytes, here all of {mean}");
        }
        let declared = format!(
            "\"text\", length = {mean}, alphabet = {}{law}",
            json!(alphabet)
        );
        self.become_type(role(column), name, &declared);
    }

    /// The settings that say how many of at most so many values there are, and how often each comes.
    fn law_of(&mut self, column: &Column, most: f64) -> String {
        let count = |values: f64| {
            grouped(values.clamp(1.0, most.min(1e15)).round() as i128).replace(',', "_")
        };
        if column.is_unique() {
            return format!(", count = {}", count(most.min(1e12)));
        }
        let Some(fit) = ZipfFit::of(&column.frequencies.tallies()) else {
            self.note += "; too few of them come again to fit a law";
            return format!(", count = {}", count(self.distinct));
        };
        self.note += &match &fit.exponent {
            Some(exponent) => format!("; Zipf exponent {}", between(exponent, exact)),
            None => "; all alike".to_owned(),
        };
        if fit.values.value > 1.001 * self.distinct {
            self.note += &format!(", of {} values in all", between(&fit.values, whole));
        }
        let mut law = Vec::new();
        law.extend(fit.exponent.map(|it| format!("zipf = {}", exact(it.value))));
        if !fit.top.is_empty() {
            let shares: Vec<String> = fit.top.iter().map(|it| exact(*it)).collect();
            self.note += ", behind the first, which have shares of their own";
            law.push(format!("top = [{}]", shares.join(", ")));
        }
        let count = count(fit.values.value);
        self.fit = Some(fit);
        match law.is_empty() {
            true => format!(", count = {count}"),
            false => format!(", count = {count}, distribution = {{ {} }}", law.join(", ")),
        }
    }
}

fn role(column: &Column) -> Role {
    match column.is_unique() {
        true => Role::Identity,
        false if column.frequencies.distinct().value > 1.0 => Role::Entity,
        false => Role::Other,
    }
}

/// Of which version the ids are, where it says something of their order.
fn uuid_note(column: &Column) -> String {
    let first = column.frequencies.heaviest(1);
    let version = first.first().and_then(|(text, _)| text.chars().nth(14));
    match version {
        Some('1') => "; version 1: the clock's fastest digits lead and wrap every 429 s, here they are random".to_owned(),
        Some('6' | '7') => "; time leads its bytes: write `expr = \"uuid7(TIME)\"` with the field of the time".to_owned(),
        _ => String::new(),
    }
}

/// The text that all begin with, and the width of the decimal number behind it.
fn numbered(texts: &[&str]) -> Option<(String, usize)> {
    let first = texts.first()?;
    let prefix = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = first.len() - prefix.len();
    let is_numbered = |text: &&str| {
        let number = text.strip_prefix(prefix);
        number.is_some_and(|it| it.len() == width && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_plain = prefix.chars().all(|c| c.is_ascii_graphic() && c != '\'');
    ((1..=18).contains(&width) && is_plain && texts.iter().all(is_numbered))
        .then(|| (prefix.to_owned(), width))
}

/// A name of a field like the column's that no other has.
fn identifier(column: &str, taken: &[String]) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let mut name: String = column.chars().map(letter).take(48).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "field_");
    }
    let mut names = std::iter::once(name.clone()).chain((2..).map(|at| format!("{name}_{at}")));
    names
        .find(|it| !taken.contains(it))
        .expect("numbers don't end")
}

/// A length of time as TOML, of three digits, and no finer than a millisecond.
pub fn seconds(seconds: f64) -> String {
    let digits = libm::floor(libm::log10(seconds)) as i32 - 2;
    let grain = libm::pow(10.0, f64::from(digits)).max(0.001);
    let millis = (seconds / grain).round() * grain * 1e3;
    format!("\"{}\"", SimDuration::from_millis(millis.round() as u64))
}

/// `1.05 [1.04, 1.06]`; without the interval where it is exact.
pub fn between(found: &Interval, shown: impl Fn(f64) -> String) -> String {
    let [value, low, high] = [found.value, found.low, found.high].map(|it| match it.is_finite() {
        true => shown(it),
        false => "endless".to_owned(),
    });
    match found.low < found.high {
        true => format!("{value} [{low}, {high}]"),
        false => value,
    }
}

fn whole(value: f64) -> String {
    grouped(value.round() as i128)
}
