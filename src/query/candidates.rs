//! Every way in which a key can serve a read: a walk over its segments from the left. Must not know numbers of rows or costs.

use super::band::Bands;
use super::dimension::Dimension;
use super::question::Question;
use crate::key::{KeyPlan, Knowledge, StepCache};
use crate::record::{Field, FieldId, KnownField, Schema};
use crate::workload::ReadTarget;

/// Most requests that one read may fan out to.
const MOST_REQUESTS: f64 = 1_024.0;

/// Most ways that are compared.
const MOST_CANDIDATES: usize = 256;

/// Where the known beginning of the keys ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The whole key is known.
    Key,
    /// So many segments are known.
    Prefix { segments: usize },
    /// So many segments, and the leading bytes of the next.
    Lead { segments: usize, bytes: usize },
    /// So many segments, and the next follows a field whose range is known (by its leading bytes, if so many are given).
    Range {
        segments: usize,
        field: FieldId,
        bytes: Option<usize>,
    },
}

impl Stop {
    /// Segments that are known as a whole, of so many.
    pub fn segments(self, of: usize) -> usize {
        match self {
            Self::Key => of,
            Self::Prefix { segments }
            | Self::Lead { segments, .. }
            | Self::Range { segments, .. } => segments,
        }
    }
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
    /// Requests, at the first target.
    pub requests: f64,
}

impl Candidate {
    /// The same for each of so many values, unless that makes too many requests.
    fn times(&self, dimension: Dimension, count: f64) -> Option<Self> {
        let requests = self.requests * count;
        (requests <= MOST_REQUESTS).then(|| {
            let mut next = self.clone();
            next.dimensions.push(dimension);
            Self { requests, ..next }
        })
    }
}

/// All ways for one question; at least that of reading the whole table.
pub(super) fn candidates(
    key: &KeyPlan,
    schema: &Schema,
    question: &Question,
    target: Option<&ReadTarget<'_>>,
) -> Vec<Candidate> {
    let mut bands = Bands::default();
    let mut record = Vec::new();
    if let Some(target) = target {
        record.extend_from_slice(target.record);
        question.resolve(target, &mut record, &mut StepCache::default(), &mut bands);
    }
    let mut walk = Walk {
        key,
        schema,
        question,
        bands,
        record,
        found: Vec::new(),
    };
    let start = Candidate {
        dimensions: Vec::new(),
        stop: Stop::Key,
        known: question.known.clone(),
        coarse: Vec::new(),
        requests: 1.0,
    };
    walk.from(0, start);
    walk.found
}

struct Walk<'a> {
    key: &'a KeyPlan,
    schema: &'a Schema,
    question: &'a Question,
    bands: Bands,
    record: Vec<i64>,
    found: Vec<Candidate>,
}

