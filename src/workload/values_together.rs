//! Told fields whose values go together, as the same things decide them: columns of one file, fields that are `of` the same others. Must not know how many
//! rows there are.

use super::marginals::{Marginal, Marginals, Of, ValueClasses};
use super::row_question::ToldField;
use crate::random::mix;
use crate::record::{FieldId, ShareClass, ValueShares, share_classes};
use smallvec::SmallVec;
use std::sync::Arc;

/// So many things that decide fields are looked at one by one: 0.05 s and 4 MB at most.
pub(super) const LISTED_MAX: f64 = 262_144.0;

/// More things than that for each combination of the fields' values, and all of these are taken: their number is right to e^-4.
const CROWDED: f64 = 4.0;

/// Most things of one combination then: one in a million has more.
const MOST_SHARED: u32 = 16;

/// What some fields have together among an origin's rows.
#[derive(Debug)]
pub(super) struct ValuesTogether {
    /// The first of the told fields has the values of all in a cell.
    told: Vec<ToldField>,
    /// Fields beside them that are asked for, or groups of the values of some.
    asked: Vec<ToldField>,
    /// What decides all of them.
    pub(super) roots: Vec<FieldId>,
    pub(super) classes: ValueClasses,
    /// Hashes of what is asked for, in their order, and of what is told with it, with its share; none where there are too many.
    hashes: Vec<u64>,
    shares: Vec<(u64, f64)>,
    /// Hashes of what is told, in their order, and its share, whatever it has of what is asked for; none where there are too many.
    whole: Vec<(u64, f64)>,
    /// The place of what each row of a file tells among these; none of what is no file.
    of_rows: Vec<u32>,
}

impl ValuesTogether {
    /// `None` where the fields are as good as independent, or not of values that can be counted.
    pub(super) fn of(
        marginals: &Marginals,
        origin: usize,
        told: &[ToldField],
        asked: &[ToldField],
    ) -> Option<Self> {
        let mut together = Self {
            told: told.to_vec(),
            asked: asked.to_vec(),
            roots: Vec::new(),
            classes: ValueClasses::of(Vec::new()),
            hashes: Vec::new(),
            shares: Vec::new(),
            whole: Vec::new(),
            of_rows: Vec::new(),
        };
        let fields = together.fields();
        let roots = &mut together.roots;
        roots.extend(fields.iter().flat_map(|it| marginals.deciders(origin, *it)));
        roots.sort_unstable();
        roots.dedup();
        let schema = marginals.generator.schema();
        let counts = roots.iter().map(|it| schema.field(*it).count());
        let things = counts.map(|it| Some(it? as f64)).product::<Option<f64>>()?;
        if things <= LISTED_MAX || together.is_of_file(marginals) {
            let (mut all, of) = (Vec::new(), (&together.roots[..], &fields[..]));
            let numbers = 0..things as u64;
            marginals.each_combination(origin, of, Of::Rows, numbers, |record, share| {
                let asked = asked.iter().map(|it| told_of(it, record));
                all.push(((hash_of(asked), together.hash_told(record)), share));
            })?;
            let told = all.iter().map(|((_, told), share)| (*told, *share));
            together.whole = added_up(told.collect());
            if together.is_of_file(marginals) {
                let place = |hash| together.whole.partition_point(|it| it.0 < hash) as u32;
                together.of_rows = all.iter().map(|((_, told), _)| place(*told)).collect();
            }
            let all = added_up(all);
            let weights: Vec<f64> = all.iter().map(|it| it.1).collect();
            together.classes = ValueClasses::of(ValueShares::of_weights(0, &weights).classes());
            let pairs = all
                .into_iter()
                .map(|((asked, told), share)| (asked, (told, share)));
            (together.hashes, together.shares) = pairs.unzip();
            return Some(together);
        }
        // So many things are thrown into all combinations of values.
        let counts = told
            .iter()
            .chain(asked)
            .map(|(field, groups)| match groups {
                Some(groups) => groups.count,
                None => marginals.count(*field),
            });
        let values: f64 = counts.product();
        // As many of these have one, two or more of them as a Poisson number says.
        let of_each = things / values;
        let mut values = libm::exp(-of_each) / of_each;
        let class = |share: f64| {
            values *= of_each / share;
            ShareClass { values, share }
        };
        let mut classes: Vec<ShareClass> = (1..=MOST_SHARED).map(f64::from).map(class).collect();
        for root in &together.roots {
            let count = marginals.count(*root);
            let even = [ShareClass {
                values: count,
                share: 1.0 / count,
            }];
            let own = match marginals.of(origin, *root) {
                Marginal::Own { combined: true } => &even[..],
                _ => &marginals.classes(origin, *root).classes,
            };
            let with = |of: &ShareClass| {
                let (values, share) = (of.values, of.share);
                own.iter().map(move |it| ShareClass {
                    values: values * it.values,
                    share: share * it.share,
                })
            };
            classes = share_classes(classes.iter().flat_map(with));
        }
        together.classes = ValueClasses::of(classes);
        (of_each < CROWDED).then_some(together)
    }

