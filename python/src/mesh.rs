//! Meshes.

use std::path::PathBuf;
use std::sync::Arc;

use bvtree::mesh::ReadOptions;
use bvtree::response::MassProperties;
use ndarray::ArrayView2;
use numpy::{Element, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Vertices, triangles};
use crate::errors::{Error, of_mesh, value_error};
use crate::threads::interruptible;

/// A triangle mesh: float32 vertices and triangles. It never changes.
///
/// Zero-area triangles, holes, duplicates and triangles that cross each other are all allowed.
///
/// Args:
///     vertices: (N, 3) numbers. float32 is taken as it is, everything else is rounded to it: the mesh, and all answers
///         about it, are those of the rounded points. Bring a mesh far from the origin near to it first.
///     faces: (M, 3) integers, indices into the vertices counted from 0. A triangle's row is its *face* number in every
///         answer.
///
/// Raises:
///     InvalidMesh: If a coordinate is NaN, infinite or beyond the range of float32, or an index is out of range.
///     ValueError: If an array has another shape or no numbers.
///
/// Examples:
///     >>> import bvtree
///     >>> mesh = bvtree.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
///     >>> mesh
///     <bvtree.Mesh: 3 vertices, 1 triangles>
///     >>> mesh.bounds
///     array([[0., 0., 0.],
///            [1., 1., 0.]])
#[pyclass(frozen, module = "bvtree", name = "Mesh")]
pub struct PyMesh {
    pub mesh: Arc<bvtree::Mesh>,
}

impl PyMesh {
    pub fn new(mesh: bvtree::Mesh) -> Self {
        Self { mesh: Arc::new(mesh) }
    }
}

#[pymethods]
impl PyMesh {
    #[new]
    fn from_arrays(vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let triangles = triangles(faces)?;
        Vertices::new(vertices)?.mesh(triangles).map(Self::new).map_err(of_mesh)
    }

    /// Reads a mesh file.
    ///
    /// Args:
    ///     path: A file of OBJ, STL, PLY, OFF, glTF or GLB; its content says which. Polygons are assumed to be convex:
    ///         they are cut into fans from their first corner.
    ///     weld: Whether vertices with the same coordinates become one; None: in STL only. Answers do not depend on it.
    ///     up: The axis that points up in the file, "x", "y" or "z": the mesh is turned so that its third one does.
    ///         None leaves it.
    ///     scale: What coordinates are multiplied by, after the turn.
    ///
    /// Raises:
    ///     InvalidMesh: If the file is no mesh; the text says where something is wrong.
    ///     OSError: If it can't be read.
    #[staticmethod]
    #[pyo3(signature = (path, *, weld = None, up = None, scale = 1.0))]
    fn open(py: Python<'_>, path: PathBuf, weld: Option<bool>, up: Option<&str>, scale: f64) -> PyResult<Self> {
        let up = up.map(|axis| axis.parse().map_err(value_error)).transpose()?;
        let options = ReadOptions { weld, up, scale, ..ReadOptions::default() };
        let import = interruptible(py, None, move |_| bvtree::Mesh::open_with(path, &options))?;
        import.map(|import| Self::new(import.mesh)).map_err(of_mesh)
    }

