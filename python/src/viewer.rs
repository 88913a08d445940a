//! The page that `bvtree.view` fills with data: the files of the program's `bvtree view`.

use pyo3::prelude::*;

const STYLE: &str =
    concat!(include_str!("../../cli/src/page/viewer/style.css"), include_str!("../../cli/src/page/viewer/view.css"),);
const BODY: &str = include_str!("../../cli/src/page/view.html");
const VIEWER: &str = include!("../../cli/src/page/viewer/modules.rs");
const VIEW: &str = include_str!("../../cli/src/page/view.js");

/// Style, body and modules of the page.
#[pyfunction]
fn _viewer() -> (&'static str, &'static str, String) {
    (STYLE, BODY, [VIEWER, VIEW].concat())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_viewer, module)?)
}
