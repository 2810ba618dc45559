//! Light or dark: charts are drawn on white, and a theme exchanges the colours of a picture when it is written.

use super::palette::{
    AXIS, DARK_PAPER, DARK_STRATEGIES, EMPTY, GRID, INK, MUTED, PAPER, STRATEGIES, hex,
};
use plotters::style::RGBColor;

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// On white.
    #[default]
    Light,
    /// On nearly black.
    Dark,
}

crate::text::words!(Theme "theme" { Light = "light", Dark = "dark" });

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
    let strategies = STRATEGIES.into_iter().zip(DARK_STRATEGIES);
    NEUTRALS.into_iter().chain(strategies)
}

/// The same of areas and text.
fn fills() -> impl Iterator<Item = (RGBColor, RGBColor)> {
    std::iter::once((PAPER, DARK_PAPER)).chain(strokes())
}

impl Theme {
    /// What stands for the colour of an area or a text.
    pub fn fill(self, colour: RGBColor) -> RGBColor {
        self.exchanged(colour, fills())
    }

    /// What stands for the colour of a line.
    pub fn stroke(self, colour: RGBColor) -> RGBColor {
        self.exchanged(colour, strokes())
    }

    fn exchanged(
        self,
        colour: RGBColor,
        mut pairs: impl Iterator<Item = (RGBColor, RGBColor)>,
    ) -> RGBColor {
        match self {
            Self::Light => colour,
            Self::Dark => pairs
                .find(|(light, _)| *light == colour)
                .map_or(colour, |(_, dark)| dark),
        }
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
    use super::super::{Area, GRID, INK, PAPER, Sheet, ink, strategy};
    use super::*;

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
        let dark = ["14171b", "ffffff", "e7eaee", "ff0f0f", "123456"];
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
