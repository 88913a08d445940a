//! Convex shapes, by certificates.

use bvtree::shape::{Distance, Overlaps, Separation};
use bvtree::shape2::ConvexPolygon;
use nalgebra::{Point2, Vector2};

use super::{aabb, circle, corners, obb};
use crate::shape::cases::{CASES, Certifier, Convex, Random};

#[test]
fn circles_against_convex_shapes_are_certified() {
    let random = &mut Random(41);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let circle_ = circle(random);
        certifier.check_both_ways(&circle(random), &circle_);
        certifier.check_both_ways(&aabb(random), &circle_);
        certifier.check_both_ways(&obb(random), &circle_);
        certifier.check_both_ways(&random.segment::<2>(), &circle_);
        certifier.check_both_ways(&random.capsule::<2>(), &circle_);
        let corners = corners(random);
        if let Ok(polygon) = ConvexPolygon::new(&corners) {
            certifier.check_both_ways(&polygon, &circle_);
        }
    }
}

#[test]
fn nearest_points_to_a_point_are_certified() {
    let random = &mut Random(42);
    let mut certifier = Certifier::new(8.0);
    for _ in 0..CASES {
        let point: Point2<f64> = random.point(5.0);
        let (circle, aabb, obb, capsule) = (circle(random), aabb(random), obb(random), random.capsule::<2>());
        certifier.check(&circle, &point, circle.contains(&point));
        certifier.check(&aabb, &point, aabb.contains(&point));
        certifier.check(&obb, &point, obb.contains(&point));
        certifier.check(&capsule, &point, capsule.contains(&point));
        let corners = corners(random);
        if let Ok(polygon) = ConvexPolygon::new(&corners) {
            certifier.check(&polygon, &point, polygon.contains(&point));
        }
    }
}

#[test]
fn rectangles_and_polygons_are_certified() {
    let random = &mut Random(43);
    let mut certifier = Certifier::between_features(8.0);
    let mut polygons = 0;
    for _ in 0..CASES {
        let [own, other] = [(); 2].map(|()| random.segment::<2>());
        certifier.check(&own, &other, own.distance_sq(&other) == 0.0);
        let (first, second) = (obb(random), obb(random));
        certifier.check_both_ways(&first, &second);
        check_separation(&first, &second, first.separating_axis(&second), first.overlaps(&second), random);

        let (own, others) = (corners(random), corners(random));
        let (Ok(own), Ok(others)) = (ConvexPolygon::new(&own), ConvexPolygon::new(&others)) else { continue };
        polygons += 1;
        certifier.check_both_ways(&own, &others);
        check_separation(&own, &others, own.separating_axis(&others), own.overlaps(&others), random);
    }
    assert!(polygons > CASES * 9 / 10, "{polygons}");
}

/// That the axis shows the gap or the depth it should, and that no direction needs less depth.
fn check_separation<A, B>(first: &A, second: &B, separation: Separation<2>, overlap: bool, random: &mut Random)
where
    A: Convex<2> + Distance<B, 2> + std::fmt::Debug,
    B: Convex<2> + std::fmt::Debug,
{
    let signed_gap = |axis: &Vector2<f64>| -second.support(&-axis) - first.support(axis);
    match separation {
        Separation::Apart { axis, gap } => {
            assert!(!overlap && gap > 0.0 && (axis.norm() - 1.0).abs() < 1e-12);
            assert!((signed_gap(&axis) - gap).abs() < 1e-11, "{axis} {gap}\n{first:?}\n{second:?}");
            assert!(gap <= first.distance(second) + 1e-11, "{axis} {gap}\n{first:?}\n{second:?}");
        }
        Separation::Overlapping { axis, depth } => {
            assert!(overlap && (axis.norm() - 1.0).abs() < 1e-12);
            assert!((signed_gap(&axis) + depth).abs() < 1e-11, "{axis} {depth}\n{first:?}\n{second:?}");
            for spread in [1e-4, 1e-1, 1e2] {
                let other = (axis + random.unit::<2>() * spread).normalize();
                assert!(-signed_gap(&other) > depth - 1e-11, "{other} {depth}\n{first:?}\n{second:?}");
            }
        }
    }
}
