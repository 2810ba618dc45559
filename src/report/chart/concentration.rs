//! Chart 5: how few regions take the load, with a table for a legend. Must not know keys.

use super::axis::Axis;
use super::canvas::Canvas;
use super::legend_table::{LEFT, LegendTable, Row, SIDE, TOP, draw_axis_names};
use super::picture::units;
use super::{
    Area, Chart, ChartError, Reading, Readings, Readout, finding, overlap, picture as palette,
};
use crate::experiment::{Results, StrategyResult};
use crate::report::number::{self, Kind};
use plotters::element::PathElement;
use plotters::style::Color;

/// Shares whose number of regions is marked.
const MARKED: [f64; 2] = [0.5, 0.8];
/// Points of the line of a perfect spread.
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

    /// Where its points lie on the sheet, when the axis ends at `most` regions.
    fn pixels(&self, most: u64) -> overlap::Points {
        let points = self.tops.iter();
        points.map(|top| pixel(*top, most)).collect()
    }

    /// Its numbers: the most concentrated come first.
    fn row(&self) -> Row<'a> {
        let compact = |regions: u64| Kind::Compact.text(regions as f64);
        Row {
            index: self.index,
            strategy: self.strategy,
            cells: [
                Kind::Percent.text(self.hottest()),
                compact(self.regions_of(MARKED[0])),
                format!(
                    "{} of {}",
                    compact(self.regions_of(MARKED[1])),
                    compact(self.regions())
                ),
            ],
        }
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
    // Grey first, and the first of the file on top.
    let mut order: Vec<&Line<'_>> = lines.iter().collect();
    order.sort_by_key(|line| std::cmp::Reverse(line.index));
    let pixels: Vec<overlap::Points> = order.iter().map(|line| line.pixels(most)).collect();
    let turns = overlap::turns(&pixels);
    let mut notes = vec![
        format!(
            "Thin and grey: a perfect spread over {} regions.",
            number::grouped(most)
        ),
        "The hottest regions of each interval, whichever they are.".to_owned(),
    ];
    if turns.iter().any(|turn| turn.of > 1) {
        notes.push(overlap::NOTE.to_owned());
    }
    let table = LegendTable {
        headings: [
            ["hottest", "region"],
            ["half in", "regions"],
            ["80\u{a0}% in", "regions"],
        ],
        leading: 1,
        rows: lines.iter().map(Line::row).collect(),
        notes,
    };
    let subtitle = "Share of the load on the hottest regions, mean over the intervals of the window · dots: half of the load, four fifths";
    let canvas = Canvas::new(
        table.sheet_height(),
        &finding::concentration(&lines),
        subtitle,
    );
    let x = Axis::log_count(most);
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
    for (line, turn) in order.iter().zip(&turns) {
        let colour = palette::strategy(line.index);
        for piece in overlap::pieces(&pixels[turn.along], *turn) {
            canvas.line(&piece, 2.25, colour);
        }
        for share in MARKED {
            let regions = line.regions_of(share).max(1);
            let at = pixel((regions, line.held_by(regions)), most);
            canvas.circle(at, 3.4, colour, None);
        }
    }
    draw_axis_names(&canvas, "number of regions, hottest first", "share of load");
    table.draw(&canvas);
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
    Readout::along(String::new(), Area::new(LEFT, TOP, SIDE, SIDE), readings)
}

/// Where a share of the hottest regions lies on the sheet, when the axis ends at `most` regions.
fn pixel((regions, share): (u64, f64), most: u64) -> (f64, f64) {
    let right = (regions as f64).ln() / (most as f64).ln();
    (LEFT + SIDE * right, TOP + SIDE * (1.0 - share))
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
