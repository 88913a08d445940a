//! Meshes larger than memory in tiles, whose trees other processes build; `bvtree.cluster.cook` uses this module.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bvtree::BvTree;
use bvtree::cook::{CookError, DividedMesh, MeshTile};
use bvtree::mesh::{LargeMesh, ReadOptions};
use bvtree::shape::Aabb;
use numpy::PyArray2;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{of_build, of_cook, of_mesh};
use crate::mesh::{PyMesh, bounds};
use crate::options::build_options;
use crate::threads::interruptible;
use crate::tree::PyTree;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDividedMesh>()?;
    module.add_function(wrap_pyfunction!(_build_tile, module)?)
}

/// A mesh file, STL or PLY, whose triangles are sorted into tiles in a temporary file in `folder`, with at most
/// `memory` bytes of memory. The other arguments are the build options of the whole mesh's tree.
#[pyclass(frozen, module = "bvtree", name = "_DividedMesh")]
pub struct PyDividedMesh {
    divided: Arc<DividedMesh>,
}

#[pymethods]
impl PyDividedMesh {
    #[new]
    #[pyo3(signature = (path, folder, memory, kind = "obb", *, preset = "balanced", **options))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        folder: PathBuf,
        memory: u64,
        kind: &str,
        preset: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = build_options(kind, preset, options)?;
        let divided = interruptible(py, None, move |_| {
            let mesh = LargeMesh::open(path, &ReadOptions::default(), folder, memory).map_err(of_mesh)?;
            mesh.divide(&options).map_err(of_cook)
        })??;
        Ok(Self { divided: Arc::new(divided) })
    }

    /// The number of tiles.
    fn __len__(&self) -> usize {
        self.divided.tile_count()
    }

    /// Returns the mesh of a tile, the box of the whole mesh, and the maximum depth of the tile's tree.
    fn tile<'py>(&self, py: Python<'py>, number: usize) -> PyResult<(PyMesh, Bound<'py, PyArray2<f64>>, u32)> {
        if number >= self.divided.tile_count() {
            return Err(PyIndexError::new_err(format!("there are {} tiles", self.divided.tile_count())));
        }
        let divided = self.divided.clone();
        let tile = interruptible(py, None, move |_| divided.tile(number))?.map_err(of_cook)?;
        Ok((PyMesh::new(tile.mesh), bounds(py, &tile.whole)?, tile.options.max_depth))
    }

    /// Joins the trees of all tiles, whose cooked files are given, into a cooked file; returns the numbers of triangles
    /// and of nodes.
    fn cook(&self, py: Python<'_>, path: PathBuf, trees: Vec<PathBuf>) -> PyResult<(usize, usize)> {
        let (divided, cooked) = (self.divided.clone(), path.clone());
        interruptible(py, None, move |cancelled| {
            let tree_of = |number: usize| {
                if cancelled.is_set() {
                    return Err(io::Error::from(io::ErrorKind::Interrupted).into());
                }
                let lacking = || CookError::from(io::Error::from(io::ErrorKind::NotFound));
                BvTree::open(trees.get(number).ok_or_else(lacking)?)
            };
            divided.cook(&cooked, tree_of, |_, _| ())
        })?
        .map_err(of_cook)?;
        let tree = BvTree::open_trusted(&path).map_err(of_cook)?;
        Ok((tree.triangle_count(), tree.node_count()))
    }
}

/// Builds the tree of a tile from its mesh, the box of the whole mesh, and the options of the whole tree, but with the
/// `max_depth` that `_DividedMesh.tile` returned.
#[pyfunction]
#[pyo3(signature = (mesh, whole, kind, *, preset = "balanced", threads = None, **options))]
fn _build_tile(
    py: Python<'_>,
    mesh: &Bound<'_, PyAny>,
    whole: [[f64; 3]; 2],
    kind: &str,
    preset: &str,
    threads: Option<usize>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyTree> {
    let options = build_options(kind, preset, options)?;
    let mesh = bvtree::Mesh::clone(&PyMesh::from_object(mesh)?.mesh);
    let [lower, upper] = whole.map(Into::into);
    let tile = MeshTile { mesh, whole: Aabb { lower, upper }, options };
    let built = interruptible(py, threads, move |_| tile.build())?;
    built.map(PyTree::new).map_err(of_build)
}
