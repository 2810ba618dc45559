//! Draws records. Must not know when operations happen; it is told.

use super::normal::TruncatedNormal;
use super::sampler::{Sampler, ValueSampler};
use super::{
    Distribution, DistributionShape, Field, FieldColumn, FieldId, FieldKind, FieldMask, Late,
    Schema, ShareClass, TimeUnit, ValueShares,
};
use crate::random::{DrawKey, Draws, Seed, Stream, hash_name, lane_of, mix, stream};
use crate::time::{EpochNanos, SimDuration, SimTime};
use rand::rngs::Xoshiro256PlusPlus;
use std::sync::{Arc, OnceLock};

/// The record laws of one replicate: rank permutations, tables, dependent values. Shared by all strategies of it.
///
/// Every field draws from numbers of its own, found by its name: adding, fixing or moving one field changes no other.
#[derive(Debug)]
pub struct RecordGenerator {
    schema: Schema,
    /// One a field, a field after those that it depends on.
    steps: Vec<Step>,
    seed: Seed,
    /// Which replicate it is of.
    pub replicate: u32,
    /// Of each field by its own law, once they are asked for.
    shares: Box<[OwnShares]>,
}

/// The shares of a field's values, and all of them in classes.
#[derive(Debug, Default)]
struct OwnShares {
    shares: OnceLock<Option<ValueShares>>,
    classes: OnceLock<Vec<ShareClass>>,
}

/// Operations of one write that follow each other.
#[derive(Debug, Clone, Copy)]
pub struct OperationRun<'a> {
    /// Whose value at an operation's index makes its record.
    pub draws: DrawKey,
    /// Index of the first.
    pub first: u64,
    /// What the first one's sequence fields count.
    pub sequence: u64,
    /// The instant at which `times` start.
    pub start: EpochNanos,
    /// One an operation.
    pub times: &'a [SimTime],
    /// The fields to draw.
    pub asked: FieldMask,
}

/// Rows that are drawn side by side, one field at a time.
const ROWS: usize = 64;

/// What the records of at most [`ROWS`] operations are drawn from.
struct Rows {
    draws: [Draws; ROWS],
    at: [EpochNanos; ROWS],
    sequence: u64,
}

#[derive(Debug)]
struct Step {
    slot: usize,
    /// Tells this field's draws from those of the operation's other fields.
    salt: u64,
    depends: Option<Dependence>,
    rule: ValueRule,
}

/// The value belongs to the values of other fields, not to the operation.
#[derive(Debug)]
struct Dependence {
    key: DrawKey,
    parents: Vec<usize>,
    /// The values, where the only parent has few, or stands for rows that exist.
    known: Option<Known>,
}

/// The values that go with the parent's slots from the first on.
#[derive(Debug)]
enum Known {
    Drawn(i64, Box<[i64]>),
    /// Those of rows that exist, from row 0 on.
    Column(Arc<FieldColumn>),
}

impl Known {
    #[inline(always)]
    fn value(&self, parent: i64) -> Option<i64> {
        match self {
            Self::Drawn(first, values) => values.get(parent.wrapping_sub(*first) as usize).copied(),
            Self::Column(column) => column.slots.get(parent as usize).copied(),
        }
    }
}

/// Values of dependent fields are kept for parents of up to so many values (128 KB a field); for others they are drawn again each time.
const KNOWN_MAX: u64 = 1 << 14;

/// How a field's values come about.
#[derive(Debug)]
pub enum ValueRule {
    Chosen(ValueSampler),
    /// A fresh ordinal of 63 bits.
    Fresh,
    Double {
        min: f64,
        max: f64,
    },
    Normal(Box<TruncatedNormal>),
    Sequence {
        first: i64,
    },
    Timestamp {
        unit: TimeUnit,
        late: Option<Late>,
    },
}

impl RecordGenerator {
    /// Prepares the laws; O(count) for tabulated laws.
    pub fn new(schema: &Schema, seed: Seed, replicate: u32) -> Self {
        let step = |id: FieldId| {
            let field = schema.field(id);
            let rule = ValueRule::new(schema, id, seed, replicate);
            let key = DrawKey::new(seed, replicate, Stream::Dependent, lane_of(&field.name));
            Step {
                slot: usize::from(id.0),
                salt: hash_name(&field.name),
                depends: (!field.of.is_empty()).then(|| Dependence::new(field, schema, key, &rule)),
                rule,
            }
        };
        Self {
            steps: schema.dependency_order().into_iter().map(step).collect(),
            shares: schema.fields.iter().map(|_| OwnShares::default()).collect(),
            schema: schema.clone(),
            seed,
            replicate,
        }
    }

