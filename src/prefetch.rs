//! Memory that is needed soon is asked for, so that much is waited for together.
//!
//! Must not know what lies there, nor change any result.

/// Asks for the cache line in which a value begins. The program goes on at once, and nothing that it can see changes. Only x86-64 is asked; other
/// processors fetch when the value is read.
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it needs SSE, which every x86-64 has, and a prefetch is allowed at any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
