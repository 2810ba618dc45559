//! The values of what is told that rows of one origin have in their cells. Must not know how many rows there are.

use super::marginals::{Marginal, ValueClasses, rows_with};
use super::row_count::{FixedValue, KnownValue, RowCount, Selection, ValueShare, ValueShares};
use super::row_question::{Item, items};
use super::row_shape::FieldRole;
use crate::record::{FieldId, ShareClass};
use smallvec::SmallVec;

impl<'a> RowCount<'a> {
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
        several.then(|| match (range, of.shape.grouped(field)) {
            (Some((_, classes, _)), _) => classes,
            (None, Some(grouped)) => &grouped.classes,
            (None, None) => self.population.marginals.classes(of.origin, field),
        })
    }

    /// The share of one value of a told field, or of its group.
    pub(super) fn share_of(&self, of: &Selection<'_>, field: FieldId, slot: i64) -> f64 {
        let marginals = &self.population.marginals;
        let Some(grouped) = of.shape.grouped(field) else {
            return marginals.share_of(of.origin, field, slot);
        };
        let share = |slots| marginals.share_in(of.origin, field, slots);
        let share = grouped.of_slots((slot, slot.saturating_add(1)), share);
        let range = of.ranges.iter().find(|(of, ..)| *of == field);
        range.map_or(share, |(.., whole)| share.min(*whole))
    }

    /// What rows of files that satisfy the condition have in their told columns: of the first of them, which decides the others'.
    pub(super) fn classes_in_files(
        &self,
        of: &Selection<'_>,
    ) -> impl Iterator<Item = (FieldId, ValueClasses, f64)> {
        let marginals = &self.population.marginals;
        of.shape.columns.iter().map(move |columns| {
            let asked = items(self.condition);
            let classes = marginals.classes_of_file(of.origin, columns, asked);
            (columns[0], classes, 1.0)
        })
    }

    /// The share of the target's values of these columns of a file among the file's rows that satisfy the condition.
    pub(super) fn share_in_file(&self, of: &Selection<'_>, columns: &[FieldId]) -> f64 {
        let marginals = &self.population.marginals;
        let asked = items(self.condition);
        let own = columns.iter().map(|&field| {
            let low = self.target[usize::from(field.0)];
            let high = low.saturating_add(1);
            Item { field, low, high }
        });
        let all = marginals.of_file(of.origin, columns[0], asked.clone());
        let own = marginals.of_file(of.origin, columns[0], asked.chain(own));
        let rows = match all[..] {
            [] => marginals.rows_of_file(columns[0]),
            _ => rows_with(&all),
        };
        // The target is one of the file's rows.
        rows_with(&own).max(1.0) / rows.max(1.0)
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