    /// It draws what one made of these would draw.
    pub fn is_of(&self, schema: &Schema, seed: Seed, replicate: u32) -> bool {
        (self.seed, self.replicate) == (seed, replicate) && self.schema == *schema
    }

    /// The draws of one purpose in its replicate.
    pub fn draws(&self, purpose: Stream, lane: u32) -> DrawKey {
        DrawKey::new(self.seed, self.replicate, purpose, lane)
    }

    /// A sequence of random numbers for one purpose in its replicate.
    pub fn sequence(&self, purpose: Stream, lane: u32) -> Xoshiro256PlusPlus {
        stream(self.seed, self.replicate, purpose, lane)
    }

    /// The shares that a field's values have by its law; `None` for fields without a finite count of values. O(values) once, where they are tabulated.
    #[inline]
    pub fn shares(&self, field: FieldId) -> Option<&ValueShares> {
        let found = self.shares[usize::from(field.0)].shares.get_or_init(|| {
            let law = &self.schema.field(field).law;
            ValueShares::new(&self.schema, field, law, self.seed, self.replicate)
        });
        found.as_ref()
    }

    /// The same values in classes of about the same share; none for fields without a finite count of values.
    pub fn classes(&self, field: FieldId) -> &[ShareClass] {
        let classes = || {
            self.shares(field)
                .map_or_else(Vec::new, ValueShares::classes)
        };
        self.shares[usize::from(field.0)]
            .classes
            .get_or_init(classes)
    }

    /// Asks for the share of a slot by a table, if there is one.
    pub fn prefetch_share(&self, field: FieldId, slot: i64) {
        if let Some(Some(shares)) = self.shares[usize::from(field.0)].shares.get() {
            shares.prefetch(slot);
        }
    }

    /// Draws single values of a field by `law`; `None` for fields without a finite count of values, and for those of rows that exist.
    pub fn sampler(&self, field: FieldId, law: &Distribution) -> Option<ValueSampler> {
        let known = self.schema.field(field);
        if known.column.is_some() {
            return None;
        }
        // Its own law is made ready already.
        let mut own = self.steps.iter().filter(|_| known.law == *law);
        match own.find(|step| step.slot == usize::from(field.0)) {
            Some(Step {
                rule: ValueRule::Chosen(sampler),
                ..
            }) => Some(sampler.clone()),
            _ => ValueSampler::new(&self.schema, field, law, self.seed, self.replicate),
        }
    }

    /// Number of slots of a record.
    pub fn width(&self) -> usize {
        self.schema.fields.len()
    }

    /// The fields that it draws.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Writes one record to `out` (`width()` slots). `draws` belong to the operation, `sequence` is what its sequence fields count
    /// (0 for the table's first row), `at` is its instant before lateness, `fixed` are slots that are given (a beat's combination,
    /// `with`) and are not drawn; of two for one field the latter holds.
    pub fn generate(
        &self,
        draws: Draws,
        sequence: u64,
        at: EpochNanos,
        fixed: &[(FieldId, i64)],
        out: &mut [i64],
    ) {
        debug_assert_eq!(out.len(), self.width());
        for (field, slot) in fixed {
            out[usize::from(field.0)] = *slot;
        }
        for step in self.steps.iter().filter(|step| !is_given(fixed, step.slot)) {
            out[step.slot] = match &step.depends {
                None => step.rule.value(&mut draws.salted(step.salt), sequence, at),
                Some(depends) => depends.value(&step.rule, |parent| out[parent], sequence, at),
            };
        }
    }

    /// Asks for the table entries that decide a record's values: when many records are made next, they wait for memory together.
    pub fn prefetch(&self, draws: Draws) {
        for step in &self.steps {
            if let (ValueRule::Chosen(sampler), None) = (&step.rule, &step.depends) {
                sampler.prefetch(draws.salted(step.salt));
            }
        }
    }

