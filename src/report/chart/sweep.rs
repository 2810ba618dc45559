//! Chart 8: what a sweep gives along the values of its first setting: throughput, and beside it how hot the hottest server is, and the price of the
//! read that pays most for it. The other swept settings make rows of panels.

use super::prelude::*;
use crate::experiment::{
    Measure, READ_PRICES, SweepFinding, SweptList, at_point, point_label, value_text,
};
use crate::text::article;
use serde_json::Value;
use std::collections::BTreeMap;

const THROUGHPUT: MetricPath = MetricId::WriteThroughput.whole();

/// Chart 6 shows what this setting does, beside what it could do at most.
const SERVERS: &str = "cluster.servers";

/// Tick labels left of a panel.
const LEFT: f64 = 62.0;
const MARK: f64 = 3.4;
const WIDTH_OF_LINE: f64 = 2.25;
/// How much wider a line is than one that lies on it.
const RIM: f64 = 3.5;
/// Radius of the ring around a knee.
const RING: f64 = 8.0;
/// Values this many times the least one are spread over the axis by their logarithms.
const WIDE_RANGE: f64 = 4.0;

/// Of a price that no finding names: so many times the least one is a difference that can be seen.
const SEEN: f64 = 1.05;

/// What the vertical axis of a panel shows.
struct Quantity {
    title: String,
    format: NumberFormat,
    /// What is shown of the load, where it is no price.
    path: MetricPath,
    /// A read and what it pays, its planned calls or its mean response time.
    price: Option<(String, MetricPath)>,
}

impl Quantity {
    /// The throughput, how hot the hottest server is, and the price that grows most up to a knee, or else that which differs most.
    fn all(results: &Results, findings: &[SweepFinding]) -> Vec<Self> {
        let load = metric::load_name(&results.strategies);
        let throughput = Self {
            title: format!("{load} a second"),
            format: Compact,
            path: THROUGHPUT,
            price: None,
        };
        let skew = Self {
            title: "hottest server ÷ mean".to_owned(),
            format: Ratio,
            path: MetricId::ServerPeakToMean.whole(),
            price: None,
        };
        let prices = findings.iter().flat_map(|finding| &finding.prices);
        let known = prices.filter_map(|price| Some((price, price.ratio.mean?)));
        let dearest = known.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let dearest = dearest.map(|(price, _)| (price.read.clone(), price.metric));
        let price = dearest.or_else(|| widest(results)).map(|(read, metric)| {
            let (title, format) = match metric.metric {
                MetricId::CallsPlanned => {
                    let title = quoted(&format!("calls of {}", article(&read)));
                    (title, Compact)
                }
                _ => (format!("mean response time of “{read}”"), Millis),
            };
            Self {
                title,
                format,
                path: THROUGHPUT,
                price: Some((read, metric)),
            }
        });
        [throughput, skew].into_iter().chain(price).collect()
    }

    /// Of `strategy`, where it is known exactly.
    fn measure<'a>(&self, strategy: &'a StrategyResult) -> Option<&'a Measure> {
        let measure = match &self.price {
            None => metric::measure(strategy, self.path),
            Some((name, metric)) => {
                let read = strategy.reads.iter().find(|read| read.name == *name);
                read.and_then(|read| read.number(*metric))
            }
        };
        measure.filter(|measure| measure.mean.is_some() && !measure.censored)
    }
}

/// The read whose price differs most over all points, and what it pays; `None` where none differs by as much as can be seen.
fn widest(results: &Results) -> Option<(String, MetricPath)> {
    let reads = results.strategies.first()?.reads.iter();
    let priced = reads.flat_map(|read| READ_PRICES.map(|metric| (&read.name, metric)));
    let wide = priced.filter_map(|(name, metric)| {
        let of = |it: &StrategyResult| {
            let read = it.reads.iter().find(|read| read.name == *name)?;
            read.number(metric)?.mean
        };
        let (least, most) = extent(results.strategies.iter().filter_map(of));
        (most >= SEEN * least).then(|| (most / least, name, metric))
    });
    let widest = wide.max_by(|(a, ..), (b, ..)| a.total_cmp(b));
    widest.map(|(_, name, metric)| (name.clone(), metric))
}

