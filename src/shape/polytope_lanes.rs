//! The faces, edges and vertices of a polytope in SIMD lanes, to find the axis of the shortest translation that
//! separates the polytope from a triangle.

use std::array;

use nalgebra::{Point3, Vector3};

use super::convex_polytope::Polytope;
use crate::simd::vectors::dot_unfused64;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::triangle::Triangle;

/// Rows of eight f64, relative to the shape's center: of the facets, then of the edges, then of the vertices.
///
/// Sums and products are not fused, so that all SIMD levels choose the same axis.
#[derive(Clone, Debug)]
pub(super) struct PolytopeLanes {
    rows: Vec<[f64; 8]>,
    facets: usize,
    edges: usize,
}

/// A facet: its unit normal, and its height above the center.
const FACET_ROWS: usize = 4;
/// An edge: both of its facets, and twice the cosine of the angle between their normals.
const EDGE_ROWS: usize = 2 * FACET_ROWS + 1;
const VERTEX_ROWS: usize = 3;

/// The gaps between a polytope and a triangle along the best axis of each kind.
struct BestOfEach {
    /// The gap along a facet's normal, and the facet's index.
    facet: (f64, usize),
    /// The gap along the cross product of two edges, and their indices in the polytope and in the triangle; `None` if
    /// no two may touch.
    edge: Option<(f64, usize, usize)>,
    /// The greatest and the least dot product of the triangle's normal, which is not normalized, and a vertex relative
    /// to the center.
    along_normal: [f64; 2],
}

impl PolytopeLanes {
    /// The lanes of a solid polytope; the facets' unit normals must be known.
    pub(super) fn new(polytope: &Polytope, center: &Point3<f64>) -> Self {
        let (edges, normals) = polytope.edges_and_normals();
        let vertices = polytope.vertices();
        let mut rows = Vec::new();
        let plane = |facet: usize| {
            let (normal, corner) = (normals[facet], vertices[polytope.facets()[facet][0]]);
            [normal.x, normal.y, normal.z, (corner - center).dot(&normal)]
        };
        // Nothing is as far below any plane as below those that fill the last lanes.
        push_lanes(&mut rows, normals.len(), [0.0, 0.0, 0.0, f64::MAX], plane);
        push_lanes(&mut rows, edges.len(), [0.0; EDGE_ROWS], |edge| {
            let [first, second] = edges[edge];
            let ([a, b, c, d], [e, f, g, h]) = (plane(first), plane(second));
            [a, b, c, d, e, f, g, h, 2.0 * normals[first].dot(&normals[second])]
        });
        let relative = |vertex: usize| (vertices[vertex] - center).into();
        push_lanes(&mut rows, vertices.len(), relative(0), relative);
        Self { rows, facets: normals.len().div_ceil(8), edges: edges.len().div_ceil(8) }
    }

    fn facets(&self) -> &[[[f64; 8]; FACET_ROWS]] {
        self.rows[..self.facets * FACET_ROWS].as_chunks().0
    }

    fn edges(&self) -> &[[[f64; 8]; EDGE_ROWS]] {
        self.rows[self.facets * FACET_ROWS..][..self.edges * EDGE_ROWS].as_chunks().0
    }

    fn vertices(&self) -> &[[[f64; 8]; VERTEX_ROWS]] {
        self.rows[self.facets * FACET_ROWS + self.edges * EDGE_ROWS..].as_chunks().0
    }

    /// The greatest height of a point, relative to the center, above the planes of the facets.
    pub(super) fn height_of(&self, level: SimdLevel, point: &Vector3<f64>) -> f64 {
        greatest_height(level, self.facets(), (*point).into())
    }
}

/// Appends rows of eight lanes for each eight of `count` columns; `filler` is in the lanes that are left.
fn push_lanes<const N: usize>(
    rows: &mut Vec<[f64; 8]>,
    count: usize,
    filler: [f64; N],
    column: impl Fn(usize) -> [f64; N],
) {
    for start in (0..count).step_by(8) {
        let columns: [[f64; N]; 8] = array::from_fn(|i| if start + i < count { column(start + i) } else { filler });
        rows.extend((0..N).map(|row| columns.map(|column| column[row])));
    }
}

