//! How the rows of one origin are shared among the values of its fields. Must not know how many rows there are.

use super::row_history::RowOrigin;
use super::row_question::{Condition, Item};
use super::row_source::sortable;
use crate::record::{
    Distribution, DistributionShape, FieldColumn, FieldId, FieldKind, Late, RecordGenerator,
    Schema, ShareClass, TimeUnit, ValueGroups, ValueShares,
};
use crate::statistics::values_met;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Dependent values (`of`) are tabulated when what they depend on has at most so many combinations, and they themselves so many values: 0.1 s and 32 MB at
/// most. For more, each combination is taken to have an independent value by the field's law.
const TABULATED_MAX: u64 = 1 << 22;

/// Values of a range that are looked at one by one; of more, the first ones are, and those behind together, the more the further behind.
const SINGLE_VALUES: u64 = 64;

/// So few neighbours of a range, of which none is frequent, count as their mean.
const AVERAGED: u64 = 8;

/// So many values are put in order: a quarter of a second and 50 MB at most.
const SORTED_MAX: u64 = 1 << 18;

/// Of more values than that, the first ones of any order are like all of them; fewer are looked at one by one, for each instant.
const LIKE_ALL: u64 = 1 << 12;

/// How all fields' values come about among the rows of every origin. What takes a pass over values is prepared when it is first asked for.
#[derive(Debug, Clone)]
pub(super) struct Marginals {
    pub(super) generator: Arc<RecordGenerator>,
    /// Of each field, by its own law.
    laws: Vec<OnceLock<ValueClasses>>,
    /// Of each origin and field; those of origins that fix and combine the same are shared.
    of_origins: Vec<Arc<[Marginal]>>,
    /// Of the groups that were asked for, and the first of the origins whose values come about so.
    grouped: Arc<Mutex<Vec<GroupsOfOrigin>>>,
    /// Of each origin that is sorted by a field, the share of the rows before each of its values.
    sorted: Vec<OnceLock<Vec<f64>>>,
}

/// Groups, and the first of the origins that they have these shares in.
type GroupsOfOrigin = (usize, Arc<GroupShares>);

/// The shares of groups of values among an origin's rows.
#[derive(Debug)]
pub(super) struct GroupShares {
    pub(super) groups: Arc<ValueGroups>,
    of_groups: Vec<f64>,
    pub(super) classes: ValueClasses,
}

/// How one origin's rows come to their values of one field.
#[derive(Debug)]
pub(super) enum Marginal {
    /// All have this slot.
    Fixed(i64),
    /// From the instant that a row carries.
    Instant { unit: TimeUnit, late: Option<Late> },
    /// From its number, that of the origin's first row being 0 for this slot.
    Number { first: i64 },
    /// By the field's own law or, where they are combined, every combination as often.
    Own { combined: bool },
    /// By the values of other fields, of which all are combined or some are drawn.
    OfOthers {
        combined: bool,
        values: Box<DependentValues>,
    },
}

/// Values that others decide.
#[derive(Debug)]
pub(super) struct DependentValues {
    /// The fields in which the rows differ and which decide them.
    roots: Vec<FieldId>,
    by_rows: Shares,
    evenly: Shares,
}

/// The shares of a field's values, once they are asked for; none of fresh values and doubles.
#[derive(Debug, Clone, Default)]
struct Shares {
    shares: OnceLock<Option<ValueShares>>,
    classes: OnceLock<ValueClasses>,
}

/// All values in classes of about the same share.
#[derive(Debug, Clone)]
pub(super) struct ValueClasses {
    pub(super) classes: Vec<ShareClass>,
    /// The sum of their squared shares.
    pub(super) squares: f64,
}

/// What a share is a share of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// An origin's rows.
    Rows,
    /// The values that its fields can have, or the combinations of them.
    Values,
}

impl Shares {
    fn get(&self, prepare: impl FnOnce() -> Option<ValueShares>) -> Option<&ValueShares> {
        self.shares.get_or_init(prepare).as_ref()
    }

    fn classes(&self, prepare: impl FnOnce() -> Option<ValueShares>) -> &ValueClasses {
        self.classes.get_or_init(|| {
            let shares = self.get(prepare);
            ValueClasses::of(shares.map_or_else(Vec::new, ValueShares::classes))
        })
    }
}

impl ValueClasses {
    pub(super) fn of(classes: Vec<ShareClass>) -> Self {
        let squares = classes.iter().map(|of| of.values * of.share * of.share);
        Self {
            squares: squares.sum(),
            classes,
        }
    }

