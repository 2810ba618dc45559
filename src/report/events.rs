//! The list of what happened to regions and servers: splits, moves, crashes, in words. Must not know why.

use super::csv_files::with_series;
use super::document::{Block, Column, Look, Table};
use super::number::{self, NumberFormat};
use crate::experiment::Results;
use crate::metrics::{EventKind, SeriesEvent};
use crate::text::joined;
use NumberFormat::Bytes;

/// Most rows of a strategy's list: about a screenful.
const MOST: usize = 30;

/// Longest row key that is shown whole, in characters: twelve bytes of a binary one.
const LONGEST_KEY: usize = 48;

/// Everyday work: counted, not listed.
const COUNTED: [(EventKind, &str); 3] = [
    (EventKind::Flush, "flushes"),
    (EventKind::Compaction, "compactions"),
    (EventKind::Open, "openings of a region"),
];

/// What is counted in the heading of a list: kind, one, several.
const HEADLINES: [(EventKind, &str, &str); 6] = [
    (EventKind::Split, "split", "splits"),
    (EventKind::Merge, "merge", "merges"),
    (EventKind::Move, "move", "moves"),
    (EventKind::Crash, "crash", "crashes"),
    (
        EventKind::Slow,
        "change of a server's speed",
        "changes of a server's speed",
    ),
    (
        EventKind::ServersAdded,
        "arrival of servers",
        "arrivals of servers",
    ),
];

/// A list a strategy, folded; nothing when nothing happened.
pub fn lists(results: &Results) -> impl Iterator<Item = Block> {
    // A balancer that does nothing is listed only beside what does.
    let tells = |it: &SeriesEvent| !is_counted(it) && !does_nothing(it);
    let changed = with_series(results).filter(move |(_, series)| series.events.iter().any(tells));
    changed.map(|(strategy, series)| {
        let summary = format!("{}: {}", strategy.name, headline(&series.events));
        Block::Folded(summary, list(&series.events))
    })
}

fn list(events: &[SeriesEvent]) -> Vec<Block> {
    let mut rows = rows(events);
    let later = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let columns = ["after", "what happened"].map(|name| Column::named(name, false));
    let counted = COUNTED.map(|(kind, name)| (count(events, kind), name));
    let rest = [(later, "later events")].into_iter().chain(counted);
    let rest = rest.filter(|(count, _)| *count > 0);
    let rest = joined(rest.map(|(count, name)| format!("{count} {name}")), ", ");
    let mut note = "In the first replicate, from its start, warm-up included.".to_owned();
    if !rest.is_empty() {
        note += &format!(" {rest} are left out here: `series/events.csv` has all.");
    }
    let table = Table::new(columns, rows).with_look(Look::Sentences);
    vec![Block::Table(table), Block::Note(note)]
}

fn count(events: &[SeriesEvent], kind: EventKind) -> usize {
    events.iter().filter(|event| event.event == kind).count()
}

fn is_counted(event: &SeriesEvent) -> bool {
    COUNTED.iter().any(|(kind, _)| *kind == event.event)
}

/// The balancer's finding ends so, or starts moves.
fn does_nothing(event: &SeriesEvent) -> bool {
    event.event == EventKind::Balancer && detail(event).contains("does not ")
}

fn detail(event: &SeriesEvent) -> &str {
    event.detail.as_deref().unwrap_or_default()
}

/// `7 splits, 3 moves`.
fn headline(events: &[SeriesEvent]) -> String {
    let parts = HEADLINES
        .iter()
        .filter_map(|(kind, one, several)| match count(events, *kind) {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {several}")),
        });
    match joined(parts, ", ") {
        parts if parts.is_empty() => "nothing changed".to_owned(),
        parts => parts,
    }
}

/// What is listed, in order of time; a balancer that says again that it does nothing says it once.
fn rows(events: &[SeriesEvent]) -> Vec<Vec<String>> {
    let listed: Vec<&SeriesEvent> = events.iter().filter(|it| !is_counted(it)).collect();
    let at = |event: &SeriesEvent| number::length(event.at_ms / 1e3);
    let runs = listed.chunk_by(|one, other| does_nothing(one) && does_nothing(other));
    let row = |run: &[&SeriesEvent]| {
        let mut what = words(run[0]);
        if let [_, .., last] = run {
            let times = match run.len() {
                2 => "again".to_owned(),
                times => format!("{} more times", times - 1),
            };
            what += &format!("; {times} until {}", at(last));
        }
        vec![at(run[0]), what]
    };
    runs.map(row).collect()
}

