//! Every way in which a key can serve a read: a walk over its segments from the left. Must not know numbers of rows or costs.

use super::question::{Bands, Question};
use crate::key::{
    FieldClasses, FieldSteps, Following, KeyPlan, Knowledge, SegmentValue, StepCache,
};
use crate::record::{FieldId, KnownField, Schema};
use crate::workload::ReadTarget;

/// Most requests that one read may fan out to.
const MOST_REQUESTS: f64 = 1_024.0;

/// Most ways that are compared.
const MOST_CANDIDATES: usize = 256;

/// What a read is multiplied by: one request, or more, for each combination.
#[derive(Debug, Clone)]
pub(super) enum Dimension {
    /// Each of some values of a field.
    Field(FieldId, FieldValues),
    /// Each value of a segment.
    Segment(usize, Vec<SegmentValue>),
}

/// Values of a field.
#[derive(Debug, Clone)]
pub(super) enum FieldValues {
    /// Those of the read's list of this number.
    List(usize),
    /// Those of the field's range.
    Range,
    /// Those of the field's range, or of its domain where the reader knows nothing of it, step by step.
    Steps(FieldSteps),
    /// All, as the reader does not know the field.
    All(Vec<i64>),
    /// One for each way in which parts with few values come together.
    Classes(Vec<i64>),
}

/// Where the known beginning of the keys ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The whole key is known.
    Key,
    /// So many segments are known.
    Prefix { segments: usize },
    /// So many segments, and the leading bytes of the next.
    Lead { segments: usize, bytes: usize },
    /// So many segments, and of the number in the next what decides on its order before all else.
    HighDigit { segments: usize },
    /// So many segments, and the next ones follow a field whose range is known.
    Range {
        segments: usize,
        field: FieldId,
        bound: Following,
    },
}

/// One way.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// What it multiplies by.
    pub dimensions: Vec<Dimension>,
    /// How far it goes.
    pub stop: Stop,
    /// Fields known in each combination.
    pub known: Knowledge,
    /// Of these, those known in steps only.
    pub coarse: Vec<FieldId>,
    /// Of those known, those known by their class only.
    pub classes: Vec<FieldClasses>,
    /// Requests, at the first target.
    pub requests: f64,
}

impl Candidate {
    /// Segments that are known as a whole.
    pub fn segments(&self, key: &KeyPlan) -> usize {
        match self.stop {
            Stop::Key => key.segments().len(),
            Stop::Prefix { segments }
            | Stop::Lead { segments, .. }
            | Stop::HighDigit { segments }
            | Stop::Range { segments, .. } => segments,
        }
    }

    /// Fields that are known as a whole, and decide on the order of the number in the segment where it ends, before all else.
    pub fn high_fields(&self, key: &KeyPlan) -> Vec<FieldId> {
        let known = self.without_coarse();
        let (segments, range) = match self.stop {
            Stop::HighDigit { segments } => (segments, None),
            Stop::Range {
                segments, field, ..
            } => (segments, Some(field)),
            _ => return Vec::new(),
        };
        let high = key.known_high_fields(segments, &known);
        let high = high.filter(|high| range.is_none_or(|field| !high.contains(&field)));
        high.unwrap_or_default()
    }

    /// Does it multiply by steps of a field?
    pub fn is_in_steps(&self) -> bool {
        let in_steps = |it: &Dimension| matches!(it, Dimension::Field(_, FieldValues::Steps(_)));
        self.dimensions.iter().any(in_steps)
    }

    /// How many values it gives to a segment, if it gives any.
    pub fn values_given(&self, segment: usize) -> Option<usize> {
        self.dimensions
            .iter()
            .find_map(|dimension| match dimension {
                Dimension::Segment(at, values) if *at == segment => Some(values.len()),
                _ => None,
            })
    }

    /// Does it give a segment bytes that say nothing of the fields which it is made of? One whose draw it gives is made of known ones.
    pub fn hides(&self, segment: usize) -> bool {
        let mut dimensions = self.dimensions.iter();
        dimensions.any(|dimension| match dimension {
            Dimension::Segment(at, values) => {
                *at == segment && !matches!(values[..], [SegmentValue::Drawn(..), ..])
            }
            Dimension::Field(..) => false,
        })
    }

    /// Does it give values like that to the field?
    pub fn binds(&self, of: FieldId, values: impl Fn(&FieldValues) -> bool) -> bool {
        self.dimensions.iter().any(|dimension| match dimension {
            Dimension::Field(field, given) => *field == of && values(given),
            Dimension::Segment(..) => false,
        })
    }

