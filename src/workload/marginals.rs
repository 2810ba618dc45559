//! How the rows of one origin are shared among the values of its fields. Must not know how many rows there are.

use super::row_history::RowOrigin;
use super::row_question::{Condition, Item};
use crate::record::{
    DistributionShape, FieldColumn, FieldId, FieldKind, Late, RecordGenerator, Schema, ShareClass,
    TimeUnit, ValueShares,
};
use std::sync::{Arc, OnceLock};

/// Dependent values (`of`) are tabulated when what they depend on has at most so many combinations, and they themselves so many values: 0.1 s and 32 MB at
/// most. For more, each combination is taken to have an independent value by the field's law.
const TABULATED_MAX: u64 = 1 << 22;

/// Values of a range that are looked at one by one; of more, the first ones are, and those behind together, the more the further behind.
const SINGLE_VALUES: u64 = 64;

/// How all fields' values come about among the rows of every origin. What takes a pass over values is prepared when it is first asked for.
#[derive(Debug, Clone)]
pub(super) struct Marginals {
    pub(super) generator: Arc<RecordGenerator>,
    /// Of each field, by its own law.
    laws: Vec<Shares>,
    /// Of each origin and field; those of origins that fix and combine the same are shared.
    of_origins: Vec<Arc<[Marginal]>>,
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
            laws: fields().map(|_| Shares::default()).collect(),
            of_origins,
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
        let shares = self.laws[usize::from(field.0)].get(|| self.law(field));
        // Fresh values and doubles: no two are alike.
        shares.map_or(0.0, |shares| shares.share_between(low, high))
    }

    /// Asks for the share of a slot by a table, if there is one.
    pub(super) fn prefetch(&self, field: FieldId, slot: i64) {
        if let Some(Some(shares)) = self.laws[usize::from(field.0)].shares.get() {
            shares.prefetch(slot);
        }
    }

    fn law(&self, field: FieldId) -> Option<ValueShares> {
        let law = &self.generator.schema().field(field).law;
        self.generator.shares(field, law)
    }

    /// Whether the rows of an origin that satisfy a condition have such a value of a dependent field; `None` where the condition does not say all that
    /// decides it.
    pub(super) fn decided(
        &self,
        origin: usize,
        item: Item,
        condition: Condition<'_>,
    ) -> Option<bool> {
        let known = |id: FieldId| match self.of(origin, id) {
            Marginal::Fixed(slot) => Some(*slot),
            _ => {
                let mut equal = condition.equal.iter();
                equal.find(|(field, _)| *field == id).map(|(_, slot)| *slot)
            }
        };
        let parents = &self.generator.schema().field(item.field).of;
        if parents.iter().any(|parent| known(*parent).is_none()) {
            return None;
        }
        let slot_of = |parent| known(parent).unwrap_or(0);
        let value = self.generator.dependent_value(item.field, slot_of);
        Some(value.is_none_or(|value| (item.low..item.high).contains(&value)))
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

    /// A field's values among the rows of an origin in classes: by its own law where it depends on nothing or is not tabulated.
    pub(super) fn classes(&self, origin: usize, field: FieldId) -> &ValueClasses {
        if let Marginal::OfOthers { values, .. } = self.of(origin, field) {
            let tabulate = || self.tabulate(origin, field, Of::Rows);
            let classes = values.by_rows.classes(tabulate);
            if !classes.classes.is_empty() {
                return classes;
            }
        }
        self.laws[usize::from(field.0)].classes(|| self.law(field))
    }

    /// The values in slots `low..high` of a field that is drawn for each row, in classes that make up the whole of their rows. Not where the shape of all
    /// values will do: of a single value, and of many to which ranks are dealt by chance.
    pub(super) fn classes_between(
        &self,
        origin: usize,
        id: FieldId,
        (low, high): (i64, i64),
    ) -> Option<ValueClasses> {
        let field = self.generator.schema().field(id);
        let is_drawn = matches!(self.of(origin, id), Marginal::Own { combined: false });
        let first = field.kind.first_slot();
        let end = first.saturating_add_unsigned(field.count()?);
        let (low, high) = (low.max(first), high.min(end));
        let width = u64::try_from(high.checked_sub(low)?).ok()?;
        let in_order =
            field.law.ranked || matches!(field.law.shape, DistributionShape::Normal { .. });
        let tells = width <= SINGLE_VALUES || in_order && field.column.is_none();
        let share = |low, high| self.by_law(id, (low, high));
        let whole = share(low, high);
        if !is_drawn || width < 2 || !tells || whole <= 0.0 {
            return None;
        }
        let (mut classes, mut next) = (Vec::new(), low);
        while next < high {
            let length = match width <= SINGLE_VALUES {
                true => 1,
                false => (next.abs_diff(low) / 8).max(1),
            };
            let end = next.saturating_add_unsigned(length).min(high);
            let values = end.abs_diff(next) as f64;
            classes.push(ShareClass {
                values: values / whole,
                share: share(next, end) / values,
            });
            next = end;
        }
        Some(ValueClasses::of(classes))
    }

    fn tabulate(&self, at: usize, field: FieldId, of: Of) -> Option<ValueShares> {
        let schema = self.generator.schema();
        let (kind, roots) = (self.kind(field), self.roots(at, field));
        if schema.field(field).column.is_some() {
            // Each row of the file comes as often.
            return self.law(field);
        }
        let values = kind.count().filter(|count| *count <= TABULATED_MAX)?;
        let combinations = roots.iter().try_fold(1u64, |product, root| {
            let product = product.checked_mul(self.kind(*root).count()?);
            product.filter(|product| *product <= TABULATED_MAX)
        })?;
        // What lies between the roots and the field, each after those that it depends on.
        let between = |id: &FieldId| {
            let of_others = matches!(self.of(at, *id), Marginal::OfOthers { .. });
            *id == field || of_others && depends_on(field, *id, schema)
        };
        let mut chain = schema.dependency_order();
        chain.retain(between);
        let slot_of = |marginal: &Marginal| match marginal {
            Marginal::Fixed(slot) => *slot,
            _ => 0,
        };
        let mut record: Vec<i64> = self.of_origins[at].iter().map(slot_of).collect();
        let mut weights = vec![0.0; values as usize];
        for number in 0..combinations {
            let (mut rest, mut weight) = (number, 1.0);
            for root in roots {
                let kind = self.kind(*root);
                let count = kind.count().unwrap_or(1);
                let slot = kind.first_slot().wrapping_add((rest % count) as i64);
                rest /= count;
                weight *= self.independent(at, *root, (slot, slot.wrapping_add(1)), of);
                record[usize::from(root.0)] = slot;
            }
            for id in &chain {
                let slot_of = |id: FieldId| record[usize::from(id.0)];
                record[usize::from(id.0)] = self.generator.dependent_value(*id, slot_of)?;
            }
            let value = record[usize::from(field.0)].wrapping_sub(kind.first_slot());
            *weights.get_mut(usize::try_from(value).ok()?)? += weight;
        }
        Some(ValueShares::of_weights(kind.first_slot(), &weights))
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
pub(super) fn rows_with(conditions: &[(&FieldColumn, Item)]) -> f64 {
    let rows = |(column, item): &(&'_ FieldColumn, Item)| column.rows(item.low, item.high).len();
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
