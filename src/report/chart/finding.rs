//! What the pictures show, in words made from the same numbers: the title of each chart. Must not know how it is drawn.

use super::concentration::Line;
use super::demand::Demand;
use super::scaling::Curve;
use super::trade_off::{Mark, Panel};
use crate::experiment::{Results, StrategyResult};
use crate::report::metric;
use crate::report::number::{self, Kind};

/// Longest name on a chart, in characters.
const LONGEST_NAME: usize = 48;

/// Numbers within this factor of each other are alike.
const ALIKE_WITHIN: f64 = 1.1;

/// Peak to mean from which a server is worth a word.
const HOT: f64 = 1.5;

/// Share of the writes from which one server takes "the" writes.
const NEARLY_ALL: f64 = 0.9;

/// What charts call `strategy`, shortened.
pub fn name(strategy: &StrategyResult) -> String {
    let name = if strategy.title.trim().is_empty() {
        &strategy.name
    } else {
        &strategy.title
    };
    if name.chars().count() <= LONGEST_NAME {
        return name.clone();
    }
    let short: String = name.chars().take(LONGEST_NAME - 1).collect();
    format!("{}…", short.trim_end())
}

/// The same inside a sentence: a name of several words in quotes, so that one sees where it ends.
pub fn quoted(strategy: &StrategyResult) -> String {
    let name = name(strategy);
    if name.contains(' ') {
        format!("“{name}”")
    } else {
        name
    }
}

/// Where this strategy's load lands, and when.
pub fn key_map(strategy: &StrategyResult, demand: &Demand<'_>) -> String {
    let name = name(strategy);
    let servers = demand.servers();
    let Some(least) = demand.least_peak_share() else {
        return format!("{name}: too few writes for a statement about the spread");
    };
    if servers == 1 {
        return format!("{name}: the only server takes all the writes");
    }
    if least >= NEARLY_ALL {
        let least = Kind::Percent.text(least);
        let least = if least.starts_with("100") {
            least
        } else {
            format!("at least {least}")
        };
        return format!("{name}: one server takes {least} of the writes in every interval");
    }
    if metric::value(strategy, "server_max_share").is_none() {
        return format!("{name}: where and when the writes land");
    }
    let share = metric::text(strategy, "server_max_share", Kind::Percent);
    let times = metric::text(strategy, "server_peak_to_mean", Kind::Ratio);
    match metric::hotspot(strategy) {
        Some("none") => {
            format!(
                "{name}: the writes spread over all {servers} servers, the hottest takes {times} its fair share"
            )
        }
        Some("row") => {
            format!(
                "{name}: one row is hot and no split can divide it; its server takes {share} of the writes"
            )
        }
        Some("presplit-mismatch") => {
            format!(
                "{name}: the writes reach {} of {servers} servers, the hottest takes {share}",
                demand.servers_reached()
            )
        }
        Some("placement") => {
            format!(
                "{name}: the regions happen to lie so that one server takes {share} of the writes"
            )
        }
        Some("moving") => {
            format!("{name}: the hotspot moves; at any time one server takes {share} of the writes")
        }
        Some("static") => {
            format!("{name}: the same range stays hot; its server takes {share} of the writes")
        }
        _ => format!(
            "{name}: the hottest server takes {share} of the writes, {times} its fair share"
        ),
    }
}

