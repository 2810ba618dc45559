//! Reads by the beginning of a text, or by its end where a key turns it round: the first two letters of a name, the cell that a geohash lies in.

use keyheat::layout::{Layout, Replicate};
use keyheat::query::{AccessPath, AccessPlan, OverRead};
use keyheat::record::{Field, FieldId, FieldKind, Schema, TextValues};
use keyheat::scenario::Scenario;
use keyheat::time::EpochNanos;
use std::collections::BTreeMap;
use std::sync::Arc;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// Of the rows of these fields, `rows`, as they are written: how a reader is served who knows one of them, or several with `", "` between them.
fn plan(fields: &str, rows: &str, known: &str, key: &str) -> Arc<AccessPlan> {
    let text = format!(
        "[field]\n{fields}[existing.row]\n{rows}\n[read.r]\nequal = [\"{known}\"]\n[table]\nsplit_policy = \"disabled\"\n\
         [strategy.only]\nkey = \"{key}\"\n"
    );
    let scenario = Scenario::parse(&text, "beginnings").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    layout.reads[0].planned.plan.clone()
}

/// The same in numbers: rows wanted and read, and requests.
fn read(fields: &str, rows: &str, known: &str, key: &str) -> [f64; 3] {
    let expected = plan(fields, rows, known, key).expected;
    [
        expected.rows_returned,
        expected.rows_read,
        expected.requests,
    ]
}

/// How many of a field's texts begin as one of them does, on average over all, itself included.
fn beginning_alike(name: &str, kind: FieldKind, part: impl Fn(&str) -> &str) -> f64 {
    let count = kind.count().expect("it is counted");
    let schema = Schema {
        fields: vec![Field::new(name, kind)],
        time_range: (EpochNanos(0), EpochNanos(0)),
        sequence_span: 0,
    };
    let (text, mut alike) = (schema.text(FieldId(0)), BTreeMap::<String, f64>::new());
    for slot in 0..count as i64 {
        let mut bytes = Vec::new();
        text.write(slot, &mut bytes);
        let value = String::from_utf8(bytes).expect("texts are UTF-8");
        *alike.entry(part(&value).to_owned()).or_default() += 1.0;
    }
    alike.values().map(|alike| alike * alike).sum::<f64>() / count as f64
}

/// Within the 2 % that numbers of rows keep to, and one row, where one of the alike is known to be there.
fn is_about(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 0.02 * expected + 1.0
}

/// 50,000 queries of eight letters, each a row: 74 of the same first two letters, 3.8 of the same three.
#[test]
fn rows_that_begin_so_are_one_scan() {
    let fields = format!(
        "q = {{ type = \"text\", count = 50_000, length = 8, alphabet = \"{LETTERS}\" }}\n\
         score = {{ type = \"int\", count = 1_000_000, of = \"q\" }}\n\
         two = {{ expr = \"left(q, 2)\" }}\nthree = {{ expr = \"substr(q, 1, 3)\" }}\nmarked = {{ expr = \"left('q-' || q, 4)\" }}\n"
    );
    let of = |letters: usize| {
        let kind = FieldKind::Text(TextValues::Generated {
            count: 50_000,
            length: 8,
            alphabet: LETTERS.to_owned(),
        });
        beginning_alike("q", kind, |text| &text[..letters])
    };
    let [two, three] = [2, 3].map(of);
    for (known, key, wanted, rows, scans) in [
        ("two", "q", two, two, 1.0),
        ("three", "q", three, three, 1.0),
        ("two", "upper(q)", two, two, 1.0),
        ("two", "left(q, 3) || q", two, two, 1.0),
        ("two", "left(q, 1) || '|' || q", two, two, 1.0),
        ("two", "left(q, 3) || desc(be4(score)) || q", two, two, 1.0),
        (
            "three",
            "left(q, 2) || desc(be4(score)) || q",
            three,
            two,
            1.0,
        ),
        ("two", "be1(bucket(16, two)) || q", two, two, 1.0),
        ("three", "be1(bucket(16, two)) || q", three, three, 1.0),
        ("three", "be1(bucket(16, q)) || q", three, three, 16.0),
        ("two", "upper(left(q, 1)) || q", two, two, 1.0),
        ("marked", "'q-' || q", two, two, 1.0),
    ] {
        let [found, read, requests] = read(&fields, "each = [\"q\"]", known, key);
        assert!(
            is_about(found, wanted) && is_about(read, rows),
            "{key}: {found} wanted, {read} read, for {wanted} and {rows}"
        );
        assert_eq!(requests, scans, "{key}");
    }
    // Of what a key makes of other texts, or of these otherwise, the beginning says nothing.
    for key in [
        "reverse(q)",
        "hex(q)",
        "right(q, 4) || q",
        "score || '|' || q",
    ] {
        let [_, read, _] = read(&fields, "each = [\"q\"]", "two", key);
        assert_eq!(read, 50_000.0, "{key}");
    }
}

