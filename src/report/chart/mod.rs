//! Charts: panels and marks over a display list, which is written as SVG and as PNG; plotters draws axes and marks. The finding is the
//! title, the method the subtitle; lines are labelled directly; the same colour is the same strategy everywhere.
//!
//! 1 key map with the server strip (one a strategy) · 2 load per server over time · 3 backlog over time · 4 response time by
//! percentile · 5 concentration on regions · 6 what more servers give · 7 what spreading the writes costs the reads ·
//! 8 what a sweep gives along its values · 9 what each strategy sustains. Must not know how results were made.

mod backlog;
mod concentration;
mod demand;
mod drawing;
mod key_map;
mod knee;
mod panels;
mod picture;
mod prelude;
mod response;
mod scaling;
mod server_load;
mod square;
mod sweep;
mod trade_off;
mod wording;

#[cfg(test)]
mod chart_tests;
#[cfg(test)]
mod knee_tests;
#[cfg(test)]
mod sweep_tests;

use super::sweep_views;
use crate::experiment::Results;
use crate::text::counted;

pub use drawing::{Cells, Chart, ChartData, Places};
pub use panels::Viewport;
#[cfg(feature = "png")]
pub use picture::PngError;
pub use picture::{Area, HeatColours, Picture, Theme};
pub(super) use picture::{base64, escaped, faces as font_faces};

crate::text::words! {
    /// What a chart shows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ChartKind: "chart" {
        /// The key space over time, one a strategy.
        KeyMap = "key-map",
        /// The load of each server over time.
        ServerLoad = "server-load",
        /// Response times by percentile.
        ResponseTime = "response-time",
        /// How far completions are behind what was offered, over time.
        Backlog = "backlog",
        /// How few regions take the load.
        Concentration = "concentration",
        /// What more servers give.
        Scaling = "scaling",
        /// What spreading the writes costs the reads.
        TradeOff = "trade-off",
        /// What each strategy sustains.
        Knee = "knee",
        /// What a setting gives along its values.
        Sweep = "sweep",
    }
}

/// Every chart that `results` have data for, in order; heat in `colours`. First what a sweep gives along its values, and what more servers
/// give; then, each saying so, those of a sweep's first point.
pub fn charts(results: &Results, colours: HeatColours, viewport: Viewport) -> Vec<Chart> {
    let first = results.first_point();
    let mut charts = key_map::draw_all(&first, colours, viewport);
    charts.extend(server_load::draw(&first, viewport));
    charts.extend(response::draw(&first, viewport));
    charts.extend(backlog::draw(&first, viewport));
    charts.extend(concentration::draw(&first, viewport));
    let Some(point) = sweep_views::first_point(results) else {
        charts.extend(scaling::draw(results, viewport));
        charts.extend(trade_off::draw(results, viewport));
        charts.extend(knee::draw(results, viewport));
        if results.replicates == 1 && results.strategies.len() > 1 {
            let line = "one replicate: what chance makes of differences is not known";
            let pictures = charts.iter_mut().map(|it| &mut it.picture);
            pictures.for_each(|it| panels::add_line(it, viewport, line));
        }
        return charts;
    };
    charts.extend(trade_off::draw(&first, viewport));
    charts.extend(knee::draw(&first, viewport));
    let points = counted(results.point_count(), "point");
    let line = format!("{point}, one of {points} of the sweep");
    for chart in &mut charts {
        panels::add_line(&mut chart.picture, viewport, &line);
    }
    let of_all = sweep::draw(results, viewport).into_iter();
    let of_all = of_all.chain(scaling::draw(results, viewport));
    of_all.chain(charts).collect()
}

/// Where the load of a table lies that was observed: its key map, and how few regions take it.
pub(super) fn charts_of_load(results: &Results, colours: HeatColours) -> Vec<Chart> {
    let charts = key_map::draw_all(results, colours, Viewport::Wide).into_iter();
    let concentration = concentration::draw(results, Viewport::Wide);
    charts.chain(concentration).collect()
}

/// What all charts together show, in one sentence.
pub(super) fn headline(results: &Results) -> String {
    wording::spread_of_load(results)
}

/// The colour of the strategy at `index` in the file, as markup.
pub(super) fn strategy_colour(index: usize) -> String {
    picture::hex(picture::strategy(index))
}
