//! What a real cluster did beside what is predicted, the service times that fit it, and what no service time explains. Must not know files, nor how it
//! is shown.

use super::experiment_runs::{Experiment, NoThreads};
use super::results::StrategyResult;
use super::time_fit::{Setting, TimeFit};
use crate::cluster::{ClusterSpec, Placement};
use crate::engine::SimConfig;
use crate::metrics::{RunResult, SideRun};
use crate::observed::{Load, MeasuredRegion, MeasuredReplay, MeasuredSide, TableLoads};
use crate::query::AccessPath;
use crate::scenario::{LoadError, Scenario};
use crate::text::{counted, joined, millis, share, significant, verb};
use crate::time::SimDuration;
use crate::workload::LoadModel;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Runs that tell how much a measurement varies, at least: Student's t with 15 degrees of freedom is 2.13.
const REPLICATES: u32 = 16;

/// Operations of a side from which on its response times are fitted: ten below the least quantile.
const LEAST_OPERATIONS: u64 = 100;

/// Steps of a fit, at most; one that changes times by less than this ends it.
const MOST_STEPS: usize = 16;
const SHORT_STEP: f64 = 0.001;

/// A p99 that is so many times the fitted one is no matter of service times.
const LONG_TAIL: f64 = 1.5;

/// What counters don't tell.
const NOT_COUNTED: [&str; 2] = [
    "Service times: there are no response times to fit them to. What `keyheat export --to hbase-shell` writes measures them.",
    "Calls: where reads are scans, a cluster counts the rows that they read, and the simulation each region that they ask.",
];

/// Times that fit elsewhere would be wrong by whatever waits because of the regions.
const OTHER_REGIONS: &str = "Service times: response times hold what waits at these regions, and others are simulated. Nothing is fitted.";

/// What is told instead of times under which runs answer otherwise.
const NO_FIT: &str = "Service times: none are found under which runs answer as was measured. Where more comes in than servers do, response times grow \
     for as long as it lasts: measure at a lower rate (`--set` of `keyheat export`).";

/// A share is another when it is off by more than this, and by three standard errors besides.
const SHARE_APART: f64 = 0.01;

/// A measurement beside its prediction.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Calibration {
    /// The scenario's name.
    pub scenario: String,
    /// Whose operations were measured.
    pub strategy: String,
    /// Runs that predictions are means of.
    pub replicates: u32,
    /// Throughput, failures and response times.
    pub quantities: Vec<CalibratedQuantity>,
    /// Requests of servers and regions are writes alone: some reads are scans, of which a cluster counts the rows.
    pub are_writes_alone: bool,
    /// Servers, those with most requests first; predicted is the server with as many busier ones.
    pub servers: Vec<ObservedShare>,
    /// Regions in key order.
    pub regions: Vec<ObservedShare>,
    /// What was fitted.
    pub times: Vec<FittedTime>,
    /// What the measurement does not tell.
    pub untold: Vec<String>,
    /// What no service time explains.
    pub unexplained: Vec<String>,
}

/// One quantity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibratedQuantity {
    /// Its path in results.
    pub path: String,
    /// With the scenario as it is.
    pub predicted: Option<f64>,
    /// On the cluster.
    pub measured: f64,
    /// With the fitted times and the regions where they were.
    pub fitted: Option<f64>,
}

/// The requests of a server or a region.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ObservedShare {
    /// A server's name, or a region's start key, escaped.
    pub name: String,
    /// A region's server; of a server, how many regions it has.
    pub place: String,
    /// Share of all requests.
    pub measured: f64,
    /// The same, predicted; null where the regions are others.
    pub predicted: Option<f64>,
    /// Requests a second; left out of a replay, whose rate the script chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_per_sec: Option<f64>,
    /// The same, predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted_per_sec: Option<f64>,
}

/// A time that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedTime {
    /// The setting.
    pub path: String,
    /// The scenario's, in milliseconds.
    pub before_ms: f64,
    /// The one that fits.
    pub ms: f64,
    /// Lower end of its 95 % interval.
    pub low_ms: f64,
    /// Upper end.
    pub high_ms: f64,
}

