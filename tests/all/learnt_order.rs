//! `keyheat learn`: in what order rows and values come, whatever chance does to neighbours, and what that makes of the draft.

use crate::binary::stderr_of;
use crate::learn::{drafted, file, mixed};
use crate::workplace::{Workplace, assert_tells};

/// 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;

/// A value by its row.
type Id<'a> = &'a dyn Fn(i64) -> String;

fn iso(seconds: i64) -> String {
    let at = date_time(seconds);
    format!("{at}Z")
}

/// Date and time of this second, in days of a month of 28 days from 2026-01-01 on.
fn date_time(seconds: i64) -> String {
    let since = seconds - START;
    let (day, second) = (since.div_euclid(86_400), since.rem_euclid(86_400));
    let (month, day) = (1 + day / 28, 1 + day % 28);
    format!(
        "2026-{month:02}-{day:02}T{:02}:{:02}:{:02}",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[test]
fn the_time_of_the_writes_is_that_in_whose_order_the_file_is() {
    // 20 rows a second for 150 s, of which nearly all are due on another second of the next month.
    let created = |at: i64| START + at / 20;
    let due = |at: i64| created(at) + (mixed(at) % (28 * 86_400)) as i64;
    let due_first = |at: i64| format!("{},{},{}", iso(due(at)), at % 7, iso(created(at)));
    let due_last = |at: i64| format!("{},{},{}", iso(created(at)), at % 7, iso(due(at)));
    for (header, row) in [
        ("due,user,created", &due_first as &dyn Fn(i64) -> String),
        ("created,user,due", &due_last),
    ] {
        let (text, ..) = drafted("t.csv", &file(header, 3_000, row));
        assert_tells(
            &text,
            &[
                "start = 2026-01-01T00:02:29Z",
                "created = { type = \"timestamp\"",
                "# due: ",
            ],
        );
        assert!(!text.contains("due = {"), "{text}");
    }
    // Rows of several writers: hardly one lies behind all before it, and yet the file is in that order.
    let merged = |at: i64| {
        let at_ms = (START + at) * 1_000 + (mixed(at) % 20_000) as i64;
        format!("{},{},{at_ms}", mixed(at) % 9_000_000_000, at % 7)
    };
    let (text, ..) = drafted("m.csv", &file("born_at,user,logged_at", 3_000, merged));
    assert_tells(&text, &["logged_at = { type = \"timestamp\""]);
}

#[test]
fn identities_whose_blocks_rise_are_drafted_so() {
    // 20 rows a second; what stands behind the time is random.
    let second = |at: i64| START + at / 20;
    let hex = |at: i64, digits: usize| format!("{:016x}", mixed(at) << 8)[..digits].to_owned();
    let ids: [(&str, Id<'_>, &str); 5] = [
        (
            "objectid",
            &|at| format!("{:08x}{}", second(at), hex(at, 16)),
            "id = { expr = \"hex(be4(id_made_at)) || id_rest\" }",
        ),
        (
            "epoch",
            &|at| format!("e-{}-{:06}", second(at), mixed(at) % 1_000_000),
            "id = { expr = \"'e-' || text(id_made_at) || '-' || id_rest\" }",
        ),
        (
            "calendar",
            &|at| format!("{}#{}", digits(second(at)), mixed(at) % 1_000_000),
            "to_char(id_made_at, 'yyyyMMddHHmmss') || '#' || id_rest",
        ),
        (
            "bits",
            &|at| (second(at) << 30 | (mixed(at) & 0x3fff_ffff) as i64).to_string(),
            "id = { expr = \"id_number * 53",
        ),
        (
            "unknown",
            &|at| format!("c{:05}{}", (at / 20) + 10_000, hex(at, 8)),
            "lpad(id_number, ",
        ),
    ];
    for (name, id, made) in ids {
        let row = |at: i64| format!("{},{},{}", id(at), mixed(at) % 90, iso(second(at)));
        let (text, ..) = drafted("i.csv", &file("id,user,at", 3_000, row));
        assert!(text.contains(made), "{name}: no `{made}` in:\n{text}");
    }
}

/// `20260101000000`.
fn digits(seconds: i64) -> String {
    date_time(seconds).replace(['-', ':', 'T'], "")
}

#[test]
fn what_rises_with_the_times_does_so_in_whatever_order_the_rows_are() {
    // Sorted by account, as tables are exported.
    let mut rows: Vec<(u64, i64)> = (0..3_000).map(|at| (mixed(at) % 100, at)).collect();
    rows.sort_unstable();
    let row = |at: i64| {
        let (account, number) = rows[at as usize];
        format!("TX{number:08},{account},{}", iso(START + number / 20))
    };
    let (text, ..) = drafted("p.csv", &file("tx,account,at", 3_000, row));
    assert_tells(
        &text,
        &[
            "tx_number = { type = \"sequence\", first = 0 }",
            "tx = { expr = \"'TX' || lpad(tx_number, 8)\" }",
        ],
    );
    // Sorted by an identity that is random, it is not one that rises.
    let mut ids: Vec<u64> = (0..3_000).map(mixed).collect();
    ids.sort_unstable();
    let row = |at: i64| {
        let second = mixed(at) % 9_000;
        format!("{},{},{}", ids[at as usize], at % 9, START + second as i64)
    };
    let (text, ..) = drafted("r.csv", &file("id,account,at", 3_000, row));
    assert!(text.contains("id_number = { type = \"int\""), "{text}");
}

#[test]
fn sessions_that_rise_and_go_on_for_a_while_come_one_after_another() {
    // Ten events of each of 600 sessions; a hundred of them are active at a time.
    let session = |at: i64| 700_000 + at / 10 + (mixed(at) % 100) as i64;
    let row = |at: i64| format!("{},{},{}", session(at), at % 5, START + at);
    let (text, said, keys) = drafted("s.csv", &file("session,action,at", 6_000, row));
    assert!(
        said.contains("the values of `session` come one after another"),
        "{said}"
    );
    assert!(
        text.contains("session_number = { type = \"sequence\""),
        "{text}"
    );
    assert!(
        keys.iter().all(|it| !it.starts_with("be4(session)")),
        "{keys:?}"
    );
}

#[test]
fn what_follows_from_a_customer_does_so_beside_the_number_of_the_order() {
    let customer = |at: i64| mixed(at / 3) % 200;
    let row = |at: i64| {
        let customer = customer(at);
        let country = ["de", "fr", "us"][customer as usize % 3];
        format!(
            "{},c{customer:03},{country},u{}@x.org,{}",
            1_000 + at / 3,
            customer * 7 + 100,
            START + at
        )
    };
    let (text, ..) = drafted("o.csv", &file("order,customer,country,mail,ts", 6_000, row));
    let line = |field: &str| {
        let mut lines = text.lines();
        lines
            .find(|it| it.starts_with(field))
            .unwrap_or_else(|| panic!("{text}"))
    };
    assert!(
        line("country = ").contains("of = \"customer_number\""),
        "{text}"
    );
    assert!(
        text.contains("mail_rest = ") || text.contains("mail = "),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|it| it.starts_with("mail") && it.contains("of = \"customer_number\"")),
        "{text}"
    );
}

#[test]
fn times_far_off_and_too_many_columns_are_told() {
    let valid_to = |at: i64| match at % 3 {
        0 => "9999-12-31T23:59:59Z".to_owned(),
        _ => iso(START + at + 86_400),
    };
    let row = |at: i64| {
        let created = if at == 150 { 4_102_444_800 } else { START + at };
        format!("{},{created},{}", at % 7, valid_to(at))
    };
    let (text, said, _) = drafted("f.csv", &file("user,created,valid_to", 300, row));
    assert_tells(
        &said,
        &[
            "line 152, column `created`: `4102444800` lies outside the years 1879 to 2060",
            "column `valid_to`: `9999-12-31T23:59:59Z` lies outside",
        ],
    );
    assert!(text.contains("start = 2026-01-01T00:04:59Z"), "{text}");
    let header: Vec<String> = (0..1_200).map(|at| format!("c{at}")).collect();
    let row = |at: i64| {
        (0..1_200)
            .map(|column| (at * 7 + column).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    let wide = file(&header.join(","), 20, row);
    let place = Workplace::new().with("w.csv", &wide);
    let said = stderr_of(&place.keyheat("learn w.csv").code(2));
    assert!(said.contains("a scenario has at most 1,000"), "{said}");
}

#[test]
fn bursts_are_told_with_a_profile_that_a_run_takes() {
    // 100 minutes: ten rows a second in the first minute of every ten, else one in two seconds.
    let minute = |minute: i64| {
        let (rows, every) = if minute % 10 == 0 {
            (600, 100)
        } else {
            (30, 2_000)
        };
        (0..rows).map(move |at| (START + minute * 60) * 1_000 + at * every)
    };
    let times: Vec<i64> = (0..100).flat_map(minute).collect();
    let row = |at: i64| format!("{},{}", at % 97, times[at as usize]);
    let (text, ..) = drafted("b.csv", &file("id,at", times.len() as i64, row));
    let profile = "# profile = [{ at = \"9.9s\", times = 1 }, { at = \"9.9s\", times = 6.90 }]";
    assert_tells(
        &text,
        &[
            "the busiest minute had 10.0 a second, 6.9× the mean",
            profile,
        ],
    );
    let place = Workplace::new().with("b.toml", &text.replace(profile, &profile[2..]));
    place.keyheat("check b.toml").success();
    // What comes evenly has none.
    let (text, ..) = drafted(
        "e.csv",
        &file("id,at", 6_000, |at| format!("{},{}", at % 97, START + at)),
    );
    assert!(!text.contains("burst"), "{text}");
}

#[test]
fn whole_seconds_are_finer_in_a_run_that_is_faster() {
    // 20 rows a second of 200 hosts: of a host hardly two in one second.
    let row = |at: i64| format!("h{:03},{}", mixed(at) % 200, START + at / 20);
    let (text, ..) = drafted("h.csv", &file("host,at", 20_000, row));
    assert_tells(
        &text,
        &[
            "at = { type = \"timestamp\", unit = \"ms\" }",
            "whole seconds in the file",
        ],
    );
}
