//! Random draws that belong to an attempt of an operation, whenever it happens.

use crate::random::{DrawKey, Draws, Stream};
use crate::record::RecordGenerator;
use crate::workload::OperationId;

/// Draws of one purpose.
#[derive(Debug, Clone, Copy)]
pub struct AttemptDraws(DrawKey);

impl AttemptDraws {
    pub fn new(generator: &RecordGenerator, purpose: Stream) -> Self {
        Self(generator.draws(purpose, 0))
    }

    /// The draws of an attempt after `failures` failed ones. Multiples of 2^64 / golden ratio keep the attempts of 2^56 operations
    /// apart: the first hundred multiples differ by more than 2^56.
    #[inline]
    pub fn at(self, operation: OperationId, failures: u32) -> Draws {
        let attempt = u64::from(failures).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0.at(operation.0.wrapping_add(attempt))
    }
}
