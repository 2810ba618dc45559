//! Chart 1, one for each strategy: the key space over time, coloured by writes, with the regions and their servers, and
//! below it the load of each server. Must not know how results were made.

use super::axis::{Axis, TimeUnit};
use super::canvas::{Canvas, MARGIN, WIDTH};
use super::demand::Demand;
use super::event_marks::EventMarks;
use super::key_labels::KeyLabels;
use super::picture::Label;
use super::picture::Paint;
use super::picture::Raster;
use super::regions::Regions;
use super::server_strip::ServerStrip;
use super::{Area, Cells, Chart, ChartError, HeatColours, Readout, Values};
use super::{finding, picture as font, picture as palette};
use crate::experiment::{KeyMapBucket, Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind};

const TOP: f64 = 98.0;
const HEIGHT: f64 = 400.0;
const OWNER_WIDTH: f64 = 34.0;
const TOTALS_WIDTH: f64 = 70.0;
const GAP: f64 = 8.0;

/// The colour scale of heat, the same for all strategies of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatScale {
    /// One row in one interval, as rows a second: the least that is not nothing.
    low: f64,
    /// The hottest cell of any strategy.
    high: f64,
    colours: HeatColours,
}

impl HeatScale {
    /// The scale that holds every cell of every strategy, in `colours`.
    pub fn of(results: &Results, colours: HeatColours) -> Self {
        let mut scale = Self {
            low: f64::INFINITY,
            high: 0.0,
            colours,
        };
        for series in results
            .strategies
            .iter()
            .filter_map(|strategy| strategy.series.as_ref())
        {
            let seconds = series.interval_ms / 1e3;
            let most = series
                .key_demand
                .iter()
                .flatten()
                .max()
                .copied()
                .unwrap_or(0);
            scale.low = scale.low.min(1.0 / seconds);
            scale.high = scale.high.max(most as f64 / seconds);
        }
        if !scale.low.is_finite() {
            scale.low = 1.0;
        }
        // A scale needs two ends, even if nothing was written or every cell got one row.
        scale.high = scale.high.max(scale.low * 10.0);
        scale
    }

    /// Index into [`HeatScale::palette`]: 0 is nothing.
    fn index(self, rate: f64) -> u8 {
        if rate <= 0.0 {
            return 0;
        }
        let level = (rate / self.low).ln() / (self.high / self.low).ln();
        1 + (level.clamp(0.0, 1.0) * (palette::HEAT_STEPS - 1) as f64).round() as u8
    }

    /// Nothing (transparent), then heat from least to most.
    fn palette(self) -> Vec<Paint> {
        let level = |step| step as f64 / (palette::HEAT_STEPS - 1) as f64;
        let heat = (0..palette::HEAT_STEPS).map(|step| self.colours.at(level(step)).into());
        let nothing = Paint {
            colour: palette::EMPTY,
            opacity: 0.0,
        };
        std::iter::once(nothing).chain(heat).collect()
    }
}

/// The rectangle that key space and time span.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Top edge: the end of the key space.
    pub top: f64,
    /// Bottom edge: its start.
    pub bottom: f64,
    /// Key buckets between them.
    pub buckets: usize,
    /// Where the left edge lies in time, in seconds: intervals are drawn whole, even one cut by the start of the run.
    pub from_s: f64,
    /// Where the right edge lies.
    pub to_s: f64,
}

impl Frame {
    /// Height of a position in the key space, counted in buckets from its start.
    pub fn y(&self, position: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * position / self.buckets as f64
    }

