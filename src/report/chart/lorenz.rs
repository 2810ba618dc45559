//! Chart 3: the Lorenz curve of the load of servers, with a ranked table for a legend. Must not know keys.

use super::axis::Axis;
use super::canvas::Canvas;
use super::demand::{Demand, gini};
use super::legend_table::{LEFT, LegendTable, Row, SIDE, TOP, draw_axis_names};
use super::picture::Label;
use super::picture::units;
use super::{Area, Chart, ChartError, Reading, Readings, Readout};
use super::{finding, overlap, picture as palette};
use crate::experiment::{Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind, UNDEFINED};
use plotters::element::PathElement;
use plotters::style::Color;

/// Servers up to which each is marked by a dot.
const MOST_DOTS: usize = 32;
/// Places along the axis whose numbers can be read off.
const MOST_PLACES: usize = 64;

struct Curve<'a> {
    index: usize,
    strategy: &'a StrategyResult,
    lorenz: Vec<f64>,
    gini: f64,
}

impl<'a> Curve<'a> {
    /// Its numbers: the most uneven come first.
    fn row(&self) -> Row<'a> {
        let effective = metric::value(self.strategy, "effective_servers");
        let effective = effective.map(|value| number::of(value, self.strategy.servers));
        Row {
            index: self.index,
            strategy: self.strategy,
            cells: [
                format!("{:.2}", self.gini),
                metric::text(self.strategy, "server_peak_to_mean", Kind::Ratio),
                effective.unwrap_or(UNDEFINED.to_owned()),
            ],
        }
    }

    /// Where its points lie on the sheet.
    fn pixels(&self) -> Vec<(f64, f64)> {
        let servers = (self.lorenz.len() - 1) as f64;
        let points = self.lorenz.iter().enumerate();
        let pixel = |(i, share): (usize, &f64)| {
            (LEFT + SIDE * i as f64 / servers, TOP + SIDE * (1.0 - share))
        };
        points.map(pixel).collect()
    }
}

/// The chart; `None` when no strategy had enough load for a statement.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let mut curves: Vec<Curve<'_>> = Vec::new();
    for (index, strategy) in results.strategies.iter().enumerate() {
        if let Some(lorenz) =
            Demand::of(strategy, results.duration_s).and_then(|demand| demand.lorenz())
        {
            curves.push(Curve {
                index,
                strategy,
                gini: gini(&lorenz),
                lorenz,
            });
        }
    }
    if curves.is_empty() {
        return Ok(None);
    }
    // Stable: equals stay in file order.
    curves.sort_by(|a, b| b.gini.total_cmp(&a.gini));
    // Grey first, and the first of the file on top.
    let mut order: Vec<&Curve<'_>> = curves.iter().collect();
    order.sort_by_key(|curve| std::cmp::Reverse(curve.index));
    let lines: Vec<Vec<(f64, f64)>> = order.iter().map(|curve| curve.pixels()).collect();
    let turns = overlap::turns(&lines);
    let mut notes = vec![
        "Gini: 0 is perfectly even, 1 is one server doing everything.".to_owned(),
        "Each interval counts on its own: totals hide a hotspot that moves.".to_owned(),
    ];
    if turns.iter().any(|turn| turn.of > 1) {
        notes.push(overlap::NOTE.to_owned());
    }
    let table = LegendTable {
        headings: [
            ["", "Gini"],
            ["hottest", "÷ mean"],
            ["effective", "servers"],
        ],
        leading: 0,
        rows: curves.iter().map(Curve::row).collect(),
        notes,
    };
    let subtitle = "Lorenz curve of the load per server, mean over the intervals of the window · the further below the diagonal, \
                    the more uneven";
    let canvas = Canvas::new(table.sheet_height(), &finding::lorenz(results), subtitle);

    let mut plot = canvas.plot(
        (LEFT, TOP),
        (SIDE, SIDE),
        Axis::share(),
        Axis::share(),
        true,
    )?;
    let diagonal = PathElement::new(
        vec![(0.0, 0.0), (1.0, 1.0)],
        palette::AXIS.stroke_width(units(1.25) as u32),
    );
    plot.draw_series([diagonal]).map_err(ChartError::new)?;
    for (curve, turn) in order.iter().zip(&turns) {
        let (colour, line) = (palette::strategy(curve.index), &lines[turn.along]);
        for piece in overlap::pieces(line, *turn) {
            canvas.line(&piece, 2.25, colour);
        }
        let servers = line.len() - 1;
        if servers <= MOST_DOTS {
            let own = (1..servers).filter(|dot| dot % turn.of == turn.number);
            own.for_each(|dot| canvas.circle(line[dot], 2.6, colour, None));
        }
    }
    draw_axis_names(&canvas, "share of servers, coldest first", "share of load");
    canvas.text(
        "perfectly even",
        (LEFT + SIDE * 0.36, TOP + SIDE * 0.58),
        Label::new(11.0).muted().right(),
    );
    table.draw(&canvas);
    let chart = canvas.finish("lorenz".to_owned());
    Ok(Some(chart.with_readouts(vec![readout(&curves)])))
}

/// What the coldest servers take under each strategy; of many servers, at so many places.
fn readout(curves: &[Curve<'_>]) -> Readout {
    let most = curves
        .iter()
        .map(|curve| curve.lorenz.len() - 1)
        .max()
        .unwrap_or(1);
    let places = most.min(MOST_PLACES);
    let reading = |place: usize| {
        let share = place as f64 / places as f64;
        let held = |curve: &Curve<'_>| {
            let at = (share * (curve.lorenz.len() - 1) as f64).round() as usize;
            Kind::Percent.text(curve.lorenz[at])
        };
        let servers = (share * most as f64).round() as u64;
        let coldest = match servers {
            1 => "the coldest server".to_owned(),
            n => format!("the {} coldest servers", number::grouped(n)),
        };
        Reading {
            x: LEFT + SIDE * share,
            y: None,
            label: format!("{coldest} of {}", number::grouped(most as u64)),
            values: curves.iter().map(held).collect(),
        }
    };
    let readings = Readings {
        along: "share of the load".to_owned(),
        names: curves
            .iter()
            .map(|curve| finding::name(curve.strategy))
            .collect(),
        readings: (1..=places).map(reading).collect(),
    };
    Readout::along(String::new(), Area::new(LEFT, TOP, SIDE, SIDE), readings)
}
