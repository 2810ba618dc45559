//! What regions have stored: memstores, flushes, store files and compactions, and the disks of servers.
//!
//! Must not know calls or clients, nor where regions go.

#[cfg(test)]
mod aging_tests;
mod disk_jobs;
mod handover;
mod region_store;
#[cfg(test)]
mod store_run_tests;
#[cfg(test)]
mod store_tests;
mod stored_rows;
pub mod stores;
