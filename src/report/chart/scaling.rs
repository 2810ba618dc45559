//! Chart 6: what more servers give, key by key, with a table for a legend.

use super::prelude::*;
const PLOT: Area = Area {
    left: MARGIN + 62.0,
    top: 84.0,
    width: 460.0,
    height: 340.0,
};
const TABLE: f64 = PLOT.left + PLOT.width + 44.0;
/// Height of a row of the table.
const STEP: f64 = 40.0;
const RIGHT: f64 = WIDTH - MARGIN;

/// One key on several numbers of servers.
struct Curve<'a> {
    /// Its first strategy in the file.
    entry: Entry<'a>,
    /// By number of servers, ascending: (servers, throughput a second).
    points: Vec<(u32, f64)>,
}

impl<'a> Curve<'a> {
    /// The curves of `results`: strategies of one key that differ in servers, in the order of the file.
    fn all(results: &'a Results) -> Vec<Self> {
        let mut curves: Vec<Self> = Vec::new();
        for entry in Entry::all(results) {
            let strategy = entry.strategy;
            let Some(throughput) = metric::value(strategy, MetricId::WriteThroughput) else {
                continue;
            };
            let point = (strategy.servers, throughput);
            let same_key = |curve: &&mut Self| curve.entry.strategy.key == strategy.key;
            match curves.iter_mut().find(same_key) {
                // Of several on as many servers, which differ in something else, the first.
                Some(curve) if curve.points.iter().any(|(servers, _)| *servers == point.0) => {}
                Some(curve) => curve.points.push(point),
                None => {
                    let points = vec![point];
                    curves.push(Self { entry, points });
                }
            }
        }
        curves.retain_mut(|curve| {
            curve.points.sort_by_key(|(servers, _)| *servers);
            curve.points.len() > 1
        });
        curves
    }

    /// What was done on fewest servers, and on most.
    fn ends(&self) -> [(u32, f64); 2] {
        [self.points[0], self.points[self.points.len() - 1]]
    }

    /// How many times as many servers the most are as the fewest.
    fn servers(&self) -> f64 {
        let [(fewest, _), (most, _)] = self.ends();
        f64::from(most) / f64::from(fewest)
    }

    /// Throughput at most servers over that at fewest; `None` when nothing was done there.
    fn gain(&self) -> Option<f64> {
        let [(_, first), (_, last)] = self.ends();
        (first > 0.0).then(|| last / first)
    }

    /// What so many servers would give if each added as much as the first ones.
    fn ideal(&self, servers: f64) -> f64 {
        let [(fewest, first), _] = self.ends();
        first * servers / f64::from(fewest)
    }
}

fn log2(servers: u32) -> f64 {
    f64::from(servers).log2()
}

/// The chart; `None` unless some key was tried on several numbers of servers.
pub fn draw(results: &Results) -> Option<Chart> {
    let curves = Curve::all(results);
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let mut servers: Vec<u32> = points().map(|(servers, _)| servers).collect();
    servers.sort_unstable();
    servers.dedup();
    let (fewest, most) = (*servers.first()?, *servers.last()?);
    let ticks = servers.iter().map(|&n| (log2(n), n.to_string())).collect();
    let reached = points().map(|(_, throughput)| throughput);
    let ideals = curves.iter().map(|it| it.ideal(f64::from(it.ends()[1].0)));
    let highest = reached.chain(ideals).fold(0.0, f64::max);
    let table_bottom = PLOT.top + 30.0 + curves.len() as f64 * STEP;
    let height = (PLOT.bottom() + 62.0).max(table_bottom + 66.0);
    let load = metric::load_name(&results.strategies);
    let subtitle = format!(
        "Throughput of {load} on more and more servers · grey: what each key would give if every server added as much as the first ones"
    );
    let sheet = Drawing::new(ChartKind::Scaling, title(&curves), &subtitle, height);
    let x = Axis::new(log2(fewest)..log2(most), ticks);
    let mut plot = Plot::new(&sheet, PLOT, x, Axis::from_zero(highest, 5));
    for curve in &curves {
        let [first, last] = curve.ends().map(|(servers, _)| log2(servers));
        // A line in throughput per server is a curve over a logarithmic axis.
        let places = (0..=40).map(|part| first + (last - first) * f64::from(part) / 40.0);
        let ideal = places.map(|n| (n, curve.ideal(n.exp2())));
        plot.path(ideal.collect(), 1.25, AXIS);
    }
    // The first of the file on top.
    for curve in curves.iter().rev() {
        let points = curve.points.iter().map(|&(n, done)| (log2(n), done));
        let points: Vec<(f64, f64)> = points.collect();
        plot.dots(&points, 3.4, curve.entry.colour());
        plot.path(points, 2.25, curve.entry.colour());
    }
    plot.name_below("region servers", 30.0);
    plot.name_beside(&format!("{load} a second"), MARGIN + 5.0);
    draw_table(&sheet, &curves);
    Some(sheet.finish())
}

