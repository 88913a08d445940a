#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bvtree_cli::fuzz_texts::check(data));
