//! Verdicts, read: each must be true of its numbers, specific, and one sentence.

use super::cluster_history::{ClusterHistory, first_and_last};
use super::hotspots::{Hotspots, Turns};
use super::read_price::ReadPrice;
use super::verdict::Verdict;
use crate::metrics::{Hotspot, MetricId, Side};
use crate::query::AccessPath;
use std::collections::BTreeMap;

impl Verdict {
    /// A metric, of whichever operations it is.
    pub(super) fn set(&mut self, id: MetricId, value: f64) {
        let ids = Side::ALL.map(|side| (id.of(side), value));
        self.means.extend(ids);
    }

    /// The class of the writes; nothing is read.
    pub(super) fn hot(&mut self, class: Hotspot) {
        self.hotspots = Hotspots {
            writes: Some(class),
            ..Hotspots::default()
        };
    }

    /// The class of the reads; nothing is written.
    pub(super) fn hot_reads(&mut self, class: Hotspot) {
        self.hotspots = Hotspots {
            reads: Some(class),
            ..Hotspots::default()
        };
    }

    /// Mean, low and high of dealings of the same regions, and the best of them.
    pub(super) fn dealt(&mut self, [mean, low, high, best]: [f64; 4]) {
        self.set(MetricId::PlacementPeakMean, mean);
        self.set(MetricId::PlacementPeakLow, low);
        self.set(MetricId::PlacementPeakHigh, high);
        self.set(MetricId::PlacementPeakBest, best);
    }
}

/// An even spread of an open loop at half load.
pub(super) fn even() -> Verdict {
    let mut even = Verdict {
        means: BTreeMap::new(),
        hotspots: Hotspots::default(),
        load: Side::Write,
        closed: false,
        imported: false,
        import_unfinished: false,
        servers: 8,
        joined: 0,
        least_peak: 1.0,
        p99_ms: Some((3.421, false)),
        copy: 0,
        leads_with_time: false,
        outlasting_step: None,
        regions: 32,
        reachable_regions: 32,
        buckets: None,
        entity: None,
        hot_range: None,
        scanned: None,
        uneven_log: None,
        over_read: None,
        hottest_row_share: 0.00001,
        key_floor: 1.0,
        row_lock: None,
        row_capacity: None,
        row_rate: 0.0,
        duration_s: 20.0,
        sample_s: 1.0,
        slow: Vec::new(),
        neighbours: String::new(),
        clients: 0,
        course: ClusterHistory::default(),
        rows_per_write: 1.0,
        reads: Vec::new(),
    };
    even.hot(Hotspot::None);
    even.set(MetricId::ServerMaxShare, 0.1312);
    even.set(MetricId::ServerPeakToMean, 1.05);
    even.set(MetricId::WriteOffered, 80_012.0);
    even.set(MetricId::WriteThroughput, 80_003.0);
    even.set(MetricId::ServerCapacity, 19_870.0);
    even.set(MetricId::WriteUnfinishedFraction, 0.0001);
    even.set(MetricId::RegionMaxShare, 0.034);
    even
}

fn verdict(change: impl FnOnce(&mut Verdict)) -> String {
    let mut verdict = even();
    change(&mut verdict);
    verdict.to_string()
}

