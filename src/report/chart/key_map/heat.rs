//! How hot each part of each region is over time: its writes, relative to what it would get if all regions got the same.

use super::frame::Frame;
use super::regions::Regions;

/// Cells that a map is high at most, about: each row of the frame has the same number.
const CELLS: usize = 400;

/// Writes that a cell needs on average: its share is then right within 10 % (one standard error, 1 / sqrt(100)).
const LEAST_WRITES: f64 = 100.0;

/// The cells of a key map.
#[derive(Debug)]
pub struct Heat {
    /// How many rows there are.
    pub rows: usize,
    /// Even shares by interval, then by row from the start of the key space.
    pub cells: Vec<Vec<f64>>,
    /// Writes a region of each row, over all intervals.
    pub totals: Vec<f64>,
}

impl Heat {
    /// Of writes by interval and key bucket, intervals being `interval_s` long from `frame.from_s` on. A region that is later divided is as hot as all
    /// that it is divided into; fewer regions than servers can be even at best over some of these, so that then a server's part is the even share.
    /// O(intervals x (buckets + regions)).
    pub fn of(
        frame: &Frame,
        regions: &Regions,
        demand: &[Vec<u64>],
        interval_s: f64,
        servers: usize,
    ) -> Self {
        let count = frame.count();
        let writes: u64 = demand.iter().flatten().sum();
        let a_region = writes as f64 / (demand.len().max(1) * count) as f64;
        let each = (a_region / LEAST_WRITES) as usize;
        let rows = count * each.clamp(1, (CELLS / count).max(1));
        // A row's part of a region, or its number of regions.
        let height = count as f64 / rows as f64;
        let edge = |row: usize| frame.in_buckets(row as f64 * height);
        let edges: Vec<f64> = (0..=rows).map(edge).collect();
        let mut totals = vec![0.0; rows];
        let mut cell = |(number, demand): (usize, &Vec<u64>)| {
            let writes = between(&edges, demand);
            let all: f64 = writes.iter().sum();
            let middle = frame.from_s + (number as f64 + 0.5) * interval_s;
            // The first interval may be cut by the start of the run.
            let middle = middle.max(0.0);
            let (later, then) = regions.at(middle, &frame.regions);
            // Rows of many regions are more than servers, or as good as more.
            let least = match regions.are_rows(frame) {
                true => servers as f64,
                false => 1.0,
            };
            let even = all / then.max(least);
            let ratio = |(row, writes): (usize, f64)| {
                let a_region = writes / height;
                totals[row] += a_region;
                let region = ((row as f64 + 0.5) * height) as usize;
                match all > 0.0 {
                    true => a_region * later[region] / even,
                    false => 0.0,
                }
            };
            writes.into_iter().enumerate().map(ratio).collect()
        };
        let cells = demand.iter().enumerate().map(&mut cell).collect();
        Self {
            rows,
            cells,
            totals,
        }
    }
}

/// Writes between each edge and the next, those of a bucket evenly inside of it; edges are counted in buckets, ascending.
fn between(edges: &[f64], demand: &[u64]) -> Vec<f64> {
    let mut below = vec![0.0];
    let mut sum = 0.0;
    below.extend(demand.iter().map(|rows| {
        sum += *rows as f64;
        sum
    }));
    let up_to = |edge: f64| {
        let bucket = (edge as usize).min(demand.len());
        let inside = demand.get(bucket).map_or(0.0, |rows| *rows as f64);
        below[bucket] + inside * (edge - bucket as f64)
    };
    let ends = edges.windows(2);
    ends.map(|ends| (up_to(ends[1]) - up_to(ends[0])).max(0.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{EventKind, SeriesEvent};
    use crate::report::chart::picture::Area;
    use crate::report::sample_fixture as sample;

    fn frame(regions: &[f64]) -> Frame {
        Frame {
            area: Area::new(0.0, 0.0, 100.0, 400.0),
            regions: regions.to_vec(),
            from_s: 0.0,
            to_s: 2.0,
        }
    }

    #[test]
    fn a_region_is_as_hot_as_its_part_of_the_writes_however_many_buckets_it_has() {
        let mut strategy = sample::strategy("x", 2, &[&[10, 10]]);
        strategy.key_map = ["", "b", "c", "d"].map(sample::bucket).to_vec();
        strategy.region_starts = ["", "d"].map(str::to_owned).to_vec();
        let regions = Regions::of(&strategy, 4);
        // Three buckets of 20 in the lower region, one of 20 in the upper one: 60 and 20 of 80 are 1.5 and 0.5 even shares.
        let heat = Heat::of(&frame(&[0.0, 3.0, 4.0]), &regions, &[vec![20; 4]], 1.0, 2);
        assert_eq!((heat.rows, heat.cells.len()), (2, 1));
        assert!((heat.cells[0][0] - 1.5).abs() < 1e-9 && (heat.cells[0][1] - 0.5).abs() < 1e-9);
        // Of eight servers two regions use two at best.
        let heat = Heat::of(&frame(&[0.0, 3.0, 4.0]), &regions, &[vec![20; 4]], 1.0, 8);
        assert!((heat.cells[0][0] - 6.0).abs() < 1e-9, "{heat:?}");
    }

    #[test]
    fn a_region_that_is_divided_later_is_as_hot_as_all_of_it_before() {
        let mut strategy = sample::strategy("x", 1, &[&[40], &[40]]);
        strategy.key_map = ["", "b"].map(sample::bucket).to_vec();
        let series = strategy.series.as_mut().expect("the sample has a series");
        series.events = vec![SeriesEvent {
            region: Some(0),
            heirs: vec![1, 2],
            row: Some("b".to_owned()),
            ..SeriesEvent::new(1_000.0, EventKind::Split)
        }];
        let regions = Regions::of(&strategy, 2);
        let demand = [vec![30, 10], vec![30, 10]];
        let heat = Heat::of(&frame(&[0.0, 1.0, 2.0]), &regions, &demand, 1.0, 1);
        // One region has all; its lower half three times as much as its upper one. Then two have 30 and 10 of 40.
        let of = |interval: usize| [heat.cells[interval][0], heat.cells[interval][1]];
        for interval in [0, 1] {
            let [lower, upper] = of(interval);
            assert!((lower - 1.5).abs() < 1e-9 && (upper - 0.5).abs() < 1e-9);
        }
        assert_eq!(heat.totals[0], 60.0);
    }
}