/// Where the values of the swept setting lie on the horizontal axis.
struct Places<'a> {
    list: &'a SweptList,
    /// Of each value of the list; ascending values lie from left to right.
    at: Vec<f64>,
}

impl<'a> Places<'a> {
    fn of(list: &'a SweptList) -> Self {
        let numbers: Option<Vec<f64>> = list.values.iter().map(Value::as_f64).collect();
        let at = match numbers {
            // Words, and numbers with units, stand in the order of the file.
            None => (0..list.values.len()).map(|place| place as f64).collect(),
            Some(numbers) => {
                let (least, most) = extent(numbers.iter().copied());
                match least > 0.0 && most / least >= WIDE_RANGE {
                    true => numbers.iter().map(|number| number.log2()).collect(),
                    false => numbers,
                }
            }
        };
        Self { list, at }
    }

    /// Every place with its value, from left to right.
    fn ascending(&self) -> Vec<(f64, &'a Value)> {
        let mut places: Vec<_> = self.at.iter().copied().zip(&self.list.values).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        places
    }

    /// With some room on either side.
    fn axis(&self) -> Axis {
        let (low, high) = extent(self.at.iter().copied());
        let margin = if high > low { (high - low) * 0.06 } else { 1.0 };
        let range = (low - margin)..(high + margin);
        let ticks = self.ascending().into_iter();
        let ticks = ticks.map(|(at, value)| (at, value_text(value)));
        Axis::new(range, ticks.collect())
    }
}

/// One quantity at one combination of the other swept settings.
struct Panel<'a> {
    quantity: &'a Quantity,
    title: String,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    /// Its strategy at the first point.
    entry: Entry<'a>,
    /// From left to right: place, value as written, and what was measured.
    points: Vec<(f64, String, &'a Measure)>,
    /// Where nothing is known.
    unknown: Vec<f64>,
    /// What was found of it.
    finding: Option<&'a SweepFinding>,
}

/// The chart; `None` without a sweep, with a single value of the first swept setting, or where chart 6 shows it.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let list = results.sweep.first()?;
    if list.values.len() < 2 || list.path == SERVERS {
        return None;
    }
    let findings = results.sweep_findings();
    let places = Places::of(list);
    // What holds of the other swept settings, in the order of the points.
    let mut others: Vec<BTreeMap<String, Value>> = Vec::new();
    for strategy in &results.strategies {
        let mut rest = strategy.sweep.clone();
        rest.remove(&list.path);
        if !others.contains(&rest) {
            others.push(rest);
        }
    }
    let quantities = Quantity::all(results, &findings);
    let mut panels: Vec<Panel<'_>> = Vec::new();
    for others in &others {
        let of = |quantity| Panel::of(results, &findings, &places, others, quantity);
        panels.extend(quantities.iter().map(of).filter(|it| !it.lines.is_empty()));
    }
    if panels.is_empty() {
        return None;
    }
    let legend = Legend::of(first_point(results), viewport.room() - LEFT);
    let grid = Grid {
        viewport,
        // A row of panels for each combination of the other settings.
        columns: panels.len().min(quantities.len()),
        top: viewport.top() + 38.0 + legend.more,
        left: LEFT,
        right: viewport.pick(0.0, 4.0),
        head: 24.0,
        height: 270.0,
        foot: 62.0,
        gap: 24.0,
    };
    let subtitle = format!(
        "Along {}, bars: 95 % intervals · ring: the knee, beyond which nothing is gained · triangle: worse than a lesser value · ?: not known",
        list.path
    );
    let bottom = grid.bottom(panels.len());
    let (kind, title) = (ChartKind::Sweep, title(&findings));
    let mut sheet = Drawing::new(viewport, kind, title, &subtitle, bottom);
    legend.draw(&sheet, (viewport.left() + LEFT, viewport.top() + 22.0));
    for (at, panel) in panels.iter().enumerate() {
        let same = |it: &&Panel<'_>| std::ptr::eq(it.quantity, panel.quantity);
        let points = panels.iter().filter(same).flat_map(|it| &it.lines);
        let points = points.flat_map(|line| &line.points);
        let tops = points.filter_map(|(_, _, measure)| measure.high.or(measure.mean));
        panel.draw(&mut sheet, &places, tops.fold(0.0, f64::max), grid.area(at));
    }
    Some(sheet.finish())
}

