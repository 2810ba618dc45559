//! `keyheat learn`: what was put into a file comes out of it again, within the intervals that are stated.

use crate::binary::{command, stderr_of, stdout_of};
use crate::workplace::Workplace;
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
    for operation in Replay::new(strategy, &replicate, layout, 0) {
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

#[test]
fn values_that_do_not_fit_their_column_are_told_with_line_and_column() {
    let place = Workplace::new();
    let told = |name: &str, code: i32, words: &[&str]| {
        let file = format!("{}/tests/data/malformed/{name}", env!("CARGO_MANIFEST_DIR"));
        let ended = place
            .keyheat(&format!("learn {file} --out {name}.toml"))
            .code(code);
        let said = stderr_of(&ended);
        assert!(words.iter().all(|it| said.contains(it)), "{name}: {said}");
        assert_eq!(
            place.path().join(format!("{name}.toml")).exists(),
            code == 0,
            "{name}"
        );
    };
    told(
        "17-decimal-commas.csv",
        0,
        &["warning", "line 2, column `amount`", "1234.56"],
    );
    told(
        "18-thousands-separators.csv",
        0,
        &[
            "warning",
            "line 9, column `amount`",
            "`1,234.56`",
            "is text from here on",
        ],
    );
    told(
        "20-impossible-time.csv",
        2,
        &[
            "error",
            "line 8, column `created_at`",
            "2026-02-30T25:61:00Z",
        ],
    );
    told(
        "21-two-time-formats.csv",
        2,
        &["error", "line 13, column `created_at`"],
    );
    told("22-no-time-zone.csv", 0, &["warning", "UTC"]);
    told(
        "29-type-changes.jsonl",
        0,
        &["warning", "line 9, column `amount`"],
    );
    told(
        "30-missing-field.jsonl",
        0,
        &["warning", "line 9, column `country`: the value is missing"],
    );
}

/// 3,000 orders in order of arrival, one a second: a counter, a customer, the customer's region, a state, an amount and a time.
fn orders() -> String {
    let mut file = String::from("id,customer,region,state,amount,created_at\n");
    for at in 0..3_000_u64 {
        // A third of the orders are of three customers, the others of 500.
        let draw = at * 7_919 % 3_001;
        let customer = if draw < 1_000 { draw % 3 } else { draw % 500 };
        let (region, state) = (customer % 4, ["new", "paid"][(at % 2) as usize]);
        let (minute, second) = (at / 60 % 60, at % 60);
        file += &format!(
            "{},c{customer:04},r{region},{state},{}.5,2026-03-01 00:{minute:02}:{second:02}Z\n",
            7 + at,
            at % 90
        );
    }
    file
}

#[test]
fn a_file_of_orders_ends_in_a_scenario_with_the_keys_that_suit_it() {
    let place = Workplace::new().with("orders.csv", &orders());
    place.keyheat("learn orders.csv --out o.toml").success();
    let text = std::fs::read_to_string(place.path().join("o.toml")).unwrap();
    for line in [
        "id = { type = \"sequence\", first = 7 }",
        "customer = { expr = \"'c' || customer_number\" }",
        "region = { type = \"text\", values = [\"r1\",\"r2\",\"r0\",\"r3\"]",
        ", of = \"customer_number\" }",
        "created_at = { type = \"timestamp\", unit = \"ms\" }",
        "# amount: values seen: 90; no part of keys",
        "key = \"be8(created_at) || customer || be8(id)\"",
        "key = \"customer || be8(rev_ts(created_at)) || be8(id)\"",
        "key = \"be8(bit_reverse(id))\"",
        "# equal = [\"customer\"]",
        "# Do rows come late? The file is in the order of `created_at`, as if it had been sorted.",
        "records = 3000",
    ] {
        assert!(text.contains(line), "no `{line}` in:\n{text}");
    }
    let scenario = Scenario::parse(&text, "o").expect("valid");
    assert_eq!(scenario.strategies.len(), 6);
    // Each answer may be taken as it stands.
    let (head, questions) = text.split_once("\n# Is a row").expect("questions");
    let answered = questions
        .lines()
        .filter(|it| it.starts_with("# [") || it.contains(" = "));
    let answered = answered.filter(|it| !it.contains("late =") && !it.contains('?'));
    let answered: Vec<&str> = answered.map(|it| it.trim_start_matches("# ")).collect();
    let reads =
        Scenario::parse(&format!("{head}\n{}", answered.join("\n")), "o").expect("valid reads");
    assert_eq!(reads.strategies[0].setup.workload.reads.len(), 3);
    let again = stderr_of(&place.keyheat("learn orders.csv --out o.toml").code(2));
    assert!(again.contains("`o.toml` exists already"), "{again}");
    // The same from a pipe, but for the name.
    let piped = stdout_of(
        &command(place.path())
            .args(["learn", "-"])
            .stdin(orders())
            .assert()
            .success(),
    );
    assert_eq!(
        piped
            .replace("from standard input:", "from orders.csv:")
            .replace("of standard input,", "of orders.csv,"),
        text
    );
}

#[test]
fn many_rows_of_one_customer_say_no_more_of_the_law_of_regions_than_few() {
    // Of 4,000 rows 1,200 are of customer 7 of region 3; the others are seven of each of 400 customers, a quarter of them of each region. A customer may
    // count for a hundredth of all that count: (2,793 + c) / 100 = c is met by 28, and so region 3 has 693 + 28 rows.
    let mut file = String::from("customer,region,at\n");
    for at in 0..4_000_u64 {
        let customer = if at % 10 < 3 {
            7
        } else {
            (at / 10 * 7 + at % 10 - 3) % 400
        };
        let (minute, second) = (at / 60 % 60, at % 60);
        let hour = at / 3_600;
        file += &format!(
            "c{customer:04},r{},2026-03-01 {hour:02}:{minute:02}:{second:02}Z\n",
            customer % 4
        );
    }
    let place = Workplace::new().with("x.csv", &file);
    let draft = stdout_of(&place.keyheat("learn x.csv").success());
    for told in [
        "r3 47.5 %",
        "weights = [721,700,700,700]",
        "of = \"customer_number\"",
    ] {
        assert!(draft.contains(told), "no `{told}` in:\n{draft}");
    }
}

#[test]
fn what_has_no_part_of_a_key_is_no_scenario() {
    let place = Workplace::new().with("x.csv", "amount,unit\n1.5,eur\n2.5,eur\n");
    let said = stderr_of(&place.keyheat("learn x.csv").code(2));
    assert!(
        said.contains("no column of `x.csv` can be a part of a row key"),
        "{said}"
    );
}

/// The scenario that is learnt of a file, what was warned of, and the keys that it drafts, in the order of the file.
pub fn drafted(name: &str, rows: &str) -> (String, String, Vec<String>) {
    let place = Workplace::new().with(name, rows);
    let ended = place.keyheat(&format!("learn {name}")).success();
    let text = stdout_of(&ended);
    let keys = text.lines().filter_map(|it| it.strip_prefix("key = "));
    let keys = keys.map(|it| it.trim_matches('"').to_owned()).collect();
    (text.clone(), stderr_of(&ended), keys)
}

#[test]
fn numbers_of_orders_that_are_changed_soon_after_are_drafted_as_rising() {
    // 3,000 orders, one a second; a third of them is written again up to 60 s later: 4,000 rows, 1.33 of an order.
    let order = |at: i64| (at, at);
    let again = |at: i64| (at + 20 + at % 41, at);
    let made = (0..3_000).map(order);
    let mut rows: Vec<(i64, i64)> = made.chain((0..3_000).step_by(3).map(again)).collect();
    rows.sort_unstable();
    let told = |number: &dyn Fn(i64) -> String| {
        let row = |(at, order): &(i64, i64)| {
            let (number, customer) = (number(*order), order * 7_919 % 97);
            format!("{number},{customer},{}\n", 1_767_225_600 + at)
        };
        let rows: String = rows.iter().map(row).collect();
        drafted("o.csv", &format!("order,customer,ts\n{rows}"))
    };
    for (number, made) in [
        (
            (&|order: i64| (order + 500).to_string()) as &dyn Fn(i64) -> String,
            "order_number * 100 / 133",
        ),
        (
            &|order: i64| format!("o-{:06}", order + 500),
            "'o-' || lpad(order_number * 100 / 133, 6)",
        ),
    ] {
        let (text, said, keys) = told(number);
        let expected = format!(
            "order_number = {{ type = \"sequence\", first = 665 }}\norder = {{ expr = \"{made}\" }}"
        );
        assert!(text.contains(&expected), "{text}");
        assert!(
            said.contains("the values of `order` come one after another"),
            "{said}"
        );
        // It tells rows apart, behind what readers ask for.
        let is_behind = |key: &String| {
            key.find("order")
                .is_none_or(|at| at > 0 && !key.starts_with("be4(order"))
        };
        assert!(keys.iter().all(is_behind), "{keys:?}");
        assert!(keys.iter().any(|it| it.contains("order")), "{keys:?}");
    }
    // Users who stay are no orders: each of 1,000 has its number from its first row on, and all of them go on writing.
    let user = |at: i64| {
        if at % 4 == 0 {
            at / 4
        } else {
            at * 7_919 % (at / 4 + 1)
        }
    };
    let row = |at: i64| format!("{},{}\n", user(at), 1_767_225_600 + at);
    let (text, ..) = drafted(
        "u.csv",
        &format!("user,ts\n{}", (0..4_000).map(row).collect::<String>()),
    );
    assert!(text.contains("user = { type = \"int\""), "{text}");
}

#[test]
fn values_that_come_one_after_another_are_drafted_so_and_lead_no_key() {
    // 80 batches of 50 rows, a row each 10 ms; the same in the opposite order is the same history.
    let row = |at: i64| format!("{},{}\n", at / 50, 1_767_225_600_010 + 10 * at);
    let forwards: String = (0..4_000).map(row).collect();
    let backwards: String = (0..4_000).rev().map(row).collect();
    for rows in [forwards, backwards] {
        let (text, said, keys) = drafted("m.csv", &format!("batch,ts\n{rows}"));
        assert!(
            text.contains("batch_number = { type = \"sequence\", first = 0 }\nbatch = { expr = \"batch_number / 50\" }"),
            "{text}"
        );
        assert!(
            said.contains("the values of `batch` come one after another"),
            "{said}"
        );
        assert!(keys.iter().all(|it| !it.contains("batch")), "{keys:?}");
        // Under a key that leads with it, one of 8 servers takes all.
        let led = format!("{text}\n[strategy.led]\nkey = \"be4(batch) || be8(ts)\"\n");
        let place = Workplace::new().with("led.toml", &led);
        let told = stdout_of(
            &place
                .keyheat("run led.toml --quick --only led --out output")
                .success(),
        );
        assert!(
            told.contains("Moving hotspot") && told.contains("8.0×"),
            "{told}"
        );
    }
    // A file that is sorted by customer, and by time within each, says nothing of the order in which customers came.
    let sorted = (0..4_000).map(|at| format!("{},{}\n", at / 50, 1_767_225_600 + at % 50 * 80));
    let (text, ..) = drafted(
        "s.csv",
        &format!("customer,ts\n{}", sorted.collect::<String>()),
    );
    assert!(
        text.contains("customer = { type = \"int\", first = 0, count = 80 }"),
        "{text}"
    );
    // Nor is a state that most rows have one that came after another.
    let states = (0..4_000).map(|at| format!("{},{}\n", i64::from(at % 20 != 3), row(at).trim()));
    let (text, ..) = drafted(
        "t.csv",
        &format!("state,batch,ts\n{}", states.collect::<String>()),
    );
    assert!(text.contains("state = { type = \"int\""), "{text}");
}

#[test]
fn dates_and_hours_of_the_time_are_made_of_it_and_the_finest_time_is_that_of_the_row() {
    // 2,000 rows in 14 days from 2026-01-01 on, one every ten minutes and one second.
    let columns = |at: i64| {
        let seconds = at * 601;
        let (day, second) = (1 + seconds / 86_400, seconds % 86_400);
        let (hour, shop) = (second / 3_600, at * 7_919 % 50);
        let created = format!(
            "2026-01-{day:02}T{hour:02}:{:02}:{:02}Z",
            second / 60 % 60,
            second % 60
        );
        let bucket = (1_767_225_600 + seconds) / 3_600;
        [
            format!("2026-01-{day:02}"),
            format!("202601{day:02}"),
            bucket.to_string(),
            hour.to_string(),
            shop.to_string(),
            created,
        ]
    };
    let names = ["day", "yyyymmdd", "bucket", "hour", "shop", "created_at"].map(str::to_owned);
    let rows = || std::iter::once(names.clone()).chain((0..2_000).map(columns));
    let forwards: String = rows().map(|it| it.join(",") + "\n").collect();
    let reversed = rows().map(|it| it.into_iter().rev().collect::<Vec<_>>().join(",") + "\n");
    for file in [forwards, reversed.collect()] {
        let (text, _, keys) = drafted("m.csv", &file);
        for line in [
            "day = { expr = \"trunc(created_at, '1d')\" }",
            "yyyymmdd = { expr = \"to_char(created_at, 'yyyyMMdd')\" }",
            "bucket = { expr = \"created_at / 3600000\" }",
            "hour = { expr = \"created_at / 3600000 % 24\" }",
            "created_at = { type = \"timestamp\", unit = \"ms\" }",
        ] {
            assert!(text.contains(line), "no `{line}` in:\n{text}");
        }
        let keys: Vec<&str> = keys.iter().take(2).map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "be8(created_at) || be4(shop)",
                "be4(shop) || be8(created_at)"
            ]
        );
    }
}

