//! Chart 9: what each strategy sustains. Its knee as a bar, and below, on the same axis, what every run of the search found at the load
//! that it tried. Must not know how the search goes.

use super::axis::Axis;
use super::canvas::quoted;
use super::canvas::{Canvas, MARGIN, Plot, WIDTH, on_sheet};
use super::picture::Area;
use super::picture::Label;
use super::picture::Paint;
use super::picture::units;
use super::response::tick_ms;
use super::{
    Chart, ChartError, Reading, Readings, Readout, finding, picture as font, picture as palette,
};
use crate::experiment::{KneeFinding, KneeLimit, KneeResult, Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind};
use plotters::series::DashedLineSeries;
use plotters::style::Color;

const KNEE: &str = "knee_per_sec";

const TOP: f64 = 88.0;
const LEFT: f64 = MARGIN + 62.0;
const RIGHT: f64 = WIDTH - MARGIN - 12.0;
/// A strategy with its name, its knee and its bar.
const ROW: f64 = 34.0;
const BAR: f64 = 9.0;
/// Title of a panel.
const HEAD: f64 = 34.0;
const PANEL_HEIGHT: f64 = 220.0;
/// Tick labels below a panel.
const FOOT: f64 = 26.0;
/// Limits that get a panel.
const MOST_PANELS: usize = 3;
const DOT: f64 = 2.75;
/// Faster responses are drawn there: a log axis has no 0.
const LEAST_MS: f64 = 0.001;

/// A strategy whose knee was looked for.
struct Searched<'a> {
    index: usize,
    strategy: &'a StrategyResult,
    knee: &'a KneeResult,
}

impl Searched<'_> {
    fn per_sec(&self) -> Option<f64> {
        metric::value(self.strategy, KNEE)
    }

    /// The knee in words: `20.9k`, `more than 240k`.
    fn text(&self) -> String {
        let text = metric::text(self.strategy, KNEE, Kind::Compact);
        text.strip_prefix(">\u{a0}")
            .map_or(text.clone(), |bound| format!("more than {bound}"))
    }

    /// The loads of all runs, with what became of the limit at place `at`, replicate by replicate.
    fn found(&self, at: usize) -> impl Iterator<Item = Vec<(f64, KneeFinding)>> + '_ {
        self.knee.replicates.iter().map(move |replicate| {
            let probes = replicate.probes.iter();
            let mut found: Vec<(f64, KneeFinding)> = probes
                .filter_map(|probe| Some((probe.per_sec, *probe.findings.get(at)?)))
                .filter(|(_, finding)| finding.value.is_some())
                .collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found
        })
    }
}

/// The chart; `None` when no knee was looked for.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let all: Vec<Searched<'_>> = results
        .strategies
        .iter()
        .enumerate()
        .filter_map(|(index, strategy)| {
            Some(Searched {
                index,
                strategy,
                knee: strategy.knee.as_ref()?,
            })
        })
        .collect();
    let Some(first) = all.first() else {
        return Ok(None);
    };
    let replicates = all.iter().flat_map(|it| &it.knee.replicates);
    let loads = replicates.flat_map(|it| it.probes.iter().map(|probe| probe.per_sec));
    let x = Axis::from_zero(loads.fold(0.0, f64::max), 8);
    let limits = &first.knee.limits[..first.knee.limits.len().min(MOST_PANELS)];
    let panels = TOP + all.len() as f64 * ROW;
    let pitch = HEAD + PANEL_HEIGHT + FOOT;
    let bottom = panels + limits.len() as f64 * pitch;
    let load = load(first.knee);
    let subtitle = format!(
        "Knee: {} · thin: its 95 % interval · a dot a run, a line a replicate · ring: a lower bound",
        first.knee.caption()
    );
    let canvas = Canvas::new(bottom + 34.0, &title(&all, load), &subtitle);
    let place = |per_sec: f64| LEFT + (RIGHT - LEFT) * x.fraction(per_sec);
    for (row, searched) in all.iter().enumerate() {
        draw_bar(&canvas, searched, TOP + row as f64 * ROW, load, place);
    }
    let mut readouts = Vec::new();
    for (at, limit) in limits.iter().enumerate() {
        let corner = (LEFT, panels + at as f64 * pitch + HEAD);
        readouts.push(draw_panel(&canvas, &all, (at, limit), corner, x.clone())?);
    }
    canvas.text(
        &format!("offered {load}"),
        ((LEFT + RIGHT) / 2.0, bottom + 6.0),
        Label::new(11.5).muted().centre().top(),
    );
    let chart = canvas.finish("knee".to_owned());
    Ok(Some(chart.with_readouts(readouts)))
}

