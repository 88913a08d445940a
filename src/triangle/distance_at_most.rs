//! Upper bounds on distances from a triangle, which take a fraction of the time of exact distances.

use nalgebra::{Point3, Vector3};

use super::Triangle;
use crate::numeric::error_bounds::FOOT_ERROR;
use crate::simd::vectors::{Vector8x64, difference64, dot_unfused64};
use crate::simd::{Simd, SimdLevel, dispatched};

impl Triangle {
    /// An upper bound on the distance from a point: the distance to the point of the triangle that the Voronoi regions
    /// of Ericson (2005, section 5.1.5) give. It takes a fraction of the time of [`Triangle::closest_point`], which is
    /// used for slivers only, where those regions are ill-defined.
    #[inline]
    pub(crate) fn distance_at_most(&self, point: &Point3<f64>) -> f64 {
        self.offset_from_near(point).norm()
    }

    /// The distance from a point, up to a few roundings of the coordinates, mostly in a fraction of the time of
    /// [`Triangle::closest_point`].
    #[inline]
    pub(crate) fn distance_to(&self, point: &Point3<f64>) -> f64 {
        let offset = self.offset_from_near(point);
        let to_vertices = self.vertices.map(|vertex| (vertex - point) + offset);
        // The point found is the closest if the triangle is behind the plane through it that is normal to the offset.
        let before = to_vertices.iter().fold(0.0, |most: f64, vertex| most.max(vertex.dot(&offset)));
        let distance_sq = offset.norm_squared();
        let size_sq = distance_sq + to_vertices.iter().map(Vector3::norm_squared).sum::<f64>();
        if before * before <= FOOT_ERROR * FOOT_ERROR * size_sq * distance_sq {
            distance_sq.sqrt()
        } else {
            (self.closest_point(point) - point).norm()
        }
    }

    /// The vector to `point` from the closest point of the triangle, or from a point of the triangle near the closest
    /// one.
    #[inline]
    fn offset_from_near(&self, point: &Point3<f64>) -> Vector3<f64> {
        let [a, b, c] = self.vertices;
        let (ab, ac, ap) = (b - a, c - a, point - a);
        let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
        let (bp, cp) = (point - b, point - c);
        let (d3, d4, d5, d6) = (ab.dot(&bp), ac.dot(&bp), ab.dot(&cp), ac.dot(&cp));
        let (vc, vb, va) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
        // The square of twice the area, compared with the product of the squared lengths of `ab` and `ac`.
        let is_sliver = va + vb + vc <= SLIVER * (d1 - d3) * (d2 - d6);
        if is_sliver {
            return point - self.closest_point(point);
        }
        let part = |x: f64, y: f64| (x / (x + y)).clamp(0.0, 1.0);
        let from_a = if d1 <= 0.0 && d2 <= 0.0 {
            Vector3::zeros()
        } else if d3 >= 0.0 && d4 <= d3 {
            ab
        } else if d6 >= 0.0 && d5 <= d6 {
            ac
        } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            ab * part(d1, -d3)
        } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            ac * part(d2, -d6)
        } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            ab + (ac - ab) * part(d4 - d3, d5 - d6)
        } else {
            let v = (vb / (va + vb + vc)).clamp(0.0, 1.0);
            ab * v + ac * (vc / (va + vb + vc)).clamp(0.0, 1.0 - v)
        };
        if from_a.iter().any(|x| x.is_nan()) { ap } else { ap - from_a }
    }

    /// An upper bound on the distances from all points of the convex hull of `points`. The distance is a convex
    /// function, so it is greatest at one of `points`.
    #[inline]
    pub(crate) fn greatest_distance_at_most(&self, points: &[Point3<f64>]) -> f64 {
        points.iter().fold(0.0, |most: f64, point| most.max(self.distance_at_most(point)))
    }

    /// An upper bound on the distances from all points of a box, which is given by its centre and the vectors from
    /// there to the centres of three faces.
    pub(crate) fn greatest_distance_in_box_at_most(
        &self,
        level: SimdLevel,
        center: &Point3<f64>,
        to_faces: &[Vector3<f64>; 3],
    ) -> f64 {
        greatest_distance_of_corners_sq(level, self, center, to_faces).sqrt()
    }

    /// Upper bounds on the distances from all points of each of two other triangles.
    pub(crate) fn greatest_distances_at_most(&self, level: SimdLevel, others: &[[Point3<f64>; 3]; 2]) -> [f64; 2] {
        let mut rows = [[0.0; 8]; 3];
        for (lane, point) in others.as_flattened().iter().enumerate() {
            for (row, x) in rows.iter_mut().zip(point.iter()) {
                row[lane] = *x;
            }
        }
        let distances_sq = distances_of_points_sq(level, self, &rows);
        [0, 3].map(|first| distances_sq[first..first + 3].iter().copied().fold(0.0, f64::max).sqrt())
    }
}

