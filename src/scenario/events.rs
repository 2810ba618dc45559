//! `[[event]]`: what happens to the cluster, and when.

use super::cluster::check_server_memory;
use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::document::{Node, SourcePlace, Value};
use super::model::TimeSpec;
use super::nearest::slip;
use super::presplits::row_key;
use super::reader::Reader;
use crate::cluster::{ClusterEvent, ClusterSpec, CrashTarget, TimedEvent};
use crate::keyspace::RowKey;
use crate::settings::{integer, json, number, table, time};
use crate::time::{SimDuration, SimTime};
use crate::units::Nanos;
use std::collections::BTreeSet;

/// Most events of a run (estimate).
const MOST: usize = 10_000;

crate::settings! {
    /// Exactly one of `crash`, `slow`, `add_servers`, `split`.
    pub(super) static EVENT("event", r#""minProperties": 2, "maxProperties": 2"#) {
        /// From the start of the run.
        at = time().needs("\"10s\""),
        /// A server dies: its number, from 0, or the one that is asked for most.
        crash = json(r#""anyOf": [{ "enum": ["hottest"] }, { "type": "integer", "minimum": 0, "maximum": 4294967295 }]"#),
        /// A server is slower for a time.
        slow = table(&SLOW),
        /// So many empty servers join.
        add_servers = integer(1, MOST_SERVERS),
        /// An operator splits regions at these rows.
        split = json(r#""type": "array", "minItems": 1, "uniqueItems": true, "items": "@row""#),
    }
}

crate::settings! {
    /// A server is slower for a time.
    static SLOW("", "") {
        server = integer(0, MOST_SERVERS).needs("0"),
        /// So many times slower.
        times = number("greater than 0, and at most 1000000", 0.0, 1e6, (false, true)).needs("5.0"),
        for = time().needs("\"10s\""),
    }
}

/// Servers are numbered with 32 bits.
const MOST_SERVERS: i64 = u32::MAX as i64;

const KINDS: [&str; 4] = ["crash", "slow", "add_servers", "split"];

/// Reads all `[[event]]`, in order of time.
pub(super) fn read_events(
    scenario: &Reader<'_>,
    time: &TimeSpec,
    cluster: &ClusterSpec,
) -> Vec<TimedEvent> {
    let tables = scenario.tables("event", MOST, &EVENT);
    let read = |table: &Reader<'_>| table.read_with(|event| read_one(event, time));
    let mut events: Vec<_> = tables.iter().filter_map(read).collect();
    // Stable: events of one time keep the order of the file.
    events.sort_by_key(|(event, _)| event.at);
    check_servers(scenario.sink, &events, cluster);
    events.into_iter().map(|(event, _)| event).collect()
}

/// An event, and where what it needs of the cluster stands.
fn read_one(reader: &Reader<'_>, time: &TimeSpec) -> Option<(TimedEvent, SourcePlace)> {
    let at: Option<SimDuration> = reader.given("at");
    if let Some(at) = at.filter(|at| *at >= time.duration) {
        let [at, end] = [at, time.duration].map(|time| Nanos(time.as_nanos()));
        let label = format!("must be before the end of the run, {end}");
        reader.refuse("at", format!("an event at {at}"), label);
    }
    let kind = reader.one_of(KINDS, "an event of no kind", "an event with two kinds")?;
    let mut place = reader.place_of_value(kind);
    let event = match kind {
        "crash" => ClusterEvent::Crash(read_crash(reader)?),
        "slow" => reader.inside("slow", |slow| {
            place = slow.place_of_value("server");
            let (server, times) = (slow.given("server"), slow.given("times"));
            let length = slow.positive_duration("for");
            Some(ClusterEvent::Slow {
                server: server?,
                times: times?,
                length: length?,
            })
        })?,
        "add_servers" => ClusterEvent::AddServers(reader.given("add_servers")?),
        _ => ClusterEvent::Split(read_split(reader)?.into()),
    };
    let at = SimTime::ZERO + at?;
    Some((TimedEvent { at, event }, place))
}

fn read_crash(reader: &Reader<'_>) -> Option<CrashTarget> {
    let node = reader.node("crash")?;
    match &node.value {
        Value::Text(text) if text == "hottest" => Some(CrashTarget::Hottest),
        Value::Text(text) => {
            let diagnostic = Diagnostic::error(format!("no server is called `{text}`"))
                .label("expected `hottest`, or a server's number, from 0");
            reader.complain("crash", diagnostic.hint(slip(text, ["hottest"])));
            None
        }
        Value::Integer(_) => {
            let number = reader.integer_node("crash", node, 0, MOST_SERVERS)?;
            Some(CrashTarget::Server(number as u32))
        }
        _ => {
            reader.wrong_type("crash", node, "`hottest`, or a server's number");
            None
        }
    }
}

fn read_split(reader: &Reader<'_>) -> Option<Vec<RowKey>> {
    let (items, sink) = (reader.list("split")?, reader.sink);
    let not_empty = |item: &Node, row: RowKey| {
        let sound = !row.as_bytes().is_empty();
        if !sound {
            let label = "the first region starts there already";
            sink.error(&item.place, "a split at the empty row", label);
        }
        sound.then_some(row)
    };
    let rows = items
        .iter()
        .map(|item| not_empty(item, row_key(sink, item)?));
    let rows: Vec<Option<RowKey>> = rows.collect();
    let rows = rows.into_iter().collect::<Option<Vec<RowKey>>>()?;
    if rows.is_empty() {
        let label = "expected at least one row, as in `split = ['m']`";
        reader.refuse("split", "a split at no row", label);
        return None;
    }
    for (at, row) in rows.iter().enumerate() {
        if rows[..at].contains(row) {
            let message = format!("the row `{row}` stands twice");
            sink.error(&items[at].place, message, "a region is split once at a row");
        }
    }
    Some(rows)
}

/// Walks through the events in order of time: each asks for servers that are there and alive.
fn check_servers(sink: &Diagnostics, events: &[(TimedEvent, SourcePlace)], cluster: &ClusterSpec) {
    let mut servers = cluster.servers;
    let mut dead: BTreeSet<u32> = BTreeSet::new();
    let mut crashes = 0;
    for (event, place) in events {
        if let ClusterEvent::Crash(CrashTarget::Server(server))
        | ClusterEvent::Slow { server, .. } = event.event
        {
            if server >= servers {
                let label = format!("{servers} servers at that time, numbered from 0");
                sink.error(place, format!("there is no server {server}"), label);
                continue;
            }
            if dead.contains(&server) {
                let message = format!("server {server} is dead already");
                sink.error(place, message, "an earlier event lets it crash");
                continue;
            }
        }
        match &event.event {
            ClusterEvent::Crash(target) => {
                if let CrashTarget::Server(server) = target {
                    dead.insert(*server);
                }
                crashes += 1;
                if crashes >= servers {
                    sink.error(place, "no server is left", "the last one dies");
                    return;
                }
            }
            ClusterEvent::AddServers(count) => {
                servers = servers.saturating_add(*count);
                check_server_memory(sink, place, servers, cluster.handlers);
            }
            ClusterEvent::Slow { .. } | ClusterEvent::Split(_) => {}
        }
    }
}
