//! Chart 9: what each strategy sustains. Its knee as a bar, and below, on the same axis, what every run of the search found at the load
//! that it tried.

use super::prelude::*;
use crate::experiment::{KneeFinding, KneeLimit, KneeResult, LimitBound, kept};

const KNEE: MetricPath = MetricId::Knee.whole();

/// A strategy with its name, its knee and its bar.
const ROW: f64 = 34.0;
const BAR: f64 = 9.0;
/// Limits that get a panel.
const MOST_PANELS: usize = 3;
const DOT: f64 = 2.75;
/// Faster responses are drawn there: a log axis has no 0.
const LEAST_MS: f64 = 0.001;

/// A strategy whose knee was looked for.
struct Searched<'a> {
    entry: Entry<'a>,
    knee: &'a KneeResult,
}

/// A load that was tried, with what became of a limit there.
type Found = (f64, KneeFinding);

impl Searched<'_> {
    fn per_sec(&self) -> Option<f64> {
        metric::value(self.entry.strategy, KNEE)
    }

    /// The knee in words: `20.9k`, `more than 240k`.
    fn text(&self) -> String {
        in_words(self.entry.strategy, KNEE, Compact)
    }

    /// What all runs found of the limit at place `at`, replicate by replicate.
    fn found(&self, at: usize) -> impl Iterator<Item = Vec<Found>> + '_ {
        self.knee.replicates.iter().map(move |replicate| {
            let probes = replicate.probes.iter();
            let found = probes.filter_map(|it| Some((it.per_sec, *it.findings.get(at)?)));
            let mut found: Vec<Found> = found.filter(|(_, it)| it.value.is_some()).collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found
        })
    }
}

/// The chart; `None` when no knee was looked for.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let searched = Entry::all(results).filter_map(|entry| {
        let knee = entry.strategy.knee.as_ref()?;
        Some(Searched { entry, knee })
    });
    let all: Vec<Searched<'_>> = searched.collect();
    let first = all.first()?.knee;
    let replicates = all.iter().flat_map(|it| &it.knee.replicates);
    let loads = replicates.flat_map(|it| it.probes.iter().map(|probe| probe.per_sec));
    let x = Axis::from_zero(loads.fold(0.0, f64::max), 8);
    let top = viewport.top() + 22.0;
    let grid = Grid {
        viewport,
        columns: 1,
        top: top + all.len() as f64 * ROW,
        left: 62.0,
        right: 12.0,
        head: 34.0,
        height: 220.0,
        foot: 26.0,
        gap: 0.0,
    };
    let load = match first.vary.starts_with("read.") {
        true => "reads/s",
        false => "writes/s",
    };
    let subtitle = format!(
        "Knee: {} · thin: its 95 % interval · a dot a run, a line a replicate · ring: a lower bound",
        first.caption()
    );
    let panels = first.limits.len().min(MOST_PANELS);
    let bottom = grid.top + panels as f64 * (grid.head + grid.height + grid.foot);
    let kind = ChartKind::Knee;
    let mut sheet = Drawing::new(viewport, kind, title(&all, load), &subtitle, bottom + 34.0);
    for (row, searched) in all.iter().enumerate() {
        let top = top + row as f64 * ROW;
        draw_bar(&sheet, searched, top, load, &grid.area(0), &x);
    }
    for (at, limit) in first.limits.iter().take(panels).enumerate() {
        let limit = Limit { at, limit };
        limit.draw(&mut sheet, &all, grid.area(at), x.clone(), load);
    }
    let at = (grid.area(0).middle().0, bottom + 6.0);
    sheet.text(&format!("offered {load}"), at, muted(11.5).centre().top());
    Some(sheet.finish())
}