/// A million rows of texts that stand in no order, the first eight times as often as the last: 17, 12 and 7 of 36 are of one cell, so that a read finds
/// (17^2 + 12^2 + 7^2) / 36^2 of all, 37 %.
#[test]
fn beginnings_of_listed_texts_have_their_shares_of_the_rows() {
    let fields = "code = { type = \"text\", values = [\"u09tv\", \"gcpvj\", \"u09tw\", \"u0d12\", \"gcpvn\", \"u09wj\", \"u0d13\", \"gcpuv\"],\n\
                  distribution = { weights = [8, 7, 6, 5, 4, 3, 2, 1], ranked = true } }\n\
                  id = { type = \"int\", count = 1_000_000_000_000 }\ncell = { expr = \"left(code, 3)\" }\n";
    let rows = "records = 1_000_000\nlast = \"1d\"";
    let expected = 1e6 * (17.0 * 17.0 + 12.0 * 12.0 + 7.0 * 7.0) / (36.0 * 36.0);
    for key in ["code || be8(id)", "left(code, 4) || '/' || be8(id)"] {
        let [wanted, read, scans] = read(fields, rows, "cell", key);
        assert!(
            is_about(wanted, expected) && is_about(read, expected),
            "{key}: {wanted} wanted, {read} read"
        );
        assert_eq!(scans, 1.0, "{key}");
    }
}

/// A thousand hosts of a million rows; a key that turns them round is read by their ends.
#[test]
fn hosts_are_read_by_their_beginnings_and_turned_round_by_their_ends() {
    let fields = "host = { type = \"domain\", count = 1_000 }\nid = { type = \"int\", count = 1_000_000_000_000 }\n\
                  head = { expr = \"left(host, 5)\" }\ntail = { expr = \"right(host, 3)\" }\n";
    let rows = "records = 1_000_000\nlast = \"1d\"";
    let hosts = FieldKind::Domain { count: 1_000 };
    let head = 1_000.0 * beginning_alike("host", hosts.clone(), |text| &text[..5]);
    let tail = 1_000.0 * beginning_alike("host", hosts, |text| &text[text.len() - 3..]);
    for (known, key, expected) in [
        ("head", "host || '/' || be8(id)", head),
        ("head", "left(host, 9) || be8(id)", head),
        ("tail", "reverse(host) || '/' || be8(id)", tail),
        (
            "tail",
            "right(host, 2) || reverse(host) || '/' || be8(id)",
            tail,
        ),
        ("tail", "left(reverse(host), 4) || be8(id)", tail),
    ] {
        let [wanted, read, scans] = read(fields, rows, known, key);
        assert!(
            is_about(wanted, expected) && is_about(read, expected),
            "{key}: {wanted} wanted, {read} read, for {expected}"
        );
        assert_eq!(scans, 1.0, "{key}");
    }
}

/// Of a million random identifiers 1 in 65,536 begins with the same two bytes, as text with the same four digits.
#[test]
fn identifiers_are_read_by_their_beginnings() {
    let fields = "id = { type = \"uuid\" }\nhead = { expr = \"left(id, 2)\" }\ndigits = { expr = \"left(hex(id), 4)\" }\n";
    for (known, key) in [("head", "id"), ("digits", "hex(id)")] {
        let [_, read, scans] = read(fields, "records = 1_000_000\nlast = \"1d\"", known, key);
        assert!(is_about(read, 1e6 / 65_536.0), "{key}: {read} read");
        assert_eq!(scans, 1.0, "{key}");
    }
}

