//! Chart 2: what each server is asked for over time, reads and writes together, over what it can do; one panel a strategy, all to the same scale.

use super::demand::{Demand, Interval};
use super::prelude::*;
use crate::text::listed;

/// Width of the y labels of a panel.
const AXIS_WIDTH: f64 = 44.0;
/// Servers that get a line of their own; more become a band.
const MOST_LINES: usize = 16;
/// Width of a server's line.
const THIN: f64 = 0.9;
/// Intervals up to which values are drawn as steps: more make a slope.
const MOST_STEPS: usize = 60;
/// What lies above so many times what a server can do is drawn there.
const CEILING: f64 = 5.0;
/// Shares of the time that differ by no more are told as one.
const MUCH_THE_SAME: f64 = 0.25;
/// Strategies that a title names at most.
const MOST_NAMED: usize = 3;

/// A strategy that has a series.
struct Load<'a> {
    entry: Entry<'a>,
    demand: Demand,
    /// What each server is asked for over what it can do, by drawn interval.
    asked: Vec<Vec<f64>>,
    /// The share of the time in which some server is asked for more than it can do, as the tables have it.
    hot: Option<f64>,
}

impl<'a> Load<'a> {
    /// Rows are measured by what a saturated server writes, reads by the time of its handlers. `None` without a series, or where neither is known.
    fn of(entry: Entry<'a>, planned_s: f64) -> Option<Self> {
        let strategy = entry.strategy;
        let demand = Demand::of(strategy, planned_s)?;
        let series = strategy.series.as_ref()?;
        let capacity = metric::value(strategy, MetricId::ServerCapacity);
        let capacity = capacity.filter(|it| *it > 0.0 && !metric::is_of_reads(strategy));
        if capacity.is_none() && series.server_read_work.is_empty() {
            return None;
        }
        let asked = demand.drawn().iter().enumerate().map(|(at, interval)| {
            let reads = series.server_read_work.get(at);
            let of = |(server, rows): (usize, &u64)| {
                let reads = reads.and_then(|it| it.get(server)).unwrap_or(&0.0);
                capacity.map_or(0.0, |capacity| interval.rate(*rows) / capacity) + reads
            };
            interval.rows.iter().enumerate().map(of).collect()
        });
        let mut asked: Vec<Vec<f64>> = asked.collect();
        let hot = metric::value(strategy, MetricId::HotTimeFraction);
        // What a server can do is that of one with a single region, which its memstore may hold up. One that was never full nor refused has more of
        // them, and was asked for what its handlers did.
        let is_calm = hot == Some(0.0) && series.server_utilisation.len() >= asked.len();
        if is_calm && asked.iter().any(|it| peak(it) > 1.0) {
            let busy = series.server_utilisation.iter().cloned();
            asked = busy.take(asked.len()).collect();
        }
        Some(Self {
            entry,
            asked,
            demand,
            hot,
        })
    }

    /// Whether each server has a line.
    fn is_single(&self) -> bool {
        self.demand.servers <= MOST_LINES
    }

    /// A value of each interval over time: at the middles of the intervals, or as steps when there are too few for a slope.
    fn over_time(&self, value: impl Fn(&[f64]) -> f64) -> Points {
        let times = |it: &Interval| match self.demand.intervals.len() <= MOST_STEPS {
            true => vec![it.start_s, it.end_s],
            false => vec![it.middle_s()],
        };
        let drawn = self.demand.drawn().iter().zip(&self.asked);
        let points = drawn.flat_map(|(interval, asked)| {
            let value = value(asked).min(CEILING);
            times(interval).into_iter().map(move |time| (time, value))
        });
        points.collect()
    }
}

fn peak(asked: &[f64]) -> f64 {
    asked.iter().copied().fold(0.0, f64::max)
}

fn least(asked: &[f64]) -> f64 {
    asked.iter().copied().fold(f64::INFINITY, f64::min)
}

fn mean(asked: &[f64]) -> f64 {
    asked.iter().sum::<f64>() / asked.len() as f64
}

