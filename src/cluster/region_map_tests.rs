//! Look-ups while regions divide and merge, beside a sorted map of start keys.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Keys of up to three letters of a small alphabet: many lie on or beside borders.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![0u8..3, Just(0x61), Just(0xFF)], 0..4)
}

/// The oracle: start key to region.
fn holder(oracle: &BTreeMap<Vec<u8>, u32>, key: &[u8]) -> u32 {
    *oracle
        .range(..=key.to_vec())
        .next_back()
        .expect("a region starts at the empty key")
        .1
}

fn agree(
    map: &RegionMap,
    oracle: &BTreeMap<Vec<u8>, u32>,
    marks: &BTreeSet<Vec<u8>>,
    keys: &[Vec<u8>],
) {
    assert_eq!(map.regions() as usize, oracle.len());
    let regions: Vec<u32> = oracle.values().copied().collect();
    assert_eq!(map.in_key_order().collect::<Vec<_>>(), regions);
    let ends = oracle.keys().skip(1).cloned().chain([Vec::new()]);
    for ((start, &region), end) in oracle.iter().zip(ends) {
        assert_eq!(
            map.range(region),
            KeyRange {
                start: RowKey(start.clone()),
                end: RowKey(end)
            }
        );
        assert_eq!((map.locate(start), map.start(region)), (region, &start[..]));
    }
    let mut batch = KeyBatch::default();
    for key in keys {
        batch.push_with(|bytes| bytes.extend_from_slice(key));
    }
    let (mut found, mut below) = (vec![77], vec![88]);
    map.locate_marked(&batch, &mut found, &mut below);
    let mut alone = vec![77];
    map.locate_batch(&batch, &mut alone);
    assert_eq!(alone, found);
    let marks_below = |key| marks.iter().filter(|mark| *mark <= key).count() as u32;
    let told = if marks.is_empty() { 0 } else { keys.len() };
    let expected = keys.iter().take(told).map(marks_below);
    assert_eq!(
        below,
        std::iter::once(88).chain(expected).collect::<Vec<_>>()
    );
    let expected = keys.iter().map(|key| holder(oracle, key));
    assert_eq!(
        found,
        std::iter::once(77).chain(expected).collect::<Vec<_>>()
    );
    for (key, &region) in keys.iter().zip(&found[1..]) {
        assert_eq!(map.locate(key), region);
    }
}

proptest! {
    /// Divides and unites at random, so often that the router is made anew several times, beside a map of start keys.
    #[test]
    fn regions_tile_the_key_space_whatever_divides_and_merges(
        points in prop::collection::btree_set(key().prop_filter("not empty", |key| !key.is_empty()), 0..12),
        marks in prop::collection::btree_set(key().prop_filter("not empty", |key| !key.is_empty()), 0..9),
        first in 0u32..9,
        steps in prop::collection::vec((prop::bool::weighted(0.6), key(), any::<prop::sample::Index>()), 1..120),
        keys in prop::collection::vec(key(), 1..40),
    ) {
        let split_points = Arc::new(points.iter().cloned().map(RowKey).collect::<Vec<_>>());
        let all_marks = Arc::new(marks.iter().cloned().map(RowKey).collect::<Vec<_>>());
        let mut map = RegionMap::new(&split_points, first, &all_marks);
        let starts = std::iter::once(Vec::new()).chain(points);
        let mut oracle: BTreeMap<Vec<u8>, u32> = starts.zip(first..).collect();
        agree(&map, &oracle, &marks, &keys);
        let mut next = first + oracle.len() as u32;
        for (divides, row, which) in steps {
            if divides && !oracle.contains_key(&row) {
                let parent = holder(&oracle, &row);
                map.divide(parent, &RowKey(row.clone()), next, next + 1);
                let start = oracle.range(..row.clone()).next_back().expect("the parent").0.clone();
                oracle.insert(start, next);
                oracle.insert(row, next + 1);
                next += 2;
            } else if !divides && oracle.len() > 1 {
                let at = which.index(oracle.len() - 1);
                let (start, lower) = oracle.iter().nth(at).expect("a region");
                let (border, upper) = oracle.iter().nth(at + 1).expect("its neighbour");
                map.unite(*lower, *upper, next);
                let (start, border) = (start.clone(), border.clone());
                oracle.insert(start, next);
                oracle.remove(&border);
                next += 1;
            }
            agree(&map, &oracle, &marks, &keys);
        }
    }
}

#[test]
fn a_region_that_is_no_more_keeps_its_range() {
    let points = Arc::new(vec![RowKey::from(b"m".as_slice())]);
    let mut map = RegionMap::new(&points, 5, &Arc::default());
    let parent = map.range(6);
    map.divide(6, &RowKey::from(b"t".as_slice()), 9, 11);
    let daughter = map.range(11);
    map.unite(5, 9, 12);
    assert_eq!(map.range(6), parent);
    assert_eq!(
        (parent.start.0.as_slice(), parent.end.0.len()),
        (&b"m"[..], 0)
    );
    assert_eq!(map.range(11), daughter);
    assert_eq!(map.in_key_order().collect::<Vec<_>>(), [12, 11]);
}
