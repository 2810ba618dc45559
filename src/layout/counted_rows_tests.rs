//! Rows that reads read, counted by hand: where keys tell less than the fields that they are made of, and where values begin like others.

use super::{Layout, Replicate, Retention};
use crate::query::AccessPath;
use crate::scenario::Scenario;

/// 1,000 users and 10,000 items of 100 categories; so many writes, each of any user and any item.
fn scenario(writes: u64, strategies: &str) -> Scenario {
    let text = format!(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n\
         [field]\nuser = {{ type = \"int\", count = 1_000 }}\nitem = {{ type = \"int\", count = 10_000 }}\n\
         cat = {{ expr = \"item / 100\" }}\n\
         [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = {writes}\n\
         [read.user]\nequal = [\"user\"]\n[read.cat]\nequal = [\"cat\"]\n\
         [read.items]\nrange = {{ field = \"item\", span = 1_000 }}\n{strategies}"
    );
    Scenario::parse(&text, "rewritten").unwrap_or_else(|error| panic!("{error}"))
}

/// Rows that each read of a strategy reads, in the order of the file.
fn rows_read(scenario: &Scenario, strategy: &str) -> [f64; 3] {
    let mut strategies = scenario.strategies.iter();
    let strategy = strategies.find(|it| it.name == strategy);
    let strategy = strategy.expect("the file has this strategy");
    let firsts = Replicate::first_of_each(std::slice::from_ref(strategy), scenario.seed);
    let reads = Layout::of(strategy, &firsts[0]).reads;
    [0, 1, 2].map(|read: usize| reads[read].rows_read)
}

#[test]
fn rows_of_a_step_or_of_a_class_are_those_that_the_key_can_tell_there() {
    let keys = "[strategy.cat-user]\nkey = \"be4(cat) || be4(user)\"\n\
                [strategy.user-cat]\nkey = \"be4(user % 10) || be4(cat)\"\n\
                [strategy.user-item]\nkey = \"be4(user % 10) || be4(item % 100)\"\n\
                [strategy.hash]\nkey = \"left(md5_bytes(user), 1) || be4(cat)\"\n";
    // 5,000 writes of each user, 50 of each user in each category: a key that can be is a row, but for one of e^50.
    let full = scenario(5_000_000, keys);
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
    };
    // A category has a row of each user. Of 1,000 items at any place 10 categories are whole on average, of 99 places in 100 one more is begun.
    let [_, cat, items] = rows_read(&full, "cat-user");
    near(cat, 1_000.0);
    // Sampled places: half a category is 5 %.
    assert!((10_000.0..=11_000.0).contains(&items), "{items}");
    // A class of users has a row of each category, and of each last two digits of an item.
    for strategy in ["user-cat", "user-item", "hash"] {
        near(rows_read(&full, strategy)[0], 100.0);
    }
    // Two writes a user, 200 a class: of its 100 keys 100 (1 - 0.99^200) = 86.6 are rows. That the reader's user has written once at least makes it 86.6 + 0.1.
    // The user's own two and the others' are drawn apart, of 1,000 rows in all: within a row.
    let sparse = scenario(2_000, keys);
    let found = rows_read(&sparse, "user-item")[0];
    assert!((found - 86.6).abs() < 1.0, "{found}");
}

#[test]
fn a_beginning_of_a_beginning_has_the_rows_of_all_that_the_key_tells_of_it() {
    // 125,000 writes of each code, 250,000 of each `left(code, 3)`, which makes 100,000 (1 - e^-2.5) rows of the numbers from 0 to 100,000.
    let text = "[field]\nn = { type = \"int\", count = 100_000 }\n\
                code = { type = \"text\", values = [\"ab12\", \"ab13\", \"ab24\", \"ab25\", \"cd12\", \"cd13\", \"cd24\", \"cd25\"] }\n\
                two = { expr = \"left(code, 2)\" }\nthree = { expr = \"left(code, 3)\" }\nlast = { expr = \"right(code, 1)\" }\n\
                [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 1_000_000\n\
                [read.code]\nequal = [\"code\"]\n[read.three]\nequal = [\"three\"]\n\
                [read.two]\nequal = [\"two\"]\n[read.last]\nequal = [\"last\"]\n\
                [strategy.only]\nkey = \"left(code, 3) || be4(n)\"\n";
    let scenario = Scenario::parse(text, "beginnings").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let reads = Layout::of(&scenario.strategies[0], &firsts[0]).reads;
    let of_three = 100_000.0 * -(-2.5f64).exp_m1();
    // A row has the code, and the last digit, of its newest write, which is either of two: those with a digit lie under two of the four beginnings.
    let expected = [
        (of_three / 2.0, of_three),
        (of_three, of_three),
        (2.0 * of_three, 2.0 * of_three),
        (2.0 * of_three / 2.0, 4.0 * of_three),
    ];
    for (read, (wanted, all)) in reads.iter().zip(expected) {
        for (found, expected) in [(read.rows_returned, wanted), (read.rows_read, all)] {
            assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
        }
    }
}

#[test]
fn a_remainder_of_a_range_has_all_its_values_and_a_step_those_of_the_range() {
    // Of each of 50 sensors a row a second for a day: each second is written once.
    let text = "[field]\nsensor = { type = \"int\", count = 50 }\nts = { type = \"timestamp\", unit = \"s\" }\n\
                [write.w]\neach = [\"sensor\"]\nevery = \"1s\"\n[existing.w]\nlast = \"1d\"\n\
                [read.recent]\nrange = { field = \"ts\", last = \"10m\" }\n\
                [strategy.salted]\nkey = \"be4(sensor) || be4(trunc(ts, '1h')) || be1(ts % 8)\"\n";
    let scenario = Scenario::parse(text, "salted").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let reads = Layout::of(&scenario.strategies[0], &firsts[0]).reads;
    // Ten minutes lie in one hour, or in two, and have all eight remainders: 400 rows an hour.
    let wanted = reads[0].rows_returned;
    assert!((399.0..=801.0).contains(&wanted), "{wanted}");
}

#[test]
fn counters_under_random_salts_are_found_by_a_get_for_each_and_never_become_more() {
    let text = "[time]\nduration = \"6s\"\n[field]\nad = { type = \"int\", count = 1_000 }\n\
                [write.inc]\nrate = \"10k/s\"\nkind = \"increment\"\n[existing.inc]\nlast = \"1h\"\n\
                [read.total]\nequal = [\"ad\"]\n\
                [strategy.front]\nkey = \"be1(random(16)) || be4(ad)\"\n\
                presplit = { algorithm = \"buckets\" }\n";
    let scenario = Scenario::parse(text, "counters").unwrap_or_else(|error| panic!("{error}"));
    let strategy = &scenario.strategies[0];
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    // 16 Gets of 1.2 ms are 19.2 ms. A scan of 16,000 rows in 16 regions is 16 calls of 1.2 ms and 16 ms of rows: 35.2 ms.
    let plan = &Layout::of(strategy, &firsts[0]).reads[0].planned.plan;
    assert_eq!(plan.path, AccessPath::MultiGet);
    // 1,000 counters under 16 salts are full after an hour, and in ten.
    let retention = Retention::of(&strategy.setup, scenario.seed);
    assert_eq!(retention.growth(strategy)[0].times, 1.0);
}

#[test]
fn rows_of_values_that_go_on_with_the_delimiter_are_read_as_well() {
    let text = "[field]\n\
                tenant = { type = \"text\", values = [\"acme\", \"acme-eu\", \"acme-us\", \"beta\", \"be\"], \
                distribution = { weights = [4, 1, 1, 2, 2] } }\n\
                id = { type = \"sequence\" }\n\
                [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 1_000_000\n\
                [read.all]\nequal = [\"tenant\"]\n\
                [strategy.dash]\nkey = \"tenant || '-' || be8(id)\"\n\
                [strategy.slash]\nkey = \"tenant || '/' || be8(id)\"\n";
    let scenario = Scenario::parse(text, "tenants").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let read = |at: usize| {
        let reads = Layout::of(&scenario.strategies[at], &firsts[at]).reads;
        (reads[0].rows_returned, reads[0].rows_read)
    };
    // Tenants are asked for as often as they are written. Wanted: 0.4^2 + 2 x 0.1^2 + 2 x 0.2^2 = 0.26 of a million. Behind `acme-` lie those of `acme-eu` and
    // `acme-us` too: 0.4 x 0.2 more. Targets are spread over all rows: to one in a thousand.
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
    };
    let [(wanted, dash), (_, slash)] = [read(0), read(1)];
    near(wanted, 260_000.0);
    near(slash, 260_000.0);
    near(dash, 340_000.0);
}

