//! The exact triangle-triangle intersection test of Guigue and Devillers, "Fast and Robust Triangle-Triangle Overlap
//! Test Using Orientation Predicates" (2003), and a slower one for coplanar and degenerate triangles.
//!
//! The slower test says that two closed triangles meet if and only if an edge of one meets the other. Tests of coplanar
//! points use all three axis projections: dropping a coordinate keeps the others exact, points that meet do so in every
//! projection, and at least one projection is one-to-one on a given plane.

use nalgebra::Point3;

use super::Triangle;
use super::orientation::{decide_sides, filtered_sides, orient2d, orient3d};
use super::separation::{larger, smaller};

impl Triangle {
    /// Whether two closed triangles have a point in common, also if they only touch. A triangle without area is a
    /// segment or a point.
    ///
    /// The result is exact if each coordinate is zero or has a magnitude in `1e-90 ..= 1e100`. Beyond that range it may
    /// be wrong for triangles that nearly touch; for NaN and infinity it is meaningless.
    #[inline]
    pub fn intersects(&self, other: &Triangle) -> bool {
        if !bounds_overlap(self, other) {
            return false;
        }
        let sides_of_other = filtered_sides(self, &other.vertices);
        if all_on_one_side(&sides_of_other) {
            return false;
        }
        let sides_of_self = filtered_sides(other, &self.vertices);
        if all_on_one_side(&sides_of_self) {
            return false;
        }
        intersects_across(self, other, sides_of_self, sides_of_other)
    }
}

/// Whether the axis-aligned bounds overlap: the cheapest exact test.
#[inline]
fn bounds_overlap(a: &Triangle, b: &Triangle) -> bool {
    let low = |t: &Triangle, k: usize| smaller(smaller(t.vertices[0][k], t.vertices[1][k]), t.vertices[2][k]);
    let high = |t: &Triangle, k: usize| larger(larger(t.vertices[0][k], t.vertices[1][k]), t.vertices[2][k]);
    (0..3).all(|k| low(a, k) <= high(b, k) && low(b, k) <= high(a, k))
}

#[inline]
pub(super) fn all_on_one_side<const N: usize>(sides: &[f64; N]) -> bool {
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

/// Whether triangles intersect, given that the filter has found neither to be wholly on one side of the other's plane.
fn intersects_across(a: &Triangle, b: &Triangle, mut sides_of_a: [f64; 3], mut sides_of_b: [f64; 3]) -> bool {
    decide_sides(&mut sides_of_b, a, &b.vertices);
    if all_on_one_side(&sides_of_b) {
        return false;
    }
    decide_sides(&mut sides_of_a, b, &a.vertices);
    if all_on_one_side(&sides_of_a) {
        return false;
    }
    match (fork(a, &sides_of_a), fork(b, &sides_of_b)) {
        (Some(mut a), Some(mut b)) => {
            if a.is_below {
                b.arms.swap(0, 1);
            }
            if b.is_below {
                a.arms.swap(0, 1);
            }
            intervals_overlap(&a, &b)
        }
        _ => triangles_meet(a, b),
    }
}

/// A triangle that crosses the other's plane, with the vertex that is alone on its side as the apex. The edges from the
/// apex to the other two vertices meet the plane in one point each.
struct Fork<'a> {
    apex: &'a Point3<f64>,
    /// The other vertices, in the triangle's order.
    arms: [&'a Point3<f64>; 2],
    /// Whether the apex is on the negative side, or on the plane with the others on the positive side.
    is_below: bool,
}

/// The triangle with its apex first, given the sides of the other triangle's plane on which its vertices lie, not all
/// strictly on one side; `None` if it lies in that plane or the other triangle has no plane.
fn fork<'a>(triangle: &'a Triangle, sides: &[f64; 3]) -> Option<Fork<'a>> {
    let [a, b, c] = &triangle.vertices;
    let [x, y, z] = *sides;
    let is_lone = |s: f64, t: f64, u: f64| (s > 0.0 && t <= 0.0 && u <= 0.0) || (s >= 0.0 && t < 0.0 && u < 0.0);
    for (apex, arms, [s, t, u]) in [(a, [b, c], [x, y, z]), (b, [c, a], [y, z, x]), (c, [a, b], [z, x, y])] {
        if is_lone(s, t, u) {
            return Some(Fork { apex, arms, is_below: false });
        }
        if is_lone(-s, -t, -u) {
            return Some(Fork { apex, arms, is_below: true });
        }
    }
    None
}

