//! Rows that are written again under a salt: drawn for each write, it leaves the old versions where they are; computed from the row, it does
//! not.

use keyheat::experiment::Experiment;
use keyheat::layout::{Layout, Replicate};
use keyheat::scenario::{Scenario, Severity};

/// A thousand names and four salts, `records` rows written before. Scans are dear, so that the few rows are not read as a whole.
fn scenario(records: u32, write: &str) -> Scenario {
    let text = format!(
        "replicates = 2\n[time]\nduration = \"2s\"\n[cluster]\nservers = 4\n\
         [cluster.service]\nscan = \"1s\"\n\
         [field]\nn = {{ type = \"int\", count = 1000 }}\n\
         name = {{ expr = \"'foo' || lpad(n, 4, '0')\" }}\n{write}\n\
         [existing.put]\nrecords = {records}\nlast = \"1d\"\n\
         [read.one]\nequal = [\"n\"]\nrate = \"200/s\"\n\
         [read.five]\nin = {{ n = 5 }}\n\
         [table]\npresplit = ['b', 'c', 'd']\n\
         [strategy.salted]\nkey = \"nth('abcd', random(4)) || '-' || name\"\n\
         [strategy.hashed]\nkey = \"nth('abcd', bucket(4, name)) || '-' || name\"\n\
         [strategy.in-turn]\nkey = \"nth('abcd', round_robin(4)) || '-' || name\"\n\
         [strategy.of-its-own]\nkey = \"uuid4() || name\"\n"
    );
    Scenario::parse(&text, "again").unwrap_or_else(|error| panic!("{error}"))
}

fn layouts(scenario: &Scenario) -> Vec<Layout> {
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let strategies = scenario.strategies.iter().zip(&firsts);
    strategies
        .map(|(strategy, first)| Layout::of(strategy, first))
        .collect()
}

/// The warning of stale copies that a layout has.
fn warning(layout: &Layout) -> Option<&str> {
    let mut lints = layout.lints.iter();
    let found = lints.find(|lint| lint.message.contains("stale copies"))?;
    assert_eq!(found.severity, Severity::Warning);
    Some(&found.message)
}

#[test]
fn a_random_salt_keeps_a_copy_of_a_row_under_every_salt_that_was_drawn() {
    // A hundred writes of each name: that one salt was never drawn has the probability (3/4)^100, so all four copies are there.
    let scenario = scenario(100_000, "[write.put]\nrate = \"2k/s\"");
    let layouts = layouts(&scenario);
    let expected = [(1.0, 4.0, 4.0), (1.0, 1.0, 1.0), (1.0, 4.0, 4.0)];
    for (layout, (wanted, read, copies)) in layouts.iter().zip(expected) {
        let [one, five] = &layout.reads[..] else {
            panic!("two reads");
        };
        let plan = one.planned.plan.expected;
        let found = [plan.rows_returned, plan.rows_read, plan.copies];
        for (found, expected) in found.into_iter().zip([wanted, read, copies]) {
            assert!((found - expected).abs() < 1e-3, "{}", one.words);
        }
        assert!(
            (five.rows_returned - 5.0 * wanted).abs() < 1e-2,
            "{}",
            five.words
        );
        assert!((five.rows_read - 5.0 * read).abs() < 1e-2, "{}", five.words);
    }
    let words = &layouts[0].reads[0].words;
    assert!(
        words.contains("1 row wanted, 4 read; each row in 4 copies"),
        "{words}"
    );
    let said = warning(&layouts[0]).expect("stale copies are warned of");
    assert!(
        said.contains("strategy `salted`") && said.contains("under 4.0 of them"),
        "{said}"
    );
    assert!(
        warning(&layouts[1]).is_none(),
        "a computed salt replaces the row"
    );
    assert!(
        warning(&layouts[3]).is_none(),
        "an identifier of its own is a row of its own"
    );

    let results = Experiment::new(&scenario).run(|_| {});
    for (strategy, read) in results.strategies.iter().zip([4.0, 1.0]) {
        let measured = |metric: &str| strategy.measure(&format!("read.one.{metric}"));
        let mean = |metric: &str| measured(metric).and_then(|it| it.mean).unwrap();
        assert!(
            (mean("rows_read") - read).abs() < 1e-3,
            "{}",
            mean("rows_read")
        );
        assert!((mean("rows_returned") - 1.0).abs() < 1e-3);
    }
}

