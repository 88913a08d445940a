#![no_main]

use bvtree_test_support::model::character::Walk;
use bvtree_test_support::model::machine::run_bytes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| run_bytes::<Walk>(data));
