//! All measures of a strategy by their dotted paths, wherever they stand in its results. Must not know how they look.

use super::{Measure, Metric, OperationResult, ReadResult, StrategyResult, at_point};
use crate::metrics::{
    Definition, MetricId, MetricPath, OperationNames, Part, Side, Subject, lookup,
};
use std::collections::BTreeMap;

impl OperationResult {
    /// One of its measures.
    pub fn number(&self, path: impl Into<MetricPath>) -> Option<&Measure> {
        let path = path.into();
        number(&self.metrics, path.metric.own_name(), path.part)
    }
}

impl ReadResult {
    /// What it costs, a metric each.
    pub fn costs(&self) -> [(MetricId, &Measure); 6] {
        [
            (MetricId::CallsPlanned, &self.calls_planned),
            (MetricId::Regions, &self.regions),
            (MetricId::RowsPlanned, &self.rows_planned),
            (MetricId::RowsReturned, &self.rows_returned),
            (MetricId::Calls, &self.calls),
            (MetricId::RowsRead, &self.rows_read),
        ]
    }

    /// One of its measures.
    pub fn number(&self, path: impl Into<MetricPath>) -> Option<&Measure> {
        let path = path.into();
        match path.part {
            Some(part) => self.response_ms.as_ref()?.get(part.name()),
            None => {
                let mut costs = self.costs().into_iter();
                let cost = costs.find(|(id, _)| *id == path.metric);
                let rate = || number(&self.metrics, path.metric.own_name(), None);
                cost.map(|(_, cost)| cost).or_else(rate)
            }
        }
    }
}

impl StrategyResult {
    /// Its name, with its point of a sweep: `salted at parameter.buckets = 4`.
    pub fn label(&self) -> String {
        format!("{}{}", self.name, at_point(&self.sweep))
    }

    /// Whose operations make the load: the writes, or the reads where nothing is written.
    pub fn load(&self) -> Side {
        match self.writes.is_empty() && !self.reads.is_empty() {
            true => Side::Read,
            false => Side::Write,
        }
    }

    /// The class of hotspot of the writes, or of the reads where nothing is written; `None` when it can't be told.
    pub fn hotspot(&self) -> Option<&str> {
        self.word(MetricId::Hotspot.of(self.load()))
    }

    /// A metric that is a word; `None` when it can't be told.
    pub(super) fn word(&self, path: impl Into<MetricPath>) -> Option<&str> {
        let path = path.into();
        match (path.subject, self.metrics.get(path.metric.name())) {
            (Subject::One(_, read), _) => self.reads.get(read)?.path.as_deref(),
            (Subject::All, Some(Metric::Word(word))) => Some(word),
            _ => None,
        }
    }

    /// The names of its operations.
    pub fn names(&self) -> OperationNames<'_> {
        OperationNames {
            writes: self.writes.iter().map(|it| it.name.as_str()).collect(),
            reads: self.reads.iter().map(|it| it.name.as_str()).collect(),
            neighbours: self.neighbours.iter().map(|it| it.name.as_str()).collect(),
        }
    }

    /// One of its measures.
    pub fn number(&self, path: impl Into<MetricPath>) -> Option<&Measure> {
        let path = path.into();
        match path.subject {
            Subject::All => number(&self.metrics, path.metric.name(), path.part),
            Subject::One(Side::Write, at) => self.writes.get(at)?.number(path),
            Subject::One(Side::Read, at) => self.reads.get(at)?.number(path),
            Subject::One(Side::Neighbour, at) => self.neighbours.get(at)?.number(path),
        }
    }

    /// Its mean over the replicates.
    pub fn mean(&self, path: impl Into<MetricPath>) -> Option<f64> {
        self.number(path)?.mean
    }

    /// Its value in each replicate.
    pub fn replicates(&self, path: impl Into<MetricPath>) -> Option<&Vec<Option<f64>>> {
        self.values.get(&path.into().text(&self.names()))
    }

    /// Every measure with its path: those of the run, then of each write, read and neighbour.
    pub fn measures(&self) -> Vec<(String, &Measure)> {
        let mut measures = Vec::new();
        numbers(&mut measures, "", &self.metrics);
        for write in &self.writes {
            numbers(
                &mut measures,
                &format!("write.{}.", write.name),
                &write.metrics,
            );
        }
        for read in &self.reads {
            let prefix = format!("read.{}.", read.name);
            let costs = read.costs().into_iter();
            measures.extend(costs.map(|(id, cost)| (format!("{prefix}{}", id.name()), cost)));
            numbers(&mut measures, &prefix, &read.metrics);
            for (part, measure) in read.response_ms.iter().flatten() {
                measures.push((format!("{prefix}response_ms.{part}"), measure));
            }
        }
        for neighbour in &self.neighbours {
            let prefix = format!("neighbour.{}.", neighbour.name);
            numbers(&mut measures, &prefix, &neighbour.metrics);
        }
        measures
    }

    /// The measure at `path`, of those in [`StrategyResult::measures`].
    pub fn measure(&self, path: &str) -> Option<&Measure> {
        let mut measures = self.measures().into_iter();
        measures
            .find(|(name, _)| name == path)
            .map(|(_, measure)| measure)
    }

    /// What the catalogue says of the metric at `path`; `None` when it has none of that name.
    pub fn definition(&self, path: &str) -> Option<&'static Definition> {
        let found = lookup(path, &self.names()).ok()?;
        Some(found.definition())
    }
}

/// The measure of that name, or the member of that family.
fn number<'a>(
    metrics: &'a BTreeMap<String, Metric>,
    name: &str,
    part: Option<Part>,
) -> Option<&'a Measure> {
    match (metrics.get(name)?, part) {
        (Metric::Number(measure), None) => Some(measure),
        (Metric::Family(members), Some(part)) => members.get(part.name()),
        _ => None,
    }
}

fn numbers<'a>(
    measures: &mut Vec<(String, &'a Measure)>,
    prefix: &str,
    metrics: &'a BTreeMap<String, Metric>,
) {
    for (name, metric) in metrics {
        match metric {
            Metric::Number(measure) => measures.push((format!("{prefix}{name}"), measure)),
            Metric::Family(members) => {
                let members = members.iter();
                measures.extend(
                    members.map(|(part, measure)| (format!("{prefix}{name}.{part}"), measure)),
                );
            }
            Metric::Word(_) => {}
        }
    }
}
