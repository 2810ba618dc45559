//! Labels beside the marks of the trade-off: a name, and below it what the price is made of.

use super::panel::{Mark, Panel};
use crate::report::chart::prelude::*;
use plotters::style::RGBColor;

const LABEL_SIZE: f64 = 11.0;
const LINE: f64 = 14.0;
/// Strategies whose labels have a second line with the calls.
const MOST_LONG_LABELS: usize = 8;

/// A name beside a mark, and what the price is made of below it.
pub struct MarkLabel {
    /// In one line or two.
    name: Vec<String>,
    /// Empty when there are too many labels.
    calls: String,
    /// Where it stands; `None` without room.
    pub place: Option<LabelPlace>,
}

impl MarkLabel {
    fn of(panel: &Panel<'_>, mark: &Mark<'_>, room: f64) -> Self {
        let (lines, calls) = match panel.marks.len() <= MOST_LONG_LABELS {
            true => (2, calls(panel, mark)),
            false => (1, String::new()),
        };
        Self {
            name: balanced(&mark.entry.name(), room, LABEL_SIZE, true, lines),
            calls: fitted(&calls, room, 10.0, false),
            place: None,
        }
    }

    fn size(&self) -> (f64, f64) {
        let names = self.name.iter().map(|line| width(line, LABEL_SIZE, true));
        let widest = names.fold(width(&self.calls, 10.0, false), f64::max);
        let lines = self.name.len() + usize::from(!self.calls.is_empty());
        (widest + 2.0, lines as f64 * LINE - (lines - 1) as f64)
    }

    /// Draws it beside its mark, when a place was found for it.
    pub fn draw(&self, sheet: &Sheet, at: Point, colour: RGBColor) {
        let Some(LabelPlace { area, .. }) = self.place else {
            return;
        };
        let is_left = area.right() <= at.0;
        let x = if is_left {
            area.right() - 1.0
        } else {
            area.left + 1.0
        };
        let placed = |label: Label| if is_left { label.right() } else { label }.middle();
        let y = area.top + LINE / 2.0;
        let name = placed(bold(LABEL_SIZE).colour(colour));
        sheet.lines(&self.name, (x, y), LINE - 1.0, name);
        let below = y + self.name.len() as f64 * (LINE - 1.0);
        sheet.text(&self.calls, (x, below), placed(muted(10.0)));
    }
}

/// The labels of a panel in their places.
pub fn place_labels(
    panel: &Panel<'_>,
    at: &[Point],
    taken: &[Area],
    bounds: Area,
) -> Vec<MarkLabel> {
    let label = |mark: &Mark<'_>| MarkLabel::of(panel, mark, bounds.width * 0.6);
    let mut labels: Vec<MarkLabel> = panel.marks.iter().map(label).collect();
    let sizes: Vec<(f64, f64)> = labels.iter().map(MarkLabel::size).collect();
    for (label, found) in labels.iter_mut().zip(place(at, &sizes, taken, bounds)) {
        label.place = found;
    }
    labels
}

/// What a read asks for: `16 calls, fan-out-scan`; of a planned one the calls are its only cost beside the rows.
fn calls(panel: &Panel<'_>, mark: &Mark<'_>) -> String {
    let calls = mark.read.calls_planned.mean.map(|calls| {
        let text = NumberFormat::Compact.text(calls);
        let word = if text == "1" { "call" } else { "calls" };
        format!("{text}\u{a0}{word}")
    });
    let bound = panel.price(mark).replace("more than ", ">\u{a0}");
    let bound = mark.censored.then_some(bound);
    let parts = [bound, calls, mark.read.path.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