    /// Of a part of all rows from classes that make up the whole of it.
    fn of_part(classes: Vec<ShareClass>, whole: f64) -> Self {
        let of_all = |it: ShareClass| ShareClass {
            values: it.values / whole,
            share: it.share * whole,
        };
        Self::of(classes.into_iter().map(of_all).collect())
    }
}

/// From so many values in a group on, groups are alike (estimate: of 50,000 values by Zipf's law of exponent 1.1 in 65,536 hashes, 2.3 in each group of several,
/// 1.4 % fewer are met than counted, in 16,384 hashes 3 %).
const ALIKE: f64 = 8.0;

/// Rare values, which have a `share` together and classes unless there are too many, thrown into so many of `all` groups that hold any of them besides frequent
/// ones: the classes of these groups, and what each frequent value's group has of them. Values that are alone in a group keep their shares, those that share one do
/// so with others of their class, or, where many do, with any.
fn in_few_groups(
    rare: &[ShareClass],
    share: f64,
    [groups, all]: [f64; 2],
) -> (Vec<ShareClass>, f64) {
    let (values, alone) = match rare.is_empty() {
        true => (f64::INFINITY, 0.0),
        false => {
            let values = rare.iter().map(|of| of.values).sum::<f64>();
            let alone = libm::exp(-values / values_met(groups.min(values), values));
            (values, alone)
        }
    };
    // What the groups of frequent values have of them is not theirs.
    let (joined, left) = (1.0 - alone, groups / all);
    let shared = groups - if alone > 0.0 { values * alone } else { 0.0 };
    let of_each = values * joined / shared;
    let mut classes: Vec<ShareClass> = Vec::new();
    let mut add = |values: f64, share: f64| {
        if values > 0.0 && share > 0.0 {
            classes.push(ShareClass { values, share });
        }
    };
    rare.iter().for_each(|of| add(of.values * alone, of.share));
    match of_each < ALIKE {
        true => {
            let merged = rare.iter();
            merged.for_each(|of| add(of.values * joined / of_each, of.share * of_each * left));
        }
        false => add(shared, share * joined * left / shared),
    }
    (classes, share * joined / all)
}

impl GroupShares {
    /// Where it is not known which values lie in which group, the frequent ones of their `classes` lie in groups of their own, and all others in any.
    fn of(
        groups: &Arc<ValueGroups>,
        share: impl Fn((i64, i64)) -> f64,
        classes: impl FnOnce() -> Vec<ShareClass>,
    ) -> Self {
        let of_value = |slot: &i64| share((*slot, slot.saturating_add(1)));
        let of_group = |values: &Vec<i64>| values.iter().map(of_value).sum();
        let of_groups: Vec<f64> = groups.of_groups.iter().map(of_group).collect();
        let classes = match groups.are_known() {
            true => ValueShares::of_weights(0, &of_groups).classes(),
            false => {
                let (mut classes, rare): (Vec<_>, Vec<_>) = classes()
                    .into_iter()
                    .partition(|of| of.share > 1.0 / groups.count);
                let [left, share] = classes.iter().fold([groups.count, 1.0], |left, of| {
                    [left[0] - of.values, left[1] - of.values * of.share]
                });
                // All but a rounding error may be frequent.
                let share = if share > 1e-9 { share } else { 0.0 };
                let parts = in_few_groups(&rare, share, [left, groups.count]);
                classes.iter_mut().for_each(|of| of.share += parts.1);
                classes.extend(parts.0);
                classes
            }
        };
        Self {
            groups: Arc::clone(groups),
            of_groups,
            classes: ValueClasses::of(classes),
        }
    }

    /// The share of the groups of the slots that are asked for, of which any have a `share`, and these their `own`.
    pub(super) fn of_item(
        &self,
        item: Item<'_>,
        own: f64,
        share: impl Fn((i64, i64)) -> f64,
    ) -> f64 {
        if !self.groups.are_known() {
            let (whole, [met, all]) = self.groups.around(item.slots());
            return own + (share(whole) - own) * met / all;
        }
        // What is no value of the field has no group.
        let groups = self.met(item);
        let shares = groups.iter().map(|at| self.of_groups[*at as usize]);
        if groups.is_empty() { own } else { shares.sum() }
    }

    /// Some of the slots that are asked for lie in the group of this one.
    pub(super) fn meets(&self, item: Item<'_>, slot: i64) -> bool {
        let group = self.groups.of(slot);
        group.is_some_and(|it| self.met(item).contains(&it))
    }

