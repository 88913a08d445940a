//! The volumes of a tree, for display and custom traversals.

use bvtree::Volume;
use bvtree::tree::NodeInfo;
use nalgebra::{Matrix3, Vector3};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayDescr};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::answer::{dtype, record};
use crate::tree::PyTree;

record! {
    /// A volume and its subtree.
    NodeRow {
        level: i64 = "i8",
        parent: i64 = "i8",
        children: i64 = "i8",
        first_triangle: i64 = "i8",
        triangles: i64 = "i8",
        center: [f64; 3] = "3f8",
        half_extents: [f64; 3] = "3f8",
        axes: [[f64; 3]; 3] = "(3,3)f8",
    }
}

impl From<NodeInfo> for NodeRow {
    fn from(node: NodeInfo) -> Self {
        let upright = Matrix3::identity();
        let (center, half_extents, axes) = match &node.volume {
            Volume::Aabb(aabb) => (aabb.center(), aabb.half_extents(), upright),
            Volume::Obb(obb) => (obb.center, obb.half_extents, obb.axes),
            Volume::Sphere(sphere) => (sphere.center, Vector3::repeat(sphere.radius), upright),
            Volume::KDop(kdop) => (kdop.center(), kdop.aabb().half_extents(), upright),
        };
        Self {
            level: node.level.into(),
            parent: node.parent.map_or(-1, |parent| parent as i64),
            children: node.children as i64,
            first_triangle: node.first_triangle as i64,
            triangles: node.triangles as i64,
            center: center.into(),
            half_extents: half_extents.into(),
            // Each axis is a row here and a column of the matrix.
            axes: axes.into(),
        }
    }
}

#[pymethods]
impl PyTree {
    /// Returns all stored volumes, level by level from the root, with siblings next to each other.
    ///
    /// Returns:
    ///     A structured array with the fields `level` (0 for the root), `parent` (the parent's row; -1 for the root),
    ///     `children` (number of volumes directly below, 0 for a leaf), `first_triangle` and `triangles` (the subtree's
    ///     range of `leaf_order`), `center`, `half_extents` (for a sphere all three are the radius; for a k-DOP they
    ///     are those of its AABB) and `axes` ((3, 3), a row for each axis of a box).
    ///
    /// Examples:
    ///     >>> import bvtree
    ///     >>> tree = bvtree.Tree(([[0, 0, 0], [2, 0, 0], [0, 2, 0]], [[0, 1, 2]]), "aabb")
    ///     >>> nodes = tree.nodes()
    ///     >>> nodes["level"], nodes["triangles"], nodes["half_extents"].round(3)
    ///     (array([0]), array([1]), array([[1., 1., 0.]]))
    fn nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<NodeRow>> {
        let rows: Vec<NodeRow> = py.detach(|| self.tree.nodes().map(NodeRow::from).collect());
        rows.into_pyarray(py)
    }

    /// Returns the mesh's faces in the order of the leaves, (M,) uint32: the faces of each node are contiguous.
    #[getter]
    fn leaf_order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, self.tree.faces())
    }
}