impl Polytope {
    /// The unit vector, pointing from the polytope to a triangle, along the shortest translation that separates the
    /// two, up to rounding: a normal of the triangle or of a facet, or the cross product of two edges whose normals
    /// meet. (An edge's normals are those between its facets', and a triangle's edge has those across it on the outer
    /// side.)
    ///
    /// `None` if the polytope is flat, or one of the normals is too inexact. Of axes that are equally good up to
    /// `tolerance`, those of the triangle come first: the opposite of its normal, then the normal.
    pub(super) fn way_out_of(
        &self,
        level: SimdLevel,
        triangle: &Triangle,
        center: &Point3<f64>,
        tolerance: f64,
    ) -> Option<Vector3<f64>> {
        let lanes = self.lanes(center)?;
        let normal = triangle.scaled_normal();
        if !triangle.has_normal() {
            return None;
        }
        let relative = triangle.vertices.map(|vertex| (vertex - center).into());
        let found = best_of_each(level, lanes, relative, normal.into());
        let length = normal.norm();
        let height = Vector3::from(relative[0]).dot(&normal);
        let [highest, lowest] = found.along_normal;
        let (edges, normals) = self.edges_and_normals();
        let mut best = (-normal / length, (lowest - height) / length);
        let mut offer = |gap: f64, axis: &dyn Fn() -> Vector3<f64>| {
            if gap > best.1 + tolerance {
                best = (axis(), gap);
            }
        };
        offer((height - highest) / length, &|| normal / length);
        offer(found.facet.0, &|| normals[found.facet.1]);
        if let Some((gap, edge, side)) = found.edge {
            offer(gap, &|| {
                let [first, second] = edges[edge].map(|facet| &normals[facet]);
                let [p, q] = triangle.edges()[side];
                (first * second.dot(&(q - p)).abs() + second * first.dot(&(q - p)).abs()).normalize()
            });
        }
        Some(best.0)
    }
}

dispatched! {
    fn greatest_height(facets: &[[[f64; 8]; FACET_ROWS]], point: [f64; 3]) -> f64 =
        |s| greatest_height_by(s, facets, point);
    fn best_of_each(lanes: &PolytopeLanes, triangle: [[f64; 3]; 3], normal: [f64; 3]) -> BestOfEach =
        |s| best_of_each_by(s, lanes, triangle, normal);
}

#[inline(always)]
fn splat<S: Simd>(s: S, [x, y, z]: [f64; 3]) -> [S::F64x8; 3] {
    [s.splat64(x), s.splat64(y), s.splat64(z)]
}

/// The heights of points above eight facets' planes: normal and offset.
#[inline(always)]
fn heights<S: Simd, const N: usize>(
    s: S,
    [x, y, z, offset]: [&[f64; 8]; FACET_ROWS],
    points: &[[S::F64x8; 3]; N],
) -> [S::F64x8; N] {
    let (normal, offset) = ([s.load64(x), s.load64(y), s.load64(z)], s.load64(offset));
    let mut heights = [offset; N];
    for k in 0..N {
        heights[k] = s.sub64(dot_unfused64(s, &normal, &points[k]), offset);
    }
    heights
}

/// `u a + v b`.
#[inline(always)]
fn sum<S: Simd>(s: S, [u, v]: [S::F64x8; 2], a: S::F64x8, b: S::F64x8) -> S::F64x8 {
    s.add64(s.mul64(u, a), s.mul64(v, b))
}

#[inline(always)]
fn greatest_height_by<S: Simd>(s: S, facets: &[[[f64; 8]; FACET_ROWS]], point: [f64; 3]) -> f64 {
    let point = [splat(s, point)];
    let mut greatest = s.splat64(f64::NEG_INFINITY);
    for facets in facets {
        let [height] = heights(s, facets.each_ref(), &point);
        greatest = s.max64(height, greatest);
    }
    s.to_array64(greatest).into_iter().fold(f64::NEG_INFINITY, f64::max)
}

