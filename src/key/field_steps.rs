//! The steps in which a key uses a field: between two of them, no coarse use of it changes.

use super::code::{Code, Op};
use super::digit::Digit;
use super::formats::{DateSteps, Encoding};
use super::run::{Row, Rows};
use crate::random::{DrawKey, Draws, Seed, Stream};
use crate::record::{FieldId, Schema, ValueGroups};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Coarse uses of one number field, such as `trunc(ts, '1h')` and `to_char(ts, 'yyyyMMdd')`: each follows the field, in steps.
#[derive(Debug, Clone)]
pub struct FieldSteps {
    /// The field.
    pub field: FieldId,
    /// Values that are made of the field and nothing else.
    uses: Arc<Vec<Code>>,
}

/// Values that are tried for each class: one of classes by hash is missed with a probability of e^-16.
const TRIED_A_CLASS: u64 = 16;

/// Fields with more values are not gone through: some ten milliseconds.
const LISTED: u64 = 1 << 17;

/// Windows that are remembered; a month of hours, or three years of days.
const REMEMBERED: usize = 1_024;

/// Steps that are compared one by one, more than a year of days: half a millisecond.
const COMPARED: usize = 512;

/// Ranges whose steps have been compared and are remembered.
const RANGES_REMEMBERED: usize = 16;

/// Buffers of [`FieldSteps::window`], with the windows found so far: reads ask for the same days again and again.
#[derive(Debug, Clone, Default)]
pub struct StepCache {
    here: Vec<u8>,
    there: Vec<u8>,
    /// The uses and bounds that were searched; what stays here keeps its address.
    searched: Vec<(Arc<Vec<Code>>, Range<i64>)>,
    /// By the place of uses and bounds among [`StepCache::searched`], the first value and the one behind the last of each window that
    /// was found; sorted.
    found: Vec<(usize, i64, i64)>,
    alike: Vec<AlikeValues>,
}

/// What uses make of the values of a range, and of how many of them each ([`FieldSteps::alike`]); `None` where its steps are too many.
#[derive(Debug, Clone)]
struct AlikeValues {
    uses: Arc<Vec<Code>>,
    range: Range<i64>,
    made: Option<BTreeMap<Vec<u8>, f64>>,
}

impl StepCache {
    /// The place of these uses within these bounds among those that are searched.
    fn place(&mut self, uses: &Arc<Vec<Code>>, bounds: &Range<i64>) -> usize {
        if self.found.len() >= REMEMBERED || self.searched.len() >= REMEMBERED {
            self.found.clear();
            self.searched.clear();
        }
        let mut searched = self.searched.iter();
        let known = searched.position(|(of, within)| Arc::ptr_eq(of, uses) && within == bounds);
        known.unwrap_or_else(|| {
            self.searched.push((uses.clone(), bounds.clone()));
            self.searched.len() - 1
        })
    }
}

impl FieldSteps {
    /// From uses of `field` and nothing else, all of which follow it.
    pub(super) fn new(field: FieldId, uses: Vec<Code>) -> Self {
        let uses = Arc::new(uses);
        Self { field, uses }
    }

