//! Which share of an origin's rows has what is asked for of a field that others decide. Must not know what a key tells.

use super::marginals::{Marginal, Of, rows_with};
use super::row_count::RowCount;
use super::row_question::ToldField;
use super::row_question::{Item, items};
use super::row_shape::OriginShape;
use super::values_together::{LISTED_MAX, hash_of, share_in};
use crate::record::FieldId;
use smallvec::SmallVec;
use std::sync::Arc;

/// Values of a range that are looked at one by one: some microseconds.
const LOOKED_AT: u64 = 256;

impl RowCount<'_> {
    /// The share of an origin's rows, or of the combinations of its values, that satisfy the `nth` part of the condition, on a dependent field, given the
    /// parts that come before it: those on what changes from write to write of a row come last.
    pub(super) fn dependent(&self, at: usize, nth: usize, item: Item<'_>, of: Of) -> f64 {
        let (origins, marginals) = (&self.population.origins, &self.population.marginals);
        let known = |id: FieldId| {
            let mut equal = self.condition.equal.iter();
            let asked = || equal.find(|(field, _)| *field == id).map(|(_, slot)| *slot);
            origins[at].fixed_slot(id).or_else(asked)
        };
        if let Some(holds) = marginals.decided(at, item, self.condition) {
            return f64::from(u8::from(holds));
        }
        if let Some(share) = self.share_of_group(at, item) {
            return share;
        }
        if let Some(share) = self.share_in_range(at, item, of) {
            return share;
        }
        if item.groups.is_some() {
            return marginals.share_of_item(at, item, of);
        }
        let place =
            |(nth, it): (usize, Item<'_>)| (self.equality.changing.contains(&it.field), nth);
        let before = items(self.condition).enumerate();
        let before = before.filter(|of| place(*of) < place((nth, item)));
        let before = before.map(|(_, item)| item);
        let roots = marginals.roots(at, item.field);
        let schema = marginals.generator.schema();
        let column = |field| schema.field(field).column.as_deref();
        if column(item.field).is_some() {
            // Rows of one file go together.
            let asked = marginals.of_file(at, item.field, before.chain([item]));
            let before = match &asked[..asked.len() - 1] {
                [] => asked[0].0.slots.len() as f64,
                before => rows_with(before),
            };
            return match before > 0.0 {
                true => rows_with(&asked) / before,
                false => 0.0,
            };
        }
        let related = |other: &Item<'_>| {
            let of = marginals.roots(at, other.field);
            origins[at].fixed_slot(other.field).is_none()
                && (roots.contains(&other.field) || of.iter().any(|root| roots.contains(root)))
        };
        // What the condition decides says nothing besides.
        let is_open = |other: &Item<'_>| {
            schema.field(other.field).of.is_empty()
                || marginals.decided(at, *other, self.condition).is_none()
        };
        let before = before.filter(related).filter(is_open);
        let root_known = roots.iter().any(|root| known(*root).is_some());
        if before.clone().next().is_none()
            && !root_known
            && let Some(share) = marginals.tabulated(at, item.field, item.slots(), of)
        {
            return share;
        }
        if of == Of::Rows
            && let Some(share) = self.listed_share(at, item, before.clone())
        {
            return share;
        }
        let by_law = marginals.by_law(item.field, item.slots());
        if !before.clone().all(|other| other.holds(self.target)) {
            return by_law;
        }
        // What the target's own parents contribute, and for all others independence.
        let own = roots.iter().filter(|root| known(**root).is_none());
        let own = own.map(|root| {
            let slot = self.target[usize::from(root.0)];
            marginals.independent(at, *root, (slot, slot.saturating_add(1)), of)
        });
        let parents = marginals.share_of_parents((at, item.field), self.target, of);
        let own: f64 = (parents.filter(|_| !root_known)).unwrap_or_else(|| own.product());
        // The condition on related fields before this one has left a share of the parents, of which the target's are a greater part.
        let before = before.filter(|other| !roots.contains(&other.field));
        let left = before.map(|other| marginals.by_law(other.field, other.slots()));
        let own = own / (own + (1.0 - own) * left.product::<f64>()).max(f64::MIN_POSITIVE);
        let own_holds = f64::from(u8::from(item.holds(self.target)));
        own * own_holds + (1.0 - own) * by_law
    }

    /// Of a field that follows from others which are asked for, too, and of which some change from write to write of a row: the share of the rows that may be the
    /// same ones as those of which `share` is asked for. They have what the key tells of all.
    pub(super) fn whole_beside(
        &self,
        at: usize,
        shape: &OriginShape,
        item: Item<'_>,
        share: f64,
    ) -> Option<f64> {
        let marginals = &self.population.marginals;
        let changing = self.equality.changing;
        let mut asked = SmallVec::<[Item<'_>; 2]>::new();
        let is_open = |it: &&Item<'_>| changing.contains(&it.field);
        if !self.asked_above(item.field, &mut asked) || !asked.iter().any(|it| is_open(&it)) {
            return None;
        }
        let in_origin = |field| move |slots| marginals.share_in(at, field, slots);
        let whole = |item: Item<'_>, own| {
            let grouped = shape.grouped(item.field);
            grouped.map(|it| it.of_item(item, own, in_origin(item.field)))
        };
        let own = marginals.share_of_item(at, item, Of::Rows);
        let by_chance = match whole(item, own) {
            Some(whole) => whole.max(own),
            None if changing.contains(&item.field) => 1.0,
            None => own,
        };
        let (mut own, mut all) = (1.0, 1.0);
        for parent in asked.iter().filter(is_open) {
            let share = marginals.share_of_item(at, *parent, Of::Rows);
            own *= share;
            all *= whole(*parent, share).unwrap_or(1.0);
        }
        let with_own = own * share;
        let of_others = (by_chance - with_own).max(0.0) / (1.0 - own).max(f64::MIN_POSITIVE);
        Some((with_own + (all - own) * of_others) / all)
    }

    /// Adds the single values that are asked for of what decides a field, the nearest of each; `false` where some of it is not asked for.
    fn asked_above<'i>(&'i self, field: FieldId, asked: &mut SmallVec<[Item<'i>; 2]>) -> bool {
        let parents = &self.population.marginals.generator.schema().field(field).of;
        let mut is_asked = |parent: &FieldId| {
            let mut known = items(self.condition);
            match known.find(|it| it.field == *parent && it.is_single()) {
                Some(own) => {
                    asked.push(own);
                    true
                }
                None => self.asked_above(*parent, asked),
            }
        };
        !parents.is_empty() && parents.iter().all(&mut is_asked)
    }

    /// The same of a single value, or a group, of a field that follows from another one, of which the condition asks for a group of listed values.
    fn share_of_group(&self, at: usize, item: Item<'_>) -> Option<f64> {
        let marginals = &self.population.marginals;
        let field = marginals.generator.schema().field(item.field);
        let mut alike = self.condition.alike.iter();
        let (groups, group) = alike.find(|it| field.of[..] == [it.0.field])?;
        let is_one = item.is_single() || item.groups.is_some_and(|it| it.are_known());
        // What many things decide is not listed: it would be worked out anew each time.
        let countable = marginals.countable(at, item.field);
        let are_few = countable.is_some_and(|(_, things)| things as f64 <= LISTED_MAX);
        if !groups.are_known() || !is_one || !(are_few || field.column.is_some()) {
            return None;
        }
        let asked = (groups.field, Some(Arc::clone(groups)));
        let own = (item.field, item.groups.cloned());
        let values = self.population.together(at, &[own], &[asked])?;
        let (_, found) = values.with(|_| Some(i64::from(*group)))?;
        let all: f64 = found.iter().map(|it| it.1).sum();
        Some(share_in(found, hash_of([item.low].into_iter())).unwrap_or(0.0) / all)
    }

    /// The same of a field that follows from another one, of which the condition leaves a short range: each value of that is looked at.
    fn share_in_range(&self, at: usize, item: Item<'_>, of: Of) -> Option<f64> {
        let marginals = &self.population.marginals;
        let field = marginals.generator.schema().field(item.field);
        let mut ranges = self.condition.between.iter();
        let (parent, low, high) = *ranges.find(|it| field.of[..] == [it.0])?;
        let is_short = high.abs_diff(low) <= LOOKED_AT && low < high;
        let is_own = matches!(marginals.of(at, parent), Marginal::Own { .. });
        if !(is_short && is_own && item.groups.is_none() && field.column.is_none()) {
            return None;
        }
        let [mut all, mut own] = [0.0; 2];
        for slot in low..high {
            let share = marginals.independent(at, parent, (slot, slot + 1), of);
            let value = marginals.generator.dependent_value(item.field, |_| slot)?;
            all += share;
            own += if item.has(value) { share } else { 0.0 };
        }
        (all > 0.0).then(|| own / all)
    }

    /// The same of a single value beside single values of fields that the same things decide, where each of these can be looked at.
    fn listed_share<'i>(
        &self,
        at: usize,
        item: Item<'i>,
        before: impl Iterator<Item = Item<'i>> + Clone,
    ) -> Option<f64> {
        let marginals = &self.population.marginals;
        let asked = before.clone().map(|other| (other.field, None));
        let asked: SmallVec<[ToldField; 4]> = asked.collect();
        let things = marginals.countable(at, item.field)?.1 as f64;
        let roots = marginals.roots(at, item.field);
        let follows = |other: &Item<'_>| {
            let mut of = marginals.roots(at, other.field).iter();
            roots.contains(&other.field) || of.all(|root| roots.contains(root))
        };
        let mut all = before.clone().chain([item]);
        let are_few = !asked.is_empty() && things <= LISTED_MAX;
        if !are_few || !all.all(Item::is_single) || !before.clone().all(|it| follows(&it)) {
            return None;
        }
        let values = self
            .population
            .together(at, &[(item.field, None)], &asked)?;
        let slot = |field| before.clone().find(|it| it.field == field).map(|it| it.low);
        let Some((_, found)) = values.with(slot) else {
            return values.are_listed().then_some(0.0);
        };
        let all: f64 = found.iter().map(|it| it.1).sum();
        Some(share_in(found, hash_of([item.low].into_iter())).unwrap_or(0.0) / all)
    }
}
