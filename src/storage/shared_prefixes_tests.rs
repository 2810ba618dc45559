//! Shared prefixes of whole tables, counted, against estimates from samples of them.

use super::*;
use crate::random::mix;

const ROWS: u64 = 400_000;
const SAMPLE: u64 = 20_000;

/// Exact values of a table, by looking at all neighbours.
struct Counted {
    rows: f64,
    shared: f64,
    encodable: f64,
    /// Share of the neighbours that have different lengths.
    unequal: f64,
}

fn count(keys: &[Vec<u8>]) -> Counted {
    let mut keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    keys.sort_unstable();
    keys.dedup();
    let rows = keys.len() as f64;
    let (mut shared, mut encodable, mut unequal) = (0.0, 0.0, 0.0);
    for pair in keys.windows(2) {
        let common = common_prefix(pair[0], pair[1]) as f64;
        shared += common;
        if pair[0].len() == pair[1].len() {
            encodable += common + 2.0;
        } else {
            encodable += 1.0;
            unequal += 1.0;
        }
    }
    Counted {
        rows,
        shared: shared / rows,
        encodable: encodable / rows,
        unequal: unequal / rows,
    }
}

/// Estimates for the table `key(0..ROWS)` from one row in twenty, drawn at random.
fn estimate(key: impl Fn(u64) -> Vec<u8>, most: impl Fn(usize) -> f64) -> (Counted, Counted) {
    let all: Vec<Vec<u8>> = (0..ROWS).map(&key).collect();
    let mut order: Vec<u64> = (0..ROWS).collect();
    order.sort_unstable_by_key(|i| mix(i ^ 0x5eed));
    let mut sample: Vec<&[u8]> = order[..SAMPLE as usize]
        .iter()
        .map(|&i| all[i as usize].as_slice())
        .collect();
    sample.sort_unstable();
    let prefixes = SharedPrefixes::of(&sample, most);
    let rows = prefixes.rows(ROWS as f64);
    let estimated = Counted {
        rows,
        shared: prefixes.shared_bytes(ROWS as f64, rows),
        encodable: prefixes.encodable_bytes(ROWS as f64, rows),
        unequal: f64::NAN,
    };
    (count(&all), estimated)
}

fn unknown(_: usize) -> f64 {
    f64::INFINITY
}

/// An error of 25 % in the number of prefixes of two lengths (one where the sample says it, one where the bytes' bound does)
/// costs twice log256(1.25) = 0.08 bytes.
const BYTES: f64 = 0.08;

/// Rows within a fraction, bytes within a number of bytes.
fn agree(counted: &Counted, estimated: &Counted, rows: f64, bytes: f64) {
    let near = |found: f64, expected: f64, bytes: f64| {
        assert!((found - expected).abs() < bytes, "{found} for {expected}");
    };
    near(estimated.rows / counted.rows, 1.0, rows);
    near(estimated.shared, counted.shared, bytes);
    near(estimated.encodable, counted.encodable, bytes);
}

#[test]
fn a_complete_sample_is_counted() {
    let keys = ["a", "ab", "abc", "b", "b", "bcd"].map(str::as_bytes);
    let prefixes = SharedPrefixes::of(&keys, unknown);
    // a|ab 1, ab|abc 2, abc|b 0, b|bcd 1: 4 bytes in 5 rows, no two of one length.
    assert_eq!(prefixes.rows(6.0), 5.0);
    assert!((prefixes.shared_bytes(6.0, 5.0) - 4.0 / 5.0).abs() < 1e-12);
    assert_eq!(prefixes.fraction_sharing(0, 6.0, 5.0), 1.0);
    assert!((prefixes.fraction_sharing(2, 6.0, 5.0) - 1.0 / 5.0).abs() < 1e-12);
    assert_eq!(prefixes.fraction_sharing(9, 6.0, 5.0), 0.0);
}

#[test]
fn neighbours_of_a_hashed_table_share_log256_of_its_rows() {
    // Rows 0 .. 400,000 by the bytes of a hash: D(L) = 256^L (1 - e^(-N / 256^L)), all of it foreseen by the byte bound.
    let (counted, estimated) = estimate(|i| mix(i).to_be_bytes().to_vec(), unknown);
    agree(&counted, &estimated, 0.001, BYTES);
    // In hex each byte has 16 values.
    let hex = |i| format!("{:016x}", mix(i)).into_bytes();
    let (counted, estimated) = estimate(hex, unknown);
    agree(&counted, &estimated, 0.001, BYTES);
}

#[test]
fn rows_of_one_entity_stand_together_in_the_table_though_not_in_the_sample() {
    // 40,000 entities of 10 rows each: a sampled entity is sampled 0.5 times.
    let key = |i: u64| {
        let mut key = mix(i % 40_000).to_be_bytes().to_vec();
        key.extend_from_slice(&(1_767_225_600 + (i / 40_000) * 3_600).to_be_bytes()[4..]);
        key
    };
    let (counted, estimated) = estimate(key, unknown);
    // Nine of ten share the entity's eight bytes and one or two of the time.
    assert!(counted.shared > 8.5);
    agree(&counted, &estimated, 0.001, BYTES);
}

#[test]
fn repeated_keys_are_rows_once() {
    // 400,000 writes of 150,000 rows, 139,600 of which they meet. 1,250 draws repeat: 3 % for one standard error.
    let key = |i: u64| mix(mix(i) % 150_000).to_be_bytes().to_vec();
    // Two bytes have 58,900 values, held by 1 to 9 of the rows; as draws of so unequal values look like draws of
    // 1 / (1 / 65,536 + 1 / 150,000) = 45,600 equal ones, (58,900 - 45,600) / 139,600 = 0.1 bytes too many seem to be shared.
    let (counted, estimated) = estimate(key, unknown);
    agree(&counted, &estimated, 3.0 * 0.03, 0.1 + BYTES);
    let (counted, estimated) = estimate(key, |_| 150_000.0);
    agree(&counted, &estimated, 3.0 * 0.03, 0.1 + BYTES);
}

#[test]
fn rows_of_other_lengths_help_no_encoder() {
    let key = |i: u64| {
        let user = mix(i) % 2_000_000;
        format!("user{user}#").into_bytes()
    };
    let (counted, estimated) = estimate(key, unknown);
    // A user of seven digits stands behind the user of its first six digits, if that one has a row.
    assert!(
        counted.unequal > 0.02 && counted.encodable < counted.shared + 2.0 - 7.0 * counted.unequal
    );
    // How many of the closest neighbours have one length is told from those a little less close: at worst wrong for all that have not.
    let bytes = counted.unequal * 12.0 + 2.0 * BYTES;
    let difference = estimated.encodable - counted.encodable;
    assert!(
        difference.abs() < bytes,
        "{} for {}",
        estimated.encodable,
        counted.encodable
    );
    // 95 collisions in the sample tell the users to 10 % (one standard error), and the rows, N (1 - N / 2C), to a tenth of that.
    assert!((estimated.rows / counted.rows - 1.0).abs() < 3.0 * 0.01);
}

#[test]
fn the_only_row_of_a_table_shares_nothing() {
    let prefixes = SharedPrefixes::of(&[b"".as_slice()], |_| f64::INFINITY);
    // Written as a number it is not -0.0.
    assert!(prefixes.shared_bytes(1.0, 1.0).is_sign_positive());
}
