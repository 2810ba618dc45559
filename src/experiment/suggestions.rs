//! Keys of keyheat's own beside a scenario's: each is read like a strategy of the file, laid out, and only the best are kept to be simulated; where no
//! one key serves all reads, the key that serves most of them with copies of the table for the others. Must not simulate: what a copy costs, the runs tell.

use super::growing_reads::GrowingReads;
use super::kept_rows::KeptRows;
use super::ranking::{self, Candidate, Cost};
use super::suggested_keys::{
    SuggestedCopy, SuggestedKey, in_quotes, presplit_as, presplit_regions, qualifier_of, regions,
    suggested_keys,
};
use crate::cluster::{ServiceSpec, server_capacity_per_second};
use crate::layout::{Layout, ReadForecast, ReadGrowth, Replicate, Retention};
use crate::scenario::{LoadError, Scenario, Strategy};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Keys that are laid out.
const MOST_TRIED: usize = 14;
/// Keys that are simulated, besides one with copies for each group.
const MOST_SIMULATED: usize = 4;
/// Operations of a predicted layout: a region's share of 10 % is exact to 2 % of it (one standard error: sqrt(0.9 / 2,000)).
const SAMPLE: usize = 20_000;
/// A region of so many times a server's even part is a hotspot.
const HOT: f64 = 2.0;

/// A scenario with the suggested keys that are worth simulating.
#[derive(Debug, Clone)]
pub struct Suggestions {
    /// With the keys to simulate, behind those of the file.
    pub scenario: Scenario,
    /// What was suggested.
    pub found: SuggestedKeys,
}

/// Which keys were suggested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SuggestedKeys {
    /// Those that were simulated beside the file's.
    pub simulated: Vec<SuggestedKey>,
    /// Those whose predicted regions and reads were no better.
    pub left_out: Vec<SuggestedKey>,
}

impl Suggestions {
    /// Of a sweep, for the first point with the most servers: what spreads over them spreads over fewer. Keys of the file, keys that mean other rows than the file's, and keys that are refused
    /// are dropped; strategies that override what is written or read get none.
    pub fn of(scenario: &Scenario) -> Self {
        let own = at_most_servers(scenario);
        let members = |group: &Vec<usize>| group.iter().map(|&at| &own[at]).collect::<Vec<_>>();
        let mut groups = groups(own);
        for group in &mut groups {
            // No key is made of one that overwrites what others keep.
            let mut kept = KeptRows::of(&members(group), scenario.seed).into_iter();
            group.retain(|_| kept.next().is_some_and(|it| !it.loses()));
        }
        let suggested = groups.iter().map(|group| suggested_keys(&members(group)));
        let mut wanted: Vec<Vec<SuggestedKey>> = suggested.collect();
        let mut tried: Vec<(usize, SuggestedKey, Strategy)> = Vec::new();
        for (group, key) in in_turn(&mut wanted) {
            if tried.len() == MOST_TRIED {
                break;
            }
            let key = named(scenario, &tried, key);
            let Some(strategy) = checked(scenario, &groups[group], &key) else {
                continue;
            };
            let of_group = tried.iter().filter(|(other, ..)| *other == group);
            let mut others = of_group.map(|(.., other)| other);
            if !others.any(|other| has_keys_of(other, &strategy)) {
                tried.push((group, key, strategy));
            }
        }
        tried.sort_by_key(|(group, ..)| *group);
        // Of each group, what is foreseen of its keys: first of those that are suggested, in their order, then of the file's.
        let forecasts = groups.par_iter().enumerate().map(|(at, group)| {
            let retention = Retention::of(&own[group[0]].setup, scenario.seed);
            let suggested = tried.par_iter().filter(|(group, ..)| *group == at);
            let suggested = suggested.map(|(_, key, strategy)| (strategy, key.presplit.clone()));
            let of_file = members(group).into_par_iter();
            let of_file = of_file.filter(|strategy| strategy.copies.is_empty());
            let regions = regions(&members(group));
            let of_file = of_file.map(|strategy| (strategy, presplit_as(strategy, regions)));
            let all = suggested.chain(of_file);
            let forecasts = all.map(|(it, presplit)| predicted(it, presplit, scenario, &retention));
            let mut forecasts: Vec<Forecast> = forecasts.collect();
            let growths: Vec<Vec<ReadGrowth>> =
                forecasts.iter().map(|it| it.growth.clone()).collect();
            let workload = &own[group[0]].setup.workload;
            let growing = GrowingReads::of(&growths, |_| true, workload);
            for (forecast, growing) in forecasts.iter_mut().zip(growing) {
                forecast.judged.later_reads = Cost::Known(growing.later_cost);
                forecast.judged.growth = growing.growth;
            }
            forecasts
        });
        let forecasts: Vec<Vec<Forecast>> = forecasts.collect();
        let copied = (0..groups.len()).filter_map(|at| {
            let (group, all) = (&groups[at], &forecasts[at]);
            // Where keys are as good, the file's come first.
            let suggested = tried.iter().filter(|(group, ..)| *group == at).count();
            let (suggested, of_file) = all.split_at(suggested);
            let key = with_copies(&[of_file, suggested].concat())?;
            let mut key = named(scenario, &[], key);
            key.qualifier = qualifier_of(&members(group));
            checked(scenario, group, &key).map(|_| key)
        });
        let copied: Vec<SuggestedKey> = copied.collect();
        let mut found = chosen(&tried, &forecasts);
        found.simulated.extend(copied);
        match with_keys(scenario, &found.simulated) {
            Ok(scenario) => Self { scenario, found },
            // Each is right, but all are more than a scenario may have.
            Err(_) => {
                let simulated = std::mem::take(&mut found.simulated);
                found.left_out.splice(0..0, simulated);
                let scenario = scenario.clone();
                Self { scenario, found }
            }
        }
    }
}

