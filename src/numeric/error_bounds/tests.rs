//! Error bounds against errors that are known exactly, in rational numbers or by formulas: each bound holds, and each
//! of the terms of a function is needed by one of the cases.

use nalgebra::{Matrix3, Point3, Vector3};
use num_rational::BigRational;
use num_traits::Signed;
use proptest::prelude::*;

use super::*;
use crate::triangle::Triangle;

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

/// Whether `|computed - true| <= bound`.
fn is_within(computed: f64, truth: &BigRational, bound: f64) -> bool {
    (exact(computed) - truth).abs() <= exact(bound)
}

/// A point that a pose moves, without rounding.
fn posed(pose: &Pose, point: &Point3<f64>) -> [BigRational; 3] {
    std::array::from_fn(|i| {
        let products = (0..3).map(|k| exact(pose.rotation()[(i, k)]) * exact(point[k]));
        products.fold(exact(pose.translation()[i]), |sum, product| sum + product)
    })
}

fn vectors(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn poses(far: f64) -> impl Strategy<Value = Pose> {
    (vectors(1.0), -3.0..3.0, vectors(far))
        .prop_filter_map("an axis", |(axis, angle, translation)| Pose::from_axis_angle(&axis, angle, translation).ok())
}

/// Coordinates from small to large.
fn sizes() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1e-3, 1.0, 1e6])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Differences of coordinates far from the origin or near it, as computed; `c` nearly in the plane of the others.
    #[test]
    fn triple_products(
        points in prop::array::uniform3(vectors(1.0)),
        far in prop::sample::select(vec![0.0, 0.1, 1.0, 30.0, 1e6]),
        flat in prop::sample::select(vec![1.0, 1e-8, 0.0]),
    ) {
        let origin = Vector3::repeat(far);
        let [a, b, c] = points.map(|point| origin + point);
        let c = origin + (a - origin) * 0.3 + (b - origin) * 0.6 + (c - origin) * flat;
        let [u, v, w] = [a, b, c].map(|point| point - origin);
        let computed = u.cross(&v).dot(&w);
        let difference = |point: &Vector3<f64>, k: usize| exact(point[k]) - exact(origin[k]);
        let product = |i: usize, j: usize, k: usize| difference(&a, i) * difference(&b, j) * difference(&c, k);
        let truth = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
            .into_iter()
            .map(|[i, j, k]| product(i, j, k) - product(j, i, k))
            .fold(exact(0.0), |sum, x| sum + x);
        let magnitude = |i: usize, j: usize, k: usize| ((u[i] * v[j]).abs() + (u[j] * v[i]).abs()) * w[k].abs();
        let magnitudes = magnitude(0, 1, 2) + magnitude(1, 2, 0) + magnitude(2, 0, 1);
        prop_assert!(is_within(computed, &truth, TRIPLE_PRODUCT_ROUNDING * magnitudes));
        prop_assert!(is_within(computed, &truth, TRIPLE_PRODUCT_ROUNDING * u.norm() * v.norm() * w.norm()));
    }

    #[test]
    fn lengths_of_vectors(v in sizes().prop_flat_map(vectors)) {
        let square = (0..3).map(|k| exact(v[k]).pow(2)).fold(exact(0.0), |sum, x| sum + x);
        prop_assert!(exact(v.norm() * LENGTH_FACTOR).pow(2) >= square);
    }

    /// Two points as triangles without area, whose distance is that of the points.
    #[test]
    fn distances_of_triangles((size, p, q) in sizes().prop_flat_map(|s| (Just(s), vectors(s), vectors(s)))) {
        let [a, b] = [p, q].map(|v| Triangle { vertices: [Point3::from(v); 3] });
        let distance = a.distance_sq(&b).sqrt();
        let error = triangle_distance_error(2.0 * size, distance);
        let square = (0..3).map(|k| (exact(p[k]) - exact(q[k])).pow(2)).fold(exact(0.0), |sum, x| sum + x);
        let [least, most] = [distance - error, distance + error].map(|x| exact(x.max(0.0)).pow(2));
        prop_assert!(least <= square && square <= most);
        // The tolerance that is exactly the distance includes it.
        for tolerance in [distance, distance * 1e-160 / size, size * 1e-300, 0.0] {
            let limit = exact(tolerance).pow(2);
            prop_assert!(exact(tolerance_bound_sq(tolerance)) > limit && tolerance_bound_sq(tolerance) > 0.0);
            prop_assert!(tolerance * tolerance * (1.0 + 4.0 * f64::EPSILON) < tolerance_bound_sq(tolerance));
        }
    }

    /// Points that are posed and posed back.
    #[test]
    fn points_posed_and_posed_back(
        (size, pose) in sizes().prop_flat_map(|s| (Just(s), poses(s))),
        point in vectors(1.0),
    ) {
        let point = Point3::from(point * size);
        let there = pose.transform_point(&point);
        let back = pose.inverse_transform(&pose.inverse_rotation(), &there);
        prop_assert!((back - point).norm() <= depth_rounding(point.coords.amax() + pose.translation().amax()));
    }

    /// The box of the point alone: its coordinates count twice, as those of a box that reaches to the origin once.
    #[test]
    fn bodies(
        (size, pose) in (sizes(), sizes()).prop_flat_map(|(size, far)| (Just(size), poses(far))),
        point in vectors(1.0),
        reach in prop::sample::select(vec![[0.0, 1.0], [1.0, 0.0]]),
    ) {
        let point = Point3::from(point.abs() * size * (reach[1] - reach[0]));
        let bounds = Aabb { lower: point.inf(&Point3::origin()), upper: point.sup(&Point3::origin()) };
        let bound = body_rounding(&pose, &bounds);
        let computed = pose.transform_point(&point);
        for (k, truth) in posed(&pose, &point).iter().enumerate() {
            prop_assert!(is_within(computed[k], truth, bound));
        }
    }

    /// How far a point moves between two poses, as it is rounded at both: turned, moved, or by no more than rounding.
    #[test]
    fn displacements(
        from in poses(1e6), turn in poses(1e-9), center in vectors(100.0), offset in vectors(1.0), how in 0..3,
    ) {
        let (rotation, shift) = match how {
            0 => (turn.rotation() * from.rotation(), *turn.translation()),
            1 => (*from.rotation(), *turn.translation()),
            _ => (from.rotation() * (1.0 + 1e-12), Vector3::zeros()),
        };
        let to = Pose::unchecked(rotation, from.translation() + shift);
        let (radius, extent) = (offset.norm() * (1.0 + 1e-15), (center.abs() + offset.abs()).amax());
        let bound = displacement_between(&from, &to, &center, radius, extent);
        let point = Point3::from(center + offset);
        let moved = to.transform_point(&point) - from.transform_point(&point);
        prop_assert!(moved.norm() <= bound);
        let way = moved.norm();
        let squares = (0..3).map(|k| exact(moved[k]).pow(2)).fold(exact(0.0), |sum, x| sum + x);
        prop_assert!(exact(displacement_bound(way, 0.0)).pow(2) >= squares);
        prop_assert!(exact(displacement_bound(way, 0.5 * way)) > exact(way) * exact(1.5));
    }

    #[test]
    fn margins(margin in 0.0..10.0f32, distance in 0.0..10.0f64) {
        let enlarged = exact(f64::from(enlarged_margin(margin, distance)));
        prop_assert!(enlarged > exact(f64::from(margin)) + exact(distance) * exact(1.0009));
    }

    /// A sum that swallows most of the rotation's part.
    #[test]
    fn speeds(linear in 0.0..1e6f64, angular in 0.0..1e-8f64) {
        prop_assert!(angular_part(linear + angular, linear) >= angular);
    }

    /// The length of a vector that a matrix stretches, whose deviation is known.
    #[test]
    fn stretched_vectors(matrix in prop::array::uniform9(-3e-5..3e-5f64), vector in vectors(1.0)) {
        let matrix = Matrix3::identity() + Matrix3::from_iterator(matrix);
        let deviation = (matrix.transpose() * matrix - Matrix3::identity()).amax();
        prop_assert!((matrix * vector).norm() <= stretch(deviation) * vector.norm());
    }

    /// How far rounding to f32 moves the points of a plane that is almost level.
    #[test]
    fn flat_meshes(heights in prop::collection::vec(0.0..0.1f64, 8), size in sizes()) {
        let moved = heights.iter().map(|height| (1.0 + height) * size).map(|z| f64::from(z as f32) - z);
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let (least, most) = moved.fold(nothing, |(least, most), z| (least.min(z), most.max(z)));
        prop_assert!(most - least <= flatness(1.1 * size));
    }

    /// The sum of determinants, whose terms nearly cancel.
    #[test]
    fn volumes(triangles in prop::collection::vec(prop::array::uniform3(vectors(1e3)), 1..20)) {
        let (mut volume, mut truth, mut lengths, mut magnitudes) = (0.0, exact(0.0), 0.0, 0.0);
        for [a, b, along] in &triangles {
            let c = a + b + along * 1e-9;
            let determinant = a.dot(&b.cross(&c));
            volume += determinant;
            lengths += a.norm() * b.norm() * c.norm();
            magnitudes += determinant.abs();
            let [a, b, c] = [*a, *b, c].map(|v| [0, 1, 2].map(|k| exact(v[k])));
            for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
                truth += &a[i] * (&b[j] * &c[k] - &b[k] * &c[j]);
            }
        }
        prop_assert!(is_within(volume, &truth, volume_error(triangles.len(), lengths, magnitudes)));
    }
}

