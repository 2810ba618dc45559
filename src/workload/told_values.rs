//! The values of what is told that rows of one origin have in their cells. Must not know how many rows there are.

use super::marginals::{Marginal, Of, ValueClasses};
use super::row_count::{
    FixedValue, KnownValue, Part, Ranges, RowCount, Selection, ValueShare, ValueShares,
};
use super::row_question::{Item, items};
use super::row_shape::{FieldRole, Narrowing, Together};
use super::values_together::share_in;
use crate::record::{FieldId, ShareClass, share_classes};
use smallvec::SmallVec;
use std::borrow::Cow;

type HashShares<'a> = Cow<'a, [(u64, f64)]>;

/// What fields that go together have in what satisfies the condition.
pub(super) struct Listed {
    /// The first of them, which decides the others' values.
    pub field: FieldId,
    pub classes: ValueClasses,
    /// The share of what the target has.
    pub own: f64,
    /// How many times as often as of all rows its newest write has what is asked for.
    pub own_kept: f64,
}

impl<'a> RowCount<'a> {
    /// The part of the told fields' values that the condition leaves.
    pub(super) fn left(&self, of: &Selection<'_>, ranges: &Ranges) -> Part {
        let (mut left, marginals) = (of.filled, &self.population.marginals);
        for &(nth, combined, narrowing) in &of.shape.narrowings {
            let Some(item) = items(self.condition).nth(nth) else {
                continue;
            };
            let width = item.high.abs_diff(item.low) as f64;
            match narrowing {
                Narrowing::Follows => {
                    left.cut(combined, self.dependent(of.origin, nth, item, Of::Values));
                }
                Narrowing::Told => {
                    let range = ranges.iter().find(|(field, ..)| *field == item.field);
                    let values = width / marginals.count(item.field);
                    left.cut(
                        combined,
                        range.map_or(values.min(1.0), |(.., whole)| *whole),
                    );
                }
            }
        }
        for of_all in &of.shape.together {
            let is_listed = ranges.iter().any(|it| it.0 == of_all.values.first());
            let asked = of_all.asked.iter();
            let asked = asked.filter(|_| !is_listed && !of_all.is_changing);
            for (nth, item) in asked.filter_map(|at| Some((*at, items(self.condition).nth(*at)?))) {
                let share = match marginals.of(of.origin, item.field) {
                    Marginal::Own { .. } => marginals.share_of_item(of.origin, item, Of::Values),
                    _ => self.dependent(of.origin, nth, item, Of::Values),
                };
                left.cut(of_all.combined, share);
            }
        }
        left
    }

    /// Values that rivals fix, of told fields of which values or groups have to be told apart: those of all fields, where only a part of the writes is asked for.
    pub(super) fn values_apart(
        &self,
        of: &Selection<'_>,
        rivals: &[&Selection<'_>],
        are_all: bool,
    ) -> SmallVec<[FixedValue; 2]> {
        let mut others: SmallVec<[FixedValue; 2]> = SmallVec::new();
        let told = self.equality.told.iter();
        for (field, rival) in told.flat_map(|it| rivals.iter().map(move |of| (it, of))) {
            if let Marginal::Fixed(slot) = self.population.marginals.of(rival.origin, *field) {
                let (value, share) = (
                    self.equality.told_of(*field, *slot),
                    self.share_of(of, *field, *slot),
                );
                let is_apart = are_all || of.shape.grouped(*field).is_some();
                if is_apart && !others.contains(&(*field, value, share)) {
                    others.push((*field, value, share));
                }
            }
        }
        others
    }

    /// The classes of a told field's values among an origin's rows; `None` when there is one value in a cell for certain.
    pub(super) fn classes<'s>(
        &self,
        of: &'s Selection<'_>,
        field: FieldId,
        role: FieldRole,
    ) -> Option<&'s ValueClasses>
    where
        'a: 's,
    {
        let several = !matches!(role, FieldRole::Given | FieldRole::Single);
        let range = of.ranges.iter().find(|(of, ..)| *of == field);
        let mut together = of.shape.together.iter();
        let together = together.find(|it| it.values.first() == field);
        let range = range.map(|it| &it.1);
        let known = range.or(together.map(|it| &it.values.classes));
        several.then(|| match (known, of.shape.grouped(field)) {
            (Some(classes), _) => classes,
            (None, Some(grouped)) => &grouped.classes,
            (None, None) => self.population.marginals.classes(of.origin, field),
        })
    }

