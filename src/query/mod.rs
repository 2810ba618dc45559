//! The planner: from what a reader knows to how a key can serve the read, and what that costs.
//!
//! Must not know servers, time or queues: it says which keys and key ranges are asked for, and how many rows they hold.
//!
//! `question` is what a read knows and wants, with its ranges; `candidates` walks the key's segments from the left and finds every way to
//! serve it, each a beginning of the key that is known in every combination of some dimensions; `evidence` says how many rows share such
//! a beginning; `access_plan` takes the cheapest, an [`AccessPlan`], whose [`AccessPlan::requests`] (`serve`) are the keys and ranges of
//! one read, with the rows that are expected there (`expected_rows`).

mod access_plan;
mod candidates;
mod decided_fields;
mod differing_rows;
mod enough_rows;
mod evidence;
mod exact_scan;
mod expected_rows;
mod joined_values;
mod made;
mod page_range;
mod question;
mod recurring_time;
mod requests;
mod row_identity;
mod serve;
mod unchanging;

pub use access_plan::{AccessPath, AccessPlan, Costs, Expected, OverRead, PlanContext, plan};
pub use question::TableKeys;
pub use requests::{Requests, ScanRequest};
pub use row_identity::{RowIdentity, RowStep};
