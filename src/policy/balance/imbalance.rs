//! The stochastic balancer's cost of a placement: functions, weights, sum and threshold. Must not know how a function is computed.

use std::fmt;

/// HBase's cost functions that count without region replicas (`StochasticLoadBalancer.createCostFunctions`), in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostFunction {
    /// Region counts of the servers.
    RegionCountSkew,
    /// Regions that would move.
    Move,
    /// Blocks on other servers; 0 here, where every region's files are local.
    ServerLocality,
    /// Blocks in other racks; 0 here.
    RackLocality,
    /// Region counts of each table, summed.
    TableSkew,
    /// Reads.
    ReadRequest,
    /// Rows written.
    WriteRequest,
    /// Growth of memstores.
    MemstoreSize,
    /// Sizes of store files.
    StoreFile,
}

impl CostFunction {
    /// All, in HBase's order.
    pub const ALL: [Self; 9] = [
        Self::RegionCountSkew,
        Self::Move,
        Self::ServerLocality,
        Self::RackLocality,
        Self::TableSkew,
        Self::ReadRequest,
        Self::WriteRequest,
        Self::MemstoreSize,
        Self::StoreFile,
    ];

    /// The setting of its weight; HBase's property is `hbase.master.balancer.stochastic.regionCountCost` and so on.
    pub fn setting(self) -> &'static str {
        match self {
            Self::RegionCountSkew => "region_count_cost",
            Self::Move => "move_cost",
            Self::ServerLocality => "locality_cost",
            Self::RackLocality => "rack_locality_cost",
            Self::TableSkew => "table_skew_cost",
            Self::ReadRequest => "read_request_cost",
            Self::WriteRequest => "write_request_cost",
            Self::MemstoreSize => "memstore_size_cost",
            Self::StoreFile => "storefile_size_cost",
        }
    }
}

/// Weight of each cost function, >= 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostWeights([f32; CostFunction::ALL.len()]);

impl Default for CostWeights {
    /// HBase's, 602 in all.
    fn default() -> Self {
        Self([500.0, 7.0, 25.0, 15.0, 35.0, 5.0, 5.0, 5.0, 5.0])
    }
}

impl CostWeights {
    /// The weight of one function.
    pub fn of(&self, function: CostFunction) -> f32 {
        self.0[function as usize]
    }

    /// The same with another weight of one function.
    pub fn with(mut self, function: CostFunction, weight: f32) -> Self {
        self.0[function as usize] = weight;
        self
    }

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
        let weighted = self.weights.0.iter().zip(&self.costs);
        weighted
            .map(|(&weight, cost)| f64::from(weight) * cost)
            .sum()
    }

    /// Points over the sum of weights.
    pub fn mean(&self) -> f64 {
        self.points() / f64::from(self.weights.sum())
    }

    /// Whether it is below the threshold, so that it starts no balancer.
    pub fn is_balanced(&self) -> bool {
        self.mean() < f64::from(self.threshold)
    }

    /// Cost of one function.
    pub fn cost(&self, function: CostFunction) -> f64 {
        self.costs[function as usize]
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

    fn with(costs: &[(CostFunction, f64)]) -> Imbalance {
        let mut imbalance = Imbalance {
            weights: CostWeights::default(),
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
            assert!(function.setting().ends_with("_cost"));
        }
        let weights = CostWeights::default();
        assert_eq!(weights.sum(), 602.0);
        assert_eq!(weights.of(CostFunction::TableSkew), 35.0);
        let dear = weights.with(CostFunction::WriteRequest, 400.0);
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
        let none = CostFunction::ALL
            .into_iter()
            .fold(CostWeights::default(), |weights, function| {
                weights.with(function, 0.0)
            });
        let at = |cost| Imbalance {
            weights: none.with(WriteRequest, 4.0).with(ReadRequest, 12.0),
            threshold: 0.25,
            ..with(&[(WriteRequest, cost)])
        };
        assert_eq!(at(1.0).to_string(), "4/16 = 0.2500 >= 0.25");
        assert_eq!(at(1.0 - 1e-6).to_string(), "4/16 = 0.2499 < 0.25");
    }
}
