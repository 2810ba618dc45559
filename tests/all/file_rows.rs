//! Rows of files: what is drawn and replayed is what stands in the file, counted here without keyheat.

use crate::binary::stderr_of;
use crate::workplace::{Workplace, assert_tells};
use keyheat::layout::{Asks, Layout, Replay, Replicate};
use keyheat::random::Seed;
use keyheat::scenario::{Options, Scenario};
use keyheat::time::SimTime;
use std::collections::BTreeMap;
use std::fmt::Write;

/// 2026-03-02T09:00:00Z in milliseconds.
const START: i64 = 1_772_442_000_000;

/// An order, four a second in the order of their arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    number: i64,
    customer: i64,
    country: &'static str,
    created: i64,
}

const COUNTRIES: [&str; 4] = ["de", "us, \"east\"", "fr", "łódź"];

fn orders(count: i64) -> Vec<Order> {
    let order = |number: i64| {
        // Low customers have most; every eleventh order is from abroad, every seventh up to 10 s late.
        let customer = (number * number * 7_919 + number * 31) % 97 % (1 + number % 40);
        let abroad = usize::from(number % 11 == 3);
        let late = if number % 7 == 5 {
            number * 37 % 101
        } else {
            0
        };
        Order {
            number,
            customer,
            country: COUNTRIES[(customer as usize + abroad) % 4],
            created: START + number * 250 - late * 100,
        }
    };
    (0..count).map(order).collect()
}

fn csv(orders: &[Order]) -> String {
    let mut file = String::from("number,note,customer,country,created\n");
    for order in orders {
        let (country, note) = (order.country.replace('"', "\"\""), order.number % 3);
        let Order {
            number,
            customer,
            created,
            ..
        } = order;
        writeln!(file, "{number},{note},{customer},\"{country}\",{created}").unwrap();
    }
    file
}

/// A key that holds a whole row, and one that begins with another field.
const HEAD: &str = r#"
replicates = 2
[time]
duration = "60s"
warmup = "0s"
sample = "20s"
[cluster]
servers = 4
[data.orders]
file = "orders.csv"
[field]
number = { from = "orders", type = "int", unique = true }
customer = { from = "orders", type = "int" }
country = { from = "orders", type = "text" }
at = { from = "orders", column = "created", type = "timestamp", unit = "ms" }
[strategy.number]
key = "text(number) || ';' || text(customer) || ';' || country || ';' || text(at)"
[strategy.country]
key = "country || ';' || text(customer) || ';' || text(number) || ';' || text(at)"
presplit = ['fr', 'us', "us, \"east\";2", '\xC5']
"#;

const REPLAYED: &str = r#"
[write.replayed]
replay = "orders"
time = "created"
speed = 5
"#;

const DRAWN: &str = "[write.drawn]\nrate = '2k/s'\n";

fn scenario(file: &str, text: &str) -> Result<Scenario, String> {
    let place = Workplace::new().with("orders.csv", file);
    let parsed = Scenario::parse_in(text, "orders", "", place.path(), &Options::default());
    parsed.map_err(|error| error.to_string())
}

/// The orders that strategy 0 writes, or 1, read back out of its keys, and when.
fn written(scenario: &Scenario, at: usize, replicate: u32) -> Vec<(SimTime, Order)> {
    let strategy = &scenario.strategies[at];
    let replicate = Replicate::new(&strategy.setup, Seed(7), replicate);
    let layout = Layout::of(strategy, &replicate);
    let order = |key: &[u8]| {
        let parts: Vec<&str> = std::str::from_utf8(key).unwrap().split(';').collect();
        let [one, customer, other, created] = parts[..] else {
            panic!("{parts:?} are not four parts");
        };
        let (number, country) = if at == 0 { (one, other) } else { (other, one) };
        Order {
            number: number.parse().unwrap(),
            customer: customer.parse().unwrap(),
            country: COUNTRIES.into_iter().find(|it| *it == country).unwrap(),
            created: created.parse().unwrap(),
        }
    };
    let replay = Replay::new(strategy, &replicate, &layout, 0);
    let written = replay.map(|operation| match operation.asks {
        Asks::Write { keys, .. } => (operation.at, order(keys[0].as_bytes())),
        Asks::Read { .. } => panic!("there are no reads"),
    });
    written.collect()
}

