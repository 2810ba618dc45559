//! What is kept of the runs of one strategy: one value a replicate, and everything that merges. Must not judge.

use super::measures::{NANOS_PER_MS, ResponseParts, response_family, response_parts};
use super::{Curve, KneeReplicate, Measure, Metric};
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
    /// Metrics that only replicate 0 has, because they are known without chance or are dear to find; with an interval where a sample gives one.
    of_first: BTreeMap<MetricId, Option<Measure>>,
    pub(super) servers: u32,
    pub(super) counts: Counts,
    /// Metrics that are lower bounds in some replicate.
    pub(super) lower_bounds: Vec<MetricId>,
    /// Of all replicates together.
    pub(super) merged: Option<Response>,
}

/// All runs of one strategy. Runs may be added in any order: sums and histograms don't depend on it, the rest is kept by replicate.
#[derive(Debug, Clone, Default)]
pub(super) struct StrategyRuns {
    /// The operations of each side together. The metrics of the run, whichever operations they count, are those of the writes; of the others only
    /// counts and response times are kept here.
    together: [Runs; 3],
    /// The operations of each side one by one, in file order.
    pub(super) each: [Vec<Runs>; 3],
    even_peaks: [Vec<Option<ExpectedPeak>>; 3],
    hottest: Vec<Option<HottestServer>>,
    /// Rows a second of the saturating run, when there is one.
    pub(super) capacity: Option<f64>,
    /// The bisection of each replicate, when there is one.
    pub(super) knees: Vec<Option<KneeReplicate>>,
    /// Of replicate 0.
    pub(super) series: Option<Series>,
    /// Events of all replicates.
    pub(super) events: u64,
}

impl StrategyRuns {
    pub(super) fn new(replicates: usize, names: &OperationNames<'_>, servers: u32) -> Self {
        let runs = Runs {
            replicates: vec![None; replicates],
            servers,
            ..Runs::default()
        };
        Self {
            together: [(); 3].map(|()| runs.clone()),
            each: Side::ALL.map(|side| vec![runs.clone(); names.of(side).len()]),
            even_peaks: [(); 3].map(|()| vec![None; replicates]),
            hottest: vec![None; replicates],
            knees: vec![None; replicates],
            ..Self::default()
        }
    }

    /// Takes in one run.
    pub(super) fn add(&mut self, replicate: usize, run: RunResult) {
        let mut metrics = run.metrics;
        let sides = [run.writes, run.reads, run.neighbours];
        for (side, of_side) in sides.into_iter().enumerate() {
            let all = OperationRun {
                counts: of_side.counts,
                metrics: std::mem::take(&mut metrics),
                response: of_side.response,
            };
            self.together[side].add(replicate, all);
            self.even_peaks[side][replicate] = of_side.even_peak;
            for (runs, run) in self.each[side].iter_mut().zip(of_side.each) {
                runs.add(replicate, run);
            }
        }
        self.hottest[replicate] = run.hottest;
        self.events += run.events;
        self.series = run.series.or(self.series.take());
    }

    /// The metrics of the run, and all writes together.
    pub(super) fn all(&self) -> &Runs {
        &self.together[0]
    }

    /// The same, to set what only the experiment knows.
    pub(super) fn all_mut(&mut self) -> &mut Runs {
        &mut self.together[0]
    }

    /// All operations of a side together: counts and response times.
    pub(super) fn together(&self, side: Side) -> &Runs {
        &self.together[side as usize]
    }

    /// The operations of a side one by one, in file order.
    pub(super) fn each(&self, side: Side) -> &[Runs] {
        &self.each[side as usize]
    }

    /// What chance makes of a perfect spread of writes or of reads: the same in all replicates but for the number of rows; the first that is
    /// defined.
    pub(super) fn even_peak(&self, side: Side) -> Option<ExpectedPeak> {
        let peaks = &self.even_peaks[side as usize];
        peaks.iter().flatten().next().copied()
    }

    /// The server that is asked for most handler time: means over the replicates.
    pub(super) fn hottest(&self) -> Option<HottestServer> {
        let known: Vec<&HottestServer> = self.hottest.iter().flatten().collect();
        let mean = |value: fn(&HottestServer) -> f64| {
            let values: Vec<f64> = known.iter().map(|hottest| value(hottest)).collect();
            Some(Estimate::of(&values)?.mean)
        };
        Some(HottestServer {
            peak: mean(|hottest| hottest.peak)?,
            even: known.iter().find_map(|hottest| hottest.even),
            read_share: mean(|hottest| hottest.read_share)?,
        })
    }

