//! Chart 3: the Lorenz curve of the load of servers, with a ranked table for a legend. Must not know keys.

use super::axis::Axis;
use super::canvas::{Canvas, Label, MARGIN, WIDTH};
use super::demand::{Demand, gini};
use super::svg_backend::units;
use super::{Area, Chart, ChartError, Reading, Readings, Readout};
use super::{finding, font, overlap, palette};
use crate::experiment::{Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind, UNDEFINED};
use plotters::element::PathElement;
use plotters::style::Color;

const TOP: f64 = 84.0;
const SIDE: f64 = 400.0;
const LEFT: f64 = MARGIN + 62.0;
const TABLE: f64 = LEFT + SIDE + 60.0;
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

impl Curve<'_> {
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
    let step = if curves.len() <= 12 { 28.0 } else { 20.0 };
    let table_bottom = TOP + 30.0 + curves.len() as f64 * step;
    let height = (TOP + SIDE + 62.0).max(table_bottom + 83.0);
    let subtitle = "Lorenz curve of the load per server, mean over the intervals of the window · the further below the diagonal, \
                    the more uneven";
    let canvas = Canvas::new(height, &finding::lorenz(results), subtitle);

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
    // Grey first, and the first of the file on top.
    let mut order: Vec<&Curve<'_>> = curves.iter().collect();
    order.sort_by_key(|curve| std::cmp::Reverse(curve.index));
    let lines: Vec<Vec<(f64, f64)>> = order.iter().map(|curve| curve.pixels()).collect();
    let turns = overlap::turns(&lines);
    for ((curve, line), turn) in order.iter().zip(&lines).zip(&turns) {
        let colour = palette::strategy(curve.index);
        for piece in overlap::pieces(line, *turn) {
            canvas.line(&piece, 2.25, colour);
        }
        let servers = line.len() - 1;
        if servers <= MOST_DOTS {
            let own = (1..servers).filter(|dot| dot % turn.of == turn.number);
            own.for_each(|dot| canvas.circle(line[dot], 2.6, colour, None));
        }
    }
    canvas.text(
        "share of servers, coldest first",
        (LEFT + SIDE / 2.0, TOP + SIDE + 30.0),
        Label::new(11.5).muted().centre().top(),
    );
    canvas.text(
        "share of load",
        (MARGIN + 5.0, TOP + SIDE / 2.0),
        Label::new(11.5).muted().centre().middle().turned(),
    );
    canvas.text(
        "perfectly even",
        (LEFT + SIDE * 0.36, TOP + SIDE * 0.58),
        Label::new(11.0).muted().right(),
    );
    draw_table(&canvas, &curves, step);
    let mut note = vec![
        "Gini: 0 is perfectly even, 1 is one server doing everything.",
        "Each interval counts on its own: totals hide a hotspot that moves.",
    ];
    if turns.iter().any(|turn| turn.of > 1) {
        note.push("Striped: strategies that lie on each other.");
    }
    for (index, line) in note.iter().enumerate() {
        let y = table_bottom + 14.0 + index as f64 * 17.0;
        canvas.text(line, (TABLE, y), Label::new(11.5).muted().top());
    }
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
    Readout::along(String::new(), Area::square((LEFT, TOP), SIDE), readings)
}

/// Legend and numbers in one: the most uneven first.
fn draw_table(canvas: &Canvas, curves: &[Curve<'_>], step: f64) {
    let right = WIDTH - MARGIN;
    let (effective_x, hottest_x, gini_x) = (right, right - 84.0, right - 164.0);
    let header = |text: &str, x: f64, line: f64| {
        canvas.text(text, (x, TOP + line), Label::new(11.0).muted().right())
    };
    header("Gini", gini_x, 18.0);
    header("hottest", hottest_x, 5.0);
    header("÷ mean", hottest_x, 18.0);
    header("effective", effective_x, 5.0);
    header("servers", effective_x, 18.0);
    for (row, curve) in curves.iter().enumerate() {
        let top = TOP + 26.0 + row as f64 * step;
        let y = top + step / 2.0;
        canvas.line(&[(TABLE, top), (right, top)], 1.0, palette::GRID);
        let colour = palette::strategy(curve.index);
        canvas.line(&[(TABLE, y), (TABLE + 20.0, y)], 2.25, colour);
        canvas.circle((TABLE + 10.0, y), 3.0, colour, None);
        let name = font::fitted(
            &finding::name(curve.strategy),
            gini_x - 40.0 - (TABLE + 28.0),
            12.5,
            false,
        );
        canvas.text(&name, (TABLE + 28.0, y), Label::new(12.5).middle());
        let cell =
            |text: &str, x: f64, label: Label| canvas.text(text, (x, y), label.right().middle());
        cell(
            &format!("{:.2}", curve.gini),
            gini_x,
            Label::new(12.5).bold(),
        );
        cell(
            &metric::text(curve.strategy, "server_peak_to_mean", Kind::Ratio),
            hottest_x,
            Label::new(12.5),
        );
        let effective = metric::value(curve.strategy, "effective_servers");
        let effective = effective.map_or(UNDEFINED.to_owned(), |value| {
            number::of(value, curve.strategy.servers)
        });
        cell(&effective, effective_x, Label::new(12.5));
    }
}
