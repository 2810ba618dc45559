//! One strategy made concrete, nothing simulated: split points, predicted shares, key buckets of the key map, bytes, lints.
//!
//! Must not simulate; what it predicts comes from samples of the records and from the key plan.

mod cluster_lints;
mod existing_cells;
mod explanation;
mod family_size;
mod hottest_row;
mod key_lints;
mod key_sample;
mod laid_table;
mod neighbours;
mod plan_layout;
mod read_forecast;
mod recurrence;
mod replay;
mod replicate;
mod retention;
mod row_columns;
mod row_growth;
mod size_findings;
mod stored_cells;
mod table_cells;
mod table_size;
mod time_neighbours;
mod types;

pub use cluster_lints::{change_lints, load_lints, misplaced_regions};
pub use explanation::{Explanation, RegionCauses, SampleKey};
pub use family_size::{EncodedSize, FamilySize, KeyBytes};
pub use plan_layout::KEY_MAP_ROWS;
pub use recurrence::recurrence;
pub use replay::{Asks, ExistingRow, Replay, Replayed, ScanRange};
pub use replicate::Replicate;
pub use retention::{ReadGrowth, Retention};
pub use row_growth::{rows_made, rows_without_collisions, versions_of_current};
pub use size_findings::size_findings;
pub use stored_cells::stored_cells;
pub use table_size::{StrategySample, StrategySize, TableSize};
pub use types::{
    CopyForecast, EntityShare, HottestRow, KeyBucket, Layout, ReadForecast, RegionForecast,
    RunLayout,
};

#[cfg(test)]
mod cell_writes_tests;
#[cfg(test)]
mod composed_keys_tests;
#[cfg(test)]
mod counted_numbers_tests;
#[cfg(test)]
mod counted_rows_tests;
#[cfg(test)]
mod existing_cells_tests;
#[cfg(test)]
mod family_size_tests;
#[cfg(test)]
mod ordered_reads_tests;
#[cfg(test)]
mod overwritten_rows_tests;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod table_size_tests;
#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
#[cfg(test)]
mod told_parts_tests;
