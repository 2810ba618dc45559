//! How the rows of one origin are shared among the values of its fields. Must not know how many rows there are.

use super::row_origin::RowOrigin;
use crate::record::{
    FieldId, FieldKind, Late, RecordGenerator, Schema, ShareClass, TimeUnit, ValueShares,
    share_classes,
};
use std::sync::{Arc, OnceLock};

/// Dependent values (`of`) are tabulated when what they depend on has at most so many combinations, and they themselves so many values: 0.1 s and 32 MB at
/// most. For more, each combination is taken to have an independent value by the field's law.
const TABULATED_MAX: u64 = 1 << 22;

/// How all fields' values come about among the rows of every origin. What takes a pass over values is prepared when it is first asked for.
#[derive(Debug, Clone)]
pub(super) struct Marginals {
    pub(super) generator: Arc<RecordGenerator>,
    /// Of each field.
    laws: Vec<OwnLaw>,
    /// Of each origin and field.
    of_origins: Vec<Vec<Marginal>>,
}

/// How one origin's rows come to their values of one field.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
pub(super) struct DependentValues {
    /// The fields in which the rows differ and which decide them.
    roots: Vec<FieldId>,
    /// The first origin in which they have the same shares.
    twin: usize,
    by_rows: OnceLock<Option<RunningShares>>,
    evenly: OnceLock<Option<RunningShares>>,
    classes: OnceLock<Option<ValueClasses>>,
}

/// A field's own law, once it is asked for.
#[derive(Debug, Clone, Default)]
struct OwnLaw {
    shares: OnceLock<Option<ValueShares>>,
    classes: OnceLock<ValueClasses>,
}

/// The values of a field in classes of about the same share; none of fresh values and doubles.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueClasses {
    pub(super) classes: Vec<ShareClass>,
    /// The sum of all values' squared shares.
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

/// Entry i is the share of the first i values.
#[derive(Debug, Clone)]
struct RunningShares {
    first: i64,
    before: Vec<f64>,
}

impl Marginals {
    pub(super) fn new(origins: &[RowOrigin], generator: &Arc<RecordGenerator>) -> Self {
        let schema = generator.schema();
        let fields = || (0..schema.fields.len()).map(|at| FieldId(at as u16));
        let mut of_origins: Vec<Vec<Marginal>> = Vec::with_capacity(origins.len());
        for (at, origin) in origins.iter().enumerate() {
            let same_laws = |other: &usize| {
                (&origins[*other].fixed, &origins[*other].each) == (&origin.fixed, &origin.each)
            };
            // Roots follow from what is fixed and combined.
            let twin = (0..at).find(same_laws).unwrap_or(at);
            let of_origin = fields().map(|field| Marginal::new(field, origin, twin, schema));
            of_origins.push(of_origin.collect());
        }
        Self {
            laws: fields().map(|_| OwnLaw::default()).collect(),
            of_origins,
            generator: Arc::clone(generator),
        }
    }

    /// How an origin's rows come to their values of a field.
    #[inline]
    pub(super) fn of(&self, origin: usize, field: FieldId) -> &Marginal {
        &self.of_origins[origin][usize::from(field.0)]
    }

    /// The fields that decide a dependent field's value among the rows of an origin; empty for fields that depend on nothing in which they differ.
    #[inline]
    pub(super) fn roots(&self, origin: usize, field: FieldId) -> &[FieldId] {
        match self.of(origin, field) {
            Marginal::OfOthers { values, .. } => &values.roots,
            _ => &[],
        }
    }

    /// Values that a field can have; 1 where they are not counted.
    pub(super) fn count(&self, field: FieldId) -> f64 {
        self.generator
            .schema()
            .field(field)
            .kind
            .count()
            .unwrap_or(1) as f64
    }

    /// The share of slots `low..high` of a field that is neither fixed nor dependent.
    #[inline]
    pub(super) fn independent(
        &self,
        origin: usize,
        field: FieldId,
        (low, high): (i64, i64),
        of: Of,
    ) -> f64 {
        let combined = matches!(self.of(origin, field), Marginal::Own { combined: true });
        if of == Of::Values || combined {
            return even_share(&self.generator.schema().field(field).kind, low, high);
        }
        self.by_law(field, (low, high))
    }

    /// The share of slots `low..high` by the field's own law.
    #[inline]
    pub(super) fn by_law(&self, field: FieldId, (low, high): (i64, i64)) -> f64 {
        let shares = self.law(field);
        // Fresh values and doubles: no two are alike.
        shares.map_or(0.0, |shares| shares.share_between(low, high))
    }

    fn law(&self, field: FieldId) -> Option<&ValueShares> {
        let law = || &self.generator.schema().field(field).law;
        let shares = &self.laws[usize::from(field.0)].shares;
        shares
            .get_or_init(|| self.generator.shares(field, law()))
            .as_ref()
    }

    /// The share of slots `low..high` of a dependent field, where it is tabulated.
    pub(super) fn tabulated(
        &self,
        origins: &[RowOrigin],
        origin: usize,
        field: FieldId,
        (low, high): (i64, i64),
        of: Of,
    ) -> Option<f64> {
        let (twin, values) = self.twin(origin, field)?;
        let table = match of {
            Of::Rows => &values.by_rows,
            Of::Values => &values.evenly,
        };
        let table = table.get_or_init(|| self.tabulate(&origins[twin], twin, field, of));
        table.as_ref().map(|table| table.between(low, high))
    }

    /// The share of one slot, by the table of a dependent field or else by the field's own law.
    pub(super) fn share_of(
        &self,
        origins: &[RowOrigin],
        origin: usize,
        field: FieldId,
        slot: i64,
    ) -> f64 {
        let slots = (slot, slot.saturating_add(1));
        let tabulated = self.tabulated(origins, origin, field, slots, Of::Rows);
        tabulated.unwrap_or_else(|| self.by_law(field, slots))
    }