/// One server swamped by an open loop.
fn swamped(v: &mut Verdict, hotspot: Hotspot, share: f64) {
    v.hot(hotspot);
    v.set(MetricId::ServerMaxShare, share);
    v.set(MetricId::ServerPeakToMean, share * 8.0);
    v.set(MetricId::RegionMaxShare, share);
    v.set(MetricId::PlacementFloor, share * 8.0);
    v.set(MetricId::WriteThroughput, 19_870.0 / share);
    v.p99_ms = Some((14_240.0, true));
    v.set(MetricId::WriteUnfinishedFraction, 0.713);
    v.set(MetricId::Saturated, 1.0);
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
            v.set(MetricId::WriteOffered, 240_000.0);
            v.set(MetricId::WriteThroughput, 158_700.0);
            v.set(MetricId::Saturated, 1.0);
            v.p99_ms = Some((9_100.0, true));
            v.set(MetricId::WriteUnfinishedFraction, 0.34);
        }),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); 159k of 240k writes/s completed, more asked for \
         than the cluster can do, p99 over 9.10 s, 34 % unfinished at the end."
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
            v.set(MetricId::WriteThroughput, 59_600.0);
            (v.regions, v.reachable_regions) = (10, 3);
            v.set(MetricId::WriteUnfinishedFraction, 0.251);
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
            v.set(MetricId::WriteThroughput, 79_400.0);
            v.p99_ms = Some((1_310.0, false));
            v.set(MetricId::WriteUnfinishedFraction, 0.004);
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
            v.set(MetricId::ServerMaxShare, 0.1672);
            v.set(MetricId::ServerPeakToMean, 1.34);
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
            v.set(MetricId::RegionMaxShare, 0.33);
            v.set(MetricId::PlacementFloor, 2.64);
            v.set(MetricId::WriteThroughput, 66_100.0);
            v.set(MetricId::WriteUnfinishedFraction, 0.173);
        }),
        "Static hotspot: `metric 17` takes 31.2 % and its keys are neighbours, so one of 8 servers takes 41 % of the writes; 66.1k of 80.0k \
         writes/s completed, p99 over 14.2 s, 17.3 % unfinished at the end; no placement of whole regions gets the hottest server below 2.6× the mean."
    );
}

#[test]
fn one_hot_range_that_a_better_placement_would_cool() {
    assert_eq!(
        verdict(|v| {
            v.hot(Hotspot::Static);
            v.set(MetricId::ServerMaxShare, 0.23);
            v.set(MetricId::ServerPeakToMean, 1.84);
            v.set(MetricId::RegionMaxShare, 0.09);
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
            v.set(MetricId::WriteFailedFraction, 0.0412);
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
            v.closed = true;
            v.set(MetricId::WriteUnfinishedFraction, 0.002);
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
            v.closed = true;
            v.imported = true;
            v.set(MetricId::Makespan, 52_300.0);
            v.p99_ms = Some((8.1, false));
        }),
        "Moving hotspot: neighbouring keys are written one after another, so one of 8 servers takes 99 % of the writes at a time; done \
         after 52.3 s at 20.1k writes/s, p99 8.10 ms; no placement of whole regions gets the hottest server below 7.9× the mean."
    );
}

#[test]
fn an_import_that_ends_before_anything_is_measured() {
    assert_eq!(
        verdict(|v| {
            v.imported = true;
            v.set(MetricId::Makespan, 4_940.0);
            v.means.remove(&MetricId::ServerMaxShare);
        }),
        "The import was done after 4.94 s, too soon for a statement about skew: shorten `time.warmup` or import more."
    );
}

#[test]
fn an_import_that_is_cut_off() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Moving, 0.99);
            v.closed = true;
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
        verdict(|v| v.hotspots = Hotspots::default()),
        "Too few operations an interval for a statement about skew: sample longer or offer more."
    );
}

#[test]
fn a_single_server() {
    assert_eq!(
        verdict(|v| {
            v.servers = 1;
            v.set(MetricId::ServerMaxShare, 1.0);
            v.set(MetricId::ServerPeakToMean, 1.0);
            v.set(MetricId::WriteOffered, 12_000.0);
            v.set(MetricId::WriteThroughput, 11_990.0);
        }),
        "One server takes everything; all 12.0k writes/s completed, p99 3.42 ms."
    );
}

pub(super) fn priced(name: &str, p99: f64) -> ReadPrice {
    ReadPrice {
        name: name.to_owned(),
        path: AccessPath::FanOutScan,
        calls: 16.0,
        requests: 16.0,
        rows_read: 12.0,
        rows_returned: 10.0,
        cells_read: None,
        p99_ms: Some((p99, false)),
        failed_fraction: 0.0,
        behind: None,
    }
}

