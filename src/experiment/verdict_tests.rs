//! Verdicts, read: each must be true of its numbers, specific, and one sentence.

use super::course::Course;
use super::read_price::ReadPrice;
use super::verdict::Dealings;
use super::verdict::{AlsoHot, Verdict};
use crate::metrics::{Hotspot, Side};
use crate::query::AccessPath;

/// An even spread of an open loop at half load.
pub(super) fn even() -> Verdict {
    Verdict {
        hotspot: Some(Hotspot::None),
        also: None,
        dealings: None,
        held_back: None,
        skew_of: Side::Write,
        rates_of: Side::Write,
        servers: 8,
        server_max_share: Some(0.1312),
        peak_to_mean: Some(1.05),
        offered_per_sec: Some(80_012.0),
        throughput_per_sec: Some(80_003.0),
        capacity_per_sec: Some(19_870.0),
        makespan_ms: None,
        import_unfinished: false,
        p99_ms: Some((3.421, false)),
        failed_fraction: 0.0,
        unfinished_fraction: 0.0001,
        saturated: false,
        leads_with_time: false,
        regions: 32,
        reachable_regions: 32,
        buckets: None,
        entity: None,
        hot_range: None,
        hottest_row_share: 0.00001,
        region_max_share: Some(0.034),
        key_floor: 1.0,
        placement_floor: 1.0,
        duration_s: 20.0,
        course: Course::default(),
        reads: Vec::new(),
    }
}

fn verdict(change: impl FnOnce(&mut Verdict)) -> String {
    let mut verdict = even();
    change(&mut verdict);
    verdict.to_string()
}

/// One server swamped by an open loop.
fn swamped(v: &mut Verdict, hotspot: Hotspot, share: f64) {
    v.hotspot = Some(hotspot);
    v.server_max_share = Some(share);
    v.peak_to_mean = Some(share * 8.0);
    v.region_max_share = Some(share);
    v.placement_floor = share * 8.0;
    v.throughput_per_sec = Some(19_870.0 / share);
    v.p99_ms = Some((14_240.0, true));
    v.unfinished_fraction = 0.713;
    v.saturated = true;
}

#[test]
fn an_even_spread() {
    assert_eq!(
        verdict(|_| {}),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); all 80.0k writes/s completed, p99 3.42 ms."
    );
}

#[test]
fn an_even_spread_of_more_than_the_cluster_can_do() {
    assert_eq!(
        verdict(|v| {
            v.offered_per_sec = Some(240_000.0);
            v.throughput_per_sec = Some(158_700.0);
            v.saturated = true;
            v.p99_ms = Some((9_100.0, true));
            v.unfinished_fraction = 0.34;
        }),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); 159k of 240k writes/s completed, more than the \
         cluster can do, p99 over 9.10 s, 34 % unfinished at the end."
    );
}

#[test]
fn a_key_that_leads_with_time() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Moving, 0.998);
            v.leads_with_time = true;
        }),
        "Moving hotspot: the key follows time, so one of 8 servers takes 99.8 % of the writes at a time; 19.9k of 80.0k writes/s \
         completed, p99 over 14.2 s, 71.3 % unfinished at the end; no placement of whole regions gets the hottest server below 8.0× the mean."
    );
}

#[test]
fn a_single_region() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::PresplitMismatch, 1.0);
            (v.regions, v.reachable_regions) = (1, 1);
        }),
        "Presplit mismatch: the table has a single region, so one of 8 servers takes 100 % of the writes; 19.9k of 80.0k writes/s completed, \
         p99 over 14.2 s, 71.3 % unfinished at the end; no placement of whole regions gets the hottest server below 8.0× the mean."
    );
}

#[test]
fn decimal_keys_under_a_hex_split() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::PresplitMismatch, 0.33);
            v.throughput_per_sec = Some(59_600.0);
            (v.regions, v.reachable_regions) = (10, 3);
            v.unfinished_fraction = 0.251;
        }),
        "Presplit mismatch: the keys reach only 3 of 10 regions, so one of 8 servers takes 33 % of the writes; 59.6k of 80.0k writes/s \
         completed, p99 over 14.2 s, 25.1 % unfinished at the end; no placement of whole regions gets the hottest server below 2.6× the mean."
    );
}

