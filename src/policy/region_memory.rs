//! What so many regions would cost in memory. Must not allocate them.

use super::SplitError;

/// Bytes that keyheat holds for a region besides its start key: the start key's `Vec` (24), and in the router its offset (4), its
/// squeezed value (8) and its two slots (8).
const BYTES_PER_REGION: u64 = 24 + 4 + 8 + 8;

/// An allocator gives no less than this, and multiples of it (glibc, 64 bits).
const ALLOCATION: u64 = 16;

/// What the split points of one strategy may cost (estimate: a small machine holds several strategies at once). About 15 million
/// regions with 8-byte keys, a thousand times what HBase masters are run with.
const LIMIT: u64 = 1 << 30;

/// Bytes that `regions` regions need whose start keys have `key_bytes` bytes, once in the list of split points and once in the router.
fn memory_needed(regions: u64, key_bytes: u64) -> u64 {
    let key = key_bytes
        .div_ceil(ALLOCATION)
        .saturating_mul(ALLOCATION)
        .saturating_add(key_bytes);
    regions.saturating_mul(key.saturating_add(BYTES_PER_REGION))
}

/// Refuses more regions than fit into memory, before anything is allocated.
///
/// # Errors
/// [`SplitError::TooMuchMemory`].
/// ```
/// let error = keyheat::policy::check_memory(1_000_000_000, 8).unwrap_err();
/// assert_eq!(error.to_string(), "1,000,000,000 regions need about 63 GiB of memory; keyheat takes up to 1 GiB");
/// ```
pub fn check_memory(regions: u64, key_bytes: u64) -> Result<(), SplitError> {
    let bytes = memory_needed(regions, key_bytes);
    if bytes > LIMIT {
        Err(SplitError::TooMuchMemory {
            regions,
            bytes,
            limit: LIMIT,
        })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_gibibyte_is_given_and_no_region_more() {
        // A key of 4 bytes: 4 in the router, 16 allocated, 44 beside it. 2^24 times 64 bytes.
        assert_eq!(check_memory(1 << 24, 4), Ok(()));
        assert_eq!(
            check_memory((1 << 24) + 1, 4),
            Err(SplitError::TooMuchMemory {
                regions: 16_777_217,
                bytes: 1_073_741_888,
                limit: 1_073_741_824,
            })
        );
    }
}
