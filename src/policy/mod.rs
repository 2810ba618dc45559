//! Pure deciders, exactly as HBase decides: where a table is split before anything is written; when and where a region is split or
//! merged; when a memstore is flushed, held or refuses; which store files are compacted; which regions move.
//!
//! Must not act, nor know servers, runs or scenario files: keys and numbers in, a verdict with its reason out.

pub mod balance;

mod blocked_rate;
mod bytes_split;
mod compaction_choice;
mod create_command;
mod memstore_rules;
mod normalizer;
mod number_string_split;
mod quantile_points;
mod region_memory;
mod region_policies;
mod split_algorithm;
mod split_error;
mod split_point_check;
mod split_policy;
mod split_row;
mod starting_points;

pub use blocked_rate::BlockedRate;
pub use bytes_split::{UniformSplit, create_table_points, split_bytes};
pub use compaction_choice::{
    CompactionFile, CompactionRules, LARGE_COMPACTION_BYTES, compaction_limit, compaction_pressure,
};
pub use create_command::create_command;
pub use memstore_rules::{
    FlushCandidate, FlushVerdict, MemstoreRules, RegionMemstore, ServerMemstore,
};
pub use normalizer::{
    NORMALIZING, NormalizedRegion, NormalizerPlan, NormalizerRules, NormalizerSpec,
};
pub use number_string_split::NumberStringSplit;
pub use quantile_points::{quantile_points, quantile_ranks};
pub use region_memory::check_memory;
pub use region_policies::{BALANCER, RegionPolicies};
pub use split_algorithm::{SplitAlgorithm, UnknownAlgorithm, bucket_points};
pub use split_error::SplitError;
pub use split_point_check::{SplitPointError, check_split_points};
pub use split_policy::{
    BusyRules, MAX_FILE_SIZE_JITTER, SPLITTING, SplitCandidate, SplitPolicy, SplitReason,
    SplitSizes, SplitVerdict,
};
pub use split_row::{NoSplitRow, SampledFile, check_split_row, split_row};
pub use starting_points::{GrownTable, Growth};