impl Walk<'_> {
    fn leaf(&mut self, at: &Candidate, stop: Stop) {
        if self.found.len() < MOST_CANDIDATES {
            self.found.push(Candidate { stop, ..at.clone() });
        }
    }

    /// Goes on at a segment; everything before it is known.
    fn from(&mut self, mut segment: usize, at: Candidate) {
        let segments = self.key.segments().len();
        while segment < segments && self.is_known(segment, &at) {
            segment += 1;
        }
        if segment == segments {
            return self.leaf(&at, Stop::Key);
        }
        self.leaf(&at, Stop::Prefix { segments: segment });
        if let Some(bytes) = self.known_lead(segment, &at) {
            self.leaf(
                &at,
                Stop::Lead {
                    segments: segment,
                    bytes,
                },
            );
        }
        self.ranges(segment, &at);
        self.unknown_values(segment, &at);
        self.bindings(segment, &at);
    }

    /// Known, where a field in steps counts only for what uses it in steps.
    fn is_known(&self, segment: usize, at: &Candidate) -> bool {
        self.key.is_known(segment, &at.known)
            && (self.key.is_known(segment, &self.without_coarse(at))
                || at
                    .coarse
                    .iter()
                    .all(|field| self.key.is_coarse(segment, *field)))
    }

    /// Leading bytes of the segment that are known, likewise.
    fn known_lead(&self, segment: usize, at: &Candidate) -> Option<usize> {
        let coarse = &mut at.coarse.iter();
        match coarse.all(|field| self.key.is_coarse(segment, *field)) {
            true => self.key.known_lead(segment, &at.known),
            false => self.key.known_lead(segment, &self.without_coarse(at)),
        }
    }

    fn without_coarse(&self, at: &Candidate) -> Knowledge {
        let mut known = Knowledge::default();
        for field in at.known.stored() {
            if !at.coarse.contains(field) {
                known.learn(KnownField::Stored(*field));
            }
        }
        for field in at.known.derived() {
            known.learn(KnownField::Derived(*field));
        }
        known
    }

    /// The segment follows a field whose range is known.
    fn ranges(&mut self, segment: usize, at: &Candidate) {
        let fields: Vec<FieldId> = self.question.bands.iter().map(|band| band.field).collect();
        for field in fields {
            if self.key.trend(segment, field).is_none() {
                continue;
            }
            let known = self.without_coarse(at).with(field);
            let bytes = self.key.known_lead(segment, &known);
            if bytes.is_some() || self.key.is_known(segment, &known) {
                self.leaf(
                    at,
                    Stop::Range {
                        segments: segment,
                        field,
                        bytes,
                    },
                );
            }
        }
    }

    /// The segment itself has few values.
    fn unknown_values(&mut self, segment: usize, at: &Candidate) {
        let room = MOST_REQUESTS / at.requests;
        if let Some(values) = self.key.drawn(segment, &at.known, room as u64)
            && at.coarse.is_empty()
        {
            let count = values.len();
            return self.step_over(segment, at, Dimension::Draw { segment, values }, count);
        }
        let few = self.key.segments()[segment]
            .cardinality()
            .is_none_or(|count| count as f64 <= room);
        if few && let Some(values) = self.key.segment_values(segment) {
            let count = values.len();
            self.step_over(segment, at, Dimension::Bytes { segment, values }, count);
        }
    }

    fn step_over(&mut self, segment: usize, at: &Candidate, dimension: Dimension, count: usize) {
        if let Some(next) = at.times(dimension, count as f64) {
            self.from(segment + 1, next);
        }
    }

    /// A field of the segment has few values.
    fn bindings(&mut self, segment: usize, at: &Candidate) {
        let fields = self.key.segments()[segment].fields().to_vec();
        for field in fields {
            if at.known.knows(field) && !at.coarse.contains(&field) {
                continue;
            }
            let list = self.question.lists.iter().position(|list| *list == field);
            if let Some(list) = list {
                let count = self.question.list_lens[list];
                self.bind(segment, at, field, Dimension::List { list, field }, count);
                continue;
            }
            if let Some(band) = self.bands.of(field) {
                let count = (band.end - band.start) as f64;
                self.bind(segment, at, field, Dimension::Values { field }, count);
                self.bind_steps(segment, at, field);
                continue;
            }
            if !self.question.has_band(field)
                && let Some(slots) = slots(self.schema.field(field))
            {
                let count = slots.len() as f64;
                self.bind(segment, at, field, Dimension::Field { field, slots }, count);
            }
        }
    }

    fn bind(
        &mut self,
        segment: usize,
        at: &Candidate,
        field: FieldId,
        dimension: Dimension,
        count: f64,
    ) {
        if !at.coarse.contains(&field)
            && let Some(mut next) = at.times(dimension, count)
        {
            next.known.learn(KnownField::Stored(field));
            self.from(segment, next);
        }
    }

    fn bind_steps(&mut self, segment: usize, at: &Candidate, field: FieldId) {
        if at.coarse.contains(&field) || !self.key.is_coarse(segment, field) {
            return;
        }
        // What is used later may step finer: the steps are found again when the walk has ended.
        let Some(grain) = self.key.field_steps(0..segment + 1, field) else {
            return;
        };
        let Some(band) = self.bands.of(field) else {
            return;
        };
        let domain = self.question.domain(field);
        let slot = usize::from(field.0);
        let own = self.record[slot];
        let (mut steps, mut next, mut buffers) = (0.0, band.start, StepCache::default());
        while next < band.end && at.requests * steps <= MOST_REQUESTS {
            self.record[slot] = next;
            next = grain
                .window(&mut self.record, domain.clone(), &mut buffers)
                .end;
            steps += 1.0;
        }
        self.record[slot] = own;
        if let Some(mut next) = at.times(Dimension::Steps { field, grain }, steps) {
            next.known.learn(KnownField::Stored(field));
            next.coarse.push(field);
            self.from(segment, next);
        }
    }
}

/// All slots of a field with few values, literals included.
fn slots(field: &Field) -> Option<Vec<i64>> {
    let count = field.kind.count()?;
    if count as f64 > MOST_REQUESTS {
        return None;
    }
    let first = field.kind.first_slot();
    let literals = (0..field.literals.len() as u16).map(Field::literal_slot);
    let values = (first..).take(count as usize);
    Some(if field.kind.is_number() {
        values.collect()
    } else {
        values.chain(literals).collect()
    })
}
