//! Regions on the key axis: where their boundaries lie between the key buckets, and which server owns them.
//!
//! Must not know demand.

use super::canvas::{Canvas, Label};
use super::key_map::Frame;
use super::markup::Paint;
use super::palette;
use crate::experiment::StrategyResult;
use crate::keyspace::unescape;
use crate::report::number;

/// Least distance in pixels of boundaries that are worth drawing, on average.
const LEAST_GAP: f64 = 3.0;

/// Regions whose boundaries are drawn clearly.
const FEW: usize = 16;

/// The regions of a strategy.
#[derive(Debug)]
pub struct Regions {
    /// Start of each region in buckets; ascending, the first is 0.
    starts: Vec<f64>,
    /// Server of each.
    owners: Vec<u32>,
    buckets: usize,
}

impl Regions {
    /// The regions of `strategy`, placed between its `buckets` key buckets: exactly where a bucket starts with a region,
    /// else evenly inside the bucket that holds them.
    pub fn of(strategy: &StrategyResult, buckets: usize) -> Self {
        let key = |text: &str| unescape(text).unwrap_or_else(|_| text.as_bytes().to_vec());
        let edges: Vec<Vec<u8>> = strategy
            .key_map
            .iter()
            .take(buckets)
            .map(|bucket| key(&bucket.start))
            .collect();
        let mut starts: Vec<f64> = Vec::with_capacity(strategy.region_starts.len());
        // Regions that start inside the same bucket, waiting to be spread over it.
        let mut inside: Vec<usize> = Vec::new();
        let mut bucket = 0;
        for (index, start) in strategy.region_starts.iter().enumerate() {
            let start = key(start);
            let here = edges.partition_point(|edge| *edge <= start);
            if here != bucket {
                spread_inside(&mut starts, &inside, bucket);
                inside.clear();
                bucket = here;
            }
            let exact = here == 0 || edges[here - 1] == start;
            starts.push(here.saturating_sub(1) as f64);
            if !exact {
                inside.push(index);
            }
        }
        spread_inside(&mut starts, &inside, bucket);
        let owners = strategy
            .series
            .as_ref()
            .map(|series| series.region_server.clone())
            .unwrap_or_default();
        Self {
            starts,
            owners,
            buckets,
        }
    }

    /// Number of regions.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Whether boundaries are far enough apart to be drawn.
    pub fn lines_drawn(&self, frame: &Frame) -> bool {
        (frame.bottom - frame.top) / self.count().max(1) as f64 >= LEAST_GAP
    }

    /// A white line at each boundary.
    pub fn draw_lines(&self, canvas: &Canvas, frame: &Frame) {
        if !self.lines_drawn(frame) {
            return;
        }
        // Many lines must not outshine a hot row, which is as thin and nearly as bright.
        let opacity = if self.count() <= FEW { 0.62 } else { 0.3 };
        for start in self.starts.iter().filter(|start| **start > 0.0) {
            let y = frame.y(*start);
            canvas.line(
                &[(frame.left, y), (frame.right, y)],
                0.75,
                Paint {
                    colour: palette::PAPER,
                    opacity,
                },
            );
        }
    }

    /// A box for each region at the right, with its server.
    pub fn draw_owners(&self, canvas: &Canvas, frame: &Frame, left: f64, width: f64) {
        if self.owners.len() != self.starts.len() || self.starts.is_empty() {
            return;
        }
        let label = Label::new(10.5).muted().centre();
        canvas.text("owner", (left + width / 2.0, frame.top - 6.0), label);
        if !self.lines_drawn(frame) {
            canvas.rect(
                (left, frame.top),
                (width, frame.bottom - frame.top),
                palette::EMPTY,
            );
            let text = format!("{} regions", number::grouped(self.count() as u64));
            let at = (left + width / 2.0, (frame.top + frame.bottom) / 2.0);
            canvas.text(
                &text,
                at,
                Label::new(10.5).muted().centre().middle().turned(),
            );
            return;
        }
        for (index, (start, owner)) in self.starts.iter().zip(&self.owners).enumerate() {
            let end = self
                .starts
                .get(index + 1)
                .copied()
                .unwrap_or(self.buckets as f64);
            let (top, bottom) = (frame.y(end) + 0.5, frame.y(*start) - 0.5);
            canvas.rect((left, top), (width, bottom - top), palette::GRID);
            if bottom - top >= 10.0 {
                let at = (left + width / 2.0, (top + bottom) / 2.0);
                canvas.text(
                    &format!("rs{owner}"),
                    at,
                    Label::new(10.0).centre().middle(),
                );
            }
        }
    }
}

/// Places the `regions` that start inside bucket `bucket` (counted from 1) at equal distances in it.
fn spread_inside(starts: &mut [f64], regions: &[usize], bucket: usize) {
    for (order, region) in regions.iter().enumerate() {
        starts[*region] =
            (bucket.max(1) - 1) as f64 + (order + 1) as f64 / (regions.len() + 1) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn boundaries_lie_at_bucket_edges_or_evenly_inside_a_bucket() {
        let mut strategy = sample::strategy("x", 2, &[&[10, 10]]);
        strategy.key_map = ["", "b", "d", "f"].map(sample::bucket).to_vec();
        strategy.region_starts = ["", "b", r"b\x00", "c", "f", "z"]
            .map(str::to_owned)
            .to_vec();
        let regions = Regions::of(&strategy, 4);
        let third = 1.0 / 3.0;
        assert_eq!(
            regions.starts,
            [0.0, 1.0, 1.0 + third, 1.0 + 2.0 * third, 3.0, 3.5]
        );
    }
}
