//! Reads of some rows by their order, and of ranges under drawn salts: what they ask for, read and get, counted by hand.

use super::counted_rows_tests::{assert_near, strategies};
use super::{Layout, Replicate};
use crate::query::Expected;
use crate::scenario::Scenario;

/// What is expected of the reads in the order of the file, under each of the keys.
fn expected(table: &str, keys: &[&str]) -> Vec<Vec<Expected>> {
    let text = format!(
        "{table}\n[table]\nsplit_policy = \"disabled\"\n{}",
        strategies(keys)
    );
    let scenario = Scenario::parse(&text, "ordered").unwrap_or_else(|error| panic!("{error}"));
    let firsts = Replicate::first_of_each(&scenario.strategies, scenario.seed);
    let layouts = scenario.strategies.iter().zip(&firsts);
    let reads = layouts.map(|(strategy, first)| Layout::of(strategy, first).reads);
    let plans = |reads: Vec<super::ReadForecast>| {
        let plans = reads.iter().map(|read| read.planned.plan.expected);
        plans.collect()
    };
    reads.map(plans).collect()
}

/// 100,000 rows of 100 customers over 10,000 seconds, each of which has a country.
const CUSTOMERS: &str = "[time]\nduration = \"1s\"\n[field]\ncustomer = { type = \"int\", count = 100 }\n\
                         country = { type = \"text\", count = 20, of = \"customer\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                         id = { type = \"uuid\" }\n[existing.w]\nrecords = 100_000\nlast = \"10000s\"";

/// A scan that is not bounded by a range of its order passes what lies before it, and finds row after row within: of a customer's 1,000 rows none up to now, and 300 up to
/// 3,000 seconds ago. The known row is one of those, give or take.
#[test]
fn rows_of_a_range_lie_together_in_a_scan_that_is_in_its_order() {
    let table = format!(
        "{CUSTOMERS}\n[read.now]\nequal = [\"customer\"]\nrange = {{ field = \"ts\", last = \"1000s\" }}\nnewest = {{ field = \"ts\", rows = 10 }}\n\
         [read.ago]\nequal = [\"customer\"]\nrange = {{ field = \"ts\", last = \"1000s\", ago = \"3000s\" }}\nnewest = {{ field = \"ts\", rows = 10 }}\n"
    );
    let keys = [
        "be4(customer) || country || be8(ts) || id",
        "be4(customer) || be4(ts / 3600000) || country || be8(ts) || id",
        "be4(customer) || be8(ts) || id",
    ];
    let found = expected(&table, &keys);
    for (reads, passed) in found.iter().zip([300.0, 300.0, 0.0]) {
        assert_near(reads[0].rows_read, 10.0, 0.1);
        assert_near(reads[1].rows_read, passed + 10.0, 1.5);
        reads
            .iter()
            .for_each(|it| assert_near(it.rows_returned, 10.0, 0.01));
    }
}

/// Five customers are in 20 (1 - 0.95^5) = 4.5 countries of 20 on average: the scans of the others are empty. Of 96 neighbourhoods of five, as many of which lie apart as
/// there are in a hundred, the mean has a standard deviation of 0.64 / sqrt(20) = 0.14, of which four are allowed.
#[test]
fn a_range_of_things_has_what_follows_from_them_alone() {
    let table = format!(
        "{CUSTOMERS}\n[read.r]\nrange = {{ field = \"customer\", span = 5 }}\npage = {{ field = \"customer\", size = 10, number = 1 }}\n"
    );
    let found = expected(&table, &["country || be4(customer) || be8(ts) || id"]);
    let countries = 20.0 * (1.0 - 0.95f64.powi(5));
    assert_near(found[0][0].requests, 20.0, 0.01);
    assert_near(found[0][0].rows_read, 10.0 * countries, 10.0 * 4.0 * 0.14);
}

