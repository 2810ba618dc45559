//! The planner: from what a reader knows to how a key can serve the read, and what that costs.
//!
//! Must not know servers, time or queues: it says which keys and key ranges are asked for, and how many rows they hold.
//!
//! `question` is what a read knows and wants, with the ranges of `band`; `candidates` walks the key's segments from the left and finds
//! every way to serve it, each a beginning of the key that is known in every combination of some `dimension`s; `evidence` says how
//! many rows share such a beginning; `planner` takes the cheapest, an [`AccessPlan`], whose [`AccessPlan::requests`] (`serve`) are the
//! keys and ranges of one read.

mod access_path;
mod access_plan;
mod band;
mod candidates;
mod costs;
mod dimension;
mod evidence;
mod limits;
mod longer_values;
mod over_reads;
mod paging;
mod planner;
mod question;
mod requests;
mod row_counts;
mod row_identity;
mod serve;
mod words;

pub use access_path::AccessPath;
pub use access_plan::{AccessPlan, OverRead};
pub use costs::{Costs, Expected};
pub use planner::{PlanContext, plan};
pub use requests::{Requests, ScanRequest};
pub use row_counts::RowCounts;
pub use row_identity::{RowIdentity, RowStep};