/// One event as a sentence.
fn words(event: &SeriesEvent) -> String {
    let number = |value: Option<u32>| value.map_or("?".to_owned(), |value| value.to_string());
    let (region, server) = (number(event.region), number(event.server));
    let heirs = joined(event.heirs.iter().map(u32::to_string), " and ");
    let detail = detail(event);
    match event.event {
        EventKind::Split => {
            // A backtick would end the literal early: HBase reads its number as well.
            let row = event.row.as_deref().unwrap_or_default();
            let row = shortened(row).replace('`', r"\x60");
            format!("region {region} is split at `{row}` into {heirs}")
        }
        EventKind::NoSplitRow => format!("region {region} can't be split: {detail}"),
        EventKind::Merge => {
            let upper = number(event.upper);
            format!("regions {region} and {upper} are merged into {heirs}")
        }
        EventKind::Move => {
            let to = number(event.to);
            format!("region {region} moves from server {server} to server {to}")
        }
        EventKind::Balancer => format!("the balancer: {detail}"),
        EventKind::Crash => format!("server {server} dies"),
        EventKind::CrashDetected => {
            let log = event.bytes.map(|it| Bytes.text(it as f64));
            let log = log.unwrap_or_default();
            format!(
                "the master knows that server {server} is dead: {detail}, {log} of its log replayed"
            )
        }
        EventKind::Slow => format!("server {server} is {detail}"),
        EventKind::ServersAdded if detail == "1 server" => {
            format!("{detail} joined: server {server}")
        }
        EventKind::ServersAdded => format!("{detail} joined, the first of them as server {server}"),
        other => format!("{} {detail}", other.name()),
    }
}

/// A row key, cut where it is long.
fn shortened(key: &str) -> String {
    if key.chars().count() <= LONGEST_KEY {
        return key.to_owned();
    }
    let mut cut: String = key.chars().take(LONGEST_KEY).collect();
    // Not within `\xHH`.
    if let Some(escape) = cut.rfind('\\').filter(|at| cut.len() - at < 4) {
        cut.truncate(escape);
    }
    cut + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at_ms: f64, event: EventKind, detail: &str) -> SeriesEvent {
        SeriesEvent {
            detail: Some(detail.to_owned()),
            ..SeriesEvent::new(at_ms, event)
        }
    }

    #[test]
    fn events_are_told_in_words() {
        let split = SeriesEvent {
            region: Some(3),
            heirs: vec![8, 9],
            row: Some("a<b".to_owned()),
            ..event(1_500.0, EventKind::Split, "")
        };
        let moved = SeriesEvent {
            region: Some(9),
            server: Some(1),
            to: Some(4),
            ..event(2_000.0, EventKind::Move, "")
        };
        let told: Vec<String> = rows(&[split, moved])
            .iter()
            .map(|row| row[1].clone())
            .collect();
        assert_eq!(
            told,
            [
                "region 3 is split at `a<b` into 8 and 9",
                "region 9 moves from server 1 to server 4",
            ]
        );
    }

    #[test]
    fn long_keys_are_cut_between_bytes() {
        let key = |last: &str| format!("{}{last}", r"\x00".repeat(11));
        assert_eq!(shortened(&key("four")), key("four"));
        assert_eq!(shortened(&key("three")), key("thre…"));
        assert_eq!(shortened(&key(r"ab\xFFc")), key("ab…"));
        assert_eq!(shortened(&key(r"\xFFc")), key(r"\xFF…"));
    }

    #[test]
    fn a_balancer_that_does_nothing_says_so_once() {
        let idle = |at_ms| event(at_ms, EventKind::Balancer, "0/602: does not start");
        let events = [
            idle(1_000.0),
            event(1_500.0, EventKind::Flush, ""),
            idle(2_000.0),
            idle(3_000.0),
            event(3_500.0, EventKind::Crash, ""),
            idle(4_000.0),
        ];
        let rows = rows(&events);
        assert_eq!(rows.len(), 3);
        assert!(rows[0][1].contains("2 more times until 3"), "{rows:?}");
        assert_eq!(headline(&events), "1 crash");
    }

    #[test]
    fn a_long_history_is_cut_at_a_screenful() {
        let events: Vec<SeriesEvent> = (0..95)
            .map(|at| event(f64::from(at) * 1e3, EventKind::Split, ""))
            .collect();
        let [Block::Table(table), Block::Note(note)] = &list(&events)[..] else {
            panic!("a table and what it leaves out");
        };
        assert_eq!(table.rows.len(), MOST);
        assert!(note.contains("65 later events"));
    }
}
