//! One chart: its picture, and the numbers behind it, which can be read off.

use super::panels::sheet;
use super::picture::{Area, Picture, Point, Sheet};
use std::ops::Deref;

/// What a chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    /// The key space over time, one a strategy.
    KeyMap,
    /// The load of each server over time.
    ServerLoad,
    /// How even the load of the servers is.
    Lorenz,
    /// Response times by percentile.
    ResponseTime,
    /// How few regions take the load.
    Concentration,
    /// What more servers give.
    Scaling,
    /// What spreading the writes costs the reads.
    TradeOff,
    /// What each strategy sustains.
    Knee,
    /// What a setting gives along its values.
    Sweep,
}

crate::text::words!(ChartKind "chart" {
    KeyMap = "key-map",
    ServerLoad = "server-load",
    Lorenz = "lorenz",
    ResponseTime = "response-time",
    Concentration = "concentration",
    Scaling = "scaling",
    TradeOff = "trade-off",
    Knee = "knee",
    Sweep = "sweep",
});

/// A finished chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub kind: ChartKind,
    /// File stem: `key-map-salted`, `server-load`.
    pub name: String,
    /// The finding.
    pub title: String,
    /// The picture, 980 pixels wide.
    pub picture: Picture,
    /// The numbers behind it, plot by plot.
    pub data: Vec<ChartData>,
}

/// A chart under construction: its sheet, which is drawn on, and the numbers behind what is drawn.
pub struct Drawing {
    chart: Chart,
    sheet: Sheet,
}

impl Drawing {
    /// A sheet with its heading: the finding, and below it how it was measured.
    pub fn new(kind: ChartKind, title: String, subtitle: &str, height: f64) -> Self {
        let sheet = sheet(height, &title, subtitle);
        let (name, picture) = (kind.name().to_owned(), Picture::default());
        let data = Vec::new();
        let chart = Chart {
            kind,
            name,
            title,
            picture,
            data,
        };
        Self { chart, sheet }
    }

    /// As the chart of one strategy among several of its kind.
    pub fn of_strategy(mut self, strategy: &str) -> Self {
        self.chart.name += &format!("-{strategy}");
        self
    }

    /// Adds the numbers of the only plot, which has no title, or of one of several.
    pub fn read_off(&mut self, title: &str, area: Area, values: Values) {
        let title = title.to_owned();
        self.chart.data.push(ChartData {
            title,
            area,
            values,
        });
    }

    /// What was drawn, with the numbers behind it.
    pub fn finish(self) -> Chart {
        let picture = self.sheet.finish();
        Chart {
            picture,
            ..self.chart
        }
    }
}

impl Deref for Drawing {
    type Target = Sheet;

    fn deref(&self) -> &Sheet {
        &self.sheet
    }
}

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