    /// The value of a dependent field (`of`) that belongs to the values of those that it depends on, whose slots `slot_of` gives; `None` for
    /// other fields, and for dependent ones that follow the operation all the same (sequences and timestamps).
    pub fn dependent_value(&self, field: FieldId, slot_of: impl Fn(FieldId) -> i64) -> Option<i64> {
        let slot = usize::from(field.0);
        let step = self.steps.iter().find(|step| step.slot == slot)?;
        let depends = step.depends.as_ref()?;
        let slot_of = |slot| slot_of(FieldId(slot as u16));
        (!step.rule.follows_operation())
            .then(|| depends.value(&step.rule, slot_of, 0, EpochNanos(0)))
    }

    /// Writes the records of all operations of `run` to `out`, one after another: the same as [`RecordGenerator::generate`] one by
    /// one, faster. Fields that are neither asked for nor given are left as they are.
    pub fn generate_run(&self, run: OperationRun<'_>, fixed: &[(FieldId, i64)], out: &mut [i64]) {
        let width = self.width();
        debug_assert_eq!(out.len(), run.times.len() * width);
        let chunks = run.times.chunks(ROWS);
        let chunks = chunks.zip(out.chunks_mut(ROWS * width.max(1)));
        for ((times, out), passed) in chunks.zip((0u64..).step_by(ROWS)) {
            let mut rows = Rows {
                draws: [run.draws.at(run.first); ROWS],
                at: [run.start; ROWS],
                sequence: run.sequence + passed,
            };
            let drawn = rows.draws[..times.len()].iter_mut().zip(&mut rows.at);
            for (((draws, at), time), index) in drawn.zip(times).zip(run.first + passed..) {
                *draws = run.draws.at(index);
                *at = run.start.at(*time);
            }
            for (field, slot) in fixed {
                for record in out.chunks_exact_mut(width) {
                    record[usize::from(field.0)] = *slot;
                }
            }
            let drawn = |step: &&Step| run.asked.has(step.slot) && !is_given(fixed, step.slot);
            for step in self.steps.iter().filter(drawn) {
                step.fill(&rows, out.chunks_exact_mut(width));
            }
        }
    }
}

/// Whether the field of a slot is given.
fn is_given(fixed: &[(FieldId, i64)], slot: usize) -> bool {
    fixed.iter().any(|(field, _)| usize::from(field.0) == slot)
}

impl Step {
    /// Draws the field for every row. The usual rules have loops of their own, in which nothing is decided.
    fn fill<'a>(&self, rows: &Rows, records: impl ExactSizeIterator<Item = &'a mut [i64]>) {
        let (slot, salt) = (self.slot, self.salt);
        if let Some(depends) = &self.depends {
            for ((at, record), sequence) in rows.at.iter().zip(records).zip(rows.sequence..) {
                record[slot] = depends.value(&self.rule, |parent| record[parent], sequence, *at);
            }
            return;
        }
        match &self.rule {
            ValueRule::Chosen(ValueSampler {
                first,
                sampler: Sampler::Table { from, table },
            }) => {
                let values = &mut [0; ROWS][..records.len()];
                for (value, draws) in values.iter_mut().zip(&rows.draws) {
                    *value = draws.salted(salt).bits();
                }
                table.sample_all(values);
                for (value, record) in values.iter().zip(records) {
                    record[slot] = first.wrapping_add((from + value) as i64);
                }
            }
            ValueRule::Chosen(ValueSampler {
                first,
                sampler: Sampler::Uniform { count },
            }) => {
                for (draws, record) in rows.draws.iter().zip(records) {
                    record[slot] = first.wrapping_add(draws.salted(salt).below(*count) as i64);
                }
            }
            ValueRule::Timestamp { unit, late: None } => {
                for (at, record) in rows.at.iter().zip(records) {
                    record[slot] = unit.floor(*at);
                }
            }
            rule => {
                let of_rows = rows.draws.iter().zip(&rows.at).zip(rows.sequence..);
                for (((draws, at), sequence), record) in of_rows.zip(records) {
                    record[slot] = rule.value(&mut draws.salted(salt), sequence, *at);
                }
            }
        }
    }
}

