//! How many rows are read where a key tells a value by its hash alone, and what a reader knows by a derived field: a hash or a plain number.

use crate::workplace::Workplace;
use keyheat::key::evaluate;
use keyheat::layout::{Layout, Replicate};
use keyheat::random::Seed;
use keyheat::record::FieldValue;
use keyheat::scenario::{Options, Scenario};
use std::collections::BTreeMap;

/// How far the mean of a forecast's targets may be from that of all: they are a thousand, of which four standard errors are allowed, and the row that is asked for
/// is known to be there.
fn slack(sd: f64) -> f64 {
    1.01 + 4.0 * sd / 1_024f64.sqrt()
}

/// The mean of values that come so often, and their standard deviation.
fn moments(values: &[(f64, f64)]) -> [f64; 2] {
    let all: f64 = values.iter().map(|it| it.1).sum();
    let mean = |of: &dyn Fn(f64) -> f64| values.iter().map(|it| of(it.0) * it.1).sum::<f64>() / all;
    let own = mean(&|value| value);
    [own, mean(&|value| (value - own).powi(2)).sqrt()]
}

/// How many values of an int field from 0 on, of which an expression makes the same as of one of them, there are, itself included: the mean over all, and the
/// standard deviation.
fn values_alike(count: i64, field: &str, key: &str) -> [f64; 2] {
    shares_alike(&vec![1.0; count as usize], field, key)
}

/// The same of values with such weights, by their weights.
fn shares_alike(weights: &[f64], field: &str, key: &str) -> [f64; 2] {
    let mut made = BTreeMap::new();
    for (value, weight) in weights.iter().enumerate() {
        let given = [(field.to_owned(), FieldValue::Int(value as i64))];
        let key = evaluate(key, &given, Seed(1)).expect("compiles").key;
        *made.entry(key).or_insert(0.0) += weight;
    }
    moments(
        &made
            .values()
            .map(|alike| (*alike, *alike))
            .collect::<Vec<_>>(),
    )
}

/// A million rows made of these fields, and what is read of one value of `read` under `key`: rows wanted and rows read.
fn counted_of(fields: &str, read: &str, key: &str) -> [f64; 2] {
    let text = format!(
        "[field]\n{fields}ts = {{ type = \"timestamp\" }}\n\
         [existing.row]\nrecords = 1_000_000\nlast = \"1d\"\n[read.rows]\nequal = [\"{read}\"]\n\
         [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
    );
    let scenario = Scenario::parse(&text, "hashes").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    let plan = layout.reads[0].planned.plan.expected;
    [plan.rows_returned, plan.rows_read]
}

/// The same of 200 games.
fn counted(read: &str, key: &str) -> [f64; 2] {
    let fields = "game = { type = \"int\", count = 200 }\nid = { type = \"int\", count = 1_000_000_000_000 }\n\
                  name = { expr = \"be6(ts) || be8(id)\" }\n";
    counted_of(fields, read, key)
}

