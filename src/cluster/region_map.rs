//! Which region of a table holds a key, while regions divide and merge. Must not know servers.

use crate::keyspace::{KeyBatch, KeyRange, Router, RowKey};
use slab::Slab;
use std::sync::Arc;

/// Marks a slot that several regions share; the other bits number its overlay.
const SHARED: u32 = 1 << 31;

/// Changes after which the router is made anew, at least.
const LEAST_CHANGES: u32 = 16;

/// The regions of a table: half-open ranges of keys that tile the key space, with numbers below 2^31 that never change their meaning.
///
/// A [`Router`] finds the slot of a key: the range that was a region when the router was made. While nothing has changed since the start,
/// the slot is the region. Afterwards a slot tells its region, or the few that share it. After as many changes as an eighth of the regions
/// the router is made anew, so that a change costs O(1) look-ups of a key each, amortised, and a look-up one more step.
#[derive(Debug, Clone)]
pub struct RegionMap {
    /// Start keys of the first regions but the first one.
    split_points: Arc<Vec<RowKey>>,
    /// Number of the first region at the start; the others follow in key order.
    first: u32,
    /// Regions that came later, by ascending number, those included that are no more.
    later: Vec<(u32, KeyRange)>,
    router: Router,
    /// Further keys at which slots are cut.
    marks: Arc<Vec<RowKey>>,
    /// Of each slot: how many marks its keys are not below. Empty without marks.
    marks_below: Vec<u32>,
    /// Of each slot: its region, or [`SHARED`] and its overlay. Empty: slot s is region first + s.
    slots: Vec<u32>,
    overlays: Slab<Overlay>,
    /// Regions now.
    count: u32,
    /// Changes since the router was made.
    changes: u32,
}

/// The regions that share a slot with their start keys, ascending; that of the first, which holds the slot's start, is empty.
#[derive(Debug, Clone)]
struct Overlay(Vec<(RowKey, u32)>);

impl Overlay {
    fn locate(&self, key: &[u8]) -> u32 {
        let below = self.0.partition_point(|(start, _)| start.as_bytes() <= key);
        self.0[below - 1].1
    }

    /// `region` takes the range from `start` (`None`: the slot's) to `end` (`None`: the slot's).
    fn assign(&mut self, start: Option<&RowKey>, end: Option<&RowKey>, region: u32) {
        let below = |key: &RowKey| self.0.partition_point(|(other, _)| other < key);
        let from = start.map_or(0, below);
        let to = end.map_or(self.0.len(), below);
        // What held the end goes on there, unless another region starts there.
        let rest = end.filter(|end| self.0.get(to).is_none_or(|(other, _)| other != *end));
        let rest = rest.map(|end| (end.clone(), self.0[to - 1].1));
        let taken = (start.cloned().unwrap_or_default(), region);
        self.0.splice(from..to, [taken].into_iter().chain(rest));
        self.0.dedup_by_key(|(_, region)| *region);
    }
}

impl RegionMap {
    /// One region more than there are split points, which are sorted, distinct and not empty; numbered from `first` on in key order. One
    /// look-up tells as well between which of `marks` a key lies: sorted, distinct and not empty keys.
    pub fn new(split_points: &Arc<Vec<RowKey>>, first: u32, marks: &Arc<Vec<RowKey>>) -> Self {
        let count = split_points.len() as u32 + 1;
        let mut map = Self {
            router: Router::new(&[]),
            marks: marks.clone(),
            marks_below: Vec::new(),
            count,
            split_points: split_points.clone(),
            first,
            later: Vec::new(),
            slots: Vec::new(),
            overlays: Slab::new(),
            changes: 0,
        };
        if marks.is_empty() {
            map.router = Router::new(split_points);
        } else {
            map.cut((first..first + count).collect(), split_points);
        }
        map
    }

