//! The chart of a sweep: throughput along the values of the first swept setting, a line a strategy, beside what the read pays that
//! pays most for it. The other swept settings make rows of panels. Must not know what a setting does.

use super::axis::Axis;
use super::canvas::quoted;
use super::canvas::{Canvas, MARGIN, Plot, WIDTH, on_sheet};
use super::picture::Area;
use super::picture::Label;
use super::response::tick_ms;
use super::sweep_places::SweepPlaces;
use super::{
    Chart, ChartError, Reading, Readings, Readout, finding, picture as font, picture as palette,
};
use crate::experiment::{
    Measure, Results, StrategyResult, SweepFinding, point_label, value_text, with_article,
};
use crate::report::metric;
use crate::report::number::{self, Kind};
use serde_json::Value;
use std::collections::BTreeMap;

/// Chart 6 shows what this setting does, beside what it could do at most.
const SERVERS: &str = "cluster.servers";

const TOP: f64 = 104.0;
/// Title of a panel.
const HEAD: f64 = 24.0;
const PANEL_HEIGHT: f64 = 270.0;
/// Tick labels and the name of the axis.
const FOOT: f64 = 62.0;
/// Tick labels left of a panel.
const LEFT: f64 = 62.0;
const GAP: f64 = 24.0;
const MARK: f64 = 3.4;
const WIDTH_OF_LINE: f64 = 2.25;
/// How much wider a line is than one that lies on it.
const RIM: f64 = 3.5;
/// Radius of the ring around a knee.
const RING: f64 = 8.0;

/// What the vertical axis of a panel shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Quantity {
    Throughput,
    /// `calls_planned` or `response_ms.mean` of a read.
    Price {
        read: String,
        metric: &'static str,
    },
}

impl Quantity {
    fn measure<'a>(&self, strategy: &'a StrategyResult) -> Option<&'a Measure> {
        match self {
            Self::Throughput => metric::measure(strategy, "write_throughput_per_sec"),
            Self::Price { read, metric } => {
                let read = strategy.reads.iter().find(|it| it.name == *read)?;
                match *metric {
                    "calls_planned" => Some(&read.calls_planned),
                    _ => read.response_ms.as_ref()?.get("mean"),
                }
            }
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Price { metric, .. } if *metric != "calls_planned" => Kind::Millis,
            _ => Kind::Compact,
        }
    }

    fn title(&self, load: &str) -> String {
        match self {
            Self::Throughput => format!("{load} a second"),
            Self::Price { read, metric } if *metric == "calls_planned" => {
                quoted(&format!("calls of {}", with_article(read)))
            }
            Self::Price { read, .. } => format!("mean response time of “{read}”"),
        }
    }
}

/// One quantity at one combination of the other swept settings.
struct Panel<'a> {
    quantity: &'a Quantity,
    others: &'a BTreeMap<String, Value>,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    /// Of its strategy in the file.
    index: usize,
    /// Whose, at one of the points.
    strategy: &'a StrategyResult,
    /// From left to right: place, value as written, and what was measured.
    points: Vec<(f64, String, &'a Measure)>,
    /// What was found of it.
    finding: Option<&'a SweepFinding>,
}

/// The chart; `None` without a sweep, with a single value of the first swept setting, or where chart 6 shows it.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let Some(list) = results.sweep.first() else {
        return Ok(None);
    };
    if list.values.len() < 2 || list.path == SERVERS {
        return Ok(None);
    }
    let findings = results.sweep_findings();
    let places = SweepPlaces::of(list);
    let others = combinations(results, &list.path);
    let quantities: Vec<Quantity> = std::iter::once(Quantity::Throughput)
        .chain(dearest(&findings))
        .collect();
    let panels: Vec<Panel<'_>> = others
        .iter()
        .flat_map(|others| quantities.iter().map(move |quantity| (others, quantity)))
        .map(|(others, quantity)| panel(results, &findings, &places, others, quantity))
        .filter(|panel| !panel.lines.is_empty())
        .collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let columns = panels.len().min(2);
    let pitch = HEAD + PANEL_HEIGHT + FOOT;
    let height = TOP + panels.len().div_ceil(columns) as f64 * pitch;
    let width = (WIDTH - 2.0 * MARGIN - GAP * (columns - 1) as f64) / columns as f64;
    let load = metric::load_name(&results.strategies);
    let subtitle = format!(
        "Along {}, bars: 95 % intervals · ring: the knee, beyond which nothing is gained · triangle: worse than a lesser value",
        list.path
    );
    let canvas = Canvas::new(height, &title(&findings), &subtitle);
    draw_legend(&canvas, results);
    let mut readouts = Vec::new();
    for (at, panel) in panels.iter().enumerate() {
        let corner = (
            MARGIN + (at % columns) as f64 * (width + GAP) + LEFT,
            TOP + (at / columns) as f64 * pitch + HEAD,
        );
        let same = panels.iter().filter(|it| it.quantity == panel.quantity);
        let most = same.flat_map(Panel::tops).fold(0.0, f64::max);
        let size = (width - LEFT, PANEL_HEIGHT);
        readouts.push(draw_panel(
            &canvas, panel, &places, most, load, corner, size,
        )?);
    }
    let chart = canvas.finish("sweep".to_owned());
    Ok(Some(chart.with_readouts(readouts)))
}

