//! Meshes.

use std::path::PathBuf;
use std::sync::Arc;

use bvtree::mesh::{Group, ReadOptions};
use bvtree::response::{MassError, MassProperties};
use ndarray::ArrayView2;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Vertices, positions, triangles};
use crate::errors::{Error, not_closed, of_mesh, value_error};
use crate::threads::interruptible;

/// An immutable triangle mesh: float32 vertices and triangles.
///
/// Zero-area triangles, holes, duplicates and self-intersections are allowed.
///
/// Args:
///     vertices: (N, 3) numbers. Other types than float32 are rounded to it; all results refer to the rounded points.
///         If a mesh is far from the origin, first move it close to the origin.
///     faces: (M, 3) integers, indices into the vertices counted from 0. A triangle's row is its *face* number in every
///         result.
///
/// Raises:
///     InvalidMesh: If a coordinate is NaN, infinite or beyond the range of float32, or an index is out of range.
///     ValueError: If an array has another shape or does not contain numbers.
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

    /// Reads a mesh from a file.
    ///
    /// Args:
    ///     path: An OBJ, STL, PLY, OFF, glTF or GLB file. Magic bytes determine the format, or else the extension, or
    ///         else what the first bytes look like. Polygons are assumed to be convex. They are divided into fans from
    ///         their first corner or, if that would give zero-area triangles at corners on straight edges, in another
    ///         way.
    ///     weld: Whether to merge vertices with the same coordinates; None merges them in STL files only. Results do
    ///         not depend on it.
    ///     up: The file's up axis, "x", "y" or "z": the mesh is rotated so that z points up. None leaves the axes as
    ///         they are.
    ///     scale: Factor for all coordinates, applied after the rotation.
    ///     group_by: What a group is: "object", "material", or "both" (objects with their materials).
    ///
    /// Raises:
    ///     InvalidMesh: If the file is not a valid mesh; the message names the line or position, if there is one.
    ///         Also if `scale` is not a finite number above 0.
    ///     OSError: If the file cannot be read.
    ///     ValueError: If `up` or `group_by` has another value.
    #[staticmethod]
    #[pyo3(signature = (path, *, weld = None, up = None, scale = 1.0, group_by = "object"))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        weld: Option<bool>,
        up: Option<&str>,
        scale: f64,
        group_by: &str,
    ) -> PyResult<Self> {
        let up = up.map(|axis| axis.parse().map_err(value_error)).transpose()?;
        let group_by = group_by.parse().map_err(value_error)?;
        let options = ReadOptions { weld, up, scale, group_by, ..ReadOptions::default() };
        let import = interruptible(py, None, move |_| bvtree::Mesh::open_with(path, &options))?;
        import.map(|import| Self::new(import.mesh)).map_err(of_mesh)
    }

    /// Converts a mesh object of another library.
    ///
    /// Args:
    ///     object: An object with `vertices` and either `faces` (trimesh, pyrender, meshio-like) or `triangles`
    ///         (Open3D); an Open3D tensor mesh, on any device; a `Mesh`; or a tuple of vertices and faces.
    ///
    /// Raises:
    ///     TypeError: If the object has no such attributes.
    ///     InvalidMesh, ValueError: See `Mesh`.
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

    /// The vertices as an (N, 3) float32 array, read-only and without a copy.
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let vertices = slf.get().mesh.vertices();

        view(slf, vertices.as_ptr().cast::<f32>(), vertices.len())
    }

    /// The triangles as an (M, 3) uint32 array, read-only and without a copy.
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let triangles = slf.get().mesh.triangles();
        view(slf, triangles.as_ptr().cast::<u32>(), triangles.len())
    }

    /// The lower and upper corner of the box around all triangles, as a (2, 3) float64 array. For a mesh without
    /// triangles the lower corner is infinity and the upper one is minus infinity.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        bounds(py, &self.mesh.aabb())
    }

    /// Counts the mesh's parts and defects and returns a dict: `triangles`, `vertices`, `distinct_vertices`,
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

    /// Computes volume, centre of mass and inertia of the enclosed solid at a density of 1.
    ///
    /// Returns:
    ///     A dict of `volume` (float), `center` ((3,) float64) and `inertia` ((3, 3) float64, about the centre).
    ///
    /// Raises:
    ///     NotClosed: If the mesh is open.
    ///     Error: If its triangles' orientations disagree or it encloses no volume.
    fn mass_properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mesh = self.mesh.clone();
        let properties = interruptible(py, None, move |_| MassProperties::of(&mesh))?;
        let properties = properties.map_err(|error| match error {
            MassError::Open => not_closed(py, &self.mesh, ""),
            error => Error::new_err(error.to_string()),
        })?;
        mass_dict(py, &properties)
    }

    fn __len__(&self) -> usize {
        self.mesh.triangles().len()
    }

    fn __repr__(&self) -> String {
        let (vertices, triangles) = (self.mesh.vertices().len(), self.mesh.triangles().len());
        format!("<bvtree.Mesh: {vertices} vertices, {triangles} triangles>")
    }

    /// Returns the mesh itself, which never changes.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Returns the mesh itself, which never changes.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let mesh = &slf.get().mesh;
        let polygons = (0..mesh.triangles().len() as u32).map(|triangle| mesh.polygon(triangle));
        let groups = mesh.groups().iter().map(|group| (&group.name, &group.material, group.first_triangle));
        let origin = <[f64; 3]>::from(mesh.origin());
        let polygons = PyArray1::from_iter(slf.py(), polygons);
        let parts = (Self::vertices(slf)?, Self::faces(slf)?, polygons, groups.collect::<Vec<_>>(), origin);
        (slf.get_type().getattr("_from_parts")?, parts).into_pyobject(slf.py())
    }

    /// Makes the mesh of a pickle.
    #[staticmethod]
    #[pyo3(name = "_from_parts")]
    fn from_parts(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        polygons: &Bound<'_, PyArray1<u32>>,
        groups: Vec<(String, String, u32)>,
        origin: [f64; 3],
    ) -> PyResult<Self> {
        let group = |(name, material, first_triangle)| Group { name, material, first_triangle };
        let groups = groups.into_iter().map(group).collect();
        let mesh = bvtree::Mesh::from_parts(positions(vertices)?, triangles(faces)?, polygons.to_vec()?, groups);
        mesh.map(|mesh| Self::new(mesh.with_origin(origin.into()))).map_err(of_mesh)
    }
}

