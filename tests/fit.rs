//! Fits against what they promise: they enclose, they are orthonormal, and the exact ones are optimal.

use bvtree::fit::{self, ObbFit, SmallestBall, SphereFit};
use bvtree::shape::{Obb, Sphere};
use bvtree::triangle::Triangle;
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::point_sets::{degenerate_sets, point_set};

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
    let triangles: Vec<_> = points.windows(3).map(|v| Triangle { vertices: [v[0], v[1], v[2]] }).collect();
    let corners = if triangles.is_empty() { &[] } else { points };
    for fit in ObbFit::ALL {
        // The search is slow; it has its own test.
        if fit != ObbFit::MinimumVolume {
            assert_box_encloses(&fit.fit(points), points, fit.name());
            assert_box_encloses(&fit.fit_triangles(&triangles), corners, fit.name());
        }
    }
    for fit in SphereFit::ALL {
        assert_ball_encloses(&fit.fit(points), points, fit.name());
    }
    assert_smallest(&fit::smallest_ball(points), points);
}

/// The certificate: no ball smaller than this one holds even the support.
fn assert_smallest(ball: &SmallestBall, points: &[Point3<f64>]) {
    let SmallestBall { sphere, support } = ball;
    assert!(support.iter().all(|point| points.contains(point)));
    let farthest = points.iter().map(|point| point.coords.norm()).fold(0.0, f64::max);
    if sphere.radius < 1e-150 || farthest > 1e6 * sphere.radius {
        return;
    }
    // Weights of the centre as a mean of the support, by least squares with the weights' sum as one more equation.
    let offsets: Vec<_> = support.iter().map(|point| (point - sphere.center) / sphere.radius).collect();
    let columns: Vec<_> = offsets.iter().map(|d| nalgebra::Vector4::new(d.x, d.y, d.z, 1.0)).collect();
    let system = nalgebra::OMatrix::<f64, nalgebra::U4, nalgebra::Dyn>::from_columns(&columns);
    let target = nalgebra::Vector4::new(0.0, 0.0, 0.0, 1.0);
    let weights = system.clone().svd(true, true).solve(&target, 1e-12).expect("both sides were asked for");
    assert!((system * &weights - target).amax() < 1e-6, "centre is not in the support's affine hull: {ball:?}");
    assert!(weights.min() > -1e-6, "centre is outside the support's hull, weights {weights}: {ball:?}");
    // Any ball around the support has at least this squared radius: the weighted mean of squared distances from the
    // weighted mean.
    let weights = weights.map(|weight| weight.max(0.0)) / weights.map(|weight| weight.max(0.0)).sum();
    let mean: Vector3<f64> = offsets.iter().zip(weights.iter()).map(|(d, &w)| d * w).sum();
    let bound: f64 = offsets.iter().zip(weights.iter()).map(|(d, &w)| w * (d - mean).norm_squared()).sum();
    assert!(bound > 1.0 - 1e-9, "the support allows a ball of {} times the radius: {ball:?}", bound.sqrt());
}

#[test]
fn every_fit_encloses_degenerate_sets() {
    for points in degenerate_sets() {
        assert_all_enclose(&points);
    }
}

#[test]
fn the_ritter_ball_of_a_triangle_is_the_smallest() {
    let grid = (0..5 * 5 * 5).map(|i| Point3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)));
    let first = Point3::new(1.0, 2.0, 0.0);
    let needles =
        [1e-3, 1e-9, 1e-170, 1e140].map(|x| [Point3::origin(), Point3::new(1.0, x, 0.0), Point3::new(1.0, 0.0, x)]);
    let triangles = grid.clone().flat_map(|b| grid.clone().map(move |c| [first, b, c])).chain(needles);
    for [a, b, c] in triangles {
        let least = fit::smallest_ball(&[a, b, c]).sphere.radius;
        for points in [[a, b, c], [c, a, b], [b, c, a], [c, b, a]] {
            let ball = fit::ritter(&points);
            assert_ball_encloses(&ball, &points, "ritter");
            assert!(ball.radius <= least * (1.0 + 1e-12), "{points:?}: {}, not {least}", ball.radius);
        }
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
}

