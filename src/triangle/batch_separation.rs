//! Approximate separation vectors of eight pairs of triangles in SIMD lanes: the shortest vectors from A to B, in f32.
//!
//! They give an axis along which the triangles are probably separated; the gap along it is then computed in f64, with
//! error bounds (`batch_distance`). The shortest vector runs between a vertex and the inside of the other triangle or
//! between two edges, so it is the shortest of 6 + 9 candidates, each computed without branches.

use crate::simd::Simd;
use crate::simd::vectors::{Vector8, Vector8x64, cross_fused, difference, dot_fused, negative};

/// The shortest vectors from triangles `a` to triangles `b`, divided by the extent. The triangles are given as
/// `[corner][coordinate]` relative to an origin near them; the extent is their greatest absolute coordinate. The result
/// is meaningless for triangles that intersect and for an extent beyond f32's range.
#[inline(always)]
pub(super) fn separation_vectors<S: Simd>(
    s: S,
    a: &[Vector8x64<S>; 3],
    b: &[Vector8x64<S>; 3],
    extent: S::F64x8,
) -> Vector8<S> {
    let scale = s.div(s.splat(1.0), s.narrow(extent));
    let [a, b] = [EightTriangles::new(s, a, scale), EightTriangles::new(s, b, scale)];
    let mut best = Best { length_sq: s.splat(f32::INFINITY), vector: [s.splat(0.0); 3] };
    for i in 0..3 {
        best.offer(s, a.vector_to(s, &b.corners[i]));
        let (length_sq, back) = b.vector_to(s, &a.corners[i]);
        best.offer(s, (length_sq, negative(s, &back)));
        for j in 0..3 {
            best.offer(s, between_edges(s, &a, i, &b, j));
        }
    }
    best.vector
}

struct Best<S: Simd> {
    length_sq: S::F32x8,
    vector: Vector8<S>,
}

impl<S: Simd> Best<S> {
    #[inline(always)]
    fn offer(&mut self, s: S, (length_sq, vector): (S::F32x8, Vector8<S>)) {
        let is_shorter = s.gt(self.length_sq, length_sq);
        self.length_sq = s.select(is_shorter, length_sq, self.length_sq);
        for (best, candidate) in self.vector.iter_mut().zip(vector) {
            *best = s.select(is_shorter, candidate, *best);
        }
    }
}

/// Eight triangles, with the values that all candidates share.
struct EightTriangles<S: Simd> {
    corners: [Vector8<S>; 3],
    /// The edges from each vertex to the next.
    edges: [Vector8<S>; 3],
    /// The reciprocals of the squared lengths of the edges.
    per_length_sq: [S::F32x8; 3],
    length_sq: [S::F32x8; 3],
    normal: Vector8<S>,
    normal_sq: S::F32x8,
    /// The squared length of the normal up to which the triangle is a needle, whose normal is mostly rounding.
    least_normal_sq: S::F32x8,
    per_normal_sq: S::F32x8,
    /// Dot products of these vectors with a point relative to the first vertex give two barycentric coordinates times
    /// `normal_sq`.
    barycentric: [Vector8<S>; 2],
}

/// The least squared length of an edge, relative to the triangles' squared extent; lesser ones are raised to it.
const LEAST_LENGTH_SQ: f32 = 1e-14;

/// The least divisor that is a product of two squared lengths; lesser ones are raised to it.
const LEAST_PRODUCT_SQ: f32 = 1e-30;

/// Coordinates of a normal up to this count as zero: they are mostly rounding, and their squares might be denormal.
const NEGLIGIBLE_NORMAL: f32 = 1e-18;

/// The squared sine of an angle below which a triangle is a needle.
const NEEDLE_SINE_SQ: f32 = 1e-8;

impl<S: Simd> EightTriangles<S> {
    #[inline(always)]
    fn new(s: S, corners: &[Vector8x64<S>; 3], scale: S::F32x8) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let [mut scaled, mut edges] = [[[zero; 3]; 3]; 2];
        let [mut length_sq, mut per_length_sq] = [[zero; 3]; 2];
        for i in 0..3 {
            let next = corners[(i + 1) % 3];
            for k in 0..3 {
                scaled[i][k] = s.mul(s.narrow(corners[i][k]), scale);
                edges[i][k] = s.mul(s.narrow(s.sub64(next[k], corners[i][k])), scale);
            }
            length_sq[i] = s.max(dot_fused(s, &edges[i], &edges[i]), s.splat(LEAST_LENGTH_SQ));
            per_length_sq[i] = s.div(one, length_sq[i]);
        }
        let back = negative(s, &edges[2]);
        let mut normal = cross_fused(s, &edges[0], &back);
        for x in &mut normal {
            *x = s.select(s.gt(s.abs(*x), s.splat(NEGLIGIBLE_NORMAL)), *x, zero);
        }
        let normal_sq = dot_fused(s, &normal, &normal);
        let least_normal_sq = s.mul(s.mul(length_sq[0], length_sq[2]), s.splat(NEEDLE_SINE_SQ));
        let barycentric = [cross_fused(s, &back, &normal), cross_fused(s, &normal, &edges[0])];
        let per_normal_sq = s.div(one, s.max(normal_sq, s.splat(LEAST_PRODUCT_SQ)));
        Self {
            corners: scaled,
            edges,
            per_length_sq,
            length_sq,
            normal,
            normal_sq,
            least_normal_sq,
            per_normal_sq,
            barycentric,
        }
    }

    /// The vector from the plane to points above or below the face, and its squared length, which is infinite for other
    /// points and for needles.
    #[inline(always)]
    fn vector_to(&self, s: S, points: &Vector8<S>) -> (S::F32x8, Vector8<S>) {
        let from_corner = difference(s, points, &self.corners[0]);
        let (v, w) =
            (dot_fused(s, &self.barycentric[0], &from_corner), dot_fused(s, &self.barycentric[1], &from_corner));
        let is_outside = s.gt(s.splat(0.0), s.min(s.min(v, w), s.sub(self.normal_sq, s.add(v, w))));
        let has_face = s.gt(self.normal_sq, self.least_normal_sq);
        let height = s.mul(dot_fused(s, &self.normal, &from_corner), self.per_normal_sq);
        let [x, y, z] = self.normal;
        let vector = [s.mul(x, height), s.mul(y, height), s.mul(z, height)];
        let far = s.splat(f32::INFINITY);
        (s.select(has_face, s.select(is_outside, far, dot_fused(s, &vector, &vector)), far), vector)
    }
}

