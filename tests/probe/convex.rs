//! Convex shapes against whole meshes: brute force over triangles, the questions about spheres, capsules and boxes, and
//! the same hull as a mesh.

use bvtree::probe::CastOptions;
use bvtree::query::Solid;
use bvtree::shape::{Aabb, Capsule, ConvexShape, Distance, Obb, Overlaps, Segment, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe, Query};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact;
use super::meshes::{dataset_mesh, grid_soup, probes, soup, trees};
use super::volumes::sorted;

fn faces(probe: &mut Probe, tree: &BvTree, shape: &ConvexShape) -> Vec<u32> {
    sorted(|visit| probe.for_each_face_in_convex(tree, shape, visit))
}

fn check(mesh: &Mesh, shape: &ConvexShape) -> Result<(), TestCaseError> {
    let all = || (0..mesh.triangles().len() as u32).map(|face| (face, mesh.triangle(face)));
    let expected: Vec<u32> = all().filter(|(_, t)| shape.overlaps(t)).map(|(face, _)| face).collect();
    let distances: Vec<f64> = all().map(|(_, t)| shape.distance(&t)).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    for tree in trees(mesh) {
        for mut probe in probes() {
            prop_assert_eq!(&faces(&mut probe, &tree, shape), &expected);
            prop_assert_eq!(probe.intersects_convex(&tree, shape), !expected.is_empty());
            let Some(closest) = probe.closest_to_convex(&tree, shape, f64::INFINITY) else {
                prop_assert!(distances.is_empty());
                continue;
            };
            prop_assert_eq!(closest.distance == 0.0, !expected.is_empty());
            prop_assert!((closest.distance - least).abs() <= 1e-15 * least);
            if least == 0.0 {
                prop_assert!(expected.contains(&closest.face));
                continue;
            }
            let first = distances.iter().position(|&distance| distance == closest.distance).unwrap();
            prop_assert_eq!(first as u32, closest.face);
            let within = probe.closest_to_convex(&tree, shape, closest.distance);
            prop_assert_eq!(within, Some(closest));
            prop_assert_eq!(probe.closest_to_convex(&tree, shape, closest.distance * (1.0 - 1e-9)), None);
        }
    }
    Ok(())
}

pub fn shapes(kind: usize, [x, y, z]: [f64; 3], points: &[[f64; 3]]) -> ConvexShape {
    let points: Vec<Point3<f64>> = points.iter().map(|&point| Point3::from(point)).collect();
    match kind {
        0 => ConvexShape::sphere(x),
        1 => ConvexShape::capsule(y, x),
        2 => ConvexShape::cuboid(Vector3::new(x, y, z)),
        3 => ConvexShape::cylinder(y, x),
        4 => ConvexShape::cone(y, x),
        _ => ConvexShape::hull(&points),
    }
    .unwrap()
}

