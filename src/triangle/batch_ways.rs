//! The shortest ways between eight pairs of triangles at once, nearly: f32 is good enough for an axis along which to look.

use crate::simd::Simd;

/// Points or directions, coordinate by coordinate.
type Vectors<S> = [<S as Simd>::F32x8; 3];

/// The shortest ways from triangles of A to triangles of B, `[corner][coordinate]` relative to an origin near them, of
/// any scale: their least over 6 pairs of a vertex and a face and 9 pairs of edges. Zero, or not a number, for triangles
/// too degenerate or too near to say.
#[inline(always)]
pub(super) fn shortest_ways<S: Simd>(
    s: S,
    a: &[[S::F64x8; 3]; 3],
    b: &[[S::F64x8; 3]; 3],
    extent: S::F64x8,
) -> Vectors<S> {
    let scale = s.div(s.splat(1.0), s.narrow(extent));
    let [a, b] = [Sides::new(s, a, scale), Sides::new(s, b, scale)];
    let mut best = Best { length_sq: s.splat(f32::INFINITY), way: [s.splat(0.0); 3] };
    for i in 0..3 {
        best.offer(s, a.way_to(s, &b.corners[i]));
        let (length_sq, [x, y, z]) = b.way_to(s, &a.corners[i]);
        let zero = s.splat(0.0);
        best.offer(s, (length_sq, [s.sub(zero, x), s.sub(zero, y), s.sub(zero, z)]));
        for j in 0..3 {
            best.offer(s, between_edges(s, &a, i, &b, j));
        }
    }
    best.way
}

struct Best<S: Simd> {
    length_sq: S::F32x8,
    way: Vectors<S>,
}

impl<S: Simd> Best<S> {
    #[inline(always)]
    fn offer(&mut self, s: S, (length_sq, way): (S::F32x8, Vectors<S>)) {
        let is_shorter = s.gt(self.length_sq, length_sq);
        self.length_sq = s.select(is_shorter, length_sq, self.length_sq);
        for k in 0..3 {
            self.way[k] = s.select(is_shorter, way[k], self.way[k]);
        }
    }
}

/// Eight triangles with what all tests of them share.
struct Sides<S: Simd> {
    corners: [Vectors<S>; 3],
    /// From each corner to the next, and one over their squared lengths.
    edges: [Vectors<S>; 3],
    per_length_sq: [S::F32x8; 3],
    length_sq: [S::F32x8; 3],
    normal: Vectors<S>,
    normal_sq: S::F32x8,
    per_normal_sq: S::F32x8,
    /// Scalar products with these, from the first corner on, are two barycentric coordinates times `normal_sq`.
    barycentric: [Vectors<S>; 2],
}

/// Of squares, in units of the triangles' extent: for what is shorter it does not matter which way is found.
const LEAST_SQ: f32 = 1e-30;

impl<S: Simd> Sides<S> {
    #[inline(always)]
    fn new(s: S, corners: &[[S::F64x8; 3]; 3], scale: S::F32x8) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let [mut scaled, mut edges] = [[[zero; 3]; 3]; 2];
        let [mut length_sq, mut per_length_sq] = [[zero; 3]; 2];
        for i in 0..3 {
            let [x, y, z] = corners[i];
            scaled[i] = [s.mul(s.narrow(x), scale), s.mul(s.narrow(y), scale), s.mul(s.narrow(z), scale)];
        }
        for i in 0..3 {
            edges[i] = difference(s, &scaled[(i + 1) % 3], &scaled[i]);
            length_sq[i] = s.max(dot(s, &edges[i], &edges[i]), s.splat(LEAST_SQ));
            per_length_sq[i] = s.div(one, length_sq[i]);
        }
        let back = difference(s, &[zero; 3], &edges[2]);
        let normal = cross(s, &edges[0], &back);
        let normal_sq = dot(s, &normal, &normal);
        let barycentric = [cross(s, &back, &normal), cross(s, &normal, &edges[0])];
        let per_normal_sq = s.div(one, s.max(normal_sq, s.splat(LEAST_SQ)));
        Self { corners: scaled, edges, per_length_sq, length_sq, normal, normal_sq, per_normal_sq, barycentric }
    }

    /// The way to points above or below the inside, and its squared length; infinitely long to others.
    #[inline(always)]
    fn way_to(&self, s: S, points: &Vectors<S>) -> (S::F32x8, Vectors<S>) {
        let from_corner = difference(s, points, &self.corners[0]);
        let (v, w) = (dot(s, &self.barycentric[0], &from_corner), dot(s, &self.barycentric[1], &from_corner));
        let is_outside = s.gt(s.splat(0.0), s.min(s.min(v, w), s.sub(self.normal_sq, s.add(v, w))));
        let height = s.mul(dot(s, &self.normal, &from_corner), self.per_normal_sq);
        let [x, y, z] = self.normal;
        let way = [s.mul(x, height), s.mul(y, height), s.mul(z, height)];
        (s.select(is_outside, s.splat(f32::INFINITY), dot(s, &way, &way)), way)
    }
}

/// The way from an edge of A's to one of B's, and its squared length: Ericson, "Real-Time Collision Detection" (2005),
/// section 5.1.9.
#[inline(always)]
fn between_edges<S: Simd>(s: S, a: &Sides<S>, i: usize, b: &Sides<S>, j: usize) -> (S::F32x8, Vectors<S>) {
    let (edge_a, edge_b) = (&a.edges[i], &b.edges[j]);
    let start = difference(s, &a.corners[i], &b.corners[j]);
    let (along_a, along_b) = (dot(s, edge_a, &start), dot(s, edge_b, &start));
    let both = dot(s, edge_a, edge_b);
    let sine_sq = s.sub(s.mul(a.length_sq[i], b.length_sq[j]), s.mul(both, both));
    let on_a = s.div(s.mul_sub(both, along_b, s.mul(along_a, b.length_sq[j])), s.max(sine_sq, s.splat(LEAST_SQ)));
    let on_b = clamped(s, s.mul(s.mul_add(both, clamped(s, on_a), along_b), b.per_length_sq[j]));
    let on_a = clamped(s, s.mul(s.mul_sub(both, on_b, along_a), a.per_length_sq[i]));
    let mut way = [s.splat(0.0); 3];
    for k in 0..3 {
        way[k] = s.sub(s.mul_sub(edge_b[k], on_b, start[k]), s.mul(edge_a[k], on_a));
    }
    (dot(s, &way, &way), way)
}

#[inline(always)]
fn clamped<S: Simd>(s: S, x: S::F32x8) -> S::F32x8 {
    s.min(s.max(x, s.splat(0.0)), s.splat(1.0))
}

#[inline(always)]
fn difference<S: Simd>(s: S, a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [s.sub(a[0], b[0]), s.sub(a[1], b[1]), s.sub(a[2], b[2])]
}

#[inline(always)]
fn dot<S: Simd>(s: S, a: &Vectors<S>, b: &Vectors<S>) -> S::F32x8 {
    s.mul_add(a[2], b[2], s.mul_add(a[1], b[1], s.mul(a[0], b[0])))
}

#[inline(always)]
fn cross<S: Simd>(s: S, a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [
        s.mul_sub(a[1], b[2], s.mul(a[2], b[1])),
        s.mul_sub(a[2], b[0], s.mul(a[0], b[2])),
        s.mul_sub(a[0], b[1], s.mul(a[1], b[0])),
    ]
}
