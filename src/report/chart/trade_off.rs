//! Chart 7: what spreading the writes costs the reads. A panel a read, a mark a strategy: left is even, low is cheap.
//!
//! Must not know keys.

use super::axis::Axis;
use super::canvas::{Canvas, MARGIN, Plot, WIDTH, on_sheet};
use super::mark_label::labels;
use super::picture::Area;
use super::picture::Label;
use super::response::tick_ms;
use super::{
    Chart, ChartError, Reading, Readings, Readout, finding, picture as font, picture as palette,
};
use crate::experiment::{ReadResult, Results, StrategyResult};
use crate::report::number::{self, Kind};
use crate::report::{metric, read_prices};

const TOP: f64 = 84.0;
/// Title of a panel.
const HEAD: f64 = 24.0;
/// Tick labels, the name of the axis, and what is not shown.
const FOOT: f64 = 66.0;
const PANEL_HEIGHT: f64 = 270.0;
/// Tick labels left of a panel and their axis' name.
const LEFT: f64 = 74.0;
const GAP: f64 = 16.0;
/// Times faster than this are drawn there: a log axis has no 0.
const LEAST: f64 = 1e-3;
/// Radius of a mark.
const MARK: f64 = 5.5;
/// How much wider a mark is that lies below another one.
const RING: f64 = 3.5;
/// Marks nearer than this hide each other.
const ON_EACH_OTHER: f64 = 6.0;

/// One strategy in one panel.
pub struct Mark<'a> {
    index: usize,
    /// Whose.
    pub strategy: &'a StrategyResult,
    /// What its read pays.
    pub read: &'a ReadResult,
    /// Peak-to-mean of the writes.
    pub skew: f64,
    /// p99 in milliseconds, or rows read.
    pub price: f64,
    /// The price is a lower bound.
    pub censored: bool,
    /// No other strategy is as good in both and better in one.
    pub on_front: bool,
}

/// One read's panel.
pub struct Panel<'a> {
    /// Its read.
    pub name: &'a str,
    /// The read was issued: the price is its p99; else the rows that it reads.
    pub timed: bool,
    /// In file order.
    pub marks: Vec<Mark<'a>>,
    /// Strategies without a price or a skew.
    missing: Vec<&'a StrategyResult>,
}

impl<'a> Panel<'a> {
    fn of(results: &'a Results, name: &'a str) -> Self {
        let timed = read_prices::priced(results, name).any(|(_, read)| read.response_ms.is_some());
        let mut marks = Vec::new();
        let mut missing = Vec::new();
        for (index, strategy) in results.strategies.iter().enumerate() {
            let read = strategy.reads.iter().find(|read| read.name == name);
            let mark = read.and_then(|read| {
                let p99 = || read.response_ms.as_ref()?.get("p99");
                let measure = if timed { p99()? } else { &read.rows_planned };
                let skew = metric::value(strategy, "server_peak_to_mean");
                Some(Mark {
                    index,
                    strategy,
                    read,
                    skew: skew.filter(|_| !metric::is_of_reads(strategy))?,
                    price: measure.merged.or(measure.mean)?,
                    censored: measure.censored,
                    on_front: false,
                })
            });
            match mark {
                Some(mark) => marks.push(mark),
                None => missing.push(strategy),
            }
        }
        for index in 0..marks.len() {
            let (skew, price) = (marks[index].skew, marks[index].price);
            // A lower bound is shown to be as cheap as nothing.
            let beats = |other: &Mark<'_>| {
                !other.censored
                    && other.skew <= skew
                    && other.price <= price
                    && (other.skew < skew || other.price < price)
            };
            let beaten = marks.iter().any(beats);
            marks[index].on_front = !beaten;
        }
        Self {
            name,
            timed,
            marks,
            missing,
        }
    }

    /// The price of a mark in words.
    pub fn price(&self, mark: &Mark<'_>) -> String {
        let text = if self.timed {
            Kind::Millis.text(mark.price)
        } else {
            format!("{}\u{a0}rows", Kind::Compact.text(mark.price))
        };
        if mark.censored {
            format!("more than {text}")
        } else {
            text
        }
    }
}

/// The chart; `None` with fewer than two strategies in every panel, or without reads or writes.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let panels: Vec<Panel<'_>> = read_prices::names(results)
        .map(|name| Panel::of(results, name))
        .filter(|panel| panel.marks.len() >= 2)
        .collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let columns = panels.len().min(2);
    let rows = panels.len().div_ceil(columns);
    let pitch = HEAD + PANEL_HEIGHT + FOOT;
    let width = (WIDTH - 2.0 * MARGIN - GAP * (columns - 1) as f64) / columns as f64;
    let height = TOP + rows as f64 * pitch;
    let canvas = Canvas::new(height, &finding::trade_off(&panels), &subtitle(&panels));
    let mut readouts = Vec::new();
    for (at, panel) in panels.iter().enumerate() {
        let left = MARGIN + (at % columns) as f64 * (width + GAP);
        let top = TOP + (at / columns) as f64 * pitch;
        readouts.push(draw_panel(&canvas, panel, left, top, width)?);
    }
    let chart = canvas.finish("trade-off".to_owned());
    Ok(Some(chart.with_readouts(readouts)))
}

