//! What the known beginning of a key says of the rows that share it, and of the rows of longer values. Must not know requests.
//!
//! Behind a beginning of the key that ends with a text of no fixed width, a scan for `h1` also reads the rows of `h10` and `h123`. Counted are
//! the values of the last segment that is used. One before it does the same only where its longer values go on with the very bytes of the
//! segments that follow (`c1` of `20260101` and `c12` of `0260101...`): that is declared as an over-read, and taken to be none.

use super::candidates::{Candidate, Dimension, FieldValues, Stop};
use super::question::{Order, Question};
use crate::key::{Coincidences, FieldClasses, FieldSteps, KeyPlan, Randomness, Row, Segment};
use crate::random::{DrawKey, Seed, Stream};
use crate::record::{FieldId, Schema};
use std::ops::Range;
use std::sync::Arc;

/// How many rows share a beginning.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    /// Fields that the beginning tells.
    pub told: Vec<FieldId>,
    /// Of these, those that it tells in part only: all values of them are tried, so that what several share is all that each of them has.
    pub shared: Vec<FieldId>,
    /// Number fields that it tells in steps.
    pub steps: Vec<(FieldId, FieldSteps)>,
    /// Other fields that it is made of: those that are only hashed into it.
    pub hashed: Vec<FieldId>,
    /// Number fields that are hashed into it in steps.
    pub hashed_steps: Vec<(FieldId, FieldSteps)>,
    /// How often rows that differ in the fields which it doesn't tell begin so too: by a hash or a remainder.
    pub coincidences: Coincidences,
    /// The field whose range bounds the rows, and the steps in which the segment follows it.
    pub range: Option<(FieldId, Option<FieldSteps>)>,
    /// Combinations that share the rows of one beginning: values of hashes and draws.
    pub shared_by: f64,
}

/// Into how many beginnings these segments put so many classes of a field, while all else in them stays: a hash of m values puts k of them into
/// m (1 - (1 - 1/m)^k).
fn classes_apart(key: &KeyPlan, segments: &[usize], classes: f64) -> f64 {
    let segments = segments.iter().map(|at| &key.segments()[*at]);
    let values: f64 = segments.clone().map(|it| it.space()).product();
    let is_hash = segments
        .clone()
        .all(|it| it.randomness() == Randomness::Hashed);
    match is_hash && values > 1.0 && values.is_finite() {
        true => -values * libm::expm1(classes * libm::log1p(-1.0 / values)),
        false => classes.min(values),
    }
}

fn fields(key: &KeyPlan, segment: usize) -> &[FieldId] {
    key.segments()[segment].fields()
}

impl Evidence {
    /// The beginning tells these fields and nothing else, and nothing else begins so.
    pub fn is_only_of(&self, fields: &[FieldId]) -> bool {
        let in_steps = !(self.steps.is_empty() && self.hashed_steps.is_empty());
        self.told == fields
            && self.hashed.is_empty()
            && !in_steps
            && self.range.is_none()
            && self.shared_by == 1.0
    }

    pub fn new(question: &Question, way: &Candidate) -> Self {
        let key = &question.key;
        Self::of_segments(question, key, way, 0..way.segments(key))
    }

    /// That of the cells which a way reads of its rows, `key` being the row key with the qualifier behind it: a server seeks to those whose
    /// qualifiers begin with what is known of them, and within them to a range, where a field is known in steps of rows and its
    /// range within each.
    pub fn of_cells(question: &Question, key: &KeyPlan, way: &Candidate) -> Self {
        let qualifier = question.key.segments().len()..key.segments().len();
        let known = qualifier.clone().take_while(|at| way.knows(key, *at));
        let rows = 0..way.segments(&question.key);
        let mut evidence = Self::of_segments(question, key, way, rows.clone().chain(known.clone()));
        let next = qualifier.start + known.clone().count();
        let mut bands = question.bands.iter().map(|band| band.field);
        let field = bands.find(|field| next < qualifier.end && fields(key, next) == [*field]);
        let range = field.filter(|field| evidence.range.as_ref().is_none_or(|it| it.0 == *field));
        let of_cells = |field: FieldId| {
            if let Some(trend) = key.trend(next, field) {
                // One range for all rows.
                let steps = (!trend.exact).then(|| key.segment_steps(next, field));
                return Some((field, steps.flatten()));
            }
            if !(way.coarse.contains(&field) && key.rises(next).is_some()) {
                return None;
            }
            let used = rows.chain(known).chain([next]);
            if key.told_fields(used.clone()).contains(&field) {
                return Some((field, None));
            }
            let joint = key.joint_steps(used, field)?;
            let steps = joint.told.filter(|_| joint.segments.contains(&next))?;
            (!joint.hidden.contains(&next)).then_some((field, Some(steps)))
        };
        evidence.range = range.and_then(of_cells).or(evidence.range.take());
        evidence
    }

