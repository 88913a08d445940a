//! Exceptions: the library's errors with the library's messages.

use std::io;
use std::path::PathBuf;

use bvtree::builder::BuildError;
use bvtree::cook::CookError;
use bvtree::mesh::MeshError;
use bvtree::pose::PoseError;
use bvtree::query::QueryError;
use bvtree::scene::SceneError;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(bvtree, Error, PyValueError, "Invalid input: the base class of bvtree's exceptions.");
create_exception!(bvtree, InvalidMesh, Error, "The arrays or the file are not a valid mesh.");
create_exception!(bvtree, InvalidPose, Error, "The matrix is not a rotation and a translation.");
create_exception!(
    bvtree,
    InvalidFile,
    Error,
    "The file or the bytes are not a cooked tree, have another format version, or are damaged."
);
create_exception!(
    bvtree,
    NotClosed,
    Error,
    "The mesh is not closed (watertight), so it has no inside, which solids, `contains`, `signed_distance` and \
     `mass_properties` need. The attribute `open_edges` is the number of edges with only one triangle."
);

pub fn value_error(text: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(text.to_string())
}

pub fn of_mesh(error: MeshError) -> PyErr {
    match error {
        MeshError::File { path, error } => match *error {
            MeshError::Io(error) => of_io(&error, Some(&path)),
            error => InvalidMesh::new_err(format!("{}: {error}", path.display())),
        },
        MeshError::Io(error) => of_io(&error, None),
        error => InvalidMesh::new_err(error.to_string()),
    }
}

pub fn of_cook(error: CookError) -> PyErr {
    match error {
        CookError::File { path, error } => match *error {
            CookError::Io(error) => of_io(&error, Some(&path)),
            error => InvalidFile::new_err(format!("{}: {error}", path.display())),
        },
        CookError::Io(error) => of_io(&error, None),
        error => InvalidFile::new_err(error.to_string()),
    }
}

pub fn of_build(error: BuildError) -> PyErr {
    Error::new_err(error.to_string())
}

/// Converts an error of a pose; the message names the index if there are several poses.
pub fn of_pose(error: PoseError, place: Option<usize>) -> PyErr {
    InvalidPose::new_err(match place {
        Some(place) => format!("pose {place}: {error}"),
        None => error.to_string(),
    })
}

pub fn of_query(error: QueryError) -> PyErr {
    Error::new_err(error.to_string())
}

pub fn of_scene(error: SceneError) -> PyErr {
    Error::new_err(error.to_string())
}

/// Returns the error for an open mesh that must be closed, with its number of open edges.
pub fn not_closed(py: Python<'_>, mesh: &bvtree::Mesh, advice: &str) -> PyErr {
    let report = py.detach(|| mesh.report());
    let (open, shared) = (report.open_edges, report.non_manifold_edges);
    let error = NotClosed::new_err(format!(
        "the mesh is not closed and has no inside: {open} edges have one triangle, {shared} more than two{advice}"
    ));
    match error.value(py).setattr("open_edges", open) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Converts an I/O error. If its number and the file are known, Python chooses the subclass of `OSError`.
pub fn of_io(error: &io::Error, path: Option<&PathBuf>) -> PyErr {
    match (error.raw_os_error(), path) {
        (Some(number), Some(path)) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.display().to_string()))
        }
        (_, Some(path)) => PyOSError::new_err(format!("{}: {error}", path.display())),
        _ => PyOSError::new_err(error.to_string()),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("InvalidMesh", py.get_type::<InvalidMesh>())?;
    module.add("InvalidPose", py.get_type::<InvalidPose>())?;
    module.add("InvalidFile", py.get_type::<InvalidFile>())?;
    let not_closed = py.get_type::<NotClosed>();
    not_closed.setattr("open_edges", 0)?;
    module.add("NotClosed", not_closed)
}
