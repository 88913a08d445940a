//! Eight pairs of triangles at once: whether they intersect, where f64 can tell, and whether they are far apart, where an
//! axis can.

use nalgebra::{Point3, Vector3};

use super::separation::GAP_ERROR;
use crate::pose::Pose;
use crate::simd::Simd;

/// Up to eight pairs of triangles, one of each mesh, lane by lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    /// `a[corner][coordinate][lane]`.
    a: [[[f32; 8]; 3]; 3],
    /// Likewise, in B's own frame.
    b: [[[f32; 8]; 3]; 3],
}

/// What eight lanes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// Lanes whose triangles intersect for certain.
    pub(crate) hits: u8,
    /// Lanes for [`super::Triangle::intersects`] to decide.
    pub(crate) undecided: u8,
}

/// Bounds the rounding errors of a product of three differences of coordinates, summed as in [`Batch::verdicts`],
/// relative to the product of the greatest differences: fewer than 64 roundings of `2^-53` each.
const ERROR: f64 = 64.0 * 0.5 * f64::EPSILON;

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

    /// Corners of all eight pairs in A's frame.
    #[inline(always)]
    fn corners<S: Simd>(&self, s: S, b_to_a: &Pose) -> [[[S::F64x8; 3]; 3]; 2] {
        let zero = s.splat64(0.0);
        let (mut p, mut q) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for corner in 0..3 {
            let b = &self.b[corner];
            let (x, y, z) = (s.widen(&b[0]), s.widen(&b[1]), s.widen(&b[2]));
            for k in 0..3 {
                p[corner][k] = s.widen(&self.a[corner][k]);
                // In the order that defines a posed vertex, and not fused: see `Pose::transform`.
                let r = |j: usize| s.splat64(b_to_a.rotation()[(k, j)]);
                let sum = s.add64(s.mul64(r(0), x), s.mul64(r(1), y));
                let sum = s.add64(sum, s.mul64(r(2), z));
                q[corner][k] = s.add64(sum, s.splat64(b_to_a.translation()[k]));
            }
        }
        [p, q]
    }

    /// Lanes whose squared distance is certainly `bound_sq` or more, as seen along the given axis (of A's frame) or from centre
    /// to centre; lanes that were not set mean nothing.
    #[inline(always)]
    pub(crate) fn reaching<S: Simd>(&self, s: S, b_to_a: &Pose, bound_sq: f64, axis: &Vector3<f64>) -> u8 {
        let zero = s.splat64(0.0);
        let [mut p, mut q] = self.corners(s, b_to_a);
        let (origin, mut extent) = (p[0], zero);
        let (mut sum_p, mut sum_q) = ([zero; 3], [zero; 3]);
        for corner in 0..3 {
            for (points, sum) in [(&mut p, &mut sum_p), (&mut q, &mut sum_q)] {
                points[corner] = difference(s, &points[corner], &origin);
                extent = largest(s, extent, &points[corner]);
                for k in 0..3 {
                    sum[k] = s.add64(sum[k], points[corner][k]);
                }
            }
        }
        let given = [s.splat64(axis.x), s.splat64(axis.y), s.splat64(axis.z)];
        let mut reaching = 0;
        for axis in [given, difference(s, &sum_q, &sum_p)] {
            let ((low_p, high_p), (low_q, high_q)) = (interval(s, &p, &axis), interval(s, &q, &axis));
            let gap = s.max64(s.sub64(low_q, high_p), s.sub64(low_p, high_q));
            let length = s.add64(s.add64(s.abs64(axis[0]), s.abs64(axis[1])), s.abs64(axis[2]));
            let certain = s.sub64(gap, s.mul64(s.splat64(GAP_ERROR), s.mul64(extent, length)));
            let is_nearer = s.gt64(s.mul64(s.splat64(bound_sq), dot(s, &axis, &axis)), s.mul64(certain, certain));
            reaching |= s.gt64(certain, zero) & !is_nearer;
        }
        reaching
    }

    /// Judges all eight lanes; lanes that were not set mean nothing.
    ///
    /// In general position two triangles intersect where an edge of one passes through the other: its ends lie on
    /// different sides of the other's plane, and it passes all three of the other's edges on the same side. Both are
    /// signs of determinants; those of edge against edge serve both triangles. A sign counts only beyond the error
    /// bound.
    #[inline(always)]
    pub(crate) fn verdicts<S: Simd>(&self, s: S, b_to_a: &Pose) -> Verdicts {
        let zero = s.splat64(0.0);
        let [p, q] = self.corners(s, b_to_a);
        let (edges_p, length_p) = edges(s, &p);
        let (edges_q, length_q) = edges(s, &q);
        let (mut to_q, mut reach) = ([[[zero; 3]; 3]; 3], zero);
        for i in 0..3 {
            for j in 0..3 {
                to_q[i][j] = difference(s, &q[j], &p[i]);
                reach = largest(s, reach, &to_q[i][j]);
            }
        }
        let reach = s.mul64(reach, s.splat64(ERROR));

        // Sides of B's corners to A's plane, and of A's to B's.
        let (normal_p, normal_q) = (cross(s, &edges_p[0], &edges_p[1]), cross(s, &edges_q[0], &edges_q[1]));
        let bound_p = s.mul64(s.mul64(length_p, length_p), reach);
        let bound_q = s.mul64(s.mul64(length_q, length_q), reach);
        let (mut sides_q, mut sides_p) = ([Signs::default(); 3], [Signs::default(); 3]);
        for i in 0..3 {
            sides_q[i] = signs(s, dot(s, &normal_p, &to_q[0][i]), bound_p);
            sides_p[i] = signs(s, dot(s, &normal_q, &to_q[i][0]), bound_q);
        }
        let apart = all_same(sides_q) | all_same(sides_p);
        if apart == 0xff {
            return Verdicts { hits: 0, undecided: 0 };
        }

        let bound = s.mul64(s.mul64(length_p, length_q), reach);
        let mut passes = [[Signs::default(); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                let normal = cross(s, &edges_q[j], &edges_p[i]);
                passes[i][j] = signs(s, dot(s, &normal, &to_q[i][j]), bound);
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

/// Lanes with a certain sign.
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

/// The edges from each corner to the next, and the greatest coordinate among them.
#[inline(always)]
fn edges<S: Simd>(s: S, corners: &[[S::F64x8; 3]; 3]) -> ([[S::F64x8; 3]; 3], S::F64x8) {
    let zero = s.splat64(0.0);
    let (mut edges, mut length) = ([[zero; 3]; 3], zero);
    for i in 0..3 {
        edges[i] = difference(s, &corners[(i + 1) % 3], &corners[i]);
        length = largest(s, length, &edges[i]);
    }
    (edges, length)
}

#[inline(always)]
fn difference<S: Simd>(s: S, a: &[S::F64x8; 3], b: &[S::F64x8; 3]) -> [S::F64x8; 3] {
    [s.sub64(a[0], b[0]), s.sub64(a[1], b[1]), s.sub64(a[2], b[2])]
}

#[inline(always)]
fn largest<S: Simd>(s: S, so_far: S::F64x8, [x, y, z]: &[S::F64x8; 3]) -> S::F64x8 {
    s.max64(s.max64(so_far, s.abs64(*x)), s.max64(s.abs64(*y), s.abs64(*z)))
}

/// The interval that three points cover along the axis.
#[inline(always)]
fn interval<S: Simd>(s: S, points: &[[S::F64x8; 3]; 3], axis: &[S::F64x8; 3]) -> (S::F64x8, S::F64x8) {
    let [x, y, z] = [dot(s, &points[0], axis), dot(s, &points[1], axis), dot(s, &points[2], axis)];
    (s.min64(s.min64(x, y), z), s.max64(s.max64(x, y), z))
}

#[inline(always)]
fn cross<S: Simd>(s: S, a: &[S::F64x8; 3], b: &[S::F64x8; 3]) -> [S::F64x8; 3] {
    [
        s.mul_sub64(a[1], b[2], s.mul64(a[2], b[1])),
        s.mul_sub64(a[2], b[0], s.mul64(a[0], b[2])),
        s.mul_sub64(a[0], b[1], s.mul64(a[1], b[0])),
    ]
}

#[inline(always)]
fn dot<S: Simd>(s: S, a: &[S::F64x8; 3], b: &[S::F64x8; 3]) -> S::F64x8 {
    s.mul_add64(a[2], b[2], s.mul_add64(a[1], b[1], s.mul64(a[0], b[0])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{SimdLevel, Task, dispatch};
    use crate::triangle::Triangle;

    struct Reaching<'a>(&'a Batch, &'a Pose, f64, Vector3<f64>);

    impl Task for Reaching<'_> {
        type Output = u8;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> u8 {
            self.0.reaching(s, self.1, self.2, &self.3)
        }
    }

    /// Along the shortest way every lesser distance is proven, and no greater one along any.
    #[test]
    fn what_reaches_a_bound_is_as_far_apart() {
        let mut random = 1u64;
        let mut coordinate = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 40) as f32 / (1u32 << 24) as f32
        };
        let rotation = *nalgebra::Rotation3::new(Vector3::new(0.3, -1.0, 2.0)).matrix();
        let pose = Pose::new(rotation, Vector3::new(0.7, 0.2, -0.9)).unwrap();
        let (mut proven, mut by_another) = (0, 0);
        for _ in 0..if cfg!(debug_assertions) { 200 } else { 20_000 } {
            // All eight lanes are the same pair, far from the origin now and then.
            let far = if coordinate() < 0.2 { 1000.0 } else { 0.0 };
            let mut corner = |far: f32| Point3::new(coordinate() + far, coordinate(), coordinate());
            let (a, b) = ([0; 3].map(|_| corner(far)), [0; 3].map(|_| corner(0.0)));
            let mut batch = Batch::default();
            (0..8).for_each(|lane| batch.set(lane, a.each_ref(), b.each_ref()));
            let [a, b] = [a.map(|p| p.map(f64::from)), b.map(|p| pose.transform(&p))];
            let closest = Triangle { vertices: a }.closest_points(&Triangle { vertices: b });
            let (way, other) = (closest.on_b - closest.on_a, Vector3::new(0.0, 0.0, 1.0));
            for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
                let reaches =
                    |part: f64, axis| dispatch(level, Reaching(&batch, &pose, part * closest.distance_sq, axis));
                for axis in [way, -way, other, Vector3::zeros()] {
                    assert_eq!(reaches(1.0 + 1e-9, axis), 0, "{level}");
                }
                if closest.distance_sq > 1e-6 {
                    assert_eq!(reaches(1.0 - 1e-6, way), 0xff, "{level}");
                    assert_eq!(reaches(1.0 - 1e-6, -way), 0xff, "{level}");
                    proven += 1;
                    by_another += u32::from(reaches(0.25, other) == 0xff);
                }
            }
        }
        assert!(proven > 100 && by_another > 50, "{proven}, {by_another}");
    }
}
