//! Chart 2: the load of each server over time, one panel a strategy, all to the same scale.

use super::demand::{Demand, Interval};
use super::prelude::*;

/// Width of the y labels of a panel.
const AXIS_WIDTH: f64 = 44.0;
/// Servers that get a line of their own; more become a band.
const MOST_LINES: usize = 16;
/// Width of a server's line.
const THIN: f64 = 0.9;
/// Intervals up to which values are drawn as steps: more make a slope.
const MOST_STEPS: usize = 60;

/// A strategy that has a series.
struct Load<'a> {
    entry: Entry<'a>,
    demand: Demand,
    /// What one server can do.
    capacity: Option<f64>,
}

impl<'a> Load<'a> {
    fn of(entry: Entry<'a>, planned_s: f64) -> Option<Self> {
        let capacity = metric::value(entry.strategy, MetricId::ServerCapacity);
        Some(Self {
            entry,
            demand: Demand::of(entry.strategy, planned_s)?,
            capacity: capacity.filter(|capacity| *capacity > 0.0),
        })
    }

    /// Fraction of the time in which a server is asked for more than it can do.
    fn over(&self) -> Option<f64> {
        Some(self.demand.over_fraction(self.capacity?))
    }

    /// What one server can do, where the panels reach up to it.
    fn capacity_below(&self, top: f64) -> Option<f64> {
        self.capacity.filter(|capacity| *capacity <= top)
    }

    /// Whether each server has a line.
    fn is_single(&self) -> bool {
        self.demand.servers <= MOST_LINES
    }
}

/// The chart; `None` when no strategy has a series.
pub fn draw(results: &Results) -> Option<Chart> {
    let loads: Vec<Load<'_>> = Entry::all(results)
        .filter_map(|entry| Load::of(entry, results.duration_s))
        .collect();
    if loads.is_empty() {
        return None;
    }
    let drawn = loads.iter().flat_map(|it| it.demand.drawn());
    let peak = drawn.map(Interval::peak_rate).fold(0.0, f64::max);
    let capacities = loads.iter().filter_map(|it| it.capacity);
    let capacity = capacities.fold(0.0, f64::max);
    // The capacity is drawn where it says something: not when everything is far below it.
    let top = match capacity <= 4.0 * peak {
        true => peak.max(capacity * 1.1),
        false => peak,
    };
    let lengths = loads.iter().map(|it| it.demand.length_s());
    let length = lengths.fold(0.0, f64::max);
    let columns = match loads.len() {
        1 => 1,
        2 | 4 => 2,
        _ => 3,
    };
    let grid = Grid {
        columns,
        top: 104.0,
        left: AXIS_WIDTH,
        right: 6.0,
        head: 0.0,
        height: [260.0, 200.0, 160.0][columns - 1],
        // X labels and the next heading.
        foot: 62.0,
        gap: 22.0,
    };
    let foot = grid.bottom(loads.len()) - 22.0;
    // An incomplete last row has room for the explanation; else it goes below.
    let room_inside = !loads.len().is_multiple_of(columns);
    let height = foot + if room_inside { 22.0 } else { 40.0 };
    let load = metric::load_name(&results.strategies);
    let kind = ChartKind::ServerLoad;
    let mut sheet = Drawing::new(kind, title(&loads), &subtitle(&loads, top), height);
    for (place, it) in loads.iter().enumerate() {
        let area = grid.area(place);
        heading(&sheet, area, it);
        let warmup = area.width * it.demand.warmup_s() / length;
        let warmup = Area::new(area.left, area.top, warmup, area.height);
        sheet.rect(warmup, Paint::new(EMPTY, 0.75));
        let x = Axis::time(length, if columns == 3 { 4 } else { 8 });
        let mut plot = Plot::with_grid(&sheet, area, x, Axis::from_zero(top, 4), false);
        draw_panel(&sheet, &mut plot, it, it.capacity_below(top));
        if peak == 0.0 {
            let label = muted(12.0).centre().middle();
            sheet.text(&format!("no {load}"), area.middle(), label);
        }
        read_off(&mut sheet, it, area, length);
    }
    let unit = TimeUnit::of(length).name;
    let mut axes = format!("y: {load} a second asked of the server · x: simulated time, {unit}");
    let is_cut = |it: &Load<'_>| it.demand.drawn().len() < it.demand.intervals.len();
    if loads.iter().any(is_cut) {
        axes += " · left out: the interval in which an import ends";
    }
    let left = MARGIN + AXIS_WIDTH;
    sheet.text(&axes, (left, foot), muted(11.5).top());
    let even = match loads.iter().any(|it| it.capacity_below(top).is_some()) {
        true => "Even: the colour lies on the grey, all below the dashes.",
        false => "Even: the colour lies on the grey.",
    };
    let lines = [
        even,
        "Hotspot: the colour far above the grey.",
        "Moving hotspot: the colour stays high while grey lines take turns.",
    ];
    match room_inside {
        true => explain(&sheet, grid.area(loads.len()), &lines),
        false => sheet.text(&lines.join(" "), (left, foot + 18.0), muted(11.0).top()),
    }
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
    let reading = |interval: &Interval| {
        let mut rates = vec![interval.peak_rate()];
        match load.is_single() {
            true => rates.extend(interval.rows.iter().map(|rows| interval.rate(*rows))),
            false => rates.extend([interval.mean_rate(), interval.least_rate()]),
        }
        let x = area.left + area.width * interval.middle_s() / length_s;
        let rates = rates
            .into_iter()
            .map(|it| number::grouped(it.round() as u64));
        Reading::at(x, demand.span(interval), rates)
    };
    let load_name = metric::load_name([load.entry.strategy]);
    let along = format!("{load_name} a second, by time");
    let readings = demand.drawn().iter().map(reading);
    sheet.read_off(&load.entry.name(), area, &along, names, readings);
}

