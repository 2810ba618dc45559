//! Chart 4: response time by percentile, log nines against log milliseconds, every strategy labelled directly.
//!
//! Must not know servers or keys.

use super::axis::Axis;
use super::canvas::{Canvas, MARGIN, Plot, WIDTH, on_sheet, spread};
use super::picture::Label;
use super::picture::units;
use super::{Area, Chart, ChartError, Reading, Readings, Readout};
use super::{finding, overlap, picture as font, picture as palette};
use crate::experiment::{Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind};
use plotters::series::DashedLineSeries;
use plotters::style::{Color, RGBColor};

const TOP: f64 = 84.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = MARGIN + 62.0;
const RIGHT: f64 = 716.0;
/// Where labels start, with room for a leader from the end of the line.
const LABELS: f64 = RIGHT + 30.0;
/// Space right of the last nine for the maximum.
const BEYOND: f64 = 0.22;
/// Responses faster than this are drawn there: a log axis has no 0.
const LEAST_MS: f64 = 0.001;
/// Where lines start: the fastest tenth is left out.
const FIRST_NINES: f64 = 0.0457;
/// Labels with a line of numbers below the name; more get names only.
const MOST_LONG_LABELS: usize = 12;
/// Labels with two lines for a long name.
const MOST_WRAPPED_LABELS: usize = 8;
/// Distance of the lines of a label.
const LABEL_STEP: f64 = 14.5;

/// (log10 of 1 / (1 - quantile), log10 of milliseconds), ascending.
type Points = Vec<(f64, f64)>;

struct Line<'a> {
    index: usize,
    strategy: &'a StrategyResult,
    points: Points,
    /// From here on the points are lower bounds.
    censored_from: Option<f64>,
    max: Option<f64>,
}

impl<'a> Line<'a> {
    fn of(index: usize, strategy: &'a StrategyResult) -> Option<Self> {
        let curve = &strategy.response_curve;
        let usable = |(quantile, ms): &&(f64, f64)| (0.0..1.0).contains(quantile) && ms.is_finite();
        let points: Vec<_> = curve
            .points
            .iter()
            .filter(usable)
            .map(|(quantile, ms)| (nines(*quantile), ms.max(LEAST_MS).log10()))
            .collect();
        let max = curve
            .max_ms
            .filter(|ms| ms.is_finite())
            .map(|ms| ms.max(LEAST_MS).log10());
        let censored_from = curve
            .censored_from
            .map(|quantile| nines(quantile.clamp(0.0, 1.0 - 1e-12)));
        // A few operations that had just started when the run ended are no bound worth drawing: dashes begin where the
        // percentiles of the tables do.
        let censored_from = censored_from.and_then(|from| Some(from.max(last_measured(strategy)?)));
        // The fastest of all say nothing, and a log axis would give them half of its height.
        let first = points
            .partition_point(|(x, _)| *x < FIRST_NINES)
            .min(points.len().saturating_sub(1));
        let points = points[first..].to_vec();
        (!points.is_empty()).then_some(Self {
            index,
            strategy,
            points,
            censored_from,
            max,
        })
    }

    /// The measured part of `points` (its own, or those of a line that it lies on) and the part that is a lower bound, sharing the
    /// point where they meet.
    fn parts(&self, points: &[(f64, f64)]) -> (Points, Points) {
        let Some(from) = self.censored_from else {
            return (points.to_vec(), Vec::new());
        };
        let split = points.partition_point(|(x, _)| *x < from);
        let (mut measured, mut bound) = (points[..split].to_vec(), points[split..].to_vec());
        if let (Some(&(x, y)), Some(&(right, up))) = (measured.last(), bound.first()) {
            let border = (from, y + (up - y) * (from - x) / (right - x));
            measured.push(border);
            bound.insert(0, border);
        }
        (measured, bound)
    }

    fn end(&self) -> (f64, f64) {
        self.points[self.points.len() - 1]
    }
}

/// The highest percentile of the tables that is not a lower bound; `None` when none is one.
fn last_measured(strategy: &StrategyResult) -> Option<f64> {
    let percentiles = [
        ("p50", 2f64.log10()),
        ("p90", 1.0),
        ("p99", 2.0),
        ("p999", 3.0),
    ];
    let mut last = 0.0;
    for (name, place) in percentiles {
        let measure = metric::measure(strategy, &format!("write_response_ms.{name}"));
        if measure.is_some_and(|measure| measure.censored) {
            return Some(last);
        }
        last = place;
    }
    None
}

/// Number of nines of a quantile: 0.999 is 3.
fn nines(quantile: f64) -> f64 {
    -(1.0 - quantile).log10()
}

/// A tick of the time axis: milliseconds below a second, seconds from there on.
pub(super) fn tick_ms(ms: f64) -> String {
    if ms < 999.5 {
        format!("{}\u{a0}ms", number::trimmed(ms, 3))
    } else {
        format!("{}\u{a0}s", number::grouped((ms / 1e3).round() as u64))
    }
}

