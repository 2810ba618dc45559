//! Panels in rows and columns, with room for what stands around each of them.

use super::heading::{MARGIN, WIDTH};
use crate::report::chart::picture::Area;

/// Where panels lie on a sheet, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// How many stand beside each other.
    pub columns: usize,
    /// Where the first row starts.
    pub top: f64,
    /// Room left of a panel, for tick labels.
    pub left: f64,
    /// Room right of it.
    pub right: f64,
    /// Room above it, for its title.
    pub head: f64,
    /// Its own height.
    pub height: f64,
    /// Room below it, for tick labels and the name of the axis.
    pub foot: f64,
    /// Distance of columns.
    pub gap: f64,
}

impl Grid {
    /// The inner rectangle of the panel at `index`.
    pub fn area(&self, index: usize) -> Area {
        let (row, column) = (index / self.columns, index % self.columns);
        let gaps = (self.columns - 1) as f64 * self.gap;
        let width = (WIDTH - 2.0 * MARGIN - gaps) / self.columns as f64;
        Area::new(
            MARGIN + self.left + column as f64 * (width + self.gap),
            self.top + self.head + row as f64 * (self.head + self.height + self.foot),
            width - self.left - self.right,
            self.height,
        )
    }

    /// Where the room of the last of so many panels ends.
    pub fn bottom(&self, panels: usize) -> f64 {
        self.area(panels - 1).bottom() + self.foot
    }
}
