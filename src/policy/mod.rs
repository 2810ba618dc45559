//! Pure deciders: where a table is split before anything is written, exactly as HBase computes it.
//!
//! Must not act, nor know servers, runs or scenario files: keys and numbers in, split points or a reason out.

mod bytes_split;
mod create_command;
mod number_string_split;
mod quantile_points;
mod region_memory;
mod split_algorithm;
mod split_error;
mod split_point_check;

pub use bytes_split::{UniformSplit, create_table_points, split_bytes};
pub use create_command::create_command;
pub use number_string_split::NumberStringSplit;
pub use quantile_points::{quantile_points, quantile_ranks};
pub use region_memory::{check_memory, memory_needed};
pub use split_algorithm::{SplitAlgorithm, UnknownAlgorithm, bucket_points};
pub use split_error::SplitError;
pub use split_point_check::{SplitPointError, check_split_points};