#[test]
fn what_reads_pay_ends_the_sentence() {
    assert_eq!(
        verdict(|v| v.reads = vec![priced("newest", 4.112)]),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); all 80.0k writes/s completed, p99 3.42 ms; \
         a `newest` costs 16 scan calls, p99 4.11 ms."
    );
    let end = |names: &[&str]| {
        let reads = names.iter().enumerate();
        let reads = reads
            .map(|(at, name)| priced(name, 2.0 + at as f64))
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
            v.hot_reads(Hotspot::Lookback);
            v.set(MetricId::ServerMaxShare, 0.912);
            v.set(MetricId::RegionMaxShare, 0.9);
            v.set(MetricId::ServerPeakToMean, 7.3);
            v.reads = vec![ReadPrice {
                behind: Some((310.0, 400.0)),
                ..priced("newest", 812.0)
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
            v.hot_reads(Hotspot::None);
            v.load = Side::Read;
            v.set(MetricId::WriteOffered, 500.0);
            v.set(MetricId::WriteThroughput, 499.0);
            v.means.remove(&MetricId::ServerCapacity);
        }),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the reads (even: 12.5 %); all 500 reads/s completed, p99 3.42 ms."
    );
}

/// 2.1 [1.5, 3.0], the best even.
const DEALT: [f64; 4] = [2.08, 1.5, 3.0, 1.0];

#[test]
fn regions_that_happen_to_lie_badly_are_no_fault_of_the_key() {
    assert_eq!(
        verdict(|v| {
            swamped(v, Hotspot::Placement, 1.0);
            v.set(MetricId::RegionMaxShare, 0.0625);
            v.set(MetricId::PlacementFloor, 1.0);
            v.dealt(DEALT);
            // Whoever is the most frequent: all of it is spread.
            v.buckets = Some(16);
        }),
        "Placement hotspot: the regions happen to lie badly, so one of 8 servers takes 100 % of the writes, 8.0× the mean: other dealings of \
         the same regions give 2.1× [1.50×, 3.0×], the best 1.00×; 19.9k of 80.0k writes/s completed, p99 over 14.2 s, 71.3 % unfinished at the end."
    );
}

#[test]
fn what_placement_makes_of_the_skew_is_said_where_it_differs() {
    let even = verdict(|v| v.dealt(DEALT));
    assert!(
        // 13.1 % of eight servers' writes are 1.05 times the mean: this run, beside what others give.
        even.contains(
            "takes 13.1 % of the writes (even: 12.5 %), 1.05× the mean ([1.50×, 3.0×] by how regions happen to lie); all"
        ),
        "{even}"
    );
    let even = verdict(|v| v.dealt([2.08, 1.5, 1.6, 1.0]));
    assert!(!even.contains("happen to lie"), "{even}");
}

#[test]
fn servers_that_died_or_joined_are_named_where_they_are_the_cause() {
    let died = |v: &mut Verdict| (v.course.lost, v.least_peak) = (2, 8.0 / 6.0);
    let even = verdict(died);
    assert!(
        even.contains("13.1 % of the writes (even: 16.7 %, as 2 servers died); all"),
        "{even}"
    );
    let hot = verdict(|v| {
        swamped(v, Hotspot::Static, 0.5);
        died(v);
    });
    assert!(
        hot.contains("takes 50 % of the writes (even: 16.7 %, as 2 servers died);"),
        "{hot}"
    );
    let joined = |moves: f64| {
        verdict(|v| {
            swamped(v, Hotspot::Placement, 0.5);
            (v.joined, v.course.lost) = (2, 0);
            v.set(MetricId::Moves, moves);
        })
    };
    assert!(joined(0.0).contains(": no region has moved to the 2 servers that joined, so"));
    assert!(joined(3.0).contains(": the regions happen to lie badly, so"));
}