    /// Does a row's first cell, by what is known of the qualifiers, have the greatest value of the field that the reader orders by (of a derived
    /// field that falls, the least), and its last one the other end? A reader asks for so many cells of a row then.
    pub fn has_cells_in_order(question: &Question, key: &KeyPlan, way: &Candidate) -> bool {
        let qualifier = question.key.segments().len()..key.segments().len();
        let next = qualifier.clone().find(|at| !way.knows(key, *at));
        let in_order = |order: Order, next: usize| {
            let told = key.told_fields(0..=next).contains(&order.field);
            let rises = key.rises(next).filter(|_| told);
            fields(key, next) == [order.field] && rises == Some(order.falling)
        };
        let next = question.order.zip(next);
        next.is_some_and(|(order, next)| in_order(order, next))
    }

    /// That of segments of a key, each of which is known in every combination of a way.
    fn of_segments(
        question: &Question,
        key: &KeyPlan,
        way: &Candidate,
        segments: impl Iterator<Item = usize> + Clone,
    ) -> Self {
        let known = |field: &FieldId| way.is_whole(*field);
        let given = way
            .dimensions
            .iter()
            .filter_map(|dimension| match dimension {
                Dimension::Segment(at, values) => Some((*at, values.len() as f64)),
                Dimension::Field(..) => None,
            });
        let (hidden, drawn): (Vec<_>, Vec<_>) = given.partition(|(at, _)| way.hides(*at));
        let plain = segments.filter(|segment| !way.hides(*segment));
        let plain: Vec<usize> = plain.collect();
        let fields = |segment: usize| fields(key, segment);
        let mut told = key.told_fields(plain.iter().copied());
        told.extend(way.high_fields(&question.key));
        // A known derived field tells fields that are not known otherwise.
        told.retain(|field| way.is_whole(*field) || !way.known.knows(*field));
        let mut shared = Vec::new();
        let is_shared = |dimension: &Dimension| match dimension {
            Dimension::Segment(..) => true,
            Dimension::Field(field, _) if told.contains(field) => true,
            Dimension::Field(field, FieldValues::All(_)) => {
                shared.push(*field);
                question.identity.parts(*field)
            }
            Dimension::Field(..) => false,
        };
        // Ranges of which only the order is known lie around each other.
        let is_apart = match way.stop {
            Stop::Key => false,
            Stop::Range {
                segments,
                field,
                bound,
            } => !bound.open && !question.key.is_mixed(segments..bound.end, field, &told),
            Stop::Prefix { .. } | Stop::Lead { .. } | Stop::HighDigit { .. } => true,
        };
        let are_shared = is_apart && way.dimensions.iter().all(is_shared);
        // A hash of more has rows of other values in it that none of the tried ones finds.
        let is_of_them = |segment: usize| {
            let mut all = fields(segment).iter();
            !all.clone().any(|it| shared.contains(it))
                || all.all(|it| told.contains(it) || shared.contains(it))
        };
        if !(are_shared && plain.iter().all(|at| is_of_them(*at))) {
            shared.clear();
        }
        told.extend(&shared);
        let with_class = |classes: &FieldClasses| {
            let (field, of) = (classes.field, classes.segments.clone());
            let uses = plain.iter().copied();
            let uses = uses.filter(move |at| of.contains(at) && fields(*at).contains(&field));
            uses.collect::<Vec<usize>>()
        };
        // Those that the same segments use come together: these segments, the fields, and in how many ways.
        let mut classes: Vec<(Vec<usize>, Vec<FieldId>, f64)> = Vec::new();
        for of in &way.classes {
            let uses = with_class(of);
            let Some(last) = uses.last() else { continue };
            let count = of.counts[last - of.segments.start];
            match classes.iter_mut().find(|(other, ..)| *other == uses) {
                Some((_, fields, counts)) => {
                    fields.push(of.field);
                    *counts *= count;
                }
                None => classes.push((uses, vec![of.field], count)),
            }
        }
        for (uses, of, count) in &mut classes {
            // Of nothing else they are values of the segments already.
            if uses.iter().any(|at| fields(*at) != &of[..]) {
                *count = classes_apart(key, uses, *count);
            }
        }
        // What is drawn puts each of the others into so many.
        let drawn = drawn.iter();
        classes.extend(drawn.map(|(segment, count)| (vec![*segment], Vec::new(), *count)));
        let hidden = hidden.iter().map(|(_, count)| count);
        let shared_by = classes.iter().map(|(.., apart)| apart).chain(hidden);
        let shared_by = shared_by.product::<f64>();
        let mut steps: Vec<(FieldId, FieldSteps)> = Vec::new();
        let mut hashed_steps: Vec<(FieldId, FieldSteps)> = Vec::new();
        // Which segments use which field in these steps.
        let mut used: Vec<(FieldId, Vec<usize>)> = Vec::new();
        for &field in plain.iter().flat_map(|segment| fields(*segment)) {
            let is_new = !told.contains(&field)
                && !way.is_classed(field)
                && steps
                    .iter()
                    .chain(&hashed_steps)
                    .all(|(other, _)| *other != field);
            if is_new
                && !question.domain(field).is_empty()
                && let Some(mut joint) = key.joint_steps(plain.iter().copied(), field)
            {
                if !joint.hidden.is_empty() {
                    hashed_steps.push((field, joint.steps));
                    joint.segments.retain(|at| !joint.hidden.contains(at));
                    steps.extend(joint.told.map(|told| (field, told)));
                } else {
                    steps.push((field, joint.steps));
                }
                used.push((field, joint.segments));
            }
        }
        // A combination is of a whole step of those that are asked for.
        for (field, steps) in &mut hashed_steps {
            let asked = way.dimensions.iter().find_map(|dimension| match dimension {
                Dimension::Field(of, FieldValues::Steps(asked)) if of == field => Some(asked),
                _ => None,
            });
            asked.into_iter().for_each(|asked| *steps = asked.clone());
        }
        let in_steps = |field: &FieldId| hashed_steps.iter().any(|(other, _)| other == field);
        let coarse = |segment: usize, field: &FieldId| {
            let mut used = used.iter();
            used.any(|(other, segments)| other == field && segments.contains(&segment))
                || classes
                    .iter()
                    .any(|(uses, fields, _)| fields.contains(field) && uses.contains(&segment))
        };
        let (mut hashed, mut untold) = (Vec::new(), Vec::new());
        let tells =
            |segment: usize, field: &FieldId| told.contains(field) || coarse(segment, field);
        let is_told = |segment: usize| fields(segment).iter().all(|field| tells(segment, field));
        let telling = key.telling_segments(plain.iter().copied());
        for &segment in &telling {
            if is_told(segment) {
                continue;
            }
            untold.push(segment);
            let others = fields(segment).iter();
            let others = others.filter(|field| !(tells(segment, field) || in_steps(field)));
            hashed.extend(others.copied());
        }
        let given = telling.into_iter().filter(|at| !untold.contains(at));
        let given: Vec<usize> = given.collect();
        let stepped: Vec<FieldId> = hashed_steps.iter().map(|(field, _)| *field).collect();
        let free = |segment: usize, field: &FieldId| !tells(segment, field);
        let mut coincidences = key.coincidences((&untold, &given), (&stepped, &told), free);
        // Others share one of the beginnings into which the classes put the rows, or another.
        for (uses, _, apart) in &classes {
            if uses.iter().all(|at| !is_told(*at)) {
                let place = untold.iter().position(|at| uses.contains(at));
                coincidences.spread(place, *apart);
            }
        }
        hashed.sort_unstable();
        hashed.dedup();
        let exact = |segment: usize, field: FieldId| {
            key.trend(segment, field).is_some_and(|trend| trend.exact)
        };
        let mut range = None;
        match way.stop {
            Stop::Range {
                segments,
                field,
                bound,
            } => {
                let bounds = (segments..bound.end).filter(|_| !bound.trend.exact);
                let steps = bounds.filter_map(|at| {
                    let own = key.segment_steps(at, field);
                    own.or_else(|| key.field_steps(at..at + 1, field))
                });
                range = Some((field, steps.reduce(FieldSteps::and)));
            }
            Stop::Lead { segments, .. } => {
                let known = fields(segments).iter().filter(|it| known(it));
                for field in known.filter(|it| !told.contains(it)).collect::<Vec<_>>() {
                    match key.segment_steps(segments, *field) {
                        _ if exact(segments, *field) => told.push(*field),
                        // The seconds of a `ksuid`.
                        Some(own) => steps.push((*field, own)),
                        None => {}
                    }
                }
            }
            Stop::Key | Stop::Prefix { .. } | Stop::HighDigit { .. } => {}
        }
        Self {
            told,
            shared,
            steps,
            hashed,
            hashed_steps,
            coincidences,
            range,
            shared_by,
        }
    }
}

