//! The rows of random keys and random reads: which are asked for, in which order, and how many.

use crate::brute_force::Compared;
use crate::brute_force::asked::{self, Asked, asked, newest, ranges, satisfies, to_read};
use crate::brute_force::requested::Requested;
use crate::brute_force::table::{A, B, C, D, N, ROWS, compiled, derived_value, schema, table};
use crate::schema_parts::read;
use keyheat::query::OverRead;
use keyheat::record::KnownField;
use keyheat::workload::{ReadTarget, WithinValues};
use proptest::prelude::*;

const SEGMENTS: [&str; 54] = [
    "be4(a)",
    "text(a)",
    "lpad(a, 3)",
    "b",
    "b || '#'",
    "b || x'00'",
    "upper(b)",
    "c",
    "reverse(c)",
    "sbe8(d)",
    "be8(ts)",
    "be8(rev_ts(ts))",
    "desc(be8(ts))",
    "day",
    "be8(hour)",
    "text(ts / 3600000)",
    "to_char(ts, 'HH')",
    "to_char(ts, 'yyMMddHH')",
    "left(md5(b), 2)",
    "left(md5(a || day), 1)",
    "md5_bytes(b)",
    "salt(3, a)",
    "salt(2, be8(ts))",
    "be1(random(3))",
    "be1(pmod(murmur3(b) + random(2), 5))",
    "be1(bucket(4, c))",
    "be1(round_robin(3))",
    "be8(bit_reverse(a))",
    "be1(quad)",
    "lpad(999 - a, 3)",
    "uuid7(ts)",
    "be8(snowflake(ts, 1, a % 32, n % 4096))",
    "desc(be8(snowflake(ts, 1, a % 32, n % 4096)))",
    "be8(ts * 100 + n % 100)",
    "lpad(text(ts * 3 + n % 3), 20)",
    "be4(a * 100 + pmod(d, 100))",
    "be8(ts - ts % 3600000)",
    "be4(ts % 3600000)",
    "be2(ts % 3600000 / 60000 * 16)",
    "be1(n % 3)",
    "left(md5_bytes(be4(a) || be1(n % 3)), 2)",
    "be1((a + n % 4) % 7)",
    "be4(a * 4 + n % 4)",
    "left(md5(c || be8(hour)), 2)",
    "be8(ts * 3 + n % 4)",
    "be8(9000000000000000000 - (ts * 100 + n % 100))",
    "be8(5 - ts * 100 + n % 100)",
    "be4(abs(a - 7))",
    "be4(d)",
    "desc(be2(d))",
    "be8(0 - a)",
    "be4(d / 3)",
    "to_char(ts, 'dd-MM-yyyy HH:mm:ss')",
    "to_char(ts, 'MMyyyy')",
];

/// Segments that follow time in different steps, and what may stand between them.
const OF_TIME: [&str; 13] = [
    "be8(ts)",
    "day",
    "be8(hour)",
    "to_char(ts, 'yyMMddHH')",
    "be8(ts - ts % 3600000)",
    "to_char(ts, 'yyyyMM')",
    "'#'",
    "be8(rev_ts(ts))",
    "desc(be8(hour))",
    "be8(9000000000000000000 - ts / 86400000)",
    "uuid7(ts)",
    "be8(ts * 100 + n % 100)",
    "b",
];

/// What is made of texts, in front of each other.
const OF_TEXTS: [&str; 22] = [
    "b",
    "rpad(b, 4)",
    "lower(b) || '/'",
    "rpad(upper(b), 5)",
    "b || '#'",
    "left(b, 1)",
    "left(b, 2)",
    "start",
    "substr(b, 1, 3)",
    "upper(b)",
    "reverse(b)",
    "c",
    "reverse(c)",
    "right(c, 1)",
    "left(reverse(c), 2)",
    "'#'",
    "be4(a)",
    "left(md5(left(b, 1)), 2)",
    "be1(bucket(4, start))",
    "be1(bucket(4, b))",
    "be1(random(3))",
    "be8(ts)",
];