#[test]
fn rows_that_are_written_again_have_the_value_of_their_newest_write_alone() {
    let text = |writes: u64| {
        format!(
            "[field]\ncustomer = {{ type = \"int\", count = 100 }}\nord = {{ type = \"int\", count = 1_000 }}\n\
             status = {{ type = \"int\", count = 5 }}\n\
             [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = {writes}\n\
             [read.open]\nequal = [\"customer\", \"status\"]\n\
             [read.page]\nequal = [\"customer\", \"status\"]\npage = {{ field = \"ord\", size = 20, number = 1 }}\n\
             [strategy.orders]\nkey = \"be4(customer) || be4(ord)\"\n"
        )
    };
    let read = |writes: u64| {
        let scenario = Scenario::parse(&text(writes), "orders");
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let reads = Layout::of(&scenario.strategies[0], &firsts[0]).reads;
        [reads[0].rows_returned, reads[1].rows_read]
    };
    // Each of 100,000 orders is written 100 times, with any of five statuses: of the 1,000 of a customer 200 are open. The reader's own row was open once, and is
    // so now in one of a hundred times and a fifth of the others: 0.008 rows more. Twenty of them stand among a hundred.
    let [open, page] = read(10_000_000);
    assert!((open - 200.008).abs() < 1e-2, "{open}");
    assert!((page - 100.0).abs() < 0.1, "{page}");
    // Hardly an order is written twice: one in 200, so the reader's own is open and of the ten others of its customer two.
    let [open, _] = read(1_000);
    assert!((open - 3.0).abs() < 0.02, "{open}");
}

#[test]
fn cells_of_a_row_and_its_copies_under_salts_have_newest_writes_of_their_own() {
    let text = "[field]\norder = { type = \"int\", count = 1_000 }\nslot = { type = \"int\", count = 16 }\n\
                status = { type = \"int\", count = 5 }\n\
                [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 400_000\n\
                [read.open]\nequal = [\"status\"]\n\
                [strategy.cells]\nkey = \"be4(order)\"\nqualifier = \"be1(slot)\"\n\
                [strategy.copies]\nkey = \"be1(random(16)) || be4(order)\"\n";
    let scenario = Scenario::parse(text, "orders").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let read = |at: usize| {
        let reads = Layout::of(&scenario.strategies[at], &firsts[at]).reads;
        (reads[0].rows_returned, reads[0].cells_returned)
    };
    // A row has 16 cells, each written 25 times: a fifth of them are open, and 1 - 0.8^16 = 97 % of the rows have such a one.
    let (rows, cells) = read(0);
    assert!((971.0..=1_000.01).contains(&rows), "{rows}");
    assert!((cells - 3_200.0).abs() < 3.2, "{cells}");
    // Of an order's 16 copies the newest counts: a fifth of the orders are open.
    let (rows, _) = read(1);
    assert!((rows - 200.0).abs() < 0.2, "{rows}");
}

