//! Charts: a display list that plotters draws on, written as SVG and as PNG. The finding is the title, the method the
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
mod key_buckets;
mod key_labels;
mod key_map;
mod knee;
mod label_places;
mod legend_table;
mod lorenz;
mod mark_label;
mod overlap;
mod picture;
mod readout;
mod regions;
mod response;
mod scaling;
mod server_load;
mod server_strip;
mod sweep;
mod sweep_places;
mod trade_off;

#[cfg(test)]
mod chart_tests;
#[cfg(test)]
mod knee_tests;
#[cfg(test)]
mod sweep_tests;

pub use picture::{Area, HeatColours, Theme, UnknownHeatColours, UnknownTheme};
pub(super) use picture::{base64, escaped, faces as font_faces};
pub use readout::{Cells, Reading, Readings, Readout, Values};

use crate::experiment::{Results, StrategyResult};
use crate::report::{metric, sweep_views};
use picture::Picture;

/// A finished chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// File stem: `key-map-salted`, `server-load`, `lorenz`, `response-time`, `concentration`, `scaling`, `trade-off`, `knee`, `sweep`.
    pub name: String,
    /// The finding.
    pub title: String,
    /// The picture, 980 pixels wide.
    picture: Picture,
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
    for mut chart in charts {
        canvas::add_line(&mut chart.picture, &line);
        of_all.push(chart);
    }
    Ok(of_all)
}

/// What all charts together show, in one sentence.
pub fn headline(results: &Results) -> String {
    finding::lorenz(results)
}

/// The colour of the strategy at `index` in the file, as markup.
pub(super) fn strategy_colour(index: usize) -> String {
    picture::hex(picture::strategy(index))
}

impl Chart {
    /// The picture as SVG without fonts: a page that shows several brings them once.
    pub fn svg(&self, theme: Theme) -> String {
        self.picture.svg(theme)
    }

    /// The picture as an SVG file that stands alone, with its fonts.
    pub fn svg_file(&self, theme: Theme) -> String {
        self.picture.svg_file(theme)
    }

    /// The picture as PNG, 1960 pixels wide.
    ///
    /// # Errors
    /// When the picture is too large for one.
    #[cfg(feature = "png")]
    pub fn png(&self, theme: Theme) -> Result<Vec<u8>, ChartError> {
        self.picture.png(theme).map_err(ChartError::new)
    }

    fn with_readouts(self, readouts: Vec<Readout>) -> Self {
        Self { readouts, ..self }
    }
}
