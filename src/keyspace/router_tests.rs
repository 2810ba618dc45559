//! The router against a plain search, on keys that try to hurt it.

use super::*;
use crate::random::mix;
use proptest::prelude::*;

/// Number of split points <= key: the definition.
fn brute(points: &[RowKey], key: &[u8]) -> u32 {
    points
        .iter()
        .filter(|point| point.as_bytes() <= key)
        .count() as u32
}

fn sorted(mut points: Vec<Vec<u8>>) -> Vec<RowKey> {
    points.retain(|point| !point.is_empty());
    points.sort();
    points.dedup();
    points.into_iter().map(RowKey).collect()
}

/// Keys near the points: themselves, their prefixes, extensions, neighbours and single flipped bits.
fn near(points: &[RowKey]) -> Vec<Vec<u8>> {
    let mut keys = vec![vec![], vec![0], vec![0xFF; 40]];
    for (i, RowKey(point)) in points.iter().enumerate() {
        keys.push(point.clone());
        keys.push([point.as_slice(), &[0]].concat());
        keys.push([point.as_slice(), &[0xFF; 9]].concat());
        keys.push(point[..mix(i as u64) as usize % point.len()].to_vec());
        for turn in 0..4 {
            let draw = mix((i * 4 + turn) as u64) as usize;
            let mut key = point.clone();
            key[(draw >> 8) % point.len()] ^= 1 << (draw % 8);
            keys.push(key);
        }
        let mut key = point.clone();
        let last = key.len() - 1;
        key[last] = key[last].wrapping_sub(1);
        keys.push(key);
    }
    keys
}

fn check(points: &[RowKey], keys: &[Vec<u8>]) {
    let router = Router::new(points);
    let mut batch = KeyBatch::default();
    for key in keys {
        batch.push_with(|bytes| bytes.extend_from_slice(key));
        let expected = points.partition_point(|point| point.as_bytes() <= key.as_slice()) as u32;
        assert_eq!(
            router.locate(key),
            expected,
            "key {key:02x?} among {} points",
            points.len()
        );
    }
    let mut regions = Vec::new();
    router.locate_batch(&batch, &mut regions);
    assert!(
        regions
            .iter()
            .zip(keys)
            .all(|(&region, key)| region == router.locate(key))
    );
    assert_eq!(regions.len(), keys.len());
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        proptest::collection::vec(prop_oneof![Just(0u8), Just(0xFFu8), Just(b'a')], 0..12),
        "[0-9a-f]{8}-[0-9]{12}".prop_map(String::into_bytes),
        "tenant-name-0000000[0-9]/[0-9]{6}".prop_map(String::into_bytes),
        "user[0-9]{0,10}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn every_key_lands_in_the_region_with_the_greatest_start_not_above_it(
        points in proptest::collection::vec(bytes(), 0..60),
        keys in proptest::collection::vec(bytes(), 0..60),
    ) {
        let points = sorted(points);
        let router = Router::new(&points);
        for key in keys.iter().chain(&near(&points)) {
            prop_assert_eq!(router.locate(key), brute(&points, key), "{:02x?}", key);
        }
    }
}

#[test]
fn one_region_takes_everything() {
    check(&[], &[vec![], vec![0xFF; 9]]);
}

#[test]
fn many_points_of_awkward_shapes_are_exact() {
    let draw = |i: u64, salt: u64| mix(i ^ mix(salt));
    let shapes: [&dyn Fn(u64) -> Vec<u8>; 7] = [
        &|i| draw(i, 1).to_be_bytes().to_vec(),
        &|i| format!("tenant0001/metric/{:012}", draw(i, 2) % 1_000_000_000_000).into_bytes(),
        &|i| {
            format!(
                "{:08x}-{:012}",
                draw(i, 3) as u32,
                draw(i, 4) % 1_000_000_000_000
            )
            .into_bytes()
        },
        &|i| {
            format!(
                "tenant-name-{:08}/{:012}",
                draw(i, 5) % 8 * (draw(i, 6) % 8),
                draw(i, 7) % 1_000_000
            )
            .into_bytes()
        },
        // All values tie: what tells them apart lies behind the words that are looked at.
        &|i| {
            [
                [b'a'; 40].as_slice(),
                &[(i % 2) as u8],
                &[7; 33],
                &draw(i, 8).to_be_bytes(),
            ]
            .concat()
        },
        // One crowded slot: a few far outliers stretch the table.
        &|i| {
            if i % 500 == 0 {
                vec![draw(i, 9) as u8, 1]
            } else {
                [&[b'm'; 3], &(i as u32).to_be_bytes()[..]].concat()
            }
        },
        &|i| vec![0; (i % 300) as usize],
    ];
    for shape in shapes {
        let points = sorted((0..3_000).map(shape).collect());
        let mut keys = near(&points);
        keys.extend((10_000..12_000).map(shape));
        check(&points, &keys);
    }
}

#[test]
fn a_region_never_costs_more_than_64_bytes_besides_a_long_key() {
    // 16-byte keys, in thousands.
    let points = sorted(
        (0..9_999u64)
            .map(|i| [mix(i), mix(!i)].map(u64::to_be_bytes).concat())
            .collect(),
    );
    let router = Router::new(&points);
    assert_eq!(router.regions(), 10_000);
    let points: usize = points.iter().map(|point| point.0.len()).sum();
    let offsets = router.points.len() + 1 + router.slots.capacity();
    let bytes = points + offsets * size_of::<u32>() + router.values.capacity() * size_of::<u64>();
    assert!(bytes <= 64 * router.regions(), "{bytes} bytes");
}