/// Who asks one server for more than it can do.
fn title(loads: &[Load<'_>]) -> String {
    let spread = || hottest_servers(loads.iter().map(|it| it.entry.strategy));
    let several = loads.len() > 1;
    if loads.iter().all(|it| it.capacity.is_none()) {
        // Reads have no capacity to be measured against, only each other.
        let compared = if several { spread() } else { None };
        return compared.unwrap_or_else(|| "Load per server over time".to_owned());
    }
    let over = loads.iter().filter_map(|it| Some((it.over()?, it.entry)));
    let mut hot: Vec<(f64, Entry<'_>)> = over.filter(|(over, _)| *over > 0.0).collect();
    // Stable: strategies that are equally hot stay in file order.
    hot.sort_by(|a, b| b.0.total_cmp(&a.0));
    let hot = hot.iter().map(|(over, entry)| {
        let of_time = format!("{} of the time", Percent.text(*over));
        (quoted_name(entry.strategy), of_time)
    });
    let hot: Vec<(String, String)> = hot.collect();
    let (count, all) = (hot.len(), loads.len());
    match hot.as_slice() {
        [] if !several => "No server is asked for more than it can do".to_owned(),
        [] => spread()
            .unwrap_or_else(|| "No strategy asks a server for more than it can do".to_owned()),
        [(name, of_time)] => format!("{name} asks one server for more than it can do, {of_time}"),
        _ if count == all => {
            "In every strategy the hottest server has all that it can do, or more".to_owned()
        }
        _ if count <= 3 => {
            let list = hot
                .iter()
                .map(|(name, of_time)| format!("{name} {of_time}"));
            let list = list.collect::<Vec<_>>().join(", ");
            format!("Over the capacity of a server: {list}")
        }
        [(name, of_time), ..] => format!(
            "{count} of {all} strategies ask one server for more than it can do, {name} {of_time}"
        ),
    }
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
    let mut subtitle = format!("{grey} · colour: the hottest server in each interval");
    let (least, most) = extent(loads.iter().filter_map(|it| it.capacity));
    if least <= most {
        let [low, high] = [least, most].map(|it| Compact.text(it));
        let range = range(low, high);
        subtitle += &match least <= top {
            true => format!(" · dashed: what one server can do ({range}/s)"),
            false => format!(" · one server can do {range}/s, far above"),
        };
        subtitle += " · over: intervals above it";
    }
    if loads.iter().any(|it| it.demand.warmup_s() > 0.0) {
        subtitle += " · shaded: warm-up";
    }
    subtitle
}

fn heading(sheet: &Sheet, area: Area, load: &Load<'_>) {
    let y = area.top - 9.0;
    let over = load.over();
    let text = over.map_or(String::new(), |over| format!("over {}", Percent.text(over)));
    let is_over = over.is_some_and(|over| over > 0.0);
    let label = if is_over { bold(11.0) } else { muted(11.0) };
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

fn draw_panel(sheet: &Sheet, plot: &mut Plot, load: &Load<'_>, capacity: Option<f64>) {
    let demand = &load.demand;
    let peak = || over_time(demand, Interval::peak_rate);
    if load.is_single() {
        for server in 0..demand.servers {
            let rate = over_time(demand, |interval| interval.rate(interval.rows[server]));
            plot.path(rate, THIN, Paint::new(GREY, 0.7));
        }
    } else {
        let least = over_time(demand, Interval::least_rate);
        let outline = peak().into_iter().chain(least.into_iter().rev());
        sheet.polygon(&plot.all_at(&outline.collect::<Points>()), GRID);
        plot.path(over_time(demand, Interval::mean_rate), THIN, GREY);
    }
    if let Some(capacity) = capacity {
        plot.bound(demand.length_s(), capacity);
    }
    plot.path(peak(), 1.9, load.entry.colour());
}

/// A value of each interval over time: at the middles of the intervals, or as steps when there are too few for a slope.
fn over_time(demand: &Demand, value: impl Fn(&Interval) -> f64) -> Vec<(f64, f64)> {
    let times = |it: &Interval| match demand.intervals.len() <= MOST_STEPS {
        true => vec![it.start_s, it.end_s],
        false => vec![it.middle_s()],
    };
    let drawn = demand.drawn().iter().flat_map(|it| {
        let value = value(it);
        times(it).into_iter().map(move |time| (time, value))
    });
    drawn.collect()
}

/// How to read the chart, in the place of a panel.
fn explain(sheet: &Sheet, area: Area, lines: &[&str]) {
    let (x, mut y) = (area.left, area.top - 22.0);
    sheet.text("How to read", (x, y), bold(12.5).top());
    y += 24.0;
    for line in lines {
        let rows = wrapped(line, area.width, 12.0, false, usize::MAX);
        sheet.lines(&rows, (x, y), 17.0, muted(12.0).top());
        y += rows.len() as f64 * 17.0 + 5.0;
    }
}