    /// The known groups of the slots that are asked for.
    fn met(&self, item: Item<'_>) -> SmallVec<[u32; 16]> {
        match item.groups {
            Some(own) => self.groups.of_all(&own.of_groups[item.low as usize]),
            None => self.groups.of_slots(item.slots()),
        }
    }

    /// The groups of the slots that are asked for in classes, which have a share of `whole` together.
    pub(super) fn between(&self, item: Item<'_>, whole: f64) -> ValueClasses {
        let classes = match self.groups.are_known() {
            true => {
                let met = self.met(item);
                let shares = met.iter().map(|at| self.of_groups[*at as usize]);
                ValueShares::of_weights(0, &shares.collect::<Vec<f64>>()).classes()
            }
            false => {
                let (_, [values, _]) = self.groups.around(item.slots());
                let share = 1.0 / values;
                vec![ShareClass { values, share }]
            }
        };
        ValueClasses::of_part(classes, whole)
    }
}

impl Marginals {
    pub(super) fn new(origins: &[RowOrigin], generator: &Arc<RecordGenerator>) -> Self {
        let schema = generator.schema();
        let fields = || (0..schema.fields.len() as u16).map(FieldId);
        let mut of_origins: Vec<Arc<[Marginal]>> = Vec::with_capacity(origins.len());
        for origin in origins {
            let like =
                |other: &RowOrigin| (&other.fixed, &other.each) == (&origin.fixed, &origin.each);
            let same = origins[..of_origins.len()].iter().position(like);
            let marginal = |field| Marginal::new(field, origin, schema);
            of_origins.push(match same {
                Some(same) => Arc::clone(&of_origins[same]),
                None => fields().map(marginal).collect(),
            });
        }
        Self {
            laws: fields().map(|_| OnceLock::new()).collect(),
            of_origins,
            grouped: Arc::default(),
            sorted: origins.iter().map(|_| OnceLock::new()).collect(),
            generator: Arc::clone(generator),
        }
    }

    /// How an origin's rows come to their values of a field.
    pub(super) fn of(&self, origin: usize, field: FieldId) -> &Marginal {
        &self.of_origins[origin][usize::from(field.0)]
    }

    /// The fields that decide a dependent field's value among the rows of an origin; empty for fields that depend on nothing in which they differ.
    pub(super) fn roots(&self, origin: usize, field: FieldId) -> &[FieldId] {
        match self.of(origin, field) {
            Marginal::OfOthers { values, .. } => &values.roots,
            _ => &[],
        }
    }

    /// The fields in which the rows of an origin differ and which decide a field's value: itself, where it depends on nothing.
    pub(super) fn deciders(&self, origin: usize, field: FieldId) -> Vec<FieldId> {
        match self.of(origin, field) {
            Marginal::OfOthers { values, .. } => values.roots.clone(),
            Marginal::Own { .. } => vec![field],
            _ => Vec::new(),
        }
    }

    /// These are the rows of a file, and nothing else.
    pub(super) fn are_of_file(&self, roots: &[FieldId]) -> bool {
        let fields = &self.generator.schema().fields;
        let mut columns = fields.iter().filter(|field| field.column.is_some());
        columns.any(|field| field.of == roots)
    }

    /// Values that a field can have; 1 where they are not counted.
    pub(super) fn count(&self, field: FieldId) -> f64 {
        self.generator.schema().field(field).count().unwrap_or(1) as f64
    }

    pub(super) fn kind(&self, field: FieldId) -> &FieldKind {
        &self.generator.schema().field(field).kind
    }

    /// The share of slots `low..high` of a field that is neither fixed nor dependent.
    pub(super) fn independent(
        &self,
        origin: usize,
        field: FieldId,
        slots: (i64, i64),
        of: Of,
    ) -> f64 {
        let combined = matches!(self.of(origin, field), Marginal::Own { combined: true });
        if of == Of::Values || combined {
            return even_share(self.kind(field), slots);
        }
        self.by_law(field, slots)
    }

    /// The share of slots `low..high` by the field's own law.
    pub(super) fn by_law(&self, field: FieldId, (low, high): (i64, i64)) -> f64 {
        let shares = self.generator.shares(field);
        // Fresh values and doubles: no two are alike.
        shares.map_or(0.0, |shares| shares.share_between(low, high))
    }