#[test]
fn fewer_buckets_than_servers() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::PresplitMismatch, 0.252);
            v.buckets = Some(4);
            (v.regions, v.reachable_regions) = (4, 4);
            v.throughput_per_sec = Some(79_400.0);
            v.p99_ms = Some((1_310.0, false));
            v.unfinished_fraction = 0.004;
        }),
        "Presplit mismatch: 4 buckets can't use 8 servers, so one of 8 servers takes 25.2 % of the writes; all 80.0k writes/s completed, p99 \
         1.31 s; no placement of whole regions gets the hottest server below 2.0× the mean."
    );
}

#[test]
fn buckets_that_do_not_divide_evenly() {
    assert_eq!(
        verdict(|v| {
            v.buckets = Some(12);
            v.server_max_share = Some(0.1672);
            v.peak_to_mean = Some(1.34);
        }),
        "No hotspot: the busiest of 8 servers takes 16.7 % of the writes (even: 12.5 %), as 12 buckets put 2 on some servers and 1 on \
         others; all 80.0k writes/s completed, p99 3.42 ms."
    );
}

#[test]
fn one_hot_entity() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Static, 0.41);
            v.entity = Some(("metric 17".to_owned(), 0.312));
            v.region_max_share = Some(0.33);
            v.placement_floor = 2.64;
            v.throughput_per_sec = Some(66_100.0);
            v.unfinished_fraction = 0.173;
        }),
        "Static hotspot: `metric 17` takes 31.2 % and its keys are neighbours, so one of 8 servers takes 41 % of the writes; 66.1k of 80.0k \
         writes/s completed, p99 over 14.2 s, 17.3 % unfinished at the end; no placement of whole regions gets the hottest server below 2.6× the mean."
    );
}

#[test]
fn one_hot_range_that_a_better_placement_would_cool() {
    assert_eq!(
        verdict(|v| {
            v.hotspot = Some(Hotspot::Static);
            v.server_max_share = Some(0.23);
            v.peak_to_mean = Some(1.84);
            v.region_max_share = Some(0.09);
            v.hot_range = Some("from `site eu` to `site us`".to_owned());
        }),
        "Static hotspot: one range of keys takes 9 %, from `site eu` to `site us`, so one of 8 servers takes 23 % of the writes; all 80.0k writes/s completed, p99 3.42 ms."
    );
}

#[test]
fn one_hot_row() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Row, 0.38);
            v.hottest_row_share = 0.31;
            v.key_floor = 2.48;
            v.failed_fraction = 0.0412;
        }),
        "Row hotspot: a single row takes 31 %, so one of 8 servers takes 38 % of the writes; 52.3k of 80.0k writes/s completed, p99 over \
         14.2 s, 4.12 % failed, 71.3 % unfinished at the end; no split gets the hottest server below 2.5× the mean."
    );
}

#[test]
fn a_closed_loop_behind_one_server() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Moving, 1.0);
            v.leads_with_time = true;
            v.offered_per_sec = None;
            v.unfinished_fraction = 0.002;
            v.p99_ms = Some((61.2, false));
        }),
        "Moving hotspot: the key follows time, so one of 8 servers takes 100 % of the writes at a time; 19.9k writes/s, 12.5 % of what 8 \
         servers could do, p99 61.2 ms; no placement of whole regions gets the hottest server below 8.0× the mean."
    );
}

#[test]
fn an_import_in_key_order() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Moving, 0.99);
            v.offered_per_sec = None;
            v.makespan_ms = Some(52_300.0);
            v.p99_ms = Some((8.1, false));
        }),
        "Moving hotspot: neighbouring keys are written one after another, so one of 8 servers takes 99 % of the writes at a time; done \
         after 52.3 s at 20.1k writes/s, p99 8.10 ms; no placement of whole regions gets the hottest server below 7.9× the mean."
    );
}

