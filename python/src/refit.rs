//! Refitting trees to deforming meshes.

use std::sync::Arc;

use bvtree::BvTree;
use bvtree::refit::{DeformingTree, RefitOptions, Refitted};
use nalgebra::Point3;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{numbers, positions};
use crate::errors::{Error, of_build, value_error};
use crate::loan::Lender;
use crate::mesh::PyMesh;
use crate::options::build_options;
use crate::threads::interruptible;
use crate::tree::PyTree;

/// A deforming mesh and a tree that is refitted to it without a rebuild.
///
/// Args:
///     mesh, kind, preset, threads, options: See `Tree`.
///     rebuild_above: Rebuild the tree when `cost_ratio` exceeds this; never if None.
///     obb_axes: Treatment of the axes of oriented boxes: "turned" with their vertices, "kept" (the fastest) or
///         "refitted".
///
/// Raises:
///     InvalidMesh, Error, TypeError, ValueError: See `Tree`; ValueError also if `obb_axes` has another value.
///
/// Examples:
///     >>> import bvtree
///     >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
///     >>> plate = bvtree.DeformingTree((corners, [[0, 1, 2]]))
///     >>> before = plate.tree
///     >>> _ = plate.refit([[0, 0, 5], [1, 0, 5], [0, 1, 5]])
///     >>> bvtree.distance(before, plate.tree)
///     5.0
#[pyclass(frozen, module = "bvtree", name = "DeformingTree")]
pub struct PyDeformingTree {
    inner: Arc<Lender<DeformingTree>>,
}

impl PyDeformingTree {
    /// Runs work on the deforming tree, after waiting for other threads that use it.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut DeformingTree) -> R + Send) -> PyResult<R> {
        let mut deforming = self.inner.lend(py)?;
        Ok(py.detach(|| work(&mut deforming)))
    }

    fn change<'py>(
        &self,
        py: Python<'py>,
        change: impl FnOnce(&mut DeformingTree) -> Result<Refitted, bvtree::refit::RefitError> + Send + 'static,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut deforming = self.inner.lend(py)?;
        let refitted = interruptible(py, None, move |_| change(&mut deforming))?;
        let refitted = refitted.map_err(|error| Error::new_err(error.to_string()))?;
        let told = PyDict::new(py);
        told.set_item("volumes", refitted.volumes)?;
        told.set_item("cost_ratio", refitted.cost_ratio)?;
        told.set_item("was_rebuilt", refitted.was_rebuilt)?;
        Ok(told)
    }
}

#[pymethods]
impl PyDeformingTree {
    #[new]
    #[pyo3(signature = (mesh, kind = "obb", *, preset = "balanced", threads = None, rebuild_above = None,
        obb_axes = "turned", **options))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        mesh: &Bound<'_, PyAny>,
        kind: &str,
        preset: &str,
        threads: Option<usize>,
        rebuild_above: Option<f64>,
        obb_axes: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = build_options(kind, preset, options)?;
        let refit = RefitOptions { obb_axes: obb_axes.parse().map_err(value_error)?, rebuild_above };
        let mesh = PyMesh::from_object(mesh)?.mesh;
        let built = interruptible(py, threads, move |_| {
            let tree = BvTree::build(&mesh, &options).map_err(of_build)?;
            let mesh = Arc::unwrap_or_clone(mesh);
            DeformingTree::with_options(tree, mesh, refit).map_err(|error| Error::new_err(error.to_string()))
        })??;
        Ok(Self { inner: Lender::new(built) })
    }

    /// Moves all vertices and refits all volumes.
    ///
    /// Args:
    ///     vertices: (N, 3) new positions, in the mesh's order.
    ///
    /// Returns:
    ///     A dict of `volumes` (number of refitted volumes), `cost_ratio` and `was_rebuilt`.
    ///
    /// Raises:
    ///     Error: If there are not as many positions as vertices, or a position is not finite; nothing has changed
    ///         then.
    ///     ValueError: If the array has another shape.
    fn refit<'py>(&self, py: Python<'py>, vertices: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let positions = positions(vertices)?;
        self.change(py, move |deforming| deforming.refit(&positions))
    }

    /// Moves some vertices and refits the volumes of their triangles.
    ///
    /// Args:
    ///     indices: (K,) vertices, counted from 0.
    ///     vertices: (K, 3) new positions.
    ///
    /// Returns, Raises: See `refit`; Error also if a vertex does not exist, ValueError also if the numbers of indices
    /// and positions differ.
    fn refit_moved<'py>(
        &self,
        py: Python<'py>,
        indices: &Bound<'py, PyAny>,
        vertices: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (indices, positions) = (numbers(indices, "indices")?, positions(vertices)?);
        if positions.len() != indices.len() {
            let text = format!("{} indices and {} vertices: expected as many", indices.len(), positions.len());
            return Err(value_error(text));
        }
        // No mesh has u32::MAX vertices, so the library rejects this index, and every index that is mapped to it.
        let index = |index: u64| u32::try_from(index).unwrap_or(u32::MAX);
        let moved: Vec<(u32, Point3<f32>)> = indices.into_iter().map(index).zip(positions).collect();
        self.change(py, move |deforming| deforming.refit_moved(&moved))
    }

    /// Rebuilds the tree from the current mesh with the build options of the previous tree.
    fn rebuild(&self, py: Python<'_>) -> PyResult<()> {
        let mut deforming = self.inner.lend(py)?;
        interruptible(py, None, move |_| deforming.rebuild())?.map_err(|error| Error::new_err(error.to_string()))
    }

    /// The current tree, as a `Tree` that later refits do not change. While it exists, the next refit copies the tree
    /// first.
    #[getter]
    fn tree(&self, py: Python<'_>) -> PyResult<PyTree> {
        self.with(py, |deforming| PyTree::shared(deforming.tree().clone()))
    }

    /// A copy of the current mesh.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> PyResult<PyMesh> {
        self.with(py, |deforming| PyMesh::new(deforming.mesh().clone()))
    }

    /// Cost of queries, estimated by the surface area heuristic, relative to that of the freshly built tree. A rebuild
    /// soon pays off if the ratio exceeds about 1.5. It is 1 while the root volume has no area, as for a mesh that
    /// collapsed to a point, and infinite if it has area but had none when the tree was built.
    #[getter]
    fn cost_ratio(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |deforming| deforming.cost_ratio())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |deforming| {
            let tree = deforming.tree();
            format!("<bvtree.DeformingTree: {}, {} triangles>", tree.kind(), tree.triangle_count())
        })
    }
}