    /// It is what these fields have together.
    pub(super) fn is_of(&self, told: &[ToldField], asked: &[ToldField]) -> bool {
        let is_same = |(a, b): (&ToldField, &ToldField)| {
            let groups = |of: &ToldField| of.1.as_ref().map(Arc::as_ptr);
            a.0 == b.0 && groups(a) == groups(b)
        };
        let are_same =
            |a: &[ToldField], b: &[ToldField]| a.len() == b.len() && a.iter().zip(b).all(is_same);
        are_same(&self.told, told) && are_same(&self.asked, asked)
    }

    /// The field that has the values of all in a cell.
    pub(super) fn first(&self) -> FieldId {
        self.told[0].0
    }

    pub(super) fn has(&self, field: FieldId) -> bool {
        self.told.iter().any(|it| it.0 == field)
    }

    /// Those that are told, then those that are asked for.
    pub(super) fn fields(&self) -> Vec<FieldId> {
        let told = self.told.iter().map(|it| it.0);
        told.chain(self.asked.iter().map(|it| it.0)).collect()
    }

    /// The rows of a file decide them, and nothing else.
    pub(super) fn is_of_file(&self, marginals: &Marginals) -> bool {
        marginals.are_of_file(&self.roots)
    }

    /// Few enough things decide them that each one was looked at.
    pub(super) fn are_listed(&self) -> bool {
        !self.hashes.is_empty()
    }

    /// The share of what is told that has this hash.
    pub(super) fn whole_of(&self, hash: u64) -> Option<f64> {
        share_in(&self.whole, hash)
    }

    /// Hashes of what these rows of a file tell, with their shares. O(rows + all that is told).
    pub(super) fn of_rows(&self, rows: impl Iterator<Item = u32>) -> Vec<(u64, f64)> {
        let mut counts = vec![0u32; self.whole.len()];
        rows.for_each(|row| counts[self.of_rows[row as usize] as usize] += 1);
        let all = self.of_rows.len() as f64;
        let found = self.whole.iter().zip(counts).filter(|it| it.1 > 0);
        found
            .map(|((hash, _), count)| (*hash, f64::from(count) / all))
            .collect()
    }

    /// A hash of what a record has in the told fields.
    pub(super) fn hash_told(&self, record: &[i64]) -> u64 {
        hash_of(self.told.iter().map(|it| told_of(it, record)))
    }

    /// Hashes of what is told with these values of the fields that are asked for, or numbers of their groups, with their shares, and their place among all; `None`
    /// where there are too many to know.
    pub(super) fn with(
        &self,
        asked: impl Fn(FieldId) -> Option<i64>,
    ) -> Option<(usize, &[(u64, f64)])> {
        let slots = self.asked.iter().map(|it| asked(it.0));
        let slots = slots.collect::<Option<SmallVec<[i64; 4]>>>()?;
        self.with_hash(hash_of(slots.into_iter()))
    }

    fn with_hash(&self, hash: u64) -> Option<(usize, &[(u64, f64)])> {
        let from = self.hashes.partition_point(|it| *it < hash);
        let some = &self.hashes[from..];
        let found = &self.shares[from..][..some.partition_point(|it| *it == hash)];
        (!found.is_empty()).then_some((from, found))
    }

    /// The share of what a record has there.
    pub(super) fn share_of(&self, marginals: &Marginals, origin: usize, record: &[i64]) -> f64 {
        if !self.shares.is_empty() {
            let asked = self.asked.iter().map(|it| told_of(it, record));
            let with = self.with_hash(hash_of(asked));
            let own = with.and_then(|(_, it)| share_in(it, self.hash_told(record)));
            // Who asks of no row in particular has one like the others.
            return own.unwrap_or(1.0 / self.shares.len() as f64);
        }
        let own = |root: &FieldId| {
            let slot = record[usize::from(root.0)];
            marginals.share_in(origin, *root, (slot, slot.saturating_add(1)))
        };
        self.roots.iter().map(own).product()
    }
}

/// A record's value of a field, or the number of its group.
fn told_of((field, groups): &ToldField, record: &[i64]) -> i64 {
    let slot = record[usize::from(field.0)];
    let group = groups.as_ref().and_then(|it| it.of(slot));
    group.map_or(slot, i64::from)
}

/// A hash of values in their order.
pub(super) fn hash_of(slots: impl Iterator<Item = i64>) -> u64 {
    slots.fold(0, |hash, slot| mix(hash ^ mix(slot as u64)))
}

/// The share of what has this hash.
pub(super) fn share_in(shares: &[(u64, f64)], hash: u64) -> Option<f64> {
    let place = shares.binary_search_by_key(&hash, |it| it.0);
    place.ok().map(|at| shares[at].1)
}

/// The shares of what has the same hash, in the order of the hashes.
pub(super) fn added_up<H: Ord + Copy>(mut all: Vec<(H, f64)>) -> Vec<(H, f64)> {
    all.sort_unstable_by_key(|it| it.0);
    all.dedup_by(|next, kept| {
        kept.1 += if next.0 == kept.0 { next.1 } else { 0.0 };
        next.0 == kept.0
    });
    all
}
