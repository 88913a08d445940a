//! Exact intersection of two triangles of any kind, coplanar and degenerate ones included.
//!
//! Slow and plain: two closed triangles meet if and only if an edge of one meets the other. Statements about coplanar
//! points are decided in all three axis projections: dropping a coordinate keeps the others exact, points that meet do
//! so in every projection, and at least one projection is one-to-one on a given plane.

use nalgebra::Point3;

use super::Triangle;
use super::orientation::{orient2d, orient3d};

pub(super) type Segment = [Point3<f64>; 2];

/// Whether two closed triangles meet, by exact predicates alone.
#[cold]
pub(super) fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    !edge_separates(a, b)
        && !edge_separates(b, a)
        && (a.edges().iter().any(|edge| segment_meets_triangle(edge, b))
            || b.edges().iter().any(|edge| segment_meets_triangle(edge, a)))
}

/// Whether, seen along some axis, an edge's line has its own triangle on one side and the other strictly beyond it.
/// Takes far less time than the rest, and finds nearly all coplanar triangles that are apart.
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
    // The line pq crosses the plane in one point, which is in the triangle if the line passes all edges on one side.
    !same_strict_sign(side_p, side_q) && same_sign([orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)])
}

/// Whether a triangle holds a point of its plane; false for a zero-area triangle, whose edges say it all.
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

/// Whether, seen along the axis, no end point of `t` or one on each side of `s`'s line is strictly beside it.
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
