//! How the rows of one origin are shared among the values of its fields. Must not know how many rows there are.

use super::row_origin::RowOrigin;
use crate::random::Seed;
use crate::record::{
    FieldId, FieldKind, RecordGenerator, Schema, ShareClass, ValueShares, share_classes,
};
use std::sync::OnceLock;

/// Dependent values (`of`) are tabulated when what they depend on has at most so many combinations, and they themselves so many values: 0.1 s and 32 MB at
/// most. For more, each combination is taken to have an independent value by the field's law.
pub const TABULATED_MAX: u64 = 1 << 22;

/// The shares of all fields' values among the rows of every origin. What takes a pass over values is prepared when it is first asked for.
#[derive(Debug, Clone)]
pub(super) struct FieldShares {
    /// Of each field's own law.
    drawn: Vec<OnceLock<Option<ValueShares>>>,
    /// The same in classes.
    classes: Vec<OnceLock<Vec<ShareClass>>>,
    /// Of each origin and field.
    dependents: Vec<Vec<Dependent>>,
    seed: Seed,
    replicate: u32,
}

/// A dependent field among the rows of one origin.
#[derive(Debug, Clone, Default)]
struct Dependent {
    /// The fields in which the rows differ and which decide its value; none for independent ones.
    roots: Vec<FieldId>,
    /// The first origin in which it has the same shares.
    twin: usize,
    by_rows: OnceLock<Option<Table>>,
    classes: OnceLock<Vec<ShareClass>>,
    evenly: OnceLock<Option<Table>>,
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
struct Table {
    first: i64,
    before: Vec<f64>,
}

impl FieldShares {
    pub(super) fn new(origins: &[RowOrigin], schema: &Schema, seed: Seed, replicate: u32) -> Self {
        let fields = || (0..schema.fields.len()).map(|at| FieldId(at as u16));
        let mut dependents: Vec<Vec<Dependent>> = Vec::with_capacity(origins.len());
        for origin in origins {
            let of_origin = fields().map(|field| {
                let mut roots = Vec::new();
                if is_drawn_from_others(field, origin, schema) {
                    collect_roots(field, origin, schema, &mut roots);
                }
                let twin = (0..dependents.len()).find(|other| {
                    dependents[*other][usize::from(field.0)].roots == roots
                        && same_laws(origin, &origins[*other])
                });
                Dependent {
                    roots,
                    twin: twin.unwrap_or(dependents.len()),
                    by_rows: OnceLock::new(),
                    classes: OnceLock::new(),
                    evenly: OnceLock::new(),
                }
            });
            let of_origin = of_origin.collect();
            dependents.push(of_origin);
        }
        Self {
            drawn: fields().map(|_| OnceLock::new()).collect(),
            classes: fields().map(|_| OnceLock::new()).collect(),
            dependents,
            seed,
            replicate,
        }
    }

    /// The fields that decide a dependent field's value among the rows of an origin; empty for fields that depend on nothing in which they differ.
    #[inline]
    pub(super) fn roots(&self, origin: usize, field: FieldId) -> &[FieldId] {
        &self.dependents[origin][usize::from(field.0)].roots
    }

    /// The share of slots `low..high` of an independent field that is not fixed.
    #[inline]
    pub(super) fn independent(
        &self,
        origin: &RowOrigin,
        field: FieldId,
        (low, high): (i64, i64),
        of: Of,
        schema: &Schema,
    ) -> f64 {
        if of == Of::Values || origin.each.contains(&field) {
            return even_share(&schema.field(field).kind, low, high);
        }
        self.by_law(field, (low, high), schema)
    }

    /// The share of slots `low..high` by the field's own law.
    #[inline]
    pub(super) fn by_law(&self, field: FieldId, (low, high): (i64, i64), schema: &Schema) -> f64 {
        let shares = self.law(field, schema);
        // Fresh values and doubles: no two are alike.
        shares.map_or(0.0, |shares| shares.share_between(low, high))
    }

    fn law(&self, field: FieldId, schema: &Schema) -> Option<&ValueShares> {
        let shares = self.drawn[usize::from(field.0)].get_or_init(|| {
            let law = &schema.field(field).law;
            ValueShares::new(schema, field, law, self.seed, self.replicate)
        });
        shares.as_ref()
    }

    /// A field's values in classes of about the same share by its own law; none of fresh values and doubles.
    pub(super) fn law_classes(&self, field: FieldId, schema: &Schema) -> &[ShareClass] {
        self.classes[usize::from(field.0)].get_or_init(|| {
            let shares = self.law(field, schema);
            shares.map_or_else(Vec::new, ValueShares::classes)
        })
    }

