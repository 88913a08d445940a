//! Closest points in 3D, each pair proven right by a certificate, and exact cases.

use super::cases::{CASES, Certifier, Random};
use bvtree::shape::{Aabb, Capsule, ClosestPoint, Distance, Obb, Overlaps, Segment, Sphere};
use nalgebra::{Matrix3, Point3, Vector3};

#[test]
fn nearest_points_to_a_point_are_certified() {
    let random = &mut Random(1);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let point: Point3<f64> = random.point(6.0);
        let sphere = random.sphere();
        certifier.check(&sphere, &point, sphere.contains(&point));
        let aabb = random.aabb();
        certifier.check(&aabb, &point, aabb.contains(&point));
        let obb = random.obb();
        certifier.check(&obb, &point, obb.contains(&point));
        let capsule = random.capsule();
        certifier.check(&capsule, &point, capsule.contains(&point));
        let segment: Segment = random.segment();
        certifier.check(&segment, &point, segment.distance_sq(&point) == 0.0);
    }
}

#[test]
fn spheres_against_all_are_certified() {
    let random = &mut Random(2);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let sphere = random.sphere();
        certifier.check_both_ways(&random.sphere(), &sphere);
        certifier.check_both_ways(&random.aabb(), &sphere);
        certifier.check_both_ways(&random.obb(), &sphere);
        certifier.check_both_ways(&random.segment(), &sphere);
        certifier.check_both_ways(&random.capsule(), &sphere);
    }
}

#[test]
fn segments_and_capsules_against_boxes_are_certified() {
    let random = &mut Random(3);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let (aabb, obb) = (random.aabb(), random.obb());
        certifier.check_both_ways(&random.segment(), &aabb);
        certifier.check_both_ways(&random.segment(), &obb);
        certifier.check_both_ways(&random.capsule(), &aabb);
        certifier.check_both_ways(&random.capsule(), &obb);
    }
}

/// Against a count of common points: coordinates are even, so that two boxes or a box and a segment along an axis
/// share an integer point if they share any.
#[test]
fn integer_segments_and_boxes_touch_exactly() {
    let random = &mut Random(4);
    for _ in 0..CASES {
        let (a, b) = (random.grid_point(4), random.grid_point(4));
        let aabb = Aabb::from_points([&a, &b]);
        let start: Point3<f64> = random.grid_point(5);
        let mut end = start;
        end[random.below(3) as usize] += random.integer(-5, 5) as f64;
        let segment = Segment { start, end };
        let steps = (end - start).abs().max() as i64;
        let common = (0..=steps).any(|step| {
            let point = start + (end - start) * if steps > 0 { step as f64 / steps as f64 } else { 0.0 };
            aabb.contains(&point.map(f64::round))
        });
        assert_eq!(segment.overlaps(&aabb), common, "{segment:?} {aabb:?}");

        // The same by a turned frame that is exact.
        let axes = random.axis_permutation();
        let obb = Obb { center: aabb.center(), axes, half_extents: (axes.transpose() * aabb.half_extents()).abs() };
        assert_eq!(segment.overlaps(&obb), common, "{segment:?} {obb:?}");

        // An integer distance along the axis from a face is exact, so a capsule of that radius touches.
        let distance_sq = segment.distance_sq(&aabb);
        if distance_sq.sqrt().fract() == 0.0 {
            let touching = Capsule { segment, radius: distance_sq.sqrt() };
            assert!(touching.overlaps(&aabb), "{touching:?} {aabb:?}");
        }
    }
}

#[test]
fn touching_and_degenerate_cases_are_exact() {
    let cube = Aabb { lower: Point3::origin(), upper: Point3::new(2.0, 2.0, 2.0) };
    let turned = Obb { center: Point3::origin(), axes: Matrix3::identity(), half_extents: Vector3::new(3.0, 2.0, 1.0) };
    let point = |x, y, z| Sphere { center: Point3::new(x, y, z), radius: 0.0 };

    // A 3-4-5 triangle from the corner; 2-3-6-7 from the edge's end.
    assert!(cube.overlaps(&Sphere { center: Point3::new(5.0, 6.0, 1.0), radius: 5.0 }));
    assert!(!cube.overlaps(&Sphere { center: Point3::new(5.0, 6.0, 1.0), radius: 4.9999999999 }));
    assert!(cube.overlaps(&Sphere { center: Point3::new(4.0, 5.0, 8.0), radius: 7.0 }));
    assert!(turned.overlaps(&Sphere { center: Point3::new(5.0, 5.0, 7.0), radius: 7.0 }));
    assert!(cube.overlaps(&point(2.0, 2.0, 2.0)) && !cube.overlaps(&point(2.0, 2.0, 2.5)));

    // Parallel to a face, all of the segment equally near: still one nearest pair, two units apart.
    let above = Segment { start: Point3::new(-1.0, 1.0, 4.0), end: Point3::new(3.0, 1.0, 4.0) };
    assert_eq!(above.distance_sq(&cube), 4.0);
    assert!(Capsule { segment: above, radius: 2.0 }.overlaps(&cube));
    assert!(!Capsule { segment: above, radius: 1.9999999999 }.overlaps(&cube));

    // Along a face, through a corner, a single point, and a diagonal that passes one edge's middle.
    let segment = |a: [f64; 3], b: [f64; 3]| Segment { start: Point3::from(a), end: Point3::from(b) };
    assert!(segment([-1.0, 1.0, 2.0], [3.0, 1.0, 2.0]).overlaps(&cube));
    assert!(segment([1.0, 3.0, 2.0], [3.0, 1.0, 2.0]).overlaps(&cube));
    assert!(!segment([1.0, 4.0, 2.0], [4.0, 1.0, 2.0]).overlaps(&cube));
    assert!(segment([2.0, 0.0, 1.0], [2.0, 0.0, 1.0]).overlaps(&cube));
    assert_eq!(segment([5.0, 6.0, 1.0], [5.0, 6.0, 1.0]).distance_sq(&cube), 25.0);
    assert_eq!(segment([1.0, 5.0, 2.0], [5.0, 1.0, 2.0]).distance_sq(&cube), 2.0);

    // A degenerate capsule is a ball; a ball of radius zero is a point.
    let ball = Capsule { segment: segment([4.0, 5.0, 8.0], [4.0, 5.0, 8.0]), radius: 7.0 };
    assert!(ball.overlaps(&cube) && ball.contains(&Point3::new(2.0, 2.0, 2.0)));
    assert_eq!(point(1.0, 2.0, 3.0).closest_point(&Point3::new(9.0, 9.0, 9.0)), Point3::new(1.0, 2.0, 3.0));
}

#[test]
fn the_empty_box_overlaps_nothing() {
    let everywhere = Sphere { center: Point3::origin(), radius: 1e9 };
    let segment = Segment { start: Point3::origin(), end: Point3::new(1.0, 1.0, 1.0) };
    let inverted = Aabb { lower: Point3::new(0.0, 1.0, 0.0), upper: Point3::new(1.0, 0.0, 1.0) };
    for empty in [Aabb::empty(), inverted] {
        assert!(empty.is_empty() && empty.volume() == 0.0 && empty.surface_area() == 0.0);
        assert!(!empty.overlaps(&everywhere) && !everywhere.overlaps(&empty));
        assert!(!segment.overlaps(&empty));
        assert!(!Capsule { segment, radius: 1e9 }.overlaps(&empty));
        assert!(empty.distance_sq(&Point3::origin()).is_nan());
    }
}
