//! The page that `bvtree.view` fills with data; the command `bvtree view` uses the same page.

use bvtree_viewer::{MODULES, STYLE, VIEW_BODY, VIEW_SCRIPT, VIEW_STYLE};
use pyo3::prelude::*;

/// Returns style, body and modules of the page.
#[pyfunction]
fn _viewer() -> (String, &'static str, String) {
    ([STYLE, VIEW_STYLE].concat(), VIEW_BODY, [MODULES, VIEW_SCRIPT].concat())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_viewer, module)?)
}
