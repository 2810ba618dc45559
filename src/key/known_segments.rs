//! What a reader can make of each segment of a key: is it known, does it follow a field, which values can it take.

use super::code::{Code, Drawn, Op, Trend};
use super::digit::{Digit, joined, told_fields};
use super::field_steps::{FieldSteps, class_uses, coarse_uses, no_draws};
use super::finite_values::{bytes_values, distinct};
use super::formats::{DateSteps, Encoding, Transform};
use super::knowledge::Knowledge;
use super::plan::{Derivation, KeyPlan};
use super::run::{Row, Rows};
use crate::record::{DerivedId, FieldId, KnownField};
use std::ops::Range;
use std::sync::Arc;

/// Rounded down to a multiple of this, a number tells its sign, and of the greatest ones little more.
const SIGN: i64 = 1 << 62;

/// One value of a segment.
#[derive(Debug, Clone)]
pub enum SegmentValue {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What the segment's code makes of a row where its draw has this value.
    Drawn(Arc<Code>, i64),
}

impl SegmentValue {
    /// Appends its bytes.
    pub fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Drawn(code, drawn) => code.write(&Rows::one(row).with_drawn(*drawn), out),
        }
    }
}

/// How segments use a number field in steps, together: one whose values come again in every hour does beside one that tells the hour.
#[derive(Debug, Clone)]
pub struct JointSteps {
    /// In which nothing of them changes.
    pub steps: FieldSteps,
    /// Those of the steps that they tell; `None` without any.
    pub told: Option<FieldSteps>,
    /// The segments that use the field in these steps only.
    pub segments: Vec<usize>,
    /// Of them, those that don't tell the steps in which they change, such as a short hash of a day, nor do others.
    pub hidden: Vec<usize>,
}

/// Segments one after another that follow a field together, constants among them. Each has one length for all values of the field, so that a later
/// one decides only where those before it are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Following {
    /// Behind the last of them.
    pub end: usize,
    /// How they follow it together.
    pub trend: Trend,
    /// Of the last one only so many leading bytes are known ([`KeyPlan::known_lead`]).
    pub bytes: Option<usize>,
    /// Of the last one only what decides on its order is known: the time of `be8(snowflake(ts, ...))`.
    pub open: bool,
}

/// How segments use a number field of which they show few different values, such as `n % 8`.
#[derive(Debug, Clone)]
pub struct FieldClasses {
    /// The field.
    pub field: FieldId,
    /// The segments, which use it in no other way.
    pub segments: Range<usize>,
    /// Numbers of ways in which these values come together: in the first segment, in the first two, and so on.
    pub counts: Vec<f64>,
}

/// What stays the same in each of the runs of a field in which the code of this field alone follows it, as it does not in all of them, and how it does there.
fn runs(code: &Code, field: FieldId) -> Option<(Code, Trend)> {
    let [value] = &code.operands[..] else {
        return None;
    };
    let trend = value.facts.trend(field);
    let trend = trend.filter(|_| value.facts.are_of(field));
    match &code.op {
        Op::Encode(encoding @ Encoding::BigEndian(width)) => {
            let least = i64::MIN >> (64 - 8 * u32::from(*width));
            let held = value.range.within(least, -(least + 1));
            let sign = value.clone().apply_int(Op::Floor(SIGN), value.range);
            let has_both = held && !encoding.keeps_order(value.range);
            trend.filter(|_| has_both).map(|trend| (sign, trend))
        }
        Op::Encode(Encoding::Calendar(pattern, unit)) => {
            let run = Op::Encode(Encoding::Calendar(pattern.runs()?, *unit));
            let run = value
                .clone()
                .apply_bytes(run, code.value_type, code.shape.clone());
            Some((run, trend?.kept(false)))
        }
        Op::Map(Transform::Hex) => runs(value, field),
        Op::Map(Transform::Invert) => runs(value, field).map(|(run, trend)| (run, trend.flip())),
        _ => None,
    }
}

