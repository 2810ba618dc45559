//! Pages of a laid-out table: the key that a cursor continues behind is that of the very row before the page.

use super::key_sample::KeyedTable;
use super::{Layout, Replicate};
use crate::keyspace::Router;
use crate::query::Requests;
use crate::scenario::Scenario;
use crate::workload::{Choice, ReadBatch, ReadId, ReadSource};

/// 40,000 items of two shops, dearest first, in 20 regions.
const SCENARIO: &str = r#"
[field]
item = { type = "int", count = 40_000 }
shop = { type = "int", count = 2, of = "item" }
cost = { type = "int", count = 1_000_000, of = "item" }
[existing.items]
each = ["item"]
[read.first]
equal = ["shop"]
page = { field = "cost", size = 10, number = 1 }
[read.deep]
equal = ["shop"]
page = { field = "cost", size = 10, number = 1_000 }
[read.named]
equal = ["shop"]
page = { field = "cost", size = 10, number = 1_000, via = "index" }
[table]
presplit = { algorithm = "sampled", regions = 20 }
[strategy.rising]
key = "be1(shop) || be4(cost) || be4(item)"
[strategy.falling]
key = "be1(shop) || be4(999999 - cost) || be4(item)"
[strategy.salted]
key = "be1(random(2)) || be1(shop) || be4(999999 - cost) || be4(item)"
"#;

#[test]
fn a_deep_page_begins_behind_the_row_before_it() {
    let scenario = Scenario::parse(SCENARIO, "pages").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    for (strategy, first) in scenario.strategies.iter().zip(&firsts) {
        let layout = Layout::of(strategy, first);
        let workload = &strategy.setup.workload;
        let mut source = ReadSource::new(workload, first.generator.clone());
        let rows = KeyedTable::of(strategy, first).existing(40_000, Choice::Spread);
        let keys = rows.sorted();
        let router = Router::new(&layout.run.split_points);
        let reversed = strategy.name == "rising";
        let mut ask = |read: u8| -> Vec<Requests> {
            let mut batch = ReadBatch::default();
            source.sample(ReadId(read), 6, &mut batch);
            let of = |at: usize| {
                let mut requests = Requests::default();
                let target = batch.target(at, first.generator.width());
                let plan = &layout.reads[usize::from(read)].planned.plan;
                plan.requests(&target, first.population.as_ref(), &mut requests);
                requests
            };
            (0..batch.operations.len()).map(of).collect()
        };
        // The end that a scan begins at.
        let begins = |requests: &Requests, at: usize| {
            let ends = if reversed {
                &requests.stops
            } else {
                &requests.starts
            };
            ends.get(at).to_vec()
        };
        for (page, deep) in ask(0).iter().zip(ask(1)) {
            let scans = deep.scans.len();
            let mut rows = 0;
            for at in 0..scans {
                let key = begins(&deep, at);
                // A scan that runs forward begins at the key that follows.
                let cursor = if reversed {
                    &key[..]
                } else {
                    &key[..key.len() - 1]
                };
                rows += usize::from(keys.binary_search(&cursor).is_ok());
                // Half of the shop's rows lie before the page: five regions of ten, or two or three of each bucket's five.
                let far = router
                    .locate(&key)
                    .abs_diff(router.locate(&begins(page, at)));
                assert!(
                    (4 / scans..=6).contains(&(far as usize)),
                    "{}: {far} regions",
                    strategy.name
                );
            }
            assert_eq!(
                rows, 1,
                "{}: one of the scans begins behind a row",
                strategy.name
            );
            let read: f64 = deep.scans.iter().map(|scan| scan.rows_read).sum();
            assert!(
                (read - 10.0 * scans as f64).abs() < 0.5,
                "{}: {read} rows",
                strategy.name
            );
        }
        for named in ask(2) {
            let there = named
                .gets
                .iter()
                .filter(|key| keys.binary_search(key).is_ok());
            assert_eq!(
                (named.gets.len(), there.count()),
                (10, 10),
                "{}",
                strategy.name
            );
        }
    }
}

#[test]
fn rows_that_cost_nothing_do_not_make_the_scan_of_everything_the_cheapest_way() {
    let paths = |scan_row: &str| {
        let text = format!("{SCENARIO}[cluster.service]\nscan_row = \"{scan_row}\"\n");
        let text = text.replace("count = 40_000", "count = 4_000_000");
        let scenario = Scenario::parse(&text, "pages").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let layouts = scenario.strategies.iter().zip(&firsts);
        let reads = layouts.flat_map(|(strategy, first)| Layout::of(strategy, first).reads);
        reads.map(|read| read.planned.plan.path).collect::<Vec<_>>()
    };
    assert_eq!(paths("0us"), paths("1us"));
}