/// What holds of the other swept settings, in the order of the points.
fn combinations(results: &Results, path: &str) -> Vec<BTreeMap<String, Value>> {
    let mut all: Vec<BTreeMap<String, Value>> = Vec::new();
    for strategy in &results.strategies {
        let mut others = strategy.sweep.clone();
        others.remove(path);
        if !all.contains(&others) {
            all.push(others);
        }
    }
    all
}

/// The price that grows most up to a knee.
fn dearest(findings: &[SweepFinding]) -> Option<Quantity> {
    let prices = findings.iter().flat_map(|finding| &finding.prices);
    let dearest = prices
        .filter_map(|price| Some((price, price.ratio.mean?)))
        .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(Quantity::Price {
        read: dearest.0.read.clone(),
        metric: dearest.0.metric,
    })
}

fn panel<'a>(
    results: &'a Results,
    findings: &'a [SweepFinding],
    places: &SweepPlaces<'_>,
    others: &'a BTreeMap<String, Value>,
    quantity: &'a Quantity,
) -> Panel<'a> {
    let path = &places.list().path;
    let mut lines: Vec<Line<'a>> = Vec::new();
    let of_point = results.strategies.len() / results.point_count().max(1);
    for (at, strategy) in results.strategies.iter().enumerate() {
        let mut rest = strategy.sweep.clone();
        let value = rest.remove(path);
        let place = places.of_value(value.as_ref());
        let measured = quantity
            .measure(strategy)
            .filter(|measure| measure.mean.is_some() && !measure.censored);
        let (Some(place), Some(measure), true) = (place, measured, rest == *others) else {
            continue;
        };
        let text = value.as_ref().map_or_else(String::new, value_text);
        let point = (place, text, measure);
        match lines
            .iter_mut()
            .find(|line| line.strategy.name == strategy.name)
        {
            Some(line) => line.points.push(point),
            None => lines.push(Line {
                index: at % of_point.max(1),
                strategy,
                points: vec![point],
                finding: findings
                    .iter()
                    .find(|it| it.strategy == strategy.name && it.others == *others),
            }),
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Panel {
        quantity,
        others,
        lines,
    }
}

impl Panel<'_> {
    /// The tops of all bars.
    fn tops(&self) -> impl Iterator<Item = f64> {
        let points = self.lines.iter().flat_map(|line| &line.points);
        points.filter_map(|(_, _, measure)| measure.high.or(measure.mean))
    }
}

/// The knee in words: of all strategies when it is the same, else of the one that gains longest and the one that gains least.
fn title(findings: &[SweepFinding]) -> String {
    let Some(first) = findings.first() else {
        return "What the sweep gives".to_owned();
    };
    let setting = first.path.rsplit('.').next().unwrap_or(&first.path);
    let load = if first.reads { "reads" } else { "writes" };
    let alike = findings
        .iter()
        .all(|it| it.knee == first.knee && it.last == first.last);
    if !alike {
        let knees: Vec<String> = findings
            .iter()
            .map(|it| {
                let others = point_label(&it.others);
                let at = if others.is_empty() { "" } else { " at " };
                format!("{}{at}{others}: {}", it.strategy, it.knee)
            })
            .collect();
        return format!(
            "Up to which {setting} {load} gain something: {}",
            knees.join(" · ")
        );
    }
    let mut text = match (first.knee == first.last, first.knee == first.first) {
        _ if findings.iter().all(|it| it.load_reached) => format!(
            "from {setting} = {} on all offered {load} are completed",
            first.knee
        ),
        (true, _) => format!("{load} still gain at {setting} = {}", first.knee),
        (_, true) => format!("beyond {setting} = {} {load} gain nothing", first.first),
        _ => format!("beyond {setting} = {} {load} gain nothing", first.knee),
    };
    if let Some(dip) = first.dips.first()
        && findings.iter().all(|it| it.is_dip(&dip.value))
    {
        text += &format!(", and {} gives less than {}", dip.value, dip.than);
    }
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) => letter.to_uppercase().chain(letters).collect(),
        None => text,
    }
}

/// Strategies in a row below the heading.
fn draw_legend(canvas: &Canvas, results: &Results) {
    let of_point = results.strategies.len() / results.point_count().max(1);
    let mut x = MARGIN + LEFT;
    let y = TOP - 16.0;
    for (index, strategy) in results.strategies[..of_point].iter().enumerate() {
        let name = finding::name(strategy);
        let wide = 26.0 + font::width(&name, 12.0, false) + 22.0;
        if x + wide > WIDTH - MARGIN {
            canvas.text("…", (x, y), Label::new(12.0).middle());
            return;
        }
        let colour = palette::strategy(index);
        canvas.line(&[(x, y), (x + 20.0, y)], 2.25, colour);
        canvas.circle((x + 10.0, y), 3.0, colour, None);
        canvas.text(&name, (x + 26.0, y), Label::new(12.0).middle());
        x += wide;
    }
}

