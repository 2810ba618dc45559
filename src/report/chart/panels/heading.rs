//! Sheets with their heading: the finding is the title, the method the subtitle.

use crate::report::chart::picture::{
    Area, PAPER, Picture, Point, Sheet, balanced, bold, fitted, muted, width,
};
use crate::report::literals::literals;
use plotters::style::RGBColor;

/// Width of every chart.
pub const WIDTH: f64 = 980.0;
/// Left and right margin.
pub const MARGIN: f64 = 24.0;
/// What a line of the heading may take.
const ROOM: f64 = WIDTH - 2.0 * MARGIN;

/// A sheet [`WIDTH`] wide with its heading: the finding, and below it how it was measured.
pub fn sheet(height: f64, title: &str, subtitle: &str) -> Sheet {
    let title = quoted(title);
    let sheet = Sheet::new(WIDTH, height, &title, subtitle);
    sheet.rect(Area::new(0.0, 0.0, WIDTH, height.ceil()), PAPER);
    let size_of = |text: &str, sizes: &[f64], bold: bool| {
        let fits = |size: &&f64| width(text, **size, bold) <= ROOM;
        sizes.iter().find(fits).copied()
    };
    // A long finding gets smaller before it takes two lines, and two lines before it gets cut.
    let below = match size_of(&title, &[17.0, 16.0, 15.0], true) {
        Some(size) => {
            sheet.text(&title, (MARGIN, 22.0), bold(size).top());
            46.0
        }
        None => {
            const SIZE: f64 = 15.0;
            let lines = balanced(&title, ROOM, SIZE, true, 2);
            sheet.lines(&lines, (MARGIN, 14.0), 19.0, bold(SIZE).top());
            54.0
        }
    };
    let size = size_of(subtitle, &[12.5, 12.0, 11.5], false).unwrap_or(11.0);
    let subtitle = fitted(subtitle, ROOM, size, false);
    sheet.text(&subtitle, (MARGIN, below), muted(size).top());
    sheet
}

/// Puts a small line above the heading of a picture.
pub fn add_line(picture: &mut Picture, line: &str) {
    const SIZE: f64 = 10.5;
    let line = fitted(line, ROOM, SIZE, false);
    picture.add_text(&line, (MARGIN, 4.0), muted(SIZE).top());
}

/// The sign of a strategy in a legend: a piece of its line with a dot, 20 pixels wide.
pub fn legend_key(sheet: &Sheet, (x, y): Point, colour: RGBColor) {
    sheet.line(&[(x, y), (x + 20.0, y)], 2.25, colour);
    sheet.disc((x + 10.0, y), 3.0, colour);
}

/// A sentence in which backticks stand round what is literal, for a picture: it shows quotation marks.
pub fn quoted(sentence: &str) -> String {
    literals(sentence, |literal| format!("“{literal}”"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_is_literal_in_a_title_stands_in_quotation_marks() {
        assert_eq!(quoted("`a` costs 3, `b` 1"), "“a” costs 3, “b” 1");
    }
}
