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
    assert_eq!(retention.growth(strategy), [1.0]);
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
