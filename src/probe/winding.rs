//! The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers", 2013).

use nalgebra::Point3;

use crate::tree::BvTree;

/// How often the mesh winds around a point: the sum of the triangles' signed solid angles, divided by `4 pi`.
///
/// For a closed mesh with normals outward it is 1 inside and 0 outside, up to rounding in the order of `1e-16 n` for n
/// triangles; a mesh with holes or flaws gives fractions, and above one half is a sound notion of inside. Overlapping
/// triangles are counted each. For a point on the surface the value is unspecified: on a face between those of the two
/// sides, on an edge or at a vertex any partial sum.
///
/// The first question about a tree takes O(n log n) and keeps some 50 bytes per triangle; after that O(sqrt n) as a
/// rule.
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    tree.winding().number(&tree.view(), point)
}
