//! Values of a field in groups: what a key makes of the values of one is the same, and of those of two is not. Must not know keys.

use super::FieldId;
use smallvec::SmallVec;

/// The groups of a field's values.
#[derive(Debug)]
pub struct ValueGroups {
    pub field: FieldId,
    /// Its values in their order, and the group of each; none where nobody knows which values lie in which group.
    values: Vec<i64>,
    of_values: Vec<u32>,
    /// The values of each group, in their order.
    pub of_groups: Vec<Vec<i64>>,
    /// Number of groups.
    pub count: f64,
    /// Where that is not known: what all values of a step share, which begin so far from 0 and are so long, and how many groups lie in each or, without, in all.
    pub steps: Option<(i64, i64)>,
    pub in_each: f64,
    /// Fields that follow from this one, of which all values of a group have the same.
    pub decides: Vec<FieldId>,
}

impl ValueGroups {
    /// From the values in their order and the group of each, by numbers without a gap.
    pub fn new(field: FieldId, values: Vec<i64>, of_values: Vec<u32>) -> Self {
        let last = of_values.iter().max().copied().unwrap_or(0);
        let mut of_groups = vec![Vec::new(); last as usize + 1];
        for (slot, group) in values.iter().zip(&of_values) {
            of_groups[*group as usize].push(*slot);
        }
        Self {
            values,
            of_values,
            of_groups,
            ..Self::alike(field, f64::from(last) + 1.0, None, 1.0)
        }
    }

    /// So many groups in each of the steps that begin at a distance from 0 and have a length, or in all, with any value of these in any of them.
    pub fn alike(field: FieldId, count: f64, steps: Option<(i64, i64)>, in_each: f64) -> Self {
        Self {
            field,
            values: Vec::new(),
            of_values: Vec::new(),
            of_groups: Vec::new(),
            count,
            steps,
            in_each,
            decides: Vec::new(),
        }
    }

    /// The same where values of one group have the same of these fields.
    pub fn deciding(self, decides: Vec<FieldId>) -> Self {
        Self { decides, ..self }
    }

    /// Where values are in groups that are alike: the whole steps that hold these slots, all without steps, and how many groups are expected to hold any of
    /// them, and lie in these steps.
    pub fn around(&self, (low, high): (i64, i64)) -> ((i64, i64), [f64; 2]) {
        let slots = high.abs_diff(low) as f64;
        let (whole, steps) = match self.steps {
            None => ((i64::MIN, i64::MAX), 1.0),
            Some((shift, step)) => {
                let start = |slot: i64| slot - slot.wrapping_sub(shift).rem_euclid(step);
                let whole = (start(low), start(high - 1).saturating_add(step));
                (whole, whole.1.abs_diff(whole.0) as f64 / step as f64)
            }
        };
        let met = -self.in_each * libm::expm1(slots / steps * libm::log1p(-1.0 / self.in_each));
        (whole, [met.max(1.0) * steps, self.in_each * steps])
    }

    /// Which values lie in which group is known.
    pub fn are_known(&self) -> bool {
        !self.of_values.is_empty()
    }

    /// The group of a slot; `None` where that is not known, and for what is no value of the field.
    pub fn of(&self, slot: i64) -> Option<u32> {
        let place = self.values.binary_search(&slot).ok()?;
        Some(self.of_values[place])
    }

    /// How many groups hold any of these slots.
    pub fn met(&self, slots: (i64, i64)) -> f64 {
        match self.are_known() {
            true => self.of_slots(slots).len().max(1) as f64,
            false => self.around(slots).1[0],
        }
    }

    /// The groups of these slots, each once. O(slots).
    pub fn of_slots(&self, (low, high): (i64, i64)) -> SmallVec<[u32; 16]> {
        let before = |end: i64| self.values.partition_point(|slot| *slot < end);
        let met = &self.of_values[before(low)..before(high).max(before(low))];
        each_once(SmallVec::from_slice(met))
    }

    /// The same of these values.
    pub fn of_all(&self, values: &[i64]) -> SmallVec<[u32; 16]> {
        each_once(values.iter().filter_map(|it| self.of(*it)).collect())
    }
}

fn each_once(mut groups: SmallVec<[u32; 16]>) -> SmallVec<[u32; 16]> {
    groups.sort_unstable();
    groups.dedup();
    groups
}
