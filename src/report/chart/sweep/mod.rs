//! Chart 8: what a sweep gives along the values of its first setting: throughput, and beside it the price of the read that pays most for
//! it. The other swept settings make rows of panels.

mod places;

use super::prelude::*;
use crate::experiment::{Measure, SweepFinding, point_label, value_text};
use crate::text::article;
use places::SweepPlaces;
use serde_json::Value;
use std::collections::BTreeMap;

/// Chart 6 shows what this setting does, beside what it could do at most.
const SERVERS: &str = "cluster.servers";

const TOP: f64 = 104.0;
/// Title of a panel.
const HEAD: f64 = 24.0;
/// Tick labels left of a panel.
const LEFT: f64 = 62.0;
const MARK: f64 = 3.4;
const WIDTH_OF_LINE: f64 = 2.25;
/// How much wider a line is than one that lies on it.
const RIM: f64 = 3.5;
/// Radius of the ring around a knee.
const RING: f64 = 8.0;

/// What the vertical axis of a panel shows.
struct Quantity {
    title: String,
    format: NumberFormat,
    /// A read and what it pays, its planned calls or its mean response time; `None` for the throughput.
    price: Option<(String, MetricPath)>,
}

impl Quantity {
    /// The throughput, and the price that grows most up to a knee.
    fn all(findings: &[SweepFinding], load: &str) -> Vec<Self> {
        let throughput = Self {
            title: format!("{load} a second"),
            format: NumberFormat::Compact,
            price: None,
        };
        let prices = findings.iter().flat_map(|finding| &finding.prices);
        let known = prices.filter_map(|price| Some((price, price.ratio.mean?)));
        let dearest = known.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let price = dearest.map(|(price, _)| {
            let (title, format) = match price.metric.metric {
                MetricId::CallsPlanned => (
                    quoted(&format!("calls of {}", article(&price.read))),
                    NumberFormat::Compact,
                ),
                _ => (
                    format!("mean response time of “{}”", price.read),
                    NumberFormat::Millis,
                ),
            };
            let price = Some((price.read.clone(), price.metric));
            Self {
                title,
                format,
                price,
            }
        });
        std::iter::once(throughput).chain(price).collect()
    }

    fn measure<'a>(&self, strategy: &'a StrategyResult) -> Option<&'a Measure> {
        let Some((name, metric)) = &self.price else {
            return metric::measure(strategy, MetricId::WriteThroughput);
        };
        let read = strategy.reads.iter().find(|read| read.name == *name)?;
        read.number(*metric)
    }
}

/// One quantity at one combination of the other swept settings.
struct Panel<'a> {
    quantity: &'a Quantity,
    title: String,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    /// Its strategy at one of the points, with the place of the strategy in the file.
    entry: Entry<'a>,
    /// From left to right: place, value as written, and what was measured.
    points: Vec<(f64, String, &'a Measure)>,
    /// What was found of it.
    finding: Option<&'a SweepFinding>,
}