/// The chart; `None` when no strategy has a series.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let loads: Vec<Load<'_>> = Entry::all(results)
        .filter_map(|entry| Load::of(entry, results.duration_s))
        .collect();
    if loads.is_empty() {
        return None;
    }
    let peaks = loads
        .iter()
        .flat_map(|it| it.asked.iter().map(|it| peak(it)));
    let most = peaks.fold(0.0, f64::max);
    // What a server can do is drawn where it says something: not when everything is far below it.
    let top = match most >= 0.25 {
        true => most.clamp(1.1, CEILING),
        false => most,
    };
    let lengths = loads.iter().map(|it| it.demand.length_s());
    let length = lengths.fold(0.0, f64::max);
    let columns = match loads.len() {
        1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let grid = Grid {
        viewport,
        columns,
        top: viewport.top() + 38.0,
        left: AXIS_WIDTH,
        right: viewport.pick(6.0, 12.0),
        head: 0.0,
        height: viewport.pick([260.0, 200.0, 160.0][columns - 1], 160.0),
        // X labels and the next heading.
        foot: 62.0,
        gap: 22.0,
    };
    let foot = grid.bottom(loads.len()) - 22.0;
    let unit = TimeUnit::of(length).name;
    let mut axes = format!(
        "y: asked of the server ÷ what it can do (handler time) · x: simulated time, {unit}"
    );
    let is_cut = |it: &Load<'_>| it.demand.drawn().len() < it.demand.intervals.len();
    if loads.iter().any(is_cut) {
        axes += " · left out: the interval in which an import ends";
    }
    let dashes = (top >= 1.0).then_some(", all below the dashes");
    let dashes = dashes.unwrap_or_default();
    let reading = format!(
        "Even: the colour lies on the grey{dashes}. Hotspot: the colour far above the grey. \
         Moving hotspot: the colour stays high while grey lines take turns."
    );
    let room = viewport.room() - AXIS_WIDTH;
    let below = |text: String| wrapped(&text, room, 11.0, false, usize::MAX);
    let below: Vec<String> = [axes, reading].into_iter().flat_map(below).collect();
    let height = foot + 4.0 + 18.0 * below.len() as f64;
    let kind = ChartKind::ServerLoad;
    let title = title(&loads);
    let mut sheet = Drawing::new(viewport, kind, title, &subtitle(&loads, top), height);
    for (place, it) in loads.iter().enumerate() {
        let area = grid.area(place);
        heading(&sheet, area, it);
        let warmup = area.width * it.demand.warmup_s() / length;
        let warmup = Area::new(area.left, area.top, warmup, area.height);
        sheet.rect(warmup, Paint::new(EMPTY, 0.75));
        let x = Axis::time(length, if columns == 3 { 4 } else { 8 });
        let mut plot = Plot::with_grid(&sheet, area, x, Axis::from_zero(top, 4), false);
        draw_panel(&sheet, &mut plot, it, top);
        if most == 0.0 {
            let label = muted(12.0).centre().middle();
            sheet.text("no load", area.middle(), label);
        }
        read_off(&mut sheet, it, area, length);
    }
    let at = (viewport.left() + AXIS_WIDTH, foot);
    sheet.lines(&below, at, 18.0, muted(11.0).top());
    Some(sheet.finish())
}

/// What each server is asked for in each interval, or the range of many servers.
fn read_off(sheet: &mut Drawing, load: &Load<'_>, area: Area, length_s: f64) {
    let demand = &load.demand;
    let mut names = vec!["hottest".to_owned()];
    match load.is_single() {
        true => names.extend((0..demand.servers).map(|server| format!("rs{server}"))),
        false => names.extend(["mean", "least"].map(str::to_owned)),
    }
    let reading = |(interval, asked): (&Interval, &Vec<f64>)| {
        let mut parts = vec![peak(asked)];
        match load.is_single() {
            true => parts.extend(asked),
            false => parts.extend([mean(asked), least(asked)]),
        }
        let x = area.left + area.width * interval.middle_s() / length_s;
        let parts = parts.into_iter().map(|it| Percent.text(it));
        Reading::at(x, demand.span(interval), parts)
    };
    let along = "asked ÷ what a server can do, by time";
    let readings = demand.drawn().iter().zip(&load.asked).map(reading);
    sheet.read_off(&load.entry.name(), area, along, names, readings);
}