#[test]
fn steps_and_remainders_take_their_values_in_turn_and_hashes_those_that_they_have() {
    let strategies = [
        ("step", "be4(id / 2)"),
        ("coarse", "be4(id / 20)"),
        ("remainder", "be4(id % 500)"),
        ("digit", "be4(id / 2 % 50)"),
        ("both", "be4(id / 100) || be1(id % 7)"),
        ("hash", "left(md5_bytes(id), 1)"),
        ("step-of-hash", "md5_bytes(id / 2)"),
        ("hash-of-step", "left(md5_bytes(id / 100), 1)"),
    ];
    let read = |writes: u64| {
        let mut text = format!(
            "[field]\nuser = {{ type = \"int\", count = 100 }}\nid = {{ type = \"int\", count = 1_000 }}\n\
             [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = {writes}\n[read.all]\nequal = [\"user\"]\n\
             [read.some]\nequal = [\"user\"]\nrange = {{ field = \"id\", span = 50 }}\n"
        );
        for (name, segment) in strategies {
            text.push_str(&format!(
                "[strategy.{name}]\nkey = \"be4(user) || {segment}\"\n"
            ));
        }
        forecasts::<2>(&text)
    };
    let near = |found: f64, expected: f64, error: f64| {
        assert!((found / expected - 1.0).abs() < error, "{found} {expected}");
    };
    // Each user has written each of 1,000 ids, but for one in e^20. The MD5 sums of their decimals begin with 253 of 256 bytes, those of 0 to 9 with ten.
    let full = read(2_000_000);
    let expected = [500.0, 50.0, 500.0, 50.0, 70.0, 253.0, 500.0, 10.0];
    for (found, expected) in full.iter().zip(expected) {
        near(found[0][0], expected, 1e-4);
    }
    // Of any 50 ids in a row, or those up to the last one: steps are read whole, and a row has the newest of the ids that share it.
    let some = |of: &dyn Fn(i64, i64) -> i64| {
        let touched = (0..1_000).map(|from| of(from, (from + 50).min(1_000)) as f64);
        touched.sum::<f64>() / 1e3
    };
    let ids = some(&|from, to| to - from);
    for (at, ids_of_a_row) in [(0, 2.0), (1, 20.0), (2, 2.0), (3, 20.0)] {
        near(full[at][1][0], ids / ids_of_a_row, 0.01);
    }
    for (at, step) in [(0, 2), (1, 20)] {
        near(
            full[at][1][1],
            some(&|from, to| (to - 1) / step - from / step + 1),
            0.01,
        );
    }
    // 100 writes of each user, two in each step of 20 ids; the reader's own step has one for certain.
    let sparse = read(10_000);
    near(sparse[1][0][0], 49.0 * (1.0 - (-2.0f64).exp()) + 1.0, 1e-3);
    near(sparse[3][0][0], 49.0 * (1.0 - (-2.0f64).exp()) + 1.0, 1e-3);
}

/// Strategies with these keys, in the words of a file.
pub(super) fn strategies(keys: &[&str]) -> String {
    let keys = keys.iter().enumerate();
    keys.map(|(at, key)| format!("[strategy.s{at}]\nkey = \"{key}\"\n"))
        .collect()
}

/// Rows that reads want and read in the order of the file, of each strategy.
pub(super) fn forecasts<const READS: usize>(text: &str) -> Vec<[[f64; 2]; READS]> {
    let scenario = Scenario::parse(text, "counted").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let strategies = scenario.strategies.iter().zip(&firsts);
    let layouts = strategies.map(|(strategy, first)| Layout::of(strategy, first).reads);
    let counts = |reads: Vec<super::ReadForecast>| {
        std::array::from_fn(|at| [reads[at].rows_returned, reads[at].rows_read])
    };
    layouts.map(counts).collect()
}

#[test]
fn a_write_that_fixes_row_and_value_is_the_newest_of_its_own_rows_alone() {
    let found = forecasts::<2>(
        "[field]\ncustomer = { type = \"int\", count = 10 }\norder = { type = \"int\", count = 1_000 }\nstatus = { type = \"int\", count = 5 }\n\
         [write.any]\nrate = \"1/s\"\n[write.one]\nrate = \"1/s\"\nwith = { customer = 3, order = 7, status = 3 }\n\
         [existing.any]\nrecords = 100_000\n[existing.one]\nrecords = 300_000\n\
         [read.three]\nwith = { status = 3 }\n[read.two]\nwith = { status = 2 }\n\
         [strategy.orders]\nkey = \"be4(order)\"\n[strategy.both]\nkey = \"be1(customer) || be4(order)\"\n",
    );
    let near = |found: f64, expected: f64, error: f64| {
        assert!((found - expected).abs() < error, "{found} {expected}");
    };
    // 999 orders have 100 writes each, a fifth of them of either status; order 7 has 300,100, of status three but for 80. A row of the target more or less.
    near(found[0][0][0], 999.0 / 5.0 + 1.0, 0.2);
    near(found[0][1][0], 999.0 / 5.0, 0.2);
    // Of ten customers each has ten writes of an order: a row in e^10 is not there.
    near(found[1][0][0], 9_999.0 / 5.0 + 1.0, 0.4);
    near(found[1][1][0], 9_999.0 / 5.0, 0.4);
}

#[test]
fn rows_of_a_step_that_the_key_tells_have_the_value_of_their_newest_write() {
    let segments = [
        "be1(score / 10)",
        "be1(score % 10)",
        "be1(0)",
        "left(md5_bytes(score), 4)",
    ];
    let mut text = "[field]\nplayer = { type = \"int\", count = 100 }\nround = { type = \"int\", count = 100 }\n\
                    score = { type = \"int\", count = 100 }\n\
                    [write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 10_000_000\n[read.score]\nequal = [\"player\", \"score\"]\n\
                    [read.some]\nequal = [\"player\"]\nrange = { field = \"score\", span = 1 }\n"
        .to_owned();
    for (at, segment) in segments.iter().enumerate() {
        text.push_str(&format!(
            "[strategy.s{at}]\nkey = \"be1(player) || {segment} || be1(round)\"\n"
        ));
    }
    let found = forecasts::<2>(&text);
    // A player has 1,000 writes of each round, ten of each score. Of a step or a remainder the newest write has one of ten scores, of a round that the key tells no
    // score of one of 100, of a long hash one. The reader's own row is wanted once in as many writes more.
    for (found, expected) in found.into_iter().zip([10.0, 10.0, 1.0, 100.0]) {
        for [wanted, _] in found {
            assert!((wanted - expected).abs() < 0.02, "{wanted} {expected}");
        }
    }
}

#[test]
fn the_newest_of_a_kind_are_looked_for_on_hosts_that_have_none_to_the_end() {
    let found = forecasts::<2>(
        "[field]\nhost = { type = \"int\", count = 100 }\nkind = { type = \"text\", values = [\"cpu\", \"boot\"] }\n\
         ts = { type = \"timestamp\", unit = \"ms\" }\n\
         [write.cpu]\neach = [\"host\"]\nevery = \"1s\"\nwith = { kind = \"cpu\" }\n\
         [write.boot]\nrate = \"10k/s\"\nwith = { kind = \"boot\", host = 5 }\n\
         [existing.cpu]\nlast = \"1h\"\n[existing.boot]\nlast = \"1h\"\n\
         [read.boot]\nwith = { kind = \"boot\" }\nnewest = { field = \"ts\", rows = 100 }\n\
         [read.cpu]\nwith = { kind = \"cpu\" }\nnewest = { field = \"ts\", rows = 100 }\n\
         [strategy.hosts]\nkey = \"be4(host) || desc(be8(ts)) || kind\"\n",
    );
    // 99 hosts have 3,600 rows of another kind and a few of the run, all of which are read.
    let [boot, cpu] = found[0].map(|[_, read]| read);
    assert!(
        (boot / (99.0 * 3_600.0 + 100.0) - 1.0).abs() < 0.01,
        "{boot}"
    );
    // Host 5 has a row a millisecond, one in 1,001 of the other kind.
    assert!(
        (cpu / (99.0 * 100.0 + 100.0 * 1_001.0) - 1.0).abs() < 0.01,
        "{cpu}"
    );
}

