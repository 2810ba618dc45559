//! The strip under the key map: the load of each server over its fair share, over time. One image a row.

use super::heat_scale::draw_ticks;
use crate::report::chart::demand::Demand;
use crate::report::chart::prelude::*;

const ROW: f64 = 13.0;
const STEP: f64 = ROW + 1.0;
/// Servers with a row of their own.
const MOST_ROWS: usize = 16;
/// Load over the fair share from which a row's peak is printed in bold.
const REMARKABLE: f64 = 2.0;

#[derive(Debug)]
struct Row {
    name: String,
    /// Load over the fair share in each interval; `None` without demand.
    ratios: Vec<Option<f64>>,
    /// Greatest of the window.
    peak: Option<f64>,
}

/// The rows of the strip.
#[derive(Debug)]
pub struct ServerStrip {
    rows: Vec<Row>,
    servers: usize,
}

impl ServerStrip {
    /// A row for each server, or for the 16 that got most of the load, in their order, and one for the mean of the rest.
    pub fn of(demand: &Demand) -> Self {
        let servers = demand.servers;
        let totals = demand.totals();
        let mut shown: Vec<usize> = (0..servers).collect();
        shown.sort_by_key(|server| (std::cmp::Reverse(totals[*server]), *server));
        let mut rest = shown.split_off(servers.min(MOST_ROWS));
        shown.sort_unstable();
        rest.sort_unstable();
        let one = |server: &usize| row(format!("rs{server}"), demand, &[*server]);
        let mut rows: Vec<Row> = shown.iter().map(one).collect();
        if !rest.is_empty() {
            rows.push(row(format!("{} others", rest.len()), demand, &rest));
        }
        Self { rows, servers }
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> f64 {
        self.rows.len() as f64 * STEP
    }

    /// The strip between two edges.
    pub fn draw(&self, sheet: &Sheet, (left, right): (f64, f64), top: f64, viewport: Viewport) {
        let title = match self.servers {
            1 => "Load of the only server".to_owned(),
            n if self.rows.len() < n => format!(
                "Load ÷ fair share of the {MOST_ROWS} hottest of {} servers, and the mean of the rest",
                number::grouped(n as u64)
            ),
            n => format!(
                "Load per server ÷ fair share (1× = balanced, {n}× = one server does everything)"
            ),
        };
        let edge = viewport.pick(left, viewport.left());
        let title = wrapped(&title, viewport.right() - edge, 12.0, true, 2);
        let first = top - 8.0 - 15.0 * (title.len() - 1) as f64;
        sheet.lines(&title, (edge, first), 15.0, bold(12.0));
        for (index, row) in self.rows.iter().enumerate() {
            let y = top + index as f64 * STEP;
            let middle = y + ROW / 2.0;
            let label = muted(10.5).right().middle();
            sheet.text(&row.name, (left - 8.0, middle), label);
            let nothing = Paint::new(PAPER, 0.0);
            let palette: Vec<Paint> = colours().chain([nothing]).collect();
            let step = |ratio| (step(ratio, self.servers) + LOAD_STEPS) as u8;
            let none = palette.len() as u8 - 1;
            let cells = row.ratios.iter().map(|ratio| ratio.map_or(none, step));
            let raster = Raster::new(row.ratios.len(), palette, cells.collect());
            sheet.image(Area::new(left, y, right - left, ROW), raster);
            let below = y + ROW + 0.5;
            sheet.line(&[(left, below), (right, below)], 0.75, GRID);
            let text = match row.peak {
                None => UNDEFINED.to_owned(),
                Some(0.0) => "idle".to_owned(),
                Some(peak) if peak < 0.01 => "peak < 0.01×".to_owned(),
                Some(peak) => format!("peak {}", Ratio.text(peak)),
            };
            let is_hot = row.peak.is_some_and(|peak| peak > REMARKABLE);
            let label = if is_hot { bold(10.5) } else { muted(10.5) };
            sheet.text(&text, (right + 8.0, middle), label.middle());
        }
        sheet.line(&[(left, top - 0.5), (right, top - 0.5)], 0.75, GRID);
    }

    /// What the colours mean.
    pub fn draw_legend(&self, sheet: &Sheet, (left, top): Point) {
        const WIDE: f64 = 132.0;
        if self.servers < 2 {
            return;
        }
        let palette: Vec<Paint> = colours().collect();
        let steps = palette.len();
        let raster = Raster::new(steps, palette, (0..steps as u8).collect());
        sheet.image(Area::new(left, top, WIDE, 10.0), raster);
        let below = top + 10.0;
        sheet.line(&[(left, below), (left + WIDE, below)], 0.75, GRID);
        let servers = self.servers;
        let ends = [
            format!("1/{servers}×"),
            "1×".to_owned(),
            format!("{servers}×"),
        ];
        let ticks = [0.0, 0.5, 1.0].into_iter().zip(&ends);
        draw_ticks(sheet, (left, below), WIDE, ticks);
        let at = (left + WIDE + 16.0, top + 5.0);
        let label = muted(10.5).middle();
        sheet.text("server load ÷ fair share", at, label);
    }
}

/// The colours of loads from idle to everything.
fn colours() -> impl Iterator<Item = Paint> {
    (-LOAD_STEPS..=LOAD_STEPS).map(load_colour)
}

/// The mean of `servers`.
fn row(name: String, demand: &Demand, servers: &[usize]) -> Row {
    let drawn = demand.drawn().iter();
    Row {
        name,
        ratios: drawn.map(|interval| interval.ratio(servers)).collect(),
        peak: demand.peak_ratio(servers),
    }
}

/// Steps of colour for a load of `ratio` times the fair share: logarithmic, `servers` times is the deepest.
fn step(ratio: f64, servers: usize) -> i32 {
    let whole = (servers.max(2) as f64).ln();
    let level = match ratio > 0.0 {
        true => (ratio.ln() / whole).clamp(-1.0, 1.0),
        false => -1.0,
    };
    (level * f64::from(LOAD_STEPS)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn a_thousand_servers_are_the_hottest_sixteen_and_the_rest() {
        let mut rows = vec![10u64; 1_000];
        rows[700] = 5_010;
        let strategy = sample::strategy("wide", 1_000, &[&rows]);
        let strip = ServerStrip::of(&Demand::of(&strategy, 0.0).expect("a series"));
        assert_eq!(strip.rows.len(), 17);
        assert_eq!(strip.rows[15].name, "rs700");
        // 15,000 rows over 1,000 servers are 15 each.
        assert_eq!(strip.rows[15].peak, Some(334.0));
        assert_eq!(strip.rows[16].name, "984 others");
    }

    #[test]
    fn colour_is_symmetric_in_the_logarithm() {
        assert_eq!(step(1.0, 8), 0);
        assert_eq!(step(8.0, 8), LOAD_STEPS);
        assert_eq!(step(0.0, 8), -LOAD_STEPS);
        assert_eq!(step(2.0, 8), -step(0.5, 8));
        assert_eq!(step(1.0, 1), 0);
    }
}