dispatched! {
    fn greatest_distance_of_corners_sq['a](
        triangle: &'a Triangle,
        center: &'a Point3<f64>,
        to_faces: &'a [Vector3<f64>; 3],
    ) -> f64 = |s| {
        let corners = corners(s, center, to_faces);
        s.to_array64(distances_sq_at_most(s, triangle, &corners)).into_iter().fold(0.0, f64::max)
    };
    fn distances_of_points_sq['a](triangle: &'a Triangle, rows: &'a [[f64; 8]; 3]) -> [f64; 8] = |s| {
        let points = [s.load64(&rows[0]), s.load64(&rows[1]), s.load64(&rows[2])];
        s.to_array64(distances_sq_at_most(s, triangle, &points))
    };
}

/// The corners of a box.
#[inline(always)]
fn corners<S: Simd>(s: S, center: &Point3<f64>, to_faces: &[Vector3<f64>; 3]) -> Vector8x64<S> {
    let mut corners = splatted(s, &center.coords);
    for (to_face, signs) in to_faces.iter().zip(&CORNER_SIGNS) {
        corners = less(s, &corners, s.load64(signs), to_face);
    }
    corners
}

/// The multiples of the three vectors that, subtracted from a box's centre, give its corners: `[vector][corner]`.
const CORNER_SIGNS: [[f64; 8]; 3] = [
    [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0],
    [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0],
];

/// Upper bounds on the squared distances of eight points from a triangle: the least of the squared distances to the
/// closest points of the three edges and to the foot on the triangle's plane, clamped to the triangle. All of these are
/// points of the triangle, even where rounding moves them along it. Products are unfused, so that the distances are the
/// same on every machine.
#[inline(always)]
fn distances_sq_at_most<S: Simd>(s: S, triangle: &Triangle, points: &Vector8x64<S>) -> S::F64x8 {
    let [a, b, c] = triangle.vertices;
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let from_a = difference64(s, points, &splatted(s, &a.coords));
    let from_b = difference64(s, points, &splatted(s, &b.coords));
    let (on_ab, on_ac) = (dot_unfused64(s, &from_a, &splatted(s, &ab)), dot_unfused64(s, &from_a, &splatted(s, &ac)));
    let on_bc = dot_unfused64(s, &from_b, &splatted(s, &bc));
    let (ab_sq, ac_sq, ab_ac) = (ab.norm_squared(), ac.norm_squared(), ab.dot(&ac));
    let nearest = s.min64(from_edge_sq(s, &from_a, &ab, on_ab, ab_sq), from_edge_sq(s, &from_a, &ac, on_ac, ac_sq));
    let nearest = s.min64(nearest, from_edge_sq(s, &from_b, &bc, on_bc, bc.norm_squared()));
    // The multiples of `ab` and `ac` that lead to the foot, by Cramer's rule. `max64` and `min64` return the second
    // operand where a triangle without area makes the first NaN.
    let (zero, one, scale) = (s.splat64(0.0), s.splat64(1.0), s.splat64(1.0 / (ab_sq * ac_sq - ab_ac * ab_ac)));
    let (ab_sq, ac_sq, ab_ac) = (s.splat64(ab_sq), s.splat64(ac_sq), s.splat64(ab_ac));
    let v = s.mul64(s.sub64(s.mul64(on_ab, ac_sq), s.mul64(on_ac, ab_ac)), scale);
    let w = s.mul64(s.sub64(s.mul64(on_ac, ab_sq), s.mul64(on_ab, ab_ac)), scale);
    let v = s.min64(s.max64(v, zero), one);
    let w = s.min64(s.max64(w, zero), s.sub64(one, v));
    let offset = less(s, &less(s, &from_a, v, &ab), w, &ac);
    s.min64(dot_unfused64(s, &offset, &offset), nearest)
}

