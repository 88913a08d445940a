//! Distances of eight pairs of triangles in SIMD lanes: which pairs an axis proves to be far apart, and the distances
//! of those that are nearest at two vertices.

use nalgebra::Vector3;

use super::Batch;
use super::batch::largest;
use super::batch_separation::separation_vectors;
use crate::numeric::error_bounds::{GAP_ERROR, PROVEN_DISTANCE_PART};
use crate::pose::Pose;
use crate::simd::vectors::{difference64, dot_fused64, dot_unfused64};
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// The distances of eight pairs of triangles, as far as they are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distances {
    /// The lanes whose squared distance is certainly at least the bound: the given axis, the vector between the centres
    /// or the approximate separation vector proves it.
    pub(crate) far: u8,
    /// The other lanes whose triangles are nearest at a vertex of each.
    pub(crate) at_vertices: u8,
    /// The squared distances in the lanes of `at_vertices`, to the bit as in [`super::Triangle::closest_points`].
    pub(crate) distance_sq: [f64; 8],
    /// The separation vectors from A to B, `[coordinate][lane]`: exact for `at_vertices`; for other lanes approximate,
    /// and only if they were needed or requested.
    pub(crate) separations: [[f64; 8]; 3],
}

/// The input of [`Batch::distances`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DistanceBound<'a> {
    /// A bit for each lane that matters.
    pub(crate) lanes: u8,
    pub(crate) b_to_a: &'a Pose,
    /// Pairs whose squared distance is at least this are far.
    pub(crate) bound_sq: f64,
    /// An axis, in A's frame, along which the pairs may be far apart.
    pub(crate) axis: &'a Vector3<f64>,
    /// Whether to compute the separation vectors of all lanes.
    pub(crate) with_separations: bool,
}

impl Batch {
    /// The distances of the pairs in the lanes of the bound's mask. This method is not inlined, so that its code exists
    /// once.
    pub(crate) fn distances(&self, level: SimdLevel, bound: DistanceBound<'_>) -> Distances {
        dispatch(level, Measure { batch: self, bound })
    }

    #[inline(always)]
    fn distances_on<S: Simd>(&self, s: S, bound: DistanceBound<'_>) -> Distances {
        let DistanceBound { lanes, b_to_a, bound_sq, axis, with_separations } = bound;
        let zero = s.splat64(0.0);
        let [a, b] = self.corners(s, b_to_a);
        let (mut p, mut q, mut extent) = (a, b, zero);
        for corner in 0..3 {
            p[corner] = difference64(s, &a[corner], &a[0]);
            q[corner] = difference64(s, &b[corner], &a[0]);
            extent = largest(s, largest(s, extent, &p[corner]), &q[corner]);
        }
        let mut between = [zero; 3];
        for (k, between) in between.iter_mut().enumerate() {
            *between = s.sub64(sum(s, &q, k), sum(s, &p, k));
        }
        let axis = [s.splat64(axis.x), s.splat64(axis.y), s.splat64(axis.z)];
        let far = far(s, &p, &q, extent, bound_sq, &axis) | far(s, &p, &q, extent, bound_sq, &between);
        let mut distances =
            Distances { far: lanes & far, at_vertices: 0, distance_sq: [0.0; 8], separations: [[0.0; 8]; 3] };
        if distances.far != lanes {
            // The operations of `nearest_vertices` of two triangles in the same order, all unfused, so that both give
            // the same distance.
            let back = difference64(s, &[zero; 3], &between);
            let (on_a, on_b) = (support_point(s, &p, &a, &between), support_point(s, &q, &b, &back));
            let separation = difference64(s, &on_b, &on_a);
            let (gap, distance_sq) = (gap(s, &p, &q, &separation), dot_unfused64(s, &separation, &separation));
            let is_short = s.gt64(s.mul64(s.splat64(PROVEN_DISTANCE_PART), distance_sq), gap);
            let is_proven = s.gt64(certain(s, gap, extent, &separation), zero);
            distances.at_vertices = lanes & !distances.far & !is_short & is_proven;
            distances.distance_sq = s.to_array64(s.max64(distance_sq, s.splat64(f64::MIN_POSITIVE)));
            distances.separations =
                [s.to_array64(separation[0]), s.to_array64(separation[1]), s.to_array64(separation[2])];
        }
        if with_separations || distances.far | distances.at_vertices != lanes {
            let [x, y, z] = separation_vectors(s, &p, &q, extent);
            let others = !distances.at_vertices;
            let mut vectors = [s.widen(&s.to_array(x)), s.widen(&s.to_array(y)), s.widen(&s.to_array(z))];
            for (separation, row) in distances.separations.iter_mut().zip(&mut vectors) {
                *row = s.mul64(*row, extent);
                for (lane, x) in s.to_array64(*row).into_iter().enumerate() {
                    separation[lane] = if others >> lane & 1 != 0 { x } else { separation[lane] };
                }
            }
            distances.far |= lanes & others & self::far(s, &p, &q, extent, bound_sq, &vectors);
        }
        distances
    }
}

