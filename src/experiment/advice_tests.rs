//! Advice, read: class, cause, a cure to paste in, and the bounds.

use super::Experiment;
use super::advice::Advice;
use super::advice::KeyParts;
use super::buckets;
use super::verdict::{OverRead, Verdict};
use super::verdict_tests::{even, priced};
use crate::layout::EntityShare;
use crate::metrics::{Hotspot, MetricId};
use crate::random::Seed;
use crate::scenario::Scenario;

/// `key` over a sensor, a zone and the time; sensors follow a law.
fn scenario(key: &str, law: &str) -> Scenario {
    let text = format!(
        "[field]\nsensor = {{ type = \"int\", count = 300{law} }}\nzone = {{ type = \"digits\", width = 2, count = 70 }}\n\
         ts = {{ type = \"timestamp\", unit = \"ms\" }}\n[write.w]\nrate = \"1k/s\"\n[strategy.a]\nkey = \"{key}\"\n"
    );
    Scenario::parse(&text, "advice").unwrap_or_else(|error| panic!("{error}"))
}

fn parts(key: &str, entities: &[EntityShare]) -> KeyParts {
    KeyParts::of(&scenario(key, "").strategies[0], 0, entities)
}

/// A sensor has 43 % of the writes.
const SKEWED: &str = ", distribution = { top = [0.43] }";

fn sensor_17() -> EntityShare {
    EntityShare {
        field: "sensor".to_owned(),
        value: "17".to_owned(),
        share: 0.43,
    }
}

fn advice(hotspot: Hotspot, key: &str, change: impl FnOnce(&mut Verdict)) -> String {
    advice_with(hotspot, (key, ""), &[sensor_17()], change)
}

fn advice_with(
    hotspot: Hotspot,
    (key, law): (&str, &str),
    entities: &[EntityShare],
    change: impl FnOnce(&mut Verdict),
) -> String {
    let mut verdict = even();
    verdict.hot(hotspot);
    verdict.set(MetricId::PlacementFloor, 7.9);
    verdict.key_floor = 1.2;
    verdict.set(MetricId::RegionMaxShare, 0.5);
    change(&mut verdict);
    let strategy = &scenario(key, law).strategies[0];
    let text = Advice {
        verdict: &verdict,
        parts: &KeyParts::of(strategy, 0, entities),
        spreads: &|lead| buckets::spread(strategy, 0, (Seed(1), verdict.servers), lead),
    }
    .to_string();
    let floors = " No balancer gets the hottest server below 7.9× the mean (`placement_floor`), no split below 1.20× (`key_floor`).";
    match text.strip_suffix(floors) {
        Some(start) => start.to_owned(),
        None => text,
    }
}

#[test]
fn a_key_is_told_in_what_leads_what_is_no_time_and_what_is_hot() {
    let salted = parts(
        "salt(16, be4(sensor)) || be8(ts) || be4(sensor) || zone",
        &[sensor_17()],
    );
    assert_eq!(
        salted,
        KeyParts {
            lead: "salt(16, be4(sensor))".to_owned(),
            first: Some("be4(sensor)".to_owned()),
            identity: Some("be4(sensor) || zone".to_owned()),
            whole: "be8(ts) || be4(sensor) || zone".to_owned(),
            skewed: Some(("be4(sensor)".to_owned(), "sensor 17".to_owned(), 0.43)),
            time_is_second: true,
            regions_of_moment: Some(16),
            unused: Vec::new(),
            leading_buckets: Some(16),
            has_bucket_regions: false,
            is_sampled: false,
            imported: false,
        }
    );
    let alone = parts("x'00' || be8(ts)", &[sensor_17()]);
    assert_eq!((alone.lead.as_str(), alone.identity), ("be8(ts)", None));
    assert_eq!(alone.unused, ["sensor", "zone"]);
    assert_eq!(alone.skewed, None);
}

