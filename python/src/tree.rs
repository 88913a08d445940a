//! Trees: building, cooking, opening and pickling them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bvtree::BvTree;
use bvtree::mesh::GroupIds;
use bvtree::probe::Watertightness;
use bvtree::tree::Layers;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{Asked, Numbers, one_or_many};
use crate::errors::{Error, not_closed, of_build, of_cook, of_mesh, value_error};
use crate::mesh::{PyMesh, bounds};
use crate::options::build_options;
use crate::refit::PyDeformingTree;
use crate::threads::interruptible;

/// An immutable bounding-volume tree over the triangles of a mesh. Threads may share it.
///
/// Args:
///     mesh: A `Mesh`, a tuple of vertices and faces, or a mesh object such as `trimesh.Trimesh` or Open3D's
///         `TriangleMesh`.
///     kind: The bounding volumes: "obb" (fastest to query), "aabb" (fastest to build), "sphere" (smallest) or "kdop"
///         (18-direction k-DOPs). The kind affects speed and size, never results.
///     preset: "fast", "balanced" or "tight", from the fastest build to the fastest queries.
///     threads: Number of threads for the build; all cores if None. The tree does not depend on it.
///     options: Single rules that replace the preset's, by name: `builder`, `split`, `rotation_passes`, `collapse`,
///         `obb_fit`, `sphere_fit`, `max_depth`, `max_leaf_triangles`.
///
/// Raises:
///     InvalidMesh: If the arrays are not a valid mesh.
///     ValueError: If a name is unknown (the message lists the known ones), or a number is out of range.
///     Error: If `max_leaf_triangles` is 0, or the tree would have too many volumes.
///     TypeError: If `mesh` is not a mesh, or there is no such option.
///
/// Examples:
///     >>> import bvtree
///     >>> tree = bvtree.Tree(bvtree.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
///     >>> tree
///     <bvtree.Tree: obb, 1 triangles, 1 nodes>
///     >>> tree == bvtree.Tree.from_bytes(tree.to_bytes())
///     True
#[pyclass(frozen, module = "bvtree", name = "Tree")]
pub struct PyTree {
    pub tree: Arc<BvTree>,
    /// Whether the mesh's watertightness is known already; it is determined once.
    watertightness_known: AtomicBool,
}

impl PyTree {
    pub fn new(tree: BvTree) -> Self {
        Self::shared(Arc::new(tree))
    }

    pub fn shared(tree: Arc<BvTree>) -> Self {
        Self { tree, watertightness_known: AtomicBool::new(false) }
    }

    /// Determines the mesh's watertightness; the first call takes long and runs in a pool.
    pub fn watertightness(&self, py: Python<'_>) -> PyResult<Watertightness> {
        if !self.watertightness_known.load(Ordering::Acquire) {
            let tree = self.tree.clone();
            interruptible(py, None, move |_| tree.watertightness())?;
            self.watertightness_known.store(true, Ordering::Release);
        }
        Ok(self.tree.watertightness())
    }

    /// Returns the error for a mesh that must be closed.
    pub fn not_closed(&self, py: Python<'_>, advice: &str) -> PyErr {
        match self.tree.to_mesh() {
            Ok(mesh) => not_closed(py, &mesh, advice),
            Err(error) => of_mesh(error),
        }
    }

    fn bytes(&self, py: Python<'_>, compact: bool) -> PyResult<Vec<u8>> {
        py.detach(|| {
            let mut bytes = Vec::new();
            match compact {
                true => self.tree.write_compact_to(&mut bytes),
                false => self.tree.write_to(&mut bytes),
            }
            .map(|()| bytes)
        })
        .map_err(|error| of_cook(error.into()))
    }
}

