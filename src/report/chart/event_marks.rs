//! What happened to servers, marked on the time axis of the key map: crashes, slow servers, servers that joined, runs of the
//! balancer that moved regions. Must not know regions or demand.

use super::canvas::Canvas;
use super::key_map::Frame;
use super::picture as font;
use super::picture as palette;
use super::picture::Label;
use super::picture::Paint;
use crate::metrics::SeriesEvent;

const SIZE: f64 = 10.0;
/// Least distance of two labels in one line.
const GAP: f64 = 8.0;

/// A mark with its label.
#[derive(Debug, Clone, PartialEq)]
struct Mark {
    at_s: f64,
    label: String,
}

/// The marks of a run, in order of time.
#[derive(Debug)]
pub struct EventMarks(Vec<Mark>);

impl EventMarks {
    /// Of all events of a run.
    pub fn of(events: &[SeriesEvent]) -> Self {
        let mut marks: Vec<Mark> = Vec::new();
        for event in events {
            let Some(label) = label(event) else { continue };
            let at_s = event.at_ms / 1e3;
            marks.push(Mark { at_s, label });
        }
        Self(marks)
    }

    /// A line through the map at each mark; its label above the map where there is room, not left of `free`.
    pub fn draw(&self, canvas: &Canvas, frame: &Frame, mut free: f64) {
        for Mark { at_s, label } in &self.0 {
            if *at_s > frame.to_s {
                continue;
            }
            let x = frame.x(*at_s);
            let line = [(x, frame.top), (x, frame.bottom)];
            for (colour, opacity, width) in [(palette::GREY, 0.5, 2.5), (palette::PAPER, 0.8, 1.0)]
            {
                canvas.line(&line, width, Paint { colour, opacity });
            }
            let width = font::width(label, SIZE, false);
            let left = x.min(frame.right - width);
            if left >= free {
                canvas.line(&[(x, frame.top - 5.0), (x, frame.top)], 1.0, palette::AXIS);
                canvas.text(label, (left, frame.top - 9.0), Label::new(SIZE).muted());
                free = left + width + GAP;
            }
        }
    }
}

fn label(event: &SeriesEvent) -> Option<String> {
    let server = event.server.unwrap_or_default();
    match &event.event[..] {
        "crash" => Some(format!("rs{server} dies")),
        "crash-detected" => Some("its regions open".to_owned()),
        "slow" => Some(format!("rs{server} {}", event.detail.as_deref()?)),
        "servers-added" => Some(format!("+ {}", event.detail.as_deref()?)),
        "balancer" if event.detail.as_deref()?.contains("moves ") => Some("balancer".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happens_to_servers_is_marked() {
        let event = |event: &str, detail: Option<&str>| SeriesEvent {
            at_ms: 1_500.0,
            event: event.to_owned(),
            server: Some(3),
            detail: detail.map(str::to_owned),
            ..SeriesEvent::default()
        };
        let marks = EventMarks::of(&[
            event("split", None),
            event("crash", None),
            event("balancer", Some("0.0249 < 0.025: does not start")),
            event("servers-added", Some("2 servers")),
        ]);
        let labels: Vec<&str> = marks.0.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(labels, ["rs3 dies", "+ 2 servers"]);
        assert_eq!(marks.0[0].at_s, 1.5);
    }
}