struct Measure<'a> {
    batch: &'a Batch,
    bound: DistanceBound<'a>,
}

impl Task for Measure<'_> {
    type Output = Distances;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Distances {
        self.batch.distances_on(simd, self.bound)
    }
}

/// The lanes whose squared distance an axis proves to be at least the bound.
#[inline(always)]
fn far<S: Simd>(
    s: S,
    p: &[[S::F64x8; 3]; 3],
    q: &[[S::F64x8; 3]; 3],
    extent: S::F64x8,
    bound_sq: f64,
    axis: &[S::F64x8; 3],
) -> u8 {
    let certain = certain(s, gap(s, p, q, axis), extent, axis);
    let is_nearer = s.gt64(s.mul64(s.splat64(bound_sq), dot_fused64(s, axis, axis)), s.mul64(certain, certain));
    s.gt64(certain, s.splat64(0.0)) & !is_nearer
}

/// The sum of the `k`-th coordinates of three points.
#[inline(always)]
fn sum<S: Simd>(s: S, points: &[[S::F64x8; 3]; 3], k: usize) -> S::F64x8 {
    s.add64(s.add64(points[0][k], points[1][k]), points[2][k])
}

/// [`super::separation::Corners::gap`] of eight pairs.
#[inline(always)]
fn gap<S: Simd>(s: S, p: &[[S::F64x8; 3]; 3], q: &[[S::F64x8; 3]; 3], axis: &[S::F64x8; 3]) -> S::F64x8 {
    let ((low_p, high_p), (low_q, high_q)) = (interval(s, p, axis), interval(s, q, axis));
    s.max64(s.sub64(low_q, high_p), s.sub64(low_p, high_q))
}

/// [`super::separation::Corners::certain`] of eight pairs.
#[inline(always)]
fn certain<S: Simd>(s: S, gap: S::F64x8, extent: S::F64x8, axis: &[S::F64x8; 3]) -> S::F64x8 {
    let length = s.add64(s.add64(s.abs64(axis[0]), s.abs64(axis[1])), s.abs64(axis[2]));
    s.sub64(gap, s.mul64(s.mul64(s.splat64(GAP_ERROR), extent), length))
}

/// The least and the greatest dot product of the axis and one of three points.
#[inline(always)]
fn interval<S: Simd>(s: S, points: &[[S::F64x8; 3]; 3], axis: &[S::F64x8; 3]) -> (S::F64x8, S::F64x8) {
    let (x, y, z) =
        (dot_unfused64(s, &points[0], axis), dot_unfused64(s, &points[1], axis), dot_unfused64(s, &points[2], axis));
    (s.min64(s.min64(x, y), z), s.max64(s.max64(x, y), z))
}

/// The support points: in each lane, the one of three vertices that is farthest along a direction. `corners` are the
/// vertices, and `points` are the same relative to an origin.
#[inline(always)]
fn support_point<S: Simd>(
    s: S,
    points: &[[S::F64x8; 3]; 3],
    corners: &[[S::F64x8; 3]; 3],
    direction: &[S::F64x8; 3],
) -> [S::F64x8; 3] {
    let (x, y, z) = (
        dot_unfused64(s, &points[0], direction),
        dot_unfused64(s, &points[1], direction),
        dot_unfused64(s, &points[2], direction),
    );
    let mut support_point = corners[0];
    for k in 0..3 {
        let other = s.where_gt64(z, y, corners[2][k], corners[1][k]);
        support_point[k] = s.where_gt64(s.max64(z, y), x, other, corners[0][k]);
    }
    support_point
}

#[cfg(test)]
pub(super) mod tests {
    use nalgebra::Point3;

    use super::super::distance::nearest_vertices;
    use super::super::separation::Corners;
    use super::*;
    use crate::simd::SimdLevel;
    use crate::triangle::Triangle;