#[test]
fn of_few_values_those_share_a_hash_that_do() {
    // A hash of one byte puts a game with 1.7 others or fewer on average, one of two bytes with hardly any.
    let wanted = 1_000_000.0 / 200.0;
    for bytes in [1, 2, 4] {
        let hash = format!("left(md5_bytes(be2(game)), {bytes})");
        let key = format!("{hash} || be8(id) || be8(ts)");
        let [found, read] = counted("game", &key);
        let [alike, sd] = values_alike(200, "game", &hash);
        for (found, expected, sd) in [(found, wanted, 0.0), (read, wanted * alike, wanted * sd)] {
            assert!(
                (found - expected).abs() <= slack(sd),
                "{key}: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn a_place_of_a_thing_tells_the_thing() {
    // A million rows of 10,000 sensors, each of which has a place: 100 for each, but for the e^-100 that have none.
    let fields = "sensor = { type = \"int\", count = 10_000 }\nkind = { type = \"int\", count = 20, of = \"sensor\" }\n\
                  lon = { type = \"double\", min = 5.0, max = 15.0, of = \"sensor\" }\n\
                  lat = { type = \"double\", min = 45.0, max = 55.0, of = \"sensor\" }\n";
    for (key, expected) in [
        ("z2(lon, lat)", 10_000.0),
        ("z2(lon, lat) || be4(sensor)", 10_000.0),
        ("left(z2(lon, lat), 3) || be4(sensor)", 10_000.0),
        ("salt(8, f8(lon) || f8(lat)) || be4(sensor)", 10_000.0),
        ("z2(lon, lat) || be4(kind)", 10_000.0),
        (
            "left(z2(lon, lat), 3) || be4(sensor) || be8(ts)",
            1_000_000.0,
        ),
    ] {
        // Milliseconds of a day: hardly any row of a sensor is written twice.
        let [_, found] = counted_of(fields, "kind", key);
        assert!((found / expected - 1.0).abs() < 1e-3, "{key}: {found}");
    }
}

#[test]
fn a_hash_of_a_skewed_field_tells_no_more_rows_than_the_field() {
    // Each value is met by some of a million rows, and values with one hash are one row: 2^bits (1 - e^(-met / 2^bits)) of them.
    let fields = "kind = { type = \"int\", count = 20 }\nk = { type = \"int\", count = 50_000, distribution = { zipf = 1.3 } }\n\
                  user = { type = \"int\", count = 100 }\ncity = { type = \"int\", count = 50_000, of = \"user\" }\n";
    let weight = |rank: i32| f64::from(rank).powf(-1.3);
    let all: f64 = (1..=50_000).map(weight).sum();
    let met = (1..=50_000).map(|rank| 1.0 - (1.0 - weight(rank) / all).powi(1_000_000));
    let met: f64 = met.sum();
    let hashes = |bits: i32| {
        let hashes = 2.0f64.powi(bits);
        -hashes * (-met / hashes).exp_m1()
    };
    for (key, expected, apart) in [
        ("be4(k)", met, 1e-2),
        ("left(md5_bytes(be4(k)), 4)", hashes(32), 1e-2),
        // Values that share a hash are taken to be about as frequent: rows are up to 6 % too few where 2.3 share one, by a sum over all values.
        ("left(md5_bytes(be4(k)), 2)", hashes(16), 6e-2),
        // 100 users have 99.9 cities.
        ("left(md5_bytes(be4(city)), 4)", 99.9, 1e-2),
    ] {
        let [_, found] = counted_of(fields, "kind", key);
        assert!(
            (found / expected - 1.0).abs() < apart,
            "{key}: {found}, expected {expected}"
        );
    }
}

#[test]
fn few_values_have_as_many_hashes_as_they_are() {
    // 200 hashes of two bytes are 199.7 different ones: 200 values of a hash of its own would have met, and been 127.
    let hashes = 65_536.0 * (1.0 - (1.0 - 1.0 / 65_536.0f64).powi(200));
    let [found, _] = counted("ts", "left(md5_bytes(be2(game)), 2)");
    assert!(found <= 1.0 + 1e-6, "one row at a time, not {found}");
    let [.., all] = counted("id", "left(md5_bytes(be2(game)), 2)");
    assert!(
        (all / hashes - 1.0).abs() < 1e-2,
        "{all}, expected {hashes}"
    );
}

#[test]
fn classes_put_the_rows_of_a_value_under_several_hashes_and_numbers() {
    // 5,000 rows of a game under 8 hashes, each of which 1 in 65,536 of all other rows has too.
    let hashed = 5_000.0 + 8.0 * 995_000.0 / 65_536.0;
    // `game * 3 + id % 4`, 0 to 600, has 1,664 rows of each value.
    let summed = 4.0 * 1_000_000.0 / 601.0;
    // The second segment tells of `id` what no scan is told by.
    let told = 5_000.0;
    for (key, expected) in [
        (
            "left(md5_bytes(be2(game) || be1(id % 8)), 2) || be8(ts)",
            hashed,
        ),
        ("be2(game * 3 + id % 4) || be8(ts)", summed),
        ("be2(game * 4 + id % 4) || be8(ts * 100 + id % 100)", told),
        ("be2(700 - (game * 4 + id % 4)) || be8(ts)", told),
        ("be2(7 + game * 4 + id % 4) || be8(ts)", told),
    ] {
        let [wanted, read] = counted("game", &format!("{key} || be8(id)"));
        // The row that is asked for is known to be there, and where two of the eight hashes meet, once in 2,300 reads, seven scans read all: 0.3 rows.
        for (found, expected) in [(wanted, 5_000.0), (read, expected)] {
            assert!(
                (found - expected).abs() <= 1.3,
                "{key}: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn two_values_that_a_segment_makes_one_of_are_read_together() {
    // Of the numbers 0 to 100 all but the first and the last are of two games: for 198 of 200 readers.
    let key = "be2(abs(game - 100)) || be8(ts) || be8(id)";
    let [wanted, read] = counted("game", key);
    let [expected, sd] = moments(&[(10_000.0, 198.0), (5_000.0, 2.0)]);
    assert!((wanted - 5_000.0).abs() <= slack(0.0), "{wanted}");
    assert!(
        (read - expected).abs() <= slack(sd),
        "{read}, expected {expected}"
    );
}

#[test]
fn whoever_knows_a_name_knows_what_it_is_made_of() {
    for key in [
        "name",
        "reverse_bytes(name)",
        "md5_bytes(name)",
        "left(md5_bytes(name), 2) || name",
        "be8(id) || be8(ts)",
    ] {
        let [wanted, read] = counted("name", key);
        for found in [wanted, read] {
            assert!(
                (found - 1.0).abs() < 1e-6,
                "{key}: {wanted} wanted, {read} read"
            );
        }
    }
}

#[test]
fn whoever_knows_a_hash_reads_the_rows_of_what_was_hashed_and_of_what_shares_it() {
    // Users by Zipf's law, whom readers pick by it as well: of 1,000,000 rows a read wants those of all users with its user's hash.
    let weights: Vec<f64> = (1..=1_000).map(|rank| 1.0 / f64::from(rank)).collect();
    let sum: f64 = weights.iter().sum();
    let rows: Vec<f64> = weights.iter().map(|weight| 1e6 * weight / sum).collect();
    let fields = "user = { type = \"int\", count = 1_000, distribution = { zipf = 1.0, ranked = true } }\n\
                  whole = { expr = \"md5_bytes(be4(user))\" }\nshort = { expr = \"left(whole, 1)\" }\nbucket = { expr = \"bucket(16, user)\" }\n";
    for (field, hash) in [
        ("whole", "md5_bytes(be4(user))"),
        ("short", "left(md5_bytes(be4(user)), 1)"),
        ("bucket", "be1(bucket(16, user))"),
    ] {
        let [expected, sd] = shares_alike(&rows, "user", hash);
        let own = format!("{field} || be4(user) || be8(ts)");
        for key in [own.as_str(), "be4(user) || be8(ts)"] {
            let [wanted, read] = counted_of(fields, field, key);
            assert!(
                (wanted - expected).abs() < slack(sd),
                "{field}: {wanted}, expected {expected}"
            );
            let all = if key.starts_with(field) { wanted } else { 1e6 };
            assert!(
                (read / all - 1.0).abs() < 1e-3,
                "{field}: {read} read, expected {all}"
            );
        }
    }
}

/// 200 games have 5,000 rows each. Of `game % n` each value has 200 / n games, or one where n is larger; of 199 values one has two, which two rows of 200 find.
#[test]
fn a_remainder_has_its_share_of_the_rows_and_a_hash_those_of_the_values_that_meet() {
    let remainder = |n: f64| match n {
        199.0 => moments(&[(5_000.0, 198.0), (10_000.0, 2.0)]),
        _ => [1_000_000.0 / n.min(200.0), 0.0],
    };
    let bucket = |n: f64| {
        let key = format!("be2(bucket({n}, be2(game)))");
        values_alike(200, "game", &key).map(|of| 5_000.0 * of)
    };
    for n in [4.0, 50.0, 199.0, 200.0, 201.0, 1_024.0] {
        for (value, [expected, sd]) in [
            (format!("game % {n}"), remainder(n)),
            (format!("bucket({n}, be2(game))"), bucket(n)),
        ] {
            let fields = format!(
                "game = {{ type = \"int\", count = 200 }}\nid = {{ type = \"int\", count = 1_000_000_000_000 }}\npart = {{ expr = \"{value}\" }}\n"
            );
            for key in ["be2(part) || be2(game) || be8(id)", "be2(part) || be8(id)"] {
                let counted = counted_of(&fields, "part", key);
                for found in counted {
                    assert!(
                        (found - expected).abs() <= slack(sd),
                        "{value}, {key}: {found}, expected {expected}"
                    );
                }
            }
        }
    }
}

/// Of eight neighbouring games one has the remainder of the target: its own 5,000 rows.
#[test]
fn a_range_of_what_a_remainder_is_made_of_holds_the_target() {
    let text = "[field]\ngame = { type = \"int\", count = 200 }\nid = { type = \"int\", count = 1_000_000_000_000 }\npart = { expr = \"game % 16\" }\n\
         ts = { type = \"timestamp\" }\n[existing.row]\nrecords = 1_000_000\nlast = \"1d\"\n[read.rows]\nequal = [\"part\"]\n\
         range = { field = \"game\", span = 8 }\n[strategy.only]\nkey = \"be1(part) || be2(game) || be8(id)\"\n";
    let scenario = Scenario::parse(text, "range").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let plan = &Layout::of(&scenario.strategies[0], &firsts[0]).reads[0]
        .planned
        .plan;
    for found in [plan.expected.rows_returned, plan.expected.rows_read] {
        assert!((found - 5_000.0).abs() <= 1.01, "{found}");
    }
}

/// What is wanted and read by whoever knows all of these parts, by which the key begins, of a million rows with so many ids in a day.
fn counted_parts(ids: u64, parts: &[&str]) -> [f64; 2] {
    let names: Vec<String> = (0..parts.len()).map(|at| format!("part{at}")).collect();
    let fields: String = names
        .iter()
        .zip(parts)
        .map(|(name, part)| format!("{name} = {{ expr = \"{part}\" }}\n"))
        .collect();
    let key: String = names
        .iter()
        .map(|name| format!("text({name}) || '|' || "))
        .collect();
    let fields = format!(
        "id = {{ type = \"int\", count = {ids} }}\nserial = {{ type = \"int\", count = 1_000_000_000_000 }}\n{fields}"
    );
    counted_of(
        &fields,
        &names.join("\", \""),
        &format!("{key}be4(id) || be8(serial)"),
    )
}

/// 1,000 rows an id: what a row shares with the target is counted over the ids, however it is made of them.
#[test]
fn plain_values_of_one_field_are_counted_together_and_by_how_many_have_each() {
    // Whoever knows the remainder of 8 knows that of 4; 6 and 4 come again after 12, 6 and 7 after 42: remainders of 42 that have 24 ids, 34 of them, and 23.
    let of_42 = moments(&[(24.0, 34.0 * 24.0), (23.0, 8.0 * 23.0)]);
    let of_12 = moments(&[(84.0, 4.0 * 84.0), (83.0, 8.0 * 83.0)]);
    // One digit, ten ids or one or 100 of each first digit but zero: 111 of each of nine, and id 0.
    let first_digit = moments(&[(111.0, 9.0 * 111.0), (1.0, 1.0)]);
    for (parts, [ids, sd]) in [
        (&["id % 4", "id % 8"][..], [125.0, 0.0]),
        (&["id % 6", "id % 4"], of_12),
        (&["id % 6", "id % 7"], of_42),
        (&["left(text(id), 1)"], first_digit),
    ] {
        for found in counted_parts(1_000, parts) {
            assert!(
                (found - 1_000.0 * ids).abs() <= slack(1_000.0 * sd),
                "{parts:?}: {found}, expected {}",
                1_000.0 * ids
            );
        }
    }
}

/// What is made of a field that is too large to be counted, or of time, is compared in 4,096 values of it: of so many there are 8.4 million pairs, of which 1/n are alike where n values are
/// equally frequent, with a standard error of the root of their number: 0.2 % of 24, of which four are allowed.
#[test]
fn values_of_a_large_field_and_of_times_are_counted_together() {
    let hour = "(ts / 3_600_000) % 24";
    for (parts, alike) in [
        (&["id % 4", "id % 8"][..], 8.0),
        (&["id % 6", "id % 4"], 12.0),
        (&["id % 6", "id % 7"], 42.0),
        (&["left(md5(text(id % 16)), 8)"], 16.0),
        (&["left(md5(text(id % 16)), 8)", "id % 8"], 16.0),
        (&[hour, "(ts / 43_200_000) % 2"], 24.0),
        (&["md5(text((ts / 3_600_000) % 12))", hour], 24.0),
    ] {
        let expected = 1_000_000.0 / alike;
        let allowed = 4.0 * (alike / 8.4e6f64).sqrt();
        for found in counted_parts(1_000_000, parts) {
            assert!(
                (found / expected - 1.0).abs() < allowed,
                "{parts:?}: {found}, expected {expected}"
            );
        }
    }
}

/// 32 ids have 31,250 rows each, and a hash of their remainder has two of them.
#[test]
fn a_hash_of_few_plain_values_has_all_that_they_are_made_of() {
    for (part, ids) in [
        ("left(md5(text(id % 16)), 8)", 2.0),
        ("md5(text(id / 8))", 8.0),
        ("md5(text(id))", 1.0),
    ] {
        for found in counted_parts(32, &[part]) {
            assert!((found - ids * 31_250.0).abs() <= 1.01, "{part}: {found}");
        }
    }
}

/// Of two fields that are hashed apart, rows that share one and meet in the other are read as well: a tenth by the first, 1 / 16 by the second.
#[test]
fn rows_that_share_one_field_and_meet_in_another_are_counted() {
    let fields = "few = { type = \"int\", count = 10 }\nid = { type = \"int\", count = 1_000_000 }\n\
                  bucket = { expr = \"id % 16\" }\nmark = { expr = \"left(md5_bytes(be1(few)), 1)\" }\npair = { expr = \"mark || be1(bucket)\" }\n";
    let of_few = values_alike(10, "few", "left(md5_bytes(be1(few)), 1)")[0] / 10.0;
    let expected = 1e6 * of_few / 16.0;
    for read in ["mark\", \"bucket", "pair"] {
        let key = "mark || be1(bucket) || be1(few) || be4(id) || be8(ts)";
        let [wanted, _] = counted_of(fields, read, key);
        // The row that is asked for is known to be there, among those of its own values, of its tenth by `few` and of its `id`.
        assert!(
            (wanted - expected).abs() <= 1.01 + 1.0 / 10.0 + 1.0 / 16.0,
            "{read}: {wanted}, expected {expected}"
        );
    }
}

/// Nine of ten rows are of one tenant, as readers are: two rows share a tenant with probability 0.81, and another bucket's user as often as users share buckets.
#[test]
fn rows_of_a_great_tenant_are_alike_whatever_else_they_differ_in() {
    let fields = "tenant = { type = \"int\", count = 1_000, distribution = { top = [0.9] } }\nuser = { type = \"int\", count = 1_000 }\n\
                  tb = { expr = \"bucket(100, be4(tenant))\" }\nub = { expr = \"bucket(100, be4(user))\" }\n";
    let others = |field: &str| {
        let hash = format!("be1(bucket(100, be4({field})))");
        (values_alike(1_000, field, &hash)[0] - 1.0) / 999.0
    };
    let tenants = 0.81 + 0.01 / 999.0;
    let of_tenants = tenants + (1.0 - tenants) * others("tenant");
    let of_users = 0.001 + 0.999 * others("user");
    let expected = 1e6 * of_tenants * of_users;
    let key = "be1(tb) || be1(ub) || be8(ts) || be4(tenant) || be4(user)";
    let found = counted_of(fields, "tb\", \"ub", key);
    for found in found {
        // Of some hundreds of targets nine of ten are of the great tenant: 1.5 % of these, three times.
        assert!(
            (found / expected - 1.0).abs() < 0.05,
            "{found}, expected {expected}"
        );
    }
}

/// What is made of a field whose frequent values are known, twice: two rows are alike as often as two values drawn by its law are. 40 values are all
/// compared, of 10,000 some are drawn.
#[test]
fn frequent_values_are_alike_as_often_as_they_come() {
    let given: Vec<f64> = vec![50.0, 10.0, 10.0, 10.0, 5.0, 5.0, 4.0, 3.0, 2.0, 1.0];
    let zipf: Vec<f64> = (1..=10_000)
        .map(|rank| f64::from(rank).powf(-1.1))
        .collect();
    let laws = [
        (given, "weights = [50, 10, 10, 10, 5, 5, 4, 3, 2, 1]"),
        (zipf, "zipf = 1.1, ranked = true"),
    ];
    for (weights, law) in laws {
        let count = weights.len();
        let fields = format!(
            "k = {{ type = \"int\", count = {count}, distribution = {{ {law} }} }}\ntwo = {{ expr = \"k % 2\" }}\nthree = {{ expr = \"k % 3\" }}\n"
        );
        let all: f64 = weights.iter().sum();
        let mut classes = [0.0; 6];
        for (value, weight) in weights.iter().enumerate() {
            classes[value % 6] += weight / all;
        }
        let expected = 1e6 * classes.iter().map(|share| share * share).sum::<f64>();
        let key = "be1(two) || be1(three) || be8(ts) || be4(k)";
        for found in counted_of(&fields, "two\", \"three", key) {
            // Some hundreds of targets hit the classes as the law does to 4 % (a share of 0.54 with a standard error of 0.025), twice.
            assert!(
                (found / expected - 1.0).abs() < 0.08,
                "{law}: {found}, expected {expected}"
            );
        }
    }
}

/// A million pairs of values of two fields: what is made of both is counted together.
#[test]
fn parts_of_what_is_made_of_two_fields_are_counted_together() {
    let fields = |parts: [&str; 2]| {
        let [one, other] = parts;
        format!(
            "a = {{ type = \"int\", count = 1_000 }}\nb = {{ type = \"int\", count = 1_000 }}\none = {{ expr = \"{one}\" }}\nother = {{ expr = \"{other}\" }}\n"
        )
    };
    for (parts, alike) in [
        (["(a + b) % 6", "(a + b) % 4"], 12.0),
        (
            [
                "bucket(16, be4(a) || be4(b))",
                "bucket(4, be4(a) || be4(b))",
            ],
            16.0,
        ),
        (["a % 6", "b % 4"], 24.0),
    ] {
        let key = "be1(one) || be1(other) || be4(a) || be4(b) || be8(ts)";
        let expected = 1e6 / alike;
        let allowed = 4.0 * (alike / 8.4e6f64).sqrt();
        for found in counted_of(&fields(parts), "one\", \"other", key) {
            assert!(
                (found / expected - 1.0).abs() < allowed + 1e-5,
                "{parts:?}: {found}, expected {expected}"
            );
        }
    }
}

/// A reader knows 100 users from the target's on, of 1,000 with 1,000 rows each, and its bucket of 16: the target's own, and of the others those that share it. Who knows the day
/// knows the day of the week.
#[test]
fn what_a_range_or_a_step_tells_of_a_field_is_known_when_its_hash_is_counted() {
    let text = |fields: &str, read: &str, key: &str| {
        format!(
            "[field]\n{fields}ts = {{ type = \"timestamp\" }}\n[existing.row]\nrecords = 1_000_000\nlast = \"30d\"\n[read.rows]\n{read}\n\
             [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
        )
    };
    let rows = |text: &str| {
        let scenario = Scenario::parse(text, "range").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        Layout::of(&scenario.strategies[0], &firsts[0]).reads[0]
            .planned
            .plan
            .expected
            .rows_returned
    };
    let users =
        "user = { type = \"int\", count = 1_000 }\npart = { expr = \"bucket(16, be4(user))\" }\n";
    let read = "equal = [\"part\"]\nrange = { field = \"user\", span = 100 }";
    let found = rows(&text(users, read, "be1(part) || be4(user) || be8(ts)"));
    // At the end of the field a range holds fewer: 95 users on average, 90 of 1,000 having 100 / 2 fewer.
    let others = (values_alike(1_000, "user", "be1(bucket(16, be4(user)))")[0] - 1.0) / 999.0;
    let expected = 1_000.0 * (1.0 + (100.0 - 0.1 * 50.0 - 1.0) * others);
    assert!(
        (found / expected - 1.0).abs() < 0.02,
        "{found}, expected {expected}"
    );
    let days = "day = { expr = \"to_char(ts, 'yyyyMMdd')\" }\nweekday = { expr = \"to_char(ts, 'EEE')\" }\nid = { type = \"int\", count = 1_000_000 }\n";
    let found = rows(&text(
        days,
        "equal = [\"day\", \"weekday\"]",
        "weekday || be8(ts) || be4(id)",
    ));
    // 30 days, of which the first and the last are parts of days where the run does not begin at midnight.
    let expected = 1e6 / 30.0;
    assert!(
        (found / expected - 1.0).abs() < 0.02,
        "{found}, expected {expected}"
    );
}

/// Whoever knows the tens of a number of 1,000, with 1,000 rows each, knows a step of ten of it, and besides it a remainder: five or one of the ten have it.
#[test]
fn a_remainder_within_a_step_is_counted_there() {
    let fields = |step: i64, by: i64| {
        format!(
            "j = {{ type = \"int\", count = 1_000 }}\nu = {{ type = \"int\", count = 1_000_000 }}\n\
             step = {{ expr = \"j / {step}\" }}\nrest = {{ expr = \"j % {by}\" }}\n"
        )
    };
    for (step, by) in [(10, 2), (10, 7), (20, 2), (100, 2), (100, 30)] {
        // Of how many values two of one step agree, over all pairs.
        let key = format!("be4(j / {step}) || be1(j % {by})");
        let expected = 1_000.0 * values_alike(1_000, "j", &key)[0];
        let parts = fields(step, by);
        // A salt of the remainder leaves the step to be read as a whole.
        let keys = [
            "be4(step) || be1(rest) || be4(j) || be4(u) || be8(ts)",
            "be1(rest) || be4(step) || be4(u) || be8(ts)",
        ];
        for found in keys.map(|key| counted_of(&parts, "step\", \"rest", key)) {
            for found in found {
                assert!(
                    (found - expected).abs() <= 1.01,
                    "{step}, {by}: {found}, expected {expected}"
                );
            }
        }
    }
}

/// A point of a plane has a cell of its own among 2^62, and shares the first byte, 64 cells, with one of 64 others: of 4,096 points that are compared, 131,000 pairs, four
/// standard errors are 1.1 %.
#[test]
fn points_are_alike_where_they_lie_not_where_their_bits_do() {
    let fields = "lon = { type = \"double\", min = -180.0, max = 180.0 }\nlat = { type = \"double\", min = -90.0, max = 90.0 }\n\
                  id = { type = \"int\", count = 1_000_000_000_000 }\n";
    let read = |key: &str| counted_of(fields, "lon\", \"lat", key)[1];
    assert!((read("z2(lon, lat) || be8(id)") - 1.0).abs() < 0.01);
    let found = read("left(z2(lon, lat), 1) || be8(id)") * 64.0 / 1e6;
    assert!((found - 1.0).abs() < 0.011, "{found}");
}

/// A key that says what a derived field is made of, in place of its name, is the same key.
#[test]
fn a_reader_knows_a_derived_field_by_its_expression() {
    let fields = "game = { type = \"int\", count = 200 }\nid = { type = \"int\", count = 1_000_000 }\n\
                  third = { expr = \"game % 3\" }\nhalf = { expr = \"left(md5(be2(game)), 1)\" }\n";
    for (name, expression) in [("third", "game%3"), ("half", "left(md5(be2(game)), 1)")] {
        let key = |field: &str| match name {
            "third" => format!("be1({field}) || be4(id) || be8(ts)"),
            _ => format!("{field} || be4(id) || be8(ts)"),
        };
        let [by_name, by_expression] =
            [name, expression].map(|field| counted_of(fields, name, &key(field)));
        assert_eq!(by_name, by_expression, "{name}");
        assert!(by_name[1] < 1.01 * by_name[0], "{name}: {by_name:?}");
    }
}

/// Of 100 rows of a file 60 have one of two names with `a`, 30 one with `b`, 10 one with `c`, and each name has a number: rows are drawn from it as they are.
#[test]
fn what_is_made_of_a_column_is_counted_over_the_rows_of_its_file() {
    let names = [("anna", 40), ("alma", 20), ("bo", 30), ("cleo", 10)];
    let rows = names.iter().flat_map(|(name, count)| vec![*name; *count]);
    let file: String = rows.map(|name| format!("{name}\n")).collect();
    let text = "[data.people]\nfile = \"people.csv\"\n[field]\nname = { from = \"people\", type = \"text\" }\n\
         id = { type = \"int\", count = 1_000_000 }\nfirst = { expr = \"left(name, 1)\" }\nts = { type = \"timestamp\" }\n\
         [existing.row]\nrecords = 1_000_000\nlast = \"1d\"\n[read.rows]\nequal = [\"first\"]\n\
         [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"first || be4(id) || be8(ts)\"\n";
    let place = Workplace::new().with("people.csv", &format!("name\n{file}"));
    let scenario = Scenario::parse_in(text, "people", "", place.path(), &Options::default());
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let plan = &Layout::of(&scenario.strategies[0], &firsts[0]).reads[0]
        .planned
        .plan;
    // Of some hundreds of targets the shares of the letters vary by 3 %, which the mean of what each reads does by less; 4,096 draws of rows by 1 %.
    let expected = 1e6 * (0.6 * 0.6 + 0.3 * 0.3 + 0.1 * 0.1);
    let found = plan.expected.rows_returned;
    assert!(
        (found / expected - 1.0).abs() < 0.05,
        "{found}, expected {expected}"
    );
}

/// Of a hash of the account and a step of time each row of the account lies in one bucket, so that the scans of all buckets into which the steps come read it once; 33 days come into
/// 32 (1 - (31/32)^33) of them.
#[test]
fn scans_of_the_buckets_of_steps_of_time_read_each_row_once() {
    let plan = |key: &str, read: &str| {
        let text = format!(
            "[time]\nstart = 2026-01-01T00:00:00Z\nduration = \"10s\"\n[field]\nacct = {{ type = \"int\", count = 2000 }}\n\
             ts = {{ type = \"timestamp\", unit = \"s\" }}\n[write.w]\nrate = \"10/s\"\n[existing.w]\nlast = \"32d\"\n\
             [read.r]\nequal = [\"acct\"]\n{read}\n[table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
        );
        let scenario = Scenario::parse(&text, "steps").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
        layout.reads[0].planned.plan.expected
    };
    let all = plan("be4(acct) || be4(ts)", "").rows_read;
    assert!(
        (all - 32.0 * 86_400.0 * 10.0 / 2_000.0).abs() < 40.0,
        "{all}"
    );
    let hash =
        |steps: &str| format!("be1(bucket(32, text(acct) || {steps})) || be4(acct) || be4(ts)");
    let buckets = |steps: f64| 32.0 * (1.0 - (31.0_f64 / 32.0).powf(steps));
    for (steps, scans) in [
        ("to_char(ts, 'yyyyMMdd')", buckets(33.0)),
        ("text(ts / 604800)", buckets(6.0)),
    ] {
        let found = plan(&hash(steps), "");
        assert!(
            (found.requests / scans - 1.0).abs() < 0.02,
            "{steps}: {found:?}"
        );
        for rows in [found.rows_read, found.rows_returned] {
            assert!((rows / all - 1.0).abs() < 1e-3, "{steps}: {rows} of {all}");
        }
    }
    // The last two minutes come into the same of 16 buckets: their rows lie side by side.
    let found = plan(
        "be1(bucket(16, text(ts / 60))) || be4(acct) || be4(ts)",
        "range = { field = \"ts\", last = \"1m\" }",
    );
    assert!((found.requests - 1.0).abs() < 1e-9, "{found:?}");
    assert!(
        (found.rows_read - found.rows_returned).abs() < 1e-6,
        "{found:?}"
    );
}
