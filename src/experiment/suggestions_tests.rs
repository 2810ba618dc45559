//! Which keys a file suggests, and that one is recommended where the file has none that is good.

use super::suggested_keys::suggested_keys;
use super::suggestions::groups;
use super::{Experiment, Recommendations, Suggestions};
use crate::scenario::{Scenario, Strategy};

/// Six servers; a reader knows plant and sensor and wants the newest rows, another knows the day besides.
const PLANT: &str = r#"
replicates = 2
[time]
duration = "3s"
warmup = "1s"
[cluster]
servers = 6
[field]
plant = { type = "text", count = 30 }
sensor = { type = "int", count = 5000 }
kind = { type = "int", count = 7 }
ts = { type = "timestamp", unit = "ms" }
day = { expr = "to_char(ts, 'yyyyMMdd')" }
[write.w]
rate = "2k/s"
[read.newest]
equal = ["plant", "sensor"]
newest = { field = "ts", rows = 10 }
[read.of-day]
equal = ["plant", "sensor", "day"]
"#;

fn parsed(text: &str) -> Scenario {
    Scenario::parse(text, "plant").unwrap_or_else(|error| panic!("{error}"))
}

fn suggested(keys: &str) -> Vec<String> {
    let scenario = parsed(&format!("{PLANT}{keys}"));
    let own: Vec<&Strategy> = scenario.strategies.iter().collect();
    let keys = suggested_keys(&own).into_iter();
    keys.map(|it| format!("{}: {} {}", it.name, it.key, it.settings().join(" ")))
        .collect()
}

#[test]
fn a_derived_field_with_a_constant_in_front_stays_one_field() {
    let text = PLANT.replace(
        "[write.w]",
        "label = { expr = \"'p' || plant\" }\n[write.w]",
    );
    let key = "[strategy.rising]\nkey = \"be8(ts) || label || ':' || be4(sensor) || be1(kind)\"\n";
    let scenario = parsed(&(text + key));
    let own: Vec<&Strategy> = scenario.strategies.iter().collect();
    let keys = suggested_keys(&own);
    let first = (keys[0].name.as_str(), keys[0].key.as_str());
    assert_eq!(
        first,
        (
            "label-sensor-first",
            "label || ':' || be4(sensor) || be8(ts) || be1(kind)"
        )
    );
    // A key that begins with it keeps its constant as well.
    let key = "[strategy.led]\nkey = \"label || ':' || be4(sensor) || be8(ts) || be1(kind)\"\n";
    let scenario = parsed(
        &(PLANT.replace(
            "[write.w]",
            "label = { expr = \"'p' || plant\" }\n[write.w]",
        ) + key),
    );
    let keys = suggested_keys(&scenario.strategies.iter().collect::<Vec<_>>());
    assert!(
        keys.iter().all(|it| it.key.contains("label || ':'")),
        "{keys:?}"
    );
}

#[test]
fn fields_and_reads_suggest_keys() {
    let keys = "[strategy.rising]\nkey = \"be8(ts) || plant || ':' || be4(sensor) || be1(kind)\"\n";
    // One region on six servers: the number is free, four a server.
    let sampled = "presplit = { algorithm = \"sampled\", regions = 24 }";
    let uniform = "presplit = { algorithm = \"uniform\", regions = 24 }";
    let buckets = "presplit = { algorithm = \"buckets\" }";
    let known = "plant || ':' || be4(sensor)";
    let all = "be8(ts) || plant || ':' || be4(sensor) || be1(kind)";
    let expected = [
        format!("plant-sensor-first: {known} || be8(ts) || be1(kind) {sampled}"),
        format!("plant-sensor-newest-first: {known} || be8(rev_ts(ts)) || be1(kind) {sampled}"),
        format!(
            "hashed-plant-sensor: left(md5_bytes({known}), 4) || {known} || be8(ts) || be1(kind) {uniform}"
        ),
        format!("salted-6: salt(6, {known} || be1(kind)) || {all} {buckets}"),
        format!("row-salted-6: salt(6, {all}) || {all} {buckets}"),
        format!("random-6: be1(random(6)) || {all} {buckets}"),
        format!("salted-12: salt(12, {known} || be1(kind)) || {all} {buckets}"),
        format!("row-salted-12: salt(12, {all}) || {all} {buckets}"),
        format!("random-12: be1(random(12)) || {all} {buckets}"),
        format!("rising-presplit: {all} {sampled}"),
    ];
    assert_eq!(suggested(keys), expected);
    // What only spreads a key is no part of those that it suggests.
    let salted = keys.replace("= \"be8", "= \"be1(random(11)) || '~' || be8");
    assert_eq!(suggested(&salted)[..9], expected[..9]);
}

