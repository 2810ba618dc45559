//! What a real cluster says of itself: lists of its regions and their loads in a dozen formats, the result of a replay, and lists of row keys. Values
//! out, or a complaint that names file and line.
//!
//! Must not know scenarios, nor judge what was observed.

mod file;
mod format;
mod formats;
mod json_rows;
mod key_file;
mod key_survey;
mod keys;
mod region_list;
mod region_loads;
mod replay_file;
mod shell_texts;
mod tables;

#[cfg(test)]
mod malformed_tests;
#[cfg(test)]
mod observed_tests;

pub use file::{ObservedError, ObservedFile};
pub use format::{Format, Numbers};
pub use formats::{FORMATS, recognise};
pub use key_file::{KeyFile, KeyNotation};
pub use key_survey::{FileOrder, KeyByte, KeySurvey, Padding, Salt, TimeInKeys};
pub use region_list::{Load, Region};
pub use region_loads::TableLoads;
pub use replay_file::{MeasuredRegion, MeasuredReplay, MeasuredSide, MeasuredTimes};
