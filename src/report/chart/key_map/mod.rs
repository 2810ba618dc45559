//! Chart 1, one for each strategy: the key space over time, region by region, coloured by writes relative to an even share, with the servers that
//! own them, and below it the load of each server.

mod event_marks;
mod frame;
mod heat;
mod heat_scale;
mod labels;
mod regions;
mod server_strip;

use super::demand::Demand;
use super::prelude::*;
use crate::experiment::KeyMapBucket;
use crate::metrics::NO_HOTSPOT_BELOW;
use crate::report::document::{Column, Look, Table};
use event_marks::draw_events;
use frame::Frame;
use heat::Heat;
use heat_scale::HeatScale;
use labels::KeyLabels;
use regions::Regions;
use server_strip::ServerStrip;

const GAP: f64 = 8.0;

/// Rows of the table behind the picture.
const HOTTEST: usize = 20;

/// Share of the writes from which one server takes "the" writes.
const NEARLY_ALL: f64 = 0.9;

/// The key maps of all strategies that write; heat in `colours`.
pub fn draw_all(results: &Results, colours: HeatColours, viewport: Viewport) -> Vec<Chart> {
    let scale = HeatScale(colours);
    let strategies = results.strategies.iter();
    // Reads are not counted by key.
    let written = strategies.filter(|strategy| !metric::is_of_reads(strategy));
    let maps = written.map(|it| draw(it, scale, results.duration_s, viewport));
    maps.flatten().collect()
}

/// The key map of one strategy; `None` when it has no series.
fn draw(
    strategy: &StrategyResult,
    scale: HeatScale,
    planned_s: f64,
    viewport: Viewport,
) -> Option<Chart> {
    let demand = Demand::of(strategy, planned_s)?;
    let series = strategy.series.as_ref()?;
    let buckets = series.key_demand.iter().map(Vec::len).max().unwrap_or(0);
    if buckets == 0 {
        return None;
    }
    let shown = &strategy.key_map[..strategy.key_map.len().min(buckets)];
    let regions = Regions::of(strategy, buckets);
    let strip = ServerStrip::of(&demand);
    let from_s = demand.origin_s;
    let cells = &series.key_demand[..demand.drawn().len().min(series.key_demand.len())];
    let (top, height) = (viewport.top() + 38.0, viewport.pick(400.0, 300.0));
    let mut frame = Frame {
        area: Area::new(0.0, top, viewport.width(), height),
        regions: regions.rows(buckets),
        from_s,
        to_s: from_s + cells.len() as f64 * demand.interval_s,
    };
    let edges: Vec<f64> = (0..=buckets).map(|at| frame.y(at as f64)).collect();
    let labels = KeyLabels::of(shown, &edges, viewport);
    // The strip's names, up to `984 others`, need room too.
    frame.area.left = viewport.left() + (16.0 + labels.width()).max(62.0);
    let owners = Regions::owner_width(demand.servers, viewport);
    let totals = viewport.pick(70.0, 40.0);
    let right = viewport.right() - totals - GAP - owners - GAP;
    frame.area.width = right - frame.area.left;
    let (area, left) = (frame.area, frame.area.left);
    let strip_top = area.bottom() + viewport.pick(66.0, 86.0);
    let legend_top = strip_top + strip.height() + 22.0;

    let rows = match regions.are_rows(&frame) {
        true if frame.count() == 1 => "1 region, divided by its keys".to_owned(),
        true => format!(
            "{} regions of equal height, each divided by its keys",
            frame.count()
        ),
        false => {
            let each = number::grouped(regions.count().div_ceil(frame.count()) as u64);
            let count = frame.count();
            format!("{count} sections of {each} regions of equal height, each divided by its keys")
        }
    };
    let share = match regions.are_rows(&frame) && frame.count() < demand.servers {
        true => format!("1/{} of all", demand.servers),
        false => "those of the mean one".to_owned(),
    };
    let load = metric::load_name([strategy]);
    let interval = number::length(demand.interval_s);
    let subtitle = format!("{rows} · bright is hot: {load} in {interval} ÷ {share}");
    let mut axis = "row key (sorted)".to_owned();
    let left_out: Vec<&str> = labels.left_out().collect();
    if !left_out.is_empty() {
        axis += &format!(", … is {}", left_out.join(" and "));
    }
    let (kind, bottom) = (ChartKind::KeyMap, legend_top + viewport.pick(46.0, 80.0));
    let sheet = Drawing::new(viewport, kind, title(strategy, &demand), &subtitle, bottom);
    let mut sheet = sheet.of_strategy(&strategy.name);
    let heat = Heat::of(&frame, &regions, cells, demand.interval_s, demand.servers);
    draw_cells(&sheet, &frame, &heat, scale);
    regions.draw_lines(&sheet, &frame);
    labels.draw(&sheet, &frame);
    let label = muted(11.5).centre().middle().turned();
    let axis = fitted(&axis, height, 11.5, false);
    sheet.text(&axis, (viewport.left() + 5.0, area.middle().1), label);
    let free = draw_warmup(&sheet, &frame, &demand);
    draw_events(&sheet, &frame, &series.events, free);
    draw_time(&sheet, &frame, &demand, metric::is_observed(strategy));
    let owners = Area::new(right + GAP, area.top, owners, area.height);
    regions.draw_owners(&sheet, &frame, owners, demand.servers);
    let totals = Area::new(owners.right() + GAP, area.top, totals, area.height);
    draw_totals(&sheet, totals, frame.count(), &heat, load);
    strip.draw(&sheet, (left, right), strip_top, viewport);
    let left = viewport.pick(left, viewport.left());
    scale.draw_legend(&sheet, (left, legend_top), load);
    let (across, along) = viewport.pick((430.0, 0.0), (44.0, 34.0));
    // Long labels leave less than its 273 pixels.
    let left = (left + across).min(viewport.right() - 280.0);
    strip.draw_legend(&sheet, (left, legend_top + along));
    let intervals = demand.intervals[..cells.len()].iter();
    let cells = Cells {
        keys: shown.iter().map(key).collect(),
        times: intervals.map(|interval| demand.span(interval)).collect(),
        counts: cells.to_vec(),
        edges,
    };
    sheet.read_cells(area, hottest(&cells, load), cells);
    Some(sheet.finish())
}