#[test]
fn a_bucket_of_the_second_is_no_part_of_what_is_suggested() {
    let keys = suggested(
        "[strategy.second]\nkey = \"be1(ts / 1000 % 8) || plant || x'00' || be4(sensor) || be8(ts)\"\n",
    );
    assert!(keys[0].starts_with("plant-sensor-first: plant || x'00' || be4(sensor) || be8(ts) "));
    // But in the file's own key with other split points.
    let (own, new): (Vec<_>, Vec<_>) = keys.iter().partition(|it| it.starts_with("second-"));
    assert!(
        own.len() == 1 && new.iter().all(|it| !it.contains("% 8")),
        "{keys:#?}"
    );
    // Where nothing else tells the time, it stays.
    let keys = suggested(
        "[strategy.second]\nkey = \"be1(ts % 8) || plant || x'00' || be4(sensor) || be1(kind)\"\n",
    );
    assert!(keys.iter().all(|it| it.contains("% 8")), "{keys:#?}");
}

#[test]
fn suggested_keys_get_as_many_regions_as_those_of_the_file() {
    let keys = |existing: &str| {
        suggested(&format!(
            "{existing}[strategy.rising]\nkey = \"be8(ts) || plant || ':' || be4(sensor) || be1(kind)\"\n\
             presplit = {{ algorithm = \"sampled\", regions = 9 }}\n\
             [strategy.first]\nkey = \"plant || ':' || be8(ts) || be4(sensor) || be1(kind)\"\n\
             presplit = [\"b\"]\n"
        ))
    };
    let regions = |keys: &[String], of: &str| {
        let all: Vec<bool> = keys.iter().map(|key| key.contains(of)).collect();
        all.iter().filter(|it| **it).count()
    };
    // Nine, the most of the file's: also of the key that has two. Behind six or twelve buckets rows come in the order of time, whatever exists: each bucket
    // has one region that is written.
    for keys in [keys(""), keys("[existing.w]\nlast = \"1d\"\n")] {
        assert_eq!(regions(&keys, "\"buckets\""), 6, "{keys:?}");
        assert_eq!(regions(&keys, "regions = 9 }"), keys.len() - 6, "{keys:?}");
    }
    let grown = keys("[existing.w]\nlast = \"1d\"\n");
    assert!(grown.iter().any(|key| key.starts_with("first-presplit: ")));
    assert!(!grown.iter().any(|key| key.starts_with("rising-presplit: ")));
}

#[test]
fn a_reader_who_knows_only_a_time_is_given_a_key_by_time_behind_buckets() {
    let keys = suggested(
        "[read.recent]\nrange = { field = \"ts\", last = \"1m\" }\n\
         [strategy.id]\nkey = \"plant || ':' || be4(sensor) || be8(ts) || be1(kind)\"\n",
    );
    let expected = "salted-6-ts: salt(6, plant || ':' || be4(sensor) || be1(kind)) || be8(ts) || plant || ':' || be4(sensor) || be1(kind)";
    assert!(
        keys.iter().any(|key| key.starts_with(expected)),
        "{keys:#?}"
    );
}

#[test]
fn what_each_reader_knows_is_hashed_and_a_derived_field_keeps_its_name() {
    let keys =
        "[strategy.daily]\nkey = \"day || plant || ':' || be8(ts) || be4(sensor) || be1(kind)\"\n";
    let hashed: Vec<String> = suggested(keys)
        .into_iter()
        .filter(|key| key.starts_with("hashed"))
        .collect();
    let rest = "plant || ':' || be4(sensor) || day || be8(ts) || be1(kind) presplit = { algorithm = \"uniform\", regions = 24 }";
    assert_eq!(
        hashed,
        [
            format!(
                "hashed-plant-sensor: left(md5_bytes(plant || ':' || be4(sensor)), 4) || {rest}"
            ),
            format!(
                "hashed-day-plant-sensor: left(md5_bytes(day || plant || ':' || be4(sensor)), 4) || {rest}"
            ),
        ]
    );
}

