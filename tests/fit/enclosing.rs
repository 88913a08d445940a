//! Every fit encloses its points, whatever they are; the smallest ball with its certificate.

use bvtree::fit::{self, ObbFit, SmallestSphere, SphereFit};
use bvtree::shape::Sphere;
use bvtree::triangle::Triangle;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::{assert_ball_encloses, assert_box_encloses, assert_orthonormal};
use crate::cases::cases;
use crate::point_sets::{degenerate_sets, point_set};

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
    assert_smallest(&fit::smallest_sphere(points), points);
}

/// The certificate: no ball smaller than this one holds even the support.
fn assert_smallest(ball: &SmallestSphere, points: &[Point3<f64>]) {
    let SmallestSphere { sphere, support } = ball;
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

/// The squares of these sets' distances or areas underflow or overflow.
#[test]
fn boxes_enclose_tiny_and_huge_sets() {
    for size in (-300..150).map(|exponent| 1.4 * 10f64.powi(exponent)) {
        let triangle = [[0.0, 0.0], [size, 0.0], [0.0, size]].map(|[x, y]| Point3::new(x, y, 0.0));
        let needle = [[0.0, 0.0], [size, 0.0], [0.5 * size, 1e-4 * size]].map(|[x, y]| Point3::new(x, 0.3 * x, y));
        let close = [[0.0, size], [size, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| Point3::new(x, y, 0.0));
        for points in [&triangle[..], &needle, &close] {
            let triangles: Vec<_> = points.windows(3).map(|v| Triangle { vertices: [v[0], v[1], v[2]] }).collect();
            for fit in ObbFit::ALL.into_iter().filter(|fit| *fit != ObbFit::MinimumVolume) {
                assert_box_encloses(&fit.fit(points), points, fit.name());
                assert_box_encloses(&fit.fit_triangles(&triangles), points, fit.name());
            }
        }
        let long = [[0.0, 0.0], [size, 0.0], [0.0, 1e10]].map(|[x, y]| Point3::new(x, y, 0.0));
        for corners in [triangle, needle, long] {
            assert_orthonormal(&fit::triangle_covariance_axes(&corners));
            fit::triangle_axes(&corners).iter().for_each(assert_orthonormal);
        }
    }
}

proptest! {
    #![proptest_config(cases(200, 5000))]

    #[test]
    fn every_fit_encloses_its_points(points in point_set()) {
        assert_all_enclose(&points);
    }
}

proptest! {
    #![proptest_config(cases(5, 500))]

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
