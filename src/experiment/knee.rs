//! The bisections of one strategy: in each replicate runs at one load after the other, each with the same records, laws and service times, and what
//! they say together. Must not know other strategies.
//!
//! Everything but the varied rate stays what the file says: the rows that exist before the run, the split points, the access paths.
//!
//! The loads of a replicate form a geometric grid, the same for every strategy, so that knees are paired; each replicate's grid is moved
//! by a part of a step of its own, so that the rounding to a grid is an error like any other, which the interval over replicates holds.
//!
//! Where a limit is broken, held and broken again as the load grows, the bisection ends at one of the places where it breaks.

use super::knee_result::sentence;
use super::runs::StrategyRuns;
use super::{KneeFinding, KneeOutcome, KneeProbe, KneeReplicate, KneeResult};
use crate::engine::{self, SimConfig, StoredCells};
use crate::metrics::{MetricId, OperationNames, lookup};
use crate::scenario::{Knee, Limit, VariedLoad};
use crate::units::PerSecond;
use crate::workload::{LoadModel, Population, ReadLoadModel, Workload};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The first load of a write, as a part of what one server can do: few operations, and they show the skew.
const SCOUT: f64 = 0.5;
/// Limits on response times break a little before the hottest server is saturated (estimate).
const BEFORE_SATURATION: f64 = 0.9;

/// The bisection for one run's configuration; `stored` tells what follows from another workload, `ended` is called after each run. `None` when `stop` became true
/// before its end.
pub(super) fn run(
    config: &SimConfig,
    knee: &Knee,
    names: &OperationNames<'_>,
    stop: &AtomicBool,
    stored: impl Fn(&Workload) -> Stored,
    mut ended: impl FnMut(),
) -> Option<KneeReplicate> {
    let replicate = config.generator.replicate;
    let grid = LoadGrid::new(knee.from, knee.to, knee.precision, replicate);
    let capacity = match knee.load {
        VariedLoad::Write(_) => capacity(config, stop)?,
        VariedLoad::Read(_) => None,
    };
    // What the file offers, where it is not known what a server can do.
    let offered = rate(&mut (*config.workload).clone(), knee.load).map_or(0.0, |rate| rate.0);
    let start = capacity.map_or(offered, |capacity| SCOUT * capacity);
    let mut search = KneeSearch::new(&grid, grid.place(start));
    let mut probes = Vec::new();
    while let Some(place) = search.next() {
        let load = grid.load(place);
        let mut runs = StrategyRuns::new(1, names, config.cluster.servers);
        let run = engine::run_unless(&at_load(config, knee.load, load, &stored), stop)?;
        runs.add(0, run);
        let probe = KneeProbe {
            per_sec: load.0,
            findings: findings(&runs, knee, names),
        };
        if probes.is_empty()
            && let Some(expected) = expected(&runs, load, capacity, config.cluster.servers)
        {
            search.aim_at(grid.place(expected));
        }
        search.note(place, probe.holds());
        probes.push(probe);
        ended();
    }
    let load = |place: Option<i64>| place.map(|place| grid.load(place).0);
    Some(KneeReplicate {
        held_per_sec: load(search.held),
        broken_per_sec: load(search.broken),
        probes,
    })
}

/// What one server can do of these writes, if that is known; `None` when `stop` became true.
fn capacity(config: &SimConfig, stop: &AtomicBool) -> Option<Option<f64>> {
    let run = engine::run_unless(&engine::saturating(config, None), stop)?;
    let throughput = run.metrics.get(MetricId::WriteThroughput);
    // Of rows of one table: an operation writes one of each copy as well.
    let tables = 1.0 + config.copies.len() as f64;
    Some(
        throughput
            .filter(|rate| *rate > 0.0)
            .map(|rows| rows / tables),
    )
}

/// The rate that is varied.
fn rate(workload: &mut Workload, load: VariedLoad) -> Option<&mut PerSecond> {
    match load {
        VariedLoad::Write(at) => match &mut workload.writes[at].load {
            LoadModel::Open { rate, .. } => Some(rate),
            LoadModel::Closed { .. } | LoadModel::Periodic(_) => None,
        },
        VariedLoad::Read(at) => match workload.reads[at].load.as_mut()? {
            ReadLoadModel::Open { rate, .. } => Some(rate),
            ReadLoadModel::Closed { .. } => None,
        },
    }
}

/// What depends on how much is written: the rows that a read meets, and what cells hold.
pub(super) struct Stored {
    pub(super) population: Arc<Population>,
    pub(super) cells: Arc<StoredCells>,
}