/// Parts of time, and what may stand between them.
const OF_CUT_TIME: [&str; 20] = [
    "be4(a)",
    "day",
    "be8(hour)",
    "desc(be8(hour))",
    "be4(ts % 3600000)",
    "desc(be4(ts % 3600000))",
    "to_char(ts, 'HHmm')",
    "to_char(ts, 'HHmmss')",
    "to_char(ts, 'mmss')",
    "be4(ts % 86400000)",
    "be1(bucket(4, a))",
    "be1(bucket(4, be8(hour)))",
    "be1(ts / 60000 % 4)",
    "be8(ts / 240000)",
    "be8(ts)",
    "'#'",
    "to_char(ts, 'dd-MM-yyyy HH:mm:ss')",
    "to_char(ts, 'ddMM HH')",
    "desc(to_char(ts, 'mm:ss'))",
    "to_char(ts, 'MMyyyy')",
];

/// Numbers that are made of several fields, and what may stand between them.
const OF_SUMS: [&str; 22] = [
    "be8(a * 10000000000000 + ts)",
    "be8(a * 10000000000000 + (9999999999999 - ts))",
    "desc(be8(a * 10000000000000 + ts))",
    "lpad(a * 10000000000000 + ts, 18)",
    "lpad(n * 100 + a, 10)",
    "be8(ts * 100 + a)",
    "be4(a * 1000000 + n)",
    "be8(ts / 3600000 * 100 + a)",
    "be8(a * 10000000 + ts / 3600000)",
    "be8(a * 1000 + ts)",
    "be4(a % 4 * 1000000 + n)",
    "be8((a * 100 + d + 7) * 10000000000000 + ts)",
    "be4(ts % 3600000)",
    "be4(a)",
    "b",
    "be1(bucket(4, a))",
    "be1(random(3))",
    "be4(random(3) * 100 + a)",
    "be4(random(3) * 10 + a)",
    "be1(pmod(random(6) + a, 3))",
    "be1(pmod(random(6), 3))",
    "be4(n)",
];

/// The rows that a reader ends up with, newest first, by the field's value: each scan read in its order until it has enough.
fn first_rows(
    requested: &Requested,
    matching: &[bool],
    value: impl Fn(usize) -> i64,
    enough: usize,
) -> Vec<i64> {
    let mut found = Vec::new();
    for (at, scan) in requested.requests.scans.iter().enumerate() {
        let mut rows: Vec<usize> = (0..ROWS)
            .filter(|row| requested.in_scan(at, *row))
            .collect();
        rows.sort_by_key(|row| &requested.keys[*row]);
        if scan.reversed {
            rows.reverse();
        }
        let wanted = rows.into_iter().filter(|row| matching[*row]).take(enough);
        found.extend(wanted.map(&value));
    }
    found.sort_by_key(|value| std::cmp::Reverse(*value));
    found.truncate(enough);
    found
}

/// A key, a read and a table.
#[derive(Debug)]
pub struct Case {
    segments: Vec<&'static str>,
    unique: bool,
    asked: Asked,
    seed: u64,
    chosen: usize,
}

pub fn cases() -> impl Strategy<Value = Case> {
    let segments = prop::collection::vec(0..SEGMENTS.len(), 1..6);
    let drawn = (segments, any::<bool>(), asked(), 0u64..1_000, 0..ROWS);
    drawn.prop_map(|(segments, unique, asked, seed, chosen)| Case {
        segments: segments.iter().map(|at| SEGMENTS[*at]).collect(),
        unique,
        asked,
        seed,
        chosen,
    })
}

/// A range of the time of one `a`, under a key that leads with it and goes on with times in different steps.
pub fn ranges_of_time() -> impl Strategy<Value = Case> {
    let segments = prop::collection::vec(0..OF_TIME.len(), 1..5);
    let drawn = (segments, ranges(), 0u64..1_000, 0..ROWS);
    drawn.prop_map(|(segments, asked, seed, chosen)| Case {
        segments: ["be4(a)"]
            .into_iter()
            .chain(segments.iter().map(|at| OF_TIME[*at]))
            .collect(),
        unique: true,
        asked,
        seed,
        chosen,
    })
}

/// Random segments of these, for what is asked.
fn of_segments(
    segments: &'static [&'static str],
    asked: impl Strategy<Value = Asked>,
) -> impl Strategy<Value = Case> {
    let chosen = prop::collection::vec(prop::sample::select(segments), 1..5);
    let drawn = (chosen, asked, 0u64..1_000, 0..ROWS);
    drawn.prop_map(|(segments, asked, seed, chosen)| Case {
        segments,
        unique: true,
        asked,
        seed,
        chosen,
    })
}