/// Who asks one server for more than it can do.
pub fn server_load(strategies: &[(&StrategyResult, Demand<'_>)]) -> String {
    let over = |(strategy, demand): &(&StrategyResult, Demand<'_>)| {
        metric::value(strategy, "server_capacity_per_sec")
            .map(|capacity| demand.over_fraction(capacity))
    };
    let fractions: Vec<Option<f64>> = strategies.iter().map(over).collect();
    if fractions.iter().all(Option::is_none) {
        // Reads have no capacity to be measured against, only each other.
        let several = strategies.len() > 1;
        let compared = several.then(|| spread(strategies.iter().map(|(strategy, _)| *strategy)));
        return compared
            .flatten()
            .unwrap_or_else(|| "Load per server over time".to_owned());
    }
    let mut hot: Vec<(f64, String)> = Vec::new();
    for ((strategy, _), fraction) in strategies.iter().zip(&fractions) {
        if let Some(fraction) = fraction.filter(|fraction| *fraction > 0.0) {
            hot.push((fraction, quoted(strategy)));
        }
    }
    // Stable: strategies that are equally hot stay in file order.
    hot.sort_by(|a, b| b.0.total_cmp(&a.0));
    match hot.as_slice() {
        [] if strategies.len() == 1 => "No server is asked for more than it can do".to_owned(),
        [] => spread(strategies.iter().map(|(strategy, _)| *strategy))
            .unwrap_or_else(|| "No strategy asks a server for more than it can do".to_owned()),
        [(fraction, name)] => {
            format!(
                "{name} asks one server for more than it can do, {} of the time",
                Kind::Percent.text(*fraction)
            )
        }
        all if all.len() == strategies.len() && all.len() > 1 => {
            "In every strategy the hottest server has all that it can do, or more".to_owned()
        }
        all if all.len() <= 3 => {
            let list: Vec<String> = all
                .iter()
                .map(|(fraction, name)| {
                    format!("{name} {} of the time", Kind::Percent.text(*fraction))
                })
                .collect();
            format!("Over the capacity of a server: {}", list.join(", "))
        }
        all => format!(
            "{} of {} strategies ask one server for more than it can do, {} {} of the time",
            all.len(),
            strategies.len(),
            all[0].1,
            Kind::Percent.text(all[0].0)
        ),
    }
}

/// Who has the hottest server for its fair share; `None` when no strategy has a hot one.
fn spread<'a>(strategies: impl IntoIterator<Item = &'a StrategyResult>) -> Option<String> {
    let path = "server_peak_to_mean";
    let (best, worst) = extremes(strategies, path)?;
    let times = |strategy| metric::text(strategy, path, Kind::Ratio);
    metric::value(worst, path).filter(|peak| *peak >= HOT)?;
    if alike(best, worst, path) {
        let range = range(times(best), times(worst));
        return Some(format!(
            "With every strategy the hottest server takes {range} its fair share"
        ));
    }
    Some(format!(
        "With {} the hottest server takes {} its fair share, with {} {}",
        quoted(worst),
        times(worst),
        quoted(best),
        times(best)
    ))
}

/// Whether the metric at `path` is much the same in both; a lower bound is like nothing.
fn alike(least: &StrategyResult, most: &StrategyResult, path: &str) -> bool {
    let value = |strategy| {
        let measure = metric::measure(strategy, path)?;
        metric::value(strategy, path).filter(|_| !measure.censored)
    };
    value(least)
        .zip(value(most))
        .is_some_and(|(least, most)| most <= least * ALIKE_WITHIN)
}

/// `least to most`, or the one that both are.
fn range(least: String, most: String) -> String {
    if least == most {
        least
    } else {
        format!("{least} to {most}")
    }
}

/// The strategies in which the metric at `path` is defined: the one with the least value, and the one with the greatest, where a lower bound is greater
/// than all that is known; of equals, the first in the file.
fn extremes<'a>(
    strategies: impl IntoIterator<Item = &'a StrategyResult>,
    path: &str,
) -> Option<(&'a StrategyResult, &'a StrategyResult)> {
    let mut extremes: Option<[((bool, f64), &StrategyResult); 2]> = None;
    for strategy in strategies {
        if let Some(value) = metric::value(strategy, path) {
            let open = metric::measure(strategy, path).is_some_and(|measure| measure.censored);
            let value = (open, value);
            let [least, most] = extremes.get_or_insert([(value, strategy); 2]);
            if value < least.0 {
                *least = (value, strategy);
            }
            if value > most.0 {
                *most = (value, strategy);
            }
        }
    }
    extremes.map(|[least, most]| (least.1, most.1))
}

/// Who spreads best and who worst.
pub fn lorenz(results: &Results) -> String {
    let path = "effective_servers";
    let Some((worst, best)) = extremes(&results.strategies, path) else {
        return "How evenly do the servers share the load?".to_owned();
    };
    let uses = |strategy: &StrategyResult| {
        metric::value(strategy, path)
            .map_or(String::new(), |value| number::of(value, strategy.servers))
    };
    if results.strategies.len() == 1 {
        return format!("{} uses {} servers", quoted(best), uses(best));
    }
    if results.strategies.iter().all(|it| it.servers == 1) {
        return "The only server takes all the load".to_owned();
    }
    if uses(best) == uses(worst) {
        return format!("Every strategy uses {} servers", uses(best));
    }
    if best.servers == worst.servers && alike(worst, best, path) {
        let least = metric::value(worst, path).unwrap_or_default();
        return format!("Every strategy uses {least:.1} to {} servers", uses(best));
    }
    format!(
        "{} uses {} servers, {} {}",
        quoted(best),
        uses(best),
        quoted(worst),
        uses(worst)
    )
}

/// Who is fast and who slow: at the 99th percentile, or at the median when only that tells them apart.
pub fn response(results: &Results) -> String {
    let path = |percentile: &str| format!("write_response_ms.{percentile}");
    let ends = |percentile: &str| extremes(&results.strategies, &path(percentile));
    let load = metric::load_name(&results.strategies);
    let Some((best, worst)) = ends("p99") else {
        return format!("Response time of {load} by percentile");
    };
    let text = |strategy: &StrategyResult, percentile: &str| {
        let text = metric::text(strategy, &path(percentile), Kind::Millis);
        text.strip_prefix(">\u{a0}")
            .map_or(text.clone(), |bound| format!("more than {bound}"))
    };
    let apart = |(best, worst): (&StrategyResult, &StrategyResult), percentile: &str| {
        format!(
            "{percentile} of the {load}: {} with {}, {} with {}",
            text(best, percentile),
            quoted(best),
            text(worst, percentile),
            quoted(worst)
        )
    };
    let p99 = text(best, "p99");
    if results.strategies.len() == 1 {
        return format!("{}: the p99 of the {load} is {p99}", name(best));
    }
    if !alike(best, worst, &path("p99")) && p99 != text(worst, "p99") {
        return apart((best, worst), "p99");
    }
    let p99 = range(p99, text(worst, "p99"));
    match ends("p50") {
        Some((fast, slow)) if !alike(fast, slow, &path("p50")) => {
            format!("{}; p99 of all: {p99}", apart((fast, slow), "p50"))
        }
        _ => format!("p99 of the {load}: {p99} with every strategy"),
    }
}