/// Whether the intervals in which the triangles cut the common line of their planes overlap (section 3 of Guigue and
/// Devillers). Precondition: each apex is above the other's plane.
#[inline]
fn intervals_overlap(a: &Fork, b: &Fork) -> bool {
    orient3d(a.apex, a.arms[0], b.apex, b.arms[0]) <= 0.0 && orient3d(a.apex, a.arms[1], b.arms[1], b.apex) <= 0.0
}

pub(super) type Segment = [Point3<f64>; 2];

/// Whether two closed triangles meet: the slower test, for triangles of any kind.
#[cold]
pub(super) fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    !edge_separates(a, b)
        && !edge_separates(b, a)
        && (a.edges().iter().any(|edge| segment_meets_triangle(edge, b))
            || b.edges().iter().any(|edge| segment_meets_triangle(edge, a)))
}

/// Whether, projected along some axis, the line of an edge of `a` has `b` strictly on the side away from `a`. This test
/// is fast and finds nearly all coplanar triangles that are apart.
fn edge_separates(a: &Triangle, b: &Triangle) -> bool {
    let [p, q, r] = &a.vertices;
    (0..3).any(|axis| {
        let turn = orient2d(axis, p, q, r);
        let is_beyond = |[p, q]: [&Point3<f64>; 2], v| {
            let side = orient2d(axis, p, q, v);
            (side > 0.0 && turn < 0.0) || (side < 0.0 && turn > 0.0)
        };
        turn != 0.0 && [[p, q], [q, r], [r, p]].iter().any(|edge| b.vertices.iter().all(|v| is_beyond(*edge, v)))
    })
}

/// Whether a closed segment, which may be a point, meets a closed triangle of any kind.
pub(super) fn segment_meets_triangle(segment: &Segment, triangle: &Triangle) -> bool {
    let ([p, q], [a, b, c]) = (segment, &triangle.vertices);
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if side_p == 0.0 && side_q == 0.0 {
        return triangle.edges().iter().any(|edge| segments_meet(segment, edge)) || contains_coplanar(triangle, p);
    }
    // The line pq crosses the plane in one point, which is in the triangle if the line passes all edges on the same
    // side.
    !same_strict_sign(side_p, side_q) && same_sign([orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)])
}

/// The point, up to rounding, at which a closed segment meets a closed triangle: the first end if the segment is in the
/// triangle's plane. An end that is in the triangle up to rounding counts as meeting it.
pub(crate) fn meeting_point(segment: &Segment, triangle: &Triangle) -> Option<Point3<f64>> {
    let filtered = filtered_sides(triangle, segment);
    if all_on_one_side(&filtered) {
        return None;
    }
    if segment_meets_triangle(segment, triangle) {
        let ([p, q], mut sides) = (segment, filtered);
        decide_sides(&mut sides, triangle, segment);
        let part = if sides[0] == sides[1] { 0.0 } else { sides[0] / (sides[0] - sides[1]) };
        return Some(p + (q - p) * part);
    }
    let undecided = segment.iter().zip(filtered).filter(|(_, side)| *side == 0.0);
    undecided.map(|(end, _)| *end).find(|end| triangle.closest_point(end) == *end)
}

