//! What reads of numbers with a sign cost under keys that write them plainly, so that negative ones sort after the others.

use keyheat::layout::{Layout, Replicate};
use keyheat::scenario::Scenario;

/// The scans and the rows of a read of a million rows of 20 groups, in each of which scores and balances are equally likely.
fn read(key: &str, read: &str) -> [f64; 2] {
    let text = format!(
        "[time]\nduration = \"10s\"\n[field]\ng = {{ type = \"int\", count = 20 }}\nscore = {{ type = \"int\", count = 100_000 }}\n\
         balance = {{ type = \"int\", count = 20_001, first = -10_000 }}\nseq = {{ type = \"sequence\" }}\n[existing.w]\nrecords = 1_000_000\n\
         last = \"1000s\"\n[read.r]\nequal = [\"g\"]\n{read}\n[table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
    );
    let scenario = Scenario::parse(&text, "signs").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    let plan = layout.reads[0].planned.plan.expected;
    [plan.requests, plan.rows_read]
}

fn is_near(found: f64, expected: f64, part: f64) -> bool {
    (found / expected - 1.0).abs() < part
}

/// Numbers of one sign are in order among themselves: a range of them is one scan, and one across 0, as a twentieth of those of 1,000 in 20,001 are, two.
#[test]
fn a_range_of_numbers_is_a_scan_of_each_sign() {
    let range = "range = { field = \"balance\", span = 1_000 }";
    let [scans, rows] = read("be1(g) || sbe4(balance) || be8(seq)", range);
    assert_eq!(scans, 1.0);
    assert!(is_near(rows, 50_000.0 * 1_000.0 / 20_001.0, 0.05), "{rows}");
    for key in [
        "be1(g) || be4(balance) || be8(seq)",
        "be1(g) || desc(be4(balance)) || be8(seq)",
        "be1(g) || hex(be8(balance * 3 - 7)) || be8(seq)",
        "be1(g) || be2(0 - balance) || be8(seq)",
    ] {
        let [of_signs, of_both] = read(key, range);
        // A thousandth of reads is 1,000 of which 50 lie across 0: four standard deviations.
        assert!(
            (of_signs - 1.05).abs() < 4.0 * (0.05_f64 / 1_024.0).sqrt(),
            "{key}: {of_signs}"
        );
        assert!(
            (of_both - rows).abs() < 1e-6 * rows,
            "{key}: {of_both}, {rows}"
        );
    }
}

/// Of 18,001 latitudes and 36,001 longitudes, each around 0, cells of 1,000: nearly all of 500,000 records of 50 kinds fill 19 x 37 of them, but for those at the ends with one value. The cell of a
/// record has 50 rows, and its latitude's band as many in each of the 35 cells that are filled.
#[test]
fn cells_of_many_values_of_both_signs_are_as_many_as_what_divides_them_makes() {
    let text = "[time]\nduration = \"10s\"\n[field]\nlat = { type = \"int\", count = 18_001, first = -9_000 }\n\
         lon = { type = \"int\", count = 36_001, first = -18_000 }\nkind = { type = \"int\", count = 50 }\n[existing.w]\nrecords = 500_000\n\
         [read.cell]\nequal = [\"lat\", \"lon\"]\n[read.band]\nequal = [\"lat\"]\n\
         [strategy.only]\nkey = \"sbe4(lat / 1000) || sbe4(lon / 1000) || be1(kind)\"\n";
    let scenario = Scenario::parse(text, "signs").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    let [cell, band] = [0, 1].map(|read| layout.reads[read].planned.plan.expected.rows_read);
    assert!(is_near(cell, 50.0, 0.02), "{cell}");
    // Two cells of one longitude each at the ends have a few rows between them.
    assert!(is_near(band, 35.0 * 50.0, 0.02), "{band}");
}

/// Of the scores from 0 on that are subtracted from 0 only that of 0 is no negative number: highest first, a page needs no other.
#[test]
fn pages_by_numbers_of_both_signs_are_read_in_the_order_of_the_first_sign() {
    let page = "page = { field = \"score\", size = 20, number = 3 }";
    let first = "newest = { field = \"seq\", rows = 10 }";
    for (key, asked, rows) in [
        ("be1(g) || be4(0 - 1 - score) || be8(seq)", page, 20.0),
        ("be1(g) || be4(0 - score) || be8(seq)", page, 20.0),
        ("be1(g) || desc(be4(0 - score)) || be8(seq)", page, 20.0),
        ("be1(g) || be8(0 - seq)", first, 10.0),
        ("be1(g) || be8(seq - 500_000)", first, 10.0),
        // Of the 50,000 rows of a group all but 50 are negative: all 50 and as many of the others as are asked for besides.
        (
            "be1(g) || be8(seq - 999_000)",
            "newest = { field = \"seq\", rows = 200 }",
            250.0,
        ),
    ] {
        let [scans, found] = read(key, asked);
        let most = if rows == 250.0 { 2.0 } else { 1.0 };
        assert_eq!(scans, most, "{key}");
        assert!(is_near(found, rows, 0.05), "{key}: {found}, for {rows}");
    }
    // Ten salts have a scan each of the one sign.
    let [scans, found] = read(
        "be1(bucket(10, seq)) || be1(g) || be4(0 - score) || be8(seq)",
        page,
    );
    assert!(
        scans == 10.0 && found < 10.0 * 20.0 + 1.0,
        "{scans}, {found}"
    );
}
