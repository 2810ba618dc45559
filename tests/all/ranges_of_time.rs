//! How many rows and scans a range of time takes where a key puts a coarser step of the time before it.

use keyheat::layout::{Layout, Replicate};
use keyheat::scenario::Scenario;

/// Rows that an account has a day: 2 million of 200 accounts in 100 days.
const A_DAY: f64 = 100.0;

/// Hours, and the days of rows that are read of whole steps of ten days: the run starts half a day after the 20,455th day of Unix time, so that the
/// last step has 5.5 days, and one before it 10.
const RANGES: [(f64, f64); 3] = [(30.0, 5.5), (240.0, 15.5), (960.0, 45.5)];

/// Of the last so many hours of an account under a key: rows wanted, rows read and scans.
fn read(key: &str, hours: f64) -> [f64; 3] {
    let text = format!(
        "[time]\nstart = 2026-01-02T12:00:00Z\nduration = \"6s\"\n\
         [field]\nacct = {{ type = \"int\", count = 200 }}\nkind = {{ type = \"int\", count = 20 }}\n\
         id = {{ type = \"int\", count = 1_000_000_000 }}\nts = {{ type = \"timestamp\" }}\n\
         [existing.tx]\nrecords = 2_000_000\nlast = \"100d\"\n\
         [read.last]\nequal = [\"acct\"]\nrange = {{ field = \"ts\", last = \"{hours}h\" }}\n\
         [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"be4(acct) || {key}\"\n"
    );
    let scenario = Scenario::parse(&text, "ranges").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
    let plan = layout.reads[0].planned.plan.expected;
    [plan.rows_returned, plan.rows_read, plan.requests]
}

/// One scan finds `wanted` days and reads `read` days of rows. The row that is asked for is known to be there, besides those expected of its account,
/// and a range that ends during the run lacks less than a hundredth of a row.
fn is_one_scan(key: &str, hours: f64, read_days: f64) {
    let [wanted, rows, scans] = read(key, hours);
    assert!(
        (wanted - A_DAY * hours / 24.0).abs() <= 1.02 && (rows - A_DAY * read_days).abs() <= 1.02,
        "{key}, {hours} h: {wanted} wanted, {rows} read"
    );
    assert_eq!(scans, 1.0, "{key}, {hours} h");
}

#[test]
fn a_step_of_time_before_the_time_itself_costs_a_range_nothing() {
    for key in [
        "be8(ts)",
        "be8(trunc(ts, '10d')) || be8(ts)",
        "to_char(ts, 'yyyyMM') || be8(ts)",
        "to_char(ts, 'yyyyMMdd') || be8(ts) || be4(id)",
        "'/' || to_char(ts, 'yyyy') || '/' || to_char(ts, 'yyyyMM') || '/' || be8(ts)",
        "desc(be8(trunc(ts, '10d'))) || be8(rev_ts(ts))",
        "be8(trunc(ts, '10d')) || uuid7(ts)",
        // A time cut in two is the time.
        "be4(ts / 86400000) || be4(ts % 86400000)",
        "desc(be4(ts / 3600000)) || desc(be4(ts % 3600000))",
        "to_char(ts, 'yyyyMMdd') || '-' || to_char(ts, 'HHmm') || to_char(ts, 'ssSSS')",
    ] {
        for (hours, _) in RANGES {
            is_one_scan(key, hours, hours / 24.0);
        }
    }
}

#[test]
fn whole_steps_are_read_where_the_time_does_not_go_on_behind_them() {
    for key in [
        "be8(trunc(ts, '10d')) || be4(id)",
        "be8(trunc(ts, '10d')) || be1(kind) || be8(ts)",
        // Within a step time falls, so that a range is in no one piece.
        "be8(trunc(ts, '10d')) || be8(rev_ts(ts))",
        "be8(trunc(ts, '10d')) || desc(be4(ts % 864000000))",
        // Twelve hours come twice in a day.
        "be8(trunc(ts, '10d')) || be4(ts % 43200000)",
    ] {
        let (hours, read_days) = RANGES[1];
        is_one_scan(key, hours, read_days);
    }
    // Whole days behind whole steps of ten: two days, of which the present one has a half.
    is_one_scan(
        "be8(trunc(ts, '10d')) || to_char(ts, 'yyyyMMdd') || be4(id)",
        30.0,
        1.5,
    );
}