#[test]
fn counts_since_1970_are_times_whatever_the_column_is_called() {
    let learnt = |number: &dyn Fn(i64) -> String| {
        let rows = (0..3_000).map(|at| format!("{},{}\n", at * 7_919 % 200, number(at)));
        drafted("e.csv", &format!("tenant,ms\n{}", rows.collect::<String>()))
    };
    // A row each 20 ms and a bit, from 2026-01-01 on: 3,000 in a minute.
    let millis = |at: i64| 1_767_225_600_002 + at * 20 + at % 7;
    for (unit, number) in [
        (
            "ms",
            &(|at| millis(at).to_string()) as &dyn Fn(i64) -> String,
        ),
        ("ms", &|at| {
            format!("{}.{:03}", millis(at) / 1_000, millis(at) % 1_000)
        }),
        ("us", &|at| (millis(at) * 1_000 + at % 900).to_string()),
        // Whole seconds are finer in a run that is faster.
        ("ms", &|at| (millis(at) / 1_000).to_string()),
    ] {
        let (text, ..) = learnt(number);
        let field = format!("ms = {{ type = \"timestamp\", unit = \"{unit}\" }}");
        assert!(text.contains(&field), "no `{field}` in:\n{text}");
        assert!(!text.contains("The file has no times"), "{text}");
    }
    // Numbers that simply count, or that come in no order, are none.
    let (text, ..) = learnt(&|at| (1_500_000_000 + at).to_string());
    assert!(text.contains("ms = { type = \"sequence\""), "{text}");
    let (text, ..) = learnt(&|at| (1_500_000_000 + at * 7_919 % 3_001 * 1_000).to_string());
    assert!(text.contains("ms = { type = \"int\""), "{text}");
}