/// Who asks one server for more than it can do.
fn title(loads: &[Load<'_>]) -> String {
    let strategies = || loads.iter().map(|it| it.entry.strategy);
    let path = MetricId::HotTimeFraction.whole();
    let share = |strategy| metric::text(strategy, path, Percent);
    let over = loads.iter().filter_map(|it| Some((it.hot?, it.entry)));
    let mut hot: Vec<(f64, Entry<'_>)> = over.filter(|(over, _)| *over > 0.0).collect();
    // Stable: strategies that are equally hot stay in file order.
    hot.sort_by(|a, b| b.0.total_cmp(&a.0));
    if hot.is_empty() {
        let none = match loads.len() {
            1 => return "No server is asked for more than it can do".to_owned(),
            _ => "No strategy asks a server for more than it can do",
        };
        return hottest_servers(strategies()).unwrap_or_else(|| none.to_owned());
    }
    // The dashes tell how often, unless clients wait and so ask for no more than they get, or what is down, held up or behind refuses or is full.
    let beyond = |it: &Load<'_>| {
        let over = it.asked.iter().filter(|it| peak(it) > 1.0).count() as f64;
        let hot = it.hot.unwrap_or_default();
        let is_shown = over > 0.0 || hot == 0.0;
        is_shown && (over / it.asked.len() as f64 - hot).abs() <= MUCH_THE_SAME
    };
    let what = match loads.iter().all(beyond) {
        true => "is asked for more than it can do",
        false => "is full or refuses",
    };
    if let Some((least, most)) = extremes(strategies(), path)
        && loads.len() > 1
        && alike(least, most, path)
    {
        let (low, high) = (share(least), share(most));
        return match low == high {
            true => format!("With every strategy a server {what}, {low} of the time"),
            // Where it is not shown who is hot more often, who is uneven may be.
            false => hottest_servers(strategies()).unwrap_or_else(|| {
                format!(
                    "A server {what} {low} to {high} of the time: no strategy is shown to differ"
                )
            }),
        };
    }
    if let [(_, only)] = hot.as_slice() {
        let (name, share) = (only.name(), share(only.strategy));
        return format!("{name}: a server {what}, {share} of the time");
    }
    let shown = match hot.len() > MOST_NAMED {
        true => MOST_NAMED - 1,
        false => hot.len(),
    };
    let named = hot[..shown].iter();
    let named = named.map(|(_, it)| format!("{} {} of the time", it.name(), share(it.strategy)));
    let more = Some(format!("{} more", hot.len() - shown)).filter(|_| shown < hot.len());
    let named = listed(named.chain(more));
    format!("A server {what}: {named}")
}

fn subtitle(loads: &[Load<'_>], top: f64) -> String {
    let servers = loads.iter().map(|it| it.demand.servers).max();
    let grey = match servers.unwrap_or(1) {
        1 => "Grey: the server".to_owned(),
        n if n <= MOST_LINES => format!("Grey: each of the {n} servers"),
        n => format!(
            "Grey: mean and range of the {} servers",
            number::grouped(n as u64)
        ),
    };
    let mut subtitle =
        format!("{grey} · colour: the hottest in each interval, writes and reads together");
    subtitle += match top >= 1.0 {
        true => " · dashed: all that it can do",
        false => " · all that it can do is far above",
    };
    subtitle += " · hot: a server is full or refuses";
    if loads.iter().any(|it| it.demand.warmup_s() > 0.0) {
        subtitle += " · shaded: warm-up";
    }
    subtitle
}

fn heading(sheet: &Sheet, area: Area, load: &Load<'_>) {
    let y = area.top - 9.0;
    let mut text = load
        .hot
        .map_or(String::new(), |hot| format!("hot {}", Percent.text(hot)));
    let most = load.asked.iter().map(|it| peak(it)).fold(0.0, f64::max);
    if most > CEILING {
        text += &format!(", asked up to {}", Ratio.text(most));
    }
    let is_hot = load.hot.is_some_and(|hot| hot > 0.0);
    let label = if is_hot { bold(11.0) } else { muted(11.0) };
    sheet.text(&text, (area.right(), y), label.right());
    let room = area.width - width(&text, 11.0, true) - 10.0;
    let name = load.entry.name();
    if width(&name, 12.5, true) <= room {
        sheet.text(&name, (area.left, y), bold(12.5));
        return;
    }
    let lines = balanced(&name, room, 11.5, true, 2);
    let first = y - (lines.len() - 1) as f64 * 13.0;
    let label = bold(11.5);
    sheet.lines(&lines, (area.left, first), 13.0, label);
}

fn draw_panel(sheet: &Sheet, plot: &mut Plot, load: &Load<'_>, top: f64) {
    if load.is_single() {
        for server in 0..load.demand.servers {
            let asked = load.over_time(|asked| asked[server]);
            plot.path(asked, THIN, Paint::new(GREY, 0.7));
        }
    } else {
        let outline = load.over_time(peak).into_iter();
        let outline = outline.chain(load.over_time(least).into_iter().rev());
        sheet.polygon(&plot.all_at(&outline.collect::<Points>()), GRID);
        plot.path(load.over_time(mean), THIN, GREY);
    }
    if top >= 1.0 {
        plot.bound(load.demand.length_s(), 1.0);
    }
    plot.path(load.over_time(peak), 1.9, load.entry.colour());
}