/// A part of a date is asked for as the number that it writes is: a range of an hour lies in two hours of the day, one of days in all of them.
#[test]
fn parts_of_dates_are_the_numbers_that_they_write() {
    for (date, number) in [
        ("to_char(ts, 'HH')", "lpad(ts / 3600000 % 24, 2)"),
        (
            "to_char(ts, 'HH:mm')",
            "lpad(ts / 3600000 % 24, 2) || ':' || lpad(ts / 60000 % 60, 2)",
        ),
        ("to_char(ts, 'mm')", "lpad(ts / 60000 % 60, 2)"),
    ] {
        for rest in ["PART || be8(ts)", "PART || be4(id) || be8(ts)"] {
            for hours in [0.05, 1.0, 30.0, 240.0] {
                let of = |part: &str| read(&rest.replace("PART", part), hours);
                assert_eq!(of(date), of(number), "{rest} {date} {hours} h");
            }
        }
    }
    let [wanted, rows, scans] = read("to_char(ts, 'HH') || be8(ts)", 1.0);
    // The run begins on the hour, and readers come within its first seconds.
    assert_eq!((rows, scans), (wanted, 2.0));
}

/// The newest 50 of ten sensors with ten rows a second, ten minutes into an hour: what the hour has so far, 6,000 rows and those of the run's ten seconds.
/// Under days it is what the day has, and just after midnight so much of the day before.
#[test]
fn the_newest_rows_behind_a_step_are_those_of_the_step_so_far() {
    let newest = |start: &str, key: &str| {
        let text = format!(
            "[time]\nstart = 2026-01-02T{start}Z\nduration = \"10s\"\n[field]\nsensor = {{ type = \"int\", count = 10 }}\n\
             ts = {{ type = \"timestamp\", unit = \"ms\" }}\nid = {{ type = \"uuid\" }}\n[write.put]\nrate = \"100/s\"\n\
             [existing.put]\nlast = \"3d\"\n[read.newest]\nequal = [\"sensor\"]\nnewest = {{ field = \"ts\", rows = 50 }}\n\
             [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"be4(sensor) || {key} || id\"\n"
        );
        let scenario = Scenario::parse(&text, "newest").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
        layout.reads[0].planned.plan.expected.rows_read
    };
    let hour = "be4(trunc(ts, '1h') / 1000)";
    let day = "to_char(ts, 'yyyyMMdd')";
    for (start, key, seconds) in [
        ("05:10:00", hour, 600.0),
        ("05:50:00", hour, 3_000.0),
        ("05:10:00", day, 18_600.0),
        // Before five seconds have gone, 50 rows reach into the day before.
        ("00:00:30", day, 30.0),
    ] {
        let found = newest(start, key) / 10.0 - seconds;
        // Readers come within the ten seconds of the run; the row that is asked for is there besides.
        assert!((0.0..=10.2).contains(&found), "{start} {key}: {found}");
    }
}

