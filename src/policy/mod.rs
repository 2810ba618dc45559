//! Pure deciders, exactly as HBase decides: where a table is split before anything is written; when and where a region is split or
//! merged; when a memstore is flushed, held or refuses; which store files are compacted; which regions move.
//!
//! Must not act, nor know servers, runs or scenario files: keys and numbers in, a verdict with its reason out.

pub mod balance;

mod blocked_rate;
mod compaction_choice;
mod memstore_rules;
mod normalizer;
mod region_policies;
mod sampled_points;
mod split_algorithm;
mod split_formats;
mod split_points;
mod split_policy;
mod split_row;
mod starting_points;

pub use blocked_rate::BlockedRate;
pub use compaction_choice::{
    CompactionFile, CompactionRules, LARGE_COMPACTION_BYTES, LONGEST_MAJOR_PERIOD,
    MAJOR_CHECKS_EVERY, compaction_limit, compaction_pressure, major_compaction_period,
    met_major_period,
};
pub use memstore_rules::{
    FamilyMemstore, FlushCandidate, FlushVerdict, MemstoreRules, RegionMemstore, ServerMemstore,
};
pub use normalizer::{
    NORMALIZING, NormalizedRegion, NormalizerPlan, NormalizerRules, NormalizerSpec,
};
pub use region_policies::{BALANCER, RegionPolicies};
pub use sampled_points::{SampledSplit, SplitFit, region_weights, sampled_points, split_fits};
pub use split_algorithm::{
    NumberStringSplit, SplitAlgorithm, SplitError, bucket_points, check_memory,
    create_table_points, split_bytes, uniform_points,
};
pub use split_formats::{SPLIT_FORMATS, SplitFormat};
pub use split_points::{check_split_points, create_command, quantile_points, quantile_ranks};
pub use split_policy::{
    BUSY, MAX_FILE_SIZE_JITTER, SPLITTING, SplitCandidate, SplitPolicy, SplitReason, SplitSizes,
};
pub use split_row::{NoSplitRow, SampledFile, check_split_row, split_row};
pub use starting_points::{Expiry, GrownTable, Growth};