proptest! {
    #![proptest_config(config(5, 500))]

    #[test]
    fn hostile_numbers_do_no_harm(points in prop::collection::vec(prop::array::uniform3(any::<f64>()), 0..20)) {
        let points: Vec<_> = points.into_iter().map(Point3::from).collect();
        let triangles: Vec<_> = points.windows(3).map(|v| Triangle { vertices: [v[0], v[1], v[2]] }).collect();
        for fit in ObbFit::ALL {
            fit.fit_triangles(&triangles);
            fit.fit(&points);
        }
        for fit in SphereFit::ALL {
            fit.fit(&points);
        }
    }

    #[test]
    fn the_search_encloses_and_beats_the_cheap_fits(points in point_set()) {
        let least = fit::minimum_volume_box(&points);
        assert_box_encloses(&least, &points, "minimum volume");
        for cheap in [ObbFit::BestVolume, ObbFit::Dito14, ObbFit::VertexCovariance, ObbFit::AxisAligned] {
            prop_assert!(least.half_extents.product() <= cheap.fit(&points).half_extents.product());
        }
    }
}

proptest! {
    #![proptest_config(config(500, 20_000))]

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
    for fit in ObbFit::ALL {
        let obb = fit.fit(&[]);
        assert_eq!((obb.center, obb.half_extents), (Point3::origin(), Vector3::zeros()), "{fit}");
        assert_eq!(fit.fit_triangles(&[]), obb);
    }
    for fit in SphereFit::ALL {
        assert_eq!(fit.fit(&[]), Sphere { center: Point3::origin(), radius: 0.0 }, "{fit}");
    }
}

#[test]
fn names_lead_back_to_the_fits() {
    for fit in ObbFit::ALL {
        assert_eq!(fit.name().parse(), Ok(fit));
    }
    for fit in SphereFit::ALL {
        assert_eq!(fit.name().parse(), Ok(fit));
    }
    let error = "rittr".parse::<SphereFit>().expect_err("no such fit");
    assert!(
        error.to_string().contains("unknown sphere fit 'rittr'") && error.to_string().contains("epos-14"),
        "{error}"
    );
}

/// The corners of the cube [-1, 1]^3.
fn cube() -> Vec<Point3<f64>> {
    let sign = |corner: i32, bit: i32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|corner| Point3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2))).collect()
}

/// Every other corner of the cube: a regular tetrahedron.
fn tetrahedron() -> Vec<Point3<f64>> {
    cube().into_iter().filter(|corner| corner.coords.product() > 0.0).collect()
}

#[test]
fn the_least_box_around_a_cube_or_its_tetrahedron_is_the_cube() {
    let rotation = Rotation3::from_euler_angles(0.7, 0.4, -2.5);
    for solid in [cube(), tetrahedron()] {
        let turned: Vec<_> = solid.iter().map(|point| rotation * point).collect();
        for fit in [ObbFit::MinimumVolume, ObbFit::Dito14] {
            // The edges of the tetrahedron are diagonals of the cube's faces: DiTO has no frame for them.
            if fit == ObbFit::MinimumVolume || solid.len() == 8 {
                let obb = fit.fit(&turned);
                assert!((obb.half_extents.product() - 1.0).abs() < 1e-7, "{fit}: {obb:?}");
                assert!(obb.center.coords.norm() < 1e-7);
            }
        }
    }
}

#[test]
fn flat_and_straight_sets_get_flat_and_straight_boxes() {
    let rotation = Rotation3::from_euler_angles(0.7, 0.4, -2.5);
    let rectangle = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0], [1.0, 1.5], [0.25, 0.5]];
    let flat: Vec<_> = rectangle.iter().map(|&[x, y]| rotation * Point3::new(x, y, 0.0)).collect();
    let straight: Vec<_> = [0.0, 3.0, 1.0, -1.0].iter().map(|&x| rotation * Point3::new(x, 0.0, 0.0)).collect();
    for fit in [ObbFit::MinimumVolume, ObbFit::Dito14, ObbFit::BestArea] {
        let mut size = fit.fit(&flat).half_extents;
        size.as_mut_slice().sort_by(f64::total_cmp);
        assert!((size - Vector3::new(0.0, 1.0, 2.0)).amax() < 1e-7, "{fit}: {size}");
    }
    for fit in ObbFit::ALL.iter().filter(|fit| **fit != ObbFit::AxisAligned) {
        let mut size = fit.fit(&straight).half_extents;
        size.as_mut_slice().sort_by(f64::total_cmp);
        assert!((size - Vector3::new(0.0, 0.0, 2.0)).amax() < 1e-7, "{fit}: {size}");
    }
}

