//! Distances from volumes to triangles against cases worked by hand, against sampling, and against theory.

use bvtree::metrics::{HausdorffError, MeshFacts};
use bvtree::shape::{KDop, Sphere};
use bvtree::{BvTree, Mesh, Volume, VolumeKind};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::meshes::{assert_close, box_mesh, build, ellipsoid, mesh, sheet, turned};
use crate::cases::cases;

fn measured(mesh: &Mesh, kind: VolumeKind) -> (BvTree, HausdorffError) {
    let tree = build(mesh, kind);
    let error = HausdorffError::new(&tree, &MeshFacts::new(mesh));
    (tree, error)
}

#[test]
fn a_triangle_by_hand() {
    let triangle = mesh(&[[0., 0., 1.], [3., 0., 1.], [0., 4., 1.]], &[[0, 1, 2]]);
    // The box's fourth corner above the hypotenuse.
    let (_, boxes) = measured(&triangle, VolumeKind::Aabb);
    assert_close(boxes.levels[0].max, 2.4 / 5.0);
    assert_eq!((boxes.total, boxes.levels.len()), (boxes.levels[0], 1));
    // The ball about the hypotenuse.
    let (_, balls) = measured(&triangle, VolumeKind::Sphere);
    assert_close(balls.total.mean, 0.5);
    // Its diameter is the mesh's: the box reaches 0.48 of it from the triangle.
    assert!(boxes.curve.iter().all(|point| point.nodes == (point.error >= 0.48).then_some(1)));
    assert_eq!(boxes.slope, None);
}

#[test]
fn boxes_that_fit_exactly_have_no_error() {
    for kind in [VolumeKind::Aabb, VolumeKind::Obb] {
        // The root of a flat square, and all volumes of boxes that are segments or points.
        let (_, square) = measured(&sheet(4, |_, _| 1.0), kind);
        assert!(square.levels[0].max.unwrap() < 1e-6, "{kind} {square:?}");
        assert!(square.curve.iter().all(|point| point.nodes == Some(1)));
        let lines = mesh(&[[1., 2., 3.], [5., 2., 3.], [5., 9., 3.]], &[[0, 1, 1], [1, 2, 1], [2, 2, 2]]);
        let (_, lines) = measured(&lines, kind);
        assert!(lines.levels.last().unwrap().max.unwrap() < 1e-5, "{kind} {lines:?}");
    }
}

#[test]
fn the_middle_of_a_cube_is_farthest_from_it() {
    let cube = box_mesh([4.0; 3], [6.0; 3]);
    for kind in VolumeKind::ALL {
        let (_, error) = measured(&cube, kind);
        assert_close(error.levels[0].max, 0.5 / 3f64.sqrt());
        assert_close(error.levels[0].mean, 0.5 / 3f64.sqrt());
    }
}

#[test]
fn no_triangles_no_error() {
    let (_, error) = measured(&mesh(&[], &[]), VolumeKind::Obb);
    assert!(
        error.levels.is_empty() && error.slope.is_none() && error.total.max.is_none() && error.total.mean.is_none()
    );
    assert!(error.curve.iter().all(|point| point.nodes.is_none()));
}

/// The largest distance from points of a grid in the volume to the mesh, and how far a point of the volume is from the
/// grid.
fn sampled(volume: &Volume, mesh: &Mesh, steps: u32) -> (f64, f64) {
    let (center, axes, half_extents) = match *volume {
        Volume::Aabb(aabb) => (aabb.center(), nalgebra::Matrix3::identity(), aabb.half_extents()),
        Volume::Obb(obb) => (obb.center, obb.axes, obb.half_extents),
        Volume::Sphere(Sphere { center, radius }) => (center, nalgebra::Matrix3::identity(), Vector3::repeat(radius)),
        Volume::KDop(kdop) => (kdop.center(), nalgebra::Matrix3::identity(), kdop.aabb().half_extents()),
    };
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(steps) - 1.0;
    let points = (0..(steps + 1).pow(3)).map(|i| {
        let n = steps + 1;
        center + axes * Vector3::new(at(i % n), at(i / n % n), at(i / n / n)).component_mul(&half_extents)
    });
    let distance = |point: &Point3<f64>| {
        let triangles = (0..mesh.triangles().len() as u32).map(|t| mesh.triangle(t));
        triangles.map(|t| (t.closest_point(point) - point).norm()).fold(f64::INFINITY, f64::min)
    };
    // A box's grid is in the box, though rounding may deny it where the box is flat.
    let is_inside = |point: &Point3<f64>| !matches!(volume, Volume::Sphere(_)) || volume.contains(point);
    let inside = |point: Point3<f64>| if let Volume::KDop(kdop) = volume { projected(kdop, point) } else { point };
    let greatest = points.map(inside).filter(is_inside).map(|point| distance(&point)).fold(0.0, f64::max);
    (greatest, 2.0 * half_extents.norm() / f64::from(steps))
}

