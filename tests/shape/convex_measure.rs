//! Volumes and areas of convex shapes: by their formulas, and by counting points.

use std::f64::consts::PI;

use bvtree::Pose;
use bvtree::shape::ConvexShape;
use nalgebra::{Point3, Vector3};

fn assert_measures(shape: &ConvexShape, volume: f64, area: f64) {
    let close = |found: f64, expected: f64| (found - expected).abs() <= 1e-12 * (1.0 + expected);
    assert!(close(shape.volume(), volume), "{} {volume}", shape.volume());
    assert!(close(shape.surface_area(), area), "{} {area}", shape.surface_area());
    let pose = Pose::from_axis_angle(&Vector3::new(1.0, 2.0, 3.0), 0.7, Vector3::new(5.0, 1.0, 2.0)).unwrap();
    let moved = shape.transformed(&pose);
    assert!((moved.volume() - volume).abs() < 1e-9 && (moved.surface_area() - area).abs() < 1e-9, "{moved:?}");
}

#[test]
fn shapes_have_the_volumes_and_areas_of_their_formulas() {
    let sphere = ConvexShape::sphere(2.0).unwrap();
    assert_measures(&sphere, 4.0 / 3.0 * PI * 8.0, 16.0 * PI);
    assert_measures(&ConvexShape::sphere(0.0).unwrap(), 0.0, 0.0);
    let capsule = ConvexShape::capsule(1.5, 0.5).unwrap();
    assert_measures(&capsule, PI * 0.25 * (3.0 + 2.0 / 3.0), PI * (3.0 + 1.0));
    let cuboid = ConvexShape::cuboid(Vector3::new(0.5, 1.0, 1.5)).unwrap();
    assert_measures(&cuboid, 6.0, 22.0);
    let r = 0.25;
    assert_measures(
        &cuboid.rounded(r).unwrap(),
        6.0 + 22.0 * r + PI * 6.0 * r * r + 4.0 / 3.0 * PI * r.powi(3),
        22.0 + 2.0 * PI * 6.0 * r + 4.0 * PI * r * r,
    );
    assert_measures(&ConvexShape::cylinder(1.0, 0.5).unwrap(), 0.5 * PI, 2.5 * PI);
    assert_measures(&ConvexShape::cone(1.0, 1.5).unwrap(), 1.5 * PI, PI * 1.5 * (1.5 + 2.5));
    // A disc, and the capsule that a thin cylinder is.
    assert_measures(&ConvexShape::cylinder(0.0, 2.0).unwrap(), 0.0, 8.0 * PI);
    let thin = ConvexShape::cylinder(1.5, 0.0).unwrap().rounded(0.5).unwrap();
    assert_measures(&thin, capsule.volume(), capsule.surface_area());
    // A triangle with sides 3, 4 and 5, flat and rounded: halves of a ball at the corners, of cylinders at the sides.
    let corners = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(Point3::from);
    let triangle = ConvexShape::hull(&corners).unwrap();
    assert_measures(&triangle, 0.0, 12.0);
    let volume = 12.0 * r + 0.5 * PI * 12.0 * r * r + 4.0 / 3.0 * PI * r.powi(3);
    assert_measures(&triangle.rounded(r).unwrap(), volume, 12.0 + PI * 12.0 * r + 4.0 * PI * r * r);
}

/// The radius of a solid of revolution at a height.
fn radius_at(shape: &ConvexShape, z: f64) -> f64 {
    let is_in = |radius: f64| shape.contains(&Point3::new(radius, 0.0, z));
    let (mut inside, mut outside) = (0.0, 10.0);
    if !is_in(0.0) {
        return 0.0;
    }
    for _ in 0..40 {
        let middle = 0.5 * (inside + outside);
        *(if is_in(middle) { &mut inside } else { &mut outside }) = middle;
    }
    inside
}

#[test]
fn rounded_cones_have_the_volume_of_their_slices() {
    for (half_height, radius, rounding) in [(1.0, 1.5, 0.5), (0.25, 2.0, 1.0), (2.0, 0.5, 0.125)] {
        for core in [ConvexShape::cone(half_height, radius), ConvexShape::cylinder(half_height, radius)] {
            let shape = core.unwrap().rounded(rounding).unwrap();
            const SLICES: i32 = 2000;
            let (reach, thickness) = (half_height + rounding, 2.0 * (half_height + rounding) / f64::from(SLICES));
            let heights = (0..SLICES).map(|slice| (f64::from(slice) + 0.5) * thickness - reach);
            let volume: f64 = heights.map(|z| PI * radius_at(&shape, z).powi(2) * thickness).sum();
            assert!((shape.volume() - volume).abs() < 1e-4 * volume, "{} {volume}", shape.volume());
        }
    }
}

#[test]
fn a_rounded_tetrahedron_has_the_volume_of_its_points() {
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [0.3, 0.2, 1.0]].map(Point3::from);
    let shape = ConvexShape::hull(&corners).unwrap().rounded(0.3).unwrap();
    let aabb = shape.aabb();
    const STEPS: usize = 60;
    let at = |i: usize, k: usize| aabb.lower[k] + (i as f64 + 0.5) / STEPS as f64 * aabb.size()[k];
    let point = |i: usize| Point3::new(at(i % STEPS, 0), at(i / STEPS % STEPS, 1), at(i / STEPS / STEPS, 2));
    let is_in = |&i: &usize| shape.contains(&point(i));
    let counted = (0..STEPS.pow(3)).filter(is_in).count() as f64 / STEPS.pow(3) as f64 * aabb.volume();
    assert!((shape.volume() - counted).abs() < 5e-3 * counted, "{} {counted}", shape.volume());
}