#[test]
fn an_import_that_is_cut_off() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Moving, 0.99);
            v.offered_per_sec = None;
            v.import_unfinished = true;
            v.duration_s = 240.0;
            v.p99_ms = Some((8.1, false));
        }),
        "Moving hotspot: neighbouring keys are written one after another, so one of 8 servers takes 99 % of the writes at a time; 20.1k \
         writes/s, 12.6 % of what 8 servers could do, the import not done after 4 min, p99 8.10 ms; no placement of whole regions gets the hottest \
         server below 7.9× the mean."
    );
}

#[test]
fn too_little_to_judge() {
    assert_eq!(
        verdict(|v| v.hotspot = None),
        "Too few operations an interval for a statement about skew: sample longer or offer more."
    );
}

#[test]
fn a_single_server() {
    assert_eq!(
        verdict(|v| {
            (v.servers, v.server_max_share, v.peak_to_mean) = (1, Some(1.0), Some(1.0));
            v.offered_per_sec = Some(12_000.0);
            v.throughput_per_sec = Some(11_990.0);
        }),
        "One server takes everything; all 12.0k writes/s completed, p99 3.42 ms."
    );
}

fn read(name: &str, p99: f64) -> ReadPrice {
    ReadPrice {
        name: name.to_owned(),
        path: AccessPath::FanOutScan,
        calls: 16.0,
        rows_read: 12.0,
        rows_returned: 10.0,
        p99_ms: Some((p99, false)),
        failed_fraction: 0.0,
        behind: None,
    }
}

#[test]
fn what_reads_pay_ends_the_sentence() {
    assert_eq!(
        verdict(|v| v.reads = vec![read("newest", 4.112)]),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); all 80.0k writes/s completed, p99 3.42 ms; \
         a `newest` costs 16 scan calls, p99 4.11 ms."
    );
    let end = |names: &[&str]| {
        let reads = names.iter().enumerate();
        let reads = reads
            .map(|(at, name)| read(name, 2.0 + at as f64))
            .collect();
        let text = verdict(|v| v.reads = reads);
        text.split_once("3.42 ms; ").unwrap().1.to_owned()
    };
    assert_eq!(
        end(&["newest", "window"]),
        "a `newest` costs 16 scan calls, p99 2.00 ms; a `window` costs 16 scan calls, p99 3.00 ms."
    );
    assert_eq!(
        end(&["newest", "window", "page"]),
        "dearest of 3 reads: a `page` costs 16 scan calls, p99 4.00 ms."
    );
}

#[test]
fn a_hotspot_of_reads() {
    assert_eq!(
        verdict(|v| {
            v.hotspot = Some(Hotspot::Lookback);
            v.skew_of = Side::Read;
            (v.server_max_share, v.region_max_share) = (Some(0.912), Some(0.9));
            v.peak_to_mean = Some(7.3);
            v.reads = vec![ReadPrice {
                behind: Some((310.0, 400.0)),
                ..read("newest", 812.0)
            }];
        }),
        "Lookback hotspot: the newest rows are read, and they are neighbours, so one of 8 servers takes 91.2 % of the reads; \
         all 80.0k writes/s completed, p99 3.42 ms; a `newest` costs 16 scan calls, p99 812 ms, 310 of 400 reads/s completed."
    );
}

#[test]
fn a_workload_of_reads_alone() {
    assert_eq!(
        verdict(|v| {
            (v.skew_of, v.rates_of) = (Side::Read, Side::Read);
            (v.offered_per_sec, v.throughput_per_sec) = (Some(500.0), Some(499.0));
            v.capacity_per_sec = None;
        }),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the reads (even: 12.5 %); all 500 reads/s completed, p99 3.42 ms."
    );
}

/// 2.1 [1.5, 3.0], the best even.
const DEALT: Dealings = Dealings {
    mean: 2.08,
    low: 1.5,
    high: 3.0,
    best: 1.0,
};

