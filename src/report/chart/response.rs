//! Chart 4: response time by percentile, log nines against log milliseconds, every strategy labelled directly.

use super::prelude::*;

const HEIGHT: f64 = 400.0;
/// Room for labels right of the plot, with a leader from the end of the line to each.
const ROOM: f64 = 210.0;
/// Left of a label: its leader.
const BEFORE: f64 = 30.0;
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
/// Width of a strategy's line.
const LINE: f64 = 2.0;

struct Line<'a> {
    entry: Entry<'a>,
    /// (log10 of 1 / (1 - quantile), log10 of milliseconds), ascending; at least one.
    points: Vec<(f64, f64)>,
    /// From here on the points are lower bounds.
    censored_from: Option<f64>,
    max: Option<f64>,
}

impl<'a> Line<'a> {
    fn of(entry: Entry<'a>) -> Option<Self> {
        let curve = &entry.strategy.response_curve;
        let usable = |(quantile, ms): &&(f64, f64)| (0.0..1.0).contains(quantile) && ms.is_finite();
        let points = curve.points.iter().filter(usable);
        let points = points.map(|(quantile, ms)| (nines(*quantile), log_ms(*ms)));
        let mut points: Vec<(f64, f64)> = points.collect();
        // The fastest of all say nothing, and a log axis would give them half of its height.
        let first = points.partition_point(|(x, _)| *x < FIRST_NINES);
        points.drain(..first.min(points.len().checked_sub(1)?));
        // A few operations that had just started when the run ended are no bound worth drawing: dashes begin where the percentiles of
        // the tables do.
        let censored_from = curve.censored_from.and_then(|quantile| {
            let from = nines(quantile.clamp(0.0, 1.0 - 1e-12));
            Some(from.max(last_measured(entry.strategy)?))
        });
        let max = curve.max_ms.filter(|ms| ms.is_finite()).map(log_ms);
        Some(Self {
            entry,
            points,
            censored_from,
            max,
        })
    }

    /// The measured part of `points` (its own, or those of a line that it lies on) and the part that is a lower bound, sharing the
    /// point where they meet.
    fn parts(&self, points: &[(f64, f64)]) -> [Vec<(f64, f64)>; 2] {
        let Some(from) = self.censored_from else {
            return [points.to_vec(), Vec::new()];
        };
        let split = points.partition_point(|(x, _)| *x < from);
        let (mut measured, mut bound) = (points[..split].to_vec(), points[split..].to_vec());
        if let (Some(&(x, y)), Some(&(right, up))) = (measured.last(), bound.first()) {
            let border = (from, y + (up - y) * (from - x) / (right - x));
            measured.push(border);
            bound.insert(0, border);
        }
        [measured, bound]
    }

    fn end(&self) -> (f64, f64) {
        self.points[self.points.len() - 1]
    }

    /// Whether what is drawn at so many nines is a lower bound.
    fn is_bound(&self, nines: f64) -> bool {
        self.censored_from.is_some_and(|from| nines >= from)
    }
}

/// The highest percentile of the tables that is not a lower bound; `None` when none is one.
fn last_measured(strategy: &StrategyResult) -> Option<f64> {
    let parts = [Part::P50, Part::P90, Part::P99, Part::P999];
    let nines_before = [0.0, 2f64.log10(), 1.0, 2.0];
    let measure = |part: &Part| metric::measure(strategy, path(*part));
    let is_bound = |part: &Part| measure(part).is_some_and(|measure| measure.censored);
    Some(nines_before[parts.iter().position(is_bound)?])
}

fn path(part: Part) -> MetricPath {
    MetricId::WriteResponse.at(part)
}

/// Number of nines of a quantile: 0.999 is 3.
fn nines(quantile: f64) -> f64 {
    -(1.0 - quantile).log10()
}

fn log_ms(ms: f64) -> f64 {
    ms.max(LEAST_MS).log10()
}

