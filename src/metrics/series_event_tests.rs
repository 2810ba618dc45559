//! Every happening as charts and files show it: no field is lost or taken for another.

use super::{EventKind, SeriesEvent, TopologyEvent};
use crate::keyspace::RowKey;
use crate::time::SimTime;

fn shown(what: TopologyEvent) -> SeriesEvent {
    let at = SimTime::from_nanos(2_500_000);
    SeriesEvent::of(at, what)
}

/// At 2.5 ms.
fn event(event: EventKind) -> SeriesEvent {
    SeriesEvent::new(2.5, event)
}

#[test]
fn what_happens_to_regions_names_them_and_their_heirs() {
    let split = TopologyEvent::Split {
        parent: 3,
        lower: 8,
        upper: 9,
        row: RowKey(vec![0x07, b'a']),
        bytes: 77,
    };
    let expected = SeriesEvent {
        region: Some(3),
        heirs: vec![8, 9],
        row: Some(r"\x07a".to_owned()),
        bytes: Some(77),
        ..event(EventKind::Split)
    };
    assert_eq!(shown(split), expected);
    let refused = TopologyEvent::NoSplitRow {
        region: 4,
        reason: "one row".to_owned(),
    };
    let expected = SeriesEvent {
        region: Some(4),
        detail: Some("one row".to_owned()),
        ..event(EventKind::NoSplitRow)
    };
    assert_eq!(shown(refused), expected);
    let merge = TopologyEvent::Merge {
        lower: 5,
        upper: 6,
        merged: 11,
    };
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
    let moved = TopologyEvent::Move {
        region,
        from: server,
        to: 1,
    };
    let expected = SeriesEvent {
        to: Some(1),
        ..here(EventKind::Move)
    };
    assert_eq!(shown(moved), expected);
    assert_eq!(
        shown(TopologyEvent::Open { region, server }),
        here(EventKind::Open)
    );
    let flush = TopologyEvent::Flush {
        region,
        server,
        bytes: 640,
    };
    let expected = SeriesEvent {
        bytes: Some(640),
        ..here(EventKind::Flush)
    };
    assert_eq!(shown(flush), expected);
    for (references, detail) in [(false, None), (true, Some("references".to_owned()))] {
        let compaction = TopologyEvent::Compaction {
            region,
            server,
            bytes: 9_000,
            references,
        };
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
    let detected = |regions| TopologyEvent::CrashDetected {
        server: 3,
        regions,
        replayed_bytes: 512,
    };
    let slow = |times| TopologyEvent::Slow { server: 4, times };
    let added = |count| TopologyEvent::ServersAdded { first: 8, count };
    let balanced = TopologyEvent::Balanced {
        finding: "even".to_owned(),
        cost: Some(0.1),
        started: true,
        moves: 2,
    };
    let impossible = TopologyEvent::Impossible {
        reason: "the last one".to_owned(),
    };
    let crash = TopologyEvent::Crash { server: 3 };
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
        assert_eq!(shown(what), expected);
    }
}
