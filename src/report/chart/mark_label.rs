//! Labels beside the marks of the trade-off: a name, and below it what the price is made of. Must not know where marks come from.

use super::canvas::Canvas;
use super::label_places::{Place, place};
use super::picture::Area;
use super::picture::Label;
use super::trade_off::{Mark, Panel};
use super::{finding, picture as font, picture as palette};
use crate::report::number::Kind;
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
    pub place: Option<Place>,
}

impl MarkLabel {
    fn of(panel: &Panel<'_>, mark: &Mark<'_>, room: f64) -> Self {
        let long = panel.marks.len() <= MOST_LONG_LABELS;
        let name = finding::name(mark.strategy);
        let calls = if long {
            calls(panel, mark)
        } else {
            String::new()
        };
        Self {
            name: font::balanced(&name, room, LABEL_SIZE, true, if long { 2 } else { 1 }),
            calls: font::fitted(&calls, room, 10.0, false),
            place: None,
        }
    }

    fn size(&self) -> (f64, f64) {
        let names = self.name.iter();
        let widest = names
            .map(|line| font::width(line, LABEL_SIZE, true))
            .fold(font::width(&self.calls, 10.0, false), f64::max);
        let lines = self.name.len() + usize::from(!self.calls.is_empty());
        (widest + 2.0, lines as f64 * LINE - (lines - 1) as f64)
    }

    /// Draws it beside its mark, when a place was found for it.
    pub fn draw(&self, canvas: &Canvas, at: (f64, f64), colour: RGBColor) {
        let Some(Place { area, .. }) = self.place else {
            return;
        };
        let is_left = area.left + area.width <= at.0;
        let (x, label): (f64, fn(f64) -> Label) = if is_left {
            (area.left + area.width - 1.0, |size| {
                Label::new(size).right()
            })
        } else {
            (area.left + 1.0, Label::new)
        };
        let name = label(LABEL_SIZE).bold().colour(palette::text(colour));
        let y = area.top + LINE / 2.0;
        canvas.lines(&self.name, (x, y), LINE - 1.0, name.middle());
        let below = y + self.name.len() as f64 * (LINE - 1.0);
        if !self.calls.is_empty() {
            canvas.text(&self.calls, (x, below), label(10.0).muted().middle());
        }
    }
}

/// The labels of a panel in their places.
pub fn labels(
    panel: &Panel<'_>,
    at: &[(f64, f64)],
    taken: &[Area],
    bounds: Area,
) -> Vec<MarkLabel> {
    let room = bounds.width * 0.6;
    let label = |mark: &Mark<'_>| MarkLabel::of(panel, mark, room);
    let mut labels: Vec<MarkLabel> = panel.marks.iter().map(label).collect();
    let sizes: Vec<(f64, f64)> = labels.iter().map(MarkLabel::size).collect();
    for (label, found) in labels.iter_mut().zip(place(at, &sizes, taken, bounds)) {
        label.place = found;
    }
    labels
}

/// What a read asks for: `16 calls, fan-out-scan`; of a planned one the calls are its only cost beside the rows.
fn calls(panel: &Panel<'_>, mark: &Mark<'_>) -> String {
    let path = mark.read.path.as_deref();
    let calls = mark.read.calls_planned.mean.map(|calls| {
        let text = Kind::Compact.text(calls);
        let word = if text == "1" { "call" } else { "calls" };
        format!("{text}\u{a0}{word}")
    });
    let bound = mark.censored.then(|| {
        let price = panel.price(mark);
        price.replace("more than ", ">\u{a0}")
    });
    let parts = [bound, calls, path.map(str::to_owned)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
