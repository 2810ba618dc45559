//! Each column as a field of a scenario: its type and law as TOML, what it is to a row key, and what was found in words. Must not know keys.

use super::column::{Column, step};
use super::frequencies::LONGEST_TEXT;
use super::from_time::Made;
use super::led_by_time::Lead;
use super::run_length::RunLength;
use super::survey::Survey;
use super::time_order::TimeOrder;
use super::zipf_fit::ZipfFit;
use crate::data::ValueKind;
use crate::statistics::Interval;
use crate::text::{compact, counted, exact, grouped, length, percent, visible};
use crate::time::SimDuration;
use serde_json::json;
use std::collections::BTreeSet;

/// Values of a column that are listed with their shares; of more, a law is fitted.
const MOST_LISTED: usize = 16;

/// Heaviest values that are named.
const NAMED: usize = 3;

/// Values of columns whose values never come again.
const ENDLESS: f64 = 1e12;

/// What is put behind a field's name to name what it is made of.
const PARTS: [&str; 3] = ["_made_at", "_number", "_rest"];

/// Steps of 100 ns from 1582-10-15 to 1970, as UUIDs count them.
const TICKS_BEFORE_1970: i64 = 122_192_928_000_000_000;

/// Whole numbers of fields lie within this, and below it.
const FAR: i64 = 1 << 62;

/// What a field is to a row key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// When the row was written, or happened.
    Time,
    /// One value a row.
    Identity,
    /// What many rows have in common.
    Entity,
    /// Values that come one after another: no key should lead with them.
    Successive,
    /// What counts within each value of another column: it stands behind that one.
    Counter,
    /// No part of a key.
    Other,
}

/// A column as a scenario has it.
#[derive(Debug)]
pub struct LearntField {
    /// Of the field.
    pub name: String,
    /// The column, and what was found of it.
    note: String,
    /// What it is as TOML, and the name that this is of: its own, or those of what it is made of. None for what is no part of keys.
    declared: Vec<(String, String)>,
    /// The expression that makes it of that number, or of others.
    made: Option<String>,
    /// What it is to a row key.
    pub role: Role,
    /// In a key: an expression, and whether all its values have one length.
    pub part: (String, bool),
    /// Whether it counts up.
    pub is_counter: bool,
    /// The column within each of whose values it counts.
    pub counts_within: Option<usize>,
    /// Whether they are JSON objects, whose parts have no names.
    pub is_object: bool,
    /// Whether they are texts that are made up.
    pub is_invented: bool,
    /// Different values that were seen.
    pub distinct: f64,
    /// The law that was fitted.
    pub fit: Option<ZipfFit>,
    /// Behind the name of what it is made of, so that no column is called so.
    tail: String,
    /// Numbers that a sequence counts in a run at most.
    counted: f64,
    /// The time that leads an identity.
    lead: Option<Lead>,
    /// Of times, what they are drafted in: nanoseconds.
    unit: i64,
}

/// All columns as fields.
pub fn fields_of(survey: &Survey) -> Vec<LearntField> {
    let (columns, time) = (&survey.columns, survey.row_time());
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        names.push(identifier(&column.name, &names));
    }
    let run = RunLength::of(time.and_then(|at| columns[at].times.rate()));
    let counted = survey.rows as f64 + run.most_rows();
    let field = |at: usize| {
        let column = &columns[at];
        let mut field = LearntField::new(column, at, &names, counted);
        field.lead = lead(column, time.map(|at| &columns[at].times));
        field.unit = run.unit(column.times.unit());
        let made = time.and_then(|of| {
            let unit = run.unit(columns[of].times.unit());
            survey.made_of_time((&names[of], unit), of, at)
        });
        match made {
            Some(made) => field.made_of_time(made),
            None if survey.is_history && column.is_successive() => field.successive(column),
            None => match survey.counts_within(at) {
                Some(of) if field.role == Role::Entity => field.counting(column, of, &names[of]),
                _ if column.drifts() => field.successive(column),
                _ => field.read(column, time == Some(at)),
            },
        }
    };
    let mut fields: Vec<LearntField> = (0..columns.len()).map(field).collect();
    for &(of, column) in &survey.dependent {
        let counts = |at: usize| matches!(fields[at].role, Role::Successive | Role::Counter);
        if counts(of) || counts(column) {
            continue;
        }
        let parent = fields[of].declared.clone();
        if let (Some((parent, _)), Some(declared)) =
            (parent.first(), fields[column].declared.first_mut())
        {
            declared.1 += &format!(", of = \"{parent}\"");
            fields[column].note += &format!("; it follows from `{parent}`");
            if columns[column].has_lumps() {
                fields[column].note += ", of which the most frequent values count less here";
            }
            fields[column].role = Role::Other;
        }
    }
    fields
}

