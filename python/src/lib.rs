//! `bvtree` as a Python module: `bvtree._bvtree`, of which the package `bvtree` is made.
//!
//! Arrays come in by [`arrays`] and [`poses`] and go out as [`answer`]s and [`records`]; [`threads`] lets Python's
//! other threads run meanwhile, and [`signals`] answers Ctrl-C. The rest are the questions, each with its docs for
//! Python.

#![deny(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

mod answer;
mod arrays;
mod errors;
mod loan;
mod measures;
mod mesh;
mod nodes;
mod options;
mod pairs;
mod poses;
mod probe;
mod records;
mod refit;
mod scene;
mod scratch;
mod signals;
mod threads;
mod tracker;
mod tree;
mod viewer;

use pyo3::prelude::*;

// Classes never change or lock what does, so Python's other threads may run at the same time.
#[pymodule(gil_used = false)]
fn _bvtree(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<mesh::PyMesh>()?;
    module.add_class::<tree::PyTree>()?;
    module.add_class::<scene::PyScene>()?;
    module.add_class::<refit::PyDeformingTree>()?;
    module.add_class::<tracker::PyDistanceTracker>()?;
    module.add_function(wrap_pyfunction!(poses::relative_pose, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_translation, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_quaternion, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_axis_angle, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_euler_angles, module)?)?;
    errors::register(module)?;
    measures::register(module)?;
    pairs::register(module)?;
    viewer::register(module)
}
