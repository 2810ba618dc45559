//! Chart 7: what spreading the writes costs the reads. A panel a read, a mark a strategy: left is even, low is cheap.

mod labels;
mod panel;

use super::prelude::*;
use crate::report::tables;
use panel::{Mark, Panel};

/// Times faster than this are drawn there: a log axis has no 0.
const LEAST: f64 = 1e-3;
/// Radius of a mark.
const MARK: f64 = 5.5;
/// How much wider a mark is that lies below another one.
const RING: f64 = 3.5;
/// Marks nearer than this hide each other.
const ON_EACH_OTHER: f64 = 6.0;

/// The chart; `None` with fewer than two strategies in every panel, or without reads or writes.
pub fn draw(results: &Results) -> Option<Chart> {
    let panels: Vec<Panel<'_>> = tables::read_names(results)
        .map(|name| Panel::of(results, name))
        .filter(|panel| panel.marks.len() >= 2)
        .collect();
    if panels.is_empty() {
        return None;
    }
    let grid = Grid {
        columns: panels.len().min(2),
        top: 84.0,
        left: 74.0,
        right: 0.0,
        head: 24.0,
        height: 270.0,
        foot: 66.0,
        gap: 16.0,
    };
    let title = title(&panels);
    let sheet = sheet(grid.bottom(panels.len()), &title, &subtitle(&panels));
    let data = panels.iter().enumerate();
    let data = data.map(|(at, panel)| draw_panel(&sheet, panel, grid.area(at)));
    let data = data.collect();
    Some(Chart::new(ChartKind::TradeOff, title, &sheet, data))
}