#[test]
fn the_newest_rows_lie_before_or_behind_those_of_longer_values() {
    let text = |field: &str, write: &str, known: &str, key: &str| {
        format!(
            "[field]\nname = {{ {field} }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.w]\n{write}\n\
             [read.all]\nwith = {{ name = {known} }}\n[read.newest]\nwith = {{ name = {known} }}\nnewest = {{ field = \"ts\", rows = 5 }}\n\
             [strategy.s]\nkey = \"{key}\"\n"
        )
    };
    let listed = "type = \"text\", values = [\"h1\", \"h10\", \"h11\", \"h12\", \"h13\", \"h14\", \"h15\", \"h16\", \"h17\", \"h18\", \"h2\"]";
    let decimal = "type = \"int\", count = 100_000";
    let each = "each = [\"name\"]\nevery = \"1s\"\n[existing.w]\nlast = \"10m\"";
    let any = "rate = \"1/s\"\n[existing.w]\nrecords = 1_000_000";
    // Which part of the rows of longer names lies before the newest ones: the time begins with 0, from the greatest down with 0xff, in text with 17: as in h117,
    // behind which from the end h11 and h10 stand.
    let cases = [
        (listed, each, "\"h1\"", "name || desc(be8(ts))", 1.0),
        (listed, each, "\"h1\"", "name || be8(ts)", 1.0),
        (listed, each, "\"h1\"", "name || x'ff' || be8(ts)", 0.0),
        (
            listed,
            each,
            "\"h1\"",
            "name || x'00' || desc(be8(ts))",
            0.0,
        ),
        (listed, each, "\"h1\"", "name || text(ts)", 7.0 / 9.0),
        (decimal, any, "1", "text(name) || desc(be8(ts))", 1.0),
        (
            decimal,
            any,
            "1",
            "text(name) || desc(be8(ts)) || x'00'",
            1.0,
        ),
        // From the end those of 12 to 19, 120 to 199 and so on: of 17... a part.
        (decimal, any, "1", "text(name) || text(ts)", 0.8),
    ];
    for (field, write, known, key, part) in cases {
        let [[all, [wanted, newest]]] = forecasts::<2>(&text(field, write, known, key))[..] else {
            panic!("one strategy");
        };
        let expected = wanted + part * (all[1] - all[0]);
        // Ten values are looked at of nine.
        assert!(
            (newest - expected).abs() < 0.1 * expected,
            "{key}: {newest} {expected} of {all:?}"
        );
    }
}