    /// Is what it multiplies by at last one of these fields?
    fn binds_last(&self, fields: &[FieldId]) -> bool {
        matches!(self.dimensions.last(), Some(Dimension::Field(field, _)) if fields.contains(field))
    }

    /// What is known in steps, in those of all segments that it uses: the walk knew those of the first ones.
    fn in_finest_steps(mut self, key: &KeyPlan) -> Self {
        let used = (0..self.segments(key)).filter(|segment| self.values_given(*segment).is_none());
        let used: Vec<usize> = used.collect();
        for dimension in &mut self.dimensions {
            if let Dimension::Field(field, FieldValues::Steps(grain)) = dimension {
                let grains = used
                    .iter()
                    .filter_map(|at| key.field_steps(*at..at + 1, *field));
                if let Some(finest) = grains.reduce(FieldSteps::and) {
                    *grain = finest;
                }
            }
        }
        self
    }

    /// The same for each of so many values, unless that makes too many requests.
    fn times(&self, dimension: Dimension, count: f64) -> Option<Self> {
        let requests = self.requests * count;
        (requests <= MOST_REQUESTS).then(|| {
            let mut next = self.clone();
            next.dimensions.push(dimension);
            Self { requests, ..next }
        })
    }

    /// Is the field known by its own value in each combination?
    pub fn is_whole(&self, field: FieldId) -> bool {
        self.known.knows(field) && !self.coarse.contains(&field) && !self.is_classed(field)
    }

    /// Is it known by its class only?
    pub fn is_classed(&self, field: FieldId) -> bool {
        self.classes.iter().any(|it| it.field == field)
    }

    /// What is known in every combination, those fields left out that are known in steps or by their class only.
    fn without_coarse(&self) -> Knowledge {
        let mut known = Knowledge::default();
        let stored = self.known.stored().iter();
        for field in stored.filter(|field| self.is_whole(**field)) {
            known.learn(KnownField::Stored(*field));
        }
        for field in self.known.derived() {
            known.learn(KnownField::Derived(*field));
        }
        known
    }

    /// Is a segment of a key known in every combination? A field in steps counts only for what uses it in steps, one by its class for what uses that.
    pub fn knows(&self, key: &KeyPlan, segment: usize) -> bool {
        key.is_known(segment, &self.known)
            && (self.is_coarse(key, segment) || key.is_known(segment, &self.without_coarse()))
    }

    /// Does the segment use the fields that are known in steps in steps only, and those by their class by it?
    fn is_coarse(&self, key: &KeyPlan, segment: usize) -> bool {
        let mut coarse = self.coarse.iter();
        let fields = key.segments()[segment].fields();
        let by_class =
            |it: &FieldClasses| !fields.contains(&it.field) || it.segments.contains(&segment);
        coarse.all(|field| key.is_coarse(segment, *field)) && self.classes.iter().all(by_class)
    }
}

/// All ways for one question, by a sample of its reads; at least that of reading the whole table.
pub(super) fn candidates(
    schema: &Schema,
    question: &Question,
    sample: &[ReadTarget<'_>],
) -> Vec<Candidate> {
    let mean = |list: usize| {
        let lens = sample
            .iter()
            .map(|target| f64::from(target.within_lens[list]));
        (lens.sum::<f64>() / sample.len().max(1) as f64).max(1.0)
    };
    let mut walk = Walk {
        key: &question.key,
        schema,
        question,
        list_lens: (0..question.lists.len()).map(mean).collect(),
        bands: Bands::default(),
        record: Vec::new(),
        cache: StepCache::default(),
        found: Vec::new(),
    };
    if let Some(target) = sample.first() {
        walk.record.extend_from_slice(target.record);
        let Walk {
            record,
            cache,
            bands,
            ..
        } = &mut walk;
        question.resolve(target, record, cache, bands);
    }
    let start = Candidate {
        dimensions: Vec::new(),
        stop: Stop::Key,
        known: question.known.clone(),
        coarse: Vec::new(),
        classes: Vec::new(),
        requests: 1.0,
    };
    walk.from(0, start);
    walk.found
}

struct Walk<'a> {
    key: &'a KeyPlan,
    schema: &'a Schema,
    question: &'a Question,
    /// Mean length of each list.
    list_lens: Vec<f64>,
    bands: Bands,
    record: Vec<i64>,
    cache: StepCache,
    found: Vec<Candidate>,
}