/// The chart; `None` when no strategy answered anything.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let lines: Vec<Line<'_>> = Entry::all(results).filter_map(Line::of).collect();
    if lines.is_empty() {
        return None;
    }
    let labels = Labels::of(&lines);
    let legend = Legend::of(lines.iter().map(|line| line.entry), viewport.room());
    let height = HEIGHT.max(lines.len() as f64 * labels.gap + 20.0);
    let (height, below) = viewport.pick((height, 0.0), (300.0, 26.0 + legend.more));
    let (left, top) = (viewport.left() + 62.0, viewport.top() + 18.0);
    let right = viewport.right() - viewport.pick(BEFORE + ROOM, 14.0);
    let area = Area::new(left, top, right - left, height);
    let (kind, bottom) = (ChartKind::ResponseTime, area.bottom());
    let (title, whole) = (title(results), bottom + 62.0 + below);
    let mut sheet = Drawing::new(viewport, kind, title, &subtitle(&lines), whole);
    let (x, y) = axes(&lines);
    let last = x.last_tick();
    let mut plot = Plot::new(&sheet, area, x, y);
    // Grey first, and the first of the file on top.
    let order: Vec<&Line<'_>> = lines.iter().rev().collect();
    let whole: Vec<Points> = order.iter().map(|it| plot.all_at(&it.points)).collect();
    let turns = turns(&whole);
    let mut bounds = Vec::new();
    for (line, turn) in order.iter().zip(&turns) {
        let colour = line.entry.colour();
        let [measured, bound] = line.parts(&order[turn.along].points);
        striped(&sheet, &plot.all_at(&measured), *turn, LINE, colour);
        match turn.of > 1 {
            true => striped(&sheet, &plot.all_at(&bound), turn.dashed(), LINE, colour),
            false => bounds.push((bound, colour)),
        }
        draw_end(&sheet, &plot, line, last);
    }
    for (bound, colour) in bounds {
        plot.dashes(bound, (5.0, 4.0), LINE, colour);
    }
    match viewport {
        Viewport::Wide => draw_labels(&sheet, &plot, &lines, &labels),
        Viewport::Narrow => legend.draw(&sheet, (viewport.left(), bottom + 74.0)),
    }
    if turns.iter().any(|turn| turn.of > 1) {
        let at = (viewport.right(), bottom + viewport.pick(30.0, 48.0));
        sheet.text(OVERLAP_NOTE, at, muted(10.5).right().top());
    }
    let load = metric::load_name(&results.strategies);
    plot.name_below(&format!("percentile of {load}"), 30.0);
    plot.name_beside("response time", viewport.left() + 5.0);
    let names = lines.iter().map(|line| line.entry.name());
    let readings = readings(&plot, &lines);
    sheet.read_off("", area, "response time, by percentile", names, readings);
    Some(sheet.finish())
}

/// The response time of each strategy at each percentile that is drawn.
fn readings(plot: &Plot, lines: &[Line<'_>]) -> Vec<Reading> {
    let curve = |line: &Line<'_>| line.entry.strategy.response_curve.points.clone();
    let longest = lines.iter().max_by_key(|line| line.points.len());
    let quantiles = longest.map(curve).unwrap_or_default().into_iter();
    let reading = |(quantile, _): (f64, f64)| {
        let places = if quantile < 0.99 { 1 } else { 5 };
        let label = format!("p{}", number::trimmed(quantile * 100.0, places));
        let nines = nines(quantile);
        let value = |line: &Line<'_>| {
            let found = curve(line).into_iter().find(|(at, _)| *at == quantile);
            Millis.bound(found.map(|(_, ms)| ms), line.is_bound(nines))
        };
        Reading::at(plot.at((nines, 0.0)).0, label, lines.iter().map(value))
    };
    let shown = quantiles.filter(|(quantile, _)| nines(*quantile) >= FIRST_NINES);
    shown.map(reading).collect()
}

/// Who is fast and who slow: at the 99th percentile, or at the median when only that tells them apart.
fn title(results: &Results) -> String {
    let ends = |part| extremes(&results.strategies, path(part));
    let load = metric::load_name(&results.strategies);
    let Some((best, worst)) = ends(Part::P99) else {
        return format!("Response time of {load} by percentile");
    };
    let text = |strategy: &StrategyResult, part: Part| in_words(strategy, path(part), Millis);
    let apart = |(best, worst): (&StrategyResult, &StrategyResult), part: Part| {
        let [best, worst] = [best, worst].map(|it| format!("{} with {}", text(it, part), name(it)));
        format!("{} of the {load}: {best}, {worst}", part.name())
    };
    let (p99, longest) = (text(best, Part::P99), text(worst, Part::P99));
    if results.strategies.len() == 1 {
        return format!("{}: the p99 of the {load} is {p99}", name(best));
    }
    if !alike(best, worst, path(Part::P99)) && p99 != longest {
        return apart((best, worst), Part::P99);
    }
    let p99 = range(p99, longest);
    match ends(Part::P50) {
        Some((fast, slow)) if !alike(fast, slow, path(Part::P50)) => {
            format!("{}; p99 of all: {p99}", apart((fast, slow), Part::P50))
        }
        _ => format!("p99 of the {load}: {p99} with every strategy"),
    }
}