/// The chart; `None` when no strategy answered anything.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let lines: Vec<Line<'_>> = results
        .strategies
        .iter()
        .enumerate()
        .filter_map(|(i, s)| Line::of(i, s))
        .collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let names = Names::of(&lines);
    let height = HEIGHT.max(lines.len() as f64 * names.gap() + 20.0);
    let canvas = Canvas::new(
        TOP + height + 62.0,
        &finding::response(results),
        &subtitle(&lines),
    );
    let (x, y) = axes(&lines);
    let last = x.ticks().last().map_or(1.0, |(value, _)| *value);
    let mut plot = canvas.plot((LEFT, TOP), (RIGHT - LEFT, height), x, y, true)?;
    // Grey first, and the first of the file on top.
    let order: Vec<&Line<'_>> = lines.iter().rev().collect();
    let drawn = |points: &[(f64, f64)]| -> Points {
        let points = points.iter();
        points.map(|point| on_sheet(&plot, *point)).collect()
    };
    let whole: Vec<Points> = order.iter().map(|line| drawn(&line.points)).collect();
    let turns = overlap::turns(&whole);
    let mut ends = Vec::new();
    for (line, turn) in order.iter().zip(&turns) {
        let colour = palette::strategy(line.index);
        let (measured, bound) = line.parts(&order[turn.along].points);
        for piece in overlap::pieces(&drawn(&measured), *turn) {
            canvas.line(&piece, 2.0, colour);
        }
        if turn.of > 1 {
            for piece in overlap::pieces(&drawn(&bound), turn.dashed()) {
                canvas.line(&piece, 2.0, colour);
            }
        } else {
            ends.push((bound, colour));
        }
        let end = last.max(line.end().0);
        draw_end(&canvas, &plot, line, end + 0.7 * BEYOND);
    }
    for (bound, colour) in ends {
        let style = colour.stroke_width(units(2.0) as u32);
        let dashes = DashedLineSeries::new(bound, units(5.0), units(4.0), style);
        plot.draw_series(dashes).map_err(ChartError::new)?;
    }
    draw_labels(&canvas, &plot, &lines, &names, height);
    if turns.iter().any(|turn| turn.of > 1) {
        let at = (LABELS, TOP + height + 30.0);
        canvas.text(overlap::NOTE, at, Label::new(10.5).muted().top());
    }
    canvas.text(
        &format!("percentile of {}", metric::load_name(&results.strategies)),
        ((LEFT + RIGHT) / 2.0, TOP + height + 30.0),
        Label::new(11.5).muted().centre().top(),
    );
    let at = (MARGIN + 5.0, TOP + height / 2.0);
    canvas.text(
        "response time",
        at,
        Label::new(11.5).muted().centre().middle().turned(),
    );
    let chart = canvas.finish("response-time".to_owned());
    let readout = readout(&plot, &lines, height);
    Ok(Some(chart.with_readouts(vec![readout])))
}

/// The response time of each strategy at each percentile that is drawn.
fn readout(plot: &Plot<'_>, lines: &[Line<'_>], height: f64) -> Readout {
    let longest = lines.iter().max_by_key(|line| line.points.len());
    let quantiles = longest.map_or(&[][..], |line| &line.strategy.response_curve.points);
    let reading = |quantile: f64| {
        let values = lines.iter().map(|line| {
            let curve = &line.strategy.response_curve;
            let found = curve.points.iter().find(|(at, _)| *at == quantile);
            let bound = line
                .censored_from
                .is_some_and(|from| nines(quantile) >= from);
            match found {
                None => number::UNDEFINED.to_owned(),
                Some((_, ms)) if bound => format!(">\u{a0}{}", Kind::Millis.text(*ms)),
                Some((_, ms)) => Kind::Millis.text(*ms),
            }
        });
        Reading {
            x: on_sheet(plot, (nines(quantile), 0.0)).0,
            y: None,
            label: format!(
                "p{}",
                number::trimmed(quantile * 100.0, if quantile < 0.99 { 1 } else { 5 })
            ),
            values: values.collect(),
        }
    };
    let shown = quantiles
        .iter()
        .filter(|(quantile, _)| nines(*quantile) >= FIRST_NINES);
    let readings = Readings {
        along: "response time, by percentile".to_owned(),
        names: lines
            .iter()
            .map(|line| finding::name(line.strategy))
            .collect(),
        readings: shown.map(|(quantile, _)| reading(*quantile)).collect(),
    };
    let frame = Area {
        left: LEFT,
        top: TOP,
        width: RIGHT - LEFT,
        height,
    };
    Readout::along(String::new(), frame, readings)
}