/// The strategies at the first point.
fn first_point(results: &Results) -> impl Iterator<Item = Entry<'_>> {
    let each = results.strategies.len() / results.point_count().max(1);
    Entry::all(results).take(each.max(1))
}

impl<'a> Panel<'a> {
    fn of(
        results: &'a Results,
        findings: &'a [SweepFinding],
        places: &Places<'_>,
        others: &BTreeMap<String, Value>,
        quantity: &'a Quantity,
    ) -> Self {
        let mut title = quantity.title.clone();
        if !others.is_empty() {
            title += &format!(" · {}", point_label(others));
        }
        let line = |entry: Entry<'a>| {
            let name = &entry.strategy.name;
            let (mut points, mut unknown) = (Vec::new(), Vec::new());
            for (place, value) in places.ascending() {
                let mut point = others.clone();
                point.insert(places.list.path.clone(), value.clone());
                let mut at_point = results.strategies.iter().filter(|it| it.sweep == point);
                let strategy = at_point.find(|it| it.name == *name);
                match strategy.and_then(|it| quantity.measure(it)) {
                    Some(measure) => points.push((place, value_text(value), measure)),
                    None => unknown.push(place),
                }
            }
            let of = |it: &&SweepFinding| it.strategy == *name && it.others == *others;
            let finding = findings.iter().find(of);
            Line {
                entry,
                points,
                unknown,
                finding,
            }
        };
        let lines = first_point(results).map(line);
        let lines = lines.filter(|line| !line.points.is_empty()).collect();
        Self {
            quantity,
            title,
            lines,
        }
    }

    fn draw(&self, sheet: &mut Drawing, places: &Places<'_>, most: f64, area: Area) {
        panel_title(sheet, &area, 22.0, &self.title);
        let format = self.quantity.format;
        let y = Axis::from_zero_in(format, most, 5);
        let plot = Plot::new(sheet, area, places.axis(), y);
        let path = |line: &Line<'_>| -> Points {
            let means = line.points.iter();
            let means = means.filter_map(|(place, _, it)| Some(plot.at((*place, it.mean?))));
            means.collect()
        };
        let paths: Vec<Points> = self.lines.iter().map(path).collect();
        // The first of the file on top, and what lies below it wide enough to be seen.
        for (at, line) in self.lines.iter().enumerate().rev() {
            let above = paths[..at].iter().filter(|path| alike(path, &paths[at]));
            let rim = above.count() as f64 * RIM;
            // Only the throughput has a knee.
            let is_throughput = self.quantity.price.is_none() && self.quantity.path == THROUGHPUT;
            let finding = line.finding.filter(|_| is_throughput);
            line.draw(sheet, &plot, &paths[at], rim, finding);
            // One above the other.
            for place in &line.unknown {
                let below = self.lines[..at].iter();
                let below = below.filter(|it| it.unknown.contains(place)).count() as f64;
                let (x, _) = plot.at((*place, 0.0));
                let at = (x, area.bottom() - 10.0 - 16.0 * below);
                sheet.ring(at, 7.0, 1.25, line.entry.colour());
                sheet.text("?", at, bold(11.0).centre().middle());
            }
        }
        plot.name_below(&places.list.path, 30.0);
        let readings = places.ascending().into_iter().map(|(place, value)| {
            let label = value_text(value);
            let value = |line: &Line<'_>| {
                let point = line.points.iter().find(|(_, text, _)| *text == label);
                point.map_or(UNDEFINED.to_owned(), |(.., it)| format.interval(it))
            };
            let values: Vec<String> = self.lines.iter().map(value).collect();
            Reading::at(plot.at((place, 0.0)).0, label, values)
        });
        let names = self.lines.iter().map(|line| line.entry.name());
        sheet.read_off(&self.title, area, &places.list.path, names, readings);
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
            let at = at_point(&it.others);
            format!("{}{at}: {}", it.strategy, it.knee)
        });
        let knees = knees.collect::<Vec<_>>().join(" · ");
        return format!("Up to which {setting} {load} gain something: {knees}");
    }
    let knee = &first.knee;
    let mut text = match *knee == first.last {
        _ if findings.iter().all(|it| it.load_reached) => {
            format!("From {setting} = {knee} on all offered {load} are completed")
        }
        true if first.reads => format!("Reads still gain at {setting} = {knee}"),
        true => format!("Writes still gain at {setting} = {knee}"),
        false if findings.iter().any(|it| it.unclear.is_some()) => {
            format!("Beyond {setting} = {knee} no gain of {load} is shown")
        }
        false => format!("Beyond {setting} = {knee} {load} gain nothing"),
    };
    if let Some(dip) = first.dips.first()
        && findings.iter().all(|it| it.is_dip(&dip.value))
    {
        text += &format!(", and {} gives less than {}", dip.value, dip.than);
    }
    text
}

