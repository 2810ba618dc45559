//! Rows of keys that make something of a sequence, whose numbers follow one another.

use super::family_size::Encodings;
use super::key_sample::KeyedTable;
use super::table_size::TableSample;
use super::{Layout, Replicate};
use crate::scenario::Scenario;

const RUN: f64 = 40_000.0;

fn scenario(existing: u64, strategies: &str) -> Scenario {
    let before = match existing {
        0 => String::new(),
        _ => format!("[existing.w]\nrecords = {existing}\n"),
    };
    let text = format!(
        "[time]\nduration = \"10s\"\nwarmup = \"2s\"\n\
         [field]\nid = {{ type = \"sequence\" }}\nqueue = {{ type = \"int\", count = 20 }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
         [write.w]\nrate = \"4k/s\"\n{before}{strategies}"
    );
    Scenario::parse(&text, "numbers").unwrap_or_else(|error| panic!("{error}"))
}

/// Rows from before the run, and those that it adds.
fn rows(existing: u64, key: &str) -> [f64; 2] {
    let scenario = scenario(existing, &format!("[strategy.s]\nkey = \"{key}\"\n"));
    let strategy = &scenario.strategies[0];
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let table = KeyedTable::of(strategy, &replicate);
    let size = TableSample::of(&table, 1_024, Encodings::Own).size(RUN);
    [size.existing_rows, size.written_rows]
}

#[test]
fn a_hash_or_remainder_with_room_for_all_numbers_keeps_a_row_of_each() {
    for key in [
        "be8(fnv1a_64(text(id)))",
        "be4(id % 1000000)",
        "left(md5_bytes(text(id)), 5)",
    ] {
        for existing in [0, 200_000] {
            let [old, new] = rows(existing, key);
            assert!((old - existing as f64).abs() < 1.0, "{key}: {old}");
            assert!((new - RUN).abs() < 1.0, "{key}: {new}");
        }
    }
    // 2^24 values: 240,000 numbers fall on 2^24 (1 - e^(-240,000 / 2^24)) = 238,291 of them.
    let [old, new] = rows(200_000, "left(md5_bytes(text(id)), 3)");
    assert!((old + new - 238_291.0).abs() < 10.0, "{old} {new}");
    // A remainder that begins anew after 50,000 numbers has been met by then.
    assert_eq!(
        rows(200_000, "be4(id % 50000)").map(f64::round),
        [50_000.0, 0.0]
    );
}

#[test]
fn numbers_that_share_a_step_follow_one_another() {
    // Each step is begun once: one that is not whole is as good as a row.
    for (key, old, new) in [
        ("be8(id / 10)", 20_000.0, 4_000.0),
        ("be8(id / 100) || be1(id % 50)", 100_000.0, 20_000.0),
        // Of 1,000 numbers each of 20 queues has some.
        ("be1(queue) || be8(id / 1000)", 4_000.0, 800.0),
    ] {
        let found = rows(200_000, key);
        let most = 20.0 + 1.0;
        assert!((found[0] - old).abs() <= most, "{key}: {found:?}");
        assert!((found[1] - new).abs() <= most, "{key}: {found:?}");
    }
}

#[test]
fn of_the_numbers_of_a_millisecond_the_first_ones_differ_in_a_remainder() {
    // A Poisson number n of mean 4 of consecutive numbers has min(n, 4) remainders: 4 - sum over n < 4 of (4 - n) e^-4 4^n / n! = 3.2186.
    let poisson = [1.0, 4.0, 8.0, 32.0 / 3.0].map(|term| term * (-4.0f64).exp());
    let missing: f64 = (0..4).zip(poisson).map(|(n, p)| f64::from(4 - n) * p).sum();
    let [_, found] = rows(0, "be8(ts) || be1(id % 4)");
    let expected = 10_000.0 * (4.0 - missing);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

#[test]
fn the_newest_cells_of_a_wide_row_lie_in_as_few_rows_as_hold_them() {
    let reads = "[read.few]\nequal = [\"queue\"]\nnewest = { field = \"id\", rows = 50 }\n\
                 [read.many]\nequal = [\"queue\"]\nnewest = { field = \"id\", rows = 500 }\n\
                 [strategy.s]\nkey = \"be1(queue) || be8(id / 1000)\"\nqualifier = \"be2(id % 1000)\"\n";
    let scenario = scenario(1_200_000, reads);
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let reads = Layout::of(&scenario.strategies[0], &firsts[0]).reads;
    // A queue has 50 cells of 1,000 numbers, the newest row half of that: 1 + (50 - 25) / 50 + what the row that the last is in has besides; a row more at most.
    for (read, rows) in reads.iter().zip([1.98, 10.98]) {
        let found = read.rows_read;
        assert!((rows - 0.1..rows + 1.1).contains(&found), "{found} {rows}");
    }
}

#[test]
fn the_first_digits_of_a_number_are_steps_of_it_whatever_they_are_written_by() {
    // 24,000 writes of a minute in 70 classes: a class and a second have 24,000 / (70 x 60) = 5.7 writes, so that 60 (1 - e^-5.7) rows of each class are there.
    let text = "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
                [field]\nn = { type = \"int\", count = 70_000 }\nd = { type = \"digits\", width = 5, count = 70_000 }\n\
                ts = { type = \"timestamp\", unit = \"s\" }\n\
                [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 24_000\nlast = \"60s\"\n\
                [read.n]\nequal = [\"n\"]\n[read.d]\nequal = [\"d\"]\n\
                [strategy.step]\nkey = \"be2(n / 1000) || be4(ts)\"\n\
                [strategy.text]\nkey = \"left(lpad(text(n), 5), 2) || be4(ts)\"\n\
                [strategy.digits]\nkey = \"left(d, 2) || be4(ts)\"\n";
    let scenario = Scenario::parse(text, "prefixes").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let expected = 60.0 * -(-24_000.0f64 / 4_200.0).exp_m1();
    for (strategy, read) in scenario.strategies.iter().zip([0, 0, 1]) {
        let found = Layout::of(strategy, &firsts[0]).reads[read].rows_read;
        // A target is one of the rows, and the run adds one or two.
        let name = &strategy.name;
        assert!((found - expected).abs() < 3.0, "{name}: {found} {expected}");
    }
}

#[test]
fn a_scan_of_all_rows_meets_those_that_several_writes_count_once() {
    // Each write counts its own numbers: in the middle of 10 s there are 15,000 of the faster one, and the 5,000 of the other are among them.
    let text = "[time]\nduration = \"10s\"\nwarmup = \"0s\"\n\
                [field]\nid = { type = \"sequence\" }\nother = { type = \"int\", count = 50 }\n\
                [write.a]\nrate = \"1k/s\"\narrivals = \"constant\"\n[write.b]\nrate = \"3k/s\"\narrivals = \"constant\"\n\
                [read.all]\nequal = [\"other\"]\n[strategy.s]\nkey = \"be8(id)\"\n";
    let scenario = Scenario::parse(text, "numbers").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let read = Layout::of(&scenario.strategies[0], &firsts[0])
        .reads
        .remove(0);
    // Targets lie anywhere in the run, evenly: their mean is its middle to a hundredth.
    assert!(
        (read.rows_read / 15_000.0 - 1.0).abs() < 0.01,
        "{}",
        read.rows_read
    );
}
