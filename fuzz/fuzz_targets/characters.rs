#![no_main]
// Models share their ingredients, of which each uses some.
#![allow(dead_code)]

#[path = "../../tests/model"]
mod model {
    pub mod brute;
    pub mod ingredients;
    pub mod machine;
    pub mod character;
}
#[path = "."]
mod triangle {
    #[path = "../../tests/triangle/oracle.rs"]
    pub mod oracle;
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| model::machine::run_bytes::<model::character::Walk>(data));