/// How few regions take half of the load; `lines` has the most concentrated first.
pub fn concentration(lines: &[Line<'_>]) -> String {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return "How few regions take the load".to_owned();
    };
    let load = metric::load_name([first.strategy]);
    let compact = |regions: u64| Kind::Compact.text(regions as f64);
    let half = |line: &Line<'_>, at_a_time: &str| match line.regions() {
        1 => "the only region".to_owned(),
        all => format!(
            "{} of {} regions{at_a_time}",
            compact(line.regions_of(0.5)),
            compact(all)
        ),
    };
    let all = lines.iter().all(|line| line.regions() == last.regions());
    let (fewest, most) = (first.regions_of(0.5), last.regions_of(0.5));
    let first_half = half(first, " at a time");
    if lines.len() == 1 {
        return format!(
            "{}: half of the {load} go to {first_half}",
            name(first.strategy)
        );
    }
    if all && fewest == most {
        return format!("Every strategy: half of the {load} go to {first_half}");
    }
    if all && most as f64 <= fewest as f64 * ALIKE_WITHIN {
        let last = half(last, " at a time");
        return format!(
            "Every strategy: half of the {load} go to {} to {last}",
            compact(fewest)
        );
    }
    format!(
        "Half of the {load} go to {first_half} with {}, to {} with {}",
        quoted(first.strategy),
        half(last, ""),
        quoted(last.strategy)
    )
}

/// What more servers give the key that gains least, and the one that gains most.
pub fn scaling(curves: &[Curve<'_>]) -> String {
    let gains = || {
        curves
            .iter()
            .filter_map(|curve| Some((curve, curve.gain()?)))
    };
    let least = gains().min_by(|(_, one), (_, other)| one.total_cmp(other));
    let most = gains().max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (Some((least, low)), Some((most, high))) = (least, most) else {
        return "Throughput on more and more servers".to_owned();
    };
    let said = |curve: &Curve<'_>, gain: f64| {
        let (fewest, most) = curve.servers();
        let servers = Kind::Ratio.text(f64::from(most) / f64::from(fewest));
        let gain = Kind::Ratio.text(gain);
        (servers, gain)
    };
    let (servers, gain) = said(least, low);
    if curves.len() == 1 {
        return format!("{servers} the servers give {gain} the throughput");
    }
    let (_, best) = said(most, high);
    format!(
        "{servers} the servers give {} {gain} the throughput, and {} {best}",
        least.quoted(),
        most.quoted()
    )
}

/// What the evenest writes cost the reads.
pub fn trade_off(panels: &[Panel<'_>]) -> String {
    let least = |panel: &Panel<'_>, value: fn(&Mark<'_>) -> f64| {
        // Of equals, the cheaper in the other respect, then the first in the file.
        let order = |mark: &&Mark<'_>| (value(mark), mark.skew, mark.price);
        let mut marks = panel.marks.iter();
        let first = marks.next();
        let best = first.map(|first| {
            marks.fold(first, |best, mark| match order(&mark) < order(&best) {
                true => mark,
                false => best,
            })
        });
        best.map_or((0, 0.0, String::new()), |mark| {
            let at = panel
                .marks
                .iter()
                .position(|other| std::ptr::eq(other, mark));
            (at.unwrap_or(0), mark.price, quoted(mark.strategy))
        })
    };
    // The read that pays most for it, relative to what it could have.
    let mut dearest: Option<(f64, String)> = None;
    let mut evenest = None;
    for panel in panels {
        let (even, dear, even_name) = least(panel, |mark| mark.skew);
        let (cheap, price, cheap_name) = least(panel, |mark| mark.price);
        evenest.get_or_insert_with(|| even_name.clone());
        if even == cheap || price <= 0.0 || dear <= price * ALIKE_WITHIN {
            continue;
        }
        let (even, cheap) = (&panel.marks[even], &panel.marks[cheap]);
        let text = format!(
            "`{}` costs {} with the evenest writes ({even_name}), {} with {cheap_name}",
            panel.name,
            panel.price(even),
            panel.price(cheap),
        );
        if dearest
            .as_ref()
            .is_none_or(|(times, _)| dear / price > *times)
        {
            dearest = Some((dear / price, text));
        }
    }
    let reads = match panels {
        [only] => format!("the cheapest `{}`", only.name),
        _ => "the cheapest reads".to_owned(),
    };
    match (dearest, evenest) {
        (Some((_, text)), _) => text,
        (None, Some(name)) => format!("{name} has the evenest writes and {reads}"),
        (None, None) => "What spreading the writes costs the reads".to_owned(),
    }
}