    /// Makes the slots anew: of `regions` in key order with their `starts`, those but the first one's, cut at the marks.
    fn cut(&mut self, regions: Vec<u32>, starts: &[RowKey]) {
        if self.marks.is_empty() {
            self.router = Router::new(starts);
            self.slots = regions;
            return;
        }
        let (mut starts, mut marks) = (starts.iter().peekable(), self.marks.iter().peekable());
        let mut regions = regions.into_iter();
        let (mut points, mut below) = (Vec::new(), 0);
        self.slots.clear();
        self.slots.extend(regions.next());
        self.marks_below.clear();
        self.marks_below.push(0);
        while let Some(point) = starts.peek().into_iter().chain(marks.peek()).min() {
            let point: &RowKey = point;
            below += u32::from(marks.next_if_eq(&point).is_some());
            let region = match starts.next_if_eq(&point) {
                Some(_) => regions.next(),
                None => self.slots.last().copied(),
            };
            points.push(point.as_bytes());
            self.slots.extend(region);
            self.marks_below.push(below);
        }
        self.router = Router::of(&points);
    }

    /// Number of regions now, >= 1.
    pub fn regions(&self) -> u32 {
        self.count
    }

    /// The region that holds a key.
    pub fn locate(&self, key: &[u8]) -> u32 {
        self.region_at(self.router.locate(key), key)
    }

    /// Appends the region of each key to `regions`.
    pub fn locate_batch(&self, keys: &KeyBatch, regions: &mut Vec<u32>) {
        let start = regions.len();
        self.router.locate_batch(keys, regions);
        self.name(keys, &mut regions[start..]);
    }

    /// Appends the region of each key to `regions`, and to `below` how many marks the key is not below, if there are any.
    pub fn locate_marked(&self, keys: &KeyBatch, regions: &mut Vec<u32>, below: &mut Vec<u32>) {
        let start = regions.len();
        self.router.locate_batch(keys, regions);
        let found = &mut regions[start..];
        if !self.marks_below.is_empty() {
            below.extend(found.iter().map(|&slot| self.marks_below[slot as usize]));
        }
        self.name(keys, found);
    }

    /// Puts the regions of keys in the places of the slots that they were found in.
    fn name(&self, keys: &KeyBatch, found: &mut [u32]) {
        if self.slots.is_empty() {
            if self.first > 0 {
                found.iter_mut().for_each(|region| *region += self.first);
            }
            return;
        }
        for (at, region) in found.iter_mut().enumerate() {
            let held = self.slots[*region as usize];
            *region = self
                .overlay(held)
                .map_or(held, |it| it.locate(keys.get(at)));
        }
    }

    fn region_at(&self, slot: u32, key: &[u8]) -> u32 {
        let held = self.held(slot);
        self.overlay(held).map_or(held, |it| it.locate(key))
    }

    /// The region of a slot, or [`SHARED`] and its overlay.
    fn held(&self, slot: u32) -> u32 {
        let held = self.slots.get(slot as usize).copied();
        held.unwrap_or(self.first + slot)
    }

    fn overlay(&self, held: u32) -> Option<&Overlay> {
        (held & SHARED > 0).then(|| &self.overlays[(held & !SHARED) as usize])
    }

    /// The keys of a region, which may be no more. O(log of the regions that came later).
    ///
    /// # Panics
    /// When the region was never one of this table.
    pub fn range(&self, region: u32) -> KeyRange {
        let (start, end) = self.ends(region);
        KeyRange {
            start: start.cloned().unwrap_or_default(),
            end: end.cloned().unwrap_or_default(),
        }
    }

    /// The first key of a region, which may be no more. O(log of the regions that came later).
    ///
    /// # Panics
    /// When the region was never one of this table.
    pub fn start(&self, region: u32) -> &[u8] {
        self.ends(region).0.map_or(&[], RowKey::as_bytes)
    }

    /// Where a region starts and ends; `None` is an end of the key space.
    fn ends(&self, region: u32) -> (Option<&RowKey>, Option<&RowKey>) {
        let points = &self.split_points;
        let initial = region.wrapping_sub(self.first) as usize;
        if initial <= points.len() {
            let start = initial.checked_sub(1).map(|at| &points[at]);
            return (start, points.get(initial));
        }
        let at = self.later.partition_point(|&(number, _)| number < region);
        let range = &self.later[at].1;
        (Some(&range.start), Some(&range.end))
    }