#[test]
fn regions_that_happen_to_lie_badly_are_no_fault_of_the_key() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Placement, 1.0);
            v.region_max_share = Some(0.0625);
            v.placement_floor = 1.0;
            v.dealings = Some(DEALT);
            // Whoever is the most frequent: all of it is spread.
            v.buckets = Some(16);
        }),
        "Placement hotspot: the regions happen to lie badly, so one of 8 servers takes 100 % of the writes, 8.0× the mean: other dealings of \
         the same regions give 2.1× [1.50×, 3.0×], the best 1.00×; 19.9k of 80.0k writes/s completed, p99 over 14.2 s, 71.3 % unfinished at the end."
    );
}

#[test]
fn what_placement_makes_of_the_skew_is_said_where_it_differs() {
    let even = verdict(|v| v.dealings = Some(DEALT));
    assert!(
        even.contains("(even: 12.5 %), 2.1× [1.50×, 3.0×] by how regions happen to lie; all"),
        "{even}"
    );
    let alike = Dealings { high: 1.6, ..DEALT };
    let even = verdict(|v| v.dealings = Some(alike));
    assert!(!even.contains("happen to lie"), "{even}");
}

#[test]
fn a_number_of_buckets_is_the_cause_only_where_it_explains_the_peak() {
    let of = |buckets: usize, peak: f64| {
        verdict(|v| {
            swamped(v, Hotspot::Static, peak / 8.0);
            v.buckets = Some(buckets);
            v.region_max_share = Some(0.05);
        })
    };
    // 9 on 8: two on one, 16 / 9 = 1.78. 20 on 8 give 1.2 at least, never 8.
    assert!(of(9, 1.8).contains("9 buckets don't divide evenly among 8 servers"));
    assert!(of(20, 8.0).contains("one region takes 5 %"));
    // Four buckets on eight servers, which existing rows have split further: the best dealing of the four ends is 2, this one has 4.
    let few = verdict(|v| {
        swamped(v, Hotspot::Static, 0.5);
        v.buckets = Some(4);
        v.dealings = Some(Dealings { best: 2.0, ..DEALT });
    });
    assert!(few.contains("4 buckets can't use 8 servers"), "{few}");
}

#[test]
fn a_row_that_is_read_is_a_row_hotspot_of_reads() {
    assert_eq!(
        verdict(|v| {
            (v.hotspot, v.skew_of, v.rates_of) = (Some(Hotspot::Row), Side::Read, Side::Read);
            (v.server_max_share, v.peak_to_mean) = (Some(0.388), Some(3.1));
            (v.hottest_row_share, v.key_floor) = (0.3, 2.4);
        }),
        "Row hotspot: a single row takes 30 %, so one of 8 servers takes 38.8 % of the reads; all 80.0k reads/s completed, p99 3.42 ms; no \
         split gets the hottest server below 2.4× the mean."
    );
}

#[test]
fn what_holds_the_run_back_and_what_else_is_hot_are_named() {
    assert_eq!(
        verdict(|v| {
            v.offered_per_sec = None;
            v.throughput_per_sec = Some(0.253 * 8.0 * 19_870.0);
            v.held_back = Some("server 0, 4.0× slower, holds the clients".to_owned());
            v.also = Some(AlsoHot {
                hotspot: Hotspot::Static,
                of: Side::Read,
                server_max_share: Some(0.31),
            });
        }),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); the reads have a static hotspot as well, one server \
         takes 31 % of them; 40.2k writes/s, 25.3 % of what 8 servers could do, p99 3.42 ms; server 0, 4.0× slower, holds the clients."
    );
    // A cause that was counted stands in the place of the guess.
    let behind = verdict(|v| {
        (v.saturated, v.throughput_per_sec) = (true, Some(40_000.0));
        v.held_back = Some("regions refuse 12 % of the rows".to_owned());
    });
    assert!(!behind.contains("more than the cluster can do"), "{behind}");
    assert!(
        behind.contains("regions refuse 12 % of the rows"),
        "{behind}"
    );
}
