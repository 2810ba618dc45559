//! The two widths that charts are laid out for.

/// What a chart is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewport {
    /// A window, a file or paper: the sheet has its heading, and things stand beside each other.
    Wide,
    /// A phone: the page says the heading above the sheet, and things stand below each other.
    Narrow,
}

impl Viewport {
    /// One of two.
    pub fn pick<T>(self, wide: T, narrow: T) -> T {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
        }
    }

    /// Width of every chart in pixels; a phone's 390 less the margins of the page.
    pub fn width(self) -> f64 {
        self.pick(980.0, 366.0)
    }

    /// Its left and right margin.
    pub fn left(self) -> f64 {
        self.pick(24.0, 2.0)
    }

    /// Where the right margin begins.
    pub fn right(self) -> f64 {
        self.width() - self.left()
    }

    /// What lies between the margins.
    pub fn room(self) -> f64 {
        self.right() - self.left()
    }

    /// Where the heading ends.
    pub fn top(self) -> f64 {
        self.pick(66.0, 0.0)
    }
}
