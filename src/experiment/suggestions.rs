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

impl Suggestions {
    /// For the first point of a sweep, if there is one. Keys of the file, keys that mean other rows than the file's, and keys that are refused
    /// are dropped; strategies that override what is written or read get none.
    pub fn of(scenario: &Scenario) -> Self {
        let own = &scenario.strategies;
        let groups = groups(own);
        let members = |group: &Vec<usize>| group.iter().map(|&at| &own[at]).collect::<Vec<_>>();
        let mut wanted: Vec<Vec<SuggestedKey>> = groups
            .iter()
            .map(|group| suggested_keys(&members(group)))
            .collect();
        let mut tried: Vec<(usize, SuggestedKey, Strategy)> = Vec::new();
        for (group, key) in in_turn(&mut wanted) {
            if tried.len() == MOST_TRIED {
                break;
            }
            let key = named(scenario, &tried, key);
            if let Some(strategy) = checked(scenario, &groups[group], &key) {
                tried.push((group, key, strategy));
            }
        }
        tried.sort_by_key(|(group, ..)| *group);
        // Of each group, what is foreseen of its keys: first of those that are suggested, in their order, then of the file's.
        let forecasts: Vec<Vec<Forecast>> = groups
            .par_iter()
            .enumerate()
            .map(|(at, group)| {
                let retention = Retention::of(&own[group[0]].setup, scenario.seed);
                let suggested = tried.par_iter().filter(|(group, ..)| *group == at);
                let suggested = suggested.map(|(_, _, strategy)| strategy);
                let of_file = members(group).into_par_iter();
                let of_file = of_file.filter(|strategy| strategy.copies.is_empty());
                let all = suggested.chain(of_file);
                let mut all = all
                    .map(|strategy| predicted(strategy, scenario, &retention))
                    .collect::<Vec<Forecast>>();
                count_growing(&mut all);
                all
            })
            .collect();
        let copied = groups
            .iter()
            .zip(&forecasts)
            .enumerate()
            .filter_map(|(at, (group, all))| {
                // Where keys are as good, the file's come first.
                let suggested = tried.iter().filter(|(group, ..)| *group == at).count();
                let (suggested, of_file) = all.split_at(suggested);
                let key = with_copies(&[of_file, suggested].concat(), regions(&members(group)))?;
                let key = named(scenario, &[], key);
                checked(scenario, group, &key).map(|_| key)
            });
        let copied: Vec<SuggestedKey> = copied.collect();
        let (mut simulated, left_out) = chosen(&tried, &forecasts);
        simulated.extend(copied);
        // Each is right, but all may be more than a scenario may have.
        let (scenario, found) = match with_keys(scenario, &simulated) {
            Ok(scenario) => (
                scenario,
                SuggestedKeys {
                    simulated,
                    left_out,
                },
            ),
            Err(_) => {
                let left_out = [simulated, left_out].concat();
                (
                    scenario.clone(),
                    SuggestedKeys {
                        simulated: Vec::new(),
                        left_out,
                    },
                )
            }
        };
        Self { scenario, found }
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
fn chosen(
    tried: &[(usize, SuggestedKey, Strategy)],
    forecasts: &[Vec<Forecast>],
) -> (Vec<SuggestedKey>, Vec<SuggestedKey>) {
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
    (keys(true), keys(false))
}
