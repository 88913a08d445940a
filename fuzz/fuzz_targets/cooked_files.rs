#![no_main]

#[path = "../checks/cooked_files.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));