fn draw_panel(
    canvas: &Canvas,
    panel: &Panel<'_>,
    places: &SweepPlaces<'_>,
    most: f64,
    load: &str,
    corner: (f64, f64),
    size: (f64, f64),
) -> Result<Readout, ChartError> {
    let mut title = panel.quantity.title(load);
    if !panel.others.is_empty() {
        title += &format!(" · {}", point_label(panel.others));
    }
    canvas.text(
        &font::fitted(&title, size.0, 13.0, true),
        (corner.0, corner.1 - HEAD + 2.0),
        Label::new(13.0).bold().top(),
    );
    let y = match panel.quantity.kind() {
        Kind::Millis => Axis::from_zero_labelled(most, 5, tick_ms),
        _ => Axis::from_zero(most, 5),
    };
    let plot = canvas.plot(corner, size, places.axis(size.0), y, true)?;
    let judged = *panel.quantity == Quantity::Throughput;
    let paths: Vec<Vec<(f64, f64)>> = panel
        .lines
        .iter()
        .map(|line| path_of(&plot, line))
        .collect();
    // The first of the file on top, and what lies below it wide enough to be seen.
    for (at, line) in panel.lines.iter().enumerate().rev() {
        let above = paths[..at].iter().filter(|path| alike(path, &paths[at]));
        let width = WIDTH_OF_LINE + above.count() as f64 * RIM;
        draw_line(canvas, &plot, line, &paths[at], width, judged);
    }
    canvas.text(
        &places.list().path,
        (corner.0 + size.0 / 2.0, corner.1 + size.1 + 30.0),
        Label::new(11.5).muted().centre().top(),
    );
    Ok(readout(panel, &plot, places, title, corner, size))
}

/// The means of a line on the sheet.
fn path_of(plot: &Plot<'_>, line: &Line<'_>) -> Vec<(f64, f64)> {
    let means = line
        .points
        .iter()
        .filter_map(|(place, _, measure)| Some((*place, measure.mean?)));
    means.map(|point| on_sheet(plot, point)).collect()
}

/// Both lines are drawn on each other.
fn alike(one: &[(f64, f64)], other: &[(f64, f64)]) -> bool {
    let near = |((x, y), (u, v)): (&(f64, f64), &(f64, f64))| (x - u).hypot(y - v) < RIM;
    one.len() == other.len() && one.iter().zip(other).all(near)
}

fn draw_line(
    canvas: &Canvas,
    plot: &Plot<'_>,
    line: &Line<'_>,
    path: &[(f64, f64)],
    width: f64,
    judged: bool,
) {
    let colour = palette::strategy(line.index);
    let rim = width - WIDTH_OF_LINE;
    canvas.line(path, width, colour);
    for ((place, text, measure), &at) in line.points.iter().zip(path) {
        if let (Some(low), Some(high)) = (measure.low, measure.high) {
            let ends = [low, high].map(|value| on_sheet(plot, (*place, value.max(0.0))));
            canvas.line(&ends, 1.25, colour);
        }
        canvas.circle(at, MARK + rim / 2.0, colour, None);
        let Some(finding) = line.finding.filter(|_| judged) else {
            continue;
        };
        if *text == finding.knee {
            canvas.circle(at, RING + rim, colour, Some(1.75));
        } else if finding.is_dip(text) {
            let (x, y) = (at.0, at.1 + 8.0 + rim);
            canvas.polygon(&[(x - 5.0, y), (x + 5.0, y), (x, y + 8.0)], colour);
        }
    }
}

fn readout(
    panel: &Panel<'_>,
    plot: &Plot<'_>,
    places: &SweepPlaces<'_>,
    title: String,
    corner: (f64, f64),
    size: (f64, f64),
) -> Readout {
    let kind = panel.quantity.kind();
    let readings = places
        .ascending()
        .into_iter()
        .map(|(place, label)| Reading {
            x: on_sheet(plot, (place, 0.0)).0,
            y: None,
            values: panel
                .lines
                .iter()
                .map(|line| {
                    let point = line.points.iter().find(|(_, text, _)| *text == label);
                    point.map_or(number::UNDEFINED.to_owned(), |(_, _, measure)| {
                        kind.interval(measure)
                    })
                })
                .collect(),
            label,
        });
    let readings = Readings {
        along: places.list().path.clone(),
        names: panel
            .lines
            .iter()
            .map(|line| finding::name(line.strategy))
            .collect(),
        readings: readings.collect(),
    };
    let frame = Area {
        left: corner.0,
        top: corner.1,
        width: size.0,
        height: size.1,
    };
    Readout::along(title, frame, readings)
}