    /// The steps of both, which are of one field.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(self.field, [&self.uses[..], &other.uses[..]].concat())
    }

    /// [`FieldSteps::window`] around another value of the field than the record's own.
    pub fn window_of(
        &self,
        value: i64,
        record: &mut [i64],
        bounds: Range<i64>,
        cache: &mut StepCache,
    ) -> Range<i64> {
        let slot = usize::from(self.field.0);
        let own = std::mem::replace(&mut record[slot], value);
        let window = self.window(record, bounds, cache);
        record[slot] = own;
        window
    }

    /// The whole steps that hold a range of the field's values.
    pub fn covering(
        &self,
        range: Range<i64>,
        record: &mut [i64],
        bounds: Range<i64>,
        cache: &mut StepCache,
    ) -> Range<i64> {
        let last = self.window_of(range.end - 1, record, bounds.clone(), cache);
        self.window_of(range.start, record, bounds, cache).start..last.end
    }

    /// The values around the record's own, within `bounds`, for which nothing coarse changes. The record's slot is changed on the way
    /// and put back. O(log of the width); a window that was found before within these bounds is remembered.
    pub fn window(
        &self,
        record: &mut [i64],
        bounds: Range<i64>,
        cache: &mut StepCache,
    ) -> Range<i64> {
        let slot = usize::from(self.field.0);
        let own = record[slot];
        let of = cache.place(&self.uses, &bounds);
        let found = &cache.found;
        let behind = found.partition_point(|(other, start, _)| (*other, *start) <= (of, own));
        if let Some((other, start, end)) = found[..behind].last()
            && (*other, own < *end) == (of, true)
        {
            return *start..*end;
        }
        let StepCache { here, there, .. } = cache;
        let draws = no_draws();
        here.clear();
        self.write(record, draws, here);
        let mut same = |value: i64| {
            record[slot] = value;
            there.clear();
            self.write(record, draws, there);
            here == there
        };
        let below = own.wrapping_sub(bounds.start).max(0) as u64;
        let above = bounds.end.wrapping_sub(own).max(1) as u64 - 1;
        let down = reach(below, |far| same(own.wrapping_sub_unsigned(far)));
        let up = reach(above, |far| same(own.wrapping_add_unsigned(far)));
        record[slot] = own;
        let start = own.wrapping_sub_unsigned(down);
        let end = own.wrapping_add_unsigned(up).saturating_add(1);
        if bounds.contains(&own) {
            cache.found.insert(behind, (of, start, end));
        }
        start..end
    }

    /// How many values of a range have the same uses as the record's own, found `steps` by steps, in which nothing of them changes; `None` where these are too
    /// many. O(512) where it was not asked for this range before.
    pub fn alike(
        &self,
        steps: &Self,
        record: &mut [i64],
        (range, bounds): (&Range<i64>, &Range<i64>),
        cache: &mut StepCache,
    ) -> Option<f64> {
        let known = |of: &AlikeValues| Arc::ptr_eq(&of.uses, &self.uses) && of.range == *range;
        let place = cache.alike.iter().position(known).unwrap_or_else(|| {
            let made = self.made_in(steps, record, (range, bounds), cache);
            if cache.alike.len() >= RANGES_REMEMBERED {
                cache.alike.clear();
            }
            cache.alike.push(AlikeValues {
                uses: Arc::clone(&self.uses),
                range: range.clone(),
                made,
            });
            cache.alike.len() - 1
        });
        let mut own = Vec::new();
        self.write(record, no_draws(), &mut own);
        let made = cache.alike[place].made.as_ref()?;
        Some(made.get(&own).copied().unwrap_or(0.0))
    }

    fn made_in(
        &self,
        steps: &Self,
        record: &mut [i64],
        (range, bounds): (&Range<i64>, &Range<i64>),
        cache: &mut StepCache,
    ) -> Option<BTreeMap<Vec<u8>, f64>> {
        let slot = usize::from(self.field.0);
        let (value, mut next, mut left) = (record[slot], range.start, COMPARED);
        let mut made: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
        while next < range.end && left > 0 {
            record[slot] = next;
            let mut there = Vec::new();
            self.write(record, no_draws(), &mut there);
            let step = steps.window(record, bounds.clone(), cache);
            let end = step.end.min(range.end);
            *made.entry(there).or_default() += end.abs_diff(next) as f64;
            (next, left) = (end, left - 1);
            // Most steps are about as long as the second, which is whole, whatever record is asked for.
            let most = step
                .end
                .abs_diff(step.start)
                .saturating_mul(COMPARED as u64);
            if left == COMPARED - 2 && range.end.abs_diff(next) > most {
                break;
            }
        }
        record[slot] = value;
        (next >= range.end).then_some(made)
    }

    /// The first value of a domain, from its start on, for each different thing that the uses together make of the field, at most `most`; `None` where there are more,
    /// or where some are not found among as many values as find each with a probability of 1 - 10^-7. O(`most`).
    pub(super) fn classes(&self, domain: Range<i64>, most: usize) -> Option<Vec<i64>> {
        let counts = self.uses.iter().map(|code| code.facts.cardinality);
        let counts = counts.map(|count| count.unwrap_or(u64::MAX));
        let (least, all) = (counts.clone().max()?, counts.fold(1, u64::saturating_mul));
        let tries = TRIED_A_CLASS * all.min(most as u64);
        let mut record = vec![0; usize::from(self.field.0) + 1];
        let (mut values, mut seen) = (Vec::new(), BTreeSet::new());
        for value in domain.clone().take(tries as usize) {
            record[usize::from(self.field.0)] = value;
            let mut made = Vec::new();
            self.write(&record, no_draws(), &mut made);
            if seen.insert(made) {
                values.push(value);
            }
            if values.len() > most {
                return None;
            }
        }
        let tried_all = domain.end.saturating_sub(domain.start) <= tries as i64;
        let found = values.len() as u64 >= least || tried_all;
        (found && !values.is_empty()).then_some(values)
    }

    /// Which of the field's values the uses together make the same of. Not of time and sequences, whose values come one after another.
    pub(super) fn groups(&self, schema: &Schema) -> Option<ValueGroups> {
        let field = schema.field(self.field);
        let count = field.count().filter(|count| *count <= LISTED)?;
        if field.kind.moves() || self.uses.is_empty() {
            return None;
        }
        let (first, at) = (field.kind.first_slot(), usize::from(self.field.0));
        let (mut record, mut numbers) = (vec![0; at + 1], BTreeMap::new());
        let mut values: Vec<i64> = match &field.column {
            Some(column) => column.sorted.clone(),
            None => (0..count as i64)
                .map(|nth| first.saturating_add(nth))
                .collect(),
        };
        values.dedup();
        let group = |slot: &i64| {
            let (mut made, next) = (Vec::new(), numbers.len() as u32);
            record[at] = *slot;
            self.write(&record, no_draws(), &mut made);
            *numbers.entry(made).or_insert(next)
        };
        let of_values = values.iter().map(group).collect();
        Some(ValueGroups::new(self.field, values, of_values))
    }

    pub(super) fn write(&self, record: &[i64], draws: Draws, out: &mut Vec<u8>) {
        let row = Row::new(record, 0, draws);
        for coarse in self.uses.iter() {
            coarse.write(&Rows::one(&row), out);
            // No two values make the same by where one use ends.
            out.push(out.len() as u8);
        }
    }
}