#[test]
fn a_key_has_no_more_columns_than_tell_rows_apart_and_leads_with_what_is_asked_for() {
    // 40 devices, each every ten seconds, four of them a second; each reading is one of 100, the floor one of three.
    let row = |at: i64| {
        let second = 1_767_225_600 + at / 4;
        let (device, reading) = (at % 40, at * at % 97 + at % 4);
        format!("{},{device},{second},{reading}\n", at * 31 % 7 % 3)
    };
    let rows: String = (0..4_000).map(row).collect();
    let (text, _, keys) = drafted("d.csv", &format!("floor,device,epoch,reading\n{rows}"));
    assert_eq!(keys[1], "be4(device) || be8(epoch)");
    assert!(text.contains("# equal = [\"device\"]"), "{text}");
    // Two metrics of each at the same time: both columns are needed, and the device is asked for.
    let twice = (0..4_000).map(|at| format!("{},{}", at % 2, row(at / 2)));
    let file = format!(
        "metric,floor,device,epoch,reading\n{}",
        twice.collect::<String>()
    );
    let (text, _, keys) = drafted("m.csv", &file);
    assert_eq!(keys[1], "be4(device) || be4(metric) || be8(epoch)");
    assert!(text.contains("# equal = [\"device\"]"), "{text}");
}

