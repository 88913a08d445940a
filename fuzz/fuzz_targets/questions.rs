#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bvtree_test_support::checks::questions::check(data));
