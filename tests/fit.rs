//! Fits against what they promise: they enclose, they are orthonormal, and the exact ones are optimal.

mod point_sets;

use bvtree::fit;
use bvtree::shape::{Obb, Sphere};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use point_sets::{degenerate_sets, point_set};

fn assert_orthonormal(axes: &Matrix3<f64>) {
    assert!((axes.transpose() * axes - Matrix3::identity()).amax() < 1e-14, "not orthonormal: {axes}");
    assert!(axes.determinant() > 0.0, "left-handed: {axes}");
}

fn assert_box_encloses(obb: &Obb, points: &[Point3<f64>], name: &str) {
    assert_orthonormal(&obb.axes);
    for point in points {
        for k in 0..3 {
            let distance = obb.axes.column(k).dot(&(point - obb.center)).abs();
            assert!(distance <= obb.half_extents[k], "{name}: {point} is {distance} out along axis {k} of {obb:?}");
        }
    }
}

fn assert_ball_encloses(ball: &Sphere, points: &[Point3<f64>], name: &str) {
    for point in points {
        let offset = point - ball.center;
        assert!(offset.norm() <= ball.radius, "{name}: {point} is {} from the centre of {ball:?}", offset.norm());
        assert!(offset.norm_squared() <= ball.radius * ball.radius, "{name}: {point} is outside {ball:?} by squares");
    }
    let around_aabb = fit::aabb(points).half_extents().norm();
    let rounding = 1e-15 * points.iter().map(|point| point.coords.norm()).fold(0.0, f64::max);
    assert!(ball.radius <= around_aabb * (1.0 + 1e-14) + rounding, "{name}: {ball:?} exceeds {around_aabb}");
}

fn assert_all_enclose(points: &[Point3<f64>]) {
    assert_box_encloses(&fit::obb_by_vertex_covariance(points), points, "vertex covariance");
    assert_ball_encloses(&fit::ritter(points), points, "ritter");
}

#[test]
fn every_fit_encloses_degenerate_sets() {
    for points in degenerate_sets() {
        assert_all_enclose(&points);
    }
}

/// Few cases in debug builds, many in release builds; failing inputs are printed, not stored.
fn config(debug_cases: u32, release_cases: u32) -> ProptestConfig {
    let cases = if cfg!(debug_assertions) { debug_cases } else { release_cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(200, 20_000))]

    #[test]
    fn every_fit_encloses_its_points(points in point_set()) {
        assert_all_enclose(&points);
    }

    #[test]
    fn eigenvectors_diagonalize_any_symmetric_matrix(
        values in prop::array::uniform3(prop_oneof![-1.0..1.0, Just(0.0), Just(1.0), 0.99999999..1.0, 1e-18..1e-9]),
        angles in prop::array::uniform3(prop_oneof![-4.0..4.0, Just(0.0)]),
        exponent in -60..60,
    ) {
        let rotation: Matrix3<f64> = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]).into_inner();
        let scaled = Vector3::from(values) * 10.0_f64.powi(exponent);
        let product: Matrix3<f64> = rotation * Matrix3::from_diagonal(&scaled) * rotation.transpose();
        let symmetric = (product + product.transpose()) * 0.5;
        let axes = fit::eigenvectors(&symmetric);
        assert_orthonormal(&axes);
        let mut diagonal = axes.transpose() * symmetric * axes;
        let mut found = diagonal.diagonal();
        diagonal.fill_diagonal(0.0);
        prop_assert!(diagonal.amax() <= 4e-15 * symmetric.amax(), "off diagonal {diagonal}");
        let mut expected = scaled;
        found.as_mut_slice().sort_by(f64::total_cmp);
        expected.as_mut_slice().sort_by(f64::total_cmp);
        prop_assert!((found - expected).amax() <= 8e-15 * symmetric.amax());
    }
}

#[test]
fn eigenvectors_of_awkward_matrices_are_frames() {
    let rank_one = Vector3::new(1.0, -2.0, 2.0);
    for matrix in [
        Matrix3::zeros(),
        Matrix3::identity(),
        Matrix3::repeat(f64::NAN),
        Matrix3::repeat(f64::INFINITY),
        Matrix3::repeat(f64::MAX),
        Matrix3::repeat(f64::MIN_POSITIVE / 8.0),
        rank_one * rank_one.transpose(),
        Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 1.0 + f64::EPSILON)),
        Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 0.0)),
    ] {
        assert_orthonormal(&fit::eigenvectors(&matrix));
    }
}

#[test]
fn covariance_box_of_a_posed_box_is_that_box() {
    let half_extents = Vector3::new(1.0, 2.0, 5.0);
    let rotation = Rotation3::from_euler_angles(0.3, -1.2, 2.0);
    let center = Point3::new(1e3, -2e3, 5e3);
    let corners: Vec<_> = (0..8)
        .map(|corner| {
            let sign = |bit: i32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            center + rotation * half_extents.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
        })
        .collect();
    let obb = fit::obb_by_vertex_covariance(&corners);
    let mut found = obb.half_extents;
    found.as_mut_slice().sort_by(f64::total_cmp);
    assert!((found - half_extents).amax() < 1e-11, "{found}");
    assert!((obb.center - center).amax() < 1e-11);
}

#[test]
fn nothing_gives_a_volume_of_zero_size_at_the_origin() {
    let obb = fit::obb_by_vertex_covariance(&[]);
    assert_eq!((obb.center, obb.half_extents), (Point3::origin(), Vector3::zeros()));
    assert_eq!(fit::ritter(&[]), Sphere { center: Point3::origin(), radius: 0.0 });
}