/// So many rows of a file with that header.
pub fn file(header: &str, rows: i64, row: impl Fn(i64) -> String) -> String {
    let lines = (0..rows).map(|at| row(at) + "\n");
    std::iter::once(format!("{header}\n"))
        .chain(lines)
        .collect()
}

/// A number that looks random, of a row.
pub fn mixed(at: i64) -> u64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 8
}

#[test]
fn a_key_leads_with_what_comes_again_and_a_measure_tells_rows_apart_at_most() {
    // 300 users of ten orders each on average; prices in cents, of which hardly one comes twice.
    let order = |at: i64| {
        let (user, price) = (mixed(at) % 300, mixed(at + 9_999) % 1_000_000);
        format!("{user},{price},{}", mixed(at) % 20)
    };
    let time = |at: i64| 1_767_225_600_000_i64 + at * 1_000;
    let rows = file("id,user_id,price,qty,created_at", 3_000, |at| {
        format!(
            "{at:08x}-0000-4000-8000-{:012x},{},{}",
            mixed(at) >> 16,
            order(at),
            time(at)
        )
    });
    let (text, _, keys) = drafted("o.csv", &rows);
    assert_eq!(keys[1], "be4(user_id) || be8(created_at) || id", "{text}");
    assert!(text.contains("# equal = [\"user_id\"]"), "{text}");
    // Without an id, and 20 rows a second of which some 200 in all are of the same user: the price tells them apart, and stands last.
    let rows = file("user_id,price,qty,created_at", 3_000, |at| {
        format!("{},{}", order(at), time(at / 20) / 1_000)
    });
    let (_, _, keys) = drafted("p.csv", &rows);
    assert_eq!(keys[1], "be4(user_id) || be8(created_at) || be4(price)");
    // A part of a large table has most of a million users once; they are what readers ask by all the same.
    let rows = file("created_at,user_id,country", 3_000, |at| {
        let country = ["DE", "FR", "AT"][(mixed(at + 5) % 3) as usize];
        format!("{},{},{country}", time(at), mixed(at) % 1_000_000)
    });
    let (text, _, keys) = drafted("u.csv", &rows);
    assert_eq!(keys[1], "be4(user_id) || be8(created_at)", "{text}");
    // Of numbers below zero nobody asks for one.
    let rows = file("delta,user,at", 3_000, |at| {
        format!(
            "{},u{:03},{}",
            mixed(at + 7) as i64 % 1_001 - 500,
            mixed(at) % 500,
            time(at)
        )
    });
    let (_, _, keys) = drafted("d.csv", &rows);
    assert_eq!(keys[1], "user || be8(at)");
}