/// What the column holds, whatever its type.
fn seen(column: &Column, distinct: &Interval) -> String {
    let mut found = format!("{}:", in_comment(&column.name));
    if column.missing > 0 {
        let part = column.missing as f64 / (column.missing + column.rows()) as f64;
        found += &format!(" missing in {} of the rows;", percent(part));
    }
    if column.is_unique() {
        let nearly = ["nearly ", ""][usize::from(distinct.high >= column.rows() as f64)];
        return found + &format!(" a value of its own in {nearly}every row");
    }
    found += &format!(" values seen: {}", between(distinct, whole));
    if matches!(column.kind(), ValueKind::Decimal | ValueKind::Time) {
        return found;
    }
    for (text, times) in column.frequencies.heaviest(NAMED) {
        let share = percent(times as f64 / column.rows() as f64);
        found += &format!(", {} {share}", in_comment(text));
    }
    found
}

impl LearntField {
    fn new(column: &Column, at: usize, names: &[String], counted: f64) -> Self {
        let (name, distinct) = (names[at].clone(), column.frequencies.distinct());
        let mut tail = String::new();
        while PARTS
            .iter()
            .any(|it| names.contains(&format!("{name}{it}{tail}")))
        {
            tail.push('_');
        }
        Self {
            tail,
            counted,
            note: seen(column, &distinct),
            declared: Vec::new(),
            made: None,
            role: match distinct.value > 1.0 {
                _ if column.is_unique() => Role::Identity,
                true => Role::Entity,
                false => Role::Other,
            },
            part: (name.clone(), true),
            is_counter: column.step() == Some(1) && ends(column).0 >= 0,
            counts_within: None,
            lead: None,
            unit: 1,
            is_object: column.is_object(),
            is_invented: false,
            distinct: distinct.value,
            fit: None,
            name,
        }
    }

    fn read(mut self, column: &Column, is_row_time: bool) -> Self {
        let name = self.name.clone();
        let (least, greatest) = ends(column);
        let mut range = greatest.abs_diff(least) as f64 + 1.0;
        let is_part = match column.kind() {
            ValueKind::Decimal => false,
            ValueKind::Time => is_row_time,
            // What is the same in all rows tells none apart.
            _ => self.distinct > 1.0 && !self.is_object,
        };
        if !is_part {
            if self.is_object {
                self.note += "; JSON objects, whose parts can't be named: make columns of these";
            }
            self.note += "; no part of keys";
            self.role = Role::Other;
            return self;
        }
        let declared = match (column.kind(), column.step()) {
            (ValueKind::Time, _) => {
                (self.role, self.part.0) = (Role::Time, format!("be8({name})"));
                self.time(column)
            }
            (ValueKind::Int, Some(step)) if least >= 0 => {
                self.part.0 = format!("be8({name})");
                let number = self.rising(step);
                self.made = (step > 1).then_some(number);
                sequence(least, step)
            }
            (ValueKind::Int, Some(step)) => {
                self.part.0 = integer(&name, column);
                let number = self.rising(step);
                self.made = Some(match column.falls() {
                    true => format!("{greatest} - {number}"),
                    false => format!("{least} + {number}"),
                });
                sequence(0, step)
            }
            (ValueKind::Int, None) if column.is_code() || self.is_apart(column, range) => {
                self.text(column)
            }
            (ValueKind::Int, None) => {
                self.part.0 = integer(&name, column);
                let mut first = least;
                let is_wide = column.is_unique() && range > ENDLESS;
                if is_wide || !(-FAR..=FAR).contains(&least) {
                    // From the middle on, in even steps where there are too many.
                    let step = (range / ENDLESS).ceil();
                    range = (range / step).floor();
                    let middle = (i128::from(least) + i128::from(greatest)).div_euclid(2);
                    let by = (step > 1.0).then(|| format!(" * {step}"));
                    let number = self.part_named("_number") + &by.unwrap_or_default();
                    self.made = Some(format!("{middle} + {number}"));
                    first = -((range - 1.0) / 2.0).floor() as i64;
                }
                format!("\"int\", first = {first}, {}", self.law(column, range))
            }
            (ValueKind::Uuid, _) if column.is_unique() => self.uuid(column),
            (ValueKind::Uuid, _) => format!("\"uuid\", {}", self.law(column, ENDLESS)),
            _ => self.text(column),
        };
        let of = match &self.made {
            None => name,
            Some(_) if declared.starts_with("\"timestamp\"") => self.part_named("_made_at"),
            Some(_) if declared.starts_with("\"text\"") => self.part_named("_rest"),
            Some(_) => self.part_named("_number"),
        };
        self.declared.insert(0, (of, declared));
        self
    }