    /// The mesh of another library's object.
    ///
    /// Args:
    ///     object: Something with `vertices` and either `faces` (trimesh, pyrender, meshio-like) or `triangles`
    ///         (Open3D); Open3D's mesh of tensors, on any device; a `Mesh`; or a tuple of vertices and faces.
    ///
    /// Raises:
    ///     TypeError: If it has no such attributes.
    ///     InvalidMesh: As for the arrays.
    #[staticmethod]
    pub fn from_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(mesh) = object.cast::<PyMesh>() {
            return Ok(Self { mesh: mesh.get().mesh.clone() });
        }
        if let Ok(parts) = object.cast::<PyTuple>()
            && parts.len() == 2
        {
            return Self::from_arrays(&parts.get_item(0)?, &parts.get_item(1)?);
        }
        let attribute = |name| object.getattr_opt(name);
        match (attribute("vertices")?, attribute("faces")?, attribute("triangles")?) {
            (Some(vertices), Some(faces), _) | (Some(vertices), None, Some(faces)) => {
                Self::from_arrays(&vertices, &faces)
            }
            _ => {
                if let (Some(vertex), Some(triangle)) = (attribute("vertex")?, attribute("triangle")?) {
                    return Self::from_arrays(&tensor(&vertex, "positions")?, &tensor(&triangle, "indices")?);
                }
                let name = object.get_type().name()?;
                let text = format!("expected a mesh: an object with vertices and faces (or triangles), got {name}");
                Err(PyTypeError::new_err(text))
            }
        }
    }

    /// The (N, 3) float32 vertices, read-only and without a copy.
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let vertices = slf.get().mesh.vertices();

        view(slf, vertices.as_ptr().cast::<f32>(), vertices.len())
    }

    /// The (M, 3) uint32 triangles, read-only and without a copy.
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let triangles = slf.get().mesh.triangles();
        view(slf, triangles.as_ptr().cast::<u32>(), triangles.len())
    }

    /// The (2, 3) float64 lower and upper corner of the box around all triangles; infinite, and the wrong way round,
    /// for a mesh without triangles.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        bounds(py, &self.mesh.aabb())
    }

    /// Counts of the mesh's parts and defects, as a dict: `triangles`, `vertices`, `distinct_vertices`,
    /// `zero_area_triangles`, `duplicate_triangles`, `open_edges`, `non_manifold_edges`, `inconsistent_edges`,
    /// `components`, `is_closed` and `is_edge_manifold`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mesh = self.mesh.clone();
        let report = interruptible(py, None, move |_| mesh.report())?;
        let dict = PyDict::new(py);
        dict.set_item("triangles", report.triangles)?;
        dict.set_item("vertices", report.vertices)?;
        dict.set_item("distinct_vertices", report.distinct_vertices)?;
        dict.set_item("zero_area_triangles", report.zero_area_triangles)?;
        dict.set_item("duplicate_triangles", report.duplicate_triangles)?;
        dict.set_item("open_edges", report.open_edges)?;
        dict.set_item("non_manifold_edges", report.non_manifold_edges)?;
        dict.set_item("inconsistent_edges", report.inconsistent_edges)?;
        dict.set_item("components", report.components)?;
        dict.set_item("is_closed", report.is_closed())?;
        dict.set_item("is_edge_manifold", report.is_edge_manifold())?;
        Ok(dict)
    }

    /// Volume, centre of mass and inertia of what the mesh encloses, at a density of 1.
    ///
    /// Returns:
    ///     A dict of `volume` (float), `center` ((3,) float64) and `inertia` ((3, 3) float64, about the centre).
    ///
    /// Raises:
    ///     Error: If the mesh is open, its triangles' orders of corners disagree, or it encloses nothing.
    fn mass_properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mesh = self.mesh.clone();
        let properties = interruptible(py, None, move |_| MassProperties::of(&mesh))?;
        let properties = properties.map_err(|error| Error::new_err(error.to_string()))?;
        let dict = PyDict::new(py);
        dict.set_item("volume", properties.volume)?;
        dict.set_item("center", numpy::PyArray1::from_slice(py, properties.center.coords.as_slice()))?;
        let inertia = numpy::PyArray1::from_slice(py, properties.inertia.as_slice()).reshape([3, 3])?;
        dict.set_item("inertia", inertia)?;
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.mesh.triangles().len()
    }

    fn __repr__(&self) -> String {
        let (vertices, triangles) = (self.mesh.vertices().len(), self.mesh.triangles().len());
        format!("<bvtree.Mesh: {vertices} vertices, {triangles} triangles>")
    }

    /// Itself: it never changes.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Itself: it never changes.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let arrays = (Self::vertices(slf)?, Self::faces(slf)?);
        (slf.get_type(), arrays).into_pyobject(slf.py())
    }
}

/// An attribute of Open3D's mesh of tensors as an array; of no rows if it is not there, as in an empty mesh.
fn tensor<'py>(of: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if !of.contains(name)? {
        return Ok(PyArray2::<u32>::zeros(of.py(), [0, 3], false).into_any());
    }
    of.get_item(name)?.call_method0("cpu")?.call_method0("numpy")
}

/// A read-only array of rows of three that lie in the mesh.
#[allow(unsafe_code)]
fn view<'py, T: Element>(mesh: &Bound<'py, PyMesh>, start: *const T, rows: usize) -> PyResult<Bound<'py, PyArray2<T>>> {
    // SAFETY: the mesh's points and triangles are rows of three numbers without padding, and never change or move: the
    // mesh is frozen, and the array keeps it alive. Nobody can write to the array, which is made read-only before it is
    // handed out.
    unsafe {
        let rows = ArrayView2::from_shape_ptr([rows, 3], start);
        let array = PyArray2::borrow_from_array(&rows, mesh.clone().into_any());
        array.try_readwrite()?.make_nonwriteable();
        Ok(array)
    }
}

pub fn bounds<'py>(py: Python<'py>, aabb: &bvtree::shape::Aabb) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let corners = [aabb.lower, aabb.upper].map(<[f64; 3]>::from);
    numpy::PyArray1::from_slice(py, corners.as_flattened()).reshape([2, 3])
}