#[test]
fn what_counts_within_each_customer_stands_behind_it_and_leads_no_key() {
    // 97 customers, the first of which have the most orders; each numbers its own from 1 on.
    let mut orders = [0; 97];
    let mut row = |at: i64| {
        let customer = (mixed(at) % 97).min(mixed(at + 5_000) % 97) as usize;
        orders[customer] += 1;
        let (number, time) = (orders[customer], 1_767_225_600 + at / 2);
        format!("{},{number},{time}\n", 100_000 + 7 * customer)
    };
    let mut rows: Vec<String> = (0..4_000).map(&mut row).collect();
    for _ in 0..2 {
        let text = format!("cust,order_no,created\n{}", rows.concat());
        let (text, _, keys) = drafted("c.csv", &text);
        for told in [
            "order_no = { type = \"sequence\", first = 1 }",
            "it counts within each `cust`",
            "# equal = [\"cust\"]",
        ] {
            assert!(text.contains(told), "no `{told}` in:\n{text}");
        }
        assert_eq!(keys[1], "be4(cust) || be8(created) || be4(order_no)");
        let is_behind = |key: &String| key.find("be4(cust)") < key.find("be4(order_no)");
        assert!(keys.iter().all(is_behind), "{keys:?}");
        // In any order of the rows, such as that of the customers.
        rows.sort();
    }
    // Each of 30 shops has each of 100 items once: a grid, of which neither counts within the other; nor do ratings within a user.
    let grid = |at: i64| {
        let at = at * 7_919 % 3_000;
        format!("{},{}", at / 100, at % 100)
    };
    let ratings = |at: i64| format!("{},{}", mixed(at) % 300, mixed(at + 9) % 10);
    for (name, text) in [
        ("grid", file("shop,item", 3_000, grid)),
        ("ratings", file("user,rating", 3_000, ratings)),
    ] {
        let (text, ..) = drafted("g.csv", &text);
        assert!(!text.contains("counts within"), "{name}: {text}");
    }
}