    fn part_named(&self, part: &str) -> String {
        [&self.name, part, &self.tail].concat()
    }

    /// A number that rises by so much a row, of a sequence that counts.
    fn rising(&mut self, step: i64) -> String {
        let number = self.part_named("_number");
        if step == 1 {
            return number;
        }
        let by = grouped(step.into());
        self.note += &format!(
            "; they rise or fall by {by} a row on average, if rows are written in the file's order"
        );
        format!("{number} * {step}")
    }

    /// Version 7 leads with the time; so does 6, and 1 with its lowest bits, which come again every seven minutes.
    fn uuid(&mut self, column: &Column) -> String {
        let texts = column.frequencies.heaviest(usize::MAX);
        let is_of = |version| texts.iter().all(|(it, _)| it.as_bytes()[14] == version);
        let ticks = format!(
            "({} * 10 + {TICKS_BEFORE_1970})",
            self.part_named("_made_at")
        );
        let (lead, rest) = match () {
            () if is_of(b'7') => (format!("uuid7({})", self.part_named("_made_at")), 0),
            () if is_of(b'6') => (format!("be6({ticks} / 4096)"), 10),
            () if is_of(b'1') => (format!("be4({ticks} % 4294967296)"), 12),
            () => return "\"uuid\"".to_owned(),
        };
        let mut unit = "ms";
        let mut made = vec![lead];
        if rest > 0 {
            unit = "us";
            made.push(self.rest(format!("\"bytes\", length = {rest}, count = {ENDLESS}")));
        }
        self.of_time(unit, made)
    }

    /// An identity that leads with the time at which it is made, of these parts.
    fn of_time(&mut self, unit: &str, made: Vec<String>) -> String {
        self.note += "; the time leads it";
        self.made = Some(made.join(" || "));
        format!("\"timestamp\", unit = \"{unit}\"")
    }

    /// The name of what stands behind the rest, declared so.
    fn rest(&mut self, declared: String) -> String {
        let name = self.part_named("_rest");
        self.declared.push((name.clone(), declared));
        name
    }

    fn made_of_time(mut self, (expression, is_number): Made) -> Self {
        self.role = Role::Successive;
        if is_number {
            self.part.0 = format!("be8({})", self.name);
        }
        self.note += "; it follows the time of the row";
        self.made = Some(expression);
        self
    }

    /// A counter that stays at each value for as many rows as it does on average; texts that are not numbered are drawn.
    fn successive(mut self, column: &Column) -> Self {
        self.role = Role::Successive;
        let mut field = match column.kind() {
            ValueKind::Int => {
                let (least, greatest) = ends(column);
                let step = step(least, greatest, self.distinct as u64);
                let (made, declared) = match least >= 0 && step == 1 {
                    true => self.in_turn(least, column),
                    false => {
                        let (number, declared) = self.in_turn(0, column);
                        let by = (step > 1).then(|| format!(" * {step}"));
                        (
                            format!("{least} + {number}{}", by.unwrap_or_default()),
                            declared,
                        )
                    }
                };
                Self {
                    part: (integer(&self.name, column), true),
                    made: Some(made),
                    declared: vec![(self.part_named("_number"), declared)],
                    ..self
                }
            }
            _ => self.read(column, false),
        };
        field.note += &format!(
            "; they come one after another, {} each on average, if rows are written in the file's order",
            counted(compact(column.rows() as f64 / field.distinct), "row")
        );
        field
    }