/// Fields whose values are sorted by their bytes have no more values than this: 10 ms and a few MB. Of others, whole numbers in decimal can be told
/// without; what is neither is not counted.
const LISTED_MAX: u64 = 1 << 16;

/// How the values of one field begin in one segment.
#[derive(Debug)]
pub(super) struct ValueBeginnings {
    pub field: FieldId,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// All values, sorted by their bytes.
    Listed(Vec<(Vec<u8>, i64)>),
    /// Decimal numbers without leading zeros from 0 on; up to before this one.
    Decimal { end: i64 },
}

impl ValueBeginnings {
    /// Of a segment that is made of one stored field, if its values can be told.
    pub fn of(key: &KeyPlan, segment: usize, schema: &Schema) -> Option<Self> {
        let &[field] = key.segments()[segment].fields() else {
            return None;
        };
        let of = schema.field(field);
        let count = of.kind.count()?;
        let mut record = vec![0; schema.fields.len()];
        let mut bytes = |slot: i64| {
            record[usize::from(field.0)] = slot;
            let mut bytes = Vec::new();
            let row = Row::new(&record, 0, DrawKey::new(Seed(0), 0, Stream::Keys, 0).at(0));
            let all = value_start(key, segment)..=segment;
            all.for_each(|at| key.write_segment(at, &row, &mut bytes));
            bytes
        };
        let first = of.kind.first_slot();
        let form = if let Some(slots) = of.few_slots(LISTED_MAX) {
            let slots = slots.into_iter();
            // Constants behind it delimit it, where it doesn't have them within.
            let behind = key.segments()[segment + 1..].iter();
            let behind: Vec<u8> = behind.map_while(Segment::constant).flatten().collect();
            let value = |slot| ([bytes(slot), behind.clone()].concat(), slot);
            let mut values: Vec<(Vec<u8>, i64)> = slots.map(value).collect();
            values.sort_unstable();
            Form::Listed(values)
        } else {
            let end = first.saturating_add_unsigned(count);
            let probes = [first, first.midpoint(end), end - 1];
            let decimal = |slot: &i64| *slot >= 0 && bytes(*slot) == slot.to_string().as_bytes();
            if !probes.iter().all(decimal) {
                return None;
            }
            Form::Decimal { end }
        };
        Some(Self { field, form })
    }