/// Two codes of one cell, one, two, two, and one: of a code's own 4 letters there are (4 + 1 + 4 + 4 + 1) / 8 = 1.75 on average, of its 3 letters
/// (9 + 4 + 9) / 8 = 2.75.
const CODES: &str = "code = { type = \"text\", values = [\"u09tv\", \"u09tw\", \"u09wj\", \"u0d12\", \"u0d13\", \"gcpvj\", \"gcpvn\", \"gcpuv\"] }\n\
                     three = { expr = \"left(code, 3)\" }\nfour = { expr = \"left(code, 4)\" }\n";

/// 100,000 rows of each code, of which 275,000 begin as one does: 8 Gets, one of each code, cost less, and find 2.75 rows that are wanted.
#[test]
fn gets_of_a_few_values_cost_less_than_many_rows_that_begin_so() {
    let fields = format!("{CODES}n = {{ type = \"int\", count = 100_000 }}\n");
    for key in ["code || be4(n)", "left(code, 3) || '/' || code || be4(n)"] {
        let rows = "each = [\"code\", \"n\"]";
        let plan = plan(&fields, rows, "three\", \"n", key);
        let expected = plan.expected;
        assert!(is_about(expected.rows_returned, 2.75), "{key}");
        assert_eq!((expected.rows_read, expected.requests), (8.0, 8.0), "{key}");
        let filters = [OverRead::Filter("three".to_owned())];
        assert_eq!(
            (plan.path, &plan.over_reads[..]),
            (AccessPath::MultiGet, &filters[..]),
            "{key}"
        );
    }
}

/// 10,000 rows of each code: 17,500 of those that begin alike, in each of four buckets of the whole code.
#[test]
fn rows_that_begin_so_are_read_from_all_buckets_of_what_begins() {
    let fields = format!("{CODES}n = {{ type = \"int\", count = 10_000 }}\n");
    let key = "be1(bucket(4, code)) || code || be4(n)";
    let [wanted, read, scans] = read(&fields, "each = [\"code\", \"n\"]", "four", key);
    assert!(
        is_about(wanted, 17_500.0) && is_about(read, 17_500.0),
        "{wanted} wanted, {read} read"
    );
    assert_eq!(scans, 4.0);
}

/// Three words of one letter and two of another: 2.6 of 5 on average. Of all codes there are five beginnings, which have together what all codes have, one that is
/// frequent and others that are not.
#[test]
fn beginnings_of_values_that_are_all_tried_have_the_rows_of_all() {
    let words = "word = { type = \"text\", values = [\"za\", \"zb\", \"zc\", \"oa\", \"ob\"] }\none = { expr = \"left(word, 1)\" }\n";
    let even = format!("{CODES}{words}n = {{ type = \"int\", count = 1_000 }}\n");
    let skewed = CODES.replace(
        "] }",
        "], distribution = { weights = [900, 1, 1, 1, 1, 1, 1, 1] } }",
    );
    let skewed = format!("{skewed}{words}n = {{ type = \"sequence\" }}\n");
    for (fields, rows, key, all) in [
        (
            even,
            "each = [\"code\", \"word\", \"n\"]",
            "left(code, 4) || word || be4(n) || code",
            40_000.0,
        ),
        (
            skewed,
            "records = 1_000_000\nlast = \"1d\"",
            "left(code, 4) || word || be8(n)",
            1e6,
        ),
    ] {
        let [wanted, read, scans] = read(&fields, rows, "one", key);
        let expected = all * 2.6 / 5.0;
        assert!(
            is_about(wanted, expected) && is_about(read, expected),
            "{key}: {wanted} wanted, {read} read"
        );
        assert_eq!(scans, 5.0, "{key}");
    }
}

