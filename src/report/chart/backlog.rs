//! Chart 3: how far completions are behind what was offered, over time, for open loops that back up: what the consumer of a queue sees. As time, as
//! rows, and what that makes of response times.

use super::demand::Demand;
use super::prelude::*;

/// Strategies that are this part of the run behind at some time are drawn, with those that are less.
const NOTABLE: f64 = 0.02;
/// What tells whether queues differ: lags are those of one replicate.
const P99: MetricPath = MetricId::WriteResponse.at(Part::P99);

/// How far a strategy is behind, at the end of each interval.
struct Queue<'a> {
    entry: Entry<'a>,
    ends_s: Vec<f64>,
    /// Rows offered and not completed; those that failed are among them.
    rows: Vec<f64>,
    /// Age of what is completed then, when each waits for its turn, in seconds.
    lags_s: Vec<f64>,
    /// Mean response time of what is completed in the interval, in milliseconds; no number where nothing is.
    responses_ms: Vec<f64>,
    /// When the last row of an import was done, if that is before the planned end.
    done_s: Option<f64>,
}

impl<'a> Queue<'a> {
    /// Of an open loop; `None` without a series.
    fn of(entry: Entry<'a>, planned_s: f64) -> Option<Self> {
        let strategy = entry.strategy;
        let demand = Demand::of(strategy, planned_s).filter(|_| !strategy.closed_loop)?;
        let series = strategy.series.as_ref()?;
        let done = &series.server_completed;
        if metric::is_of_reads(strategy) || done.is_empty() {
            return None;
        }
        // Offered by the end of each interval, from nothing at the start on.
        let mut offered = vec![(0.0, 0.0)];
        let (mut completed, mut at) = (0.0, 0);
        let (mut ends_s, mut rows, mut lags_s) = (vec![], vec![], vec![]);
        // A row of a copy is asked of a server, but it is completed with its operation.
        let asked = series.key_demand.iter().map(|row| row.iter().sum::<u64>());
        for ((interval, asked), done) in demand.drawn().iter().zip(asked).zip(done) {
            let before = offered[offered.len() - 1].1;
            let (end, sum) = (interval.end_s, before + asked as f64);
            offered.push((end, sum));
            completed += done.iter().sum::<u64>() as f64;
            while offered[at + 1].1 < completed && at + 2 < offered.len() {
                at += 1;
            }
            // What is completed last was offered when as many had been.
            let ((from, low), (to, high)) = (offered[at], offered[at + 1]);
            let part = match high > low {
                true => ((completed - low) / (high - low)).clamp(0.0, 1.0),
                false => 1.0,
            };
            let waiting = (sum - completed).max(0.0);
            let behind = match waiting > 0.0 {
                true => (end - from - (to - from) * part).max(0.0),
                // Nothing waits, however long ago the last row was offered.
                false => 0.0,
            };
            ends_s.push(end);
            rows.push(waiting);
            lags_s.push(behind);
        }
        let responses = series.write_response_ms.iter();
        let responses = responses.map(|mean| mean.unwrap_or(f64::NAN));
        let is_done = demand.drawn().len() < demand.intervals.len();
        Some(Self {
            entry,
            done_s: is_done.then(|| demand.length_s()),
            ends_s,
            rows,
            lags_s,
            responses_ms: responses.collect(),
        })
    }

    fn most(&self) -> f64 {
        self.lags_s.iter().copied().fold(0.0, f64::max)
    }

    /// When it is no more behind than `calm` for good, if it was and has recovered.
    fn recovers_s(&self, calm: f64) -> Option<f64> {
        let last = self.lags_s.iter().rposition(|lag| *lag > calm)?;
        self.ends_s.get(last + 1).copied().or(self.done_s)
    }
}

