//! A scan under regions that are divided and merged while it goes on: each row of its range is read once, from the region that holds it.

use super::rows::{Keys, TableRouter};
use super::scans::{RowSpread, ScanCursor};
use super::tables::Tables;
use crate::engine::client::read_tests::config;
use crate::keyspace::{KeyBatch, KeyRange, RowKey};
use crate::query::ScanRequest;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ten regions of ten keys at first.
struct Table<'a> {
    router: TableRouter<'a>,
    spread: RowSpread,
    next: u32,
}

/// What becomes of the regions: one is divided at a row, or merged with the next, by its place in key order.
#[derive(Debug, Clone, Copy)]
enum Change {
    Divide(u8),
    Unite(prop::sample::Index),
}

impl Table<'_> {
    fn change(&mut self, change: Change) {
        match change {
            Change::Divide(row) => {
                let row = RowKey(vec![row]);
                let parent = self.router.map.locate(row.as_bytes());
                if self.router.map.range(parent).start == row {
                    return;
                }
                let (lower, upper) = (self.next, self.next + 1);
                self.next += 2;
                self.router.map.divide(parent, &row, lower, upper);
                self.spread.replace(&[parent], &[lower, upper], Some(&row));
            }
            Change::Unite(which) => {
                let regions: Vec<u32> = self.router.map.in_key_order().collect();
                if regions.len() < 2 {
                    return;
                }
                let at = which.index(regions.len() - 1);
                let (lower, upper) = (regions[at], regions[at + 1]);
                let merged = self.next;
                self.next += 1;
                self.router.map.unite(lower, upper, merged);
                self.spread.replace(&[lower, upper], &[merged], None);
            }
        }
    }

    fn holds(&self, region: u32, row: u8) -> bool {
        let KeyRange { start, end } = self.router.map.range(region);
        start.0.as_slice() <= &[row][..] && (end.0.is_empty() || &[row][..] < end.0.as_slice())
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (1u8..100).prop_map(Change::Divide),
        any::<prop::sample::Index>().prop_map(Change::Unite),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_row_is_read_once_from_the_region_that_holds_it_and_no_region_is_opened_twice(
        rows in prop::collection::btree_set(0u8..100, 1..40),
        (start, length) in (0u8..100, 1u8..60),
        share in 0.0..=1.0f64,
        (limited, reversed) in any::<(bool, bool)>(),
        most in 1u64..6,
        changes in prop::collection::vec(prop::collection::vec(change(), 0..3), 0..20),
    ) {
        let config = config();
        let router = Tables::new(&config).routers.remove(0);
        let mut sample = KeyBatch::default();
        rows.iter().for_each(|&row| sample.push_with(|bytes| bytes.push(row)));
        let mut table = Table {
            spread: RowSpread::new(&Arc::new(sample), &router),
            next: 10,
            router,
        };
        let stop = start.saturating_add(length);
        let mut keys = Keys::of(1);
        let bounds = (vec![start], if stop >= 100 { vec![] } else { vec![stop] });
        let scan_keys = [&bounds.0, &bounds.1].map(|key| keys.insert(key));
        // Every row of the range is known, and a half rounds whole numbers to themselves.
        let mut expected: Vec<u8> = rows.iter().copied().filter(|row| (start..stop).contains(row)).collect();
        if reversed {
            expected.reverse();
        }
        let all = expected.len() as f64;
        let request = ScanRequest { rows: all, rows_read: if limited { all * share } else { all }, reversed };
        let range = table.spread.range(&bounds.0, &bounds.1, &table.router);
        let mut cursor = ScanCursor::new(&table.spread, range, &request, most, 0.5, scan_keys);
        let stops_early = limited && request.rows_read < all;
        let wanted = if stops_early { ((all * share + 0.5) as usize).clamp(1, expected.len()) } else { expected.len() };

        let (mut read, mut opened, mut covered) = (0, BTreeSet::new(), BTreeSet::new());
        let mut changes = changes.into_iter();
        let mut calls = 0;
        loop {
            // Before a call, and again while its reply is under way.
            changes.next().into_iter().flatten().for_each(|change| table.change(change));
            cursor.follow(&table.spread, &table.router, &keys);
            let region = cursor.region();
            prop_assert!(table.spread.place(region) != crate::engine::numbers::NONE, "region {} is no more", region);
            if cursor.opens_region() {
                prop_assert!(opened.insert(region), "region {} is opened again", region);
                covered.extend((start..stop.min(100)).filter(|&row| table.holds(region, row)));
            }
            for _ in 0..cursor.receive() {
                prop_assert!(table.holds(region, expected[read]), "row {} in region {}", expected[read], region);
                read += 1;
            }
            changes.next().into_iter().flatten().for_each(|change| table.change(change));
            cursor.follow(&table.spread, &table.router, &keys);
            calls += 1;
            prop_assert!(calls < 1_000, "it does not end");
            if !cursor.goes_on(&table.spread) {
                break;
            }
        }
        prop_assert_eq!(read, wanted);
        if !stops_early {
            // A region that was merged with one that had been visited, and holds no row, need not be.
            let left: Vec<u8> = (start..stop.min(100)).filter(|row| !covered.contains(row) && rows.contains(row)).collect();
            prop_assert!(left.is_empty(), "rows {:?} were in no region", left);
        }
    }
}
