//! The numbers behind a picture: what can be read off it, and where on the sheet. Must not know how a page shows them.

use super::picture::Area;

/// What can be read off one plot of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// What the plot shows; empty when the chart has only one.
    pub title: String,
    /// Where it lies on the sheet.
    pub frame: Area,
    /// Its numbers.
    pub values: Values,
}

/// The numbers of a plot.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Some at each place along the horizontal axis.
    Along(Readings),
    /// One in each cell of the key map.
    Cells(Cells),
}

/// Numbers along the horizontal axis, written out.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// What the places are.
    pub along: String,
    /// What stands at each of them, in order.
    pub names: Vec<String>,
    /// From left to right.
    pub readings: Vec<Reading>,
}

/// One place.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Pixels from the left edge of the sheet.
    pub x: f64,
    /// Pixels from its top edge, where the place is a mark; `None` when it is any height.
    pub y: Option<f64>,
    /// Which place.
    pub label: String,
    /// As many as names.
    pub values: Vec<String>,
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
}

impl Readout {
    /// The numbers of the only plot, or of the one called `title`.
    pub fn along(title: String, frame: Area, readings: Readings) -> Self {
        Self {
            title,
            frame,
            values: Values::Along(readings),
        }
    }
}
