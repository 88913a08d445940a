//! The program `bvtree`, for the package's command of that name.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_run_program, module)?)
}

/// Runs the program `bvtree` with arguments, the first of which is its name, and returns the exit code. It handles
/// SIGINT and SIGTERM from then on: run it in a process of its own, as `python -m bvtree` does.
#[pyfunction]
fn _run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| bvtree_cli::run_with(arguments));
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(u8::MAX)
}
