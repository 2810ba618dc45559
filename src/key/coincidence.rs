//! How likely two rows are alike in what is made of their fields, though the fields differ.

use super::code::{Code, Randomness};
use super::digit::joined;
use super::field_steps::{FieldSteps, coarse_uses, no_draws};
use super::formats::DateSteps;
use super::run::{Row, Rows};
use crate::random::{Seed, mix};
use crate::record::{
    Distribution, DistributionShape, FieldColumn, FieldId, FieldKind, Schema, ValueGroups,
    ValueRule, ValueShares,
};
use crate::time::EpochNanos;
use std::sync::Arc;

/// All values of fields that together have at most this many are compared, of others this many draws.
const COMPARED: u64 = 4_096;

/// Of drawn values so many standard errors contradict what is known of segments one by one: by chance once in 16,000 times.
const CONTRADICTED: f64 = 4.0;

/// How often two rows are alike in what is made of their fields.
#[derive(Debug, Clone, Default)]
pub struct Coincidences(Vec<Coincidence>);

/// Of what is made of the same fields.
#[derive(Debug, Clone)]
struct Coincidence {
    /// Fields in which the two may differ.
    fields: Vec<FieldId>,
    /// Places, in the order that was given, of what is made of them.
    made: Vec<usize>,
    /// What is made of one field, where nothing else is alike that is made of it, and which of its values make the same.
    alone: Option<(FieldSteps, Option<Arc<ValueGroups>>)>,
    /// Of pairs of rows that lie in the same steps of their fields, those that are alike in all else that is given.
    told: f64,
    /// Of these pairs those that are alike in what is no hash, those of equal fields among them.
    plain: f64,
    /// Of the others among these, those that have the same hashes.
    hashed: f64,
}

impl Coincidences {
    /// Of what is made of fields, each with the fields in which two rows may differ; they are alike in what `given` codes make, and in `equal` fields, which
    /// tell of others where they are columns of a file. Those that are `stepped` are used in steps, within which rows differ in nothing. O(4,096) for each set
    /// of fields.
    pub(super) fn of(
        (made, given): (&[(&Code, Vec<FieldId>)], &[&Code]),
        (stepped, equal): (&[FieldId], &[FieldId]),
        schema: &Schema,
    ) -> Self {
        let column = |id: &FieldId| schema.field(*id).column.as_deref();
        let equal: Vec<&FieldColumn> = equal.iter().filter_map(column).collect();
        let mut together: Vec<Coincidence> = Vec::new();
        for (at, (code, free)) in made.iter().enumerate() {
            let space = code.facts.space();
            let among = space.map_or(0.0, |count| 1.0 / count.max(1) as f64);
            let shares = |other: &Coincidence| other.fields.iter().any(|it| free.contains(it));
            let (joined, apart): (Vec<_>, Vec<_>) = together.into_iter().partition(shares);
            together = apart;
            let (plain, hashed) = match code.facts.randomness {
                Randomness::Plain => (among, 1.0),
                Randomness::Hashed | Randomness::Random => (1.0, among),
            };
            let mut all = Coincidence {
                fields: free.clone(),
                made: vec![at],
                alone: None,
                told: 1.0,
                plain,
                hashed,
            };
            for other in joined {
                all.fields.extend(other.fields);
                all.made.extend(other.made);
                all.plain *= other.plain;
                all.hashed *= other.hashed;
            }
            all.fields.sort_unstable();
            all.fields.dedup();
            together.push(all);
        }
        for of in &mut together {
            let is_of = |code: &&Code| {
                let fields = &code.facts.fields;
                !fields.is_empty() && fields.iter().all(|field| of.fields.contains(field))
            };
            let codes: Vec<&Code> = of.made.iter().map(|at| made[*at].0).collect();
            let given: Vec<&Code> = given.iter().copied().filter(is_of).collect();
            if let ([field], [], true) = (&of.fields[..], &given[..], equal.is_empty())
                && codes.iter().all(is_of)
            {
                let codes = codes.iter().map(|code| (*code).clone().in_order());
                let steps = FieldSteps::new(*field, codes.collect());
                // Rows of a file that have any of several values are not counted together with its other columns.
                let groups = steps.groups(schema).filter(|_| column(field).is_none());
                of.alone = Some((steps, groups.map(Arc::new)));
            }
            if codes.iter().all(is_of) {
                of.count([&given, &codes], (stepped, &equal), schema);
            }
        }
        Self(together)
    }