impl KeyPlan {
    /// How the segments from `first` on use a field, as far as they show at most `most` different values of it, with a value of the field, within its
    /// `domain`, for each; `None` where `first` uses it otherwise, or where not all of them are found.
    pub fn field_classes(
        &self,
        first: usize,
        field: FieldId,
        domain: Range<i64>,
        most: usize,
    ) -> Option<(FieldClasses, Vec<i64>)> {
        let (mut uses, mut ends) = (Vec::new(), Vec::new());
        for segment in first..self.segments().len() {
            if !class_uses(self.code(segment), field, most as u64, &mut uses) {
                break;
            }
            ends.push(uses.len());
        }
        let (mut counts, mut last) = (Vec::new(), None);
        for end in ends {
            let uses = FieldSteps::new(field, uses[..end].to_vec());
            let Some(values) = uses.classes(domain.clone(), most) else {
                break;
            };
            counts.push(values.len() as f64);
            last = Some(values);
        }
        let classes = FieldClasses {
            field,
            segments: first..first + counts.len(),
            counts,
        };
        Some((classes, last?))
    }

    /// These segments without those that follow from others of them, such as a salt of what stands behind it: who knows these knows all.
    pub fn telling_segments(&self, of: impl Iterator<Item = usize> + Clone) -> Vec<usize> {
        let mut telling: Vec<usize> = of.clone().collect();
        for segment in of {
            let others = telling.iter().filter(|other| **other != segment);
            let others: Vec<&Code> = others.map(|other| self.code(*other)).collect();
            if self.code(segment).follows_from(&others) {
                telling.retain(|other| *other != segment);
            }
        }
        telling
    }

    /// Is the segment known to a reader who knows these fields?
    pub fn is_known(&self, segment: usize, known: &Knowledge) -> bool {
        self.code(segment).is_known(known)
    }

    /// Appends the segment's bytes of a row.
    pub fn write_segment(&self, segment: usize, row: &Row<'_>, out: &mut Vec<u8>) {
        self.code(segment).write(&Rows::one(row), out);
    }

    /// How the segment follows a field while its other fields stay. It has one length then.
    pub fn trend(&self, segment: usize, field: FieldId) -> Option<Trend> {
        self.code(segment).facts.trend(field)
    }

    /// For an identifier that leads with time (`uuid7`): so many leading bytes are known to a reader who knows its fields.
    pub fn known_lead(&self, segment: usize, known: &Knowledge) -> Option<usize> {
        let code = self.code(segment);
        let lead = match code.op {
            Op::Identifier { kind, .. } => kind.lead(),
            _ => 0,
        };
        (lead > 0 && code.facts.needs.met(known)).then_some(lead)
    }

    /// How the segments from `first` on follow a field, as far as a reader who knows this, the field included, can tell. All before `first` stay the same, and
    /// with them what follows from `fixed` fields.
    pub fn following(
        &self,
        first: usize,
        field: FieldId,
        known: &Knowledge,
        fixed: &Knowledge,
    ) -> Option<Following> {
        let mut found: Option<Following> = None;
        for at in first..self.segments().len() {
            if self.segments()[at].constant().is_some() || self.is_known(at, fixed) {
                continue;
            }
            let own = self.trend(at, field);
            let own = own.or_else(|| self.trend_within(0..at, at, field));
            let trend = found.map_or(own, |before| before.trend.then(own?));
            let bytes = self.known_lead(at, known);
            // Below values of the field that are all read, what is known of the rest leaves nothing out.
            let high = self.code(at).high_digit();
            let high = high.filter(|it| it.facts.mention(field) || !self.is_known(at, known));
            let open = bytes.is_none() && high.is_some_and(|it| it.is_known(known));
            let is_known = open || bytes.is_some() || self.is_known(at, known);
            let Some(trend) = trend.filter(|_| is_known) else {
                break;
            };
            let end = at + 1;
            found = Some(Following {
                end,
                trend,
                bytes,
                open,
            });
            // Behind one that other fields are part of, rows of other values of these lie between.
            let is_alone = self.code(at).facts.are_of(field);
            if trend.exact || bytes.is_some() || open || !is_alone {
                break;
            }
        }
        found
    }