/// Writes to each bucket.
fn totals(cells: &[Vec<u64>], buckets: usize) -> Vec<u64> {
    let rows = |bucket: usize| {
        cells
            .iter()
            .filter_map(move |interval| interval.get(bucket))
    };
    (0..buckets).map(|bucket| rows(bucket).sum()).collect()
}

/// Of thousands of cells, the buckets that matter.
fn hottest(cells: &Cells, load: &str) -> Table {
    let totals = totals(&cells.counts, cells.keys.len());
    let mut buckets: Vec<(&String, u64)> = cells.keys.iter().zip(totals).collect();
    let all: u64 = buckets.iter().map(|(_, rows)| rows).sum();
    // Stable: equals stay in key order.
    buckets.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    let rows = buckets.iter().take(HOTTEST).filter(|(_, rows)| *rows > 0);
    let rows = rows.map(|(key, rows)| {
        let share = Percent.text(*rows as f64 / all as f64);
        vec![(*key).clone(), number::grouped(*rows), share]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let (shown, keys) = (rows.len(), number::grouped(cells.keys.len() as u64));
    let first = format!("the {shown} hottest of {keys} key buckets, by their first key");
    let columns = [
        Column::named(first, false),
        Column::named(format!("{load} in the run"), true),
        Column::named("share", true),
    ];
    Table::new(columns, rows).with_look(Look::Literal)
}

/// The first key of a bucket with what its segments say.
fn key(bucket: &KeyMapBucket) -> String {
    let start = match bucket.start.as_str() {
        "" => "the least key",
        start => start,
    };
    match bucket.labels.is_empty() {
        true => start.to_owned(),
        false => format!("{start} ({})", bucket.labels.join(" · ")),
    }
}

fn draw_cells(sheet: &Sheet, frame: &Frame, heat: &Heat, scale: HeatScale) {
    let row = |row: usize| heat.cells.iter().map(move |interval| interval[row]);
    let cells = (0..heat.rows).rev().flat_map(row);
    let cells = cells.map(|shares| scale.index(shares)).collect();
    let raster = Raster::new(heat.cells.len(), scale.palette(), cells);
    sheet.image(frame.area, raster);
}

/// A bracket over the warm-up, which measures leave out. Returns where its text ends.
fn draw_warmup(sheet: &Sheet, frame: &Frame, demand: &Demand) -> f64 {
    let (left, top, warmup) = (frame.area.left, frame.area.top, demand.warmup_s());
    if warmup <= 0.0 {
        return left;
    }
    let (end, y) = (frame.x(warmup), top - 5.0);
    sheet.line(&[(left, y), (end, y)], 1.0, AXIS);
    sheet.line(&[(end, y - 4.0), (end, top)], 1.0, AXIS);
    let wide = |text: &str| width(text, 10.5, false);
    let texts = ["warm-up, not measured", "warm-up"];
    let fits = wide(texts[0]) < end - left - 4.0;
    let text = texts[usize::from(!fits)];
    sheet.text(text, (left, y - 4.0), muted(10.5));
    end.max(left + wide(text)) + 8.0
}

/// The time axis under the map.
fn draw_time(sheet: &Sheet, frame: &Frame, demand: &Demand, is_observed: bool) {
    let bottom = frame.area.bottom();
    let axis = Axis::time(demand.length_s().min(frame.to_s), 10);
    let axis = axis.readable_in(frame.area.width);
    let label = |size| muted(size).centre().top();
    for (value, text) in &axis.ticks {
        let x = frame.x(*value);
        sheet.line(&[(x, bottom), (x, bottom + 4.0)], 1.0, AXIS);
        sheet.text(text, (x, bottom + 8.0), label(10.5));
    }
    let unit = TimeUnit::of(demand.length_s()).name;
    let at = (frame.area.middle().0, bottom + 24.0);
    let simulated = if is_observed { "" } else { "simulated " };
    sheet.text(&format!("{simulated}time, {unit}"), at, label(11.5));
}

/// Share of the writes of each region, over the whole run, as one polygon: bars would show seams. A line marks the even share.
fn draw_totals(sheet: &Sheet, area: Area, regions: usize, heat: &Heat, load: &str) {
    let (left, top, bottom) = (area.left, area.top, area.bottom());
    let label = muted(10.5);
    sheet.text(load, (left, top - 5.0), label);
    let all = heat.totals.iter().sum::<f64>() * regions as f64 / heat.rows as f64;
    let most = heat.totals.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let mut outline = vec![(left, bottom)];
    for (row, writes) in heat.totals.iter().enumerate() {
        let x = left + area.width * writes / most;
        let y = |row: usize| bottom - area.height * row as f64 / heat.rows as f64;
        outline.extend([(x, y(row)), (x, y(row + 1))]);
    }
    outline.push((left, top));
    sheet.polygon(&outline, GREY);
    let mean = all / regions as f64;
    let x = left + area.width * mean / most;
    sheet.line(&[(x, top), (x, bottom + 4.0)], 1.0, INK);
    let text = format!("even: {}", Percent.text(1.0 / regions as f64));
    let left = left.min(area.right() - width(&text, 10.5, false));
    sheet.text(&text, (left, bottom + 8.0), label.top());
}

/// Where this strategy's load lands, and when.
fn title(strategy: &StrategyResult, demand: &Demand) -> String {
    let (servers, load) = (demand.servers, metric::load_name([strategy]));
    let share = metric::text(strategy, MetricId::ServerMaxShare, Percent);
    let times = metric::text(strategy, MetricId::ServerPeakToMean, Ratio);
    let finding = match (demand.least_peak_share(), strategy.load_hotspot()) {
        (None, _) => format!("too few {load} for a statement about the spread"),
        _ if servers == 1 => format!("the only server takes all the {load}"),
        (Some(least), _) if least >= NEARLY_ALL => {
            let least = Percent.text(least);
            let at_least = (!least.starts_with("100")).then_some("at least ");
            let at_least = at_least.unwrap_or_default();
            format!("one server takes {at_least}{least} of the {load} in every interval")
        }
        _ if metric::value(strategy, MetricId::ServerMaxShare).is_none() => {
            format!("where and when the {load} land")
        }
        (_, Some("none")) => {
            let reached = demand.servers_reached();
            let over = match reached == servers {
                true => format!("all {servers}"),
                false => format!("{reached} of {servers}"),
            };
            format!(
                "the {load} spread over {over} servers, the hottest takes {times} its fair share"
            )
        }
        (_, Some("row")) => format!(
            "one row is hot and no split can divide it; its server takes {share} of the {load}"
        ),
        // Medians tell of the time without it, or of intervals that are longer than a turn.
        (_, Some(class))
            if metric::value(strategy, MetricId::ServerPeakToMean) < Some(NO_HOTSPOT_BELOW) =>
        {
            match class {
                "moving" => format!("servers take turns at the {load} within an interval"),
                _ => {
                    let time = metric::text(strategy, MetricId::HotspotTimeFraction, Percent);
                    let most = metric::text(strategy, MetricId::HotspotPeakToMean, Ratio);
                    format!(
                        "for {time} of the time one server is full, with {most} its fair share of the {load}"
                    )
                }
            }
        }
        (_, Some("presplit-mismatch")) => {
            let reached = demand.servers_reached();
            format!("the {load} reach {reached} of {servers} servers, the hottest takes {share}")
        }
        (_, Some("placement")) => {
            format!("the regions happen to lie so that one server takes {share} of the {load}")
        }
        (_, Some("moving")) => {
            format!("the hotspot moves; at any time one server takes {share} of the {load}")
        }
        (_, Some("static")) => {
            format!("the same range stays hot; its server takes {share} of the {load}")
        }
        _ => format!("the hottest server takes {share} of the {load}, {times} its fair share"),
    };
    let copy = strategy.mapped_copy.as_ref();
    let copy = copy.map_or(String::new(), |mapped| format!(", copy {}", mapped.copy));
    format!("{}{copy}: {finding}", name(strategy))
}