#[test]
fn a_replay_is_the_file_in_its_order_and_spacing_under_every_key_and_replicate() {
    let file = orders(3_000);
    let scenario = scenario(&csv(&file), &format!("{HEAD}{REPLAYED}")).unwrap();
    // A late row comes together with what came before it: 200 us of the run for a ms of the file, which lasts 150 s.
    let mut latest = 0;
    let mut expected = Vec::new();
    for order in &file {
        latest = latest.max(order.created - START);
        expected.push((SimTime::from_nanos(latest as u64 * 200_000), *order));
    }
    expected.retain(|(at, _)| *at < SimTime::from_nanos(60_000_000_000));
    assert_eq!(expected.len(), 1_200);
    let late = expected.windows(2).filter(|it| it[0].0 == it[1].0).count();
    assert!(late > 100, "only {late} rows are late");
    for (strategy, replicate) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert_eq!(written(&scenario, strategy, replicate), expected);
    }
    let told = scenario.render_warnings(false);
    assert_tells(
        &told,
        &["the run ends after 1,200 of 3,000 rows", "lasts 150s"],
    );
}

#[test]
fn saved_runs_fit_only_the_rows_that_they_were_made_of() {
    let mut file = orders(50);
    let text = format!("{HEAD}{DRAWN}");
    let fingerprint = |file: &[Order]| scenario(&csv(file), &text).unwrap().fingerprint();
    let before = fingerprint(&file);
    assert_eq!(before, fingerprint(&file));
    file.swap(17, 18);
    assert_ne!(before, fingerprint(&file));
}