    /// Sets the makespan: the last completion of the imports, given by their place among the writes and their rows. A mean over those replicates in
    /// which all of them came to their end would leave out the longest: it is undefined where any did not.
    pub(super) fn set_makespan(&mut self, imports: &[(usize, u64)]) {
        let ends = |&(write, rows): &(usize, u64)| self.each(Side::Write)[write].ends(rows);
        let ends: Vec<Vec<Option<f64>>> = imports.iter().map(ends).collect();
        let last = |index: usize| {
            let mut ends = ends.iter();
            ends.try_fold(0.0, |latest: f64, of| Some(latest.max(of[index]?)))
        };
        let replicates = ends.first().map_or(0, Vec::len);
        let all: Option<Vec<f64>> = (0..replicates).map(last).collect();
        self.all_mut().set(MetricId::Makespan, |index, _| {
            all.as_ref()?.get(index).copied()
        });
    }

    /// Where a metric is kept: the numbers of the run beside the writes.
    pub(super) fn of(&self, path: &MetricPath) -> &Runs {
        match path.subject {
            Subject::All if path.part.is_none() => self.all(),
            _ => self.of_operations(path),
        }
    }

    /// The operations that a metric is about.
    pub(super) fn of_operations(&self, path: &MetricPath) -> &Runs {
        match path.subject {
            Subject::All => self.together(path.metric.side().unwrap_or(Side::Write)),
            Subject::One(side, index) => &self.each(side)[index],
        }
    }

    /// The value of a metric in each replicate.
    pub(super) fn values(&self, path: &MetricPath) -> Vec<Option<f64>> {
        let runs = self.of(path);
        let Some(part) = path.part else {
            return runs.values(path.metric);
        };
        let of = |it: &Replicate| Some(it.response[part as usize]?.value / NANOS_PER_MS);
        runs.of_each(of)
    }

    /// Whether failed or unfinished operations leave a response time open.
    pub(super) fn is_open(&self, path: &MetricPath) -> bool {
        let part = path.part.map(|part| self.of(path).response()[part.name()]);
        part.is_some_and(|measure| measure.censored)
    }