    /// What counts within each value of another column, as no field does: one that counts over all rows keeps the order of the rows of each.
    fn counting(mut self, column: &Column, of: usize, name: &str) -> Self {
        (self.role, self.counts_within) = (Role::Counter, Some(of));
        self.part.0 = integer(&self.name, column);
        self.note += &format!(
            "; it counts within each `{name}`, behind which it stands; no field does, so that here it counts over all rows"
        );
        let declared = (self.name.clone(), sequence(ends(column).0, 1));
        self.declared.push(declared);
        self
    }

    /// The number of such a counter, and the sequence that it is made of. Rows of a value are told in hundredths, so that as many values come as in the file.
    fn in_turn(&self, first: i64, column: &Column) -> (String, String) {
        let each = column.rows() as f64 / self.distinct;
        let hundredths = (each * 100.0).round().max(100.0) as i64;
        let number = self.part_named("_number");
        let made = match hundredths % 100 {
            0 => format!("{number} / {}", hundredths / 100),
            _ => format!("{number} * 100 / {hundredths}"),
        };
        let first = i128::from(first) * i128::from(hundredths) / 100;
        let first = first.clamp(0, 1 << 55);
        (made, format!("\"sequence\", first = {first}"))
    }

    /// What a designer has to know of it.
    pub fn warning(&self) -> Option<String> {
        if self.is_object {
            return Some(format!(
                "the values of `{0}` are JSON objects, whose parts can't be named, so no drafted key has them: make columns of the parts that readers ask for (jq -c '.{0}_part = .{0}.PART')",
                self.name
            ));
        }
        (self.role == Role::Successive).then(|| {
            format!(
                "the values of `{}` come one after another: a row key that leads with them sends all rows to one region at a time, so no drafted key does",
                self.name
            )
        })
    }

    /// How many fields it is.
    pub fn declarations(&self) -> usize {
        self.declared.len() + usize::from(self.made.is_some())
    }

    /// What was found, as a comment, and the fields.
    pub fn toml(&self) -> String {
        let mut text = format!("# {}", self.note);
        for (name, declared) in &self.declared {
            text += &format!("\n{name} = {{ type = {declared} }}");
        }
        if let Some(made) = &self.made {
            text += &format!("\n{} = {{ expr = {} }}", self.name, json!(made));
        }
        text
    }

    fn time(&mut self, column: &Column) -> String {
        let times = &column.times;
        if self.unit < times.unit() {
            self.note += "; whole seconds in the file: finer here, because the run is faster, and rows would have times in common that have none there";
        }
        let unit = ["ns", "us", "ms", "s"][self.unit.ilog10() as usize / 3];
        let Some(late) = times.lateness() else {
            return format!("\"timestamp\", unit = \"{unit}\"");
        };
        let up_to = late.up_to.max(0.001);
        let fraction = between(&late.fraction, exact);
        let mut found = format!("; late: {fraction} of the rows, by up to {}", length(up_to));
        if !late.is_even {
            let greatest = length(times.greatest_lag as f64 / 1e9);
            found += &format!(" if evenly, which is twice the mean; the latest by {greatest}");
        }
        self.note += &found;
        let (fraction, up_to) = (exact(late.fraction.value), seconds(up_to));
        format!(
            "\"timestamp\", unit = \"{unit}\", late = {{ fraction = {fraction}, up_to = {up_to} }}"
        )
    }

