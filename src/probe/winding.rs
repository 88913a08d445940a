//! The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers", 2013).

use nalgebra::Point3;

use crate::tree::BvTree;

/// How often the mesh winds around a point: the sum of the triangles' signed solid angles over the full one.
///
/// For a closed mesh with normals outward it is 1 inside and 0 outside, up to rounding in the order of `1e-16 n` for n
/// triangles; a mesh with holes or flaws gives fractions, and above one half is a sound notion of inside. Triangles that
/// overlap count each.
/// On the surface it is anything between the values of the two sides, and at a vertex or on an edge any sum of parts
/// of it.
///
/// The first time a tree is asked takes O(n log n), and keeps some 50 bytes per triangle; then it takes in the order of
/// the root of n as a rule.
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    tree.winding().number(&tree.view(), point)
}
