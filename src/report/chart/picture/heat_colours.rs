//! The colours of heat: sequential scales from dark to light.

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

crate::text::words!(HeatColours "palette" { Magma = "magma", Cividis = "cividis", Viridis = "viridis" });

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
