//! Every sample of every format says what is known of the cluster that it is of: two clusters of 48 regions whose loads were made up, and a real
//! HBase 2.6.1 under a load that was counted by those who made it.

use super::{Load, ObservedError, ObservedFile, Region, TableLoads};
use crate::keyspace::RowKey;
use crate::text::unhex;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A file of `tests/data`, packed there, under the name that it had.
pub(super) fn sample(name: &str) -> ObservedFile {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let path = folder.join(format!("{name}.gz"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    ObservedFile::new(name, &bytes).unwrap()
}

pub(super) fn samples<'a>(
    folder: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<ObservedFile> {
    let names = names.into_iter();
    names
        .map(|name| sample(&format!("{folder}/{name}")))
        .collect()
}

fn truth(of: &str) -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/regions/truth.json"
    );
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    all[of].clone()
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_f64().unwrap())
        .collect()
}

/// Which load a file should tell of a region of the truth; `None`: none.
type Expected = fn(&Value) -> Option<Load>;

fn both(reads: f64, writes: f64) -> Option<Load> {
    let (apart, all) = (Some((reads, writes)), reads + writes);
    Some(Load { apart, all })
}

fn alone(all: f64) -> Option<Load> {
    Some(Load { apart: None, all })
}

/// What happened between both snapshots.
fn grown(region: &Value, name: &str) -> f64 {
    let counts = numbers(&region[name]);
    counts[1] - counts[0]
}

/// A member of a region, times a number.
fn times(region: &Value, name: &str, by: f64) -> f64 {
    region[name].as_f64().unwrap() * by
}

/// Name of each server of the truth.
type Servers = fn(&Value) -> Vec<String>;

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
        .collect()
}

const LONG: Servers = |truth| texts(&truth["servers"]);
const STORES: Servers = |truth| texts(&truth["store_ids"]);
const NODES: Servers = |_| (1..=6).map(|node| node.to_string()).collect();
const UNKNOWN: Servers = |_| Vec::new();

fn key(hex: &Value) -> RowKey {
    RowKey(unhex(hex.as_str().unwrap()).unwrap())
}

#[test]
fn every_sample_tells_the_keys_servers_and_loads_of_its_cluster() {
    let counted: Expected = |it| both(grown(it, "reads"), grown(it, "writes"));
    let summed: Expected = |it| alone(grown(it, "reads") + grown(it, "writes"));
    let per_second: Expected = |it| both(times(it, "read_rate", 1.0), times(it, "write_rate", 1.0));
    let before: Expected = |it| {
        both(
            times(it, "read_rate", 1.0),
            times(it, "write_rate_minute_before", 1.0),
        )
    };
    let per_minute: Expected =
        |it| both(times(it, "read_rate", 60.0), times(it, "write_rate", 60.0));
    let none: Expected = |_| None;
    let list = ["hbase_list_regions.0.txt", "hbase_list_regions.1.txt"];
    let pages: Vec<String> = (1..=6)
        .flat_map(|server| [0, 1].map(|at| format!("jmx_rs{server}.{at}.json")))
        .collect();
    let mut pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    // All of one snapshot, then all of the other, as well as pairs of each server.
    let mut in_turn = pages.clone();
    in_turn.sort_by_key(|name| name.contains(".1."));
    in_turn.push("hbase_meta_scan.0.txt");
    pages.push("hbase_list_regions.1.txt");
    let cases: &[(&str, &[&str], Servers, Expected)] = &[
        ("text", &list, LONG, summed),
        ("tsdb", &list, LONG, summed),
        (
            "text",
            &["hbase_list_regions_v3.0.txt", "hbase_list_regions_v3.1.txt"],
            LONG,
            summed,
        ),
        (
            "text",
            &["hbase_status_detailed.0.txt", "hbase_status_detailed.1.txt"],
            LONG,
            counted,
        ),
        (
            "tsdb",
            &["hbase_status_detailed.0.txt", "hbase_status_detailed.1.txt"],
            LONG,
            counted,
        ),
        (
            "text",
            &[
                "hbase_status_detailed_v3.0.txt",
                "hbase_status_detailed_v3.1.txt",
            ],
            LONG,
            counted,
        ),
        ("text", &pages, LONG, counted),
        ("text", &in_turn, LONG, counted),
        (
            "text",
            &["hbase_hbtop.1.txt", "hbase_list_regions.0.txt"],
            |truth| {
                let short = |name: String| {
                    name.replace(".example.com,", ":")
                        .split(',')
                        .next()
                        .unwrap()
                        .to_owned()
                };
                // Keys come from the list, and with them the names of servers.
                LONG(truth)
                    .into_iter()
                    .inspect(|name| assert!(short(name.clone()).ends_with(":16020")))
                    .collect()
            },
            per_second,
        ),
        (
            "tsdb",
            &["hbase_hbtop.0.txt", "hbase_meta_scan_tty120.0.txt"],
            LONG,
            before,
        ),
        ("tsdb", &["hbase_meta_scan.0.txt"], LONG, none),
        ("text", &["hbase_meta_scan.1.txt"], LONG, none),
        ("tsdb", &["hbase_meta_scan_tty120.0.txt"], LONG, none),
        ("text", &["pd_region.1.json"], STORES, per_minute),
        ("tsdb", &["pd_region.1.json"], STORES, per_minute),
        ("text", &["tidb_table_regions.1.csv"], STORES, |it| {
            both(
                times(it, "read_rate", 7200.0),
                times(it, "write_rate", 7200.0),
            )
        }),
        ("tsdb", &["tidb_table_regions.1.csv"], STORES, |it| {
            both(
                times(it, "read_rate", 2880.0),
                times(it, "write_rate", 2880.0),
            )
        }),
        ("text", &["tidb_table_regions_mysql.1.txt"], STORES, |it| {
            both(
                times(it, "read_rate", 7200.0),
                times(it, "write_rate", 7200.0),
            )
        }),
        ("text", &["crdb_show_ranges.0.csv"], NODES, none),
        ("tsdb", &["crdb_show_ranges.1.csv"], NODES, none),
        (
            "text",
            &["crdb_hot_ranges.1.json", "crdb_show_ranges.1.csv"],
            NODES,
            per_second,
        ),
        (
            "tsdb",
            &["crdb_show_ranges.0.csv", "crdb_hot_ranges.0.json"],
            NODES,
            before,
        ),
        ("tsdb", &["keyvis_heatmap.json"], UNKNOWN, per_minute),
        ("text", &["generic.0.csv", "generic.1.csv"], LONG, counted),
        ("tsdb", &["generic.0.csv", "generic.1.csv"], LONG, counted),
    ];
    for (cluster, names, servers, expected) in cases {
        let truth = truth(cluster);
        let read = TableLoads::read(
            &samples(&format!("regions/{cluster}"), names.iter().copied()),
            None,
            Some(60.0),
        );
        let found = read.unwrap_or_else(|error| panic!("{names:?}: {error}"));
        assert_eq!(
            (&found.warnings, &found.faults),
            (&Vec::new(), &Vec::new()),
            "{names:?}"
        );
        let (regions, servers) = (truth["regions"].as_array().unwrap(), servers(&truth));
        assert_eq!(found.regions.len(), regions.len(), "{names:?}");
        for (region, truth) in found.regions.iter().zip(regions) {
            let range = [&region.start, &region.end].map(|it| it.clone().unwrap());
            assert_eq!(
                range,
                [key(&truth["start_hex"]), key(&truth["end_hex"])],
                "{names:?}"
            );
            assert_eq!(region.load, expected(truth), "{names:?} {region:?}");
            let server = servers.get(truth["server"].as_u64().unwrap() as usize);
            assert_eq!(region.server.as_ref(), server, "{names:?}");
            assert!(!region.at_least);
        }
    }
}