proptest! {
    #![proptest_config(cases(24, 1024))]

    #[test]
    fn trees_hide_nothing_from_convex_shapes(
        mesh in soup(),
        kind in 0..6usize,
        sizes in prop::array::uniform3(0f64..0.7),
        points in prop::collection::vec(prop::array::uniform3(-1f64..1.0), 1..9),
        rounding in prop::sample::select(vec![0.0, 0.0, 0.1]),
        turn in prop::array::uniform3(-3f64..3.0),
        center in prop::array::uniform3(-1.5f64..1.5),
        far in prop::sample::select(vec![1.0, 1.0, 1e3, 1e20]),
    ) {
        let rotation = Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner();
        let pose = Pose::new(rotation, Vector3::from(center) * far).unwrap();
        check(&mesh, &shapes(kind, sizes, &points).rounded(rounding).unwrap().transformed(&pose))?;
    }

    #[test]
    fn convex_shapes_on_a_grid_touch_what_they_touch(
        triangles in grid_soup(),
        kind in 0..6usize,
        sizes in prop::array::uniform3(0..3_i32),
        points in prop::collection::vec(prop::array::uniform3(-2..=2_i32), 1..9),
        center in prop::array::uniform3(-6..=6_i32),
        exponent in prop::sample::select(vec![-60, 0, 60]),
    ) {
        let scale = 2f64.powi(exponent);
        let points: Vec<[f64; 3]> = points.iter().map(|point| point.map(|x| f64::from(x) * scale)).collect();
        let pose = Pose::from_translation(Vector3::from(center.map(f64::from)) * scale).unwrap();
        let sizes = sizes.map(|x| f64::from(x) * scale);
        check(&exact::mesh(&triangles, scale as f32), &shapes(kind, sizes, &points).transformed(&pose))?;
    }

    /// The questions that spheres, capsules and boxes have of their own.
    #[test]
    fn convex_shapes_agree_with_their_own_questions(
        triangles in grid_soup(),
        center in prop::array::uniform3(-6..=6_i32),
        half in prop::array::uniform3(0..3_i32),
    ) {
        let mesh = exact::mesh(&triangles, 1.0);
        let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
        let mut probe = Probe::new();
        let (center, half) = (Point3::from(center.map(f64::from)), Vector3::from(half.map(f64::from)));
        let aabb = Aabb { lower: center - half, upper: center + half };
        let sphere = Sphere { center, radius: half.x };
        let in_sphere = sorted(|visit| probe.for_each_face_in_sphere(&tree, &sphere, visit));
        let in_aabb = sorted(|visit| probe.for_each_face_in_aabb(&tree, &aabb, visit));
        let in_obb = sorted(|visit| probe.for_each_face_in_obb(&tree, &Obb::from(aabb), visit));
        // That of spheres is rounded, this one is exact for a point.
        let in_ball = faces(&mut probe, &tree, &sphere.try_into().unwrap());
        for face in (0..triangles.len() as u32).filter(|face| in_ball.contains(face) != in_sphere.contains(face)) {
            let off = (mesh.triangle(face).closest_point(&center) - center).norm() - half.x;
            prop_assert!(off.abs() < 1e-13, "{face} is {off:e} off");
        }
        prop_assert_eq!(&faces(&mut probe, &tree, &aabb.try_into().unwrap()), &in_aabb);
        prop_assert_eq!(faces(&mut probe, &tree, &Obb::from(aabb).try_into().unwrap()), in_obb);
        let capsule = Capsule { segment: Segment { start: aabb.lower, end: aabb.upper }, radius: 0.5 };
        let closest = probe.closest_to_convex(&tree, &capsule.try_into().unwrap(), f64::INFINITY);
        let contact = probe.closest_capsule_contact(&tree, &capsule, f64::INFINITY);
        prop_assert_eq!(closest.is_some(), contact.is_some());
        if let (Some(closest), Some(contact)) = (closest, contact) {
            prop_assert!((closest.distance - contact.distance.max(0.0)).abs() < 1e-13, "{closest:?} {contact:?}");
        }
    }

    /// A box and a hull as closed, solid meshes.
    #[test]
    fn convex_shapes_agree_with_their_meshes(
        triangles in grid_soup(),
        half in prop::array::uniform3(1..3_i32),
        center in prop::array::uniform3(-6..=6_i32),
    ) {
        let tree = BvTree::build(&exact::mesh(&triangles, 1.0), &BuildOptions::default()).unwrap();
        let half = half.map(f64::from);
        let cuboid = crate::solids::cuboid(half.map(|x| 2.0 * x as f32));
        let other = BvTree::build(&cuboid, &BuildOptions::default()).unwrap();
        let pose = Pose::from_translation(Vector3::from(center.map(f64::from))).unwrap();
        let mut query = Query::new();
        query.set_solids(Solid::No, Solid::IfClosed);
        let shape = ConvexShape::cuboid(Vector3::from(half)).unwrap().transformed(&pose);
        let mut probe = Probe::new();
        prop_assert_eq!(probe.intersects_convex(&tree, &shape), query.intersects(&tree, &other, &pose));
        let theirs = query.distance(&tree, &other, &pose);
        let ours = probe.closest_to_convex(&tree, &shape, f64::INFINITY);
        prop_assert_eq!(ours.is_some(), theirs.is_some());
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            prop_assert!((ours.distance - theirs.distance).abs() < 1e-14, "{ours:?} {theirs:?}");
        }
    }
}

#[test]
fn an_empty_mesh_is_far_from_all() {
    let tree = BvTree::build(&Mesh::from_arrays(vec![], vec![]).unwrap(), &BuildOptions::default()).unwrap();
    let shape = ConvexShape::cylinder(1.0, 1.0).unwrap();
    assert_eq!(Probe::new().closest_to_convex(&tree, &shape, f64::INFINITY), None);
    assert!(!Probe::new().intersects_convex(&tree, &shape));
}

