//! The colour scale of heat, the same for all strategies of an experiment.

use crate::report::chart::prelude::*;
/// A logarithmic scale of rows a second and bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatScale {
    /// One row in one interval, as rows a second: the least that is not nothing.
    low: f64,
    /// The hottest cell of any strategy.
    high: f64,
    colours: HeatColours,
}

impl HeatScale {
    /// The scale that holds every cell of every strategy, in `colours`.
    pub fn of(results: &Results, colours: HeatColours) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0f64);
        for series in results.strategies.iter().flat_map(|it| &it.series) {
            let seconds = series.interval_ms / 1e3;
            let most = series.key_demand.iter().flatten().max().copied();
            low = low.min(1.0 / seconds);
            high = high.max(most.unwrap_or(0) as f64 / seconds);
        }
        if !low.is_finite() {
            low = 1.0;
        }
        // A scale needs two ends, even if nothing was written or every cell got one row.
        let high = high.max(low * 10.0);
        Self { low, high, colours }
    }

    /// Index into [`HeatScale::palette`]: 0 is nothing.
    pub fn index(self, rate: f64) -> u8 {
        if rate <= 0.0 {
            return 0;
        }
        let level = (rate / self.low).ln() / (self.high / self.low).ln();
        1 + (level.clamp(0.0, 1.0) * (HEAT_STEPS - 1) as f64).round() as u8
    }

    /// Nothing (transparent), then heat from least to most.
    pub fn palette(self) -> Vec<Paint> {
        let level = |step| step as f64 / (HEAT_STEPS - 1) as f64;
        let heat = (0..HEAT_STEPS).map(|step| self.colours.at(level(step)).into());
        [Paint::new(EMPTY, 0.0)].into_iter().chain(heat).collect()
    }

    /// What the colours mean.
    pub fn draw_legend(self, sheet: &Sheet, (left, top): Point) {
        const WIDE: f64 = 180.0;
        let label = muted(10.0).centre().top();
        sheet.rect(Area::new(left, top, 20.0, 10.0), EMPTY);
        sheet.text("none", (left + 10.0, top + 14.0), label);
        let bar = left + 44.0;
        let heat = (1..=HEAT_STEPS).map(|index| index as u8).collect();
        let raster = Raster::new(HEAT_STEPS, self.palette(), heat);
        sheet.image(Area::new(bar, top, WIDE, 10.0), raster);
        let axis = Axis::log10(self.low, self.high, number::tick);
        let decade = |value: f64| (value - value.round()).abs() < 1e-9;
        // Over two decades and more, the decades alone leave no gaps in the labels.
        let of_decades = axis.ticks().iter().filter(|(value, _)| decade(*value));
        let decades = of_decades.count() >= 2;
        let ticks = axis.ticks().iter();
        let ticks = ticks.filter(|(value, _)| !decades || decade(*value));
        let ticks = ticks.map(|(value, text)| (axis.fraction(*value), text));
        draw_ticks(sheet, (bar, top + 10.0), WIDE, ticks);
        let at = (bar + WIDE + 14.0, top + 5.0);
        let label = muted(10.5).middle();
        sheet.text("writes a second and bucket", at, label);
    }
}

/// Ticks below a bar of colours, at fractions of its width, with texts where there is room for them.
pub fn draw_ticks<'a>(
    sheet: &Sheet,
    (left, below): Point,
    wide: f64,
    ticks: impl IntoIterator<Item = (f64, &'a String)>,
) {
    let mut free = f64::NEG_INFINITY;
    for (fraction, text) in ticks {
        let x = left + wide * fraction;
        sheet.line(&[(x, below), (x, below + 3.0)], 1.0, MUTED);
        let half = width(text, 10.0, false) / 2.0;
        if x - half > free {
            sheet.text(text, (x, below + 4.0), muted(10.0).centre().top());
            free = x + half + 4.0;
        }
    }
}