#[test]
fn few_writes_of_a_row_leave_fewer_copies_than_there_are_salts() {
    let layouts = layouts(&scenario(1_500, ""));
    // The name that is asked for was written once, and by each of the 1,499 other rows with the probability 1/1000; a write goes to one of
    // four salts: 4 (1 - 3/4 (1 - 1/4000)^1499) copies.
    let copies = 4.0 * (1.0 - 0.75 * (1.0 - 1.0 / 4_000.0f64).powi(1_499));
    let plan = layouts[0].reads[0].planned.plan.expected;
    // The planner's laws are those of rows drawn at random: the rounding of their numbers aside they give the same.
    for found in [plan.copies, plan.rows_read] {
        assert!(
            (found / copies - 1.0).abs() < 1e-2,
            "{found}, expected {copies}"
        );
    }
    assert!((plan.rows_returned - 1.0).abs() < 1e-3, "{plan:?}");
    // Of all names: 4,000 places and 1,000 names, each hit by one of 1,500 writes.
    let hit = |places: f64| places * (1.0 - (1.0 - 1.0 / places).powi(1_500));
    let said = warning(&layouts[0]).expect("stale copies are warned of");
    let mean = format!("under {:.1} of them", hit(4_000.0) / hit(1_000.0));
    assert!(said.contains(&mean), "{said}, expected {mean}");
}

#[test]
fn rows_that_come_once_leave_no_copies() {
    let text = "[field]\nn = { type = \"int\", count = 1000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                [write.put]\nrate = \"2k/s\"\n[existing.put]\nlast = \"1d\"\n[read.one]\nequal = [\"n\", \"ts\"]\n\
                [strategy.salted]\nkey = \"be1(random(16)) || be8(ts) || be4(n)\"\n";
    let scenario = Scenario::parse(text, "once").unwrap();
    let layouts = layouts(&scenario);
    assert_eq!(warning(&layouts[0]), None);
    let words = &layouts[0].reads[0].words;
    assert!(
        words.contains("1 row wanted, 1 read") && !words.contains("copies"),
        "{words}"
    );
}

/// A hundred writes of each name: that one of eight salts was never met has the probability (7/8)^100.
#[test]
fn a_salt_of_a_time_that_the_rest_of_the_key_does_not_tell_leaves_copies_as_a_drawn_one() {
    let text = "[field]\nn = { type = \"int\", count = 1000 }\nid = { type = \"sequence\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                [write.put]\nrate = \"2k/s\"\n[existing.put]\nrecords = 100_000\nlast = \"1d\"\n\
                [strategy.timed]\nkey = \"salt(8, be8(ts)) || be4(n)\"\n[strategy.numbered]\nkey = \"be1(bucket(8, id)) || be4(n)\"\n\
                [strategy.told]\nkey = \"salt(8, be8(ts)) || be4(n) || be8(ts)\"\n[strategy.of-the-row]\nkey = \"salt(8, be4(n)) || be4(n)\"\n";
    let scenario = Scenario::parse(text, "timed").unwrap_or_else(|error| panic!("{error}"));
    let layouts = layouts(&scenario);
    for layout in &layouts[..2] {
        let said = warning(layout).expect("stale copies are warned of");
        assert!(said.contains("under 8.0 of them"), "{said}");
    }
    assert_eq!([warning(&layouts[2]), warning(&layouts[3])], [None, None]);
}

#[test]
fn what_a_delete_writes_is_no_row_that_a_reader_gets() {
    // Ten jobs of each of a thousand users, and 50,000 deletes of other keys while the run lasts: who asks for one row's user gets that row and 9,999 / 1,000 others.
    let text = "[time]\nduration = \"10s\"\n[field]\nuser = { type = \"int\", count = 1000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                [write.done]\nrate = \"5k/s\"\nkind = \"delete\"\n[existing.job]\nrecords = 10_000\nlast = \"100s\"\n\
                [read.all]\nequal = [\"user\"]\n[strategy.a]\nkey = \"be4(user) || be8(ts)\"\n";
    let scenario = Scenario::parse(text, "deletes").unwrap_or_else(|error| panic!("{error}"));
    let plan = layouts(&scenario)[0].reads[0].planned.plan.expected;
    // 9,999 others fall on a user as Poisson's law has it, of variance 10: of 1,024 targets the mean has a standard error of 0.1.
    let found = [plan.rows_returned, plan.rows_read];
    assert!(found.iter().all(|it| (it - 11.0).abs() < 0.4), "{found:?}");
}
