//! The colours of the charts: of text, lines and strategies, of heat, and what stands for them on dark paper; and the arithmetic that shows that
//! they can be told apart.

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
/// Where nothing was written, among heat: darker than any of it, on white and on dark paper.
pub const COLD: RGBColor = RGBColor(0x0c, 0x0c, 0x0f);
/// Lines that are context, not the message.
pub const GREY: RGBColor = RGBColor(0x8a, 0x94, 0x9e);

/// Strategies in file order, on white and on [`DARK_PAPER`]. Found by search: at least 3:1 against white, 4:1 on dark paper, and CIE76
/// distance 36 between any two of the first six, 21 between any two, for normal sight and simulated protanopia, deuteranopia and tritanopia
/// (the tests compute both; 2.3 is just noticeable).
pub const STRATEGIES: [(RGBColor, RGBColor); 10] = [
    (RGBColor(0xd5, 0x5e, 0x00), RGBColor(0xc3, 0x78, 0x0f)),
    (RGBColor(0xcc, 0x79, 0xa7), RGBColor(0xff, 0x2d, 0x78)),
    (RGBColor(0x66, 0x11, 0x00), RGBColor(0xf0, 0xf0, 0x00)),
    (RGBColor(0x33, 0x22, 0x88), RGBColor(0xa5, 0x3c, 0xff)),
    (RGBColor(0x1a, 0x85, 0xff), RGBColor(0x96, 0xa5, 0xf0)),
    (RGBColor(0x30, 0x08, 0x30), RGBColor(0x78, 0xff, 0xf0)),
    (RGBColor(0x78, 0x3c, 0x5a), RGBColor(0xe1, 0x2d, 0xb4)),
    (RGBColor(0x78, 0x00, 0xff), RGBColor(0xe1, 0xb4, 0x69)),
    (RGBColor(0xf0, 0x0f, 0x4b), RGBColor(0x5a, 0xb4, 0xa5)),
    (RGBColor(0x87, 0x5a, 0xa5), RGBColor(0xd2, 0xff, 0xc3)),
];
/// Background of the dark theme.
pub const DARK_PAPER: RGBColor = RGBColor(0x14, 0x17, 0x1b);

/// The colour of the strategy at `index` in the file: the same in every chart; grey from the eleventh on.
pub fn strategy(index: usize) -> RGBColor {
    STRATEGIES.get(index).map_or(GREY, |(light, _)| *light)
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

crate::text::words! {
    /// Which colours stand for heat.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum HeatColours: "palette" {
        /// Black over purple and red to pale yellow: the widest range of lightness.
        #[default]
        Magma = "magma",
        /// Blue to yellow, made to look the same to people with colour-blindness (Nuñez, Anderton, Renslow 2018).
        Cividis = "cividis",
        /// Purple over green to yellow.
        Viridis = "viridis",
    }
}

impl HeatColours {
    /// The colour of heat: 0 is the least that is not nothing, 1 the most. The darkest 6 % are left out: black reads as "off".
    pub fn at(self, level: f64) -> RGBColor {
        let stops = match self {
            Self::Magma => &MAGMA,
            Self::Cividis => &CIVIDIS,
            Self::Viridis => &VIRIDIS,
        };
        let position = (0.06 + 0.94 * level.clamp(0.0, 1.0)) * (stops.len() - 1) as f64;
        let below = (position as usize).min(stops.len() - 2);
        let part = position - below as f64;
        let [from, to] = [stops[below], stops[below + 1]].map(u32::to_be_bytes);
        let mix = |channel: usize| {
            let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
            (from + (to - from) * part).round() as u8
        };
        RGBColor(mix(1), mix(2), mix(3))
    }

    /// Contrast of the most heat against the least, as WCAG defines it.
    pub fn contrast(self) -> f64 {
        (luminance(self.at(1.0)) + FLARE) / (luminance(self.at(0.0)) + FLARE)
    }

