//! One strategy made concrete, nothing simulated: split points, predicted shares, key buckets of the key map, bytes, lints.
//!
//! Must not simulate; what it predicts comes from samples of the records and from the key plan.

mod change_lints;
mod explanation;
mod few_values;
mod key_lints;
mod key_sample;
mod keyed_table;
mod load_lints;
mod misplaced;
mod plan_layout;
mod read_forecast;
mod replicate;
mod retention;
mod row_growth;
mod run_layout;
mod size_findings;
mod stale_copies;
mod starting_regions;
mod table_sample;
mod table_size;
mod time_neighbours;
mod types;

pub use change_lints::change_lints;
pub use explanation::{Explanation, PrefixShare, RegionCauses, SampleKey};
pub use load_lints::load_lints;
pub use misplaced::misplaced_regions;
pub use replicate::Replicate;
pub use retention::Retention;
pub use run_layout::RunLayout;
pub use size_findings::size_findings;
pub use table_sample::{StrategySample, TableSample};
pub use table_size::{
    EncodedSize, KeyBytes, MemstoreBudget, SegmentBytes, StrategySize, TableSize,
};
pub use types::{EntityShare, KeyBucket, Layout, ReadForecast, RegionForecast};

#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod table_size_tests;
#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
