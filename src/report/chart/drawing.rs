//! One chart: its picture, and the numbers behind it, which can be read off.

use super::ChartKind;
use super::panels::{Viewport, legend_key, sheet};
use super::picture::{Area, Picture, Point, Sheet, fitted, ink, width};
use super::wording::Entry;
use crate::report::document::{Column, Table};
use std::ops::Deref;

/// A finished chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub kind: ChartKind,
    /// File stem: `key-map-salted`, `server-load`.
    pub name: String,
    /// The finding.
    pub title: String,
    /// The picture, as wide as its [`Viewport`] says.
    pub picture: Picture,
    /// The numbers behind it, plot by plot.
    pub data: Vec<ChartData>,
}

/// What can be read off one plot of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartData {
    /// What the plot shows; empty when the chart has only one.
    pub title: String,
    /// Where it lies on the sheet.
    pub area: Area,
    /// Its numbers.
    pub table: Table,
    /// Where they lie.
    pub places: Places,
}

/// Where the numbers of a plot lie on the sheet.
#[derive(Debug, Clone, PartialEq)]
pub enum Places {
    /// Of each row of the table: pixels from the left edge, and from the top edge where it is a mark instead of any height.
    Rows(Vec<(f64, Option<f64>)>),
    /// In each cell of the key map.
    Cells(Cells),
}

/// Writes by key bucket and interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// Start of each bucket with what its segments say, from the bottom.
    pub keys: Vec<String>,
    /// Each interval, from the left.
    pub times: Vec<String>,
    /// Rows by interval, then bucket.
    pub counts: Vec<Vec<u64>>,
    /// Pixels from the top of the sheet to where each bucket starts and the last one ends, upwards.
    pub edges: Vec<f64>,
}

/// A row of the numbers of a plot.
pub struct Reading {
    place: (f64, Option<f64>),
    cells: Vec<String>,
}

impl Reading {
    /// At any height above or below a place.
    pub fn at(x: f64, label: String, values: impl IntoIterator<Item = String>) -> Self {
        let cells = std::iter::once(label).chain(values).collect();
        let place = (x, None);
        Self { place, cells }
    }

    /// Of a mark.
    pub fn of_mark((x, y): Point, label: String, values: impl IntoIterator<Item = String>) -> Self {
        let place = (x, Some(y));
        Self {
            place,
            ..Self::at(x, label, values)
        }
    }
}

/// A chart under construction: its sheet, which is drawn on, and the numbers behind what is drawn.
pub struct Drawing {
    chart: Chart,
    sheet: Sheet,
}

impl Drawing {
    /// A sheet with its heading: the finding, and below it how it was measured.
    pub fn new(
        viewport: Viewport,
        kind: ChartKind,
        title: String,
        subtitle: &str,
        height: f64,
    ) -> Self {
        let sheet = sheet(viewport, height, &title, subtitle);
        let chart = Chart {
            kind,
            name: kind.name().to_owned(),
            title,
            picture: Picture::default(),
            data: Vec::new(),
        };
        Self { chart, sheet }
    }

    /// As the chart of one strategy among several of its kind.
    pub fn of_strategy(mut self, strategy: &str) -> Self {
        self.chart.name += &format!("-{strategy}");
        self
    }

    /// Adds the numbers of the only plot, which has no title, or of one of several: a row a place that `along` names, put in order
    /// from left to right, and a column each of `names`.
    pub fn read_off(
        &mut self,
        title: &str,
        area: Area,
        along: &str,
        names: impl IntoIterator<Item = String>,
        readings: impl IntoIterator<Item = Reading>,
    ) {
        let names = names.into_iter().map(|name| Column::named(name, true));
        let columns = [Column::named(along.to_owned(), false)]
            .into_iter()
            .chain(names);
        let mut readings: Vec<Reading> = readings.into_iter().collect();
        readings.sort_by(|one, other| one.place.0.total_cmp(&other.place.0));
        let readings = readings.into_iter().map(|it| (it.place, it.cells));
        let (places, rows): (Vec<_>, Vec<_>) = readings.unzip();
        self.chart.data.push(ChartData {
            title: title.to_owned(),
            area,
            table: Table::new(columns, rows),
            places: Places::Rows(places),
        });
    }

    /// Adds the numbers of a key map.
    pub fn read_cells(&mut self, area: Area, table: Table, cells: Cells) {
        self.chart.data.push(ChartData {
            title: String::new(),
            area,
            table,
            places: Places::Cells(cells),
        });
    }

    /// What was drawn, with the numbers behind it.
    pub fn finish(mut self) -> Chart {
        self.chart.picture = self.sheet.finish();
        self.chart
    }
}

impl Deref for Drawing {
    type Target = Sheet;

    fn deref(&self) -> &Sheet {
        &self.sheet
    }
}

/// Strategies beside each other, in as many rows as they take.
pub struct Legend<'a> {
    /// Each with its name and where it stands, from the start of the legend.
    entries: Vec<(Entry<'a>, String, Point)>,
    /// How much the rows beyond the first take.
    pub more: f64,
}

impl<'a> Legend<'a> {
    /// Of so many pixels.
    pub fn of(entries: impl IntoIterator<Item = Entry<'a>>, room: f64) -> Self {
        const STEP: f64 = 18.0;
        let (mut x, mut y) = (0.0, 0.0);
        let place = |entry: Entry<'a>| {
            let name = fitted(&entry.name(), room - 26.0, 12.0, false);
            let wide = 26.0 + width(&name, 12.0, false) + 22.0;
            if x > 0.0 && x + wide > room {
                (x, y) = (0.0, y + STEP);
            }
            x += wide;
            (entry, name, (x - wide, y))
        };
        let entries = entries.into_iter().map(place).collect();
        Self { entries, more: y }
    }

    /// The first row at a height, the others below.
    pub fn draw(&self, sheet: &Sheet, (left, top): Point) {
        for (entry, name, (x, y)) in &self.entries {
            let (x, y) = (left + x, top + y);
            legend_key(sheet, (x, y), entry.colour());
            sheet.text(name, (x + 26.0, y), ink(12.0).middle());
        }
    }
}