impl Walk<'_> {
    fn leaf(&mut self, at: &Candidate, stop: Stop) {
        if self.found.len() < MOST_CANDIDATES {
            let coarse = self.steps_of(at);
            let way = Candidate { stop, ..at.clone() }.in_finest_steps(self.key);
            if self.steps_of(&way) / coarse * at.requests <= MOST_REQUESTS {
                self.found.push(way);
            }
        }
    }

    /// Requests for the steps of fields that it multiplies by, counted until they are too many.
    fn steps_of(&mut self, way: &Candidate) -> f64 {
        let steps = way.dimensions.iter().map(|dimension| match dimension {
            Dimension::Field(field, FieldValues::Steps(grain)) => self.steps_in(*field, grain, 1.0),
            _ => 1.0,
        });
        steps.product()
    }

    /// Steps in the field's range, or in its domain where the reader knows nothing of it; more than are asked for if, by so many requests each, they are too many.
    fn steps_in(&mut self, field: FieldId, grain: &FieldSteps, requests: f64) -> f64 {
        let domain = self.question.domain(field);
        let band = match self.question.has_band(field) {
            true => self.bands.of(field),
            false => Some(domain.clone()),
        };
        let Some(band) = band else {
            return 0.0;
        };
        let (mut steps, mut next) = (0.0, band.start);
        while next < band.end && requests * steps <= MOST_REQUESTS {
            let Self { record, cache, .. } = self;
            next = grain.window_of(next, record, domain.clone(), cache).end;
            steps += 1.0;
        }
        steps
    }

    /// Goes on at a segment; everything before it is known.
    fn from(&mut self, first: usize, at: Candidate) {
        let (key, mut segments) = (self.key, first);
        while segments < key.segments().len() && at.knows(key, segments) {
            // What is known in steps may be finer steps than those before it, each a request: they lie side by side.
            let fields = key.segments()[segments].fields();
            let is_bound = segments == first && at.binds_last(fields);
            let coarse = fields.iter().filter(|field| at.coarse.contains(field));
            match coarse.map(|field| self.question.has_band(*field)).max() {
                _ if is_bound => {}
                Some(true) => self.ranges(segments, &at),
                Some(false) => self.leaf(&at, Stop::Prefix { segments }),
                None => {}
            }
            segments += 1;
        }
        if segments == key.segments().len() {
            return self.leaf(&at, Stop::Key);
        }
        // Of each value of a field that is no part of it the beginning is the same.
        let is_bound = segments == first && at.binds_last(key.segments()[segments].fields());
        if !is_bound {
            self.leaf(&at, Stop::Prefix { segments });
        }
        let lead = match at.is_coarse(key, segments) {
            true => key.known_lead(segments, &at.known),
            false => key.known_lead(segments, &at.without_coarse()),
        };
        if let Some(bytes) = lead {
            self.leaf(&at, Stop::Lead { segments, bytes });
        }
        if key
            .known_high_fields(segments, &at.without_coarse())
            .is_some()
        {
            self.leaf(&at, Stop::HighDigit { segments });
        }
        self.ranges(segments, &at);
        self.runs(segments, &at);
        self.segment_values(segments, &at);
        self.field_values(segments, &at);
    }

    /// The segment, and perhaps those behind it, follow a field whose range is known; where the segment draws a number besides, for each value of that.
    fn ranges(&mut self, segments: usize, at: &Candidate) {
        let (question, key) = (self.question, self.key);
        for field in question.bands.iter().map(|band| band.field) {
            let known = at.without_coarse().with(field);
            let mut leaf = |way: &Candidate, bound| {
                let stop = Stop::Range {
                    segments,
                    field,
                    bound,
                };
                self.leaf(way, stop);
            };
            if let Some(bound) = key.following(segments, field, &known, &Knowledge::default()) {
                leaf(at, bound);
                continue;
            }
            let most = (MOST_REQUESTS / at.requests) as u64;
            if let Some((values, bound)) = key.following_drawn(segments, field, &known, most) {
                let count = values.len() as f64;
                let next = at.times(Dimension::Segment(segments, values), count);
                next.iter().for_each(|way| leaf(way, bound));
            }
        }
    }

    /// The segment follows a field whose range is known in runs of it only: a scan of each. Where the reader orders by the field, whose runs are two at most, it asks for
    /// the second only if the first has too few rows.
    fn runs(&mut self, segments: usize, at: &Candidate) {
        let (question, key) = (self.question, self.key);
        let order = question.order.map(|order| order.field);
        for &field in key.segments()[segments].fields() {
            let is_range = question.has_band(field);
            if at.known.knows(field) || !(is_range || order == Some(field)) {
                continue;
            }
            let known = at.without_coarse().with(field);
            let Some((runs, bound)) = key.following_in_runs(segments, field, &known) else {
                continue;
            };
            let count = match (self.steps_in(field, &runs, at.requests), is_range) {
                (count, true) => count,
                (..=2.0, false) if bound.trend.exact => 1.0,
                _ => continue,
            };
            let runs = Dimension::Field(field, FieldValues::Steps(runs));
            if let Some(way) = at.times(runs, count) {
                let stop = Stop::Range {
                    segments,
                    field,
                    bound,
                };
                self.leaf(&way, stop);
            }
        }
    }

    /// The segment itself, or what is left of it, has few values, or what it draws has.
    fn segment_values(&mut self, segment: usize, at: &Candidate) {
        let (key, room) = (self.key, MOST_REQUESTS / at.requests);
        let drawn = || key.drawn(segment, &at.known, room as u64);
        let bytes = || {
            let values = key.segment_values(segment, room as usize)?;
            Some(values.into_iter().map(SegmentValue::Bytes).collect())
        };
        // Several draws may make the same of nothing else.
        let alone = key.segments()[segment].fields().is_empty();
        let values: Option<Vec<SegmentValue>> = match at.coarse.is_empty() && at.classes.is_empty()
        {
            true if alone => bytes().or_else(drawn),
            true => drawn().or_else(bytes),
            false => bytes(),
        };
        let Some(values) = values else { return };
        let count = values.len() as f64;
        if let Some(next) = at.times(Dimension::Segment(segment, values), count) {
            self.from(segment + 1, next);
        }
    }

    /// A field of the segment has few values.
    fn field_values(&mut self, segment: usize, at: &Candidate) {
        let key = self.key;
        for &field in key.segments()[segment].fields() {
            if at.known.knows(field) {
                continue;
            }
            let list = self.question.lists.iter().position(|list| *list == field);
            if let Some(list) = list {
                let count = self.list_lens[list];
                self.bind(segment, at, field, FieldValues::List(list), count);
            } else if let Some(band) = self.bands.of(field) {
                let count = (band.end - band.start) as f64;
                self.bind(segment, at, field, FieldValues::Range, count);
                self.bind_steps(segment, at, field);
            } else if !self.question.has_band(field) {
                let slots = self.schema.field(field).few_slots(MOST_REQUESTS as u64);
                let count = slots
                    .as_ref()
                    .map_or(f64::INFINITY, |slots| slots.len() as f64);
                if let Some(slots) = slots {
                    self.bind(segment, at, field, FieldValues::All(slots), count);
                }
                self.bind_steps(segment, at, field);
                // Values that writes fix beside the field's own are in no class, and one of each class has a beginning of its own.
                if !self.question.is_cut && self.schema.field(field).literals.is_empty() {
                    self.bind_classes(segment, at, field, count - 1.0);
                }
            }
        }
    }

    fn bind(
        &mut self,
        segment: usize,
        at: &Candidate,
        field: FieldId,
        values: FieldValues,
        count: f64,
    ) {
        let in_steps = matches!(values, FieldValues::Steps(_));
        if let Some(mut next) = at.times(Dimension::Field(field, values), count) {
            next.known.learn(KnownField::Stored(field));
            next.coarse.extend(in_steps.then_some(field));
            self.from(segment, next);
        }
    }

    fn bind_steps(&mut self, segment: usize, at: &Candidate, field: FieldId) {
        // What is used later may step finer: the steps are found again when the walk has ended.
        let grain = self.key.field_steps(0..segment + 1, field);
        let Some(grain) = grain.filter(|_| self.key.is_coarse(segment, field)) else {
            return;
        };
        let steps = self.steps_in(field, &grain, at.requests);
        if steps > 0.0 {
            self.bind(segment, at, field, FieldValues::Steps(grain), steps);
        }
    }

    /// From this segment on the key uses the field through parts with few values only, `most` of them.
    fn bind_classes(&mut self, segment: usize, at: &Candidate, field: FieldId, most: f64) {
        let most = most.min(MOST_REQUESTS / at.requests);
        let domain = self.question.domain(field);
        let Some((classes, values)) = self
            .key
            .field_classes(segment, field, domain, most as usize)
        else {
            return;
        };
        let count = values.len() as f64;
        if let Some(mut next) =
            at.times(Dimension::Field(field, FieldValues::Classes(values)), count)
        {
            next.known.learn(KnownField::Stored(field));
            next.classes.push(classes);
            self.from(segment, next);
        }
    }
}
