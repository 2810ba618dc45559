//! libFuzzer's way to `keyheat_fuzz::key`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keyheat_fuzz::key(data));