#[test]
fn a_key_that_leads_with_time_gets_a_salt_over_what_follows() {
    let moving = |key| {
        advice(Hotspot::Moving, key, |v| {
            v.leads_with_time = true;
            v.servers = 7;
        })
    };
    assert_eq!(
        moving("be8(ts) || be4(sensor) || zone"),
        "Moving hotspot: the first segment, `be8(ts)`, follows time, so that all rows of a moment lie side by side. Put `salt(14, \
         be4(sensor) || zone)` in front, with `presplit = { algorithm = \"buckets\" }`, or lead with `be4(sensor)`."
    );
    assert_eq!(
        moving("be8(ts)"),
        "Moving hotspot: the first segment, `be8(ts)`, follows time, so that all rows of a moment lie side by side. It has nothing \
         besides time that spreads its rows: put `salt(14, be8(ts))` in front, with `presplit = { algorithm = \"buckets\" }`, and a range of \
         time is read from all 14 buckets."
    );
    // Three values are in three buckets at most, and hours in one at a time.
    assert!(
        moving("be8(ts) || be1(sensor % 3)").contains("put `salt(14, be8(ts) || be1(sensor % 3))`")
    );
    assert!(moving("be4(ts / 3_600_000)").contains("put `be1(random(14))`"));
    // So are seconds, though those of a minute are in many.
    assert!(moving("be4(ts / 1_000)").contains("put `be1(random(14))`"));
}

#[test]
fn a_hot_row_is_told_apart_or_counted_in_several_rows() {
    let row = |key| advice(Hotspot::Row, key, |v| v.hottest_row_share = 0.4);
    let cause = "Row hotspot: one row takes 40 % of the writes, and a row is never split.";
    let counted =
        "a counter is kept in 4 rows, with `be1(random(4))` in the key, and readers add them up.";
    assert_eq!(
        row("zone || be4(sensor)"),
        format!("{cause} Add `ts` to the key if its rows are to be told apart; {counted}")
    );
    // Its lock lets 667 a second through: 8,000 are twelve times as much.
    let locked = advice(Hotspot::Row, "zone", |v| {
        (v.row_lock, v.row_rate) = (Some(2_000.0 / 3.0), 8_000.0);
    });
    assert!(
        locked.contains("kept in 24 rows, with `be1(random(24))`"),
        "{locked}"
    );
    assert_eq!(
        row("zone || be4(sensor) || be8(ts)"),
        format!("{cause} No key over the same fields helps; {counted}")
    );
}

#[test]
fn a_hot_value_is_spread_by_all_that_tells_its_rows_apart() {
    let hot = |key| advice_with(Hotspot::Static, (key, SKEWED), &[sensor_17()], |_| {});
    let cause = "Static hotspot: `sensor 17` has 43 % of the writes, and `be4(sensor)` lays its rows side by side.";
    let split = "in front, with `presplit = { algorithm = \"buckets\" }`; who reads all rows of one value asks all 16 buckets.";
    assert_eq!(
        hot("be4(sensor) || be8(ts) || zone"),
        format!("{cause} Put `salt(16, be4(sensor) || zone)` {split}")
    );
    // A salt is no part of what one is computed from.
    assert_eq!(
        hot("salt(16, be4(sensor) || zone) || be4(sensor) || zone || be8(ts)"),
        format!("{cause} Put `salt(16, be4(sensor) || zone)` {split}")
    );
    assert_eq!(
        hot("be4(sensor) || be8(ts)"),
        format!("{cause} Put `salt(16, be4(sensor) || be8(ts))` {split}")
    );
    assert_eq!(
        hot("be4(sensor)"),
        format!(
            "{cause} The key knows nothing that tells its rows apart: put `be1(random(16))` {split}"
        )
    );
    // No value explains the region.
    assert_eq!(
        advice_with(Hotspot::Static, ("be4(sensor)", ""), &[], |v| {
            v.set(MetricId::RegionMaxShare, 0.9);
        }),
        "Static hotspot: one range of `be4(sensor)` has 90 % of the writes. Take split points at the quantiles of the keys: \
         `presplit = { algorithm = \"sampled\", regions = 32 }`."
    );
}

#[test]
fn quantiles_are_as_many_as_the_regions_and_no_cure_of_quantiles() {
    let cure_of = |key: &str, is_sampled: bool, regions: usize| {
        let mut verdict = even();
        verdict.hot(Hotspot::Static);
        (verdict.regions, verdict.reachable_regions) = (regions, regions);
        let parts = KeyParts {
            is_sampled,
            ..parts(key, &[])
        };
        let advice = Advice {
            verdict: &verdict,
            parts: &parts,
            spreads: &|_| true,
        };
        advice.to_string()
    };
    let cure = |is_sampled, regions| cure_of("be4(sensor) || be8(ts)", is_sampled, regions);
    let quantiles = |regions: u32| {
        format!(
            "Take split points at the quantiles of the keys: `presplit = {{ algorithm = \"sampled\", regions = {regions} }}`."
        )
    };
    // Four a server are enough; who has more keeps as many, a multiple of eight servers.
    assert!(cure(false, 16).contains(&quantiles(32)));
    assert!(cure(false, 64).contains(&quantiles(64)));
    assert!(cure(false, 65).contains(&quantiles(72)));
    assert!(cure(true, 16).contains(&quantiles(32)));
    let salted = "Put `salt(16, be4(sensor))` in front, with `presplit = { algorithm = \"buckets\" }`; who reads";
    assert!(cure(true, 64).contains(salted));
    // Four values with time behind have four ends, and an hour of the day one, wherever they are cut.
    for key in [
        "be1(sensor % 4) || be8(ts)",
        "to_char(ts, 'HH') || be4(sensor)",
    ] {
        let told = cure_of(key, true, 16);
        assert!(
            told.contains("in front") && !told.contains("quantiles"),
            "{told}"
        );
    }
}

