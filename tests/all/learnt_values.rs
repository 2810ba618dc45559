//! `keyheat learn`: fields have the values of the file's columns, whatever these are.

use crate::binary::stdout_of;
use crate::learn::{drafted, file, mixed};
use crate::workplace::Workplace;

/// A row each second from 2026-01-01 on, behind its values.
fn rows(header: &str, rows: i64, values: impl Fn(i64) -> String) -> String {
    let row = |at: i64| format!("{},{}", values(at), 1_767_225_600 + at);
    file(&format!("{header},ts"), rows, row)
}

fn assert_told(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "no `{line}` in:\n{text}");
    }
}

/// The setting of that name in the line of a field.
fn setting(text: &str, field: &str, name: &str) -> f64 {
    let line = text
        .lines()
        .find(|it| it.starts_with(&format!("{field} = ")));
    let line = line.unwrap_or_else(|| panic!("no `{field}` in:\n{text}"));
    let (_, behind) = line.split_once(&format!("{name} = ")).expect("a setting");
    let number = behind.split([',', ' ']).next().unwrap_or_default();
    number.replace('_', "").parse().expect("a number")
}

#[test]
fn few_whole_numbers_come_as_often_as_in_the_file_and_are_named_so() {
    // Of ten rows nine are of tenant 1; of the zones 3 to 6 one has four in ten, one three, one two, and 5 one.
    let values = |at: i64| {
        let tenant = if at % 10 == 7 { 2 } else { 1 };
        let zone = [3, 3, 3, 3, 4, 4, 4, 6, 6, 5][(at % 10) as usize];
        format!("{tenant},{zone},{}", mixed(at) % 40)
    };
    let (text, ..) = drafted("t.csv", &rows("tenant,zone,device", 2_000, values));
    assert_told(
        &text,
        &[
            "tenant = { type = \"int\", first = 1, count = 2, distribution = { weights = [1800,200], ranked = true } }",
            "zone = { type = \"int\", first = 3, count = 4, distribution = { weights = [800,600,200,400], ranked = true } }",
        ],
    );
    // Of many the hot ones have other names, and it says so.
    let hot = |at: i64| if at % 2 == 0 { 500 } else { mixed(at) % 1_000 }.to_string();
    let (text, ..) = drafted("h.csv", &rows("tenant", 20_000, hot));
    assert_told(
        &text,
        &["; which values come how often is left to chance here, so that runs name others"],
    );
    // Identifiers of which there are two have no order.
    let uuid = |at: i64| {
        format!(
            "0000000{}-0000-4000-8000-000000000000",
            i64::from(at % 10 == 7)
        )
    };
    let (text, ..) = drafted("u.csv", &rows("id", 2_000, uuid));
    assert_told(
        &text,
        &["\"uuid\", count = 2, distribution = { weights = [1800,200], ranked = false }"],
    );
}

#[test]
fn values_that_were_not_seen_are_counted_where_any_comes_again() {
    // 2,910 values in 3,000 rows: 90 come twice. Of v values v (1 - exp(-3,000 / v)) are expected to be seen, of 48,980 as many.
    let often = |at: i64| (at % 2_910 * 7_919 % 2_910 * 17).to_string();
    let (text, ..) = drafted("k.csv", &rows("k", 3_000, often));
    let count = setting(&text, "k", "count");
    assert!((48_900.0..49_060.0).contains(&count), "{text}");
    assert_told(
        &text,
        &["] values in all if all come equally often, which too few come again to tell"],
    );
    // Of 3,000 rows two have the same value: 3,000^2 / 2, and hardly anybody knows.
    let once = |at: i64| format!("{:08x}", mixed(at.max(1)) as u32);
    let (text, ..) = drafted("o.csv", &rows("k", 3_000, once));
    let count = setting(&text, "k", "count");
    assert!((4.4e6..4.6e6).contains(&count), "{text}");
    assert_told(&text, &["# k: a value of its own in nearly every row; "]);
}

#[test]
fn what_all_values_begin_with_stays_in_front_of_them() {
    let phone = |at: i64| format!("+49{:010}", mixed(at) % 9_000_000_000 + 1_000_000_000);
    let key = |at: i64| format!("ключ-{:03}", mixed(at) % 100);
    let name = |at: i64| format!("o'{:03}", mixed(at + 1) % 100);
    let code = |at: i64| format!("a1{:x}z", mixed(at + 2) % 0xfff);
    let values = |at: i64| format!("{},{},{},{}", phone(at), key(at), name(at), code(at));
    let (text, ..) = drafted("p.csv", &rows("phone,key,name,code", 3_000, values));
    assert_told(
        &text,
        &[
            "phone = { expr = \"'+' || phone_number\" }",
            "key = { expr = \"'ключ-' || key_number\" }",
            "name = { expr = \"'o''' || name_number\" }",
            "code = { expr = \"'a1' || code_rest\" }",
            "key_number = { type = \"digits\", width = 3, first = 0, count = 100",
        ],
    );
    // +49 is a part of all numbers: evenly spread from the least to the greatest, of which one in 3,000 of the range is missing on either side on average.
    let first = setting(&text, "phone_number", "first");
    let last = first + setting(&text, "phone_number", "count");
    assert!(
        (491e9..491.1e9).contains(&first) && (499.9e9..500e9).contains(&last),
        "{text}"
    );
}