#[test]
fn regions_of_a_replay_have_as_many_writes_as_the_file_has_keys_in_them() {
    let file = orders(900);
    let place = Workplace::new()
        .with("orders.csv", &csv(&file))
        .with("orders.toml", &format!("{HEAD}{REPLAYED}"));
    place.keyheat("run orders.toml --no-charts").success();
    let results = std::fs::read(place.path().join("output/orders/results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_slice(&results).unwrap();
    let found = &results["strategies"][1]["series"]["region_demand"];
    let starts: [&[u8]; 4] = [b"fr", b"us", b"us, \"east\";2", b"\xC5"];
    let mut expected = [0; 5];
    for order in &file {
        let key = format!("{};{};", order.country, order.customer);
        let region = starts.partition_point(|start| *start <= key.as_bytes());
        expected[region] += 1;
    }
    assert!(expected[2] > 0 && expected[3] > 0, "{expected:?}");
    assert_eq!(found, &serde_json::json!(expected));
}

#[test]
fn drawn_rows_are_whole_rows_and_each_as_likely() {
    let file = orders(400);
    let scenario = scenario(&csv(&file), &format!("{HEAD}{DRAWN}")).unwrap();
    let drawn = written(&scenario, 0, 0);
    assert_eq!(drawn, written(&scenario, 1, 0));
    let mut times: BTreeMap<Order, f64> = file.iter().map(|order| (*order, 0.0)).collect();
    for (_, order) in &drawn {
        *times.get_mut(order).expect("a row of the file") += 1.0;
    }
    // Chi-square with 399 degrees of freedom: 399 -+ 5 sqrt(2 x 399).
    let mean = drawn.len() as f64 / 400.0;
    let chi: f64 = times.values().map(|it| (it - mean).powi(2) / mean).sum();
    assert!((258.0..540.0).contains(&chi), "{chi}");
    // Two columns are correlated as they are in the file, -+ 5 standard errors of the correlation of a sample (delta method).
    let points = |orders: &mut dyn Iterator<Item = &Order>| -> Vec<[f64; 2]> {
        let place = |it: &Order| COUNTRIES.iter().position(|country| *country == it.country);
        orders
            .map(|it| [it.customer as f64, place(it).unwrap() as f64])
            .collect()
    };
    let correlation = |points: &[[f64; 2]]| {
        let mean = |of: &dyn Fn(&[f64; 2]) -> f64| {
            points.iter().map(of).sum::<f64>() / points.len() as f64
        };
        let middle = [0, 1].map(|at| mean(&|it| it[at]));
        let sd = [0, 1].map(|at| mean(&|it| (it[at] - middle[at]).powi(2)).sqrt());
        let z = |it: &[f64; 2]| [0, 1].map(|at| (it[at] - middle[at]) / sd[at]);
        let r = mean(&|it| z(it)[0] * z(it)[1]);
        let influence = |it: &[f64; 2]| {
            let [x, y] = z(it);
            (x * y - r * (x * x + y * y) / 2.0).powi(2)
        };
        (r, mean(&influence).sqrt())
    };
    let (truth, sd) = correlation(&points(&mut file.iter()));
    let (found, _) = correlation(&points(&mut drawn.iter().map(|(_, order)| order)));
    assert!(truth.abs() > 0.05, "{truth}");
    let error = sd / (drawn.len() as f64).sqrt();
    assert!(
        (found - truth).abs() < 5.0 * error,
        "{found} {truth} {error}"
    );
}

/// A column that follows from another, and a remainder of that one: who knows both knows the remainder alone.
#[test]
fn columns_that_depend_on_each_other_tell_of_each_other() {
    let mut file = String::from("customer,third\n");
    for row in 0..6_000u64 {
        let customer = row * row % 997;
        writeln!(file, "{customer},{}", customer % 3).unwrap();
    }
    let mut remainders = [0.0f64; 6];
    (0..6_000u64).for_each(|row| remainders[(row * row % 997 % 6) as usize] += 1.0 / 6_000.0);
    let expected = 1e6 * remainders.iter().map(|share| share * share).sum::<f64>();
    let text = "[data.orders]\nfile = \"orders.csv\"\n[field]\ncustomer = { from = \"orders\", type = \"int\" }\n\
                third = { from = \"orders\", type = \"int\" }\nsixth = { expr = \"customer % 6\" }\nts = { type = \"timestamp\" }\n\
                [existing.row]\nrecords = 1_000_000\nlast = \"1d\"\n[read.rows]\nequal = [\"third\", \"sixth\"]\n\
                [strategy.only]\nkey = \"be1(third) || be1(sixth) || be8(ts) || be4(customer)\"\n";
    let scenario = scenario(&file, text).unwrap();
    let strategy = &scenario.strategies[0];
    let layout = Layout::of(strategy, &Replicate::new(&strategy.setup, scenario.seed, 0));
    let plan = layout.reads[0].planned.plan.expected;
    for found in [plan.rows_returned, plan.rows_read] {
        // Of 4,096 rows that are compared, 1.4 million pairs have what is known: their number has a standard error of 0.1 %, as have 0.16 of their
        // shares, at most 2 % where rows of one customer come together; some hundreds of targets add 1 %. Twice the sum.
        assert!(
            (found / expected - 1.0).abs() < 0.06,
            "{found}, expected {expected}"
        );
    }
}

#[test]
fn rows_that_cannot_be_used_are_counted_named_and_refused_beyond_the_limit() {
    let file = orders(400);
    let text = csv(&file);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[5] = "4,1,,de,1".into();
    lines[8] = "7,1,x,de,1".into();
    lines[9] += ",more";
    // The number of the row before it: the third of the values that stand twice.
    lines[20] = lines[19].clone();
    let bad = lines.join("\n");
    let error = scenario(&bad, &format!("{HEAD}{DRAWN}")).unwrap_err();
    let named = [
        "3 of 400 rows can't be used",
        "line 6, column `customer`: the value is missing",
        "line 9, column `customer`: `x` is not a whole number",
        "line 10: the row has 6 columns, the header 5",
        "`malformed` allows 0 %",
    ];
    assert_tells(&error, &named);
    let limited = |share: &str| {
        let limit = format!("file = \"orders.csv\"\nmalformed = {share}");
        let head = HEAD.replace("file = \"orders.csv\"", &limit);
        scenario(&bad, &format!("{head}{REPLAYED}"))
    };
    assert!(limited("0.0074").is_err());
    let allowed = limited("0.0076").unwrap();
    assert_tells(&allowed.render_warnings(false), &named[..4]);
    let repeats = "line 21, column `number`: the value stands in line 20, too";
    assert_tells(&allowed.render_warnings(false), &["1 of 397 rows", repeats]);
    let mut expected = file;
    expected[19] = expected[18];
    expected.retain(|order| ![4, 7, 8].contains(&order.number));
    let found: Vec<Order> = written(&allowed, 0, 0).into_iter().map(|it| it.1).collect();
    assert_eq!(found, expected);
}

#[test]
fn of_more_rows_than_are_kept_any_is_as_likely_and_that_is_said() {
    let file = orders(10_000);
    let head = HEAD.replace("\"orders.csv\"", "\"orders.csv\"\nrows = 1000");
    let replayed = REPLAYED.replace("speed = 5", "speed = 100");
    let scenario = scenario(&csv(&file), &format!("{head}{replayed}")).unwrap();
    let told = scenario.render_warnings(false);
    assert_tells(
        &told,
        &["1,000 of 10,000 rows are kept, each as likely; a replay has no others"],
    );
    let found: Vec<i64> = written(&scenario, 0, 0)
        .iter()
        .map(|(_, order)| order.number)
        .collect();
    assert!(found.len() == 1_000 && found.is_sorted_by(|a, b| a < b));
    // Each tenth of the file has 100 of them: hypergeometric, variance 100 x 0.9 x 0.9, five standard deviations.
    for tenth in 0..10 {
        let there = found.iter().filter(|it| *it / 1_000 == tenth).count();
        assert!((55..=145).contains(&there), "tenth {tenth}: {there}");
    }
}

#[test]
fn every_file_that_people_have_is_read_or_refused_with_its_place() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/malformed/");
    let expected = std::fs::read(format!("{folder}expected.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
    let mut text = String::new();
    let mut fields = String::from("[field]\n");
    let mut cases = Vec::new();
    for (name, case) in expected["variants"].as_object().unwrap() {
        let file = format!("{folder}{}", case["files"][0].as_str().unwrap());
        let number: u32 = name[..2].parse().unwrap();
        if number > 31 || !std::fs::exists(&file).unwrap() {
            continue;
        }
        writeln!(text, "[data.d{number}]\nfile = '{file}'").unwrap();
        for (column, kind) in [
            ("customer_id", "text"),
            ("country", "text"),
            ("created_at", "timestamp"),
            ("amount", "double"),
        ] {
            let line = format!("{column}{number} = {{ from = 'd{number}', column = '{column}'");
            writeln!(fields, "{line}, type = '{kind}' }}").unwrap();
        }
        cases.push((file, case));
    }
    let rest = "[write.w]\nrate = '1k/s'\n[strategy.a]\nkey = 'country7'\n";
    let place = Workplace::new().with("files.toml", &format!("{text}{fields}{rest}"));
    let said = stderr_of(&place.keyheat("check files.toml").code(2));
    for (file, case) in &cases {
        let told = said.contains(&format!("`{file}`"));
        match case["expect"].as_str().unwrap() {
            "ok" => assert!(!told, "{file}: {said}"),
            _ => assert!(told, "{file}"),
        }
        if let Some(line) = case["line"].as_u64() {
            assert_tells(&said, &[&format!("`{file}`, line {line}")]);
        }
    }
    assert_eq!(cases.len(), 30);
}
