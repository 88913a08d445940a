//! Convex polytopes as intersections of half-spaces: their faces, by clipping.

use nalgebra::{Point3, Vector3};

use crate::numeric::any_perpendicular;
use crate::numeric::error_bounds::ON_PLANE;

/// The points with `normal . point <= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfSpace {
    /// The unit normal.
    pub(crate) normal: Vector3<f64>,
    pub(crate) offset: f64,
}

/// The faces of the intersection of half-spaces as convex polygons, counterclockwise from outside: each plane clipped
/// by all others. A plane that only touches an edge or a corner has a face without area, or none.
///
/// Offsets are relative to `center`. The polytope must lie within a distance of twice the `size` from `center`.
pub(crate) fn faces(half_spaces: &[HalfSpace], center: &Point3<f64>, size: f64) -> Vec<Vec<Point3<f64>>> {
    let face = |HalfSpace { normal, offset }: &HalfSpace| {
        let u = any_perpendicular(normal);
        let v = normal.cross(&u);
        let corner = |a: f64, b: f64| normal * *offset + (u * a + v * b) * (4.0 * size);
        let square = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let others = half_spaces.iter().filter(|other| other.normal != *normal);
        let face = others.fold(square, |face, other| clipped(&face, &other.normal, other.offset + ON_PLANE * size));
        face.iter().map(|point| center + point).collect::<Vec<_>>()
    };
    half_spaces.iter().map(face).filter(|face| face.len() > 2).collect()
}

/// The part of a convex polygon with `normal . point <= offset` (Sutherland and Hodgman 1974).
pub(crate) fn clipped(polygon: &[Vector3<f64>], normal: &Vector3<f64>, offset: f64) -> Vec<Vector3<f64>> {
    let mut inside = Vec::with_capacity(polygon.len() + 1);
    for (i, to) in polygon.iter().enumerate() {
        let from = &polygon[(i + polygon.len() - 1) % polygon.len()];
        let [before, after] = [from, to].map(|point| normal.dot(point) - offset);
        if (before > 0.0) != (after > 0.0) {
            inside.push(from + (to - from) * (before / (before - after)));
        }
        if after <= 0.0 {
            inside.push(*to);
        }
    }
    inside
}

/// The area of a polygon times its unit normal.
pub(crate) fn area_vector(polygon: &[Point3<f64>]) -> Vector3<f64> {
    let fan = polygon.windows(2).skip(1).map(|ends| (ends[0] - polygon[0]).cross(&(ends[1] - polygon[0])));
    fan.sum::<Vector3<f64>>() * 0.5
}