/// The chart; `None` without a sweep, with a single value of the first swept setting, or where chart 6 shows it.
pub fn draw(results: &Results) -> Option<Chart> {
    let list = results.sweep.first()?;
    if list.values.len() < 2 || list.path == SERVERS {
        return None;
    }
    let findings = results.sweep_findings();
    let places = SweepPlaces::of(list);
    let others = combinations(results, &list.path);
    let quantities = Quantity::all(&findings, metric::load_name(&results.strategies));
    let of_others = |others| quantities.iter().map(move |quantity| (others, quantity));
    let all = others.iter().flat_map(of_others);
    let panels: Vec<Panel<'_>> = all
        .map(|(others, quantity)| panel(results, &findings, &places, others, quantity))
        .filter(|panel| !panel.lines.is_empty())
        .collect();
    if panels.is_empty() {
        return None;
    }
    let grid = Grid {
        columns: panels.len().min(2),
        top: TOP,
        left: LEFT,
        right: 0.0,
        head: HEAD,
        height: 270.0,
        foot: 62.0,
        gap: 24.0,
    };
    let subtitle = format!(
        "Along {}, bars: 95 % intervals · ring: the knee, beyond which nothing is gained · triangle: worse than a lesser value",
        list.path
    );
    let title = title(&findings);
    let sheet = sheet(grid.bottom(panels.len()), &title, &subtitle);
    draw_legend(&sheet, results);
    let data = panels.iter().enumerate().map(|(at, panel)| {
        let same = panels
            .iter()
            .filter(|it| std::ptr::eq(it.quantity, panel.quantity));
        let most = same.flat_map(Panel::tops).fold(0.0, f64::max);
        draw_panel(&sheet, panel, &places, most, grid.area(at))
    });
    let data = data.collect();
    Some(Chart::new(ChartKind::Sweep, title, &sheet, data))
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

/// How many strategies there are at each point.
fn of_point(results: &Results) -> usize {
    (results.strategies.len() / results.point_count().max(1)).max(1)
}

fn panel<'a>(
    results: &'a Results,
    findings: &'a [SweepFinding],
    places: &SweepPlaces<'_>,
    others: &BTreeMap<String, Value>,
    quantity: &'a Quantity,
) -> Panel<'a> {
    let mut title = quantity.title.clone();
    if !others.is_empty() {
        title += &format!(" · {}", point_label(others));
    }
    let mut lines: Vec<Line<'a>> = Vec::new();
    for Entry { index, strategy } in Entry::all(results) {
        let mut rest = strategy.sweep.clone();
        let value = rest.remove(&places.list().path);
        let known = |measure: &&Measure| measure.mean.is_some() && !measure.censored;
        let measured = quantity.measure(strategy).filter(known);
        let place = places.of_value(value.as_ref()).filter(|_| rest == *others);
        let (Some(place), Some(measure)) = (place, measured) else {
            continue;
        };
        let text = value.as_ref().map_or_else(String::new, value_text);
        let point = (place, text, measure);
        let same = |line: &&mut Line<'_>| line.entry.strategy.name == strategy.name;
        match lines.iter_mut().find(same) {
            Some(line) => line.points.push(point),
            None => {
                let index = index % of_point(results);
                let of = |it: &&SweepFinding| it.strategy == strategy.name && it.others == *others;
                lines.push(Line {
                    entry: Entry { index, strategy },
                    points: vec![point],
                    finding: findings.iter().find(of),
                });
            }
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Panel {
        quantity,
        title,
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

/// The knee in words: of all strategies when it is the same, else of each.
fn title(findings: &[SweepFinding]) -> String {
    let Some(first) = findings.first() else {
        return "What the sweep gives".to_owned();
    };
    let setting = first.path.rsplit('.').next().unwrap_or(&first.path);
    let load = if first.reads { "reads" } else { "writes" };
    let same = |it: &SweepFinding| it.knee == first.knee && it.last == first.last;
    if !findings.iter().all(same) {
        let knees = findings.iter().map(|it| {
            let others = point_label(&it.others);
            let at = if others.is_empty() { "" } else { " at " };
            format!("{}{at}{others}: {}", it.strategy, it.knee)
        });
        let knees = knees.collect::<Vec<_>>().join(" · ");
        return format!("Up to which {setting} {load} gain something: {knees}");
    }
    let (knee, least) = (&first.knee, &first.first);
    let mut text = match (*knee == first.last, knee == least) {
        _ if findings.iter().all(|it| it.load_reached) => {
            format!("from {setting} = {knee} on all offered {load} are completed")
        }
        (true, _) => format!("{load} still gain at {setting} = {knee}"),
        (_, true) => format!("beyond {setting} = {least} {load} gain nothing"),
        _ => format!("beyond {setting} = {knee} {load} gain nothing"),
    };
    if let Some(dip) = first.dips.first()
        && findings.iter().all(|it| it.is_dip(&dip.value))
    {
        text += &format!(", and {} gives less than {}", dip.value, dip.than);
    }
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Strategies in a row below the heading.
fn draw_legend(sheet: &Sheet, results: &Results) {
    let mut x = MARGIN + LEFT;
    let y = TOP - 16.0;
    let label = ink(12.0).middle();
    for entry in Entry::all(results).take(of_point(results)) {
        let name = entry.name();
        let wide = 26.0 + width(&name, 12.0, false) + 22.0;
        if x + wide > WIDTH - MARGIN {
            sheet.text("…", (x, y), label);
            return;
        }
        legend_key(sheet, (x, y), entry.colour());
        sheet.text(&name, (x + 26.0, y), label);
        x += wide;
    }
}

fn draw_panel(
    sheet: &Sheet,
    panel: &Panel<'_>,
    places: &SweepPlaces<'_>,
    most: f64,
    area: Area,
) -> ChartData {
    let title = fitted(&panel.title, area.width, 13.0, true);
    let at = (area.left, area.top - HEAD + 2.0);
    sheet.text(&title, at, bold(13.0).top());
    let y = match panel.quantity.format {
        NumberFormat::Millis => Axis::from_zero_labelled(most, 5, tick_ms),
        _ => Axis::from_zero(most, 5),
    };
    let plot = Plot::new(sheet, area, places.axis(area.width), y);
    let paths: Vec<Vec<Point>> = panel.lines.iter().map(|line| path(&plot, line)).collect();
    let judged = panel.quantity.price.is_none();
    // The first of the file on top, and what lies below it wide enough to be seen.
    for (at, line) in panel.lines.iter().enumerate().rev() {
        let above = paths[..at].iter().filter(|path| alike(path, &paths[at]));
        let rim = above.count() as f64 * RIM;
        let finding = line.finding.filter(|_| judged);
        draw_line(sheet, &plot, line, &paths[at], rim, finding);
    }
    plot.name_below(&places.list().path, 30.0);
    data(panel, &plot, places)
}

/// The means of a line on the sheet.
fn path(plot: &Plot, line: &Line<'_>) -> Vec<Point> {
    let means = line.points.iter();
    let means = means.filter_map(|(place, _, measure)| Some((*place, measure.mean?)));
    means.map(|point| plot.at(point)).collect()
}

/// Whether both lines are drawn on each other.
fn alike(one: &[Point], other: &[Point]) -> bool {
    let near = |((x, y), (u, v)): (&Point, &Point)| (x - u).hypot(y - v) < RIM;
    one.len() == other.len() && one.iter().zip(other).all(near)
}

/// One line, `rim` pixels wider than others; `finding` says which of its points are marked.
fn draw_line(
    sheet: &Sheet,
    plot: &Plot,
    line: &Line<'_>,
    path: &[Point],
    rim: f64,
    finding: Option<&SweepFinding>,
) {
    let colour = line.entry.colour();
    sheet.line(path, WIDTH_OF_LINE + rim, colour);
    for ((place, text, measure), &at) in line.points.iter().zip(path) {
        if let (Some(low), Some(high)) = (measure.low, measure.high) {
            let ends = [low, high].map(|value| plot.at((*place, value.max(0.0))));
            sheet.line(&ends, 1.25, colour);
        }
        sheet.disc(at, MARK + rim / 2.0, colour);
        let Some(finding) = finding else { continue };
        if *text == finding.knee {
            sheet.ring(at, RING + rim, 1.75, colour);
        } else if finding.is_dip(text) {
            let (x, y) = (at.0, at.1 + 8.0 + rim);
            sheet.polygon(&[(x - 5.0, y), (x + 5.0, y), (x, y + 8.0)], colour);
        }
    }
}

fn data(panel: &Panel<'_>, plot: &Plot, places: &SweepPlaces<'_>) -> ChartData {
    let format = panel.quantity.format;
    let points = places.ascending().into_iter().map(|(place, label)| {
        let value = |line: &Line<'_>| {
            let point = line.points.iter().find(|(_, text, _)| *text == label);
            point.map_or(number::UNDEFINED.to_owned(), |(_, _, measure)| {
                format.interval(measure)
            })
        };
        let values: Vec<String> = panel.lines.iter().map(value).collect();
        DataPoint::across(plot.at((place, 0.0)).0, label, values)
    });
    let names = panel.lines.iter().map(|line| line.entry.name());
    let series = DataSeries::new(&places.list().path, names, points);
    ChartData::along(&panel.title, plot.area, series)
}
