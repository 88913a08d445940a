#![no_main]

#[path = "../checks/questions.rs"]
mod check;
#[path = "../checks/grid.rs"]
mod grid;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));
