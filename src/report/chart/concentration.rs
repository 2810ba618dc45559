//! Chart 5: how few regions take the load, with a table for a legend. Must not know keys.

use super::axis::Axis;
use super::canvas::{Canvas, Label, MARGIN, WIDTH};
use super::svg_backend::units;
use super::{Area, Chart, ChartError, Reading, Readings, Readout, finding, font, palette};
use crate::experiment::{Results, StrategyResult};
use crate::report::number::{self, Kind};
use plotters::element::{Circle, PathElement};
use plotters::style::Color;

const TOP: f64 = 84.0;
const SIDE: f64 = 400.0;
const LEFT: f64 = MARGIN + 62.0;
const TABLE: f64 = LEFT + SIDE + 60.0;
/// Shares whose number of regions is marked.
const MARKED: [f64; 2] = [0.5, 0.8];
/// Readings of the line of a perfect spread.
const EVEN_POINTS: u32 = 60;

/// One strategy's line.
pub struct Line<'a> {
    index: usize,
    /// Whose.
    pub strategy: &'a StrategyResult,
    /// (k, share of the k hottest regions), ascending.
    tops: &'a [(u64, f64)],
}

impl<'a> Line<'a> {
    fn of(index: usize, strategy: &'a StrategyResult) -> Option<Self> {
        let tops = strategy.series.as_ref()?.top_regions.as_slice();
        (!tops.is_empty()).then_some(Self {
            index,
            strategy,
            tops,
        })
    }

    /// All regions.
    pub fn regions(&self) -> u64 {
        self.tops.last().map_or(0, |(regions, _)| *regions)
    }

    /// The least number of regions that takes `share`; where the points are apart, between them.
    pub fn regions_of(&self, share: f64) -> u64 {
        // A mean of many shares of 1 may fall short by a rounding error.
        let at = self.tops.partition_point(|(_, held)| *held < share - 1e-9);
        let Some(&(regions, held)) = self.tops.get(at) else {
            return self.regions();
        };
        let Some(&(fewer, less)) = at.checked_sub(1).and_then(|at| self.tops.get(at)) else {
            return regions;
        };
        let part = (share - less) / (held - less);
        fewer + ((regions - fewer) as f64 * part.clamp(0.0, 1.0)).ceil() as u64
    }

    /// The share of the `regions` hottest; where the points are apart, between them.
    fn held_by(&self, regions: u64) -> f64 {
        let at = self.tops.partition_point(|(top, _)| *top < regions);
        let Some(&(top, held)) = self.tops.get(at) else {
            return 1.0;
        };
        let Some(&(fewer, less)) = at.checked_sub(1).and_then(|at| self.tops.get(at)) else {
            return held;
        };
        // Straight between points of the drawn axis, which is logarithmic.
        let log = |regions: u64| (regions as f64).ln();
        less + (held - less) * (log(regions) - log(fewer)) / (log(top) - log(fewer))
    }

    /// Share of the hottest.
    fn hottest(&self) -> f64 {
        self.tops.first().map_or(0.0, |(_, share)| *share)
    }
}

/// The chart; `None` unless some strategy has more than one region to concentrate on.
pub fn draw(results: &Results) -> Result<Option<Chart>, ChartError> {
    let mut lines: Vec<Line<'_>> = results
        .strategies
        .iter()
        .enumerate()
        .filter_map(|(index, strategy)| Line::of(index, strategy))
        .collect();
    let most = lines.iter().map(Line::regions).max().unwrap_or(0);
    if most < 2 {
        return Ok(None);
    }
    // Stable: equals stay in file order.
    lines.sort_by_key(|line| line.regions_of(MARKED[0]));
    let step = if lines.len() <= 12 { 28.0 } else { 20.0 };
    let table_bottom = TOP + 30.0 + lines.len() as f64 * step;
    let height = (TOP + SIDE + 62.0).max(table_bottom + 66.0);
    let subtitle = "Share of the load on the hottest regions, mean over the intervals of the window · dots: half of the load, four fifths";
    let canvas = Canvas::new(height, &finding::concentration(&lines), subtitle);
    let x = Axis::log10(1.0, most as f64, number::tick);
    let mut plot = canvas.plot((LEFT, TOP), (SIDE, SIDE), x, Axis::share(), true)?;
    let even = (0..=EVEN_POINTS).map(|point| {
        let x = (most as f64).log10() * f64::from(point) / f64::from(EVEN_POINTS);
        (x, 10f64.powf(x) / most as f64)
    });
    let even = PathElement::new(
        even.collect::<Vec<_>>(),
        palette::AXIS.stroke_width(units(1.25) as u32),
    );
    plot.draw_series([even]).map_err(ChartError::new)?;
    // Grey first, and the first of the file on top.
    let mut order: Vec<&Line<'_>> = lines.iter().collect();
    order.sort_by_key(|line| std::cmp::Reverse(line.index));
    for line in order {
        let colour = palette::strategy(line.index);
        let points: Vec<(f64, f64)> = line
            .tops
            .iter()
            .map(|(regions, share)| ((*regions as f64).log10(), *share))
            .collect();
        let path = PathElement::new(points, colour.stroke_width(units(2.25) as u32));
        plot.draw_series([path]).map_err(ChartError::new)?;
        let dots = MARKED.map(|share| {
            let regions = line.regions_of(share).max(1);
            Circle::new(
                ((regions as f64).log10(), line.held_by(regions)),
                units(3.4),
                colour.filled(),
            )
        });
        plot.draw_series(dots).map_err(ChartError::new)?;
    }
    canvas.text(
        "number of regions, hottest first",
        (LEFT + SIDE / 2.0, TOP + SIDE + 30.0),
        Label::new(11.5).muted().centre().top(),
    );
    canvas.text(
        "share of load",
        (MARGIN + 5.0, TOP + SIDE / 2.0),
        Label::new(11.5).muted().centre().middle().turned(),
    );
    draw_table(&canvas, &lines, step);
    let note = [
        format!(
            "Grey: a perfect spread over {} regions.",
            number::grouped(most)
        ),
        "The hottest regions of each interval, whichever they are.".to_owned(),
    ];
    for (index, line) in note.iter().enumerate() {
        let y = table_bottom + 14.0 + index as f64 * 17.0;
        canvas.text(line, (TABLE, y), Label::new(11.5).muted().top());
    }
    let chart = canvas.finish("concentration".to_owned());
    Ok(Some(chart.with_readouts(vec![readout(&lines, most)])))
}

