//! Chooses the cheapest way in which a key can serve a read. Must not know regions or servers.

use super::access_plan::AccessPlan;
use super::candidates::{Stop, candidates};
use super::costs::{Costs, Expected};
use super::longer_values::ValueBeginnings;
use super::question::Question;
use super::requests::Requests;
use super::row_counts::RowCounts;
use super::row_identity::RowIdentity;
use crate::key::KeyPlan;
use crate::record::Schema;
use crate::time::EpochNanos;
use crate::workload::{Population, Read, ReadTarget};
use std::sync::Arc;

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
    let identity = Arc::new(RowIdentity::of(key, context.schema));
    let beginnings: Vec<Option<Arc<ValueBeginnings>>> = (0..key.segments().len())
        .map(|segment| {
            let open = !key.is_delimited(segment);
            let beginnings = open.then(|| ValueBeginnings::of(key, segment, context.schema));
            beginnings.flatten().map(Arc::new)
        })
        .collect();
    let mut requests = Requests::default();
    let mut best: Option<(f64, AccessPlan)> = None;
    for way in ways {
        // Opening its requests alone costs more.
        let least = way.requests * context.costs.get.min(context.costs.scan);
        if best.as_ref().is_some_and(|(cost, _)| least > *cost) {
            break;
        }
        let mut plan = AccessPlan::new(key, way, &question, &names, &identity, &beginnings);
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

/// Mean cost of one read in seconds; sets what is expected of it. Infinite, and nothing is set, when it is more than `most`.
fn cost<R: RowCounts>(
    plan: &mut AccessPlan,
    context: &PlanContext<'_, R>,
    most: f64,
    requests: &mut Requests,
) -> f64 {
    let mut sum = Expected::default();
    for target in context.sample {
        plan.requests(target, context.population, requests);
        sum.add(requests, context.costs);
        if sum.seconds > most * context.sample.len() as f64 {
            return f64::INFINITY;
        }
    }
    plan.expected = sum.of_one(context.sample.len());
    plan.expected.seconds
}