#[test]
fn a_date_that_does_not_sort_and_a_day_of_the_week_have_the_rows_of_their_own_time() {
    // Fifty hosts write 72,000 rows a day. The days before 2026-06-02 are one of June, 31 of May, 30 of April and 28 of March; the last ten of them have three days of the
    // week twice, that of the last one among them.
    let text = |days: u32, field: &str| {
        let part = if field.starts_with("to_char") {
            "part"
        } else {
            "be1(part)"
        };
        format!(
            "[time]\nstart = 2026-06-02T00:00:00Z\n[field]\nhost = {{ type = \"int\", count = 50 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
             part = {{ expr = \"{field}\" }}\n[write.w]\neach = [\"host\"]\nevery = \"60s\"\n[existing.w]\nlast = \"{days}d\"\n\
             [read.last]\nequal = [\"part\"]\npick = {{ ts = {{ last = \"1h\" }} }}\n[read.any]\nequal = [\"part\"]\n\
             [strategy.time]\nkey = \"be4(host) || be8(ts)\"\n[strategy.part]\nkey = \"{part} || be4(host) || be8(ts)\"\n"
        )
    };
    let squares = |days: &[f64]| {
        let [sum, squares] = [1, 2].map(|power| days.iter().map(|it| it.powi(power)).sum::<f64>());
        squares / sum
    };
    for (days, field, last, any) in [
        (
            90,
            "to_char(ts, 'MM-yyyy')",
            1.0,
            squares(&[28.0, 30.0, 31.0, 1.0]),
        ),
        (
            10,
            "ts / 86400 % 7",
            2.0,
            squares(&[2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0]),
        ),
        (
            10,
            "to_char(ts, 'EEE')",
            2.0,
            squares(&[2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0]),
        ),
        (10, "to_char(ts, 'MM/dd/yyyy')", 1.0, 1.0),
        (10, "to_char(ts, 'yyyyMMddhh')", 1.0 / 12.0, 1.0 / 12.0),
    ] {
        let found = forecasts::<2>(&text(days, field));
        let [[of_last, of_any], [of_part, _]] = found[..] else {
            panic!("two strategies");
        };
        for (found, expected, error) in [
            (of_last[0], last, 0.01),
            (of_part[1], last, 0.01),
            (of_any[0], any, 0.05),
        ] {
            let expected = 72_000.0 * expected;
            assert!(
                (found / expected - 1.0).abs() < error,
                "{field}: {found} {expected}"
            );
        }
    }
}

/// Rows wanted by each read of each strategy, of a table without times.
fn wanted<const READS: usize>(text: &str) -> Vec<[f64; READS]> {
    let found = forecasts::<READS>(text).into_iter();
    found.map(|reads| reads.map(|[wanted, _]| wanted)).collect()
}

pub(super) fn assert_near(found: f64, expected: f64, error: f64) {
    assert!((found - expected).abs() < error, "{found} {expected}");
}

/// Probability that any of so many rows is there, as chance has it.
fn any(rows: f64) -> f64 {
    -(-rows).exp_m1()
}

#[test]
fn values_that_share_a_remainder_have_their_own_shares_of_its_rows() {
    let text = |weights: &str, writes: &str, key: &str| {
        format!(
            "[field]\nid = {{ type = \"int\", count = 1_000 }}\nst = {{ type = \"int\", count = 6{weights} }}\n{writes}\n\
             [read.zero]\nwith = {{ st = 0 }}\n[read.one]\nwith = {{ st = 1 }}\n[read.two]\nwith = {{ st = 2 }}\n\
             [strategy.s]\nkey = \"{key} || be4(id)\"\n"
        )
    };
    let any_write = "[write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 20_000";
    // Twenty writes of an id: a third of them have a value of 0 and 4, or of 1 and 5, a sixth has 2. A row of the reader's own more or less.
    let [[zero, one, two]] = wanted::<3>(&text("", any_write, "be1(st % 4)"))[..] else {
        panic!("one strategy");
    };
    assert_near(zero, 1_000.0 * any(20.0 / 3.0) / 2.0, 0.2);
    assert_near(one, 1_000.0 * any(20.0 / 3.0) / 2.0, 0.2);
    assert_near(two, 1_000.0 * any(20.0 / 6.0), 0.2);
    // By weights eight of sixteen writes have 0, four have 1, and 2, 3, 4 and 5 one each: 0 and 4 share a remainder, 1 and 5.
    let weights = ", distribution = { weights = [8, 4, 1, 1, 1, 1], ranked = true }";
    let [[zero, one, two]] = wanted::<3>(&text(weights, any_write, "be1(st % 4)"))[..] else {
        panic!("one strategy");
    };
    assert_near(zero, 1_000.0 * any(20.0 * 9.0 / 16.0) * 8.0 / 9.0, 0.2);
    assert_near(one, 1_000.0 * any(20.0 * 5.0 / 16.0) * 4.0 / 5.0, 0.2);
    assert_near(two, 1_000.0 * any(20.0 / 16.0), 1.0);
    // Five writes of an id have 0, five any of the six values: eight of the even ones, of which 0 has five and five sixths; two and a half of the odd ones.
    let two_writes = "[write.a]\nrate = \"1/s\"\nwith = { st = 0 }\n[write.b]\nrate = \"1/s\"\n\
                      [existing.a]\nrecords = 5_000\n[existing.b]\nrecords = 5_000";
    let [[zero, one, two]] = wanted::<3>(&text("", two_writes, "be1(st % 2)"))[..] else {
        panic!("one strategy");
    };
    assert_near(zero, 1_000.0 * any(7.5) * (5.0 + 5.0 / 6.0) / 7.5, 0.5);
    assert_near(one, 1_000.0 * any(2.5) / 3.0, 0.5);
    assert_near(two, 1_000.0 * any(7.5) * (5.0 / 6.0) / 7.5, 0.5);
}

#[test]
fn rows_of_steps_and_remainders_are_counted_by_the_law_of_their_field() {
    let keys = [
        "be4(id / 10)",
        "be4(id % 10) || be4(id % 4)",
        "be4(id / 10) || be4(id / 3)",
        "left(lpad(text(id), 4, '0'), 3)",
    ];
    let text = |law: &str| {
        let mut text = format!(
            "[field]\nh = {{ type = \"int\", count = 20 }}\nid = {{ type = \"int\", count = 1_000{law} }}\n\
             x = {{ type = \"int\", count = 2 }}\n[write.w]\nrate = \"1/s\"\n[existing.w]\nrecords = 3_000\n[read.x]\nequal = [\"x\"]\n"
        );
        for (at, key) in keys.iter().enumerate() {
            text.push_str(&format!("[strategy.s{at}]\nkey = \"be1(h) || {key}\"\n"));
        }
        text
    };
    let class = |at: usize, id: i64| match at {
        0 | 3 => (id / 10, 0),
        1 => (id % 20, 0),
        _ => (id / 10, id / 3),
    };
    for (law, weight) in [
        ("", &(|_| 1.0) as &dyn Fn(f64) -> f64),
        (
            ", distribution = { zipf = 1.2, ranked = true }",
            &|rank: f64| rank.powf(-1.2),
        ),
    ] {
        let all: f64 = (1..=1_000).map(|rank| weight(f64::from(rank))).sum();
        let found = forecasts::<1>(&text(law));
        for (at, [[wanted, read]]) in found.into_iter().enumerate() {
            let mut shares = std::collections::BTreeMap::new();
            for id in 0..1_000 {
                *shares.entry(class(at, id)).or_insert(0.0) += weight(id as f64 + 1.0) / all;
            }
            let of_class = shares
                .values()
                .map(|share| 20.0 * any(3_000.0 * share / 20.0));
            let expected: f64 = of_class.sum();
            // Values are taken together whose shares are alike within 42 %.
            assert!(
                (read / expected - 1.0).abs() < 0.01,
                "{at}{law}: {read} {expected}"
            );
            assert!(
                (wanted / expected - 0.5).abs() < 0.01,
                "{at}{law}: {wanted} {expected}"
            );
        }
    }
}

#[test]
fn writes_that_fix_what_the_key_tells_have_rows_of_their_own() {
    // Of 100 slots of order 10 one write has 90 of each, all with status 0; the other has one of slot 0 of each order, with status 1.
    let [[zero, one]] = wanted::<2>(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n[field]\nid = { type = \"int\", count = 1_000 }\nslot = { type = \"int\", count = 100 }\nst = { type = \"int\", count = 5 }\n\
         [write.a]\nrate = \"1/s\"\nwith = { st = 0, id = 10 }\n[write.b]\nrate = \"1/s\"\nwith = { st = 1, slot = 0 }\n\
         [existing.a]\nrecords = 9_000\n[existing.b]\nrecords = 1_000\n\
         [read.zero]\nwith = { st = 0 }\n[read.one]\nwith = { st = 1 }\n[strategy.s]\nkey = \"be4(id) || be4(slot)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    assert_near(zero, 100.0 - 1.0 / 91.0, 0.1);
    // The reader's own row is one of them with a probability of any(1), and else one more; the run itself writes one or two.
    assert_near(one, 999.0 * any(1.0) + 1.0 / 91.0 + 1.0 - any(1.0), 1.0);
    // Of each of 20 hosts 150 writes in 100 steps, and 150 of one value, all of which lie in step 3.
    let [[[_, read]]] = forecasts::<1>(
        "[time]\nduration = \"2s\"\nwarmup = \"1s\"\n[field]\nh = { type = \"int\", count = 20 }\nid = { type = \"int\", count = 1_000 }\nx = { type = \"int\", count = 2 }\n\
         [write.any]\nrate = \"1/s\"\n[write.one]\nrate = \"1/s\"\nwith = { id = 33 }\n\
         [existing.any]\nrecords = 3_000\n[existing.one]\nrecords = 3_000\n\
         [read.x]\nequal = [\"x\"]\n[strategy.s]\nkey = \"be1(h) || be4(id / 10)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    assert_near(read, 99.0 * 20.0 * any(1.5) + 20.0, 2.0);
}

#[test]
fn a_list_of_values_that_change_wants_no_more_rows_than_there_are() {
    let [[[wanted, read]]] = forecasts::<1>(
        "[field]\nid = { type = \"int\", count = 1_000 }\nst = { type = \"int\", count = 3 }\n[write.w]\nrate = \"1/s\"\n\
         [existing.w]\nrecords = 20_000\n[read.some]\nin = { st = 2 }\n[strategy.s]\nkey = \"be4(id)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    assert_near(wanted, 2_000.0 / 3.0, 0.2);
    assert_near(read, 1_000.0, 0.1);
}

#[test]
fn parts_of_one_time_have_the_values_that_its_table_has_together() {
    // From New Year to the middle of February: two months, 45 days, and each hour of 20 hosts is written 46 times.
    for (part, values) in [
        ("to_char(ts, 'MM-yyyy')", 2.0),
        ("to_char(ts, 'MM')", 2.0),
        ("to_char(ts, 'MM-yyyy') || to_char(ts, 'MM')", 2.0),
        ("to_char(ts, 'MM-yyyy') || to_char(ts, 'MM/dd/yyyy')", 45.0),
        ("to_char(ts, 'MM-yyyy') || to_char(ts, 'HH')", 48.0),
        ("be1(ts / 86400 % 7) || to_char(ts, 'MM-yyyy')", 14.0),
    ] {
        let text = format!(
            "[time]\nstart = 2026-02-15T00:00:00Z\nduration = \"2s\"\nwarmup = \"1s\"\n\
             [field]\nh = {{ type = \"int\", count = 20 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\nx = {{ type = \"int\", count = 2 }}\n\
             [write.w]\nrate = \"0.25/s\"\n[existing.w]\nlast = \"45d\"\n[read.x]\nequal = [\"x\"]\n\
             [strategy.s]\nkey = \"{part} || be1(h)\"\n"
        );
        let [[[wanted, read]]] = forecasts::<1>(&text)[..] else {
            panic!("one strategy");
        };
        // The run begins another day.
        let days = if part.contains("dd") { 1.0 } else { 0.0 };
        assert!(
            (20.0 * values * 0.999..=20.0 * (values + days) * 1.001).contains(&read),
            "{part}: {read}"
        );
        assert_near(wanted, read / 2.0, 0.01);
    }
}

#[test]
fn a_text_that_is_cut_reads_the_rows_of_its_beginning() {
    // Of 1,000 devices ten share three digits: of a hundred points each thirty thousand writes leave 1 - e^-3.
    let [[[wanted, read]]] = forecasts::<1>(
        "[field]\ndev = { type = \"int\", count = 1_000 }\nm = { type = \"int\", count = 100 }\n[write.w]\nrate = \"1/s\"\n\
         [existing.w]\nrecords = 30_000\n[read.dev]\nequal = [\"dev\"]\n[strategy.s]\nkey = \"left(lpad(text(dev), 4, '0'), 3) || be4(m)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    assert_near(read, 100.0 * any(3.0), 0.2);
    // The reader's own write is the newest of three others and itself in (1 - e^-3) / 3.
    let own = any(3.0) / 3.0;
    assert_near(
        wanted,
        10.0 * any(3.0) + own + (1.0 - own) / 10.0 - any(3.0) / 10.0,
        0.02,
    );
}

#[test]
fn a_known_time_under_an_identifier_of_seconds_is_the_rows_of_its_second() {
    // 1,000 rows a second for an hour, of 100 users.
    let text = "[field]\nuser = { type = \"int\", count = 100 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                [existing.w]\nrecords = 3_600_000\nlast = \"1h\"\n\
                [read.at]\nequal = [\"ts\"]\n[read.of-user-at]\nequal = [\"user\", \"ts\"]\n\
                [strategy.all]\nkey = \"ksuid(ts)\"\n[strategy.by-user]\nkey = \"be4(user) || ksuid(ts)\"\n";
    let scenario = Scenario::parse(text, "seconds").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let read = |strategy: usize, read: usize| {
        let layout = Layout::of(&scenario.strategies[strategy], &firsts[strategy]);
        layout.reads[read].rows_read
    };
    // The one that is asked for is there, and 999.999 others are expected, of a user 10.
    assert!((read(0, 0) - 1_001.0).abs() < 1.5, "{}", read(0, 0));
    assert!((read(1, 1) - 11.0).abs() < 0.1, "{}", read(1, 1));
}

#[test]
fn a_range_of_time_has_the_versions_that_are_kept_of_it() {
    // A value a second of each sensor: of the last minute 60, of the half minute that ended a minute ago 30.
    let text = "[field]\nsensor = { type = \"int\", count = 2_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                [write.w]\neach = [\"sensor\"]\nevery = \"1s\"\n[existing.w]\nlast = \"1h\"\n[family.d]\nversions = 1\n\
                [read.minute]\nequal = [\"sensor\"]\nrange = { field = \"ts\", last = \"60s\" }\n\
                [read.before]\nequal = [\"sensor\"]\nrange = { field = \"ts\", last = \"30s\", ago = \"60s\" }\n\
                [strategy.one]\nkey = \"be4(sensor)\"\n\
                [strategy.some]\nkey = \"be4(sensor)\"\noverride.family.d.versions = 75\n\
                [strategy.all]\nkey = \"be4(sensor)\"\noverride.family.d.versions = 100\n";
    let scenario = Scenario::parse(text, "versions").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    // One version is read as it is. 75 hold the last minute and the 15 s before it.
    for (at, expected) in [[1.0, 1.0], [60.0, 15.0], [60.0, 30.0]].iter().enumerate() {
        let reads = Layout::of(&scenario.strategies[at], &firsts[at]).reads;
        for (read, cells) in reads.iter().zip(expected) {
            // A write of an edge of the range is in it or not.
            assert!(
                (read.cells_returned - cells).abs() <= 1.0,
                "{} {cells}",
                read.cells_returned
            );
        }
    }
}

#[test]
fn rows_of_a_hash_of_two_fields_are_shared_out_by_what_changes() {
    // Of 6 values of h each is the newest of a sixth of the rows.
    let [[[all, _], [sixth, _]]] = forecasts::<2>(
        "[field]\nid = { type = \"int\", count = 20, distribution = { zipf = 1.0, ranked = true } }\nst = { type = \"int\", count = 3 }\n\
         h = { type = \"int\", count = 6 }\none = { type = \"int\", count = 1 }\nts = { type = \"timestamp\", unit = \"s\" }\n\
         [existing.w]\nrecords = 1_000\nlast = \"100d\"\n[read.all]\nequal = [\"one\"]\n[read.h]\nequal = [\"h\"]\n\
         [strategy.s]\nkey = \"be4(trunc(ts, '1d')) || left(md5(text(id) || '-' || text(st)), 1)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    // The reader's own write is one of 1.5 of its row, and has its h for certain when it is the newest: up to a row more, and as much again by how writes cluster.
    assert!((sixth - all / 6.0).abs() < 2.0, "{sixth} {all}");
}

#[test]
fn a_salt_of_what_stands_behind_it_adds_no_rows() {
    // 100 devices, a row a second for two days: each is a row of its own where the whole time is told, else 86,400 times of day are.
    let day = "be4(dev) || to_char(ts, 'yyyy') || to_char(ts, 'MMdd') || to_char(ts, 'HHmmss')";
    let clock = "to_char(ts, 'HHmmss')";
    let text = format!(
        "[time]\nduration = \"1s\"\nwarmup = \"0s\"\nstart = 2026-03-15T12:30:00Z\n\
         [field]\ndev = {{ type = \"int\", count = 100 }}\none = {{ type = \"int\", count = 1 }}\nitem = {{ type = \"int\", count = 50 }}\n\
         ts = {{ type = \"timestamp\", unit = \"s\" }}\n[existing.w]\neach = [\"dev\"]\nevery = \"1s\"\nlast = \"2d\"\n\
         [read.all]\nequal = [\"one\"]\n\
         [strategy.all]\nkey = \"salt(4, {day}) || {day}\"\n[strategy.clock]\nkey = \"be4(dev) || be1(bucket(4, {clock})) || {clock}\"\n\
         [strategy.step]\nkey = \"be1(bucket(8, be4(dev) || be4(item / 10))) || be4(dev) || be4(item / 10)\"\n\
         [strategy.twice]\nkey = \"{clock} || '-' || {clock} || be4(dev)\"\n",
    );
    let found: Vec<f64> = forecasts::<1>(&text)
        .iter()
        .map(|reads| reads[0][0])
        .collect();
    let clocks = 100.0 * 86_400.0;
    for (found, expected) in found.iter().zip([2.0 * clocks, clocks, 500.0, clocks]) {
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn the_newest_by_time_are_the_last_that_the_only_write_has_counted() {
    let text = |more: &str| {
        format!(
            "[field]\ncust = {{ type = \"int\", count = 1_000 }}\nord = {{ type = \"sequence\" }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [write.w]\nrate = \"100/s\"\n[existing.w]\nlast = \"2d\"\n{more}\
             [read.by-time]\nequal = [\"cust\"]\nnewest = {{ field = \"ts\", rows = 20 }}\n\
             [read.by-number]\nequal = [\"cust\"]\nnewest = {{ field = \"ord\", rows = 20 }}\n\
             [read.page]\nequal = [\"cust\"]\npage = {{ field = \"ts\", size = 20, number = 3, via = \"cursor\" }}\n\
             [read.skipped]\nequal = [\"cust\"]\npage = {{ field = \"ord\", size = 20, number = 3, via = \"offset\" }}\n\
             [strategy.number]\nkey = \"be4(cust) || be8(ord)\"\n[strategy.time]\nkey = \"be4(cust) || be8(ts) || be8(ord)\"\n"
        )
    };
    for reads in forecasts::<4>(&text("")) {
        // What is skipped is read.
        assert_eq!(reads, [[20.0; 2], [20.0; 2], [20.0; 2], [20.0, 60.0]]);
    }
    // Another write counts from one on as well: 8,640 rows of a customer of each are read and sorted.
    let [number, time] = forecasts::<4>(&text("[write.other]\nrate = \"100/s\"\n"))[..] else {
        panic!("two strategies");
    };
    for [by_number, by_time] in [[number[0][1], number[2][1]], [time[1][1], time[3][1]]] {
        assert!(
            by_number > 8_000.0 && by_time > 8_000.0,
            "{number:?} {time:?}"
        );
    }
    assert_eq!(
        [number[1][1], time[0][1], number[3][1], time[2][1]],
        [20.0, 20.0, 60.0, 20.0]
    );
}

#[test]
fn a_date_in_parts_and_a_time_as_a_double_are_in_the_order_of_time() {
    // 100 devices, a row a second for two days. Ten minutes of one are 600 rows, or one more at an edge.
    let keys = [
        "delim('/', to_char(ts, 'yyyy'), to_char(ts, 'MM'), to_char(ts, 'dd'), to_char(ts, 'HHmmss'))",
        "to_char(ts, 'yyyyMM') || to_char(ts, 'ddHHmmss')",
        "to_char(ts, 'yyyy') || '-' || to_char(ts, 'DDD') || to_char(ts, 'HHmmss')",
        "of8(ts)",
        "f8(ts)",
    ];
    let strategies = keys.iter().enumerate();
    let strategies =
        strategies.map(|(at, key)| format!("[strategy.s{at}]\nkey = \"be4(dev) || {key}\"\n"));
    let text = format!(
        "[time]\nduration = \"1s\"\nwarmup = \"0s\"\nstart = 2026-03-01T12:30:00Z\n\
         [field]\ndev = {{ type = \"int\", count = 100 }}\nts = {{ type = \"timestamp\", unit = \"s\" }}\n\
         [existing.w]\neach = [\"dev\"]\nevery = \"1s\"\nlast = \"2d\"\n\
         [read.recent]\nequal = [\"dev\"]\nrange = {{ field = \"ts\", last = \"10m\" }}\n\
         [read.newest]\nequal = [\"dev\"]\nnewest = {{ field = \"ts\", rows = 10 }}\n\
         {}",
        strategies.collect::<String>()
    );
    for [recent, newest] in forecasts::<2>(&text) {
        assert_near(recent[0], 600.0, 1.5);
        assert_near(recent[1], 600.0, 1.5);
        assert_eq!(newest, [10.0; 2]);
    }
}

#[test]
fn two_halves_of_a_number_tell_it() {
    // Of a million positions 632,121 have been written, each as often as another: a span of 1,000 has as large a part of its rows. The reader's own is there.
    let keys = [
        "be4(pos)",
        "left(lpad(pos, 6), 3) || right(lpad(pos, 6), 3)",
    ];
    let text = format!(
        "[field]\npos = {{ type = \"int\", count = 1_000_000 }}\n[existing.w]\nrecords = 1_000_000\n\
         [read.one]\nequal = [\"pos\"]\n[read.span]\nrange = {{ field = \"pos\", span = 1_000 }}\n{}",
        strategies(&keys)
    );
    for [one, span] in forecasts::<2>(&text) {
        assert_near(one[0], 1.0, 1e-6);
        assert_near(span[0], 1_000.0 * any(1.0), 1.0);
    }
}

#[test]
fn a_uuid_of_a_user_tells_the_user() {
    // Each of 1,000 users has a UUID of its own, and 100 of the rows, where one more is the reader's own.
    let text = "[field]\nuser = { type = \"int\", count = 1_000 }\nuid = { type = \"uuid\", of = \"user\" }\nn = { type = \"sequence\" }\n\
                [existing.w]\nrecords = 100_000\n[read.one]\nequal = [\"uid\"]\n[read.user]\nequal = [\"user\"]\n\
                [strategy.a]\nkey = \"uid\"\n[strategy.b]\nkey = \"uid || be8(n)\"\n[strategy.c]\nkey = \"md5_bytes(user)\"\n";
    let expected = [
        1.0, 1.0, 1.0, 1e3, 101.0, 101.0, 101.0, 1e5, 1.0, 1e3, 1.0, 1.0,
    ];
    let found = forecasts::<2>(text).concat().concat();
    for (found, expected) in found.into_iter().zip(expected) {
        assert_near(found, expected, 1e-3 * expected);
    }
}

#[test]
fn hours_of_the_day_that_have_expired_have_no_rows() {
    // A row a second of each user at random, kept for six hours: half a minute past twelve the hours 6 to 12 have rows, the last one thirty of them.
    let text = "[time]\nduration = \"4s\"\nwarmup = \"1s\"\nstart = 2026-03-03T12:00:30Z\n\
                [field]\nuser = { type = \"int\", count = 1_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                [family.d]\nttl = \"6h\"\n[write.hit]\nrate = \"1k/s\"\n[existing.hit]\nlast = \"2d\"\n\
                [read.all]\nequal = [\"user\"]\n\
                [strategy.clock]\nkey = \"be4(user) || be1(ts / 3600000 % 24)\"\n\
                [strategy.hour]\nkey = \"be4(user) || be4(ts / 3600000)\"\n";
    for [all] in forecasts::<1>(text) {
        assert_near(all[0], 7.0, 0.1);
    }
}

#[test]
fn the_newest_of_a_day_are_not_looked_for_by_number() {
    // Half of 30 days are behind the reader's day on average: numbers say nothing of it, and all rows are sorted.
    let [[[_, read]]] = forecasts::<1>(
        "[field]\ncust = { type = \"int\", count = 10 }\nord = { type = \"sequence\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         day = { expr = \"to_char(ts, 'yyyyMMdd')\" }\n[write.w]\nrate = \"1/s\"\n[existing.w]\nlast = \"30d\"\n\
         [read.of-day]\nequal = [\"cust\", \"day\"]\nnewest = { field = \"ts\", rows = 20 }\n[strategy.s]\nkey = \"be4(cust) || be8(ord)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    // 0.1 a second of each customer.
    assert_near(read, 259_200.0, 100.0);
}

#[test]
fn what_a_known_field_decides_says_which_scan_has_the_rows_however_the_key_tells_it() {
    // Three of four scans find no row of the reader's parcel and read all that they have.
    let found = forecasts::<1>(
        "[field]\nparcel = { type = \"int\", count = 400 }\ncust = { type = \"int\", count = 400, of = \"parcel\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         zone = { type = \"text\", values = [\"north\", \"south\", \"east\", \"west\"], of = \"parcel\" }\n[write.w]\nrate = \"1/s\"\n\
         [existing.w]\nrecords = 100_000\nlast = \"1d\"\n[read.last]\nequal = [\"parcel\"]\nnewest = { field = \"ts\", rows = 1 }\n\
         [strategy.whole]\nkey = \"rpad(zone, 5, '.') || desc(be8(ts)) || be4(parcel)\"\n\
         [strategy.letter]\nkey = \"left(zone, 1) || desc(be8(ts)) || be4(parcel)\"\n\
         [strategy.bucket]\nkey = \"be1(cust % 4) || desc(be8(ts)) || be4(parcel)\"\n",
    );
    let [whole, letter, bucket] = [0, 1, 2].map(|at: usize| found[at][0][1]);
    assert_near(letter, whole, 0.5);
    // Of 400 parcels a scan has 100 with a standard error of 8.7: the three others have 75,000 rows, or 0.2 % fewer, and the own one is read for some 250.
    for read in [whole, bucket] {
        assert!((74_000.0..76_000.0).contains(&read), "{read}");
    }
}

#[test]
fn two_fields_of_one_parent_share_out_the_rows_of_either() {
    // 37,500 rows of a city, some 7,500 in each of five scans: each reads its newest 20.
    let [[[wanted, read]]] = forecasts::<1>(
        "[field]\nhotel = { type = \"int\", count = 3_000, distribution = { zipf = 0.9 } }\ncity = { type = \"int\", count = 4, of = \"hotel\" }\n\
         stars = { type = \"int\", count = 5, of = \"hotel\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n[write.w]\nrate = \"1/s\"\n\
         [existing.w]\nrecords = 150_000\nlast = \"3d\"\n[read.city]\nequal = [\"city\"]\nnewest = { field = \"ts\", rows = 20 }\n\
         [strategy.s]\nkey = \"be1(city) || be1(stars) || desc(be8(ts)) || be4(hotel)\"\n",
    )[..] else {
        panic!("one strategy");
    };
    assert_near(wanted, 20.0, 0.01);
    assert_near(read, 100.0, 0.1);
}