    /// The same of a field which the first of the segments follows in runs only, numbers of one sign of `be4(n)` or days of `to_char(ts, 'dd.MM. HH:mm')`, within
    /// each of these.
    pub fn following_in_runs(
        &self,
        first: usize,
        field: FieldId,
        known: &Knowledge,
    ) -> Option<(FieldSteps, Following)> {
        let (run, trend) = runs(self.code(first), field)?;
        let own = Following {
            end: first + 1,
            trend,
            bytes: None,
            open: false,
        };
        let behind = self.following(own.end, field, known, &Knowledge::default());
        let both = behind.filter(|_| !trend.exact).and_then(|behind| {
            let trend = trend.then(behind.trend)?;
            Some(Following { trend, ..behind })
        });
        let steps = FieldSteps::new(field, vec![run.in_order()]);
        Some((steps, both.unwrap_or(own)))
    }

    /// How a segment follows a field for each value of its draw, as [`KeyPlan::drawn`] has them for a reader who knows this, the field included.
    pub fn following_drawn(
        &self,
        segment: usize,
        field: FieldId,
        known: &Knowledge,
        most: u64,
    ) -> Option<(Vec<SegmentValue>, Following)> {
        let trend = self.trend(segment, field)?;
        let following = Following {
            end: segment + 1,
            trend,
            bytes: None,
            open: false,
        };
        let values = self.drawn(segment, known, most)?;
        self.are_apart(&values, field)
            .then_some((values, following))
    }

    /// No two values of the draw make the same of any values of the field: otherwise a range of it meets others, whose draw is another. O(n log n) in the draws.
    fn are_apart(&self, values: &[SegmentValue], field: FieldId) -> bool {
        let slots = self.schema().slots(field);
        let ends = |value: &SegmentValue| {
            let mut ends = [slots.start, slots.end - 1].map(|slot| {
                let mut record = vec![0; self.schema().fields.len()];
                record[usize::from(field.0)] = slot;
                let mut bytes = Vec::new();
                value.write(&Row::new(&record, 0, no_draws()), &mut bytes);
                bytes
            });
            ends.sort();
            ends
        };
        let mut spans: Vec<[Vec<u8>; 2]> = values.iter().map(ends).collect();
        spans.sort();
        spans.windows(2).all(|pair| pair[0][1] < pair[1][0])
    }

    /// How the segment follows the field as long as nothing of it changes in those before it, which follow it or stay the same: `ts % 3600` rises in each hour
    /// of `trunc(ts, '1h')`.
    fn trend_within(&self, before: Range<usize>, segment: usize, field: FieldId) -> Option<Trend> {
        let rising = self.rises(segment)?;
        let of_field = |at: usize| {
            let told = self.code(at).facts.told.iter().copied();
            told.filter(|digit| digit.field == field)
        };
        let digit = of_field(segment).next()?;
        let known = joined(before.clone().flat_map(of_field));
        let exact = joined(before.chain([segment]).flat_map(of_field)).whole;
        let mut grains = known.grains.iter();
        let runs = grains.any(|grain| digit.runs_once_within(grain));
        runs.then_some(Trend { rising, exact })
    }

    /// Fields that decide on the segment's order before all else, where a reader who knows this knows them: x of `x * base + y`. Rows that agree in them lie side
    /// by side.
    pub fn known_high_fields(&self, segment: usize, known: &Knowledge) -> Option<Vec<FieldId>> {
        let high = self.code(segment).high_digit()?;
        let facts = &high.facts;
        let told = told_fields(facts.told.iter().copied());
        let is_known = high.is_known(known) && !told.is_empty();
        (is_known && facts.fields.iter().all(|field| told.contains(field))).then_some(told)
    }