/// The chart; `None` when no open loop is notably behind.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let of = |entry| Queue::of(entry, results.duration_s);
    let queues: Vec<Queue<'_>> = Entry::all(results).filter_map(of).collect();
    let length = queues.iter().filter_map(|it| it.ends_s.last()).copied();
    let length = length.fold(0.0, f64::max);
    let calm = NOTABLE * length;
    if !queues.iter().any(|it| it.most() > calm) {
        return None;
    }
    const LEFT: f64 = 62.0;
    let entries = queues.iter().map(|queue| queue.entry);
    let legend = Legend::of(entries, viewport.room() - LEFT);
    let grid = Grid {
        viewport,
        columns: 1,
        top: viewport.top() + 38.0 + legend.more,
        left: LEFT,
        right: viewport.pick(0.0, 12.0),
        head: 26.0,
        height: 140.0,
        foot: 34.0,
        gap: 0.0,
    };
    let subtitle = "Writes of an open loop, replicate 0 · behind: how long ago what completes was offered, each in its turn · waiting: not completed, or failed";
    type Values = for<'q> fn(&'q Queue<'_>) -> &'q [f64];
    let mut panels: Vec<(&str, NumberFormat, f64, Values)> = vec![
        ("behind", Millis, 1e3, |it| &it.lags_s),
        ("rows waiting", Compact, 1.0, |it| &it.rows),
    ];
    // Results of older versions have none.
    if queues.iter().any(|it| !it.responses_ms.is_empty()) {
        let name = "mean response time of what completes";
        panels.push((name, Millis, 1.0, |it| &it.responses_ms));
    }
    let (kind, last) = (ChartKind::Backlog, grid.area(panels.len() - 1));
    let height = grid.bottom(panels.len()) + 22.0;
    let mut sheet = Drawing::new(viewport, kind, title(&queues, calm), subtitle, height);
    legend.draw(&sheet, (viewport.left() + LEFT, viewport.top() + 22.0));
    let mut is_striped = false;
    for (at, (name, format, unit, values)) in panels.into_iter().enumerate() {
        let area = grid.area(at);
        panel_title(&sheet, &area, 22.0, name);
        let all = queues.iter().flat_map(|it| values(it)).copied();
        let most = unit * all.fold(0.0, f64::max);
        let y = Axis::from_zero_in(format, most, 4);
        let plot = Plot::new(&sheet, area, Axis::time(length, 10), y);
        let points = |queue: &Queue<'_>| -> Points {
            let points = queue.ends_s.iter().zip(values(queue));
            let points = points.filter(|(_, value)| value.is_finite());
            let points = points.map(|(end, value)| plot.at((*end, unit * value)));
            points.collect()
        };
        let lines: Vec<Points> = queues.iter().map(points).collect();
        for (queue, turn) in queues.iter().zip(turns(&lines)).rev() {
            let colour = queue.entry.colour();
            striped(&sheet, &lines[turn.along], turn, 2.0, colour);
            is_striped |= turn.of > 1;
        }
        let longest = queues.iter().max_by_key(|it| it.ends_s.len())?;
        let readings = longest.ends_s.iter().enumerate().map(|(at, end)| {
            let told = |it: &Queue<'_>| {
                let value = values(it).get(at).filter(|value| value.is_finite());
                format.optional(value.map(|value| unit * value))
            };
            let (x, _) = plot.at((*end, 0.0));
            let told: Vec<String> = queues.iter().map(told).collect();
            Reading::at(x, number::length(*end), told)
        });
        let readings: Vec<Reading> = readings.collect();
        let names = queues.iter().map(|it| it.entry.name());
        sheet.read_off(name, area, "by time", names, readings);
    }
    if is_striped {
        let at = (viewport.right(), last.bottom() + viewport.pick(28.0, 44.0));
        sheet.text(OVERLAP_NOTE, at, muted(10.5).right().top());
    }
    let unit = TimeUnit::of(length).name;
    let at = (last.middle().0, last.bottom() + 28.0);
    let label = muted(11.5).centre().top();
    sheet.text(&format!("simulated time, {unit}"), at, label);
    Some(sheet.finish())
}