    /// The same of a dependent field among the rows of an origin; by its own law where it is not tabulated.
    pub(super) fn dependent_classes(
        &self,
        origins: &[RowOrigin],
        at: usize,
        field: FieldId,
        generator: &RecordGenerator,
    ) -> &[ShareClass] {
        let twin = self.dependents[at][usize::from(field.0)].twin;
        let dependent = &self.dependents[twin][usize::from(field.0)];
        let classes = dependent.classes.get_or_init(|| {
            let table = dependent.by_rows.get_or_init(|| {
                self.tabulate(&origins[twin], field, &dependent.roots, Of::Rows, generator)
            });
            table.as_ref().map_or_else(Vec::new, |table| {
                share_classes(table.before.windows(2).map(|pair| pair[1] - pair[0]))
            })
        });
        if classes.is_empty() {
            return self.law_classes(field, generator.schema());
        }
        classes
    }

    /// The share of slots `low..high` of a dependent field, where it is tabulated.
    pub(super) fn tabulated(
        &self,
        origins: &[RowOrigin],
        at: usize,
        field: FieldId,
        (low, high): (i64, i64),
        of: Of,
        generator: &RecordGenerator,
    ) -> Option<f64> {
        let twin = self.dependents[at][usize::from(field.0)].twin;
        let dependent = &self.dependents[twin][usize::from(field.0)];
        let table = match of {
            Of::Rows => &dependent.by_rows,
            Of::Values => &dependent.evenly,
        };
        let table = table
            .get_or_init(|| self.tabulate(&origins[twin], field, &dependent.roots, of, generator));
        table.as_ref().map(|table| {
            let last = table.before.len() - 1;
            let offset = |slot: i64| {
                usize::try_from(i128::from(slot) - i128::from(table.first))
                    .unwrap_or(0)
                    .min(last)
            };
            let (low, high) = (offset(low), offset(high));
            if low < high {
                table.before[high] - table.before[low]
            } else {
                0.0
            }
        })
    }

    fn tabulate(
        &self,
        origin: &RowOrigin,
        field: FieldId,
        roots: &[FieldId],
        of: Of,
        generator: &RecordGenerator,
    ) -> Option<Table> {
        let schema = generator.schema();
        let kind = &schema.field(field).kind;
        let values = kind.count().filter(|count| *count <= TABULATED_MAX)?;
        let combinations = roots.iter().try_fold(1u64, |product, root| {
            product
                .checked_mul(schema.field(*root).kind.count()?)
                .filter(|product| *product <= TABULATED_MAX)
        })?;
        // What lies between the roots and the field, each after those that it depends on.
        let chain: Vec<FieldId> = schema
            .dependency_order()
            .into_iter()
            .filter(|id| {
                *id == field
                    || is_drawn_from_others(*id, origin, schema) && depends_on(field, *id, schema)
            })
            .collect();
        let mut record = vec![0; generator.width()];
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
                weight *= self.independent(origin, *root, (slot, slot.wrapping_add(1)), of, schema);
                record[usize::from(root.0)] = slot;
            }
            for id in &chain {
                record[usize::from(id.0)] =
                    generator.dependent_value(*id, |id| record[usize::from(id.0)])?;
            }
            let value = record[usize::from(field.0)].wrapping_sub(kind.first_slot());
            *weights.get_mut(usize::try_from(value).ok()?)? += weight;
        }
        let mut running = 0.0;
        let mut before = Vec::with_capacity(weights.len() + 1);
        before.push(0.0);
        before.extend(weights.into_iter().map(|weight| {
            running += weight;
            running
        }));
        Some(Table {
            first: kind.first_slot(),
            before,
        })
    }
}

/// The field is `of` others and neither fixed nor combined.
pub(super) fn is_drawn_from_others(field: FieldId, origin: &RowOrigin, schema: &Schema) -> bool {
    !schema.field(field).of.is_empty()
        && origin.fixed_slot(field).is_none()
        && !origin.each.contains(&field)
}

fn collect_roots(field: FieldId, origin: &RowOrigin, schema: &Schema, roots: &mut Vec<FieldId>) {
    for parent in &schema.field(field).of {
        if origin.fixed_slot(*parent).is_some() {
            continue;
        }
        if is_drawn_from_others(*parent, origin, schema) {
            collect_roots(*parent, origin, schema, roots);
        } else if !roots.contains(parent) {
            roots.push(*parent);
        }
    }
}

fn depends_on(field: FieldId, other: FieldId, schema: &Schema) -> bool {
    schema
        .field(field)
        .of
        .iter()
        .any(|parent| *parent == other || depends_on(*parent, other, schema))
}

fn same_laws(a: &RowOrigin, b: &RowOrigin) -> bool {
    a.fixed == b.fixed && a.each == b.each
}

fn even_share(kind: &FieldKind, low: i64, high: i64) -> f64 {
    let (first, count) = (i128::from(kind.first_slot()), kind.count().unwrap_or(1));
    let low = i128::from(low).max(first);
    let high = i128::from(high).min(first + i128::from(count));
    (high - low).max(0) as f64 / count as f64
}
