//! How likely two rows are alike in what is made of their fields, though the fields differ.

use super::code::{Code, Randomness};
use super::field_steps::no_draws;
use super::run::{Row, Rows};
use crate::random::mix;
use crate::record::{FieldId, Schema};

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
    /// Of all pairs of rows those that are alike in what is no hash, those of equal fields among them.
    plain: f64,
    /// Of the others among these, those that have the same hashes.
    hashed: f64,
}

impl Coincidences {
    /// Of what is made of fields, each with the fields in which two rows may differ; they are alike in what `given` codes make. Those that are `stepped` are used in
    /// steps, within which rows differ in nothing. O(4,096) for
    /// each set of fields.
    pub(super) fn of(
        made: &[(&Code, Vec<FieldId>)],
        given: &[&Code],
        stepped: &[FieldId],
        schema: &Schema,
    ) -> Self {
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
            if codes.iter().all(is_of) {
                of.count([&given, &codes], stepped, schema);
            }
        }
        Self(together)
    }

    /// Of pairs of rows that differ in their fields, the share that is alike in all that is made of them. For each field, `equal` has the share of equal values
    /// among all that it can have, or of the values in the same step: several times where a step is divided further. `own` is the share of the rows that have the
    /// target's values of some fields.
    pub fn chance(&self, equal: &[(FieldId, f64)], mut own: impl FnMut(&[FieldId]) -> f64) -> f64 {
        let others = |of: &Coincidence| {
            let equal = equal.iter().filter(|(field, _)| of.fields.contains(field));
            let equal: f64 = equal.map(|(_, share)| share).product();
            match equal < 1.0 {
                true => (of.plain.max(equal) - equal) / (1.0 - equal) * of.hashed,
                false => 0.0,
            }
        };
        if let [of] = &self.0[..] {
            return others(of);
        }
        // Rows that share some of the fields may be alike in what is made of the rest.
        let (mut same, mut alike) = (1.0, 1.0);
        for of in &self.0 {
            let own = own(&of.fields);
            same *= own;
            alike *= own + (1.0 - own) * others(of);
        }
        match same < 1.0 {
            true => ((alike - same) / (1.0 - same)).max(0.0),
            false => 0.0,
        }
    }

    /// What is made in this place has so many values for each of the fields' values.
    pub fn spread(&mut self, place: Option<usize>, values: f64) {
        let is_of = |of: &Coincidence| place.is_some_and(|place| of.made.contains(&place));
        for of in self.0.iter_mut().filter(|of| is_of(of)) {
            match of.hashed < 1.0 {
                true => of.hashed *= values,
                false => of.plain = (of.plain * values).min(1.0),
            }
        }
    }
}

impl Coincidence {
    /// Compares what the codes make of values of the fields, as if these were equally frequent, among those of which alike is made by the given ones.
    fn count(&mut self, [given, codes]: [&[&Code]; 2], stepped: &[FieldId], schema: &Schema) {
        // Rows of a file are drawn as they are.
        let values = |id: &FieldId| {
            let field = schema.field(*id);
            if let Some(column) = &field.column {
                return (*id, Some(column), (0, column.slots.len() as u64));
            }
            let slots = schema.slots(*id);
            let all = (slots.start, slots.end.abs_diff(slots.start).max(1));
            let first = field.kind.first_slot();
            let counted = field.kind.count().map(|count| (first, count));
            (*id, None, counted.unwrap_or(all))
        };
        let fields: Vec<_> = self.fields.iter().map(values).collect();
        let has_column = fields.iter().any(|(_, column, _)| column.is_some());
        let counts = fields.iter().map(|(.., (_, count))| *count);
        let counted = counts.fold(1, u64::saturating_mul);
        let count = if has_column { u64::MAX } else { counted };
        let compared = count.min(COMPARED);
        let mut record = vec![0; schema.fields.len()];
        let mut part = Vec::new();
        let mut made = |at: u64| {
            let mut rest = at;
            let mut drawn = 1;
            for (nth, (id, column, (first, values))) in (1..).zip(&fields) {
                let value = match count > COMPARED {
                    true => mix(at ^ mix(if column.is_some() { 0 } else { nth })),
                    false => rest,
                } % values;
                rest /= values;
                let slot = match column {
                    Some(column) => column.slots[value as usize],
                    None => first.wrapping_add_unsigned(value),
                };
                record[usize::from(id.0)] = slot;
                drawn = mix(drawn ^ slot as u64);
            }
            let row = Row {
                record: &record,
                index: 0,
                draws: no_draws(),
            };
            let [given, codes] = [given, codes].map(|codes| {
                codes.iter().fold(1, |hash, code| {
                    part.clear();
                    code.write(&Rows::one(&row), &mut part);
                    let bytes = part.iter();
                    bytes.fold(mix(hash), |hash, byte| mix(hash ^ u64::from(*byte)))
                })
            });
            [given, codes, drawn]
        };
        let mut made: Vec<[u64; 3]> = (0..compared).map(&mut made).collect();
        made.sort_unstable();
        // Each pair counts twice.
        let pairs = |alike: fn(&[u64; 3], &[u64; 3]) -> bool| {
            let runs = made.chunk_by(alike).map(|run| run.len() as f64);
            runs.map(|values| values * (values - 1.0)).sum::<f64>()
        };
        let (all, alike) = (pairs(|a, b| a[0] == b[0]), pairs(|a, b| a[..2] == b[..2]));
        let is_hash = codes
            .iter()
            .any(|code| code.facts.randomness == Randomness::Hashed);
        let in_steps = self.fields.iter().any(|field| stepped.contains(field));
        let by_value = given.is_empty() && !in_steps && (is_hash || has_column);
        let same = match has_column {
            true => pairs(|a, b| a == b) / all,
            false => 1.0 / count as f64,
        };
        if count <= COMPARED {
            // All pairs of different values are there; those of equal ones are not.
            let (alike, all) = match by_value {
                true => (alike, all),
                false => (alike + compared as f64, all + compared as f64),
            };
            let share = if all > 0.0 { alike / all } else { 0.0 };
            (self.plain, self.hashed) = if by_value { (1.0, share) } else { (share, 1.0) };
            return;
        }
        let known = same + (self.plain.max(same) - same) * self.hashed;
        let (expected, share) = (all * known, alike / all);
        let error = (2.0 * expected.max(alike)).sqrt();
        if all > 0.0 && (alike - expected).abs() > CONTRADICTED * error {
            (self.plain, self.hashed) = match by_value {
                true => (1.0, ((share - same) / (1.0 - same)).max(0.0)),
                false => (share, 1.0),
            };
        }
    }
}