    /// All metrics that are of no single write, read or neighbour.
    pub(super) fn metrics(&self) -> BTreeMap<String, Metric> {
        let all = self.all();
        let mut metrics = all.numbers(all.ids(), MetricId::name);
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
        self.counts.add(&run.counts);
        self.replicates[replicate] = Some(Replicate {
            scalars: run.metrics,
            counts: run.counts,
            response: response_parts(&run.response.combined()),
        });
        match &mut self.merged {
            Some(merged) => merged.add(&run.response),
            None => self.merged = Some(run.response),
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

    /// The metrics of a replicate.
    pub(super) fn scalars(&self, replicate: usize) -> Option<&Scalars> {
        let replicate = self.replicates.get(replicate)?.as_ref();
        replicate.map(|it| &it.scalars)
    }

    /// Sets a metric that is found once, as replicate 0's.
    pub(super) fn set_first(&mut self, id: MetricId, value: Option<f64>) {
        self.of_first.insert(id, None);
        self.set(id, |index, _| value.filter(|_| index == 0));
    }

    /// The same of one that is found from a sample, which gives it an interval.
    pub(super) fn set_sampled(&mut self, id: MetricId, measure: Measure) {
        self.set_first(id, measure.mean);
        self.of_first.insert(id, Some(measure));
    }

    /// Whether a metric is found once, and has no interval for that reason.
    pub(super) fn is_of_first(&self, id: MetricId) -> bool {
        self.of_first.contains_key(&id)
    }

    /// When the last of `rows` was completed, in each replicate; `None` when some were neither completed nor given up.
    fn ends(&self, rows: u64) -> Vec<Option<f64>> {
        self.of_each(|run| {
            let over = run.counts.completed + run.counts.failed >= rows;
            run.scalars.get(MetricId::Makespan).filter(|_| over)
        })
    }

    /// Operations that were intended in the window, over all replicates.
    pub(super) fn cohort(&self) -> u64 {
        self.merged.as_ref().map_or(0, Response::count)
    }

    /// Those of them that were completed.
    pub(super) fn completed_of_cohort(&self) -> u64 {
        self.merged.as_ref().map_or(0, |all| all.completed.len())
    }

    /// Number of replicates.
    pub(super) fn replicates(&self) -> u32 {
        self.replicates.len() as u32
    }

    /// What each replicate has.
    fn of_each(&self, value: impl Fn(&Replicate) -> Option<f64>) -> Vec<Option<f64>> {
        let values = self.replicates.iter().map(|it| value(it.as_ref()?));
        values.collect()
    }

    /// A scalar in each replicate.
    pub(super) fn values(&self, id: MetricId) -> Vec<Option<f64>> {
        self.of_each(|replicate| replicate.scalars.get(id))
    }

    /// Its summary.
    pub(super) fn measure(&self, id: MetricId) -> Measure {
        if let Some(Some(measure)) = self.of_first.get(&id) {
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

    /// The means of all that are defined.
    pub(super) fn means(&self) -> BTreeMap<MetricId, f64> {
        let ids = self.ids().into_iter();
        ids.filter_map(|id| Some((id, self.mean(id)?))).collect()
    }

    /// The family of response times.
    pub(super) fn response(&self) -> BTreeMap<String, Measure> {
        let replicates = self.replicates.iter().flatten();
        let parts: Vec<&ResponseParts> = replicates.map(|replicate| &replicate.response).collect();
        let merged = self.merged.as_ref();
        merged.map_or_else(BTreeMap::new, |merged| response_family(&parts, merged))
    }

    /// The slowest percent in milliseconds, and whether that is a lower bound.
    pub(super) fn p99_ms(&self) -> Option<(f64, bool)> {
        let p99 = *self.response().get(Part::P99.name())?;
        Some((p99.merged.or(p99.mean)?, p99.censored))
    }

    /// Its scalars.
    fn ids(&self) -> BTreeSet<MetricId> {
        let replicates = self.replicates.iter().flatten();
        replicates.flat_map(|it| it.scalars.ids()).collect()
    }

    /// The rates and fractions of one operation of a side, by their names behind it.
    pub(super) fn rates(&self, side: Side) -> BTreeMap<String, Metric> {
        let own = MetricId::ALL.iter().filter(|id| id.side() == Some(side));
        let rates = own.filter(|id| id.is_of_each() && !id.is_response());
        self.numbers(rates.copied(), MetricId::own_name)
    }

    fn numbers(
        &self,
        ids: impl IntoIterator<Item = MetricId>,
        name: fn(MetricId) -> &'static str,
    ) -> BTreeMap<String, Metric> {
        let number = |id| (name(id).to_owned(), Metric::Number(self.measure(id)));
        ids.into_iter().map(number).collect()
    }

    /// The same with its response times.
    pub(super) fn rates_and_response(&self, side: Side) -> BTreeMap<String, Metric> {
        let response = MetricId::WriteResponse.own_name().to_owned();
        let mut metrics = self.rates(side);
        metrics.insert(response, Metric::Family(self.response()));
        metrics
    }
}

/// Points for each power of ten of 1 - q.
const POINTS_PER_DECADE: u32 = 12;
/// A quantile is drawn while at least so many operations lie beyond it.
const BEYOND: f64 = 10.0;

/// Response time by percentile: quantiles up to the one that ten operations exceed.
pub(super) fn response_curve(response: Option<&Response>) -> Curve {
    let mut curve = Curve::default();
    let Some(response) = response.filter(|response| response.count() > 0) else {
        return curve;
    };
    let combined = response.combined();
    let count = combined.count() as f64;
    let mut quantiles = vec![0.0];
    for step in 1.. {
        let beyond = libm::pow(10.0, -f64::from(step) / f64::from(POINTS_PER_DECADE));
        if beyond * count < BEYOND {
            break;
        }
        quantiles.push(1.0 - beyond);
    }
    for q in quantiles {
        if let Some(nanos) = combined.quantile(q) {
            curve.points.push((q, nanos.value / 1e6));
            if nanos.censored && curve.censored_from.is_none() {
                curve.censored_from = Some(q);
            }
        }
    }
    curve.max_ms = combined.max().map(|nanos| nanos.value / 1e6);
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_ends_where_ten_operations_lie_beyond() {
        let mut response = Response::new(1_000_000_000);
        (1..=10_000u64).for_each(|i| response.record(i * 1_000));
        let curve = response_curve(Some(&response));
        let (last, _) = *curve.points.last().unwrap();
        assert!((last - 0.999).abs() < 1e-9);
        assert!(
            curve
                .points
                .windows(2)
                .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1)
        );
        assert!((curve.max_ms.unwrap() - 10.0).abs() < 0.01);
        assert_eq!(curve.censored_from, None);
        assert_eq!(response_curve(None).points, []);
    }

    #[test]
    fn it_says_from_where_it_is_a_lower_bound() {
        let mut response = Response::new(1_000_000_000);
        (1..=7_000u64).for_each(|i| response.record(i * 1_000));
        (0..3_000).for_each(|_| response.record_unfinished(8_000_000));
        let from = response_curve(Some(&response)).censored_from.unwrap();
        assert!((0.69..0.75).contains(&from), "{from}");
    }
}
