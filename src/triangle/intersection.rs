//! The intersection of two triangles, and whether they cross.
//!
//! Whether triangles intersect or cross is decided exactly; points are computed in f64. The point where an edge passes
//! through a triangle depends on the edge and the triangle alone, so neighbours that share the edge give the same point
//! to the bit.

use nalgebra::Point3;
use smallvec::SmallVec;

use super::Triangle;
use super::orientation::orient3d;

/// The vertices of the intersection of two triangles: none, one point, the two ends of a segment, or the vertices of a
/// convex polygon in order.
pub type CommonPoints = SmallVec<[Point3<f64>; 6]>;

impl Triangle {
    /// Whether the interiors of the triangles cross along a segment of positive length. The answer is as exact as that
    /// of [`Triangle::intersects`]; it is false for coplanar triangles and for triangles without area.
    pub fn crosses(&self, other: &Triangle) -> bool {
        let (sides_of_self, sides_of_other) = (other.sides(self), self.sides(other));
        if !straddles(&sides_of_self) || !straddles(&sides_of_other) {
            return false;
        }
        // The segments in which they cut the common line overlap in more than a point if each starts before the other
        // ends.
        let (a, b) = (apex_first(self, &sides_of_self), apex_first(other, &sides_of_other));
        let (mut arms_a, mut arms_b) = ([a.0[1], a.0[2]], [b.0[1], b.0[2]]);
        if a.1 {
            arms_b.swap(0, 1);
        }
        if b.1 {
            arms_a.swap(0, 1);
        }
        orient3d(&a.0[0], &arms_a[0], &b.0[0], &arms_b[0]) < 0.0
            && orient3d(&a.0[0], &arms_a[1], &arms_b[1], &b.0[0]) < 0.0
    }

    /// The intersection of the triangles; empty exactly if they don't intersect. Points are rounded. If a triangle has
    /// no area, the result is a single common point.
    pub fn intersection(&self, other: &Triangle) -> CommonPoints {
        if !self.intersects(other) {
            return CommonPoints::new();
        }
        let (sides_of_self, sides_of_other) = (other.sides(self), self.sides(other));
        let common = if sides_of_self == [0.0; 3] && sides_of_other == [0.0; 3] {
            coplanar(self, other)
        } else {
            along_line(self, &sides_of_self, other, &sides_of_other)
        };
        match common {
            Some(common) if !common.is_empty() => common,
            _ => CommonPoints::from_slice(&[self.closest_points(other).on_a]),
        }
    }

    /// The sides of this triangle's plane on which the other's vertices are, with exact signs.
    fn sides(&self, other: &Triangle) -> [f64; 3] {
        let [a, b, c] = &self.vertices;
        other.vertices.map(|p| orient3d(a, b, c, &p))
    }
}

fn straddles(sides: &[f64; 3]) -> bool {
    sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0)
}

/// The vertices in order, starting with the one that is alone on its side, and whether that is the negative side.
fn apex_first(triangle: &Triangle, sides: &[f64; 3]) -> ([Point3<f64>; 3], bool) {
    let lone = |sign: f64| {
        let above = |i: usize| sides[i] * sign > 0.0;
        (0..3).find(|&i| above(i) && !above((i + 1) % 3) && !above((i + 2) % 3))
    };
    let (first, is_below) = match lone(1.0) {
        Some(first) => (first, false),
        None => (lone(-1.0).unwrap_or(0), true),
    };
    let v = &triangle.vertices;
    ([v[first], v[(first + 1) % 3], v[(first + 2) % 3]], is_below)
}

/// The common part of the segments in which the triangles cut each other's plane; `None` if either has no plane.
fn along_line(a: &Triangle, sides_of_a: &[f64; 3], b: &Triangle, sides_of_b: &[f64; 3]) -> Option<CommonPoints> {
    let [first_a, last_a] = cut(a, sides_of_a)?;
    let [first_b, last_b] = cut(b, sides_of_b)?;
    // The longer segment gives a more accurate direction of the line.
    let (line_a, line_b) = (last_a - first_a, last_b - first_b);
    let line = if line_a.norm_squared() >= line_b.norm_squared() { line_a } else { line_b };
    let along = |p: &Point3<f64>| (p - first_a).dot(&line);
    let in_order = |p: Point3<f64>, q: Point3<f64>| if along(&p) <= along(&q) { (p, q) } else { (q, p) };
    let ((start_a, end_a), (start_b, end_b)) = (in_order(first_a, last_a), in_order(first_b, last_b));
    let start = if along(&start_a) >= along(&start_b) { start_a } else { start_b };
    let end = if along(&end_a) <= along(&end_b) { end_a } else { end_b };
    // The segments meet, so a gap between them is rounding.
    let is_segment = along(&start) < along(&end);
    Some(if is_segment { CommonPoints::from_slice(&[start, end]) } else { CommonPoints::from_slice(&[start]) })
}

/// The ends of the segment in which a triangle cuts a plane; `None` if it lies in the plane or there is no plane.
fn cut(triangle: &Triangle, sides: &[f64; 3]) -> Option<[Point3<f64>; 2]> {
    let mut ends = CommonPoints::new();
    for i in 0..3 {
        let (j, p, q) = ((i + 1) % 3, triangle.vertices[i], triangle.vertices[(i + 1) % 3]);
        if sides[i] == 0.0 {
            ends.push(p);
        } else if sides[j] != 0.0 && (sides[i] > 0.0) != (sides[j] > 0.0) {
            ends.push(crossing(&p, sides[i], &q, sides[j]));
        }
    }
    match ends[..] {
        [end] => Some([end, end]),
        [first, last] => Some([first, last]),
        _ => None,
    }
}

/// The point where a segment crosses the plane; the same to the bit if its ends are swapped.
fn crossing(p: &Point3<f64>, side_p: f64, q: &Point3<f64>, side_q: f64) -> Point3<f64> {
    let is_ordered = [p.x, p.y, p.z] <= [q.x, q.y, q.z];
    let (p, side_p, q, side_q) = if is_ordered { (p, side_p, q, side_q) } else { (q, side_q, p, side_p) };
    p + (q - p) * (side_p / (side_p - side_q))
}

/// The intersection polygon of two coplanar triangles: one is clipped by the other's edges (Sutherland and Hodgman
/// 1974), projected along the axis of the normal's largest coordinate. `None` if either has no area.
fn coplanar(a: &Triangle, b: &Triangle) -> Option<CommonPoints> {
    let normal = a.scaled_normal();
    let axis = normal.iamax();
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    let sign = normal[axis].signum();
    if normal[axis] == 0.0 || b.scaled_normal()[axis] == 0.0 {
        return None;
    }
    let mut polygon = CommonPoints::from_slice(&b.vertices);
    for [p, q] in a.edges() {
        let side = |v: &Point3<f64>| sign * ((q[x] - p[x]) * (v[y] - p[y]) - (q[y] - p[y]) * (v[x] - p[x]));
        let mut kept = CommonPoints::new();
        for i in 0..polygon.len() {
            let (from, to) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            let (side_from, side_to) = (side(&from), side(&to));
            if side_from >= 0.0 {
                kept.push(from);
            }
            if (side_from > 0.0 && side_to < 0.0) || (side_from < 0.0 && side_to > 0.0) {
                kept.push(crossing(&from, side_from, &to, side_to));
            }
        }
        polygon = kept;
    }
    polygon.dedup();
    if polygon.len() > 1 && polygon.first() == polygon.last() {
        polygon.pop();
    }
    Some(polygon)
}
