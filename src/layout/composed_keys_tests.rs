//! Rows that reads read under keys that are composed: sums of fields, hashes of what stands behind them, beginnings of texts before time.

use super::counted_rows_tests::{assert_near, forecasts, strategies};
use super::{Layout, Replicate};
use crate::scenario::Scenario;

#[test]
fn numbers_that_are_sums_of_fields_are_read_like_those_fields() {
    // Of each of 100 devices a row a second for two days; ten minutes are 600 rows, those of all devices 60,000.
    let forms = [
        "be4(dev) || be8(ts)",
        "be8(dev * 10000000000 + ts)",
        "lpad(dev * 10000000000 + ts, 12)",
        "desc(be8(dev * 10000000000 + ts))",
        "be8(dev * 10000000000 + (9999999999 - ts))",
    ];
    let text = format!(
        "[time]\nduration = \"1s\"\nwarmup = \"0s\"\nstart = 2026-03-01T12:30:00Z\n\
         [field]\ndev = {{ type = \"int\", count = 100 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
         [existing.w]\neach = [\"dev\"]\nevery = \"1s\"\nlast = \"2d\"\n\
         [read.device]\nequal = [\"dev\"]\n\
         [read.recent]\nequal = [\"dev\"]\nrange = {{ field = \"ts\", last = \"10m\" }}\n\
         [read.newest]\nequal = [\"dev\"]\nnewest = {{ field = \"ts\", rows = 10 }}\n\
         [read.all]\nrange = {{ field = \"ts\", last = \"10m\" }}\n{}",
        strategies(&forms)
    );
    for reads in forecasts::<4>(&text) {
        for (found, expected) in reads.into_iter().zip([172_800.0, 600.0, 10.0, 60_000.0]) {
            assert_near(found[0], expected, 1.5 * expected / 600.0);
            assert_eq!(found[1], found[0]);
        }
    }
}

#[test]
fn digits_of_a_text_are_read_like_those_of_its_number() {
    // The same bytes each: the last digit, the tens, and both of them.
    let forms = [
        &[
            "text(pmod(id, 10))",
            "right(text(id), 1)",
            "substr(lpad(text(id), 5, '0'), 5, 1)",
            "left(reverse(text(id)), 1)",
        ][..],
        &[
            "text(pmod(id / 10, 10))",
            "substr(lpad(id, 5), 4, 1)",
            "substr(lpad(id, 5), -2, 1)",
        ],
        &[
            "lpad(pmod(id, 100), 2)",
            "right(lpad(id, 5), 2)",
            "substr(lpad(id, 5), 4)",
        ],
    ];
    // Of 100 ids in a row with 10 rows each: a scan for each digit that they have, and nothing read besides.
    for (keys, requests) in forms.into_iter().zip([10.0, 10.0, 100.0]) {
        let keys: Vec<String> = keys
            .iter()
            .map(|it| format!("{it} || be4(id) || be8(ts)"))
            .collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let text = format!(
            "[field]\nid = {{ type = \"int\", count = 30_000 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
             [existing.w]\neach = [\"id\"]\nevery = \"1m\"\nlast = \"10m\"\n\
             [read.r]\nrange = {{ field = \"id\", span = 100 }}\n{}",
            strategies(&keys)
        );
        let scenario = Scenario::parse(&text, "digits").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        for (strategy, first) in scenario.strategies.iter().zip(&firsts) {
            let read = &Layout::of(strategy, first).reads[0];
            // Of a range that begins anywhere, the tens at both ends may be the same; one in 600 ends with the last id.
            let most = requests + if requests < 100.0 { 1.0 } else { 0.0 };
            let is_as_many = (requests - 0.5..=most).contains(&read.requests);
            assert!(is_as_many, "{}: {}", strategy.name, read.requests);
            assert!(
                (997.0..1_000.1).contains(&read.rows_read),
                "{}",
                read.rows_read
            );
            assert_eq!(read.rows_returned, read.rows_read);
        }
    }
}

#[test]
fn a_hash_of_what_stands_behind_it_leaves_nothing_out() {
    // Of 600 texts of four letters of six 16.7 begin alike on average: each under 20 shops, once.
    let keys = [
        "left(sku, 2) || be2(shop) || sku",
        "salt(4, left(sku, 2) || be2(shop)) || left(sku, 2) || be2(shop) || sku",
        "be1(bucket(4, left(sku, 2) || be2(shop))) || sku || be2(shop)",
        "left(md5(left(sku, 2) || text(shop)), 4) || left(sku, 2) || be2(shop) || sku",
        "salt(4, left(sku, 2) || be2(shop / 2)) || left(sku, 2) || be2(shop / 2) || sku || be2(shop)",
    ];
    let text = format!(
        "[field]\nsku = {{ type = \"text\", count = 600, length = 4, alphabet = \"abcdef\" }}\ns2 = {{ expr = \"left(sku, 2)\" }}\n\
         shop = {{ type = \"int\", count = 20 }}\n[existing.w]\neach = [\"sku\", \"shop\"]\n[read.r]\nequal = [\"s2\", \"shop\"]\n{}",
        strategies(&keys)
    );
    let found = forecasts::<1>(&text);
    let [[wanted, read]] = found[0];
    assert_eq!(read, wanted);
    // As rows are asked for, a group of n of them n times: by n^2, and n strays by its square root.
    assert_near(wanted, 17.7, 1.5);
    // Where the whole text stands before the shop, of the 19 other shops a quarter has the bucket. A step has two shops.
    for ([[own, read]], times) in found.into_iter().zip([1.0, 1.0, 5.75, 1.0, 2.0]) {
        assert_near(own, wanted, 1e-6);
        // Of 720 pairs that a hash deals to four buckets 0.25 +- 0.016 are in one.
        assert_near(read / wanted, times, 19.0 * 0.016);
    }
}

#[test]
fn a_shorter_beginning_than_the_key_has_is_a_scan_for_each_that_goes_on_from_it() {
    // 1,000 texts, 200 rows a second for an hour, a tenth of them of a first character: 6,000 in five minutes, in ten scans of 600.
    let [[recent, newest], [_, in_buckets]] = forecasts::<2>(
        "[time]\nduration = \"1s\"\nwarmup = \"0s\"\n[field]\nt = { type = \"text\", count = 1_000, length = 6, alphabet = \"0123456789\" }\n\
         t1 = { expr = \"left(t, 1)\" }\nts = { type = \"timestamp\" }\n[write.w]\nrate = \"200/s\"\n[existing.w]\nlast = \"1h\"\n\
         [read.recent]\nequal = [\"t1\"]\nrange = { field = \"ts\", last = \"5m\" }\n\
         [read.newest]\nequal = [\"t1\"]\nnewest = { field = \"ts\", rows = 10 }\n\
         [strategy.plain]\nkey = \"left(t, 2) || be8(ts) || t\"\n\
         [strategy.buckets]\nkey = \"be1(bucket(4, t)) || left(t, 2) || be8(ts) || t\"\n",
    )[..] else {
        panic!("two strategies");
    };
    // Each reader's character has as many texts more as they stray by, squared: 100.9 of 1,000.
    assert_near(recent[0], 6_054.0, 60.0);
    assert_eq!(recent[0], recent[1]);
    assert_eq!([newest[1], in_buckets[1]], [100.0, 400.0]);
}

#[test]
fn rows_that_never_meet_are_all_alike_that_have_what_a_reader_knows() {
    // Each of 60 numbers under 500 others, once: six end with a digit, whatever the key makes of each.
    let keys = ["left(md5(num), 8)", "right(num, 2)", "num"].map(|of_num| {
        let [[[wanted, _]]] = forecasts::<1>(&format!(
            "[field]\nnum = {{ type = \"digits\", width = 3, count = 60 }}\nn = {{ type = \"int\", count = 500 }}\n\
             last = {{ expr = \"right(num, 1)\" }}\n[existing.w]\neach = [\"num\", \"n\"]\n[read.last]\nequal = [\"last\"]\n\
             [strategy.s]\nkey = \"{of_num} || be2(n)\"\n"
        ))[..] else {
            panic!("one strategy");
        };
        wanted
    });
    for wanted in keys {
        assert_near(wanted, 3_000.0, 3.0);
    }
    // Half of the users live in two of four cities, each of them in the same one however often that is written.
    let [[[_, read]]] = forecasts::<1>(
        "[field]\nuser = { type = \"int\", count = 2_000 }\ncity = { type = \"int\", count = 4, of = \"user\" }\n\
         [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 60_000\n[read.city]\nequal = [\"city\"]\n\
         [strategy.s]\nkey = \"be1(city % 2) || be4(user)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    // In the reader's city live 500 +- 19, and a third of all others is counted in the other one: three times 13.
    assert_near(read, 1_000.0, 39.0);
}

#[test]
fn a_value_of_a_list_is_of_a_row_that_is_there() {
    // 200,000 rows of a million ids: two that are there are two rows, each with 0.2 of others. Of 2,000 items, each listed
    // one has the row that it is of, and 99.995 others.
    let found = forecasts::<4>(
        "[field]\nid = { type = \"int\", count = 1_000_000 }\nitem = { type = \"int\", count = 2_000 }\nkind = { type = \"int\", count = 10 }\n\
         ts = { type = \"timestamp\" }\n[existing.w]\nrecords = 200_000\nlast = \"1d\"\n\
         [read.one]\nequal = [\"id\"]\n[read.two]\nin = { id = 2 }\n[read.items]\nin = { item = 4 }\n\
         [read.of-kind]\nequal = [\"kind\"]\nin = { item = 4 }\n[strategy.only]\nkey = \"be4(item) || be8(ts) || be4(id) || be1(kind)\"\n",
    );
    let [one, two, items, of_kind] = found[0];
    assert_near(one[0], 1.2, 1e-3);
    assert_near(two[0], 2.4, 1e-3);
    assert_near(items[0], 4.0 * 101.0, 0.1);
    // Of each item a tenth has the kind; of the target's item the target has it for certain, of the others the row that is there has it once in ten.
    assert_near(of_kind[0], 4.0 * 10.1 + 0.9, 0.1);
}

#[test]
fn what_follows_from_a_hashed_thing_tells_nothing_that_the_thing_does_not() {
    // 100,000 rows of 20,000 things in 60 places: 20,000 (1 - e^-5) are met, and those in one hash of 65,536 and one place are one: 51 pairs.
    let met = 20_000.0 * -(-5.0f64).exp_m1();
    let keys = [
        "be2(place) || left(md5(be4(id)), 6)",
        "left(md5(be4(id)), 4) || be2(place)",
        "left(md5(be4(place)), 4) || left(md5(be4(id)), 4)",
        "be4(id) || left(md5(be4(place)), 4)",
    ];
    let text = format!(
        "[field]\nid = {{ type = \"int\", count = 20_000 }}\nplace = {{ type = \"int\", count = 60, of = \"id\" }}\nts = {{ type = \"timestamp\" }}\n\
         [existing.w]\nrecords = 100_000\nlast = \"1d\"\n[read.all]\nrange = {{ field = \"ts\", last = \"12h\" }}\n{}",
        strategies(&keys)
    );
    for [[_, read]] in forecasts::<1>(&text) {
        assert_near(read, met, 60.0);
    }
}

#[test]
fn of_values_that_share_a_hash_those_count_that_have_what_follows_as_well() {
    // Hashes of 16 bits of 40 things are apart: under each key a scan reads the rows of one thing, or of four, and nothing else.
    let keys = [
        "left(md5(be4(id)), 4) || be4(place) || be8(ts)",
        "be1(bucket(4, be4(place))) || left(md5(be4(id)), 4) || be8(ts)",
        "be1(bucket(8, be4(place))) || be4(id) || be8(ts)",
    ];
    let text = format!(
        "[field]\nid = {{ type = \"int\", count = 40, distribution = {{ zipf = 0.8 }} }}\nplace = {{ type = \"int\", count = 12, of = \"id\" }}\n\
         ts = {{ type = \"timestamp\" }}\n[existing.w]\nrecords = 120_000\nlast = \"1d\"\n[read.one]\nequal = [\"id\"]\nin = {{ place = 3 }}\n\
         [read.four]\nin = {{ id = 4 }}\n{}",
        strategies(&keys)
    );
    for reads in forecasts::<2>(&text) {
        for [wanted, read] in reads {
            assert_near(read / wanted, 1.0, 1e-3);
        }
    }
}

#[test]
fn a_row_is_of_the_last_of_the_things_that_share_it() {
    // 60,000 writes of 300 things in 12 places, which are a row each. The last write of a place is as often of each of its things: by the mean of all things
    // it is of the target's in 12 of 300.
    let keys = ["be1(place)", "be1(place) || be8(trunc(ts, 10000))"];
    let text = format!(
        "[field]\nid = {{ type = \"int\", count = 300 }}\nplace = {{ type = \"int\", count = 12, of = \"id\" }}\nts = {{ type = \"timestamp\" }}\n\
         [existing.w]\nrecords = 60_000\nlast = \"1h\"\n[read.both]\nequal = [\"id\", \"place\"]\n[read.listed]\nequal = [\"id\"]\nin = {{ place = 3 }}\n\
         [read.thing]\nequal = [\"id\"]\n{}",
        strategies(&keys)
    );
    let found = forecasts::<3>(&text);
    for [wanted, _] in found[0] {
        // One of the 5,000 writes of its place is the target's for certain.
        assert_near(wanted, 12.0 / 300.0 + 1.0 / 5_000.0, 1e-3);
    }
    // Each of 360 steps has 13.9 writes of a place and one row of it, the last of which is of the thing as often.
    for [wanted, _] in found[1] {
        assert_near(wanted, 360.0 * 12.0 / 300.0, 0.5);
    }
}

#[test]
fn things_and_what_follows_from_them_go_together_in_rows_of_each_and_in_drawn_ones() {
    // Every minute of an hour each of eight things has a row, and in the minute of the run each has some again: 480 and 8. Two that share bucket and place, three
    // times in a hundred, would be 61 fewer.
    let found = forecasts::<1>(
        "[time]\nduration = \"1s\"\nwarmup = \"0s\"\n[field]\nid = { type = \"int\", count = 8 }\nplace = { type = \"int\", count = 60, of = \"id\" }\n\
         ts = { type = \"timestamp\" }\n[write.w]\nrate = \"1k/s\"\n[existing.w]\neach = [\"id\"]\nevery = \"1m\"\nlast = \"1h\"\n\
         [read.all]\nrange = { field = \"ts\", last = \"30m\" }\n[strategy.only]\nkey = \"be1(bucket(16, be4(id))) || be1(place) || be8(trunc(ts, '1m'))\"\n",
    );
    let [[_, read]] = found[0];
    // A read at the very beginning meets less than the eight.
    assert_near(read, 488.0, 1.0);
}

#[test]
fn parts_of_what_each_write_has_anew_are_as_few_rows_as_they_can_be() {
    // 10,000 writes of 30 numbers: 333 of each, in one of 16 buckets and under one of 256 first bytes by chance, and the reader's own row is there for certain.
    let of_one = 10_000.0 / 30.0;
    let held = |values: f64| values * -f64::exp_m1(-of_one / values) + (-of_one / values).exp();
    let expected = [held(16.0), held(16.0), held(16.0), held(256.0)];
    let text = format!(
        "[field]\ni = {{ type = \"int\", count = 30 }}\nx = {{ type = \"double\" }}\nu = {{ type = \"uuid\" }}\nb = {{ type = \"bytes\", length = 4 }}\n\
         [existing.w]\nrecords = 10_000\n[read.one]\nequal = [\"i\"]\n{}",
        strategies(&[
            "be4(i) || be1(bucket(16, u))",
            "be4(i) || be1(bucket(16, of8(x)))",
            "be4(i) || be1(bucket(16, b))",
            "be4(i) || left(u, 1)",
        ])
    );
    for (of_key, expected) in forecasts::<1>(&text).into_iter().zip(expected) {
        // Writes that are drawn, not a Poisson number of each: far less than a row.
        assert_near(of_key[0][0], expected, 0.5);
    }
}
