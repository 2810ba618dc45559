//! Chart 3: the Lorenz curve of the load of servers.

use super::demand::{Demand, gini};
use super::prelude::*;
use super::square::{Curve, Dots, Square, place};

/// Servers up to which each is marked by a dot.
const MOST_DOTS: usize = 32;
/// Places along the axis whose numbers can be read off.
const MOST_PLACES: usize = 64;
const EFFECTIVE: MetricPath = MetricId::EffectiveServers.whole();

/// A strategy with the shares that its coldest servers take, and their Gini coefficient.
struct Spread<'a> {
    entry: Entry<'a>,
    shares: Vec<f64>,
    gini: f64,
}

/// The chart; `None` when no strategy had enough load for a statement.
pub fn draw(results: &Results) -> Option<Chart> {
    let spreads = Entry::all(results).filter_map(|entry| {
        let shares = Demand::of(entry.strategy, results.duration_s)?.lorenz()?;
        let gini = gini(&shares);
        Some(Spread {
            entry,
            shares,
            gini,
        })
    });
    let mut spreads: Vec<Spread<'_>> = spreads.collect();
    // The most uneven first. Stable: equals stay in file order.
    spreads.sort_by(|a, b| b.gini.total_cmp(&a.gini));
    let most = spreads.iter().map(|it| it.shares.len() - 1).max()?;
    let notes = [
        "Gini: 0 is perfectly even, 1 is one server doing everything.",
        "Each interval counts on its own: totals hide a hotspot that moves.",
    ];
    let square = Square {
        kind: ChartKind::Lorenz,
        title: title(results),
        subtitle: "Lorenz curve of the load per server, mean over the intervals of the window · the further below the diagonal, \
                   the more uneven",
        x: (Axis::share(), "share of servers, coldest first"),
        y: (Axis::share(), "share of load"),
        ideals: vec![vec![(0.0, 0.0), (1.0, 1.0)]],
        beside: ("perfectly even", place(0.36, 0.42)),
        headings: &[
            ["", "Gini"],
            ["hottest", "÷ mean"],
            ["effective", "servers"],
        ],
        leading: 0,
        curves: spreads.iter().map(curve).collect(),
        notes: notes.map(str::to_owned).to_vec(),
        readings: ("share of the load", readings(&spreads, most)),
    };
    Some(square.draw())
}

fn curve<'a>(spread: &Spread<'a>) -> Curve<'a> {
    let servers = spread.shares.len() - 1;
    let points = spread.shares.iter().enumerate();
    let points = points.map(|(at, share)| place(at as f64 / servers as f64, *share));
    let dots = match servers <= MOST_DOTS {
        true => Dots::OnPoints,
        false => Dots::At(Vec::new()),
    };
    let strategy = spread.entry.strategy;
    Curve {
        entry: spread.entry,
        points: points.collect(),
        dots: (dots, 2.6),
        cells: vec![
            format!("{:.2}", spread.gini),
            metric::text(strategy, MetricId::ServerPeakToMean, Ratio),
            effective(strategy).unwrap_or(UNDEFINED.to_owned()),
        ],
    }
}

/// `4.0 of 8`.
fn effective(strategy: &StrategyResult) -> Option<String> {
    let servers = metric::value(strategy, EFFECTIVE)?;
    Some(number::of(servers, strategy.servers))
}

/// What the coldest servers take under each strategy; of many servers, at so many places.
fn readings(spreads: &[Spread<'_>], most: usize) -> Vec<Reading> {
    let places = most.min(MOST_PLACES);
    let reading = |at: usize| {
        let share = at as f64 / places as f64;
        let held = |it: &Spread<'_>| {
            let server = (share * (it.shares.len() - 1) as f64).round() as usize;
            Percent.text(it.shares[server])
        };
        let coldest = match (share * most as f64).round() as u64 {
            1 => "the coldest server".to_owned(),
            n => format!("the {} coldest servers", number::grouped(n)),
        };
        let label = format!("{coldest} of {}", number::grouped(most as u64));
        Reading::at(place(share, 0.0).0, label, spreads.iter().map(held))
    };
    (1..=places).map(reading).collect()
}

/// Who spreads best and who worst.
pub fn title(results: &Results) -> String {
    let Some((worst, best)) = extremes(&results.strategies, EFFECTIVE) else {
        return "How evenly do the servers share the load?".to_owned();
    };
    let uses = |strategy| effective(strategy).unwrap_or_default();
    let (most, least) = (uses(best), uses(worst));
    if results.strategies.len() == 1 {
        return format!("{} uses {most} servers", quoted_name(best));
    }
    if results.strategies.iter().all(|it| it.servers == 1) {
        return "The only server takes all the load".to_owned();
    }
    if most == least {
        return format!("Every strategy uses {most} servers");
    }
    if best.servers == worst.servers && alike(worst, best, EFFECTIVE) {
        let least = metric::value(worst, EFFECTIVE).unwrap_or_default();
        return format!("Every strategy uses {least:.1} to {most} servers");
    }
    let (best, worst) = (quoted_name(best), quoted_name(worst));
    format!("{best} uses {most} servers, {worst} {least}")
}
