//! Rows and bytes of what readers ask for: values that a law picks, lists of values, kinds of rows of unlike size, and values that a short hash hides.

use keyheat::layout::{Layout, ReadForecast, Replicate};
use keyheat::scenario::Scenario;

/// What is foreseen of each read of a scenario under its only key.
fn reads(text: &str) -> Vec<ReadForecast> {
    let scenario = Scenario::parse(text, "asked").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    Layout::of(&scenario.strategies[0], &firsts[0]).reads
}

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!(
        (value / expected - 1.0).abs() < 0.02,
        "{value}, not {expected}"
    );
}

/// Twenty rows of five values. Who asks for the value of a row gets it and a fifth of the nineteen others. A value that is picked has four rows on average, and 4 / (1 - 0.8^20) if some row has it. Two values of rows
/// have these two, and two fifths of the eighteen others; five have all.
#[test]
fn a_picked_value_has_no_row_more_than_others_and_rows_of_a_list_are_counted_once() {
    let of = |read: &str| {
        let found = reads(&format!(
            "[field]\nv = {{ type = \"int\", count = 5 }}\nid = {{ type = \"uuid\" }}\n[existing.a]\nrecords = 20\n\
             [read.r]\n{read}\n[table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"be2(v) || id\"\n"
        ));
        found[0].rows_returned
    };
    near(of("equal = [\"v\"]"), 1.0 + 19.0 / 5.0);
    let picked = 4.0 / (1.0 - 0.8f64.powf(20.0));
    near(of("equal = [\"v\"]\npick = { v = \"uniform\" }"), picked);
    near(of("equal = [\"v\"]\nwith = { v = 2 }"), picked);
    near(of("in = { v = 2 }"), 2.0 + 18.0 * 2.0 / 5.0);
    near(of("in = { v = 5 }"), 20.0);
}

/// Nine tenths of the rows are of 100 B, and the others of 10 KB: a cell has 20 B, a key, a family and a qualifier besides. Half as many rows again are written by the middle of the run. Readers ask for
/// a kind nine times in ten for the small one.
#[test]
fn rows_of_a_kind_weigh_what_the_writes_of_that_kind_put() {
    let found = |key: &str| {
        let found = reads(&format!(
            "[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[field]\nkind = {{ type = \"text\", values = [\"meta\", \"view\"] }}\nid = {{ type = \"uuid\" }}\n\
             [write.meta]\nrate = \"90/s\"\nwith = {{ kind = \"meta\" }}\ncells = {{ m = \"100B\" }}\n\
             [write.view]\nrate = \"10/s\"\nwith = {{ kind = \"view\" }}\ncells = {{ m = \"10KB\" }}\n\
             [existing.meta]\nrecords = 900\n[existing.view]\nrecords = 100\n\
             [read.views]\nequal = [\"kind\"]\nwith = {{ kind = \"view\" }}\n[read.metas]\nequal = [\"kind\"]\nwith = {{ kind = \"meta\" }}\n[read.kinds]\nequal = [\"kind\"]\n\
             [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
        ));
        let bytes: Vec<f64> = found.iter().map(|it| it.planned.cell_bytes).collect();
        bytes
    };
    // Keys of 4 B and the 16 of an identifier; the name of a family and of a qualifier, of one byte each.
    let [meta, view] = [100.0, 10_240.0].map(|value| 20.0 + 20.0 + 1.0 + 1.0 + value);
    let told = found("kind || id");
    near(told[0], view);
    near(told[1], meta);
    // Of the rows that all these readers read, 9 x 9 to 1 are small.
    near(told[2], (81.0 * meta + view) / 82.0);
    // Under a key that does not tell the kind they read all rows.
    for bytes in found("id || kind") {
        near(bytes, 0.9 * meta + 0.1 * view);
    }
}

