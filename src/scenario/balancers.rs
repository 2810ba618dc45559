//! `[balancer]`: which one, how often it runs, and what it weighs. Must not know how it decides.

use super::clock::value_place;
use super::reader::Reader;
use crate::policy::RegionPolicies;
use crate::policy::balance::{
    Balancer, CostFunction, CostWeights, LoadBalancer, SimpleBalancer, StochasticBalancer,
};
use crate::time::SimDuration;
use crate::units::{Nanos, PerSecond};

/// HBase's default balancer.
pub(super) const DEFAULT: &str = "stochastic";

/// What only some balancers take.
pub(super) const SETTINGS: [&str; 13] = [
    "samples",
    "meta_reads",
    "slop",
    "min_cost_need_balance",
    "region_count_cost",
    "move_cost",
    "locality_cost",
    "rack_locality_cost",
    "table_skew_cost",
    "read_request_cost",
    "write_request_cost",
    "memstore_size_cost",
    "storefile_size_cost",
];

/// Weights of the stochastic balancer: setting, function, HBase's default.
const WEIGHTS: [(&str, CostFunction, &str); 9] = [
    ("region_count_cost", CostFunction::RegionCountSkew, "500.0"),
    ("move_cost", CostFunction::Move, "7.0"),
    ("locality_cost", CostFunction::ServerLocality, "25.0"),
    ("rack_locality_cost", CostFunction::RackLocality, "15.0"),
    ("table_skew_cost", CostFunction::TableSkew, "35.0"),
    ("read_request_cost", CostFunction::ReadRequest, "5.0"),
    ("write_request_cost", CostFunction::WriteRequest, "5.0"),
    ("memstore_size_cost", CostFunction::MemstoreSize, "5.0"),
    ("storefile_size_cost", CostFunction::StoreFile, "5.0"),
];

/// Shortest time between two runs: servers report their loads every few seconds (`hbase.regionserver.msginterval`).
const SHORTEST: SimDuration = SimDuration::from_secs(1);
const LONGEST: SimDuration = SimDuration::from_secs(365 * 86_400);
/// Shortest time between two load samples: that of a scenario in which time runs six hundred times as fast as in HBase (estimate).
const SHORTEST_SAMPLES: SimDuration = SimDuration::from_millis(100);

/// More than a server of HBase answers (estimate).
const MOST_META_READS: PerSecond = PerSecond(1e6);

/// What `[balancer]` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Balancing {
    pub(super) balancer: Balancer,
    /// How often it runs.
    pub(super) period: SimDuration,
    /// How often the loads of regions reach it; the default where it asks for none.
    pub(super) samples: SimDuration,
    /// Reads of `hbase:meta`; the default where it asks for no loads.
    pub(super) meta_reads: PerSecond,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Word {
    None,
    Simple,
    Stochastic,
    Load,
}

/// Reads `[balancer]`.
pub(super) fn read_balancer(balancer: Reader<'_>) -> Balancing {
    let words = [
        ("none", Word::None),
        ("simple", Word::Simple),
        ("stochastic", Word::Stochastic),
        ("load", Word::Load),
    ];
    let errors = balancer.sink.errors();
    let word = balancer.word_or("policy", &words, DEFAULT);
    let known = balancer.sink.errors() == errors;
    let period = read_time(&balancer, "period", "300s", SHORTEST);
    if !known {
        for key in SETTINGS {
            balancer.entry(key);
        }
    }
    let RegionPolicies {
        balancer_samples: mut samples,
        mut meta_reads,
        ..
    } = RegionPolicies::default();
    let found = match word {
        _ if !known => Balancer::None,
        Word::None => Balancer::None,
        Word::Simple => Balancer::Simple(SimpleBalancer {
            slop: read_slop(&balancer),
        }),
        Word::Stochastic => {
            samples = read_time(&balancer, "samples", "60s", SHORTEST_SAMPLES);
            meta_reads = read_meta_reads(&balancer);
            Balancer::Stochastic(read_stochastic(&balancer))
        }
        Word::Load => Balancer::Load(LoadBalancer::default()),
    };
    if known {
        for key in SETTINGS {
            let (owner, label) = if key == "slop" {
                let owner = matches!(word, Word::Simple | Word::Stochastic);
                (owner, "needs `policy = \"simple\"` or `\"stochastic\"`")
            } else {
                let owner = word == Word::Stochastic;
                (owner, "needs `policy = \"stochastic\"`")
            };
            if !owner {
                balancer.meaningless(key, label);
            }
        }
    }
    balancer.finish();
    Balancing {
        balancer: found,
        period,
        samples,
        meta_reads,
    }
}

fn read_meta_reads(balancer: &Reader<'_>) -> PerSecond {
    let rate: PerSecond = balancer.unit_or("meta_reads", "1/s");
    if rate > MOST_META_READS {
        balancer.sink.error(
            &value_place(balancer, "meta_reads"),
            format!("`balancer.meta_reads` is {} a second", rate.0),
            "must be at most 1M/s",
        );
    }
    rate
}

/// A time between two of the balancer's steps, of `shortest` at least.
fn read_time<'a>(
    balancer: &Reader<'a>,
    key: &'a str,
    default: &str,
    shortest: SimDuration,
) -> SimDuration {
    let time = balancer.duration_or(key, default);
    if !(shortest..=LONGEST).contains(&time) {
        balancer.sink.error(
            &value_place(balancer, key),
            format!("`balancer.{key}` is {}", Nanos(time.as_nanos())),
            format!("must be in {} ..= 365d", Nanos(shortest.as_nanos())),
        );
    }
    time
}

fn read_slop(balancer: &Reader<'_>) -> f32 {
    let share = |slop: f64| (0.0..=1.0).contains(&slop);
    balancer.number_or("slop", "in [0, 1]", share, "0.2") as f32
}

fn read_stochastic(balancer: &Reader<'_>) -> StochasticBalancer {
    let slop = read_slop(balancer);
    let min_cost = balancer.number_or(
        "min_cost_need_balance",
        "in [0, 1]",
        |cost| (0.0..=1.0).contains(&cost),
        "0.025",
    );
    let mut weights = CostWeights::default();
    let mut last = None;
    for (key, function, default) in WEIGHTS {
        let weight = balancer.number_or(
            key,
            "in [0, 1000000]",
            |weight| (0.0..=1e6).contains(&weight),
            default,
        );
        if balancer.has(key) {
            last = Some(key);
        }
        weights = weights.with(function, weight as f32);
    }
    if weights.sum() == 0.0
        && let Some(key) = last
    {
        balancer.sink.error(
            &value_place(balancer, key),
            "all weights are zero",
            "a balancer weighs at least one cost",
        );
    }
    StochasticBalancer {
        weights,
        min_cost: min_cost as f32,
        slop,
        ..StochasticBalancer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::{Place, Table};
    use super::super::sink::Sink;
    use super::*;

    #[test]
    fn what_the_file_does_not_say_is_hbases() {
        let (sink, empty) = (Sink::default(), Table::default());
        let reader = Reader::new(&sink, Some(&empty), Place::File(0..0), "balancer");
        let hbase = RegionPolicies::default();
        let expected = Balancing {
            balancer: hbase.balancer,
            period: hbase.balancer_period,
            samples: hbase.balancer_samples,
            meta_reads: hbase.meta_reads,
        };
        assert_eq!(read_balancer(reader), expected);
        assert_eq!(sink.errors(), 0);
    }
}