/// A truck has a point every two seconds, and the day before 12:30 lies in 25 hours and two days.
#[test]
fn a_time_that_is_cut_in_two_goes_on_behind_what_stands_between() {
    let read = |asked: &str, key: &str| {
        let text = format!(
            "[time]\nstart = 2026-03-03T12:30:00Z\nduration = \"5s\"\n[field]\ntruck = {{ type = \"digits\", width = 6, count = 5_000 }}\n\
             ts = {{ type = \"timestamp\", unit = \"s\" }}\n[write.point]\neach = [\"truck\"]\nevery = \"2s\"\n\
             [existing.point]\nlast = \"1d\"\n[read.r]\nequal = [\"truck\"]\n{asked}\n\
             [table]\nsplit_policy = \"disabled\"\n[strategy.only]\nkey = \"{key}\"\n"
        );
        let scenario = Scenario::parse(&text, "trucks").unwrap_or_else(|error| panic!("{error}"));
        let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
        let layout = Layout::of(&scenario.strategies[0], &firsts[0]);
        let plan = layout.reads[0].planned.plan.expected;
        [plan.requests, plan.rows_read]
    };
    let newest = |rows: u32| format!("newest = {{ field = \"ts\", rows = {rows} }}");
    let last = "range = { field = \"ts\", last = \"10m\" }";
    for (key, steps) in [
        ("be4(ts / 3600) || truck || be4(ts)", 25.0),
        ("be4(ts / 3600) || truck || be2(ts % 3600)", 25.0),
        (
            "desc(be4(ts / 3600)) || truck || desc(be2(ts % 3600))",
            25.0,
        ),
        (
            "be1(bucket(16, truck)) || be4(trunc(ts, '1h')) || truck || '/' || be2(ts % 3600)",
            25.0,
        ),
        (
            "to_char(ts, 'yyyyMMdd') || truck || to_char(ts, 'HHmmss')",
            2.0,
        ),
        (
            "to_char(ts, 'yyyyMMdd') || truck || to_char(ts, 'HHmm') || to_char(ts, 'ss')",
            2.0,
        ),
    ] {
        for rows in [1, 10] {
            let [scans, read] = read(&newest(rows), key);
            assert_eq!(scans, steps, "{key}");
            assert!(
                (read - steps * f64::from(rows)).abs() < 1e-6,
                "{key}: {read}"
            );
        }
        // The run begins within the hour, and the row that is asked for is there besides.
        let [scans, rows] = read(last, key);
        assert_eq!(scans, 1.0, "{key}");
        assert!((rows - 300.0).abs() <= 1.01, "{key}: {rows}");
    }
    // Within half an hour that comes again the order is not the time's: all of the truck is read, or of the last hour what comes in the same ten minutes.
    let again = "be4(ts / 3600) || truck || be2(ts % 1800) || be4(ts)";
    assert!(read(&newest(1), again)[1] >= 43_200.0);
    // Minutes of a day: a row a minute, and in each day the newest one, with the one before where the run's own minute has no point yet.
    let minutes = "to_char(ts, 'yyyyMMdd') || truck || to_char(ts, 'HHmm')";
    let [scans, rows] = read(&newest(1), minutes);
    assert!(scans == 2.0 && (2.0..4.0).contains(&rows), "{rows}");
}

/// Texts of times that do not lead with the year are in the order of time within a day, an hour or a month: a scan in each that the range meets reads what is
/// wanted. The run starts at noon of the second of January.
#[test]
fn a_range_of_times_whose_texts_are_in_order_within_a_day_is_a_scan_a_day() {
    let day = "to_char(ts, 'dd-MM-yyyy HH:mm:ss.SSS')";
    let hour = "to_char(ts, 'dd/MM/yyyy HH') || be8(ts)";
    let month = "to_char(ts, 'MMyyyy') || be8(ts)";
    let name = "to_char(ts, 'MMM yy') || be8(ts)";
    for (key, hours, scans) in [
        (day, 10.0, 1.0),
        (day, 30.0, 2.0),
        (day, 100.0, 5.0),
        (hour, 5.0, 1.0),
        (hour, 30.0, 2.0),
        (month, 30.0, 1.0),
        (month, 240.0, 2.0),
        (month, 960.0, 3.0),
        (name, 240.0, 2.0),
        (name, 960.0, 3.0),
    ] {
        let [wanted, rows, found] = read(key, hours);
        let expected = A_DAY * hours / 24.0;
        assert!(
            (wanted - expected).abs() <= 1.02 && (rows - expected).abs() <= 1.02,
            "{key}, {hours} h: {wanted} wanted, {rows} read"
        );
        assert_eq!(found, scans, "{key}, {hours} h");
    }
}
