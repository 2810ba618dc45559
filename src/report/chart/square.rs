//! What charts 5 and 6 share: a square plot of curves, and beside or below it a table of the strategies that is its legend, too.

use super::prelude::*;

/// Where columns end, from the right edge; of fewer, the last ones.
const COLUMNS: [f64; 3] = [160.0, 84.0, 0.0];
/// Left of a name: the line in the strategy's colour.
const BEFORE: f64 = 28.0;
/// Rows with room for two lines of a name.
const MOST_TALL_ROWS: usize = 12;
/// Distance of the notes below the table.
const NOTE_STEP: f64 = 17.0;

/// The plot.
pub fn plot(viewport: Viewport) -> Area {
    let (wide, high) = viewport.pick((400.0, 400.0), (viewport.room() - 70.0, 260.0));
    Area::new(viewport.left() + 62.0, viewport.top() + 18.0, wide, high)
}

/// Where shares of both axes of a plot lie on the sheet.
pub fn place(plot: Area, right: f64, up: f64) -> Point {
    let x = plot.left + plot.width * right;
    (x, plot.bottom() - plot.height * up)
}

/// One strategy's curve and its row of the table.
pub struct Curve<'a> {
    /// Whose.
    pub entry: Entry<'a>,
    /// From left to right on the sheet.
    pub points: Points,
    /// Its dots and their radius.
    pub dots: (Vec<Point>, f64),
    /// Its numbers.
    pub cells: Vec<String>,
}

/// A square chart.
pub struct Square<'a> {
    /// What it is shown in.
    pub viewport: Viewport,
    /// Which.
    pub kind: ChartKind,
    /// The finding.
    pub title: String,
    /// How it was measured.
    pub subtitle: &'a str,
    /// The horizontal axis, and what it shows.
    pub x: (Axis, &'a str),
    /// The vertical axis, and what it shows.
    pub y: (Axis, &'a str),
    /// Thin lines that curves are compared with.
    pub ideals: Vec<Points>,
    /// Headings in two lines; the first may be empty.
    pub headings: &'a [[&'a str; 2]],
    /// Column that the rows are ordered by.
    pub leading: usize,
    /// In the order of the table.
    pub curves: Vec<Curve<'a>>,
    /// Below the table, one line each.
    pub notes: Vec<String>,
    /// What the vertical axis shows at the places of the horizontal one.
    pub readings: (&'a str, Vec<Reading>),
}

impl Square<'_> {
    /// The chart.
    pub fn draw(mut self) -> Chart {
        // Grey first, and the first of the file on top.
        let mut order: Vec<&Curve<'_>> = self.curves.iter().collect();
        order.sort_by_key(|curve| std::cmp::Reverse(curve.entry.index));
        let lines: Vec<Points> = order.iter().map(|curve| curve.points.clone()).collect();
        let turns = turns(&lines);
        if turns.iter().any(|turn| turn.of > 1) {
            self.notes.push(OVERLAP_NOTE.to_owned());
        }
        let notes = 32.0 + self.notes.len() as f64 * NOTE_STEP;
        let (viewport, area) = (self.viewport, plot(self.viewport));
        let height = (area.bottom() + 62.0).max(self.table_bottom() + notes);
        let title = std::mem::take(&mut self.title);
        let mut sheet = Drawing::new(viewport, self.kind, title, self.subtitle, height);
        let mut plot = Plot::new(&sheet, area, self.x.0.clone(), self.y.0.clone());
        let ideals = std::mem::take(&mut self.ideals).into_iter();
        ideals.for_each(|ideal| plot.path(ideal, 1.25, AXIS));
        for (curve, turn) in order.iter().zip(turns) {
            let (colour, line) = (curve.entry.colour(), &lines[turn.along]);
            striped(&sheet, line, turn, 2.25, colour);
            let (dots, radius) = &curve.dots;
            dots.iter().for_each(|at| sheet.disc(*at, *radius, colour));
        }
        plot.name_below(self.x.1, 30.0);
        plot.name_beside(self.y.1, viewport.left() + 5.0);
        self.draw_table(&sheet);
        let names = self.curves.iter().map(|curve| curve.entry.name());
        sheet.read_off("", area, self.readings.0, names, self.readings.1);
        sheet.finish()
    }

    fn row_height(&self) -> f64 {
        match self.curves.len() <= MOST_TALL_ROWS {
            true => 28.0,
            false => 20.0,
        }
    }

    /// The top left corner of the table: beside the plot, or below it.
    fn table(&self) -> Point {
        let plot = plot(self.viewport);
        let (beside, below) = (plot.right() + 60.0, plot.bottom() + 60.0);
        let left = self.viewport.left();
        self.viewport.pick((beside, plot.top), (left, below))
    }

    fn table_bottom(&self) -> f64 {
        self.table().1 + 30.0 + self.curves.len() as f64 * self.row_height()
    }

    /// Table and notes.
    fn draw_table(&self, sheet: &Sheet) {
        let (left, top) = self.table();
        let right = self.viewport.right();
        let lasts = self.curves.iter().filter_map(|row| row.cells.last());
        let widest = lasts.map(|it| width(it, 12.5, false)).fold(0.0, f64::max);
        // A wide last column moves the others to the left.
        let moved = (widest + 16.0 - COLUMNS[1]).max(0.0);
        let ends = COLUMNS.map(|it| right - it - if it > 0.0 { moved } else { 0.0 });
        let columns = &ends[COLUMNS.len() - self.headings.len()..];
        for (heading, x) in self.headings.iter().zip(columns) {
            let label = muted(11.0).right();
            sheet.lines(heading, (*x, top + 5.0), 13.0, label);
        }
        let firsts = self.curves.iter().map(|row| row.cells[0].as_str());
        let widths = firsts
            .chain(self.headings[0])
            .map(|it| width(it, 12.5, true));
        let names = left + BEFORE;
        let room = columns[0] - widths.fold(0.0, f64::max) - 10.0 - names;
        for (at, row) in self.curves.iter().enumerate() {
            let top = top + 26.0 + at as f64 * self.row_height();
            let y = top + self.row_height() / 2.0;
            sheet.line(&[(left, top), (right, top)], 1.0, GRID);
            legend_key(sheet, (left, y), row.entry.colour());
            self.draw_name(sheet, &row.entry.name(), (names, y), room);
            for (column, (cell, x)) in row.cells.iter().zip(columns).enumerate() {
                let leads = column == self.leading;
                let label = if leads { bold(12.5) } else { ink(12.5) };
                sheet.text(cell, (*x, y), label.right().middle());
            }
        }
        let notes = (left, self.table_bottom() + 14.0);
        let label = muted(11.5).top();
        sheet.lines(&self.notes, notes, NOTE_STEP, label);
    }

    /// In one line, or in two smaller ones where rows are tall enough.
    fn draw_name(&self, sheet: &Sheet, name: &str, (x, y): Point, room: f64) {
        if width(name, 12.5, false) <= room || self.curves.len() > MOST_TALL_ROWS {
            let name = fitted(name, room, 12.5, false);
            sheet.text(&name, (x, y), ink(12.5).middle());
        } else {
            let lines = balanced(name, room, 11.0, false, 2);
            let first = y - (lines.len() - 1) as f64 * 6.25;
            sheet.lines(&lines, (x, first), 12.5, ink(11.0).middle());
        }
    }
}
