//! How the rows of a range of keys lie over the regions that it crosses.

use super::region_order::RegionOrder;
use super::routing::TableRouter;
use crate::keyspace::{KeyBatch, RowKey};
use std::sync::Arc;

/// A sorted sample of a table's row keys, cut at the borders of its regions.
#[derive(Debug)]
pub struct RowSpread {
    sample: Arc<KeyBatch>,
    /// For each region in key order, and the end: how many keys of the sample lie before its start.
    borders: Vec<u32>,
}

/// The regions that a range crosses, and how its rows lie over them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadRange {
    /// The place of the first region.
    pub first: u32,
    /// Number of regions, >= 1.
    pub count: u32,
    /// Keys of the sample in the range: from, to.
    keys: (u32, u32),
}

impl RowSpread {
    /// O(regions x log of the sample).
    pub fn new(sample: &Arc<KeyBatch>, table: &TableRouter<'_>) -> Self {
        let borders = table
            .map
            .in_key_order()
            .map(|region| keys_below(sample, table.map.start(region)))
            .chain([sample.len() as u32])
            .collect();
        Self {
            sample: sample.clone(),
            borders,
        }
    }

    /// The region at `place` has been divided at `row`.
    pub fn divide(&mut self, place: u32, row: &RowKey) {
        let border = keys_below(&self.sample, row.as_bytes());
        self.borders.insert(place as usize + 1, border);
    }

    /// The region at `place` has taken in the next one.
    pub fn unite(&mut self, place: u32) {
        self.borders.remove(place as usize + 1);
    }

    /// The range `[start, stop)`, an empty `stop` being the end of the key space. A range without keys lies in the region of `start`.
    pub fn range(
        &self,
        start: &[u8],
        stop: &[u8],
        table: &TableRouter<'_>,
        order: &RegionOrder,
    ) -> SpreadRange {
        let first = order.place(table.locate(start));
        let last = if stop.is_empty() {
            order.count() - 1
        } else {
            let region = table.locate(stop);
            let last = order.place(region);
            last - u32::from(last > 0 && table.map.start(region) == stop)
        };
        let from = keys_below(&self.sample, start);
        let to = if stop.is_empty() {
            self.sample.len() as u32
        } else {
            keys_below(&self.sample, stop)
        };
        SpreadRange {
            first,
            count: last.saturating_sub(first) + 1,
            keys: (from, to.max(from)),
        }
    }

    /// Share of the range's rows that lie in the first `regions` (1..=count) of its regions in key order: by the sample, or
    /// evenly when it has no key in the range. 1 for all regions. O(1).
    pub fn share(&self, range: &SpreadRange, regions: u32) -> f64 {
        let (from, to) = range.keys;
        if from == to {
            return f64::from(regions) / f64::from(range.count);
        }
        let border = self.borders[(range.first + regions) as usize];
        f64::from(border.clamp(from, to) - from) / f64::from(to - from)
    }
}

/// Number of keys of a sorted batch below `key`.
fn keys_below(sorted: &KeyBatch, key: &[u8]) -> u32 {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low.midpoint(high);
        if sorted.get(middle) < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low as u32
}
