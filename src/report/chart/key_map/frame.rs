//! The rectangle that key space and time span.

use crate::report::chart::picture::Area;

/// Where keys and times lie on the sheet.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Its top edge is the end of the key space, its bottom edge the start.
    pub area: Area,
    /// Key buckets between them.
    pub buckets: usize,
    /// Where the left edge lies in time, in seconds: intervals are drawn whole, even one cut by the start of the run.
    pub from_s: f64,
    /// Where the right edge lies.
    pub to_s: f64,
}

impl Frame {
    /// Height of a position in the key space, counted in buckets from its start.
    pub fn y(&self, position: f64) -> f64 {
        self.area.bottom() - self.area.height * position / self.buckets as f64
    }

    /// Horizontal place of a time in seconds.
    pub fn x(&self, seconds: f64) -> f64 {
        self.area.left + self.area.width * (seconds - self.from_s) / (self.to_s - self.from_s)
    }
}
