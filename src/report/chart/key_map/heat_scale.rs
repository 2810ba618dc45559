//! The colour scale of heat, the same for all strategies of an experiment, and for all experiments: the writes of a region relative to an even share.

use crate::report::chart::prelude::*;

/// Up to here a region is as cold as can be seen: chance alone leaves some this low.
const LEAST: f64 = 0.8;

/// Contrast of twice the load, as an exponent of the ratio: 2^1.75 is 3.4 to 1 on a grey print, and 1.25 times the load, which chance alone gives,
/// is 1.25^1.75 = 1.48 to 1.
const CONTRAST: f64 = 1.75;

/// From dark, at most the even share, to bright, so many times as much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatScale(pub HeatColours);

impl HeatScale {
    /// What the brightest colour stands for, in even shares, and for more.
    pub fn most(self) -> f64 {
        LEAST * self.0.contrast().powf(1.0 / CONTRAST)
    }

    /// Where so many even shares lie between the least heat (0) and the most (1).
    fn level(self, shares: f64) -> f64 {
        ((shares / LEAST).ln() / (self.most() / LEAST).ln()).clamp(0.0, 1.0)
    }

    /// Index into [`HeatScale::palette`]: 0 is nothing.
    pub fn index(self, shares: f64) -> u8 {
        match shares > 0.0 {
            true => 1 + (self.level(shares) * (HEAT_STEPS - 1) as f64).round() as u8,
            false => 0,
        }
    }

    /// Nothing, then heat from least to most.
    pub fn palette(self) -> Vec<Paint> {
        let level = |step| step as f64 / (HEAT_STEPS - 1) as f64;
        let heat = (0..HEAT_STEPS).map(|step| {
            let contrast = self.0.contrast().powf(level(step));
            self.0.of_contrast(contrast)
        });
        [COLD].into_iter().chain(heat).map(Paint::from).collect()
    }

    /// What the colours mean.
    pub fn draw_legend(self, sheet: &Sheet, (left, top): Point, load: &str) {
        const WIDE: f64 = 180.0;
        let label = muted(10.0).centre().top();
        sheet.rect(Area::new(left, top, 20.0, 10.0), COLD);
        sheet.text("none", (left + 10.0, top + 14.0), label);
        let bar = left + 44.0;
        let heat = (1..=HEAT_STEPS).map(|index| index as u8).collect();
        let raster = Raster::new(HEAT_STEPS, self.palette(), heat);
        sheet.image(Area::new(bar, top, WIDE, 10.0), raster);
        let ticks = [1.0, 2.0, 3.0, 4.0].map(|shares| (self.level(shares), format!("{shares}×")));
        let shown = ticks.iter().filter(|(level, _)| *level < 1.0);
        let ticks = shown.map(|(level, text)| (*level, text));
        draw_ticks(sheet, (bar, top + 10.0), WIDE, ticks);
        let at = (bar + WIDE + 14.0, top + 5.0);
        let label = muted(10.5).middle();
        sheet.text(&format!("{load} ÷ even share"), at, label);
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