fn subtitle(lines: &[Line<'_>]) -> String {
    let is_whole = |it: &Line<'_>| it.max.is_some() && it.censored_from.is_none();
    let maximum = lines.iter().any(is_whole);
    let bound = lines.iter().any(|it| it.censored_from.is_some());
    let parts = [
        Some(
            "From the intended start to the reply, retries included · each step right is ten times rarer",
        ),
        maximum.then_some("circle: maximum"),
        bound.then_some("dashed, ending in an arrow: failed or unfinished, a lower bound"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn axes(lines: &[Line<'_>]) -> (Axis, Axis) {
    let heights = |line| {
        let Line { points, max, .. }: &Line<'_> = line;
        points.iter().map(|point| point.1).chain(*max)
    };
    let (low, high) = extent(lines.iter().flat_map(heights));
    // At least half a decade, so that one value has an axis around it.
    let (low, high) = (low.min(high - 0.5) - 0.05, high + 0.1);
    let y = Axis::log10(10f64.powf(low), 10f64.powf(high), tick_ms);
    let most = lines.iter().map(|line| line.end().0).fold(1.0, f64::max);
    let mut ticks = vec![(0.0, "0".to_owned()), (2f64.log10(), "p50".to_owned())];
    ticks.extend((1..=7).map(|nines| {
        let percent = number::trimmed(100.0 - 10f64.powi(2 - nines), 5);
        (f64::from(nines), format!("p{percent}"))
    }));
    ticks.retain(|(place, _)| *place <= most + 1e-9);
    (Axis::new(0.0..most + BEYOND, ticks), y)
}

/// What ends a line: the arrow of a lower bound, or the maximum, right of the last tick.
fn draw_end(sheet: &Sheet, plot: &Plot, line: &Line<'_>, last: f64) {
    let (colour, end) = (line.entry.colour(), line.end());
    if line.is_bound(end.0) {
        let (x, y) = plot.at(end);
        sheet.line(&[(x, y), (x + 6.0, y - 6.0)], LINE, colour);
        let tip = [(x + 3.0, y - 9.0), (x + 10.0, y - 10.0), (x + 9.0, y - 3.0)];
        sheet.polygon(&tip, colour);
    } else if let Some(max) = line.max {
        let at = plot.at((last.max(end.0) + 0.7 * BEYOND, max));
        sheet.ring(at, 3.2, 1.5, colour);
    }
}

/// How much room the labels take.
struct Labels {
    /// Their names, in the lines that they take.
    names: Vec<Vec<String>>,
    /// Whether there are numbers below.
    long: bool,
    /// Pixels below the middle of the first line.
    below: f64,
    /// Distance of labels.
    gap: f64,
}

impl Labels {
    fn of(lines: &[Line<'_>]) -> Self {
        let long = lines.len() <= MOST_LONG_LABELS;
        let most = 1 + usize::from(lines.len() <= MOST_WRAPPED_LABELS);
        let name = |line: &Line<'_>| balanced(&line.entry.name(), ROOM, 12.0, true, most);
        let names: Vec<Vec<String>> = lines.iter().map(name).collect();
        let longest = names.iter().map(Vec::len).max().unwrap_or(1);
        let below = (longest - usize::from(!long)) as f64 * LABEL_STEP;
        let gap = below + if long { 17.5 } else { 16.0 };
        Self {
            names,
            long,
            below,
            gap,
        }
    }
}

/// Names at the ends of the lines, moved apart, with leaders where that took them away from their line.
fn draw_labels(sheet: &Sheet, plot: &Plot, lines: &[Line<'_>], labels: &Labels) {
    let named = lines.iter().zip(&labels.names);
    let mut ends: Vec<(f64, Entry<'_>, &Vec<String>)> = named
        .map(|(line, name)| (plot.at(line.end()).1, line.entry, name))
        .collect();
    // Stable: equal ends stay in file order.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted: Vec<f64> = ends.iter().map(|(y, ..)| *y).collect();
    let (right, bottom) = (plot.area.right(), plot.area.bottom() - labels.below);
    let left = right + BEFORE;
    let places = spread(&wanted, labels.gap, plot.area.top + 6.0, bottom);
    for ((end, entry, name), y) in ends.into_iter().zip(places) {
        let (out, to) = ([2.0, 10.0], [-12.0, -4.0]);
        let leader = out.map(|x| (right + x, end)).into_iter();
        let leader = leader.chain(to.map(|x| (left + x, y)));
        sheet.line(&leader.collect::<Points>(), 1.25, entry.colour());
        sheet.lines(name, (left, y), LABEL_STEP, bold(12.0).middle());
        if labels.long {
            let text = |part| metric::text(entry.strategy, path(part), Millis);
            let [p50, p99, p999] = [Part::P50, Part::P99, Part::P999].map(text);
            let numbers = format!("p50 {p50} · p99 {p99} · p99.9 {p999}");
            let fits = width(&numbers, 10.5, false) <= ROOM;
            let size = if fits { 10.5 } else { 10.0 };
            let numbers = fitted(&numbers, ROOM + 20.0, size, false);
            let below = y + name.len() as f64 * LABEL_STEP;
            sheet.text(&numbers, (left, below), muted(size).middle());
        }
    }
}