    /// Known fields and those that an origin fixes decide a dependent one.
    pub(super) fn follows(
        &self,
        origin: usize,
        field: FieldId,
        is_known: &dyn Fn(FieldId) -> bool,
    ) -> bool {
        let mut parents = self.generator.schema().field(field).of.iter();
        let is_decided = |parent: &FieldId| match self.of(origin, *parent) {
            Marginal::Fixed(_) => true,
            _ => is_known(*parent) || self.follows(origin, *parent, is_known),
        };
        matches!(self.of(origin, field), Marginal::OfOthers { .. }) && parents.all(is_decided)
    }

    /// Whether the rows of an origin that satisfy a condition have such a value of a dependent field; `None` where the condition does not say all that
    /// decides it.
    pub(super) fn decided(
        &self,
        origin: usize,
        item: Item<'_>,
        condition: Condition<'_>,
    ) -> Option<bool> {
        let value = self.value_of_parents(origin, item.field, condition)?;
        Some(value.is_none_or(|value| item.has(value)))
    }

    /// The value of a dependent field in the rows of an origin that satisfy a condition, if that can be told; `None` where the condition does not say all that
    /// decides it.
    pub(super) fn value_of_parents(
        &self,
        origin: usize,
        field: FieldId,
        condition: Condition<'_>,
    ) -> Option<Option<i64>> {
        let known = |id: FieldId| match self.of(origin, id) {
            Marginal::Fixed(slot) => Some(*slot),
            _ => {
                let mut equal = condition.equal.iter();
                equal.find(|(field, _)| *field == id).map(|(_, slot)| *slot)
            }
        };
        let parents = &self.generator.schema().field(field).of;
        if parents.iter().any(|parent| known(*parent).is_none()) {
            return None;
        }
        let slot_of = |parent| known(parent).unwrap_or(0);
        Some(self.generator.dependent_value(field, slot_of))
    }

    /// The share of slots `low..high` of a dependent field, where it is tabulated.
    pub(super) fn tabulated(
        &self,
        origin: usize,
        field: FieldId,
        (low, high): (i64, i64),
        of: Of,
    ) -> Option<f64> {
        let Marginal::OfOthers { values, .. } = self.of(origin, field) else {
            return None;
        };
        let shares = match of {
            Of::Rows => &values.by_rows,
            Of::Values => &values.evenly,
        };
        let shares = shares.get(|| self.tabulate(origin, field, of))?;
        Some(shares.share_between(low, high))
    }

    /// The share of one slot, by the table of a dependent field or else by the field's own law.
    pub(super) fn share_of(&self, origin: usize, field: FieldId, slot: i64) -> f64 {
        let slots = (slot, slot.saturating_add(1));
        let tabulated = self.tabulated(origin, field, slots, Of::Rows);
        tabulated.unwrap_or_else(|| self.by_law(field, slots))
    }

    /// The same of slots, which may be combined.
    pub(super) fn share_in(&self, origin: usize, field: FieldId, slots: (i64, i64)) -> f64 {
        let tabulated = self.tabulated(origin, field, slots, Of::Rows);
        tabulated.unwrap_or_else(|| self.independent(origin, field, slots, Of::Rows))
    }

    /// From which part of an origin's rows to which those with these slots of the field lie that they are sorted by; `None` where its values are too many to
    /// know.
    pub(super) fn sorted_part(
        &self,
        origin: usize,
        field: FieldId,
        (low, high): (i64, i64),
    ) -> Option<(f64, f64)> {
        let share = |slots| self.share_in(origin, field, slots);
        let before = match self.kind(field) {
            FieldKind::Int { .. } | FieldKind::Digits { .. } => share((i64::MIN, low)),
            kind => {
                let value = usize::try_from(low.wrapping_sub(kind.first_slot()));
                *self.before_each(origin, field)?.get(value.ok()?)?
            }
        };
        Some((before, before + share((low, high))))
    }

    /// The values that the first part of an origin's rows has of the field that these are sorted by, in classes that make up the whole of them; `None` where they are
    /// like all its values: as likely as these, or as many.
    pub(super) fn sorted_classes(
        &self,
        origin: usize,
        field: FieldId,
        part: f64,
    ) -> Option<ValueClasses> {
        let is_even = self.generator.schema().field(field).law == Distribution::default();
        let is_own = match self.of(origin, field) {
            Marginal::Own { combined } => is_even || *combined,
            _ => false,
        };
        if is_own || self.kind(field).count()? > LIKE_ALL {
            return None;
        }
        let first = self.kind(field).first_slot();
        let weight = |(slot, before): (i64, &f64)| {
            let share = self.share_in(origin, field, (slot, slot + 1));
            share.min(part - before).max(0.0)
        };
        let weights = (first..).zip(self.before_each(origin, field)?).map(weight);
        let classes = ValueShares::of_weights(0, &weights.collect::<Vec<f64>>()).classes();
        Some(ValueClasses::of_part(classes, part))
    }