/// The squared distances of points from an edge, given the points' offsets from its start, the vector `edge`, the dot
/// products of these offsets with `edge`, and its squared length.
#[inline(always)]
fn from_edge_sq<S: Simd>(s: S, from: &Vector8x64<S>, edge: &Vector3<f64>, product: S::F64x8, sq: f64) -> S::F64x8 {
    let part = s.mul64(product, s.splat64(1.0 / sq));
    let offset = less(s, from, s.min64(s.max64(part, s.splat64(0.0)), s.splat64(1.0)), edge);
    dot_unfused64(s, &offset, &offset)
}

/// Vectors minus multiples of one other vector, lane by lane.
#[inline(always)]
fn less<S: Simd>(s: S, from: &Vector8x64<S>, factor: S::F64x8, vector: &Vector3<f64>) -> Vector8x64<S> {
    let [x, y, z] = splatted(s, vector);
    difference64(s, from, &[s.mul64(factor, x), s.mul64(factor, y), s.mul64(factor, z)])
}

/// One vector in all lanes.
#[inline(always)]
fn splatted<S: Simd>(s: S, vector: &Vector3<f64>) -> Vector8x64<S> {
    [s.splat64(vector.x), s.splat64(vector.y), s.splat64(vector.z)]
}

/// The squared sine of the angle at a triangle's first vertex up to which the triangle is a sliver.
const SLIVER: f64 = 1e-10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// Corners lie on a small grid, on which many triangles have no area or are points.
        #[test]
        fn little_is_added_to_distances(
            corners in prop::array::uniform3(prop::array::uniform3(-1i8..=1)),
            stretch in prop::array::uniform3(prop::sample::select(vec![0.0, 1e-8, 1e-3, 1.0, 1e3])),
            point in prop::array::uniform3(-2.0..2.0_f64),
        ) {
            let stretched = |corner: [i8; 3]| Point3::from(std::array::from_fn(|k| f64::from(corner[k]) * stretch[k]));
            let vertices = corners.map(stretched);
            let (triangle, point) = (Triangle { vertices }, Point3::from(point));
            let exact = (triangle.closest_point(&point) - point).norm();
            let size = vertices.iter().map(|vertex| vertex.coords.norm()).sum::<f64>() + 4.0;
            let rounding = 16.0 * f64::EPSILON * size;
            let found = triangle.distance_at_most(&point);
            prop_assert!(found >= exact - rounding && found <= exact + 1e-6, "{found} {exact}");
            let distance = triangle.distance_to(&point);
            prop_assert!((distance - exact).abs() <= rounding, "{distance} {exact}");
            for level in SimdLevel::available() {
                let [found, other] = triangle.greatest_distances_at_most(level, &[[point; 3], vertices]);
                prop_assert!(found >= exact - rounding && found <= exact + 1e-6, "{found} {exact}");
                prop_assert!(other <= 1e-6, "{other}");
                let in_box = triangle.greatest_distance_in_box_at_most(level, &point, &[Vector3::zeros(); 3]);
                prop_assert_eq!(in_box, found);
            }
        }
    }
}
