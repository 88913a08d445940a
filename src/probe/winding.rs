//! The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers", 2013).

use std::f64::consts::PI;

use nalgebra::Point3;

use crate::tree::BvTree;
use crate::triangle::Triangle;

/// How often the mesh winds around a point: the sum of the triangles' signed solid angles over the full one.
///
/// For a closed mesh with normals outward it is 1 inside and 0 outside, up to rounding in the order of `1e-16 n` for n
/// triangles; a mesh with holes or flaws gives fractions, and above one half is a sound notion of inside. Triangles that overlap count each.
/// On the surface it is anything between the values of the two sides, and at a vertex or on an edge any sum of parts
/// of it. Sums over all n triangles.
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    let view = tree.view();
    let triangles = (0..view.corners.len()).map(|place| view.triangle(place).map(|vertex| vertex.map(f64::from)));
    triangles.map(|vertices| half_solid_angle(&Triangle { vertices }, point)).sum::<f64>() / (2.0 * PI)
}

/// Half the signed solid angle of a triangle: positive from behind (van Oosterom and Strackee, "The Solid Angle of a
/// Plane Triangle", 1983).
fn half_solid_angle(triangle: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = triangle.vertices.map(|vertex| vertex - point);
    let lengths = [a.norm(), b.norm(), c.norm()];
    let sine = a.dot(&b.cross(&c));
    let cosine =
        lengths.iter().product::<f64>() + a.dot(&b) * lengths[2] + b.dot(&c) * lengths[0] + c.dot(&a) * lengths[1];
    sine.atan2(cosine)
}
