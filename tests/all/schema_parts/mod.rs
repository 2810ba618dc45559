//! Parts of hand-made schemas and reads.

#![allow(dead_code, reason = "each test uses its part of it")]

use keyheat::record::{Field, FieldKind};
use keyheat::time::EpochNanos;
use keyheat::workload::Read;

/// 2026-01-01T00:00:00Z
pub const START: EpochNanos = EpochNanos(1_767_225_600_000_000_000);

/// An angle from `-most` to `most`.
pub fn degrees(name: &str, most: f64) -> Field {
    let (min, max) = (-most, most);
    Field::new(name, FieldKind::Double { min, max })
}

/// A read that knows nothing.
pub fn read() -> Read {
    Read::planned("tried", Vec::new())
}
