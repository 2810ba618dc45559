//! Chart 2: the load of each server over time, one panel a strategy, all to the same scale.
//!
//! Must not know keys.

use super::axis::{Axis, TimeUnit};
use super::canvas::{Canvas, MARGIN, Plot, WIDTH};
use super::demand::Demand;
use super::picture::Label;
use super::picture::Paint;
use super::picture::units;
use super::{Area, Chart, ChartError, Reading, Readings, Readout};
use super::{finding, picture as font, picture as palette};
use crate::experiment::{Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind};
use plotters::element::{PathElement, Polygon};
use plotters::series::DashedLineSeries;
use plotters::style::{Color, RGBColor};

const TOP: f64 = 104.0;
/// Width of the y labels of a panel.
const AXIS_WIDTH: f64 = 44.0;
const PANEL_GAP: f64 = 22.0;
/// From the bottom of a panel to the top of the next: x labels and the next heading.
const ROW_GAP: f64 = 62.0;
/// Servers that get a line of their own; more become a band.
const MOST_LINES: usize = 16;

struct Grid {
    columns: usize,
    width: f64,
    height: f64,
}

impl Grid {
    fn of(panels: usize) -> Self {
        let columns = match panels {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let width = (WIDTH - 2.0 * MARGIN - (columns - 1) as f64 * PANEL_GAP) / columns as f64
            - AXIS_WIDTH
            - 6.0;
        let height = [260.0, 200.0, 160.0][columns - 1];
        Self {
            columns,
            width,
            height,
        }
    }

    /// Top left corner of the inner rectangle of panel `index`.
    fn corner(&self, index: usize) -> (f64, f64) {
        let (row, column) = (index / self.columns, index % self.columns);
        let x = MARGIN + AXIS_WIDTH + column as f64 * (self.width + AXIS_WIDTH + 6.0 + PANEL_GAP);
        (x, TOP + row as f64 * (self.height + ROW_GAP))
    }

    fn bottom(&self, panels: usize) -> f64 {
        self.corner(panels - 1).1 + self.height
    }
}

/// The chart; `None` when no strategy has a series.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let shown: Vec<(usize, &StrategyResult, Demand<'_>)> = results
        .strategies
        .iter()
        .enumerate()
        .filter_map(|(index, strategy)| {
            Some((index, strategy, Demand::of(strategy, results.duration_s)?))
        })
        .collect();
    if shown.is_empty() {
        return Ok(None);
    }
    let peak = shown
        .iter()
        .flat_map(|(_, _, demand)| (0..demand.drawn()).map(|i| demand.peak_rate(i)))
        .fold(0.0, f64::max);
    let capacity = shown
        .iter()
        .filter_map(|(_, strategy, _)| capacity(strategy))
        .fold(0.0, f64::max);
    // The capacity is drawn where it says something: not when everything is far below it.
    let top = if capacity <= 4.0 * peak {
        peak.max(capacity * 1.1)
    } else {
        peak
    };
    let length = shown
        .iter()
        .map(|(_, _, demand)| demand.length_s())
        .fold(0.0, f64::max);