/// Legend and numbers in one.
fn draw_table(sheet: &Sheet, curves: &[Curve<'_>]) {
    let at = (RIGHT, PLOT.top + 18.0);
    sheet.text("more servers, more throughput", at, muted(11.0).right());
    for (row, curve) in curves.iter().enumerate() {
        let top = PLOT.top + 26.0 + row as f64 * STEP;
        sheet.line(&[(TABLE, top), (RIGHT, top)], 1.0, GRID);
        legend_key(sheet, (TABLE, top + 13.0), curve.entry.colour());
        let name = fitted(&curve.entry.name(), RIGHT - TABLE - 28.0, 12.5, false);
        sheet.text(&name, (TABLE + 28.0, top + 13.0), ink(12.5).middle());
        let servers = NumberFormat::Ratio.text(curve.servers());
        let gain = match curve.gain() {
            Some(gain) => format!("{} the throughput", NumberFormat::Ratio.text(gain)),
            None => "nothing done".to_owned(),
        };
        let text = format!("{servers} the servers, {gain}");
        sheet.text(&text, (RIGHT, top + 29.0), ink(12.0).right().middle());
    }
}

/// What more servers give the key that gains least, and the one that gains most.
fn title(curves: &[Curve<'_>]) -> String {
    let gains = || curves.iter().filter_map(|it| Some((it, it.gain()?)));
    let least = gains().min_by(|(_, one), (_, other)| one.total_cmp(other));
    let most = gains().max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (Some((least, low)), Some((most, high))) = (least, most) else {
        return "Throughput on more and more servers".to_owned();
    };
    let [servers, low, high] =
        [least.servers(), low, high].map(|times| NumberFormat::Ratio.text(times));
    if curves.len() == 1 {
        return format!("{servers} the servers give {low} the throughput");
    }
    let [least, most] = [least, most].map(|curve| quoted_name(curve.entry.strategy));
    format!("{servers} the servers give {least} {low} the throughput, and {most} {high}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn a_key_on_several_numbers_of_servers_is_one_curve() {
        let template = sample::strategy("x", 2, &[&[10, 10]]);
        let at = |name: &str, key: &str, servers: u32, throughput: f64| {
            let mut strategy = template.clone();
            strategy.name = name.to_owned();
            strategy.title = name.to_owned();
            strategy.key = key.to_owned();
            strategy.servers = servers;
            let metric = sample::number(throughput);
            let throughput = MetricId::WriteThroughput.name().to_owned();
            strategy.metrics.insert(throughput, metric);
            strategy
        };
        let results = sample::results(vec![
            at("sixteen", "be8(ts)", 16, 21_000.0),
            at("eight", "be8(ts)", 8, 20_000.0),
            at("eight, otherwise", "be8(ts)", 8, 19_000.0),
            at("hashed", "md5(id)", 8, 90_000.0),
        ]);
        let curves = Curve::all(&results);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].points, [(8, 20_000.0), (16, 21_000.0)]);
        assert_eq!(curves[0].entry.name(), "sixteen");
        assert_eq!(
            (curves[0].gain(), curves[0].ideal(16.0)),
            (Some(1.05), 40_000.0)
        );
        let chart = draw(&results).expect("a curve");
        assert!(
            chart.title.contains("twice") || chart.title.contains('×'),
            "{}",
            chart.title
        );
    }

    #[test]
    fn keys_on_one_number_of_servers_have_no_curve() {
        assert!(draw(&sample::five_keys()).is_none());
    }
}