/// Reads an attribute of an Open3D tensor mesh as an array, without rows if the attribute is missing, as in an empty
/// mesh.
fn tensor<'py>(of: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if !of.contains(name)? {
        return Ok(PyArray2::<u32>::zeros(of.py(), [0, 3], false).into_any());
    }
    of.get_item(name)?.call_method0("cpu")?.call_method0("numpy")
}

/// Returns a read-only array of rows of three that views the mesh's memory.
#[allow(unsafe_code)]
fn view<'py, T: Element>(mesh: &Bound<'py, PyMesh>, start: *const T, rows: usize) -> PyResult<Bound<'py, PyArray2<T>>> {
    // SAFETY: the mesh's points and triangles are rows of three numbers without padding, and never change or move: the
    // mesh is frozen, and the array keeps it alive. Nobody can write to the array, which is made read-only before it is
    // returned.
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

/// Converts mass properties to a dict for Python.
pub fn mass_dict<'py>(py: Python<'py>, mass: &MassProperties) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("volume", mass.volume)?;
    dict.set_item("center", numpy::PyArray1::from_slice(py, mass.center.coords.as_slice()))?;
    dict.set_item("inertia", numpy::PyArray1::from_slice(py, mass.inertia.as_slice()).reshape([3, 3])?)?;
    Ok(dict)
}
