//! Chart 6: what more servers give, key by key, with a table for a legend. Must not know why a key scales.

use super::axis::Axis;
use super::canvas::{Canvas, MARGIN, WIDTH};
use super::picture::Label;
use super::picture::units;
use super::{Chart, ChartError, finding, picture as font, picture as palette};
use crate::experiment::{Results, StrategyResult};
use crate::report::metric;
use crate::report::number::Kind;
use plotters::element::{Circle, PathElement};
use plotters::style::Color;

const TOP: f64 = 84.0;
const HIGH: f64 = 340.0;
const WIDE: f64 = 460.0;
const LEFT: f64 = MARGIN + 62.0;
const TABLE: f64 = LEFT + WIDE + 44.0;

/// One key on several numbers of servers.
pub struct Curve<'a> {
    /// Of its first strategy in the file.
    index: usize,
    /// What its first strategy is called.
    pub name: String,
    /// By number of servers, ascending: (servers, throughput a second).
    pub points: Vec<(u32, f64)>,
    members: Vec<&'a StrategyResult>,
}

impl<'a> Curve<'a> {
    /// The curves of `results`: strategies of one key that differ in servers, in the order of the file.
    pub fn all(results: &'a Results) -> Vec<Self> {
        let mut curves: Vec<Self> = Vec::new();
        for (index, strategy) in results.strategies.iter().enumerate() {
            let throughput = match metric::is_of_reads(strategy) {
                true => "read_throughput_per_sec",
                false => "write_throughput_per_sec",
            };
            let Some(throughput) = metric::value(strategy, throughput) else {
                continue;
            };
            let same_key = |curve: &&mut Self| curve.members[0].key == strategy.key;
            match curves.iter_mut().find(same_key) {
                // Of several on as many servers, which differ in something else, the first.
                Some(curve) if curve.has(strategy.servers) => {}
                Some(curve) => {
                    curve.points.push((strategy.servers, throughput));
                    curve.members.push(strategy);
                }
                None => curves.push(Self {
                    index,
                    name: String::new(),
                    points: vec![(strategy.servers, throughput)],
                    members: vec![strategy],
                }),
            }
        }
        curves.retain_mut(|curve| {
            curve.points.sort_by_key(|(servers, _)| *servers);
            curve.name = finding::name(curve.members[0]);
            curve.points.len() > 1
        });
        curves
    }

    /// Its name inside a sentence.
    pub fn quoted(&self) -> String {
        finding::quoted(self.members[0])
    }

    fn has(&self, servers: u32) -> bool {
        self.points.iter().any(|&(point, _)| point == servers)
    }

    /// Fewest and most servers.
    pub fn servers(&self) -> (u32, u32) {
        (self.points[0].0, self.points[self.points.len() - 1].0)
    }

    /// Throughput at most servers over that at fewest; `None` when nothing was done there.
    pub fn gain(&self) -> Option<f64> {
        let (first, last) = (self.points[0].1, self.points[self.points.len() - 1].1);
        (first > 0.0).then(|| last / first)
    }

    /// What the same gain for each server would give at most.
    fn ideal(&self) -> f64 {
        let (fewest, most) = self.servers();
        self.points[0].1 * f64::from(most) / f64::from(fewest)
    }
}

