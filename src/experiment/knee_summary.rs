//! From the bisections of a strategy's replicates to its knee. Must not run anything.

use super::knee_result::{KneeLimit, KneeOutcome, KneeReplicate, KneeResult};
use super::knee_words::{self, Worth};
use super::runs::StrategyRuns;
use crate::metrics::MetricId;
use crate::scenario::{Knee, VariedLoad};

impl StrategyRuns {
    /// Sets `knee_per_sec` and `knee_in_servers`, which ends at the number of servers. A mean over those replicates alone in which some load holds
    /// would be too high: when one of them has no knee, there is none.
    pub(super) fn set_knee(&mut self, knee: &Knee, capacity: Option<f64>) {
        let outcome = KneeOutcome::of(&self.knees());
        let knees: Vec<Option<f64>> = self
            .knees
            .iter()
            .map(|replicate| replicate.as_ref()?.per_sec())
            .map(|knee| knee.filter(|_| outcome != KneeOutcome::Below))
            .collect();
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
            all.lower_bounds = match is_capped {
                true => vec![MetricId::Knee],
                false => vec![MetricId::Knee, MetricId::KneeInServers],
            };
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
            limits: knee.limits.iter().map(KneeLimit::from).collect(),
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
        let all = f64::from(self.all().servers);
        let in_servers = match in_servers.mean {
            Some(mean) if mean >= all => Worth::All(self.all().servers),
            Some(mean) => Worth::Servers(mean),
            None => Worth::Unknown,
        };
        result.sentence = knee_words::sentence(&result, knee.load, &per_sec, in_servers);
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
    let ended = replicates
        .iter()
        .filter(|replicate| replicate.broken_per_sec.is_some())
        .count();
    let often = times
        .iter()
        .enumerate()
        .filter(|(rank, (_, times))| *times > 0 && (*rank == 0 || 2 * times >= ended));
    often
        .map(|(_, (at, _))| knee.limits[*at].metric.clone())
        .collect()
}