#[test]
fn regions_of_accumulo_begin_behind_the_keys_that_end_those_before() {
    for (cluster, name, servers) in [
        ("tsdb", "accumulo_getsplits_v.txt", false),
        ("text", "accumulo_getsplits.txt", false),
        ("text", "accumulo_getsplits_b64.txt", false),
        ("text", "accumulo_listtablets.1.txt", true),
    ] {
        let files = samples(&format!("regions/{cluster}"), [name]);
        let listed = TableLoads::read(&files, None, None).unwrap();
        let truth = truth(cluster);
        let regions = truth["regions"].as_array().unwrap();
        let points = regions[1..].iter().map(|it| {
            let mut end = key(&it["start_hex"]);
            end.0.push(0);
            end
        });
        let starts = listed.regions[1..].iter();
        let starts = starts.map(|it| it.start.clone().unwrap());
        assert_eq!(
            starts.collect::<Vec<RowKey>>(),
            points.collect::<Vec<RowKey>>()
        );
        let is_told = |it: &Region| it.server.is_some() == servers && it.bytes.is_some() == servers;
        assert!(
            listed
                .regions
                .iter()
                .all(|it| it.load.is_none() && is_told(it)),
            "{name}"
        );
    }
}

#[test]
fn samples_that_tell_less_tell_no_more() {
    let regions = truth("tsdb")["regions"].as_array().unwrap().clone();
    // Start keys without names: what they lost at their ends is lost, and `REQ` is of one snapshot.
    let one = TableLoads::read(
        &samples("regions/tsdb", ["hbase_list_regions_keys_req.1.txt"]),
        None,
        None,
    )
    .unwrap();
    assert!(
        one.regions
            .iter()
            .all(|it| it.load.is_none() && it.server.is_none())
    );
    assert_eq!((one.regions.len(), one.seconds), (48, None));
    // hbtop with start keys and no names of regions. One key has lost the blank at its end, by which it would sort.
    let top = TableLoads::read(
        &samples("regions/tsdb", ["hbase_hbtop_skey.1.txt"]),
        Some("tsdb"),
        None,
    )
    .unwrap();
    let loads = top
        .regions
        .iter()
        .map(|it| it.load.unwrap().apart.unwrap().1);
    let rates = regions.iter().map(|it| times(it, "write_rate", 1.0));
    let [mut loads, mut rates] = [loads.collect::<Vec<f64>>(), rates.collect()];
    loads.sort_by(f64::total_cmp);
    rates.sort_by(f64::total_cmp);
    assert_eq!(loads, rates);
    // Of hot ones only, the CPU as it was made up: 8,000 rows a second take a whole node.
    let hot = TableLoads::read(
        &samples("regions/text", ["bigtable_hot_tablets.1.json"]),
        None,
        None,
    )
    .unwrap();
    let hottest = hot
        .regions
        .iter()
        .map(|it| it.load.unwrap().all)
        .fold(0.0, f64::max);
    assert!(hot.format.is_partial && (hottest - 100.0 * (6_200.0 + 90.0) / 8_000.0).abs() < 1e-9);
    let flow = TableLoads::read(
        &samples("regions/tsdb", ["pd_hot_write.1.json"]),
        None,
        None,
    )
    .unwrap();
    let hottest = flow
        .regions
        .iter()
        .map(|it| it.load.unwrap().all)
        .fold(0.0, f64::max);
    assert_eq!((hottest, flow.regions[0].start.clone()), (6_200.0, None));
}