#[test]
fn a_pre_split_is_told_more_buckets_a_region_each_or_quantiles() {
    let mismatch = |key, regions: usize| {
        advice(Hotspot::PresplitMismatch, key, |v| {
            (v.regions, v.reachable_regions) = (regions, regions.min(3));
        })
    };
    assert_eq!(
        mismatch("salt(3, be4(sensor)) || be4(sensor)", 3),
        "Presplit mismatch: the keys reach 3 of 3 regions, on 8 servers. `salt(3, be4(sensor))` has 3 values for 8 servers: give it 16, \
         a multiple of the servers, and each a region, `presplit = { algorithm = \"buckets\" }`."
    );
    assert_eq!(
        mismatch("salt(20, be4(sensor)) || be4(sensor)", 1),
        "Presplit mismatch: a single region can't use 8 servers. Give each of the 20 values of `salt(20, be4(sensor))` its region: \
         `presplit = { algorithm = \"buckets\" }`."
    );
    assert_eq!(
        mismatch("be4(sensor)", 33),
        "Presplit mismatch: the keys reach 3 of 33 regions, on 8 servers. Take split points at the quantiles of the keys: \
         `presplit = { algorithm = \"sampled\", regions = 32 }`."
    );
}

#[test]
fn a_hotspot_of_reads_has_bounds_of_reads() {
    assert_eq!(
        advice(Hotspot::Lookback, "be8(ts) || be4(sensor)", |v| {
            v.hot_reads(Hotspot::Lookback);
            v.leads_with_time = true;
        }),
        "Lookback hotspot: readers ask for rows of one time, and `be8(ts)` lays them side by side. Spread what is read together: put \
         `salt(16, be4(sensor))` in front, with `presplit = { algorithm = \"buckets\" }`. If it is the newest data, keep it in memory: \
         a read from memory costs the same server less. No balancer gets the reads of the hottest server below 7.9× the mean \
         (`read_placement_floor`), no split below 1.20× (`read_key_floor`)."
    );
    // Where readers look for few rows among many, a salt lays as many in the way of each.
    let in_vain = advice(Hotspot::Lookback, "be8(ts) || be4(sensor)", |v| {
        v.hot_reads(Hotspot::Lookback);
        v.over_read = Some(OverRead {
            read: priced("latest", 174.0),
            fields: "`sensor` and `ts`".to_owned(),
            handlers: [60.0, 240.0],
        });
    });
    let needed = "A salt spreads what is read in vain, and does not lessen it. `latest` needs a key that lays what it asks for side by side, by `sensor` and `ts`: \
                  of the table, or of a copy in that order (`copies`).";
    assert!(
        in_vain.contains(needed) && !in_vain.contains("salt("),
        "{in_vain}"
    );
    let read = |hotspot, share: f64| {
        advice(hotspot, "be4(sensor)", |v| {
            v.hot_reads(hotspot);
            v.hottest_row_share = share;
        })
    };
    // Three tenths of the reads on eight servers: 2.4 servers' worth, so three copies.
    let row = read(Hotspot::Row, 0.3);
    assert!(
        row.contains("one row takes 30 % of the reads") && row.contains("write it 3 times"),
        "{row}"
    );
    assert!(!row.contains("salt("), "{row}");
    let range = read(Hotspot::Static, 0.0);
    assert!(
        range.contains("one range of `be4(sensor)` has 50 % of the reads")
            && range.contains("a Get by all of that stays one Get"),
        "{range}"
    );
}