    /// The share of an origin's rows before each value of the field that they are sorted by; `None` of too many.
    fn before_each(&self, origin: usize, field: FieldId) -> Option<&[f64]> {
        let kind = self.kind(field);
        let count = kind.count().filter(|count| *count <= SORTED_MAX)?;
        let first = kind.first_slot();
        Some(self.sorted[origin].get_or_init(|| {
            let slots: Vec<i64> = (0..count as i64).map(|at| first + at).collect();
            let keys = sortable(&slots, field, self.generator.schema());
            let mut order: Vec<usize> = (0..slots.len()).collect();
            order.sort_unstable_by_key(|at| keys[*at]);
            let (mut before, mut sum) = (vec![0.0; slots.len()], 0.0);
            for at in order {
                before[at] = sum;
                sum += self.share_in(origin, field, (slots[at], slots[at] + 1));
            }
            before
        }))
    }

    /// The share that a part of a condition leaves.
    pub(super) fn share_of_item(&self, origin: usize, item: Item<'_>, of: Of) -> f64 {
        match item.groups {
            Some(groups) if of == Of::Values => {
                let slots = groups.of_groups[item.low as usize].iter();
                let evenly =
                    slots.map(|slot| self.tabulated(origin, item.field, (*slot, slot + 1), of));
                let evenly: Option<f64> = evenly.sum();
                let slots = groups.of_groups[item.low as usize].len() as f64;
                evenly.unwrap_or_else(|| slots / self.count(item.field))
            }
            Some(groups) => self.grouped(origin, groups).of_groups[item.low as usize],
            None => {
                let tabulated = self.tabulated(origin, item.field, item.slots(), of);
                tabulated.unwrap_or_else(|| self.independent(origin, item.field, item.slots(), of))
            }
        }
    }

    /// The values of a group that is asked for, in classes that make up the whole of their rows, and their share.
    pub(super) fn classes_of_group(
        &self,
        origin: usize,
        item: Item<'_>,
    ) -> Option<(ValueClasses, f64)> {
        let slots = item.groups?.of_groups[item.low as usize].iter();
        let share = |slot: &i64| self.share_in(origin, item.field, (*slot, *slot + 1));
        let shares: Vec<f64> = slots.map(share).collect();
        let (whole, classes) = (shares.iter().sum(), ValueShares::of_weights(0, &shares));
        Some((ValueClasses::of_part(classes.classes(), whole), whole))
    }

    /// The share of what a record has in the parents of a field; `None` where they have too many values to know.
    pub(super) fn share_of_parents(
        &self,
        (origin, field): (usize, FieldId),
        record: &[i64],
        of: Of,
    ) -> Option<f64> {
        let share = |parent: &FieldId| {
            let slot = record[usize::from(parent.0)];
            let slots = (slot, slot.saturating_add(1));
            match self.of(origin, *parent) {
                Marginal::Fixed(_) => Some(1.0),
                Marginal::Own { .. } => Some(self.independent(origin, *parent, slots, of)),
                Marginal::OfOthers { .. } => self.tabulated(origin, *parent, slots, of),
                _ => None,
            }
        };
        let parents = self.generator.schema().field(field).of.iter();
        parents.map(share).product()
    }

