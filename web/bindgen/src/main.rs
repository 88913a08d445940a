//! `bvtree-bindgen INPUT.wasm FOLDER NAME` generates bindings as `wasm-bindgen --target web` does, which then need not
//! be installed.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [input, folder, name] = arguments.as_slice() else {
        eprintln!("usage: bvtree-bindgen INPUT.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(input).out_name(name).typescript(true).omit_default_module_path(true).web(true);
    match made.and_then(|bindgen| bindgen.remove_producers_section(true).remove_name_section(true).generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
