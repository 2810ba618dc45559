//! What is kept of the runs of one strategy: one value a replicate, and everything that merges. Must not judge.

use super::measures::{ResponseParts, is_open, response_family, response_parts};
use super::{KneeReplicate, Measure, Metric};
use crate::metrics::{
    Counts, HottestServer, MetricId, MetricPath, OperationNames, OperationRun, Part, Response,
    RunResult, Scalars, Series, Side, Subject,
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
    of_first: BTreeSet<MetricId>,
    pub(super) servers: u32,
    pub(super) counts: Counts,
    /// Of metrics that are found once, from a sample that gives them an interval.
    sampled: BTreeMap<MetricId, Measure>,
    /// Metrics that are lower bounds in some replicate.
    pub(super) lower_bounds: Vec<MetricId>,
    /// Of all replicates together.
    response: Option<Response>,
}

/// The runs of all writes, all reads or all neighbours.
#[derive(Debug, Clone)]
struct SideRuns {
    /// Together. The metrics of the run, whichever operations they count, are those of the writes; of the others only counts and response
    /// times are kept here.
    all: Runs,
    /// In file order.
    each: Vec<Runs>,
}

/// All runs of one strategy. Runs may be added in any order: sums and histograms don't depend on it, the rest is kept by replicate.
#[derive(Debug, Clone)]
pub(super) struct StrategyRuns {
    sides: [SideRuns; 3],
    even_peaks: [Vec<Option<ExpectedPeak>>; 2],
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
            sides: Side::ALL.map(|side| SideRuns {
                all: runs.clone(),
                each: vec![runs.clone(); names.of(side).len()],
            }),
            even_peaks: [vec![None; replicates], vec![None; replicates]],
            hottest: vec![None; replicates],
            knees: vec![None; replicates],
            series: None,
        }
    }

    /// Takes in one run.
    pub(super) fn add(&mut self, replicate: usize, run: RunResult) {
        let mut of_neighbours = Counts::default();
        for neighbour in &run.neighbours {
            of_neighbours.add(&neighbour.counts);
        }
        let all = |counts, metrics, response| OperationRun {
            counts,
            metrics,
            response,
        };
        let none = Scalars::default;
        let sides = [
            (all(run.counts, run.metrics, run.response), run.writes),
            (all(run.read_counts, none(), run.read_response), run.reads),
            (
                all(of_neighbours, none(), run.neighbour_response),
                run.neighbours,
            ),
        ];
        for (own, (all, each)) in self.sides.iter_mut().zip(sides) {
            own.all.add(replicate, all);
            for (runs, run) in own.each.iter_mut().zip(each) {
                runs.add(replicate, run);
            }
        }
        self.even_peaks[0][replicate] = run.even_peak;
        self.even_peaks[1][replicate] = run.read_even_peak;
        self.hottest[replicate] = run.hottest;
        if run.series.is_some() {
            self.series = run.series;
        }
    }

    /// The metrics of the run, and all writes together.
    pub(super) fn all(&self) -> &Runs {
        self.together(Side::Write)
    }

    /// The same, to set what only the experiment knows.
    pub(super) fn all_mut(&mut self) -> &mut Runs {
        &mut self.sides[0].all
    }

    /// All operations of a side together: counts and response times.
    pub(super) fn together(&self, side: Side) -> &Runs {
        &self.sides[side as usize].all
    }

    /// The operations of a side one by one, in file order.
    pub(super) fn each(&self, side: Side) -> &[Runs] {
        &self.sides[side as usize].each
    }

    /// The reads one by one, to set what only the forecast knows.
    pub(super) fn reads_mut(&mut self) -> &mut [Runs] {
        &mut self.sides[Side::Read as usize].each
    }

    /// What chance makes of a perfect spread of writes or of reads: the same in all replicates but for the number of rows; the first that is
    /// defined.
    pub(super) fn even_peak(&self, side: Side) -> Option<ExpectedPeak> {
        let peaks = self.even_peaks.get(side as usize)?;
        peaks.iter().flatten().next().copied()
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
            .map(|&(write, rows)| self.each(Side::Write)[write].ends(rows))
            .collect();
        self.all_mut().set(MetricId::Makespan, |index, _| {
            let last = |latest: f64, of: &Vec<Option<f64>>| Some(latest.max(of[index]?));
            (!ends.is_empty()).then(|| ends.iter().try_fold(0.0, last))?
        });
    }

    /// Where a metric is kept.
    pub(super) fn of(&self, path: &MetricPath) -> &Runs {
        match (path.subject, path.part) {
            (Subject::All, Some(_)) => self.of_operations(path),
            (Subject::All, None) => self.all(),
            (Subject::One(side, index), _) => &self.each(side)[index],
        }
    }

    /// The operations that a metric is about: those of all reads, or of all neighbours, are kept beside those of writes.
    pub(super) fn of_operations(&self, path: &MetricPath) -> &Runs {
        match path.subject {
            Subject::All => self.together(path.metric.side().unwrap_or(Side::Write)),
            Subject::One(..) => self.of(path),
        }
    }

    /// The value of a metric in each replicate, and whether it is censored.
    pub(super) fn values(&self, path: &MetricPath) -> (Vec<Option<f64>>, bool) {
        let runs = self.of(path);
        match path.part {
            Some(part) => runs.response_values(part),
            None => {
                let censored = runs.lower_bounds.contains(&path.metric);
                (runs.values(path.metric), censored)
            }
        }
    }

    /// All metrics that are of no single write, read or neighbour.
    pub(super) fn metrics(&self) -> BTreeMap<String, Metric> {
        let mut metrics = self.all().scalars();
        for side in Side::ALL {
            if side == Side::Write || !self.each(side).is_empty() {
                let name = MetricId::WriteResponse.of(side).name();
                let family = Metric::Family(self.together(side).response());
                metrics.insert(name.to_owned(), family);
            }
        }
        metrics
    }
}

