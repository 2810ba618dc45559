//! libFuzzer's way to `keyheat_fuzz::splits`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keyheat_fuzz::splits(data));