#[test]
fn servers_that_take_turns_within_an_interval_are_a_moving_hotspot() {
    let turns = verdict(|v| {
        v.hot(Hotspot::Moving);
        v.hotspots.turns = Some(Turns {
            table: 0,
            peak: 8.0,
            undeferred_peak: 8.0,
        });
        v.leads_with_time = true;
        v.sample_s = 0.5;
    });
    assert_eq!(
        turns,
        "Moving hotspot: the key follows time and servers take turns within an interval of 500 ms, so one of 8 servers takes all of the \
         writes at a time; all 80.0k writes/s completed, p99 3.42 ms; no placement of whole regions gets the hottest server below 8.0× the mean."
    );
}

#[test]
fn a_number_of_buckets_is_the_cause_only_where_it_explains_the_peak() {
    let of = |buckets: usize, peak: f64| {
        verdict(|v| {
            swamped(v, Hotspot::Static, peak / 8.0);
            v.buckets = Some(buckets);
            v.set(MetricId::RegionMaxShare, 0.05);
        })
    };
    // 9 on 8: two on one, 16 / 9 = 1.78. 20 on 8 give 1.2 at least, never 8.
    assert!(of(9, 1.8).contains("9 buckets don't divide evenly among 8 servers"));
    assert!(of(20, 8.0).contains("one region takes 5 %"));
    // Four buckets on eight servers, which existing rows have split further: the best dealing of the four ends is 2, this one has 4.
    let few = verdict(|v| {
        swamped(v, Hotspot::Static, 0.5);
        v.buckets = Some(4);
        v.dealt([2.08, 1.5, 3.0, 2.0]);
    });
    assert!(few.contains("4 buckets can't use 8 servers"), "{few}");
}

#[test]
fn a_row_that_is_read_is_a_row_hotspot_of_reads() {
    assert_eq!(
        verdict(|v| {
            v.hot_reads(Hotspot::Row);
            v.load = Side::Read;
            v.set(MetricId::ServerMaxShare, 0.388);
            v.set(MetricId::ServerPeakToMean, 3.1);
            v.hottest_row_share = 0.3;
            v.key_floor = 2.4;
        }),
        "Row hotspot: a single row takes 30 %, so one of 8 servers takes 38.8 % of the reads; all 80.0k reads/s completed, p99 3.42 ms; no \
         split gets the hottest server below 2.4× the mean."
    );
}

#[test]
fn servers_could_do_no_more_than_the_locks_of_counters_let_through() {
    // Sixteen rows of 667 a second are 10.67k, whatever 8 servers could do: 3.49k are 32.7 % of it.
    let told = verdict(|v| {
        v.closed = true;
        v.row_capacity = Some(16.0 * 2_000.0 / 3.0);
        v.set(MetricId::WriteThroughput, 3_490.0);
    });
    let part = "3.49k writes/s, 32.7 % of what 8 servers could do";
    assert!(told.contains(part), "{told}");
}

#[test]
fn what_holds_the_run_back_is_named_and_stands_in_the_place_of_the_guess() {
    assert_eq!(
        verdict(|v| {
            v.closed = true;
            v.clients = 240;
            v.set(MetricId::WriteThroughput, 0.253 * 8.0 * 19_870.0);
            v.slow = vec![(0, 4.0)];
            v.course.utilisation = vec![0.998];
            v.set(MetricId::UtilisationMean, 0.177);
        }),
        "No hotspot: the busiest of 8 servers takes 13.1 % of the writes (even: 12.5 %); 40.2k writes/s, 25.3 % of what 8 servers could do, \
         p99 3.42 ms; server 0, 4.0× slower, holds the clients."
    );
    let behind = verdict(|v| {
        v.set(MetricId::Saturated, 1.0);
        v.set(MetricId::WriteThroughput, 40_000.0);
        v.set(MetricId::RegionTooBusyFraction, 0.12);
    });
    assert!(!behind.contains("than the cluster can do"), "{behind}");
    assert!(
        behind.contains("; regions refuse 12 % of the rows"),
        "{behind}"
    );
}