    /// The numbers of all regions in key order. O(regions) for all.
    pub fn in_key_order(&self) -> impl Iterator<Item = u32> + '_ {
        let mut before = None;
        let regions = (0..self.router.regions() as u32).flat_map(|slot| {
            let held = self.held(slot);
            let overlay = self.overlay(held);
            let shared = overlay.into_iter().flat_map(|overlay| &overlay.0);
            let only = overlay.is_none().then_some(held);
            only.into_iter().chain(shared.map(|&(_, region)| region))
        });
        regions.filter(move |&region| before.replace(region) != Some(region))
    }

    /// A region ends; `lower` takes its keys below `row`, `upper` the others. The new numbers are greater than all before, `lower` < `upper`.
    ///
    /// # Panics
    /// When `row` doesn't lie inside the region, or is its start key: one daughter would be empty.
    pub fn divide(&mut self, parent: u32, row: &RowKey, lower: u32, upper: u32) {
        let KeyRange { start, end } = self.range(parent);
        assert!(
            start < *row && (end.0.is_empty() || *row < end),
            "a split row lies inside its region"
        );
        self.take(lower, start, row.clone());
        self.take(upper, row.clone(), end);
        self.count += 1;
        self.changed();
    }

    /// Two neighbours end; `merged` takes their keys. Its number is greater than all before.
    ///
    /// # Panics
    /// When they are no neighbours, `lower` first.
    pub fn unite(&mut self, lower: u32, upper: u32, merged: u32) {
        let (below, above) = (self.range(lower), self.range(upper));
        assert!(
            below.end == above.start && !below.end.0.is_empty(),
            "neighbours merge"
        );
        self.take(merged, below.start, above.end);
        self.count -= 1;
        self.changed();
    }

    /// A new region takes a range. O(slots that it touches).
    fn take(&mut self, region: u32, start: RowKey, end: RowKey) {
        debug_assert!(
            self.later.last().is_none_or(|last| last.0 < region) && region < SHARED,
            "numbers ascend"
        );
        if self.slots.is_empty() {
            let slots = self.router.regions() as u32;
            self.slots.extend((0..slots).map(|slot| self.first + slot));
        }
        let router = &self.router;
        let first = router.locate(start.as_bytes());
        let (last, end_inside) = match router.locate(end.as_bytes()) {
            _ if end.0.is_empty() => (router.regions() as u32 - 1, None),
            next if router.start(next) == end.as_bytes() => (next - 1, None),
            last => (last, Some(&end)),
        };
        for slot in first..=last {
            let held = self.slots[slot as usize];
            let mut overlay = match held & SHARED {
                0 => Overlay(vec![(RowKey::default(), held)]),
                _ => self.overlays.remove((held & !SHARED) as usize),
            };
            let starts_inside = self.router.start(slot) < start.as_bytes();
            let end = end_inside.filter(|_| slot == last);
            overlay.assign(starts_inside.then_some(&start), end, region);
            self.slots[slot as usize] = match overlay.0[..] {
                [(_, region)] => region,
                _ => SHARED | self.overlays.insert(overlay) as u32,
            };
        }
        self.later.push((region, KeyRange { start, end }));
    }

    /// Makes the router anew when enough has changed.
    fn changed(&mut self) {
        self.changes += 1;
        if self.changes < LEAST_CHANGES.max(self.count / 8) {
            return;
        }
        let regions: Vec<u32> = self.in_key_order().collect();
        let starts = regions.iter().skip(1);
        let starts: Vec<RowKey> = starts.map(|&region| self.range(region).start).collect();
        self.cut(regions, &starts);
        self.overlays.clear();
        self.changes = 0;
    }
}

#[cfg(test)]
#[path = "region_map_tests.rs"]
mod tests;
