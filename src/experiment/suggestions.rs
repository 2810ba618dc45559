//! Keys of keyheat's own beside a scenario's: each is read like a strategy of the file, laid out, and only the best are kept to be
//! simulated. Must not simulate.

use super::comparable::groups;
use super::ranking::{self, Candidate, Cost};
use super::recommendation_reads::seconds;
use super::suggested_copies::{Forecast, with_copies};
use super::suggested_keys::{SuggestedKey, in_quotes, presplit_regions, regions, suggested_keys};
use crate::layout::{Layout, ReadForecast, Replicate, Retention};
use crate::scenario::{LoadError, Scenario, Strategy};
use rayon::prelude::*;
use serde::Serialize;

/// Keys that are laid out.
const MOST_TRIED: usize = 12;
/// Keys that are simulated, besides one with copies for each group.
const MOST_SIMULATED: usize = 4;
/// Operations of a predicted layout: a region's share of 10 % is exact to 2 % of it (one standard error: sqrt(0.9 / 2,000)).
const SAMPLE: usize = 20_000;
/// A region of so many times a server's even part is a hotspot.
const HOT: f64 = 2.0;

/// A scenario with the suggested keys that are worth simulating.
#[derive(Debug, Clone)]
pub struct Suggestions {
    scenario: Scenario,
    found: SuggestedKeys,
}

/// Which keys were suggested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SuggestedKeys {
    /// Those that were simulated beside the file's.
    pub simulated: Vec<SuggestedKey>,
    /// Those whose predicted regions and reads were no better.
    pub left_out: Vec<SuggestedKey>,
}

/// A key that can be read.
struct Tried {
    key: SuggestedKey,
    /// Of the groups of comparable strategies.
    group: usize,
    predicted: Forecast,
}

impl Suggestions {
    /// For the first point of a sweep, if there is one. Keys of the file, keys that mean other rows than the file's, and keys that are refused
    /// are dropped; strategies that override what is written or read get none.
    pub fn of(scenario: &Scenario) -> Self {
        let own = &scenario.strategies;
        let groups = groups(own);
        let mut wanted: Vec<Vec<SuggestedKey>> = groups
            .iter()
            .map(|group| {
                let group: Vec<&Strategy> = group.iter().map(|&at| &own[at]).collect();
                suggested_keys(&group)
            })
            .collect();
        let mut read: Vec<(usize, SuggestedKey, Strategy)> = Vec::new();
        for (group, key) in in_turn(&mut wanted) {
            if read.len() == MOST_TRIED {
                break;
            }
            let key = named(scenario, &read, key);
            if let Some(strategy) = checked(scenario, &groups[group], &key) {
                read.push((group, key, strategy));
            }
        }
        let retentions: Vec<Retention> = groups
            .iter()
            .map(|group| Retention::of(&own[group[0]].setup, scenario.seed))
            .collect();
        let mut tried: Vec<Tried> = read
            .into_par_iter()
            .map(|(group, key, strategy)| Tried {
                predicted: predicted(&strategy, scenario, &retentions[group]),
                group,
                key,
            })
            .collect();
        let of_file: Vec<Vec<Forecast>> = groups
            .par_iter()
            .zip(&retentions)
            .map(|(group, retention)| {
                let singles = group.iter().filter(|&&at| own[at].copies.is_empty());
                let forecasts = singles.map(|&at| predicted(&own[at], scenario, retention));
                forecasts.collect()
            })
            .collect();
        let copied: Vec<SuggestedKey> = (0..groups.len())
            .filter_map(|group| {
                let suggested = tried.iter().filter(|it| it.group == group);
                let suggested = suggested.map(|it| it.predicted.clone());
                let mut all: Vec<Forecast> =
                    of_file[group].iter().cloned().chain(suggested).collect();
                count_growing(&mut all);
                let strategies: Vec<&Strategy> = groups[group].iter().map(|&at| &own[at]).collect();
                let key = with_copies(&all, regions(&strategies))?;
                let key = named(scenario, &[], key);
                checked(scenario, &groups[group], &key).map(|_| key)
            })
            .collect();
        for (group, of_file) in of_file.into_iter().enumerate() {
            let (mut of_group, others): (Vec<Tried>, Vec<Tried>) =
                tried.into_iter().partition(|it| it.group == group);
            let mut all: Vec<Forecast> = of_group.iter().map(|it| it.predicted.clone()).collect();
            all.extend(of_file);
            count_growing(&mut all);
            for (tried, counted) in of_group.iter_mut().zip(all) {
                tried.predicted = counted;
            }
            tried = others.into_iter().chain(of_group).collect();
        }
        let (mut simulated, left_out) = chosen(tried, groups.len());
        simulated.extend(copied);
        match with_keys(scenario, &simulated) {
            Ok(scenario) => Self {
                scenario,
                found: SuggestedKeys {
                    simulated,
                    left_out,
                },
            },
            // Each is right, but all are more than a scenario may have.
            Err(_) => Self {
                scenario: scenario.clone(),
                found: SuggestedKeys {
                    simulated: Vec::new(),
                    left_out: [simulated, left_out].concat(),
                },
            },
        }
    }

