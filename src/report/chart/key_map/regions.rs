//! Regions on the key axis: where their boundaries lie between the key buckets, and which server owns them.

use super::frame::Frame;
use crate::experiment::KEY_MAP_ROWS;
use crate::keyspace::{leading_bits, unescape};
use crate::metrics::{EventKind, SeriesEvent};
use crate::report::chart::prelude::*;
use std::collections::BTreeMap;

/// Least height in pixels of a region with the name of its server.
const LEAST_BOX: f64 = 10.0;

/// Servers that get a column each beside the map, its width in pixels, that of all in a narrow chart, and that of the boxes of more.
const MOST_COLUMNS: usize = 16;
const COLUMN: f64 = 14.0;
const NARROW: f64 = 48.0;
const OWNER_BOX: f64 = 34.0;

/// Regions whose boundaries are drawn clearly.
const FEW: usize = 16;

/// A region while it exists.
#[derive(Debug, Clone, PartialEq)]
struct Lifetime {
    /// Its number.
    region: u32,
    /// Where it starts and ends, in buckets.
    start: f64,
    end: f64,
    /// From when, in seconds.
    from_s: f64,
    /// Until when; infinite when it is there at the end.
    to_s: f64,
    /// Its servers, from each time on, in order of time.
    owners: Vec<(f64, u32)>,
}

impl Lifetime {
    fn new(region: u32, (start, end): (f64, f64), from_s: f64, owner: Option<u32>) -> Self {
        Self {
            region,
            start,
            end,
            from_s,
            to_s: f64::INFINITY,
            owners: owner.map(|owner| (from_s, owner)).into_iter().collect(),
        }
    }

    /// Its last server.
    fn owner(&self) -> Option<u32> {
        self.owners.last().map(|(_, owner)| *owner)
    }
}

/// The regions of a strategy, over time.
#[derive(Debug)]
pub struct Regions {
    /// In the order in which they came, those of the start in key order.
    lives: Vec<Lifetime>,
}

impl Regions {
    /// The regions of `strategy`, placed between its `buckets` key buckets: exactly where a bucket starts with a region or a split
    /// row, else evenly inside the bucket that holds them.
    pub fn of(strategy: &StrategyResult, buckets: usize) -> Self {
        let series = strategy.series.as_ref();
        let events = series.map_or(&[][..], |series| &series.events);
        let (first, starts) = strategy.mapped_regions();
        let split_rows = events.iter().filter_map(|event| event.row.as_ref());
        let places = Places::of(strategy, buckets, starts.iter().chain(split_rows));
        let ends = starts.iter().skip(1);
        let ends = ends.map(|end| places.of_row(end)).chain([buckets as f64]);
        let owners = series.map_or(&[][..], |series| &series.region_server);
        let spans = starts.iter().zip(ends);
        let lives = (first..).zip(spans).map(|(region, (start, end))| {
            let owner = owners.get(region as usize).copied();
            Lifetime::new(region, (places.of_row(start), end), 0.0, owner)
        });
        let lives = lives.collect();
        let mut regions = Self { lives };
        for event in events {
            regions.apply(event, &places);
        }
        regions
    }

    /// Takes one event into account; `None` of other tables, none of whose regions is known.
    fn apply(&mut self, event: &SeriesEvent, places: &Places) -> Option<()> {
        let at_s = event.at_ms / 1e3;
        let region = self.position(event.region)?;
        match (event.event, &event.heirs[..]) {
            (EventKind::Split, &[lower, upper]) => {
                let middle = places.of_row(event.row.as_ref()?);
                let parent = self.ends(region, at_s);
                let (below, above) = ((parent.start, middle), (middle, parent.end));
                for (heir, span) in [(lower, below), (upper, above)] {
                    let life = Lifetime::new(heir, span, at_s, parent.owner());
                    self.lives.push(life);
                }
            }
            (EventKind::Merge, &[merged]) => {
                let upper = self.position(event.upper)?;
                let (lower, upper) = (self.ends(region, at_s), self.ends(upper, at_s));
                let span = (lower.start, upper.end);
                let life = Lifetime::new(merged, span, at_s, lower.owner());
                self.lives.push(life);
            }
            (EventKind::Open, _) => {
                let (life, server) = (&mut self.lives[region], event.server?);
                if life.owner() != Some(server) {
                    life.owners.push((at_s, server));
                }
            }
            _ => {}
        }
        Some(())
    }

    fn position(&self, region: Option<u32>) -> Option<usize> {
        self.lives
            .iter()
            .position(|life| Some(life.region) == region)
    }

    fn ends(&mut self, position: usize, at_s: f64) -> Lifetime {
        self.lives[position].to_s = at_s;
        self.lives[position].clone()
    }

