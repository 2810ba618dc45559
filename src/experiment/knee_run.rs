//! The bisection of one strategy and replicate: runs at one load after the other, each with the same records, laws and service times.
//! Must not know other strategies.
//!
//! Everything but the varied rate stays what the file says: the rows that exist before the run, the split points, the access paths.

use super::knee_result::{KneeFinding, KneeProbe, KneeReplicate};
use super::knee_search::{KneeSearch, LoadGrid};
use super::runs::StrategyRuns;
use crate::engine::{self, SimConfig};
use crate::metrics::{MetricId, OperationNames, lookup};
use crate::scenario::{Knee, VariedLoad};
use crate::units::PerSecond;
use crate::workload::{Drive, Population, ReadDrive};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs of one bisection, about: what progress counts it as.
pub(super) const TYPICAL_RUNS: u64 = 8;

/// The first load of a write, as a part of what one server can do: few operations, and they show the skew.
const SCOUT: f64 = 0.5;
/// Limits on response times break a little before the hottest server is saturated (estimate).
const BEFORE_SATURATION: f64 = 0.9;

/// The bisection for one run's configuration; `ended` is called after each run. `None` when `stop` became true before its end.
pub(super) fn run(
    config: &SimConfig,
    knee: &Knee,
    names: &OperationNames<'_>,
    stop: &AtomicBool,
    mut ended: impl FnMut(),
) -> Option<KneeReplicate> {
    let grid = LoadGrid::new(
        knee.from,
        knee.to,
        knee.precision,
        config.generator.replicate(),
    );
    let capacity = match knee.load {
        VariedLoad::Write(_) => capacity(config, stop)?,
        VariedLoad::Read(_) => None,
    };
    let start = capacity.map_or_else(|| rate_of(config, knee.load), |capacity| SCOUT * capacity);
    let mut search = KneeSearch::new(&grid, grid.place(start));
    let mut probes = Vec::new();
    while let Some(place) = search.next() {
        let load = grid.load(place);
        let mut runs = StrategyRuns::new(1, names, config.cluster.servers);
        let run = engine::run_unless(&at_load(config, knee.load, load), stop)?;
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
    let run = engine::run_unless(&engine::saturating(config), stop)?;
    let throughput = run.metrics.get(MetricId::WriteThroughput);
    Some(throughput.filter(|rate| *rate > 0.0))
}

/// The load that the file offers.
fn rate_of(config: &SimConfig, load: VariedLoad) -> f64 {
    let workload = &config.workload;
    match load {
        VariedLoad::Write(at) => match &workload.writes[at].drive {
            Drive::Open { rate, .. } => rate.0,
            Drive::Closed { .. } | Drive::Beat(_) => 0.0,
        },
        VariedLoad::Read(at) => match &workload.reads[at].drive {
            Some(ReadDrive::Open { rate, .. }) => rate.0,
            Some(ReadDrive::Closed { .. }) | None => 0.0,
        },
    }
}

/// The same run with another load, without series.
fn at_load(config: &SimConfig, load: VariedLoad, offered: PerSecond) -> SimConfig {
    let mut workload = (*config.workload).clone();
    match load {
        VariedLoad::Write(at) => {
            if let Drive::Open { rate, .. } = &mut workload.writes[at].drive {
                *rate = offered;
            }
        }
        VariedLoad::Read(at) => {
            if let Some(ReadDrive::Open { rate, .. }) = &mut workload.reads[at].drive {
                *rate = offered;
            }
        }
    }
    // How many rows a read meets depends on what was written so far.
    let population = match workload.reads.is_empty() {
        true => Arc::clone(&config.population),
        false => Arc::new(Population::new(&workload, &config.generator)),
    };
    SimConfig {
        workload: Arc::new(workload),
        population,
        key_buckets: Arc::default(),
        ..config.clone()
    }
}

/// What became of each limit; what is undefined does not hold.
fn findings(runs: &StrategyRuns, knee: &Knee, names: &OperationNames<'_>) -> Vec<KneeFinding> {
    let limits = knee.limits.iter();
    limits
        .map(|limit| {
            let (value, censored) = match lookup(&limit.metric, names) {
                Ok(path) => (runs.values(&path)[0], runs.is_open(&path)),
                Err(_) => (None, false),
            };
            let value = value.filter(|value| value.is_finite());
            KneeFinding {
                value,
                censored,
                holds: value.is_some_and(|value| limit.bound.is_kept(value, censored)),
            }
        })
        .collect()
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