#[test]
fn what_else_is_hot_is_named() {
    let both = verdict(|v| {
        v.hotspots = Hotspots {
            writes: Some(Hotspot::Static),
            reads: Some(Hotspot::Moving),
            all: Some(Hotspot::Static),
            read_share: Some(0.2),
            by_time: false,
            turns: None,
            peak_of_shorter_turns: None,
            passing: [false; 2],
        };
        v.means.insert(MetricId::ReadServerMaxShare, 0.31);
    });
    assert!(
        both.starts_with("Static hotspot: one region takes 3.4 %, so one of 8 servers takes 13.1 % of the writes; the reads have a moving \
         hotspot as well, one server takes 31 % of them; all 80.0k"),
        "{both}"
    );
}

#[test]
fn relief_is_the_peak_of_the_first_fifth_against_that_of_the_last() {
    // Ten intervals of four servers: 3.4, 2.2 and at last 1.9 times the mean.
    let demand: Vec<Vec<u64>> = (0..10)
        .map(|at| match at {
            0..2 => vec![85, 5, 5, 5],
            2..8 => vec![55, 15, 15, 15],
            _ => vec![48, 26, 13, 13],
        })
        .collect();
    let (first, last) = first_and_last(&demand).unwrap();
    assert!((first - 3.4).abs() < 1e-12 && (last - 1.92).abs() < 1e-12);
    assert_eq!(first_and_last(&[vec![5, 4, 3, 2]]), None);
    assert_eq!(first_and_last(&[]), None);
}

/// What is said behind the damage of a hotspot that nothing bounds.
fn course(change: impl FnOnce(&mut Verdict)) -> String {
    let text = verdict(|v| {
        v.hot(Hotspot::Static);
        change(v);
    });
    let (_, told) = text.split_once("p99 3.42 ms").unwrap();
    told.strip_suffix('.').unwrap().to_owned()
}

#[test]
fn only_what_happened_is_said() {
    assert_eq!(course(|_| {}), "");
    assert_eq!(
        course(|v| {
            v.set(MetricId::Splits, 7.2);
            v.set(MetricId::Moves, 1.0);
        }),
        "; 7 splits and 1 move left a server hot"
    );
    let relief = |last: f64| {
        course(|v| {
            v.set(MetricId::Splits, 16.0);
            v.set(MetricId::Moves, 4.0);
            v.course.peaks = Some((2.83, last));
        })
    };
    assert_eq!(
        relief(1.74),
        "; 16 splits and 4 moves brought the hottest server from 2.8× to 1.74× the mean"
    );
    assert_eq!(
        relief(2.8),
        "; 16 splits and 4 moves left the hottest server at 2.8× the mean"
    );
    assert_eq!(
        course(|v| {
            v.hot(Hotspot::None);
            v.set(MetricId::Splits, 31.0);
            v.set(MetricId::TimeToRelief, 41_000.0);
            v.set(MetricId::BytesRewritten, 3.0 * 1_073_741_824.0);
        }),
        "; 31 splits left no server hot from 41.0 s on, 3 GiB rewritten"
    );
    assert_eq!(
        course(|v| {
            v.set(MetricId::BalancerRuns, 2.0);
            v.course.finding = Some("15/602 = 0.0249 < 0.025".to_owned());
        }),
        "; the balancer does not start: 15/602 = 0.0249 < 0.025"
    );
    let started = |cost: Option<f64>| {
        course(|v| {
            v.set(MetricId::BalancerRuns, 2.0);
            v.set(MetricId::BalancerStarts, 0.5);
            v.means
                .extend(cost.map(|cost| (MetricId::BalancerCost, cost)));
            v.course.finding = Some("20/602 = 0.0332 >= 0.025".to_owned());
        })
    };
    assert_eq!(
        started(Some(0.0332)),
        "; the balancer starts (20/602 = 0.0332 >= 0.025), tries its steps and leaves the hotspot as it was"
    );
    assert_eq!(
        started(None),
        "; the balancer starts (20/602 = 0.0332 >= 0.025) and leaves the hotspot as it was"
    );
}

