//! Chart 6: what more servers give, key by key.

use super::prelude::*;
use super::square::{Curve, Square, place, plot};

/// One key on several numbers of servers.
struct Scaled<'a> {
    /// Its first strategy in the file.
    entry: Entry<'a>,
    /// By number of servers, ascending: (servers, throughput a second).
    points: Vec<(u32, f64)>,
}

impl<'a> Scaled<'a> {
    /// The keys of `results` with strategies that differ in servers, in the order of the file.
    fn all(results: &'a Results) -> Vec<Self> {
        let mut keys: Vec<Self> = Vec::new();
        for entry in Entry::all(results) {
            let strategy = entry.strategy;
            let Some(throughput) = metric::value(strategy, MetricId::WriteThroughput) else {
                continue;
            };
            let point = (strategy.servers, throughput);
            let same_key = |it: &&mut Self| it.entry.strategy.key == strategy.key;
            match keys.iter_mut().find(same_key) {
                // Of several on as many servers, which differ in something else, the first.
                Some(key) if key.done_on(point.0).is_some() => {}
                Some(key) => key.points.push(point),
                None => {
                    let points = vec![point];
                    keys.push(Self { entry, points });
                }
            }
        }
        keys.retain_mut(|key| {
            key.points.sort_by_key(|(servers, _)| *servers);
            key.points.len() > 1
        });
        keys
    }

    /// Throughput on so many servers.
    fn done_on(&self, servers: u32) -> Option<f64> {
        let mut points = self.points.iter();
        points.find(|(at, _)| *at == servers).map(|(_, done)| *done)
    }

    /// What was done on fewest servers, and on most.
    fn ends(&self) -> [(u32, f64); 2] {
        [self.points[0], self.points[self.points.len() - 1]]
    }

    /// How many times as many servers the most are as the fewest.
    fn servers(&self) -> f64 {
        let [(fewest, _), (most, _)] = self.ends();
        f64::from(most) / f64::from(fewest)
    }

    /// Throughput at most servers over that at fewest; `None` when nothing was done there.
    fn gain(&self) -> Option<f64> {
        let [(_, first), (_, last)] = self.ends();
        (first > 0.0).then(|| last / first)
    }

    /// What so many servers would give if each added as much as the first ones.
    fn ideal(&self, servers: f64) -> f64 {
        let [(fewest, first), _] = self.ends();
        first * servers / f64::from(fewest)
    }
}

fn log2(servers: u32) -> f64 {
    f64::from(servers).log2()
}

/// The chart; `None` unless some key was tried on several numbers of servers.
pub fn draw(results: &Results, viewport: Viewport) -> Option<Chart> {
    let keys = Scaled::all(results);
    let points = || keys.iter().flat_map(|key| key.points.iter().copied());
    let mut servers: Vec<u32> = points().map(|(servers, _)| servers).collect();
    servers.sort_unstable();
    servers.dedup();
    let ticks = servers.iter().map(|&n| (log2(n), n.to_string())).collect();
    let x = Axis::new(log2(*servers.first()?)..log2(*servers.last()?), ticks);
    let ideals = keys.iter().map(|it| it.ideal(f64::from(it.ends()[1].0)));
    let reached = points().map(|(_, done)| done);
    let y = Axis::from_zero(reached.chain(ideals).fold(0.0, f64::max), 5);
    let plot = plot(viewport);
    let curve = |key: &Scaled<'_>| -> Points {
        let at = |&(n, done): &(u32, f64)| place(plot, x.fraction(log2(n)), y.fraction(done));
        key.points.iter().map(at).collect()
    };
    let curves = keys.iter().map(|key| Curve {
        entry: key.entry,
        points: curve(key),
        dots: (curve(key), 3.4),
        cells: vec![Ratio.text(key.servers()), Ratio.optional(key.gain())],
    });
    let ideals = keys.iter().map(|key| {
        let [first, last] = key.ends().map(|(servers, _)| log2(servers));
        // A line in throughput per server is a curve over a logarithmic axis.
        let places = (0..=40).map(|part| first + (last - first) * f64::from(part) / 40.0);
        places.map(|n| (n, key.ideal(n.exp2()))).collect()
    });
    let reading = |n: &u32| {
        let done = keys.iter().map(|key| Compact.optional(key.done_on(*n)));
        let (right, _) = place(plot, x.fraction(log2(*n)), 0.0);
        Reading::at(right, n.to_string(), done)
    };
    let a_second = format!("{} a second", metric::load_name(&results.strategies));
    let square = Square {
        viewport,
        kind: ChartKind::Scaling,
        title: title(&keys),
        subtitle: "Throughput on more and more servers · grey: what each key would give if every server added as much as the first ones",
        curves: curves.collect(),
        ideals: ideals.collect(),
        headings: &[["", "servers"], ["", "throughput"]],
        leading: 1,
        notes: vec!["From the fewest servers of a key to the most.".to_owned()],
        readings: (&a_second, servers.iter().map(reading).collect()),
        x: (x.clone(), "region servers"),
        y: (y.clone(), &a_second),
    };
    Some(square.draw())
}

