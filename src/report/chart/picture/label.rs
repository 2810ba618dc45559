//! How a line of text looks, and where it stands relative to its point.

use super::palette::{self, Paint};
use plotters::style::RGBColor;

/// What of a text lies at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end, or its baseline.
    Start,
    /// Its middle.
    Middle,
    /// Its right end, or the top of its capitals.
    End,
}

impl Anchor {
    /// The share of the width that lies left of the point, or of the capitals' height that lies below it.
    pub fn share(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

/// How a line of text looks and where it stands: at first it starts at its point and stands on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    /// Font size in pixels (em).
    pub size: f64,
    /// Whether it is semi-bold.
    pub bold: bool,
    /// Its colour.
    pub paint: Paint,
    /// Where it stands horizontally.
    pub across: Anchor,
    /// Where it stands vertically.
    pub along: Anchor,
    /// Whether it is turned to read upwards.
    pub turned: bool,
}

/// Text of `size` pixels in regular ink; nothing below 10 is readable at 980.
pub fn ink(size: f64) -> Label {
    debug_assert!(size >= 10.0);
    Label {
        size,
        bold: false,
        paint: palette::INK.into(),
        across: Anchor::Start,
        along: Anchor::Start,
        turned: false,
    }
}

/// Semi-bold text.
pub fn bold(size: f64) -> Label {
    let bold = true;
    Label { bold, ..ink(size) }
}

/// Text in the colour of what is secondary.
pub fn muted(size: f64) -> Label {
    ink(size).colour(palette::MUTED)
}

impl Label {
    /// The same text in `colour`.
    pub fn colour(self, colour: RGBColor) -> Self {
        let paint = colour.into();
        Self { paint, ..self }
    }

    /// The same text hanging from its point.
    pub fn top(self) -> Self {
        let along = Anchor::End;
        Self { along, ..self }
    }

    /// The same text vertically centred on its point.
    pub fn middle(self) -> Self {
        let along = Anchor::Middle;
        Self { along, ..self }
    }

    /// The same text ending at its point.
    pub fn right(self) -> Self {
        let across = Anchor::End;
        Self { across, ..self }
    }

    /// The same text horizontally centred on its point.
    pub fn centre(self) -> Self {
        let across = Anchor::Middle;
        Self { across, ..self }
    }

    /// The same text reading upwards.
    pub fn turned(self) -> Self {
        let turned = true;
        Self { turned, ..self }
    }
}