    /// Of pairs of rows that differ in their fields, the share that is alike in all that is made of them. For each field, `equal` has the share of equal values
    /// among all that it can have, or of the values in the same step: several times where a step is divided further. `own` is the share of the rows that have the
    /// target's values of some fields; `alike` has the share of the other values of a field that are alike in what is made of it alone, where that is known.
    pub fn chance(
        &self,
        equal: &[(FieldId, f64)],
        mut own: impl FnMut(&[FieldId]) -> f64,
        alike: &[(FieldId, f64)],
    ) -> f64 {
        let others = |of: &Coincidence| {
            let alone =
                |known: &&(FieldId, f64)| of.alone.as_ref().is_some_and(|it| it.0.field == known.0);
            if let Some((_, chance)) = alike.iter().find(alone) {
                return *chance;
            }
            let equal = equal.iter().filter(|(field, _)| of.fields.contains(field));
            let equal: f64 = equal.map(|(_, share)| share).product();
            let equal = equal / of.told;
            match equal < 1.0 {
                true => (of.plain.max(equal) - equal) / (1.0 - equal) * of.hashed,
                false => 0.0,
            }
        };
        if let [of] = &self.0[..] {
            return others(of);
        }
        // Rows that share some of the fields may be alike in what is made of the rest.
        let (mut same, mut both) = (1.0, 1.0);
        for of in &self.0 {
            let own = own(&of.fields);
            same *= own;
            both *= own + (1.0 - own) * others(of);
        }
        match same < 1.0 {
            true => ((both - same) / (1.0 - same)).max(0.0),
            false => 0.0,
        }
    }

    /// What is made of one field each, where nothing else is alike that is made of it.
    pub fn alone(&self) -> impl Iterator<Item = &FieldSteps> {
        self.0.iter().filter_map(|of| Some(&of.alone.as_ref()?.0))
    }

    /// Of a field of which alone something is made, which values make the same.
    pub fn groups(&self, field: FieldId) -> Option<&Arc<ValueGroups>> {
        let mut alone = self.0.iter().filter_map(|of| of.alone.as_ref());
        alone.find(|it| it.0.field == field)?.1.as_ref()
    }

    /// What is made in this place has so many values for each of the fields' values.
    pub fn spread(&mut self, place: Option<usize>, values: f64) {
        let is_of = |of: &Coincidence| place.is_some_and(|place| of.made.contains(&place));
        for of in self.0.iter_mut().filter(|of| is_of(of)) {
            of.alone = None;
            match of.hashed < 1.0 {
                true => of.hashed = (of.hashed * values).min(1.0),
                false => of.plain = (of.plain * values).min(1.0),
            }
        }
    }
}

/// How frequent the values of a field are.
enum Law<'a> {
    /// All alike, or nobody knows which are the frequent ones.
    Alike,
    Shares(ValueShares),
    Draws(ValueRule),
    Rows(&'a FieldColumn),
}

