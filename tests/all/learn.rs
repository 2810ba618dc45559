//! `keyheat learn`: what was put into a file comes out of it again, within the intervals that are stated.

use keyheat::data::Rows;
use keyheat::layout::{Asks, Layout, Replay, Replicate};
use keyheat::learn::{Learnt, Survey};
use keyheat::random::Seed;
use keyheat::scenario::{Scenario, Strategy};
use std::io::Cursor;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A key that is a line of CSV: 30 hours of some 10,800 rows.
const SCENARIO: &str = r#"
[time]
duration = "30h"
warmup = "1h"
sample = "1h"
[field]
customer = { type = "int", count = 2000, distribution = { zipf = 1.1 } }
shop = { type = "int", count = 5000, distribution = { zipf = 0.8 } }
desk = { type = "int", count = 20000 }
item = { type = "int", count = 1000, distribution = { zipf = 0.9, top = [0.3] } }
ts = { type = "timestamp", unit = "ms", late = { fraction = 0.05, up_to = "2h" } }
[write.orders]
rate = "0.1/s"
[strategy.csv]
key = "text(customer) || ',' || text(shop) || ',' || text(desk) || ',' || text(item) || ',' || text(ts)"
presplit = { algorithm = "none" }
"#;

fn learnt(strategy: &Strategy, layout: &Layout, seed: u64) -> Learnt {
    let replicate = Replicate::new(&strategy.setup, Seed(seed), 0);
    let mut file = String::from("customer,shop,desk,item,ts\n");
    for operation in Replay::new(strategy, &replicate, layout) {
        let Asks::Write { keys, .. } = operation.asks else {
            continue;
        };
        file += std::str::from_utf8(keys[0].as_bytes()).expect("digits and commas");
        file.push('\n');
    }
    let mut rows = Rows::read(Cursor::new(file), "orders.csv").expect("a header");
    Learnt::of(Survey::read(&mut rows, |_| {}).expect("rows"))
}

#[test]
fn what_a_simulation_wrote_is_learnt_again_within_the_stated_intervals() {
    let scenario = Scenario::parse(SCENARIO, "orders").expect("valid");
    let strategy = &scenario.strategies[0];
    let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, Seed(1), 0));
    let seeds: u64 = 200;
    let evens = AtomicUsize::new(0);
    let of_seed = &|seed: u64| {
        let learnt = learnt(strategy, &layout, seed);
        let fit = |at: usize| learnt.fields[at].fit.clone().expect("a law");
        let times = learnt.times().expect("times");
        let is_even = fit(2).exponent.is_none();
        evens.fetch_add(usize::from(is_even), Ordering::Relaxed);
        let exponent = |at: usize| fit(at).exponent.expect("no even law");
        assert!(
            (fit(3).top[0] - 0.3).abs() < 0.03,
            "seed {seed}: {:?}",
            fit(3).top
        );
        [
            ("rate", times.rate().unwrap(), 0.1),
            ("late", times.lateness().unwrap().fraction, 0.05),
            ("hour 7", times.by_hour().unwrap()[7], 0.1),
            ("exponent of customer", exponent(0), 1.1),
            ("customers", fit(0).values, 2000.0),
            ("exponent of shop", exponent(1), 0.8),
            ("shops", fit(1).values, 5000.0),
            ("desks", fit(2).values, 20000.0),
            ("exponent of item", exponent(3), 0.9),
            ("items", fit(3).values, 1000.0),
        ]
    };
    let halves = std::thread::scope(|scope| {
        let half = |from: u64| {
            scope.spawn(move || (from..=seeds).step_by(2).map(of_seed).collect::<Vec<_>>())
        };
        [half(1), half(2)].map(|half| half.join().expect("no panic"))
    });
    let found: Vec<_> = halves.into_iter().flatten().collect();
    let mut wrong = String::new();
    for at in 0..found[0].len() {
        let (name, _, truth) = found[0][at];
        let inside = found.iter().filter(|it| it[at].1.contains(truth)).count();
        let mean = found.iter().map(|it| it[at].1.value).sum::<f64>() / found.len() as f64;
        let below = found.iter().filter(|it| it[at].1.high < truth).count();
        let first = found[0][at].1;
        let line = format!(
            "{name}: {inside} of {seeds}, {below} too low, mean {mean}, truth {truth}, first {first:?}\n"
        );
        eprint!("{line}");
        // 95 % -+ three standard errors of 200: 90.4 to 99.6 %.
        let part = inside as f64 / found.len() as f64;
        if !(0.904..=0.996).contains(&part) {
            wrong += &line;
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    // An even law is taken for uneven beyond three standard deviations on one side: 0.13 % of the seeds.
    assert!(evens.into_inner() >= 198);
}
