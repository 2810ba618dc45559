//! Clients: where operations come from, how they become RPCs, and what is made of the answers.
//!
//! Must not know how servers work, nor why regions change.

pub mod clients;
mod neighbours;
mod open_loop;
#[cfg(test)]
mod read_change_tests;
#[cfg(test)]
pub mod read_tests;
mod reading;
pub mod reads;
mod sending;
mod write_buffers;
mod writing;
