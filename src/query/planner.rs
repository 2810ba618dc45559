//! Chooses the cheapest way in which a key can serve a read. Must not know regions or servers.

use super::access_plan::{AccessPlan, Distinct, Expected};
use super::candidates::{Candidate, Stop, candidates};
use super::evidence::Evidence;
use super::question::Question;
use super::requests::{Requests, Scratch};
use super::row_counts::RowCounts;
use crate::key::{KeyPlan, Knowledge, Spread};
use crate::record::{KnownField, Schema};
use crate::time::EpochNanos;
use crate::workload::{Population, Read, ReadTarget};
use std::sync::Arc;

/// What requests cost, for comparing ways to serve a read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A Get, in seconds.
    pub get: f64,
    /// Opening a scan, in seconds.
    pub scan: f64,
    /// Each row that a scan reads, in seconds.
    pub row: f64,
}

/// What a plan is made for.
#[derive(Debug)]
pub struct PlanContext<'a, R = Population> {
    /// Stored fields.
    pub schema: &'a Schema,
    /// The instant at which the run starts.
    pub start: EpochNanos,
    /// The table's rows.
    pub population: &'a R,
    /// Targets that costs are averaged over.
    pub sample: &'a [ReadTarget<'a>],
    /// What requests cost.
    pub costs: Costs,
}

/// Plans a read: the way with the least mean cost over the sample; of equal ones the first of [`super::AccessPath`]'s order.
pub fn plan<R: RowCounts>(
    key: &Arc<KeyPlan>,
    read: &Read,
    context: &PlanContext<'_, R>,
) -> AccessPlan {
    let question = Arc::new(Question::new(key, read, context.schema, context.start));
    let names: Arc<[String]> = context
        .schema
        .fields
        .iter()
        .map(|field| field.name.clone())
        .collect();
    let mut ways = candidates(key, context.schema, &question, context.sample.first());
    if question.by_index.is_some() {
        // The index names whole keys.
        ways.truncate(1);
        for way in &mut ways {
            way.stop = Stop::Key;
            way.dimensions.clear();
            way.requests = f64::from(question.by_index.unwrap_or(1));
        }
    }
    ways.sort_by(|a, b| a.requests.total_cmp(&b.requests));
    let distinct = distinct_rows(key, &question, context);
    let mut requests = Requests::default();
    let mut best: Option<(f64, AccessPlan)> = None;
    for way in ways {
        // Opening its requests alone costs more.
        let least = way.requests * context.costs.get.min(context.costs.scan);
        if best.as_ref().is_some_and(|(cost, _)| least > *cost) {
            break;
        }
        let mut plan = AccessPlan::new(key, way, &question, &names);
        plan.distinct = distinct;
        let most = best.as_ref().map_or(f64::INFINITY, |(cost, _)| *cost);
        let cost = cost(&mut plan, context, most, &mut requests);
        let better = best.as_ref().is_none_or(|(least, before)| {
            cost.total_cmp(least)
                .then(plan.path().cmp(&before.path()))
                .is_lt()
        });
        if better {
            best = Some((cost, plan));
        }
    }
    let (_, plan) = best.expect("reading the whole table is always a way");
    plan
}

/// Number of different keys for each operation that has written one. The targets are rows, each equally likely: one whose key m
/// operations have written stands for 1 / m of a key.
fn distinct_rows<R: RowCounts>(
    key: &KeyPlan,
    question: &Question,
    context: &PlanContext<'_, R>,
) -> Distinct {
    let mut known = Knowledge::default();
    for field in key.fields() {
        known.learn(KnownField::Stored(field));
    }
    let whole = Candidate {
        dimensions: Vec::new(),
        stop: Stop::Key,
        known,
        coarse: Vec::new(),
        requests: 1.0,
    };
    let evidence = Evidence::new(key, &whole, question);
    let drawn = key.segments().iter();
    let drawn = drawn.filter(|segment| segment.spread() == Spread::Random);
    let values: f64 = drawn
        .map(|segment| segment.cardinality().map_or(f64::INFINITY, |n| n as f64))
        .product();
    let mut scratch = Scratch::default();
    let mut mean = |wanted_only: bool| {
        let keys = context.sample.iter().map(|target| {
            scratch.record.clear();
            scratch.record.extend_from_slice(target.record);
            let Scratch {
                record,
                grain,
                bands,
                ..
            } = &mut scratch;
            question.resolve(target, record, grain, bands);
            let (rows, at) = (context.population, (target.record, target.at));
            let same = evidence.rows(question, rows, at, wanted_only, &mut scratch);
            1.0 / (1.0 + (same - 1.0).max(0.0) / values)
        });
        keys.sum::<f64>() / context.sample.len().max(1) as f64
    };
    Distinct {
        all: mean(false),
        wanted: mean(true),
    }
}

/// Mean cost of one read in seconds; sets what is expected of it. Infinite, and nothing is set, when it is more than `most`.
fn cost<R: RowCounts>(
    plan: &mut AccessPlan,
    context: &PlanContext<'_, R>,
    most: f64,
    requests: &mut Requests,
) -> f64 {
    let Costs { get, scan, row } = context.costs;
    let mut sum = Expected::default();
    let mut seconds = 0.0;
    for target in context.sample {
        plan.requests(target, context.population, requests);
        let scanned: f64 = requests.scans.iter().map(|scan| scan.rows_read).sum();
        seconds +=
            requests.gets.len() as f64 * get + requests.scans.len() as f64 * scan + scanned * row;
        if seconds > most * context.sample.len() as f64 {
            return f64::INFINITY;
        }
        sum.requests += requests.len() as f64;
        sum.rows_read += requests.rows_read();
        sum.rows_returned += requests.rows_returned;
    }
    let reads = context.sample.len().max(1) as f64;
    plan.expected = Expected {
        seconds: seconds / reads,
        requests: sum.requests / reads,
        rows_read: sum.rows_read / reads,
        rows_returned: sum.rows_returned / reads,
    };
    seconds / reads
}