    /// The parts of a condition on columns of the file that a field is from, each with its column.
    pub(super) fn of_file<'a>(
        &self,
        origin: usize,
        field: FieldId,
        asked: impl Iterator<Item = Item<'a>>,
    ) -> SmallVec<[(&FieldColumn, Item<'a>); 4]> {
        let (schema, roots) = (self.generator.schema(), self.roots(origin, field));
        let asked = asked.filter(|it| self.roots(origin, it.field) == roots);
        let columns = asked.filter_map(|it| Some((schema.field(it.field).column.as_deref()?, it)));
        columns.collect()
    }

    /// All fields come about among the rows of both origins alike.
    pub(super) fn are_alike(&self, a: usize, b: usize) -> bool {
        Arc::ptr_eq(&self.of_origins[a], &self.of_origins[b])
    }

    /// The shares of groups of values among the rows of an origin, worked out once for all origins that are alike.
    pub(super) fn grouped(&self, origin: usize, groups: &Arc<ValueGroups>) -> Arc<GroupShares> {
        let mut known = self.grouped.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(of, it): &&GroupsOfOrigin| {
            self.are_alike(*of, origin) && Arc::ptr_eq(&it.groups, groups)
        };
        if let Some((_, found)) = known.iter().find(is_it) {
            return Arc::clone(found);
        }
        let shares = GroupShares::of(
            groups,
            |slots| self.share_in(origin, groups.field, slots),
            || self.classes_of_steps(origin, groups),
        );
        known.push((origin, Arc::new(shares)));
        Arc::clone(&known[known.len() - 1].1)
    }

    /// Values of a field that may share groups with any others, or the steps that do.
    fn classes_of_steps(&self, origin: usize, groups: &ValueGroups) -> Vec<ShareClass> {
        match (self.of(origin, groups.field), groups.steps) {
            (Marginal::Own { combined: true }, _) => Vec::new(),
            (_, Some((_, step))) if groups.in_each <= 1.0 => {
                let all = self.classes_between(origin, groups.field, (i64::MIN, i64::MAX), step);
                all.map_or_else(Vec::new, |(of, _)| of.classes)
            }
            _ => self.classes(origin, groups.field).classes.clone(),
        }
    }

    /// A field's values among the rows of an origin in classes: by its own law where it depends on nothing or is not tabulated.
    pub(super) fn classes(&self, origin: usize, field: FieldId) -> &ValueClasses {
        if let Marginal::OfOthers { values, .. } = self.of(origin, field) {
            let tabulate = || self.tabulate(origin, field, Of::Rows);
            let classes = values.by_rows.classes(tabulate);
            if !classes.classes.is_empty() {
                return classes;
            }
        }
        let classes = || ValueClasses::of(self.generator.classes(field).to_vec());
        self.laws[usize::from(field.0)].get_or_init(classes)
    }

    /// The steps of values in slots `low..high` of a field that is drawn for each row, in classes that make up the whole of their rows, and their share. Not where the shape of all
    /// values will do: of a single value, of many that are alike, or too many to know which are frequent.
    pub(super) fn classes_between(
        &self,
        origin: usize,
        id: FieldId,
        (low, high): (i64, i64),
        step: i64,
    ) -> Option<(ValueClasses, f64)> {
        let field = self.generator.schema().field(id);
        let is_drawn = match self.of(origin, id) {
            Marginal::Own { combined } | Marginal::OfOthers { combined, .. } => !combined,
            _ => false,
        };
        let first = field.kind.first_slot();
        let end = first.saturating_add_unsigned(field.count()?);
        let (low, high) = (low.max(first), high.min(end));
        let width = u64::try_from(high.checked_sub(low)?).ok()?;
        let in_order =
            field.law.ranked || matches!(field.law.shape, DistributionShape::Normal { .. });
        let in_order = in_order && field.column.is_none();
        let share = |low, high| self.share_in(origin, id, (low, high));
        let whole = share(low, high);
        let is_even = field.column.is_none() && field.law == Distribution::default();
        let is_own = matches!(self.of(origin, id), Marginal::Own { .. });
        if !is_drawn || width < 2 || whole <= 0.0 || is_even && is_own {
            return None;
        }
        if width > SINGLE_VALUES && !in_order {
            let are_known = field.count().is_some_and(|count| count <= TABULATED_MAX);
            let classes = || self.frequent_apart((origin, id), (low, high), whole);
            return (are_known && !is_even && step == 1).then(|| (classes(), whole));
        }
        let (mut classes, mut next) = (Vec::new(), low);
        while next < high {
            let length = match width <= SINGLE_VALUES {
                true => 1,
                false => {
                    (next.abs_diff(low) / step.unsigned_abs() / 8).max(1) * step.unsigned_abs()
                }
            };
            let end = next.saturating_add_unsigned(length).min(high);
            let values = end.abs_diff(next) as f64 / step as f64;
            classes.push(ShareClass {
                values: values / whole,
                share: share(next, end) / values,
            });
            next = end;
        }
        Some((ValueClasses::of(classes), whole))
    }

    /// Classes of the values in slots `low..high` of a field, which have a share of `whole` together. The frequent ones stand alone: of as many parts as are looked
    /// at the one with the greatest share is halved in turn. Those in greater parts are like all values of the field that come more seldom.
    fn frequent_apart(
        &self,
        (origin, field): (usize, FieldId),
        (low, high): (i64, i64),
        whole: f64,
    ) -> ValueClasses {
        let part = |low, high| (low, high, self.share_in(origin, field, (low, high)));
        let mut parts = vec![(low, high, whole)];
        while parts.len() < SINGLE_VALUES as usize {
            let several = parts.iter_mut().filter(|(low, high, _)| high - low > 1);
            let Some(most) = several.max_by(|a, b| a.2.total_cmp(&b.2)) else {
                break;
            };
            let (low, high, _) = *most;
            let middle = i64::midpoint(low, high);
            *most = part(low, middle);
            parts.push(part(middle, high));
        }
        let values = |(low, high, _): &(i64, i64, f64)| high.abs_diff(*low);
        let is_small = |it: &(i64, i64, f64)| values(it) <= AVERAGED;
        let (apart, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_small);
        // No value of a part has more than that has. The least are first.
        let most = others.iter().map(|it| it.2).fold(0.0, f64::max);
        let classes = &self.classes(origin, field).classes;
        let seldom = classes.partition_point(|it| it.share <= most).max(1);
        let seldom = classes.iter().take(seldom);
        let sums = |all: &mut dyn Iterator<Item = (f64, f64)>| {
            all.fold((0.0, 0.0), |sums, it| (sums.0 + it.0, sums.1 + it.1))
        };
        let (count, left) = sums(&mut others.iter().map(|it| (values(it) as f64, it.2)));
        let all = seldom.clone().map(|it| (it.values, it.values * it.share));
        let (all, of_all) = sums(&mut all.into_iter());
        let class = |values: f64, share| ShareClass {
            values: values / whole,
            share,
        };
        let (each, scale) = (count / all, left / count * all / of_all);
        let others = seldom.filter(|_| count > 0.0);
        let others = others.map(|it| class(it.values * each, it.share * scale));
        let apart = apart.iter().map(|it| (values(it) as f64, it.2));
        let apart = apart.map(|(values, share)| class(values, share / values));
        ValueClasses::of(apart.chain(others).collect())
    }

    /// How many values a field has, and how many combinations of values decide it; `None` where they are too many to go through.
    pub(super) fn countable(&self, at: usize, field: FieldId) -> Option<(u64, u64)> {
        let values = self.kind(field).count();
        let values = values.filter(|count| *count <= TABULATED_MAX)?;
        let mut roots = self.roots(at, field).iter();
        let combinations = roots.try_fold(1u64, |product, root| {
            let product = product.checked_mul(self.kind(*root).count()?);
            product.filter(|product| *product <= TABULATED_MAX)
        })?;
        Some((values, combinations))
    }

    fn tabulate(&self, at: usize, field: FieldId, of: Of) -> Option<ValueShares> {
        let schema = self.generator.schema();
        let (kind, roots) = (self.kind(field), self.roots(at, field));
        if schema.field(field).column.is_some() {
            // Each row of the file comes as often.
            return self.generator.shares(field).cloned();
        }
        let (values, combinations) = self.countable(at, field)?;
        let mut weights = vec![0.0; values as usize];
        let mut is_within = true;
        let numbers = 0..combinations;
        self.each_combination(at, (roots, &[field]), of, numbers, |record, share| {
            let value = record[usize::from(field.0)].wrapping_sub(kind.first_slot());
            let weight = usize::try_from(value).ok();
            match weight.and_then(|value| weights.get_mut(value)) {
                Some(weight) => *weight += share,
                None => is_within = false,
            }
        })?;
        is_within.then(|| ValueShares::of_weights(kind.first_slot(), &weights))
    }

    /// What the combinations of values of `roots` that have these numbers make of fields, with their shares; `None` where something else decides these too.
    pub(super) fn each_combination(
        &self,
        at: usize,
        (roots, fields): (&[FieldId], &[FieldId]),
        of: Of,
        numbers: impl Iterator<Item = u64>,
        mut each: impl FnMut(&[i64], f64),
    ) -> Option<()> {
        let schema = self.generator.schema();
        // What lies between the roots and the fields, each after those that it depends on.
        let is_between = |id: &FieldId| {
            let of_others = matches!(self.of(at, *id), Marginal::OfOthers { .. });
            let mut fields = fields.iter();
            of_others && fields.any(|field| field == id || depends_on(*field, *id, schema))
        };
        let mut chain = schema.dependency_order();
        chain.retain(is_between);
        let column = |id: FieldId| {
            let of = schema.field(id);
            Some((*of.of.first()?, &of.column.as_deref()?.slots))
        };
        let chain: Vec<_> = chain.into_iter().map(|id| (id, column(id))).collect();
        let slot_of = |marginal: &Marginal| match marginal {
            Marginal::Fixed(slot) => *slot,
            _ => 0,
        };
        let mut record: Vec<i64> = self.of_origins[at].iter().map(slot_of).collect();
        for number in numbers {
            let (mut rest, mut weight) = (number, 1.0);
            for root in roots {
                let kind = self.kind(*root);
                let count = kind.count().unwrap_or(1);
                let slot = kind.first_slot().wrapping_add((rest % count) as i64);
                rest /= count;
                weight *= self.independent(at, *root, (slot, slot.wrapping_add(1)), of);
                record[usize::from(root.0)] = slot;
            }
            for &(id, column) in &chain {
                let slot_of = |id: FieldId| record[usize::from(id.0)];
                record[usize::from(id.0)] = match column {
                    Some((row, slots)) => *slots.get(slot_of(row) as usize)?,
                    None => self.generator.dependent_value(id, slot_of)?,
                };
            }
            each(&record, weight);
        }
        Some(())
    }
}

