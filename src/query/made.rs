//! What segments make of fields of which a key does not tell all: hashes, digits, steps, and parts of times. Must not know rows.

use super::recurring_time::{Recurring, steps_of};
use crate::key::{Digit, TimeParts, combinations};
use crate::record::FieldId;
use crate::workload::Turns;
use std::ops::Range;

/// What a segment makes of fields of which the key tells no groups, the same of several of their values: of time, of a sequence, or of several fields.
#[derive(Debug, Clone)]
pub(super) struct Made {
    /// The fields that the key does not tell, each with its slots and whether it uses them in the told or hashed steps alone.
    pub fields: Vec<(FieldId, Range<i64>, bool)>,
    pub form: Form,
    /// Most values of it.
    pub values: f64,
    /// Rows that come one after another take them in turn.
    pub in_turn: bool,
    /// They follow from a sequence.
    pub is_counted: bool,
    /// The segment that makes it, where it is one of those whose values are counted together.
    pub joined: Option<usize>,
}

/// How many values there are of what segments tell besides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Untold {
    /// Those that come by chance.
    pub values: f64,
    pub turns: Turns,
}

/// What is made of one field.
pub(super) struct MadeOf {
    pub field: FieldId,
    /// Values that come by chance, and that come in turn.
    pub values: [f64; 2],
    /// Most values that it has itself.
    pub most: f64,
    pub is_counted: bool,
    /// Its values meet by chance.
    pub is_met: bool,
    /// Of values that never come again how many there are, and how many numbers in a row share one; of the others the latter.
    pub steps: Option<[f64; 2]>,
    pub run: f64,
    /// The latter of digits that were looked at together.
    pub together: Option<f64>,
}

/// What digits of one field make together.
#[derive(Debug, Clone, Copy)]
pub(super) struct DigitsTogether {
    pub field: FieldId,
    /// Most values.
    pub values: f64,
    /// How many numbers in a row share one until all have come, where it is known.
    pub run: Option<f64>,
}

/// The same of each field of which several segments make digits that come in turn, and nothing else does.
pub(super) fn digits_together(made: &[Made]) -> Vec<DigitsTogether> {
    let mut found: Vec<DigitsTogether> = Vec::new();
    for of in made.iter().filter(|of| of.in_turn) {
        let [(field, slots, _)] = &of.fields[..] else {
            continue;
        };
        let own = made.iter().filter(|it| it.in_turn && it.is_of(*field));
        let digit = |of: &Made| match of.form {
            Form::Digit(digit) => Some(digit),
            _ => None,
        };
        let digits: Option<Vec<Digit>> = own.map(digit).collect();
        let several = digits.filter(|it| it.len() > 1 && !slots.is_empty());
        let is_known = found.iter().any(|it| it.field == *field);
        if let Some(digits) = several.filter(|_| !is_known) {
            let (values, run) = combinations(&digits, slots);
            found.push(DigitsTogether {
                field: *field,
                values,
                run,
            });
        }
    }
    found
}

impl MadeOf {
    /// So many numbers in a row take the same of those values that come in turn.
    pub fn run(&self) -> f64 {
        match self.steps {
            Some([steps, width]) if self.together.is_none() => {
                (width * steps / self.values[1]).max(1.0)
            }
            _ => self.together.unwrap_or(self.run),
        }
    }
}

impl Made {
    /// It is made of this field alone.
    pub fn is_of(&self, field: FieldId) -> bool {
        matches!(self.fields[..], [(own, ..)] if own == field)
    }

    /// So it is, and of steps that the key tells or hashes.
    pub fn is_coarse(&self, field: FieldId) -> bool {
        matches!(self.fields[..], [(own, _, true)] if own == field)
    }
}

/// How that comes about.
#[derive(Debug, Clone)]
pub(super) enum Form {
    /// Each value of the fields has any of its values.
    Hash,
    Digit(Digit),
    /// So many neighbouring values share one, on average; where the steps begin and how long they are, if all are as long.
    Steps(f64, Option<(i64, i64)>),
    Parts(TimeParts),
    Other,
}

/// The timestamp of which segments tell parts in turn; `None` where there are several such fields.
pub(super) fn recurring(made: &[Made]) -> Option<Recurring> {
    let parts = made.iter().filter(|of| of.in_turn && !of.is_counted);
    let parts: Vec<&Made> = parts.collect();
    let (field, slots, _) = parts.first()?.fields.first()?;
    let field = *field;
    if !parts.iter().all(|of| of.is_of(field)) {
        return None;
    }
    let even = match (&parts[..], &parts[0].form) {
        ([_], Form::Digit(digit)) => digit.even_steps(),
        ([_], Form::Parts(parts)) => parts.even_steps(),
        _ => None,
    };
    let (begin, length) = even.unwrap_or((0, 1));
    let steps = steps_of(slots, begin, length);
    let values = match (&parts[..], &parts[0].form) {
        ([_], Form::Digit(digit)) => digit.values_in(slots),
        ([_], Form::Parts(parts)) => parts.values_in(slots),
        // Of several hashes or cuts none is known not to come again.
        _ => 0.0,
    };
    Some(Recurring {
        field,
        begin,
        slots: length,
        is_once: values >= steps,
    })
}