    /// The colour whose contrast against the least heat is `contrast`, or as much as there is.
    pub fn of_contrast(self, contrast: f64) -> RGBColor {
        let wanted = (luminance(self.at(0.0)) + FLARE) * contrast;
        let (mut low, mut high) = (0.0, 1.0);
        // Heat gets lighter all the way; 12 halvings are finer than a palette.
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            match luminance(self.at(middle)) + FLARE < wanted {
                true => low = middle,
                false => high = middle,
            }
        }
        self.at(high)
    }
}

/// What WCAG's contrast takes as the light of a dark room, beside that of a colour.
const FLARE: f64 = 0.05;

/// Red, green and blue as amounts of light.
fn linear(colour: RGBColor) -> [f64; 3] {
    [colour.0, colour.1, colour.2].map(|value| {
        let value = f64::from(value) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    })
}

/// Relative luminance as WCAG defines it, which is also how light a grey print is: 0 to 1.
fn luminance(colour: RGBColor) -> f64 {
    let [r, g, b] = linear(colour);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Every 8th of matplotlib's magma (CC0) as `0xrrggbb`, dark to light; values between are interpolated.
const MAGMA: [u32; 33] = [
    0x000004, 0x030312, 0x0a0822, 0x130d34, 0x1d1147, 0x29115a, 0x36106b, 0x440f76, 0x51127c,
    0x5d177f, 0x6a1c81, 0x762181, 0x832681, 0x902a81, 0x9c2e7f, 0xaa337d, 0xb73779, 0xc43c75,
    0xd0416f, 0xdc4869, 0xe75263, 0xef5d5e, 0xf56b5c, 0xf9795d, 0xfc8961, 0xfd9869, 0xfea772,
    0xfeb67c, 0xfec488, 0xfed395, 0xfde2a3, 0xfcf0b2, 0xfcfdbf,
];

/// The same of cividis.
const CIVIDIS: [u32; 33] = [
    0x00224e, 0x00285b, 0x002e6a, 0x053371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c,
    0x4b546c, 0x535a6d, 0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x767676, 0x7d7c78, 0x838179,
    0x8b8778, 0x928d78, 0x9a9376, 0xa29975, 0xaaa073, 0xb3a670, 0xbbad6d, 0xc3b369, 0xccba64,
    0xd4c15f, 0xddc858, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838,
];

/// The same of viridis.
const VIRIDIS: [u32; 33] = [
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086, 0x3e4989, 0x3b528b,
    0x375b8d, 0x33638d, 0x2f6b8e, 0x2c728e, 0x297a8e, 0x26828e, 0x23898e, 0x21918c, 0x1f978b,
    0x1f9f88, 0x21a685, 0x27ad81, 0x31b57b, 0x3dbc74, 0x4cc26c, 0x5cc863, 0x6ece58, 0x81d34d,
    0x95d840, 0xaadc32, 0xc0df25, 0xd5e21a, 0xeae51a, 0xfde725,
];

crate::text::words! {
    /// Light or dark.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Theme: "theme" {
        /// On white.
        #[default]
        Light = "light",
        /// On nearly black.
        Dark = "dark",
    }
}

/// Neutral colours on white, and what stands for them on dark paper. White lines over heat stay: only white areas are paper.
const NEUTRALS: [(RGBColor, RGBColor); 5] = [
    (INK, RGBColor(0xe7, 0xea, 0xee)),
    (MUTED, RGBColor(0xa2, 0xac, 0xb6)),
    (GRID, RGBColor(0x2b, 0x31, 0x38)),
    (AXIS, RGBColor(0x4b, 0x54, 0x5d)),
    (EMPTY, RGBColor(0x23, 0x28, 0x2e)),
];

/// Colours of lines on white, and what stands for them on dark paper.
fn strokes() -> impl Iterator<Item = (RGBColor, RGBColor)> {
    NEUTRALS.into_iter().chain(STRATEGIES)
}

impl Theme {
    /// What stands for the colour of an area or a text.
    pub fn fill(self, colour: RGBColor) -> RGBColor {
        match self {
            Self::Dark if colour == PAPER => DARK_PAPER,
            _ => self.stroke(colour),
        }
    }

