//! The exact intersection test of two triangles of one mesh, which ignores the vertices and edges they share.
//!
//! Seen from a shared vertex, both triangles are cones: they meet elsewhere if and only if the cones share a ray. That
//! takes four signs of orientation determinants, which the filter almost always decides.

use nalgebra::Point3;

use super::Triangle;
use super::intersects::{Segment, all_on_one_side, same_sign, segment_meets_triangle};
use super::orientation::{decide_sides, filtered_sides, orient2d, orient3d};

impl Triangle {
    /// Whether two closed triangles have a point in common outside the convex hull of the vertices they share (vertices
    /// at equal coordinates): an intersection between triangles of one mesh. Always true for duplicates, triangles with
    /// the same vertices.
    ///
    /// Without a shared vertex this is [`Triangle::intersects`]. It is true for triangles that share a vertex if the
    /// edge opposite to the vertex in one of them meets the other, and for triangles that share an edge if they are
    /// coplanar and on the same side of the edge. A triangle without area is a segment or a point; the result is false
    /// if that is just a shared edge or vertex of the other triangle. The result is exact within the limits of
    /// [`Triangle::intersects`].
    pub fn intersects_beyond_shared(&self, other: &Triangle) -> bool {
        let (a, b) = (&self.vertices, &other.vertices);
        let mut shared = a.iter().filter(|p| b.contains(p));
        let Some(p) = shared.next() else { return self.intersects(other) };
        match shared.find(|q| *q != p) {
            Some(q) => match [a, b].map(|corners| corners.iter().find(|r| *r != p && *r != q)) {
                [Some(r), Some(s)] => r == s || meet_beyond_edge([p, q], r, s),
                // Both triangles are the edge, or just one is.
                [r, s] => r.is_none() && s.is_none(),
            },
            None => match [arms(p, a), arms(p, b)] {
                [Some(a), Some(b)] => meet_beyond_corner(p, &a, &b),
                [a, b] => a.is_none() && b.is_none(),
            },
        }
    }
}

/// The end points of the edge opposite to a corner. If one of them is at the corner, the other is returned twice;
/// `None` if both end points are at the corner.
fn arms(corner: &Point3<f64>, corners: &[Point3<f64>; 3]) -> Option<Segment> {
    let mut others = corners.iter().filter(|p| *p != corner);
    let first = others.next()?;
    Some([*first, *others.next().unwrap_or(first)])
}

/// Whether the triangles `pqr` and `pqs` meet outside the edge `pq`; no two of the four points are equal.
fn meet_beyond_edge([p, q]: [&Point3<f64>; 2], r: &Point3<f64>, s: &Point3<f64>) -> bool {
    let plane = Triangle::new(*p, *q, *r);
    if filtered_sides(&plane, &[*s]) != [0.0] || orient3d(p, q, r, s) != 0.0 {
        return false;
    }
    let turns = [0, 1, 2].map(|axis| [r, s].map(|apex| orient2d(axis, p, q, apex)));
    if turns != [[0.0; 2]; 3] {
        return turns.iter().any(all_on_one_side);
    }
    // All four are on one line: whether both triangles extend beyond the same end.
    (0..3).any(|k| {
        let (low, high) = (p[k].min(q[k]), p[k].max(q[k]));
        low < high && (r[k] < low && s[k] < low || r[k] > high && s[k] > high)
    })
}

/// Whether the two triangles that `corner` spans with the segments `a` and `b` meet outside the corner, which is not an
/// end of either segment.
fn meet_beyond_corner(corner: &Point3<f64>, a: &Segment, b: &Segment) -> bool {
    let [triangle_a, triangle_b] = [a, b].map(|&[p, q]| Triangle::new(*corner, p, q));
    let mut sides_of_b = filtered_sides(&triangle_a, b);
    if all_on_one_side(&sides_of_b) {
        return false;
    }
    let mut sides_of_a = filtered_sides(&triangle_b, a);
    if all_on_one_side(&sides_of_a) {
        return false;
    }
    decide_sides(&mut sides_of_b, &triangle_a, b);
    if all_on_one_side(&sides_of_b) {
        return false;
    }
    if sides_of_b == [0.0; 2] {
        return meet_in_plane(corner, a, b);
    }
    decide_sides(&mut sides_of_a, &triangle_b, a);
    if all_on_one_side(&sides_of_a) {
        return false;
    }
    if sides_of_a == [0.0; 2] {
        return meet_degenerate(corner, a, b);
    }
    // With the normals m = a0 x a1 and n = b0 x b1, seen from the corner, A meets B's plane along
    // (n a0) a1 - (n a1) a0 = m x n if n a0 >= 0 >= n a1, and B meets A's along n x m if m b0 >= 0 >= m b1.
    (sides_of_a[0] > sides_of_a[1]) != (sides_of_b[0] > sides_of_b[1])
}

/// [`meet_beyond_corner`], for `b` in the plane of `a` and the corner.
fn meet_in_plane(corner: &Point3<f64>, a: &Segment, b: &Segment) -> bool {
    let opens = |axis, [p, q]: &Segment| orient2d(axis, corner, p, q) != 0.0;
    let Some(axis) = (0..3).find(|&axis| opens(axis, a) && opens(axis, b)) else {
        return meet_degenerate(corner, a, b);
    };
    let holds =
        |[p, q]: &Segment, ray| same_sign([[p, q], [p, ray], [ray, q]].map(|[p, q]| orient2d(axis, corner, p, q)));
    b.iter().any(|ray| holds(a, ray)) || a.iter().any(|ray| holds(b, ray))
}

/// [`meet_beyond_corner`], if one of the triangles may be a segment.
#[cold]
fn meet_degenerate(corner: &Point3<f64>, a: &Segment, b: &Segment) -> bool {
    let [triangle_a, triangle_b] = [a, b].map(|&[p, q]| Triangle::new(*corner, p, q));
    far_ends(corner, a).iter().any(|end| segment_meets_triangle(end, &triangle_b))
        || far_ends(corner, b).iter().any(|end| segment_meets_triangle(end, &triangle_a))
}

/// Segments without the corner that form the triangle with it: the opposite edge, or its two ends if the corner is
/// between them.
fn far_ends(corner: &Point3<f64>, [p, q]: &Segment) -> [Segment; 2] {
    let is_line = (0..3).all(|axis| orient2d(axis, corner, p, q) == 0.0);
    let is_between = (0..3).any(|k| (p[k] < corner[k] && corner[k] < q[k]) || (q[k] < corner[k] && corner[k] < p[k]));
    if is_line && is_between { [[*p; 2], [*q; 2]] } else { [[*p, *q]; 2] }
}