/// A range of ids is a scan for each of 16 draws, whether these are added to the id or lead: as many rows as are wanted, where the table has 100,000.
#[test]
fn a_range_is_one_scan_for_each_draw() {
    let table = "[field]\nid = { type = \"int\", count = 100_000 }\n[existing.w]\neach = [\"id\"]\n\
                 [read.r]\nrange = { field = \"id\", span = 1_000 }\n\
                 [read.greatest]\nrange = { field = \"id\", span = 1_000 }\npage = { field = \"id\", size = 10, number = 1 }\n";
    let keys = [
        "be8(random(16) * 576460752303423488 + id)",
        "left(hex(uuid4()), 1) || be8(id)",
        "be1(random(16)) || be8(id)",
    ];
    for reads in expected(table, &keys) {
        let [all, greatest] = [reads[0], reads[1]];
        assert_near(all.requests, 16.0, 1e-9);
        assert_near(all.rows_read / all.rows_returned, 1.0, 1e-6);
        // Ranges that begin in the last hundredth are cut off: 1,000 - 1,000 / 2 / 100 rows.
        assert_near(all.rows_returned, 995.0, 1.0);
        // Ten of each of 62 rows; of the last few ranges fewer.
        assert_near(greatest.rows_read, 160.0, 1.0);
    }
    // A step of a hundred is read whole at both ends of the range.
    let steps = "be8(random(16) * 576460752303423488 + id / 100) || be8(id)";
    let found = expected(table, &[steps]);
    assert_near(found[0][0].requests, 16.0, 1e-9);
    assert_near(found[0][0].rows_read - found[0][0].rows_returned, 98.5, 2.0);
}

/// Rows of a host come by chance, 1 in 1,000 seconds on average, or one a turn. A tenth of the reads ask for a host whose own row is there; of the others e^-1 find none. Two of
/// them are 1 P(1) + 2 P(more) of a Poisson number of others, with one more where it is there.
#[test]
fn fewer_rows_than_are_asked_for_are_there_as_chance_has_it() {
    let table = |rows: &str| {
        let read = |name: &str, rows: u32| {
            format!(
                "[read.{name}]\nequal = [\"host\"]\nrange = {{ field = \"ts\", last = \"1000s\" }}\nnewest = {{ field = \"ts\", rows = {rows} }}\n"
            )
        };
        format!(
            "[time]\nduration = \"1s\"\n[field]\nhost = {{ type = \"int\", count = 10_000 }}\nts = {{ type = \"timestamp\", unit = \"ms\" }}\n\
             [existing.w]\n{rows}\nlast = \"10000s\"\n{}{}",
            read("one", 1),
            read("two", 2)
        )
    };
    let none = (-1.0f64).exp();
    let one = 0.9 * (1.0 - none) + 0.1;
    let two = 0.9 * (none + 2.0 * (1.0 - 2.0 * none)) + 0.1 * (none + 2.0 * (1.0 - none));
    let key = ["be4(host) || be8(ts)"];
    let drawn = &expected(&table("records = 100_000"), &key)[0];
    // Of 1,024 reads a tenth have their own row in the range, give or take 1 %, four of which are 4 % of what that changes.
    for (read, found) in [(drawn[0], one), (drawn[1], two)] {
        assert_near(read.rows_returned, found, 0.04);
        assert_near(read.rows_read, read.rows_returned, 1e-6);
    }
    let turns = &expected(&table("each = [\"host\"]\nevery = \"1000s\""), &key)[0];
    assert_near(turns[0].rows_returned, 1.0, 0.01);
}

/// Twenty metrics a second for 10,000 seconds, and an event in 250 for a hundred times as long. Ten events of a device with a part w of both take 2,500 / w seconds: the metrics of 8,333
/// where w is 0.3, and of others all that there are, 50,000 and 140,000.
#[test]
fn each_scan_reaches_as_far_back_as_its_own_rows_take() {
    let table = "[time]\nduration = \"1s\"\n[field]\ndev = { type = \"int\", count = 8, distribution = { weights = [30, 20, 15, 10, 10, 8, 5, 2] } }\n\
                 kind = { type = \"int\", count = 2 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                 [existing.metric]\nrecords = 200_000\nlast = \"10000s\"\nwith = { kind = 0 }\n\
                 [existing.event]\nrecords = 4_000\nlast = \"1000000s\"\nwith = { kind = 1 }\n\
                 [read.event]\nwith = { kind = 1 }\nnewest = { field = \"ts\", rows = 10 }\n\
                 [read.metric]\nwith = { kind = 0 }\nnewest = { field = \"ts\", rows = 10 }\n";
    let found = &expected(table, &["be4(dev) || be8(ts) || be1(kind)"])[0];
    // Of a device with 2 % of the rows one of 80 events less or more changes nothing.
    assert_near(found[0].rows_read, 190_080.0, 400.0);
    assert_near(found[1].rows_read, 80.0, 0.2);
}