    /// Ranges of the slots, but for `slot` itself, whose bytes begin with `bytes`, which are its own and maybe more.
    pub fn longer(
        &self,
        slot: i64,
        bytes: &[u8],
        slots: &mut Vec<i64>,
        mut each: impl FnMut(Range<i64>),
    ) {
        match &self.form {
            Form::Listed(values) => {
                let from = values.partition_point(|(value, _)| value.as_slice() < bytes);
                let longer = values[from..].iter();
                slots.clear();
                slots.extend(
                    longer
                        .take_while(|(value, _)| value.starts_with(bytes))
                        .map(|(_, slot)| *slot)
                        .filter(|other| *other != slot),
                );
                slots.sort_unstable();
                for run in slots.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
                    each(run[0]..run[run.len() - 1].saturating_add(1));
                }
            }
            Form::Decimal { end } => {
                let (mut low, mut high) = (slot, slot.saturating_add(1));
                // Nothing follows a zero.
                while slot > 0 && low <= (end - 1) / 10 {
                    (low, high) = (low * 10, high.saturating_mul(10).min(*end));
                    each(low..high);
                }
            }
        }
    }
}

/// The segment that a value begins in: the one before where that is cut off.
fn value_start(key: &KeyPlan, segment: usize) -> usize {
    segment - usize::from(key.segments()[segment].is_rest)
}

