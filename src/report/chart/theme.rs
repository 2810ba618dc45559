//! Light or dark: charts are drawn on white, and a theme exchanges the colours of the finished picture. Must not know what
//! is drawn.

use super::markup::hex;
use super::palette::{
    AXIS, DARK_PAPER, DARK_STRATEGIES, EMPTY, GRID, INK, MUTED, PAPER, STRATEGIES,
};
use plotters::style::RGBColor;
use std::fmt::Write;

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// On white.
    #[default]
    Light,
    /// On nearly black.
    Dark,
}

/// A word that names no [`Theme`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no theme; expected `light` or `dark`")]
pub struct UnknownTheme(String);

/// Neutral colours on white, and what stands for them on dark paper. White lines over heat stay: only white areas are paper.
const NEUTRALS: [(RGBColor, RGBColor); 5] = [
    (INK, RGBColor(0xe7, 0xea, 0xee)),
    (MUTED, RGBColor(0xa2, 0xac, 0xb6)),
    (GRID, RGBColor(0x2b, 0x31, 0x38)),
    (AXIS, RGBColor(0x4b, 0x54, 0x5d)),
    (EMPTY, RGBColor(0x23, 0x28, 0x2e)),
];

/// (attribute, its value on white, its value on dark paper).
fn exchanges() -> impl Iterator<Item = (&'static str, String, String)> {
    let strategies = STRATEGIES.into_iter().zip(DARK_STRATEGIES);
    let both = NEUTRALS.into_iter().chain(strategies);
    let both = both.flat_map(|(light, dark)| {
        ["fill", "stroke"].map(|attribute| (attribute, hex(light), hex(dark)))
    });
    std::iter::once(("fill", hex(PAPER), hex(DARK_PAPER))).chain(both)
}

impl Theme {
    /// Both, the default first.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// A picture drawn on white, under this theme.
    pub fn apply(self, svg: &str) -> String {
        if self == Self::Light {
            return svg.to_owned();
        }
        let mut picture = String::with_capacity(svg.len());
        let mut rest = svg;
        // One pass: what was exchanged is not looked at again.
        while let Some(at) = rest.find("=\"#") {
            let (before, from) = rest.split_at(at);
            picture.push_str(before);
            let found = exchanges().find(|(attribute, light, _)| {
                before.ends_with(&format!(" {attribute}")) && from[2..].starts_with(light.as_str())
            });
            picture.push_str("=\"");
            rest = &from[2..];
            if let Some((_, light, dark)) = found {
                picture.push_str(&dark);
                rest = &rest[light.len()..];
            }
        }
        picture.push_str(rest);
        picture
    }

    /// Style rules that show pictures drawn on white as [`Theme::Dark`] does.
    pub fn dark_rules() -> String {
        let mut rules = String::new();
        for (attribute, light, dark) in exchanges() {
            writeln!(rules, "svg [{attribute}=\"{light}\"]{{{attribute}:{dark}}}")
                .expect("writing to a string can't fail");
        }
        rules
    }
}

impl std::str::FromStr for Theme {
    type Err = UnknownTheme;

    fn from_str(word: &str) -> Result<Self, UnknownTheme> {
        Self::ALL
            .into_iter()
            .find(|theme| theme.name() == word)
            .ok_or_else(|| UnknownTheme(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_and_ink_change_places_and_white_lines_stay() {
        let svg = "<rect fill=\"#ffffff\"/><path stroke=\"#ffffff\"/><text fill=\"#1b1f24\">fill=&quot;#1b1f24</text><path fill=\"#d55e00\" stroke=\"#123456\"/>";
        assert_eq!(
            Theme::Dark.apply(svg),
            "<rect fill=\"#14171b\"/><path stroke=\"#ffffff\"/><text fill=\"#e7eaee\">fill=&quot;#1b1f24</text><path fill=\"#ff0f0f\" stroke=\"#123456\"/>"
        );
        assert_eq!(Theme::Light.apply(svg), svg);
        assert!(Theme::dark_rules().contains("svg [stroke=\"#b4bcc4\"]{stroke:#4b545d}\n"));
    }
}
