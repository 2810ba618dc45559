//! What a real cluster says of itself: so far the result of a replay, as text. Values out, or a complaint that names file and line.
//!
//! Must not know scenarios, nor judge what was observed.

mod replay_file;

pub use replay_file::{MeasuredRegion, MeasuredReplay, MeasuredSide, MeasuredTimes, ObservedError};
