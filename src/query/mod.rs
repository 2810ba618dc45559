//! The planner: from what a reader knows to how a key can serve the read, and what that costs.
//!
//! Must not know servers, time or queues: it says which keys and key ranges are asked for, and how many rows they hold.

mod access_plan;
mod requests;

pub use access_plan::{AccessPath, AccessPlan, PlanContext, plan};
pub use requests::{Requests, ScanRequest};
