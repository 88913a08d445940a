//! Convex shapes against each other: certified closest points, and exact verdicts in integer arithmetic.

use super::cases::{Certifier, Random};
use super::convex::{Known, P, any_shape, differences, hull_contains_origin};
use crate::cases::repeated;
use bvtree::shape::{ConvexShape, Distance, Overlaps};
use nalgebra::{Point3, Vector3};

/// As many in all builds: round shapes against each other take the most steps.
fn pairs() -> usize {
    repeated(375)
}

impl Distance<Known> for Known {
    fn closest_points(&self, other: &Known) -> (Point3<f64>, Point3<f64>) {
        self.shape.closest_points(&other.shape)
    }
    fn distance_sq(&self, other: &Known) -> f64 {
        self.shape.distance_sq(&other.shape)
    }
}

#[test]
fn pairs_of_convex_shapes_are_certified() {
    let random = &mut Random(40);
    let mut certifier = Certifier::between_features(8.0);
    let mut hits = [0; 6];
    for case in 0..pairs() {
        let kind = case % 6;
        let (first, second) = (any_shape(random, kind as u64), any_shape(random, (case / 6 % 6) as u64));
        let overlaps = first.shape.overlaps(&second.shape);
        certifier.check(&first, &second, overlaps);
        assert_eq!(overlaps, first.shape.distance_sq(&second.shape) == 0.0, "{first:?}\n{second:?}");
        // Round shapes that touch up to rounding may be told to overlap from one side only.
        let is_flat = |of: &Known, kind| (2..4).contains(&kind) && of.shape.rounding_radius() == 0.0;
        let both_flat = is_flat(&first, kind) && is_flat(&second, case / 6 % 6);
        let near = if both_flat { 0.0 } else { 1e-6 };
        let distance = first.shape.distance(&second.shape).max(second.shape.distance(&first.shape));
        let swapped = second.shape.overlaps(&first.shape);
        assert!(overlaps == swapped || distance < near, "{overlaps} {swapped} {distance:e} {first:?}\n{second:?}");
        hits[kind] += usize::from(overlaps);
    }
    assert!(hits.iter().all(|&hits| hits > pairs() / 125 && hits < pairs() / 6), "{hits:?}");
}

/// Where the search ends with the first direction, and exact tests find a point of the first in the second.
#[test]
fn shapes_about_one_center_have_a_point_in_common() {
    let capsule = ConvexShape::capsule(1.0, 0.0625).unwrap();
    let cuboid = ConvexShape::cuboid(Vector3::new(1.5, 2.0, 2.5)).unwrap();
    for [a, b] in [[&capsule, &cuboid], [&cuboid, &capsule]] {
        let (on_a, on_b) = a.closest_points(b);
        assert_eq!(on_a, on_b);
        assert!(a.contains(&on_a) && b.contains(&on_a), "{on_a}");
    }
}

/// Grid shapes of all dimensions, which often touch without overlapping.
#[test]
fn two_polytopes_on_a_grid_touch_exactly() {
    let random = &mut Random(41);
    let mut count = [0, 0];
    for _ in 0..pairs() / 2 {
        let [first, second] = [(); 2].map(|()| {
            let points = (0..random.integer(1, 6)).map(|_| [(); 3].map(|()| random.integer(-3, 3)));
            let points: Vec<P> = points.collect();
            if random.one_in(3) { points.iter().map(|&[x, y, _]| [x, y, 1]).collect() } else { points }
        });
        let [a, b] = [&first, &second].map(|points| {
            let points: Vec<Point3<f64>> = points.iter().map(|p| Point3::from(p.map(|x| x as f64))).collect();
            ConvexShape::hull(&points).unwrap()
        });
        let expected = hull_contains_origin(&differences(&first, &second));
        assert_eq!(a.overlaps(&b), expected, "{first:?} {second:?}");
        assert_eq!(a.distance(&b) == 0.0, expected, "{first:?} {second:?}");
        count[usize::from(expected)] += 1;
    }
    assert!(count.iter().all(|&count| count > 18), "{count:?}");
}