impl Marginal {
    fn new(field: FieldId, origin: &RowOrigin, schema: &Schema) -> Self {
        if let Some(slot) = origin.fixed_slot(field) {
            return Self::Fixed(slot);
        }
        match &schema.field(field).kind {
            FieldKind::Timestamp { unit, late } => {
                let (unit, late) = (*unit, *late);
                Self::Instant { unit, late }
            }
            FieldKind::Sequence { first } => Self::Number { first: *first },
            _ if is_of_others(field, origin, schema) => {
                let mut roots = Vec::new();
                collect_roots(field, origin, schema, &mut roots);
                Self::OfOthers {
                    combined: roots.iter().all(|root| origin.each.contains(root)),
                    values: Box::new(DependentValues {
                        roots,
                        by_rows: Shares::default(),
                        evenly: Shares::default(),
                    }),
                }
            }
            _ => Self::Own {
                combined: origin.each.contains(&field),
            },
        }
    }
}

/// The field is `of` others and neither fixed nor combined.
fn is_of_others(field: FieldId, origin: &RowOrigin, schema: &Schema) -> bool {
    !schema.field(field).of.is_empty()
        && origin.fixed_slot(field).is_none()
        && !origin.each.contains(&field)
}

fn collect_roots(field: FieldId, origin: &RowOrigin, schema: &Schema, roots: &mut Vec<FieldId>) {
    for parent in &schema.field(field).of {
        if origin.fixed_slot(*parent).is_some() {
            continue;
        }
        if is_of_others(*parent, origin, schema) {
            collect_roots(*parent, origin, schema, roots);
        } else if !roots.contains(parent) {
            roots.push(*parent);
        }
    }
}

