//! What one run leaves behind: complete, plain, and written to a file and read again without loss. Must not know other runs or
//! strategies.

use super::{Counts, HottestServer, MetricId, Response, SeriesEvent};
use crate::statistics::ExpectedPeak;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Index;

/// What was measured of a run, or of one of its operations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scalars(#[serde(serialize_with = "finite")] BTreeMap<MetricId, Option<f64>>);

impl Scalars {
    /// The value of a metric; `None` when it is undefined, or was not measured.
    pub fn get(&self, id: MetricId) -> Option<f64> {
        self.0.get(&id).copied().flatten()
    }

    /// A metric was measured; `None` is undefined.
    pub fn set(&mut self, id: MetricId, value: Option<f64>) {
        self.0.insert(id, value);
    }

    /// What was measured, by name.
    pub fn ids(&self) -> impl Iterator<Item = MetricId> + '_ {
        self.0.keys().copied()
    }
}

/// Of a metric that was measured.
impl Index<MetricId> for Scalars {
    type Output = Option<f64>;

    fn index(&self, id: MetricId) -> &Option<f64> {
        &self.0[&id]
    }
}

/// JSON has no word for infinity: a metric that is not defined is `None`.
fn finite<S: Serializer>(
    scalars: &BTreeMap<MetricId, Option<f64>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let is_odd = |value: &Option<f64>| value.is_some_and(|value| !value.is_finite());
    match scalars.iter().find(|(_, value)| is_odd(value)) {
        Some((id, _)) => Err(S::Error::custom(format!(
            "`{}` is no finite number",
            id.name()
        ))),
        None => scalars.serialize(to),
    }
}

/// What was measured of one operation of the workload.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OperationRun {
    /// Of the whole run.
    pub counts: Counts,
    /// Its rates and fractions (`write_offered_per_sec`, ...); of a write its makespan too, of a read what it costs.
    pub metrics: Scalars,
    /// Response times of the cohort.
    pub response: Response,
}

/// The operations of a side: all writes, all reads, or what all neighbours do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SideRun {
    /// Of all of them together.
    pub counts: Counts,
    /// Response times of the cohort.
    pub response: Response,
    /// Peak-to-mean that a perfect spread of as much demand an interval would show by chance.
    pub even_peak: Option<ExpectedPeak>,
    /// Of each that the workload has, in file order.
    pub each: Vec<OperationRun>,
}

/// One run's results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunResult {
    /// Of all writes together (`server_max_share`, `write_failed_fraction`, ...), and of all reads together when there are any
    /// (`read_server_max_share`, `read_failed_fraction`, ...), likewise of all neighbours (`neighbour_failed_fraction`, ...).
    pub metrics: Scalars,
    /// Rows that are written.
    pub writes: SideRun,
    /// Reads.
    pub reads: SideRun,
    /// What neighbours do.
    pub neighbours: SideRun,
    /// Writes and reads together, when there are reads.
    pub hottest: Option<HottestServer>,
    /// Events that the engine planned: what the run took to simulate.
    #[serde(default)]
    pub events: u64,
    /// Kept when the recorder was asked for it (replicate 0).
    pub series: Option<Series>,
}

/// Time series of one run, at most 600 intervals x 512 key buckets (several sample intervals are summed into one
/// when there are more).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Length of an interval in milliseconds.
    pub interval_ms: f64,
    /// Where interval 0 would start, in milliseconds: zero, or negative when the first interval is cut by the start of the run, so
    /// that one starts exactly at the end of the warm-up. Interval i covers `origin_ms + i * interval_ms ..`.
    #[serde(default)]
    pub origin_ms: f64,
    /// Index of the first interval that lies in the measurement window.
    pub window_start: usize,
    /// Demand in rows, `[interval][server]`.
    pub server_demand: Vec<Vec<u64>>,
    /// Rows completed, `[interval][server]`.
    pub server_completed: Vec<Vec<u64>>,
    /// Mean response time in milliseconds of the writes completed in each interval, whenever intended; `None` where there is none. Empty without
    /// writes, and in results of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write_response_ms: Vec<Option<f64>>,
    /// Calls refused, `[interval][server]`.
    pub server_refused: Vec<Vec<u64>>,
    /// Fraction of handlers busy, `[interval][server]`.
    pub server_utilisation: Vec<Vec<f64>>,
    /// Demand in rows, `[interval][key bucket]`.
    pub key_demand: Vec<Vec<u64>>,
    /// Demand in rows of the whole window, by region.
    pub region_demand: Vec<u64>,
    /// Read demand, `[interval][server]`; empty without reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_read_demand: Vec<Vec<u64>>,
    /// Handler time that reads ask for, as a fraction of what all handlers have, `[interval][server]`; empty without reads, and in results of
    /// older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_read_work: Vec<Vec<f64>>,
    /// The same of what neighbours do; empty without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_neighbour_work: Vec<Vec<f64>>,
    /// Read demand of the whole window, by region; empty without reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_region_demand: Vec<u64>,
    /// (k, share of the demand on the k hottest regions), mean over the window's intervals with enough demand, k log-spaced up to all
    /// regions; of reads when nothing is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top_regions: Vec<(u64, f64)>,
    /// Server that serves each region at the start of the run; those of neighbours come last.
    pub region_server: Vec<u32>,
    /// What happened to regions and servers, in order of time: at most 2,000 of each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<SeriesEvent>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scalars_are_read_bit_by_bit(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let mut written = Scalars::default();
            written.set(MetricId::Makespan, Some(value));
            written.set(MetricId::Splits, None);
            let all = vec![written, Scalars::default()];
            let read: Vec<Scalars> = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
            prop_assert_eq!(read[0][MetricId::Makespan].unwrap().to_bits(), bits);
            prop_assert_eq!(read[0][MetricId::Splits], None);
            prop_assert_eq!((read[0].ids().count(), read[1].ids().count()), (2, 0));
        }
    }

    #[test]
    fn what_can_not_be_kept_is_refused() {
        let mut odd = Scalars::default();
        odd.set(MetricId::Makespan, Some(f64::NAN));
        let error = serde_json::to_string(&odd).unwrap_err();
        assert_eq!(error.to_string(), "`makespan_ms` is no finite number");
        let error = serde_json::from_str::<Scalars>(r#"{"makespn_ms": 3}"#);
        let error = error.err().unwrap().to_string();
        assert!(
            error.contains("no metric is called `makespn_ms`"),
            "{error}"
        );
    }
}