/// The shortest vector from an edge of `a` to an edge of `b`, and its squared length (Ericson, "Real-Time Collision
/// Detection", 2005, section 5.1.9).
#[inline(always)]
fn between_edges<S: Simd>(
    s: S,
    a: &EightTriangles<S>,
    i: usize,
    b: &EightTriangles<S>,
    j: usize,
) -> (S::F32x8, Vector8<S>) {
    let (edge_a, edge_b) = (&a.edges[i], &b.edges[j]);
    let start = difference(s, &a.corners[i], &b.corners[j]);
    let (along_a, along_b) = (dot_fused(s, edge_a, &start), dot_fused(s, edge_b, &start));
    let both = dot_fused(s, edge_a, edge_b);
    let sine_sq = s.sub(s.mul(a.length_sq[i], b.length_sq[j]), s.mul(both, both));
    let on_a =
        s.div(s.mul_sub(both, along_b, s.mul(along_a, b.length_sq[j])), s.max(sine_sq, s.splat(LEAST_PRODUCT_SQ)));
    let on_b = clamped(s, s.mul(s.mul_add(both, clamped(s, on_a), along_b), b.per_length_sq[j]));
    let on_a = clamped(s, s.mul(s.mul_sub(both, on_b, along_a), a.per_length_sq[i]));
    let mut vector = [s.splat(0.0); 3];
    for (k, x) in vector.iter_mut().enumerate() {
        *x = s.sub(s.mul_sub(edge_b[k], on_b, start[k]), s.mul(edge_a[k], on_a));
    }
    (dot_fused(s, &vector, &vector), vector)
}

#[inline(always)]
fn clamped<S: Simd>(s: S, x: S::F32x8) -> S::F32x8 {
    s.min(s.max(x, s.splat(0.0)), s.splat(1.0))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::super::batch_distance::tests::coordinates;
    use super::*;
    use crate::simd::{SimdLevel, Task, dispatch};
    use crate::triangle::Triangle;

    struct Vectors<'a>(&'a [Triangle; 2], f64);

    impl Task for Vectors<'_> {
        type Output = Vector3<f64>;

        /// Computes the vector of a batch whose lanes all hold the same pair.
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Vector3<f64> {
            let mut corners = [[[s.splat64(0.0); 3]; 3]; 2];
            for (corners, triangle) in corners.iter_mut().zip(self.0) {
                for (corner, vertex) in corners.iter_mut().zip(&triangle.vertices) {
                    *corner = [s.splat64(vertex.x), s.splat64(vertex.y), s.splat64(vertex.z)];
                }
            }
            let vectors = separation_vectors(s, &corners[0], &corners[1], s.splat64(self.1));
            let [x, y, z] = [s.to_array(vectors[0]), s.to_array(vectors[1]), s.to_array(vectors[2])];
            assert!((1..8).all(|lane| [x, y, z].iter().all(|row| row[lane].to_bits() == row[0].to_bits())));
            Vector3::new(x[3].into(), y[3].into(), z[3].into()) * self.1
        }
    }

    #[test]
    fn vectors_are_nearly_the_shortest() {
        let mut coordinate = coordinates(5);
        let mut coordinate = || f64::from(coordinate()) - 0.5;
        for round in 0..if cfg!(debug_assertions) { 500 } else { 50_000 } {
            let mut triangle = |at: Vector3<f64>| {
                let mut corner = || Point3::from(Vector3::from([0; 3].map(|_| coordinate())) + at);
                let [a, b, c] = [(); 3].map(|()| corner());
                // Sometimes a needle without area, or a point.
                match round % 7 {
                    0 => Triangle::new(a, b, a + (b - a) * 0.25),
                    1 => Triangle::new(a, a, a),
                    _ => Triangle::new(a, b, c),
                }
            };
            let pair = [triangle(Vector3::zeros()), triangle(Vector3::new(0.4, 0.9, 0.3))];
            let scale = [1.0, 1e-30, 1e30][round % 3];
            let pair = pair.map(|triangle| Triangle { vertices: triangle.vertices.map(|p| p * scale) });
            let closest = pair[0].closest_points(&pair[1]);
            if pair[0].intersects(&pair[1]) {
                continue;
            }
            let (shortest, length) = (closest.on_b - closest.on_a, closest.distance_sq.sqrt());
            for level in SimdLevel::available() {
                let vector = dispatch(level, Vectors(&pair, 2.0 * scale));
                let off = (vector.norm() - length).abs() / scale;
                assert!(off < 1e-5, "{level}: {off} from the shortest of {pair:?}");
                // From this distance on, the direction is accurate enough to use as an axis.
                if length > 0.01 * scale {
                    assert!(vector.dot(&shortest) > 0.999 * vector.norm() * length, "{level}: {vector} for {shortest}");
                }
            }
        }
    }
}