    /// Horizontal place of a time in seconds.
    pub fn x(&self, seconds: f64) -> f64 {
        self.left + self.width() * (seconds - self.from_s) / (self.to_s - self.from_s)
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
}

/// The key map of one strategy; `None` when it has no series.
pub fn draw(
    strategy: &StrategyResult,
    scale: HeatScale,
    planned_s: f64,
) -> Result<Option<Chart>, ChartError> {
    let (Some(demand), Some(series)) = (Demand::of(strategy, planned_s), strategy.series.as_ref())
    else {
        return Ok(None);
    };
    let buckets = series.key_demand.iter().map(Vec::len).max().unwrap_or(0);
    // Reads are not counted by key.
    if buckets == 0 || metric::is_of_reads(strategy) {
        return Ok(None);
    }
    let labels = KeyLabels::of(
        &strategy.key_map[..strategy.key_map.len().min(buckets)],
        HEIGHT / buckets as f64,
    );
    let regions = Regions::of(strategy, buckets);
    let strip = ServerStrip::of(&demand);
    // The strip's names, up to `984 others`, need room too.
    let left = MARGIN + (16.0 + labels.width()).max(62.0);
    let right = WIDTH - MARGIN - TOTALS_WIDTH - GAP - OWNER_WIDTH - GAP;
    let from_s = demand.origin_s();
    let drawn = &series.key_demand[..demand.drawn().min(series.key_demand.len())];
    let to_s = from_s + drawn.len() as f64 * demand.interval_s();
    let frame = Frame {
        left,
        right,
        top: TOP,
        bottom: TOP + HEIGHT,
        buckets,
        from_s,
        to_s,
    };
    let strip_top = frame.bottom + 66.0;
    let legend_top = strip_top + strip.height() + 22.0;

    let lines = if regions.lines_drawn(&frame) {
        "thin lines: region boundaries".to_owned()
    } else {
        format!(
            "boundaries of {} regions too dense to draw",
            number::grouped(regions.count() as u64)
        )
    };
    let subtitle = format!(
        "Writes to {buckets} key bucket{} every {} (log colour, one scale for all) · buckets of about equal writes: a tall \
         region is busy · {lines}",
        if buckets == 1 { "" } else { "s" },
        number::length(demand.interval_s())
    );
    let left_out: Vec<&str> = labels.left_out().collect();
    let axis = if left_out.is_empty() {
        "row key (sorted)".to_owned()
    } else {
        format!("row key (sorted), … is {}", left_out.join(" and "))
    };
    let canvas = Canvas::new(
        legend_top + 46.0,
        &finding::key_map(strategy, &demand),
        &subtitle,
    );

    draw_cells(&canvas, &frame, &demand, scale, drawn);
    regions.draw_lines(&canvas, &frame);
    labels.draw(&canvas, &frame);
    let middle = (frame.top + frame.bottom) / 2.0;
    canvas.text(
        &font::fitted(&axis, HEIGHT, 11.5, false),
        (MARGIN + 5.0, middle),
        Label::new(11.5).muted().centre().middle().turned(),
    );
    let free = draw_warmup(&canvas, &frame, &demand);
    EventMarks::of(&series.events).draw(&canvas, &frame, free);
    draw_time(&canvas, &frame, &demand);
    regions.draw_owners(&canvas, &frame, frame.right + GAP, OWNER_WIDTH);
    draw_totals(
        &canvas,
        &frame,
        frame.right + GAP + OWNER_WIDTH + GAP,
        &series.key_demand,
    );
    strip.draw(&canvas, (frame.left, frame.right), strip_top);
    draw_heat_legend(&canvas, (frame.left, legend_top), scale);
    strip.draw_legend(&canvas, (frame.left + 430.0, legend_top));
    let chart = canvas.finish(format!("key-map-{}", strategy.name));
    let cells = readout(strategy, &demand, &frame, drawn);
    Ok(Some(chart.with_readouts(vec![cells])))
}

/// The writes of each cell.
fn readout(
    strategy: &StrategyResult,
    demand: &Demand<'_>,
    frame: &Frame,
    counts: &[Vec<u64>],
) -> Readout {
    let buckets = strategy.key_map.iter().take(frame.buckets);
    let key = |bucket: &KeyMapBucket| {
        let start = match bucket.start.as_str() {
            "" => "the least key",
            start => start,
        };
        match bucket.labels.is_empty() {
            true => start.to_owned(),
            false => format!("{start} ({})", bucket.labels.join(" · ")),
        }
    };
    Readout {
        title: String::new(),
        frame: Area {
            left: frame.left,
            top: frame.top,
            width: frame.width(),
            height: frame.bottom - frame.top,
        },
        values: Values::Cells(Cells {
            keys: buckets.map(key).collect(),
            times: (0..counts.len())
                .map(|interval| demand.span(interval))
                .collect(),
            counts: counts.to_vec(),
        }),
    }
}

fn draw_cells(
    canvas: &Canvas,
    frame: &Frame,
    demand: &Demand<'_>,
    scale: HeatScale,
    cells: &[Vec<u64>],
) {
    let size = (frame.width(), frame.bottom - frame.top);
    canvas.rect((frame.left, frame.top), size, palette::EMPTY);
    let mut raster = Raster::new(cells.len(), scale.palette());
    for bucket in (0..frame.buckets).rev() {
        for interval in cells {
            let rows = interval.get(bucket).copied().unwrap_or(0);
            raster.push(scale.index(rows as f64 / demand.interval_s()));
        }
    }
    canvas.image((frame.left, frame.top), size, raster);
}

/// A bracket over the warm-up, which measures leave out. Returns where its text ends.
fn draw_warmup(canvas: &Canvas, frame: &Frame, demand: &Demand<'_>) -> f64 {
    let warmup = demand.warmup_s();
    if warmup <= 0.0 {
        return frame.left;
    }
    let end = frame.x(warmup);
    let y = frame.top - 5.0;
    canvas.line(&[(frame.left, y), (end, y)], 1.0, palette::AXIS);
    canvas.line(&[(end, y - 4.0), (end, frame.top)], 1.0, palette::AXIS);
    let text = "warm-up, not measured";
    let text = if font::width(text, 10.5, false) < end - frame.left - 4.0 {
        text
    } else {
        "warm-up"
    };
    canvas.text(text, (frame.left, y - 4.0), Label::new(10.5).muted());
    end.max(frame.left + font::width(text, 10.5, false)) + 8.0
}

/// The time axis under the map.
fn draw_time(canvas: &Canvas, frame: &Frame, demand: &Demand<'_>) {
    let axis = Axis::time(demand.length_s().min(frame.to_s), 10);
    for (value, label) in axis.ticks() {
        let x = frame.x(*value);
        canvas.line(
            &[(x, frame.bottom), (x, frame.bottom + 4.0)],
            1.0,
            palette::AXIS,
        );
        canvas.text(
            label,
            (x, frame.bottom + 8.0),
            Label::new(10.5).muted().centre().top(),
        );
    }
    let unit = TimeUnit::of(demand.length_s()).name;
    let at = ((frame.left + frame.right) / 2.0, frame.bottom + 24.0);
    canvas.text(
        &format!("simulated time, {unit}"),
        at,
        Label::new(11.5).muted().centre().top(),
    );
}

/// Share of the writes of each bucket, over the whole run, as one polygon: bars would show seams.
fn draw_totals(canvas: &Canvas, frame: &Frame, left: f64, cells: &[Vec<u64>]) {
    let mut totals = vec![0u64; frame.buckets];
    for interval in cells {
        for (total, rows) in totals.iter_mut().zip(interval) {
            *total += rows;
        }
    }
    canvas.text("writes", (left, frame.top - 6.0), Label::new(10.5).muted());
    let most = totals.iter().max().copied().unwrap_or(0);
    if most == 0 {
        return;
    }
    let mut outline = vec![(left, frame.bottom)];
    for (bucket, total) in totals.iter().enumerate() {
        let x = left + TOTALS_WIDTH * *total as f64 / most as f64;
        outline.push((x, frame.y(bucket as f64)));
        outline.push((x, frame.y(bucket as f64 + 1.0)));
    }
    outline.push((left, frame.top));
    canvas.polygon(&outline, palette::GREY);
    let share = Kind::Percent.text(most as f64 / totals.iter().sum::<u64>() as f64);
    let right = left + TOTALS_WIDTH;
    canvas.line(
        &[(right, frame.bottom), (right, frame.bottom + 4.0)],
        1.0,
        palette::AXIS,
    );
    canvas.text(
        &share,
        (right, frame.bottom + 8.0),
        Label::new(10.5).muted().right().top(),
    );
}

fn draw_heat_legend(canvas: &Canvas, (left, top): (f64, f64), scale: HeatScale) {
    const WIDE: f64 = 180.0;
    let label = || Label::new(10.0).muted().centre().top();
    canvas.rect((left, top), (20.0, 10.0), palette::EMPTY);
    canvas.text("none", (left + 10.0, top + 14.0), label());
    let bar = left + 44.0;
    let mut raster = Raster::new(palette::HEAT_STEPS, scale.palette());
    for index in 1..=palette::HEAT_STEPS {
        raster.push(index as u8);
    }
    canvas.image((bar, top), (WIDE, 10.0), raster);
    let axis = Axis::log10(scale.low, scale.high, number::tick);
    let mut free = f64::NEG_INFINITY;
    // Over two decades and more, the decades alone leave no gaps in the labels.
    let decade = |value: f64| (value - value.round()).abs() < 1e-9;
    let decades = axis
        .ticks()
        .iter()
        .filter(|(value, _)| decade(*value))
        .count()
        >= 2;
    for (value, text) in axis
        .ticks()
        .iter()
        .filter(|(value, _)| !decades || decade(*value))
    {
        let x = bar + WIDE * axis.fraction(*value);
        canvas.line(&[(x, top + 10.0), (x, top + 13.0)], 1.0, palette::MUTED);
        let half = font::width(text, 10.0, false) / 2.0;
        if x - half > free {
            canvas.text(text, (x, top + 14.0), label());
            free = x + half + 4.0;
        }
    }
    canvas.text(
        "writes a second and bucket",
        (bar + WIDE + 14.0, top + 5.0),
        Label::new(10.5).muted().middle(),
    );
}
