#![no_main]

use bvtree_test_support::model::tracker::Tracked;
use bvtree_test_support::model::machine::run_bytes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| run_bytes::<Tracked>(data));