    /// Do rows of other values of the field lie within a range of it, as one of these segments is made of fields besides those that are `told`, and they are no
    /// digits apart?
    pub fn is_mixed(&self, mut segments: Range<usize>, field: FieldId, told: &[FieldId]) -> bool {
        segments.any(|at| {
            let code = self.code(at);
            let leads = code.high_digit().is_some_and(|it| it.facts.mention(field));
            let mut others = code.facts.fields.iter().filter(|it| **it != field);
            let varies = self.segments()[at].constant().is_none();
            varies && !leads && others.any(|it| !told.contains(it))
        })
    }

    /// Appends the least or the greatest bytes of the segment in all rows that agree with the row in those fields.
    pub fn write_bound(&self, segment: usize, row: &Row<'_>, greatest: bool, out: &mut Vec<u8>) {
        self.code(segment)
            .write_bound(&Rows::one(row), greatest, out);
    }

    /// Fields of which different values give different bytes in these segments, whatever the others are: those of each, and those that several
    /// of them tell together (`n / 2` and `n % 2`, `trunc(ts, '1h')` and `ts % 3600`).
    pub fn told_fields(&self, segments: impl Iterator<Item = usize>) -> Vec<FieldId> {
        told_fields(segments.flat_map(|segment| self.code(segment).facts.told.iter().copied()))
    }

