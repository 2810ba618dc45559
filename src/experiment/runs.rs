//! What is kept of the runs of one strategy: one value a replicate, and everything that merges. Must not judge.

use super::measures::{ResponseParts, is_open, response_family, response_parts};
use super::{KneeReplicate, Measure, Metric};
use crate::metrics::{
    Counts, HottestServer, MetricPath, NEIGHBOUR_RESPONSE, OperationNames, PER_NEIGHBOUR, PER_READ,
    PER_WRITE, READ_RESPONSE, RESPONSE, RESPONSE_PARTS, Response, RunResult, Scalars, Series,
    Subject, definition,
};
use crate::statistics::{Estimate, ExpectedPeak};
use std::collections::{BTreeMap, BTreeSet};

/// One replicate's numbers of all operations of a kind, or of one.
#[derive(Debug, Clone)]
struct Replicate {
    scalars: Scalars,
    counts: Counts,
    response: ResponseParts,
}

/// The replicates of all writes or reads together, or of one of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    replicates: Vec<Option<Replicate>>,
    /// Metrics that only replicate 0 has, because they are known without chance or are dear to find.
    of_first: BTreeSet<&'static str>,
    pub(super) servers: u32,
    pub(super) counts: Counts,
    /// Of metrics that are found once, from a sample that gives them an interval.
    sampled: BTreeMap<&'static str, Measure>,
    /// Names of metrics that are lower bounds in some replicate.
    pub(super) lower_bounds: Vec<&'static str>,
    /// Of all replicates together.
    response: Option<Response>,
}

/// All runs of one strategy. Runs may be added in any order: sums and histograms don't depend on it, the rest is kept by replicate.
#[derive(Debug, Clone)]
pub(super) struct StrategyRuns {
    pub(super) all: Runs,
    pub(super) writes: Vec<Runs>,
    /// Of all reads together: only counts and response times, their other metrics are in `all`.
    pub(super) all_reads: Runs,
    pub(super) reads: Vec<Runs>,
    /// Of all neighbours together: likewise.
    pub(super) all_neighbours: Runs,
    pub(super) neighbours: Vec<Runs>,
    even_peaks: Vec<Option<ExpectedPeak>>,
    read_even_peaks: Vec<Option<ExpectedPeak>>,
    hottest: Vec<Option<HottestServer>>,
    /// The bisection of each replicate, when there is one.
    pub(super) knees: Vec<Option<KneeReplicate>>,
    /// Of replicate 0.
    pub(super) series: Option<Series>,
}

impl StrategyRuns {
    pub(super) fn new(replicates: usize, names: &OperationNames<'_>, servers: u32) -> Self {
        let runs = Runs {
            replicates: vec![None; replicates],
            servers,
            ..Runs::default()
        };
        Self {
            all: runs.clone(),
            writes: vec![runs.clone(); names.writes.len()],
            all_reads: runs.clone(),
            reads: vec![runs.clone(); names.reads.len()],
            all_neighbours: runs.clone(),
            neighbours: vec![runs; names.neighbours.len()],
            even_peaks: vec![None; replicates],
            read_even_peaks: vec![None; replicates],
            hottest: vec![None; replicates],
            knees: vec![None; replicates],
            series: None,
        }
    }

    /// Takes in one run.
    pub(super) fn add(&mut self, replicate: usize, run: RunResult) {
        self.all
            .add(replicate, run.metrics, &run.counts, run.response);
        let parts = run
            .write_metrics
            .into_iter()
            .zip(&run.write_counts)
            .zip(run.write_response);
        for (write, ((scalars, counts), response)) in self.writes.iter_mut().zip(parts) {
            write.add(replicate, scalars, counts, response);
        }
        self.all_reads.add(
            replicate,
            Scalars::new(),
            &run.read_counts,
            run.read_response,
        );
        for (read, run) in self.reads.iter_mut().zip(run.reads) {
            read.add(replicate, run.metrics, &run.counts, run.response);
        }
        let mut of_all = Counts::default();
        for (neighbour, run) in self.neighbours.iter_mut().zip(run.neighbours) {
            of_all.add(&run.counts);
            neighbour.add(replicate, run.metrics, &run.counts, run.response);
        }
        self.all_neighbours
            .add(replicate, Scalars::new(), &of_all, run.neighbour_response);
        self.even_peaks[replicate] = run.even_peak;
        self.read_even_peaks[replicate] = run.read_even_peak;
        self.hottest[replicate] = run.hottest;
        if run.series.is_some() {
            self.series = run.series;
        }
    }

    /// What chance makes of a perfect spread: the same in all replicates but for the number of rows; the first that is defined.
    pub(super) fn even_peak(&self) -> Option<ExpectedPeak> {
        self.even_peaks.iter().flatten().next().copied()
    }

    /// The same of read demand.
    pub(super) fn read_even_peak(&self) -> Option<ExpectedPeak> {
        self.read_even_peaks.iter().flatten().next().copied()
    }

