#![no_main]

#[path = "../checks/mesh_files.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));
