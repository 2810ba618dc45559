//! Axes with exact ticks: plotters' own key points can't be labelled for floats, and its log axes print debug floats.
//! A log axis is an axis over the logarithm.

use crate::report::chart::picture::width;
use crate::report::number::{self, NumberFormat};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis from `start` to `end` with labelled ticks.
#[derive(Debug, Clone)]
pub struct Axis {
    range: Range<f64>,
    /// Ticks and their labels.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis with the ticks that lie in it.
    pub fn new(range: Range<f64>, ticks: Vec<(f64, String)>) -> Self {
        let slack = (range.end - range.start).abs() * 1e-9;
        let inside = |value: f64| value >= range.start - slack && value <= range.end + slack;
        let ticks = ticks.into_iter().filter(|(value, _)| inside(*value));
        let ticks = ticks.collect();
        Self { range, ticks }
    }

    /// From 0 to a round number at or above `max`, about `count` ticks, labelled compactly; 0 to 1 when `max` is not
    /// positive.
    pub fn from_zero(max: f64, count: usize) -> Self {
        Self::from_zero_in(NumberFormat::Compact, max, count)
    }

    /// The same of numbers in this format: times have their unit.
    pub fn from_zero_in(format: NumberFormat, max: f64, count: usize) -> Self {
        let label = match format {
            NumberFormat::Millis => tick_ms,
            _ => number::tick,
        };
        let positive = Some(max).filter(|max| *max > 0.0 && max.is_finite());
        let max = positive.unwrap_or(1.0);
        let step = round_step(max / count as f64);
        let steps = (max / step - 1e-9).ceil().max(1.0) as usize;
        let ticks = (0..=steps).map(|i| i as f64 * step);
        let ticks = ticks.map(|value| (value, label(value))).collect();
        Self::new(0.0..steps as f64 * step, ticks)
    }

    /// Simulated time from 0 to `seconds`, at most `count` ticks, in [`TimeUnit::of`] the whole.
    pub fn time(seconds: f64, count: usize) -> Self {
        let unit = TimeUnit::of(seconds);
        let whole = seconds / unit.seconds;
        let step = unit.step(whole / count as f64);
        let ticks = (0..=(whole / step + 1e-9) as usize).map(|i| i as f64 * step);
        let ticks = ticks.map(|value| (value * unit.seconds, number::trimmed(value, 3)));
        Self::new(0.0..seconds, ticks.collect())
    }

    /// Percent from 0 to 100, every 25.
    pub fn share() -> Self {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|it| (it, NumberFormat::Percent.text(it)));
        Self::new(0.0..1.0, ticks.to_vec())
    }

    /// The logarithm (base 10) of a positive quantity between `low` and `high`, ticks at 1, 2, 5 or, over more than three
    /// decades, at the decades alone; more of them where those are too few to read a value off.
    pub fn log10(low: f64, high: f64, label: impl Fn(f64) -> String) -> Self {
        const FEWEST: usize = 3;
        const MARKS: [&[f64]; 4] = [
            &[1.0],
            &[1.0, 2.0, 5.0],
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        ];
        let range = low.log10()..high.log10();
        let decades = range.start.floor() as i32..=range.end.ceil() as i32;
        let with = |marks: &[f64]| {
            let ticks = decades
                .clone()
                .flat_map(|decade| marks.iter().map(move |mark| mark * 10f64.powi(decade)));
            let ticks = ticks.map(|value| (value.log10(), label(value))).collect();
            Self::new(range.clone(), ticks)
        };
        let coarsest = usize::from(range.end - range.start <= 3.0);
        let readable = |axis: &Self| axis.ticks.len() >= FEWEST;
        let [.., finest] = MARKS;
        let mut axes = MARKS[coarsest..].iter().map(|marks| with(marks));
        axes.find(readable).unwrap_or_else(|| with(finest))
    }

    /// The logarithm of a count from 1 to `most`, with whole numbers for ticks, one of them at the end, on so many pixels.
    pub fn log_count(most: u64, pixels: f64) -> Self {
        let end = most.max(2) as f64;
        let mut axis = Self::log10(1.0, end, number::tick);
        let whole = |value: f64| (10f64.powf(value) - 10f64.powf(value).round()).abs() < 1e-6;
        // Labels take the more room, the more digits they have.
        let apart = (12.0 + 5.0 * number::tick(end).len() as f64) / pixels;
        let near = |fraction: f64| 1.0 - fraction < apart;
        let ticks = axis.ticks.iter();
        let ticks = ticks.filter(|(value, _)| whole(*value) && !near(axis.fraction(*value)));
        let mut ticks: Vec<_> = ticks.cloned().collect();
        ticks.push((end.log10(), number::tick(end)));
        axis.ticks = ticks;
        axis
    }

    /// The same without the ticks whose labels would touch the one left of them on so many pixels.
    pub fn readable_in(mut self, pixels: f64) -> Self {
        let mut last: Option<(f64, f64)> = None;
        let places: Vec<f64> = self.ticks.iter().map(|it| self.fraction(it.0)).collect();
        let mut places = places.into_iter();
        self.ticks.retain(|(_, text)| {
            let at = places.next().unwrap_or(0.0) * pixels;
            let wide = width(text, 10.5, false);
            let fits = last.is_none_or(|(before, half)| at - before >= half + wide / 2.0 + 6.0);
            if fits {
                last = Some((at, wide / 2.0));
            }
            fits
        });
        self
    }

    /// Its last tick.
    pub fn last_tick(&self) -> f64 {
        self.ticks.last().map_or(1.0, |(value, _)| *value)
    }

    /// Where `value` lies, as a fraction of the axis.
    pub fn fraction(&self, value: f64) -> f64 {
        (value - self.range.start) / (self.range.end - self.range.start)
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (f64::from(limit.1 - limit.0) * self.fraction(*value)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(value, _)| *value).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == value);
        tick.map_or(String::new(), |(_, label)| label.clone())
    }
}

