//! Service times under which runs answer as a cluster was measured to. Must not know where the measurement comes from.

use crate::cluster::ClusterSpec;
use crate::metrics::{RunResult, SideRun};
use crate::statistics::Estimate;
use crate::time::SimDuration;

/// A spread of less than this part of the shortest times says nothing of a time that varies.
const TIGHT: f64 = 0.05;

/// Times that differ by less tell nothing of how the spread grows with them.
const LEAST_CHANGE: f64 = 0.05;

/// Where a setting stands; none where the cluster has none.
pub(super) type Place = fn(&mut ClusterSpec) -> Option<&mut SimDuration>;

/// A time that may be fitted: its path, its place, and how often a response holds it.
pub(super) type Setting = (&'static str, Place, f64);

/// What is fitted to the writes, or to the reads: the time that varies to the spread of their response times, the other one to the shortest of them.
pub(super) struct TimeFit {
    /// Whose response times they are.
    pub of: fn(&RunResult) -> &SideRun,
    /// The time that varies, and the one that does not.
    pub settings: [Setting; 2],
    /// Spread and shortest times in nanoseconds.
    pub measured: [f64; 2],
    /// How the spread grows with the time that varies: in proportion while nothing waits, and with a higher power beyond.
    growth: f64,
    last: Option<[f64; 2]>,
    /// Runs with what was found answer otherwise, by more than one of them would by chance.
    pub misses: bool,
    /// Of the runs of the last step, each time in nanoseconds with its 95 % interval: what one more run would vary by.
    pub found: [[f64; 3]; 2],
}

/// Spread and shortest by quantiles: the mean of the median, the third quartile and p90 over p10, and p10. Of n exponential times the spread has
/// a standard error of 1.15 / sqrt(n) of it (no estimator has less than 1), and pauses beyond p90 don't touch it.
fn shape(quantile: impl Fn(f64) -> f64) -> [f64; 2] {
    let shortest = quantile(0.1);
    let others = quantile(0.5) + quantile(0.75) + quantile(0.9);
    [others / 3.0 - shortest, shortest]
}

impl TimeFit {
    pub(super) fn new(
        of: fn(&RunResult) -> &SideRun,
        settings: [Setting; 2],
        quantile: impl Fn(f64) -> f64,
    ) -> Self {
        Self {
            of,
            settings,
            measured: shape(quantile),
            growth: 1.0,
            last: None,
            misses: false,
            found: [[0.0; 3]; 2],
        }
    }

    /// Only the sum of both times is known.
    pub(super) fn is_tight(&self) -> bool {
        self.measured[0] < TIGHT * self.measured[1]
    }

    /// Both times of a cluster, in nanoseconds.
    pub(super) fn times(&self, cluster: &ClusterSpec) -> [f64; 2] {
        let time = |(_, place, _): Setting| Some(place(&mut cluster.clone())?.as_nanos() as f64);
        self.settings.map(|it| time(it).unwrap_or(0.0))
    }

    /// Changes both times of `next` as the measurement differs from runs of `cluster`; by how much of a response time.
    pub(super) fn step(
        &mut self,
        runs: &[RunResult],
        cluster: &ClusterSpec,
        next: &mut ClusterSpec,
    ) -> f64 {
        let shapes = runs.iter().map(|run| {
            let response = (self.of)(run).response.combined();
            shape(|q| response.quantile(q).map_or(0.0, |nanos| nanos.value))
        });
        let shapes: Vec<[f64; 2]> = shapes.collect();
        let mean = |at: usize| shapes.iter().map(|it| it[at]).sum::<f64>() / shapes.len() as f64;
        let (spread, shortest) = (mean(0).max(1.0), mean(1));
        let [varying, constant] = self.times(cluster);
        if let Some([time, was]) = self.last {
            let change = libm::log(varying / time);
            if change.abs() > LEAST_CHANGE {
                self.growth = (libm::log(spread / was) / change).clamp(1.0, 20.0);
            }
        }
        self.last = Some([varying, spread]);
        let (more, holds) = (self.measured[1] - shortest, self.settings[1].2);
        let to = if self.is_tight() {
            let half = half_width(shapes.iter().map(|it| it[1]));
            self.misses = more.abs() > half.max(TIGHT * self.measured[1]);
            self.found = [[varying, varying - half, varying + half], [constant; 3]];
            [varying + more.max(-0.75 * varying), constant]
        } else {
            let logs = shapes.iter().map(|it| libm::log(it[0].max(1.0)));
            let half = half_width(logs);
            let factor = libm::exp(half / self.growth);
            self.misses = libm::log(self.measured[0] / spread).abs() > half.max(TIGHT);
            // The shortest but for what the time that varies has in them.
            let part = (shortest - holds * constant) / spread;
            let rest = shapes.iter().map(|it| it[1] - part * it[0]);
            let half = half_width(rest) / holds;
            self.found = [
                [varying, varying / factor, varying * factor],
                [constant, (constant - half).max(0.0), constant + half],
            ];
            let ratio = libm::pow(self.measured[0] / spread, 1.0 / self.growth);
            [
                varying * ratio.clamp(0.25, 4.0),
                (constant + more / holds).max(0.0),
            ]
        };
        for ((_, place, _), time) in self.settings.iter().zip(to) {
            if let Some(place) = place(next) {
                *place = SimDuration::from_nanos(time as u64);
            }
        }
        ((to[0] - varying).abs() + (to[1] - constant).abs()) / self.measured[1].max(varying)
    }
}

/// Within how much of their mean one more value lies, 95 times in 100: t s sqrt(1 + 1/n).
fn half_width(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let ends = Estimate::of(&values).and_then(|it| it.interval);
    ends.map_or(0.0, |(low, high)| (high - low) / 2.0) * (values.len() as f64 + 1.0).sqrt()
}