/// Who sustains most and who least.
fn title(all: &[Searched<'_>], load: &str) -> String {
    let knees = all.iter().filter_map(|it| Some((it.per_sec()?, it)));
    let mut found: Vec<(f64, &Searched<'_>)> = knees.collect();
    // Stable: of equals the first in the file.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (Some((_, best)), Some((_, worst))) = (found.first(), found.last()) else {
        return "No strategy sustains any load within the limits".to_owned();
    };
    let (most, least) = (best.text(), worst.text());
    let tied = !is_shown_above(best.entry.strategy, worst.entry.strategy, KNEE);
    let [best, worst] = [best, worst].map(|it| name(it.entry.strategy));
    match found.len() {
        1 => format!("{best} sustains {most} {load}"),
        _ if most == least => format!("Every strategy sustains {most} {load}"),
        _ if tied => {
            format!("No strategy is shown to sustain more than another: {least} to {most} {load}")
        }
        _ => format!("{best} sustains {most} {load}, {worst} {least}"),
    }
}

fn draw_bar(sheet: &Sheet, searched: &Searched<'_>, top: f64, load: &str, plot: &Area, x: &Axis) {
    let place = |per_sec: f64| plot.left + plot.width * x.fraction(per_sec);
    let name = searched.entry.name();
    sheet.text(&name, (plot.left, top + 6.0), bold(12.0).middle());
    let measure = metric::measure(searched.entry.strategy, KNEE);
    let interval = measure.and_then(|measure| Compact.ends(measure));
    let text = match (searched.per_sec(), interval) {
        (None, _) => "no load within the limits".to_owned(),
        (Some(_), None) => format!("{} {load}", searched.text()),
        (Some(_), Some(interval)) => format!("{} {load} {interval}", searched.text()),
    };
    let at = (plot.left + width(&name, 12.0, true) + 10.0, top + 6.0);
    sheet.text(&text, at, muted(12.0).middle());
    let Some(knee) = searched.per_sec() else {
        return;
    };
    let bar = Area::new(plot.left, top + 16.0, place(knee) - plot.left, BAR);
    sheet.rect(bar, searched.entry.colour());
    if let Some((low, high)) = measure.and_then(|measure| measure.low.zip(measure.high)) {
        let ends = [low.max(0.0), high].map(|end| (place(end), bar.middle().1));
        // Dark bars hide a dark line.
        sheet.line(&ends, 3.5, PAPER);
        sheet.line(&ends, 1.5, INK);
    }
}

/// One of the limits, with its place among them.
struct Limit<'a> {
    at: usize,
    limit: &'a KneeLimit,
}

impl Limit<'_> {
    fn format(&self) -> NumberFormat {
        match () {
            () if self.limit.metric.contains("response_ms") => Millis,
            () if self.limit.metric.ends_with("_fraction") => Percent,
            () => Compact,
        }
    }

    fn bound(&self) -> f64 {
        let (LimitBound::Above(bound) | LimitBound::Below(bound)) = self.limit.bound;
        bound
    }

    /// Where a value lies on the vertical axis.
    fn height(&self, value: f64) -> f64 {
        match self.format() {
            Millis => value.max(LEAST_MS).log10(),
            _ => value,
        }
    }

    fn axis(&self, all: &[Searched<'_>]) -> Axis {
        let found = all.iter().flat_map(|it| it.found(self.at)).flatten();
        let found = found.filter_map(|(_, finding)| finding.value);
        let (least, most) = extent(found.chain([self.bound()]));
        match self.format() {
            Millis => {
                let (least, most) = (least.max(LEAST_MS) / 1.3, most.max(LEAST_MS) * 1.3);
                Axis::log10(least, most, tick_ms)
            }
            Percent => Axis::share(),
            _ => Axis::from_zero(most, 5),
        }
    }

    /// Its panel.
    fn draw(&self, sheet: &mut Drawing, all: &[Searched<'_>], area: Area, x: Axis, load: &str) {
        let title = quoted(&kept(self.limit));
        panel_title(sheet, &area, 20.0, &format!("{title} (dashed)"));
        let end = x.last_tick();
        let mut plot = Plot::new(sheet, area, x, self.axis(all));
        plot.bound(end, self.height(self.bound()));
        for searched in all {
            if let Some(knee) = searched.per_sec() {
                let (across, _) = plot.at((knee, 0.0));
                let upright = [(across, area.top), (across, area.bottom())];
                sheet.line(&upright, 1.0, Paint::new(searched.entry.colour(), 0.45));
            }
        }
        let mut readings = Vec::new();
        // The first of the file on top.
        for searched in all.iter().rev() {
            for found in searched.found(self.at) {
                readings.extend(self.draw_runs(sheet, &plot, searched.entry, &found));
            }
        }
        let along = format!("offered {load}, a run each");
        sheet.read_off(&title, area, &along, [title.clone()], readings);
    }

    /// The runs of a replicate; what can be read off them.
    fn draw_runs(
        &self,
        sheet: &Sheet,
        plot: &Plot,
        entry: Entry<'_>,
        found: &[Found],
    ) -> Vec<Reading> {
        let colour = entry.colour();
        let place = |(load, it): &Found| plot.at((*load, self.height(it.value.unwrap_or(0.0))));
        let points: Vec<Point> = found.iter().map(place).collect();
        sheet.line(&points, 1.25, Paint::new(colour, 0.5));
        let runs = points.into_iter().zip(found);
        let runs = runs.map(|(at, (load, finding))| {
            match finding.censored {
                true => sheet.ring(at, DOT, 1.25, colour),
                false => sheet.disc(at, DOT, colour),
            }
            let load = number::grouped(load.round() as u64);
            let text = self.format().bound(finding.value, finding.censored);
            let label = format!("{} at {load}", entry.name());
            Reading::of_mark(at, label, [text])
        });
        runs.collect()
    }
}
