//! The rectangle that key space and time span: each region has the same height, and is divided by its keys.

use crate::report::chart::picture::Area;

/// Where keys and times lie on the sheet.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its top edge is the end of the key space, its bottom edge the start.
    pub area: Area,
    /// Where each region starts, counted in key buckets from the start of the key space, and where the last one ends; ascending.
    pub regions: Vec<f64>,
    /// Where the left edge lies in time, in seconds: intervals are drawn whole, even one cut by the start of the run.
    pub from_s: f64,
    /// Where the right edge lies.
    pub to_s: f64,
}

impl Frame {
    /// How many regions there are.
    pub fn count(&self) -> usize {
        self.regions.len() - 1
    }

    /// A position in the key space, counted in buckets, counted in regions instead.
    pub fn in_regions(&self, position: f64) -> f64 {
        let next = self.regions.partition_point(|start| *start <= position);
        let region = next.clamp(1, self.count()) - 1;
        let (start, end) = (self.regions[region], self.regions[region + 1]);
        region as f64 + ((position - start) / (end - start)).clamp(0.0, 1.0)
    }

    /// A position counted in regions, counted in buckets instead.
    pub fn in_buckets(&self, position: f64) -> f64 {
        let region = (position.max(0.0) as usize).min(self.count() - 1);
        let (start, end) = (self.regions[region], self.regions[region + 1]);
        start + (end - start) * (position - region as f64).min(1.0)
    }

    /// Height of a position in the key space, counted in buckets from its start.
    pub fn y(&self, position: f64) -> f64 {
        self.area.bottom() - self.area.height * self.in_regions(position) / self.count() as f64
    }

    /// Horizontal place of a time in seconds.
    pub fn x(&self, seconds: f64) -> f64 {
        self.area.left + self.area.width * (seconds - self.from_s) / (self.to_s - self.from_s)
    }
}
