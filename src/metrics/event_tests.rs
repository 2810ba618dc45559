//! Every happening as charts and files show it: no field is lost or taken for another. And what the log of a run counts and lists.

use super::{ClusterLog, EventKind, LISTED_OF_A_KIND, SeriesEvent, Servers};
use crate::keyspace::RowKey;
use crate::time::SimTime;

fn at(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

/// What a log lists that is told of it at 2.5 ms.
fn listed(tell: impl FnOnce(&mut ClusterLog, SimTime)) -> SeriesEvent {
    let mut log = ClusterLog::new(8, 8, true);
    tell(&mut log, at(2_500_000));
    log.listed.swap_remove(0)
}

fn shown(what: SeriesEvent) -> SeriesEvent {
    listed(|log, at| log.push(at, what))
}

/// At 2.5 ms.
fn event(event: EventKind) -> SeriesEvent {
    SeriesEvent::new(2.5, event)
}

#[test]
fn what_happens_to_regions_names_them_and_their_heirs() {
    let split = SeriesEvent::split(3, [8, 9], &RowKey(vec![0x07, b'a']), 77);
    let expected = SeriesEvent {
        region: Some(3),
        heirs: vec![8, 9],
        row: Some(r"\x07a".to_owned()),
        bytes: Some(77),
        ..event(EventKind::Split)
    };
    assert_eq!(shown(split), expected);
    let refused = SeriesEvent::no_split_row(4, "one row".to_owned());
    let expected = SeriesEvent {
        region: Some(4),
        detail: Some("one row".to_owned()),
        ..event(EventKind::NoSplitRow)
    };
    assert_eq!(shown(refused), expected);
    let merge = SeriesEvent::merged([5, 6], 11);
    let expected = SeriesEvent {
        region: Some(5),
        upper: Some(6),
        heirs: vec![11],
        ..event(EventKind::Merge)
    };
    assert_eq!(shown(merge), expected);
}

#[test]
fn what_happens_to_a_region_on_a_server_names_both() {
    let (region, server) = (7, 2);
    let here = |name| SeriesEvent {
        region: Some(region),
        server: Some(server),
        ..event(name)
    };
    let moved = SeriesEvent::moved(region, server, 1);
    let expected = SeriesEvent {
        to: Some(1),
        ..here(EventKind::Move)
    };
    assert_eq!(shown(moved), expected);
    assert_eq!(
        shown(SeriesEvent::opened(region, server)),
        here(EventKind::Open)
    );
    let flush = SeriesEvent::flushed(region, server, 640);
    let expected = SeriesEvent {
        bytes: Some(640),
        ..here(EventKind::Flush)
    };
    assert_eq!(shown(flush), expected);
    for (references, detail) in [(false, None), (true, Some("references".to_owned()))] {
        let compaction = SeriesEvent::compacted(region, server, 9_000, references, false);
        let expected = SeriesEvent {
            bytes: Some(9_000),
            detail,
            ..here(EventKind::Compaction)
        };
        assert_eq!(shown(compaction), expected);
    }
}

#[test]
fn what_happens_to_servers_is_told_in_words() {
    let told = |name, server: Option<u32>, bytes: Option<u64>, detail: &str| SeriesEvent {
        server,
        bytes,
        detail: (!detail.is_empty()).then(|| detail.to_owned()),
        ..event(name)
    };
    let detected = |regions| shown(SeriesEvent::crash_detected(3, regions, 512));
    let slow = |times| shown(SeriesEvent::slowed(4, times));
    let added = |count| listed(|log, at| log.servers_added(at, 8, count));
    let balanced = listed(|log, at| log.balanced(at, "even".to_owned(), Some(0.1), true));
    let impossible = shown(SeriesEvent::impossible("the last one".to_owned()));
    let crash = shown(SeriesEvent::crashed(3));
    let (crashed, bytes) = (Some(3), Some(512));
    for (what, expected) in [
        (crash, told(EventKind::Crash, crashed, None, "")),
        (
            detected(1),
            told(
                EventKind::CrashDetected,
                crashed,
                bytes,
                "1 region opens elsewhere",
            ),
        ),
        (
            detected(2),
            told(
                EventKind::CrashDetected,
                crashed,
                bytes,
                "2 regions open elsewhere",
            ),
        ),
        (
            slow(2.5),
            told(EventKind::Slow, Some(4), None, "2.5 times as slow"),
        ),
        (
            slow(1.0),
            told(EventKind::Slow, Some(4), None, "as fast as ever again"),
        ),
        (
            added(1),
            told(EventKind::ServersAdded, Some(8), None, "1 server"),
        ),
        (
            added(3),
            told(EventKind::ServersAdded, Some(8), None, "3 servers"),
        ),
        (balanced, told(EventKind::Balancer, None, None, "even")),
        (
            impossible,
            told(EventKind::Impossible, None, None, "the last one"),
        ),
    ] {
        assert_eq!(what, expected);
    }
}

#[test]
fn regions_at_the_end_and_servers_at_any_time_are_known() {
    let mut log = ClusterLog::new(5, 3, true);
    let split = |parent| SeriesEvent::split(parent, [parent + 1, parent + 2], &RowKey(vec![7]), 11);
    log.push(at(20), split(4));
    log.push(at(20), split(5));
    assert_eq!(log.regions_at_end(), 7);
    log.servers_added(at(30), 3, 2);
    log.push(at(40), SeriesEvent::merged([6, 7], 8));
    log.push(at(50), SeriesEvent::crashed(0));
    log.push(at(60), SeriesEvent::crash_detected(0, 1, 0));
    let servers = |(joined, serving)| Servers { joined, serving };
    assert_eq!(
        [29, 30, 59, 60].map(|time| log.servers_at(at(time))),
        [(3, 3), (5, 5), (5, 5), (5, 4)].map(servers)
    );
    assert_eq!(
        [EventKind::Split, EventKind::Merge].map(|kind| log.count(kind)),
        [2, 1]
    );
    assert_eq!((log.regions_at_start, log.regions_at_end()), (5, 6));
    assert_eq!(log.write_amplification(), None);
}

#[test]
fn the_balancer_is_told_by_its_runs_starts_and_greatest_cost() {
    let mut log = ClusterLog::new(4, 2, false);
    for (cost, started) in [(Some(0.2), true), (Some(0.7), true), (None, false)] {
        log.balanced(at(10), String::new(), cost, started);
    }
    (0..4).for_each(|region| log.push(at(11), SeriesEvent::moved(region, 0, 1)));
    assert_eq!(
        [EventKind::Balancer, EventKind::Move].map(|kind| log.count(kind)),
        [3, 4]
    );
    assert_eq!((log.balancer_starts, log.greatest_cost), (2, Some(0.7)));
    // Nothing is listed where no chart asks for it.
    assert_eq!(log.listed, []);
}

#[test]
fn all_are_counted_and_few_are_listed() {
    let mut log = ClusterLog::new(1, 1, true);
    for time in 0..3_000 {
        log.push(at(time), SeriesEvent::flushed(0, 0, 10));
    }
    log.push(
        at(3_000),
        SeriesEvent::compacted(0, 0, 15_000, false, false),
    );
    assert_eq!(log.count(EventKind::Flush), 3_000);
    assert_eq!(log.write_amplification(), Some(1.5));
    assert_eq!(log.listed.len(), LISTED_OF_A_KIND + 1);
}
