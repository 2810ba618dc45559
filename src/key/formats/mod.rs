//! How integers, doubles and bytes are written as other bytes, and hashed. Must not know expressions or records.

mod calendar;
mod digest;
mod encoding;
mod hashing;
mod md5_lanes;
mod transform;

pub use calendar::{Civil, DateSteps, Pattern, year};
pub use digest::{Digest, DigestForm};
pub use encoding::Encoding;
pub use hashing::{IntHash, java_bytes};
pub use md5_lanes::{ONE_BLOCK, md5_in_lanes};
pub use transform::{Transform, hex_digit};
