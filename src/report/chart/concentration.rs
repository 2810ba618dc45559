//! Chart 5: how few regions take the load.

use super::prelude::*;
use super::square::{Curve, Square, place, plot};

/// What shows that one strategy's load is the more concentrated.
const HOTTEST: MetricPath = MetricId::RegionMaxShare.whole();
use std::collections::BTreeSet;

/// Shares whose number of regions is marked.
const MARKED: [f64; 2] = [0.5, 0.8];
/// Points of the line of a perfect spread.
const EVEN_POINTS: u32 = 60;

/// One strategy's line.
struct Line<'a> {
    entry: Entry<'a>,
    /// (k, share of the k hottest regions), ascending.
    tops: &'a [(u64, f64)],
}

impl<'a> Line<'a> {
    fn of(entry: Entry<'a>) -> Option<Self> {
        let tops = entry.strategy.series.as_ref()?.top_regions.as_slice();
        (!tops.is_empty()).then_some(Self { entry, tops })
    }

    /// All regions.
    fn regions(&self) -> u64 {
        self.tops.last().map_or(0, |(regions, _)| *regions)
    }

    /// The least number of regions that takes `share`; where the points are apart, between them.
    fn regions_of(&self, share: f64) -> u64 {
        // A mean of many shares of 1 may fall short by a rounding error.
        let at = self.tops.partition_point(|(_, held)| *held < share - 1e-9);
        match (at.checked_sub(1), self.tops.get(at)) {
            (_, None) => self.regions(),
            (None, Some((regions, _))) => *regions,
            (Some(before), Some((regions, held))) => {
                let (fewer, less) = self.tops[before];
                let part = ((share - less) / (held - less)).clamp(0.0, 1.0);
                fewer + ((regions - fewer) as f64 * part).ceil() as u64
            }
        }
    }

    /// The share of the `regions` hottest; where the points are apart, straight between points of the drawn axis, which is logarithmic.
    fn held_by(&self, regions: u64) -> f64 {
        let ln = |regions: u64| (regions as f64).ln();
        let point = |(top, held): &(u64, f64)| (ln(*top), *held);
        let points: Points = self.tops.iter().map(point).collect();
        match regions > self.regions() {
            true => 1.0,
            false => height(&points, ln(regions)),
        }
    }

    fn curve(&self, plot: Area, most: u64) -> Curve<'a> {
        let dot = |share: f64| {
            let regions = self.regions_of(share).max(1);
            on_log_axis(plot, (regions, self.held_by(regions)), most)
        };
        let points = self.tops.iter().map(|top| on_log_axis(plot, *top, most));
        let hottest = self.tops.first().map_or(0.0, |(_, share)| *share);
        let [half, most_of_it] = MARKED.map(|share| compact(self.regions_of(share)));
        Curve {
            entry: self.entry,
            points: points.collect(),
            dots: (MARKED.map(dot).to_vec(), 3.4),
            cells: vec![
                Percent.text(hottest),
                half,
                format!("{most_of_it} of {}", compact(self.regions())),
            ],
        }
    }
}

fn compact(regions: u64) -> String {
    Compact.text(regions as f64)
}

/// Where a share of the hottest regions lies on the sheet, when the axis ends at `most` regions.
fn on_log_axis(plot: Area, (regions, share): (u64, f64), most: u64) -> Point {
    place(plot, (regions as f64).ln() / (most as f64).ln(), share)
}