#[test]
fn objects_within_rows_and_what_is_the_same_in_all_rows_are_no_part_of_keys() {
    let row = |at: i64| {
        let (device, shop) = (mixed(at) % 300, mixed(at + 9) % 40);
        format!(
            "{{\"dev\": {{\"id\": \"sn-{device:03}\", \"fw\": 1}}, \"at\": {}, \"shop\": {shop}, \"tags\": [\"a\"], \"zone\": 7}}\n",
            1_767_225_600 + at
        )
    };
    let (text, said, keys) = drafted("d.jsonl", &(0..3_000).map(row).collect::<String>());
    assert!(
        said.contains("the values of `dev` are JSON objects, whose parts can't be named"),
        "{said}"
    );
    for told in [
        "whose parts can't be named: make columns of these; no part of keys\n",
        "# tags: values seen: 1, [\"a\"] 100 %; no part of keys\n",
        "# zone: values seen: 1, 7 100 %; no part of keys\n",
    ] {
        assert!(text.contains(told), "no `{told}` in:\n{text}");
    }
    assert_eq!(keys[..2], ["be8(at) || be4(shop)", "be4(shop) || be8(at)"]);
    // Names in braces are none.
    let names = |at: i64| format!("{{{}}},{}", mixed(at) % 300, 1_767_225_600 + at);
    let (_, said, keys) = drafted("n.csv", &file("name,at", 3_000, names));
    assert!(
        !said.contains("JSON") && keys[1].starts_with("name"),
        "{keys:?}"
    );
}

/// The identity of a row.
type Id<'a> = &'a dyn Fn(i64) -> String;

