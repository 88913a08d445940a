//! Eight pairs of triangles in SIMD lanes, and their intersection test as far as f64 can decide it.

use nalgebra::Point3;

use crate::numeric::error_bounds::BATCH_VERDICT_ERROR;
use crate::pose::Pose;
use crate::simd::vectors::{cross_fused64, difference64, dot_fused64};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// Up to eight pairs of a triangle of mesh A and one of mesh B, one pair per lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// `a[corner][coordinate][lane]`.
    a: [[[f32; 8]; 3]; 3],
    /// `b[corner][coordinate][lane]`, in B's own frame.
    b: [[[f32; 8]; 3]; 3],
}

/// The verdicts on eight pairs of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// The lanes whose triangles certainly intersect.
    pub(crate) hits: u8,
    /// The lanes that [`super::Triangle::intersects`] must decide.
    pub(crate) undecided: u8,
}

impl Batch {
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, a: [&Point3<f32>; 3], b: [&Point3<f32>; 3]) {
        for corner in 0..3 {
            for x in 0..3 {
                self.a[corner][x][lane & 7] = a[corner][x];
                self.b[corner][x][lane & 7] = b[corner][x];
            }
        }
    }

    /// The triangles of A and of B: `[corner][coordinate][lane]`.
    pub(crate) fn triangles(&self) -> [&[[[f32; 8]; 3]; 3]; 2] {
        [&self.a, &self.b]
    }

    /// The vertices of all eight pairs in A's frame.
    #[inline(always)]
    pub(super) fn corners<S: Simd>(&self, s: S, b_to_a: &Pose) -> [[[S::F64x8; 3]; 3]; 2] {
        let zero = s.splat64(0.0);
        let (mut p, mut q) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for corner in 0..3 {
            let b = &self.b[corner];
            let (x, y, z) = (s.widen(&b[0]), s.widen(&b[1]), s.widen(&b[2]));
            for k in 0..3 {
                p[corner][k] = s.widen(&self.a[corner][k]);
                // The order that defines a posed vertex, unfused: see `Pose::transform`.
                let r = |j: usize| s.splat64(b_to_a.rotation()[(k, j)]);
                let sum = s.add64(s.mul64(r(0), x), s.mul64(r(1), y));
                let sum = s.add64(sum, s.mul64(r(2), z));
                q[corner][k] = s.add64(sum, s.splat64(b_to_a.translation()[k]));
            }
        }
        [p, q]
    }

    /// Whether the triangles of each lane intersect; the verdicts of lanes that were not set are meaningless. This
    /// method is not inlined, so that its code exists once.
    pub(crate) fn verdicts(&self, level: SimdLevel, b_to_a: &Pose) -> Verdicts {
        dispatch(level, Intersect { batch: self, b_to_a })
    }

    /// [`Batch::verdicts`] for one SIMD level.
    ///
    /// In general position two triangles intersect if an edge of one passes through the other: its ends lie on
    /// different sides of the other's plane, and it passes all three of the other's edges on the same side. Both
    /// conditions are decided by signs of determinants; those of an edge of A and an edge of B serve both triangles. A
    /// sign is certain only if the determinant's magnitude exceeds its error bound.
    #[inline(always)]
    fn verdicts_on<S: Simd>(&self, s: S, b_to_a: &Pose) -> Verdicts {
        let zero = s.splat64(0.0);
        let [p, q] = self.corners(s, b_to_a);
        let (edges_p, length_p) = edges(s, &p);
        let (edges_q, length_q) = edges(s, &q);
        let (mut to_q, mut extent) = ([[[zero; 3]; 3]; 3], zero);
        for i in 0..3 {
            for j in 0..3 {
                to_q[i][j] = difference64(s, &q[j], &p[i]);
                extent = largest(s, extent, &to_q[i][j]);
            }
        }
        let extent = s.mul64(extent, s.splat64(BATCH_VERDICT_ERROR));

        // The sides of A's plane on which B's vertices are, and of B's plane for A's vertices.
        let (normal_p, normal_q) =
            (cross_fused64(s, &edges_p[0], &edges_p[1]), cross_fused64(s, &edges_q[0], &edges_q[1]));
        let bound_p = s.mul64(s.mul64(length_p, length_p), extent);
        let bound_q = s.mul64(s.mul64(length_q, length_q), extent);
        let (mut sides_q, mut sides_p) = ([Signs::default(); 3], [Signs::default(); 3]);
        for i in 0..3 {
            sides_q[i] = signs(s, dot_fused64(s, &normal_p, &to_q[0][i]), bound_p);
            sides_p[i] = signs(s, dot_fused64(s, &normal_q, &to_q[i][0]), bound_q);
        }
        let apart = all_same(sides_q) | all_same(sides_p);
        if apart == 0xff {
            return Verdicts { hits: 0, undecided: 0 };
        }

        let bound = s.mul64(s.mul64(length_p, length_q), extent);
        let mut passes = [[Signs::default(); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                let normal = cross_fused64(s, &edges_q[j], &edges_p[i]);
                passes[i][j] = signs(s, dot_fused64(s, &normal, &to_q[i][j]), bound);
            }
        }
        let (mut hits, mut decided) = (0, 0xff);
        for i in 0..3 {
            let next = (i + 1) % 3;
            hits |= differ(sides_p[i], sides_p[next]) & all_same(passes[i]);
            hits |= differ(sides_q[i], sides_q[next]) & all_same([passes[0][i], passes[1][i], passes[2][i]]);
            for sign in [sides_p[i], sides_q[i], passes[i][0], passes[i][1], passes[i][2]] {
                decided &= sign.positive | sign.negative;
            }
        }
        Verdicts { hits: hits & decided & !apart, undecided: !decided & !apart }
    }
}