#[test]
fn what_lies_badly_is_placed_anew_and_the_key_stays() {
    let text = advice(Hotspot::Placement, "be4(sensor)", |v| {
        v.dealt([2.08, 1.5, 3.0, 1.0]);
    });
    assert_eq!(
        text,
        "Placement hotspot: it is not the key; the same regions can lie so that the hottest server has 1.00× the mean. Let a balancer place \
         them that looks at their load (`balancer.policy = \"load\"`), or move the hot ones by hand; of 32 regions that are asked at a time, \
         or more, chance makes less."
    );
    // Reads lie badly, and the writes have a hotspot of their own.
    let text = advice(Hotspot::Placement, "be4(sensor)", |v| {
        v.dealt([2.08, 1.5, 3.0, 1.0]);
        v.hot_reads(Hotspot::Placement);
        v.hotspots.writes = Some(Hotspot::Static);
        v.hotspots.read_share = Some(0.9);
    });
    let told = "Placement hotspot: of the reads it is not the key; the same regions";
    assert!(text.starts_with(told), "{text}");
}

#[test]
fn calls_that_are_refused_at_a_moment_are_told_with_what_helps() {
    // 90,000 meters that send at once find room for a few thousand calls in the queues.
    let beat = |v: &mut Verdict| {
        v.set(MetricId::RefusedCallsFraction, 0.943);
        v.set(MetricId::WriteUnfinishedFraction, 0.657);
        v.set(MetricId::UtilisationMean, 0.049);
    };
    let mut verdict = even();
    beat(&mut verdict);
    let told = "94.3 % of the calls refused, 65.7 % unfinished at the end";
    assert!(verdict.to_string().contains(told), "{verdict}");
    let text = advice(Hotspot::None, "be4(sensor)", beat);
    let cure = "Spread the writes in time (`jitter`), or lengthen the queues (`cluster.call_queue_length`).";
    assert!(text.ends_with(cure), "{text}");
    // Where clients get them all done in the end, they are why some come late.
    verdict.set(MetricId::WriteUnfinishedFraction, 0.0);
    let told = "94.3 % of the calls refused.";
    assert!(verdict.to_string().ends_with(told), "{verdict}");
}

#[test]
fn other_buckets_are_advised_only_where_they_would_be_more_even() {
    let of = |buckets: usize, peak: f64| {
        advice_with(Hotspot::Static, ("be4(sensor)", ""), &[], |v| {
            v.buckets = Some(buckets);
            v.set(MetricId::ServerPeakToMean, peak);
        })
    };
    assert!(of(9, 1.8).ends_with("9 buckets don't divide evenly among 8 servers: take 16."));
    assert!(!of(20, 8.0).contains("take 16"));
}

/// Two of ten alike regions on one of eight servers are 20 %, 1.6 times an eighth: no value is to be laid apart for that.
#[test]
fn no_salt_cures_a_number_of_regions() {
    let text = advice(Hotspot::Static, "be4(sensor)", |v| {
        v.reachable_regions = 10;
        // Of few rows an interval, one region has more than a tenth by chance.
        v.set(MetricId::RegionMaxShare, 0.12);
        v.set(MetricId::RegionMaxShareOverall, 0.105);
        v.set(MetricId::ServerPeakToMean, 1.6);
    });
    assert_eq!(
        text,
        "Static hotspot: each of the 10 regions has about as many of the writes. 10 regions don't divide evenly among 8 servers: take 16."
    );
}

#[test]
fn what_is_even_needs_no_cure_but_for_more_servers() {
    let none = |change: fn(&mut Verdict)| advice(Hotspot::None, "be4(sensor)", change);
    assert_eq!(none(|_| {}), "Nothing to cure.");
    assert_eq!(
        none(|v| v.set(MetricId::Saturated, 1.0)),
        "No key cures this: the load is more than 8 evenly loaded servers can do."
    );
    assert_eq!(
        none(|v| {
            v.set(MetricId::Saturated, 1.0);
            v.set(MetricId::UtilisationMean, 0.6);
            v.neighbours = "`orders`".to_owned();
        }),
        "No key cures this: with what neighbours ask for (`orders`), a server is full, while 60 % of all handlers are busy."
    );
    // Rows of unlike size are spread by a salt, though there are as many on each server.
    assert_eq!(
        none(|v| {
            v.set(MetricId::Saturated, 1.0);
            v.set(MetricId::LogUtilisationMax, 1.0);
            v.set(MetricId::WriteThroughput, 60e3);
            v.uneven_log = Some(2.6);
        }),
        "Another key may cure this: the log of the busiest server is written at 100 % of its bandwidth, 2.6× the mean, as rows or values are of unlike size. \
         Put `salt(16, be4(sensor))` in front, with `presplit = { algorithm = \"buckets\" }`."
    );
    // Clients may have one operation in flight, and servers wait for them.
    let idle = |failed| {
        advice(Hotspot::None, "be4(sensor)", |v| {
            v.set(MetricId::Saturated, 1.0);
            v.set(MetricId::UtilisationMean, 0.00588);
            v.set(MetricId::UtilisationMax, 0.00631);
            v.set(MetricId::WriteFailedFraction, failed);
        })
    };
    assert_eq!(
        idle(0.941),
        "No key cures this: clients give up 94.1 % of the writes, while at most 0.631 % of a server's handlers are busy."
    );
    assert_eq!(
        idle(0.0),
        "No key cures this: operations pile up, while at most 0.631 % of a server's handlers are busy."
    );
}

