//! Chart 7: what spreading the writes costs the reads. A panel a read, a mark a strategy: left is even, low is cheap. A label beside a mark
//! has its name, and below it what the price is made of.

use super::prelude::*;
use crate::experiment::ReadResult;
use crate::metrics::Side;
use crate::report::tables;

/// Times faster than this are drawn there: a log axis has no 0.
const LEAST: f64 = 1e-3;
/// Radius of a mark.
const MARK: f64 = 5.5;
/// How much wider a mark is that lies below another one.
const RING: f64 = 3.5;
/// Marks nearer than this hide each other.
const ON_EACH_OTHER: f64 = 6.0;
/// How far below the edge the mark of a strategy lies of which no read completed.
const EDGE: f64 = 22.0;
const LABEL_SIZE: f64 = 11.0;
/// Distance of the lines of a label.
const LABEL_STEP: f64 = 13.0;
/// Strategies whose labels have a second line with the calls.
const MOST_LONG_LABELS: usize = 8;

/// One strategy in one panel.
struct Mark<'a> {
    entry: Entry<'a>,
    /// What its read pays.
    read: &'a ReadResult,
    /// Peak-to-mean of the writes.
    skew: f64,
    /// p99 in milliseconds, or rows or cells read; infinite where no read completed.
    price: f64,
    /// The price is a lower bound.
    censored: bool,
}

impl<'a> Mark<'a> {
    /// `None` without a price or a skew.
    fn of(entry: Entry<'a>, name: &str, timed: bool) -> Option<Self> {
        let strategy = entry.strategy;
        let read = strategy.reads.iter().find(|read| read.name == name)?;
        let measure = read.number(match timed {
            true => MetricId::ReadResponse.at(Part::P99),
            false => MetricId::CellsPlanned.whole(),
        })?;
        let skew = metric::value(strategy, MetricId::ServerPeakToMean);
        let nothing = timed && read.counts.completed == 0 && read.counts.offered > 0;
        let price = measure.merged.or(measure.mean).filter(|_| !nothing);
        Some(Self {
            entry,
            read,
            skew: skew.filter(|_| !metric::is_of_reads(strategy))?,
            price: price.or(nothing.then_some(f64::INFINITY))?,
            censored: measure.censored || nothing,
        })
    }

    /// Whether it is as good as another one in both and better in one; a lower bound is shown to be as cheap as nothing.
    fn beats(&self, other: &Self) -> bool {
        let (mine, its) = ((self.skew, self.price), (other.skew, other.price));
        !self.censored && mine.0 <= its.0 && mine.1 <= its.1 && mine != its
    }
}

/// One read's panel.
struct Panel<'a> {
    /// Its read.
    name: &'a str,
    /// The read was issued: the price is its p99; else the rows or cells that it reads.
    timed: bool,
    /// In file order.
    marks: Vec<Mark<'a>>,
    /// Strategies without a price or a skew.
    missing: Vec<String>,
}

impl<'a> Panel<'a> {
    /// The panel of the read called `name`.
    fn of(results: &'a Results, name: &'a str) -> Self {
        let timed = tables::priced(results, name).any(|(_, read)| read.response_ms.is_some());
        let (mut marks, mut missing) = (Vec::new(), Vec::new());
        for entry in Entry::all(results) {
            match Mark::of(entry, name, timed) {
                Some(mark) => marks.push(mark),
                None => missing.push(entry.name()),
            }
        }
        Self {
            name,
            timed,
            marks,
            missing,
        }
    }

