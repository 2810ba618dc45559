//! Access paths against tables held in memory: random keys, random reads, every row looked at.

use crate::brute_force::asked::Asked;
use crate::brute_force::rows;
use keyheat::layout::{Layout, Replicate};
use keyheat::query::Expected;
use keyheat::scenario::Scenario;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn every_wanted_row_is_asked_for_once_and_all_others_are_declared(case in rows::cases()) {
        rows::compare(&case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_range_of_time_is_bounded_by_all_the_steps_that_follow_it(case in rows::ranges_of_time()) {
        rows::compare(&case)?;
    }

    #[test]
    fn the_beginning_of_a_text_is_asked_for_as_far_as_it_is_known(case in rows::beginnings()) {
        rows::compare(&case)?;
    }

    #[test]
    fn parts_of_time_are_in_order_where_the_steps_before_them_are_known(case in rows::cut_times()) {
        rows::compare(&case)?;
    }

    #[test]
    fn a_sum_is_read_in_the_order_of_its_parts(case in rows::sums()) {
        rows::compare(&case)?;
    }

    #[test]
    fn rows_of_longer_values_are_counted(case in rows::longer_values()) {
        rows::compare_longer_values(&case)?;
    }
}

#[test]
fn a_time_that_is_known_in_hours_begins_no_key_of_milliseconds() {
    let segments = ["text(ts / 3600000)", "b", "uuid7(ts)"];
    let case = rows::case(&segments, Asked::equal(&["hour", "b"]), 333, 151);
    rows::compare(&case).expect("what is known in steps is asked for in steps");
}

#[test]
fn the_segments_of_the_soundness_test_all_compile() {
    rows::compile_all();
}

/// The requests and the rows read of the calls of some time back, in a table of ten days of 100,000 numbers.
fn call_records(key: &str, last: &str, known: &str) -> [f64; 2] {
    let text = format!(
        "[time]\nduration = \"3s\"\n[field]\nn = {{ type = \"int\", count = 100_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [write.call]\nrate = \"3k/s\"\n[existing.call]\nlast = \"10d\"\n[read.r]\nequal = [{known}]\nrange = {{ field = \"ts\", last = \"{last}\" }}\n\
         [strategy.s]\nkey = \"{key}\"\npresplit = {{ algorithm = \"sampled\", regions = 6 }}\n"
    );
    let scenario = Scenario::parse(&text, "calls").unwrap_or_else(|error| panic!("{error}"));
    let strategy = &scenario.strategies[0];
    let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
    let plan = layout.reads[0].planned.plan.expected;
    [plan.requests, plan.rows_read]
}

/// Seconds behind a coarser step of the time lie side by side, as milliseconds do: a range of them is one scan in each step, and reads what a second at
/// either end holds besides.
#[test]
fn a_range_that_ends_in_steps_is_one_scan_of_them() {
    let keys = [
        "to_char(ts, 'yyyyMMdd') || be4(n) || LAST",
        "left(md5(be4(n) || to_char(ts, 'yyyyMM')), 4) || be4(n) || LAST",
        "be1(bucket(64, be4(n) || to_char(ts, 'yyyyMMddHH'))) || be4(n) || LAST",
    ];
    // Calls of one number in the same second are one row.
    let rows_per_sec = 3_000.0 / 100_000.0f64;
    let rows_of_a_call = -(-rows_per_sec).exp_m1() / rows_per_sec;
    for key in keys {
        // In days there are more hours than buckets: whole ones cost as little.
        let lasts = if key.contains("64") { 2 } else { 3 };
        for last in &["10m", "3h", "3d"][..lasts] {
            let in_ms = call_records(&key.replace("LAST", "be8(ts)"), last, "\"n\"");
            for seconds in ["be4(ts / 1000)", "to_char(ts, 'yyyyMMddHHmmss')"] {
                let in_secs = call_records(&key.replace("LAST", seconds), last, "\"n\"");
                // Ranges of hours in a row are one scan where one bucket of 64 has both, but for texts, whose last second and next hour are apart.
                let apart = match seconds.starts_with("to_char") {
                    true => in_ms[0] / 48.0,
                    false => 0.0,
                };
                let scans = in_secs[0] - in_ms[0];
                assert!(
                    (0.0..=apart).contains(&scans),
                    "{key}, {seconds}, {last}: {scans}"
                );
                let more = in_secs[1] - in_ms[1] * rows_of_a_call;
                assert!(
                    (-0.01..=2.0 * rows_per_sec * in_ms[0] + 0.01).contains(&more),
                    "{key}, {seconds}, {last}: {in_secs:?} {in_ms:?}"
                );
            }
        }
    }
}

/// What a read of a table with this key expects, by a scenario of 100 customers with a country each.
fn of_customers(key: &str, read: &str, rest: &str) -> Expected {
    let text = format!(
        "[time]\nduration = \"1s\"\n[field]\ncustomer = {{ type = \"int\", count = 100 }}\n\
         country = {{ type = \"text\", count = 5_000, of = \"customer\" }}\ncontinent = {{ type = \"text\", values = [\"eu\", \"us\", \"ap\"], of = \"country\" }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\nid = {{ type = \"uuid\" }}\nnumber = {{ type = \"sequence\" }}\n\
         [existing.w]\nrecords = 100_000\nlast = \"10000s\"\n{rest}\n[read.r]\n{read}\n[strategy.s]\nkey = \"{key}\"\n"
    );
    let scenario = Scenario::parse(&text, "customers").unwrap_or_else(|error| panic!("{error}"));
    let strategy = &scenario.strategies[0];
    let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
    layout.reads[0].planned.plan.expected
}

const NEWEST: &str = "equal = [\"customer\"]\nnewest = { field = \"ts\", rows = 10 }";

/// Each customer has one country, and with it one continent, so that what stands behind them is in order within a customer: ten rows are the last ten of a scan.
#[test]
fn what_follows_from_a_known_field_leaves_rows_in_order() {
    let read = |key, rest| {
        let found = of_customers(key, NEWEST, rest);
        [found.requests, found.rows_read.round()]
    };
    for key in [
        "be4(customer) || country || be8(ts) || id",
        "be4(customer) || country || continent || be8(rev_ts(ts)) || id",
        "be4(customer) || be4(ts / 3600000) || left(md5(continent), 4) || be8(ts) || id",
        "be4(customer) || continent || be8(ts) || id",
    ] {
        assert_eq!(read(key, ""), [1.0, 10.0], "{key}");
    }
    // A scan of several customers is in the order of their countries, and so is one of a customer whose rows have another one besides: all of its 1,000 rows are
    // read, give or take five standard deviations of 32.
    let of_customer = |rows: f64, customers: f64| (rows / customers / 1e3 - 1.0).abs() < 0.16;
    let [scans, rows] = read("be1(customer / 25) || country || be8(ts) || id", "");
    assert!(scans == 1.0 && of_customer(rows, 25.0), "{scans}, {rows}");
    let moved =
        "[existing.moved]\nrecords = 100\nlast = \"10000s\"\nwith = { country = \"elsewhere\" }";
    let [scans, rows] = read("be4(customer) || country || be8(ts) || id", moved);
    assert!(scans == 1.0 && of_customer(rows, 1.0), "{scans}, {rows}");
}

/// A row lies under one of the salts that its key may begin with: a Get under each finds it once, whatever it is added to. Numbers that
/// are written again leave a copy under each salt that they came to.
#[test]
fn a_salt_that_is_added_to_a_number_tells_the_number() {
    for (key, gets) in [
        ("be8(random(16) * 576460752303423488 + number)", 16.0),
        // The numbers of one row lie side by side.
        ("be8(number * 16 + random(16))", 1.0),
        ("be1(random(16)) || be8(number)", 16.0),
        ("be1(pmod(random(48), 16)) || be8(number)", 16.0),
        ("be1(pmod(random(48) + number, 16)) || be8(number)", 16.0),
    ] {
        let found = of_customers(key, "equal = [\"number\"]", "");
        let rows = [found.requests, found.rows_returned, found.rows_read];
        assert!((rows[0] - gets).abs() < 1e-9, "{key}: {rows:?}");
        assert!(
            rows[1..].iter().all(|rows| (rows - 1.0).abs() < 0.01),
            "{key}: {rows:?}"
        );
    }
    // Besides the write of the row that is asked for there are ten on average, by Poisson's law: each of the other salts is left without one by e^(-10/16).
    let numbers = "[field.n]\ntype = \"int\"\ncount = 10_000\n";
    let copies = 1.0 - 15.0 * (-10.0_f64 / 16.0).exp_m1();
    for key in [
        "be1(random(16)) || be8(n)",
        "be8(random(16) * 576460752303423488 + n)",
    ] {
        let found = of_customers(key, "equal = [\"n\"]", numbers);
        // The 100,000 writes are shared by 10,000 numbers, one of which is the row's own: a hundred-thousandth.
        assert!(
            (found.copies / copies - 1.0).abs() < 1e-3,
            "{key}: {}",
            found.copies
        );
        assert!(
            (found.rows_read / copies - 1.0).abs() < 1e-3,
            "{key}: {}",
            found.rows_read
        );
    }
}

/// Of 48 draws three each make the same byte of sixteen, and of eight even ones each makes its own: ten rows are read in each of so many scans.
#[test]
fn draws_that_make_the_same_byte_are_one_scan() {
    for (salt, scans) in [
        ("pmod(random(48), 16)", 16.0),
        ("pmod(random(8) * 2, 16)", 8.0),
        ("pmod(random(48) + customer, 16)", 16.0),
        ("random(1000) / 63", 16.0),
        ("pmod(random(1000000), 16)", 16.0),
    ] {
        let key = format!("be1({salt}) || be4(customer) || be8(rev_ts(ts)) || id");
        let found = of_customers(&key, NEWEST, "");
        let rows = found.rows_read.round();
        assert_eq!([found.requests, rows], [scans, 10.0 * scans], "{salt}");
    }
}

/// Four scans of 1.2 ms that read the 1,000 rows of a customer at 1 us each take 5.8 ms, and eight of ten rows each 9.7 ms; of 10,000 rows the four take 14.8 ms.
#[test]
fn a_second_salt_is_gone_through_where_that_is_less_work() {
    let key = "be1(random(4)) || be4(customer) || be1(random(2)) || be8(rev_ts(ts)) || id";
    let scans = |rest| of_customers(key, NEWEST, rest).requests;
    let more = "[existing.more]\nrecords = 900_000\nlast = \"10000s\"";
    assert_eq!([scans(""), scans(more)], [4.0, 8.0]);
}

/// Eight Gets of 1.2 ms each cost less than a scan that is opened in each of 64 regions, and more than one that reads 7,700 rows of one region at 1 us each.
#[test]
fn a_scan_is_opened_anew_in_each_region() {
    let requests = |presplit: &str| {
        let text = format!(
            "[field]\nc = {{ type = \"int\", count = 1_000 }}\n[write.w]\nrate = \"500/s\"\n[existing.w]\nrecords = 20_000\n[read.total]\nequal = [\"c\"]\n\
             [strategy.s]\nkey = \"be1(random(8)) || be4(c)\"\n{presplit}"
        );
        let scenario = Scenario::parse(&text, "scan").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
        layout.reads[0].planned.plan.path.name()
    };
    let many = "presplit = { algorithm = \"sampled\", regions = 64 }\n";
    assert_eq!([requests(many), requests("")], ["multi-get", "table-scan"]);
}

/// Buckets in decimal digits begin one another: `1` has the rows of `10` to `19` behind it. Whoever knows no bucket reads all of 1,000,000 rows; an hour of ten days
/// is a scan in each bucket.
#[test]
fn a_scan_around_others_reads_the_rows_of_all() {
    let read = |bucket: &str, of: &str| {
        let text = format!(
            "[time]\nduration = \"6s\"\n[field]\nuser = {{ type = \"int\", count = 100_000 }}\nid = {{ type = \"int\", count = 1_000_000_000_000 }}\nts = {{ type = \"timestamp\" }}\n\
             [existing.w]\nrecords = 1_000_000\nlast = \"10d\"\n[read.r]\n{of}\n[table]\nsplit_policy = \"disabled\"\n\
             [strategy.s]\nkey = \"text({bucket}) || be8(ts) || be8(id)\"\n"
        );
        let scenario = Scenario::parse(&text, "buckets").unwrap_or_else(|error| panic!("{error}"));
        let strategy = &scenario.strategies[0];
        let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
        let plan = layout.reads[0].planned.plan.expected;
        [plan.requests, plan.rows_read]
    };
    for (bucket, count) in [
        ("user % 100", 100.0),
        ("bucket(20, user)", 20.0),
        ("random(12)", 12.0),
    ] {
        let [scans, rows] = read(bucket, "equal = [\"id\"]");
        assert_eq!(scans, 1.0, "{bucket}");
        assert!((rows - 1e6).abs() < 1.01, "{bucket}: {rows}");
        let [scans, rows] = read(bucket, "range = { field = \"ts\", last = \"1h\" }");
        assert_eq!(scans, count, "{bucket}");
        // The run of 6 s writes nothing, so that a reader at its end lacks 6 of 3,600 s; the row that is asked for is there besides.
        let hour = 1e6 / 240.0;
        let least = hour * (1.0 - 6.0 / 3_600.0);
        assert!((least..=hour + 1.01).contains(&rows), "{bucket}: {rows}");
    }
}
