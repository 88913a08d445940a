//! The extension module `bvtree._bvtree`, which the Python package `bvtree` re-exports.
//!
//! [`arrays`] and [`poses`] convert arguments, [`answer`] and [`records`] results. [`threads`] lets Python's other
//! threads run meanwhile, and [`signals`] handles Ctrl-C. The other modules contain the queries with their docstrings.

#![deny(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

mod answer;
mod arrays;
mod calls;
mod errors;
mod loan;
mod measures;
mod mesh;
mod nodes;
mod options;
mod own_volumes;
mod pairs;
mod poses;
mod probe;
mod program;
mod records;
mod refit;
mod robot;
mod scene;
mod scratch;
mod shape_contacts;
mod shapes;
mod signals;
mod solids;
mod threads;
mod tiles;
mod tracker;
mod tree;
mod viewer;
mod volume_object;

use pyo3::prelude::*;

// Classes are immutable or lock what changes, so Python's other threads may run at the same time.
#[pymodule(gil_used = false)]
fn _bvtree(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<mesh::PyMesh>()?;
    module.add_class::<tree::PyTree>()?;
    module.add_class::<scene::PyScene>()?;
    module.add_class::<scene::PyCharacter>()?;
    module.add_class::<scene::PyCompound>()?;
    module.add_class::<shapes::PyConvexShape>()?;
    module.add_class::<refit::PyDeformingTree>()?;
    module.add_class::<robot::PyJointPath>()?;
    module.add_class::<robot::PyRobot>()?;
    module.add_class::<robot::PyWorld>()?;
    module.add_class::<tracker::PyDistanceTracker>()?;
    module.add_function(wrap_pyfunction!(scene::clashes::rules_as_json, module)?)?;
    module.add_function(wrap_pyfunction!(scene::clashes::clash_issues, module)?)?;
    module.add_function(wrap_pyfunction!(scene::clashes::same_parts, module)?)?;
    module.add_function(wrap_pyfunction!(poses::relative_pose, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_translation, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_quaternion, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_axis_angle, module)?)?;
    module.add_function(wrap_pyfunction!(poses::pose_from_euler_angles, module)?)?;
    errors::register(module)?;
    measures::register(module)?;
    own_volumes::register(module)?;
    pairs::register(module)?;
    program::register(module)?;
    tiles::register(module)?;
    viewer::register(module)
}