/// A point of a k-DOP, no farther from any other point of it than the given one: projected on each plane in turn.
fn projected(kdop: &KDop, mut point: Point3<f64>) -> Point3<f64> {
    for _ in 0..40 {
        for (k, direction) in KDop::DIRECTIONS.map(Vector3::from).iter().enumerate() {
            let offset = direction.dot(&point.coords);
            let excess = offset - offset.clamp(kdop.lower[k], kdop.upper[k]);
            point -= direction * (excess / direction.norm_squared());
        }
    }
    point
}

proptest! {
    #![proptest_config(cases(12, 100))]

    /// Not missed by more than is said, and not exceeded at all.
    #[test]
    fn roots_reach_as_far_as_sampled(
        points in prop::collection::vec(prop::array::uniform3(-4i8..=4), 3..30),
        flat in any::<bool>(),
    ) {
        let vertices: Vec<[f32; 3]> =
            points.iter().map(|&[x, y, z]| [x, y, if flat { x / 2 } else { z }].map(f32::from)).collect();
        let triangles: Vec<_> = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = mesh(&vertices, &triangles);
        for kind in VolumeKind::ALL {
            let (tree, error) = measured(&mesh, kind);
            let root = tree.nodes().next().unwrap().volume;
            let found = error.levels[0].max.unwrap() * root.diameter();
            let (sampled, spacing) = sampled(&root, &mesh, if cfg!(debug_assertions) { 10 } else { 24 });
            prop_assert!(found <= sampled + spacing + 1e-5, "{}: {} and {}", kind, found, sampled);
            prop_assert!(sampled <= found + root.diameter() / 32.0 + 1e-5, "{}: {} and {}", kind, found, sampled);
        }
    }
}

/// Gottschalk 2000: a box that becomes flat as it becomes small needs fewer.
#[test]
fn oriented_boxes_converge_faster_on_a_smooth_surface() {
    let tilt = Rotation3::from_euler_angles(0.5, -0.4, 0.3).into_inner();
    let bowl = turned(&sheet(if cfg!(debug_assertions) { 64 } else { 128 }, |x, y| 0.3 * (x * x + y * y)), &tilt);
    let [aabb, obb, sphere] =
        [VolumeKind::Aabb, VolumeKind::Obb, VolumeKind::Sphere].map(|kind| measured(&bowl, kind).1);
    let slope = |error: &HausdorffError| error.slope.unwrap();
    assert!(slope(&obb) < 1.3, "{:?}", obb.curve);
    assert!(slope(&aabb) > 1.6 && slope(&sphere) > 1.6, "{:?} {:?}", aabb.curve, sphere.curve);
    for error in [&aabb, &obb, &sphere] {
        let nodes: Vec<_> = error.curve.iter().map(|point| point.nodes.unwrap_or(usize::MAX)).collect();
        assert!(nodes.is_sorted(), "{nodes:?}");
    }
    for (obb, aabb) in obb.curve.iter().zip(&aabb.curve).filter(|(point, _)| point.error < 0.05) {
        assert!(aabb.nodes.is_none_or(|nodes| obb.nodes.unwrap() < nodes), "{obb:?} {aabb:?}");
    }
}

#[test]
fn a_turn_changes_nothing_for_the_roots_of_oriented_boxes_and_balls() {
    let mesh = ellipsoid([3.0, 2.0, 1.0], 14, 9);
    let turned = turned(&mesh, &Rotation3::from_euler_angles(1.0, 0.2, -2.0).into_inner());
    for kind in [VolumeKind::Obb, VolumeKind::Sphere] {
        let [before, after] = [&mesh, &turned].map(|mesh| measured(mesh, kind).1.levels[0].max.unwrap());
        assert!((before - after).abs() < 1.1 / 32.0, "{kind}: {before} and {after}");
    }
    assert!((MeshFacts::new(&mesh).diameter - MeshFacts::new(&turned).diameter).abs() < 1e-5);
}