/// The numbers of each mark, from left to right.
fn readout(panel: &Panel<'_>, at: &[(f64, f64)], corner: (f64, f64), size: (f64, f64)) -> Readout {
    let mut marks: Vec<(&Mark<'_>, (f64, f64))> =
        panel.marks.iter().zip(at.iter().copied()).collect();
    marks.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
    let reading = |(mark, (x, y)): (&Mark<'_>, (f64, f64))| Reading {
        x,
        y: Some(y),
        label: finding::name(mark.strategy),
        values: vec![
            Kind::Ratio.text(mark.skew),
            panel.price(mark),
            mark.read.path.clone().unwrap_or_default(),
            Kind::Compact.measure(&mark.read.calls_planned),
            Kind::Compact.measure(&mark.read.rows_planned),
        ],
    };
    let price = if panel.timed { "p99" } else { "planned" };
    let names = [
        "hottest ÷ mean of the writes",
        price,
        "path",
        "calls",
        "rows read",
    ];
    let readings = Readings {
        along: "strategy".to_owned(),
        names: names.map(str::to_owned).to_vec(),
        readings: marks.into_iter().map(reading).collect(),
    };
    let frame = Area {
        left: corner.0,
        top: corner.1,
        width: size.0,
        height: size.1,
    };
    Readout::along(panel.name.to_owned(), frame, readings)
}

fn subtitle(panels: &[Panel<'_>]) -> String {
    let mut parts = vec![
        "Left: writes are even · low: the read is cheap".to_owned(),
        "filled: no other key is better in both (Pareto front)".to_owned(),
    ];
    if panels
        .iter()
        .any(|panel| panel.marks.iter().any(|mark| mark.censored))
    {
        parts.push("arrow: failed or unfinished, a lower bound".to_owned());
    }
    parts.join(" · ")
}

fn draw_panel(
    canvas: &Canvas,
    panel: &Panel<'_>,
    left: f64,
    top: f64,
    width: f64,
) -> Result<Readout, ChartError> {
    let corner = (left + LEFT, top + HEAD);
    let size = (width - LEFT, PANEL_HEIGHT);
    canvas.text(
        &font::fitted(panel.name, size.0, 13.0, true),
        (corner.0, top + 2.0),
        Label::new(13.0).bold().top(),
    );
    let (x, y) = axes(panel);
    let plot = canvas.plot(corner, size, x, y, true)?;
    let at: Vec<(f64, f64)> = panel
        .marks
        .iter()
        .map(|mark| place_of(&plot, mark))
        .collect();
    let bounds = Area {
        left: corner.0 + 3.0,
        top: corner.1 + 2.0,
        width: size.0 - 4.0,
        height: size.1 - 4.0,
    };
    let front = draw_front(canvas, panel, &at, bounds);
    let ranks = ranks(&at);
    let mut taken = front;
    taken.extend(spaces(panel, &at, &ranks));
    let labels = labels(panel, &at, &taken, bounds);
    for (at, label) in at.iter().zip(&labels) {
        if let Some(end) = label.place.and_then(|place| place.leader) {
            canvas.line(&[*at, end], 0.75, palette::AXIS);
        }
    }
    draw_marks(canvas, panel, &at, &ranks);
    for ((mark, at), label) in panel.marks.iter().zip(&at).zip(&labels) {
        label.draw(canvas, *at, palette::strategy(mark.index));
    }
    let what = if panel.timed {
        "p99 response time"
    } else {
        "rows read (planned, not issued)"
    };
    canvas.text(
        what,
        (left + 5.0, corner.1 + size.1 / 2.0),
        Label::new(11.5).muted().centre().middle().turned(),
    );
    canvas.text(
        "writes of the hottest server ÷ mean",
        (corner.0 + size.0 / 2.0, corner.1 + size.1 + 27.0),
        Label::new(11.5).muted().centre().top(),
    );
    if !panel.missing.is_empty() {
        let names: Vec<String> = panel
            .missing
            .iter()
            .map(|strategy| finding::name(strategy))
            .collect();
        let text = format!("without a number: {}", names.join(", "));
        canvas.text(
            &font::fitted(&text, size.0, 10.5, false),
            (corner.0, corner.1 + size.1 + 44.0),
            Label::new(10.5).muted().top(),
        );
    }
    Ok(readout(panel, &at, corner, size))
}

fn axes(panel: &Panel<'_>) -> (Axis, Axis) {
    let range = |value: fn(&Mark<'_>) -> f64| {
        let values = || panel.marks.iter().map(|mark| value(mark).max(LEAST));
        (
            values().fold(f64::INFINITY, f64::min),
            values().fold(0.0, f64::max),
        )
    };
    let (_, most) = range(|mark| mark.skew);
    let x = Axis::log10(0.9, most.max(2.0) * 1.15, |value| {
        format!("{}×", number::trimmed(value, 2))
    });
    let (low, high) = range(|mark| mark.price);
    // At least most of a decade, and some room for labels above and below.
    let middle = (low * high).sqrt();
    let span = (high / low).max(6.0).sqrt() * (high / low).powf(0.06) * 1.5;
    let label = if panel.timed { tick_ms } else { number::tick };
    (x, Axis::log10(middle / span, middle * span, label))
}

fn place_of(plot: &Plot<'_>, mark: &Mark<'_>) -> (f64, f64) {
    let logs = (mark.skew.max(LEAST).log10(), mark.price.max(LEAST).log10());
    on_sheet(plot, logs)
}

/// The border between what some strategy reaches and what none does; returns the space that it takes.
fn draw_front(canvas: &Canvas, panel: &Panel<'_>, at: &[(f64, f64)], bounds: Area) -> Vec<Area> {
    let mut front: Vec<(f64, f64)> = panel
        .marks
        .iter()
        .zip(at)
        .filter(|(mark, _)| mark.on_front)
        .map(|(_, at)| *at)
        .collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (front.first().copied(), front.last().copied()) else {
        return Vec::new();
    };
    let mut line = vec![(first.0, bounds.top)];
    for pair in front.windows(2) {
        line.extend([pair[0], (pair[1].0, pair[0].1)]);
    }
    line.extend([last, (bounds.left + bounds.width, last.1)]);
    canvas.line(&line, 1.25, palette::AXIS);
    line.windows(2)
        .map(|ends| Area {
            left: ends[0].0.min(ends[1].0) - 1.0,
            top: ends[0].1.min(ends[1].1) - 1.0,
            width: (ends[0].0 - ends[1].0).abs() + 2.0,
            height: (ends[0].1 - ends[1].1).abs() + 2.0,
        })
        .collect()
}

/// How many earlier marks of the file each lies on: it is drawn as a wider ring around them.
fn ranks(at: &[(f64, f64)]) -> Vec<usize> {
    let mut ranks: Vec<usize> = Vec::new();
    for (index, mark) in at.iter().enumerate() {
        let near = |other: &(f64, f64)| (other.0 - mark.0).hypot(other.1 - mark.1) < ON_EACH_OTHER;
        let below = at[..index].iter().zip(&ranks);
        let rank = below
            .filter(|(other, _)| near(other))
            .map(|(_, rank)| rank + 1);
        ranks.push(rank.max().unwrap_or(0));
    }
    ranks
}

fn draw_marks(canvas: &Canvas, panel: &Panel<'_>, at: &[(f64, f64)], ranks: &[usize]) {
    // The first of the file on top.
    let marks = panel.marks.iter().zip(at).zip(ranks);
    for ((mark, &(x, y)), &rank) in marks.rev() {
        let colour = palette::strategy(mark.index);
        if mark.censored {
            canvas.line(&[(x, y), (x, y - 14.0)], 1.5, colour);
            let tip = [(x - 4.0, y - 12.0), (x, y - 18.0), (x + 4.0, y - 12.0)];
            canvas.polygon(&tip, colour);
        }
        let radius = MARK + rank as f64 * RING;
        // A rim keeps marks on each other apart.
        canvas.circle((x, y), radius + 1.0, palette::PAPER, None);
        if mark.on_front {
            canvas.circle((x, y), radius, colour, None);
        } else {
            canvas.circle((x, y), radius - 0.9, colour, Some(1.75));
        }
    }
}

/// What marks take beyond the space of every mark: arrows, and rings around others.
fn spaces(panel: &Panel<'_>, at: &[(f64, f64)], ranks: &[usize]) -> Vec<Area> {
    let marks = panel.marks.iter().zip(at);
    let arrows = marks
        .filter(|(mark, _)| mark.censored)
        .map(|(_, &(x, y))| Area {
            left: x - 5.0,
            top: y - 20.0,
            width: 10.0,
            height: 20.0,
        });
    let rings = at.iter().zip(ranks).filter(|(_, rank)| **rank > 0);
    let ring =
        |(at, rank): (&(f64, f64), &usize)| Area::around(*at, MARK + *rank as f64 * RING + 1.5);
    arrows.chain(rings.map(ring)).collect()
}