    /// How often each value came, most often first, if there are few; longer texts are not known to their ends.
    fn few<'a>(&self, column: &'a Column) -> Option<Vec<(&'a str, u64)>> {
        let all = column.law().heaviest(MOST_LISTED + 1);
        let is_all = all.len() <= MOST_LISTED && all.len() as f64 == self.distinct;
        (is_all && all.iter().all(|it| it.0.len() + 3 < LONGEST_TEXT)).then_some(all)
    }

    /// Whether few numbers come again, and more others lie between them than a list of weights has room for.
    fn is_apart(&self, column: &Column, range: f64) -> bool {
        let is_wide = range > MOST_LISTED as f64;
        is_wide && !column.is_unique() && self.few(column).is_some()
    }

    /// Few values are listed; a number behind the same letters is one of `digits`; others are random texts of the mean length.
    fn text(&mut self, column: &Column) -> String {
        let texts = column.law().heaviest(usize::MAX);
        let texts: Vec<&str> = texts.into_iter().map(|it| it.0).collect();
        let lengths = texts.iter().map(|it| it.len());
        let (shortest, longest) = (lengths.clone().min(), lengths.max());
        self.part.1 = shortest == longest;
        if let Some(few) = self.few(column) {
            let (texts, weights): (Vec<&str>, Vec<u64>) = few.into_iter().unzip();
            let (texts, weights) = (quoted(&json!(texts)), json!(weights));
            return format!(
                "\"text\", values = {texts}, distribution = {{ weights = {weights}, ranked = true }}"
            );
        }
        // What the least and the greatest of all texts have in common, all have: those that are counted may be the first ones.
        let ends = column.texts.ends();
        let prefix = common(&texts, ends);
        let behind = |prefix: &str, expression: String| match prefix {
            "" => expression,
            _ => format!("{} || {expression}", literal(prefix)),
        };
        let is_in_turn = self.role == Role::Successive || column.rises();
        // Digits that all have are a part of the number.
        let letters = prefix.trim_end_matches(|c: char| c.is_ascii_digit());
        if let Some(width) = numbered(&texts, letters) {
            let number = |text: &String| text.strip_prefix(letters)?.parse::<i64>().ok();
            let ends = ends.and_then(|(least, greatest)| number(least).zip(number(greatest)));
            if let Some((least, greatest)) = ends.filter(|_| is_in_turn) {
                let step = step(least, greatest, column.rows());
                let (padded, _, declared) = self.padded(column, least, step, width);
                self.made = Some(behind(letters, padded));
                return declared;
            }
            let number = self.part_named("_number");
            self.made = (!letters.is_empty()).then(|| behind(letters, number));
            let (least, range) = match ends {
                Some((least, greatest)) => (least, greatest.abs_diff(least) as f64 + 1.0),
                None => (0, libm::pow(10.0, width as f64)),
            };
            let law = self.law(column, range);
            return format!("\"digits\", width = {width}, first = {least}, {law}");
        }
        let letters = letters_of(texts.iter().map(|it| &it[prefix.len()..]));
        let mean = column.bytes.div_ceil(column.rows()).clamp(1, 1_024);
        // As long as so many values need.
        let needed = libm::log(self.distinct) / libm::log(letters.len() as f64);
        let rest = mean.saturating_sub(prefix.len() as u64);
        if let Some(lead) = self.lead.take() {
            let place = &lead.place;
            let mut made = vec![lead.made_of(&self.part_named("_made_at"))];
            if place.start > 0 {
                made.insert(0, literal(&prefix[..place.start]));
            }
            let behind: Vec<&str> = texts.iter().map(|it| &it[place.end..]).collect();
            let between = common(&behind, None);
            if !between.is_empty() {
                made.push(literal(between));
            }
            let rest = mean.saturating_sub((place.end + between.len()) as u64);
            if rest > 0 {
                let letters = letters_of(behind.iter().map(|it| &it[between.len()..]));
                made.push(self.rest(made_up(&letters, rest)));
            }
            self.part.1 = true;
            return self.of_time(lead.unit, made);
        }
        if is_in_turn {
            let (padded, width, declared) = self.padded(column, 0, 1, 1);
            let rest = rest.saturating_sub(width as u64);
            let mut made = behind(prefix, padded);
            if rest > 0 {
                made += " || ";
                made += &self.rest(made_up(&letters, rest));
            }
            self.note += "; they rise or fall with the rows: here as numbers that count, with made-up letters behind";
            (self.made, self.part.1) = (Some(made), true);
            return declared;
        }
        let rest = rest.max(needed.ceil() as u64).max(1);
        if !self.part.1 {
            let length = prefix.len() as u64 + rest;
            self.note += &format!("; of many lengths, here all of {}", counted(length, "byte"));
            self.part.1 = true;
        }
        let part = self.part_named("_rest");
        self.made = (!prefix.is_empty()).then(|| behind(prefix, part));
        self.is_invented = true;
        let law = self.law(column, libm::pow(letters.len() as f64, rest as f64));
        let letters = json!(String::from_iter(letters));
        format!("\"text\", length = {rest}, alphabet = {letters}, {law}")
    }

    /// A number with leading zeros that counts up from the least one, with its digits and its sequence.
    fn padded(
        &mut self,
        column: &Column,
        least: i64,
        step: i64,
        width: usize,
    ) -> (String, usize, String) {
        let ((number, declared), by_row) = match self.role {
            Role::Successive => (
                self.in_turn(least, column),
                self.distinct / column.rows() as f64,
            ),
            _ => ((self.rising(step), sequence(least, step)), step as f64),
        };
        // A run goes on behind the file's last number; rows of a value are told to one in a hundred.
        let last = (least as f64 + 1.01 * self.counted * by_row).max(1.0);
        let width = width.max(libm::floor(libm::log10(last)) as usize + 1);
        (format!("lpad({number}, {width})"), width, declared)
    }

    /// The settings that say how many of at most so many values there are, and how often each comes.
    fn law(&mut self, column: &Column, most: f64) -> String {
        let count = |values: f64| {
            let values = values.min(most).clamp(1.0, ENDLESS);
            format!(
                "count = {}",
                grouped(values.round() as i128).replace(',', "_")
            )
        };
        if let Some(few) = self.few(column).filter(|_| !column.is_unique()) {
            // Weights of numbers that lie together stand in the order of these, those of others in their own.
            let (least, is_range) = (ends(column).0, most <= MOST_LISTED as f64);
            let mut weights = vec![0; if is_range { most as usize } else { few.len() }];
            for (rank, (text, times)) in few.into_iter().enumerate() {
                let number = text.trim().parse::<i64>().unwrap_or(least);
                let place = if is_range {
                    number.abs_diff(least) as usize
                } else {
                    rank
                };
                weights[place] += times;
            }
            return format!(
                "count = {}, distribution = {{ weights = {}, ranked = {is_range} }}",
                weights.len(),
                json!(weights)
            );
        }
        let Some(fit) = ZipfFit::of(&column.law().tallies()) else {
            return count(ENDLESS);
        };
        let values = between(&fit.values, whole);
        let mut law = Vec::new();
        if let Some(exponent) = &fit.exponent {
            law.push(format!("zipf = {}", exact(exponent.value)));
            self.note += &format!("; Zipf exponent {}", between(exponent, exact));
        }
        self.note += &format!("; {values} values in all");
        if fit.is_guess {
            self.note += " if all come equally often, which too few come again to tell";
        }
        if let Some((hot, load)) = fit.hot {
            // At most so many can be hot that one is not.
            let part = (hot / fit.values.value.min(most)).min(0.999);
            let (keys, load) = (exact(part), exact(load));
            law.push(format!("hotspot = {{ keys = {keys}, load = {load} }}"));
            self.note += &format!("; a hot set, of {} of them", whole(hot));
        }
        if !fit.top.is_empty() {
            let shares: Vec<String> = fit.top.iter().map(|it| exact(*it)).collect();
            law.push(format!("top = [{}]", shares.join(", ")));
            self.note += "; the first have shares of their own";
        }
        if !fit.explains {
            self.note += "; no such law explains how often the first come: what runs say of hot values is rough";
        }
        if !law.is_empty() {
            self.note +=
                "; which values come how often is left to chance here, so that runs name others";
        }
        let count = count(fit.values.value);
        self.fit = Some(fit);
        match law.is_empty() {
            true => count,
            false => format!("{count}, distribution = {{ {} }}", law.join(", ")),
        }
    }
}

