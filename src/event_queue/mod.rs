//! Queues of future events: least time first, equal times in insertion order.
//!
//! Must not know what an event means. The order is total: every event carries a [`Moment`], its time and the number
//! that its inserter counted up, so that several queues can be merged without losing it.

mod line;
mod queue;

pub use line::Line;
pub use queue::EventQueue;

use crate::time::SimTime;
use std::cmp::Ordering;

/// When an event happens: its time, then its place among the events of that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub at: SimTime,
    /// Counts insertions into all queues that are merged; unique.
    pub sequence: u64,
}

impl Moment {
    /// After every event.
    pub const NEVER: Self = Self {
        at: SimTime::MAX,
        sequence: u64::MAX,
    };

    /// One number that orders as the moment does: a single comparison without a branch.
    fn rank(self) -> u128 {
        u128::from(self.at.as_nanos()) << 64 | u128::from(self.sequence)
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }

    fn min(self, other: Self) -> Self {
        match other.rank() < self.rank() {
            true => other,
            false => self,
        }
    }
}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    fn lt(&self, other: &Self) -> bool {
        self.rank() < other.rank()
    }
}