/// The strategies of all points, point by point.
pub(super) fn strategies(scenario: &Scenario) -> Vec<Strategy> {
    let points = 0..scenario.point_count();
    let strategies = points.flat_map(|point| scenario.strategies_at(point));
    strategies.cloned().collect()
}

/// The strategies of the first point at which the first of them has the most servers.
fn at_most_servers(scenario: &Scenario) -> &[Strategy] {
    let points = (0..scenario.point_count()).rev();
    let points = points.map(|point| scenario.strategies_at(point));
    let servers = |own: &&[Strategy]| own.first().map(|it| it.setup.cluster.servers);
    // Of several maxima the last counts, which is the first point.
    points.max_by_key(servers).unwrap_or(&scenario.strategies)
}

/// Strategies that can be compared, by their indices: each group in the order of the file, and the groups in that of their first.
pub(super) fn groups(strategies: &[Strategy]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..strategies.len() {
        let is_own = |group: &&mut Vec<usize>| is_comparable(strategies, group[0], at);
        match groups.iter_mut().find(is_own) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Both are asked to write and read the same, however far the clients of closed loops come.
pub(super) fn share_load(one: &Strategy, other: &Strategy) -> bool {
    let (setup, others) = (&one.setup, &other.setup);
    Arc::ptr_eq(setup, others)
        || setup.schema == others.schema
            && setup.workload.at_any_pace() == others.workload.at_any_pace()
}

/// Both store the same rows under the same load on the same cluster: they may differ in key, pre-split, table settings, and in what
/// the cluster does by itself.
fn is_comparable(strategies: &[Strategy], a: usize, b: usize) -> bool {
    let (one, other) = (&strategies[a], &strategies[b]);
    let (setup, others) = (&one.setup, &other.setup);
    let known = |of: &Strategy| of.setup.schema.known_from(&of.cell_key.fields());
    share_load(one, other)
        && known(one) == known(other)
        && setup.cluster == others.cluster
        && setup.client == others.client
        && setup.changes.events == others.changes.events
        && setup.changes.neighbours == others.changes.neighbours
}

/// The first of each list, then the second of each, with its list.
fn in_turn<T>(lists: &mut [Vec<T>]) -> Vec<(usize, T)> {
    let mut lists: Vec<_> = lists.iter_mut().map(|list| list.drain(..)).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        for (at, list) in lists.iter_mut().enumerate() {
            all.extend(list.next().map(|item| (at, item)));
        }
        if all.len() == before {
            return all;
        }
    }
}

/// With a name that neither the file nor another key has.
fn named(
    scenario: &Scenario,
    others: &[(usize, SuggestedKey, Strategy)],
    key: SuggestedKey,
) -> SuggestedKey {
    let is_free = |name: &String| {
        // The file may name strategies that were not selected.
        !scenario.text.contains(name.as_str()) && others.iter().all(|(_, it, _)| it.name != *name)
    };
    let numbered = (2..).map(|number| format!("{}-{number}", key.name));
    let mut names = std::iter::once(key.name.clone()).chain(numbered);
    let name = names.find(is_free);
    let name = name.expect("there are more numbers than names");
    SuggestedKey { name, ..key }
}

/// The scenario with these strategies behind its own.
fn with_keys(scenario: &Scenario, keys: &[SuggestedKey]) -> Result<Scenario, LoadError> {
    let mut text = scenario.text.clone();
    let mut options = scenario.options.clone();
    for suggested in keys {
        let SuggestedKey { name, key, .. } = suggested;
        let (key, settings) = (in_quotes(key), suggested.settings().join("\n"));
        text.push_str(&format!("\n\n[strategy.{name}]\nkey = {key}\n{settings}\n"));
        if !options.only.is_empty() {
            options.only.push(name.clone());
        }
    }
    let (name, path) = (&scenario.name, &scenario.path);
    Scenario::parse_in(&text, name, path, &scenario.folder, &options)
}

/// The key as a strategy; `None` when the file is refused with it, the file has it in as many regions, or it means other rows than its group.
fn checked(scenario: &Scenario, group: &[usize], key: &SuggestedKey) -> Option<Strategy> {
    let with_key = with_keys(scenario, std::slice::from_ref(key)).ok()?;
    let strategies = at_most_servers(&with_key);
    let at = strategies.len() - 1;
    let mut groups = groups(strategies).into_iter();
    let alike = groups.find(|group| group.contains(&at))?;
    let new = &strategies[at];
    let is_new = alike[..alike.len() - 1].iter().all(|&own| {
        let own = &strategies[own];
        !has_keys_of(own, new) || presplit_regions(own) < presplit_regions(new)
    });
    (alike.contains(&group[0]) && is_new).then(|| new.clone())
}

/// Whether the keys of both, and of their copies, are the same, in whatever words.
fn has_keys_of(one: &Strategy, other: &Strategy) -> bool {
    let mut keys = one.keys().zip(other.keys());
    one.copies.len() == other.copies.len() && keys.all(|(one, other)| one.has_order_of(other))
}

/// What the layout says of the key: its hottest region for the capacity, what its reads are planned to ask, and whether that grows with retention.
fn predicted(
    strategy: &Strategy,
    presplit: String,
    scenario: &Scenario,
    retention: &Retention,
) -> Forecast {
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let layout = Layout::with_sample(strategy, &replicate, (SAMPLE, 0));
    let servers = f64::from(strategy.setup.cluster.servers);
    let regions = layout.regions_of_table(layout.hottest_table).iter();
    let key = strategy.key_of(layout.hottest_table);
    let points = layout.points(layout.hottest_table);
    let hottest = match strategy.gathers_a_moment_under(key, points) {
        // All rows of a moment are in one region, wherever those of the run are.
        true => 1.0,
        false => regions.map(|it| it.write_share).fold(0.0, f64::max),
    };
    // Each operation writes a row of each table.
    let others = layout.copies.len() as f64;
    let heat = ((servers * hottest + others) / (1.0 + others)).max(1.0);
    let setup = &strategy.setup;
    let service = &setup.table.service(&setup.cluster);
    let of_read = |read: &ReadForecast| {
        let path = read.planned.plan.path;
        seconds(
            service,
            path.name(),
            read.parts,
            read.rows_read,
            read.cells_read,
        ) + read.planned.plan.expected.seconds_of_seeks
    };
    let reads: Vec<f64> = layout.reads.iter().map(of_read).collect();
    let offered = setup.workload.offered_per_sec(&setup.schema);
    let of_server = server_capacity_per_second(&setup.cluster, &setup.table);
    Forecast {
        name: strategy.name.clone(),
        key: strategy.key.text().trim().to_owned(),
        presplit,
        judged: Candidate {
            rows: Cost::Known(0.0),
            limits: Cost::Known(f64::from(u8::from(heat > HOT))),
            surely_broken: Cost::Unknown,
            later_reads: Cost::Known(1.0),
            growth: 0.0,
            reads: Cost::of(reads.iter().copied().map(Some)),
            copies: Cost::Unknown,
            capacity: Cost::Known(heat),
            bytes: Cost::known(Some(layout.key_bytes)),
            on_disk: Cost::Unknown,
        },
        reads,
        growth: retention.growth(strategy),
        fits: offered.is_some_and(|it| it * (hottest + 1.0 / servers) < of_server),
    }
}

/// Seconds of handlers for so many calls that read so many rows and cells, as the planner has it: a Get takes its base, and so does each of a
/// multi-Get; a scanner's call its base, and each row on top; and either each further cell of a row.
pub(super) fn seconds(service: &ServiceSpec, path: &str, calls: f64, rows: f64, cells: f64) -> f64 {
    let miss = (1.0 - service.cache_hit) * service.disk_read.as_secs_f64();
    let further = (cells - rows).max(0.0) * service.scan_cell.as_secs_f64();
    further
        + match path {
            "get" | "multi-get" => calls.max(rows) * (service.get.as_secs_f64() + miss),
            _ => {
                calls * (service.scan.as_secs_f64() + miss) + rows * service.scan_row.as_secs_f64()
            }
        }
}

/// The keys to simulate, the best of each group in turn, and the others.
fn chosen(tried: &[(usize, SuggestedKey, Strategy)], forecasts: &[Vec<Forecast>]) -> SuggestedKeys {
    let of_group = |(group, forecasts): (usize, &Vec<Forecast>)| {
        let members = (0..tried.len()).filter(|&at| tried[at].0 == group);
        let members: Vec<usize> = members.collect();
        let candidates = forecasts.iter().take(members.len());
        let candidates: Vec<Candidate> = candidates.map(|it| it.judged.clone()).collect();
        let front = ranking::front(&candidates);
        let mut order = ranking::by_means(&candidates);
        // Stable: those that another beats in every respect come last.
        order.sort_by_key(|&at| !front[at]);
        order.into_iter().map(|at| members[at]).collect()
    };
    let mut wanted: Vec<Vec<usize>> = forecasts.iter().enumerate().map(of_group).collect();
    let mut kept: Vec<usize> = in_turn(&mut wanted).into_iter().map(|(_, at)| at).collect();
    kept.truncate(MOST_SIMULATED);
    let keys = |is_kept: bool| {
        let wanted = (0..tried.len()).filter(|at| kept.contains(at) == is_kept);
        wanted.map(|at| tried[at].1.clone()).collect()
    };
    SuggestedKeys {
        simulated: keys(true),
        left_out: keys(false),
    }
}

/// A key serves a read that costs it at most so many times what it costs the best key for it (estimate: a copy takes as many writes and bytes as
/// the table itself, so that little is gained below).
const SERVED: f64 = 4.0;

/// Further copies that are suggested.
const MOST_COPIES: usize = 2;

/// Letters of a name that tells the copies' keys.
const LONGEST_NAME: usize = 60;

/// A key that was laid out.
#[derive(Debug, Clone)]
pub(super) struct Forecast {
    pub(super) name: String,
    pub(super) key: String,
    /// As TOML, for the key with copies or as one.
    pub(super) presplit: String,
    pub(super) judged: Candidate,
    /// Seconds of handlers of each read.
    pub(super) reads: Vec<f64>,
    /// How each read grows with retention.
    pub(super) growth: Vec<ReadGrowth>,
    /// A server can do what its hottest region is written, and an even part of another table.
    pub(super) fits: bool,
}

/// The best of these keys with copies under others of them; `None` where one key serves all reads, or no copy serves what is left. Keys with a hotspot
/// that fills a server are looked at only where all have one: a copy takes every write, like the table.
pub(super) fn with_copies(all: &[Forecast]) -> Option<SuggestedKey> {
    let is_hot = |it: &&Forecast| it.judged.limits.mean() > 0.0 && !it.fits;
    let cool: Vec<&Forecast> = all.iter().filter(|it| !is_hot(it)).collect();
    let keys = match cool.is_empty() {
        true => all.iter().collect(),
        false => cool,
    };
    let reads = keys.first()?.reads.len();
    let of_key = |key: &&Forecast| (0..reads).map(|read| serves(&keys, key, read)).collect();
    let serves: Vec<Vec<bool>> = keys.iter().map(of_key).collect();
    let candidates: Vec<Candidate> = keys.iter().map(|it| it.judged.clone()).collect();
    let order = ranking::by_means(&candidates);
    // Of keys that serve as many of the reads that are left, the first in the order of preference.
    let best = |left: &[usize]| {
        let served = |at: usize| left.iter().filter(|read| serves[at][**read]).count();
        let most = order.iter().map(|&at| served(at)).max()?;
        let mut best = order.iter().copied().filter(|&at| served(at) == most);
        best.next().filter(|_| most > 0)
    };
    let mut left: Vec<usize> = (0..reads).collect();
    let mut chosen: Vec<usize> = Vec::new();
    while !left.is_empty() && chosen.len() <= MOST_COPIES {
        let next = best(&left)?;
        left.retain(|read| !serves[next][*read]);
        chosen.push(next);
    }
    let (first, copies) = chosen.split_first()?;
    if copies.is_empty() {
        return None;
    }
    let copy = |it: &Forecast| SuggestedCopy {
        key: it.key.clone(),
        presplit: it.presplit.clone(),
    };
    let names = chosen.iter().map(|&at| keys[at].name.as_str());
    let name: String = names.collect::<Vec<_>>().join("-and-");
    let name: String = name.chars().take(LONGEST_NAME).collect();
    Some(SuggestedKey {
        name: name.trim_end_matches('-').to_owned(),
        key: keys[*first].key.clone(),
        presplit: keys[*first].presplit.clone(),
        qualifier: None,
        copies: copies.iter().map(|&at| copy(keys[at])).collect(),
    })
}

/// At most [`SERVED`] times the cost of the best, and no rows that grow where another key keeps them.
fn serves(keys: &[&Forecast], key: &Forecast, read: usize) -> bool {
    let is_growing = |key: &Forecast| key.growth[read].grows_needlessly();
    let needless = keys.iter().any(|other| !is_growing(other));
    let grows = |key: &Forecast| needless && is_growing(key);
    let kept = keys.iter().filter(|other| !grows(other));
    let costs = kept.map(|other| other.reads[read]);
    let least = costs.fold(f64::INFINITY, f64::min);
    !grows(key) && key.reads[read] <= SERVED * least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ranking::Cost;

    fn growth(grows: bool) -> ReadGrowth {
        let times = if grows { 10.0 } else { 1.0 };
        ReadGrowth {
            times,
            needless_times: times,
            later_seconds: times,
            more_seconds: times - 1.0,
        }
    }

    fn forecast(name: &str, broken: usize, reads: [f64; 3], grows: [bool; 3]) -> Forecast {
        Forecast {
            name: name.to_owned(),
            key: format!("{name}-key"),
            presplit: format!("presplit of {name}"),
            judged: Candidate {
                limits: Cost::Known(broken as f64),
                reads: Cost::Known(reads.iter().product()),
                ..Candidate::default()
            },
            reads: reads.to_vec(),
            growth: grows.map(growth).to_vec(),
            fits: false,
        }
    }

    #[test]
    fn a_copy_serves_what_the_best_key_serves_badly() {
        let no = [false; 3];
        let by_id = forecast("by-id", 0, [1.0, 1.0, 900.0], no);
        let by_time = forecast("by-time", 0, [800.0, 700.0, 1.0], no);
        let found = with_copies(&[by_time.clone(), by_id.clone()]).unwrap();
        assert_eq!(found.name, "by-id-and-by-time");
        let copy = SuggestedCopy {
            key: "by-time-key".to_owned(),
            presplit: "presplit of by-time".to_owned(),
        };
        assert_eq!(
            (&found.key[..], &found.presplit[..], &found.copies[..]),
            ("by-id-key", "presplit of by-id", &[copy][..])
        );
        // A key that fills a server is no copy, and there is no other; one that is hot and fills none is one.
        let hot = Forecast {
            judged: Candidate {
                limits: Cost::Known(1.0),
                ..by_time.judged.clone()
            },
            ..by_time
        };
        assert_eq!(with_copies(&[by_id.clone(), hot.clone()]), None);
        let fits = true;
        let warm = with_copies(&[by_id.clone(), Forecast { fits, ..hot }]);
        assert_eq!(warm.unwrap().copies[0].key, "by-time-key");
        // One key that serves all well enough needs no copy.
        let both = forecast("both", 0, [3.0, 3.0, 3.0], no);
        let times = forecast("times", 0, [800.0, 700.0, 1.0], no);
        assert_eq!(with_copies(&[by_id.clone(), times.clone(), both]), None);
        // As cheap, but growing.
        let grows = forecast("grows", 0, [1.0, 1.0, 1.0], [false, true, false]);
        let found = with_copies(&[grows, by_id, times]).unwrap();
        assert_eq!(found.copies.len(), 1, "{found:?}");
    }
}