/// The beginning or the end of a text, under keys of texts.
pub fn beginnings() -> impl Strategy<Value = Case> {
    of_segments(&OF_TEXTS, asked::beginnings())
}

/// The newest rows or a range of time, under keys that cut time in parts.
pub fn cut_times() -> impl Strategy<Value = Case> {
    of_segments(&OF_CUT_TIME, prop_oneof![newest(), ranges()])
}

/// Any read, under keys of sums.
pub fn sums() -> impl Strategy<Value = Case> {
    of_segments(&OF_SUMS, asked())
}

/// One case.
pub fn case(segments: &[&'static str], asked: Asked, seed: u64, chosen: usize) -> Case {
    Case {
        segments: segments.to_vec(),
        unique: false,
        asked,
        seed,
        chosen,
    }
}

/// Every wanted row is asked for once, all others that are read are declared, rows come in the order that is wanted, and are as many as expected.
pub fn compare(case: &Case) -> Result<Compared, TestCaseError> {
    let Case {
        segments,
        unique,
        asked,
        seed,
        chosen,
    } = case;
    let (unique, seed, chosen) = (*unique, *seed, *chosen);
    let mut compared = Compared::default();
    let mut text = segments.clone();
    if unique {
        text.push("be4(n)");
    }
    let text = format!("'k' || {}", text.join(" || "));
    let (schema, table, read) = (schema(), table(seed), to_read(asked));
    let mut within = Vec::new();
    let mut within_lens = Vec::new();
    for list in &read.within {
        let WithinValues::Count(count) = list.values else {
            unreachable!("lists have lengths")
        };
        let domain = schema
            .field(list.field)
            .kind
            .count()
            .expect("it is counted") as i64;
        let first = schema.field(list.field).kind.first_slot();
        let own = table.slot(chosen, list.field).max(first);
        let values =
            (0..i64::from(count)).map(|at| first + (own - first + at * 7).rem_euclid(domain));
        let mut values: Vec<i64> = values.collect();
        values.sort_unstable();
        values.dedup();
        within_lens.push(values.len() as u32);
        within.extend(values);
    }
    let target = ReadTarget {
        within: &within,
        within_lens: &within_lens,
        ..table.target(chosen)
    };
    let requested = Requested::new(&text, &read, &table, target);
    let Requested { plan, requests, .. } = &requested;
    let matching: Vec<bool> = table
        .records
        .iter()
        .map(|row| satisfies(&read, &target, row))
        .collect();
    // Of rows in an order, the values of the first.
    let order = match (&read.newest, &read.page) {
        (Some(newest), _) => Some((newest.field, newest.rows)),
        (None, Some(page)) => Some((page.field, page.size * page.number)),
        (None, None) => None,
    };
    let newest = order.map(|(field, enough)| {
        let table = &table;
        let value = move |row: usize| match field {
            KnownField::Stored(field) => table.slot(row, field),
            KnownField::Derived(derived) => {
                derived_value(usize::from(derived.0), &table.records[row])
            }
        };
        let mut newest: Vec<i64> = (0..ROWS).filter(|row| matching[*row]).map(value).collect();
        newest.sort_by_key(|value| std::cmp::Reverse(*value));
        newest.truncate(enough as usize);
        (value, enough as usize, newest)
    });
    // Nobody asks for what comes behind all of these.
    let is_behind = |row: usize| {
        let of_first = newest
            .as_ref()
            .and_then(|(value, _, newest)| Some(value(row) < *newest.last()?));
        of_first == Some(true)
    };
    let declared = requested.declares(|over_read| !matches!(over_read, OverRead::Sorted(_)));
    for (row, wanted) in matching.iter().enumerate() {
        let times = requested.times(row);
        compared.rows += 1;
        prop_assert!(
            times <= 1,
            "{text}: row {row} is asked for {times} times\n{}",
            plan.words("")
        );
        if *wanted {
            compared.wanted += 1;
            prop_assert!(
                times == 1 || is_behind(row),
                "{text}: wanted row {row} {:?} is missed\n{}",
                table.records[row],
                plan.words("")
            );
        } else if times == 1 {
            prop_assert!(
                declared,
                "{text}: row {row} {:?} is read for nothing\n{}",
                table.records[row],
                plan.words("")
            );
        }
    }
    if let Some((value, enough, newest)) = &newest
        && !requests.scans.is_empty()
        && !requested.is_sorted()
        && !requested.has_steps()
    {
        let found = first_rows(&requested, &matching, value, *enough);
        compared.orders += 1;
        prop_assert_eq!(&found, newest, "{}: {}", text, plan.words(""));
    }
    // Numbers of rows are exact where nothing is left to chance.
    let by_chance = [
        "md5",
        "salt",
        "random",
        "bucket",
        "round_robin",
        "uuid",
        "upper",
        "'HH'",
        "pmod",
        "(ts %",
        ") % 7",
        "abs(",
        "3 + n % 4",
        "a * 1000 + ts",
        "60000 % 4",
        "left(",
        "right(",
        "substr(",
        "'HHmm",
        "'mmss'",
        "'mm:ss'",
        "'ddMM",
        "'dd-MM",
        "'MMyyyy'",
    ];
    let ambiguous = requested.declares(|over_read| matches!(over_read, OverRead::LongerValues(_)));
    // So is how many begin like a value of a list.
    let list_begins = asked.is_list() && text.contains("start");
    let by_chance =
        asked.is_by_chance() || list_begins || by_chance.iter().any(|word| text.contains(word));
    if unique && order.is_none() && !ambiguous && !by_chance {
        let expected: f64 = requests.scans.iter().map(|scan| scan.rows).sum();
        let real = requested.rows_asked_for() as f64;
        if !requests.scans.is_empty() {
            prop_assert!(
                (expected - real).abs() < 1e-6,
                "{text}: {expected} rows expected, {real} there\n{}",
                plan.words("")
            );
        }
        let wanted = matching.iter().filter(|wanted| **wanted).count() as f64;
        compared.counts += 1;
        prop_assert!(
            (requests.rows_returned - wanted).abs() < 1e-6,
            "{text}: {} rows wanted, {wanted} there\n{}",
            requests.rows_returned,
            plan.words("")
        );
    }
    Ok(compared)
}

/// A text or number without a delimiter, in front of another segment.
#[derive(Debug)]
pub struct LongerValues {
    which: usize,
    seed: u64,
    chosen: usize,
}

pub fn longer_values() -> impl Strategy<Value = LongerValues> {
    (0usize..4, 0u64..1_000, 0..ROWS).prop_map(|(which, seed, chosen)| LongerValues {
        which,
        seed,
        chosen,
    })
}

/// A scan for `x` reads the rows of `x1`, and says how many.
pub fn compare_longer_values(case: &LongerValues) -> Result<Compared, TestCaseError> {
    let LongerValues {
        which,
        seed,
        chosen,
    } = *case;
    let mut compared = Compared::default();
    let (text, field) = [
        ("b || be4(n)", B),
        ("lpad(d + 7, 2) || text(a) || be4(n)", A),
        ("lpad(c, 3) || b || be4(n)", B),
        ("text(c) || b || be4(n)", C),
    ][which];
    let table = table(seed);
    let mut read = read();
    let others = match which {
        1 => vec![D],
        2 => vec![C],
        _ => Vec::new(),
    };
    read.equal = others
        .into_iter()
        .chain([field])
        .map(KnownField::Stored)
        .collect();
    read.equal.sort();
    let requested = Requested::new(text, &read, &table, table.target(chosen));
    let Requested { plan, requests, .. } = &requested;
    let real = requested.rows_asked_for() as f64;
    let expected: f64 = requests.scans.iter().map(|scan| scan.rows).sum();
    if !requests.scans.is_empty() {
        compared.counts += 1;
        prop_assert!(
            (expected - real).abs() < 1e-6,
            "{text}: {expected} for {real}\n{}",
            plan.words("")
        );
    }
    Ok(compared)
}

/// Fails with the first segment that is no key.
pub fn compile_all() {
    let texts = SEGMENTS.iter().chain(&OF_TIME).chain(&OF_TEXTS);
    for text in texts.chain(&OF_CUT_TIME).chain(&OF_SUMS) {
        compiled(&format!("'k' || {text}"));
    }
    assert_eq!(schema().find("n"), Some(N));
}