/// What it takes to count the rows of longer values of one access path.
#[derive(Debug, Clone)]
pub(super) struct LongerValues {
    /// Of which they are values, from where on these are all of it; constants alone follow them.
    pub segment: usize,
    pub beginnings: Arc<ValueBeginnings>,
    /// As that of the path, but for values of the field in a range.
    pub evidence: Evidence,
    /// Share of the other values that have the same hash in the segments before.
    pub chance: f64,
}

impl LongerValues {
    /// Of a path whose scans end with a segment of no fixed width that nothing delimits: no constant either, where values have it within. `beginnings` are found
    /// once a key.
    pub fn new(
        key: &KeyPlan,
        way: &Candidate,
        evidence: &Evidence,
        beginnings: &[Option<Arc<ValueBeginnings>>],
    ) -> Option<Self> {
        let Stop::Prefix { segments } = way.stop else {
            return None;
        };
        let mut used = key.segments()[..segments].iter();
        let last = used.rposition(|it| it.constant().is_none())?;
        if key.is_delimited(last) || way.values_given(last).is_some() {
            return None;
        }
        let beginnings = Arc::clone(beginnings[last].as_ref()?);
        let field = beginnings.field;
        let is_listed = matches!(beginnings.form, Form::Listed(_));
        let is_told = evidence.told.contains(&field) && !evidence.shared.contains(&field);
        if !is_told || !(is_listed || last + 1 == segments) {
            return None;
        }
        let start = value_start(key, last);
        let hashes = key.segments()[..start].iter();
        let hashes = hashes.filter(|segment| segment.fields().contains(&field));
        let chance = hashes.map(|segment| 1.0 / segment.space());
        let mut evidence = evidence.clone();
        evidence.told.retain(|other| *other != field);
        evidence.range = Some((field, None));
        Some(Self {
            segment: start,
            beginnings,
            evidence,
            chance: chance.product(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longer(form: Form, slot: i64, bytes: &str) -> Vec<Range<i64>> {
        let beginnings = ValueBeginnings {
            field: FieldId(0),
            form,
        };
        let mut found = Vec::new();
        beginnings.longer(slot, bytes.as_bytes(), &mut Vec::new(), |range| {
            found.push(range)
        });
        found
    }

    #[test]
    fn decimal_numbers_that_go_on_are_ranges() {
        let decimal = |slot: i64| longer(Form::Decimal { end: 2_500 }, slot, &slot.to_string());
        assert_eq!(decimal(0), []);
        assert_eq!(decimal(1), [10..20, 100..200, 1_000..2_000]);
        assert_eq!(decimal(2), [20..30, 200..300, 2_000..2_500]);
        assert_eq!(decimal(24), [240..250, 2_400..2_500]);
        assert_eq!(decimal(249).first(), Some(&(2_490..2_500)));
        assert_eq!(decimal(250), []);
        let count: i64 = (1..2_500)
            .flat_map(decimal)
            .map(|range| range.end - range.start)
            .sum();
        let pairs = (1..2_500).flat_map(|a: i32| (1..2_500).map(move |b: i32| (a, b)));
        let true_ones = pairs.filter(|(a, b)| a != b && b.to_string().starts_with(&a.to_string()));
        assert_eq!(count as usize, true_ones.count());
    }

    #[test]
    fn listed_values_that_go_on_are_found_by_their_bytes() {
        let values = ["b", "", "ba", "bab", "c", "bb"];
        let mut sorted: Vec<(Vec<u8>, i64)> = (10..)
            .zip(values)
            .map(|(slot, text)| (text.as_bytes().to_vec(), slot))
            .collect();
        sorted.sort();
        let listed = |at: usize| longer(Form::Listed(sorted.clone()), 10 + at as i64, values[at]);
        assert_eq!(listed(0), [12..14, 15..16]);
        assert_eq!(listed(1), [10..11, 12..16]);
        assert_eq!(listed(2).first(), Some(&(13..14)));
        assert_eq!(listed(4), []);
        // With what stands behind it: what begins with that, and is that.
        let with_more = longer(Form::Listed(sorted), 10, "ba");
        assert_eq!((with_more.len(), &with_more[0]), (1, &(12..14)));
    }
}