/// Why nothing can be compared.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// Something else was measured, or too little; what to do about it stands behind a line break.
    #[error("{0}")]
    Unlike(String),
    /// The scenario can't be run over the time that was measured.
    #[error(transparent)]
    Scenario(#[from] LoadError),
    /// No threads.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

#[rustfmt::skip]
const PUT: [Setting; 2] = [
    ("cluster.service.put", |it| Some(&mut it.service.put), 1.0),
    ("cluster.wal.sync", |it| Some(&mut it.wal.as_mut()?.sync), 1.0),
];
#[rustfmt::skip]
const BUFFERED: [Setting; 2] = [("cluster.service.write_row", |it| Some(&mut it.service.write_row), 1.0), PUT[1]];
#[rustfmt::skip]
const GET: [Setting; 2] = [
    ("cluster.service.get", |it| Some(&mut it.service.get), 1.0),
    ("cluster.network", |it| Some(&mut it.network), 2.0),
];
#[rustfmt::skip]
const SCAN: [Setting; 2] = [("cluster.service.scan", |it| Some(&mut it.service.scan), 1.0), GET[1]];

impl Calibration {
    /// Compares what a replay of the strategy of that name measured, and fits times to its response times.
    ///
    /// # Errors
    /// When something else was measured, or nothing; when the system gives no threads.
    pub fn of(
        scenario: &Scenario,
        strategy: &str,
        replay: &MeasuredReplay,
        threads: usize,
    ) -> Result<Self, CalibrationError> {
        let mut scenario = as_measured(scenario, strategy, replay)?;
        let predicted = run(&scenario, threads)?;
        let mut found = Self {
            scenario: scenario.name.clone(),
            strategy: strategy.to_owned(),
            replicates: scenario.replicates,
            ..Self::default()
        };
        let sides = found.sides(&predicted);
        let placement = found.compare_loads(&replay.regions, sides, &predicted);
        let setup = Arc::make_mut(&mut scenario.strategies[0].setup);
        if let Some(placement) = placement {
            setup.table.placement = placement;
        }
        if found.regions.iter().any(|it| it.predicted.is_none()) {
            found.untold.push(OTHER_REGIONS.to_owned());
        } else {
            let cluster = found.fit(&scenario, replay, threads)?;
            Arc::make_mut(&mut scenario.strategies[0].setup).cluster = cluster;
        }
        let fitted = run(&scenario, threads)?;
        let is_fitted = !found.times.is_empty();
        let quantity = |(path, measured): (String, f64)| CalibratedQuantity {
            predicted: value(&predicted, &path),
            fitted: value(&fitted, &path).filter(|_| is_fitted),
            measured,
            path,
        };
        found.quantities = replay.quantities().into_iter().map(quantity).collect();
        found.look_for_the_unexplained(replay);
        Ok(found)
    }

    /// Fits the times that the measured operations depend on, in runs of their length, from step to step; the cluster with these times.
    fn fit(
        &mut self,
        scenario: &Scenario,
        replay: &MeasuredReplay,
        threads: usize,
    ) -> Result<ClusterSpec, NoThreads> {
        let runs = Experiment::new(scenario).threads(threads).start()?;
        let mut configs = runs.replicate_configs();
        let mut cluster = configs[0].cluster.clone();
        let mut fits = fits(&configs[0], replay);
        let before: Vec<[f64; 2]> = fits.iter().map(|fit| fit.times(&cluster)).collect();
        for left in (0..MOST_STEPS).rev() {
            configs
                .iter_mut()
                .for_each(|it| it.cluster = cluster.clone());
            let (made, mut next) = (runs.make(&configs), cluster.clone());
            let moves = fits.iter_mut();
            let moves = moves.map(|fit| fit.step(&made, &cluster, &mut next));
            if moves.fold(0.0, f64::max) < SHORT_STEP || left == 0 {
                break;
            }
            cluster = next;
        }
        if fits.iter().any(|fit| fit.misses) {
            self.untold.push(NO_FIT.to_owned());
            return Ok(scenario.strategies[0].setup.cluster.clone());
        }
        if fits.is_empty() {
            self.untold.push(format!(
                "Fewer than {LEAST_OPERATIONS} writes or reads were answered: no time can be fitted."
            ));
        }
        for (fit, before) in fits.iter().zip(before) {
            let [varying, constant] = fit.settings.map(|it| it.0);
            if fit.is_tight() {
                self.untold.push(format!(
                    "`{varying}` can't be told from `{constant}`: response times hardly vary, and hold their sum. The latter stays."
                ));
            }
            let all = fit.settings.iter().zip(fit.found).zip(before);
            for ((setting, found), before) in all.take(2 - usize::from(fit.is_tight())) {
                let [ms, low_ms, high_ms] = found.map(|nanos| nanos / 1e6);
                self.times.push(FittedTime {
                    path: setting.0.to_owned(),
                    before_ms: before / 1e6,
                    ms,
                    low_ms,
                    high_ms,
                });
            }
        }
        Ok(cluster)
    }

    /// Compares what was counted of a table's regions, of the strategy of that name. That tells no times.
    ///
    /// # Errors
    /// When there is no load, or these regions are not the strategy's; when the system gives no threads.
    pub fn of_counts(
        scenario: &Scenario,
        strategy: &str,
        table: &TableLoads,
        threads: usize,
    ) -> Result<Self, CalibrationError> {
        let alone = alone(scenario, strategy, 1);
        let predicted = run(&alone, threads)?;
        let (regions, seconds) = counted_regions(table, &predicted)?;
        let mut found = Self {
            scenario: scenario.name.clone(),
            strategy: strategy.to_owned(),
            replicates: alone.replicates,
            ..Self::default()
        };
        let are_apart = regions.iter().any(|it| it.reads > 0);
        let sides = match are_apart {
            true => found.sides(&predicted),
            false => [true; 2],
        };
        found.compare_loads(&regions, sides, &predicted);
        let Some(series) = &predicted.series else {
            return Ok(found);
        };
        let [end, warmup] = [alone.time.duration, alone.time.warmup].map(SimDuration::as_secs_f64);
        let sums = |counts: [u64; 2]| {
            let [reads, writes] = sides;
            u64::from(reads) * counts[0] + u64::from(writes) * counts[1]
        };
        let here = [&series.read_region_demand, &series.region_demand];
        let here = here.map(|it| it.iter().sum::<u64>());
        let there = regions.iter().fold([0; 2], |[reads, writes], it| {
            [reads + it.reads, writes + it.writes]
        });
        let predicted_servers = predicted.servers as usize;
        let predicted = sums(here) as f64 / (end - warmup);
        let measured = sums(there) as f64 / seconds;
        for it in found.servers.iter_mut().chain(&mut found.regions) {
            it.measured_per_sec = Some(it.measured * measured);
            it.predicted_per_sec = it.predicted.map(|share| share * predicted);
        }
        let path = match sides {
            [false, true] => "writes_per_sec",
            [true, false] => "reads_per_sec",
            _ => "requests_per_sec",
        };
        found.quantities.push(CalibratedQuantity {
            path: path.to_owned(),
            predicted: Some(predicted),
            measured,
            fitted: None,
        });
        found.untold = NOT_COUNTED.map(str::to_owned).to_vec();
        for (side, here, there) in [("read", here[0], there[0]), ("write", here[1], there[1])] {
            if are_apart && here == 0 && there > 0 {
                let rate = significant(there as f64 / seconds);
                found.unexplained.push(format!(
                    "The cluster has {rate} {side}s a second, and the scenario none: they are left out here, though they slow down what else is asked. Add a `[{side}.x]`."
                ));
            }
        }
        let servers = found.servers.len();
        if servers < predicted_servers {
            found.unexplained.push(format!(
                "The regions lie on {}, and {predicted_servers} are simulated, of which the busiest are shown: if there are no others, add `--set cluster.servers={servers}`.",
                counted(servers, "server")
            ));
        }
        Ok(found)
    }

    /// Whether reads and writes are compared: beside writes only Gets, as a cluster counts each row of a scan, which is one request of the simulation; and
    /// nothing that the scenario does not have.
    fn sides(&mut self, predicted: &StrategyResult) -> [bool; 2] {
        let writes = !predicted.writes.is_empty();
        let reads = || predicted.reads.iter().filter(|it| it.counts.offered > 0);
        let are_gets = reads().all(|it| it.path.as_deref() == Some("get"));
        self.are_writes_alone = writes && !are_gets;
        let has_reads = reads().next().is_some();
        [!writes || has_reads && are_gets, writes]
    }

    /// Where the requests went, server by server and region by region, the reads and the writes if `sides` say so; where the regions lay, if they are those
    /// that are simulated, and stayed.
    fn compare_loads(
        &mut self,
        asked: &[MeasuredRegion],
        sides: [bool; 2],
        predicted: &StrategyResult,
    ) -> Option<Placement> {
        let series = predicted.series.as_ref()?;
        let starts = asked.iter().map(|it| it.start.to_string());
        let same = starts.eq(predicted.region_starts.iter().cloned());
        let sum = |counts: [u64; 2]| {
            let of = counts.into_iter().zip(sides).filter(|it| it.1);
            of.map(|it| it.0).sum::<u64>()
        };
        let demand = |at: usize| {
            let counts = [&series.read_region_demand, &series.region_demand];
            sum(counts.map(|it| it.get(at).copied().unwrap_or(0)))
        };
        let demand = (0..predicted.region_starts.len()).map(demand);
        let counts = asked.iter().map(|it| sum([it.reads, it.writes]));
        let shares = |counts: Vec<u64>| {
            let all = counts.iter().sum::<u64>().max(1) as f64;
            let shares = counts.iter().map(|count| *count as f64 / all);
            (shares.collect::<Vec<f64>>(), all)
        };
        let ((measured, requests), (demand, _)) =
            (shares(counts.collect()), shares(demand.collect()));
        let mut servers: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
        for (at, region) in asked.iter().enumerate() {
            self.regions.push(ObservedShare {
                name: region.start.to_string(),
                place: region.server.clone(),
                measured: measured[at],
                predicted: demand.get(at).copied().filter(|_| same),
                ..ObservedShare::default()
            });
            let server = servers.entry(&region.server).or_default();
            *server = (server.0 + measured[at], server.1 + 1);
        }
        let mut simulated = vec![0.0; predicted.servers as usize];
        for (server, share) in series.region_server.iter().zip(&demand) {
            simulated[*server as usize] += share;
        }
        simulated.sort_by(|a, b| b.total_cmp(a));
        let names: Vec<&str> = servers.keys().copied().collect();
        for (name, (measured, regions)) in servers {
            self.servers.push(ObservedShare {
                name: name.to_owned(),
                place: regions.to_string(),
                measured,
                ..ObservedShare::default()
            });
        }
        self.servers
            .sort_by(|a, b| b.measured.total_cmp(&a.measured));
        for (server, predicted) in self.servers.iter_mut().zip(simulated) {
            server.predicted = Some(predicted);
        }
        let number = |name: &str| names.iter().position(|it| *it == name).unwrap_or(0) as u32;
        let list: Vec<u32> = asked.iter().map(|it| number(&it.server)).collect();
        let moved = asked.iter().filter(|it| it.moved).count();
        if moved > 0 {
            self.unexplained.push(format!(
                "{} {} opened anew meanwhile: counters began again, and clients waited.",
                counted(moved, "region"),
                verb(moved, ["was", "were"])
            ));
        }
        if !same {
            let (there, here) = (self.regions.len(), predicted.region_starts.len());
            self.unexplained.push(format!(
                "The table has {}, and {here} are simulated, or theirs begin elsewhere: cut both alike with `presplit`.",
                counted(there, "region")
            ));
        }
        let list = Some(list).filter(|_| same && moved == 0);
        self.tell_apart(requests, list.as_ref());
        list.map(|list| Placement::Listed(Arc::new(list)))
    }

    /// A region with another share than predicted, or regions that lie otherwise.
    fn tell_apart(&mut self, requests: f64, list: Option<&Vec<u32>>) {
        let off = |it: &ObservedShare| it.predicted.map_or(0.0, |share| it.measured - share);
        let is_apart = |it: &&ObservedShare| {
            let predicted = it.predicted.unwrap_or(0.0);
            let error = (predicted * (1.0 - predicted) / requests).sqrt();
            off(it).abs() > SHARE_APART + 3.0 * error
        };
        let both = |it: &ObservedShare| {
            let predicted = share(it.predicted.unwrap_or(0.0));
            let measured = share(it.measured);
            format!("{measured} of the requests, {predicted} predicted")
        };
        let worst = self.regions.iter().filter(is_apart);
        let worst = worst.max_by(|a, b| off(a).abs().total_cmp(&off(b).abs()));
        let region = worst.map(|region| {
            let why = match off(region) > 0.0 {
                true => "a hot row that the scenario does not have, or somebody else's load",
                false => "its rows are asked for less than the scenario says",
            };
            let (name, both) = (&region.name, both(region));
            format!("The region from `{name}` gets {both}: {why}.")
        });
        // Of the hottest server: what its own regions are predicted to have is another share where others lie together.
        let lies = |server: &&ObservedShare| {
            let own = self.regions.iter().filter(|it| it.place == server.name);
            let own = own.filter_map(|it| it.predicted).sum::<f64>();
            is_apart(&&ObservedShare {
                measured: own,
                ..(*server).clone()
            })
        };
        let server = self.servers.first().filter(|it| match region {
            None => is_apart(it),
            Some(_) => lies(it),
        });
        let server = server.map(|server| {
            let (name, regions, all) = (&server.name, &server.place, self.regions.len());
            let list = list.map_or_else(String::new, |list| {
                format!(" As they lie: `table.placement = {list:?}`.")
            });
            let server = both(server);
            format!(
                "Placement: `{name}` has {regions} of {all} regions and {server} for the hottest.{list}"
            )
        });
        let told = region.into_iter().chain(server);
        let told: Vec<String> = told.collect();
        self.unexplained.extend(told);
    }

    /// Refused calls, tails, and a client that is slow or was stopped.
    fn look_for_the_unexplained(&mut self, replay: &MeasuredReplay) {
        let mut told = Vec::new();
        let mut typical = f64::INFINITY;
        for (side, of) in [("write", &replay.writes), ("read", &replay.reads)] {
            let pair = |part: &str| {
                let path = format!("{side}_{part}");
                let found = self.quantities.iter().find(|it| it.path == path)?;
                Some((found.measured, found.fitted.or(found.predicted)?))
            };
            let (failed, expected) = pair("failed_fraction").unwrap_or_default();
            let error = (expected.max(1e-4) / of.offered.max(1) as f64).sqrt();
            if failed > expected + 0.001 + 3.0 * error {
                let (failed, expected) = (share(failed), share(expected));
                told.push(format!(
                    "Refused calls: {failed} of the {side}s failed for good, {expected} predicted. Queues or memstores were full."
                ));
            }
            let ratio = |part| pair(part).map_or(1.0, |(measured, expected)| measured / expected);
            let (half, tail) = (ratio("response_ms.p50"), ratio("response_ms.p99"));
            if tail > LONG_TAIL && half < LONG_TAIL {
                let tail = significant(tail);
                told.push(format!(
                    "The longest of the {side}s: p99 is {tail} times what fits the shorter ones. Calls refused and tried again, pauses of \
                     garbage collection, flushes; or times that vary more than `cluster.service.distribution` says."
                ));
            }
            typical = typical.min(of.response_ms.map_or(typical, |it| it.p50));
        }
        if let Some(late) = replay.late_ms.filter(|late| late.p50 > 0.05 * typical) {
            told.push(format!(
                "Half of the operations were sent {} late or more: the script can't keep up. Export a lower rate (`--set`).",
                millis(late.p50)
            ));
        }
        if let Some(reason) = &replay.cut_short {
            let (sent, asked) = (replay.operations.sent, replay.operations.asked);
            told.push(format!(
                "The replay was cut short ({reason}): {sent} of {asked} operations were sent, and these are compared."
            ));
        }
        self.unexplained.append(&mut told);
    }

    /// The fitted times as a part of a scenario, with their intervals in comments.
    pub fn settings(&self) -> String {
        let mut tables: BTreeMap<&str, String> = BTreeMap::new();
        for time in &self.times {
            let (table, key) = time.path.rsplit_once('.').unwrap_or(("", &time.path));
            let length = |ms: f64| SimDuration::from_nanos((ms * 1e3).round() as u64 * 1_000);
            let [it, low, high, before] =
                [time.ms, time.low_ms, time.high_ms, time.before_ms].map(length);
            let line = format!("{key} = \"{it}\"  # 95 %: {low} to {high}; was {before}\n");
            tables.entry(table).or_default().push_str(&line);
        }
        let table = |(name, lines): (&str, String)| format!("[{name}]\n{lines}");
        tables.into_iter().map(table).collect()
    }
}

/// What can be fitted: the writes, and the reads, if enough of them were answered. Where calls differ the first of them decides.
fn fits(config: &SimConfig, replay: &MeasuredReplay) -> Vec<TimeFit> {
    let workload = &config.workload;
    let writes = workload.writes.first().map(|write| match write.load {
        LoadModel::Closed {
            buffer: Some(_), ..
        } => BUFFERED,
        _ => PUT,
    });
    let mut reads = config.reads.iter().zip(&workload.reads);
    let read = reads.find(|(_, read)| read.load.is_some());
    let read = read.map(|(planned, _)| match planned.plan.path {
        AccessPath::Get | AccessPath::MultiGet => GET,
        _ => SCAN,
    });
    let of: [fn(&RunResult) -> &SideRun; 2] = [|run| &run.writes, |run| &run.reads];
    let sides = [(writes, &replay.writes), (read, &replay.reads)];
    let fit = |((settings, side), of): ((Option<_>, &MeasuredSide), _)| {
        let enough = side.offered >= LEAST_OPERATIONS;
        let times = side.response_ms.as_ref().filter(|_| enough)?;
        Some(TimeFit::new(of, settings?, |q| times.quantile(q) * 1e6))
    };
    sides.into_iter().zip(of).filter_map(fit).collect()
}

/// What tables show of a result.
fn value(result: &StrategyResult, path: &str) -> Option<f64> {
    let measure = result.measure(path)?;
    measure.merged.or(measure.mean)
}

/// The strategy alone, over the time that was measured, if that was of these operations.
fn as_measured(
    scenario: &Scenario,
    strategy: &str,
    replay: &MeasuredReplay,
) -> Result<Scenario, CalibrationError> {
    let (then, name) = (&replay.scenario, &scenario.name);
    let set = of_operations(&then.overrides);
    let here = of_operations(&scenario.overrides);
    let (measured, servers) = (&replay.strategy, replay.servers);
    let answered = replay.writes.response_ms.or(replay.reads.response_ms);
    let length = |seconds: f64| SimDuration::from_nanos((seconds * 1e9).round() as u64);
    let is_there = scenario.strategies.iter().any(|it| it.name == strategy);
    let unlike = |text: String| Err(CalibrationError::Unlike(text));
    if then.sha256 != scenario.sha256 {
        let text = (then.name == *name).then_some("another text of ");
        let text = text.unwrap_or_default();
        return unlike(format!(
            "measured of {text}the scenario `{}`, and this is `{name}`\nexport and measure this one, or calibrate that",
            then.name
        ));
    } else if measured != strategy || !is_there {
        return unlike(format!(
            "measured of the strategy `{measured}`, and not of `{strategy}`\nsay `--strategy {measured}`"
        ));
    } else if set != here {
        return unlike(format!(
            "measured with other settings: {set}; here {here}\nsay the same `--set`, or export and measure again"
        ));
    } else if answered.is_none() {
        let (sent, asked) = (replay.operations.sent, replay.operations.asked);
        return unlike(format!(
            "no operation was answered, and {sent} of {asked} were sent\nrun the script again, to its end"
        ));
    }
    let sample = scenario.time.sample;
    let sample = sample.min(length(replay.to_s - replay.from_s));
    let measured = scenario.with_all([
        ("time.duration", length(replay.to_s)),
        ("time.warmup", length(replay.from_s)),
        ("time.sample", sample),
    ])?;
    let alone = alone(&measured, strategy, scenario.replicates.max(REPLICATES));
    match alone.strategies[0].setup.cluster.servers {
        here if here != servers => unlike(format!(
            "measured on {servers} region servers, and the scenario has {here}\nadd `--set cluster.servers={servers}`"
        )),
        _ => Ok(alone),
    }
}

/// What was counted of a table whose regions are those that are simulated, and for how many seconds.
fn counted_regions(
    table: &TableLoads,
    predicted: &StrategyResult,
) -> Result<(Vec<MeasuredRegion>, f64), CalibrationError> {
    let unlike = |text: String| Err(CalibrationError::Unlike(text));
    let starts = table.starts().map_err(CalibrationError::Unlike)?;
    let regions = table.regions.iter().zip(starts);
    let all = regions.map(|(region, start)| {
        // What is not told apart counts as written.
        let load = |load: Load| load.apart.unwrap_or((0.0, load.all));
        let (reads, writes) = region.load.map_or((0.0, 0.0), load);
        MeasuredRegion {
            start,
            server: region.server.clone().unwrap_or_default(),
            reads: reads.round() as u64,
            writes: writes.round() as u64,
            moved: region.at_least,
        }
    });
    let all: Vec<MeasuredRegion> = all.collect();
    let servers: BTreeSet<&str> = all.iter().map(|it| &it.server[..]).collect();
    let (servers, here) = (servers.len(), predicted.servers);
    let starts = all.iter().map(|it| it.start.to_string());
    let Some(seconds) = table.seconds else {
        return unlike(
            "how many requests a second?\ngive two snapshots of counters, and say how far apart they are: `--over 60s`".to_owned(),
        );
    };
    if servers > here as usize {
        unlike(format!(
            "its regions lie on {}, and the scenario has {here}\nadd `--set cluster.servers={servers}`",
            counted(servers, "server")
        ))
    } else if !starts.eq(predicted.region_starts.iter().cloned()) {
        let (there, name) = (all.len(), &predicted.name);
        let here = predicted.region_starts.len();
        unlike(format!(
            "the table has {}, and `{name}` {here}, or they begin elsewhere: is it of another scenario?\n\
             start from the table's: `[regions] file = ...`, or `keyheat learn --out`",
            counted(there, "region")
        ))
    } else {
        Ok((all, seconds))
    }
}

/// The strategy of that name alone, at the first point of a sweep, with nothing expected of it.
fn alone(scenario: &Scenario, strategy: &str, replicates: u32) -> Scenario {
    let mut alone = scenario.clone();
    alone.strategies = alone.strategies_at(0).to_vec();
    alone.strategies.retain(|it| it.name == strategy);
    alone.points.clear();
    alone.sweep.clear();
    alone.expectations.clear();
    alone.replicates = replicates;
    alone
}

/// The results of a scenario's only strategy.
fn run(scenario: &Scenario, threads: usize) -> Result<StrategyResult, NoThreads> {
    let results = Experiment::new(scenario).threads(threads).try_run(|_| ());
    results.map(|mut it| it.strategies.swap_remove(0))
}

/// What was set that changes operations: neither the cluster nor the time does.
fn of_operations(settings: &[String]) -> String {
    let apart = ["cluster.", "time.", "replicates=", "only ", "sweep "];
    let is_other = |it: &&String| !apart.iter().any(|start| it.starts_with(start));
    match joined(settings.iter().filter(is_other), ", ") {
        none if none.is_empty() => "none".to_owned(),
        kept => kept,
    }
}