#[test]
fn a_key_of_nothing_but_time_is_hashed_and_salted_whole() {
    let text = "[cluster]\nservers = 3\n[field]\nts = { type = \"timestamp\", unit = \"ms\" }\n\
        [write.w]\nrate = \"1k/s\"\n[strategy.rising]\nkey = \"be8(ts)\"\n";
    let scenario = parsed(text);
    let keys: Vec<String> = suggested_keys(&[&scenario.strategies[0]])
        .into_iter()
        .map(|it| it.key)
        .collect();
    assert_eq!(
        keys,
        [
            "left(md5_bytes(be8(ts)), 4) || be8(ts)",
            "salt(3, be8(ts)) || be8(ts)",
            "be1(random(3)) || be8(ts)",
            "salt(6, be8(ts)) || be8(ts)",
            "be1(random(6)) || be8(ts)",
            "be8(ts)",
        ]
    );
}

#[test]
fn what_a_key_of_the_file_hashes_is_not_suggested_again() {
    let own = "[strategy.own]\nkey = \"left(md5(plant || text(sensor)), 9) || plant || ':' || be4(sensor) || be8(ts) || be1(kind)\"\n";
    let keys = suggested(own);
    assert!(
        keys.iter()
            .all(|key| !key.starts_with("hashed-plant-sensor:")),
        "{keys:?}"
    );
}

#[test]
fn a_file_with_one_key_that_follows_time_is_advised_to_spread_it() {
    let text = "replicates = 2\n[time]\nduration = \"3s\"\nwarmup = \"1s\"\n[cluster]\nservers = 5\n\
        [field]\nsensor = { type = \"int\", count = 9000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
        [write.w]\nrate = \"3k/s\"\n[strategy.rising]\nkey = \"be8(ts) || be4(sensor)\"\n";
    let scenario = parsed(text);
    let suggestions = Suggestions::of(&scenario);
    assert_eq!(
        suggestions.scenario.strategies.len(),
        5,
        "the file's key and four of our own"
    );
    let results = Experiment::new(&suggestions.scenario).run(|_| {});
    let found = Recommendations::with_suggestions(&suggestions, &results);
    let best = &found.groups[0].strategies[0];
    assert!(best.suggested, "{found:?}");
    assert_eq!(best.hotspot.as_deref(), Some("none"));
    assert!(best.usable_capacity_per_sec > Some(20_000.0), "{best:?}");
    let told = found.groups[0].reasons.join(" ");
    assert!(
        told.contains(&format!("add it as `[strategy.{}]`", best.name)),
        "{told}"
    );
    assert!(found.groups[0].create.contains("SPLITS"));
}

#[test]
fn keys_for_a_sweep_suit_its_most_servers() {
    // Keys for four servers would have four or eight buckets, with which 24 of 32 get nothing.
    let scenario = parsed(
        "[cluster]\nservers = 4\n[sweep]\ncluster.servers = [4, 32, 8]\n[field]\nuser = { type = \"int\", count = 9000 }\n\
         ts = { type = \"timestamp\", unit = \"ms\" }\n[write.w]\nrate = \"3k/s\"\n[strategy.rising]\nkey = \"be8(ts) || be4(user)\"\n",
    );
    let found = Suggestions::of(&scenario).found.simulated;
    let names: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        ["user-first", "salted-64", "row-salted-64", "random-64"]
    );
    let all = found.iter().map(|it| &it.presplit);
    assert!(
        all.clone()
            .all(|it| it.contains("buckets") || it.contains("regions = 128")),
        "{found:?}"
    );
}