    /// How these segments use a number field in steps only; `None` where none does.
    pub fn joint_steps(
        &self,
        segments: impl Iterator<Item = usize>,
        field: FieldId,
    ) -> Option<JointSteps> {
        let mut left: Vec<usize> = segments.collect();
        left.retain(|segment| self.code(*segment).facts.mention(field));
        let (mut found, mut uses, mut grains) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let before = left.len();
            left.retain(|segment| {
                let told = found.iter().chain([segment]);
                let digits = told.flat_map(|at: &usize| self.code(*at).facts.told.iter().copied());
                let all = joined(digits.filter(|digit| digit.field == field));
                let known = uses.len();
                let rules = (&all.parts[..], true, DateSteps::Days);
                let in_steps = coarse_uses(self.code(*segment), field, rules, &mut uses);
                if in_steps {
                    found.push(*segment);
                    grains = all.grains;
                } else {
                    uses.truncate(known);
                }
                !in_steps
            });
            if left.len() == before {
                break;
            }
        }
        let told = (!uses.is_empty()).then(|| FieldSteps::new(field, uses.clone()));
        let mut hidden = Vec::new();
        for segment in left {
            let mut others = Vec::new();
            let rules = (&[][..], false, DateSteps::Days);
            if !coarse_uses(self.code(segment), field, rules, &mut others) {
                continue;
            }
            let is_told = |digit: &Digit| grains.iter().any(|grain| digit.is_told_by(grain));
            let mut digits = others.iter().flat_map(|code| &code.facts.told);
            if told.is_none() || !digits.all(is_told) {
                hidden.push(segment);
                uses.extend(others);
            }
            found.push(segment);
        }
        (!uses.is_empty()).then(|| JointSteps {
            steps: FieldSteps::new(field, uses),
            told,
            segments: found,
            hidden,
        })
    }

    /// All bytes that the segment can be (and perhaps more), ascending, when it is made of hashes, remainders, draws and constants, is the beginning of an identifier,
    /// or the rest of a text that is known in part, and they are not more than `most`.
    pub fn segment_values(&self, segment: usize, most: usize) -> Option<Vec<Vec<u8>>> {
        let (code, is_rest) = (self.code(segment), self.segments()[segment].is_rest);
        let is_drawn = code.facts.drawn == Drawn::More && code.facts.fields.is_empty();
        let few = code
            .facts
            .cardinality
            .is_none_or(|count| count <= most as u64);
        let made = || few.then(|| bytes_values(code).map(distinct)).flatten();
        let of_shape = || code.shape.values(most);
        let values = match is_rest {
            true => of_shape().or_else(made),
            false if is_drawn => made().or_else(of_shape),
            false => made(),
        };
        values.filter(|values| values.len() <= most)
    }

    /// The segment for each value of its draw, when all else in it is known, it has one draw, and that at most `most` values.
    pub fn drawn(&self, segment: usize, known: &Knowledge, most: u64) -> Option<Vec<SegmentValue>> {
        let facts = &self.code(segment).facts;
        let values = match facts.drawn {
            Drawn::Once(values) if values <= most && facts.needs.met(known) => values,
            _ => return None,
        };
        let code = Arc::new(self.code(segment).clone());
        let given = |drawn| SegmentValue::Drawn(code.clone(), drawn);
        Some((0..values as i64).map(given).collect())
    }

    /// Where the coarse uses of a number field in these segments change; `None` when there are none.
    pub fn field_steps(&self, segments: Range<usize>, field: FieldId) -> Option<FieldSteps> {
        let mut uses = Vec::new();
        for segment in segments {
            let rules = (&[][..], false, DateSteps::Longest);
            coarse_uses(self.code(segment), field, rules, &mut uses);
        }
        (!uses.is_empty()).then(|| FieldSteps::new(field, uses))
    }

    /// Does the segment use the field in coarse steps only?
    pub fn is_coarse(&self, segment: usize, field: FieldId) -> bool {
        let rules = (&[][..], false, DateSteps::Longest);
        coarse_uses(self.code(segment), field, rules, &mut Vec::new())
    }

    /// Do the segment's bytes rise with a field, or with a digit of it, that they are made of? `Some(false)` where they fall, `None` where
    /// they do neither.
    pub fn rises(&self, segment: usize) -> Option<bool> {
        fn rises(code: &Code) -> Option<bool> {
            match (&code.op, &code.operands[..]) {
                // Digits of the time are written in their order, whatever they come again with.
                (Op::Encode(Encoding::Calendar(..)), _) if code.facts.told.len() == 1 => Some(true),
                (Op::Encode(encoding), [value]) => {
                    let line = value.facts.line;
                    let line = line.filter(|_| encoding.keeps_order(value.range));
                    line.map(|line| line.is_rising())
                }
                (Op::Map(Transform::Invert), [bytes]) => rises(bytes).map(|rises| !rises),
                _ => None,
            }
        }
        rises(self.code(segment))
    }

    /// The steps of one segment that follows the field; of an identifier, those of its time.
    pub fn segment_steps(&self, segment: usize, field: FieldId) -> Option<FieldSteps> {
        let code = match (&self.code(segment).op, &self.code(segment).operands[..]) {
            (Op::Identifier { .. }, [time]) => time,
            _ => self.code(segment),
        };
        let is_of = code.facts.are_of(field);
        is_of.then(|| FieldSteps::new(field, vec![code.clone().in_order()]))
    }

    /// A derived field of the scenario; `None` if its expression can't be compiled.
    pub fn derivation(&self, field: DerivedId) -> Option<&Derivation> {
        self.derivations.get(usize::from(field.0))?.as_ref()
    }

    /// Adds the fields that a reader can tell by the derived fields which it knows.
    pub fn learn_told(&self, known: &mut Knowledge) {
        for derived in known.derived().to_vec() {
            let told = self.derivation(derived).map_or(&[][..], |it| &it.told);
            told.iter()
                .for_each(|field| known.learn(KnownField::Stored(*field)));
        }
    }

    fn code(&self, segment: usize) -> &Code {
        &self.segments()[segment].code
    }
}

#[cfg(test)]
#[path = "known_segments_tests.rs"]
mod tests;