#[inline(always)]
fn best_of_each_by<S: Simd>(s: S, lanes: &PolytopeLanes, triangle: [[f64; 3]; 3], normal: [f64; 3]) -> BestOfEach {
    let [a, b, c] = triangle;
    let corners = [splat(s, a), splat(s, b), splat(s, c)];
    let nothing = s.splat64(f64::NEG_INFINITY);

    let (mut best, mut place) = (nothing, s.splat64(0.0));
    for (block, facets) in lanes.facets().iter().enumerate() {
        let [a, b, c] = heights(s, facets.each_ref(), &corners);
        let lowest = s.min64(s.min64(a, b), c);
        place = s.where_gt64(lowest, best, s.splat64(block as f64), place);
        best = s.where_gt64(lowest, best, lowest, best);
    }
    let (gaps, places) = (s.to_array64(best), s.to_array64(place));
    let index = |lane: usize, place: f64| place as usize * 8 + lane;
    let mut facet = (f64::NEG_INFINITY, 0);
    for lane in 0..8 {
        if gaps[lane] > facet.0 {
            facet = (gaps[lane], index(lane, places[lane]));
        }
    }

    // The square of the gap with its sign is `square / length_sq`; fractions are compared without a quotient.
    let zero = s.splat64(0.0);
    let (mut square, mut length_sq) = (s.splat64(-f64::MAX), s.splat64(1.0));
    let [mut place, mut side] = [zero; 2];
    for (block, edges) in lanes.edges().iter().enumerate() {
        let [a, b, c, d, e, f, g, h, cosine] = edges;
        let first = heights(s, [a, b, c, d], &corners);
        let second = heights(s, [e, f, g, h], &corners);
        let cosine = s.load64(cosine);
        for k in 0..3 {
            let [p, q, r] = [k, (k + 1) % 3, (k + 2) % 3];
            let (rise, fall) = (s.sub64(first[q], first[p]), s.sub64(second[q], second[p]));
            let (u, v) = (s.abs64(fall), s.abs64(rise));
            let gap = sum(s, [u, v], first[p], second[p]);
            let beside = sum(s, [u, v], s.sub64(first[r], first[p]), s.sub64(second[r], second[p]));
            let length = s.add64(sum(s, [u, v], u, v), s.mul64(s.mul64(u, v), cosine));
            let signed = s.mul64(gap, s.abs64(gap));
            let crossing = s.where_gt64(zero, s.mul64(rise, fall), signed, nothing);
            let outer = s.where_gt64(zero, beside, nothing, crossing);
            let [new, known] = [s.mul64(outer, length_sq), s.mul64(square, length)];
            place = s.where_gt64(new, known, s.splat64(block as f64), place);
            side = s.where_gt64(new, known, s.splat64(k as f64), side);
            square = s.where_gt64(new, known, outer, square);
            length_sq = s.where_gt64(new, known, length, length_sq);
        }
    }
    let (squares, lengths) = (s.to_array64(square), s.to_array64(length_sq));
    let (places, sides) = (s.to_array64(place), s.to_array64(side));
    let mut edge: Option<(f64, usize, usize)> = None;
    for lane in 0..8 {
        let gap = (squares[lane] / lengths[lane]).abs().sqrt().copysign(squares[lane]);
        if squares[lane] > -f64::MAX && edge.is_none_or(|(known, ..)| gap > known) {
            edge = Some((gap, index(lane, places[lane]), sides[lane] as usize));
        }
    }

    let normal = splat(s, normal);
    let [mut highest, mut lowest] = [nothing, s.splat64(f64::INFINITY)];
    for vertices in lanes.vertices() {
        let [x, y, z] = vertices;
        let along = dot_unfused64(s, &[s.load64(x), s.load64(y), s.load64(z)], &normal);
        (highest, lowest) = (s.max64(along, highest), s.min64(along, lowest));
    }
    let highest = s.to_array64(highest).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let lowest = s.to_array64(lowest).into_iter().fold(f64::INFINITY, f64::min);
    BestOfEach { facet, edge, along_normal: [highest, lowest] }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};
    use proptest::prelude::*;

    use super::{PolytopeLanes, best_of_each, greatest_height};
    use crate::shape::ConvexShape;
    use crate::shape::convex::Core;
    use crate::shape::convex_distance::{Opposite, RelativeTriangle};
    use crate::simd::SimdLevel;
    use crate::triangle::Triangle;

    fn points(count: usize) -> impl Strategy<Value = Vec<Point3<f64>>> {
        let point = [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Point3::from);
        proptest::collection::vec(point, count)
    }

    proptest! {
        #[test]
        fn the_way_out_is_the_best_of_all_normals_and_products(corners in points(20), others in points(3)) {
            let shape = ConvexShape::hull(&corners).unwrap();
            let Core::Polytope(polytope) = &shape.core else { unreachable!("a hull") };
            let triangle = Triangle { vertices: others.try_into().unwrap() };
            let opposite = RelativeTriangle::new(&shape, &triangle);
            let gap = |axis: Vector3<f64>| {
                let axis = axis.normalize();
                opposite.lowest(&axis).1 - shape.core_height(&axis)
            };
            let both = |axis: Vector3<f64>| gap(axis).max(gap(-axis));
            let sides = |triangle: &Triangle| triangle.edges().map(|[p, q]| q - p);
            let mut best = both(triangle.scaled_normal());
            for facet in polytope.triangles() {
                best = best.max(both(facet.scaled_normal()));
                for edge in sides(facet) {
                    for side in sides(&triangle) {
                        best = best.max(both(edge.cross(&side)));
                    }
                }
            }
            let lanes = PolytopeLanes::new(polytope, &shape.center());
            let relative = triangle.vertices.map(|vertex| (vertex - shape.center()).into());
            let normal = triangle.scaled_normal().into();
            let point = Vector3::from(relative[0]);
            let chosen = |level| {
                let found = best_of_each(level, &lanes, relative, normal);
                (found.facet, found.edge, found.along_normal, greatest_height(level, lanes.facets(), relative[0]))
            };
            let height = polytope.triangles().iter().map(|facet| {
                (point + shape.center().coords - facet.vertices[0].coords).dot(&facet.scaled_normal().normalize())
            });
            let height = height.fold(f64::NEG_INFINITY, f64::max);
            for level in SimdLevel::available() {
                prop_assert_eq!(chosen(level), chosen(SimdLevel::Portable), "{}", level);
                prop_assert!((lanes.height_of(level, &point) - height).abs() <= 1e-13);
                let axis = polytope.way_out_of(level, &triangle, &shape.center(), 1e-14);
                // Where both are apart, other directions than these may be the best.
                let is_best = |axis: Vector3<f64>| {
                    let over = gap(axis) - best;
                    if best < 0.0 { over.abs() <= 1e-12 } else { over <= 1e-12 }
                };
                prop_assert!(axis.is_none_or(is_best), "{:?} of {}", axis.map(gap), best);
                prop_assert!(axis.is_some() || !triangle.has_normal() || polytope.lanes(&shape.center()).is_none());
            }
        }
    }
}
