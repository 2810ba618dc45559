//! Rows of keys that tell parts of fields: as many as these make, however they are written.

use super::counted_rows_tests::{assert_near, forecasts, strategies};
use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::table_size::TableSample;
use super::{Layout, Replicate};
use crate::record::FieldId;
use crate::scenario::Scenario;
use std::collections::BTreeMap;

/// Rows from before a run of three seconds with 4,000 writes each, and those that it adds: a fifth of the writes is up to half a minute late.
fn rows(key: &str) -> [f64; 2] {
    rows_of(", late = { fraction = 0.2, up_to = \"30s\" }", key)
}

/// The same of times that are late as these words say. The run begins at midnight.
fn rows_of(late: &str, key: &str) -> [f64; 2] {
    let fields = format!(
        "dev = {{ type = \"int\", count = 100 }}\nts = {{ type = \"timestamp\", unit = \"ms\"{late} }}\n"
    );
    rows_with("4k/s", &fields, key)
}

/// The same of records with these fields, written for 20 s before the run and in it at this rate.
fn rows_with(rate: &str, fields: &str, key: &str) -> [f64; 2] {
    let scenario = scenario(rate, fields, key);
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let table = KeyedTable::of(strategy, &replicate);
    let writes = strategy
        .setup
        .workload
        .estimated_writes(&strategy.setup.schema);
    let size = TableSample::of(&table, 1_024, Encodings::Own).size(writes);
    [size.existing_rows, size.written_rows]
}