impl Dependence {
    fn new(field: &Field, schema: &Schema, key: DrawKey, rule: &ValueRule) -> Self {
        let mut parents = field.of.clone();
        parents.sort_by(|a, b| schema.field(*a).name.cmp(&schema.field(*b).name));
        let known = match parents[..] {
            [parent] if !rule.follows_operation() => {
                let kind = &schema.field(parent).kind;
                let (first, count) = (kind.first_slot(), kind.count());
                let value = |at: u64| {
                    let mut draws = key.at(first.wrapping_add_unsigned(at) as u64);
                    rule.value(&mut draws, 0, EpochNanos(0))
                };
                let few = count.filter(|count| *count <= KNOWN_MAX);
                match &field.column {
                    Some(column) => Some(Known::Column(Arc::clone(column))),
                    None => few.map(|count| Known::Drawn(first, (0..count).map(value).collect())),
                }
            }
            _ => None,
        };
        Self {
            key,
            parents: parents.iter().map(|parent| usize::from(parent.0)).collect(),
            known,
        }
    }

    #[inline(always)]
    fn value(
        &self,
        rule: &ValueRule,
        slot_of: impl Fn(usize) -> i64,
        sequence: u64,
        at: EpochNanos,
    ) -> i64 {
        let known = self.known.as_ref();
        let known = known.and_then(|known| known.value(slot_of(self.parents[0])));
        known.unwrap_or_else(|| self.drawn(rule, slot_of, sequence, at))
    }

    /// The same, by what the draws of a combination of parents are found by.
    #[inline(never)]
    fn drawn(
        &self,
        rule: &ValueRule,
        slot_of: impl Fn(usize) -> i64,
        sequence: u64,
        at: EpochNanos,
    ) -> i64 {
        let index = match self.parents[..] {
            [parent] => slot_of(parent) as u64,
            _ => self.parents.iter().fold(0, |hash: u64, parent| {
                mix(hash.rotate_left(1) ^ slot_of(*parent) as u64)
            }),
        };
        rule.value(&mut self.key.at(index), sequence, at)
    }
}

#[inline(never)]
fn normal_bits(law: &TruncatedNormal, draws: &mut Draws) -> i64 {
    (law.sample(draws) + 0.0).to_bits() as i64
}

impl ValueRule {
    /// By the field's law. O(count) for tabulated laws.
    pub fn new(schema: &Schema, id: FieldId, seed: Seed, replicate: u32) -> Self {
        let field = schema.field(id);
        if let Some(sampler) = ValueSampler::new(schema, id, &field.law, seed, replicate) {
            return Self::Chosen(sampler);
        }
        match (&field.kind, &field.law.shape) {
            (FieldKind::Sequence { first }, _) => Self::Sequence { first: *first },
            (FieldKind::Timestamp { unit, late }, _) => {
                let (unit, late) = (*unit, *late);
                Self::Timestamp { unit, late }
            }
            (FieldKind::Double { min, max }, DistributionShape::Normal { mean, sd }) => {
                let law = TruncatedNormal::new(*mean, *sd, *min, max.next_down());
                Self::Normal(Box::new(law))
            }
            (FieldKind::Double { min, max }, _) => {
                let (min, max) = (*min, *max);
                Self::Double { min, max }
            }
            _ => Self::Fresh,
        }
    }

    /// It follows the operation, even that of a dependent field.
    fn follows_operation(&self) -> bool {
        matches!(self, Self::Sequence { .. } | Self::Timestamp { .. })
    }

    /// The slot of an operation's value; of what is drawn, by the draws alone.
    #[inline(always)]
    pub fn value(&self, draws: &mut Draws, sequence: u64, at: EpochNanos) -> i64 {
        match self {
            Self::Chosen(sampler) => sampler.draw(draws),
            Self::Fresh => (draws.bits() >> 1) as i64,
            Self::Double { min, max } => {
                let value = min + (max - min) * draws.unit();
                // Rounding may reach the excluded end; adding zero turns -0.0, whose bits are a literal's, into 0.0.
                ((if value < *max { value } else { *min }) + 0.0).to_bits() as i64
            }
            Self::Normal(law) => normal_bits(law, draws),
            Self::Sequence { first } => first.saturating_add_unsigned(sequence),
            Self::Timestamp { unit, late } => {
                let at = match late {
                    Some(late) => at.before(lateness(late, draws.unit())),
                    None => at,
                };
                unit.floor(at)
            }
        }
    }
}

/// One uniform number decides whether a record is late, and by how much.
fn lateness(late: &Late, unit: f64) -> SimDuration {
    match unit < late.fraction {
        true => late.up_to.mul_f64(unit / late.fraction),
        false => SimDuration::ZERO,
    }
}