fn of_each(regions: &[Region], of: impl Fn(Load) -> f64) -> Vec<f64> {
    regions.iter().map(|it| of(it.load.unwrap())).collect()
}

#[test]
fn what_a_real_cluster_counted_is_what_its_clients_asked_for() {
    let names = |table: &str| [0, 1].map(|at| format!("list_regions.{table}.{at}.txt"));
    let status = [0, 1].map(|at| format!("status_detailed.{at}.txt"));
    let jmx = (1..=4).flat_map(|server| [0, 1].map(|at| format!("jmx_rs{server}.{at}.json")));
    let jmx: Vec<String> = jmx.chain(["meta_scan.1.txt".to_owned()]).collect();
    for table in ["text", "tsdb"] {
        let truth = truth("real");
        let (reads, writes) = (
            numbers(&truth[table]["reads"]),
            numbers(&truth[table]["writes"]),
        );
        let all: Vec<f64> = reads.iter().zip(&writes).map(|(a, b)| a + b).collect();
        let read = |names: &[String]| {
            let files = samples("regions/real", names.iter().map(String::as_str));
            let found = TableLoads::read(&files, Some(table), Some(60.0)).unwrap();
            assert_eq!((found.seconds, &found.warnings), (Some(60.0), &Vec::new()));
            let servers: BTreeSet<_> = found
                .regions
                .iter()
                .map(|it| it.server.clone().unwrap())
                .collect();
            assert_eq!(servers.len(), 4);
            found.regions
        };
        assert_eq!(of_each(&read(&names(table)), |it| it.all), all);
        for names in [&status[..], &jmx] {
            let found = read(names);
            assert_eq!(of_each(&found, |it| it.apart.unwrap().0), reads);
            assert_eq!(of_each(&found, |it| it.apart.unwrap().1), writes);
        }
    }
    let text = TableLoads::read(
        &samples("regions/real", names("text").iter().map(String::as_str)),
        None,
        None,
    );
    let blank = &text.unwrap().regions[5];
    assert_eq!(blank.start.clone().unwrap(), RowKey(b"DE|0200 ".to_vec()));
    // Two tables are in these files, and `hbase:namespace`, which nobody asks for.
    let both = TableLoads::read(
        &samples("regions/real", status.iter().map(String::as_str)),
        None,
        None,
    );
    assert!(
        both.unwrap_err()
            .to_string()
            .ends_with("`--table`: there are `text` and `tsdb`")
    );
}

/// One sample of each format, with what completes it.
const EACH: [&[&str]; 17] = [
    &["hbase_list_regions.1.txt"],
    &["hbase_status_detailed.1.txt"],
    &["jmx_rs1.1.json"],
    &["hbase_hbtop.1.txt"],
    &["hbase_hbtop_skey.1.txt"],
    &["hbase_meta_scan.1.txt"],
    &["bigtable_hot_tablets.1.json"],
    &["crdb_show_ranges.1.csv"],
    &["crdb_hot_ranges.1.json"],
    &["pd_region.1.json"],
    &["pd_hot_read.1.json"],
    &["tidb_table_regions.1.csv"],
    &["tidb_table_regions_mysql.1.txt"],
    &["accumulo_getsplits_v.txt"],
    &["accumulo_getsplits.txt"],
    &["accumulo_listtablets.1.txt"],
    &["keyvis_heatmap.json"],
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic(
        which in 0..EACH.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
        pair in any::<bool>(),
    ) {
        let whole = &samples("regions/text", EACH[which].iter().copied())[0];
        let mut bytes = whole.text.clone().into_bytes();
        for (at, byte, change) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match change {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at),
                _ => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len()))),
            }
        }
        let changed = ObservedFile::new("changed", &bytes);
        let changed = changed.or_else(|_: ObservedError| ObservedFile::new("empty", b"")).unwrap();
        let files = if pair { vec![whole.clone(), changed] } else { vec![changed] };
        if let Ok(found) = TableLoads::read(&files, None, None) {
            prop_assert!(found.regions.iter().filter_map(|it| it.load).all(|it| it.all >= 0.0));
        }
    }
}
