//! The page that `bvtree.view` fills with data: the files of the program's `bvtree view`.

use pyo3::prelude::*;

const STYLE: &str =
    concat!(include_str!("../../cli/src/page/viewer/style.css"), include_str!("../../cli/src/page/viewer/view.css"),);
const BODY: &str = include_str!("../../cli/src/page/view.html");
/// Modules of JavaScript, each after those that it imports from.
const MODULES: &str = concat!(
    include_str!("../../cli/src/page/viewer/dom.js"),
    include_str!("../../cli/src/page/viewer/vectors.js"),
    include_str!("../../cli/src/page/viewer/colours.js"),
    include_str!("../../cli/src/page/viewer/scene.js"),
    include_str!("../../cli/src/page/viewer/camera.js"),
    include_str!("../../cli/src/page/viewer/shaders.js"),
    include_str!("../../cli/src/page/viewer/gpu.js"),
    include_str!("../../cli/src/page/viewer/tubes.js"),
    include_str!("../../cli/src/page/viewer/viewer.js"),
    include_str!("../../cli/src/page/viewer/controls.js"),
    include_str!("../../cli/src/page/view.js"),
);

/// Style, body and modules of the page.
#[pyfunction]
fn _viewer() -> (&'static str, &'static str, &'static str) {
    (STYLE, BODY, MODULES)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_viewer, module)?)
}