    let grid = Grid::of(shown.len());
    let pairs: Vec<(&StrategyResult, Demand<'_>)> = shown
        .iter()
        .map(|(_, strategy, demand)| (*strategy, *demand))
        .collect();
    let foot = grid.bottom(shown.len()) + 40.0;
    // An incomplete last row has room for the explanation; else it goes below.
    let room_inside = !shown.len().is_multiple_of(grid.columns);
    let height = if room_inside {
        foot + 22.0
    } else {
        foot + 40.0
    };
    let load = metric::load_name(&results.strategies);
    let canvas = Canvas::new(
        height,
        &finding::server_load(&pairs),
        &subtitle(&pairs, top),
    );
    let mut readouts = Vec::new();
    for (place, (index, strategy, demand)) in shown.iter().enumerate() {
        let corner = grid.corner(place);
        heading(&canvas, &grid, corner, strategy, demand);
        let ticks = if grid.columns == 3 { 4 } else { 8 };
        let warmup = grid.width * demand.warmup_s() / length;
        canvas.rect(
            corner,
            (warmup, grid.height),
            Paint {
                colour: palette::EMPTY,
                opacity: 0.75,
            },
        );
        let x = Axis::time(length, ticks);
        let mut plot = canvas.plot(
            corner,
            (grid.width, grid.height),
            x,
            Axis::from_zero(top, 4),
            false,
        )?;
        draw_panel(
            &mut plot,
            demand,
            capacity_drawn(strategy, top),
            palette::strategy(*index),
        )?;
        readouts.push(readout(
            strategy,
            demand,
            corner,
            (grid.width, grid.height),
            length,
        ));
        if peak == 0.0 {
            let at = (corner.0 + grid.width / 2.0, corner.1 + grid.height / 2.0);
            canvas.text(
                &format!("no {load}"),
                at,
                Label::new(12.0).muted().centre().middle(),
            );
        }
    }
    let unit = TimeUnit::of(length).name;
    let mut axes = format!("y: {load} a second asked of the server · x: simulated time, {unit}");
    let is_cut = |demand: &Demand<'_>| demand.drawn() < demand.intervals();
    if shown.iter().any(|(_, _, demand)| is_cut(demand)) {
        axes += " · left out: the interval in which an import ends";
    }
    canvas.text(
        &axes,
        (MARGIN + AXIS_WIDTH, foot),
        Label::new(11.5).muted().top(),
    );
    let dashed = shown
        .iter()
        .any(|(_, strategy, _)| capacity_drawn(strategy, top).is_some());
    let lines = [
        if dashed {
            "Even: the colour lies on the grey, all below the dashes."
        } else {
            "Even: the colour lies on the grey."
        },
        "Hotspot: the colour far above the grey.",
        "Moving hotspot: the colour stays high while grey lines take turns.",
    ];
    if room_inside {
        let (x, y) = grid.corner(shown.len());
        explain(&canvas, (x, y - 22.0), grid.width, &lines);
    } else {
        canvas.text(
            &lines.join(" "),
            (MARGIN + AXIS_WIDTH, foot + 18.0),
            Label::new(11.0).muted().top(),
        );
    }
    let chart = canvas.finish("server-load".to_owned());
    Ok(Some(chart.with_readouts(readouts)))
}

/// What each server is asked for in each interval, or the range of many servers.
fn readout(
    strategy: &StrategyResult,
    demand: &Demand<'_>,
    (left, top): (f64, f64),
    (width, height): (f64, f64),
    length_s: f64,
) -> Readout {
    let rate = |rate: f64| number::grouped(rate.round() as u64);
    let each = demand.servers() <= MOST_LINES;
    let mut names = vec!["hottest".to_owned()];
    if each {
        names.extend((0..demand.servers()).map(|server| format!("rs{server}")));
    } else {
        names.extend(["mean".to_owned(), "least".to_owned()]);
    }
    let reading = |interval: usize| {
        let mut values = vec![rate(demand.peak_rate(interval))];
        if each {
            values.extend((0..demand.servers()).map(|server| rate(demand.rate(interval, server))));
        } else {
            values.push(rate(demand.mean_rate(interval)));
            values.push(rate(demand.least_rate(interval)));
        }
        let middle = (demand.start_s(interval) + demand.end_s(interval)) / 2.0;
        Reading {
            x: left + width * middle / length_s,
            y: None,
            label: demand.span(interval),
            values,
        }
    };
    let load = metric::load_name([strategy]);
    let readings = Readings {
        along: format!("{load} a second, by time"),
        names,
        readings: (0..demand.drawn()).map(reading).collect(),
    };
    let frame = Area {
        left,
        top,
        width,
        height,
    };
    Readout::along(finding::name(strategy), frame, readings)
}

fn capacity(strategy: &StrategyResult) -> Option<f64> {
    metric::value(strategy, "server_capacity_per_sec").filter(|capacity| *capacity > 0.0)
}

fn capacity_drawn(strategy: &StrategyResult, top: f64) -> Option<f64> {
    capacity(strategy).filter(|capacity| *capacity <= top)
}

fn subtitle(shown: &[(&StrategyResult, Demand<'_>)], top: f64) -> String {
    let servers = shown
        .iter()
        .map(|(_, demand)| demand.servers())
        .max()
        .unwrap_or(1);
    let grey = match servers {
        1 => "Grey: the server".to_owned(),
        n if n <= MOST_LINES => format!("Grey: each of the {n} servers"),
        n => format!(
            "Grey: mean and range of the {} servers",
            number::grouped(n as u64)
        ),
    };
    let mut parts = vec![
        grey,
        "colour: the hottest server in each interval".to_owned(),
    ];
    let capacities: Vec<f64> = shown
        .iter()
        .filter_map(|(strategy, _)| capacity(strategy))
        .collect();
    if let (Some(least), Some(most)) = (
        capacities.iter().copied().reduce(f64::min),
        capacities.iter().copied().reduce(f64::max),
    ) {
        let drawn = least <= top;
        let (least, most) = (Kind::Compact.text(least), Kind::Compact.text(most));
        let range = if least == most {
            least
        } else {
            format!("{least} to {most}")
        };
        parts.push(if drawn {
            format!("dashed: what one server can do ({range}/s)")
        } else {
            format!("one server can do {range}/s, far above")
        });
        parts.push("over: intervals above it".to_owned());
    }
    if shown.iter().any(|(_, demand)| demand.warmup_s() > 0.0) {
        parts.push("shaded: warm-up".to_owned());
    }
    parts.join(" · ")
}

fn heading(
    canvas: &Canvas,
    grid: &Grid,
    corner: (f64, f64),
    strategy: &StrategyResult,
    demand: &Demand<'_>,
) {
    let y = corner.1 - 9.0;
    let over = capacity(strategy).map(|capacity| demand.over_fraction(capacity));
    let text = over.map_or(String::new(), |over| {
        format!("over {}", Kind::Percent.text(over))
    });
    let label = Label::new(11.0).right();
    let label = if over.is_some_and(|over| over > 0.0) {
        label.bold()
    } else {
        label.muted()
    };
    canvas.text(&text, (corner.0 + grid.width, y), label);
    let room = grid.width - font::width(&text, 11.0, true) - 10.0;
    let name = finding::name(strategy);
    if font::width(&name, 12.5, true) <= room {
        canvas.text(&name, (corner.0, y), Label::new(12.5).bold());
        return;
    }
    let lines = font::balanced(&name, room, 11.5, true, 2);
    let first = y - (lines.len() - 1) as f64 * 13.0;
    canvas.lines(&lines, (corner.0, first), 13.0, Label::new(11.5).bold());
}

fn draw_panel(
    plot: &mut Plot<'_>,
    demand: &Demand<'_>,
    capacity: Option<f64>,
    colour: RGBColor,
) -> Result<(), ChartError> {
    let end = demand.length_s();
    if demand.servers() <= MOST_LINES {
        for server in 0..demand.servers() {
            let points = over_time(demand, |interval| demand.rate(interval, server));
            let style = palette::GREY.mix(0.7).stroke_width(units(0.9) as u32);
            plot.draw_series([PathElement::new(points, style)])
                .map_err(ChartError::new)?;
        }
    } else {
        let mut band = over_time(demand, |interval| demand.peak_rate(interval));
        band.extend(
            over_time(demand, |interval| demand.least_rate(interval))
                .into_iter()
                .rev(),
        );
        plot.draw_series([Polygon::new(band, palette::GRID.filled())])
            .map_err(ChartError::new)?;
        let mean = over_time(demand, |interval| demand.mean_rate(interval));
        plot.draw_series([PathElement::new(
            mean,
            palette::GREY.stroke_width(units(0.9) as u32),
        )])
        .map_err(ChartError::new)?;
    }
    if let Some(capacity) = capacity {
        let line = [(0.0, capacity), (end, capacity)];
        let dashes = DashedLineSeries::new(
            line,
            units(4.0),
            units(3.0),
            palette::MUTED.stroke_width(units(1.0) as u32),
        );
        plot.draw_series(dashes).map_err(ChartError::new)?;
    }
    let peak = over_time(demand, |interval| demand.peak_rate(interval));
    plot.draw_series([PathElement::new(
        peak,
        colour.stroke_width(units(1.9) as u32),
    )])
    .map_err(ChartError::new)?;
    Ok(())
}

/// A value of each interval over time: at the middles of the intervals, or as steps when there are too few for a slope.
fn over_time(demand: &Demand<'_>, value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    let mut points = Vec::with_capacity(demand.intervals() * 2);
    for interval in 0..demand.drawn() {
        let (start, end, value) = (
            demand.start_s(interval),
            demand.end_s(interval),
            value(interval),
        );
        if demand.intervals() <= 60 {
            points.push((start, value));
            points.push((end, value));
        } else {
            points.push(((start + end) / 2.0, value));
        }
    }
    points
}

/// How to read the chart, wrapped to `width`.
fn explain(canvas: &Canvas, (x, y): (f64, f64), width: f64, lines: &[&str]) {
    canvas.text("How to read", (x, y), Label::new(12.5).bold().top());
    let mut y = y + 24.0;
    for line in lines {
        let rows = font::wrapped(line, width, 12.0, false, usize::MAX);
        canvas.lines(&rows, (x, y), 17.0, Label::new(12.0).muted().top());
        y += rows.len() as f64 * 17.0 + 5.0;
    }
}
