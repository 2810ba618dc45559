//! Every chart that results have data for.

use super::chart::Chart;
use super::panels::add_line;
use super::picture::{HeatColours, hex, strategy};
use super::{
    concentration, key_map, knee, lorenz, response, scaling, server_load, sweep, trade_off,
};
use crate::experiment::Results;
use crate::report::sweep_views;

/// Every chart that `results` have data for, in order; heat in `colours`. First what a sweep gives along its values, and what more servers
/// give; then, each saying so, those of a sweep's first point.
pub fn charts(results: &Results, colours: HeatColours) -> Vec<Chart> {
    let first = results.first_point();
    let mut charts = key_map::draw_all(&first, colours);
    charts.extend(server_load::draw(&first));
    charts.extend(lorenz::draw(&first));
    charts.extend(response::draw(&first));
    charts.extend(concentration::draw(&first));
    let Some(point) = sweep_views::first_point(results) else {
        charts.extend(scaling::draw(results));
        charts.extend(trade_off::draw(results));
        charts.extend(knee::draw(results));
        return charts;
    };
    charts.extend(trade_off::draw(&first));
    charts.extend(knee::draw(&first));
    let points = results.point_count();
    let line = format!("{point}, the first of {points} points of the sweep");
    for chart in &mut charts {
        add_line(&mut chart.picture, &line);
    }
    let of_all = sweep::draw(results).into_iter();
    of_all.chain(scaling::draw(results)).chain(charts).collect()
}

/// What all charts together show, in one sentence.
pub fn headline(results: &Results) -> String {
    lorenz::title(results)
}

/// The colour of the strategy at `index` in the file, as markup.
pub fn strategy_colour(index: usize) -> String {
    hex(strategy(index))
}