fn subtitle(panels: &[Panel<'_>]) -> String {
    let mut subtitle =
        "Left: writes are even · low: the read is cheap · filled: no other key is better in both (Pareto front)".to_owned();
    if panels
        .iter()
        .flat_map(|panel| &panel.marks)
        .any(|mark| mark.censored)
    {
        subtitle += " · arrow: failed or unfinished, a lower bound";
    }
    subtitle
}

fn draw_panel(sheet: &Sheet, panel: &Panel<'_>, area: Area) -> ChartData {
    let name = fitted(panel.name, area.width, 13.0, true);
    let at = (area.left, area.top - 22.0);
    sheet.text(&name, at, bold(13.0).top());
    let (x, y) = axes(panel);
    let plot = Plot::new(sheet, area, x, y);
    let log = |value: f64| value.max(LEAST).log10();
    let marks = panel.marks.iter();
    let at: Vec<Point> = marks
        .map(|mark| plot.at((log(mark.skew), log(mark.price))))
        .collect();
    let bounds = Area::new(
        area.left + 3.0,
        area.top + 2.0,
        area.width - 4.0,
        area.height - 4.0,
    );
    let ranks = ranks(&at);
    let mut taken = draw_front(sheet, panel, &at, bounds);
    taken.extend(spaces(panel, &at, &ranks));
    let labels = labels::place_labels(panel, &at, &taken, bounds);
    for (at, label) in at.iter().zip(&labels) {
        if let Some(end) = label.place.and_then(|place| place.leader) {
            sheet.line(&[*at, end], 0.75, AXIS);
        }
    }
    draw_marks(sheet, panel, &at, &ranks);
    for ((mark, at), label) in panel.marks.iter().zip(&at).zip(&labels) {
        label.draw(sheet, *at, mark.entry.text_colour());
    }
    let price = match panel.timed {
        true => "p99 response time",
        false => "rows read (planned, not issued)",
    };
    plot.name_beside(price, area.left - 69.0);
    plot.name_below("writes of the hottest server ÷ mean", 27.0);
    if !panel.missing.is_empty() {
        let names: Vec<String> = panel.missing.iter().map(|entry| entry.name()).collect();
        let text = format!("without a number: {}", names.join(", "));
        let text = fitted(&text, area.width, 10.5, false);
        let at = (area.left, area.bottom() + 44.0);
        sheet.text(&text, at, muted(10.5).top());
    }
    data(panel, &at, area)
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
    let times = |value| format!("{}×", number::trimmed(value, 2));
    let x = Axis::log10(0.9, most.max(2.0) * 1.15, times);
    let (low, high) = range(|mark| mark.price);
    // At least most of a decade, and some room for labels above and below.
    let middle = (low * high).sqrt();
    let span = (high / low).max(6.0).sqrt() * (high / low).powf(0.06) * 1.5;
    let label = if panel.timed { tick_ms } else { number::tick };
    (x, Axis::log10(middle / span, middle * span, label))
}

/// The border between what some strategy reaches and what none does; returns the space that it takes.
fn draw_front(sheet: &Sheet, panel: &Panel<'_>, at: &[Point], bounds: Area) -> Vec<Area> {
    let marks = panel.marks.iter().zip(at);
    let on_front = marks.filter(|(mark, _)| mark.on_front);
    let mut front: Vec<Point> = on_front.map(|(_, at)| *at).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(last)) = (front.first().copied(), front.last().copied()) else {
        return Vec::new();
    };
    let mut line = vec![(first.0, bounds.top)];
    for pair in front.windows(2) {
        line.extend([pair[0], (pair[1].0, pair[0].1)]);
    }
    line.extend([last, (bounds.right(), last.1)]);
    sheet.line(&line, 1.25, AXIS);
    let taken = line.windows(2).map(|ends| {
        let ((x, y), (u, v)) = (ends[0], ends[1]);
        Area::new(x.min(u), y.min(v), (x - u).abs(), (y - v).abs()).grown(1.0, 1.0)
    });
    taken.collect()
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

fn draw_marks(sheet: &Sheet, panel: &Panel<'_>, at: &[Point], ranks: &[usize]) {
    // The first of the file on top.
    let marks = panel.marks.iter().zip(at).zip(ranks);
    for ((mark, &(x, y)), &rank) in marks.rev() {
        let colour = mark.entry.colour();
        if mark.censored {
            sheet.line(&[(x, y), (x, y - 14.0)], 1.5, colour);
            let tip = [(x - 4.0, y - 12.0), (x, y - 18.0), (x + 4.0, y - 12.0)];
            sheet.polygon(&tip, colour);
        }
        // A rim keeps marks on each other apart.
        sheet.disc((x, y), radius(rank) + 1.0, PAPER);
        match mark.on_front {
            true => sheet.disc((x, y), radius(rank), colour),
            false => sheet.ring((x, y), radius(rank) - 0.9, 1.75, colour),
        }
    }
}

/// What marks take beyond the space of every mark: arrows, and rings around others.
fn spaces(panel: &Panel<'_>, at: &[Point], ranks: &[usize]) -> Vec<Area> {
    let arrows = panel.marks.iter().zip(at).filter(|(mark, _)| mark.censored);
    let arrows = arrows.map(|(_, (x, y))| Area::new(x - 5.0, y - 20.0, 10.0, 20.0));
    let rings = at.iter().zip(ranks).filter(|(_, rank)| **rank > 0);
    let rings = rings.map(|(at, rank)| Area::around(*at, radius(*rank) + 1.5));
    arrows.chain(rings).collect()
}

/// The numbers of each mark, from left to right.
fn data(panel: &Panel<'_>, at: &[Point], area: Area) -> ChartData {
    let mut marks: Vec<(&Mark<'_>, &Point)> = panel.marks.iter().zip(at).collect();
    marks.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
    let points = marks.into_iter().map(|(mark, at)| {
        let values = [
            NumberFormat::Ratio.text(mark.skew),
            panel.price(mark),
            mark.read.path.clone().unwrap_or_default(),
            NumberFormat::Compact.measure(&mark.read.calls_planned),
            NumberFormat::Compact.measure(&mark.read.rows_planned),
        ];
        DataPoint::mark(*at, mark.entry.name(), values)
    });
    let price = if panel.timed { "p99" } else { "planned" };
    let names = [
        "hottest ÷ mean of the writes",
        price,
        "path",
        "calls",
        "rows read",
    ];
    ChartData::along(panel.name, area, DataSeries::new("strategy", names, points))
}

/// What the evenest writes cost the reads.
fn title(panels: &[Panel<'_>]) -> String {
    // The read that pays most for it, relative to what it could have.
    let mut dearest: Option<(f64, String)> = None;
    let mut evenest = None;
    for panel in panels {
        let (Some(even), Some(cheap)) = (
            panel.least(|mark| (mark.skew, mark.price)),
            panel.least(|mark| (mark.price, mark.skew)),
        ) else {
            continue;
        };
        let name = |mark: &Mark<'_>| quoted_name(mark.entry.strategy);
        evenest.get_or_insert_with(|| name(even));
        let times = even.price / cheap.price;
        let is_cheap = cheap.price <= 0.0 || even.price <= cheap.price * ALIKE_WITHIN;
        if even.entry.index == cheap.entry.index || is_cheap {
            continue;
        }
        if dearest.as_ref().is_none_or(|(most, _)| times > *most) {
            let [dear, low] = [even, cheap].map(|mark| panel.price(mark));
            let text = format!(
                "`{}` costs {dear} with the evenest writes ({}), {low} with {}",
                panel.name,
                name(even),
                name(cheap)
            );
            dearest = Some((times, text));
        }
    }
    let reads = match panels {
        [only] => format!("the cheapest `{}`", only.name),
        _ => "the cheapest reads".to_owned(),
    };
    match (dearest, evenest) {
        (Some((_, text)), _) => text,
        (None, Some(name)) => format!("{name} has the evenest writes and {reads}"),
        (None, None) => "What spreading the writes costs the reads".to_owned(),
    }
}