/// A hash of four values has rows of any thing and state: a fifth of the four was written last with a state, and of a range of things in a thousand those that it has on average, 95 of
/// a hundred as it may be cut off.
#[test]
fn a_hash_of_few_values_tells_nothing_of_several_fields() {
    let table = "[time]\nduration = \"1s\"\n[field]\nid = { type = \"int\", count = 1_000 }\nst = { type = \"int\", count = 5 }\n\
                 [existing.w]\nrecords = 100_000\n[read.state]\nequal = [\"st\"]\n[read.range]\nrange = { field = \"id\", span = 100 }\n";
    let keys = ["salt(4, be4(id) || be1(st))", "be1((id + st) % 4)"];
    for reads in expected(table, &keys) {
        assert_near(reads[0].rows_returned, 0.8, 0.001);
        assert_near(reads[1].rows_returned, 4.0 * 0.095, 0.005);
    }
}

/// The second twenty cells of twelve hours lie in the row of today, as the first twenty do.
#[test]
fn a_page_of_cells_lies_in_a_row_that_the_pages_before_it_share() {
    let table = "[time]\nstart = 2026-01-01T12:00:00Z\nduration = \"10s\"\n[field]\ndev = { type = \"int\", count = 20 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                 [existing.put]\nrecords = 691_200\nlast = \"4d\"\n\
                 [read.range]\nequal = [\"dev\"]\nrange = { field = \"ts\", last = \"11h\" }\npage = { field = \"ts\", size = 20, number = 2, via = \"cursor\" }\n\
                 [read.all]\nequal = [\"dev\"]\npage = { field = \"ts\", size = 20, number = 3, via = \"offset\" }\n";
    let key =
        "be4(dev) || desc(be4(trunc(ts, '1d') / 1000))\"\nqualifier = \"desc(be4(ts % 86400000))";
    let found = expected(table, &[key]);
    for (read, cells) in found[0].iter().zip([20.0, 60.0]) {
        assert_near(read.rows_returned, 1.0, 0.01);
        assert_near(read.rows_read, 1.0, 0.01);
        assert_near(read.cells_returned, 20.0, 0.01);
        assert_near(read.cells_read, cells, 0.5);
    }
}

/// A device has a cell in ten seconds, and a row of cells a minute. Six scans of an hour each, of which the hour that begins with the run has none, read the two minutes each that hold the
/// ten newest cells; of a minute of six cells on average one in e^6 is not there.
#[test]
fn scans_of_a_step_of_time_each_read_their_own_newest_cells() {
    let table = "[time]\nstart = 2026-01-01T12:00:00Z\nduration = \"10s\"\n[field]\ndev = { type = \"int\", count = 200 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                 [existing.put]\nrecords = 1_728_000\nlast = \"1d\"\n\
                 [read.r]\nequal = [\"dev\"]\nrange = { field = \"ts\", last = \"6h\" }\nnewest = { field = \"ts\", rows = 10 }\n";
    let hours = "be4(trunc(ts, '1h') / 1000) || be4(dev) ||";
    let keys = [
        format!("{hours} be4(trunc(ts, '1m') / 1000)\"\nqualifier = \"be4(ts % 60000)"),
        format!("{hours} be8(ts)"),
    ];
    let found = expected(table, &keys.each_ref().map(|key| &key[..]));
    assert_near(found[0][0].rows_read, 12.0 * (1.0 - (-6.0f64).exp()), 0.1);
    assert_near(found[0][0].cells_read, 72.0, 0.5);
    assert_near(found[1][0].rows_read, 60.0, 0.1);
}

/// Seven steps of ten seconds before the run and up to its seventh second, and an eighth in the other three of ten.
#[test]
fn no_step_of_time_is_asked_for_before_it_begins() {
    let table = "[time]\nstart = 2026-01-01T00:00:03Z\nduration = \"10s\"\n[field]\ndev = { type = \"int\", count = 5_000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
                 [write.put]\neach = [\"dev\"]\nevery = \"1s\"\n[existing.put]\nlast = \"57s\"\n[read.all]\nequal = [\"dev\"]\n";
    let found = expected(table, &["be8(trunc(ts, '10s')) || be4(dev)"]);
    // The times of 1,024 reads: four standard deviations of sqrt(0.3 0.7 / 1,024).
    assert_near(found[0][0].requests, 7.3, 0.06);
    assert_near(found[0][0].rows_read, found[0][0].requests, 0.05);
}
