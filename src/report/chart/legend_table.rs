//! What charts 3 and 5 share: a square plot, and right of it a table of the strategies that is its legend, too.
//!
//! Must not know what the numbers mean.

use super::canvas::{Canvas, MARGIN, WIDTH};
use super::picture::Label;
use super::{finding, picture as font, picture as palette};
use crate::experiment::StrategyResult;

/// Top of plot and table.
pub const TOP: f64 = 84.0;
/// Side of the plot.
pub const SIDE: f64 = 400.0;
/// Left edge of the plot.
pub const LEFT: f64 = MARGIN + 62.0;
/// Left edge of the table.
const TABLE: f64 = LEFT + SIDE + 60.0;
/// Where names start, right of the line in the strategy's colour.
const NAMES: f64 = TABLE + 28.0;
/// Where columns end.
const COLUMNS: [f64; 3] = [
    WIDTH - MARGIN - 160.0,
    WIDTH - MARGIN - 84.0,
    WIDTH - MARGIN,
];
/// Rows with room for two lines of a name.
const MOST_TALL_ROWS: usize = 12;
/// Distance of the notes below the table.
const NOTE_STEP: f64 = 17.0;

/// One strategy's row.
pub struct Row<'a> {
    /// Its place in the file.
    pub index: usize,
    /// Whose.
    pub strategy: &'a StrategyResult,
    /// Its numbers.
    pub cells: [String; 3],
}

/// The table and the notes below it.
pub struct LegendTable<'a> {
    /// Headings in two lines; the first may be empty.
    pub headings: [[&'static str; 2]; 3],
    /// Column that the rows are ordered by.
    pub leading: usize,
    /// In the order of the table.
    pub rows: Vec<Row<'a>>,
    /// One line each.
    pub notes: Vec<String>,
}

impl LegendTable<'_> {
    /// Height of the sheet that holds plot, table and notes.
    pub fn sheet_height(&self) -> f64 {
        let notes = 32.0 + self.notes.len() as f64 * NOTE_STEP;
        (TOP + SIDE + 62.0).max(self.bottom() + notes)
    }

    fn row_height(&self) -> f64 {
        if self.rows.len() <= MOST_TALL_ROWS {
            28.0
        } else {
            20.0
        }
    }

    fn bottom(&self) -> f64 {
        TOP + 30.0 + self.rows.len() as f64 * self.row_height()
    }

    /// Table and notes.
    pub fn draw(&self, canvas: &Canvas) {
        let right = WIDTH - MARGIN;
        for (heading, x) in self.headings.iter().zip(COLUMNS) {
            canvas.lines(
                heading,
                (x, TOP + 5.0),
                13.0,
                Label::new(11.0).muted().right(),
            );
        }
        for (at, row) in self.rows.iter().enumerate() {
            let top = TOP + 26.0 + at as f64 * self.row_height();
            let y = top + self.row_height() / 2.0;
            canvas.line(&[(TABLE, top), (right, top)], 1.0, palette::GRID);
            let colour = palette::strategy(row.index);
            canvas.line(&[(TABLE, y), (TABLE + 20.0, y)], 2.25, colour);
            canvas.circle((TABLE + 10.0, y), 3.0, colour, None);
            self.draw_name(canvas, &finding::name(row.strategy), y);
            for (column, (cell, x)) in row.cells.iter().zip(COLUMNS).enumerate() {
                let label = Label::new(12.5).right().middle();
                let label = if column == self.leading {
                    label.bold()
                } else {
                    label
                };
                canvas.text(cell, (x, y), label);
            }
        }
        let notes = (TABLE, self.bottom() + 14.0);
        canvas.lines(
            &self.notes,
            notes,
            NOTE_STEP,
            Label::new(11.5).muted().top(),
        );
    }

    /// In one line, or in two smaller ones where rows are tall enough.
    fn draw_name(&self, canvas: &Canvas, name: &str, y: f64) {
        let cells = self.rows.iter().map(|row| row.cells[0].as_str());
        let widest = cells
            .chain(self.headings[0])
            .map(|cell| font::width(cell, 12.5, true));
        let room = COLUMNS[0] - widest.fold(0.0, f64::max) - 10.0 - NAMES;
        if font::width(name, 12.5, false) <= room || self.rows.len() > MOST_TALL_ROWS {
            let name = font::fitted(name, room, 12.5, false);
            canvas.text(&name, (NAMES, y), Label::new(12.5).middle());
        } else {
            let lines = font::balanced(name, room, 11.0, false, 2);
            let first = y - (lines.len() - 1) as f64 * 6.25;
            canvas.lines(&lines, (NAMES, first), 12.5, Label::new(11.0).middle());
        }
    }
}

/// What the axes of the plot show.
pub fn draw_axis_names(canvas: &Canvas, below: &str, beside: &str) {
    let label = || Label::new(11.5).muted().centre();
    let at = (LEFT + SIDE / 2.0, TOP + SIDE + 30.0);
    canvas.text(below, at, label().top());
    let at = (MARGIN + 5.0, TOP + SIDE / 2.0);
    canvas.text(beside, at, label().middle().turned());
}