fn depends_on(field: FieldId, other: FieldId, schema: &Schema) -> bool {
    let mut parents = schema.field(field).of.iter();
    parents.any(|parent| *parent == other || depends_on(*parent, other, schema))
}

fn even_share(kind: &FieldKind, (low, high): (i64, i64)) -> f64 {
    let (first, count) = (i128::from(kind.first_slot()), kind.count().unwrap_or(1));
    let low = i128::from(low).max(first);
    let high = i128::from(high).min(first + i128::from(count));
    (high - low).max(0) as f64 / count as f64
}

/// Most rows of a file that are looked through for one share (estimate: 1.6 % of error where half of them satisfy all conditions, 10 us).
const SCANNED_MAX: usize = 4_096;

/// Number of a file's rows that satisfy all conditions: of the column with the fewest rows, these are looked through, or so many of them that are evenly
/// spaced.
pub(super) fn rows_with(conditions: &[(&FieldColumn, Item<'_>)]) -> f64 {
    let rows =
        |(column, item): &(&'_ FieldColumn, Item<'_>)| column.rows(item.low, item.high).len();
    let Some((fewest, item)) = conditions.iter().min_by_key(|it| rows(it)) else {
        return 0.0;
    };
    let candidates = fewest.rows(item.low, item.high);
    let step = candidates.len().div_ceil(SCANNED_MAX).max(1);
    let looked_at = candidates.iter().step_by(step);
    let part = looked_at.len() as f64 / candidates.len().max(1) as f64;
    let holds = |row: &&u32| {
        conditions
            .iter()
            .all(|(column, item)| (item.low..item.high).contains(&column.slots[**row as usize]))
    };
    looked_at.filter(holds).count() as f64 / part.max(f64::MIN_POSITIVE)
}
