//! What a file of rows says of its table: kinds and laws of the columns, the rate of the rows, and a scenario with candidate keys. One pass over the rows, in bounded
//! memory; laws with their 95 % intervals.
//!
//! Must not know the files' forms, nor simulate.

mod bursts;
mod column;
mod fields;
mod frequencies;
mod from_time;
mod hot_set;
mod keys;
mod led_by_time;
mod rank_law;
mod run_length;
mod scenario_draft;
mod survey;
mod template;
mod time_order;
mod trend;
mod zipf_fit;

pub use fields::{LearntField, Role};
pub use frequencies::{Frequencies, Tally};
pub use scenario_draft::Learnt;
pub use survey::Survey;
pub use time_order::{Lateness, TimeOrder};
pub use zipf_fit::ZipfFit;