    /// Those that are there at the end, in key order.
    fn last(&self) -> Vec<&Lifetime> {
        let lasting = self.lives.iter().filter(|life| life.to_s.is_infinite());
        let mut last: Vec<&Lifetime> = lasting.collect();
        last.sort_by(|one, other| one.start.total_cmp(&other.start));
        last
    }

    /// Number of regions at the end.
    pub fn count(&self) -> usize {
        self.last().len()
    }

    /// Where the rows of the map start, counted in buckets, and where the last one ends, with all `buckets`: a region each, or, of more than can be told
    /// apart, as many regions each.
    pub fn rows(&self, buckets: usize) -> Vec<f64> {
        let end = buckets as f64;
        let starts = self.last().into_iter().map(|life| life.start);
        let mut starts: Vec<f64> = starts.filter(|start| *start < end).collect();
        starts.dedup();
        let each = starts.len().div_ceil(KEY_MAP_ROWS).max(1);
        let rows = starts.into_iter().step_by(each).skip(1);
        [0.0].into_iter().chain(rows).chain([end]).collect()
    }

    /// How many rows of the map, which start at `rows`, lie in the region that held each of them at a time, and how many rows all regions of that time
    /// would have been.
    pub fn at(&self, seconds: f64, rows: &[f64]) -> (Vec<f64>, f64) {
        let starts = &rows[..rows.len() - 1];
        let mut together = vec![1.0; starts.len()];
        let living = |life: &&Lifetime| life.from_s <= seconds && seconds < life.to_s;
        let mut count = 0;
        for life in self.lives.iter().filter(living) {
            let first = starts.partition_point(|start| *start < life.start);
            let end = starts.partition_point(|start| *start < life.end);
            if first < end {
                together[first..end].fill((end - first) as f64);
            }
            count += 1;
        }
        let regions_a_row = self.count().max(1) as f64 / starts.len() as f64;
        (together, f64::from(count) / regions_a_row)
    }

    /// Whether each row of the map is a region.
    pub fn are_rows(&self, frame: &Frame) -> bool {
        self.count() <= frame.count()
    }

    /// A thin line at each boundary, from the moment of its split to that of a merge, and an upright one where a region changed its
    /// server.
    pub fn draw_lines(&self, sheet: &Sheet, frame: &Frame) {
        // Many lines must not outshine a hot row, which is as thin and nearly as bright.
        let opacity = if frame.count() <= FEW { 0.62 } else { 0.3 };
        // Where nothing was written the map is nearly white, too: there the rims are seen.
        let boundary = |ends: &[(f64, f64)]| {
            sheet.line(ends, 2.25, Paint::new(GREY, opacity * 0.6));
            sheet.line(ends, 0.75, Paint::new(PAPER, opacity));
        };
        let x = |seconds: f64| frame.x(seconds.clamp(frame.from_s, frame.to_s));
        if !self.are_rows(frame) {
            for start in &frame.regions[1..frame.count()] {
                let y = frame.y(*start);
                boundary(&[(frame.area.left, y), (frame.area.right(), y)]);
            }
            return;
        }
        for life in &self.lives {
            let (top, bottom) = (frame.y(life.end), frame.y(life.start));
            let from = match life.from_s == 0.0 {
                true => frame.area.left,
                false => x(life.from_s),
            };
            if life.start > 0.0 {
                boundary(&[(from, bottom), (x(life.to_s), bottom)]);
            }
            for &(at_s, _) in life.owners.iter().skip(1) {
                boundary(&[(x(at_s), top), (x(at_s), bottom)]);
            }
        }
        self.draw_moves(sheet, frame);
    }

    /// The server that a region has moved to, where there is room for its name.
    fn draw_moves(&self, sheet: &Sheet, frame: &Frame) {
        for life in &self.lives {
            let (top, bottom) = (frame.y(life.end), frame.y(life.start));
            let until = life.to_s.min(frame.to_s);
            for (index, &(at_s, owner)) in life.owners.iter().enumerate().skip(1) {
                let next = life.owners.get(index + 1).map_or(until, |&(at, _)| at);
                let text = format!("rs{owner}");
                let (room, wide) = (frame.x(next) - frame.x(at_s), width(&text, 10.0, false));
                if bottom - top >= 11.0 && room > wide + 6.0 {
                    // On its own ground: the map is dark and bright in every theme.
                    let at = (frame.x(at_s) + 3.0, (top + bottom) / 2.0);
                    let ground = Area::new(at.0 - 2.0, at.1 - 5.5, wide + 4.0, 11.0);
                    sheet.rect(ground, Paint::new(PAPER, 0.85));
                    sheet.text(&text, at, ink(10.0).middle());
                }
            }
        }
    }

