//! Point sets for the tests of fits: random, degenerate, tiny, huge and far away.

use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

/// A random set: up to 60 points of a random shape (flat, straight, on a grid, ...) at a random place and scale.
pub fn point_set() -> impl Strategy<Value = Vec<Point3<f64>>> {
    let coordinates = prop::array::uniform3(prop_oneof![4 => -1.0..1.0, 1 => Just(0.0), 1 => Just(1.0)]);
    let extents = prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), Just(1e-9), 0.0..10.0]);
    let angles = prop::array::uniform3(prop_oneof![Just(0.0), -4.0..4.0]);
    let places = prop::array::uniform3(prop_oneof![2 => Just(0.0), 1 => -1e7..1e7, 1 => -10.0..10.0]);
    let scales = prop_oneof![3 => Just(1.0), 1 => Just(1e-30), 1 => Just(1e30), 1 => Just(1e-44), 1 => Just(1e-100)];
    let shapes = (extents, angles, places, scales, any::<bool>());
    (prop::collection::vec(coordinates, 1..60), shapes).prop_map(
        |(coordinates, (extents, angles, place, scale, snap))| {
            let rotation = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
            let posed = |point: [f64; 3]| {
                let point = Vector3::from(point).map(|x| if snap { (x * 2.0).round() } else { x });
                Point3::from((rotation * point.component_mul(&Vector3::from(extents)) + Vector3::from(place)) * scale)
            };
            coordinates.into_iter().map(posed).collect()
        },
    )
}

/// Fixed awkward sets: repeated, collinear and coplanar points, at several scales and places.
pub fn degenerate_sets() -> Vec<Vec<Point3<f64>>> {
    let point = Point3::new(0.1, -0.7, 3e3);
    let direction = Vector3::new(1.0, 2.0, -0.3);
    let shapes = [
        vec![],
        vec![point],
        vec![point; 1000],
        vec![point, point + direction],
        (0..100).map(|i| point + direction * f64::from(i % 10)).collect(),
        (0..100).map(|i| Point3::new(f64::from(i), 0.0, 0.0)).collect(),
        (0..100).map(|i| Point3::new(f64::from(i % 10), f64::from(i / 10), 0.0)).collect(),
        (0..64).map(|i| Point3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16))).collect(),
        (0..100).map(|i| Point3::new((f64::from(i) * 0.1).cos(), (f64::from(i) * 0.1).sin(), 0.5)).collect(),
        vec![point, point + direction * 1e-300, point - direction * 1e-300],
        (0..50).map(|i| point + direction * (f64::from(i) * f64::EPSILON)).collect(),
    ];
    let mut sets = Vec::new();
    for scale in [1.0, 1e-30, 1e30, 1e-45, 1e100, 1e-160, 1e-310] {
        for offset in [0.0, 1.0, 1e9, 3e12] {
            sets.extend(shapes.iter().map(|shape| {
                let posed = |p: &Point3<f64>| Point3::from((p.coords + Vector3::repeat(offset)) * scale);
                shape.iter().map(posed).collect::<Vec<_>>()
            }));
        }
    }
    sets
}
