//! Results of a sweep, point by point. Must not judge what a sweep shows.

use super::Results;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Results {
    /// Number of points of the sweep; 1 without one.
    pub fn point_count(&self) -> usize {
        self.sweep.iter().map(|list| list.values.len()).product()
    }

    /// The first point alone, as if its values had been set with `--set`: what can only be shown of one point is shown of this.
    /// Without a sweep these results themselves.
    pub fn first_point(&self) -> Cow<'_, Self> {
        let first = match self.strategies.first() {
            Some(strategy) if !self.sweep.is_empty() => &strategy.sweep,
            _ => return Cow::Borrowed(self),
        };
        let mut scenario = self.scenario.clone();
        let set = first.iter().map(|(path, value)| format!("{path}={value}"));
        scenario.overrides.extend(set);
        let strategies = self.strategies.iter().filter(|it| it.sweep == *first);
        let comparisons = self.comparisons.iter().filter(|it| it.sweep == *first);
        let expectations = self.expectations.iter().filter(|it| it.sweep == *first);
        let mut point = Self {
            schema_version: self.schema_version,
            tool: self.tool.clone(),
            scenario,
            seed: self.seed,
            replicates: self.replicates,
            duration_s: self.duration_s,
            warmup_s: self.warmup_s,
            sample_s: self.sample_s,
            sweep: Vec::new(),
            strategies: strategies.cloned().collect(),
            comparisons: comparisons.cloned().collect(),
            expectations: expectations.cloned().collect(),
            warnings: self.warnings.clone(),
        };
        let strategies = point.strategies.iter_mut().map(|it| &mut it.sweep);
        let comparisons = point.comparisons.iter_mut().map(|it| &mut it.sweep);
        let expectations = point.expectations.iter_mut().map(|it| &mut it.sweep);
        strategies
            .chain(comparisons)
            .chain(expectations)
            .for_each(BTreeMap::clear);
        Cow::Owned(point)
    }
}
