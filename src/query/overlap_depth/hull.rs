//! A polygon around the part of a triangle that is inside the other mesh.

use nalgebra::Point3;

use super::piece::Polygon;
use crate::numeric::error_bounds::TRIPLE_PRODUCT_ROUNDING;
use crate::shape::convex_hull::hull_along;
use crate::triangle::Triangle;

/// The ends of the segment that two triangles have in common, up to `margin`: no common point is farther than that from
/// the segment. `None` if rounding hides the segment, as for triangles that are nearly parallel.
pub(super) fn common_segment([a, b]: &[Triangle; 2], margin: f64) -> Option<[Point3<f64>; 2]> {
    let ([first_a, last_a], [first_b, last_b]) = (cut(a, b, margin)?, cut(b, a, margin)?);
    // The longer segment gives a more accurate direction of the line.
    let (line_a, line_b) = (last_a - first_a, last_b - first_b);
    let line = if line_a.norm_squared() >= line_b.norm_squared() { line_a } else { line_b };
    let along = |p: &Point3<f64>| (p - first_a).dot(&line);
    let in_order = |p: Point3<f64>, q: Point3<f64>| if along(&p) <= along(&q) { [p, q] } else { [q, p] };
    let ([start_a, end_a], [start_b, end_b]) = (in_order(first_a, last_a), in_order(first_b, last_b));
    let start = if along(&start_a) >= along(&start_b) { start_a } else { start_b };
    let end = if along(&end_a) <= along(&end_b) { end_a } else { end_b };
    Some([start, end])
}

/// The ends of the segment in which a triangle meets the plane of another. An edge that lies in the plane up to
/// rounding is that segment. `None` if they do not meet, or if rounding hides where.
fn cut(triangle: &Triangle, plane: &Triangle, margin: f64) -> Option<[Point3<f64>; 2]> {
    let [a, b, c] = plane.vertices;
    let (u, v, normal) = (b - a, c - a, plane.scaled_normal());
    let vertices = &triangle.vertices;
    let farthest = vertices.iter().fold(0.0, |most: f64, p| most.max((p - a).norm_squared()));
    let error = TRIPLE_PRODUCT_ROUNDING * (u.norm_squared() * v.norm_squared() * farthest).sqrt();
    let heights = vertices.map(|p| normal.dot(&(p - a)));
    let is_flat = heights.map(|height| height.abs() <= error);
    if is_flat == [true; 3] {
        return None;
    }
    let mut ends = Polygon::new();
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let (p, q) = (vertices[i], vertices[j]);
        if is_flat[i] {
            ends.push(p);
        }
        let straddles = !is_flat[i] && !is_flat[j] && (heights[i] > 0.0) != (heights[j] > 0.0);
        if !straddles && is_flat[i] == is_flat[j] {
            continue;
        }
        let rise = heights[i] - heights[j];
        if rise.abs() * margin < 4.0 * error * (q - p).norm() {
            return None;
        }
        if straddles {
            ends.push(p + (q - p) * (heights[i] / rise));
        }
    }
    match ends[..] {
        [end] => Some([end, end]),
        [first, last] => Some([first, last]),
        _ => None,
    }
}

/// The convex hull of points in the plane of a triangle, in order. `None` if the triangle has no area.
pub(super) fn hull(mut points: Vec<Point3<f64>>, triangle: &Triangle) -> Option<Polygon> {
    let normal = triangle.scaled_normal();
    let axis = normal.iamax();
    if normal[axis] == 0.0 {
        return None;
    }
    Some(hull_along(&mut points, axis))
}