/// What holds back eight servers of which the clients of closed loops keep a fifth busy.
fn held_back(change: impl FnOnce(&mut Verdict)) -> String {
    let text = verdict(|v| {
        v.closed = true;
        v.clients = 240;
        v.set(MetricId::WriteThroughput, 0.253 * 8.0 * 19_870.0);
        v.course.utilisation = vec![0.2; 8];
        busy(v, 0.2, 0.2);
        change(v);
    });
    let (_, told) = text.split_once("p99 3.42 ms").unwrap();
    let told = told.strip_prefix("; ").unwrap_or(told);
    told.strip_suffix('.').unwrap().to_owned()
}

fn busy(v: &mut Verdict, busiest: f64, mean: f64) {
    v.set(MetricId::UtilisationMax, busiest);
    v.set(MetricId::UtilisationMean, mean);
}

#[test]
fn the_first_cause_that_the_counters_show_is_named() {
    // One server full, the others at 0.06: (0.998 + 7 x 0.06) / 8 = 0.177 on average.
    let slow = |v: &mut Verdict| {
        v.slow = vec![(0, 4.0)];
        v.course.utilisation = vec![0.06; 8];
        v.course.utilisation[0] = 0.998;
        busy(v, 0.998, 0.177);
    };
    assert_eq!(held_back(slow), "server 0, 4.0× slower, holds the clients");
    assert_eq!(
        held_back(|v| {
            slow(v);
            v.clients = 0;
        }),
        "server 0, 4.0× slower, can't keep up"
    );
    // A slow server that has nothing to do holds nobody.
    assert!(held_back(|v| v.slow = vec![(0, 4.0)]).contains("240 clients wait"));
    // Nor does one that is busier than the others and still has handlers free.
    let not_full = |v: &mut Verdict| {
        slow(v);
        v.course.utilisation[0] = 0.4;
        busy(v, 0.4, 0.1);
    };
    assert!(held_back(not_full).contains("240 clients wait"));
    assert!(held_back(|v| v.course.lost = 1).contains("a server died"));
    let log = |v: &mut Verdict| v.set(MetricId::LogUtilisationMax, 0.97);
    assert!(held_back(log).contains("97 % of its bandwidth"));
    let refused = |v: &mut Verdict| v.set(MetricId::RegionTooBusyFraction, 0.12);
    assert!(held_back(refused).contains("refuse 12 % of the rows"));
    assert_eq!(
        held_back(|_| {}),
        "240 clients wait for their own calls, and at most 20 % of a server's handlers are busy: more clients would do more"
    );
    assert_eq!(
        held_back(|v| busy(v, 0.99, 0.97)),
        "all servers are busy, 97 % of their handlers"
    );
}

#[test]
fn nothing_is_named_where_nothing_holds_or_nothing_shows_it() {
    let done = |v: &mut Verdict| v.set(MetricId::WriteThroughput, 0.95 * 8.0 * 19_870.0);
    assert_eq!(held_back(done), "");
    assert_eq!(
        held_back(|v| {
            v.means.remove(&MetricId::ServerCapacity);
        }),
        ""
    );
    // The hotspot is told already.
    assert_eq!(held_back(|v| v.hot(Hotspot::Static)), "");
    // An open loop that is behind, without a cause that was counted.
    assert_eq!(held_back(|v| (v.clients, v.closed) = (0, false)), "");
}
