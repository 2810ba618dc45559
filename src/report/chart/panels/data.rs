//! The numbers behind a picture: what can be read off it, and where on the sheet.

use crate::report::chart::picture::{Area, Point};

/// What can be read off one plot of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartData {
    /// What the plot shows; empty when the chart has only one.
    pub title: String,
    /// Where it lies on the sheet.
    pub area: Area,
    /// Its numbers.
    pub values: Values,
}

/// The numbers of a plot.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Some at each place along the horizontal axis.
    Along(DataSeries),
    /// One in each cell of the key map.
    Cells(Cells),
}

/// Numbers along the horizontal axis, written out.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSeries {
    /// What the places are.
    pub along: String,
    /// What stands at each of them, in order.
    pub names: Vec<String>,
    /// From left to right.
    pub points: Vec<DataPoint>,
}

/// One place.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPoint {
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

impl ChartData {
    /// The numbers of the only plot, or of the one called `title`.
    pub fn along(title: impl Into<String>, area: Area, series: DataSeries) -> Self {
        let (title, values) = (title.into(), Values::Along(series));
        Self {
            title,
            area,
            values,
        }
    }
}

impl DataSeries {
    /// Numbers called `names` at places that `along` names.
    pub fn new(
        along: impl Into<String>,
        names: impl IntoIterator<Item = impl Into<String>>,
        points: impl IntoIterator<Item = DataPoint>,
    ) -> Self {
        Self {
            along: along.into(),
            names: names.into_iter().map(Into::into).collect(),
            points: points.into_iter().collect(),
        }
    }
}

impl DataPoint {
    /// A place of any height.
    pub fn across(x: f64, label: String, values: impl IntoIterator<Item = String>) -> Self {
        let values = values.into_iter().collect();
        Self {
            x,
            y: None,
            label,
            values,
        }
    }

    /// A mark.
    pub fn mark((x, y): Point, label: String, values: impl IntoIterator<Item = String>) -> Self {
        let y = Some(y);
        Self {
            y,
            ..Self::across(x, label, values)
        }
    }
}