#[test]
fn columns_that_are_called_as_parts_of_others_are_told_from_them() {
    let values = |at: i64| format!("A{:03},{}", mixed(at) % 200, mixed(at + 9) % 300);
    let (text, ..) = drafted("h.csv", &rows("house,house_number", 3_000, values));
    assert_told(
        &text,
        &[
            "house = { expr = \"'A' || house_number_\" }",
            "house_number = { type = \"int\", first = 0",
        ],
    );
    let values = |at: i64| format!("A\u{e9}{:x},{}", mixed(at) % 2_000, mixed(at + 9) % 300);
    let (text, ..) = drafted("r.csv", &rows("x,x_rest", 3_000, values));
    assert_told(&text, &["x = { expr = \"'Aé' || x_rest_\" }"]);
}

#[test]
fn numbers_in_texts_that_a_run_counts_beyond_have_digits_enough() {
    // 500 rows, then 20,000 or so of the run, which is known to have twice as many at most: 900,000 + 3 x 41,500 has seven digits.
    let (text, ..) = drafted(
        "i.csv",
        &rows("inv", 500, |at| format!("INV{}", 900_000 + 3 * at)),
    );
    assert_told(
        &text,
        &["inv = { expr = \"'INV' || lpad(inv_number * 3, 7)\" }"],
    );
    let batch = |at: i64| format!("b{:02}", at / 50);
    let (text, ..) = drafted("b.csv", &rows("batch", 4_000, batch));
    assert_told(&text, &["lpad(batch_number / 50, 3)"]);
}

#[test]
fn whole_numbers_of_64_bits_are_spread_as_in_the_file() {
    let hash = |at: i64| (mixed(at) << 8 | mixed(at + 1) & 0xff) as i64;
    let near = |at: i64| (1_i64 << 62) + 1_000 + (mixed(at) % 100) as i64;
    let values = |at: i64| {
        format!(
            "{},{},{}",
            hash(at),
            near(at),
            i64::MIN + (mixed(at + 3) % 7) as i64
        )
    };
    let (text, ..) = drafted("n.csv", &rows("hash,near,least", 3_000, values));
    assert_told(
        &text,
        &[
            // The middle of 2^62 + 1,000 and 2^62 + 1,099.
            "near_number = { type = \"int\", first = -49, count = 100",
            "near = { expr = \"4611686018427388953 + near_number\" }",
            "least_number = { type = \"int\", first = -3, count = 7, distribution = { weights = [",
            "least = { expr = \"-9223372036854775805 + least_number\" }",
        ],
    );
    // 2^64 in steps of a billionth of a billion.
    let count = setting(&text, "hash_number", "count");
    assert!((0.99e12..=1e12).contains(&count), "{text}");
    let first = setting(&text, "hash_number", "first");
    assert!((first / count + 0.5).abs() < 1e-6, "{text}");
    // From 0 to 2,999 x 2^50 in another order: the middle, and steps of 2,999 x 2^50 / 10^12 = 3,376,573.8.
    let id = |at: i64| (at * 7_919 % 3_000 * (1 << 50)).to_string();
    let (text, ..) = drafted("i.csv", &rows("id", 3_000, id));
    let made = format!(
        "id = {{ expr = \"{} + id_number * 3376574\" }}",
        2_999_i64 << 49
    );
    assert_told(&text, &[&made]);
}

#[test]
fn what_stands_in_the_file_is_never_a_line_of_the_scenario() {
    let place = |at: i64| {
        let places = [
            "\"1 Main St\nParis\"",
            "\"x\nservers = 3 #\"",
            "\"tab\t\u{7f}\u{1}\"",
        ];
        places[(mixed(at) % 3) as usize].to_owned()
    };
    let (text, ..) = drafted("p.csv", &rows("\"ad\ndr\"", 500, place));
    assert_told(
        &text,
        &[
            "# ad\\ndr: values seen: 3, ",
            "1 Main St\\nParis 3",
            "x\\nservers = 3 # 3",
            "\\u007f",
        ],
    );
    assert!(
        !text
            .lines()
            .any(|it| it.starts_with("servers") || it.starts_with("dr")),
        "{text}"
    );
}

#[test]
fn numbers_below_zero_keep_their_order_in_keys_and_samples_fill_the_warm_up() {
    let values = |at: i64| (mixed(at) as i64 % 100 - 50).to_string();
    let (text, _, keys) = drafted(
        "n.csv",
        &file("delta,x", 3_000, |at| format!("{},{}", values(at), at % 2)),
    );
    assert!(keys.iter().any(|it| it.contains("sbe8(delta)")), "{keys:?}");
    assert!(
        keys.iter().all(|it| !it.contains(" be8(delta)")),
        "{keys:?}"
    );
    assert!(!text.contains("Where the file ends"), "{text}");
    assert_told(
        &text,
        &[
            "duration = \"19.8s\"",
            "warmup = \"1.8s\"",
            "sample = \"900ms\"",
        ],
    );
    let place = Workplace::new().with("n.toml", &text);
    let said = stdout_of(&place.keyheat("check n.toml").success());
    assert!(!said.contains("negative numbers"), "{said}");
}

#[test]
fn texts_of_which_only_the_beginnings_are_kept_and_batches_below_zero_are_drafted() {
    // Texts are kept up to 64 bytes: these differ behind 70.
    let start = "a/".repeat(35);
    let few = |at: i64| format!("{start}{}", mixed(at) % 10);
    let (text, ..) = drafted("f.csv", &rows("url", 500, few));
    assert_told(&text, &["# url: values seen: 10, ", "url = { expr = \"'a/"]);
    let many = |at: i64| format!("{start}{:03}", mixed(at) % 300);
    drafted("m.csv", &rows("url", 1_500, many));
    let batch = |at: i64| (at / 50 - 80).to_string();
    let (text, ..) = drafted("b.csv", &rows("batch", 4_000, batch));
    assert_told(&text, &["batch = { expr = \"-80 + batch_number / 50\" }"]);
}
