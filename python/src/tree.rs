//! Trees: built, cooked, opened, pickled.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bvtree::BvTree;
use bvtree::probe::Watertightness;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{of_build, of_cook, of_mesh};
use crate::mesh::{PyMesh, bounds};
use crate::options::build_options;
use crate::threads::interruptible;

/// A bounding-volume tree over the triangles of a mesh. It never changes: share it among threads.
///
/// Args:
///     mesh: A `Mesh`, a tuple of vertices and faces, or an object that has them: `trimesh.Trimesh`, Open3D's
///         `TriangleMesh`.
///     kind: The bounding volumes: "obb" (fastest to ask), "aabb" (fastest to build) or "sphere" (smallest). The kind
///         changes the work, never an answer.
///     preset: "fast", "balanced" or "tight": the less time questions shall take, the more a build does.
///     threads: How many threads build; all cores if None. The tree is the same.
///     options: Single rules in place of the preset's, by name: `builder`, `split`, `rotation_passes`, `collapse`,
///         `obb_fit`, `sphere_fit`, `max_depth`, `max_leaf_triangles`.
///
/// Raises:
///     InvalidMesh: If the arrays are no mesh.
///     ValueError: If a name is unknown; the text has those there are.
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
    /// Whether it is known already whether the mesh is closed: that is found out once.
    watertightness_known: AtomicBool,
}

impl PyTree {
    pub fn new(tree: BvTree) -> Self {
        Self::shared(Arc::new(tree))
    }

    pub fn shared(tree: Arc<BvTree>) -> Self {
        Self { tree, watertightness_known: AtomicBool::new(false) }
    }

    /// Whether there is an inside. Found out in a pool when first asked, for it takes long then.
    pub fn watertightness(&self, py: Python<'_>) -> PyResult<Watertightness> {
        if !self.watertightness_known.load(Ordering::Acquire) {
            let tree = self.tree.clone();
            interruptible(py, None, move |_| tree.watertightness())?;
            self.watertightness_known.store(true, Ordering::Release);
        }
        Ok(self.tree.watertightness())
    }

    fn bytes(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        py.detach(|| {
            let mut bytes = Vec::new();
            self.tree.write_to(&mut bytes).map(|()| bytes)
        })
        .map_err(|error| of_cook(error.into()))
    }
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

    /// Builds a tree straight into a cooked file and opens it: the same as building and saving, at about half the
    /// memory.
    ///
    /// Args:
    ///     mesh, kind, preset, threads, options: As of `Tree`.
    ///     path: The file, which appears whole or not at all.
    ///
    /// Raises:
    ///     OSError: If the file can't be written. Besides, as `Tree`.
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

    /// Opens a cooked file, after a check of every byte of it.
    ///
    /// Args:
    ///     path: The file.
    ///     mmap: Map the file into memory in place of reading it: processes that open it share its memory. Nobody may
    ///         change it in place while the tree lives; replacing it by another one of its name, as `save` does, is
    ///         fine.
    ///
    /// Raises:
    ///     InvalidFile: If it is no cooked file, or damaged; the text says what and where.
    ///     OSError: If it can't be read.
    #[staticmethod]
    #[pyo3(signature = (path, *, mmap = false))]
    #[allow(unsafe_code)]
    fn open(py: Python<'_>, path: PathBuf, mmap: bool) -> PyResult<Self> {
        let opened = interruptible(py, None, move |_| match mmap {
            // SAFETY: the docs ask the caller to promise it.
            true => unsafe { BvTree::open_mapped(path) },
            false => BvTree::open(path),
        })?;
        opened.map(Self::new).map_err(of_cook)
    }

    /// The tree whose cooked file has these bytes.
    ///
    /// Raises:
    ///     InvalidFile: If they are damaged, or no tree's.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let bytes = data.as_bytes();
        let pool = crate::threads::pool(None)?;
        py.detach(|| pool.install(|| BvTree::from_bytes(bytes))).map(Self::new).map_err(of_cook)
    }

    /// Writes a cooked file, which appears whole or not at all. Its bytes depend on the mesh and the options alone.
    ///
    /// Raises:
    ///     OSError: If it can't be written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let tree = self.tree.clone();
        interruptible(py, None, move |_| tree.save(path))?.map_err(of_cook)
    }

    /// The bytes of the cooked file. Trees are pickled as these.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.bytes(py)?))
    }

    /// The mesh: the same triangles in the same order, their vertices in the order in which leaves use them.
    fn to_mesh(&self, py: Python<'_>) -> PyResult<PyMesh> {
        py.detach(|| self.tree.to_mesh()).map(PyMesh::new).map_err(of_mesh)
    }

    /// The kind of volume: "aabb", "obb", "sphere" or "kdop".
    #[getter]
    fn kind(&self) -> &'static str {
        self.tree.kind().name()
    }

    /// The rules it was built by, as a dict that `Tree` takes back: `Tree(mesh, **tree.options)`.
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

    /// The (2, 3) float64 lower and upper corner of the box around the mesh; infinite, and the wrong way round, for an
    /// empty one.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        bounds(py, self.tree.bounds())
    }

    /// How many volumes are stored, the root's and the leaves' included.
    #[getter]
    fn node_count(&self) -> usize {
        self.tree.node_count()
    }

    /// Levels of stored volumes below the root.
    #[getter]
    fn depth(&self) -> u32 {
        self.tree.depth()
    }

    /// How many leaves there are.
    #[getter]
    fn leaf_count(&self) -> usize {
        self.tree.leaf_count()
    }

    /// Bytes of the cooked file.
    #[getter]
    fn nbytes(&self) -> usize {
        // The header and what aligns the sections come on top.
        self.tree.section_sizes().iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Whether the mesh has an inside: no edge has an odd number of triangles. Found out when first asked.
    #[getter]
    fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.watertightness(py)?.is_closed())
    }

    /// Groups of the source file, as a list of names and first faces; empty if it had none.
    #[getter]
    fn groups(&self) -> Vec<(String, u32)> {
        self.tree.groups().iter().map(|group| (group.name.clone(), group.first_triangle)).collect()
    }

    /// A digest of the mesh that it was built from, 32 hexadecimal digits.
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

    /// Two trees are equal if their cooked files are.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<PyTree>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let is_equal = Arc::ptr_eq(&self.tree, &other.tree)
            || self.tree.mesh_digest() == other.tree.mesh_digest() && self.bytes(py)? == other.bytes(py)?;
        Ok(is_equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self) -> u64 {
        self.tree.mesh_digest() as u64
    }

    /// Itself: it never changes.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Itself: it never changes.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        let py = slf.py();
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        (from_bytes, (slf.get().to_bytes(py)?,)).into_pyobject(py)
    }
}
