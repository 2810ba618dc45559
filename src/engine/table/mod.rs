//! Tables as clients and servers see them: which region holds a row, where that region is, and who knows it.
//!
//! Must not know operations or RPCs, stores, nor why regions change.

pub mod rows;
#[cfg(test)]
mod scan_change_tests;
pub mod scans;
pub mod tables;