/// Returns the tree that was passed as an argument. The error names the argument and says what to pass.
pub fn tree_argument<'a>(argument: &'a Bound<'_, PyAny>, name: &str) -> PyResult<&'a PyTree> {
    if let Ok(tree) = argument.cast::<PyTree>() {
        return Ok(tree.get());
    }
    let advice = if PyMesh::from_object(argument).is_ok() {
        "; build one with bvtree.Tree(mesh)"
    } else if argument.is_instance_of::<PyDeformingTree>() {
        "; pass its attribute `tree`"
    } else {
        ""
    };
    let other = argument.get_type().fully_qualified_name()?;
    Err(PyTypeError::new_err(format!("argument '{name}' must be a bvtree.Tree, not {other}{advice}")))
}

/// Returns the trees of the arguments `a` and `b`.
pub fn trees<'a>([a, b]: [&'a Bound<'_, PyAny>; 2]) -> PyResult<[&'a PyTree; 2]> {
    Ok([tree_argument(a, "a")?, tree_argument(b, "b")?])
}

#[pymethods]
impl PyTree {
    #[new]
    #[pyo3(signature = (mesh, kind = "obb", *, preset = "balanced", threads = None, **options))]
    fn build(
        py: Python<'_>,
        mesh: &Bound<'_, PyAny>,
        kind: &str,
        preset: &str,
        threads: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = build_options(kind, preset, options)?;
        let mesh = PyMesh::from_object(mesh)?.mesh;
        let built = interruptible(py, threads, move |_| BvTree::build(&mesh, &options))?;
        built.map(Self::new).map_err(of_build)
    }

    /// Builds a tree directly into a cooked file and opens it: the same as building and saving, with about half the
    /// memory.
    ///
    /// Args:
    ///     mesh, kind, preset, threads, options: See `Tree`.
    ///     path: The file, which appears whole or not at all.
    ///
    /// Raises:
    ///     OSError: If the file cannot be written. For other errors see `Tree`.
    #[staticmethod]
    #[pyo3(signature = (mesh, path, kind = "obb", *, preset = "balanced", threads = None, **options))]
    fn cook(
        py: Python<'_>,
        mesh: &Bound<'_, PyAny>,
        path: PathBuf,
        kind: &str,
        preset: &str,
        threads: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = build_options(kind, preset, options)?;
        let mesh = PyMesh::from_object(mesh)?.mesh;
        let cooked = interruptible(py, threads, move |_| BvTree::cook(&mesh, &options, path))?;
        cooked.map(Self::new).map_err(of_cook)
    }

