//! Charts: SVG drawn by plotters through our own backend, PNG from that same SVG. The finding is the title, the method the
//! subtitle; lines are labelled directly; the same colour is the same strategy everywhere.
//!
//! 1 key map with the server strip (one a strategy) · 2 load per server over time · 3 Lorenz curve · 4 response time by
//! percentile · 5 concentration on regions · 6 what more servers give · 7 what spreading the writes costs the reads ·
//! 8 what a sweep gives along its values · 9 what each strategy sustains. Must not know how results were made.

mod axis;
mod canvas;
mod concentration;
mod demand;
mod event_marks;
mod finding;
mod font;
mod heat_colours;
mod key_buckets;
mod key_labels;
mod key_map;
mod knee;
mod label_places;
mod legend_table;
mod lorenz;
mod mark_label;
mod markup;
mod overlap;
mod palette;
#[cfg(feature = "png")]
mod png;
mod raster;
mod readout;
mod regions;
mod response;
mod scaling;
mod server_load;
mod server_strip;
mod svg_backend;
mod sweep;
mod sweep_places;
mod theme;
mod trade_off;

#[cfg(test)]
mod chart_tests;
#[cfg(test)]
mod knee_tests;
#[cfg(test)]
mod sweep_tests;

pub(super) use font::faces as font_faces;
pub use heat_colours::{HeatColours, UnknownHeatColours};
pub use label_places::Area;
pub(super) use markup::escaped;
pub(super) use raster::base64;
pub use readout::{Cells, Reading, Readings, Readout, Values};
pub use theme::{Theme, UnknownTheme};

use crate::experiment::{Results, StrategyResult};
use crate::report::{metric, sweep_views};

/// A finished chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// File stem: `key-map-salted`, `server-load`, `lorenz`, `response-time`, `concentration`, `scaling`, `trade-off`, `knee`, `sweep`.
    pub name: String,
    /// The finding.
    pub title: String,
    /// The picture, 980 pixels wide, on white, without fonts: a page that shows several brings them once.
    pub svg: String,
    /// The numbers behind it, plot by plot.
    pub readouts: Vec<Readout>,
}

/// A chart that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the chart could not be drawn: {0}")]
pub struct ChartError(String);

impl ChartError {
    fn new(cause: impl std::fmt::Display) -> Self {
        Self(cause.to_string())
    }
}

/// Every chart that `results` have data for, in order; heat in `colours`. First what a sweep gives along its values, and what more servers
/// give; then, each saying so, those of a sweep's first point.
///
/// # Errors
/// When plotters can't measure text, which the fonts compiled in exclude.
pub fn charts(results: &Results, colours: HeatColours) -> Result<Vec<Chart>, ChartError> {
    let first = results.first_point();
    let all = results;
    let results = first.as_ref();
    let mapped = key_buckets::readable(results);
    let scale = key_map::HeatScale::of(&mapped, colours);
    let mut charts = Vec::new();
    // The key map is one of writes.
    let written = |strategy: &&StrategyResult| !metric::is_of_reads(strategy);
    for strategy in mapped.strategies.iter().filter(written) {
        charts.extend(key_map::draw(strategy, scale, results.duration_s)?);
    }
    charts.extend(server_load::draw(results)?);
    charts.extend(lorenz::draw(results)?);
    charts.extend(response::draw(results)?);
    charts.extend(concentration::draw(results)?);
    let point = sweep_views::first_point(all);
    if point.is_none() {
        charts.extend(scaling::draw(all)?);
    }
    charts.extend(trade_off::draw(results)?);
    charts.extend(knee::draw(results)?);
    let Some(point) = point else {
        return Ok(charts);
    };
    let mut of_all: Vec<Chart> = sweep::draw(all)?
        .into_iter()
        .chain(scaling::draw(all)?)
        .collect();
    let line = format!(
        "{point}, the first of {} points of the sweep",
        all.point_count()
    );
    let charts = charts.into_iter();
    of_all.extend(charts.map(|chart| canvas::headed(chart, &line)));
    Ok(of_all)
}

/// What all charts together show, in one sentence.
pub fn headline(results: &Results) -> String {
    finding::lorenz(results)
}

/// The colour of the strategy at `index` in the file, as markup.
pub(super) fn strategy_colour(index: usize) -> String {
    markup::hex(palette::strategy(index))
}

impl Chart {
    /// The picture as a file that stands alone, with its fonts: a viewer without Inter would take wider letters, and cut titles off.
    pub fn svg_file(&self) -> String {
        let root = self.svg.find('>').map_or(0, |end| end + 1);
        let (open, content) = self.svg.split_at(root);
        format!("{open}<style>{}</style>{content}", font::faces())
    }

    fn with_readouts(self, readouts: Vec<Readout>) -> Self {
        Self { readouts, ..self }
    }

    /// The picture under `theme`.
    pub fn under(self, theme: Theme) -> Self {
        Self {
            svg: theme.apply(&self.svg),
            ..self
        }
    }

    /// The picture as PNG, 1960 pixels wide.
    ///
    /// # Errors
    /// When the SVG does not parse.
    #[cfg(feature = "png")]
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        png::render(&self.svg)
    }
}