#[test]
fn identities_that_follow_time_are_drafted_so_or_lead_no_key() {
    let time = |at: i64| 1_767_225_600_000_u64 + at as u64 * 997;
    let seventh = |at: i64| {
        let (ms, random) = (time(at), mixed(at));
        format!(
            "{:08x}-{:04x}-7{:03x}-8{:03x}-{:012x}",
            ms >> 16,
            ms & 0xffff,
            random & 0xfff,
            random >> 12 & 0xfff,
            random >> 8
        )
    };
    let ulid = |at: i64| {
        let letter = |digit: u64| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit as usize & 31] as char;
        let of_time = (0..10).rev().map(|place| letter(time(at) >> (5 * place)));
        of_time
            .chain((0..16).map(|place| letter(mixed(at + 5_000 * place))))
            .collect::<String>()
    };
    let first = |at: i64| {
        let ticks = time(at) * 10_000 + 0x01b2_1dd2_1381_4000;
        format!(
            "{:08x}-{:04x}-1{:03x}-8000-001122334455",
            ticks & 0xffff_ffff,
            ticks >> 32 & 0xffff,
            ticks >> 48
        )
    };
    let drafts: [(&str, Id<'_>, &str); 9] = [
        (
            "uuid7",
            &seventh,
            "id_made_at = { type = \"timestamp\", unit = \"ms\" }\nid = { expr = \"uuid7(id_made_at)\" }",
        ),
        ("ulid", &ulid, "id = { expr = \"ulid(id_made_at)\" }"),
        (
            "order",
            &|at| format!("ORD-{:06}", 17 + at),
            "id_number = { type = \"sequence\", first = 17 }\nid = { expr = \"'ORD-' || lpad(id_number, 6)\" }",
        ),
        // A Snowflake each 997 ms: 997 << 22 apart, which goes 3,983 times into the first.
        (
            "snowflake",
            &|at| ((time(at) - 1_288_834_974_657) << 22).to_string(),
            "id = { expr = \"id_number * 4181721088\" }",
        ),
        (
            "sorted",
            &|at| (1 + at * 100_000_000_000_000).to_string(),
            "id_number * 100000000000000",
        ),
        (
            "objectid",
            &|at| format!("{:08x}{:016x}", time(at) / 1_000, mixed(at) << 8),
            "id = { expr = \"hex(be4(id_made_at)) || id_rest\" }",
        ),
        (
            "uuid1",
            &first,
            "be4((id_made_at * 10 + 122192928000000000) % 4294967296) || id_rest",
        ),
        (
            "unknown",
            &|at| {
                format!(
                    "k{:07}{:06x}z",
                    3_000_000 + at / 20,
                    mixed(at) % 0x0100_0000
                )
            },
            "id_number = { type = \"sequence\", first = 0 }",
        ),
        (
            "falling",
            &|at| (-at).to_string(),
            "id = { expr = \"0 - id_number\" }",
        ),
    ];
    for (name, id, field) in drafts {
        let rows = file("id,cust", 3_000, |at| {
            format!("{},{}", id(at), mixed(at) % 300)
        });
        let (text, _, keys) = drafted("i.csv", &rows);
        assert!(text.contains(field), "{name}: no `{field}` in:\n{text}");
        assert!(!text.contains("bit_reverse") || name == "order", "{text}");
        assert!(text.contains("[strategy.by-id]"), "{text}");
        let place = Workplace::new().with("i.toml", &text);
        let ran = place.keyheat("run i.toml --quick --only by-id --out output");
        let told = stdout_of(&ran.success());
        // One of 8 servers takes all at a time.
        assert!(
            told.contains("Moving hotspot") && told.contains("8.0×"),
            "{name}, {}: {told}",
            keys[0]
        );
    }
    // Version 4 is random in any order.
    let random = |at: i64| format!("{:08x}-0000-4000-8000-{:012x},1", at, mixed(at) >> 16);
    let (text, said, _) = drafted("r.csv", &file("id,cust", 3_000, random));
    assert!(
        text.contains("id = { type = \"uuid\" }") && !said.contains("come one after"),
        "{said}"
    );
}