/// The same run with another load, without series.
fn at_load(
    config: &SimConfig,
    load: VariedLoad,
    offered: PerSecond,
    stored: impl Fn(&Workload) -> Stored,
) -> SimConfig {
    let mut workload = (*config.workload).clone();
    if let Some(rate) = rate(&mut workload, load) {
        *rate = offered;
    }
    let Stored { population, cells } = stored(&workload);
    SimConfig {
        workload: Arc::new(workload),
        population,
        cells,
        key_buckets: Arc::default(),
        mapped_table: 0,
        ..config.clone()
    }
}

/// What became of each limit; what is undefined does not hold.
fn findings(runs: &StrategyRuns, knee: &Knee, names: &OperationNames<'_>) -> Vec<KneeFinding> {
    let finding = |limit: &Limit| {
        let path = lookup(&limit.metric, names).ok();
        let value = path.and_then(|path| runs.values(&path)[0]);
        let value = value.filter(|value| value.is_finite());
        let censored = path.is_some_and(|path| runs.is_open(&path));
        KneeFinding {
            value,
            censored,
            holds: value.is_some_and(|value| limit.bound.is_kept(value, censored)),
        }
    };
    knee.limits.iter().map(finding).collect()
}

/// Where the knee should be after one run at `load`: of a write, where the hottest server gets nearly what it can do; of a read, where its
/// handlers are nearly all busy.
fn expected(
    runs: &StrategyRuns,
    load: PerSecond,
    capacity: Option<f64>,
    servers: u32,
) -> Option<f64> {
    let mean = |id| runs.all().mean(id);
    match capacity {
        Some(capacity) => {
            let others = (mean(MetricId::WriteOffered)? - load.0).max(0.0);
            let peak = mean(MetricId::ServerPeakToMean)?.max(1.0);
            Some(BEFORE_SATURATION * f64::from(servers) * capacity / peak - others)
        }
        None => {
            let busy = mean(MetricId::UtilisationMax)?;
            (busy > 0.0).then(|| load.0 * BEFORE_SATURATION / busy)
        }
    }
    .filter(|expected| expected.is_finite() && *expected > 0.0)
}

/// The golden ratio's fractional part: its multiples fill [0, 1) evenly, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Two loads at most this relative distance apart are taken first, around where the knee is expected (estimate).
const FIRST_STRIDE: f64 = 0.15;

/// The loads of one replicate.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadGrid {
    /// Logarithm of the ratio of neighbours.
    step: f64,
    /// In steps, in [0, 1).
    offset: f64,
    lowest: i64,
    highest: i64,
}

impl LoadGrid {
    /// Loads from `from` to `to`, at least twice as much, neighbours `precision` apart.
    pub(super) fn new(from: PerSecond, to: PerSecond, precision: f64, replicate: u32) -> Self {
        let step = libm::log(1.0 + precision);
        let offset = (f64::from(replicate) * GOLDEN).fract();
        let place = |load: PerSecond| libm::log(load.0) / step - offset;
        // The ends themselves are loads, whatever rounding says.
        let (lowest, highest) = ((place(from) - 1e-6).ceil(), (place(to) + 1e-6).floor());
        Self {
            step,
            offset,
            lowest: lowest as i64,
            highest: highest.max(lowest) as i64,
        }
    }

    /// The load at a place.
    pub(super) fn load(&self, at: i64) -> PerSecond {
        PerSecond(libm::exp((at as f64 + self.offset) * self.step))
    }

    /// The place of the greatest load that is at most `load`, or the lowest of all.
    pub(super) fn place(&self, load: f64) -> i64 {
        let place = (libm::log(load.max(f64::MIN_POSITIVE)) / self.step - self.offset).floor();
        (place as i64).clamp(self.lowest, self.highest)
    }
}

/// A search for the last load that holds.
#[derive(Debug, Clone, Default)]
pub(super) struct KneeSearch {
    lowest: i64,
    highest: i64,
    start: i64,
    aim: Option<i64>,
    stride: i64,
    /// Highest place that holds so far.
    pub(super) held: Option<i64>,
    /// Lowest place that breaks so far.
    pub(super) broken: Option<i64>,
}

impl KneeSearch {
    /// A search over a grid from a place of it.
    pub(super) fn new(grid: &LoadGrid, start: i64) -> Self {
        let stride = libm::log(1.0 + FIRST_STRIDE) / grid.step;
        Self {
            lowest: grid.lowest,
            highest: grid.highest,
            start: start.clamp(grid.lowest, grid.highest),
            stride: (stride as i64).max(1),
            ..Self::default()
        }
    }