/// Nothing is drawn in uses of a field alone.
pub(super) fn no_draws() -> Draws {
    DrawKey::new(Seed(0), 0, Stream::Keys, 0).at(0)
}

/// The farthest distance up to `most` at which `same` still holds; it holds at 0, and nowhere beyond a place where it does not.
fn reach(most: u64, mut same: impl FnMut(u64) -> bool) -> u64 {
    let (mut inside, mut step) = (0, 1);
    let mut outside = loop {
        if inside == most {
            return most;
        }
        let next = inside.saturating_add(step).min(most);
        if !same(next) {
            break next;
        }
        inside = next;
        step = step.saturating_mul(2);
    };
    while outside - inside > 1 {
        let middle = inside + (outside - inside) / 2;
        if same(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

/// Adds the greatest parts of `code` that are coarse uses of `field` alone to `uses`, or made of digits of it that are among `parts`, each of
/// which comes again only in other steps; false when the field is used anywhere else, or, if it has to be `told`, where the code does
/// not tell one step from another.
pub(super) fn coarse_uses(
    code: &Code,
    field: FieldId,
    (parts, told, dates): (&[Digit], bool, DateSteps),
    uses: &mut Vec<Code>,
) -> bool {
    let facts = &code.facts;
    if !facts.mention(field) {
        return true;
    }
    let is_coarse = || facts.trend(field).is_some_and(|trend| !trend.exact);
    let is_part =
        |digit: &Digit| parts.contains(digit) || !(digit.is_periodic() || digit.is_whole());
    let in_parts = || facts.are_told && facts.told.iter().all(is_part);
    if facts.are_of(field) && (is_coarse() || in_parts()) {
        uses.push(code.clone().in_order());
        return true;
    }
    // A part of a date that comes again stays the same in steps of days, hours, minutes or seconds.
    if let (false, Op::Encode(Encoding::Calendar(pattern, unit))) = (told, &code.op)
        && code.operands[0]
            .facts
            .trend(field)
            .is_some_and(|it| it.exact)
        && let Some(steps) = pattern
            .in_order(dates)
            .filter(|it| it.is_coarser_than(*unit))
    {
        let op = Op::Encode(Encoding::Calendar(steps, *unit));
        let time = code.operands[0].clone();
        uses.push(time.apply_bytes(op, code.value_type, code.shape.clone()));
        return true;
    }
    let is_field = matches!(code.op, Op::Slot(_) | Op::Field(..));
    let mut coarse = !is_field;
    // All operands are gone through, even after one that uses it otherwise.
    for operand in &code.operands {
        let mut digits = operand.facts.told.iter();
        coarse &= !told || digits.all(|digit| facts.told.contains(digit));
        coarse &= coarse_uses(operand, field, (parts, told, dates), uses);
    }
    coarse
}

/// Adds the greatest parts of `code` that are made of `field` alone and have at most `most` values to `uses`; false when the field is used anywhere else.
pub(super) fn class_uses(code: &Code, field: FieldId, most: u64, uses: &mut Vec<Code>) -> bool {
    let facts = &code.facts;
    if !facts.mention(field) {
        return true;
    }
    if facts.are_of(field) && facts.cardinality.is_some_and(|count| count <= most) {
        uses.push(code.clone().in_order());
        return true;
    }
    let mut operands = code.operands.iter();
    !code.operands.is_empty() && operands.all(|operand| class_uses(operand, field, most, uses))
}

#[cfg(test)]
impl StepCache {
    /// Ranges whose steps were compared, or were too many.
    pub(super) fn ranges_compared(&self) -> usize {
        self.alike.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_reach_is_the_last_place_where_it_holds(most in 0u64..5_000, edge in 0u64..6_000) {
            prop_assert_eq!(reach(most, |at| at <= edge), edge.min(most));
        }
    }
}