fn scenario(rate: &str, fields: &str, key: &str) -> Scenario {
    let text = format!(
        "[time]\nduration = \"3s\"\n[field]\n{fields}[write.w]\nrate = \"{rate}\"\n\
         [existing.w]\nlast = \"20s\"\n[strategy.s]\nkey = \"{key}\"\n"
    );
    Scenario::parse(&text, "parts").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn parts_of_late_times_that_do_not_come_again_make_the_rows_of_whole_times() {
    let near = |[old, new]: [f64; 2], [whole, run]: [f64; 2], key: &str| {
        assert!((old / whole - 1.0).abs() < 1e-6, "{key}: {old} {whole}");
        assert!((new / run - 1.0).abs() < 1e-6, "{key}: {new} {run}");
    };
    // Exported writes of a seed have 28,556 different times before the run, and 3,269 more in it. Of such a number the root of it is one standard deviation at most.
    let whole = rows("be8(ts)");
    assert!(
        (28_556.0 - 3.0 * 169.0..28_556.0 + 3.0 * 169.0).contains(&whole[0]),
        "{whole:?}"
    );
    assert!(
        (3_269.0 - 3.0 * 57.0..3_269.0 + 3.0 * 57.0).contains(&whole[1]),
        "{whole:?}"
    );
    for key in [
        "be4(ts % 600000)",
        "be4(murmur3(ts))",
        "right(text(ts), 6)",
        "to_char(ts, 'HHmmssSSS')",
        "be1(pmod(murmur3(ts), 4)) || be4(ts % 600000)",
    ] {
        near(rows(key), whole, key);
    }
    let seconds = rows("be8(ts / 1000)");
    for key in ["be4(ts % 600000 / 1000)", "to_char(ts, 'HHmmss')"] {
        near(rows(key), seconds, key);
    }
}

#[test]
fn a_salt_by_time_and_what_stands_beside_a_part_of_it_make_rows_of_that_part() {
    // Every device is written 800 times before the run, in any of eight buckets, and 120 times in it: each minute has them all. The record that stands
    // for all is one of the run's first instant, and counted as there before it.
    let [old, new] = rows_of("", "be1(bucket(8, ts)) || to_char(ts, 'HHmm') || be4(dev)");
    assert!(
        (old - 800.0).abs() < 1.5 && (old + new - 1_600.0).abs() < 0.1,
        "{old} {new}"
    );
    // As many rows as under the same parts in one piece, but for those that chance lets meet.
    let whole = rows_of("", "be4(dev) || to_char(ts, 'HHmmssSSS')");
    for key in [
        "be4(dev) || to_char(ts, 'HHmmss') || to_char(ts, 'SSS')",
        "be4(dev) || to_char(ts, 'HH') || be4(ts % 3600000)",
    ] {
        let found = rows_of("", key);
        for (own, of_whole) in found.into_iter().zip(whole) {
            assert!(
                (own / of_whole - 1.0).abs() < 0.03,
                "{key}: {found:?} {whole:?}"
            );
        }
    }
}

#[test]
fn a_minute_that_has_begun_has_a_row() {
    // Of each device one of 23:59 and one of 0:00, but for one in e^120.
    for minute in [
        "to_char(ts, 'HHmm')",
        "to_char(ts, 'yyyyMMddHHmm')",
        "be8(trunc(ts, '1m'))",
        "be4(murmur3(ts / 60000))",
    ] {
        let [old, new] = rows_of("", &format!("be4(dev) || {minute}"));
        assert!((old - 100.0).abs() < 1.5, "{minute}: {old}");
        assert!((old + new - 200.0).abs() < 0.1, "{minute}: {old} {new}");
    }
}

#[test]
fn a_time_of_day_says_nothing_of_numbers_beside_it() {
    // A second has a thousand numbers, so that no row is written again.
    let fields = "tenant = { type = \"int\", count = 20 }\nserial = { type = \"sequence\" }\n\
                  ts = { type = \"timestamp\", unit = \"ms\" }\n";
    for second in ["to_char(ts, 'HHmmss')", "to_char(ts, 'yyyyMMddHHmmss')"] {
        let key = format!("be4(tenant) || {second} || be2(serial % 1000)");
        let [old, new] = rows_with("1k/s", fields, &key);
        // A second may have some numbers more, which are those of a tenant again: a twentieth of them.
        assert!((old - 20_000.0).abs() < 100.0, "{second}: {old}");
        assert!((new - 3_000.0).abs() < 15.0, "{second}: {new}");
    }
}

#[test]
fn a_number_of_digits_of_two_fields_makes_the_rows_of_both() {
    let fields = "x = { type = \"int\", count = 1_000, distribution = { zipf = 1.2 } }\n\
                  y = { type = \"int\", count = 1_000, distribution = { zipf = 1.2 } }\n";
    let pair = rows_with("300/s", fields, "be2(x / 10) || be2(y / 10)");
    // By the laws of both: the sum of 1 - e^-6000pq over all pairs of tens, those of 6,900 writes less.
    let scenario = scenario("300/s", fields, "be4(x)");
    let setup = &scenario.strategies[0].setup;
    let replicate = Replicate::new(setup, scenario.seed, 0);
    let tens = |field: u16| {
        let law = replicate
            .generator
            .shares(FieldId(field))
            .expect("a law of its own");
        let ten = move |ten: i64| law.share_between(10 * ten, 10 * ten + 10);
        (0..100).map(ten).collect::<Vec<f64>>()
    };
    let (of_x, of_y) = (tens(0), tens(1));
    let held = |writes: f64| {
        let pairs = of_x.iter().flat_map(|p| of_y.iter().map(move |q| p * q));
        pairs
            .map(|share| 1.0 - (-writes * share).exp())
            .sum::<f64>()
    };
    let [old, new] = pair;
    assert!(
        (old / held(6_000.0) - 1.0).abs() < 0.01,
        "{old} {}",
        held(6_000.0)
    );
    assert!(
        (new / (held(6_900.0) - held(6_000.0)) - 1.0).abs() < 0.02,
        "{new}"
    );
    for key in [
        "be4(x / 10 * 100 + y / 10)",
        "be4(y / 10 + x / 10 * 100 + 7)",
        "md5(text(x / 10 * 100 + y / 10))",
    ] {
        let found = rows_with("300/s", fields, key);
        for (own, of_both) in found.into_iter().zip(pair) {
            assert!(
                (own / of_both - 1.0).abs() < 1e-6,
                "{key}: {found:?} {pair:?}"
            );
        }
    }
}

#[test]
fn a_hash_with_room_for_all_pairs_tells_them() {
    let text = "text(user) || '|' || text(item)";
    let keys = [
        text.to_owned(),
        format!("left(md5({text}), 8)"),
        format!("be4(murmur3({text}))"),
        format!("be2(country) || left(md5({text}), 8)"),
    ];
    let fields = "user = { type = \"int\", count = 500, distribution = { zipf = 0.9 } }\n\
                  item = { type = \"int\", count = 10 }\ncountry = { type = \"int\", count = 20, of = \"user\" }\n";
    let strategies = strategies(&keys.each_ref().map(String::as_str));
    let found = forecasts::<2>(&format!(
        "[time]\nduration = \"3s\"\nwarmup = \"1s\"\n[field]\n{fields}[write.w]\nrate = \"500/s\"\n[existing.w]\nlast = \"20s\"\n\
         [read.both]\nequal = [\"user\", \"item\"]\n[read.user]\nequal = [\"user\"]\n{strategies}"
    ));
    let pair = rows_with("500/s", fields, &keys[0]);
    for (key, [both, user]) in keys.iter().zip(&found) {
        let own = rows_with("500/s", fields, key);
        for (own, of_pair) in own.into_iter().zip(pair) {
            assert!((own / of_pair - 1.0).abs() < 1e-6, "{key}: {own} {of_pair}");
        }
        // One is there as it is asked for, and of a user as many as of its key before its items.
        assert_near(both[0], 1.0, 1e-6);
        assert_near(user[0], found[0][1][0], 1e-6);
    }
}

/// Shares of whole numbers from 0 on by Zipf's law.
fn zipf(count: u32, exponent: f64) -> Vec<f64> {
    let law: Vec<f64> = (1..=count).map(|k| f64::from(k).powf(-exponent)).collect();
    let all: f64 = law.iter().sum();
    law.iter().map(|weight| weight / all).collect()
}

/// Rows that 20 s of writes make, and that three more add, where what is made has these shares.
fn rows_of_shares<T: Ord>(rate: f64, made: impl Iterator<Item = (T, f64)>) -> [f64; 2] {
    let mut shares = BTreeMap::<T, f64>::new();
    made.for_each(|(value, share)| *shares.entry(value).or_default() += share);
    let held = |writes: f64| -> f64 {
        let held = shares.values().map(|share| 1.0 - (-writes * share).exp());
        held.sum()
    };
    [held(20.0 * rate), held(23.0 * rate) - held(20.0 * rate)]
}

#[track_caller]
fn assert_rows(key: &str, [old, new]: [f64; 2], right: [f64; 2]) {
    let all = right[0] + right[1];
    assert!(
        (old / right[0] - 1.0).abs() < 0.02 && (new - right[1]).abs() < 0.01 * all,
        "{key}: {old} {new}, right {right:?}"
    );
}

/// All pairs of values with their shares.
fn pairs(x: &[f64], y: &[f64]) -> Vec<(i64, i64, f64)> {
    let of = |(a, p): (i64, &f64)| {
        let p = *p;
        (0..).zip(y).map(move |(b, q)| (a, b, p * q))
    };
    (0..).zip(x).flat_map(of).collect()
}

#[test]
fn numbers_made_of_two_skewed_fields_come_as_often_as_these_do() {
    let of_two = [
        ("be4(b + c)", (|b, c| b + c) as fn(i64, i64) -> i64),
        ("be4(b * c)", |b, c| b * c),
        ("be4(abs(b - c))", |b, c| (b - c).abs()),
        ("text(pmod(b * 31 + c, 109))", |b, c| (b * 31 + c) % 109),
        ("be1((b + c) % 16) || be4(b * c)", |b, c| {
            (b + c) % 16 * 1_000_000_000 + b * c
        }),
        // Beside a field that is told.
        ("be2(b) || be1(pmod(b + c, 8))", |b, c| b * 8 + (b + c) % 8),
        ("be1(b % 10) || be1((b / 10 + c) % 8)", |b, c| {
            b % 10 * 8 + (b / 10 + c) % 8
        }),
    ];
    // Few values are all looked at; of many some are drawn.
    for (count, rate) in [(300, 100.0), (1_000, 400.0)] {
        let fields = format!(
            "b = {{ type = \"int\", count = {count}, distribution = {{ zipf = 1.2, ranked = true }} }}\n\
             c = {{ type = \"int\", count = {count}, distribution = {{ zipf = 1.2, ranked = true }} }}\n"
        );
        let law = zipf(count, 1.2);
        let pairs = pairs(&law, &law);
        for (key, made) in of_two {
            let shares = pairs.iter().map(|(b, c, share)| (made(*b, *c), *share));
            let right = rows_of_shares(rate, shares);
            assert_rows(key, rows_with(&format!("{rate}/s"), &fields, key), right);
        }
    }
}

#[test]
fn prefixes_of_cells_of_an_area_are_those_that_lie_in_it() {
    let fields = "lon = { type = \"double\", min = 5, max = 15 }\nlat = { type = \"double\", min = 47, max = 55 }\n";
    let rows = |key: &str| rows_with("500/s", fields, key);
    let parts = |low: f64, high: f64, from: f64, cell: f64| -> Vec<f64> {
        let first = ((low - from) / cell) as i64;
        let last = ((high - from) / cell).ceil() as i64;
        let part = |at: i64| {
            let start = from + at as f64 * cell;
            ((start + cell).min(high) - start.max(low)) / (high - low)
        };
        (first..last).map(part).collect()
    };
    // The first two bits of 64 are none of either.
    for (bytes, cells) in [(2, 128.0), (3, 2_048.0)] {
        let lon = parts(5.0, 15.0, -180.0, 360.0 / cells);
        let lat = parts(47.0, 55.0, -90.0, 180.0 / cells);
        let all = pairs(&lon, &lat);
        let right = rows_of_shares(500.0, all.iter().map(|(x, y, share)| ((x, y), *share)));
        let key = format!("left(z2(lon, lat), {bytes})");
        assert_rows(&key, rows(&key), right);
    }
    // Of 910 x 1,456 cells few have two rows.
    let [old, new] = rows("left(z2(lon, lat), 4)");
    assert!((old + new - 11_500.0 * (1.0 - 11_500.0 / 1.325e6 / 2.0)).abs() < 10.0);
    // Three bytes of a double hold twelve bits of its fraction: a 1,024th below 8, a 512th above.
    let key = "left(of8(lon), 3)";
    let cells = (0..3_072)
        .map(|_| 1.0 / 10_240.0)
        .chain((0..3_584).map(|_| 1.0 / 5_120.0));
    assert_rows(key, rows(key), rows_of_shares(500.0, (0..).zip(cells)));
}

#[test]
fn prefixes_of_joined_texts_are_those_of_these_texts() {
    let fields = "city = { type = \"text\", values = [\"berlin\", \"bern\", \"bremen\", \"bonn\", \"basel\"] }\n\
                  item = { type = \"int\", count = 40 }\ncar = { type = \"int\", count = 200 }\n";
    let cities = ["berlin", "bern", "bremen", "bonn", "basel"];
    let all = pairs(&[0.2; 5], &[1.0 / 40.0; 40]);
    let right = |made: &dyn Fn(String) -> String| {
        let text = |(city, item, share): &(i64, i64, f64)| {
            (made(format!("{}{item}", cities[*city as usize])), *share)
        };
        rows_of_shares(500.0, all.iter().map(text))
    };
    let (left, right) = (
        right(&|text| text.chars().take(5).collect()),
        right(&|text| text.chars().rev().take(3).collect()),
    );
    for (key, right) in [
        ("left(city || text(item), 5)", left),
        ("left(reverse(city || text(item)), 3)", right),
    ] {
        assert_rows(key, rows_with("500/s", fields, key), right);
    }
    // A city has one prefix, and its rows those of 200 cars, of which one in forty was written for an item last.
    let found = forecasts::<2>(&format!(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n[field]\n{fields}[write.w]\nrate = \"500/s\"\n[existing.w]\nlast = \"20s\"\n\
         [read.city]\nequal = [\"city\"]\n[read.both]\nequal = [\"city\", \"item\"]\n\
         [strategy.s]\nkey = \"left(city || '|' || text(item), 5) || be4(car)\"\n"
    ));
    let [city, both] = found[0];
    assert_near(city[0], 200.0, 1.0);
    assert_near(both[0], 5.2, 0.3);
}

#[test]
fn a_sum_and_a_short_hash_of_two_fields_make_no_more_rows_than_both() {
    let fields = "user = { type = \"int\", count = 20, distribution = { zipf = 1.0 } }\nitem = { type = \"int\", count = 30 }\n\
                  ts = { type = \"timestamp\", unit = \"ms\" }\n";
    let rows = |key: &str| {
        let [old, new] = rows_with("400/s", fields, &format!("{key} || be8(trunc(ts, '1s'))"));
        old + new
    };
    let both = rows("be1(user) || be1(item)");
    let text = "text(user) || '|' || text(item)";
    let one = rows("be1(user)");
    for key in [
        format!("be1(pmod(user + item, 8)) || left(md5({text}), 2)"),
        format!("be1(pmod(user + item, 8)) || left(md5({text}), 3)"),
        format!("left(md5({text}), 2) || be1(user)"),
    ] {
        let own = rows(&key);
        assert!(
            (0.9 * both..1.000_001 * both).contains(&own),
            "{key}: {own} {both}"
        );
    }
    // A user's thirty items have 64 (1 - (63/64)^30) = 24.1 of 64 values, each as often as 1.25 items.
    let own = rows(&format!("be1(bucket(64, {text})) || be1(user)"));
    assert!((0.86 * both..0.95 * both).contains(&own), "{own} {both}");
    let eight = rows("be1(pmod(user + item, 8)) || be1(user)");
    let right = rows("be1(item % 8) || be1(user)");
    assert!(
        (eight / right - 1.0).abs() < 0.02 && eight > one,
        "{eight} {right}"
    );
    let found = forecasts::<2>(&format!(
        "[time]\nduration = \"3s\"\nwarmup = \"1s\"\n[field]\n{fields}[write.w]\nrate = \"4k/s\"\n[existing.w]\nlast = \"20s\"\n\
         [read.user]\nequal = [\"user\"]\n[read.both]\nequal = [\"user\", \"item\"]\n\
         [strategy.s]\nkey = \"be1(pmod(user + item, 8)) || be1(user)\"\n"
    ));
    // All eight are there, each written last by one of almost four items.
    assert_near(found[0][0][0], 8.0, 0.1);
    assert!((0.25..1.3).contains(&found[0][1][0]), "{found:?}");
}

#[test]
fn a_key_that_tells_the_time_of_day_alone_is_warned_of() {
    let fields = "dev = { type = \"int\", count = 100 }\nserial = { type = \"sequence\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n";
    let found = |key: &str, more: &str| {
        let text = format!(
            "[time]\nduration = \"3s\"\n[field]\n{fields}[write.w]\nrate = \"4k/s\"\n[existing.w]\nlast = \"20s\"\n{more}[strategy.s]\nkey = \"{key}\"\n"
        );
        let scenario = Scenario::parse(&text, "again").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let lints = Layout::of(strategy, &replicate).lints.into_iter();
        let lints = lints.map(|it| it.message);
        lints
            .filter(|it| it.contains("comes again"))
            .collect::<Vec<_>>()
    };
    let minute = "be4(dev) || to_char(ts, 'HHmm')";
    let told = "strategy `s`: what the key tells of `ts` comes again every 1d: rows of before are overwritten then";
    assert_eq!(found(minute, ""), [told]);
    assert_eq!(
        found("be1(bucket(8, ts)) || to_char(ts, 'HHmm') || be4(dev)", ""),
        [told]
    );
    let ten = found("be4(dev) || be4(ts % 600000)", "");
    assert!(ten[0].contains("every 10m"), "{ten:?}");
    // A ring, a date, a hash of the whole time, and a number that comes once.
    assert_eq!(found(minute, "[family.d]\nttl = \"1d\"\n"), [""; 0]);
    for key in [
        "be4(dev) || to_char(ts, 'yyyyMMddHHmm')",
        "be4(dev) || to_char(ts, 'HHmm') || be8(ts / 86400000)",
        "be4(dev) || to_char(ts, 'HHmm') || md5(text(ts))",
        "be4(dev) || to_char(ts, 'HHmm') || be8(serial)",
    ] {
        assert_eq!(found(key, ""), [""; 0], "{key}");
    }
}

#[test]
fn two_remainders_of_one_counter_make_no_more_pairs_than_it_has_numbers_until_both_begin_anew() {
    let fields = "dev = { type = \"int\", count = 100 }\nserial = { type = \"sequence\" }\n\
                  ts = { type = \"timestamp\", unit = \"ms\" }\n";
    let rows = |key: &str| rows_with("1k/s", fields, key);
    // The least common multiples, all of which the first 20,000 numbers and milliseconds have.
    for (key, pairs) in [
        ("be2(serial % 40) || be2(serial % 100)", 200.0),
        ("be2(serial % 400) || be2(serial % 1000)", 2_000.0),
        ("be2(ts % 40) || be2(ts % 100)", 200.0),
        ("be2(serial % 7) || be2(serial % 11)", 77.0),
        // Sevens of hundreds, of which all begin with each of the three remainders of 100 k by 60.
        ("be2(serial / 100 % 7) || be2(serial % 60)", 420.0),
    ] {
        let [old, new] = rows(key);
        assert!((old / pairs - 1.0).abs() < 1e-3, "{key}: {old}");
        assert!(new < 1e-3 * pairs, "{key}: {new}");
    }
    // Each of 100 devices has had each of 200 numbers, but for those that none of its 100 turns met.
    let held = |turns: f64| 20_000.0 * (1.0 - 0.99f64.powf(turns));
    let [old, new] = rows("be2(serial % 40) || be2(serial % 100) || be4(dev)");
    assert!((old / held(100.0) - 1.0).abs() < 0.01, "{old}");
    let all = old + new;
    assert!((all / held(115.0) - 1.0).abs() < 0.01, "{all}");
    // A block of a hundred numbers has sixty remainders.
    let [old, new] = rows("be4(serial / 100) || be2(serial % 60)");
    assert!((old - 12_000.0).abs() < 2.0, "{old}");
    assert!((new - 1_800.0).abs() < 2.0, "{new}");
}

#[test]
fn blocks_of_numbers_are_fixed_by_when_a_late_row_comes_and_not_by_its_time() {
    // A hundred rows a block, in 100 s: it touches 100 / 60 + 1 minutes on time, and 10 rows of it that are up to an hour late lie in others, of which two fall together
    // once in a dozen.
    let text = |load: &str, more: &str| {
        format!(
            "[time]\nduration = \"3s\"\n[field]\ndev = {{ type = \"int\", count = 20 }}\nserial = {{ type = \"sequence\" }}\n\
             ts = {{ type = \"timestamp\", unit = \"ms\"{more} }}\n[write.w]\n{load}\n[existing.w]\nlast = \"1d\"\n\
             [strategy.s]\nkey = \"be4(serial / 100) || to_char(ts, 'HHmm')\"\n"
        )
    };
    let rows = |text: &str| {
        let scenario = Scenario::parse(text, "blocks").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
        let table = KeyedTable::of(strategy, &replicate);
        let size = TableSample::of(&table, 1_024, Encodings::Own).size(0.0);
        size.existing_rows
    };
    let late = ", late = { fraction = 0.1, up_to = \"1h\" }";
    let blocks = 864.0;
    let on_time = blocks * (100.0 / 60.0 + 1.0);
    let found = rows(&text("rate = \"1/s\"", ""));
    assert!((found / on_time - 1.0).abs() < 0.02, "{found} {on_time}");
    // Of the late rows of a block one in 36 falls on its own minutes, and few on one of another one: 10 of 60 minutes are met by 9.3.
    let others = blocks * 60.0 * (1.0 - (59.0f64 / 60.0).powi(10)) * (1.0 - 1.3 / 60.0);
    let found = rows(&text("rate = \"1/s\"", late));
    assert!(
        (found / (on_time + others) - 1.0).abs() < 0.04,
        "{found} {on_time} {others}"
    );
    // As many of twenty devices that take turns.
    let turns = rows(&text("each = [\"dev\"]\nevery = \"20s\"", late));
    assert!((turns / found - 1.0).abs() < 0.02, "{turns} {found}");
}

#[test]
fn what_is_cut_of_a_date_or_of_a_padded_number_makes_the_rows_of_what_is_left() {
    let fields = "dev = { type = \"int\", count = 100 }\nx = { type = \"int\", count = 20_000 }\nserial = { type = \"sequence\" }\n\
                  ts = { type = \"timestamp\", unit = \"ms\" }\n";
    let rows = |key: &str| rows_with("1k/s", fields, key);
    for (cut, whole) in [
        (
            "left(to_char(ts, 'HHmmss'), 4) || be1(dev)",
            "to_char(ts, 'HHmm') || be1(dev)",
        ),
        (
            "substr(to_char(ts, 'yyyyMMddHHmmss'), 9, 4) || be1(dev)",
            "to_char(ts, 'HHmm') || be1(dev)",
        ),
        ("right(to_char(ts, 'HHmmss'), 2)", "to_char(ts, 'ss')"),
        (
            "left(lpad(dev, 3) || lpad(x, 5), 5)",
            "be1(dev) || be1(x / 1000)",
        ),
        (
            "left(lpad(dev, 3) || lpad(serial, 5), 5)",
            "be1(dev) || be1(serial / 1000)",
        ),
    ] {
        let (cut, whole) = (rows(cut), rows(whole));
        for (cut, whole) in cut.into_iter().zip(whole) {
            assert!((cut - whole).abs() <= 1e-3 * (1.0 + whole), "{cut} {whole}");
        }
    }
}

#[test]
fn short_hashes_of_times_are_as_many_as_their_things_meet() {
    let fields =
        "dev = { type = \"int\", count = 100 }\nts = { type = \"timestamp\", unit = \"ms\" }\n";
    let hashes = |things: f64| 65_536.0 * (1.0 - (-things / 65_536.0).exp());
    // 20,000 rows before the run that come one a millisecond, and 3,000 of it that meet 1 - e^-1 of its 3,000; 100 devices with two minutes; and with 20 and 23 seconds, of
    // which each has a row but for one in e^10.
    let in_run = 3_000.0 * (1.0 - (-1.0f64).exp());
    for (key, old_things, all_things) in [
        ("left(md5(text(ts)), 4)", 20_000.0, 20_000.0 + in_run),
        (
            "left(md5(text(dev) || '|' || to_char(ts, 'HHmm')), 4)",
            100.0,
            200.0,
        ),
        (
            "left(md5(text(dev) || '|' || text(ts / 1000)), 4)",
            2_000.0,
            2_300.0,
        ),
    ] {
        let [old, new] = rows_with("1k/s", fields, key);
        let right = [hashes(old_things), hashes(all_things)];
        for (found, right) in [old, old + new].into_iter().zip(right) {
            assert!(
                (found / right - 1.0).abs() < 0.015,
                "{key}: {found} {right}"
            );
        }
    }
}