    /// Random numbers from 0 to 1.
    pub(in crate::triangle) fn coordinates(seed: u64) -> impl FnMut() -> f32 {
        let mut random = seed;
        move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 40) as f32 / (1u32 << 24) as f32
        }
    }

    fn distances(batch: &Batch, level: SimdLevel, b_to_a: &Pose, bound_sq: f64, axis: &Vector3<f64>) -> Distances {
        batch.distances(level, DistanceBound { lanes: 0xff, b_to_a, bound_sq, axis, with_separations: false })
    }

    /// The shortest vector proves every smaller distance, and no axis proves a greater one.
    #[test]
    fn no_axis_proves_more_than_the_distance() {
        let mut coordinate = coordinates(1);
        let rotation = *nalgebra::Rotation3::new(Vector3::new(0.3, -1.0, 2.0)).matrix();
        let pose = Pose::new(rotation, Vector3::new(0.7, 0.2, -0.9)).unwrap();
        let (mut proven, mut by_another) = (0, 0);
        for _ in 0..if cfg!(debug_assertions) { 200 } else { 20_000 } {
            // All eight lanes are the same pair, sometimes far from the origin.
            let far = if coordinate() < 0.2 { 1000.0 } else { 0.0 };
            let mut corner = |far: f32| Point3::new(coordinate() + far, coordinate(), coordinate());
            let (a, b) = ([0; 3].map(|_| corner(far)), [0; 3].map(|_| corner(0.0)));
            let mut batch = Batch::default();
            (0..8).for_each(|lane| batch.set(lane, a.each_ref(), b.each_ref()));
            let [a, b] = [a.map(|p| p.map(f64::from)), b.map(|p| pose.transform(&p))];
            let closest = Triangle { vertices: a }.closest_points(&Triangle { vertices: b });
            let (vector, other) = (closest.on_b - closest.on_a, Vector3::new(0.0, 0.0, 1.0));
            for level in SimdLevel::available() {
                let reaches = |part: f64, axis| distances(&batch, level, &pose, part * closest.distance_sq, &axis).far;
                for axis in [vector, -vector, other, Vector3::zeros()] {
                    assert_eq!(reaches(1.0 + 1e-9, axis), 0, "{level}");
                }
                if closest.distance_sq > 1e-6 {
                    assert_eq!(reaches(1.0 - 1e-6, vector), 0xff, "{level}");
                    assert_eq!(reaches(1.0 - 1e-6, -vector), 0xff, "{level}");
                    proven += 1;
                    by_another += u32::from(reaches(0.25, other) == 0xff);
                }
            }
        }
        assert!(proven > 100 && by_another > 50, "{proven}, {by_another}");
    }

    /// The nearest vertices and their distances equal those of two single triangles, to the bit.
    #[test]
    fn vertices_are_as_far_apart_as_those_of_two_triangles() {
        let mut coordinate = coordinates(2);
        let rotation = *nalgebra::Rotation3::new(Vector3::new(0.3, -1.0, 2.0)).matrix();
        let (mut found, mut others) = (0, 0);
        for _ in 0..if cfg!(debug_assertions) { 200 } else { 20_000 } {
            let away = if coordinate() < 0.5 { 0.3 } else { 3.0 };
            let pose = Pose::new(rotation, Vector3::new(0.7, 0.2, away)).unwrap();
            // Sometimes on a grid, where several vertices are equally far along a vector.
            let grid = if coordinate() < 0.3 { 4.0 } else { 1e6 };
            let mut corner = || Point3::from([0; 3].map(|_| (coordinate() * grid).round() / grid));
            let pairs = [0; 8].map(|_| [[0; 3].map(|_| corner()), [0; 3].map(|_| corner())]);
            let mut batch = Batch::default();
            for (lane, [a, b]) in pairs.iter().enumerate() {
                batch.set(lane, a.each_ref(), b.each_ref());
            }
            for level in SimdLevel::available() {
                let result = distances(&batch, level, &pose, f64::INFINITY, &Vector3::z());
                assert_eq!(result.far, 0);
                for (lane, [a, b]) in pairs.iter().enumerate() {
                    let a = Triangle { vertices: a.map(|p| p.map(f64::from)) };
                    let b = Triangle { vertices: b.map(|p| pose.transform(&p)) };
                    let alone = nearest_vertices(&a, &b, &Corners::new(&a, &b));
                    assert_eq!(result.at_vertices >> lane & 1 != 0, alone.is_some(), "{level}");
                    if let Some(alone) = alone {
                        assert_eq!(result.distance_sq[lane], alone.distance_sq, "{level}");
                        assert_eq!(
                            Vector3::from(result.separations.map(|row| row[lane])),
                            alone.on_b - alone.on_a,
                            "{level}"
                        );
                        found += 1;
                    } else if !a.intersects(&b) {
                        let separation = Vector3::from(result.separations.map(|row| row[lane]));
                        assert!((separation.norm() - a.distance_sq(&b).sqrt()).abs() < 1e-5, "{level}: {separation}");
                        others += 1;
                    }
                }
            }
        }
        assert!(found > 1000 && others > 1000, "{found}, {others}");
    }
}