/// What was varied.
fn load(knee: &KneeResult) -> &'static str {
    match knee.vary.starts_with("read.") {
        true => "reads/s",
        false => "writes/s",
    }
}

/// Who sustains most and who least.
fn title(all: &[Searched<'_>], load: &str) -> String {
    let mut found: Vec<(f64, &Searched<'_>)> = all
        .iter()
        .filter_map(|searched| Some((searched.per_sec()?, searched)))
        .collect();
    // Stable: of equals the first in the file.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let said = |searched: &Searched<'_>| finding::quoted(searched.strategy);
    match found.as_slice() {
        [] => "No strategy sustains any load within the limits".to_owned(),
        [(_, only)] => format!("{} sustains {} {load}", said(only), only.text()),
        [(_, best), .., (_, worst)] if best.text() == worst.text() => {
            format!("Every strategy sustains {} {load}", best.text())
        }
        [(_, best), .., (_, worst)] => format!(
            "{} sustains {} {load}, {} {}",
            said(best),
            best.text(),
            said(worst),
            worst.text()
        ),
    }
}

fn draw_bar(
    canvas: &Canvas,
    searched: &Searched<'_>,
    top: f64,
    load: &str,
    place: impl Fn(f64) -> f64,
) {
    let name = finding::name(searched.strategy);
    canvas.text(&name, (LEFT, top + 6.0), Label::new(12.0).bold().middle());
    let measure = metric::measure(searched.strategy, KNEE);
    let interval = measure.and_then(|measure| measure.low.zip(measure.high));
    let text = match (searched.per_sec(), interval) {
        (None, _) => "no load within the limits".to_owned(),
        (Some(_), None) => format!("{} {load}", searched.text()),
        (Some(_), Some((low, high))) => {
            let [low, high] = [low, high].map(|end| Kind::Compact.text(end));
            format!("{} {load} [{low}, {high}]", searched.text())
        }
    };
    let at = (LEFT + font::width(&name, 12.0, true) + 10.0, top + 6.0);
    canvas.text(&text, at, Label::new(12.0).muted().middle());
    let Some(knee) = searched.per_sec() else {
        return;
    };
    let y = top + 16.0;
    let size = (place(knee) - LEFT, BAR);
    canvas.rect((LEFT, y), size, palette::strategy(searched.index));
    if let Some((low, high)) = interval {
        let middle = y + BAR / 2.0;
        let ends = [(place(low.max(0.0)), middle), (place(high), middle)];
        canvas.line(&ends, 1.5, palette::INK);
    }
}

/// The vertical axis of a limit, and where a value lies on it.
fn vertical(all: &[Searched<'_>], at: usize, limit: &KneeLimit) -> (Axis, fn(f64) -> f64) {
    let bound = limit.above.or(limit.below);
    let found = all.iter().flat_map(|searched| searched.found(at)).flatten();
    let values: Vec<f64> = found
        .filter_map(|(_, finding)| finding.value)
        .chain(bound)
        .collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    if limit.metric.contains("response_ms") {
        let log: fn(f64) -> f64 = |ms| ms.max(LEAST_MS).log10();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let (least, most) = (least.max(LEAST_MS) / 1.3, most.max(LEAST_MS) * 1.3);
        return (Axis::log10(least, most, tick_ms), log);
    }
    match limit.metric.ends_with("_fraction") {
        true => (Axis::share(), |share| share),
        false => (Axis::from_zero(most, 5), |value| value),
    }
}

fn draw_panel(
    canvas: &Canvas,
    all: &[Searched<'_>],
    (at, limit): (usize, &KneeLimit),
    corner: (f64, f64),
    x: Axis,
) -> Result<Readout, ChartError> {
    let size = (RIGHT - LEFT, PANEL_HEIGHT);
    let title = quoted(&limit.kept());
    canvas.text(
        &font::fitted(&format!("{title} (dashed)"), size.0, 13.0, true),
        (corner.0, corner.1 - 20.0),
        Label::new(13.0).bold().top(),
    );
    let (y, height) = vertical(all, at, limit);
    let end = x.ticks().last().map_or(1.0, |(load, _)| *load);
    let mut plot = canvas.plot(corner, size, x, y, true)?;
    if let Some(bound) = limit.above.or(limit.below) {
        let line = [(0.0, height(bound)), (end, height(bound))];
        let style = palette::MUTED.stroke_width(units(1.0) as u32);
        let dashes = DashedLineSeries::new(line, units(4.0), units(3.0), style);
        plot.draw_series(dashes).map_err(ChartError::new)?;
    }
    for searched in all {
        if let Some(knee) = searched.per_sec() {
            let (across, _) = on_sheet(&plot, (knee, 0.0));
            let upright = [(across, corner.1), (across, corner.1 + size.1)];
            let paint = Paint {
                colour: palette::strategy(searched.index),
                opacity: 0.45,
            };
            canvas.line(&upright, 1.0, paint);
        }
    }
    let kind = kind(limit);
    let mut readings = Vec::new();
    // The first of the file on top.
    for searched in all.iter().rev() {
        for found in searched.found(at) {
            let points = draw_runs(canvas, &plot, searched.index, &found, height);
            for ((x, y), (per_sec, finding)) in points.into_iter().zip(found) {
                let name = finding::name(searched.strategy);
                readings.push(Reading {
                    x,
                    y: Some(y),
                    label: format!("{name} at {}", number::grouped(per_sec.round() as u64)),
                    values: vec![written(finding, kind)],
                });
            }
        }
    }
    readings.sort_by(|a, b| a.x.total_cmp(&b.x));
    let readings = Readings {
        along: format!(
            "offered {}, a run each",
            all.first().map_or("load", |it| load(it.knee))
        ),
        names: vec![title.clone()],
        readings,
    };
    let frame = Area {
        left: corner.0,
        top: corner.1,
        width: size.0,
        height: size.1,
    };
    Ok(Readout::along(title, frame, readings))
}

fn kind(limit: &KneeLimit) -> Kind {
    match () {
        () if limit.metric.contains("response_ms") => Kind::Millis,
        () if limit.metric.ends_with("_fraction") => Kind::Percent,
        () => Kind::Compact,
    }
}

/// What a run found.
fn written(finding: KneeFinding, kind: Kind) -> String {
    let text = finding
        .value
        .map_or(number::UNDEFINED.to_owned(), |value| kind.text(value));
    match finding.censored {
        true => format!(">\u{a0}{text}"),
        false => text,
    }
}

/// The runs of a replicate; where they lie.
fn draw_runs(
    canvas: &Canvas,
    plot: &Plot<'_>,
    index: usize,
    found: &[(f64, KneeFinding)],
    height: fn(f64) -> f64,
) -> Vec<(f64, f64)> {
    let colour = palette::strategy(index);
    let points: Vec<(f64, f64)> = found
        .iter()
        .map(|(per_sec, finding)| {
            let value = height(finding.value.unwrap_or(0.0));
            on_sheet(plot, (*per_sec, value))
        })
        .collect();
    let faint = Paint {
        colour,
        opacity: 0.5,
    };
    canvas.line(&points, 1.25, faint);
    for (at, (_, finding)) in points.iter().zip(found) {
        let edge = finding.censored.then_some(1.25);
        canvas.circle(*at, DOT, colour, edge);
    }
    points
}