    /// The scenario with the keys to simulate, behind those of the file.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// What was suggested.
    pub fn found(&self) -> &SuggestedKeys {
        &self.found
    }
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
    let name = std::iter::once(key.name.clone())
        .chain(numbered)
        .find(is_free);
    SuggestedKey {
        name: name.expect("there are more numbers than names"),
        ..key
    }
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
    Scenario::parse_in(
        &text,
        &scenario.name,
        &scenario.path,
        &scenario.folder,
        &options,
    )
}

/// The key as a strategy; `None` when the file is refused with it, the file has it in as many regions, or it means other rows than its group.
fn checked(scenario: &Scenario, group: &[usize], key: &SuggestedKey) -> Option<Strategy> {
    let mut strategies = with_keys(scenario, std::slice::from_ref(key))
        .ok()?
        .strategies;
    let at = strategies.len() - 1;
    let alike = groups(&strategies)
        .into_iter()
        .find(|group| group.contains(&at))?;
    let new = &strategies[at];
    let is_new = alike[..alike.len() - 1].iter().all(|&own| {
        let own = &strategies[own];
        expressions(own) != expressions(new) || presplit_regions(own) < presplit_regions(new)
    });
    (alike[0] == group[0] && is_new).then(|| strategies.swap_remove(at))
}

/// Of the key and its copies.
fn expressions(strategy: &Strategy) -> Vec<Vec<&str>> {
    let copies = strategy.copies.iter().map(|copy| &copy.key);
    let keys = std::iter::once(&strategy.key).chain(copies);
    keys.map(|key| key.segments().iter().map(|it| it.expression()).collect())
        .collect()
}

/// What the layout says of the key: its hottest region for the capacity, what its reads are planned to ask, and whether that grows with retention.
fn predicted(strategy: &Strategy, scenario: &Scenario, retention: &Retention) -> Forecast {
    let replicate = Replicate::new(&strategy.setup, scenario.seed, 0);
    let layout = Layout::with_sample(strategy, &replicate, SAMPLE);
    let servers = f64::from(strategy.setup.cluster.servers);
    let shares = layout.regions.iter().map(|region| region.write_share);
    let heat = match strategy.follows_time() {
        // All rows of a moment are in one region, wherever those of the run are.
        true => servers,
        false => (servers * shares.fold(0.0, f64::max)).max(1.0),
    };
    let service = &strategy.setup.cluster.service;
    let of_read = |read: &ReadForecast| {
        let path = read.planned.plan.path();
        seconds(service, path.name(), read.parts, read.rows_read)
    };
    let reads: Vec<f64> = layout.reads.iter().map(of_read).collect();
    let logs: f64 = reads.iter().map(|seconds| libm::log(*seconds)).sum();
    let mean = (!reads.is_empty()).then(|| libm::exp(logs / reads.len() as f64));
    let growths = retention.growth(strategy).into_iter();
    Forecast {
        name: strategy.name.clone(),
        key: strategy.key.text().trim().to_owned(),
        judged: Candidate {
            broken: usize::from(heat > HOT),
            growing: 0,
            reads: Cost::known(mean),
            capacity: Cost::Known(heat),
            bytes: Cost::known(Some(layout.key_bytes)),
        },
        reads,
        grows: growths.map(Retention::grows).collect(),
    }
}

/// Counts the reads of each that grow with retention, where those of another do not.
fn count_growing(all: &mut [Forecast]) {
    let reads = all.first().map_or(0, |it| it.grows.len());
    let needless: Vec<bool> = (0..reads)
        .map(|read| all.iter().any(|it| !it.grows[read]))
        .collect();
    for it in all {
        let growing = it.grows.iter().zip(&needless);
        it.judged.growing = growing
            .filter(|(grows, needless)| **grows && **needless)
            .count();
    }
}

/// The keys to simulate, the best of each group in turn, and the others.
fn chosen(tried: Vec<Tried>, groups: usize) -> (Vec<SuggestedKey>, Vec<SuggestedKey>) {
    let mut wanted: Vec<Vec<usize>> = (0..groups)
        .map(|group| {
            let members: Vec<usize> = (0..tried.len())
                .filter(|&at| tried[at].group == group)
                .collect();
            let candidates: Vec<Candidate> = members
                .iter()
                .map(|&at| tried[at].predicted.judged.clone())
                .collect();
            let front = ranking::front(&candidates);
            let mut order = ranking::by_means(&candidates);
            // Stable: those that another beats in every respect come last.
            order.sort_by_key(|&at| !front[at]);
            order.into_iter().map(|at| members[at]).collect()
        })
        .collect();
    let mut kept: Vec<usize> = in_turn(&mut wanted).into_iter().map(|(_, at)| at).collect();
    kept.truncate(MOST_SIMULATED);
    kept.sort_unstable();
    let (simulated, left_out): (Vec<_>, Vec<_>) = tried
        .into_iter()
        .enumerate()
        .partition(|(at, _)| kept.contains(at));
    let keys = |tried: Vec<(usize, Tried)>| tried.into_iter().map(|(_, it)| it.key).collect();
    (keys(simulated), keys(left_out))
}
