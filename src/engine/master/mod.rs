//! Who changes the cluster: splits, merges, moves and the balancer, crashes, and the events of the scenario.
//!
//! Must not know calls or clients, nor what a region has stored.

mod balancing;
#[cfg(test)]
mod balancing_tests;
#[cfg(test)]
pub mod change_tests;
pub mod knowledge;
#[cfg(test)]
pub mod living_tests;
mod region_changes;
mod scenario_events;