/// Ten ids with five states each, fifty things in four rows, which their last writes own: 0.4 rows of an id, 0.8 of a state, and a fiftieth of four of both. From an id drawn of ten on, five lie in the table in six cases, and
/// four, three, two and one: four on average. Java's hash of an id and a state is 31 times the one and the other, which makes all of forty rows: 31 id
/// is 0, 31, 22, 13, 4, 35, 26, 17, 8 and 39 modulo 40, and five numbers in a row begin at each. Of Murmur's forty there are the 24 that exported keys have.
#[test]
fn newest_writes_share_the_rows_of_a_short_hash_among_all_that_it_hashes() {
    let salted = [
        ("salt(4, be4(id) || be1(st))", 4.0),
        ("salt(40, be4(id) || be1(st))", 40.0),
        ("be1(bucket(40, be4(id) || be1(st)))", 24.0),
    ];
    for (key, rows) in salted {
        let found = reads(&format!(
            "[field]\nid = {{ type = \"int\", count = 10 }}\nst = {{ type = \"int\", count = 5 }}\n[existing.a]\nrecords = 1_000_000\n\
             [read.id]\nequal = [\"id\"]\n[read.one]\nrange = {{ field = \"id\", span = 1 }}\n[read.st]\nequal = [\"st\"]\n[read.both]\nequal = [\"id\", \"st\"]\n\
             [read.five]\nequal = [\"st\"]\nrange = {{ field = \"id\", span = 5 }}\n\
             [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
        ));
        let shares = [0.1, 0.1, 0.2, 0.02, 0.2 * 0.4];
        for (read, share) in found.iter().zip(shares) {
            near(read.rows_returned, rows * share);
        }
    }
}

/// A hundred rows a second, from a hundred seconds before a run of as many on: at an instant some seconds of the minute have come three times and others twice, and who asks for the second of a row gets
/// the rows of all seconds like it, to the instant and no later ones.
#[test]
fn remainders_of_times_are_those_of_rows_that_are_there_already() {
    let found = reads(
        "[time]\nduration = \"100s\"\nwarmup = \"2s\"\nstart = 2026-01-01T00:00:00Z\n[field]\nid = { type = \"uuid\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         second = { expr = \"pmod(ts / 1000, 60)\" }\n[write.a]\nrate = \"100/s\"\n[existing.a]\nlast = \"100s\"\n[read.r]\nequal = [\"second\"]\n\
         [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"id || be8(ts)\"\n",
    );
    let of_instant = |instant: i64| {
        let mut rows = [0.0f64; 60];
        (-100..instant).for_each(|second| rows[second.rem_euclid(60) as usize] += 100.0);
        rows.iter().map(|it| it * it).sum::<f64>() / rows.iter().sum::<f64>() + 1.0
    };
    let right = (0..100).map(of_instant).sum::<f64>() / 100.0;
    near(found[0].rows_returned, right);
}

/// Two writes count the same sequence, each from 0 on: one has come to 1,000 and the other to 3,000 before the run, and both write on. Under a key of the number alone the first 1,000 rows of the second are
/// those of the first. Of a hundred numbers from a row's own on there are a hundred rows, but at the ends: 99.1 over all rows and instants. Where the key has the kind too there are those of
/// both, 147.4.
#[test]
fn writes_that_count_one_sequence_each_by_itself_share_its_rows() {
    let rows = |key: &str, read: &str| {
        let text = format!(
            "[time]\nduration = \"10s\"\nwarmup = \"2s\"\n[field]\nn = {{ type = \"sequence\" }}\nkind = {{ type = \"text\", values = [\"a\", \"b\"] }}\n\
             [write.a]\nrate = \"100/s\"\nwith = {{ kind = \"a\" }}\n[write.b]\nrate = \"300/s\"\nwith = {{ kind = \"b\" }}\n\
             [existing.a]\nrecords = 1_000\n[existing.b]\nrecords = 3_000\n[read.r]\n{read}\n[table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
        );
        reads(&text)[0].rows_returned
    };
    let some = "range = { field = \"n\", span = 100 }";
    near(rows("be8(n)", some), 99.1);
    near(rows("be8(n) || kind", some), 147.4);
}