/// What more servers give the key that gains least, and the one that gains most.
fn title(keys: &[Scaled<'_>]) -> String {
    let gains = || keys.iter().filter_map(|it| Some((it, it.gain()?)));
    let least = gains().min_by(|(_, one), (_, other)| one.total_cmp(other));
    let most = gains().max_by(|(_, one), (_, other)| one.total_cmp(other));
    let Some(((least, low), (most, high))) = least.zip(most) else {
        return "Throughput on more and more servers".to_owned();
    };
    let is_alike = high <= low * ALIKE_WITHIN;
    let [servers, low, high] = [least.servers(), low, high].map(|times| Ratio.text(times));
    if keys.len() == 1 {
        return format!("{servers} the servers give {low} the throughput");
    }
    if is_alike {
        let gain = range(low, high);
        return format!("{servers} the servers give {gain} the throughput with every key");
    }
    let [least, most] = [least, most].map(|key| name(key.entry.strategy));
    format!("{servers} the servers give {least} {low} the throughput, and {most} {high}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_fixture as sample;

    #[test]
    fn a_key_on_several_numbers_of_servers_is_one_curve() {
        let template = sample::strategy("x", 2, &[&[10, 10]]);
        let at = |name: &str, key: &str, servers: u32, throughput: f64| {
            let mut strategy = template.clone();
            strategy.name = name.to_owned();
            strategy.title = name.to_owned();
            strategy.key = key.to_owned();
            strategy.servers = servers;
            let metric = sample::number(throughput);
            let throughput = MetricId::WriteThroughput.name().to_owned();
            strategy.metrics.insert(throughput, metric);
            strategy
        };
        let results = sample::results(vec![
            at("sixteen", "be8(ts)", 16, 21_000.0),
            at("eight", "be8(ts)", 8, 20_000.0),
            at("eight, otherwise", "be8(ts)", 8, 19_000.0),
            at("hashed", "md5(id)", 8, 90_000.0),
        ]);
        let curves = Scaled::all(&results);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].points, [(8, 20_000.0), (16, 21_000.0)]);
        assert_eq!(curves[0].entry.name(), "sixteen");
        assert_eq!(
            (curves[0].gain(), curves[0].ideal(16.0)),
            (Some(1.05), 40_000.0)
        );
        let chart = draw(&results, Viewport::Wide).expect("a curve");
        assert!(
            chart.title.contains("twice") || chart.title.contains('×'),
            "{}",
            chart.title
        );
    }

    #[test]
    fn keys_on_one_number_of_servers_have_no_curve() {
        assert!(draw(&sample::five_keys(), Viewport::Wide).is_none());
    }
}