/// A large number and many that are lost beside it.
#[test]
fn sums_of_many() {
    let (large, small, count) = (2f64.powi(53), 0.9, 1_000_000_usize);
    let sum = (0..count).fold(large, |sum, _| sum + small);
    let truth = exact(large) + exact(small) * exact(count as f64);
    let size = large + small * count as f64;
    assert!(sum == large && is_within(sum, &truth, volume_error(count + 1, size, size)));
    assert!(displacement_bound(0.0, 0.0) > 0.0);
}

/// The sagitta of turns by small and by large angles, of arms that the matrix stretches, and of a matrix that drifts on
/// the way.
#[test]
fn arcs_and_their_chords() {
    for angle in [1e-4, 1e-2, 0.3, 1.0, 2.0, std::f64::consts::PI] {
        for stretched in [0.0, 4e-5] {
            for drift in [-1e-4, 0.0, 1e-4] {
                let start = Matrix3::identity() * (1.0 + stretched);
                let deviation = (start.transpose() * start - Matrix3::identity()).amax();
                // The drift turns in the same plane.
                let skew = Matrix3::new(0.0, -drift, 0.0, drift, 0.0, 0.0, 0.0, 0.0, 0.0);
                let arm = Vector3::new(2.0, 0.0, 0.0);
                let at = |time: f64| {
                    let (sin, cos) = (angle * time).sin_cos();
                    let turn = Matrix3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
                    turn * (start + skew * time) * arm
                };
                let strays = |time: f64| (at(time) - at(0.0).lerp(&at(1.0), time)).norm();
                let most = (0..=100).map(|i| strays(f64::from(i) / 100.0)).fold(0.0, f64::max);
                let bound = chord_error(arm.norm(), angle, drift.abs(), deviation);
                assert!(most <= bound + 1e-15, "{angle} {stretched} {drift}: {most:e} {bound:e}");
                assert!(bound <= 1.3 * most + 4.0 * arm.norm() * angle * drift.abs(), "{angle}: {most:e} {bound:e}");
            }
        }
    }
}