/// What the hottest regions take under each strategy.
fn readout(lines: &[Line<'_>], most: u64) -> Readout {
    let mut counts: Vec<u64> = lines
        .iter()
        .flat_map(|line| line.tops.iter().map(|(regions, _)| *regions))
        .collect();
    counts.sort_unstable();
    counts.dedup();
    let reading = |regions: u64| Reading {
        x: LEFT + SIDE * (regions as f64).ln() / (most as f64).ln(),
        y: None,
        label: match regions {
            1 => "the hottest region".to_owned(),
            n => format!("the {} hottest regions", number::grouped(n)),
        },
        values: lines
            .iter()
            .map(|line| Kind::Percent.text(line.held_by(regions)))
            .collect(),
    };
    let readings = Readings {
        along: "share of the load".to_owned(),
        names: lines
            .iter()
            .map(|line| finding::name(line.strategy))
            .collect(),
        readings: counts.into_iter().map(reading).collect(),
    };
    Readout::along(String::new(), Area::square((LEFT, TOP), SIDE), readings)
}

/// Legend and numbers in one: the most concentrated first.
fn draw_table(canvas: &Canvas, lines: &[Line<'_>], step: f64) {
    let right = WIDTH - MARGIN;
    let (most_x, half_x, hottest_x) = (right, right - 84.0, right - 156.0);
    let header = |text: &str, x: f64, line: f64| {
        canvas.text(text, (x, TOP + line), Label::new(11.0).muted().right());
    };
    header("hottest", hottest_x, 5.0);
    header("region", hottest_x, 18.0);
    header("half in", half_x, 5.0);
    header("regions", half_x, 18.0);
    header("80\u{a0}% in", most_x, 5.0);
    header("regions", most_x, 18.0);
    for (row, line) in lines.iter().enumerate() {
        let top = TOP + 26.0 + row as f64 * step;
        let y = top + step / 2.0;
        canvas.line(&[(TABLE, top), (right, top)], 1.0, palette::GRID);
        let colour = palette::strategy(line.index);
        canvas.line(&[(TABLE, y), (TABLE + 20.0, y)], 2.25, colour);
        canvas.circle((TABLE + 10.0, y), 3.0, colour, None);
        let name = font::fitted(
            &finding::name(line.strategy),
            hottest_x - 48.0 - (TABLE + 28.0),
            12.5,
            false,
        );
        canvas.text(&name, (TABLE + 28.0, y), Label::new(12.5).middle());
        let cell = |text: &str, x: f64, label: Label| {
            canvas.text(text, (x, y), label.right().middle());
        };
        let hottest = Kind::Percent.text(line.hottest());
        cell(&hottest, hottest_x, Label::new(12.5));
        let half = Kind::Compact.text(line.regions_of(MARKED[0]) as f64);
        cell(&half, half_x, Label::new(12.5).bold());
        let of = format!(
            "{} of {}",
            Kind::Compact.text(line.regions_of(MARKED[1]) as f64),
            Kind::Compact.text(line.regions() as f64)
        );
        cell(&of, most_x, Label::new(12.5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn numbers_of_regions_are_read_off_the_line() {
        let mut strategy = sample::strategy("s", 2, &[&[30u64, 30]]);
        strategy.series.as_mut().unwrap().top_regions =
            vec![(1, 0.3), (2, 0.5), (10, 0.7), (20, 1.0)];
        let line = Line::of(0, &strategy).unwrap();
        assert_eq!(
            [0.2, 0.3, 0.5, 0.6, 0.8, 1.0].map(|share| line.regions_of(share)),
            [1, 1, 2, 6, 14, 20]
        );
        assert_eq!(
            [1, 2, 10, 20, 30].map(|regions| line.held_by(regions)),
            [0.3, 0.5, 0.7, 1.0, 1.0]
        );
        assert!((0.7..0.95).contains(&line.held_by(14)));
        strategy.series.as_mut().unwrap().top_regions = vec![];
        assert!(Line::of(0, &strategy).is_none());
    }
}