impl Coincidence {
    /// Compares what the codes make of values of the fields among those of which alike is made by the given ones. Values are as frequent as their field's law
    /// says, and equally frequent where it deals its ranks out at random.
    fn count(
        &mut self,
        [given, codes]: [&[&Code]; 2],
        (stepped, equal): (&[FieldId], &[&FieldColumn]),
        schema: &Schema,
    ) {
        let values = |id: &FieldId| {
            let field = schema.field(*id);
            if let Some(column) = &field.column {
                return (0, column.distinct);
            }
            let slots = schema.slots(*id);
            let all = (slots.start, slots.end.abs_diff(slots.start).max(1));
            let counted = field.kind.count();
            counted.map_or(all, |count| (field.kind.first_slot(), count))
        };
        let values: Vec<(i64, u64)> = self.fields.iter().map(values).collect();
        let counts = values.iter().map(|(_, count)| *count);
        // The share of equal ones among all that fields can have.
        let distinct: f64 = counts.clone().map(|count| 1.0 / count as f64).product();
        let mut fields = self.fields.iter();
        let has_column = fields.any(|id| schema.field(*id).column.is_some());
        let count = match has_column {
            true => u64::MAX,
            false => counts.fold(1, u64::saturating_mul),
        };
        let is_drawn = count > COMPARED;
        let laws = self.fields.iter().map(|id| Law::of(schema, *id, is_drawn));
        let laws: Vec<Law> = laws.collect();
        let by_law = laws.iter().any(|law| !matches!(law, Law::Alike));
        let compared = count.min(COMPARED);
        // Those of one step are counted as such.
        let steps: Vec<&Code> = given
            .iter()
            .copied()
            .filter(|it| in_steps(it, given))
            .collect();
        let mut record = vec![0; schema.fields.len()];
        let mut part = Vec::new();
        let draws = no_draws();
        let mut made = |at: u64| {
            let of_row = |column: &FieldColumn| {
                let row = mix(at ^ mix(0)) % column.slots.len() as u64;
                column.slots[row as usize]
            };
            let mut rest = at;
            let (mut drawn, mut weight) = (1, 1.0);
            let fields = self.fields.iter().zip(&laws).zip(&values);
            for (nth, ((id, law), (first, values))) in (1..).zip(fields) {
                let draw = mix(at ^ mix(nth));
                let nth_value = if is_drawn { draw } else { rest } % values;
                rest /= values;
                let mut slot = first.wrapping_add_unsigned(nth_value);
                match law {
                    Law::Alike => {}
                    Law::Shares(shares) => {
                        weight *= shares.share_between(slot, slot.saturating_add(1));
                    }
                    Law::Draws(rule) => {
                        slot = rule.value(&mut draws.salted(draw), 0, EpochNanos::default());
                    }
                    // Rows are drawn as they are.
                    Law::Rows(column) => slot = of_row(column),
                }
                record[usize::from(id.0)] = slot;
                drawn = mix(drawn ^ slot as u64);
            }
            let row = Row::new(&record, 0, draws);
            let equal = equal.iter().filter(|_| has_column);
            let equal = equal.fold(1, |hash, column| mix(hash ^ of_row(column) as u64));
            let parts = [(&steps[..], 1), (given, equal), (codes, 1)];
            let [steps, given, codes] = parts.map(|(codes, seed)| {
                codes.iter().fold(seed, |hash, code| {
                    part.clear();
                    code.write(&Rows::one(&row), &mut part);
                    let bytes = part.iter();
                    bytes.fold(mix(hash), |hash, byte| mix(hash ^ u64::from(*byte)))
                })
            });
            ([steps, given, codes, drawn], weight)
        };
        let mut made: Vec<([u64; 4], f64)> = (0..compared).map(&mut made).collect();
        made.sort_unstable_by_key(|(made, _)| *made);
        // Each pair counts twice.
        let pairs = |parts: usize| {
            let runs = made
                .chunk_by(|a, b| a.0[..parts] == b.0[..parts])
                .map(|run| {
                    let all: f64 = run.iter().map(|(_, weight)| weight).sum();
                    all * all - run.iter().map(|(_, weight)| weight * weight).sum::<f64>()
                });
            runs.sum::<f64>()
        };
        let [every, in_step, all, alike] = [0, 1, 2, 3].map(pairs);
        let is_hash = codes
            .iter()
            .any(|code| code.facts.randomness == Randomness::Hashed);
        let is_stepped = self.fields.iter().any(|field| stepped.contains(field));
        let is_given = !given.is_empty() || has_column && !equal.is_empty();
        let by_value = !(is_given || is_stepped) && (is_hash || has_column);
        let weights: f64 = made.iter().map(|(_, weight)| weight * weight).sum();
        // Of two that differ. All pairs of different values are there, or some of drawn ones.
        let same = match is_drawn {
            false => 0.0,
            true if by_law => pairs(4) / all,
            true => distinct,
        };
        let others = ((alike / all - same) / (1.0 - same)).max(0.0);
        if all <= 0.0 || others.is_nan() {
            return;
        }
        self.told = (all + weights) / (in_step + weights);
        let equal = (distinct * (every + weights) / (all + weights)).min(1.0);
        let known = (self.plain.max(equal) - equal) / (1.0 - equal) * self.hashed;
        let expected = all * (same + known * (1.0 - same));
        let error = (2.0 * expected.max(alike)).sqrt();
        if !is_drawn || (alike - expected).abs() > CONTRADICTED * error {
            (self.plain, self.hashed) = match by_value {
                true => (1.0, others),
                false => (equal + others * (1.0 - equal), 1.0),
            };
        }
    }
}

/// Does what is `given` tell steps of all fields of this part of it, in which nothing of it changes?
fn in_steps(code: &Code, given: &[&Code]) -> bool {
    code.facts.fields.iter().all(|field| {
        let digits = given.iter().flat_map(|of| of.facts.told.iter().copied());
        let all = joined(digits.filter(|digit| digit.field == *field));
        coarse_uses(
            code,
            *field,
            (&all.parts, true, DateSteps::Days),
            &mut Vec::new(),
        )
    })
}

impl<'a> Law<'a> {
    /// Which of its values are drawn, or the shares of all.
    fn of(schema: &'a Schema, id: FieldId, is_drawn: bool) -> Self {
        let field = schema.field(id);
        if let Some(column) = &field.column {
            return Self::Rows(column);
        }
        let law = &field.law;
        let is_known = law.ranked || matches!(law.shape, DistributionShape::Normal { .. });
        let is_default = !is_known || *law == Distribution::default();
        // The slots of doubles are their bits, which no law makes equally frequent.
        if is_default && !matches!(field.kind, FieldKind::Double { .. }) {
            return Self::Alike;
        }
        let found = match is_drawn {
            true => Some(Self::Draws(ValueRule::new(schema, id, Seed(0), 0))),
            false => ValueShares::new(schema, id, law, Seed(0), 0).map(Self::Shares),
        };
        found.unwrap_or(Self::Alike)
    }
}