    /// What is read of a planned read.
    fn unit(&self) -> &'static str {
        match self.marks.iter().any(|mark| mark.read.cells.is_some()) {
            true => "cells",
            false => "rows",
        }
    }

    /// The price of a mark in words.
    fn price(&self, mark: &Mark<'_>) -> String {
        let text = match self.timed {
            true if mark.price.is_infinite() => return "nothing completed".to_owned(),
            true => Millis.text(mark.price),
            false => match (Compact.text(mark.price), self.unit()) {
                (one, units) if one == "1" => format!("1\u{a0}{}", units.trim_end_matches('s')),
                (number, units) => format!("{number}\u{a0}{units}"),
            },
        };
        match mark.censored {
            true => format!("more than {text}"),
            false => text,
        }
    }

    /// Where the measured price of a mark stands among the metrics.
    fn path(&self, mark: &Mark<'_>) -> MetricPath {
        let mut reads = mark.entry.strategy.reads.iter();
        let at = reads.position(|read| read.name == self.name).unwrap_or(0);
        MetricId::ReadResponse.at(Part::P99).of_one(Side::Read, at)
    }

    /// The mark with the least `value`; of equals, the first in the file.
    fn least(&self, value: impl Fn(&Mark<'a>) -> (f64, f64)) -> Option<&Mark<'a>> {
        let marks = self.marks.iter();
        marks.reduce(|best, mark| match value(mark) < value(best) {
            true => mark,
            false => best,
        })
    }

    /// Whether no other strategy is as good in both and better in one. Where a price is a lower bound, nobody knows.
    fn is_on_front(&self, mark: &Mark<'_>) -> bool {
        !mark.censored && !self.marks.iter().any(|other| other.beats(mark))
    }

    fn axes(&self) -> (Axis, Axis) {
        let skews = self.marks.iter().map(|mark| mark.skew);
        let most = skews.fold(2.0, f64::max);
        let times = |value| format!("{}×", number::trimmed(value, 2));
        let x = Axis::log10(0.9, most * 1.15, times);
        let prices = self.marks.iter().map(|mark| mark.price.max(LEAST));
        let prices: Vec<f64> = prices.filter(|price| price.is_finite()).collect();
        let (low, high) = match prices.is_empty() {
            true => (1.0, 1.0),
            false => extent(prices),
        };
        // At least most of a decade, and some room for labels above and below.
        let middle = (low * high).sqrt();
        let span = (high / low).max(6.0).sqrt() * (high / low).powf(0.06) * 1.5;
        let label = if self.timed { tick_ms } else { number::tick };
        (x, Axis::log10(middle / span, middle * span, label))
    }

    fn draw(&self, sheet: &mut Drawing, area: Area) {
        panel_title(sheet, &area, 22.0, self.name);
        let (x, y) = self.axes();
        let plot = Plot::new(sheet, area, x, y);
        let log = |value: f64| value.max(LEAST).log10();
        let places = self.marks.iter();
        let places = places.map(|mark| match mark.price.is_finite() {
            true => plot.at((log(mark.skew), log(mark.price))),
            // At the edge, with room for its arrow.
            false => (plot.at((log(mark.skew), 0.0)).0, area.top + EDGE),
        });
        let at: Vec<Point> = places.collect();
        let (left, top) = (area.left + 3.0, area.top + 2.0);
        let bounds = Area::new(left, top, area.width - 4.0, area.height - 4.0);
        let ranks = ranks(&at);
        let mut taken = self.draw_front(sheet, &at, bounds);
        taken.extend(self.spaces(&at, &ranks));
        let label = |mark| self.label(mark, bounds.width * 0.6);
        let labels: Vec<MarkLabel> = self.marks.iter().map(label).collect();
        let sizes: Vec<(f64, f64)> = labels.iter().map(size).collect();
        let found = place(&at, &sizes, &taken, bounds);
        for (at, place) in at.iter().zip(&found) {
            if let Some(end) = place.and_then(|place| place.leader) {
                sheet.line(&[*at, end], 0.75, AXIS);
            }
        }
        self.draw_marks(sheet, &at, &ranks);
        for ((at, label), place) in at.iter().zip(&labels).zip(&found) {
            if let Some(place) = place {
                draw_label(sheet, label, *at, place.area);
            }
        }
        let price = match self.timed {
            true => "p99 response time".to_owned(),
            false => format!("{} read (planned, not issued)", self.unit()),
        };
        plot.name_beside(&price, area.left - 69.0);
        plot.name_below("writes of the hottest server ÷ mean", 27.0);
        if !self.missing.is_empty() {
            let text = format!("without a number: {}", self.missing.join(", "));
            let text = fitted(&text, area.width, 10.5, false);
            let at = (area.left, area.bottom() + 44.0);
            sheet.text(&text, at, muted(10.5).top());
        }
        self.read_off(sheet, area, &at);
    }

    /// The border between what some strategy reaches and what none does; returns the space that it takes.
    fn draw_front(&self, sheet: &Sheet, at: &[Point], bounds: Area) -> Vec<Area> {
        let marks = self.marks.iter().zip(at);
        let on_front = marks.filter(|(mark, _)| self.is_on_front(mark));
        let mut front: Vec<Point> = on_front.map(|(_, at)| *at).collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(first), Some(last)) = (front.first(), front.last()) else {
            return Vec::new();
        };
        let mut line = vec![(first.0, bounds.top)];
        for pair in front.windows(2) {
            line.extend([pair[0], (pair[1].0, pair[0].1)]);
        }
        line.extend([*last, (bounds.right(), last.1)]);
        sheet.line(&line, 1.25, AXIS);
        let taken = line.windows(2).map(|ends| {
            let ((x, y), (u, v)) = (ends[0], ends[1]);
            Area::new(x.min(u), y.min(v), (x - u).abs(), (y - v).abs()).grown(1.0, 1.0)
        });
        taken.collect()
    }

    fn draw_marks(&self, sheet: &Sheet, at: &[Point], ranks: &[usize]) {
        // The first of the file on top.
        let marks = self.marks.iter().zip(at).zip(ranks);
        for ((mark, &(x, y)), &rank) in marks.rev() {
            let colour = mark.entry.colour();
            if mark.censored {
                sheet.line(&[(x, y), (x, y - 14.0)], 1.5, colour);
                let tip = [(x - 4.0, y - 12.0), (x, y - 18.0), (x + 4.0, y - 12.0)];
                sheet.polygon(&tip, colour);
            }
            // A rim keeps marks on each other apart.
            sheet.disc((x, y), radius(rank) + 1.0, PAPER);
            match self.is_on_front(mark) {
                true => sheet.disc((x, y), radius(rank), colour),
                false => sheet.ring((x, y), radius(rank) - 0.9, 1.75, colour),
            }
        }
    }

    /// What marks take beyond the space of every mark: arrows, and rings around others.
    fn spaces(&self, at: &[Point], ranks: &[usize]) -> Vec<Area> {
        let arrows = self.marks.iter().zip(at).filter(|(mark, _)| mark.censored);
        let arrows = arrows.map(|(_, (x, y))| Area::new(x - 5.0, y - 20.0, 10.0, 20.0));
        let rings = at.iter().zip(ranks).filter(|(_, rank)| **rank > 0);
        let rings = rings.map(|(at, rank)| Area::around(*at, radius(*rank) + 1.5));
        arrows.chain(rings).collect()
    }

    /// The name of a mark in one line or two, and, unless there are too many labels, what its price is made of below it.
    fn label(&self, mark: &Mark<'_>, room: f64) -> MarkLabel {
        let (lines, calls) = match self.marks.len() <= MOST_LONG_LABELS {
            true => (2, self.calls(mark)),
            false => (1, String::new()),
        };
        let style = bold(LABEL_SIZE);
        let names = balanced(&mark.entry.name(), room, LABEL_SIZE, true, lines).into_iter();
        let calls = Some(fitted(&calls, room, 10.0, false)).filter(|it| !it.is_empty());
        let calls = calls.map(|calls| (calls, muted(10.0)));
        names.map(|line| (line, style)).chain(calls).collect()
    }

    /// What a read asks for: `16 calls, fan-out-scan`; of a planned one the calls are its only cost beside the rows.
    fn calls(&self, mark: &Mark<'_>) -> String {
        let calls = mark.read.calls_planned.mean.map(|calls| {
            let text = Compact.text(calls);
            let word = if text == "1" { "call" } else { "calls" };
            format!("{text}\u{a0}{word}")
        });
        let bound = self.price(mark).replace("more than ", ">\u{a0}");
        let bound = mark.censored.then_some(bound);
        let parts = [bound, calls, mark.read.path.clone()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// The numbers of each mark.
    fn read_off(&self, sheet: &mut Drawing, area: Area, at: &[Point]) {
        let marks = self.marks.iter().zip(at);
        let readings = marks.map(|(mark, at)| {
            let values = [
                Ratio.text(mark.skew),
                self.price(mark),
                mark.read.path.clone().unwrap_or_default(),
                Compact.measure(&mark.read.calls_planned),
                Compact.measure(&mark.read.rows_planned),
            ];
            Reading::of_mark(*at, mark.entry.name(), values)
        });
        let price = if self.timed { "p99" } else { "planned" };
        let names = [
            "hottest ÷ mean of the writes",
            price,
            "path",
            "calls",
            "rows read",
        ];
        let names = names.map(str::to_owned);
        sheet.read_off(self.name, area, "strategy", names, readings);
    }
}

/// How many earlier marks of the file each lies on: it is drawn as a wider ring around them.
fn ranks(at: &[Point]) -> Vec<usize> {
    let mut ranks: Vec<usize> = Vec::new();
    for (index, (x, y)) in at.iter().enumerate() {
        let below = at[..index].iter().zip(&ranks);
        let near = below.filter(|((u, v), _)| (u - x).hypot(v - y) < ON_EACH_OTHER);
        let rank = near.map(|(_, rank)| rank + 1).max();
        ranks.push(rank.unwrap_or(0));
    }
    ranks
}

fn radius(rank: usize) -> f64 {
    MARK + rank as f64 * RING
}

/// The lines beside a mark.
type MarkLabel = Vec<(String, Label)>;

fn size(label: &MarkLabel) -> (f64, f64) {
    let wide = |(line, style): &(String, Label)| width(line, style.size, style.bold);
    let widest = label.iter().map(wide).fold(0.0, f64::max);
    (widest + 2.0, label.len() as f64 * LABEL_STEP + 1.0)
}

/// Draws a label in `area`, on the side of its mark.
fn draw_label(sheet: &Sheet, label: &MarkLabel, mark: Point, area: Area) {
    let is_left = area.right() <= mark.0;
    let x = match is_left {
        true => area.right() - 1.0,
        false => area.left + 1.0,
    };
    let mut y = area.top + LABEL_STEP / 2.0 + 0.5;
    for (line, style) in label {
        let style = if is_left { style.right() } else { *style };
        sheet.text(line, (x, y), style.middle());
        y += LABEL_STEP;
    }
}

/// The chart; `None` with fewer than two strategies in every panel, or without reads or writes.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let panels = tables::read_names(results).map(|name| Panel::of(results, name));
    let panels: Vec<Panel<'_>> = panels.filter(|it| it.marks.len() >= 2).collect();
    if panels.is_empty() {
        return None;
    }
    let grid = Grid {
        viewport,
        columns: panels.len().min(2),
        top: viewport.top() + 18.0,
        left: 74.0,
        right: viewport.pick(0.0, 12.0),
        head: 24.0,
        height: 270.0,
        foot: 66.0,
        gap: 16.0,
    };
    let mut subtitle =
        "Left: writes are even · low: the read is cheap · filled: no other key is better in both (Pareto front)".to_owned();
    let mut marks = panels.iter().flat_map(|panel| &panel.marks);
    if marks.any(|mark| mark.censored) {
        subtitle +=
            " · arrow: failed or unfinished, a lower bound (at the edge: nothing completed)";
    }
    let bottom = grid.bottom(panels.len());
    let (kind, title) = (ChartKind::TradeOff, title(&panels));
    let mut sheet = Drawing::new(viewport, kind, title, &subtitle, bottom);
    for (at, panel) in panels.iter().enumerate() {
        panel.draw(&mut sheet, grid.area(at));
    }
    Some(sheet.finish())
}

/// What the evenest writes cost the reads: of the read that pays most for it, relative to what it could have. Says of nothing that it is the evenest,
/// or the cheapest, that the replicates don't show to be it.
fn title(panels: &[Panel<'_>]) -> String {
    const SKEW: MetricPath = MetricId::ServerPeakToMean.whole();
    let ends = panels.iter().filter_map(|panel| {
        let even = panel.least(|mark| (mark.skew, mark.price))?;
        Some((panel, even, panel.least(|mark| (mark.price, mark.skew))?))
    });
    let ends: Vec<(&Panel<'_>, &Mark<'_>, &Mark<'_>)> = ends.collect();
    let above = |most: &Mark<'_>, least: &Mark<'_>, path| {
        is_shown_above(most.entry.strategy, least.entry.strategy, path)
    };
    // What is planned only is the same in every run.
    let dearer = |panel: &Panel<'_>, most: &Mark<'_>, least: &Mark<'_>| match panel.timed {
        true => above(most, least, panel.path(most)),
        false => most.price > least.price,
    };
    let paid = ends.iter().filter(|(panel, even, cheap)| {
        let is_cheap = cheap.price <= 0.0 || even.price <= cheap.price * ALIKE_WITHIN;
        let is_shown = above(cheap, even, SKEW) && dearer(panel, even, cheap);
        even.price.is_finite() && !is_cheap && is_shown
    });
    let paid = paid.map(|it| (it.1.price / it.2.price, it));
    let dearest = paid.reduce(|most, it| if it.0 > most.0 { it } else { most });
    if let Some((_, (panel, even, cheap))) = dearest {
        let [best, cheapest] = [even, cheap].map(|mark| name(mark.entry.strategy));
        let [dear, low] = [even, cheap].map(|mark| panel.price(mark));
        let name = panel.name;
        return format!("`{name}` costs {dear} with even writes ({best}), {low} with {cheapest}");
    }
    let is_best = |(panel, even, cheap): &(&Panel<'_>, &Mark<'_>, &Mark<'_>)| {
        let mut others = panel
            .marks
            .iter()
            .filter(|it| it.entry.index != even.entry.index);
        even.entry.index == cheap.entry.index
            && others.all(|it| above(it, even, SKEW) && dearer(panel, it, even))
    };
    match ends.first() {
        Some((_, even, _)) if ends.iter().all(is_best) => {
            let reads = match panels {
                [only] => format!("the cheapest `{}`", only.name),
                _ => "the cheapest reads".to_owned(),
            };
            let strategy = name(even.entry.strategy);
            format!("{strategy} has the evenest writes and {reads}")
        }
        _ => "What even writes cost the reads".to_owned(),
    }
}
