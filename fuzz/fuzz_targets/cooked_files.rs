#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bvtree_test_support::checks::cooked_files::check(data));