/// The chart; `None` unless some key was tried on several numbers of servers.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let curves = Curve::all(results);
    if curves.is_empty() {
        return Ok(None);
    }
    let log2 = |servers: u32| f64::from(servers).log2();
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let fewest = points().map(|(servers, _)| servers).min().unwrap_or(1);
    let most = points().map(|(servers, _)| servers).max().unwrap_or(1);
    let mut servers: Vec<u32> = points().map(|(servers, _)| servers).collect();
    servers.sort_unstable();
    servers.dedup();
    let ticks = servers.iter().map(|&n| (log2(n), n.to_string())).collect();
    let highest = curves.iter().map(Curve::ideal).fold(0.0, f64::max);
    let highest = points()
        .map(|(_, throughput)| throughput)
        .fold(highest, f64::max);

    let step = 40.0;
    let table_bottom = TOP + 30.0 + curves.len() as f64 * step;
    let height = (TOP + HIGH + 62.0).max(table_bottom + 66.0);
    let load = metric::load_name(&results.strategies);
    let subtitle = format!(
        "Throughput of {load} on more and more servers · grey: what each key would give if every server added as much as the first ones"
    );
    let canvas = Canvas::new(height, &finding::scaling(&curves), &subtitle);
    let x = Axis::new(log2(fewest)..log2(most), ticks);
    let y = Axis::from_zero(highest, 5);
    let mut plot = canvas.plot((LEFT, TOP), (WIDE, HIGH), x, y, true)?;
    for curve in &curves {
        let (first, last) = curve.servers();
        // A line in throughput per server is a curve over a logarithmic axis.
        let ideal: Vec<(f64, f64)> = (0..=40)
            .map(|point| {
                let n = log2(first) + (log2(last) - log2(first)) * f64::from(point) / 40.0;
                (n, curve.points[0].1 * n.exp2() / f64::from(first))
            })
            .collect();
        let path = PathElement::new(ideal, palette::AXIS.stroke_width(units(1.25) as u32));
        plot.draw_series([path]).map_err(ChartError::new)?;
    }
    // The first of the file on top.
    for curve in curves.iter().rev() {
        let colour = palette::strategy(curve.index);
        let points: Vec<(f64, f64)> = curve
            .points
            .iter()
            .map(|&(servers, throughput)| (log2(servers), throughput))
            .collect();
        let dots = points
            .iter()
            .map(|&point| Circle::new(point, units(3.4), colour.filled()));
        plot.draw_series(dots.collect::<Vec<_>>())
            .map_err(ChartError::new)?;
        let path = PathElement::new(points, colour.stroke_width(units(2.25) as u32));
        plot.draw_series([path]).map_err(ChartError::new)?;
    }
    canvas.text(
        "region servers",
        (LEFT + WIDE / 2.0, TOP + HIGH + 30.0),
        Label::new(11.5).muted().centre().top(),
    );
    canvas.text(
        &format!("{load} a second"),
        (MARGIN + 5.0, TOP + HIGH / 2.0),
        Label::new(11.5).muted().centre().middle().turned(),
    );
    draw_table(&canvas, &curves, step);
    Ok(Some(canvas.finish("scaling".to_owned())))
}

/// Legend and numbers in one.
fn draw_table(canvas: &Canvas, curves: &[Curve<'_>], step: f64) {
    let right = WIDTH - MARGIN;
    let header = Label::new(11.0).muted().right();
    canvas.text("more servers, more throughput", (right, TOP + 18.0), header);
    for (row, curve) in curves.iter().enumerate() {
        let top = TOP + 26.0 + row as f64 * step;
        let colour = palette::strategy(curve.index);
        canvas.line(&[(TABLE, top), (right, top)], 1.0, palette::GRID);
        let y = top + 13.0;
        canvas.line(&[(TABLE, y), (TABLE + 20.0, y)], 2.25, colour);
        canvas.circle((TABLE + 10.0, y), 3.0, colour, None);
        let name = font::fitted(&curve.name, right - TABLE - 28.0, 12.5, false);
        canvas.text(&name, (TABLE + 28.0, y), Label::new(12.5).middle());
        let (fewest, most) = curve.servers();
        let servers = Kind::Ratio.text(f64::from(most) / f64::from(fewest));
        let gain = curve.gain().map_or_else(
            || "nothing done".to_owned(),
            |gain| format!("{} the throughput", Kind::Ratio.text(gain)),
        );
        let text = format!("{servers} the servers, {gain}");
        canvas.text(
            &text,
            (right, top + 29.0),
            Label::new(12.0).right().middle(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

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
            let throughput = "write_throughput_per_sec".to_owned();
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
        assert_eq!(curves[0].name, "sixteen");
        assert_eq!(
            (curves[0].gain(), curves[0].ideal()),
            (Some(1.05), 40_000.0)
        );
        let chart = draw(&results).expect("it can be drawn").expect("a curve");
        assert!(
            chart.title.contains("twice") || chart.title.contains('×'),
            "{}",
            chart.title
        );
    }

    #[test]
    fn keys_on_one_number_of_servers_have_no_curve() {
        assert!(
            draw(&sample::five_keys())
                .expect("it can be drawn")
                .is_none()
        );
    }
}
