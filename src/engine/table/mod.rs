//! Tables as clients and servers see them: which region holds a row, where that region is, and who knows it.
//!
//! Must not know operations or RPCs, stores, nor why regions change.

pub mod keys;
pub mod locations;
pub mod region_order;
pub mod regions;
pub mod routing;
pub mod row_spread;
pub mod row_weights;
#[cfg(test)]
mod scan_change_tests;
pub mod scan_cursor;
pub mod tables;
