//! The cells of one origin: what a key tells apart of its rows, and how likely each holds one. Must not know other origins.

use super::Population;
use super::distinct_rows::Asked;
use super::field_shares::{Of, is_drawn_from_others};
use super::population::{Narrowed, items};
use super::row_history::{Flow, Window};
use crate::record::{FieldId, FieldKind, Late, ShareClass};

/// Told fields that cells are made of at most.
pub(super) const TOLD_MAX: usize = 16;

/// How the rows of an origin come to the value of a told field.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Role {
    /// The condition fixes it, or it is the time of the step.
    #[default]
    Given,
    /// All rows share it.
    Fixed(i64),
    /// Other told fields decide it.
    Follows,
    /// Every combination has each value as often.
    Even,
    /// By the field's law.
    Drawn,
    /// By fields that are not told; those are combined.
    OfCombined,
    /// By fields that are not told, of which some are drawn.
    OfDrawn,
}

/// One origin's cells under one question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) narrowed: Narrowed<'a>,
    /// No two rows agree.
    pub(super) unique: bool,
    /// Of the told fields, in their order.
    pub(super) roles: [Role; TOLD_MAX],
    /// The timestamp that is told, in steps of these slots.
    pub(super) step: Option<(FieldId, i64, i64)>,
    /// Share of the values of told fields that the condition leaves: of combined ones, and of drawn ones.
    left: (f64, f64),
}

/// A value of one told field.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pick {
    /// Its share by the law that it is drawn by.
    pub(super) share: f64,
    /// It is one certain value, not any of a class.
    pub(super) single: bool,
}

/// The values of a field, in classes.
pub(super) struct Classes<'a> {
    pub(super) classes: &'a [ShareClass],
    pub(super) count: f64,
    /// Values that the law leaves out count too.
    pub(super) even: bool,
}

impl<'a> Shape<'a> {
    pub(super) fn left(&self) -> f64 {
        self.left.0 * self.left.1
    }

    /// The window of some steps.
    pub(super) fn within(&self, (from, to): (f64, f64), late: Option<&'a Late>) -> Window<'a> {
        let own = self.narrowed.window;
        let carried = match own.carried {
            None => (from, to),
            Some((low, high)) => (from.max(low), to.min(high)),
        };
        Window {
            carried: Some(carried),
            late,
            ..own
        }
    }
}

impl Population {
    /// How the rows of an origin fall on cells; `None` when none satisfies the condition.
    pub(super) fn shape<'a>(&'a self, at: usize, asked: &Asked<'a>) -> Option<Shape<'a>> {
        let (origin, schema) = (&self.origins[at], self.generator.schema());
        let narrowed = self.narrowed(at, asked.condition, asked.target)?;
        let mut shape = Shape {
            narrowed,
            unique: false,
            roles: [Role::Given; TOLD_MAX],
            step: asked.identity.step,
            left: (1.0, 1.0),
        };
        let told = |field: FieldId| {
            asked.identity.told.contains(&field)
                || asked.identity.told.iter().any(|teller| {
                    // A fresh value for each combination of others tells them.
                    schema.field(*teller).kind.count().is_none()
                        && self.shares.roots(at, *teller).contains(&field)
                })
        };
        let follows = |field: FieldId| {
            is_drawn_from_others(field, origin, schema)
                && self.shares.roots(at, field).iter().all(|root| told(*root))
        };
        let combined = |field: FieldId| {
            let mut roots = self.shares.roots(at, field).iter();
            roots.all(|root| origin.each.contains(root))
        };
        for (nth, &field) in asked.identity.told.iter().enumerate() {
            let kind = &schema.field(field).kind;
            let given = items(asked.condition)
                .any(|item| item.field == field && item.high == item.low.saturating_add(1));
            shape.roles[nth] = if let Some(slot) = origin.fixed_slot(field) {
                Role::Fixed(slot)
            } else if matches!(kind, FieldKind::Timestamp { .. }) {
                shape.step = Some((field, 0, 1));
                Role::Given
            } else if follows(field) {
                Role::Follows
            } else if kind.count().is_none() {
                shape.unique = true;
                Role::Given
            } else if given {
                Role::Given
            } else if origin.each.contains(&field) {
                Role::Even
            } else if !is_drawn_from_others(field, origin, schema) {
                Role::Drawn
            } else if combined(field) {
                Role::OfCombined
            } else {
                Role::OfDrawn
            };
        }
        if shape
            .step
            .is_some_and(|(field, ..)| origin.fixed_slot(field).is_some())
        {
            shape.step = None;
        }
        for (nth, item) in items(asked.condition).enumerate() {
            let field = item.field;
            let Some(count) = schema.field(field).kind.count() else {
                continue;
            };
            if origin.fixed_slot(field).is_some() {
                continue;
            }
            let of_combined = if is_drawn_from_others(field, origin, schema) {
                combined(field)
            } else {
                origin.each.contains(&field)
            };
            let width = item.high.abs_diff(item.low) as f64;
            let left = if follows(field) {
                self.left_by(at, nth, item, asked)
            } else if told(field) && width > 1.0 {
                (width / count as f64).min(1.0)
            } else {
                1.0
            };
            if of_combined {
                shape.left.0 *= left;
            } else {
                shape.left.1 *= left;
            }
        }
        Some(shape)
    }

