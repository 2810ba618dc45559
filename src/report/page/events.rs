//! The page's list of what happened to regions and servers: splits, moves, crashes, in words. Must not know why.

use super::html::{Html, text};
use crate::experiment::{Results, StrategyResult};
use crate::metrics::{EventKind, SeriesEvent};
use crate::report::csv_files::with_series;
use crate::report::document::Column;
use crate::report::number::{self, NumberFormat};

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
pub fn events(html: &mut Html, results: &Results) {
    let lists: Vec<(&StrategyResult, Vec<Row>)> = with_series(results)
        .map(|(strategy, series)| (strategy, rows(&series.events)))
        .filter(|(_, rows)| rows.iter().any(|row| row.tells))
        .collect();
    if lists.is_empty() {
        return;
    }
    writeln!(html, "<h2>What happened to the cluster</h2>");
    for (strategy, rows) in lists {
        let events = strategy.series.as_ref().map_or(&[][..], |it| &it.events);
        let summary = format!("{}: {}", strategy.name, headline(events));
        html.details(&summary, |html| list(html, &rows, events));
    }
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    at_ms: f64,
    /// Markup.
    what: String,
    /// Whether something changed; a balancer that does nothing is listed only beside what does.
    tells: bool,
}

fn list(html: &mut Html, rows: &[Row], events: &[SeriesEvent]) {
    let cells = rows.iter().take(MOST);
    let cells = cells.map(|row| vec![number::length(row.at_ms / 1e3), row.what.clone()]);
    let columns = ["after", "what happened"].map(|name| Column::words(["", name], 0));
    html.table(&columns, cells);
    let mut rest = Vec::new();
    if rows.len() > MOST {
        rest.push(format!("{} later events", rows.len() - MOST));
    }
    let counted = COUNTED.map(|(kind, name)| (count(events, kind), name));
    let counted = counted.iter().filter(|(count, _)| *count > 0);
    rest.extend(counted.map(|(count, name)| format!("{count} {name}")));
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!(
            " {} are left out here: <code>series/events.csv</code> has all.",
            text(&rest.join(", "))
        ),
    };
    writeln!(
        html,
        "<p class=\"aside\">In the first replicate, from its start, warm-up included.{rest}</p>"
    );
}

fn count(events: &[SeriesEvent], kind: EventKind) -> usize {
    events.iter().filter(|event| event.event == kind).count()
}

/// `7 splits, 3 moves`.
fn headline(events: &[SeriesEvent]) -> String {
    let counts = HEADLINES.map(|(kind, one, several)| (count(events, kind), one, several));
    let parts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let parts = parts.map(|(count, one, several)| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    });
    let parts: Vec<String> = parts.collect();
    match parts.is_empty() {
        true => "nothing changed".to_owned(),
        false => parts.join(", "),
    }
}

/// What is listed, in order of time; a balancer that says again that it does nothing says it once.
fn rows(events: &[SeriesEvent]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut idle: Option<(usize, u32)> = None;
    for event in events {
        if COUNTED.iter().any(|(kind, _)| *kind == event.event) {
            continue;
        }
        let detail = event.detail.as_deref().unwrap_or_default();
        // The balancer's finding ends so, or starts moves.
        let does_nothing = event.event == EventKind::Balancer && detail.contains("does not ");
        if does_nothing {
            if let Some((at, times)) = &mut idle {
                *times += 1;
                let until = number::length(event.at_ms / 1e3);
                let first = rows[*at].what.split(" <span").next().unwrap_or_default();
                let times = match *times {
                    1 => "again".to_owned(),
                    times => format!("{times} more times"),
                };
                rows[*at].what =
                    format!("{first} <span class=\"aside\">and {times} until {until}</span>");
                continue;
            }
            idle = Some((rows.len(), 0));
        } else {
            idle = None;
        }
        rows.push(Row {
            at_ms: event.at_ms,
            what: words(event, detail),
            tells: !does_nothing,
        });
    }
    rows
}

/// One event as markup.
fn words(event: &SeriesEvent, detail: &str) -> String {
    let number = |value: Option<u32>| value.map_or("?".to_owned(), |value| value.to_string());
    let region = number(event.region);
    let server = number(event.server);
    let heirs: Vec<String> = event.heirs.iter().map(u32::to_string).collect();
    let bytes = event
        .bytes
        .map(|bytes| NumberFormat::Bytes.text(bytes as f64));
    let detail = text(detail);
    match event.event {
        EventKind::Split => format!(
            "region {region} is split at <code>{}</code> into {}",
            text(&shortened(event.row.as_deref().unwrap_or_default())),
            heirs.join(" and ")
        ),
        EventKind::NoSplitRow => format!("region {region} can't be split: {detail}"),
        EventKind::Merge => format!(
            "regions {region} and {} are merged into {}",
            number(event.upper),
            heirs.join(" and ")
        ),
        EventKind::Move => format!(
            "region {region} moves from server {server} to server {}",
            number(event.to)
        ),
        EventKind::Balancer => format!("the balancer: {detail}"),
        EventKind::Crash => format!("server {server} dies"),
        EventKind::CrashDetected => format!(
            "the master knows that server {server} is dead: {detail}, {} of its log replayed",
            bytes.unwrap_or_default()
        ),
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
            .into_iter()
            .map(|it| it.what)
            .collect();
        assert_eq!(
            told,
            [
                "region 3 is split at <code>a&lt;b</code> into 8 and 9",
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
        assert!(rows[0].what.contains("2 more times until 3"), "{rows:?}");
        assert!(rows[1].tells && !rows[2].tells);
        assert_eq!(headline(&events), "1 crash");
    }

    #[test]
    fn a_long_history_is_cut_at_a_screenful() {
        let events: Vec<SeriesEvent> = (0..95)
            .map(|at| event(f64::from(at) * 1e3, EventKind::Split, ""))
            .collect();
        let mut html = Html::default();
        list(&mut html, &rows(&events), &events);
        let html = html.finish();
        assert_eq!(html.matches("<tr>").count(), 1 + MOST);
        assert!(html.contains("65 later events"));
    }
}