#[test]
fn what_texts_have_in_common_stands_in_front_of_what_is_drawn_of_them() {
    // 2,000 addresses, of one to three digits.
    let rows = file("ip,at", 6_000, |at| {
        format!("2001:db8::{:x},{}", mixed(at) % 2_000, 1_767_225_600 + at)
    });
    let (text, ..) = drafted("ip.csv", &rows);
    for line in [
        "ip_rest = { type = \"text\", length = 3, alphabet = \"0123456789abcdef\", count = ",
        "ip = { expr = \"'2001:db8::' || ip_rest\" }",
        "# Texts of `ip` are made up",
        "at = { type = \"timestamp\", unit = \"ms\" }",
    ] {
        assert!(text.contains(line), "no `{line}` in:\n{text}");
    }
    // The first of many items say nothing of the others.
    let rows = file("item,at", 8_000, |at| {
        let land = ["DE", "FR", "US", "AT"][at as usize / 2_000];
        format!("{land}-{:08x},{}", mixed(at) as u32, 1_767_225_600 + at)
    });
    let (text, ..) = drafted("items.csv", &rows);
    assert!(!text.contains("'DE"), "{text}");
    // Nine of ten names are one letter, so that the mean is not two: of as many there would be 676.
    let name = |at: i64| {
        let letter =
            |place: u32| char::from(b'a' + (mixed(at) % 2_000 / 26_u64.pow(place) % 26) as u8);
        match at % 10 {
            0 => (0..3).map(letter).collect(),
            _ => "q".to_owned(),
        }
    };
    let rows = file("name,at", 30_000, |at| {
        format!("{},{}", name(at), 1_767_225_600 + at)
    });
    let (text, ..) = drafted("n.csv", &rows);
    assert!(text.contains("type = \"text\", length = 3, "), "{text}");
}

#[test]
fn times_that_are_not_read_are_warned_of() {
    let us = |at: i64| format!("{},01/{:02}/2026 12:00:00", mixed(at) % 50, at % 31 + 1);
    let (_, said, _) = drafted("us.csv", &file("cust,when", 500, us));
    assert!(
        said.contains("line 2, column `when`: `01/01/2026 12:00:00` is no time that is known"),
        "{said}"
    );
    let (text, ..) = drafted("one.csv", "a,at\n1,2026-01-01T00:00:00Z\n");
    assert!(
        text.contains("All rows have one time") && !text.contains("no times"),
        "{text}"
    );
}

#[test]
fn codes_are_listed_and_sizes_lead_no_key() {
    // Some hosts; 90 of 100 rows have one status; sizes of which half are in the least tenth of the range, as those of files are.
    let row = |at: i64| {
        let status = [200, 404, 500][usize::from(at % 10 == 3) + usize::from(at % 20 == 13)];
        let size = 100 + (at * 7_919 % 997).pow(3) / 1_000;
        let (host, ts) = (at * at % 307, 1_767_225_600_000 + 7 * at);
        format!("{ts},{size},{host},{status}\n")
    };
    let rows: String = (0..20_000).map(row).collect();
    let (text, _, keys) = drafted("log.csv", &format!("ts,size,host,status\n{rows}"));
    let listed = "status = { type = \"text\", values = [\"200\",\"404\",\"500\"], distribution = { weights = [18000,1000,1000], ranked = true } }";
    assert!(text.contains(listed), "{text}");
    assert!(keys.iter().all(|key| !key.contains("size")), "{keys:?}");
    assert_eq!(keys[1], "be4(host) || be8(ts)");
}

#[test]
fn few_ids_that_lie_far_apart_are_listed_and_lengths_of_calls_lead_no_key() {
    let rows = file("at,tenant,amount", 40, |at| {
        let tenant = [1_000_001, 2_500_000, 7_012_345][(at % 3) as usize];
        format!("{},{tenant},{}", 1_767_225_600 + at, mixed(at) % 900)
    });
    let (text, ..) = drafted("tenants.csv", &rows);
    let listed = "values = [\"1000001\",\"2500000\",\"7012345\"]";
    assert!(text.contains(listed), "{text}");
    // Of 300 calls most callers are new; how long they talk comes again more often, and nobody asks by it, whatever it is called.
    for name in ["talk", "callDuration"] {
        let rows = file(&format!("start,caller,callee,{name}"), 300, |at| {
            let number = |at: i64| 4_910_000 + mixed(at) % 2_000;
            let long = mixed(at + 3_000) % 260;
            let (start, caller, callee) = (1_767_225_600 + 9 * at, number(at), number(at + 900));
            format!("{start},+{caller},+{callee},{long}")
        });
        let (_, _, keys) = drafted("calls.csv", &rows);
        assert!(keys[1].starts_with("calle"), "{keys:?}");
    }
}