    /// How many combinations of classes of values a sum over the cells of a step goes through.
    pub(super) fn classes_in_a_step(&self) -> usize {
        let of_one = |of: &Selection<'_>| {
            let told = self.told(of);
            let classes = told.filter_map(|(field, role)| self.classes(of, field, role));
            classes.map(|it| it.classes.len()).product()
        };
        self.selected.iter().map(of_one).max().unwrap_or(0)
    }

    /// The share of one value of a told field, or of its group.
    pub(super) fn share_of(&self, of: &Selection<'_>, field: FieldId, slot: i64) -> f64 {
        let marginals = &self.population.marginals;
        let Some(grouped) = of.shape.grouped(field) else {
            return marginals.share_of(of.origin, field, slot);
        };
        let share = |slots| marginals.share_in(of.origin, field, slots);
        let item = Item::of((field, slot, slot.saturating_add(1)));
        let share = grouped.of_item(item, share(item.slots()), share);
        let range = of.ranges.iter().find(|(of, ..)| *of == field);
        range.map_or(share, |(.., whole)| share.min(*whole))
    }

    /// Hashes and shares of what fields have together in what satisfies the condition: with single values, or in the rows of a file that have one
    /// of those that are asked for. `None` of others. The place of single values among all comes with them.
    fn listed<'s>(
        &self,
        of: &Selection<'_>,
        together: &'s Together,
    ) -> Option<(HashShares<'s>, Option<usize>)> {
        let (marginals, values) = (&self.population.marginals, &together.values);
        let asked = together.asked.iter();
        let asked = asked.filter_map(|nth| items(self.condition).nth(*nth));
        let asked: SmallVec<[Item<'_>; 4]> = asked.collect();
        if asked.is_empty() {
            return None;
        }
        if asked.iter().all(|it| it.is_single() || it.groups.is_some()) {
            let slot = |field| asked.iter().find(|it| it.field == field).map(|it| it.low);
            let (place, found) = values.with(slot)?;
            return Some((Cow::Borrowed(found), Some(place)));
        }
        let columns = marginals.of_file(of.origin, values.first(), asked.iter().copied());
        let found = columns.iter().map(|(of, it)| of.rows(it.low, it.high));
        let fewest = found.min_by_key(|rows| rows.len())?;
        if columns.len() < asked.len() || !values.is_of_file(marginals) {
            return None;
        }
        let holds = |row: &u32| {
            let mut columns = columns.iter();
            columns.all(|(of, it)| it.has(of.slots[*row as usize]))
        };
        let listed = values.of_rows(fewest.iter().copied().filter(holds));
        Some((Cow::Owned(listed), None))
    }

    /// These in classes, which are kept for single values.
    pub(super) fn listed_classes(&self, of: &Selection<'_>) -> impl Iterator<Item = Listed> {
        of.shape.together.iter().filter_map(move |together| {
            let (listed, place) = self.listed(of, together)?;
            let values = &together.values;
            // Of what changes all writes hold a cell, and as many of its newest ones have what is asked for as of its writes.
            let of_cell = |(hash, share): &(u64, f64), asked: f64| match together.is_changing {
                true => {
                    let share_of_all = values.whole_of(*hash)?;
                    Some((share_of_all, share / share_of_all / asked))
                }
                false => Some((share / asked, 1.0)),
            };
            let classed = || {
                let asked = listed.iter().map(|it| it.1).sum::<f64>();
                let asked = asked.max(f64::MIN_POSITIVE);
                let cells = listed.iter().filter_map(|it| of_cell(it, asked));
                let classes = cells.map(|(share, values)| ShareClass { values, share });
                (asked, ValueClasses::of(share_classes(classes)))
            };
            let mut of_places = together.classes.borrow_mut();
            let (asked, classes) = match place {
                Some(place) => of_places.entry(place).or_insert_with(classed).clone(),
                None => classed(),
            };
            // Who asks of no row in particular has one like the others.
            let mean = asked / listed.len().max(1) as f64;
            let own_hash = values.hash_told(self.target);
            let own = share_in(&listed, own_hash).unwrap_or(mean);
            let (own, own_kept) = of_cell(&(own_hash, own), asked).unwrap_or((own, 1.0));
            Some(Listed {
                field: values.first(),
                classes,
                own,
                own_kept,
            })
        })
    }

    /// The share of the target's value of a told field, and of those that go with it.
    pub(super) fn share_of_target(&self, of: &Selection<'_>, field: FieldId) -> f64 {
        let mut together = of.shape.together.iter();
        let together = together.find(|it| it.values.first() == field);
        let listed = of.own.iter().find(|it| it.0 == field);
        let marginals = &self.population.marginals;
        match (together, listed) {
            (_, Some((_, own))) => *own,
            (Some(it), _) => it.values.share_of(marginals, of.origin, self.target),
            (None, None) => self.share_of(of, field, self.target[usize::from(field.0)]),
        }
    }

    /// Sums over the classes of values of the told fields behind those that have `values`, and over single ones that `others` fix.
    pub(super) fn each_class(
        &self,
        (of, others): (&Selection<'_>, &[FixedValue]),
        values: &mut ValueShares,
        each: &dyn Fn(&[ValueShare]) -> f64,
    ) -> f64 {
        let Some((field, role)) = self.told(of).nth(values.len()) else {
            return each(values);
        };
        let mut sum_of = |share: f64, known: KnownValue| {
            values.push(ValueShare { share, known });
            let sum = self.each_class((of, others), values, each);
            values.pop();
            sum
        };
        let marginals = &self.population.marginals;
        let Some(classes) = self.classes(of, field, role) else {
            // As the rows of others see it.
            return match marginals.of(of.origin, field) {
                Marginal::Fixed(slot) => {
                    let known = KnownValue::Told(self.equality.told_of(field, *slot));
                    sum_of(self.share_of(of, field, *slot), known)
                }
                _ => sum_of(1.0, KnownValue::Decided),
            };
        };
        let others = others.iter().filter(|(other, ..)| *other == field);
        let known = match others.clone().next() {
            Some(_) => KnownValue::Other,
            None => KnownValue::Any,
        };
        let whole = of.ranges.iter().find(|(of, ..)| *of == field);
        let whole = whole.map_or(1.0, |(.., whole)| *whole);
        let (mut sum, mut left) = (0.0, marginals.count(field));
        for (_, value, share) in others.clone() {
            sum += sum_of(*share, KnownValue::Told(*value)) / whole;
        }
        // Each of these is one of the class whose values have about its share.
        let apart = |of: &ShareClass, share: f64| libm::log(of.share / share).abs();
        let nearest = |(.., share): &FixedValue| {
            let all = classes
                .classes
                .iter()
                .map(|of| apart(of, *share))
                .enumerate();
            let all = all.filter(|_| *share > 0.0);
            all.min_by(|a, b| a.1.total_cmp(&b.1)).map(|it| it.0)
        };
        let single: SmallVec<[Option<usize>; 4]> = others.map(nearest).collect();
        for (at, class) in classes.classes.iter().enumerate() {
            let single = single.iter().filter(|it| **it == Some(at)).count() as f64;
            left -= class.values;
            sum += (class.values - single / whole).max(0.0) * sum_of(class.share, known);
        }
        if role == FieldRole::Even && left > 0.5 {
            // Values that no draw takes.
            sum += left * sum_of(0.0, known);
        }
        sum
    }
}
