//! What happened to servers, marked on the time axis of the key map: crashes, slow servers, servers that joined, runs of the
//! balancer that moved regions.

use super::frame::Frame;
use crate::metrics::{EventKind, SeriesEvent};
use crate::report::chart::prelude::*;

const SIZE: f64 = 10.0;
/// Least distance of two labels in one line.
const GAP: f64 = 8.0;

/// When each mark lies, in seconds, and its label, in order of time.
fn marks(events: &[SeriesEvent]) -> impl Iterator<Item = (f64, String)> {
    let marks = events.iter();
    marks.filter_map(|event| Some((event.at_ms / 1e3, label(event)?)))
}

/// A line through the map at each mark; its label above the map where there is room, not left of `free`.
pub fn draw_events(sheet: &Sheet, frame: &Frame, events: &[SeriesEvent], mut free: f64) {
    for (at_s, label) in marks(events).filter(|(at_s, _)| *at_s <= frame.to_s) {
        let (x, area) = (frame.x(at_s), frame.area);
        let line = [(x, area.top), (x, area.bottom())];
        sheet.line(&line, 2.5, Paint::new(GREY, 0.5));
        sheet.line(&line, 1.0, Paint::new(PAPER, 0.8));
        let wide = width(&label, SIZE, false);
        let left = x.min(area.right() - wide);
        if left >= free {
            sheet.line(&[(x, area.top - 5.0), (x, area.top)], 1.0, AXIS);
            sheet.text(&label, (left, area.top - 9.0), muted(SIZE));
            free = left + wide + GAP;
        }
    }
}

fn label(event: &SeriesEvent) -> Option<String> {
    let server = event.server.unwrap_or_default();
    match event.event {
        EventKind::Crash => Some(format!("rs{server} dies")),
        EventKind::CrashDetected => Some("its regions open".to_owned()),
        EventKind::Slow => Some(format!("rs{server} {}", event.detail.as_deref()?)),
        EventKind::ServersAdded => Some(format!("+ {}", event.detail.as_deref()?)),
        EventKind::Balancer if event.detail.as_deref()?.contains("moves ") => {
            Some("balancer".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happens_to_servers_is_marked() {
        let event = |event: EventKind, detail: Option<&str>| SeriesEvent {
            server: Some(3),
            detail: detail.map(str::to_owned),
            ..SeriesEvent::new(1_500.0, event)
        };
        let events = [
            event(EventKind::Split, None),
            event(EventKind::Crash, None),
            event(EventKind::Balancer, Some("0.0249 < 0.025: does not start")),
            event(EventKind::ServersAdded, Some("2 servers")),
        ];
        let (times, labels): (Vec<f64>, Vec<String>) = marks(&events).unzip();
        assert_eq!(labels, ["rs3 dies", "+ 2 servers"]);
        assert_eq!(times[0], 1.5);
    }
}