/// The text that all begin with, as far as a key can say it; what the least and the greatest of all begin with, all do.
fn common<'a>(texts: &[&'a str], ends: Option<(&'a String, &'a String)>) -> &'a str {
    let ends = ends
        .into_iter()
        .flat_map(|(least, greatest)| [&least[..], greatest]);
    let mut all = texts.iter().copied().chain(ends);
    let first = all.next().unwrap_or_default();
    all.fold(first, |prefix, text| {
        let is_common = |(own, other): &(char, char)| own == other && !own.is_control();
        let common = prefix.chars().zip(text.chars()).take_while(is_common);
        &prefix[..common.map(|(own, _)| own.len_utf8()).sum()]
    })
}

/// The width of the decimal number behind what all begin with.
fn numbered(texts: &[&str], prefix: &str) -> Option<usize> {
    let numbers = texts.iter().map(|it| &it[prefix.len()..]);
    let width = numbers.clone().next()?.len();
    let is_number = |it: &str| it.len() == width && it.bytes().all(|byte| byte.is_ascii_digit());
    ((1..=18).contains(&width) && numbers.clone().all(is_number)).then_some(width)
}

/// The time that leads a column of identities: those that follow no known time rise at least.
fn lead(column: &Column, times: Option<&TimeOrder>) -> Option<Lead> {
    let is_identity = column.kind() == ValueKind::Text && column.is_unique();
    if !is_identity || times.is_none() && !column.rises() {
        return None;
    }
    let texts = column.frequencies.heaviest(usize::MAX);
    let texts: Vec<&str> = texts.into_iter().map(|it| it.0).collect();
    let is_ascii = texts.iter().all(|it| it.is_ascii());
    let common = common(&texts, column.texts.ends()).len();
    Lead::of(&texts, common, times).filter(|_| is_ascii)
}

