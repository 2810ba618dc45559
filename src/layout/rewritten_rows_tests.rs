//! Reads of tables whose rows are written again and again, under keys that tell less than the fields that they are made of: the answers are counted by hand.

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