/// Whether a triangle contains a point of its plane; false for a triangle without area, where the edges decide.
fn contains_coplanar(triangle: &Triangle, p: &Point3<f64>) -> bool {
    let [a, b, c] = &triangle.vertices;
    (0..3).any(|axis| orient2d(axis, a, b, c) != 0.0)
        && (0..3).all(|axis| same_sign([orient2d(axis, a, b, p), orient2d(axis, b, c, p), orient2d(axis, c, a, p)]))
}

/// Whether two closed segments meet; either may be a point.
fn segments_meet(s: &Segment, t: &Segment) -> bool {
    boxes_overlap(s, t)
        && orient3d(&s[0], &s[1], &t[0], &t[1]) == 0.0
        && (0..3).all(|axis| straddles(axis, s, t) && straddles(axis, t, s))
}

/// Whether, projected along the axis, the ends of `t` are not strictly on the same side of the line of `s`.
fn straddles(axis: usize, s: &Segment, t: &Segment) -> bool {
    !same_strict_sign(orient2d(axis, &s[0], &s[1], &t[0]), orient2d(axis, &s[0], &s[1], &t[1]))
}

fn boxes_overlap(s: &Segment, t: &Segment) -> bool {
    (0..3).all(|k| s[0][k].min(s[1][k]) <= t[0][k].max(t[1][k]) && t[0][k].min(t[1][k]) <= s[0][k].max(s[1][k]))
}

fn same_strict_sign(x: f64, y: f64) -> bool {
    (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0)
}

pub(super) fn same_sign<const N: usize>(signs: [f64; N]) -> bool {
    signs.iter().all(|&s| s >= 0.0) || signs.iter().all(|&s| s <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(vertices: [[f64; 3]; 3]) -> Triangle {
        Triangle { vertices: vertices.map(Point3::from) }
    }

    /// A test of two triangles tries all their edges, so that each vertex is the end of one edge and the start of
    /// another. A single segment has each end once.
    #[test]
    fn a_segment_meets_what_either_of_its_ends_touches() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        // Inside, on an edge, at a corner.
        for touched in [[1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 4.0, 0.0]] {
            // Ends above, below, and in the plane beside the triangle, where the segment leads away from it.
            for [x, y, z] in [[1.0, 2.0, 3.0], [1.0, 2.0, -3.0], [5.0, -3.0, 0.0], [-1.0, 9.0, 0.0]] {
                let (end, far) = (Point3::from(touched), Point3::new(x, y, z));
                for order in [[0, 1, 2], [0, 2, 1]] {
                    let triangle = triangle(order.map(|i| corners[i]));
                    assert!(segment_meets_triangle(&[end, far], &triangle), "{end} {far} {order:?}");
                    assert!(segment_meets_triangle(&[far, end], &triangle), "{far} {end} {order:?}");
                    let short = end + (far - end) * 0.125 + (far - Point3::new(1.0, 1.0, 0.0)) * 0.25;
                    let inside = z == 0.0 && short.x >= 0.0 && short.y >= 0.0 && short.x + short.y <= 4.0;
                    assert_eq!(segment_meets_triangle(&[short, far], &triangle), inside, "{short} {far} {order:?}");
                }
            }
        }
    }

    #[test]
    fn segments_meet_where_an_end_touches() {
        let s = [Point3::new(-2.0, 0.0, 1.0), Point3::new(2.0, 0.0, 1.0)];
        for middle in [-2.0, -1.0, 0.0, 2.0] {
            for side in [1.0, -1.0] {
                let t = [Point3::new(middle, 0.0, 1.0), Point3::new(middle + 0.5, side, 1.0)];
                for (s, t) in [(s, t), (s, [t[1], t[0]]), ([s[1], s[0]], t), ([s[1], s[0]], [t[1], t[0]])] {
                    assert!(segments_meet(&s, &t) && segments_meet(&t, &s), "{s:?} {t:?}");
                    let apart = t.map(|p| p + nalgebra::Vector3::new(0.0, 0.25 * side, 0.0));
                    assert!(!segments_meet(&s, &apart) && !segments_meet(&apart, &s), "{s:?} {apart:?}");
                }
            }
        }
    }
}