    /// What stands for the colour of a line.
    pub fn stroke(self, colour: RGBColor) -> RGBColor {
        let mut pairs = strokes().filter(|(light, _)| self == Self::Dark && *light == colour);
        pairs.next().map_or(colour, |(_, dark)| dark)
    }

    /// Style rules that show pictures written for white paper as [`Theme::Dark`] does.
    pub fn dark_rules() -> String {
        let rule = |of: &str, (light, dark): (RGBColor, RGBColor)| {
            let (light, dark) = (hex(light), hex(dark));
            format!("svg [{of}=\"{light}\"]{{{of}:{dark}}}\n")
        };
        let paper = rule("fill", (PAPER, DARK_PAPER));
        let others = strokes().flat_map(|pair| ["fill", "stroke"].map(|of| rule(of, pair)));
        std::iter::once(paper).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Area, Sheet, ink};
    use super::*;

    /// WCAG contrast against white.
    fn contrast(colour: RGBColor) -> f64 {
        1.05 / (luminance(colour) + 0.05)
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

    /// How far the colour at `index` is from those before it.
    fn least(index: usize) -> f64 {
        if index < 6 { 36.0 } else { 21.0 }
    }

    #[test]
    fn strategies_can_be_told_apart_by_everybody_and_read_on_white() {
        let colours = STRATEGIES.map(|(light, _)| light);
        for (index, colour) in colours.iter().enumerate() {
            assert!(
                contrast(*colour) >= 3.0,
                "{colour:?}: contrast {}",
                contrast(*colour)
            );
            for other in &colours[..index] {
                let apart = distance(*colour, *other);
                assert!(apart >= least(index), "{colour:?} and {other:?}: {apart}");
            }
        }
    }

    #[test]
    fn strategies_can_be_told_apart_on_dark_paper_too() {
        let colours = STRATEGIES.map(|(_, dark)| dark);
        for (index, colour) in colours.iter().enumerate() {
            let contrast = (luminance(*colour) + 0.05) / (luminance(DARK_PAPER) + 0.05);
            assert!(contrast >= 4.0, "{colour:?}: {contrast}");
            for other in &colours[..index] {
                let apart = distance(*colour, *other);
                assert!(apart >= least(index), "{colour:?} and {other:?}: {apart}");
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
        for colours in HeatColours::ALL {
            let lightness: Vec<f64> = (0..=64)
                .map(|i| lab(linear(colours.at(f64::from(i) / 64.0)))[0])
                .collect();
            assert!(
                lightness.windows(2).all(|pair| pair[1] > pair[0]),
                "{colours:?}: {lightness:?}"
            );
        }
    }

    #[test]
    fn paper_and_ink_change_places_and_white_lines_stay() {
        let sheet = Sheet::new(10.0, 10.0, "", "");
        sheet.rect(Area::new(0.0, 0.0, 10.0, 10.0), PAPER);
        sheet.line(&[(0.0, 0.0), (1.0, 1.0)], 1.0, PAPER);
        sheet.text("fill=\"#1b1f24\"", (1.0, 1.0), ink(10.0).colour(INK));
        sheet.disc((1.0, 1.0), 1.0, strategy(0));
        sheet.ring((1.0, 1.0), 1.0, 1.0, RGBColor(0x12, 0x34, 0x56));
        let picture = sheet.finish();
        let colours = |theme: Theme| -> Vec<String> {
            let svg = picture.svg(theme);
            let after = svg.split("=\"#").skip(1);
            after.map(|rest| rest[..6].to_owned()).collect()
        };
        let light = ["ffffff", "ffffff", "1b1f24", "d55e00", "123456"];
        let dark = ["14171b", "ffffff", "e7eaee", "c3780f", "123456"];
        assert_eq!(colours(Theme::Light), light);
        assert_eq!(colours(Theme::Dark), dark);
        assert!(
            picture
                .svg(Theme::Dark)
                .contains(">fill=&quot;#1b1f24&quot;</text>")
        );
        assert!(Theme::dark_rules().contains("svg [stroke=\"#b4bcc4\"]{stroke:#4b545d}\n"));
        assert_eq!(Theme::Dark.stroke(GRID), Theme::Dark.fill(GRID));
    }
}
