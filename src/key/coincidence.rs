//! How likely two rows are alike in what is made of their fields, though the fields differ.

use super::code::{Code, Randomness};
use super::field_steps::no_draws;
use super::run::{Row, Rows};
use crate::random::mix;
use crate::record::{FieldId, Schema};

/// All values of a field with at most this many are compared, of others this many draws.
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
    /// Of all pairs of rows those that are alike in what is no hash, those of equal fields among them; of all that is made where that was counted.
    plain: f64,
    /// Of these, those of different fields that have the same hashes; 1 where that was counted.
    hashed: f64,
}

impl Coincidences {
    /// Of what is made of fields, each with the fields in which two rows may differ. O(4,096) for each field.
    pub(super) fn of(made: &[(&Code, Vec<FieldId>)], schema: &Schema) -> Self {
        let mut together: Vec<Coincidence> = Vec::new();
        for (at, (code, free)) in made.iter().enumerate() {
            let among = code
                .facts
                .space()
                .map_or(0.0, |count| 1.0 / count.max(1) as f64);
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
            let codes = of.made.iter().map(|at| made[*at].0);
            if let [field] = of.fields[..]
                && codes.clone().all(|code| code.facts.fields == [field])
                && let Some(share) = of.counted(&codes.collect::<Vec<_>>(), field, schema)
            {
                (of.plain, of.hashed) = (share, 1.0);
            }
        }
        Self(together)
    }

    /// Of pairs of rows that differ in their fields, the share that is alike in all that is made of them. For each field, which share of all pairs has equal values,
    /// or values in the same step: several times where a step is divided further.
    pub fn chance(&self, equal: &[(FieldId, f64)]) -> f64 {
        let (mut same, mut alike) = (1.0, 1.0);
        for of in &self.0 {
            let own = equal.iter().filter(|(field, _)| of.fields.contains(field));
            let own = own.map(|(_, share)| share).product();
            same *= own;
            alike *= of.share(own);
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
    /// Of pairs of which a share has the `same` fields, those that are alike.
    fn share(&self, same: f64) -> f64 {
        same + (self.plain.max(same) - same) * self.hashed
    }

    /// The share of the pairs of a field's values, as if these were equally frequent, of which alike is made; `None` where draws don't contradict what is known.
    fn counted(&self, codes: &[&Code], id: FieldId, schema: &Schema) -> Option<f64> {
        if schema.field(id).column.is_some() {
            return None;
        }
        let kind = &schema.field(id).kind;
        let (first, count) = kind.count().map_or_else(
            || {
                let slots = schema.slots(id);
                (slots.start, slots.end.abs_diff(slots.start))
            },
            |count| (kind.first_slot(), count),
        );
        let compared = count.min(COMPARED);
        let mut record = vec![0; schema.fields.len()];
        let mut part = Vec::new();
        let mut made = |at: u64| {
            let at = match count > COMPARED {
                true => mix(at) % count,
                false => at,
            };
            record[usize::from(id.0)] = first.wrapping_add_unsigned(at);
            let row = Row {
                record: &record,
                index: 0,
                draws: no_draws(),
            };
            codes.iter().fold(1, |hash, code| {
                part.clear();
                code.write(&Rows::one(&row), &mut part);
                part.iter()
                    .fold(mix(hash), |hash, byte| mix(hash ^ u64::from(*byte)))
            })
        };
        let mut made: Vec<u64> = (0..compared).map(&mut made).collect();
        made.sort_unstable();
        let alike = made.chunk_by(|a, b| a == b).map(|alike| alike.len() as f64);
        let pairs: f64 = alike.map(|values| values * (values - 1.0)).sum();
        let all = compared as f64;
        if count <= COMPARED {
            return Some((pairs + all) / (all * all));
        }
        let of_others = all * (all - 1.0);
        let expected = of_others * self.share(1.0 / count as f64);
        // Each pair counts twice.
        let error = (2.0 * expected.max(pairs)).sqrt();
        ((pairs - expected).abs() > CONTRADICTED * error).then_some(pairs / of_others)
    }
}