/// The printable letters of texts, in their order; those of the alphabet where there is hardly any.
fn letters_of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<char> {
    let letters = texts.flat_map(str::chars).filter(char::is_ascii_graphic);
    let letters: BTreeSet<char> = letters.collect();
    match letters.len() {
        0 | 1 => ('a'..='z').collect(),
        _ => letters.into_iter().collect(),
    }
}

/// Texts of these letters, each another one.
fn made_up(letters: &[char], length: u64) -> String {
    let count = libm::pow(letters.len() as f64, length as f64).min(ENDLESS);
    let letters = json!(String::from_iter(letters));
    format!("\"text\", length = {length}, alphabet = {letters}, count = {count}")
}

/// A text in an expression.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A counter that a number is so many times.
fn sequence(least: i64, step: i64) -> String {
    format!("\"sequence\", first = {}", (least / step).clamp(0, FAR))
}

/// Least and greatest, of whole numbers.
fn ends(column: &Column) -> (i64, i64) {
    let ends = column.integers.ends();
    ends.map_or((0, 0), |(least, greatest)| (*least, *greatest))
}

/// A whole number as a part of a key.
fn integer(name: &str, column: &Column) -> String {
    match ends(column) {
        (..0, _) => format!("sbe8({name})"),
        (_, ..=0xFFFF_FFFF) => format!("be4({name})"),
        _ => format!("be8({name})"),
    }
}

/// A text of the file, in one line.
pub fn in_comment(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// As TOML, which has strings as JSON does, but for one control character.
pub fn quoted(value: &serde_json::Value) -> String {
    value.to_string().replace('\u{7f}', "\\u007f")
}

/// A name of a field like the column's that no other has.
fn identifier(column: &str, others: &[String]) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '_',
    };
    let mut name: String = column.chars().map(letter).take(48).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "field_");
    }
    while others.contains(&name) {
        name.push('_');
    }
    name
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
    let [value, low, high] = [found.value, found.low, found.high].map(shown);
    match found.low < found.high {
        true if found.high.is_finite() => format!("{value} [{low}, {high}]"),
        true => format!("{value} [{low} or more]"),
        false => value,
    }
}

fn whole(value: f64) -> String {
    grouped(value.round() as i128)
}