fn subtitle(lines: &[Line<'_>]) -> String {
    let mut parts =
        vec!["From the intended start to the reply, retries included · each step right is ten times rarer".to_owned()];
    if lines
        .iter()
        .any(|line| line.max.is_some() && line.censored_from.is_none())
    {
        parts.push("circle: maximum".to_owned());
    }
    if lines.iter().any(|line| line.censored_from.is_some()) {
        parts.push("dashed, ending in >: failed or unfinished, a lower bound".to_owned());
    }
    parts.join(" · ")
}

fn axes(lines: &[Line<'_>]) -> (Axis, Axis) {
    let values = || {
        lines
            .iter()
            .flat_map(|line| line.points.iter().map(|point| point.1).chain(line.max))
    };
    let (low, high) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    // At least half a decade, so that one value has an axis around it.
    let (low, high) = (low.min(high - 0.5) - 0.05, high + 0.1);
    let y = Axis::log10(10f64.powf(low), 10f64.powf(high), tick_ms);
    let most = lines
        .iter()
        .flat_map(|line| line.points.last())
        .map(|point| point.0)
        .fold(1.0, f64::max);
    let labels = [
        "0",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "p99.99",
        "p99.999",
        "p99.9999",
        "p99.99999",
    ];
    let places = [0.0, 2f64.log10(), 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let ticks = places
        .into_iter()
        .zip(labels.map(str::to_owned))
        .filter(|(place, _)| *place <= most + 1e-9)
        .collect();
    (Axis::new(0.0..most + BEYOND, ticks), y)
}

/// What ends a line: the sign of a lower bound, or the maximum.
fn draw_end(canvas: &Canvas, plot: &Plot<'_>, line: &Line<'_>, max_at: f64) {
    let colour = palette::strategy(line.index);
    if line.censored_from.is_some_and(|from| line.end().0 >= from) {
        let (x, y) = on_sheet(plot, line.end());
        let label = Label::new(13.0).bold().colour(colour).middle();
        canvas.text(">", (x + 3.0, y), label);
    } else if let Some(max) = line.max {
        canvas.circle(on_sheet(plot, (max_at, max)), 3.2, colour, Some(1.5));
    }
}

/// The names of the labels, in the lines that they take.
struct Names {
    lines: Vec<Vec<String>>,
    /// With numbers below.
    long: bool,
}

impl Names {
    fn of(lines: &[Line<'_>]) -> Self {
        let room = WIDTH - MARGIN - LABELS;
        let most = match lines.len() {
            few if few <= MOST_WRAPPED_LABELS => 2,
            _ => 1,
        };
        let name =
            |line: &Line<'_>| font::balanced(&finding::name(line.strategy), room, 12.0, true, most);
        Self {
            lines: lines.iter().map(name).collect(),
            long: lines.len() <= MOST_LONG_LABELS,
        }
    }

    /// Pixels below the middle of the first line.
    fn below(&self) -> f64 {
        let longest = self.lines.iter().map(Vec::len).max().unwrap_or(1);
        (longest - usize::from(!self.long)) as f64 * LABEL_STEP
    }

    /// Distance of labels.
    fn gap(&self) -> f64 {
        self.below() + if self.long { 17.5 } else { 16.0 }
    }
}

/// Names at the ends of the lines, moved apart, with leaders where that took them away from their line.
fn draw_labels(canvas: &Canvas, plot: &Plot<'_>, lines: &[Line<'_>], names: &Names, height: f64) {
    let labels = lines.iter().zip(&names.lines);
    let mut ends: Vec<((f64, f64), &Line<'_>, &Vec<String>)> = labels
        .map(|(line, name)| (on_sheet(plot, line.end()), line, name))
        .collect();
    // Stable: equal ends stay in file order.
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let wanted: Vec<f64> = ends.iter().map(|((_, y), ..)| *y).collect();
    let bottom = TOP + height - names.below();
    let places = spread(&wanted, names.gap(), TOP + 6.0, bottom);
    for ((end, line, name), y) in ends.iter().zip(places) {
        let colour: RGBColor = palette::strategy(line.index);
        let from = RIGHT + 2.0;
        canvas.line(
            &[
                (from, end.1),
                (from + 8.0, end.1),
                (LABELS - 12.0, y),
                (LABELS - 4.0, y),
            ],
            0.75,
            palette::AXIS,
        );
        let label = Label::new(12.0)
            .bold()
            .colour(palette::text(colour))
            .middle();
        canvas.lines(name, (LABELS, y), LABEL_STEP, label);
        if names.long {
            draw_numbers(canvas, line, y + name.len() as f64 * LABEL_STEP);
        }
    }
}

fn draw_numbers(canvas: &Canvas, line: &Line<'_>, y: f64) {
    let room = WIDTH - MARGIN - LABELS;
    let text = |path: &str| metric::text(line.strategy, path, Kind::Millis);
    let numbers = format!(
        "p50 {} · p99 {} · p99.9 {}",
        text("write_response_ms.p50"),
        text("write_response_ms.p99"),
        text("write_response_ms.p999")
    );
    let size = if font::width(&numbers, 10.5, false) <= room {
        10.5
    } else {
        10.0
    };
    let numbers = font::fitted(&numbers, room + MARGIN - 4.0, size, false);
    canvas.text(&numbers, (LABELS, y), Label::new(size).muted().middle());
}