/// Whether both lines are drawn on each other.
fn alike(one: &[Point], other: &[Point]) -> bool {
    let near = |((x, y), (u, v)): (&Point, &Point)| (x - u).hypot(y - v) < RIM;
    one.len() == other.len() && one.iter().zip(other).all(near)
}

impl Line<'_> {
    /// Along `path`, `rim` pixels wider than others; `finding` says which of its points are marked.
    fn draw(
        &self,
        sheet: &Sheet,
        plot: &Plot,
        path: &[Point],
        rim: f64,
        finding: Option<&SweepFinding>,
    ) {
        let colour = self.entry.colour();
        // Nothing leads over what is not known.
        let known = self.points.iter().zip(path).collect::<Vec<_>>();
        let is_gap = |from: f64, to: f64| self.unknown.iter().any(|at| from < *at && *at < to);
        for stretch in known.chunk_by(|(from, _), (to, _)| !is_gap(from.0, to.0)) {
            let stretch: Points = stretch.iter().map(|(_, at)| **at).collect();
            sheet.line(&stretch, WIDTH_OF_LINE + rim, colour);
        }
        for ((place, text, measure), &at) in self.points.iter().zip(path) {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places(values: Value) -> Vec<(f64, String)> {
        let values = serde_json::from_value(values).expect("a list");
        let list = SweptList {
            path: "parameter.buckets".to_owned(),
            values,
        };
        let places = Places::of(&list).ascending().into_iter();
        places.map(|(at, value)| (at, value_text(value))).collect()
    }

    #[test]
    fn numbers_ascend_by_their_logarithms_when_they_are_far_apart() {
        let place = |at: f64, text: &str| (at, text.to_owned());
        assert_eq!(
            places(json!([16, 2, 4])),
            [place(1.0, "2"), place(2.0, "4"), place(4.0, "16")]
        );
        assert_eq!(places(json!([7, 5])), [place(5.0, "5"), place(7.0, "7")]);
        assert_eq!(places(json!([0, 9])), [place(0.0, "0"), place(9.0, "9")]);
    }

    #[test]
    fn words_stand_in_the_order_of_the_file() {
        let place = |at: f64, text: &str| (at, text.to_owned());
        assert_eq!(
            places(json!(["40k/s", "5k/s"])),
            [place(0.0, "40k/s"), place(1.0, "5k/s")]
        );
    }
}