#[test]
fn no_bound_that_is_none_finds_anything() {
    let tree = BvTree::build(&crate::solids::cuboid([1.0; 3]), &BuildOptions::default()).unwrap();
    let shape = ConvexShape::sphere(0.1).unwrap();
    assert_eq!(Probe::new().closest_to_convex(&tree, &shape, f64::NAN), None);
    assert_eq!(Probe::new().closest_to_convex(&tree, &shape, -1.0), None);
    assert_eq!(Probe::new().closest_to_convex(&tree, &shape, 0.399), None);
    assert!(Probe::new().closest_to_convex(&tree, &shape, 0.4).is_some());
}

/// A hull of one of the dataset's meshes, as a mesh and as a shape, at random places around another.
#[test]
fn hulls_of_real_meshes_agree_with_their_meshes() {
    let (Some(mesh), Some(other)) = (dataset_mesh("spot.obj"), dataset_mesh("suzanne.obj")) else { return };
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let points: Vec<Point3<f64>> = other.vertices().iter().map(|vertex| vertex.map(f64::from)).collect();
    let hull = ConvexShape::hull(&points).unwrap();
    let size = mesh.aabb().size().norm();
    let mut hits = 0;
    let mut probe = Probe::new();
    for i in 0..if cfg!(debug_assertions) { 60 } else { 300 } {
        let turn = Vector3::new(0.7, -0.3, 0.5) * f64::from(i);
        let along = Rotation3::from_scaled_axis(Vector3::new(0.2, 0.9, -0.4) * f64::from(i)) * Vector3::x();
        let turned = Rotation3::from_scaled_axis(turn).into_inner();
        let middle = other.aabb().center().coords;
        let pose =
            Pose::new(turned, mesh.aabb().center().coords + along * (size * f64::from(i % 10) * 0.1) - turned * middle)
                .unwrap();
        let shape = hull.transformed(&pose);
        let closest = probe.closest_to_convex(&tree, &shape, f64::INFINITY).unwrap();
        let by_triangles = (0..mesh.triangles().len() as u32).map(|face| shape.distance(&mesh.triangle(face)));
        let least = by_triangles.fold(f64::INFINITY, f64::min);
        assert!((closest.distance - least).abs() < 1e-13 * size);
        assert_eq!(closest.distance == 0.0, probe.intersects_convex(&tree, &shape));
        hits += usize::from(closest.distance == 0.0);
    }
    assert!(hits > 5, "{hits}");
}