    /// A field's values among the rows of an origin in classes: by its own law where it depends on nothing or is not tabulated.
    pub(super) fn classes(
        &self,
        origins: &[RowOrigin],
        origin: usize,
        field: FieldId,
    ) -> &ValueClasses {
        let dependent = self.twin(origin, field).and_then(|(twin, values)| {
            let tabulate = || self.tabulate(&origins[twin], twin, field, Of::Rows);
            let classes = values.classes.get_or_init(|| {
                let table = values.by_rows.get_or_init(tabulate).as_ref()?;
                let shares = table.before.windows(2).map(|pair| pair[1] - pair[0]);
                Some(ValueClasses::new(share_classes(shares)))
            });
            classes.as_ref().filter(|of| !of.classes.is_empty())
        });
        dependent.unwrap_or_else(|| {
            self.laws[usize::from(field.0)].classes.get_or_init(|| {
                let shares = self.law(field);
                ValueClasses::new(shares.map_or_else(Vec::new, ValueShares::classes))
            })
        })
    }

    /// Where the shares of a dependent field are kept.
    fn twin(&self, origin: usize, field: FieldId) -> Option<(usize, &DependentValues)> {
        let Marginal::OfOthers { values, .. } = self.of(origin, field) else {
            return None;
        };
        match self.of(values.twin, field) {
            Marginal::OfOthers { values: of, .. } => Some((values.twin, of)),
            _ => None,
        }
    }

    fn tabulate(
        &self,
        origin: &RowOrigin,
        at: usize,
        field: FieldId,
        of: Of,
    ) -> Option<RunningShares> {
        let schema = self.generator.schema();
        let (kind, roots) = (&schema.field(field).kind, self.roots(at, field));
        let values = kind.count().filter(|count| *count <= TABULATED_MAX)?;
        let combinations = roots.iter().try_fold(1u64, |product, root| {
            product
                .checked_mul(schema.field(*root).kind.count()?)
                .filter(|product| *product <= TABULATED_MAX)
        })?;
        // What lies between the roots and the field, each after those that it depends on.
        let between = |id: &FieldId| {
            *id == field || is_of_others(*id, origin, schema) && depends_on(field, *id, schema)
        };
        let chain: Vec<FieldId> = schema
            .dependency_order()
            .into_iter()
            .filter(between)
            .collect();
        let mut record = vec![0; self.generator.width()];
        for (id, slot) in &origin.fixed {
            record[usize::from(id.0)] = *slot;
        }
        let mut weights = vec![0.0; values as usize];
        for number in 0..combinations {
            let (mut rest, mut weight) = (number, 1.0);
            for root in roots {
                let kind = &schema.field(*root).kind;
                let count = kind.count().unwrap_or(1);
                let slot = kind.first_slot().wrapping_add((rest % count) as i64);
                rest /= count;
                weight *= self.independent(at, *root, (slot, slot.wrapping_add(1)), of);
                record[usize::from(root.0)] = slot;
            }
            for id in &chain {
                let value = self
                    .generator
                    .dependent_value(*id, |id| record[usize::from(id.0)]);
                record[usize::from(id.0)] = value?;
            }
            let value = record[usize::from(field.0)].wrapping_sub(kind.first_slot());
            *weights.get_mut(usize::try_from(value).ok()?)? += weight;
        }
        let running = weights.into_iter().scan(0.0, |running, weight| {
            *running += weight;
            Some(*running)
        });
        Some(RunningShares {
            first: kind.first_slot(),
            before: std::iter::once(0.0).chain(running).collect(),
        })
    }
}

impl Marginal {
    fn new(field: FieldId, origin: &RowOrigin, twin: usize, schema: &Schema) -> Self {
        let combined = origin.each.contains(&field);
        if let Some(slot) = origin.fixed_slot(field) {
            return Self::Fixed(slot);
        }
        match &schema.field(field).kind {
            FieldKind::Timestamp { unit, late } => Self::Instant {
                unit: *unit,
                late: *late,
            },
            FieldKind::Sequence { first } => Self::Number { first: *first },
            _ if is_of_others(field, origin, schema) => {
                let mut roots = Vec::new();
                collect_roots(field, origin, schema, &mut roots);
                Self::OfOthers {
                    combined: roots.iter().all(|root| origin.each.contains(root)),
                    values: Box::new(DependentValues {
                        roots,
                        twin,
                        by_rows: OnceLock::new(),
                        evenly: OnceLock::new(),
                        classes: OnceLock::new(),
                    }),
                }
            }
            _ => Self::Own { combined },
        }
    }
}

impl ValueClasses {
    fn new(classes: Vec<ShareClass>) -> Self {
        let squares = classes.iter().map(|of| of.values * of.share * of.share);
        Self {
            squares: squares.sum(),
            classes,
        }
    }
}

impl RunningShares {
    fn between(&self, low: i64, high: i64) -> f64 {
        let before = |slot: i64| {
            let values = usize::try_from(i128::from(slot) - i128::from(self.first)).unwrap_or(0);
            self.before[values.min(self.before.len() - 1)]
        };
        // Never below zero: shares only add up.
        (before(high) - before(low)).max(0.0)
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

fn even_share(kind: &FieldKind, low: i64, high: i64) -> f64 {
    let (first, count) = (i128::from(kind.first_slot()), kind.count().unwrap_or(1));
    let low = i128::from(low).max(first);
    let high = i128::from(high).min(first + i128::from(count));
    (high - low).max(0) as f64 / count as f64
}
