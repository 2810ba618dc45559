//! The stochastic balancer's cost of a placement: functions, weights, sum and threshold. Must not know how a function is computed.

use crate::text::words;
use std::fmt;

// The setting of each one's weight; HBase's property is `hbase.master.balancer.stochastic.regionCountCost` and so on.
words! {
    /// HBase's cost functions that count without region replicas (`StochasticLoadBalancer.createCostFunctions`), in its order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CostFunction {
        /// Region counts of the servers.
        RegionCountSkew = "region_count_cost",
        /// Regions that would move.
        Move = "move_cost",
        /// Blocks on other servers; 0 here, where every region's files are local.
        ServerLocality = "locality_cost",
        /// Blocks in other racks; 0 here.
        RackLocality = "rack_locality_cost",
        /// Region counts of each table, summed.
        TableSkew = "table_skew_cost",
        /// Reads.
        ReadRequest = "read_request_cost",
        /// Rows written.
        WriteRequest = "write_request_cost",
        /// Growth of memstores.
        MemstoreSize = "memstore_size_cost",
        /// Sizes of store files.
        StoreFile = "storefile_size_cost",
    }
}

/// Weight of each cost function, >= 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostWeights(pub [f32; CostFunction::ALL.len()]);

impl CostWeights {
    /// Sum of the weights.
    pub fn sum(&self) -> f32 {
        self.0.iter().sum()
    }
}

/// What a placement costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Imbalance {
    /// Weights of the functions.
    pub weights: CostWeights,
    /// Cost of each function, in the order of [`CostFunction::ALL`]: 0 to 1 (table skew: to the number of tables).
    pub costs: [f64; CostFunction::ALL.len()],
    /// From which weighted mean on the balancer starts (`hbase.master.balancer.stochastic.minCostNeedBalance`).
    pub threshold: f32,
}

impl Imbalance {
    /// Sum of weight times cost.
    pub fn points(&self) -> f64 {
        let weighted = |(&weight, cost): (&f32, &f64)| f64::from(weight) * cost;
        let costs = self.weights.0.iter().zip(&self.costs);
        costs.map(weighted).sum()
    }

    /// Points over the sum of weights.
    pub fn mean(&self) -> f64 {
        self.points() / f64::from(self.weights.sum())
    }

    /// Whether it is below the threshold, so that it starts no balancer.
    pub fn is_balanced(&self) -> bool {
        self.mean() < f64::from(self.threshold)
    }
}

impl fmt::Display for Imbalance {
    /// `15/602 = 0.0249 < 0.025`. The mean is cut to four digits, not rounded: one below the threshold never reads as the threshold.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = (self.points() * 100.0).round() / 100.0;
        let mean = (self.mean() * 1e4).floor() / 1e4;
        let relation = if self.is_balanced() { "<" } else { ">=" };
        let (weights, threshold) = (self.weights.sum(), self.threshold);
        write!(
            formatter,
            "{points}/{weights} = {mean:.4} {relation} {threshold}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HBASE: CostWeights = CostWeights([500.0, 7.0, 25.0, 15.0, 35.0, 5.0, 5.0, 5.0, 5.0]);

    fn with(costs: &[(CostFunction, f64)]) -> Imbalance {
        let mut imbalance = Imbalance {
            weights: HBASE,
            costs: [0.0; 9],
            threshold: 0.025,
        };
        for &(function, cost) in costs {
            imbalance.costs[function as usize] = cost;
        }
        imbalance
    }

    #[test]
    fn functions_stand_in_their_order_and_weigh_602() {
        for (at, function) in CostFunction::ALL.into_iter().enumerate() {
            assert_eq!(function as usize, at);
            assert!(function.name().ends_with("_cost"));
        }
        let weights = HBASE;
        assert_eq!(weights.sum(), 602.0);
        assert_eq!(weights.0[CostFunction::TableSkew as usize], 35.0);
        let mut dear = weights;
        dear.0[CostFunction::WriteRequest as usize] = 400.0;
        assert_eq!(dear.sum(), 997.0);
    }

    #[test]
    fn a_pure_write_hotspot_does_not_reach_the_threshold_and_its_reads_lift_it_over() {
        use CostFunction::*;
        let writes = [(WriteRequest, 1.0), (MemstoreSize, 1.0), (StoreFile, 1.0)];
        let found = with(&writes);
        assert!(found.is_balanced());
        assert_eq!(found.to_string(), "15/602 = 0.0249 < 0.025");
        let all = with(&[&writes[..], &[(ReadRequest, 1.0)]].concat());
        assert!(!all.is_balanced());
        assert_eq!(all.to_string(), "20/602 = 0.0332 >= 0.025");
        // 15.049 points are below, and are not printed as the threshold.
        let near = with(&[&writes[..], &[(ReadRequest, 0.049 / 5.0)]].concat());
        assert_eq!(near.to_string(), "15.05/602 = 0.0249 < 0.025");
    }

    #[test]
    fn a_mean_at_the_threshold_starts_the_balancer() {
        use CostFunction::*;
        let mut weights = CostWeights([0.0; 9]);
        weights.0[WriteRequest as usize] = 4.0;
        weights.0[ReadRequest as usize] = 12.0;
        let at = |cost| Imbalance {
            weights,
            threshold: 0.25,
            ..with(&[(WriteRequest, cost)])
        };
        assert_eq!(at(1.0).to_string(), "4/16 = 0.2500 >= 0.25");
        assert_eq!(at(1.0 - 1e-6).to_string(), "4/16 = 0.2499 < 0.25");
    }
}