    /// The server that is asked for most handler time: means over the replicates.
    pub(super) fn hottest(&self) -> Option<HottestServer> {
        let of = |value: fn(&HottestServer) -> f64| {
            let values: Vec<f64> = self.hottest.iter().flatten().map(value).collect();
            Estimate::of(&values).map(|estimate| estimate.mean)
        };
        Some(HottestServer {
            peak: of(|hottest| hottest.peak)?,
            even: self
                .hottest
                .iter()
                .flatten()
                .find_map(|hottest| hottest.even),
            read_share: of(|hottest| hottest.read_share)?,
        })
    }

    /// Sets the makespan: the last completion of the imports, given by their place among the writes and their rows, in those replicates in
    /// which all of them came to their end.
    pub(super) fn set_makespan(&mut self, imports: &[(usize, u64)]) {
        let ends: Vec<Vec<Option<f64>>> = imports
            .iter()
            .map(|&(write, rows)| self.writes[write].ends(rows))
            .collect();
        self.all.set("makespan_ms", |index, _| {
            let last = |latest: f64, of: &Vec<Option<f64>>| Some(latest.max(of[index]?));
            (!ends.is_empty()).then(|| ends.iter().try_fold(0.0, last))?
        });
    }

    /// Where a metric is kept.
    pub(super) fn of(&self, path: &MetricPath) -> &Runs {
        match path.subject {
            Subject::All if path.definition.name == READ_RESPONSE => &self.all_reads,
            Subject::All if path.definition.name == NEIGHBOUR_RESPONSE => &self.all_neighbours,
            Subject::All => &self.all,
            Subject::Write(write) => &self.writes[write],
            Subject::Read(read) => &self.reads[read],
            Subject::Neighbour(neighbour) => &self.neighbours[neighbour],
        }
    }

    /// The operations that a metric is about: those of all reads, or of all neighbours, are kept beside those of writes.
    pub(super) fn of_operations(&self, path: &MetricPath) -> &Runs {
        let name = path.definition.name;
        match path.subject {
            Subject::All if name.starts_with("read_") => &self.all_reads,
            Subject::All if name.starts_with("neighbour_") => &self.all_neighbours,
            _ => self.of(path),
        }
    }

    /// The value of a metric in each replicate, and whether it is censored.
    pub(super) fn values(&self, path: &MetricPath) -> (Vec<Option<f64>>, bool) {
        let runs = self.of(path);
        match path.part {
            Some(part) => runs.response_values(part),
            None => {
                let name = path.definition.name;
                (runs.values(name), runs.lower_bounds.contains(&name))
            }
        }
    }
}

impl Runs {
    fn add(&mut self, replicate: usize, scalars: Scalars, counts: &Counts, response: Response) {
        let parts = response_parts(&response.combined());
        self.replicates[replicate] = Some(Replicate {
            scalars,
            counts: *counts,
            response: parts,
        });
        self.counts.add(counts);
        match &mut self.response {
            Some(merged) => merged.add(&response),
            None => self.response = Some(response),
        }
    }

    /// Sets a metric that only the experiment knows, one value a replicate.
    pub(super) fn set(
        &mut self,
        name: &'static str,
        value: impl Fn(usize, &Scalars) -> Option<f64>,
    ) {
        for (index, replicate) in self.replicates.iter_mut().enumerate() {
            if let Some(replicate) = replicate {
                let value = value(index, &replicate.scalars);
                replicate.scalars.insert(name, value);
            }
        }
    }

    /// Sets a metric that is found once, as replicate 0's.
    pub(super) fn set_first(&mut self, name: &'static str, value: Option<f64>) {
        self.of_first.insert(name);
        self.set(name, |index, _| value.filter(|_| index == 0));
    }

    /// Sets the interval of a metric that is found once.
    pub(super) fn set_interval(&mut self, name: &'static str, measure: Measure) {
        self.sampled.insert(name, measure);
    }

    /// Whether a metric is found once, and has no interval for that reason.
    pub(super) fn is_of_first(&self, name: &str) -> bool {
        self.of_first.contains(name)
    }

    /// When the last of `rows` was completed, in each replicate; `None` when some were neither completed nor given up.
    fn ends(&self, rows: u64) -> Vec<Option<f64>> {
        let end = |replicate: &Option<Replicate>| {
            let run = replicate.as_ref()?;
            let over = run.counts.completed + run.counts.failed >= rows;
            run.scalars.get("makespan_ms").copied()?.filter(|_| over)
        };
        self.replicates.iter().map(end).collect()
    }

    /// Operations that were intended in the window, over all replicates.
    pub(super) fn cohort(&self) -> u64 {
        self.response.as_ref().map_or(0, Response::count)
    }

    /// Those of them that were completed.
    pub(super) fn completed_of_cohort(&self) -> u64 {
        let response = self.response.as_ref();
        response.map_or(0, |response| response.completed.len())
    }