/// The volume that a polytope sweeps is the hull of its vertices at both ends: an exact oracle of whether it hits.
fn check_cast(
    mesh: &Mesh,
    shape: &ConvexShape,
    way: Vector3<f64>,
    swept: Option<&ConvexShape>,
) -> Result<(), TestCaseError> {
    let all = || (0..mesh.triangles().len() as u32).map(|face| mesh.triangle(face));
    let at = |time: f64| shape.transformed(&Pose::from_translation(way * time).unwrap());
    let extent = mesh.aabb().size().norm() + way.norm() + shape.aabb().size().norm();
    let options = CastOptions::default();
    let mut first = None;
    for tree in trees(mesh) {
        let hit = Probe::new().cast_convex(&tree, shape, &way, &options);
        prop_assert_eq!(first.get_or_insert(hit), &hit);
        let Some(hit) = hit else {
            for step in 0..=16 {
                prop_assert!(!all().any(|triangle| at(f64::from(step) / 16.0).overlaps(&triangle)), "passed through");
            }
            prop_assert!(swept.is_none_or(|swept| !all().any(|triangle| swept.overlaps(&triangle))));
            continue;
        };
        prop_assert!((0.0..=1.0).contains(&hit.time));
        let distance = at(hit.time).distance(&mesh.triangle(hit.face));
        prop_assert!(distance <= 1e-6 * extent, "{distance:e} at {hit:?}");
        if hit.time > 0.0 {
            let (axis, triangle) = (-hit.normal, mesh.triangle(hit.face));
            let farthest = at(hit.time).support_point(&axis);
            let gap =
                triangle.vertices.iter().map(|vertex| (vertex - farthest).dot(&axis)).fold(f64::INFINITY, f64::min);
            prop_assert!(gap >= -1e-9 * extent && axis.dot(&way) > 0.0, "no plane between: {gap:e} at {hit:?}");
            prop_assert!(triangle.closest_point(&hit.point).coords.metric_distance(&hit.point.coords) <= 1e-9 * extent);
        }
        for step in 0..8 {
            let before = hit.time * (1.0 - 1e-9) * f64::from(step) / 8.0;
            prop_assert!(hit.time == 0.0 || !all().any(|triangle| at(before).overlaps(&triangle)), "late: {hit:?}");
        }
        if let Some(swept) = swept {
            let near = all().map(|triangle| swept.distance(&triangle)).fold(f64::INFINITY, f64::min);
            prop_assert!(near <= 1e-13 * extent, "no hit is {near:e} away: {hit:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(24, 1024))]

    #[test]
    fn casts_meet_first_what_samples_and_swept_hulls_meet(
        mesh in soup(),
        kind in 0..6usize,
        sizes in prop::array::uniform3(0f64..0.5),
        points in prop::collection::vec(prop::array::uniform3(-0.5f64..0.5), 1..9),
        rounding in prop::sample::select(vec![0.0, 0.0, 0.1]),
        turn in prop::array::uniform3(-3f64..3.0),
        center in prop::array::uniform3(-2.5f64..2.5),
        way in prop::array::uniform3(-4f64..4.0),
    ) {
        let turn = Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner();
        let pose = Pose::new(turn, Vector3::from(center)).unwrap();
        let shape = shapes(kind, sizes, &points).rounded(rounding).unwrap().transformed(&pose);
        let way = Vector3::from(way);
        let swept = (kind == 5 && rounding == 0.0).then(|| {
            let ends = points.iter().flat_map(|&point| {
                let start = pose.rotation() * Vector3::from(point) + pose.translation();
                [Point3::from(start), Point3::from(start + way)]
            });
            ConvexShape::hull(&ends.collect::<Vec<_>>()).unwrap()
        });
        check_cast(&mesh, &shape, way, swept.as_ref())?;
        if kind < 2 {
            let half = pose.rotation().column(2) * if kind == 1 { sizes[1] } else { 0.0 };
            let middle = Point3::from(*pose.translation());
            let segment = Segment { start: middle - half, end: middle + half };
            let capsule = Capsule { segment, radius: sizes[0] + rounding };
            let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
            let expected = Probe::new().cast_capsule(&tree, &capsule, &way, &CastOptions::default());
            let found = Probe::new().cast_convex(&tree, &shape, &way, &CastOptions::default());
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                prop_assert!((found.time - expected.time).abs() * way.norm() < 1e-9, "{found:?} {expected:?}");
            }
        }
    }
}

/// A thin plate at speed; a box that slides along a floor; and one that rests on it and leaves.
#[test]
fn casts_of_boxes_by_hand() {
    let floor = BvTree::build(&crate::solids::cuboid([10.0, 10.0, 2.0]), &BuildOptions::default()).unwrap();
    let shape = |height: f64| {
        let pose = Pose::from_translation(Vector3::new(0.0, 0.0, height)).unwrap();
        ConvexShape::cuboid(Vector3::repeat(0.5)).unwrap().transformed(&pose)
    };
    let mut probe = Probe::new();
    let mut cast = |height, way, departing| {
        let options = CastOptions { departing, ..CastOptions::default() };
        probe.cast_convex(&floor, &shape(height), &way, &options)
    };
    let hit = cast(501.5, Vector3::new(0.0, 0.0, -1000.0), true).unwrap();
    assert!(
        (hit.time - 0.5).abs() < 1e-12 && (hit.normal - Vector3::z()).norm() < 1e-12 && hit.point.z == 1.0,
        "{hit:?}"
    );
    assert_eq!(cast(1.5, Vector3::z(), true).unwrap().time, 0.0);
    assert_eq!(cast(1.5, Vector3::z(), false), None);
    assert_eq!(cast(1.5, Vector3::x(), false), None);
    assert_eq!(cast(1.5, Vector3::zeros(), true).unwrap().time, 0.0);
    assert_eq!(cast(1.6, Vector3::x() * 50.0, true), None);
    assert_eq!(cast(1.25, Vector3::z(), false).unwrap().time, 0.0);
}