struct Intersect<'a> {
    batch: &'a Batch,
    b_to_a: &'a Pose,
}

impl Task for Intersect<'_> {
    type Output = Verdicts;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Verdicts {
        self.batch.verdicts_on(simd, self.b_to_a)
    }
}

/// The lanes whose sign is certain, as bits.
#[derive(Clone, Copy, Default)]
struct Signs {
    positive: u8,
    negative: u8,
}

#[inline(always)]
fn signs<S: Simd>(s: S, x: S::F64x8, bound: S::F64x8) -> Signs {
    Signs { positive: s.gt64(x, bound), negative: s.gt64(s.sub64(s.splat64(0.0), bound), x) }
}

#[inline(always)]
fn all_same([a, b, c]: [Signs; 3]) -> u8 {
    (a.positive & b.positive & c.positive) | (a.negative & b.negative & c.negative)
}

#[inline(always)]
fn differ(a: Signs, b: Signs) -> u8 {
    (a.positive & b.negative) | (a.negative & b.positive)
}

/// The edges from each vertex to the next, and the greatest absolute coordinate among them.
#[inline(always)]
fn edges<S: Simd>(s: S, corners: &[[S::F64x8; 3]; 3]) -> ([[S::F64x8; 3]; 3], S::F64x8) {
    let zero = s.splat64(0.0);
    let (mut edges, mut length) = ([[zero; 3]; 3], zero);
    for i in 0..3 {
        edges[i] = difference64(s, &corners[(i + 1) % 3], &corners[i]);
        length = largest(s, length, &edges[i]);
    }
    (edges, length)
}

#[inline(always)]
pub(super) fn largest<S: Simd>(s: S, so_far: S::F64x8, [x, y, z]: &[S::F64x8; 3]) -> S::F64x8 {
    s.max64(s.max64(so_far, s.abs64(*x)), s.max64(s.abs64(*y), s.abs64(*z)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::error_bounds::U;
    use crate::triangle::Triangle;
    use crate::triangle::batch_distance::tests::coordinates;

    /// Compares verdicts with exact predicates, for triangles whose coordinates are about 1 or about the rounding error
    /// of 1: their differences are off by as much as possible, and the lost bits decide on which side of a plane they
    /// lie.
    #[test]
    fn verdicts_are_exact_where_rounding_takes_most() {
        let mut unit = coordinates(5);
        let mut below = |count: usize| (unit() * count as f32) as usize;
        let pose = Pose::identity();
        let (mut hits, mut apart, mut undecided) = (0, 0, 0);
        for _ in 0..if cfg!(debug_assertions) { 20_000 } else { 200_000 } {
            let tiny = |below: &mut dyn FnMut(usize) -> usize| {
                let parts = [0.0, 0.01, 0.5, 0.99, 1.0, 1.01, 1.5, 1.99, 2.5][below(9)];
                [1.0, -1.0][below(2)] * parts * U as f32
            };
            let mut batch = Batch::default();
            let pairs = [0; 8].map(|_| {
                // One corner of A is near B's three, which are about the origin.
                let mut corner = |is_near: bool| {
                    Point3::from([0; 3].map(|_| match below(8) {
                        1..=2 if !is_near => 1.0,
                        3..=4 if !is_near => -1.0,
                        5 if !is_near => [0.5, -0.5, 1.5, -1.25][below(4)],
                        _ => tiny(&mut below),
                    }))
                };
                [[false, true, false].map(&mut corner), [true; 3].map(&mut corner)]
            });
            for (lane, [a, b]) in pairs.iter().enumerate() {
                batch.set(lane, a.each_ref(), b.each_ref());
            }
            let exact = pairs.map(|pair| {
                let [a, b] = pair.map(|corners| Triangle { vertices: corners.map(|p| p.map(f64::from)) });
                a.intersects(&b)
            });
            let exact = exact.iter().enumerate().fold(0, |bits, (lane, hit)| bits | u8::from(*hit) << lane);
            for level in SimdLevel::available() {
                let verdicts = batch.verdicts(level, &pose);
                assert_eq!(verdicts.hits & verdicts.undecided, 0);
                let wrong = (verdicts.hits ^ exact) & !verdicts.undecided;
                assert_eq!(wrong, 0, "{level}, hits {exact:b}: {pairs:?}");
                hits += verdicts.hits.count_ones();
                undecided += verdicts.undecided.count_ones();
                apart += (!(verdicts.hits | verdicts.undecided)).count_ones();
            }
        }
        assert!(apart > 1_000 && undecided > 1_000, "{hits} hits, {apart} apart, {undecided} undecided");
    }
}