#[test]
fn a_copy_by_a_key_of_the_file_keeps_its_buckets() {
    // Minutes of all devices are served by one key of the file, a device's own rows by the other.
    let scenario = parsed(
        r#"
[cluster]
servers = 4
[field]
device = { type = "text", count = 500, length = 6 }
ts = { type = "timestamp", unit = "ms" }
[write.beat]
each = ["device"]
every = "1s"
[existing.beat]
each = ["device"]
every = "1s"
last = "1h"
[read.latest]
equal = ["device"]
newest = { field = "ts", rows = 1 }
[read.quarter]
equal = ["device"]
range = { field = "ts", last = "15m" }
[read.minute-all]
range = { field = "ts", last = "1m" }
[strategy.time]
key = "be1(bucket(8, device)) || be8(ts) || device"
presplit = { algorithm = "buckets" }
[strategy.hash-only]
key = "left(md5(device), 4) || be8(ts)"
presplit = { algorithm = "hex-string", regions = 8 }
"#,
    );
    let found = Suggestions::of(&scenario).found.simulated;
    let mut copies = found.iter().flat_map(|it| &it.copies);
    let by_time = copies.find(|copy| copy.key.starts_with("be1(bucket(8"));
    let by_time = by_time.expect("no one key serves both reads");
    assert_eq!(by_time.presplit, "{ algorithm = \"buckets\" }");
}

#[test]
fn a_suggestion_does_not_displace_a_key_that_is_as_good() {
    let text = "replicates = 2\n[time]\nduration = \"3s\"\nwarmup = \"1s\"\n[cluster]\nservers = 5\n\
        [field]\nsensor = { type = \"int\", count = 9000 }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
        [write.w]\nrate = \"3k/s\"\n[strategy.spread]\nkey = \"left(sha1_bytes(be4(sensor)), 6) || be4(sensor) || be8(ts)\"\n\
        presplit = { algorithm = \"uniform\", regions = 15 }\n";
    let scenario = parsed(text);
    let suggestions = Suggestions::of(&scenario);
    let results = Experiment::new(&suggestions.scenario).run(|_| {});
    let found = Recommendations::with_suggestions(&suggestions, &results);
    // 9,000 sensors that are written equally often spread like their hashes do, and a hash of six bytes makes a row of 140 longer by less than counts.
    let group = &found.groups[0];
    let tied: Vec<&str> = group.strategies[..group.tied]
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert!(tied.len() > 1 && tied.contains(&"spread"), "{group:#?}");
    let told = group.reasons.join(" ");
    assert!(told.contains("What would decide between them: "), "{told}");
    assert!(!told.contains("add it"), "{told}");
}

#[test]
fn keys_that_tell_the_same_records_apart_are_compared_whatever_else_they_say() {
    let scenario = parsed(
        "[field]\nid = { type = \"sequence\" }\nuser = { type = \"int\", count = 100 }\n\
         country = { type = \"int\", count = 9, of = \"user\" }\nts = { type = \"timestamp\", unit = \"ms\" }\n\
         [write.w]\nrate = \"3k/s\"\n\
         [strategy.id]\nkey = \"be8(id)\"\n[strategy.user-id]\nkey = \"be4(user) || be8(id)\"\n\
         [strategy.user-ts]\nkey = \"be4(user) || be8(ts)\"\n[strategy.all]\nkey = \"be1(country) || be4(user) || be8(ts)\"\n\
         [strategy.country-ts]\nkey = \"be1(country) || be8(ts)\"\n",
    );
    // A number is of one record alone, and a user of one country; but many users are of one.
    let found = groups(&scenario.strategies);
    assert_eq!(found, [vec![0, 1], vec![2, 3], vec![4]]);
}

#[test]
fn a_key_of_the_file_is_not_suggested_in_other_words() {
    let names = |newest: &str| -> Vec<String> {
        // With fewer regions than there are servers, it would be suggested for its pre-split.
        let keys = format!(
            "[table]\npresplit = {{ algorithm = \"sampled\", regions = 24 }}\n[strategy.rising]\nkey = \"plant || x'00' || be4(sensor) || be8(ts) || be1(kind)\"\n\
             [strategy.own]\nkey = \"plant || x'00' || be4(sensor) || {newest} || be1(kind)\"\n"
        );
        let found = Suggestions::of(&parsed(&format!("{PLANT}{keys}"))).found;
        let all = found.simulated.into_iter().chain(found.left_out);
        all.map(|it| it.name).collect()
    };
    let is_twin = |name: &String| name.ends_with("newest-first");
    for newest in [
        "be8(rev_ts( ts ))",
        "be8(9223372036854775807 - ts)",
        "desc(be8(ts))",
    ] {
        let names = names(newest);
        assert!(!names.iter().any(is_twin), "{newest}: {names:?}");
    }
    assert!(names("be8(ts / 1000)").iter().any(is_twin));
}