    /// The classes of a told field's values among an origin's rows; `None` when there is one value in a cell for certain.
    pub(super) fn classes(&self, at: usize, field: FieldId, role: Role) -> Option<Classes<'_>> {
        let schema = self.generator.schema();
        let classes = match role {
            Role::Given | Role::Fixed(_) | Role::Follows => return None,
            Role::Even | Role::Drawn => self.shares.law_classes(field, schema),
            Role::OfCombined | Role::OfDrawn => {
                self.shares
                    .dependent_classes(&self.origins, at, field, &self.generator)
            }
        };
        Some(Classes {
            classes,
            count: schema.field(field).kind.count().unwrap_or(1) as f64,
            even: role == Role::Even,
        })
    }

    /// The value of a told field that has no classes, as others see it.
    pub(super) fn single(&self, field: FieldId, role: Role) -> Pick {
        let share = match role {
            Role::Fixed(slot) => {
                let slots = (slot, slot.saturating_add(1));
                self.shares.by_law(field, slots, self.generator.schema())
            }
            _ => 1.0,
        };
        Pick {
            share,
            single: true,
        }
    }

    /// The share of the target's value of a told field.
    pub(super) fn targets_share(&self, at: usize, field: FieldId, role: Role, slot: i64) -> f64 {
        let slots = (slot, slot.saturating_add(1));
        let by_law = || self.shares.by_law(field, slots, self.generator.schema());
        match role {
            Role::Given | Role::Fixed(_) | Role::Follows | Role::Even => 1.0,
            Role::Drawn => by_law(),
            Role::OfCombined | Role::OfDrawn => self
                .shares
                .tabulated(&self.origins, at, field, slots, Of::Rows, &self.generator)
                .unwrap_or_else(by_law),
        }
    }

    /// The probability that an origin holds a cell, which may be one of another origin.
    pub(super) fn cell(
        &self,
        at: usize,
        shape: &Shape<'_>,
        flow: Flow,
        asked: &Asked<'_>,
        picks: &[Pick; TOLD_MAX],
    ) -> f64 {
        let (origin, schema) = (&self.origins[at], self.generator.schema());
        let Narrowed {
            combined, drawn, ..
        } = shape.narrowed;
        if shape.left() <= 0.0 {
            return 0.0;
        }
        // Combinations that share the cell, and the share of each one's rows that fall on it.
        let mut combinations = origin.combinations * combined / shape.left.0;
        let mut share = drawn / shape.left.1 / asked.identity.draws;
        let mut reached = 1.0;
        for ((field, role), pick) in asked.identity.told.iter().zip(shape.roles).zip(picks) {
            let count = || schema.field(*field).kind.count().unwrap_or(1) as f64;
            match role {
                Role::Given => {}
                Role::Fixed(_) | Role::Follows => {
                    if !pick.single {
                        reached /= count();
                    }
                }
                Role::Even => combinations /= count(),
                Role::OfCombined => combinations *= pick.share,
                Role::Drawn | Role::OfDrawn => share *= pick.share,
            }
        }
        let share = share.min(1.0);
        let (due, later) = (
            flow.due / origin.combinations,
            flow.due_later / origin.combinations,
        );
        let missed = if origin.history.regular() {
            ln_missed(share * flow.stays, due) + ln_missed(share * flow.falls_back, later)
        } else {
            -share * (flow.stays * due + flow.falls_back * later)
        };
        -reached * libm::expm1(combinations * missed)
    }
}

/// Logarithm of the probability that all of `rows` evenly spaced rows, a mean, miss what each meets with a probability of `share`.
fn ln_missed(share: f64, rows: f64) -> f64 {
    if share <= 0.0 || rows <= 0.0 {
        return 0.0;
    }
    let whole = rows.floor();
    let of_whole = if whole > 0.0 {
        whole * libm::log1p(-share)
    } else {
        0.0
    };
    of_whole + libm::log1p(-share * (rows - whole))
}