impl Runs {
    fn add(&mut self, replicate: usize, run: OperationRun) {
        let parts = response_parts(&run.response.combined());
        self.counts.add(&run.counts);
        self.replicates[replicate] = Some(Replicate {
            scalars: run.metrics,
            counts: run.counts,
            response: parts,
        });
        match &mut self.response {
            Some(merged) => merged.add(&run.response),
            None => self.response = Some(run.response),
        }
    }

    /// Sets a metric that only the experiment knows, one value a replicate.
    pub(super) fn set(&mut self, id: MetricId, value: impl Fn(usize, &Scalars) -> Option<f64>) {
        for (index, replicate) in self.replicates.iter_mut().enumerate() {
            if let Some(replicate) = replicate {
                let value = value(index, &replicate.scalars);
                replicate.scalars.set(id, value);
            }
        }
    }

    /// Sets a metric that is found once, as replicate 0's.
    pub(super) fn set_first(&mut self, id: MetricId, value: Option<f64>) {
        self.of_first.insert(id);
        self.set(id, |index, _| value.filter(|_| index == 0));
    }

    /// Sets the interval of a metric that is found once.
    pub(super) fn set_interval(&mut self, id: MetricId, measure: Measure) {
        self.sampled.insert(id, measure);
    }

    /// Whether a metric is found once, and has no interval for that reason.
    pub(super) fn is_of_first(&self, id: MetricId) -> bool {
        self.of_first.contains(&id)
    }

    /// When the last of `rows` was completed, in each replicate; `None` when some were neither completed nor given up.
    fn ends(&self, rows: u64) -> Vec<Option<f64>> {
        let end = |replicate: &Option<Replicate>| {
            let run = replicate.as_ref()?;
            let over = run.counts.completed + run.counts.failed >= rows;
            run.scalars.get(MetricId::Makespan).filter(|_| over)
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
    pub(super) fn values(&self, id: MetricId) -> Vec<Option<f64>> {
        let replicates = self.replicates.iter();
        let value = |replicate: &Option<Replicate>| replicate.as_ref()?.scalars.get(id);
        replicates.map(value).collect()
    }

    /// Its summary.
    pub(super) fn measure(&self, id: MetricId) -> Measure {
        if let Some(measure) = self.sampled.get(&id) {
            return *measure;
        }
        let range = id.definition().range_with(self.servers);
        let measure = Measure::of(&self.values(id), range);
        match self.lower_bounds.contains(&id) {
            true => measure.lower_bound(),
            false => measure,
        }
    }

    /// Its mean.
    pub(super) fn mean(&self, id: MetricId) -> Option<f64> {
        self.measure(id).mean
    }

    fn response_values(&self, part: Part) -> (Vec<Option<f64>>, bool) {
        let of = |replicate: &Option<Replicate>| replicate.as_ref()?.response[part as usize];
        let nanos: Vec<_> = self.replicates.iter().map(of).collect();
        let merged = self.response.as_ref();
        let merged =
            merged.and_then(|response| response_parts(&response.combined())[part as usize]);
        let censored = is_open(nanos.iter().copied().chain([merged]));
        let millis = nanos.into_iter().map(|nanos| Some(nanos?.value / 1e6));
        (millis.collect(), censored)
    }

    /// The family of response times.
    pub(super) fn response(&self) -> BTreeMap<String, Measure> {
        let replicates = self.replicates.iter().flatten();
        let parts: Vec<ResponseParts> = replicates.map(|replicate| replicate.response).collect();
        let merged = self.response.as_ref();
        merged.map_or_else(BTreeMap::new, |merged| response_family(&parts, merged))
    }

    /// All its scalars.
    fn scalars(&self) -> BTreeMap<String, Metric> {
        let replicates = self.replicates.iter().flatten();
        let ids: BTreeSet<MetricId> = replicates
            .flat_map(|replicate| replicate.scalars.ids())
            .collect();
        let named = ids.into_iter().map(|id| (id.name().to_owned(), id));
        named
            .map(|(name, id)| (name, Metric::Number(self.measure(id))))
            .collect()
    }

    /// The rates and fractions of one operation of a side, by their names behind it.
    pub(super) fn rates(&self, side: Side) -> BTreeMap<String, Metric> {
        let own = MetricId::ALL.iter().filter(|id| id.side() == Some(side));
        let rates = own.filter(|id| id.is_of_each() && !id.is_response());
        rates
            .map(|id| (id.own_name().to_owned(), Metric::Number(self.measure(*id))))
            .collect()
    }

    /// The same with its response times.
    pub(super) fn rates_and_response(&self, side: Side) -> BTreeMap<String, Metric> {
        let response = MetricId::WriteResponse.own_name().to_owned();
        let mut metrics = self.rates(side);
        metrics.insert(response, Metric::Family(self.response()));
        metrics
    }
}