    /// Pixels that [`Regions::draw_owners`] takes for so many servers.
    pub fn owner_width(servers: usize, viewport: Viewport) -> f64 {
        match servers {
            2..=MOST_COLUMNS => viewport.pick(servers as f64 * COLUMN, NARROW),
            _ => OWNER_BOX,
        }
    }

    /// At the right, which server has each region at the end: a column a server, or of many servers a box with the name.
    pub fn draw_owners(&self, sheet: &Sheet, frame: &Frame, area: Area, servers: usize) {
        let last = self.last();
        if last.iter().any(|life| life.owners.is_empty()) || last.is_empty() {
            return;
        }
        let Area { left, width, .. } = area;
        let label = muted(10.0).centre();
        let in_columns = (2..=MOST_COLUMNS).contains(&servers);
        let title = ["owner", "server"][usize::from(in_columns)];
        let above = if in_columns { 18.0 } else { 6.0 };
        sheet.text(title, (left + width / 2.0, area.top - above), label);
        let row = |life: &Lifetime| frame.in_regions(life.start).floor() as usize;
        if !in_columns {
            if !self.are_rows(frame) || area.height < LEAST_BOX * frame.count() as f64 {
                sheet.rect(Area::new(left, area.top, width, area.height), EMPTY);
                let text = number::counted(number::grouped(last.len() as u64), "region");
                let at = (left + width / 2.0, area.middle().1);
                sheet.text(&text, at, label.middle().turned());
                return;
            }
            for life in last {
                let (top, bottom) = (frame.y(life.end) + 0.5, frame.y(life.start) - 0.5);
                sheet.rect(Area::new(left, top, width, bottom - top), GRID);
                let at = (left + width / 2.0, (top + bottom) / 2.0);
                let text = life
                    .owner()
                    .map_or(String::new(), |owner| format!("rs{owner}"));
                sheet.text(&text, at, ink(10.0).centre().middle());
            }
            return;
        }
        let step = width / servers as f64;
        for server in 0..servers {
            let x = left + server as f64 * step;
            if step >= COLUMN || server == 0 || server + 1 == servers {
                let at = (x + step / 2.0, area.top - 5.0);
                sheet.text(&server.to_string(), at, label);
            }
            let column = Area::new(x + 1.0, area.top, step - 2.0, area.height);
            sheet.rect(column, EMPTY);
        }
        // As wide as the part of a row's regions that the server has: all of it where the row is one region.
        for regions in last.chunk_by(|one, other| row(one) == row(other)) {
            let at = regions.first().map_or(0, |life| row(life));
            let (bottom, top) = (frame.y(frame.regions[at]), frame.y(frame.regions[at + 1]));
            for server in 0..servers {
                let own = regions.iter();
                let own = own.filter(|it| it.owner() == Some(server as u32)).count();
                let wide = (step - 2.0) * own as f64 / regions.len() as f64;
                let x = left + server as f64 * step + 1.0;
                if own > 0 {
                    sheet.rect(Area::new(x, top + 0.5, wide, bottom - top - 1.0), MUTED);
                }
            }
        }
    }
}

/// Part of a bucket that keeps the rows inside of it apart.
const TOGETHER: f64 = 1e-3;

/// Where rows lie between the key buckets, counted in buckets from the start of the key space.
#[derive(Debug)]
struct Places(BTreeMap<Vec<u8>, f64>);

impl Places {
    fn of<'a>(
        strategy: &StrategyResult,
        buckets: usize,
        rows: impl Iterator<Item = &'a String>,
    ) -> Self {
        let edges = strategy.key_map.iter().take(buckets);
        let edges: Vec<Vec<u8>> = edges.map(|bucket| key(&bucket.start)).collect();
        let mut rows: Vec<Vec<u8>> = rows.map(|row| key(row)).collect();
        rows.sort_unstable();
        rows.dedup();
        let bucket_of = |row: &Vec<u8>| edges.partition_point(|edge| edge <= row).saturating_sub(1);
        let mut places = BTreeMap::new();
        for inside in rows.chunk_by(|one, other| bucket_of(one) == bucket_of(other)) {
            let bucket = bucket_of(&inside[0]);
            let exact = usize::from(edges.get(bucket).is_none_or(|edge| *edge == inside[0]));
            let count = (inside.len() - exact) as f64;
            let (apart, mut before) = (TOGETHER / (count + 1.0), -1.0);
            for (order, row) in inside.iter().enumerate() {
                let order = (order + 1 - exact) as f64;
                let part = match edges.get(bucket..) {
                    _ if order == 0.0 => 0.0,
                    // The first bucket begins with the key space: it is taken to be as wide as the second one.
                    Some([_, end, next, ..]) if bucket == 0 => 1.0 + along(row, end, next),
                    Some([start, end, ..]) if bucket > 0 => along(row, start, end),
                    _ => order / (count + 1.0),
                };
                // Rows that eight bytes don't tell apart lie beside each other.
                let part = f64::max(part, before + apart);
                let part = part.clamp(order * apart, 1.0 - (count + 1.0 - order) * apart);
                before = part;
                places.insert(row.clone(), bucket as f64 + part);
            }
        }
        Self(places)
    }

    /// The place of one of the rows.
    fn of_row(&self, row: &str) -> f64 {
        self.0.get(&key(row)).copied().unwrap_or(0.0)
    }
}