#[test]
fn smallest_balls_of_known_sets() {
    let obtuse = vec![Point3::new(-2.0, 0.0, 0.0), Point3::new(2.0, 0.0, 0.0), Point3::new(0.5, 1.0, 0.0)];
    let equilateral = vec![Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0), Point3::new(0.0, 0.0, 1.0)];
    // A right angle at the last point, blurred by rounding far from the origin.
    let right = vec![Point3::new(-2e-9, 1.0, 0.0), Point3::new(2e-9, 1.0, 0.0), Point3::new(0.0, 1.0, 2e-9)];
    let ball = fit::smallest_ball(&right);
    assert!((ball.sphere.radius - 2e-9).abs() < 1e-15, "{ball:?}");

    for (points, radius_sq, support) in
        [(cube(), 3.0, 2..=4), (tetrahedron(), 3.0, 4..=4), (obtuse, 4.0, 2..=2), (equilateral, 2.0 / 3.0, 3..=3)]
    {
        let ball = fit::smallest_ball(&points);
        assert!((ball.sphere.radius.powi(2) - radius_sq).abs() < 1e-14, "{ball:?}");
        assert!(support.contains(&ball.support.len()), "{ball:?}");
    }
}

#[test]
fn surface_covariance_does_not_depend_on_the_tessellation() {
    let corner = |x: f64, y: f64| Point3::new(x, y, 7.0);
    let triangle = |vertices: [Point3<f64>; 3]| Triangle { vertices };
    // The rectangle [0, 2] x [0, 1] in two triangles, and again in a fan of many slivers and points.
    let coarse = [
        triangle([corner(0.0, 0.0), corner(2.0, 0.0), corner(2.0, 1.0)]),
        triangle([corner(0.0, 0.0), corner(2.0, 1.0), corner(0.0, 1.0)]),
    ];
    let mut fine = vec![coarse[1], triangle([corner(5.0, 5.0); 3])];
    for i in 0..64 {
        let [y, next_y] = [i, i + 1].map(|i| f64::from(i) / 64.0);
        fine.push(triangle([corner(0.0, 0.0), corner(2.0, y), corner(2.0, next_y)]));
    }
    let expected = Matrix3::from_diagonal(&Vector3::new(4.0 / 12.0, 1.0 / 12.0, 0.0));
    for triangles in [&coarse[..], &fine[..]] {
        let found = fit::surface_covariance(triangles).expect("it has area");
        assert!((found - expected).amax() < 1e-14, "{found}");
    }
    assert_eq!(fit::surface_covariance(&[triangle([corner(5.0, 5.0); 3])]), None);
}

#[cfg(feature = "parry")]
#[test]
fn hull_covariance_ignores_inner_points() {
    let rotation = Rotation3::from_euler_angles(0.7, 0.4, -2.5);
    let brick = |corner: &Point3<f64>| corner.coords.component_mul(&Vector3::new(3.0, 2.0, 1.0));
    let mut points: Vec<_> = cube().iter().map(|corner| rotation * Point3::from(brick(corner))).collect();
    // A diagonal swarm inside turns the axes of the vertex covariance.
    let corner = points[0];
    points.extend((0..500).map(|i| corner * (f64::from(i) / 500.0)));
    let size = |fit: ObbFit| fit.fit(&points).half_extents.product();
    assert!(size(ObbFit::VertexCovariance) > 6.5);
    assert!((size(ObbFit::HullCovariance) - 6.0).abs() < 1e-5, "{}", size(ObbFit::HullCovariance));
}
