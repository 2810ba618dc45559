//! The workload: which operations are intended, when, on which records.
//!
//! Must not know keys: that every strategy meets the same operations is what makes comparisons paired.
//!
//! [`OpenArrivals`] makes what is intended whatever happens, [`ClosedSource`] what a client does when it is told to go on;
//! [`ExistingSample`] and [`RunSample`] show some of the rows without running anything.

mod cells_over_time;
mod combinations;
mod dependent_shares;
#[cfg(test)]
mod distinct_tests;
mod drawn_count;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod import_tests;
#[cfg(test)]
mod imported_tests;
mod kept_writes;
mod made_records;
mod made_values;
mod marginals;
#[cfg(test)]
mod materialised_table_fixture;

#[cfg(test)]
mod open_tests;
mod operations;
mod page_rows;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod pick_tests;
mod population;
#[cfg(test)]
mod population_tests;
mod rate_profile;
mod read_batch;
mod read_source;
#[cfg(test)]
mod read_tests;
mod row_count;
mod row_counter;
mod row_history;
mod row_question;
mod row_shape;
mod row_source;
mod sample;
#[cfg(test)]
mod sample_tests;
mod shared_numbers;
mod sorted_rows;
mod spec;
mod table_rows;
mod target_picker;
#[cfg(test)]
mod together_tests;
mod told_values;
mod value_lists;
mod values_together;
mod volume;
mod writes_of_cells;

pub use operations::{ClosedSource, OpenArrivals, OperationBatch};
pub use population::Population;
pub use read_batch::{PageRows, ReadBatch, ReadTarget, RowWrite};
pub use read_source::ReadSource;
pub use row_counter::RowCounter;
pub use row_question::{Condition, MadeClass, Recipe, RowCounts, RowEquality, ToldField, Turns};
pub use sample::{Choice, EXISTING_LANE, ExistingSample, RunSample};
pub use spec::{
    Arrivals, ClosedLoopLimits, Existing, ExistingRows, Import, ImportOrder, ImportRows, LoadModel,
    Newest, OperationId, Page, PageVia, Periodic, Phase, PickDistribution, ProfilePoint,
    RangeExtent, Read, ReadId, ReadLoadModel, ReadRange, Think, Within, WithinValues, Workload,
    Write, WriteId, WriteKind,
};
pub use table_rows::INDEXED_MAX;
pub use value_lists::LIST_MAX;
