//! The volume that two volumes share, against known cases and counting.

use std::f64::consts::PI;

use bvtree::Volume;
use bvtree::metrics::intersection_volume;
use bvtree::shape::{Aabb, Obb, Sphere};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::meshes::assert_close;
use crate::cases::cases;

fn obb(center: [f64; 3], half_extents: [f64; 3], angles: [f64; 3]) -> Volume {
    let axes: Matrix3<f64> = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]).into_inner();
    Volume::Obb(Obb { center: center.into(), axes, half_extents: half_extents.into() })
}

fn ball(x: f64, radius: f64) -> Volume {
    Volume::Sphere(Sphere { center: Point3::new(x, 0.0, 0.0), radius })
}

#[test]
fn known_intersections() {
    // Two unit balls a radius apart; one inside the other; apart; touching.
    assert_close(intersection_volume(&ball(0.0, 1.0), &ball(1.0, 1.0)), 5.0 * PI / 12.0);
    assert_close(intersection_volume(&ball(0.0, 3.0), &ball(1.0, 1.5)), 4.5 * PI);
    assert_close(intersection_volume(&ball(1.0, 1.5), &ball(0.0, 3.0)), 4.5 * PI);
    assert_eq!(intersection_volume(&ball(0.0, 1.0), &ball(2.0, 1.0)), Some(0.0));
    assert_eq!(intersection_volume(&ball(0.0, 0.0), &ball(0.0, 0.0)), Some(0.0));
    // A unit square and itself turned by 45 degrees share a regular octagon of area 2 (sqrt 2 - 1).
    let turned = obb([0.0; 3], [0.5, 0.5, 1.0], [0.0, 0.0, PI / 4.0]);
    let upright = obb([0.0; 3], [0.5; 3], [0.0; 3]);
    assert_close(intersection_volume(&turned, &upright), 2.0 * (2f64.sqrt() - 1.0));
    // A cube cut off by a corner: the tetrahedron x + y + z < 1/2 of legs 1/2.
    let diagonal = Vector3::new(1.0, 1.0, 1.0).normalize();
    let axes = Rotation3::rotation_between(&Vector3::z(), &diagonal).unwrap().into_inner();
    let half_extents = Vector3::new(5.0, 5.0, 5.0);
    let center = Point3::from(diagonal * (0.5 / 3f64.sqrt() - 5.0));
    let half_space = Volume::Obb(Obb { center, axes, half_extents });
    let cube = obb([0.5; 3], [0.5; 3], [0.0; 3]);
    assert_close(intersection_volume(&half_space, &cube), 1.0 / 48.0);
    assert_close(intersection_volume(&cube, &half_space), 1.0 / 48.0);
    assert_eq!(intersection_volume(&cube, &ball(0.0, 1.0)), None);
}

/// The share of a grid of points in `a` that lie in `b`, times `a`'s content.
fn counted(a: &Obb, b: &Obb, steps: u32) -> f64 {
    let at = |i: u32| (f64::from(i) + 0.5) / f64::from(steps) * 2.0 - 1.0;
    let point = |i: u32| {
        let in_box = Vector3::new(at(i % steps), at(i / steps % steps), at(i / steps / steps));
        a.center + a.axes * in_box.component_mul(&a.half_extents)
    };
    let inside = (0..steps.pow(3)).filter(|&i| b.contains(&point(i))).count();
    a.volume() * inside as f64 / f64::from(steps).powi(3)
}

fn boxes() -> impl Strategy<Value = [[f64; 3]; 3]> {
    let center = prop::array::uniform3(prop_oneof![-1.0..1.0, Just(0.0), Just(0.5)]);
    let half_extents = prop::array::uniform3(prop_oneof![4 => 0.1..1.5, 1 => Just(0.5), 1 => Just(1.0)]);
    let angles = prop::array::uniform3(prop_oneof![2 => -4.0..4.0, 1 => Just(0.0)]);
    (center, half_extents, angles).prop_map(|(center, half_extents, angles)| [center, half_extents, angles])
}

proptest! {
    #![proptest_config(cases(60, 2000))]

    #[test]
    fn upright_boxes_meet_alike_as_either_kind(first in boxes(), second in boxes()) {
        let [a, b] = [first, second].map(|[center, half_extents, _]| obb(center, half_extents, [0.0; 3]));
        let [c, d] = [first, second].map(|[center, half_extents, _]| {
            let (center, half) = (Point3::from(center), Vector3::from(half_extents));
            Volume::Aabb(Aabb { lower: center - half, upper: center + half })
        });
        let (oriented, aligned) = (intersection_volume(&a, &b).unwrap(), intersection_volume(&c, &d).unwrap());
        prop_assert!((oriented - aligned).abs() < 1e-12, "{oriented} and {aligned}");
    }

    #[test]
    fn turned_boxes_meet_as_counted(first in boxes(), second in boxes()) {
        let [a, b] = [first, second].map(|[center, half_extents, angles]| obb(center, half_extents, angles));
        let (one_way, other_way) = (intersection_volume(&a, &b).unwrap(), intersection_volume(&b, &a).unwrap());
        prop_assert!((one_way - other_way).abs() < 1e-12, "{one_way} and {other_way}");
        let (Volume::Obb(a), Volume::Obb(b)) = (a, b) else { unreachable!() };
        let steps = if cfg!(debug_assertions) { 16 } else { 40 };
        let tolerance = 2.0 * a.volume() / f64::from(steps);
        prop_assert!((one_way - counted(&a, &b, steps)).abs() < tolerance, "{one_way}");
    }
}
