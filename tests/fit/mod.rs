//! Fits against what they promise: they enclose, they are orthonormal, and the exact ones are optimal.

mod boxes;
mod eigenvectors;
mod enclosing;
mod meshes;
mod spheres;

use bvtree::fit;
use bvtree::shape::{Obb, Sphere};
use nalgebra::{Matrix3, Point3};

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

/// The corners of the cube [-1, 1]^3.
fn cube() -> Vec<Point3<f64>> {
    let sign = |corner: i32, bit: i32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|corner| Point3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2))).collect()
}

/// Every other corner of the cube: a regular tetrahedron.
fn tetrahedron() -> Vec<Point3<f64>> {
    cube().into_iter().filter(|corner| corner.coords.product() > 0.0).collect()
}
