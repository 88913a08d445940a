#![no_main]

#[path = "../checks/triangles.rs"]
mod check;
#[path = "."]
mod triangle {
    #[path = "../../tests/triangle/oracle.rs"]
    pub mod oracle;
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));