    /// Where the knee is expected.
    pub(super) fn aim_at(&mut self, place: i64) {
        self.aim = Some(place.clamp(self.lowest, self.highest));
    }

    /// Takes in what a load did.
    pub(super) fn note(&mut self, place: i64, holds: bool) {
        match holds {
            true => self.held = Some(place),
            false => self.broken = Some(place),
        }
    }

    /// The place to be tried next; `None` when the search is over: what holds and what breaks are neighbours, or the grid is at its end.
    pub(super) fn next(&mut self) -> Option<i64> {
        let (held, broken) = (self.held, self.broken);
        if held.is_none() && broken.is_none() {
            return Some(self.start);
        }
        let above = held.map_or(self.lowest, |held| held + 1);
        let below = broken.map_or(self.highest, |broken| broken - 1);
        if above > below {
            return None;
        }
        if let Some(aim) = self.aim.take().filter(|aim| (above..=below).contains(aim)) {
            return Some(aim);
        }
        let stride = self.stride;
        self.stride = stride.saturating_mul(2);
        Some(match (held, broken) {
            (Some(held), None) => held.saturating_add(stride).min(below),
            (None, Some(broken)) => broken.saturating_sub(stride).max(above),
            // From where it breaks downwards, until that is no faster than halving.
            _ => (below + 1 - stride).max(above + (below - above) / 2),
        })
    }
}

impl StrategyRuns {
    /// Sets `knee_per_sec` and `knee_in_servers`, which ends at the number of servers. A mean over those replicates alone in which some load holds
    /// would be too high: when one of them has no knee, there is none.
    pub(super) fn set_knee(&mut self, knee: &Knee, capacity: Option<f64>) {
        let outcome = KneeOutcome::of(&self.knees());
        let is_any = outcome != KneeOutcome::Below;
        let knees = self.knees.iter().map(|it| it.as_ref()?.per_sec());
        let knees: Vec<Option<f64>> = knees.map(|knee| knee.filter(|_| is_any)).collect();
        let capacity = match knee.load {
            VariedLoad::Write(_) => capacity.filter(|capacity| *capacity > 0.0),
            VariedLoad::Read(_) => None,
        };
        // Limits that neither what waits nor what fails can break allow more than all servers do.
        let servers = f64::from(self.all().servers);
        let in_servers = |index: usize| Some(knees[index]? / capacity?);
        let is_capped = (0..knees.len()).any(|index| in_servers(index) > Some(servers));
        let all = self.all_mut();
        all.set(MetricId::Knee, |index, _| knees[index]);
        all.set(MetricId::KneeInServers, |index, _| {
            Some(in_servers(index)?.min(servers))
        });
        if outcome == KneeOutcome::AtLeast {
            all.lower_bounds = vec![MetricId::Knee];
            if !is_capped {
                all.lower_bounds.push(MetricId::KneeInServers);
            }
        }
    }

    fn knees(&self) -> Vec<KneeReplicate> {
        self.knees.iter().flatten().cloned().collect()
    }

    /// What `results.json` says of it, after [`StrategyRuns::set_knee`].
    pub(super) fn knee_result(&self, knee: &Knee) -> KneeResult {
        let replicates = self.knees();
        let mut result = KneeResult {
            vary: knee.vary.clone(),
            limits: knee.limits.clone(),
            from_per_sec: knee.from.0,
            to_per_sec: knee.to.0,
            precision: knee.precision,
            outcome: KneeOutcome::of(&replicates),
            binding: binding(&replicates, knee),
            sentence: String::new(),
            replicates,
        };
        let per_sec = self.all().measure(MetricId::Knee);
        let in_servers = self.all().measure(MetricId::KneeInServers);
        let in_servers = in_servers.mean.map(|mean| (mean, self.all().servers));
        result.sentence = sentence(&result, knee.load, &per_sec, in_servers);
        result
    }
}