/// The least and the greatest of some numbers; of none, infinity and its opposite.
pub fn extent(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let wider = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    values.into_iter().fold(none, wider)
}

/// A tick of an axis of response times: milliseconds below a second, seconds from there on.
pub fn tick_ms(ms: f64) -> String {
    match ms {
        ms if ms < 999.5 => format!("{}\u{a0}ms", number::trimmed(ms, 3)),
        // Half seconds are ticks as well.
        ms if ms < 999.5e3 => format!("{}\u{a0}s", number::trimmed(ms / 1e3, 3)),
        ms => format!("{}\u{a0}s", number::grouped((ms / 1e3).round() as u64)),
    }
}

/// The unit of a time axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    /// As the axis calls it.
    pub name: &'static str,
    /// Its length.
    pub seconds: f64,
}

impl TimeUnit {
    /// The unit that gives numbers of one to three digits for a run of `seconds`.
    pub fn of(seconds: f64) -> Self {
        let (name, seconds) = match seconds {
            s if s < 1.0 => ("ms", 1e-3),
            s if s <= 180.0 => ("s", 1.0),
            s if s <= 180.0 * 60.0 => ("min", 60.0),
            s if s <= 72.0 * 3600.0 => ("h", 3600.0),
            _ => ("d", 86_400.0),
        };
        Self { name, seconds }
    }

    /// A round step at or above `raw`: clocks like 15, 30, 60 where the unit has 60 parts.
    fn step(self, raw: f64) -> f64 {
        let clock = [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0];
        let sixty = self.name == "s" || self.name == "min";
        match clock.into_iter().find(|step| *step >= raw - 1e-9) {
            Some(step) if sixty && raw > 0.5 => step,
            _ => round_step(raw),
        }
    }
}

/// 1, 2, 2.5 or 5 times a power of ten, at or above `raw` > 0.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let scaled = raw / power;
    let mut round = [1.0, 2.0, 2.5, 5.0].into_iter();
    round.find(|step| *step >= scaled - 1e-9).unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_reach_the_maximum() {
        assert_eq!(
            labels(&Axis::from_zero(41_900.0, 4)),
            ["0", "20k", "40k", "60k"]
        );
        assert_eq!(
            labels(&Axis::from_zero(9_100.0, 4)),
            ["0", "2.5k", "5k", "7.5k", "10k"]
        );
        assert_eq!(
            labels(&Axis::from_zero(0.0, 4)),
            ["0", "0.25", "0.5", "0.75", "1"]
        );
        assert_eq!(labels(&Axis::from_zero(3.0, 4)), ["0", "1", "2", "3"]);
    }

    #[test]
    fn time_is_in_the_unit_of_the_run() {
        assert_eq!(labels(&Axis::time(20.0, 8)), ["0", "5", "10", "15", "20"]);
        assert_eq!(
            labels(&Axis::time(240.0 * 60.0, 8)),
            ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4"]
        );
        assert_eq!(
            labels(&Axis::time(600.0, 8)),
            ["0", "2", "4", "6", "8", "10"]
        );
        assert_eq!(
            labels(&Axis::time(0.4, 4)),
            ["0", "100", "200", "300", "400"]
        );
    }

    #[test]
    fn log_axes_mark_one_two_five_until_that_is_too_much() {
        assert_eq!(
            labels(&Axis::log10(0.8, 12.0, |v| number::trimmed(v, 2))),
            ["1", "2", "5", "10"]
        );
        assert_eq!(
            labels(&Axis::log10(0.5, 20_000.0, |v| number::trimmed(v, 2))),
            ["1", "10", "100", "1000", "10000"]
        );
        assert_eq!(
            labels(&Axis::log10(1.4, 3.4, |v| number::trimmed(v, 2))),
            ["1.5", "2", "3"]
        );
    }

    #[test]
    fn counts_have_whole_ticks_and_one_at_the_end() {
        assert_eq!(labels(&Axis::log_count(1, 400.0)), ["1", "2"]);
        assert_eq!(labels(&Axis::log_count(4, 400.0)), ["1", "2", "3", "4"]);
        assert_eq!(
            labels(&Axis::log_count(64, 400.0)),
            ["1", "2", "5", "10", "20", "50", "64"]
        );
        // 500 would stand in the way of 520, and 100 in that of 128.
        assert_eq!(
            labels(&Axis::log_count(128, 400.0)),
            ["1", "2", "5", "10", "20", "50", "128"]
        );
        assert_eq!(
            labels(&Axis::log_count(520, 400.0)),
            ["1", "2", "5", "10", "20", "50", "100", "200", "520"]
        );
    }
}
