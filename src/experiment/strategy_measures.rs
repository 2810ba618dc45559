//! All measures of a strategy by their dotted paths, wherever they stand in its results. Must not know how they look.

use super::{Measure, Metric, StrategyResult};
use crate::metrics::{Definition, OperationNames, lookup};
use std::collections::BTreeMap;

impl StrategyResult {
    /// The class of hotspot of the writes, or of the reads where nothing is written; `None` when it can't be told.
    pub fn hotspot(&self) -> Option<&str> {
        let name = match self.writes.is_empty() && !self.reads.is_empty() {
            true => "read_hotspot",
            false => "hotspot",
        };
        match self.metrics.get(name)? {
            Metric::Word(word) => Some(word),
            _ => None,
        }
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
            for (name, cost) in [
                ("calls_planned", &read.calls_planned),
                ("regions", &read.regions),
                ("rows_planned", &read.rows_planned),
                ("rows_returned", &read.rows_returned),
                ("calls", &read.calls),
                ("rows_read", &read.rows_read),
            ] {
                measures.push((format!("{prefix}{name}"), cost));
            }
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
        let names = OperationNames {
            writes: self.writes.iter().map(|it| it.name.as_str()).collect(),
            reads: self.reads.iter().map(|it| it.name.as_str()).collect(),
            neighbours: self.neighbours.iter().map(|it| it.name.as_str()).collect(),
        };
        lookup(path, &names).ok().map(|found| found.definition)
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