/// Limits by how often they broke first, those that did so in less than half of the replicates left out but the first.
fn binding(replicates: &[KneeReplicate], knee: &Knee) -> Vec<String> {
    let mut times: Vec<(usize, usize)> = (0..knee.limits.len()).map(|at| (at, 0)).collect();
    for at in replicates.iter().flat_map(KneeReplicate::binding) {
        times[at].1 += 1;
    }
    // Stable: ties keep the order of the file.
    times.sort_by_key(|&(_, times)| std::cmp::Reverse(times));
    let ended = replicates.iter().filter(|it| it.broken_per_sec.is_some());
    let ended = ended.count();
    let ranked = times.iter().enumerate();
    let often =
        ranked.filter(|(rank, (_, times))| *times > 0 && (*rank == 0 || 2 * times >= ended));
    let names = often.map(|(_, (at, _))| knee.limits[*at].metric.clone());
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(from: f64, to: f64, precision: f64, replicate: u32) -> LoadGrid {
        LoadGrid::new(PerSecond(from), PerSecond(to), precision, replicate)
    }

    /// Searches for the last load below `knee`: what held, what broke, the loads tried.
    fn search(
        grid: &LoadGrid,
        start: f64,
        aim: Option<f64>,
        knee: f64,
    ) -> (Option<f64>, Option<f64>, Vec<f64>) {
        let mut search = KneeSearch::new(grid, grid.place(start));
        let mut tried = Vec::new();
        while let Some(place) = search.next() {
            let load = grid.load(place).0;
            assert!(!tried.contains(&load), "{load} twice");
            tried.push(load);
            search.note(place, load < knee);
            if let (1, Some(aim)) = (tried.len(), aim) {
                search.aim_at(grid.place(aim));
            }
        }
        let load = |place: Option<i64>| place.map(|place| grid.load(place).0);
        (load(search.held), load(search.broken), tried)
    }

    #[test]
    fn replicates_have_grids_of_their_own_that_fill_a_step_evenly() {
        let step = |replicate| {
            let grid = grid(100.0, 900.0, 0.02, replicate);
            assert!(grid.load(grid.lowest).0 >= 100.0 * (1.0 - 1e-6));
            assert!(grid.load(grid.highest).0 <= 900.0 * (1.0 + 1e-6));
            assert!(grid.load(grid.highest + 1).0 > 900.0);
            libm::log(grid.load(0).0) / libm::log(1.02)
        };
        let mut places: Vec<f64> = (0..8).map(step).collect();
        places.sort_by(f64::total_cmp);
        let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
        // Eight even places would be 1/8 apart; multiples of the golden ratio have gaps of at most 1.62 / 8 and at least 1 / (2.24 * 8).
        assert!(
            gaps.clone().all(|gap| (0.055..0.21).contains(&gap)),
            "{places:?}"
        );
    }

    #[test]
    fn a_knee_near_where_it_is_expected_takes_few_runs() {
        let grid = grid(62.0, 480e3, 0.01, 3);
        for (knee, most) in [
            (20_400.0, 8),
            (19_000.0, 8),
            (22_500.0, 8),
            (26_000.0, 9),
            (14_000.0, 9),
            // The start, the expected one, four strides that double, and seven halvings of the last, of 112 steps.
            (150_000.0, 13),
        ] {
            let (_, _, tried) = search(&grid, 10_000.0, Some(20_000.0), knee);
            assert!(tried.len() <= most, "{knee}: {tried:?}");
        }
    }

    #[test]
    fn a_knee_beyond_the_grid_leaves_one_side_open() {
        let grid = grid(50.0, 7_000.0, 0.05, 1);
        let (held, broken, _) = search(&grid, 400.0, Some(900.0), 10_000.0);
        assert_eq!((held, broken), (Some(grid.load(grid.highest).0), None));
        let (held, broken, _) = search(&grid, 400.0, Some(900.0), 3.0);
        assert_eq!((held, broken), (None, Some(grid.load(grid.lowest).0)));
    }

    proptest! {
        #[test]
        fn what_held_and_what_broke_are_neighbours_around_the_knee(
            knee in 60.0..90e3f64,
            start in 1.0..200e3f64,
            aim in proptest::option::of(1.0..200e3f64),
            precision in 0.002..0.5f64,
            replicate in 0u32..50,
        ) {
            let grid = grid(20.0, 200e3, precision, replicate);
            let (held, broken, tried) = search(&grid, start, aim, knee);
            let (held, broken) = (held.unwrap(), broken.unwrap());
            prop_assert!(held < knee && knee <= broken);
            prop_assert!((broken / held / (1.0 + precision) - 1.0).abs() < 1e-9);
            // Doubling strides and halving: twice the logarithm of the grid's size, and what was tried before.
            let size = (grid.highest - grid.lowest) as f64;
            prop_assert!((tried.len() as f64) < 2.0 * size.log2() + 6.0, "{tried:?}");
        }
    }
}