/// How far behind whom, and when they are back.
fn title(queues: &[Queue<'_>], calm: f64) -> String {
    let mut behind: Vec<&Queue<'_>> = queues.iter().filter(|it| it.most() > calm).collect();
    // Stable: equals stay in file order.
    behind.sort_by(|a, b| b.most().total_cmp(&a.most()));
    let lag = |queue: &Queue<'_>| Millis.text(1e3 * queue.most());
    let back = |queue: &Queue<'_>| {
        let at = queue.recovers_s(calm)?;
        Some(number::length((at * 100.0).round() / 100.0))
    };
    if let [first, .., last] = behind.as_slice()
        && behind.len() == queues.len()
        && alike(last.entry.strategy, first.entry.strategy, P99)
    {
        let backs: Option<Vec<String>> = behind.iter().map(|it| back(it)).collect();
        let back = match backs.as_deref() {
            Some([one, .., other]) if one == other => format!("is back at {one}"),
            Some(_) => "is back in the end".to_owned(),
            None if behind.iter().all(|it| back(it).is_none()) => "does not catch up".to_owned(),
            None => "does not always catch up".to_owned(),
        };
        return format!(
            "Every strategy falls {} behind and {back}",
            range(lag(last), lag(first))
        );
    }
    let told = behind.iter().take(2).map(|queue| {
        let back = match back(queue) {
            Some(at) => format!("is back at {at}"),
            None => "does not catch up".to_owned(),
        };
        let (name, lag) = (queue.entry.name(), lag(queue));
        format!("{name} falls {lag} behind and {back}")
    });
    told.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn a_crowd_is_behind_until_it_has_drained() {
        // 100 a second, in the second second 300, of one server that does 150: 50 + 100 wait after it, and drain at 50 a second.
        let mut strategy =
            sample::strategy("x", 1, &[&[100u64], &[300], &[100], &[100], &[100], &[100]]);
        let series = strategy.series.as_mut().expect("the sample has a series");
        series.server_completed = [100, 150, 150, 150, 150, 100]
            .map(|done| vec![done])
            .to_vec();
        let queue = Queue::of(
            Entry {
                index: 0,
                strategy: &strategy,
            },
            6.0,
        )
        .expect("an open loop");
        assert_eq!(queue.rows, [0.0, 150.0, 100.0, 50.0, 0.0, 0.0]);
        // At 2 s the 250th is completed, which was offered half way through the second second; at 3 s the 400th, at its end.
        let expected = [0.0, 0.5, 1.0, 0.5, 0.0, 0.0];
        let near = queue
            .lags_s
            .iter()
            .zip(expected)
            .all(|(lag, want)| (lag - want).abs() < 1e-9);
        assert!(near, "{:?}", queue.lags_s);
        assert_eq!((queue.most(), queue.recovers_s(0.2)), (1.0, Some(5.0)));
        assert_eq!(
            title(&[queue], 0.2).replace('\u{a0}', " "),
            "x falls 1.00 s behind and is back at 5 s"
        );
        strategy.closed_loop = true;
        assert!(
            Queue::of(
                Entry {
                    index: 0,
                    strategy: &strategy
                },
                6.0
            )
            .is_none()
        );
    }

    #[test]
    fn an_import_that_is_done_before_the_planned_end_has_caught_up() {
        let mut strategy = sample::strategy("x", 1, &[&[300u64], &[300], &[0], &[0]]);
        let series = strategy.series.as_mut().expect("the sample has a series");
        series.server_completed = [150, 150, 150, 150].map(|done| vec![done]).to_vec();
        let recovers = |planned_s: f64| {
            let entry = Entry {
                index: 0,
                strategy: &strategy,
            };
            let queue = Queue::of(entry, planned_s).expect("an open loop");
            (queue.lags_s.last().copied(), queue.recovers_s(0.2))
        };
        // Of 600 rows 450 are done after three seconds, which were all offered half way through the second.
        assert_eq!(recovers(9.0), (Some(1.5), Some(4.0)));
        assert_eq!(recovers(4.0), (Some(0.0), Some(4.0)));
    }

    #[test]
    fn nobody_is_behind_when_nothing_more_is_offered_and_all_is_done() {
        let mut strategy = sample::strategy("x", 1, &[&[100u64], &[300], &[0], &[0]]);
        let series = strategy.series.as_mut().expect("the sample has a series");
        series.server_completed = [100, 150, 150, 0].map(|done| vec![done]).to_vec();
        let entry = Entry {
            index: 0,
            strategy: &strategy,
        };
        let queue = Queue::of(entry, 4.0).expect("an open loop");
        assert_eq!(queue.rows, [0.0, 150.0, 0.0, 0.0]);
        assert_eq!(queue.lags_s, [0.0, 0.5, 0.0, 0.0]);
    }
}