    /// Opens a cooked file and checks every byte of it.
    ///
    /// Args:
    ///     path: The file.
    ///     mmap: Whether to map the file into memory instead of reading it: processes that open it share its memory.
    ///         Nobody may change the file in place while the tree lives; replacing it by another file of the same name,
    ///         as `save` does, is fine.
    ///
    /// Raises:
    ///     InvalidFile: If the file is not a cooked file or is damaged; the message says what is wrong and where.
    ///     OSError: If the file cannot be read.
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap = false))]
    #[allow(unsafe_code)]
    fn open(py: Python<'_>, path: PathBuf, mmap: bool) -> PyResult<Self> {
        let opened = interruptible(py, None, move |_| match mmap {
            // SAFETY: the docstring requires it of the caller.
            true => unsafe { BvTree::open_mapped(path) },
            false => BvTree::open(path),
        })?;
        opened.map(Self::new).map_err(of_cook)
    }

    /// Opens a tree from the bytes of a cooked file.
    ///
    /// Args:
    ///     data: The bytes, as `to_bytes` returns them.
    ///
    /// Raises:
    ///     InvalidFile: If the bytes are damaged or not a cooked tree.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let bytes = data.as_bytes();
        let pool = crate::threads::pool(None)?;
        py.detach(|| pool.install(|| BvTree::from_bytes(bytes))).map(Self::new).map_err(of_cook)
    }

    /// Writes a cooked file, which appears whole or not at all. Its bytes depend only on the mesh and the options.
    ///
    /// Args:
    ///     path: The file; by convention it ends in ".bvt".
    ///     compact: Whether to write a compact file, of about 10 bytes per triangle in place of 40 to 70. It gives the
    ///         same answers, but opening it takes about half the time of a build.
    ///
    /// Raises:
    ///     OSError: If the file cannot be written.
    #[pyo3(signature = (path, *, compact = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, compact: bool) -> PyResult<()> {
        let tree = self.tree.clone();
        let saved = interruptible(py, None, move |_| match compact {
            true => tree.save_compact(path),
            false => tree.save(path),
        })?;
        saved.map_err(of_cook)
    }

    /// Returns the bytes of the cooked file, which pickling also uses.
    ///
    /// Args:
    ///     compact: See `save`.
    ///
    /// Raises:
    ///     TypeError: If `compact` is not a bool.
    #[pyo3(signature = (*, compact = false))]
    fn to_bytes<'py>(&self, py: Python<'py>, compact: bool) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.bytes(py, compact)?))
    }

    /// Returns the mesh: the same triangles in the same order, with vertices in the order in which leaves use them.
    fn to_mesh(&self, py: Python<'_>) -> PyResult<PyMesh> {
        py.detach(|| self.tree.to_mesh()).map(PyMesh::new).map_err(of_mesh)
    }

    /// The kind of volume: "aabb", "obb", "sphere" or "kdop".
    #[getter]
    fn kind(&self) -> &'static str {
        self.tree.kind().name()
    }

    /// The build options as a dict for `Tree`: `Tree(mesh, **tree.options)`.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = self.tree.options();
        let dict = PyDict::new(py);
        dict.set_item("kind", options.kind.name())?;
        dict.set_item("builder", options.builder.name())?;
        dict.set_item("split", options.split.name())?;
        dict.set_item("rotation_passes", options.rotation_passes)?;
        dict.set_item("collapse", options.collapse.name())?;
        dict.set_item("obb_fit", options.obb_fit.name())?;
        dict.set_item("sphere_fit", options.sphere_fit.name())?;
        dict.set_item("max_depth", options.max_depth)?;
        dict.set_item("max_leaf_triangles", options.max_leaf_triangles)?;
        Ok(dict)
    }

    /// The lower and upper corner of the box around the mesh, as a (2, 3) float64 array. For an empty mesh the lower
    /// corner is infinity and the upper one is minus infinity.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        bounds(py, self.tree.bounds())
    }

    /// Number of stored volumes, including the root's and the leaves'.
    #[getter]
    fn node_count(&self) -> usize {
        self.tree.node_count()
    }

    /// Number of levels of stored volumes below the root.
    #[getter]
    fn depth(&self) -> u32 {
        self.tree.depth()
    }

    /// Number of leaves.
    #[getter]
    fn leaf_count(&self) -> usize {
        self.tree.leaf_count()
    }

    /// Size of the cooked file in bytes, without its header and padding.
    #[getter]
    fn nbytes(&self) -> usize {
        // The sum does not include the header and alignment.
        self.tree.section_sizes().iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Whether the mesh is closed (watertight), so that it has an inside: no edge has an odd number of triangles. The
    /// first access takes longer.
    #[getter]
    fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.watertightness(py)?.is_closed())
    }

    /// Groups of the source file, as a list of names and first faces; empty without groups.
    #[getter]
    fn groups(&self) -> Vec<(String, u32)> {
        self.tree.groups().iter().map(|group| (group.name.clone(), group.first_triangle)).collect()
    }

    /// Distinct names of the groups in the order of first faces, and an (N,) int64 array with the index of each
    /// triangle's name; triangles before the first group have an empty name.
    #[getter]
    fn group_ids<'py>(&self, py: Python<'py>) -> NamesAndIds<'py> {
        names_and_ids(py, self.tree.group_ids())
    }

    /// Distinct materials in the order of first faces, and an (N,) int64 array with the index of each triangle's
    /// material; one material without a name, unless the mesh was read with `group_by="both"`.
    #[getter]
    fn material_ids<'py>(&self, py: Python<'py>) -> NamesAndIds<'py> {
        names_and_ids(py, self.tree.material_ids())
    }

    /// Assigns layers to all triangles. They can be set only once, after building or opening; files don't contain them.
    ///
    /// Queries with a mask ignore triangles that have no layer in the mask: queries of trees that take `mask` or
    /// `masks`, those of a `Scene` that take `mask`, and a `Character`.
    ///
    /// Args:
    ///     layers: The layers of each triangle as bits of an integer below 2^32: (N,) integers, or one for all.
    ///     one_sided: Whether queries with a mask pass each triangle from behind: (N,) bools; None means that they pass
    ///         none. The front is the side from which corners run counterclockwise.
    ///
    /// Raises:
    ///     ValueError: If an array does not have one item for each triangle, or an integer is not below 2^32.
    ///     Error: If the layers have been set before.
    ///
    /// Examples:
    ///     >>> import bvtree, numpy as np
    ///     >>> corners = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 1], [4, 0, 1], [0, 4, 1]]
    ///     >>> level = bvtree.Tree((corners, [[0, 1, 2], [3, 4, 5]]))
    ///     >>> sight, bullets = 1, 2
    ///     >>> level.set_layers(np.array([sight | bullets, bullets]))     # the second one is glass
    ///     >>> [float(level.closest_hit([1, 1, 5], [0, 0, -1], mask=mask).time) for mask in (sight, bullets)]
    ///     [5.0, 4.0]
    #[pyo3(signature = (layers, one_sided = None))]
    fn set_layers(&self, layers: &Bound<'_, PyAny>, one_sided: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let count = self.tree.triangle_count();
        let layers = match one_or_many(layers, "layers")? {
            Asked::One(layers) => vec![layers; count],
            Asked::Many(layers) => layers,
        };
        let layers: Vec<u32> = layers.into_iter().map(u32::try_from).collect::<Result<_, _>>().map_err(value_error)?;
        let one_sided = one_sided.map(|given| Numbers::new(given, "one_sided")).transpose()?;
        let sides = one_sided.as_ref().map_or(&[][..], Numbers::values).to_vec();
        if layers.len() != count || one_sided.is_some() && sides.len() != count {
            return Err(value_error(format_args!("expected as many layers as triangles: {count}")));
        }
        let set = self.tree.set_layers(|face| {
            let face = face as usize;
            Layers { bits: layers[face], is_one_sided: sides.get(face).is_some_and(|&side| side != 0.0) }
        });
        set.map_err(|error| Error::new_err(error.to_string()))
    }

    /// Digest of the mesh that the tree was built from, as 32 hexadecimal digits; all zeros after a refit.
    #[getter]
    fn mesh_digest(&self) -> String {
        format!("{:032x}", self.tree.mesh_digest())
    }

    fn __len__(&self) -> usize {
        self.tree.triangle_count()
    }

    fn __repr__(&self) -> String {
        let (triangles, nodes) = (self.tree.triangle_count(), self.tree.node_count());
        format!("<bvtree.Tree: {}, {triangles} triangles, {nodes} nodes>", self.kind())
    }

    /// Compares the trees' cooked files.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<PyTree>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let is_equal = Arc::ptr_eq(&self.tree, &other.tree)
            || self.tree.mesh_digest() == other.tree.mesh_digest()
                && self.bytes(py, false)? == other.bytes(py, false)?;
        Ok(is_equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self) -> u64 {
        self.tree.mesh_digest() as u64
    }

    /// Returns the tree itself, which never changes.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Returns the tree itself, which never changes.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        let py = slf.py();
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        (from_bytes, (slf.get().to_bytes(py, false)?,)).into_pyobject(py)
    }
}

type NamesAndIds<'py> = (Vec<String>, Bound<'py, PyArray1<i64>>);

fn names_and_ids(py: Python<'_>, GroupIds { names, ids }: GroupIds) -> NamesAndIds<'_> {
    (names, ids.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
}