#[test]
fn a_neighbour_that_fills_a_server_is_named() {
    // A server takes 30 / 1.5 ms = 20,000 puts a second, and has a fourth of 20,000 of the table. Of the neighbour's 30,000 its hottest region has 12,000, and three others
    // beside it 1,200 each: 5,000 + 12,000 + 3,600 = 20,600. Spread evenly it is 5,000 + 7,500.
    let advice = |hottest: &str| {
        let text = format!(
            r#"
[time]
duration = "4s"
warmup = "1s"
sample = "200ms"
[cluster]
servers = 4
[field]
host = {{ type = "int", count = 2000 }}
ts = {{ type = "timestamp", unit = "ms" }}
[write.w]
rate = "20k/s"
[neighbour.orders]
regions = 16
write_rate = "30k/s"
{hottest}
[table]
presplit = {{ algorithm = "sampled", regions = 16 }}
[strategy.by-host]
key = "be4(host) || be8(ts)"
"#
        );
        let scenario = Scenario::parse(&text, "hosts").unwrap_or_else(|error| panic!("{error}"));
        Experiment::new(&scenario).run(|_| {}).strategies[0]
            .advice
            .clone()
    };
    let full =
        "No key cures this: with what neighbours ask for (`orders`), a server is full, while 6";
    let found = advice("hottest = 0.4");
    assert!(found.starts_with(full), "{found}");
    assert_eq!(advice(""), "Nothing to cure.");
}

#[test]
fn an_overload_that_reads_make_in_vain_is_cured_by_another_key_and_one_of_writes_by_none() {
    // A tenant has 100,000 rows, which are 7 calls of 2 MB: 100 reads a second of 1.2 ms a call and 1 us a row take 100 x 0.1084 s = 10.8 of 4 handlers under the first
    // key, and 100 x 1.21 ms = 0.12 under the second. A write takes 1.5 ms of a handler: 4 do 2,700 a second.
    let advice = |rate: &str| {
        let text = format!(
            r#"
[time]
duration = "3s"
warmup = "1s"
[cluster]
servers = 2
handlers = 2
call_queues = 1
[field]
tenant = {{ type = "int", count = 300 }}
ts = {{ type = "timestamp", unit = "ms" }}
event = {{ type = "uuid" }}
[write.log]
rate = "{rate}"
[existing.log]
records = 30_000_000
last = "10d"
[read.latest]
equal = ["tenant"]
newest = {{ field = "ts", rows = 10 }}
rate = "100/s"
[table]
presplit = {{ algorithm = "sampled", regions = 32 }}
[strategy.by-event]
key = "be4(tenant) || event"
[strategy.by-time]
key = "be4(tenant) || be8(rev_ts(ts)) || event"
"#
        );
        let scenario = Scenario::parse(&text, "log").unwrap_or_else(|error| panic!("{error}"));
        let results = Experiment::new(&scenario).run(|_| {});
        let advice = results.strategies.into_iter().map(|it| it.advice);
        advice.collect::<Vec<_>>()
    };
    let few = advice("500/s");
    assert_eq!(
        few[0],
        "Another key may cure this: a `latest` costs 7 scan calls that read 100k rows for 10, and reads take 10.8 of 4 handlers. `latest` needs a key that lays what it \
         asks for side by side, by `tenant` and `ts`: of the table, or of a copy in that order (`copies`)."
    );
    assert_eq!(few[1], "Nothing to cure.");
    let many = advice("4k/s");
    assert!(
        many.iter().all(|it| it.starts_with("No key cures this: ")),
        "{many:?}"
    );
}