/// Where `row` lies between `start` (0) and `end` (1), as numbers of eight bytes behind what these begin with alike; less than 0 before it.
fn along(row: &[u8], start: &[u8], end: &[u8]) -> f64 {
    let alike = start.iter().zip(end).take_while(|(a, b)| a == b).count();
    if row < &start[..alike] {
        return -1.0;
    }
    let number = |key: &[u8]| leading_bits(key.get(alike..).unwrap_or_default()) as f64;
    let width = number(end) - number(start);
    match width > 0.0 {
        true => (number(row) - number(start)) / width,
        false => 0.5,
    }
}

fn key(text: &str) -> Vec<u8> {
    unescape(text).unwrap_or_else(|_| text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn boundaries_lie_inside_a_bucket_as_far_as_their_bytes_do() {
        let mut strategy = sample::strategy("x", 2, &[&[10, 10]]);
        strategy.key_map = ["", "b", "d", "f"].map(sample::bucket).to_vec();
        strategy.region_starts = ["", "b", r"b\x00", "c", "f", "z"]
            .map(str::to_owned)
            .to_vec();
        let regions = Regions::of(&strategy, 4);
        let starts: Vec<f64> = regions.lives.iter().map(|life| life.start).collect();
        // `b\0` comes at once after `b`, and `c` is half of the way to `d`. Nobody knows where the last bucket ends.
        let third = TOGETHER / 3.0;
        assert_eq!(starts, [0.0, 1.0, 1.0 + third, 1.5, 3.0, 3.5]);

        // The first bucket is taken to reach as far before `b` as the second one reaches behind it. The first region begins where it does, however near that is.
        strategy.region_starts = ["", "Z", "a"].map(str::to_owned).to_vec();
        let starts_of = |strategy: &StrategyResult| {
            let lives = Regions::of(strategy, 4).lives;
            lives.iter().map(|life| life.start).collect::<Vec<_>>()
        };
        assert_eq!(starts_of(&strategy), [0.0, third, 0.5]);
        strategy.key_map = ["", r"\x01", "d", "f"].map(sample::bucket).to_vec();
        assert_eq!(starts_of(&strategy)[0], 0.0);
    }

    #[test]
    fn regions_divide_merge_and_change_owners_over_time() {
        let mut strategy = sample::strategy("x", 2, &[&[10, 10]]);
        strategy.key_map = ["", "b", "d", "f"].map(sample::bucket).to_vec();
        strategy.region_starts = ["", "d"].map(str::to_owned).to_vec();
        let series = strategy.series.as_mut().expect("the sample has a series");
        series.region_server = vec![4, 5, 6];
        series.events = vec![
            SeriesEvent {
                region: Some(0),
                heirs: vec![3, 4],
                row: Some("b".to_owned()),
                ..SeriesEvent::new(1_000.0, EventKind::Split)
            },
            SeriesEvent {
                region: Some(4),
                server: Some(7),
                ..SeriesEvent::new(2_000.0, EventKind::Open)
            },
            SeriesEvent {
                region: Some(4),
                upper: Some(1),
                heirs: vec![5],
                ..SeriesEvent::new(3_000.0, EventKind::Merge)
            },
            // Of another table.
            SeriesEvent {
                region: Some(2),
                server: Some(9),
                ..SeriesEvent::new(3_500.0, EventKind::Open)
            },
        ];
        let regions = Regions::of(&strategy, 4);
        let shown: Vec<_> = regions
            .last()
            .into_iter()
            .map(|life| {
                (
                    life.region,
                    life.start,
                    life.end,
                    life.from_s,
                    life.owners.clone(),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (3, 0.0, 1.0, 1.0, vec![(1.0, 4)]),
                (5, 1.0, 4.0, 3.0, vec![(3.0, 7)])
            ]
        );
        let upper = &regions.lives[3];
        assert_eq!((upper.region, upper.to_s), (4, 3.0));
        assert_eq!(upper.owners, [(1.0, 4), (2.0, 7)]);
    }
}
