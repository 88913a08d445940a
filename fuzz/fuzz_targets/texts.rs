#![no_main]
// Of the program only what reads texts is here.
#![allow(dead_code)]

#[path = "../../cli/src/build_args.rs"]
mod build_args;
#[path = "../checks/texts.rs"]
mod check;
#[path = "../../cli/src/error.rs"]
mod error;
#[path = "../../cli/src/exit_code.rs"]
mod exit_code;
#[path = "../../cli/src/input.rs"]
mod input;
#[path = "../../cli/src/poses.rs"]
mod poses;
#[path = "../../cli/src/precision.rs"]
mod precision;
#[path = "../../cli/src/rows.rs"]
mod rows;
#[path = "../../cli/src/spreadsheet.rs"]
mod spreadsheet;
#[path = "../../cli/src/stdin.rs"]
mod stdin;
#[path = "../../cli/src/tree_args.rs"]
mod tree_args;

#[path = "../../cli/src/clash"]
mod clash {
    pub mod assembly;
    pub mod baseline;
    mod identity;
    pub mod manifest;
    pub mod meshes;
    pub mod rule;
    pub mod rules;
}

#[path = "../../cli/src/cook"]
mod cook {
    pub mod manifest;
    pub mod settings;
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));
