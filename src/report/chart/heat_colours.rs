//! The colours of heat: sequential scales from dark to light. Must not know what is hot.

use plotters::style::RGBColor;

/// Which colours stand for heat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeatColours {
    /// Black over purple and red to pale yellow: the widest range of lightness.
    #[default]
    Magma,
    /// Blue to yellow, made to look the same to people with colour-blindness (Nuñez, Anderton, Renslow 2018).
    Cividis,
    /// Purple over green to yellow.
    Viridis,
}

/// A word that names no [`HeatColours`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no palette; expected `magma`, `cividis` or `viridis`")]
pub struct UnknownHeatColours(String);

impl HeatColours {
    /// All, the default first.
    pub const ALL: [Self; 3] = [Self::Magma, Self::Cividis, Self::Viridis];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Magma => "magma",
            Self::Cividis => "cividis",
            Self::Viridis => "viridis",
        }
    }

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
        let mix =
            |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
        let (from, to) = (stops[below], stops[below + 1]);
        RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
    }
}

impl std::str::FromStr for HeatColours {
    type Err = UnknownHeatColours;

    fn from_str(word: &str) -> Result<Self, UnknownHeatColours> {
        Self::ALL
            .into_iter()
            .find(|colours| colours.name() == word)
            .ok_or_else(|| UnknownHeatColours(word.to_owned()))
    }
}

/// Every 8th of matplotlib's magma (CC0), dark to light; values between are interpolated.
const MAGMA: [RGBColor; 33] = [
    RGBColor(0, 0, 4),
    RGBColor(3, 3, 18),
    RGBColor(10, 8, 34),
    RGBColor(19, 13, 52),
    RGBColor(29, 17, 71),
    RGBColor(41, 17, 90),
    RGBColor(54, 16, 107),
    RGBColor(68, 15, 118),
    RGBColor(81, 18, 124),
    RGBColor(93, 23, 127),
    RGBColor(106, 28, 129),
    RGBColor(118, 33, 129),
    RGBColor(131, 38, 129),
    RGBColor(144, 42, 129),
    RGBColor(156, 46, 127),
    RGBColor(170, 51, 125),
    RGBColor(183, 55, 121),
    RGBColor(196, 60, 117),
    RGBColor(208, 65, 111),
    RGBColor(220, 72, 105),
    RGBColor(231, 82, 99),
    RGBColor(239, 93, 94),
    RGBColor(245, 107, 92),
    RGBColor(249, 121, 93),
    RGBColor(252, 137, 97),
    RGBColor(253, 152, 105),
    RGBColor(254, 167, 114),
    RGBColor(254, 182, 124),
    RGBColor(254, 196, 136),
    RGBColor(254, 211, 149),
    RGBColor(253, 226, 163),
    RGBColor(252, 240, 178),
    RGBColor(252, 253, 191),
];

/// The same of cividis.
const CIVIDIS: [RGBColor; 33] = [
    RGBColor(0, 34, 78),
    RGBColor(0, 40, 91),
    RGBColor(0, 46, 106),
    RGBColor(5, 51, 113),
    RGBColor(26, 56, 111),
    RGBColor(39, 62, 110),
    RGBColor(50, 67, 109),
    RGBColor(59, 73, 108),
    RGBColor(67, 78, 108),
    RGBColor(75, 84, 108),
    RGBColor(83, 90, 109),
    RGBColor(90, 95, 110),
    RGBColor(97, 101, 111),
    RGBColor(104, 106, 113),
    RGBColor(111, 112, 115),
    RGBColor(118, 118, 118),
    RGBColor(125, 124, 120),
    RGBColor(131, 129, 121),
    RGBColor(139, 135, 120),
    RGBColor(146, 141, 120),
    RGBColor(154, 147, 118),
    RGBColor(162, 153, 117),
    RGBColor(170, 160, 115),
    RGBColor(179, 166, 112),
    RGBColor(187, 173, 109),
    RGBColor(195, 179, 105),
    RGBColor(204, 186, 100),
    RGBColor(212, 193, 95),
    RGBColor(221, 200, 88),
    RGBColor(230, 208, 81),
    RGBColor(239, 215, 72),
    RGBColor(248, 223, 60),
    RGBColor(254, 232, 56),
];

/// The same of viridis.
const VIRIDIS: [RGBColor; 33] = [
    RGBColor(68, 1, 84),
    RGBColor(71, 13, 96),
    RGBColor(72, 24, 106),
    RGBColor(72, 35, 116),
    RGBColor(71, 45, 123),
    RGBColor(69, 55, 129),
    RGBColor(66, 64, 134),
    RGBColor(62, 73, 137),
    RGBColor(59, 82, 139),
    RGBColor(55, 91, 141),
    RGBColor(51, 99, 141),
    RGBColor(47, 107, 142),
    RGBColor(44, 114, 142),
    RGBColor(41, 122, 142),
    RGBColor(38, 130, 142),
    RGBColor(35, 137, 142),
    RGBColor(33, 145, 140),
    RGBColor(31, 151, 139),
    RGBColor(31, 159, 136),
    RGBColor(33, 166, 133),
    RGBColor(39, 173, 129),
    RGBColor(49, 181, 123),
    RGBColor(61, 188, 116),
    RGBColor(76, 194, 108),
    RGBColor(92, 200, 99),
    RGBColor(110, 206, 88),
    RGBColor(129, 211, 77),
    RGBColor(149, 216, 64),
    RGBColor(170, 220, 50),
    RGBColor(192, 223, 37),
    RGBColor(213, 226, 26),
    RGBColor(234, 229, 26),
    RGBColor(253, 231, 37),
];