/// The chart; `None` unless some strategy has more than one region to concentrate on.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let mut lines: Vec<Line<'_>> = Entry::all(results).filter_map(Line::of).collect();
    let most = lines.iter().map(Line::regions).max();
    let most = most.filter(|most| *most > 1)?;
    // The most concentrated first. Stable: equals stay in file order.
    lines.sort_by_key(|line| line.regions_of(MARKED[0]));
    let even = (0..=EVEN_POINTS).map(|point| {
        let x = (most as f64).log10() * f64::from(point) / f64::from(EVEN_POINTS);
        (x, 10f64.powf(x) / most as f64)
    });
    let even_spread = number::grouped(most);
    let plot = plot(viewport);
    let square = Square {
        viewport,
        kind: ChartKind::Concentration,
        title: title(&lines),
        subtitle: "Share of the load on the hottest regions, mean over the intervals of the window · dots: half of the load, four fifths",
        x: (
            Axis::log_count(most, plot.width),
            "number of regions, hottest first",
        ),
        y: (Axis::share(), "share of load"),
        ideals: vec![even.collect()],
        headings: &[
            ["hottest", "region"],
            ["half in", "regions"],
            ["80\u{a0}% in", "regions"],
        ],
        leading: 1,
        curves: lines.iter().map(|line| line.curve(plot, most)).collect(),
        notes: vec![
            format!(
                "Thin and grey: a perfect spread over {}.",
                number::counted(even_spread, "region")
            ),
            "The hottest regions of each interval, whichever they are.".to_owned(),
        ],
        readings: ("share of the load", readings(&lines, plot, most)),
    };
    Some(square.draw())
}

/// What the hottest regions take under each strategy.
fn readings(lines: &[Line<'_>], plot: Area, most: u64) -> Vec<Reading> {
    let tops = lines.iter().flat_map(|line| line.tops);
    let counts: BTreeSet<u64> = tops.map(|(regions, _)| *regions).collect();
    let reading = |regions: u64| {
        let label = match regions {
            1 => "the hottest region".to_owned(),
            n => format!("the {} hottest regions", number::grouped(n)),
        };
        let held = |line: &Line<'_>| Percent.text(line.held_by(regions));
        let (x, _) = on_log_axis(plot, (regions, 0.0), most);
        Reading::at(x, label, lines.iter().map(held))
    };
    counts.into_iter().map(reading).collect()
}

/// How few regions take half of the load; `lines` has the most concentrated first.
fn title(lines: &[Line<'_>]) -> String {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return "How few regions take the load".to_owned();
    };
    let half = |line: &Line<'_>, at_a_time: &str| match line.regions() {
        1 => "the only region".to_owned(),
        all => {
            let (half, all) = (compact(line.regions_of(0.5)), compact(all));
            format!("{half} of {all} regions{at_a_time}")
        }
    };
    let (fewest, most) = (first.regions_of(0.5), last.regions_of(0.5));
    let load = metric::load_name([first.entry.strategy]);
    let goes_to = format!("half of the {load} go to");
    let first_half = half(first, " at a time");
    if lines.len() == 1 {
        return format!("{}: {goes_to} {first_half}", name(first.entry.strategy));
    }
    if lines.iter().all(|line| line.regions() == last.regions()) {
        if fewest == most {
            return format!("Every strategy: {goes_to} {first_half}");
        }
        let [one, other] = [first, last].map(|line| line.entry.strategy);
        let known = metric::measure(one, HOTTEST).is_some();
        let tied = known && !is_shown_above(one, other, HOTTEST);
        if most as f64 <= fewest as f64 * ALIKE_WITHIN || tied {
            let (fewest, last) = (compact(fewest), half(last, " at a time"));
            return format!("Every strategy: {goes_to} {fewest} to {last}");
        }
    }
    if fewest == most && most > 0 {
        let regions = number::counted(most, "region");
        return format!("Every strategy: {goes_to} {regions} at a time");
    }
    let [one, other] = [first, last].map(|line| name(line.entry.strategy));
    let last_half = half(last, "");
    format!("Half of the {load} go to {first_half} with {one}, to {last_half} with {other}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn numbers_of_regions_are_read_off_the_line() {
        let mut strategy = sample::strategy("s", 2, &[&[30u64, 30]]);
        strategy.series.as_mut().unwrap().top_regions =
            vec![(1, 0.3), (2, 0.5), (10, 0.7), (20, 1.0)];
        fn entry(strategy: &StrategyResult) -> Entry<'_> {
            Entry { index: 0, strategy }
        }
        let line = Line::of(entry(&strategy)).unwrap();
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
        assert!(Line::of(entry(&strategy)).is_none());
    }
}
