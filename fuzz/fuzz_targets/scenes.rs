#![no_main]

use bvtree_test_support::model::scene::World;
use bvtree_test_support::model::machine::run_bytes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| run_bytes::<World>(data));
