//! What regions have stored: memstores, flushes, store files and compactions, and the disks of servers.
//!
//! Must not know calls or clients, nor where regions go.

#[cfg(test)]
mod aging_tests;
#[cfg(test)]
mod family_tests;
pub mod region_stores;
#[cfg(test)]
mod store_run_tests;
#[cfg(test)]
mod store_tests;
pub mod stores;
mod storing;
