//! The colours of the charts, and the arithmetic that shows that they can be told apart.

use plotters::style::RGBColor;

/// A colour and how much of it covers what lies below (0 to 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// The colour.
    pub colour: RGBColor,
    /// 1 is opaque.
    pub opacity: f64,
}

impl Paint {
    /// A colour of which so much covers what lies below.
    pub const fn new(colour: RGBColor, opacity: f64) -> Self {
        Self { colour, opacity }
    }
}

impl From<RGBColor> for Paint {
    fn from(colour: RGBColor) -> Self {
        Self::new(colour, 1.0)
    }
}

/// `#rrggbb`.
pub fn hex(colour: RGBColor) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2)
}

/// Text.
pub const INK: RGBColor = RGBColor(0x1b, 0x1f, 0x24);
/// Secondary text.
pub const MUTED: RGBColor = RGBColor(0x5b, 0x65, 0x70);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xe3, 0xe7, 0xeb);
/// Axes.
pub const AXIS: RGBColor = RGBColor(0xb4, 0xbc, 0xc4);
/// Where nothing happened; also boxes behind labels.
pub const EMPTY: RGBColor = RGBColor(0xee, 0xf0, 0xf3);
/// Background.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
/// Lines that are context, not the message.
pub const GREY: RGBColor = RGBColor(0x8a, 0x94, 0x9e);

/// Strategies in file order. Found by search: at least 3:1 against white and CIE76 distance 36 between any two, for
/// normal sight and simulated protanopia, deuteranopia and tritanopia (the test computes both).
pub const STRATEGIES: [RGBColor; 6] = [
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x66, 0x11, 0x00),
    RGBColor(0x33, 0x22, 0x88),
    RGBColor(0x1a, 0x85, 0xff),
    RGBColor(0x30, 0x08, 0x30),
];

/// The same strategies on [`DARK_PAPER`], found by the same search with at least 4:1.
pub const DARK_STRATEGIES: [RGBColor; 6] = [
    RGBColor(0xff, 0x0f, 0x0f),
    RGBColor(0xc3, 0x69, 0x69),
    RGBColor(0xd2, 0xff, 0x2d),
    RGBColor(0x96, 0x4b, 0xff),
    RGBColor(0x2d, 0x87, 0xc3),
    RGBColor(0x78, 0xff, 0xff),
];
/// Background of the dark theme.
pub const DARK_PAPER: RGBColor = RGBColor(0x14, 0x17, 0x1b);

/// The colour of the strategy at `index` in the file: the same in every chart; grey from the seventh on.
pub fn strategy(index: usize) -> RGBColor {
    STRATEGIES.get(index).copied().unwrap_or(GREY)
}

/// The colour of text that names what `colour` is the colour of: grey lines are too pale for letters.
pub fn text(colour: RGBColor) -> RGBColor {
    if colour == GREY { MUTED } else { colour }
}

/// Steps of heat that differ: one byte of an indexed image, less one for "nothing".
pub const HEAT_STEPS: usize = 255;

/// Steps of [`load_colour`] on either side of the fair share.
pub const LOAD_STEPS: i32 = 16;

/// Colour of a server's load relative to its fair share, from -[`LOAD_STEPS`] (idle) over 0 (fair, transparent) to
/// [`LOAD_STEPS`] (one server does everything). Idle is pale, so that it does not shout louder than hot.
pub fn load_colour(step: i32) -> Paint {
    let strength = f64::from(step.abs().min(LOAD_STEPS)) / f64::from(LOAD_STEPS);
    match step < 0 {
        true => Paint::new(RGBColor(0x5b, 0x8f, 0xc9), strength * 0.30),
        false => Paint::new(RGBColor(0xc4, 0x40, 0x05), strength),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HeatColours;
    use super::*;

    fn linear(colour: RGBColor) -> [f64; 3] {
        [colour.0, colour.1, colour.2].map(|value| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// WCAG contrast against white.
    fn contrast(colour: RGBColor) -> f64 {
        1.05 / (luminance(colour) + 0.05)
    }

    fn luminance(colour: RGBColor) -> f64 {
        let [r, g, b] = linear(colour);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// CIE L*a*b* under D65 of a linear sRGB colour.
    fn lab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let f = |t: f64| {
            if t > 0.008_856 {
                t.cbrt()
            } else {
                7.787 * t + 16.0 / 116.0
            }
        };
        let x = f((0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47);
        let y = f(0.212_672_9 * r + 0.715_152_2 * g + 0.072_175_0 * b);
        let z = f((0.019_333_9 * r + 0.119_192_0 * g + 0.950_304_1 * b) / 1.088_83);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Normal sight, then protanopia, deuteranopia, tritanopia at full severity (Machado, Oliveira, Fernandes 2009).
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    /// The least CIE76 distance of two colours over the four kinds of sight.
    fn distance(a: RGBColor, b: RGBColor) -> f64 {
        let seen = |colour: RGBColor, sight: &[[f64; 3]; 3]| {
            let light = linear(colour);
            lab([0, 1, 2].map(|row| {
                (0..3)
                    .map(|i| sight[row][i] * light[i])
                    .sum::<f64>()
                    .clamp(0.0, 1.0)
            }))
        };
        let apart = |sight: &[[f64; 3]; 3]| {
            let (a, b) = (seen(a, sight), seen(b, sight));
            (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
        };
        SIGHTS.iter().map(apart).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn strategies_can_be_told_apart_by_everybody_and_read_on_white() {
        for (index, colour) in STRATEGIES.iter().enumerate() {
            assert!(
                contrast(*colour) >= 3.0,
                "{colour:?}: contrast {}",
                contrast(*colour)
            );
            for other in &STRATEGIES[..index] {
                assert!(
                    distance(*colour, *other) >= 36.0,
                    "{colour:?} and {other:?}: {}",
                    distance(*colour, *other)
                );
            }
        }
    }

    #[test]
    fn strategies_can_be_told_apart_on_dark_paper_too() {
        for (index, colour) in DARK_STRATEGIES.iter().enumerate() {
            let contrast = (luminance(*colour) + 0.05) / (luminance(DARK_PAPER) + 0.05);
            assert!(contrast >= 4.0, "{colour:?}: {contrast}");
            for other in &DARK_STRATEGIES[..index] {
                let apart = distance(*colour, *other);
                assert!(apart >= 36.0, "{colour:?} and {other:?}: {apart}");
            }
        }
    }

    #[test]
    fn text_has_the_contrast_that_small_print_needs() {
        // WCAG AA for text below 18 pt is 4.5:1; grey lines count as graphics, 3:1.
        assert!(contrast(INK) >= 4.5 && contrast(MUTED) >= 4.5);
        assert!(contrast(GREY) >= 3.0, "{}", contrast(GREY));
    }

    #[test]
    fn heat_gets_lighter_all_the_way() {
        for &colours in HeatColours::ALL {
            let lightness: Vec<f64> = (0..=64)
                .map(|i| lab(linear(colours.at(f64::from(i) / 64.0)))[0])
                .collect();
            assert!(
                lightness.windows(2).all(|pair| pair[1] > pair[0]),
                "{colours:?}: {lightness:?}"
            );
        }
    }
}