    /// Number of replicates.
    pub(super) fn replicates(&self) -> u32 {
        self.replicates.len() as u32
    }

    /// The response times of all replicates together.
    pub(super) fn merged_response(&self) -> Option<&Response> {
        self.response.as_ref()
    }

    /// A scalar in each replicate.
    pub(super) fn values(&self, name: &str) -> Vec<Option<f64>> {
        let value = |replicate: &Option<Replicate>| {
            replicate
                .as_ref()
                .and_then(|found| *found.scalars.get(name)?)
        };
        self.replicates.iter().map(value).collect()
    }

    /// Its summary.
    pub(super) fn measure(&self, name: &str) -> Measure {
        if let Some(measure) = self.sampled.get(name) {
            return *measure;
        }
        let range = definition(name).map_or((f64::NEG_INFINITY, f64::INFINITY), |definition| {
            definition.range_with(self.servers)
        });
        let measure = Measure::of(&self.values(name), range);
        if self.lower_bounds.contains(&name) {
            measure.lower_bound()
        } else {
            measure
        }
    }

    /// Its mean.
    pub(super) fn mean(&self, name: &str) -> Option<f64> {
        self.measure(name).mean
    }

    fn response_values(&self, part: &str) -> (Vec<Option<f64>>, bool) {
        let index = RESPONSE_PARTS
            .iter()
            .position(|(name, _)| *name == part)
            .unwrap_or(0);
        let of = |replicate: &Option<Replicate>| {
            replicate.as_ref().and_then(|found| found.response[index])
        };
        let nanos: Vec<_> = self.replicates.iter().map(of).collect();
        let merged = self.response.as_ref();
        let merged = merged.and_then(|response| response_parts(&response.combined())[index]);
        let censored = is_open(nanos.iter().copied().chain([merged]));
        (
            nanos
                .into_iter()
                .map(|nanos| nanos.map(|nanos| nanos.value / 1e6))
                .collect(),
            censored,
        )
    }

    /// The family of response times.
    pub(super) fn response(&self) -> BTreeMap<String, Measure> {
        let parts: Vec<ResponseParts> = self
            .replicates
            .iter()
            .flatten()
            .map(|replicate| replicate.response)
            .collect();
        self.response
            .as_ref()
            .map(|merged| response_family(&parts, merged))
            .unwrap_or_default()
    }

    /// All its scalars.
    pub(super) fn scalars(&self) -> BTreeMap<String, Metric> {
        let names: BTreeSet<&'static str> = self
            .replicates
            .iter()
            .flatten()
            .flat_map(|replicate| replicate.scalars.keys().copied())
            .collect();
        names
            .into_iter()
            .map(|name| (name.to_owned(), Metric::Number(self.measure(name))))
            .collect()
    }

    /// The metrics of one write, without the prefix `write_`.
    pub(super) fn write_metrics(&self) -> BTreeMap<String, Metric> {
        self.with_response(&PER_WRITE)
    }

    /// The metrics of one neighbour, without the prefix `neighbour_`.
    pub(super) fn neighbour_metrics(&self) -> BTreeMap<String, Metric> {
        self.with_response(&PER_NEIGHBOUR)
    }

    fn with_response(&self, names: &[&'static str]) -> BTreeMap<String, Metric> {
        let mut metrics = self.without_prefix(names);
        metrics.insert(
            unprefixed(RESPONSE).to_owned(),
            Metric::Family(self.response()),
        );
        metrics
    }

    /// The rates and fractions of one read, without the prefix `read_`.
    pub(super) fn read_metrics(&self) -> BTreeMap<String, Metric> {
        self.without_prefix(&PER_READ)
    }

    fn without_prefix(&self, names: &[&'static str]) -> BTreeMap<String, Metric> {
        let scalars = names
            .iter()
            .filter(|name| ![RESPONSE, READ_RESPONSE, NEIGHBOUR_RESPONSE].contains(*name));
        scalars
            .map(|name| {
                (
                    unprefixed(name).to_owned(),
                    Metric::Number(self.measure(name)),
                )
            })
            .collect()
    }
}

impl StrategyRuns {
    /// All metrics that are of no single write, read or neighbour.
    pub(super) fn metrics(&self) -> BTreeMap<String, Metric> {
        let mut metrics = self.all.scalars();
        metrics.insert(RESPONSE.to_owned(), Metric::Family(self.all.response()));
        if !self.reads.is_empty() {
            let reads = Metric::Family(self.all_reads.response());
            metrics.insert(READ_RESPONSE.to_owned(), reads);
        }
        if !self.neighbours.is_empty() {
            let neighbours = Metric::Family(self.all_neighbours.response());
            metrics.insert(NEIGHBOUR_RESPONSE.to_owned(), neighbours);
        }
        metrics
    }
}

/// A metric's name behind the kind of operation.
fn unprefixed(name: &str) -> &str {
    name.split_once('_').map_or(name, |(_, rest)| rest)
}