/// The first letter says nothing beside the first two.
#[test]
fn a_beginning_says_nothing_beside_a_longer_one() {
    let fields = format!(
        "q = {{ type = \"text\", count = 50_000, length = 8, alphabet = \"{LETTERS}\" }}\none = {{ expr = \"left(q, 1)\" }}\n\
         two = {{ expr = \"left(q, 2)\" }}\nsame = {{ expr = \"substr(q, 1, 2)\" }}\n"
    );
    let of = |known: &str| read(&fields, "each = [\"q\"]", known, "q");
    for known in [
        "one\", \"two",
        "two\", \"one",
        "two\", \"same",
        "same\", \"two\", \"one",
    ] {
        assert_eq!(of(known), of("two"), "{known}");
    }
}

/// 100,000 objects `bucket/number`: who lists those that begin with a bucket, the slash and a digit asks as one who knows bucket and digit.
#[test]
fn a_text_that_is_made_of_parts_is_known_by_them() {
    let fields = "bucket = { type = \"text\", count = 2_000, length = 6, alphabet = \"abcd\" }\nnum = { type = \"digits\", width = 6, count = 1_000_000 }\n\
                  path = { expr = \"bucket || '/' || num\" }\npath8 = { expr = \"left(path, 8)\" }\npath4 = { expr = \"left(path, 4)\" }\n\
                  b4 = { expr = \"left(bucket, 4)\" }\nn1 = { expr = \"left(num, 1)\" }\n";
    let read = |known: &str| read(fields, "records = 100_000", known, "path");
    let [wanted, rows, scans] = read("path8");
    // 5 rows and, as one of them is known to be there, one more.
    assert!((wanted - 6.0).abs() < 0.5, "{wanted}");
    assert_eq!([rows, scans], [wanted, 1.0]);
    assert_eq!(read("bucket\", \"n1"), [wanted, rows, scans]);
    assert_eq!(read("path4"), read("b4"));
}

/// A column of fixed width, and one in lower case, begin as the name does.
#[test]
fn padding_and_case_leave_a_beginning_known() {
    let fields = "name = { type = \"text\", count = 5_000, length = 6, alphabet = \"abcdeABCDE\" }\n\
                  p2 = { expr = \"left(name, 2)\" }\nl2 = { expr = \"lower(left(name, 2))\" }\n";
    let read = |known: &str, key: &str| read(fields, "each = [\"name\"]", known, key);
    // 5,000 / 100 and one that strays; of letters in either case four times as many begin alike.
    for (known, key, wanted, rows) in [
        ("p2", "rpad(name, 20)", 51.0, 51.0),
        ("p2", "lower(name) || name", 51.0, 201.0),
        ("l2", "lower(name) || name", 201.0, 201.0),
        ("p2", "rpad(lower(name), 20) || name", 51.0, 201.0),
        ("l2", "rpad(lower(name), 20) || name", 201.0, 201.0),
    ] {
        let [found, found_rows, scans] = read(known, key);
        assert!(
            is_about(found, wanted) && is_about(found_rows, rows),
            "{key}: {found} {found_rows}"
        );
        assert_eq!(scans, 1.0, "{key}");
    }
}

#[test]
fn the_cell_that_a_morton_code_begins_with_is_one_scan() {
    // Three bytes have 11 bits of each coordinate. Cells are 360 / 2,048 = 0.176 degrees wide and 180 / 2,048 = 0.088 high: a box of 0.8 by 0.4 degrees
    // holds 20 to 30 of them, whole or in part, of which a reader's own has one in 20.7 of the rows at most.
    let fields = "lon = { type = \"double\", min = 13.0, max = 13.8 }\nlat = { type = \"double\", min = 52.3, max = 52.7 }\n\
                  cell = { expr = \"left(z2(lon, lat), 3)\" }\nts = { type = \"timestamp\" }\n";
    let rows = "records = 200_000\nlast = \"10d\"";
    for (key, is_scan) in [
        ("z2(lon, lat) || be8(ts)", true),
        ("be8(ts) || z2(lon, lat)", false),
        ("z2(lat, lon) || be8(ts)", false),
    ] {
        let [wanted, found, requests] = read(fields, rows, "cell", key);
        let expected = if is_scan { wanted } else { 200_000.0 };
        assert!(
            is_about(found, expected) && requests == 1.0,
            "{key}: {found} in {requests}"
        );
        assert!((6_600.0..9_900.0).contains(&wanted), "{key}: {wanted}");
    }
}
